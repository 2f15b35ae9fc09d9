// The custom elements' classes: JavaScript needs a class here, everything else is in the wasm.
// Owns the life of an element in the document; refuses to know sessions.

const ATTRIBUTES = ["src", "session", "transport", "token", "answer-url", "protocol", "readonly"];

/**
 * Registers <pilot-house> and <pilot-house-board>; `create(host, shadowRoot)` makes the inside of one, `board` that of
 * the other.
 */
export function define(create, board) {
  // Without a document, as in Node, there are sessions and no elements.
  if (!globalThis.customElements || customElements.get("pilot-house")) return;

  class Living extends HTMLElement {
    #make;
    #inside;
    #queued = false;

    constructor(make) {
      super();
      this.#make = make;
      this.attachShadow({ mode: "open" });
    }

    connectedCallback() {
      this.#open();
    }

    disconnectedCallback() {
      // An element that is only moved is connected again before the microtask runs.
      queueMicrotask(() => {
        if (this.isConnected || !this.#inside) return;
        this.#inside.close();
        this.#inside.free();
        this.#inside = undefined;
        this.shadowRoot.replaceChildren();
      });
    }

    attributeChangedCallback(name, before, after) {
      if (!this.#inside || before === after) return;
      if (name === "readonly") return this.#inside.attribute(name);
      // Several attributes set in a row mean one connection.
      if (this.#queued) return;
      this.#queued = true;
      queueMicrotask(() => {
        this.#queued = false;
        this.#inside?.attribute("src");
      });
    }

    #open() {
      return (this.#inside ??= this.#make(this, this.shadowRoot));
    }

    /** What is inside of an element, made if it is not there. */
    static inside(element) {
      return element.#open();
    }
  }

  class PilotHouse extends Living {
    static observedAttributes = ATTRIBUTES;

    constructor() {
      super(create);
      const root = this.shadowRoot;
      // The browser would leave the page for a file. Whoever opens it may still be on the way, and finds it here.
      const files = ({ dataTransfer }) => dataTransfer?.types.includes("Files");
      this.addEventListener("dragover", (event) => files(event) && event.preventDefault());
      this.addEventListener("drop", (event) => {
        if (event.defaultPrevented || !files(event)) return;
        event.preventDefault();
        root.dropped = event.dataTransfer.files[0];
      });
    }

    /** The session that is shown. */
    get session() {
      return Living.inside(this).session();
    }

    /** Feeds a part of a stream, for hosts that bring their own connection. Returns the records accepted. */
    push(chunk) {
      return Living.inside(this).push(chunk);
    }

    /** Says something in the host's name: {level, message, url?, ephemeral?}. Returns the entry's id. */
    notify(note) {
      return Living.inside(this).notify(note);
    }

    /** Answers an open request in a person's place: the params of its method beside sessionId and requestId. */
    answer(requestId, params) {
      return Living.inside(this).answer(String(requestId), params ?? {});
    }
  }

  class PilotHouseBoard extends Living {
    static observedAttributes = ["src", "token", "readonly"];

    constructor() {
      super(board);
    }
  }

  customElements.define("pilot-house", PilotHouse);
  customElements.define("pilot-house-board", PilotHouseBoard);
}
