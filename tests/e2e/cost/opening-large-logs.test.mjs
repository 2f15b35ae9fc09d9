// Tests how a large log opens: it is read in slices, and then has the rows that it has bit by bit.
// Counts bytes and elements, not milliseconds.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

import { Script } from "../support/events.mjs";
import { card, frames, nightly, scenario, snapshot, watchMemory } from "../support/harness.mjs";

const SLICE = 2 << 20;

/** A few megabytes: many turns of commands with long output. */
function large(turns = 900, script = new Script("large")) {
  for (let turn = 0; turn < turns; turn += 1) {
    script.user(`Question ${turn}: what about boat ${turn}?`, `user-${turn}`).turn(`${turn}`);
    script.shell(`tool-${turn}`, `ls boats/${turn}`).complete(`tool-${turn}`, `boat ${turn} lies at the pier\n`.repeat(150));
    script.say(`Answer ${turn}. ${"It lies at the pier, as it did before. ".repeat(turn % 9)}`, `said-${turn}`);
  }
  return script;
}

const jsonl = (events) => events.map((event) => `${JSON.stringify(event)}\n`).join("");

async function empty(stage, options) {
  return stage.embed(await stage.files(), `transport="none"`, options);
}

/**
 * In the page: pushes a log as bytes, records the state after the first slice and again
 * when the log has been read.
 */
async function open(page, log, { meanwhile, before = "" } = {}) {
  await page.evaluate((log) => {
    window.element = document.querySelector("pilot-house");
    window.root = element.shadowRoot;
    window.scroller = root.querySelector("[data-scroller]");
    window.look = () => {
      const rows = [...root.querySelectorAll("[data-entry]")];
      return {
        reading: element.hasAttribute("data-reading"),
        busy: root.querySelector('[part="timeline"]').getAttribute("aria-busy"),
        status: element.dataset.status,
        awaited: root.querySelector(".bones") !== null,
        last: rows.at(-1)?.dataset.id,
        end: Math.round(scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop),
        elements: root.querySelectorAll("*").length,
      };
    };
    window.log = new TextEncoder().encode(log);
    // Between two slices the page posts a message to itself. Holding it back pauses the reading.
    const { postMessage } = MessagePort.prototype;
    const held = [];
    MessagePort.prototype.postMessage = function () {
      held.push(this);
    };
    window.goOn = () => {
      MessagePort.prototype.postMessage = postMessage;
      for (const port of held) port.postMessage(0);
    };
    window.drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  }, log);
  return page.evaluate(async ([meanwhile, before]) => {
    const done = new Promise((resolve) => {
      new MutationObserver((_, observer) => {
        if (element.hasAttribute("data-reading")) return;
        observer.disconnect();
        requestAnimationFrame(() => requestAnimationFrame(resolve));
      }).observe(element, { attributeFilter: ["data-reading"] });
    });
    const told = element.push(log);
    await drawn();
    const first = look();
    const between = meanwhile ? await new Function(`return (async () => { ${meanwhile} })()`)() : undefined;
    goOn();
    new Function(before)();
    await done;
    return { told, first, between, late: look() };
  }, [meanwhile, before]);
}

scenario("a large log is read in slices, and shown when it is read", async (stage) => {
  const page = await empty(stage);
  const { told, first, late } = await open(page, jsonl(large().events));
  assert.equal(told, 0, "nothing is accepted yet");
  assert.deepEqual([first.reading, first.busy, first.status], [true, "true", undefined], "nothing half true is told");
  assert.deepEqual([first.awaited, first.last], [true, undefined], "a placeholder stands where the log will be");
  assert.deepEqual([late.reading, late.busy, late.status, late.awaited], [false, "false", "running", false]);
  assert.equal(late.last, "said-899");
  assert.ok(late.end <= 1, `the end is ${late.end} px away`);
  assert.ok(late.elements <= 400, `${late.elements} elements`);
  const view = await snapshot(page);
  assert.equal(view.timeline.length, 900 * 3);
  assert.equal(view.events.malformed + view.events.duplicate, 0);
  const last = await page.locator('[data-id="said-899"]').evaluate((row) => [row.getAttribute("aria-posinset"), row.dataset.row]);
  assert.deepEqual(last, ["2700", "2699"]);
  // Later entries come behind it.
  await page.evaluate((line) => element.push(line), jsonl([{ type: "user.message", data: { content: "More", messageId: "more" }, id: "more" }]));
  await page.locator('[data-id="more"]').waitFor();
  assert.deepEqual(await page.locator("[data-entry]").evaluateAll((rows) => rows.slice(-2).map((row) => row.dataset.id)), ["said-899", "more"]);
});

scenario("no slice of a large log is longer than it may be, and bytes are not taken in before their turn", async (stage) => {
  const page = await empty(stage);
  await page.evaluate(() => {
    window.turns = [0];
    window.counted = () => {
      turns.push(0);
      const { postMessage } = MessagePort.prototype;
      MessagePort.prototype.postMessage = function (...message) {
        turns.push(0);
        return postMessage.apply(this, message);
      };
    };
    const { subarray } = Uint8Array.prototype;
    Uint8Array.prototype.subarray = function (from, to) {
      if (this === window.log) turns.push(turns.pop() + to - from);
      return subarray.call(this, from, to);
    };
    // A clock that stands still, so that only the number of bytes ends a slice.
    performance.now = () => 1;
  });
  const log = jsonl(large(1_800).events);
  await open(page, log, { before: "counted();" });
  const turns = await page.evaluate(() => window.turns.filter((bytes) => bytes > 0));
  const all = turns.reduce((sum, bytes) => sum + bytes);
  assert.ok(Math.max(...turns) <= SLICE + 65_536, `one slice of ${Math.max(...turns)} bytes`);
  assert.ok(all >= log.length && turns.length >= 4, `${turns.length} slices of ${log.length} bytes`);
});

scenario("while a log is read nothing can be answered, and what it settles is never asked", async (stage) => {
  const page = await empty(stage);
  await page.evaluate(() => {
    window.asked = [];
    document.addEventListener("pilothouse-request", ({ detail }) => asked.push(detail.id));
  });
  const script = new Script("large").user("Clean up").turn("asks").ask("before", "ls boats/");
  await page.evaluate((lines) => document.querySelector("pilot-house").push(lines), jsonl(script.take()));
  await page.locator('[data-request-id="before"] [data-answer]:enabled').first().waitFor();
  const log = jsonl(large(900, script).ask("over", "rm boats/old").ask("open", "ls boats/").take());
  const settled = jsonl(script.allowed("over").take());
  const { between } = await open(page, log, {
    meanwhile: `
      element.push(${JSON.stringify(settled)});
      return [...root.querySelectorAll("[data-answer]")].map((button) => button.disabled);`,
  });
  assert.ok(between.length >= 2 && between.every((disabled) => disabled), "no button can be pressed");
  await page.locator('[data-request-id="open"] [data-answer]:enabled').first().waitFor();
  assert.equal(await card(page, "over").count(), 0);
  assert.deepEqual(await page.evaluate(() => asked), ["before", "open"]);
});

scenario("the host is told what is asked, wherever frames fall between the slices", async (stage) => {
  const page = await empty(stage);
  await page.evaluate(() => {
    window.asked = [];
    document.addEventListener("pilothouse-request", ({ detail }) => asked.push(detail.id));
    // One piece a slice, and two frames after each.
    window.apart = () => {
      let time = performance.now();
      performance.now = () => (time += 5);
      const { postMessage } = MessagePort.prototype;
      MessagePort.prototype.postMessage = function (...message) {
        requestAnimationFrame(() => requestAnimationFrame(() => postMessage.apply(this, message)));
      };
    };
  });
  const script = large(120);
  script.turn("asks").ask("open", "ls boats/");
  // The last push changes nothing, so no frame is drawn for it.
  await open(page, jsonl(script.take()), { meanwhile: `element.push("\\n");`, before: "apart();" });
  assert.deepEqual(await page.evaluate(() => asked), ["open"]);
});

scenario("whoever asks for the session gets all of it, and a text is as good as bytes", async (stage) => {
  const page = await empty(stage);
  const log = jsonl(large(400).user("⛵🚤 boats".repeat(40_000), "wide").say("The end", "end").events);
  const view = await page.evaluate((log) => {
    const element = document.querySelector("pilot-house");
    element.push(log);
    const reading = element.hasAttribute("data-reading");
    const { session } = element;
    const view = session.snapshot();
    session.free();
    return { reading, timeline: view.timeline.length, wide: view.timeline.at(-2).text, lossy: view.diagnostics.length };
  }, log);
  assert.deepEqual([view.reading, view.timeline, view.lossy], [true, 400 * 3 + 2, 0]);
  assert.equal(view.wide, "⛵🚤 boats".repeat(40_000), "no character is parted");
  await page.locator('[data-id="end"]').waitFor();
});

for (const input of ["push", "pushFrame"]) {
  (input === "push" ? scenario : nightly)(`what the session gets by ${input} while a log is read comes behind the log, text or bytes`, async (stage) => {
    const page = await empty(stage);
    const script = large(400);
    const log = jsonl(script.take());
    const [text, bytes] = ["by text", "by bytes"].map((words) => jsonl(script.say(words).take()));
    const said = await page.evaluate(({ log, text, bytes, input }) => {
      const element = document.querySelector("pilot-house");
      element.push(log);
      const { session } = element;
      session[input](text);
      session[input](new TextEncoder().encode(bytes));
      const { timeline } = session.snapshot();
      session.free();
      return [timeline.length, ...timeline.slice(-2).map(({ text }) => text)];
    }, { log, text, bytes, input });
    assert.deepEqual(said, [400 * 3 + 2, "by text", "by bytes"]);
  });
}

scenario("another address, or leaving the page, ends the reading", async (stage) => {
  const page = await empty(stage);
  const log = jsonl(large().events);
  await page.evaluate((log) => {
    const element = document.querySelector("pilot-house");
    element.push(log);
    element.setAttribute("session", "another");
  }, log);
  await page.waitForFunction(() => !document.querySelector("pilot-house").hasAttribute("data-reading"));
  await frames(page);
  assert.equal((await snapshot(page)).timeline.length, 0);
  await page.evaluate(async (log) => {
    const element = document.querySelector("pilot-house");
    element.push(log);
    element.remove();
    await new Promise((done) => setTimeout(done));
  }, log);
  await frames(page);
});

nightly("a large log takes no more of the wasm's memory than twice its text", async (stage) => {
  const page = await empty(stage, { prepare: (page) => page.addInitScript(watchMemory) });
  const script = large(100);
  for (let number = 0; number < 4_000; number += 1) {
    const [content, detailedContent] = [`boat ${number} lies at the pier\n`.repeat(20), `- boat\n+ boat ${number}\n`.repeat(200)];
    script.shell(`more-${number}`, "ls").add("tool.execution_complete", { toolCallId: `more-${number}`, success: true, result: { content, detailedContent } });
  }
  const log = jsonl(script.events);
  const before = await page.evaluate(() => memory.buffer.byteLength);
  await open(page, log);
  const grown = (await page.evaluate(() => memory.buffer.byteLength)) - before;
  assert.ok(grown <= 2 * log.length, `${grown} bytes for a log of ${log.length}`);
});

scenario("folded lanes and closed tool cards have nothing in the document", async (stage) => {
  const page = await empty(stage);
  const script = new Script("lanes").user("Look at all boats").turn();
  const started = { toolCallId: "task", agentName: "scout", agentDisplayName: "Scout", agentDescription: "Looks" };
  script.add("subagent.started", started, { agentId: "scout" });
  for (let row = 0; row < 500; row += 1) script.add("assistant.message", { messageId: `lane-${row}`, content: `Boat ${row}`, toolRequests: [] }, { agentId: "scout" });
  script.add("subagent.completed", started, { agentId: "scout" });
  for (let row = 0; row < 3; row += 1) script.shell(`tool-${row}`, `ls ${row}`).complete(`tool-${row}`, "a boat\n".repeat(2_000));
  await page.evaluate((log) => document.querySelector("pilot-house").push(log), jsonl(script.say("All lie well", "last").events));
  await page.locator('[data-id="last"]').waitFor();
  const count = () =>
    page.evaluate(() => {
      const root = document.querySelector("pilot-house").shadowRoot;
      const position = root.querySelector('[data-id="last"]').getAttribute("aria-posinset");
      return { lanes: root.querySelectorAll('[data-id^="lane-"]').length, bodies: root.querySelectorAll(".card > .body > *").length, position };
    });
  assert.deepEqual(await count(), { lanes: 0, bodies: 0, position: "6" });
  await page.locator('[data-id="tool-1"] summary').click();
  await page.locator('[data-id="tool-1"] .body > *').first().waitFor();
  const { bodies } = await count();
  assert.ok(bodies > 0, "a body is made when it is opened");
});

scenario("a large file from disk is read in the same way, and the live session is there when the reader comes back", async (stage) => {
  const page = await empty(stage);
  await page.evaluate((log) => document.querySelector("pilot-house").push(log), jsonl(new Script("live").user("Live", "live").events));
  await page.locator('[data-id="live"]').waitFor();
  await page.evaluate((log) => {
    const root = document.querySelector("pilot-house").shadowRoot;
    const carried = new DataTransfer();
    carried.items.add(new File([log], "large.jsonl"));
    const init = { dataTransfer: carried, bubbles: true, composed: true, cancelable: true };
    root.querySelector("[data-scroller]").dispatchEvent(new DragEvent("drop", init));
  }, jsonl(large().events));
  await page.locator('[data-id="said-899"][aria-posinset="2700"]').waitFor();
  await page.locator('[role="feed"][aria-busy="false"]').waitFor();
  await page.getByRole("button", { name: "Back to the live session" }).click();
  await page.locator('[data-id="live"]').waitFor();
});

/** Turns with finished sub-agents in between, whose rows are folded away. */
function withSubagents(turns = 900) {
  const script = new Script("agents");
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

nightly("a large log has the rows that it has bit by bit", async (stage) => {
  const { events } = withSubagents();
  const page = await empty(stage);
  await open(page, jsonl(events));
  await frames(page);
  const whole = await look(page);

  const other = await empty(stage);
  await other.evaluate(async (lines) => {
    const element = document.querySelector("pilot-house");
    for (let at = 0; at < lines.length; at += 40) {
      element.push(lines.slice(at, at + 40).join(""));
      await new Promise((drawn) => requestAnimationFrame(drawn));
    }
  }, events.map((event) => jsonl([event])));
  await frames(other);
  const slowly = await look(other);
  assert.deepEqual(whole.end, slowly.end);
  assert.deepEqual(whole.beginning, slowly.beginning);
  assert.ok(Number(whole.end.at(-1)[1]) > Number(whole.end.at(-1)[2]), "rows of sub-agents are folded away");
});

scenario("the records of a large log can be read, before it was made smaller and after", async (stage) => {
  const page = await empty(stage);
  const { events } = withSubagents(400);
  // Compression runs in idle callbacks. They are held until the test runs them.
  await page.evaluate((log) => {
    window.idle = [];
    window.requestIdleCallback = (run) => window.idle.push(run);
    const element = document.querySelector("pilot-house");
    element.push(new TextEncoder().encode(log));
  }, jsonl(events));
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
  const records = events.map((event) => JSON.stringify(event));
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
