// Tests access control: signing in by link and by token, a viewer's limits, pages of
// other sites, and that no secret is left anywhere.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";

import { Script } from "../support/events.mjs";
import { every } from "../support/every-type.mjs";
import { taken } from "../support/first-screen.mjs";
import { IDLE, answer, card, frames, nightly, push, scenario, snapshot, until, violations } from "../support/harness.mjs";

const OPERATOR = "e2e-token-of-the-operator";
const VIEWER = "e2e-token-of-the-viewer";
const tokens = { PILOTHOUSE_TOKEN: OPERATOR, PILOTHOUSE_VIEWER_TOKEN: VIEWER };
const ANSWER = "session.permissions.handlePendingPermissionRequest";

const asking = () => new Script("guarded").user("Go").turn().ask("look", "ls").allowed("look").rest().events;
const guarded = (stage, more = {}) => stage.serve([asking()], { tokens, ...more });
/** What a browser logs when a server answers 401, 403 or 429, or refuses a socket. */
const REFUSED = /Failed to load resource|WebSocket connection to|blocked by CORS policy/;

const hook = (page, name, value) => page.locator(`pilot-house[data-${name}="${value}"]`).waitFor();

/** The sign-in link that the gateway printed for a role. */
async function link(stage, role) {
  const line = new RegExp(`sign in as ${role}[^\\n]*(/signin\\?code=\\w+)`);
  while (!line.test(stage.gatewaySaid.join("\n"))) await new Promise((later) => setImmediate(later));
  return stage.gatewaySaid.join("\n").match(line)[1];
}

/** Everything in which a secret could have been left. */
async function leftovers(stage, page) {
  const kept = await page.evaluate(() => {
    const root = document.querySelector("pilot-house").shadowRoot;
    const fields = [...root.querySelectorAll("input, textarea")].map((field) => field.value);
    return [
      location.href, document.referrer, document.cookie, JSON.stringify({ ...localStorage, ...sessionStorage }),
      document.documentElement.outerHTML, root.innerHTML, ...fields, String(history.length && JSON.stringify(history.state)),
      ...performance.getEntriesByType("resource").map(({ name }) => name),
    ];
  });
  return [...kept, ...stage.said, ...stage.gatewaySaid.filter((line) => !line.includes("/signin?code="))].join("\n");
}

scenario("a link signs in once; nothing of it stays in the address, and a reload stays signed in", async (stage) => {
  const gateway = await guarded(stage);
  const path = await link(stage, "operator");
  const page = await stage.page(gateway + path);
  await hook(page, "connection", "open");
  await hook(page, "role", "operator");
  assert.equal(page.url(), `${gateway}/`);
  const left = await leftovers(stage, page);
  for (const secret of [OPERATOR, VIEWER, path.split("=")[1]]) assert.ok(!left.includes(secret), secret);
  const [cookie] = await page.context().cookies();
  assert.deepEqual([cookie.httpOnly, cookie.sameSite, cookie.path], [true, "Strict", "/"]);
  assert.ok(!cookie.value.includes(OPERATOR));

  await page.reload();
  await answer(page, "look", "approve-once");
  await until(page, IDLE);

  const other = await stage.page(gateway + path);
  await other.getByRole("heading", { name: "This link does not work any more" }).waitFor();
}, { expected: [REFUSED] });

scenario("a server on another port of this machine does not get the cookie of who signed in by link", async (stage) => {
  const asked = [];
  const other = createServer(({ headers }, response) => {
    asked.push(headers.cookie ?? "");
    response.setHeader("Content-Type", "text/html").end("<title>Preview</title>Preview");
  }).listen(0);
  await once(other, "listening");
  stage.atEnd(() => void other.close());
  const { port } = other.address();
  const preview = new Script("preview").user("Go").turn();
  const places = ["127.0.0.1", "localhost", "pilothouse.localhost"];
  for (const name of places) preview.say(`[${name}](http://${name}:${port}/)`);
  const gateway = await stage.serve([preview.rest().events], { tokens });
  await link(stage, "operator");
  const [whole] = stage.gatewaySaid.join("\n").match(/http:\S+code=\w+(?=[^]*viewer)/);
  const page = await stage.page(whole);
  await hook(page, "role", "operator");
  assert.notEqual(new URL(page.url()).hostname, new URL(gateway).hostname);
  for (const name of places) {
    const opened = page.context().waitForEvent("page");
    await page.getByRole("link", { name, exact: true }).click();
    await (await opened).getByText("Preview").waitFor();
  }
  assert.ok(asked.length >= places.length);
  assert.deepEqual(asked.filter((cookie) => cookie.includes("pilothouse")), []);
}, { expected: [REFUSED] });

scenario("who is not signed in is asked for the token, and told if it is wrong", async (stage) => {
  const gateway = await guarded(stage);
  const page = await stage.page(gateway);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await hook(page, "connection", "closed");
  const field = page.getByLabel("Token");
  assert.equal(await field.getAttribute("type"), "password");
  assert.deepEqual(await violations(page), []);

  await field.fill("a-token-of-somebody-else");
  await field.press("Enter");
  await page.getByRole("alert").getByText("not one of this server").waitFor();
  await field.fill(OPERATOR);
  await page.getByRole("button", { name: "Sign in" }).click();
  await card(page, "look").waitFor();
  await hook(page, "role", "operator");
  const left = await leftovers(stage, page);
  for (const secret of [OPERATOR, "a-token-of-somebody-else"]) assert.ok(!left.includes(secret), secret);

  await page.reload();
  await card(page, "look").waitFor();
}, { expected: [REFUSED] });

nightly("the board asks for the token in the same words, also after a link that was used", async (stage) => {
  const gateway = await stage.serve([asking(), new Script("other").user("Rest").turn().rest().events], { tokens });
  const used = await link(stage, "operator");
  const first = await stage.page(gateway + used);
  await first.locator('[data-session="guarded"]').waitFor();
  // Following the link again while signed in still gets in.
  await first.goto(gateway + used);
  await first.locator('[data-session="guarded"]').waitFor();
  assert.equal(first.url(), `${gateway}/`);

  const page = await stage.page(gateway + used);
  await page.getByRole("heading", { name: "This link does not work any more" }).waitFor();
  await page.getByRole("link", { name: "Sign in with the token" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.locator('pilot-house-board[data-connection="closed"]').waitFor();
  await page.getByText("enter a token that you were given").waitFor();
  assert.deepEqual(await violations(page), []);
  const field = page.getByLabel("Token");
  await field.fill("a-token-of-somebody-else");
  await field.press("Enter");
  await page.getByRole("alert").getByText("not one of this server").waitFor();
  await field.fill(OPERATOR);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.locator('[data-session="guarded"] [data-answer-here]').click();
  await page.locator('[data-request-id="look"]').waitFor();
  await page.reload();
  await page.locator('[data-session="guarded"]').waitFor();
}, { expected: [REFUSED] });

scenario("a board and the session beside it ask for the token once, and both go on", async (stage) => {
  const gateway = await stage.serve([asking(), new Script("other").user("Rest").turn().rest().events], { tokens });
  for (const width of [1400, 380]) {
    const page = await stage.page(`${gateway}/#session=guarded`, { width });
    await page.locator('pilot-house-board[data-connection="closed"]').waitFor();
    await page.locator('.pane pilot-house[data-connection="closed"]').waitFor();
    await page.getByLabel("Token").first().waitFor();
    await frames(page);
    assert.equal(await page.getByLabel("Token").count(), 1, `${width} px`);
    await page.getByLabel("Token").fill(OPERATOR);
    await page.getByRole("button", { name: "Sign in" }).click();
    await card(page, "look").waitFor();
    await page.locator('pilot-house-board[data-connection="open"]').waitFor();
    await page.locator('[data-session="other"]').waitFor({ state: "attached" });
    assert.equal(await page.getByLabel("Token").count(), 0);
    await page.context().clearCookies();
  }
}, { expected: [REFUSED] });

nightly("a board whose sign-in has run out asks again, and keeps what it shows", async (stage) => {
  const gateway = await stage.serve([asking()]);
  const sockets = [];
  let signedIn = true;
  const page = await stage.page(gateway, {
    prepare: async (page) => {
      // The gateway's answers, as after a restart with another token.
      await page.routeWebSocket(/\/api\/rpc/, (socket) => {
        sockets.push(socket);
        socket.onMessage((text) => {
          const { id, params } = JSON.parse(text);
          signedIn ||= params.token === OPERATOR;
          const answer = signedIn
            ? { result: { sessions: [{ sessionId: "kept", title: "Kept", status: "idle" }], capabilities: [] } }
            : { error: { code: -32010, message: "sign in: this gateway needs a token" } };
          socket.send(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
        });
      });
      await page.route(`${gateway}/`, async (route) => {
        const response = await route.fetch();
        const html = (await response.text()).replace('<pilot-house keys="page" board="auto"', "<pilot-house-board history");
        await route.fulfill({ response, body: html.replace("</pilot-house>", "</pilot-house-board>") });
      });
    },
  });
  await page.locator('[data-session="kept"]').waitFor();
  signedIn = false;
  await sockets.at(-1).close({ code: 1001 });
  await page.getByText("wants you to sign in again").waitFor();
  await page.locator('[data-session="kept"]').waitFor();
  await page.getByLabel("Token").fill(OPERATOR);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("wants you to sign in again").waitFor({ state: "detached" });
  await page.locator('pilot-house-board[data-connection="open"]').waitFor();
}, { expected: [REFUSED] });

/** Methods that a viewer might call past the page; each changes something. */
const CALLS = {
  [ANSWER]: { requestId: "look", result: { kind: "approve-once" } },
  "session.send": { prompt: "Sink the boats" },
  "session.abort": {},
  "session.queue.removeAt": { id: "1" },
  "session.queue.updateText": { id: "1", prompt: "Sink the boats" },
  "session.queue.clear": {},
  "session.model.switchTo": { modelId: "gpt-4.1" },
  "session.mode.set": { mode: "autopilot" },
  "session.permissions.setMode": { mode: "allow-all" },
  "session.shell.exec": { command: "ls" },
  "pilothouse.create": {},
};

/** In the page: the server's replies to each of these, posted and over a WebSocket. */
async function callAll(calls) {
  const socket = new WebSocket(`${location.origin.replace("http", "ws")}/api/rpc`);
  await new Promise((open) => (socket.onopen = open));
  const refusals = {};
  for (const [method, params] of Object.entries(calls)) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: method, method, params: { sessionId: "guarded", ...params } });
    const posted = await fetch("/api/sessions/guarded/rpc", { method: "POST", body });
    const { error } = await posted.json();
    const told = new Promise((message) => (socket.onmessage = ({ data }) => message(JSON.parse(data))));
    socket.send(body);
    refusals[method] = [posted.status, error.code, (await told).error.code, error.message];
  }
  return refusals;
}

scenario("a viewer watches: no buttons, and the server refuses what is sent past them", async (stage) => {
  const gateway = await guarded(stage);
  const page = await stage.page(gateway + (await link(stage, "viewer")));
  await hook(page, "role", "viewer");
  await card(page, "look").getByText("Read only").waitFor();
  assert.equal(await card(page, "look").locator("[data-answer]").count(), 0);

  const before = await snapshot(page);
  const refusals = await page.evaluate(callAll, CALLS);
  for (const [method, [status, posted, told, words]] of Object.entries(refusals)) {
    assert.deepEqual([status, posted, told], [403, -32011, -32011], method);
    assert.equal(words, `${method}: you are signed in as a viewer, who changes nothing; sign in with the operator's token`);
  }
  assert.deepEqual(await snapshot(page), before);

  // Over server-sent events the page learns its role as well.
  const embedded = await stage.page(gateway + (await link(stage, "operator")));
  await hook(embedded, "role", "operator");
  await embedded.evaluate((token) => {
    const element = document.querySelector("pilot-house");
    element.setAttribute("transport", "sse");
    element.setAttribute("token", token);
  }, VIEWER);
  await hook(embedded, "role", "viewer");
  await card(embedded, "look").getByText("Read only").waitFor();
}, { expected: [REFUSED] });

/** Every kind of request, all open at once. Some have more to press than their answers. */
const everything = () => {
  const script = new Script("everything").read("file", "/workspace/boats/tables/the-harbour-and-its-berths.json");
  script.add("elicitation.requested", { requestId: "visit", message: "Sign in there", mode: "url", url: "https://buoys.example/auth", elicitationSource: "buoys" }, { ephemeral: true });
  const asked = every.filter(({ type }) => /requested$|queued$|execute$|oauth_required$/.test(type) && type !== "tool.user_requested");
  return [...script.events.slice(1), ...asked.map(({ event }) => event)];
};

/** In the page: the buttons and the editable fields in its cards. */
function open() {
  const cards = [...document.querySelector("pilot-house").shadowRoot.querySelectorAll("[data-request-id]")];
  const seen = (selector) => cards.flatMap((card) => [...card.querySelectorAll(selector)].filter((one) => one.checkVisibility()));
  const pressed = seen("button, a, input[type=radio]").map((one) => one.textContent || one.value);
  return { cards: cards.length, pressed, filled: seen("input, select, textarea").filter((field) => !field.disabled).length };
}

scenario("a viewer sees all that is asked, with nothing to press or to fill in, and is not told to answer", async (stage) => {
  const gateway = await guarded(stage);
  const events = everything();
  const opened = async (role, width) => {
    const page = await stage.page(gateway + (await link(stage, role)), { width, height: 6000 });
    await hook(page, "role", role);
    await card(page, "look").waitFor();
    await push(page, events);
    await page.waitForFunction((all) => document.querySelector("pilot-house").shadowRoot.querySelectorAll("[data-request-id]").length === all, events.length + 1);
    return page;
  };
  const operator = await opened("operator", 1280);
  const answered = await operator.evaluate(open);
  assert.ok(answered.pressed.length > 3 * events.length && answered.filled > 6, "these are the same cards with their answers");
  await operator.getByText("Waiting for you", { exact: true }).waitFor();

  const viewer = await opened("viewer", 1280);
  assert.deepEqual(await viewer.evaluate(open), { cards: events.length + 1, pressed: [], filled: 0 });
  for (const offered of ["North", "South", "Interactive: asks before it acts", "https://buoys.example/auth"]) await viewer.getByText(offered).first().waitFor();
  await viewer.getByText("Waiting for an answer", { exact: true }).waitFor();
  await viewer.getByRole("button", { name: `${events.length + 1} requests wait for an answer` }).click();
  await viewer.locator("[data-waiting]").getByRole("heading", { name: `${events.length + 1} requests wait for an answer` }).waitFor();
  await viewer.locator('[role="status"]', { hasText: "The agent waits for an answer" }).waitFor({ state: "attached" });
  assert.deepEqual(await violations(viewer), []);

  await viewer.keyboard.press("Escape");
  await viewer.setViewportSize({ width: 380, height: 6000 });
  await frames(viewer);
  const { width } = await card(viewer, "file").locator(".request-line").boundingBox();
  assert.ok(width > 250, `the path is ${width} px wide`);
  const wide = await viewer.evaluate(() => document.documentElement.scrollWidth);
  assert.equal(wide, 380);
});

scenario("on the board of a viewer sessions wait for an answer, and none can be given or begun", async (stage) => {
  const other = new Script("other").user("Go").turn().ask("see", "ls").allowed("see").rest().events;
  const gateway = await stage.serve([asking(), other], { tokens });
  const page = await stage.page(gateway + (await link(stage, "viewer")));
  const tile = page.locator('[data-session="guarded"][data-status="waiting"]');
  await tile.locator(".word").getByText("Waiting for an answer").waitFor();
  await page.getByText("2 wait for an answer").waitFor();
  assert.equal(await page.locator("[data-answer-here], [data-new], [data-end], [data-request-id]").count(), 0);
  const operator = await stage.page(gateway + (await link(stage, "operator")));
  await taken(operator, "pilot-house-board");
  await operator.getByText("2 wait for you").waitFor();
  assert.equal(await operator.locator("[data-answer-here]").count(), 2);
});

/** Another site: another port of this machine, under a host name of its own. */
async function site(stage, html) {
  const server = createServer((_, response) => response.setHeader("content-type", "text/html").end(html)).listen(0, "127.0.0.1");
  await once(server, "listening");
  stage.atEnd(() => server.close());
  return server.address().port;
}

/**
 * In a page: the outcome of a socket, a read and a post to the gateway, with whatever
 * cookies the browser adds.
 */
async function attack([gateway, method]) {
  const socket = new WebSocket(`${gateway.replace("http", "ws")}/api/rpc`);
  const opened = new Promise((done) => {
    socket.onopen = () => done("open");
    socket.onerror = () => done("refused");
  });
  const tried = (options) => fetch(gateway + options.path, options).then((reply) => reply.status, () => "refused");
  const params = { sessionId: "guarded", requestId: "look", result: { kind: "approve-once" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return [
    await opened,
    await tried({ path: "/api/sessions", credentials: "include" }),
    await tried({ path: "/api/sessions/guarded/rpc", method: "POST", body, credentials: "include", mode: "no-cors" }),
  ];
}

scenario("a page of another site can't connect, read or answer, not even in the browser of an operator", async (stage) => {
  const gateway = await guarded(stage);
  const own = await stage.page(gateway + (await link(stage, "operator")));
  await card(own, "look").waitFor();
  const port = await site(stage, "<!doctype html><title>Elsewhere</title><link rel=icon href='data:,'>");
  const evil = await own.context().newPage();
  await evil.goto(`http://127.0.0.1:${port}/`);
  const [socket, read] = await evil.evaluate(attack, [gateway, ANSWER]);
  assert.deepEqual([socket, read], ["refused", "refused"]);
  assert.equal((await snapshot(own)).pending.length, 1, "the post was not taken");
}, { expected: [REFUSED] });

nightly("a name that is pointed at this machine is refused", async (stage) => {
  const gateway = await stage.serve([asking()]);
  const { port } = new URL(gateway);
  // Chromium resolves every name under localhost to this machine. The header is what another name would send.
  const replies = await Promise.all(["/", "/api/sessions", "/healthz"].map(async (path) => {
    const { request } = await import("node:http");
    const asked = request({ host: "127.0.0.1", port, path, headers: { host: `rebound.example:${port}` } }).end();
    const [reply] = await once(asked, "response");
    reply.resume();
    return reply.statusCode;
  }));
  assert.deepEqual(replies, [403, 403, 403]);
});

scenario("a page of an allowed origin embeds the element with a token, and can answer", async (stage) => {
  const html = `<!doctype html><html lang="en"><title>Team</title><link rel="icon" href="data:,">
    <style>body { margin: 0 } pilot-house { display: block; height: 100vh }</style><body></body></html>`;
  const origin = `http://127.0.0.1:${await site(stage, html)}`;
  const gateway = await guarded(stage, { access: ["--allow-origin", origin] });
  for (const transport of ["ws", "sse"]) {
    const page = await stage.page(`${origin}/`);
    await page.evaluate(async ([gateway, token, transport]) => {
      const element = document.createElement("pilot-house");
      for (const [name, value] of Object.entries({ src: `${gateway}/`, token, transport })) element.setAttribute(name, value);
      document.body.append(element);
      const { load } = await import(`${gateway}/pkg/index.js`);
      await load();
    }, [gateway, OPERATOR, transport]);
    await card(page, "look").waitFor();
    if (transport === "ws") continue;
    await answer(page, "look", "approve-once");
    await until(page, IDLE);
  }
});

for (const [who, guards] of [["with a token", { tokens }], ["without a token", {}]]) {
  (guards.tokens ? nightly : scenario)(`the page works under its own policy, ${who}: text, colours, a formula, a diagram`, async (stage) => {
    const text = "Look:\n\n```js\nconst one = 1;\n```\n\n$$e = mc^2$$\n\n```mermaid\ngraph TD; A-->B;\n```\n";
    const recording = new Script("rich").user("Go").turn().say(text).rest().events;
    const gateway = await stage.serve([recording], guards);
    const page = await stage.page(gateway + (guards.tokens ? await link(stage, "viewer") : ""));
    await page.locator("math").waitFor();
    await page.locator('img[src^="data:"]').waitFor();
    await page.locator("pre code span").first().waitFor();
    const policy = (await page.request.get(gateway)).headers()["content-security-policy"];
    const directives = policy.split("; ").map((directive) => directive.replace(/ 'sha256-[^']*'/g, ""));
    assert.deepEqual(directives, [
      "default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'", "style-src 'self'", "img-src 'self' data:", "media-src data:",
      "connect-src 'self'", "worker-src 'self'", "manifest-src 'self'", "frame-src 'self'", "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'",
      "trusted-types pilothouse-worker", "frame-ancestors 'self'",
    ]);
  });
}

scenario("on the page without a token nothing that is inserted runs, and nothing is asked of other servers", async (stage) => {
  const gateway = await stage.serve([new Script("rich").user("Go").turn().say("Words").rest().events]);
  const elsewhere = await stage.serve();
  const page = await stage.page(gateway);
  await page.getByText("Words").waitFor();
  const done = await page.evaluate(async (elsewhere) => {
    window.ran = [];
    const attempt = async (act) => {
      try {
        return await act();
      } catch (error) {
        return error.name;
      }
    };
    const insert = (name, fields) => attempt(() => {
      const element = Object.assign(document.createElement(name), fields);
      document.body.append(element);
      return new Promise((done) => {
        element.onload = () => done("loaded");
        element.onerror = () => done("refused");
      });
    });
    return [
      await attempt(() => (document.body.innerHTML = "<b>markup</b>")),
      await insert("script", { textContent: "window.ran.push(1)" }),
      await insert("script", { src: `${elsewhere}/page.js` }),
      await attempt(() => fetch(`${elsewhere}/healthz`, { mode: "no-cors" }).then(() => "fetched")),
      await insert("img", { src: `${elsewhere}/dot.gif` }),
      window.ran.length,
    ];
  }, elsewhere);
  assert.deepEqual(done, ["TypeError", "TypeError", "TypeError", "TypeError", "refused", 0]);
}, { expected: [/Content Security Policy|Trusted(HTML|Script|ScriptURL)' assignment/] });
