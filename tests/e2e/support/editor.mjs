// A VS Code for tests of its extensions: the extension runs in a process of its own with a stand-in for the module `vscode`, and
// its webviews are pages of Chromium under their own policy.

import { fork } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

import { PATIENCE } from "./harness.mjs";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const STANDIN = fileURLToPath(new URL("standins/vscode.mjs", import.meta.url));
const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css" };

/** What VS Code puts into a webview in front of all else, and so in front of its policy. */
const before = async () => `<link rel="icon" href="data:,"><style>${await readFile(join(ROOT, "docs/themes/vscode-variables.css"), "utf8")}
  html { scrollbar-color: #8888 #0000 }
  body { overscroll-behavior-x: none; background-color: transparent; color: var(--vscode-editor-foreground);
    font-family: var(--vscode-font-family); font-size: var(--vscode-font-size); margin: 0; padding: 0 20px }
  img, video { max-width: 100%; max-height: 100% }
  a, a code { color: var(--vscode-textLink-foreground) }
  code { font-family: var(--vscode-editor-font-family); color: var(--vscode-textPreformat-foreground); background-color: var(--vscode-textPreformat-background); padding: 1px 3px; border-radius: 4px }
</style><script>
  window.acquireVsCodeApi = () => {
    delete window.acquireVsCodeApi;
    return { postMessage: (message) => void window.toExtension(JSON.stringify(message)) };
  };
</script>`;

/** Listens on this machine until the test is over. Returns the address. */
async function listen(stage, take) {
  const server = createServer(take).listen(0, "127.0.0.1");
  await once(server, "listening");
  stage.atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}`;
}

/**
 * Puts an extension of `examples` into a folder of its own, with the parts of the package that its `.vscodeignore` leaves, and
 * activates it. `files` is the folder of the workspace.
 */
export async function editor(stage, name, { files, settings = {} }) {
  const extension = await mkdtemp(join(tmpdir(), "pilothouse-extension-"));
  stage.atEnd(() => rm(extension, { recursive: true }));
  await cp(join(ROOT, "examples", name), extension, { recursive: true, filter: (file) => !file.includes("node_modules") });
  const left = (file) => !/\.d\.ts$|\/pkg\/extras|\/split_\w+\.wasm$/.test(file);
  await cp(join(ROOT, "dist/pkg"), join(extension, "node_modules/pilothouse"), { recursive: true, filter: left });

  const made = new Editor(stage);
  made.resources = await listen(stage, (request, response) => made.resource(request, response));
  made.origin = await listen(stage, (request, response) => made.document(request, response));
  // Node 20 has WebSockets behind an option; VS Code's own Node has them.
  made.start(fork(STANDIN, [extension, files], { execArgv: ["--experimental-websocket"], env: { ...process.env, RESOURCES: made.resources }, silent: true }));
  await made.order("configure", settings);
  await made.order("activate");
  return made;
}

class Editor {
  /** What the extension did, newest last: `{told, …}`. */
  told = [];
  /** The kind of theme, as VS Code names it on the body. */
  kind = "vscode-light";
  #stage;
  #host;
  #waits = new Set();
  #orders = new Map();
  /** What the extension gave each webview: `{html, roots}`. */
  #texts = new Map();
  #pages = new Map();

  constructor(stage) {
    this.#stage = stage;
  }

  start(host) {
    this.#host = host;
    for (const output of [host.stdout, host.stderr]) output.on("data", (words) => this.#stage.said.push(`[extension] ${words}`));
    host.on("message", (message) => this.#take(message));
    this.#stage.atEnd(async () => {
      if (host.exitCode !== null || host.signalCode !== null) return;
      host.kill("SIGKILL");
      await once(host, "exit");
    });
  }

  /** Has the host do something. Resolves to what it returned. */
  async order(order, given = {}) {
    const number = this.#orders.size + 1;
    const answer = new Promise((done, failed) => this.#orders.set(number, { done, failed }));
    this.#host.send({ order, number, ...given });
    return answer;
  }

  #take({ done, value, error, ...told }) {
    if (done) return error ? this.#orders.get(done).failed(new Error(error)) : this.#orders.get(done).done(value);
    const { name, message } = told;
    if (told.told === "message") {
      // A page that goes hears nothing any more.
      this.page(name)?.evaluate((message) => window.postMessage(message, window.origin), message).catch(() => {});
      return;
    }
    if (told.told === "page") this.#texts.set(name, told);
    this.told.push(told);
    for (const look of [...this.#waits]) look();
  }

  /** Waits until the newest that the extension did of this kind is so. Resolves to it. */
  async until(told, holds = () => true) {
    const find = () => {
      const newest = this.told.findLast((one) => one.told === told);
      return newest && holds(newest) && newest;
    };
    let late;
    return new Promise((done, failed) => {
      const look = () => {
        const found = find();
        if (!found) return;
        this.#waits.delete(look);
        done(found);
      };
      late = setTimeout(() => failed(new Error(`no such ${told}; what was told: ${JSON.stringify(this.told.filter((one) => one.told !== "page"))}`)), PATIENCE);
      this.#waits.add(look);
      look();
    }).finally(() => clearTimeout(late));
  }

  /** The page of a webview, if there is one. */
  page(name) {
    return this.#pages.get(name);
  }

  /** Shows a webview. Its page has nothing of an earlier one but what the browser stores for its origin. */
  async show(name, options) {
    await this.order("show", { name });
    if (!this.page(name)) {
      const prepare = (page) => page.exposeFunction("toExtension", (message) => this.order("message", { name, message: JSON.parse(message) }));
      this.#pages.set(name, await this.#stage.page("about:blank", { ...options, prepare }));
    }
    return this.draw(name);
  }

  /** Loads the text that the extension has given a webview. Resolves to its page. */
  async draw(name) {
    await this.page(name).goto(`${this.origin}/${name}`);
    return this.page(name);
  }

  /** Hides a webview, and drops its page. */
  async hide(name) {
    await this.order("hide", { name });
    await this.page(name).goto("about:blank");
  }

  /** Answers a question of the extension to the person. */
  answer({ question }, value) {
    return this.order("answer", { question, value });
  }

  async document({ url }, response) {
    const given = this.#texts.get(url.slice(1));
    if (!given) return response.writeHead(404).end();
    const text = given.html.replace("<head>", `<head>${await before()}`).replace("<body", `<body class="${this.kind}"`);
    response.setHeader("Content-Type", "text/html; charset=utf-8").end(text);
  }

  /** A file below one of the folders from which the webviews may load. */
  async resource({ url }, response) {
    const file = normalize(decodeURIComponent(new URL(url, "http://host").pathname));
    const roots = [...this.#texts.values()].flatMap(({ roots }) => roots);
    if (!roots.some((root) => file.startsWith(`${root}/`))) return response.writeHead(401).end();
    response.setHeader("Access-Control-Allow-Origin", "*").setHeader("Content-Type", TYPES[extname(file)] ?? "application/octet-stream");
    const body = await readFile(file).catch(() => undefined);
    if (body) response.end(body);
    else response.writeHead(404).end();
  }
}
