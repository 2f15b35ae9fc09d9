// A stand-in for VS Code's extension host, and for its module `vscode` with the names that the example uses. It runs as a
// process of its own, as the real one does, and is driven by messages: `support/editor.mjs` is the other end.

import { readFileSync, statSync } from "node:fs";
import { register } from "node:module";
import { join, posix } from "node:path";
import { pathToFileURL } from "node:url";

const HERE = import.meta.url;
const hooks = `export const resolve = (name, context, next) =>
  name === "vscode" ? { url: ${JSON.stringify(HERE)}, shortCircuit: true } : next(name, context);`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);

const [extension, folder] = process.argv.slice(2);
const manifest = JSON.parse(readFileSync(join(extension, "package.json"), "utf8"));
const { commands: contributed, configuration, views } = manifest.contributes;

const tell = (message) => process.send(message);

/** An event of VS Code: a function that takes listeners. `fire` calls them. */
function event() {
  const listeners = new Set();
  const on = (listener) => {
    listeners.add(listener);
    return { dispose: () => listeners.delete(listener) };
  };
  on.fire = (value) => [...listeners].forEach((listener) => listener(value));
  return on;
}

export class Uri {
  constructor(scheme, authority, path) {
    Object.assign(this, { scheme, authority, path });
  }
  static file = (path) => new Uri("file", "", path);
  static parse(text) {
    const { protocol, host, pathname } = new URL(text);
    return Object.assign(new Uri(protocol.slice(0, -1), host, pathname), { text });
  }
  static joinPath = (base, ...parts) => base.with({ path: posix.join(base.path, ...parts) });
  with = ({ path }) => new Uri(this.scheme, this.authority, path);
  toString = () => this.text ?? `${this.scheme}://${this.authority}${this.path}`;
}

export class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}
export class Range {
  constructor(start, end) {
    Object.assign(this, { start, end });
  }
}
export class ThemeColor {
  constructor(id) {
    this.id = id;
  }
}
export const StatusBarAlignment = { Left: 1, Right: 2 };
export const ViewColumn = { Active: -1, Beside: -2, One: 1 };
export const FileType = { File: 1, Directory: 2 };

export const env = {
  language: "en",
  openExternal: async (uri) => tell({ told: "browse", address: String(uri) }),
};

const settings = {};
const configured = event();
const root = Uri.file(folder);
export const workspace = {
  workspaceFolders: [{ uri: root, name: "workspace", index: 0 }],
  getConfiguration: (section) => ({
    get(name) {
      const { [`${section}.${name}`]: known } = configuration.properties;
      if (!known) throw new Error(`package.json has no setting ${section}.${name}`);
      return settings[name] ?? known.default;
    },
  }),
  onDidChangeConfiguration: configured,
  asRelativePath: ({ path }) => posix.relative(root.path, path),
  fs: { stat: async ({ path }) => ({ type: statSync(path).isDirectory() ? FileType.Directory : FileType.File }) },
};

const registered = new Map();
export const commands = {
  registerCommand(name, run) {
    if (!contributed.some(({ command }) => command === name)) throw new Error(`package.json has no command ${name}`);
    registered.set(name, run);
    return { dispose: () => registered.delete(name) };
  },
  async executeCommand(name, ...given) {
    if (name === `${view.id}.focus`) return show(view);
    if (name === "vscode.open") return tell({ told: "opened", path: given[0].path, line: given[1].selection.start.line + 1 });
    if (!registered.has(name)) throw new Error(`there is no command ${name}`);
    return registered.get(name)(...given);
  },
};

/** Questions to the person that wait for an answer. */
const questions = new Map();
function ask(question) {
  const number = questions.size + 1;
  return new Promise((answer) => {
    questions.set(number, answer);
    tell({ ...question, question: number });
  });
}

let provider;
let editor;
export const window = {
  get activeTextEditor() {
    return editor;
  },
  createStatusBarItem: () => ({
    show() {
      const { text, tooltip, command, backgroundColor } = this;
      tell({ told: "status", text, tooltip, command, background: backgroundColor?.id });
    },
    dispose() {},
  }),
  showInformationMessage: (text, ...labels) => ask({ told: "notification", text, labels }),
  showInputBox: ({ password }) => ask({ told: "input", password }),
  showQuickPick: async (items) => {
    const label = await ask({ told: "choice", labels: items.map(({ label }) => label) });
    return items.find((item) => item.label === label);
  },
  registerWebviewViewProvider(id, given) {
    if (!Object.values(views).flat().some((view) => view.id === id && view.type === "webview")) throw new Error(`package.json has no view ${id}`);
    view.id = id;
    provider = given;
    return { dispose: () => (provider = undefined) };
  },
  registerWebviewPanelSerializer: () => ({ dispose() {} }),
  createWebviewPanel() {
    const panel = holder("panel");
    panel.shown = true;
    panel.api.reveal = () => show(panel);
    return panel.api;
  },
};

/** What holds a webview: the view or a panel. Its page is in the browser of the test. */
const holders = new Map();
function holder(name) {
  const changed = event();
  const gone = event();
  const received = event();
  const made = { name, shown: false, changed, gone, received };
  const draw = () => made.shown && tell({ told: "page", name, html: made.html, roots: made.roots });
  made.draw = draw;
  made.api = {
    webview: {
      cspSource: process.env.RESOURCES,
      asWebviewUri: ({ path }) => `${process.env.RESOURCES}${path}`,
      onDidReceiveMessage: received,
      // What is sent to a page that is hidden does not arrive.
      postMessage: async (message) => made.shown && (tell({ told: "message", name, message }), true),
      set options({ enableScripts, localResourceRoots }) {
        if (!enableScripts) throw new Error("the page has scripts");
        made.roots = localResourceRoots.map(({ path }) => path);
      },
      set html(html) {
        made.html = html;
        draw();
      },
    },
    get visible() {
      return made.shown;
    },
    set badge(badge) {
      tell({ told: "badge", count: badge?.value });
    },
    onDidDispose: gone,
    [name === "view" ? "onDidChangeVisibility" : "onDidChangeViewState"]: changed,
  };
  holders.set(name, made);
  return made;
}
const view = holder("view");

function show(made) {
  if (made.shown) return;
  made.shown = true;
  if (!made.html) return provider.resolveWebviewView(made.api);
  // The page was dropped when it was hidden, and the same text makes it anew.
  made.draw();
  made.changed.fire();
}

const secrets = new Map();
const secretsChanged = event();
const subscriptions = [];
const context = {
  extensionUri: Uri.file(extension),
  subscriptions,
  secrets: {
    get: async (key) => secrets.get(key),
    store: async (key, value) => void (secrets.set(key, value), secretsChanged.fire({ key })),
    delete: async (key) => void (secrets.delete(key), secretsChanged.fire({ key })),
    onDidChange: secretsChanged,
  },
};

const orders = {
  async activate() {
    const { activate } = await import(pathToFileURL(join(extension, manifest.main)));
    await activate(context);
  },
  deactivate: () => subscriptions.forEach((subscription) => subscription.dispose()),
  configure(given) {
    Object.assign(settings, given);
    configured.fire({ affectsConfiguration: (section) => section === "pilothouse" });
  },
  run: ({ command }) => commands.executeCommand(command),
  answer: ({ question, value }) => questions.get(question)(value),
  show: ({ name }) => show(holders.get(name)),
  hide({ name }) {
    holders.get(name).shown = false;
    holders.get(name).changed.fire();
  },
  close({ name }) {
    holders.get(name).shown = false;
    holders.get(name).gone.fire();
  },
  message: ({ name, message }) => holders.get(name).shown && holders.get(name).received.fire(message),
  select({ path, text, start, end }) {
    editor = { document: { uri: Uri.file(path), getText: () => text }, selection: { start: new Position(start, 0), end: new Position(end, 0) } };
  },
  secrets: () => Object.fromEntries(secrets),
};

process.on("message", async ({ order, number, ...given }) => {
  try {
    tell({ done: number, value: await orders[order](given) });
  } catch (error) {
    tell({ done: number, error: error.stack });
  }
});
