// Soaks the gateway with connections: 10,000 that are opened and say nothing, then 1,000 a second that ask once and go. Prints
// what the gateway's memory was, and how long others waited. Fails if a request is not answered in the end.
//
//   node tests/soak/connections.mjs
//
// PILOTHOUSE_BIN names the gateway, target/release/pilothouse by default. It needs /proc, and `ulimit -n` of 12,000 or more.

import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { memory, serve } from "./process.mjs";
import { median, quantile, repository } from "./report.mjs";

const IDLE = 10_000;
const A_SECOND = 1_000;
const SECONDS = 20;
/** Milliseconds that a visitor waits for an answer before trying again. */
const PATIENCE = 2_000;
/**
 * Milliseconds within which a visitor must have an answer, although all places are taken. An idle connection has its place
 * for 10 s, and two rounds of them fit into the places and the system's own queue.
 */
const AT_LAST = 45_000;

const { gateway, address } = await serve([repository("tests/e2e/data/permissions.jsonl"), "--speed", "max"]);
process.on("exit", () => gateway.kill("SIGKILL"));
const port = Number(new URL(address).port);

/** One request on a connection of its own. Resolves to its time in milliseconds; rejects if there is no answer in time. */
async function ask(patience) {
  const began = performance.now();
  const socket = connect(port, "127.0.0.1");
  const late = setTimeout(() => socket.destroy(), patience);
  socket.write("GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n");
  let answer = "";
  socket.on("data", (bytes) => (answer += bytes));
  await once(socket, "close").finally(() => clearTimeout(late));
  if (!answer.startsWith("HTTP/1.1 200")) throw new Error(`answered '${answer.slice(0, 80)}' after ${Math.round(performance.now() - began)} ms`);
  return performance.now() - began;
}

await ask(PATIENCE);
const rest = await memory(gateway.pid);

// The system takes part of them in the gateway's place while that is full. Those wait, or are dropped without a word.
const began = performance.now();
const idle = Array.from({ length: IDLE }, () => connect(port, "127.0.0.1").on("error", () => {}).resume());
let most = rest;
let visited;
while (visited === undefined) {
  visited = await ask(PATIENCE).then(() => performance.now() - began, () => undefined);
  most = Math.max(most, await memory(gateway.pid));
  if (performance.now() - began > AT_LAST) throw new Error(`nobody was answered for ${AT_LAST / 1000} s`);
}
console.log(`${IDLE} idle connections: memory ${rest.toFixed(1)} MB before, at most ${most.toFixed(1)} MB; the next visitor was answered after ${(visited / 1000).toFixed(1)} s`);
for (const socket of idle) socket.destroy();

const asked = [];
for (let second = 0; second < SECONDS; second += 1) {
  const start = performance.now();
  for (let tenth = 1; tenth <= 10; tenth += 1) {
    for (let number = 0; number < A_SECOND / 10; number += 1) asked.push(ask(AT_LAST));
    await sleep(Math.max(0, start + tenth * 100 - performance.now()));
  }
}
const times = await Promise.all(asked);
const ms = (number) => `${number.toFixed(1)} ms`;
console.log(`${A_SECOND} connections a second for ${SECONDS} s: all ${times.length} answered, median ${ms(median(times))}, 99 % within ${ms(quantile(times, 0.99))}, slowest ${ms(Math.max(...times))}; memory ${(await memory(gateway.pid)).toFixed(1)} MB`);
process.exit();
