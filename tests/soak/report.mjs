// What both soaks share: their arguments, the comparison of the end with the beginning, and the files with the figures.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { recorded } from "./events.mjs";

/** How much more the last tenth of the sessions may need than the second tenth. */
const MOST = 1.25;
/** Recordings of the runtime: answers and reasoning in deltas, tools, permissions, questions, notices, sub-agents, errors. */
const RECORDINGS = [
  "e2e/data/permissions.jsonl",
  "sessions/notices/events.jsonl",
  "sessions/fix-failing-test/events.jsonl",
  "sessions/subagents/events.jsonl",
  "sessions/ask-and-form/events.jsonl",
];

const root = new URL("../../", import.meta.url);
export const repository = (path) => fileURLToPath(new URL(path, root));

/** `--sessions N --events N --pictures DIR`. */
export function options() {
  const { values } = parseArgs({
    options: {
      sessions: { type: "string", default: "200" },
      events: { type: "string", default: "10000" },
      pictures: { type: "string", default: repository("docs/images/reliability") },
    },
  });
  const count = (name) => {
    const number = Number(values[name]);
    if (!Number.isInteger(number) || number < 1) throw new Error(`--${name} must be a whole number, 1 or more`);
    return number;
  };
  return { sessions: count("sessions"), events: count("events"), pictures: values.pictures };
}

/** The text of every recording, and one round of them. */
export async function recordings() {
  const texts = await Promise.all(RECORDINGS.map((path) => readFile(repository(`tests/${path}`), "utf8")));
  return { texts, round: recorded(texts) };
}

export function quantile(numbers, part) {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

export const median = (numbers) => quantile(numbers, 0.5);

/** `1234567` as `1,234,567`, and fractions with one digit. */
const figure = (number) => number.toLocaleString("en", { maximumFractionDigits: number < 100 ? 1 : 0 });

/** One line of a measurement: what it is, its value, its unit. */
export const line = (row, fields) => fields.map(({ key, name, unit }) => `${name} ${figure(row[key])}${unit && ` ${unit}`}`).join(" · ");

/**
 * Writes `NAME.json` and `NAME.svg` and prints the comparison. `fields` are `{key, name, unit, kept}`, `kept` for what must
 * not grow. Returns whether it did not. The picture shows memory and latency: lists of `{key, name}`.
 */
export async function finish(name, rows, fields, { options, title, memory, latency, about }) {
  const tenth = Math.max(1, Math.floor(rows.length / 10));
  const part = (from) => (key) => median(rows.slice(from, from + tenth).map((row) => row[key]));
  const [first, second, last] = [0, Math.min(tenth, rows.length - tenth), rows.length - tenth].map(part);
  const compared = fields.map((field) => ({ ...field, first: first(field.key), second: second(field.key), last: last(field.key) }));
  console.log(`\n${figure(rows.at(-1).events)} events in ${rows.length} sessions; medians of the first, the second and the last tenth:`);
  for (const { name, unit, kept, first, second, last } of compared) {
    const limit = kept ? `, at most ${figure(second * MOST)}` : "";
    console.log(`  ${name}: ${figure(first)}, ${figure(second)}, ${figure(last)} ${unit}${limit}`);
  }
  const grown = compared.filter(({ kept, second, last }) => kept && last > second * MOST);
  for (const { name } of grown) console.error(`${name} has grown.`);

  await mkdir(options.pictures, { recursive: true });
  const tenths = Object.fromEntries(compared.map(({ key, first, second, last }) => [key, { first, second, last }]));
  const figures = { ...about, sessions: rows.length, events: rows.at(-1).events, tenths, rows };
  const rounded = (_, value) => (typeof value === "number" ? Math.round(value * 100) / 100 : value);
  const text = JSON.stringify(figures, rounded, 1).replace(/\{\n\s+"session"[^}]*\}/g, (row) => row.replace(/\s*\n\s*/g, " "));
  await writeFile(`${options.pictures}/${name}.json`, `${text}\n`);
  await writeFile(`${options.pictures}/${name}.svg`, picture(title, rows, [memory, latency]));
  return grown.length === 0;
}

const [WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM] = [300, 230, 44, 64, 16, 36];

/** Two small curves over the number of events, as SVG. */
function picture(title, rows, panels) {
  const most = rows.at(-1).events;
  const inside = panels.map((panel, at) => `<g transform="translate(${at * WIDTH} 0)">${curves(panel, rows, most)}</g>`).join("\n");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH * 2} ${HEIGHT}" width="${WIDTH * 2}" height="${HEIGHT}" role="img" aria-label="${title}">
<style>
  :root { --page: #fff; --text: #1f2328; --quiet: #59636e; --line: #d8dde3; --first: #0a62c4; --second: #a8480c }
  @media (prefers-color-scheme: dark) { :root { --page: #16191d; --text: #e6e9ed; --quiet: #9aa4af; --line: #333a42; --first: #6cb0ff; --second: #f0a35e } }
  text { font: 12px system-ui, sans-serif; fill: var(--quiet); font-variant-numeric: tabular-nums }
  .title { font-weight: 600; fill: var(--text); font-size: 13px }
  .first { stroke: var(--first) } .second { stroke: var(--second) }
  text.first { stroke: none; fill: var(--first) } text.second { stroke: none; fill: var(--second) }
  path { fill: none; stroke-width: 1.5; stroke-linejoin: round } .grid { stroke: var(--line); stroke-width: 1 }
</style>
<rect width="100%" height="100%" rx="6" fill="var(--page)"/>
${inside}
</svg>
`;
}

function curves({ title, unit, lines }, rows, most) {
  const top = roof(Math.max(...rows.flatMap((row) => lines.map(({ key }) => row[key]))));
  const x = (events) => LEFT + ((WIDTH - LEFT - RIGHT) * events) / most;
  const y = (value) => HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * value) / top;
  const at = (number) => number.toFixed(1);
  const grid = [0, 0.5, 1].map((part) => {
    const height = at(y(top * part));
    return `<path class="grid" d="M${LEFT} ${height}H${WIDTH - RIGHT}"/><text x="${LEFT - 8}" y="${Number(height) + 4}" text-anchor="end">${figure(top * part)}</text>`;
  });
  const feet = [0, 0.5, 1].map((part) => {
    const anchor = ["start", "middle", "end"][part * 2];
    return `<text x="${at(x(most * part))}" y="${HEIGHT - 18}" text-anchor="${anchor}">${events(most * part)}</text>`;
  });
  let place = LEFT;
  const drawn = lines.map(({ key, name }, number) => {
    const kind = number ? "second" : "first";
    const points = rows.map((row) => `${at(x(row.events))} ${at(y(row[key]))}`).join("L");
    const label = `<text class="${kind}" x="${place}" y="46">${name}</text>`;
    place += name.length * 6.6 + 18;
    return `<path class="${kind}" d="M${points}"/>${lines.length > 1 ? label : ""}`;
  });
  return [`<text class="title" x="${LEFT}" y="26">${title}, ${unit}</text>`, ...grid, ...feet, ...drawn].join("\n");
}

/** The number of events for an axis. */
function events(number) {
  if (number >= 1_000_000) return `${figure(number / 1_000_000)} million`;
  return number ? figure(number) : "0 events";
}

/** A round number above this one, for the top of an axis. */
function roof(number) {
  const size = 10 ** Math.floor(Math.log10(number));
  return [1, 2, 3, 4, 5, 6, 8, 10].map((times) => times * size).find((top) => top >= number * 1.05) ?? 20 * size;
}
