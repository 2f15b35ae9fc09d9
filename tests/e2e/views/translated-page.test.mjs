// A page that the browser translates: each text node is taken out, and a <font> with other words stands in its place.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { card, host, push, scenario } from "../support/harness.mjs";

/** Translates what may be translated, as browsers do. Returns how many texts that were. `inside` leaves the node in the font. */
const translate = (page, inside = false) => page.evaluate((inside) => {
  const root = document.querySelector("pilot-house").shadowRoot;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) {
    const { parentElement: parent, data } = walker.currentNode;
    if (!data.trim() || parent.closest(`[translate="no"], style, script, textarea`) || parent.tagName === "FONT") continue;
    texts.push(walker.currentNode);
  }
  for (const text of texts) {
    const font = document.createElement("font");
    text.replaceWith(font);
    if (inside) font.append(text);
    else font.textContent = text.data;
  }
  return texts.length;
}, inside);

for (const inside of [false, true]) {
  scenario(`what lives goes on when a translator has ${inside ? "wrapped" : "replaced"} every text`, async (stage) => {
    const page = await host(stage);
    const script = new Script("translated").user("How deep?").turn().begin("deep", "The charts ").ask("sound", "ls charts/");
    await push(page, script.take());
    await card(page, "sound").waitFor();
    assert.ok(await translate(page, inside) > 10);
    await push(page, script.more("deep", "say four ", "fathoms.").ask("again", "cat depths").take());
    await card(page, "again").waitFor();
    await translate(page, inside);
    const status = await page.locator("header").first().innerText();
    await push(page, script.allowed("sound").allowed("again").say("The charts say four fathoms.", "deep").rest().take());
    const answer = await page.locator(`[data-entry="assistant"]`).innerText();
    assert.match(answer, /The charts say four fathoms\.$/);
    assert.equal(answer.match(/The charts/g).length, 1, answer);
    const idle = await page.locator("header").first().innerText();
    assert.notEqual(idle, status);
    assert.match(idle, /Idle/);
  });
}

scenario("commands, code, paths, diffs, output and answers are not translated", async (stage) => {
  const page = await host(stage);
  const script = new Script("exact").user("Do it").turn().say("Run `ls charts/`:\n\n```sh\nls charts/\n```");
  script.shell("list", "ls charts/").output("list", "north.txt\n").ask("sound", "rm charts/old.txt");
  const diff = "--- a/charts/new.txt\n+++ b/charts/new.txt\n@@ -1 +1 @@\n-north\n+south\n";
  const permissionRequest = { kind: "write", intention: "Mend it", fileName: "charts/new.txt", diff };
  script.add("permission.requested", { requestId: "mend", permissionRequest });
  await push(page, script.take());
  await card(page, "sound").waitFor();
  await card(page, "mend").locator(".changes").waitFor();
  await page.locator(".waits-list").click();
  await page.locator(".waiting .what").first().waitFor();
  await translate(page);
  const exact = await page.evaluate(() => {
    const root = document.querySelector("pilot-house").shadowRoot;
    const exact = root.querySelectorAll("code, kbd, pre.code, .terminal, .changes, .waiting .what, [data-answer]");
    return [...exact].filter((element) => element.querySelector("font")).map((element) => element.outerHTML);
  });
  assert.deepEqual(exact, []);
  const command = await page.locator(`[data-request-id="sound"] .request-what code`).first().innerText();
  assert.equal(command, "rm charts/old.txt");
});
