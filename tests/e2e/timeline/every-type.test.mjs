// Tests that no event type is lost: one event of each type in the catalogue is sent, and found, visible, in
// the component that docs/events.md names.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

import { every } from "../support/every-type.mjs";
import { PATIENCE, inPage, push, scenario, snapshot } from "../support/harness.mjs";

const LOG = "ui/event_log/list.rs";

/** Selectors of the elements that a component draws; for the panel, the headings of its sections. */
const DRAWN = {
  "ui/message.rs": { at: '[data-entry="user"], [data-entry="assistant"], [data-entry="reasoning"]' },
  "ui/tools/tool_card.rs": { at: '[data-entry="tool"]' },
  "ui/tools/tool_body/media.rs": { at: '[data-entry="tool"] figure' },
  "ui/timeline/lane.rs": { at: '[data-entry="subagent"]' },
  "ui/timeline/custom.rs": { at: '[data-entry="custom"]' },
  "ui/timeline/notice.rs": { at: '[data-entry="notice"], [data-entry="compaction"], [data-entry="summary"]' },
  "ui/requests/card.rs": {
    at: ["permission", "question", "form", "plan", "confirmation"].map((kind) => `[data-entry="${kind}"]`).join(),
  },
  "ui/shell/status_bar.rs": { at: ".bar" },
  "ui/panel.rs": { sections: ["Plan"] },
  "ui/panel/lists.rs": {
    sections: ["Agents and background work", "Canvases", "Custom agents", "MCP servers", "Schedules", "Skills", "The session’s own files", "Todos", "Tools"],
  },
  "ui/panel/costs.rs": { sections: ["Usage and cost", "Context window"] },
  "ui/panel/notifications.rs": { sections: ["System messages"] },
  "ui/lens/message.rs": { at: "[data-message]" },
  [LOG]: { at: ".record" },
};

/** Every session event type with the component that shows it, from docs/events.md. */
async function catalogue() {
  const page = await readFile(new URL("../../../docs/events.md", import.meta.url), "utf8");
  const [events] = page.split(/^## .*not a session event.*$/m);
  const rows = events.matchAll(/^\| `([\w.]+)` \|(?: [^|]* \|){4} `?([^`|]+?)`? \| ([^|]*) \|/gm);
  return new Map([...rows].map(([, type, place, keys]) => [type, { place, keys }]));
}

/**
 * In the page: the visible text of a component, a line for each element. Text counts if its element is shown
 * and its box is larger than a pixel; images count with their `alt`, under the same conditions.
 */
function look({ at, sections }) {
  const root = document.querySelector("pilot-house").shadowRoot;
  for (const fold of root.querySelectorAll("details:not([open]) > summary")) fold.click();
  const named = (section) => sections.includes(section.querySelector("h3").textContent);
  const drawn = at ? [...root.querySelectorAll(at)] : [...root.querySelectorAll(".sect")].filter(named);
  const large = ({ width, height }) => width > 1 && height > 1;
  const shown = (element) => {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
    for (let around = element; around && around !== root; around = around.parentElement) {
      const style = getComputedStyle(around);
      if (style.clipPath !== "none" || (style.overflow !== "visible" && !large(around.getBoundingClientRect()))) return false;
    }
    return true;
  };
  const block = (element) => (/^(inline|contents)$/.test(getComputedStyle(element).display) ? block(element.parentElement) : element);
  const seen = (element) => {
    let words = "";
    let last;
    const add = (more, place) => {
      words += place === last ? more : ` ${more}`;
      last = place;
    };
    const nodes = document.createTreeWalker(element, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = nodes.currentNode; node; node = nodes.nextNode()) {
      if (node.nodeType === Node.TEXT_NODE) {
        const range = document.createRange();
        range.selectNodeContents(node);
        if (large(range.getBoundingClientRect()) && shown(node.parentElement)) add(node.data, block(node.parentElement));
      } else if (node.matches("img[alt]") && large(node.getBoundingClientRect()) && shown(node)) {
        add(node.alt, node);
      }
    }
    return words.replace(/\s+/g, " ").trim();
  };
  return drawn.map(seen).join("\n");
}

const times = (text, words) => text.split(words).length - 1;

scenario("a queue that nobody can be asked about is seen to have changed, at every width", async (stage) => {
  for (const width of [380, 1400]) {
    const page = await stage.embed(await stage.files(), `transport="none"`, { width, whole: width > 600 });
    await page.locator(".bar").waitFor();
    const [start] = every;
    const changes = [1, 2].map((number) => ({ type: "pending_messages.modified", data: {}, id: `queue-${number}`, parentId: null, timestamp: start.event.timestamp, ephemeral: true }));
    await push(page, [start.event]);
    assert.equal(await page.evaluate(look, { at: "[data-queue-count]" }), "", "nothing to tell");
    await push(page, changes);
    assert.equal(await page.evaluate(look, { at: "[data-queue-count]" }), "Queue changed 2 times");
  }
});

scenario("one event of each type is found in the component that docs/events.md names", async (stage) => {
  const places = await catalogue();
  assert.equal(places.size, 156);
  assert.deepEqual(every.map(({ type }) => type).sort(), [...places.keys()].sort(), "one of each, and no others");
  for (const { type, event } of every) {
    for (const [, key] of places.get(type).keys.matchAll(/`(\w+)[\w.]*`/g)) assert.ok(key in event.data, `${type}: ${key}`);
  }

  const page = await stage.embed(await stage.files(), `transport="none"`, { width: 1400, height: 9000 });
  const lens = page.locator("[data-model-lens]");
  const missing = [];

  /** Waits until a component contains the words more often than before, or less often. */
  async function found({ type, proof: { words, less } }, place, before) {
    const had = times(before, words);
    const source = `(${times})((${look})(${JSON.stringify(DRAWN[place])}), ${JSON.stringify(words)}) ${less ? "<" : ">"} ${had}`;
    await page.waitForFunction(inPage(source), undefined, { timeout: PATIENCE }).catch(async () => {
      const now = (await page.evaluate(look, DRAWN[place])).split("\n");
      const fresh = now.filter((line) => !before.split("\n").includes(line));
      missing.push(`${type}: ${place} has ${less ? "still" : "no"} “${words}”; new there: ${fresh.join(" / ")}`);
    });
  }

  const waiting = [];
  for (const one of every) {
    const { type, proof, event } = one;
    const { place } = places.get(type);
    if (place === LOG) {
      const log = page.getByRole("button", { name: "Event log" });
      await log.click();
      await page.locator(".record").first().waitFor();
      const before = await page.evaluate(look, DRAWN[LOG]);
      await push(page, [event]);
      await found({ type, proof: { words: type } }, LOG, before);
      await log.click();
      await page.getByRole("button", { name: "Panel" }).click();
      await page.locator(".sect").first().waitFor();
      if (type in (await snapshot(page)).events.unknown) missing.push(`${type}: nobody knows it`);
      continue;
    }
    assert.ok(DRAWN[place], `${type}: docs/events.md names ${place}, and nobody knows what that draws`);
    const reads = place.startsWith("ui/lens");
    if (reads) await lens.click();
    if (reads) await page.locator(".lens").waitFor();
    const before = await page.evaluate(look, DRAWN[place]);
    await push(page, [event]);
    if (proof.after) waiting.push({ one, place, before });
    else for (const words of [proof.words, ...(proof.more ?? [])]) await found({ type, proof: { ...proof, words } }, place, before);
    for (const { one, place, before } of waiting.filter(({ one }) => one.proof.after === type)) await found(one, place, before);
    if (reads) await lens.click();
  }
  assert.deepEqual(missing, []);
});
