// Tests the event log, the inspector, time travel and files from disk: they show exactly what was received.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { card, drop, frames, inBothSchemes, late, nightly, push, scenario, violations } from "../support/harness.mjs";

/** A short session whose content is known. */
function boats() {
  const script = new Script("boats")
    .user("How do the boats lie?", "asked")
    .turn()
    .begin("report", "The white ", "boat lies ", "at the pier.")
    .say("The white boat lies at the pier.", "report")
    .shell("look", "ls boats/")
    .output("look", "red\n")
    .complete("look", "red\nblue\n");
  return script.user("And the blue one?", "again").turn("1").say("At a buoy.", "second").rest("1");
}

async function shown(stage, script, options) {
  const page = await stage.embed(await stage.files(), `transport="none"`, options);
  await push(page, script.events);
  await page.locator("[data-entry]").first().waitFor();
  return page;
}

const press = async (page, key) => {
  await page.locator("[data-scroller]").focus();
  await page.keyboard.press(key);
};

/** The rows that are rendered in the timeline: kind, id, state and text of each. */
const rows = (page) =>
  page.evaluate(() =>
    [...document.querySelector("pilot-house").shadowRoot.querySelectorAll("article[data-row]")].map((row) => {
      const words = row.cloneNode(true);
      for (const extra of words.querySelectorAll(".actions, .turn")) extra.remove();
      return [row.dataset.entry, row.dataset.id, row.dataset.state, words.textContent];
    }),
  );

const types = (page) => page.locator(".record-top > code").allInnerTexts();

async function seek(page, to) {
  await page.locator(".scrubber").fill(String(to));
  await frames(page);
}

scenario("the inspector shows exactly the events of an entry, as they came", async (stage) => {
  const script = boats();
  const page = await shown(stage, script);
  await page.locator('[data-id="report"]').hover();
  await page.locator('[data-id="report"]').getByRole("button", { name: "Raw events" }).click();
  const inspector = page.locator(".inspector");
  await inspector.locator(".record").nth(4).waitFor();
  const own = script.events.filter((event) => event.data.messageId === "report");
  assert.deepEqual(await types(page), own.map((event) => event.type));
  for (const [at, event] of own.entries()) {
    await inspector.locator(".record").nth(at).click({ force: true });
    if ((await inspector.locator(".record-json").count()) === 0) await inspector.locator(".record").nth(at).click();
    await frames(page);
    assert.deepEqual(JSON.parse(await inspector.locator(".record-json").textContent()), event);
  }
  // Events that arrive for the entry while the inspector is open are shown as well.
  await push(page, new Script("late").take().concat([{ ...own[1], id: "late-1", type: "assistant.message" }]));
  await inspector.locator(".record").nth(own.length).waitFor();
});

scenario("copy gives the event as it came, and all of them a line each", async (stage) => {
  const script = boats();
  const page = await shown(stage, script);
  await page.evaluate(() => {
    const clipboard = { writeText: (text) => ((window.copied = text), Promise.resolve()) };
    Object.defineProperty(navigator, "clipboard", { value: clipboard });
  });
  const row = page.locator('article[data-id="look"]');
  await row.locator("summary").focus();
  await page.keyboard.press("i");
  const own = script.events.filter((event) => event.data.toolCallId === "look");
  await page.locator(".inspector .record").nth(own.length - 1).waitFor();
  await page.getByTitle("all of these events").click();
  assert.equal(await page.evaluate(() => window.copied), own.map((event) => JSON.stringify(event)).join("\n"));
  await page.getByTitle("the event", { exact: true }).click();
  assert.equal(await page.evaluate(() => window.copied), JSON.stringify(own[0]));
});

scenario("the event log lists everything, filters by type and family, and follows", async (stage) => {
  const script = boats();
  const page = await shown(stage, script, { width: 1400, height: 2400 });
  await press(page, "e");
  await page.locator(".record").first().waitFor();
  const all = script.events.map((event) => event.type);
  assert.deepEqual(await types(page), all);
  await page.getByLabel("Filter by event type").fill("message_delta");
  await frames(page);
  assert.deepEqual(await types(page), all.filter((type) => type.includes("message_delta")));
  await page.getByLabel("Filter by event type").fill("");
  await page.getByRole("button", { name: "Tool", exact: true }).click();
  await frames(page);
  assert.deepEqual(await types(page), all.filter((type) => type.startsWith("tool.")));
  await page.locator(".record").first().click();
  await page.locator(".record-detail").getByRole("button", { name: "Go to entry" }).click();
  await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.activeElement?.dataset.id === "look");
  await page.getByRole("button", { name: "Tool", exact: true }).click();
  await push(page, new Script("more").user("One more", "more").take());
  await frames(page);
  assert.equal((await types(page)).at(-1), "user.message");
});

/** The numbers of the records that are completely visible. */
const seen = (page) =>
  page.evaluate(() => {
    const list = document.querySelector("pilot-house").shadowRoot.querySelector(".records");
    const { top, bottom } = list.getBoundingClientRect();
    const within = (row) => row.getBoundingClientRect().top >= top - 1 && row.getBoundingClientRect().bottom <= bottom + 1;
    return [...list.querySelectorAll(".record")].filter(within).map((row) => Number(row.ariaPosInSet));
  });

scenario("the log is at its end in every frame in which more comes, unless the reader has scrolled up", async (stage) => {
  const script = new Script("flood").user("Go", "go").begin("first", ..."more than there is place for on the screen at a time: more words, and more".split(" "));
  const page = await shown(stage, script, { width: 1200, height: 700 });
  await press(page, "e");
  await page.locator(".record").first().waitFor();
  let events = script.take().length;
  const batches = Array.from({ length: 40 }, (_, nth) => {
    const batch = script.begin(`m${nth}`, ..."a few words to a frame".split(" ")).take();
    events += batch.length;
    return `${batch.map((event) => JSON.stringify(event)).join("\n")}\n`;
  });
  const away = await page.evaluate(async (batches) => {
    const element = document.querySelector("pilot-house");
    const list = element.shadowRoot.querySelector(".records");
    const away = [];
    for (const batch of batches) {
      element.push(batch);
      await new Promise((after) => requestAnimationFrame(() => setTimeout(after)));
      const last = [...list.querySelectorAll(".record")].at(-1);
      away.push(Math.max(list.scrollHeight - list.clientHeight - list.scrollTop, Math.abs(last.getBoundingClientRect().bottom - list.getBoundingClientRect().bottom)));
    }
    while (element.hasAttribute("data-reading")) await new Promise((frame) => requestAnimationFrame(frame));
    return away;
  }, batches);
  await frames(page);
  assert.ok(Math.max(...away) <= 2, `pixels from the end after each frame: ${away}`);
  assert.equal((await seen(page)).at(-1), events);

  await page.locator(".records").hover();
  await page.mouse.wheel(0, -600);
  await page.waitForFunction(() => {
    const list = document.querySelector("pilot-house").shadowRoot.querySelector(".records");
    return list.scrollHeight - list.clientHeight - list.scrollTop > 500;
  });
  await frames(page);
  const before = await seen(page);
  await push(page, script.begin("later", "more", "and more").take());
  await frames(page);
  assert.deepEqual(await seen(page), before);
});

scenario("a record that is chosen stays on screen when its event takes half of the place, and while more comes", async (stage) => {
  const script = new Script("many").user("Go", "go").begin("m", ...Array.from({ length: 100 }, (_, at) => `word ${at} `));
  const page = await shown(stage, script, { width: 1200, height: 800 });
  script.take();
  await press(page, "e");
  await page.locator('.record[aria-posinset="103"]').click();
  await page.locator(".record-detail").waitFor();
  await frames(page);
  assert.ok((await seen(page)).includes(103), "it is on screen beside its event");
  const before = await seen(page);
  await push(page, script.more("m", "more ", "and more").take());
  await frames(page);
  assert.deepEqual(await seen(page), before);
  await page.locator('.record[aria-posinset="103"]').click();
  await page.locator(".record-detail").waitFor({ state: "detached" });
  await page.locator(".records").press("End");
  await frames(page);
  // The list grows back, is laid out, and the next event is shown, all before the list is notified.
  await page.locator(".records").evaluate((list, line) => new Promise((done) => {
    requestAnimationFrame(async () => {
      list.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, composed: true, cancelable: true }));
      // Effects of a signal run in microtasks.
      for (let turn = 0; turn < 9; turn += 1) await null;
      done(list.scrollTop);
    });
    document.querySelector("pilot-house").push(line);
  }), `${JSON.stringify(script.more("m", "at the end").take()[0])}\n`);
  await page.locator(".record-detail").waitFor({ state: "detached" });
  await page.locator('.record[aria-setsize="106"]').first().waitFor();
  await frames(page);
  assert.equal((await seen(page)).at(-1), 106, "whoever closes it at the end is at the end");

  await page.locator(".records").press("End");
  await page.locator(".record-detail").waitFor();
  await push(page, script.more("m", "while", " it is open").take());
  await page.locator('.record[aria-setsize="108"]').first().waitFor();
  await frames(page);
  assert.equal((await seen(page)).at(-1), 106, "the chosen record is not scrolled away");
  await page.locator(".records").press("Escape");
  await page.locator(".record-detail").waitFor({ state: "detached" });
  await frames(page);
  assert.equal((await seen(page)).at(-1), 108, "events that came while it was open are followed once it is closed");

  await page.locator(".records").press("End");
  await page.locator(".records").press("Home");
  await page.locator(".records").press("Escape");
  await page.locator(".record-detail").waitFor({ state: "detached" });
  await push(page, script.more("m", "and one").take());
  await page.locator('.record[aria-setsize="109"]').first().waitFor();
  await frames(page);
  assert.equal((await seen(page))[0], 1, "whoever went away from the end stays where they are");
});

scenario("travelling shows the session as it was, forward and back, and leads back to now", async (stage) => {
  const script = boats();
  const page = await shown(stage, script, { height: 2400 });
  const before = await rows(page);
  await press(page, "t");
  await page.locator(".scrubber:not([disabled])").waitFor();
  const length = script.events.length;
  for (const to of [length - 4, 4, 6, 0, 9, 5, 1]) {
    await seek(page, to);
    if (to > 1) {
      const fresh = await shown(stage, { events: script.events.slice(0, to) }, { height: 2400 });
      await frames(fresh);
      assert.deepEqual(await rows(page), await rows(fresh), `at ${to}`);
      await fresh.close();
    } else assert.deepEqual(await rows(page), [], `at ${to}`);
    await page.getByText("You see the past").waitFor();
  }
  // Events that arrive meanwhile are reduced in the background.
  await push(page, new Script("late").user("Meanwhile", "meanwhile").take());
  assert.equal(await page.locator('[data-id="meanwhile"]').count(), 0);
  await page.locator(".travel").getByRole("button", { name: "Back to now" }).click();
  await page.locator('[data-id="meanwhile"]').waitFor();
  assert.deepEqual((await rows(page)).slice(0, before.length), before);
  await page.getByText("You see the past").waitFor({ state: "detached" });
});

scenario("a request of the past can't be answered", async (stage) => {
  const script = boats().ask("sure", "rm -rf boats").allowed("sure").say("Done.", "done");
  const page = await shown(stage, script, { height: 2400 });
  assert.equal(await card(page, "sure").count(), 0);
  await press(page, "t");
  await seek(page, script.events.findIndex((event) => event.type === "permission.requested") + 1);
  await card(page, "sure").waitFor();
  assert.equal(await card(page, "sure").locator("[data-answer]").count(), 0);
  await card(page, "sure").getByText("nothing can be answered here").waitFor();
});

scenario("everything works by keyboard alone", async (stage) => {
  const script = boats();
  const page = await shown(stage, script);
  await press(page, "t");
  await page.locator(".scrubber").focus();
  const place = () => page.locator(".scrubber").evaluate((scrubber) => Number(scrubber.value));
  const length = script.events.length;
  await page.keyboard.press("ArrowLeft");
  assert.equal(await place(), length - 1);
  await page.keyboard.press("Home");
  assert.equal(await place(), 0);
  await page.keyboard.press("Shift+ArrowRight");
  assert.equal(script.events[(await place()) - 1].type, "user.message");
  await page.keyboard.press("Shift+ArrowRight");
  assert.equal(script.events[(await place()) - 1].type, "assistant.turn_start");
  await page.keyboard.press("Shift+ArrowLeft");
  assert.equal(script.events[(await place()) - 1].type, "user.message");
  await page.keyboard.press("End");
  assert.equal(await place(), length);
  await page.getByText("You see the past").waitFor({ state: "detached" });

  await press(page, "e");
  await page.getByRole("listbox", { name: "Events" }).focus();
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowUp");
  await page.locator(".record-detail").waitFor();
  assert.equal(await page.locator('.record[aria-selected="true"] code').innerText(), script.events.at(-2).type);
  await page.keyboard.press("Escape");
  await page.locator(".record-detail").waitFor({ state: "detached" });
});

scenario("playing goes through the log to now", async (stage) => {
  const page = await shown(stage, boats());
  await press(page, "t");
  await page.getByLabel("Speed").selectOption("max");
  await page.getByRole("button", { name: "Play" }).click();
  await page.getByRole("button", { name: "Play" }).waitFor();
  await page.getByText("You see the past").waitFor({ state: "detached" });
  assert.equal(await page.locator('[data-id="second"]').count(), 1);
});

for (const parts of [/split_event_log/, /split_details/]) {
  scenario(`the way to raw events comes to the entry under the pointer when ${parts} comes late`, async (stage) => {
    const part = late(parts);
    const page = await shown(stage, boats(), { whole: false, prepare: part.hold });
    await page.locator('[data-id="report"]').hover();
    part.come();
    const button = page.locator('[data-id="report"] > .actions').getByRole("button", { name: "Raw events" });
    await button.waitFor();
    // Playwright counts transparent elements as visible.
    await page.waitForFunction((button) => button.checkVisibility({ opacityProperty: true }), await button.elementHandle());
    await button.click();
    await page.locator(".inspector .record").first().waitFor();
  });
}

scenario("the way to raw events comes to the entry that scrolling has brought under the pointer", async (stage) => {
  const script = new Script("boats");
  for (let fathoms = 1; fathoms <= 200; fathoms += 1) script.say(`${fathoms} fathoms of water.`, `sounding-${fathoms}`);
  const page = await shown(stage, script);
  const scroller = page.locator("[data-scroller]");
  await scroller.hover();
  await scroller.evaluate((scroller) => (scroller.scrollTop = 0));
  await page.locator('[data-id="sounding-1"]').waitFor();
  const pointed = page.locator("article:hover");
  await pointed.locator("> .actions").getByRole("button", { name: "Raw events" }).waitFor();
});

scenario("a file from disk is shown in the place of the session, and the session is one click away", async (stage) => {
  const page = await shown(stage, new Script("live").user("Live words", "live"));
  // Once the button for raw events is there, files are accepted too.
  await page.locator('[data-id="live"]').hover();
  await page.getByRole("button", { name: "Raw events" }).waitFor();
  const lines = boats().events.map((event) => JSON.stringify(event));
  lines.splice(3, 0, "this is no JSON");
  await drop(page, "boats.jsonl", lines.join("\n"));
  await page.locator('[data-id="second"]').waitFor();
  assert.equal(await page.locator('[data-id="live"]').count(), 0);
  await page.getByText("Replaying boats.jsonl").waitFor();
  await page.getByText("1 record could not be read").waitFor();
  // The event log and "Back to now" refer to the file.
  await press(page, "t");
  await seek(page, 3);
  assert.deepEqual((await rows(page)).map((row) => row[1]), ["asked"]);
  await page.locator(".travel").getByRole("button", { name: "Back to now" }).click();
  await page.locator('[data-id="second"]').waitFor();

  await push(page, new Script("late").user("While you were away", "away").take());
  await page.getByRole("button", { name: "Back to the live session" }).click();
  await page.locator('[data-id="away"]').waitFor();
  assert.equal(await page.locator('[data-id="second"]').count(), 0);

  // A captured event stream is a recording as well, also from the file picker.
  const capture = boats().events.map((event) => `data: ${JSON.stringify(event)}\n`).join("\n");
  await press(page, "e");
  await page.locator('input[type="file"]').setInputFiles({ name: "capture.sse", mimeType: "text/plain", buffer: Buffer.from(`${capture}\n`) });
  await page.locator('[data-id="second"]').waitFor();
  await page.getByText("Replaying capture.sse").waitFor();
});

nightly("a hundred thousand events: any of them is reached within a blink", async (stage) => {
  const script = new Script("long");
  const page = await shown(stage, script.user("Go", "go"));
  await page.evaluate(async () => {
    const element = document.querySelector("pilot-house");
    for (let batch = 0; batch < 100; batch += 1) {
      const lines = [];
      for (let at = 0; at < 1000; at += 1) {
        const number = batch * 1000 + at;
        const id = `00000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
        const timestamp = new Date(Date.UTC(2026, 10, 21) + number * 10).toISOString();
        const messageId = `m-${Math.floor(number / 200)}`;
        const final = number % 200 === 199;
        const data = final ? { messageId, content: "word ".repeat(199), toolRequests: [] } : { messageId, deltaContent: "word " };
        lines.push(JSON.stringify({ type: final ? "assistant.message" : "assistant.message_delta", data, ephemeral: !final || undefined, id, timestamp }));
      }
      element.push(`${lines.join("\n")}\n`);
      await new Promise((done) => setTimeout(done));
    }
  });
  await press(page, "e");
  await page.locator(".record").first().waitFor();
  assert.ok((await page.locator(".record").count()) < 60, "only the rows on screen are in the document");
  await press(page, "t");
  await page.getByText("Event 100,002 of 100,002").waitFor();
  const times = await page.evaluate(async () => {
    const root = document.querySelector("pilot-house").shadowRoot;
    const scrubber = root.querySelector(".scrubber");
    const times = [];
    for (let at = 0; at < 60; at += 1) {
      const to = (at * 61_803) % 100_000;
      const begin = performance.now();
      scrubber.value = String(to);
      scrubber.dispatchEvent(new InputEvent("input", { bubbles: true }));
      root.querySelector("[data-scroller]").getBoundingClientRect();
      times.push(performance.now() - begin);
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    }
    return times.sort((one, other) => one - other);
  });
  assert.ok(times[30] < 150, `half of the ways took less than ${times[30]} ms`);
});

scenario("axe finds nothing to say about log, inspector and time travel, light and dark", async (stage) => {
  const page = await shown(stage, boats());
  const sound = (what) => inBothSchemes(page, async (scheme) => assert.deepEqual(await violations(page), [], `${what}, ${scheme}`));
  await press(page, "e");
  await page.locator(".record").first().click();
  await press(page, "t");
  await seek(page, 5);
  await sound("log and scrubber");
  await page.locator(".travel").getByRole("button", { name: "Back to now" }).click();
  await page.locator('[data-id="look"] summary').focus();
  await page.keyboard.press("i");
  await page.locator(".inspector .record-detail").waitFor();
  await sound("inspector");
});
