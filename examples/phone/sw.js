// Keeps the app's files, so that it starts without a network. Everything else, such as the gateway's API and its event
// streams, does not pass through here.

/** Which version this is; the page chooses it, see `release` in phone.js. */
const RELEASE = new URL(location).searchParams.get("release");
const PACKAGE = new URL("../../dist/pkg/", location).href;
const PAGE = new URL("./", location).href;
/** Without these nothing starts. What the scripts among them need is found in them. */
const SHELL = ["phone.css", "phone.js", "manifest.json", "icons/icon.svg", "icons/icon-192.png"]
  .map((path) => new URL(path, location).href);
/**
 * What a script names of other files: modules, the wasm, and all chunks of the program, because a chunk fits only the wasm
 * that it was built with. What is imported later, such as colours in code, is kept once it has been fetched.
 */
const NAMED = /(?:\b(?:from|import)\s*|\bnew URL\()["'](\.{1,2}\/[^"']+)["']/g;

/** What the caches of this app begin with. Other apps of the same origin have others. */
const OURS = `pilothouse-phone ${registration.scope} `;
const CACHE = OURS + RELEASE;

/** An address as it is kept. */
const plain = (url) => url.replace(/[?#].*$/, "").replace(/\/index\.html$/, "/");
const isOurs = (url) => url === PAGE || SHELL.includes(url) || url.startsWith(PACKAGE);
/** Not a sign-in page to which a proxy has redirected. */
const isGood = (response) => response.status === 200 && !response.redirected;

/** From the server, even if the browser has a copy that it takes for fresh. */
const fromServer = (url) => fetch(url, { cache: "no-cache" });

/** Fetches everything for this release. The page itself is kept last: if it is there, everything is. */
async function fill() {
  const cache = await caches.open(CACHE);
  if (await cache.match(PAGE)) return;
  const wanted = new Set(SHELL);
  for (const url of wanted) {
    const response = await fromServer(url);
    if (!isGood(response)) throw new Error(`${url}: ${response.status}`);
    await cache.put(url, response.clone());
    if (!url.endsWith(".js")) continue;
    for (const [, path] of (await response.text()).matchAll(NAMED)) wanted.add(new URL(path, url).href);
  }
  // What the release before had fetched when it was needed.
  const before = (await caches.keys()).filter((name) => name.startsWith(OURS) && name !== CACHE);
  for (const name of before) await keep((await (await caches.open(name)).keys()).map(({ url }) => url));
  const page = await fromServer(PAGE);
  if (!isGood(page)) throw new Error(`${PAGE}: ${page.status}`);
  await cache.put(PAGE, page);
}

/** Keeps those of these addresses that are ours and that the server still has. */
async function keep(urls) {
  const cache = await caches.open(CACHE);
  for (const url of new Set(urls.map(plain))) {
    if (url === PAGE || !isOurs(url) || (await cache.match(url))) continue;
    const response = await fromServer(url);
    if (isGood(response)) await cache.put(url, response);
  }
}

async function answer(event, url) {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(url);
  if (kept) return kept;
  const response = await fetch(event.request);
  // Where there is no room left, the app works all the same.
  if (isGood(response)) event.waitUntil(cache.put(url, response.clone()).catch(() => {}));
  return response;
}

addEventListener("install", (event) => event.waitUntil(fill()));

addEventListener("activate", (event) => {
  const tidy = async () => {
    const old = (await caches.keys()).filter((name) => name.startsWith(OURS) && name !== CACHE);
    await Promise.all(old.map((name) => caches.delete(name)));
    await clients.claim();
  };
  event.waitUntil(tidy());
});

addEventListener("fetch", (event) => {
  const url = plain(event.request.url);
  if (event.request.method === "GET" && isOurs(url)) event.respondWith(answer(event, url));
});

addEventListener("message", (event) => {
  if (event.data.activate) event.waitUntil(skipWaiting()); // somebody has pressed Restart
  if (event.data.keep) event.waitUntil(keep(event.data.keep));
});

addEventListener("notificationclick", (event) => {
  event.notification.close();
  const show = async () => {
    const [open] = await clients.matchAll({ type: "window" });
    return open ? open.focus() : clients.openWindow(PAGE);
  };
  event.waitUntil(show());
});
