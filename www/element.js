// The classes of the custom elements, which have to be JavaScript. Everything else is in the wasm.

/** How near the visible part of the page an element with `loading="lazy"` starts. */
const NEAR = "300px";
/** How long an element that its page feeds keeps what it has read after it was removed, in milliseconds. */
const KEPT = 5000;
/** Pixels from its end at which a scrolled part counts as being there, as in the timeline. */
const NEAR_END = 24;
/** How many scrolled parts an element remembers before it forgets those that are gone. */
const PLACES = 100;

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

/** Elements that have an inside. */
const living = new Set();
/** The insides that a fault has stopped. They are kept, because they can't be freed any more. */
const stopped = [];
/** The events that elements are handling, each with its element; one may lead to another. An event is over when it has no phase. */
let handled = [];
const isHandled = ({ event }) => event.eventPhase !== Event.NONE;

/** What people do in an element. The views of a stopped one hear nothing of it. */
const INPUT = ["dblclick", "auxclick", "pointerdown", "pointerup", "keydown", "keyup", "input", "change", "focusin", "focusout", "dragover"];
/** The same, and the browser does not act on it either. */
const EFFECTS = ["click", "beforeinput", "submit", "drop", "paste"];

/** Whether a fault of the program has hit this inside. */
function isBroken(inside) {
  try {
    return inside.isBroken();
  } catch {
    return true;
  }
}

/** Rows and parts of rows that wait for more of the program. */
const COMING = ".plain, .column .hint[role], .tile-request > .hint, .entry:not(.gap) > span:not([class])";
/** How long the first screen waits for what it has and the page may never have: a composer, a connection. In milliseconds. */
const PATIENCE = 4000;
/** For how long the page's rows are the same ones before it comes: after a jump it adds some. In milliseconds. */
const CALM = 120;
/** How many frames the page has to come to where the reader is. */
const TRIES = 20;

/** The first screen that came with the page. Its rules are adopted, so that those of the page, which grow, come before them. */
function firstScreen(root) {
  const first = root.querySelector(".first-screen");
  if (!first) return undefined;
  const styles = [...root.children].filter((part) => part.localName === "style");
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles.map((style) => style.textContent).join(""));
  root.adoptedStyleSheets = [sheet];
  return { first, styles, sheet };
}

/** Lets the page take its place, in one frame and where the reader is. */
function takeOver(host, came) {
  const root = host.shadowRoot;
  const { first, styles, sheet } = came;
  const live = root.querySelector(".first-screen ~ .ph");
  // The board's part of the program comes later.
  if (!live) return void requestAnimationFrame(() => first.isConnected && takeOver(host, came));
  const [from, to] = [first, live].map((page) => page.querySelector("[data-scroller]"));
  const isBoard = first.matches(".board");
  const key = isBoard ? "data-session" : "data-id";
  const all = (page) => [...page.querySelectorAll(`[${key}]`)].map((row) => [row, row.getAttribute(key)]);
  const ids = new Map(all(from));
  // From now on what scripts look for is the page's own.
  for (const name of ["data-scroller", "data-entry", "data-opener", "data-request-id", key]) {
    for (const part of first.querySelectorAll(`[${name}]`)) part.removeAttribute(name);
  }
  const row = (id) => all(to).find(([, other]) => other === id)?.[0];
  const top = (row, list) => row.getBoundingClientRect().top - list.getBoundingClientRect().top;
  const below = (list) => list.scrollHeight - list.clientHeight - list.scrollTop;
  // It may be laid out from its end, where the position is 0.
  const left = () => (from.matches(".from-start, .board-scroll") ? below(from) : -from.scrollTop);
  const last = [...ids.values()].pop();
  let tries = 0;
  let since;
  let known;
  let changed;

  /** What the page shows of the screen, by the part of the page that is still to come, and when that is there. */
  const lent = new Map();
  const coming = (part) => [...part.querySelectorAll(COMING)].filter((some) => !some.closest("[data-lent]"));
  const lend = (part, nodes, isThere) => {
    lent.set(part, { nodes, isThere });
    for (const node of nodes) node.setAttribute("data-lent", "");
    part.prepend(...nodes);
  };
  /** Lends what is not there yet. A request stands for itself, and so does what changes. */
  const lendAll = () => {
    // By that its rules hide what is not whole.
    if (!CSS.supports("selector(:has(a))")) return;
    for (const [own, id] of ids) {
      const its = row(id);
      const { state } = own.dataset;
      if (!its || its.dataset.state !== state || state === "streaming" || own.querySelector(".request-card")) continue;
      if (lent.has(its) || !coming(its).length) continue;
      const said = () => coming(its).map((part) => part.textContent).join("");
      const before = said();
      lend(its, [...own.children].map((child) => child.cloneNode(true)), () => !coming(its).length || said() !== before);
    }
    const composer = first.querySelector(".composer-whole");
    if (!composer || lent.has(live) || live.querySelector(".composer-whole:not([hidden])")) return;
    let since;
    lend(live, [composer.cloneNode(true)], () => {
      const its = live.querySelector(".composer-whole:not([data-lent])");
      if (!its?.hidden) return its || host.getAttribute("data-connection") === "closed";
      // The server may not take messages after all.
      if (!since) setTimeout(takeBack, PATIENCE);
      return performance.now() - (since ??= performance.now()) >= PATIENCE;
    });
  };
  /** Takes back what has come, and in the end the screen's rules. */
  const takeBack = () => {
    const back = [...lent].filter(([part, { isThere }]) => !part.isConnected || isThere());
    const select = selected(back.map(([part]) => part));
    for (const [part, { nodes }] of back) {
      for (const node of nodes) node.remove();
      lent.delete(part);
    }
    select();
    if (first.isConnected || lent.size) return;
    changes.disconnect();
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter((other) => other !== sheet);
  };
  const changes = new MutationObserver(takeBack);
  changes.observe(live, { attributes: true, attributeFilter: ["hidden"], childList: true, characterData: true, subtree: true });

  const isReady = () => {
    const state = host.getAttribute("data-connection");
    since ??= performance.now();
    const isLate = performance.now() - since > PATIENCE;
    if (state === "closed" || state === "replaying" || (state === "waiting" && isLate)) return true;
    // Which rows are in the document, by what is not.
    const shape = [...to.querySelectorAll(".spacer")].map((space) => space.style.height) + all(to).length;
    if (known !== shape) [known, changed] = [shape, performance.now()];
    const settles = performance.now() - changed < CALM;
    const isThere = live.querySelector(".bar[data-status], .tile") || (isBoard && isLate);
    if (state !== "open" || !isThere || host.hasAttribute("data-reading") || settles) {
      if (state !== "waiting" && !(isBoard && state === "open")) since = undefined;
      return false;
    }
    if (first.matches(":active")) return false;
    if (!isBoard) lendAll();
    const isComing = coming(live).some((part) => !lent.has(part.closest("[data-id]")));
    if (to.querySelector("[aria-busy=false], .tile") && !isComing) return true;
    // A session of which something could not be read is never whole.
    return isLate && (isBoard || !last || row(last));
  };

  /** Brings the reader's row to where it is in the first screen, to a part of a pixel; true once it is there. */
  const isInPlace = () => {
    const read = [...ids.keys()].find((row) => top(row, from) + row.offsetHeight > 0);
    const same = read && row(ids.get(read));
    if (!same) to.scrollTop = isBoard ? from.scrollTop : to.scrollTop + below(to) - left();
    if (!same) return !read;
    const by = top(same, to) - top(read, from);
    // At the end it follows what is new.
    const isAtEnd = Math.abs(by) > 2 && left() < NEAR_END && below(to) < NEAR_END;
    if (isAtEnd) to.scrollTop += below(to) - left();
    if (isAtEnd || Math.abs(by) < (isBoard ? 1 : 0.01)) return true;
    const space = to.querySelector(".spacer");
    if (Math.abs(by) < 1) space.style.marginTop = `${(parseFloat(space.style.marginTop) || 0) - by}px`;
    else to.scrollTop += Math.round(by);
    return false;
  };

  /** Notes what is selected in these rows, to select it in the page's. */
  const selected = (rows) => {
    const selection = root.getSelection?.() ?? document.getSelection();
    const { anchorNode, anchorOffset, focusNode, focusOffset, isCollapsed } = selection;
    const ends = isCollapsed ? [] : [[anchorNode, anchorOffset], [focusNode, focusOffset]];
    const places = ends.map(([node, offset]) => {
      const within = rows.find((row) => row.contains(node));
      if (!within) return undefined;
      const before = document.createRange();
      before.setStart(within, 0);
      before.setEnd(node, offset);
      return [ids.get(within) ?? within.dataset.id, before.toString().length];
    });
    return () => {
      const found = places.map((place) => {
        const texts = place && row(place[0]) && document.createTreeWalker(row(place[0]), NodeFilter.SHOW_TEXT);
        for (let left = place?.[1]; texts?.nextNode(); left -= texts.currentNode.length) {
          if (left <= texts.currentNode.length) return [texts.currentNode, left];
        }
        return undefined;
      });
      if (found[0] && found[1]) selection.setBaseAndExtent(...found[0], ...found[1]);
    };
  };

  const look = () => {
    if (!first.isConnected) return;
    if (!isReady() || !(isInPlace() || (tries += 1) > TRIES)) return void requestAnimationFrame(look);
    const select = selected([...ids.keys()]);
    const isFocused = first.contains(root.activeElement);
    // A session that is open on the board has the focus, as it has where no screen came.
    const pane = isBoard && live.querySelector(".pane");
    const focused = pane || (row(ids.get(root.activeElement?.closest("li")))?.querySelector("[data-opener]") ?? to);
    for (const part of [first, ...styles]) part.remove();
    takeBack();
    if (isFocused || (pane && document.activeElement === document.body)) focused.focus({ preventScroll: true });
    select();
    // Cards look whether they can be seen.
    root.dispatchEvent(new Event("scroll"));
  };
  requestAnimationFrame(look);
}

/**
 * Registers `<pilot-house>` and `<pilot-house-board>`. `create(host, shadowRoot)` makes the inside of the
 * former, `board` that of the latter.
 */
export function define(create, board, [text, again, copy, copied], version) {
  // Without a document, as in Node, there are sessions but no elements.
  if (!globalThis.customElements || customElements.get("pilot-house")) return;

  // This is called by the program, so its folder is in the stack. Other programs of the page have faults of their own.
  const [, folder = ".wasm"] = new Error().stack.match(/([^\s(@]*[/\\])[^\s/]*\bwasm-function\b/) ?? [];
  let last;
  const noticed = (error) => {
    if (!(error instanceof WebAssembly.RuntimeError) || error === last || !error.stack.includes(folder)) return;
    last = error;
    findBroken(`Pilothouse ${version}\n${error.stack}\n${navigator.userAgent}`);
  };
  addEventListener("error", ({ error }) => noticed(error));
  addEventListener("unhandledrejection", ({ reason }) => noticed(reason));

  class Living extends HTMLElement {
    #make;
    #inside;
    #queued = false;
    #observer;
    #auth;
    #stopped = false;
    /**
     * Where the parts of the element are scrolled to, in pixels, `Infinity` at the end. The browser forgets that when the
     * element is moved or hidden.
     */
    #places = new Map();
    #sizes;
    #leaving;
    /** What has the focus in the element. The browser forgets that when the element is moved. */
    #focused;

    constructor(make) {
      super();
      this.#make = make;
      // A first screen has come with the page.
      const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
      root.addEventListener("scroll", ({ target }) => this.#scrolled(target), { capture: true, passive: true });
      root.addEventListener("focusin", ({ target }) => void (this.#focused = target));
      // The focus has gone elsewhere if it is not back when the page has moved what it moves.
      root.addEventListener("focusout", () => queueMicrotask(() => {
        if (this.isConnected && !root.activeElement) this.#focused = undefined;
      }));
      for (const type of [...INPUT, ...EFFECTS]) {
        root.addEventListener(type, (event) => {
          handled = [...handled.filter(isHandled), { event, element: this }];
          if (!this.#stopped || event.target.closest?.("[data-stopped]")) return;
          event.stopImmediatePropagation();
          if (EFFECTS.includes(type)) event.preventDefault();
        }, true);
      }
    }

    connectedCallback() {
      // What was set before the class was there hides the properties of the class.
      for (const name of Object.keys(this)) {
        if (!(name in this.constructor.prototype)) continue;
        const value = this[name];
        delete this[name];
        this[name] = value;
      }
      clearTimeout(this.#leaving);
      if (this.#inside) this.#restore();
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
        // Nobody but its page could give the session once more, and pages take elements out for a moment.
        if (this.getAttribute("data-connection") !== "replaying") return this.#leave();
        clearTimeout(this.#leaving);
        this.#leaving = setTimeout(() => this.isConnected || !this.#inside || this.#leave(), KEPT);
      });
    }

    /** The element has left the document for good. */
    #leave() {
      living.delete(this);
      if (!this.#stopped) {
        this.#inside.close();
        this.#inside.free();
      }
      this.#empty();
    }

    #scrolled(part) {
      // What has no layout is scrolled nowhere.
      if (!part.clientHeight) return;
      if (this.#places.size > PLACES) {
        for (const known of this.#places.keys()) if (!known.isConnected) this.#places.delete(known);
      }
      const isAtEnd = part.scrollHeight - part.clientHeight - part.scrollTop < NEAR_END;
      this.#places.set(part, [part.scrollLeft, isAtEnd ? Infinity : part.scrollTop]);
    }

    /** Gives the focus back if nobody has taken it, and scrolls the parts that have been reset to where they were. */
    #restore() {
      if (this.isConnected && document.activeElement === document.body) this.#focused?.focus({ preventScroll: true });
      for (const [part, [left, top]] of this.#places) {
        if (!part.isConnected) this.#places.delete(part);
        // What was at its end may have grown since its last scroll event.
        else if (!part.scrollTop && !part.scrollLeft) part.scrollTo({ left, top: Math.min(top, part.scrollHeight), behavior: "instant" });
      }
    }

    /** Restores the places when the element has a layout again. */
    #watch() {
      let shown = true;
      this.#sizes = new ResizeObserver(() => {
        const before = shown;
        shown = this.clientHeight > 0;
        if (shown && !before) this.#restore();
      });
      this.#sizes.observe(this);
    }

    /** Leaves nothing of the inside. */
    #empty() {
      handled = handled.filter(({ element }) => element !== this);
      this.#stopped = false;
      this.#inside = this.#focused = undefined;
      this.#places.clear();
      this.#sizes?.disconnect();
      this.shadowRoot.replaceChildren();
    }

    /** Shows that a fault has stopped this element, above what it showed last. */
    static stop(element, report) {
      element.#stopped = true;
      living.delete(element);
      if (element.#inside) stopped.push(element.#inside);
      try {
        element.#inside.close();
      } catch {
        // It can't even be closed.
      }
      const button = (words, press) => {
        const made = Object.assign(document.createElement("button"), { type: "button", className: "btn small", textContent: words });
        made.addEventListener("click", press);
        return made;
      };
      const notice = document.createElement("div");
      const { lang, dir } = element.shadowRoot.querySelector("[lang]") ?? notice;
      Object.assign(notice, { className: "stopped", lang, dir });
      notice.dataset.stopped = "";
      notice.setAttribute("part", "strip");
      notice.setAttribute("role", "alert");
      notice.append(
        Object.assign(document.createElement("p"), { textContent: text }),
        button(copy, async ({ target }) => {
          try {
            await navigator.clipboard.writeText(report);
            target.textContent = copied;
          } catch {
            // The browser forbids it: the report is shown, to be copied by hand.
            const shown = Object.assign(document.createElement("pre"), { textContent: report, tabIndex: 0 });
            target.replaceWith(shown);
            shown.focus();
          }
        }),
        button(again, () => {
          element.#empty();
          try {
            element.#open();
          } catch (error) {
            // It is noticed here, and told to the page.
            last = error;
            Living.stop(element, report);
            throw error;
          }
          element.shadowRoot.querySelector("[tabindex]")?.focus();
        }),
      );
      element.shadowRoot.append(notice);
      element.dispatchEvent(new CustomEvent("pilothouse-error", { bubbles: true, composed: true, detail: { message: text } }));
    }

    /** Whether a fault of the program has hit this element. */
    static isBroken(element) {
      return isBroken(element.#inside);
    }

    attributeChangedCallback(name, before, after) {
      if (name === "loading") return void (after === "lazy" || (this.isConnected && this.#open()));
      if (!Living.started(this) || before === after) return;
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
      if (!this.#inside) {
        const came = firstScreen(this.shadowRoot);
        this.#inside = this.#make(this, this.shadowRoot);
        if (came) takeOver(this, came);
        this.#watch();
      }
      if (!this.#stopped) living.add(this);
      return this.#inside;
    }

    /** The inside of an element, if it has been made and goes on. */
    static started(element) {
      return element.#stopped ? undefined : element.#inside;
    }

    /** Connects an element anew if it was connected. Several changes in a row mean one connection. */
    static reconnect(element) {
      if (!Living.started(element) || element.#queued) return;
      element.#queued = true;
      queueMicrotask(() => {
        element.#queued = false;
        Living.started(element)?.attribute("src");
      });
    }

    /** Calls the inside of an element, which is made on first use. One that a fault has stopped takes nothing. */
    static call(element, method, ...given) {
      const inside = element.#open();
      if (element.#stopped) return undefined;
      try {
        return inside[method](...given);
      } catch (error) {
        // The page may catch it.
        noticed(error);
        throw error;
      }
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
      return Living.call(this, "session");
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
      return Living.call(this, "push", chunk) ?? 0;
    }

    /** Adds a note in the host's name: `{level, message, url?, ephemeral?}`. Returns the entry's id. */
    notify(note) {
      return Living.call(this, "notify", note);
    }

    /** Puts a text into the composer's field, before what is written there. */
    compose(text) {
      Living.call(this, "compose", String(text));
    }

    /** Puts files into the message that is being written, as if somebody had picked them. */
    attach(files) {
      Living.call(this, "attach", [...files]);
    }

    /** For the gateway's own page: tells the gateway whether somebody sees the session now. */
    visible(on) {
      Living.call(this, "visible", on);
    }

    /** Answers an open request for the user: the params of its method except `sessionId` and `requestId`. */
    answer(requestId, params) {
      return Living.call(this, "answer", String(requestId), params ?? {}) ?? false;
    }
  }

  class PilotHouseBoard extends Living {
    static observedAttributes = ["src", "token", "readonly", "loading"];

    constructor() {
      super(board);
    }

    /** For the gateway's own page: tells the gateway whether somebody sees the board now. */
    visible(on) {
      Living.call(this, "visible", on);
    }
  }

  /**
   * The program has stopped in the middle of something. The elements that it was at work for stop; the others go on. If it can't
   * be found out which these are, all stop.
   */
  function findBroken(report) {
    const broken = [...living].filter(Living.isBroken);
    const [event] = handled.filter(isHandled).slice(-1);
    if (!broken.length && living.has(event?.element)) broken.push(event.element);
    // What is left of an element that was stopped may go on failing.
    if (!broken.length && !stopped.some(isBroken)) broken.push(...living);
    for (const element of broken) Living.stop(element, report);
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
