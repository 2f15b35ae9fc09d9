// Tests that an element that is given another session shows that one and nothing of the previous one.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { scenario, snapshot } from "../support/harness.mjs";

const words = (view) => view.timeline.filter(({ kind }) => kind === "user").map(({ text }) => text);

scenario("another session in the place of one leaves nothing of it", async (stage) => {
  const recording = (id) => new Script(id).user(`Words of ${id}`, `says-${id}`).turn().say(`Answer of ${id}`).rest().events;
  const gateway = await stage.serve([recording("first"), recording("second")]);
  const ids = (await (await fetch(`${gateway}/api/sessions`)).json()).map(({ sessionId }) => sessionId);
  const page = await stage.embed(gateway, `session="${ids[0]}"`);
  const shown = (id) => page.locator(`[data-entry="user"][data-id="says-${id}"]`);
  await shown("first").waitFor();
  await page.locator("pilot-house").evaluate((house, id) => house.setAttribute("session", id), ids[1]);
  await shown("second").waitFor();
  await page.locator('pilot-house[data-connection="open"]').waitFor();
  assert.equal(await shown("first").count(), 0);
  assert.deepEqual(words(await snapshot(page)), ["Words of second"]);
});
