// Tests that bad, unknown and hostile input is displayed and does nothing else to a page.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { IDLE, card, frames, push, scenario, snapshot, until } from "../support/harness.mjs";

scenario("an unknown event is a card of its own, and the next event works", async (stage) => {
  const script = new Script()
    .user("Go")
    .turn()
    .add("session.weather_changed", { wind: "NE 4", waves: { metres: 1.2 } })
    .say("Still here")
    .rest();
  const page = await stage.page(await stage.serve([script.events]));
  const generic = page.locator('[data-entry="generic"]');
  await generic.waitFor();
  assert.match(await generic.innerText(), /session\.weather_changed/);
  await generic.locator("summary").click();
  assert.match(await generic.locator(".tree").innerText(), /metres 1\.2/);
  await page.getByText("Still here").waitFor();
  assert.deepEqual((await snapshot(page)).events.unknown, { "session.weather_changed": 1 });
});

scenario("a malformed line is told of, and its neighbours survive", async (stage) => {
  const events = new Script().user("Go").turn().say("Before").say("After").rest().events;
  const lines = events.map((event) => JSON.stringify(event));
  const place = lines.findIndex((line) => line.includes('"After"'));
  lines.splice(place, 0, '{"type":"assistant.message","data":{"content":"torn', "\u0000\u0001 no JSON at all");
  for (const transport of ["ws", "sse"]) {
    const page = await stage.embed(await stage.serve([lines]), `transport="${transport}"`);
    await until(page, IDLE);
    const view = await snapshot(page);
    assert.equal(view.events.malformed, 2, transport);
    assert.ok(view.diagnostics.length > 0);
    const said = page.locator('[data-entry="assistant"]');
    assert.deepEqual((await said.allInnerTexts()).map((text) => text.trim()), ["Before", "After"]);
    await page.locator('[data-entry="notice"][data-level="error"], [data-entry="notice"][data-level="warning"]').first().waitFor();
  }
});

scenario("events out of order, twice, and with wrong types: each shows where it belongs", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`);
  const script = new Script().user("Go").turn();
  script.shell("tool-1", "ls").complete("tool-1", "boats");
  const events = script.rest().take();
  const completed = events.findIndex((event) => event.type === "tool.execution_complete");
  events.splice(completed - 1, 2, events[completed], events[completed - 1], events[completed]);
  await push(page, events);
  await push(page, new Script("odd").add("assistant.message", { messageId: 7, content: ["x"] }).add("user.message", null).events);
  await push(page, new Script("fine").say("All well").events);
  await page.getByText("All well").waitFor();
  await push(page, new Script("list").add("assistant.intent", ["no object"]).events);
  const unreadable = page.locator('[data-entry="generic"]');
  await unreadable.locator("summary").click();
  assert.match(await unreadable.innerText(), /^An event could not be read: `data` is an array.* assistant\.intent\n[^]*no object/);
  assert.match(await unreadable.getAttribute("aria-label"), /^An event could not be read: /);
  assert.equal(await unreadable.getByRole("button", { name: /Hide/ }).count(), 0, "its type is known");
  const view = await snapshot(page);
  assert.equal(view.events.duplicate, 1);
  assert.equal(view.timeline.filter((entry) => entry.id === "tool-1").length, 1);
  assert.equal(view.timeline.find((entry) => entry.id === "tool-1").state, "done");
});

const HOSTILE = `<img src=x onerror="window.owned=1"> <script>window.owned=2</script> <svg onload="window.owned=3"></svg>
[click](javascript:window.owned=4) [tab](data:text/html,<script>window.owned=5</script>) <a href="javascript:window.owned=6">a</a>
![remote](https://example.com/pixel.png) ![local](file:///etc/hostname) <iframe src="https://example.com"></iframe>
<style>* { display: none }</style> <base href="https://example.com/"> \u001b]8;;javascript:window.owned=7\u0007link\u001b]8;;\u0007`;

scenario("hostile text executes nothing and loads nothing, wherever it stands", async (stage) => {
  const script = new Script()
    .user(HOSTILE)
    .turn()
    .begin("streamed", ...HOSTILE.match(/[^]{1,7}/g))
    .say(HOSTILE, "streamed")
    .add("assistant.reasoning", { reasoningId: "thought", content: HOSTILE })
    .shell("shell", HOSTILE)
    .output("shell", HOSTILE)
    .complete("shell", `${HOSTILE}\n\u001b[31mred\u001b[0m \u001b]0;title\u0007\u001b[2J\u001b[999;999H end`)
    .add("tool.execution_start", { toolCallId: "other", toolName: HOSTILE, arguments: { [HOSTILE]: HOSTILE } })
    .add("tool.execution_complete", { toolCallId: "other", success: false, error: { message: HOSTILE, code: HOSTILE } })
    .add("session.error", { errorType: "query", message: HOSTILE, url: "javascript:window.owned=8" })
    .add("session.title_changed", { title: HOSTILE }, { ephemeral: true })
    .add("who.knows", { [HOSTILE]: HOSTILE })
    .ask("ask", HOSTILE, { intention: HOSTILE, possibleUrls: [{ url: "javascript:window.owned=9" }] })
    .add("permission.requested", {
      requestId: "url",
      permissionRequest: { kind: "url", toolCallId: "u", url: "javascript:window.owned=10", intention: HOSTILE },
    })
    .add("elicitation.requested", { requestId: "form", message: HOSTILE, mode: "url", url: "javascript:window.owned=11" });
  const page = await stage.embed(await stage.files(), `transport="none"`, { height: 4000 });
  assert.equal(await push(page, script.events), script.events.length);
  await card(page, "ask").waitFor();
  const found = await page.evaluate(async () => {
    const root = document.querySelector("pilot-house").shadowRoot;
    for (const summary of root.querySelectorAll("summary")) summary.click();
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
    const links = [...root.querySelectorAll("a[href]")];
    for (const link of links) {
      link.target = "";
      if (!/^https?:/.test(link.href)) link.click();
    }
    const attributes = [...root.querySelectorAll("*")].flatMap((element) => [...element.attributes]);
    return {
      elements: [...root.querySelectorAll("img, script, iframe, object, embed, base, link, form[action], svg [href]")].map((e) => e.outerHTML),
      styles: root.querySelectorAll("style").length,
      schemes: links.map((link) => new URL(link.href).protocol).filter((scheme) => !/^(https?|mailto):$/.test(scheme)),
      handlers: attributes.filter((attribute) => /^on/.test(attribute.name)).map((attribute) => attribute.name),
      owned: window.owned,
      text: root.querySelector('[data-entry="assistant"]').innerText,
    };
  });
  const { text, ...rest } = found;
  assert.deepEqual(rest, { elements: [], styles: 0, schemes: [], handlers: [], owned: undefined });
  assert.ok(text.includes("onerror"), "what was written is shown, not swallowed");
  await frames(page);
  assert.equal(await page.evaluate(() => window.owned), undefined);
});

scenario("characters that would not be seen in a command are shown as tokens", async (stage) => {
  const command = "rm -rf build\u202Etxt.daer\u202C; echo a\u200Bb \u001b[8mhidden\u001b[0m\u2066x\u2069\u0007";
  const page = await stage.embed(await stage.files(), `transport="none"`);
  await push(page, new Script().user("Go").turn().ask("ask", command).events);
  await card(page, "ask").waitFor();
  const shown = await card(page, "ask").locator(".request-body").innerText();
  assert.ok(!/[\u202A-\u202E\u2066-\u2069\u200B\u001B\u0007]/.test(shown), "none of them is there as itself");
  for (const visible of ["rm -rf build", "txt.daer", "hidden"]) assert.ok(shown.includes(visible), visible);
  assert.match(shown, /hidden or padding sequences/, "and it is said that they are there");
  assert.match(shown, /202E|RLO|RIGHT-TO-LEFT OVERRIDE/i);
});

scenario("nothing goes out: a session full of remote addresses asks the gateway only", async (stage) => {
  const text = "![a](https://example.com/a.png) [![b](http://example.org/b.svg)](https://example.net) <img src='https://example.com/c.png'> https://example.com/d";
  const script = new Script().user(text).turn().say(text).shell("s", "true").complete("s", text).rest();
  const page = await stage.page(await stage.serve([script.events]));
  await until(page, IDLE);
  await page.locator('[data-entry="assistant"]').waitFor();
  await frames(page);
  assert.ok(stage.requests.length >= 3);
  assert.deepEqual(stage.foreign(), []);
});

scenario("parts of the program that do not come at first: words are plain, cards say so, and both come in the end", async (stage) => {
  const address = await stage.serve();
  let open = false;
  const prepare = (page) => page.route(/(split|chunk)_[^/]*\.wasm$/, (route) => (open ? route.continue() : route.abort()));
  const page = await stage.embed(address, `transport="none"`, { prepare, whole: false });
  await push(page, new Script().user("Go").turn().begin("words", "Some **bold", "** words").ask("ask", "touch boat").events);
  const words = page.locator('[data-entry="assistant"]');
  await words.getByText("Some **bold** words").waitFor();
  await page.getByText("This part of the page could not be loaded. Trying again.").waitFor();
  assert.equal(await card(page).count(), 0);

  open = true;
  await words.locator("strong").waitFor();
  assert.equal((await words.innerText()).trim(), "Some bold words");
  await card(page, "ask").locator('[data-answer="reject"]').waitFor();
}, { expected: [/Failed to load resource/, /Failed to fetch/] });

scenario("what a tool made for a terminal is shown in its colours, and never as control sequences", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`);
  const coloured = "src/boat.rs:3: \u001b[33mwarning\u001b[0m: unused `x`\n";
  const script = new Script().user("Go").turn();
  const begins = (toolCallId) => script.add("tool.execution_start", { toolCallId, toolName: "check", arguments: { all: true } });
  begins("done").complete("done", coloured.repeat(2));
  begins("fails").add("tool.execution_complete", { toolCallId: "fails", success: false, error: { message: coloured } });
  begins("runs").output("runs", coloured);
  await push(page, script.events);
  for (const id of ["done", "fails", "runs"]) {
    const row = page.locator(`[data-id="${id}"]`);
    await row.waitFor();
    if (!(await row.locator("details").evaluate((card) => card.open))) await row.locator("summary").first().click();
    const body = row.locator(".body", { hasText: "unused `x`" });
    await body.waitFor();
    assert.match(await body.textContent(), /src\/boat\.rs:3: warning: unused `x`/, id);
    assert.ok(!/[\u001b]|\[33m/.test(await body.textContent()), id);
  }
  const words = page.locator('[data-id="done"] .terminal .t-fg-3');
  assert.deepEqual(await words.allTextContents(), ["warning", "warning"]);
});
