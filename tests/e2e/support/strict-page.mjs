// A host page with a strict policy, and everything in files of its own.

import { wire } from "./proxy.mjs";

/** The policy that docs/embedding.md promises to work under. */
export const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; img-src 'self' data:; require-trusted-types-for 'script'";

/** A host page with these headers and one element. Its console is kept, whatever its level. */
export async function hosted(stage, address, headers, attributes = "", options = {}) {
  const line = await wire(stage, address, {
    headers,
    page: `<!doctype html><html lang="en"><meta charset="utf-8"><title>Host</title><link rel="icon" href="data:,">
      <link rel="stylesheet" href="/host.css"><pilot-house ${attributes}></pilot-house><script type="module" src="/host.js"></script></html>`,
    files: {
      "/host.css": "body { margin: 0 } pilot-house { display: block; height: 100vh }",
      "/host.js": 'import { load } from "/pkg/index.js"; await load(); window.ready = true;',
    },
  });
  const console = [];
  const page = await stage.page(`${line.address}/host`, {
    height: 1600,
    ...options,
    prepare: (page) => page.on("console", (message) => console.push(`[${message.type()}] ${message.text()}`)),
  });
  return { page, console };
}
