// Tests how the page starts: what it fetches in how many requests, what it shows
// meanwhile, and how little moves when it runs.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { IDLE, fetched, late, scenario, touch, until, useWholeChromium } from "../support/harness.mjs";

// The headless shell moves a pointer over a page that comes, and the page fetches what the first input needs.
useWholeChromium();

/** The most requests until everything is loaded that comes by itself; `xtask/src/build/split.rs` merges files. */
const AT_REST = 14;

function session() {
  const script = new Script("harbour").user("How deep is the harbour?").turn();
  for (let fathoms = 1; fathoms <= 30; fathoms += 1) script.say(`Sounding ${fathoms}: **${fathoms} fathoms** of water.`);
  return script.rest().events;
}

/**
 * The first rows are placed by estimated heights, and a frame later by measured ones:
 * one shift of a few pixels.
 */
const ROWS = 0.02;

/** Runs before the page's own scripts. Records layout shifts in `window.moved`. */
function watch() {
  window.moved = [];
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries()) {
      const what = sources.map(({ node, previousRect, currentRect }) =>
        `${node?.className || node?.nodeName} ${JSON.stringify([previousRect, currentRect])}`);
      window.moved.push([value, what.join(", ")]);
    }
  }).observe({ type: "layout-shift", buffered: true });
}

/** Waits for the last chunks that are fetched by themselves. */
const whole = (page) => fetched(page, "attention", "composer");

scenario("a session is loaded with few requests", async (stage) => {
  const page = await stage.page(await stage.serve([session()]));
  await page.getByText("Sounding 30").waitFor();
  await until(page, IDLE);
  await whole(page);
  // What makes the page an app comes after that.
  const own = stage.requests.filter((address) => !address.includes("/app/"));
  assert.ok(own.length <= AT_REST, `${own.length} at rest: ${own}`);
  const unused = /split_(composer_actions|diffs|edits|event_log|questions|tools)/;
  assert.deepEqual(stage.requests.filter((address) => unused.test(address)), []);
  await touch(page);
  await fetched(page, "composer_actions", "questions", "tools", "diffs", "event_log");
});

scenario("what the page is made of comes compressed, and not again while it is the same", async (stage) => {
  const gateway = await stage.serve([session()]);
  const answers = [];
  const prepare = (page) => page.on("response", (answer) => answers.push(answer));
  const page = await stage.page(gateway, { prepare });
  await page.getByText("Sounding 30").waitFor();
  await fetched(page, "words");
  for (const name of ["page_bg.wasm", "page.js", "split_words.wasm"]) {
    const answer = answers.find((answer) => answer.url().endsWith(`/${name}`));
    assert.equal((await answer.allHeaders())["content-encoding"], "br", name);
  }
  const [tag, plain] = await page.evaluate(async () => {
    const ask = (headers) => fetch("/page_bg.wasm", { headers, cache: "no-store" });
    const { headers } = await ask({});
    const again = await ask({ "if-none-match": headers.get("etag") });
    return [again.status, headers.get("vary")];
  });
  assert.deepEqual([tag, /accept-encoding/i.test(plain)], [304, true]);
});

for (const width of [380, 800, 1400]) {
  scenario(`from the skeleton to the session nothing moves but the rows to their end, ${width} px wide`, async (stage) => {
    const program = late(/page_bg\.wasm/);
    const page = await stage.page(await stage.serve([session()]), {
      width,
      prepare: async (page) => {
        await page.addInitScript(watch);
        await program.hold(page);
      },
    });
    await page.locator(".boot-body .bone").first().waitFor();
    program.come();
    await page.getByText("Sounding 30").waitFor();
    await until(page, IDLE);
    await whole(page);
    const moved = await page.evaluate(() => window.moved);
    const sum = moved.reduce((sum, [value]) => sum + value, 0);
    assert.ok(moved.length <= 1 && sum <= ROWS, `moved by ${sum}: ${moved.join("; ")}`);
  });
}

scenario("the skeleton stays until something is known of the session; a server that is slow is told of", async (stage) => {
  const page = await stage.page(await stage.serve([session()]), {
    prepare: (page) => page.routeWebSocket(/\/api\//, () => {}),
  });
  await page.locator(".bones").waitFor();
  await page.getByText("The session appears as soon as the server answers.").waitFor();
  assert.equal(await page.getByText("Nothing here yet").count(), 0);
});

scenario("a session that has nothing says so", async (stage) => {
  const page = await stage.page(await stage.serve([[]]));
  await page.locator(".state").waitFor();
  assert.equal(await page.locator(".bones").count(), 0);
});

scenario("somebody else's page shows a skeleton in the element until it is one, and nothing of it after", async (stage) => {
  const seen = [];
  const look = (page) => page.evaluate(() => {
    const element = document.querySelector("pilot-house");
    return [getComputedStyle(element, "::before").content, document.adoptedStyleSheets.length];
  });
  const page = await stage.embed(await stage.serve([session()]), "", {
    whole: false,
    prepare: (page) => page.route(/page_bg\.wasm/, async (route) => {
      seen.push(await look(page));
      await route.continue();
    }),
  });
  assert.deepEqual(seen, [['""', 1]]);
  assert.deepEqual(await look(page), ["none", 0]);
});
