// Tests the extension for VS Code in examples/vscode: its own code in a stand-in for the extension host, with a real gateway, and
// its own webview in Chromium, under its own policy.

import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { violations } from "../support/axe.mjs";
import { field } from "../support/composer-page.mjs";
import { editor } from "../support/editor.mjs";
import { Script } from "../support/events.mjs";
import { BROKEN, IDLE, PATIENCE, answer, card, data, nightly, playThrough, reads, scenario, snapshot, until } from "../support/harness.mjs";
import { wire } from "../support/proxy.mjs";
import { Runtime } from "../support/stand-in.mjs";

const SIDE_BAR = { width: 300, height: 800 };
const RECORDED = data("permissions");
/** The requests of that recording, in their order. */
const [FIRST] = (await readFile(RECORDED, "utf8")).split("\n").filter((line) => line.includes('"permission.requested"')).map((line) => JSON.parse(line).data.requestId);

/** A workspace with these files. */
async function workspace(stage, files = {}) {
  const folder = await mkdtemp(join(tmpdir(), "pilothouse-workspace-"));
  stage.atEnd(() => rm(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

/** The extension on a gateway that plays the recording, behind a proxy. */
async function opened(stage, { files, recordings = [RECORDED], ...gateway } = {}) {
  const line = await wire(stage, await stage.serve(recordings, gateway));
  const ide = await editor(stage, "vscode", { files: await workspace(stage, files), settings: { gateway: `${line.address}/` } });
  return { ide, line };
}

const WAITS = ({ text }) => text === "$(bell-dot) The agent waits for you (1)";

/** Waits until this is so. For what nothing reports. */
async function eventually(holds) {
  for (const late = Date.now() + PATIENCE; !holds(); await new Promise((soon) => setTimeout(soon, 20))) {
    if (Date.now() > late) assert.fail(`not so after ${PATIENCE} ms: ${holds}`);
  }
}

/** What everybody sees of a session. */
const timeline = async (page) => (await snapshot(page)).timeline.map(({ kind, id, state, text }) => [kind, id, state, text]);

scenario("somebody is told that the agent waits, answers in the side bar, and finds the same after the view was hidden", async (stage) => {
  const { ide, line } = await opened(stage);
  const waits = await ide.until("status", WAITS);
  assert.deepEqual([waits.command, waits.background], ["pilothouse.session.focus", "statusBarItem.warningBackground"]);
  const told = await ide.until("notification");
  assert.deepEqual([told.text, told.labels], ["The agent asks for your permission.", ["Allow…"]]);
  assert.equal(ide.told.filter(({ told }) => told === "page").length, 0, "no view yet");
  await ide.answer(told, "Allow…");
  const page = await ide.show("view", SIDE_BAR);
  await card(page, FIRST).waitFor();
  assert.deepEqual(line.answers(), [], "the notification reveals the view and answers nothing");
  await ide.until("badge", ({ count }) => count === 1);

  await answer(page, FIRST, "approve-once");
  await until(page, "(view, id) => view.pending.length === 1 && view.pending[0].requestId !== id", FIRST);
  assert.deepEqual(line.answers().map(({ params: { requestId, result } }) => [requestId, result]), [[FIRST, { kind: "approve-once" }]]);

  const before = await timeline(page);
  assert.equal(line.open(), 2, "the extension's own connection, and that of the page");
  await ide.hide("view");
  await eventually(() => line.open() === 1);
  await ide.show("view");
  await until(page, "(view, count) => view.timeline.length >= count", before.length);
  assert.deepEqual(await timeline(page), before);
  await playThrough(page, IDLE);
  await ide.until("status", ({ text }) => text === "$(comment-discussion) Agent: idle");
  await ide.until("badge", ({ count }) => count === undefined);
  assert.equal(ide.told.filter(({ told }) => told === "notification").length, 1, "who sees the session is not told about it");
  const { events } = await snapshot(page);
  assert.deepEqual([events.duplicate, events.malformed, events.unknown], [0, 0, {}], "nothing but the session's events has come");

  await ide.order("close", { name: "view" });
  await eventually(() => line.open() === 1);
  await ide.order("deactivate");
  await eventually(() => line.open() === 0);
  const asked = stage.requests.filter((address) => !/^(data|about):/.test(address) && ![ide.origin, ide.resources].some((own) => address.startsWith(`${own}/`)));
  assert.deepEqual(asked, [], "the page asks nobody but the editor for its files");
});

nightly("a gateway that is started anew is shown again, in the view and in the status bar", async (stage) => {
  const { ide, line } = await opened(stage);
  const page = await ide.show("view", SIDE_BAR);
  await answer(page, FIRST, "approve-once");
  await until(page, "(view, id) => view.pending.length === 1 && view.pending[0].requestId !== id", FIRST);
  line.cut();
  await page.locator('pilot-house:not([data-connection="open"])').waitFor();
  line.lead(await stage.serve([RECORDED]));
  line.mend();
  // The recording begins once more, up to its first request.
  await card(page, FIRST).waitFor();
  await playThrough(page, IDLE);
  assert.deepEqual((await snapshot(page)).timeline.filter(({ kind }) => kind === "gap"), []);
  await ide.until("status", ({ text }) => text === "$(comment-discussion) Agent: idle");
}, { expected: BROKEN });

scenario("the token is asked for by a command, is kept as a secret, and is sent to its own gateway only", async (stage) => {
  const OPERATOR = "the token of an operator";
  const TOKEN = OPERATOR.replaceAll(" ", "-");
  const { ide, line } = await opened(stage, { tokens: { PILOTHOUSE_TOKEN: TOKEN } });
  const { command } = await ide.until("status", ({ text }) => text === "$(key) Agent: sign in");
  const page = await ide.show("view", SIDE_BAR);
  await page.locator('[part="sign-in"]').waitFor();
  const typing = ide.order("run", { command });
  const input = await ide.until("input");
  assert.equal(input.password, true);
  await ide.answer(input, TOKEN);
  await typing;
  await ide.until("status", WAITS);
  await ide.draw("view");
  await card(page, FIRST).waitFor();
  assert.equal((await page.content()).includes(TOKEN), false);
  assert.deepEqual(await ide.order("secrets"), { [`token of ${line.address}`]: TOKEN });

  const other = await wire(stage, await stage.serve([RECORDED]));
  await ide.order("configure", { gateway: `${other.address}/` });
  await ide.draw("view");
  await card(page, FIRST).waitFor();
  await eventually(() => other.sent.filter(({ method }) => method === "pilothouse.subscribe").length >= 2);
  assert.equal(JSON.stringify(other.sent).includes(TOKEN), false);
  await ide.order("configure", { gateway: "nowhere" });
  await ide.until("status", ({ text }) => text === "$(error) Agent: not connected");
});

nightly("files that the session names open in the editor if they are in the workspace, and addresses after the editor has asked", async (stage) => {
  const named = "The fault is in `src/interp.rs:12`, as `docs/notes.md` says. Not in `/etc/passwd` or `../outside.rs`.\n\n![A chart](https://charts.example/a.png)";
  const script = new Script("files").user("Where?").turn()
    .say(named, "said")
    .add("tool.execution_start", { toolCallId: "look", toolName: "view", arguments: { path: "/workspace/boats/src/interp.rs", view_range: [3, 9] } })
    .add("tool.execution_complete", { toolCallId: "look", success: true, result: { content: "3. fn" } })
    .say("And what is this?")
    .add("tool.execution_start", { toolCallId: "away", toolName: "view", arguments: { path: "/workspace/boats/../../etc/passwd" } })
    .add("tool.execution_complete", { toolCallId: "away", success: true, result: { content: "root" } })
    .say("Nothing is named here, but `1.2` and `cargo test`, e.g.", "plain").rest();
  const files = { "src/interp.rs": "fn main() {}\n", "docs/notes.md": "Notes\n" };
  const { ide } = await opened(stage, { files, recordings: [script.events] });
  const page = await ide.show("view", SIDE_BAR);
  await until(page, IDLE);
  const press = async (kind, id) => {
    const row = page.locator(`[data-entry="${kind}"][data-id="${id}"]`);
    await row.focus();
    await row.getByRole("button", { name: "Open file" }).click();
  };
  await press("tool", "look");
  const { path, line } = await ide.until("opened");
  assert.match(path, /\/src\/interp\.rs$/);
  assert.equal(line, 3);

  await press("assistant", "said");
  const choice = await ide.until("choice");
  assert.deepEqual(choice.labels, ["src/interp.rs", "docs/notes.md"]);
  await ide.answer(choice, "src/interp.rs");
  assert.equal((await ide.until("opened", ({ line }) => line === 12)).path, path);

  await press("tool", "away");
  assert.equal((await ide.until("notification")).text, "None of these files is in the workspace.");
  assert.equal(ide.told.filter(({ told }) => told === "opened").length, 2);
  const plain = page.locator('[data-entry="assistant"][data-id="plain"]');
  await plain.focus();
  await plain.getByRole("button", { name: "Copy" }).waitFor();
  assert.equal(await plain.getByRole("button", { name: "Open file" }).count(), 0);

  await page.getByRole("button", { name: "Load from charts.example" }).click();
  assert.equal((await ide.until("browse")).address, "https://charts.example/a.png");
});

nightly("the selection of an editor goes into the message, also if the view was never open", async (stage) => {
  const runtime = new Runtime();
  runtime.script.user("Hello", "first").turn().say("Hello to you").add("assistant.turn_end", { turnId: "0" }).add("session.idle", { mode: "interactive" }, { ephemeral: true });
  runtime.on["pilothouse.subscribe"] = () => ({ sessionId: "steered" });
  runtime.tell();
  const { host } = new URL(await runtime.listen(stage));
  const files = await workspace(stage);
  const ide = await editor(stage, "vscode", { files, settings: { gateway: `http://${host}/`, session: "steered" } });
  await ide.until("status", ({ text }) => text === "$(comment-discussion) Agent: idle");
  await ide.order("select", { path: join(files, "src/interp.rs"), text: "let t = 0;", start: 11, end: 12 });
  await ide.order("run", { command: "pilothouse.attachSelection" });
  const page = await ide.show("view", SIDE_BAR);
  const first = "src/interp.rs:12-13\n```\nlet t = 0;\n```\n";
  await reads(page, first);
  await ide.order("select", { path: join(files, "src/tide.rs"), text: "let high = 1;", start: 0, end: 0 });
  await ide.order("run", { command: "pilothouse.attachSelection" });
  await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.querySelector("[data-compose]").value.includes("src/tide.rs:1-1"));

  // What is written is still there when the view comes back.
  const written = await field(page).inputValue();
  await ide.hide("view");
  await ide.show("view");
  await reads(page, written);
  await field(page).press("Enter");
  assert.match((await runtime.called("session.send")).prompt, /let t = 0;[^]*let high = 1;/);
});

nightly("the session is an editor as well, beside the view, and each has a connection of its own", async (stage) => {
  const { ide, line } = await opened(stage);
  const view = await ide.show("view", SIDE_BAR);
  await ide.order("run", { command: "pilothouse.openEditor" });
  await ide.order("run", { command: "pilothouse.openEditor" });
  const panel = await ide.show("panel", { width: 900, height: 800 });
  await card(view, FIRST).waitFor();
  await answer(panel, FIRST, "approve-once");
  for (const page of [view, panel]) await until(page, "(view, id) => view.pending.length === 1 && view.pending[0].requestId !== id", FIRST);
  assert.equal(line.open(), 3);
  await ide.order("close", { name: "panel" });
  await eventually(() => line.open() === 2);
  assert.equal(await view.locator("pilot-house").getAttribute("data-connection"), "open");
});

const KINDS = ["vscode-light", "vscode-dark", "vscode-high-contrast", "vscode-high-contrast vscode-high-contrast-light"];
const BACKGROUNDS = [["rgb(248, 248, 248)", "rgb(255, 255, 255)"], ["rgb(24, 24, 24)", "rgb(31, 31, 31)"], ["rgb(0, 0, 0)", "rgb(0, 0, 0)"], ["rgb(255, 255, 255)", "rgb(255, 255, 255)"]];
const BUTTONS = ["rgb(0, 95, 184)", "rgb(0, 120, 212)", "rgb(111, 195, 223)", "rgb(15, 74, 133)"];

nightly("axe finds nothing to say in any kind of theme, in the side bar and as an editor, and each has the editor's background", async (stage) => {
  const { ide } = await opened(stage);
  await ide.order("run", { command: "pilothouse.openEditor" });
  for (const [nth, kind] of KINDS.entries()) {
    ide.kind = kind;
    for (const [place, name] of ["view", "panel"].entries()) {
      const page = await ide.show(name, name === "view" ? SIDE_BAR : { width: 900, height: 800 });
      await card(page, FIRST).waitFor();
      assert.deepEqual(await violations(page), [], `${name}, ${kind}`);
      const found = await page.evaluate(() => getComputedStyle(document.querySelector("pilot-house")).backgroundColor);
      assert.equal(found, BACKGROUNDS[nth][place], `${name}, ${kind}`);
      // Its colour comes when it takes presses.
      await page.waitForFunction(([id, colour]) => {
        const button = document.querySelector("pilot-house").shadowRoot.querySelector(`[data-request-id="${id}"] [data-answer="approve-once"]`);
        return getComputedStyle(button).backgroundColor === colour;
      }, [FIRST, BUTTONS[nth]]);
    }
  }
});
