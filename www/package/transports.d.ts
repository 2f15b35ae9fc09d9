// The types of `pilothouse/transports`: transports over channels of the browser, and their other end.

import type { Auth, HostTransport } from "./index.js";

/** What has `postMessage` and gets `message` events of its own: a `MessagePort`, a `Worker`. */
export interface PortLike {
  postMessage(message: any): void;
  addEventListener(type: "message", listener: (event: any) => void): void;
  removeEventListener(type: "message", listener: (event: any) => void): void;
  start?(): void;
}

/** The host's side of a webview, as in the API of VS Code. */
export interface WebviewLike {
  postMessage(message: any): unknown;
  onDidReceiveMessage(listener: (message: any) => unknown): { dispose(): unknown };
}

/** Through a port. One element uses a port. */
export function messagePort(port: PortLike): HostTransport;

/** Through a `BroadcastChannel` of this name. Every page gets its own connection at the other end. */
export function broadcastChannel(name: string): HostTransport;

/** Through the messages of a window, such as `parent`. Only that window is heard, and only from this origin. */
export function postMessage(target: Window, options: { origin: string }): HostTransport;
/** Through the API of a webview (`acquireVsCodeApi()`), which is heard from the page's own origin. */
export function postMessage(target: { postMessage(message: any): void; window?: never }, options?: { origin?: string }): HostTransport;

export interface BridgeOptions {
  /** Goes into subscriptions, in place of any that the page sent. */
  token?: string;
  /** Asked before each connection, and once more if the gateway refuses the token. Headers do not count: browsers send none. */
  auth?: Auth;
  /** The origin of a window's page; needed for a window. */
  origin?: string;
}

/** The other end: connects a channel to the gateway at `url`. */
export function bridge(
  channel: PortLike | WebviewLike | Window,
  url: string | URL,
  options?: BridgeOptions,
): { close(): void };
