// Tests that the gateway's page is an app: it can be installed, keeps its files and nothing of a session, starts without a network,
// offers new versions, and leads from a notification to the request. The service worker is a real one.

import assert from "node:assert/strict";
import { createECDH, randomBytes } from "node:crypto";

import { Script } from "../support/events.mjs";
import { BROKEN, IN_FIREFOX, PATIENCE, answer, card, frames, inBothSchemes, scenario, useWholeChromium, violations } from "../support/harness.mjs";
import { wire } from "../support/proxy.mjs";

useWholeChromium();

const PHONE = { width: 390, height: 844 };
const skip = IN_FIREFOX && "messages are delivered by Chromium's tools";
/** What a worker must never keep is in each of these texts. */
const MARK = "harbour-1957";

const asks = (name, count = 1) => {
  const script = new Script(name).user(`Title of ${name} ${MARK}`).turn();
  for (let nth = 1; nth <= count; nth += 1) {
    script.say(Array.from({ length: 40 }, (_, line) => `${MARK} line ${line}`).join("\n\n"));
    script.ask(`ask-${name}-${nth}`, `rm ${MARK}-${nth}`);
  }
  return script.events;
};

/** Waits until an asynchronous function in the page returns true, which `waitForFunction` does not. */
async function eventually(page, holds, argument) {
  for (const end = Date.now() + PATIENCE; !(await page.evaluate(holds, argument)); ) assert.ok(Date.now() < end, `never: ${holds}`);
}

const controlled = (page) => eventually(page, () => Boolean(navigator.serviceWorker.controller));

const allowed = (origin) => ({ ...PHONE, prepare: (page) => page.context().grantPermissions(["notifications"], { origin }) });

/** Delivers push messages to the page's worker, as a push service does. */
async function pushes(page, origin) {
  const tools = await page.context().newCDPSession(page);
  const registered = new Promise((done) => tools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
    const one = registrations.find(({ scopeURL, isDeleted }) => !isDeleted && scopeURL.startsWith(origin));
    if (one) done(one.registrationId);
  }));
  await tools.send("ServiceWorker.enable");
  const registrationId = await registered;
  return (message) => tools.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data: JSON.stringify(message) });
}

const message = (session, kind, more = {}) => ({
  v: 1, kind, sessionId: session, title: "The agent needs you", body: `About ${session}`, tag: `pilothouse:${session}`, url: `/?session=${session}`, ...more,
});
const waits = (session, request) => message(session, "waiting", { requestId: request, url: `/?session=${session}#request=${request}` });

const shown = (page) => page.evaluate(async () => {
  const registration = await navigator.serviceWorker.ready;
  return (await registration.getNotifications()).map(({ title, body, tag, renotify }) => ({ title, body, tag, renotify }));
});
const count = (page, number) => eventually(page, async (number) => {
  const registration = await navigator.serviceWorker.ready;
  return (await registration.getNotifications()).length === number;
}, number);

/** Presses the notification, for which browsers have no tool: its event in the worker. Returns the addresses that it opens. */
async function press(page, tag) {
  const worker = page.context().serviceWorkers().at(-1);
  return worker.evaluate(async (tag) => {
    const opened = [];
    clients.openWindow = async (url) => opened.push(String(url));
    WindowClient.prototype.focus = async function () {
      opened.push(`focus ${this.url}`);
    };
    const [notification] = await registration.getNotifications({ tag });
    const event = new NotificationEvent("notificationclick", { notification });
    const waiting = [];
    event.waitUntil = (promise) => waiting.push(promise);
    dispatchEvent(event);
    await Promise.all(waiting);
    return opened;
  }, tag);
}

/** Everything that the caches of the origin have. */
const kept = (page) => page.evaluate(async () => {
  const all = {};
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const request of await cache.keys()) {
      const response = await cache.match(request);
      const { pathname, search } = new URL(request.url);
      all[`${name} ${pathname}${search}`] = new TextDecoder("latin1").decode(await response.arrayBuffer());
    }
  }
  return all;
});

const inView = async (page, id) => {
  const box = await card(page, id).boundingBox();
  return box && box.y + box.height > 0 && box.y < PHONE.height && box.y + box.height <= PHONE.height + 1;
};

scenario("the page can be installed, and its worker keeps the program and nothing of a session", async (stage) => {
  const gateway = await stage.serve([asks("boats"), asks("nets")]);
  const page = await stage.page(gateway, PHONE);
  await controlled(page);
  const tools = await page.context().newCDPSession(page);
  const manifest = await tools.send("Page.getAppManifest");
  assert.deepEqual(manifest.errors, []);
  assert.equal(manifest.url, `${gateway}/app/manifest.webmanifest`);
  const { installabilityErrors } = await tools.send("Page.getInstallabilityErrors");
  // A private window, as tests have it, installs nothing.
  assert.deepEqual(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== "in-incognito"), []);

  await page.goto(`${gateway}/?session=boats`);
  await card(page, "ask-boats-1").waitFor();
  await page.goto(`${gateway}/`);
  const all = await kept(page);
  const names = Object.keys(all).map((name) => name.replace(/^pilothouse-app [0-9a-f]{16} /, ""));
  for (const name of ["/?kept", "/page.js", "/page_bg.wasm", "/app/app.js", "/app/words.json"]) assert.ok(names.includes(name), `${name} of ${names}`);
  if (!process.env.DEV) assert.ok(names.includes("/split_requests.wasm"));
  for (const [name, text] of Object.entries(all)) {
    assert.ok(!text.includes(MARK), `${name} has words of a session`);
    assert.ok(!name.includes("/api/"), name);
  }
}, { skip });

scenario("without a network the app starts, says so, and goes on when there is one", async (stage) => {
  const gateway = await stage.serve([asks("boats"), asks("nets")]);
  const page = await stage.page(gateway, PHONE);
  await controlled(page);
  await page.locator('[data-connection="open"]').first().waitFor();
  const bar = page.locator(".app-bar:visible");
  await page.goto(`${gateway}/?session=boats`);
  await card(page, "ask-boats-1").waitFor();
  await page.context().setOffline(true);
  await page.locator('[data-connection="waiting"]').waitFor();
  await page.getByText("Connection lost").waitFor();
  assert.equal(await bar.count(), 0, "what is shown stays, and the session itself says what is wrong");
  await page.goto(`${gateway}/?session=boats`);
  await bar.getByText(/^Last connected: \d?\d:\d\d.* Sessions are not kept on this device\.$/).waitFor();
  assert.doesNotMatch(await page.locator("pilot-house").innerText(), /so far|still here|as it was/, "nothing is here");
  await inBothSchemes(page, async () => assert.deepEqual(await violations(page), []));
  await page.context().setOffline(false);
  await card(page, "ask-boats-1").waitFor();
  await bar.waitFor({ state: "hidden" });
}, { skip, expected: BROKEN });

scenario("a message is shown once for each session, and closed when somebody has answered", async (stage) => {
  const gateway = await stage.serve([asks("boats"), asks("nets")]);
  const page = await stage.page(gateway, allowed(gateway));
  await controlled(page);
  const push = await pushes(page, gateway);
  await push(waits("boats", "ask-boats-1"));
  await count(page, 1);
  assert.deepEqual(await shown(page), [{ title: "The agent needs you", body: "About boats", tag: "pilothouse:boats", renotify: true }]);
  await push(waits("nets", "ask-nets-1"));
  await count(page, 2);
  await push(message("boats", "close", { title: "", body: "" }));
  await count(page, 1);
  // A failure is not taken back by an answer, and a turn that is done does not ring again.
  await push(message("nets", "failed", { title: "The agent stopped with an error" }));
  await eventually(page, async () => (await (await navigator.serviceWorker.ready).getNotifications())[0].title.includes("error"));
  await push(message("nets", "close", { title: "", body: "" }));
  await push(message("boats", "done", { title: "The agent is done" }));
  await count(page, 2);
  assert.deepEqual((await shown(page)).map(({ title, renotify }) => `${title} ${renotify}`).sort(), [
    "The agent is done false", "The agent stopped with an error true",
  ]);
}, { skip });

scenario("two taps: a notification opens its session at the request, whose card is armed as ever", async (stage) => {
  const gateway = await stage.serve([asks("boats", 2), asks("nets")]);
  const page = await stage.page(gateway, allowed(gateway));
  await controlled(page);
  const push = await pushes(page, gateway);
  await push(waits("boats", "ask-boats-1"));
  await count(page, 1);
  const [address, ...others] = await press(page, "pilothouse:boats");
  assert.deepEqual([address, others], [`${gateway}/?session=boats#request=ask-boats-1`, []]);

  // The first words come with the page, before any script has run.
  const first = await page.request.get(`${gateway}/?session=boats`);
  assert.ok((await first.text()).includes(`Title of boats ${MARK}`));
  const opened = await page.context().newPage();
  opened.on("pageerror", (error) => stage.said.push(`[exception] ${error.message}`));
  await opened.goto(address);
  await card(opened, "ask-boats-1").waitFor();
  await opened.waitForFunction(() => !document.querySelector("pilot-house").shadowRoot.querySelector(".first-screen"));
  for (const end = Date.now() + PATIENCE; !(await inView(opened, "ask-boats-1")); ) assert.ok(Date.now() < end, "it is in view");
  await opened.waitForFunction(() => location.hash === "");
  await answer(opened, "ask-boats-1", "approve-once");
  await opened.getByRole("link", { name: "Back to the sessions" }).waitFor();

  // The page of the session is open by now: it is focused, and shows the other request.
  await push(waits("boats", "ask-boats-2"));
  await count(page, 1);
  const [focused] = await press(page, "pilothouse:boats");
  assert.match(focused, /^focus .*\?session=boats/);
  for (const end = Date.now() + PATIENCE; !(await inView(opened, "ask-boats-2")); ) assert.ok(Date.now() < end, "it is in view");
}, { skip });

scenario("the gateway is told what somebody sees, and that it is hidden", async (stage) => {
  const gateway = await stage.serve([asks("boats"), asks("nets")]);
  const told = [];
  const page = await stage.page(`${gateway}/?session=boats`, {
    ...PHONE,
    prepare: (page) => page.on("websocket", (socket) => socket.on("framesent", ({ payload }) => {
      const call = String(payload);
      if (call.includes("pilothouse.visible")) told.push(JSON.parse(call).params);
    })),
  });
  const until = async (wanted) => {
    for (const end = Date.now() + PATIENCE; told.at(-1)?.visible !== wanted; await frames(page)) assert.ok(Date.now() < end, JSON.stringify(told));
  };
  await until(true);
  await page.evaluate(() => {
    Object.defineProperty(document, "hidden", { value: true, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await until(false);
  await page.evaluate(() => {
    delete document.hidden;
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await until(true);
  assert.ok(told.every(({ sessionId }) => sessionId === "boats"));
  assert.equal(told.length, 3, "nothing is told twice");
}, { skip });

scenario("a new version is offered and forced upon nobody, not while somebody types, and is whole", async (stage) => {
  const gateway = await stage.serve([asks("boats")]);
  const other = "00000000deadbeef";
  const files = {};
  const line = await wire(stage, gateway, { files, headers: [`pilothouse-page: ${other}`, "cache-control: no-cache"] });
  const page = await stage.page(line.address, PHONE);
  await controlled(page);
  await card(page, "ask-boats-1").waitFor();
  const field = card(page, "ask-boats-1").getByLabel("Feedback to the agent");
  if (!(await field.isVisible())) await card(page, "ask-boats-1").locator("[data-feedback]").click();
  await field.fill("Half an answer");
  await page.evaluate(() => void (window.same = true));

  // The gateway has another version from now on.
  const text = async (path) => (await page.request.get(gateway + path)).text();
  files["/?kept"] = (await text("/?kept")).replace("<title>", "<meta name=\"other\"><title>");
  files["/sw.js"] = (await text("/sw.js")).replace(/^const VERSION = "\w+"/, `const VERSION = "${other}"`);
  const comeBack = () => page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await comeBack();
  await eventually(page, async () => Boolean((await navigator.serviceWorker.ready).waiting));
  const offer = page.getByText("A new version is there");
  assert.equal(await offer.isVisible(), false, "somebody types");
  await field.blur();
  await offer.waitFor();
  await inBothSchemes(page, async () => assert.deepEqual(await violations(page), []));
  assert.ok(await page.evaluate(() => window.same), "the page goes on");

  await page.getByRole("button", { name: "Reload" }).click();
  await page.waitForFunction(() => !window.same && document.querySelector("meta[name=other]"));
  await card(page, "ask-boats-1").waitFor();
  assert.deepEqual((await page.evaluate(() => caches.keys())).filter((name) => name.startsWith("pilothouse-app")), [`pilothouse-app ${other}`]);
}, { skip });

/** Opens the settings by the session's menu. */
async function settings(page) {
  await card(page, "ask-boats-1").waitFor();
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("button", { name: "Notify this device" }).click();
  const dialog = page.getByRole("dialog", { name: "Notify this device" });
  await dialog.waitFor();
  return dialog;
}

scenario("this device is told from when somebody switches it on, as they choose, until it is off", async (stage) => {
  const gateway = await stage.serve([asks("boats")]);
  const posted = [];
  const ecdh = createECDH("prime256v1");
  const keys = { p256dh: ecdh.generateKeys("base64url"), auth: randomBytes(16).toString("base64url") };
  const page = await stage.page(gateway, {
    ...PHONE,
    prepare: async (page) => {
      await page.context().grantPermissions(["notifications"], { origin: gateway });
      page.on("request", (request) => request.url().endsWith("/api/push") && posted.push([request.method(), JSON.parse(request.postData())]));
      // The browser's push service is on the internet. In its place the page has one subscription.
      await page.addInitScript((keys) => {
        let current = null;
        PushManager.prototype.getSubscription = async () => current;
        PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
          const endpoint = "https://fcm.googleapis.com/fcm/send/device";
          if (!userVisibleOnly || applicationServerKey.length !== 65) throw new Error("not a key");
          return (current = {
            endpoint, options: { applicationServerKey: applicationServerKey.buffer }, toJSON: () => ({ endpoint, expirationTime: null, keys }),
            unsubscribe: async () => ((current = null), true),
          });
        };
      }, keys);
    },
  });
  await controlled(page);
  const dialog = await settings(page);
  const on = dialog.getByRole("switch");
  assert.equal(await on.isChecked(), false);
  assert.deepEqual(posted, [], "nobody was asked");
  await inBothSchemes(page, async () => assert.deepEqual(await violations(page), []));
  const answered = (method) => page.waitForResponse((response) => response.url().endsWith("/api/push") && response.request().method() === method);
  for (const [press, wanted] of [
    [() => on.check(), { says: "waiting", done: false }],
    [() => dialog.getByLabel("what is asked").check(), { says: "asked", done: false }],
    [() => dialog.getByLabel("Also tell when a turn is done").check(), { says: "asked", done: true }],
  ]) {
    const [response] = await Promise.all([answered("POST"), press()]);
    assert.equal(response.status(), 200);
    const [method, { endpoint, language, says, done }] = posted.at(-1);
    assert.deepEqual({ method, endpoint, language, says, done }, { method: "POST", endpoint: "https://fcm.googleapis.com/fcm/send/device", language: "en", ...wanted });
  }
  const tested = page.waitForResponse((response) => response.url().endsWith("/api/push/test"));
  await dialog.getByRole("button", { name: "Send a test" }).click();
  assert.equal((await tested).status(), 202);
  await dialog.getByText("A message is on its way.").waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await dialog.waitFor({ state: "hidden" });

  // A page that starts tells the gateway again.
  await Promise.all([answered("POST"), page.reload()]);
  assert.deepEqual([posted.at(-1)[1].says, posted.at(-1)[1].done], ["asked", true]);
  const again = await settings(page);
  assert.equal(await again.getByLabel("what is asked").isChecked(), true);
  await Promise.all([answered("DELETE"), again.getByRole("switch").uncheck()]);
  assert.equal(posted.at(-1)[1].endpoint, "https://fcm.googleapis.com/fcm/send/device");
}, { skip });

scenario("the settings say why a browser can't be told", async (stage) => {
  const gateway = await stage.serve([asks("boats")]);
  const why = async (prepare, words) => {
    const page = await stage.page(gateway, { ...PHONE, prepare });
    const dialog = await settings(page);
    await dialog.getByText(words).waitFor();
    assert.equal(await dialog.getByRole("switch").isDisabled(), true);
  };
  const script = (source) => (page) => page.addInitScript(source);
  await why(script(() => Object.defineProperty(Notification, "permission", { get: () => "denied" })), "This browser blocks notifications of this page.");
  await why(script(() => void delete globalThis.PushManager), "This browser has no push notifications.");
  await why(script(() => Object.defineProperty(globalThis, "isSecureContext", { value: false })), "Notifications need https.");
  await why(script(() => Object.defineProperty(navigator, "userAgent", { value: "Mozilla/5.0 (iPhone)" })), "add this page to the home screen first");
}, { skip });
