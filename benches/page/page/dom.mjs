// Baselines: the cost of plain DOM code that knows nothing of sessions.

import { marked } from "marked";

marked.use({ gfm: true });

const STICK = () => document.getElementById("scroller");

/** How all peers are driven: they are given the whole text so far, and the page is scrolled to the end. */
export function growing(make) {
  return {
    async mount(root, pieces) {
      const set = await make(root);
      const scroller = STICK();
      let text = "";
      const show = (piece, done) => {
        text += piece;
        set(text, piece, done);
        scroller.scrollTop = scroller.scrollHeight;
      };
      return {
        take: (from, to) => show(pieces.slice(from, to).join(""), false),
        end: (_, last) => show(last, true),
        shown: (wanted) => root.textContent.includes(wanted),
        count: () => 0,
        wasmBytes: () => 0,
      };
    },
  };
}

/** Markup from our own generator, as nodes. */
const nodes = (markdown) => document.createRange().createContextualFragment(marked.parse(markdown));

const make = (name, className, ...inside) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...inside);
  return made;
};

/** The lower bound: text, with a new element at each blank line, so that layout stays local. */
export const plainText = growing((root) => {
  let text;
  const block = () => {
    text = document.createTextNode("");
    const made = make("div", "", text);
    made.style.whiteSpace = "pre-wrap";
    root.append(made);
  };
  block();
  return (_, piece) => {
    const [first, ...rest] = piece.split("\n\n");
    text.appendData(first);
    for (const part of rest) {
      block();
      text.appendData(part);
    }
  };
});

/** Hand-written Markdown rendering: all but the last two blocks are settled, the tail is rendered again. */
export const markedTail = growing((root) => {
  const tail = make("div");
  let open = "";
  root.append(tail);
  return (_, piece) => {
    open += piece;
    const blocks = marked.lexer(open);
    if (blocks.length > 2) {
      const length = blocks.slice(0, -2).reduce((sum, { raw }) => sum + raw.length, 0);
      root.insertBefore(make("div", "", nodes(open.slice(0, length))), tail);
      open = open.slice(length);
    }
    tail.replaceChildren(nodes(open));
  };
});

const card = (entry) =>
  make(
    "section",
    "card",
    make("header", "", make("b", "", entry.name || "tool"), entry.done ? (entry.ok ? " done" : " failed") : " running"),
    make("pre", "", entry.text.slice(0, 300)),
  );

const row = (entry) =>
  ["tool", "permission"].includes(entry.kind) ? card(entry) : make("article", entry.kind, nodes(entry.text));

/** The lower bound for a long list: rows of equal height, rendered when they are near. */
export const virtualList = {
  mountRows(root, entries, scroller) {
    const height = 120;
    const ahead = 5;
    const shown = new Map();
    root.style.position = "relative";
    root.style.height = `${entries.length * height}px`;
    const draw = () => {
      const from = Math.max(0, Math.floor(scroller.scrollTop / height) - ahead);
      const to = Math.min(entries.length, Math.ceil((scroller.scrollTop + scroller.clientHeight) / height) + ahead);
      for (const [index, made] of shown) {
        if (index >= from && index < to) continue;
        made.remove();
        shown.delete(index);
      }
      for (let index = from; index < to; index += 1) {
        if (shown.has(index)) continue;
        const made = make("div", "", row(entries[index]));
        made.style.cssText = `position:absolute;left:0;right:0;height:${height}px;overflow:hidden;top:${index * height}px`;
        root.append(made);
        shown.set(index, made);
      }
    };
    scroller.addEventListener("scroll", draw, { passive: true });
    draw();
    scroller.scrollTop = scroller.scrollHeight;
  },
};
