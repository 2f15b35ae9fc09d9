// One short conversation: a question, an answer with Markdown, a search that has ended, and a command that waits for
// permission. Ours gets it as events, the peer as its own messages.

import { Source } from "./source.mjs";

const QUESTION = "The midpoint test fails since times are whole minutes. Can you find out why, and run it?";

const ANSWER = `The test fails because **both sides are rounded**, and the second rounding uses a rounded value.

## What happens

1. \`height_at\` rounds the time to whole minutes.
2. The midpoint is computed from that, and *rounded again*.

\`\`\`rust
let middle = (start + end) / 2;
assert_eq!(height_at(middle), 1.5);
\`\`\`

| minute | expected | found |
| ---: | ---: | ---: |
| 92 | 1.50 | 1.48 |
| 93 | 1.52 | 1.52 |

I run the test to see the figures.`;

const SEARCH = { name: "grep", args: { pattern: "height_at", paths: "src", output_mode: "content", "-n": true } };
const HITS = "src/interp.rs:10:pub fn height_at(time: Minutes) -> f64 {\nsrc/main.rs:42:    let height = height_at(now);";
const COMMAND = "cargo test rising_tide_midpoint";

/** The texts, for pages that show them as their own messages. */
export const CONVERSATION = { question: QUESTION, answer: ANSWER, search: SEARCH, hits: HITS, command: COMMAND };

/** The events as a runtime sends them, a line each. */
export function conversation() {
  const source = new Source(5).start();
  const [searchId, commandId] = [source.uuid(), source.uuid()];
  const request = (toolCallId, name, args) => ({ toolCallId, name, arguments: args, type: "function" });
  source.event("user.message", { content: QUESTION, messageId: source.uuid(), turnId: "0" });
  source.event("assistant.turn_start", { turnId: "0", model: "claude-sonnet-4" });
  source.event("assistant.message", {
    messageId: source.uuid(),
    model: "claude-sonnet-4",
    content: ANSWER,
    toolRequests: [request(searchId, SEARCH.name, SEARCH.args), request(commandId, "bash", { command: COMMAND })],
    turnId: "0",
  });
  source.event("tool.execution_start", { toolCallId: searchId, toolName: SEARCH.name, arguments: SEARCH.args });
  source.event("tool.execution_complete", { toolCallId: searchId, success: true, result: { content: HITS } });
  source.event("tool.execution_start", { toolCallId: commandId, toolName: "bash", arguments: { command: COMMAND } });
  source.event("permission.requested", {
    requestId: source.uuid(),
    permissionRequest: {
      kind: "shell",
      toolCallId: commandId,
      fullCommandText: COMMAND,
      intention: "Run the failing test",
      commands: [{ identifier: "cargo test", readOnly: false }],
      possiblePaths: [],
      possibleUrls: [],
      hasWriteFileRedirection: false,
      canOfferSessionApproval: true,
    },
  });
  return source.lines;
}
