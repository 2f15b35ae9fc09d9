// JSON-RPC as the runtime's clients speak it: over a program's standard streams and
// over a WebSocket. Every call has a timeout.

import { WebSocket } from "ws";

const PATIENCE = 30_000;

/**
 * Requests of the runtime that are left open, because answering the event with the same
 * `requestId` settles them.
 */
const ANSWERED_BY_EVENT = new Set(["userInput.request", "exitPlanMode.request", "autoModeSwitch.request"]);

/** One end of a connection. `deliver` sends a text, `receive` handles one. */
export class Peer {
  /** `{sessionId, seq, event}` of every event, in the order of arrival. */
  heard = [];
  /** Every request that was sent. */
  sent = [];
  /** The other notifications. */
  noted = [];
  #deliver;
  #open = new Map();
  #watchers = new Set();
  #next = 1;

  constructor(deliver) {
    this.#deliver = deliver;
  }

  /** Resolves to the result, or rejects with the error's message. */
  call(method, params = {}) {
    const id = this.#next++;
    const request = { jsonrpc: "2.0", id, method, params };
    this.sent.push(request);
    this.#deliver(JSON.stringify(request));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${method}: no answer`)), PATIENCE);
      const settle = (act) => (value) => {
        clearTimeout(timer);
        act(value);
      };
      this.#open.set(id, { method, resolve: settle(resolve), reject: settle(reject) });
    });
  }

  receive(text) {
    const message = JSON.parse(text);
    if (message.method === "session.event") {
      this.heard.push(message.params);
      for (const watch of [...this.#watchers]) watch(message.params);
    } else if (message.method && message.id === undefined) {
      this.noted.push(message);
    } else if (message.method) {
      if (ANSWERED_BY_EVENT.has(message.method)) return;
      const error = { code: -32601, message: `nobody answers ${message.method} here` };
      this.#deliver(JSON.stringify({ jsonrpc: "2.0", id: message.id, error }));
    } else {
      const { method, resolve, reject } = this.#open.get(message.id);
      this.#open.delete(message.id);
      if (message.error) reject(new Error(`${method}: ${message.error.message} ${JSON.stringify(message.error.data ?? "")}`));
      else resolve(message.result);
    }
  }

  /** Calls `watcher` with every event from now on. */
  watch(watcher) {
    this.#watchers.add(watcher);
  }

  /** Rejects all open calls. */
  end(why) {
    for (const { method, reject } of this.#open.values()) reject(new Error(`${method}: ${why}`));
    this.#open.clear();
  }

  /** The first event of a session, at index `from` or later, of this type or satisfying this predicate. */
  async event(sessionId, wanted, from = 0) {
    const fits = typeof wanted === "string" ? (event) => event.type === wanted : wanted;
    const own = (params) => params.sessionId === sessionId && fits(params.event);
    const known = this.heard.slice(from).find(own);
    if (known) return known.event;
    return new Promise((resolve, reject) => {
      const watch = (params) => {
        if (!own(params)) return;
        clearTimeout(timer);
        this.#watchers.delete(watch);
        resolve(params.event);
      };
      const timer = setTimeout(() => {
        this.#watchers.delete(watch);
        const types = this.heard.slice(from).filter((params) => params.sessionId === sessionId).map(({ event }) => event.type);
        reject(new Error(`${wanted} never came; what came: ${types.join(" ")}`));
      }, PATIENCE);
      this.#watchers.add(watch);
    });
  }
}

/** A peer at the other end of a program's standard streams, in frames with a Content-Length. */
export function overStreams({ stdin, stdout }) {
  const peer = new Peer((text) => stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`));
  let bytes = Buffer.alloc(0);
  stdin.on("error", () => {});
  stdout.on("data", (more) => {
    bytes = Buffer.concat([bytes, more]);
    for (;;) {
      const end = bytes.indexOf("\r\n\r\n");
      const length = Number(/content-length: *(\d+)/i.exec(bytes.subarray(0, Math.max(end, 0)))?.[1]);
      if (end < 0 || bytes.length < end + 4 + length) return;
      const text = bytes.subarray(end + 4, end + 4 + length).toString();
      bytes = bytes.subarray(end + 4 + length);
      peer.receive(text);
    }
  });
  stdout.on("close", () => peer.end("the runtime ended"));
  return peer;
}

/** A peer at the other end of a gateway's WebSocket. */
export async function overWebSocket(address) {
  const socket = new WebSocket(`${address.replace("http", "ws")}/api/rpc`);
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  const peer = new Peer((text) => socket.send(text));
  // A frame may contain several messages, one a line.
  socket.on("message", (frame) => String(frame).split("\n").filter(Boolean).forEach((text) => peer.receive(text)));
  socket.on("error", () => {});
  socket.on("close", () => peer.end("the connection ended"));
  peer.close = () => socket.terminate();
  return peer;
}
