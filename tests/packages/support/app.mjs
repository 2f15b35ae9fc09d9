// Packs the package as npm would, and puts apps with it into a folder of their own.

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = fileURLToPath(new URL("../", import.meta.url));
/** Below the folder in which npm puts bundlers and frameworks, so that apps find them. */
export const WORK = join(HERE, "work");
const BUILT = fileURLToPath(new URL("../../../dist/pkg", import.meta.url));

let packed;

/** Packs `dist/pkg` and unpacks the tarball. Returns `{ folder, tarball, files }`. */
export function unpacked() {
  if (packed) return packed;
  const place = join(WORK, `package-${process.pid}`);
  mkdirSync(place, { recursive: true });
  process.on("exit", () => rmSync(place, { recursive: true, force: true }));
  const [{ filename, files, size }] = JSON.parse(run("npm", ["pack", BUILT, "--json", "--pack-destination", place], HERE));
  run("tar", ["-xzf", join(place, filename), "-C", place], HERE);
  return (packed = { folder: join(place, "package"), files: files.map(({ path }) => path), size });
}

/** A fresh copy of an app, with the package in its `node_modules`. Returns its folder. */
export const app = (name, as = name) => copy(join(HERE, "apps", name), as);

/** The same of an example in the repository. */
export const example = (name) => copy(join(HERE, "../../examples", name), `example-${name}`);

function copy(from, as) {
  const folder = join(WORK, as);
  rmSync(folder, { recursive: true, force: true });
  // An example may have been installed and built by hand.
  const filter = (path) => !/[\\/](node_modules|\.next)$/.test(path);
  cpSync(from, folder, { recursive: true, filter });
  writeFileSync(join(folder, "package.json"), `{ "name": "${as}", "private": true, "type": "module" }\n`);
  cpSync(unpacked().folder, join(folder, "node_modules/pilothouse"), { recursive: true });
  return folder;
}

export function run(command, args, cwd, env = {}) {
  return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });
}

/** What a build weighs, in kB: scripts and wasm. */
export function weight(folder) {
  const all = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => !name.includes("node_modules"));
  const sum = (end) => all.filter((name) => name.endsWith(end)).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  return `${all.filter((name) => existsSync(join(folder, name)) && statSync(join(folder, name)).isFile()).length} files, js ${Math.round(sum(".js") / 1000)} kB, wasm ${Math.round(sum(".wasm") / 1000)} kB`;
}
