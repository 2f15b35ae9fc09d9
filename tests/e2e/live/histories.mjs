// Random histories against the real runtime: clients that come and go, answers, messages, and processes that are killed. After each
// history everything is compared with what docs/protocol.md promises (§3), as gateway/tests/histories does with a stand-in for the
// runtime. `HISTORIES` is how many, `SEED` the first seed. It is no test file: `cargo xtask prove --only histories` runs it.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { WebSocket } from "ws";

import { startGateway } from "./support/gateway.mjs";
import { scriptedModel } from "./support/model.mjs";
import { MODEL, absent, home } from "./support/runtime.mjs";

const HISTORIES = Number(process.env.HISTORIES ?? 100);
const SEED = Number(process.env.SEED ?? 1);
/** Who waits longer than this waits for something that does not come. In milliseconds. */
const PATIENCE = 60_000;
/** The outcome of a call may be unknown because the runtime ended, as the gateway says, or because the connection did. */
const UNKNOWN = -32007;

const ANSWER = "session.permissions.handlePendingPermissionRequest";

/** Waits until something holds. Other processes are looked at again and again. */
async function until(holds, what) {
  const limit = Date.now() + PATIENCE;
  for (let found; ; ) {
    if ((found = await holds())) return found;
    assert.ok(Date.now() < limit, `it does not happen: ${typeof what === "function" ? what() : what}`);
    await setTimeout(20);
  }
}

/** Numbers that follow from a seed. */
function random(seed) {
  let state = seed;
  const below = (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
  return { below, of: (list) => list[below(list.length)], chance: (percent) => below(100) < percent };
}

/** A client that lives through the end of any connection, and keeps what it has read. */
class Client {
  /** The text of each event, by its position. */
  read = new Map();
  /** What was wrong with what it read. */
  wrong = [];
  last = 0;
  #socket;
  #calls = new Map();
  #number = 0;

  constructor(name, session, after = 0) {
    Object.assign(this, { name, session, after, last: after });
  }

  get connected() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Connects, and reads on from where it was. */
  async join(address) {
    this.cut();
    const socket = (this.#socket = new WebSocket(`${address.replace("http", "ws")}/api/rpc`));
    socket.on("error", () => {});
    socket.on("message", (frame) => {
      if (this.#socket === socket) String(frame).split("\n").filter(Boolean).forEach((line) => this.#take(line));
    });
    socket.on("close", () => this.#socket === socket && this.#lose());
    await new Promise((done) => socket.once("open", done).once("close", done));
    const before = this.last;
    const outcome = await this.call("pilothouse.subscribe", { after: before });
    if (outcome.error) this.wrong.push(`it can't subscribe: ${JSON.stringify(outcome.error)}`);
    if (outcome.result?.seq < before) this.wrong.push(`it has ${before} positions, and the gateway ${outcome.result.seq}`);
  }

  cut() {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.terminate();
    this.#lose();
  }

  #lose() {
    for (const done of this.#calls.values()) done({ unknown: true });
    this.#calls.clear();
  }

  /** Resolves to `{result}`, `{error}`, `{unknown}` if the connection ended first, or `{unsent}`. */
  call(method, params = {}) {
    if (!this.connected) return Promise.resolve({ unsent: true });
    const id = ++this.#number;
    this.#socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params: { sessionId: this.session, ...params } }));
    return new Promise((done) => this.#calls.set(id, done));
  }

  #take(line) {
    const { id, method, params, result, error } = JSON.parse(line);
    if (method === "session.event" && params.sessionId === this.session) {
      if (params.seq !== this.last + 1) this.wrong.push(`position ${params.seq} came after ${this.last}`);
      this.last = Math.max(this.last, params.seq);
      this.read.set(params.seq, JSON.stringify(params.event));
    } else if (!method && this.#calls.has(id)) {
      const done = this.#calls.get(id);
      this.#calls.delete(id);
      done(error ? { error } : { result });
    }
  }
}

/** What the model answers: a message 'tool N' leads to a command that leaves a line, everything else to words. */
function decide({ messages }) {
  const last = messages.at(-1);
  const text = typeof last.content === "string" ? last.content : JSON.stringify(last.content);
  const mark = last.role === "user" && text.match(/tool \d+/g)?.at(-1);
  if (!mark) return { say: "That is what there is to say." };
  return { say: "I note it down.", calls: [{ name: "bash", args: { command: `echo "${mark}" >> log.txt`, description: "Note it" } }] };
}

class History {
  steps = [];
  faults = {};
  wrong = [];
  /** `{client, prompt, outcome}` of messages, `{client, requestId, kind, outcome}` of answers. */
  attempts = [];
  clients = [];
  open = new Set();
  #number = 0;
  #thaw;
  #kills = 0;

  constructor(seed) {
    this.seed = seed;
    this.random = random(seed);
  }

  async run(model) {
    this.folders = await home();
    this.gateway = await startGateway(this.folders, model);
    try {
      model.play(...Array(1_000).fill(decide));
      await this.begin();
      const count = 12 + this.random.below(20);
      for (let at = 0; at < count; at += 1) await this.step();
      await this.settle();
      this.check();
    } catch (error) {
      this.wrong.push(error.stack);
    } finally {
      this.#thaw?.();
      for (const client of this.clients) client.cut();
      await this.gateway.stop();
      await this.folders.remove();
    }
  }

  async begin() {
    const peer = await this.gateway.peer();
    this.project = await this.folders.project();
    const { sessionId } = await peer.call("pilothouse.create", { model: MODEL, workingDirectory: this.project });
    this.session = sessionId;
    peer.close();
    for (let at = 0; at < 3; at += 1) await this.join();
    await this.clients[0].call("session.send", { prompt: "Begin" });
    await until(() => existsSync(this.ownLog) && readFileSync(this.ownLog, "utf8").includes("That is what there is to say."), "the session is on the disk");
  }

  /** The runtime's own log of the session. */
  get ownLog() {
    return join(this.folders.config, "session-state", this.session, "events.jsonl");
  }

  /** What everybody together has read, by position. */
  get events() {
    const all = new Map(this.clients.flatMap(({ read }) => [...read]));
    return [...all].sort(([one], [other]) => one - other).map(([, text]) => JSON.parse(text));
  }

  /** The ids of the requests that wait. */
  get waiting() {
    const open = new Set();
    for (const { type, data } of this.events) {
      if (type === "permission.requested") open.add(data.requestId);
      if (type === "permission.completed") open.delete(data.requestId);
    }
    return [...open];
  }

  async join(after = 0) {
    const client = new Client(`client ${this.clients.length + 1}`, this.session, after);
    this.clients.push(client);
    await client.join(this.gateway.address);
    return client;
  }

  /** One that is connected. */
  async somebody() {
    const connected = this.clients.filter((client) => client.connected);
    if (connected.length > 0) return this.random.of(connected);
    const client = this.random.of(this.clients);
    await client.join(this.gateway.address);
    return client;
  }

  note(step) {
    this.steps.push(step);
  }

  fault(kind) {
    this.faults[kind] = (this.faults[kind] ?? 0) + 1;
    this.note(kind);
  }

  attempt(client, method, params, about) {
    const attempt = { client: client.name, method, ...about };
    attempt.done = client.call(method, params).then((outcome) => void (attempt.outcome = outcome));
    this.attempts.push(attempt);
    return attempt;
  }

  send(client) {
    const prompt = `${this.random.chance(65) ? "tool" : "text"} ${++this.#number}`;
    const mode = this.random.of([undefined, "enqueue", "immediate"]);
    this.note(`${client.name} sends '${prompt}' (${mode})`);
    return this.attempt(client, "session.send", { prompt, ...(mode && { mode }) }, { prompt });
  }

  answer(client, requestId) {
    const kind = this.random.chance(75) ? "approve-once" : "reject";
    this.note(`${client.name} answers ${requestId}: ${kind}`);
    return this.attempt(client, ANSWER, { requestId, result: { kind } }, { requestId, kind });
  }

  async step() {
    const { random } = this;
    const steps = {
      send: 6, answer: 8, both: 2, wait: 4, cut: 2, "cut in a call": 2, back: 3, newcomer: 1,
      ...(this.#thaw ? { thaw: 4 } : { freeze: 1 }),
      ...(this.#kills < 3 && { "kill runtime": 1, "kill gateway": 1, "stop gateway": 1 }),
    };
    const step = random.of(Object.entries(steps).flatMap(([name, weight]) => Array(weight).fill(name)));
    const client = await this.somebody();
    const requestId = random.of(this.waiting);
    if (step === "send") await this.perhaps(this.send(client));
    else if (step === "answer" && requestId) await this.perhaps(this.answer(client, requestId));
    else if (step === "both" && requestId) {
      const other = await this.somebody();
      const both = [this.answer(client, requestId), this.answer(other, requestId)];
      for (const one of both) await this.perhaps(one);
    } else if (step === "wait" && !this.#thaw) {
      this.note("waits for a request, or for rest");
      await until(async () => this.waiting.length > 0 || !client.connected || (await client.call("session.permissions.pendingRequests")).result?.items.length > 0 || (await client.call("session.metadata.isProcessing")).result?.processing === false, "a request, or rest");
    } else if (step === "cut") {
      this.fault("a connection is cut");
      client.cut();
    } else if (step === "cut in a call") {
      if (requestId && random.chance(50)) this.answer(client, requestId);
      else this.send(client);
      this.fault("a connection is cut in a call");
      client.cut();
    } else if (step === "back") {
      const gone = this.clients.find((one) => !one.connected);
      await gone?.join(this.gateway.address);
    } else if (step === "newcomer" && this.clients.length < 6) {
      await this.join(random.below(client.last + 1));
    } else if (step === "freeze") {
      this.fault("the runtime stands still");
      this.#thaw = this.gateway.freezeRuntime();
    } else if (step === "thaw") {
      this.thaw();
    } else if (step === "kill runtime") {
      this.fault("the runtime is killed");
      this.killed();
      this.gateway.killRuntime();
      await this.resumed();
    } else if (step === "kill gateway" || step === "stop gateway") {
      this.fault(step === "kill gateway" ? "the gateway is killed" : "the gateway ends");
      this.killed();
      await this.gateway[step === "kill gateway" ? "kill" : "stop"]();
      await this.gateway.start();
    }
  }

  /** Waits for a call in half of the cases, but never for a runtime that stands still. */
  async perhaps(attempt) {
    if (!this.#thaw && this.random.chance(50)) await attempt.done;
  }

  thaw() {
    this.note("the runtime goes on");
    this.#thaw?.();
    this.#thaw = undefined;
  }

  killed() {
    if (this.#thaw) this.thaw();
    this.#kills += 1;
  }

  /** Waits until the runtime has the session again. */
  async resumed() {
    const client = await this.somebody();
    await until(async () => {
      if (!client.connected) await client.join(this.gateway.address);
      return (await client.call("session.metadata.isProcessing")).result;
    }, "the runtime is back");
  }

  /** Lets everything end: all clients are there, every request is answered, the agent rests. */
  async settle() {
    if (this.#thaw) this.thaw();
    for (const client of this.clients) if (!client.connected) await client.join(this.gateway.address);
    await Promise.all(this.attempts.map(({ done }) => done));
    const [client] = this.clients;
    let state;
    const answered = new Map();
    await until(async () => {
      // A runtime that was killed before it wrote an answer down lists the request again.
      const { result } = await client.call("session.permissions.pendingRequests");
      for (const { requestId } of result?.items ?? []) {
        // What a resume gave up is listed for ever, whatever the runtime is told.
        const times = answered.get(requestId) ?? 0;
        if (times === 3) continue;
        answered.set(requestId, times + 1);
        const { done } = this.attempt(client, ANSWER, { requestId, result: { kind: "approve-once" } }, { requestId, kind: "approve-once" });
        await done;
      }
      const [processing, queue] = [await client.call("session.metadata.isProcessing"), await client.call("session.queue.pendingItems")];
      state = { processing, queue, listed: result?.items, answered: [...answered] };
      return processing.result?.processing === false && queue.result?.items.length === 0 && queue.result.steeringMessages.length === 0;
    }, () => `the agent comes to rest: ${JSON.stringify(state)}; ${this.events.slice(-5).map(({ type }) => type)}`);
    this.backlog = (await client.call("pilothouse.backlog")).result.messages;
    this.whole = await this.join();
    await this.caughtUp();
    // The end of the session itself is read with the next resume.
    this.own = readFileSync(this.ownLog, "utf8");
    await this.gateway.stop();
    await this.gateway.start();
    this.after = await this.join();
    for (const one of this.clients) if (!one.connected) await one.join(this.gateway.address);
    await this.caughtUp();
  }

  /** Waits until all have the same newest position. */
  async caughtUp() {
    await until(async () => {
      const subscribed = await Promise.all(this.clients.map((client) => client.call("pilothouse.ping")));
      return subscribed.every(({ result }) => result) && new Set(this.clients.map(({ last }) => last)).size === 1;
    }, `all have the same: ${this.clients.map(({ name, last }) => `${name} ${last}`)}`);
  }

  check() {
    const { wrong } = this;
    // Everybody has the same events in the same order, before and after a restart.
    const whole = this.after.read;
    for (const client of this.clients) {
      for (const what of client.wrong) wrong.push(`${client.name}: ${what}`);
      for (const [seq, text] of client.read) if (whole.get(seq) !== text) wrong.push(`${client.name}: position ${seq} is ${text.slice(0, 200)}, for others it is ${whole.get(seq)?.slice(0, 200)}`);
      if (client.read.size !== whole.size - client.after) wrong.push(`${client.name} has ${client.read.size} events since ${client.after}, of ${whole.size}`);
    }
    const events = [...whole.values()].map((text) => JSON.parse(text));
    const ids = events.map(({ id }) => id);
    if (new Set(ids).size !== ids.length) wrong.push(`an event came twice: ${ids.filter((id, at) => ids.indexOf(id) !== at)}`);
    this.checkAnswers(events);
    this.checkMessages(events);
    // The runtime's own log has nothing that they lack, and the same order. A runtime that outlives its gateway for a moment writes
    // beside the next one.
    if (this.faults["the gateway is killed"]) return;
    const own = this.own.trim().split("\n").map((line) => JSON.parse(line));
    const places = own.map(({ id }) => ids.indexOf(id));
    own.forEach(({ id, type }, at) => places[at] < 0 && wrong.push(`nobody was sent the runtime's ${type} ${id}`));
    const there = places.filter((place) => place >= 0);
    if (there.some((place, at) => at > 0 && place < there[at - 1])) wrong.push("the runtime has its events in another order");
  }

  checkAnswers(events) {
    const { wrong } = this;
    const answers = this.attempts.filter(({ requestId }) => requestId);
    const asked = events.filter(({ type }) => type === "permission.requested");
    for (const { data } of asked) {
      const settled = events.filter(({ type, data: { requestId } }) => type === "permission.completed" && requestId === data.requestId);
      // A runtime that is killed may forget an answer, and asks again.
      if (settled.length > 1 + this.#kills) wrong.push(`${data.requestId} was settled ${settled.length} times`);
      const own = answers.filter(({ requestId }) => requestId === data.requestId);
      const told = this.gateway.answers(data.requestId).length;
      const [sure, perhaps] = reached(own);
      if (told < sure || told > sure + perhaps) wrong.push(`${told} answers to ${data.requestId} reached the runtime; ${sure} calls were acknowledged, of ${perhaps} the outcome is unknown`);
      const counted = own.filter(({ outcome }) => outcome.result?.success === true);
      if (counted.length > 1 + this.#kills) wrong.push(`${counted.length} answers to ${data.requestId} counted`);
    }
    // What nobody allowed is not carried out. What was allowed once is carried out once, but for a runtime that ended before it wrote
    // down that it had begun: the next one begins again.
    const file = join(this.project, "log.txt");
    const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
    for (const mark of new Set(lines)) {
      const requests = asked.filter(({ data }) => JSON.stringify(data).includes(`\\"${mark}\\"`) || JSON.stringify(data).includes(`"${mark}"`));
      const ids = requests.map(({ data }) => data.requestId);
      const allowed = answers.filter(({ requestId, kind, outcome }) => ids.includes(requestId) && kind === "approve-once" && (outcome.result?.success || mayHaveArrived(outcome)));
      const count = lines.filter((line) => line === mark).length;
      if (count > allowed.length + this.#kills || allowed.length === 0) wrong.push(`'${mark}' was carried out ${count} times, and allowed ${allowed.length} times, with ${this.#kills} ends of the runtime: ${JSON.stringify(answers.filter(({ requestId }) => ids.includes(requestId)))}, ${JSON.stringify(events.filter(({ type, data }) => /^(?:permission|tool|abort|session.(?:resume|shutdown|error|idle))/.test(type)).map(({ type, data, timestamp }) => [type, timestamp, data.requestId, data.toolCallId, data.result?.kind]))}`);
    }
    if (this.#kills > 0) return;
    for (const { requestId, kind, outcome } of answers) {
      if (kind !== "approve-once" || outcome.result?.success !== true) continue;
      const text = JSON.stringify(asked.find(({ data }) => data.requestId === requestId)?.data);
      const mark = text.match(/tool \d+/)[0];
      if (!lines.includes(mark)) wrong.push(`'${mark}' was allowed, and not carried out`);
    }
  }

  checkMessages(events) {
    const { wrong } = this;
    const prompts = new Set(this.attempts.flatMap(({ prompt }) => prompt ?? []));
    for (const prompt of prompts) {
      const own = this.attempts.filter((attempt) => attempt.prompt === prompt);
      const [sure, perhaps] = reached(own);
      const told = this.gateway.sends(this.session, prompt);
      if (told < sure || told > sure + perhaps) wrong.push(`'${prompt}' reached the runtime ${told} times; ${sure} calls were acknowledged, of ${perhaps} the outcome is unknown`);
      const begun = events.filter(({ type, data }) => type === "user.message" && data.content === prompt).length;
      const kept = this.backlog.filter(({ text }) => text === prompt);
      if (sure > 0 && begun === 0 && kept.length === 0) wrong.push(`'${prompt}' was acknowledged, has not begun, and is not offered`);
      if (begun > told || kept.length > 1) wrong.push(`'${prompt}' began ${begun} times and is offered ${kept.length} times; it was sent ${told} times`);
      if (kept.some(({ state }) => state !== "dropped")) wrong.push(`'${prompt}' is ${kept[0].state} in the end`);
    }
  }
}

const mayHaveArrived = ({ unknown, error }) => unknown || error?.code === UNKNOWN;

/** How many calls were acknowledged, so that they reached the runtime, and how many may have reached it. */
function reached(attempts) {
  const own = [-32_001, -32_005, -32_006, -32_008, -32_009, -32_015];
  // Any other error is the runtime's, which refused.
  const sure = attempts.filter(({ outcome: { result, error } }) => result || (error && error.code !== UNKNOWN && !own.includes(error.code)));
  return [sure.length, attempts.filter(({ outcome }) => mayHaveArrived(outcome)).length];
}

if (absent) {
  console.log(`no histories with the real runtime: ${absent}`);
} else {
  const model = await scriptedModel();
  const faults = {};
  let steps = 0;
  for (let seed = SEED; seed < SEED + HISTORIES; seed += 1) {
    const history = new History(seed);
    await history.run(model);
    if (history.wrong.length > 0) {
      console.log(`seed ${seed}:\n  ${history.steps.join("\n  ")}\nwrong:\n  ${history.wrong.slice(0, 12).join("\n  ")}\nthe gateway said:\n  ${history.gateway.said.slice(-10).join("\n  ")}`);
      process.exitCode = 1;
      continue;
    }
    steps += history.steps.length;
    for (const [kind, count] of Object.entries(history.faults)) faults[kind] = (faults[kind] ?? 0) + count;
    if (process.env.VERBOSE) console.log(Math.round(performance.now()), seed, history.steps.length, JSON.stringify(history.faults));
  }
  if (!process.exitCode) console.log(`${HISTORIES} histories with the real runtime, seeds ${SEED} to ${SEED + HISTORIES - 1}, ${steps} steps, ${JSON.stringify(faults)}`);
  // Timers of calls that were answered long ago may be left.
  process.exit();
}
