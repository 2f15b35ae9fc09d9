// Tests the benches: inputs are the same on every machine, and goals report what was missed or not measured.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { goals } from "../../../benches/page/goals.mjs";
import * as extremes from "../../../benches/page/inputs/extremes.mjs";
import { agentic, deltas, long } from "../../../benches/page/inputs/logs.mjs";
import { best, figure, median } from "../../../benches/page/numbers.mjs";
import { tables } from "../../../benches/page/tables.mjs";

test("the inputs are the same bytes on every machine, and as long as they are said to be", () => {
  const mark = (lines) => createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 16);
  const rows = (lines) => lines.filter((line) => /^\{"type":"(?:user\.message|assistant\.(?:message|reasoning)|tool\.execution_start|subagent\.started)"/.test(line)).length;
  const logs = { deltas: deltas(500), agentic: agentic(2_000, 4), long: long(300) };
  assert.equal(logs.deltas.length, 507);
  assert.equal(logs.agentic.length, 2_000);
  assert.equal(rows(logs.long), 300);
  assert.deepEqual(Object.fromEntries(Object.entries(logs).map(([name, lines]) => [name, mark(lines)])), {
    deltas: "02a0c7631e41b78d",
    agentic: "744f82fc1d6d4eec",
    long: "a94df0e681834478",
  });
  assert.equal(extremes.notices(1_200).flat().length, 1_201);
  const [, ...agents] = extremes.agents(3, 30).flat().map((line) => JSON.parse(line));
  assert.equal(new Set(agents.map(({ agentId }) => agentId).filter(Boolean)).size, 3);
  const ids = [...logs.agentic, ...extremes.agents(3, 30).flat()].map((line) => JSON.parse(line).id);
  assert.equal(new Set(ids).size, ids.length);
});

test("a goal is reached, missed, or not measured, and says which", () => {
  const told = (measures, what) => goals(measures).find(([words]) => words.startsWith(what)).slice(1);
  const ms = (bytes) => ({ reduce: { deltas: { ms: { "JSON.parse": 100, bytes } } } });
  assert.deepEqual(told(ms(75), "bytes to state, deltas"), ["≤ 0.75", "0.75", "yes"]);
  assert.deepEqual(told(ms(76), "bytes to state, deltas"), ["≤ 0.75", "0.76", "**no**"]);
  assert.deepEqual(told({}, "bytes to state, deltas"), ["≤ 0.75", "not measured", ""]);
  assert.deepEqual(told({ growth: { ms: { short: 89, long: 100 } } }, "events a second"), ["≥ 0.9", "0.89", "**no**"]);
  assert.deepEqual(told({ idle: { script: 0, drawn: 2 } }, "idle for a minute: scripts"), ["≤ 0", "0", "yes"]);
  assert.deepEqual(told({ idle: { script: 0, drawn: 2 } }, "idle for a minute: layouts"), ["≤ 0", "2", "**no**"]);
  // A flood counts as withstood only if all of it arrived.
  const flood = (arrived) => ({ flood: { message: { longest: 30, arrived } } });
  assert.deepEqual(told(flood(1), "a message of 4 MB"), ["≤ 50 ms", "30 ms", "yes"]);
  assert.equal(told(flood(0.3), "a message of 4 MB")[2], "**no**");
});

test("tables name the machine's kind and no place of it", () => {
  const { machine, goals: told, ...rest } = tables({ browser: "156", measures: {} });
  assert.match(machine, /\d+ cores, .*Chromium 156/);
  assert.ok(!/(?:\/home|\/tmp|\/Users)/.test(machine) && told.startsWith("| what | goal | measured | reached |"));
  assert.deepEqual(rest, {}, "nothing is told that was not measured");
});

test("figures are short, and several runs become one without a mean", () => {
  assert.deepEqual([0, 0.034, 3.6, 31.24, 1234.5].map(figure), ["0", "0.03", "3.6", "31.2", "1,235"]);
  assert.equal(median([9, 1, 2]), 2);
  assert.deepEqual(best([{ a: 1, b: 5 }, { a: 2, b: 4 }]), { a: 1, b: 4 });
});
