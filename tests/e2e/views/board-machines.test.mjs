// Tests a board of several machines: what its tiles say of them, one that goes away and comes back, filter and groups, a session made on a
// chosen machine, and a session of a machine that is away, alone on the page.

import assert from "node:assert/strict";

import { places, request, row, standIn, tile } from "../support/board-gateway.mjs";
import { Script } from "../support/events.mjs";
import { card, frames, inBothSchemes, scenario, violations } from "../support/harness.mjs";

const TWO = ["a", "b"].map((name) => new Script(name).user(`Title of ${name}`).turn().say("Done").rest().events);
const NOW = "2026-11-28T16:00:00";
const SINCE = "2026-11-28T14:03:00.000Z";
const LONG = "runner-in-the-third-rack-behind-the-door-on-the-left-of-the-pier";

const laptop = { name: "laptop", agent: "copilot", here: true };
const ws = { name: "ws", agent: "copilot" };
const door = { name: "door", agent: null };

const rows = () => [
  row("asks", "waiting", { machine: "ws", requests: [request("r", 1, "cargo test")], repository: "harbour/boats", branch: "main" }),
  row("here", "waiting", { machine: "laptop", requests: [request("s", 2)] }),
  row("runs", "running", { machine: "ws", intent: "Reading the tide tables" }),
  row("long", "idle", { machine: LONG, repository: "harbour/lights", cwd: "/w/lights" }),
];

/** A page with a board whose gateway is the test. */
async function board(stage, sessions, { machines, options = {}, ...gateway } = {}) {
  let gate;
  const page = await stage.page(await stage.serve(TWO), {
    width: 1400,
    ...options,
    prepare: async (page) => {
      await page.clock.install({ time: new Date(NOW) });
      gate = await standIn(page, sessions, { machines, ...gateway });
    },
  });
  return { page, gate };
}

const machine = (page, id) => tile(page, id).locator(".tile-machine");
/** The time of day, as the page writes it. */
const clock = (page) => page.evaluate((at) => new Intl.DateTimeFormat("en-US", { timeStyle: "short" }).format(new Date(at)), SINCE);
/** A list of the machines' names that a machine is away from. */
const away = (gate, since, ids) => {
  gate.tell(...ids.map((sessionId) => ({ sessionId, away: since })));
  gate.note("pilothouse.machines", { machines: [laptop, { ...ws, away: since }, door] });
};
const isOff = (button) => button.getAttribute("aria-disabled");

scenario("tiles say the machine where there are several, and a long name is cut", async (stage) => {
  for (const width of [380, 800, 1400]) {
    const { page } = await board(stage, rows(), { machines: [laptop, ws], options: { width, height: 780 } });
    await places(page, ["asks", "here", "runs", "long"]);
    assert.equal(await machine(page, "asks").innerText(), "ws");
    assert.equal(await machine(page, "long").getAttribute("title"), LONG);
    const [box, own] = [await tile(page, "long").boundingBox(), await machine(page, "long").boundingBox()];
    assert.ok(own.width < box.width / 2, `${own.width} of ${box.width} px`);
    assert.ok(await machine(page, "long").evaluate((name) => name.scrollWidth > name.clientWidth), "it is cut");
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    await page.context().close();
  }
  for (const machines of [undefined, [laptop]]) {
    const { page } = await board(stage, [row("one", "idle", machines && { machine: "laptop" }), row("two", "idle")], { machines });
    await places(page, ["one", "two"]);
    assert.equal(await machine(page, "one").innerText(), "", "one machine goes without saying");
    assert.equal(await page.locator('[data-choice="machine"], [value="machine"]').count(), 0);
    await page.context().close();
  }
});

scenario("a machine that goes away says since when, and its request can be answered once it is back", async (stage) => {
  const { page, gate } = await board(stage, rows(), { machines: [laptop, ws], serve: () => ({ success: true }) });
  await places(page, ["asks", "here", "runs", "long"]);
  const answers = () => gate.calls.filter(({ method }) => method.startsWith("session.permissions.handle"));
  await tile(page, "asks").locator("[data-answer-here]").click();
  const allow = card(page, "r").locator('[data-answer="approve-once"]');
  await page.locator('[data-request-id="r"] [data-answer="approve-once"]:not([aria-disabled])').waitFor();
  away(gate, SINCE, ["asks", "runs"]);
  const words = `ws away since ${await clock(page)}`;
  await machine(page, "runs").getByText(words).waitFor();
  assert.equal(await machine(page, "asks").innerText(), words);
  const why = `${words}: this can be answered once it is back, if it still waits then.`;
  await card(page, "r").getByText(why).waitFor();
  assert.ok(await allow.isVisible() && (await isOff(allow)) === "true", "the buttons are there, and off");
  const described = await allow.evaluate((button) => button.getRootNode().getElementById(button.getAttribute("aria-describedby")).textContent);
  assert.equal(described, why);
  await allow.focus();
  await page.keyboard.press("Enter");
  await page.clock.runFor(1_000);
  assert.deepEqual(answers(), [], "nothing is sent");
  await inBothSchemes(page, async () => assert.deepEqual(await violations(page), []));

  away(gate, null, ["asks", "runs"]);
  await page.locator('[data-request-id="r"] [data-answer="approve-once"]:not([aria-disabled])').waitFor();
  assert.equal(await machine(page, "runs").innerText(), "ws");
  await allow.focus();
  await page.clock.runFor(1_000);
  await page.keyboard.press("Enter");
  while (!answers().length) await frames(page);
  assert.deepEqual(answers().map(({ params }) => [params.sessionId, params.requestId]), [["asks", "r"]]);
});

scenario("the only machine is named while it is away", async (stage) => {
  const { page, gate } = await board(stage, [row("runs", "running", { machine: "ws" }), row("old", "idle", { machine: "ws", stored: true })], {
    machines: [{ ...ws, here: true }], capabilities: ["resume"],
  });
  await places(page, ["runs", "old"]);
  const heights = () => page.locator(".tile").evaluateAll((all) => all.map((one) => one.offsetHeight));
  const before = await heights();
  gate.tell({ sessionId: "runs", away: "2026-11-24T09:12:00.000Z" }, { sessionId: "old", away: "2026-11-24T09:12:00.000Z" });
  await machine(page, "runs").getByText(/^ws away since Nov 24, /).waitFor();
  assert.deepEqual(await heights(), before, "no tile grows for it");
  assert.ok(await tile(page, "old").getByRole("button", { name: "Resume" }).isDisabled());
});

scenario("sessions are filtered and grouped by machine, by keyboard alone, and the list has a column for it", async (stage) => {
  const { page } = await board(stage, rows(), { machines: [laptop, ws, door] });
  await places(page, ["asks", "here", "runs", "long"]);
  const choice = page.getByRole("combobox", { name: "Machine" });
  assert.deepEqual(await choice.locator("option").allInnerTexts(), ["Any machine", "laptop", LONG, "ws"]);
  await choice.focus();
  await page.keyboard.type("ws");
  await places(page, ["asks", "runs"]);
  await page.keyboard.press("Home");
  await places(page, ["asks", "here", "runs", "long"]);
  await page.getByRole("searchbox").fill("laptop");
  await places(page, ["here"]);
  await page.getByRole("searchbox").press("Escape");
  await page.getByRole("combobox", { name: "Group" }).selectOption({ label: "By machine" });
  await page.getByRole("heading", { name: "laptop" }).waitFor();
  assert.deepEqual(await page.locator("main h2").allInnerTexts(), ["ws", "laptop", LONG]);
  await page.getByRole("combobox", { name: "Group" }).selectOption({ label: "No groups" });
  await page.getByRole("button", { name: "As a list" }).click();
  await frames(page);
  const lefts = await page.locator(".tile-machine").evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().left)));
  assert.ok(Math.max(...lefts) - Math.min(...lefts) <= 2, `one column: ${lefts}`);
  assert.deepEqual(await violations(page), []);
});

scenario("a session is made on a chosen machine, and the choice is kept", async (stage) => {
  const { page, gate } = await board(stage, rows(), { machines: [ws, laptop, door], capabilities: ["create"], serve: () => ({ sessionId: "runs" }) });
  await places(page, ["asks", "here", "runs", "long"]);
  const made = () => gate.calls.filter(({ method }) => method === "pilothouse.create").map(({ params }) => params);
  const form = page.locator(".board-form");
  const choice = form.getByRole("combobox", { name: /^Machine/ });
  await page.locator("[data-new]").first().click();
  assert.deepEqual(await choice.locator("option").allInnerTexts(), ["laptop (here)", "ws"], "here first, and none without an agent");
  await page.waitForFunction(() => document.querySelector("pilot-house-board").shadowRoot.activeElement?.name === "machine");
  await page.keyboard.type("ws");
  await form.getByText("Leave empty for that machine's own.").waitFor();
  gate.note("pilothouse.machines", { machines: [laptop, { ...ws, away: SINCE }, door] });
  await page.waitForFunction(() => document.querySelector("pilot-house-board").shadowRoot.querySelector(".board-form [type=submit]").disabled);
  assert.equal(await choice.inputValue(), "ws", "it does not become another one by itself");
  assert.match(await choice.locator("option:checked").innerText(), /^ws away since /);
  await form.getByLabel("Working directory").press("Enter");
  await frames(page);
  assert.deepEqual(made(), [], "nothing is made where nobody is");
  assert.deepEqual(await violations(page), []);
  gate.note("pilothouse.machines", { machines: [laptop, ws, door] });
  await page.waitForFunction(() => !document.querySelector("pilot-house-board").shadowRoot.querySelector(".board-form [type=submit]").disabled);
  await form.getByLabel("Working directory").press("Enter");
  await page.locator('.pane pilot-house[session="runs"]').waitFor();
  assert.deepEqual(made(), [{ machine: "ws" }]);
  await page.locator("[data-back]").click();
  await page.locator("[data-new]").first().click();
  assert.equal(await choice.inputValue(), "ws", "as the last time");
  await choice.selectOption("laptop");
  await form.getByRole("button", { name: "Create", exact: true }).click();
  await page.locator('.pane pilot-house[session="runs"]').waitFor();
  assert.deepEqual(made().at(-1), { machine: "laptop" });
});

scenario("the only machine with an agent is used without a question, and named", async (stage) => {
  const { page, gate } = await board(stage, [row("one", "idle", { machine: "ws" }), row("two", "idle", { machine: "ws" })], {
    machines: [ws, { name: "door", agent: null, here: true }], capabilities: ["create"], serve: () => ({ sessionId: "one" }),
  });
  await page.locator("[data-new]").first().click();
  const form = page.locator(".board-form");
  await form.getByText("It will run on ws.").waitFor();
  assert.equal(await form.getByRole("combobox", { name: /^Machine/ }).count(), 0);
  await form.getByRole("button", { name: "Create", exact: true }).click();
  await page.locator('.pane pilot-house[session="one"]').waitFor();
  assert.deepEqual(gate.calls.find(({ method }) => method === "pilothouse.create").params, { machine: "ws" });
});

scenario("a session of a machine that is away can be read, and says why it can't be answered", async (stage) => {
  const health = (since) => ({ runtime: { state: "running" }, ...(since && { away: { machine: "ws", since } }) });
  const { page, gate } = await board(stage, rows().map((one) => (one.machine === "ws" ? { ...one, away: SINCE } : one)), {
    machines: [laptop, { ...ws, away: SINCE }],
    serve: (method, { sessionId }) => (method === "pilothouse.subscribe" ? { sessionId, seq: 0, health: health(SINCE) } : {}),
  });
  await places(page, ["here", "asks", "runs", "long"]);
  await tile(page, "asks").locator(".tile-open").click();
  const pane = page.locator('.pane pilot-house[session="asks"]');
  const words = `ws away since ${await clock(page)}`;
  await pane.getByText(`${words}. What has happened can be read.`).waitFor();
  const socket = gate.sockets.at(-1);
  const say = (message) => socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  new Script("asks").user("Check the tide").turn().ask("r", "cargo test").events.forEach((event, at) =>
    say({ method: "session.event", params: { sessionId: "asks", seq: at + 1, event } }));
  await pane.locator('[data-entry="user"]').waitFor();
  const own = pane.locator('[data-request-id="r"]');
  await own.getByText(`${words}: this can be answered once it is back`).waitFor();
  assert.equal(await isOff(own.locator('[data-answer="approve-once"]')), "true");
  assert.deepEqual(await violations(page), []);
  say({ method: "pilothouse.health", params: health() });
  await pane.locator('[data-request-id="r"] [data-answer="approve-once"]:not([aria-disabled])').waitFor();
  assert.equal(await pane.getByText(words).count(), 0);
});
