// Tests what people who know each other by name see of each other: who watches, who answered, who wrote a message.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Script } from "../support/events.mjs";
import { scenario, violations } from "../support/harness.mjs";

const TOKENS = { "Ana María": "token-of-ana-0123", "Ben Cole": "token-of-ben-0123" };

async function serve(stage, recordings) {
  const folder = await mkdtemp(join(tmpdir(), "pilothouse-people-"));
  stage.atEnd(() => rm(folder, { recursive: true }));
  const file = join(folder, "tokens");
  await writeFile(file, Object.entries(TOKENS).map((line) => line.join(":")).join("\n"), { mode: 0o600 });
  return stage.serve(recordings, { access: ["--token-file", file] });
}

/** The page of this person, signed in. */
async function signedIn(stage, address, name) {
  const page = await stage.page(address);
  await page.getByLabel("Token").fill(TOKENS[name]);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Moor the boats").first().waitFor();
  return page;
}

const others = (page, words) => page.getByRole("img", { name: `Watching now: ${words}`, exact: true });

scenario("two people see each other watch, and whose message and whose answer it is", async (stage) => {
  const boats = new Script("boats")
    .add("pilothouse.sent", { messageId: "m", who: "Ana María" }, { ephemeral: true, source: "pilothouse" })
    .user("Moor the boats", "m")
    .ask("ask", "make fast");
  const address = await serve(stage, [boats.events]);
  const ana = await signedIn(stage, address, "Ana María");
  await ana.locator(".bar").waitFor();
  assert.equal(await ana.locator(".watchers").count(), 0, "nobody else is there");
  const before = await ana.locator("[data-scroller]").boundingBox();
  const ben = await signedIn(stage, address, "Ben Cole");
  await others(ana, "Ben Cole").waitFor();
  await others(ben, "Ana María").waitFor();
  assert.equal(await others(ana, "Ben Cole").getAttribute("title"), "Watching now: Ben Cole");
  assert.match(await others(ben, "Ana María").innerText(), /^A\u200c?M$/u);
  assert.deepEqual(await ana.locator("[data-scroller]").boundingBox(), before, "the timeline stays where it is");
  assert.deepEqual(await violations(ana), []);

  // A second tab is no second person.
  const second = await signedIn(stage, address, "Ben Cole");
  await others(second, "Ana María").waitFor();
  await others(ana, "Ben Cole").waitFor();

  for (const page of [ana, ben]) {
    const message = page.locator('[data-entry="user"][data-id="m"]');
    assert.equal(await message.getAttribute("aria-label"), "Ana María");
    assert.equal(await message.locator(".meta b").innerText(), "Ana María");
  }
  await ben.locator('[data-request-id="ask"] [data-answer="approve-once"]').click();
  for (const page of [ana, ben]) await page.getByText("Allowed once by Ben Cole").first().waitFor();

  await second.close();
  await ben.close();
  await ana.locator(".watchers").waitFor({ state: "detached" });
}, { expected: [/401/] });
