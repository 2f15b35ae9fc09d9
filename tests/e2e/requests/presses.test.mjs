// Tests presses while the page changes between pointer down and pointer up: they act on
// what the user pressed.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { answer, answers, card, frames, host, push, scenario } from "../support/harness.mjs";
import { composerPage, field, queueUp, working } from "../support/composer-page.mjs";

/** Presses the middle of an element. `meanwhile` runs while the pointer is down. */
async function press(page, locator, meanwhile) {
  await locator.hover();
  await page.mouse.down();
  await meanwhile();
  await page.mouse.up();
}

const empty = async (stage, options) => stage.embed(await stage.files(), `transport="none"`, options);

const row = (page, id) => page.locator(`article[data-id="${id}"]`);

/** A finished edit of a file. */
const edits = (script, toolCallId, path, text) =>
  script
    .add("tool.execution_start", { toolCallId, toolName: "create", arguments: { path, file_text: text } })
    .complete(toolCallId, `Created file ${path}`);

scenario("a line of the panel leads where it leads when its figures change under the pointer", async (stage) => {
  const page = await empty(stage, { width: 1400 });
  const script = new Script("press").user("Go");
  await push(page, edits(script, "first", "/workspace/boats/pier.md", "one\n").take());
  const file = page.locator(".aside .line", { hasText: "pier.md" });
  await file.waitFor();
  await press(page, file, () => push(page, edits(script, "second", "/workspace/boats/pier.md", "one\ntwo\n").take()));
  await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.activeElement?.matches("[data-entry]"));
  await file.getByText("+3").waitFor();
});

scenario("a record of the log is chosen while others come", async (stage) => {
  const page = await empty(stage, { width: 1200 });
  const script = new Script("press").user("Go").begin("m", ..."more words than there is place for in a log of this height, and then some more of them to be sure".split(" "));
  await push(page, script.take());
  await page.locator("[data-scroller]").focus();
  await page.keyboard.press("e");
  const record = page.locator('.record[aria-posinset="20"]');
  await press(page, record, async () => {
    for (let more = 0; more < 5; more += 1) await push(page, script.more("m", "and ", "more ").take());
  });
  await page.locator(".record-detail").waitFor();
  assert.equal(await record.getAttribute("aria-selected"), "true");
});

scenario("a card whose line changes under the pointer opens", async (stage) => {
  const page = await empty(stage);
  const script = new Script("press").user("Go");
  await push(page, script.add("tool.execution_start", { toolCallId: "look", toolName: "view", arguments: { path: "/workspace/boats/pier.md" } }).take());
  const words = row(page, "look").locator("summary .what code, summary .what");
  await press(page, words.last(), async () => {
    await push(page, script.complete("look", "1. one\n2. two").take());
    await frames(page);
  });
  await row(page, "look").locator("details[open]").waitFor();
});

scenario("a card that closes by itself under the pointer of whoever closes it stays closed", async (stage) => {
  const page = await empty(stage);
  const script = new Script("press").user("Go").shell("run", "make").output("run", "one\n");
  await push(page, script.take());
  const details = row(page, "run").locator("details").first();
  await row(page, "run").locator("details[open]").waitFor();
  await press(page, details.locator("summary"), async () => {
    await push(page, script.complete("run", "one\ntwo").take());
    await row(page, "run").locator("details:not([open])").waitFor();
  });
  await frames(page);
  assert.equal(await details.getAttribute("open"), null);
});

scenario("a section of the panel that is unfolded as the panel closes is unfolded when it comes back", async (stage) => {
  const page = await empty(stage, { width: 900 });
  const script = new Script("press").add("hook.start", { hookInvocationId: "a", hookType: "preToolUse", input: {} });
  await push(page, script.take());
  const button = page.getByRole("button", { name: "Panel" });
  const line = page.locator(".sect", { has: page.getByRole("heading", { name: "System messages", exact: true }) }).locator(".line");
  await button.click();
  await line.waitFor({ state: "attached" });
  // The browser fires the `toggle` event in a task of its own.
  await page.evaluate(() => {
    const root = document.querySelector("pilot-house").shadowRoot;
    [...root.querySelectorAll(".sect > summary")].find((summary) => summary.textContent.includes("System messages")).click();
    root.querySelector(".aside-head button").click();
  });
  await page.locator(".aside").waitFor({ state: "detached" });
  await button.click();
  await line.waitFor();
});

scenario("a queued message is taken out although the queue changes under the pointer", async (stage) => {
  const { page, runtime } = await working(stage);
  await queueUp(page, "A", "B");
  const [first] = runtime.items;
  await press(page, page.locator("[data-item]", { hasText: "A" }).locator('[data-act="remove"]'), async () => {
    runtime.items.push({ ...first, id: "third", messageId: "third", displayText: "C" });
    runtime.modified();
    await page.locator('[data-queue-count="3"]').waitFor({ state: "attached" });
    await frames(page);
  });
  assert.deepEqual(await runtime.called("session.queue.removeAt"), { id: first.id });
  await page.locator("[data-item]", { hasText: "C" }).waitFor();
});

scenario("a request that is answered elsewhere under the pointer takes no press", async (stage) => {
  const page = await empty(stage);
  await page.evaluate(() => {
    window.answers = 0;
    document.addEventListener("pilothouse-answer", (event) => (event.preventDefault(), (window.answers += 1)));
  });
  const script = new Script("press").user("Go").ask("sure", "rm -rf boats");
  await push(page, script.take());
  const allow = card(page, "sure").locator('[data-answer="approve-once"]:not([aria-disabled])');
  await allow.waitFor();
  await press(page, allow, async () => {
    await push(page, script.allowed("sure").take());
    await card(page, "sure").waitFor({ state: "detached" });
  });
  await frames(page);
  assert.equal(await page.evaluate(() => window.answers), 0);
});

for (const width of [380, 600]) {
  scenario(`an answer counts that is given while somebody writes, at ${width} px`, async (stage) => {
    const { page, runtime } = await composerPage(stage, { width, prepare: ({ script }) => script.user("Go", "go").turn().ask("sure", "ls boats") });
    runtime.on["session.permissions.handlePendingPermissionRequest"] = () => ({ success: true });
    await field(page).click();
    await page.locator(".composer-box:not([data-compact])").waitFor();
    const allow = card(page, "sure").locator('[data-answer="approve-once"]:not([aria-disabled])');
    await allow.waitFor();
    const before = await allow.boundingBox();
    await press(page, allow, async () => {
      await frames(page);
      assert.deepEqual(await allow.boundingBox(), before, "it stays under the pointer");
    });
    assert.equal((await runtime.called("session.permissions.handlePendingPermissionRequest")).requestId, "sure");
    await page.locator(".composer-box[data-compact]").waitFor();
  });
}

scenario("a press on a card that has just moved sends nothing and says so, the next one counts", async (stage) => {
  const page = await empty(stage);
  await push(page, new Script("press").user("Go").ask("sure", "rm -rf boats").take());
  const allow = card(page, "sure").locator('[data-answer="approve-once"]');
  await allow.and(page.locator(":not([aria-disabled])")).waitFor();
  const answers = await allow.evaluate((button) => {
    window.answers = 0;
    document.addEventListener("pilothouse-answer", (event) => (event.preventDefault(), (window.answers += 1)));
    document.querySelector("pilot-house").style.marginBlockStart = "40px";
    button.click();
    return window.answers;
  });
  assert.equal(answers, 0);
  assert.equal(await allow.getAttribute("data-flash"), "Not sent: the card has just moved");
  await page.getByText("Not sent: the card has just moved").waitFor({ state: "attached" });
  await answer(page, "sure", "approve-once");
  assert.equal(await page.evaluate(() => window.answers), 1);
});

/** A narrow page with a message and a request, and the button that allows it. The message's row has the focus. */
async function besideFocus(stage) {
  const page = await host(stage, { width: 380 });
  await push(page, new Script("press").user("Go").say("I will look.", "said").ask("sure", "ls boats").take());
  const allow = card(page, "sure").locator('[data-answer="approve-once"]');
  await allow.and(page.locator(":not([aria-disabled])")).waitFor();
  await page.locator('article[data-id="said"]').focus();
  await frames(page);
  await allow.and(page.locator(":not([aria-disabled])")).waitFor();
  return { page, allow };
}

scenario("a key answers a card that moves because the row above it loses the focus", async (stage) => {
  const { page, allow } = await besideFocus(stage);
  await allow.focus();
  await page.keyboard.press("Enter");
  assert.equal((await answers(page)).length, 1);
});

/** A narrow page with a request, the button that allows it, and what moves it without any event of the page. */
async function movable(stage) {
  const page = await host(stage, { width: 380 });
  await push(page, new Script("press").user("Go").ask("sure", "ls boats").take());
  const allow = card(page, "sure").locator('[data-answer="approve-once"]');
  const still = allow.and(page.locator(":not([aria-disabled])"));
  await still.waitFor();
  const move = () => page.evaluate(() => {
    document.querySelector("pilot-house").shadowRoot.querySelector("article").style.marginBlockStart = "40px";
  });
  return { page, allow, still, move };
}

scenario("a key answers a card that has moved", async (stage) => {
  const { page, allow, move } = await movable(stage);
  await move();
  await allow.focus();
  await page.keyboard.press("Enter");
  assert.equal((await answers(page)).length, 1);
});

scenario("a pointer answers a card that has moved once it stands still", async (stage) => {
  const { page, allow, still, move } = await movable(stage);
  const click = () => allow.evaluate((button) => void button.dispatchEvent(new PointerEvent("click", { bubbles: true, composed: true, detail: 1 })));
  await move();
  await click();
  assert.equal((await answers(page)).length, 0);
  await still.waitFor();
  await click();
  assert.equal((await answers(page)).length, 1);
});

scenario("a card that moves after the clock was set back takes no press until it stands still", async (stage) => {
  const { page, allow, still, move } = await movable(stage);
  const click = () => allow.evaluate((button) => void button.dispatchEvent(new PointerEvent("click", { bubbles: true, composed: true, detail: 1 })));
  // What moves while somebody scrolls is moved by them.
  await page.locator("[data-scroller]").dispatchEvent("wheel");
  await page.clock.setFixedTime(await page.evaluate(() => Date.now()) - 5 * 3_600_000);
  await move();
  await frames(page);
  await click();
  assert.equal((await answers(page)).length, 0);
  await still.waitFor();
  await click();
  assert.equal((await answers(page)).length, 1);
});

scenario("a key does not answer a card that Tab has just brought to the screen", async (stage) => {
  const page = await host(stage, { height: 400 });
  const script = new Script("press").user("Go").say(Array.from({ length: 15 }, (_, line) => `Line ${line}`).join("\n\n"));
  await push(page, script.take());
  await page.locator("[data-scroller]").evaluate((scroller) => void (scroller.scrollTop = 0));
  await frames(page);
  await push(page, script.ask("sure", "ls boats").take());
  // Allowing is off until the card has been in view, rejecting is not.
  const allow = card(page, "sure").locator('[data-answer="approve-once"]');
  const reject = card(page, "sure").locator('[data-answer="reject"]');
  await reject.and(page.locator(":not([aria-disabled])")).waitFor({ state: "attached" });
  assert.equal(await allow.getAttribute("aria-disabled"), "true");
  assert.ok(await reject.evaluate((button) => button.getBoundingClientRect().top > innerHeight), "it is below the screen");
  const now = await page.evaluate(() => Date.now());
  await page.clock.setFixedTime(now + 60_000);
  await reject.focus();
  await frames(page);
  await page.keyboard.press("Enter");
  assert.equal((await answers(page)).length, 0, "nobody has seen it yet");
  // All of it has been in view, for long enough.
  await allow.and(page.locator(":not([aria-disabled])")).waitFor();
  await page.clock.setFixedTime(now + 61_000);
  await page.keyboard.press("Enter");
  assert.equal((await answers(page)).length, 1);
});

scenario("no button lies over the answers of the last request, nor over a card that the pointer is on", async (stage) => {
  const page = await host(stage, { width: 380, height: 600 });
  const script = new Script("press").user("Go").say("A line.\n\n".repeat(30)).ask("sure", "ls boats");
  await push(page, script.take());
  const allow = card(page, "sure").locator('[data-answer="approve-once"]');
  await allow.waitFor();
  const scroll = (by) => page.locator("[data-scroller]").evaluate((list, by) => void (list.scrollTop += by), by);
  const dock = page.locator(".dock > .jump");
  await scroll(-60);
  await frames(page);
  assert.equal(await dock.count(), 0, "the answers are beside the lower edge");
  await card(page, "sure").locator("h3").hover();
  await push(page, script.say("And more.\n\n".repeat(30)).take());
  await dock.waitFor({ state: "attached" });
  assert.equal(await dock.isVisible(), false, "the pointer is on the card");
  await page.mouse.move(1, 1);
  await dock.waitFor();
});

for (const [width, height] of [[380, 780], [1400, 900]]) {
  scenario(`beside a card that goes on below the view the buttons stand above its answers, and cover nothing that counts as read (${width} px)`, async (stage) => {
    const page = await host(stage, { width, height });
    const command = Array.from({ length: 90 }, (_, nth) => `echo "boat ${nth}" >> list.txt`).join("\n");
    await push(page, new Script().user("Go").ask("tall", command).ask("b", "ls boats").take());
    const seal = card(page, "tall").locator(".seal");
    await seal.getByText("Show the rest").waitFor();
    const dock = page.locator(".dock");
    const jump = dock.getByRole("button", { name: "Jump to latest" });
    await card(page, "tall").locator("h3").hover();
    await jump.waitFor();
    await dock.getByRole("button", { name: "2 requests wait for you" }).waitFor();
    const [lowest, foot] = [await jump.boundingBox(), await card(page, "tall").locator(".request-foot").boundingBox()];
    assert.ok(lowest.y + lowest.height <= foot.y, `${lowest.y + lowest.height} px, the answers begin at ${foot.y} px`);
    // 'Show the rest' leads to the first line that is not read, 28 px below the view's edge: the first one under a button.
    const list = page.locator("[data-scroller]");
    const at = () => list.evaluate((list) => list.scrollTop);
    const [view, before] = [await list.boundingBox(), await at()];
    const highest = Math.min(...(await dock.locator(".jump:visible").evaluateAll((all) => all.map((button) => button.getBoundingClientRect().top))));
    await seal.getByRole("button", { name: "Show the rest" }).click();
    await frames(page);
    const first = view.y + 28 + (await at()) - before;
    // Above and below the letters a line has room that nobody reads.
    assert.ok(first > highest - 24 && first < highest + 4, `the first line left is at ${first} px, the buttons begin at ${highest} px`);
    await jump.click();
    await card(page, "b").locator("h3").waitFor();
    await page.waitForFunction(() => {
      const list = document.querySelector("pilot-house").shadowRoot.querySelector("[data-scroller]");
      return list.scrollHeight - list.clientHeight - list.scrollTop < 2;
    });
  });
}
