// Tests what an element sends to an agent of the Copilot platform, and how it reads the replies.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";

import { answer, card, frames, nightly, scenario, snapshot, until } from "../support/harness.mjs";

const chunk = (content, finish_reason = null) =>
  `data: ${JSON.stringify({ object: "chat.completion.chunk", choices: [{ delta: { content }, finish_reason }] })}\n\n`;
const confirmation = (id) =>
  `event: copilot_confirmation\ndata: ${JSON.stringify({ type: "action", title: `Do ${id}?`, message: "Really?", confirmation: { id } })}\n\n`;
const ID = (id) => `copilot_confirmation:${id}`;

/**
 * A host with an event stream at `/events` that stays open. It handles posts to
 * `/answers` with `reply(body, response)`.
 */
async function host(stage, events, reply) {
  const posted = [];
  const server = createServer(async (request, response) => {
    response.setHeader("access-control-allow-origin", "*").setHeader("access-control-allow-headers", "*");
    if (request.method === "OPTIONS") return response.writeHead(204).end();
    if (request.method === "GET") return response.setHeader("content-type", "text/event-stream").write(`: hello\n\n${events}`);
    const body = JSON.parse(Buffer.concat(await request.toArray()));
    posted.push(body);
    return reply(body, response, posted.length);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  stage.atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return { address: `http://127.0.0.1:${server.address().port}`, posted };
}

const embed = async (stage, { address }, more = "") =>
  stage.embed(await stage.files(), `src="${address}/events" answer-url="${address}/answers" ${more}`, { whole: !process.env.DEV });

scenario("an answer-url gets a confirmation's answer and nothing else, and the reply to it is shown", async (stage) => {
  const replies = {
    // Many agents do not set the content type of a stream.
    streamed: (response) => response.end(`${chunk("Done ")}${chunk("and dusted.")}data: [DONE]\n\n`),
    empty: (response) => response.end(),
    json: (response) => response.setHeader("content-type", "application/json").end(`{"ok":true}`),
  };
  const ids = Object.keys(replies);
  const agent = await host(stage, ids.map(confirmation).join(""), (body, response) =>
    replies[body.copilot_confirmations[0].confirmation.id](response));
  const page = await embed(stage, agent);
  await until(page, (view, count) => view.pending.length === count, ids.length);
  await frames(page);
  assert.deepEqual(agent.posted, [], "nothing is asked");
  for (const [place, id] of ids.entries()) {
    await answer(page, ID(id), place === 1 ? "dismiss" : "accept");
    await card(page, ID(id)).waitFor({ state: "detached" });
  }
  await page.getByText("Done and dusted.").waitFor();
  await until(page, (view) => view.pending.length === 0 && view.session.status === "idle");
  assert.deepEqual(agent.posted, ids.map((id, place) => (
    { copilot_confirmations: [{ state: place === 1 ? "dismissed" : "accepted", confirmation: { id } }] })));
  assert.equal(await page.locator("[data-composer]:visible").count(), 0, "nobody said that messages are taken");
});

scenario("a reply that breaks off leaves what came, and says so", async (stage) => {
  let cut;
  const agent = await host(stage, confirmation("it"), (_, response) => {
    response.setHeader("content-type", "text/event-stream").write(chunk("Half of"));
    cut = () => response.destroy();
  });
  const page = await embed(stage, agent);
  await answer(page, ID("it"), "accept");
  await page.getByText("Half of").waitFor();
  cut();
  await page.getByText("The agent's reply broke off here.").waitFor();
  const { timeline, pending } = await snapshot(page);
  assert.deepEqual(pending, []);
  assert.deepEqual(timeline.filter(({ kind }) => kind === "assistant").map(({ text, state }) => [text, state]), [["Half of", "interrupted"]]);
}, { expected: [/ERR_INCOMPLETE_CHUNKED_ENCODING|Failed to load resource/] });

nightly("a confirmation of which nobody knows whether it was taken is not contradicted", async (stage) => {
  const agent = await host(stage, confirmation("it"), (_, response, times) =>
    times < 3 ? response.writeHead(times === 1 ? 500 : 401).end() : response.end(chunk("Now.", "stop")));
  const page = await embed(stage, agent);
  await answer(page, ID("it"), "accept");
  const asked = card(page, ID("it"));
  await asked.getByText("Nothing shows whether your answer arrived: accepted.").waitFor();
  assert.ok(await asked.locator('[data-answer="dismiss"]').isDisabled());
  const again = asked.locator("[data-answer-again]:not([aria-disabled])");
  await again.click();
  await asked.getByText("HTTP status 401").waitFor();
  assert.ok(await asked.locator('[data-answer="dismiss"]').isDisabled());
  await again.click();
  await page.getByText("Now.").waitFor();
  await until(page, (view) => view.pending.length === 0);
  assert.deepEqual(agent.posted.map(({ copilot_confirmations: [{ state }] }) => state), Array(3).fill("accepted"));
}, { expected: [/500|401/] });

scenario("a confirmation that the server refused can be answered otherwise", async (stage) => {
  const agent = await host(stage, confirmation("it"), (_, response, times) =>
    times === 1 ? response.writeHead(422).end() : response.end(chunk("Now.", "stop")));
  const page = await embed(stage, agent);
  await page.evaluate(() => {
    window.heard = [];
    addEventListener("pilothouse-result", ({ detail: { method, params, error } }) => window.heard.push([method, params[method][0].state, error]));
  });
  await answer(page, ID("it"), "accept");
  await card(page, ID("it")).getByText("The server did not take it (HTTP status 422).").waitFor();
  await answer(page, ID("it"), "dismiss");
  await page.getByText("Now.").waitFor();
  assert.deepEqual(agent.posted.map(({ copilot_confirmations: [{ state }] }) => state), ["accepted", "dismissed"]);
  await page.waitForFunction(() => window.heard.length === 2);
  assert.deepEqual(await page.evaluate(() => window.heard), [
    ["copilot_confirmations", "accepted", "The server did not take it (HTTP status 422)."],
    ["copilot_confirmations", "dismissed", undefined],
  ]);
}, { expected: [/422/] });

scenario("a message goes out as the platform's body, with what was said; one can be stopped", async (stage) => {
  let hang = () => {};
  const agent = await host(stage, "", ({ messages }, response) => {
    const said = messages.at(-1).content;
    if (said === "Fail") return response.writeHead(404).end();
    response.setHeader("content-type", "text/event-stream");
    if (said !== "Hang") return response.end(`event: copilot_references\ndata: [{"type":"note","id":"n"}]\n\n${chunk(`Re: ${said}`, "stop")}`);
    response.on("close", () => hang());
    return response.write(chunk("And so on"));
  });
  const page = await embed(stage, agent, `protocol="platform"`);
  const field = page.locator("[data-compose]");
  const send = async (text) => {
    await field.fill(text);
    await field.press("Enter");
  };
  await send("Ahoy");
  await page.getByText("Re: Ahoy").waitFor();
  await until(page, (view) => view.session.status === "idle");
  await send("Hang");
  await page.getByText("And so on").waitFor();
  const gone = new Promise((done) => (hang = done));
  await field.fill("Later");
  await field.press("Enter");
  assert.equal(await field.inputValue(), "Later", "one message after the other");
  await page.locator("[data-stop]").click();
  await gone;
  await until(page, (view) => view.session.status === "idle");
  await send("Fail");
  await page.locator(`[data-sent="failed"]`).waitFor();
  assert.equal(await field.inputValue(), "Fail", "what did not arrive is still here");
  const said = (role, content, copilot_references = []) => ({ role, content, copilot_references });
  const talk = [said("user", "Ahoy"), said("assistant", "Re: Ahoy", [{ type: "note", id: "n" }]), said("user", "Hang"), said("assistant", "And so on"), said("user", "Fail")];
  assert.deepEqual(agent.posted, [1, 3, 5].map((length) => ({ messages: talk.slice(0, length) })));
  const { timeline } = await snapshot(page);
  const words = timeline.filter(({ kind }) => ["user", "assistant"].includes(kind));
  assert.deepEqual(words.map(({ text, state }) => [text, state]), [
    ["Ahoy", "done"], ["Re: Ahoy", "done"], ["Hang", "done"], ["And so on", "interrupted"],
  ]);
  for (const control of ["[data-mode]", "[data-model]", "[data-permissions]", "[data-more]", "[data-act=rewind]"]) {
    assert.equal(await page.locator(`${control}:visible`).count(), 0, control);
  }
}, { expected: [/404/] });

scenario("a host of the runtime's takes messages where the page says so, and is asked nothing", async (stage) => {
  const start = JSON.stringify({ type: "session.start", id: "e", timestamp: "2026-11-21T20:47:20Z", parentId: null, data: { sessionId: "s" } });
  const agent = await host(stage, `id: 1\ndata: ${start}\n\n`, ({ id }, response) =>
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result: { messageId: "m" } })));
  const page = await embed(stage, agent, `protocol="runtime"`);
  const field = page.locator("[data-compose]");
  await field.fill("Ahoy");
  await field.press("Enter");
  await page.locator(`[data-sent="taken"]`).waitFor();
  assert.deepEqual(agent.posted.map(({ method, params }) => [method, params.prompt]), [["session.send", "Ahoy"]]);
});
