// Tests that what a person has typed into a card is kept until it is sent, its sentences also where the request ended
// without them, and that secrets are not stored.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { answer, card, frames, host, push, scenario } from "../support/harness.mjs";

const FORM = {
  type: "object",
  properties: {
    harbour: { type: "string", title: "Harbour" },
    boats: { type: "array", title: "Boats", items: { type: "string", enum: ["white", "blue"] } },
    pin: { type: "string", title: "PIN of the pier", format: "password" },
    api_token: { type: "string", title: "Key" },
    answer: { type: "string", title: "Word of the pier", format: "password" },
  },
};

const asks = (name) => new Script(name).user(`Words of ${name}`).turn()
  .ask("paint", "paint boats")
  .add("user_input.requested", { requestId: "which", question: "Which boat?", choices: ["white", "blue"] })
  .add("elicitation.requested", { requestId: "form", message: "Where do they lie?", mode: "form", requestedSchema: FORM }, { ephemeral: true })
  .add("mcp.oauth_required", { requestId: "sign", serverName: "pier", serverUrl: "https://pier.example/mcp" }, { ephemeral: true });

/** What was written into the card of a request that ended without an answer from here. */
const unsent = (page, id) => page.locator(`[data-id="${id}"] [data-unsent]`);
/** All that this tab has stored of cards. */
const stored = (page) => page.evaluate(() => JSON.stringify(Object.entries(sessionStorage).filter(([name]) => name.startsWith("pilothouse.answers."))));
const fields = (page) => ({
  feedback: card(page, "paint").getByLabel("Feedback to the agent"),
  words: card(page, "which").locator('[data-field="answer"]'),
  harbour: card(page, "form").getByLabel("Harbour"),
  blue: card(page, "form").getByLabel("blue"),
  pin: card(page, "form").getByLabel("PIN of the pier"),
  key: card(page, "form").getByLabel("Key"),
  word: card(page, "form").getByLabel("Word of the pier"),
  token: card(page, "sign").locator('input[type="password"]'),
});

async function fill(page) {
  const all = fields(page);
  await all.feedback.fill("Not the white one");
  await all.words.fill("The small one");
  await all.harbour.fill("At the mole");
  await all.blue.check();
  await all.pin.fill("hush-1");
  await all.key.fill("hush-2");
  await all.word.fill("hush-4");
  await all.token.fill("hush-3");
}

async function filled(page, secrets) {
  const all = fields(page);
  await all.token.waitFor();
  const values = await Promise.all(["feedback", "words", "harbour", "pin", "key", "token"].map((name) => all[name].inputValue()));
  assert.deepEqual(values, ["Not the white one", "The small one", "At the mole", ...secrets]);
  assert.ok(await all.blue.isChecked());
}

const SECRETS = ["hush-1", "hush-2", "hush-3"];
const NONE = ["", "", ""];

scenario("what is typed into cards outlives a reload and another session, but for secrets", async (stage) => {
  const gateway = await stage.serve([asks("first").events, asks("second").events]);
  const page = await stage.embed(gateway, `session="first"`, { height: 1600 });
  await card(page, "sign").waitFor();
  await fill(page);
  assert.equal(await fields(page).pin.getAttribute("type"), "password");
  assert.doesNotMatch(await stored(page), /hush/);

  const shows = (name) => page.locator("pilot-house").evaluate((house, name) => house.setAttribute("session", name), name);
  await shows("second");
  await page.locator(`[data-entry="user"]`, { hasText: "Words of second" }).waitFor();
  await card(page, "sign").waitFor();
  assert.equal(await fields(page).feedback.inputValue(), "", "each session has its own, though the requests are called the same");
  await fields(page).words.fill("Another one");
  await shows("first");
  await page.locator(`[data-entry="user"]`, { hasText: "Words of first" }).waitFor();
  await filled(page, SECRETS);

  await page.reload();
  await filled(page, NONE);
  const tab = await page.context().newPage();
  await tab.goto(page.url());
  await card(tab, "sign").waitFor();
  assert.equal(await fields(tab).feedback.inputValue(), "", "each tab has its own");
});

scenario("what is typed goes when the request is answered elsewhere, but for sentences, until they are dismissed", async (stage) => {
  const page = await host(stage, { height: 1600 });
  const script = asks("boats");
  await push(page, script.take());
  await card(page, "sign").waitFor();
  await fill(page);
  await push(page, script.allowed("paint").take());
  await card(page, "paint").waitFor({ state: "detached" });
  await unsent(page, "paint").getByText("Not the white one").waitFor();
  await unsent(page, "paint").getByRole("button", { name: "Dismiss" }).press("Enter");
  await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.activeElement?.matches('[data-id="paint"], [data-row]'));
  assert.doesNotMatch(await stored(page), /Not the white one/);
  assert.match(await stored(page), /The small one/);

  for (let line = 0; line < 300; line += 1) script.user(`Line ${line}`);
  await push(page, script.take());
  await page.locator("[data-scroller]").evaluate((scroller) => void (scroller.scrollTop = scroller.scrollHeight));
  await card(page, "which").waitFor({ state: "detached" });
  await page.locator("[data-scroller]").evaluate((scroller) => void (scroller.scrollTop = 0));
  const all = fields(page);
  await all.token.waitFor();
  assert.deepEqual([await all.words.inputValue(), await all.pin.inputValue(), await all.token.inputValue()], ["The small one", "hush-1", "hush-3"]);

  await page.locator("[data-scroller]").evaluate((scroller) => void (scroller.scrollTop = scroller.scrollHeight));
  await card(page, "which").waitFor({ state: "detached" });
  script.add("user_input.completed", { requestId: "which", answer: "blue", wasFreeform: false });
  script.add("elicitation.completed", { requestId: "form", action: "decline" }, { ephemeral: true });
  script.add("mcp.oauth_completed", { requestId: "sign", outcome: "cancelled" }, { ephemeral: true });
  await push(page, script.take());
  assert.match(await stored(page), /The small one/);
  assert.doesNotMatch(await stored(page), /mole|blue|hush/);
  await page.locator("[data-scroller]").evaluate((scroller) => void (scroller.scrollTop = 0));
  await unsent(page, "which").getByText("The small one").waitFor();
  await page.locator('[data-id="form"]').waitFor();
  assert.equal(await unsent(page, "form").count(), 0, "a secret is shown nowhere");
});

scenario("what was written to a question that can't be answered any more can be copied", async (stage) => {
  const events = new Script("boats").user("Paint").turn().add("user_input.requested", { requestId: "which", question: "Which boat?" }).events;
  const page = await stage.embed(await stage.serve([events]), `session="boats"`);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await fields(page).words.fill("The one behind the church");
  await page.evaluate((event) => document.querySelector("pilot-house").push(event), new Script("late").add("abort", { reason: "user_initiated" }).events.at(-1));
  await unsent(page, "which").getByText("The one behind the church").waitFor();
  assert.match(await stored(page), /behind the church/);
  await unsent(page, "which").locator("[data-copy-answer]").click();
  await unsent(page, "which").locator('[data-copy-answer][data-flash="Copied"]').waitFor();
  await page.waitForFunction(async () => await navigator.clipboard.readText() === "The one behind the church");
});

scenario("an answer that is sent takes what was typed with it", async (stage) => {
  const page = await stage.page(await stage.serve([new Script("boats").user("Paint").turn().ask("paint", "paint boats").allowed("paint").rest().events]));
  await card(page, "paint").waitFor();
  await answer(page, "paint", "reject", "Not the white one");
  await card(page, "paint").waitFor({ state: "detached" });
  assert.equal(await stored(page), "[]");
  await page.reload();
  await page.locator('[data-id="paint"][data-state="settled"]').waitFor();
  assert.equal(await stored(page), "[]");
});

for (const [name, forbid] of [
  ["forbidden", () => Object.defineProperty(window, "sessionStorage", { get: () => { throw new DOMException("no", "SecurityError"); } })],
  ["full", () => (Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); })],
]) {
  scenario(`where storage is ${name}, cards keep what is typed as long as the page is there`, async (stage) => {
    const page = await host(stage, { height: 1600, prepare: (page) => page.addInitScript(forbid) });
    const script = asks("boats");
    await push(page, script.take());
    await card(page, "sign").waitFor();
    await fill(page);
    for (let line = 0; line < 300; line += 1) script.user(`Line ${line}`);
    await push(page, script.take());
    const scroll = (to) => page.locator("[data-scroller]").evaluate((scroller, to) => void (scroller.scrollTop = to * scroller.scrollHeight), to);
    await scroll(1);
    await card(page, "which").waitFor({ state: "detached" });
    await scroll(0);
    await card(page, "sign").waitFor();
    await frames(page);
    await filled(page, SECRETS);
  });
}
