// Extreme inputs: one huge message, one huge tool result, a flood of notices, many sub-agents at once. Each
// is a list of frames; a frame is the lines that arrive between two animation frames of the browser.

import { Source } from "./source.mjs";

/** 4 MB of Markdown in one answer, 6.5 kB a frame. */
export function message(length = 4_000_000, seed = 11) {
  const source = new Source(seed).start();
  const messageId = source.uuid();
  source.event("user.message", { content: "Write a book.", messageId: source.uuid(), turnId: "0" });
  source.event("assistant.turn_start", { turnId: "0" });
  source.live("assistant.message_start", { messageId });
  const content = source.markdown(length);
  for (const deltaContent of source.pieces(content, 40, 60)) {
    source.live("assistant.message_delta", { messageId, deltaContent });
  }
  source.event("assistant.message", { messageId, content, toolRequests: [], turnId: "0" });
  return frames(rest(source, "0"), 130);
}

/** A command that prints 5 MB: 64 KB a frame, and all of it again at its end. */
export function output(length = 5_000_000, seed = 12) {
  const source = new Source(seed).start();
  const toolCallId = "call_output";
  const text = source.toolOutput(length);
  source.event("user.message", { content: "Print everything.", messageId: source.uuid(), turnId: "0" });
  source.event("assistant.turn_start", { turnId: "0" });
  const call = { command: "cat log", description: "Print the log" };
  source.event("tool.execution_start", { toolCallId, toolName: "bash", arguments: call, turnId: "0" });
  for (let at = 0; at < length; at += 65_536) {
    source.live("tool.execution_partial_result", { toolCallId, partialOutput: text.slice(at, at + 65_536) });
  }
  const result = { content: text, detailedContent: text };
  source.event("tool.execution_complete", { toolCallId, success: true, result, turnId: "0" });
  return frames(rest(source, "0"), 1);
}

/** Notices, 500 a frame. */
export function notices(count = 50_000, seed = 13) {
  const source = new Source(seed).start();
  for (let number = 0; number < count; number += 1) {
    source.event("session.info", { infoType: "notification", message: `${number}: ${source.words(8)}` });
  }
  return frames(source.lines, 500);
}

/** Sub-agents that all stream and use tools at the same time, 100 events a frame. */
export function agents(count = 64, rounds = 300, seed = 14) {
  const source = new Source(seed).start();
  source.event("user.message", { content: "Look everywhere.", messageId: source.uuid(), turnId: "0" });
  source.event("assistant.turn_start", { turnId: "0" });
  const all = Array.from({ length: count }, (_, number) => ({ agentId: `call_agent_${number}`, messageId: source.uuid() }));
  for (const { agentId: toolCallId } of all) {
    const input = { agent_type: "explore", prompt: source.sentence() };
    source.event("tool.execution_start", { toolCallId, toolName: "task", arguments: input, turnId: "0" });
    const agent = { toolCallId, agentName: "explore", agentDisplayName: "Explore", agentDescription: "Looks" };
    source.event("subagent.started", agent, { agentId: toolCallId });
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const agent of all) step(source, agent, round);
  }
  for (const { agentId: toolCallId } of all) {
    const agent = { toolCallId, agentName: "explore", agentDisplayName: "Explore" };
    source.event("subagent.completed", { ...agent, totalToolCalls: 6, totalTokens: 5000 }, { agentId: toolCallId });
    const result = { content: source.sentence() };
    source.event("tool.execution_complete", { toolCallId, success: true, result, turnId: "0" });
  }
  return frames(rest(source, "0"), 100);
}

function step(source, { agentId, messageId }, round) {
  const toolCallId = `${agentId}_${round}`;
  if (round % 50 === 20) {
    const data = { toolCallId, toolName: "bash", arguments: { command: "ls", description: "List" }, turnId: "0" };
    source.event("tool.execution_start", data, { agentId });
    const result = { content: source.toolOutput(2000) };
    source.event("tool.execution_complete", { toolCallId, success: true, result, turnId: "0" }, { agentId });
  } else {
    const data = { messageId: `${messageId}-${Math.floor(round / 50)}`, deltaContent: `${source.words(2)} ` };
    source.live("assistant.message_delta", data, agentId);
  }
}

function rest(source, turnId) {
  source.event("assistant.turn_end", { turnId });
  source.live("session.idle", {});
  return source.lines;
}

function frames(lines, size) {
  const out = [];
  for (let at = 0; at < lines.length; at += size) out.push(lines.slice(at, at + size));
  return out;
}
