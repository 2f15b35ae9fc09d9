// The goals: what is compared, the limit, and whether it holds. What was not measured is listed as such.

import { figure } from "./numbers.mjs";

const atMost = (limit, unit = "") => ({ words: `≤ ${limit.toLocaleString("en")}${unit}`, holds: (value) => value <= limit, unit });
const atLeast = (limit) => ({ words: `≥ ${limit}`, holds: (value) => value >= limit, unit: "" });

const LOGS = [
  ["deltas", 0.75, 1.8],
  ["agentic", 0.85, 1.9],
  ["long", 0.9, 2.0],
];

/** What is measured, the limit, and how to read it from the results; an exception means not measured. */
const GOALS = [
  ...LOGS.map(([log, limit]) => [`bytes to state, ${log}: ratio to \`JSON.parse\` of each line`, atMost(limit), (m) => toParse(m, log, "bytes")]),
  ...LOGS.map(([log, , limit]) => [`text frames to state, ${log}: ratio to the same`, atMost(limit), (m) => toParse(m, log, "text")]),
  ["events a second at 100,000 against 10,000", atLeast(0.9), ({ growth }) => growth.ms.short / growth.ms.long],
  ["20,000 deltas, CPU: ratio to Streamdown", atMost(0.25), (m) => ours(m).cpu / m.stream.streamdown[20_000].cpu],
  ["20,000 deltas, CPU: ratio to react-markdown", atMost(0.033), (m) => ours(m).cpu / m.stream["react-markdown"][20_000].cpu],
  ["20,000 deltas, CPU: ratio to plain text", atMost(4), (m) => ours(m).cpu / m.stream["plain text"][20_000].cpu],
  ["CPU of 20,000 deltas against 5,000", atMost(3), (m) => ours(m).cpu / ours(m, 5_000).cpu],
  ["3,000 events a second: longest task", atMost(50, " ms"), ({ paced }) => paced.found.pilothouse.longest],
  ["3,000 events a second: frame, 99th percentile", atMost(20, " ms"), ({ paced }) => paced.found.pilothouse.p99Frame],
  ["after 20,000 deltas: JavaScript heap", atMost(4, " MB"), (m) => ours(m).heap / 1e6],
  ["after 20,000 deltas: wasm memory", atMost(8, " MB"), (m) => ours(m).wasm / 1e6],
  ["after 20,000 deltas: elements", atMost(3_900), (m) => ours(m).elements],
  ["10,000 rows: complete", atMost(350, " ms"), ({ resume }) => resume.pilothouse.complete],
  ["10,000 rows: longest task", atMost(50, " ms"), ({ resume }) => resume.pilothouse.longest],
  ["10,000 rows: elements", atMost(400), ({ resume }) => resume.pilothouse.elements],
  ["10,000 rows: worst frame while scrolling", atMost(25, " ms"), ({ resume }) => resume.pilothouse.scrollWorst],
  ["100,000 events to state: ratio to decode and `JSON.parse`", atMost(0.5), ({ reduce }) => reduce.agentic.ms.bytes / reduce.agentic.ms["decode, split, JSON.parse"]],
  ["100,000 events: wasm memory to text kept", atMost(2), ({ kept }) => kept.agentic.after / kept.agentic.text],
  ...[
    ["message", "a message of 4 MB"],
    ["output", "a tool result of 5 MB"],
    ["notices", "50,000 notices"],
    ["agents", "64 sub-agents at once"],
  ].map(([name, words]) => [`${words}: longest task while arriving`, atMost(50, " ms"), ({ flood }) => (flood[name].arrived < 1 ? Infinity : flood[name].longest)]),
  ["first file set, brotli", atMost(280, " kB"), ({ size }) => firstLoad(size.ours) / 1e3],
  ["until answer, tool card and approval are complete, brotli", atMost(450, " kB"), ({ network }) => network.pilothouse.bytes / 1e3],
  ["fetched without anybody's action, panel closed, brotli", atMost(600, " kB"), ({ network }) => network.end.bytes / 1e3],
  ["Fast 3G, CPU four times as slow, first words: ratio to assistant-ui", atMost(0.5), (m) => toAssistantUi(m, "words")],
  ["the same: approval can be read", atMost(0.5), (m) => toAssistantUi(m, "approval")],
  ["the same: approval can be answered", atMost(1.5), (m) => toAssistantUi(m, "answer")],
  ["99,500 events over 20 Mbit/s: last words", atMost(500, " ms"), ({ late }) => late["20 Mbit/s"].words],
  ["the same: all of it, and live", atMost(2_500, " ms"), ({ late }) => late["20 Mbit/s"].live],
  ["99,500 events over Fast 3G: last words", atMost(1_500, " ms"), ({ late }) => late["Fast 3G"].words],
  ["the same: all of it, and live", atMost(20_000, " ms"), ({ late }) => late["Fast 3G"].live],
  ["bytes over the line for it", atMost(3.5, " MB"), ({ late }) => late["20 Mbit/s"].bytes / 1e6],
  ["gateway's page, CPU four times as slow: interactive", atMost(1_000, " ms"), ({ load }) => load.first.interactive],
  ["idle for a minute: scripts run", atMost(0), ({ idle }) => idle.script],
  ["idle for a minute: layouts and paints", atMost(0), ({ idle }) => idle.drawn],
];

const toParse = ({ reduce }, log, way) => reduce[log].ms[way] / reduce[log].ms["JSON.parse"];
const toAssistantUi = ({ network }, what) => network.pilothouse[what] / network["assistant-ui"][what];
const ours = ({ stream }, count = 20_000) => stream.pilothouse[count];
export const firstLoad = ({ html, js, css, wasm }) => html + js + css + wasm;

/** Rows of text: what, goal, measured, whether it is reached. */
export function goals(measures) {
  return GOALS.map(([what, { words, holds, unit }, read]) => {
    let value = NaN;
    try {
      value = read(measures) ?? NaN;
    } catch {
      // Not measured.
    }
    if (Number.isNaN(value)) return [what, words, "not measured", ""];
    if (value === Infinity) return [what, words, "given up", "**no**"];
    return [what, words, `${figure(value)}${unit}`, holds(value) ? "yes" : "**no**"];
  });
}
