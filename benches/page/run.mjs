// Runs the measurements and prints the tables. Results are kept with earlier ones of the same build; those of
// other builds are dropped.
//
//   node benches/page/run.mjs --out FOLDER --dist FOLDER --gateway FILE [--only NAME]… [--quick]

import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { bundle, launch, serve, withPage } from "./browser.mjs";
import { make } from "./inputs.mjs";
import { load, idle } from "./measures/gateway.mjs";
import { late } from "./measures/late.mjs";
import { flood, resume } from "./measures/long.mjs";
import { memory } from "./measures/memory.mjs";
import { network } from "./measures/network.mjs";
import { growth, kept, reduce } from "./measures/reduce.mjs";
import { size } from "./measures/size.mjs";
import { paced, stream } from "./measures/stream.mjs";
import { tables } from "./tables.mjs";

const MEASURES = { size, network, late, memory, reduce, growth, kept, stream, paced, resume, flood, load, idle };
const HERE = new URL(".", import.meta.url).pathname;

const { values } = parseArgs({
  options: {
    out: { type: "string" },
    dist: { type: "string" },
    gateway: { type: "string" },
    only: { type: "string", multiple: true },
    quick: { type: "boolean", default: false },
  },
});
const { out, dist, quick } = values;
const names = values.only ?? Object.keys(MEASURES);
const unknown = names.find((name) => !(name in MEASURES));
if (unknown) throw new Error(`there is no measurement “${unknown}”; there are ${Object.keys(MEASURES).join(", ")}`);

await mkdir(out, { recursive: true });
await make(join(out, "inputs"));
const assets = join(out, "page");
await bundle([join(HERE, "page/main.mjs"), join(HERE, "page/reduce.mjs")], assets);
await copyFile(join(HERE, "page/host.html"), join(assets, "host.html"));

const server = await serve({ page: assets, inputs: join(out, "inputs"), pkg: join(dist, "pkg") });
const browser = await launch();
const kit = {
  out,
  dist,
  gateway: values.gateway,
  say: (words) => console.log(`  ${words}`),
  /** An expression that calls a function of one of the page's modules. */
  call: (module, name, ...given) =>
    `import("/page/${module}.js").then((module) => module.${name}(${given.map((value) => JSON.stringify(value)).join(", ")}))`,
  page: (use, address = `${server.address}/page/host.html`) => withPage(browser, address, use),
};

const file = join(out, "results.json");
const build = createHash("sha256").update(await readFile(join(dist, "pkg/page_bg.wasm"))).digest("hex");
const before = JSON.parse(await readFile(file, "utf8").catch(() => "{}"));
const same = before.build === build && before.quick === quick;
const results = { build, quick, browser: browser.version, measures: same ? before.measures : {} };
try {
  for (const name of names) {
    const start = performance.now();
    console.log(`${name} …`);
    results.measures[name] = await MEASURES[name](kit, { quick });
    console.log(`${name}: ${((performance.now() - start) / 1000).toFixed(0)} s`);
    await writeFile(file, JSON.stringify(results, null, 1));
  }
} finally {
  await browser.close();
  server.close();
}
const made = tables(results);
await writeFile(join(out, "tables.json"), JSON.stringify(made, null, 1));
for (const [name, table] of Object.entries(made)) console.log(`\n${name}\n${table}`);
