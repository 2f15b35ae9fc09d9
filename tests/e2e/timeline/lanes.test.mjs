// Tests folding and what hosts add: sub-agents' lanes, hidden event types, renderers, notes, telemetry.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { push, scenario, snapshot } from "../support/harness.mjs";

const row = (page, kind, id) => page.locator(`[data-entry="${kind}"][data-id="${id}"]`);

const embedded = async (stage) => stage.embed(await stage.files(), `transport="none"`);

/** A sub-agent that reads, and a second one nested in it. */
function lanes() {
  const outer = { agentId: "outer" };
  const inner = { agentId: "inner" };
  const agent = (call, name) => ({ toolCallId: call, agentName: name, agentDisplayName: name, agentDescription: `Does ${name}` });
  const task = (call) => ({ toolCallId: call, toolName: "task", arguments: { description: call } });
  const script = new Script("lanes").user("Go", "user").turn();
  script.add("tool.execution_start", task("call-1")).add("subagent.started", agent("call-1", "mate"), outer);
  script.add("assistant.message", { messageId: "outer-says", content: "Looking at the boats", toolRequests: [] }, outer);
  script.add("tool.execution_start", { ...task("call-2"), parentToolCallId: "call-1" }, outer);
  script.add("subagent.started", agent("call-2", "diver"), inner);
  script.add("assistant.message", { messageId: "inner-says", content: "Below the water", toolRequests: [] }, inner);
  return { script, outer, inner, agent };
}

scenario("a sub-agent's lane is open while it works, folds when it ends, and opens again", async (stage) => {
  const page = await embedded(stage);
  const { script, outer, inner, agent } = lanes();
  await push(page, script.take());
  await row(page, "assistant", "inner-says").waitFor();
  assert.equal(await row(page, "assistant", "inner-says").getAttribute("data-depth"), "2");
  assert.equal(await row(page, "tool", "call-1").count(), 0, "the sub-agent's line tells of its call");
  script.add("subagent.completed", { ...agent("call-2", "diver"), totalToolCalls: 3, totalTokens: 900 }, inner);
  await push(page, script.take());
  await row(page, "assistant", "inner-says").waitFor({ state: "detached" });
  await row(page, "assistant", "outer-says").waitFor();
  script.add("subagent.completed", agent("call-1", "mate"), outer).complete("call-1", "They lie well").say("Good.", "end");
  await push(page, script.take());
  await row(page, "assistant", "outer-says").waitFor({ state: "detached" });
  await row(page, "subagent", "call-2").waitFor({ state: "detached" });
  const line = row(page, "subagent", "call-1").locator("[aria-expanded]");
  assert.equal(await line.getAttribute("aria-expanded"), "false");
  await line.press("Enter");
  await row(page, "assistant", "outer-says").waitFor();
  assert.match(await row(page, "subagent", "call-2").innerText(), /3 tools · 900 tokens/);
  assert.equal(await row(page, "assistant", "inner-says").count(), 0, "the lane inside is folded by itself");
  await row(page, "subagent", "call-1").getByText("What the calling agent received").click();
  assert.match(await row(page, "subagent", "call-1").locator("pre").innerText(), /They lie well/);
  await line.click();
  await row(page, "assistant", "outer-says").waitFor({ state: "detached" });
});

scenario("folding a lane leaves the reader where they are", async (stage) => {
  const page = await embedded(stage);
  const { script, outer, agent } = lanes();
  for (let number = 0; number < 40; number++) {
    const content = `Line ${number} of the mate`;
    script.add("assistant.message", { messageId: `mate-${number}`, content, toolRequests: [] }, outer);
  }
  for (let number = 0; number < 40; number++) script.say(`Line ${number} of the captain`, `captain-${number}`);
  await push(page, script.take());
  const scroller = page.locator("[data-scroller]");
  const place = () => row(page, "assistant", "captain-20").evaluate((element) => element.getBoundingClientRect().top);
  await scroller.evaluate((element) => element.scrollTo(0, 0));
  // Rows are measured as they come near, and one at the edge may leave again.
  await scroller.evaluate(async (scroller) => {
    const settled = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
    const row = () => scroller.querySelector('[data-entry="assistant"][data-id="captain-20"]');
    for (await settled(); !row(); await settled()) scroller.scrollBy(0, 400);
    row().scrollIntoView({ block: "center" });
    await settled();
  });
  await row(page, "assistant", "captain-25").waitFor();
  const before = await place();
  assert.ok(await scroller.evaluate((element) => element.scrollTop > 1500), "the lane is above the reader");
  await push(page, script.add("subagent.completed", agent("call-1", "mate"), outer).take());
  await page.waitForFunction(() => {
    const scroller = document.querySelector("pilot-house").shadowRoot.querySelector("[data-scroller]");
    return scroller.scrollTop < 1500;
  });
  assert.ok(Math.abs((await place()) - before) < 2, `moved from ${before} to ${await place()}`);
});

scenario("events of an unknown type can be hidden, and are counted where the first one stood", async (stage) => {
  const page = await embedded(stage);
  const script = new Script("weather").user("Go").turn();
  for (const id of ["a", "b", "c"]) script.add("session.weather", { id });
  await push(page, script.say("Well.", "end").take());
  const generic = page.locator('[data-entry="generic"]');
  assert.equal(await generic.count(), 3);
  await generic.first().locator("summary").click();
  await generic.first().getByRole("button", { name: "Hide events of this type" }).click();
  await generic.nth(1).waitFor({ state: "detached" });
  await generic.getByText("3 events of this type hidden").waitFor();
  await push(page, script.add("session.weather", { id: "d" }).take());
  await generic.getByText("4 events of this type hidden").waitFor();
  assert.equal(await generic.count(), 1);
  await generic.getByRole("button", { name: "Show them again" }).click();
  await generic.nth(3).waitFor();
});

scenario("a host draws its own notifications, in nodes or text, never in HTML", async (stage) => {
  const page = await embedded(stage);
  const notify = (name, version, payload) => ({
    type: "session.custom_notification",
    id: `${name}-${version}-${JSON.stringify(payload)}`,
    data: { source: "dock", name, version, subject: { boat: name }, payload },
    ephemeral: true,
  });
  await page.evaluate(async () => {
    const { registerNotification } = await import("/pkg/index.js");
    window.contexts = [];
    registerNotification({ source: "dock", name: "tide", versions: [1, 2] }, (payload, context) => {
      window.contexts.push(context);
      const meter = document.createElement("meter");
      meter.value = payload.level;
      return meter;
    });
    registerNotification({ source: "dock", name: "wind" }, (payload) => `<b>${payload.knots} knots</b>`);
    window.remove = registerNotification({ name: "broken" }, () => {
      window.called = true;
      throw new RangeError("the renderer's own");
    });
  });
  await push(page, [notify("tide", 1, { level: 0.3 }), notify("tide", 1, { level: 0.5 })]);
  const custom = page.locator('[data-entry="custom"]');
  // What a host draws stands in the element's light DOM.
  const drawn = page.locator("pilot-house > [slot]");
  await drawn.locator("meter").waitFor();
  await push(page, [notify("tide", 3, { level: 0.1 })]);
  await drawn.locator("meter").waitFor({ state: "detached" });
  await push(page, [notify("wind", 1, { knots: 12 }), notify("broken", 1, { message: "As it is" })]);
  await drawn.getByText("<b>12 knots</b>").waitFor();
  await custom.filter({ hasText: "As it is" }).locator(".tree").waitFor();
  const contexts = await page.evaluate(() => window.contexts);
  assert.deepEqual(contexts.at(-1).subject, { boat: "tide" });
  await push(page, [notify("tide", 2, { level: 0.9 })]);
  await drawn.locator("meter").waitFor();
  assert.equal(await drawn.locator("meter").evaluate((meter) => meter.value), 0.9);
  assert.equal(await custom.getByText("×4").count(), 1);
}, { expected: [/the renderer's own/] });

scenario("a host says something, and is offered the session's telemetry", async (stage) => {
  const page = await embedded(stage);
  const ids = await page.evaluate(() => {
    window.telemetry = [];
    const element = document.querySelector("pilot-house");
    element.addEventListener("pilothouse-telemetry", (event) => window.telemetry.push(event.detail));
    const note = { level: "warning", message: "Low tide at six", url: "https://example.com/tides" };
    return [element.notify(note), element.notify(note), element.notify({ message: "Plain" }), element.notify({})];
  });
  assert.deepEqual([ids[0], ids[1], ids[3]], [ids[0], ids[0], undefined]);
  const notice = page.locator('[data-entry="notice"]').filter({ hasText: "Low tide at six" });
  await notice.getByText("×2").waitFor();
  assert.equal(await notice.getAttribute("data-level"), "warning");
  assert.equal(await notice.getByRole("link").getAttribute("href"), "https://example.com/tides");
  const script = new Script("told").add("system.notification", {
    content: "<system_notification>Shell 7 has ended</system_notification>",
    kind: { type: "shell_completed", shellId: "7", exitCode: 3 },
  });
  await push(page, script.take());
  const [event] = await page.waitForFunction(() => window.telemetry.length > 0 && window.telemetry).then((it) => it.jsonValue());
  assert.equal(event.name, "github.copilot.system.notification");
  assert.equal(event.attributes["github.copilot.system.notification.exit_code"], 3);
  assert.deepEqual((await snapshot(page)).telemetry, [event]);
});
