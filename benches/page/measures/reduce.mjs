// Owns bytes to state: our reducer and everybody's, in the same page, as ratios to JSON.parse of each line; growth; memory.
// Refuses to compare times of different runs.

/** What the peers are given of each log: their cost grows with what they have. */
const PEERS = { deltas: 20_007, agentic: 10_000 };

export async function reduce(kit, { quick }) {
  const found = {};
  for (const name of quick ? ["deltas"] : ["deltas", "agentic", "long"]) {
    found[name] = await kit.fresh("reduce", `reduce`, name, quick ? 2 : 5);
    if (!(name in PEERS)) continue;
    found[name].peers = await kit.fresh("reduce", `reducePeers`, name, quick ? 2_000 : PEERS[name], 1);
  }
  return found;
}

export async function growth(kit, { quick }) {
  return kit.fresh("reduce", "growth", quick ? 1 : 3);
}

/** The log of 100,000 events and the one of 10,000 rows, each in a page that has held nothing else. */
export async function kept(kit) {
  const found = {};
  for (const name of ["agentic", "long"]) found[name] = await kit.fresh("reduce", "kept", name);
  return found;
}
