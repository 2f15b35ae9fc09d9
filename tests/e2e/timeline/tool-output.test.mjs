// Tests of what tools print and change: terminals and their links, characters that nobody sees, changes that don't
// show in the lines, lines that are longer than any screen.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { card, push, scenario } from "../support/harness.mjs";

const RLO = "\u202e";
const tokens = (place) => place.locator(".hidden-char").allInnerTexts();

scenario("carriage returns and the remains of links make a terminal of any tool's output", async (stage) => {
  const script = new Script().user("Go").turn();
  script.add("tool.execution_start", { toolCallId: "m", toolName: "m-x", mcpServerName: "m", mcpToolName: "x", arguments: {} });
  script.complete("m", `10%\r55%\rdone\r\nOpened 8;;https://a.example/12\u0007#12 Fix8;;\u0007 now\nbad 8;;javascript:1\u0007x8;;\u0007 ok${RLO}gpj.exe\n`);
  const page = await stage.page(await stage.serve([script.rest().events]));
  await page.locator('[data-entry="tool"] summary').click();
  const screen = page.locator(".terminal");
  assert.match(await screen.innerText(), /^done\nOpened #12 Fix now\nbad x ok/);
  assert.deepEqual(await screen.locator("a").evaluateAll((links) => links.map((link) => [link.href, link.textContent])), [["https://a.example/12", "#12 Fix"]]);
  assert.deepEqual(await tokens(screen), ["right-to-left override"]);
});

scenario("progress that is drawn again replaces what was drawn while a tool runs", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`);
  const script = new Script().user("Go").turn().shell("t", "make").output("t", "A\n [=> ] 1/3");
  await push(page, script.take());
  const screen = page.locator(".terminal");
  await screen.getByText("1/3").waitFor();
  await push(page, script.output("t", "A\n [==>] 2/3").take());
  await screen.getByText("2/3").waitFor();
  assert.equal(await screen.innerText(), "A\n [==>] 2/3");
});

scenario("characters that nobody sees are named in tool lines and diffs", async (stage) => {
  const script = new Script().user("Go").turn().shell("t", "echo hi\u2028rm -rf build").complete("t", "x");
  script.add("tool.execution_start", { toolCallId: "e", toolName: "edit", arguments: { path: `/w/ok${RLO}gpj.exe`, old_str: "admin\n", new_str: `ad\u200bmin ${RLO}\u2066x\n` } });
  script.complete("e", "File updated.");
  const page = await stage.page(await stage.serve([script.rest().events]));
  const line = page.locator('[data-entry="tool"] summary .what').first();
  await line.locator(".hidden-char").waitFor();
  assert.deepEqual(await tokens(line), ["line separator"]);
  const added = page.locator(".changes ins");
  await added.waitFor();
  assert.deepEqual(await tokens(added), ["zero-width space", "right-to-left override", "left-to-right isolate"]);
  assert.deepEqual(await tokens(page.locator(".d-path")), ["right-to-left override"]);
});

scenario("a change that does not show in the lines is said in words, also in what asks for it", async (stage) => {
  const script = new Script().user("Go").turn();
  script.add("tool.execution_start", { toolCallId: "e", toolName: "edit", arguments: { path: "/w/a", old_str: "one\r\n", new_str: "one\n" } });
  script.complete("e", "File updated.");
  script.add("permission.requested", {
    requestId: "p",
    permissionRequest: { kind: "write", toolCallId: "t", fileName: "/w/a", intention: "Edit", diff: "\n--- a/w/a\n+++ b/w/a\n@@ -1 +1 @@\n-last\n\\ No newline at end of file\n+last\r\n" },
  });
  const page = await stage.page(await stage.serve([script.events]));
  const notes = page.locator('[data-id="e"] .changes .d-note');
  await notes.first().waitFor();
  assert.deepEqual(await notes.allInnerTexts(), ["Line ends change: CRLF to LF", "Nothing else changes"]);
  assert.deepEqual(await tokens(page.locator('[data-id="e"] .changes')), ["CRLF"]);
  await card(page, "p").locator(".d-note").first().waitFor();
  assert.deepEqual(await card(page, "p").locator(".d-note").allInnerTexts(), ["The last line gets a line break", "Nothing else changes"]);
});

scenario("a line of a megabyte is not put into the document whole, and is no wider than the page", async (stage) => {
  const line = "x1 ".repeat(350_000);
  const read = new Script().user("Go").turn();
  read.add("tool.execution_start", { toolCallId: "v", toolName: "view", arguments: { path: "/w/a" } });
  read.complete("v", `first\n${line}\nlast`);
  const edit = new Script().user("Go").turn();
  edit.add("tool.execution_start", { toolCallId: "e", toolName: "edit", arguments: { path: "/w/a", old_str: "one\n", new_str: `${line}\n` } });
  edit.complete("e", "File updated.");
  for (const script of [read, edit]) {
    const page = await stage.page(await stage.serve([script.rest().events]));
    const view = page.locator(".changes");
    if (script === read) await page.locator('[data-entry="tool"] summary').click();
    await view.locator(".long-line").waitFor();
    const { length, wide, wider } = await view.evaluate((view) => ({ length: view.textContent.length, wide: view.scrollWidth, wider: view.clientWidth }));
    assert.ok(length < 10_000, `${length} characters`);
    assert.ok(wide <= wider + 1, `${wide} wide in ${wider}`);
    await view.locator("button.d-more").click();
    await view.locator(".long-line .run").first().waitFor();
    assert.ok((await view.evaluate((view) => view.textContent.length)) < 300_000);
  }
});
