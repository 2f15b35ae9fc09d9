// Tests that fast answers don't restart an animation with each block and don't allocate
// memory again and again.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { nightly, push, watchMemory } from "../support/harness.mjs";

const MB = 1_000_000;

nightly("the mark behind the last word is steady while words come, pulses while none do, and goes with the last", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`, {
    prepare: (page) => page.emulateMedia({ reducedMotion: "no-preference" }),
  });
  const script = new Script();
  await push(page, script.user("Write").turn().begin("m", "The boat lies at the pier.\n\nIt waits").take());
  const text = page.locator('[data-id="m"] .prose');
  const mark = () =>
    text.locator("> :last-child").evaluate((last) => {
      const { content, animationName } = getComputedStyle(last, "::after");
      return content === "none" ? content : animationName;
    });
  await page.locator('[data-id="m"] [data-rests]').waitFor();
  assert.equal(await mark(), "pulse");

  // Streaming may go on before the test looks, so changes are recorded as they happen.
  await text.evaluate((text) => {
    window.rested = [];
    new MutationObserver(() => {
      const { animationName } = getComputedStyle(text.lastElementChild, "::after");
      window.rested.push(`${text.hasAttribute("data-rests")} ${animationName}`);
    }).observe(text, { attributes: true, attributeFilter: ["data-rests"] });
  });
  await push(page, script.more("m", " for the tide.\n\nThen it").take());
  await page.waitForFunction(() => window.rested.length === 2);
  assert.deepEqual(await page.evaluate(() => window.rested), ["false none", "true pulse"]);

  await push(page, script.say("The boat lies at the pier.\n\nIt waits for the tide.\n\nThen it sails.", "m").take());
  assert.equal(await mark(), "none");
  assert.equal(await page.locator("[data-rests]").count(), 0);
});

nightly("an answer that comes quicker than frames do takes the memory that it needs, and not a room for each frame", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`, { prepare: (page) => page.addInitScript(watchMemory) });
  const script = new Script();
  await push(page, script.user("Write").turn().begin("m").take());
  const pieces = Array.from({ length: 400 }, (_, number) => `Paragraph ${number}. ${"The boat waits. ".repeat(4)}\n\n`);
  const many = pieces.flatMap((piece) => script.more("m", ...piece.match(/.{1,2}/gs)).take());
  assert.ok(many.length > 12_000, `${many.length} deltas`);
  // Like a program that reads a socket: one event a push, and the page gets a turn after every fifty.
  const taken = await page.evaluate(async (events) => {
    const element = document.querySelector("pilot-house");
    const lines = events.map((event) => new TextEncoder().encode(`${JSON.stringify(event)}\n`));
    const { port1, port2 } = new MessageChannel();
    const turn = () => new Promise((done) => ((port1.onmessage = done), port2.postMessage(0)));
    const memory = () => window.memory.buffer.byteLength;
    const before = memory();
    for (let at = 0; at < lines.length; at += 50) {
      for (const line of lines.slice(at, at + 50)) element.push(line);
      await turn();
    }
    while (element.hasAttribute("data-reading")) await turn();
    return memory() - before;
  }, many);
  assert.ok(taken < 3 * MB, `${(taken / MB).toFixed(1)} MB`);
});
