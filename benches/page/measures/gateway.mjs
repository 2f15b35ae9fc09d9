// Owns the gateway's own page: when it can be used on a slow machine, and what it does when nothing happens. Refuses a
// session of its own making: a short one is played by the real gateway.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { traced } from "../browser.mjs";
import { deltas } from "../inputs/logs.mjs";
import { median } from "../numbers.mjs";

/** Runs with a gateway that has played a finished session. */
export async function served(kit, use) {
  const file = join(kit.out, "short.jsonl");
  await writeFile(file, `${deltas(200).join("\n")}\n`);
  const gateway = spawn(kit.gateway, ["serve", file, "--listen", "127.0.0.1:0", "--speed", "max"], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [line] = await once(createInterface(gateway.stdout), "line");
    return await use(line.match(/http:\/\/[\d.:]+/)[0]);
  } finally {
    gateway.kill("SIGKILL");
    if (gateway.exitCode === null) await once(gateway, "exit");
  }
}

/** In the page: when the session's last words are there, and when the last task over 50 ms before half a second of rest ended. */
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

/** On a CPU four times as slow: nothing kept by the browser from before, and everything kept. */
export async function load(kit, { quick }) {
  return served(kit, async (address) => {
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
  return served(kit, (address) =>
    kit.page(async ({ page, session }) => {
      await page.goto(address);
      await page.evaluate(INTERACTIVE);
      // What was fetched ahead is compiled and kept in the seconds after.
      await new Promise((done) => setTimeout(done, 5_000));
      const run = await traced(session, async () => {
        await page.evaluate(`performance.mark("opened")`);
        await new Promise((done) => setTimeout(done, seconds * 1000));
        await page.evaluate(`performance.mark("settled")`);
      });
      const marks = run.events.filter(({ cat, name }) => cat.includes("user_timing") && ["opened", "settled"].includes(name));
      const [from, to] = marks.map(({ ts }) => ts);
      // The two marks are calls of functions themselves, and what asks for them is at work just before and after.
      const within = run.events.filter(({ ts, pid }) => ts > from + 200_000 && ts < to - 200_000 && pid === marks[0].pid);
      const count = (names) => within.filter(({ name }) => names.includes(name)).length;
      const busy = within.filter(({ name }) => name === "FunctionCall").reduce((sum, { dur = 0 }) => sum + dur, 0) / 1000;
      return { seconds, script: count(SCRIPT), scriptMs: busy, drawn: count(DRAWN) };
    }, ""),
  );
}
