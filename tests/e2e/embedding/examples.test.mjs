// Tests that the examples work: their page in a browser, with the servers in Node and
// Python. The SDK is replaced by a stand-in with the same interface, because the real
// one brings a runtime of 100 MB and needs an account.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { Script } from "../support/events.mjs";
import { answer, card, freePort, IDLE, nightly, scenario, snapshot, until } from "../support/harness.mjs";
import { serveFolders } from "../support/serve.mjs";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const STANDINS = new URL("../support/standins/", import.meta.url);

const SERVERS = {
  node: [process.execPath, ["--import", new URL("node.mjs", STANDINS).href, join(ROOT, "examples/node/server.mjs")]],
  python: ["python3", [join(ROOT, "examples/python/server.py")], { PYTHONPATH: fileURLToPath(new URL("python", STANDINS)), PYTHONDONTWRITEBYTECODE: "1" }],
};

/** Serves the repository as `python3 -m http.server` does, with the port of the example's server put into the page. */
const site = (stage, port) =>
  serveFolders(stage, { "/": ROOT }, { page: (text) => text.replaceAll("127.0.0.1:3000", `127.0.0.1:${port}`) });

/** Starts an example's server and waits until it listens. `said` gets the lines of its standard error. */
async function start(stage, [program, args, more], env, said) {
  const server = spawn(program, args, { env: { ...process.env, ...more, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  createInterface(server.stderr).on("line", said);
  stage.atEnd(async () => {
    if (server.exitCode !== null) return;
    server.kill("SIGKILL");
    await once(server, "exit");
  });
  const ended = once(server, "exit").then(() => assert.fail("the server ended at once"));
  await Promise.race([once(createInterface(server.stdout), "line"), ended]);
  ended.catch(() => {});
}

/** One of the servers with its recording. `called` are its calls to the SDK. */
async function serve(stage, language) {
  const [port, folder] = [await freePort(), await mkdtemp(join(tmpdir(), "pilothouse-example-"))];
  stage.atEnd(() => rm(folder, { recursive: true }));
  const script = new Script("example").user("Look around").turn().ask("look", "ls").allowed("look");
  const recording = join(folder, "recording.jsonl");
  await writeFile(recording, script.say("The boats are here.").rest().events.map((event) => `${JSON.stringify(event)}\n`).join(""));
  const page = await site(stage, port);
  const [program, args, more] = SERVERS[language];
  const called = [];
  const env = { PORT: port, PAGE_ORIGIN: page, STANDIN_RECORDING: recording };
  await start(stage, [program, [...args, "Look around"], more], env, (line) => {
    if (line.startsWith("called ")) called.push(line.slice(7));
    else stage.gatewaySaid.push(line);
  });
  return { address: `http://127.0.0.1:${port}`, port, page, called };
}

/** A request with headers that `fetch` does not allow. Resolves to the response. */
async function ask({ port }, path, { method = "GET", headers = {}, body } = {}) {
  const asked = request({ host: "127.0.0.1", port, path, method, headers }).end(body);
  const [response] = await once(asked, "response");
  return response;
}

for (const language of Object.keys(SERVERS)) {
  const [program] = SERVERS[language];
  if (spawnSync(program, ["--version"]).error) {
    test(`the example in ${language}`, { skip: `there is no ${program} on this machine` }, () => {});
    continue;
  }

  scenario(`the example in ${language}: events are shown, and a permission that is clicked reaches the SDK`, async (stage) => {
    const server = await serve(stage, language);
    const page = await stage.page(`${server.page}/examples/page/`);
    await answer(page, "look", "approve-once");
    await until(page, IDLE);
    await page.getByText("The boats are here.").waitFor();
    assert.deepEqual(server.called, [
      'send {"prompt": "Look around"}',
      'permissions.handlePendingPermissionRequest {"requestId": "look", "result": {"kind": "approve-once"}}',
    ].map((line) => (language === "node" ? line.replaceAll('": ', '":').replaceAll(', "', ',"') : line)));
    const before = await snapshot(page);
    await page.reload();
    await until(page, IDLE);
    assert.deepEqual((await snapshot(page)).timeline.map(({ id }) => id), before.timeline.map(({ id }) => id));
  });

  nightly(`the example in ${language} goes on after the last event seen, and refuses others`, async (stage) => {
    const server = await serve(stage, language);
    const page = await stage.page(`${server.page}/examples/page/`);
    await card(page, "look").waitFor();
    const stream = await ask(server, "/events", { headers: { origin: server.page, "last-event-id": "2" } });
    assert.equal(stream.headers["access-control-allow-origin"], server.page);
    let text = "";
    for await (const part of stream) if (/\n\n[^]*data:.*\n\n/.test((text += part))) break;
    stream.destroy();
    assert.match(text, /^:.*\n\nid: 3\n/);

    const post = { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "session.shell.exec", params: {} }) };
    const other = await ask(server, "/rpc", { ...post, headers: { origin: server.page } });
    assert.match(String(await other.toArray()), /no method session\.shell\.exec here/);
    const foreign = [{ origin: "https://evil.example" }, { host: `rebound.example:${server.port}` }];
    for (const headers of foreign) {
      for (const [path, how] of [["/events", {}], ["/rpc", post]]) {
        const refused = await ask(server, path, { ...how, headers });
        assert.equal(refused.statusCode, 403, JSON.stringify(headers));
        refused.resume();
      }
    }
    assert.equal(server.called.length, 1, "nothing but the first message");
  });
}

scenario("the example of the platform: a whole chat with an agent, in words, references, an error and confirmations", async (stage) => {
  const port = await freePort();
  const site_ = await site(stage, port);
  const agent = [process.execPath, [join(ROOT, "examples/platform/server.mjs")]];
  await start(stage, agent, { PORT: port, PAGE_ORIGIN: site_ }, (line) => stage.gatewaySaid.push(line));
  const page = await stage.page(`${site_}/examples/platform/`);
  const field = page.locator("[data-compose]");
  const say = async (text, shown) => {
    await field.fill(text);
    await field.press("Enter");
    await page.getByText(shown).waitFor();
    await until(page, `(view) => view.session.status !== "running"`);
  };
  await say("Good morning", "You said “Good morning”, as message 1 of our talk.");
  assert.equal(await field.inputValue(), "");
  await say("And again", "You said “And again”, as message 3 of our talk.");

  await say("What does the log say?", "Three boats came in.");
  const reference = page.locator(".links li", { hasText: "The harbour's log" });
  assert.equal(await reference.locator("a").getAttribute("href"), "http://127.0.0.1/log.txt");
  assert.equal(await reference.locator("[data-icon] svg").count(), 1, "its icon");
  await reference.getByText("implicit").waitFor();

  await say("Is it stale?", "It was not written today");
  await page.getByRole("button", { name: "About: The harbour's log" }).click();
  await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.activeElement?.textContent.includes("The harbour's log"));

  for (const [answer_, said, outcome] of [["accept", "The harbour lamp is off.", "Accepted"], ["dismiss", "It stays on.", "Dismissed"]]) {
    await say("Turn off the lamp", "Ships will not see the harbour.");
    const { pending: [{ requestId }] } = await snapshot(page);
    await answer(page, requestId, answer_);
    await page.getByText(said).waitFor();
    await card(page).waitFor({ state: "detached" });
    await until(page, (view, [id, outcome]) => view.timeline.find((entry) => entry.id === id).request.outcome === outcome, [requestId, outcome]);
  }
  const view = await snapshot(page);
  assert.deepEqual(view.diagnostics, []);
  assert.equal(view.session.status, "idle");
  assert.equal(new Set(view.timeline.map(({ id }) => id)).size, view.timeline.length, "every entry has an id of its own");
});
