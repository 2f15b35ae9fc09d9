// Tests how a large log opens: its end first, the rest in slices, and nothing on screen moves at the swap.
// Counts bytes and elements, not milliseconds.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { card, frames, scenario, snapshot, watchMemory } from "../support/harness.mjs";

const SLICE = 2 << 20;

/** A few megabytes: many turns of commands with long output. */
function large(turns = 900) {
  const script = new Script("large");
  for (let turn = 0; turn < turns; turn += 1) {
    script.user(`Question ${turn}: what about boat ${turn}?`, `user-${turn}`).turn(`${turn}`);
    script.shell(`tool-${turn}`, `ls boats/${turn}`).complete(`tool-${turn}`, `boat ${turn} lies at the pier\n`.repeat(150));
    script.say(`Answer ${turn}. ${"It lies at the pier, as it did before. ".repeat(turn % 9)}`, `said-${turn}`);
  }
  return script;
}

const jsonl = (events) => events.map((event) => `${JSON.stringify(event)}\n`).join("");

async function empty(stage, options) {
  return stage.embed(await stage.serve(), `transport="none"`, options);
}

/**
 * In the page: pushes a log as bytes, records the state in the first frame and again
 * when the log has been read.
 */
async function open(page, log, { meanwhile, before = "" } = {}) {
  await page.evaluate((log) => {
    window.element = document.querySelector("pilot-house");
    window.root = element.shadowRoot;
    window.scroller = root.querySelector("[data-scroller]");
    window.look = () => {
      const rows = [...root.querySelectorAll("[data-entry]")];
      const shown = rows.find((row) => row.getBoundingClientRect().bottom > scroller.getBoundingClientRect().top + 1);
      return {
        reading: element.hasAttribute("data-reading"),
        busy: root.querySelector('[role="feed"]')?.getAttribute("aria-busy"),
        status: element.dataset.status,
        header: root.querySelector(".bar .word").textContent,
        last: rows.at(-1)?.dataset.id,
        first: shown?.dataset.id,
        top: shown?.getBoundingClientRect().top,
        tops: Object.fromEntries(rows.map((row) => [row.dataset.id, row.getBoundingClientRect().top])),
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
    // Resolves after everything that measures rows in the same frame.
    window.drawn = () =>
      new Promise((done) => {
        requestAnimationFrame(() => {
          const observer = new ResizeObserver(() => {
            observer.disconnect();
            done();
          });
          observer.observe(scroller);
        });
      });
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
    while (!root.querySelector("[data-entry]")) await drawn();
    const early = look();
    window.early = [...root.querySelectorAll("[data-entry]")];
    const between = meanwhile ? await new Function(`return (async () => { ${meanwhile} })()`)() : undefined;
    goOn();
    new Function(before)();
    await done;
    const kept = window.early.filter((row) => row.isConnected).length;
    return { told, early, between, late: look(), kept, rows: window.early.length };
  }, [meanwhile, before]);
}

/** The first visible row has not moved. A pixel is allowed, because the heights above it are whole pixels. */
function stays({ first, top }, { tops }) {
  assert.ok(Math.abs(tops[first] - top) <= 1, `${first} moved from ${top} to ${tops[first]}`);
}

scenario("the end of a large log is there before the log is read, and nothing of it is made anew", async (stage) => {
  const page = await empty(stage);
  const { told, early, late, kept, rows } = await open(page, jsonl(large().events));
  assert.equal(told, 0, "nothing is accepted yet");
  assert.equal(early.reading, true, "the log is not read when its end is there");
  assert.deepEqual([early.busy, early.status, early.header], ["true", undefined, "Loading"], "nothing half true is told");
  assert.equal(early.last, "said-899");
  assert.ok(early.end <= 1, `the end is ${early.end} px away`);
  assert.deepEqual([late.reading, late.busy, late.status], [false, "false", "running"]);
  assert.equal(late.last, "said-899");
  assert.ok(late.end <= 1, `the end is ${late.end} px away`);
  stays(early, late);
  assert.ok(kept >= 5 && kept === rows, `${kept} of ${rows} rows are the same elements`);
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

scenario("what a reader selected, focused and scrolled to in the end of a log stays", async (stage) => {
  const page = await empty(stage);
  const { early, between, late } = await open(page, jsonl(large().events), {
    meanwhile: `
      scroller.scrollTop -= 700;
      scroller.dispatchEvent(new Event("scroll"));
      await drawn();
      await drawn();
      const row = [...root.querySelectorAll('[data-entry="assistant"]')].find((row) => row.getBoundingClientRect().top > 100);
      row.focus({ preventScroll: true });
      const text = row.querySelector("p")?.firstChild ?? row.querySelector(".prose").firstChild.firstChild;
      getSelection().setBaseAndExtent(text, 0, text, 6);
      window.focused = row;
      return look();`,
  });
  assert.equal(between.reading, true, "it is still read");
  assert.ok(between.end > 300, "the reader is not at the end");
  assert.notEqual(between.first, early.first);
  assert.equal(late.reading, false);
  stays(between, late);
  assert.equal(await page.evaluate(() => root.activeElement === window.focused), true, "the focus is where it was");
  assert.equal(await page.evaluate(() => root.getSelection().toString()), "Answer");
  await page.getByRole("button", { name: "Jump to latest" }).click();
  await frames(page);
  await page.locator('[data-id="said-899"]').waitFor();
});

scenario("what is asked at the end of a log can be answered once the log is read, and not if it is settled behind it", async (stage) => {
  const page = await empty(stage);
  await page.evaluate(() => {
    window.asked = [];
    document.addEventListener("pilothouse-request", ({ detail }) => asked.push(detail.id));
  });
  const script = large();
  script.turn("asks").ask("over", "rm boats/old").ask("open", "ls boats/");
  const log = jsonl(script.take());
  const settled = jsonl(script.allowed("over").take());
  const { between } = await open(page, log, {
    meanwhile: `
      element.push(${JSON.stringify(settled)});
      return [...root.querySelectorAll("[data-answer]")].map((button) => button.disabled);`,
  });
  assert.ok(between.length >= 2 && between.every((disabled) => disabled), "no button can be pressed");
  await page.locator('[data-request-id="open"] [data-answer]:enabled').first().waitFor();
  assert.equal(await card(page, "over").count(), 0);
  assert.deepEqual(await page.evaluate(() => asked), ["open"]);
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
  scenario(`what the session gets by ${input} while a log is read comes behind the log, text or bytes`, async (stage) => {
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

scenario("a large log takes no more of the wasm's memory than twice its text", async (stage) => {
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

scenario("a large file from disk shows its end first as well, and the live session is there when the reader comes back", async (stage) => {
  const page = await empty(stage);
  await page.evaluate((log) => document.querySelector("pilot-house").push(log), jsonl(new Script("live").user("Live", "live").events));
  await page.locator('[data-id="live"]').waitFor();
  const seen = await page.evaluate(
    async (log) => {
      const root = document.querySelector("pilot-house").shadowRoot;
      const { postMessage } = MessagePort.prototype;
      const held = [];
      MessagePort.prototype.postMessage = function () {
        held.push(this);
      };
      const carried = new DataTransfer();
      carried.items.add(new File([log], "large.jsonl"));
      const init = { dataTransfer: carried, bubbles: true, composed: true, cancelable: true };
      root.querySelector("[data-scroller]").dispatchEvent(new DragEvent("drop", init));
      const there = () => root.querySelector('[data-id="said-899"]');
      const until = (condition) => new Promise((done) => {
        const look = () => (condition() ? done() : requestAnimationFrame(look));
        look();
      });
      await until(there);
      const [row, busy] = [there(), root.querySelector('[role="feed"]').getAttribute("aria-busy")];
      MessagePort.prototype.postMessage = postMessage;
      for (const port of held) port.postMessage(0);
      await until(() => root.querySelector('[role="feed"]').getAttribute("aria-busy") === "false");
      return { busy, same: row === there(), position: there().getAttribute("aria-posinset") };
    },
    jsonl(large().events),
  );
  assert.deepEqual(seen, { busy: "true", same: true, position: "2700" });
  await page.getByRole("button", { name: "Back to the live session" }).click();
  await page.locator('[data-id="live"]').waitFor();
});
