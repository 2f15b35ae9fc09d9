// Soaks the gateway: it drives a stand-in for the runtime through many sessions. Each begins, gets its events, ends and is
// closed, while one client watches all of them and twenty come and go. Every client must get everything, in order, byte for
// byte. Prints what the process needs after each session, and fails if that grows.
//
//   node tests/soak/gateway.mjs --sessions 200 --events 10000
//
// PILOTHOUSE_BIN names the gateway, target/release/pilothouse by default. It needs /proc.

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { Client } from "./client.mjs";
import { lines } from "./events.mjs";
import { memory, serve } from "./process.mjs";
import { finish, line, options, quantile, recordings } from "./report.mjs";
import { Runtime } from "./runtime.mjs";

/** Clients that come and go in each session. */
const GUESTS = 20;
/** Events that the runtime sends at once. The next ones follow when the client that stays has these. */
const PIECE = 50;
/**
 * How many milliseconds a session takes at least. A closed session stays in memory for ten seconds, so this way as many are
 * there at the end as at the beginning, however busy the machine is in between.
 */
const PACE = 2500;
const FIELDS = [
  { key: "rss", name: "memory", unit: "MB", kept: true },
  { key: "files", name: "open files", unit: "", kept: true },
  { key: "median", name: "latency", unit: "ms" },
  { key: "slow", name: "99 % within", unit: "ms" },
];

const given = options();
const endings = [];

try {
  const runtime = new Runtime();
  const { round } = await recordings();
  const listening = await runtime.listen();
  endings.push(() => runtime.close());
  const { address, pid } = await start(listening);

  const written = new Map();
  let times = [];
  const stays = await Client.open(address, runtime, (_, seq) => {
    const at = written.get(seq);
    if (at !== undefined) times.push(performance.now() - at);
  });
  endings.push(() => stays.leave());
  await stays.call("pilothouse.board");

  const rows = [];
  for (let number = 1; number <= given.sessions; number += 1) {
    const session = `soak-${number}`;
    times = [];
    written.clear();
    const paced = sleep(PACE);
    await run(session);
    await paced;
    const row = { session: number, events: number * given.events, ...(await needed(pid)), median: quantile(times, 0.5), slow: quantile(times, 0.99) };
    rows.push(row);
    console.log(`session ${number} · ${line(row, FIELDS)}`);
  }

  await checkList();
  // The first session again: the gateway has all of it, and numbers what follows as if it had never been closed.
  const later = await Client.open(address, runtime);
  await later.watch("soak-1");
  await later.until("soak-1", given.events + 2);
  later.leave();

  const flat = await finish("gateway", rows, FIELDS, {
    options: given,
    title: "The gateway during the soak: memory and latency over the number of events",
    memory: { title: "Memory", unit: "MB", lines: [{ key: "rss", name: "resident" }] },
    latency: { title: "From the runtime to a client", unit: "ms", lines: [{ key: "median", name: "median" }, { key: "slow", name: "99 % within" }] },
    about: { what: `One client that stays, ${GUESTS} that come and go in each session. MB and ms.` },
  });
  process.exitCode = flat ? 0 : 1;

  /** One session, from its creation to its end. */
  async function run(session) {
    await stays.call("pilothouse.create", { sessionId: session });
    await stays.watch(session);
    const guests = [];
    const all = lines(round, session, given.events);
    const sent = () => runtime.sent.get(session)?.length ?? 0;
    for (let events = take(all, PIECE); events.length; events = take(all, PIECE)) {
      const now = performance.now();
      for (let at = 1; at <= events.length; at += 1) written.set(sent() + at, now);
      runtime.emit(session, events);
      await stays.until(session, sent());
      // Guests come evenly over the session.
      while (guests.length < Math.floor((sent() * GUESTS) / given.events)) guests.push(visit(session, guests.length, sent()));
    }
    // Whoever subscribes to a closed session opens it again.
    await Promise.all(guests.map(({ arrived }) => arrived));
    await stays.call("pilothouse.close", { sessionId: session });
    assert.equal(sent(), given.events + 1, "the runtime ends the session");
    await stays.until(session, sent());
    await Promise.all(guests.map(({ left }) => left));
    await stays.unwatch(session);
    if (session !== "soak-1") runtime.sent.set(session, []); // the stand-in shall not grow either
  }

  /** A guest begins at the start, in the middle or now, and stays for a while or until the end. */
  function visit(session, number, sent) {
    const after = [0, Math.floor(sent / 2), sent][number % 3];
    const end = given.events + 1;
    const until = [Math.min(end, after + 500), Math.min(end, after + Math.floor(given.events / 4)), end][Math.floor(number / 3) % 3];
    const arrived = Client.open(address, runtime).then(async (guest) => {
      await guest.watch(session, after);
      return guest;
    });
    const left = arrived.then(async (guest) => {
      await guest.until(session, until);
      guest.leave();
    });
    return { arrived, left };
  }

  async function checkList() {
    const list = await stays.call("pilothouse.sessions");
    assert.equal(list.length, given.sessions);
    for (const { sessionId, events, stored } of list) {
      assert.deepEqual({ sessionId, events, stored }, { sessionId, events: given.events + 1, stored: true });
    }
  }
} finally {
  for (const end of endings.reverse()) await end();
}

/** Starts a gateway that drives the runtime at this address, and keeps its logs in a folder that goes with it. */
async function start(runtime) {
  const folder = await mkdtemp(join(tmpdir(), "pilothouse-soak-"));
  endings.push(() => rm(folder, { recursive: true }));
  // With a pool for each thread the allocator keeps more and more of what is free, which would hide what the gateway keeps.
  const { gateway, address } = await serve([`--copilot=${runtime}`, "--data", folder], { MALLOC_ARENA_MAX: "1" });
  endings.push(async () => {
    gateway.kill();
    await once(gateway, "exit");
  });
  return { address, pid: gateway.pid };
}

function take(all, count) {
  const some = [];
  while (some.length < count) {
    const { value, done } = all.next();
    if (done) break;
    some.push(value);
  }
  return some;
}

/** What the process needs now. */
async function needed(pid) {
  const files = await readdir(`/proc/${pid}/fd`);
  return { rss: await memory(pid), files: files.length };
}
