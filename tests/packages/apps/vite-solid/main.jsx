// Solid sets properties, here before the element is defined.

import { load } from "pilothouse";
import { render } from "solid-js/web";

const gateway = new URLSearchParams(location.search).get("gateway");
render(
  () => <pilot-house src={gateway} session="played" on:pilothouse-request={({ detail }) => (window.asked = detail.id)} />,
  document.querySelector("#app"),
);
load();
