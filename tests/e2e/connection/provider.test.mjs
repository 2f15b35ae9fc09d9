// Tests signing in with an OpenID Connect provider, which is another site, and signing out.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Script } from "../support/events.mjs";
import { scenario } from "../support/harness.mjs";
import { CLIENT, provider } from "../support/provider.mjs";

const hook = (page, name, value) => page.locator(`pilot-house[data-${name}="${value}"]`).waitFor();
/** What a browser logs when a server answers 401, or refuses a socket. */
const REFUSED = /Failed to load resource|WebSocket connection to/;

/** A gateway where people sign in with a provider. */
async function gateway(stage, claims, ...more) {
  const issuer = await provider(stage, claims);
  const folder = await mkdtemp(join(tmpdir(), "pilothouse-secret-"));
  stage.atEnd(() => rm(folder, { recursive: true }));
  const secret = join(folder, "secret");
  await writeFile(secret, "secret-of-the-client\n");
  const access = ["--oidc", issuer, "--oidc-client-id", CLIENT, "--oidc-client-secret-file", secret, ...more];
  const recording = new Script("guarded").user("Go").turn().say("Done.").rest().events;
  return stage.serve([recording], { access });
}

scenario("one signs in with the provider, stays signed in, and signs out there as well", async (stage) => {
  const address = await gateway(stage, { name: "Ana", groups: ["agents"] }, "--operators", "groups=agents");
  const page = await stage.page(`${address}/?from=here`);
  const link = page.getByRole("link", { name: "Sign in with localhost" });
  await link.click();
  await page.getByRole("link", { name: "Go on" }).click();
  await hook(page, "connection", "open");
  await hook(page, "role", "operator");
  assert.equal(page.url(), `${address}/?from=here`);
  const cookies = await page.context().cookies(address);
  assert.deepEqual(cookies.map(({ httpOnly, sameSite, path }) => [httpOnly, sameSite, path]), [[true, "Strict", "/"]]);

  await page.reload();
  await hook(page, "role", "operator");
  await page.getByRole("button", { name: "Sign out Ana" }).click();
  await page.getByRole("heading", { name: "Signed out" }).waitFor();
  assert.deepEqual(await page.context().cookies(address), []);
  await page.getByRole("link", { name: "Go back" }).click();
  await link.waitFor();
  assert.equal(page.url(), `${address}/`);
}, { expected: [REFUSED] });
