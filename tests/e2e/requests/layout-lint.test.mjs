// Lints the layout of every kind of request: of the main agent and of sub-agents, alone and in a group, in each width and
// language. At night each language has the requests of each agent; otherwise one agent's, the longest names where words are long.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { NIGHTLY, frames, nightly, push, scenario } from "../support/harness.mjs";
import { layoutFaults } from "../support/layout-lint.mjs";

const WIDTHS = [320, 380, 800, 1400];
const LONG = "/workspace/boats/packages/harbour-authority/src/components/timetable/internal/__fixtures__/tide-tables-of-2026.generated.json";
const AGENTS = { mate: ["call-mate", "Chart reader"], diver: ["call-diver", "Rebuilds the whole timetable of the harbour from its tide tables"] };

/** Each kind of permission, with what makes its card large. */
const PERMISSIONS = {
  read: { kind: "read", path: "/workspace/boats/src/lib.rs", intention: "Read file: /workspace/boats/src/lib.rs" },
  shell: { kind: "shell", fullCommandText: "cargo test --workspace && rm -rf target/debug/incremental", intention: "Run the tests", commands: [{ identifier: "cargo test", readOnly: false }], possiblePaths: [LONG], possibleUrls: [{ url: "https://boats.example/tides" }], canOfferSessionApproval: true },
  write: { kind: "write", fileName: LONG, intention: "Write the table", diff: "--- a/t\n+++ b/t\n@@ -1,2 +1,2 @@\n-sunday\n+monday\n tuesday\n", newFileContents: "monday\ntuesday\n", canOfferSessionApproval: true },
  path: { kind: "path", accessKind: "read", paths: [LONG], toolCallId: "p" },
  "read-long": { kind: "read", path: LONG, intention: `Search in directory: ${LONG}` },
  url: { kind: "url", url: "https://boats.example/a/very/long/address/of/a/tide/table?of=2026&harbour=north", intention: "Fetch the table", redirectedFrom: "https://b.example" },
  mcp: { kind: "mcp", serverName: "harbour-authority", toolName: "create_release", toolTitle: "Create a release", args: { place: "pier", at: LONG }, readOnly: false },
  paths: { kind: "path", accessKind: "write", paths: [LONG, "/etc/hosts"] },
  memory: { kind: "memory", action: "store", subject: "boats", fact: "They float at high water only", citations: LONG, reason: "seen" },
  "custom-tool": { kind: "custom-tool", toolName: "wind", toolDescription: "Says how strong the wind is", args: { place: "pier" } },
  hook: { kind: "hook", toolName: "bash", toolArgs: { command: "ls" }, hookMessage: "Look first" },
  extension: { kind: "extension-management", operation: "enable", extensionName: "lighthouse" },
  access: { kind: "extension-permission-access", extensionName: "lighthouse", capabilities: ["files", "network"] },
  variables: { kind: "extension-env-access", extensionName: "lighthouse", environmentVariables: ["HARBOUR_TOKEN", "TIDE"] },
  tomorrow: { kind: "of-tomorrow", anything: "at all" },
};

/** Each request beside permissions. */
const OTHERS = {
  "user_input.requested": { question: "Which harbour shall the boats lie in while the pier is mended?", choices: ["The northern one, which is nearer", "South"], allowFreeform: true },
  "elicitation.requested": { message: "Where shall the boat lie?", mode: "form", requestedSchema: { type: "object", properties: { berth: { type: "string", title: "Berth", description: "As it stands on the chart" }, night: { type: "boolean", title: "Over night" }, length: { type: "number", title: "Length in metres" } }, required: ["berth"] } },
  "external_tool.requested": { toolCallId: "ext", toolName: "wind_now", arguments: { place: "pier" } },
  "exit_plan_mode.requested": { summary: "- read the table", actions: ["interactive", "autopilot"], recommendedAction: "interactive", planContent: `# Plan for Sunday\n\n- read \`${LONG}\`\n` },
  "auto_mode_switch.requested": { errorCode: "user_weekly_rate_limited", retryAfterSeconds: 60 },
  "session_limits_exhausted.requested": { usedAiCredits: 180, maxAiCredits: 130 },
  "mcp.oauth_required": { serverName: "harbour-authority", serverUrl: "https://harbour.example/mcp", authorizationUrl: "https://login.example/authorize" },
  "sampling.requested": { serverName: "buoys", mcpRequestId: 1, request: { messages: [{ role: "user", content: { type: "text", text: "Name a buoy" } }], systemPrompt: "be brief", maxTokens: 50 } },
  "command.queued": { command: "/deploy production --with-everything" },
  "command.execute": { command: "/deploy production", commandName: "deploy", args: "production" },
};

/** Sessions in which requests wait: for the main agent, a sub-agent, and one of its own; alone, then two of a kind. */
function* sessions(agents) {
  for (const agentId of agents) {
    const script = new Script().user("Mend the boats").turn();
    for (const [id, [toolCallId, agentDisplayName]] of Object.entries(AGENTS)) {
      const outer = id === "diver" ? { agentId: "mate" } : {};
      script.add("tool.execution_start", { toolCallId, toolName: "task", arguments: { description: agentDisplayName, prompt: "Go", agent_type: "explore" } }, outer);
      script.add("subagent.started", { toolCallId, agentName: "explore", agentDisplayName, agentDescription: "Looks" }, { agentId: id });
    }
    const ids = [];
    const by = agentId ? { agentId } : {};
    const ask = (type, name, data, more) => {
      const requestId = `${agentId ?? "main"}-${name}`;
      ids.push(requestId);
      script.add(type, { requestId, ...data }, { ...by, ...more });
    };
    for (const [name, permissionRequest] of Object.entries(PERMISSIONS)) ask("permission.requested", name, { permissionRequest });
    for (const [type, data] of Object.entries(OTHERS)) ask(type, type, data, { ephemeral: true });
    for (const [name, permissionRequest] of Object.entries(PERMISSIONS)) {
      for (const n of [1, 2]) ask("permission.requested", `${name}-${n}-of-2`, { permissionRequest: { ...permissionRequest, toolCallId: `call-${name}-${n}` } });
      script.add("assistant.message", { messageId: `after-${name}`, content: "Now the next one.", toolRequests: [] }, by);
    }
    yield { events: script.take(), ids };
  }
}

/** So high that all rows are in the document at once. */
const height = 40_000;

const ALL = [undefined, ...Object.keys(AGENTS)];

for (const [lang, agent] of [["en", undefined], ["de", "diver"], ["ja", "mate"], ["ar", "diver"]]) {
  (["en", "ar"].includes(lang) ? scenario : nightly)(`the card of each request is sound in each width (${lang})`, async (stage) => {
    const page = await stage.embed(await stage.files(), `transport="none" lang="${lang}"`, { width: 1400, height });
    const faults = [];
    for (const { events, ids } of sessions(NIGHTLY ? ALL : [agent])) {
      await page.evaluate(() => {
        const before = document.querySelector("pilot-house");
        before.replaceWith(before.cloneNode());
      });
      await push(page, events);
      await frames(page);
      for (const width of WIDTHS) {
        // The element's width, not the window's: a layout is measured without painting so high a page anew.
        await page.evaluate((width) => void (document.querySelector("pilot-house").style.width = `${width}px`), width);
        const missing = await page.evaluate((ids) => ids.filter((id) => !document.querySelector("pilot-house").shadowRoot.querySelector(`[data-request-id="${id}"] > header`)), ids);
        faults.push(...missing.map((id) => `${width} px: ${id} is not in the document`));
        faults.push(...(await layoutFaults(page, "[data-request-id], .request-all")).map((fault) => `${width} px: ${fault}`));
      }
    }
    assert.deepEqual(faults, []);
  });
}
