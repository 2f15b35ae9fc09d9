// Owns how the functions come that were cut out of the program (`later_bg.wasm`): unasked for, at once where one is called
// before that, and again where they did not come.

import assert from "node:assert/strict";

import { Script } from "./events.mjs";
import { card, push, scenario, snapshot } from "./harness.mjs";

const LATER = /\/later_bg\.wasm$/;

/** What browsers and the program say about a part that does not come. */
const MISSED = [/Failed to load resource: /, /is asked for again/];

/** How the file was asked for, in this order: `fetch`, or `xmlhttprequest`, for which the page waits. */
const asked = (page) => page.evaluate((file) =>
  performance.getEntriesByType("resource").filter(({ name }) => new RegExp(file).test(name)).map(({ initiatorType }) => initiatorType), LATER.source);

/** Waits until the program has it: its functions stand in the table between the files. */
const here = (page) => page.waitForFunction(async () => {
  const { initSync } = await import("/pkg/page.js");
  return initSync().later.get(0) !== null;
});

/** Keeps the file away from who does not wait, until `come` is called. */
function late() {
  let come;
  const coming = new Promise((done) => (come = done));
  const prepare = (page) => page.route(LATER, async (route) => {
    if (route.request().resourceType() === "fetch") await coming;
    await route.continue();
  });
  return { come, prepare };
}

for (const transport of ["ws", "sse"]) {
  scenario(`a usual start waits for nothing that comes later, over ${transport}`, async (stage) => {
    const { come, prepare } = late();
    const page = await stage.embed(await stage.serve(), `transport="${transport}"`, { prepare });
    await card(page).first().waitFor();
    assert.deepEqual(await asked(page), []);
    come();
    await here(page);
    assert.deepEqual(await asked(page), ["fetch"]);
  });
}

scenario("what is called before it has come is loaded at once, and works", async (stage) => {
  const { come, prepare } = late();
  const page = await stage.embed(await stage.serve(), 'transport="none"', { prepare });
  await push(page, new Script("early").user("Is it here?").turn().say("It is.").rest().events);
  const { timeline, session } = await snapshot(page);
  assert.deepEqual([session.id, timeline.map(({ text }) => text).filter(Boolean)], ["early", ["Is it here?", "It is."]]);
  assert.deepEqual(await asked(page), ["xmlhttprequest"]);
  come();
  await page.waitForFunction((file) => performance.getEntriesByType("resource").filter(({ name }) => new RegExp(file).test(name)).length === 2, LATER.source);
  assert.equal((await snapshot(page)).session.id, "early", "it does not matter that it comes again");
});

scenario("it is asked for again when it did not come", async (stage) => {
  let tries = 0;
  const page = await stage.embed(await stage.serve(), 'transport="none"', {
    prepare: (page) => page.route(LATER, (route) => (tries++ ? route.continue() : route.abort())),
  });
  await here(page);
  await push(page, new Script("again").user("Is it here?").rest().events);
  assert.equal((await snapshot(page)).session.id, "again");
  assert.ok(!(await asked(page)).includes("xmlhttprequest"));
  assert.equal(tries, 2);
}, { expected: MISSED });
