// What the wall adds to the element: a clock, how many wait, whether the connection is there, and that all of it goes on by
// itself for weeks.

import { load } from "../../dist/pkg/index.js";

const body = document.body;
const board = document.querySelector("pilot-house-board");
const find = (id) => document.getElementById(id);
/** Changes a text only if it is another one, so that nothing is announced twice. */
const say = (id, text) => find(id).textContent === text || (find(id).textContent = text);

// --- What is shown ---

/** When the connection was there for the last time, in milliseconds since 1970. */
let last;
let lost = false;
let counts = { waiting: 0, sessions: 0 };

const time = new Intl.DateTimeFormat(document.documentElement.lang, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const date = new Intl.DateTimeFormat(document.documentElement.lang, { weekday: "long", day: "numeric", month: "long" });

function show() {
  const now = Date.now();
  const { connection } = board.dataset;
  const open = connection === "open";
  if (open) last = now;
  lost = !open && (lost || connection === "waiting" || connection === "closed");
  const waiting = open ? counts.waiting : 0;
  body.dataset.state = lost ? "lost" : !open ? "connecting" : waiting ? "waiting" : "calm";
  say("time", time.format(now));
  say("date", date.format(now));
  say("connection", connection === "closed" ? "No access" : lost ? "No connection" : open ? "Live" : "Connecting");
  say("count", waiting ? String(waiting) : "");
  const waits = ["Nothing waits for an answer", "waits for an answer"][waiting] ?? "wait for an answer";
  say("words", lost ? stale(now) : open ? waits : "");
  say("more", more());
}

/** Says that what is shown is old, and how old. */
function stale(now) {
  if (!last) return "Not connected yet";
  const minutes = Math.floor((now - last) / 60_000);
  const age = minutes < 1 ? "" : minutes < 120 ? ` (${minutes} min)` : ` (${Math.floor(minutes / 60)} h)`;
  return `Out of date since ${time.format(last)}${age}`;
}

/** How many sessions have no room. The most urgent are first, so these are the least urgent. No tile is shown in part. */
function more() {
  const { bottom, height } = board.getBoundingClientRect();
  const ends = [...(board.shadowRoot?.querySelectorAll("[data-session]") ?? [])].map((tile) => tile.getBoundingClientRect().bottom);
  const whole = ends.filter((end) => end <= bottom);
  const hidden = ends.length - whole.length;
  const cut = hidden && whole.length ? (bottom - Math.max(...whole) - 2) / height : 0;
  board.style.clipPath = cut > 0 ? `inset(0 0 ${(cut * 100).toFixed(2)}% 0)` : "";
  return hidden === 0 ? "" : hidden === 1 ? "1 more session" : `${hidden} more sessions`;
}

board.addEventListener("pilothouse-status", ({ detail }) => {
  if ("waiting" in detail) {
    if (detail.waiting > counts.waiting) breathe();
    counts = detail;
  }
  show();
});
setInterval(show, 1000);

function breathe() {
  const { classList } = document.querySelector(".waiting");
  classList.remove("more");
  requestAnimationFrame(() => requestAnimationFrame(() => classList.add("more")));
}

// --- The size ---

/**
 * The element's text is 15 px high. Everything in it is made larger as a whole: to 28 px on 1080 lines, with three columns of
 * sessions. More than 560 px of the element stay, below which it lays itself out for a phone.
 */
function fit() {
  board.style.zoom = Math.min(innerWidth, innerHeight) / 580;
}
addEventListener("resize", fit);
fit();

// --- The token ---

/** The viewer's token stands in a file beside this page, on the machine at the wall. A new one is taken by itself. */
async function readToken() {
  const file = await fetch(new URL("viewer-token", import.meta.url), { cache: "no-store" }).catch(() => undefined);
  const token = file?.ok && (await file.text()).trim();
  if (token && token !== board.getAttribute("token")) board.setAttribute("token", token);
}
await readToken();

// --- For weeks ---

/** Keeps the screen on. The browser takes that back whenever the page is hidden. */
async function stayAwake() {
  if (!document.hidden) await navigator.wakeLock?.request("screen").catch(() => {}); // not every system has it
}
document.addEventListener("visibilitychange", stayAwake);
void stayAwake();

// The element asks a silent connection for a sign of life when somebody comes back to the page. To a wall nobody does.
setInterval(() => dispatchEvent(new Event("focus")), 30_000);

const RELEASED = ["./", "wall.css", "wall.js", "../../dist/pkg/page.js", "../../dist/pkg/page_bg.wasm"];

/** Which version the server has, or nothing if it does not answer. */
async function release() {
  const versions = RELEASED.map(async (path) => {
    const { ok, headers } = await fetch(new URL(path, import.meta.url), { method: "HEAD", cache: "no-store" });
    if (!ok) throw new Error(`${path} is not there`);
    return headers.get("etag") ?? headers.get("last-modified");
  });
  return Promise.all(versions).then((all) => all.join(), () => undefined);
}

let shown = await release();
let before;

/** Loads a new version of this page once it has been there for a minute, so that it is whole. */
async function renew() {
  await readToken();
  const served = await release();
  shown ??= served;
  if (served && served !== shown && served === before && board.dataset.connection === "open") location.reload();
  before = served;
}
setInterval(renew, 60_000);

await load();
show();
