// Starts the gateway that a soak tries, and measures its process.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";

import { repository } from "./report.mjs";

/** Starts `pilothouse serve` with these further arguments, on a free port. PILOTHOUSE_BIN names the program. */
export async function serve(args = [], env = {}) {
  const binary = process.env.PILOTHOUSE_BIN ?? repository("target/release/pilothouse");
  const gateway = spawn(binary, ["serve", ...args, "--listen", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...env } });
  const [announced] = await once(createInterface(gateway.stdout), "line");
  return { gateway, address: announced.match(/http:\/\/[\d.:]+/)[0] };
}

/** The memory of a process, in MB. */
export async function memory(pid) {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return (Number(status.match(/VmRSS:\s+(\d+)/)[1]) * 1024) / 1e6;
}
