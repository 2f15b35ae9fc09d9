// A stand-in for the runtime that a gateway drives: it listens on loopback, speaks the runtime's frames, answers every
// call, and sends what it is given.

import { once } from "node:events";
import { createServer } from "node:net";

const framed = (text) => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;

export class Runtime {
  /** The events of each session that were sent, as they were sent; its `seq` is its place, from 1. */
  sent = new Map();
  #socket;

  /** Listens. Returns the address. */
  async listen() {
    const server = createServer((socket) => {
      this.#socket = socket.setNoDelay(true);
      this.#read(socket);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    this.close = () => {
      this.#socket?.destroy();
      server.close();
    };
    return `127.0.0.1:${server.address().port}`;
  }

  /** Sends events, in one piece. */
  emit(session, events) {
    const sent = this.sent.get(session) ?? this.sent.set(session, []).get(session);
    sent.push(...events);
    const note = (event) => framed(`{"jsonrpc":"2.0","method":"session.event","params":{"sessionId":"${session}","event":${event}}}`);
    this.#socket.write(events.map(note).join(""));
  }

  #read(socket) {
    let rest = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      for (;;) {
        const head = rest.indexOf("\r\n\r\n");
        if (head < 0) return;
        const end = head + 4 + Number(rest.toString("latin1", 0, head).match(/content-length: *(\d+)/i)[1]);
        if (rest.length < end) return;
        const { id, method, params } = JSON.parse(rest.toString("utf8", head + 4, end));
        rest = rest.subarray(end);
        const result = JSON.stringify(this.#answer(method, params));
        socket.write(framed(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`));
      }
    });
  }

  #answer(method, { sessionId } = {}) {
    const own = (type, data = {}) => {
      const id = `${sessionId}-${type}-${this.sent.get(sessionId)?.length ?? 0}`;
      this.emit(sessionId, [JSON.stringify({ type, data, id, timestamp: new Date().toISOString(), parentId: null })]);
    };
    switch (method) {
      case "session.create":
        return { sessionId };
      case "session.resume":
        own("session.resume", { resumeTime: new Date().toISOString() });
        return { sessionId };
      case "session.destroy":
        own("session.shutdown", { shutdownType: "routine" });
        return { success: true };
      case "session.list":
        return { sessions: [...this.sent.keys()].map((sessionId) => ({ sessionId, name: sessionId })) };
      case "session.eventLog.read":
        return { events: [], cursor: "0", hasMore: false, cursorStatus: "ok" };
      default:
        return { success: true };
    }
  }
}
