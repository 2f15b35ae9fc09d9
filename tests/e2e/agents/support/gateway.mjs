// The gateway of these tests: `pilothouse serve` with agents in its settings file, which tests can kill and start again; and
// the folders in which the agents work.

import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { GatewayProcess } from "../../live/support/processes.mjs";
import { AGENTS } from "./agents.mjs";
import { scriptedModel } from "./model.mjs";
import { PROJECT } from "./script.mjs";

/** A model, and a gateway with these agents. */
export async function outfit(names) {
  const root = await mkdtemp(join(tmpdir(), "pilothouse-agents-"));
  const model = await scriptedModel();
  const gateway = new AgentGateway(root, model, names);
  const end = async () => {
    await gateway.stop();
    model.close();
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await gateway.start();
    return { model, gateway, end };
  } catch (error) {
    await end();
    throw error;
  }
}

class AgentGateway extends GatewayProcess {
  #root;
  #model;
  #names;
  #starts = 0;

  constructor(root, model, names) {
    super();
    this.#root = root;
    this.#model = model;
    this.#names = names;
  }

  async start() {
    const settings = join(this.#root, "settings.toml");
    writeFileSync(settings, this.#names.map((name) => this.#table(name)).join("\n"));
    this.#starts += 1;
    // Nothing of the user's own but the path.
    const env = { PATH: process.env.PATH, HOME: this.#root, TMPDIR: this.#root, LANG: "C.UTF-8", TERM: "dumb", SHELL: "/bin/bash" };
    await this.launch(["--config", settings, "--data", this.#data], { cwd: this.#root, env });
  }

  #table(name) {
    const home = join(this.#root, name);
    mkdirSync(home, { recursive: true });
    const { command, environment } = AGENTS[name].start(home, this.#model.address, { later: this.#starts > 0 });
    const pairs = Object.entries(environment).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
    return `[acp.${name}]\ncommand = ${JSON.stringify(command)}\nenvironment = { ${pairs.join(", ")} }\n`;
  }

  get #data() {
    return join(this.#root, "log");
  }

  /** Makes a session, over a connection of a page of its own. Returns its id. */
  async create(stage, params) {
    const prepare = (page) => page.route("**/favicon.ico", (route) => route.fulfill({ status: 204 }));
    const page = await stage.page(`${this.address}/healthz`, { prepare });
    return page.evaluate(create, params);
  }

  /** A new project with the files of the script. */
  project(name) {
    const folder = join(this.#root, name);
    for (const [file, content] of Object.entries(PROJECT)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), content);
    }
    spawnSync("git", ["init", "--quiet", folder]);
    this.#model.projects.push(folder);
    return folder;
  }
}

/** Runs in a page. */
async function create(params) {
  const socket = new WebSocket(`ws://${location.host}/api/rpc`);
  await new Promise((open) => (socket.onopen = open));
  const answered = new Promise((done) => {
    socket.onmessage = async ({ data }) => {
      const lines = String(data.text ? await data.text() : data).split("\n").filter(Boolean);
      const answer = lines.map((line) => JSON.parse(line)).find(({ id }) => id === 1);
      if (answer) done(answer);
    };
  });
  socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "pilothouse.create", params }));
  const { result, error } = await answered;
  socket.close();
  if (error) throw new Error(`${error.message} ${JSON.stringify(error.data ?? "")}`);
  return result.sessionId;
}
