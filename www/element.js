// The classes of the custom elements, which have to be JavaScript. Everything else is in the wasm.

/** How near the visible part of the page an element with `loading="lazy"` starts. */
const NEAR = "300px";

const ATTRIBUTES = ["src", "session", "transport", "token", "answer-url", "protocol", "readonly", "loading"];
/** Attributes that are there or not. */
const FLAGS = ["readonly", "attention", "history"];

/** Properties by which a page adds to the views; `docs/extending.md` describes them. */
const OPTIONS = ["suggestions", "commands", "completions", "entryActions", "filter"];
/** Those that were set, by element. */
const options = new WeakMap();

/** Makes a property of each attribute, because frameworks set properties of custom elements where they can. */
function reflect({ prototype }, ...names) {
  for (const name of [...names, "src", "token", "theme", "allow", "loading", "readonly", "attention"]) {
    Object.defineProperty(prototype, name.replace("-u", "U"), {
      configurable: true,
      enumerable: true,
      get() {
        return FLAGS.includes(name) ? this.hasAttribute(name) : this.getAttribute(name);
      },
      set(value) {
        if (value === false || value === undefined || value === null) this.removeAttribute(name);
        else this.setAttribute(name, value === true ? "" : value);
      },
    });
  }
}

/**
 * Registers `<pilot-house>` and `<pilot-house-board>`. `create(host, shadowRoot)` makes the inside of the
 * former, `board` that of the latter.
 */
export function define(create, board) {
  // Without a document, as in Node, there are sessions but no elements.
  if (!globalThis.customElements || customElements.get("pilot-house")) return;

  class Living extends HTMLElement {
    #make;
    #inside;
    #queued = false;
    #observer;
    #auth;

    constructor(make) {
      super();
      this.#make = make;
      this.attachShadow({ mode: "open" });
    }

    connectedCallback() {
      // What was set before the class was there hides the properties of the class.
      for (const name of Object.keys(this)) {
        if (!(name in this.constructor.prototype)) continue;
        const value = this[name];
        delete this[name];
        this[name] = value;
      }
      if (this.#inside || this.getAttribute("loading") !== "lazy") return void this.#open();
      this.#observer = new IntersectionObserver((seen) => seen.some(({ isIntersecting }) => isIntersecting) && this.#open(), {
        rootMargin: NEAR,
      });
      this.#observer.observe(this);
    }

    disconnectedCallback() {
      this.#observer?.disconnect();
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
      if (name === "loading") return void (after === "lazy" || (this.isConnected && this.#open()));
      if (!this.#inside || before === after) return;
      if (name === "readonly") return this.#inside.attribute(name);
      Living.reconnect(this);
    }

    /** Gives credentials: `async ({refused}) => ({token, headers})`. A session of a board takes the board's. */
    get auth() {
      const { host } = this.getRootNode();
      return this.#auth ?? (host instanceof Living ? host.auth : undefined);
    }

    /** Another callback is used from the next time on, so that frameworks may set a new one whenever they render. */
    set auth(callback) {
      const first = !this.#auth;
      this.#auth = callback ?? undefined;
      if (first && callback) Living.reconnect(this);
    }

    #open() {
      this.#observer?.disconnect();
      return (this.#inside ??= this.#make(this, this.shadowRoot));
    }

    /** The inside of an element, if it has been made. */
    static started(element) {
      return element.#inside;
    }

    /** Connects an element anew if it was connected. Several changes in a row mean one connection. */
    static reconnect(element) {
      if (!element.#inside || element.#queued) return;
      element.#queued = true;
      queueMicrotask(() => {
        element.#queued = false;
        element.#inside?.attribute("src");
      });
    }

    /** The inside of an element, made on first use. */
    static inside(element) {
      return element.#open();
    }
  }

  class PilotHouse extends Living {
    static observedAttributes = ATTRIBUTES;
    #transport;

    constructor() {
      super((host, root) => {
        const inside = create(host, root);
        for (const [name, value] of Object.entries(options.get(host) ?? {})) inside.customize(name, value);
        return inside;
      });
      const root = this.shadowRoot;
      // Without this the browser would navigate to a dropped file. The code that opens files may not be
      // loaded yet; it finds the file here.
      const files = ({ dataTransfer }) => dataTransfer?.types.includes("Files");
      this.addEventListener("dragover", (event) => files(event) && event.preventDefault());
      this.addEventListener("drop", (event) => {
        if (event.defaultPrevented || !files(event)) return;
        event.preventDefault();
        root.dropped = event.dataTransfer.files[0];
      });
    }

    /** The session shown. */
    get session() {
      return Living.inside(this).session();
    }

    /** Which session to show: the attribute. */
    set session(id) {
      if (id === undefined || id === null) this.removeAttribute("session");
      else this.setAttribute("session", id);
    }

    /** The page's own transport, otherwise the attribute. */
    get transport() {
      return this.#transport ?? this.getAttribute("transport");
    }

    /** An object is a transport of the page's own: `{ connect({after, session, …}) }`. Anything else is the attribute. */
    set transport(value) {
      const own = Object(value) === value ? value : undefined;
      if (own && typeof own.connect !== "function") throw new TypeError("a transport has a function `connect`");
      if (own !== this.#transport) Living.reconnect(this);
      this.#transport = own;
      if (own) return;
      if (value === undefined || value === null) this.removeAttribute("transport");
      else this.setAttribute("transport", value);
    }

    /**
     * Pushes a part of a stream, for hosts with a connection of their own. Returns the
     * number of records accepted.
     */
    push(chunk) {
      return Living.inside(this).push(chunk);
    }

    /** Adds a note in the host's name: `{level, message, url?, ephemeral?}`. Returns the entry's id. */
    notify(note) {
      return Living.inside(this).notify(note);
    }

    /** Puts a text into the composer's field, before what is written there. */
    compose(text) {
      Living.inside(this).compose(String(text));
    }

    /** Puts files into the message that is being written, as if somebody had picked them. */
    attach(files) {
      Living.inside(this).attach([...files]);
    }

    /** Answers an open request for the user: the params of its method except `sessionId` and `requestId`. */
    answer(requestId, params) {
      return Living.inside(this).answer(String(requestId), params ?? {});
    }
  }

  class PilotHouseBoard extends Living {
    static observedAttributes = ["src", "token", "readonly", "loading"];

    constructor() {
      super(board);
    }
  }

  reflect(PilotHouse, "answer-url", "protocol", "keys", "board");
  reflect(PilotHouseBoard, "history");
  for (const name of OPTIONS) {
    Object.defineProperty(PilotHouse.prototype, name, {
      configurable: true,
      enumerable: true,
      get() {
        return options.get(this)?.[name];
      },
      // What is set before the element starts waits until it does.
      set(value) {
        options.set(this, { ...options.get(this), [name]: value });
        Living.started(this)?.customize(name, value);
      },
    });
  }
  customElements.define("pilot-house", PilotHouse);
  customElements.define("pilot-house-board", PilotHouseBoard);
}
