// Tests that the real runtime executes once what was allowed once, and loses no message that a turn has taken
// up, whichever process is killed in the middle.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";

import { BROKEN, scenario, until } from "../support/harness.mjs";
import { startGateway } from "./support/gateway.mjs";
import { Gate } from "./support/model.mjs";
import { LiveSession } from "./support/sessions.mjs";
import { withModel } from "./support/shared-model.mjs";

const ANSWER = "session.permissions.handlePendingPermissionRequest";

let model;
let folders;

/** A session in the middle of a permitted command. `lines` gives how often it has begun; `go` lets it end. */
async function running(stage) {
  const gateway = await startGateway(folders, model);
  stage.atEnd(() => gateway.stop());
  const peer = await gateway.peer();
  const project = await folders.project();
  const session = await gateway.session(peer, project);
  execFileSync("mkfifo", [join(project, "gate")]);
  const command = "echo begun >> log.txt; read < gate";
  model.play({ say: "I note it.", calls: [{ name: "bash", args: { command, description: "Note it" }, id: "note" }] });
  await session.send("Note it");
  const { requestId } = (await session.event("permission.requested")).data;
  await session.call(ANSWER, { requestId, result: { kind: "approve-once" } });
  await gateway.persisted(session.id, '"permission.completed"');
  await gateway.appears(join(project, "log.txt"), "begun");
  const lines = () => readFileSync(join(project, "log.txt"), "utf8").trim().split("\n").length;
  const go = () => {
    const gate = openSync(join(project, "gate"), "r+");
    stage.atEnd(() => closeSync(gate));
    writeSync(gate, "go\ngo\n");
  };
  return { gateway, session, project, lines, go };
}

/** The session goes on, and the command was not executed again. */
async function once({ session, lines, go }) {
  go();
  model.play({ say: "Still here." }, { say: "Still here." });
  await session.send("Still there?");
  await session.event(({ type, data }) => type === "assistant.message" && data.content === "Still here.");
  assert.equal(lines(), 1, "allowed once, begun once");
  assert.match(JSON.stringify(model.asked.at(-1).messages), /interrupted/, "the model is told");
}

withModel("what was allowed once is carried out once", (...given) => ([model, folders] = given), () => {
  scenario("the runtime is killed in the middle of a command that was allowed: nobody runs it again", async (stage) => {
    const all = await running(stage);
    const page = await stage.embed(all.gateway.address, `session="${all.session.id}"`, { whole: false });
    await page.locator('[data-id="note"][data-state="running"]').waitFor();
    all.gateway.killRuntime();
    await all.session.event("session.resume");
    await once(all);
    await until(page, `(view) => view.timeline.some(({ id, state }) => id === "note" && state === "interrupted")`);
  }, { expected: BROKEN });

  scenario("the runtime is killed before it wrote down a message that has begun: it is offered again", async (stage) => {
    const gateway = await startGateway(folders, model);
    stage.atEnd(() => gateway.stop());
    const session = await gateway.session(await gateway.peer(), await folders.project());
    const page = await stage.embed(gateway.address, `session="${session.id}"`, { whole: false });
    const gate = new Gate();
    stage.atEnd(() => gate.open());
    model.play({ say: "Hello." }, { say: "Never", hold: { before: "Never", gate } }, { say: "White." });
    await session.send("Ahoy");
    const first = await session.event("session.idle");
    await gateway.persisted(session.id, "Hello.");
    let killed = false;
    session.each("user.message", () => {
      if (!killed) gateway.killRuntime();
      killed = true;
    });
    await session.send("Which boat?");
    await session.event("session.resume", first);
    await page.locator("[data-dropped]", { hasText: "Which boat?" }).waitFor();
    model.play({ say: "White." });
    await page.locator("[data-send-again]").click();
    await page.locator("[data-dropped]").waitFor({ state: "detached" });
    await until(page, `(view) => view.session.status === "idle" && view.timeline.some(({ text }) => text === "White.")`);
    assert.match(JSON.stringify(model.asked.at(-1).messages), /Which boat\?/);
  }, { expected: BROKEN });

  scenario("a permission that a resume gave up does not look as if it could be answered", async (stage) => {
    const gateway = await startGateway(folders, model);
    stage.atEnd(() => gateway.stop());
    const project = await folders.project();
    const session = await gateway.session(await gateway.peer(), project);
    execFileSync("mkfifo", [join(project, "gate")]);
    const run = (id, command) => ({ name: "bash", args: { command, description: id }, id });
    model.play({ say: "Both.", calls: [run("runs", "echo begun >> log.txt; read < gate"), run("waits", "touch waited")] });
    await session.send("Do both");
    const asked = (id) => session.event(({ type, data }) => type === "permission.requested" && data.permissionRequest.toolCallId === id);
    const [runs, waits] = await Promise.all([asked("runs"), asked("waits")]);
    await session.call(ANSWER, { requestId: runs.data.requestId, result: { kind: "approve-once" } });
    await gateway.persisted(session.id, '"permission.completed"');
    await gateway.appears(join(project, "log.txt"), "begun");
    const page = await stage.embed(gateway.address, `session="${session.id}"`, { whole: false });
    await until(page, (view, id) => view.pending.length === 1 && view.pending[0].requestId === id, waits.data.requestId);
    gateway.killRuntime();
    await session.event("session.resume");
    await until(page, (view) => view.pending.length === 0);
    model.play({ say: "Still here." });
    await session.send("Still there?");
    await session.event(({ type, data }) => type === "assistant.message" && data.content === "Still here.");
    const { items } = await session.call("session.permissions.pendingRequests");
    assert.deepEqual(items.map(({ requestId }) => requestId), [waits.data.requestId], "the runtime still lists it");
    await until(page, (view) => view.session.status === "idle" && view.pending.length === 0);
    assert.ok(!existsSync(join(project, "waited")));
  }, { expected: BROKEN });

  for (const end of ["kill", "stop"]) {
    scenario(`the gateway ends (${end}) in the middle of a command that was allowed: nobody runs it again`, async (stage) => {
      const all = await running(stage);
      await all.gateway[end]();
      await all.gateway.start();
      const peer = await all.gateway.peer();
      const session = new LiveSession(peer, all.session.id, {});
      await session.call("pilothouse.subscribe");
      await once({ ...all, session });
    });
  }
});
