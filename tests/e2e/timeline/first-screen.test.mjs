// Tests the first screen: it comes with the page and can be read without the program, and the page takes its place in one frame,
// where the reader is. The program is held back as long as a test looks at it.

import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Script } from "../support/events.mjs";
import { held, played, rows, taken } from "../support/first-screen.mjs";
import { IN_FIREFOX, PATIENCE, frames, inPage, late, scenario } from "../support/harness.mjs";

const COMMAND = "rm -rf ./build && make\u200B all";

/** A session that is as high as several screens, with a request at its end. */
function long() {
  const script = new Script("long").user("Build the boats");
  for (let number = 0; number < 30; number += 1) {
    script.turn(String(number)).say(`## Part ${number}\n\nThe *hull* of boat ${number} is \`done\`, see [the yard](https://yard.example/${number}).\n\n- keel\n- ribs`);
  }
  return script.ask("ask", COMMAND);
}

const first = (page) => page.locator(".first-screen");

/** The answers that the page sends from now on, as a function. */
function heard(page) {
  const sent = [];
  page.on("websocket", (socket) => socket.on("framesent", ({ payload }) => sent.push(String(payload))));
  page.on("request", (request) => request.method() === "POST" && sent.push(request.postData()));
  return () => sent.filter((message) => message.includes("handlePending")).map((message) => JSON.parse(message));
}

for (const [width, height] of [[1400, 900], [380, 780]]) {
  scenario(`at ${width} pixels every row is where it was when the page takes over`, async (stage) => {
    const { address } = await played(stage, [long().events]);
    for (const scheme of ["light", "dark"]) {
      const { page, come } = await held(stage, address, { width, height, scheme });
      await page.getByText("Run this command?").waitFor();
      const before = await rows(page);
      await frames(page);
      const clip = { x: 0, y: 60, width: Math.min(width, 900), height: 200 };
      // For a picture in Firefox Playwright adds a style sheet, which the page's policy refuses.
      const picture = IN_FIREFOX || (await page.screenshot({ clip }));
      come();
      await taken(page);
      assert.deepEqual(await rows(page), before);
      if (!IN_FIREFOX) assert.deepEqual(await page.evaluate(() => window.shifts), []);
      await frames(page);
      if (!IN_FIREFOX) assert.ok(picture.equals(await page.screenshot({ clip })), "the rows look as they did");
      await page.context().close();
    }
  });
}

scenario("what is to be approved is whole, names what nobody sees, and can't be pressed before it is live", async (stage) => {
  const { address } = await played(stage, [long().events]);
  const { page, come } = await held(stage, address);
  const sent = [];
  page.on("websocket", (socket) => socket.on("framesent", ({ payload }) => sent.push(String(payload))));
  const card = page.locator("[data-request-id=ask]");
  await card.getByText("zero-width space").first().waitFor();
  assert.equal(await card.locator("button:enabled, textarea:enabled").count(), 0);
  const { x, y, width, height } = await card.getByText("Reject", { exact: true }).boundingBox();
  const press = () => page.mouse.click(x + width / 2, y + height / 2);
  await press();
  come();
  // Somebody presses on and on while the page takes over. What was not live for long enough takes nothing.
  const pressing = (async () => {
    while (await first(page).count()) await press();
    await press();
  })();
  await taken(page);
  await pressing;
  await frames(page);
  assert.deepEqual(sent.filter((message) => message.includes("handlePending")), []);
  const reject = card.locator("[data-answer=reject]");
  await page.waitForFunction(inPage(`document.querySelector("pilot-house").shadowRoot.querySelector("[data-answer=reject]").getAttribute("aria-disabled") === null`));
  await reject.click();
  await page.waitForFunction(inPage(`!document.querySelector("pilot-house").shadowRoot.querySelector("[data-request-id]")`));
  if (!IN_FIREFOX) assert.equal(sent.filter((message) => message.includes("handlePending")).length, 1);
});

scenario("before Markdown is there the page has the rows of the screen, and what is selected or found stays", async (stage) => {
  const { address } = await played(stage, [long().events]);
  const { hold, come } = late(/split_words/);
  const { page, come: start } = await held(stage, address, { prepare: hold });
  const calls = heard(page);
  await page.getByText("Run this command?").waitFor();
  const before = await rows(page);
  const clip = { x: 0, y: 60, width: 900, height: 300 };
  const picture = IN_FIREFOX || (await page.screenshot({ clip }));
  // What the browser's find leads to is selected.
  const found = () => page.evaluate(() => {
    const root = document.querySelector("pilot-house").shadowRoot;
    const { anchorNode, anchorOffset, focusOffset } = root.getSelection?.() ?? getSelection();
    return [anchorNode?.textContent.slice(anchorOffset, focusOffset), Math.round(anchorNode?.parentElement.getBoundingClientRect().top)];
  });
  if (!IN_FIREFOX) assert.ok(await page.evaluate(() => window.find("of boat 29")));
  const place = await found();
  start();
  await taken(page);
  const same = async () => {
    await frames(page);
    assert.deepEqual(await rows(page), before);
    if (IN_FIREFOX) return;
    assert.deepEqual(await page.evaluate(() => window.shifts), []);
    assert.ok(picture.equals(await page.screenshot({ clip })), "the rows look as they did");
    assert.deepEqual(await found(), place);
  };
  assert.equal(await page.locator(".plain").first().isVisible(), false);
  await same();
  // The card is the page's own.
  await page.waitForFunction(inPage(`document.querySelector("pilot-house").shadowRoot.querySelector("[data-answer=approve-once]:not([aria-disabled])")`));
  come();
  await page.locator("article [data-lent]").first().waitFor({ state: "detached" });
  await page.waitForFunction(inPage(`!document.querySelector("pilot-house").shadowRoot.querySelector("[data-lent]")`));
  await same();
  await page.locator("[data-answer=approve-once]").click();
  await page.waitForFunction(inPage(`!document.querySelector("pilot-house").shadowRoot.querySelector("[data-request-id]")`));
  if (!IN_FIREFOX) assert.equal(calls().length, 1);
}, { skip: process.env.DEV && "a dev build has no chunks" });

scenario("the reader's place, selection and focus stay", async (stage) => {
  const { address } = await played(stage, [long().events]);
  const { page, come } = await held(stage, address);
  await page.mouse.move(400, 400);
  await page.mouse.wheel(0, -700);
  await page.waitForFunction(inPage(`(() => { const list = document.querySelector("pilot-house").shadowRoot.querySelector(".first-list"); return list.scrollHeight - list.clientHeight - list.scrollTop > 500; })()`));
  await frames(page);
  const before = await rows(page);
  // In the middle of what is seen.
  const words = await page.evaluate(() => {
    const root = document.querySelector("pilot-house").shadowRoot;
    const seen = [...root.querySelectorAll(".first-list h4")].find((head) => head.getBoundingClientRect().top > 200);
    const text = seen.firstChild;
    const selection = root.getSelection?.() ?? getSelection();
    selection.setBaseAndExtent(text, 0, text, 4);
    root.querySelector(".first-list").focus();
    return seen.textContent;
  });
  come();
  await taken(page);
  await frames(page);
  assert.deepEqual(await rows(page), before);
  const after = await page.evaluate(() => {
    const root = document.querySelector("pilot-house").shadowRoot;
    const selection = root.getSelection?.() ?? getSelection();
    return [selection.toString(), selection.anchorNode?.parentElement?.textContent, root.activeElement?.hasAttribute("data-scroller")];
  });
  if (!IN_FIREFOX) assert.deepEqual(after.slice(0, 2), ["Part", words]);
  assert.equal(after[2], true);
  if (!IN_FIREFOX) assert.deepEqual(await page.evaluate(() => window.shifts.filter(([value]) => value > 0)), []);
});

scenario("an answer that is still being written is not a copy", async (stage) => {
  const script = new Script("written").user("Where are the boats?").turn("0").begin("open", "The **white** boat ", "lies at ");
  const { address } = await played(stage, [script.add("session.title_changed", { title: "Boats" }).events]);
  const { hold, come } = late(/split_words/);
  const { page, come: start } = await held(stage, address, { prepare: hold });
  await first(page).getByText("white").waitFor();
  start();
  await page.locator(".first-screen ~ .ph .plain").last().waitFor({ state: "attached" });
  for (let frame = 0; frame < 30; frame += 1) await frames(page);
  assert.equal(await first(page).count(), 1);
  come();
  await taken(page);
  assert.equal(await page.locator("strong").innerText(), "white");
}, { skip: process.env.DEV && "a dev build has no chunks" });

/** A runtime that knows no sessions and takes every call. */
const SILENT = `#!/usr/bin/env node
let input = "";
process.stdin.on("data", (bytes) => {
  input += bytes;
  for (let head; (head = input.match(/^Content-Length: (\\d+)\\r\\n\\r\\n/)) && input.length >= head[0].length + Number(head[1]); ) {
    const message = JSON.parse(input.slice(head[0].length, head[0].length + Number(head[1])));
    input = input.slice(head[0].length + Number(head[1]));
    const results = { "session.list": { sessions: [] }, "session.eventLog.read": { events: [], cursor: "0", hasMore: false } };
    const answer = JSON.stringify({ jsonrpc: "2.0", id: message.id, result: results[message.method] ?? {} });
    process.stdout.write("Content-Length: " + Buffer.byteLength(answer) + "\\r\\n\\r\\n" + answer);
  }
});
`;

scenario("the composer's place is kept until it is there, on a page of others that has the screen", async (stage) => {
  const folder = await mkdtemp(join(tmpdir(), "pilothouse-screen-"));
  stage.atEnd(() => rm(folder, { recursive: true }));
  const runtime = join(folder, "runtime.cjs");
  await writeFile(runtime, SILENT, { mode: 0o700 });
  await mkdir(join(folder, "sessions"));
  const said = long().events.slice(0, -1).map((event, at) => JSON.stringify({ seq: at + 1, event }));
  await writeFile(join(folder, "sessions", "kept.jsonl"), `${said.join("\n")}\n`);
  const address = await stage.serve([], { access: ["--copilot", "--runtime", runtime, "--data", folder], tokens: { COPILOT_HOME: folder } });
  const screen = await (await fetch(`${address}/api/sessions/kept/screen`)).text();
  const host = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Host</title><link rel="icon" href="data:,">
    <style>body { margin: 0 } pilot-house { display: block; height: 100vh }</style>
    <pilot-house session="kept" transport="sse"><template shadowrootmode="open">${screen}</template></pilot-house>
    <script type="module">import { load } from "/pkg/index.js"; await load();</script></html>`;
  const { hold, come } = late(/split_composer/);
  const prepare = async (page) => {
    await hold(page);
    await page.route("**/host", (route) => route.fulfill({ contentType: "text/html", body: host }));
  };
  const page = await stage.page(`${address}/host`, { prepare });
  await taken(page);
  const boxes = () => page.evaluate(() => ["[data-scroller]", ".composer", "article:last-of-type"].map((part) => {
    const { top, bottom } = document.querySelector("pilot-house").shadowRoot.querySelector(part).getBoundingClientRect();
    return [top, bottom].map(Math.round);
  }));
  await page.getByPlaceholder("Being loaded").waitFor();
  const before = await boxes();
  come();
  await page.locator("[data-compose]").waitFor();
  await page.getByPlaceholder("Being loaded").waitFor({ state: "detached" });
  await frames(page);
  assert.deepEqual(await boxes(), before);
}, { skip: process.env.DEV && "a dev build has no chunks" });

scenario("without a script the page is the session as it stood, and says so", async (stage) => {
  const { address, ids: [sessionId] } = await played(stage, [long().events]);
  const context = await (await stage.page("about:blank")).context().browser().newContext({ javaScriptEnabled: false });
  stage.atEnd(() => context.close());
  const page = await context.newPage();
  await page.goto(address);
  await page.getByText("JavaScript is off. This is the session as it stood").waitFor();
  await page.getByText("Run this command?").waitFor();
  assert.equal(await page.locator(".first-note").first().isVisible(), false);
  assert.equal(await page.locator(".boot").isVisible(), false);
  const last = page.locator("article").last();
  assert.ok((await last.boundingBox()).y < 800, "it begins at its end");
  const link = page.getByRole("link", { name: "the yard" }).last();
  assert.equal(await link.getAttribute("href"), "https://yard.example/29");
  // The same for pages of others.
  const fragment = await (await fetch(`${address}/api/sessions/${sessionId}/screen`)).text();
  assert.ok((await (await fetch(address)).text()).includes(fragment.slice(0, 1000)));
}, { skip: IN_FIREFOX && "Playwright can't turn its scripts off" });

scenario("a reader of another language gets it in that, from the right where it is read so", async (stage) => {
  const { address } = await played(stage, [long().events]);
  const context = await (await stage.page("about:blank")).context().browser().newContext({ locale: "ar", viewport: { width: 900, height: 800 } });
  stage.atEnd(() => context.close());
  const page = await context.newPage();
  const { hold, come } = late(/\.wasm/);
  await hold(page);
  await page.goto(address);
  await first(page).waitFor();
  assert.deepEqual(await first(page).evaluate((page) => [page.lang, page.dir]), ["ar", "rtl"]);
  const before = await rows(page);
  come();
  await taken(page);
  await frames(page);
  assert.deepEqual(await rows(page), before);
});

scenario("a program that does not come is told of above what can be read", async (stage) => {
  const { address } = await played(stage, [long().events]);
  const page = await stage.page(address, { prepare: (page) => page.route(/\.wasm/, (route) => route.abort()) });
  await page.locator(".first-note", { hasText: "The page could not start" }).waitFor({ timeout: PATIENCE });
  assert.ok(await page.getByText("Run this command?").isVisible());
}, { expected: [/Failed to load resource/, /Failed to fetch/, /NetworkError/, /\[exception\]/, /TypeError/] });
