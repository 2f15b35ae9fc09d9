// The dialog 'Open on a phone': the address of this page as a QR code, and on request one that signs in there.

import { make, send } from "./app.js";
import { show } from "./dialog.js";
import { copyButton } from "./share.js";

/** In modules, around the code. */
const QUIET = 4;

/** The code, black on white in both schemes, since cameras read no other. */
function drawing({ size, path }, name) {
  const [svg, dark] = ["svg", "path"].map((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag));
  const side = size + 2 * QUIET;
  const all = { class: "code", viewBox: `${-QUIET} ${-QUIET} ${side} ${side}`, role: "img", "aria-label": name, "shape-rendering": "crispEdges" };
  for (const [key, value] of Object.entries(all)) svg.setAttribute(key, value);
  dark.setAttribute("d", path);
  svg.append(dark);
  return svg;
}

/** Opens the dialog for this session, or for the board without one. */
export async function open({ words, lang, rtl, session }) {
  const why = make("p", { className: "trouble" });
  why.setAttribute("role", "alert");
  const what = make("div");
  const close = make("button", { type: "submit", textContent: words.close });
  const fill = async (signIn) => {
    why.textContent = "";
    try {
      const { url, reachable, code, canSignIn, minutes } = await (await send("POST", "/api/phone", { sessionId: session, signIn })).json();
      if (!reachable) {
        why.textContent = words.phoneNotReached;
        return;
      }
      const link = make("code", { textContent: url, dir: "ltr" });
      const more = make("button", { type: "button", textContent: words.phoneSignIn, hidden: !canSignIn || signIn });
      more.addEventListener("click", () => fill(true));
      const said = signIn ? words.phoneSignsIn.replace("{minutes}", minutes) : canSignIn ? words.phoneHint : words.phoneOpen;
      const copy = copyButton(words, link);
      const row = make("div", { className: "row" }, more, copy, close);
      what.replaceChildren(make("p", { textContent: said }), ...(code ? [drawing(code, words.phoneCode)] : []), link, row);
      if (signIn) copy.focus(); // the button that was pressed is gone
    } catch (error) {
      why.textContent = words.failed.replace("{why}", error.message);
    }
  };
  await fill(false);
  show({ title: words.phone, lang, rtl }, what, why, ...(close.parentNode ? [] : [close]));
}
