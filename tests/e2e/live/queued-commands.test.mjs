// Tests that a command which was queued while the agent worked is run by the gateway when its turn comes: once, with
// what it does and says as if it were typed while the agent rests, and without a question to anybody.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { basename } from "node:path";

import { BROKEN, card, scenario, snapshot, until } from "../support/harness.mjs";
import { startGateway } from "./support/gateway.mjs";
import { give } from "./support/page-answers.mjs";
import { Gate } from "./support/model.mjs";
import { overStreams } from "./support/rpc.mjs";
import { EVERYTHING, startListeningRuntime } from "./support/runtime.mjs";
import { SCENES } from "./support/request-cases.mjs";
import { assertValid } from "./support/schema.mjs";
import { withModel } from "./support/shared-model.mjs";

const INVOKE = "session.commands.invoke";

let model;
let folders;

const users = async (page) => (await snapshot(page)).timeline.filter(({ kind }) => kind === "user").map(({ text }) => text);
const notice = (page, text) => page.locator('[data-entry="notice"]', { hasText: text });
const rests = (page, text) => until(page, (view, text) => view.session.status === "idle" && view.queue.items?.length === 0 && view.timeline.some((entry) => entry.text === text), text);

async function write(page, text) {
  await page.locator("[data-compose]").fill(text);
  await page.locator("[data-compose]").press("Enter");
}

/** Two pages on a session in the middle of its first answer. Each notes what it is asked. */
async function busy(stage) {
  const gateway = await startGateway(folders, model);
  stage.atEnd(() => gateway.stop());
  const session = await gateway.session(await gateway.peer(), await folders.project());
  const pages = [];
  for (let number = 0; number < 2; number++) {
    const page = await stage.embed(gateway.address, `session="${session.id}"`, { whole: false });
    await page.evaluate(() => {
      window.asked = [];
      document.addEventListener("pilothouse-request", ({ detail }) => window.asked.push(detail));
    });
    await page.locator("[data-compose]").waitFor();
    pages.push(page);
  }
  const gate = new Gate();
  stage.atEnd(() => gate.open());
  model.play({ say: "The boat is white, the sea is blue.", hold: { before: "the sea", gate } });
  await write(pages[0], "Tell me");
  await gate.reached;
  await pages[0].locator('pilot-house[data-status="running"]').waitFor();
  return { gateway, session, pages, gate };
}

async function queue(page, command) {
  await write(page, command);
  await page.locator("[data-item]", { hasText: command }).waitFor();
}

/** Nobody was asked, on no page, and nothing is left to decide. */
async function unasked(pages) {
  for (const page of pages) {
    assert.deepEqual(await page.evaluate(() => window.asked), []);
    assert.equal(await page.locator("[data-request-id], [data-dropped]").count(), 0);
    assert.deepEqual((await snapshot(page)).pending, []);
  }
}

withModel("queued commands are run", (...given) => ([model, folders] = given), () => {
  scenario("a command is run once when its turn comes, before what was queued after it, and both pages read what it says", async (stage) => {
    const { gateway, session, pages, gate } = await busy(stage);
    const sea = await folders.project();
    const command = `/cwd ${sea}`;
    await queue(pages[0], command);
    await queue(pages[0], "later");
    model.play({ say: "We are at sea." });
    gate.open();
    for (const page of pages) {
      await rests(page, "We are at sea.");
      await notice(page, "Changed working directory").waitFor();
      await page.locator(".settled", { hasText: `Its turn came: ${command}` }).waitFor();
      const outputs = (await snapshot(page)).timeline.filter(({ category }) => category === "command_output");
      assert.deepEqual(outputs.map(({ text }) => text), [`/cwd: Changed working directory to: ${sea}`]);
      assert.deepEqual(await users(page), ["Tell me", "later"]);
    }
    await unasked(pages);
    assert.equal(session.events("command.queued").length, 1);
    const calls = gateway.calls(session.id, INVOKE);
    assert.deepEqual(calls.map(({ params }) => params.input), [sea]);
    assertValid(INVOKE, calls[0].params);
    const moved = session.events("session.context_changed").filter(({ data }) => data.cwd?.endsWith(basename(sea)));
    assert.ok(moved.length > 0);
    assert.deepEqual((await session.call("pilothouse.backlog")).messages, []);
  });

  scenario("what a command says to the agent goes before what was queued after it", async (stage) => {
    const { session, pages, gate } = await busy(stage);
    await queue(pages[0], "/review the small boat");
    await queue(pages[0], "later");
    model.play({ say: "It floats." }, { say: "Later is now." });
    gate.open();
    for (const page of pages) {
      await rests(page, "Later is now.");
      const [first, review, last] = await users(page);
      assert.deepEqual([first, last], ["Tell me", "later"]);
      assert.match(review, /Review: .*boat/);
    }
    assert.match(model.told.join("\n"), /code-review/);
    await unasked(pages);
    assert.deepEqual((await session.call("pilothouse.backlog")).messages, []);
  });

  scenario("a command that can't be run says why on every page, and the queue goes on", async (stage) => {
    const { session, pages, gate } = await busy(stage);
    await session.call("session.commands.enqueue", { command: "/nope" });
    await session.send("later", { mode: "enqueue" });
    model.play({ say: "On we go." });
    gate.open();
    for (const page of pages) {
      await rests(page, "On we go.");
      await notice(page, "/nope was not run: Unknown slash command").waitFor();
    }
    await unasked(pages);
  });

  scenario("the gateway is killed while a command runs: it is offered, and not run again", async (stage) => {
    const { gateway, session, pages, gate } = await busy(stage);
    const [page, other] = pages;
    await queue(page, "/compact keep the names");
    const summary = new Gate();
    stage.atEnd(() => summary.open());
    model.play({ say: "The names are kept.", hold: { before: "The names", gate: summary } });
    gate.open();
    await summary.reached;
    await gateway.kill();
    await gateway.start();
    for (const one of pages) await one.locator("[data-dropped]", { hasText: "/compact keep the names" }).waitFor();
    assert.equal(gateway.calls(session.id, INVOKE).length, 1);
    assert.equal(model.asked.length, 1, "the summary is asked for once");
    await other.locator("[data-discard]").click();
    for (const one of pages) await one.locator("[data-dropped]").waitFor({ state: "detached" });
    await unasked(pages);
  }, { expected: BROKEN });

  for (const name of ["handled", "not-handled"]) {
    scenario(`a command that another client queued is asked about, and can be answered: ${name}`, async (stage) => {
      const runtime = await startListeningRuntime(folders, model);
      stage.atEnd(() => runtime.stop());
      const gateway = await startGateway(folders, model, { at: runtime.address });
      stage.atEnd(() => gateway.stop());
      const session = await gateway.session(await gateway.peer(), await folders.project());
      const page = await stage.embed(gateway.address, `session="${session.id}"`, { whole: false });
      const socket = connect(Number(runtime.address.split(":")[1]), "127.0.0.1");
      await once(socket, "connect");
      stage.atEnd(() => socket.destroy());
      const client = overStreams({ stdin: socket, stdout: socket });
      await client.call("connect", { supportedTaskKinds: ["agent", "client", "shell"] });
      await client.call("session.resume", { ...EVERYTHING, sessionId: session.id, workingDirectory: session.project });
      await client.call("session.commands.enqueue", { sessionId: session.id, command: "/dock now" });
      const { requestId } = (await session.event("command.queued")).data;
      const asked = card(page, requestId);
      await asked.waitFor();
      await give(asked, SCENES.find((scene) => scene.name === "queued command"), name);
      await session.event(({ type, data }) => type === "command.completed" && data.requestId === requestId);
      await asked.waitFor({ state: "detached" });
      assert.deepEqual((await snapshot(page)).pending, []);
    });
  }
});
