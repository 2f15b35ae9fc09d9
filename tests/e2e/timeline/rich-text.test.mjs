// Tests what a text can contain beyond words: colours, formulas, diagrams, images. Each is loaded only when
// needed, and the page works without it.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

import { Script } from "../support/events.mjs";
import { IDLE, push, scenario, until } from "../support/harness.mjs";

const AXE = new URL("../node_modules/axe-core/axe.min.js", import.meta.url);
const FENCE = "```";
const fence = (language, code) => `${FENCE}${language}\n${code}\n${FENCE}\n`;

const extras = (stage) => stage.requests.filter((address) => address.includes("/extras/")).map((address) => address.split("/extras/")[1]);

const text = (content) => new Script("text").user("Write").turn().say(content, "text").rest().events;

async function show(stage, content, options) {
  const page = await stage.embed(await stage.files(), `transport="none"`, options);
  await push(page, text(content));
  await until(page, IDLE);
  return page;
}

scenario("colours come with the first fence that needs them, grammar by grammar, and leave the words alone", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`);
  const script = new Script("text").user("Write").turn().begin("text", `Words and \`code\`.\n\n${FENCE}\nplain\n${FENCE}\n\n`);
  await push(page, script.take());
  assert.deepEqual(extras(stage), [], "nothing is asked for before");
  const code = 'fn main() {\n    let x = "hello"; // ⛵\n}\n';
  await push(page, script.more("text", `${FENCE}rs\n${code}`).take());
  assert.deepEqual(extras(stage), [], "an open fence is plain");
  await push(page, script.more("text", `${FENCE}\n\nMore`).take());
  const shown = page.locator("pre[data-language=rs] > code");
  await page.locator("pre[data-language=rs][data-drawn=colours]").waitFor();
  assert.equal(await shown.evaluate((code) => code.textContent), code);
  assert.equal(await shown.locator(".y-k").first().textContent(), "fn");
  assert.equal(await shown.locator(".y-s").first().textContent(), '"hello"');
  const asked = extras(stage);
  assert.ok(asked.includes("vendor/highlight/languages/rust.min.js"));
  assert.deepEqual(asked.filter((name) => /languages\/(?!rust)|temml|mermaid/.test(name)), [], "and nothing else");

  const before = asked.length;
  await push(page, script.more("text", ` words.\n\n${fence("rust", "let y = 1;")}\n${fence("brainwave", "zzz")}\nEnd`).take());
  await page.locator("pre[data-language=rust][data-drawn=colours]").waitFor();
  assert.equal(extras(stage).length, before, "what is here is not asked for again");
  assert.equal(await page.locator("pre[data-language=brainwave] > code").innerText(), "zzz\n");
});

for (const scheme of ["light", "dark"]) {
  scenario(`every colour can be read, ${scheme}`, async (stage) => {
    const samples = {
      rust: '/// Doc\n#[derive(Debug)]\npub fn main() -> u8 { let x = "s\\n"; println!("{}", 1 + x) }',
      tsx: "@Component\nexport class A<T> extends B { x: number = /re/g; render() { return <p className=\"a\">{null}</p> } }",
      html: '<!doctype html><p class="a" id=b>&amp;</p><style>.a > #b:hover { color: red }</style>',
      diff: "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new",
      markdown: "# Head\n- *a* **b** `c` [d](e)\n> q",
      sql: "select count(*) from t where a = 'x' -- c",
      php: "<?php function f(?int $x): string { return \"$x\"; } // c",
      makefile: "all: x\n\t$(CC) -o $@ $<",
      yaml: "a: &b 1\nc: *b # d",
    };
    const page = await show(stage, Object.entries(samples).map(([name, code]) => fence(name, code)).join("\n"), { scheme, height: 2400 });
    for (const name of Object.keys(samples)) await page.locator(`pre[data-language=${name}][data-drawn=colours]`).waitFor();
    await page.evaluate(await readFile(AXE, "utf8"));
    const found = await page.evaluate(async () => {
      const { violations } = await window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag22aa"] });
      return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} — ${node.failureSummary}`));
    });
    assert.deepEqual(found, []);
  });
}

const DRAWN = [
  "Let $x_1$ cost $5 or $6.\n\n$$\n\\frac{a}{b}\n$$\n",
  fence("math", "\\sqrt{2}"),
  fence("mermaid", "flowchart LR\n  A[Start] --> B[\"<img src=x onerror=alert(1)> <b>bold</b>\"]"),
  "And $\\nonsense{$ or $\\undefinedcommand$.\n",
  fence("mermaid", "flowchart LR\n  A[Broken --> B("),
].join("\n");

// Mermaid measures labels as HTML. The policy of its frame blocks inline handlers, and the browser logs that.
const HELD_OFF = /inline event handler violates .* 'script-src 'nonce-pilothouse''/;

scenario("formulas and diagrams are drawn, can be turned to their source, and say why they are not drawn", async (stage) => {
  const page = await show(stage, DRAWN, { height: 1600 });
  await page.locator("p .math[data-drawn] math").first().waitFor();
  assert.equal(await page.locator(".math.display math mfrac").count(), 1);
  assert.equal(await page.locator(".math").first().getAttribute("title"), "x_1");
  assert.match(await page.locator("p").filter({ hasText: "cost" }).innerText(), /\$5 or \$6/);
  assert.equal(await page.locator("pre[data-language=math] .drawing msqrt").count(), 1);
  const broken = page.locator(".math", { hasText: "undefinedcommand" });
  assert.match(await broken.getAttribute("title"), /Not drawn/);

  const diagram = page.locator("pre[data-language=mermaid]").first();
  await diagram.locator(".drawing > img").waitFor();
  const image = await diagram.locator("img").evaluate((image) => [image.src.slice(0, 5), image.naturalWidth > 50, image.alt]);
  assert.deepEqual(image.slice(0, 2), ["data:", true]);
  assert.match(image[2], /^Diagram: flowchart LR; A\[Start\]/);
  assert.equal(await diagram.locator("code").isVisible(), false);
  const source = diagram.getByRole("button", { name: "Source" });
  await source.click();
  assert.equal(await source.getAttribute("aria-pressed"), "true");
  assert.match(await diagram.locator("code").innerText(), /A\[Start\]/);
  assert.equal(await diagram.locator("img").isVisible(), false);

  const wrong = page.locator("pre[data-language=mermaid]").nth(1);
  assert.match(await wrong.locator(".undrawn").innerText(), /^Not drawn: Parse error on line 2/);
  assert.match(await wrong.locator("code").innerText(), /Broken/);
  // Mermaid runs in a frame without an origin, and leaves nothing in the page.
  assert.equal(await page.locator("iframe").getAttribute("sandbox"), "allow-scripts");
  assert.equal(await page.evaluate(() => document.querySelector("pilot-house").shadowRoot.querySelector("svg:not(.i), foreignObject")), null);
}, { expected: [HELD_OFF] });

scenario("a row that is made later is coloured and drawn as the first one was", async (stage) => {
  const content = `${fence("rust", "fn main() {}")}\n$x$\n\n${fence("mermaid", "flowchart LR\n  A --> B")}`;
  const page = await stage.embed(await stage.files(), `transport="none"`, { height: 1600 });
  const script = new Script("text").user("Write").turn().say(content, "first");
  await push(page, script.take());
  const row = (id) => page.locator(`[data-entry="assistant"][data-id="${id}"]`);
  await row("first").locator(".drawing > img").waitFor();
  await push(page, script.say(content, "second").rest().take());
  await row("second").locator(".drawing > img").waitFor();
  assert.equal(await row("second").locator("pre[data-language=rust] .y-k").first().textContent(), "fn");
  assert.equal(await row("second").locator("math").count(), 1);
  const address = (id) => row(id).locator(".drawing > img").getAttribute("src");
  assert.equal(await address("second"), await address("first"), "the same drawing in the same colours");
});

scenario("a diagram loses its own settings and its addresses before it is drawn: nothing is fetched, nothing is reported", async (stage) => {
  const sources = [
    `%%{init: {"themeCSS": "@import url(https://track.example/a.css); .node { background: url(https://track.example/b.png) }", "fontFamily": "x, url(//track.example/f)"}}%%\nflowchart LR\n  A[One] --> B[Two]`,
    `---\ntitle: Boats\nconfig:\n  themeCSS: "@import url(https://track.example/c.css);"\n---\nflowchart LR\n  A[Three] --> B[Four]`,
    `flowchart LR\n  A@{ img: "https://track.example/d.png", label: "Five", w: 60 } --> B[see https://track.example/e]\n  click B "https://track.example/g"\n  style B fill:url(https://track.example/h.svg#x)`,
    `flowchart LR\n  A@{ img: "data:image/png;base64,AAAA" } --> B[Six]`,
  ];
  const page = await show(stage, sources.map((source) => fence("mermaid", source)).join("\n"));
  for (const [nth] of sources.entries()) {
    const diagram = page.locator("pre[data-language=mermaid]").nth(nth);
    await diagram.locator(".drawing > img").waitFor();
    const svg = await diagram.locator("img").evaluate(async (image) => (await fetch(image.src)).text());
    assert.doesNotMatch(svg, /track\.example|data:image/, `drawing ${nth}`);
    assert.match(await diagram.locator("code").textContent(), nth < 3 ? /track\.example/ : /data:image/, "the source stays whole");
  }
});

scenario("a diagram takes the colours of the page when they change", async (stage) => {
  const page = await show(stage, fence("mermaid", "flowchart LR\n  A --> B"));
  const image = page.locator("pre .drawing > img");
  await image.waitFor();
  const before = await image.getAttribute("src");
  await page.locator("pilot-house").evaluate((element) => element.setAttribute("theme", "dark"));
  await page.waitForFunction(
    (before) => document.querySelector("pilot-house").shadowRoot.querySelector(".drawing > img").src !== before,
    before,
  );
});

scenario(
  "without the extras everything is there as its source",
  async (stage) => {
    const prepare = (page) => page.route(/\/extras\//, (route) => route.abort());
    const page = await show(stage, `${fence("rust", "fn main() {}")}\n${DRAWN}`, { prepare });
    await page.waitForFunction(() => performance.getEntriesByType("resource").some(({ name }) => name.includes("/extras/")));
    assert.equal(await page.locator("pre[data-language=rust] > code").innerText(), "fn main() {}\n");
    assert.equal(await page.locator(".math.display").innerText(), "\\frac{a}{b}");
    assert.match(await page.locator("pre[data-language=mermaid] > code").first().innerText(), /A\[Start\]/);
    assert.equal(await page.locator("[data-drawn]").count(), 0);
  },
  { expected: [/Failed to load resource/] },
);

scenario(
  "without Mermaid and Temml alone, their sources stay and colours come",
  async (stage) => {
    const prepare = (page) => page.route(/vendor\/(temml|mermaid)/, (route) => route.abort());
    const page = await show(stage, `${DRAWN}\n${fence("rust", "fn main() {}")}`, { prepare, height: 1600 });
    await page.locator("pre[data-language=rust][data-drawn=colours]").waitFor();
    assert.equal(await page.locator(".math.display").innerText(), "\\frac{a}{b}");
    assert.match(await page.locator("pre[data-language=mermaid] > code").first().innerText(), /A\[Start\]/);
  },
  { expected: [/Failed to load resource/] },
);

scenario("an image is asked for when a reader asks for it, and its host is named before", async (stage) => {
  const gateway = await stage.serve();
  const page = await stage.embed(gateway, `transport="none"`);
  const dot = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
  await page.route(/chart\.gif/, (route) => route.fulfill({ body: dot, contentType: "image/gif" }));
  await push(page, text(`Look: ![A chart](${gateway}/chart.gif)`));
  const asked = () => stage.requests.filter((address) => address.endsWith("chart.gif")).length;
  const load = page.getByRole("button", { name: "Load from 127.0.0.1: A chart" });
  await load.waitFor();
  assert.equal(asked(), 0);
  await load.press("Enter");
  const image = page.getByRole("img", { name: "A chart" });
  await image.waitFor();
  await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.querySelector(".image > img")?.naturalWidth === 1);
  assert.equal(asked(), 1);
});
