// Owns the real runtime of the live tests: where it is, in what surroundings it runs, and how a client speaks with it
// directly. Refuses to run it unconfined, with a real token, or in anybody's own folders.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { unconfined } from "./confine.mjs";
import { overStreams } from "./rpc.mjs";

const PACKAGE = new URL("node_modules/@github/copilot-sdk-linux-x64/", import.meta.url);

/** The program. */
export const RUNTIME = fileURLToPath(new URL("prebuilds/linux-x64/copilot-runtime", PACKAGE));

/** The schema of everything that may be sent to it. */
export const API_SCHEMA = new URL("schemas/api.schema.json", PACKAGE);

const TOKEN = "a-token-that-opens-nothing";

/** One line that says why there is no live test on this machine; absent where there is. */
export const absent = existsSync(RUNTIME)
  ? unconfined()
  : "the runtime's package is not installed: npm ci --prefix tests/e2e/live --ignore-scripts";

/** Everything that is the runtime's, in a folder that is gone at the end. */
export async function home() {
  const root = await mkdtemp(join(tmpdir(), "pilothouse-live-"));
  const config = join(root, "copilot");
  await mkdir(config);
  let projects = 0;
  return {
    root,
    config,
    /** A new folder to work in: what is allowed for one place is no other's business. */
    project: async () => {
      const folder = join(root, `boats-${++projects}`);
      await mkdir(folder);
      return folder;
    },
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** The environment: nothing of the person's own but the path. */
export function surroundings(home, model) {
  return {
    PATH: process.env.PATH,
    LANG: "C.UTF-8",
    TERM: "dumb",
    SHELL: "/bin/bash",
    HOME: home.root,
    TMPDIR: home.root,
    COPILOT_HOME: home.config,
    XDG_CONFIG_HOME: home.config,
    XDG_STATE_HOME: home.config,
    XDG_CACHE_HOME: home.config,
    XDG_DATA_HOME: home.config,
    GH_CONFIG_DIR: home.config,
    COPILOT_SDK_AUTH_TOKEN: TOKEN,
    GITHUB_TOKEN: TOKEN,
    GH_TOKEN: TOKEN,
    COPILOT_API_URL: model.address,
    COPILOT_DEBUG_GITHUB_API_URL: model.address,
    COPILOT_DISABLE_KEYTAR: "1",
    COPILOT_DISABLE_TELEMETRY: "1",
  };
}

/** Flags of a runtime that a program drives. */
export const HEADLESS = ["--headless", "--no-auto-update", "--log-level", "error", "--auth-token-env", "COPILOT_SDK_AUTH_TOKEN", "--no-auto-login"];

/** The tools that the runtime offers depend on the model; scenes are written for those of this one. */
export const MODEL = "claude-sonnet-4.5";

/** What a client that shows everything asks for. */
export const EVERYTHING = {
  model: MODEL,
  streaming: true,
  includeSubAgentStreamingEvents: true,
  requestPermission: true,
  requestUserInput: true,
  requestElicitation: true,
  requestExitPlanMode: true,
  requestAutoModeSwitch: true,
  envValueMode: "direct",
};

/** Starts the runtime and shakes hands; the peer's `stop` ends it. */
export async function startRuntime(home, model) {
  const process = spawn(RUNTIME, [...HEADLESS, "--stdio"], { cwd: home.root, env: surroundings(home, model), stdio: ["pipe", "pipe", "inherit"] });
  const peer = overStreams(process);
  peer.stop = async () => {
    if (process.exitCode !== null || process.signalCode !== null) return;
    process.kill("SIGKILL");
    await once(process, "exit");
  };
  await peer.call("connect", { supportedTaskKinds: ["agent", "client", "shell"] });
  return peer;
}

/** Starts a runtime that listens by itself: its `address`, and `stop`. */
export async function startListeningRuntime(home, model) {
  const process = spawn(RUNTIME, [...HEADLESS, "--port", "0"], { cwd: home.root, env: surroundings(home, model), stdio: ["ignore", "pipe", "inherit"] });
  const stop = async () => {
    if (process.exitCode !== null || process.signalCode !== null) return;
    process.kill("SIGKILL");
    await once(process, "exit");
  };
  for await (const line of createInterface(process.stdout)) {
    const port = line.match(/listening on port (\d+)/)?.[1];
    if (port) return { address: `127.0.0.1:${port}`, stop };
  }
  throw new Error("the runtime ended before it listened");
}
