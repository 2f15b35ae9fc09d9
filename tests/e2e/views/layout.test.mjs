// Tests measurable properties of the layout: equal heights, no overlaps, nothing cut off, little chrome.
// Colours are tested with axe in the other tests.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { card, frames, push, scenario } from "../support/harness.mjs";
import { field, queueUp, composerPage, working } from "../support/composer-page.mjs";

const empty = (stage, options) => stage.embed(stage.gateway, `transport="none"`, { whole: false, ...options });
const box = (page, selector) => page.locator(selector).first().boundingBox();

/** A titled conversation of long lines. */
const talk = (runtime) => {
  const { script } = runtime;
  script.add("session.title_changed", { title: "Mend the boats before the tide" }, { ephemeral: true });
  for (let n = 0; n < 4; n += 1) {
    script.user(`Question ${n}: how do the boats lie at the pier today, and which of them needs paint first?`).turn();
    script.say("The **white** boat lies at the pier, the blue one at a buoy; both need paint, and the blue one a rope.");
    script.shell(`s${n}`, "ls -la boats/ | sort -k5 -n | tail -20 && cat boats/white.md boats/blue.md boats/red.md").complete(`s${n}`, "white\nblue");
    script.add("assistant.turn_end", { turnId: "0" });
  }
  script.add("session.idle", { mode: "interactive" }, { ephemeral: true });
};

scenario("fields that stand in a row are equally high, whatever they take, and phones do not zoom into them", async (stage) => {
  stage.gateway = await stage.serve();
  const properties = {
    kind: { type: "string", title: "Kind", enum: ["sail", "motor"] },
    length: { type: "number", title: "Length", description: "From bow to stern, in metres, with everything that sticks out on both of its ends" },
    mail: { type: "string", title: "Mail", format: "email" },
    day: { type: "string", title: "Day", format: "date" },
    at: { type: "string", title: "When", format: "date-time" },
    note: { type: "string", title: "Note" },
  };
  for (const [width, high] of [[320, 44], [380, 44], [800, 34], [1280, 34]]) {
    const page = await empty(stage, { width });
    await push(page, new Script().user("Go").turn().add("elicitation.requested", { requestId: "form", message: "Which boat?", mode: "form", requestedSchema: { type: "object", properties } }).take());
    await card(page, "form").locator(".input").first().waitFor();
    const heights = await card(page, "form").locator(".input").evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().height)));
    assert.deepEqual(heights, Object.keys(properties).map(() => high), `${width} px`);
    if (width > 380) continue;
    const sizes = await page.locator("input:not([type=radio], [type=checkbox]), textarea, select").evaluateAll((all) => all.map((one) => parseFloat(getComputedStyle(one).fontSize)));
    assert.ok(sizes.length >= 6 && sizes.every((size) => size >= 16), `${width} px: letters of ${sizes}`);
  }
});

scenario("a drawer begins right under the header, with a composer and without", async (stage) => {
  stage.gateway = await stage.serve();
  for (const width of [380, 800]) {
    for (const page of [(await composerPage(stage, { prepare: talk, width })).page, await empty(stage, { width })]) {
      if (width === 380) await page.getByRole("button", { name: "Menu" }).click();
      await page.getByRole("button", { name: "Panel", exact: true }).click();
      const [bar, aside] = [await box(page, ".bar"), await box(page, ".aside")];
      assert.ok(Math.abs(aside.y - bar.y - bar.height) < 1, `${width} px: ${aside.y} below ${bar.y + bar.height}`);
      assert.ok(Math.abs(aside.x + aside.width - width) < 1, `${width} px: at the edge`);
    }
  }
});

scenario("what can be chosen below the field is named whole or by an icon, and nothing lies over it", async (stage) => {
  const { page } = await working(stage, { prepare: talk, width: 1400 });
  for (const width of [320, 380, 560, 600, 700, 720, 768, 800, 900, 960, 1100, 1280, 1400]) {
    await page.setViewportSize({ width, height: 800 });
    await field(page).focus();
    await frames(page);
    const { names, over, out } = await page.evaluate(() => {
      const root = document.querySelector("pilot-house").shadowRoot;
      const shown = (all) => [...all].filter((one) => one.checkVisibility() && one.getBoundingClientRect().width > 0);
      const names = shown(root.querySelectorAll(".worded > span")).map((span) => [span.textContent, span.clientWidth, span.scrollWidth, span.parentElement.title]);
      // While something can be stopped, a narrow bar scrolls its choices: what is out of view there lies over nothing.
      const buttons = shown(root.querySelectorAll(".composer-bar .btn")).map((button) => {
        const [own, choices] = [button.getBoundingClientRect(), button.closest(".composer-choices")?.getBoundingClientRect()];
        const [left, right] = [Math.max(own.left, choices?.left ?? -Infinity), Math.min(own.right, choices?.right ?? Infinity)];
        return { left, right, top: own.top, bottom: own.bottom };
      });
      const overlap = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
      const over = buttons.flatMap((a, at) => buttons.slice(at + 1).filter((b) => overlap(a, b)));
      return { names, over: over.length, out: buttons.filter(({ right, left }) => right > innerWidth || left < 0).length };
    });
    assert.deepEqual([over, out], [0, 0], `${width} px`);
    for (const [name, room, needed, tip] of names) {
      // A model's name may have any length, so it may be cut.
      const least = name.startsWith("Claude") ? Math.min(needed, 60) : needed;
      assert.ok(room >= least, `${width} px: “${name}” has ${room} of ${needed} px`);
      assert.ok(tip.endsWith(name), `“${tip}” tells “${name}”`);
    }
  }
  assert.equal(await page.locator("[data-mode]").getAttribute("title"), "Mode: Interactive");
});

scenario("on a phone an open session has its title and little chrome, and the composer opens for who writes", async (stage) => {
  const { page, runtime } = await composerPage(stage, { prepare: talk, width: 380, height: 780 });
  const title = page.locator(".session-title");
  assert.equal(await title.innerText(), "Mend the boats before the tide");
  assert.ok((await title.boundingBox()).width > 150);
  const chrome = async () => (await box(page, ".bar")).height + (await box(page, "[data-composer]")).height;
  assert.ok((await chrome()) <= 120, `${await chrome()} px of 780`);
  assert.equal(await page.locator("[data-mode]").isVisible(), false);
  await field(page).click();
  await page.locator("[data-mode]").waitFor();
  await field(page).fill("Mend them");
  await field(page).press("Enter");
  await page.locator('pilot-house[data-status="running"]').waitFor();
  assert.equal(await title.innerText(), "Mend the boats before the tide", "what is being done does not take its place");
  await page.locator("[data-scroller]").click({ position: { x: 300, y: 20 } });
  await page.locator("[data-mode]").waitFor({ state: "hidden" });
  assert.ok((await chrome()) <= 120, `${await chrome()} px of 780 while it runs`);
  await page.locator("[data-stop]").click();
  await runtime.called("session.interruptMainTurn");
  await page.locator('pilot-house[data-status="idle"]').waitFor();
  // Everything can be reached by keyboard.
  await page.locator("[data-scroller]").focus();
  await field(page).focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  assert.equal(await page.locator("[data-mode]").isVisible(), true);
});

scenario("what can be done with an entry stands beside it, covers nothing, and is there once", async (stage) => {
  const { page } = await composerPage(stage, { prepare: talk, width: 1400 });
  const seen = () => page.evaluate(() => {
    const root = document.querySelector("pilot-house").shadowRoot;
    const groups = [...root.querySelectorAll(".actions")].filter((group) => getComputedStyle(group).opacity === "1" && group.checkVisibility());
    const scroller = root.querySelector("[data-scroller]").getBoundingClientRect();
    const words = [...root.querySelectorAll(".msg, .row, .entry > .prose, .turn")].map((one) => one.getBoundingClientRect());
    const meets = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.5;
    return groups.map((group) => {
      const place = group.getBoundingClientRect();
      return { of: group.parentElement.dataset.id, over: words.filter((word) => meets(place, word)).length, out: place.right > scroller.right };
    });
  });
  for (const width of [600, 700, 800, 899, 900, 1000, 1039, 1040, 1100, 1239, 1240, 1400]) {
    await page.setViewportSize({ width, height: 900 });
    await frames(page);
    for (const kind of ["user", "assistant", "tool"]) {
      const row = page.locator(`[data-entry="${kind}"]`).last();
      await row.locator(".actions").waitFor({ state: "attached" });
      await row.hover({ position: { x: 40, y: 12 } });
      assert.deepEqual(await seen(), [{ of: await row.getAttribute("data-id"), over: 0, out: false }], `${kind} at ${width} px`);
    }
  }
  // After a press, the pointer moves on.
  const tool = page.locator('[data-entry="tool"]').last();
  await tool.locator("summary").click();
  await page.locator('[data-entry="assistant"]').last().hover();
  assert.equal((await seen()).length, 1);
  // With the keyboard.
  await page.mouse.move(1, 1);
  await page.keyboard.press("Tab");
  await tool.locator("summary").focus();
  assert.deepEqual((await seen()).map(({ of }) => of), [await tool.getAttribute("data-id")]);
});

scenario("the header has as many figures as fit, each whole, after what goes on, at any width", async (stage) => {
  stage.gateway = await stage.serve();
  const page = await empty(stage, { width: 1400 });
  const script = new Script().user("Mend the boats").turn().add("session.mode_changed", { newMode: "plan" });
  script.add("assistant.intent", { intent: "Looking for the leak" }, { ephemeral: true });
  script.add("assistant.streaming_delta", { totalResponseSizeBytes: 5000 }, { ephemeral: true });
  for (let n = 0; n < 200; n += 1) script.add("session.info", { infoType: "test", message: "Time passes" });
  await push(page, script.take());
  await page.locator(".bar-facts > .fact").first().waitFor({ state: "attached" });
  const fits = [];
  for (const width of [560, 639, 640, 700, 800, 959, 960, 1100, 1279, 1280, 1400]) {
    await page.setViewportSize({ width, height: 700 });
    const { all, shown, cut, doing } = await page.locator(".bar").evaluate((bar) => {
      const box = (element) => element.getBoundingClientRect();
      const room = box(bar.querySelector(".bar-facts"));
      const facts = [...bar.querySelectorAll(".bar-facts > .fact")];
      const shown = facts.filter((fact) => box(fact).top < room.bottom - 1);
      const cut = shown.filter((fact) => box(fact).right > room.right + 1 || box(fact).left < room.left - 1);
      const intent = bar.querySelector(".intent");
      return { all: facts.length, shown: shown.length, cut: cut.map((fact) => fact.textContent), doing: box(intent).width > 30 };
    });
    assert.deepEqual(cut, [], `${width} px`);
    assert.ok(doing, `${width} px: what goes on is there`);
    fits.push([shown, all]);
  }
  const [[fewest, all], [most]] = [fits[0], fits.at(-1)];
  assert.equal(most, all, "all where there is room");
  assert.ok(fewest < most);
});

scenario("what was rewound, and a compaction that was undone with it, say so and are quiet", async (stage) => {
  stage.gateway = await stage.serve();
  const page = await empty(stage);
  const script = new Script().user("The moons of Mars", "m1").turn().say("Phobos and Deimos.", "a1").user("Those of Jupiter", "m2").turn().say("Ninety-five.", "a2");
  script.add("tool.execution_start", { toolCallId: "made", toolName: "create", arguments: { path: "/workspace/boats/moons.md", file_text: "95\n" } }).complete("made", "Created");
  script.add("session.compaction_complete", { success: true, messagesRemoved: 2, preCompactionTokens: 12_000, postCompactionTokens: 3_000, summaryContent: "short" });
  const { id } = script.events.find(({ data }) => data.messageId === "m2");
  await push(page, script.take());
  const row = (id) => page.locator(`article[data-id="${id}"]`);
  await row("made").locator("details[open]").waitFor();
  assert.equal(await page.locator("[data-rewound]").count(), 0);
  await push(page, script.add("session.snapshot_rewind", { upToEventId: id, eventsRemoved: 6 }, { ephemeral: true }).user("Only the big ones", "m3").take());
  for (const [id, tag] of [["m2", "rewound"], ["a2", "rewound"]]) {
    await row(id).locator(".tag", { hasText: tag }).waitFor();
    assert.match(await row(id).getAttribute("aria-label"), /^Rewound: /u);
  }
  await page.locator('[data-entry="compaction"][data-rewound]', { hasText: "undone by rewinding" }).waitFor();
  await row("made").locator("details:not([open])").waitFor();
  const colour = (id) => row(id).locator(".prose").evaluate((prose) => getComputedStyle(prose).color);
  assert.notEqual(await colour("a2"), await colour("a1"));
  for (const id of ["m1", "a1", "m3"]) assert.equal(await row(id).getAttribute("data-rewound"), null, id);
});

scenario("a queued message that is changed has two words under the field, and its buttons are equally high", async (stage) => {
  for (const width of [320, 380, 800]) {
    const { page } = await working(stage, { width });
    await queueUp(page, "One", "Two");
    await page.locator('[data-act="edit"]').first().click();
    const [cancel, save] = [await box(page, "[data-cancel]"), await box(page, ".composer-ends .primary")];
    assert.deepEqual([cancel.height, cancel.y], [save.height, save.y], `${width} px`);
    assert.ok(cancel.width > 60, `${width} px: ${cancel.width}`);
    assert.equal(await page.locator(".composer-hint").innerText(), "Enter saves, Escape leaves the message as it is");
  }
});

scenario("on a phone the status stands in the title's place until there is one, and the header stays as high", async (stage) => {
  stage.gateway = await stage.serve();
  const page = await empty(stage, { width: 380 });
  const script = new Script("boats");
  await push(page, script.take());
  const middle = ({ y, height }) => y + height / 2;
  const [bar, word] = [await box(page, ".bar"), await box(page, ".bar .word")];
  assert.ok(Math.abs(middle(word) - middle(bar)) < 2, `${middle(word)} in the middle of ${middle(bar)}`);
  await push(page, script.add("session.title_changed", { title: "Mend the boats" }, { ephemeral: true }).take());
  await page.locator(".session-title", { hasText: "Mend the boats" }).waitFor();
  assert.ok((await box(page, ".bar .word")).y > (await box(page, ".session-title")).y);
  assert.equal((await box(page, ".bar")).height, bar.height);
});

scenario("on a phone the buttons over the timeline take one line, and each has its name", async (stage) => {
  stage.gateway = await stage.serve();
  const page = await empty(stage, { width: 380, height: 700 });
  const script = new Script("boats").user("Look after the boats").turn();
  for (const boat of ["white", "blue", "red", "green"]) script.ask(boat, `paint ${boat}`).say("Now the next one. ".repeat(60));
  await push(page, script.take());
  await card(page, "green").waitFor();
  await page.locator("[data-scroller]").evaluate((scroller) => void (scroller.scrollTop = 0));
  const jump = page.getByRole("button", { name: "Jump to latest" });
  const list = page.getByRole("button", { name: "4 requests wait for you" });
  await jump.waitFor();
  const [one, other] = [await jump.boundingBox(), await list.boundingBox()];
  assert.equal(one.y, other.y);
  assert.ok(one.width < 48, `${one.width} px`);
  assert.ok((await box(page, ".dock")).height <= 64);
  await jump.click();
  await jump.waitFor({ state: "detached" });
});

scenario("on a phone the buttons of a row stay when a card is used, and the card with them", async (stage) => {
  stage.gateway = await stage.serve();
  const page = await empty(stage, { width: 380 });
  await push(page, new Script("boats").user("Go").say("I will look.", "said").ask("sure", "ls boats").say("And this.", "next").take());
  const allow = card(page, "sure").locator('[data-answer="approve-once"]');
  await allow.waitFor();
  const copy = (id) => page.locator(`article[data-id="${id}"] > .actions`);
  await copy("said").waitFor({ state: "attached" });
  await page.locator('article[data-id="said"]').focus();
  await copy("said").waitFor();
  const { y } = await allow.boundingBox();
  const next = await box(page, 'article[data-id="next"]');
  await allow.focus();
  await frames(page);
  assert.equal((await allow.boundingBox()).y, y);
  assert.deepEqual(await box(page, 'article[data-id="next"]'), next, "nothing opens below the card");
  await page.locator('article[data-id="next"]').focus();
  await copy("next").waitFor();
  assert.equal(await copy("said").isVisible(), false, "one row has its buttons");
});
