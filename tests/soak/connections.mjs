// Many connections to a gateway: 10,000 that are opened and say nothing, then 1,000 a second that ask once and go. Prints the
// gateway's memory, and how long an ordinary request takes meanwhile.
//
//   node tests/soak/connections.mjs [--binary FILE]

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const IDLE = 10_000;
const A_SECOND = 1_000;
const SECONDS = 20;

const root = fileURLToPath(new URL("../../", import.meta.url));
const { values } = parseArgs({ options: { binary: { type: "string", default: `${root}target/release/pilothouse` } } });

const gateway = spawn(values.binary, ["serve", `${root}tests/e2e/data/permissions.jsonl`, "--listen", "127.0.0.1:0", "--speed", "max"], { stdio: ["ignore", "pipe", "inherit"] });
process.on("exit", () => gateway.kill("SIGKILL"));
let said = "";
const port = await new Promise((found) => gateway.stdout.on("data", (text) => {
  said += text;
  const [, number] = said.match(/http:\/\/127\.0\.0\.1:(\d+)/) ?? [];
  if (number) found(Number(number));
}));

const memory = async () => Number((await readFile(`/proc/${gateway.pid}/status`, "utf8")).match(/VmRSS:\s+(\d+)/)[1]) / 1024;
const mib = (number) => `${number.toFixed(1)} MiB`;

/** One request on a connection of its own. Resolves to its time in milliseconds. */
async function ask() {
  const began = performance.now();
  const socket = connect(port, "127.0.0.1");
  socket.end("GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n");
  let answer = "";
  socket.on("data", (bytes) => (answer += bytes));
  await once(socket, "close");
  if (!answer.startsWith("HTTP/1.1 200")) throw new Error(`answered: ${answer.slice(0, 80)}`);
  return performance.now() - began;
}

function report(what, times) {
  times.sort((a, b) => a - b);
  const at = (part) => `${times[Math.min(times.length - 1, Math.floor(times.length * part))].toFixed(1)} ms`;
  console.log(`${what}: ${times.length} requests, median ${at(0.5)}, 99 % within ${at(0.99)}, slowest ${at(1)}`);
}

await ask();
console.log(`at rest: ${mib(await memory())}`);

const began = performance.now();
let most = 0;
const idle = Array.from({ length: IDLE }, () => connect(port, "127.0.0.1").on("error", () => {}));
const ended = Promise.all(idle.map((socket) => socket.resume() && once(socket, "close")));
const watching = setInterval(async () => (most = Math.max(most, await memory())), 200);
const one = ask();
await ended;
clearInterval(watching);
console.log(`${IDLE} idle connections: all ended by the gateway after ${((performance.now() - began) / 1000).toFixed(1)} s, at most ${mib(most)}; a request that came last was answered after ${((await one) / 1000).toFixed(1)} s`);

const times = [];
const asked = [];
for (let second = 0; second < SECONDS; second += 1) {
  const start = performance.now();
  for (let tenth = 0; tenth < 10; tenth += 1) {
    for (let number = 0; number < A_SECOND / 10; number += 1) asked.push(ask().then((time) => times.push(time)));
    await new Promise((next) => setTimeout(next, start + (tenth + 1) * 100 - performance.now()));
  }
}
await Promise.all(asked);
report(`${A_SECOND} connections a second for ${SECONDS} s`, times);
console.log(`afterwards: ${mib(await memory())}`);
gateway.kill();
process.exit();
