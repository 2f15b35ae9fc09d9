// Makes the pictures of docs/agents.md in docs/images/agents: the same task by four agents.
//
//   node --test tests/e2e/agents/support/pictures.mjs     (PILOTHOUSE_AGENTS, PILOTHOUSE_BIN, CHROMIUM as for the tests)
//
// With `PICTURES=FOLDER` that folder gets all of them: at 380 and 1400 pixels, light and dark.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { answer, card, frames, readThrough, scenario } from "../../support/harness.mjs";
import { AGENTS, absent } from "./agents.mjs";
import { outfit } from "./gateway.mjs";
import { AGENTS_PATIENCE, asked, heard, say } from "./page.mjs";

const DOCS = fileURLToPath(new URL("../../../../docs/images/agents/", import.meta.url));
const FOLDER = process.env.PICTURES ?? DOCS;
/** Those in the docs. */
const SHOWN = /^(board-1400|.*-asks-380|codex-done-1400)-light$|^board-380-dark$/;
const SIZES = { 380: { width: 380, height: 800 }, 1400: { width: 1400, height: 900 } };
const TASK = "Greet Ada warmly, and prove it.";

/** Takes the picture `name` of the page in each size and scheme. */
async function pictures(page, name, settle = () => {}) {
  for (const [width, size] of Object.entries(SIZES)) {
    await page.setViewportSize(size);
    for (const colorScheme of ["light", "dark"]) {
      const file = `${name}-${width}-${colorScheme}`;
      if (FOLDER === DOCS && !SHOWN.test(file)) continue;
      await page.emulateMedia({ colorScheme });
      await frames(page);
      await settle(page);
      await frames(page);
      await page.screenshot({ path: join(FOLDER, `${file}.jpg`), type: "jpeg", quality: 82, animations: "disabled", caret: "initial" });
    }
  }
  await page.setViewportSize(SIZES[1400]);
}

/** The card is in view, and has been read, so that it can be answered. */
const toCard = (id) => async (page) => {
  await card(page, id).evaluate((card) => card.scrollIntoView({ block: "end" }));
  await readThrough(page, id);
  await card(page, id).locator('[data-answer="approve-once"]:not([aria-disabled="true"])').waitFor();
};

const names = Object.keys(AGENTS);
const missing = absent(names);
if (missing) test("pictures", { skip: missing });
else {
  scenario("the same task by four agents", async (stage) => {
    await mkdir(FOLDER, { recursive: true });
    const { gateway, end } = await outfit(names);
    stage.atEnd(end);
    for (const name of names) {
      const id = await gateway.create(stage, { agent: name, workingDirectory: gateway.project(`${name}-work/greet`) });
      const page = await stage.embed(gateway.address, `session="${id}"`, { whole: false, ...SIZES[1400] });
      page.setDefaultTimeout(AGENTS_PATIENCE);
      await say(page, TASK);
      const change = await asked(page);
      await pictures(page, `${name}-changes`, toCard(change.id));
      await answer(page, change.id, "approve-once");
      const command = await asked(page, change.id);
      await pictures(page, `${name}-asks`, toCard(command.id));
      if (["gemini", "opencode"].includes(name)) continue; // these still wait on the board
      await answer(page, command.id, "approve-once");
      await heard(page, /the test passes/);
      await pictures(page, `${name}-done`);
    }
    const board = await stage.page(gateway.address, SIZES[1400]);
    // The first screen stands there without its program.
    await board.getByText("Being loaded").waitFor({ state: "detached" });
    await board.locator("[data-new]:not([disabled])").first().waitFor();
    await pictures(board, "board");
  });
}
