// A request of each kind, for tests of all cards.

const LONG = "/workspace/boats/packages/harbour-authority/src/components/timetable/internal/__fixtures__/tide-tables-of-2026.generated.json";

/** Each kind of permission, with what makes its card large. */
export const PERMISSIONS = {
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
export const OTHERS = {
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
