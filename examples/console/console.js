// A console for the sessions of a gateway: the list beside the session that is open, which is in the address.

import { load } from "../../dist/pkg/index.js";
import { Audit } from "./audit.js";
import { Sessions } from "./sessions.js";

const at = (id) => document.getElementById(id);
const house = document.querySelector("pilot-house");
const main = document.querySelector("main");
const narrow = matchMedia("(max-width: 759.98px)");
const time = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });

// The token. It is in memory only; the list and the element get the same one.

let token;
/** While a token is wanted: resolves when there is one. */
let wanted;

/** A callback for one connection: gives the token, and waits for another one if that connection's was refused. */
function credentials() {
  let used;
  return async ({ refused }) => {
    if (refused && used === token) await (wanted ??= signIn());
    used = token;
    return { token };
  };
}

/** Asks for a token. Who closes the dialog without one gets it again from the header's button. */
function signIn() {
  const dialog = at("sign-in");
  ask();
  return new Promise((resolve) => {
    dialog.addEventListener("close", function close() {
      if (dialog.returnValue === "yes") {
        dialog.removeEventListener("close", close);
        token = at("token").value;
        wanted = undefined;
        resolve();
      }
      connection();
    });
  });
}

function ask() {
  at("sign-in").returnValue = "";
  at("token").value = "";
  at("sign-in").showModal();
}

house.auth = credentials();
const sessions = new Sessions(house.getAttribute("src"), credentials());

// The session in the address: `#session=ID`. The list's links only change the address.

const chosen = () => new URLSearchParams(location.hash.slice(1)).get("session");
const address = (id) => `#${new URLSearchParams({ session: id })}`;

function open() {
  const id = chosen();
  document.body.dataset.view = id ? "session" : "list";
  house.hidden = !id;
  if (id && house.getAttribute("session") !== id) house.setAttribute("session", id);
  draw();
}

addEventListener("hashchange", ({ oldURL }) => {
  open();
  // On a narrow screen what had the focus is no longer shown.
  if (!narrow.matches) return;
  const before = new URLSearchParams(new URL(oldURL).hash.slice(1)).get("session");
  if (chosen()) main.focus();
  else links.get(before)?.focus();
});

// The list.

const links = new Map();
const waits = ({ openRequests }) => openRequests > 0;

function draw() {
  const words = at("filter").value.toLowerCase();
  const shown = sessions.rows.filter((row) => text(row).toLowerCase().includes(words));
  for (const [id, link] of links) if (!sessions.row(id)) links.delete(id), link.parentElement.remove();
  for (const row of sessions.rows) {
    const link = links.get(row.sessionId) ?? item(row.sessionId);
    fill(link, row);
    link.parentElement.hidden = !shown.includes(row);
  }
  const waiting = sessions.rows.filter(waits).length;
  at("next").disabled = !waiting;
  write(at("next"), !waiting ? "None wait" : waiting === 1 ? "1 waits" : `${waiting} wait`);
  document.title = waiting ? `(${waiting}) Agent operations` : "Agent operations";
  at("none").hidden = shown.length > 0 || sessions.connection !== "open";
  at("none").textContent = sessions.rows.length ? "No session matches." : "There is no session yet.";
  at("create").hidden = !sessions.capabilities.includes("create");
  connection();
}

/** The item of a session, whose parts are filled by `fill`. */
function item(id) {
  const link = document.createElement("a");
  link.href = address(id);
  for (const part of ["title", "state", "about"]) {
    const span = document.createElement("span");
    span.className = part;
    span.dir = "auto";
    link.append(span, " ");
  }
  const place = document.createElement("li");
  place.append(link);
  at("sessions").append(place);
  links.set(id, link);
  return link;
}

function fill(link, row) {
  const [title, state, about] = link.children;
  write(title, row.title ?? row.sessionId);
  write(state, status(row));
  write(about, waits(row) ? row.requests[0]?.text : [row.repository ?? row.cwd, row.branch].filter(Boolean).join(" · "));
  link.dataset.status = waits(row) ? "waiting" : row.status;
  if (row.sessionId === chosen()) link.setAttribute("aria-current", "true");
  else link.removeAttribute("aria-current");
}

function write(node, words) {
  if (node.textContent !== words) node.textContent = words ?? "";
}

function status(row) {
  if (waits(row)) {
    const { since } = row.requests[0] ?? {};
    const many = row.openRequests > 1 ? `${row.openRequests} requests wait` : "Waits";
    return since ? `${many} since ${moment(since)}` : many;
  }
  if (row.status === "running") return row.intent || "Working";
  if (row.status === "error") return row.error ? `Failed: ${row.error}` : "Failed";
  if (row.stored) return "Stored";
  return row.status === "ended" ? "Ended" : "Idle";
}

/** The time of today's moments, the day of others. */
function moment(ms) {
  const date = new Date(ms);
  return (date.toDateString() === new Date().toDateString() ? time : day).format(date);
}

const text = (row) => [row.title, row.sessionId, row.repository, row.branch, row.cwd].filter(Boolean).join(" ");

at("filter").addEventListener("input", draw);
at("create").addEventListener("click", async () => {
  const { sessionId } = await sessions.call("pilothouse.create");
  location.hash = address(sessionId);
});

// The state of both connections, the worse one first.

const CONNECTION = {
  connecting: "Connecting",
  waiting: "No connection, trying again",
  refused: "Not signed in",
  closed: "Not connected",
  replaying: "Connected, reading",
  open: "Connected",
};

function connection() {
  const own = house.hidden ? "open" : (house.dataset.connection ?? "connecting");
  const worse = wanted ? "refused" : sessions.connection === "open" ? own : sessions.connection;
  at("connection").dataset.state = worse;
  write(at("connection"), CONNECTION[worse] ?? worse);
  at("again").hidden = !wanted;
}

at("again").addEventListener("click", ask);

house.addEventListener("pilothouse-status", connection);
sessions.addEventListener("change", draw);

// A wide console that was opened without a session shows the first one that waits, or the first.
sessions.addEventListener("change", function choose() {
  if (sessions.connection !== "open") return;
  sessions.removeEventListener("change", choose);
  const row = sessions.rows.find(waits) ?? sessions.rows[0];
  if (!row || chosen() || narrow.matches) return;
  history.replaceState(null, "", address(row.sessionId));
  open();
});

// What was answered here.

const audit = new Audit(house, (sessionId, requestId) => {
  const row = sessions.row(sessionId);
  const request = row?.requests?.find((request) => request.requestId === requestId);
  return { session: row?.title ?? sessionId, text: request?.text ?? "" };
});

const OUTCOMES = { sent: "sent", taken: "taken", late: "too late" };

function drawAudit() {
  const items = audit.entries.toReversed().map(({ at, sessionId, session, asked, answer, outcome }) => {
    const item = document.createElement("li");
    item.dataset.outcome = outcome in OUTCOMES ? outcome : "failed";
    item.append(
      Object.assign(document.createElement("time"), { dateTime: new Date(at).toISOString(), textContent: time.format(at) }),
      " ",
      Object.assign(document.createElement("strong"), { textContent: answer }),
      ` · ${OUTCOMES[outcome] ?? outcome} `,
      Object.assign(document.createElement("span"), { textContent: asked, title: asked, dir: "auto" }),
      " ",
      Object.assign(document.createElement("a"), { href: address(sessionId), textContent: session, dir: "auto" }),
    );
    return item;
  });
  at("audit").replaceChildren(...items);
  at("audit").hidden = at("save").hidden = !items.length;
  at("unanswered").hidden = items.length > 0;
}

audit.addEventListener("change", drawAudit);
at("save").addEventListener("click", () => {
  const href = URL.createObjectURL(new Blob([audit.text()], { type: "application/jsonl" }));
  Object.assign(document.createElement("a"), { href, download: "answers.jsonl" }).click();
  URL.revokeObjectURL(href);
});

// Keys. All are with Alt, because the element has the plain letters. `code` is the key's place: on a Mac, Option and a letter
// make another character.

const KEYS = { ArrowDown: () => step(1), ArrowUp: () => step(-1), KeyN: next, KeyF: () => at("filter").focus() };

addEventListener("keydown", (event) => {
  const { altKey, ctrlKey, metaKey, shiftKey, code } = event;
  const act = altKey && !ctrlKey && !metaKey && !shiftKey && KEYS[code];
  const typing = event.composedPath()[0].closest?.("input, textarea, select, [contenteditable]");
  if (!act || typing || event.defaultPrevented || at("sign-in").open) return;
  event.preventDefault();
  act();
});

function step(by) {
  const shown = [...links].filter(([, link]) => !link.parentElement.hidden).map(([id]) => id);
  const from = shown.indexOf(chosen());
  go(shown[from < 0 ? 0 : (from + by + shown.length) % shown.length]);
}

/** Goes to the next session after this one that waits. */
function next() {
  const { rows } = sessions;
  const from = rows.findIndex(({ sessionId }) => sessionId === chosen()) + 1;
  go([...rows.slice(from), ...rows.slice(0, from)].find(waits)?.sessionId);
}

function go(id) {
  if (!id) return;
  location.hash = address(id);
  links.get(id).scrollIntoView({ block: "nearest" });
  main.focus();
}

at("next").addEventListener("click", next);

drawAudit();
open();
sessions.connect();
await load();
