// React 19 with the element itself, which is defined before React makes it: then React sets properties where it can.

import { load } from "pilothouse";
import { createRoot } from "react-dom/client";

await load();
const gateway = new URLSearchParams(location.search).get("gateway");
createRoot(document.querySelector("#app")).render(
  <pilot-house src={gateway} session="played" readonly={false} onpilothouse-request={({ detail }) => (window.asked = detail.id)} />,
);
