// The model server that the real runtime talks to in the live tests. It replies as
// scripted, in order, and records what it was asked. Requests without a scripted reply
// are counted; a reply can wait at a gate until the test opens it.

import { LANGUAGES, reply } from "./model-replies.mjs";
import { LoopbackServer } from "./processes.mjs";

/** A point in a script that waits until the test opens it. */
export class Gate {
  #opened;
  #arrived;
  #passed = new Promise((opened) => (this.#opened = opened));
  /** Resolves when a reply has come this far. */
  reached = new Promise((arrived) => (this.#arrived = arrived));

  open() {
    this.#opened();
  }

  pass() {
    this.#arrived();
    return this.#passed;
  }
}

const limits = { max_context_window_tokens: 128_000, max_prompt_tokens: 120_000, max_output_tokens: 16_000 };
const supports = { vision: true, streaming: true, tool_calls: true, parallel_tool_calls: true };
const model = (id, { ways, vision, ...more } = {}) => ({
  id,
  name: id,
  object: "model",
  vendor: "scripted",
  version: id,
  preview: false,
  model_picker_enabled: true,
  policy: { state: "enabled", terms: "" },
  billing: { is_premium: true, multiplier: 1 },
  capabilities: { type: "chat", family: id, object: "model_capabilities", tokenizer: "o200k_base", supports: { ...supports, ...more }, limits: { ...limits, ...(vision && { vision }) } },
  ...(ways && { supported_endpoints: ways }),
});

const MODELS = [
  model("claude-sonnet-4.5"),
  model("gpt-5.4", { vision: { supported_media_types: ["image/png"], max_prompt_images: 10, max_prompt_image_size: 3 << 20 }, reasoning_effort: ["low", "medium", "high"], ways: ["/responses", "/chat/completions"] }),
  model("gpt-4.1"),
];

/** The reply to the choice of an automatic model. */
const AUTOMATIC = { session_token: "scripted", expires_at: 4_102_444_800, available_models: ["gpt-4.1"], selected_model: "gpt-4.1", discounted_costs: {} };

/** Starts the server. `user` adds to its description of the user who is signed in. */
export async function scriptedModel({ user = {} } = {}) {
  const answering = new ScriptedModel(user);
  await answering.listen();
  return answering;
}

class ScriptedModel extends LoopbackServer {
  /** Requests since `play`: `{model, way, messages, tools}`. */
  asked = [];
  /** The number of requests that found no reply in the script. */
  unscripted = 0;
  #user;
  #script = [];
  #routes = new Map();

  constructor(user) {
    super();
    this.#user = user;
  }

  /**
   * Sets the replies, one a model call: `{think, say, calls: [{name, args}], hold: {before, gate}, cost}`,
   * `{fail: status, code, message, headers}`, `{say, cut: true}` (the stream breaks off), `{drop: true}` (no
   * answer at all), or a function from the request to one of these.
   */
  play(...replies) {
    this.#script = replies;
    this.asked = [];
    this.unscripted = 0;
  }

  /** Sets the handler of a path: `(request, body) => ({status, headers, body})`. */
  route(path, answer) {
    this.#routes.set(path, answer);
  }

  /** What tools and the user told the model in its last call, without its own messages and instructions. */
  get told() {
    const said = (this.asked.at(-1)?.messages ?? []).filter(({ role }) => role !== "system" && role !== "assistant");
    return said.map(({ content, output }) => (typeof content === "string" ? content : JSON.stringify(content ?? output ?? "")));
  }

  async serve(request, response) {
    const body = Buffer.concat(await request.toArray()).toString();
    const { pathname } = new URL(request.url, this.address);
    const send = (status, value, headers = {}) => {
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(value === undefined ? "" : JSON.stringify(value));
    };
    const own = this.#routes.get(pathname);
    if (own) {
      const answer = await own(request, body);
      return send(answer.status ?? 200, answer.body, answer.headers);
    }
    if (pathname === "/copilot_internal/user") return send(200, this.#person());
    if (pathname === "/models") return send(200, { data: MODELS });
    if (pathname.startsWith("/models/session")) return send(200, AUTOMATIC);
    const way = Object.keys(LANGUAGES).find((end) => pathname.endsWith(end));
    if (!way) return send(404, { error: "not found" });
    await this.#speak(way, JSON.parse(body), response, send);
  }

  #person() {
    return {
      login: "octo-user",
      copilot_plan: "individual_pro",
      is_mcp_enabled: true,
      endpoints: { api: this.address, telemetry: `${this.address}/telemetry` },
      analytics_tracking_id: "scripted",
      ...this.#user,
    };
  }

  async #speak(way, question, response, send) {
    const asked = { model: question.model, way, messages: question.messages ?? question.input ?? [], tools: question.tools ?? [] };
    this.asked.push(asked);
    let next = this.#script.shift();
    if (next === undefined) {
      this.unscripted += 1;
      next = { say: "The script is over." };
    }
    if (typeof next === "function") next = next(asked);
    if (next.drop) return response.destroy();
    if (next.fail) return send(next.fail, { error: { code: next.code, message: next.message } }, next.headers);
    const said = reply(next);
    if (!question.stream) return send(200, LANGUAGES[way].whole(question.model, said));
    response.writeHead(200, { "content-type": "text/event-stream" });
    for await (const piece of LANGUAGES[way].stream(question.model, said)) {
      if (response.destroyed) return;
      if (next.cut && piece.includes('finish_reason":"')) return response.destroy();
      response.write(piece);
    }
    response.end();
  }
}
