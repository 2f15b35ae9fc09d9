// Tests that no text of a session does more than be read: every hostile text in every place that a text can have, under a
// strict policy, in the page and in the documents that are exported.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

import { Script } from "../support/events.mjs";
import { every } from "../support/every-type.mjs";
import { NIGHTLY, card, frames, goTo, host, nightly, push, scenario } from "../support/harness.mjs";
import { hostile, poisoned } from "../support/hostile.mjs";
import { POLICY, hosted } from "../support/strict-page.mjs";

/** Permissions of every kind. */
const PERMISSIONS = [
  { kind: "shell", fullCommandText: "ls", intention: "look", warning: "careful", commands: [{ identifier: "ls", readOnly: false }], possiblePaths: ["/a"], possibleUrls: [{ url: "https://a.example" }], canOfferSessionApproval: true },
  { kind: "write", fileName: "a.txt", intention: "write", diff: "a diff", newFileContents: "text" },
  { kind: "read", path: "a.txt", intention: "read" },
  { kind: "path", paths: ["/a"], accessKind: "write" },
  { kind: "url", url: "https://a.example", intention: "fetch", redirectedFrom: "https://b.example" },
  { kind: "mcp", serverName: "buoys", toolName: "position", toolTitle: "Position", args: { place: "pier" }, readOnly: false },
  { kind: "memory", action: "store", subject: "boats", fact: "They float", citations: "a.txt", reason: "seen" },
  { kind: "custom-tool", toolName: "wind", toolDescription: "The wind", args: { place: "pier" } },
  { kind: "hook", toolName: "bash", toolArgs: { command: "ls" }, hookMessage: "look first" },
  { kind: "extension-management", operation: "enable", extensionName: "lighthouse" },
  { kind: "extension-permission-access", extensionName: "lighthouse", capabilities: ["files"] },
  { kind: "of-tomorrow", anything: "at all" },
];

/** Tools whose cards have a look of their own. */
const TOOLS = [
  ["bash", { command: "ls", description: "look" }],
  ["edit", { path: "a.txt", old_str: "old", new_str: "new" }],
  ["create", { path: "a.txt", file_text: "text" }],
  ["view", { path: "a.txt" }],
  ["grep", { pattern: "a", path: "." }],
  ["glob", { pattern: "*" }],
  ["web_fetch", { url: "https://a.example" }],
  ["task", { description: "look", prompt: "look", agent_type: "explore" }],
  ["report_intent", { intent: "Looking" }],
  ["update_todo", { todos: "- [ ] look" }],
  ["sql", { query: "select 1", description: "todos" }],
  ["store_memory", { subject: "boats", fact: "They float" }],
  ["apply_patch", { patch: "*** Begin Patch" }],
];

/** A session with one event of each type, each tool as it runs, succeeds and fails, and an open request of each kind. */
function session() {
  const script = new Script("tools").user("Go").turn();
  for (const [name, data] of TOOLS) {
    for (const state of ["running", "done", "failed"]) {
      const toolCallId = `${name}-${state}`;
      script.add("tool.execution_start", { toolCallId, toolName: name, arguments: data });
      script.output(toolCallId, "printed");
      if (state === "done") script.add("tool.execution_complete", { toolCallId, success: true, result: { content: "said", detailedContent: "a diff", contents: [{ type: "terminal", text: "printed", cwd: "/a" }] } });
      if (state === "failed") script.add("tool.execution_complete", { toolCallId, success: false, error: { message: "failed", code: "odd" } });
    }
  }
  // What names a tool is not replaced there: with another name it has another card.
  const named = new Set(TOOLS.map(([name]) => name));
  const asked = new Script("asked");
  for (const permissionRequest of PERMISSIONS) asked.add("permission.requested", { requestId: `open-${permissionRequest.kind}`, permissionRequest });
  const requests = every.filter(({ type }) => /(requested|required)$/.test(type) && !/^(permission|tool|mcp\.headers)/.test(type));
  const open = requests.map(({ event }) => ({ ...event, id: `${event.id}-open`, data: { ...event.data, requestId: `open-${event.type}` } }));
  return { first: every.map(({ event }) => event), last: [...script.events, ...asked.events, ...open], named };
}

/** The session with these texts in turn in all places, and how many places they are. */
function filled(texts) {
  const { first, last, named } = session();
  const events = poisoned([...first, ...last], texts);
  const kept = [...first, ...last];
  events.forEach(({ data }, at) => {
    if (named.has(kept[at].data?.toolName)) data.toolName = kept[at].data.toolName;
  });
  const count = (value) => (texts.includes(value) ? 1 : value && typeof value === "object" ? Object.values(value).reduce((sum, inside) => sum + count(inside), 0) : 0);
  return { events, places: events.reduce((sum, { data }) => sum + count(data), 0) };
}

/** In the page: puts a new element in place of the old one, and waits until it can take events. */
async function renew() {
  const old = document.querySelector("pilot-house");
  const fresh = document.createElement("pilot-house");
  fresh.setAttribute("transport", "none");
  old.replaceWith(fresh);
  while (typeof fresh.push !== "function") await new Promise(requestAnimationFrame);
}

/** In the page: opens what can be opened, here or from the top to the end, and lists what should not be there. */
async function audit(whole) {
  const { shadowRoot: root } = document.querySelector("pilot-house");
  const scroller = root.querySelector("[data-scroller]");
  const found = new Set();
  const cards = new Set();
  const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
  const say = (what, element) => found.add(`${what}: ${element.outerHTML.slice(0, 200)}`);

  function look() {
    const all = [...root.querySelectorAll("*")];
    for (const element of all) {
      if (element.matches("script, style, iframe, object, embed, base, meta, link, form[action], audio, video, use, image, foreignObject, animate, set, pilot-house")) say("active", element);
      if (element.matches("img") && !/^(data|blob):/.test(element.src)) say("image", element);
      for (const { name, value } of element.attributes) {
        if (/^on|^(srcdoc|srcset|formaction|ping|background|action)$/.test(name)) say("attribute", element);
        if (name === "style" && /url\(|fixed|sticky/.test(value)) say("style", element);
        // A formula places its own parts, and cuts off what is outside of itself.
        if (name === "style" && /absolute/.test(value) && !element.closest(".math")) say("style", element);
        if (/^(xlink:)?href$/.test(name) && !/^(https?|mailto):/.test(element.href)) say("address", element);
      }
      const genuine = element.closest('[data-request-id^="open-"]');
      if (genuine) cards.add(genuine.dataset.requestId);
      if (element.id === "forged") say("an id", element);
      if (element.matches('.request-card, [part~="request"], [role="alertdialog"], [data-request-id], [data-answer]') && !genuine) say("card", element);
    }
    const ids = all.map(({ id }) => id).filter(Boolean);
    if (new Set(ids).size < ids.length) found.add(`an id twice: ${ids.find((id, at) => ids.indexOf(id) < at).slice(0, 80)}`);
    if (scroller.scrollWidth > scroller.clientWidth + 16) found.add(`wider than the page: ${scroller.scrollWidth} px instead of ${scroller.clientWidth}`);
    const column = scroller.querySelector(".column").getBoundingClientRect();
    for (const row of root.querySelectorAll("article[data-row]")) {
      const box = row.getBoundingClientRect();
      if (box.left < column.left - 1 || box.right > column.right + 1) say("out of the column", row);
    }
  }

  scroller.scrollTop = 0;
  for (;;) {
    for (let round = 0; round < 2; round += 1) {
      await frame();
      for (const fold of root.querySelectorAll("details:not([open]) > summary")) fold.click();
    }
    await frame();
    look();
    const top = scroller.scrollTop;
    scroller.scrollTop = top + scroller.clientHeight * 0.9;
    if (!whole || scroller.scrollTop <= top) break;
  }
  if (document.body.children.length !== 2 || document.querySelectorAll("head > *").length !== 4) found.add("the host's page has other elements");
  if ({}.polluted !== undefined) found.add("Object.prototype is polluted");
  if (window.owned !== undefined) found.add(`ran: ${window.owned}`);
  return { found: [...found], cards: [...cards].sort() };
}

const KINDS = [...new Set(hostile.map(({ kind }) => kind))];
/** Kinds whose texts share the places of one session. */
const GROUPS = [0, 1, 2].map((group) => KINDS.filter((_, at) => at % 3 === group));

/** What is put into the session, one after the other: all texts of these kinds in turn; at night also each alone, in every place. */
function fillings(kinds) {
  const of = hostile.filter(({ kind }) => kinds.includes(kind));
  const alone = of.map(({ name, text }) => ({ name, texts: [text] }));
  return [{ name: "in turn", texts: of.map(({ text }) => text) }, ...(NIGHTLY ? alone : [])];
}

for (const kinds of GROUPS) {
  scenario(`${kinds.join(", ")} in every place: nothing runs, nothing is asked for, everything stays in its place, and no card comes of it`, async (stage) => {
    const { page, console } = await hosted(stage, await stage.files(), [`content-security-policy: ${POLICY}`], 'transport="none"', { width: 1400, height: 9000 });
    await page.waitForFunction(() => window.ready);
    await page.evaluate(() => {
      window.violations = [];
      document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) => window.violations.push(`${violatedDirective} ${blockedURI} ${sample}`));
    });
    const dialogs = [];
    page.on("dialog", (dialog) => (dialogs.push(dialog.message()), dialog.dismiss()));
    const before = page.url();
    const { last } = session();
    const asked = last.filter(({ data }) => data.requestId).map(({ data }) => data.requestId).sort();
    const wrong = [];
    for (const { name, texts } of fillings(kinds)) {
      await page.evaluate(renew);
      const { events, places } = filled(texts);
      assert.ok(places > 400, `${places} places`);
      await push(page, events);
      await card(page).first().waitFor();
      for (const [view, key] of [["timeline"], ["panel", "p"], ["log", "e"], ["lens", "m"]]) {
        if (key) {
          await page.evaluate((key) => {
            const { shadowRoot } = document.querySelector("pilot-house");
            shadowRoot.querySelector("[data-scroller]").dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, composed: true, cancelable: true }));
          }, key);
        }
        const { found, cards } = await page.evaluate(audit, !key);
        wrong.push(...found.map((fault) => `${name}, ${view}: ${fault}`));
        if (!key) assert.deepEqual(cards, asked, `${name}: the cards are those of the requests`);
      }
    }
    assert.deepEqual(wrong, []);
    assert.deepEqual(await page.evaluate(() => window.violations), []);
    assert.deepEqual(dialogs, []);
    assert.equal(page.url(), before);
    assert.deepEqual(stage.foreign(), []);
    assert.deepEqual(console, []);
  });
}

/** A session with every text before and after a request, as a message, as what a tool printed and as a picture of a card. */
function surrounded(picture) {
  const script = new Script("around").user("Look").turn();
  const around = (side) => {
    for (const [number, { text }] of hostile.filter(({ name }) => name !== "a diagram").entries()) {
      script.say(text).shell(`${side}-${number}`, text).complete(`${side}-${number}`, text).add("session.warning", { warningType: "notification", message: text });
    }
    script.add("tool.execution_start", { toolCallId: `${side}-picture`, toolName: "view", arguments: { path: "card.png" } });
    script.add("tool.execution_complete", { toolCallId: `${side}-picture`, success: true, result: { content: "a picture", binaryResultsForLlm: [{ type: "image", mimeType: "image/png", data: picture }] } });
  };
  around("before");
  script.say(hostile.find(({ name }) => name.includes("stacked")).text);
  script.ask("real", "ls -la boats");
  script.say(hostile.find(({ name }) => name.includes("stacked")).text);
  around("after");
  return script.events;
}

/** In the page: a picture in this colour, wider than the column, as base64. */
async function painted(colour) {
  const canvas = new OffscreenCanvas(1600, 200);
  const paint = canvas.getContext("2d");
  paint.fillStyle = colour;
  paint.fillRect(0, 0, 1600, 200);
  const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
  return btoa(String.fromCharCode(...bytes));
}

/** In the page: the rows of a picture, from its top, that have this colour at `x`. */
async function coloured({ picture, x, colour }) {
  const bytes = Uint8Array.from(atob(picture), (letter) => letter.charCodeAt(0));
  const shown = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const paint = new OffscreenCanvas(shown.width, shown.height).getContext("2d", { willReadFrequently: true });
  const pixel = (x, y) => paint.getImageData(x, y, 1, 1).data;
  paint.fillStyle = colour;
  paint.fillRect(0, 0, 1, 1);
  const wanted = pixel(0, 0);
  paint.drawImage(shown, 0, 0);
  const rows = Array.from({ length: shown.height }, (_, y) => y);
  return rows.filter((y) => pixel(x, y).every((part, at) => Math.abs(part - wanted[at]) < 8));
}

for (const width of [380, 800]) {
  (width === 380 ? scenario : nightly)(`a card is painted over by nothing, and nothing else has its edge, at ${width} px`, async (stage) => {
    const page = await host(stage, { width, height: 4000 });
    const first = new Script("first");
    await push(page, first.ask("first", "ls").take());
    await card(page, "first").waitFor();
    const x = Math.round((await card(page, "first").boundingBox()).x) + 1;
    const colour = await card(page, "first").evaluate((card) => getComputedStyle(card).borderInlineStartColor);
    await push(page, [...first.allowed("first").take(), ...surrounded(await page.evaluate(painted, colour))]);
    const real = card(page, "real");
    await goTo(page, "real");
    await real.locator('[data-answer="approve-once"]:not([aria-disabled])').waitFor();
    const neighbours = (visibility) =>
      page.evaluate((visibility) => {
        const { shadowRoot } = document.querySelector("pilot-house");
        for (const row of shadowRoot.querySelectorAll("article[data-row]:not(.request)")) row.style.visibility = visibility;
      }, visibility);
    const among = await real.screenshot();
    await neighbours("hidden");
    const alone = await real.screenshot();
    await neighbours("");
    assert.ok(among.equals(alone), "the card looks the same without its neighbours");

    const scroller = page.locator("[data-scroller]");
    await scroller.evaluate((scroller) => (scroller.scrollTop = 0));
    let seen = 0;
    for (;;) {
      await frames(page);
      const picture = (await page.screenshot()).toString("base64");
      const boxes = await card(page).evaluateAll((cards) => cards.map((card) => card.getBoundingClientRect().toJSON()));
      const rows = await page.evaluate(coloured, { picture, x, colour });
      const within = rows.filter((y) => boxes.some(({ top, bottom }) => y >= top - 1 && y <= bottom + 1));
      assert.deepEqual(rows, within, "the edge is at cards only");
      seen += rows.length;
      const more = await scroller.evaluate((scroller) => {
        const top = scroller.scrollTop;
        scroller.scrollTop = top + scroller.clientHeight;
        return scroller.scrollTop > top;
      });
      if (!more) break;
    }
    assert.ok(seen > 100, `${seen} rows of edges were seen`);
  });
}

scenario("who copies a text with hidden characters is told", async (stage) => {
  const page = await host(stage);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]).catch(() => {});
  await page.evaluate(() => {
    window.copied = [];
    Object.defineProperty(navigator, "clipboard", { value: { writeText: (text) => (window.copied.push(text), Promise.resolve()) } });
  });
  const hidden = "```sh\nrm -rf\u200B build\n```";
  const script = new Script().user("Look").turn().say("```sh\nls\n```", "plain").say(hidden, "hidden").say("می\u200Cخواهم 👩‍👩‍👧 日本\u3000語", "letters");
  script.shell("s", "echo a\u202Eb").complete("s", "a\u202Eb").rest();
  await push(page, script.events);
  for (const [id, said] of [["plain", "Copied"], ["hidden", "Copied, with hidden characters"]]) {
    const button = page.locator(`[data-id="${id}"] pre .copy`);
    await button.click();
    await page.locator(`[data-id="${id}"] pre .copy`, { hasText: new RegExp(`^${said}$`) }).waitFor();
  }
  for (const [id, name, said] of [["hidden", "Copy message", "Copied, with hidden characters"], ["letters", "Copy message", "Copied"], ["s", "Copy command", "Copied, with hidden characters"]]) {
    await page.locator(`[data-id="${id}"]`).hover();
    await page.locator(`[data-id="${id}"]`).getByRole("button", { name }).click();
    await page.locator(`[data-id="${id}"] [aria-label="${name}"][data-flash="${said}"]`).waitFor();
  }
  assert.deepEqual(await page.evaluate(() => window.copied), ["ls\n", "rm -rf\u200B build\n", hidden, "می\u200Cخواهم 👩‍👩‍👧 日本\u3000語", "echo a\u202Eb"], "what is copied is the text as it is");
  const told = page.locator('.ph[data-flash="Copied, with hidden characters"]');
  for (const [id, times] of [["plain", 0], ["hidden", 1]]) {
    await page.locator(`[data-id="${id}"] pre code`).evaluate((code) => (code.getRootNode().getSelection?.() ?? document.getSelection()).selectAllChildren(code));
    await page.evaluate(() => document.addEventListener("copy", () => (window.heard = true), { once: true }));
    await page.keyboard.press("ControlOrMeta+c");
    await page.waitForFunction(() => window.heard);
    assert.equal(await told.count(), times, id);
    await page.evaluate(() => (window.heard = false));
  }
  await page.locator('[role="status"]', { hasText: "Copied, with hidden characters" }).first().waitFor({ state: "attached" });
});

scenario("documents that are exported run nothing and ask for nothing, in a browser without any policy", async (stage) => {
  const page = await host(stage);
  // A diagram is drawn in a frame whose policy refuses its handlers, which the console tells. timeline/rich-text has that.
  for (const { text } of hostile.filter(({ name }) => name !== "a diagram")) await push(page, filled([text]).events.map((event) => ({ ...event, id: `${event.id}-${text.length}-${text.codePointAt(0)}` })));
  await push(page, surrounded(""));
  await page.locator("[data-scroller]").focus();
  await page.keyboard.press("/");
  await page.locator(".menu > summary").click();
  const coming = page.waitForEvent("download");
  await page.getByRole("button", { name: "Web page (HTML)" }).click();
  const html = await readFile(await (await coming).path(), "utf8");
  const reader = await stage.page("about:blank");
  const asked = [];
  reader.on("request", (request) => asked.push(request.url()));
  await reader.route("http://127.0.0.1:9/**", (route) => route.fulfill({ contentType: "text/html", body: html }));
  await reader.goto("http://127.0.0.1:9/export.html");
  assert.equal(await reader.evaluate(() => window.owned), undefined);
  assert.deepEqual(asked.filter((address) => !/(export\.html|favicon\.ico)$/.test(address)), []);
  const active = "script, iframe, object, embed, base, link, form, img, audio, video, input, button, [onclick], [onerror], [srcdoc]";
  assert.deepEqual(await reader.locator(active).evaluateAll((all) => all.map((one) => one.outerHTML.slice(0, 200))), []);
  const schemes = await reader.locator("a[href]").evaluateAll((all) => [...new Set(all.map(({ protocol }) => protocol))].sort());
  // The scheme of an address that no browser can read is ":".
  assert.deepEqual(schemes.filter((scheme) => !["http:", "https:", "mailto:", ":"].includes(scheme)), []);
  assert.ok(await reader.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "it is no wider than the window");
});
