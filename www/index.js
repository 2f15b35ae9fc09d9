// Pilothouse for other people's pages: load() starts the wasm once, Session and <pilot-house> come with it.

import init, { Session, addRenderer, ready, textRoom } from "./page.js";

let loading;
let started = false;
const waiting = new Set();

/** Fetches and starts the wasm once. <pilot-house> is registered before it resolves, with everything that can be called. */
export function load() {
  return (loading ??= start(skeleton()).catch((error) => {
    loading = undefined;
    throw error;
  }));
}

// What stands in an element until it is one, in the host's own colour, where the host has put nothing. It weighs nothing
// against the host's rules.
const SKELETON = `@layer { :where(pilot-house, pilot-house-board):not(:defined) { display: block } }
:where(pilot-house, pilot-house-board):where(:not(:defined):empty)::before {
  content: ""; display: block; max-width: 788px; height: 184px; margin: 88px auto 0; opacity: .08;
  background: linear-gradient(currentColor 64px, #0000 0 84px, currentColor 0 94px, #0000 0 116px, currentColor 0 126px,
    #0000 0 148px, currentColor 0 158px, #0000 0)
}`;

/** Shows it; returns what takes it away. */
function skeleton() {
  if (typeof document === "undefined" || !document.adoptedStyleSheets) return () => {};
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(SKELETON);
  document.adoptedStyleSheets.push(sheet);
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
  };
}

async function start(registered) {
  await begin().finally(registered);
  started = true;
  for (const add of waiting) add();
  waiting.clear();
}

async function begin() {
  const url = new URL("./page_bg.wasm", import.meta.url);
  // Servers without compression and Node both have the bytes; only the web streams them.
  if (url.protocol === "file:" && typeof process !== "undefined") {
    const { readFile } = await import(/* @vite-ignore */ "node:fs/promises");
    writeInto(await init({ module_or_path: await readFile(url) }));
  } else {
    writeInto(await init({ module_or_path: url }));
  }
  await ready();
}

/**
 * Texts and bytes are written into the wasm's own memory, always the same: as arguments, texts would be copied a character
 * at a time, and for bytes memory would be asked for, cleared and given back.
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
      // No unit of a text takes more than three bytes.
      const needed = Math.max(1, text ? input.length * 3 : input.length);
      // Memory that grew is another buffer; the old one is empty.
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
 * Draws custom notifications of a source and name, in a range of versions, with `render(payload, context)`, which
 * returns a DOM node or text. May be called before load(). Returns a function that takes the renderer away.
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
