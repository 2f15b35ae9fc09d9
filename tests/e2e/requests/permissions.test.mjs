// Tests permission requests: the card shows everything, an answer counts once, playback goes on.

import assert from "node:assert/strict";

import { Script, heldSentence } from "../support/events.mjs";
import { IDLE, answer, card, data, frames, push, scenario, snapshot, until } from "../support/harness.mjs";

const REJECTED = "138a6aeb-bf0f-46c1-8bf0-4d85c7912341";
const ALLOWED_ONCE = "28586e2c-c458-40d2-b936-ab5cdbedc5a9";
const ALLOWED_FOR_SESSION = "b456c6c3-efdf-4540-bc58-16ee1e2e41e2";

const entry = (view, id) => view.timeline.find((candidate) => candidate.id === id);
const notices = (view) => view.timeline.filter((entry) => entry.text.startsWith("This is a recording"));

/** Waits until a request is settled, and returns its state. */
async function settled(page, id) {
  await until(
    page,
    `(view, id) => view.timeline.some((entry) => entry.id === id && entry.state === "settled")`,
    id,
  );
  await page.locator(`[data-id="${id}"][data-state="settled"]`).waitFor({ state: "attached" });
  return entry(await snapshot(page), id).request;
}

scenario("reject with feedback, allow once, allow for the session: each goes through and playback goes on", async (stage) => {
  const page = await stage.page(await stage.serve([data("permissions")]));
  const sent = [];
  page.on("websocket", (socket) => socket.on("framesent", ({ payload }) => sent.push(String(payload))));
  await page.reload();
  const answers = () => sent.filter((text) => text.includes("handlePendingPermissionRequest")).map((text) => JSON.parse(text).params.result);

  const stash = card(page, REJECTED);
  await stash.waitFor();
  assert.equal(await page.locator("pilot-house").getAttribute("data-status"), "waiting");
  const text = await stash.innerText();
  assert.ok(text.includes("git stash && ./scripts/check.sh; git stash pop"), "the whole command");
  assert.ok(text.includes("Run the tests on the committed state"), "what it is for");
  assert.equal(await stash.locator('[data-answer="approve-for-session"]').count(), 0, "not offered, not there");
  await page.getByRole("status").filter({ hasText: "needs your permission" }).waitFor({ state: "attached" });

  const feedback = "Please don't stash: I have uncommitted work.";
  await answer(page, REJECTED, "reject", feedback);
  const rejected = await settled(page, REJECTED);
  assert.deepEqual([rejected.life, rejected.elsewhere], ["settled", false]);
  assert.ok(rejected.outcome.includes(feedback), rejected.outcome);
  assert.equal(await stash.count(), 0, "one quiet line is left");
  assert.deepEqual(answers().at(-1), { kind: "reject", feedback });

  await answer(page, ALLOWED_ONCE, "approve-once");
  assert.equal((await settled(page, ALLOWED_ONCE)).outcome, "Allowed once");
  assert.deepEqual(answers().at(-1), { kind: "approve-once" });

  const edit = card(page, ALLOWED_FOR_SESSION);
  await edit.waitFor();
  assert.ok((await edit.innerText()).includes("/workspace/tide-tables/src/interp.rs"), "the file");
  assert.ok((await edit.locator("ins").first().innerText()).includes("f64::from(b.minute - a.minute)"), "what comes");
  assert.ok((await edit.locator("del").first().innerText()).includes("let span = b.minute - a.minute;"), "what goes");
  await answer(page, ALLOWED_FOR_SESSION, "approve-for-session");
  assert.equal((await settled(page, ALLOWED_FOR_SESSION)).outcome, "Allowed for this session");
  assert.deepEqual(answers().at(-1), { kind: "approve-for-session", approval: { kind: "write" } });

  await until(page, IDLE);
  const view = await snapshot(page);
  assert.deepEqual(view.pending, []);
  assert.deepEqual(notices(view), [], "all was answered as recorded");
  assert.equal(answers().length, 3, "each answer was sent once");
});

scenario("another answer than the recorded one: it counts, and the player says how it goes on", async (stage) => {
  const page = await stage.page(await stage.serve([data("permissions")]));
  await answer(page, REJECTED, "approve-once");
  assert.equal((await settled(page, REJECTED)).outcome, "Allowed once");
  await page.getByText("where this request was rejected with feedback").waitFor({ state: "attached" });
  await card(page, ALLOWED_ONCE).waitFor();
});

scenario("an answer on its way is shown as such and can't be given twice", async (stage) => {
  // The host handles the answer itself, so that only the event pushed below settles it.
  const page = await stage.embed(await stage.files(), `transport="none"`);
  const script = new Script().user("Look").turn().ask("look", "ls boats/");
  await push(page, script.take());
  await page.evaluate(() => {
    window.answers = [];
    document.addEventListener("pilothouse-answer", (event) => {
      event.preventDefault();
      window.answers.push(event.detail);
    });
  });
  const asked = card(page, "look");
  await answer(page, "look", "approve-once");
  await asked.getByRole("status").filter({ hasText: "Sending" }).waitFor();
  for (const button of await asked.getByRole("button").all()) assert.ok(await button.isDisabled());
  assert.equal((await snapshot(page)).timeline.find((entry) => entry.id === "look").request.life, "sending");
  assert.equal(await page.evaluate(() => window.answers.length), 1);
  await push(page, script.allowed("look").take());
  assert.equal((await settled(page, "look")).outcome, "Allowed once");
});

scenario("a card never takes the focus, and Enter answers nothing", async (stage) => {
  const page = await stage.page(await stage.serve([heldSentence()]));
  await page.locator("[data-scroller]").focus();
  await card(page, "look").waitFor();
  await card(page, "look").locator('[data-answer="approve-once"]:not([aria-disabled])').waitFor();
  const focused = () =>
    page.evaluate(() => document.querySelector("pilot-house").shadowRoot.activeElement?.hasAttribute("data-scroller"));
  assert.ok(await focused(), "the focus stays where the reader put it");
  for (const key of ["Enter", " ", "y", "Escape", "Control+Enter"]) await page.keyboard.press(key);
  const feedback = card(page, "look").getByLabel("Feedback to the agent");
  await feedback.fill("No");
  for (const key of ["Enter", "Control+Enter", "Meta+Enter"]) await feedback.press(key);
  await frames(page);
  const [open] = (await snapshot(page)).pending;
  assert.equal(open?.requestId, "look");
  assert.equal((await snapshot(page)).timeline.find((entry) => entry.id === "look").request.life, "waiting");
});

scenario("a press counts only after the card has been there for a moment", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`);
  const answers = await page.evaluate(async (events) => {
    const element = document.querySelector("pilot-house");
    let answers = 0;
    element.addEventListener("pilothouse-answer", (event) => {
      event.preventDefault();
      answers += 1;
    });
    const shown = new Promise((done) => {
      new MutationObserver((_, observer) => {
        const button = element.shadowRoot.querySelector('[data-answer="approve-once"]');
        if (!button) return;
        observer.disconnect();
        const until = performance.now() + 200;
        const press = () => {
          if (performance.now() > until) return done();
          button.click();
          requestAnimationFrame(press);
        };
        press();
      }).observe(element.shadowRoot, { subtree: true, childList: true });
    });
    for (const event of events) element.push(event);
    await shown;
    return answers;
  }, new Script().user("Look").turn().ask("look", "ls boats/").events);
  assert.equal(answers, 0);
  await answer(page, "look", "approve-once");
});

scenario("two people watch one session: one answers, the other's card closes", async (stage) => {
  const gateway = await stage.serve([heldSentence()]);
  const [one, other] = [await stage.page(gateway), await stage.embed(gateway, `transport="sse"`)];
  await card(one, "look").waitFor();
  await card(other, "look").waitFor();
  await answer(one, "look", "approve-once");
  for (const page of [one, other]) {
    await settled(page, "look");
    assert.equal(await card(page, "look").count(), 0);
    await page.locator('pilot-house[data-status="idle"]').waitFor();
  }
});

scenario("`readonly`: the card tells everything and offers nothing", async (stage) => {
  const page = await stage.embed(await stage.serve([heldSentence()]), "readonly");
  await card(page, "look").waitFor();
  assert.ok((await card(page, "look").innerText()).includes("ls boats/"));
  assert.equal(await page.locator("[data-answer]").count(), 0);
  await page.evaluate(() => document.querySelector("pilot-house").removeAttribute("readonly"));
  await answer(page, "look", "approve-once");
  await settled(page, "look");
});
