// The custom elements' classes: JavaScript needs a class here, everything else is in the wasm.
// Owns the life of an element in the document; refuses to know sessions.

const ATTRIBUTES = ["src", "session", "transport", "token", "answer-url", "readonly"];

/** Registers <pilot-house>; `create(host, shadowRoot)` makes the inside of one. */
export function define(create) {
  if (customElements.get("pilot-house")) return;

  class PilotHouse extends HTMLElement {
    static observedAttributes = ATTRIBUTES;
    #inside;
    #queued = false;

    constructor() {
      super();
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

    /** The session that is shown. */
    get session() {
      return this.#open().session();
    }

    /** Feeds a part of a stream, for hosts that bring their own connection. Returns the records accepted. */
    push(chunk) {
      return this.#open().push(chunk);
    }

    /** Says something in the host's name: {level, message, url?, ephemeral?}. Returns the entry's id. */
    notify(note) {
      return this.#open().notify(note);
    }

    /** Answers an open request in a person's place: the params of its method beside sessionId and requestId. */
    answer(requestId, params) {
      return this.#open().answer(String(requestId), params ?? {});
    }

    #open() {
      return (this.#inside ??= create(this, this.shadowRoot));
    }
  }

  customElements.define("pilot-house", PilotHouse);
}
