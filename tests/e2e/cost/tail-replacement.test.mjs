// Tests how a large log replaces its end on screen: in slices, with the same rows as if it had come bit by
// bit. Its records can be read although no copy was made. The page's clock is simulated.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

import { Script } from "../support/events.mjs";
import { frames, scenario } from "../support/harness.mjs";

/** Turns with finished sub-agents in between, whose rows are folded away. */
function large(turns = 900) {
  const script = new Script("large");
  for (let turn = 0; turn < turns; turn += 1) {
    script.user(`Question ${turn}`, `user-${turn}`).turn(`${turn}`);
    if (turn % 100 === 3) {
      const agent = { toolCallId: `task-${turn}`, agentName: "scout", agentDisplayName: "Scout", agentDescription: "Looks around" };
      script.add("tool.execution_start", { toolCallId: `task-${turn}`, toolName: "task", arguments: { description: "Look", prompt: "Look" } });
      script.add("subagent.started", agent, { agentId: `scout-${turn}` });
      for (let said = 0; said < 5; said += 1) {
        script.add("assistant.message", { messageId: `scout-${turn}-${said}`, content: `Found ${said}`, toolRequests: [] }, { agentId: `scout-${turn}` });
      }
      script.add("subagent.completed", agent, { agentId: `scout-${turn}` }).complete(`task-${turn}`, "Found");
    }
    script.shell(`tool-${turn}`, `ls boats/${turn}`).complete(`tool-${turn}`, `boat ${turn} lies at the pier\n`.repeat(100));
    script.say(`Answer ${turn}. ${"It lies at the pier, as it did before. ".repeat(turn % 9)}`, `said-${turn}`);
  }
  return script;
}

const lines = (events) => events.map((event) => `${JSON.stringify(event)}\n`);

/** The rows at the end, the height, and then the rows at the beginning after scrolling there. */
async function look(page) {
  const rows = () => page.locator("[data-entry]").evaluateAll((rows) =>
    rows.map((row) => [row.dataset.id, row.dataset.row, row.getAttribute("aria-posinset")]));
  const height = await page.locator("[data-scroller]").evaluate((scroller) => scroller.scrollHeight);
  const end = await rows();
  await page.locator("[data-scroller]").evaluate((scroller) => void (scroller.scrollTop = 0));
  await page.locator('[data-id="user-0"]').waitFor();
  await frames(page);
  return { height, end: end.slice(-5), beginning: (await rows()).slice(0, 8) };
}

const empty = async (stage) => stage.embed(await stage.serve(), `transport="none"`);

scenario("the whole of a log takes the place of its end in slices, and has the rows that it has bit by bit", async (stage) => {
  const log = lines(large().events);
  const page = await empty(stage);
  const turns = await page.evaluate(async (log) => {
    const element = document.querySelector("pilot-house");
    const bytes = new TextEncoder().encode(log);
    let turns = 0;
    const { postMessage } = MessagePort.prototype;
    MessagePort.prototype.postMessage = function (...message) {
      turns += 1;
      return postMessage.apply(this, message);
    };
    const { subarray } = Uint8Array.prototype;
    Uint8Array.prototype.subarray = function (from, to) {
      if (this === bytes) turns = 0;
      return subarray.call(this, from, to);
    };
    // The clock advances with every reading.
    let now = performance.now();
    performance.now = () => (now += 5);
    const done = new Promise((resolve) => {
      new MutationObserver((_, observer) => {
        if (element.hasAttribute("data-reading")) return;
        observer.disconnect();
        resolve(turns);
      }).observe(element, { attributeFilter: ["data-reading"] });
    });
    element.push(bytes);
    return done;
  }, log.join(""));
  assert.ok(turns >= 4, `${turns} turns between the last byte and the swap`);
  await frames(page);
  const whole = await look(page);

  const other = await empty(stage);
  await other.evaluate(async (lines) => {
    const element = document.querySelector("pilot-house");
    for (let at = 0; at < lines.length; at += 40) {
      element.push(lines.slice(at, at + 40).join(""));
      await new Promise((drawn) => requestAnimationFrame(drawn));
    }
  }, log);
  await frames(other);
  const slowly = await look(other);
  assert.deepEqual(whole.end, slowly.end);
  assert.deepEqual(whole.beginning, slowly.beginning);
  assert.ok(whole.end.at(-1)[1] > whole.end.at(-1)[2], "rows of sub-agents are folded away");
});

scenario("a stream that goes on while the whole is made ready takes it to the screen at once", async (stage) => {
  const page = await empty(stage);
  const end = new Script("more");
  const more = lines(Array.from({ length: 400 }, (_, number) => end.say(`More ${number}`, `more-${number}`)).at(-1).events);
  const left = await page.evaluate(async ([log, more]) => {
    const element = document.querySelector("pilot-house");
    const bytes = new TextEncoder().encode(log);
    const { subarray } = Uint8Array.prototype;
    let [taken, left] = [0, more.length];
    Uint8Array.prototype.subarray = function (from, to) {
      if (this === bytes) taken = to;
      return subarray.call(this, from, to);
    };
    // After the last byte nothing arrives for three turns; then every turn brings one more record.
    const { postMessage } = MessagePort.prototype;
    let turns = 0;
    MessagePort.prototype.postMessage = function (...message) {
      if (taken === bytes.length) turns += 1;
      if (turns > 3 && left > 0 && !element.dataset.status) element.push(more[more.length - left--]);
      return postMessage.apply(this, message);
    };
    let now = performance.now();
    performance.now = () => (now += 5);
    element.push(bytes);
    while (!element.dataset.status) await new Promise((frame) => requestAnimationFrame(frame));
    return left;
  }, [lines(large().events).join(""), more]);
  assert.ok(left > 300, `${more.length - left} records came before the whole was shown`);
});

scenario("the records of a large log can be read, before it was made smaller and after", async (stage) => {
  const page = await empty(stage);
  const log = lines(large(400).events);
  // Compression runs in idle callbacks. They are held until the test runs them.
  await page.evaluate((log) => {
    window.idle = [];
    window.requestIdleCallback = (run) => window.idle.push(run);
    const element = document.querySelector("pilot-house");
    element.push(new TextEncoder().encode(log));
  }, log.join(""));
  await page.waitForFunction(() => !document.querySelector("pilot-house").hasAttribute("data-reading"));
  await page.locator("[data-scroller]").focus();
  await page.keyboard.press("/");
  const saved = async () => {
    await page.locator(".menu > summary").click();
    const coming = page.waitForEvent("download");
    await page.getByRole("button", { name: "JSONL" }).click();
    const text = await readFile(await (await coming).path(), "utf8");
    return text.split("\n").filter(Boolean);
  };
  const records = log.map((line) => line.trimEnd());
  assert.deepEqual(await saved(), records);
  await page.waitForFunction(() => window.idle.length > 0);
  let before = -1;
  for (let more = 1; more > 0; before = more) {
    more = await page.evaluate(() => {
      const due = window.idle.splice(0);
      for (const run of due) run({ timeRemaining: () => 50 });
      return due.length;
    });
  }
  assert.equal(before, 0, "it comes to an end");
  assert.deepEqual(await saved(), records);
});
