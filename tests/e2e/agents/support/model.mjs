// The model of all agents in these tests, on this machine. It speaks what they speak: chat completions, responses, and
// generateContent. What it says is in script.mjs.

import { Gate } from "../../live/support/model.mjs";
import { LANGUAGES, reply } from "../../live/support/model-replies.mjs";
import { LoopbackServer } from "../../live/support/processes.mjs";
import { generateContent } from "./generate-content.mjs";
import { SCRIPT } from "./script.mjs";

/** What agents ask for beside the answer: titles, in words or as JSON, and which model is to answer. */
const ASIDES = [
  [({ text }) => text?.format?.type === "json_schema", { say: '{"title":"Greeting work"}' }],
  [({ generationConfig }) => generationConfig?.responseJsonSchema ?? generationConfig?.responseSchema, { say: '{"reasoning":"simple","model_choice":"flash","complexity_reasoning":"simple","complexity_score":10}' }],
];

export async function scriptedModel() {
  const model = new ScriptedModel();
  await model.listen();
  return model;
}

const LANGUAGES_OF_AGENTS = { ...LANGUAGES, ":streamGenerateContent": generateContent, ":generateContent": generateContent };

/** The names of the tools in a request. Codex has some of its own among the messages. */
function offered({ tools = [], input = [] }) {
  const more = input[0]?.type === "additional_tools" ? input[0].tools.flatMap((group) => group.tools ?? [group]) : [];
  const names = (tool) => tool.functionDeclarations?.map(({ name }) => name) ?? [tool.function?.name ?? tool.name ?? tool.type];
  return new Set([...tools, ...more].flatMap(names));
}

const textOf = ({ content, parts }) => {
  if (typeof content === "string") return content;
  return (Array.isArray(content) ? content : (parts ?? [])).map(({ text }) => text ?? "").join("\n");
};

const isModels = ({ role, type }) => role === "assistant" || role === "model" || (!role && /(_call|reasoning)$/.test(type ?? ""));

/** The last prompt that has one of these texts, how many turns the model has had since, and what its tools gave. */
function turnOf({ messages, input, contents }, prompts) {
  const items = messages ?? input ?? contents ?? [];
  const asks = (item) => item.role === "user" && prompts.find((prompt) => textOf(item).includes(prompt));
  const at = items.findLastIndex((item) => asks(item));
  const since = items.slice(at + 1);
  const step = since.filter((item, index) => isModels(item) && !isModels(since[index - 1] ?? {})).length;
  const results = since.filter(({ type }) => type === "function_call_output").map(({ output }) => output);
  return { prompt: at < 0 ? undefined : asks(items[at]), step, results };
}

class ScriptedModel extends LoopbackServer {
  /** What was asked that no script answers. */
  unscripted = [];
  /** What tools gave, as the agents told the model. */
  results = [];
  /** The folders in which agents work: one of them is in each request. */
  projects = [];
  #stories = new Map();

  /** Answers this prompt from now on with a text that waits at these words of it, until the gate is opened. */
  tell(prompt, say, before) {
    const gate = new Gate();
    this.#stories.set(prompt, [{ say, hold: { before, gate } }]);
    return gate;
  }

  async serve(request, response) {
    const body = Buffer.concat(await request.toArray()).toString();
    const { pathname } = new URL(request.url, this.address);
    const send = (status, value) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(value));
    };
    if (pathname.endsWith("/models")) return send(200, { object: "list", data: [{ id: "alpha", object: "model", owned_by: "scripted" }], models: [] });
    const way = Object.keys(LANGUAGES_OF_AGENTS).find((end) => pathname.endsWith(end));
    if (!way) return send(404, { error: { message: "not scripted" } });
    const language = LANGUAGES_OF_AGENTS[way];
    const question = JSON.parse(body);
    const next = this.#next(question, body);
    if (next.fail) return send(next.fail, { error: { message: next.message, type: next.type, code: next.fail, status: "INVALID_ARGUMENT" } });
    const said = reply({ thought: "reasoning_content", ...next });
    const model = question.model ?? pathname.match(/models\/([^:]+)/)?.[1];
    if (!(question.stream ?? way === ":streamGenerateContent")) return send(200, language.whole(model, said));
    response.writeHead(200, { "content-type": "text/event-stream" });
    for await (const piece of language.stream(model, said)) {
      if (response.destroyed) return;
      response.write(piece);
    }
    response.end();
  }

  #next(question, body) {
    const aside = ASIDES.find(([fits]) => fits(question));
    if (aside) return aside[1];
    const tools = offered(question);
    // Without tools an agent asks for a title or a summary.
    if (tools.size === 0) return { say: "Greeting work" };
    const { prompt, step, results } = turnOf(question, [...this.#stories.keys(), ...Object.keys(SCRIPT)]);
    this.results.push(...results.map((result) => JSON.stringify(result)));
    const project = this.projects.find((folder) => body.includes(folder));
    const resolve = ({ calls = [], ...more }) => ({ ...more, calls: calls.map((call) => call({ tools, results, project })) });
    // A step falls away where the agent has no tool for it.
    const steps = (this.#stories.get(prompt) ?? SCRIPT[prompt] ?? []).map(resolve).filter(({ calls }) => calls.every(Boolean));
    if (steps[step]) return steps[step];
    this.unscripted.push(`${prompt}: step ${step}`);
    return { say: "The script is over." };
  }
}
