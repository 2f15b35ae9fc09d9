// Tests the themes of the package: contrast, the host's scheme and fonts, density, and that no styles leak, either way.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

import { Script } from "../support/events.mjs";
import { violations } from "../support/axe.mjs";
import { card, frames, inBothSchemes, nightly, push, scenario } from "../support/harness.mjs";
import { wire } from "../support/proxy.mjs";

const THEMES = ["calm", "high-contrast", "terminal", "vscode"];
const EDITOR = await readFile(new URL("../../../docs/themes/vscode-variables.css", import.meta.url), "utf8");

const ANSWER = "A `word`, a [link](https://example.com) and code:\n\n```rust\n// note\nfn main() { let n = 1; println!(\"{n}\"); }\n```\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n> quoted";

/** A session with an open approval, tool cards, code, a terminal with its colours, a diff, and a sub-agent. */
const session = () =>
  new Script("themed")
    .user("A question with `code`")
    .turn()
    .add("assistant.reasoning", { reasoningId: "thought", content: "A thought" })
    .say(ANSWER)
    .shell("shell", "cargo test")
    .complete("shell", [0, 1, 2, 3, 4, 5, 6, 7].map((n) => `\u001b[3${n}mplain\u001b[0m \u001b[9${n}mbright\u001b[0m`).join("\n"))
    .add("tool.execution_start", { toolCallId: "failed", toolName: "view", arguments: { path: "/workspace/x" } })
    .add("tool.execution_complete", { toolCallId: "failed", success: false, error: { message: "not found", code: "failure" } })
    .add("tool.execution_start", { toolCallId: "diff", toolName: "edit", arguments: { path: "/workspace/x", old_str: "one word\n", new_str: "two word\n" } })
    .add("tool.execution_complete", { toolCallId: "diff", success: true, result: { content: "done" } })
    .add("session.warning", { warningType: "policy", message: "Something to heed" })
    .add("session.error", { errorType: "query", message: "Something broke" })
    .ask("ask", "rm -rf build\u202E").events;

/**
 * A host page with a theme, and the element on it. `head` is more of its head, `kind` the class of its body, `body` more of that. Without
 * `program` the element is never defined.
 */
async function themed(stage, theme, { head = "", kind = "", attributes = "", body = "", program = true, ...options } = {}) {
  const line = await wire(stage, await stage.files(), {
    page: `<!doctype html><html lang="en"><meta charset="utf-8"><title>Host</title><link rel="icon" href="data:,">
      <meta name="color-scheme" content="light dark"><style>body { margin: 0 } pilot-house { display: block; height: 100vh }</style>
      ${theme && `<link rel="stylesheet" href="/pkg/themes/${theme}.css">`}<style>${EDITOR}</style>${head}<body class="${kind}">
      <pilot-house class="${theme && `ph-${theme}`}" transport="none" ${attributes}></pilot-house>${body}
      ${program ? `<script type="module">import { load } from "/pkg/index.js"; await load(); window.ready = true;</script>` : ""}</body></html>`,
  });
  const page = await stage.page(`${line.address}/host`, { height: 2600, ...options });
  if (program) await page.waitForFunction(() => window.ready);
  return page;
}

async function filled(page) {
  await push(page, session());
  await card(page, "ask").waitFor();
  await page.locator("pre[data-drawn=colours] .y-k").first().waitFor();
  await page.evaluate(() => {
    for (const details of document.querySelector("pilot-house").shadowRoot.querySelectorAll("details:not([open])")) details.querySelector("summary").click();
  });
  await frames(page);
}

/** Computed values of an element inside the shadow root, or of the host's page if there is no such element. */
const styles = (page, selector, ...names) =>
  page.evaluate(([selector, names]) => {
    const root = document.querySelector("pilot-house").shadowRoot;
    const style = getComputedStyle(root?.querySelector(selector) ?? document.querySelector(selector));
    return names.map((name) => style.getPropertyValue(name));
  }, [selector, names]);

for (const theme of THEMES) {
  (theme === "high-contrast" ? scenario : nightly)(`axe finds nothing to say about the theme ${theme}, light and dark`, async (stage) => {
    const page = await themed(stage, theme);
    const more = theme === "high-contrast" ? ["color-contrast-enhanced"] : [];
    await filled(page);
    await inBothSchemes(page, async (scheme) => {
      // VS Code says which kind of theme it has; the others go by the system's scheme.
      if (theme === "vscode") await page.evaluate((kind) => void (document.body.className = kind), `vscode-${scheme}`);
      assert.deepEqual(await violations(page, more), [], scheme);
    });
  });
}

scenario("VS Code's kind of theme decides, not the system's scheme", async (stage) => {
  const page = await themed(stage, "vscode", { scheme: "light", kind: "vscode-dark" });
  assert.deepEqual(await styles(page, ".ph", "color-scheme", "background-color", "font-size"), ["dark", "rgb(31, 31, 31)", "13px"]);
});

scenario("the element has the scheme of its page; a page without one is light; an attribute fixes it", async (stage) => {
  const scheme = async (head, attributes = "") => {
    const page = await themed(stage, "", { scheme: "dark", head, attributes });
    return (await styles(page, ".ph", "background-color"))[0];
  };
  const [light, dark] = [await scheme("<style>:root { color-scheme: light }</style>"), await scheme("<style>:root { color-scheme: dark }</style>")];
  assert.notEqual(light, dark);
  assert.equal(await scheme("<script>document.querySelector('meta[name=color-scheme]').remove()</script>"), light);
  assert.equal(await scheme(""), dark, "the system decides where the page leaves it to it");
  assert.equal(await scheme("", `theme="light"`), light);
});

scenario("a theme's background is there before the program is, and stays the same", async (stage) => {
  for (const attributes of ["", `theme="dark"`]) {
    const before = await themed(stage, "terminal", { scheme: "light", attributes, program: false });
    const early = await styles(before, "pilot-house", "background-color", "color");
    const page = await themed(stage, "terminal", { scheme: "light", attributes });
    assert.deepEqual(await styles(page, ".ph", "background-color", "color"), early, attributes);
    assert.notEqual(early[0], "rgba(0, 0, 0, 0)");
  }
});

scenario("density changes the room around rows, and nothing gets smaller than a pointer needs", async (stage) => {
  const page = await themed(stage, "");
  await filled(page);
  const height = () => page.locator(".row").first().evaluate((row) => row.getBoundingClientRect().height);
  const usual = await height();
  await page.locator("pilot-house").evaluate((element) => element.style.setProperty("--ph-density", "0.1"));
  const least = await height();
  assert.ok(least < usual && least >= 24, `${usual}, ${least}`);
});

scenario("a font that the page has a name for is the element's", async (stage) => {
  const page = await themed(stage, "", { head: "<style>:root { --mine: Georgia, serif } pilot-house { --ph-font: var(--mine) }</style>" });
  await filled(page);
  assert.deepEqual(await styles(page, ".prose", "font-family"), ["Georgia, serif"]);
});

scenario("properties of the page's own, whatever they are called, set the element's", async (stage) => {
  const names = ["muted", "edge", "line", "text", "accent", "surface"];
  const own = names.map((name) => `--${name}: rgb(1, 2, 3);`).join(" ");
  const set = names.map((name) => `--ph-${name}: var(--${name});`).join(" ");
  const page = await themed(stage, "", { head: `<style>:root { ${own} } pilot-house { ${set} }</style>` });
  await filled(page);
  assert.deepEqual(await styles(page, ".prose p", "color"), ["rgb(1, 2, 3)"]);
  const inside = (name) => page.locator(".ph").first().evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), name);
  for (const name of names) assert.equal(await inside(`--${name}`), "rgb(1, 2, 3)", `what a slot inherits is the page's --${name}`);
});

const HOSTILE = `<style>
  * { margin: 20px; color: red; font: italic 40px/3 cursive; letter-spacing: 9px; text-transform: uppercase; text-align: right; background: yellow }
  button { all: unset } code { background: lime } .row, .btn, .prose { display: none } pilot-house { margin: 0 }
</style>`;
const INSIDE = [".prose p", ".row", ".btn", ".prose code", "h3", ".meta"];
const SAMPLED = ["margin-top", "color", "font-style", "font-size", "font-family", "line-height", "letter-spacing", "text-transform", "text-align", "background-color", "display", "padding-left", "border-top-width", "cursor"];

scenario("a hostile style sheet of the page changes nothing inside, and the element's changes nothing outside", async (stage) => {
  const body = "<p>The host's own <button>button</button></p>";
  const calm = await themed(stage, "", { body });
  await filled(calm);
  const hostile = await themed(stage, "", { head: HOSTILE });
  await filled(hostile);
  for (const selector of INSIDE) {
    const [expected, found] = [await styles(calm, selector, ...SAMPLED), await styles(hostile, selector, ...SAMPLED)];
    assert.deepEqual(SAMPLED.map((name, nth) => `${name}: ${found[nth]}`), SAMPLED.map((name, nth) => `${name}: ${expected[nth]}`), selector);
  }
  const without = await themed(stage, "", { body, program: false });
  for (const selector of ["body", "body > p", "body > p > button"]) {
    const all = (page) => page.locator(selector).first().evaluate((element) => [...getComputedStyle(element)].filter((name) => !/size|inset|origin|width|height|top|bottom/.test(name)).map((name) => `${name}: ${getComputedStyle(element).getPropertyValue(name)}`));
    assert.deepEqual(await all(calm), await all(without), selector);
  }
});

nightly("with forced colours every theme takes them, and with more contrast muted text is stronger in each", async (stage) => {
  for (const theme of THEMES) {
    const page = await themed(stage, theme, { kind: theme === "vscode" ? "vscode-light" : "" });
    await filled(page);
    const muted = () => styles(page, ".meta", "color");
    const usual = await muted();
    await page.emulateMedia({ contrast: "more" });
    assert.notDeepEqual(await muted(), usual, theme);
    assert.deepEqual(await violations(page), [], theme);
    await page.emulateMedia({ contrast: null, forcedColors: "active" });
    const system = await page.evaluate(() => {
      const probe = document.body.appendChild(document.createElement("i"));
      probe.style.color = "CanvasText";
      return getComputedStyle(probe).color;
    });
    assert.deepEqual(await styles(page, ".prose p", "color"), [system], theme);
  }
});
