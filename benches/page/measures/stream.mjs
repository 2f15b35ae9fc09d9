// Owns what a streaming answer costs: CPU of the main thread, frames, memory. Refuses to extrapolate: a renderer whose cost
// grows with the square of the length is run for as long as it is worth waiting for, and no further.

import { heap, longest, metrics, tasks, tidy, traced } from "../browser.mjs";
import { median } from "../numbers.mjs";

/** Who streams how much, and how often; the slow ones once. */
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

/** `{renderer: {count: {cpu, heap, …}}}`; the renderers take turns within each round. */
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

/** As a fast model speaks: 3,000 events a second by the clock. */
export async function paced(kit, { quick }) {
  const found = {};
  const count = quick ? 5_000 : 20_000;
  for (const name of ["plain text", "pilothouse", "streamdown", "react-markdown"]) {
    if (quick && name === "react-markdown") continue;
    const [timed, traces] = [[], []];
    for (let round = 0; round < (quick || name === "react-markdown" ? 1 : 3); round += 1) {
      // To write the timeline takes the processors that draw, so frames are timed in a run without it.
      timed.push(await framed(kit, name, count));
      traces.push(await watched(kit, name, count));
      kit.say(`${name}, paced: p99 frame ${timed.at(-1).p99Frame.toFixed(0)} ms, longest task ${traces.at(-1).longest.toFixed(0)} ms`);
    }
    // Of several runs the calmest: what else the machine does can only make it worse.
    const calmest = (runs, by) => runs.toSorted((a, b) => a[by] - b[by])[0];
    found[name] = { ...calmest(timed, "p99Frame"), ...calmest(traces, "longest") };
  }
  return { count, found };
}

/** A page in which a renderer waits for its deltas, and nothing is left to give back. */
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

/** The tasks of one run, from the browser's timeline. */
function watched(kit, name, count) {
  return prepared(kit, name, count, async (session, streamed) => {
    const { events } = await traced(session, () => streamed(PACE));
    return longest(tasks(events));
  });
}

/** The frames of another. */
function framed(kit, name, count) {
  return prepared(kit, name, count, (_, streamed) => streamed(PACE));
}
