// Draws diagrams with Mermaid in a frame without an origin, and shows the result as an image, which can't run
// scripts, follow links or make requests.

/** Timeout in milliseconds. The first diagram also waits for Mermaid to load. */
const PATIENCE = 30_000;
/**
 * The number of cached drawings. A row that comes back into view shows its own at once
 * and at the same height.
 */
const KEPT = 60;

const drawings = new Map();
const shown = new Set();
let frame;
let number = 0;

/** Calls `done` with an image, or with the reason why there is none; at once if the drawing is cached. */
export function diagram(pre, source, words, done) {
  const theme = themeOf(pre);
  const show = (drawing) => {
    if (!drawing || drawing.mistake) return done(undefined, drawing?.mistake);
    const image = document.createElement("img");
    image.alt = words.diagram.replace("{words}", () => summary(source));
    const failed = () => done(undefined, words.noDrawings);
    image.onerror = failed;
    dress(image, drawing);
    const one = { pre, image, source, words, scheme: theme.scheme };
    // Also when it is drawn again, in other colours.
    const ready = () => {
      done(image);
      idle(() => prepare(one));
    };
    if (image.complete) ready();
    else image.onload = ready;
    watch(one);
  };
  const known = drawings.get(key(source, theme));
  if (known && !known.then) return show(known);
  draw(source, theme, words).then((drawing) => pre.isConnected && show(drawing));
}

function dress(image, drawing) {
  image.width = drawing.width;
  image.height = drawing.height;
  // Below this width a diagram is unreadable, so it scrolls instead.
  image.style.minInlineSize = `${Math.round(drawing.width * 0.75)}px`;
  image.src = drawing.address;
}

/** The alternative text: the diagram's kind and its words. */
function summary(source) {
  const lines = source.split("\n").map((line) => line.trim());
  return lines.filter((line) => line && !line.startsWith("%%") && line !== "---").join("; ").slice(0, 300);
}

/**
 * The source that is drawn: without its own settings, and without anything that it would fetch. The frame's
 * policy would block that too, but log an error for each.
 */
export function plainSource(source) {
  const settings = /^\s*---[ \t]*\r?\n([\s\S]*?)\r?\n[ \t]*---[ \t]*(?:\r?\n|$)/;
  const title = (_, lines) => {
    const own = lines.split(/\r?\n/).filter((line) => /^title\s*:/.test(line));
    return own.length ? `---\n${own[0]}\n---\n` : "";
  };
  return (
    source
      // `init`, `wrap` and other settings of the drawing. An unclosed one ends with the source.
      .replace(/%%\{[\s\S]*?(?:\}%%|$)/g, "\n")
      .replace(settings, title)
      // An image has no links.
      .replace(/^[ \t]*click[ \t]+[\w.]+[ \t]+["\w].*$/gm, "")
      .replace(/@import\b[^;\n]*;?/gi, "")
      .replace(/\burl\s*\([^)\n]*\)?/gi, "none")
      // A node with an image would fetch it.
      .replace(/@\{[^}]*\}/g, (shape) => shape.replace(/\bimg\s*:\s*(?:"[^"]*"|'[^']*'|[^\s,}]+)\s*,?/g, ""))
      .replace(/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'`<>()[\]{}|]+/gi, "…")
      .replace(/(["'(=\s])\/\/[a-z0-9-]+\.[^\s"'`<>()[\]{}|]+/gi, "$1…")
      .replace(/\bdata:[a-z]+\/[^\s"'`<>()[\]{}|]+/gi, "…")
  );
}

const key = (source, theme) => `${theme.scheme}\n${source}`;

function draw(source, theme, { emptyDrawing, unreadable }) {
  const name = key(source, theme);
  const known = drawings.get(name);
  if (known) return Promise.resolve(known);
  const coming = ask({ source: plainSource(source), theme, words: { emptyDrawing, unreadable } }).then((answer) => {
    if (!answer.svg) {
      // Errors in the source are cached, but a timeout is not.
      if (answer.mistake) keep(name, answer);
      else drawings.delete(name);
      return answer;
    }
    const address = `data:image/svg+xml,${encodeURIComponent(answer.svg)}`;
    const drawing = { address, width: Math.ceil(answer.width), height: Math.ceil(answer.height) };
    keep(name, drawing);
    return drawing;
  });
  drawings.set(name, coming);
  return coming;
}

function keep(name, drawing) {
  drawings.delete(name);
  drawings.set(name, drawing);
  for (const [oldest, { then }] of drawings) {
    if (drawings.size <= KEPT || then) break;
    drawings.delete(oldest);
  }
}

/** Asks the frame for a drawing: `{ svg, width, height }`, `{ mistake }`, or `{}` after a timeout. */
async function ask(question) {
  let target;
  try {
    target = await (frame ??= open());
  } catch {
    frame = undefined;
    return {};
  }
  return new Promise((answered) => {
    const { port1, port2 } = new MessageChannel();
    const end = (answer) => {
      clearTimeout(timer);
      port1.close();
      answered(answer);
    };
    const timer = setTimeout(() => {
      // The frame may hang on a drawing that is too large, so the next one gets a new frame.
      target.remove();
      frame = undefined;
      end({});
    }, PATIENCE);
    port1.onmessage = ({ data }) => end(sound(data));
    // A frame without an origin can only be addressed as `*`.
    target.contentWindow.postMessage({ ...question, id: `d${++number}` }, "*", [port2]);
  });
}

/** Validates the frame's reply, which is no more trustworthy than the diagram. */
function sound({ svg, width, height, mistake }) {
  if (typeof mistake === "string") return { mistake: mistake.slice(0, 200) };
  const sizes = [width, height].every((size) => typeof size === "number" && size > 0 && size < 20_000);
  return typeof svg === "string" && svg.length < 4_000_000 && sizes ? { svg, width, height } : {};
}

/**
 * Makes the frame and loads Mermaid in it. The page loads the scripts, as texts in a module, because careful servers
 * refuse requests from a frame without an origin.
 */
async function open() {
  const { scripts } = await import("./vendor/mermaid/mermaid.js");
  const made = document.createElement("iframe");
  made.setAttribute("sandbox", "allow-scripts");
  made.setAttribute("aria-hidden", "true");
  made.tabIndex = -1;
  made.title = "Draws diagrams";
  // Rendered, so that text can be measured in it, but invisible.
  made.style.cssText =
    "position:fixed;inset:0 auto auto 0;inline-size:1200px;block-size:900px;border:0;opacity:0;pointer-events:none;z-index:-1;clip-path:inset(50%)";
  const loaded = new Promise((done) => (made.onload = done));
  // Not `.html`: Vite puts scripts of its own into what has that name.
  const address = new URL("./diagram.htm", import.meta.url).href;
  // Vite before 8 moves the scripts of a dependency, in development, and not its other files.
  made.src = address.replace("/node_modules/.vite/deps/", "/node_modules/pilothouse/extras/");
  document.body.append(made);
  await loaded;
  const { port1, port2 } = new MessageChannel();
  const ready = new Promise((done) => (port1.onmessage = done));
  made.contentWindow.postMessage({ scripts }, "*", [port2]);
  await Promise.race([ready, new Promise((done) => setTimeout(done, PATIENCE))]);
  port1.close();
  return made;
}

/** The page's own colours, as hexadecimal values for Mermaid; those of another scheme if one is given. */
function themeOf(pre, scheme = "inherit") {
  const probe = document.createElement("span");
  probe.style.colorScheme = scheme;
  pre.append(probe);
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const brush = canvas.getContext("2d", { willReadFrequently: true });
  const colours = {};
  for (const name of ["text", "muted", "line", "edge", "bg", "surface", "tint", "code", "accent", "attention-tint", "attention-line"]) {
    probe.style.color = `var(--_${name})`;
    brush.fillStyle = getComputedStyle(probe).color;
    brush.fillRect(0, 0, 1, 1);
    const [red, green, blue] = brush.getImageData(0, 0, 1, 1).data;
    colours[name] = `#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
  }
  const font = getComputedStyle(pre.closest(".prose") ?? pre).fontFamily;
  probe.remove();
  return { colours, font, scheme: Object.values(colours).join() };
}

const idle = (act) => (globalThis.requestIdleCallback ?? setTimeout)(act);

/**
 * Adds a light drawing for paper where the screen has a dark one. It is drawn ahead, because nothing can wait once the
 * browser prints.
 */
function prepare(one) {
  if (!one.image.isConnected) return;
  const theme = themeOf(one.pre, "only light");
  if (theme.scheme === one.scheme) return one.paper?.remove();
  draw(one.source, theme, one.words).then((drawing) => {
    if (!drawing.address || !one.image.isConnected) return;
    one.paper ??= new Image();
    one.paper.className = "paper";
    one.paper.alt = one.image.alt;
    dress(one.paper, drawing);
    one.image.after(one.paper);
  });
}

/** Draws the diagrams on the page again when its colours change. */
function watch(one) {
  shown.add(one);
  if (shown.size > 1 || watch.on) return;
  watch.on = true;
  const look = () => requestAnimationFrame(repaint);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", look);
  matchMedia("(prefers-contrast: more)").addEventListener("change", look);
  const options = { attributes: true, attributeFilter: ["class", "style", "theme", "data-theme"] };
  const observer = new MutationObserver(look);
  observer.observe(document.documentElement, options);
  observer.observe(document.body, options);
  const host = one.pre.getRootNode().host;
  if (host) observer.observe(host, options);
}

function repaint() {
  for (const one of shown) {
    if (!one.pre.isConnected) {
      shown.delete(one);
      continue;
    }
    const theme = themeOf(one.pre);
    if (theme.scheme === one.scheme) continue;
    one.scheme = theme.scheme;
    draw(one.source, theme, one.words).then((drawing) => {
      if (drawing.address && one.scheme === theme.scheme) dress(one.image, drawing);
    });
  }
}
