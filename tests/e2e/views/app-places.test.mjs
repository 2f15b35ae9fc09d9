// Tests that nothing moves when the app's buttons come, seconds after the page: their places come with it.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { held, played, taken } from "../support/first-screen.mjs";
import { IN_FIREFOX, frames, late, scenario } from "../support/harness.mjs";

const talk = (name) => new Script(name).user(`Title of ${name}`).turn().say("Done").rest().events;

/** The boxes of all that stands in the header, but for the app's own. */
const boxes = (page, element, bar) =>
  page.evaluate(([element, bar]) => {
    const parts = [...document.querySelector(element).shadowRoot.querySelectorAll(`.ph ${bar} :is(h1, h2, button, input, select, .word, .session-title, .meter)`)];
    return parts.filter((part) => part.offsetParent).map((part) => {
      const { left, top, width, height } = part.getBoundingClientRect();
      return { part: part.className, box: [left, top, width, height] };
    });
  }, [element, bar]);

/** Nothing has moved by half a pixel; a layout's fractions may differ. */
function assertSame(now, before, where) {
  const told = `${where}: ${JSON.stringify(before)} became ${JSON.stringify(now)}`;
  assert.deepEqual(now.map(({ part }) => part), before.map(({ part }) => part), told);
  now.forEach(({ box }, at) => box.forEach((edge, side) => assert.ok(Math.abs(edge - before[at].box[side]) < 0.5, told)));
}

for (const [what, element, bar] of [["a session", "pilot-house", ".bar"], ["a session by its address", "pilot-house", ".bar"], ["a board", "pilot-house-board", ".board-head"]]) {
  scenario(`${what}: its header stays as it is when the app's buttons come`, async (stage) => {
    const { address, ids } = await played(stage, what === "a board" ? [talk("a"), talk("b")] : [talk("a")]);
    const alone = what.endsWith("address");
    for (const [width, phone] of [[1100, false], [700, false], [380, false], [380, true]]) {
      const app = late(/\/app\/app\.js/);
      const options = { width, height: 780, phone, prepare: app.hold };
      const { page, come } = await held(stage, alone ? `${address}/?session=${ids[0]}` : address, options);
      come();
      await taken(page, element);
      const button = page.locator(`${element} > button.app-item`);
      await frames(page);
      assert.equal(await button.count(), 0, "they come later");
      const before = await boxes(page, element, bar);
      assert.ok(before.length > 2);
      app.come();
      await button.first().waitFor({ state: "attached" });
      await page.waitForFunction((element) => !document.querySelector(`${element} > .app-place`), element);
      if (element === "pilot-house" && width >= 560) await page.locator(`${element} > .app-item[title="Share"]`).waitFor();
      await frames(page);
      assertSame(await boxes(page, element, bar), before, `${width} px`);
      if (!IN_FIREFOX) assert.equal(JSON.stringify(await page.evaluate(() => window.headerShifts)), "[]", `${width} px`);
      await page.context().close();
    }
  });
}
