// The four agents: how each is started so that it knows nothing but the scripted model, and what a person sees where they differ.
// Their packages are pinned in package.json, and installed below the folder that `PILOTHOUSE_AGENTS` names.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { unconfined } from "../../live/support/confine.mjs";

const FOLDER = process.env.PILOTHOUSE_AGENTS;
const module = (...path) => join(FOLDER, "node_modules", ...path);

function put(file, content) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, null, 2));
}

/** Shifts the clock of a program in Node by as many milliseconds as the variable says. */
const SHIFTED_CLOCK = `const shift = Number(process.env.CLOCK_SHIFT), Real = Date;
globalThis.Date = class extends Real { constructor(...all) { all.length ? super(...all) : super(Real.now() + shift); } static now() { return Real.now() + shift; } };
`;

/**
 * Each agent: `packages`, `start(home, model, {later})` with its `command` and `environment`, and what differs (`differs`):
 * - `options`: the names of its answers to a command: once, for longer, not;
 * - `exitCode`: a failed command shows its code;
 * - `afterReject`: the turn ends, or the model goes on;
 * - `otherCall`: of two calls at once, when the first is rejected, the other is asked for, or ends with it;
 * - `plan`: the steps are in the panel, only their number is said, or nothing is seen of it;
 * - `asksAboutPlan`: in its mode for plans it asks whether to go on;
 * - `asks`: it asks questions, as forms;
 * - `helper`: what a sub-agent needs is asked for, is never asked for (so that the prompt hangs), or is refused.
 */
export const AGENTS = {
  opencode: {
    title: "OpenCode",
    packages: ["opencode-linux-x64"],
    start(home, model) {
      put(join(home, "opencode.json"), {
        model: "scripted/alpha",
        small_model: "scripted/alpha",
        autoupdate: false,
        share: "disabled",
        enabled_providers: ["scripted"],
        permission: { bash: "ask", edit: "ask", webfetch: "deny", websearch: "deny" },
        provider: {
          scripted: {
            npm: "@ai-sdk/openai-compatible",
            name: "Scripted",
            options: { baseURL: `${model}/v1`, apiKey: "fake" },
            models: { alpha: { name: "Alpha", reasoning: true, tool_call: true, limit: { context: 128_000, output: 8000 } } },
          },
        },
      });
      const off = ["AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS", "SHARE"].map((what) => [`OPENCODE_DISABLE_${what}`, "1"]);
      return {
        command: [module("opencode-linux-x64/bin/opencode"), "acp"],
        environment: { HOME: home, OPENCODE_CONFIG: join(home, "opencode.json"), ...Object.fromEntries(off) },
      };
    },
    differs: {
      options: ["Allow once", "Always allow", "Reject"],
      exitCode: true,
      afterReject: "ends",
      otherCall: "ends",
      plan: "steps",
      asksAboutPlan: false,
      asks: false,
      helper: "never asked",
    },
  },
  codex: {
    title: "Codex",
    packages: ["@agentclientprotocol/codex-acp", "@openai/codex", "@openai/codex-linux-x64"],
    start(home, model) {
      put(join(home, "codex/config.toml"), `model = "gpt-5.5"
model_provider = "scripted"
model_reasoning_summary = "auto"
check_for_update_on_startup = false
suppress_unstable_features_warning = true
web_search = "disabled"
approval_policy = "on-request"
sandbox_mode = "workspace-write"
[analytics]
enabled = false
[otel]
exporter = "none"
[model_providers.scripted]
name = "Scripted"
base_url = "${model}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
requires_openai_auth = false
supports_websockets = false
request_max_retries = 0
stream_max_retries = 0
[tools.update_plan]
enabled = true
[features]
default_mode_request_user_input = true
`);
      return {
        command: [process.execPath, module("@agentclientprotocol/codex-acp/dist/index.js")],
        environment: { HOME: home, CODEX_HOME: join(home, "codex"), SCRIPTED_KEY: "fake", NO_BROWSER: "1", INITIAL_AGENT_MODE: "read-only" },
      };
    },
    differs: {
      options: ["Yes, proceed", "Yes, and don't ask again for commands that start with `mkdir`", "No, and tell Codex what to do differently"],
      exitCode: true,
      afterReject: "ends",
      otherCall: "ends",
      plan: "steps",
      asksAboutPlan: true,
      asks: true,
      helper: "asked",
    },
  },
  gemini: {
    title: "Gemini CLI",
    packages: ["@google/gemini-cli"],
    start(home, model, { later }) {
      put(join(home, ".gemini/settings.json"), {
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { enableAutoUpdate: false, disableAutoUpdate: true },
      });
      const clock = join(home, "clock.cjs");
      put(clock, SHIFTED_CLOCK);
      return {
        // A session that is loaded in the minute in which it began is lost: after a restart it is two minutes later.
        command: [process.execPath, "--require", clock, module("@google/gemini-cli/bundle/gemini.js"), "--acp", "--model", "gemini-2.5-flash"],
        environment: {
          HOME: home,
          CLOCK_SHIFT: later ? "120000" : "0",
          GEMINI_API_KEY: "fake",
          GOOGLE_GEMINI_BASE_URL: model,
          GEMINI_CLI_NO_RELAUNCH: "true",
          GEMINI_CLI_TRUST_WORKSPACE: "true",
        },
      };
    },
    differs: {
      options: ["Allow", "Allow for this session", "Reject"],
      exitCode: false,
      afterReject: "goes on",
      otherCall: "is asked for",
      plan: "number",
      asksAboutPlan: false,
      asks: false,
      helper: "refused",
    },
  },
  copilot: {
    title: "Copilot CLI",
    packages: ["@github/copilot-linux-x64"],
    start(home, model) {
      return {
        command: [module("@github/copilot-linux-x64/copilot"), "--acp", "--no-auto-update"],
        environment: {
          HOME: home,
          COPILOT_HOME: join(home, ".copilot"),
          XDG_CONFIG_HOME: home,
          XDG_STATE_HOME: home,
          // It unpacks 235 MB there at its first start.
          XDG_CACHE_HOME: join(FOLDER, "cache"),
          COPILOT_OFFLINE: "true",
          COPILOT_PROVIDER_TYPE: "openai",
          COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
          COPILOT_PROVIDER_API_KEY: "fake",
          COPILOT_MODEL: "alpha",
          COPILOT_DISABLE_KEYTAR: "1",
          COPILOT_DISABLE_TELEMETRY: "1",
        },
      };
    },
    differs: {
      options: ["Allow once", "Always allow", "Deny"],
      exitCode: true,
      afterReject: "ends",
      otherCall: "is asked for",
      plan: "nothing",
      asksAboutPlan: false,
      asks: false,
      helper: "asked",
    },
  },
};

/** The version of a package that is installed. */
export const version = (name) => JSON.parse(readFileSync(module(name, "package.json"), "utf8")).version;

const INSTALL = "npm ci --prefix FOLDER --ignore-scripts --omit=optional, in a FOLDER with package.json and package-lock.json of tests/e2e/agents";

/** Why these agents can't be driven on this machine. Undefined where they can. */
export function absent(names) {
  if (!FOLDER) return `PILOTHOUSE_AGENTS names no folder with the agents; to have them: ${INSTALL}`;
  const pinned = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).dependencies;
  for (const name of names.flatMap((name) => AGENTS[name].packages)) {
    if (!existsSync(module(name, "package.json"))) return `${name} is not below PILOTHOUSE_AGENTS; to have it: ${INSTALL}`;
    if (!pinned[name].endsWith(version(name))) return `${name} is there as ${version(name)} and not as ${pinned[name]}; to have that: ${INSTALL}`;
  }
  return unconfined();
}
