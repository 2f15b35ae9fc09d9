// Owns what a usual start is, for `cargo xtask profile`: pages as people open them, and what of the program ran there. Refuses
// what comes seconds later, when the whole program is there: what people do with their hands, and connections that end.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Script } from "./events.mjs";
import { card, frames, push, scenario } from "./harness.mjs";

const OUT = process.env.PROFILE_OUT;

/** A page of which it is noted what ran, when the body is through. */
function usual(name, body) {
  scenario(name, async (stage) => {
    const pages = [];
    const opened = stage.page.bind(stage);
    stage.page = async (...args) => {
      const page = await opened(...args);
      pages.push(page);
      return page;
    };
    await body(stage);
    const ran = new Set();
    for (const page of pages) {
      await page.bringToFront();
      // What timers do belongs to it as well.
      await page.waitForTimeout(3_000);
      await frames(page);
      for (const place of await notes(page)) ran.add(place);
    }
    await writeFile(join(OUT, `${name.replace(/\W+/g, "-")}.json`), JSON.stringify([...ran].sort((a, b) => a - b)));
  }, { expected: [/./] });
}

/** Waits until the agent has worked and rests. `snapshot` would be noted. */
async function rests(page) {
  await page.locator('pilot-house[data-status="idle"]').waitFor();
  await page.locator("[data-entry]").first().waitFor();
  await frames(page);
}

/** The spans of the program that ran, in every copy of the program that is on the page. */
const notes = (page) => page.evaluate(async () => {
  const ran = [];
  for (const { name } of performance.getEntriesByType("resource")) {
    if (!/\/page\.js$/.test(name)) continue;
    const { initSync } = await import(name);
    new Uint8Array(initSync().notes.buffer).forEach((note, place) => note && ran.push(place));
  }
  return ran;
});

for (const [width, scheme] of [[380, "dark"], [1400, "light"]]) {
  usual(`page of the gateway ${width} ${scheme}`, async (stage) => {
    const page = await stage.page(await stage.serve([], { speed: "20" }), { width, scheme, bypassCSP: true });
    await page.locator('pilot-house[data-connection="open"]').waitFor();
    await card(page).first().waitFor();
  });
}

for (const transport of ["ws", "sse"]) {
  usual(`the demo session over ${transport}`, async (stage) => {
    const page = await stage.embed(await stage.serve(), `transport="${transport}"`);
    await card(page).first().waitFor();
  });
}

usual("nothing yet", async (stage) => {
  await stage.embed(await stage.serve(), 'transport="none"', { width: 800 });
});

usual("pushed", async (stage) => {
  const page = await stage.embed(await stage.serve(), 'transport="none"', { width: 800 });
  const script = new Script("pushed").user("How many?").turn().begin("m", "One ", "**two** ", "three\n\n- four\n").say("One **two** three", "m");
  await push(page, script.take());
  await page.evaluate((text) => document.querySelector("pilot-house").push(new TextEncoder().encode(text)),
    script.rest().take().map((event) => `${JSON.stringify(event)}\n`).join(""));
  await rests(page);
});

usual("hidden", async (stage) => {
  const page = await stage.embed(await stage.serve([], { speed: "20" }), "");
  await page.evaluate(() => {
    Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
    Object.defineProperty(document, "hidden", { value: true, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await card(page).first().waitFor({ state: "attached" });
});
