// Tests that no cost grows quadratically: ratios of CPU time, measured in one run, with limits that hold on a
// busy machine. At night also in relation to the least that is possible. Absolute times are measured by `cargo xtask bench`,
// beside other renderers.

import assert from "node:assert/strict";

import { agentic, deltas } from "../../../benches/page/inputs/logs.mjs";
import { Script } from "../support/events.mjs";
import { NIGHTLY, frames, scenario } from "../support/harness.mjs";

/** The most that four times the work may cost. Quadratic growth would give 16. */
const GROWTH = 8;

/**
 * The limit for decoding and reducing, relative to `JSON.parse` of each line, the least
 * that any JavaScript needs.
 */
const PARSE = 3;

/** The limit for rendering Markdown, relative to one text node a block. */
const PLAIN = 8;

/** The number of runs. The minimum counts, because other load can only add to a measurement. */
const ROUNDS = 3;

const SHORT = 1_000;
const LONG = 4 * SHORT;

/** A function that gives the seconds of CPU that the page's main thread spent in `run`. */
async function meter(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const spent = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration").value;
  };
  return async (run) => {
    await session.send("HeapProfiler.collectGarbage");
    const before = await spent();
    await run();
    return (await spent()) - before;
  };
}

/** The minimum cost of each of these. They take turns. */
async function least(runs, cpu) {
  const best = {};
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, run] of Object.entries(runs)) best[name] = Math.min(best[name] ?? Infinity, await cpu(run));
  }
  return best;
}

function within(ratio, limit, words) {
  const told = `${words}: ${ratio.toFixed(2)}, at most ${limit}`;
  console.log(told);
  assert.ok(ratio <= limit, told);
}

scenario("four times the events cost about four times as much, and not much more than parsing them", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`);
  const cpu = await meter(page);
  await page.evaluate(() => {
    window.chunks = (lines) => {
      const out = [];
      for (let at = 0; at < lines.length; at += 100) out.push(new TextEncoder().encode(`${lines.slice(at, at + 100).join("\n")}\n`));
      return out;
    };
    window.reduce = async (chunks) => {
      const { Session } = await import("/pkg/index.js");
      const session = new Session();
      for (const chunk of chunks) session.push(chunk);
      session.free();
    };
  });
  // An answer so long that copying it even once per delta would show.
  const logs = [["one answer", () => deltas(60_000)], ...(NIGHTLY ? [["a working session", () => agentic(16_000, 40)]] : [])];
  for (const [name, log] of logs) {
    await page.evaluate((text) => {
      const lines = text.split("\n");
      window.lines = lines;
      window.whole = window.chunks(lines);
      const quarter = Math.ceil(lines.length / 4);
      window.quarters = [0, 1, 2, 3].map((part) => window.chunks(lines.slice(part * quarter, (part + 1) * quarter)));
    }, log().join("\n"));
    const spent = await least(
      {
        // Both have the same number of events. The later quarters of an answer lack its
        // beginning, as a log may.
        parts: () => page.evaluate(async () => {
          for (const part of window.quarters) await window.reduce(part);
        }),
        whole: () => page.evaluate(() => window.reduce(window.whole)),
        parse: () => page.evaluate(() => window.lines.reduce((sum, line) => sum + JSON.parse(line).type.length, 0)),
      },
      cpu,
    );
    within((4 * spent.whole) / spent.parts, GROWTH, `${name}: four times the events`);
    within(spent.whole / spent.parse, PARSE, `${name}: to JSON.parse of each line`);
  }
});

/** In the page: streams `window.lines` into the element or into plain text nodes, fifty a frame. */
async function stream(plain) {
  const element = document.querySelector("pilot-house");
  const bytes = window.lines.map((line) => new TextEncoder().encode(`${line}\n`));
  const pieces = window.lines.map((line) => JSON.parse(line).data.deltaContent);
  const scroller = document.createElement("div");
  if (plain) {
    scroller.style.cssText = "height: 100vh; overflow: auto; white-space: pre-wrap";
    element.replaceWith(scroller);
  }
  const block = () => scroller.appendChild(document.createElement("div")).appendChild(document.createTextNode(""));
  let text = block();
  const append = (piece) => {
    const [first, ...more] = piece.split("\n\n");
    text.appendData(first);
    for (const part of more) (text = block()).appendData(part);
  };
  for (let at = 0; at < bytes.length; at += 50) {
    await new Promise((done) => requestAnimationFrame(done));
    for (let index = at; index < Math.min(at + 50, bytes.length); index += 1) {
      if (plain) append(pieces[index]);
      else element.push(bytes[index]);
    }
    if (plain) scroller.scrollTop = scroller.scrollHeight;
  }
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}

scenario("a delta costs the same early and late in an answer", async (stage) => {
  const lines = deltas(LONG).filter((line) => line.startsWith('{"type":"assistant.message_delta"'));
  const address = await stage.files();
  const run = async (count, plain) => {
    const page = await stage.embed(address, `transport="none"`);
    const cpu = await meter(page);
    await page.evaluate((lines) => (window.lines = lines), lines.slice(0, count));
    const spent = await cpu(() => page.evaluate(stream, plain));
    await page.context().close();
    return spent;
  };
  const best = { short: Infinity, long: Infinity, plain: Infinity };
  for (let round = 0; round < 2; round += 1) {
    for (const [name, count, plain] of [["short", SHORT, false], ["long", LONG, false], ...(NIGHTLY ? [["plain", LONG, true]] : [])]) {
      best[name] = Math.min(best[name], await run(count, plain));
    }
  }
  within(best.long / best.short, GROWTH, "four times the deltas");
  if (NIGHTLY) within(best.long / best.plain, PLAIN, "to plain text");
});

scenario("four times the rows cost about four times as much to open, and no more elements", async (stage) => {
  const address = await stage.files();
  const script = new Script("rows");
  while (script.events.length < 12_000) script.user("A question").say("An answer.").shell(`call-${script.events.length}`, "ls");
  const kept = script.take().map((event) => JSON.stringify(event));
  const open = async (lines) => {
    const page = await stage.embed(address, `transport="none"`);
    const cpu = await meter(page);
    await page.evaluate((text) => (window.log = new TextEncoder().encode(text)), `${lines.join("\n")}\n`);
    const spent = await cpu(async () => {
      await page.evaluate(() => document.querySelector("pilot-house").push(window.log));
      await page.locator("pilot-house:not([data-reading])").waitFor();
      await frames(page);
    });
    const elements = await page.evaluate(() => document.querySelector("pilot-house").shadowRoot.querySelectorAll("*").length);
    await page.context().close();
    return { spent, elements };
  };
  const best = { short: Infinity, long: Infinity };
  for (let round = 0; round < 2; round += 1) {
    const short = await open(kept.slice(0, kept.length / 4));
    const long = await open(kept);
    best.short = Math.min(best.short, short.spent);
    best.long = Math.min(best.long, long.spent);
    assert.ok(long.elements <= 2 * short.elements, `${long.elements} elements for four times the rows of ${short.elements}`);
  }
  within(best.long / best.short, GROWTH, "four times the rows");
});
