// assistant-ui's thread with its Markdown, on a store of our own. Without its
// smoothing, which would cost it more.

import { useMemo, useState } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";

import { AssistantRuntimeProvider, MessagePrimitive, ThreadPrimitive, useExternalStoreRuntime } from "@assistant-ui/react";
import { MarkdownTextPrimitive } from "@assistant-ui/react-markdown";
import remarkGfm from "remark-gfm";

import { host } from "./react.jsx";

const PLUGINS = [remarkGfm];

const Text = () => <MarkdownTextPrimitive remarkPlugins={PLUGINS} smooth={false} />;

const Tool = ({ toolName, result, status }) => (
  <section className="card">
    <header>
      <b>{toolName}</b> {status?.type}
    </header>
    <pre>{String(result ?? "").slice(0, 300)}</pre>
  </section>
);

const PARTS = { Text, Reasoning: Text, tools: { Fallback: Tool } };
const Message = () => (
  <MessagePrimitive.Root>
    <MessagePrimitive.Parts components={PARTS} />
  </MessagePrimitive.Root>
);
const MESSAGES = { UserMessage: Message, AssistantMessage: Message };
const same = (message) => message;

const Chat = ({ messages, isRunning }) => {
  const runtime = useExternalStoreRuntime({ messages, isRunning, convertMessage: same, onNew: async () => {} });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ThreadPrimitive.Root>
        <ThreadPrimitive.Viewport>
          <ThreadPrimitive.Messages components={MESSAGES} />
        </ThreadPrimitive.Viewport>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
};

const COMPLETE = { type: "complete", reason: "stop" };
const ASKED = { role: "user", id: "u", content: [{ type: "text", text: "hi" }] };

export const assistantUi = host(({ text, done }) => {
  const answer = { role: "assistant", id: "a", content: [{ type: "text", text }], status: done ? COMPLETE : { type: "running" } };
  const messages = useMemo(() => [ASKED, answer], [text, done]);
  return <Chat messages={messages} isRunning={!done} />;
});

/** One assistant message for everything between two of the user's messages. */
function thread(entries) {
  const messages = [];
  let answer;
  for (const { kind, id, name, text } of entries) {
    if (kind === "user") {
      messages.push({ role: "user", id, content: [{ type: "text", text }] });
      answer = undefined;
      continue;
    }
    if (!answer) {
      answer = { role: "assistant", id: `a${id}`, content: [], status: COMPLETE };
      messages.push(answer);
    }
    if (["tool", "permission"].includes(kind)) {
      answer.content.push({ type: "tool-call", toolCallId: id, toolName: name || "tool", args: {}, argsText: "{}", result: text });
    } else {
      answer.content.push({ type: kind === "reasoning" ? "reasoning" : "text", text });
    }
  }
  return messages;
}

export const assistantUiRows = {
  mountRows(root, entries) {
    const messages = thread(entries);
    flushSync(() => createRoot(root).render(<Chat messages={messages} isRunning={false} />));
  },
};
