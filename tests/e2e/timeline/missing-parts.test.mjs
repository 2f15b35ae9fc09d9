// Tests what is shown while something is missing: events, or a chunk of the program that loads late.

import assert from "node:assert/strict";

import { composerPage, field } from "../support/composer-page.mjs";
import { Script } from "../support/events.mjs";
import { late, push, scenario } from "../support/harness.mjs";

const notification = (event, seq) => ({
  jsonrpc: "2.0",
  method: "session.event",
  params: { sessionId: "boats", event, seq },
});

scenario("events that are missing are told where they are missing", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`, { width: 380 });
  const events = new Script("boats").user("How many boats?").turn().say("A hundred and one.").rest().events;
  await push(page, events.map((event, at) => notification(event, at < 3 ? at + 1 : at + 121)));
  const gap = page.locator('[data-entry="gap"]');
  await gap.filter({ hasText: "Events are missing here: 120" }).waitFor();
  assert.equal(await gap.count(), 1);
  await push(page, `${JSON.stringify({ jsonrpc: "2.0", method: "pilothouse.gap", params: { missing: 1 } })}\n`);
  await gap.filter({ hasText: "An event is missing here" }).waitFor();
});

scenario("a file that is dropped before the part that reads it has come is opened when it has", async (stage) => {
  const log = late(/split_event_log/);
  const page = await stage.embed(await stage.files(), `transport="none"`, { whole: false, prepare: log.hold });
  await page.locator(".bar").waitFor();
  const taken = await page.evaluate((line) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([line], "boats.jsonl"));
    const inside = document.querySelector("pilot-house").shadowRoot.querySelector(".bar");
    const drag = (name) => {
      const event = new DragEvent(name, { dataTransfer, bubbles: true, composed: true, cancelable: true });
      inside.dispatchEvent(event);
      return event.defaultPrevented;
    };
    return [drag("dragover"), drag("drop")];
  }, new Script("boats").user("A session from a file").events.map((event) => JSON.stringify(event)).join("\n"));
  assert.deepEqual(taken, [true, true], "the browser does not leave the page");
  log.come();
  await page.locator('[data-entry="user"]').filter({ hasText: "A session from a file" }).waitFor();
});

scenario("somebody writes and sends before the menus and the queue's list have come", async (stage) => {
  const actions = late(/split_composer_actions/);
  const { page } = await composerPage(stage, { hold: actions.hold });
  await field(page).fill("How many boats?");
  await field(page).press("Enter");
  await page.locator('[data-entry="user"]').filter({ hasText: "How many boats?" }).waitFor();
  await page.locator('pilot-house[data-status="running"]').waitFor();
  await field(page).fill("And how many oars?");
  await field(page).press("Enter");
  await page.waitForFunction(() => document.querySelector("pilot-house").session.snapshot().queue.items?.length === 1);
  await page.locator("[data-mode]").click();
  actions.come();
  await page.locator(".menu-list .menu-line").first().waitFor();
  await page.locator("[data-item]").filter({ hasText: "And how many oars?" }).waitFor();
});
