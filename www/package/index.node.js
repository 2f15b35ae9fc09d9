// The package's entry for Node, Deno and Bun: as `index.js`, with the wasm read from disk.

import { readFile } from "node:fs/promises";

import { loader } from "./start.js";

export const load = loader(() => readFile(new URL("./page_bg.wasm", import.meta.url)));

export { Session, registerNotification, registerRenderer } from "./start.js";
