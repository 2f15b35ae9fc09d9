// How to make the real runtime ask, once for every kind of request, and every answer that each accepts, with
// what proves that it counted. Answers are given by a client in Node or by a user in the page.

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { NEXT } from "./runtime.mjs";

const calls = (name, args = {}) => ({ say: `I call ${name}.`, calls: [{ name, args }] });
const ends = { say: "That is all." };

export const HARBOUR = {
  harbour: { type: "local", command: process.execPath, args: [fileURLToPath(new URL("mcp.mjs", import.meta.url))], tools: ["*"] },
};

/**
 * The answers to a permission. `done` is what the model is told when the call went through. `approval` is
 * what a lasting permission grants, from the event that asked; afterwards the same call goes through without
 * asking. `offered` is false for answers that the runtime accepts and a page must not offer.
 */
function permissions(done, approval, { offered } = {}) {
  const lasting = (kind, key) => ({
    again: true,
    offered,
    says: (event, session) => ({ result: { kind, approval: approval(event), ...key?.(session) } }),
    told: done,
    outcome: ({ result }) => result.kind === kind.replace("approve", "approved"),
  });
  return {
    "approve-once": { says: () => ({ result: { kind: "approve-once" } }), told: done, outcome: ({ result }) => result.kind === "approved" },
    ...(approval && {
      "approve-for-session": lasting("approve-for-session"),
      "approve-for-location": lasting("approve-for-location", ({ location }) => ({ locationKey: location })),
    }),
    reject: { says: () => ({ result: { kind: "reject" } }), outcome: ({ result }) => result.kind === "denied-interactively-by-user" },
    "reject with feedback": {
      says: () => ({ result: { kind: "reject", feedback: "The tide is out." } }),
      told: /The tide is out\./,
      outcome: ({ result }) => result.feedback === "The tide is out.",
    },
  };
}

const permission = (name, call, answers, more = {}) => ({
  name: `permission: ${name}`,
  asks: "permission.requested",
  settles: "permission.completed",
  method: "session.permissions.handlePendingPermissionRequest",
  replies: (session, { again }) => [call(session), ...(again ? [call(session)] : []), ends],
  answers,
  ...more,
});

const allowOnce = (session, { data }) => session.call("session.permissions.handlePendingPermissionRequest", { requestId: data.requestId, result: { kind: "approve-once" } });

/** Allows a call that leads to a later request. */
async function allow(session, kind) {
  await allowOnce(session, await session.event((event) => event.type === "permission.requested" && event.data.permissionRequest.kind === kind));
}

/** A file outside the folders of every session of these tests. */
const ELSEWHERE = "/etc/passwd";

/** A permission for paths outside the session's folders. */
export const isPathPrompt = ({ type, data }) => type === "permission.requested" && data.promptRequest.kind === "path";

const asked = (event) => event.data.permissionRequest;

const MEMORY = "/agents/swe/internal/memory/v0";

function remembers(model, project) {
  execFileSync("git", ["init", "--quiet", project]);
  execFileSync("git", ["-C", project, "remote", "add", "origin", "https://github.com/harbour/boats.git"]);
  const text = { type: "string" };
  const parameters = { type: "object", properties: { subject: text, fact: text, citations: text, reason: text, category: text } };
  const tool = (name) => ({ name, description: "Keeps a fact", input_schema: parameters, version: "1" });
  const prompt = {
    memoriesContext: "none",
    memoriesCount: 0,
    storeInstructions: "Store facts.",
    storeToolDefinition: tool("store_memory"),
    voteToolDefinition: tool("vote_memory"),
  };
  model.route(`${MEMORY}/enabled`, () => ({ body: { enabled: true } }));
  model.route(`${MEMORY}/prompt`, () => ({ body: prompt }));
  model.route(`${MEMORY}/harbour/boats`, () => ({ body: { id: "fact-1" } }));
}

const WHY = "The harbour master wants to know";

function hooks(_model, project) {
  const output = JSON.stringify({ permissionDecision: "ask", permissionDecisionReason: WHY });
  mkdirSync(join(project, ".github/hooks"), { recursive: true });
  const hook = { type: "command", bash: `echo '${output}'` };
  writeFileSync(join(project, ".github/hooks/harbour.json"), JSON.stringify({ version: 1, hooks: { preToolUse: [hook] } }));
}

const PERMISSIONS = [
  permission(
    "shell",
    () => calls("bash", { command: "touch sail.txt", description: "Set the sail" }),
    permissions(/exit code 0/, (event) => ({ kind: "commands", commandIdentifiers: asked(event).commands.map(({ identifier }) => identifier) }), {
      // `canOfferSessionApproval` is false for every command; the runtime accepts it nevertheless.
      offered: false,
    }),
  ),
  permission(
    "write",
    ({ project }) => calls("create", { path: join(project, `boat-${Math.random()}.md`), file_text: "# Boat\n\nWhite.\n" }),
    permissions(/Created file/, () => ({ kind: "write" })),
  ),
  permission("read", ({ project }) => calls("view", { path: project }), permissions(/log\.md/, () => ({ kind: "read" })), {
    prepare: (_model, project) => writeFileSync(join(project, "log.md"), "calm\n"),
  }),
  permission("path outside the session's folders", () => calls("view", { path: ELSEWHERE }), {
    ...permissions(/root:x:0:0:/),
    // The runtime takes no approval for a path. It grants the path itself, and says 'approved'.
    "approve-for-session": {
      again: true,
      says: () => ({ result: { kind: "approve-for-session" } }),
      outcome: ({ result }) => result.kind === "approved",
    },
    // The runtime allows this one access and keeps a rule for reading in the session's folders.
    "approve-for-location": {
      offered: false,
      locates: true,
      says: (event, { location }) => ({ result: { kind: "approve-for-location", approval: { kind: "read" }, locationKey: location } }),
      outcome: ({ result }) => result.kind === "approved-for-location",
    },
  }, {
    asks: isPathPrompt,
    // Reading the file is asked for by itself.
    follow: (session) => session.each("permission.requested", (event) => !isPathPrompt(event) && allowOnce(session, event)),
  }),
  // Nothing is reached: even when allowed, the runtime itself refuses to fetch from this machine.
  permission("url", () => calls("web_fetch", { url: "https://127.0.0.1/tides" }), {
    ...permissions(/Failed to fetch/),
    "approve-for-session": {
      again: true,
      says: () => ({ result: { kind: "approve-for-session", domain: "127.0.0.1" } }),
      told: /Failed to fetch/,
    },
  }),
  permission(
    "mcp",
    () => calls("harbour-paint"),
    permissions(/harbour: painted/, (event) => ({ kind: "mcp", serverName: "harbour", toolName: event.data.promptRequest.toolName })),
    { options: { mcpServers: HARBOUR } },
  ),
  permission(
    "memory",
    () => calls("store_memory", { subject: "paint", fact: "Boats are white.", citations: "log.md", reason: "Asked often", category: "general" }),
    permissions(/stored/i, () => ({ kind: "memory" })),
    // The next runtime has the tool only for accounts with a feature that a stand-in can't give.
    { options: { memory: { enabled: true } }, prepare: remembers, missing: NEXT },
  ),
  permission(
    "custom tool",
    () => calls("tide"),
    permissions(/high/, (event) => ({ kind: "custom-tool", toolName: asked(event).toolName })),
    {
      options: { tools: [{ name: "tide", description: "The tide", parameters: { type: "object", properties: {} } }] },
      // Every permitted call becomes a request to the host, answered here.
      follow: (session) => session.each("external_tool.requested", ({ data }) => session.call("session.tools.handlePendingToolCall", { requestId: data.requestId, result: "high" })),
    },
  ),
  permission("hook", () => calls("bash", { command: "touch hooked.txt", description: "Touch" }), permissions(/exit code 0/), {
    options: { enableConfigDiscovery: true, enableFileHooks: true, hooks: false },
    prepare: hooks,
  }),
];

const QUESTION = {
  asks: "user_input.requested",
  settles: "user_input.completed",
  method: "session.ui.handlePendingUserInput",
};

const FORM = {
  asks: "elicitation.requested",
  settles: "elicitation.completed",
  method: "session.ui.handlePendingElicitation",
  options: { mcpServers: HARBOUR },
  lead: (session) => allow(session, "mcp"),
};

/** Answers of one shape: name, what is sent, what the model is told. */
const answers = (...list) => Object.fromEntries(list.map(([name, says, told]) => [name, { says: () => says, told }]));

const OTHERS = [
  {
    ...QUESTION,
    name: "question with choices",
    replies: () => [calls("ask_user", { question: "Which **boat**?", choices: ["White", "Blue"] }), ends],
    answers: answers(
      ["choice", { response: { answer: "Blue", wasFreeform: false } }, /Blue/],
      ["free text", { response: { answer: "The old one", wasFreeform: true } }, /The old one/],
    ),
  },
  {
    ...QUESTION,
    name: "question without choices",
    replies: () => [calls("ask_user", { question: "What is its name?" }), ends],
    answers: answers(["free text", { response: { answer: "Ada", wasFreeform: true } }, /Ada/]),
  },
  {
    ...FORM,
    name: "form",
    replies: () => [calls("harbour-form"), ends],
    answers: answers(
      ["accept", { result: { action: "accept", content: { name: "Ada", mail: "ada@example.com", berths: 6, sails: true, colour: "b" } } }, /"berths":6/],
      ["decline", { result: { action: "decline" } }, /"decline"/],
      ["cancel", { result: { action: "cancel" } }, /"cancel"/],
    ),
  },
  {
    ...FORM,
    name: "form at an address",
    replies: () => [calls("harbour-open"), ends],
    answers: answers(["accept", { result: { action: "accept" } }, /"accept"/], ["decline", { result: { action: "decline" } }, /"decline"/]),
  },
  {
    name: "plan",
    asks: "exit_plan_mode.requested",
    settles: "exit_plan_mode.completed",
    method: "session.ui.handlePendingExitPlanMode",
    before: (session) => session.call("session.mode.set", { mode: "plan" }),
    replies: (_session, { goesOn }) => [
      calls("exit_plan_mode", { summary: "- paint\n- launch", actions: ["interactive", "autopilot", "exit_only"], recommendedAction: "interactive" }),
      ...(goesOn ? [calls("task_complete", { summary: "Painted." })] : []),
      ends,
    ],
    answers: {
      approve: { says: () => ({ response: { approved: true, selectedAction: "interactive" } }), told: /Plan approved/ },
      "approve for autopilot": { says: () => ({ response: { approved: true, selectedAction: "autopilot" } }), goesOn: true },
      "approve and stop": { says: () => ({ response: { approved: true, selectedAction: "exit_only" } }), told: /Wait for the user/ },
      reject: { says: () => ({ response: { approved: false } }) },
      "reject with feedback": { says: () => ({ response: { approved: false, feedback: "Scrape it first." } }), told: /Scrape it first\./ },
    },
  },
  {
    name: "external tool",
    asks: "external_tool.requested",
    settles: "external_tool.completed",
    method: "session.tools.handlePendingToolCall",
    options: { tools: [{ name: "tide", description: "The tide", parameters: { type: "object", properties: { at: { type: "string" } } }, skipPermission: true }] },
    replies: () => [calls("tide", { at: "noon" }), ends],
    answers: answers(["submit", { result: "High" }, /High/], ["error", { error: "No tide here" }, /Failed to execute `tide`/]),
  },
  {
    name: "queued command",
    asks: "command.queued",
    settles: "command.completed",
    method: "session.commands.respondToQueuedCommand",
    interest: ["command.queued"],
    // The gateway runs the commands that were queued over it; see queued-commands.test.mjs.
    elsewhere: true,
    begin: (session) => session.call("session.commands.enqueue", { command: "/dock now" }),
    idle: false,
    replies: () => [],
    answers: answers(["handled", { result: { handled: true } }], ["not-handled", { result: { handled: false } }]),
  },
  {
    name: "own command",
    asks: "command.execute",
    settles: "command.completed",
    method: "session.commands.handlePendingCommand",
    options: { commands: [{ name: "dock", description: "Dock the boat" }] },
    // The call that runs the command is answered only after the command is.
    begin: (session) => void session.call("session.commands.execute", { commandName: "dock", args: "now" }).catch(() => {}),
    idle: false,
    replies: () => [],
    answers: answers(["handled", {}], ["not-handled", { error: "No berth" }]),
  },
  {
    name: "session limits",
    asks: "session_limits_exhausted.requested",
    settles: "session_limits_exhausted.completed",
    method: "session.ui.handlePendingSessionLimitsExhausted",
    options: { sessionLimits: { maxAiCredits: 30 } },
    interest: ["session_limits_exhausted.requested"],
    replies: (_session, { stops }) => [{ ...calls("ask_user", { question: "Go on?" }), cost: 60 }, ...(stops ? [] : [ends])],
    follow: (session) => session.each("user_input.requested", ({ data }) => session.call("session.ui.handlePendingUserInput", { requestId: data.requestId, response: { answer: "Yes", wasFreeform: true } })),
    answers: {
      add: { says: () => ({ response: { action: "add", additionalAiCredits: 100 } }), told: /Yes/ },
      set: { says: () => ({ response: { action: "set", maxAiCredits: 500 } }), told: /Yes/ },
      unset: { says: () => ({ response: { action: "unset" } }), told: /Yes/ },
      cancel: { says: () => ({ response: { action: "cancel" } }), stops: true },
    },
  },
  {
    name: "auto mode",
    asks: "auto_mode_switch.requested",
    settles: "auto_mode_switch.completed",
    method: "session.ui.handlePendingAutoModeSwitch",
    // Longer than the runtime waits by itself.
    replies: () => [{ fail: 429, code: "user_weekly_rate_limited", message: "You've reached your weekly rate limit.", headers: { "retry-after": "1000" } }],
    answers: answers(["yes", { response: "yes" }], ["yes_always", { response: "yes_always" }], ["no", { response: "no" }]),
  },
  {
    name: "sampling",
    asks: "sampling.requested",
    settles: "sampling.completed",
    method: "session.ui.handlePendingSampling",
    options: { mcpServers: HARBOUR },
    interest: ["sampling.requested"],
    lead: (session) => allow(session, "mcp"),
    replies: () => [calls("harbour-think"), ends],
    answers: answers(
      ["accept", { response: { role: "assistant", model: "person", stopReason: "endTurn", content: { type: "text", text: "Ada" } } }, /"Ada"/],
      ["decline", {}, /cancelled/],
    ),
  },
  {
    name: "sign-in",
    asks: "mcp.oauth_required",
    settles: "mcp.oauth_completed",
    method: "session.mcp.oauth.handlePendingRequest",
    interest: ["mcp.oauth_required"],
    idle: false, // the turn does not wait for it
    prepare: guarded,
    serves: (model) => ({ sea: { type: "http", url: `${model}/sea`, tools: ["*"] } }),
    replies: () => [ends],
    answers: {
      token: {
        says: () => ({ result: { kind: "token", accessToken: "sesame" } }),
        proof: (session) => session.event(({ type, data }) => type === "session.mcp_server_status_changed" && data.serverName === "sea" && data.status === "connected"),
      },
      cancelled: { says: () => ({ result: { kind: "cancelled" } }) },
    },
  },
];

/** An MCP server at an address, which requires the token. */
function guarded(model) {
  const metadata = "/.well-known/oauth-protected-resource/sea";
  const results = {
    initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "sea", version: "1.0.0" } }),
    "tools/list": () => ({ tools: [{ name: "moor", description: "Moors a boat", inputSchema: { type: "object", properties: {} } }] }),
    "tools/call": () => ({ content: [{ type: "text", text: "moored" }] }),
  };
  model.route(metadata, () => ({ body: { resource: `${model.address}/sea`, authorization_servers: [model.address] } }));
  model.route("/sea", ({ method, headers }, body) => {
    if (headers.authorization !== "Bearer sesame") {
      return { status: 401, headers: { "www-authenticate": `Bearer resource_metadata="${model.address}${metadata}", scope="boats"` }, body: {} };
    }
    if (method !== "POST") return { status: 405 };
    const request = JSON.parse(body);
    if (request.id === undefined) return { status: 202 };
    const run = results[request.method];
    const answer = run ? { result: run(request.params) } : { error: { code: -32601, message: "no such method" } };
    return { body: { jsonrpc: "2.0", id: request.id, ...answer } };
  });
}

/** Every kind of request that this runtime makes, in the order of the protocol's table. */
export const SCENES = [...PERMISSIONS, ...OTHERS].filter(({ missing }) => !missing);
