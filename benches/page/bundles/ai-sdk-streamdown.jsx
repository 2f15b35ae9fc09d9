// The AI SDK's reducer with Streamdown.
import { createRoot } from "react-dom/client";

import { readUIMessageStream } from "ai";
import { Streamdown } from "streamdown";

window.read = readUIMessageStream;
createRoot(document.getElementById("root")).render(<Streamdown>hi</Streamdown>);
