// Tests that `trunk serve` shows what `pilothouse serve` shows: a session over the
// WebSocket, and the board for several.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { Script } from "../support/events.mjs";
import { answer, card, freePort, scenario } from "../support/harness.mjs";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** Trunk reads NO_COLOR as a boolean, and exits on any other value. */
const { NO_COLOR: _, ...env } = process.env;

const asks = (name) =>
  new Script(name).user(`Title of ${name}`).turn().ask(`ask-${name}`, `ls ${name}`).allowed(`ask-${name}`)
    .say("Thank you\n\n```rust\nlet boats = 2;\n```").rest().events;

/** The `trunk` command, from the path or from where Cargo installs. */
function trunk() {
  const installed = join(env.CARGO_HOME ?? join(homedir(), ".cargo"), "bin", "trunk");
  const found = ["trunk", installed].find((command) => spawnSync(command, ["--version"], { env }).status === 0);
  assert.ok(found, "this test needs Trunk: cargo install trunk --version 0.21.14 --locked --no-default-features --features rustls");
  return found;
}

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
  stage.atEnd(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return server;
}

/**
 * Runs `trunk serve` with this repository's settings, but with its own port, gateway's
 * port and output folder.
 */
async function serve(stage, gatewayPort) {
  const folder = await mkdtemp(join(tmpdir(), "pilothouse-trunk-"));
  stage.atEnd(() => rm(folder, { recursive: true, force: true }));
  const whole = (path) => JSON.stringify(join(ROOT, path));
  const replaced = [
    [/^target = "(.*)"/m, (_, path) => `target = ${whole(path)}`],
    [/^dist = .*/m, () => `dist = ${JSON.stringify(join(folder, "dist"))}`],
    [/^watch = \[(.*)\]/m, (_, paths) => `watch = [${JSON.parse(`[${paths}]`).map(whole).join(", ")}]`],
    [/127\.0\.0\.1:7878/g, () => `127.0.0.1:${gatewayPort}`],
  ];
  let settings = await readFile(join(ROOT, "Trunk.toml"), "utf8");
  for (const [pattern, other] of replaced) {
    assert.match(settings, pattern);
    settings = settings.replace(pattern, other);
  }
  await writeFile(join(folder, "Trunk.toml"), settings);
  const port = await freePort();
  const options = ["--config", join(folder, "Trunk.toml"), "--offline", "--skip-version-check", "--disable-address-lookup"];
  // A process group of its own, so that Cargo ends with it.
  const server = spawn(trunk(), ["serve", ...options, "--address", "127.0.0.1", "--port", String(port)], {
    cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe"], detached: true,
  });
  stage.atEnd(async () => {
    if (server.exitCode !== null) return;
    process.kill(-server.pid, "SIGKILL");
    await once(server, "exit");
  });
  await new Promise((listens, ended) => {
    for (const stream of [server.stdout, server.stderr]) {
      createInterface(stream).on("line", (line) => {
        stage.gatewaySaid.push(line);
        if (line.includes("server listening at")) listens();
      });
    }
    server.once("exit", (code) => ended(new Error(`trunk serve ended with ${code}`)));
  });
  return `http://127.0.0.1:${port}`;
}

scenario("trunk serve shows a session over the WebSocket, and the board where there are several", async (stage) => {
  const gateways = await relay(stage);
  gateways.gateway = await stage.serve([asks("alone")]);
  const address = await serve(stage, gateways.address().port);

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
  const events = frames.filter((frame) => frame.includes("session.event"));
  assert.ok(events.length > 0 && events.every((frame) => Buffer.isBuffer(frame)), "the events came in binary frames");
  assert.equal(await page.locator("pilot-house-board").count(), 0);
  await page.close();

  gateways.gateway = await stage.serve([asks("one"), asks("two")]);
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
