// Tests the composer: writing and sending messages, errors, its layout at every width, accessibility. The
// queue is tested in steering.test.mjs.

import assert from "node:assert/strict";

import { BROKEN, NIGHTLY, card, data, frames, inBothSchemes, reads, scenario, until, violations } from "../support/harness.mjs";
import { Runtime } from "../support/stand-in.mjs";
import { field, focused, note, queueUp, composerPage, users, working } from "../support/composer-page.mjs";

const LINE = "A line of the conversation, long enough to be read.";
/** A complete PNG of one pixel. */
const PIXEL = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

scenario("a message goes by Enter, is shown on its way, and is there once", async (stage) => {
  const { page, runtime } = await composerPage(stage);
  runtime.on["session.send"] = () => Runtime.NEVER;
  await field(page).fill("Fix the test\nand the docs");
  await field(page).press("Shift+Enter");
  await reads(page, "Fix the test\nand the docs\n");
  await field(page).press("Backspace");
  await field(page).press("Enter");
  assert.deepEqual(await runtime.called("session.send"), { prompt: "Fix the test\nand the docs" });
  await page.locator('[data-sent="sending"]').waitFor();
  await reads(page, "");

  delete runtime.on["session.send"];
  await field(page).fill("Then this");
  await field(page).press("Enter");
  await until(page, (view) => view.timeline.some(({ text }) => text === "Then this"));
  await page.getByText("Then this").waitFor();
  await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.querySelectorAll("[data-sent]").length === 1);
  assert.deepEqual(await users(page), ["Hello", "Then this"]);
});

scenario("an empty message, and Enter while an input method composes, send nothing", async (stage) => {
  const { page, runtime } = await composerPage(stage);
  await field(page).fill("  \n ");
  await field(page).press("Enter");
  await field(page).fill("にほんご");
  await field(page).evaluate((area) => {
    const press = (more) => area.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, composed: true, cancelable: true, ...more }));
    press({ isComposing: true });
    press({ keyCode: 229 });
  });
  await frames(page);
  await reads(page, "にほんご");
  await field(page).press("Enter");
  await runtime.called("session.send");
  assert.deepEqual(runtime.of("session.send"), [{ prompt: "にほんご" }]);
});

scenario("a draft and what was sent before outlive the page, each in its session", async (stage) => {
  const { page, runtime } = await composerPage(stage);
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
  await reads(page, "unfinished");
  await field(page).press("Home");
  await field(page).press("ArrowUp");
  await reads(page, "two");
  await field(page).press("ArrowUp");
  await reads(page, "one");
  await field(page).press("ArrowUp");
  await reads(page, "one");
  await field(page).press("ArrowDown");
  await field(page).press("ArrowDown");
  await reads(page, "unfinished");
  await field(page).press("End");
  await field(page).press("ArrowUp");
  await reads(page, "unfinished", "elsewhere the key moves the cursor");
});

scenario("a message that may have arrived is not sent again, and is settled when it is seen", async (stage) => {
  const { page, runtime } = await composerPage(stage);
  runtime.on["session.send"] = () => Runtime.NEVER;
  await field(page).fill("Once only");
  await field(page).press("Enter");
  await runtime.called("session.send");
  runtime.cut();
  await page.locator('[data-sent="unsure"]', { hasText: "May have arrived" }).waitFor();
  await reads(page, "Once only");
  await page.locator('pilot-house[data-connection="open"]').waitFor();
  await frames(page);
  assert.equal(runtime.of("session.send").length, 1);
  runtime.work("Once only", "somewhere");
  await page.locator("[data-sent]").waitFor({ state: "detached" });
  await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.querySelector("[data-compose]").value === "");
  await note(page).getByText("It had arrived after all").waitFor();
  assert.equal(runtime.of("session.send").length, 1);
  assert.deepEqual(await users(page), ["Hello", "Once only"]);
}, { expected: BROKEN });

scenario("a message that was refused is in the field again, with the reason", async (stage) => {
  const { page, runtime } = await composerPage(stage);
  runtime.on["session.send"] = () => {
    throw runtime.refusal(-32603, "too many requests");
  };
  await field(page).fill("Hear me");
  await field(page).press("Enter");
  await page.locator('[data-sent="failed"]', { hasText: "too many requests" }).waitFor();
  await reads(page, "Hear me");
  delete runtime.on["session.send"];
  await field(page).press("Enter");
  await until(page, (view) => view.timeline.some(({ text }) => text === "Hear me"));
});

scenario("slash commands are completed, run, queued, or said to be none", async (stage) => {
  const { page, runtime } = await composerPage(stage);
  await field(page).pressSequentially("/zzz");
  assert.equal(await page.getByRole("option").count(), 0);
  await field(page).fill("");
  await field(page).pressSequentially("/con");
  await page.getByRole("option", { name: /context/ }).waitFor();
  await field(page).press("Tab");
  await reads(page, "/context");
  await field(page).press("Enter");
  assert.deepEqual(await runtime.called("session.commands.invoke"), { name: "context", input: "" });
  await note(page).getByText("10k/136k tokens (7%)").waitFor();
  assert.ok(!(await note(page).textContent()).includes("\u001b"));

  await field(page).pressSequentially("/allow-all o");
  assert.deepEqual(await page.getByRole("option").allTextContents(), ["onAuto-approve all permission requests", "offRequire approval for each request"]);
  await field(page).press("ArrowDown");
  await field(page).press("Enter");
  await reads(page, "/allow-all off");

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
});

scenario("what begins as a command that nobody knows is sent as text only by a second Enter", async (stage) => {
  const { page, runtime } = await composerPage(stage);
  await runtime.called("session.commands.list");
  await frames(page);
  await field(page).fill("/nothing such");
  await page.getByText("There is no command /nothing: it would go").waitFor();
  await field(page).press("Enter");
  await page.locator("[data-doubt]", { hasText: "There is no command /nothing. Send once more" }).waitFor();
  await field(page).press("End");
  await field(page).pressSequentially("!");
  await page.locator("[data-doubt]").waitFor({ state: "detached" });
  await field(page).press("Enter");
  await page.locator("[data-doubt]").waitFor();
  assert.deepEqual(runtime.of("session.send"), [], "nobody has decided yet");
  await field(page).press("Enter");
  assert.deepEqual(await runtime.called("session.send"), { prompt: "/nothing such!" });
  await page.locator("[data-doubt]").waitFor({ state: "detached" });
});

scenario("commands that a session has only once its agent runs are proposed without a reload", async (stage) => {
  const none = (runtime) => (runtime.on["session.commands.list"] = () => ({ commands: [] }));
  const { page, runtime } = await composerPage(stage, { prepare: none });
  await runtime.called("session.commands.list");
  runtime.on["session.commands.list"] = () => ({ commands: [{ name: "sand", description: "Sands the hull" }] });
  runtime.script.add("commands.changed", { commands: [{ name: "sand" }] }, { ephemeral: true });
  runtime.tell();
  await runtime.called("session.commands.list", 2);
  await field(page).fill("/sa");
  await page.getByText("Sands the hull").waitFor();
});

scenario("the field promises what the server can propose", async (stage) => {
  const { page } = await composerPage(stage);
  await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.querySelector("[data-compose]").placeholder.includes("/"));
  assert.equal(await field(page).getAttribute("placeholder"), "Message the agent. / for commands");
  const able = (runtime) => (runtime.on["session.completions.getTriggerCharacters"] = () => ({ triggerCharacters: ["@"] }));
  const other = await composerPage(stage, { prepare: able });
  await other.page.getByPlaceholder("Message the agent. / for commands, @ for files").waitFor();
});

scenario("what a command returns for the timeline stands there, looks like its type, and is no note", async (stage) => {
  const { page, runtime } = await composerPage(stage);
  const looks = {
    info: '[data-entry="notice"][data-level="info"]',
    warning: '[data-entry="notice"][data-level="warning"]',
    error: '[data-entry="notice"][data-level="error"]',
    copilot: '[data-entry="assistant"]',
    banner: '[data-entry="notice"][data-level="info"]',
  };
  for (const [type, place] of Object.entries(looks)) {
    const entry = { type, text: `The ${type} of a command` };
    runtime.on["session.commands.invoke"] = () => ({ kind: "add-timeline-entry", entry, prefillInput: `/next after ${type}` });
    await field(page).fill("/context");
    await field(page).press("Enter");
    await page.locator(place, { hasText: entry.text }).waitFor();
    await page.waitForFunction((text) => document.querySelector("pilot-house").shadowRoot.querySelector("[data-compose]").value === text, `/next after ${type}`);
    assert.equal(await page.getByText(entry.text).count(), 1, "once, in the timeline");
    assert.equal(await note(page).count(), 0);
  }
});

scenario("a mention is completed by the server, or from the session's own files", async (stage) => {
  const files = (runtime) => runtime.script.add("tool.execution_start", { toolCallId: "seen", toolName: "view", arguments: { path: "/workspace/boats/src/pier.rs" } }).complete("seen", "x");
  const { page, runtime } = await composerPage(stage, { prepare: files });
  await field(page).pressSequentially("Look at @pi");
  await page.getByRole("option", { name: "src/pier.rs" }).waitFor();
  await field(page).press("Enter");
  await reads(page, "Look at @src/pier.rs ");
  assert.deepEqual(runtime.of("session.completions.request"), []);

  const other = await composerPage(stage, {
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
  await reads(other.page, "Fix #12 ");
});

scenario("images go along, texts become part of the message, what is not taken says why", async (stage) => {
  const { page, runtime } = await composerPage(stage);
  await runtime.called("session.model.list");
  await frames(page);
  const pick = page.locator('.composer-pick input[type="file"]');
  const file = (name, mimeType, buffer = PIXEL) => ({ name, mimeType, buffer });
  await pick.setInputFiles([file("pier.png", "image/png"), file("large.png", "image/png", Buffer.alloc(5000, 1)), file("film.mp4", "video/mp4"), file("photo.webp", "image/webp")]);
  await page.locator(".composer-files li", { hasText: "pier.png" }).waitFor();
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
  await page.locator(".composer-files").waitFor({ state: "detached" });

  // Pasting works too, and a file that is dropped on the field is not opened as a recording.
  await field(page).evaluate((area, bytes) => {
    const carried = new DataTransfer();
    carried.items.add(new File([new Uint8Array(bytes)], "drop.png", { type: "image/png" }));
    area.dispatchEvent(new DragEvent("drop", { dataTransfer: carried, bubbles: true, composed: true, cancelable: true }));
    // Firefox's constructor ignores files.
    const paste = new ClipboardEvent("paste", { bubbles: true, cancelable: true });
    area.dispatchEvent(Object.defineProperty(paste, "clipboardData", { value: carried }));
  }, [...PIXEL]);
  await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.querySelectorAll(".composer-files li").length === 2);
  await page.getByRole("button", { name: "Remove drop.png" }).first().click();
  assert.equal(await page.locator(".composer-files li").count(), 1);
});

scenario("there is no composer where nobody takes messages", async (stage) => {
  const recording = await stage.page(await stage.serve([data("permissions")]));
  await card(recording).first().waitFor();
  await frames(recording);
  assert.ok(!(await field(recording).isVisible()), "a recording");
  const { page } = await composerPage(stage, { attributes: "readonly" });
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
  const other = await composerPage(stage, { prepare: bare });
  await field(other.page).waitFor();
  await other.page.keyboard.press("Escape");
  await other.page.locator("[data-scroller]").focus();
  await other.page.keyboard.press("s");
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
    const { page } = await composerPage(stage, { prepare: long, width });
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

scenario("axe finds nothing to say about the composer, light and dark", async (stage) => {
  for (const width of NIGHTLY ? [380, 1000] : [380]) {
    const { page, runtime } = await working(stage, { width, height: 1400 });
    const sound = (what) => inBothSchemes(page, async (scheme) => assert.deepEqual(await violations(page), [], `${what}, ${scheme}, ${width} px`));
    await queueUp(page, "A message that waits", "Another");
    await sound("with a queue");
    await field(page).pressSequentially("/co");
    await page.getByRole("option").first().waitFor();
    await sound("with proposals");
    await field(page).fill("");
    await page.locator("[data-model]").click();
    await page.getByRole("menuitemradio").first().waitFor();
    assert.equal(await page.locator(".menu-price").first().innerText(), "1x");
    await sound("with a menu");
    await page.keyboard.press("Escape");
    assert.equal((await focused(page)).model, "");
    runtime.script.add("session.permissions_changed", { previousMode: "manual", mode: "allow-all" });
    runtime.tell();
    await page.locator("[data-standing]").waitFor();
    await page.getByRole("button", { name: "More ways to stop" }).click();
    await page.getByRole("menuitem", { name: "Abort" }).click();
    await page.locator("[data-dropped]").waitFor();
    await sound("with warnings");
  }
});
