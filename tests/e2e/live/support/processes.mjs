// What the gateways of the live tests and of those with other agents share, and their model servers.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

/** `pilothouse serve` as a process on a port of its own, which it keeps when it is started again. */
export class GatewayProcess {
  /** What it wrote to its standard error. */
  said = [];
  address = "http://127.0.0.1:0";
  #process;

  /** Starts it with these options of `serve`, and waits for its address. */
  async launch(options, { cwd, env }) {
    const binary = process.env.PILOTHOUSE_BIN;
    assert.ok(binary, "PILOTHOUSE_BIN names the gateway");
    const { host } = new URL(this.address);
    this.#process = spawn(binary, ["serve", ...options, "--listen", host], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    this.#process.stderr.on("data", (words) => this.said.push(String(words).trim()));
    const ended = once(this.#process, "exit").then(() => assert.fail(`the gateway ended at once: ${this.said.join("\n")}`));
    const [line] = await Promise.race([once(createInterface(this.#process.stdout), "line"), ended]);
    ended.catch(() => {});
    this.address = line.match(/http:\/\/[\d.:]+/)[0];
  }

  get pid() {
    return this.#process.pid;
  }

  /** Stops it, and what it has started, gracefully. */
  stop() {
    return this.#end("SIGTERM");
  }

  /** Kills it at once. */
  kill() {
    return this.#end("SIGKILL");
  }

  async #end(signal) {
    if (!this.#process || this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exit = once(this.#process, "exit");
    this.#process.kill(signal);
    await exit;
  }
}

/** A server on loopback that carries out `serve(request, response)`. */
export class LoopbackServer {
  #server = createServer((request, response) => {
    this.serve(request, response).catch((error) => response.destroy(error));
  });

  async listen() {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    this.address = `http://127.0.0.1:${this.#server.address().port}`;
  }

  /** Closes it, with every reply that is not whole yet. */
  close() {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
