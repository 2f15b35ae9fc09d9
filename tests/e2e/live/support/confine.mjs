// Confines the live tests to this machine: runs the test file again in a network namespace that has only the
// loopback interface. The real runtime runs nowhere else.

import { spawnSync } from "node:child_process";
import { networkInterfaces } from "node:os";
import { fileURLToPath } from "node:url";

const MARK = "PILOTHOUSE_CONFINED";
const LOOPBACK_UP = 'ip link set lo up && exec "$@"';

/** Options of `unshare`: as root, and as a user whom the kernel lets be root in a namespace. */
const WAYS = [["--net"], ["--net", "--map-root-user"]];

/**
 * Returns why there is no confinement. Inside of one, returns undefined. Otherwise runs
 * the main module inside of one and exits.
 */
export function unconfined() {
  if (process.env[MARK]) {
    const outside = Object.keys(networkInterfaces()).filter((name) => name !== "lo");
    return outside.length ? `the namespace has ${outside.join(", ")}` : undefined;
  }
  if (process.platform !== "linux") return "only Linux can shut a program off from the network";
  const way = WAYS.find((flags) => within(flags, ["true"], { stdio: "ignore" }).status === 0);
  if (!way) return "this kernel gives no network namespace (unshare --net)";
  const again = [process.execPath, ...process.execArgv, fileURLToPath(mainModule())];
  const { status } = within(way, again, { stdio: "inherit", env: { ...process.env, [MARK]: "1" } });
  process.exit(status ?? 1);
}

function within(flags, command, options) {
  return spawnSync("unshare", [...flags, "--", "sh", "-c", LOOPBACK_UP, "sh", ...command], options);
}

function mainModule() {
  return new URL(process.argv[1], "file:");
}
