// Owns what a usual start is, for `cargo xtask profile`: pages as people open them, and what of the program ran there before
// anything came later. Refuses what takes longer than the later file, or waits for it: the parts of the program and what they
// call, what people do with their hands, and connections that end.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Script } from "./events.mjs";
import { frames, push, scenario } from "./harness.mjs";

const OUT = process.env.PROFILE_OUT;

/** Parts of the program that come when the later file is there. These never do. */
const PARTS = /\/split_(?!arabic|german|japanese)\w+\.wasm$/;
const withoutParts = (page) => page.route(PARTS, () => {});

/** A page of which it is noted what ran, when the body is through. */
function usual(name, body) {
  scenario(name, async (stage) => {
    const pages = [];
    const opened = stage.page.bind(stage);
    stage.page = async (address, options) => {
      const page = await opened(address, { prepare: withoutParts, ...options });
      pages.push(page);
      return page;
    };
    await body(stage);
    const ran = new Set();
    for (const page of pages) {
      await page.bringToFront();
      // What timers do belongs to it as well, for as long as the later file may take.
      await page.waitForTimeout(1_000);
      await frames(page);
      for (const place of await notes(page)) ran.add(place);
    }
    await writeFile(join(OUT, `${name.replace(/\W+/g, "-")}.json`), JSON.stringify([...ran].sort((a, b) => a - b)));
  }, { expected: [/./] });
}

/** Waits until the agent waits for a person. What that looks like comes later. */
const waits = (page) => page.locator('pilot-house[data-status="waiting"]').waitFor();

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
    await waits(page);
  });
}

/** As many times slower than here. What arrives while a frame is drawn, and what runs then, depends on it. */
const SLOWER = [1, 1, 2, 3, 4, 6];

for (const transport of ["ws", "sse"]) {
  for (const [time, rate] of SLOWER.entries()) {
    usual(`the demo session over ${transport} ${time}`, async (stage) => {
      const prepare = async (page) => {
        await withoutParts(page);
        const devtools = await page.context().newCDPSession(page);
        await devtools.send("Emulation.setCPUThrottlingRate", { rate });
      };
      const page = await stage.embed(await stage.serve(), `transport="${transport}"`, { whole: false, prepare });
      await waits(page);
    });
  }
}

usual("nothing yet", async (stage) => {
  await stage.embed(await stage.serve(), 'transport="none"', { width: 800, whole: false });
});

usual("pushed", async (stage) => {
  const page = await stage.embed(await stage.serve(), 'transport="none"', { width: 800, whole: false });
  const script = new Script("pushed").user("How many?").turn().begin("m", "One ", "**two** ", "three\n\n- four\n").say("One **two** three", "m");
  await push(page, script.take());
  await page.evaluate((text) => document.querySelector("pilot-house").push(new TextEncoder().encode(text)),
    script.rest().take().map((event) => `${JSON.stringify(event)}\n`).join(""));
  await rests(page);
});

usual("hidden", async (stage) => {
  const page = await stage.embed(await stage.serve([], { speed: "20" }), "", { whole: false });
  await page.evaluate(() => {
    Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
    Object.defineProperty(document, "hidden", { value: true, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await waits(page);
});
