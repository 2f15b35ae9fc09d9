// Owns that a session is steered from the page: messages, the queue, stopping, modes, and what becomes of them when
// something goes wrong. The server is a stand-in that behaves as the recordings of the runtime do.

import assert from "node:assert/strict";

import { card, data, frames, scenario, snapshot, until, violations } from "./harness.mjs";
import { Runtime } from "./stand-in.mjs";

const LINE = "A line of the conversation, long enough to be read.";
/** A whole PNG of one pixel. */
const PIXEL = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

/** A page on a session that has said something and rests; `prepare` changes the server before the page comes. */
async function steered(stage, { prepare, attributes = "", ...options } = {}) {
  const runtime = new Runtime();
  runtime.script.user("Hello", "first").turn().say("Hello to you").add("assistant.turn_end", { turnId: "0" }).add("session.idle", { mode: "interactive" }, { ephemeral: true });
  prepare?.(runtime);
  runtime.tell();
  const address = await runtime.listen(stage);
  const page = await stage.embed(await stage.serve(), `src="${address}" ${attributes}`, { whole: false, ...options });
  if (!attributes.includes("readonly")) await field(page).waitFor();
  return { page, runtime };
}

const field = (page) => page.locator("[data-compose]");
const written = (page) => field(page).inputValue();
const users = async (page) => (await snapshot(page)).timeline.filter(({ kind }) => kind === "user").map(({ text }) => text);
const queued = (page) => page.locator("[data-item] > p").allTextContents();
const note = (page) => page.locator(".steer-note");
const focused = (page) => page.evaluate(() => {
  const on = document.querySelector("pilot-house").shadowRoot.activeElement;
  return on && { ...on.dataset, name: on.getAttribute("aria-label"), tag: on.localName };
});

/** A page on a session that works. */
async function working(stage, options) {
  const both = await steered(stage, options);
  await field(both.page).fill("Main task");
  await field(both.page).press("Enter");
  await both.page.locator('pilot-house[data-status="running"]').waitFor();
  return both;
}

async function queueUp(page, ...texts) {
  for (const text of texts) {
    await field(page).fill(text);
    await field(page).press("Enter");
  }
  await page.waitForFunction((count) => {
    const root = document.querySelector("pilot-house").shadowRoot;
    return root.querySelectorAll("[data-item]").length === count && !root.querySelector("[data-sent]");
  }, texts.length);
}

scenario("a message goes by Enter, is shown on its way, and is there once", async (stage) => {
  const { page, runtime } = await steered(stage);
  let answer;
  runtime.on["session.send"] = () => Runtime.NEVER;
  await field(page).fill("Fix the test\nand the docs");
  await field(page).press("Shift+Enter");
  assert.equal(await written(page), "Fix the test\nand the docs\n");
  await field(page).press("Backspace");
  await field(page).press("Enter");
  assert.deepEqual(await runtime.called("session.send"), { prompt: "Fix the test\nand the docs" });
  await page.locator('[data-sent="sending"]').waitFor();
  assert.equal(await written(page), "");
  assert.equal(answer, undefined);

  delete runtime.on["session.send"];
  await field(page).fill("Then this");
  await field(page).press("Enter");
  await until(page, (view) => view.timeline.some(({ text }) => text === "Then this"));
  await page.getByText("Then this").waitFor();
  await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.querySelectorAll("[data-sent]").length === 1);
  assert.deepEqual(await users(page), ["Hello", "Then this"]);
});

scenario("an empty message, and Enter while an input method composes, send nothing", async (stage) => {
  const { page, runtime } = await steered(stage);
  await field(page).fill("  \n ");
  await field(page).press("Enter");
  await field(page).fill("にほんご");
  await field(page).evaluate((area) => {
    const press = (more) => area.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, composed: true, cancelable: true, ...more }));
    press({ isComposing: true });
    press({ keyCode: 229 });
  });
  await frames(page);
  assert.equal(await written(page), "にほんご");
  await field(page).press("Enter");
  await runtime.called("session.send");
  assert.deepEqual(runtime.of("session.send"), [{ prompt: "にほんご" }]);
});

scenario("a draft and what was sent before outlive the page, each in its session", async (stage) => {
  const { page, runtime } = await steered(stage);
  for (const text of ["one", "two"]) {
    await field(page).fill(text);
    await field(page).press("Enter");
    await until(page, (view, text) => view.timeline.some((entry) => entry.text === text), text);
    runtime.rest();
    await until(page, (view) => view.session.status === "idle");
  }
  await field(page).fill("unfinished");
  await page.reload();
  await field(page).waitFor();
  assert.equal(await written(page), "unfinished");
  await field(page).press("Home");
  await field(page).press("ArrowUp");
  assert.equal(await written(page), "two");
  await field(page).press("ArrowUp");
  assert.equal(await written(page), "one");
  await field(page).press("ArrowUp");
  assert.equal(await written(page), "one");
  await field(page).press("ArrowDown");
  await field(page).press("ArrowDown");
  assert.equal(await written(page), "unfinished");
  await field(page).press("End");
  await field(page).press("ArrowUp");
  assert.equal(await written(page), "unfinished", "elsewhere the key moves the cursor");
});

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
  await page.locator("[data-steering]").waitFor({ state: "detached" });
  assert.deepEqual(await users(page), ["Hello", "Main task", "at once", "swapped"]);
  await page.reload();
  await page.getByText("Enter sends now, Ctrl+Enter queues").waitFor();
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
  assert.equal(await written(page), "A");
  await field(page).fill("A, more");
  await field(page).press("Enter");
  await page.locator("[data-item]", { hasText: "A, more" }).waitFor();
  assert.equal(await written(page), "my own draft");
  assert.equal(runtime.items[1].displayText, "A, more");
  await act("B", "edit").click();
  await field(page).press("Escape");
  assert.equal(await written(page), "my own draft");

  await act("C", "remove").click();
  await page.locator("[data-dropped]", { hasText: "1 message was taken out" }).waitFor();
  await page.locator("[data-put-back]").click();
  await page.locator("[data-item]", { hasText: "C" }).waitFor();
  assert.deepEqual(runtime.items.map(({ displayText }) => displayText), ["A, more", "B", "C"]);

  await act("B", "now").click();
  await page.locator("[data-steering]", { hasText: "B" }).waitFor();
  await page.locator("[data-clear]").click();
  await page.locator("[data-item]").first().waitFor({ state: "detached" });
  await runtime.called("session.queue.clear");
  await page.locator("[data-put-back]").click();
  await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.querySelectorAll("[data-item]").length === 2);
  assert.deepEqual(await queued(page), ["A, more", "C"]);
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

  // The message that is being changed is taken up meanwhile: what was written stays.
  await page.locator('[data-act="edit"]').first().click();
  await field(page).fill("A, changed too late");
  runtime.rest();
  await note(page).getByText("has gone to the agent").waitFor();
  assert.equal(await written(page), "A, changed too late");
});

scenario("what an abort dropped is offered, and goes back in its order", async (stage) => {
  const { page, runtime } = await working(stage);
  await queueUp(page, "A", "B", "C");
  await page.getByRole("button", { name: "More ways to stop" }).click();
  await page.getByRole("menuitem", { name: "Abort" }).click();
  assert.deepEqual(await runtime.called("session.abort"), { reason: "user_initiated" });
  await page.locator("[data-dropped]", { hasText: "3 messages were dropped" }).waitFor();
  assert.equal(await page.locator("[data-item]").count(), 0);
  await page.locator("[data-put-back]").click();
  await runtime.called("session.send", 7);
  assert.deepEqual(runtime.of("session.send").slice(4).map(({ prompt, mode }) => [prompt, mode]), [["A", "enqueue"], ["B", "enqueue"], ["C", "enqueue"]]);
  await page.locator("[data-dropped]").waitFor({ state: "detached" });
  await until(page, (view) => view.queue.items.length === 2 && view.session.status === "running");
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

scenario("a message that may have arrived is not sent again, and is settled when it is seen", async (stage) => {
  const { page, runtime } = await steered(stage);
  runtime.on["session.send"] = () => Runtime.NEVER;
  await field(page).fill("Once only");
  await field(page).press("Enter");
  await runtime.called("session.send");
  runtime.cut();
  await page.locator('[data-sent="unsure"]', { hasText: "May have arrived" }).waitFor();
  assert.equal(await written(page), "Once only");
  await page.locator('pilot-house[data-connection="open"]').waitFor();
  await frames(page);
  assert.equal(runtime.of("session.send").length, 1);
  runtime.work("Once only", "somewhere");
  await page.locator("[data-sent]").waitFor({ state: "detached" });
  await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.querySelector("[data-compose]").value === "");
  await note(page).getByText("It had arrived after all").waitFor();
  assert.equal(runtime.of("session.send").length, 1);
  assert.deepEqual(await users(page), ["Hello", "Once only"]);
}, { expected: [/WebSocket/] });

scenario("a message that was refused is in the field again, with the reason", async (stage) => {
  const { page, runtime } = await steered(stage);
  runtime.on["session.send"] = () => {
    throw runtime.refusal(-32603, "too many requests");
  };
  await field(page).fill("Hear me");
  await field(page).press("Enter");
  await page.locator('[data-sent="failed"]', { hasText: "too many requests" }).waitFor();
  assert.equal(await written(page), "Hear me");
  delete runtime.on["session.send"];
  await field(page).press("Enter");
  await until(page, (view) => view.timeline.some(({ text }) => text === "Hear me"));
});

scenario("slash commands are completed, run, queued, or said to be none", async (stage) => {
  const { page, runtime } = await steered(stage);
  await field(page).pressSequentially("/zzz");
  assert.equal(await page.getByRole("option").count(), 0);
  await field(page).fill("");
  await field(page).pressSequentially("/con");
  await page.getByRole("option", { name: /context/ }).waitFor();
  await field(page).press("Tab");
  assert.equal(await written(page), "/context");
  await field(page).press("Enter");
  assert.deepEqual(await runtime.called("session.commands.invoke"), { name: "context", input: "" });
  await note(page).getByText("10k/136k tokens (7%)").waitFor();
  assert.ok(!(await note(page).textContent()).includes("\u001b"));

  await field(page).pressSequentially("/allow-all o");
  assert.deepEqual(await page.getByRole("option").allTextContents(), ["onAuto-approve all permission requests", "offRequire approval for each request"]);
  await field(page).press("ArrowDown");
  await field(page).press("Enter");
  assert.equal(await written(page), "/allow-all off");

  await field(page).fill("/plan build a pier");
  await field(page).press("Enter");
  assert.deepEqual(await runtime.called("session.send"), { prompt: "[[PLAN]] My request: build a pier", displayPrompt: "build a pier", agentMode: "plan" });
  assert.deepEqual(runtime.of("session.mode.set"), [{ mode: "plan" }]);
  await page.locator('pilot-house[data-status="running"]').waitFor();

  await field(page).fill("/compact keep names");
  await page.getByText("Runs when the turn is over").waitFor();
  await field(page).press("Enter");
  assert.deepEqual(await runtime.called("session.commands.enqueue"), { command: "/compact keep names" });
  await page.locator("[data-item]", { hasText: "/compact keep names" }).waitFor();
  assert.equal(await page.locator('[data-act="edit"]').count(), 0, "a command is no text");
  runtime.items = [];
  runtime.modified().rest();
  await page.locator('pilot-house[data-status="idle"]').waitFor();

  await field(page).fill("/deploy bad");
  await field(page).press("Enter");
  assert.deepEqual(await runtime.called("session.commands.execute"), { commandName: "deploy", args: "bad" });
  await note(page).getByText("deploy failed").waitFor();

  await field(page).fill("/etc/hosts is wrong");
  await field(page).press("Enter");
  assert.equal((await runtime.called("session.send", 2)).prompt, "/etc/hosts is wrong");
  await field(page).fill("/nothing such");
  await page.getByText("There is no command /nothing").waitFor();
});

scenario("a mention is completed by the server, or from the session's own files", async (stage) => {
  const files = (runtime) => runtime.script.add("tool.execution_start", { toolCallId: "seen", toolName: "view", arguments: { path: "/workspace/boats/src/pier.rs" } }).complete("seen", "x");
  const { page, runtime } = await steered(stage, { prepare: files });
  await field(page).pressSequentially("Look at @pi");
  await page.getByRole("option", { name: "src/pier.rs" }).waitFor();
  await field(page).press("Enter");
  assert.equal(await written(page), "Look at @src/pier.rs ");
  assert.deepEqual(runtime.of("session.completions.request"), []);

  const other = await steered(stage, {
    prepare: (runtime) => {
      runtime.on["session.completions.getTriggerCharacters"] = () => ({ triggerCharacters: ["@", "#"] });
      runtime.on["session.completions.request"] = ({ text, offset }) => ({ items: [{ insertText: "#12 ", label: "Pier is wet", rangeStart: text.lastIndexOf("#", offset), rangeEnd: offset }] });
    },
  });
  await other.runtime.called("session.completions.getTriggerCharacters");
  await frames(other.page);
  await field(other.page).pressSequentially("Fix #1");
  await other.page.getByRole("option", { name: "Pier is wet" }).waitFor();
  await field(other.page).press("Tab");
  assert.equal(await written(other.page), "Fix #12 ");
});

scenario("images go along, texts become part of the message, what is not taken says why", async (stage) => {
  const { page, runtime } = await steered(stage);
  await runtime.called("session.model.list");
  await frames(page);
  const pick = page.locator('.steer-pick input[type="file"]');
  const file = (name, mimeType, buffer = PIXEL) => ({ name, mimeType, buffer });
  await pick.setInputFiles([file("pier.png", "image/png"), file("large.png", "image/png", Buffer.alloc(5000, 1)), file("film.mp4", "video/mp4"), file("photo.webp", "image/webp")]);
  await page.locator(".steer-files li", { hasText: "pier.png" }).waitFor();
  await note(page).getByText("large.png is larger than").waitFor();
  const said = await note(page).textContent();
  assert.match(said, /film\.mp4 was left out/);
  assert.match(said, /photo\.webp was left out: the model does not read image\/webp/);
  await pick.setInputFiles([file("notes.txt", "text/plain", Buffer.from("two\nlines"))]);
  await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.querySelector("[data-compose]").value.includes("two\nlines\n```"));
  await page.getByRole("button", { name: "Send", exact: true }).click();
  const { prompt, attachments } = await runtime.called("session.send");
  assert.equal(prompt, "notes.txt\n```\ntwo\nlines\n```\n");
  assert.deepEqual(attachments, [{ type: "blob", mimeType: "image/png", displayName: "pier.png", data: PIXEL.toString("base64") }]);
  await page.locator(".steer-files").waitFor({ state: "detached" });

  // Pasted, and dropped on the field: there it is no recording.
  await field(page).evaluate((area, bytes) => {
    const carried = new DataTransfer();
    carried.items.add(new File([new Uint8Array(bytes)], "drop.png", { type: "image/png" }));
    area.dispatchEvent(new DragEvent("drop", { dataTransfer: carried, bubbles: true, composed: true, cancelable: true }));
    area.dispatchEvent(new ClipboardEvent("paste", { clipboardData: carried, bubbles: true, cancelable: true }));
  }, [...PIXEL]);
  await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.querySelectorAll(".steer-files li").length === 2);
  await page.getByRole("button", { name: "Remove drop.png" }).first().click();
  assert.equal(await page.locator(".steer-files li").count(), 1);
});

scenario("mode, model, effort and permissions are changed by menus, and shown when they are so", async (stage) => {
  const { page, runtime } = await steered(stage);
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
  const { page, runtime } = await steered(stage);
  await page.locator("[data-more]").click();
  await page.getByRole("menuitem", { name: /Rename/ }).click();
  const dialog = page.getByRole("dialog", { name: "Rename the session" });
  await dialog.getByLabel("Name").fill("Boats and piers");
  await dialog.getByLabel("Name").press("Enter");
  assert.deepEqual(await runtime.called("session.name.set"), { name: "Boats and piers" });
  await page.locator(".intent", { hasText: "Boats and piers" }).waitFor();
  await page.locator("[data-more]").press("Enter");
  await page.keyboard.press("Enter");
  assert.deepEqual(await runtime.called("session.history.compact"), {});
  await note(page).getByText("Compacted: 2.9 k tokens less").waitFor();
});

scenario("rewinding says what is lost, wants a second press, and gives the message back", async (stage) => {
  const { page, runtime } = await steered(stage, {
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
  assert.equal(await written(page), "Hello");

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

scenario("there is no composer where nobody takes messages", async (stage) => {
  const recording = await stage.page(await stage.serve([data("permissions")]));
  await card(recording).first().waitFor();
  await frames(recording);
  assert.ok(!(await field(recording).isVisible()), "a recording");
  const { page } = await steered(stage, { attributes: "readonly" });
  await page.getByText("Hello to you").waitFor();
  await frames(page);
  assert.equal(await field(page).count(), 0, "readonly");
  await page.evaluate(() => document.querySelector("pilot-house").removeAttribute("readonly"));
  await field(page).waitFor();

  const bare = (runtime) => {
    runtime.on["session.commands.list"] = () => {
      throw runtime.refusal(-32601, "Unhandled method session.commands.list");
    };
  };
  const other = await steered(stage, { prepare: bare });
  await field(other.page).waitFor();
  await other.page.keyboard.press("Escape");
  await other.page.locator("[data-scroller]").focus();
  await other.page.keyboard.press("w");
  assert.equal((await focused(other.page)).compose, "");
  await field(other.page).press("a");
  await other.page.locator("pilot-house").evaluate((house) => house.setAttribute("transport", "none"));
  await field(other.page).waitFor({ state: "detached" });
});

scenario("the timeline stays at its end while the composer grows, at any width", async (stage) => {
  const long = (runtime) => {
    for (let n = 0; n < 30; n += 1) runtime.script.user(`${LINE} ${n}`).turn().say(`${LINE}\n\n${LINE}`);
    runtime.script.add("session.idle", { mode: "interactive" }, { ephemeral: true });
  };
  for (const width of [380, 1400]) {
    const { page } = await steered(stage, { prepare: long, width });
    await field(page).waitFor();
    const atEnd = () => page.waitForFunction(() => {
      const root = document.querySelector("pilot-house").shadowRoot;
      const { scrollTop, clientHeight, scrollHeight } = root.querySelector("[data-scroller]");
      return scrollHeight - clientHeight - scrollTop < 3;
    });
    await atEnd();
    await field(page).fill(Array(40).fill("line").join("\n"));
    await atEnd();
    const box = await page.locator("[data-composer]").boundingBox();
    const { width: all, height } = page.viewportSize();
    assert.ok(box.y + box.height <= height + 1 && box.height < height / 2, `${width}: ${JSON.stringify(box)}`);
    assert.ok(box.x >= 0 && box.x + box.width <= all + 1);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(overflow, 0);
  }
});

for (const scheme of ["light", "dark"]) {
  scenario(`axe finds nothing to say about the composer, ${scheme}`, async (stage) => {
    for (const width of [380, 1200]) {
      const { page, runtime } = await working(stage, { scheme, width });
      await queueUp(page, "A message that waits", "Another");
      assert.deepEqual(await violations(page), [], "with a queue");
      await field(page).pressSequentially("/co");
      await page.getByRole("option").first().waitFor();
      assert.deepEqual(await violations(page), [], "with proposals");
      await field(page).fill("");
      await page.locator("[data-model]").click();
      await page.getByRole("menuitemradio").first().waitFor();
      assert.deepEqual(await violations(page), [], "with a menu");
      await page.keyboard.press("Escape");
      assert.equal((await focused(page)).model, "");
      runtime.script.add("session.permissions_changed", { previousMode: "manual", mode: "allow-all" });
      runtime.tell();
      await page.locator("[data-standing]").waitFor();
      await page.getByRole("button", { name: "More ways to stop" }).click();
      await page.getByRole("menuitem", { name: "Abort" }).click();
      await page.locator("[data-dropped]").waitFor();
      assert.deepEqual(await violations(page), [], "with warnings");
    }
  });
}
