// Tests the package in Next.js: a client component of the app router, which is rendered on the server first. With
// `ALL_BUNDLERS=1` also Next's development server, and webpack in place of Next's own bundler; each takes as long again.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { freePort, scenario } from "../e2e/support/harness.mjs";
import { WORK, app, run } from "./support/app.mjs";
import { plays } from "./support/plays.mjs";

const NEXT = join(import.meta.dirname, "node_modules/next/dist/bin/next");
const ENV = { NEXT_TELEMETRY_DISABLED: "1" };

const MORE = process.env.ALL_BUNDLERS ? [["turbopack", "dev"], ["webpack", "start"]] : [];

for (const [bundler, command] of [["turbopack", "start"], ...MORE]) {
  scenario(`Next.js, app router, ${bundler}, ${command === "dev" ? "development" : "production"}`, async (stage) => {
    const root = app("next", `next-${bundler}-${command}`);
    // Here the framework is in a folder above the app.
    const above = join(WORK, "..");
    const config = { turbopack: { root: above }, outputFileTracingRoot: above, allowedDevOrigins: ["127.0.0.1"] };
    writeFileSync(join(root, "next.config.mjs"), `export default ${JSON.stringify(config)};\n`);
    if (command === "start") run("node", [NEXT, "build", `--${bundler}`], root, ENV);
    const port = await freePort();
    const args = [NEXT, command, "--hostname", "127.0.0.1", "--port", port];
    const server = spawn("node", args, { cwd: root, env: { ...process.env, ...ENV }, stdio: ["ignore", "pipe", "inherit"] });
    stage.atEnd(async () => {
      server.kill();
      await once(server, "exit");
    });
    await new Promise((ready) => server.stdout.on("data", (text) => String(text).includes("Ready") && ready()));
    await plays(stage, `http://127.0.0.1:${port}/`);
  });
}
