// Tests that `trunk serve` shows what `pilothouse serve` shows: a session over the
// WebSocket, and the board for several.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";

import { Script } from "../support/events.mjs";
import { answer, card, scenario } from "../support/harness.mjs";
import { trunkServe } from "../support/trunk.mjs";

const asks = (name) =>
  new Script(name).user(`Title of ${name}`).turn().ask(`ask-${name}`, `ls ${name}`).allowed(`ask-${name}`)
    .say("Thank you\n\n```rust\nlet boats = 2;\n```").rest().events;

/** An address that forwards to the current gateway, so that one build of the page serves several. */
async function relay(stage) {
  const sockets = new Set();
  const server = createServer((from) => {
    const to = connect(Number(new URL(server.gateway).port), "127.0.0.1");
    for (const [one, other] of [[from, to], [to, from]]) {
      sockets.add(one);
      one.on("error", () => other.destroy()).on("close", () => (sockets.delete(one), other.destroy())).pipe(other);
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  // Trunk would use a connection to the gateway before once more.
  server.end = () => {
    for (const socket of sockets) socket.destroy();
  };
  stage.atEnd(() => {
    server.close();
    server.end();
  });
  return server;
}

scenario("trunk serve shows a session over the WebSocket, and the board where there are several", async (stage) => {
  const gateways = await relay(stage);
  gateways.gateway = await stage.serve([asks("alone")]);
  const address = await trunkServe(stage, gateways.address().port);

  const frames = [];
  const prepare = (page) =>
    page.on("websocket", (socket) => {
      if (socket.url().includes("/api/rpc")) socket.on("framereceived", ({ payload }) => frames.push(payload));
    });
  const page = await stage.page(address, { prepare });
  const extras = page.waitForResponse(/\/extras\/present\.js$/);
  await answer(page, "ask-alone", "approve-once");
  await page.getByText("Thank you").waitFor();
  assert.match((await extras).headers()["content-type"], /javascript/, "what code asks for is there");
  assert.equal(await page.locator("pilot-house").getAttribute("data-connection"), "open");
  const events = frames.filter((frame) => frame.includes('"event":'));
  assert.ok(events.length > 0 && events.every((frame) => Buffer.isBuffer(frame)), "the events came in binary frames");
  assert.equal(await page.locator("pilot-house-board").count(), 0);
  await page.close();

  gateways.gateway = await stage.serve([asks("one"), asks("two")]);
  gateways.end();
  const board = await stage.page(address);
  const tile = (name) => board.locator(`[data-session="${name}"]`);
  await tile("one").waitFor();
  await tile("two").locator("[data-answer-here]").click();
  await answer(board, "ask-two", "approve-once");
  await card(board, "ask-two").waitFor({ state: "detached" });
  await tile("one").getByText("Title of one").click();
  await board.waitForURL(/#session=one$/);
  await answer(board, "ask-one", "approve-once");
  await board.locator("pilot-house").getByText("Thank you").waitFor();
  assert.deepEqual(stage.requests.filter((request) => request.includes("/events")), [], "nothing came as server-sent events");
});
