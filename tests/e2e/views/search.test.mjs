// Tests search, filters, copying, export, printing, the help sheet and the keys.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

import { Script } from "../support/events.mjs";
import { card, data, frames, inBothSchemes, nightly, push, scenario, snapshot, until, violations } from "../support/harness.mjs";

const SEARCH = { name: "Search this session" };

/** A message, a command and a failed call in each of `turns` turns. */
function boats(turns) {
  const script = new Script("boats");
  for (let turn = 0; turn < turns; turn += 1) {
    script
      .user(`Look after boat ${turn}`, `user-${turn}`)
      .shell(`shell-${turn}`, `ls berth-${turn}`)
      .complete(`shell-${turn}`, `rope-${turn}\nfender-${turn}`)
      .add("tool.execution_start", { toolCallId: `view-${turn}`, toolName: "view", arguments: { path: `/workspace/boats/${turn}.md` } })
      .add("tool.execution_complete", { toolCallId: `view-${turn}`, success: turn % 10 !== 0, result: { content: "fine" }, error: { message: `leak ${turn}` } })
      .say(`Boat ${turn} lies at the *pier*.`, `said-${turn}`);
  }
  return script;
}

async function shown(stage, script, options) {
  const page = await stage.embed(await stage.files(), `transport="none"`, options);
  await push(page, script.take());
  await page.locator("[data-entry]").first().waitFor();
  return page;
}

/** What has the focus: a data attribute, a label, or a row. */
const focus = (page) =>
  page.evaluate(() => {
    const active = document.querySelector("pilot-house").shadowRoot.activeElement;
    if (!active) return "nothing";
    if (active.hasAttribute("data-scroller")) return "scroller";
    return active.dataset.id ?? active.dataset.answer ?? active.dataset.field ?? active.getAttribute("aria-label") ?? active.innerText.trim();
  });

const found = (page, text) => page.locator(".found").filter({ hasText: text }).waitFor();

const rows = (page) => page.locator("[data-row]").evaluateAll((rows) => rows.map((row) => row.dataset.id));

const marks = (page, name) => page.evaluate((name) => [...(CSS.highlights.get(name) ?? [])].map(String), name);

/** Opens the search bar from the timeline with its key. */
async function open(page) {
  await page.locator("[data-scroller]").focus();
  await page.keyboard.press("/");
  await page.getByRole("searchbox", SEARCH).waitFor();
  await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.activeElement?.matches("[data-find]"));
}

scenario("search finds what is not in the document, goes there, opens its card and marks the words", async (stage) => {
  const page = await shown(stage, boats(400));
  await open(page);
  await page.keyboard.type("FENDER-7");
  await found(page, "11 entries");
  await page.keyboard.press("Enter");
  // Search starts at the end of the session, where the reader is, and wraps: after the
  // last match comes the first.
  await found(page, "1 of 11");
  const row = page.locator('[data-id="shell-7"]');
  await row.getByText("fender-7").waitFor();
  assert.equal(await row.locator("details").evaluate((details) => details.open), true);
  await page.waitForFunction(() => [...(CSS.highlights.get("ph-here") ?? [])].map(String).join() === "fender-7");
  assert.equal(await focus(page), SEARCH.name, "whoever searches goes on typing");
  await page.keyboard.press("Enter");
  await found(page, "2 of 11");
  await page.locator('[data-id="shell-70"]').waitFor();
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.press("Shift+Enter");
  await found(page, "11 of 11");
  await page.locator('[data-id="shell-79"]').waitFor();

  await page.keyboard.press("Escape");
  await page.locator(".search-bar").waitFor({ state: "detached" });
  await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.activeElement?.dataset.id === "shell-79");
  assert.deepEqual(await marks(page, "ph-found"), []);
  assert.equal(await page.locator("[data-here]").count(), 0);
});

scenario("several matches in one entry are gone through one by one, each in sight", async (stage) => {
  const script = new Script();
  script.say(`knot one\n\n${"line\n\n".repeat(80)}knot **two**\n\n${"line\n\n".repeat(80)}knot three`, "long").say("a last knot", "last");
  const page = await shown(stage, script);
  await open(page);
  await page.keyboard.type("knot");
  await found(page, "2 entries");
  for (const at of ["1 of 2 · 1/3", "1 of 2 · 2/3", "1 of 2 · 3/3", "2 of 2"]) {
    await page.keyboard.press("Enter");
    await found(page, at);
    await frames(page);
    const seen = await page.evaluate(() => {
      const [range] = CSS.highlights.get("ph-here");
      const { top, bottom } = range.getBoundingClientRect();
      const sight = document.querySelector("pilot-house").shadowRoot.querySelector("[data-scroller]").getBoundingClientRect();
      return top >= sight.top && bottom <= sight.bottom;
    });
    assert.ok(seen, `${at} is in sight`);
  }
  assert.equal((await marks(page, "ph-found")).length, 4);
});

scenario("search follows what is typed and what comes", async (stage) => {
  const script = boats(20);
  const page = await shown(stage, script);
  await open(page);
  await page.keyboard.type("kelp");
  await found(page, "No match");
  await push(page, script.turn("t").begin("k", "A boat full of ke").take());
  await found(page, "No match");
  await push(page, script.more("k", "lp").take());
  await found(page, "1 entry");
  await push(page, script.shell("kelp", "ls").complete("kelp", "KELP").take());
  await found(page, "2 entries");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Backspace");
  await found(page, "2 entries");
  await page.getByRole("searchbox", SEARCH).fill("ß");
  await found(page, "No match");
  await page.getByRole("searchbox", SEARCH).fill("");
  assert.equal(await page.locator(".found").innerText(), "");
});

nightly("a hundred thousand entries are searched without a long task", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`);
  const script = new Script("many");
  for (let part = 0; part < 10; part += 1) {
    for (let number = 0; number < 10_000; number += 1) script.say(`Answer ${part * 10_000 + number}. It lies at the pier.`, `said-${part}-${number}`);
    await push(page, script.take());
  }
  await open(page);
  await page.evaluate(() => {
    window.long = [];
    new PerformanceObserver((list) => window.long.push(...list.getEntries().map((entry) => entry.duration))).observe({ entryTypes: ["longtask"] });
  });
  await page.keyboard.type("answer 9999");
  await found(page, "11 entries");
  await page.keyboard.press("Enter");
  await found(page, /^\d+ of 11/);
  await page.locator("[data-here]").getByText("Answer 9999").waitFor();
  // Slices take 6 ms; a busy machine stretches them.
  const long = await page.evaluate(() => window.long);
  assert.ok(Math.max(0, ...long) < 150, `tasks of ${long} ms`);
});

scenario("a filter hides the other rows, says so, and never hides what waits for a person", async (stage) => {
  const script = boats(30).ask("open", "rm -rf build");
  const page = await shown(stage, script);
  await card(page, "open").waitFor();
  await open(page);
  const chip = (name) => page.getByRole("group", { name: "Show only" }).getByRole("button", { name });
  assert.deepEqual(await page.locator(".pick:visible").allInnerTexts().then((all) => all.map((text) => text.replace(/\s+/, " "))), [
    "Messages 60",
    "Tools 60",
    "Files 30",
    "Requests 1",
    "Errors 3",
  ]);
  await chip("Errors").click();
  assert.equal(await chip("Errors").getAttribute("aria-pressed"), "true");
  await page.getByText("A filter is on: 117 of 121 entries hidden.").waitFor();
  await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.querySelectorAll("[data-row]").length === 4);
  assert.deepEqual(await rows(page), ["view-0", "view-10", "view-20", "open"]);
  await chip("Files").click();
  await page.getByText("A filter is on: 90 of 121 entries hidden.").waitFor();

  // A row whose class comes to match the filter appears; a row of another class does not.
  await push(page, script.user("Not shown", "silent").take());
  await push(page, script.shell("late", "make").add("tool.execution_complete", { toolCallId: "late", success: false, error: { message: "no rule" } }).take());
  await page.locator('[data-id="late"]').waitFor();
  assert.equal(await page.locator('[data-id="silent"]').count(), 0);

  // Search covers the rows that are shown.
  await page.getByRole("searchbox", SEARCH).fill("leak");
  await found(page, "3 entries");
  await page.getByRole("searchbox", SEARCH).fill("lies at");
  await found(page, "No match");

  await page.getByRole("button", { name: "Show all" }).click();
  await page.locator('[data-id="silent"]').waitFor();
  await chip("Tools").click();
  await page.getByRole("searchbox", SEARCH).press("Escape");
  await page.locator('[data-id="silent"]').waitFor();
  assert.equal(await page.locator(".hiding").count(), 0, "a closed bar hides nothing");
});

scenario("the row under the reader's eyes stays when a filter comes and goes", async (stage) => {
  const page = await shown(stage, boats(200));
  await open(page);
  await page.keyboard.type("leak 100");
  await page.keyboard.press("Enter");
  await page.locator('[data-id="view-100"]').waitFor();
  const top = () => page.locator('[data-id="view-100"]').evaluate((row) => row.getBoundingClientRect().top);
  await page.getByRole("button", { name: /^Errors/ }).click();
  await page.getByText("entries hidden").waitFor();
  await frames(page);
  assert.ok((await top()) > 0 && (await top()) < 700, `on screen with the filter, at ${await top()}`);
  await page.getByRole("button", { name: /^Errors/ }).click();
  await page.locator('[data-id="said-100"]').waitFor();
  await frames(page);
  assert.ok((await top()) > 0 && (await top()) < 700, `on screen without it, at ${await top()}`);
});

scenario("Control F opens the search; once more is the browser's own", async (stage) => {
  const page = await shown(stage, boats(3));
  await page.evaluate(() => addEventListener("keydown", (event) => (window.prevented = event.defaultPrevented)));
  const prevented = () => page.evaluate(() => window.prevented);
  await page.keyboard.press("Control+f");
  assert.equal(await prevented(), false, "outside of the element the key is the host's");
  assert.equal(await page.locator(".search-bar").count(), 0);
  await page.keyboard.press("/");
  assert.equal(await page.locator(".search-bar").count(), 0, "so are all others");
  await page.locator("[data-scroller]").focus();
  await page.keyboard.press("Control+f");
  assert.equal(await prevented(), true);
  await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.activeElement?.matches("[data-find]"));
  await page.keyboard.press("Control+f");
  assert.equal(await prevented(), false);
  await page.keyboard.press("Escape");
  await page.locator(".search-bar").waitFor({ state: "detached" });
  assert.equal(await focus(page), "scroller", "nothing was gone to: the focus is where it was");
});

scenario("j and k go from turn to turn, a to the latest answer, r to the next request", async (stage) => {
  const page = await shown(stage, boats(40).ask("one", "ls 1").ask("two", "ls 2"));
  await page.locator("[data-scroller]").focus();
  const goes = async (key, id) => {
    await page.keyboard.press(key);
    await page.waitForFunction((id) => document.querySelector("pilot-house").shadowRoot.activeElement?.dataset.id === id, id);
  };
  await goes("a", "said-39");
  await goes("k", "user-39");
  await goes("k", "user-38");
  await goes("k", "user-37");
  await goes("j", "user-38");
  await goes("r", "one");
  await goes("r", "two");
  await goes("r", "one");
});

scenario("a key that leads to an entry does not take the focus from the search that was opened after it", async (stage) => {
  const page = await shown(stage, boats(40));
  await open(page);
  await page.keyboard.press("Escape");
  await page.locator("[data-scroller]").focus();
  // Both within one frame, as somebody presses them while the page is busy.
  const left = await page.evaluate(async () => {
    const { shadowRoot } = document.querySelector("pilot-house");
    for (const key of ["a", "/"]) shadowRoot.querySelector("[data-scroller]").dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, composed: true, cancelable: true }));
    for (let frame = 0; frame < 4; frame += 1) await new Promise(requestAnimationFrame);
    return shadowRoot.activeElement.matches("[data-find]");
  });
  assert.ok(left, "the search field has the focus");
});

scenario("no key acts while somebody types, and none answers a request", async (stage) => {
  const page = await shown(stage, boats(3).ask("ask", "ls"));
  await card(page, "ask").locator('[data-answer="approve-once"]').waitFor();
  await card(page, "ask").getByLabel("Feedback to the agent").pressSequentially("rajkpmet?c/");
  assert.equal(await card(page, "ask").getByLabel("Feedback to the agent").inputValue(), "rajkpmet?c/");
  assert.equal(await page.locator(".search-bar, dialog, .aside").count(), 0);
  await page.locator('[data-id="ask"]').focus();
  for (const key of "abcdfghijklnoqsuvwxyz1234567890") await page.keyboard.press(key);
  await page.keyboard.press("Enter");
  assert.equal((await snapshot(page)).pending.length, 1);
});

scenario("messages, commands and results are copied as they are", async (stage) => {
  const script = new Script().user("Please *look*", "u").shell("s", "cargo test").complete("s", "\u001b[32mok\u001b[0m\n<exited with exit code 0>").say("It is **fine**.", "a");
  const page = await shown(stage, script);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  for (const [row, name, text] of [
    ["u", "Copy message", "Please *look*"],
    ["s", "Copy command", "cargo test"],
    ["s", "Copy result", "ok"],
    ["a", "Copy message", "It is **fine**."],
  ]) {
    await page.locator(`[data-id="${row}"]`).hover();
    const button = page.locator(`[data-id="${row}"]`).getByRole("button", { name });
    await button.click();
    await page.locator(`[data-id="${row}"] [aria-label="${name}"][data-flash="Copied"]`).waitFor();
    assert.equal(await clipboard(), text);
  }
  await page.locator('[role="status"]').filter({ hasText: "Copied" }).waitFor({ state: "attached" });
  await page.locator('[data-id="u"]').focus();
  await page.keyboard.press("c");
  await page.waitForFunction(async () => (await navigator.clipboard.readText()) === "Please *look*");
});

/** Exports from the menu: the file's name and its content. */
async function save(page, name) {
  await page.locator(".menu > summary").click();
  const coming = page.waitForEvent("download");
  await page.getByRole("button", { name }).click();
  const download = await coming;
  return [download.suggestedFilename(), await readFile(await download.path(), "utf8")];
}

scenario("the session is exported as Markdown and as one HTML file", async (stage) => {
  const hostile = `<script>window.hacked = true</script><img src=x onerror="window.hacked = true">`;
  const page = await shown(stage, boats(12).say(hostile, "hostile").shell("h", hostile).complete("h", hostile));
  await open(page);
  const [name, markdown] = await save(page, "Markdown");
  assert.equal(name, "look-after-boat-0-2026-11-21.md");
  assert.match(markdown, /^# Look after boat 0\n/);
  assert.equal(markdown.match(/^## \d+ · You$/gm).length, 12);
  assert.match(markdown, /<summary>Ran <code>ls berth-11<\/code><\/summary>\n\n```sh\nls berth-11\n```\n\n```\nrope-11\nfender-11\n```/);
  const [file, html] = await save(page, "Web page (HTML)");
  assert.equal(file, "look-after-boat-0-2026-11-21.html");
  await page.locator('[role="status"]').filter({ hasText: `Exported ${file}` }).waitFor({ state: "attached" });

  const requests = [];
  const reader = await stage.page("about:blank", { width: 900 });
  reader.on("request", (request) => requests.push(request.url()));
  await reader.route("http://127.0.0.1:9/export.html", (route) => route.fulfill({ contentType: "text/html", body: html }));
  await reader.goto("http://127.0.0.1:9/export.html");
  assert.equal(await reader.evaluate(() => window.hacked), undefined);
  assert.deepEqual(requests.filter((address) => !address.endsWith("export.html") && !address.endsWith("favicon.ico")), []);
  assert.equal(await reader.locator("article.user").count(), 12);
  await reader.getByRole("link", { name: "Look after boat 7" }).click();
  await reader.locator("#turn-8").getByText("Look after boat 7").waitFor();
  assert.match(await reader.locator('article:has-text("window.hacked")').first().innerText(), /<script>window.hacked = true<\/script>/);
  assert.ok(await reader.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
});

scenario("the session's events are exported as they came, a line each", async (stage) => {
  const script = boats(3);
  const events = [...script.events];
  const page = await shown(stage, script);
  await open(page);
  const [file, lines] = await save(page, "Events");
  assert.match(file, /\.jsonl$/);
  assert.equal(lines, events.map((event) => `${JSON.stringify(event)}\n`).join(""));
});

scenario("on paper is the whole session, opened; afterwards the page is as before", async (stage) => {
  const page = await shown(stage, boats(150));
  // All rows around the reader are rendered once scrolling has stopped.
  await page.locator(".actions").first().waitFor({ state: "attached" });
  await frames(page);
  const before = await rows(page);
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  const all = await page.evaluate(() => {
    const root = document.querySelector("pilot-house").shadowRoot;
    return [root.querySelectorAll("[data-row]").length, root.querySelectorAll(".card:not([open])").length];
  });
  assert.deepEqual(all, [600, 0]);
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await page.waitForFunction((count) => document.querySelector("pilot-house").shadowRoot.querySelectorAll("[data-row]").length <= count + 4, before.length);
  await frames(page);
  assert.equal((await rows(page)).at(-1), before.at(-1));
});

scenario("the help sheet lists every key, keeps the focus inside, and gives it back", async (stage) => {
  const page = await shown(stage, boats(3));
  await page.locator('[data-id="said-2"]').focus();
  await page.keyboard.press("?");
  const sheet = page.getByRole("dialog", { name: "Keys" });
  await sheet.waitFor();
  for (const words of ["The next request that waits for you", "The latest answer", "The next turn", "Search, filter, export", "Copy what it says"]) {
    await sheet.getByText(words, { exact: true }).waitFor();
  }
  await page.keyboard.press("p");
  assert.equal(await page.locator(".aside").count(), 0, "the page's keys rest");
  await page.keyboard.press("Escape");
  await sheet.waitFor({ state: "detached" });
  assert.equal(await focus(page), "said-2");
  await page.keyboard.press("?");
  await sheet.waitFor();
  await page.keyboard.press("?");
  await sheet.waitFor({ state: "detached" });
  assert.equal(await focus(page), "said-2");
});

scenario("by keyboard alone: read, allow, search, filter, export", async (stage) => {
  const page = await stage.page(await stage.serve([data("permissions")]));
  await card(page).first().locator('[data-answer="approve-once"]:not([aria-disabled])').waitFor();
  // Nothing has the focus yet. On the project's own page the keys work nevertheless.
  await page.keyboard.press("r");
  const tab = async (stop) => {
    for (let press = 0; press < 40; press += 1) {
      if ((await focus(page)) === stop) return;
      await page.keyboard.press("Tab");
    }
    assert.fail(`Tab does not reach ${stop}`);
  };
  await tab("approve-once");
  const [request] = (await snapshot(page)).pending;
  await page.keyboard.press("Enter");
  await until(page, (view, id) => view.pending.every((open) => open.requestId !== id), request.requestId);
  await page.keyboard.press("a");
  await page.keyboard.press("/");
  await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.activeElement?.matches("[data-find]"));
  await page.keyboard.type("the");
  await page.waitForFunction(() => / entries|1 entry/.test(document.querySelector("pilot-house").shadowRoot.querySelector(".found").textContent));
  await page.keyboard.press("Enter");
  await found(page, /^\d+ of \d+/);
  for (let press = 0; press < 12 && !/^Tools/.test(await focus(page)); press += 1) await page.keyboard.press("Tab");
  await page.keyboard.press(" ");
  await page.getByText("A filter is on").waitFor();
  for (let press = 0; press < 12 && !/^Export/.test(await focus(page)); press += 1) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  const coming = page.waitForEvent("download");
  await page.keyboard.press("Enter");
  assert.match((await coming).suggestedFilename(), /\.md$/);
  assert.match(await focus(page), /^Export/, "the menu is closed, its button has the focus");
  await page.keyboard.press("Escape");
  await page.locator(".search-bar").waitFor({ state: "detached" });
  await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.activeElement?.matches("article"));
});

scenario("axe finds nothing to say about search, filter, menu and help, light and dark", async (stage) => {
  const page = await shown(stage, boats(10).ask("ask", "ls"));
  const sound = (what) => inBothSchemes(page, async (scheme) => assert.deepEqual(await violations(page), [], `${what}, ${scheme}`));
  await card(page, "ask").waitFor();
  await open(page);
  await page.keyboard.type("boat");
  await page.keyboard.press("Enter");
  await found(page, " of ");
  await sound("search");
  await page.getByRole("button", { name: /^Tools/ }).click();
  await page.getByText("A filter is on").waitFor();
  await page.locator(".menu > summary").click();
  await sound("filter and menu");
  await page.locator('[data-id="view-9"]').hover();
  await sound("actions");
  await page.locator("[data-scroller]").focus();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await sound("help");
});

nightly("nothing is cut off at 320 px and at 200 % zoom", async (stage) => {
  for (const [width, height] of [[320, 640], [640, 400], [1400, 800]]) {
    const page = await shown(stage, boats(10).ask("ask", "ls"), { width, height });
    await open(page);
    await page.keyboard.type("boat");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: /^Tools/ }).click();
    await page.getByText("A filter is on").waitFor();
    await page.locator(".menu > summary").click();
    const outside = () =>
      page.evaluate(() =>
        [...document.querySelector("pilot-house").shadowRoot.querySelectorAll(".search-bar, .search-bar *, dialog, dialog *, .actions")]
          .filter((element) => {
            const { left, right, top, bottom, width } = element.getBoundingClientRect();
            const scrolls = element.closest("dialog");
            return width && element.checkVisibility() && (left < -0.5 || right > innerWidth + 0.5 || (!scrolls && !element.closest(".actions") && (top < 0 || bottom > innerHeight + 0.5)));
          })
          .map((element) => `${element.localName}.${element.className}`),
      );
    assert.deepEqual(await outside(), [], `bar and menu at ${width}`);
    await page.locator("[data-scroller]").focus();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    assert.deepEqual(await outside(), [], `help at ${width}`);
  }
});
