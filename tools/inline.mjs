// Makes the package's build in one file, from the package's own modules: `node tools/inline.mjs dist/pkg`.
//
// The wasm files are compressed and written as text, and each is unpacked when it is first needed. The frame that draws
// diagrams has an address of its own, so diagrams stay out, and are shown as their source.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

import { build } from "esbuild";

const [folder] = process.argv.slice(2);

const ENTRY = `
import { loader } from "./start.js";
import wasm from "./page_bg.wasm";
export const load = loader(wasm);
export { Session, registerNotification, registerRenderer } from "./start.js";
export { ConnectionError, changes, connect } from "./connection.js";
`;

const UNPACK = `
export async function unpack(text) {
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}`;

const inline = {
  name: "inline",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^unpack$/ }, () => ({ path: "unpack", namespace: "inline" }));
    onLoad({ filter: /./, namespace: "inline" }, () => ({ contents: UNPACK }));
    onLoad({ filter: /\.wasm$/ }, async ({ path }) => {
      const packed = await promisify(gzip)(await readFile(path), { level: 9 });
      return { contents: `import { unpack } from "unpack";\nexport default () => unpack("${packed.toString("base64")}");`, resolveDir: folder };
    });
    // The addresses of chunks become functions that return their bytes. The glue's own address is never used.
    onLoad({ filter: /(__wasm_split|[/\\]page)\.js$/ }, async ({ path }) => {
      const imports = [];
      const text = (await readFile(path, "utf8")).replace(/new URL\(\s*"(?:\.\/)?([\w.]+)"\s*,\s*import\.meta\.url\s*\)/g, (_, name) => {
        if (name === "page_bg.wasm") return "undefined";
        imports.push(`import wasm_${imports.length} from "./${name}";`);
        return `wasm_${imports.length - 1}()`;
      });
      return { contents: imports.join("") + text };
    });
    onLoad({ filter: /extras[/\\]present\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replace(/"diagrams",?/, ""),
    }));
    onLoad({ filter: /extras[/\\]diagrams\.js$/ }, () => ({ contents: "" }));
  },
};

await build({
  stdin: { contents: ENTRY, resolveDir: folder, sourcefile: "inline.js" },
  bundle: true,
  minify: true,
  format: "iife",
  globalName: "pilothouse",
  // An imported module has no globals of its own.
  footer: { js: "globalThis.pilothouse=pilothouse;" },
  legalComments: "inline",
  outfile: join(folder, "inline.global.js"),
  plugins: [inline],
  logLevel: "warning",
  // wasm-bindgen's glue has a key for each import from the loader of the chunks, and only diagrams need an address.
  logOverride: { "duplicate-object-key": "silent", "empty-import-meta": "silent" },
});
