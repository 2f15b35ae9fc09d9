// What a person on a phone waits for: our page and the smallest assistant-ui page with the same conversation, in turns, on
// Fast 3G with a CPU four times as slow; and how much is fetched, until the conversation is complete and in the end.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { bundle, forget, serve } from "../browser.mjs";
import { conversation, CONVERSATION } from "../inputs/conversation.mjs";
import { median } from "../numbers.mjs";
import { served } from "./gateway.mjs";

/** Fast 3G: 1.6 Mbit/s down, 750 kbit/s up, 150 ms. */
const FAST_3G = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 750e3 / 8 };
const SLOWER = 4;
/** Too narrow for the panel to open by itself. */
const NARROW = { width: 1000, height: 800 };
/** How long nothing may be fetched before a visit is over, in ms. */
const REST = 4_000;

const PEER = "assistant-ui-approval";
const FIRST_WORDS = CONVERSATION.answer.slice(0, 22);
const PEER_PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>assistant-ui</title>
<div id="root"></div><script type="module" src="./${PEER}.js"></script></html>`;

/** Runs in the page before anything else: when the first words, the approval and the whole conversation are there, in ms. */
const WATCH = `(() => {
  window.seen = {};
  const text = (root) => root?.textContent ?? "";
  const look = () => {
    const host = document.querySelector("pilot-house");
    const root = host ? host.shadowRoot : document.getElementById("root");
    const now = performance.now();
    if (text(root).includes(${JSON.stringify(FIRST_WORDS)})) window.seen.words ??= now;
    // Our page is laid out behind its first screen before it takes that screen's place.
    const isThere = (element) => element?.checkVisibility({ visibilityProperty: true });
    const button = root?.querySelector('[data-answer="approve-once"]');
    // Ours can be read before it can be answered; the peer's is both at once.
    if (isThere(host ? root?.querySelector("[data-request-id]") : button)) window.seen.approval ??= now;
    if (isThere(button) && !button.disabled && button.getAttribute("aria-disabled") !== "true") window.seen.answer ??= now;
    const tool = host ? text(root?.querySelector('[data-entry="tool"]')).includes("2 hits") : true;
    const isWhole = host ? !root?.querySelector(".first-screen") : true;
    if (window.seen.answer && isWhole && root.querySelector("table td") && root.querySelector("pre code") && tool) window.seen.complete ??= now;
    if (!window.seen.complete) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()`;

/** A visit with an empty cache. `slow`: as on a phone. `rest`: until nothing more is fetched. */
function visit(kit, address, { slow, rest }) {
  return kit.page(async ({ page, session }) => {
    await page.setViewportSize(NARROW);
    await session.send("Network.enable");
    await session.send("Network.setCacheDisabled", { cacheDisabled: true });
    await forget(session, address);
    let [bytes, files, last] = [0, new Set(), performance.now()];
    const byId = new Map();
    session.on("Network.responseReceived", ({ requestId, response }) => {
      if (!new URL(response.url).pathname.startsWith("/api/")) byId.set(requestId, response.url);
    });
    session.on("Network.dataReceived", ({ requestId, encodedDataLength }) => {
      if (!byId.has(requestId)) return;
      bytes += encodedDataLength;
      files.add(byId.get(requestId));
      last = performance.now();
    });
    if (slow) {
      await session.send("Network.emulateNetworkConditions", FAST_3G);
      await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
    }
    await page.addInitScript(WATCH);
    await page.goto(address, { waitUntil: "commit" });
    await page.waitForFunction(() => window.seen.complete, undefined, { timeout: 60_000, polling: 50 });
    const complete = bytes;
    while (rest && performance.now() - last < REST) await new Promise((done) => setTimeout(done, 100));
    return { ...(await page.evaluate("window.seen")), bytes: complete, all: bytes, files: files.size };
  }, "");
}

export async function network(kit, { quick }) {
  const folder = join(kit.out, "bundles", PEER);
  await mkdir(folder, { recursive: true });
  await bundle(new URL(`../bundles/${PEER}.jsx`, import.meta.url).pathname, folder);
  await writeFile(join(folder, "index.html"), PEER_PAGE);
  const server = await serve({ peer: folder }, { brotli: true });
  try {
    return await served(kit, conversation(), async (address) => {
      const pages = { pilothouse: address, "assistant-ui": `${server.address}/peer/index.html` };
      const runs = { pilothouse: [], "assistant-ui": [] };
      for (let round = 0; round < (quick ? 1 : 5); round += 1) {
        for (const [name, page] of Object.entries(pages)) runs[name].push(await visit(kit, page, { slow: true }));
      }
      const middle = (name, key) => median(runs[name].map((run) => run[key]));
      const found = {};
      for (const name of Object.keys(pages)) {
        found[name] = { words: middle(name, "words"), approval: middle(name, "approval"), answer: middle(name, "answer"), complete: middle(name, "complete"), bytes: middle(name, "bytes") };
        const { words, approval, answer, complete, bytes } = found[name];
        kit.say(`${name}: words ${words.toFixed(0)} ms, approval ${approval.toFixed(0)}, answer ${answer.toFixed(0)}, complete ${complete.toFixed(0)} ms with ${(bytes / 1e3).toFixed(0)} kB`);
      }
      const end = await visit(kit, address, { rest: true });
      kit.say(`in the end ${(end.all / 1e3).toFixed(0)} kB in ${end.files} files`);
      return { ...found, end: { bytes: end.all, files: end.files } };
    });
  } finally {
    server.close();
  }
}
