// Shows the element in every theme: with a recording up to the request that waits, or played from its start.

import { load } from "../../pkg/index.js";
import { asks, play, recorded } from "../book/live.js";

const { theme, scheme, density, font, again } = document.forms[0].elements;
const [, events] = await Promise.all([load(), recorded("../recordings/fix-failing-test.jsonl")]);
const main = document.querySelector("main");

/** A new element, in place of the one that is there. */
function element() {
  const made = document.createElement("pilot-house");
  made.setAttribute("transport", "none");
  made.setAttribute("keys", "page");
  main.replaceChildren(made);
  dress();
  return made;
}

/** Puts what is chosen on the element. What VS Code sets on its pages is put on the page. */
function dress() {
  const made = main.firstElementChild;
  const dark = scheme.value === "dark" || (scheme.value === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.style.colorScheme = scheme.value === "auto" ? "" : scheme.value;
  document.body.className = theme.value === "ph-vscode" ? (dark ? "vscode-dark" : "vscode-light") : "";
  made.className = theme.value;
  made.style.setProperty("--ph-density", density.value);
  made.style.setProperty("--ph-font", font.value);
}

const open = element();
const first = events.findLastIndex(asks);
for (const event of events.slice(0, first + 1)) open.push(event);
play(open, []); // an answer has no server to go to
document.forms[0].addEventListener("change", dress);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", dress);
again.addEventListener("click", () => play(element(), events));

// `#ph-terminal,dark` opens the page with a theme and a scheme.
const [name, colours] = location.hash.slice(1).split(",");
if (name) theme.value = name;
if (colours) scheme.value = colours;
dress();
