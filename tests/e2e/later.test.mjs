// Owns how the functions come that were cut out of the program (`later_bg.wasm`): unasked for, at once where one is called
// before that, and again where they did not come.

import assert from "node:assert/strict";

import { Script } from "./events.mjs";
import { frames, push, scenario, snapshot } from "./harness.mjs";

const LATER = /\/later_bg\.wasm$/;

/** What browsers and the program say about a part that does not come. */
const MISSED = [/Failed to load resource: /, /is asked for again/, /Failed to fetch/];

/** Waits until the program has it: its functions stand in the table between the files. */
const here = (page) => page.waitForFunction(async () => {
  const { initSync } = await import("/pkg/page.js");
  return initSync().later.get(0) !== null;
});

/** Waits until the agent waits for a person. What that looks like comes later still. */
const waits = (page) => page.locator('pilot-house[data-status="waiting"]').waitFor();

/**
 * Notes how the file is asked for: `fetch`, or `xhr`, for which the page waits. Keeps it away from who does not wait until
 * `come` is called, and `fail` first tries get nothing.
 */
function line({ fail = 0 } = {}) {
  const asked = [];
  let come;
  const coming = new Promise((done) => (come = done));
  const prepare = (page) => page.route(LATER, async (route) => {
    asked.push(route.request().resourceType());
    if (asked.length <= fail) return route.abort();
    if (asked.at(-1) === "fetch") await coming;
    await route.continue();
  });
  return { asked, come, prepare };
}

for (const transport of ["ws", "sse"]) {
  scenario(`a usual start waits for nothing that comes later, over ${transport}`, async (stage) => {
    const { asked, come, prepare } = line();
    const page = await stage.embed(await stage.serve(), `transport="${transport}"`, { prepare, whole: false });
    await waits(page);
    come();
    await here(page);
    assert.deepEqual(asked, ["fetch"]);
  });
}

scenario("what is called before it has come is loaded at once, and works", async (stage) => {
  const { asked, come, prepare } = line();
  const page = await stage.embed(await stage.serve(), 'transport="none"', { prepare, whole: false });
  await push(page, new Script("early").user("Is it here?").turn().say("It is.").rest().events);
  const { timeline, session } = await snapshot(page);
  assert.deepEqual([session.id, timeline.map(({ text }) => text).filter(Boolean)], ["early", ["Is it here?", "It is."]]);
  assert.deepEqual(asked, ["fetch", "xhr"]);
  const arrives = page.waitForResponse(LATER);
  come();
  await (await arrives).finished();
  assert.equal((await snapshot(page)).session.id, "early", "it does not matter that it comes again");
});

scenario("who waits for load() calls nothing that the page has to wait for", async (stage) => {
  const { asked, come, prepare } = line();
  const page = await stage.embed(await stage.serve(), 'transport="none"', { prepare, whole: false });
  await page.evaluate(() => {
    window.loaded = false;
    window.loading = import("/pkg/index.js").then(({ load }) => load()).then(() => (window.loaded = true));
  });
  await page.waitForFunction(() => performance.getEntriesByName(`${location.origin}/pkg/page_bg.wasm`).length);
  await frames(page);
  assert.equal(await page.evaluate(() => window.loaded), false);
  come();
  await page.evaluate(() => window.loading);
  await push(page, new Script("ready").user("Is it here?").turn().say("It is.").rest().events);
  assert.equal((await snapshot(page)).session.id, "ready");
  assert.deepEqual(asked, ["fetch"]);
});

scenario("it is asked for again when it did not come", async (stage) => {
  const { asked, come, prepare } = line({ fail: 1 });
  come();
  const page = await stage.embed(await stage.serve(), 'transport="none"', { prepare });
  await here(page);
  await push(page, new Script("again").user("Is it here?").rest().events);
  assert.equal((await snapshot(page)).session.id, "again");
  // By itself, or because something is called before it does.
  assert.equal(asked.length, 2);
}, { expected: MISSED });
