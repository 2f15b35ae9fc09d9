// Tests broken connections, gateways and runtimes, and several viewers: afterwards the page shows what an
// undisturbed one shows, and no answer was given twice.

import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";

import { PATIENCE, answer, card, frames, nightly, pressUnlessGone, readAll, scenario, snapshot, until } from "../support/harness.mjs";
import { startGateway } from "./support/gateway.mjs";
import { Gate } from "./support/model.mjs";
import { home } from "./support/runtime.mjs";
import { withModel } from "./support/shared-model.mjs";

/** What browsers always log about a broken connection. */
const BROKEN = [/WebSocket connection to .* failed/, /Failed to load resource: net::ERR_/, /Failed to fetch/];

const ANSWER = "session.permissions.handlePendingPermissionRequest";
const SAYS = "The white boat lies at the pier, the blue one at a buoy.";

/**
 * A predicate for `until`: the agent has said everything and is idle. After a resume it
 * is idle for a moment before it goes on.
 */
const DONE = `(view) => view.session.status === "idle" && view.timeline.some(({ text }) => text === ${JSON.stringify(SAYS)})`;

let model;
let folders;

/** A gateway of its own, a session in it that waits for a permission, and a client that watches it. */
async function waiting(stage, { gate, place = folders } = {}) {
  const gateway = await startGateway(place, model);
  stage.atEnd(() => gateway.stop());
  const peer = await gateway.peer();
  const session = await gateway.session(peer, await place.project());
  const calls = [{ name: "bash", args: { command: "touch boats.txt", description: "Note the boats" }, id: "note" }];
  model.play({ say: "I note them.", calls }, { say: SAYS, ...(gate && { hold: { before: "the blue", gate } }) });
  await session.send("Where are the boats?");
  const { requestId } = (await session.event("permission.requested")).data;
  return { gateway, peer, session, requestId };
}

/** A page that shows a session. */
const watch = (stage, { gateway, session }, options) => stage.embed(gateway.address, `session="${session.id}"`, { whole: false, ...options });

/** What must be the same in all viewers of a session: everything but who answered. */
async function content(page) {
  const { timeline, session, modelContext, pending } = await snapshot(page);
  for (const { request } of timeline) {
    delete request?.by;
    delete request?.elsewhere;
  }
  return { timeline, session, modelContext: modelContext.filter(({ role }) => role !== "system"), pending };
}

/** Two pages show the same in the end: what one has to ask for after a reconnect comes a moment later. */
async function assertSame(one, other) {
  const late = Date.now() + PATIENCE;
  let both;
  do both = await Promise.all([content(one), content(other)]);
  while (!isDeepStrictEqual(...both) && Date.now() < late);
  assert.deepEqual(...both);
}

/** What must be the same in every run of a script: without names, times and the gateway's own notices. */
async function story(page) {
  const { timeline, session, modelContext, pending } = await snapshot(page);
  const told = timeline.filter(({ kind }) => kind !== "notice" && kind !== "gap");
  return {
    timeline: told.map(({ kind, state, text }) => [kind, state, text]),
    status: session.status,
    said: modelContext.filter(({ role }) => role !== "system").map(({ role }) => role),
    pending,
  };
}

/** The story of an undisturbed run, computed once. */
let undisturbed;
async function calm(stage) {
  if (undisturbed) return undisturbed;
  const place = await home();
  stage.atEnd(() => place.remove());
  const all = await waiting(stage, { place });
  const page = await watch(stage, all);
  await answer(page, all.requestId, "approve-once");
  await until(page, DONE);
  return (undisturbed = await story(page));
}

const connected = (page, word) => page.locator(`pilot-house[data-connection="${word}"]`).waitFor();
const settled = (page, id) => until(page, (view, id) => view.pending.every((request) => request.requestId !== id), id);

async function cutAndMend(page, meanwhile) {
  page.line.cut();
  await connected(page, "waiting");
  await meanwhile?.();
  page.line.mend();
  await connected(page, "open");
}

withModel("broken connections, gateways and runtimes", (...given) => ([model, folders] = given), () => {
  scenario("two browsers on one session: one answers, the other's card settles by itself", async (stage) => {
    const all = await waiting(stage);
    const [one, other] = [await watch(stage, all), await watch(stage, all)];
    for (const page of [one, other]) await card(page, all.requestId).waitFor();
    await answer(one, all.requestId, "approve-once");
    const completed = await all.session.event("permission.completed");
    for (const page of [one, other]) {
      await card(page, all.requestId).waitFor({ state: "detached" });
      await until(page, DONE);
    }
    const late = await all.session.call(ANSWER, { requestId: all.requestId, result: { kind: "reject" } });
    assert.deepEqual(late, { success: false }, "the first answer counted");
    assert.equal(completed.data.result.kind, "approved");
    await assertSame(one, other);
    assert.equal(all.gateway.answers(all.requestId).length, 2, "the page's, and the late one");
  });

  nightly("two browsers answer one request at once: one counts, both show it", async (stage) => {
    const all = await waiting(stage);
    const [one, other] = [await watch(stage, all), await watch(stage, all)];
    for (const page of [one, other]) await card(page, all.requestId).locator('[data-answer="reject"]:not([aria-disabled])').waitFor();
    const press = (page, hook) => pressUnlessGone(card(page, all.requestId).locator(`[data-answer="${hook}"]`));
    await Promise.all([press(one, "approve-once"), press(other, "reject")]);
    for (const page of [one, other]) {
      await settled(page, all.requestId);
      await until(page, `(view) => view.session.status === "idle"`);
    }
    await assertSame(one, other);
    assert.equal(all.session.events("permission.completed").length, 1);
  });

  nightly("the connection breaks while a request waits", async (stage) => {
    const all = await waiting(stage);
    const [page, other] = [await watch(stage, all), await watch(stage, all)];
    await card(page, all.requestId).waitFor();
    await cutAndMend(page);
    await answer(page, all.requestId, "approve-once");
    for (const one of [page, other]) await until(one, DONE);
    await assertSame(page, other);
    assert.deepEqual(await story(page), await calm(stage));
    assert.equal(all.gateway.answers(all.requestId).length, 1);
  }, { expected: BROKEN });

  nightly("the connection breaks in the middle of a sentence", async (stage) => {
    const gate = new Gate();
    const all = await waiting(stage, { gate });
    const [page, other] = [await watch(stage, all), await watch(stage, all)];
    await answer(page, all.requestId, "approve-once");
    await gate.reached;
    await until(page, `(view) => view.timeline.some(({ text }) => text.includes("pier,"))`);
    await cutAndMend(page, async () => {
      gate.open();
      await until(other, DONE);
    });
    await until(page, DONE);
    await assertSame(page, other);
    assert.deepEqual(await readAll(page), await readAll(other));
    assert.deepEqual(await story(page), await calm(stage));
    assert.equal(all.gateway.answers(all.requestId).length, 1);
  }, { expected: BROKEN });

  nightly("the connection breaks between the answer and its confirmation", async (stage) => {
    const all = await waiting(stage);
    const other = await watch(stage, all);
    let drop;
    const page = await watch(stage, all, {
      // The answer goes out, but nothing that the gateway sends after it arrives.
      prepare: (page) => page.routeWebSocket(/\/api\/rpc/, (socket) => {
        const server = socket.connectToServer();
        let deaf = false;
        socket.onMessage((message) => {
          if (!drop && String(message).includes(ANSWER)) {
            deaf = true;
            drop = () => Promise.all([socket.close({ code: 1001 }), server.close()]);
          }
          server.send(message);
        });
        server.onMessage((message) => deaf || socket.send(message));
      }),
    });
    await answer(page, all.requestId, "approve-once");
    await until(other, DONE);
    assert.equal((await snapshot(page)).session.status, "waiting", "it heard nothing of it");
    await drop();
    await until(page, DONE);
    await settled(page, all.requestId);
    await card(page, all.requestId).waitFor({ state: "detached" });
    await assertSame(page, other);
    assert.deepEqual(await story(page), await calm(stage));
    assert.equal(all.gateway.answers(all.requestId).length, 1, "it was not said again");
  }, { expected: BROKEN });

  scenario("the gateway is killed and started again while a request waits", async (stage) => {
    const all = await waiting(stage);
    const page = await watch(stage, all);
    await card(page, all.requestId).waitFor();
    await all.gateway.persisted(all.session.id, all.requestId);
    await all.gateway.kill();
    await connected(page, "waiting");
    await all.gateway.start();
    await connected(page, "open");
    // The card of a session that was just resumed is a new one, and ignores presses in its first moment.
    await until(page, `(view) => view.timeline.some(({ text }) => text === "Session resumed")`);
    await frames(page);
    await answer(page, all.requestId, "approve-once");
    await until(page, DONE);
    const fresh = await watch(stage, all);
    await until(fresh, DONE);
    for (const one of [page, fresh]) assert.deepEqual(await story(one), await calm(stage));
    const answers = all.gateway.answers(all.requestId);
    assert.equal(answers.length, 1, JSON.stringify(answers));
  }, { expected: BROKEN });

  scenario("the runtime is killed while a request waits, and started again by the gateway", async (stage) => {
    const all = await waiting(stage);
    const page = await watch(stage, all);
    await card(page, all.requestId).waitFor();
    await all.gateway.persisted(all.session.id, all.requestId);
    all.gateway.killRuntime();
    await all.session.event("session.resume");
    await until(page, `(view) => view.timeline.some(({ text }) => text.startsWith("The agent was restarted"))`);
    await frames(page);
    await card(page, all.requestId).waitFor();
    assert.equal(await page.locator('[data-id="note"]').count(), 0, "the card is the call's row");
    await answer(page, all.requestId, "approve-once");
    await until(page, DONE);
    const [asked] = (await snapshot(page)).timeline.filter(({ kind }) => kind === "user");
    assert.equal(asked.turn.tools, 1, "one call, which was started twice");
    const fresh = await watch(stage, all);
    await until(fresh, DONE);
    for (const one of [page, fresh]) assert.deepEqual(await story(one), await calm(stage));
    const answers = all.gateway.answers(all.requestId);
    assert.equal(answers.length, 1, JSON.stringify(answers));
  });

  scenario("a question that the runtime's death cut off was asked, and is not asked any more", async (stage) => {
    const gateway = await startGateway(folders, model);
    stage.atEnd(() => gateway.stop());
    const session = await gateway.session(await gateway.peer(), await folders.project());
    const calls = [{ name: "ask_user", args: { question: "Which boat?", choices: ["white", "blue"] }, id: "which" }];
    model.play({ say: "I ask.", calls });
    await session.send("Paint a boat");
    const { requestId } = (await session.event("user_input.requested")).data;
    const page = await watch(stage, { gateway, session });
    await card(page, requestId).waitFor();
    await gateway.persisted(session.id, "I ask.");
    gateway.killRuntime();
    const call = page.locator('[data-id="which"][data-state="interrupted"]');
    await call.getByText("Asked you: Which boat?").waitFor();
    await call.getByText("interrupted", { exact: true }).waitFor();
    await page.locator(`[data-id="${requestId}"]`).getByText("The agent was restarted").waitFor();
  });

  scenario("an answer in words was on its way when the runtime died: the words are there, to be copied", async (stage) => {
    const gateway = await startGateway(folders, model);
    stage.atEnd(() => gateway.stop());
    const session = await gateway.session(await gateway.peer(), await folders.project());
    model.play({ say: "I ask.", calls: [{ name: "ask_user", args: { question: "Which boat?" }, id: "which" }] });
    await session.send("Paint a boat");
    const { requestId } = (await session.event("user_input.requested")).data;
    const page = await watch(stage, { gateway, session });
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await gateway.persisted(session.id, "I ask.");
    await card(page, requestId).locator("textarea, input").first().fill("The one behind the church");
    await card(page, requestId).locator('[data-answer="submit"]:not([aria-disabled])').waitFor();
    gateway.freezeRuntime();
    await card(page, requestId).locator('[data-answer="submit"]').click();
    await gateway.answered(requestId, 1);
    gateway.killRuntime();
    const row = page.locator(`[data-id="${requestId}"]`);
    await row.getByText("The agent was restarted").waitFor();
    await row.getByText("The one behind the church").waitFor();
    await row.locator("[data-copy-answer]").click();
    await row.locator('[data-copy-answer][data-flash="Copied"]').waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "The one behind the church");
  });

  nightly("while one answer is on its way no other one goes out, whoever gives it", async (stage) => {
    const all = await waiting(stage);
    const [one, other] = [await watch(stage, all), await watch(stage, all)];
    const button = (page, hook) => card(page, all.requestId).locator(`[data-answer="${hook}"]:not([aria-disabled])`);
    for (const page of [one, other]) await button(page, "reject").waitFor();
    const goOn = all.gateway.freezeRuntime();
    await button(one, "approve-once").click();
    await all.gateway.answered(all.requestId, 1);
    await button(other, "reject").click();
    await card(other, all.requestId).getByRole("alert").filter({ hasText: "already being answered" }).waitFor();
    await assert.rejects(all.session.call(ANSWER, { requestId: all.requestId, result: { kind: "reject" } }), /already being answered/);
    goOn();
    for (const page of [one, other]) {
      await card(page, all.requestId).waitFor({ state: "detached" });
      await until(page, DONE);
    }
    await assertSame(one, other);
    const answers = all.gateway.answers(all.requestId);
    assert.deepEqual(answers.map(({ params }) => params.result.kind), ["approve-once"]);
  });

  nightly("the runtime dies with an answer on its way: it can be given anew", async (stage) => {
    const all = await waiting(stage);
    const page = await watch(stage, all);
    await card(page, all.requestId).waitFor();
    await all.gateway.persisted(all.session.id, all.requestId);
    all.gateway.freezeRuntime();
    await answer(page, all.requestId, "reject");
    await all.gateway.answered(all.requestId, 1);
    all.gateway.killRuntime();
    await card(page, all.requestId).getByRole("alert").filter({ hasText: "did not arrive: the agent still waits" }).waitFor();
    await answer(page, all.requestId, "approve-once");
    await until(page, DONE);
    assert.deepEqual(await story(page), await calm(stage));
  });

  nightly("a runtime that dies at every start, or talks nonsense, is told at once and everywhere, until the real one is back", async (stage) => {
    const all = await waiting(stage);
    await all.gateway.persisted(all.session.id, all.requestId);
    const board = await stage.page(all.gateway.address);
    const page = await watch(stage, all);
    await card(page, all.requestId).waitFor();
    assert.equal(await page.locator(".health").count() + (await board.locator(".health").count()), 0);

    all.gateway.spoilRuntime(`echo "no access for $GH_TOKEN" >&2; printf '\\e[31mgiving up\\e[0m\\n' >&2; exit 3`);
    all.gateway.killRuntime();
    for (const one of [page, board]) {
      await one.locator(".health").getByText(/it ended, exit status: 3/).waitFor();
      await one.locator(".health").getByText("Its last lines").click();
      const lines = await one.locator(".health pre").innerText();
      assert.ok(lines.includes("no access for [hidden]") && lines.includes("ESC"), lines);
    }
    const late = await watch(stage, all);
    await late.locator(".health").getByText(/it ended/).waitFor();
    const refused = await all.session.call("session.mode.get").catch((error) => error);
    assert.match(String(refused.message), /exit status: 3/);

    all.gateway.spoilRuntime("while sleep 1; do echo 'Usage: something else'; done");
    for (const one of [page, board]) await one.locator(".health pre").getByText("Usage: something else").first().waitFor();
    all.gateway.mendRuntime();
    all.gateway.killRuntime();
    for (const one of [page, board, late]) await one.locator(".health").waitFor({ state: "detached" });
    await answer(page, all.requestId, "approve-once");
    await until(page, DONE);
    assert.equal(all.gateway.answers(all.requestId).length, 1);
  });

  nightly("a turn that failed is red on the board and in the session, until the next one begins", async (stage) => {
    const gateway = await startGateway(folders, model);
    stage.atEnd(() => gateway.stop());
    const peer = await gateway.peer();
    const session = await gateway.session(peer, await folders.project());
    const board = await stage.page(gateway.address);
    const page = await watch(stage, { gateway, session });
    const tile = board.locator(`[data-session="${session.id}"]`);
    model.play({ fail: 400, code: "bad_request", message: "No model answers" });
    await session.send("Where are the boats?");
    await session.event("session.idle");
    assert.equal(session.events("session.error").length, 1);
    await tile.and(board.locator('[data-status="error"]')).waitFor();
    await page.locator('.bar[data-status="error"]').waitFor();
    await board.getByRole("combobox", { name: "Status" }).selectOption("error");
    await tile.waitFor();

    const gate = new Gate();
    model.play({ say: SAYS, hold: { before: "the blue", gate } });
    await session.send("And now?");
    await gate.reached;
    await tile.waitFor({ state: "detached" });
    await page.locator('.bar[data-status="running"]').waitFor();
    gate.open();
    await page.locator('.bar[data-status="idle"]').waitFor();
  });
});
