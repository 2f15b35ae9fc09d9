// Owns a wire between browser and gateway that a test can cut, stop and slow down, and that can put a page of somebody
// else on the gateway's own origin. Refuses to change what runs over it.

import { once } from "node:events";
import { connect, createServer } from "node:net";

import { calls } from "./peek.mjs";

const UPGRADE = /^GET [^]*\r\nupgrade: websocket\r\n/i;
const ANSWER = /\.(handlePending\w*|respondToQueuedCommand)$/;

/**
 * Carries TCP to an address. `cut()` ends every connection and refuses new ones until `mend()`.
 * With `refuseUpgrades` a WebSocket never opens, as behind some company's proxy; `page` is served at /host.
 */
export async function wire(stage, address, { refuseUpgrades = false, page = "" } = {}) {
  let target = new URL(address);
  const open = new Set();
  const sent = [];
  let whole = true;
  let refused = 0;
  /** What happens to the next answer: `lost` before the server has it, or `unconfirmed` after. */
  let fate;
  /** Ends everything within what the server says, so many bytes behind these. */
  let bound;
  /** Bytes a piece, or how many are gathered before any go on. */
  let piece = Infinity;
  let gathered = 0;
  let opened = 0;
  const waits = new Set();
  /** New connections are stopped from their first byte. */
  let halted = false;

  const server = createServer((near) => {
    near.on("error", () => {});
    if (!whole) return near.destroy();
    opened += 1;
    const far = connect({ host: target.hostname, port: Number(target.port) });
    far.on("error", () => {});
    const pair = { near, far, stopped: halted, swallow: false, kept: [], waiting: [] };
    open.add(pair);
    for (const end of [near, far]) end.setNoDelay(true);
    near.on("close", () => {
      open.delete(pair);
      far.destroy();
    });
    far.on("end", () => {
      release(pair);
      near.end();
    });
    far.on("close", () => near.destroySoon());
    const read = calls();
    near.on("data", (bytes) => {
      if (pair.stopped) return pair.waiting.push(() => up(bytes));
      up(bytes);
    });
    function up(bytes) {
      const head = bytes.toString("latin1");
      if (refuseUpgrades && UPGRADE.test(head)) {
        refused += 1;
        return near.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
      }
      if (page && head.startsWith("GET /host ")) {
        const length = Buffer.byteLength(page);
        return near.end(`HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: ${length}\r\nconnection: close\r\n\r\n${page}`);
      }
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
        // The server says something: it has the answer.
        far.once("data", cut);
      }
      far.write(bytes);
    }
    near.on("end", () => far.end());
    far.on("data", (bytes) => {
      if (pair.stopped) return pair.waiting.push(() => down(bytes));
      down(bytes);
    });
    function down(bytes) {
      if (pair.swallow) return;
      const at = bound ? bytes.indexOf(bound) : -1;
      if (at >= 0) {
        near.write(bytes.subarray(0, at + bound.length));
        bound = undefined;
        whole = false;
        // What was written still goes out; everything else ends here and now.
        pair.swallow = true;
        near.end();
        for (const other of [...open]) if (other !== pair) end(other);
        return;
      }
      if (gathered > 0) {
        pair.kept.push(bytes);
        if (pair.kept.reduce((sum, part) => sum + part.length, 0) >= gathered) release(pair);
        return;
      }
      for (let from = 0; from < bytes.length; from += piece) near.write(bytes.subarray(from, from + piece));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  function release(pair) {
    for (const bytes of pair.kept.splice(0)) pair.near.write(bytes);
  }
  function end(pair) {
    pair.near.destroy();
    pair.far.destroy();
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
    /** Whether WebSockets are refused from now on. */
    refuse: (on) => void (refuseUpgrades = on),
    /** Everything that was asked of the server, and reached it. */
    sent,
    /** Returns once what was asked satisfies a predicate. */
    until: (holds) => new Promise((done) => {
      const look = () => {
        if (holds(sent)) done(waits.delete(look));
      };
      waits.add(look);
      look();
    }),
    /** The answers among them. */
    answers: () => sent.filter(({ method }) => ANSWER.test(method)),
    /** Connections so far. */
    opened: () => opened,
    /** The next answer is lost on its way, and the wire with it. */
    loseAnswer: () => void (fate = "lost"),
    /** The next answer arrives, but the server's word that it did is lost, and the wire with it. */
    loseConfirmation: () => void (fate = "unconfirmed"),
    /** Cuts right behind these bytes of what the server says. */
    cutBehind: (bytes) => void (bound = Buffer.from(bytes)),
    /** Half open: what is connected stays so, and not a byte passes. New connections work. */
    stop: () => open.forEach((pair) => void (pair.stopped = true)),
    /** The same for connections to come. */
    halt: () => void (halted = true),
    /** What was stopped goes on. */
    go: () => {
      halted = false;
      for (const pair of open) {
        pair.stopped = false;
        for (const pass of pair.waiting.splice(0)) pass();
      }
    },
    /** A slow line: so many bytes a packet. */
    slow: (bytes) => void (piece = bytes),
    /** A proxy that gathers so many bytes before any go on, 0 for none. */
    gather: (bytes) => {
      gathered = bytes;
      if (!bytes) open.forEach(release);
    },
    /** From now on it leads to another server. */
    lead: (address) => void (target = new URL(address)),
  };
}
