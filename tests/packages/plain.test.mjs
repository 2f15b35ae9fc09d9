// Tests the package as it is, without a bundler: from the page's own origin, from another, below a path, from disk.

import assert from "node:assert/strict";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { scenario } from "../e2e/support/harness.mjs";
import { app, unpacked } from "./support/app.mjs";
import { plays } from "./support/plays.mjs";
import { serveFolders } from "./support/serve.mjs";

/** A page whose import map says where the package is. */
function page(folder, address) {
  const map = { imports: { pilothouse: `${address}index.js` } };
  mkdirSync(folder, { recursive: true });
  cpSync(join(app("plain", "plain-source"), "main.js"), join(folder, "main.js"));
  writeFileSync(join(folder, "index.html"), `<!doctype html><html lang="en"><meta charset="utf-8"><title>Plain</title>
    <link rel="icon" href="data:,"><style>pilot-house { display: block; height: 100vh }</style><body>
    <script type="importmap">${JSON.stringify(map)}</script><script type="module" src="./main.js"></script></body></html>`);
}

scenario("a module script from the page's own origin, below a path", async (stage) => {
  const folder = app("plain", "plain-own");
  page(folder, "./package/");
  const address = await serveFolders(stage, { "/some/where/": folder, "/some/where/package/": unpacked().folder });
  await plays(stage, `${address}/some/where/`);
});

scenario("a module script from another origin", async (stage) => {
  const folder = app("plain", "plain-other");
  const other = await serveFolders(stage, { "/npm/pilothouse/": unpacked().folder }, { shared: ["/npm/pilothouse/"] });
  page(folder, `${other}/npm/pilothouse/`);
  const address = await serveFolders(stage, { "/": folder });
  await plays(stage, `${address}/`);
});

scenario("the inline build, from a file", async (stage) => {
  const folder = app("plain", "inline-file");
  cpSync(join(unpacked().folder, "inline.global.js"), join(folder, "pilothouse.js"));
  writeFileSync(join(folder, "index.html"), `<!doctype html><html lang="en"><meta charset="utf-8"><title>Inline</title>
    <style>pilot-house { display: block; height: 100vh }</style><body><script src="./pilothouse.js"></script><script>
    const element = document.createElement("pilot-house");
    element.setAttribute("src", new URLSearchParams(location.search).get("gateway"));
    element.addEventListener("pilothouse-request", ({ detail }) => (window.asked = detail.id));
    document.body.append(element);
    pilothouse.load();
    </script></body></html>`);
  const files = [];
  const prepare = (page) => page.on("request", (request) => files.push(request.url()));
  stage.foreign = () => [];
  await plays(stage, String(pathToFileURL(join(folder, "index.html"))), { diagrams: false, prepare });
  const fetched = files.filter((address) => /^(file|https?):/.test(address)).map((address) => address.split(/[/?]/).findLast((part) => part.includes(".")));
  assert.ok(fetched.every((name) => ["index.html", "pilothouse.js"].includes(name) || /127/.test(name)), fetched.join());
});
