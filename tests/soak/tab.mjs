// A tab with a host page that makes elements, and what it needs.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";

import { wire } from "../e2e/support/proxy.mjs";
import { serve } from "./process.mjs";
import { repository } from "./report.mjs";

const { chromium } = createRequire(repository("tests/e2e/package.json"))("playwright-core");

const HOST = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Soak</title>
  <link rel="icon" href="data:,"><style>body { margin: 0 } pilot-house { display: block; height: 100vh }</style>
  <script type="module">
    import { load } from "/pkg/index.js";
    import * as events from "/events.js";
    await load();
    const first = document.createElement("pilot-house");
    first.setAttribute("transport", "none");
    document.body.append(first);
    window.events = events;
  </script></html>`;

/**
 * Opens a host page on the origin of a gateway, in a browser. `stage.atEnd` is told how to end them. What the page says on its
 * console is added to `said`.
 */
export async function open(stage, said) {
  const { gateway, address: served } = await serve();
  stage.atEnd(() => gateway.kill());
  const files = { "/events.js": await readFile(new URL("events.mjs", import.meta.url), "utf8") };
  const { address } = await wire(stage, served, { page: HOST, files });
  const { args } = JSON.parse(await readFile(repository("webdriver.json"), "utf8"))["goog:chromeOptions"];
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? onPath("chromium"), args });
  stage.atEnd(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1000, height: 800 }, reducedMotion: "reduce" });
  page.on("console", (message) => {
    if (["warning", "error"].includes(message.type())) said.push(message.text());
  });
  page.on("requestfailed", (request) => said.push(`${request.url()}: ${request.failure().errorText}`));
  page.on("pageerror", (error) => said.push(error.message));
  await page.goto(`${address}/host`);
  // The chunks that nearly every session needs, so that no session has to wait for them.
  await page.waitForFunction((chunks) => {
    const files = performance.getEntriesByType("resource").filter(({ responseEnd }) => responseEnd > 0);
    return window.events && chunks.every((chunk) => files.some(({ name }) => name.endsWith(`/split_${chunk}.wasm`)));
  }, ["words", "details", "requests", "questions", "tools", "edits"]);
  return page;
}

/** A program in one of the folders of the path. */
function onPath(name) {
  const found = process.env.PATH.split(delimiter).map((folder) => join(folder, name)).find(existsSync);
  assert.ok(found, "CHROMIUM names the browser");
  return found;
}

/** What the tab needs now, after garbage collection. */
export async function needed(page, inspector) {
  const wasm = await page.evaluate(async () => (await (await import("/pkg/page.js")).default()).memory.buffer.byteLength);
  for (let times = 0; times < 2; times += 1) await inspector.send("HeapProfiler.collectGarbage");
  const { usedSize, backingStorageSize } = await inspector.send("Runtime.getHeapUsage");
  const { nodes, jsEventListeners: listeners } = await inspector.send("Memory.getDOMCounters");
  return { heap: usedSize / 1e6, stored: backingStorageSize / 1e6, wasm: wasm / 1e6, nodes, listeners };
}
