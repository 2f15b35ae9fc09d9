// Tests that messages which no turn has taken up survive the end of the real runtime
// and of the gateway, are offered on every page, and are sent again once, when a user
// says so. What the gateway does by itself is tested in gateway/tests/live.

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";

import { frames, nightly, pressUnlessGone, reads, scenario, snapshot, until } from "../support/harness.mjs";
import { startGateway } from "./support/gateway.mjs";
import { Gate } from "./support/model.mjs";
import { withModel } from "./support/shared-model.mjs";

/** What browsers always log about a broken connection. */
const BROKEN = [/WebSocket connection to .* failed/, /Failed to load resource: net::ERR_/, /Failed to fetch/];

let model;
let folders;

const field = (page) => page.locator("[data-compose]");
const dropped = (page, text) => page.locator("[data-dropped]", { hasText: text });
const users = async (page) => (await snapshot(page)).timeline.filter(({ kind }) => kind === "user").map(({ text }) => text);
const answered = (page, text) => until(page, (view, text) => view.session.status === "idle" && view.timeline.some((entry) => entry.text === text), text);

async function write(page, text, key = "Enter") {
  await field(page).fill(text);
  await field(page).press(key);
}

/** Two pages on a new session of a gateway of their own. */
async function watched(stage) {
  const gateway = await startGateway(folders, model);
  stage.atEnd(() => gateway.stop());
  const peer = await gateway.peer();
  const session = await gateway.session(peer, await folders.project());
  const watch = () => stage.embed(gateway.address, `session="${session.id}"`, { whole: false });
  const [page, other] = [await watch(), await watch()];
  await field(page).waitFor();
  return { gateway, session, page, other };
}

/** The same in the middle of the first answer. "later" waits in the queue, with an image. */
async function waiting(stage) {
  const { gateway, session, page, other } = await watched(stage);
  const gate = new Gate();
  stage.atEnd(() => gate.open());
  const calls = [{ name: "list_bash" }];
  model.play({ say: "The boat is white, the sea is blue.", hold: { before: "the sea", gate }, calls });
  await write(page, "Tell me");
  await gate.reached;
  await page.locator('pilot-house[data-status="running"]').waitFor();
  await page.locator("[data-composer] input[type=file]").setInputFiles({ name: "boat.png", mimeType: "image/png", buffer: Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64") });
  await page.locator(".composer-files img").waitFor();
  await write(page, "later");
  for (const one of [page, other]) await one.locator("[data-item]", { hasText: "later" }).waitFor();
  await gateway.persisted(session.id, "Tell me");
  return { gateway, session, page, other };
}

withModel("messages that nobody has begun", (...given) => ([model, folders] = given), () => {
  scenario("the runtime is killed: what waited is offered on every page, and sent again once", async (stage) => {
    const { gateway, session, page, other } = await waiting(stage);
    await write(page, "steer it", "Control+Enter");
    await page.locator('[data-steering="waits"]').waitFor();
    gateway.killRuntime();
    await session.event("session.resume");
    for (const one of [page, other]) {
      await dropped(one, "2 messages were dropped").waitFor();
      await one.locator("[data-item], [data-steering]").first().waitFor({ state: "detached" });
      assert.equal(await one.locator("[data-sent]").count(), 0);
      assert.deepEqual((await snapshot(one)).queue.items, [], "nothing waits");
    }
    await page.locator('[data-dropped] li', { hasText: "steer it" }).locator('[data-act="discard"]').click();
    for (const one of [page, other]) await dropped(one, "1 message was dropped").waitFor();

    model.play({ say: "Here it is." });
    await Promise.all([page, other].map((one) => pressUnlessGone(one.locator("[data-send-again]"))));
    for (const one of [page, other]) {
      await answered(one, "Here it is.");
      await one.locator("[data-dropped]").waitFor({ state: "detached" });
      assert.deepEqual(await users(one), ["Tell me", "later"]);
    }
    assert.equal(gateway.sends(session.id, "later"), 2, "by the person, and by the person's word");
    assert.match(JSON.stringify(model.asked.at(-1).messages), /image/, "with its image");
  });

  scenario("the runtime is killed with a change on its way: the changed text is in the field, before the draft", async (stage) => {
    const { gateway, page } = await waiting(stage);
    await field(page).fill("half a sen");
    await page.locator('[data-act="edit"]').click();
    gateway.freezeRuntime();
    await write(page, "later, with care");
    await page.locator("[data-item]", { hasText: "later, with care" }).waitFor();
    gateway.killRuntime();
    await dropped(page, "later").waitFor();
    await page.waitForFunction(() => document.querySelector("pilot-house").shadowRoot.querySelector("[data-compose]").value === "later, with care\n\nhalf a sen");
  });

  nightly("there is no runtime: a message outlives a reload and its composer, and is offered on every page", async (stage) => {
    const { gateway, session, page, other } = await watched(stage);
    model.play({ say: "Hello." });
    await write(page, "Ahoy");
    await session.event("session.idle");
    await answered(page, "Hello.");
    await gateway.persisted(session.id, "Hello.");
    gateway.spoilRuntime("exec sleep 60");
    gateway.killRuntime();
    await page.locator(".health").waitFor();
    await write(page, "a thought");
    // A page that is gone sends nothing any more.
    await page.line.until((sent) => sent.some(({ params }) => params?.prompt === "a thought"));
    await page.reload();
    for (const one of [page, other]) await dropped(one, "a thought").waitFor();
    assert.equal(await field(page).inputValue(), "");
    gateway.mendRuntime();
    gateway.killRuntime();
    await session.event("session.resume");
    model.play({ say: "A good one." });
    await other.locator("[data-send-again]").click();
    for (const one of [page, other]) await answered(one, "A good one.");
    assert.equal(gateway.sends(session.id, "a thought"), 1);
    assert.deepEqual(await users(page), ["Ahoy", "a thought"]);
  }, { expected: [/.*/] });

  scenario("the gateway is killed and started again: what waited goes back into the field, with what was written", async (stage) => {
    const { gateway, session, page, other } = await waiting(stage);
    await field(page).fill("half a sen");
    await gateway.kill();
    await page.locator('pilot-house[data-connection="waiting"]').waitFor();
    await gateway.start();
    for (const one of [page, other]) await dropped(one, "later").waitFor();
    await frames(page);
    assert.equal(gateway.sends(session.id, "later"), 1, "nobody sends it by itself");
    await page.locator("[data-put-back]").click();
    for (const one of [page, other]) await one.locator("[data-dropped]").waitFor({ state: "detached" });
    await reads(page, "later\n\nhalf a sen");
    assert.equal(await page.locator(".composer-files img").count(), 1);
    model.play({ say: "Both, then." });
    await field(page).press("Enter");
    for (const one of [page, other]) await answered(one, "Both, then.");
    assert.deepEqual(await users(other), ["Tell me", "later\n\nhalf a sen"]);
    assert.match(JSON.stringify(model.asked.at(-1).messages), /image/, "with its image");
  }, { expected: BROKEN });

  scenario("the runtime is killed: queued commands are offered as they were typed, and run by a person's word alone", async (stage) => {
    const { gateway, session, page, other } = await waiting(stage);
    const fleet = "/fleet paint the boats as we agreed, the small one first";
    for (const command of [fleet, "/compact keep the names"]) {
      await write(page, command);
      await page.locator("[data-item]", { hasText: command }).waitFor();
    }
    gateway.killRuntime();
    await session.event("session.resume");
    for (const one of [page, other]) await dropped(one, "3 messages were dropped").waitFor();
    await other.reload();
    await other.locator("[data-dropped] li", { hasText: "later" }).locator('[data-act="discard"]').click();
    await other.locator("[data-dropped] li", { hasText: "/compact" }).locator('[data-act="back"]').click();
    await reads(other, "/compact keep the names");
    for (const one of [page, other]) await dropped(one, "1 message was dropped").getByText(fleet).waitFor();
    assert.equal(model.asked.length, 1, "nothing runs by itself");

    model.play({ say: "The boats are painted." });
    await Promise.all([page, other].map((one) => pressUnlessGone(one.locator("[data-send-again]"))));
    for (const one of [page, other]) {
      await answered(one, "The boats are painted.");
      await one.locator("[data-dropped]").waitFor({ state: "detached" });
    }
    assert.equal(model.asked.length, 1, "once");
    assert.match(model.told.at(-1), /fleet/i, "with what the command says to the agent");
    assert.deepEqual((await session.call("pilothouse.backlog")).messages, []);
  }, { expected: BROKEN });

  scenario("the runtime dies before it has written a new session down: the first message is sent again, in a session made again", async (stage) => {
    const { gateway, session, page, other } = await watched(stage);
    const gate = new Gate();
    stage.atEnd(() => gate.open());
    model.play({ say: "Never.", hold: { before: "Never", gate } });
    let killed = false;
    session.each("user.message", () => {
      if (killed) return;
      killed = true;
      gateway.killRuntime();
      // On a busy machine it may have been quicker than the message about it.
      rmSync(join(folders.config, "session-state", session.id), { recursive: true, force: true });
    });
    await write(page, "the very first");
    for (const one of [page, other]) await dropped(one, "the very first").waitFor();
    model.play({ say: "At last." });
    await page.locator("[data-send-again]").click();
    for (const one of [page, other]) {
      await answered(one, "At last.");
      await one.locator("[data-dropped]").waitFor({ state: "detached" });
    }
    assert.equal(gateway.sends(session.id, "the very first"), 2, "by the person, and by the person's word");
    assert.equal(model.asked.length, 1);
    assert.equal(model.asked[0].model, "claude-sonnet-4.5", "with the model that was chosen");
  }, { expected: BROKEN });

  scenario("an abort on one page is seen on the other, and after a reload", async (stage) => {
    const { session, page, other } = await waiting(stage);
    await session.call("session.abort", { reason: "user_initiated" });
    for (const one of [page, other]) await dropped(one, "later").waitFor();
    await page.reload();
    await dropped(page, "later").waitFor();
    await page.locator("[data-discard]").click();
    for (const one of [page, other]) await one.locator("[data-dropped]").waitFor({ state: "detached" });
    await page.reload();
    await field(page).waitFor();
    await until(page, `(view) => view.session.status === "idle"`);
    const { messages } = await session.call("pilothouse.backlog");
    assert.deepEqual(messages, []);
  });
});
