// Tests what pages show when the gateway itself is in trouble: a runtime that doesn't start, a log that can't
// be written. Errors appear at once, also to viewers who come later, until they are resolved. The real
// runtime is tested in live/broken.test.mjs.

import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { frames, nightly, scenario, violations } from "../support/harness.mjs";

/**
 * A runtime that prints a token and a colour to stderr and exits, until a file appears
 * beside it; then it answers.
 */
const MOODY = `#!/usr/bin/env node
const { existsSync } = require("node:fs");
if (!existsSync(process.argv[1] + ".well")) {
  console.error("no access for gho_0123456789abcdef");
  console.error("\\u001b[31mgiving up\\u001b[0m");
  process.exit(3);
}
let input = "";
process.stdin.on("data", (bytes) => {
  input += bytes;
  for (;;) {
    const head = input.match(/^Content-Length: (\\d+)\\r\\n\\r\\n/);
    if (!head || input.length < head[0].length + Number(head[1])) return;
    const message = JSON.parse(input.slice(head[0].length, head[0].length + Number(head[1])));
    input = input.slice(head[0].length + Number(head[1]));
    const results = { "session.list": { sessions: [] }, "session.eventLog.read": { events: [], cursor: "0", hasMore: false } };
    const answer = JSON.stringify({ jsonrpc: "2.0", id: message.id, result: results[message.method] ?? {} });
    process.stdout.write("Content-Length: " + Buffer.byteLength(answer) + "\\r\\n\\r\\n" + answer);
  }
});
`;

/** A gateway with that runtime and one session in its folder. `mend` makes the runtime work. */
async function moody(stage) {
  const folder = await mkdtemp(join(tmpdir(), "pilothouse-health-"));
  stage.atEnd(() => rm(folder, { recursive: true }));
  const runtime = join(folder, "runtime.cjs");
  await writeFile(runtime, MOODY, { mode: 0o700 });
  await mkdir(join(folder, "sessions"));
  const event = { type: "user.message", id: "1", data: { content: "Where are the boats?", messageId: "m" }, parentId: null };
  await writeFile(join(folder, "sessions", "kept.jsonl"), `${JSON.stringify({ seq: 1, event })}\n`);
  const gateway = await stage.serve([], { access: ["--copilot", "--runtime", runtime, "--data", folder], tokens: { COPILOT_HOME: folder } });
  return { gateway, mend: () => writeFile(`${runtime}.well`, "") };
}

const trouble = (page) => page.locator(".health");

nightly("a runtime that dies is told on the board and in a session, with its last lines, until it runs", async (stage) => {
  const { gateway, mend } = await moody(stage);
  const board = await stage.page(gateway);
  await trouble(board).getByText(/The runtime is not there: it ended, exit status: 3/).waitFor();
  await trouble(board).getByText(/Since .+ tried .+ in vain/).waitFor();
  await trouble(board).getByText("Its last lines").click();
  const lines = await trouble(board).locator("pre").innerText();
  assert.ok(lines.includes("no access for [hidden]") && lines.includes("giving up"), lines);
  assert.deepEqual(await trouble(board).locator(".hidden-char").allInnerTexts(), ["ESC", "ESC"]);
  assert.deepEqual(await violations(board), []);

  // The gateway retries, and what the user has opened stays open.
  await trouble(board).getByText(/tried [2-9] times in vain/).waitFor();
  await trouble(board).locator("pre").waitFor();

  await board.locator("[data-new]").click();
  await board.getByRole("button", { name: "Create" }).click();
  await board.getByRole("alert").getByText(/not created.*exit status: 3/).waitFor();

  const pages = [
    await stage.embed(gateway, `session="kept"`, { whole: false }),
    await stage.embed(gateway, `session="kept" transport="sse"`, { whole: false }),
  ];
  for (const page of pages) {
    await page.locator('[data-entry="user"]').getByText("Where are the boats?").waitFor();
    await trouble(page).getByText(/exit status: 3/).waitFor();
    assert.deepEqual(await violations(page), []);
  }
  await mend();
  for (const page of [board, ...pages]) await trouble(page).waitFor({ state: "detached" });
});

scenario("logs that can't be written are told until they are written again", async (stage) => {
  let socket;
  const page = await stage.page(await stage.serve([]), {
    prepare: (page) => page.routeWebSocket(/\/api\/rpc/, (opened) => {
      socket = opened;
      opened.onMessage((text) => {
        const { id, method } = JSON.parse(text);
        const session = { sessionId: "s", seq: 0, health: { runtime: { state: "running" }, logs: null } };
        const result = method === "pilothouse.sessions" ? [{ sessionId: "s", recording: true }] : session;
        opened.send(JSON.stringify({ jsonrpc: "2.0", id, result }));
      });
    }),
  });
  await page.locator('pilot-house[data-connection="open"]').waitFor();
  await frames(page);
  assert.equal(await trouble(page).count(), 0);
  const tell = (logs) => {
    const params = { runtime: { state: "running" }, logs };
    socket.send(JSON.stringify({ jsonrpc: "2.0", method: "pilothouse.health", params }));
  };
  tell({ problem: "No space left on device (os error 28)", since: "2026-11-23T22:30:00.000Z", sessions: 2 });
  await trouble(page).getByText(/logs of 2 sessions can't be written: No space left/).waitFor();
  await trouble(page).getByText(/kept in memory/).waitFor();
  tell(null);
  await trouble(page).waitFor({ state: "detached" });
});
