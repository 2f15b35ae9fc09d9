// Translates a session into the events of AG-UI and the AI SDK, for their own reducers.
// This happens outside of the measured time.

import { defaultApplyEvents } from "@ag-ui/client";
import { readUIMessageStream } from "ai";
import { Subject } from "rxjs";

import { toolText } from "./reducers.mjs";

/** A list of their events for one of ours. `seen` remembers which reasoning has begun. */
function agui({ type, data, id }, seen) {
  const start = (messageId, role) => ({ type: "TEXT_MESSAGE_START", messageId, role });
  switch (type) {
    case "user.message": {
      const content = { type: "TEXT_MESSAGE_CONTENT", messageId: id, delta: data.content };
      return [start(id, "user"), content, { type: "TEXT_MESSAGE_END", messageId: id }];
    }
    case "assistant.message_start":
      seen.add(data.messageId);
      return [start(data.messageId, "assistant")];
    case "assistant.message_delta":
      return [{ type: "TEXT_MESSAGE_CONTENT", messageId: data.messageId, delta: data.deltaContent }];
    case "assistant.message":
      return seen.has(data.messageId) ? [{ type: "TEXT_MESSAGE_END", messageId: data.messageId }] : [];
    case "assistant.reasoning_delta": {
      const messageId = data.reasoningId;
      const content = { type: "REASONING_MESSAGE_CONTENT", messageId, delta: data.deltaContent };
      if (seen.has(messageId)) return [content];
      seen.add(messageId);
      return [{ type: "REASONING_MESSAGE_START", messageId, role: "reasoning" }, content];
    }
    case "assistant.reasoning":
      return [{ type: "REASONING_MESSAGE_END", messageId: data.reasoningId }];
    case "tool.execution_start": {
      const { toolCallId } = data;
      const input = { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(data.arguments) };
      return [{ type: "TOOL_CALL_START", toolCallId, toolCallName: data.toolName }, input, { type: "TOOL_CALL_END", toolCallId }];
    }
    case "tool.execution_complete":
      return [{ type: "TOOL_CALL_RESULT", messageId: id, toolCallId: data.toolCallId, role: "tool", content: toolText(data) }];
    case "tool.execution_partial_result":
    case "tool.execution_progress":
    case "permission.requested":
    case "permission.completed":
    case "session.usage_info":
    case "assistant.usage":
      return [{ type: "CUSTOM", name: type, value: data }];
    default:
      return [];
  }
}

/** The same for the AI SDK, whose streams contain one message each; the user's messages begin new ones. */
function chunks({ type, data }, seen) {
  switch (type) {
    case "assistant.turn_start":
      return [{ type: "start-step" }];
    case "assistant.turn_end":
      return [{ type: "finish-step" }];
    case "assistant.message_start":
      return [{ type: "text-start", id: data.messageId }];
    case "assistant.message_delta":
      return [{ type: "text-delta", id: data.messageId, delta: data.deltaContent }];
    case "assistant.message":
      return [{ type: "text-end", id: data.messageId }];
    case "assistant.reasoning_delta": {
      const delta = { type: "reasoning-delta", id: data.reasoningId, delta: data.deltaContent };
      if (seen.has(data.reasoningId)) return [delta];
      seen.add(data.reasoningId);
      return [{ type: "reasoning-start", id: data.reasoningId }, delta];
    }
    case "assistant.reasoning":
      return [{ type: "reasoning-end", id: data.reasoningId }];
    case "tool.execution_start": {
      const { toolCallId, toolName } = data;
      return [{ type: "tool-input-available", toolCallId, toolName, input: data.arguments, dynamic: true }];
    }
    case "tool.execution_complete": {
      const { toolCallId } = data;
      return [
        data.success
          ? { type: "tool-output-available", toolCallId, output: toolText(data), dynamic: true }
          : { type: "tool-output-error", toolCallId, errorText: toolText(data), dynamic: true },
      ];
    }
    case "tool.execution_progress":
    case "session.usage_info":
      return [{ type: `data-${type.replace(/\W/g, "-")}`, data, transient: true }];
    default:
      return [];
  }
}

/** As lines of JSON, as they would arrive. */
export function translate(lines) {
  const events = lines.map((line) => JSON.parse(line));
  const seen = new Set();
  const theirs = events.flatMap((event) => agui(event, seen)).map((event) => JSON.stringify(event));
  const thoughts = new Set();
  const messages = [];
  for (const event of events) {
    if (event.type === "user.message" || messages.length === 0) messages.push([{ type: "start", messageId: event.id }]);
    messages.at(-1).push(...chunks(event, thoughts));
  }
  for (const message of messages) message.push({ type: "finish" });
  return { agui: theirs, chunks: messages.map((message) => message.map((chunk) => JSON.stringify(chunk))) };
}

/** Returns the number of characters of text in the final state. */
export async function runAgui(lines) {
  const events = new Subject();
  const input = { threadId: "t", runId: "r", messages: [], state: {}, tools: [], context: [], forwardedProps: {} };
  let last;
  const done = new Promise((complete, error) => {
    const states = defaultApplyEvents(input, events, { messages: [], pendingInterrupts: [] }, []);
    states.subscribe({ next: (state) => (last = state), complete, error });
  });
  events.next({ type: "RUN_STARTED", threadId: "t", runId: "r" });
  for (const line of lines) events.next(JSON.parse(line));
  events.next({ type: "RUN_FINISHED", threadId: "t", runId: "r" });
  events.complete();
  await done;
  return (last?.messages ?? []).reduce((sum, { content }) => sum + (content ?? "").length, 0);
}

export async function runAiSdk(messages) {
  let length = 0;
  for (const message of messages) {
    const stream = new ReadableStream({
      start(controller) {
        for (const chunk of message) controller.enqueue(JSON.parse(chunk));
        controller.close();
      },
    });
    let last;
    for await (const state of readUIMessageStream({ stream })) last = state;
    for (const part of last?.parts ?? []) length += (part.text ?? part.output ?? part.errorText ?? "").length;
  }
  return length;
}
