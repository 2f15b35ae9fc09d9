// Tests how `connect()` joins late, in Node: it reads what is left of the log first, if the gateway says that it is worth it, and
// goes on live where that ends or breaks off.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

import { Script } from "../e2e/support/events.mjs";
import { scenario } from "../e2e/support/harness.mjs";
import { app } from "./support/app.mjs";

/** A message in pieces that is whole by now, which are more than what counts as far behind; then others. */
const EVENTS = new Script("late")
  .user("How do the boats lie?")
  .turn()
  .begin("report", ...Array.from({ length: 40 }, (_, at) => `piece ${at} `.repeat(500)))
  .say("The white boat lies at the pier.", "report")
  .begin("second", "The blue one ", "lies ", "at a buoy.")
  .say("The blue one lies at a buoy.", "second")
  .rest().events;
const TEXTS = ["How do the boats lie?", "The white boat lies at the pier.", "The blue one lies at a buoy."];

/** Follows the session at each address until all of it is there. Says what came. */
const FOLLOW = `
  import { connect, load } from "pilothouse/headless";
  await load();
  const [transport, ...addresses] = process.argv.slice(2);
  const found = [];
  for (const address of addresses) {
    const connection = connect(address, { session: "late", transport });
    for await (const _ of connection) {
      const { session, timeline } = connection.session.snapshot();
      if (session.status === "idle" && timeline.some(({ id }) => id === "second")) connection.close();
    }
    const { events, timeline } = connection.session.snapshot();
    found.push({ events, kinds: timeline.map(({ kind }) => kind), texts: timeline.map(({ text }) => text) });
  }
  console.log(JSON.stringify(found));
`;

/**
 * A server before the gateway that forwards everything below `/whole/`. Below `/cut-N/` a history breaks off behind N bytes, below
 * `/refused/` there is none at its address, below `/old/` the server knows nothing of histories. Notes what is asked for.
 */
async function before(stage, gateway) {
  const { host, hostname, port } = new URL(gateway);
  const asked = [];
  const split = (url) => url.match(/^\/([\w-]+)(\/.*)$/).slice(1);
  const forward = async (request, response) => {
    const [mode, path] = split(request.url);
    asked.push(path);
    if (mode === "refused" && path.includes("/history")) return response.writeHead(404).end();
    const url = new URL(mode === "old" ? path.replace("&history=1", "") : path, gateway);
    const answer = await fetch(url, { headers: { "accept-encoding": "identity" } });
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    let left = mode.startsWith("cut-") && answer.headers.get("content-type").includes("jsonl") ? Number(mode.slice(4)) : Infinity;
    response.on("close", () => answer.body.cancel().catch(() => {}));
    for await (const part of answer.body) {
      response.write(part.subarray(0, left));
      left -= part.length;
      if (left < 0) return setImmediate(() => response.destroy());
    }
    response.end();
  };
  // Who reads goes away, or the gateway does at the end of the test.
  const server = createServer((request, response) => forward(request, response).catch(() => response.destroy()));
  server.on("upgrade", (request, near) => {
    const [mode, path] = split(request.url);
    const lines = Object.entries({ ...request.headers, host }).map(([name, value]) => `${name}: ${value}\r\n`);
    const far = connect(Number(port), hostname, () => far.write(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`));
    for (const [one, other] of [[near, far], [far, near]]) {
      one.on("error", () => other.destroy());
      one.pipe(other);
    }
    asked.push(`${mode} socket`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  stage.atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return { address: (mode) => `http://127.0.0.1:${server.address().port}/${mode}/`, asked };
}

for (const transport of ["ws", "sse"]) {
  scenario(`who joins late reads the history in Node, and loses nothing where there is none, over ${transport}`, async (stage) => {
    const gateway = await stage.serve([EVENTS]);
    const { address, asked } = await before(stage, `${gateway}/`);
    const folder = app("plain", `node-history-${transport}`);
    writeFileSync(join(folder, "program.mjs"), FOLLOW);
    // The recording begins with its first reader, who is not late.
    const modes = ["whole", "whole", "refused", "cut-0", "cut-700", "cut-2000", ...(transport === "sse" ? ["old"] : [])];
    const { stdout } = await promisify(execFile)("node", ["--experimental-websocket", join(folder, "program.mjs"), transport, ...modes.map(address)]);
    const [first, late, ...others] = JSON.parse(stdout);
    assert.equal(first.events.total, EVENTS.length);
    assert.deepEqual(first.texts, TEXTS);
    assert.ok(late.events.total < EVENTS.length - 30, `${late.events.total} of ${EVENTS.length}`);
    assert.deepEqual({ texts: late.texts, kinds: late.kinds }, { texts: first.texts, kinds: first.kinds });
    for (const [place, found] of others.entries()) {
      const mode = modes[place + 2];
      assert.deepEqual({ texts: found.texts, kinds: found.kinds }, { texts: first.texts, kinds: first.kinds }, mode);
      assert.deepEqual([found.events.duplicate, found.events.malformed], [0, 0], mode);
      // Over server-sent events the refused address is not asked: the history comes in place of the stream.
      const reads = mode.startsWith("cut") || (mode === "refused" && transport === "sse");
      if (!reads) assert.equal(found.events.total, EVENTS.length, mode);
    }
    const fetched = asked.filter((path) => path.includes("/history?")).length;
    assert.equal(fetched, transport === "ws" ? modes.length - 1 : 0, "whoever begins with the recording is not late");
  });
}
