// Renders formulas: TeX to MathML with Temml, as nodes. Anything but MathML is
// rejected, and so is TeX with addresses.

import temml, { rules } from "./vendor/temml/temml.js";

const MATHML = "http://www.w3.org/1998/Math/MathML";
const ATTRIBUTES = /^(class|style|dir|display|encoding|xmlns|math\w*|[lr]space|(min|max)size|stretchy|symmetric|fence|separator|largeop|movablelimits|form|accent|accentunder|linethickness|width|height|depth|voffset|(row|column)(span|align|lines|spacing)|scriptlevel|displaystyle|notation|side|frame|intent|arg)$/;

let sheet;
const dressed = new WeakSet();

/** Returns `{ math }`, or `{ mistake }` with a short message. */
export function formula(tex, displayMode, root, words) {
  dress(root);
  const holder = document.createElement("span");
  try {
    temml.render(tex, holder, { displayMode, throwOnError: true, trust: false, maxExpand: 500, annotate: false });
  } catch (error) {
    return { mistake: String(error?.message ?? error).split(/[:\n]/).slice(0, 2).join(":").trim().slice(0, 160) };
  }
  const math = holder.firstElementChild;
  const all = math ? [math, ...math.querySelectorAll("*")] : [];
  // A formula can name its parts. Labels of the page's own elements refer to ids, and would find these.
  for (const element of all) element.removeAttribute("id");
  const sound = math && all.every(isMathml);
  return sound ? { math } : { mistake: words.noFormula };
}

function isMathml(element) {
  return (
    element.namespaceURI === MATHML &&
    [...element.attributes].every(({ name, value }) => ATTRIBUTES.test(name) && !/url\s*\(/i.test(value))
  );
}

/** Adds the few style rules that accents, matrices and cancelled terms need. */
function dress(root) {
  if (dressed.has(root)) return;
  dressed.add(root);
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(rules);
  }
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
}
