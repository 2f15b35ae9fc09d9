// Measures opening a long log, and floods: the longest task of the main thread in the
// browser's trace, until the page has come to rest.

import { heap, longest, tasks, tidy, traced } from "../browser.mjs";
import { best } from "../numbers.mjs";

const ROWS = [
  ["pilothouse", 3],
  ["virtual list", 3],
  ["react-virtual", 2],
  ["react rows", 1],
  ["streamdown rows", 1],
  ["assistant-ui rows", 1],
];

/** 10,000 rows; the best of several runs. */
export async function resume(kit, { quick }) {
  const found = {};
  for (const [name, rounds] of quick ? ROWS.slice(0, 2) : ROWS) {
    const [timed, traces] = [[], []];
    for (let round = 0; round < (quick ? 1 : rounds); round += 1) {
      // Tracing uses the processors that draw, so frames are timed in runs without it.
      timed.push(
        await opened(kit, name, async ({ page, session }) => {
          const run = await page.evaluate(kit.call("main", "openLog"));
          return { ...run, heap: await heap(session) };
        }),
      );
      traces.push(
        await opened(kit, name, async ({ page, session }) => {
          const { events } = await traced(session, () => page.evaluate(kit.call("main", "openLog")));
          return longest(tasks(events));
        }),
      );
      kit.say(`${name}: first paint ${timed.at(-1).firstPaint.toFixed(0)} ms, longest task ${traces.at(-1).longest.toFixed(0)} ms`);
    }
    found[name] = { ...best(timed), ...best(traces) };
  }
  return found;
}

function opened(kit, name, use) {
  return kit.page(async ({ page, session }) => {
    await page.evaluate(kit.call("main", "prepareLog", name));
    await tidy(session);
    return use({ page, session });
  });
}

/** The extreme inputs, pushed into the element, a chunk a frame. */
export async function flood(kit, { quick }) {
  const found = {};
  for (const name of quick ? ["output"] : ["message", "output", "notices", "agents"]) {
    found[name] = await kit.page(async ({ page, session }) => {
      await page.evaluate(kit.call("main", "prepareFlood", name));
      await tidy(session);
      const budget = name === "message" ? 45_000 : 30_000;
      const run = await traced(session, () => page.evaluate(kit.call("main", "flood", { budget })));
      return { ...run.found, ...longest(tasks(run.events)), heap: await heap(session) };
    });
    const { arrived, longest: ms } = found[name];
    kit.say(`${name}: longest task ${ms.toFixed(0)} ms${arrived < 1 ? `, only ${(arrived * 100).toFixed(0)} % arrived` : ""}`);
  }
  return found;
}
