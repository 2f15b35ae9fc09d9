// Uses everything that the package exports, so that the compiler checks the types. It is never run.

import { Session, load, registerNotification, registerRenderer } from "pilothouse";
import type {
  Auth, Change, CodeBlock, CompletionItem, ConnectionState, Credentials, EntryAction, HostCommand, HostCompletion, HostConnection, HostTransport, HostTransportOptions, LoadOptions, Note, NotificationContext, OpenRequest, PilotHouseAttributes, PilotHouseBoardAttributes,
  PilotHouseBoardElement, PilotHouseBoardEventMap, PilotHouseElement, PilotHouseEventMap, Rendered, RenderedView, SessionView, Suggestion, TelemetryEvent,
  TimelineEntry,
} from "pilothouse";
import { ConnectionError, changes, connect } from "pilothouse/headless";
import type { ConnectOptions, Connection } from "pilothouse/headless";
import { bridge, broadcastChannel, messagePort, postMessage } from "pilothouse/transports";
import type { BridgeOptions, PortLike, WebviewLike } from "pilothouse/transports";
import * as inline from "pilothouse/inline";
import { PilotHouse } from "pilothouse/react";
import type { PilotHouseProps } from "pilothouse/react";

const loadOptions: LoadOptions = { words: { timeline: "times = { $n } times" } };
const done: Promise<void> = load(loadOptions);
const same: typeof Session = inline.Session;

const session = new Session();
const records: number = session.push("") + session.push(new Uint8Array()) + session.push({ type: "session.idle" }) + session.pushFrame("");
session.end();
const note: Note = { message: "Deployed", level: "warning", url: "https://host.example/", ephemeral: true };
const noted: string | undefined = session.notify(note);
const method: string | undefined = session.answerMethod("look");
const view: SessionView = session.snapshot();
const status: "running" | "waiting" | "idle" | "error" | "ended" = view.session.status;
const first: TimelineEntry | undefined = view.timeline[0];
const telemetry: TelemetryEvent[] = view.telemetry;
const stop: () => void = session.subscribe((batch: Change[]) => {
  for (const change of batch) {
    if (change.type === "textAppended") change.text.at(change.index);
    if (change.type === "entryAdded") change.entry.kind satisfies TimelineEntry["kind"];
    // @ts-expect-error there is no such change
    if (change.type === "nothing") stop();
  }
});
session.free();

const remove: () => void = registerNotification({ source: "ci", name: "build", versions: [1, 2] }, (payload: unknown, context: NotificationContext) => {
  context.earlier.map(({ text }) => text);
  return document.createElement("progress");
});

registerRenderer("tool", "get_weather", (entry): Rendered<TimelineEntry> => {
  const view: RenderedView<TimelineEntry> = { node: entry.text, update: (changed) => void changed.id, destroy() {} };
  return view;
});
registerRenderer("code", ({ language }: CodeBlock) => language === "chart", ({ code }) => code);
registerRenderer("notification", "build", (payload: unknown, { source }) => source);
// @ts-expect-error there are no such renderers
registerRenderer("toool", "get_weather", () => "");

const element: PilotHouseElement = document.createElement("pilot-house");
const shown: Session = element.session;
element.session = "another";
element.src = "/";
element.readonly = true;
element.addEventListener("pilothouse-request", (event) => {
  const request: OpenRequest = event.detail;
  const answered: boolean = element.answer(request.id, { result: { kind: "approve-once" } });
  request.request.kind.length;
});
element.addEventListener("pilothouse-answer", ({ detail }) => detail.method.length);
element.addEventListener("pilothouse-status", ({ detail }) => {
  const connection: ConnectionState | undefined = detail.connection;
});
element.addEventListener("pilothouse-error", ({ detail }: PilotHouseEventMap["pilothouse-error"]) => detail.message.length);
const suggestions: Suggestion[] = ["Why?", { title: "Review", prompt: "Review it", send: true }];
const ticket: HostCommand = { name: "ticket", run: async ({ input }) => input.length };
const item = (typed: string): CompletionItem => ({ label: typed, insert: typed });
const issues: HostCompletion = { trigger: "#", complete: (typed) => [typed, item(typed)] };
const pin: EntryAction = { label: "Pin", applies: ({ kind }) => kind === "tool", run: (entry) => void entry.text.length };
element.suggestions = suggestions;
element.commands = [ticket];
element.completions = [issues];
element.entryActions = [pin];
element.filter = ({ agentId }) => !agentId;
element.filter = null;
element.compose("Go on");
element.attach([new File([], "empty")]);
element.addEventListener("pilothouse-result", ({ detail }) => detail.error?.length);
const own: HostTransport = {
  connect({ after, session, token, signal, receive, closed }: HostTransportOptions): HostConnection {
    signal.addEventListener("abort", () => closed());
    receive(JSON.stringify({ after, session, token }));
    receive({ type: "session.idle" }, (after ?? 0) + 1);
    return { request: async (name, params) => ({ name, params }), close() {}, sessionId: "one", seq: 1, role: "viewer" };
  },
};
element.transport = own;
element.transport = { async connect() {} };
element.transport = "sse";
// @ts-expect-error a transport connects
element.transport = {};
const auth: Auth = async ({ refused }): Promise<Credentials | null> => (refused ? null : { token: "secret", headers: { "X-Tenant": "harbour" } });
element.auth = auth;
const channel = new MessageChannel();
element.transport = messagePort(channel.port1);
element.transport = broadcastChannel("agent");
element.transport = postMessage(parent, { origin: "https://host.example" });
element.transport = postMessage({ postMessage() {} });
// @ts-expect-error a window needs an origin
postMessage(parent);
const port: PortLike = channel.port2;
const webview: WebviewLike = { postMessage() {}, onDidReceiveMessage: () => ({ dispose() {} }) };
const bridging: BridgeOptions = { token: "secret", auth };
bridge(port, "http://127.0.0.1:7878/", bridging).close();
bridge(webview, new URL("http://127.0.0.1:7878/"));
element.addEventListener("click", (event) => event.clientX);
// @ts-expect-error it has no such method
element.nothing();
const board: PilotHouseBoardElement | null = document.querySelector("pilot-house-board");
board?.addEventListener("pilothouse-open", ({ detail }: PilotHouseBoardEventMap["pilothouse-open"]) => detail.sessionId.length);
const attributes: PilotHouseAttributes = { transport: "sse", "answer-url": "/answers", readonly: true };
const boardAttributes: PilotHouseBoardAttributes = { history: true };

const options: ConnectOptions = { session: "one", transport: "auto", token: "secret", auth, signal: AbortSignal.timeout(1) };
const connection: Connection = connect(new URL("http://127.0.0.1:7878/"), options);
async function follow(): Promise<void> {
  for await (const batch of connection) batch satisfies Change[];
  for await (const batch of changes(connection.session, { signal: AbortSignal.abort() })) batch satisfies Change[];
  const taken: boolean = await connection.answer("look", {});
  const { messageId } = await connection.request("session.send", { prompt: "Go on" });
  if (connection.closed) connection.close();
}
follow().catch((error: unknown) => error instanceof ConnectionError && error.code.toFixed());

const props: PilotHouseProps = { src: "/", transport: own, auth, answerUrl: "/answers", onError: ({ detail }) => detail.message.length };
PilotHouse satisfies object;
