// Tests that a request has one state on a page and at most one answer under way: the same card in a tile and
// in the open session, an answer that came second, and an answer whose outcome is unknown.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";

import { Script } from "../support/events.mjs";
import { answer, card, nightly, scenario, snapshot, until } from "../support/harness.mjs";
import { Runtime } from "../support/stand-in.mjs";

const ANSWER = "session.permissions.handlePendingPermissionRequest";
const REPLY = "session.ui.handlePendingUserInput";
const BEING_ANSWERED = -32008;

const waits = (name) => new Script(name).user(`Title of ${name}`).turn().ask("ask", "ls").allowed("ask").say("Thank you").rest().events;
const idle = new Script("rests").user("Nothing to do").turn().say("Done").rest().events;

const tile = (page) => page.locator('[data-session="waits"]');
const inTile = (page) => tile(page).locator('[data-request-id="ask"]');
const inPane = (page) => page.locator('.pane [data-request-id="ask"]');
const can = (asked, hook) => asked.locator(`[data-answer="${hook}"]:not([aria-disabled]):not([disabled])`);

/** Waits until no button of a card can be pressed and the card says that the answer is being sent. */
async function sends(asked, words = "Sending: allowed once") {
  await asked.getByText(words).waitFor();
  const on = await asked.locator("button[data-answer]").evaluateAll((all) => all.filter((button) => !button.disabled).length);
  assert.equal(on, 0, "nothing can be pressed");
}

/** A board with an open tile and the same session open beside it. What the server sends can be held back. */
async function twoCards(stage) {
  const line = { held: false, kept: [], sent: [] };
  const gateway = await stage.serve([waits("waits"), idle]);
  const page = await stage.page(gateway, {
    width: 1400,
    prepare: (page) => page.routeWebSocket(/\/api\/rpc/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((message) => {
        if (String(message).includes(ANSWER)) line.sent.push(JSON.parse(String(message)).params);
        server.send(message);
      });
      server.onMessage((message) => (line.held ? line.kept.push(() => socket.send(message)) : socket.send(message)));
    }),
  });
  line.release = () => {
    line.held = false;
    for (const pass of line.kept.splice(0)) pass();
  };
  await tile(page).locator("[data-answer-here]").click();
  await inTile(page).waitFor();
  await tile(page).locator(".tile-open").click();
  await can(inPane(page), "reject").waitFor();
  await can(inTile(page), "approve-once").waitFor();
  return { page, line };
}

for (const [first, pressed, other] of [["the tile", inTile, inPane], ["the open session", inPane, inTile]]) {
  (other === inPane ? scenario : nightly)(`what is answered in ${first} is answered in both cards, and sent once`, async (stage) => {
    const { page, line } = await twoCards(stage);
    line.held = true;
    await can(pressed(page), "approve-once").click();
    await sends(pressed(page));
    await sends(other(page));
    await other(page).locator('[data-answer="reject"]').evaluate((button) => button.click());
    if (other === inTile) {
      // A card that is rendered meanwhile shows it, too.
      await tile(page).locator("[data-answer-here]").click();
      await inTile(page).waitFor({ state: "detached" });
      await tile(page).locator("[data-answer-here]").click();
      await sends(inTile(page));
    }
    assert.deepEqual(line.sent, [{ sessionId: "waits", requestId: "ask", result: { kind: "approve-once" } }]);
    line.release();
    await inPane(page).waitFor({ state: "detached" });
    await inTile(page).waitFor({ state: "detached" });
    await tile(page).getByText("Allowed once").waitFor();
    assert.equal(line.sent.length, 1);
  });
}

scenario("an answer that another one came before is told of, and the card shows what becomes of that one", async (stage) => {
  const runtime = new Runtime();
  runtime.work("Look").script.ask("ask", "ls");
  runtime.tell();
  runtime.on[ANSWER] = () => {
    throw runtime.refusal(BEING_ANSWERED, "this request is already being answered");
  };
  const page = await stage.embed(await stage.files(), `src="${await runtime.listen(stage)}" session="steered"`, { whole: false });
  await answer(page, "ask", "reject");
  await card(page, "ask").getByRole("alert").filter({ hasText: "already being answered" }).waitFor();
  assert.deepEqual((await snapshot(page)).pending.map(({ requestId }) => requestId), ["ask"]);
  // The other answer failed, so this one counts.
  delete runtime.on[ANSWER];
  runtime.on[ANSWER] = () => ({ success: true });
  await can(card(page, "ask"), "reject").click();
  await runtime.called(ANSWER, 2);
  await page.locator('[data-id="ask"]').getByText("Rejected, received by the server").waitFor();
  assert.deepEqual((await snapshot(page)).pending, [], "nobody has to do anything");
  runtime.script.allowed("ask");
  runtime.tell();
  await page.locator('[data-id="ask"]').getByText("Answered elsewhere: allowed once").waitFor();
});

/** A host with an event stream that accepts answers and replies to each with the next of `replies`. */
async function host(stage, replies) {
  const script = new Script("hosted").user("Look").turn().ask("ask", "ls");
  script.add("user_input.requested", { requestId: "when", question: "When?", choices: ["At dawn"], allowFreeform: true }, { ephemeral: true });
  const posted = [];
  let stream;
  const server = createServer(async (request, response) => {
    response.setHeader("access-control-allow-origin", "*").setHeader("access-control-allow-headers", "*");
    if (request.method === "OPTIONS") return response.writeHead(204).end();
    const event = (event) => `data: ${JSON.stringify(event)}\n\n`;
    if (request.method === "GET") {
      stream = response.setHeader("content-type", "text/event-stream");
      return stream.write(script.take().map(event).join(""));
    }
    const { method, params } = JSON.parse(Buffer.concat(await request.toArray()));
    posted.push([method, params]);
    const [status, body = ""] = replies.shift();
    return response.writeHead(status, { "content-type": "application/json" }).end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  stage.atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = `http://127.0.0.1:${server.address().port}`;
  const page = await stage.embed(await stage.files(), `src="${address}/events" answer-url="${address}/answers"`, { whole: false });
  const tell = () => stream.write(script.take().map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
  return { page, posted, script, tell };
}

const taken = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { success: true } });
const gone = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { success: false } });
const failed = JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32603, message: "it broke" } });
const STATUS = [/Failed to load resource/];

scenario("after a status that tells nothing the same answer can be given again, and no other", async (stage) => {
  const { page, posted, script, tell } = await host(stage, [[500, failed], [503], [403], [200, taken]]);
  await answer(page, "ask", "approve-once");
  const asked = card(page, "ask");
  const again = asked.locator("[data-answer-again]:not([aria-disabled])");
  await asked.getByRole("alert").filter({ hasText: "The server failed (HTTP status 500). It may have arrived" }).waitFor();
  await asked.getByRole("alert").filter({ hasText: "Nothing shows whether your answer arrived: allowed once." }).waitFor();
  for (const hook of ["approve-once", "reject"]) assert.ok(await asked.locator(`[data-answer="${hook}"]`).isDisabled(), hook);
  assert.equal((await snapshot(page)).timeline.find(({ id }) => id === "ask").request.life, "unsure");
  assert.equal(await page.evaluate(() => document.querySelector("pilot-house").answer("ask", { result: { kind: "reject" } })), false, "nor by a program");
  await again.click();
  await asked.getByText("HTTP status 503").waitFor();
  await again.click();
  // The refusal of this attempt does not show what became of the first two.
  await asked.getByText("HTTP status 403").waitFor();
  assert.ok(await asked.locator('[data-answer="reject"]').isDisabled());
  await again.click();
  const settled = page.locator('[data-id="ask"]');
  await settled.getByText("Allowed once, received by the server").waitFor();
  script.allowed("ask");
  tell();
  await settled.getByText("received by the server").waitFor({ state: "detached" });
  await settled.getByText("Allowed once").waitFor();
  assert.deepEqual(posted.map(([method, { result }]) => [method, result.kind]), Array(4).fill([ANSWER, "approve-once"]));
}, { expected: STATUS });

scenario("what was lost and is gone when it is given again is not asked any more", async (stage) => {
  const { page, posted } = await host(stage, [[504], [200, gone]]);
  const asked = card(page, "when");
  await asked.locator('[data-answer="choice"]').first().click();
  await can(asked, "submit").click();
  await asked.getByText("HTTP status 504").waitFor();
  await asked.locator("[data-answer-again]:not([aria-disabled])").click();
  await page.locator('[data-id="when"]').getByText("Answered elsewhere, or no longer asked").waitFor();
  assert.deepEqual(posted.map(([method, { response }]) => [method, response.answer]), Array(2).fill([REPLY, "At dawn"]));
}, { expected: STATUS });

scenario("what a server refuses by its status was not taken, and can be answered otherwise", async (stage) => {
  const { page, posted } = await host(stage, [[409], [200, taken]]);
  await answer(page, "ask", "approve-once");
  await card(page, "ask").getByText("The server did not take it (HTTP status 409).").waitFor();
  await can(card(page, "ask"), "reject").click();
  await until(page, (view) => view.timeline.find(({ id }) => id === "ask").request.answer === "Rejected");
  assert.deepEqual(posted.map(([, { result }]) => result.kind), ["approve-once", "reject"]);
}, { expected: STATUS });

nightly("an answer that the server has taken is not asked for again after a reload, unless the server still waits", async (stage) => {
  const runtime = new Runtime();
  runtime.script.user("Go", "go").turn().ask("a", "ls").ask("b", "pwd");
  runtime.busy = true;
  runtime.tell();
  runtime.on[ANSWER] = () => ({ success: true });
  const page = await stage.embed(await stage.files(), `src="${await runtime.listen(stage)}"`, { whole: false });
  const taken = page.getByText("Allowed once, received by the server: ls");
  await answer(page, "a", "approve-once");
  await taken.waitFor();
  await page.reload();
  await card(page, "b").waitFor();
  await taken.waitFor();
  assert.equal(await card(page, "a").count(), 0);

  runtime.on["session.permissions.pendingRequests"] = () => ({ items: [{ requestId: "a", request: {} }, { requestId: "b", request: {} }] });
  await card(page, "a").getByText("did not arrive").waitFor();
  await page.reload();
  await card(page, "a").waitFor();
  assert.equal(await taken.count(), 0, "what did not count is forgotten");

  await answer(page, "a", "approve-once");
  await taken.waitFor();
  runtime.script.allowed("a");
  runtime.tell();
  await page.getByText("Allowed once: ls").waitFor();
  assert.deepEqual(await page.evaluate(() => Object.keys(sessionStorage).filter((name) => name.includes("taken"))), []);
});
