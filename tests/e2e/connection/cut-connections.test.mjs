// Tests connections that break on real sockets, one journey for each way: afterwards the page shows the same as an
// undisturbed one, and no answer was sent twice. tests/client has each way over both carriers, by the thousand.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { BROKEN, IDLE, answer, card, nightly, readAll, scenario, snapshot, until } from "../support/harness.mjs";
import { wire } from "../support/proxy.mjs";

/** A page whose clock is controlled by the test. */
const CLOCK = { prepare: (page) => page.clock.install(), whole: false };

/** Runs before the page's own scripts: `setClock(hours)` sets the clock of the machine so much away from the real one. */
function movableClock() {
  const Real = Date;
  let away = 0;
  window.setClock = (hours) => void (away = hours * 3_600_000);
  window.Date = class extends Real {
    constructor(...given) {
      super(...(given.length > 0 ? given : [Real.now() + away]));
    }

    static now() {
      return Real.now() + away;
    }
  };
}

/**
 * A turn that asks for a command and then asks a question. It streams a sentence with
 * characters of two to four bytes.
 */
function crossing() {
  const script = new Script("crossing")
    .user("May we cross?")
    .turn()
    .begin("report", "Die Fähre ", "liegt ")
    .ask("look", "ls ferries/")
    .allowed("look")
    .more("report", "am Kai 🛟 ", "und wartet ", "auf 渡し船.")
    .say("Die Fähre liegt am Kai 🛟 und wartet auf 渡し船.", "report");
  const question = { requestId: "when", question: "When do we leave?", choices: ["At dawn", "At dusk"], allowFreeform: true };
  return script
    .add("user_input.requested", question, { ephemeral: true })
    .add("user_input.completed", { requestId: "when", answer: "At dawn", wasFreeform: false }, { ephemeral: true })
    .say("We leave at dawn.")
    .rest().events;
}

/** What must be the same in all viewers: everything but times and who answered. */
async function content(page) {
  const { timeline, events, session, modelContext, pending } = await snapshot(page);
  for (const { request } of timeline) for (const who of ["elsewhere", "by"]) if (request) delete request[who];
  return { timeline, events, session, modelContext, pending };
}

async function assertUndisturbed(page, other) {
  await until(page, IDLE);
  await until(other, IDLE);
  const seen = await content(page);
  assert.deepEqual(seen, await content(other));
  assert.deepEqual([seen.events.duplicate, seen.events.malformed], [0, 0]);
  assert.deepEqual(await readAll(page), await readAll(other));
}

const connection = (page, word) => page.locator(`pilot-house[data-connection="${word}"]`).waitFor();

/** Waits for a request to be open again with these words in its alert, and for its buttons to be enabled. */
async function waitsAgain(page, id, words) {
  await card(page, id).getByRole("alert").filter({ hasText: words }).waitFor();
  await page.waitForFunction((id) => {
    const root = document.querySelector("pilot-house").shadowRoot;
    const buttons = [...root.querySelectorAll(`[data-request-id="${id}"] button[data-answer]`)];
    return buttons.length > 0 && buttons.every((button) => !button.disabled && !button.hasAttribute("aria-disabled"));
  }, id);
}

/** Waits until all buttons of a card are disabled. */
function locked(page, id) {
  return page.waitForFunction((id) => {
    const root = document.querySelector("pilot-house").shadowRoot;
    const buttons = [...root.querySelectorAll(`[data-request-id="${id}"] button[data-answer]`)];
    return buttons.length > 0 && buttons.every((button) => button.disabled);
  }, id);
}

/** Answers the question. */
async function reply(page) {
  const asked = card(page, "when");
  await asked.waitFor();
  await asked.locator('[data-answer="choice"]').first().click();
  await asked.locator('[data-answer="submit"]:not([aria-disabled])').click();
}

/**
 * Advances the page's clock until something holds. The browser may keep several sockets, and the page may
 * have to find each of them dead first.
 */
async function wind(page, holds) {
  for (let turns = 0; !(await holds()); turns += 1) {
    assert.ok(turns < 100, "it does not happen");
    await page.clock.runFor(5_000);
  }
}

/** A page on a connection of its own, and an undisturbed one. */
async function two(stage, transport, options) {
  const gateway = await stage.serve([crossing()]);
  const page = await stage.embed(gateway, `transport="${transport}"`, options);
  const other = await stage.embed(gateway, "");
  await card(page, "look").waitFor();
  await card(other, "look").waitFor();
  return { page, other, line: page.line, gateway };
}

for (const [where, transport, bytes] of [
  ["in the middle of a letter", "sse", Buffer.from("am Kai 🛟").subarray(0, -2)],
  ["in the middle of a line", "ws", Buffer.from('"deltaContent":"und w')],
]) {
  (transport === "sse" ? scenario : nightly)(`cut ${where} over ${transport}`, async (stage) => {
    const { page, other, line } = await two(stage, transport);
    line.cutBehind(bytes);
    await answer(other, "look", "approve-once");
    await connection(page, "waiting");
    line.mend();
    await card(page, "when").waitFor();
    await reply(page);
    await assertUndisturbed(page, other);
    assert.equal(line.answers().length, 1);
  }, { expected: BROKEN });
}

scenario("an answer that never reaches the server over ws can be given again, once that is known", async (stage) => {
  const { page, other, line } = await two(stage, "ws");
  line.loseAnswer();
  await answer(page, "look", "approve-once");
  await card(page, "look").getByRole("alert").filter({ hasText: "may have arrived" }).waitFor();
  await locked(page, "look");
  await connection(page, "waiting");
  await page.locator('[part="strip"]').filter({ hasText: /Connection lost\. Trying again (now|in \d+ s)/ }).waitFor();
  line.mend();
  await waitsAgain(page, "look", "did not arrive");
  assert.equal(line.answers().length, 0, "nothing is sent again by itself");
  await answer(page, "look", "approve-once");
  await card(page, "when").waitFor();
  line.loseAnswer();
  await reply(page);
  await card(page, "when").getByRole("alert").filter({ hasText: "may have arrived" }).waitFor();
  await locked(page, "when");
  line.mend();
  await card(page, "when").getByRole("alert").filter({ hasText: "Nothing shows whether your answer arrived" }).waitFor();
  await locked(page, "when");
  await card(page, "when").locator("[data-answer-again]:not([aria-disabled])").click();
  await assertUndisturbed(page, other);
  assert.deepEqual(line.answers().map(({ params }) => params.requestId), ["look", "when"]);
}, { expected: BROKEN });

scenario("an answer whose confirmation is lost over sse counts, and is not given again", async (stage) => {
  const { page, other, line } = await two(stage, "sse");
  for (const [id, act] of [["look", () => answer(page, "look", "approve-once")], ["when", () => reply(page)]]) {
    line.loseConfirmation();
    await act();
    await connection(page, "waiting");
    line.mend();
    await card(page, id).waitFor({ state: "detached" });
    await connection(page, "open");
    if (id === "look") await card(page, "when").waitFor();
  }
  await assertUndisturbed(page, other);
  assert.deepEqual(line.answers().map(({ params }) => params.requestId), ["look", "when"]);
}, { expected: BROKEN });

nightly("half open over sse: silence is looked into, and the page comes back by itself", async (stage) => {
  const { page, other, line } = await two(stage, "sse", CLOCK);
  line.stop();
  await answer(other, "look", "approve-once");
  await card(other, "when").waitFor();
  await wind(page, () => card(page, "when").isVisible());
  await reply(other);
  await assertUndisturbed(page, other);
}, { expected: BROKEN });

scenario("half open over ws when an answer is given: it is not left hanging", async (stage) => {
  const { page, other, line } = await two(stage, "ws", CLOCK);
  line.stop();
  await answer(page, "look", "approve-once");
  await locked(page, "look");
  const alert = card(page, "look").getByRole("alert").filter({ hasText: "did not arrive" });
  await wind(page, () => alert.isVisible());
  await waitsAgain(page, "look", "did not arrive");
  await answer(page, "look", "approve-once");
  await card(page, "when").waitFor();
  await reply(page);
  await assertUndisturbed(page, other);
  assert.deepEqual(line.answers().map(({ params }) => params.requestId), ["look", "when"]);
}, { expected: BROKEN });

scenario("a server that has another session now says so over sse", async (stage) => {
  const { page, line } = await two(stage, "sse");
  line.cut();
  line.lead(await stage.serve([new Script("another").user("Who are you?").turn().say("Another.").rest().events]));
  line.mend();
  await connection(page, "closed");
  await page.locator('[part="strip"]').filter({ hasText: "There is no such session at this address" }).waitFor();
  assert.match(await page.locator('[data-id="report"]').innerText(), /Die Fähre liegt/, "what was there stays");
}, { expected: BROKEN });

scenario("offline and online again, over ws", async (stage) => {
  const { page, other } = await two(stage, "ws");
  await page.context().setOffline(true);
  await connection(page, "waiting");
  await answer(other, "look", "approve-once");
  await card(other, "when").waitFor();
  await page.context().setOffline(false);
  await connection(page, "open");
  await reply(page);
  await assertUndisturbed(page, other);
}, { expected: BROKEN });

scenario("a page that was frozen catches up and keeps its connection, over sse", async (stage) => {
  const { page, other, line } = await two(stage, "sse");
  const before = line.opened();
  const browser = await page.context().newCDPSession(page);
  await browser.send("Page.setWebLifecycleState", { state: "frozen" });
  await answer(other, "look", "approve-once");
  await reply(other);
  await until(other, IDLE);
  await browser.send("Page.setWebLifecycleState", { state: "active" });
  await assertUndisturbed(page, other);
  assert.equal(line.opened(), before, "nothing was wrong with it");
});

nightly("a clock that is set by hours, back and forth, in the middle of an answer changes nothing, over ws", async (stage) => {
  const { page, other, line } = await two(stage, "ws", { prepare: (page) => page.addInitScript(movableClock) });
  const before = line.opened();
  const set = (hours) => page.evaluate((hours) => window.setClock(hours), hours);
  // One byte at a time, so that the clock is set while the answer comes.
  line.slow(1);
  await set(5);
  await answer(page, "look", "approve-once");
  await set(-5);
  await until(page, `(view) => view.timeline.some(({ text }) => text.includes("am Kai"))`);
  await set(9);
  await card(page, "when").waitFor();
  await set(-9);
  await reply(page);
  await assertUndisturbed(page, other);
  assert.equal(line.answers().length, 2);
  assert.equal(line.opened(), before);
  // It notices a connection that is cut as before.
  line.cut();
  await connection(page, "waiting");
  await set(0);
  line.mend();
  await connection(page, "open");
  await assertUndisturbed(page, other);
}, { expected: BROKEN });

nightly("a machine that slept does not lose a connection that lives, over ws", async (stage) => {
  const { page, other, line } = await two(stage, "ws", CLOCK);
  const before = line.opened();
  await page.clock.fastForward(3 * 3_600_000);
  await line.until((sent) => sent.some(({ method }) => method === "pilothouse.ping"));
  await answer(other, "look", "approve-once");
  await reply(page);
  await assertUndisturbed(page, other);
  assert.equal(line.opened(), before);
});

scenario("idle, nothing is asked; looked at again, a connection that is dead is noticed", async (stage) => {
  const { page, other, line } = await two(stage, "ws", CLOCK);
  await answer(other, "look", "approve-once");
  await reply(other);
  await until(page, IDLE);
  await page.clock.runFor(60_000);
  const asked = line.sent.length;
  await page.clock.runFor(3_600_000);
  assert.deepEqual(line.sent.slice(asked), [], "no timer runs");
  line.stop();
  await page.clock.runFor(600_000);
  await connection(page, "open");
  await page.evaluate(() => window.dispatchEvent(new Event("focus")));
  await page.clock.runFor(10_000);
  await page.waitForFunction(() => document.querySelector("pilot-house").dataset.connection === "open");
  assert.ok(line.opened() > 2);
  await assertUndisturbed(page, other);
}, { expected: BROKEN });

nightly("a network that lets no WebSocket through any more, and then does again", async (stage) => {
  const gateway = await stage.serve([crossing()]);
  const page = await stage.embed(gateway, "", CLOCK);
  const other = await stage.embed(gateway, "");
  const { line } = page;
  await card(page, "look").waitFor();
  // The network is back at once, so every attempt is refused and none fails for lack of a network.
  line.refuse(true);
  line.cut();
  line.mend();
  await connection(page, "waiting");
  await wind(page, async () => (await page.locator("pilot-house").getAttribute("data-connection")) === "open");
  assert.ok(line.refused() >= 3);
  assert.ok(stage.requests.some((address) => address.includes("/events")), "server-sent events have taken over");
  await answer(page, "look", "approve-once");
  await card(page, "when").waitFor();
  line.refuse(false);
  // A WebSocket is tried first, and opens.
  line.cut();
  line.mend();
  const subscribed = () => line.sent.filter(({ method }) => method === "pilothouse.subscribe").length;
  await wind(page, () => subscribed() === 2);
  await connection(page, "open");
  await reply(page);
  await assertUndisturbed(page, other);
}, { expected: BROKEN });

nightly("half open to a board: silence is looked into though nobody comes back to the page, and the board is up to date again", async (stage) => {
  const gateway = await stage.serve([crossing(), new Script("rests").user("Rest").turn().say("Done").rest().events]);
  const line = await wire(stage, gateway);
  const page = await stage.page(line.address, { prepare: CLOCK.prepare });
  const tile = page.locator('[data-session="crossing"]');
  await tile.and(page.locator('[data-status="waiting"]')).waitFor();
  line.stop();
  const other = await stage.embed(gateway, 'session="crossing"', { whole: false });
  await answer(other, "look", "approve-once");
  await reply(other);
  await until(other, IDLE);
  await wind(page, () => tile.and(page.locator('[data-status="idle"]')).isVisible());
}, { expected: BROKEN });
