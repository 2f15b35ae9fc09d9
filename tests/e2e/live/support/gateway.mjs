// The gateway of the live tests: `pilothouse serve --copilot` in the runtime's
// environment, which tests can stop, kill and start again.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { scriptedModel } from "./model.mjs";
import { GatewayProcess } from "./processes.mjs";
import { overWebSocket } from "./rpc.mjs";
import { MODEL, RUNTIME, home, environment } from "./runtime.mjs";
import { LiveSession } from "./sessions.mjs";

const PATIENCE = 30_000;

/**
 * What the tests of a file share: a scripted model, folders, a gateway between them,
 * and a peer connected to it.
 */
export async function outfit(options) {
  const model = await scriptedModel(options);
  const folders = await home();
  const gateway = new LiveGateway(folders, model);
  const end = async () => {
    await gateway.stop();
    model.close();
    await folders.remove();
  };
  try {
    await gateway.start();
    return { model, folders, gateway, peer: await gateway.peer(), end };
  } catch (error) {
    await end();
    throw error;
  }
}

/**
 * A gateway on a port of its own, which it keeps. It connects to the runtime at this
 * address, or starts its own.
 */
export async function startGateway(home, model, { at } = {}) {
  const gateway = new LiveGateway(home, model, at);
  await gateway.start();
  return gateway;
}

/** Starts the runtime with a copy of its input. `exec` makes the runtime the gateway's own child. */
const OVERHEARD = `#!/bin/bash
exec "$PILOTHOUSE_TEST_RUNTIME" "$@" < <(exec tee --append "$PILOTHOUSE_TEST_TOLD")
`;

class LiveGateway extends GatewayProcess {
  /** The folder of its logs. */
  get data() {
    return join(this.#home.root, "log");
  }

  #home;
  #model;
  #at;
  #peers = new Set();

  constructor(home, model, at) {
    super();
    this.#home = home;
    this.#model = model;
    this.#at = at;
  }

  async start() {
    this.mendRuntime();
    const runtime = this.#at ? [`--copilot=${this.#at}`] : ["--copilot", "--runtime", this.#runtimeScript];
    const env = { ...environment(this.#home, this.#model), PILOTHOUSE_TEST_RUNTIME: RUNTIME, PILOTHOUSE_TEST_TOLD: this.#told };
    await this.launch([...runtime, "--data", this.data], { cwd: this.#home.root, env });
  }

  /** Stops it and its runtime gracefully. */
  async stop() {
    for (const peer of this.#peers) peer.close();
    await super.stop();
  }

  /** Kills its runtime at once. */
  killRuntime() {
    process.kill(this.#runtimeProcess, "SIGKILL");
  }

  /** Stops the runtime's process. It reads its input when it goes on; returns a function for that. */
  freezeRuntime() {
    const runtime = this.#runtimeProcess;
    process.kill(runtime, "SIGSTOP");
    return () => process.kill(runtime, "SIGCONT");
  }

  get #runtimeProcess() {
    const [runtime] = children(this.pid);
    assert.ok(runtime, "the gateway has a runtime");
    return runtime;
  }

  /** From its next start on, the runtime is this shell script. */
  spoilRuntime(script) {
    writeFileSync(this.#runtimeScript, `#!/bin/bash\n${script}\n`, { mode: 0o700 });
  }

  /** From its next start on, the runtime is the real one. */
  mendRuntime() {
    writeFileSync(this.#runtimeScript, OVERHEARD, { mode: 0o700 });
  }

  get #runtimeScript() {
    return join(this.#home.root, "runtime.sh");
  }

  get #told() {
    return join(this.#home.root, "told");
  }

  /** The messages to the runtime that contain this text, over all its restarts. */
  #heard(text) {
    const frames = readFileSync(this.#told, "utf8").split(/Content-Length: *\d+\r\n\r\n/i);
    return frames.filter((frame) => frame.includes(text)).map((frame) => JSON.parse(frame));
  }

  /** The answers to a request that reached the runtime. */
  answers(requestId) {
    return this.#heard(requestId).filter(({ method }) => /handlePending|respondTo/.test(method));
  }

  /** How often a message of a session was sent to the runtime. */
  sends(sessionId, prompt) {
    const sent = this.#heard(sessionId).filter(({ method }) => method === "session.send");
    return sent.filter(({ params }) => params.prompt === prompt).length;
  }

  /** The calls of a method for a session that reached the runtime. */
  calls(sessionId, method) {
    return this.#heard(sessionId).filter((call) => call.method === method);
  }

  /** Waits until this many answers to a request are on their way to the runtime. */
  async answered(requestId, count) {
    const limit = Date.now() + PATIENCE;
    while (this.answers(requestId).length < count) {
      assert.ok(Date.now() < limit, `the runtime was never told ${count} answers`);
      await setTimeout(20);
    }
  }

  /**
   * Waits until the runtime has persisted this. It does so a tenth of a second late,
   * and loses the rest if it is killed.
   */
  async persisted(sessionId, text) {
    await this.appears(join(this.#home.config, "session-state", sessionId, "events.jsonl"), text);
  }

  /** Waits until a file contains this text. */
  async appears(file, text) {
    const limit = Date.now() + PATIENCE;
    while (!(existsSync(file) && readFileSync(file, "utf8").includes(text))) {
      assert.ok(Date.now() < limit, `${file} never had ${text}`);
      await setTimeout(20);
    }
  }

  /** A client of it. */
  async peer() {
    const peer = await overWebSocket(this.address);
    this.#peers.add(peer);
    return peer;
  }

  /** A session in this folder, to which the peer is subscribed from the beginning. */
  async session(peer, project, options = {}) {
    const { sessionId } = await peer.call("pilothouse.create", { model: MODEL, ...options, workingDirectory: project });
    await peer.call("pilothouse.subscribe", { sessionId });
    return new LiveSession(peer, sessionId, { project, model: this.#model.address });
  }
}

/** The child processes of a process. */
function children(parent) {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === parent;
    } catch {
      return false; // it has ended meanwhile
    }
  });
}
