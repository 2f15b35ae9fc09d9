// Tests the package in Next.js: a client component of the app router, which is rendered on the server first. With
// `ALL_BUNDLERS=1` also with webpack in place of Next's own bundler, which takes as long again.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { freePort, scenario } from "../e2e/support/harness.mjs";
import { WORK, app, run } from "./support/app.mjs";
import { plays } from "./support/plays.mjs";

const NEXT = join(import.meta.dirname, "node_modules/next/dist/bin/next");
const ENV = { NEXT_TELEMETRY_DISABLED: "1" };

for (const bundler of process.env.ALL_BUNDLERS ? ["turbopack", "webpack"] : ["turbopack"]) {
  scenario(`Next.js, app router, ${bundler}`, async (stage) => {
    const root = app("next", `next-${bundler}`);
    // Here the framework is in a folder above the app.
    writeFileSync(join(root, "next.config.mjs"), `export default { turbopack: { root: ${JSON.stringify(join(WORK, ".."))} }, outputFileTracingRoot: ${JSON.stringify(join(WORK, ".."))} };\n`);
    run("node", [NEXT, "build", `--${bundler}`], root, ENV);
    const port = await freePort();
    const server = spawn("node", [NEXT, "start", "--hostname", "127.0.0.1", "--port", port], { cwd: root, env: { ...process.env, ...ENV }, stdio: ["ignore", "pipe", "inherit"] });
    stage.atEnd(async () => {
      server.kill();
      await once(server, "exit");
    });
    for await (const line of server.stdout) if (String(line).includes("Ready")) break;
    await plays(stage, `http://127.0.0.1:${port}/`);
  });
}
