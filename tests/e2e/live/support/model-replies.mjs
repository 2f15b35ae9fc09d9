// Encodes a scripted reply in the three formats in which models answer: chat completions, responses and
// messages, each as one JSON text or as server-sent events.

import { randomUUID } from "node:crypto";

export const USAGE = { input: 1200, output: 50, cached: 100 };
const SEALED = "c2VhbGVk"; // in place of what only the provider can read

/**
 * A complete reply. Ids and arguments are fixed here, so that every format contains the same. A call with `input` in place of
 * `args` is one of a tool that takes plain text; `namespace` is the group of its tool. Both are known to responses alone.
 * `thought` is the member of a chat completion that has the reasoning.
 */
export function reply({ think = "", say = "", calls = [], finish, cost, hold, thought = "reasoning_text" }) {
  return {
    id: randomUUID(),
    think,
    say,
    calls: calls.map(({ name, args = {}, id = `call_${randomUUID().replaceAll("-", "").slice(0, 20)}`, ...own }) => ({ id, name, args: JSON.stringify(args), ...own })),
    thought,
    finish,
    hold,
    billed: cost ? { copilot_usage: { token_details: [], total_nano_aiu: cost * 1e9 } } : {},
  };
}

/** The words, one by one. From `hold.before` on, they wait until the gate is open. */
export async function* spoken({ say, hold }) {
  const from = hold ? say.indexOf(hold.before) : -1;
  const [head, tail] = from < 0 ? [say, ""] : [say.slice(0, from), say.slice(from)];
  yield* head.match(/\s*\S+\s*/g) ?? (head ? [head] : []);
  if (hold) await hold.gate.pass();
  yield* tail.match(/\s*\S+\s*/g) ?? (tail ? [tail] : []);
}

const data = (value) => `data: ${JSON.stringify(value)}\n\n`;
const named = (type, value) => `event: ${type}\n${data({ type, ...value })}`;

const chat = {
  whole(model, said) {
    const message = { role: "assistant", content: said.say || null };
    if (said.think) Object.assign(message, { [said.thought]: said.think, reasoning_opaque: SEALED });
    if (said.calls.length) message.tool_calls = said.calls.map((call) => ({ id: call.id, type: "function", function: { name: call.name, arguments: call.args } }));
    const choices = [{ index: 0, finish_reason: chat.finish(said), message }];
    return { id: said.id, object: "chat.completion", created: 1795000000, model, choices, usage: chat.usage, ...said.billed };
  },
  finish: ({ finish, calls }) => finish ?? (calls.length ? "tool_calls" : "stop"),
  usage: {
    prompt_tokens: USAGE.input,
    completion_tokens: USAGE.output,
    total_tokens: USAGE.input + USAGE.output,
    prompt_tokens_details: { cached_tokens: USAGE.cached },
  },
  async *stream(model, said) {
    const base = { id: said.id, object: "chat.completion.chunk", created: 1795000000, model };
    const chunk = (delta, finish_reason = null, more = {}) => data({ ...base, choices: [{ index: 0, delta, finish_reason }], ...more });
    const part = (more) => chunk({ role: "assistant", content: null, ...more });
    if (said.think) yield part({ [said.thought]: said.think }) + part({ reasoning_opaque: SEALED });
    for await (const content of spoken(said)) yield part({ content });
    for (const [index, { id, name, args }] of said.calls.entries()) {
      yield part({ tool_calls: [{ index, id, type: "function", function: { name, arguments: args } }] });
    }
    yield chunk({}, chat.finish(said), { usage: chat.usage, ...said.billed });
    yield "data: [DONE]\n\n";
  },
};

const responses = {
  items(said) {
    const items = [];
    if (said.think) items.push({ type: "reasoning", id: `rs_${said.id}`, summary: [{ type: "summary_text", text: said.think }], encrypted_content: SEALED });
    if (said.say) items.push({ type: "message", id: `msg_${said.id}`, role: "assistant", status: "completed", content: [{ type: "output_text", text: said.say, annotations: [] }] });
    for (const { id, name, args, input, namespace } of said.calls) {
      const own = { call_id: id, name, status: "completed" };
      if (input === undefined) items.push({ type: "function_call", id: `fc_${id}`, ...own, arguments: args, ...(namespace && { namespace }) });
      else items.push({ type: "custom_tool_call", id: `ct_${id}`, ...own, input });
    }
    return items;
  },
  whole(model, said, status = "completed", output = responses.items(said)) {
    const usage = {
      input_tokens: USAGE.input,
      output_tokens: USAGE.output,
      total_tokens: USAGE.input + USAGE.output,
      input_tokens_details: { cached_tokens: USAGE.cached },
      output_tokens_details: { reasoning_tokens: 0 },
    };
    return { id: said.id, object: "response", created_at: 1795000000, status, model, output, usage, error: null, tools: [], metadata: {} };
  },
  async *stream(model, said) {
    let sequence_number = 0;
    const event = (type, value) => named(type, { sequence_number: sequence_number++, ...value });
    yield event("response.created", { response: responses.whole(model, said, "in_progress", []) });
    for (const [output_index, item] of responses.items(said).entries()) {
      const own = { item_id: item.id, output_index };
      yield event("response.output_item.added", { output_index, item });
      if (item.type === "reasoning") {
        yield event("response.reasoning_summary_text.delta", { ...own, summary_index: 0, delta: said.think });
        yield event("response.reasoning_summary_text.done", { ...own, summary_index: 0, text: said.think });
      } else if (item.type === "message") {
        for await (const delta of spoken(said)) yield event("response.output_text.delta", { ...own, content_index: 0, delta });
        yield event("response.output_text.done", { ...own, content_index: 0, text: said.say });
      } else if (item.type === "custom_tool_call") {
        yield event("response.custom_tool_call_input.delta", { ...own, delta: item.input });
        yield event("response.custom_tool_call_input.done", { ...own, input: item.input });
      } else {
        yield event("response.function_call_arguments.delta", { ...own, delta: item.arguments });
        yield event("response.function_call_arguments.done", { ...own, arguments: item.arguments });
      }
      yield event("response.output_item.done", { output_index, item });
    }
    yield event("response.completed", { response: responses.whole(model, said) });
  },
};

const messages = {
  content(said) {
    const blocks = [];
    if (said.think) blocks.push({ type: "thinking", thinking: said.think, signature: SEALED });
    if (said.say) blocks.push({ type: "text", text: said.say });
    for (const { id, name, args } of said.calls) blocks.push({ type: "tool_use", id, name, input: JSON.parse(args) });
    return blocks;
  },
  stop: ({ calls }) => (calls.length ? "tool_use" : "end_turn"),
  usage: { input_tokens: USAGE.input, output_tokens: USAGE.output, cache_read_input_tokens: USAGE.cached },
  whole(model, said, content = messages.content(said), stop_reason = messages.stop(said)) {
    return { id: said.id, type: "message", role: "assistant", model, content, stop_reason, stop_sequence: null, usage: messages.usage };
  },
  async *stream(model, said) {
    yield named("message_start", { message: messages.whole(model, said, [], null) });
    for (const [index, block] of messages.content(said).entries()) {
      const delta = (value) => named("content_block_delta", { index, delta: value });
      if (block.type === "thinking") {
        yield named("content_block_start", { index, content_block: { ...block, thinking: "", signature: "" } });
        yield delta({ type: "thinking_delta", thinking: block.thinking }) + delta({ type: "signature_delta", signature: SEALED });
      } else if (block.type === "text") {
        yield named("content_block_start", { index, content_block: { type: "text", text: "" } });
        for await (const text of spoken(said)) yield delta({ type: "text_delta", text });
      } else {
        yield named("content_block_start", { index, content_block: { ...block, input: {} } });
        yield delta({ type: "input_json_delta", partial_json: JSON.stringify(block.input) });
      }
      yield named("content_block_stop", { index });
    }
    yield named("message_delta", { delta: { stop_reason: messages.stop(said), stop_sequence: null }, usage: { output_tokens: USAGE.output } });
    yield named("message_stop", {});
  },
};

/** By the end of the requested path. */
export const LANGUAGES = { "/chat/completions": chat, "/responses": responses, "/messages": messages };
