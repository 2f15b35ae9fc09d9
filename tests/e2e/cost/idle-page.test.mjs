// Tests that an idle page and a hidden tab cost nothing: no script runs and nothing is painted.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { IDLE, card, fetched, frames, inPage, nightly, until } from "../support/harness.mjs";

/** Runs before the page's own scripts. Keeps every pending timer and callback in `window.due`. */
function count() {
  const due = (window.due = new Map());
  const watch = (ask, cancel, lasts) => {
    const [asked, cancelled] = [window[ask], window[cancel]];
    window[ask] = (run, ...rest) => {
      const id = asked.call(window, (...given) => {
        if (!lasts) due.delete(`${ask} ${id}`);
        return run(...given);
      }, ...rest);
      due.set(`${ask} ${id}`, { ask, lasts, after: Number(rest[0]) || 0 });
      return id;
    };
    window[cancel] = (id) => {
      due.delete(`${ask} ${id}`);
      cancelled.call(window, id);
    };
  };
  watch("setTimeout", "clearTimeout", false);
  watch("setInterval", "clearInterval", true);
  watch("requestAnimationFrame", "cancelAnimationFrame", false);
  watch("requestIdleCallback", "cancelIdleCallback", false);
}

/** Lets tests hide the tab. */
function isVisible() {
  Object.defineProperty(Document.prototype, "hidden", { get: () => window.away === true });
}

function turn() {
  return new Script("harbour")
    .user("How deep is the harbour?")
    .turn()
    .say("I look at the **charts**.\n\n```sh\nls charts/\n```")
    .ask("sound", "ls charts/")
    .allowed("sound")
    .begin("depth", "It is **four** ", "fathoms ")
    .say("It is **four** fathoms at low water.", "depth");
}

/** The gateway's own page, with animations, once everything that loads by itself is there. */
async function open(stage, events) {
  const page = await stage.page(await stage.serve([events]), {
    prepare: async (page) => {
      await page.emulateMedia({ reducedMotion: "no-preference" });
      await page.addInitScript(count);
      await page.addInitScript(isVisible);
    },
  });
  await fetched(page, "attention", "composer");
  return page;
}

async function answered(page) {
  await card(page, "sound").locator('[data-answer="approve-once"]').click();
  await until(page, IDLE);
}

/** Waits until no timer is pending that repeats or fires within this many milliseconds. */
async function settled(page, within = Infinity) {
  const rest = (within) => [...window.due.values()].filter(({ lasts, after }) => lasts || after < within);
  try {
    await page.waitForFunction(inPage(`(${rest})(${within}).length === 0`));
  } catch {
    assert.deepEqual(await page.evaluate(`(${rest})(${within})`), [], "something stays due");
  }
}

/** Waits until no animation runs anywhere: transitions end, and none repeats for ever. */
async function still(page) {
  const none = (moving) => moving.length === 0;
  await page.waitForFunction(inPage(`(${none})((${moves})())`)).catch(async () => assert.deepEqual(await page.evaluate(moves), []));
}

/** In the page: the running animations. */
function moves() {
  const all = [document, document.querySelector("pilot-house").shadowRoot].flatMap((root) => root.getAnimations());
  return all.filter(({ playState }) => playState === "running").map(({ animationName, effect }) =>
    `${animationName} of ${effect.target.className}`);
}

/** The trace events of work that costs something. */
const COSTS = ["FunctionCall", "TimerFire", "FireAnimationFrame", "EventDispatch", "UpdateLayoutTree", "Layout", "Paint"];
/** The same, but not every browser reports them. */
const MORE = ["EvaluateScript", "FireIdleCallback"];

/** In the page: causes each of these once. */
async function work() {
  document.body.click();
  await new Promise((done) => setTimeout(done));
  await new Promise((done) => requestAnimationFrame(done));
  document.body.append(Object.assign(document.createElement("p"), { textContent: "work" }));
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}

/**
 * Traces two seconds of a page: the scripts that ran and the paints. A fixed time is
 * needed, because the test waits for nothing to happen.
 */
async function trace(page) {
  const browser = await page.context().newCDPSession(page);
  const events = [];
  browser.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  const complete = new Promise((done) => browser.once("Tracing.tracingComplete", done));
  const evaluate = (expression) => browser.send("Runtime.evaluate", { expression, awaitPromise: true });
  const mark = (name) => evaluate(`console.timeStamp("${name}")`);
  await browser.send("Tracing.start", { transferMode: "ReportEvents", categories: "devtools.timeline" });
  await mark("begin");
  await new Promise((done) => setTimeout(done, 2_000));
  await mark("end");
  await evaluate(`document.body.onclick = () => {}; (${work})()`);
  await mark("worked");
  await browser.send("Tracing.end");
  await complete;
  const at = (name) => events.find((event) => event.name === "TimeStamp" && event.args.data.message === name);
  const [begin, end, worked] = ["begin", "end", "worked"].map(at);
  const within = (from, to) => events.filter(({ pid, tid, ts }) => pid === begin.pid && tid === begin.tid && ts > from.ts && ts < to.ts);
  // In a browser with other names for these events, every page would look idle.
  const told = new Set(within(end, worked).map(({ name }) => name));
  assert.deepEqual(COSTS.filter((name) => !told.has(name)), [], "the timeline does not tell of work");
  return within(begin, end)
    .filter(({ name }) => [...COSTS, ...MORE].includes(name))
    .map(({ name, args }) => `${name} ${JSON.stringify(args.data ?? args)}`);
}

nightly("a session that is over: nothing is due, nothing moves, no script runs, nothing is painted", async (stage) => {
  const page = await open(stage, turn().rest().events);
  await answered(page);
  await settled(page);
  await still(page);
  // Our own `evaluate` may have caused a frame; wait until it is drawn.
  await frames(page);
  await settled(page);
  assert.deepEqual(await trace(page), []);
});

nightly("while a person is waited for nothing pulses and nothing ticks; only the connection is looked after", async (stage) => {
  const page = await open(stage, turn().rest().events);
  await card(page, "sound").locator('[data-answer="approve-once"]:not([aria-disabled])').waitFor();
  await settled(page, 10_000);
  await still(page);
});

nightly("a turn that runs ticks in isVisible, and not in a tab that nobody sees", async (stage) => {
  const page = await open(stage, turn().events);
  await card(page, "sound").locator('[data-answer="approve-once"]').click();
  await page.waitForFunction(() => [...window.due.values()].some(({ lasts }) => lasts));
  const look = (away) => page.evaluate((away) => {
    window.away = away;
    document.dispatchEvent(new Event("visibilitychange"));
  }, away);
  await look(true);
  await settled(page, 10_000);
  await look(false);
  await page.waitForFunction(() => [...window.due.values()].some(({ lasts }) => lasts));
});
