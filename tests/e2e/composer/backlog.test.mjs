// Tests what a page shows of messages that a gateway keeps, and what a user can do with them. The gateway is
// a stand-in. What a gateway keeps and when is tested in gateway/tests/live and live/backlog.test.mjs.

import assert from "node:assert/strict";

import { reads, scenario } from "../support/harness.mjs";
import { field, note, queueUp, composerPage, working } from "../support/composer-page.mjs";

const GONE = -32009;
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
