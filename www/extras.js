// Fetches the extras (colours in code, formulas, diagrams) when the first settled block
// may need one. Blocks are readable without them.

/** Milliseconds before extras that failed to load are requested again. */
const AGAIN = 60_000;

let extras;
let coming;

/** Frames within which a new block must be in the document. */
const FRAMES = 3;

/** Names of the texts passed with a block, in order. */
const WORDS = ["source", "notDrawn", "diagram", "noDrawings", "noFormula", "emptyDrawing", "unreadable"];

/**
 * Colours or draws the contents of a settled block, at once if the extras are loaded. `lines` are the texts
 * that they may need in the page's language, one a line. `renderers` are the host's for code, each a predicate and a function.
 */
export function enrich(block, lines, renderers) {
  const said = lines.split("\n");
  const words = Object.fromEntries(WORDS.map((name, at) => [name, said[at]]));
  if (block.isConnected) return now(block, words, renderers);
  // Rows are filled before they are inserted into the document, and only there they have colours and a size.
  let frames = 0;
  const look = () => {
    if (block.isConnected) now(block, words, renderers);
    else if (frames++ < FRAMES) requestAnimationFrame(look);
  };
  queueMicrotask(look);
}

// wasm-bindgen puts this file into snippets/<name>/www/, beside extras/, both in the page's folder and in the package.
// Bundlers follow the import from there.
const fetchExtras = () => import("../../../extras/prose.js");

const idle = () => new Promise((done) => (globalThis.requestIdleCallback ?? setTimeout)(done, { timeout: 500 }));

function now(block, words, renderers) {
  if (extras) return void extras.enrich(block, words, renderers);
  // Wait until the browser is idle: the visible rows and the rest of a long log come first.
  coming ??= idle().then(() => fetchExtras()).then(
    (module) => (extras = module),
    () => void setTimeout(() => (coming = undefined), AGAIN),
  );
  coming.then(() => extras?.enrich(block, words, renderers));
}
