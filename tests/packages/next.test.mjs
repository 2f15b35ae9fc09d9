// Tests the package in Next.js: a client component of the app router, which is rendered on the server first. With
// `ALL_BUNDLERS=1` also Next's development server, and webpack in place of Next's own bundler; each takes as long again.

import { freePort, scenario } from "../e2e/support/harness.mjs";
import { app } from "./support/app.mjs";
import { nextServer } from "./support/next.mjs";
import { plays } from "./support/plays.mjs";

const MORE = process.env.ALL_BUNDLERS ? [["turbopack", "dev"], ["webpack", "start"]] : [];

for (const [bundler, command] of [["turbopack", "start"], ...MORE]) {
  scenario(`Next.js, app router, ${bundler}, ${command === "dev" ? "development" : "production"}`, async (stage) => {
    const root = app("next", `next-${bundler}-${command}`);
    await plays(stage, await nextServer(stage, root, await freePort(), { command, bundler }));
  });
}
