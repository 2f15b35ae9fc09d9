// Runs in the diagram frame: receives a source and colours, and replies with Mermaid's
// drawing or an error. It is a plain script, because the page passes it as text, from the module
// that `cargo xtask build` makes of it and Mermaid. Labels have no HTML, which an image would not show.
"use strict";

addEventListener("message", async ({ data, source, ports: [port] }) => {
  if (source !== parent || !port) return;
  try {
    port.postMessage(await draw(data));
  } catch (error) {
    port.postMessage({ mistake: told(error) || data.words.unreadable });
  }
});

async function draw({ id, source, words, theme: { colours, font } }) {
  const { mermaid } = globalThis;
  if (!mermaid) return {};
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    suppressErrorRendering: true,
    logLevel: "fatal",
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    class: { htmlLabels: false },
    sequence: { actorFontSize: 14, messageFontSize: 14, noteFontSize: 14 },
    // The edge's line would cross out its label.
    themeCSS: `.edgeLabel rect, .edgeLabel .background { fill: ${colours.code} !important; opacity: 1 !important; }`,
    fontFamily: font,
    theme: "base",
    themeVariables: variables(colours, font),
  });
  const { svg } = await mermaid.render(id, source);
  const parsed = new DOMParser().parseFromString(svg, "text/html").querySelector("svg");
  const box = (parsed?.getAttribute("viewBox") ?? "").split(/[\s,]+/).map(Number);
  const [, , width, height] = box;
  if (!(width > 0 && height > 0)) return { mistake: words.emptyDrawing };
  // An image has the size that its attributes give, so a relative width is replaced.
  parsed.setAttribute("width", width);
  parsed.setAttribute("height", height);
  parsed.style.removeProperty("max-width");
  parsed.style.removeProperty("background-color");
  return { svg: new XMLSerializer().serializeToString(parsed), width, height };
}

function variables(colours, font) {
  const { text, muted, edge, bg, surface, tint, code } = colours;
  return {
    darkMode: brightness(text) > brightness(bg),
    fontFamily: font,
    fontSize: "14px",
    background: code,
    mainBkg: surface,
    primaryColor: surface,
    primaryTextColor: text,
    primaryBorderColor: edge,
    secondaryColor: tint,
    secondaryTextColor: text,
    secondaryBorderColor: edge,
    tertiaryColor: tint,
    tertiaryTextColor: text,
    tertiaryBorderColor: colours.line,
    lineColor: muted,
    textColor: text,
    titleColor: text,
    noteBkgColor: colours["attention-tint"],
    noteTextColor: text,
    noteBorderColor: colours["attention-line"],
    edgeLabelBackground: code,
    clusterBkg: tint,
    clusterBorder: colours.line,
    labelBoxBkgColor: tint,
    activationBkgColor: tint,
    activationBorderColor: edge,
  };
}

const brightness = (hex) => [1, 3, 5].reduce((sum, at) => sum + Number.parseInt(hex.slice(at, at + 2), 16), 0);

function told(error) {
  const text = String(error?.message ?? error).trim();
  return text.split("\n")[0].replace(/:\s*$/, "");
}
