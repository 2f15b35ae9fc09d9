// Tests what is on paper: whole texts, light colours, readable sizes, and nothing that only works on a screen.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { card, fetched, frames, push, scenario, touch } from "../support/harness.mjs";

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
  await touch(page);
  await fetched(page, "tools", "diffs");
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

scenario("what is folded is open on paper, but for raw data; afterwards the page is as before", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`, { width: 1400 });
  const diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n";
  const agent = { toolCallId: "dive", agentName: "diver", agentDisplayName: "Diver", agentDescription: "Dives" };
  const script = new Script("boats").user("Look after the boats").turn()
    .add("assistant.reasoning", { reasoningId: "thought", content: "The tide comes first" })
    .add("session.warning", { warningType: "policy", message: "A storm comes", force: { wind: "north-north-west" } })
    .add("tool.execution_start", { toolCallId: "dive", toolName: "task", arguments: { description: "Dive" } })
    .add("subagent.started", agent, { agentId: "diver" })
    .add("assistant.message", { messageId: "below", content: "Below the water", toolRequests: [] }, { agentId: "diver" })
    .add("subagent.completed", agent, { agentId: "diver" }).complete("dive", "They lie well")
    .add("session.compaction_start", {}).add("session.compaction_complete", { success: true, summaryContent: "Boats were counted", preCompactionTokens: 9000 })
    .add("boats.painted", { colour: "ultramarine" })
    .add("permission.requested", { requestId: "paint", permissionRequest: { kind: "write", toolCallId: "w", fileName: "/workspace/boats/x", diff, newFileContents: "new, and the whole file\n" } });
  await push(page, script.take());
  await card(page, "paint").waitFor();
  await page.locator('[data-entry="assistant"][data-id="below"]').waitFor({ state: "detached" });
  const before = await page.locator("[data-row]").count();
  const paper = await printed(page);
  for (const words of ["The tide comes first", "Below the water", "They lie well", "Boats were counted", "new, and the whole file"]) {
    assert.ok(paper.text.includes(words), `${words} in: ${paper.text}`);
  }
  for (const raw of ["north-north-west", "9000", "ultramarine"]) assert.ok(!paper.text.includes(raw), `${raw} in: ${paper.text}`);
  await page.emulateMedia({ media: "screen" });
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await page.locator('[data-entry="assistant"][data-id="below"]').waitFor({ state: "detached" });
  assert.equal(await page.locator("[data-row]").count(), before);
  assert.equal(await page.getByText("The tide comes first").count(), 0);
});

scenario("a terminal's earlier lines are on paper, and a screen offers them again", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`);
  const lines = Array.from({ length: 700 }, (_, line) => `boat ${line + 1} of all`);
  const many = Array.from({ length: 9000 }, (_, line) => `buoy ${line + 1} of all`);
  const script = new Script("boats").user("Count").turn()
    .shell("count", "ls boats").complete("count", lines.join("\n"))
    .shell("buoys", "ls buoys").complete("buoys", many.join("\n"));
  await push(page, script.take());
  const row = page.locator('[data-id="count"]');
  await row.locator("summary").click();
  const earlier = row.getByRole("button", { name: /^Show \d+ earlier lines$/ });
  const offers = await earlier.innerText();
  const paper = await printed(page);
  for (const line of [...lines, many.at(-1), many.at(-4000)]) assert.ok(paper.text.includes(line), line);
  assert.deepEqual(paper.buttons.map((words) => words.replace(/\d+/, "n")), ["n earlier lines are not printed"], "but for those that would fill hundreds of pages");
  await page.emulateMedia({ media: "screen" });
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await earlier.waitFor();
  assert.equal(await earlier.innerText(), offers);
  assert.equal(await row.getByText("boat 1 of all").count(), 0);
});

scenario("a diagram on paper is light and not cut", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`, { width: 700, scheme: "dark" });
  const steps = Array.from({ length: 14 }, (_, step) => `S${step}[A long step ${step}] --> S${step + 1}[A long step ${step + 1}]`);
  const content = `\`\`\`mermaid\nflowchart LR\n${steps.join("\n")}\n\`\`\`\n`;
  await push(page, new Script("boats").user("Draw").turn().say(content).rest().take());
  const drawing = page.locator(".drawing");
  await drawing.locator("img.paper").waitFor({ state: "attached" });
  assert.equal(await drawing.locator("img.paper").isVisible(), false);
  const screen = drawing.locator("img:not(.paper)");
  assert.ok(await screen.isVisible());
  await printed(page);
  assert.equal(await screen.isVisible(), false);
  const paper = await drawing.evaluate(async (drawing) => {
    const image = drawing.querySelector(".paper");
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    const brush = canvas.getContext("2d");
    brush.drawImage(image, 0, 0);
    const { data } = brush.getImageData(0, 0, canvas.width, canvas.height);
    let [light, dark] = [0, 0];
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3] < 250) continue;
      if (data[at] + data[at + 1] + data[at + 2] > 600) light += 1;
      else dark += 1;
    }
    return { cut: drawing.scrollWidth > drawing.clientWidth, light: light > 4 * dark };
  });
  assert.deepEqual(paper, { cut: false, light: true });
});
