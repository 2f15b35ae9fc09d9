// Transports for `<pilot-house>` over channels of the browser, and their other end. What is sent is what a gateway's
// WebSocket carries: frames of JSON-RPC as text. Nothing here needs the wasm.

import { Calls, SIGN_IN, messages, socketAddress } from "./rpc.js";

/** Tells the page that the connection behind the channel has ended: `{reason?}`. */
const CLOSED = "pilothouse.closed";
/** Tells the other end that the page needs its connection no longer. */
const DISCONNECT = "pilothouse.disconnect";
/** Milliseconds in which a gateway has to take the connection of a bridge. */
const OPENING = 10_000;

/** Through a `MessagePort`, a `Worker`, or what else has `postMessage` and gets `message` events of its own. */
export const messagePort = (port) => transport(() => endpoint(port));

/**
 * Through `postMessage` of a window, such as `parent`, or of the API of a webview. Only messages from `origin` are heard, and
 * of a window only its own. `origin` can be left out for a webview, which is sent its messages from its own origin.
 */
export function postMessage(target, options) {
  checkOrigin(target, options);
  return transport(() => endpoint(target, options));
}

/** Through a `BroadcastChannel`. Every page gets its own connection at the other end. */
export const broadcastChannel = (name) =>
  transport(() => {
    const channel = new BroadcastChannel(name);
    const client = Math.random().toString(36).slice(2);
    return {
      send: (frame) => channel.postMessage({ client, frame }),
      listen(take) {
        // What other pages send is not for this one, even with its name on it.
        channel.onmessage = ({ data }) => data?.client === client && data.answer && take(data.frame);
      },
      close: () => channel.close(),
    };
  });

/**
 * The other end: connects a channel to the gateway at `url`, in a place that may have the token and reach the gateway: a
 * worker, a page, the host of a webview. `channel` is what `messagePort` and `postMessage` take, a `BroadcastChannel`, or a
 * webview with `onDidReceiveMessage`. Returns an object with `close()`.
 */
export function bridge(channel, url, { token, auth, origin } = {}) {
  checkOrigin(channel, { origin });
  const end = endpoint(channel, { origin });
  const upstreams = new Map();
  const answer = (client, frame) => end.send(client === undefined ? frame : { client, frame, answer: true });
  end.listen((data) => {
    const { client, frame = data, answer: own } = typeof data === "object" ? data : {};
    const sent = own ? [] : ours(typeof data === "object" && client === undefined ? data : frame);
    if (!sent.length) return;
    if (sent.some(({ method }) => method === DISCONNECT)) return void upstreams.get(client)?.close();
    if (!upstreams.has(client)) {
      const over = (reason) => {
        upstreams.delete(client);
        answer(client, JSON.stringify({ jsonrpc: "2.0", method: CLOSED, params: { reason } }));
      };
      upstreams.set(client, upstream(url, { token, auth }, (text) => answer(client, text), over));
    }
    for (const message of sent) upstreams.get(client)?.send(message);
  });
  return {
    close() {
      for (const { close } of [...upstreams.values()]) close();
      end.close();
    },
  };
}

/** Makes a transport of `open`, which opens a channel. */
const transport = (open) => ({
  async connect({ after, session, token, signal, receive, closed }) {
    const channel = open();
    const calls = new Calls();
    const request = (method, params) => calls.call(channel.send, method, params);
    const sessionId = session ?? undefined;
    signal.addEventListener("abort", () => {
      channel.send(JSON.stringify({ jsonrpc: "2.0", method: DISCONNECT }));
      channel.close();
      calls.lose();
    });
    channel.listen((frame) => {
      // Others may use the channel as well, such as the extension of a webview. A session would read their objects as events.
      const text = typeof frame === "string" ? frame : JSON.stringify(ours(frame));
      if (!text.includes('"jsonrpc"')) return;
      const [end] = text.includes(CLOSED) ? ours(text).filter(({ method }) => method === CLOSED) : [];
      if (end) return closed(end.params?.reason);
      calls.take(text);
      receive(text);
    });
    const subscribe = (params) => request("pilothouse.subscribe", { sessionId, token: token ?? undefined, ...params });
    let subscribed = await subscribe({ after: after ?? undefined });
    if (subscribed.seq < after) {
      // The gateway has started over: everything comes once more.
      await request("pilothouse.unsubscribe", { sessionId: subscribed.sessionId });
      subscribed = await subscribe();
    }
    const { seq, role } = subscribed;
    return { sessionId: subscribed.sessionId, seq, role, request };
  },
});

/** The JSON-RPC messages in what came through a channel that others may use as well. */
function ours(data) {
  try {
    const all = typeof data === "string" ? messages(data) : [data].flat();
    return all.filter((message) => message?.jsonrpc === "2.0");
  } catch {
    return [];
  }
}

const isWindow = (target) => target.window === target;

function checkOrigin(target, { origin } = {}) {
  if (isWindow(target) && (!origin || origin === "*")) throw new TypeError("a window needs the origin of its page");
}

/** A channel to `target`: `send`, `listen` and `close`. */
function endpoint(target, { origin } = {}) {
  let stop = () => {};
  // Of a window of another origin nothing else may be read.
  const window = isWindow(target);
  const webview = !window && target.onDidReceiveMessage;
  // Windows, and the API of a webview, have their messages delivered to this window. The API of a webview is no window,
  // so only the origin says where they come from.
  const here = window || !(webview || target.addEventListener);
  const from = origin ?? globalThis.origin;
  return {
    send: (message) => (window ? target.postMessage(message, origin) : target.postMessage(message)),
    listen(take) {
      if (webview) {
        const listening = target.onDidReceiveMessage(take);
        stop = () => listening.dispose();
        return;
      }
      const listener = (event) => {
        if (here && event.origin !== from) return;
        if (window && event.source !== target) return;
        take(event.data);
      };
      const place = here ? globalThis : target;
      place.addEventListener("message", listener);
      if (!here) target.start?.();
      stop = () => place.removeEventListener("message", listener);
    },
    close: () => stop(),
  };
}

/** A gateway's WebSocket for one client. The token goes into subscriptions, in place of any that the client sent. */
function upstream(url, { token, auth }, receive, over) {
  const waiting = [];
  const subscriptions = new Map();
  let socket;
  let ended = false;
  let renewed = false;

  let late;
  const end = (reason) => {
    if (ended) return;
    ended = true;
    clearTimeout(late);
    socket?.close();
    over(reason);
  };
  const ask = async (refused) => {
    const given = await auth?.({ refused });
    token = given?.token ?? token;
    return Boolean(given);
  };
  const pass = (message) => {
    const { id, method, params } = message;
    if (method === "pilothouse.subscribe") subscriptions.set(id, message);
    const signed = token && method?.startsWith("pilothouse.") ? { ...params, token } : params;
    socket.send(JSON.stringify({ ...message, params: signed }));
  };
  const take = async (text) => {
    for (const { id, method, result, error } of subscriptions.size ? messages(text) : []) {
      const refused = !method && subscriptions.get(id);
      if (!refused || (!result && !error)) continue;
      subscriptions.delete(id);
      if (error?.code !== SIGN_IN || renewed || !auth) continue;
      renewed = true;
      if (await ask(true).catch(() => false)) return pass(refused);
    }
    receive(text);
  };

  (async () => {
    await ask(false);
    if (ended) return;
    socket = new WebSocket(socketAddress(url));
    // Nothing reports a gateway that does not answer, and in Node 20 not even one that hangs up at once.
    late = setTimeout(() => end("The gateway does not answer."), OPENING);
    socket.onopen = () => {
      clearTimeout(late);
      waiting.splice(0).forEach(pass);
    };
    socket.onmessage = ({ data }) => void take(data);
    socket.onclose = ({ reason }) => end(reason || undefined);
  })().catch((error) => end(error.message));

  return {
    send: (message) => (socket?.readyState === 1 ? pass(message) : waiting.push(message)),
    close: () => end(),
  };
}
