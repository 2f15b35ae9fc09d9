// The browser and the file server of the benches, with a page's CPU time, trace and main-thread tasks.

import { createReadStream } from "node:fs";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { brotliCompressSync } from "node:zlib";

import * as esbuild from "esbuild";
import { chromium } from "playwright-core";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".wasm": "application/wasm",
  ".json": "application/json",
  ".jsonl": "text/plain; charset=utf-8",
};

/** Serves folders by the first part of the path; with `brotli`, compressed as a web server would at its best. */
export async function serve(folders, { brotli = false } = {}) {
  const small = new Map();
  const server = createServer(async (request, response) => {
    const [, first, ...rest] = normalize(decodeURIComponent(new URL(request.url, "http://here").pathname)).split("/");
    const file = join(folders[first] ?? "/nowhere", ...rest);
    const found = await stat(file).catch(() => undefined);
    if (!found?.isFile()) return response.writeHead(404).end();
    const headers = { "content-type": TYPES[extname(file)] ?? "application/octet-stream" };
    if (brotli) {
      small.set(file, small.get(file) ?? brotliCompressSync(await readFile(file)));
      return response.writeHead(200, { ...headers, "content-encoding": "br" }).end(small.get(file));
    }
    response.writeHead(200, headers);
    createReadStream(file).pipe(response);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { address: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

/** Starts Chromium with a profile of its own, so that compiled code is cached as for real users. */
export async function launch() {
  const flags = JSON.parse(await readFile(new URL("../../webdriver.json", import.meta.url), "utf8"));
  const profile = await mkdtemp(join(tmpdir(), "pilothouse-bench-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM,
    viewport: { width: 1280, height: 800 },
    args: [...flags["goog:chromeOptions"].args, "--enable-precise-memory-info", "--js-flags=--expose-gc"],
  });
  const close = async () => {
    await context.close();
    await rm(profile, { recursive: true, force: true });
  };
  return { context, version: context.browser()?.version() ?? "", close };
}

/** Bundles and minifies as for production. */
export function bundle(entry, outdir, more = {}) {
  return esbuild.build({
    entryPoints: [entry].flat(),
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    minify: true,
    metafile: true,
    target: "es2022",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"', "process.env": "{}", global: "globalThis" },
    external: ["/pkg/*"],
    legalComments: "none",
    logLevel: "error",
    ...more,
  });
}

/** Forgets the service worker of an address and what it keeps, so that the next visit is the first one. */
export function forget(session, address) {
  const { origin } = new URL(address);
  return session.send("Storage.clearDataForOrigin", { origin, storageTypes: "service_workers,cache_storage" });
}

/** Opens a page with a CDP session for `use`, and closes it afterwards. Page errors fail the measurement. */
export async function withPage(browser, address, use) {
  const page = await browser.context.newPage();
  const said = [];
  page.on("pageerror", (error) => said.push(error.message));
  const session = await browser.context.newCDPSession(page);
  // Time that the thread ran, which is reliable on a busy machine.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  try {
    if (address) await page.goto(address);
    const found = await use({ page, session });
    if (said.length > 0) throw new Error(said.join("; "));
    return found;
  } finally {
    await page.close();
  }
}

/** Seconds of CPU and counters since the page started. */
export async function metrics(session) {
  const { metrics } = await session.send("Performance.getMetrics");
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}

/** Collects garbage, so that what a preparation left, like the input's text and lines, is not measured. */
export const tidy = (session) => session.send("HeapProfiler.collectGarbage");

/** Bytes of the JavaScript heap in use after garbage collection. */
export async function heap(session) {
  for (let again = 0; again < 2; again += 1) await tidy(session);
  return (await metrics(session)).JSHeapUsedSize;
}

/** The browser's trace events while `run` runs. */
export async function traced(session, run) {
  const events = [];
  const collect = ({ value }) => events.push(...value);
  session.on("Tracing.dataCollected", collect);
  const included = ["devtools.timeline", "disabled-by-default-devtools.timeline", "blink.user_timing"];
  const traceConfig = { recordMode: "recordContinuously", includedCategories: included };
  await session.send("Tracing.start", { transferMode: "ReportEvents", traceConfig });
  const found = await run();
  const complete = new Promise((done) => session.once("Tracing.tracingComplete", done));
  await session.send("Tracing.end");
  await complete;
  session.off("Tracing.dataCollected", collect);
  return { found, events };
}

/** The tasks of the page's main thread between two of its marks, in ms of CPU. */
export function tasks(events, from = "opened", to = "settled") {
  const mark = (name) => events.find((event) => event.name === name && event.cat.includes("blink.user_timing"));
  const [start, end] = [mark(from), mark(to)];
  if (!start || !end) throw new Error(`the trace lost the mark ${start ? to : from}`);
  const own = (event) => event.name === "RunTask" && event.pid === start.pid && event.tid === start.tid;
  // A task may have begun before the mark that it sets.
  const within = ({ ts, dur }) => ts + dur > start.ts && ts < end.ts;
  const all = events.filter((event) => own(event) && within(event));
  // Time that the thread ran: a preempted task does not count as longer.
  return all.map(({ dur, tdur }) => (tdur ?? dur) / 1000);
}

/** The longest task in ms, how many are over 50 ms, and their sum in seconds. */
export function longest(times) {
  return { longest: Math.max(0, ...times), over: times.filter((ms) => ms > 50).length, cpu: times.reduce((a, b) => a + b, 0) / 1000 };
}
