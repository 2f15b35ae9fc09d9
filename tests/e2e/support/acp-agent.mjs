// An agent that speaks ACP on its standard input and output. A prompt is JSON: `{ options, toolCall }` asks for that call with these
// options, says which one was chosen, and ends. Any other prompt is said again.

import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const say = (sessionId, text) =>
  send({ method: "session/update", params: { sessionId, update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } } } });

let [sessions, asked] = [0, 0];
/** By the id of a request to the client: the prompt that waits for it, and its session. */
const waiting = new Map();

const METHODS = {
  initialize: () => ({ protocolVersion: 1, agentInfo: { name: "acp-agent", version: "1" }, agentCapabilities: {} }),
  "session/new": () => ({ sessionId: `acp-${(sessions += 1)}` }),
};

function prompt(id, { sessionId, prompt: [{ text }] }) {
  const end = () => send({ id, result: { stopReason: "end_turn" } });
  if (!text.startsWith("{")) {
    say(sessionId, `You said ${text}`);
    return end();
  }
  const { options, toolCall } = JSON.parse(text);
  asked += 1;
  waiting.set(asked, ({ outcome, optionId }) => {
    say(sessionId, `The agent heard: ${optionId ?? outcome}.`);
    end();
  });
  send({ id: asked, method: "session/request_permission", params: { sessionId, toolCall: { toolCallId: `call-${asked}`, ...toolCall }, options } });
}

createInterface(process.stdin).on("line", (line) => {
  if (process.env.ACP_JOURNAL) appendFileSync(process.env.ACP_JOURNAL, `${line}\n`);
  const { id, method, params, result } = JSON.parse(line);
  if (method === "session/prompt") return prompt(id, params);
  if (method) return id === undefined ? undefined : send({ id, result: METHODS[method]?.() ?? {} });
  waiting.get(id)?.(result?.outcome ?? {});
  waiting.delete(id);
});
