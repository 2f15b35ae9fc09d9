// What the package's entries share: starting the program, `Session` and the registration of renderers. Only where the bytes of
// the wasm come from differs between them.

import init, { Session, addRenderer, ready, textRoom } from "./page.js";

let loading;
let started = false;
const waiting = new Set();

/**
 * Makes the function `load`, which starts the program once. `wasm` returns the address of the wasm, or its bytes; either
 * may be a promise. `load` takes `{ words }`, Fluent sources of the page's own texts, by the names of our files of messages.
 */
export function loader(wasm) {
  return ({ words } = {}) => {
    // The program reads them when it starts, before anything of it can be called.
    if (words && !loading) globalThis[Symbol.for("pilothouse.words")] = words;
    return (loading ??= start(wasm, skeleton()).catch((error) => {
      loading = undefined;
      throw error;
    }));
  };
}

// A placeholder for elements that are empty and not defined yet, in the host's own text colour. The layer and
// `:where` let any of the host's rules win.
const SKELETON = `@layer { :where(pilot-house, pilot-house-board):not(:defined) { display: block } }
:where(pilot-house, pilot-house-board):where(:not(:defined):empty)::before {
  content: ""; display: block; max-width: 788px; height: 184px; margin: 88px auto 0; opacity: .08;
  background: linear-gradient(currentColor 64px, #0000 0 84px, currentColor 0 94px, #0000 0 116px, currentColor 0 126px,
    #0000 0 148px, currentColor 0 158px, #0000 0)
}`;

/** Shows the placeholder. Returns a function that removes it. */
function skeleton() {
  if (typeof document === "undefined" || !document.adoptedStyleSheets) return () => {};
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(SKELETON);
  document.adoptedStyleSheets.push(sheet);
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
  };
}

async function start(wasm, registered) {
  await begin(wasm).finally(registered);
  started = true;
  for (const add of waiting) add();
  waiting.clear();
}

async function begin(wasm) {
  writeInto(await init({ module_or_path: await wasm() }));
  await ready();
}

/**
 * Passes texts and bytes through one buffer in the wasm's memory. As arguments, texts would be copied a
 * character at a time, and memory would be allocated, cleared and freed for bytes.
 */
function writeInto({ memory }) {
  const MOST = 1 << 20;
  const encoder = new TextEncoder();
  let room = new Uint8Array();
  for (const name of ["push", "pushFrame"]) {
    const any = Session.prototype[name];
    const frame = name === "pushFrame";
    Session.prototype[name] = function (input) {
      const text = typeof input === "string";
      if (!(text || input instanceof Uint8Array) || input.length > MOST) return any.call(this, input);
      // A UTF-16 code unit takes at most three bytes.
      const needed = Math.max(1, text ? input.length * 3 : input.length);
      // When the wasm's memory grows, its buffer is replaced and the old one has length 0.
      if (room.length < needed) {
        const size = Math.max(needed, 1 << 16);
        const place = textRoom(size);
        room = new Uint8Array(memory.buffer, place, size);
      }
      if (text) return this.pushWritten(encoder.encodeInto(input, room).written, frame);
      room.set(input);
      return this.pushWritten(input.length, frame);
    };
  }
}

/** What `match` may name, by what a renderer is for. */
const NAMED = {
  tool: (entry) => entry.tool.name,
  request: (entry) => entry.request.kind,
  code: ({ language }) => language,
  notification: ({ name }) => name,
};

/**
 * Shows something in the host's own way: `kind` is `tool`, `request`, `code` or `notification`. `match` is a name, or a
 * function that decides; `render` returns a DOM node, a text, or `{node, update, destroy}`. May be called before `load()`.
 * Returns a function that removes the renderer.
 */
export function registerRenderer(kind, match, render) {
  const name = NAMED[kind];
  if (!name) throw new TypeError(`registerRenderer: there are no renderers for '${kind}', only for ${Object.keys(NAMED).join(", ")}`);
  if (typeof render !== "function") throw new TypeError("registerRenderer needs a function that renders");
  const matches = typeof match === "function" ? match : (data) => name(data) === match;
  let remove;
  const add = () => {
    remove = addRenderer(kind, matches, render);
  };
  if (started) add();
  else waiting.add(add);
  return () => {
    waiting.delete(add);
    remove?.();
    remove = undefined;
  };
}

/**
 * Renders custom notifications of a source and name, in a range of versions, with `render(payload, context)`: a short
 * form of `registerRenderer`.
 */
export function registerNotification({ source, name, versions } = {}, render) {
  const [first, last] = Array.isArray(versions) ? versions : [versions, versions];
  const matches = (context) =>
    (source ?? context.source) === context.source &&
    (name ?? context.name) === context.name &&
    (context.version ?? 1) >= (first ?? -Infinity) &&
    (context.version ?? 1) <= (last ?? Infinity);
  return registerRenderer("notification", matches, render);
}

export { Session };
