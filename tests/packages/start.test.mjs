// Takes the files from docs/start.md, and does with them what that page says, with a stand-in for the SDK.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { createServer } from "vite";

import { Script } from "../e2e/support/events.mjs";
import { IDLE, answer, freePort, scenario, snapshot, until } from "../e2e/support/harness.mjs";
import { WORK, unpacked } from "./support/app.mjs";

const TEXT = readFileSync(new URL("../../docs/start.md", import.meta.url), "utf8");
const STANDIN = new URL("../e2e/support/standins/node.mjs", import.meta.url).href;

/** The files of the page by name: the fences that have one. */
const files = () => [...TEXT.matchAll(/^```\w+ file=(\S+)\n([^]*?)^```$/gm)].map(([, name, text]) => [name, text]);

scenario("the files of docs/start.md show a session, and a permission that is clicked reaches the SDK", async (stage) => {
  const folder = join(WORK, "start");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  cpSync(unpacked().folder, join(folder, "node_modules/pilothouse"), { recursive: true });
  const port = await freePort();
  for (const [name, text] of files()) writeFileSync(join(folder, name), text.replaceAll("3000", port));
  assert.deepEqual(files().map(([name]) => name), ["index.html", "vite.config.mjs", "server.mjs"]);
  const script = new Script("start").user("Look around").turn().say("I look.").ask("look", "ls").allowed("look");
  const recording = join(folder, "recording.jsonl");
  writeFileSync(recording, script.say("The boats are here.").rest().events.map((event) => `${JSON.stringify(event)}\n`).join(""));

  const server = spawn(process.execPath, ["--import", STANDIN, "server.mjs"], {
    cwd: folder, env: { ...process.env, STANDIN_RECORDING: recording }, stdio: ["ignore", "pipe", "pipe"],
  });
  const called = [];
  createInterface(server.stderr).on("line", (line) => (line.startsWith("called ") ? called.push(line) : stage.gatewaySaid.push(line)));
  stage.atEnd(async () => {
    server.kill("SIGKILL");
    if (server.exitCode === null) await once(server, "exit");
  });
  assert.deepEqual(await once(createInterface(server.stdout), "line"), ["ready for npx vite"]);
  const vite = await createServer({ root: folder, configFile: join(folder, "vite.config.mjs"), cacheDir: join(folder, ".vite"), logLevel: "error", server: { host: "127.0.0.1", port: 0 } });
  stage.atEnd(() => vite.close());
  await vite.listen();

  const page = await stage.page(`http://127.0.0.1:${vite.httpServer.address().port}/`);
  await page.locator("[data-compose]").fill("Look around");
  await page.locator("[data-compose]").press("Enter");
  await page.getByText("I look.").waitFor();
  assert.deepEqual(called, ['called send {"prompt":"Look around"}']);
  await page.locator("[data-sent]").waitFor({ state: "detached" });
  await answer(page, "look", "approve-once");
  await until(page, IDLE);
  await page.getByText("The boats are here.").waitFor();
  assert.match(called.at(-1), /handlePendingPermissionRequest .*"approve-once"/);
  const before = await snapshot(page);
  await page.reload();
  await until(page, IDLE);
  assert.deepEqual((await snapshot(page)).timeline.map(({ id }) => id), before.timeline.map(({ id }) => id));
  const status = async (path, options) => (await fetch(`http://127.0.0.1:${port}${path}`, options)).status;
  assert.deepEqual([await status("/"), await status("/rpc")], [404, 404]);
  await assert.rejects(status("/rpc", { method: "POST", body: "no JSON" }));
  const refused = await fetch(`http://127.0.0.1:${port}/rpc`, { method: "POST", body: '{"id":1,"method":"session.delete"}' });
  assert.deepEqual(await refused.json(), { jsonrpc: "2.0", id: 1, error: { code: -32000, message: "no session.delete here" } });
  const foreign = await fetch(`http://127.0.0.1:${port}/rpc`, { method: "POST", body: "{}", headers: { origin: "http://evil.example" } });
  assert.equal(foreign.status, 403);
});
