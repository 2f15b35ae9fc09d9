// Fills everything of a page that can grow, up to its limit and beyond, each in a tab of its own. Prints what the tab needs then
// and what it says, as the table in docs/reliability.md. Fails if something is not said, or needs more than it may.
//
//   node tests/soak/bounds.mjs [PART OF A NAME]
//
// PILOTHOUSE_BIN names the gateway, target/release/pilothouse by default, and CHROMIUM the browser.

import assert from "node:assert/strict";

import { needed, open } from "./tab.mjs";

/**
 * What can grow: `limit` is stated in the docs, `most` the MB that the tab may need, WebAssembly and JavaScript together, `says`
 * what the page then has, and `fill` runs in the page with the element and `push`, which takes the type and the data of an event.
 */
const CASES = [
  {
    name: "one event",
    limit: "32 MiB",
    most: 400,
    says: /longer than/,
    async fill({ push, element }) {
      push("assistant.message", { messageId: "long", content: "word ".repeat((31 << 20) / 5) });
      element.push(`{"type":"assistant.message","data":{"content":"${"word ".repeat((33 << 20) / 5)}"}}\n`);
    },
  },
  {
    name: "an event that never ends",
    limit: "32 MiB",
    most: 250,
    says: /longer than/,
    async fill({ element, frame }) {
      element.push('{"type":"assistant.message","data":{"content":"');
      for (let part = 0; part < 96; part += 1) {
        element.push("word ".repeat((1 << 20) / 5));
        await frame();
      }
      element.push('"}}\n');
    },
  },
  {
    name: "lines of a terminal",
    limit: "10,000 lines",
    most: 200,
    says: /earlier lines/,
    async fill({ push, frame }) {
      push("tool.execution_start", { toolCallId: "t", toolName: "bash", arguments: { command: "yes" } });
      for (let part = 0; part < 200; part += 1) {
        push("tool.execution_partial_result", { toolCallId: "t", partialOutput: `${"x".repeat(99)}\n`.repeat(1000) }, true);
        await frame();
      }
    },
  },
  {
    name: "one line of a terminal",
    limit: "8,192 columns",
    most: 150,
    says: /xxxx/,
    async fill({ push }) {
      push("tool.execution_start", { toolCallId: "t", toolName: "bash", arguments: { command: "yes" } });
      push("tool.execution_partial_result", { toolCallId: "t", partialOutput: "x".repeat(20 << 20) }, true);
    },
  },
  {
    name: "nested data",
    limit: "128 levels",
    most: 100,
    says: /\[{60}/,
    async fill({ element }) {
      element.push(`{"type":"who.knows","data":{"deep":${"[".repeat(1e6)}${"]".repeat(1e6)}}}\n`);
    },
  },
  {
    name: "a list of many items",
    limit: "100 at once",
    most: 300,
    says: /Show 100 more of 1000000|more of/,
    async fill({ push }) {
      push("who.knows", { list: Array.from({ length: 1e6 }, (_, at) => at) });
    },
  },
  {
    name: "markdown, nested",
    limit: "24 levels",
    most: 150,
    says: /deep/,
    async fill({ push }) {
      push("assistant.message", { messageId: "nested", content: `${"> ".repeat(50_000)}deep` });
    },
  },
  {
    name: "lines that can't be read",
    limit: "200 are kept",
    most: 100,
    says: /20000 records could not be read/,
    async fill({ element, frame }) {
      for (let part = 0; part < 200; part += 1) {
        element.push("no JSON at all\n".repeat(100));
        await frame();
      }
    },
  },
  {
    name: "open requests",
    limit: "the program's memory",
    most: 150,
    says: /5000 requests wait/,
    async fill({ push, frame }) {
      for (let number = 0; number < 5000; number += 1) {
        push("permission.requested", { requestId: `r${number}`, permissionRequest: { kind: "shell", fullCommandText: `ls berth-${number}`, intention: "Look" } });
        if (number % 100 === 0) await frame();
      }
    },
  },
  {
    name: "sub-agents",
    limit: "the program's memory",
    most: 150,
    says: /agent/i,
    async fill({ push, frame }) {
      for (let number = 0; number < 5000; number += 1) {
        push("subagent.started", { toolCallId: `a${number}`, agentName: "explore", agentDisplayName: `Agent ${number}`, agentDescription: "Looks" });
        if (number % 100 === 0) await frame();
      }
    },
  },
  {
    name: "entries",
    limit: "the program's memory",
    most: 500,
    says: /the last one/,
    async fill({ push, frame }) {
      for (let number = 0; number < 200_000; number += 1) {
        push("assistant.message", { messageId: `m${number}`, content: number === 199_999 ? "the last one" : `Boat ${number} lies at the pier, with its sails down.` });
        if (number % 1000 === 0) await frame();
      }
    },
  },
  {
    name: "ids of events",
    limit: "the program's memory",
    most: 400,
    says: /last words/,
    async fill({ push, frame }) {
      push("assistant.message_start", { messageId: "m" }, true);
      for (let number = 0; number < 500_000; number += 1) {
        push("assistant.message_delta", { messageId: "m", deltaContent: number === 499_999 ? "\n\nlast words" : number % 50 ? "" : "a " }, true);
        if (number % 2000 === 0) await frame();
      }
    },
  },
  {
    name: "types of events",
    limit: "1,024 are counted by name",
    most: 200,
    says: /odd\.type/,
    async fill({ push, frame }) {
      for (let number = 0; number < 20_000; number += 1) {
        push(`odd.type_${number}`, { number });
        if (number % 500 === 0) await frame();
      }
    },
  },
  {
    name: "the event log",
    limit: "256 MiB, compressed",
    most: 450,
    says: /the log is full/,
    async fill({ push, frame }) {
      // Random letters, which can't be compressed much, where nothing keeps them but the log.
      const bytes = new Uint8Array(48 << 10);
      for (let part = 0; part < 600; part += 1) {
        let padding = "";
        for (let piece = 0; piece < 16; piece += 1) padding += btoa(String.fromCharCode(...crypto.getRandomValues(bytes)));
        push("assistant.streaming_delta", { totalResponseSizeBytes: part, padding }, true);
        await frame();
      }
    },
  },
];

const only = process.argv[2] ?? "";
const wrong = [];
console.log("| what | limit | tried with, MB | wasm, MB | JavaScript, MB | nodes | seconds |\n| --- | --- | ---: | ---: | ---: | ---: | ---: |");
for (const one of CASES.filter(({ name }) => name.includes(only))) {
  const endings = [];
  const said = [];
  try {
    const page = await open({ atEnd: (end) => endings.push(end) }, said);
    const inspector = await page.context().newCDPSession(page);
    const { sent, seconds } = await page.evaluate(`(${fill})(${one.fill.toString().replace(/^async fill/, "async function")})`);
    const { heap, stored, wasm, nodes } = await needed(page, inspector);
    const whole = (number) => Math.round(number).toLocaleString("en");
    console.log(`| ${one.name} | ${one.limit} | ${(sent / 1e6).toFixed(1)} | ${whole(wasm)} | ${whole(heap + stored)} | ${whole(nodes)} | ${seconds.toFixed(1)} |`);
    const words = await page.evaluate(opened);
    if (!one.says.test(words)) wrong.push(`${one.name}: ${one.says} is not said: …${words.slice(-600)}`);
    if (heap + stored + wasm > one.most) wrong.push(`${one.name}: ${whole(heap + stored + wasm)} MB instead of ${one.most} at most`);
    // Whatever was too much, the next event is shown.
    await page.evaluate(() => document.querySelector("pilot-house").push('\n{"type":"user.message","id":"next","data":{"messageId":"next","content":"And now the next one"}}\n'));
    await page.waitForFunction(() => {
      const own = document.querySelector("pilot-house").session;
      const view = own.snapshot();
      own.free();
      return view.timeline.at(-1)?.text === "And now the next one";
    });
    wrong.push(...said.map((line) => `${one.name}: the console says ${line}`));
  } finally {
    for (const end of endings.reverse()) await end();
  }
}
assert.deepEqual(wrong, []);

/** Runs in the page: opens what is folded and the event log, and returns what is shown. */
async function opened() {
  const { shadowRoot } = document.querySelector("pilot-house");
  const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
  for (let times = 0; times < 3; times += 1) {
    for (const fold of shadowRoot.querySelectorAll("details:not([open]) > summary")) fold.click();
    await frame();
  }
  const words = shadowRoot.textContent;
  shadowRoot.querySelector("[data-scroller]").dispatchEvent(new KeyboardEvent("keydown", { key: "e", bubbles: true, composed: true }));
  for (let times = 0; times < 3; times += 1) await frame();
  return words + shadowRoot.textContent;
}

/** Runs in the page: one `fill`, and waits until everything is read and shown. */
async function fill(given) {
  const element = document.querySelector("pilot-house");
  let sent = 0;
  let number = 0;
  const counted = {
    push: (text) => {
      sent += text.length;
      return element.push(text);
    },
  };
  const push = (type, data, ephemeral = false) => {
    number += 1;
    const id = `${String(number).padStart(8, "0")}-0000-4000-8000-000000000000`;
    counted.push(`${JSON.stringify({ type, data, id, timestamp: new Date(1.79e12 + number).toISOString(), parentId: null, ephemeral })}\n`);
  };
  const frame = () => new Promise(requestAnimationFrame);
  const began = performance.now();
  push("session.start", { sessionId: "bounds", version: 1, producer: "test", startTime: new Date(1.79e12).toISOString() });
  push("assistant.turn_start", { turnId: "0" });
  await given({ push, element: counted, frame });
  while (element.hasAttribute("data-reading")) await frame();
  for (let times = 0; times < 4; times += 1) await frame();
  return { sent, seconds: (performance.now() - began) / 1000 };
}
