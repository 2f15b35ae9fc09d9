// A page without a framework, for every bundler.

import { load } from "pilothouse";

const element = document.createElement("pilot-house");
element.setAttribute("src", new URLSearchParams(location.search).get("gateway"));
element.addEventListener("pilothouse-request", ({ detail }) => (window.asked = detail.id));
document.body.append(element);
load();
