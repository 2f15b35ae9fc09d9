// The package's entry for pages and workers: `load`, which fetches and starts the wasm, `Session` and
// `registerNotification`.

import { loader } from "./start.js";

/** Bundlers follow this address, and give the file a name of their own. */
const address = () => new URL("./page_bg.wasm", import.meta.url);

// A program for Node that imports this file by its path gets no condition of `exports`, and Node can't fetch `file:`.
const fromDisk = (url) => url.protocol === "file:" && globalThis.process?.getBuiltinModule?.("fs")?.promises.readFile(url);

/**
 * Fetches and starts the wasm once. `<pilot-house>` is registered before it resolves, and later calls need no other file.
 */
export const load = loader(() => fromDisk(address()) || address());

export { Session, registerNotification } from "./start.js";
