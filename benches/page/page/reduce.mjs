// The candidates for reducing bytes to state: `JSON.parse`, reducers in JavaScript, the peers' own, and ours,
// in the same page. The runner measures the CPU time of each.

import { wasmBytes } from "./memory.mjs";
import { runAgui, runAiSdk, translate } from "./peers.mjs";
import { library } from "./pilothouse.mjs";
import { Entries, NOTHING, reduceById } from "./reducers.mjs";

const CHUNK = 65_536;
const encoder = new TextEncoder();
const read = async (name, most = Infinity) => (await (await fetch(`/inputs/${name}.jsonl`)).text()).split("\n").slice(0, -1).slice(0, most);

/** Whole lines, in chunks of about 64 KB. */
function chunked(lines) {
  const out = [];
  let waiting = [];
  let length = 0;
  for (const line of lines) {
    waiting.push(line);
    length += line.length + 1;
    if (length < CHUNK) continue;
    out.push(encoder.encode(`${waiting.join("\n")}\n`));
    [waiting, length] = [[], 0];
  }
  if (waiting.length > 0) out.push(encoder.encode(`${waiting.join("\n")}\n`));
  return out;
}

/** One `JSON.parse` a line, each a string already: the lower bound of any program in JavaScript. */
const parse = (lines) => () => lines.reduce((sum, line) => sum + JSON.parse(line).type.length, 0);

/** The same from the network's bytes. */
const decodeAndParse = (chunks) => () => {
  const decoder = new TextDecoder();
  let sum = 0;
  for (const chunk of chunks) {
    for (const line of decoder.decode(chunk, { stream: true }).split("\n")) if (line) sum += JSON.parse(line).type.length;
  }
  return sum;
};

const byHand = (lines) => () => {
  const entries = new Entries();
  for (const line of lines) entries.push(JSON.parse(line));
  return entries.list.length;
};

const byId = (lines) => () => {
  let state = NOTHING;
  for (const line of lines) state = reduceById(state, JSON.parse(line));
  return state.order.length;
};

/** Ours. It must accept every line. */
const ours = (Session, method, parts, wanted) => () => {
  const session = new Session();
  let records = 0;
  for (const part of parts) records += session[method](part);
  session.free();
  if (records !== wanted) throw new Error(`${records} of ${wanted} events were taken`);
};

/** How a text frame gets into the wasm's memory: the encoder's methods that are called, or that none is. */
function wayOfTexts(Session) {
  const { prototype } = TextEncoder;
  const session = new Session();
  const called = new Set();
  const own = ["encode", "encodeInto"].map((name) => [name, prototype[name]]);
  for (const [name, method] of own) {
    prototype[name] = function (...given) {
      called.add(name);
      return method.apply(this, given);
    };
  }
  try {
    session.pushFrame(JSON.stringify({ type: "session.idle", id: "way", data: {} }));
  } finally {
    Object.assign(prototype, Object.fromEntries(own));
    session.free();
  }
  return [...called].join(", ") || "no encoder";
}

let runners = {};

/** Runs one of the prepared candidates. */
export async function run(name) {
  await runners[name]();
}

const ready = (all, about) => {
  runners = { nothing: () => {}, ...all };
  return { ...about, names: Object.keys(runners) };
};

/** Prepares a whole log, without peers. */
export async function prepareReduce(name) {
  const { Session } = await library();
  const lines = await read(name);
  const chunks = chunked(lines);
  const frames = lines.map((line) => encoder.encode(line));
  // A socket delivers strings of their own, but `split` gives slices of the whole log,
  // whose characters take two bytes each.
  const texts = lines.map((line) => JSON.parse(JSON.stringify(line)));
  const all = {
    "JSON.parse": parse(lines),
    "decode, split, JSON.parse": decodeAndParse(chunks),
    "by hand": byHand(lines),
    bytes: ours(Session, "push", chunks, lines.length),
    text: ours(Session, "pushFrame", texts, lines.length),
    "text parts": ours(Session, "pushFrame", lines, lines.length),
    "byte frames": ours(Session, "pushFrame", frames, lines.length),
  };
  return ready(all, { events: lines.length, texts: wayOfTexts(Session) });
}

/** Prepares the first `most` events of a log, for the slower candidates. */
export async function preparePeers(name, most) {
  const lines = await read(name, most);
  const theirs = translate(lines);
  const all = {
    "JSON.parse": parse(lines),
    "immutable, by id": byId(lines),
    "AI SDK": () => runAiSdk(theirs.chunks),
    "AG-UI": () => runAgui(theirs.agui),
  };
  return ready(all, { events: lines.length });
}

/**
 * Compares the cost of an event in a ten times longer session: the same events in ten sessions, or in one.
 */
export async function prepareGrowth() {
  const { Session } = await library();
  const lines = await read("agentic");
  const tenth = Math.floor(lines.length / 10);
  const parts = Array.from({ length: 10 }, (_, part) => lines.slice(part * tenth, (part + 1) * tenth));
  const short = parts.map((part) => ours(Session, "push", chunked(part), part.length));
  const long = ours(Session, "push", chunked(lines), lines.length);
  return ready({ long, short: () => short.forEach((run) => run()) }, { events: lines.length });
}

/** One session in a fresh page: the memory that it needs, and the amount of text that it holds. */
export async function kept(name) {
  const { Session } = await library();
  const lines = await read(name);
  const text = textKept(lines);
  const chunks = chunked(lines);
  const before = wasmBytes();
  const session = new Session();
  for (const chunk of chunks) session.push(chunk);
  const after = wasmBytes();
  session.free();
  return { events: lines.length, before, after, text };
}

/**
 * UTF-8 bytes of what users and the model read in the end: messages, reasoning,
 * arguments, both kinds of results.
 */
function textKept(lines) {
  const texts = new Map();
  const keep = (id, text) => texts.set(id, text ?? "");
  for (const line of lines) {
    if (/^\{"type":"assistant\.(?:message|reasoning)_delta"/.test(line)) continue;
    const { type, data, id } = JSON.parse(line);
    if (type === "user.message") keep(id, data.content);
    else if (type === "assistant.message") keep(data.messageId, data.content);
    else if (type === "assistant.reasoning") keep(data.reasoningId, data.content);
    else if (type === "tool.execution_start") keep(`${data.toolCallId} input`, JSON.stringify(data.arguments));
    else if (type === "tool.execution_complete") {
      keep(`${data.toolCallId} content`, data.result ? data.result.content : data.error.message);
      keep(`${data.toolCallId} detail`, data.result?.detailedContent);
    }
  }
  return [...texts.values()].reduce((sum, text) => sum + encoder.encode(text).length, 0);
}
