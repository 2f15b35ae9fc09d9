// Drives the built package as a peer: the real element with real events, one push each as frames arrive.
// Input is only encoded, outside of the measured time.

import { wasmBytes } from "./memory.mjs";
import { painted } from "./clock.mjs";

const PACKAGE = "/pkg/index.js";
const encoder = new TextEncoder();
let loading;

/** The package, started once. */
export const library = () =>
  (loading ??= import(PACKAGE).then(async (library) => {
    await library.load();
    return library;
  }));

const at = Date.UTC(2026, 10, 21, 12);
let number = 0;

function event(type, data, ephemeral) {
  number += 1;
  const id = `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
  const more = { ephemeral, id, timestamp: new Date(at + number).toISOString(), parentId: null };
  return encoder.encode(`${JSON.stringify({ type, data, ...more })}\n`);
}

export async function element(root) {
  await library();
  const made = document.createElement("pilot-house");
  made.setAttribute("transport", "none");
  root.append(made);
  await customElements.whenDefined("pilot-house");
  // The chunks that nearly every session needs are fetched when the element is there.
  await whole(made);
  return made;
}

/** Waits until the preloaded chunks are here: no request for half a second. */
async function whole(made) {
  let seen = -1;
  for (;;) {
    const now = performance.getEntriesByType("resource").length;
    if (now === seen && made.shadowRoot.querySelector("[data-scroller]")) return painted();
    seen = now;
    await new Promise((done) => setTimeout(done, 500));
  }
}

/** The number of all elements, including those in shadow trees. */
export function count(node) {
  let sum = 0;
  for (const found of node.querySelectorAll("*")) sum += 1 + (found.shadowRoot ? count(found.shadowRoot) : 0);
  return sum;
}

/** Whether a push is still being read; large ones are read in slices. */
export const isReading = (made) => made.hasAttribute("data-reading");

const scroller = (made) => made.shadowRoot.querySelector("[data-scroller]");

export const pilothouse = {
  /** One streaming answer. Each piece is an event of its own. */
  async mount(root, pieces) {
    const messageId = "m1";
    const made = await element(root);
    made.push(event("session.start", { sessionId: "bench", version: 1, producer: "copilot-agent", startTime: new Date(at).toISOString() }));
    made.push(event("assistant.turn_start", { turnId: "0" }));
    made.push(event("assistant.message_start", { messageId }, true));
    const delta = (deltaContent) => event("assistant.message_delta", { messageId, deltaContent }, true);
    const frames = pieces.map(delta);
    return {
      take(from, to) {
        for (let index = from; index < to; index += 1) made.push(frames[index]);
      },
      end(content, last) {
        made.push(delta(last));
        made.push(event("assistant.message", { messageId, content, toolRequests: [] }));
        frames.length = 0;
      },
      shown: (text) => scroller(made).textContent.includes(text),
      count: () => count(made.shadowRoot),
      wasmBytes,
    };
  },

  /** Prepares a whole log, as bytes in memory. */
  async prepareLog(root, text) {
    const made = await element(root);
    const bytes = encoder.encode(text);
    return {
      open: () => made.push(bytes),
      scroller: () => scroller(made),
      shown: (ids) => [...made.shadowRoot.querySelectorAll("[data-entry]")].some(({ dataset }) => ids.has(dataset.id)),
      reading: () => isReading(made),
      count: () => count(made.shadowRoot),
      wasmBytes,
      events() {
        const { session } = made;
        const { total } = session.snapshot().events;
        session.free();
        return total;
      },
    };
  },
};
