// Tests the first screen of the board: its first tiles come with the page, and the board takes their place in one frame, where the
// reader is. The program is held back as long as a test looks at them.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { held, played, rows, taken } from "../support/first-screen.mjs";
import { IN_FIREFOX, frames, inPage, scenario } from "../support/harness.mjs";

const BOARD = "pilot-house-board";
const TALL = Array.from({ length: 30 }, (_, line) => `echo ${line}`).join("\n");

const begun = (name) => new Script(name).user(`Title of ${name}`).turn();
const waits = (name, command) => begun(name).ask(`ask-${name}`, command).events;
const idle = (name) => begun(name).say("Done").rest().events;

/** Two sessions that wait, one of them with more than the list beside a session has room for, one at work, and many at rest. */
const SESSIONS = [
  idle("first"),
  waits("short", "ls b\u200Boats"),
  begun("works").begin("m", "Still at it").events,
  waits("tall", TALL),
  ...Array.from({ length: 20 }, (_, number) => idle(`rests-${number}`)),
];

const first = (page) => page.locator(".first-screen");
const tiles = (page) => rows(page, BOARD);

/** The pictures of the words of the first tiles, without their feet: what can be pressed looks otherwise before it is live. */
async function pictures(page) {
  const boxes = await page.evaluate(() => {
    const root = document.querySelector("pilot-house-board").shadowRoot;
    return [...root.querySelectorAll(".ph .tile")].slice(0, 3).map((tile) => {
      const { x, y, width } = tile.getBoundingClientRect();
      return { x, y, width, height: tile.querySelector(".tile-foot").getBoundingClientRect().top - y };
    });
  });
  // One after the other, of the same frame of the page.
  const all = [];
  for (const clip of boxes) all.push(await page.screenshot({ clip }));
  return all;
}

/** Opens the page, looks at the first screen, has the program come, and fails if anything has moved. */
async function stays(stage, address, options, { compare = false } = {}) {
  const { page, come } = await held(stage, address, options);
  await first(page).waitFor();
  await frames(page);
  const before = await tiles(page);
  // For a picture in Firefox Playwright adds a style sheet, which the page's policy refuses.
  const seen = compare && !IN_FIREFOX ? await pictures(page) : [];
  come();
  await taken(page, BOARD);
  assert.deepEqual(await tiles(page), before);
  if (!IN_FIREFOX) assert.deepEqual(await page.evaluate(() => window.shifts), []);
  await frames(page);
  const after = seen.length ? await pictures(page) : [];
  assert.ok(seen.every((picture, at) => picture.equals(after[at])), "the tiles look as they did");
  return { page, before };
}

for (const [width, height] of [[1400, 900], [380, 780]]) {
  scenario(`at ${width} pixels every tile is where it was when the board takes over`, async (stage) => {
    const { address } = await played(stage, SESSIONS);
    for (const scheme of ["light", "dark"]) {
      const { page, before } = await stays(stage, address, { width, height, scheme }, { compare: true });
      assert.deepEqual(before.slice(0, 3).map(([id]) => id), ["short", "tall", "works"], "what waits comes first");
      await page.getByText("zero-width space").first().waitFor();
      await page.context().close();
    }
  });
}

scenario("what is open, a list and groups are as the reader has left them", async (stage) => {
  const { address } = await played(stage, SESSIONS);
  const kept = (settings) => ({
    width: 1400,
    height: 900,
    prepare: (page) => page.addInitScript((settings) => {
      // A frame that has no origin has no storage.
      if (origin !== "null") settings.forEach(([name, value]) => localStorage.setItem(`pilothouse.${name}`, value));
    }, settings),
  });
  await stays(stage, address, kept([["board.list", "on"]]), { compare: true });
  await stays(stage, address, kept([["board.group", "status"]]), { compare: true });
  await stays(stage, address, kept([["board.group", "repository"], ["board.list", "on"]]));
  const { page, before } = await stays(stage, `${address}/#session=tall`, kept([]));
  assert.ok(before.every(([, left, , width]) => left === 0 && width <= 320), "the list beside the session");
  await page.locator(`${BOARD} [data-session=short] [data-request-id=ask-short]`).waitFor();
  await page.locator("pilot-house[session=tall]").waitFor();
});

scenario("a link opens its session before the program is there, and nothing can be answered yet", async (stage) => {
  const { address } = await played(stage, SESSIONS);
  const { page, come } = await held(stage, address, { width: 1400, height: 900 });
  const answer = first(page).getByRole("button", { name: "Answer" }).first();
  assert.deepEqual([await answer.isEnabled(), await answer.getAttribute("title")], [false, "Being loaded"]);
  assert.equal(await first(page).locator("button:enabled, input:enabled, select:enabled").count(), 0);
  await first(page).getByRole("link", { name: "Title of works" }).click();
  await page.waitForURL(/#session=works$/);
  await first(page).locator(".pane").waitFor();
  await frames(page);
  // Beside a session what is short has its cards, and what is tall has a button.
  assert.equal(await first(page).locator(".tile-asks [data-request-id=ask-short]").count(), 1);
  assert.equal(await first(page).locator("button:enabled").count(), 0);
  const before = await tiles(page);
  await page.evaluate(() => history.back());
  await first(page).locator(".pane").waitFor({ state: "detached" });
  assert.equal(await first(page).locator(".tile-asks").count(), 0);
  await page.evaluate(() => history.forward());
  await first(page).locator(".pane").waitFor();
  come();
  await taken(page, BOARD);
  assert.deepEqual(await tiles(page), before);
  await page.locator("pilot-house[session=works]").waitFor();
  assert.equal(await page.evaluate(() => document.querySelector("pilot-house-board").shadowRoot.activeElement?.className), "pane");
});

scenario("the reader's place and focus stay", async (stage) => {
  const { address } = await played(stage, SESSIONS);
  const { page, come } = await held(stage, address, { width: 380, height: 780 });
  await first(page).waitFor();
  await page.mouse.move(190, 400);
  await page.mouse.wheel(0, 700);
  await page.waitForFunction(inPage(`document.querySelector("pilot-house-board").shadowRoot.querySelector(".board-scroll").scrollTop > 600`));
  await frames(page);
  const before = await tiles(page);
  const id = before[2][0];
  await page.evaluate((id) => {
    const root = document.querySelector("pilot-house-board").shadowRoot;
    root.querySelector(`[data-session="${id}"] a`).focus({ preventScroll: true });
  }, id);
  come();
  await taken(page, BOARD);
  await frames(page);
  assert.deepEqual(await tiles(page), before);
  const focused = await page.evaluate(() => document.querySelector("pilot-house-board").shadowRoot.activeElement?.closest("[data-session]")?.dataset.session);
  assert.equal(focused, id);
  if (!IN_FIREFOX) assert.deepEqual(await page.evaluate(() => window.shifts.filter(([value]) => value > 0)), []);
});

scenario("without a script the page is the board as it stood, and says so", async (stage) => {
  const { address } = await played(stage, SESSIONS);
  const context = await (await stage.page("about:blank")).context().browser().newContext({ javaScriptEnabled: false });
  stage.atEnd(() => context.close());
  const page = await context.newPage();
  await page.goto(address);
  await page.getByText("JavaScript is off. These are the sessions as they stood").waitFor();
  assert.equal(await page.locator(".first-note").first().isVisible(), false);
  const tile = page.locator(".tile").first();
  assert.match(await tile.innerText(), /Waiting for you[\s\S]*asked \d{4}-\d\d-\d\d \d\d:\d\d UTC[\s\S]*Run ls/i);
  assert.equal(await tile.getByRole("link").getAttribute("href"), "#session=short");
}, { skip: IN_FIREFOX && "Playwright can't turn its scripts off" });
