// Helpers for the composer's tests: a page on a session of the stand-in, and locators.

import { snapshot } from "./harness.mjs";
import { Runtime } from "./stand-in.mjs";

/** A page on an idle session that has answered once. `prepare` changes the server before the page comes; `hold` gets the page. */
export async function composerPage(stage, { prepare, hold, attributes = "", ...options } = {}) {
  const runtime = new Runtime();
  runtime.script.user("Hello", "first").turn().say("Hello to you").add("assistant.turn_end", { turnId: "0" }).add("session.idle", { mode: "interactive" }, { ephemeral: true });
  prepare?.(runtime);
  runtime.tell();
  const address = await runtime.listen(stage);
  const page = await stage.embed(await stage.files(), `src="${address}" ${attributes}`, { whole: false, prepare: hold, ...options });
  if (!attributes.includes("readonly")) await field(page).waitFor();
  return { page, runtime };
}

/** The composer's field. */
export const field = (page) => page.locator("[data-compose]");
/** All user messages in the session. */
export const users = async (page) => (await snapshot(page)).timeline.filter(({ kind }) => kind === "user").map(({ text }) => text);
/** The texts of the queue, as shown. */
export const queued = (page) => page.locator("[data-item] > p").allTextContents();
/** The note above the field. */
export const note = (page) => page.locator(".composer-note");
/** What has the focus. */
export const focused = (page) => page.evaluate(() => {
  const on = document.querySelector("pilot-house").shadowRoot.activeElement;
  return on && { ...on.dataset, name: on.getAttribute("aria-label"), tag: on.localName };
});

/** A page on a session whose agent is working. */
export async function working(stage, options) {
  const both = await composerPage(stage, options);
  await field(both.page).fill("Main task");
  await field(both.page).press("Enter");
  await both.page.locator('pilot-house[data-status="running"]').waitFor();
  return both;
}

/** Queues messages and waits until they are in the queue. */
export async function queueUp(page, ...texts) {
  for (const text of texts) {
    await field(page).fill(text);
    await field(page).press("Enter");
  }
  await page.waitForFunction((count) => {
    const root = document.querySelector("pilot-house").shadowRoot;
    return root.querySelectorAll("[data-item]").length === count && !root.querySelector("[data-sent]");
  }, texts.length);
}
