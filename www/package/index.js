// The package's entry for pages and workers: `load`, which fetches and starts the wasm, `Session`,
// `registerRenderer` and `registerNotification`.

import { loader } from "./start.js";

// A program for Node that imports this file by its path gets no condition of `exports`, and Node can't fetch `file:`.
const fromDisk = (url) => url.protocol === "file:" && globalThis.process?.getBuiltinModule?.("fs")?.promises.readFile(url);

function wasm() {
  // Bundlers follow this address, and give the file a name of their own. Next.js makes it relative.
  const url = new URL("./page_bg.wasm", import.meta.url);
  // Vite before 8 moves the scripts of a dependency, in development, and not its other files.
  return fromDisk(url) || url.href.replace("/node_modules/.vite/deps/", "/node_modules/pilothouse/");
}

/**
 * Fetches and starts the wasm once. `<pilot-house>` is registered before it resolves, and later calls need no other file.
 */
export const load = loader(wasm);

export { Session, registerNotification, registerRenderer } from "./start.js";
