// Colours code with the grammars of highlight.js, which are fetched when needed. Builds
// text nodes and spans, never markup.

import core from "./vendor/highlight/core.min.js";
import { grammars } from "./vendor/highlight/grammars.js";
import { filesOf } from "./languages.js";

/**
 * Our kind for each scope of the grammars. A scope is looked up as it is, and then
 * without what follows its dot.
 */
const KINDS = {
  keyword: "k", "meta keyword": "k", "variable.language": "k", "selector-tag": "k", name: "k", section: "f", tag: "",
  string: "s", regexp: "s", "char.escape": "n", quote: "c", code: "s", link: "s", addition: "a", deletion: "d",
  number: "n", literal: "n", symbol: "n", bullet: "n", "variable.constant": "n",
  comment: "c", doctag: "c", meta: "m", "meta.prompt": "c", "meta string": "s",
  title: "f", "title.class": "t", "title.function": "f", built_in: "t", type: "t", class: "t",
  attr: "p", attribute: "p", property: "p", variable: "p", "template-variable": "p", params: "",
  "selector-class": "t", "selector-id": "t", "selector-attr": "p", "selector-pseudo": "m",
  subst: "", operator: "", punctuation: "", strong: "b", emphasis: "i",
};

/** The emitter that highlight.js calls with its results. */
class Words {
  /** Pairs of a text and its kind. */
  list = [];
  #kinds = [""];

  addText(text) {
    if (!text) return;
    const kind = this.#kinds.at(-1);
    const last = this.list.at(-1);
    if (last?.[1] === kind) last[0] += text;
    else this.list.push([text, kind]);
  }

  openNode(scope) {
    const known = KINDS[scope] ?? KINDS[scope.split(".")[0]];
    this.#kinds.push(known ?? this.#kinds.at(-1));
  }

  closeNode() {
    this.#kinds.pop();
  }

  startScope(scope) {
    this.openNode(scope);
  }

  endScope() {
    this.closeNode();
  }

  __addSublanguage(words) {
    for (const [text, kind] of words.list) this.list.push([text, kind]);
  }

  finalize() {}

  /** highlight.js calls this for markup, which is not used. */
  toHTML() {
    return "";
  }
}

const highlighter = core.newInstance();
highlighter.configure({ __emitter: Words });
const coming = new Map();

/** Whether a language's grammar is loaded. */
export const ready = (grammar) => Boolean(highlighter.getLanguage(grammar));

/** Fetches a grammar. Resolves to whether it is loaded. */
export async function fetchGrammar(grammar) {
  const files = await Promise.all(filesOf(grammar).map(file));
  return files[0];
}

function file(name) {
  if (!coming.has(name)) {
    const one = grammars[name]().then(
      (module) => {
        highlighter.registerLanguage(name, module.default);
        return true;
      },
      () => {
        coming.delete(name);
        return false;
      },
    );
    coming.set(name, one);
  }
  return coming.get(name);
}

/** Colours an element's code. Returns false if that fails. */
export function paint(code, grammar) {
  const text = code.textContent;
  const { _emitter: words, errorRaised } = highlighter.highlight(text, { language: grammar, ignoreIllegals: true });
  // If a grammar stops early, the rest of the text would be lost.
  if (errorRaised || words.list.reduce((sum, [text]) => sum + text.length, 0) !== text.length) return false;
  const shown = document.createDocumentFragment();
  for (const [text, kind] of words.list) {
    if (!kind || !text.trim()) {
      shown.append(text);
      continue;
    }
    const span = document.createElement("span");
    span.className = `y-${kind}`;
    span.textContent = text;
    shown.append(span);
  }
  code.replaceChildren(shown);
  return true;
}
