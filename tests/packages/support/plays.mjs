// What has to work everywhere: a session is played to its end, with an answer of a person in it, and with everything that the
// package fetches later: chunks of the program, grammars, formulas, the frame that draws diagrams.

import assert from "node:assert/strict";

import { Script } from "../../e2e/support/events.mjs";
import { answer, until } from "../../e2e/support/harness.mjs";

const FENCE = "```";
const TEXT = `Look:\n\n${FENCE}rust\nfn main() {}\n${FENCE}\n\n$$e = mc^2$$\n\n${FENCE}mermaid\nflowchart LR\n  A --> B\n${FENCE}\n`;

/** The session that is played. It stops until a command is allowed. */
export const SESSION = new Script("played")
  .user("How do the boats lie?")
  .turn()
  .say(TEXT, "drawn")
  .ask("look", "ls boats/")
  .allowed("look")
  .say("The white boat lies at the pier.", "report")
  .rest().events;

/** Opens a page with `?gateway=` and plays the session there, with the options of `playsHere`. */
export async function plays(stage, address, options) {
  const gateway = await stage.serve([SESSION]);
  const prepare = (page) => page.addInitScript(watchFirstWords);
  const page = await stage.page(`${address}?gateway=${encodeURIComponent(`${gateway}/`)}`, { height: 1400, prepare });
  await playsHere(page, options);
  console.log(`  first words after ${await page.evaluate(() => window.firstWords)} ms; fetched: ${await page.evaluate(fetched)}`);
  return page;
}

/** Notes how many milliseconds after the navigation the first frame has words of the agent. Runs in the page. */
function watchFirstWords() {
  const look = () => {
    const shown = document.querySelector("pilot-house")?.shadowRoot?.textContent.includes("Look:");
    if (shown) window.firstWords = Math.round(performance.now());
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/**
 * What the page has fetched from its server until the session was played, in kB before compression, without the 2.6 MB of
 * Mermaid. Runs in the page.
 */
function fetched() {
  const scripts = performance.getEntriesByType("resource").filter(({ name }) => /\.(m?js|wasm)(\?|$)/.test(name));
  const files = scripts.filter(({ decodedBodySize }) => decodedBodySize < 2_000_000);
  const sum = (pattern) => Math.round(files.filter(({ name }) => pattern.test(name)).reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0) / 1000);
  return `${files.length} files, js ${sum(/js(\?|$)/)} kB, wasm ${sum(/wasm(\?|$)/)} kB`;
}

/** Plays the session on an open page. `diagrams: false` where they are not in the build. */
export async function playsHere(page, { diagrams = true } = {}) {
  await page.locator("pre[data-drawn=colours] .y-k").waitFor();
  await page.locator(".math math").waitFor();
  if (diagrams) await page.locator("pre[data-language=mermaid] img").first().waitFor();
  await answer(page, "look", "approve-once");
  await until(page, `(view) => view.session.status === "idle" && view.timeline.some(({ id }) => id === "report")`);
  await page.getByText("The white boat lies at the pier.").waitFor();
  assert.equal(await page.evaluate(() => window.asked), "look", "the host hears of the request");
}
