// Shows a session of a Pilothouse gateway in VS Code, in the side bar and as an editor. Only this file has the token and
// reaches the gateway. Its webviews have neither: they exchange messages with it.

import { randomBytes } from "node:crypto";

import { connect, load } from "pilothouse/headless";
import { bridge } from "pilothouse/transports";
import * as vscode from "vscode";

const VIEW = "pilothouse.session";
const EDITOR = "pilothouse.editor";
/** A request that is answered within this time, or that history settles, is no reason to disturb anybody. In milliseconds. */
const PATIENCE = 2_000;

export function activate(context) {
  const settings = () => vscode.workspace.getConfiguration("pilothouse");
  const gateway = () => settings().get("gateway");
  const session = () => settings().get("session") || undefined;
  // The token belongs to one address, so that a change of the setting sends it nowhere else.
  const secret = () => `token of ${new URL(gateway()).origin}`;
  const auth = async ({ refused }) => (refused ? undefined : { token: await context.secrets.get(secret()) });

  /** Functions that draw each webview anew. */
  const webviews = new Set();
  /** The webviews that are on the screen and have their page, the newest last. */
  const pages = new Set();
  /** What is to be attached when there is a page. */
  let attachments = [];
  let sideBar;
  let panel;

  /** Makes a view or a panel show the session. */
  function show(view, place) {
    const { webview } = view;
    let end;
    const close = () => {
      pages.delete(webview);
      end?.close();
      end = undefined;
    };
    const draw = () => {
      close();
      webview.html = html(webview, context.extensionUri, { place, session: session() });
    };
    const roots = [media(context.extensionUri), library(context.extensionUri)];
    webview.options = { enableScripts: true, localResourceRoots: roots };
    webview.onDidReceiveMessage((message) => {
      if (message.ready) {
        // A page is made anew whenever it was hidden. Its predecessor may have left a bridge.
        close();
        end = bridge(webview, gateway(), { auth });
        pages.add(webview);
        webview.postMessage({ connect: true });
        for (const attach of attachments.splice(0)) webview.postMessage({ attach });
      }
      if (message.open) open(message.open, connection?.session.snapshot().session.cwd);
      if (/^https?:/.test(message.browse)) vscode.env.openExternal(vscode.Uri.parse(message.browse, true));
    });
    const changed = view.onDidChangeVisibility ?? view.onDidChangeViewState;
    changed(() => view.visible || close());
    view.onDidDispose(() => {
      close();
      webviews.delete(draw);
    });
    webviews.add(draw);
    draw();
  }

  function showPanel(made) {
    panel = made;
    const icon = (name) => vscode.Uri.joinPath(media(context.extensionUri), name);
    panel.iconPath = { light: icon("icon.svg"), dark: icon("icon-dark.svg") };
    panel.onDidDispose(() => (panel = undefined));
    show(panel, "editor");
  }

  const item = vscode.window.createStatusBarItem(VIEW, vscode.StatusBarAlignment.Left);
  item.name = "Pilothouse";
  let waiting = 0;

  /** Says in the status bar, and at the view's icon, what the agent does and whether it waits for somebody. */
  function tell({ session: { id, status }, pending: { length } }) {
    waiting = length;
    mark();
    const rest = `$(comment-discussion) Agent: ${id ? status : "no session yet"}`;
    item.text = length ? `$(bell-dot) The agent waits for you (${length})` : rest;
    item.tooltip = "Show the session";
    item.command = `${VIEW}.focus`;
    item.backgroundColor = length ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    item.show();
  }

  function mark() {
    if (sideBar) sideBar.badge = waiting ? { value: waiting, tooltip: `${waiting} open requests` } : undefined;
  }

  /** The gateway takes no token, or has no such session. */
  function refused({ message, code }) {
    const signIn = code === 401 || code === -32010;
    item.text = signIn ? "$(key) Agent: sign in" : "$(error) Agent: not connected";
    item.tooltip = message;
    item.command = signIn ? "pilothouse.setToken" : `${VIEW}.focus`;
    item.backgroundColor = undefined;
    item.show();
  }

  /** Tells a person who does not see the session that it waits. The answer is given on the card, which shows what is allowed. */
  async function notify({ kind }) {
    const permission = kind === "permission";
    const text = permission ? "The agent asks for your permission." : "The agent asks you something.";
    // Nothing of the session is in this text, because VS Code makes links of what looks like one.
    const pressed = await vscode.window.showInformationMessage(text, permission ? "Allow…" : "Answer…");
    if (pressed) vscode.commands.executeCommand(`${VIEW}.focus`);
  }

  /** The extension's own connection, which lasts while no page is shown. */
  let connection;
  async function watch() {
    const known = new Set();
    try {
      await load();
      connection?.close();
      const own = (connection = connect(gateway(), { session: session(), auth }));
      const look = () => {
        const view = own.session.snapshot();
        tell(view);
        const fresh = view.pending.filter(({ requestId }) => !known.has(requestId));
        for (const { requestId } of fresh) known.add(requestId);
        if (fresh.length) setTimeout(() => remind(own, fresh), PATIENCE);
      };
      look();
      // A snapshot takes time in a long session, so none is made for each word that arrives.
      for await (const changes of own) if (changes.some(({ type }) => type === "section" || type === "renewed")) look();
    } catch (error) {
      refused(error);
    }
  }

  function remind(own, requests) {
    if (own !== connection || sideBar?.visible || panel?.visible) return;
    const open = new Set(own.session.snapshot().pending.map(({ requestId }) => requestId));
    const request = requests.find(({ requestId }) => open.has(requestId));
    if (request) notify(request);
  }

  function restart() {
    watch();
    for (const draw of webviews) draw();
  }

  async function setToken() {
    const key = secret();
    const token = await vscode.window.showInputBox({
      title: `Token for ${gateway()}`,
      prompt: "The gateway prints it when it starts. An empty field forgets the token.",
      password: true,
      ignoreFocusOut: true,
    });
    if (token) await context.secrets.store(key, token);
    else if (token === "") await context.secrets.delete(key);
  }

  async function attachSelection() {
    const editor = vscode.window.activeTextEditor;
    if (!editor) return;
    const { document, selection: { start, end } } = editor;
    const name = `${vscode.workspace.asRelativePath(document.uri)}:${start.line + 1}-${end.line + 1}`;
    const attach = { name, text: document.getText(editor.selection) };
    const page = [...pages].at(-1);
    if (page) return page.postMessage({ attach });
    attachments.push(attach);
    await vscode.commands.executeCommand(`${VIEW}.focus`);
  }

  context.subscriptions.push(
    item,
    { dispose: () => connection?.close() },
    context.secrets.onDidChange(restart),
    vscode.workspace.onDidChangeConfiguration((change) => change.affectsConfiguration("pilothouse") && restart()),
    vscode.window.registerWebviewViewProvider(VIEW, {
      resolveWebviewView(view) {
        sideBar = view;
        view.onDidDispose(() => (sideBar = undefined));
        mark();
        show(view, "view");
      },
    }),
    // After a restart of VS Code the panel is there again.
    vscode.window.registerWebviewPanelSerializer(EDITOR, { deserializeWebviewPanel: async (made) => showPanel(made) }),
    vscode.commands.registerCommand("pilothouse.openEditor", () => {
      if (panel) panel.reveal();
      else showPanel(vscode.window.createWebviewPanel(EDITOR, "Agent", vscode.ViewColumn.Beside));
    }),
    vscode.commands.registerCommand("pilothouse.setToken", setToken),
    vscode.commands.registerCommand("pilothouse.attachSelection", attachSelection),
  );
  watch();
}

const media = (extension) => vscode.Uri.joinPath(extension, "media");
const library = (extension) => vscode.Uri.joinPath(extension, "node_modules", "pilothouse");

const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt()};`);

/** The page of a webview. Its policy allows these files and nothing else: no connection, no frame, no image from elsewhere. */
function html(webview, extension, { place, session }) {
  const file = (base, name) => webview.asWebviewUri(vscode.Uri.joinPath(base, ...name.split("/")));
  const nonce = randomBytes(16).toString("base64");
  const wanted = session ? `session="${escaped(session)}"` : "";
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'wasm-unsafe-eval'`,
    `style-src ${webview.cspSource}`,
    "img-src data:",
    "media-src data:",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="${escaped(vscode.env.language)}">
<head>
  <meta charset="utf-8">
  <meta http-equiv="Content-Security-Policy" content="${policy}">
  <meta name="viewport" content="width=device-width">
  <title>Agent</title>
  <link rel="stylesheet" href="${file(library(extension), "themes/vscode.css")}">
  <link rel="stylesheet" href="${file(media(extension), "page.css")}">
</head>
<body data-place="${place}">
  <pilot-house class="ph-vscode" transport="none" keys="page" allow="" ${wanted}></pilot-house>
  <script type="module" nonce="${nonce}" src="${file(media(extension), "page.mjs")}"></script>
</body>
</html>`;
}

/** Opens the first of these files that is in the workspace, or lets the person choose. Files elsewhere are left alone. */
async function open(files, cwd) {
  const found = (await Promise.all(files.slice(0, 50).map((file) => find(file, cwd)))).filter(Boolean);
  if (!found.length) return vscode.window.showInformationMessage("None of these files is in the workspace.");
  const named = ({ uri, line }) => ({ label: vscode.workspace.asRelativePath(uri), description: line && `line ${line}`, uri, line });
  const names = found.map(named);
  const chosen = names.length > 1 ? await vscode.window.showQuickPick(names, { placeHolder: "Open a file" }) : names[0];
  if (!chosen) return;
  const at = new vscode.Position((chosen.line ?? 1) - 1, 0);
  const options = { viewColumn: vscode.ViewColumn.One, selection: new vscode.Range(at, at) };
  await vscode.commands.executeCommand("vscode.open", chosen.uri, options);
}

/** The agent's path as a file of the workspace. The agent may know the folder by another path, in a container for example. */
async function find({ path, line }, cwd) {
  const absolute = /^(\/|\w:[\\/])/.test(path);
  const whole = absolute ? vscode.Uri.file(path).path : path;
  const base = cwd && `${vscode.Uri.file(cwd).path}/`;
  for (const { uri: folder } of vscode.workspace.workspaceFolders ?? []) {
    const relative = absolute && base && whole.startsWith(base) ? whole.slice(base.length) : whole;
    // `joinPath` resolves what goes up, so that it is seen whether the file is in the folder.
    const uri = vscode.Uri.joinPath(relative.startsWith("/") ? folder.with({ path: "/" }) : folder, relative);
    if (!uri.path.startsWith(`${folder.path}/`)) continue;
    const about = await vscode.workspace.fs.stat(uri).then((about) => about, () => undefined);
    if (about?.type === vscode.FileType.File) return { uri, line };
  }
}
