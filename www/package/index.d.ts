// The types of the package `pilothouse`.

/** What the first call of `load` takes. */
export interface LoadOptions {
  /**
   * The page's own texts in place of ours, in the format of Fluent, by the name of the file in which ours are, without
   * `.ftl`: `{ timeline: "nothing-yet = Ask about tides" }`. The documentation's page 'Messages' has all of them.
   */
  words?: Record<string, string>;
}

/**
 * Fetches and starts the wasm once. `<pilot-house>` is registered before it resolves (see
 * `customElements.whenDefined`), and starts. Once it has resolved, no call has to wait for a file.
 */
export function load(options?: LoadOptions): Promise<void>;

/** Passed to renderers of custom notifications, beside the payload. */
export interface NotificationContext {
  id: string;
  source: string;
  name: string;
  version: number | null;
  subject: Record<string, string> | null;
  /** The built-in view's text, in one line. */
  text: string;
  /** The number of notifications about this subject. */
  count: number;
  /** Milliseconds since 1970. */
  at: number | null;
  /** Earlier notifications, oldest first; at most the newest 20. */
  earlier: { text: string; at: number | null }[];
}

/**
 * Renders custom notifications of a source and name, if given, in the versions from first to last (a
 * notification without one counts as version 1). Of several matching renderers the newest is used. What
 * `render` returns is put into the card: a node as it is, a string as text, never as HTML. If it throws, the
 * built-in view stays. Returns a function that removes the renderer.
 */
export function registerNotification(
  which: { source?: string; name?: string; versions?: number | [first?: number, last?: number] },
  render: (payload: unknown, context: NotificationContext) => Node | string | null | undefined,
): () => void;

/** What a renderer may return instead of a node or a text. */
export interface RenderedView<Data> {
  node: Node | string;
  /** Called when the data change, instead of `render` once more. */
  update?(data: Data, context?: unknown): void;
  /** Called when the view goes. */
  destroy?(): void;
}

/** A node, a text (never read as HTML), a view with an `update`, or nothing for the built-in view. */
export type Rendered<Data> = Node | string | RenderedView<Data> | null | undefined;

/** A complete block of code in a message. */
export interface CodeBlock {
  /** The word after the fence. */
  language: string;
  code: string;
}

/**
 * Shows something in the page's own way: calls of a tool, requests, blocks of code, custom notifications. `match` is a name
 * or a predicate. Of several matching renderers the newest is used. If `render` throws, the error is reported, and the
 * built-in view stays. May be called before `load()`. Returns a function that removes the renderer.
 */
export function registerRenderer(
  kind: "tool" | "request",
  match: string | ((entry: TimelineEntry) => boolean),
  render: (entry: TimelineEntry) => Rendered<TimelineEntry>,
): () => void;
export function registerRenderer(
  kind: "code",
  match: string | ((block: CodeBlock) => boolean),
  render: (block: CodeBlock) => Node | string | null | undefined,
): () => void;
export function registerRenderer(
  kind: "notification",
  match: string | ((context: NotificationContext) => boolean),
  render: (payload: unknown, context: NotificationContext) => Rendered<unknown>,
): () => void;

/** A message that is offered before anybody has written one. */
export type Suggestion = string | { title?: string; prompt: string; /** Sends it at once. */ send?: boolean };

/** A slash command that the page carries out. */
export interface HostCommand {
  /** Without the slash. */
  name: string;
  description?: string;
  /** A hint for its arguments. */
  hint?: string;
  /** What it returns is shown above the field. If it throws, the error's message is, and what was typed comes back. */
  run(call: { name: string; input: string }): unknown;
}

/** Completions for words that begin with a sign. */
export interface HostCompletion {
  trigger: string;
  /** `typed` is what comes after the sign. */
  complete(typed: string): CompletionItem[] | Promise<CompletionItem[]>;
}

export type CompletionItem = string | { label: string; insert?: string; description?: string };

/** A button for entries. */
export interface EntryAction {
  label: string;
  /** For which entries; messages if absent. */
  applies?(entry: TimelineEntry): boolean;
  run(entry: TimelineEntry): void;
}

/** A note in the host's name. */
export interface Note {
  /** `info` if absent. */
  level?: "info" | "warning" | "error";
  message: string;
  /** A link for details or actions. */
  url?: string;
  /** Marks the note as ephemeral. Otherwise it counts as persisted. */
  ephemeral?: boolean;
}

/** Detail of `pilothouse-telemetry`. */
export interface TelemetryEvent {
  name: "github.copilot.system.notification";
  attributes: Record<string, string | number>;
  /** Milliseconds since 1970. */
  timestamp: number | null;
}

/** One change. `index` is an entry's place in the timeline, which never changes. */
export type Change =
  | { type: "entryAdded"; index: number; entry: TimelineEntry }
  | { type: "renewed" }
  | { type: "entryUpdated"; index: number; entry: Omit<TimelineEntry, "text"> }
  | { type: "textAppended"; index: number; id: string; text: string }
  | { type: "textReplaced"; index: number; id: string; text: string }
  | { type: "section"; section: "session" | "pending" | "queue" | "usage" | "modelContext" | "diagnostics" | "environment" | "notifications" };

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
  /** Only if the session was rewound to before this entry. */
  rewound?: true;
  [more: string]: unknown;
}

/** The same shape as the output of `pilothouse inspect`. */
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
    /** A mode that was chosen here, while the server has not answered. */
    requestedMode: string | null;
    requestedPermissionMode: string | null;
    [more: string]: unknown;
  };
  llmCalls: number;
  timeline: TimelineEntry[];
  pending: { requestId: string; kind: string; toolCallId?: string }[];
  queue: {
    changed: number;
    items: unknown[];
    steeringMessages: unknown[];
    /** Edits that the server has not confirmed, oldest first. */
    edits?: { method: string; params: unknown }[];
    /** The queue is paused, as far as this page knows. */
    paused?: boolean;
    /** Messages that were dropped and that nobody has decided about. */
    dropped?: unknown[];
    /** Messages that were taken out of the queue here and can be put back. */
    removed?: unknown[];
    /** Ids in the server's backlog of messages that were decided about here; the server has not confirmed it. */
    decided?: string[];
  };
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

/** A session. Push events into it, read it, subscribe to it. Call `load()` first. */
export class Session {
  constructor();
  /**
   * Pushes a part of a stream. Returns the number of records accepted. A partial last
   * line is kept for the next push.
   */
  push(chunk: string | Uint8Array | object): number;
  /** Pushes a whole frame (a WebSocket message, an SSE data block). Nothing is kept for the next push. */
  pushFrame(frame: string | Uint8Array): number;
  /** Ends the input and flushes a partial line. */
  end(): void;
  /** Adds a note in the host's name, reduced like the runtime's own events. Returns the entry's id. */
  notify(note: Note): string | undefined;
  /** The whole state, as a plain object. */
  snapshot(): SessionView;
  /** The method that answers an open request; undefined if it is not open, or not answered by a method. */
  answerMethod(requestId: string): string | undefined;
  /** Calls `subscriber` with every batch of changes. Returns a function that unsubscribes. */
  subscribe(subscriber: (changes: Change[]) => void): () => void;
  free(): void;
}

/** An open request, the detail of `pilothouse-request`. */
export interface OpenRequest extends TimelineEntry {
  request: {
    /** `permission`, `question`, `external-tool` and so on. */
    kind: string;
    toolCallId?: string | null;
    details?: Record<string, unknown>;
    [more: string]: unknown;
  };
}

/** The state of the connection, in `data-connection` and in `pilothouse-status`. */
export type ConnectionState = "connecting" | "open" | "waiting" | "closed" | "replaying";

/** The events of `<pilot-house>`. They bubble and cross shadow roots. */
export interface PilotHouseEventMap {
  /** An open request, once for each. `preventDefault()` says that a program of yours will answer it. */
  "pilothouse-request": CustomEvent<OpenRequest>;
  /** Before an answer is sent. `preventDefault()` says that the host sends it itself. */
  "pilothouse-answer": CustomEvent<{ method: string; params: Record<string, unknown> }>;
  /** Before anything else that a person does here is sent. `preventDefault()` says that nothing is to be sent. */
  "pilothouse-call": CustomEvent<{ method: string; params: Record<string, unknown> }>;
  /** What became of an answer or a call. */
  "pilothouse-result": CustomEvent<{ method: string; params: Record<string, unknown>; result?: unknown; error?: string }>;
  "pilothouse-status": CustomEvent<{ status?: SessionView["session"]["status"]; connection?: ConnectionState }>;
  "pilothouse-telemetry": CustomEvent<TelemetryEvent>;
  "pilothouse-error": CustomEvent<{ message: string }>;
}

/** The events of `<pilot-house-board>`. */
export interface PilotHouseBoardEventMap {
  /** Before a session is opened. `preventDefault()` says that the host opens it itself. */
  "pilothouse-open": CustomEvent<{ sessionId: string }>;
  "pilothouse-status": CustomEvent<{ waiting?: number; sessions?: number; connection?: ConnectionState }>;
  "pilothouse-request": CustomEvent<OpenRequest & { sessionId: string }>;
  "pilothouse-answer": CustomEvent<{ method: string; params: Record<string, unknown> }>;
  /** Before a session is created, resumed or closed. `preventDefault()` says that nothing is to be sent. */
  "pilothouse-call": CustomEvent<{ method: string; params: Record<string, unknown> }>;
  /** What became of an answer or a call. */
  "pilothouse-result": CustomEvent<{ method: string; params: Record<string, unknown>; result?: unknown; error?: string }>;
  "pilothouse-error": CustomEvent<{ message: string }>;
}

/** The attributes of `<pilot-house>`, as templates write them. */
export interface PilotHouseAttributes {
  /** A gateway's base address, or the full address of an event stream; the page's own origin if absent. */
  src?: string;
  /** Which session of a gateway to show; the first one if absent. */
  session?: string;
  transport?: "auto" | "ws" | "sse" | "none";
  /** Sent as `Authorization: Bearer`, never in an address. */
  token?: string;
  /** Where answers are POSTed if `src` is the address of a stream of server-sent events. */
  "answer-url"?: string;
  /** In what form the host at `answer-url` takes messages. */
  protocol?: "runtime" | "platform";
  theme?: "auto" | "light" | "dark";
  /** `lazy`: the element connects when it comes near what is visible, or when the page uses it. */
  loading?: "lazy";
  /** What the page's policy allows: `images` from other servers, `diagrams` in a frame, or both. */
  allow?: string;
  /** `page`: the keys work while nothing on the page has the focus. */
  keys?: "page";
  /** `auto`: a board takes the element's place if the gateway has several sessions. */
  board?: "auto";
  /** Watch only. */
  readonly?: boolean | "";
  /** The tab's title and icon show that the session runs or needs somebody. */
  attention?: boolean | "";
}

/** The attributes of `<pilot-house-board>`. */
export interface PilotHouseBoardAttributes {
  src?: string;
  token?: string;
  theme?: "auto" | "light" | "dark";
  loading?: "lazy";
  /** What the page's policy allows: `images` from other servers, `diagrams` in a frame, or both. */
  allow?: string;
  readonly?: boolean | "";
  /** The open session is in the page's address, and the Back button closes it. */
  history?: boolean | "";
  attention?: boolean | "";
}

/** What signs requests. */
export interface Credentials {
  /** Sent as `Authorization: Bearer`, or with the first message of a WebSocket; never in an address. */
  token?: string;
  /** Sent with HTTP requests. Browsers send none with a WebSocket. */
  headers?: HeadersInit;
}

/**
 * Gives credentials. It is called before each connection, and once more, with `refused`, when a server has refused those
 * that were used. Without any the user is asked.
 */
export type Auth = (asked: { refused: boolean }) => Credentials | null | undefined | Promise<Credentials | null | undefined>;

/** What a transport of the page's own gets for one connection. */
export interface HostTransportOptions {
  /** The position after which events are wanted: the last `seq` that came. `null`: from the beginning. */
  after: number | null;
  /** The session that is wanted; `null`: the first one, or whichever the transport has. */
  session: string | null;
  /** The attribute `token`, what `auth` gave, or what the user has typed. */
  token: string | null;
  /** Aborts when the connection is not needed any longer. */
  signal: AbortSignal;
  /**
   * Takes a frame: a JSON-RPC message or bare events, as text, bytes or an object. `seq` is the position of a bare event,
   * if it has one.
   */
  receive(frame: string | Uint8Array | ArrayBuffer | object, seq?: number): void;
  /** The connection has ended. The element connects again after a while, unless the reason is an error with a `code`. */
  closed(reason?: unknown): void;
}

/** A connection that a transport of the page's own has made. */
export interface HostConnection {
  /** Answers and other calls. Without it the element only watches. */
  request?(method: string, params: Record<string, unknown>): unknown;
  /** Called once when the element does not need it any longer. */
  close?(): void;
  /** Which session it is, for the `params` of calls. */
  sessionId?: string;
  /** The newest position that the other side has. Less than `after`: it has started over, and sends everything. */
  seq?: number;
  /** `viewer`: the other side takes no answers. */
  role?: string;
}

/** A transport of the page's own. */
export interface HostTransport {
  connect(options: HostTransportOptions): HostConnection | void | Promise<HostConnection | void>;
}

/** An element whose own events are typed: `Events` has the event of each type. */
interface ElementWithEvents<Events> extends HTMLElement {
  addEventListener<Name extends keyof Events & string>(
    type: Name,
    listener: (this: this, event: Events[Name]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener<Name extends keyof HTMLElementEventMap>(
    type: Name,
    listener: (this: HTMLElement, event: HTMLElementEventMap[Name]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
}

/** `<pilot-house>`. Every attribute is a property as well. */
export interface PilotHouseElement extends ElementWithEvents<PilotHouseEventMap> {
  src: string | null;
  /** The attribute, or a transport of the page's own. */
  get transport(): string | HostTransport | null;
  set transport(transport: string | HostTransport | null | undefined);
  /** Gives credentials. */
  auth: Auth | undefined;
  token: string | null;
  answerUrl: string | null;
  protocol: string | null;
  theme: string | null;
  loading: string | null;
  allow: string | null;
  keys: string | null;
  board: string | null;
  readonly: boolean;
  attention: boolean;
  /** The session shown. Setting it sets the attribute, for frameworks that set properties. */
  get session(): Session;
  set session(id: string | null | undefined);
  /**
   * Pushes a part of a stream. Returns the number of records accepted, or 0 for more than 256 KiB, which is
   * read in slices while the attribute `data-reading` is set. Such a chunk is not copied: never change or
   * transfer its bytes afterwards, not even when `data-reading` is gone.
   */
  push(chunk: string | Uint8Array | object): number;
  notify(note: Note): string | undefined;
  /** Messages that are offered until somebody has written one. */
  suggestions: Suggestion[] | null | undefined;
  /** Slash commands that the page carries out. */
  commands: HostCommand[] | null | undefined;
  /** Completions that the page knows. */
  completions: HostCompletion[] | null | undefined;
  /** Buttons for entries. */
  entryActions: EntryAction[] | null | undefined;
  /** Which entries are shown. Requests that wait are shown in any case. */
  filter: ((entry: TimelineEntry) => boolean) | null | undefined;
  /** Puts a text into the composer's field, before what is written there. */
  compose(text: string): void;
  /** Puts files into the message that is being written. */
  attach(files: Iterable<File>): void;
  /**
   * Answers an open request for the user. `params` are those of the request's method
   * except `sessionId` and `requestId`. Returns false and sends nothing if the request
   * is not open, or an answer to it is under way or may have arrived.
   */
  answer(requestId: string, params?: Record<string, unknown>): boolean;
}

/** `<pilot-house-board>`: every session of a gateway. Every attribute is a property as well. */
export interface PilotHouseBoardElement extends ElementWithEvents<PilotHouseBoardEventMap> {
  /** Gives credentials, also for the session that is open beside the board. */
  auth: Auth | undefined;
  src: string | null;
  token: string | null;
  theme: string | null;
  loading: string | null;
  allow: string | null;
  readonly: boolean;
  history: boolean;
  attention: boolean;
}

declare global {
  interface HTMLElementTagNameMap {
    "pilot-house": PilotHouseElement;
    "pilot-house-board": PilotHouseBoardElement;
  }
}
