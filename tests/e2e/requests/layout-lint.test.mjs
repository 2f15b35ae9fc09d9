// Lints the layout of every kind of request: of the main agent and of sub-agents, alone and in a group, in each width and
// language. At night each language has the requests of each agent; otherwise one agent's, the longest names where words are long.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { NIGHTLY, frames, nightly, push, scenario } from "../support/harness.mjs";
import { layoutFaults } from "../support/layout-lint.mjs";
import { OTHERS, PERMISSIONS } from "../support/request-kinds.mjs";

const WIDTHS = [320, 380, 800, 1400];
const AGENTS = { mate: ["call-mate", "Chart reader"], diver: ["call-diver", "Rebuilds the whole timetable of the harbour from its tide tables"] };

/** Sessions in which requests wait: for the main agent, a sub-agent, and one of its own; alone, then two of a kind. */
function* sessions(agents) {
  for (const agentId of agents) {
    const script = new Script().user("Mend the boats").turn();
    for (const [id, [toolCallId, agentDisplayName]] of Object.entries(AGENTS)) {
      const outer = id === "diver" ? { agentId: "mate" } : {};
      script.add("tool.execution_start", { toolCallId, toolName: "task", arguments: { description: agentDisplayName, prompt: "Go", agent_type: "explore" } }, outer);
      script.add("subagent.started", { toolCallId, agentName: "explore", agentDisplayName, agentDescription: "Looks" }, { agentId: id });
    }
    const ids = [];
    const by = agentId ? { agentId } : {};
    const ask = (type, name, data, more) => {
      const requestId = `${agentId ?? "main"}-${name}`;
      ids.push(requestId);
      script.add(type, { requestId, ...data }, { ...by, ...more });
    };
    for (const [name, permissionRequest] of Object.entries(PERMISSIONS)) ask("permission.requested", name, { permissionRequest });
    for (const [type, data] of Object.entries(OTHERS)) ask(type, type, data, { ephemeral: true });
    for (const [name, permissionRequest] of Object.entries(PERMISSIONS)) {
      for (const n of [1, 2]) ask("permission.requested", `${name}-${n}-of-2`, { permissionRequest: { ...permissionRequest, toolCallId: `call-${name}-${n}` } });
      script.add("assistant.message", { messageId: `after-${name}`, content: "Now the next one.", toolRequests: [] }, by);
    }
    yield { events: script.take(), ids };
  }
}

/** So high that all rows are in the document at once. */
const height = 40_000;

const ALL = [undefined, ...Object.keys(AGENTS)];

for (const [lang, agent] of [["en", undefined], ["de", "diver"], ["ja", "mate"], ["ar", "diver"]]) {
  (["en", "ar"].includes(lang) ? scenario : nightly)(`the card of each request is sound in each width (${lang})`, async (stage) => {
    const page = await stage.embed(await stage.files(), `transport="none" lang="${lang}"`, { width: 1400, height });
    const faults = [];
    for (const { events, ids } of sessions(NIGHTLY ? ALL : [agent])) {
      await page.evaluate(() => {
        const before = document.querySelector("pilot-house");
        before.replaceWith(before.cloneNode());
      });
      await push(page, events);
      await frames(page);
      for (const width of WIDTHS) {
        // The element's width, not the window's: a layout is measured without painting so high a page anew.
        await page.evaluate((width) => void (document.querySelector("pilot-house").style.width = `${width}px`), width);
        const missing = await page.evaluate((ids) => ids.filter((id) => !document.querySelector("pilot-house").shadowRoot.querySelector(`[data-request-id="${id}"] > header`)), ids);
        faults.push(...missing.map((id) => `${width} px: ${id} is not in the document`));
        faults.push(...(await layoutFaults(page, "[data-request-id], .request-all")).map((fault) => `${width} px: ${fault}`));
      }
    }
    assert.deepEqual(faults, []);
  });
}
