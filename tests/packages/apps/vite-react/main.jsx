// React 19 in strict mode, with the component of `pilothouse/react`.

import { PilotHouse } from "pilothouse/react";
import { StrictMode, useRef } from "react";
import { createRoot } from "react-dom/client";

const gateway = new URLSearchParams(location.search).get("gateway");

function App() {
  const element = useRef(null);
  return <PilotHouse ref={element} src={gateway} session="played" onRequest={({ detail, target }) => {
    window.asked = detail.id;
    window.refIsElement = element.current === target;
  }} />;
}

createRoot(document.querySelector("#app")).render(<StrictMode><App /></StrictMode>);
