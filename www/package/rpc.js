// What every JSON-RPC connection of the package shares: reading frames, and the errors that a server answers with.

/** The runtime ended while it had the request: nobody knows whether it was carried out. */
const RUNTIME_GONE = -32007;
/** Not signed in, or the token is wrong. */
export const SIGN_IN = -32010;

/** The gateway refused something, and trying again would not help. `code` is JSON-RPC's or HTTP's. */
export class ConnectionError extends Error {
  constructor(message, code) {
    super(message);
    this.name = "ConnectionError";
    this.code = code;
  }
}

/** The JSON-RPC messages in a frame: one, an array, or one a line. */
export function messages(frame) {
  const lines = frame.split("\n").filter(Boolean);
  try {
    return lines.map((line) => JSON.parse(line)).flat();
  } catch {
    return [JSON.parse(frame)].flat();
  }
}

/** The result in a response. Throws a `ConnectionError` if the request was refused. */
export function result({ result, error }) {
  if (error?.code === RUNTIME_GONE) throw new Error(error.message);
  if (error) throw new ConnectionError(error.message, error.code);
  return result;
}

/** The address of a gateway's WebSocket. */
export function socketAddress(base) {
  const address = new URL("api/rpc", base);
  address.protocol = address.protocol.replace("http", "ws");
  return address;
}

/** The requests that wait for their response. Ids begin with a text of their own, so that several can share a channel. */
export class Calls {
  #waiting = new Map();
  #prefix = Math.random().toString(36).slice(2);
  #number = 0;

  /** Makes a request and hands it to `send`. Resolves to its result. */
  async call(send, method, params) {
    const id = `${this.#prefix}-${++this.#number}`;
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return result(await answer);
  }

  /** Takes a frame. Returns whether a response was in it. Frames are parsed only while a response is missing. */
  take(frame) {
    if (!this.#waiting.size) return false;
    const answers = messages(frame).filter(({ id, method }) => !method && this.#waiting.has(id));
    for (const answer of answers) {
      this.#waiting.get(answer.id).resolve(answer);
      this.#waiting.delete(answer.id);
    }
    return answers.length > 0;
  }

  /** Rejects what still waits. Nobody knows whether it was carried out. */
  lose() {
    for (const { reject } of this.#waiting.values()) reject(new Error("the connection ended before the result came"));
    this.#waiting.clear();
  }
}
