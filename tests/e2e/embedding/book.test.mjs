// Tests the book as the gateway serves it: every page under the gateway's own policy, with the live elements on them.

import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";

import { answer, frames, inBothSchemes, nightly, scenario, snapshot, until } from "../support/harness.mjs";
import { violations } from "../support/axe.mjs";

const BOOK = new URL("../../../dist/docs/", import.meta.url);

scenario("the element on the first page plays a recording, waits for the reader, and goes on", async (stage) => {
  const page = await stage.page(`${await stage.serve()}/docs/`);
  await until(page, "(view) => view.pending.length > 0");
  const before = await snapshot(page);
  await answer(page, before.pending[0].requestId, "approve-once");
  await until(page, "(view, total) => view.events.total > total", before.events.total);
});

nightly("every page opens without a word in the console, and its contents lead to the next", async (stage) => {
  const address = await stage.files();
  const names = (await readdir(BOOK, { recursive: true })).filter((name) => name.endsWith(".html"));
  assert.ok(names.length > 25, String(names.length));
  const page = await stage.page(`${address}/docs/`);
  for (const name of names) {
    const response = await page.goto(`${address}/docs/${name}`);
    assert.equal(response.status(), 200, name);
    if (name.startsWith("themes")) continue;
    assert.equal(await page.locator("#contents [aria-current=page]").count(), 1, name);
    assert.equal(await page.evaluate(() => [...document.images].filter((image) => image.complete && image.naturalWidth === 0).length), 0, name);
  }
  await page.goto(`${address}/docs/design/connection.html`);
  await page.locator("#contents").getByRole("link", { name: "Theme", exact: true }).click();
  await page.getByRole("heading", { name: "Theming", level: 1 }).waitFor();
});

scenario("axe finds nothing to say about pages of the book, light and dark", async (stage) => {
  const address = await stage.files();
  const page = await stage.page(`${address}/docs/start.html`);
  for (const name of ["start", "theming", "protocol"]) {
    await page.goto(`${address}/docs/${name}.html`);
    await inBothSchemes(page, async (scheme) => assert.deepEqual(await violations(page), [], `${name}, ${scheme}`));
  }
});

scenario("the page of themes shows each at once, in the scheme that is chosen", async (stage) => {
  const page = await stage.page(`${await stage.serve()}/docs/themes/`);
  await until(page, "(view) => view.pending.length > 0");
  const background = () => page.evaluate(() => getComputedStyle(document.querySelector("pilot-house").shadowRoot.querySelector(".ph")).backgroundColor);
  const seen = new Set([await background()]);
  for (const scheme of ["light", "dark"]) {
    await page.locator("[name=scheme]").selectOption(scheme);
    for (const theme of ["calm", "high contrast", "terminal", "VS Code"]) {
      await page.locator("[name=theme]").selectOption(theme);
      await frames(page);
      seen.add(await background());
    }
  }
  assert.equal(seen.size, 8, [...seen].join("; ")); // VS Code's light background is white, as is that for high contrast
  await page.locator("[name=font]").selectOption("this page's");
  await page.getByRole("button", { name: "Play from the start" }).click();
  await until(page, "(view) => view.timeline.length > 0 && view.pending.length === 0");
});
