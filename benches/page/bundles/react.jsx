// React alone: a counter.
import { useState } from "react";
import { createRoot } from "react-dom/client";

const App = () => {
  const [count, set] = useState(0);
  return <button onClick={() => set(count + 1)}>count: {count}</button>;
};
createRoot(document.getElementById("root")).render(<App />);
