// Measures reducing bytes to state: ours and the peers' reducers in the same page, as ratios to `JSON.parse`
// of each line; also growth and memory. Uses CPU time, because other programs distort the wall clock.

import { metrics, tidy } from "../browser.mjs";
import { median } from "../numbers.mjs";

/** How many events of each log the peers get, because their cost grows with the length. */
const PEERS = { deltas: 20_007, agentic: 10_000 };

/** Whatever takes longer than this, in ms, is run once. */
const SLOW = 3_000;

export async function reduce(kit, { quick }) {
  const found = {};
  for (const name of quick ? ["deltas"] : ["deltas", "agentic", "long"]) {
    found[name] = await race(kit, quick ? 2 : 5, "prepareReduce", name);
    if (name in PEERS) found[name].peers = await race(kit, 1, "preparePeers", name, quick ? 2_000 : PEERS[name]);
  }
  return found;
}

export async function growth(kit, { quick }) {
  return race(kit, quick ? 1 : 5, "prepareGrowth");
}

/** Memory for the log of 100,000 events and the one of 10,000 rows, each in a fresh page. */
export async function kept(kit) {
  const found = {};
  for (const name of ["agentic", "long"]) {
    found[name] = await kit.page(({ page }) => page.evaluate(kit.call("reduce", "kept", name)));
  }
  return found;
}

/**
 * Medians in ms of CPU by name. They take turns, the first round is a warm-up, and the
 * cost of an empty run is subtracted.
 */
async function race(kit, rounds, prepare, ...given) {
  return kit.page(async ({ page, session }) => {
    const { names, ...about } = await page.evaluate(kit.call("reduce", prepare, ...given));
    const times = Object.fromEntries(names.map((name) => [name, []]));
    for (let round = -1; round < rounds; round += 1) {
      for (const name of names) {
        if (times[name][0] > SLOW) continue;
        await tidy(session);
        const before = await metrics(session);
        await page.evaluate(kit.call("reduce", "run", name));
        const after = await metrics(session);
        const took = (after.TaskDuration - before.TaskDuration) * 1000;
        if (round >= 0 || took > SLOW) times[name].push(took);
      }
    }
    const { nothing, ...ms } = Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]));
    for (const name of Object.keys(ms)) {
      ms[name] -= nothing;
      kit.say(`${[...given, name].join(", ")}: ${ms[name].toFixed(1)} ms of CPU`);
    }
    if (about.texts) kit.say(`${given.join(", ")}: texts are written by ${about.texts}`);
    return { ...about, ms };
  });
}
