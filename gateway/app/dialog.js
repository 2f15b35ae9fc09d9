// A dialog over the page, in a shadow root of its own.

import { make } from "./app.js";

const STYLE = `
  dialog { box-sizing: border-box; inset: env(safe-area-inset-top) env(safe-area-inset-right) env(safe-area-inset-bottom) env(safe-area-inset-left);
    width: min(420px, 100vw - 24px - env(safe-area-inset-left) - env(safe-area-inset-right)); max-height: calc(100dvh - 24px - env(safe-area-inset-top) - env(safe-area-inset-bottom));
    overflow: auto; padding: 20px; border: 1px solid light-dark(#dfe3e8, #2b3035);
    border-radius: 12px; color-scheme: light dark; color: light-dark(#1c2329, #e0e3e6); background: light-dark(#fcfdfe, #101315); font: 0.9375rem/1.5 system-ui, sans-serif; }
  dialog::backdrop { background: rgb(0 0 0 / 45%); }
  h2 { margin: 0 0 8px; font-size: 1.125rem; line-height: 1.35; }
  label { display: flex; align-items: center; gap: 10px; min-height: 44px; }
  input { flex: none; width: 20px; height: 20px; margin: 0; accent-color: #386fc4; }
  fieldset { margin: 8px 0; padding: 0; border: 0; }
  legend { padding: 0; font-weight: 600; }
  p { margin: 8px 0; color: light-dark(#5c656d, #9ba1a7); font-size: 0.875rem; }
  p:empty { display: none; }
  .trouble { color: inherit; font-weight: 500; }
  select { min-height: 44px; padding: 5px 8px; border: 1px solid #808790; border-radius: 6px; background: none; color: inherit; font: inherit; font-size: max(16px, 1em); }
  .row { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 12px; margin: 8px 0; }
  .row > :first-child { flex: 1; min-width: 8em; }
  ul { margin: 12px 0; padding: 0; list-style: none; }
  li code { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  li { margin: 0 0 12px; padding: 12px 0 0; border-top: 1px solid light-dark(#dfe3e8, #2b3035); }
  code { display: block; overflow-wrap: anywhere; font: 0.78125rem/1.45 ui-monospace, monospace; user-select: all; }
  .code { display: block; width: min(100%, 260px); margin: 12px auto; background: #fff; fill: #000; }
  :is(button, select, input):disabled { opacity: .5; }
  [hidden] { display: none !important; }
  button, .button { box-sizing: border-box; min-height: 44px; padding: 5px 14px; border: 1px solid #808790; border-radius: 6px; background: none; color: inherit; font: 500 0.875rem/1.43 system-ui, sans-serif; }
  .button { display: inline-flex; align-items: center; justify-content: center; text-decoration: none; }
`;

/** Shows a dialog with this title and content until somebody closes it. A button that submits closes it. */
export function show({ title, lang, rtl }, ...content) {
  const host = make("div");
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];
  const form = make("form", { method: "dialog" }, make("h2", { id: "title", textContent: title }), ...content);
  const dialog = make("dialog", { lang, dir: rtl ? "rtl" : "ltr" }, form);
  dialog.setAttribute("aria-labelledby", "title");
  root.append(dialog);
  document.body.append(host);
  dialog.addEventListener("close", () => host.remove());
  dialog.showModal();
}
