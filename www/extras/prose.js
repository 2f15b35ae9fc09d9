// Chooses the extra for each settled block: colours, a formula or a diagram. Each is
// loaded when the first block needs it.

import { present } from "./present.js";
import { languageOf } from "./languages.js";

/** Longer code stays plain, because colouring it would block the page. */
const LONGEST = 100_000;
/**
 * Code up to this length is coloured synchronously if its grammar is loaded, so that
 * scrolling back shows it coloured.
 */
const AT_ONCE = 8_000;
/** Milliseconds a frame for synchronous colouring. More code waits for idle time. */
const SPARE = 2;
/** Longer formulas and diagrams are not drawn; they would be unreadable. */
const LONGEST_DRAWN = 20_000;

const WANTED = "pre.code[data-language], .math";
const modules = new Map();
/** Each extra by its name. Written out, because bundlers don't follow an address that is computed. */
const FILES = {
  colours: () => import("./colours.js"),
  maths: () => import("./maths.js"),
  diagrams: () => import("./diagrams.js"),
};

/**
 * Colours or draws the contents of a settled block. `words` are texts in the page's language. `renderers` are the host's,
 * pairs of a predicate and a function that returns a node or a text.
 */
export function enrich(block, words, renderers) {
  for (const element of [block, ...block.querySelectorAll(WANTED)]) {
    if (element.matches(WANTED) && !element.hasAttribute("data-drawn")) one(element, words, renderers);
  }
}

function one(element, words, renderers) {
  if (element.classList.contains("math")) {
    return formula(element, element, element.classList.contains("display"), words);
  }
  const code = element.lastElementChild;
  const made = rendered(renderers, { language: element.dataset.language, code: whole(code) });
  if (made) return picture(element, code, made, words);
  // A line that is longer than any screen is neither coloured nor drawn.
  if (code.querySelector("template")) return;
  const language = element.dataset.language.toLowerCase();
  if (language === "math") return formula(element, code, true, words);
  if (language === "mermaid") return diagram(element, code, words);
  const grammar = languageOf(language);
  if (grammar && present.includes("colours") && code.textContent.length <= LONGEST) colours(element, code, grammar);
}

/** The text of code. What is not in sight of a long line is in a template in a button. */
const whole = (code) =>
  [...code.childNodes].map((node) => (node.localName === "button" ? node.lastChild.content : node).textContent).join("");

/** What the first fitting renderer of the host makes. An error is reported, and the code stays. */
function rendered(renderers, data) {
  for (const [matches, render] of renderers) {
    try {
      if (matches(data)) return render(data) ?? undefined;
    } catch (error) {
      reportError(error);
    }
  }
  return undefined;
}

/** The module if it is loaded, else a promise of it. Undefined if this build has no such extra. */
function extra(name) {
  if (!present.includes(name)) return undefined;
  if (!modules.has(name)) {
    const coming = FILES[name]().then(
      (module) => (modules.set(name, module), module),
      () => void modules.delete(name),
    );
    modules.set(name, coming);
  }
  return modules.get(name);
}

/** Calls `act` now if the module is loaded, else when it is and the element is still in the document. */
function later(element, module, act) {
  if (!module) return;
  if (typeof module.then !== "function") return act(module);
  module.then((module) => {
    if (module && element.isConnected) act(module);
  });
}

function colours(element, code, grammar) {
  later(element, extra("colours"), (module) => {
    const act = () => paint(element, code, module, grammar);
    if (module.ready(grammar) && code.textContent.length <= AT_ONCE && spent < SPARE) return spend(act);
    module.fetchGrammar(grammar).then((ready) => ready && idle(act));
  });
}

/** Milliseconds that colouring took since the browser could last draw. */
let spent = 0;

function spend(act) {
  const start = performance.now();
  act();
  if (spent === 0) setTimeout(() => (spent = 0));
  spent += performance.now() - start;
}

function paint(element, code, module, grammar) {
  if (!code.isConnected || element.hasAttribute("data-drawn")) return;
  const again = () => paint(element, code, module, grammar);
  const root = code.getRootNode();
  if (!lengths.has(root)) {
    // Any question about a selection makes the browser lay out the page, so it is not
    // asked while the page is being built.
    return idle(() => {
      const selection = selectionIn(root);
      lengths.set(root, Boolean(selection && !selection.isCollapsed));
      again();
    });
  }
  if (lengths.get(root) && selectionIn(root).containsNode(code, true)) {
    // Changing the nodes under a selection would drop it, so colouring waits until the selection changes.
    return document.addEventListener("selectionchange", () => idle(again), { once: true });
  }
  if (module.paint(code, grammar)) element.dataset.drawn = "colours";
}

const selectionIn = (root) => root.getSelection?.() ?? document.getSelection();

/** Whether there is a selection, by document or shadow tree. Cleared when the selection changes. */
let lengths = new WeakMap();
document.addEventListener("selectionchange", () => (lengths = new WeakMap()));

const idle = (act) => (globalThis.requestIdleCallback ? requestIdleCallback(act, { timeout: 500 }) : setTimeout(act));

function formula(element, holder, display, words) {
  const tex = holder.textContent;
  if (tex.length > LONGEST_DRAWN) return;
  later(element, extra("maths"), (module) => {
    if (holder.textContent !== tex || element.hasAttribute("data-drawn")) return;
    const { math, mistake } = module.formula(tex, display, element.getRootNode(), words);
    if (mistake) return explain(element, holder, mistake, words);
    if (element !== holder) return picture(element, holder, math, words);
    element.title = tex;
    element.dataset.drawn = "formula";
    element.replaceChildren(math);
  });
}

function diagram(element, code, words) {
  const source = code.textContent;
  if (source.length > LONGEST_DRAWN || !present.includes("diagrams")) return;
  // The frame that draws is not asked for where the page refuses it: the browser would log that as an error.
  later(element, drawsDiagrams(element), (allowed) => {
    if (allowed === REFUSED) return explain(element, code, words.noDrawings, words);
    later(element, extra("diagrams"), (module) => {
      if (element.hasAttribute("data-drawn")) return;
      module.diagram(element, source, words, (image, mistake) => {
        if (code.textContent !== source) return;
        if (mistake) explain(element, code, mistake, words);
        else if (image) picture(element, code, image, words);
      });
    });
  });
}

const ALLOWED = "allowed";
const REFUSED = "refused";
let policies;

/** Whether diagrams may be drawn: what the nearest `allow` around an element says, else what the page's own policies say. */
function drawsDiagrams(element) {
  for (let inside = element; inside; inside = inside.getRootNode().host) {
    const holder = inside.closest("[allow]");
    if (holder) return holder.getAttribute("allow").split(/\s+/).includes("diagrams") ? ALLOWED : REFUSED;
  }
  return (policies ??= readPolicies().then((all) => (policies = all.every(allowsFrame) ? ALLOWED : REFUSED)));
}

/**
 * The content security policies of the page. No script can ask for those in its headers, so the page is fetched once more,
 * mostly from the browser's cache. Not with HEAD: a server without it would cause an error in the console.
 */
async function readPolicies() {
  const metas = document.querySelectorAll('meta[http-equiv="content-security-policy" i]');
  const header = /^https?:$/.test(location.protocol) ? await policyHeader().catch(() => "") : "";
  return [header, ...[...metas].map((meta) => meta.content)].flatMap((list) => list.split(","));
}

async function policyHeader() {
  const { headers, body } = await fetch(location.href, { cache: "force-cache" });
  body?.cancel();
  return headers.get("content-security-policy") ?? "";
}

/** Whether a policy allows the frame, which bundlers may have put elsewhere. */
function allowsFrame(policy) {
  const directives = new Map(policy.split(";").map((directive) => directive.trim().split(/\s+/)).map(([name, ...sources]) => [name.toLowerCase(), sources]));
  const sources = ["frame-src", "child-src", "default-src"].map((name) => directives.get(name)).find(Boolean);
  const { origin, protocol } = new URL(new URL("./diagram.htm", import.meta.url).href, location.href);
  const matches = (source) => source === "*" || source === protocol || (source === "'self'" ? origin === location.origin : source.startsWith(origin));
  return !sources || sources.some(matches);
}

/** Inserts the picture before its source, with a button that switches between the two. */
function picture(pre, code, drawn, words) {
  if (pre.hasAttribute("data-drawn")) return;
  const holder = document.createElement("span");
  holder.className = "drawing";
  holder.tabIndex = 0;
  holder.append(drawn);
  const button = document.createElement("button");
  button.type = "button";
  button.className = "source";
  button.textContent = words.source;
  button.setAttribute("aria-pressed", "false");
  button.onclick = () => {
    const source = pre.dataset.drawn === "picture";
    pre.dataset.drawn = source ? "source" : "picture";
    button.setAttribute("aria-pressed", String(source));
  };
  code.before(holder);
  pre.querySelector(".acts")?.prepend(button);
  pre.dataset.drawn = "picture";
}

/** Keeps the source and adds the reason why it is not drawn. */
function explain(element, code, mistake, words) {
  const said = words.notDrawn.replace("{why}", () => mistake);
  if (element === code) {
    element.title = said;
    return;
  }
  if (element.querySelector(".undrawn")) return;
  const line = document.createElement("span");
  line.className = "undrawn";
  line.textContent = said;
  code.before(line);
}
