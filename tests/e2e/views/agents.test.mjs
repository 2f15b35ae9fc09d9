// Tests several agents on one board, with agents that speak ACP behind the real gateway: which one makes a session, which one a row has,
// what a session's page offers of it, and what is said when it can't start.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { acp } from "../support/acp-agent.mjs";
import { places, row, standIn, tile } from "../support/board-gateway.mjs";
import { Script } from "../support/events.mjs";
import { frames, inBothSchemes, scenario, violations } from "../support/harness.mjs";

const CARVER = {
  modes: [{ id: "ask", name: "Ask first", description: "Asks before each change" }, { id: "code", name: "Code" }],
  models: ["oak", "ash"],
  efforts: ["gentle", "firm"],
  commands: ["sand"],
};
const TWO = ["a", "b"].map((name) => new Script(name).user(`Title of ${name}`).turn().say("Done").rest().events);
const BARE = { models: ["steel"] };

/** A page with the board of a gateway that drives these agents, and the folder in which they work. */
async function board(stage, agents, options = {}) {
  const folder = await mkdtemp(join(tmpdir(), "pilothouse-agents-"));
  stage.atEnd(() => rm(folder, { recursive: true }));
  const started = Object.entries(agents).flatMap(([name, traits]) => acp(name, traits));
  const address = await stage.serve([], { access: ["--data", "-", ...started] });
  return { page: await stage.page(address, { width: 1400, ...options }), folder, address };
}

const form = (page) => page.locator(".board-form");
const field = (page, name) => form(page).getByRole("combobox", { name, exact: true });
const choices = async (page, name) => field(page, name).locator("option").allInnerTexts();
const pane = (page) => page.locator(".pane pilot-house");
const create = (page) => form(page).getByRole("button", { name: "Create", exact: true });

/** Opens the form, waits until the agent has said what can be chosen of it, and makes a session. */
async function make(page, agent, folder) {
  await page.locator("[data-new]:visible").first().click();
  if (agent) await field(page, "Agent").selectOption(agent);
  await form(page).getByLabel("Working directory").fill(folder);
  await create(page).click();
  await pane(page).locator(".composer textarea").waitFor();
}

async function back(page) {
  await page.locator("[data-back]").click();
  await pane(page).waitFor({ state: "detached" });
}

scenario("an agent is chosen for a new session, by keyboard alone, and what can be chosen is its own", async (stage) => {
  const { page, folder } = await board(stage, { carver: CARVER, smith: BARE });
  await page.locator("[data-new]:visible").first().focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("pilot-house-board").shadowRoot.activeElement?.name === "agent");
  assert.deepEqual(await choices(page, "Agent"), ["carver", "smith"], "in the order in which they were named");
  // Before its first session an agent has not said what it has.
  const own = form(page).locator("label", { hasText: "Model" }).locator("output");
  assert.equal(await own.innerText(), "The agent's own default");
  assert.equal(await form(page).locator('[name="model"], [name="mode"]').count(), 0, "nothing is offered that may not be there");
  await inBothSchemes(page, async () => assert.deepEqual(await violations(page), []));
  await page.keyboard.press("Tab");
  await page.keyboard.type(folder);
  await page.keyboard.press("Enter");
  await pane(page).locator(".composer textarea").waitFor();
  await back(page);

  await page.locator("[data-new]:visible").first().click();
  await field(page, "Model").waitFor();
  assert.deepEqual(await choices(page, "Model"), ["The agent's own default", "oak", "ash"]);
  assert.deepEqual(await choices(page, "Mode"), ["The agent's own default", "Ask first", "Code"]);
  assert.equal(await form(page).getByRole("combobox", { name: "Reasoning effort" }).count(), 0, "it belongs to a model");
  await field(page, "Model").selectOption("oak");
  assert.deepEqual(await choices(page, "Reasoning effort"), ["The agent's own default", "gentle", "firm"]);
  await field(page, "Mode").selectOption("code");
  // What was chosen of one agent is never sent to another.
  await field(page, "Agent").selectOption("smith");
  await own.waitFor();
  assert.equal(await form(page).locator('[name="mode"], [name="reasoningEffort"]').count(), 0);
  await field(page, "Agent").selectOption("carver");
  await field(page, "Mode").selectOption("code");
  await field(page, "Model").selectOption("oak");
  await field(page, "Reasoning effort").selectOption("firm");
  assert.deepEqual(await violations(page), []);
  await form(page).getByLabel("Working directory").fill(folder);
  await create(page).click();
  await pane(page).locator('[data-mode][title="Mode: Code"]').waitFor();
  await pane(page).locator('[data-model][title="Model: oak · firm"]').waitFor();

  await back(page);
  await make(page, "smith", folder);
  await back(page);
  await page.locator("[data-new]:visible").first().click();
  assert.equal(await field(page, "Agent").inputValue(), "smith", "the one of the last time");
});

scenario("sessions say which agent they have where there are several, and are filtered and grouped by it", async (stage) => {
  const { page, folder } = await board(stage, { opencode: CARVER, smith: BARE });
  await make(page, "opencode", folder);
  await back(page);
  await make(page, "smith", folder);
  await pane(page).locator(".fact.by").getByText("smith", { exact: true }).waitFor();
  const names = () => page.locator(".tile-machine").allInnerTexts();
  await page.locator(".tile-machine", { hasText: "smith" }).waitFor();
  const beside = await names();
  assert.deepEqual(beside.sort(), ["OpenCode", "smith"], "in the list beside a session");
  await back(page);
  assert.deepEqual((await names()).sort(), ["OpenCode", "smith"], "on the tiles");
  const choice = page.getByRole("combobox", { name: "Agent" });
  assert.deepEqual(await choice.locator("option").allInnerTexts(), ["Any agent", "OpenCode", "smith"]);
  await choice.focus();
  await page.keyboard.type("Open");
  await page.waitForFunction(() => document.querySelector("pilot-house-board").shadowRoot.querySelectorAll(".tile").length === 1);
  assert.deepEqual(await names(), ["OpenCode"]);
  await page.keyboard.press("Home");
  await page.getByRole("searchbox").fill("smi");
  await page.waitForFunction(() => document.querySelector("pilot-house-board").shadowRoot.querySelectorAll(".tile").length === 1);
  assert.deepEqual(await names(), ["smith"]);
  await page.getByRole("searchbox").press("Escape");
  await page.getByRole("combobox", { name: "Group" }).selectOption({ label: "By agent" });
  await page.getByRole("heading", { name: "OpenCode" }).waitFor();
  assert.deepEqual((await page.locator("main h2").allInnerTexts()).sort(), ["OpenCode", "smith"]);
  await page.getByRole("button", { name: "As a list" }).click();
  await frames(page);
  const lefts = await page.locator(".tile-machine").evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().left)));
  assert.ok(Math.max(...lefts) - Math.min(...lefts) <= 2, `one column: ${lefts}`);
  for (const width of [380, 800]) {
    await page.setViewportSize({ width, height: 780 });
    await frames(page);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    assert.ok(await page.locator(".tile-machine").first().isVisible(), `it is named at ${width} px`);
  }
  await inBothSchemes(page, async () => assert.deepEqual(await violations(page), []));
});

scenario("one agent goes without saying", async (stage) => {
  const { page, folder } = await board(stage, { carver: CARVER });
  await make(page, undefined, folder);
  await back(page);
  assert.deepEqual(await page.locator(".tile-machine").allInnerTexts(), [""]);
  assert.equal(await page.locator('[data-choice="agent"], [value="agent"]').count(), 0);
  await page.locator("[data-new]:visible").first().click();
  await field(page, "Model").waitFor();
  assert.equal(await field(page, "Agent").count(), 0);
});

scenario("each machine has agents of its own", async (stage) => {
  let gate;
  const machines = [
    { name: "laptop", agent: "copilot", agents: ["copilot", "codex"], here: true },
    { name: "ws", agent: "gemini", agents: ["gemini"] },
    { name: "rack", agent: "gemini", agents: ["gemini", "opencode"] },
  ];
  const page = await stage.page(await stage.serve(TWO), {
    width: 1400,
    prepare: async (page) => {
      gate = await standIn(page, [row("one", "idle", { machine: "laptop", agent: "codex" }), row("two", "idle", { machine: "ws", agent: "gemini" })], {
        machines, agents: ["copilot", "codex"], capabilities: ["create"], serve: () => ({ sessionId: "one", models: [] }),
      });
    },
  });
  await places(page, ["one", "two"]);
  assert.deepEqual(await page.locator(".tile-machine").allInnerTexts(), ["laptop · Codex", "ws · Gemini CLI"]);
  await page.locator("[data-new]:visible").first().click();
  assert.deepEqual(await choices(page, "Agent"), ["Copilot", "Codex"]);
  await form(page).locator('[name="machine"]').selectOption("ws");
  await field(page, "Agent").waitFor({ state: "detached" });
  await form(page).locator('[name="machine"]').selectOption("rack");
  assert.deepEqual(await choices(page, "Agent"), ["Gemini CLI", "OpenCode"]);
  await field(page, "Agent").selectOption("opencode");
  await create(page).click();
  await page.locator('.pane pilot-house[session="one"]').waitFor();
  const made = gate.calls.find(({ method }) => method === "pilothouse.create");
  assert.deepEqual(made.params, { machine: "rack", agent: "opencode" });
});

scenario("a session's page offers what its agent can, in the agent's words, and nothing else", async (stage) => {
  const { page, folder } = await board(stage, { carver: CARVER, smith: BARE });
  await make(page, "carver", folder);
  const menu = async (button) => {
    await pane(page).locator(button).click();
    await pane(page).getByRole("menu").waitFor();
  };
  await pane(page).locator('[data-mode][title="Mode: Ask first"]').waitFor();
  await menu("[data-mode]");
  const lines = pane(page).getByRole("menuitemradio");
  assert.deepEqual(await lines.evaluateAll((all) => all.map((one) => one.getAttribute("aria-checked"))), ["true", "false"]);
  await pane(page).getByText("Asks before each change").waitFor();
  assert.deepEqual(await violations(page), []);
  await lines.nth(1).click();
  await pane(page).locator('[data-mode][title="Mode: Code"]').waitFor();
  await pane(page).locator(".fact.mode").getByText("Code", { exact: true }).waitFor();
  // And back: no mode is a dead end.
  await menu("[data-mode]");
  await lines.first().click();
  await pane(page).locator('[data-mode][title="Mode: Ask first"]').waitFor();

  await menu("[data-model]");
  await lines.filter({ hasText: "firm" }).click();
  await pane(page).locator('[data-model][title="Model: oak · firm"]').waitFor();
  assert.equal(await pane(page).locator("[data-permissions]").isVisible(), false, "whom it asks is its mode");
  assert.equal(await pane(page).locator("[data-more]").isVisible(), false, "a menu with nothing in it");

  await pane(page).locator("textarea").fill("plane the board");
  await page.keyboard.press("Enter");
  await pane(page).getByText("you said plane the board").waitFor();
  const message = pane(page).locator('[data-entry="user"]').first();
  await message.hover();
  await message.getByRole("button", { name: "Copy" }).first().waitFor();
  assert.equal(await pane(page).locator('[data-act="rewind"]').count(), 0, "it can't undo");
  await back(page);

  await make(page, "smith", folder);
  assert.equal(await pane(page).locator("[data-mode]").isVisible(), false, "it has no modes");
  assert.ok(await pane(page).locator("[data-model]").isVisible());
});

scenario("whoever has made a session writes at once, and the agent and the model are named at every width", async (stage) => {
  const { page, folder } = await board(stage, { carver: { ...CARVER, efforts: [] } });
  await make(page, undefined, folder);
  await page.waitForFunction(() => {
    const inside = document.querySelector("pilot-house-board").shadowRoot.activeElement?.shadowRoot;
    return inside?.activeElement?.matches("[data-compose]");
  });
  await pane(page).locator(".fact.by").getByText("carver", { exact: true }).waitFor();
  await page.setViewportSize({ width: 800, height: 900 });
  await pane(page).locator(".fact.by").getByText("carver", { exact: true }).waitFor();
  await page.setViewportSize({ width: 380, height: 800 });
  await pane(page).locator(".views > .menu").click();
  await pane(page).locator(".menu-about").getByText("carver · oak", { exact: true }).waitFor();
  assert.deepEqual(await violations(page), []);
});

scenario("a menu is as high as there is room for it", async (stage) => {
  const modes = Array.from({ length: 8 }, (_, n) => ({ id: `mode-${n}`, name: `Mode ${n}`, description: "Asks before each change that it makes outside of the folder" }));
  const { page, folder } = await board(stage, { carver: { ...CARVER, modes } });
  await make(page, undefined, folder);
  await pane(page).locator("[data-mode]").click();
  const menu = pane(page).getByRole("menu");
  await menu.waitFor();
  const { cut, top } = await menu.evaluate((menu) => ({ cut: menu.scrollHeight - menu.clientHeight, top: menu.getBoundingClientRect().top }));
  assert.ok(cut <= 0 && top > 0, `${cut} px are cut, at ${top}`);
  await page.keyboard.press("Escape");
  await page.setViewportSize({ width: 1400, height: 420 });
  await pane(page).locator("[data-mode]").click();
  await menu.waitFor();
  assert.ok(await menu.evaluate((menu) => menu.getBoundingClientRect().top >= 0 && menu.scrollHeight > menu.clientHeight), "a low page");
});

scenario("an agent that needs a sign-in or can't start says what to do, and what was typed stays", async (stage) => {
  const folder = await mkdtemp(join(tmpdir(), "pilothouse-agents-"));
  stage.atEnd(() => rm(folder, { recursive: true }));
  const signIn = join(folder, "signed-in");
  const shy = { ...CARVER, signIn, complaint: "no key in <keyring>\u202e" };
  const { page } = await board(stage, { codex: shy, broken: { fails: "licence: expired\nask the harbour master" } });
  await page.locator("[data-new]:visible").first().click();
  await form(page).getByLabel("Working directory").fill(folder);
  await create(page).click();
  const alert = form(page).getByRole("alert");
  await alert.getByText("codex needs a sign-in on its machine: Authentication required. Run: codex login.").waitFor();
  assert.match(await alert.locator("pre").innerText(), /^no key in <keyring>/);
  assert.ok(!(await alert.locator("pre").textContent()).includes("\u202e"), "hidden characters are named");
  assert.equal(await form(page).getByLabel("Working directory").inputValue(), folder);
  assert.deepEqual(await violations(page), []);

  await field(page, "Agent").selectOption("broken");
  await create(page).click();
  await alert.getByText(/broken could not start/).waitFor();
  assert.equal(await alert.locator("pre").innerText(), "licence: expired\nask the harbour master");
  assert.equal(await form(page).getByLabel("Working directory").inputValue(), folder, "and again");
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 1400);

  await writeFile(signIn, "");
  await field(page, "Agent").selectOption("codex");
  await create(page).click();
  await pane(page).locator(".composer textarea").waitFor();
});

scenario("sessions that an agent has of other programs are looked for in the form, and come to the board", async (stage) => {
  const others = [{ sessionId: "of-a-terminal", cwd: "/workspace/boat", title: "Caulk the hull", updatedAt: "2026-11-28T10:00:00Z" }];
  const { page } = await board(stage, { carver: { ...CARVER, others }, smith: BARE, lost: { fails: "no bench" } });
  await page.locator("[data-new]:visible").first().click();
  const look = form(page).getByRole("button", { name: "Look for its other sessions" });
  const said = form(page).getByRole("status");
  await look.click();
  await said.filter({ hasText: "1 session of it is on the board." }).waitFor();
  await page.getByText("Caulk the hull").waitFor();
  await field(page, "Agent").selectOption("smith");
  await look.click();
  await said.filter({ hasText: "It lists no sessions." }).waitFor();
  const below = await form(page).locator(".board-look").boundingBox();
  for (const label of await form(page).locator("label").all()) {
    const place = await label.boundingBox();
    assert.ok(place.y + place.height <= below.y, `${await label.innerText()} stands above the way to other sessions`);
  }
  await field(page, "Agent").selectOption("lost");
  await look.click();
  await said.filter({ hasText: "no bench" }).or(said.filter({ hasText: "lost" })).waitFor();
});

scenario("a slash command of an agent is a message for it, and what waits is offered after a stop", async (stage) => {
  const { page, folder } = await board(stage, { carver: CARVER });
  await make(page, null, folder);
  const write = async (text) => {
    await pane(page).locator(".composer textarea").fill(text);
    await page.keyboard.press("Enter");
  };
  await write("/sand the hull");
  await pane(page).getByText("you said /sand the hull").waitFor();
  await pane(page).locator('[data-entry="user"]', { hasText: "/sand the hull" }).waitFor();
  assert.equal(await pane(page).locator(".composer [role=alert]").count(), 0);

  await write("wait");
  await pane(page).locator("[data-stop]").waitFor();
  await write("/sand it again");
  await pane(page).getByText("1 message waits").waitFor();
  assert.equal(await pane(page).getByRole("button", { name: /Send again/ }).count(), 0, "it waits, and is not offered as well");
  await pane(page).locator("[data-stop]").click();
  await pane(page).getByRole("button", { name: /Send again/ }).click();
  await pane(page).getByText("you said /sand it again").waitFor();
});
