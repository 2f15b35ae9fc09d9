// Tests the board: order, answers in a tile, a session beside the board, filters, keys, narrow screens, bad
// connections, many sessions. The cards themselves are tested in permissions.test.mjs and deception.test.mjs.

import assert from "node:assert/strict";

import { places, request, row, standIn, tile } from "../support/board-gateway.mjs";
import { Script } from "../support/events.mjs";
import { taken } from "../support/first-screen.mjs";
import { BROKEN, answer, card, frames, inBothSchemes, nightly, scenario, until, violations } from "../support/harness.mjs";
import { wire } from "../support/proxy.mjs";

const idle = (name) => new Script(name).user(`Title of ${name}`).turn().say("Done").rest().events;
const running = (name) => new Script(name).user(`Title of ${name}`).turn().begin("m", "Still at it").events;
/** A session that asks for permission; `before` is the number of events ahead of the request. */
const waits = (name, command, before = 0) => {
  const script = new Script(name).user(`Title of ${name}`);
  for (let at = 0; at < before; at++) script.add("session.info", { infoType: "test", message: `Note ${at}` });
  return script.turn().ask(`ask-${name}`, command).allowed(`ask-${name}`).say("Thank you").rest().events;
};

const order = (page) => page.locator("[data-session]").evaluateAll((tiles) => tiles.map((tile) => tile.dataset.session));

/** The id of the session whose tile has the focus. */
const focused = (page) =>
  page.evaluate(() => {
    const at = document.querySelector("pilot-house-board").shadowRoot.activeElement;
    return at?.closest("[data-session]")?.dataset.session;
  });

const THREE = [waits("early", "ls early"), idle("rests"), waits("late", "ls late", 4), running("works")];
const SORTED = ["early", "late", "works", "rests"];

scenario("who needs a person comes first, and the tab says how many", async (stage) => {
  const page = await stage.page(await stage.serve(THREE));
  await places(page, SORTED);
  await page.waitForFunction(() => document.title.startsWith("(2) "));
  assert.equal(await page.locator("pilot-house-board").getAttribute("data-waiting"), "2");
  assert.ok((await tile(page, "early").innerText()).includes("Run ls early"));
  assert.deepEqual(await page.locator(".word").allInnerTexts(), ["Waiting for you", "Waiting for you", "Running", "Idle"]);
  await page.getByText("2 wait for you").waitFor();
});

scenario("an answer in a tile settles there and in another viewer, with the card that the session has", async (stage) => {
  const gateway = await stage.serve(THREE);
  const page = await stage.page(gateway);
  const viewer = await stage.embed(gateway, `session="early"`, { whole: false });
  await card(viewer, "ask-early").waitFor();
  await tile(page, "early").locator("[data-answer-here]").click();
  const asked = tile(page, "early").locator('[data-request-id="ask-early"]');
  await asked.waitFor();
  const shown = (text) => text.replace(/\s+/g, " ").trim();
  assert.equal(shown(await asked.innerText()), shown(await card(viewer, "ask-early").innerText()), "the very same card");
  assert.equal(await focused(page), "early", "the card has not taken the focus from the button");
  assert.ok(shown(await asked.innerText()).includes("/workspace/boats"), "also where it would run");
  await answer(page, "ask-early", "approve-once");
  await tile(page, "early").getByText("Allowed once").waitFor();
  await until(viewer, (view) => view.pending.length === 0);
  assert.equal(await card(viewer, "ask-early").count(), 0);
});

nightly("an answer of another viewer settles the open card in the tile", async (stage) => {
  const gateway = await stage.serve(THREE);
  const page = await stage.page(gateway);
  const viewer = await stage.embed(gateway, `session="late"`, { whole: false });
  await tile(page, "late").locator("[data-answer-here]").click();
  await tile(page, "late").locator('[data-request-id="ask-late"]').waitFor();
  await answer(viewer, "ask-late", "reject", "Not here");
  await tile(page, "late").getByText("Not here").waitFor();
  assert.equal(await card(page, "ask-late").count(), 0);
});

scenario("a session opens beside the board, has an address, and gives the focus back", async (stage) => {
  const page = await stage.page(await stage.serve(THREE), { width: 1400 });
  await places(page, SORTED);
  await tile(page, "rests").locator(".tile-open").click();
  const session = page.locator('.pane pilot-house[session="rests"]');
  await session.locator('[data-entry="assistant"]').waitFor();
  assert.equal(new URL(page.url()).hash, "#session=rests");
  await tile(page, "early").waitFor();
  assert.equal(await page.locator("main").getAttribute("inert"), null, "the board beside is still there");
  await page.locator("[data-next]").click();
  await page.locator('.pane pilot-house[session="early"] [data-entry]').first().waitFor();
  await page.evaluate(() => history.back());
  await page.locator(".pane").waitFor({ state: "detached" });
  assert.equal(await page.evaluate(() => location.hash), "");
  await page.waitForFunction(() => document.querySelector("pilot-house-board").shadowRoot.activeElement?.matches(".tile-open"));
  assert.equal(await focused(page), "early");

  await page.goto(`${page.url().split("#")[0]}#session=works`);
  await page.reload();
  await page.locator('.pane pilot-house[session="works"] [data-entry]').first().waitFor();
  await page.locator("[data-back]").click();
  await page.locator(".pane").waitFor({ state: "detached" });
});

scenario("on a phone the session lies over the board, and everything can be reached with a thumb", async (stage) => {
  const page = await stage.page(await stage.serve(THREE), { width: 380, height: 780 });
  await places(page, SORTED);
  const boxes = await page.locator("pilot-house-board button:not(.tile-open), pilot-house-board select").evaluateAll((all) =>
    all.filter((one) => one.offsetParent).map((one) => [one.className, one.offsetHeight]));
  assert.deepEqual(boxes.filter(([, height]) => height < 44), [], "targets of 44 px");
  const next = await page.locator(".board-next").boundingBox();
  assert.ok(next.y > 780 / 2, "the next that waits is at the foot");
  await tile(page, "rests").locator(".tile-open").click();
  await page.locator('.pane pilot-house[session="rests"] [data-entry="assistant"]').waitFor();
  const pane = await page.locator(".pane").boundingBox();
  assert.deepEqual([pane.x, pane.y, pane.width, pane.height], [0, 0, 380, 780]);
  assert.equal(await page.locator("main").getAttribute("inert"), "");
  const back = await page.locator("[data-back]").boundingBox();
  assert.deepEqual([back.x, back.y], [0, 0], "the way back begins the session's header");
  assert.ok(back.width >= 44 && back.height >= 44, `${back.width} × ${back.height} px`);
  assert.ok((await page.locator(".pane .bar").boundingBox()).height <= 45, "which is no higher for it");
  assert.equal(await page.locator(".pane-bar").count(), 0);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.equal(wide, 380);
  await page.locator("[data-back]").click();
  await page.locator(".pane").waitFor({ state: "detached" });
});

scenario("filters, groups, rows: what was chosen is kept", async (stage) => {
  const page = await stage.page(await stage.serve(THREE));
  await places(page, SORTED);
  const filter = page.getByRole("searchbox", { name: "Filter sessions" });
  await filter.fill("title LATE");
  await places(page, ["late"]);
  await filter.press("Escape");
  await places(page, SORTED);
  assert.equal(await filter.inputValue(), "");
  await page.getByRole("combobox", { name: "Status" }).selectOption({ label: "Idle" });
  await places(page, ["rests"]);
  await filter.fill("nothing like this");
  await page.getByRole("button", { name: "Clear the filter" }).click();
  await places(page, SORTED);
  await page.getByRole("combobox", { name: "Group" }).selectOption({ label: "By status" });
  await page.getByRole("heading", { name: "Waiting for you" }).waitFor();
  assert.deepEqual(await page.locator("main h2").allInnerTexts(), ["Waiting for you", "Running", "Idle"]);
  await page.getByRole("button", { name: "As a list" }).click();
  await page.reload();
  await taken(page, "pilot-house-board");
  await page.locator('.board[data-view="list"]').waitFor();
  await page.getByRole("heading", { name: "Idle" }).waitFor();
});

scenario("everything by keyboard", async (stage) => {
  const page = await stage.page(await stage.serve(THREE), { width: 1000 });
  await places(page, SORTED);
  const stops = await page.locator('.tile-open[tabindex="0"]').count();
  assert.equal(stops, 1, "one tab stop for all tiles");
  await page.locator('.tile-open[tabindex="0"]').focus();
  assert.equal(await focused(page), "early");
  for (const [key, at] of [["ArrowRight", "late"], ["End", "rests"], ["Home", "early"], ["ArrowDown", "rests"], ["ArrowUp", "early"], ["r", "late"], ["r", "early"]]) {
    await page.keyboard.press(key);
    assert.equal(await focused(page), at, key);
  }
  await page.keyboard.press("/");
  await page.keyboard.type("rests");
  await places(page, ["rests"]);
  await page.keyboard.press("Escape");
  await places(page, SORTED);
  await tile(page, "rests").locator(".tile-open").focus();
  await page.keyboard.press("Enter");
  await page.locator(".pane").waitFor();
  await page.waitForFunction(() => document.querySelector("pilot-house-board").shadowRoot.activeElement?.matches(".pane"));
  await page.keyboard.press("Escape");
  await page.locator(".pane").waitFor({ state: "detached" });
  await page.waitForFunction(() => document.querySelector("pilot-house-board").shadowRoot.activeElement?.matches(".tile-open"));
  assert.equal(await focused(page), "rests");
});

/** Milliseconds, longer than the time for which a user without any input still counts as reading. */
const AWAY = 25_000;

/** The colour of the ring around what has the focus on the board, or nothing. */
const ring = (page) =>
  page.evaluate(() => {
    const at = document.querySelector("pilot-house-board").shadowRoot.activeElement;
    const shown = [undefined, "::after"].map((part) => getComputedStyle(at, part));
    return shown.filter(({ outlineStyle, outlineWidth, outlineColor }) =>
      outlineStyle !== "none" && outlineWidth !== "0px" && outlineColor !== "rgba(0, 0, 0, 0)").length > 0;
  });
const hasFocus = (page, selector) =>
  page.waitForFunction((selector) => document.querySelector("pilot-house-board").shadowRoot?.activeElement?.matches(selector), selector);

scenario("beside an open session there is a list of 320 px, a line or two for each, and what is short is answered there", async (stage) => {
  let gate;
  const requests = [request("r", 1, "rm boat")];
  const rows = [
    row("short", "waiting", { requests }), row("tall", "waiting", { requests: [request("t", 2, "echo one\n".repeat(30))] }),
    row("works", "running", { intent: "Reading the tide tables" }), row("rests", "idle", { repository: "harbour/boats", branch: "main" }),
  ];
  const page = await stage.page(await stage.serve(THREE), {
    width: 1400,
    prepare: async (page) => {
      await page.clock.install();
      gate = await standIn(page, rows, {
        serve: (method) => {
          if (method.startsWith("session.permissions.handle")) gate.tell({ sessionId: "short", status: "idle", requests: [], settled: [] });
          return { success: true };
        },
      });
    },
  });
  await places(page, ["short", "tall", "works", "rests"]);
  assert.equal(await page.locator(".tile [data-request-id]").count(), 0, "tiles that stand alone show a button");
  await tile(page, "rests").locator(".tile-open").click();
  await page.locator(".pane").waitFor();
  const list = await page.locator(".board-main").boundingBox();
  assert.deepEqual([list.x, list.width], [0, 320]);
  const allow = card(page, "r").locator('[data-answer="approve-once"]:not([aria-disabled])');
  await allow.waitFor();
  const sides = await tile(page, "short").locator("button[data-answer]").evaluateAll((all) => all.map((one) => one.dataset.answer));
  assert.equal(sides[0], "reject");
  assert.ok((await tile(page, "short").boundingBox()).height < 400);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 1400);
  const lines = async (id) => (await tile(page, id).innerText()).split("\n").map((line) => line.trim()).filter(Boolean).join(" | ");
  assert.match(await lines("rests"), /^.*Session rests.*Idle.*harbour\/boats · main$/);
  assert.match(await lines("works"), /Session works.*Reading the tide tables$/);
  for (const id of ["tall", "works", "rests"]) {
    const { height } = await tile(page, id).boundingBox();
    assert.ok(height <= 64, `${id}: ${height} px`);
  }
  assert.equal(await card(page, "t").count(), 0, "a tall one opens its session");
  assert.deepEqual(await violations(page), []);

  await allow.click();
  await card(page, "r").waitFor({ state: "detached" });
  const answered = gate.calls.filter(({ method }) => method.startsWith("session.permissions.handle"));
  assert.deepEqual(answered.map(({ params }) => [params.sessionId, params.requestId, params.result.kind]), [["short", "r", "approve-once"]]);
  await tile(page, "tall").locator("[data-open-here]").click();
  await page.locator('.pane pilot-house[session="tall"]').waitFor();
});

scenario("a card comes into the list only while nobody is near, and what the open session asks stands there alone", async (stage) => {
  let gate;
  const page = await stage.page(await stage.serve(THREE), {
    width: 1400,
    prepare: async (page) => {
      await page.clock.install();
      gate = await standIn(page, [row("a", "running"), row("b", "running"), row("c", "idle")]);
    },
  });
  await places(page, ["a", "b", "c"]);
  await tile(page, "c").locator(".tile-open").click();
  await page.locator(".pane").waitFor();
  const before = await tile(page, "b").boundingBox();
  gate.tell({ sessionId: "a", status: "waiting", requests: [request("r", 1)] });
  await tile(page, "a").locator("[data-answer-here]").waitFor();
  assert.equal(await card(page, "r").count(), 0, "the pointer is in the list");
  assert.deepEqual(await tile(page, "b").boundingBox(), before);
  await page.mouse.move(900, 500);
  await page.clock.fastForward(AWAY);
  await card(page, "r").waitFor();
  assert.equal(await tile(page, "a").locator("[data-answer-here]").count(), 0);
  await tile(page, "a").locator(".tile-open").click();
  await card(page, "r").waitFor({ state: "detached" });
});

scenario("a focus ring shows only where a key led", async (stage) => {
  const page = await stage.page(await stage.serve(THREE), { width: 1400 });
  await places(page, SORTED);
  await tile(page, "rests").locator(".tile-open").click();
  await hasFocus(page, ".pane");
  assert.equal(await ring(page), false, "after a press");
  await page.locator("[data-back]").click();
  await hasFocus(page, ".tile-open");
  assert.equal(await ring(page), false, "nor where the focus goes back to");
  await page.keyboard.press("ArrowUp");
  assert.equal(await ring(page), true, "after a key");
  await page.keyboard.press("Enter");
  await hasFocus(page, ".pane");
  assert.equal(await ring(page), true);
  await page.reload();
  await hasFocus(page, ".pane");
  assert.equal(await ring(page), false, "as the page comes");
});

scenario("a stored session says when it was active", async (stage) => {
  const stored = (id, modifiedTime) => row(id, "idle", { stored: true, modifiedTime });
  const page = await stage.page(await stage.serve(THREE), {
    prepare: async (page) => {
      await page.clock.install({ time: new Date("2026-11-25T12:00:00Z") });
      await standIn(page, [stored("old", "2026-11-22T10:00:00.000Z"), stored("late", "2026-11-24T10:20:00.000Z"), stored("none", null)]);
    },
  });
  await places(page, ["late", "old", "none"]);
  const age = (id) => tile(page, id).locator(".tile-age").innerText();
  const time = await page.evaluate(() => new Date("2026-11-24T10:20:00Z").toLocaleTimeString("en-US", { timeStyle: "short" }));
  assert.deepEqual([await age("late"), await age("old"), await age("none")], [`Yesterday ${time}`, "3 days ago", ""]);
});

scenario("a new session offers the folders in which others have worked", async (stage) => {
  let gate;
  const rows = Array.from({ length: 8 }, (_, at) => row(`s${at}`, "idle", { cwd: `/workspace/f${at % 7}`, lastEventAt: at }));
  const page = await stage.page(await stage.serve(THREE), {
    prepare: async (page) => (gate = await standIn(page, rows, { capabilities: ["create"], serve: () => ({ sessionId: "s1" }) })),
  });
  await page.locator("[data-new]").first().click();
  const choices = page.getByRole("group", { name: "Recent folders" }).getByRole("button");
  assert.deepEqual(await choices.allInnerTexts(), ["/workspace/f0", "/workspace/f6", "/workspace/f5", "/workspace/f4", "/workspace/f3", "/workspace/f2"]);
  await choices.nth(2).click();
  assert.equal(await page.getByLabel("Working directory").inputValue(), "/workspace/f5");
  assert.deepEqual(await violations(page), []);
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.locator('.pane pilot-house[session="s1"]').waitFor();
  assert.equal(gate.calls.find(({ method }) => method === "pilothouse.create").params.workingDirectory, "/workspace/f5");
});

scenario("no tile moves while somebody is near, and what is new stands behind", async (stage) => {
  const gateway = await stage.serve(THREE);
  let gate;
  const page = await stage.page(gateway, {
    prepare: async (page) => {
      await page.clock.install();
      gate = await standIn(page, [row("a", "running"), row("b", "running"), row("c", "idle")]);
    },
  });
  await places(page, ["a", "b", "c"]);
  await tile(page, "a").hover();
  gate.tell({ sessionId: "c", status: "waiting", requests: [request("r", 1)] }, row("d", "waiting", { requests: [request("s", 2)] }), { sessionId: "b", removed: true });
  const before = await tile(page, "a").boundingBox();
  await page.getByText("The order has changed.").waitFor();
  assert.deepEqual(await order(page), ["a", "b", "c", "d"]);
  assert.deepEqual(await tile(page, "a").boundingBox(), before, "nor do the words move them");
  await tile(page, "b").getByText("This session is gone.").waitFor();
  await page.getByRole("searchbox").hover();
  await frames(page);
  assert.deepEqual(await order(page), ["a", "b", "c", "d"], "somebody has only just pointed elsewhere");
  await page.clock.fastForward(AWAY);
  await places(page, ["c", "d", "a"]);
  await page.getByText("The order has changed.").waitFor({ state: "detached" });

  await tile(page, "a").locator(".tile-open").focus();
  gate.tell({ sessionId: "a", status: "error", error: "No model answers" });
  gate.tell({ sessionId: "d", status: "idle", requests: [] });
  await page.getByText("The order has changed.").waitFor();
  assert.deepEqual(await order(page), ["c", "d", "a"], "nor while the focus is in one");
  await page.getByRole("button", { name: "Sort now" }).click();
  await places(page, ["c", "a", "d"]);
  await page.getByText("No model answers").waitFor();
});

scenario("tiles are put in order although the clock was set back since somebody was near", async (stage) => {
  let gate;
  const page = await stage.page(await stage.serve(THREE), {
    prepare: async (page) => {
      await page.clock.install();
      gate = await standIn(page, [row("a", "running"), row("b", "idle")]);
    },
  });
  await places(page, ["a", "b"]);
  await page.getByRole("searchbox").hover();
  gate.tell({ sessionId: "b", status: "waiting", requests: [request("r", 1)] });
  await page.getByText("The order has changed.").waitFor();
  await page.clock.setSystemTime(await page.evaluate(() => Date.now()) - 5 * 3_600_000);
  await page.clock.fastForward(AWAY);
  await places(page, ["b", "a"]);
});

scenario("after an answer the tiles stay, and the answered one has no more room than its words", async (stage) => {
  for (const [width, height] of [[380, 780], [1280, 860]]) {
    const page = await stage.page(await stage.serve(THREE), { width, height, prepare: (page) => page.clock.install() });
    await places(page, SORTED);
    await tile(page, "early").locator("[data-answer-here]").click();
    await answer(page, "ask-early", "approve-once");
    await tile(page, "early").getByText("Allowed once").waitFor();
    await page.getByText("The order has changed.").waitFor();
    await frames(page);
    assert.deepEqual(await order(page), SORTED, "by itself nothing moves");
    const line = await tile(page, "early").getByText("Allowed once").boundingBox();
    const whole = await tile(page, "early").boundingBox();
    assert.ok(whole.y + whole.height - line.y - line.height < 24, `${width} px: a blank under the answer`);
    assert.ok(whole.height < 130, `${width} px: ${whole.height} px for a title, a place and an answer`);
    await page.getByRole("button", { name: "Sort now" }).click();
    await places(page, ["late", "works", "early", "rests"]);
    await tile(page, "early").getByText("Allowed once").waitFor({ state: "detached" });
  }
});

scenario("the next card stays where it is while somebody who answered is near", async (stage) => {
  const page = await stage.page(await stage.serve(THREE), {
    prepare: async (page) => {
      await page.clock.install();
      const gate = await standIn(page, [row("a", "waiting", { requests: [request("r", 1, "rm boat"), request("s", 2, "rm pier")] }), row("b", "idle")], {
        serve: (method, params) => {
          if (method.startsWith("session.permissions")) gate.tell({ sessionId: "a", requests: [request("s", 2, "rm pier")], settled: [] });
          return { success: true };
        },
      });
    },
  });
  await tile(page, "a").locator("[data-answer-here]").click();
  await card(page, "s").locator('[data-answer="approve-once"]:not([aria-disabled])').waitFor();
  const before = await card(page, "s").boundingBox();
  await answer(page, "r", "approve-once");
  await card(page, "r").waitFor({ state: "detached" });
  await frames(page);
  assert.equal((await card(page, "s").boundingBox()).y, before.y);
  await page.mouse.move(5, 5);
  await page.clock.fastForward(AWAY);
  await page.waitForFunction((top) => {
    const root = document.querySelector("pilot-house-board").shadowRoot;
    return root.querySelector('[data-request-id="s"]').getBoundingClientRect().top < top - 20;
  }, before.y);
});

scenario("a button that goes keeps its place, and none slides under the pointer", async (stage) => {
  for (const [width, height] of [[380, 780], [800, 700], [1400, 860]]) {
    let gate;
    const rows = [row("a", "idle"), row("b", "waiting", { requests: [request("r", 1)] })];
    const page = await stage.page(await stage.serve(THREE), {
      width,
      height,
      prepare: async (page) => (gate = await standIn(page, rows, { capabilities: ["create", "close"] })),
    });
    const boxes = (...all) => Promise.all(all.map((one) => page.locator(one).boundingBox()));
    const board = [".board-tools [data-new]", ".board-next", ".board-filter", '[data-choice="group"]'];
    const waits = await boxes(...board);
    gate.tell({ sessionId: "b", status: "idle", requests: [] });
    await page.locator(".board-next").waitFor({ state: "hidden" });
    assert.deepEqual(await boxes(...board), waits, `the board at ${width} px`);
    gate.tell({ sessionId: "b", status: "waiting", requests: [request("s", 2)] });
    await page.locator(".board-next").waitFor();

    await tile(page, "a").locator(".tile-open").click();
    await page.locator("[data-next]").waitFor();
    const narrow = width < 560;
    // In the header of the session itself, and in its menu.
    const pane = narrow ? ["[data-back]", ".pane .views > .menu", ".pane .toolbar > :first-child"] : ["[data-end]", "[data-next]", "[data-back]"];
    if (narrow) await page.locator(".pane .views > .menu").click();
    const end = await page.locator("[data-end]").boundingBox();
    const before = await boxes(...pane);
    gate.tell({ sessionId: "b", status: "idle", requests: [] });
    await page.locator("[data-next]").waitFor({ state: "hidden" });
    assert.deepEqual(await boxes(...pane), before, `the pane at ${width} px`);
    assert.deepEqual(await page.locator("[data-end]").boundingBox(), end, `what ends the session at ${width} px`);
    gate.tell({ sessionId: "a", stored: true });
    await page.locator("[data-end]").waitFor({ state: "hidden" });
    assert.deepEqual(await boxes(...pane), before, `nor is another in the place of what ends a session, ${width} px`);
  }
});

scenario("closing a session asks with its name, on a phone in the header's menu, and a double click only asks", async (stage) => {
  for (const [width, height] of [[320, 568], [380, 780], [800, 700]]) {
    let gate;
    const closed = [];
    const title = "Mend the boats before the tide comes in, all of them, and the pier";
    const page = await stage.page(await stage.serve(THREE), {
      width,
      height,
      prepare: async (page) => {
        const serve = (method, params) => (method === "pilothouse.close" && closed.push(params.sessionId), {});
        gate = await standIn(page, [row("a", "idle", { title })], { capabilities: ["close"], serve });
      },
    });
    await tile(page, "a").locator(".tile-open").click();
    const menu = page.locator(".pane .views > .menu");
    const end = page.locator("[data-end]");
    if (width < 560) await menu.click();
    await end.dblclick();
    await page.getByRole("button", { name: new RegExp(`^Close “\\P{L}?${title}\\P{L}?”\\?$`, "u") }).waitFor();
    await frames(page);
    assert.deepEqual(closed, [], `${width} px`);
    const asked = await end.boundingBox();
    if (width < 560) assert.equal(await end.evaluate((end) => end.scrollWidth - end.clientWidth), 0, "the title is read whole");
    assert.ok(asked.x >= 0 && asked.x + asked.width <= width && asked.height >= (width < 560 ? 44 : 34), `${width} px: ${JSON.stringify(asked)}`);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    // Whoever goes elsewhere has not said yes.
    await page.keyboard.press("Shift+Tab");
    await page.getByRole("button", { name: "Close the session" }).waitFor();
    await end.click();
    await end.click();
    await page.locator(".pane").waitFor({ state: "detached" });
    assert.deepEqual(closed, ["a"], `${width} px`);
    assert.ok(gate);
  }
});

scenario("a refusal to close a session goes with the next press, and when the session has ended", async (stage) => {
  let gate;
  const page = await stage.page(await stage.serve(THREE), {
    width: 1400,
    prepare: async (page) => (gate = await standIn(page, [row("a", "idle")], { capabilities: ["close"] })),
  });
  gate.refusal = { code: -32000, message: "It is busy" };
  await tile(page, "a").locator(".tile-open").click();
  const end = page.locator("[data-end]");
  const place = await end.boundingBox();
  await end.click();
  await end.click();
  await page.getByText("It is busy").waitFor();
  assert.ok(Math.abs((await end.boundingBox()).y - place.y) < 1, "the note moves no button");
  await end.click();
  await page.getByText("It is busy").waitFor({ state: "detached" });
  await end.click();
  await page.getByText("It is busy").waitFor();
  gate.tell({ sessionId: "a", stored: true });
  await page.getByText("It is busy").waitFor({ state: "detached" });
});

scenario("who answers in a tile by keyboard goes on with the next request there, then with the tile", async (stage) => {
  const focus = (page, selector) =>
    page.waitForFunction((selector) => document.querySelector("pilot-house-board").shadowRoot.activeElement?.matches(selector), selector);
  for (const settles of ["before", "after"]) {
    const left = { a: ["r", "s"], b: ["t"] };
    const requests = (id) => left[id].map((asked, at) => request(asked, at + 1, `rm ${asked}`));
    const page = await stage.page(await stage.serve(THREE), {
      prepare: async (page) => {
        const rows = [row("a", "waiting", { requests: requests("a") }), row("b", "waiting", { requests: requests("b") })];
        const gate = await standIn(page, rows, {
          serve: (method, { sessionId, requestId }) => {
            if (!method.startsWith("session.permissions")) return {};
            left[sessionId] = left[sessionId].filter((one) => one !== requestId);
            const tell = () => gate.tell({ sessionId, status: left[sessionId].length ? "waiting" : "idle", requests: requests(sessionId), settled: [] });
            // What the gateway says of it comes before its answer or after.
            if (settles === "before") tell();
            else setTimeout(tell);
            return { success: true };
          },
        });
      },
    });
    for (const id of ["a", "b"]) await tile(page, id).locator("[data-answer-here]").click();
    for (const [asked, next] of [["r", '[data-request-id="s"]'], ["s", '[data-session="a"] *'], ["t", '[data-session="b"] *']]) {
      const allow = card(page, asked).locator('[data-answer="approve-once"]:not([aria-disabled])');
      await allow.focus();
      await page.keyboard.press("Enter");
      await card(page, asked).waitFor({ state: "detached" });
      await focus(page, next.endsWith("*") ? ".tile-open" : next);
      assert.equal(await focused(page), asked === "t" ? "b" : "a", settles);
    }
  }
});

scenario("one banner tells of a lost connection, in the same words beside and over the board", async (stage) => {
  const gateway = await stage.serve(THREE);
  const line = await wire(stage, gateway);
  const page = await stage.page(line.address, { width: 1400 });
  await tile(page, "rests").locator(".tile-open").click();
  await page.locator('.pane pilot-house[session="rests"] [data-entry="assistant"]').waitFor();
  line.cut();
  await page.locator('.pane pilot-house[data-connection="waiting"]').waitFor();
  await page.locator('pilot-house-board[data-connection="waiting"]').waitFor();
  const banners = page.getByText(/^Connection lost\. Trying again .*nothing is lost\.$/u).filter({ visible: true });
  await banners.first().waitFor();
  assert.equal(await banners.count(), 1);
  await page.locator("[data-back]").click();
  await page.locator(".pane").waitFor({ state: "detached" });
  await banners.first().waitFor();
  assert.equal(await banners.count(), 1);
}, { expected: BROKEN });

scenario("a tile's line has no signs of markdown, and every sign of a command", async (stage) => {
  const asks = (id, kind, text) => row(id, "waiting", { requests: [{ requestId: id, kind, since: 1, text }] });
  const page = await stage.page(await stage.serve(THREE), {
    prepare: (page) => standIn(page, [asks("plan", "plan", "- paint\n- `sand`"), asks("command", "permission", "ls **/*.md `pwd`")]),
  });
  await tile(page, "plan").getByText("paint · sand").waitFor();
  await tile(page, "command").getByText("ls **/*.md `pwd`").waitFor();
});

scenario("fields of a new session are equally high and stand in one line where there is room", async (stage) => {
  for (const width of [320, 380, 800, 1280]) {
    const page = await stage.page(await stage.serve(THREE), { width, prepare: (page) => standIn(page, [], { capabilities: ["create"] }) });
    await page.locator(".state [data-new]").click();
    const boxes = await page.locator(".board-form .input").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
    assert.equal(new Set(boxes.map(({ height }) => height)).size, 1, `${width} px`);
    if (width >= 800) assert.equal(new Set(boxes.map(({ top }) => top)).size, 1, `${width} px`);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
  }
});

scenario("a tile says what kind of request waits", async (stage) => {
  const asks = (kind, text) => ({ requests: [{ requestId: kind, kind, text, since: Date.now() }] });
  const rows = [row("a", "waiting", asks("external-tool", "press")), row("b", "waiting", asks("sign-in", "sea")), row("c", "waiting", { ...asks("queued-command", "/dock now"), mode: "autopilot" }), row("d", "waiting", asks("moonrise", "now"))];
  const page = await stage.page(await stage.serve(THREE), { prepare: (page) => standIn(page, rows) });
  const doing = (id) => tile(page, id).locator(".tile-doing").innerText();
  await tile(page, "d").waitFor();
  assert.deepEqual(await Promise.all(["a", "b", "c", "d"].map(doing)), ["Tool of a program: press", "Sign-in: sea", "Command: /dock now", "Request: now"]);
});

scenario("what is too large to be sent is named, and answered where the session is open", async (stage) => {
  const page = await stage.page(await stage.serve([waits("large", "x".repeat(300 << 10)), idle("rests")]), { width: 1400 });
  const large = tile(page, "large");
  await large.getByText("Open the session to answer").waitFor();
  assert.equal(await large.locator("[data-answer-here]").count(), 0);
  await large.locator(".tile-open").click();
  await page.locator('.pane [data-request-id="ask-large"]').waitFor();
});

nightly("a cut connection: what was there stays, and is up to date when it is back", async (stage) => {
  const gateway = await stage.serve(THREE);
  const line = await wire(stage, gateway);
  const page = await stage.page(line.address);
  await places(page, SORTED);
  await tile(page, "early").locator("[data-answer-here]").click();
  await card(page, "ask-early").waitFor();
  line.cut();
  await page.locator('pilot-house-board[data-connection="waiting"]').waitFor();
  await page.locator('[part="strip"]').waitFor();
  assert.deepEqual(await order(page), SORTED);
  const viewer = await stage.embed(gateway, `session="early"`, { whole: false });
  await answer(viewer, "ask-early", "approve-once");
  await until(viewer, (view) => view.session.status === "idle");
  assert.equal(await card(page, "ask-early").count(), 1, "the cut is a cut");
  line.mend();
  await page.locator('pilot-house-board[data-connection="open"]').waitFor();
  await page.locator('[part="strip"]').waitFor({ state: "detached" });
  await card(page, "ask-early").waitFor({ state: "detached" });
  await tile(page, "early").getByText("Idle").waitFor();
}, { expected: BROKEN });

nightly("where the WebSocket is refused the list is looked up", async (stage) => {
  const gateway = await stage.serve(THREE);
  await (await stage.page(gateway)).locator('[data-session="early"][data-status="waiting"]').waitFor(); // a board starts the recordings
  const line = await wire(stage, gateway, { refuseUpgrades: true });
  const page = await stage.page(line.address);
  await places(page, SORTED);
  await page.getByText("Live updates are blocked").waitFor();
  await tile(page, "early").getByText("Open the session to answer").waitFor();
  assert.equal(await page.locator("[data-answer-here]").count(), 0, "what was not seen can't be allowed");
}, { expected: BROKEN });

scenario("no session yet: one can be made where the gateway can", async (stage) => {
  let gate;
  const page = await stage.page(await stage.serve(THREE), {
    prepare: async (page) =>
      (gate = await standIn(page, [], { capabilities: ["create", "resume", "close"], serve: () => ({ sessionId: "early" }) })),
  });
  await page.getByRole("heading", { name: "No session yet" }).waitFor();
  assert.equal(await page.locator("[data-new]:visible").count(), 1, "one button for one thing");
  await page.locator(".state [data-new]").click();
  await page.getByLabel("Working directory").waitFor();
  assert.equal(await page.locator("[data-new]:visible").count(), 0, "its form is open");
  await page.getByLabel("Working directory").fill("/workspace/boats");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.locator('.pane pilot-house[session="early"]').waitFor();
  const made = gate.calls.find(({ method }) => method === "pilothouse.create");
  assert.deepEqual(made.params, { workingDirectory: "/workspace/boats" });
});

scenario("a turn that failed is red until the next one begins, also where the session is open", async (stage) => {
  const fails = new Script("fails").user("Title of fails").turn().add("session.error", { errorType: "query", message: "No model answers" }).rest().events;
  const page = await stage.page(await stage.serve([idle("rests"), fails]), { width: 1400 });
  await tile(page, "fails").and(page.locator('[data-status="error"]')).waitFor();
  assert.equal(await tile(page, "fails").locator(".word").innerText(), "Error");
  await tile(page, "fails").getByText("No model answers").waitFor();
  await page.getByRole("combobox", { name: "Status" }).selectOption("error");
  await places(page, ["fails"]);
  await tile(page, "fails").locator(".tile-open").click();
  await page.locator('.pane pilot-house .bar[data-status="error"]').waitFor();
});

scenario("a new session has one of the runtime's own models, and says why another is refused", async (stage) => {
  const listed = { models: [{ id: "gpt-5.4", name: "GPT-5.4" }, { id: "old", policy: { state: "disabled" } }] };
  let gate;
  let models = listed;
  const page = await stage.page(await stage.serve(THREE), {
    prepare: async (page) =>
      (gate = await standIn(page, [], {
        capabilities: ["create"],
        serve: (method) => (method === "models.list" ? models : { sessionId: "early" }),
      })),
  });
  await page.locator(".state [data-new]").click();
  const choice = page.getByRole("combobox", { name: "Model" });
  await choice.locator("option", { hasText: "GPT-5.4" }).waitFor({ state: "attached" });
  assert.deepEqual(await choice.locator("option").allInnerTexts(), ["The agent's own default", "GPT-5.4"]);
  assert.deepEqual(await violations(page), []);
  await choice.selectOption("gpt-5.4");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.locator('.pane pilot-house[session="early"]').waitFor();
  const made = gate.calls.find(({ method }) => method === "pilothouse.create");
  assert.deepEqual(made.params, { model: "gpt-5.4" });

  // Without a list of models, the user can type a name, and the gateway decides.
  models = {};
  await page.evaluate(() => history.back());
  await page.locator(".state [data-new]").click();
  await page.getByRole("textbox", { name: "Model" }).fill("nonsense-9");
});

scenario("of 200 sessions only those that change are touched, and rarely all are looked at", async (stage) => {
  let gate;
  const ids = Array.from({ length: 200 }, (_, at) => `s${at}`);
  const page = await stage.page(await stage.serve(THREE), {
    prepare: async (page) => (gate = await standIn(page, ids.map((id) => row(id, "running", { intent: "Starting" })))),
  });
  await page.waitForFunction(() => document.querySelector("pilot-house-board").shadowRoot?.querySelectorAll(".tile").length === 200);
  await frames(page);
  await page.evaluate(() => {
    const root = document.querySelector("pilot-house-board").shadowRoot;
    window.touched = new Map();
    const tile = (node) => (node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement)?.closest("[data-session]")?.dataset.session;
    new MutationObserver((all) => {
      for (const { target } of all) window.touched.set(tile(target) ?? "elsewhere", (window.touched.get(tile(target) ?? "elsewhere") ?? 0) + 1);
    }).observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
  });
  const news = ids.filter((_, at) => at % 10 === 3);
  gate.tell(...news.map((sessionId, at) => ({ sessionId, intent: `Reading file ${at}`, contextTokens: 10 + at, lastEventAt: Date.now() })));
  await page.getByText("Reading file 19").waitFor({ state: "attached" });
  await frames(page);
  const touched = await page.evaluate(() => [...window.touched]);
  assert.deepEqual(touched.map(([id]) => id).sort(), [...news].sort(), "exactly the twenty that changed");
  assert.ok(touched.every(([, times]) => times <= 4), `a few nodes in each: ${JSON.stringify(touched)}`);
});

scenario("no tile moves when the gateway is in trouble and when that is over, and none is covered", async (stage) => {
  let gate;
  const page = await stage.page(await stage.serve(THREE), {
    prepare: async (page) => (gate = await standIn(page, Array.from({ length: 40 }, (_, at) => row(`s${at}`, "running")))),
  });
  await tile(page, "s0").waitFor();
  const places = () => page.evaluate(() => [...document.querySelector("pilot-house-board").shadowRoot.querySelectorAll(".tile")].slice(0, 6).map((tile) => tile.getBoundingClientRect().top));
  const before = await places();
  const trouble = page.locator(".health");
  const tell = (params) => gate.socket.send(JSON.stringify({ jsonrpc: "2.0", method: "pilothouse.health", params }));
  tell({ runtime: { state: "failed", problem: "it ended", output: ["last words"], since: "2026-11-23T22:30:00.000Z", attempts: 3 } });
  await trouble.waitFor();
  assert.deepEqual(await places(), before);
  const [strip, list] = await page.evaluate(() => [".health", ".board-scroll"].map((name) => document.querySelector("pilot-house-board").shadowRoot.querySelector(name).getBoundingClientRect().toJSON()));
  assert.ok(strip.top >= list.bottom, `the strip at ${strip.top} px is below the tiles, which end at ${list.bottom} px`);
  tell({ runtime: { state: "running" } });
  await trouble.waitFor({ state: "detached" });
  assert.deepEqual(await places(), before);
});

scenario("nothing to complain of for axe, light and dark", async (stage) => {
  const page = await stage.page(await stage.serve(THREE), { width: 1000 });
  const sound = (what) => inBothSchemes(page, async (scheme) => assert.deepEqual(await violations(page), [], `${what}, ${scheme}`));
  await places(page, SORTED);
  await sound("as it comes");
  await tile(page, "early").locator("[data-answer-here]").click();
  await tile(page, "early").locator('[data-answer="approve-once"]:not([aria-disabled])').waitFor();
  await sound("with a card");
  await page.getByRole("combobox", { name: "Group" }).selectOption({ label: "By status" });
  await page.getByRole("button", { name: "As a list" }).click();
  await sound("rows in groups");
  await page.setViewportSize({ width: 380, height: 780 });
  await sound("narrow");
});

scenario("a host may open sessions itself, and one that only watches answers nothing", async (stage) => {
  const gateway = await stage.serve(THREE);
  const host = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Host</title><link rel="icon" href="data:,">
    <style>body { margin: 0 } pilot-house-board { display: block; height: 60vh }</style>
    <pilot-house-board readonly></pilot-house-board>
    <script type="module">
      addEventListener("pilothouse-open", (event) => { event.preventDefault(); window.opened = event.detail.sessionId; });
      import { load } from "/pkg/index.js"; await load();
    </script></html>`;
  const line = await wire(stage, gateway, { page: host });
  const page = await stage.page(`${line.address}/host`);
  await places(page, SORTED);
  await tile(page, "late").locator(".tile-open").click();
  assert.equal(await page.evaluate(() => window.opened), "late");
  assert.equal(await page.locator(".pane").count(), 0);
  assert.equal(await page.locator("[data-answer-here]").count(), 0);
  assert.equal(await page.title(), "Host", "the title is the host's");
});

scenario("a host hears of what a person does on the board before and after, and can take it over", async (stage) => {
  let gate;
  const prepare = async (page) => {
    const rows = [row("a", "waiting", { requests: [request("r", 1, "rm boat")] }), row("b", "idle")];
    const serve = (method) => (method === "pilothouse.create" ? { sessionId: "b" } : { success: true });
    gate = await standIn(page, rows, { capabilities: ["create"], serve });
    await page.addInitScript(() => {
      window.heard = [];
      for (const name of ["call", "answer", "result"]) {
        addEventListener(`pilothouse-${name}`, (event) => {
          const { method, params, result } = event.detail;
          window.heard.push([name, method, params.workingDirectory ?? params.requestId, Boolean(result)]);
          if (params.workingDirectory === "/mine") event.preventDefault();
        });
      }
    });
  };
  const page = await stage.page(await stage.serve(THREE), { prepare });
  const create = async (directory) => {
    await page.locator("[data-new]").first().click();
    await page.getByLabel("Working directory").fill(directory);
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByLabel("Working directory").waitFor({ state: "detached" });
  };
  await tile(page, "a").locator("[data-answer-here]").click();
  await answer(page, "r", "approve-once");
  await page.waitForFunction(() => window.heard.length === 2);
  await create("/mine");
  await create("/theirs");
  await page.waitForFunction(() => window.heard.length === 5);
  const allow = "session.permissions.handlePendingPermissionRequest";
  assert.deepEqual(await page.evaluate(() => window.heard), [
    ["answer", allow, "r", false],
    ["result", allow, "r", true],
    ["call", "pilothouse.create", "/mine", false],
    ["call", "pilothouse.create", "/theirs", false],
    ["result", "pilothouse.create", "/theirs", true],
  ]);
  assert.deepEqual(gate.calls.filter(({ method }) => method === "pilothouse.create").map(({ params }) => params.workingDirectory), ["/theirs"]);
});

nightly("a page that is not told how many sessions there are asks, and shows the board where there are several", async (stage) => {
  const [several, one] = [await stage.serve(THREE), await stage.serve([waits("alone", "ls")])];
  for (const transport of ["auto", "sse"]) {
    const attributes = `board="auto" transport="${transport}"`;
    const page = await stage.embed(several, attributes, { whole: false });
    await places(page, SORTED);
    assert.equal(await page.locator("pilot-house").count(), 0);
    await tile(page, "rests").locator(".tile-open").click();
    await page.waitForURL(/#session=rests$/);
    const alone = await stage.embed(one, attributes, { whole: false });
    await card(alone, "ask-alone").waitFor();
    assert.equal(await alone.locator("pilot-house-board").count(), 0);
  }
});
