// What the app adds to the element: it says since when it is offline, keeps itself for offline starts, and offers updates.

import { load } from "../../dist/pkg/index.js";

const board = document.querySelector("pilot-house-board");
const offline = document.querySelector("#offline");
const update = document.querySelector("#update");

// --- Offline, and since when ---

/** Where the time is kept at which the app was last connected, because the app may start without a network. */
const CONNECTED = "pilothouse-phone.connected";

let connected = false;

function remember() {
  if (connected) localStorage.setItem(CONNECTED, Date.now());
}

function since() {
  const then = new Date(Number(localStorage.getItem(CONNECTED)));
  const today = then.toDateString() === new Date().toDateString();
  return then.toLocaleString(undefined, today ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" });
}

function showConnection(word) {
  remember();
  connected = word === "open";
  // While it connects nothing changes. When it is closed for good, the element asks for a token or says what to do.
  if (word === "connecting") return;
  offline.hidden = word !== "waiting";
  const what = navigator.onLine ? "No connection" : "Offline";
  offline.textContent = localStorage.getItem(CONNECTED) ? `${what} since ${since()}` : `${what}. Connects by itself.`;
}

// The system may end a hidden page at any time without another event.
document.addEventListener("visibilitychange", remember);
setInterval(remember, 60_000);

// --- How many wait: on the app's icon, and as a notification ---

let waiting = 0;

async function showWaiting(now) {
  navigator.setAppBadge?.(now).catch(() => {}); // not before somebody has allowed it
  const more = now > waiting;
  waiting = now;
  // Phones show notifications only for a service worker. The permission is asked for by a switch in the element's panel.
  if (!more || !document.hidden || globalThis.Notification?.permission !== "granted") return;
  const registration = await navigator.serviceWorker?.getRegistration();
  await registration?.showNotification(now === 1 ? "A session waits for you" : `${now} sessions wait for you`, {
    tag: "pilothouse", // one for the app: the newest replaces the others
    icon: "icons/icon-192.png",
  });
}

board.addEventListener("pilothouse-status", (event) => {
  if (event.composedPath()[0] !== board) return; // a session that is open in it has a state of its own
  const { connection, waiting } = event.detail;
  if (connection) showConnection(connection);
  else void showWaiting(waiting);
});

// --- The app's files, and new versions of them ---

/** What changes with a new version. */
const RELEASED = ["./", "phone.css", "phone.js", "sw.js", "../../dist/pkg/page.js", "../../dist/pkg/page_bg.wasm"];

/** Which version the server has, without a number that somebody would have to count up. Throws if there is no server. */
async function release() {
  const versions = RELEASED.map(async (path) => {
    const { ok, headers } = await fetch(new URL(path, import.meta.url), { method: "HEAD", cache: "no-store" });
    if (!ok) throw new Error(`${path} is not there`);
    return headers.get("etag") ?? headers.get("last-modified");
  });
  const text = new TextEncoder().encode((await Promise.all(versions)).join());
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", text));
  return [...digest.slice(0, 8)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Another release is another address of the worker. So the browser installs it beside the one in use, which goes on. */
async function look() {
  if (!navigator.onLine) return;
  const served = await release().catch(() => undefined);
  if (served) await navigator.serviceWorker.register(`sw.js?release=${served}`).catch(console.warn);
}

async function keepFiles() {
  const first = !navigator.serviceWorker.controller;
  let served = !first;
  let accepted = false;
  navigator.serviceWorker.addEventListener("controllerchange", () => {
    if (!served) served = true; // the first worker has taken over the page that installed it
    else if (accepted || document.hidden) location.reload();
    else update.hidden = false; // another window of the app has accepted the new version
  });
  await look();
  const registration = await navigator.serviceWorker.ready;
  // What was fetched before there was a worker.
  if (first) registration.active.postMessage({ keep: performance.getEntriesByType("resource").map(({ name }) => name) });

  const offer = () => {
    if (registration.waiting) update.hidden = false;
  };
  const follow = (worker) => worker?.addEventListener("statechange", offer);
  registration.addEventListener("updatefound", () => follow(registration.installing));
  follow(registration.installing);
  offer();
  update.querySelector("button").addEventListener("click", () => {
    accepted = true;
    if (registration.waiting) registration.waiting.postMessage({ activate: true });
    else location.reload();
  });
  document.addEventListener("visibilitychange", () => document.hidden || void look());
  setInterval(look, 3_600_000);
}

// Also if the element does not start, because a newer version may.
await load().finally(() => navigator.serviceWorker && keepFiles());
