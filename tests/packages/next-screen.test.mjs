// Tests the example in examples/next: its server puts a session's first screen into the page, which is live after that without a
// jump.

import assert from "node:assert/strict";

import { answer, frames, freePort, scenario, until } from "../e2e/support/harness.mjs";
import { held, played, rows, taken } from "../e2e/support/first-screen.mjs";
import { example } from "./support/app.mjs";
import { nextServer } from "./support/next.mjs";
import { SESSION } from "./support/plays.mjs";

const TOKEN = "token-of-the-operator-of-next";

scenario("a page of Next.js comes with the session's last screen and is live after that", async (stage) => {
  const port = await freePort();
  const access = ["--allow-origin", `http://127.0.0.1:${port}`];
  // The recording stops where it asks.
  const asked = SESSION.findIndex(({ type }) => type === "permission.requested");
  const { address, ids } = await played(stage, [SESSION], { until: [SESSION[asked].id], access, token: TOKEN });
  const env = { PILOTHOUSE_GATEWAY: `${address}/`, PILOTHOUSE_TOKEN: TOKEN };
  const site = await nextServer(stage, example("next"), port, { env });
  const html = await (await fetch(`${site}?session=${ids[0]}`)).text();
  const [, inside] = html.match(/<pilot-house [^>]*><template shadowrootmode="open">(.*?)<\/template><\/pilot-house>/s);
  assert.ok(inside.includes("How do the boats lie?") && inside.includes("Run this command?"), "the words are in the server's HTML");
  assert.ok(!html.includes(TOKEN), "and the token is not");
  assert.equal((await fetch(`${site}token`)).status, 403, "other sites get no token");

  const { page, come } = await held(stage, site, { width: 1000, height: 900 });
  await page.getByText("Run this command?").waitFor();
  const before = await rows(page);
  assert.ok(before[0][2] < 200, "it begins at the top of the element");
  await frames(page);
  come();
  await taken(page);
  assert.deepEqual(await rows(page), before);
  assert.deepEqual(await page.evaluate(() => window.shifts), []);
  await answer(page, "look", "approve-once");
  await until(page, `(view) => view.session.status === "idle" && view.timeline.some(({ id }) => id === "report")`);
});
