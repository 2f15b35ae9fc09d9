// A static server on this machine, as simple as those that people put bundles on.

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

/** The media type of a file, by its extension. */
export const TYPES = {
  ".html": "text/html; charset=utf-8", ".htm": "text/html; charset=utf-8", ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css",
  ".wasm": "application/wasm", ".json": "application/json", ".svg": "image/svg+xml", ".png": "image/png",
};

/**
 * Serves folders, each below a path: `{ "/": folder }`. The longest path that fits counts. Other origins may read what
 * is below the paths in `shared`. `page` may change the text of an HTML file. Returns the address.
 */
export async function serveFolders(stage, folders, { shared = [], page = (text) => text } = {}) {
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://host").pathname);
    const base = Object.keys(folders).filter((base) => path.startsWith(base)).sort((a, b) => b.length - a.length)[0];
    try {
      let file = normalize(join(folders[base], path.slice(base.length)));
      if (path.endsWith("/")) file = join(file, "index.html");
      const body = await readFile(file);
      response.setHeader("Content-Type", TYPES[extname(file)] ?? "application/octet-stream");
      if (shared.includes(base)) response.setHeader("Access-Control-Allow-Origin", "*");
      response.end(extname(file) === ".html" ? page(String(body)) : body);
    } catch {
      response.writeHead(404).end();
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  stage.atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}`;
}
