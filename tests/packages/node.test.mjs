// Tests the package in Node: by its name, with a connection to a gateway and without.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

import { scenario } from "../e2e/support/harness.mjs";
import { app, run } from "./support/app.mjs";
import { SESSION } from "./support/plays.mjs";
import { serveFolders } from "../e2e/support/serve.mjs";

/** A program in a folder with the package. */
function program(name, source) {
  const folder = app("plain", name);
  writeFileSync(join(folder, "program.mjs"), source);
  return join(folder, "program.mjs");
}

test("Node finds the package, its parts and their types by their names", () => {
  const file = program("node-names", `
    import { Session, load } from "pilothouse";
    import * as headless from "pilothouse/headless";
    import * as inline from "pilothouse/inline";
    await load();
    const session = new Session();
    session.push(${JSON.stringify(SESSION.map((event) => `${JSON.stringify(event)}\n`).join(""))});
    const { timeline } = session.snapshot();
    const { load: again } = inline;
    await again();
    console.log(JSON.stringify({ texts: timeline.map(({ text }) => text), same: headless.Session === Session, inline: Object.keys(inline).filter((name) => inline[name]).sort() }));
  `);
  const { texts, same, inline } = JSON.parse(run("node", [file]));
  assert.equal(texts.at(-1), "The white boat lies at the pier.");
  assert.equal(same, true, "one program");
  assert.deepEqual(inline, ["ConnectionError", "Session", "changes", "connect", "load", "registerNotification", "registerRenderer"]);
});

test("Node can render the page of a framework with the package in it", () => {
  const file = program("node-ssr", `
    import { PilotHouse } from "pilothouse/react";
    import { createElement } from "react";
    import { renderToString } from "react-dom/server";
    console.log(renderToString(createElement(PilotHouse, { src: "http://h/", readOnly: true, attention: false, onRequest() {} })));
  `);
  assert.equal(run("node", [file]).trim(), '<pilot-house src="http://h/" readonly=""></pilot-house>');
});

/** Follows the session and answers its request. Says how it ended, and what an unknown session says. */
const FOLLOW = `
  async function follow(src, transport) {
    const connection = connect(src, { session: "played", transport });
    let batches = 0;
    for await (const changes of connection) {
      batches += changes.length > 0;
      const { pending, timeline, session } = connection.session.snapshot();
      if (pending.length) await connection.answer(pending[0].requestId, { result: { kind: "approve-once" } });
      if (session.status === "idle" && timeline.some(({ id }) => id === "report")) connection.close();
    }
    const late = await connection.answer("look", {});
    const unknown = await (async () => { for await (const _ of connect(src, { session: "nobody", transport })); })().catch((error) => error.name);
    return { closed: connection.closed, batches: batches > 0, text: connection.session.snapshot().timeline.at(-1).text, late, unknown };
  }`;
const FOLLOWED = { closed: true, batches: true, text: "The white boat lies at the pier.", late: false, unknown: "ConnectionError" };

test("the store of the documentation has what comes, from its first moment", () => {
  const text = readFileSync(new URL("../../docs/embedding.md", import.meta.url), "utf8");
  const store = text.slice(text.indexOf("const sessionStore")).split("```")[0];
  const file = program("node-store", `
    import { Session, load } from "pilothouse/headless";
    ${store}
    await load();
    const seen = [];
    const connection = { session: new Session() };
    const stop = sessionStore(connection).subscribe(({ timeline }) => seen.push(timeline.length));
    for (const event of ${JSON.stringify(SESSION)}) connection.session.push(event);
    stop();
    console.log(JSON.stringify([seen[0], seen.at(-1), connection.session.snapshot().timeline.length]));
  `);
  const [first, last, all] = JSON.parse(run("node", [file]));
  assert.equal(first, 0);
  assert.equal(last, all);
});

for (const transport of ["auto", "sse"]) {
  scenario(`a session is followed and answered in Node, transport ${transport}`, async (stage) => {
    const gateway = await stage.serve([SESSION]);
    const file = program(`node-connect-${transport}`, `
      import { connect, load } from "pilothouse/headless";
      ${FOLLOW}
      await load();
      console.log(JSON.stringify(await follow(${JSON.stringify(`${gateway}/`)}, ${JSON.stringify(transport)})));
    `);
    // Not `run`, because the gateway's output has to be read meanwhile.
    const { stdout } = await promisify(execFile)("node", [file]);
    assert.deepEqual(JSON.parse(stdout), FOLLOWED);
  });
}

scenario("a session is followed and answered in a worker of a page", async (stage) => {
  const gateway = await stage.serve([SESSION]);
  const folder = app("plain", "worker");
  writeFileSync(join(folder, "index.html"), `<!doctype html><title>Worker</title><link rel="icon" href="data:,">`);
  writeFileSync(join(folder, "worker.mjs"), `
    import { connect, load } from "./node_modules/pilothouse/headless.js";
    ${FOLLOW}
    onmessage = async ({ data }) => {
      await load();
      postMessage(await follow(data, "ws"));
    };
  `);
  const address = await serveFolders(stage, { "/": folder });
  const page = await stage.page(`${address}/`);
  const told = await page.evaluate((gateway) => new Promise((done) => {
    const worker = new Worker("./worker.mjs", { type: "module" });
    worker.onmessage = ({ data }) => done(data);
    worker.postMessage(gateway);
  }), `${gateway}/`);
  assert.deepEqual(told, FOLLOWED);
});

test("the package can be imported by its path", async () => {
  const folder = app("plain", "node-path");
  const { load } = await import(pathToFileURL(join(folder, "node_modules/pilothouse/index.js")));
  await load();
});
