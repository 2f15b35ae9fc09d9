// Tests that the timeline stays at its end while the reader follows it, and scrolls there for the reader's
// own message. Jumps and windowing are tested in jumps.test.mjs.

import assert from "node:assert/strict";

import { frames, scenario, until } from "../support/harness.mjs";
import { field, queueUp, composerPage, working } from "../support/composer-page.mjs";

const LONG = "The boats lie at the pier, one beside the other, and nobody is on them.\n\n".repeat(8);

/** A session that is longer than the screen. */
const long = (runtime) => {
  for (let turn = 0; turn < 12; turn += 1) runtime.script.user(`Question ${turn}`).turn().say(LONG).add("assistant.turn_end", { turnId: "0" });
  runtime.script.add("session.idle", { mode: "interactive" }, { ephemeral: true });
};

/** The distance in pixels from the lower edge of the viewport to the end. */
const below = (page) => page.evaluate(() => {
  const list = document.querySelector("pilot-house").shadowRoot.querySelector("[data-scroller]");
  return list.scrollHeight - list.clientHeight - list.scrollTop;
});

const atEnd = (page) => page.waitForFunction(() => {
  const root = document.querySelector("pilot-house").shadowRoot;
  const list = root.querySelector("[data-scroller]");
  return list.scrollHeight - list.clientHeight - list.scrollTop < 2 && !root.querySelector(".jump:not(.waits, .waits-list)");
});

/** Scrolls up. */
async function readUp(page) {
  await page.evaluate(() => void (document.querySelector("pilot-house").shadowRoot.querySelector("[data-scroller]").scrollTop -= 900));
  await page.locator(".jump").waitFor();
}

/** Adds an answer and waits until it is visible. */
async function goesOn(page, runtime, words) {
  await frames(page);
  runtime.script.say(`${LONG}${words}`);
  runtime.tell();
  await until(page, (view, words) => view.timeline.some(({ text }) => text.endsWith(words)), words);
  await frames(page);
  await frames(page);
  assert.ok((await below(page)) < 2, `${words}: the end is ${await below(page)} px further down`);
}

const act = (page, text, name) => page.locator("[data-item]", { hasText: text }).locator(`[data-act="${name}"]`);
const first = (page, text) => page.waitForFunction((text) => {
  const item = document.querySelector("pilot-house").shadowRoot.querySelector("[data-item]:not([data-changing])");
  return item?.textContent.includes(text);
}, text);

/** Counts how often the focus is nowhere after the task in which an element lost it. */
const countLostFocus = (page) => page.evaluate(() => {
  const root = document.querySelector("pilot-house").shadowRoot;
  window.lostFocus = 0;
  root.addEventListener("focusout", () => setTimeout(() => (window.lostFocus += root.activeElement ? 0 : 1)));
});

scenario("whoever follows goes on following when the queue is changed, by pointer and by keys", async (stage) => {
  const { page, runtime } = await working(stage, { prepare: long });
  await queueUp(page, "alpha", "bravo", "charlie");
  await atEnd(page);
  await act(page, "bravo", "up").click();
  await first(page, "bravo");
  await goesOn(page, runtime, "moved by pointer");
  await act(page, "charlie", "up").focus();
  await countLostFocus(page);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await first(page, "charlie");
  assert.equal(await page.evaluate(() => window.lostFocus), 0, "a key that is pressed while the list changes must not be lost");
  await goesOn(page, runtime, "moved by keys");
  await act(page, "bravo", "edit").click();
  await field(page).fill("bravo, changed");
  await field(page).press("Enter");
  await page.locator("[data-item]:not([data-changing])", { hasText: "bravo, changed" }).waitFor();
  await goesOn(page, runtime, "changed");
  await act(page, "alpha", "remove").click();
  await page.locator("[data-dropped]").waitFor();
  await goesOn(page, runtime, "taken out");
  await page.locator("[data-discard]").click();
  await goesOn(page, runtime, "discarded");
  await act(page, "charlie", "now").click();
  await page.locator("[data-steering]").waitFor();
  await goesOn(page, runtime, "sent now");
  await act(page, "bravo", "remove").click();
  await page.locator("[data-item]").waitFor({ state: "detached" });
  await goesOn(page, runtime, "emptied");
});

scenario("one's own message leads to the end, and one that waits leaves the reader where they are", async (stage) => {
  const { page, runtime } = await composerPage(stage, { prepare: long });
  await atEnd(page);
  await readUp(page);
  await field(page).fill("Main task");
  await field(page).press("Enter");
  await atEnd(page);
  await page.locator('pilot-house[data-status="running"]').waitFor();
  await goesOn(page, runtime, "begun");

  await readUp(page);
  const place = await below(page);
  await queueUp(page, "later");
  await frames(page);
  assert.ok((await below(page)) >= place, "what is read stays");
  await field(page).fill("at once");
  await field(page).press("Control+Enter");
  await atEnd(page);
  await goesOn(page, runtime, "steered");
});
