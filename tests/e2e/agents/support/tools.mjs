// What the scripted model asks an agent to do, by purpose. Each agent has tools of its own: the one that fits is found among those
// that the agent offered with its request.

import { join } from "node:path";

/** The first of these tools that the agent offered, with its arguments. */
function choose(tools, choices) {
  const found = choices.find(([name]) => tools.has(name));
  return found && { name: found[0], ...found[1] };
}

/** At Codex only what leaves its sandbox is asked for. */
const OUTSIDE = { sandbox_permissions: "require_escalated", justification: "May I run this outside the sandbox?" };

/** Runs a command in the project, which a person is asked about. */
export const shell = (command) => ({ tools }) =>
  choose(tools, [
    ["run_shell_command", { args: { command, description: "Run a command" } }],
    ["exec_command", { args: { cmd: command, yield_time_ms: 20_000, prefix_rule: command.split(" ").slice(0, 1), ...OUTSIDE } }],
    ["bash", { args: { command, description: "Run a command" } }],
  ]);

/** Reads a file. Codex reads with a command, in its sandbox. */
export const read = (file) => ({ tools, project }) => {
  const path = join(project, file);
  return choose(tools, [
    ["exec_command", { args: { cmd: `cat ${file}` } }],
    ["read_file", { args: { file_path: path } }],
    ["view", { args: { path } }],
    ["read", { args: { filePath: path } }],
  ]);
};

const lines = (mark, text) => text.trimEnd().split("\n").map((line) => `${mark}${line}\n`).join("");
const patch = (head, body) => `*** Begin Patch\n${head}\n${body}*** End Patch\n`;

/** Puts one text in the place of another. */
export const edit = (file, from, to) => ({ tools, project }) => {
  const path = join(project, file);
  return choose(tools, [
    ["replace", { args: { file_path: path, instruction: "Make the greeting warmer", old_string: from, new_string: to } }],
    ["apply_patch", { input: patch(`*** Update File: ${file}`, `@@\n${lines("-", from)}${lines("+", to)}`) }],
    [tools.has("view") ? "edit" : "", { args: { path, old_str: from, new_str: to } }],
    ["edit", { args: { filePath: path, oldString: from, newString: to } }],
  ]);
};

/** Makes a file. */
export const write = (file, content) => ({ tools, project }) => {
  const path = join(project, file);
  return choose(tools, [
    ["write_file", { args: { file_path: path, content } }],
    ["apply_patch", { input: patch(`*** Add File: ${file}`, lines("+", content)) }],
    ["create", { args: { path, file_text: content } }],
    ["write", { args: { filePath: path, content } }],
  ]);
};

/** Writes down what is to be done: `[step, status]` of each. */
export const plan = (steps) => ({ tools }) =>
  choose(tools, [
    ["update_plan", { args: { plan: steps.map(([step, status]) => ({ step, status })) } }],
    ["write_todos", { args: { todos: steps.map(([description, status]) => ({ description, status })) } }],
    ["todowrite", { args: { todos: steps.map(([content, status]) => ({ content, status, priority: "medium" })) } }],
  ]);

/** Asks the person. */
export const ask = (question, choices) => ({ tools }) => {
  const options = choices.map((label) => ({ label, description: `${label}, please` }));
  return choose(tools, [["request_user_input", { args: { questions: [{ id: "tone", header: "Tone", question, options }] } }]]);
};

/** Gives a task to a sub-agent. */
export const delegate = (prompt) => ({ tools }) =>
  choose(tools, [
    ["tool_search", { name: "spawn_agent", namespace: "multi_agent_v1", args: { message: prompt, agent_type: "default" } }],
    ["spawn_agent", { args: { message: prompt, task_name: "look", agent_type: "default" } }],
    ["invoke_agent", { args: { agent_name: "generalist", prompt } }],
    ["task", { args: { description: "Look around", prompt, subagent_type: "general", agent_type: "general-purpose", name: "look" } }],
  ]);

/** Waits for that sub-agent, where it does not block: at Codex, which gave its id as the result of the call. */
export const wait = ({ tools, results }) => {
  const id = JSON.stringify(results.at(-1) ?? "").match(/[0-9a-f]{8}-[0-9a-f-]{27}/)?.[0];
  return choose(tools, [["tool_search", { name: "wait_agent", namespace: "multi_agent_v1", args: { targets: [id], timeout_ms: 20_000 } }]]);
};
