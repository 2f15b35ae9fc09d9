// What `import … from "pilothouse"` gives.

/**
 * Fetches and starts the wasm once. `<pilot-house>` is registered before it resolves (`customElements.whenDefined`), and
 * starts; when it resolves, no call makes the page wait for a file.
 */
export function load(): Promise<void>;

/** What a renderer of custom notifications is told beside the payload. */
export interface NotificationContext {
  id: string;
  source: string;
  name: string;
  version: number | null;
  subject: Record<string, string> | null;
  /** What the built-in view would say in a line. */
  text: string;
  /** How often something was said about this subject. */
  count: number;
  /** Milliseconds since 1970. */
  at: number | null;
  /** What was said before, oldest first; the newest 20. */
  earlier: { text: string; at: number | null }[];
}

/**
 * Draws custom notifications: of a source and name if given, in the versions from first to last (a notification
 * without one counts as version 1). The newest registration that fits is taken. What `render` returns is put into the
 * card: a node as it is, a string as text, never as HTML. If it throws, the built-in view stays.
 * Returns a function that takes the renderer away.
 */
export function registerNotification(
  which: { source?: string; name?: string; versions?: number | [first?: number, last?: number] },
  render: (payload: unknown, context: NotificationContext) => Node | string | null | undefined,
): () => void;

/** Something said in the host's name. */
export interface Note {
  /** `info` if absent. */
  level?: "info" | "warning" | "error";
  message: string;
  /** Where to read on or act. */
  url?: string;
  /** Told live only; otherwise it counts as kept. */
  ephemeral?: boolean;
}

/** Detail of `pilothouse-telemetry`. */
export interface TelemetryEvent {
  name: "github.copilot.system.notification";
  attributes: Record<string, string | number>;
  /** Milliseconds since 1970. */
  timestamp: number | null;
}

/** One thing that changed. `index` is an entry's place in the timeline, for good. */
export type Change =
  | { type: "entryAdded"; index: number; entry: TimelineEntry }
  | { type: "renewed" }
  | { type: "entryUpdated"; index: number; entry: Omit<TimelineEntry, "text"> }
  | { type: "textAppended"; index: number; id: string; text: string }
  | { type: "textReplaced"; index: number; id: string; text: string }
  | { type: "section"; section: "session" | "pending" | "queue" | "usage" | "modelContext" | "diagnostics" | "surroundings" | "tray" };

/** One entry of the timeline. Some kinds carry more. */
export interface TimelineEntry {
  kind:
    | "user" | "assistant" | "reasoning" | "tool" | "permission" | "question" | "form" | "plan" | "confirmation"
    | "notice" | "subagent" | "compaction" | "summary" | "custom" | "generic" | "gap";
  id: string;
  state: "streaming" | "done" | "interrupted" | "running" | "failed" | "denied" | "pending" | "settled";
  text: string;
  agentId: string | null;
  modelVisible: boolean;
  uiVisible: boolean;
  ephemeral: boolean;
  /** Only where it is so: the session went back to before it. */
  rewound?: true;
  [more: string]: unknown;
}

/** The shape of `pilothouse inspect`. */
export interface SessionView {
  events: { total: number; ephemeral: number; duplicate: number; malformed: number; unknown: Record<string, number> };
  session: {
    id: string | null;
    title: string | null;
    status: "running" | "waiting" | "idle" | "error" | "ended";
    mode: string | null;
    model: string | null;
    cwd: string | null;
    repository: string | null;
    branch: string | null;
    gitRoot: string | null;
    pendingGitContext: boolean;
    [more: string]: unknown;
  };
  llmCalls: number;
  timeline: TimelineEntry[];
  pending: { requestId: string; kind: string; toolCallId?: string }[];
  queue: { changed: number; items: unknown[]; steeringMessages: unknown[] };
  modelContext: { role: string; content: string; eventId: string; [more: string]: unknown }[];
  usage: {
    inputTokens: number;
    outputTokens: number;
    cost: number;
    contextTokens: number | null;
    contextLimit: number | null;
    [more: string]: unknown;
  };
  diagnostics: { severity: "info" | "warning" | "error"; message: string; eventId: string | null }[];
  /** The newest 100. */
  telemetry: TelemetryEvent[];
}

/** A session: feed it, read it, subscribe to it. Call `load()` first. */
export class Session {
  constructor();
  /** Part of a stream: records accepted; a partial last line is kept for the next push. */
  push(chunk: string | Uint8Array | object): number;
  /** A whole frame (a WebSocket message, an SSE data block): nothing is kept back. */
  pushFrame(frame: string | Uint8Array): number;
  /** No more input: flush the partial line. */
  end(): void;
  /** Says something in the host's name, reduced like the runtime's own event. Returns the entry's id. */
  notify(note: Note): string | undefined;
  /** Everything known, as a plain object. */
  snapshot(): SessionView;
  /** Calls back with every batch of changes; returns a function that ends it. */
  subscribe(subscriber: (changes: Change[]) => void): () => void;
  free(): void;
}

/** `<pilot-house>`. Events: pilothouse-request, pilothouse-answer, pilothouse-status, pilothouse-telemetry,
    pilothouse-error. */
export interface PilotHouseElement extends HTMLElement {
  readonly session: Session;
  /**
   * Part of a stream: records accepted; 0 for more than 256 KiB, which is read in slices while `data-reading` is there.
   * Such a chunk is not copied: do not change or transfer its bytes afterwards, when `data-reading` is gone neither.
   */
  push(chunk: string | Uint8Array | object): number;
  notify(note: Note): string | undefined;
  /**
   * Answers an open request in a person's place: `params` are those of the request's method beside `sessionId` and
   * `requestId`. False, and nothing is sent, if it is not open, its answer is on its way, or
   * another one may have arrived.
   */
  answer(requestId: string, params?: Record<string, unknown>): boolean;
}

/** `<pilot-house-board>`: every session of a gateway. Events: pilothouse-open (cancelable), pilothouse-status,
    pilothouse-request, pilothouse-answer (cancelable), pilothouse-error. Everything else is an attribute. */
export interface PilotHouseBoardElement extends HTMLElement {}

declare global {
  interface HTMLElementTagNameMap {
    "pilot-house": PilotHouseElement;
    "pilot-house-board": PilotHouseBoardElement;
  }
}
