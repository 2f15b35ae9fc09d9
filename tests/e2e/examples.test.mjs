// Owns that the examples work as they stand: their page, in a browser, with the servers of Node and Python. The SDK's
// place is taken by a stand-in of its interface, since the SDK brings a runtime of 100 MB along and wants an account.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { Script } from "./events.mjs";
import { IDLE, answer, card, scenario, snapshot, until } from "./harness.mjs";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const STANDINS = new URL("standins/", import.meta.url);
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm", ".css": "text/css" };

const SERVERS = {
  node: [process.execPath, ["--import", new URL("node.mjs", STANDINS).href, join(ROOT, "examples/node/server.mjs")]],
  python: ["python3", [join(ROOT, "examples/python/server.py")], { PYTHONPATH: fileURLToPath(new URL("python", STANDINS)), PYTHONDONTWRITEBYTECODE: "1" }],
};

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** The repository as `python3 -m http.server` shows it, with the port of the example's server put into the page. */
async function site(stage, port) {
  const server = createServer(async (asked, response) => {
    const path = normalize(decodeURIComponent(new URL(asked.url, "http://page").pathname));
    const file = path.endsWith("/") ? `${path}index.html` : path;
    try {
      const bytes = await readFile(join(ROOT, file));
      const page = file.endsWith(".html") ? String(bytes).replaceAll("127.0.0.1:3000", `127.0.0.1:${port}`) : bytes;
      response.setHeader("content-type", TYPES[extname(file)] ?? "application/octet-stream").end(page);
    } catch {
      response.writeHead(404).end();
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  stage.atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}`;
}

/** One of the servers, told what to do; `called` is what it asked of the SDK. */
async function serve(stage, language) {
  const [port, folder] = [await freePort(), await mkdtemp(join(tmpdir(), "pilothouse-example-"))];
  stage.atEnd(() => rm(folder, { recursive: true }));
  const script = new Script("example").user("Look around").turn().ask("look", "ls").allowed("look");
  const recording = join(folder, "recording.jsonl");
  await writeFile(recording, script.say("The boats are here.").rest().events.map((event) => `${JSON.stringify(event)}\n`).join(""));
  const page = await site(stage, port);
  const [program, args, more] = SERVERS[language];
  const env = { ...process.env, ...more, PORT: port, PAGE_ORIGIN: page, STANDIN_RECORDING: recording };
  const server = spawn(program, [...args, "Look around"], { env, stdio: ["ignore", "pipe", "pipe"] });
  const called = [];
  createInterface(server.stderr).on("line", (line) => (line.startsWith("called ") ? called.push(line.slice(7)) : stage.gatewaySaid.push(line)));
  stage.atEnd(async () => {
    if (server.exitCode !== null) return;
    server.kill("SIGKILL");
    await once(server, "exit");
  });
  const ended = once(server, "exit").then(() => assert.fail("the server ended at once"));
  await Promise.race([once(createInterface(server.stdout), "line"), ended]);
  ended.catch(() => {});
  return { address: `http://127.0.0.1:${port}`, port, page, called };
}

/** A request with headers that `fetch` does not let anybody set; resolves to the response. */
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

  scenario(`the example in ${language} goes on after the last event seen, and refuses others`, async (stage) => {
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
