// What the package's entries share: starting the program, `Session` and `registerNotification`. Only where the bytes of
// the wasm come from differs between them.

import init, { Session, addRenderer, ready, textRoom } from "./page.js";

let loading;
let started = false;
const waiting = new Set();

/**
 * Makes the function `load`, which starts the program once. `wasm` returns the address of the wasm, or its bytes; either
 * may be a promise.
 */
export function loader(wasm) {
  return () => (loading ??= start(wasm, skeleton()).catch((error) => {
    loading = undefined;
    throw error;
  }));
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

/**
 * Renders custom notifications of a source and name, in a range of versions, with
 * `render(payload, context)`, which returns a DOM node or text. May be called before
 * `load()`. Returns a function that removes the renderer.
 */
export function registerNotification({ source, name, versions } = {}, render) {
  if (typeof render !== "function") throw new TypeError("registerNotification needs a function that renders");
  const [first, last] = Array.isArray(versions) ? versions : [versions, versions];
  let remove;
  const add = () => {
    remove = addRenderer(source, name, first ?? -Infinity, last ?? Infinity, render);
  };
  if (started) add();
  else waiting.add(add);
  return () => {
    waiting.delete(add);
    remove?.();
    remove = undefined;
  };
}

export { Session };
