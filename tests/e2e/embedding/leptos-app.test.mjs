// Tests the example in examples/leptos: somebody's own Leptos page, built by Trunk, in which a session's parts stand
// where that page wants them, with a tool body of its own.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { answer, card, scenario } from "../support/harness.mjs";
import { trunkServe } from "../support/trunk.mjs";

const session = new Script("harbour").user("Count the boats").turn().say("I look at the **moorings**.")
  .shell("call-count", "ls moorings | wc -l").complete("call-count", "12").ask("sweep", "rm -r moorings/empty")
  .allowed("sweep").say("Swept.").rest().events;

const other = new Script("pier").user("Paint the pier").turn().say("Blue or white?").rest().events;

scenario("a Leptos page of somebody's own lays out a session's parts, with its own tool body", async (stage) => {
  const gateway = new URL(await stage.serve([session, other]));
  const page = await stage.page(await trunkServe(stage, gateway.port, "examples/leptos"));

  const timeline = page.locator("main");
  await timeline.locator("strong", { hasText: "moorings" }).waitFor();
  assert.equal(await timeline.locator("[data-entry=user]").innerText().then((text) => text.includes("Count the boats")), true);

  await timeline.locator("[data-entry=tool] summary").click();
  const body = timeline.locator("[data-logbook]");
  await body.waitFor();
  assert.match(await body.innerText(), /Logbook: ls moorings \| wc -l\s+12/);
  assert.equal(await timeline.locator(".terminal").count(), 0, "the usual body is not there as well");

  await page.getByText("On your desk: 1").waitFor();
  assert.equal(await timeline.locator("[data-request-id]").count(), 0, "the timeline has a line for the request");
  const asked = page.locator("aside");
  assert.equal(await asked.locator("[data-request-id]").count(), 1);
  const style = (property) => card(page, "sweep").evaluate((element, name) => getComputedStyle(element)[name], property);
  assert.notEqual(await style("borderRadius"), "0px", "it brings its styles");
  await answer(page, "sweep", "approve-once");
  await timeline.getByText("Swept.").waitFor();
  await page.getByText("On your desk: 0").waitFor();
  assert.equal(await asked.locator("article").count(), 0);
  assert.equal(await page.locator("h1").evaluate((element) => getComputedStyle(element).fontSize), "17.6px", "the page's own styles stay");

  const all = await stage.page(`${new URL("/", page.url())}#all`);
  const tile = all.locator("[data-session]");
  await tile.filter({ hasText: "Count the boats" }).waitFor();
  assert.equal(await tile.count(), 2);
  await tile.filter({ hasText: "Paint the pier" }).locator(".tile-open").click();
  await all.locator("pilot-house [data-entry=user]", { hasText: "Paint the pier" }).waitFor();
});
