// Makes the pictures of docs/gallery: every recording in three widths and two themes, one sheet each. Fails
// if a page logs anything, violates axe's rules, or requests anything from another machine.
//
//   node tests/e2e/support/gallery.mjs OUT NAME=FILE…     (PILOTHOUSE_BIN, CHROMIUM as for the tests)

import { spawn } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { chromium } from "playwright-core";

import { violations } from "./axe.mjs";

const WIDTHS = [380, 800, 1400];
const THEMES = ["light", "dark"];
const HEIGHT = 1100;
/** Pixels of the sheet per pixel of the page. */
const SCALE = 0.5;
/** The buttons to press when a recording waits, in order of preference, as a trusting user would. */
const ANSWERS = ["approve-once", "approve", "accept", "submit", "handled", "yes", "add", "decline", "cancel", "reject"];
const PATIENCE = 120_000;

const [out, ...recordings] = process.argv.slice(2);
if (!out || recordings.length === 0) {
  console.error("usage: node tests/e2e/support/gallery.mjs OUT NAME=FILE…");
  process.exit(2);
}
await mkdir(out, { recursive: true });
const { args } = JSON.parse(await readFile(new URL("../../../webdriver.json", import.meta.url), "utf8"))["goog:chromeOptions"];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args });
let surprises = 0;
for (const recording of recordings) {
  const [name, file] = recording.split(/=(.*)/s);
  const gateway = spawn(process.env.PILOTHOUSE_BIN, ["serve", file, "--listen", "127.0.0.1:0", "--speed", "max"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = await once(createInterface(gateway.stdout), "line");
  const address = line.match(/http:\/\/[\d.:]+/)[0];
  const shots = [];
  for (const theme of THEMES) for (const width of WIDTHS) shots.push([width, theme, await shoot(name, address, width, theme)]);
  await sheet(join(out, `${name}.jpg`), shots);
  gateway.kill();
  console.log(name);
}
await browser.close();
process.exit(surprises > 0 ? 1 : 0);

/** Takes the picture of a page at its end, with everything answered. */
async function shoot(name, address, width, theme) {
  const page = await browser.newPage({ viewport: { width, height: HEIGHT }, colorScheme: theme, reducedMotion: "reduce" });
  const said = (words) => {
    surprises += 1;
    console.error(`${name} at ${width}, ${theme}: ${words}`);
  };
  page.on("console", (message) => message.type() !== "debug" && said(message.text()));
  page.on("pageerror", (error) => said(error.message));
  await page.goto(address);
  await page.waitForFunction(settled, ANSWERS, { timeout: PATIENCE, polling: 100 }).catch(() => said("did not come to its end"));
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))));
  for (const violation of await violations(page)) said(violation);
  const shot = await page.screenshot({ type: "jpeg", quality: 85 });
  await page.close();
  return shot;
}

/** Polled in the page: answers open requests, and is true once nothing more will come. */
function settled(answers) {
  const element = document.querySelector("pilot-house");
  if (!element?.shadowRoot || !("session" in element)) return false;
  const root = element.shadowRoot;
  const card = root.querySelector("[data-request-id]");
  if (card) {
    const choices = [...card.querySelectorAll('[data-answer="choice"]')];
    if (choices.length > 0 && !choices.some((choice) => choice.matches("[aria-pressed=true], [aria-checked=true]"))) choices[0].click();
    const field = choices.length === 0 && card.querySelector('[data-answer="submit"]') && card.querySelector("textarea, input");
    if (field && !field.value) {
      field.value = "As you think best";
      field.dispatchEvent(new Event("input"));
    }
    const can = answers.map((hook) => card.querySelector(`[data-answer="${hook}"]:enabled:not([aria-disabled="true"])`));
    const buttons = can.filter(Boolean);
    // A form that asks for more than its defaults can't be accepted; after some tries
    // the next answer is pressed.
    const tries = (window.tries ??= {});
    const tried = (tries[card.dataset.requestId] = (tries[card.dataset.requestId] ?? -1) + 1);
    buttons[Math.floor(tried / 12) % Math.max(1, buttons.length)]?.click();
    return false;
  }
  if (root.querySelector(".waits")) return root.querySelector(".waits").click(), false;
  const session = element.session;
  const view = session.snapshot();
  session.free();
  const quiet = `${view.events.total} ${view.pending.length}`;
  const same = window.quiet === quiet;
  window.rounds = same ? (window.rounds ?? 0) + 1 : 0;
  window.quiet = quiet;
  return view.pending.length === 0 && view.events.total > 0 && window.rounds > 8;
}

/** One picture of all screenshots, rendered by the same browser. */
async function sheet(file, shots) {
  const page = await browser.newPage({ viewport: { width: 1400, height: 1200 } });
  const pictures = shots.map(([width, theme, shot]) =>
    `<img alt="${width} px, ${theme}" width="${width * SCALE}" src="data:image/jpeg;base64,${shot.toString("base64")}">`);
  const rows = THEMES.map((_, row) => pictures.slice(row * WIDTHS.length, (row + 1) * WIDTHS.length).join(""));
  await page.setContent(`<!doctype html><style>body { margin: 0; inline-size: max-content; background: #888 } div { display: flex; gap: 8px; padding: 4px }</style>
    ${rows.map((row) => `<div>${row}</div>`).join("")}`);
  const box = await page.locator("body").boundingBox();
  await page.setViewportSize({ width: Math.ceil(box.width), height: Math.ceil(box.height) });
  await page.screenshot({ path: file, type: "jpeg", quality: 60 });
  await page.close();
}
