// Soaks the page: many sessions one after the other in one tab, each in an element of its own, which is removed before
// the next. Prints what the tab needs after each session, and fails if that grows.
//
//   node tests/soak/page.mjs --sessions 200 --events 10000
//
// PILOTHOUSE_BIN names the gateway, target/release/pilothouse by default, and CHROMIUM the browser.

import assert from "node:assert/strict";

import { finish, line, median, options, recordings } from "./report.mjs";
import { needed, open } from "./tab.mjs";

/** Events that a host has together in one piece, one piece a frame. */
const PIECE = 100;
/** How often the latency is measured after each session. */
const TIMES = 20;
const FIELDS = [
  { key: "heap", name: "JS heap", unit: "MB", kept: true },
  { key: "wasm", name: "wasm", unit: "MB", kept: true },
  { key: "nodes", name: "nodes", unit: "", kept: true },
  { key: "listeners", name: "listeners", unit: "", kept: true },
  { key: "latency", name: "latency", unit: "ms" },
];

const given = options();
const endings = [];
const stage = { atEnd: (end) => endings.push(end) };
const said = [];

try {
  const page = await open(stage, said);
  const inspector = await page.context().newCDPSession(page);
  const { texts } = await recordings();
  await page.evaluate((texts) => void (window.round = window.events.recorded(texts)), texts);
  const rows = [];
  for (let session = 1; session <= given.sessions; session += 1) {
    const shown = await page.evaluate(watch, { session: `soak-${session}`, count: given.events, piece: PIECE });
    assert.equal(shown, given.events, "every event is taken");
    const times = await page.evaluate(measure, { session, times: TIMES });
    const row = { session, events: session * given.events, ...(await needed(page, inspector)), latency: median(times) };
    rows.push(row);
    console.log(`session ${session} · ${line(row, FIELDS)}`);
    assert.deepEqual(said, [], "the console stays quiet");
  }
  const flat = await finish("page", rows, FIELDS, {
    options: given,
    title: "The page during the soak: memory and latency over the number of events",
    memory: { title: "Memory", unit: "MB", lines: [{ key: "wasm", name: "wasm" }, { key: "heap", name: "JavaScript heap" }] },
    latency: { title: "From push() to the screen", unit: "ms", lines: [{ key: "latency", name: "median" }] },
    about: { what: "One tab, one element a session. MB and ms; latency is the median of 20." },
  });
  process.exitCode = flat ? 0 : 1;
} finally {
  for (const end of endings.reverse()) await end();
}

/**
 * Runs in the page. Replaces the element and pushes a session into the new one, a piece a frame. Returns how many events the
 * element has taken.
 */
async function watch({ session, count, piece }) {
  document.querySelector("pilot-house")?.remove();
  const element = document.createElement("pilot-house");
  element.setAttribute("transport", "none");
  document.body.append(element);
  let taken = 0;
  let text = "";
  let at = 0;
  for (const one of window.events.lines(window.round, session, count)) {
    text += `${one}\n`;
    at += 1;
    if (at % piece && at < count) continue;
    taken += element.push(text);
    text = "";
    await new Promise(requestAnimationFrame);
  }
  while (element.hasAttribute("data-reading")) await new Promise(requestAnimationFrame);
  return taken;
}

/**
 * Runs in the page. Returns the milliseconds from the `push` of a delta to the frame in which the document has its words. The
 * pushes are at different moments between two frames.
 */
async function measure({ session, times }) {
  const element = document.querySelector("pilot-house");
  const root = element.shadowRoot;
  const messageId = `latency-${session}`;
  const push = (type, data, id) => element.push(`${JSON.stringify({ type, data, id: `${messageId}-${id}`, timestamp: new Date().toISOString(), parentId: null, ephemeral: true })}\n`);
  push("assistant.turn_start", { turnId: messageId }, "turn");
  push("assistant.message_start", { messageId }, "start");
  const all = [];
  for (let at = 0; at < times; at += 1) {
    await new Promise(requestAnimationFrame);
    await new Promise((later) => setTimeout(later, (at * 7) % 16));
    const words = `word${session}x${at}.`;
    const began = performance.now();
    push("assistant.message_delta", { messageId, deltaContent: `${words} ` }, at);
    for (;;) {
      await new Promise(requestAnimationFrame);
      if (root.textContent.includes(words)) break;
      if (performance.now() - began > 20_000) {
        const scroller = root.querySelector("[data-scroller]");
        const { scrollTop, scrollHeight, clientHeight } = scroller;
        const own = element.session;
        const last = own.snapshot().timeline.slice(-3).map(({ kind, state, text }) => ({ kind, state, text: text.slice(-60) }));
        own.free();
        const facts = { scrollTop, scrollHeight, clientHeight, last, reading: element.hasAttribute("data-reading"), visible: document.visibilityState, shown: scroller.innerText.slice(-400) };
        throw new Error(`'${words}' is not shown: ${JSON.stringify(facts)}`);
      }
    }
    all.push(performance.now() - began);
  }
  return all;
}
