// Runs the real Trunk for tests.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { freePort } from "./harness.mjs";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** Trunk reads NO_COLOR as a boolean, and exits on any other value. */
const { NO_COLOR: _, ...env } = process.env;

/** The `trunk` command, from the path or from where Cargo installs. */
function trunk() {
  const installed = join(env.CARGO_HOME ?? join(homedir(), ".cargo"), "bin", "trunk");
  const found = ["trunk", installed].find((command) => spawnSync(command, ["--version"], { env }).status === 0);
  assert.ok(found, "this test needs Trunk: cargo install trunk --version 0.21.14 --locked --no-default-features --features rustls");
  return found;
}

/**
 * Runs `trunk serve` with the settings of a folder of this repository, but with its own port, gateway's
 * port and output folder.
 */
export async function trunkServe(stage, gatewayPort, source = "") {
  const folder = await mkdtemp(join(tmpdir(), "pilothouse-trunk-"));
  stage.atEnd(() => rm(folder, { recursive: true, force: true }));
  const whole = (path) => JSON.stringify(join(ROOT, source, path));
  const replaced = [
    [/^target = "(.*)"/m, (_, path) => `target = ${whole(path)}`],
    [/^dist = .*/m, () => `dist = ${JSON.stringify(join(folder, "dist"))}`],
    [/^watch = \[(.*)\]/m, (_, paths) => `watch = [${JSON.parse(`[${paths}]`).map(whole).join(", ")}]`],
    [/127\.0\.0\.1:7878/g, () => `127.0.0.1:${gatewayPort}`],
  ];
  let settings = await readFile(join(ROOT, source, "Trunk.toml"), "utf8");
  for (const [pattern, other] of replaced) {
    assert.match(settings, pattern);
    settings = settings.replace(pattern, other);
  }
  await writeFile(join(folder, "Trunk.toml"), settings);
  const port = await freePort();
  const options = ["--config", join(folder, "Trunk.toml"), "--offline", "--skip-version-check", "--disable-address-lookup"];
  // A process group of its own, so that Cargo ends with it.
  const server = spawn(trunk(), ["serve", ...options, "--address", "127.0.0.1", "--port", String(port)], {
    cwd: join(ROOT, source), env, stdio: ["ignore", "pipe", "pipe"], detached: true,
  });
  stage.atEnd(async () => {
    if (server.exitCode !== null) return;
    process.kill(-server.pid, "SIGKILL");
    await once(server, "exit");
  });
  await new Promise((listens, ended) => {
    for (const stream of [server.stdout, server.stderr]) {
      createInterface(stream).on("line", (line) => {
        stage.gatewaySaid.push(line);
        if (line.includes("server listening at")) listens();
      });
    }
    server.once("exit", (code) => ended(new Error(`trunk serve ended with ${code}`)));
  });
  return `http://127.0.0.1:${port}`;
}
