// Tests a link with which anybody watches one session: it shows that session and takes no answers, and ends when it is taken back.

import assert from "node:assert/strict";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Script } from "../support/events.mjs";
import { inBothSchemes, inPage, scenario, violations } from "../support/harness.mjs";

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
  await page.getByText(/^You watch by a link, until /).waitFor();
  for (const name of ["Notify this device", "Open on a phone", "Share", "Sign out"]) {
    assert.equal(await page.getByRole("button", { name, exact: true }).count(), 0, name);
  }
  assert.equal(await page.getByRole("link", { name: "Back to the sessions" }).count(), 0);
  assert.deepEqual(await violations(page), []);
  const token = url.split("#share=")[1];
  assert.ok(sent.every((address) => !address.includes(token)), "the token is in no address that a server gets");
  assert.deepEqual(await call("pilothouse.unshare", { url }), { success: true });
  await page.waitForFunction(inPage(`document.querySelector("pilot-house").dataset.connection === "closed"`));
  await page.getByText("Moor the boats").first().waitFor();
  await page.getByText("This link has ended. Ask who sent it for another.").waitFor();
  assert.equal(await page.getByLabel("Token").count(), 0, "nobody is asked to sign in");
  await page.getByText(/^You watch by a link/).waitFor({ state: "hidden" });

  const late = await stage.page(url);
  await late.getByRole("heading", { name: "This link has ended" }).waitFor();
  assert.equal(await late.getByLabel("Token").count(), 0);
  assert.deepEqual(await violations(late), []);
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
  const [download] = await Promise.all([page.waitForEvent("download"), dialog.getByRole("link", { name: "Save as one HTML file" }).click()]);
  assert.match(download.suggestedFilename(), /^moor-the-boats-.*\.html$/);
  assert.match(await readFile(await download.path(), "utf8"), /^<!doctype html>[^]*Moor the boats/);
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

/** A screen that is touched. */
const PHONE = { width: 390, height: 844, phone: true };

scenario("where no phone reaches the gateway the dialog says so", async (stage) => {
  const address = await stage.serve([new Script("boats").user("Moor the boats").events]);
  const page = await stage.page(address);
  await page.getByRole("button", { name: "Open on a phone" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Open on a phone" });
  await dialog.getByText(/a phone can't open it/).waitFor();
  assert.equal(await dialog.getByRole("img").count(), 0);
  await inBothSchemes(page, async () => assert.deepEqual(await violations(page), []));
});

scenario("a phone gets the address as a code, on request one that signs in there once, and one signs out", async (stage) => {
  const boats = new Script("boats").user("Moor the boats").events;
  const docks = new Script("docks").user("Sweep the docks").events;
  const folder = await mkdtemp(join(tmpdir(), "pilothouse-phone-"));
  const tokens = join(folder, "tokens");
  await writeFile(tokens, `Ana:${TOKEN}\n`, { mode: 0o600 });
  const address = await stage.serve([boats, docks], { access: ["--token-file", tokens, "--allow-host", "p.example"] });
  const page = await stage.page(`${address}/?session=boats`);
  await page.getByLabel("Token").fill(TOKEN);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Moor the boats").first().waitFor();
  const opener = page.getByRole("button", { name: "Open on a phone" });
  await opener.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Open on a phone" });
  await dialog.getByRole("img", { name: "QR code of the address below" }).waitFor();
  // The address of this page leads a phone to itself, so it is the one that phones reach.
  assert.equal(await dialog.locator("code").innerText(), "https://p.example/?session=boats", "no code is made before somebody asks");
  await inBothSchemes(page, async () => assert.deepEqual(await violations(page), []));
  await dialog.getByRole("button", { name: "Sign in on the phone as well" }).press("Enter");
  await dialog.getByText("signed in as you, once, within 5 minutes").waitFor();
  const link = new URL(await dialog.locator("code").innerText());
  assert.equal(link.origin, "https://p.example");
  const phone = await stage.page(`${address}${link.pathname}${link.search}`, { ...PHONE });
  await phone.getByText("Moor the boats").first().waitFor();
  await phone.goto(address);
  await phone.getByRole("button", { name: "Notify this device" }).waitFor();
  assert.equal(await phone.getByRole("button", { name: "Open on a phone" }).count(), 0, "it is one");
  await phone.getByRole("button", { name: "Sign out Ana" }).waitFor();
  await dialog.locator("button:focus", { hasText: "Copy" }).waitFor();
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "Sign out Ana" }).press("Enter");
  await page.getByLabel("Token").waitFor();
  assert.equal(page.url(), `${address}/`);
  assert.deepEqual(await page.context().cookies(address), []);
}, { expected: [/401/] });
