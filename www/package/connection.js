// Follows one session of a gateway without a view: events into a `Session`, answers and messages out.

import { Calls, ConnectionError, SIGN_IN, messages, result, socketAddress } from "./rpc.js";
import { Session } from "./start.js";

export { ConnectionError };

/** Milliseconds before an attempt to connect again; the last one counts for all that follow. */
const WAITS = [250, 500, 1_000, 2_000, 5_000, 10_000];
/** Too many messages, subscriptions or streams: a later attempt may pass. */
const TOO_MANY = [-32012, -32013];

/**
 * Follows a session of the gateway at `src`, the first one without `session`. `transport` is `ws`, `sse`, or `auto`: a
 * WebSocket where there is one and the upgrade is not refused. It connects again until it is closed, or until the
 * gateway refuses it for good. Call `load()` first.
 */
export const connect = (src, options = {}) => new Connection(src, options);

/**
 * The changes of a session, batch by batch, until `signal` aborts. Throws its reason, unless that is an `AbortError`.
 * What comes while a batch is worked on is in the next one.
 */
export async function* changes(session, { signal } = {}) {
  let batch = [];
  let wake;
  const stop = session.subscribe((more) => {
    batch.push(...more);
    wake?.();
  });
  const end = () => wake?.();
  signal?.addEventListener("abort", end);
  try {
    while (batch.length || !signal?.aborted) {
      if (!batch.length) await new Promise((done) => (wake = done));
      const ready = batch;
      batch = [];
      if (ready.length) yield ready;
    }
    if (signal.reason?.name !== "AbortError") throw signal.reason;
  } finally {
    stop();
    signal?.removeEventListener("abort", end);
  }
}

class Connection {
  /** What the session is. It stays readable when the connection is closed. */
  session = new Session();
  #base;
  #options;
  #id;
  #end = new AbortController();
  /** The newest position that is known, and the frame in which a newer one may be. */
  #seq = 0;
  #frame;
  #socket;
  #calls = new Calls();
  #number = 0;
  /** What signs requests, after `auth` has given it. */
  #credentials;
  /** The request for other credentials that is under way. */
  #renewing;

  constructor(src, options) {
    const page = globalThis.document?.baseURI;
    this.#base = new URL(src ?? page, page);
    this.#options = options;
    this.#credentials = { token: options.token };
    this.#id = options.session;
    options.signal?.addEventListener("abort", () => this.close());
    if (options.signal?.aborted) this.close();
    this.#run();
  }

  /** The changes, batch by batch, until the connection is closed. Throws if the gateway refuses it for good. */
  [Symbol.asyncIterator]() {
    return changes(this.session, { signal: this.#end.signal });
  }

  /** Whether the connection is closed for good. */
  get closed() {
    return this.#end.signal.aborted;
  }

  close() {
    this.#end.abort();
  }

  /**
   * Answers an open request. `params` are those of its method except `sessionId` and `requestId`. Resolves to whether it
   * was taken. If it rejects with an error that is not a `ConnectionError`, nobody knows whether the answer arrived.
   */
  async answer(requestId, params = {}) {
    const method = this.session.answerMethod(requestId);
    if (!method) return false;
    const { success } = await this.request(method, { ...params, requestId });
    return success !== false;
  }

  /** Calls a method of the session, `session.send` for example. Resolves to its result. */
  async request(method, params = {}) {
    this.#end.signal.throwIfAborted();
    this.#id ??= await this.#firstSessionId();
    const of = { ...params, sessionId: this.#id };
    if (this.#socket?.readyState === 1) return this.#call(this.#socket, method, of);
    const call = { jsonrpc: "2.0", id: ++this.#number, method, params: of };
    const response = await this.#fetch(`api/sessions/${encodeURIComponent(this.#id)}/rpc`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(call),
    });
    return result(await response.json());
  }

  async #run() {
    const { signal } = this.#end;
    let { transport = "auto" } = this.#options;
    if (transport === "auto" && !globalThis.WebSocket) transport = "sse";
    for (let attempt = 0; !signal.aborted; attempt++) {
      const before = this.#seq;
      try {
        await this.#askCredentials(false);
        this.#id ??= await this.#firstSessionId();
        if (transport === "sse") await this.#readEvents();
        else if (!(await this.#readSocket()) && transport === "auto") transport = "sse";
      } catch (error) {
        if (error instanceof ConnectionError) return this.#end.abort(error);
      }
      if (this.#seq > before) attempt = 0;
      await pause(WAITS[attempt] ?? WAITS.at(-1), signal);
    }
  }

  /** The gateway's first session. */
  async #firstSessionId() {
    const [row] = await (await this.#fetch("api/sessions")).json();
    if (!row) throw new Error("the gateway has no session yet");
    return row.sessionId;
  }

  /** Asks the caller for credentials. Resolves to whether there are any. */
  async #askCredentials(refused) {
    const given = await this.#options.auth?.({ refused });
    if (given) this.#credentials = { token: given.token ?? this.#credentials.token, headers: given.headers };
    return Boolean(given);
  }

  /** These credentials were refused. Resolves to whether there are others; the caller is asked once for all requests. */
  #renewCredentials(credentials) {
    if (credentials !== this.#credentials) return true;
    return (this.#renewing ??= this.#askCredentials(true).catch(() => false).finally(() => (this.#renewing = undefined)));
  }

  /** Fetches below the gateway's address. Throws a `ConnectionError` if trying again would not help. */
  async #fetch(path, { headers, ...options } = {}) {
    const attempt = ({ token, headers: signed }) => {
      const all = new Headers(signed);
      if (token) all.set("Authorization", `Bearer ${token}`);
      for (const [name, value] of Object.entries(headers ?? {})) all.set(name, value);
      return fetch(new URL(path, this.#base), { signal: this.#end.signal, ...options, headers: all });
    };
    const used = this.#credentials;
    let response = await attempt(used);
    // A server that refuses the credentials has carried nothing out.
    if (response.status === 401 && (await this.#renewCredentials(used))) response = await attempt(this.#credentials);
    if (response.ok) return response;
    const text = `${response.status} ${response.statusText} for ${path}`;
    const forGood = response.status >= 400 && response.status < 500 && ![408, 425, 429].includes(response.status);
    throw forGood ? new ConnectionError(text, response.status) : new Error(text);
  }

  /**
   * Fetches what is left of the log behind the newest position, as the gateway says that it is much. Where that can't be had, the
   * live stream brings everything.
   */
  async #fetchHistory(signal) {
    const path = `api/sessions/${encodeURIComponent(this.#id)}/history?after=${this.#position()}`;
    try {
      await this.#readHistory(await this.#fetch(path, { signal }));
    } catch (error) {
      if (this.closed || error.code === 401) throw error;
    }
  }

  /** Reads a history: the live stream goes on where it ends, or where it broke off. */
  async #readHistory(response) {
    const newest = Number(response.headers.get("Pilothouse-Seq"));
    // A gateway that has less than was seen has started over, which the live stream tells.
    if (!isHistory(response) || newest < this.#seq) return response.body?.cancel();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ; ) {
      const part = await reader.read().catch(() => undefined);
      // It broke off.
      if (!part) return this.#end.signal.throwIfAborted();
      const { value = "", done } = part;
      const text = rest + value;
      const end = done ? text.length : text.lastIndexOf("\n") + 1;
      if (end || done) this.#seq = this.session.pushHistory(text.slice(0, end), done ? newest : undefined);
      if (done) return;
      rest = text.slice(end);
    }
  }

  /** Reads server-sent events until they end, behind the history if that comes first. Each event is one record. */
  async #readEvents() {
    const open = (more = "") =>
      this.#fetch(`api/sessions/${encodeURIComponent(this.#id)}/events?after=${this.#seq}${more}`, { headers: { Accept: "text/event-stream" } });
    let response = await open("&history=1");
    if (isHistory(response)) {
      await this.#readHistory(response);
      response = await open();
    }
    const newest = response.headers.get("Pilothouse-Seq");
    if (newest && this.#checkRestart(Number(newest))) {
      await response.body.cancel();
      response = await open();
    }
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      // A CR at the end may be the first half of a CRLF.
      const text = rest + value;
      const ends = text.endsWith("\r") ? text.length - 1 : text.length;
      const blocks = text.slice(0, ends).replace(/\r\n?/g, "\n").split("\n\n");
      rest = blocks.pop() + text.slice(ends);
      for (const block of blocks) this.#readEvent(block);
    }
  }

  #readEvent(block) {
    const data = [];
    let seq;
    for (const line of block.split("\n")) {
      const [, field, value] = line.match(/^(\w+): ?(.*)$/) ?? [];
      if (field === "data") data.push(value);
      else if (field === "id") seq = this.#seq = Number(value);
    }
    if (!data.length) return;
    const event = data.join("\n");
    // By the positions the session notices that events are missing, and that the gateway has started over.
    this.session.pushFrame(seq ? `{"jsonrpc":"2.0","method":"session.event","params":{"seq":${seq},"event":${event}}}` : event);
  }

  /** Reads a WebSocket until it closes. Resolves to false if it never opened. */
  async #readSocket() {
    const socket = new WebSocket(socketAddress(this.#base));
    const { signal } = this.#end;
    const close = () => socket.close();
    signal.addEventListener("abort", close);
    let opened = false;
    let refused;
    const closed = new Promise((done) => {
      socket.onclose = done;
      socket.onerror = done;
    });
    socket.onmessage = ({ data }) => this.#receive(data);
    socket.onopen = () => {
      opened = true;
      this.#socket = socket;
      this.#subscribe(socket).catch((error) => {
        if (error instanceof ConnectionError && !TOO_MANY.includes(error.code)) refused = error;
        socket.close();
      });
    };
    await closed;
    signal.removeEventListener("abort", close);
    this.#socket = undefined;
    this.#calls.lose();
    this.#position();
    if (refused) throw refused;
    return opened;
  }

  /** Subscribes, with other credentials if these are refused and the caller has some, and behind the history if that comes first. */
  async #subscribe(socket) {
    const used = this.#credentials;
    const attempt = ({ token }, history) =>
      this.#call(socket, "pilothouse.subscribe", { sessionId: this.#id, after: this.#position(), token, compact: true, history });
    let subscribed = await attempt(used, true).catch(async (error) => {
      if (error.code !== SIGN_IN || !(await this.#renewCredentials(used))) throw error;
      return attempt(this.#credentials, true);
    });
    if (subscribed.history === true) {
      const ended = new AbortController();
      socket.addEventListener("close", () => ended.abort());
      await this.#fetchHistory(ended.signal);
      if (ended.signal.aborted) return;
      subscribed = await attempt(this.#credentials);
    }
    if (!this.#checkRestart(subscribed.seq)) return;
    await this.#call(socket, "pilothouse.unsubscribe", { sessionId: this.#id });
    await attempt(this.#credentials);
  }

  /** Whether the gateway has less than was seen of it. Then everything is wanted once more; the session begins anew by itself. */
  #checkRestart(newest) {
    const over = newest < this.#position();
    if (over) this.#seq = 0;
    return over;
  }

  #receive(frame) {
    if (this.#calls.take(frame)) return;
    this.session.pushFrame(frame);
    this.#frame = frame;
  }

  /** The newest position. It is read from the last frame, and only when it is needed. */
  #position() {
    const seen = this.#frame ? messages(this.#frame) : [];
    for (const { seq, params } of seen) this.#seq = Math.max(this.#seq, seq ?? params?.seq ?? 0);
    this.#frame = undefined;
    return this.#seq;
  }

  #call(socket, method, params) {
    return this.#calls.call((message) => socket.send(message), method, params);
  }
}

/** Whether it is a history, and not a stream. */
const isHistory = ({ headers }) => headers.has("Pilothouse-Seq") && /json/.test(headers.get("Content-Type"));

/** Waits, and no longer than until `signal` aborts. */
function pause(time, signal) {
  if (signal.aborted) return undefined;
  return new Promise((done) => {
    const timer = setTimeout(done, time);
    signal.addEventListener("abort", () => (clearTimeout(timer), done()), { once: true });
  });
}
