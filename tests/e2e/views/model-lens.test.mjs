// Tests the model lens on the page: opening and closing, marks, content, synchronous scrolling. How entries
// relate to messages is tested in the core.

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

import { Script } from "../support/events.mjs";
import { frames, inBothSchemes, nightly, playThrough, push, scenario, violations } from "../support/harness.mjs";

const recording = (name) => fileURLToPath(new URL(`../../sessions/${name}/persisted.jsonl`, import.meta.url));

const lens = (page) => page.locator(".lens");
const toggle = (page) => page.locator("[data-model-lens]");

/** Presses the lens button, which is in the menu where the header is narrow. */
async function press(page) {
  const menu = page.getByRole("button", { name: "Menu" });
  if (await menu.isVisible()) await menu.click();
  await toggle(page).click();
}

/** Predicates for the end of each recording. */
const messages = (number) => `(view) => view.modelContext.length >= ${number} && view.session.status !== "running"`;
const ENDED = {
  "compaction-manual-auto": `(view) => view.timeline.some(({ kind, state }) => kind === "compaction" && state === "done")`,
  "large-output-and-async-shell": messages(12),
  "queue-and-steer": messages(16),
  subagents: messages(14),
};

/** A page on a recording that was played to its end, with the lens open. */
async function opened(stage, name, options) {
  const page = await stage.page(await stage.serve([recording(name)]), { width: 1400, ...options });
  await playThrough(page, ENDED[name]);
  await press(page);
  await page.locator("[data-message]").first().waitFor();
  await frames(page);
  return page;
}

/** What has the focus: a line of the lens, an entry, or a label. */
const focused = (page) =>
  page.evaluate(() => {
    const active = document.querySelector("pilot-house").shadowRoot.activeElement;
    return active?.dataset.message ?? active?.dataset.id ?? active?.getAttribute("aria-label") ?? active?.localName;
  });

scenario("of another agent it says what is missing", async (stage) => {
  for (const [producer, says] of [["Gemini CLI", true], ["copilot-agent", false]]) {
    const script = new Script(`of-${producer}`).user("Look").turn().say("Done").rest();
    script.events[0].data.producer = producer;
    const page = await stage.page(await stage.serve([script.events]), { width: 1400 });
    await page.getByText("Done", { exact: true }).waitFor();
    await press(page);
    await page.locator("[data-message]").first().waitFor();
    const words = lens(page).getByText("Gemini CLI does not tell all that its model is given");
    assert.equal(await words.count(), says ? 1 : 0);
    if (says) await inBothSchemes(page, async () => assert.deepEqual(await violations(page), []));
  }
});

scenario("the button, the key and Escape open and close it; the focus is never lost", async (stage) => {
  const page = await opened(stage, "queue-and-steer");
  assert.equal(await toggle(page).getAttribute("aria-pressed"), "true");
  await page.keyboard.press("m");
  await lens(page).waitFor({ state: "detached" });
  await page.locator("[data-scroller]").focus();
  await page.keyboard.press("m");
  await page.locator("[data-message]").first().waitFor();
  await page.locator("article[data-message]").first().focus();
  await page.keyboard.press("Escape");
  await lens(page).waitFor({ state: "detached" });
  assert.equal(await focused(page), "What the model sees", "the focus is on the switch");
});

scenario("every entry wears its mark, and the head counts what is not for the model", async (stage) => {
  const page = await opened(stage, "queue-and-steer");
  const mark = (text) =>
    page.locator("article[data-entry]", { hasText: text }).first().locator(".mark [data-relation]");
  await page.locator("[data-scroller]").evaluate((scroller) => scroller.scrollTo(0, 0));
  await frames(page);
  assert.match(await mark("Main task").getAttribute("aria-label"), /something else: these words, with <current_datetime>/);
  assert.equal(await mark("steer now").getAttribute("aria-label"), "Model sees it");
  assert.match(await mark("B (display)").getAttribute("aria-label"), /something else: other words/);
  assert.equal(await page.locator('article[data-entry="permission"] .mark [data-relation="people"]').count(), 1);
  const unmarked = await page.locator("article[data-entry]:not(:has(.mark [data-relation]))").count();
  assert.equal(unmarked, 0);
  assert.match(await page.locator(".lens-figures").innerText(), /^16 messages/);
  assert.match(await page.locator(".legend").innerText(), /People only\s*3\b/);
  await page.keyboard.press("m");
  await lens(page).waitFor({ state: "detached" });
  assert.equal(await page.locator(".mark, [data-lit]").count(), 0, "without the lens there are no marks");
});

scenario("Compare shows what only the model reads", async (stage) => {
  const page = await opened(stage, "queue-and-steer");
  const message = page.locator('[data-message="user"]', { hasText: "Main task" });
  await page.locator("[data-scroller]").evaluate((scroller) => scroller.scrollTo(0, 0));
  await message.getByRole("button", { name: "Compare" }).click();
  assert.match(await message.locator(".both > ins").first().innerText(), /<current_datetime>2026/);
  assert.match(await message.locator(".both").innerText(), /Main task$/);
  const shown = page.locator('[data-message="user"]', { hasText: "queued B" }).first();
  await shown.getByRole("button", { name: "Compare" }).click();
  assert.match(await shown.innerText(), /display/);
});

scenario("what a compaction replaced is folded under it, and opens", async (stage) => {
  const page = await opened(stage, "compaction-manual-auto");
  const removal = lens(page).getByRole("button", { name: "Compacted: 6 messages, 265 → 128 tokens" });
  assert.equal(await page.locator("[data-message][data-gone]").count(), 0);
  await removal.click();
  await page.locator("[data-message][data-gone]", { hasText: "turn 0" }).waitFor();
  assert.equal(await removal.getAttribute("aria-expanded"), "true");
  assert.equal(await removal.evaluate((button) => button === button.getRootNode().activeElement), true);
  await page.locator("[data-scroller]").evaluate((scroller) => scroller.scrollTo(0, 0));
  const mark = page.locator('article[data-entry="user"]').first().locator(".mark button");
  assert.match(await mark.getAttribute("aria-label"), /no longer sees it: a summary took its place/);
  await removal.click();
  await page.locator("[data-message][data-gone]").first().waitFor({ state: "detached" });
  await mark.click();
  // The message is put into the document first.
  await frames(page);
  assert.equal(await focused(page), "user", "the mark leads to the message, wherever it went");
});

nightly("sub-agents have views of their own", async (stage) => {
  const page = await opened(stage, "subagents");
  const chooser = page.getByRole("combobox", { name: "Whose view" });
  const options = await chooser.locator("option").allInnerTexts();
  assert.deepEqual(options.slice(0, 2), ["Main agent", "alpha-agent"]);
  await chooser.selectOption({ label: "beta-agent" });
  await page.locator('[data-message="assistant"]', { hasText: "Looking into BETA" }).waitFor();
  assert.match(await page.locator(".lens-figures").innerText(), /^5 messages$/);
  assert.equal(await page.locator('[data-message="user"]', { hasText: "MAIN-GO" }).count(), 0);
});

scenario("side by side at 1400, in the timeline's place at 380", async (stage) => {
  const page = await opened(stage, "large-output-and-async-shell");
  const boxes = await Promise.all([page.locator("[data-scroller]").boundingBox(), lens(page).boundingBox()]);
  assert.ok(boxes[0].x + boxes[0].width <= boxes[1].x + 1, "they stand side by side");
  assert.ok(boxes.every((box) => box.width > 600));
  await page.setViewportSize({ width: 380, height: 800 });
  await frames(page);
  assert.equal(await page.locator("[data-scroller]").isVisible(), false);
  const narrow = await lens(page).boundingBox();
  assert.ok(narrow.x === 0 && narrow.width === 380);
  await page.locator("[data-message]").first().waitFor();
  const overflow = await lens(page).evaluate((element) => element.scrollWidth - element.clientWidth);
  assert.equal(overflow, 0);
  await page.getByRole("button", { name: "Back to the timeline" }).click();
  await lens(page).waitFor({ state: "detached" });
  assert.equal(await page.locator("[data-scroller]").isVisible(), true);
});

scenario("a narrow page takes the focus along, both ways", async (stage) => {
  const page = await opened(stage, "queue-and-steer", { width: 380 });
  await page.getByRole("button", { name: "Back to the timeline" }).click();
  await page.locator("[data-scroller]").focus();
  await page.keyboard.press("m");
  await page.locator("[data-message]").first().waitFor();
  await page.waitForFunction(() =>
    document.querySelector("pilot-house").shadowRoot.activeElement?.hasAttribute("data-lens-scroller"));
  await page.keyboard.press("m");
  await lens(page).waitFor({ state: "detached" });
  assert.equal(await focused(page), "Menu");
});

/** A thousand turns, each with a question and an answer of its own height. */
function longScript(turns) {
  const script = new Script("long");
  for (let turn = 0; turn < turns; turn += 1) {
    script.user(`Question ${turn}`, `q-${turn}`).say(`Answer ${turn}. ${"Words and words. ".repeat((turn * 7) % 40)}`, `a-${turn}`);
    if (turn % 3 === 0) script.add("session.info", { infoType: "notification", message: `Note ${turn}` });
  }
  return script;
}

/** The number of the question or answer at the middle of a list. */
const middle = (page, side) =>
  page.evaluate((side) => {
    const root = document.querySelector("pilot-house").shadowRoot;
    const list = root.querySelector(side);
    const box = list.getBoundingClientRect();
    const at = box.top + box.height / 2;
    const rows = [...list.querySelectorAll("article")];
    const row = rows.filter((row) => row.getBoundingClientRect().top <= at && /\d/.test(row.innerText)).at(-1);
    return Number(row?.innerText.match(/(?:Question|Answer|Note) (\d+)/)?.[1]);
  }, side);

scenario("the two scroll together, whichever the reader moves, through 5,000 messages", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`, { width: 1400 });
  await push(page, longScript(2500).events);
  await toggle(page).click();
  await page.locator("[data-message]").first().waitFor();
  await frames(page);
  const together = async (what) => {
    await frames(page);
    await frames(page);
    const [entry, message] = [await middle(page, "[data-scroller]"), await middle(page, ".lens-list")];
    assert.ok(Math.abs(entry - message) <= 2, `${what}: the timeline is at ${entry}, the lens at ${message}`);
    return entry;
  };
  await together("at the end");
  for (const part of [0.1, 0.5, 0.77]) {
    await page.locator("[data-scroller]").evaluate((list, part) => list.scrollTo(0, part * list.scrollHeight), part);
    await together(`the timeline at ${part}`);
  }
  await page.locator(".lens-list").hover();
  for (const part of [0.3, 0.9, 0]) {
    await page.locator(".lens-list").evaluate((list, part) => list.scrollTo(0, part * list.scrollHeight), part);
    await together(`the lens at ${part}`);
  }
  const rows = await page.locator(".lens-list article").count();
  assert.ok(rows < 60, `${rows} messages are in the document`);
});

scenario("pointing at one side lights up the other", async (stage) => {
  const page = await opened(stage, "compaction-manual-auto");
  await page.locator("[data-message]").last().hover();
  await page.locator('article[data-entry="compaction"][data-lit]').waitFor();
  await toggle(page).hover();
  await page.locator("[data-lit]").first().waitFor({ state: "detached" });
  await page.locator('article[data-entry="compaction"]').hover();
  await page.locator('[data-message="user"][data-lit]', { hasText: "has been summarized" }).waitFor();
  assert.equal(await page.locator("[data-lit]").count(), 2, "and nothing else");
});

scenario("a delta leaves the lens alone; a message is added to it, nothing else", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`, { width: 1400 });
  const script = new Script("stream").user("Ask").turn().begin("m", "The boat ");
  await push(page, script.take());
  await toggle(page).click();
  await page.locator("[data-message]").first().waitFor();
  await frames(page);
  await page.evaluate(() => {
    const list = document.querySelector("pilot-house").shadowRoot.querySelector(".lens");
    window.seen = [];
    new MutationObserver((records) => window.seen.push(...records.map((record) => record.type))).observe(list, {
      subtree: true, childList: true, characterData: true, attributes: true,
    });
  });
  for (const word of ["lies ", "at ", "the ", "pier."]) await push(page, script.more("m", word).take());
  await frames(page);
  assert.deepEqual(await page.evaluate(() => window.seen), []);
  const first = await page.locator("[data-message]").first().elementHandle();
  await push(page, script.say("The boat lies at the pier.", "m").take());
  await page.locator('[data-message="assistant"]', { hasText: "pier" }).waitFor();
  assert.equal(await first.evaluate((row) => row.isConnected), true);
});

scenario("characters that nobody would see have names, and long texts are folded with their size", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`, { width: 1400 });
  const long = "A line of the file.\n".repeat(400);
  const script = new Script("hidden").user("Look \u202Ehere").shell("s", "cat file").complete("s", long);
  await push(page, script.take());
  await toggle(page).click();
  await page.locator('[data-message="user"] .hidden-char', { hasText: "right-to-left override" }).waitFor();
  const result = page.locator('[data-message="tool"]');
  const more = result.getByRole("button", { name: "Show all 8,000 characters" });
  assert.ok((await result.locator("pre").innerText()).length < 2000);
  await more.click();
  assert.equal((await result.locator("pre").textContent()).length, long.length);
});

scenario("axe finds nothing to say about the lens, light and dark", async (stage) => {
  const page = await opened(stage, "compaction-manual-auto", { width: 1400 });
  const sound = (what) => inBothSchemes(page, async (scheme) => assert.deepEqual(await violations(page), [], `${what}, ${scheme}`));
  await sound("as it comes");
  await lens(page).getByRole("button", { name: /^Compacted/ }).click();
  await page.locator("[data-gone]").getByRole("button", { name: "Compare" }).first().click();
  await sound("opened");
  await page.setViewportSize({ width: 380, height: 800 });
  await sound("narrow");
});
