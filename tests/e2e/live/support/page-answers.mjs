// How a user gives each answer in the page: what is filled in and which buttons are pressed.

import assert from "node:assert/strict";

/** What lasts is behind a button of its own, and needs a confirmation. */
const LASTING = new Set(["approve-for-session", "approve-for-location", "yes_always", "unset"]);

/** Presses an answer's button, and then the confirming one if there is one. */
async function press(card, hook) {
  const id = await card.getAttribute("data-request-id");
  if (LASTING.has(hook)) await card.locator("[data-more]").click();
  await card.locator(`[data-answer="${hook}"]`).click();
  const asksAgain = await card.page().evaluate((id) => {
    const root = document.querySelector("pilot-house").shadowRoot;
    return new Promise((tell) => {
      const look = () => {
        const card = root.querySelector(`[data-request-id="${id}"]`);
        if (!card || card.getAttribute("aria-busy") === "true") return tell(false);
        if (card.querySelector("[data-confirm]")) return tell(true);
        requestAnimationFrame(look);
      };
      look();
    });
  }, id);
  assert.ok(asksAgain || !LASTING.has(hook), `${hook} lasts and was not asked again`);
  if (asksAgain) await card.locator("[data-confirm]").click();
}

const field = (card) => card.locator("textarea, input:not([type=radio], [type=checkbox])");

const presses = (hook) => (card) => press(card, hook);
const fills = (text, hook) => async (card) => {
  // Before this, the page still asks what can be granted, and the card is rendered again.
  await card.locator(`[data-answer="${hook}"]:not([aria-disabled="true"])`).waitFor();
  await field(card).fill(text);
  await press(card, hook);
};

const PERMISSION = {
  "approve-once": presses("approve-once"),
  "approve-for-session": presses("approve-for-session"),
  "approve-for-location": presses("approve-for-location"),
  reject: presses("reject"),
  "reject with feedback": fills("The tide is out.", "reject"),
};

const chooses = (action) => async (card) => {
  await card.locator(`input[type=radio][value="${action}"]`).check();
  await press(card, "approve");
};

const OTHERS = {
  "question with choices": {
    choice: async (card) => {
      await card.locator('[data-answer="choice"]', { hasText: "Blue" }).click();
      await press(card, "submit");
    },
    "free text": fills("The old one", "submit"),
  },
  "question without choices": { "free text": fills("Ada", "submit") },
  form: {
    accept: async (card) => {
      await card.getByLabel("Name of the boat").fill("Ada");
      await card.getByLabel("Mail").fill("ada@example.com");
      await card.getByLabel("Berths").fill("6");
      await card.getByLabel("Has sails").check();
      await card.getByLabel("Colour").selectOption({ label: "Blue" });
      await press(card, "accept");
    },
    decline: presses("decline"),
    cancel: presses("cancel"),
  },
  "form at an address": { accept: presses("accept"), decline: presses("decline") },
  plan: {
    approve: presses("approve"),
    "approve for autopilot": chooses("autopilot"),
    "approve and stop": chooses("exit_only"),
    reject: presses("reject"),
    "reject with feedback": fills("Scrape it first.", "reject"),
  },
  "external tool": { submit: fills("High", "submit"), error: fills("No tide here", "error") },
  "queued command": { handled: presses("handled"), "not-handled": presses("not-handled") },
  "own command": { handled: presses("handled"), "not-handled": fills("No berth", "not-handled") },
  "session limits": { add: fills("100", "add"), set: fills("500", "set"), unset: presses("unset"), cancel: presses("cancel") },
  "auto mode": { yes: presses("yes"), yes_always: presses("yes_always"), no: presses("no") },
  sampling: { accept: fills("Ada", "accept"), decline: presses("decline") },
  "sign-in": { token: fills("sesame", "token"), cancelled: presses("cancel") },
};

/** Gives an answer of a scene in its card. */
export function give(card, scene, name) {
  const answers = scene.name.startsWith("permission") ? PERMISSION : OTHERS[scene.name];
  return answers[name](card);
}
