// Combines several runs into one figure and formats figures. Means are avoided, because
// one bad run would distort them.

export const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

/** The minimum of each figure, because other load on the machine can only add. */
export function best(runs) {
  const names = Object.keys(runs[0]).filter((name) => typeof runs[0][name] === "number");
  return Object.fromEntries(names.map((name) => [name, Math.min(...runs.map((run) => run[name]))]));
}

/** Formats like 0.24, 3.6, 31, 1,234. */
export function figure(value) {
  if (value === undefined || value === null || Number.isNaN(value)) return "";
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  const short = Number(value.toFixed(digits));
  return short.toLocaleString("en", { maximumFractionDigits: 2 });
}

/** Megabytes of 1,000,000 bytes. */
export const mega = (bytes) => figure(bytes / 1e6);

/** Kilobytes of 1,000 bytes. */
export const kilo = (bytes) => figure(bytes / 1e3);

/** A Markdown table. The first column is text, the others are figures. */
export function table(head, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, column) => (column ? "---:" : "---"))), ...rows.map(line)].join("\n");
}
