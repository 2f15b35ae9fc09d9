// Tests transports that a page brings itself: its own object, and those of `pilothouse/transports` over channels of the browser.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";

import { Script } from "../support/events.mjs";
import { BROKEN, IDLE, answer, card, data, playThrough, scenario, snapshot, until } from "../support/harness.mjs";

const recording = async (name) => (await readFile(data(name), "utf8")).split("\n").filter(Boolean).map((line) => JSON.parse(line));

/** Waits for a value of `data-connection`. */
const connection = (page, word) => page.locator(`pilot-house[data-connection="${word}"]`).waitFor();

/**
 * Gives the page's element a transport over `events`, of which `window.far.emit(n)` sends the next n as JSON-RPC. What it was
 * asked for is in `window.far`.
 */
function ownTransport(page, events, { watch = false } = {}) {
  return page.evaluate(([events, watch]) => {
    const far = (window.far = { connects: [], requests: [], errors: [], seq: 0, link: undefined });
    const element = document.querySelector("pilot-house");
    element.addEventListener("pilothouse-error", ({ detail }) => far.errors.push(detail.message));
    far.emit = (count) => {
      for (let n = 0; n < count && far.seq < events.length; n++) {
        const event = events[far.seq++];
        far.link?.receive({ jsonrpc: "2.0", method: "session.event", params: { sessionId: far.id, event, seq: far.seq } });
      }
    };
    far.id = events[0].data.sessionId;
    element.transport = {
      async connect(link) {
        far.connects.push({ after: link.after, session: link.session, token: link.token });
        far.seq = link.after ?? 0;
        far.link = link;
        const { signal } = link;
        signal.addEventListener("abort", () => (far.aborted = (far.aborted ?? 0) + 1));
        const request = async (method, params) => {
          far.requests.push({ method, params });
          if (method.includes("handlePending")) return { success: true };
          throw Object.assign(new Error(`unknown: ${method}`), { code: -32601 });
        };
        return { sessionId: far.id, seq: events.length, ...(watch ? {} : { request }), close: () => (far.closed = (far.closed ?? 0) + 1) };
      },
    };
  }, [events, watch]);
}

scenario("a transport of the page's own: broken and resumed, no event is lost or doubled, and an answer is given once", async (stage) => {
  const events = await recording("permissions");
  const page = await stage.embed(await stage.files(), `transport="none"`);
  await ownTransport(page, events);
  await connection(page, "open");
  const asked = events.findIndex(({ type }) => type === "permission.requested") + 1;
  await page.evaluate((count) => window.far.emit(count), asked);
  const { requestId } = events[asked - 1].data;
  await answer(page, requestId, "approve-once");
  await page.waitForFunction(() => window.far.requests.some(({ method }) => method.includes("handlePending")));

  await page.evaluate(() => window.far.link.closed("the cable was pulled"));
  await connection(page, "waiting");
  await page.locator('[part="strip"]').filter({ hasText: "Connection lost" }).waitFor();
  await connection(page, "open");
  await page.evaluate((count) => window.far.emit(count), events.length);
  const { events: { total, duplicate, malformed }, timeline } = await until(page, "(view, wanted) => view.events.total >= wanted", events.length).then(() => snapshot(page));
  assert.deepEqual([total, duplicate, malformed], [events.length, 0, 0]);
  assert.deepEqual(timeline.filter(({ kind }) => kind === "gap"), []);
  const far = await page.evaluate(() => window.far);
  assert.deepEqual(far.connects.map(({ after }) => after), [null, asked]);
  const answers = far.requests.filter(({ method }) => method.includes("handlePending"));
  assert.deepEqual(answers, [{
    method: "session.permissions.handlePendingPermissionRequest",
    params: { sessionId: far.id, requestId, result: { kind: "approve-once" } },
  }]);
  assert.deepEqual([far.aborted, far.closed], [1, 1], "the first connection was closed");
  assert.deepEqual(far.errors, ["the cable was pulled"]);
  await page.evaluate(() => document.querySelector("pilot-house").remove());
  await page.waitForFunction(() => window.far.closed === 2 && window.far.aborted === 2);
});

scenario("bare events with their position continue after it, and without `request` the page only watches", async (stage) => {
  const events = new Script("asking").user("Go").turn().ask("look", "ls").events;
  const page = await stage.embed(await stage.files(), `transport="none"`);
  await ownTransport(page, events, { watch: true });
  await connection(page, "open");
  await page.evaluate((events) => {
    const { link } = window.far;
    link.receive(JSON.stringify(events[0]), 7);
    link.receive(new TextEncoder().encode(JSON.stringify(events[1])), 8);
    for (const [nth, event] of events.slice(2).entries()) link.receive(event, 9 + nth);
  }, events);
  await card(page, "look").waitFor();
  assert.equal(await page.locator("[data-answer]").count(), 0);
  assert.equal(await page.locator("pilot-house").getAttribute("data-role"), "viewer");
  const thrown = await page.evaluate(() => {
    try {
      window.far.link.receive(1);
    } catch (error) {
      return error.name;
    }
    window.far.link.closed();
  });
  assert.equal(thrown, "TypeError");
  await page.evaluate(() => window.far.link.closed());
  await page.waitForFunction(() => window.far.connects.length === 2);
  assert.equal((await page.evaluate(() => window.far.connects[1])).after, 6 + events.length);
});

scenario("what the page's code throws is shown and reported, and tried again; a refusal with a code is final", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none" session="mine" token="secret"`);
  await page.evaluate(() => {
    const element = document.querySelector("pilot-house");
    window.errors = [];
    window.tries = [];
    element.addEventListener("pilothouse-error", ({ detail }) => window.errors.push(detail.message));
    const outcomes = [
      () => { throw new Error("thrown at once"); },
      () => Promise.reject(new Error("rejected later")),
      () => ({ request() { throw new Error("no request works"); }, close() { throw new Error("nor does close"); } }),
      () => Promise.reject(Object.assign(new Error("not for you"), { code: -32001 })),
    ];
    element.transport = {
      connect(link) {
        window.tries.push({ after: link.after, session: link.session, token: link.token });
        window.link = link;
        return outcomes[window.tries.length - 1]();
      },
    };
  });
  await connection(page, "open");
  await page.waitForFunction(() => window.errors.includes("no request works"));
  assert.deepEqual(await page.evaluate(() => window.tries[0]), { after: null, session: "mine", token: "secret" });
  await page.evaluate(() => window.link.closed(new Error("it broke")));
  await connection(page, "closed");
  await page.getByText("There is no such session").first().waitFor();
  const errors = await page.evaluate(() => window.errors.filter((message) => message !== "no request works"));
  assert.deepEqual(errors.slice(0, 4), ["thrown at once", "rejected later", "it broke", "nor does close"]);
  assert.match(errors[4], /no such session/);
  const wrong = await page.evaluate(() => {
    try {
      document.querySelector("pilot-house").transport = {};
    } catch (error) {
      return error.name;
    }
  });
  assert.equal(wrong, "TypeError");
});

scenario("the message of a failure stands where people look while it is tried again", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`);
  await page.evaluate(() => {
    document.querySelector("pilot-house").transport = { connect: async () => { throw new Error("the extension is asleep"); } };
  });
  await page.getByText("the extension is asleep").first().waitFor();
});

/** A page of the gateway's origin whose element gets its transport from `make`, which runs in the page with these arguments. */
async function bridged(stage, events, make, argument) {
  const gateway = await stage.serve([events]);
  const page = await stage.embed(gateway, `transport="none"`);
  await page.evaluate(`(${make})(document.querySelector("pilot-house"), ${JSON.stringify(argument) ?? "undefined"})`);
  return { page, gateway };
}

/** Runs in a worker: bridges what it is sent to the gateway of its origin. */
const WORKER = `import { bridge } from "/pkg/transports.js";
  let end;
  addEventListener("message", ({ data }) => {
    if (data === "stop") return end.close();
    end = bridge(data.port ?? new BroadcastChannel(data.channel), data.url);
    postMessage("ready");
  });`;

const withWorker = `async (element, channel) => {
  const { messagePort, broadcastChannel } = await import("/pkg/transports.js");
  const worker = (window.worker = new Worker(URL.createObjectURL(new Blob([${JSON.stringify(WORKER)}.replaceAll('"/pkg', '"' + location.origin + "/pkg")], { type: "text/javascript" })), { type: "module" }));
  const { port1, port2 } = new MessageChannel();
  const ready = new Promise((done) => (worker.onmessage = done));
  const start = { url: location.origin };
  window.start = start;
  if (channel) worker.postMessage({ ...start, channel });
  else worker.postMessage({ ...start, port: port2 }, [port2]);
  await ready;
  element.transport = channel ? broadcastChannel(channel) : messagePort(port1);
}`;

for (const [name, channel] of [["a MessagePort of a worker", undefined], ["a BroadcastChannel", "agent"]]) {
  scenario(`a recording is played and answered through ${name}`, async (stage) => {
    const { page, gateway } = await bridged(stage, data("permissions"), withWorker, channel);
    const undisturbed = await stage.embed(gateway, "");
    await playThrough(page, IDLE);
    await until(undisturbed, IDLE);
    const seen = async (page) => (await snapshot(page)).timeline.map(({ kind, id, state, text }) => [kind, id, state, text]);
    assert.deepEqual(await seen(page), await seen(undisturbed));
    const { events } = await snapshot(page);
    assert.deepEqual([events.duplicate, events.malformed], [0, 0]);
  });
}

scenario("a bridge whose gateway ends the connection says so, and the page goes on where it was", async (stage) => {
  const { page } = await bridged(stage, data("permissions"), withWorker);
  await card(page).first().waitFor();
  await page.evaluate(() => {
    const element = document.querySelector("pilot-house");
    window.words = [];
    new MutationObserver(() => window.words.push(element.dataset.connection)).observe(element, { attributeFilter: ["data-connection"] });
  });
  page.line.cut();
  await connection(page, "waiting");
  page.line.mend();
  await connection(page, "open");
  await playThrough(page, IDLE);
  const { events, timeline } = await snapshot(page);
  assert.deepEqual([events.duplicate, timeline.filter(({ kind }) => kind === "gap").length], [0, 0]);
}, { expected: BROKEN });

scenario("what an extension sends to its webview besides is not the session's", async (stage) => {
  const { page } = await bridged(stage, data("permissions"), async (element) => {
    const { bridge, postMessage } = await import("/pkg/transports.js");
    const listeners = new Set();
    const webview = {
      postMessage: (message) => window.postMessage(message, origin),
      onDidReceiveMessage: (listener) => (listeners.add(listener), { dispose: () => listeners.delete(listener) }),
    };
    bridge(webview, location.origin);
    element.transport = postMessage({ postMessage: (message) => listeners.forEach((listener) => listener(message)) });
  });
  await card(page).first().waitFor();
  const before = (await snapshot(page)).events;
  await page.evaluate(async () => {
    const others = [{ type: "attach", id: "own", data: { text: "mine" } }, { command: "refresh" }, [{ type: "theme" }], "a text", null, 7];
    for (const other of others) window.postMessage(other, origin);
    await new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done))));
  });
  assert.deepEqual((await snapshot(page)).events, before);
  await playThrough(page, IDLE);
});

scenario("two pages on one BroadcastChannel each have their own connection", async (stage) => {
  const { page } = await bridged(stage, data("permissions"), withWorker, "agent");
  await card(page).first().waitFor();
  await page.evaluate(async () => {
    const { broadcastChannel } = await import("/pkg/transports.js");
    const second = document.createElement("pilot-house");
    second.transport = broadcastChannel("agent");
    document.body.append(second);
  });
  await page.waitForFunction(() => {
    const views = [...document.querySelectorAll("pilot-house")].map(({ session }) => session.snapshot());
    return views.length === 2 && views[0].events.total === views[1].events.total && views.every(({ events }) => events.duplicate === 0 && events.total > 0);
  });
});

scenario("an iframe's element is fed by its parent, and messages of other origins are ignored", async (stage) => {
  const gateway = await stage.serve([data("permissions")]);
  const inner = `<!doctype html><html lang="en"><title>Inner</title><link rel="icon" href="data:,"><style>pilot-house { display: block; height: 140px }</style><body><script type="module">
    import { load } from "/pkg/index.js";
    import { postMessage } from "/pkg/transports.js";
    await load();
    const { origin } = JSON.parse(decodeURIComponent(location.hash.slice(1)));
    const element = document.createElement("pilot-house");
    element.transport = postMessage(parent, { origin });
    document.body.append(element);
    </script></body></html>`;
  const { wire } = await import("../support/proxy.mjs");
  const near = await wire(stage, gateway, { page: inner });
  const far = await wire(stage, gateway, { page: `<!doctype html><html lang="en"><title>Outer</title><link rel="icon" href="data:,"><body></body></html>` });
  const page = await stage.page(`${far.address}/host`);
  const frames = await page.evaluate(async ([inner, wrong]) => {
    const { bridge } = await import("/pkg/transports.js");
    const frame = (origin) => {
      const made = document.createElement("iframe");
      made.src = `${inner}/host#${encodeURIComponent(JSON.stringify({ origin }))}`;
      document.body.append(made);
      return made;
    };
    const right = frame(location.origin);
    window.bridge = bridge(right.contentWindow, location.origin, { origin: inner });
    // This one expects another origin, so it hears nothing of what this page sends.
    const deaf = frame(wrong);
    const said = new Promise((done) => (deaf.onload = done));
    await said;
    window.refused = [];
    for (const options of [undefined, { origin: "*" }]) {
      try {
        bridge(deaf.contentWindow, location.origin, options);
      } catch (error) {
        window.refused.push(error.name);
      }
    }
    window.deaf = deaf;
    return window.refused;
  }, [near.address, "http://127.0.0.1:9"]);
  assert.deepEqual(frames, ["TypeError", "TypeError"], "a window is never written to without its origin");
  const [right, deaf] = await Promise.all(page.frames().slice(1));
  await right.locator('pilot-house[data-connection="open"]').waitFor();
  await right.locator("[data-request-id]").first().waitFor();
  await deaf.locator('pilot-house[data-connection="connecting"]').waitFor();
  // A message that the deaf element would show if it heard it, and one to the element that hears, from a stranger.
  const forged = { jsonrpc: "2.0", method: "session.event", params: { event: { type: "user.message", id: "forged", data: { content: "FORGED" } } } };
  await page.evaluate((forged) => window.deaf.contentWindow.postMessage(forged, "*"), forged);
  await deaf.evaluate((forged) => parent.frames[0].postMessage(forged, "*"), forged);
  await page.evaluate(() => new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)))));
  for (const frame of [right, deaf]) {
    const texts = await frame.evaluate(() => document.querySelector("pilot-house").session.snapshot().timeline.map(({ text }) => text));
    assert.ok(!texts.includes("FORGED"), "nobody else is heard");
  }
}, { expected: [/Failed to execute 'postMessage'.*target origin/] });
