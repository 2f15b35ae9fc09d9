// How much memory the gateway takes for the session that has been going on all day: played from a recording, of which it has all in
// memory, and of a runtime, of which it has what is left once superseded events are out. The log on the disk has the rest.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { once } from "node:events";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { gateway, served } from "./gateway.mjs";
import { allDay, drain } from "./late.mjs";

/** How long the memory is watched after the last event, in ms: what is superseded goes once it is on the disk. */
const REST = 3_000;

export async function memory(kit) {
  const lines = await allDay(kit);
  const recorded = await served(kit, lines, (address, pid) => after(pid, () => drain(address)));
  const followed = await live(kit, lines);
  kit.say(`whole log ${recorded.toFixed(1)} MB, what is left ${followed.toFixed(1)} MB`);
  return { lines: lines.length, text: lines.reduce((sum, line) => sum + line.length + 1, 0), recorded, followed };
}

/** How much memory a process has in use afterwards, in MB. */
async function after(pid, use) {
  await use();
  const found = [];
  for (const end = performance.now() + REST; performance.now() < end; ) {
    found.push(await resident(pid));
    await new Promise((done) => setTimeout(done, 250));
  }
  return Math.min(...found);
}

async function resident(pid) {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return (Number(status.match(/VmRSS:\s+(\d+)/)[1]) * 1024) / 1e6;
}

/** A gateway that follows a stand-in for the runtime, with its log on the disk. */
async function live(kit, lines) {
  const folder = await mkdtemp(join(tmpdir(), "pilothouse-bench-"));
  const runtime = createServer((socket) => answer(socket, lines));
  runtime.listen(0, "127.0.0.1");
  await once(runtime, "listening");
  try {
    const options = [`--copilot=127.0.0.1:${runtime.address().port}`, "--data", folder];
    return await gateway(kit, options, (address, pid) =>
      after(pid, async () => {
        const row = async () => (await (await fetch(`${address}/api/sessions`)).json())[0];
        while (!(await row())) await new Promise((done) => setTimeout(done, 100));
        const end = new AbortController();
        await fetch(`${address}/api/sessions/day/events`, { signal: end.signal });
        end.abort();
        while ((await row()).events < lines.length) await new Promise((done) => setTimeout(done, 200));
      }),
    );
  } finally {
    runtime.close();
    await rm(folder, { recursive: true });
  }
}

/** Answers every call of the gateway, and sends the session once it is resumed. */
function answer(socket, lines) {
  let rest = Buffer.alloc(0);
  const send = (message) => socket.write(`Content-Length: ${Buffer.byteLength(message)}\r\n\r\n${message}`);
  socket.on("error", () => {});
  socket.on("data", async (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      const end = rest.indexOf("\r\n\r\n");
      const length = Number(rest.subarray(0, Math.max(end, 0)).toString().match(/Content-Length: (\d+)/i)?.[1]);
      if (end < 0 || rest.length < end + 4 + length) return;
      const { id, method } = JSON.parse(rest.subarray(end + 4, end + 4 + length));
      rest = rest.subarray(end + 4 + length);
      if (!method || id === undefined) continue;
      const log = { events: [], cursor: "0", hasMore: false, cursorStatus: "ok" };
      const result = { "session.list": { sessions: [{ sessionId: "day" }] }, "session.eventLog.read": log }[method] ?? { success: true };
      send(JSON.stringify({ jsonrpc: "2.0", id, result }));
      if (method !== "session.resume") continue;
      for (const [place, line] of lines.entries()) {
        send(`{"jsonrpc":"2.0","method":"session.event","params":{"sessionId":"day","event":${line}}}`);
        // Not a day, but no flood either: what waits to be read would be memory as well.
        if (place % 500 === 0) await new Promise((done) => setTimeout(done, 25));
      }
    }
  });
}
