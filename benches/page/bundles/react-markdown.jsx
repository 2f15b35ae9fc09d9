// A minimal chat with react-markdown.
import { useState } from "react";
import { createRoot } from "react-dom/client";

import Markdown from "react-markdown";
import remarkGfm from "remark-gfm";

const App = () => {
  const [messages, set] = useState([]);
  const add = ({ key, target }) => key === "Enter" && set([...messages, target.value]);
  return (
    <div>
      {messages.map((text, index) => (
        <Markdown key={index} remarkPlugins={[remarkGfm]}>
          {text}
        </Markdown>
      ))}
      <input onKeyDown={add} />
    </div>
  );
};
createRoot(document.getElementById("root")).render(<App />);
