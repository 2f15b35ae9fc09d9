// Tests the console in examples/console: the list beside the session, the address, keys, the record of answers, the sign-in, the
// state of the connection, and the narrow form.

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

import { BROKEN, answer, card, data, nightly, scenario, snapshot, until, violations } from "../support/harness.mjs";
import { wire } from "../support/proxy.mjs";
import { serveFolders } from "../support/serve.mjs";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const recorded = (name) => `${ROOT}tests/sessions/${name}/events.jsonl`;
const RECORDINGS = [recorded("errors-and-retries"), data("permissions"), data("plan-then-build")];
const TIDES = "81676467-fe1a-4a00-beb7-9ae756ad2f28";
const GARDEN = "bda86bcb-c3d4-4292-b013-27cd3c835f7a";
const COMMAND = "138a6aeb-bf0f-46c1-8bf0-4d85c7912341";
const TOKEN = "e2e-token-of-the-operator";

/** Serves the example, as `python3 -m http.server` does, with a gateway in place of that at 7878. */
const site = (stage, gateway) =>
  serveFolders(stage, { "/": ROOT }, { page: (text) => text.replaceAll("127.0.0.1:7878", new URL(gateway()).host) });

/** The console, on a gateway with recordings that wait. */
async function opened(stage, options = { width: 1400 }) {
  const gateway = await wire(stage, await stage.serve(RECORDINGS));
  const address = `${await site(stage, () => gateway.address)}/examples/console/`;
  const page = await stage.page(address, options);
  await page.locator('#connection[data-state="open"]').waitFor();
  return { page, gateway, address };
}

const row = (page, id) => page.locator(`#sessions a[href="#session=${id}"]`);
const current = (page) => page.locator("#sessions a[aria-current]").getAttribute("href");
/** Waits for a session. Right after a change the cards may still be those of the one before. */
const shows = (page, id) => until(page, `(view, id) => view.session.id === id`, id);
const session = async (page) => (await snapshot(page)).session.id;

scenario("the list marks what waits, keys go through it, the session is in the address, and answers are recorded", async (stage) => {
  const { page } = await opened(stage);
  assert.equal(await page.locator("#sessions a").count(), 3);
  await row(page, TIDES).and(page.locator('[data-status="waiting"]')).waitFor();
  await row(page, GARDEN).and(page.locator('[data-status="waiting"]')).waitFor();
  await page.locator('#sessions a[data-status="error"]').getByText("Failed: ").waitFor();
  await page.getByRole("button", { name: "2 wait" }).waitFor();
  assert.equal(await page.title(), "(2) Agent operations");
  // It was opened without a session, and has chosen one.
  assert.equal(await current(page), new URL(page.url()).hash);

  await row(page, TIDES).click();
  await card(page, COMMAND).waitFor();
  assert.equal(await session(page), TIDES);
  assert.deepEqual(await violations(page), []);
  await answer(page, COMMAND, "approve-once");
  const audit = page.locator("#audit li");
  await audit.and(page.locator('[data-outcome="taken"]')).waitFor();
  const words = await audit.innerText();
  for (const part of ["Allowed once · taken", "rising_tide_midpoint", "git stash"]) assert.ok(words.includes(part), `${part} is not in: ${words}`);

  await page.locator("main").focus();
  await page.keyboard.press("Alt+KeyN");
  await page.waitForURL(new RegExp(GARDEN));
  await card(page).first().waitFor();
  await shows(page, GARDEN);
  await page.keyboard.press("Alt+ArrowUp");
  await page.waitForURL(new RegExp(TIDES));
  await page.goBack();
  await page.waitForURL(new RegExp(GARDEN));
  await page.reload();
  await card(page).first().waitFor();
  await shows(page, GARDEN);
  assert.equal(await audit.count(), 1, "a reload keeps the record of this tab");

  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save" }).click()]);
  const saved = JSON.parse(String(await (await download.createReadStream()).toArray()));
  assert.deepEqual([saved.sessionId, saved.requestId, saved.answer, saved.outcome], [TIDES, COMMAND, "Allowed once", "taken"]);
});

nightly("what a person wrote in an answer is not in the record", async (stage) => {
  const { page } = await opened(stage);
  await row(page, TIDES).click();
  await card(page, COMMAND).locator("[data-feedback]").click();
  await answer(page, COMMAND, "reject", "hunter2 is not for you");
  await page.locator('#audit [data-outcome="taken"]').waitFor();
  assert.match(await page.locator("#audit li").innerText(), /^\d\d:\d\d.*Rejected/);
  assert.ok(!(await page.evaluate(() => sessionStorage.getItem("console.audit"))).includes("hunter2"));
});

nightly("the filter narrows the list, and the keys go through what is left", async (stage) => {
  const { page } = await opened(stage);
  await row(page, TIDES).click();
  await page.keyboard.press("Alt+KeyF");
  await page.keyboard.type("garden");
  await row(page, TIDES).waitFor({ state: "hidden" });
  await page.locator("main").focus();
  await page.keyboard.press("Alt+ArrowDown");
  await page.waitForURL(new RegExp(GARDEN));
  await page.locator("#filter").fill("nothing like it");
  await page.getByText("No session matches.").waitFor();
});

nightly("a narrow screen shows the list or the session, and the focus goes along", async (stage) => {
  const { page } = await opened(stage, { width: 380, height: 700, scheme: "dark" });
  assert.equal(await page.locator("main").isVisible(), false);
  assert.equal(new URL(page.url()).hash, "");
  await row(page, TIDES).and(page.locator('[data-status="waiting"]')).waitFor();
  assert.deepEqual(await violations(page), []);
  await row(page, TIDES).click();
  await card(page, COMMAND).waitFor();
  assert.equal(await page.locator("#sessions").isVisible(), false);
  assert.equal(await page.evaluate(() => document.activeElement.localName), "main");
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 380);
  assert.deepEqual(await violations(page), []);
  await page.getByRole("link", { name: "Sessions" }).click();
  await row(page, TIDES).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.hash), `#session=${TIDES}`);
});

nightly("where the gateway drives a runtime a session can be begun, which is opened", async (stage) => {
  const origin = await site(stage, () => "http://127.0.0.1:7878");
  const answers = {
    "pilothouse.board": { sessions: [], capabilities: ["create"] },
    "pilothouse.create": { sessionId: "begun" },
    "pilothouse.subscribe": { sessionId: "begun", seq: 0 },
  };
  const called = [];
  const page = await stage.page(`${origin}/examples/console/`, {
    width: 1400,
    prepare: (page) => page.routeWebSocket(/api\/rpc/, (socket) => socket.onMessage((text) => {
      const { id, method } = JSON.parse(text);
      called.push(method);
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method] ?? {} }));
    })),
  });
  await page.getByText("There is no session yet.").waitFor();
  await page.getByRole("button", { name: "New" }).click();
  await page.waitForURL(/#session=begun/);
  await page.locator('pilot-house[session="begun"][data-connection="open"]').waitFor();
  assert.equal(called.filter((method) => method === "pilothouse.create").length, 1);
});

nightly("a connection that breaks is told, and comes back by itself", async (stage) => {
  const { page, gateway } = await opened(stage);
  gateway.cut();
  await page.getByText("No connection, trying again").waitFor();
  gateway.mend();
  await page.locator('#connection[data-state="open"]').waitFor();
}, { expected: BROKEN });

for (const [what, address] of [["the list", ""], ["the list and the session", `#session=${TIDES}`]]) {
  nightly(`where a token is needed it is asked for once, for ${what}`, async (stage) => {
    let gateway;
    const origin = await site(stage, () => gateway);
    gateway = await stage.serve(RECORDINGS, { tokens: { PILOTHOUSE_TOKEN: TOKEN }, access: ["--allow-origin", origin] });
    const page = await stage.page(`${origin}/examples/console/${address}`, { width: 1400 });
    const dialog = page.getByRole("dialog", { name: "Sign in" });
    await dialog.waitFor();
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press("Escape");
    await page.getByText("Not signed in").waitFor();
    await page.getByRole("button", { name: "Sign in" }).first().click();
    await dialog.getByLabel("The gateway’s token").fill(TOKEN);
    await page.keyboard.press("Enter");
    await row(page, TIDES).click();
    await card(page, COMMAND).waitFor();
    await page.locator('#connection[data-state="open"]').waitFor();
    assert.equal(await dialog.isVisible(), false);
    assert.equal(await page.evaluate((token) => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]).includes(token), TOKEN), false);
    assert.deepEqual(stage.requests.filter((address) => address.includes(TOKEN)), []);
  });
}
