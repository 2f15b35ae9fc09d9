// Measures the size of the first load over the wire, ours by kind of file and the
// peers' bundled for production. The first load is what the page's HTML names and what
// those files import; the total of a visit is given as well.

import { readFile, readdir } from "node:fs/promises";
import { basename, extname, join, posix } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

import { bundle } from "../browser.mjs";

const BUNDLES = new URL("../bundles/", import.meta.url).pathname;

const brotli = (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;

export async function size(kit) {
  const peers = {};
  for (const file of (await readdir(BUNDLES)).sort()) peers[basename(file, extname(file))] = await peer(kit, file);
  return { ours: await ours(kit.dist), peers };
}

/**
 * Bytes with brotli by kind of file: the page, and everything that it names or that
 * those files import statically.
 */
async function ours(dist) {
  const html = await readFile(join(dist, "index.html"), "utf8");
  const kinds = { html: brotli(Buffer.from(html)), js: 0, css: 0, wasm: 0 };
  const seen = new Set();
  const waiting = [...html.matchAll(/["'](\/[\w./-]+\.(?:js|css|wasm))["']/g)].map(([, path]) => path);
  while (waiting.length > 0) {
    const path = waiting.pop();
    if (seen.has(path)) continue;
    seen.add(path);
    const bytes = await readFile(join(dist, path));
    kinds[extname(path).slice(1)] += brotli(bytes);
    if (!path.endsWith(".js")) continue;
    for (const [, name] of bytes.toString().matchAll(/(?:^|[\n;}])\s*(?:im|ex)port\b[^"'`()]*["'](\.{1,2}\/[^"']+)["']/g)) {
      waiting.push(posix.join(posix.dirname(path), name));
    }
  }
  return { ...kinds, files: [...seen].sort() };
}

/** The entry's JavaScript with its static imports, and its styles. */
async function peer(kit, file) {
  const { metafile } = await bundle(join(BUNDLES, file), join(kit.out, "bundles", basename(file, extname(file))));
  const outputs = metafile.outputs;
  const entry = Object.keys(outputs).find((name) => outputs[name].entryPoint?.endsWith(`bundles/${file}`));
  const first = new Set();
  const visit = (name) => {
    if (first.has(name)) return;
    first.add(name);
    for (const { kind, path } of outputs[name].imports) if (kind === "import-statement" && outputs[path]) visit(path);
  };
  visit(entry);
  if (outputs[entry].cssBundle) first.add(outputs[entry].cssBundle);
  let sum = 0;
  for (const name of first) sum += brotli(await readFile(name));
  return sum;
}
