// Runs axe over the whole page, with the rules of WCAG 2.2 AA.

import { readFile } from "node:fs/promises";

const AXE = new URL("../node_modules/axe-core/axe.min.js", import.meta.url);

/** Axe's violations of WCAG 2.2 AA on the whole page, as text, and of more rules by their ids. Empty if there are none. */
export async function violations(page, more = []) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(await readFile(AXE, "utf8"));
  return page.evaluate(async (more) => {
    const { violations } = await window.axe.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
      // It would fetch the page's style sheets once more, which a strict policy refuses.
      preload: false,
      rules: Object.fromEntries(more.map((id) => [id, { enabled: true }])),
    });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target.flat().join(" ")} — ${node.failureSummary}`).join("\n")}`);
  }, more);
}
