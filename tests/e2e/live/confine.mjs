// Owns that nothing of the live tests can reach beyond this machine: it runs the test file once more in a network
// namespace that has the loopback and nothing else. Refuses to run the real runtime anywhere else.

import { spawnSync } from "node:child_process";
import { networkInterfaces } from "node:os";
import { fileURLToPath } from "node:url";

const MARK = "PILOTHOUSE_CONFINED";
const LOOPBACK_UP = 'ip link set lo up && exec "$@"';

/** Ways into a namespace of one's own: as root, and as anybody whom the kernel allows to be root in one. */
const WAYS = [["--net"], ["--net", "--map-root-user"]];

/** Why there is no confinement, or undefined inside of one. */
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
