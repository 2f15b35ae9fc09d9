// Tests that nothing a person wrote is lost: drafts of several tabs, edits and messages of unknown outcome over a
// reload, attachments of messages that did not arrive.

import assert from "node:assert/strict";

import { BROKEN, answer, card, frames, reads, scenario } from "../support/harness.mjs";
import { Runtime } from "../support/stand-in.mjs";
import { field, note, queueUp, composerPage, users, working } from "../support/composer-page.mjs";

/** A complete PNG of one pixel. */
const PIXEL = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

const attach = async (page, name) => {
  await page.locator('.composer-pick input[type="file"]').setInputFiles([{ name, mimeType: "image/png", buffer: PIXEL }]);
  await page.locator(".composer-files li", { hasText: name }).waitFor();
};
const sent = (page, stage) => page.locator(`[data-sent="${stage}"]`);
/** The names of the attached files. */
const files = (page) => page.locator(".composer-files li").allInnerTexts();
const reload = async (page) => {
  await page.reload();
  await field(page).waitFor();
};

scenario("each tab keeps its own draft, and a new tab begins with the browser's", async (stage) => {
  const { page } = await composerPage(stage);
  const open = async () => {
    const tab = await page.context().newPage();
    await tab.goto(page.url());
    await field(tab).waitFor();
    return tab;
  };
  const tab = await open();
  await field(page).fill("A draft of an hour");
  await field(tab).fill("hi");
  await field(tab).press("Enter");
  await reads(tab, "");
  await reload(page);
  await reads(page, "A draft of an hour");
  await reload(tab);
  await reads(tab, "");
  await reads(await open(), "A draft of an hour");
});

scenario("a queued message that is being changed, and the draft put aside, outlive a reload", async (stage) => {
  const { page, runtime } = await working(stage);
  await queueUp(page, "one");
  await field(page).fill("a draft of an hour");
  await page.locator('[data-act="edit"]').click();
  await field(page).fill("one, and more");
  await reload(page);
  await reads(page, "one, and more");
  await note(page).getByText("You change a message that waits").waitFor();
  await field(page).press("Enter");
  assert.equal((await runtime.called("session.queue.updateText")).prompt, "one, and more");
  await reads(page, "a draft of an hour");

  // The agent takes it while it is changed.
  await page.locator('[data-item] [data-act="edit"]').click();
  await field(page).fill("one, and more, and too late");
  runtime.rest();
  await note(page).getByText("gone to the agent").waitFor();
  await reload(page);
  await reads(page, "one, and more, and too late");
  await note(page).getByText("gone to the agent").waitFor();
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

scenario("a page that is reloaded before the server answers says that the message may have arrived", async (stage) => {
  const { page, runtime } = await composerPage(stage);
  runtime.on["session.send"] = () => Runtime.NEVER;
  await field(page).fill("Just now");
  await field(page).press("Enter");
  await runtime.called("session.send");
  await reload(page);
  await sent(page, "unsure").getByText("Just now").waitFor();
  await page.getByRole("button", { name: "Put back" }).click();
  await reads(page, "Just now");
});

scenario("a command whose answer does not come is kept over a reload", async (stage) => {
  const { page, runtime } = await composerPage(stage);
  runtime.on["session.commands.invoke"] = () => Runtime.NEVER;
  await field(page).fill("/plan the boats of an hour");
  await field(page).press("Enter");
  await runtime.called("session.commands.invoke");
  await reload(page);
  await sent(page, "unsure").getByText("/plan the boats of an hour").waitFor();
  await page.getByRole("button", { name: "Put back" }).click();
  await reads(page, "/plan the boats of an hour");
  assert.equal(runtime.of("session.commands.invoke").length, 1, "nobody runs it again by itself");
});

scenario("a queued command that arrived although its answer was lost is not in the field any more", async (stage) => {
  const { page, runtime } = await working(stage);
  runtime.on["session.commands.enqueue"] = ({ command }) => {
    runtime.items.push({ id: "c1", kind: "command", displayText: command });
    return Runtime.NEVER;
  };
  await field(page).fill("/compact keep names");
  await field(page).press("Enter");
  await runtime.called("session.commands.enqueue");
  runtime.cut();
  await page.locator("[data-item]", { hasText: "/compact keep names" }).waitFor();
  await sent(page, "unsure").waitFor({ state: "detached" });
  await reads(page, "");
  await note(page).getByText("It had arrived after all").waitFor();
}, { expected: BROKEN });

scenario("a message with a picture is not taken for somebody else's with the same words", async (stage) => {
  const { page, runtime } = await composerPage(stage);
  await runtime.called("session.model.list");
  runtime.on["session.send"] = () => Runtime.NEVER;
  await attach(page, "boat.png");
  await field(page).fill("Look at this");
  await field(page).press("Enter");
  await runtime.called("session.send");
  runtime.cut();
  await sent(page, "unsure").getByText("boat.png").waitFor();
  await page.locator('pilot-house[data-connection="open"]').waitFor();
  runtime.work("Look at this", "another");
  await page.locator('[data-id="another"]').waitFor();
  await frames(page);
  assert.equal(await sent(page, "unsure").count(), 1);
  assert.deepEqual(await users(page), ["Hello", "Look at this"]);
  await reads(page, "Look at this");
  assert.equal((await files(page)).length, 1, "its picture is in the field");
}, { expected: BROKEN });

scenario("a message that did not arrive comes back with its own attachments, and leaves those of a draft", async (stage) => {
  const { page, runtime } = await composerPage(stage);
  await runtime.called("session.model.list");
  runtime.on["session.send"] = () => Runtime.NEVER;
  await attach(page, "first.png");
  await field(page).fill("First, with a file");
  await field(page).press("Enter");
  await runtime.called("session.send");
  await field(page).fill("Second draft");
  runtime.cut();
  await sent(page, "unsure").waitFor();
  await frames(page);
  assert.deepEqual(await files(page), [], "a draft does not get another message's picture");
  await attach(page, "second.png");
  await field(page).fill("");
  await page.getByRole("button", { name: "Put back" }).click();
  await reads(page, "First, with a file");
  assert.deepEqual((await files(page)).map((name) => name.trim().split("\n")[0]), ["second.png", "first.png"]);

  // Pictures do not outlive the page, and that is said.
  await field(page).fill("");
  await reload(page);
  await page.getByRole("button", { name: "Put back" }).click();
  await note(page).getByText("Attach again: first.png").waitFor();
}, { expected: BROKEN });

scenario("a message that may have arrived is sent again only on the second try", async (stage) => {
  const { page, runtime } = await composerPage(stage);
  runtime.on["session.send"] = () => Runtime.NEVER;
  await field(page).fill("Once only");
  await field(page).press("Enter");
  await runtime.called("session.send");
  runtime.cut();
  await sent(page, "unsure").waitFor();
  await page.locator('pilot-house[data-connection="open"]').waitFor();
  await reads(page, "Once only");
  await field(page).press("Enter");
  await page.locator("[data-doubt]", { hasText: "It may have arrived already" }).waitFor();
  await frames(page);
  assert.equal(runtime.of("session.send").length, 1);
  await field(page).press("Enter");
  await runtime.called("session.send", 2);
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
