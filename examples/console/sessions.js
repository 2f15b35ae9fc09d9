// The list of a gateway's sessions, kept up to date over one WebSocket. docs/protocol.md describes the messages, under
// 'The list of sessions' and 'The board'.

/** Milliseconds before an attempt to connect again; the last one counts for all that follow. */
const WAITS = [500, 1_000, 2_000, 5_000, 10_000];
/** The gateway's error for a missing or wrong token. */
const SIGN_IN = -32010;

/** Dispatches `change` whenever something of it has changed. */
export class Sessions extends EventTarget {
  /** One a session, in the gateway's order; those that begin later come last. */
  rows = [];
  /** `connecting`, `open`, or `waiting` (until the next attempt). */
  connection = "connecting";
  /** Which of `create`, `resume` and `close` the gateway offers. */
  capabilities = [];
  #src;
  #auth;
  #socket;
  #calls = new Map();
  #number = 0;
  #attempts = 0;

  /** `auth({refused})` resolves to `{token}`, as on `<pilot-house>`. */
  constructor(src, auth) {
    super();
    this.#src = src;
    this.#auth = auth;
  }

  /** Connects, and connects again whenever the connection ends. */
  async connect(refused = false) {
    this.#become("connecting");
    const { token } = await this.#auth({ refused });
    const address = new URL("api/rpc", this.#src);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = (this.#socket = new WebSocket(address));
    let signIn = false;
    socket.onmessage = ({ data }) => data.split("\n").filter(Boolean).flatMap((line) => JSON.parse(line)).forEach((message) => this.#take(message));
    socket.onopen = async () => {
      try {
        const { sessions, capabilities } = await this.call("pilothouse.board", { token });
        Object.assign(this, { rows: sessions, capabilities });
        this.#attempts = 0;
        this.#become("open");
      } catch (error) {
        signIn = error.code === SIGN_IN;
        socket.close();
      }
    };
    socket.onclose = () => {
      for (const { reject } of this.#calls.values()) reject(new Error("the connection ended"));
      this.#calls.clear();
      if (signIn) return this.connect(true);
      this.#become("waiting");
      setTimeout(() => this.connect(), WAITS[this.#attempts++] ?? WAITS.at(-1));
    };
  }

  /** Calls a method of the gateway. Resolves to its result. */
  call(method, params = {}) {
    const id = ++this.#number;
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  }

  row(id) {
    return this.rows.find(({ sessionId }) => sessionId === id);
  }

  #take({ id, result, error, method, params }) {
    if (method === "pilothouse.summary") return this.#merge(params);
    const call = this.#calls.get(id);
    if (!call) return;
    this.#calls.delete(id);
    if (error) call.reject(Object.assign(new Error(error.message), { code: error.code }));
    else call.resolve(result);
  }

  /** A summary has the fields that have changed. */
  #merge({ sessionId, removed, ...fields }) {
    const known = this.row(sessionId);
    if (removed) this.rows = this.rows.filter((row) => row !== known);
    else if (known) Object.assign(known, fields);
    else this.rows.push({ sessionId, ...fields });
    this.#changed();
  }

  #become(connection) {
    this.connection = connection;
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}
