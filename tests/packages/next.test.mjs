// Tests the package in Next.js: a client component of the app router, with Next's default bundler and with webpack.

import { once } from "node:events";
import { spawn } from "node:child_process";
import { join } from "node:path";

import { freePort, scenario } from "../e2e/support/harness.mjs";
import { WORK, app, run } from "./support/app.mjs";
import { plays } from "./support/plays.mjs";
import { writeFileSync } from "node:fs";

const NEXT = join(import.meta.dirname, "node_modules/next/dist/bin/next");
const ENV = { NEXT_TELEMETRY_DISABLED: "1" };

for (const bundler of ["turbopack", "webpack"]) {
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
