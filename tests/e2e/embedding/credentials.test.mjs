// Tests the callback `auth`: before each connection, once more when credentials are refused, and then the user is asked.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";

import { Script } from "../support/events.mjs";
import { IDLE, answer, card, scenario, until } from "../support/harness.mjs";

const OPERATOR = "e2e-token-of-the-operator";
const STALE = "e2e-token-that-has-run-out";
const tokens = { PILOTHOUSE_TOKEN: OPERATOR };
/** What a browser logs when a server answers 401. */
const REFUSED = /Failed to load resource|WebSocket connection to/;

const asking = (name = "guarded") => new Script(name).user("Go").turn().ask("look", "ls").allowed("look").rest().events;
const connection = (page, word, tag = "pilot-house") => page.locator(`${tag}[data-connection="${word}"]`).waitFor();

/** A page of an origin of its own, and a server there that answers what `api` takes. Returns its origin. */
async function site(stage, api = () => false) {
  const html = `<!doctype html><html lang="en"><title>Team</title><link rel="icon" href="data:,">
    <style>body { margin: 0 } pilot-house, pilot-house-board { display: block; height: 100vh }</style><body></body></html>`;
  const server = createServer((request, response) => {
    if (api(request, response)) return;
    response.writeHead(200, { "Content-Type": "text/html" }).end(html);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  stage.atEnd(() => (server.closeAllConnections(), server.close()));
  return `http://127.0.0.1:${server.address().port}`;
}

/**
 * Puts an element into the page whose `auth` gives the next of `tokens` each time, then throws. What it was asked is in
 * `window.asked`.
 */
async function signed(stage, origin, gateway, { src = `${gateway}/`, transport = "ws", given, tag = "pilot-house", headers }) {
  const page = await stage.page(`${origin}/`);
  await page.evaluate(async ([gateway, src, transport, given, tag, headers]) => {
    window.asked = [];
    window.errors = [];
    const element = document.createElement(tag);
    element.addEventListener("pilothouse-error", ({ detail }) => window.errors.push(detail.message));
    element.auth = async ({ refused }) => {
      window.asked.push(refused);
      if (!given.length) throw new Error("signed out everywhere");
      return { token: given.shift(), headers };
    };
    element.src = src;
    if (tag === "pilot-house") element.transport = transport;
    document.body.append(element);
    const { load } = await import(`${gateway}/pkg/index.js`);
    await load();
  }, [gateway, src, transport, given, tag, headers]);
  return page;
}

/** Fails if a token is in an address that a page has requested. */
function noTokenInAddresses(stage) {
  const addresses = stage.requests.map((address) => decodeURIComponent(address));
  for (const token of [OPERATOR, STALE]) assert.deepEqual(addresses.filter((address) => address.includes(token)), []);
}

scenario("a token that has run out is replaced once, on a WebSocket, and the session goes on", async (stage) => {
  const origin = await site(stage);
  const gateway = await stage.serve([asking()], { tokens, access: ["--allow-origin", origin] });
  const page = await signed(stage, origin, gateway, { given: [STALE, OPERATOR] });
  await connection(page, "open");
  assert.deepEqual(await page.evaluate(() => window.asked), [false, true]);
  await answer(page, "look", "approve-once");
  await until(page, IDLE);
  noTokenInAddresses(stage);
}, { expected: [REFUSED] });

scenario("over server-sent events headers go with every request, and an answer that was refused is sent again with others", async (stage) => {
  let valid = OPERATOR;
  const seen = [];
  const taken = [];
  const [first, ...events] = asking("streamed").filter(({ type }) => type !== "permission.completed").slice(0, 4);
  const origin = await site(stage, (request, response) => {
    if (!request.url.startsWith("/api/")) return false;
    const { authorization, "x-tenant": tenant } = request.headers;
    seen.push({ url: request.url, tenant });
    if (authorization !== `Bearer ${valid}`) return response.writeHead(401).end();
    const json = (value) => response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(value));
    if (request.method === "POST") {
      let body = "";
      request.on("data", (part) => (body += part)).on("end", () => {
        const { id, method } = JSON.parse(body);
        if (method.includes("handlePending")) taken.push(authorization);
        json({ jsonrpc: "2.0", id, result: { success: true } });
      });
      return true;
    }
    if (request.url === "/api/sessions") return json([{ sessionId: "streamed" }]);
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    for (const [nth, event] of [first, ...events].entries()) response.write(`id: ${nth + 1}\ndata: ${JSON.stringify(event)}\n\n`);
    return true;
  });
  const gateway = await stage.serve([], { access: ["--allow-origin", origin] });
  const page = await signed(stage, origin, gateway, { src: `${origin}/`, transport: "sse", given: [STALE, OPERATOR, "e2e-token-of-tomorrow"], headers: { "X-Tenant": "harbour" } });
  await connection(page, "open");
  await card(page, "look").waitFor();
  assert.deepEqual(await page.evaluate(() => window.asked), [false, true]);

  valid = "e2e-token-of-tomorrow";
  await answer(page, "look", "approve-once");
  await page.waitForFunction(() => window.asked.length === 3);
  await page.waitForFunction(() => !document.querySelector("pilot-house").shadowRoot.querySelector('[data-request-id="look"] [data-answer]:enabled'));
  while (!taken.length) await new Promise((later) => setImmediate(later));
  assert.deepEqual(taken, [`Bearer ${valid}`]);
  assert.deepEqual(await page.evaluate(() => window.asked), [false, true, true]);
  assert.ok(seen.length > 4 && seen.every(({ tenant }) => tenant === "harbour"), JSON.stringify(seen));
  noTokenInAddresses(stage);
}, { expected: [REFUSED] });

scenario("if there is no other token the user is asked, and what the callback threw is reported", async (stage) => {
  const origin = await site(stage);
  const gateway = await stage.serve([asking()], { tokens, access: ["--allow-origin", origin] });
  const page = await signed(stage, origin, gateway, { given: [STALE] });
  await connection(page, "closed");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  assert.deepEqual(await page.evaluate(() => window.asked), [false, true]);
  const [thrown, shown] = await page.evaluate(() => window.errors);
  assert.equal(thrown, "signed out everywhere");
  assert.match(shown, /wants a sign-in/);

  await page.getByLabel("Token").fill(OPERATOR);
  await page.getByRole("button", { name: "Sign in" }).click();
  await connection(page, "open");
  assert.deepEqual(await page.evaluate(() => window.asked), [false, true], "what a person types counts");
  await card(page, "look").waitFor();
}, { expected: [REFUSED] });

scenario("a callback that fails before a connection is asked again, as after any failure", async (stage) => {
  const origin = await site(stage);
  const gateway = await stage.serve([asking()], { tokens, access: ["--allow-origin", origin] });
  const page = await signed(stage, origin, gateway, { given: [] });
  await page.getByText("signed out everywhere").first().waitFor();
  await page.waitForFunction(() => window.asked.length > 1);
  assert.deepEqual(await page.evaluate(() => [...new Set(window.asked)]), [false]);
  // Another callback is used from the next time on.
  await page.evaluate((token) => (document.querySelector("pilot-house").auth = () => ({ token })), OPERATOR);
  await connection(page, "open");
});

scenario("the board and the session that is opened from it use the board's callback", async (stage) => {
  const origin = await site(stage);
  const access = ["--allow-origin", origin];
  const gateway = await stage.serve([asking("one"), asking("two")], { tokens, access });
  const page = await signed(stage, origin, gateway, { given: [STALE, OPERATOR, OPERATOR], tag: "pilot-house-board" });
  await page.locator('[data-session="one"]').waitFor();
  assert.deepEqual(await page.evaluate(() => window.asked), [false, true]);
  await page.evaluate(() => (location.hash = ""));
  await page.locator('[data-session="one"]').click();
  await connection(page, "open");
  assert.deepEqual(await page.evaluate(() => window.asked), [false, true, false]);
  noTokenInAddresses(stage);
}, { expected: [REFUSED] });

scenario("a connection without a view asks for credentials in the same way", async (stage) => {
  for (const transport of ["ws", "sse"]) {
    const gateway = await stage.serve([asking()], { tokens });
    // A page of the gateway's origin without the element. Browsers ask for an icon of it.
    const prepare = (page) => page.route(/favicon/, (route) => route.fulfill({ status: 204 }));
    const page = await stage.page(`${gateway}/extras/present.js`, { prepare });
    const seen = await page.evaluate(async ([transport, STALE, OPERATOR]) => {
      const { connect, load } = await import("/pkg/headless.js");
      await load();
      const asked = [];
      const given = [STALE, OPERATOR];
      const auth = async ({ refused }) => (asked.push(refused), { token: given.shift() });
      const connection = connect("/", { session: "guarded", transport, auth });
      while (!connection.session.snapshot().pending.length) await new Promise((later) => connection.session.subscribe(later));
      const taken = await connection.answer("look", { result: { kind: "approve-once" } });
      connection.close();
      const again = [];
      const refused = connect("/", { session: "guarded", transport, auth: async ({ refused }) => (again.push(refused), { token: STALE }) });
      try {
        for await (const _ of refused);
      } catch (error) {
        return { asked, taken, again, name: error.name };
      }
    }, [transport, STALE, OPERATOR]);
    assert.deepEqual(seen, { asked: [false, true], taken: true, again: [false, true], name: "ConnectionError" }, transport);
  }
  noTokenInAddresses(stage);
}, { expected: [REFUSED] });
