// Tests the package as it is, without a bundler: from the page's own origin, from another, below a path, from disk.

import assert from "node:assert/strict";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { scenario } from "../e2e/support/harness.mjs";
import { app, unpacked } from "./support/app.mjs";
import { SESSION, plays, playsHere } from "./support/plays.mjs";
import { serveFolders } from "../e2e/support/serve.mjs";

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

scenario("the inline build, from a file: the host feeds the element and takes the answer", async (stage) => {
  const folder = app("plain", "inline-file");
  cpSync(join(unpacked().folder, "inline.global.js"), join(folder, "pilothouse.js"));
  writeFileSync(join(folder, "index.html"), `<!doctype html><html lang="en"><meta charset="utf-8"><title>Inline</title>
    <style>pilot-house { display: block; height: 100vh }</style><body><script src="./pilothouse.js"></script><script>
    const element = document.createElement("pilot-house");
    element.setAttribute("transport", "none");
    element.addEventListener("pilothouse-request", ({ detail }) => (window.asked = detail.id));
    const events = ${JSON.stringify(SESSION)};
    const after = events.findIndex(({ type }) => type === "permission.completed");
    element.addEventListener("pilothouse-answer", (event) => {
      event.preventDefault();
      window.answered = event.detail;
      for (const event of events.slice(after)) element.push(event);
    });
    document.body.append(element);
    pilothouse.load().then(() => events.slice(0, after).forEach((event) => element.push(event)));
    </script></body></html>`);
  const files = [];
  const prepare = (page) => page.on("request", (request) => files.push(request.url()));
  stage.foreign = () => [];
  const page = await stage.page(String(pathToFileURL(join(folder, "index.html"))), { prepare, height: 1400 });
  await playsHere(page, { diagrams: false });
  assert.equal((await page.evaluate(() => window.answered)).method, "session.permissions.handlePendingPermissionRequest");
  const names = files.filter((address) => !address.startsWith("data:")).map((address) => address.split("/").at(-1));
  assert.deepEqual(names.sort(), ["index.html", "pilothouse.js"], "nothing else is fetched");
});
