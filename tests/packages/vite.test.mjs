// Tests the package in Vite: its dev server with the pre-bundling that it does by default, and its production build. At
// night Vite 7 as well, because it bundles with other tools, and its pre-bundling leaves files behind.

import assert from "node:assert/strict";
import { join } from "node:path";

import { build, createLogger, createServer } from "vite";
import * as vite7 from "vite-7";

import { nightly, scenario } from "../e2e/support/harness.mjs";
import { app, weight } from "./support/app.mjs";
import { plays } from "./support/plays.mjs";
import { serveFolders } from "../e2e/support/serve.mjs";

/** Options of Vite, and the warnings that it logs. Vite's React plugin would drop the one about `"use client"`. */
function quiet(mode) {
  // Vite leaves what an earlier run in the same process has set.
  process.env.NODE_ENV = mode;
  const warnings = [];
  const warn = (text) => text.includes("use client") || warnings.push(text);
  const customLogger = { ...createLogger("error"), info: () => {}, warn, warnOnce: warn };
  return { warnings, options: { customLogger, clearScreen: false } };
}

scenario("Vite's dev server, React 19 in strict mode", async (stage) => {
  const root = app("vite-react", "vite-react-dev");
  const { options, warnings } = quiet("development");
  const server = await createServer({ ...options, root, server: { host: "127.0.0.1", port: 0 } });
  stage.atEnd(() => server.close());
  await server.listen();
  const page = await plays(stage, `http://127.0.0.1:${server.httpServer.address().port}/`);
  assert.equal(await page.evaluate(() => window.refIsElement), true, "the ref is the element");
  assert.equal(await page.locator("pilot-house").count(), 1);
  assert.deepEqual(warnings, []);
});

nightly("Vite 7, development and production", async (stage) => {
  const root = app("plain", "vite-7");
  const server = await vite7.createServer({ ...quiet("development").options, root, server: { host: "127.0.0.1", port: 0 } });
  stage.atEnd(() => server.close());
  await server.listen();
  await plays(stage, `http://127.0.0.1:${server.httpServer.address().port}/`);
  await vite7.build({ ...quiet("production").options, root, base: "./" });
  await plays(stage, `${await serveFolders(stage, { "/": join(root, "dist") })}/`);
});

for (const name of ["vite-react", "vite-vue", "vite-svelte", "vite-solid"]) {
  scenario(`Vite's production build, ${name.slice(5)}`, async (stage) => {
    const root = app(name);
    const input = name === "vite-react" ? ["index.html", "element.html"].map((file) => join(root, file)) : undefined;
    const { options, warnings } = quiet("production");
    await build({ ...options, root, base: "./", build: { rolldownOptions: { input }, chunkSizeWarningLimit: 10_000 } });
    assert.deepEqual(warnings, []);
    console.log(`${name}: ${weight(join(root, "dist"))}`);
    const address = await serveFolders(stage, { "/below/a/path/": join(root, "dist") });
    await plays(stage, `${address}/below/a/path/`);
    if (name === "vite-react") await plays(stage, `${address}/below/a/path/element.html`);
  });
}
