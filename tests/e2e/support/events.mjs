// Short made-up sessions, built event by event, for tests that need one exact situation.

/** Builds a session. Every method adds events and returns the script. */
export class Script {
  events = [];
  #number = 0;

  constructor(name = "scripted") {
    this.name = name;
    this.add("session.start", {
      sessionId: name,
      version: 1,
      producer: "test",
      startTime: "2026-11-21T09:00:00.000Z",
      selectedModel: "claude-sonnet-4.5",
      context: { cwd: "/workspace/boats" },
    });
  }

  /** Adds any event. */
  add(type, data, more = {}) {
    const number = this.#number++;
    const id = `${this.name}-${number}`;
    const timestamp = new Date(Date.UTC(2026, 10, 21, 9) + number * 10).toISOString();
    const parentId = number ? `${this.name}-${number - 1}` : null;
    this.events.push({ type, data, id, timestamp, parentId, ...more });
    return this;
  }

  /** Removes and returns the events added since the last call. */
  take() {
    return this.events.splice(0);
  }

  user(content, messageId = `user-${this.#number}`) {
    return this.add("user.message", { content, messageId });
  }

  turn(turnId = "0") {
    return this.add("assistant.turn_start", { turnId });
  }

  /** The beginning of an answer, piece by piece. */
  begin(messageId, ...pieces) {
    return this.add("assistant.message_start", { messageId }, { ephemeral: true }).more(messageId, ...pieces);
  }

  more(messageId, ...pieces) {
    for (const deltaContent of pieces) {
      this.add("assistant.message_delta", { messageId, deltaContent }, { ephemeral: true });
    }
    return this;
  }

  /** A complete answer. */
  say(content, messageId = `said-${this.#number}`) {
    return this.add("assistant.message", { messageId, content, toolRequests: [] });
  }

  shell(toolCallId, command) {
    return this.add("tool.execution_start", {
      toolCallId,
      toolName: "bash",
      arguments: { command, description: "A command" },
    });
  }

  output(toolCallId, partialOutput) {
    return this.add("tool.execution_partial_result", { toolCallId, partialOutput }, { ephemeral: true });
  }

  complete(toolCallId, content) {
    return this.add("tool.execution_complete", { toolCallId, success: true, result: { content } });
  }

  /** Requests permission for a shell command. */
  ask(requestId, fullCommandText, more = {}) {
    const permissionRequest = {
      kind: "shell",
      toolCallId: `call-${requestId}`,
      fullCommandText,
      intention: "Look after the boats",
      commands: [{ identifier: fullCommandText, readOnly: false }],
      possiblePaths: [],
      possibleUrls: [],
      hasWriteFileRedirection: false,
      canOfferSessionApproval: false,
      ...more,
    };
    return this.add("permission.requested", { requestId, permissionRequest });
  }

  /** Requests permission to read a file. */
  read(requestId, path, more = {}) {
    const toolCallId = `call-${requestId}`;
    const permissionRequest = { kind: "read", toolCallId, intention: `Read file: ${path}`, path, ...more };
    return this.add("permission.requested", { requestId, permissionRequest });
  }

  allowed(requestId) {
    const result = { kind: "approved" };
    return this.add("permission.completed", { requestId, toolCallId: `call-${requestId}`, result });
  }

  /** Ends the turn; the agent is idle. */
  rest(turnId = "0") {
    return this.add("assistant.turn_end", { turnId }).add("session.idle", {}, { ephemeral: true });
  }
}

/** A session that stops in the middle of a sentence until a command is allowed. */
export function heldSentence() {
  return new Script("held")
    .user("How do the boats lie?")
    .turn()
    .begin("report", "The **white** boat ", "lies at ", "the pier")
    .ask("look", "ls boats/")
    .allowed("look")
    .more("report", ", the blue one ", "at a buoy.")
    .say("The **white** boat lies at the pier, the blue one at a buoy.", "report")
    .rest().events;
}
