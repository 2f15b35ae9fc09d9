// Tests steering a session from the page: the queue, stopping, modes, rewinding. The server is a stand-in
// that behaves like the runtime in recordings. Writing messages is tested in composer.test.mjs.

import assert from "node:assert/strict";

import { card, frames, nightly, reads, scenario, snapshot, until } from "../support/harness.mjs";
import { field, focused, note, queueUp, queued, composerPage, users, working } from "../support/composer-page.mjs";

scenario("while the agent works Enter queues and Ctrl+Enter steers, and that can be turned round", async (stage) => {
  const { page, runtime } = await working(stage);
  await page.getByText("Enter queues, Ctrl+Enter sends now").waitFor();
  await field(page).fill("later");
  await field(page).press("Enter");
  assert.deepEqual(await runtime.called("session.send", 2), { prompt: "later", mode: "enqueue" });
  await field(page).fill("at once");
  await field(page).press("Control+Enter");
  assert.deepEqual(await runtime.called("session.send", 3), { prompt: "at once", mode: "immediate" });
  await page.locator('[data-steering="waits"]', { hasText: "at once" }).waitFor();
  assert.deepEqual(await queued(page), ["later"]);

  await page.locator("[data-swap]").click();
  await page.getByText("Enter sends now, Ctrl+Enter queues").waitFor();
  await field(page).fill("swapped");
  await field(page).press("Enter");
  assert.equal((await runtime.called("session.send", 4)).mode, "immediate");
  runtime.steer();
  // Both must be gone; a locator would wait for one element.
  await page.waitForFunction(() => !document.querySelector("pilot-house").shadowRoot.querySelector("[data-steering]"));
  assert.deepEqual(await users(page), ["Hello", "Main task", "at once", "swapped"]);
  await page.reload();
  await page.getByText("Enter sends now, Ctrl+Enter queues").waitFor();
});

nightly("a steering message that the turn did not take up is not delivered, also after a reload, until a person decides", async (stage) => {
  const { page, runtime } = await working(stage);
  const steer = async (text) => {
    await field(page).fill(text);
    await field(page).press("Control+Enter");
    await page.locator('[data-steering="waits"]', { hasText: text }).waitFor();
  };
  await steer("First");
  await steer("Second");
  // The runtime loses one without a word, takes up the other, and rests.
  runtime.steering.shift();
  runtime.steer();
  runtime.rest();
  const lost = page.locator('[data-sent="undelivered"]');
  await lost.getByText("Not delivered").waitFor();
  assert.equal(await lost.count(), 1);
  await page.reload();
  await lost.getByText("First").waitFor();
  await field(page).fill("More");
  await lost.locator("[data-put-back]").click();
  await reads(page, "First\n\nMore");
  await page.locator("[data-sent]").waitFor({ state: "detached" });

  await field(page).fill("");
  runtime.on["session.send"] = () => ({ messageId: "late" });
  await field(page).fill("Late");
  await field(page).press("Enter");
  await page.locator('[data-sent="taken"]', { hasText: "Late" }).waitFor();
  runtime.work("Late", "late");
  await page.locator("[data-sent]").waitFor({ state: "detached" });
});

scenario("the queue is changed by keyboard alone, and is what the server says", async (stage) => {
  const { page, runtime } = await working(stage);
  await queueUp(page, "A", "B", "C");
  const act = (text, name) => page.locator("[data-item]", { hasText: text }).locator(`[data-act="${name}"]`);
  await act("C", "up").focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.querySelectorAll("[data-item]")[1].textContent.includes("C"));
  await runtime.called("session.queue.moveItem");
  await frames(page);
  assert.equal((await focused(page)).act, "up");
  await page.keyboard.press("Alt+ArrowUp");
  await runtime.called("session.queue.moveItem", 2);
  await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.querySelector("[data-item]").textContent.includes("C"));
  assert.deepEqual(runtime.of("session.queue.moveItem").map(({ toPosition }) => toPosition), [1, 0]);
  assert.deepEqual(runtime.items.map(({ displayText }) => displayText), ["C", "A", "B"]);

  await field(page).fill("my own draft");
  await act("A", "edit").click();
  await reads(page, "A");
  await field(page).fill("A, more");
  await field(page).press("Enter");
  await page.locator("[data-item]", { hasText: "A, more" }).waitFor();
  await reads(page, "my own draft");
  await runtime.called("session.queue.updateText");
  assert.equal(runtime.items[1].displayText, "A, more");
  await act("B", "edit").click();
  await page.getByText("Enter saves, Escape leaves the message as it is").waitFor();
  assert.equal(await page.locator("[data-swap]").count(), 0, "Enter neither queues nor sends now");
  assert.equal((await page.locator("[data-cancel]").innerText()).trim(), "Cancel");
  await field(page).press("Escape");
  await reads(page, "my own draft");

  await act("C", "remove").click();
  await page.locator("[data-dropped]", { hasText: "1 message was taken out" }).waitFor();
  await page.locator("[data-send-again]").click();
  await page.locator("[data-item]", { hasText: "C" }).waitFor();
  assert.deepEqual(runtime.items.map(({ displayText }) => displayText), ["A, more", "B", "C"]);

  await act("B", "now").click();
  await page.locator("[data-steering]", { hasText: "B" }).waitFor();
  await page.locator("[data-clear]").click();
  await page.locator("[data-item]").first().waitFor({ state: "detached" });
  await runtime.called("session.queue.clear");
  await page.locator("[data-emptied]", { hasText: "2 messages were taken out" }).waitFor();
  assert.equal(await page.locator("[data-dropped]").count(), 0, "one line, without a list");
  const sent = runtime.of("session.send").length;
  await page.locator("[data-undo]").click();
  await page.locator("[data-emptied]").waitFor({ state: "detached" });
  await page.locator("[data-item]", { hasText: "C" }).waitFor();
  assert.deepEqual(await queued(page), ["A, more", "C"], "in their order");
  assert.deepEqual(runtime.of("session.send").slice(sent).map(({ prompt, mode }) => [prompt, mode]), [["A, more", "enqueue"], ["C", "enqueue"]]);

  await page.locator("[data-clear]").click();
  await page.locator("[data-emptied]", { hasText: "2 messages were taken out" }).waitFor();
  await page.locator("[data-emptied]").getByRole("button", { name: "Dismiss" }).click();
  await page.locator("[data-emptied]").waitFor({ state: "detached" });
  await reads(page, "my own draft");
  assert.deepEqual(await queued(page), []);
});

scenario("a message that the runtime keeps in its queue while it rests is shown, and can be sent or put back", async (stage) => {
  const { page, runtime } = await composerPage(stage);
  // The real runtime does so if it is stopped as it takes a message up.
  const keep = (id, displayText) => runtime.items.push({ id, messageId: `message-${id}`, kind: "message", displayText, agentMode: "interactive" });
  keep("1", "left behind");
  keep("2", "and another");
  runtime.modified();
  const act = (text, name) => page.locator("[data-item]", { hasText: text }).locator(`[data-act="${name}"]`);
  await act("and another", "remove").click();
  await page.locator("[data-put-back]").click();
  await reads(page, "and another");
  await act("left behind", "now").click();
  await page.locator('pilot-house[data-status="running"]').waitFor();
  await page.locator("[data-item]").waitFor({ state: "detached" });
  assert.deepEqual(await users(page), ["Hello", "left behind"]);
});

scenario("an edit that the server refuses comes back, with words", async (stage) => {
  const { page, runtime } = await working(stage);
  await queueUp(page, "A", "B");
  runtime.on["session.queue.removeAt"] = () => {
    throw runtime.refusal(-32603, "the queue is locked");
  };
  await page.locator('[data-act="remove"]').first().click();
  await note(page).getByText("the queue is locked").waitFor();
  await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.querySelectorAll("[data-item]").length === 2);
  assert.deepEqual(await queued(page), ["A", "B"]);
  assert.equal(await page.locator("[data-dropped]").count(), 0, "nothing is gone");

  // The agent takes up the message while it is being edited; the user's text stays in the field.
  await page.locator('[data-act="edit"]').first().click();
  await field(page).fill("A, changed too late");
  runtime.rest();
  await note(page).getByText("The agent has the message already").waitFor();
  await reads(page, "A, changed too late");
});

scenario("an interrupted turn ends with a button that sends its message again, once", async (stage) => {
  const { page, runtime } = await working(stage);
  const again = page.locator("[data-retry]");
  assert.equal(await again.count(), 0, "while it runs");
  await page.getByRole("button", { name: "More ways to stop" }).click();
  await page.getByRole("menuitem", { name: "Abort" }).click();
  await page.locator('pilot-house[data-status="idle"]').waitFor();
  await again.waitFor();
  assert.ok(await page.locator("[data-entry]").last().locator("[data-retry]").count(), "at the end of the turn");
  let sent = runtime.of("session.send").length;
  runtime.on["session.send"] = () => new Promise(() => {});
  await again.evaluate((button) => {
    button.click();
    button.click();
  });
  await runtime.called("session.send", ++sent);
  await again.waitFor({ state: "detached" });
  assert.deepEqual(runtime.of("session.send").slice(1).map(({ prompt, mode }) => [prompt, mode]), [["Main task", undefined]], "before it has begun");

  runtime.work("Main task", "again");
  await page.locator('pilot-house[data-status="running"]').waitFor();
  await page.getByRole("button", { name: "More ways to stop" }).click();
  await page.getByRole("menuitem", { name: "Abort" }).click();
  await again.waitFor();
  assert.equal(await again.count(), 1, "only the last turn has it");
});

scenario("a message with attachments goes back into the field, and says what to attach again", async (stage) => {
  const { page, runtime } = await composerPage(stage, {
    prepare: (runtime) => runtime.script.add("user.message", { content: "Look at it", messageId: "look", attachments: [{ type: "file", path: "/w/pier.png", displayName: "pier.png" }] }).turn("1").add("abort", { reason: "user_initiated" }),
  });
  await page.locator("[data-retry]").click();
  await reads(page, "Look at it");
  await note(page).getByText("Attach again: pier.png").waitFor();
  assert.equal(runtime.of("session.send").length, 0);
});

scenario("what an abort dropped is offered, is sent again in its order, or goes back into the field", async (stage) => {
  const { page, runtime } = await working(stage);
  await queueUp(page, "A", "B", "C");
  await page.getByRole("button", { name: "More ways to stop" }).click();
  await page.getByRole("menuitem", { name: "Abort" }).click();
  assert.deepEqual(await runtime.called("session.abort"), { reason: "user_initiated" });
  await page.locator("[data-dropped]", { hasText: "3 messages were dropped" }).waitFor();
  assert.equal(await page.locator("[data-item]").count(), 0);
  await page.locator("[data-send-again]").click();
  await runtime.called("session.send", 7);
  assert.deepEqual(runtime.of("session.send").slice(4).map(({ prompt, mode }) => [prompt, mode]), [["A", "enqueue"], ["B", "enqueue"], ["C", "enqueue"]]);
  await page.locator("[data-dropped]").waitFor({ state: "detached" });
  await until(page, (view) => view.queue.items.length === 2 && view.session.status === "running");

  // With an image attached and a half-written message in the field.
  await page.locator("[data-composer] input[type=file]").setInputFiles({ name: "boat.png", mimeType: "image/png", buffer: Buffer.from("89504e47", "hex") });
  await page.locator(".composer-files img").waitFor();
  await field(page).fill("D");
  await field(page).press("Enter");
  await page.locator("[data-item]", { hasText: "D" }).waitFor();
  await field(page).fill("half a sen");
  await field(page).press("Control+.");
  await page.locator("[data-dropped]", { hasText: "3 messages were dropped" }).waitFor();
  const sent = runtime.of("session.send").length;
  await page.locator("[data-put-back]").click();
  await page.locator("[data-dropped]").waitFor({ state: "detached" });
  await reads(page, "B\n\nC\n\nD\n\nhalf a sen");
  assert.equal(await page.locator(".composer-files img").count(), 1);
  assert.equal(runtime.of("session.send").length, sent, "nothing runs by itself");
  await field(page).press("Enter");
  const again = await runtime.called("session.send", sent + 1);
  assert.equal(again.prompt, "B\n\nC\n\nD\n\nhalf a sen");
  assert.equal(again.attachments[0].displayName, "boat.png");
});

scenario("Ctrl+. stops the turn; Escape does not; the queue goes on where that is meant", async (stage) => {
  const { page, runtime } = await working(stage);
  await field(page).press("Escape");
  await field(page).press("Escape");
  await field(page).press("Control+.");
  assert.deepEqual(await runtime.called("session.interruptMainTurn"), {});
  await page.locator('pilot-house[data-status="idle"]').waitFor();
  assert.equal(await page.locator("[data-stop]").count(), 0);
  await field(page).fill("Again");
  await field(page).press("Enter");
  await page.locator("[data-stop]").waitFor();
  await queueUp(page, "Next");
  await page.getByRole("button", { name: "More ways to stop" }).press("Enter");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  assert.deepEqual(await runtime.called("session.interruptMainTurn", 2), { flushQueued: true });
  await until(page, (view) => view.timeline.some(({ text }) => text === "Next") && view.queue.items.length === 0);
  await frames(page);
  assert.equal(await page.locator("[data-dropped]").count(), 0, "it was not dropped: it was taken up");
  assert.deepEqual(runtime.of("session.abort"), []);
});

scenario("a refusal is told until the next action, or until what it speaks of is over", async (stage) => {
  const { page, runtime } = await working(stage);
  const stop = runtime.on["session.interruptMainTurn"];
  runtime.on["session.interruptMainTurn"] = () => {
    throw runtime.refusal(-32603, "it can't be stopped");
  };
  const refused = note(page).getByText("it can't be stopped");
  await field(page).press("Control+.");
  await refused.waitFor();
  await page.locator("[data-mode]").click();
  await page.getByRole("menuitemradio", { name: "Autopilot" }).click();
  await refused.waitFor({ state: "detached" });
  await field(page).press("Control+.");
  await refused.waitFor();
  runtime.rest();
  await page.locator('pilot-house[data-status="idle"]').waitFor();
  await refused.waitFor({ state: "detached" });
  runtime.on["session.interruptMainTurn"] = stop;
});

scenario("mode, model, effort and permissions are changed by menus, and shown when they are so", async (stage) => {
  const { page, runtime } = await composerPage(stage);
  const choose = async (menu, name) => {
    await page.locator(`[data-${menu}]`).click();
    await page.getByRole("menuitemradio", { name }).click();
  };
  await page.getByRole("button", { name: "Permissions: Asks first" }).waitFor();
  await choose("mode", "Autopilot");
  await page.getByRole("button", { name: "Mode: Autopilot" }).waitFor();
  assert.deepEqual(runtime.of("session.mode.set"), [{ mode: "autopilot" }]);
  await choose("model", "GPT-5");
  await page.getByRole("button", { name: "Model: GPT-5" }).waitFor();
  await choose("model", "high");
  await page.getByRole("button", { name: "Model: GPT-5 · high" }).waitFor();
  assert.deepEqual(runtime.of("session.model.switchTo"), [{ modelId: "gpt-5" }]);
  assert.deepEqual(runtime.of("session.model.setReasoningEffort"), [{ reasoningEffort: "high" }]);

  await choose("permissions", "Allows everything");
  assert.deepEqual(runtime.of("session.permissions.setMode"), [], "not on one press");
  await page.getByRole("dialog", { name: "Allow everything?" }).getByRole("button", { name: "Cancel" }).click();
  await choose("permissions", "Allows everything");
  await page.getByRole("dialog").getByRole("button", { name: "Allow everything" }).click();
  await page.locator("[data-standing]").waitFor();
  await page.locator("[data-standing]").getByRole("button", { name: "Ask again" }).click();
  await page.locator("[data-standing]").waitFor({ state: "detached" });
  assert.deepEqual(runtime.of("session.permissions.setMode"), [{ mode: "allow-all" }, { mode: "manual" }]);

  runtime.on["session.mode.set"] = () => {
    throw runtime.refusal(-32601, "Unhandled method session.mode.set");
  };
  await choose("mode", "Plan");
  await note(page).getByText("This server can't do that").waitFor();
  await page.locator("[data-mode]").waitFor({ state: "hidden" });
});

scenario("the session is renamed and compacted", async (stage) => {
  const { page, runtime } = await composerPage(stage);
  await page.locator("[data-more]").click();
  await page.getByRole("menuitem", { name: /Rename/ }).click();
  const dialog = page.getByRole("dialog", { name: "Rename the session" });
  await dialog.getByLabel("Name").fill("Boats and piers");
  await dialog.getByLabel("Name").press("Enter");
  assert.deepEqual(await runtime.called("session.name.set"), { name: "Boats and piers" });
  await page.locator(".session-title", { hasText: "Boats and piers" }).waitFor();
  await page.locator("[data-more]").press("Enter");
  await page.keyboard.press("Enter");
  assert.deepEqual(await runtime.called("session.history.compact"), {});
  await note(page).getByText("Compacted: 2.9 k tokens less").waitFor();
});

scenario("rewinding says what is lost, wants a second press, and gives the message back", async (stage) => {
  const { page, runtime } = await composerPage(stage, {
    prepare: (runtime) => {
      const [{ timestamp, id }] = runtime.script.events.filter(({ type }) => type === "user.message");
      runtime.on["session.history.listRewindPoints"] = () => ({ fileChangeTrackingEnabled: true, points: [{ eventId: id, userMessage: "Hello", timestamp, canRestoreFiles: true, fileCount: 1, turnChangedFiles: true, linesAdded: 1, linesRemoved: 0, isAutopilotContinuation: false }] });
      runtime.on["session.history.previewRewind"] = () => ({ available: true, fileCount: 1, files: [{ path: "/workspace/boats/pier.rs", changeType: "modified", linesAdded: 1, linesRemoved: 0 }] });
      runtime.on["session.history.rewind"] = () => ({ outcome: "success", restoredFiles: [], skippedFiles: [], eventsRemoved: 3 });
    },
  });
  const open = async () => {
    await page.locator('[data-entry="user"]').first().hover();
    await page.getByRole("button", { name: "Rewind to before this message" }).click();
  };
  await field(page).fill("a draft");
  await open();
  const dialog = page.getByRole("dialog", { name: "Rewind the session" });
  await dialog.getByText("This message and 1 entry after it").waitFor();
  await dialog.getByText("pier.rs").waitFor();
  await dialog.getByLabel("The conversation and 1 file").check();
  await dialog.getByRole("button", { name: "Rewind", exact: true }).click();
  await frames(page);
  assert.deepEqual(runtime.of("session.history.rewind"), []);
  await dialog.getByRole("button", { name: "Rewind for good" }).click();
  assert.deepEqual(await runtime.called("session.history.rewind"), { eventId: "steered-1", mode: "conversation-and-files" });
  await note(page).getByText("Rewound").waitFor();
  await reads(page, "Hello\n\na draft");

  runtime.on["session.history.listRewindPoints"] = () => ({ fileChangeTrackingEnabled: true, unavailableReason: "session-busy", points: [] });
  await open();
  await dialog.getByText("The session is at work").waitFor();
});

scenario("Enter in the composer never reaches a request, and the composer says so", async (stage) => {
  const { page, runtime } = await working(stage);
  runtime.script.ask("look", "ls");
  runtime.tell();
  await card(page, "look").waitFor();
  await page.getByText("A request waits for your answer").waitFor();
  await field(page).focus();
  for (const key of ["Enter", "Enter", "y", "Backspace", "Enter", "Control+Enter"]) await field(page).press(key);
  await field(page).fill("and this");
  await field(page).press("Enter");
  assert.equal((await runtime.called("session.send", 2)).mode, "enqueue");
  assert.deepEqual(runtime.of("session.permissions.handlePendingPermissionRequest"), []);
  assert.equal((await snapshot(page)).session.status, "waiting");
});

scenario("a menu stays open while text streams, and its item keeps the focus", async (stage) => {
  const { page, runtime } = await working(stage);
  runtime.script.begin("streams", "One ");
  runtime.tell();
  const focused = () => page.evaluate(() => document.querySelector("pilot-house").shadowRoot.activeElement?.textContent);
  const stop = page.getByRole("button", { name: "More ways to stop" });
  const menus = [["mode", "menuitemradio"], ["model", "menuitemradio"], ["permissions", "menuitemradio"], ["stop", "menuitem"]];
  for (const [opener, role] of menus) {
    await (opener === "stop" ? stop : page.locator(`[data-${opener}]`)).click();
    await page.getByRole(role).first().waitFor();
    await page.keyboard.press("ArrowDown");
    const before = await focused();
    for (let piece = 0; piece < 20; piece += 1) {
      runtime.script.more("streams", `${opener} ${piece} `);
      runtime.tell();
      await frames(page);
    }
    await page.getByText(`${opener} 19`).waitFor();
    assert.ok(await page.getByRole(role).count() > 1, `${opener} is open`);
    assert.equal(await focused(), before);
    await page.keyboard.press("Escape");
    await page.getByRole(role).first().waitFor({ state: "detached" });
  }
});
