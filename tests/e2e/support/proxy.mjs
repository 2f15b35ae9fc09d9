// A TCP proxy between browser and gateway that a test can cut, stop and slow down, and that can serve a host
// page on the gateway's own origin.

import { once } from "node:events";
import { connect, createServer } from "node:net";

import { calls } from "./sent-calls.mjs";

const UPGRADE = /^GET [^]*\r\nupgrade: websocket\r\n/i;
const ANSWER = /\.(handlePending\w*|respondToQueuedCommand)$/;

/**
 * Forwards TCP to an address. `cut()` ends every connection and refuses new ones until `mend()`. With
 * `refuseUpgrades` no WebSocket opens, as behind some company proxies. `page` is served at /host, and `files` at their
 * paths, with these headers.
 */
export async function wire(stage, address, { refuseUpgrades = false, page = "", files = {}, headers = [] } = {}) {
  let target = new URL(address);
  const open = new Set();
  const sent = [];
  let whole = true;
  let refused = 0;
  /** What happens to the next answer: `lost` before it reaches the server, or `unconfirmed` after. */
  let fate;
  /** Ends everything right behind these bytes in what the server sends. */
  let bound;
  let wasCut;
  /** Bytes a chunk. */
  let piece = Infinity;
  let opened = 0;
  const waits = new Set();
  /** New connections are stopped from their first byte. */
  let halted = false;

  const server = createServer((near) => {
    near.on("error", () => {});
    if (!whole) return near.destroy();
    opened += 1;
    const upstream = connect({ host: target.hostname, port: Number(target.port) });
    upstream.on("error", () => {});
    const pair = { near, upstream, stopped: halted, swallow: false, waiting: [], tail: Buffer.alloc(0) };
    open.add(pair);
    for (const end of [near, upstream]) end.setNoDelay(true);
    near.on("close", () => {
      open.delete(pair);
      upstream.destroy();
    });
    upstream.on("end", () => near.end());
    upstream.on("close", () => near.destroySoon());
    const read = calls();
    near.on("data", (bytes) => {
      if (pair.stopped) return pair.waiting.push(() => up(bytes));
      up(bytes);
    });
    function up(bytes) {
      const head = bytes.toString("latin1");
      pair.upgraded ||= UPGRADE.test(head);
      if (refuseUpgrades && UPGRADE.test(head)) {
        refused += 1;
        return near.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
      }
      const path = head.match(/^GET (\S+) HTTP/)?.[1];
      const own = path === "/host" && page ? page : files[path];
      if (own) {
        const kind = { js: "text/javascript", css: "text/css" }[path.split(".")[1]] ?? "text/html";
        const lines = [`content-type: ${kind}`, `content-length: ${Buffer.byteLength(own)}`, "connection: close", ...headers];
        return near.end(`HTTP/1.1 200 OK\r\n${lines.join("\r\n")}\r\n\r\n${own}`);
      }
      // What a test looks for in a stream must not be compressed.
      if (/^GET \S+\/events[? ]/.test(head)) bytes = Buffer.from(head.replace(/^accept-encoding:.*\r\n/im, ""), "latin1");
      const asked = read(bytes);
      const answers = asked.some(({ method }) => ANSWER.test(method));
      if (answers && fate === "lost") {
        fate = undefined;
        return cut();
      }
      sent.push(...asked);
      for (const waiting of [...waits]) waiting();
      if (answers && fate === "unconfirmed") {
        fate = undefined;
        for (const other of open) other.swallow = true;
        // Whatever the server sends next shows that it has the answer.
        upstream.once("data", cut);
      }
      upstream.write(bytes);
    }
    near.on("end", () => upstream.end());
    upstream.on("data", (bytes) => {
      if (pair.stopped) return pair.waiting.push(() => down(bytes));
      down(bytes);
    });
    function down(bytes) {
      if (pair.swallow) return;
      // They may come in two chunks.
      const seen = bound ? Buffer.concat([pair.tail, bytes]) : bytes;
      const at = bound ? seen.indexOf(bound) : -1;
      if (at >= 0) {
        near.write(seen.subarray(pair.tail.length, at + bound.length));
        bound = undefined;
        whole = false;
        wasCut();
        // What was written is still delivered; everything else ends here.
        pair.swallow = true;
        near.end();
        for (const other of [...open]) if (other !== pair) end(other);
        return;
      }
      if (bound) pair.tail = seen.subarray(Math.max(0, seen.length - bound.length + 1));
      for (let from = 0; from < bytes.length; from += piece) near.write(bytes.subarray(from, from + piece));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  function end(pair) {
    pair.near.destroy();
    pair.upstream.destroy();
  }
  function cut() {
    whole = false;
    for (const pair of [...open]) end(pair);
  }
  stage.atEnd(() => {
    cut();
    server.close();
  });
  return {
    address: `http://127.0.0.1:${server.address().port}`,
    cut,
    mend: () => void (whole = true),
    refused: () => refused,
    /** Sets whether WebSockets are refused from now on. */
    refuse: (on) => void (refuseUpgrades = on),
    /** Every call that reached the server. */
    sent,
    /** Resolves once the calls sent satisfy a predicate. */
    until: (holds) => new Promise((done) => {
      const look = () => {
        if (holds(sent)) done(waits.delete(look));
      };
      waits.add(look);
      look();
    }),
    /** The answers among them. */
    answers: () => sent.filter(({ method }) => ANSWER.test(method)),
    /** The number of WebSockets that are open now. */
    open: () => [...open].filter(({ upgraded }) => upgraded).length,
    /** The number of connections so upstream. */
    opened: () => opened,
    /** The next answer is lost on its way, and the connection breaks. */
    loseAnswer: () => void (fate = "lost"),
    /** The next answer arrives, but its confirmation is lost, and the connection breaks. */
    loseConfirmation: () => void (fate = "unconfirmed"),
    /** Cuts right behind these bytes in what the server sends. Resolves once that has happened. */
    cutBehind: (bytes) => new Promise((done) => {
      bound = Buffer.from(bytes);
      wasCut = done;
    }),
    /** Half open: existing connections stay open, but no byte passes. New connections work. */
    stop: () => open.forEach((pair) => void (pair.stopped = true)),
    /** The same for future connections. */
    halt: () => void (halted = true),
    /** Forwards what was held back, and goes on. */
    go: () => {
      halted = false;
      for (const pair of open) {
        pair.stopped = false;
        for (const pass of pair.waiting.splice(0)) pass();
      }
    },
    /** A slow line: at most this many bytes a packet. */
    slow: (bytes) => void (piece = bytes),
    /** Forwards new connections to another server. */
    lead: (address) => void (target = new URL(address)),
  };
}
