// assistant-ui's thread and composer with its Markdown.
import { useState } from "react";
import { createRoot } from "react-dom/client";

import { AssistantRuntimeProvider, ComposerPrimitive, MessagePrimitive, ThreadPrimitive, useExternalStoreRuntime } from "@assistant-ui/react";
import { MarkdownTextPrimitive } from "@assistant-ui/react-markdown";
import remarkGfm from "remark-gfm";

const Text = () => <MarkdownTextPrimitive remarkPlugins={[remarkGfm]} />;
const Message = () => (
  <MessagePrimitive.Root>
    <MessagePrimitive.Parts components={{ Text }} />
  </MessagePrimitive.Root>
);
const MESSAGES = { UserMessage: Message, AssistantMessage: Message };
const App = () => {
  const [messages, set] = useState([]);
  const onNew = async (message) => set([...messages, message]);
  const runtime = useExternalStoreRuntime({ messages, convertMessage: (message) => message, onNew });
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
