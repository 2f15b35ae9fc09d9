// Tests the package's types by compiling examples of all of them, with the packages of the frameworks.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { app, run } from "./support/app.mjs";

const folder = app("types");
const types = (name) => readFileSync(join(folder, "node_modules/pilothouse", name), "utf8");

test("examples of every type compile, and wrong ones do not", () => {
  const tsc = join(import.meta.dirname, "node_modules/typescript/bin/tsc");
  try {
    run("node", [tsc, "--project", folder], folder);
  } catch (error) {
    assert.fail(error.stdout);
  }
});

test("the examples have every name that is exported", () => {
  const used = readFileSync(join(folder, "api.ts"), "utf8");
  for (const file of ["index.d.ts", "headless.d.ts", "transports.d.ts", "react.d.ts"]) {
    const names = [...types(file).matchAll(/^export (?:declare )?(?:class|const|function|interface|type) (\w+)/gm)].map(([, name]) => name);
    assert.ok(names.length > 1, file);
    for (const name of names) assert.match(used, new RegExp(`\\b${name}\\b`), `${name} of ${file}`);
  }
});

test("what is declared is there", async () => {
  const { pathToFileURL } = await import("node:url");
  for (const file of ["index", "headless", "transports"]) {
    const module = await import(pathToFileURL(join(folder, "node_modules/pilothouse", `${file}.js`)));
    const values = [...types(`${file}.d.ts`).matchAll(/^export (?:class|const|function) (\w+)/gm)].map(([, name]) => name).filter((name, nth, all) => all.indexOf(name) === nth);
    const passedOn = [...types(`${file}.d.ts`).matchAll(/^export \{(.*)\}/gm)].flatMap(([, names]) => names.split(",").map((name) => name.trim()));
    assert.deepEqual([...values, ...passedOn].sort(), Object.keys(module).sort(), file);
  }
});
