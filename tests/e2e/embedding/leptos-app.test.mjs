// Tests the example in examples/leptos: somebody's own Leptos page, built by Trunk, in which a session's parts stand
// where that page wants them, with a tool body of its own.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { answer, card, scenario } from "../support/harness.mjs";
import { Runtime } from "../support/stand-in.mjs";
import { trunkServe } from "../support/trunk.mjs";

const session = new Script("harbour").user("Count the boats").turn().say("I look at the **moorings**.")
  .shell("call-count", "ls moorings | wc -l").complete("call-count", "12").ask("sweep", "rm -r moorings/empty")
  .allowed("sweep").say("Swept.").rest().events;

const other = new Script("pier").user("Paint the pier").turn().say("Blue or white?").rest().events;

scenario("a Leptos page of somebody's own lays out the parts of a session and of its composer, with its own tool body", async (stage) => {
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

  // The parts of a composer stand where the page wants them, and share what is written.
  const runtime = new Runtime();
  runtime.script.user("Hello", "first").turn().say("Hello to you").add("assistant.turn_end", { turnId: "0" }).add("session.idle", { mode: "interactive" }, { ephemeral: true });
  runtime.tell();
  const writes = await stage.page(`${new URL("/", page.url())}?src=${await runtime.listen(stage)}`);
  const foot = writes.locator("footer");
  const field = foot.locator("textarea");
  const send = foot.locator(".send [data-send=usual]");
  await field.waitFor();
  assert.equal(await send.isDisabled(), true, "there is nothing to send");
  assert.equal(await writes.locator(".composer").count(), 0, "the usual composer is not there as well");
  // The button of one part sends what is written in another one.
  await field.fill("Count the boats");
  await send.click();
  await writes.locator("main [data-entry=user]", { hasText: "Count the boats" }).waitFor();
  assert.equal(await field.inputValue(), "");
  // What waits stands in the list, which is elsewhere on the page; editing it there puts it into the field.
  await field.fill("Then paint the pier");
  await field.press("Enter");
  const queued = writes.locator(".queue [data-item]");
  await queued.getByText("Then paint the pier").waitFor();
  await queued.locator("[data-act=edit]").click();
  assert.equal(await field.inputValue(), "Then paint the pier");
  await foot.locator("[data-cancel]").click();
  // A part is as high as what is in it, and its menu reaches beyond it.
  const height = (locator) => locator.evaluate((element) => element.getBoundingClientRect().height);
  assert.ok(await height(foot) < 200, `the footer is ${await height(foot)} px high`);
  await foot.locator("[aria-haspopup=menu]").click();
  await foot.locator("[role=menuitem]").first().click({ trial: true });
  await writes.keyboard.press("Escape");
  await queued.locator("[data-act=remove]").focus();
  await writes.keyboard.press("Enter");
  await queued.waitFor({ state: "detached" });
  // Whoever took the last one out by key writes on.
  await writes.keyboard.type("So be it");
  assert.equal(await field.inputValue(), "So be it");
  // What could not be sent is said, and is not lost. What was taken out can be put back.
  runtime.on["session.send"] = () => { throw runtime.refusal(-32603, "The mast is broken"); };
  await field.press("Enter");
  await foot.getByText("The mast is broken").waitFor();
  assert.equal(await field.inputValue(), "So be it");
  await foot.locator("[data-put-back]").click();
  assert.equal(await field.inputValue(), "Then paint the pier\n\nSo be it");
});
