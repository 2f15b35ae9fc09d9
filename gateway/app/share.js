// The dialog 'Share': makes links with which anybody watches one session, shows those that there are, and takes them back.

import { locale, make, send } from "./app.js";
import { show } from "./dialog.js";

/** For how long a link may count, in hours. */
const HOURS = { 1: "hour", 24: "day", 168: "week" };
const USUAL = "24";

/** Calls one of the gateway's methods about a session. */
async function call(session, method, params) {
  const body = { jsonrpc: "2.0", id: 1, method, params: { sessionId: session, ...params } };
  const response = await send("POST", `/api/sessions/${encodeURIComponent(session)}/rpc`, body);
  const { result, error } = await response.json();
  if (error) throw new Error(error.message ?? error);
  return result;
}

/** A button that copies the text of this element. */
export function copyButton(words, link) {
  const copy = make("button", { type: "button", textContent: words.copy });
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(link.textContent);
      copy.textContent = words.copied;
    } catch {
      // The browser does not let it: the text is selected, for the reader's own copying.
      (link.getRootNode().getSelection?.() ?? getSelection()).selectAllChildren(link);
    }
  });
  return copy;
}

/** Opens the dialog for this session. */
export async function open({ words, lang, rtl, session }) {
  const button = (text, act) => {
    const made = make("button", { type: "button", textContent: text });
    made.addEventListener("click", act);
    return made;
  };
  const why = make("p", { className: "trouble" });
  why.setAttribute("role", "alert");
  const list = make("ul");
  const hours = make("select", {}, ...Object.entries(HOURS).map(([value, name]) => make("option", { value, textContent: words[name], selected: value === USUAL })));
  hours.setAttribute("aria-label", words.howLong);
  /** Does something, and shows what there is afterwards. */
  const act = (work) => async () => {
    why.textContent = "";
    try {
      await work();
      await refresh();
    } catch (error) {
      why.textContent = words.failed.replace("{why}", error.message);
    }
  };
  const row = ({ url, until, by }) => {
    const time = new Date(until).toLocaleString(locale, { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" });
    const link = make("code", { textContent: url, dir: "ltr" });
    const copy = copyButton(words, link);
    const back = button(words.takeBack, act(() => call(session, "pilothouse.unshare", { url })));
    const said = make("span", { textContent: [words.until.replace("{time}", time), by].filter(Boolean).join(" · ") });
    return make("li", {}, link, make("div", { className: "row" }, said, copy, back));
  };
  const add = button(words.makeLink, act(() => call(session, "pilothouse.share", { hours: Number(hours.value) })));
  const refresh = async () => {
    const { shares, possible } = await call(session, "pilothouse.shares");
    for (const control of [hours, add]) control.disabled = !possible;
    why.textContent = possible ? "" : words.notShared;
    choice.hidden = hint.hidden = !possible;
    list.replaceChildren(...shares.map(row));
  };
  // Until it is known whether there can be links.
  hours.disabled = add.disabled = true;
  const choice = make("div", { className: "row" }, hours, add);
  const hint = make("p", { textContent: words.shareHint });
  const file = make("a", { className: "button", href: `/api/sessions/${encodeURIComponent(session)}/export`, download: "", textContent: words.saveHtml });
  const close = make("button", { type: "submit", textContent: words.close });
  // First, so that the focus goes to what can be chosen.
  await act(() => {})();
  show({ title: words.share, lang, rtl }, hint, choice, why, list, make("p", { textContent: words.saveHint }), make("div", { className: "row" }, file, close));
}
