// What a text can do without: colours in code, formulas, diagrams. Owns when the rest of them is fetched: when the first
// settled block may want it. Refuses to wait: without them every block stays readable as it is.

// This file is in snippets/<name>/www/, beside extras/ in the page's folder and in the package's alike.
const HOME = new URL("../../../extras/prose.js", import.meta.url).href;
/** Milliseconds before extras that did not come are asked for again. */
const AGAIN = 60_000;

let extras;
let coming;

/** Frames within which a block that was made has to be on the page. */
const FRAMES = 3;

/** Names of the words that come with a block, in their order. */
const WORDS = ["source", "notDrawn", "diagram", "noDrawings", "noFormula", "emptyDrawing", "unreadable"];

/**
 * Colours or draws what is in a settled block, at once if the extras are here. `lines` is what they may have to say, in
 * the page's language: one line each.
 */
export function enrich(block, lines) {
  const said = lines.split("\n");
  const words = Object.fromEntries(WORDS.map((name, at) => [name, said[at]]));
  if (block.isConnected) return now(block, words);
  // A row is filled before it is put into the page, and only there it has colours and a size.
  let frames = 0;
  const look = () => {
    if (block.isConnected) now(block, words);
    else if (frames++ < FRAMES) requestAnimationFrame(look);
  };
  queueMicrotask(look);
}

const idle = () => new Promise((done) => (globalThis.requestIdleCallback ?? setTimeout)(done, { timeout: 500 }));

function now(block, words) {
  if (extras) return void extras.enrich(block, words);
  // What is in sight comes first, and the rest of a long log.
  coming ??= idle().then(() => import(/* @vite-ignore */ /* webpackIgnore: true */ HOME)).then(
    (module) => (extras = module),
    () => void setTimeout(() => (coming = undefined), AGAIN),
  );
  coming.then(() => extras?.enrich(block, words));
}
