// Tests that a restarted gateway takes up the sessions of a runtime that it did not start, whether they ended
// with its connection or another client continued them. Nothing is lost, and nothing is done twice.

import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { BROKEN, answer, card, scenario, snapshot, until } from "../support/harness.mjs";
import { startGateway } from "./support/gateway.mjs";
import { Gate, scriptedModel } from "./support/model.mjs";
import { overStreams } from "./support/rpc.mjs";
import { EVERYTHING, absent, home, startListeningRuntime } from "./support/runtime.mjs";

let model;
let folders;
let runtime;

const users = async (page) => (await snapshot(page)).timeline.filter(({ kind }) => kind === "user").map(({ text }) => text);

/** A gateway connected to the runtime, with a session that a page shows. */
async function begin(stage) {
  const gateway = await startGateway(folders, model, { at: runtime.address });
  stage.atEnd(() => gateway.stop());
  const session = await gateway.session(await gateway.peer(), await folders.project());
  const page = await stage.embed(gateway.address, `session="${session.id}"`, { whole: false });
  return { gateway, session, page };
}

/** Another client of the runtime with the session open, which thus goes on without the gateway. */
async function company(stage, session) {
  const [, port] = runtime.address.split(":");
  const socket = connect(Number(port), "127.0.0.1");
  await once(socket, "connect");
  stage.atEnd(() => socket.destroy());
  const peer = overStreams({ stdin: socket, stdout: socket });
  await peer.call("connect", { supportedTaskKinds: ["agent", "client", "shell"] });
  await peer.call("session.resume", { ...EVERYTHING, sessionId: session.id, workingDirectory: session.project, continuePendingWork: true });
}

/** Folders for a gateway that has a runtime of its own: two runtimes can't share a home. */
async function ownHome(stage) {
  const own = await home();
  stage.atEnd(() => own.remove());
  return own;
}

if (absent) {
  test("a runtime that outlives the gateway", { skip: absent });
} else {
  before(async () => {
    model = await scriptedModel();
    folders = await home();
    runtime = await startListeningRuntime(folders, model);
  });

  after(async () => {
    await runtime?.stop();
    model?.close();
    await folders?.remove();
  });

  for (const alone of [true, false]) {
    const what = alone ? "is offered, for the runtime ended the session" : "is worked on, for somebody else is there";
    scenario(`the gateway is killed and started again: a message that waits ${what}`, async (stage) => {
      const { gateway, session, page } = await begin(stage);
      if (!alone) await company(stage, session);
      const gate = new Gate();
      model.play({ say: "The boat is white.", hold: { before: "white", gate } }, { say: "The sea is blue." });
      await session.send("Which boat?");
      await gate.reached;
      await session.send("Which sea?", { mode: "enqueue" });
      await until(page, (view) => view.queue.items?.length === 1);
      await gateway.kill();
      // A runtime that is left alone ends the session. Should the turn end first, it would begin with the second message.
      if (alone) await gateway.persisted(session.id, "session.shutdown");
      gate.open();
      await gateway.start();
      if (alone) {
        await page.locator("[data-dropped]", { hasText: "Which sea?" }).waitFor();
        assert.deepEqual(await users(page), ["Which boat?"], "nothing runs by itself");
        await page.locator("[data-send-again]").click();
      }
      await until(page, `(view) => view.session.status === "idle" && view.timeline.some(({ text }) => text === "The sea is blue.")`);
      assert.deepEqual(await users(page), ["Which boat?", "Which sea?"]);
      await page.locator("[data-dropped]").waitFor({ state: "detached" });
      assert.equal(model.asked.length, 2);
      assert.equal(model.unscripted, 0);
    }, { expected: BROKEN });
  }

  const ends = { "ends in order": (gateway) => gateway.stop(), "is killed": (gateway) => gateway.kill() };
  for (const own of [true, false]) {
    const whose = own ? "with its own runtime" : "the runtime goes on";
    for (const [how, end] of Object.entries(ends)) {
      scenario(`a permission waits, and the gateway ${how} and starts again (${whose}): it is answered once`, async (stage) => {
        const gateway = await startGateway(own ? await ownHome(stage) : folders, model, own ? {} : { at: runtime.address });
        stage.atEnd(() => gateway.stop());
        const session = await gateway.session(await gateway.peer(), await folders.project());
        const page = await stage.embed(gateway.address, `session="${session.id}"`, { whole: false });
        const calls = [{ name: "bash", args: { command: "echo once >> once.txt", description: "Note it" }, id: "note" }];
        model.play({ say: "I note it.", calls }, { say: "Noted." });
        await session.send("Note it");
        const { data } = await session.event("permission.requested");
        await card(page, data.requestId).waitFor();
        await gateway.persisted(session.id, "permission.requested");
        await end(gateway);
        await gateway.start();
        const peer = await gateway.peer();
        await peer.call("pilothouse.subscribe", { sessionId: session.id });
        const listed = () => peer.call("session.permissions.pendingRequests", { sessionId: session.id });
        assert.deepEqual((await listed()).items.map(({ requestId }) => requestId), [data.requestId], "the gateway resumed the session with its pending work");

        // Opened before and after: the first has seen the end of the session.
        const later = await stage.embed(gateway.address, `session="${session.id}"`, { whole: false });
        for (const view of [page, later]) await card(view, data.requestId).locator('[data-answer="approve-once"]').waitFor();
        assert.ok(!existsSync(join(session.project, "once.txt")));
        await answer(later, data.requestId, "approve-once");
        for (const view of [page, later]) {
          await until(view, `(view) => view.session.status === "idle" && view.timeline.some(({ text }) => text === "Noted.")`);
          await card(view, data.requestId).waitFor({ state: "detached" });
        }
        assert.equal(readFileSync(join(session.project, "once.txt"), "utf8"), "once\n");
        assert.equal(model.unscripted, 0);
      }, { expected: BROKEN });
    }
  }

  scenario("a permission that is asked for while the gateway is away waits, and is answered once", async (stage) => {
    const { gateway, session, page } = await begin(stage);
    await company(stage, session);
    const gate = new Gate();
    const calls = [{ name: "bash", args: { command: "echo once >> once.txt", description: "Note it" }, id: "note" }];
    model.play({ say: "I note it.", hold: { before: "note", gate }, calls }, { say: "Noted." });
    await session.send("Note it");
    await gate.reached;
    await gateway.kill();
    gate.open();
    await gateway.start();
    await until(page, (view) => view.pending.length === 1);
    const [{ requestId }] = (await snapshot(page)).pending;
    await card(page, requestId).waitFor();
    assert.ok(!existsSync(join(session.project, "once.txt")));
    await answer(page, requestId, "approve-once");
    await until(page, `(view) => view.session.status === "idle" && view.timeline.some(({ text }) => text === "Noted.")`);
    assert.equal(readFileSync(join(session.project, "once.txt"), "utf8"), "once\n");
    assert.equal(model.unscripted, 0);
  }, { expected: BROKEN });
}
