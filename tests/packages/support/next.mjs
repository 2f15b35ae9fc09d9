// Builds and serves apps of Next.js.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { WORK, run } from "./app.mjs";

const NEXT = join(import.meta.dirname, "../node_modules/next/dist/bin/next");
const ENV = { NEXT_TELEMETRY_DISABLED: "1" };

/** Serves the app in a folder at a port, built first if `command` is `start`. Returns its address. */
export async function nextServer(stage, root, port, { command = "start", bundler = "turbopack", env = {} } = {}) {
  // Here the framework is in a folder above the app.
  const above = join(WORK, "..");
  const config = { turbopack: { root: above }, outputFileTracingRoot: above, allowedDevOrigins: ["127.0.0.1"] };
  writeFileSync(join(root, "next.config.mjs"), `export default ${JSON.stringify(config)};\n`);
  if (command === "start") run("node", [NEXT, "build", `--${bundler}`], root, ENV);
  const args = [NEXT, command, "--hostname", "127.0.0.1", "--port", port];
  const server = spawn("node", args, { cwd: root, env: { ...process.env, ...ENV, ...env }, stdio: ["ignore", "pipe", "inherit"] });
  stage.atEnd(async () => {
    server.kill();
    await once(server, "exit");
  });
  await new Promise((ready) => server.stdout.on("data", (text) => String(text).includes("Ready") && ready()));
  return `http://127.0.0.1:${port}/`;
}
