// Tests that an arriving session is shown completely, word by word, and the same over every transport.

import assert from "node:assert/strict";

import { Script, heldSentence } from "../support/events.mjs";
import { DEMO_ENDED, IDLE, answer, nightly, playThrough, push, readAll, scenario, snapshot, until } from "../support/harness.mjs";

nightly("the demo session gives the same page over a WebSocket and over server-sent events", async (stage) => {
  const seen = {};
  for (const [transport, carrier] of [["ws", "/api/rpc"], ["sse", "/events"]]) {
    const gateway = await stage.serve();
    stage.requests.length = 0;
    const page = await stage.embed(gateway, `transport="${transport}"`);
    await playThrough(page, DEMO_ENDED);
    const { timeline, events, session, modelContext, usage, diagnostics } = await snapshot(page);
    seen[transport] = { entries: await readAll(page), timeline, events, session, modelContext, usage, diagnostics };
    const other = carrier === "/events" ? "/api/rpc" : "/events";
    assert.ok(stage.requests.some((address) => new URL(address).pathname.endsWith(carrier)), `${transport} was used`);
    assert.ok(!stage.requests.some((address) => new URL(address).pathname.endsWith(other)), `only ${transport} was`);
  }
  assert.deepEqual(seen.sse, seen.ws);

  const { entries, timeline, events } = seen.ws;
  assert.equal(events.malformed + events.duplicate, 0);
  const visible = timeline.filter((entry) => entry.uiVisible).map((entry) => `${entry.kind} ${entry.id}`);
  const shown = entries.map(([kind, id]) => `${kind} ${id}`);
  assert.deepEqual([...shown].sort(), visible.sort(), "every visible entry is met by scrolling, none twice");
  const answers = entries.filter(([kind]) => kind === "assistant").map(([, , , text]) => text);
  assert.match(answers.at(-1), /Cargo\.toml says 0\.4\.3 now\. I did not commit anything\./);
});

for (const transport of ["ws", "sse"]) {
  scenario(`words are shown before the message is complete, over ${transport}`, async (stage) => {
    const page = await stage.embed(await stage.serve([heldSentence()]), `transport="${transport}"`);
    const message = page.locator('[data-entry="assistant"][data-id="report"]');
    await page.locator('[data-entry="assistant"][data-state="streaming"]').waitFor();
    await page.locator('pilot-house[data-status="waiting"]').waitFor();
    assert.equal((await message.innerText()).trim(), "The white boat lies at the pier");
    assert.equal(await message.locator("strong").innerText(), "white", "the part that is there is rendered");

    await answer(page, "look", "approve-once");
    await page.locator('[data-entry="assistant"][data-state="done"]').waitFor();
    assert.equal((await message.innerText()).trim(), "The white boat lies at the pier, the blue one at a buoy.");
    await page.locator('pilot-house[data-status="idle"]').waitFor();
  });
}

scenario("the page itself finds its gateway and shows the session", async (stage) => {
  const page = await stage.page(await stage.serve([heldSentence()]));
  await page.locator('pilot-house[data-connection="open"]').waitFor();
  await answer(page, "look", "approve-once");
  await until(page, IDLE);
  await page.getByText("the blue one at a buoy.").waitFor();
  await page.getByText("How do the boats lie?").first().waitFor();
});

scenario("several sessions are told apart by the attribute `session`", async (stage) => {
  const first = new Script("first").user("From the first").turn().say("One").rest().events;
  const second = new Script("second").user("From the second").turn().say("Two").rest().events;
  const gateway = await stage.serve([first, second]);
  const page = await stage.embed(gateway, `session="second"`);
  await until(page, IDLE);
  assert.equal((await snapshot(page)).session.id, "second");
  assert.equal(await page.locator('[data-entry="user"] .prose').innerText(), "From the second");
});

scenario("a call of which only its start tells that a server runs it looks like one from then on", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`);
  const script = new Script().user("Ask the server").turn();
  const asked = { toolCallId: "late", name: "cap-fail", arguments: { x: 1 } };
  await push(page, script.add("assistant.message", { messageId: "m", content: "Calling.", toolRequests: [asked] }).take());
  const icon = (id) => page.locator(`[data-id="${id}"] summary svg`).innerHTML();
  const unknown = await icon("late");
  for (const toolCallId of ["late", "known"]) {
    const server = { mcpServerName: "cap", mcpToolName: "fail" };
    script.add("tool.execution_start", { toolCallId, toolName: "cap-fail", arguments: { x: 1 }, ...server });
  }
  await push(page, script.take());
  assert.notEqual(await icon("known"), unknown);
  assert.equal(await icon("late"), await icon("known"));
});
