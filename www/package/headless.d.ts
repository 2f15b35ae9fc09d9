// The types of `pilothouse/headless`: sessions and a connection to a gateway, without a view.

import type { Auth, Change, Session } from "./index.js";

export { Session, load } from "./index.js";
export type { Auth, Change, Credentials, SessionView, TimelineEntry } from "./index.js";

/** The gateway refused something, and trying again would not help. */
export class ConnectionError extends Error {
  /** JSON-RPC's code, or HTTP's status. */
  readonly code: number;
  constructor(message: string, code: number);
}

export interface ConnectOptions {
  /** Which session; the gateway's first one if absent. */
  session?: string;
  /** Sent as `Authorization: Bearer`, or with the first message of a WebSocket; never in an address. */
  token?: string;
  /** Gives credentials before each connection, and once more when they are refused. */
  auth?: Auth;
  /** `auto` (the default): a WebSocket where there is one and the upgrade is not refused, otherwise server-sent events. */
  transport?: "auto" | "ws" | "sse";
  /** Closes the connection. */
  signal?: AbortSignal;
}

/** A connection to one session. It connects again by itself until it is closed. */
export interface Connection extends AsyncIterable<Change[]> {
  /** What the session is. It stays readable when the connection is closed. */
  readonly session: Session;
  /** Whether the connection is closed for good. */
  readonly closed: boolean;
  /**
   * Answers an open request. `params` are those of its method except `sessionId` and `requestId`. Resolves to whether it
   * was taken. If it rejects with an error that is no `ConnectionError`, nobody knows whether the answer arrived.
   */
  answer(requestId: string, params?: Record<string, unknown>): Promise<boolean>;
  /** Calls a method of the session, `session.send` for example. Resolves to its result. */
  request(method: string, params?: Record<string, unknown>): Promise<any>;
  close(): void;
  /** Batches of changes until the connection is closed. Throws a `ConnectionError` if the gateway refuses it for good. */
  [Symbol.asyncIterator](): AsyncIterator<Change[]>;
}

/** Follows a session of the gateway at `src`. Call `load()` first. */
export function connect(src: string | URL, options?: ConnectOptions): Connection;

/** The changes of a session, batch by batch, until `signal` aborts. */
export function changes(session: Session, options?: { signal?: AbortSignal }): AsyncGenerator<Change[], void, undefined>;
