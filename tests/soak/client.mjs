// A client of the gateway over a WebSocket. It checks each event that it gets against what the runtime sent: all of them,
// in order, byte for byte.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";

const EVENT = '{"jsonrpc":"2.0","method":"session.event"';

export class Client {
  #socket;
  #calls = new Map();
  #number = 0;
  #parts = [];
  #length = 0;
  #feeds = new Map();
  #waiting = new Set();
  #failure;

  /** Connects to a gateway. `runtime` has what was sent, and `received(session, seq)` is called with each event. */
  static async open(address, runtime, received = () => {}) {
    const client = new Client();
    client.runtime = runtime;
    client.received = received;
    const { hostname, port, host } = new URL(address);
    const socket = (client.#socket = connect({ host: hostname, port: Number(port) }).setNoDelay(true));
    socket.on("error", (error) => client.#fail(error));
    socket.on("close", () => client.#fail(new Error("the gateway has closed the connection")));
    socket.write(`GET /api/rpc HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\n\r\n`);
    const [head] = await once(socket, "data");
    const end = head.indexOf("\r\n\r\n");
    assert.match(head.toString("latin1", 0, end), /^HTTP\/1.1 101 /);
    socket.on("data", (bytes) => client.#take(bytes));
    client.#take(head.subarray(end + 4));
    return client;
  }

  /** Ends the connection at once. */
  leave() {
    this.#socket.removeAllListeners("close");
    this.#socket.destroy();
  }

  async call(method, params = {}) {
    const id = ++this.#number;
    const answer = new Promise((resolve, reject) => this.#calls.set(id, { method, resolve, reject }));
    this.#send(1, JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return answer;
  }

  /** Subscribes to a session after a `seq`. */
  async watch(session, after = 0) {
    this.#feeds.set(session, after);
    await this.call("pilothouse.subscribe", { sessionId: session, after });
  }

  async unwatch(session) {
    await this.call("pilothouse.unsubscribe", { sessionId: session });
    this.#feeds.delete(session);
  }

  /** Resolves when everything up to this `seq` is here. */
  until(session, seq) {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (this.#failure) return reject(this.#failure);
        if (!(this.#feeds.get(session) >= seq)) return false;
        resolve();
        return true;
      };
      if (!look()) this.#waiting.add(look);
    });
  }

  #fail(error) {
    this.#failure ??= error;
    for (const { reject } of this.#calls.values()) reject(this.#failure);
    for (const look of this.#waiting) look();
    this.#socket.destroy();
  }

  #send(opcode, text) {
    const payload = Buffer.from(text);
    assert.ok(payload.length < 65_536);
    // The mask is four zeros, so the payload stays as it is.
    const head = payload.length < 126 ? [payload.length | 128] : [126 | 128, payload.length >> 8, payload.length & 255];
    this.#socket.write(Buffer.concat([Buffer.from([128 | opcode, ...head, 0, 0, 0, 0]), payload]));
  }

  #take(bytes) {
    if (!bytes.length) return;
    this.#parts.push(bytes);
    this.#length += bytes.length;
    if (this.#parts.length > 1 && this.#length < this.wanted) return;
    let rest = this.#parts.length > 1 ? Buffer.concat(this.#parts) : bytes;
    this.wanted = 0;
    try {
      for (;;) {
        const frame = unframe(rest);
        if (!frame.payload) {
          this.wanted = frame.wanted;
          break;
        }
        rest = rest.subarray(frame.length);
        if (frame.opcode === 9) this.#send(10, frame.payload);
        if (frame.opcode === 1 || frame.opcode === 2) for (const line of frame.payload.toString().split("\n")) this.#read(line);
      }
    } catch (error) {
      return this.#fail(error);
    }
    this.#parts = rest.length ? [rest] : [];
    this.#length = rest.length;
    for (const look of this.#waiting) if (look()) this.#waiting.delete(look);
  }

  #read(line) {
    if (line.startsWith(EVENT)) return this.#event(line);
    const message = JSON.parse(line);
    const call = this.#calls.get(message.id);
    if (!call) return;
    this.#calls.delete(message.id);
    if (message.error) call.reject(new Error(`${call.method}: ${message.error.message}`));
    else call.resolve(message.result);
  }

  #event(line) {
    const session = line.slice(EVENT.length + 24, line.indexOf('"', EVENT.length + 24));
    const before = this.#feeds.get(session);
    assert.ok(before !== undefined, `an event of '${session}', which is not watched: ${line.slice(0, 200)}`);
    const seq = before + 1;
    const due = `${EVENT},"params":{"sessionId":"${session}","event":${this.runtime.sent.get(session)[seq - 1]},"seq":${seq}}}`;
    assert.ok(line === due, `event ${seq} of ${session} is\n${line}\nand must be\n${due}`);
    this.#feeds.set(session, seq);
    this.received(session, seq);
  }
}

/** The first frame, or how many bytes are wanted for it. A server does not mask, and the gateway does not fragment. */
function unframe(bytes) {
  if (bytes.length < 2) return { wanted: 2 };
  let length = bytes[1];
  let at = 2;
  if (length === 126) [length, at] = bytes.length < 4 ? [0, 4] : [bytes.readUInt16BE(2), 4];
  else if (length === 127) [length, at] = bytes.length < 10 ? [0, 10] : [Number(bytes.readBigUInt64BE(2)), 10];
  if (bytes.length < at + length) return { wanted: at + length };
  if (bytes.length < at) return { wanted: at };
  return { opcode: bytes[0] & 15, payload: bytes.subarray(at, at + length), length: at + length };
}
