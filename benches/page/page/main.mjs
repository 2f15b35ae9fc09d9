// The functions that the runner calls in the page: preparing a renderer outside of the measured time, then
// streaming, opening a log, or flooding it.

import { wasmBytes } from "./memory.mjs";

import { frame, painted, quiet, task, watch } from "./clock.mjs";
import { Entries, entryIds } from "./reducers.mjs";

const RENDERERS = {
  pilothouse: () => import("./pilothouse.mjs").then((it) => it.pilothouse),
  "plain text": () => import("./dom.mjs").then((it) => it.plainText),
  "marked, tail": () => import("./dom.mjs").then((it) => it.markedTail),
  "react-markdown": () => import("./react.jsx").then((it) => it.reactMarkdown),
  streamdown: () => import("./react.jsx").then((it) => it.streamdown),
  "assistant-ui": () => import("./assistant-ui.jsx").then((it) => it.assistantUi),
  "virtual list": () => import("./dom.mjs").then((it) => it.virtualList),
  "react-virtual": () => import("./react.jsx").then((it) => it.reactVirtual),
  "react rows": () => import("./react.jsx").then((it) => it.reactRows),
  "streamdown rows": () => import("./react.jsx").then((it) => it.streamdownRows),
  "assistant-ui rows": () => import("./assistant-ui.jsx").then((it) => it.assistantUiRows),
};

const END = "END-OF-STREAM-0xE0F";
const root = () => document.getElementById("root");
const text = async (name) => (await fetch(`/inputs/${name}.jsonl`)).text();
const elements = (more) => document.querySelectorAll("*").length + more;

let ready;

/** Prepares streaming the first `count` deltas. */
export async function prepareStream(name, count) {
  const pieces = [];
  for (const line of (await text("deltas")).split("\n")) {
    if (pieces.length === count) break;
    if (line.startsWith('{"type":"assistant.message_delta"')) pieces.push(JSON.parse(line).data.deltaContent);
  }
  const renderer = await RENDERERS[name]();
  ready = { pieces, handle: await renderer.mount(root(), pieces) };
  await painted();
}

/**
 * Streams `batch` pieces at once, the next when the page is idle; or in each frame as
 * many as are due at `perSecond`.
 */
export async function stream({ batch, perSecond }) {
  const { pieces, handle } = ready;
  const seen = watch();
  performance.mark("opened");
  const start = performance.now();
  for (let at = 0; at < pieces.length; ) {
    await (perSecond ? frame() : task());
    const due = perSecond ? Math.ceil(((performance.now() - start) / 1000) * perSecond) : at + batch;
    const to = Math.min(Math.max(due, at + 1), pieces.length);
    handle.take(at, to);
    at = to;
  }
  handle.end(`${pieces.join("")}\n\n${END}`, `\n\n${END}`);
  await painted();
  while (!handle.shown(END)) await painted();
  const wall = performance.now() - start;
  performance.mark("settled");
  // The input's memory is not part of the renderer's.
  pieces.length = 0;
  return { wall, ...(await seen.end()), elements: elements(handle.count()), wasm: handle.wasmBytes() };
}

/** Loads a long log and prepares a renderer for it. */
export async function prepareLog(name) {
  const log = await text("long");
  const lines = log.split("\n").slice(0, -1);
  const renderer = await RENDERERS[name]();
  const scroller = document.getElementById("scroller");
  ready = { ids: entryIds(lines.slice(-12)), events: lines.length };
  ready.handle = renderer.prepareLog
    ? await renderer.prepareLog(root(), log)
    : { open: () => renderer.mountRows(root(), reduced(log), scroller), scroller: () => scroller, shown: () => true, count: () => 0 };
  await quiet(300);
}

function reduced(log) {
  const entries = new Entries();
  for (let from = 0, to = log.indexOf("\n"); to >= 0; from = to + 1, to = log.indexOf("\n", from)) {
    entries.push(JSON.parse(log.slice(from, to)));
  }
  return entries.list;
}

/** Opens the log: until its end is shown, until everything is done, and then a scroll through all of it. */
export async function openLog() {
  const { handle, ids, events } = ready;
  performance.mark("opened");
  const start = performance.now();
  handle.open();
  do await painted();
  while (!handle.shown(ids));
  const firstPaint = performance.now() - start;
  while (handle.reading?.()) await painted();
  const complete = performance.now() - start;
  await quiet();
  performance.mark("settled");
  const counts = { elements: elements(handle.count()), wasm: handle.wasmBytes?.() ?? 0 };
  const scrolled = await scroll(handle.scroller());
  // Checking everything takes time and memory of its own, so it comes last.
  const taken = handle.events?.() ?? events;
  if (taken !== events) throw new Error(`${taken} of ${events} events were there when the page had come to rest`);
  return { firstPaint, complete, ...counts, ...scrolled };
}

/** Jumps to forty places. Returns the worst frame. */
async function scroll(scroller) {
  const gaps = [];
  const height = scroller.scrollHeight;
  for (let jump = 0; jump < 40; jump += 1) {
    const before = performance.now();
    scroller.scrollTop = (height * ((jump * 7) % 40)) / 40;
    await painted();
    gaps.push(performance.now() - before);
  }
  gaps.sort((a, b) => a - b);
  return { scrollMedian: gaps[20], scrollWorst: gaps.at(-1) };
}

/** Prepares an input that arrives frame by frame, one chunk each. */
export async function prepareFlood(name) {
  const [log, sizes] = await Promise.all([text(name), (await fetch(`/inputs/${name}.json`)).json()]);
  const lines = log.split("\n");
  const encoder = new TextEncoder();
  let at = 0;
  const chunks = sizes.map((size) => encoder.encode(`${lines.slice(at, (at += size)).join("\n")}\n`));
  const { element, count, isReading } = await import("./pilothouse.mjs");
  ready = { chunks, made: await element(root()), count, isReading };
  await quiet(300);
}

/** Pushes a chunk a frame. What has not arrived after `budget` ms is left out, as `arrived` shows. */
export async function flood({ budget }) {
  const { chunks, made, count, isReading } = ready;
  const seen = watch();
  performance.mark("opened");
  const start = performance.now();
  let arrived = 0;
  for (const chunk of chunks) {
    await frame();
    if (performance.now() - start > budget) break;
    made.push(chunk);
    arrived += 1;
  }
  do await painted();
  while (isReading(made));
  await quiet();
  performance.mark("settled");
  const { p99Frame } = await seen.end();
  return { arrived: arrived / chunks.length, p99Frame, elements: elements(count(made.shadowRoot)), wasm: wasmBytes() };
}
