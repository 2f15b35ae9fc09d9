// A minimal chat with Streamdown.
import { useState } from "react";
import { createRoot } from "react-dom/client";

import { Streamdown } from "streamdown";

const App = () => {
  const [messages, set] = useState([]);
  const add = ({ key, target }) => key === "Enter" && set([...messages, target.value]);
  return (
    <div>
      {messages.map((text, index) => (
        <Streamdown key={index}>{text}</Streamdown>
      ))}
      <input onKeyDown={add} />
    </div>
  );
};
createRoot(document.getElementById("root")).render(<App />);
