// What a person does on a page of a session, and what is seen there.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

import { PATIENCE, card, goTo, readThrough, snapshot, until } from "../../support/harness.mjs";

/** A real agent may need longer than a page. */
export const AGENTS_PATIENCE = 3 * PATIENCE;

/** Writes a message and sends it. */
export async function say(page, text) {
  const field = page.locator("[data-compose]");
  await field.fill(text);
  await field.press("Enter");
  await until(page, `(view, text) => view.timeline.some((entry) => entry.kind === "user" && entry.text === text)`, text);
}

/** Waits until the agent has said this, and rests. */
export async function heard(page, words) {
  await until(page, `(view, words) => view.session.status === "idle" && view.timeline.some((entry) => entry.kind === "assistant" && new RegExp(words).test(entry.text))`, words.source);
}

export const idle = (page) => until(page, `(view) => view.session.status === "idle" && view.pending.length === 0`);

/** Waits until the agent asks, and not for what has just been `answered`. Returns the request's id, and what its card says. */
export async function asked(page, answered) {
  await until(page, `(view, answered) => view.pending.length > 0 && view.pending[0].requestId !== answered`, answered);
  const [{ requestId }] = (await snapshot(page)).pending;
  await goTo(page, requestId);
  await card(page, requestId).waitFor();
  return { id: requestId, words: await card(page, requestId).innerText() };
}

/** Presses an answer that lasts, by the agent's own name of it, and confirms it. */
export async function choose(page, id, name) {
  await readThrough(page, id);
  const named = card(page, id).getByRole("button", { name }).and(page.locator(":not([aria-disabled])"));
  await named.first().click();
  await card(page, id).locator("[data-confirm]:not([aria-disabled])").click();
}

/** Waits until a file is there. */
export async function appears(file) {
  const limit = Date.now() + AGENTS_PATIENCE;
  while (!existsSync(file)) {
    assert.ok(Date.now() < limit, `${file} never came`);
    await setTimeout(20);
  }
}

/** Chooses an answer in a form, whatever control it has. */
export async function pick(form, label) {
  const list = form.getByRole("combobox");
  if (await list.count()) await list.selectOption({ label });
  else await form.getByLabel(label).check();
}

/** The entries of a kind. */
export const entries = async (page, kind) => (await snapshot(page)).timeline.filter((entry) => entry.kind === kind);
export const users = async (page) => (await entries(page, "user")).map(({ text }) => text);

/** Nothing is open, and all that came was known. */
export async function settled(page) {
  await idle(page);
  const view = await snapshot(page);
  const open = view.timeline.filter(({ state }) => !["done", "failed", "denied", "settled", "cancelled", "interrupted"].includes(state));
  assert.deepEqual(open, [], "nothing is left open");
  assert.deepEqual([view.events.unknown, view.events.malformed, view.diagnostics], [{}, 0, []], "every event is known");
}
