// An MCP server for the live tests, over its standard streams. Its tools ask for a form, for an address to be
// opened, and for a message of the client's model.

import { createInterface } from "node:readline";

const FORM = {
  type: "object",
  properties: {
    name: { type: "string", title: "Name of the boat", minLength: 2, maxLength: 20 },
    mail: { type: "string", title: "Mail", format: "email" },
    berths: { type: "integer", title: "Berths", minimum: 1, maximum: 12, default: 4 },
    sails: { type: "boolean", title: "Has sails" },
    colour: { type: "string", title: "Colour", oneOf: [{ const: "w", title: "White" }, { const: "b", title: "Blue" }] },
  },
  required: ["name"],
};

const nothing = { type: "object", properties: {} };
const TOOLS = {
  paint: { about: "Paints a boat", run: async () => "painted" },
  form: { about: "Asks for a boat", run: () => ask("elicitation/create", { message: "Which boat?", requestedSchema: FORM }) },
  open: {
    about: "Asks to open an address",
    run: () => ask("elicitation/create", { mode: "url", message: "Sign the papers", url: "https://harbour.example.com/papers?boat=1", elicitationId: "papers" }),
  },
  think: {
    about: "Asks the client's model",
    run: () => ask("sampling/createMessage", { messages: [{ role: "user", content: { type: "text", text: "Name a boat" } }], maxTokens: 20, systemPrompt: "Be brief" }),
  },
};

const open = new Map();
let next = 1;

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

/** Sends a request to the client. Its result or error becomes the tool's result. */
function ask(method, params) {
  const id = `ask-${next++}`;
  send({ id, method, params });
  return new Promise((resolve) => open.set(id, resolve));
}

const METHODS = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "harbour", version: "1.0.0" } }),
  ping: () => ({}),
  "tools/list": () => ({
    tools: Object.entries(TOOLS).map(([name, { about }]) => ({ name, description: about, inputSchema: nothing, annotations: { readOnlyHint: false } })),
  }),
  "tools/call": async ({ name }) => ({ content: [{ type: "text", text: `harbour: ${await TOOLS[name].run()}` }] }),
};

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) return open.get(id)?.(JSON.stringify(result ?? error));
  if (id === undefined) return;
  const run = METHODS[method];
  send(run ? { id, result: await run(params) } : { id, error: { code: -32601, message: `no ${method}` } });
});
