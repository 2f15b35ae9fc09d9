// Shows what a renderer of the host's page makes. It stands in the element's light DOM, in a slot, so that the
// host's style sheets and frameworks reach it.

/** Frames within which a new place must be in the document. */
const FRAMES = 3;

let count = 0;

/** A place for one view of a host's. */
export class Hosted {
  #slot = document.createElement("slot");
  #holder = document.createElement("div");
  #view;
  #render;

  constructor(place) {
    this.#slot.name = this.#holder.slot = `pilothouse-${(count += 1)}`;
    place.append(this.#slot);
  }

  /**
   * Shows what `render` makes of `data`: a node, a text, or `{node, update?, destroy?}`; true if it made something. If the
   * renderer is the one of before and its view has `update`, that is called instead.
   */
  show(render, data, context) {
    try {
      if (render === this.#render && this.#view.update) {
        this.#view.update(data, context);
        return true;
      }
      this.clear();
      const made = render(data, context);
      const view = made instanceof Node || typeof made === "string" ? { node: made } : made;
      if (!view?.node) return false;
      [this.#render, this.#view] = [render, view];
      // A text stays a text.
      this.#holder.replaceChildren(view.node);
      queueMicrotask(() => this.#attach(FRAMES));
      return true;
    } catch (error) {
      this.clear();
      report(error);
      return false;
    }
  }

  /** Rows are filled before they are inserted into the document, and only there they have a host. */
  #attach(frames) {
    if (!this.#render) return;
    if (this.#slot.isConnected) this.#slot.getRootNode().host?.append(this.#holder);
    else if (frames > 0) requestAnimationFrame(() => this.#attach(frames - 1));
  }

  /** Removes the view. */
  clear() {
    const view = this.#view;
    this.#render = this.#view = undefined;
    this.#holder.remove();
    try {
      view?.destroy?.();
    } catch (error) {
      report(error);
    }
  }
}

/** What a predicate of the host's says about `data`; `otherwise` if it throws, which is reported. */
export function matches(predicate, data, otherwise) {
  try {
    return Boolean(predicate(data));
  } catch (error) {
    report(error);
    return otherwise;
  }
}

/** Reports an error of the host's code to the page. */
export function report(error) {
  (globalThis.reportError ?? console.error)(error);
}
