// Measures the cost of streaming an answer: CPU of the main thread, frames, memory. Nothing is extrapolated:
// renderers with quadratic cost get fewer deltas.

import { heap, longest, metrics, tasks, tidy, traced } from "../browser.mjs";
import { median } from "../numbers.mjs";

/** Which renderer streams how many deltas, and how often; the slow ones once. */
const PLAN = [
  { name: "plain text", counts: [5_000, 10_000, 20_000], rounds: 3 },
  { name: "pilothouse", counts: [5_000, 10_000, 20_000], rounds: 3 },
  { name: "marked, tail", counts: [5_000, 10_000, 20_000], rounds: 1 },
  { name: "streamdown", counts: [5_000, 10_000, 20_000], rounds: 3 },
  { name: "react-markdown", counts: [5_000, 10_000, 20_000], rounds: 1 },
  { name: "assistant-ui", counts: [5_000, 10_000], rounds: 1 },
];
const QUICK = [
  { name: "plain text", counts: [2_500, 5_000], rounds: 1 },
  { name: "pilothouse", counts: [2_500, 5_000], rounds: 1 },
  { name: "streamdown", counts: [2_500], rounds: 1 },
  { name: "react-markdown", counts: [2_500], rounds: 1 },
];
const BATCH = 50;
const PACE = { perSecond: 3_000 };

/** `{renderer: {count: {cpu, heap, …}}}`. The renderers take turns within each round. */
export async function stream(kit, { quick }) {
  const plan = quick ? QUICK : PLAN;
  const runs = {};
  for (let round = 0; round < Math.max(...plan.map(({ rounds }) => rounds)); round += 1) {
    for (const count of [...new Set(plan.flatMap(({ counts }) => counts))]) {
      for (const { name, counts, rounds } of plan) {
        if (round >= rounds || !counts.includes(count)) continue;
        const run = await once(kit, name, count, { batch: BATCH });
        kit.say(`${name}, ${count} deltas: ${run.cpu.toFixed(2)} s of CPU`);
        ((runs[name] ??= {})[count] ??= []).push(run);
      }
    }
  }
  const middle = (list) => ({ ...list[0], cpu: median(list.map(({ cpu }) => cpu)), runs: list.length });
  return Object.fromEntries(
    Object.entries(runs).map(([name, counts]) => [
      name,
      Object.fromEntries(Object.entries(counts).map(([count, list]) => [count, middle(list)])),
    ]),
  );
}

/** At the pace of a fast model: 3,000 events a second by the clock. */
export async function paced(kit, { quick }) {
  const found = {};
  const count = quick ? 5_000 : 20_000;
  for (const name of ["plain text", "pilothouse", "streamdown", "react-markdown"]) {
    if (quick && name === "react-markdown") continue;
    const [timed, traces] = [[], []];
    for (let round = 0; round < (quick || name === "react-markdown" ? 1 : 3); round += 1) {
      // Tracing uses the processors that draw, so frames are timed in runs without it.
      timed.push(await framed(kit, name, count));
      traces.push(await watched(kit, name, count));
      kit.say(`${name}, paced: p99 frame ${timed.at(-1).p99Frame.toFixed(0)} ms, longest task ${traces.at(-1).longest.toFixed(0)} ms`);
    }
    // The best of several runs, because other load on the machine can only make it worse.
    const calmest = (runs, by) => runs.toSorted((a, b) => a[by] - b[by])[0];
    found[name] = { ...calmest(timed, "p99Frame"), ...calmest(traces, "longest") };
  }
  return { count, found };
}

/** A page with a renderer that is ready for its deltas, after garbage collection. */
function prepared(kit, name, count, use) {
  return kit.page(async ({ page, session }) => {
    await page.evaluate(kit.call("main", "prepareStream", name, count));
    await tidy(session);
    return use(session, (pace) => page.evaluate(kit.call("main", "stream", pace)));
  });
}

function once(kit, name, count, pace) {
  return prepared(kit, name, count, async (session, streamed) => {
    const before = await metrics(session);
    const seen = await streamed(pace);
    const after = await metrics(session);
    return { ...seen, cpu: after.TaskDuration - before.TaskDuration, heap: await heap(session) };
  });
}

/** The tasks of one run, from the browser's trace. */
function watched(kit, name, count) {
  return prepared(kit, name, count, async (session, streamed) => {
    const { events } = await traced(session, () => streamed(PACE));
    return longest(tasks(events));
  });
}

/** The frames of another run. */
function framed(kit, name, count) {
  return prepared(kit, name, count, (_, streamed) => streamed(PACE));
}
