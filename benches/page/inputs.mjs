// Writes the inputs to disk once, and again when their generators change. They are not committed.

import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import * as extremes from "./inputs/extremes.mjs";
import * as logs from "./inputs/logs.mjs";

const FOLDER = new URL("inputs/", import.meta.url);

/**
 * Writes `NAME.jsonl`, and for inputs that arrive frame by frame `NAME.json` with the
 * number of lines in each.
 */
export async function make(folder) {
  const wanted = await version();
  const mark = join(folder, "version");
  if ((await readFile(mark, "utf8").catch(() => "")) === wanted) return;
  await mkdir(folder, { recursive: true });
  for (const [name, log] of Object.entries(logs)) {
    const lines = log();
    await writeFile(join(folder, `${name}.jsonl`), `${lines.join("\n")}\n`);
    console.log(`input ${name}: ${lines.length} events`);
  }
  for (const [name, log] of Object.entries(extremes)) {
    const frames = log();
    await writeFile(join(folder, `${name}.jsonl`), `${frames.flat().join("\n")}\n`);
    await writeFile(join(folder, `${name}.json`), JSON.stringify(frames.map((lines) => lines.length)));
    console.log(`input ${name}: ${frames.flat().length} events in ${frames.length} frames`);
  }
  await writeFile(mark, wanted);
}

async function version() {
  const hash = createHash("sha256");
  for (const file of (await readdir(FOLDER)).sort()) hash.update(await readFile(new URL(file, FOLDER)));
  return hash.digest("hex");
}
