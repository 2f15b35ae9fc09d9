// The agent's panel, on every page of the site. A page needs a button with `data-agent`, its `<meta name="agent-…">`, this
// script and agent.css. The program is fetched when the panel is opened: a page whose panel stays closed loads only this file.

/** On a site of your own: where you serve the package, such as "/pkg/index.js". */
const PACKAGE = "../../dist/pkg/index.js";
const GATEWAY = document.querySelector('meta[name="agent-gateway"]').content;
/** In the tab's sessionStorage, so that the next page of the site shows the panel with the same session. */
const OPEN = "agent.open";
const SESSION = "agent.session";

const button = document.querySelector("[data-agent]");
const label = button.textContent;
const narrow = matchMedia("(max-width: 759.98px)");

const close = create("button", { type: "button", textContent: "Close" });
const house = create("pilot-house");
house.setAttribute("src", GATEWAY);
house.setAttribute("allow", ""); // the policy allows no images from elsewhere and no frames
// Without this the panel asks for the token of a gateway that wants one, on each page. With a sign-in of your site:
// house.auth = async ({ refused }) => ({ token: await tokenOfYourUser({ anew: refused }) });
const head = create("div", { className: "agent-head" }, create("h2", { id: "agent-title", textContent: "Agent" }), close);
const panel = create("aside", { id: "agent-panel", className: "agent", tabIndex: -1, hidden: true }, head, house);
panel.setAttribute("aria-labelledby", "agent-title");
document.body.append(panel);

function create(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

// Opening and closing.

/** What had the focus when the panel was opened. */
let before;

function show(open) {
  panel.hidden = !open;
  document.documentElement.classList.toggle("agent-open", open);
  button.setAttribute("aria-expanded", open);
  sessionStorage.setItem(OPEN, open ? "yes" : "no");
  cover();
  mark();
  if (open) start();
}

/** On a narrow screen the panel covers the page, and nothing below it can be reached. */
function cover() {
  const covers = narrow.matches && !panel.hidden;
  for (const part of document.body.children) if (part !== panel) part.inert = covers;
  panel.setAttribute("role", covers ? "dialog" : "complementary");
  if (covers) panel.setAttribute("aria-modal", "true");
  else panel.removeAttribute("aria-modal");
}

function enter() {
  before = document.activeElement;
  show(true);
  panel.focus();
}

function leave() {
  const inside = panel.contains(document.activeElement);
  show(false);
  if (inside) (before?.isConnected && before !== document.body ? before : button).focus();
}

button.setAttribute("aria-controls", "agent-panel");
button.addEventListener("click", () => (panel.hidden ? enter() : leave()));
close.addEventListener("click", leave);
narrow.addEventListener("change", cover);
// Inside of the element Escape closes menus and side views first. Those presses don't come here, or are marked as used.
panel.addEventListener("keydown", escape);
// The composer passes no key on, so its presses are looked at before, and judged when it has had them.
panel.addEventListener("keydown", (event) => {
  if (event.composedPath().some(({ part }) => part?.contains("composer"))) setTimeout(escape, 0, event);
}, { capture: true });

function escape(event) {
  if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
  event.preventDefault();
  leave();
}

// The program, once.

let started;

function start() {
  started ??= begin().catch((error) => {
    house.replaceWith(create("p", { className: "agent-failed", textContent: "The agent’s program could not be loaded. Reload the page to try again." }));
    throw error;
  });
}

async function begin() {
  const [{ load, registerRenderer }, id] = await Promise.all([import(PACKAGE), session().catch(() => null)]);
  if (id) {
    house.setAttribute("session", id);
    sessionStorage.setItem(SESSION, id);
  }
  registerRenderer("request", () => true, guide);
  await load();
  // Until now the element was empty, and showed its skeleton.
  house.append(attachButton());
}

/** The session of this tab: the one of the page before, if the gateway still has it, otherwise the gateway's first. */
async function session() {
  const { token } = (await house.auth?.({ refused: false })) ?? {};
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const rows = await (await fetch(new URL("api/sessions", GATEWAY), { headers })).json();
  const last = sessionStorage.getItem(SESSION);
  return (rows.find(({ sessionId }) => sessionId === last) ?? rows[0])?.sessionId;
}

// What the site adds. Properties may be set before the program is there.

const title = document.querySelector("h1").textContent;
const text = document.querySelector("main");

house.suggestions = Array.from(document.querySelectorAll('meta[name="agent-question"]'), ({ content }) => content);

/** `#` mentions a guide of the site, or a part of this one, as a link. */
house.completions = [{ trigger: "#", complete: (typed) => places().filter(({ label }) => label.toLowerCase().includes(typed.toLowerCase())) }];

house.commands = [{ name: "page", description: "Attach the page that you are reading", run: attachPage }];

function places() {
  const guides = Array.from(document.querySelectorAll(".top nav a"), (link) => [link.textContent, link.href, "Guide"]);
  const parts = Array.from(text.querySelectorAll("h2[id]"), ({ id, textContent }) => [textContent, new URL(`#${id}`, location), "On this page"]);
  return [...guides, ...parts].map(([label, url, description]) => ({ label, description, insert: `[${label}](${url})` }));
}

/** The page as a file. A short one becomes a part of the message, as when somebody picks it. */
function attachPage() {
  const name = location.pathname.split("/").pop().replace(".html", "") || "index";
  house.attach([new File([`${location.href}\n\n${text.innerText}`], `${name}.md`, { type: "text/markdown" })]);
  return `“${title}” is attached`;
}

function attachButton() {
  const attach = create("button", { type: "button", slot: "composer-actions", className: "agent-page", textContent: "Attach page" });
  attach.addEventListener("click", attachPage);
  // The focus stays in the field, where people go on writing.
  attach.addEventListener("mousedown", (event) => event.preventDefault());
  return attach;
}

/** The guide for each kind of request, shown in its card. */
const GUIDES = {
  permission: ["approvals.html#look", "What to look at before you allow this"],
  question: ["approvals.html#questions", "About questions and plans"],
  form: ["approvals.html#questions", "About questions and plans"],
  plan: ["approvals.html#questions", "About questions and plans"],
};

function guide({ request }) {
  const [href, textContent] = GUIDES[request.kind] ?? [];
  return href && create("p", { className: "agent-guide" }, create("a", { href, textContent }));
}

/** The button says that the agent waits for somebody while the panel is closed. */
function mark() {
  const waits = panel.hidden && house.dataset.status === "waiting";
  button.toggleAttribute("data-waiting", waits);
  button.textContent = waits ? "The agent waits" : label;
}
house.addEventListener("pilothouse-status", mark);

// The element opens links in a new tab. Those to this site stay in this one, and the panel stays open beside the guide.
house.addEventListener("click", (event) => {
  const link = event.composedPath().find((node) => node.localName === "a" && node.href);
  const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  if (!link || elsewhere || new URL(link.href).origin !== location.origin) return;
  event.preventDefault();
  if (narrow.matches) show(false);
  location.assign(link.href);
});

// As it was on the page before, or, for a page that the Back button brings as it was left, as it is by now.
const restore = () => show(sessionStorage.getItem(OPEN) === "yes");
restore();
addEventListener("pageshow", ({ persisted }) => persisted && restore());
