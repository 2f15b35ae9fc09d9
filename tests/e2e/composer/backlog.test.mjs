// Tests what a page shows of messages that a gateway keeps, and what a user can do with them. The gateway is
// a stand-in. What a gateway keeps and when is tested in gateway/tests/live and live/backlog.test.mjs.

import assert from "node:assert/strict";

import { frames, reads, scenario, until } from "../support/harness.mjs";
import { field, note, queueUp, composerPage, working } from "../support/composer-page.mjs";

const GONE = -32009;
const UNKNOWN_OUTCOME = -32007;
const IMAGE = { type: "blob", mimeType: "image/png", displayName: "boat.png", data: "iVBORw==" };

/** Makes the stand-in keep messages as a gateway does. */
function keeping(runtime, ...messages) {
  const kept = messages;
  const of = (id) => kept.find((message) => message.id === id);
  const drop = (id) => kept.splice(kept.indexOf(of(id)), 1);
  const told = () => runtime.notify("pilothouse.backlog.changed", { sessionId: "steered" });
  const refused = () => {
    throw runtime.refusal(GONE, "gone");
  };
  runtime.on["pilothouse.backlog"] = () => ({ messages: kept.map(({ params, ...shown }) => ({ attachments: [], ...shown })) });
  runtime.on["pilothouse.backlog.read"] = ({ id }) => (of(id) ? { message: of(id).params } : refused());
  runtime.on["pilothouse.backlog.discard"] = ({ id }) => {
    const discarded = Boolean(of(id));
    if (discarded) drop(id);
    told();
    return { discarded };
  };
  runtime.on["pilothouse.backlog.send"] = ({ id }) => {
    if (!of(id)) refused();
    const [{ text }] = drop(id);
    told();
    runtime.work(text, `again-${id}`);
    return { messageId: `again-${id}` };
  };
  return { kept, told, of };
}

const message = (id, text, more = {}) => ({ id, messageId: `m-${id}`, state: "dropped", text, params: { prompt: text }, ...more });
const dropped = (page) => page.locator("[data-dropped]");
const rows = (page) => page.locator("[data-dropped] li p").allTextContents();

scenario("what a gateway keeps is there when a page comes, and each message is decided about by itself", async (stage) => {
  let gateway;
  const { page, runtime } = await composerPage(stage, {
    prepare: (runtime) => (gateway = keeping(runtime, message("1", "one"), message("2", "two", { attachments: ["boat.png"], params: { prompt: "long two", displayPrompt: "two", attachments: [IMAGE] } }), message("3", "three"), message("4", "waits", { state: "waiting" }))),
  });
  await dropped(page).getByText("3 messages were dropped before the agent took them up").waitFor();
  assert.deepEqual(await rows(page), ["one", "two · boat.png", "three"]);
  await page.getByRole("button", { name: "Send again: one" }).click();
  await dropped(page).getByText("2 messages were dropped").waitFor();
  assert.deepEqual(await runtime.called("pilothouse.backlog.send"), { id: "1" });
  await page.getByRole("button", { name: "Put back: two" }).click();
  await dropped(page).getByText("1 message was dropped").waitFor();
  await reads(page, "two");
  assert.equal(await page.locator(".composer-files img").count(), 1);
  // Another viewer sends the message before this page's request arrives.
  const send = runtime.on["pilothouse.backlog.send"];
  runtime.on["pilothouse.backlog.send"] = (params) => {
    gateway.kept.splice(gateway.kept.indexOf(gateway.of("3")), 1);
    return send(params);
  };
  await page.locator("[data-send-again]").click();
  await note(page).getByText("It is no longer here").waitFor();
  await dropped(page).waitFor({ state: "detached" });
  assert.deepEqual(runtime.of("session.send"), []);
});

scenario("while a queued message is changed nothing else is put into the field", async (stage) => {
  const { page, runtime } = await working(stage);
  await queueUp(page, "alpha", "bravo");
  await page.locator("[data-item]", { hasText: "alpha" }).locator('[data-act="edit"]').click();
  await field(page).fill("alpha, changed");
  await page.locator("[data-item]", { hasText: "bravo" }).locator('[data-act="remove"]').click();
  await dropped(page).waitFor();
  assert.ok(await page.locator("[data-put-back]").isDisabled());
  await field(page).press("Enter");
  await page.locator("[data-put-back]:enabled").click();
  await reads(page, "bravo");
  assert.equal((await runtime.called("session.queue.updateText")).prompt, "alpha, changed");
});

scenario("a message that went out as the runtime ended is offered once, and is not in the field as well", async (stage) => {
  let gateway;
  const { page, runtime } = await composerPage(stage, { prepare: (runtime) => (gateway = keeping(runtime)) });
  runtime.on["session.send"] = ({ prompt }) => {
    gateway.kept.push(message("1", prompt, { messageId: null, state: "waiting" }));
    throw runtime.refusal(UNKNOWN_OUTCOME, "the runtime ended before it answered");
  };
  await field(page).fill("later");
  await field(page).press("Enter");
  await page.locator('[data-sent="unsure"]').waitFor();
  await reads(page, "later", "nobody knows better yet");
  gateway.of("1").state = "dropped";
  gateway.told();
  await dropped(page).waitFor();
  await page.locator("[data-sent]").waitFor({ state: "detached" });
  await reads(page, "");
  assert.deepEqual(await rows(page), ["later"]);
  assert.equal(runtime.of("session.send").length, 1);
});

scenario("what an abort dropped and a gateway keeps is offered once, and is offered no more when it has begun", async (stage) => {
  let gateway;
  const { page, runtime } = await working(stage, { prepare: (runtime) => (gateway = keeping(runtime)) });
  await queueUp(page, "alpha", "bravo");
  gateway.kept.push(...runtime.items.map(({ messageId, displayText }, at) => message(`${at}`, displayText, { messageId, state: "waiting" })));
  gateway.told();
  await runtime.called("pilothouse.backlog", runtime.of("pilothouse.backlog").length + 1);
  await page.getByRole("button", { name: "More ways to stop" }).click();
  await page.getByRole("menuitem", { name: "Abort" }).click();
  await page.locator("[data-item]").first().waitFor({ state: "detached" });
  for (const one of gateway.kept) one.state = "dropped";
  gateway.told();
  await dropped(page).getByText("2 messages were dropped").waitFor();
  assert.deepEqual(await rows(page), ["alpha", "bravo"]);
  gateway.kept.shift();
  gateway.told();
  await dropped(page).getByText("1 message was dropped").waitFor();
  await page.locator("[data-discard]").click();
  await dropped(page).waitFor({ state: "detached" });
  assert.deepEqual(gateway.kept, []);
});

scenario("what the page knew as dropped before the gateway did is not offered again when that was sent", async (stage) => {
  let gateway;
  const { page, runtime } = await working(stage, { prepare: (runtime) => (gateway = keeping(runtime)) });
  await queueUp(page, "alpha");
  const [{ messageId }] = runtime.items;
  await page.getByRole("button", { name: "More ways to stop" }).click();
  await page.getByRole("menuitem", { name: "Abort" }).click();
  await dropped(page).waitFor();
  gateway.kept.push(message("1", "alpha", { messageId }));
  const asked = runtime.of("pilothouse.backlog").length;
  gateway.told();
  await runtime.called("pilothouse.backlog", asked + 1);
  await frames(page);
  assert.deepEqual(await rows(page), ["alpha"], "once");
  const sent = runtime.of("session.send").length;
  await page.locator("[data-send-again]").click();
  assert.deepEqual(await runtime.called("pilothouse.backlog.send"), { id: "1" });
  await until(page, (view) => view.timeline.some(({ kind, text }) => kind === "user" && text === "alpha"));
  await frames(page);
  assert.equal(await dropped(page).count(), 0);
  assert.equal(runtime.of("session.send").length, sent);
});
