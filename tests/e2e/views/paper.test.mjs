// Tests what is on paper: whole texts, light colours, readable sizes, and nothing that only works on a screen.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { card, fetched, frames, scenario } from "../support/harness.mjs";

const LINES = Array.from({ length: 60 }, (_, line) => `boat ${line + 1}`);

/** A long output, which nobody has opened, and a request that waits. */
const waits = (name) => new Script(name).user("Count the boats").turn()
  .shell("count", "ls boats").complete("count", LINES.join("\n")).say("All are here.").ask("paint", "paint --all boats").events;

/** Shows the page as on paper, in a dark scheme. Returns what is visible of the element's texts and buttons. */
async function printed(page) {
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  return page.evaluate(() => {
    const roots = [...document.querySelectorAll("pilot-house, pilot-house-board")].map((element) => element.shadowRoot);
    for (const root of roots) roots.push(...[...root.querySelectorAll("pilot-house")].map((element) => element.shadowRoot));
    const seen = (selector) => roots.flatMap((root) => [...root.querySelectorAll(selector)]).filter((element) => element.checkVisibility());
    const size = (selector) => parseFloat(getComputedStyle(seen(selector)[0]).fontSize);
    const cut = (element) => ["hidden", "auto", "scroll"].includes(getComputedStyle(element).overflowY) && element.scrollHeight > element.clientHeight + 1;
    return {
      buttons: seen("button, a.btn").map((button) => button.ariaLabel ?? button.innerText),
      cut: seen("[data-entry] *").filter(cut).map((element) => element.className),
      text: seen("[data-entry]").map((entry) => entry.innerText).join("\n"),
      sizes: seen(".prose").length ? { prose: size(".prose"), quiet: size(".meta") } : undefined,
      boards: seen(".board-main").length,
      page: [document.documentElement, document.body].map((element) => getComputedStyle(element).backgroundColor),
      scheme: getComputedStyle(document.documentElement).colorScheme,
    };
  });
}

scenario("a session on paper is whole and light, and has no buttons", async (stage) => {
  const page = await stage.page(await stage.serve([waits("boats")]));
  await card(page, "paint").waitFor();
  await fetched(page, "tools", "edits");
  await frames(page);
  const paper = await printed(page);
  assert.deepEqual(paper.page, ["rgba(0, 0, 0, 0)", "rgba(0, 0, 0, 0)"], "the sheet stays white below the last line");
  assert.match(paper.scheme, /only/);
  assert.deepEqual(paper.buttons, []);
  assert.deepEqual(paper.cut, [], "nothing has to be scrolled");
  for (const line of [...LINES, "paint --all boats", "All are here."]) assert.ok(paper.text.includes(line), `${line} in: ${paper.text}`);
  assert.ok(!paper.text.includes("Loading"), paper.text);
  assert.ok(paper.sizes.prose > paper.sizes.quiet, JSON.stringify(paper.sizes));
});

scenario("a session that is open beside the board is printed by itself", async (stage) => {
  const page = await stage.page(await stage.serve([waits("early"), waits("late")]), { width: 1400 });
  await page.locator('[data-session="early"] .tile-open').click();
  await page.locator('.pane pilot-house [data-request-id="paint"]').waitFor();
  const paper = await printed(page);
  assert.equal(paper.boards, 0);
  assert.deepEqual(paper.buttons, []);
  assert.ok(paper.text.includes("paint --all boats"));
});
