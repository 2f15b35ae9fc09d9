// Tests the example of a screen on a wall: what is read from afar, and that it goes on by itself when the gateway, the
// network, the token or the page itself changes. The browser's clock is moved on by hand.

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

import { Script } from "../support/events.mjs";
import { BROKEN, PATIENCE, frames, nightly, scenario, violations } from "../support/harness.mjs";
import { originOf } from "../support/origin.mjs";
import { wire } from "../support/proxy.mjs";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const SIZES = [[1920, 1080], [1280, 720], [1080, 1920]];
const VIEWER = "e2e-token-of-the-viewer";
const OPERATOR = "e2e-token-of-the-operator";
const TOKENS = { PILOTHOUSE_TOKEN: OPERATOR, PILOTHOUSE_VIEWER_TOKEN: VIEWER };

const recording = (name) => fileURLToPath(new URL(`../../sessions/${name}/events.jsonl`, import.meta.url));
const asks = (name) =>
  new Script(name).user(`Title of ${name}`).turn().ask(`ask-${name}`, `ls ${name}`).allowed(`ask-${name}`).say("Thank you").rest().events;
const SESSIONS = [
  asks("boats"), recording("user-input"), recording("no-streaming"), recording("reasoning-stream"),
  new Script("rests").user("Title of rests").turn().say("Done").rest().events,
];
const WAITING = 4;

/** Four of five sessions wait; the wall is on one origin with the gateway, `way` leads to it, and a file has the viewer's token. */
async function wall(stage, { width = 1920, height = 1080, token = VIEWER, scheme = "dark", prepare } = {}) {
  const gateway = await stage.serve(SESSIONS, { tokens: TOKENS });
  const way = await wire(stage, gateway);
  const origin = await originOf(stage, ROOT, way.address);
  origin.put("/examples/wall/viewer-token", `${token}\n`);
  const page = await stage.page(`${origin.address}/examples/wall/`, {
    width, height, scheme,
    prepare: async (page) => {
      await page.clock.install();
      await prepare?.(page);
    },
  });
  return { gateway, way, origin, page };
}

const state = (page, word) => page.locator(`body[data-state="${word}"]`).waitFor();
const words = (page) => page.locator("#words").innerText();
const live = async (page) => {
  await state(page, "waiting");
  await page.locator("#count").getByText(String(WAITING), { exact: true }).waitFor();
};

nightly("the wall says how many wait, in letters for four metres, and nothing sticks out", async (stage) => {
  const { page } = await wall(stage);
  await live(page);
  assert.equal(await page.locator("pilot-house-board").getAttribute("data-waiting"), String(WAITING));
  assert.equal(await words(page), "wait for an answer");
  assert.equal(await page.locator("#connection").innerText(), "Live");
  assert.match(await page.locator("#time").innerText(), /^\d\d:\d\d$/);
  assert.equal(await page.locator("[data-session] [data-answer-here]").count(), 0, "a viewer answers nothing");
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    await frames(page);
    const seen = await page.evaluate(() => {
      const { scrollWidth, scrollHeight } = document.documentElement;
      const root = document.querySelector("pilot-house-board").shadowRoot;
      const scroller = root.querySelector("[data-scroller]");
      const outside = [...document.querySelectorAll("header > p, pilot-house-board")].filter((one) => {
        const { left, top, right, bottom } = one.getBoundingClientRect();
        return left < 0 || top < 0 || right > innerWidth || bottom > innerHeight;
      });
      const [first] = root.querySelectorAll("[data-session]");
      const tile = first.getBoundingClientRect();
      const title = first.querySelector(".tile-open > span").getBoundingClientRect();
      return {
        size: [scrollWidth, scrollHeight], outside: outside.map((one) => one.className || one.localName),
        bars: [scroller.offsetWidth - scroller.clientWidth, getComputedStyle(scroller).overflowY],
        whole: tile.bottom <= innerHeight && tile.right <= innerWidth, line: title.height / Math.min(innerWidth, innerHeight),
        pointer: getComputedStyle(document.querySelector("pilot-house-board")).cursor,
      };
    });
    // A line is 22 px where the element's text is 15 px high: so text of 28 px on 1080 lines has lines of 41 px.
    assert.ok(seen.line > 0.0375, `${width}×${height}: lines of ${seen.line}`);
    delete seen.line;
    assert.deepEqual(seen, { size: [width, height], outside: [], bars: [0, "hidden"], whole: true, pointer: "none" }, `${width}×${height}`);
    assert.deepEqual(await violations(page), [], `${width}×${height}`);
  }
});

scenario("with the operator's token the wall is a viewer as well", async (stage) => {
  const { page } = await wall(stage, { token: OPERATOR });
  await live(page);
  assert.equal(await page.locator("[data-session] [data-answer-here]").count(), 0);
});

nightly("when the gateway is gone the wall says that it is old, and how old, and goes on when it is back", async (stage) => {
  const { gateway, page } = await wall(stage);
  await live(page);
  const tiles = await page.locator("[data-session]").count();
  await stage.kill(gateway);
  await state(page, "lost");
  assert.equal(await page.locator("#connection").innerText(), "No connection");
  assert.match(await words(page), /^Out of date since \d\d:\d\d$/);
  assert.equal(await page.locator("[data-session]").count(), tiles, "what was known stays");
  assert.deepEqual(await violations(page), []);
  await page.clock.fastForward("12:10");
  await page.waitForFunction(() => document.querySelector("#words").textContent.endsWith(" (12 min)"));
  await stage.serve(SESSIONS, { tokens: TOKENS, port: new URL(gateway).port });
  await page.clock.runFor(31_000);
  await live(page);
}, { expected: BROKEN });

nightly("a connection that is dead without an end is noticed, although nobody is at the wall", async (stage) => {
  const { way, page } = await wall(stage);
  await live(page);
  await page.waitForFunction(() => document.querySelector("pilot-house-board").dataset.connection === "open");
  way.stop();
  way.halt();
  await page.clock.runFor(60_000);
  await state(page, "lost");
  way.go();
  await page.clock.runFor(31_000);
  await live(page);
}, { expected: BROKEN });

nightly("a new token is taken by itself", async (stage) => {
  const { gateway, origin, page } = await wall(stage);
  await live(page);
  await stage.kill(gateway);
  await state(page, "lost");
  const fresh = "e2e-another-token-of-the-viewer";
  await stage.serve(SESSIONS, { tokens: { ...TOKENS, PILOTHOUSE_VIEWER_TOKEN: fresh }, port: new URL(gateway).port });
  await page.clock.runFor(31_000);
  await page.locator('pilot-house-board[data-connection="closed"]').waitFor();
  await state(page, "lost");
  origin.put("/examples/wall/viewer-token", fresh);
  await page.clock.runFor(61_000);
  await live(page);
}, { expected: BROKEN });

nightly("a new version of the page is loaded when it is whole, but not without a connection", async (stage) => {
  const { gateway, origin, page } = await wall(stage);
  await live(page);
  const marked = () => page.evaluate(() => window.same === true);
  await page.evaluate(() => void (window.same = true));
  /** Moves the clock on until the page has looked for new versions twice more. */
  const looked = async () => {
    for (const _ of [1, 2]) {
      const before = origin.requests.length;
      await page.clock.runFor(61_000);
      const seen = () => origin.requests.slice(before).filter((line) => line.startsWith("HEAD ")).length;
      while (seen() < 5) await new Promise((later) => setImmediate(later));
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    }
  };
  await looked();
  assert.ok(await marked(), "nothing is new");

  await stage.kill(gateway);
  await state(page, "lost");
  origin.change("/examples/wall/wall.css", (text) => `${text}\n:root { outline-color: rgb(1, 2, 3); }\n`);
  await looked();
  assert.ok(await marked(), "there is no connection");
  await stage.serve(SESSIONS, { tokens: TOKENS, port: new URL(gateway).port });
  await page.clock.runFor(31_000);
  await live(page);
  // In steps, because a clock that runs ahead of the network ends the connection that it checks. What is asked of the page
  // while it loads fails.
  for (const end = Date.now() + PATIENCE; await marked().catch(() => false); ) {
    assert.ok(Date.now() < end, "the new version is never loaded");
    await page.clock.runFor(2_000).catch(() => {});
  }
  await live(page);
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).outlineColor), "rgb(1, 2, 3)");
}, { expected: BROKEN });

nightly("the signal breathes once and slowly, and not at all for who wants no motion", async (stage) => {
  const { page } = await wall(stage);
  await live(page);
  const breathes = () => page.evaluate(() => {
    document.querySelector("pilot-house-board").dispatchEvent(new CustomEvent("pilothouse-status", { detail: { waiting: 4, sessions: 4 } }));
    document.querySelector("pilot-house-board").dispatchEvent(new CustomEvent("pilothouse-status", { detail: { waiting: 5, sessions: 5 } }));
    return document.querySelector(".waiting");
  });
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await breathes();
  const timing = () => page.evaluate(() => document.querySelector(".waiting").getAnimations().map((one) => {
    const { duration, iterations } = one.effect.getTiming();
    return { duration, iterations };
  }));
  await page.clock.runFor(100);
  await page.waitForFunction(() => document.querySelector(".waiting").getAnimations().length);
  assert.deepEqual(await timing(), [{ duration: 2400, iterations: 1 }]);
  await page.emulateMedia({ reducedMotion: "reduce" });
  assert.deepEqual(await timing(), []);
});
