// Somebody opens the session that has been going on all day, on a phone: when its last words are on the screen, when all of it is
// there and live, and how much came over the line.

import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { forget } from "../browser.mjs";
import { LINES, slowLine } from "../slow_line.mjs";
import { median } from "../numbers.mjs";
import { served } from "./gateway.mjs";

const PHONE = { width: 390, height: 844 };
/** How long a visit is watched, in ms. */
const PATIENCE = 180_000;

/** Runs in the page before anything else: when the last words are in view, and when the session is at rest behind them. */
const watch = (words) => `(() => {
  window.seen = {};
  const inView = (element) => {
    const { top, bottom, width } = element.getBoundingClientRect();
    return width > 0 && bottom > 0 && top < innerHeight;
  };
  const look = () => {
    const host = document.querySelector("pilot-house");
    const rows = [...(host?.shadowRoot?.querySelectorAll("[data-entry]") ?? [])];
    const last = rows.findLast((row) => row.textContent.includes(${JSON.stringify(words)}));
    if (last && inView(last)) window.seen.words ??= performance.now();
    if (window.seen.words && host.dataset.status === "idle" && host.dataset.connection === "open") window.seen.live ??= performance.now();
    if (!window.seen.live) setTimeout(look, 20);
  };
  look();
})()`;

/** The session that has been going on all day. A recording waits at its requests; without them it plays to its end. */
export async function allDay(kit) {
  const log = (await readFile(join(kit.out, "inputs/agentic.jsonl"), "utf8")).trimEnd().split("\n");
  return log.filter((line) => !line.includes('"type":"permission.'));
}

export async function late(kit, { quick }) {
  const lines = await allDay(kit);
  const answers = lines.map((line) => JSON.parse(line)).filter(({ type, agentId, data }) => type === "assistant.message" && !agentId && data.content);
  const words = answers.at(-1).data.content.replace(/[*_`#[\]()]/g, " ").trim().split(/\s+/).slice(0, 3).join(" ");
  const bytes = lines.reduce((sum, line) => sum + line.length + 1, 0);
  kit.say(`${lines.length} events, ${(bytes / 1e6).toFixed(1)} MB; its last words: ${words}`);
  return served(kit, lines, async (address) => {
    await drain(address);
    const found = {};
    for (const [name, line] of Object.entries(LINES)) {
      const runs = [];
      for (let round = 0; round < (quick ? 1 : 3); round += 1) {
        const slow = await slowLine(new URL(address).port, line);
        try {
          runs.push(await visit(kit, `http://127.0.0.1:${slow.port}`, slow, words));
        } finally {
          slow.close();
        }
      }
      const middle = (key) => median(runs.map((run) => run[key] ?? Infinity));
      found[name] = { words: middle("words"), live: middle("live"), bytes: middle("bytes") };
      kit.say(`${name}: last words ${found[name].words.toFixed(0)} ms, all of it ${found[name].live.toFixed(0)} ms, ${(found[name].bytes / 1e6).toFixed(2)} MB`);
    }
    return found;
  });
}

/** Has the gateway play all of the recording, which begins with its first reader. */
export async function drain(address) {
  const list = async () => (await (await fetch(`${address}/api/sessions`)).json())[0];
  const { sessionId } = await list();
  const end = new AbortController();
  const response = await fetch(`${address}/api/sessions/${sessionId}/events`, { signal: end.signal, headers: { "accept-encoding": "identity" } });
  const reading = (async () => {
    for await (const piece of response.body) void piece;
  })().catch(() => {});
  while ((await list()).status !== "idle") await new Promise((done) => setTimeout(done, 200));
  end.abort();
  await reading;
}

function visit(kit, address, slow, words) {
  return kit.page(async ({ page, session }) => {
    await page.setViewportSize(PHONE);
    await session.send("Network.enable");
    await session.send("Network.setCacheDisabled", { cacheDisabled: true });
    await forget(session, address);
    await page.addInitScript(watch(words));
    await page.goto(address, { waitUntil: "commit" });
    await page.waitForFunction(() => window.seen?.live, undefined, { timeout: PATIENCE, polling: 100 }).catch(() => {});
    return { ...(await page.evaluate("window.seen")), bytes: slow.bytes() };
  }, "");
}
