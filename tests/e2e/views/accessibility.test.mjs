// Accessibility tests: keyboard, screen reader, both themes, every width.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { DEMO_ENDED, IDLE, card, data, frames, inBothSchemes, nightly, playThrough, push, scenario, until, violations } from "../support/harness.mjs";


const WIDE = "a line that is wider than the page ".repeat(9);

const EVERY_MARKUP = ["# Head", "| a | b |\n| - | - |\n| 1 | 2 |", "- [x] done", "> quoted", "1. one\n2. two", "~~~rust", `// ${WIDE}`, "~~~"].join("\n\n");

const BLOCKS = [
  { type: "text", text: "words" },
  { type: "image", data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", mimeType: "image/png" },
  { type: "resource_link", name: "notes", uri: "https://example.com/notes", mimeType: "image/png" },
];

/** Opens every folded row on screen. */
async function unfold(page) {
  await page.evaluate(() => {
    for (const details of document.querySelector("pilot-house").shadowRoot.querySelectorAll("details:not([open])")) {
      details.querySelector("summary").click();
    }
  });
  await frames(page);
}

/** Axe finds nothing in either scheme. */
const sound = (page, what) => inBothSchemes(page, async (scheme) => assert.deepEqual(await violations(page), [], `${what}, ${scheme}`));

nightly("axe finds nothing to say about the demo session, light and dark", async (stage) => {
  const page = await stage.page(await stage.serve());
  await card(page).first().waitFor();
  await sound(page, "with an open card");
  await playThrough(page, DEMO_ENDED);
  await sound(page, "at the end");
  for (const part of [0, 0.4, 0.7, 1]) {
    await page.evaluate((part) => {
      const scroller = document.querySelector("pilot-house").shadowRoot.querySelector("[data-scroller]");
      scroller.scrollTop = part * scroller.scrollHeight;
    }, part);
    await frames(page);
    await unfold(page);
    await sound(page, `unfolded, at ${part}`);
  }
});

scenario("axe finds nothing to say about every kind of entry, light and dark", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`, { height: 3000 });
  await sound(page, "empty");
  const script = new Script()
    .user("A question with `code` and a [link](https://example.com)")
    .turn()
    .add("assistant.reasoning", { reasoningId: "thought", content: "A thought" })
    .say(EVERY_MARKUP)
    .shell("shell", "cargo test")
    .complete("shell", `\u001b[31mred\u001b[0m \u001b[32mgreen\u001b[0m \u001b[33myellow\u001b[0m \u001b[1;34mblue\u001b[0m \u001b[90mgrey\u001b[0m\n${`${WIDE}\n`.repeat(60)}`)
    .add("tool.execution_start", { toolCallId: "failed", toolName: "view", arguments: { path: "/workspace/x" } })
    .add("tool.execution_complete", { toolCallId: "failed", success: false, error: { message: "not found", code: "failure" } })
    .add("tool.execution_start", { toolCallId: "tree", toolName: "create_release", arguments: { tag: "v1", assets: [{ name: "a", size: 1 }, { name: "b", size: 2 }] }, mcpServerName: "deploy", mcpToolName: "create_release" })
    .add("tool.execution_complete", { toolCallId: "tree", success: true, result: { content: "", contents: BLOCKS, structuredContent: { id: 4, checks: [{ ok: true }] } } })
    .add("tool.execution_start", { toolCallId: "diff", toolName: "edit", arguments: { path: "/workspace/x", old_str: "one word\n", new_str: "two word\n" } })
    .add("tool.execution_complete", { toolCallId: "diff", success: true, result: { content: "done" } })
    .shell("running", "sleep 100")
    .output("running", "waiting\n")
    .add("session.info", { infoType: "notification", message: "Something to know" })
    .add("session.warning", { warningType: "policy", message: "Something to heed" })
    .add("session.error", { errorType: "query", message: "Something broke" })
    .add("session.compaction_complete", { success: true, preCompactionTokens: 9000, postCompactionTokens: 900 })
    .add("who.knows", { what: 1 })
    .ask("ask", "rm -rf build\u202E")
    .add("user_input.requested", { requestId: "question", question: "Which boat?", choices: ["red", "blue"], allowFreeform: true });
  await push(page, script.events);
  await card(page, "ask").waitFor();
  await unfold(page);
  await sound(page, "unfolded");
});

scenario("feed, articles, alertdialog and status are there by their roles and names", async (stage) => {
  const page = await stage.page(await stage.serve([data("permissions")]));
  await card(page).first().waitFor();
  const feed = page.getByRole("feed", { name: "Session timeline" });
  await feed.getByRole("article", { name: "You" }).first().waitFor();
  await feed.getByRole("article", { name: "Assistant" }).first().waitFor();
  const dialog = feed.getByRole("alertdialog");
  assert.ok((await dialog.getAttribute("aria-labelledby")) && (await dialog.getAttribute("aria-describedby")));
  const polite = page.locator('[role="status"][aria-live="polite"]');
  await polite.filter({ hasText: "needs your permission" }).waitFor({ state: "attached" });
  assert.equal(await page.locator('[role="feed"] [aria-live="assertive"], [role="feed"][aria-live], .prose[aria-live]').count(), 0);
  await playThrough(page, IDLE);
  // While its permission waits, a call is shown by the card alone.
  await feed.getByRole("article", { name: /^Tool: / }).first().waitFor();
  await polite.filter({ hasText: "replied" }).waitFor({ state: "attached" });
});

scenario("the keyboard reaches everything: the timeline, rows, the card's field and buttons", async (stage) => {
  const page = await stage.page(await stage.serve([data("permissions")]));
  await card(page).first().waitFor();
  await card(page).locator('[data-answer="approve-once"]:not([aria-disabled])').waitFor();
  const met = new Set();
  const focus = () =>
    page.evaluate(() => {
      const active = document.querySelector("pilot-house").shadowRoot.activeElement;
      if (!active) return "nothing";
      if (active.hasAttribute("data-scroller")) return "scroller";
      if (active.hasAttribute("data-feedback")) return "opener";
      return active.dataset.answer ?? active.dataset.field ?? active.localName;
    });
  for (let press = 0; press < 60 && !met.has("approve-once"); press += 1) {
    await page.keyboard.press("Tab");
    const stop = await focus();
    if (stop === "opener" && !met.has("feedback")) {
      await page.keyboard.press("Enter");
      met.add(await focus());
    }
    met.add(stop);
  }
  for (const stop of ["scroller", "summary", "reject", "opener", "feedback", "approve-once"]) assert.ok(met.has(stop), `${stop} of ${[...met]}`);
  await card(page).locator('[data-answer="approve-once"]:not([aria-disabled])').waitFor();
  await page.keyboard.press("Enter");
  await until(page, `(view, id) => view.pending.every((request) => request.requestId !== id)`, "138a6aeb-bf0f-46c1-8bf0-4d85c7912341");
});

scenario("Enter and Space open a row; Page Up and Page Down go from article to article", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`);
  const script = new Script();
  for (const boat of ["red", "blue", "white"]) script.shell(boat, `ls ${boat}`).complete(boat, `the ${boat} boat`);
  await push(page, script.events);
  const row = page.locator('[data-id="blue"]');
  const open = () => row.locator("details").evaluate((details) => details.open);
  assert.equal(await open(), false);
  await row.locator("summary").press("Enter");
  assert.equal(await open(), true);
  assert.match(await row.innerText(), /the blue boat/);
  await row.locator("summary").press(" ");
  assert.equal(await open(), false);

  const focused = () => page.evaluate(() => document.querySelector("pilot-house").shadowRoot.activeElement.dataset.id);
  await page.keyboard.press("PageDown");
  assert.equal(await focused(), "white");
  await page.keyboard.press("PageUp");
  await page.keyboard.press("PageUp");
  assert.equal(await focused(), "red");
});

scenario("Page Up scrolls the timeline when it has the focus itself", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`);
  const script = new Script();
  for (let number = 0; number < 200; number += 1) script.say(`Answer ${number}`, `said-${number}`);
  await push(page, script.events);
  const top = () => page.evaluate(() => document.querySelector("pilot-house").shadowRoot.querySelector("[data-scroller]").scrollTop);
  const end = await top();
  await page.locator("[data-scroller]").focus();
  await page.keyboard.press("PageUp");
  await page.waitForFunction((end) => document.querySelector("pilot-house").shadowRoot.querySelector("[data-scroller]").scrollTop < end - 100, end);
  await page.getByRole("button", { name: "Jump to latest" }).waitFor();
  assert.ok((await top()) > 0);
});

scenario("nothing is wider than the screen, from a small phone to a wide one", async (stage) => {
  const wide = "a-very-long-word-without-any-place-to-break-".repeat(12);
  const gateway = await stage.serve([data("permissions")]);
  for (const width of [320, 380, 800, 1400]) {
    const page = await stage.page(gateway, { width });
    const script = new Script("wide")
      .user(`${wide} https://example.com/${wide}`)
      .say(`${wide}\n\n| ${"column | ".repeat(20)}\n|${" - |".repeat(20)}\n\n\`\`\`\n${wide}${wide}\n\`\`\`\n\n\`${wide}\``)
      .shell("wide-shell", wide)
      .add("session.error", { errorType: "query", message: wide })
      .ask("wide-ask", wide);
    await card(page).first().waitFor();
    await push(page, script.events);
    await card(page, "wide-ask").waitFor();
    await unfold(page);
    const overflow = await page.evaluate(async () => {
      const root = document.querySelector("pilot-house").shadowRoot;
      const scroller = root.querySelector("[data-scroller]");
      const settled = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
      const tooWide = new Set();
      // Boxes that scroll by themselves may have wider content.
      const inBox = (element) => {
        for (let box = element.parentElement; box && box !== scroller && box.parentNode !== root; box = box.parentElement) {
          if (getComputedStyle(box).overflowX !== "visible") return true;
        }
        return false;
      };
      scroller.scrollTop = 0;
      for (;;) {
        await settled();
        for (const element of root.querySelectorAll("*")) {
          const { right, width } = element.getBoundingClientRect();
          if (width && right > innerWidth + 0.5 && !inBox(element)) tooWide.add(`${element.localName}.${element.className} ${Math.round(right)}`);
        }
        const top = scroller.scrollTop;
        scroller.scrollTop = top + scroller.clientHeight;
        if (scroller.scrollTop <= top) break;
      }
      if (document.documentElement.scrollWidth > innerWidth) tooWide.add(`document ${document.documentElement.scrollWidth}`);
      if (scroller.scrollWidth > scroller.clientWidth) tooWide.add(`scroller ${scroller.scrollWidth}`);
      return [...tooWide];
    });
    assert.deepEqual(overflow, [], `at ${width} px`);
  }
});
