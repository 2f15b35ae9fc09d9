// The page as an app: registers the service worker, offers new versions, says what it has where there is no connection, tells the gateway what
// somebody sees, and opens the request that a notification is about. It comes after the page, which needs nothing of it.

/** Where the time is kept at which a page was last connected, because the app may start without a network. */
const CONNECTED = "pilothouse.connected";
/** For how long after an input somebody is taken to look at a page without the focus, in milliseconds. */
const LOOKS = 60_000;
/** For how long a request is looked for that is to be in view, in milliseconds. */
const SEARCH = 15_000;
/** Between two presses of the button that leads to requests out of sight, in milliseconds. */
const PAUSE = 400;

const { words, lang, rtl } = await (await fetch("/app/words.json")).json();
/** The reader's own kind of the page's language, which says how a time of day is written: `en-GB`. */
export const locale = navigator.languages.find((tag) => tag.split("-")[0] === lang) ?? lang;

/** A time as the reader writes it: today's without the date. */
function written(time) {
  const isToday = time.toDateString() === new Date().toDateString();
  return time.toLocaleString(locale, isToday ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" });
}

/** Why a gateway refused, in its own words where it has some. */
async function refusal(response) {
  const body = await response.json().catch(() => undefined);
  return new Error(body?.error?.message ?? body?.error ?? `HTTP ${response.status}`);
}

/** Sends JSON to the gateway, or asks it for something. Fails with the gateway's words where it refuses. */
export async function send(method, address, body) {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(address, body && { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw await refusal(response);
  return response;
}

/** An element with these properties and children. */
export function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

const sheet = new CSSStyleSheet();
sheet.replaceSync(`
  body:has(.app-bar:not([hidden])) { display: flex; flex-direction: column; height: 100dvh; }
  /* the page ends at the safe area, the colour of the bars at the screen's edge */
  .app-bars:has(.app-bar:not([hidden])) { margin: 0 calc(-1 * env(safe-area-inset-right)) calc(-1 * env(safe-area-inset-bottom)) calc(-1 * env(safe-area-inset-left));
    padding: 0 env(safe-area-inset-right) env(safe-area-inset-bottom) env(safe-area-inset-left); }
  body:has(.app-bar:not([hidden])) > :is(pilot-house, pilot-house-board) { flex: 1; min-height: 0; height: auto; }
  .app-bars { display: grid; font: 0.875rem/1.4 system-ui, sans-serif; color-scheme: light dark;
    color: light-dark(#1c2329, #e0e3e6); background: light-dark(#f0f3f6, #1c2024); }
  .app-bar { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 12px; padding: 8px 14px; border-top: 1px solid light-dark(#dfe3e8, #2b3035); }
  .app-bar[hidden] { display: none; }
  .app-bar span { flex: 1; min-width: 12em; overflow-wrap: anywhere; }
  .app-bar button { min-height: 44px; padding: 5px 14px; border: 1px solid #808790; border-radius: 6px; background: none; color: inherit; font: 500 0.875rem/1.43 system-ui, sans-serif; }
  .app-item { box-sizing: border-box; display: inline-flex; align-items: center; gap: 8px; min-width: 34px; min-height: 34px; padding: 5px 8px; border: 0; border-radius: 6px; background: none;
    color: inherit; font: inherit; text-align: start; text-decoration: none; cursor: pointer; }
  .app-item:hover { background: color-mix(in srgb, currentColor 8%, transparent); }
  .app-item[hidden] { display: none; }
  .app-item svg { width: 16px; height: 16px; flex: none; }
  [dir=rtl] .app-back svg { transform: scaleX(-1); }
  @media (width < 560px) { button.app-item { gap: 12px; min-height: 44px; padding-inline: 12px; } }
  @media (pointer: coarse) { .app-item { min-width: 44px; min-height: 44px; } }
  @media (width >= 560px) { .app-item { justify-content: center; } .app-item span { display: none; } }
  .app-back { justify-content: center; }
  pilot-house-board > .app-item { padding: 5px 8px; justify-content: center; }
  pilot-house-board > .app-item span { display: none; }
  @media (width < 560px), (pointer: coarse) { pilot-house-board > .app-item { min-width: 44px; } }
`);
document.adoptedStyleSheets.push(sheet);

const bars = make("div", { className: "app-bars", lang, dir: rtl ? "rtl" : "ltr" });
document.body.append(bars);

/** A bar at the foot of the page, hidden. */
function bar(...children) {
  const text = make("span");
  const bar = make("div", { className: "app-bar", hidden: true }, text, ...children);
  bar.setAttribute("role", "status");
  bars.append(bar);
  // What is said is announced when it comes.
  return { say: (words) => words !== text.textContent && (text.textContent = words), show: (on) => (bar.hidden = !on) };
}

// --- The sessions on the page ---

/** The elements of sessions on the page, those on a board too. */
function sessions() {
  const boards = [...document.querySelectorAll("pilot-house-board")];
  return [document, ...boards.map((board) => board.shadowRoot)].flatMap((root) => [...(root?.querySelectorAll("pilot-house") ?? [])]);
}

/** The id of an element's session; undefined where it is not known. */
function idOf(element) {
  const named = element.getAttribute("session");
  if (named !== null || !customElements.get("pilot-house")) return named ?? undefined;
  const { session } = element;
  const { id } = session.snapshot().session;
  session.free();
  return id;
}

/** An icon of one path, in a box of 16 by 16. */
function icon(path) {
  const [svg, line] = ["svg", "path"].map((name) => document.createElementNS("http://www.w3.org/2000/svg", name));
  for (const [name, value] of Object.entries({ viewBox: "0 0 16 16", fill: "none", stroke: "currentColor", "stroke-width": "1.4", "stroke-linejoin": "round", "aria-hidden": "true" })) {
    svg.setAttribute(name, value);
  }
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

const BELL = "M3.5 11.5V7a4.5 4.5 0 0 1 9 0v4.5l1 1h-11zM6.5 13.5a1.5 1.5 0 0 0 3 0";
const BACK = "M10 3 5 8l5 5";
const PHONE = "M5 1.5h6a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1zM7 12.5h2";
const LEAVE = "M6.5 2.5h-3v11h3M10 5l3 3-3 3M6.5 8H13";
const LINK = "M6.5 9.5l3-3M7 4.5l1-1a3.2 3.2 0 0 1 4.5 4.5l-1 1M9 11.5l-1 1A3.2 3.2 0 0 1 3.5 8l1-1";
/** The elements that have a place in their menu, with what changes there once it is known who looks. */
const equipped = new WeakMap();
const boards = () => [...document.querySelectorAll("pilot-house-board")];
const alone = new URLSearchParams(location.search).has("session");
/** The token of the link by which this page is opened. */
const token = new URLSearchParams(location.hash.slice(1)).get("share");

// --- Who looks ---

/** What the gateway says of who looks; undefined until somebody is let in. */
let me;
/** Whether they watch by a link, and are not signed in besides. */
const isGuest = () => Boolean(token) && !me?.signedIn;

async function learn() {
  try {
    const response = await fetch("/api/me", { headers: token ? { Authorization: `Bearer ${token}` } : {} });
    me = response.ok ? await response.json() : undefined;
  } catch {
    me = undefined; // it is asked again with the next connection
  }
  for (const element of [...sessions(), ...boards()]) arrange(element);
  if (isGuest() && me?.until) {
    guest.say(words.byLink.replace("{time}", written(new Date(me.until))));
  }
  guest.show(isGuest() && Boolean(me?.until));
}

/** Ends what this device is told, and the sign-in; the second also where the first fails. */
async function signOut() {
  const ended = import("./notify.js").then(({ end }) => end(registered));
  await ended.catch((error) => console.info(`Pilothouse: ${error.message}`));
  const response = await fetch("/signout", { method: "POST" });
  const { location: next } = await response.json();
  location.assign(next);
}

/** The buttons that have the place that came with the page: the gateway expects them to be shown. */
const placed = new WeakSet();

/** Shows a button or not. As long as nobody knows who looks it keeps the place that it was given. */
function show(item, on) {
  const keeps = !me && placed.has(item);
  item.hidden = !on && !keeps;
  item.style.visibility = on ? "" : "hidden";
}

/** Shows in a session's menu what is for who looks. */
function arrange(element) {
  const items = equipped.get(element);
  if (!items) return;
  if (items.share) show(items.share, !isGuest() && me?.role === "operator");
  if (items.notify) show(items.notify, !isGuest());
  if (items.phone) show(items.phone, !isGuest());
  show(items.leave, me?.signedIn);
  const name = me?.name ? words.signOutAs.replace("{name}", me.name) : words.signOut;
  items.leave.title = items.leave.lastChild.textContent = name;
}

/** Gives a session's menu what the app has for it, and a session that is alone on the page the way to the others. */
function equip(element) {
  if (equipped.has(element)) return;
  const root = element.getRootNode();
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  const isBoard = element.matches("pilot-house-board");
  const item = (key, name, path, act) => {
    const button = make("button", { type: "button", slot: "menu", className: "app-item", title: name, lang }, icon(path), make("span", { textContent: name }));
    button.addEventListener("click", () => Promise.resolve(act()).catch(console.warn));
    const place = element.querySelector(`:scope > [data-app=${key}]`);
    if (place) {
      placed.add(button);
      place.replaceWith(button);
    } else element.append(button);
    return button;
  };
  const opens = (module) => async () => (await import(module)).open({ words, lang, rtl, registered, session: isBoard ? undefined : idOf(element) });
  // The board's head has room for two on a phone, which has no need of the way to a phone.
  const isPhone = matchMedia("(pointer: coarse) and (width < 560px)").matches;
  equipped.set(element, {
    notify: (!isBoard || isPhone) && item("notify", words.notify, BELL, opens("./notify.js")),
    phone: !(isBoard && isPhone) && item("phone", words.phone, PHONE, opens("./phone.js")),
    share: !isBoard && item("share", words.share, LINK, opens("./share.js")),
    leave: item("signOut", words.signOut, LEAVE, signOut),
  });
  arrange(element);
  // What has no button here has no place either.
  const clear = () => element.querySelectorAll(":scope > .app-place").forEach((place) => place.remove());
  if (!alone || token || isBoard) return clear();
  const back = make("a", { href: "/", slot: "header-start", className: "app-item app-back", title: words.back, lang }, icon(BACK));
  back.setAttribute("aria-label", words.back);
  clear();
  element.append(back);
}

// --- Who sees what ---

/** What the gateway was told of each element, as long as its connection lasts. */
const told = new WeakMap();
let touched = Date.now();

function tellVisible() {
  const seen = !document.hidden && (document.hasFocus() || Date.now() - touched < LOOKS);
  // Who watches by a link has no devices.
  for (const element of token ? [] : [...sessions(), ...boards()]) {
    if (element.getAttribute("data-connection") !== "open") told.delete(element);
    else if ((told.get(element) ?? false) !== seen) {
      told.set(element, seen);
      element.visible?.(seen);
    }
  }
}

for (const name of ["focus", "blur", "pagehide", "pageshow"]) addEventListener(name, tellVisible);
let away;
addEventListener("blur", () => {
  clearTimeout(away);
  away = setTimeout(tellVisible, LOOKS + 1);
});
for (const name of ["pointerdown", "keydown", "wheel", "touchmove"]) {
  addEventListener(name, () => {
    const before = touched;
    touched = Date.now();
    if (document.hasFocus() && touched - before < LOOKS) return;
    tellVisible();
    // Without the focus it ends by itself.
    clearTimeout(away);
    if (!document.hasFocus()) away = setTimeout(tellVisible, LOOKS + 1);
  }, { capture: true, passive: true });
}

// --- What an app says that has started without a connection ---

const connection = bar();
const guest = bar();
let connected = false;
/** Whether the page shows something of a session. What became of its connection it says itself then. */
let shows = false;

/** Keeps that it is connected now. The system may end a hidden page at any time without another event. */
function remember() {
  if (connected) localStorage.setItem(CONNECTED, Date.now());
}

function lastConnected() {
  const then = localStorage.getItem(CONNECTED);
  return then ? written(new Date(Number(then))) : undefined;
}

function showConnection() {
  const states = [...document.querySelectorAll("pilot-house, pilot-house-board")].map((one) => one.getAttribute("data-connection"));
  remember();
  const before = connected;
  connected = states.includes("open");
  remember();
  if (connected && !before) void learn();
  if (!connected) guest.show(false);
  shows ||= connected || sessions().some(({ shadowRoot }) => shadowRoot?.querySelector(".first-screen"));
  const time = !shows && states.includes("waiting") && lastConnected();
  if (time) connection.say(words.lastConnected.replace("{time}", time));
  // While it connects nothing changes. What a gateway has refused the page says itself.
  if (time || shows || states.some((state) => state && state !== "connecting")) connection.show(Boolean(time));
}

// --- The request of a notification ---

let search = 0;

/** Brings the request's card into view, unless somebody does something else meanwhile. */
function reveal(element, requestId) {
  search += 1;
  if (!requestId) return;
  const [own, end] = [search, Date.now() + SEARCH];
  let next = 0;
  const stop = () => (search += 1);
  for (const name of ["pointerdown", "keydown", "wheel"]) addEventListener(name, stop, { capture: true, once: true, passive: true });
  const look = () => {
    if (own !== search || Date.now() > end) return;
    const root = element.shadowRoot;
    const card = root?.querySelector(`[data-request-id="${CSS.escape(requestId)}"]`);
    if (card) {
      const list = card.closest("[data-scroller]")?.getBoundingClientRect();
      const { top, bottom, height } = card.getBoundingClientRect();
      const isInView = list && bottom <= list.bottom + 1 && (top >= list.top - 1 || height > list.height);
      if (!isInView) card.scrollIntoView({ block: height > (list?.height ?? innerHeight) ? "end" : "nearest" });
      else if (!root.querySelector(".first-screen")) return;
    }
    // Far away rows are not in the document. The page's own button leads to what waits and is out of sight.
    if (!card && Date.now() > next) {
      next = Date.now() + PAUSE;
      root?.querySelector(".waits")?.click();
    }
    requestAnimationFrame(look);
  };
  look();
}

function revealAddressed() {
  const { hash, pathname, search: query } = location;
  const request = new URLSearchParams(hash.slice(1)).get("request");
  if (!request || !alone) return;
  const [element] = sessions();
  if (element) reveal(element, request);
  // Loading the page again does not lead back to it.
  history.replaceState(history.state, "", pathname + query);
}

// --- The worker, and new versions ---

const later = make("button", { type: "button", textContent: words.later });
const reload = make("button", { type: "button", textContent: words.reload });
const update = bar(reload, later);
update.say(words.newVersion);
let offered = false;

/** The innermost element that has the focus. */
function focused() {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return at;
}

/** Offers a new version; not while an answer is typed. */
function offer() {
  if (!offered) return;
  const field = focused();
  const isTyping = field?.matches?.("textarea, input, [contenteditable]") && (field.value || field.textContent);
  update.show(!isTyping);
  if (isTyping) field.addEventListener("blur", () => setTimeout(offer), { once: true });
}

/** Registers the worker. The page's policy lets a script be named in this way alone, and only this one. */
async function register() {
  if (!navigator.serviceWorker) throw new Error(words.unsupported);
  const address = "/sw.js";
  const policy = globalThis.trustedTypes?.createPolicy("pilothouse-worker", {
    createScriptURL: (url) => {
      if (url !== address) throw new TypeError(url);
      return url;
    },
  });
  return navigator.serviceWorker.register(policy ? policy.createScriptURL(address) : address, { updateViaCache: "none" });
}

async function followVersions(registration) {
  let [had, accepted] = [Boolean(navigator.serviceWorker.controller), false];
  navigator.serviceWorker.addEventListener("controllerchange", () => {
    if (accepted) location.reload();
    // Another window has accepted it. The first worker takes over the page that installed it.
    else if (had) offered = true;
    had = true;
    offer();
  });
  const look = () => {
    offered ||= Boolean(registration.waiting && navigator.serviceWorker.controller);
    offer();
  };
  const follow = (worker) => worker?.addEventListener("statechange", look);
  registration.addEventListener("updatefound", () => follow(registration.installing));
  follow(registration.installing);
  look();
  reload.addEventListener("click", () => {
    accepted = true;
    if (registration.waiting) registration.waiting.postMessage("activate");
    else location.reload();
  });
  later.addEventListener("click", () => update.show(false));
  const ask = () => document.hidden || !navigator.onLine || registration.update().catch(() => {});
  document.addEventListener("visibilitychange", ask);
  // A gateway that was replaced has ended all connections.
  document.addEventListener("pilothouse-status", ({ detail }) => detail?.connection === "open" && ask());
}

const registered = register();
registered.then(followVersions, (error) => console.info(`Pilothouse: no service worker: ${error.message}`));
// A device that is told goes on being told: its person may be another, or the gateway have another key.
registered.then(() => localStorage.getItem("pilothouse.told") && import("./notify.js").then(({ renew }) => renew(registered)), () => {});

navigator.serviceWorker?.addEventListener("message", ({ data, ports: [port] }) => {
  if (!data?.show) return;
  const element = sessions().find((one) => idOf(one) === data.show.sessionId);
  port?.postMessage(Boolean(element));
  if (element) reveal(element, data.show.requestId);
});
navigator.serviceWorker?.startMessages();

/** How many wait, on the app's icon. */
function count({ detail, target }) {
  if (typeof detail?.waiting === "number" && target.matches?.("pilot-house-board")) navigator.setAppBadge?.(detail.waiting).catch(() => {});
}

function look() {
  [...sessions(), ...boards()].forEach(equip);
  tellVisible();
  showConnection();
}

document.addEventListener("pilothouse-status", (event) => {
  count(event);
  look();
});
document.addEventListener("visibilitychange", look);
for (const name of ["online", "offline"]) addEventListener(name, look);
look();
revealAddressed();
