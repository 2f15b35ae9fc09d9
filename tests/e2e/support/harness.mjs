// What every end-to-end test needs: a gateway, a browser, monitored pages, and their clean-up. Tests wait for
// conditions instead of sleeping.

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

/** How many milliseconds a condition may take, on a machine with two busy cores. */
export const PATIENCE = 30_000;

/** Whether this is a long run, for a night (`cargo xtask prove --only pages`): it has the `nightly` scenarios as well. */
export const NIGHTLY = process.env.NIGHTLY === "1";

/** A port on which nothing listens. It is below those that systems choose themselves, so that nobody gets it meanwhile. */
export async function freePort() {
  const port = 20_000 + Math.floor(Math.random() * 12_000);
  const server = createServer().listen(port, "127.0.0.1");
  const isFree = await once(server, "listening").then(() => true, () => false);
  if (!isFree) return freePort();
  server.close();
  await once(server, "close");
  return port;
}

/** A predicate for `until`: the agent has worked and is idle. Sessions begin idle as well. */
export const IDLE = `(view) => view.llmCalls > 0 && view.session.status === "idle"`;

/** A predicate for `until`: the last entry of the built-in recording, the user's command, is done. */
export const DEMO_ENDED = `(view) => view.timeline.some((entry) =>
  entry.id === "48079d25-53b3-428f-9d00-700de6c946b2" && entry.state === "done")`;

/**
 * A recording in tests/e2e/data. `permissions` is cut from the built-in one: three
 * requests and what led to them.
 */
export const data = (name) => fileURLToPath(new URL(`../data/${name}.jsonl`, import.meta.url));

/** What browsers always log when a connection breaks or can't be made. */
export const BROKEN = [
  /WebSocket connection to .* failed/,
  /Failed to load resource: /,
  /Failed to fetch/,
  /a chunk of the program was not loaded/,
  /Firefox can’t establish a connection to the server at ws:/,
  /The connection to ws:.* was interrupted while the page was loading/,
];

let launched;

function browser() {
  return (launched ??= launch());
}

/**
 * Whether these tests run in Firefox, which `FIREFOX` names. Otherwise they run in Chromium's headless shell, which
 * `HEADLESS_SHELL` names, or in the Chromium that `CHROMIUM` names.
 */
export const IN_FIREFOX = Boolean(process.env.FIREFOX);

let executablePath = process.env.HEADLESS_SHELL ?? process.env.CHROMIUM;

/** For a file whose tests need what the headless shell does not have. */
export function useWholeChromium() {
  executablePath = process.env.CHROMIUM;
}

/** Starts unpatched Firefox over WebDriver BiDi, or Chromium with the flags of the component tests. */
async function launch() {
  if (IN_FIREFOX) {
    return firefox.launch({ executablePath: process.env.FIREFOX, channel: "moz-firefox" });
  }
  const flags = JSON.parse(await readFile(new URL("../../../webdriver.json", import.meta.url), "utf8"));
  const { args } = flags["goog:chromeOptions"];
  assert.ok(executablePath, "CHROMIUM names the browser");
  return chromium.launch({ executablePath, args });
}

after(async () => (await launched)?.close());

/** How often a test may be tried. `cargo xtask test` allows two tries, and names the tests that needed both. */
const TRIES = Number(process.env.TEST_TRIES ?? 1);

/**
 * One test. `body` gets a `Stage`. The test fails if a page logged a warning, an error or an exception that
 * is not in `expected`, or requested anything from another machine. `skip` may give a reason not to run it.
 */
export function scenario(name, body, { expected = [], skip = false } = {}) {
  test(name, { skip }, async (context) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt(body, expected);
      } catch (error) {
        if (tries >= TRIES) throw error;
        context.diagnostic(`flaky: '${name}' failed once, and is tried again: ${error.message}`);
      }
    }
  });
}

/** A scenario of the long run alone: what it tests seldom breaks, or is tested in another way with each run. */
export function nightly(name, body, options) {
  scenario(name, body, NIGHTLY ? options : { skip: "only at night" });
}

async function attempt(body, expected) {
  const stage = new Stage();
  try {
    await body(stage);
    const surprises = stage.said.filter((line) => !expected.some((pattern) => pattern.test(line)));
    assert.deepEqual(surprises, [], "the console must stay quiet");
    assert.deepEqual(stage.foreign(), [], "nothing may be asked of anybody but the gateway");
  } catch (error) {
    const said = [...stage.said, ...stage.gatewaySaid].slice(-20);
    const shows = await Promise.all(stage.pages.map(shown));
    const facts = ["Pages and gateways said:", ...said, "The pages show:", ...shows].join("\n  ");
    throw new Error(`${error.message}\n${facts}`, { cause: error });
  } finally {
    await stage.close();
  }
}

let shared;

after(async () => (await shared)?.end());

/** Starts a gateway with these arguments and more environment variables. `hear` gets what it writes to its standard error. */
async function begin(options, tokens = {}, hear = () => {}) {
  const binary = process.env.PILOTHOUSE_BIN;
  assert.ok(binary, "PILOTHOUSE_BIN names the gateway");
  const gateway = spawn(binary, ["serve", ...options], { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...tokens } });
  gateway.stderr.on("data", (words) => hear(String(words).trim()));
  const end = async () => {
    if (gateway.exitCode !== null || gateway.signalCode !== null) return;
    gateway.kill("SIGKILL");
    await once(gateway, "exit");
  };
  const ended = once(gateway, "exit").then(() => assert.fail("the gateway ended at once"));
  const [line] = await Promise.race([once(createInterface(gateway.stdout), "line"), ended]);
  ended.catch(() => {});
  return { gateway, address: line.match(/http:\/\/[\d.:]+/)[0], end };
}

/** Everything that one test starts; `close` ends all of it. */
class Stage {
  /** Warnings, errors and exceptions of all pages. */
  said = [];
  /** All pages. */
  pages = [];
  /** What gateways wrote to their standard error. */
  gatewaySaid = [];
  /** Addresses that pages requested. */
  requests = [];
  #endings = [];
  /** Gateways by their address. */
  #gateways = new Map();

  /** Calls `end` when the test is over, in reverse order of registration. */
  atEnd(end) {
    this.#endings.push(end);
  }

  async close() {
    for (const end of this.#endings.reverse()) await end();
  }

  /**
   * Starts a gateway that plays recordings, each a path or a list of events or lines. Returns its address.
   * `access` are more command line arguments, `tokens` more environment variables. Without `port` it chooses one.
   */
  async serve(recordings = [], { speed = "max", access = [], tokens = {}, port = 0 } = {}) {
    const files = await Promise.all(recordings.map((recording) => this.#file(recording)));
    const options = [...files, "--listen", `127.0.0.1:${port}`, "--speed", speed, ...access];
    const { gateway, address, end } = await begin(options, tokens, (words) => this.gatewaySaid.push(words));
    this.atEnd(end);
    this.#gateways.set(address, gateway);
    return address;
  }

  /** The address of a gateway that has the page's files. Nobody connects to it: all tests of a file share it. */
  async files() {
    return (await (shared ??= begin(["--listen", "127.0.0.1:0"]))).address;
  }

  /** Ends the gateway at an address as a service manager does. */
  async end(address) {
    const gateway = this.#gateways.get(address);
    gateway.kill("SIGTERM");
    await once(gateway, "exit");
  }

  /** Ends the gateway at an address at once, as a power cut does. */
  async kill(address) {
    const gateway = this.#gateways.get(address);
    gateway.kill("SIGKILL");
    await once(gateway, "exit");
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
   * Opens an address in a context of its own. `prepare` gets the page before it navigates. `phone` is a screen that is touched, in
   * Chromium alone.
   */
  async page(address, { width = 1000, height = 800, scheme = "light", phone = false, prepare } = {}) {
    const context = await (await browser()).newContext({
      viewport: { width, height },
      colorScheme: scheme,
      reducedMotion: "reduce",
      ...(phone && { isMobile: true, hasTouch: true }),
    });
    this.atEnd(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    this.pages.push(page);
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
   * Opens a foreign host page on the gateway's own origin, with one `<pilot-house>` with these attributes.
   * When this returns, the element is ready and the chunks that nearly every session needs are loaded; with
   * `whole` false only the element is ready. A dev build has no chunks, and is tested with `DEV=1`.
   * `words` are the host's own texts. `page.line` is the page's connection, see `wire`.
   */
  async embed(address, attributes, { whole = !process.env.DEV, words, ...options } = {}) {
    const host = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>Host</title>
      <link rel="icon" href="data:,">
      <style>body { margin: 0 } pilot-house { display: block; height: 100vh }</style>
      <pilot-house allow="images diagrams" ${attributes}></pilot-house>
      <script type="module">import { load } from "/pkg/index.js"; const loading = load(${JSON.stringify({ words })});
        await ${whole ? "loading" : `customElements.whenDefined("pilot-house")`}; window.ready = true;</script></html>`;
    const line = await wire(this, address, { page: host });
    const page = await this.page(`${line.address}/host`, options);
    page.line = line;
    await page.waitForFunction(() => window.ready);
    if (whole) {
      await touch(page);
      await fetched(page, "words", "details", "requests", "questions", "tools", "diffs");
      await frames(page);
    }
    return page;
  }

  /** Addresses outside of this machine that any page requested. */
  foreign() {
    const own = /^(?:(?:https?|wss?):\/\/(?:127\.0\.0\.1|(?:[\w-]+\.)?localhost):|data:|blob:|about:)/;
    return this.requests.filter((address) => !own.test(address));
  }
}

/** Waits until these chunks of the program have been fetched. */
export function fetched(page, ...chunks) {
  return page.waitForFunction((chunks) => {
    const files = performance.getEntriesByType("resource").filter(({ responseEnd }) => responseEnd > 0);
    return chunks.every((chunk) => files.some(({ name }) => name.endsWith(`/split_${chunk}.wasm`)));
  }, chunks);
}

/** A pointer comes over each session of the page, which fetches what the first input needs. */
export function touch(page) {
  return page.evaluate(() => {
    for (const session of document.querySelectorAll("pilot-house")) {
      session.shadowRoot.querySelector(".ph").dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
    }
  });
}

/** Delays the requests that match until `come` is called. Pass `hold` as a page's `prepare`. */
export function late(pattern) {
  let come;
  const coming = new Promise((done) => (come = done));
  const hold = (page) => page.route(pattern, async (route) => {
    await coming;
    await route.continue();
  });
  return { hold, come };
}

/** Runs `check` on a page in the light scheme, then in the dark one. */
export async function inBothSchemes(page, check) {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await frames(page);
    await check(colorScheme);
  }
}

/** The snapshot of the element's session. */
export function snapshot(page) {
  return page.evaluate(() => {
    const session = document.querySelector("pilot-house").session;
    const view = session.snapshot();
    session.free();
    return view;
  });
}

/** The end of a page's session and its open cards, for whoever reads why a test failed. */
async function shown(page) {
  const cards = await page.locator("[data-request-id]").allInnerTexts().catch(() => []);
  const view = await snapshot(page).catch(() => undefined);
  const rows = view?.timeline.slice(-6).map(({ kind, state, text }) => `${kind} ${state}: ${text.slice(0, 100)}`);
  return JSON.stringify({ status: view?.session.status, pending: view?.pending.length, rows, cards });
}

/** Waits until a predicate of the session's snapshot and an argument holds. It runs in the page. */
export function until(page, predicate, argument) {
  return page.waitForFunction(inPage(`(() => {
    const element = document.querySelector("pilot-house");
    if (!element?.shadowRoot || !("session" in element)) return false;
    const session = element.session;
    const view = session.snapshot();
    session.free();
    return (${predicate})(view, ${JSON.stringify(argument) ?? "undefined"});
  })()`));
}

/**
 * A function for Playwright's `waitForFunction` that evaluates this source. A string it would evaluate with `eval`, which the
 * gateway's page does not allow.
 */
export const inPage = (source) => new Function(`return ${source}`);

/** Drops a file with this name and text on the page. */
export const drop = (page, name, text) =>
  page.evaluate(
    ([name, text]) => {
      const carried = new DataTransfer();
      carried.items.add(new File([text], name));
      const init = { dataTransfer: carried, bubbles: true, composed: true, cancelable: true };
      document.querySelector("pilot-house").shadowRoot.querySelector("[data-scroller]").dispatchEvent(new DragEvent("drop", init));
    },
    [name, text],
  );

/**
 * Pushes a list of events or a string, and waits until it is read and shown. Returns
 * the number of records accepted.
 */
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

/** Runs before the page's own scripts. Puts the wasm's memory into `window.memory`. */
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

/** Waits two frames: one to render what was requested, one for what that causes. */
export function frames(page) {
  return page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))),
  );
}

/** The open cards, or the one of a request. */
export const card = (page, id) => page.locator(id ? `[data-request-id="${id}"]` : "[data-request-id]");

/**
 * Scrolls to the card of a request by the page's own button, if the card is off screen.
 * What is known is rendered one frame later.
 */
export function goTo(page, id) {
  return page.waitForFunction((id) => {
    const root = document.querySelector("pilot-house").shadowRoot;
    const card = root.querySelector(`[data-request-id="${id}"]`);
    const way = card ?? root.querySelector(".waits");
    if (!card) way?.click();
    return way !== null;
  }, id);
}

/** Reads a card until all of it has been in view: a press on an answer that is off until then leads on. */
export async function readThrough(page, id) {
  const off = card(page, id).locator('[data-answer][aria-describedby$="-seal"]').first();
  while (await off.count()) {
    // The button may be on by now; what is not there is not waited for.
    await off.evaluate((button) => button.click(), undefined, { timeout: 500 }).catch(() => {});
    await frames(page);
    await frames(page);
  }
}

/** Presses a button of a request's card, once it is enabled. */
export async function answer(page, id, hook, feedback) {
  const asked = card(page, id);
  await asked.waitFor();
  if (feedback !== undefined) await asked.getByLabel("Feedback to the agent").fill(feedback);
  if (!["reject", "decline", "cancel", "dismiss"].includes(hook)) await readThrough(page, id);
  const lasts = ["approve-for-session", "approve-for-location", "yes_always", "unset"].includes(hook);
  if (lasts) await asked.locator("[data-more]").click();
  const button = asked.locator(`[data-answer="${hook}"]`);
  // A card that has just moved says so at the button and takes the next press.
  do await button.click();
  while (await asked.locator(`[data-answer="${hook}"][data-flash]`).count());
  // They are asked again, on a second button with the same name.
  if (lasts) await button.and(asked.locator("[data-confirm]")).click();
}

/** Presses a button, unless it goes before, as when somebody else was first. */
export const pressUnlessGone = (button) => Promise.race([button.click().catch(() => {}), button.waitFor({ state: "detached" })]);

/** Approves every request, oldest first, until the predicate of the snapshot holds. */
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

/** Every entry as seen by scrolling from the start to the end: kind, id, state, text. Diagrams are drawn before they are read. */
export function readAll(page) {
  return page.evaluate(async () => {
    const root = document.querySelector("pilot-house").shadowRoot;
    const scroller = root.querySelector("[data-scroller]");
    const settled = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
    const undrawn = "pre[data-language=mermaid]:not([data-drawn]):not(:has(.undrawn))";
    const entries = new Map();
    scroller.scrollTop = 0;
    for (;;) {
      await settled();
      while (root.querySelector(undrawn)) await settled();
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

/** An element without a server. Its host page collects the answers that would be sent. */
export async function host(stage, options) {
  const page = await stage.embed(await stage.files(), `transport="none"`, options);
  await page.evaluate(() => {
    window.answers = [];
    document.addEventListener("pilothouse-answer", (event) => {
      event.preventDefault();
      window.answers.push(event.detail);
    });
  });
  return page;
}

/** The answers that would have been sent. */
export const answers = (page) => page.evaluate(() => window.answers);

/** Waits until the composer's field reads so. */
export async function reads(page, text, why) {
  const value = () => page.locator("[data-compose]").inputValue();
  const soon = page.waitForFunction((text) => document.querySelector("pilot-house")?.shadowRoot?.querySelector("[data-compose]")?.value === text, text);
  await soon.catch(async () => assert.equal(await value(), text, why));
}
