// The webview: the element, its transport, and what the editor does for it. It has no token and no connection.

import { load } from "../node_modules/pilothouse/inline.js";
import { postMessage } from "../node_modules/pilothouse/transports.js";

const editor = acquireVsCodeApi();
const element = document.querySelector("pilot-house");

// What the extension itself sends comes through the same channel. The transport ignores it, because it is no JSON-RPC.
const connected = new Promise((done) => {
  addEventListener("message", ({ data }) => {
    if (data.connect) done();
    if (data.attach) element.attach([new File([data.attach.text], data.attach.name, { type: "text/plain" })]);
  });
});

// The first connection waits until the extension has made a bridge for this page.
const transport = postMessage(editor);
element.transport = { connect: async (options) => (await connected, transport.connect(options)) };

/** The files that an entry is about: of a tool call its path, of a message what looks like a path in its code. */
function files({ kind, tool, text }) {
  if (kind === "tool") {
    const { path, view_range: [line] = [] } = tool?.arguments ?? {};
    return typeof path === "string" ? [{ path, line }] : [];
  }
  if (kind !== "assistant" && kind !== "user") return [];
  const named = text.matchAll(/`([^`\s:]+\.[A-Za-z]\w*)(?::(\d+))?`/g);
  return [...new Map([...named].map(([, path, line]) => [path, { path, line: Number(line) || undefined }])).values()];
}

element.entryActions = [
  {
    label: "Open\u00a0file",
    applies: (entry) => files(entry).length > 0,
    run: (entry) => editor.postMessage({ open: files(entry) }),
  },
];

// A webview opens no windows. The editor opens the address, after it has asked.
window.open = (address) => void editor.postMessage({ browse: String(address) });

try {
  await load();
  editor.postMessage({ ready: true });
} catch (error) {
  element.textContent = `The session can't be shown: ${error.message}`;
}
