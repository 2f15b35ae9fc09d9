// Owns what every end-to-end test needs: a gateway, a browser, pages that are watched, and the clean-up of all three.
// Refuses to sleep: tests wait for conditions.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

import { chromium, firefox } from "playwright-core";

import { wire } from "./proxy.mjs";

export { violations } from "./axe.mjs";

/** How long a condition may take; two busy cores need more than people do. */
export const PATIENCE = 20_000;

/** A port on which nobody listens. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** A predicate for `until`: the agent has worked, and rests. Before the first turn a session is idle as well. */
export const IDLE = `(view) => view.llmCalls > 0 && view.session.status === "idle"`;

/** A predicate for `until`: the last thing in the built-in recording is done, a command that the person ran. */
export const DEMO_ENDED = `(view) => view.timeline.some((entry) =>
  entry.id === "48079d25-53b3-428f-9d00-700de6c946b2" && entry.state === "done")`;

/** A recording in tests/e2e/data: `permissions` is cut from the built-in one, three requests and what led to them. */
export const data = (name) => fileURLToPath(new URL(`data/${name}.jsonl`, import.meta.url));

/** What browsers write to the console when a connection breaks or can't be made, whatever a page does. */
export const BROKEN = [
  /WebSocket connection to .* failed/,
  /Failed to load resource: /,
  /Failed to fetch/,
  /Firefox can’t establish a connection to the server at ws:/,
  /The connection to ws:.* was interrupted while the page was loading/,
];

let launched;

function browser() {
  return (launched ??= launch());
}

/** Whether these tests run in Firefox, which `FIREFOX` names; else they run in the Chromium that `CHROMIUM` names. */
export const IN_FIREFOX = Boolean(process.env.FIREFOX);

/** Firefox as its distributor ships it, by WebDriver BiDi; Chromium with the flags that the component tests use. */
async function launch() {
  if (IN_FIREFOX) {
    return firefox.launch({ executablePath: process.env.FIREFOX, channel: "moz-firefox" });
  }
  const flags = JSON.parse(await readFile(new URL("../../webdriver.json", import.meta.url), "utf8"));
  const { args } = flags["goog:chromeOptions"];
  return chromium.launch({ executablePath: process.env.CHROMIUM, args });
}

after(async () => (await launched)?.close());

/**
 * One test. `body` gets a Stage; when it is through, no page may have logged a warning, an error or an exception
 * beside those that `expected` names. `skip` may say why it can't be run here.
 */
export function scenario(name, body, { expected = [], skip = false } = {}) {
  test(name, { skip }, async () => {
    const stage = new Stage();
    try {
      await body(stage);
      const surprises = stage.said.filter((line) => !expected.some((pattern) => pattern.test(line)));
      assert.deepEqual(surprises, [], "the console must stay quiet");
      assert.deepEqual(stage.foreign(), [], "nothing may be asked of anybody but the gateway");
    } catch (error) {
      console.error([`“${name}” failed; pages and gateways said:`, ...stage.said, ...stage.gatewaySaid].join("\n  "));
      throw error;
    } finally {
      await stage.close();
    }
  });
}

/** Everything that one test starts; `close` ends all of it. */
class Stage {
  /** Warnings, errors and exceptions of all pages. */
  said = [];
  /** What gateways wrote to their standard error. */
  gatewaySaid = [];
  /** Addresses that pages asked for. */
  requests = [];
  #endings = [];

  /** Does `end` when the test is over; the last one first. */
  atEnd(end) {
    this.#endings.push(end);
  }

  async close() {
    for (const end of this.#endings.reverse()) await end();
  }

  /**
   * Plays recordings: paths, or lists of events or lines. Returns the gateway's address. `access` is more of the command
   * line, `tokens` of the environment.
   */
  async serve(recordings = [], { speed = "max", access = [], tokens = {} } = {}) {
    const binary = process.env.PILOTHOUSE_BIN;
    assert.ok(binary, "PILOTHOUSE_BIN names the gateway");
    const files = await Promise.all(recordings.map((recording) => this.#file(recording)));
    const gateway = spawn(binary, ["serve", ...files, "--listen", "127.0.0.1:0", "--speed", speed, ...access], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...tokens },
    });
    gateway.stderr.on("data", (words) => this.gatewaySaid.push(String(words).trim()));
    this.atEnd(async () => {
      if (gateway.exitCode !== null) return;
      gateway.kill("SIGKILL");
      await once(gateway, "exit");
    });
    const ended = once(gateway, "exit").then(() => assert.fail("the gateway ended at once"));
    const [line] = await Promise.race([once(createInterface(gateway.stdout), "line"), ended]);
    ended.catch(() => {});
    return line.match(/http:\/\/[\d.:]+/)[0];
  }

  async #file(recording) {
    if (typeof recording === "string") return recording;
    const folder = await mkdtemp(join(tmpdir(), "pilothouse-e2e-"));
    this.atEnd(() => rm(folder, { recursive: true }));
    const lines = recording.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
    const file = join(folder, "recording.jsonl");
    await writeFile(file, `${lines.join("\n")}\n`);
    return file;
  }

  /**
   * A page at an address, in a context of its own; `prepare` gets it before it goes there. Where people sign in, the
   * page's policy keeps Playwright's `waitForFunction` from working, too: `bypassCSP`.
   */
  async page(address, { width = 1000, height = 800, scheme = "light", bypassCSP = false, prepare } = {}) {
    const context = await (await browser()).newContext({
      viewport: { width, height },
      colorScheme: scheme,
      reducedMotion: "reduce",
      bypassCSP,
    });
    this.atEnd(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    page.on("console", (message) => {
      if (["warning", "error"].includes(message.type())) this.said.push(`[${message.type()}] ${message.text()}`);
    });
    page.on("pageerror", (error) => this.said.push(`[exception] ${error.message}`));
    page.on("request", (request) => this.requests.push(request.url()));
    page.on("websocket", (socket) => this.requests.push(socket.url()));
    await prepare?.(page);
    await page.goto(address);
    return page;
  }

  /**
   * A page of somebody else, on the gateway's own origin, with one `<pilot-house>` that has these attributes.
   * It is ready when this returns, with the parts of the program that nearly every session needs; unless `whole` is
   * false: then it is at work, and nothing more is waited for. A dev build, which has no parts, is tested with `DEV=1`.
   * `page.line` is the wire that it hangs on.
   */
  async embed(address, attributes, { whole = !process.env.DEV, ...options } = {}) {
    const host = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Host</title>
      <link rel="icon" href="data:,">
      <style>body { margin: 0 } pilot-house { display: block; height: 100vh }</style>
      <pilot-house ${attributes}></pilot-house>
      <script type="module">import { load } from "/pkg/index.js"; const loading = load();
        await ${whole ? "loading" : `customElements.whenDefined("pilot-house")`}; window.ready = true;</script></html>`;
    const line = await wire(this, address, { page: host });
    const page = await this.page(`${line.address}/host`, options);
    page.line = line;
    await page.waitForFunction(() => window.ready);
    if (whole) {
      await page.waitForFunction(parts);
      await frames(page);
    }
    return page;
  }

  /** Addresses outside of this machine that any page asked for. */
  foreign() {
    const own = /^(?:(?:https?|wss?):\/\/127\.0\.0\.1:|data:|blob:|about:)/;
    return this.requests.filter((address) => !own.test(address));
  }
}

/** In the page: whether the parts that are fetched ahead are here. Two bring style sheets; markdown has none of its own. */
function parts() {
  const [sheet] = document.querySelector("pilot-house").shadowRoot.adoptedStyleSheets;
  const rules = [...sheet.cssRules].map((rule) => rule.selectorText ?? "");
  const fetched = performance.getEntriesByType("resource").some(({ name, responseEnd }) => name.includes("split_words") && responseEnd > 0);
  return fetched && [".card > .body", ".panel "].every((part) => rules.some((rule) => rule.startsWith(part)));
}

/** Holds back whatever of the program this matches, where a page is prepared by `hold`, until `come` is called. */
export function late(pattern) {
  let come;
  const coming = new Promise((done) => (come = done));
  const hold = (page) => page.route(pattern, async (route) => {
    await coming;
    await route.continue();
  });
  return { hold, come };
}

/** What the element's session knows. */
export function snapshot(page) {
  return page.evaluate(() => {
    const session = document.querySelector("pilot-house").session;
    const view = session.snapshot();
    session.free();
    return view;
  });
}

/** Waits until the session's snapshot satisfies a predicate of it and an argument; the predicate runs in the page. */
export function until(page, predicate, argument) {
  const source = `(() => {
    const element = document.querySelector("pilot-house");
    if (!element?.shadowRoot || !("session" in element)) return false;
    const session = element.session;
    const view = session.snapshot();
    session.free();
    return (${predicate})(view, ${JSON.stringify(argument) ?? "undefined"});
  })()`;
  return page.waitForFunction(source);
}

/** Feeds events, a string, or bytes as an array of numbers; read and shown when this returns. Returns the records accepted. */
export function push(page, chunk) {
  return page.evaluate(async (chunk) => {
    const text = Array.isArray(chunk) ? `${chunk.map((event) => JSON.stringify(event)).join("\n")}\n` : chunk;
    const element = document.querySelector("pilot-house");
    const records = element.push(text);
    while (element.hasAttribute("data-reading")) await new Promise((frame) => requestAnimationFrame(frame));
    await new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)));
    return records;
  }, chunk);
}

/** Runs before the page's own scripts: the wasm's memory is `window.memory`. */
export function watchMemory() {
  for (const name of ["instantiate", "instantiateStreaming"]) {
    const original = WebAssembly[name];
    WebAssembly[name] = async (...given) => {
      const made = await original.apply(WebAssembly, given);
      window.memory ??= (made.instance ?? made).exports.memory;
      return made;
    };
  }
}

/** Two frames: what was asked for is on screen, and what that caused as well. */
export function frames(page) {
  return page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))),
  );
}

/** The open cards, or the one of a request. */
export const card = (page, id) => page.locator(id ? `[data-request-id="${id}"]` : "[data-request-id]");

/** The card may be off screen in a long list; the page itself offers the way to it. What is known is on screen a frame later. */
export function goTo(page, id) {
  return page.waitForFunction((id) => {
    const root = document.querySelector("pilot-house").shadowRoot;
    const card = root.querySelector(`[data-request-id="${id}"]`);
    const way = card ?? root.querySelector(".waits");
    if (!card) way?.click();
    return way !== null;
  }, id);
}

/** Presses a button of a request's card as a person does, once it can be pressed. */
export async function answer(page, id, hook, feedback) {
  const asked = card(page, id);
  await asked.waitFor();
  if (feedback !== undefined) await asked.getByLabel("Feedback to the agent").fill(feedback);
  const button = asked.locator(`[data-answer="${hook}"]`);
  await button.click();
  // What lasts is asked about again, and the second button takes the name over.
  if (["approve-for-location", "yes_always", "unset"].includes(hook)) await button.and(asked.locator("[data-confirm]")).click();
}

/** Answers everything that is asked, oldest first, until the predicate of the snapshot holds. */
export async function playThrough(page, ended) {
  for (;;) {
    await until(page, `(view) => view.pending.length > 0 || (${ended})(view)`);
    const [open] = (await snapshot(page)).pending;
    if (!open) return;
    await goTo(page, open.requestId);
    await answer(page, open.requestId, "approve-once");
    await until(page, (view, id) => view.pending.every((request) => request.requestId !== id), open.requestId);
  }
}

/** Every entry as a reader finds it who scrolls from the start to the end: kind, id, state, text. */
export function readAll(page) {
  return page.evaluate(async () => {
    const root = document.querySelector("pilot-house").shadowRoot;
    const scroller = root.querySelector("[data-scroller]");
    const settled = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
    const entries = new Map();
    scroller.scrollTop = 0;
    for (;;) {
      await settled();
      for (const row of root.querySelectorAll("[data-entry]")) {
        const { entry, id, state } = row.dataset;
        entries.set(`${entry} ${id}`, [entry, id, state, row.innerText]);
      }
      const top = scroller.scrollTop;
      scroller.scrollTop = top + scroller.clientHeight / 2;
      if (scroller.scrollTop <= top) return [...entries.values()];
    }
  });
}

/** An element that nobody answers for but the host of this page, which keeps what would be sent. */
export async function host(stage, options) {
  const page = await stage.embed(await stage.serve(), `transport="none"`, options);
  await page.evaluate(() => {
    window.answers = [];
    document.addEventListener("pilothouse-answer", (event) => {
      event.preventDefault();
      window.answers.push(event.detail);
    });
  });
  return page;
}

/** What would have been sent. */
export const answers = (page) => page.evaluate(() => window.answers);

/** Waits until the composer's field reads so. */
export async function reads(page, text, why) {
  const value = () => page.locator("[data-compose]").inputValue();
  const soon = page.waitForFunction((text) => document.querySelector("pilot-house").shadowRoot.querySelector("[data-compose]")?.value === text, text);
  await soon.catch(async () => assert.equal(await value(), text, why));
}
