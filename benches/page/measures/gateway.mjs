// Measures the gateway's own page: when it becomes interactive on a slow machine, and its cost when idle. The
// real gateway plays a short session.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { traced } from "../browser.mjs";
import { deltas } from "../inputs/logs.mjs";
import { median } from "../numbers.mjs";

/** Runs with a gateway that plays a session as fast as it can; `use` gets its address and the number of its process. */
export async function served(kit, lines, use) {
  const file = join(kit.out, "served.jsonl");
  await writeFile(file, `${lines.join("\n")}\n`);
  return gateway(kit, [file, "--speed", "max"], use);
}

/** Runs with a gateway that has these options. */
export async function gateway(kit, options, use) {
  const gateway = spawn(kit.gateway, ["serve", ...options, "--listen", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [line] = await once(createInterface(gateway.stdout), "line");
    return await use(line.match(/http:\/\/[\d.:]+/)[0], gateway.pid);
  } finally {
    gateway.kill("SIGKILL");
    if (gateway.exitCode === null) await once(gateway, "exit");
  }
}

/**
 * In the page: when the end of the session is shown, and when the last task over 50 ms
 * before half a second of rest ended.
 */
const INTERACTIVE = `(async () => {
  let last = 0;
  const busy = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) last = Math.max(last, startTime + duration);
  });
  busy.observe({ type: "longtask", buffered: true });
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const rows = () => document.querySelector("pilot-house")?.shadowRoot?.querySelectorAll("[data-entry]").length ?? 0;
  while (!(rows() > 1 && document.querySelector("pilot-house").dataset.status === "idle")) await frame();
  await frame();
  const shown = performance.now();
  while (performance.now() - Math.max(shown, last) < 500) await new Promise((done) => setTimeout(done, 50));
  return { shown, interactive: Math.max(shown, last), painted: performance.getEntriesByName("first-contentful-paint")[0]?.startTime };
})()`;

/** On a CPU slowed down four times: with an empty cache, and with a full one. */
export async function load(kit, { quick }) {
  return served(kit, deltas(200), async (address) => {
    const visit = (cache) =>
      kit.page(async ({ page, session }) => {
        await session.send("Network.enable");
        await session.send("Network.setCacheDisabled", { cacheDisabled: !cache });
        await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
        await page.goto(address, { waitUntil: "commit" });
        return page.evaluate(INTERACTIVE);
      }, "");
    const rounds = quick ? 1 : 5;
    const found = {};
    for (const [name, cache] of [["first", false], ["again", true]]) {
      const runs = [];
      for (let round = 0; round < rounds; round += 1) runs.push(await visit(cache));
      const middle = (key) => median(runs.map((run) => run[key] ?? 0));
      found[name] = { painted: middle("painted"), shown: middle("shown"), interactive: middle("interactive") };
      kit.say(`gateway's page, ${name}: interactive after ${found[name].interactive.toFixed(0)} ms`);
    }
    return found;
  });
}

const SCRIPT = ["FunctionCall", "EvaluateScript", "TimerFire", "FireAnimationFrame", "v8.callFunction"];
const DRAWN = ["Paint", "Layout", "UpdateLayoutTree"];

/** A minute with an open session in which nothing happens. */
export async function idle(kit, { quick }) {
  const seconds = quick ? 5 : 60;
  return served(kit, deltas(200), (address) =>
    kit.page(async ({ page, session }) => {
      await page.goto(address);
      await page.evaluate(INTERACTIVE);
      // Preloaded code is compiled and cached in the seconds after.
      await new Promise((done) => setTimeout(done, 5_000));
      const run = await traced(session, async () => {
        await page.evaluate(`performance.mark("opened")`);
        await new Promise((done) => setTimeout(done, seconds * 1000));
        await page.evaluate(`performance.mark("settled")`);
      });
      const marks = run.events.filter(({ cat, name }) => cat.includes("user_timing") && ["opened", "settled"].includes(name));
      const [from, to] = marks.map(({ ts }) => ts);
      // Setting the two marks runs functions itself, shortly before and after; those 200 ms are left out.
      const within = run.events.filter(({ ts, pid }) => ts > from + 200_000 && ts < to - 200_000 && pid === marks[0].pid);
      const count = (names) => within.filter(({ name }) => names.includes(name)).length;
      const busy = within.filter(({ name }) => name === "FunctionCall").reduce((sum, { dur = 0 }) => sum + dur, 0) / 1000;
      return { seconds, script: count(SCRIPT), scriptMs: busy, drawn: count(DRAWN) };
    }, ""),
  );
}
