// An agent that speaks the Agent Client Protocol and does what a prompt says. The same file makes the command line that starts one:
// `stage.serve([], { access: [...acp("carver", { modes: ["ask", "code"] })] })`.

import { appendFileSync, existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const FILE = fileURLToPath(import.meta.url);

/** What an agent asks with the prompt `ask`, if nothing else is said. */
const CALL = { title: "touch a", kind: "execute", rawInput: { command: "touch a" } };
const OPTIONS = [
  { optionId: "always", name: "Always touch", kind: "allow_always" },
  { optionId: "once", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

/**
 * The arguments of `pilothouse serve` for an agent of this name. `traits` are its differences, all of which may be left out:
 * - `modes`, `models`, `efforts`: what can be chosen in a session, as ids or `{id, name}`; the first is the current one
 * - `commands`: the names of its slash commands
 * - `call`, `options`: what it asks with the prompt `ask`
 * - `signIn`: it refuses new sessions until there is a file of this path; `complaint`: what it says on standard error then
 * - `others`: the sessions of other programs that it lists, as ACP has them; without it there is no list
 * - `fails`: it ends at once, with this on standard error
 * - `journal`: a file that gets each message that it was sent, a line each
 */
export function acp(name, traits = {}) {
  return ["--acp", `${name}="${process.execPath}" "${FILE}" ${quoted(JSON.stringify({ name, ...traits }))}`];
}

const quoted = (text) => `"${text.replace(/[\\"]/g, "\\$&")}"`;
const named = (choice) => (typeof choice === "string" ? { id: choice, name: choice } : choice);

function start(traits) {
  const { name, modes = [], models = [], efforts = [], commands = [], call = CALL, options = OPTIONS } = traits;
  const choices = { mode: modes.map(named), model: models.map(named), thought_level: efforts.map(named) };
  /** What is chosen in each session, by the category. */
  const sessions = new Map();
  /** The prompt that runs in each session, and the id of the request that it waits for. */
  const running = new Map();
  let asked = 0;
  let said = 0;

  const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const answer = (id, result) => send({ id, result });
  const update = (sessionId, update) => send({ method: "session/update", params: { sessionId, update } });
  const say = (sessionId, text) => {
    said += 1;
    update(sessionId, { sessionUpdate: "agent_message_chunk", messageId: `message-${said}`, content: { type: "text", text } });
  };
  const open = (id) => sessions.set(id, Object.fromEntries(Object.entries(choices).map(([category, all]) => [category, all[0]?.id])));
  const configOptions = (id) => Object.entries(choices).filter(([, all]) => all.length).map(([category, all]) => ({
    id: category, category, name: category, type: "select", currentValue: sessions.get(id)[category],
    options: all.map((one) => ({ value: one.id, name: one.name, description: one.description })),
  }));

  const methods = {
    initialize: () => ({
      protocolVersion: 1,
      agentInfo: { name, version: "1" },
      agentCapabilities: { loadSession: true, sessionCapabilities: { close: {}, ...(traits.others && { list: {} }) } },
    }),
    "session/new": () => {
      const id = `${name}-${process.pid}-${sessions.size + 1}`;
      open(id);
      const availableCommands = commands.map((command) => ({ name: command, description: `What ${command} does` }));
      update(id, { sessionUpdate: "available_commands_update", availableCommands });
      return { sessionId: id, configOptions: configOptions(id) };
    },
    "session/load": ({ sessionId }) => {
      open(sessionId);
      return { configOptions: configOptions(sessionId) };
    },
    "session/set_config_option": ({ sessionId, configId, value }) => {
      sessions.get(sessionId)[configId] = value;
      return { configOptions: configOptions(sessionId) };
    },
    "session/close": () => ({}),
    "session/list": () => ({ sessions: traits.others }),
  };

  /** `ask`, or `ask {"call": …, "options": …}` · `wait` until it is stopped · `die` · else it says what was said. */
  function prompt(id, sessionId, text) {
    const [, word, rest] = text.match(/^(\w*)\s*([^]*)$/);
    if (word === "ask") {
      asked += 1;
      const own = rest ? JSON.parse(rest) : {};
      running.set(sessionId, { prompt: id, request: asked });
      send({
        id: asked,
        method: "session/request_permission",
        params: { sessionId, toolCall: { toolCallId: `call-${asked}`, ...(own.call ?? call) }, options: own.options ?? options },
      });
    } else if (word === "wait") {
      running.set(sessionId, { prompt: id });
      say(sessionId, "waiting");
    } else if (word === "die") {
      process.stderr.write("out of luck\n", () => process.exit(7));
    } else {
      say(sessionId, `you said ${text}`);
      answer(id, { stopReason: "end_turn" });
    }
  }

  /** A person has answered a request: the prompt that waited for it goes on. */
  function settled({ id, result }) {
    const [sessionId, run] = [...running].find(([, { request }]) => request === id) ?? [];
    if (!run) return;
    running.delete(sessionId);
    const outcome = result?.outcome ?? {};
    if (outcome.outcome === "cancelled") return answer(run.prompt, { stopReason: "cancelled" });
    say(sessionId, `chosen: ${outcome.optionId ?? "none"}`);
    answer(run.prompt, { stopReason: "end_turn" });
  }

  function take(message) {
    const { id, method, params } = message;
    if (!method) return settled(message);
    if (method === "session/prompt") return prompt(id, params.sessionId, params.prompt.map(({ text }) => text ?? "").join(""));
    if (method === "session/cancel") {
      const run = running.get(params.sessionId);
      // With a request open, the prompt ends once that is answered as cancelled.
      if (!run || run.request) return;
      running.delete(params.sessionId);
      return answer(run.prompt, { stopReason: "cancelled" });
    }
    if (method === "session/new" && traits.signIn && !existsSync(traits.signIn)) {
      process.stderr.write(`${traits.complaint ?? "no credentials"}\n`);
      return send({ id, error: { code: -32000, message: "Authentication required" } });
    }
    if (methods[method]) return answer(id, methods[method](params));
    if (id !== undefined) send({ id, error: { code: -32601, message: `there is no ${method}` } });
  }

  if (traits.fails) return process.stderr.write(`${traits.fails}\n`, () => process.exit(3));
  createInterface(process.stdin).on("line", (line) => {
    if (traits.journal) appendFileSync(traits.journal, `${line}\n`);
    take(JSON.parse(line));
  });
}

if (process.argv[1] === FILE) start(JSON.parse(process.argv[2]));
