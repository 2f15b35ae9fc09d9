// Tests that what a person chooses on a card is what an agent over ACP hears: its own options by their names, through the real
// gateway; what lasts is asked again, and several requests are only ever allowed once.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { acp } from "../support/acp-agent.mjs";
import { Script } from "../support/events.mjs";
import { answers, card, host, push, readThrough, scenario, until, violations } from "../support/harness.mjs";

const option = (optionId, name, kind) => ({ optionId, name, kind });
const CODEX = [
  option("once", "Yes, proceed", "allow_once"),
  option("amend", "Yes, and don't ask again for commands that start with `touch`", "allow_always"),
  option("no", "No, and tell Codex what to do differently", "reject_once"),
];
const OPENCODE = [option("once", "Allow once", "allow_once"), option("always", "Always allow", "allow_always"), option("reject", "Deny", "reject_once")];
const TOUCH = { title: "touch a", kind: "execute", rawInput: { command: "touch a" } };

/** A session of an agent over ACP, shown on a page. `ask` has the agent ask, `heard` waits for what it says then. */
async function session(stage) {
  const data = await mkdtemp(join(tmpdir(), "pilothouse-acp-"));
  stage.atEnd(() => rm(data, { recursive: true, force: true }));
  const gateway = await stage.serve([], { access: [...acp("mine"), "--data", data] });
  const page = await stage.page(gateway);
  const call = (method, params) =>
    page.evaluate(async ([method, params]) => {
      const socket = new WebSocket(`${location.origin.replace("http", "ws")}/api/rpc`);
      await new Promise((open) => (socket.onopen = open));
      const answered = new Promise((told) => (socket.onmessage = ({ data }) => JSON.parse(data).id === 1 && told(JSON.parse(data))));
      socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
      const { result, error } = await answered;
      socket.close();
      return result ?? { error };
    }, [method, params]);
  const { sessionId } = await call("pilothouse.create", { agent: "mine" });
  await page.goto(`${gateway}/?session=${sessionId}`);
  const ask = async (options, toolCall = TOUCH) => {
    await call("session.send", { sessionId, prompt: `ask ${JSON.stringify({ options, call: toolCall })}` });
    await card(page).waitFor();
  };
  const heard = (words) => until(page, (view, words) => view.timeline.some((entry) => entry.kind === "assistant" && entry.text === words), words);
  return { page, call, ask, heard, sessionId };
}

/** A button by its name that can be pressed. */
const named = (page, name) => card(page).getByRole("button", { name, exact: false }).and(page.locator(":not([aria-disabled]):not([disabled])"));
const settled = (page) => page.locator(".settled").last();

scenario("each of the agent's options is there by its own name, and the one that was chosen is what it hears", async (stage) => {
  const { page, ask, heard } = await session(stage);
  await ask(CODEX);
  await readThrough(page);
  const shown = await card(page).locator(".answers > .btn > span, .answers > .split > .btn > span").allInnerTexts();
  assert.deepEqual(shown, CODEX.map(({ name }) => name));
  assert.equal(await card(page).locator("[data-more]").count(), 0, "nothing of the runtime's is offered");
  assert.deepEqual(await violations(page), []);
  await named(page, "Yes, proceed").click();
  await heard("chosen: once");
  assert.match(await settled(page).innerText(), /^Allowed: “Yes, proceed”/);
});

scenario("what lasts is asked again, in full, and says its name when it has been allowed", async (stage) => {
  const { page, ask, heard } = await session(stage);
  await ask(CODEX);
  await readThrough(page);
  await named(page, CODEX[1].name).click();
  const asked = card(page).getByRole("group", { name: CODEX[1].name });
  assert.match(await asked.innerText(), /start with touch: mine decides what this covers and for how long/);
  await asked.locator("[data-confirm]:not([aria-disabled])").click();
  await heard("chosen: amend");
  assert.match(await settled(page).innerText(), /^Allowed: “Yes, and don't ask again for commands that start with `touch`”/);
});

scenario("the question whether what lasts is meant is whole in view, with what it is about, and Escape closes it", async (stage) => {
  const { page, ask } = await session(stage);
  await ask(OPENCODE, { ...TOUCH, rawInput: { command: "touch a && echo done" } });
  for (const width of [380, 1400]) {
    await page.setViewportSize({ width, height: 800 });
    await readThrough(page);
    await named(page, "Always allow").click();
    const asked = card(page).getByRole("group", { name: "Always allow" });
    assert.match(await asked.innerText(), /decides what this covers[^]*touch a && echo done/);
    // Nothing lies over it.
    const isOnTop = (part) => part.evaluate((part) => {
      const { left, right, top, bottom } = part.getBoundingClientRect();
      const at = [[left + 4, top + 4], [right - 4, top + 4], [left + 4, bottom - 4], [right - 4, bottom - 4], [(left + right) / 2, (top + bottom) / 2]];
      return at.every(([x, y]) => part.contains(part.getRootNode().elementFromPoint(x, y)));
    });
    await asked.locator("[data-confirm]:not([aria-disabled])").waitFor();
    assert.ok(await isOnTop(asked), `${width}`);
    assert.ok(await isOnTop(card(page).locator(".request-head")), `${width}: the question`);
    await page.keyboard.press("Escape");
    await asked.waitFor({ state: "detached" });
    await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.activeElement?.innerText === "Always allow");
  }
});

scenario("a refusal is the agent's own, and feedback goes to it as the next message, as the field says", async (stage) => {
  const { page, ask, heard } = await session(stage);
  await ask(OPENCODE);
  // It lets nothing happen, so it need not be read.
  await page.keyboard.press("f");
  const field = card(page).getByLabel("Feedback to the agent goes to the agent as the next message");
  await field.fill("Use printf");
  await named(page, "Deny").click();
  await heard("chosen: reject");
  await heard("you said Use printf");
  assert.match(await settled(page).innerText(), /^Rejected: Use printf/);
});

scenario("an answer that names no option of the agent's is refused in words, and the request waits on", async (stage) => {
  const { page, ask, call, heard, sessionId } = await session(stage);
  await ask([option("a", "Option Alpha", "allow_once"), option("b", "Option Bravo", "allow_once")]);
  const requestId = await card(page).getAttribute("data-request-id");
  const send = (result) => call("session.permissions.handlePendingPermissionRequest", { sessionId, requestId, result });
  for (const result of [{ kind: "approve-once", optionId: "gone" }, { kind: "approve-once" }, { kind: "reject", optionId: "a" }]) {
    const { error } = await send(result);
    assert.equal(error?.code, -32602, JSON.stringify(result));
  }
  await readThrough(page);
  await named(page, "Option Bravo").click();
  await heard("chosen: b");
});

scenario("several that wait are allowed once together, each with its agent's own option, and never for longer", async (stage) => {
  const page = await host(stage, { width: 800, height: 900 });
  const script = new Script().user("Look").turn();
  const lists = { a: OPENCODE, b: CODEX, c: [option("x", "Always", "allow_always"), option("n", "No", "reject_once")] };
  for (const [requestId, agentOptions] of Object.entries(lists)) {
    const permissionRequest = { kind: "read", toolCallId: `call-${requestId}`, path: `/workspace/boats/${requestId}.rs` };
    script.add("permission.requested", { requestId, permissionRequest, agentOptions });
  }
  await push(page, script.take());
  for (const id of Object.keys(lists)) await readThrough(page, id);
  const all = page.locator('[data-answer-all="approve-once"]:not([aria-disabled])');
  assert.equal(await all.innerText(), "Allow these 2, once");
  await all.click();
  const sent = (await answers(page)).map(({ params }) => [params.requestId, params.result]);
  assert.deepEqual(sent, [["a", { kind: "approve-once", optionId: "once" }], ["b", { kind: "approve-once", optionId: "once" }]]);
});
