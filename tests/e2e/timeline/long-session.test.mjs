// Tests that a long session is cheap and does not move the reader's scroll position.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { frames, push, scenario } from "../support/harness.mjs";

const JUMP = { name: "Jump to latest" };

/** Ten thousand entries of various heights. */
function longLog(entries = 10_000) {
  const script = new Script("long");
  for (let number = 0; script.events.length < entries; number += 1) {
    if (number % 10 === 0) script.user(`Question ${number}: what about boat ${number}?`, `user-${number}`);
    else if (number % 3 === 0) script.shell(`tool-${number}`, `ls boats/${number}`).complete(`tool-${number}`, "a\nb\nc");
    else script.say(`Answer ${number}. ${"It lies at the pier, as it did before. ".repeat(number % 9)}`, `said-${number}`);
  }
  return script;
}

async function longPage(stage, script) {
  const page = await stage.embed(await stage.files(), `transport="none"`);
  await push(page, script.take());
  await page.locator("[data-entry]").first().waitFor();
  await still(page);
  return page;
}

/** Waits until the rows on screen keep their places for three frames. */
function still(page) {
  return page.waitForFunction(() => {
    const root = document.querySelector("pilot-house").shadowRoot;
    const rows = [...root.querySelectorAll("[data-entry]")].map((row) => [row.dataset.id, row.getBoundingClientRect().top]);
    const now = JSON.stringify([rows, root.querySelector("[data-scroller]").scrollTop]);
    window.calm = now === window.before ? (window.calm ?? 0) + 1 : 0;
    window.before = now;
    return window.calm >= 3;
  });
}

/** The reader's place: the first completely visible row and where its top is, and the distance to the end. */
function place(page) {
  return page.evaluate(() => {
    const root = document.querySelector("pilot-house").shadowRoot;
    const scroller = root.querySelector("[data-scroller]");
    const from = scroller.getBoundingClientRect().top;
    const rows = [...root.querySelectorAll("[data-entry]")].map((row) => ({ id: row.dataset.id, top: row.getBoundingClientRect().top - from }));
    const end = scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop;
    return { ...rows.find((row) => row.top >= 0), end, elements: root.querySelectorAll("*").length, rows: rows.length };
  });
}

/** Where a row's top is now, relative to the scroller. */
const topOf = (page, id) =>
  page.evaluate((id) => {
    const root = document.querySelector("pilot-house").shadowRoot;
    const from = root.querySelector("[data-scroller]").getBoundingClientRect().top;
    return root.querySelector(`[data-id="${id}"]`)?.getBoundingClientRect().top - from;
  }, id);

async function wheel(page, pixels) {
  await page.mouse.move(500, 400);
  await page.mouse.wheel(0, pixels);
  await frames(page);
  await still(page);
}

scenario("ten thousand entries keep few elements in the document, and the end is shown", async (stage) => {
  const script = longLog();
  const page = await longPage(stage, script);
  const atEnd = await place(page);
  assert.ok(atEnd.end <= 1, `the end is ${atEnd.end} px away`);
  assert.ok(atEnd.elements <= 400, `${atEnd.elements} elements`);
  assert.equal(await page.getByRole("button", JUMP).count(), 0);

  for (const part of [0.5, 0.01, 0.77, 0]) {
    await page.evaluate((part) => {
      const scroller = document.querySelector("pilot-house").shadowRoot.querySelector("[data-scroller]");
      scroller.scrollTop = part * (scroller.scrollHeight - scroller.clientHeight);
    }, part);
    await frames(page);
    await still(page);
    const there = await place(page);
    assert.ok(there.rows >= 4 && there.top < 800, `rows are shown at ${part}`);
    assert.ok(there.elements <= 400, `${there.elements} elements at ${part}`);
  }
  assert.equal((await place(page)).id, "user-0", "the start is the start");
});

scenario("whoever scrolled up is not pulled down; 'Jump to latest' leads back", async (stage) => {
  const script = longLog(1_000);
  const page = await longPage(stage, script);
  await wheel(page, -1500);
  await page.getByRole("button", JUMP).waitFor();
  const before = await place(page);
  script.turn("late").begin("late", "Late ");
  for (let round = 0; round < 20; round += 1) {
    script.more("late", `word ${round}\n\n`).user(`More ${round}`, `more-${round}`);
    await push(page, script.take());
    const top = await topOf(page, before.id);
    assert.ok(Math.abs(top - before.top) <= 1, `round ${round}: the row moved from ${before.top} to ${top}`);
  }
  await page.getByRole("button", JUMP).click();
  await frames(page);
  await still(page);
  const end = await place(page);
  assert.ok(end.end <= 1, `the end is ${end.end} px away`);
  await page.locator('[data-id="more-19"]').waitFor();
  await page.getByRole("button", JUMP).waitFor({ state: "detached" });
  await push(page, script.user("The very last", "last").take());
  await still(page);
  await page.locator('[data-id="last"]').waitFor();
  assert.ok((await place(page)).end <= 1, "it follows again");
});

scenario("the reader's row stays in place when something above it changes its height", async (stage) => {
  const script = longLog(300).shell("running", "cargo test").output("running", "one\n");
  for (let row = 0; row < 30; row += 1) script.say(`Below ${row}. ${"Words. ".repeat(40)}`, `below-${row}`);
  const page = await longPage(stage, script);
  // Just below the running command, which is still rendered above the viewport.
  for (let tries = 0; tries < 60; tries += 1) {
    const top = await topOf(page, "running");
    if (top !== null && top !== undefined && top > -400) break;
    await wheel(page, -200);
  }
  const before = await place(page);
  const command = await topOf(page, "running");
  assert.ok(command < -20, `the command is above the viewport (${command})`);
  let output = "one\n";
  for (let line = 0; line < 8; line += 1) {
    output += `line ${line}\n`;
    await push(page, script.output("running", output).take());
    const top = await topOf(page, before.id);
    assert.ok(Math.abs(top - before.top) <= 1, `line ${line}: the row moved from ${before.top} to ${top}`);
  }
  await push(page, script.complete("running", output).take());
  await still(page);
  const top = await topOf(page, before.id);
  assert.ok(Math.abs(top - before.top) <= 1, `folded: the row moved from ${before.top} to ${top}`);
});

scenario("while a paragraph streams, a delta changes one text node and nothing else", async (stage) => {
  const script = longLog(200).turn("t").begin("stream", "The boat ");
  const page = await longPage(stage, script);
  const deltas = ["lies ", "at ", "the ", "pier ", "today"].map((word) => script.more("stream", word).take()[0]);
  const records = await page.evaluate(async (deltas) => {
    const element = document.querySelector("pilot-house");
    const column = element.shadowRoot.querySelector('[role="feed"]');
    const shown = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
    const seen = [];
    const observer = new MutationObserver((records) => seen.push(...records));
    observer.observe(column, { subtree: true, childList: true, characterData: true, attributes: true });
    const batches = [];
    for (const delta of deltas) {
      element.push(delta);
      await shown();
      batches.push(seen.splice(0).map((record) => [record.type, record.target.nodeName]));
    }
    observer.disconnect();
    return batches;
  }, deltas);
  for (const batch of records.slice(1)) assert.deepEqual(batch, [["characterData", "#text"]]);
  assert.equal((await page.locator('[data-id="stream"]').innerText()).trim(), "The boat lies at the pier today");
});

scenario("a selection survives what is written behind it in the same paragraph", async (stage) => {
  const script = longLog(100).turn("t").begin("stream", "Select these words and ");
  const page = await longPage(stage, script);
  const selected = () => page.evaluate(() => document.querySelector("pilot-house").shadowRoot.getSelection().toString());
  await page.locator('[data-id="stream"] p').evaluate((paragraph) => {
    getSelection().setBaseAndExtent(paragraph.firstChild, 7, paragraph.firstChild, 18);
  });
  assert.equal(await selected(), "these words");
  for (let word = 0; word < 10; word += 1) await push(page, script.more("stream", `word ${word} `).take());
  await push(page, script.user("Next", "next").take());
  await page.locator('[data-id="next"]').waitFor();
  assert.equal(await selected(), "these words");
});
