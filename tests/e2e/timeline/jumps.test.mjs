// Tests the cost of jumps through a long session: rows passed on the way are minimal, none is rendered for
// nothing, and rows where the reader stops are complete. Rows are counted, under a simulated clock.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { frames, nightly, push, scenario } from "../support/harness.mjs";

/** Turns with an answer of varying length, a call on one line, a failed call, and one that shows a diff. */
function session(turns = 150) {
  const script = new Script("jump");
  for (let turn = 0; turn < turns; turn += 1) {
    script.user(`Question ${turn}: what about boat ${turn}?`, `user-${turn}`).turn(`${turn}`);
    script.shell(`shell-${turn}`, `ls boats/${turn}`).complete(`shell-${turn}`, "boat\n");
    script.add("tool.execution_start", { toolCallId: `edit-${turn}`, toolName: "edit", arguments: { path: `/workspace/boats/${turn}.md` } });
    script.complete(`edit-${turn}`, `a line about boat ${turn} and its pier\n`.repeat(1 + (turn % 40)));
    script.add("tool.execution_start", { toolCallId: `fails-${turn}`, toolName: "view", arguments: { path: `/workspace/${turn}` } });
    script.add("tool.execution_complete", { toolCallId: `fails-${turn}`, success: false, error: { message: "no such boat\n".repeat(30), code: "failure" } });
    script.say(`Answer ${turn}.\n\n${"- It lies at the pier, as it did before.\n".repeat(turn % 9)}`, `said-${turn}`);
  }
  return script;
}

const rows = (page) => page.evaluate(() => {
  const root = document.querySelector("pilot-house").shadowRoot;
  return [...root.querySelectorAll("article")].map((row) => [row.dataset.id, row.querySelectorAll(".actions").length]);
});

/**
 * Scrolls to a fraction of the whole height. Returns the rows that this renders, each
 * with its number of button sets.
 */
const jump = (page, part) => page.evaluate(async (part) => {
  const scroller = document.querySelector("pilot-house").shadowRoot.querySelector("[data-scroller]");
  scroller.scrollTop = scroller.scrollHeight * part;
  scroller.dispatchEvent(new Event("scroll"));
  // Effects of a signal run in microtasks.
  for (let turn = 0; turn < 9; turn += 1) await null;
  const made = [...scroller.querySelectorAll("article")];
  return made.map((row) => [row.dataset.id, row.querySelectorAll(".actions").length]);
}, part);

scenario("rows that a reader passes by have no buttons, and get them where the reader stays", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`);
  await push(page, session().events);
  await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.querySelector(".actions"));
  // The page's own timer (80 ms) is over before this one is: the clock could not clear one from before its time.
  await page.evaluate(() => new Promise((done) => setTimeout(done, 100)));
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 10_000);
  const passed = await jump(page, 1 / 3);
  assert.ok(passed.length > 0, "rows were made");
  assert.deepEqual(passed.filter(([, buttons]) => buttons > 0), []);
  const before = new Set(passed.map(([id]) => id));
  await page.clock.runFor(200);
  await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.querySelector(".actions"));
  await page.clock.runFor(200);
  const stayed = await rows(page);
  assert.ok(stayed.some(([id]) => before.has(id)), "what was made stays");
  assert.deepEqual(stayed.filter(([, buttons]) => buttons !== 1), []);

  await jump(page, 2 / 3);
  // The frame that would add the buttons there is already scheduled.
  await page.clock.runFor(81);
  const again = await jump(page, 1 / 2);
  assert.ok(again.length > 0, "rows were made");
  await page.clock.runFor(20);
  assert.deepEqual((await rows(page)).filter(([, buttons]) => buttons > 0), [], "not for whoever has gone on");
  await page.clock.runFor(200);
  await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.querySelector(".actions"));
});

scenario("a jump makes the rows that are in sight and few others, also where some are open", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`, { width: 1280 });
  await push(page, session().events);
  await frames(page);
  const jumps = await page.evaluate(async () => {
    const scroller = document.querySelector("pilot-house").shadowRoot.querySelector("[data-scroller]");
    const column = scroller.querySelector(".column");
    const jumps = [];
    for (let place = 1; place < 10; place += 1) {
      let made = 0;
      const observer = new MutationObserver((changes) => {
        for (const { addedNodes } of changes) made += [...addedNodes].filter((node) => node.localName === "article").length;
      });
      observer.observe(column, { childList: true });
      scroller.scrollTop = (scroller.scrollHeight * ((place * 7) % 10)) / 10;
      // Wait for the drawn frame only; more comes once the reader stops scrolling.
      await new Promise((done) => requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = done;
        port2.postMessage(0);
      }));
      observer.disconnect();
      const { top, bottom } = scroller.getBoundingClientRect();
      const seen = [...column.querySelectorAll("article")].filter((row) => {
        const box = row.getBoundingClientRect();
        return box.bottom > top && box.top < bottom;
      });
      jumps.push([made, seen.length]);
    }
    return jumps;
  });
  const spare = jumps.map(([made, seen]) => made - seen);
  assert.ok(jumps.every(([, seen]) => seen > 0), "nothing is ever empty");
  assert.ok(spare.reduce((sum, more) => sum + more) / spare.length <= 4, `made and seen: ${JSON.stringify(jumps)}`);
});

/** The wasm's memory in pages of 64 KiB, after each of three rounds of jumping through a scroller. */
const rounds = (page, scroller) =>
  page.evaluate(async (scroller) => {
    const { memory } = (await import("/pkg/page.js")).initSync();
    const place = document.querySelector("pilot-house").shadowRoot.querySelector(scroller);
    const round = async () => {
      for (let jump = 0; jump < 400; jump += 1) {
        place.scrollTop = (place.scrollHeight * ((jump * 7) % 10)) / 10;
        place.dispatchEvent(new Event("scroll"));
        // Effects of a signal run in microtasks.
        for (let turn = 0; turn < 9; turn += 1) await null;
      }
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      return memory.buffer.byteLength / 65536;
    };
    return [await round(), await round(), await round()];
  }, scroller);

for (const [what, scroller] of [["rows", "[data-scroller]"], ["lines of the model's view", "[data-lens-scroller]"]]) {
  nightly(`${what} that have gone leave nothing behind`, async (stage) => {
    const page = await stage.embed(await stage.files(), `transport="none"`, { width: 1400 });
    await push(page, session().events);
    if (scroller === "[data-lens-scroller]") {
      await page.locator("[data-model-lens]").click();
      await page.locator("[data-message]").first().waitFor();
    }
    await frames(page);
    const pages = await rounds(page, scroller);
    // With two thousand rows a round, a leak of 32 bytes per row fills a page of memory.
    assert.ok(pages[2] - pages[1] <= 1, `pages of memory after each round: ${pages}`);
  });
}
