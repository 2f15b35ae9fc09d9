// The service worker. It keeps the program's files, so that the page starts without a network, and shows push messages. Nothing of
// a session is kept: the page is kept as it is without one, and the gateway's API does not pass through here.
// The gateway writes two lines above: VERSION, of the page's files, and FILES, the paths that a start needs.

/** What our caches begin with. */
const OURS = "pilothouse-app ";
const CACHE = OURS + VERSION;
/** The page without anything of a session. */
const PAGE = "/?kept";
/** What a person chose for this device; see `settings.js`. */
const CHOICES = "pilothouse-choices";
const CHOSEN = "/app/choices";
/** Fetched when they are needed, and then kept. */
const LATER = "/extras/";
/** How long open pages have to say what they show, in milliseconds. */
const PATIENCE = 500;

/** Not a sign-in page to which a proxy has redirected. */
const isGood = (response) => response.status === 200 && !response.redirected;
const isOld = (name) => name.startsWith(OURS) && name !== CACHE;

/** Fetches everything of this version; from the server, even if the browser has a copy that it takes for fresh. */
async function fill() {
  const cache = await caches.open(CACHE);
  await Promise.all([...FILES, PAGE].map(async (path) => {
    const response = await fetch(path, { cache: "no-cache" });
    if (!isGood(response)) throw new Error(`${path}: ${response.status}`);
    const version = response.headers.get("Pilothouse-Page");
    if (path === PAGE && version !== VERSION) throw new Error("another version is there meanwhile");
    await cache.put(path, response);
  }));
}

async function tidy() {
  await Promise.all((await caches.keys()).filter(isOld).map((name) => caches.delete(name)));
  await registration.navigationPreload?.enable();
  await clients.claim();
}

async function file(event, path) {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(path);
  if (kept) return kept;
  const response = await fetch(event.request);
  // Where there is no room left, the app works all the same.
  if (isGood(response)) event.waitUntil(cache.put(path, response.clone()).catch(() => {}));
  return response;
}

/** The page from the gateway, which has the first screen in it. Without a gateway, and while it has another version, the kept one. */
async function page(event) {
  const kept = async () => (await caches.open(CACHE)).match(PAGE);
  let response;
  try {
    response = (await event.preloadResponse) ?? (await fetch(event.request));
  } catch (error) {
    const page = await kept();
    if (page) return page;
    throw error;
  }
  const version = response.headers.get("Pilothouse-Page");
  const isOther = version !== null && version !== VERSION;
  // A program of one version does not take over what another one drew.
  if (isOther) event.waitUntil(registration.update().catch(() => {}));
  return ((isOther || response.status >= 500) && (await kept())) || response;
}

/** The message of a push; none if it is not one of ours. */
function read(data) {
  try {
    const message = data.json();
    return message.v === 1 ? message : undefined;
  } catch {
    return undefined;
  }
}

async function tell(message) {
  if (!message) return;
  const { kind, tag, title, body, url, sessionId, requestId } = message;
  if (kind === "close") {
    const shown = await registration.getNotifications({ tag });
    // Who waited has been answered. That a turn failed since then stays to be read.
    for (const one of shown) if (one.data?.kind === "waiting") one.close();
  } else {
    await registration.showNotification(title, {
      body,
      tag,
      // It replaces what was said of this session. A turn that is done is no reason to ring again.
      renotify: kind !== "done",
      icon: "/app/icons/icon-192.png",
      badge: "/app/icons/badge.png",
      data: { kind, url, sessionId, requestId },
    });
  }
  await count();
}

/** The number on the app's icon. */
async function count() {
  const shown = await registration.getNotifications();
  const waiting = shown.filter(({ data }) => data?.kind === "waiting").length;
  await navigator.setAppBadge?.(waiting).catch(() => {});
}

/** Whether this page shows the session; then it brings the request into view. */
function shows(client, { sessionId, requestId }) {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => resolve(data === true);
    setTimeout(resolve, PATIENCE, false);
    client.postMessage({ show: { sessionId, requestId } }, [port2]);
  });
}

async function open(data) {
  const pages = await clients.matchAll({ type: "window" });
  const answers = await Promise.all(pages.map((page) => shows(page, data)));
  // A test is about no session.
  const page = data.kind === "test" ? pages[0] : pages[answers.indexOf(true)];
  if (page) return page.focus();
  const { origin } = location;
  const url = new URL(data.url, origin);
  return clients.openWindow(url.origin === origin ? url : origin);
}

/** The browser has ended a subscription, and made another or none. */
async function renew({ oldSubscription, newSubscription }) {
  const chosen = await (await caches.open(CHOICES)).match(CHOSEN);
  if (!chosen) return;
  const headers = { "Content-Type": "application/json" };
  const remove = (endpoint) => fetch("/api/push", { method: "DELETE", headers, body: JSON.stringify({ endpoint }) });
  const { key } = await (await fetch("/api/push/key")).json();
  const subscription = newSubscription ?? (await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }));
  const offer = { ...subscription.toJSON(), ...(await chosen.json()) };
  await fetch("/api/push", { method: "POST", headers, body: JSON.stringify(offer) });
  if (oldSubscription && oldSubscription.endpoint !== subscription.endpoint) await remove(oldSubscription.endpoint);
}

addEventListener("install", (event) => event.waitUntil(fill()));
addEventListener("activate", (event) => event.waitUntil(tidy()));
addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== "GET" || origin !== location.origin) return;
  if (mode === "navigate") {
    if (pathname === "/") event.respondWith(page(event));
  } else if (FILES.includes(pathname) || pathname.startsWith(LATER)) {
    event.respondWith(file(event, pathname));
  }
});
addEventListener("message", ({ data }) => {
  if (data === "activate") void skipWaiting(); // somebody has pressed Reload
});
addEventListener("push", (event) => event.waitUntil(tell(read(event.data))));
addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(Promise.all([open(event.notification.data), count()]));
});
addEventListener("notificationclose", (event) => event.waitUntil(count()));
addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renew(event)));
