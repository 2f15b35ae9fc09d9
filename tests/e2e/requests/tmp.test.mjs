// Tests that nothing is allowed that was not in view: a card that is higher than the view, by pointer and by keyboard, while the
// page is resized, in a shared card, in a tile of the board. Sizes by the hundred are in tests/read_through.rs.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { IN_FIREFOX, answer, answers, card, frames, host, late, push, scenario, violations } from "../support/harness.mjs";

const steps = (count) => `# Rebuild the harbour\n\n${Array.from({ length: count }, (_, nth) => `${nth + 1}. Step ${nth + 1}: move the white boat to its place, in \`src/boats/${nth}.rs\``).join("\n")}\n`;
const lines = (count) => Array.from({ length: count }, (_, nth) => `echo "boat ${nth}" >> list.txt`).join("\n");

const plan = (script, planContent, more = {}) =>
  script.add("exit_plan_mode.requested", { requestId: "plan", summary: "A plan", planContent, actions: ["interactive", "autopilot"], ...more }, { ephemeral: true });

const talk = (script, count) => {
  for (let line = 0; line < count; line += 1) script.say(`Line ${line}`);
  return script;
};

const allow = (page, id, hook = "approve-once") => card(page, id).locator(`[data-answer="${hook}"]`);
const isOff = (page, id, hook) => allow(page, id, hook).getAttribute("aria-disabled");
const open = (page, id, hook) => allow(page, id, hook).and(page.locator(":not([aria-disabled])")).waitFor();
const rest = (page, id) => card(page, id).locator("[data-show-rest]");
const scroll = async (page, by) => {
  await page.locator("[data-scroller]").evaluate((list, by) => void (list.scrollTop += by), by);
  await frames(page);
  await frames(page);
};
/** The upper edge of a card below that of the view, and whether its foot ends where the view does. */
const place = (page, id) => card(page, id).evaluate((card) => {
  const view = card.closest("[data-scroller]").getBoundingClientRect();
  const foot = card.querySelector(".request-foot").getBoundingClientRect();
  return { top: card.getBoundingClientRect().top - view.top, foot: view.bottom - foot.bottom };
});
const left = async (page, id) => Number((await card(page, id).locator(".seal").innerText()).match(/^(\d+) lines? left/)?.[1] ?? 0);

/** Presses 'Show the rest' until all has been in view; how many lines were left each time. */
async function readOn(page, id) {
  const counts = [];
  while (await rest(page, id).count()) {
    counts.push(await left(page, id));
    await rest(page, id).click();
    await frames(page);
    await frames(page);
  }
  return counts;
}

scenario("what is drawn anew below counts only once it was in view", async (stage) => {
  const { hold, come } = late(/split_words/);
  const page = await host(stage, { width: 800, height: 700, prepare: hold, whole: false });
  // As a text these are few lines, as headings they are higher than the view.
  const planContent = Array.from({ length: 18 }, (_, nth) => `# Part ${nth}`).join("\n");
  await push(page, plan(new Script().user("Plan it"), planContent, { actions: ["interactive"] }).take());
  try { await allow(page,"plan","approve").and(page.locator(":not([aria-disabled])")).waitFor({timeout:6000}); console.log("OPENED") } catch (e) { console.log("NOT OPEN", await card(page,"plan").innerText(), JSON.stringify(await card(page,"plan").boundingBox())); }
  come();
  try { await rest(page, "plan").waitFor({timeout:6000}); console.log("REST") } catch (e) { console.log("NO REST", (await card(page,"plan").innerText()).slice(0,300), JSON.stringify(await card(page,"plan").boundingBox())); }
  assert.equal(await isOff(page, "plan", "approve"), "true");
  await readOn(page, "plan");
  await open(page, "plan", "approve");
}, { skip: process.env.DEV ? "a dev build has no chunks" : false });

