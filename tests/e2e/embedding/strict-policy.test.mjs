// Tests the element on host pages with a strict policy: everything works, and the console stays empty.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { IDLE, answer, frames, scenario, until } from "../support/harness.mjs";
import { POLICY, hosted as hostedAt } from "../support/strict-page.mjs";

const ISOLATED = ["cross-origin-opener-policy: same-origin", "cross-origin-embedder-policy: require-corp"];

const TEXT = [
  "Look:",
  "```rust\nlet one = 1;\n```",
  "$$e = mc^2$$",
  "```mermaid\ngraph TD; A-->B;\n```",
  "| a | b |\n| --- | --- |\n| 1 | 2 |",
  "![A chart](https://charts.example/a.png)",
].join("\n\n");

const recording = () => new Script("strict").user("Go").turn().say(TEXT).ask("look", "ls").allowed("look").say("Done").rest().events;

/** The page of this session under these headers. */
const hosted = async (stage, headers, attributes) => hostedAt(stage, await stage.serve([recording()]), headers, attributes);

scenario("under the strictest policy a session is played and answered, a diagram is its source, and the console is empty", async (stage) => {
  const { page, console } = await hosted(stage, [`content-security-policy: ${POLICY}`]);
  await answer(page, "look", "approve-once");
  await until(page, IDLE);
  await page.getByText("Done", { exact: true }).waitFor();
  await page.locator("pre[data-language=rust] .y-k").waitFor();
  await page.locator("math").waitFor();
  const diagram = page.locator("pre[data-language=mermaid]");
  await diagram.getByText("Not drawn: this page does not show drawings").waitFor();
  assert.equal(await diagram.locator("code").innerText(), "graph TD; A-->B;\n");
  assert.equal(await page.locator("iframe").count(), 0);
  // What people open has styles of its own.
  for (const key of ["p", "e", "t", "/"]) {
    await page.locator("pilot-house [data-scroller]").focus();
    await page.keyboard.press(key);
    await frames(page);
  }
  assert.deepEqual(console, []);
});

scenario("an image that the page does not allow opens in a tab of its own, and is not asked for here", async (stage) => {
  const { page, console } = await hosted(stage, [`content-security-policy: ${POLICY}`], 'allow=""');
  const opened = [];
  await page.exposeFunction("opening", (...given) => opened.push(given));
  await page.evaluate(() => (window.open = (...given) => window.opening(...given)));
  await page.getByRole("button", { name: "Load from charts.example" }).click();
  await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.querySelectorAll(".image > img").length === 0);
  await frames(page);
  assert.deepEqual(opened, [["https://charts.example/a.png", "_blank", "noopener,noreferrer"]]);
  assert.deepEqual(console, []);
});

scenario("a page without a policy, or with one that allows the frame, draws diagrams without being told to", async (stage) => {
  for (const headers of [[], [`content-security-policy: ${POLICY}; frame-src 'self'`]]) {
    const { page, console } = await hosted(stage, headers);
    await page.locator("pre[data-language=mermaid] .drawing > img").waitFor();
    assert.deepEqual(console, []);
  }
});

scenario("a page that allows diagrams and is isolated from other origins draws them", async (stage) => {
  const { page, console } = await hosted(stage, ISOLATED, 'allow="images diagrams"');
  await page.locator("pre[data-language=mermaid] .drawing > img").waitFor();
  assert.equal(await page.evaluate(() => window.crossOriginIsolated), true);
  await answer(page, "look", "approve-once");
  await until(page, IDLE);
  assert.deepEqual(console, []);
});
