// Tests that nothing a person wrote is lost where the browser has a part in it: edits and messages of unknown outcome over a
// reload, files that are still read, storage that is full or forbidden. What is decided is tested in
// src/core/client/compose/tests.rs.

import assert from "node:assert/strict";

import { BROKEN, answer, card, frames, reads, scenario } from "../support/harness.mjs";
import { Runtime } from "../support/stand-in.mjs";
import { field, note, queueUp, composerPage, working } from "../support/composer-page.mjs";

/** A complete PNG of one pixel. */
const PIXEL = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

const sent = (page, stage) => page.locator(`[data-sent="${stage}"]`);
const reload = async (page) => {
  await page.reload();
  await field(page).waitFor();
};

scenario("a queued message that is being changed, and the draft put aside, outlive a reload", async (stage) => {
  const { page, runtime } = await working(stage);
  await queueUp(page, "one");
  await field(page).fill("a draft of an hour");
  await page.locator('[data-act="edit"]').click();
  await field(page).fill("one, and more");
  await reload(page);
  await reads(page, "one, and more");
  await note(page).getByText("You are changing a message that waits").waitFor();
  await field(page).press("Enter");
  assert.equal((await runtime.called("session.queue.updateText")).prompt, "one, and more");
  await reads(page, "a draft of an hour");

  // The agent takes it while it is changed.
  await page.locator('[data-item] [data-act="edit"]').click();
  await field(page).fill("one, and more, and too late");
  runtime.rest();
  await note(page).getByText("The agent has the message already").waitFor();
  await reload(page);
  await reads(page, "one, and more, and too late");
  await note(page).getByText("The agent has the message already").waitFor();
  await field(page).press("Enter");
  await runtime.called("session.send", 3);
  await reads(page, "a draft of an hour");
});

scenario("a message that may have arrived is looked for after a reload as well", async (stage) => {
  const { page, runtime } = await composerPage(stage);
  runtime.on["session.send"] = () => Runtime.NEVER;
  await field(page).fill("Once only");
  await field(page).press("Enter");
  await runtime.called("session.send");
  runtime.cut();
  await sent(page, "unsure").waitFor();
  await reload(page);
  await sent(page, "unsure").getByText("Once only").waitFor();
  await reads(page, "Once only");
  runtime.work("Once only", "somewhere");
  await sent(page, "unsure").waitFor({ state: "detached" });
  await reads(page, "");
  await note(page).getByText("It had arrived after all").waitFor();
  assert.equal(runtime.of("session.send").length, 1);
  await reload(page);
  await frames(page);
  assert.equal(await page.locator("[data-sent]").count(), 0, "what is settled stays settled");
}, { expected: BROKEN });

scenario("a message waits for the picture that was chosen before it was sent", async (stage) => {
  const { page, runtime } = await composerPage(stage);
  await runtime.called("session.model.list");
  await field(page).fill("Look");
  await page.evaluate((pixel) => {
    const { shadowRoot } = document.querySelector("pilot-house");
    const data = new DataTransfer();
    data.items.add(new File([Uint8Array.from(atob(pixel), (letter) => letter.charCodeAt(0))], "pier.png", { type: "image/png" }));
    const input = shadowRoot.querySelector('.composer-pick input[type="file"]');
    input.files = data.files;
    input.dispatchEvent(new Event("change"));
    shadowRoot.querySelector("[data-compose]").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
  }, PIXEL.toString("base64"));
  const { prompt, attachments } = await runtime.called("session.send");
  assert.deepEqual([prompt, attachments?.length], ["Look", 1]);
});

for (const [what, prevent] of [
  ["is full", () => void (Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); })],
  ["is forbidden", () => {
    const get = () => { throw new DOMException("denied", "SecurityError"); };
    for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, { get });
  }],
]) {
  scenario(`where the browser's storage ${what} drafts are not kept, and all else goes on`, async (stage) => {
    const { page, runtime } = await composerPage(stage);
    await page.evaluate(prevent);
    await field(page).fill("Main task");
    await field(page).press("Enter");
    assert.equal((await runtime.called("session.send")).prompt, "Main task");
    runtime.script.ask("sure", "ls boats");
    runtime.tell();
    await field(page).fill("And then?");
    await answer(page, "sure", "approve-once");
    await runtime.called("session.permissions.handlePendingPermissionRequest");
    assert.equal(await field(page).inputValue(), "And then?");
  });
}

scenario("a page that the browser discarded in the background comes back with its drafts and its open request", async (stage) => {
  const { page, runtime } = await composerPage(stage, { prepare: ({ script }) => script.user("Go", "go").turn().ask("sure", "ls boats") });
  await field(page).fill("A draft of an hour");
  await card(page, "sure").getByLabel("Feedback to the agent").fill("Not the white one");
  // A discarded page ends without any event. Its tab keeps only what was stored when it was frozen.
  const browser = await page.context().newCDPSession(page);
  await browser.send("Page.setWebLifecycleState", { state: "frozen" });
  const kept = await page.evaluate(() => [sessionStorage, localStorage].map((storage) => Object.entries(storage)));
  await page.close();
  runtime.script.say("The white one lies at the pier.");
  runtime.tell();
  const again = await stage.page(page.url(), {
    prepare: (page) => page.addInitScript((kept) => {
      Object.defineProperty(Document.prototype, "wasDiscarded", { get: () => true });
      [sessionStorage, localStorage].forEach((storage, nth) => kept[nth].forEach(([name, value]) => storage.setItem(name, value)));
    }, kept),
  });
  await reads(again, "A draft of an hour");
  await again.getByText("The white one lies at the pier.").waitFor();
  await card(again, "sure").waitFor();
  assert.ok(await card(again, "sure").locator('[data-answer="reject"]').evaluate((button) => button.getBoundingClientRect().bottom <= innerHeight), "the request is on the screen");
  assert.equal(await card(again, "sure").getByLabel("Feedback to the agent").inputValue(), "Not the white one");
  runtime.on["session.permissions.handlePendingPermissionRequest"] = () => ({ success: true });
  await answer(again, "sure", "reject");
  const { requestId, result } = await runtime.called("session.permissions.handlePendingPermissionRequest");
  assert.deepEqual([requestId, result.feedback], ["sure", "Not the white one"]);
  await reads(again, "A draft of an hour");
});
