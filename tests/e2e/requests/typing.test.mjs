// Tests that nobody is disturbed who types into a card: by what arrives, by shortcuts, by an on-screen keyboard.

import assert from "node:assert/strict";

import { composerPage, field as compose } from "../support/composer-page.mjs";
import { Script } from "../support/events.mjs";
import { card, frames, host, push, scenario } from "../support/harness.mjs";

const active = (page) => page.evaluate(() => {
  const on = document.querySelector("pilot-house").shadowRoot.activeElement;
  return on && [on.localName, on.dataset.field ?? on.className];
});
const field = (page) => card(page, "q").locator("textarea, input").first();
const top = async (page) => (await field(page).boundingBox()).y;
const stays = async (page, y, when) => assert.ok(Math.abs((await top(page)) - y) <= 2, `${when}: from ${y} to ${await top(page)} px`);
const scrollTo = (page, share) => page.locator("[data-scroller]").evaluate((list, share) => void (list.scrollTop = list.scrollHeight * share), share);
const below = (page) => page.locator("[data-scroller]").evaluate((list) => list.scrollHeight - list.clientHeight - list.scrollTop);
const paragraphs = (script, count) => {
  for (let n = 0; n < count; n += 1) script.say(`Paragraph ${n}. ${"The boats lie at the pier. ".repeat(12)}`);
  return script.take();
};
const question = (script) => script.add("user_input.requested", { requestId: "q", question: "Which harbour?", allowFreeform: true }, { ephemeral: true });

/** A page with a question at its end. */
async function asked(stage, options) {
  const page = await host(stage, options);
  const script = new Script().user("Go").turn().shell("s", "ferry list");
  await push(page, paragraphs(script, 8));
  await push(page, question(script).take());
  await field(page).waitFor();
  await frames(page);
  return { page, script };
}

scenario("a field keeps the focus, its place and its text while sixty paragraphs arrive, and no letter is a shortcut", async (stage) => {
  const { page, script } = await asked(stage, { height: 700 });
  await field(page).click();
  const [on, y] = [await active(page), await top(page)];
  await push(page, paragraphs(script, 5));
  await page.keyboard.type("pem");
  await stays(page, y, "right after the press");
  for (let n = 0; n < 6; n += 1) await push(page, paragraphs(script, 10));
  await page.keyboard.type("pem?");
  await stays(page, y, "later");
  assert.deepEqual(await active(page), on);
  // Once it is left, the end is followed again.
  await page.locator("[data-scroller]").focus();
  await push(page, paragraphs(script, 3));
  assert.ok((await below(page)) <= 2, `${await below(page)} px from the end`);
  assert.equal(await page.locator("[data-request-id=q]").count(), 0, "a row without the focus leaves the document");
});

scenario("a field stays at its place while what is above it grows", async (stage) => {
  const { page, script } = await asked(stage, { height: 700 });
  await push(page, script.begin("m", "The boats").ask("a", "ls boats").take());
  await field(page).scrollIntoViewIfNeeded();
  await frames(page);
  await field(page).focus();
  const y = await top(page);
  await push(page, script.output("s", "pontoon free\n".repeat(30)).more("m", " lie at the pier.\n\n".repeat(20)).take());
  await page.locator("[data-request-id=q]").evaluate((card) => {
    card.closest("[data-row]").previousElementSibling.style.paddingBlockEnd = "150px";
  });
  await frames(page);
  await stays(page, y, "the row above has grown");
  await push(page, script.allowed("a").say("Done.").take());
  await stays(page, y, "another request is answered");
});

scenario("a field that somebody has scrolled away from keeps the focus and what is typed", async (stage) => {
  const { page, script } = await asked(stage, { height: 700 });
  await field(page).focus();
  const on = await active(page);
  await push(page, paragraphs(script, 60));
  await scrollTo(page, 1);
  await frames(page);
  assert.deepEqual(await active(page), on);
  await page.keyboard.type("pem?");
  assert.equal(await field(page).inputValue(), "pem?");
  for (const opened of [".aside", ".lens", "[role=dialog]"]) assert.equal(await page.locator(opened).count(), 0, opened);
});

/**
 * What is prepared for a window whose keyboard covers what is below `height`. `margin` is the host's own place above the
 * element.
 */
const keyboard = ({ height = 780, margin = 0 } = {}) => (page) => page.addInitScript(([height, margin]) => {
  const visible = Object.assign(new EventTarget(), { height, offsetTop: 0, scale: 1 });
  Object.defineProperty(window, "visualViewport", { value: visible });
  addEventListener("DOMContentLoaded", () => {
    document.body.style.display = "flow-root";
    Object.assign(document.querySelector("pilot-house").style, { height: `${780 - margin}px`, marginTop: `${margin}px` });
  });
}, [height, margin]);

const PHONE = { width: 380, height: 780 };

/** The keyboard comes or goes: so many pixels are visible from now on. */
async function show(page, height, more = {}) {
  await page.evaluate((seen) => {
    Object.assign(visualViewport, seen);
    visualViewport.dispatchEvent(new Event("resize"));
  }, { height, ...more });
  await frames(page);
}

async function inSight(page, ...places) {
  for (const place of places) {
    const { y, height } = await place.boundingBox();
    assert.ok(y >= 0 && y + height <= 300, `${place}: ${y} to ${y + height} px`);
  }
}

const end = (page) => page.locator("[data-scroller]").evaluate((scroller) => scroller.getBoundingClientRect().bottom);
const sends = (page) => card(page, "q").locator("[data-answer]").last();

for (const [where, margin] of [["on a page of its own", 0], ["below a host's own header", 120]]) {
  scenario(`above an on-screen keyboard the field of a card and its buttons are in sight, ${where}`, async (stage) => {
    const { page } = await asked(stage, { ...PHONE, prepare: keyboard({ margin }) });
    await field(page).focus();
    await show(page, 300);
    await inSight(page, field(page), sends(page));
    await show(page, 780);
    assert.ok((await end(page)) > 770, `without a keyboard the page ends at ${await end(page)} px`);
    await show(page, 300, { scale: 2 });
    assert.ok((await end(page)) > 770, "a zoomed page has no keyboard");
  });
}

scenario("a keyboard that makes `innerHeight` smaller, and the page not, covers nothing", async (stage) => {
  const { page } = await asked(stage, { ...PHONE, prepare: keyboard() });
  await field(page).focus();
  // As Safari on iOS 26 does.
  await page.evaluate(() => Object.defineProperty(window, "innerHeight", { value: 300 }));
  await show(page, 300);
  await inSight(page, field(page), sends(page));
});

scenario("a keyboard that is there from the start covers nothing", async (stage) => {
  const { page } = await asked(stage, { ...PHONE, prepare: keyboard({ height: 300 }) });
  await field(page).focus();
  await frames(page);
  await inSight(page, field(page), sends(page));
});

scenario("above an on-screen keyboard the composer is in sight, and leaves its room to a card that is typed into", async (stage) => {
  const { page, runtime } = await composerPage(stage, PHONE);
  await keyboard()(page);
  await page.reload();
  await compose(page).focus();
  await show(page, 300);
  await inSight(page, compose(page));
  assert.equal(await page.locator(".composer-hint").isVisible(), false, "of the captions only the buttons");
  await page.locator("[data-mode]").waitFor();
  runtime.script.user("Go").turn();
  question(runtime.script);
  runtime.tell();
  await field(page).focus();
  await show(page, 300);
  await inSight(page, field(page), sends(page));
  assert.equal(await compose(page).isVisible(), false);
  await show(page, 780);
  await compose(page).waitFor();
});
