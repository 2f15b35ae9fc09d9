// The three logs used for all measurements: one long answer, a working session, ten thousand rows.

import { Source } from "./source.mjs";

/** One answer in many small deltas. */
export function deltas(count = 20_000, seed = 1) {
  const source = new Source(seed).start();
  const turnId = "0";
  const messageId = source.uuid();
  source.event("user.message", { content: "Explain the design in depth.", messageId: source.uuid(), turnId });
  source.event("assistant.turn_start", { turnId, model: "claude-sonnet-4" });
  source.live("assistant.message_start", { messageId });
  const pieces = source.pieces(source.markdown(count * 8), 3, 12).slice(0, count);
  while (pieces.length < count) pieces.push(...source.pieces(`\n\n${source.block()}`, 3, 12));
  pieces.length = count;
  for (const deltaContent of pieces) source.live("assistant.message_delta", { messageId, deltaContent });
  source.event("assistant.message", {
    messageId,
    model: "claude-sonnet-4",
    content: pieces.join(""),
    toolRequests: [],
    turnId,
    outputTokens: count,
  });
  source.event("assistant.turn_end", { turnId });
  source.live("session.idle", {});
  return source.lines;
}

/** A live session: turns of reasoning, answers, tools with permissions and output, sub-agents. */
export function agentic(total = 100_000, turns = 200, seed = 2) {
  const source = new Source(seed).start();
  for (let turn = 0; turn < turns; turn += 1) {
    const content = `${source.sentence()} ${source.sentence()}`;
    source.event("user.message", { content, messageId: source.uuid(), turnId: String(turn) });
    const end = Math.floor((total * (turn + 1)) / turns);
    let number = 0;
    while (source.lines.length < end - 120) round(source, `${turn}.${number++}`, { live: true, length: 350 });
    const turnId = `${turn}.${number}`;
    const messageId = source.uuid();
    source.event("assistant.turn_start", { turnId });
    source.live("assistant.message_start", { messageId });
    const pieces = source.pieces(source.markdown(3000), 3, 12);
    let text = "";
    for (let piece = 0; source.lines.length < end - 3; piece += 1) {
      const deltaContent = pieces[piece % pieces.length];
      text += deltaContent;
      source.live("assistant.message_delta", { messageId, deltaContent });
    }
    source.event("assistant.message", { messageId, content: text, toolRequests: [], turnId });
    source.event("assistant.turn_end", { turnId });
    source.live("session.idle", {});
  }
  return source.lines;
}

/** What a resumed session finds on disk: this many rows, nothing ephemeral. */
export function long(rows = 10_000, seed = 3) {
  const source = new Source(seed).start();
  let made = 0;
  let seen = 0;
  const count = () => {
    for (; seen < source.lines.length; seen += 1) made += Number(isRow(source.lines[seen]));
    return made;
  };
  for (let turn = 0; count() < rows; turn += 1) {
    source.event("user.message", { content: source.sentence(), messageId: source.uuid(), turnId: String(turn) });
    for (let number = source.int(2, 6); number > 0; number -= 1) {
      round(source, `${turn}.${number}`, { live: false, length: 400 });
    }
  }
  let left = rows;
  const end = source.lines.findIndex((line) => isRow(line) && left-- === 0);
  return end < 0 ? source.lines : source.lines.slice(0, end);
}

const ROW = /^\{"type":"(?:user\.message|assistant\.message|assistant\.reasoning|tool\.execution_start|subagent\.started)"/;
const isRow = (line) => ROW.test(line);

/** One model call and its consequences. */
function round(source, turnId, { live, length, agentId }) {
  const event = (type, data) => source.event(type, data, { agentId });
  event("assistant.turn_start", { turnId, model: "claude-sonnet-4" });
  if (live) source.live("assistant.intent", { intent: source.words(4) }, agentId);
  const reasoningId = source.uuid();
  const messageId = source.uuid();
  const thought = source.paragraph();
  const answer = source.markdown(length);
  if (live) {
    for (const deltaContent of source.pieces(thought, 3, 12)) {
      source.live("assistant.reasoning_delta", { reasoningId, deltaContent }, agentId);
    }
  }
  event("assistant.reasoning", { reasoningId, content: thought });
  if (live) stream(source, messageId, answer, agentId);
  const tools = Array.from({ length: source.int(1, 3) }, () => tool(source, { turnId, agentId, live }));
  event("assistant.message", {
    messageId,
    model: "claude-sonnet-4",
    content: answer,
    toolRequests: tools.map(({ call }) => ({ ...call, type: "function" })),
    turnId,
    outputTokens: answer.length >> 2,
  });
  if (live) usage(source, answer.length >> 2, agentId);
  for (const { run } of tools) run();
  if (!agentId && source.chance() < 0.06) subAgent(source, turnId, { live, length });
  event("assistant.turn_end", { turnId });
}

function stream(source, messageId, answer, agentId) {
  source.live("assistant.message_start", { messageId }, agentId);
  let count = 0;
  for (const deltaContent of source.pieces(answer, 3, 12)) {
    source.live("assistant.message_delta", { messageId, deltaContent }, agentId);
    count += 1;
    if (count % 25 === 0) source.live("assistant.streaming_delta", { totalResponseSizeBytes: count * 300 }, agentId);
  }
}

function usage(source, outputTokens, agentId) {
  source.live(
    "assistant.usage",
    {
      model: "claude-sonnet-4",
      inputTokens: source.int(1e3, 1e5),
      outputTokens,
      cacheReadTokens: source.int(0, 9e4),
      cost: 1,
      duration: source.int(500, 9000),
      initiator: "agent",
      apiCallId: source.uuid(),
      finishReason: "tool_calls",
    },
    agentId,
  );
  source.live("session.usage_info", {
    tokenLimit: 128000,
    currentTokens: source.int(1e3, 1e5),
    messagesLength: source.int(2, 400),
    systemTokens: 8000,
    conversationTokens: source.int(1e3, 9e4),
  });
}

/** A sub-agent with one call of its own. */
function subAgent(source, turnId, { live, length }) {
  const toolCallId = `call_${source.uuid().slice(0, 13)}`;
  const task = { agent_type: "explore", prompt: source.sentence() };
  source.event("tool.execution_start", { toolCallId, toolName: "task", arguments: task, turnId });
  const agent = { toolCallId, agentName: "explore", agentDisplayName: "Explore" };
  const started = { ...agent, agentDescription: "Looks things up", model: "claude-haiku-4.5" };
  source.event("subagent.started", started, { agentId: toolCallId });
  round(source, turnId, { live, length, agentId: toolCallId });
  const ended = { ...agent, totalToolCalls: 2, totalTokens: 5000, durationMs: 9000 };
  source.event("subagent.completed", ended, { agentId: toolCallId });
  source.event("tool.execution_complete", { toolCallId, success: true, result: { content: source.paragraph() }, turnId });
}

const TOOLS = ["bash", "view", "edit", "grep", "glob", "github-mcp-server-search_code"];

/** A tool call: its request for the message, and a function that runs it after the message. */
function tool(source, { turnId, agentId, live }) {
  const toolCallId = `call_${source.uuid().slice(0, 13)}`;
  const toolName = source.pick(TOOLS);
  const input =
    toolName === "bash"
      ? { command: `cargo test -p crate_${source.int(1, 99)} -- --nocapture`, description: "Run tests" }
      : { path: `/repo/app/src/${source.word()}.rs`, pattern: source.words(2) };
  const event = (type, data) => source.event(type, data, { agentId });
  const run = () => {
    const parent = agentId ? { parentToolCallId: agentId } : {};
    event("tool.execution_start", { toolCallId, toolName, arguments: input, turnId, ...parent });
    if (toolName === "bash") permission(source, { toolCallId, command: input.command, agentId, live });
    // 1 to 20 KB, distributed logarithmically.
    const output = source.toolOutput(Math.floor(1024 * Math.pow(20, source.chance())));
    if (live) {
      for (let step = source.int(0, 2); step > 0; step -= 1) {
        const progressMessage = `step ${step}: ${source.words(4)}`;
        source.live("tool.execution_progress", { toolCallId, progressMessage }, agentId);
      }
      if (toolName === "bash") {
        for (const partialOutput of source.pieces(output, 400, 1600)) {
          source.live("tool.execution_partial_result", { toolCallId, partialOutput }, agentId);
        }
      }
    }
    const worked = source.chance() > 0.07;
    event("tool.execution_complete", worked ? success(source, toolCallId, output, turnId) : failure(toolCallId, output, turnId));
  };
  return { call: { toolCallId, name: toolName, arguments: input }, run };
}

function success(source, toolCallId, output, turnId) {
  const result = { content: output.slice(0, 4000), detailedContent: output };
  return { toolCallId, success: true, result, toolTelemetry: { metrics: { durationMs: source.int(5, 9000) } }, turnId };
}

function failure(toolCallId, output, turnId) {
  return { toolCallId, success: false, error: { message: output.slice(0, 600), code: "failure" }, turnId };
}

function permission(source, { toolCallId, command, agentId, live }) {
  const requestId = source.uuid();
  const more = { ephemeral: live, agentId };
  const permissionRequest = {
    kind: "shell",
    toolCallId,
    fullCommandText: command,
    intention: "Run tests",
    commands: [{ identifier: "cargo", readOnly: false }],
    possiblePaths: [],
    possibleUrls: [],
    hasWriteFileRedirection: false,
    canOfferSessionApproval: true,
  };
  source.event("permission.requested", { requestId, permissionRequest }, more);
  source.event("permission.completed", { requestId, toolCallId, result: { kind: "approved" } }, more);
}
