// Tests how much room the composer takes: little of a phone while somebody decides, all that is needed for who writes, and
// nothing more for what the session does meanwhile.

import assert from "node:assert/strict";

import { composerPage, field, queueUp, working } from "../support/composer-page.mjs";
import { BROKEN, NIGHTLY, card, frames, scenario } from "../support/harness.mjs";

const PHONE = { width: 380, height: 780 };
const box = (page, selector) => page.locator(selector).first().boundingBox();
const captions = ["[data-mode]", "[data-model]", ".composer-hint"];

/** The height of everything in the page that is not the timeline. */
const chrome = (page) => page.evaluate(() => {
  const root = document.querySelector("pilot-house").shadowRoot;
  return innerHeight - root.querySelector("[data-scroller]").getBoundingClientRect().height;
});

const queued = (displayText) => ({ id: displayText, messageId: displayText, kind: "message", displayText });
const asks = ({ script }) => script.user("Go", "go").turn().ask("sure", "ls boats");

for (const width of [320, 380]) {
  scenario(`while a request waits on a phone and nobody writes, chrome is little: the composer is one line of 44 px, at ${width} px`, async (stage) => {
    const { page, runtime } = await composerPage(stage, { ...PHONE, width, prepare: asks });
    await card(page, "sure").waitFor();
    runtime.script.add("session.permissions_changed", { previousMode: "manual", mode: "allow-all" });
    runtime.tell();
    await page.locator("[data-standing]").waitFor({ state: "attached" });
    runtime.items.push(...["One", "Two"].map(queued));
    runtime.modified();
    await page.getByText("2 messages wait").waitFor();
    assert.equal((await box(page, ".composer-box")).height, 44);
    assert.ok((await chrome(page)) <= 130, `${await chrome(page)} px of 780`);
    for (const caption of [...captions, "[data-standing]"]) assert.equal(await page.locator(caption).isVisible(), false, caption);
    const stop = await box(page, "[data-stop]");
    assert.ok(stop.width >= 44 && stop.height >= 44, `${stop.width} × ${stop.height} px to stop it`);
    const list = page.getByRole("button", { name: "2 messages wait" });
    await list.click();
    await page.locator('[data-item] [data-act="remove"]').first().waitFor();
    await list.click();
    await page.locator("[data-item]").first().waitFor({ state: "hidden" });
    await field(page).click();
    for (const caption of [...captions, "[data-standing]"]) await page.locator(caption).waitFor();
  });
}

/** What is pressed in an area, by name, with the size of what takes a press. */
const targets = (page, area) => page.locator(`${area} :is(button, summary, select)`).evaluateAll((all) => {
  const seen = all.filter((one) => one.checkVisibility({ visibilityProperty: true }) && one.getBoundingClientRect().width > 1);
  return seen.map((one) => {
    const { x, y, width, height } = one.getBoundingClientRect();
    const [middle, centre] = [x + width / 2, y + height / 2];
    const takes = (left, top) => one.contains(one.getRootNode().elementFromPoint(left, top));
    // As far as a press still reaches it, where more than its box takes one.
    const reach = (step) => {
      let length = 0;
      while (length < 60 && takes(middle + step[0] * (length + 1), centre + step[1] * (length + 1))) length += 1;
      return length;
    };
    const name = one.getAttribute("aria-label") ?? one.title ?? one.textContent;
    const [across, down] = [reach([1, 0]) + reach([-1, 0]) + 1, reach([0, 1]) + reach([0, -1]) + 1];
    return { name: name || one.outerHTML.slice(0, 80), wide: Math.max(width, across), high: Math.max(height, down) };
  });
});

scenario("every button of the header and the composer is as large as a thumb", async (stage) => {
  const check = async (page, width, state) => {
    await frames(page);
    const all = [...await targets(page, ".bar"), ...await targets(page, "[data-composer]")];
    assert.ok(all.length > 1, `${width} px, ${state}: ${all.length} buttons`);
    // The line that says how many messages wait takes a press over its whole width.
    const small = all.filter(({ wide, high }) => wide < 44 || high < 44 && wide < 300);
    assert.deepEqual(small, [], `${width} px, ${state}`);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, state);
  };
  for (const width of [320, 380]) {
    const { page, runtime } = await composerPage(stage, { ...PHONE, width });
    await check(page, width, "nobody writes");
    await field(page).fill("Main task");
    await check(page, width, "somebody writes");
    await field(page).press("Enter");
    await page.locator("[data-stop]").waitFor();
    runtime.items.push(...["One", "Two"].map(queued));
    runtime.modified();
    await page.locator('[data-item] [data-act="remove"]').first().waitFor();
    await field(page).fill("Mend the boats");
    await check(page, width, "the agent works");
    await page.locator(".bar .menu").click();
    await page.locator(".toolbar[data-open]").waitFor();
    await check(page, width, "the menu is open");
    // What does not fit beside the button that stops it scrolls; its menus open whole.
    const more = page.locator("[data-composer] [data-more]");
    await more.focus();
    await more.press("Enter");
    const line = page.locator("[data-composer] .menu-line").first();
    await line.waitFor();
    const { x, y, width: wide, height } = await line.boundingBox();
    const on = await line.evaluate((line, at) => line.contains(line.getRootNode().elementFromPoint(...at)), [x + wide / 2, y + height / 2]);
    assert.ok(on && x >= 0 && x + wide <= width, `${width} px: ${JSON.stringify({ on, x, wide })}`);
    await page.close();
  }
});

scenario("what one answers with is as high as a thumb, at both ends of its row", async (stage) => {
  for (const width of [320, 380]) {
    const { page } = await composerPage(stage, { ...PHONE, width, prepare: asks });
    await card(page, "sure").locator('[data-answer="approve-once"]:not([aria-disabled])').waitFor();
    const place = await card(page, "sure").boundingBox();
    const all = await card(page, "sure").locator(".answers").last().locator("button").evaluateAll((all) =>
      all.filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect().toJSON()));
    assert.ok(all.length > 1);
    for (const one of all) assert.ok(one.height >= 44 && one.width >= 44, `${width} px: ${JSON.stringify(one)}`);
    const [left, right] = [Math.min(...all.map((one) => one.left)), Math.max(...all.map((one) => one.right))];
    assert.ok(left - place.x < 24 && place.x + place.width - right < 24, `${width} px: ${left} to ${right} of ${JSON.stringify(place)}`);
  }
});

scenario("a draft is seen whole and stays open without the focus; one that is emptied folds", async (stage) => {
  const { page } = await composerPage(stage, PHONE);
  const text = "Mend the boats before the tide comes in, and the pier with them, and then the nets";
  await field(page).fill(text);
  const written = await box(page, ".composer-box");
  await page.locator("[data-scroller]").click({ position: { x: 300, y: 20 } });
  await frames(page);
  assert.deepEqual(await box(page, ".composer-box"), written);
  const { shown, whole } = await page.locator(".composer-grow").evaluate((grow) => ({ shown: grow.clientHeight, whole: grow.scrollHeight }));
  assert.equal(shown, whole);
  await field(page).fill("");
  await page.locator("[data-scroller]").click({ position: { x: 300, y: 20 } });
  await page.locator(".composer-box[data-compact]").waitFor();
  assert.equal((await box(page, ".composer-box")).height, 44);
});

scenario("the composer stays where it is whatever the session does, for who writes and who does not, at any width", async (stage) => {
  for (const width of NIGHTLY ? [320, 380, 560, 600, 800, 1100, 1400] : [320, 380, 800, 1400]) {
    for (const text of [null, "", "A draft of more than one line, which would be wrapped anew if the field were not as wide as before"]) {
      const { page, runtime } = await composerPage(stage, { width, height: 780 });
      const { script } = runtime;
      const name = `${width} px, ${text === null ? "not touched" : text ? "a draft" : "the focus"}`;
      if (text !== null) await field(page).focus();
      if (text) await field(page).fill(text);
      await frames(page);
      const before = await box(page, "[data-composer]");
      const same = async (what) => {
        await frames(page);
        assert.deepEqual(await box(page, "[data-composer]"), before, `${name}: ${what}`);
      };
      runtime.work("Main task");
      await page.locator("[data-stop]").waitFor();
      await same("the agent works");
      runtime.items.push(...["One", "Two"].map(queued));
      runtime.modified();
      await page.getByText("2 messages wait").waitFor();
      await same("messages wait");
      script.ask("sure", "ls boats").ask("also", "ls pier");
      runtime.tell();
      await card(page, "also").waitFor({ state: "attached" });
      await same("requests arrive");
      script.add("session.permissions_changed", { previousMode: "manual", mode: "allow-all" });
      runtime.tell();
      await page.locator("[data-standing]").waitFor({ state: "attached" });
      await same("a note that stays");
      // The list takes the focus, so it folds a field that only had that.
      if (text !== "") {
        await page.locator(".waits-list").dispatchEvent("click");
        await page.locator("[data-waiting]").waitFor();
        await same("the list of what waits");
        const list = await box(page, "[data-waiting]");
        assert.ok(list.y + list.height <= before.y + 1, `${name}: the list is above the composer`);
        await page.getByRole("button", { name: "Close the list" }).click();
      }
      script.allowed("sure").allowed("also");
      runtime.items = [];
      runtime.modified();
      runtime.rest();
      await page.locator('pilot-house[data-status="idle"]').waitFor();
      await same("the agent rests");
      runtime.away = true;
      runtime.cut();
      await page.locator('pilot-house[data-connection="waiting"]').waitFor();
      await same("the connection is lost");
      await page.close();
    }
  }
}, { expected: BROKEN });

scenario("above an on-screen keyboard there are the field and its buttons, and what went wrong", async (stage) => {
  const small = { ...PHONE, height: 480 };
  const { page, runtime } = await working(stage, small);
  await queueUp(page, "One", "Two");
  await field(page).focus();
  await frames(page);
  for (const gone of [".composer-hint", ".composer-queue"]) assert.equal(await page.locator(gone).isVisible(), false, gone);
  for (const there of ["[data-stop]", '[data-send="usual"]', "[data-mode]"]) assert.equal(await page.locator(there).isVisible(), true, there);
  assert.ok((await chrome(page)) <= 160, `${await chrome(page)} px`);
  runtime.on["session.send"] = () => { throw runtime.refusal(-32000, "It is busy"); };
  await field(page).fill("Three");
  await field(page).press("Enter");
  await page.getByText("It is busy").waitFor();
});

scenario("an attached picture is a thumbnail in the timeline, one that is only a path or broken is named", async (stage) => {
  const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const attachments = [
    { type: "blob", mimeType: "image/png", displayName: "boat.png", data: picture },
    { type: "file", path: "/boats/pier.png", displayName: "pier.png" },
    { type: "blob", mimeType: "image/png", displayName: "broken.png", data: "aGk=" },
    { type: "blob", mimeType: "image/svg+xml", displayName: "mast.svg", data: "PHN2Zy8+" },
  ];
  for (const { width } of [PHONE, { width: 1400 }]) {
    const { page } = await composerPage(stage, { width, prepare: ({ script }) => script.add("user.message", { content: "Look", messageId: "look", attachments }).add("session.idle", {}, { ephemeral: true }) });
    const chip = (name) => page.locator('article[data-id="look"] .chip', { hasText: name });
    await chip("broken.png").locator("img").waitFor({ state: "detached" });
    assert.equal(await page.locator('article[data-id="look"] .chip').count(), attachments.length);
    assert.equal(await page.locator('article[data-id="look"] .chip img').count(), 1);
    const { width: wide, height } = await chip("boat.png").locator("img").boundingBox();
    assert.deepEqual([wide, height], [64, 64]);
    assert.equal(await chip("boat.png").locator("img").evaluate((image) => image.naturalWidth), 1);
  }
});
