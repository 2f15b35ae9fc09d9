// Tests that large amounts of data are processed in slices and nothing is lost. Counts
// nodes, not milliseconds.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { frames, nightly, push, scenario } from "../support/harness.mjs";

const KB = 1024;
const MB = 1024 * KB;

const empty = async (stage) => stage.embed(await stage.files(), `transport="none"`);

/**
 * Pushes events. Returns how many characters of a row are in the document in its first frame. The clock jumps
 * with every reading, so slices are as small as possible.
 */
function pushOnce(page, events, id) {
  return page.evaluate(
    async ([events, id]) => {
      const element = document.querySelector("pilot-house");
      let time = performance.now();
      performance.now = () => (time += 5);
      element.push(`${events.map((event) => JSON.stringify(event)).join("\n")}\n`);
      for (;;) {
        await new Promise((frame) => requestAnimationFrame(frame));
        const shown = element.shadowRoot.querySelector(`[data-id="${id}"]`)?.textContent.length;
        if (shown) return shown;
      }
    },
    [events, id],
  );
}

/**
 * Counts of a row: characters without white space, elements, text nodes, parts, and the
 * longest text laid out as one.
 */
function made(page, id) {
  return page.evaluate((id) => {
    const row = document.querySelector("pilot-house").shadowRoot.querySelector(`[data-id="${id}"]`);
    const count = { characters: 0, elements: row.querySelectorAll("*").length, texts: 0, longest: 0, parts: row.querySelectorAll(".part").length };
    for (const block of row.querySelectorAll("p, li, td, code, pre.box, .run, h4")) {
      const own = [...block.childNodes].filter((node) => !node.matches?.(".run")).map((node) => node.textContent).join("");
      count.longest = Math.max(count.longest, own.length);
    }
    const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      count.texts += 1;
      count.characters += walker.currentNode.data.replaceAll(/\s/g, "").length;
    }
    return count;
  }, id);
}

/** The same for the whole row, as printed. Otherwise only what is near the reader is in the document. */
async function printed(page, id) {
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.waitForFunction(() => !document.querySelector("pilot-house").shadowRoot.querySelector("[data-away]"));
  const row = await made(page, id);
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  return row;
}

/** Waits until a row ends with these words. */
const ends = (page, id, words) =>
  page.waitForFunction(
    ([id, words]) => document.querySelector("pilot-house").shadowRoot.querySelector(`[data-id="${id}"] .prose`)?.textContent.trimEnd().endsWith(words),
    [id, words],
  );

/** DOM changes and layouts caused by a batch of events. */
async function touched(page, events) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const layouts = async () => (await session.send("Performance.getMetrics")).metrics.find(({ name }) => name === "LayoutCount").value;
  const before = await layouts();
  const records = await page.evaluate(async (events) => {
    const element = document.querySelector("pilot-house");
    const column = element.shadowRoot.querySelector('[role="feed"]');
    const seen = [];
    const observer = new MutationObserver((records) => seen.push(...records));
    observer.observe(column, { subtree: true, childList: true, characterData: true });
    for (const event of events) {
      element.push(`${JSON.stringify(event)}\n`);
      await new Promise((shown) => requestAnimationFrame(() => setTimeout(shown)));
    }
    observer.disconnect();
    const changed = new Set(seen.filter(({ type }) => type === "characterData").map(({ target }) => target));
    return { lists: seen.filter(({ type }) => type === "childList").length, changed: changed.size };
  }, events);
  return { ...records, layouts: (await layouts()) - before };
}

const squeezed = (text) => text.replaceAll(/\s/g, "").length;

scenario("a paragraph that never ends grows in parts, and a delta touches the last one", async (stage) => {
  const page = await empty(stage);
  const words = "The boat lies at the pier, as it did before. ";
  const script = new Script().user("Go").turn().begin("m");
  for (let sent = 0; sent < 300 * KB; sent += 6_000) await push(page, script.more("m", words.repeat(133)).take());
  const row = await made(page, "m");
  assert.ok(row.longest <= 24 * KB, `${row.longest} characters are laid out as one`);
  assert.ok(row.parts >= 10 && row.elements <= 100, `${row.parts} parts, ${row.elements} elements`);
  const more = Array.from({ length: 20 }, () => script.more("m", "More. ").take()[0]);
  const { lists, changed, layouts } = await touched(page, more);
  assert.ok(lists <= 2 && changed <= 2, `${lists} lists and ${changed} texts were changed`);
  assert.ok(layouts <= 40, `${layouts} layouts in 20 frames`);
  assert.equal((await printed(page, "m")).characters, squeezed(words.repeat(133)) * Math.ceil((300 * KB) / 6_000) + squeezed("More.") * 20);
});

for (const [what, text, end] of [
  ["paragraphs", `${"Words of **some** weight. ".repeat(20).concat("\n\n").repeat(1_000)}The end.`, "The end."],
  ["a table", `| a | b |\n|---|---|\n${"| one | two |\n".repeat(20_000)}| the | end |\n`, "end"],
  ["code", `\`\`\`\n${"let boat = pier;\n".repeat(30_000)}end;\n\`\`\``, "end;"],
]) {
  (what === "paragraphs" ? scenario : nightly)(`a message of ${what} that comes at once is shown bit by bit, and then whole`, async (stage) => {
    const page = await empty(stage);
    const script = new Script().user("Go").turn().say(text, "m");
    const first = await pushOnce(page, script.take(), "m");
    assert.ok(first < text.length / 2, `${first} of ${text.length} characters were shown with the first frame`);
    await ends(page, "m", end);
    const row = await printed(page, "m");
    assert.ok(row.longest <= 40 * KB, `${row.longest} characters are laid out as one`);
    if (what === "code") assert.equal(await page.locator('[data-id="m"] pre').count(), 1, "it is one block");
    if (what === "paragraphs") assert.equal(row.characters, squeezed(text.replaceAll("*", "")));
  });
}

for (const streams of [false, true]) {
  (streams ? nightly : scenario)(`of a line of a megabyte in code the beginning is in the document, and the rest on request, ${streams ? "while it streams" : "at once"}`, async (stage) => {
    const page = await empty(stage);
    await page.evaluate(() => (navigator.clipboard.writeText = async (text) => void (window.written = text)));
    const line = `{"boat": "⛵", "pier": [${"1, ".repeat(MB / 3)}]}`;
    const code = `first\n${line}\n${line}\nlast\n`;
    const text = `Before\n\n- in a list\n\n  \`\`\`json\n  ${code.trimEnd().replaceAll("\n", "\n  ")}\n  \`\`\`\n\n\`\`\`json\n${code}\`\`\`\n\nThe end.`;
    const script = new Script().user("Go").turn().begin("m");
    if (streams) for (let at = 0; at < text.length; at += 300_007) await push(page, script.more("m", text.slice(at, at + 300_007)).take());
    await push(page, script.say(text, "m").take());
    await ends(page, "m", "The end.");
    const row = await made(page, "m");
    assert.ok(row.characters < 20 * KB, `${row.characters} characters`);
    const block = page.locator('[data-id="m"] pre').last();
    const more = block.locator("code button");
    assert.equal(await more.count(), 2);
    assert.match((await block.locator("code").innerText()).trimEnd(), /^first\n[^]*last$/);
    await block.locator("button.copy").click();
    assert.ok(await page.evaluate((code) => window.written === code.trimEnd() || window.written === code, code), "all of it is copied");
    for (let left = MB - 2_000; left > 0; left -= 256_000) await more.first().click();
    await page.waitForFunction(() => [...document.querySelector("pilot-house").shadowRoot.querySelectorAll('[data-id="m"] pre')].at(-1).querySelectorAll("code button").length === 1);
    const shown = await block.locator("code").evaluate((code) => [...code.childNodes].filter((node) => node.localName !== "button").map((node) => node.textContent).join(""));
    assert.ok(shown.startsWith(`first\n${line}\n`), "the whole line is shown");
  });
}

scenario("what streamed stays when the whole message comes, and another message takes its place", async (stage) => {
  const page = await empty(stage);
  const text = "## Head\n\nSome *words* in a row.\n\n".repeat(4_000);
  const script = new Script().user("Go").turn().begin("m", text);
  await push(page, script.take());
  await ends(page, "m", "row.");
  await page.evaluate(() => {
    window.kept = document.querySelector("pilot-house").shadowRoot.querySelector('[data-id="m"] .part');
  });
  await push(page, script.say(`${text}The end.`, "m").take());
  await ends(page, "m", "The end.");
  assert.ok(await page.evaluate(() => window.kept.isConnected), "the parts are the same elements");
  await push(page, script.say("Something else.", "m").take());
  await ends(page, "m", "Something else.");
  assert.equal((await made(page, "m")).characters, squeezed("Something else."));
});

scenario("a tool's result of megabytes is shown in slices, on demand", async (stage) => {
  const page = await empty(stage);
  const result = `${"A line of the result, as it came.\n".repeat(5 * MB / 34)}`;
  const script = new Script().user("Go").turn();
  script.add("tool.execution_start", { toolCallId: "t", toolName: "mystery", arguments: { of: "boats" } }).complete("t", result);
  await push(page, script.take());
  const row = page.locator('[data-id="t"]');
  await row.waitFor();
  assert.ok((await made(page, "t")).characters < 1_000, "nothing of it is there while it is folded");
  await row.locator("summary").first().click();
  const more = row.getByRole("button", { name: /^Show 256 KB more of [\d.]+ MB$/ });
  await more.waitFor();
  const before = await made(page, "t");
  assert.ok(before.characters <= 70 * KB && before.longest <= 20 * KB, JSON.stringify(before));
  const joined = () => row.locator("pre.box").last().evaluate((box) => [...box.querySelectorAll(".run")].every((run) => run.querySelector(".run") || /\n$/.test(run.textContent)));
  assert.ok(await joined(), "no line is cut");
  await more.click();
  await frames(page);
  assert.ok(await joined(), "nor is one in the next slice");
  const after = await made(page, "t");
  assert.ok(after.characters > before.characters + 100 * KB && after.characters <= 340 * KB, JSON.stringify(after));
  assert.ok(after.longest <= 20 * KB && after.elements <= 100, JSON.stringify(after));
});

scenario("a command's output of megabytes shows its end, and earlier lines on demand", async (stage) => {
  const page = await empty(stage);
  const lines = Array.from({ length: 100_000 }, (_, line) => `line ${line} of what the command printed`);
  const script = new Script().user("Go").turn().shell("t", "cat boats").complete("t", lines.join("\n"));
  await push(page, script.take());
  const row = page.locator('[data-id="t"]');
  await row.locator("summary").first().click();
  const screen = row.locator("pre.terminal");
  await screen.waitFor();
  const shown = () => screen.evaluate((screen) => screen.textContent.split("\n").filter(Boolean));
  const end = await shown();
  assert.ok(end.length <= 320 && end.at(-1) === lines.at(-1), `${end.length} lines`);
  let known = end;
  for (let press = 0; press < 3; press += 1) {
    await row.locator("button.t-earlier").click();
    await frames(page);
    const now = await shown();
    assert.ok(now.length > known.length && now.length <= known.length + 4_200, `${now.length} lines after ${known.length}`);
    assert.deepEqual(now, lines.slice(-now.length), "they are the last lines, in their order");
    known = now;
  }
});

nightly("fifty thousand notices keep few elements", async (stage) => {
  const page = await empty(stage);
  const script = new Script().user("Go").turn();
  const notice = (number) => script.add("session.info", { infoType: "notification", message: `Notice ${number}` });
  for (let sent = 0; sent < 50_000; sent += 5_000) {
    for (let number = sent; number < sent + 5_000; number += 1) notice(number);
    await push(page, script.take());
  }
  await page.getByText("Notice 49999").first().waitFor();
  const elements = () => page.evaluate(() => document.querySelector("pilot-house").shadowRoot.querySelectorAll("*").length);
  assert.ok((await elements()) <= 700, `${await elements()} elements`);
});

scenario("a folded agent's lane holds no elements for what streams in it", async (stage) => {
  const page = await empty(stage);
  const script = new Script().user("Go").turn();
  const agents = Array.from({ length: 64 }, (_, number) => number);
  for (const number of agents) {
    const toolCallId = `task-${number}`;
    script.add("tool.execution_start", { toolCallId, toolName: "task", arguments: { prompt: "Look", description: "Look" } });
    const started = { toolCallId, agentName: "explore", agentDisplayName: `Agent ${number}`, agentDescription: "Looks" };
    script.add("subagent.started", started, { agentId: `agent-${number}` });
  }
  await push(page, script.take());
  const elements = () => page.evaluate(() => document.querySelector("pilot-house").shadowRoot.querySelectorAll("*").length);
  await page.evaluate(() => {
    const root = document.querySelector("pilot-house").shadowRoot;
    for (const toggle of root.querySelectorAll('[data-entry="subagent"] [aria-expanded="true"]')) toggle.click();
  });
  await frames(page);
  for (let round = 0; round < 20; round += 1) {
    for (const number of agents) {
      const data = { messageId: `said-${number}`, deltaContent: "Some words of an agent.\n\n" };
      script.add("assistant.message_delta", data, { ephemeral: true, agentId: `agent-${number}` });
    }
    await push(page, script.take());
    assert.ok((await elements()) <= 1_500, `round ${round}: ${await elements()} elements`);
  }
});
