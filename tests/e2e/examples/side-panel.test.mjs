// Tests the site with a side panel in examples/side-panel: when the program is loaded, focus and keys, what stays from page to
// page, what the site adds, the narrow form, and that site and element leave each other's look alone.

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

import { answer, card, data, inPage, nightly, scenario, snapshot, until, violations } from "../support/harness.mjs";
import { serveFolders } from "../support/serve.mjs";
import { Runtime } from "../support/stand-in.mjs";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const COMMAND = "138a6aeb-bf0f-46c1-8bf0-4d85c7912341";
const SESSION = "81676467-fe1a-4a00-beb7-9ae756ad2f28";
const OTHER = "bda86bcb-c3d4-4292-b013-27cd3c835f7a";

/** The example, as `python3 -m http.server` serves it, with a gateway in place of that at 7878: `serve` starts it for an origin. */
async function site(stage, serve) {
  let gateway;
  const origin = await serveFolders(stage, { "/": ROOT }, { page: (text) => text.replaceAll("127.0.0.1:7878", new URL(gateway).host) });
  gateway = await serve(origin);
  return `${origin}/examples/side-panel/`;
}

/** The example, with recordings. */
const played = (stage, ...names) => recorded(stage, names.map(data));
const recorded = (stage, files) => site(stage, (origin) => stage.serve(files, { access: ["--allow-origin", origin] }));

const button = (page) => page.locator("[data-agent]");
const panel = (page) => page.locator("#agent-panel");
const element = (page, name) => page.locator(`pilot-house[data-connection="${name}"]`);
const programs = (stage) => stage.requests.filter((address) => address.includes("/pkg/"));
/** What has the focus: an id, a class, or a name. */
const focused = (page) => page.evaluate(() => {
  const { id, className, localName } = document.activeElement;
  return id || className || localName;
});
const session = async (page) => (await snapshot(page)).session.id;

/** The look of everything on the page that is the site's own, as far as it does not depend on the width. */
const looks = (page) => page.evaluate(() => Array.from(document.querySelectorAll(".top *, main *"), (node) => {
  const style = getComputedStyle(node);
  return ["color", "font-family", "font-size", "font-weight", "line-height", "padding", "border", "background-color", "text-decoration"].map((name) => style.getPropertyValue(name)).join(" | ");
}));

scenario("the program is loaded when the panel is first opened, and an answer is given there", async (stage) => {
  const page = await stage.page(`${await played(stage, "permissions")}index.html`, { width: 1400 });
  assert.equal(await panel(page).isVisible(), false);
  assert.deepEqual(programs(stage), []);
  const before = await looks(page);

  await button(page).focus();
  await page.keyboard.press("Enter");
  await panel(page).waitFor();
  assert.equal(await focused(page), "agent-panel");
  assert.equal(await button(page).getAttribute("aria-expanded"), "true");
  await answer(page, COMMAND, "approve-once");
  await until(page, (view, id) => view.timeline.find((entry) => entry.id === id).state === "settled", COMMAND);
  assert.ok(programs(stage).some((address) => address.endsWith("/page_bg.wasm")));
  // The page gets narrower and nothing else.
  const [text, side] = await Promise.all([page.locator("main").boundingBox(), panel(page).boundingBox()]);
  assert.ok(text.x + text.width <= side.x, "the text is beside the panel");
  assert.deepEqual(await looks(page), before);
});

nightly("Escape and the button close the panel, the focus comes back, and inside the element Escape closes its own views first", async (stage) => {
  const page = await stage.page(`${await played(stage, "permissions")}index.html`, { width: 1400 });
  await button(page).press("Enter");
  await card(page, COMMAND).waitFor();
  // A view of the element's own.
  await page.locator("pilot-house [data-scroller]").focus();
  await page.keyboard.press("/");
  await page.locator("pilot-house [data-find]").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("pilot-house [data-find]").waitFor({ state: "detached" });
  assert.ok(await panel(page).isVisible());

  await page.locator("pilot-house [data-scroller]").focus();
  await page.keyboard.press("Escape");
  await panel(page).waitFor({ state: "hidden" });
  assert.equal(await focused(page), "ask");
  assert.equal(await button(page).getAttribute("aria-expanded"), "false");
  // While it is closed, its button says that the agent waits.
  assert.equal(await button(page).textContent(), "The agent waits");

  await button(page).click();
  await card(page, COMMAND).waitFor();
  assert.equal(await button(page).textContent(), "Ask the agent");
  await panel(page).getByRole("button", { name: "Close", exact: true }).click();
  assert.equal(await focused(page), "ask");
});

nightly("the next page of the site has the panel open, with the same session", async (stage) => {
  const address = await played(stage, "permissions", "plan-then-build");
  const page = await stage.page(`${address}index.html`, { width: 1400 });
  await button(page).click();
  await element(page, "open").waitFor();
  assert.equal(await session(page), SESSION);
  // Somebody who had the other one.
  await page.evaluate((id) => sessionStorage.setItem("agent.session", id), OTHER);
  await page.getByRole("link", { name: "Approvals" }).first().click();
  await page.waitForURL(/approvals/);
  await card(page).first().waitFor();
  assert.equal(await session(page), OTHER);
  assert.notEqual(await focused(page), "agent-panel");
  // A link in a card leads to a guide, beside the panel.
  await page.goto(`${address}queue.html`);
  await page.locator(".agent-guide a").first().click();
  await page.waitForURL(/approvals\.html#look/);
  await card(page).first().waitFor();
  assert.equal(await session(page), OTHER);
  // A page that was left closed stays so.
  await panel(page).getByRole("button", { name: "Close", exact: true }).click();
  const loaded = programs(stage).length;
  await page.goto(`${address}tokens.html`);
  assert.equal(await panel(page).isVisible(), false);
  assert.equal(programs(stage).length, loaded);
});

nightly("site and element leave each other's look alone, and the element has the site's colours and font", async (stage) => {
  for (const scheme of ["light", "dark"]) {
    const page = await stage.page(`${await played(stage, "permissions")}approvals.html`, { width: 1400, scheme });
    await button(page).click();
    await card(page, COMMAND).waitFor();
    // The main button is filled once it takes presses.
    await page.waitForFunction((id) => {
      const button = document.querySelector("pilot-house").shadowRoot.querySelector(`[data-request-id="${id}"] [data-answer="approve-once"]`);
      return getComputedStyle(button).backgroundColor === getComputedStyle(document.querySelector(".ask")).backgroundColor;
    }, COMMAND);
    const seen = await page.evaluate((id) => {
      const root = document.querySelector("pilot-house").shadowRoot;
      const inside = getComputedStyle(root.querySelector(`[data-request-id="${id}"] [data-answer="approve-once"]`));
      const frame = getComputedStyle(root.querySelector(".ph"));
      const page = getComputedStyle(document.body);
      const own = getComputedStyle(document.querySelector(".ask"));
      return {
        fonts: [inside.fontFamily, page.fontFamily], colours: [frame.color, page.color], radii: [inside.borderRadius, own.borderRadius],
        papers: [frame.backgroundColor, getComputedStyle(document.documentElement).backgroundColor],
      };
    }, COMMAND);
    for (const name of ["fonts", "colours", "papers"]) assert.equal(seen[name][0], seen[name][1], `${name}, ${scheme}`);
    assert.deepEqual(seen.radii, ["4px", "999px"]);
    assert.deepEqual(await violations(page), []);
  }
});

nightly("on a phone the panel covers the page, which can't be reached until it is closed", async (stage) => {
  const page = await stage.page(`${await played(stage, "permissions")}approvals.html`, { width: 380, height: 700 });
  assert.deepEqual(await violations(page), []);
  await button(page).click();
  await card(page, COMMAND).waitFor();
  const box = await panel(page).boundingBox();
  assert.deepEqual([box.x, box.y, box.width, box.height], [0, 0, 380, 700]);
  assert.equal(await panel(page).getAttribute("role"), "dialog");
  assert.deepEqual(await page.evaluate(() => [document.querySelector("main").inert, document.querySelector(".top").inert]), [true, true]);
  assert.deepEqual(await violations(page), []);
  await answer(page, COMMAND, "approve-once");
  // A guide is not read below the panel.
  await page.locator(".agent-guide a").first().click();
  await page.waitForFunction(inPage(`document.querySelector("#agent-panel").hidden && location.hash === "#look"`));
  assert.equal(await page.evaluate(() => document.querySelector("main").inert), false);
});

nightly("a question has a link to the guide about questions", async (stage) => {
  const address = await recorded(stage, [`${ROOT}tests/sessions/user-input/events.jsonl`]);
  const page = await stage.page(`${address}index.html`, { width: 1400 });
  await button(page).click();
  const link = page.locator(".agent-guide a", { hasText: "About questions and plans" });
  await link.waitFor();
  assert.equal(await link.evaluate(({ href }) => href), `${address}approvals.html#questions`);
});

/** A page of the site with an agent that takes messages. */
async function chat(stage, file = "queue.html") {
  const runtime = new Runtime();
  runtime.on["pilothouse.subscribe"] = () => ({ sessionId: "steered" });
  runtime.script.add("session.idle", { mode: "interactive" }, { ephemeral: true });
  runtime.tell();
  const gateway = await runtime.listen(stage);
  const address = await site(stage, () => gateway);
  const page = await stage.page(`${address}${file}`, {
    width: 1400,
    prepare: (page) => page.route("**/api/sessions", (route) => route.fulfill({ json: [{ sessionId: "steered" }], headers: { "access-control-allow-origin": "*" } })),
  });
  await button(page).click();
  await page.locator("[data-compose]").waitFor();
  return { page, runtime, address };
}

nightly("suggestions fit the page, a guide is mentioned with #, and the page's text goes with a message", async (stage) => {
  const { page, runtime, address } = await chat(stage);
  const suggestions = page.getByRole("group", { name: "Suggestions" }).getByRole("button");
  await suggestions.first().waitFor();
  assert.deepEqual(await suggestions.allTextContents(), ["What is in your queue?", "Do the tests first, then go on", "Stop after the current step"]);

  const field = page.locator("[data-compose]");
  await field.pressSequentially("See #stop");
  const option = page.getByRole("option", { name: /What Stop does to it/ });
  await option.waitFor();
  // Escape closes the list, and then the panel.
  await page.keyboard.press("Escape");
  await option.waitFor({ state: "detached" });
  assert.equal(await panel(page).isVisible(), true);
  await page.keyboard.press("Escape");
  await panel(page).waitFor({ state: "hidden" });
  await button(page).click();
  await field.fill("");
  await field.pressSequentially("See #stop");
  await option.waitFor();
  await page.keyboard.press("Enter");
  assert.equal(await field.inputValue(), `See [What Stop does to it](${address}queue.html#stop) `);
  await page.getByRole("button", { name: "Attach page" }).click();
  await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.querySelector("[data-compose]").value.includes("queue.md"));
  await field.press("Enter");
  const { prompt } = await runtime.called("session.send");
  assert.match(prompt, /What Stop does to it\]/);
  assert.match(prompt, /queue\.html\n\nThe queue[^]*Two ways to send/);
});

nightly("a link of the agent's to this site opens in this tab, and the panel stays open", async (stage) => {
  const { page, runtime, address } = await chat(stage);
  runtime.work("Where is it?");
  runtime.script.say(`Read [the guide](${address}tokens.html) first.`);
  runtime.rest();
  await page.locator("pilot-house").getByRole("link", { name: "the guide" }).click();
  await page.waitForURL(/tokens/);
  await page.locator("[data-compose]").waitFor();
  assert.equal(page.context().pages().length, 1);
  assert.equal(await panel(page).isVisible(), true);
});
