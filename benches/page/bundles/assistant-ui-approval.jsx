// The smallest assistant-ui page with an answer in Markdown, a tool card and an approval.
import { createRoot } from "react-dom/client";

import { AssistantRuntimeProvider, ComposerPrimitive, MessagePrimitive, ThreadPrimitive, useExternalStoreRuntime } from "@assistant-ui/react";
import { MarkdownTextPrimitive } from "@assistant-ui/react-markdown";
import remarkGfm from "remark-gfm";

import { CONVERSATION } from "../inputs/conversation.mjs";

const { question, answer, search, hits, command } = CONVERSATION;

const Text = () => <MarkdownTextPrimitive remarkPlugins={[remarkGfm]} smooth={false} />;
const Tool = ({ toolName, args, result }) => (
  <section className="card">
    <header>{toolName}</header>
    <pre>{args.command ?? args.pattern}</pre>
    {result === undefined ? (
      <footer>
        <button type="button">Reject</button>
        <button type="button" data-answer="approve-once">
          Allow once
        </button>
      </footer>
    ) : (
      <pre>{result}</pre>
    )}
  </section>
);
const Message = () => (
  <MessagePrimitive.Root>
    <MessagePrimitive.Parts components={{ Text, tools: { Fallback: Tool } }} />
  </MessagePrimitive.Root>
);
const MESSAGES = { UserMessage: Message, AssistantMessage: Message };
const call = (toolCallId, toolName, args, result) => ({ type: "tool-call", toolCallId, toolName, args, argsText: JSON.stringify(args), result });
const messages = [
  { role: "user", id: "u", content: [{ type: "text", text: question }] },
  {
    role: "assistant",
    id: "a",
    content: [{ type: "text", text: answer }, call("search", search.name, search.args, hits), call("command", "bash", { command })],
    status: { type: "requires-action", reason: "tool-calls" },
  },
];
const App = () => {
  const runtime = useExternalStoreRuntime({ messages, convertMessage: (message) => message, onNew: async () => {} });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ThreadPrimitive.Root>
        <ThreadPrimitive.Viewport>
          <ThreadPrimitive.Messages components={MESSAGES} />
        </ThreadPrimitive.Viewport>
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input />
          <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
};
createRoot(document.getElementById("root")).render(<App />);
