// Tests very long answers: few elements on the page, yet readers get the whole text at a stable place,
// whatever they do. Counts nodes and compares texts and positions, not milliseconds.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { frames, nightly, push, scenario } from "../support/harness.mjs";

const KB = 1024;
/** The most elements for the visible part of a text, one or two parts around it, and the rest of the page. */
const FEW = 4_000;

const empty = async (stage, options) => stage.embed(await stage.files(), `transport="none"`, options);

/** Numbered paragraphs with a list, a table and code among them. */
function book(length) {
  const pieces = [];
  for (let number = 0, size = 0; size < length; number += 1) {
    let piece = `Paragraph p${number}. ${"The *boat* lies at the **pier** and waits. ".repeat(8)}\n\n`;
    if (number % 7 === 3) piece += `## Chapter c${number}\n\n- one of ${number}\n- two\n- three\n\n`;
    if (number % 11 === 5) piece += `| a | b |\n|---|---|\n${`| row ${number} | x |\n`.repeat(4)}\n`;
    if (number % 13 === 6) piece += `\`\`\`js\nconst pier = [${number}][0]; // ${"far ".repeat(60)}\n\`\`\`\n\n`;
    pieces.push(piece);
    size += piece.length;
  }
  return pieces;
}

/** Streams a text into a row in pieces of 64 KB and waits until its last paragraph is shown. */
async function stream(page, script, id, pieces, between) {
  await push(page, script.user("Write").turn().begin(id).take());
  for (let from = 0; from < pieces.length; ) {
    let text = "";
    while (from < pieces.length && text.length < 64 * KB) text += pieces[from++];
    await push(page, script.more(id, text).take());
    await between?.();
  }
  await page.waitForFunction((words) => {
    const paragraphs = document.querySelector("pilot-house").shadowRoot.querySelectorAll("[data-id] p");
    return [...paragraphs].some((paragraph) => paragraph.textContent.startsWith(words));
  }, /Paragraph p\d+\./.exec(pieces.at(-1))[0]);
}

const elements = (page) => page.evaluate(() => document.querySelector("pilot-house").shadowRoot.querySelectorAll("*").length);

/** Waits until at most this many elements are in the document and part of the text is not. */
const settled = (page, few = FEW) =>
  page.waitForFunction((few) => {
    const root = document.querySelector("pilot-house").shadowRoot;
    return root?.querySelector("[data-away]") && root.querySelectorAll("*").length <= few;
  }, few);

/** Scrolls to a fraction of the timeline, as by dragging the scroll bar. */
async function scrollTo(page, share) {
  await page.evaluate((share) => {
    const scroller = document.querySelector("pilot-house").shadowRoot.querySelector("[data-scroller]");
    scroller.scrollTop = (scroller.scrollHeight - scroller.clientHeight) * share;
  }, share);
  await frames(page);
}

/** The visible paragraphs' numbers, the top of the first, and whether part of the view is not rendered. */
function viewport(page) {
  return page.evaluate(() => {
    const root = document.querySelector("pilot-house").shadowRoot;
    const scroller = root.querySelector("[data-scroller]");
    const { top, bottom } = scroller.getBoundingClientRect();
    const inside = (element) => {
      const box = element.getBoundingClientRect();
      return box.bottom > top && box.top < bottom;
    };
    const seen = [...root.querySelectorAll("[data-id] p")].filter((p) => inside(p) && /^Paragraph p\d+/.test(p.textContent));
    return {
      numbers: seen.map((p) => Number(/p(\d+)/.exec(p.textContent)[1])),
      top: seen[0]?.getBoundingClientRect().top,
      scrolled: scroller.scrollTop,
      missing: [...root.querySelectorAll("[data-away]")].some(inside),
    };
  });
}

/** Scrolls back to the reader's place and checks that the same text is there. */
async function comesBack(page, before) {
  await page.evaluate((top) => {
    document.querySelector("pilot-house").shadowRoot.querySelector("[data-scroller]").scrollTop = top;
  }, before.scrolled);
  await frames(page);
  const after = await viewport(page);
  assert.deepEqual(after.numbers, before.numbers);
  assert.ok(Math.abs(after.top - before.top) <= 2, `${after.top}, and it was ${before.top}`);
}

nightly("a message of four megabytes has few elements while it comes and after, and all its words for who reads it", async (stage) => {
  const page = await empty(stage);
  const script = new Script();
  const pieces = book(4_000 * KB);
  let most = 0;
  await stream(page, script, "m", pieces, async () => (most = Math.max(most, await elements(page))));
  assert.ok(most <= 2 * FEW, `${most} elements while it came`);
  await push(page, script.say(pieces.join(""), "m").take());
  await settled(page);
  const last = pieces.length - 1;
  assert.equal((await viewport(page)).numbers.at(-1), last, "the reader is at the end");
  assert.equal(await page.locator('[data-id="m"]').count(), 1);

  // From end to start in jumps of up to a hundred screens: text is there at once.
  for (const share of [0.9, 0.5, 0.503, 0.1, 0]) {
    await scrollTo(page, share);
    const { numbers, missing } = await viewport(page);
    assert.ok(!missing && numbers.length > 0, `nothing is missing at ${share}: ${numbers}`);
    assert.ok(Math.abs(numbers[0] / last - share) < 0.05, `${numbers[0]} of ${last} at ${share}`);
  }
  await settled(page);
});

nightly("who scrolls through a long text reads every word of it, in order, and comes back to the same place", async (stage) => {
  const page = await empty(stage);
  const script = new Script();
  const pieces = book(400 * KB);
  await stream(page, script, "m", pieces);
  await push(page, script.say(pieces.join(""), "m").take());
  await settled(page);
  await scrollTo(page, 0.6);
  const before = await viewport(page);
  await scrollTo(page, 0);
  const read = await page.evaluate(async () => {
    const root = document.querySelector("pilot-house").shadowRoot;
    const scroller = root.querySelector("[data-scroller]");
    const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
    const texts = new Map();
    for (;;) {
      for (const part of [root.querySelector('[data-id="m"] .prose'), ...root.querySelectorAll('[data-id="m"] .part')]) {
        if (part.hasAttribute("data-away")) continue;
        const own = [...part.children].filter((child) => !child.matches(".part"));
        const words = own.map((child) => (child.matches(".code") ? child.lastChild : child).textContent).join("\n");
        // The part that ends the text has no number yet.
        if (words) texts.set(part.dataset.part ?? (part.matches(".part") ? "last" : "0"), words);
      }
      const { scrollTop } = scroller;
      scroller.scrollTop += scroller.clientHeight * 0.8;
      await frame();
      if (scroller.scrollTop === scrollTop) break;
    }
    return [...texts].sort(([a], [b]) => (a === "last") - (b === "last") || a - b).map(([, words]) => words).join("\n");
  });
  const plain = pieces.join("").replaceAll(/\*|^#+ |^- |^\||\||^---.*$|^```.*$/gm, " ").replaceAll(/-{3,}/g, " ");
  const squeezed = (text) => text.replaceAll(/\s+/g, "");
  assert.equal(squeezed(read), squeezed(plain));

  await comesBack(page, before);
});

scenario("what is read in the middle of a long text stays where it is while more comes and the page gets narrower", async (stage) => {
  const page = await empty(stage);
  const script = new Script();
  await stream(page, script, "m", book(300 * KB));
  await settled(page);
  await scrollTo(page, 0.5);
  const before = await viewport(page);
  for (let times = 0; times < 5; times += 1) {
    await push(page, script.more("m", "And more of it.\n\n".repeat(500)).take());
    const { numbers, top } = await viewport(page);
    assert.deepEqual(numbers, before.numbers);
    assert.ok(Math.abs(top - before.top) <= 1, `${top}, and it was ${before.top}`);
  }
  // Parts that are not rendered keep their old height; rendered again they have
  // another, and still nothing jumps.
  await page.setViewportSize({ width: 500, height: 800 });
  await frames(page);
  let known = await viewport(page);
  for (let step = 0; step < 30; step += 1) {
    const moved = await page.evaluate(async () => {
      const root = document.querySelector("pilot-house").shadowRoot;
      const scroller = root.querySelector("[data-scroller]");
      const { top } = scroller.getBoundingClientRect();
      const first = [...root.querySelectorAll("[data-id] p")].find((p) => p.getBoundingClientRect().top >= top);
      const from = first.getBoundingClientRect().top;
      scroller.scrollTop -= 300;
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
      return first.getBoundingClientRect().top - from;
    });
    assert.ok(Math.abs(moved - 300) <= 2, `300 pixels up are ${moved}`);
    known = await viewport(page);
    assert.ok(!known.missing, "nothing is missing");
  }
  assert.ok(known.numbers[0] < before.numbers[0]);
});

scenario("a selection in a long text stays, and has all that is between its ends", async (stage) => {
  const page = await empty(stage);
  const script = new Script();
  const pieces = book(300 * KB);
  await stream(page, script, "m", pieces);
  await settled(page);
  await scrollTo(page, 0.4);
  const selected = () => page.evaluate(() => document.querySelector("pilot-house").shadowRoot.getSelection().toString());
  const from = await page.evaluate(() => {
    const root = document.querySelector("pilot-house").shadowRoot;
    const { top } = root.querySelector("[data-scroller]").getBoundingClientRect();
    const first = [...root.querySelectorAll("[data-id] p")].find((p) => p.getBoundingClientRect().top >= top && p.textContent.startsWith("Paragraph"));
    root.getSelection().setBaseAndExtent(first.firstChild, 0, first.firstChild, 12);
    window.from = first.firstChild;
    return Number(/p(\d+)/.exec(first.textContent)[1]);
  });
  const words = await selected();
  assert.equal(words, `Paragraph p${from}. `.slice(0, 12));
  for (const share of [0, 1]) {
    await scrollTo(page, share);
    assert.equal(await selected(), words, `the selection is there at ${share}`);
  }
  // Extends the selection far down, as Shift and a click do. The text between was not in the document.
  await page.evaluate(() => {
    const root = document.querySelector("pilot-house").shadowRoot;
    const { bottom } = root.querySelector("[data-scroller]").getBoundingClientRect();
    const all = [...root.querySelectorAll("[data-id] p")].filter((p) => /^Paragraph p\d+/.test(p.textContent));
    const last = all.findLast((p) => p.getBoundingClientRect().top < bottom);
    window.to = Number(/p(\d+)/.exec(last.textContent)[1]);
    root.getSelection().setBaseAndExtent(window.from, 0, last.firstChild, last.firstChild.length);
  });
  // Copying at once gets all of it.
  const copied = await page.evaluate(() => {
    let text;
    document.addEventListener("copy", () => (text = document.querySelector("pilot-house").shadowRoot.getSelection().toString()), { once: true });
    document.execCommand("copy");
    return text;
  });
  for (let number = from; number <= (await page.evaluate(() => window.to)); number += 1) {
    assert.ok(copied.includes(`p${number}`), `p${number} is not copied`);
  }
  await page.waitForFunction((from) => {
    const text = document.querySelector("pilot-house").shadowRoot.getSelection().toString();
    for (let number = from; number <= window.to; number += 1) if (!text.includes(`p${number}`)) return false;
    return true;
  }, from);
  assert.ok((await page.evaluate(() => window.to)) > from + 100);
  await page.evaluate(() => document.querySelector("pilot-house").shadowRoot.getSelection().removeAllRanges());
  await settled(page);
});

scenario("what has the focus, and code that was scrolled, stay", async (stage) => {
  const page = await empty(stage);
  const script = new Script();
  await stream(page, script, "m", book(300 * KB));
  await settled(page);
  await scrollTo(page, 0.5);
  await page.evaluate(() => {
    const root = document.querySelector("pilot-house").shadowRoot;
    const { top } = root.querySelector("[data-scroller]").getBoundingClientRect();
    const near = [...root.querySelectorAll(".code > code")].filter((code) => code.getBoundingClientRect().top > top - 2_000);
    window.code = near[0];
    window.code.scrollLeft = 90;
    window.table = [...root.querySelectorAll(".table")].find((table) => table.closest(".part") !== window.code.closest(".part")) ?? window.code;
    window.table.focus({ preventScroll: true });
  });
  await scrollTo(page, 0);
  await scrollTo(page, 1);
  const kept = await page.evaluate(() => {
    const root = document.querySelector("pilot-house").shadowRoot;
    return [window.code.isConnected, window.code.scrollLeft, root.activeElement === window.table];
  });
  assert.deepEqual(kept, [true, 90, true]);
});

scenario("the first match is shown if it is far from the beginning of its row", async (stage) => {
  const pieces = book(200 * KB);
  pieces[40] = `Here is a lantern.\n\n${pieces[40]}`;
  const { events } = new Script().user("Go").turn().say(pieces.join(""), "m");
  const page = await stage.page(await stage.serve([events]), { width: 1400 });
  await settled(page);
  await page.keyboard.press("Control+f");
  await page.keyboard.type("lantern");
  await page.locator(".found").filter({ hasText: "1 entry" }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => {
    const [range] = CSS.highlights.get("ph-here") ?? [];
    const { top, bottom } = document.querySelector("pilot-house").shadowRoot.querySelector("[data-scroller]").getBoundingClientRect();
    const place = range?.getBoundingClientRect();
    return place && place.top >= top && place.bottom <= bottom;
  });
});

nightly("search goes to matches in a long text one by one, wherever they are, and back", async (stage) => {
  const page = await empty(stage);
  const script = new Script();
  const pieces = book(500 * KB);
  const at = [2, 0.3, 0.31, 0.7, 1].map((share) => (share > 1 ? share : Math.floor((pieces.length - 1) * share)));
  for (const number of at) pieces[number] = `Here is a **lant**ern, l${number}.\n\n[not read](https://lantern.example/)\n\n${pieces[number]}`;
  await stream(page, script, "m", pieces);
  await push(page, script.say(pieces.join(""), "m").say("Another lantern.", "n").take());
  await settled(page);
  await page.locator("[data-scroller]").focus();
  await page.keyboard.press("/");
  await page.getByRole("searchbox", { name: "Search this session" }).fill("lantern");
  const found = (text) => page.locator(".found").filter({ hasText: text }).waitFor();
  await found("2 entries");
  const seen = async (number) => {
    const place = await page.evaluate(() => {
      const [range] = CSS.highlights.get("ph-here") ?? [];
      if (!range) return "nothing";
      const { top, bottom } = range.getBoundingClientRect();
      const sight = document.querySelector("pilot-house").shadowRoot.querySelector("[data-scroller]").getBoundingClientRect();
      const block = range.startContainer.parentElement.closest("p").textContent;
      return top >= sight.top && bottom <= sight.bottom ? block : `out of sight: ${block}`;
    });
    assert.equal(place, `Here is a lantern, l${number}.`);
  };
  for (const [index, number] of at.entries()) {
    await page.keyboard.press("Enter");
    await found(`1 of 2 · ${index + 1}/5`);
    await frames(page);
    await seen(number);
  }
  await page.keyboard.press("Enter");
  await found("2 of 2");
  await page.keyboard.press("Shift+Enter");
  await found("1 of 2 · 5/5");
  for (const index of [3, 2, 1]) {
    await page.keyboard.press("Shift+Enter");
    await found(`1 of 2 · ${index + 1}/5`);
    await frames(page);
    await seen(at[index]);
  }
  await settled(page);
});

scenario("all of a long text is on paper", async (stage) => {
  const page = await empty(stage);
  const script = new Script();
  const pieces = book(200 * KB);
  // One row that is in the document, and one that is not.
  await push(page, script.user("Write").turn().say(pieces.join(""), "early").take());
  for (let number = 0; number < 60; number += 1) script.user(`Go on ${number}`);
  await stream(page, script, "m", pieces);
  await settled(page);
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.waitForFunction(() => !document.querySelector("pilot-house").shadowRoot.querySelector("[data-away]"));
  for (const id of ["early", "m"]) {
    const text = await page.locator(`[data-id="${id}"]`).evaluate((row) => row.textContent);
    for (let number = 0; number < pieces.length; number += 1) assert.ok(text.includes(`Paragraph p${number}.`), `p${number} of ${id}`);
  }
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await settled(page);
});

scenario("a long text whose row left the document is where it was when the reader comes back", async (stage) => {
  const page = await empty(stage);
  const script = new Script();
  await stream(page, script, "m", book(300 * KB));
  for (let number = 0; number < 100; number += 1) script.user(`Go on ${number}`);
  await push(page, script.take());
  await scrollTo(page, 0.5);
  const before = await viewport(page);
  assert.ok(before.numbers.length > 0, "it is the text that is read");
  await scrollTo(page, 1);
  await page.waitForFunction(() => !document.querySelector("pilot-house").shadowRoot.querySelector('[data-id="m"]'));
  await comesBack(page, before);
  assert.ok((await elements(page)) <= FEW);
});
