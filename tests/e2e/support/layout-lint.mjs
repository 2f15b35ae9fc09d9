// A layout lint: what no layout of a card may do, whatever it shows and however wide it is. Any test can run it on a page.

/**
 * The faults of what matches `selector` in the element's page, as texts; none if the layout is sound:
 *
 * - a text that is broken into lines narrower than 100 px, though the card is wider
 * - anything outside of its card, or of the page
 * - texts or controls that overlap
 * - a row of answers whose main answer is not at the row's end
 * - an answer's name in two lines
 */
export function layoutFaults(page, selector) {
  return page.evaluate((selector) => {
    const NARROW = 100;
    const root = document.querySelector("pilot-house").shadowRoot;
    const faults = [];
    const name = (text) => JSON.stringify(text.trim().replace(/\s+/gu, " ").slice(0, 40));
    const size = ({ width, height }) => `${Math.round(width)} × ${Math.round(height)} px`;
    const edge = root.host.getBoundingClientRect();
    const clipped = new Map();
    /** Whether it, or something around it, is for screen readers only. */
    const isClipped = (element) => {
      if (!element) return false;
      if (!clipped.has(element)) {
        const { clipPath, position } = getComputedStyle(element);
        clipped.set(element, (clipPath !== "none" && position === "absolute") || isClipped(element.parentElement));
      }
      return clipped.get(element);
    };
    /** Whether it is seen: neither hidden nor for screen readers only. */
    const isSeen = (element) => !isClipped(element) && element.checkVisibility({ visibilityProperty: true });
    /** What cuts or scrolls its contents, between an element and its card. */
    const scrolls = (element, card) => {
      for (let up = element; up && up !== card; up = up.parentElement) {
        const { overflowX, overflowY } = getComputedStyle(up);
        if ([overflowX, overflowY].some((over) => over === "auto" || over === "scroll" || over === "hidden")) return up;
      }
    };
    const union = (rects) => {
      const all = (edge, of) => of(...rects.map((rect) => rect[edge]));
      const [left, top, right, bottom] = [all("left", Math.min), all("top", Math.min), all("right", Math.max), all("bottom", Math.max)];
      return { left, top, right, bottom, width: right - left, height: bottom - top };
    };
    /** The texts of a card, each with its lines. */
    const texts = (card) => {
      const found = [];
      const walker = document.createTreeWalker(card, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const node = walker.currentNode;
        if (!node.data.trim() || !isSeen(node.parentElement)) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        const rects = [...range.getClientRects()].filter(({ width }) => width > 0);
        if (rects.length) found.push({ node, rects, box: union(rects), scrolls: scrolls(node.parentElement, card) });
      }
      return found;
    };
    /** The nearest box around a text that is laid out for itself. */
    const blockOf = (node) => {
      let up = node.parentElement;
      while (getComputedStyle(up).display.startsWith("inline") && !getComputedStyle(up).display.includes("-")) up = up.parentElement;
      return up;
    };
    const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
    for (const card of root.querySelectorAll(selector)) {
      if (!isSeen(card)) continue;
      const frame = card.getBoundingClientRect();
      const where = card.dataset.requestId ?? card.className;
      const fault = (words) => faults.push(`${where}: ${words}`);
      if (frame.left < edge.left - 1 || frame.right > edge.right + 1) fault(`is outside of the page: ${frame.left} to ${frame.right}`);
      const all = texts(card);
      for (const { node, box } of all) {
        const room = blockOf(node).getBoundingClientRect();
        const lines = box.height / parseFloat(getComputedStyle(node.parentElement).lineHeight || "20");
        if (room.width < NARROW && frame.width > 2 * NARROW && lines > 1.8) fault(`${name(node.data)} is ${size(box)}`);
      }
      const controls = [...card.querySelectorAll("button, a.btn, input, textarea, select")].filter(isSeen);
      const boxes = [
        ...all.map(({ node, rects, scrolls }) => ({ of: node, words: name(node.data), rects, scrolls })),
        ...controls.map((control) => ({ of: control, words: name(control.textContent || control.getAttribute("aria-label") || control.localName), rects: [control.getBoundingClientRect()], scrolls: scrolls(control, card) })),
      ];
      for (const { words, rects, scrolls } of boxes) {
        const { left, top, right, bottom } = union(rects);
        const out = left < frame.left - 1 || right > frame.right + 1 || top < frame.top - 1 || bottom > frame.bottom + 1;
        if (out && !scrolls) fault(`${words} is outside of the card`);
      }
      boxes.forEach((one, at) => {
        for (const other of boxes.slice(at + 1)) {
          if (one.scrolls || other.scrolls || one.of.contains(other.of) || other.of.contains(one.of)) continue;
          if (one.rects.some((a) => other.rects.some((b) => meet(a, b)))) fault(`${one.words} and ${other.words} overlap`);
        }
      });
      for (const { node, box } of all) {
        const answer = node.parentElement.closest(".answers .btn:not(.grants)");
        if (answer && box.height > 1.4 * parseFloat(getComputedStyle(answer).lineHeight)) fault(`${name(node.data)} is broken into lines`);
      }
      for (const row of card.querySelectorAll(".answers")) {
        const answers = [...row.querySelectorAll("[data-answer]")].filter(isSeen);
        const main = answers.findLast((answer) => answer.matches(".primary:not(.more)")) ?? answers.at(-1);
        if (!main) continue;
        const [last, box] = [(main.closest(".split") ?? main).getBoundingClientRect(), row.getBoundingClientRect()];
        const rtl = getComputedStyle(row).direction === "rtl";
        const away = rtl ? last.left - parseFloat(getComputedStyle(row).paddingLeft) - box.left : box.right - parseFloat(getComputedStyle(row).paddingRight) - last.right;
        const lowest = Math.max(...answers.map((answer) => answer.getBoundingClientRect().top));
        if (Math.abs(away) > 1 || lowest > last.bottom) fault(`${name(main.textContent)} is not at the end of its row: ${Math.round(away)} px`);
      }
    }
    return faults;
  }, selector);
}
