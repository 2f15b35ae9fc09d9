// Tests where an element can stand, and that one that is gone leaves nothing behind.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { nightly, scenario, until } from "../support/harness.mjs";

const boats = () => new Script("boats").user("How deep?").turn().say("I look at the **charts**.").ask("sound", "ls charts/").take();

/** Counts open sockets, and frames and timers that are asked for, in `window.open`. */
function count() {
  const open = (window.open = { sockets: 0, due: new Set() });
  window.WebSocket = class extends WebSocket {
    constructor(...given) {
      super(...given);
      open.sockets += 1;
      this.addEventListener("close", () => (open.sockets -= 1));
    }
  };
  for (const [ask, cancel] of [["setTimeout", "clearTimeout"], ["setInterval", "clearInterval"], ["requestAnimationFrame", "cancelAnimationFrame"]]) {
    const [asked, cancelled] = [window[ask], window[cancel]];
    window[ask] = (run, ...rest) => {
      const id = asked.call(window, (...given) => {
        if (ask !== "setInterval") open.due.delete(`${ask} ${id}`);
        return run(...given);
      }, ...rest);
      open.due.add(`${ask} ${id}`);
      return id;
    };
    window[cancel] = (id) => {
      open.due.delete(`${ask} ${id}`);
      cancelled.call(window, id);
    };
  }
}

nightly("two hundred elements that were made, moved, hidden and removed leave nothing behind", async (stage) => {
  const page = await stage.embed(await stage.serve([boats()]), "", { prepare: (page) => page.addInitScript(count) });
  const inspector = await page.context().newCDPSession(page);
  await inspector.send("Performance.enable");
  await page.evaluate(() => document.querySelector("pilot-house").remove());
  const rounds = (times) =>
    page.evaluate(async (times) => {
      const frame = () => new Promise(requestAnimationFrame);
      for (let round = 0; round < times; round += 1) {
        const element = document.createElement("pilot-house");
        element.style.height = "400px";
        document.body.append(element);
        while (!element.shadowRoot.querySelector("[data-request-id]")) await frame();
        const box = document.body.appendChild(document.createElement("div"));
        box.append(element);
        box.style.display = "none";
        await frame();
        box.style.display = "";
        await frame();
        box.remove();
        await frame();
      }
    }, times);
  const left = async () => {
    // A socket that was closed needs the other side's word.
    await page.waitForFunction(() => window.open.sockets === 0 && window.open.due.size <= 1);
    for (let times = 0; times < 2; times += 1) await inspector.send("HeapProfiler.collectGarbage");
    const { metrics } = await inspector.send("Performance.getMetrics");
    const { JSEventListeners, Nodes, Documents, JSHeapUsedSize } = Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
    const memory = await page.evaluate(async () => (await (await import("/pkg/page.js")).default()).memory.buffer.byteLength);
    return { counts: { JSEventListeners, Nodes, Documents, memory }, heap: JSHeapUsedSize };
  };
  await rounds(20);
  const before = await left();
  await rounds(180);
  const after = await left();
  assert.deepEqual(after.counts, before.counts);
  assert.ok(after.heap - before.heap < 300_000, `${after.heap - before.heap} bytes more in JavaScript's memory`);
});

/** Each makes a place in the page and returns the element in it. */
const PLACES = {
  "a dialog": () => {
    const dialog = document.body.appendChild(document.createElement("dialog"));
    dialog.style.cssText = "width: 600px; height: 500px";
    dialog.append(document.createElement("pilot-house"));
    dialog.showModal();
  },
  "somebody's shadow root": () => {
    const root = document.body.appendChild(document.createElement("div")).attachShadow({ mode: "open" });
    root.innerHTML = "<style>p, button, article { display: none } pilot-house { height: 500px }</style><pilot-house></pilot-house>";
  },
  "a flex panel of 300 px": () => {
    document.body.insertAdjacentHTML("beforeend", `<div style="display: flex; height: 500px"><aside style="width: 300px; display: flex"><pilot-house style="flex: 1; min-width: 0"></pilot-house></aside><main style="flex: 1"></main></div>`);
  },
  "a box that gets its height later": () => {
    document.body.insertAdjacentHTML("beforeend", `<div id="box" style="height: 0; overflow: hidden"><pilot-house style="height: 100%"></pilot-house></div>`);
    setTimeout(() => (document.querySelector("#box").style.height = "500px"), 300);
  },
  "a box that is shown later": () => {
    document.body.insertAdjacentHTML("beforeend", `<div id="box" style="display: none; height: 500px"><pilot-house style="height: 100%"></pilot-house></div>`);
    setTimeout(() => (document.querySelector("#box").style.display = ""), 300);
  },
};

for (const [place, make] of Object.entries(PLACES)) {
  scenario(`an element in ${place} shows its session and takes an answer`, async (stage) => {
    const page = await stage.embed(await stage.serve([boats()]), "");
    await page.evaluate(() => document.querySelector("pilot-house").remove());
    await page.evaluate(make);
    await page.getByText("charts", { exact: true }).first().waitFor();
    const button = page.locator('[data-answer="approve-once"]');
    await button.waitFor();
    const inside = await page.locator("pilot-house").evaluate((element) => {
      const outer = element.getBoundingClientRect();
      const boxes = [...element.shadowRoot.querySelectorAll("article, [data-answer]")].map((part) => part.getBoundingClientRect());
      return boxes.every(({ left, right }) => left >= outer.left - 1 && right <= outer.right + 1);
    });
    assert.ok(inside, "nothing sticks out to the side");
    await page.locator('[data-answer="approve-once"]:not([aria-disabled])').click();
    await page.locator("[data-request-id]").waitFor({ state: "detached" });
  });
}

scenario("an element in a frame of the same origin shows its session", async (stage) => {
  const page = await stage.embed(await stage.serve([boats()]), "");
  await page.evaluate(() => {
    document.querySelector("pilot-house").remove();
    const frame = document.body.appendChild(document.createElement("iframe"));
    frame.style.cssText = "width: 500px; height: 500px";
    frame.src = "/host";
  });
  await page.frameLocator("iframe").locator('[data-answer="approve-once"]').waitFor();
});

scenario("several elements on a page share one program, and each shows its own session", async (stage) => {
  const other = new Script("kites").user("How high?").turn().say("A hundred metres.").take();
  const page = await stage.embed(await stage.serve([boats(), other]), `session="boats"`);
  await page.evaluate(() => {
    const second = document.createElement("pilot-house");
    second.setAttribute("session", "kites");
    second.style.height = "400px";
    document.body.append(second);
  });
  await page.getByText("A hundred metres.").waitFor();
  const programs = await page.evaluate(() => performance.getEntriesByType("resource").filter(({ name }) => name.endsWith("page_bg.wasm")).length);
  assert.equal(programs, 1);
});

scenario("a lazy element connects when it comes near what is visible, or when it is used", async (stage) => {
  const page = await stage.embed(await stage.serve([boats()]), "");
  await until(page, (view) => view.pending.length === 1);
  await page.evaluate(() => {
    document.querySelector("pilot-house").remove();
    document.body.insertAdjacentHTML("beforeend", `<div style="height: 5000px"></div><pilot-house loading="lazy" style="display: block; height: 400px"></pilot-house>`);
  });
  const connection = () => page.locator("pilot-house").getAttribute("data-connection");
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  assert.equal(await connection(), null);
  await page.evaluate(() => scrollTo(0, 4500));
  await page.locator('[data-answer="approve-once"]').waitFor();
  await page.evaluate(() => {
    document.querySelector("pilot-house").remove();
    scrollTo(0, 0);
    document.body.insertAdjacentHTML("beforeend", `<div style="height: 5000px"></div><pilot-house loading="lazy" transport="none"></pilot-house>`);
  });
  assert.equal(await connection(), null);
  const events = new Script("boats").user("How deep?").take();
  const taken = await page.evaluate((events) => document.querySelector("pilot-house").push(events.map((event) => JSON.stringify(event)).join("\n") + "\n"), events);
  assert.equal(taken, events.length);
  assert.equal(await page.evaluate(() => document.querySelector("pilot-house").session.snapshot().timeline.length), 1);
});
