// Tests the example of a remote control for one's phone: signing in, answering with a thumb, starting without a network,
// new versions. The service worker is a real one.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { Script } from "../support/events.mjs";
import { BROKEN, PATIENCE, answer, card, nightly, scenario, violations } from "../support/harness.mjs";
import { originOf } from "../support/origin.mjs";
import { serveFolders } from "../support/serve.mjs";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const PHONE = { width: 380, height: 800 };
const OPERATOR = "e2e-token-of-the-operator";
const tokens = { PILOTHOUSE_TOKEN: OPERATOR };

const recording = (name) => fileURLToPath(new URL(`../../sessions/${name}/events.jsonl`, import.meta.url));
/** A session that asks for a permission, and then ends. */
const asks = (name, command) =>
  new Script(name).user(`Title of ${name}`).turn().ask(`ask-${name}`, command).allowed(`ask-${name}`).say("Thank you").rest().events;
const SESSIONS = [asks("boats", "ls boats"), recording("no-streaming")];

const tile = (page, id) => page.locator(`[data-session="${id}"]`);
const connection = (page, word) => page.locator(`pilot-house-board[data-connection="${word}"]`).waitFor();

/** The app below a path, on one origin with a gateway. */
async function app(stage, { access, tokens } = {}) {
  const gateway = await stage.serve(SESSIONS, { access, tokens });
  const origin = await originOf(stage, ROOT, gateway, { base: "/a/path" });
  return Object.assign(origin, { page: `${origin.address}/a/path/examples/phone/` });
}

/** The addresses that the app keeps, by the names of its caches. */
const kept = (page) => page.evaluate(async () => {
  const names = await caches.keys();
  const lists = names.map(async (name) => [name, (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname)]);
  return Object.fromEntries(await Promise.all(lists));
});

/** Waits until an asynchronous function in the page returns true, which `waitForFunction` does not. */
async function eventually(page, holds) {
  for (const end = Date.now() + PATIENCE; !(await page.evaluate(holds)); ) assert.ok(Date.now() < end, `never: ${holds}`);
}

/** Waits until the worker serves the page, and has kept everything that the page has fetched. */
const ready = (page) => eventually(page, async () => {
  if (!navigator.serviceWorker.controller) return false;
  const [name, ...others] = await caches.keys();
  if (!name || others.length) return false;
  const cache = await caches.open(name);
  const fetched = performance.getEntriesByType("resource").map((one) => one.name).filter((name) => name.includes("/dist/pkg/"));
  const all = await Promise.all([location.href.split("#")[0], ...fetched].map((url) => cache.match(url)));
  return fetched.length > 0 && all.every(Boolean);
});

/** For a page's `prepare`: what the worker logs counts as well. */
const hearWorker = (stage) => (page) => page.context().on("serviceworker", (worker) => {
  worker.on("console", (message) => stage.said.push(`[worker ${message.type()}] ${message.text()}`));
});

/** The app is started once more, in the same browser. */
async function startAgain(stage, page, address) {
  const again = await page.context().newPage();
  again.on("console", (message) => {
    if (["warning", "error"].includes(message.type())) stage.said.push(`[${message.type()}] ${message.text()}`);
  });
  again.on("pageerror", (error) => stage.said.push(`[exception] ${error.message}`));
  stage.pages.push(again);
  await again.goto(address);
  return again;
}

scenario("who is not signed in is asked for the token, answers with a thumb, and stays signed in by a cookie", async (stage) => {
  const origin = await app(stage, { tokens });
  const page = await stage.page(origin.page, { ...PHONE, prepare: hearWorker(stage) });
  await page.getByLabel("Token").fill(OPERATOR);
  await page.getByRole("button", { name: "Sign in" }).click();
  await connection(page, "open");
  assert.equal(await page.locator("#offline").isVisible(), false);
  await tile(page, "boats").locator("[data-answer-here]").click();
  const allow = card(page, "ask-boats").locator('[data-answer="approve-once"]');
  await allow.waitFor();
  const box = await allow.boundingBox();
  assert.ok(box.height >= 44 && box.x >= 0 && box.x + box.width <= 380, JSON.stringify(box));
  await answer(page, "ask-boats", "approve-once");
  await tile(page, "boats").getByText("Allowed once").waitFor();
  assert.deepEqual(await violations(page), []);

  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, document.documentElement.outerHTML]));
  assert.ok(!stored.includes(OPERATOR), "no script finds the token");
  const again = await startAgain(stage, page, origin.page);
  await connection(again, "open");
}, { expected: [/Failed to load resource/, /WebSocket connection/] });

nightly("the gateway's link signs in", async (stage) => {
  const origin = await app(stage, { tokens });
  const link = /sign in as operator[^\n]*(\/signin\?code=\w+)/;
  while (!link.test(stage.gatewaySaid.join("\n"))) await new Promise((later) => setImmediate(later));
  // The gateway leads to `/`, which is the proxy's to lead on.
  const page = await stage.page(origin.page, { ...PHONE, prepare: (page) => page.request.get(origin.address + stage.gatewaySaid.join("\n").match(link)[1]) });
  await connection(page, "open");
  await tile(page, "boats").waitFor();
});

nightly("without a server the app starts, says since when, and connects by itself", async (stage) => {
  const origin = await app(stage);
  const page = await stage.page(origin.page, { ...PHONE, prepare: hearWorker(stage) });
  await tile(page, "boats").waitFor();
  await tile(page, "boats").locator("[data-answer-here]").click();
  await card(page, "ask-boats").waitFor();
  await ready(page);
  // What an app could ask the gateway for by itself passes by.
  await page.evaluate(async () => {
    await (await fetch("/api/sessions")).text();
    const stop = new AbortController();
    const stream = await fetch("/api/sessions/boats/events", { signal: stop.signal });
    await stream.body.getReader().read();
    stop.abort();
    await (await fetch("/api/sessions")).text();
  });
  assert.equal(origin.requests.filter((line) => line === "GET /api/sessions").length, 2, "each time of the server");
  const [[name, files]] = Object.entries(await kept(page));
  assert.match(name, /^pilothouse-phone \S+\/a\/path\/examples\/phone\/ [0-9a-f]{16}$/);
  const own = /^\/a\/path\/(?:examples\/phone\/(?:|[\w.-]+|icons\/[\w.-]+)|dist\/pkg\/.+)$/;
  assert.deepEqual(files.filter((file) => !own.test(file)), [], "nothing of the gateway is kept");
  if (!process.env.DEV) assert.ok(files.some((file) => file.endsWith("/split_lens.wasm")), "also the chunks that nobody has needed");

  await origin.stop();
  await page.locator("#offline").getByText(/^No connection since \d/).waitFor();
  assert.deepEqual(await violations(page), []);
  await page.close();
  const again = await startAgain(stage, page, origin.page);
  await again.locator("#offline").getByText(/^No connection since \d/).waitFor();
  await again.getByRole("heading", { name: "Not connected" }).waitFor();
  assert.deepEqual(await violations(again), []);

  await origin.start();
  await connection(again, "open");
  assert.equal(await again.locator("#offline").isVisible(), false);
  await tile(again, "boats").locator("[data-answer-here]").click();
  await answer(again, "ask-boats", "approve-once");
  await tile(again, "boats").getByText("Allowed once").waitFor();
}, { expected: BROKEN });

nightly("without a network it says that it is offline, also at the start, and goes on when there is one", async (stage) => {
  const origin = await app(stage);
  const page = await stage.page(origin.page, { ...PHONE, prepare: hearWorker(stage) });
  await tile(page, "boats").waitFor();
  await ready(page);
  await page.context().setOffline(true);
  await page.locator("#offline").getByText(/^Offline since \d/).waitFor();
  await page.reload();
  await page.locator("#offline").getByText(/^Offline since \d/).waitFor();
  await page.context().setOffline(false);
  await connection(page, "open");
  assert.equal(await page.locator("#offline").isVisible(), false);
}, { expected: BROKEN });

/** Somebody comes back to the app. */
const comeBack = (page) => page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
const colour = (page) => page.evaluate(() => getComputedStyle(document.documentElement).outlineColor);

nightly("a new version is offered and forced upon nobody; after a restart nothing of the old one is left", async (stage) => {
  const origin = await app(stage);
  const page = await stage.page(origin.page, { ...PHONE, prepare: hearWorker(stage) });
  await tile(page, "boats").locator("[data-answer-here]").click();
  await card(page, "ask-boats").waitFor();
  await ready(page);
  // What is imported when it is needed, such as colours in code.
  await page.evaluate(async () => (await fetch("../../dist/pkg/extras/colours.js")).text());
  await ready(page);
  const before = await kept(page);
  await comeBack(page);
  await page.evaluate(() => void (window.same = true));
  assert.equal(await page.locator("#update").isVisible(), false);

  origin.change("/examples/phone/phone.css", (text) => `${text}\n:root { outline-color: rgb(1, 2, 3); }\n`);
  await comeBack(page);
  await page.getByText("A new version is ready.").waitFor();
  assert.deepEqual(await violations(page), []);
  assert.ok(await page.evaluate(() => window.same), "the page goes on");
  await answer(page, "ask-boats", "approve-once");
  await tile(page, "boats").getByText("Allowed once").waitFor();
  // Whoever does not accept keeps the old version, and is offered the new one again.
  await page.reload();
  await page.getByText("A new version is ready.").waitFor();
  assert.notEqual(await colour(page), "rgb(1, 2, 3)");

  await page.evaluate(() => void (window.same = true));
  await page.getByRole("button", { name: "Restart" }).click();
  await page.waitForFunction(() => !window.same);
  await tile(page, "boats").waitFor();
  assert.equal(await colour(page), "rgb(1, 2, 3)");
  assert.equal(await page.locator("#update").isVisible(), false);
  await ready(page);
  const [[name, files]] = Object.entries(await kept(page));
  assert.ok(!(name in before));
  assert.deepEqual(Object.values(before)[0].filter((file) => !files.includes(file)), [], "what was imported later as well");
  await origin.stop();
  await page.reload();
  await page.locator("#offline").getByText(/^No connection since/).waitFor();
  assert.equal(await colour(page), "rgb(1, 2, 3)");
}, { expected: BROKEN });

nightly("a version that is not whole is not installed, and the old one goes on", async (stage) => {
  const origin = await app(stage);
  const page = await stage.page(origin.page, { ...PHONE, prepare: hearWorker(stage) });
  await tile(page, "boats").waitFor();
  await ready(page);
  const before = Object.keys(await kept(page));
  origin.change("/examples/phone/sw.js", (text) => `${text}\n`);
  origin.change("/examples/phone/phone.js", (text) => `${text}\nimport "./missing.js";\n`);
  const failed = page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    return new Promise((done) => registration.addEventListener("updatefound", () => {
      const worker = registration.installing;
      worker.addEventListener("statechange", () => done(worker.state));
    }));
  });
  await comeBack(page);
  assert.equal(await failed, "redundant");
  assert.equal(await page.locator("#update").isVisible(), false);
  await page.reload();
  await tile(page, "boats").waitFor();
  assert.ok(before[0] in (await kept(page)));
}, { expected: BROKEN });

nightly("what waits is a notification for who has allowed it and does not look", async (stage) => {
  const gateway = await stage.serve([asks("boats", "ls boats"), asks("nets", "ls nets")]);
  const origin = await originOf(stage, ROOT, gateway);
  const page = await stage.page(`${origin.address}/examples/phone/`, {
    ...PHONE,
    prepare: (page) => page.context().grantPermissions(["notifications"], { origin: origin.address }),
  });
  await tile(page, "nets").waitFor();
  await ready(page);
  const shown = () => page.evaluate(async () => (await (await navigator.serviceWorker.ready).getNotifications()).map(({ title }) => title));
  assert.deepEqual(await shown(), [], "somebody looks");
  await page.evaluate(() => {
    Object.defineProperty(document, "hidden", { value: true });
    const board = document.querySelector("pilot-house-board");
    for (const waiting of [0, 2]) board.dispatchEvent(new CustomEvent("pilothouse-status", { detail: { waiting, sessions: 2 } }));
  });
  await eventually(page, async () => (await (await navigator.serviceWorker.ready).getNotifications()).length > 0);
  assert.deepEqual(await shown(), ["2 sessions wait for you"]);
});

nightly("from a plain static server the app asks for the token at each start, and keeps it nowhere", async (stage) => {
  let gateway;
  const site = await serveFolders(stage, { "/": ROOT }, { page: (text) => text.replace("<pilot-house-board ", `$&src="${gateway}/" `) });
  gateway = await stage.serve(SESSIONS, { tokens, access: ["--allow-origin", site] });
  const page = await stage.page(`${site}/examples/phone/`, PHONE);
  for (const start of [1, 2]) {
    if (start === 2) await page.reload();
    await page.getByLabel("Token").fill(OPERATOR);
    await page.getByRole("button", { name: "Sign in" }).click();
    await tile(page, "boats").waitFor();
  }
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
  assert.ok(!stored.includes(OPERATOR));
}, { expected: [/Failed to load resource/, /WebSocket connection/] });

nightly("nothing is wider than the narrowest phone, in light and in dark", async (stage) => {
  const origin = await app(stage);
  for (const scheme of ["light", "dark"]) {
    const page = await stage.page(origin.page, { width: 320, height: 640, scheme });
    await tile(page, "boats").waitFor();
    await page.evaluate(() => document.querySelectorAll(".bar").forEach((bar) => {
      bar.hidden = false;
      if (bar.id === "offline") bar.textContent = "Offline since 14:05";
    }));
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
    assert.deepEqual(await violations(page), []);
  }
});

scenario("the manifest's icons are what it says, and there is one for masks", async () => {
  const folder = new URL("../../../examples/phone/", import.meta.url);
  const manifest = JSON.parse(await readFile(new URL("manifest.json", folder), "utf8"));
  for (const { src, sizes, type } of manifest.icons) {
    const bytes = await readFile(new URL(src, folder));
    if (type === "image/png") assert.equal(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, sizes, src);
  }
  assert.deepEqual(manifest.icons.map(({ purpose }) => purpose), ["any", "any", "maskable", "any"]);
});
