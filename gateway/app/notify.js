// The dialog 'Notify this device': whether this device is told of sessions that wait, how much is said, and why it can't be.

import { make, send } from "./app.js";
import { show } from "./dialog.js";

/** Where the choices are kept, for the service worker as well. */
const CHOICES = "pilothouse-choices";
const CHOSEN = "/app/choices";
/** Says that this device is told, so that a page that starts need not look. */
const TOLD = "pilothouse.told";
const SAYS = ["waiting", "title", "asked"];

async function choices() {
  const kept = await (await caches.open(CHOICES)).match(CHOSEN);
  return kept ? kept.json() : { says: "waiting", done: false };
}

async function keep(chosen) {
  await (await caches.open(CHOICES)).put(CHOSEN, Response.json(chosen));
}

/** The bytes of a text in base64url. */
const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
const same = (some, others) => some.length === others.length && some.every((byte, at) => byte === others[at]);

/** Subscribes with the gateway's key, and tells the gateway. A subscription that was made for another key is ended. */
async function subscribe({ pushManager }, chosen) {
  const answer = await send("GET", "/api/push/key");
  const key = bytes((await answer.json()).key);
  let subscription = await pushManager.getSubscription();
  const made = subscription?.options.applicationServerKey;
  if (made && !same(new Uint8Array(made), key)) {
    await subscription.unsubscribe();
    subscription = undefined;
  }
  subscription ??= await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  await send("POST", "/api/push", { ...subscription.toJSON(), ...chosen });
  await keep(chosen);
  localStorage.setItem(TOLD, "on");
}

/** Ends what this device is told, and closes what it shows. */
export async function end(registered) {
  const registration = await registered;
  for (const one of await registration.getNotifications()) one.close();
  await navigator.clearAppBadge?.();
  if (localStorage.getItem(TOLD)) await unsubscribe(registration);
}

async function unsubscribe({ pushManager }) {
  localStorage.removeItem(TOLD);
  await caches.delete(CHOICES);
  const subscription = await pushManager.getSubscription();
  if (!subscription) return;
  const { endpoint } = subscription;
  await subscription.unsubscribe();
  await send("DELETE", "/api/push", { endpoint });
}

/** Tells the gateway again of a device that is told. */
export async function renew(registered) {
  if (globalThis.Notification?.permission !== "granted") return;
  const registration = await registered;
  // What fails now is done at the next start.
  await subscribe(registration, await choices()).catch((error) => console.info(`Pilothouse: ${error.message}`));
}

/** Why this device can't be told; nothing if it can. */
async function trouble(words, registered) {
  if (!isSecureContext) return words.needsHttps;
  const isApple = /iPhone|iPad/.test(navigator.userAgent) || (navigator.platform === "MacIntel" && navigator.maxTouchPoints > 1);
  if (isApple && !matchMedia("(display-mode: standalone)").matches) return words.needsInstall;
  if (!globalThis.PushManager || !globalThis.Notification) return words.unsupported;
  if (Notification.permission === "denied") return words.blocked;
  return registered.then(() => "", () => words.noWorker);
}

/** Opens the dialog. Nothing is asked of the browser before somebody switches it on. */
export async function open({ words, lang, rtl, registered }) {
  const chosen = globalThis.caches ? await choices() : { says: "waiting", done: false };
  const input = (type, properties) => make("input", { type, ...properties });
  const label = (control, text) => make("label", {}, control, make("span", { textContent: text }));

  const on = input("checkbox", {});
  on.setAttribute("role", "switch");
  const labels = { waiting: words.saysWaiting, title: words.saysTitle, asked: words.saysAsked };
  const says = SAYS.map((value) => input("radio", { name: "says", value, checked: value === chosen.says }));
  const done = input("checkbox", { checked: chosen.done });
  const why = make("p", { className: "trouble" });
  why.setAttribute("role", "alert");
  const close = make("button", { type: "submit", textContent: words.close });
  const more = make(
    "fieldset",
    {},
    make("legend", { textContent: words.says }),
    ...says.map((one) => label(one, labels[one.value])),
    label(done, words.done),
  );
  const test = make("button", { type: "button", textContent: words.test });
  const sent = make("p");
  sent.setAttribute("role", "status");
  const buttons = make("div", { className: "row" }, test, close);
  show({ title: words.notify, lang, rtl }, label(on, words.on), why, more, make("p", { textContent: words.hint }), sent, buttons);

  const cant = await trouble(words, registered);
  why.textContent = cant;
  on.disabled = Boolean(cant);
  on.checked = !cant && Boolean(localStorage.getItem(TOLD)) && Notification.permission === "granted";
  const enable = () => (more.disabled = test.disabled = !on.checked);
  enable();

  let work = Promise.resolve();
  /** One thing after the other, as they were pressed. */
  const change = (act) => {
    work = work.then(async () => {
      why.textContent = "";
      try {
        await act(await registered);
      } catch (error) {
        const isBlocked = Notification.permission === "denied";
        why.textContent = isBlocked ? words.blocked : words.failed.replace("{why}", error.message);
        on.checked = Boolean(localStorage.getItem(TOLD));
      }
      enable();
    });
  };
  const choose = async (registration) => {
    const wanted = { says: says.find((one) => one.checked)?.value ?? "waiting", done: done.checked, language: lang };
    await subscribe(registration, wanted);
  };
  on.addEventListener("change", () => change(async (registration) => {
    if (!on.checked) return unsubscribe(registration);
    if ((await Notification.requestPermission()) !== "granted") throw new Error(words.blocked);
    await choose(registration);
  }));
  test.addEventListener("click", () => change(async ({ pushManager }) => {
    sent.textContent = "";
    await send("POST", "/api/push/test", { endpoint: (await pushManager.getSubscription())?.endpoint ?? "" });
    sent.textContent = words.testSent;
  }));
  for (const one of [...says, done]) one.addEventListener("change", () => change(choose));
}
