// Tests the package in webpack, Rollup, esbuild and Parcel: production builds of a page without a framework, and
// at night development builds where they differ.

import assert from "node:assert/strict";
import { cpSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { nodeResolve } from "@rollup/plugin-node-resolve";
import { importMetaAssets } from "@web/rollup-plugin-import-meta-assets";
import * as esbuild from "esbuild";
import { rollup } from "rollup";
import webpack from "webpack";

import { nightly, scenario } from "../e2e/support/harness.mjs";
import { app, run, weight } from "./support/app.mjs";
import { plays } from "./support/plays.mjs";
import { serveFolders } from "../e2e/support/serve.mjs";

async function played(stage, root, name) {
  console.log(`${name}: ${weight(join(root, "dist"))}`);
  const address = await serveFolders(stage, { "/below/": join(root, "dist") });
  return plays(stage, `${address}/below/`);
}

/** Puts the page beside its bundle. */
function page(root) {
  cpSync(join(root, "index.html"), join(root, "dist/index.html"));
}

for (const mode of ["development", "production"]) {
  (mode === "production" ? scenario : nightly)(`webpack, ${mode}`, async (stage) => {
    const root = app("plain", `webpack-${mode}`);
    const compiler = webpack({
      mode,
      context: root,
      entry: "./main.js",
      output: { path: join(root, "dist"), filename: "main.js", chunkFilename: "[name].[contenthash].js" },
      performance: { hints: false },
    });
    const stats = await new Promise((done, failed) => compiler.run((error, stats) => (error ? failed(error) : done(stats))));
    assert.deepEqual(stats.toJson({ all: false, errors: true, warnings: true }), { errors: [], warnings: [] });
    page(root);
    await played(stage, root, `webpack, ${mode}`);
  });
}

scenario("Rollup, with the plugin for addresses", async (stage) => {
  const root = app("plain", "rollup");
  const warnings = [];
  const bundle = await rollup({
    input: join(root, "main.js"),
    plugins: [nodeResolve(), importMetaAssets()],
    onwarn: ({ message }) => warnings.push(message),
  });
  await bundle.write({ dir: join(root, "dist"), format: "es" });
  await bundle.close();
  assert.deepEqual(warnings, []);
  page(root);
  await played(stage, root, "Rollup");
});

/** What esbuild leaves where it is: files that are copied beside the bundle. */
function copied(root) {
  const from = join(root, "node_modules/pilothouse");
  const names = readdirSync(from).filter((name) => name.endsWith(".wasm"));
  for (const name of [...names, "extras/diagram.htm"]) cpSync(join(from, name), join(root, "dist", name.split("/").at(-1)));
}

for (const splitting of [false, true]) {
  scenario(`esbuild, with the files copied beside the bundle, ${splitting ? "in chunks" : "in one script"}`, async (stage) => {
    const root = app("plain", `esbuild-${splitting}`);
    const { warnings } = await esbuild.build({
      absWorkingDir: root, entryPoints: ["main.js"], bundle: true, minify: true, format: "esm", splitting, outdir: "dist", logLevel: "silent",
    });
    assert.deepEqual(warnings, []);
    page(root);
    copied(root);
    await played(stage, root, `esbuild, ${splitting ? "in chunks" : "in one script"}`);
  });
}

nightly("webpack and esbuild, with the build in one file: one script, and nothing is copied", async (stage) => {
  const root = app("plain", "inlined");
  const entry = readFileSync(join(root, "main.js"), "utf8").replace('"pilothouse"', '"pilothouse/inline"');
  writeFileSync(join(root, "main.js"), entry);
  const output = { path: join(root, "dist"), filename: "main.js" };
  const compiler = webpack({ mode: "production", context: root, entry: "./main.js", output, performance: { hints: false } });
  await new Promise((done, failed) => compiler.run((error) => (error ? failed(error) : done())));
  page(root);
  assert.deepEqual(readdirSync(join(root, "dist")).sort(), ["index.html", "main.js", "main.js.LICENSE.txt"]);
  const address = await serveFolders(stage, { "/": join(root, "dist") });
  await plays(stage, `${address}/`, { diagrams: false });
  await esbuild.build({ absWorkingDir: root, entryPoints: ["main.js"], bundle: true, outdir: "dist", allowOverwrite: true, logLevel: "silent" });
  await plays(stage, `${address}/`, { diagrams: false });
});

for (const mode of ["development", "production"]) {
  (mode === "production" ? scenario : nightly)(`Parcel, ${mode}`, async (stage) => {
    const root = app("plain", `parcel-${mode}`);
    // Parcel looks for the root of a project by its lock file.
    writeFileSync(join(root, "package-lock.json"), "{}");
    const parcel = join(import.meta.dirname, "node_modules/parcel/lib/bin.js");
    const args = [parcel, "build", "index.html", "--public-url", "./", "--no-cache", "--no-autoinstall"];
    if (mode === "development") args.push("--no-optimize", "--no-scope-hoist");
    run("node", args, root, { NODE_ENV: mode, PARCEL_WORKERS: "0" });
    await played(stage, root, `Parcel, ${mode}`);
  });
}
