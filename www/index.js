// Pilothouse for other people's pages: load() starts the wasm once, Session and <pilot-house> come with it.

import init, { Session } from "./page.js";

let loading;

/** Fetches and starts the wasm once; <pilot-house> is registered when it resolves. */
export function load() {
  return (loading ??= start().catch((error) => {
    loading = undefined;
    throw error;
  }));
}

async function start() {
  const url = new URL("./page_bg.wasm", import.meta.url);
  // Servers without compression and Node both have the bytes; only the web streams them.
  if (url.protocol === "file:" && typeof process !== "undefined") {
    const { readFile } = await import(/* @vite-ignore */ "node:fs/promises");
    await init({ module_or_path: await readFile(url) });
  } else {
    await init({ module_or_path: url });
  }
}

export { Session };
