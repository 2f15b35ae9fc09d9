// Tests a link with which anybody watches one session: it shows that session and takes no answers, and ends when it is taken back.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { inPage, scenario } from "../support/harness.mjs";

const TOKEN = "token-of-the-operator";

scenario("a link shows its session read-only to who has not signed in, until it is taken back", async (stage) => {
  const boats = new Script("boats").user("Moor the boats").ask("ask", "make fast").events;
  const docks = new Script("docks").user("Sweep the docks").events;
  const address = await stage.serve([boats, docks], { tokens: { PILOTHOUSE_TOKEN: TOKEN } });
  const headers = { Authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  const [{ sessionId }] = await (await fetch(`${address}/api/sessions`, { headers })).json();
  const call = async (method, params) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const response = await fetch(`${address}/api/sessions/${encodeURIComponent(sessionId)}/rpc`, { method: "POST", headers, body });
    return (await response.json()).result;
  };
  const { url } = await call("pilothouse.share", { sessionId });
  const sent = [];
  const page = await stage.page(url, {
    prepare: (page) => page.on("request", (request) => sent.push(request.url())),
  });
  await page.getByText("Moor the boats").first().waitFor();
  await page.locator("[data-request-id=ask]").waitFor();
  assert.equal(await page.locator("[data-answer]").count(), 0, "who watches answers nothing");
  assert.equal(await page.locator("[data-compose]").count(), 0);
  assert.equal(await page.getByText("Sweep the docks").count(), 0);
  const token = url.split("#share=")[1];
  assert.ok(sent.every((address) => !address.includes(token)), "the token is in no address that a server gets");
  assert.deepEqual(await call("pilothouse.unshare", { url }), { success: true });
  await page.waitForFunction(inPage(`document.querySelector("pilot-house").dataset.connection === "closed"`));
  await page.getByText("Moor the boats").first().waitFor();
}, { expected: [/401/] });

scenario("a link is made, copied and taken back in the session's menu", async (stage) => {
  const boats = new Script("boats").user("Moor the boats").events;
  const address = await stage.serve([boats], { tokens: { PILOTHOUSE_TOKEN: TOKEN } });
  const page = await stage.page(`${address}/`);
  await page.getByLabel("Token").fill(TOKEN);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Moor the boats").first().waitFor();
  await page.getByTitle("Share", { exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Share" });
  await dialog.locator("select:focus").waitFor();
  await dialog.getByLabel("For how long").selectOption("1");
  await dialog.getByRole("button", { name: "Make a link" }).click();
  const url = await dialog.locator("code").innerText();
  assert.ok(url.startsWith(`${address}/?session=boats#share=share.`), url);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await dialog.getByRole("button", { name: "Copy" }).click();
  await dialog.getByRole("button", { name: "Copied" }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), url);
  const guest = await stage.page(url);
  await guest.getByText("Moor the boats").first().waitFor();
  await dialog.getByRole("button", { name: "Take back" }).click();
  await dialog.locator("code").waitFor({ state: "detached" });
  await guest.waitForFunction(inPage(`document.querySelector("pilot-house").dataset.connection === "closed"`));
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
}, { expected: [/401/] });
