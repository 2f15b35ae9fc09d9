// Tests that a page which comes late reads what is left of the log over HTTP, and goes on live where that ends.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { IDLE, answer, card, frames, scenario, snapshot, until } from "../support/harness.mjs";

/** More bytes than what counts as far behind. */
const LONG = "lies ".repeat(30_000);

/** A message in pieces that is whole by now, and a request that waits; then another message. */
const script = () =>
  new Script("late")
    .user("How do the boats lie?", "asked")
    .turn()
    .begin("report", "The white ", "boat ", LONG, "at the pier.")
    .say("The white boat lies at the pier.", "report")
    .ask("look", "ls boats/")
    .allowed("look")
    .begin("second", "The blue one ", "lies ", "at a buoy.")
    .say("The blue one lies at a buoy.", "second")
    .rest();

/** A gateway that has played the session up to its request. */
async function played(stage, events) {
  const gateway = await stage.serve([events]);
  const first = await stage.embed(gateway, "");
  await card(first, "look").waitFor();
  return { gateway, first };
}

const kinds = async (page) => (await snapshot(page)).timeline.map(({ kind, text }) => [kind, text]);
const types = (page) => page.locator(".record-top > code").allInnerTexts();

for (const transport of ["ws", "sse"]) {
  scenario(`what is superseded does not come over ${transport}, the rest is as ever, and the log loads it when asked`, async (stage) => {
    const { events } = script();
    const { gateway, first } = await played(stage, events);
    await answer(first, "look", "approve-once");
    await until(first, IDLE);
    const page = await stage.embed(gateway, `transport="${transport}"`, { width: 1400, height: 2400 });
    await until(page, IDLE);
    const late = await snapshot(page);
    assert.deepEqual(late.timeline.map(({ kind, text }) => [kind, text]), await kinds(first));
    assert.ok(late.events.total < events.length, `${late.events.total} of ${events.length}`);
    assert.equal(late.events.duplicate, 0);

    await page.locator("[data-scroller]").focus();
    await page.keyboard.press("e");
    const lacks = page.getByText(`${events.length - late.events.total} superseded events are not here.`);
    await lacks.waitFor();
    await page.getByRole("button", { name: "Load all" }).click();
    await lacks.waitFor({ state: "detached" });
    await frames(page);
    assert.deepEqual(await types(page), events.map(({ type }) => type));
    // The raw events of an entry are found in it.
    await page.locator('[data-id="report"]').hover();
    await page.locator('[data-id="report"]').getByRole("button", { name: "Raw events" }).click();
    const own = events.filter(({ data }) => data.messageId === "report").map(({ type }) => type);
    await page.locator(".inspector .record").nth(own.length - 1).waitFor();
    assert.deepEqual(await types(page), own);
  });
}

scenario("where the history can't be had the stream brings everything", async (stage) => {
  const { events } = script();
  const { gateway, first } = await played(stage, events);
  await answer(first, "look", "approve-once");
  await until(first, IDLE);
  const page = await stage.embed(gateway, "", {
    prepare: (page) => page.route("**/history*", (route) => route.fulfill({ status: 404, contentType: "text/html", body: "?" })),
  });
  await until(page, IDLE);
  assert.equal((await snapshot(page)).events.total, events.length);
  await page.locator("[data-scroller]").focus();
  await page.keyboard.press("e");
  await page.locator(".record").first().waitFor();
  assert.equal(await page.getByRole("button", { name: "Load all" }).count(), 0);
}, { expected: [/status of 404/] });
