// Transcripts of other agents: dropped on the page, and served by the gateway as sessions that nobody can answer or steer.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { Script } from "../support/events.mjs";
import { drop, inBothSchemes, push, scenario, snapshot, violations } from "../support/harness.mjs";

const transcript = (name) => fileURLToPath(new URL(`../../data/transcripts/${name}`, import.meta.url));

/** Each file, what the page says that it is, and what stands near its end. */
const FILES = [
  ["claude-code.jsonl", "Transcript of Claude Code (JSONL) · 39 lines · 3 left out", "API Error: 529 Overloaded"],
  ["claude-code-2025.jsonl", "Transcript of Claude Code (JSONL) · 11 lines", "Done: 12 islands."],
  ["codex.jsonl", "Transcript of Codex (rollout) · 54 lines", "Yes, all is done."],
  ["codex-2025.jsonl", "Transcript of Codex (JSONL, 2025) · 9 lines", "There is one file: boat.rs."],
  ["codex-first.json", "Transcript of Codex (JSON)", "Hello, what shall I do?"],
  ["gemini.jsonl", "Transcript of Gemini CLI (JSONL) · 18 lines", "Paint the mast white."],
  ["gemini-2025.json", "Transcript of Gemini CLI (JSON)", "The boat is blue."],
];

scenario("each form of a transcript is read when it is dropped on the page, and nothing in it can be answered", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`);
  await push(page, new Script("live").user("Live words", "live").events);
  await page.locator('[data-id="live"]').hover();
  await page.getByRole("button", { name: "Raw events" }).waitFor();
  for (const [file, what, said] of FILES) {
    // The name says nothing of the form.
    await drop(page, "saved.txt", await readFile(transcript(file), "utf8"));
    await page.getByText("Replaying saved.txt").waitFor();
    const scroller = page.locator("[data-scroller]");
    await page.getByText(said).first().waitFor();
    await scroller.evaluate((scroller) => (scroller.scrollTop = 0));
    await page.getByText(what).waitFor();
    const states = await page.evaluate(() =>
      [...document.querySelector("pilot-house").shadowRoot.querySelectorAll("article[data-row]")].map((row) => row.dataset.state),
    );
    assert.deepEqual(states.filter((state) => ["running", "streaming", "pending"].includes(state)), [], file);
    assert.equal(await page.locator("[data-request-id] button").count(), 0, `${file}: nothing waits for an answer`);
  }
  // A shell's output is that of the command, an edit is a diff.
  await drop(page, "saved.txt", await readFile(transcript("codex.jsonl"), "utf8"));
  await page.locator("[data-scroller]").evaluate((scroller) => (scroller.scrollTop = 0));
  const edit = page.locator('[data-entry="tool"]').filter({ hasText: "sail.rs" }).filter({ hasText: "+1" });
  await edit.first().waitFor();
  await inBothSchemes(page, async () => assert.deepEqual(await violations(page), []));
});

scenario("a transcript that the gateway serves is there at once, with its title, and takes no message", async (stage) => {
  const address = await stage.serve([transcript("gemini.jsonl")], { speed: "1" });
  const page = await stage.page(address);
  await page.getByText("Paint the mast white.").waitFor();
  const view = await snapshot(page);
  assert.equal(view.session.title, "Paint the boat blue");
  assert.deepEqual(view.pending, []);
  assert.ok(stage.gatewaySaid.some((line) => line.includes("read as a transcript of Gemini CLI (JSONL), 18 lines")), stage.gatewaySaid.join("\n"));
});
