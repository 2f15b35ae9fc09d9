// Tests the panel, the header's status and notifications outside of the page: they open, are correct, and
// disappear with the session. How the figures are computed is tested in tests/panel.rs.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

import { Script } from "../support/events.mjs";
import { card, data, frames, inBothSchemes, nightly, push, scenario } from "../support/harness.mjs";

const AXE = new URL("../node_modules/axe-core/axe.min.js", import.meta.url);

const recording = async () => await readFile(data("plan-then-build"), "utf8");

/** A page with a recording pushed by the test and its panel open. */
async function opened(stage, options = {}) {
  const page = await stage.embed(await stage.files(), `transport="none"`, options);
  await push(page, await recording());
  const panel = page.getByRole("complementary", { name: "Panel" });
  if ((await panel.count()) === 0) {
    await page.locator("[data-scroller]").focus();
    await page.keyboard.press("p");
  }
  await panel.locator(".sect").first().waitFor();
  return { page, panel };
}

const heading = (panel, name) => panel.getByRole("heading", { name, exact: true });

/** Whether the element has the focus, inside its shadow root. */
const focused = (locator) => locator.evaluate((element) => element.getRootNode().activeElement === element);

async function violations(page) {
  await page.evaluate(await readFile(AXE, "utf8"));
  return page.evaluate(async () => {
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
    const { violations } = await window.axe.run(document.querySelector("pilot-house"), { runOnly: tags });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.flat().join(" ")).join(", ")}`);
  });
}

scenario("the panel tells of a recorded session, and leads to where it happened", async (stage) => {
  const { page, panel } = await opened(stage, { width: 1400, height: 2400 });
  for (const name of ["Plan", "Todos", "Changed files", "Agents and background work", "Usage and cost", "Context window"]) {
    await heading(panel, name).waitFor();
  }
  assert.equal(await heading(panel, "Schedules").count(), 0, "what is not there has no heading");
  await panel.getByText("4 of 4 done").waitFor();
  const file = panel.getByRole("button", { name: "src/frost.js new +25", exact: true });
  await file.click();
  await page.waitForFunction(() => {
    const root = document.querySelector("pilot-house").shadowRoot;
    return root.activeElement?.matches("[data-entry]") && root.activeElement.innerText.includes("frost.js");
  });
});

scenario("the panel's styles are for the panel: cards have parts of the same names", async (stage) => {
  const { page } = await opened(stage, { width: 1400 });
  const stray = await page.evaluate(async () => {
    const root = document.querySelector("pilot-house").shadowRoot;
    const sheets = [...root.styleSheets, ...root.adoptedStyleSheets];
    const rules = sheets.flatMap((sheet) => [...sheet.cssRules]).map((rule) => rule.selectorText ?? "");
    const own = rules.filter((selector) => /\.(sect|spot|figures|stack|tail|wish)\b/.test(selector));
    return own.length === 0 ? ["no rules found"] : own.filter((selector) => /(^|, )(?!\.panel\b)[^,]*\.(sect|spot|figures|tail|wish)\b/.test(selector));
  });
  assert.deepEqual(stray, []);
  const server = { toolName: "buoys-position", mcpServerName: "buoys", mcpToolName: "position", arguments: { place: "Pier 7" } };
  const description = { name: "position", description: "Tells where a buoy lies" };
  const script = new Script("mcp").add("tool.execution_start", { toolCallId: "mcp", ...server, toolDescription: description });
  script.add("tool.execution_complete", { toolCallId: "mcp", success: false, error: { message: "No such buoy" }, toolDescription: description });
  await push(page, script.events.slice(1));
  const card = page.locator('[data-entry="tool"]', { hasText: "No such buoy" });
  await card.getByText("No such buoy").waitFor();
  for (const stack of await card.locator(".stack").all()) {
    assert.ok(await stack.evaluate((element) => element.scrollHeight <= element.clientHeight), "nothing is cut off");
  }
});

scenario("a section that was folded stays folded", async (stage) => {
  const { page, panel } = await opened(stage, { width: 1400 });
  const plan = panel.locator(".sect", { has: page.getByRole("heading", { name: "Plan", exact: true }) });
  await plan.locator("summary").click();
  await panel.getByRole("button", { name: "Close" }).click();
  await panel.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Panel" }).click();
  await plan.waitFor();
  assert.equal(await plan.getAttribute("open"), null);
});

scenario("an empty panel says what it is for", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`, { width: 800 });
  await page.getByRole("button", { name: "Panel" }).click();
  await page.getByText(/appear here as soon as there are any/).waitFor();
});

scenario("a panel that came by itself makes room for the lens, and comes back: nobody closed it", async (stage) => {
  const page = await stage.page(await stage.serve([new Script().user("hello").say("hi").events]), { width: 1400 });
  const panel = page.getByRole("complementary", { name: "Panel" });
  const lens = page.locator("[data-model-lens]");
  await panel.waitFor();
  await lens.click();
  await panel.waitFor({ state: "detached" });
  await lens.click();
  await panel.waitFor();
  await lens.click();
  await panel.waitFor({ state: "detached" });
  await page.reload();
  await panel.waitFor();
});

scenario("the panel comes by itself where there is room, once it was closed it stays away", async (stage) => {
  const address = await stage.serve([new Script().user("hello").say("hi").events]);
  const page = await stage.page(address, { width: 1400 });
  const panel = page.getByRole("complementary", { name: "Panel" });
  await panel.waitFor();
  assert.equal(await focused(panel), false, "nobody asked for it: it takes no focus");
  await page.setViewportSize({ width: 900, height: 800 });
  await panel.waitFor({ state: "detached" });
  await page.setViewportSize({ width: 1400, height: 800 });
  await panel.getByRole("button", { name: "Close" }).click();
  await panel.waitFor({ state: "detached" });
  await page.reload();
  await page.locator("[data-entry]").first().waitFor();
  await frames(page);
  assert.equal(await panel.count(), 0);
});

scenario("usage that an agent reports for a prompt has no number of calls, and says whose figures they are", async (stage) => {
  const usage = { model: "alpha", inputTokens: 1100, outputTokens: 50 };
  const script = new Script().user("hello").add("assistant.turn_start", { turnId: "0", spansPrompt: true }).say("hi");
  const address = await stage.serve([script.add("assistant.usage", usage, { ephemeral: true }).events]);
  const page = await stage.page(address, { width: 1400 });
  await page.getByText("These figures are what the agent reports for each prompt.").waitFor();
  const table = page.getByRole("complementary", { name: "Panel" }).locator("table.figures").first();
  assert.deepEqual(await table.locator("thead th").allInnerTexts(), ["Model", "Read", "Cached", "Written"]);
});

scenario("a drawer takes the focus, gives it back, and goes when somebody works beside it", async (stage) => {
  const { page, panel } = await opened(stage, { width: 900 });
  const button = page.getByRole("button", { name: "Panel" });
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });

  await button.click();
  await panel.waitFor();
  await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.activeElement?.matches(".aside"));
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
  assert.equal(await focused(button), true, "the focus is back");

  await button.click();
  await panel.waitFor();
  await page.mouse.click(100, 400);
  await panel.waitFor({ state: "detached" });
});

scenario("a narrow header has one menu, and nothing sticks out of it", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`, { width: 320, height: 700 });
  const script = new Script().user("Mend the boats").turn();
  script.add("assistant.intent", { intent: "Looking through a great many boats, one after the other, with care" });
  script.add("session.permissions_changed", { mode: "allow-all" });
  script.add("session.usage_info", { tokenLimit: 100_000, currentTokens: 90_000, messagesLength: 3 });
  await push(page, script.take());
  const fits = async (what) => {
    const wide = await page.evaluate(() => {
      const bar = document.querySelector("pilot-house").shadowRoot.querySelector(".bar");
      const end = bar.getBoundingClientRect().right;
      const out = [...bar.querySelectorAll("*")].filter((part) => {
        const { width, right } = part.getBoundingClientRect();
        return width > 1 && right > end + 0.5 && !part.closest(".intent, .pop, svg");
      });
      return { scroll: bar.scrollWidth - bar.clientWidth, lines: bar.clientHeight, out: out.map((part) => part.className) };
    });
    assert.deepEqual([wide.scroll, wide.out], [0, []], what);
    assert.ok(wide.lines <= 45, `${what}: one line, not ${wide.lines} px`);
  };
  await fits("running");
  await push(page, script.ask("ask", "rm -rf build").take());
  await card(page, "ask").waitFor();
  await fits("waiting");
  await push(page, new Script().add("session.error", { errorType: "query", message: "It broke" }).events.slice(1));
  await fits("error");

  const menu = page.getByRole("button", { name: "Menu" });
  await menu.click();
  const item = page.getByRole("button", { name: "Panel" });
  await item.waitFor();
  await fits("with the menu");
  await page.keyboard.press("Escape");
  await item.waitFor({ state: "hidden" });
  assert.equal(await focused(menu), true);
  await menu.click();
  await item.click();
  await page.getByRole("complementary", { name: "Panel" }).waitFor();
  await item.waitFor({ state: "hidden" });
});

scenario("the tray counts what is told quietly; a failure marks the button until somebody looks", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`, { width: 900 });
  const script = new Script();
  const live = (type, data) => script.add(type, data, { ephemeral: true });
  const server = (status, error) => live("session.mcp_server_status_changed", { serverName: "buoys", status, error });
  const button = page.getByRole("button", { name: "Panel" });
  const mark = page.locator(".toolbar .mark");
  const tray = page.locator(".sect", { has: page.getByRole("heading", { name: "System messages", exact: true }) });

  for (const hook of ["a", "b", "c"]) script.add("hook.start", { hookInvocationId: hook, hookType: "preToolUse", input: { hook } });
  await push(page, script.take());
  assert.equal(await mark.count(), 0);
  await push(page, server("failed", "The socket is closed").take());
  await mark.getByText("1 failed", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Panel: 1 failed", exact: true }).waitFor();
  assert.equal(await button.getAttribute("title"), "buoys: failed");
  await page.waitForFunction(() => {
    const mark = document.querySelector("pilot-house").shadowRoot.querySelector(".toolbar .mark");
    const [inner, outer] = [mark, mark?.closest("button")].map((element) => element?.getBoundingClientRect());
    return inner && outer && inner.left >= outer.left && inner.right <= outer.right;
  });
  assert.deepEqual(await violations(page), []);
  assert.equal(await page.locator("[data-entry]").count(), 0, "nothing in the timeline");
  await page.setViewportSize({ width: 380, height: 800 });
  await page.locator(".menu > .mark").getByText("1 failed", { exact: true }).waitFor();
  assert.equal(await page.evaluate(() => document.querySelector("pilot-house").shadowRoot.querySelector(".bar").scrollWidth <= 380), true);
  await page.setViewportSize({ width: 900, height: 800 });

  await button.click();
  await tray.waitFor();
  await mark.waitFor({ state: "detached" });
  assert.match(await tray.locator("summary").innerText(), /System messages\s+1 failed · 2$/);
  await tray.locator("summary").click();
  // A line that is rendered but not yet laid out has no text.
  const lines = async () => (await tray.locator(".line").first().waitFor(), await tray.locator(".line").allInnerTexts()).map((line) => line.replace(/\s+/g, " ").replace(/\d?\d:\d\d(\s[AP]M)?/, "00:00"));
  assert.deepEqual(await lines(), ["Error: buoys: failed 00:00 The socket is closed", "Note: Hooks: pre tool use ran ×3 · 00:00"]);

  await page.keyboard.press("Escape");
  await push(page, server("failed", "No such file").take());
  await mark.waitFor();
  await push(page, server("connected").take());
  await mark.waitFor({ state: "detached" });
  await button.click();
  assert.deepEqual(await lines(), [
    "Note: buoys: connected 00:00",
    "Note: buoys: failed 00:00 No such file",
    "Note: buoys: failed 00:00 The socket is closed",
    "Note: Hooks: pre tool use ran ×3 · 00:00",
  ]);
});

scenario("axe finds nothing to say about the panel, light and dark", async (stage) => {
  const { page, panel } = await opened(stage, { width: 1400, height: 3200 });
  // From the last to the first, because one that opens leaves the list.
  for (const summary of (await panel.locator("details:not([open]) > summary").all()).reverse()) await summary.click();
  const script = new Script("more");
  script.add("session.mcp_servers_loaded", {
    servers: [{ name: "ok", status: "connected" }, { name: "not", status: "failed", error: "no such file" }, { name: "sign", status: "needs-auth" }],
  });
  script.add("session.schedule_created", { id: 1, prompt: "Look at the boats", intervalMs: 60_000, recurring: true });
  script.add("session.session_limits_changed", { sessionLimits: { maxAiCredits: 10 } });
  script.add("session.permissions_changed", { mode: "allow-all" });
  await push(page, script.take().slice(1));
  script.add("hook.start", { hookInvocationId: "hook", hookType: "preToolUse" });
  script.add("session.mcp_server_status_changed", { serverName: "not", status: "failed", error: "no such file" });
  script.add("model.call_failure", { model: "gpt-5.4", statusCode: 503, source: "top_level" });
  await push(page, script.take());
  await heading(panel, "MCP servers").waitFor();
  await inBothSchemes(page, async (scheme) => assert.deepEqual(await violations(page), [], scheme));
});

scenario("a turn without any event says so, an idle page says nothing", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`, { prepare: (page) => page.clock.install(), whole: false });
  const script = new Script().user("hello").turn();
  await push(page, script.take());
  await page.clock.runFor(12_000);
  const bar = page.locator(".bar");
  await bar.locator(".elapsed", { hasText: /1[1-9] s/ }).waitFor();
  assert.equal(await bar.locator(".quiet").count(), 0);
  await page.clock.runFor(29_000);
  await bar.getByText(/^Nothing has arrived for 4\d s$/).waitFor();
  await push(page, script.say("here I am").take());
  await page.clock.runFor(2_000);
  await bar.locator(".quiet").waitFor({ state: "detached" });
  await push(page, script.ask("ask", "ls").take());
  await page.clock.runFor(60_000);
  assert.equal(await bar.locator(".quiet").count(), 0, "who is asked knows what is waited for");
});

nightly("the tab's title and icon tell of a session that fills the page, and only as long", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`);
  const icon = () => page.evaluate(() => document.querySelector("link[rel=icon]").getAttribute("href"));
  const script = new Script().user("hello").turn();
  await push(page, script.take());
  assert.equal(await page.title(), "● Host");
  assert.match(await icon(), /^data:image\/svg/);
  await push(page, script.ask("ask", "ls").take());
  assert.equal(await page.title(), "! Host");
  await page.evaluate(() => {
    document.title = "Renamed";
    document.querySelector("pilot-house").remove();
  });
  await frames(page);
  assert.equal(await page.title(), "Renamed");
  // An element that its page feeds is kept for some seconds, in case it is put somewhere else.
  await page.waitForFunction(() => document.querySelector("link[rel=icon]").getAttribute("href") === "data:,");
});

scenario("inside of somebody's page the title is theirs, unless they say so", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none" style="height:300px"`);
  const script = new Script().user("hello").turn();
  await push(page, script.take());
  assert.equal(await page.title(), "Host");
  await page.evaluate(() => document.querySelector("pilot-house").setAttribute("attention", ""));
  await push(page, script.ask("ask", "ls").take());
  assert.equal(await page.title(), "! Host");
});

scenario("nothing is asked of the browser before somebody wishes to be notified", async (stage) => {
  const prepare = (page) =>
    page.addInitScript(() => {
      window.asked = [];
      window.Notification = class {
        static permission = "default";
        static async requestPermission() {
          window.asked.push("permission");
          return (this.permission = "granted");
        }
        constructor(title, options) {
          window.asked.push(`${title}: ${options.body}`);
        }
        close() {}
      };
      Object.defineProperty(Document.prototype, "hidden", { get: () => window.away === true });
    });
  const page = await stage.embed(await stage.files(), `transport="none"`, { prepare });
  await page.getByRole("button", { name: "Panel" }).click();
  const wish = page.getByRole("switch", { name: "Notify me" });
  await wish.waitFor();
  const script = new Script().user("hello").turn();
  await push(page, script.take());
  await page.evaluate(() => (window.away = true));
  await push(page, script.ask("first", "ls").take());
  assert.deepEqual(await page.evaluate(() => window.asked), []);
  await push(page, script.allowed("first").take());
  await wish.check();
  await page.waitForFunction(() => window.asked.length === 1);
  await push(page, script.ask("second", "make boats").take());
  const asked = await page.evaluate(() => window.asked);
  assert.equal(asked.length, 2, String(asked));
  assert.match(asked[1], /^The agent needs you: /);
});
