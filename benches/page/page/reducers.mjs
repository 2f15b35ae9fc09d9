// The JavaScript reducers that ours is compared with: a hand-written one, and the common immutable idiom.
// They are incomplete: no duplicates, no sub-agents, no model's view.

const blank = (id, kind) => ({ id, kind, text: "", name: "", input: undefined, done: false, ok: false });

/** An event's effect: the entry's id and kind, and the change. Nothing if it has none. */
function effect({ type, data, id }) {
  switch (type) {
    case "assistant.message_delta":
      return [data.messageId, "message", (entry) => ({ text: entry.text + data.deltaContent })];
    case "assistant.reasoning_delta":
      return [data.reasoningId, "reasoning", (entry) => ({ text: entry.text + data.deltaContent })];
    case "assistant.message":
      return [data.messageId, "message", () => ({ text: data.content, done: true })];
    case "assistant.reasoning":
      return [data.reasoningId, "reasoning", () => ({ text: data.content, done: true })];
    case "user.message":
      return [id, "user", () => ({ text: data.content })];
    case "tool.execution_start":
      return [data.toolCallId, "tool", () => ({ name: data.toolName, input: data.arguments })];
    case "tool.execution_partial_result":
      return [data.toolCallId, "tool", (entry) => ({ text: entry.text + data.partialOutput })];
    case "tool.execution_progress":
      return [data.toolCallId, "tool", () => ({ name: data.progressMessage })];
    case "tool.execution_complete":
      return [data.toolCallId, "tool", () => ({ text: toolText(data), done: true, ok: data.success })];
    case "permission.requested":
      return [data.requestId, "permission", () => ({})];
    case "permission.completed":
      return [data.requestId, "permission", () => ({ done: true })];
    default:
      return undefined;
  }
}

export const toolText = ({ result, error }) => (result ? (result.detailedContent ?? result.content) : error.message);

/** Hand-written, mutable, as fast as JavaScript gets: no object is allocated for an event. */
export class Entries {
  list = [];
  #byId = new Map();

  #at(id, kind) {
    let entry = this.#byId.get(id);
    if (!entry) {
      entry = blank(id, kind);
      this.#byId.set(id, entry);
      this.list.push(entry);
    }
    return entry;
  }

  push(event) {
    const { type, data } = event;
    if (type === "assistant.message_delta") {
      this.#at(data.messageId, "message").text += data.deltaContent;
    } else if (type === "assistant.reasoning_delta") {
      this.#at(data.reasoningId, "reasoning").text += data.deltaContent;
    } else if (type === "tool.execution_partial_result") {
      this.#at(data.toolCallId, "tool").text += data.partialOutput;
    } else {
      const found = effect(event);
      if (!found) return;
      const [id, kind, change] = found;
      const entry = this.#at(id, kind);
      Object.assign(entry, change(entry));
    }
  }
}

export const NOTHING = { order: [], byId: {} };

/** A new state for every event, entries by id, as the documentation of state libraries teaches. */
export function reduceById(state, event) {
  const found = effect(event);
  if (!found) return { ...state };
  const [id, kind, change] = found;
  const before = state.byId[id];
  const entry = before ?? blank(id, kind);
  const order = before ? state.order : [...state.order, id];
  return { ...state, order, byId: { ...state.byId, [id]: { ...entry, ...change(entry) } } };
}

/** The ids under which a view may show the entries of these lines. */
export function entryIds(lines) {
  const ids = new Set();
  for (const line of lines) {
    const { data } = JSON.parse(line);
    for (const key of ["messageId", "reasoningId", "toolCallId", "requestId"]) if (data[key]) ids.add(data[key]);
    for (const { toolCallId } of data.toolRequests ?? []) ids.add(toolCallId);
  }
  return ids;
}
