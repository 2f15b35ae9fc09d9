// The tables of docs/performance.md: one for each measurement, and one for the goals. They contain no dates,
// and no names or paths of machines.

import { arch, cpus, platform, totalmem } from "node:os";

import { firstLoad, goals } from "./goals.mjs";
import { figure, kilo, mega, table } from "./numbers.mjs";

const NAMES = {
  pilothouse: "**Pilothouse**",
  "plain text": "plain text, an element a block (the floor)",
  "marked, tail": "marked by hand, only the tail",
  streamdown: "Streamdown",
  "virtual list": "plain-DOM virtual list (the floor)",
  "react-virtual": "React + react-virtual",
  "react rows": "React + react-markdown, all rows",
  "streamdown rows": "Streamdown, all rows",
  "assistant-ui rows": "assistant-ui's thread",
  react: "React alone, a counter",
  "react-markdown": "React + react-markdown",
  "ai-sdk-streamdown": "AI SDK + Streamdown",
  "ag-ui-react-markdown": "AG-UI + react-markdown",
  "assistant-ui": "assistant-ui",
  "assistant-ui-approval": "assistant-ui with a tool card and an approval",
};
const called = (name) => NAMES[name] ?? name;
const seconds = (value) => (value === undefined ? "" : value.cpu.toFixed(2));

/** `{name: table}` for what was measured. The goals are always included. */
export function tables({ browser, measures }) {
  const makers = { reduce, stream, paced, resume, flood, kept, size, network, late, memory, load };
  const made = Object.entries(makers).filter(([name]) => measures[name]);
  const goal = table(["what", "goal", "measured", "reached"], goals(measures));
  return { machine: machine(browser), goals: goal, ...Object.fromEntries(made.map(([name, make]) => [name, make(measures[name])])) };
}

function machine(browser) {
  const all = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `${all[0]?.model.trim()}, ${all.length} cores, ${memory}, ${platform()} on ${arch()}; Chromium ${browser}, headless; Node ${process.version.slice(1)}`;
}

/** Ratios to `JSON.parse` of the same lines in the same run. */
function reduce(found) {
  const logs = Object.keys(found);
  const ratio = (log, name) => found[log].ms[name] / found[log].ms["JSON.parse"];
  const line = (words, name) => [words, ...logs.map((log) => figure(ratio(log, name)))];
  const peer = (name) => [
    name,
    ...logs.map((log) => {
      const { peers } = found[log];
      if (!peers) return "";
      const first = peers.events < found[log].events ? ` (first ${peers.events.toLocaleString("en")} events)` : "";
      return figure(peers.ms[name] / peers.ms["JSON.parse"]) + first;
    }),
  ];
  // How text frames were written into wasm. If it were not the same for all logs, their
  // figures could not be compared.
  const ways = [...new Set(logs.map((log) => `\`${found[log].texts}\``))];
  const rate = (log, name) => `${figure(found[log].events / found[log].ms[name] / 1e3)} M`;
  return table(
    ["", ...logs],
    [
      ["`JSON.parse` of each line, lines already strings (events/s)", ...logs.map((log) => `1 (${rate(log, "JSON.parse")})`)],
      line("decode, split, `JSON.parse`, from bytes", "decode, split, JSON.parse"),
      line("reducer by hand in JavaScript, in place", "by hand"),
      ["**Pilothouse, chunks of 64 KB**", ...logs.map((log) => `**${figure(ratio(log, "bytes"))}** (${rate(log, "bytes")})`)],
      line("Pilothouse, a byte frame an event", "byte frames"),
      line(`Pilothouse, a text frame an event (${ways.join("; ")})`, "text"),
      line("the same, each a part of a longer text", "text parts"),
      peer("immutable, by id"),
      peer("AI SDK"),
      peer("AG-UI"),
    ],
  );
}

function stream(found) {
  const counts = [...new Set(Object.values(found).flatMap((runs) => Object.keys(runs)))].map(Number).sort((a, b) => a - b);
  const rows = Object.entries(found).map(([name, runs]) => {
    const most = counts.findLast((count) => runs[count]);
    const { heap, wasm, elements } = runs[most];
    const at = most === counts.at(-1) ? "" : ` (${most.toLocaleString("en")})`;
    return [called(name), ...counts.map((count) => seconds(runs[count])), mega(heap) + at, wasm ? mega(wasm) : "", elements.toLocaleString("en")];
  });
  return table(["", ...counts.map((count) => `${count.toLocaleString("en")}, s`), "JS heap, MB", "wasm, MB", "elements"], rows);
}

function paced({ found }) {
  const rows = Object.entries(found).map(([name, run]) => [called(name), figure(run.longest), figure(run.p99Frame), figure(run.worstFrame), figure(run.cpu), figure(run.wall / 1000)]);
  return table(["", "longest task, ms", "99 % of frames within, ms", "worst frame, ms", "CPU, s", "done after, s"], rows);
}

function resume(found) {
  const rows = Object.entries(found).map(([name, run]) => [
    called(name),
    ...[run.firstPaint, run.complete, run.longest, run.cpu].map(figure),
    mega(run.heap),
    run.wasm ? mega(run.wasm) : "",
    run.elements.toLocaleString("en"),
    figure(run.scrollWorst),
  ]);
  return table(["", "first paint, ms", "complete, ms", "longest task, ms", "CPU, s", "JS heap, MB", "wasm, MB", "elements", "worst scroll frame, ms"], rows);
}

function flood(found) {
  const words = { message: "a message of 4 MB, 6.5 kB a frame", output: "a tool result of 5 MB, 64 KB a frame, then whole", notices: "50,000 notices, 500 a frame", agents: "64 sub-agents at once, 100 events a frame" };
  const rows = Object.entries(found).map(([name, run]) => [
    words[name] + (run.arrived < 1 ? `; given up after ${figure(run.arrived * 100)} % of it` : ""),
    ...[run.longest, run.over, run.p99Frame].map(figure),
    mega(run.heap),
    mega(run.wasm),
    run.elements.toLocaleString("en"),
  ]);
  return table(["", "longest task, ms", "tasks over 50 ms", "99 % of frames within, ms", "JS heap, MB", "wasm, MB", "elements"], rows);
}

function kept(found) {
  const rows = Object.entries(found).map(([name, { events, text, after }]) => [name, events.toLocaleString("en"), mega(text), mega(after), figure(after / text)]);
  return table(["", "events", "text kept, MB", "wasm memory, MB", "ratio"], rows);
}

function size({ ours, peers }) {
  const kinds = ["html", "js", "css", "wasm"].map((kind) => [`Pilothouse: ${kind}`, kilo(ours[kind])]);
  const others = Object.entries(peers).sort(([, a], [, b]) => a - b);
  return table(["", "kB"], [["**Pilothouse**", `**${kilo(firstLoad(ours))}**`], ...kinds, ...others.map(([name, bytes]) => [called(name), kilo(bytes)])]);
}

function network({ end, ...pages }) {
  const rows = Object.entries(pages).map(([name, { words, approval, answer, complete, bytes }]) => [called(name), ...[words, approval, answer, complete].map(figure), kilo(bytes)]);
  const last = `In the end Pilothouse has fetched ${kilo(end.bytes)} kB in ${end.files} files, without anybody's action and with the panel closed.`;
  return `${table(["", "first words, ms", "approval read, ms", "answered, ms", "complete, ms", "fetched until then, kB"], rows)}\n\n${last}`;
}

function late(found) {
  const rows = Object.entries(found).map(([name, { words, live, bytes }]) => [name, figure(words), figure(live), mega(bytes)]);
  return table(["", "last words, ms", "all of it and live, ms", "over the line, MB"], rows);
}

function memory({ lines, text, recorded, followed }) {
  const rows = [["a recording: the whole log", recorded], ["followed live: what is left", followed]];
  return table([`${figure(lines)} events, ${mega(text)} MB of text`, "MB"], rows.map(([words, mb]) => [words, figure(mb)]));
}

function load({ first, again }) {
  const line = (words, { painted, shown, interactive }) => [words, ...[painted, shown, interactive].map(figure)];
  return table(["", "first paint, ms", "session shown, ms", "interactive, ms"], [line("first visit", first), line("again", again)]);
}
