// React's Markdown renderers as a page would use them: react-markdown, Streamdown, and a virtual list of
// either. Each gets the whole text, once a batch, synchronously.

import { memo, useState } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";

import { useVirtualizer } from "@tanstack/react-virtual";
import Markdown from "react-markdown";
import remarkGfm from "remark-gfm";
import { Streamdown } from "streamdown";

import { growing } from "./dom.mjs";

const PLUGINS = [remarkGfm];

/** Renders a component of `{text, done}`, and again at every call of the function that it returns. */
export const host = (Component) =>
  growing((root) => {
    let update;
    const Host = () => {
      const [state, set] = useState({ text: "", done: false });
      update = set;
      return <Component {...state} />;
    };
    flushSync(() => createRoot(root).render(<Host />));
    return (text, _, done) => flushSync(() => update({ text, done }));
  });

export const reactMarkdown = host(({ text }) => <Markdown remarkPlugins={PLUGINS}>{text}</Markdown>);

export const streamdown = host(({ text, done }) => <Streamdown isAnimating={!done}>{text}</Streamdown>);

const isTool = ({ kind }) => ["tool", "permission"].includes(kind);

const Card = ({ entry }) => (
  <section className="card">
    <header>
      <b>{entry.name || "tool"}</b> {entry.done ? (entry.ok ? "done" : "failed") : "running"}
    </header>
    <pre>{entry.text.slice(0, 300)}</pre>
  </section>
);

const Row = memo(({ entry }) =>
  isTool(entry) ? (
    <Card entry={entry} />
  ) : (
    <article className={entry.kind}>
      <Markdown remarkPlugins={PLUGINS}>{entry.text}</Markdown>
    </article>
  ),
);

const StreamdownRow = memo(({ entry }) =>
  isTool(entry) ? (
    <Card entry={entry} />
  ) : (
    <article className={entry.kind}>
      <Streamdown mode="static">{entry.text}</Streamdown>
    </article>
  ),
);

const allRows = (Component) => ({
  mountRows(root, entries) {
    flushSync(() => createRoot(root).render(entries.map((entry) => <Component key={entry.id} entry={entry} />)));
  },
});

export const reactRows = allRows(Row);
export const streamdownRows = allRows(StreamdownRow);

const Virtual = ({ entries, scroller }) => {
  const list = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller,
    estimateSize: () => 120,
    overscan: 5,
    getItemKey: (index) => entries[index].id,
  });
  const place = (start) => ({ position: "absolute", top: 0, left: 0, right: 0, transform: `translateY(${start}px)` });
  return (
    <div style={{ height: list.getTotalSize(), position: "relative" }}>
      {list.getVirtualItems().map(({ key, index, start }) => (
        <div key={key} data-index={index} ref={list.measureElement} style={place(start)}>
          <Row entry={entries[index]} />
        </div>
      ))}
    </div>
  );
};

export const reactVirtual = {
  mountRows(root, entries, scroller) {
    flushSync(() => createRoot(root).render(<Virtual entries={entries} scroller={scroller} />));
    scroller.scrollTop = scroller.scrollHeight;
  },
};
