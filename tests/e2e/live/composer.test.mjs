// Tests steering the real runtime from the page: sending, steering, the queue, stopping, mode, model. The
// composer itself is tested in composer.test.mjs and steering.test.mjs.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { nightly, reads, scenario, snapshot, until } from "../support/harness.mjs";
import { outfit } from "./support/gateway.mjs";
import { Gate } from "./support/model.mjs";
import { NEXT, absent } from "./support/runtime.mjs";
import { SCENES } from "./support/request-cases.mjs";
import { assertValid } from "./support/schema.mjs";
import { raise } from "./support/sessions.mjs";

let model;
let folders;
let gateway;
let peer;
let end;

const field = (page) => page.locator("[data-compose]");
const users = async (page) => (await snapshot(page)).timeline.filter(({ kind }) => kind === "user").map(({ text }) => text);
const items = (page, count) => page.waitForFunction((count) => {
  const root = document.querySelector("pilot-house").shadowRoot;
  return root.querySelectorAll("[data-item]").length === count && !root.querySelector("[data-sent]");
}, count);

async function write(page, text, key = "Enter") {
  await field(page).fill(text);
  await field(page).press(key);
}

/** A page on a new session. Whatever it sends is checked against the schema. */
async function begin(stage) {
  const session = await gateway.session(peer, await folders.project());
  const sent = [];
  const prepare = (page) => page.on("websocket", (socket) => socket.on("framesent", ({ payload }) => {
    for (const line of String(payload).split("\n").filter(Boolean)) {
      const { method, params } = JSON.parse(line);
      if (method?.startsWith("session.")) sent.push({ method, params });
    }
  }));
  const page = await stage.embed(gateway.address, `session="${session.id}"`, { whole: false, prepare });
  await field(page).waitFor();
  // The page finds out by a call whether messages can be taken back, which an older schema does not know.
  const known = ({ method }) => NEXT || method !== "session.queue.withdrawMessage";
  stage.atEnd(() => sent.filter(known).forEach(({ method, params }) => assertValid(method, params)));
  return { page, session, sent };
}

/** The same, in the middle of the first answer. */
async function busy(stage, ...replies) {
  const all = await begin(stage);
  const gate = new Gate();
  // The call makes the turn go on after the answer, so that it can still be steered.
  const calls = [{ name: "list_bash" }];
  model.play({ say: "The boat is white, the sea is blue.", hold: { before: "the sea", gate }, calls }, ...replies);
  await write(all.page, "Tell me");
  await gate.reached;
  await all.page.locator('pilot-house[data-status="running"]').waitFor();
  return { ...all, gate };
}

if (absent) {
  test("the composer steers the real runtime", { skip: absent });
} else {
  before(async () => {
    ({ model, folders, gateway, peer, end } = await outfit());
  });

  after(() => end?.());

  scenario("a message is sent from the page and answered", async (stage) => {
    const { page, session } = await begin(stage);
    model.play({ say: "Hello." });
    await write(page, "Ahoy");
    await session.event("session.idle");
    await until(page, `(view) => view.timeline.some(({ text }) => text === "Hello.")`);
    assert.deepEqual(await users(page), ["Ahoy"]);
  });

  scenario("while it works a message steers, or waits in the queue and is moved, taken out and sent", async (stage) => {
    const { page, session, gate } = await busy(stage, { say: "Red, then." }, { say: "And two." });
    for (const text of ["one", "two"]) await write(page, text);
    await items(page, 2);
    await page.locator("[data-item]", { hasText: "two" }).locator('[data-act="up"]').click();
    await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.querySelector("[data-item]").textContent.includes("two"));
    await page.locator("[data-item]", { hasText: "one" }).locator('[data-act="remove"]').click();
    await items(page, 1);
    await write(page, "Make it red", "Control+Enter");
    await page.locator('[data-steering="waits"]').waitFor();
    const queue = await session.call("session.queue.pendingItems");
    assert.deepEqual(queue.items.map(({ displayText }) => displayText), ["two"]);
    gate.open();
    const last = await session.event(({ type, data }) => type === "user.message" && data.content === "two");
    await session.event("session.idle", last);
    await until(page, `(view) => view.session.status === "idle" && view.queue.items.length === 0`);
    assert.deepEqual(await users(page), ["Tell me", "Make it red", "two"]);
  });

  scenario("who goes from one queued message to the next keeps both changes, and the draft", async (stage) => {
    const { page, gate } = await busy(stage, { say: "Told." }, { say: "One." }, { say: "Two." });
    const act = (text) => page.locator("[data-item]", { hasText: text }).locator('[data-act="edit"]').click();
    const itemReads = (text) => page.locator("[data-item] p").getByText(text, { exact: true }).waitFor();
    for (const text of ["one", "two"]) await write(page, text);
    await items(page, 2);
    await field(page).fill("half a sen");
    await act("one");
    await field(page).fill("one, changed");
    await act("two");
    await reads(page, "two");
    await itemReads("one, changed");
    await write(page, "two, changed");
    await itemReads("two, changed");
    await reads(page, "half a sen");
    gate.open();
    await until(page, `(view) => view.session.status === "idle" && view.timeline.some(({ text }) => text === "Two.")`);
    assert.deepEqual(await users(page), ["Tell me", "one, changed", "two, changed"]);
    assert.equal(model.unscripted, 0);
  });

  scenario(NEXT ? "a message for the running turn is taken back into the field" : "an older runtime offers no taking back", async (stage) => {
    const { page, gate } = await busy(stage, { say: "Told." });
    await field(page).fill("Make it red");
    await field(page).press("Control+Enter");
    await page.locator('[data-steering="waits"]', { hasText: "Make it red" }).waitFor();
    if (NEXT) {
      await field(page).fill("half a sen");
      await page.locator('[data-act="withdraw"]').click();
      await reads(page, "Make it red\n\nhalf a sen");
      await page.locator("[data-steering]").waitFor({ state: "detached" });
    }
    gate.open();
    await until(page, `(view) => view.session.status === "idle" && view.timeline.some(({ text }) => text === "Told.")`);
    assert.deepEqual(await users(page), NEXT ? ["Tell me"] : ["Tell me", "Make it red"]);
    assert.equal(await page.locator('[data-act="withdraw"], [data-dropped], [data-sent]').count(), 0);
    assert.equal(model.unscripted, 0);
  });

  scenario("a message is taken while it is changed: the change is sent as a new one, and the draft comes back", async (stage) => {
    const { page, gate } = await busy(stage, { say: "Told." }, { say: "One." }, { say: "More." });
    await write(page, "one");
    await items(page, 1);
    await field(page).fill("half a sen");
    await page.locator('[data-act="edit"]').click();
    gate.open();
    await until(page, `(view) => view.session.status === "idle" && view.timeline.some(({ text }) => text === "One.")`);
    await page.locator(".composer-note").getByText("The agent has the message already").waitFor();
    await write(page, "one, and more");
    await until(page, `(view) => view.timeline.some(({ text }) => text === "More.")`);
    await reads(page, "half a sen");
    assert.deepEqual(await users(page), ["Tell me", "one", "one, and more"]);
    assert.equal(model.unscripted, 0);
  });

  scenario("stopping ends the turn; an abort drops the queue, which is offered for the field", async (stage) => {
    const { page, session, gate } = await busy(stage, { say: "Back again." });
    await write(page, "never");
    await items(page, 1);
    await page.getByRole("button", { name: "More ways to stop" }).click();
    await page.getByRole("menuitem", { name: "Abort" }).click();
    await session.event("abort");
    gate.open();
    await page.locator("[data-dropped]").waitFor();
    await until(page, `(view) => view.session.status === "idle"`);
    await page.locator("[data-put-back]").click();
    await page.locator("[data-dropped]").waitFor({ state: "detached" });
    await reads(page, "never");
    assert.deepEqual(await users(page), ["Tell me"], "nothing runs by itself");
    await field(page).press("Enter");
    await until(page, `(view) => view.session.status === "idle" && view.timeline.some(({ text }) => text === "Back again.")`);
    assert.deepEqual(await users(page), ["Tell me", "never"]);
  });

  scenario("the turn is interrupted", async (stage) => {
    const { page, session, gate, sent } = await busy(stage);
    await field(page).press("Control+.");
    await session.event("session.idle");
    gate.open();
    await page.locator('pilot-house[data-status="idle"]').waitFor();
    assert.ok(sent.some(({ method }) => method === "session.interruptMainTurn"));
  });

  scenario("a sign-in that waits while the agent rests holds nothing up: what is written is sent, and nothing is to be stopped", async (stage) => {
    const scene = SCENES.find(({ name }) => name === "sign-in");
    const create = (project, options) => gateway.session(peer, project, options);
    const { session, request } = await raise(scene, {}, { model, home: folders, create });
    await session.event("session.idle");
    const page = await stage.embed(gateway.address, `session="${session.id}"`, { whole: false });
    await page.locator(`[data-request-id="${request.data.requestId}"]`).waitFor();
    await page.getByText("Enter sends").waitFor();
    assert.equal(await page.locator("[data-stop]:visible").count(), 0);
    model.play({ say: "Still at rest, then." });
    await write(page, "Go on without it");
    await until(page, `(view) => view.timeline.some(({ text }) => text === "Still at rest, then.")`);
    const last = session.events("user.message").at(-1);
    assert.equal(last.data.content, "Go on without it");
    assert.equal((await snapshot(page)).pending.length, 1, "the sign-in still waits");
  });

  scenario("mode and model are changed by menus", async (stage) => {
    const { page, session } = await begin(stage);
    await page.locator("[data-mode]").click();
    await page.getByRole("menuitemradio", { name: "Plan" }).click();
    assert.equal((await session.event("session.mode_changed")).data.newMode, "plan");
    await page.locator("[data-model]").click();
    await page.getByRole("menuitemradio", { name: "gpt-5.4" }).click();
    assert.equal((await session.event("session.model_change")).data.newModel, "gpt-5.4");
    await page.getByRole("button", { name: /Model: gpt-5\.4/ }).waitFor();
    await page.locator("[data-model]").click();
    await page.getByRole("menuitemradio", { name: "high" }).click();
    await page.getByRole("button", { name: /Model: gpt-5\.4 · high/ }).waitFor();
    assert.equal((await session.call("session.model.getCurrent")).reasoningEffort, "high");
  });

  nightly("a message that is longer than the gateway takes is not sent, and five large pictures are", async (stage) => {
    const session = await gateway.session(peer, await folders.project(), { model: "gpt-5.4" });
    const page = await stage.embed(gateway.address, `session="${session.id}"`, { whole: false });
    // The 20 MB go through debug builds twice.
    page.setDefaultTimeout(90_000);
    await field(page).waitFor();
    const pixel = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
    const picture = (at) => ({ name: `${at}.png`, mimeType: "image/png", buffer: Buffer.concat([pixel, Buffer.alloc(3_000_000, at)]) });
    await page.locator("[data-composer] input[type=file]").setInputFiles([0, 1, 2, 3, 4, 5, 6].map(picture));
    const pictures = page.locator(".composer-files img");
    await pictures.nth(6).waitFor();
    await write(page, "Look at these");
    await page.locator('[data-sent="failed"]').getByText(/it has 28 MB, and the server takes at most 25\.1 MB/).waitFor();
    assert.equal(await field(page).inputValue(), "Look at these");
    assert.equal(await pictures.count(), 7);
    assert.equal(await page.locator("pilot-house").getAttribute("data-connection"), "open");
    assert.deepEqual(await users(page), []);

    for (const at of [6, 5]) await page.locator(".composer-files button").nth(at).click();
    model.play({ say: "I see five." });
    await field(page).press("Enter");
    await until(page, `(view) => view.session.status === "idle" && view.timeline.some(({ text }) => text === "I see five.")`);
    assert.deepEqual(await users(page), ["Look at these"]);
    assert.equal(gateway.sends(session.id, "Look at these"), 1);
    assert.equal(await pictures.count(), 0);
  });
}
