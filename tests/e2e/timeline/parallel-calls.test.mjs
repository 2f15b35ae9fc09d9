// Tests that the calls of one message stand under one line, which folds them. A request is never folded away.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { push, scenario } from "../support/harness.mjs";

const row = (page, id) => page.locator(`[data-entry="tool"][data-id="${id}"]`);

const calls = [
  { toolCallId: "c1", name: "grep", arguments: { pattern: "tide" } },
  { toolCallId: "c2", name: "view", arguments: { path: "/harbor/a.md" } },
  { toolCallId: "c3", name: "view", arguments: { path: "/harbor/b.md" } },
];

const started = (script, { toolCallId, name, arguments: given }) =>
  script.add("tool.execution_start", { toolCallId, toolName: name, arguments: given });

scenario("calls of one message stand under one line that folds them and tells how they went", async (stage) => {
  const page = await stage.embed(await stage.serve(), `transport="none"`);
  const script = new Script("together").user("Go", "user").turn();
  script.add("assistant.message", { messageId: "asks", content: "Looking", toolRequests: calls });
  for (const call of calls) {
    started(script, call);
  }
  await push(page, script.take());
  const line = row(page, "c1").locator(".parallel");
  await line.waitFor();
  assert.match(await line.textContent(), /3 tools together.*3 running/u);
  assert.equal(await row(page, "c2").getAttribute("data-parallel"), "more");
  assert.equal(await row(page, "c2").locator(".parallel").count(), 0);

  await line.focus();
  await page.keyboard.press("Enter");
  await row(page, "c2").waitFor({ state: "detached" });
  assert.equal(await line.getAttribute("aria-expanded"), "false");
  assert.match(await line.textContent(), /grep, view ×2/u);
  assert.equal(await row(page, "c1").locator(".card").isVisible(), false);

  script.complete("c1", "12 hits").complete("c2", "words");
  script.add("tool.execution_complete", { toolCallId: "c3", success: false, error: { message: "No such file" } });
  await push(page, script.take());
  await page.waitForFunction(
    (element) => /1 failed/u.test(element.textContent) && !/running/u.test(element.textContent),
    await line.elementHandle(),
  );
  await page.keyboard.press("Enter");
  await row(page, "c3").waitFor();
  assert.equal(await row(page, "c1").locator(".card").isVisible(), true);
});
