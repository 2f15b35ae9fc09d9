// The real runtime of the live tests: where it is, in which environment it runs, and how to start it. It only
// runs confined, without a real token, and in temporary folders.

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

/** Whether the tests drive the next version of the runtime, with `RUNTIME=next` in the environment, or the current one. */
export const NEXT = process.env.RUNTIME === "next";

const PACKAGE = new URL(`../node_modules/${NEXT ? "runtime-next" : "@github/copilot-sdk-linux-x64"}/`, import.meta.url);

/** The program. */
export const RUNTIME = fileURLToPath(new URL("prebuilds/linux-x64/copilot-runtime", PACKAGE));

/** The schema of everything that may be sent to it. */
export const API_SCHEMA = new URL("schemas/api.schema.json", PACKAGE);

const TOKEN = "a-token-that-opens-nothing";

/** Why live tests can't run on this machine. Undefined where they can. */
export const absent = existsSync(RUNTIME)
  ? unconfined()
  : "the runtime's package is not installed: npm ci --prefix tests/e2e/live --ignore-scripts";

/** A temporary folder for everything of the runtime's, with `remove`. */
export async function home() {
  const root = await mkdtemp(join(tmpdir(), "pilothouse-live-"));
  const config = join(root, "copilot");
  await mkdir(config);
  let projects = 0;
  return {
    root,
    config,
    /** A new working folder, because permissions for a location last. */
    project: async () => {
      const folder = join(root, `boats-${++projects}`);
      await mkdir(folder);
      return folder;
    },
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** The environment: nothing of the user's own but the path. */
export function environment(home, model) {
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

/** Flags for a runtime that a program controls. */
export const HEADLESS = ["--headless", "--no-auto-update", "--log-level", "error", "--auth-token-env", "COPILOT_SDK_AUTH_TOKEN", "--no-auto-login"];

/** The tools that the runtime offers depend on the model. The requests are written for this one's. */
export const MODEL = "claude-sonnet-4.5";

/** The options of a client that shows everything. */
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

/** Starts the runtime and connects. The peer's `stop` ends it. */
export async function startRuntime(home, model) {
  const process = spawn(RUNTIME, [...HEADLESS, "--stdio"], { cwd: home.root, env: environment(home, model), stdio: ["pipe", "pipe", "inherit"] });
  const peer = overStreams(process);
  peer.stop = async () => {
    if (process.exitCode !== null || process.signalCode !== null) return;
    process.kill("SIGKILL");
    await once(process, "exit");
  };
  await peer.call("connect", { supportedTaskKinds: ["agent", "client", "shell"] });
  return peer;
}

/** Starts a runtime that listens on a port of its own choice. Returns its `address`, and `stop`. */
export async function startListeningRuntime(home, model) {
  const process = spawn(RUNTIME, [...HEADLESS, "--port", "0"], { cwd: home.root, env: environment(home, model), stdio: ["ignore", "pipe", "inherit"] });
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
