// A server that behaves like the runtime in recordings: one session over a WebSocket, with its queue and its
// methods. What the agent does is controlled by the test.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";

import { Script } from "./events.mjs";
import { PATIENCE } from "./harness.mjs";
import { check } from "./schema.mjs";

/** Some of the runtime's commands, as it lists them. */
const COMMANDS = [
  { name: "allow-all", aliases: ["yolo"], description: "Enable all permissions", kind: "builtin", input: { hint: "[on|off|show]", choices: [{ name: "on", description: "Auto-approve all permission requests" }, { name: "off", description: "Require approval for each request" }, { name: "show", description: "Show current permission status" }] }, allowDuringAgentExecution: true, schedulable: false },
  { name: "compact", description: "Summarize conversation history to reduce context window usage", kind: "builtin", input: { hint: "focus instructions", preserveMultilineInput: true }, allowDuringAgentExecution: false, schedulable: true },
  { name: "context", description: "Show context window token usage and visualization", kind: "builtin", allowDuringAgentExecution: true, schedulable: true },
  { name: "plan", description: "Create an implementation plan before coding", kind: "builtin", input: { hint: "prompt", preserveMultilineInput: true }, allowDuringAgentExecution: true, schedulable: true },
  { name: "deploy", description: "Deploy it", kind: "client", allowDuringAgentExecution: false, schedulable: false },
];

const MODELS = [
  { id: "claude-sonnet-4.5", name: "Claude Sonnet 4.5", billing: { multiplier: 1 }, capabilities: { supports: { vision: true }, limits: { vision: { supported_media_types: ["image/png"], max_prompt_images: 2, max_prompt_image_size: 4096 } } } },
  { id: "gpt-5", name: "GPT-5", billing: { multiplier: 0.33 }, capabilities: { supports: { vision: true }, limits: {} }, supportedReasoningEfforts: ["low", "medium", "high"], defaultReasoningEffort: "medium" },
];

const NOT_FOUND = -32601;

/** An error response. */
class Refusal extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/**
 * One session. `calls` are the calls received, `[method, params without sessionId]`.
 * `on[method]` replaces the default answer: a function of the params, which may throw a
 * `refusal`, or return `NEVER` to leave the call unanswered.
 */
export class Runtime {
  script = new Script("steered");
  calls = [];
  on = {};
  items = [];
  steering = [];
  taken = 0;
  busy = false;
  mode = "interactive";
  permissions = "manual";
  /** Refuses connections. */
  away = false;
  model = "claude-sonnet-4.5";
  #sockets = new Set();
  #sent = [];
  #waiting = new Set();
  #number = 0;

  static NEVER = Symbol("no answer");

  refusal(code, message) {
    return new Refusal(code, message);
  }

  /** Sends every viewer the events that were added to the script. */
  tell() {
    for (const event of this.script.take()) {
      this.#sent.push(event);
      for (const socket of this.#sockets) this.#event(socket, event);
    }
    return this;
  }

  /** Sends the notification that the queue has changed. */
  modified() {
    this.script.add("pending_messages.modified", {}, { ephemeral: true });
    return this.tell();
  }

  /** The agent takes up a message and works on it until `rest`. */
  work(content, messageId = `m${++this.#number}`, delivery = "idle") {
    this.busy = true;
    this.script.add("user.message", { content, messageId, delivery }).turn();
    return this.tell();
  }

  /** Ends the turn; the next queued message is taken up. */
  rest() {
    this.busy = false;
    this.steering = [];
    this.script.add("assistant.turn_end", { turnId: "0" });
    const next = this.items.shift();
    if (next) {
      this.modified();
      return this.work(next.displayText, next.messageId, "queued");
    }
    this.script.add("session.idle", { mode: this.mode }, { ephemeral: true });
    return this.tell();
  }

  /** The steering messages become messages of the current turn. */
  steer() {
    for (const { text, messageId } of this.steering.splice(0)) {
      this.script.add("user.message", { content: text, messageId, delivery: "steering" });
    }
    return this.modified();
  }

  /** Sends every viewer a notification that is no event. */
  notify(method, params) {
    for (const socket of this.#sockets) socket.write(framed({ jsonrpc: "2.0", method, params }));
  }

  /** Closes every connection. */
  cut() {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** The params of every call of a method. */
  of(method) {
    return this.calls.filter(([called]) => called === method).map(([, params]) => params);
  }

  /** Waits until a method was called this many times. Returns the params of the newest call. */
  async called(method, times = 1) {
    const heard = () => this.calls.map(([called]) => called).join(", ");
    const missing = () => new Error(`${method} was not called ${times} times; the calls were: ${heard()}`);
    while (this.of(method).length < times) {
      let late;
      await new Promise((resume, reject) => {
        this.#waiting.add(resume);
        late = setTimeout(() => reject(missing()), PATIENCE);
      }).finally(() => clearTimeout(late));
    }
    return this.of(method).at(-1);
  }

  pending() {
    return { items: this.items, steeringMessages: this.steering.map(({ text }) => text), inFlightSteeringCount: this.taken };
  }

  async listen(stage) {
    const server = createServer();
    server.on("upgrade", (request, socket) => this.#open(request, socket));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    stage.atEnd(() => {
      this.cut();
      server.close();
    });
    return `ws://127.0.0.1:${server.address().port}/session`;
  }

  #open(request, socket) {
    if (this.away) return socket.destroy();
    const key = request.headers["sec-websocket-key"];
    const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
    const protocol = request.headers["sec-websocket-protocol"] ? "Sec-WebSocket-Protocol: pilothouse.binary\r\n" : "";
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${protocol}Sec-WebSocket-Accept: ${accept}\r\n\r\n`);
    this.#sockets.add(socket);
    let rest = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("data", (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      for (let frame = unframe(rest); frame; frame = unframe(rest)) {
        rest = rest.subarray(frame.length);
        if (frame.opcode === 8) return socket.end();
        this.#answer(socket, JSON.parse(frame.payload.toString()));
      }
    });
    for (const event of this.#sent) this.#event(socket, event);
  }

  #event(socket, event) {
    socket.write(framed({ jsonrpc: "2.0", method: "session.event", params: { sessionId: "steered", event } }));
  }

  #answer(socket, { id, method, params }) {
    // Pings are left out of `calls`: the page pings when it comes back into view, and
    // Firefox reports that at other times than Chromium.
    if (method === "pilothouse.ping") return socket.write(framed({ jsonrpc: "2.0", id, result: {} }));
    const { sessionId, ...own } = params;
    assert.equal(sessionId, "steered", method);
    if (!method.startsWith("pilothouse.")) check(method, params);
    let answer;
    try {
      const answering = this.on[method] ?? this.#usual[method];
      if (!answering) throw new Refusal(NOT_FOUND, `Unhandled method ${method}`);
      answer = { result: answering.call(this, own) ?? null };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      answer = { error: { code: error.code, message: error.message } };
    }
    this.calls.push([method, own]);
    for (const resume of this.#waiting) resume();
    this.#waiting.clear();
    if (answer.result !== Runtime.NEVER) socket.write(framed({ jsonrpc: "2.0", id, ...answer }));
  }

  #place(id) {
    return this.items.findIndex((item) => item.id === id);
  }

  /** The behaviour of the recorded runtime: it sends the events of a change before its response. */
  #usual = {
    "session.commands.list": () => ({ commands: COMMANDS }),
    "session.completions.getTriggerCharacters": () => ({ triggerCharacters: [] }),
    "session.model.list": () => ({ list: MODELS }),
    "session.queue.pendingItems": () => this.pending(),
    "session.permissions.pendingRequests": () => ({ items: [] }),
    "session.send": ({ prompt, displayPrompt, mode, agentMode = "interactive" }) => {
      const messageId = `m${++this.#number}`;
      const text = displayPrompt ?? prompt;
      if (!this.busy) {
        this.modified();
        this.modified();
        this.work(text, messageId);
      } else if (mode === "immediate") {
        this.steering.push({ text, messageId });
        this.modified();
      } else {
        this.items.push({ id: `${this.#number}`, messageId, kind: "message", displayText: text, agentMode });
        this.modified();
      }
      return { messageId };
    },
    "session.queue.moveItem": ({ id, toPosition }) => {
      const [item] = this.items.splice(this.#place(id), 1);
      this.items.splice(toPosition, 0, item);
      this.modified();
      return { changed: true };
    },
    "session.queue.removeAt": ({ id }) => {
      const place = this.#place(id);
      if (place < 0) return { removed: false };
      this.items.splice(place, 1);
      this.modified();
      return { removed: true };
    },
    "session.queue.updateText": ({ id, prompt }) => {
      const item = this.items[this.#place(id)];
      if (!item) return { updated: false };
      item.displayText = prompt;
      this.modified();
      return { updated: true };
    },
    "session.queue.sendNow": ({ id }) => {
      const [{ displayText: text, messageId }] = this.items.splice(this.#place(id), 1);
      if (!this.busy) {
        this.modified();
        this.work(text, messageId);
        return { steered: true };
      }
      this.steering.push({ text, messageId });
      this.modified();
      return { steered: true };
    },
    "session.queue.clear": () => {
      this.items = [];
      this.modified();
    },
    "session.abort": () => {
      this.#stopped("user_initiated");
      return { success: true };
    },
    "session.interruptMainTurn": ({ flushQueued }) => {
      if (!this.busy) return { interrupted: false };
      if (!flushQueued) this.items = [];
      this.#stopped("user_abort");
      if (flushQueued && this.items.length) this.rest();
      return { interrupted: true };
    },
    "session.mode.set": ({ mode }) => {
      this.script.add("session.mode_changed", { previousMode: this.mode, newMode: mode });
      this.mode = mode;
      this.tell();
      return { status: "unchanged", modelChanged: false, modeApplied: true };
    },
    "session.model.switchTo": ({ modelId }) => {
      this.script.add("session.model_change", { previousModel: this.model, newModel: modelId });
      this.model = modelId;
      this.tell();
      return { status: "applied", deferred: false, modelId, message: `Model changed to ${modelId}`, deprecationWarnings: [], modelState: { modelId } };
    },
    "session.model.setReasoningEffort": ({ reasoningEffort }) => {
      this.script.add("session.model_change", { previousModel: this.model, newModel: this.model, reasoningEffort });
      this.tell();
      return { reasoningEffort };
    },
    "session.mode.get": () => this.mode,
    "session.permissions.getMode": () => ({ mode: this.permissions }),
    "session.permissions.setMode": ({ mode }) => {
      this.script.add("session.permissions_changed", { previousMode: this.permissions, mode });
      this.permissions = mode;
      this.tell();
      return { success: true, mode };
    },
    "session.name.set": ({ name }) => {
      this.script.add("session.title_changed", { title: name }, { ephemeral: true });
      this.tell();
    },
    "session.history.compact": () => ({ success: true, tokensRemoved: 2942, messagesRemoved: 34 }),
    "session.commands.enqueue": ({ command }) => {
      this.items.push({ id: `c${++this.#number}`, kind: "command", displayText: command, agentMode: "interactive" });
      this.modified();
      return { queued: true };
    },
    "session.commands.execute": ({ args }) => (args === "bad" ? { error: "deploy failed" } : {}),
    "session.commands.invoke": ({ name, input }) => {
      if (name === "context") return { kind: "text", text: "Context Usage\n\n\u001b[32m10k\u001b[0m/136k tokens (7%)", preserveAnsi: true };
      if (name === "plan") return { kind: "agent-prompt", prompt: `[[PLAN]] My request: ${input}`, displayPrompt: input, mode: "plan" };
      if (name === "allow-all" && !input) return { kind: "select-subcommand", command: "allow-all", title: "Allow all", options: [{ name: "on", description: "Approve all" }, { name: "off", description: "Ask" }] };
      throw new Refusal(-32603, `Request session.commands.invoke failed with message: Unknown slash command: /${name}`);
    },
  };

  #stopped(reason) {
    this.busy = false;
    const first = reason === "user_abort";
    if (first) this.modified();
    else this.items = [];
    this.steering = [];
    this.script.add("abort", { reason });
    this.tell();
    if (!first) this.modified();
    this.script.add("session.idle", { aborted: true, mode: "interactive" }, { ephemeral: true });
    this.tell();
  }
}

/** A text frame. No client needs frames of 2^32 bytes or more. */
function framed(message) {
  const payload = Buffer.from(JSON.stringify(message));
  const { length } = payload;
  if (length < 126) return Buffer.concat([Buffer.from([0x81, length]), payload]);
  if (length < 65_536) return Buffer.concat([Buffer.from([0x81, 126, length >> 8, length & 255]), payload]);
  const head = Buffer.alloc(10);
  head.set([0x81, 127]);
  head.writeUInt32BE(length, 6);
  return Buffer.concat([head, payload]);
}

/**
 * The first complete frame, if there is one. Assumes what browsers do here: they mask
 * frames and don't fragment them.
 */
function unframe(bytes) {
  if (bytes.length < 2) return undefined;
  let length = bytes[1] & 127;
  let at = 2;
  if (length === 126) [length, at] = bytes.length < 4 ? [Infinity, 4] : [bytes.readUInt16BE(2), 4];
  else if (length === 127) [length, at] = bytes.length < 10 ? [Infinity, 10] : [bytes.readUInt32BE(6), 10];
  if (bytes.length < at + 4 + length) return undefined;
  const mask = bytes.subarray(at, at + 4);
  const payload = Buffer.from(bytes.subarray(at + 4, at + 4 + length)).map((byte, place) => byte ^ mask[place % 4]);
  return { opcode: bytes[0] & 15, payload, length: at + 4 + length };
}
