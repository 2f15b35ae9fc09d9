// A stand-in for `@github/copilot-sdk` with the names that the example uses; it plays a recording. It rejects
// names and options that the SDK does not have.

import { readFileSync } from "node:fs";
import { register } from "node:module";

const HERE = import.meta.url;
const hooks = `export const resolve = (name, context, next) =>
  name === "@github/copilot-sdk" ? { url: ${JSON.stringify(HERE)}, shortCircuit: true } : next(name, context);`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);

const OPTIONS = ["onEvent", "streaming", "onPermissionRequest", "onUserInputRequest", "onElicitationRequest", "onExitPlanModeRequest"];

export class CopilotClient {
  async createSession(config) {
    const strange = Object.keys(config).filter((name) => !OPTIONS.includes(name));
    if (strange.length > 0) throw new Error(`the SDK has no option ${strange}`);
    if ((await config.onPermissionRequest({}, {})).kind !== "no-result") throw new Error("the page is to answer");
    return new Session(config.onEvent);
  }
}

class Session {
  #events = readFileSync(process.env.STANDIN_RECORDING, "utf8").trim().split("\n").map((line) => JSON.parse(line));
  #tell;
  #open;

  constructor(tell) {
    this.#tell = tell;
    // As the runtime does, before anybody has said anything.
    if (this.#events[0]?.type === "session.start") tell(this.#events.shift());
  }

  /** Plays the recording up to the next request. */
  #play() {
    while (this.#events.length > 0 && this.#open === undefined) {
      const event = this.#events.shift();
      if (event.type.endsWith(".requested")) this.#open = event.data.requestId;
      this.#tell(event);
    }
  }

  async send({ prompt }) {
    console.error(`called send ${JSON.stringify({ prompt })}`);
    const { id, data } = this.#events.find(({ type }) => type === "user.message") ?? { data: {} };
    this.#play();
    return data.messageId ?? id ?? "sent";
  }

  #answered(method) {
    return async (params) => {
      console.error(`called ${method} ${JSON.stringify(params)}`);
      if (params.requestId !== this.#open) return { success: false };
      this.#open = undefined;
      setImmediate(() => this.#play());
      return { success: true };
    };
  }

  rpc = {
    permissions: {
      handlePendingPermissionRequest: this.#answered("permissions.handlePendingPermissionRequest"),
      pendingRequests: async () => ({ items: this.#open ? [{ requestId: this.#open }] : [] }),
    },
    ui: { handlePendingUserInput: this.#answered("ui.handlePendingUserInput") },
    queue: { pendingItems: async () => ({ items: [], steeringMessages: [], inFlightSteeringCount: 0 }) },
  };
}
