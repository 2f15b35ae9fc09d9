// AG-UI's client with react-markdown.
import { createRoot } from "react-dom/client";

import { HttpAgent } from "@ag-ui/client";
import Markdown from "react-markdown";
import remarkGfm from "remark-gfm";

window.agent = new HttpAgent({ url: "/agent" });
createRoot(document.getElementById("root")).render(<Markdown remarkPlugins={[remarkGfm]}>hi</Markdown>);
