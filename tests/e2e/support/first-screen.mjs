// For tests of the first screen: sessions that have been played already, and pages whose program is held back.

import { inPage, late } from "./harness.mjs";

/**
 * Serves recordings and has each played for a first visitor: to its end, or to the event with the id in `until`. Returns
 * `{ address, ids }`.
 */
export async function played(stage, recordings, { until = [], access, token } = {}) {
  const address = await stage.serve(recordings, { access, tokens: token && { PILOTHOUSE_TOKEN: token } });
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const list = await (await fetch(`${address}/api/sessions`, { headers })).json();
  const ids = list.map(({ sessionId }) => sessionId);
  for (const [number, events] of recordings.entries()) {
    const leaving = new AbortController();
    const stream = await fetch(`${address}/api/sessions/${encodeURIComponent(ids[number])}/events`, { headers, signal: leaving.signal });
    const last = until[number] ?? events.at(-1).id;
    let text = "";
    for await (const bytes of stream.body) {
      text += Buffer.from(bytes).toString();
      if (text.includes(`"${last}"`)) break;
    }
    leaving.abort();
  }
  return { address, ids };
}

/**
 * Opens a page with the program held back until `come` is called. What moves is noted in `window.shifts`, in the header in
 * `window.headerShifts`: whoever looks at rows need not mind those.
 */
export async function held(stage, address, options) {
  const { hold, come } = late(/\.wasm/);
  const prepare = async (page) => {
    await hold(page);
    await options?.prepare?.(page);
    await page.addInitScript(() => {
      window.shifts = [];
      window.headerShifts = [];
      const inHeader = ({ previousRect, currentRect }) => Math.max(previousRect.bottom, currentRect.bottom) <= 44;
      const note = (list) => {
        for (const { value, sources } of list.getEntries()) {
          const moved = sources.filter((source) => !inHeader(source));
          if (moved.length < sources.length) window.headerShifts.push(sources.map(({ node, previousRect, currentRect }) => [node?.className, previousRect, currentRect]));
          if (moved.length) window.shifts.push([value, moved.map(({ node, previousRect, currentRect }) => [node?.className, previousRect, currentRect])]);
        }
      };
      if (PerformanceObserver.supportedEntryTypes.includes("layout-shift")) new PerformanceObserver(note).observe({ type: "layout-shift", buffered: true });
    });
  };
  return { page: await stage.page(address, { ...options, prepare }), come };
}

/** Waits until the page has taken the place of the first screen. */
export const taken = (page, element = "pilot-house") =>
  page.waitForFunction(inPage(`!document.querySelector("${element}").shadowRoot.querySelector(".first-screen")`));

/** What is seen of the rows or tiles: their ids, places and heights. */
export const rows = (page, element = "pilot-house") => page.evaluate((element) => {
  const list = document.querySelector(element).shadowRoot.querySelector(".ph [data-scroller]");
  const { top, bottom } = list.getBoundingClientRect();
  const seen = [...list.querySelectorAll("article, .tile")].map((row) => [row.dataset.id ?? row.dataset.session, row.getBoundingClientRect()]);
  return seen.filter(([, box]) => box.bottom > top && box.top < bottom)
    .map(([id, box]) => [id, Math.round(box.left), Math.round(box.top), Math.round(box.width), Math.round(box.height)]);
}, element);
