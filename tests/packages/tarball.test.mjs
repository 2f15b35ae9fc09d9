// Tests what is in the tarball, and that what it says of itself is what the documentation says.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { unpacked } from "./support/app.mjs";

const document = (name) => readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), "utf8");

test("the tarball has what is needed, and nothing of the sources", () => {
  const { folder, files, size } = unpacked();
  console.log(`the tarball: ${files.length} files, ${Math.round(size / 1000)} kB`);
  for (const name of ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "custom-elements.json", "index.d.ts", "react.js", "inline.js"]) {
    assert.ok(files.includes(name), name);
  }
  for (const library of ["highlight", "mermaid", "temml"]) assert.ok(files.includes(`extras/vendor/${library}/LICENSE`), library);
  assert.deepEqual(files.filter((name) => /\.(ftl|rs|br|map)$|(?<!^themes\/[a-z-]+)\.css$|^(locales|styles)/.test(name)), []);
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const targets = Object.values(exports).flatMap((target) => (typeof target === "string" ? target : Object.values(target)));
  for (const target of targets.filter((target) => !target.includes("*"))) assert.ok(existsSync(join(folder, target)), target);
});

test("nothing of Node is outside the `node` condition, and no file imports in a circle", () => {
  const { folder, files } = unpacked();
  const imports = new Map();
  for (const name of files.filter((name) => name.endsWith(".js") && !name.startsWith("extras/vendor"))) {
    const text = readFileSync(join(folder, name), "utf8");
    if (!name.endsWith(".node.js")) assert.ok(!/["']node:/.test(text), `${name} imports from Node`);
    const found = [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["'](\.[^"']+)["']/g)].map(([, path]) => join(name, "..", path));
    imports.set(name, found);
  }
  const visit = (name, way) => {
    assert.ok(!way.includes(name), `a circle: ${[...way, name].join(" > ")}`);
    for (const next of imports.get(name) ?? []) visit(next, [...way, name]);
  };
  for (const name of imports.keys()) visit(name, []);
});

/** The names in code in the first column of a table. */
function column(text, header) {
  const lines = text.slice(text.indexOf(header)).split("\n").slice(2);
  const rows = lines.slice(0, lines.findIndex((line) => !line.startsWith("|")));
  return rows.flatMap((row) => [...row.split("|")[1].matchAll(/`([a-zA-Z-]+)/g)].map(([, name]) => name));
}

test("the custom elements manifest names the attributes, events and members of the documentation", () => {
  const { modules: [{ declarations }] } = JSON.parse(readFileSync(join(unpacked().folder, "custom-elements.json"), "utf8"));
  const embedding = document("embedding");
  const titles = { "pilot-house": "## The element", "pilot-house-board": "## The board" };
  for (const { tagName, attributes, events, members } of declarations) {
    const section = embedding.slice(embedding.indexOf(titles[tagName])).slice(3).split("\n## ")[0];
    const names = (list) => list.map(({ name }) => name).sort();
    assert.deepEqual(names(attributes), column(section, "| attribute |").sort(), tagName);
    assert.deepEqual(names(events), column(section, "| event (").sort(), tagName);
    assert.deepEqual(names(members), column(section, "| member |").sort());
  }
});
