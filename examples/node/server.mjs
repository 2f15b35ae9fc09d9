// One session of the Copilot SDK for one page: events out by server-sent events, answers in by POST.
// Keeps the session's events so that a page can replay them. Other origins and methods are rejected.

import { createServer } from "node:http";

import { CopilotClient } from "@github/copilot-sdk";

const PORT = Number(process.env.PORT ?? 3000);
const PAGE = process.env.PAGE_ORIGIN ?? "http://127.0.0.1:8000";
/** The methods that the page may call. It must not have access to everything that the SDK can do. */
const METHODS = new Set([
  "permissions.handlePendingPermissionRequest", "ui.handlePendingUserInput",
  "ui.handlePendingElicitation", "ui.handlePendingExitPlanMode", "send", "abort",
].map((name) => `session.${name}`));

const log = []; // in memory; a server that runs for weeks should keep it on disk
const readers = new Set();
function onEvent(event) {
  log.push(`id: ${log.length + 1}\ndata: ${JSON.stringify(event)}\n\n`);
  for (const reader of readers) reader.write(log.at(-1));
}

// Never resolves: the page answers the same request by its id, and the runtime goes on.
const byPage = () => new Promise(() => {});
const client = new CopilotClient();
const session = await client.createSession({
  onEvent, streaming: true,
  // Required, or the runtime may assume that nobody can answer, and not ask.
  onPermissionRequest: () => ({ kind: "no-result" }),
  onUserInputRequest: byPage, onElicitationRequest: byPage, onExitPlanModeRequest: byPage,
});

async function call({ id, method, params: { sessionId, ...params } = {} }) {
  try {
    if (!METHODS.has(method)) throw new Error(`no method ${method} here`);
    const [, ...path] = method.split(".");
    const result = await path.reduce((api, name) => api[name], session.rpc)(params);
    return { jsonrpc: "2.0", id, result };
  } catch (error) {
    return { jsonrpc: "2.0", id, error: { code: -32000, message: error.message } };
  }
}

async function serve(request, response) {
  const { host, origin = PAGE } = request.headers;
  // Any site can send requests to this machine: only our page's origin and our host name are accepted.
  if (origin !== PAGE || ![`127.0.0.1:${PORT}`, `localhost:${PORT}`].includes(host)) return response.writeHead(403).end();
  response.setHeader("Access-Control-Allow-Origin", PAGE).setHeader("Access-Control-Allow-Headers", "content-type, last-event-id");
  if (request.method === "OPTIONS") return response.writeHead(204).end();
  if (request.method === "GET" && request.url === "/events") {
    response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-cache" });
    // A page that has seen more than there is comes from the server before this one: it gets everything.
    const last = Number(request.headers["last-event-id"] ?? 0);
    response.write(`: hello\n\n${log.slice(last <= log.length ? last : 0).join("")}`);
    readers.add(response);
    return response.on("close", () => readers.delete(response));
  }
  if (request.method !== "POST" || request.url !== "/rpc") return response.writeHead(404).end();
  let body = "";
  for await (const part of request) if ((body += part).length > 1 << 20) return response.writeHead(413).end();
  response.setHeader("Content-Type", "application/json").end(JSON.stringify(await call(JSON.parse(body))));
}

createServer((request, response) => serve(request, response).catch(() => response.destroy()))
  .listen(PORT, "127.0.0.1", () => console.log(`http://127.0.0.1:${PORT}/events`));

if (process.argv[2]) await session.send({ prompt: process.argv[2] });
