// Tests that one can decide at a glance: what is asked stands once, cards are low, answers have their sides, nothing above moves,
// and every kind of card can be read and answered without a pointer and without eyes.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { answer, answers, card, frames, host, inBothSchemes, push, readThrough, scenario, violations } from "../support/harness.mjs";
import { OTHERS, PERMISSIONS } from "../support/request-kinds.mjs";

const WIDTHS = [[380, 780], [800, 900], [1400, 900]];
const PATH = "/workspace/boats/src/lib.rs";
const TEXT = "I look at the harbour first.\n\nThen I will **clean up** the old boats and build again.";

const shell = (fullCommandText, intention, more) => ({ kind: "shell", fullCommandText, intention, commands: [{ identifier: fullCommandText.split(" ")[0], readOnly: false }], possiblePaths: [], possibleUrls: [], hasWriteFileRedirection: false, canOfferSessionApproval: true, ...more });

/** Requests as they come, each with the call that is asked for, and the texts that say what is asked. */
const CASES = {
  command: {
    tool: ["bash", { command: "cargo test --workspace -- --nocapture", description: "Run all tests" }],
    permission: shell("cargo test --workspace -- --nocapture", "Run all tests"),
    asked: ["cargo test --workspace -- --nocapture", "Run all tests"],
  },
  pipeline: {
    tool: ["bash", { command: "cd src && cargo fmt && npm install && npm run build 2>&1 | tail -20", description: "Format and build" }],
    permission: shell("cd src && cargo fmt && npm install && npm run build 2>&1 | tail -20", "Format and build"),
    asked: ["cd src && cargo fmt && npm install && npm run build 2>&1 | tail -20", "Format and build"],
  },
  danger: {
    tool: ["bash", { command: "cd /workspace/boats && rm -rf ~/Documents ../old", description: "Tidy the pier" }],
    permission: shell("cd /workspace/boats && rm -rf ~/Documents ../old", "Tidy the pier", { possiblePaths: ["/home/me/Documents", "/workspace/old"], canOfferSessionApproval: false }),
    asked: ["rm -rf ~/Documents ../old", "Tidy the pier"],
  },
  write: {
    tool: ["edit", { path: PATH, old_str: "    boat.name.clone()", new_str: "    boat.name.trim()" }],
    permission: { kind: "write", intention: `Edit file: ${PATH}`, fileName: PATH, diff: `--- a${PATH}\n+++ b${PATH}\n@@ -10,3 +10,3 @@\n pub fn name(boat: &Boat) -> String {\n-    boat.name.clone()\n+    boat.name.trim()\n }\n`, canOfferSessionApproval: true },
    asked: [PATH, "boat.name.clone()", "boat.name.trim()"],
  },
  read: {
    tool: ["view", { path: PATH }],
    permission: { kind: "read", intention: `Read file: ${PATH}`, path: PATH },
    asked: [PATH],
  },
  mcp: {
    tool: ["deploy-server-create_release", { tag: "v1.2.0", notes: "Boats have names" }],
    permission: { kind: "mcp", serverName: "deploy-server", toolName: "create_release", toolTitle: "Create release", args: { tag: "v1.2.0", notes: "Boats have names" }, readOnly: false, intention: "Publish the boats" },
    asked: ["v1.2.0", "Boats have names", "Publish the boats"],
  },
  "sub-agent": {
    tool: ["bash", { command: "find . -name '*_test.rs' -exec grep -l stale {} +", description: "Find stale tests" }],
    permission: shell("find . -name '*_test.rs' -exec grep -l stale {} +", "Find stale tests"),
    asked: ["find . -name '*_test.rs' -exec grep -l stale {} +", "Find stale tests"],
    agent: true,
  },
};

/** Adds a call that asks, with this id. */
function call(script, id, { tool: [toolName, args], permission, agent }) {
  const by = agent ? { agentId: "mate" } : {};
  const toolCallId = `call-${id}`;
  script.add("tool.execution_start", { toolCallId, toolName, arguments: args, ...(agent ? { parentToolCallId: "call-task" } : {}) }, by);
  return script.add("permission.requested", { requestId: id, permissionRequest: { toolCallId, ...permission } }, by);
}

/** The session before anything is asked. */
function begin(agent = false) {
  const script = new Script().user("Mend the boats").turn().say(TEXT);
  if (agent) {
    script.add("tool.execution_start", { toolCallId: "call-task", toolName: "task", arguments: { description: "Look after the tests", prompt: "Go", agent_type: "explore" } });
    script.add("subagent.started", { toolCallId: "call-task", agentName: "explore", agentDisplayName: "Chart reader", agentDescription: "Looks" }, { agentId: "mate" });
  }
  return script;
}

/** Puts an element without a session in the place of the one that was. */
const restart = (page) => page.evaluate(() => {
  window.answers.length = 0;
  const before = document.querySelector("pilot-house");
  before.replaceWith(before.cloneNode());
});

const armed = (page, id, hook = "approve-once") => card(page, id).locator(`[data-answer="${hook}"]:not([aria-disabled]):not([disabled])`).first().waitFor();

for (const [width, height] of WIDTHS) {
  scenario(`what is asked stands once on the page (${width} px)`, async (stage) => {
    const page = await host(stage, { width, height });
    for (const [name, one] of Object.entries(CASES)) {
      await restart(page);
      await push(page, call(begin(one.agent), "a", one).take());
      await armed(page, "a");
      // Beside what is read out when it comes.
      const said = await page.locator("pilot-house").evaluate((element) => {
        const { innerText } = element.shadowRoot.querySelector(".ph");
        const aloud = [...element.shadowRoot.querySelectorAll(".ph > [aria-live]")].map((region) => region.innerText);
        return aloud.reduce((text, words) => (words ? text.replace(words, "") : text), innerText).replace(/\s+/gu, " ");
      });
      for (const text of one.asked) assert.equal(said.split(text).length - 1, 1, `${name}: ${text} in ${said}`);
    }
  });
}

for (const [width, most] of [[380, 300], [800, 230], [1400, 230]]) {
  scenario(`the card of an ordinary command is at most ${most} px high (${width} px)`, async (stage) => {
    const page = await host(stage, { width, height: 900 });
    for (const name of ["command", "pipeline"]) {
      await restart(page);
      await push(page, call(begin(CASES[name].agent), "a", CASES[name]).take());
      await armed(page, "a");
      const { height } = await card(page, "a").boundingBox();
      assert.ok(height <= most, `${name}: ${height} px`);
    }
  });
}

/**
 * Where the answers of a card are: in how many rows, how far 'Reject' is from the card's start, the main answer from its end, in
 * pixels, and whether '…' is beside 'Reject'.
 */
const sides = (page, id) => card(page, id).evaluate((card) => {
  const rects = (selector) => [...card.querySelectorAll(selector)].map((button) => button.getBoundingClientRect()).filter(({ width }) => width > 1);
  const all = rects(".request-foot > .answers .btn");
  const [[reject], [main], [more]] = [rects('[data-answer="reject"]'), rects(".btn.primary"), rects("[data-feedback]")];
  const edge = card.getBoundingClientRect();
  const lines = [];
  for (const { top, bottom } of all) if (!lines.some((line) => top < line.bottom && bottom > line.top)) lines.push({ top, bottom });
  return { rows: lines.length, start: reject.left - edge.left, end: edge.right - main.right, beside: Math.abs(more.left - reject.right), reject: reject.left < main.left };
});

for (const [width, height] of WIDTHS) {
  const most = width < 560 ? 2 : 1;
  const check = async (page, id, what) => {
    const { rows, start, end, beside, reject } = await sides(page, id);
    assert.ok(rows <= most, `${what}: ${rows} rows`);
    assert.ok(end <= 24, `${what}: the main answer is ${end} px from the end`);
    assert.ok(reject && beside <= 2, `${what}: 'Reject' and '…' come first`);
    return start;
  };
  scenario(`'Reject' is at the start of a card and the main answer at its end, alone, in a group and in a tile (${width} px)`, async (stage) => {
    const page = await host(stage, { width, height: 1600 });
    for (const [name, one] of Object.entries(CASES)) {
      await restart(page);
      await push(page, call(begin(one.agent), "a", one).take());
      await armed(page, "a");
      const start = await check(page, "a", name);
      // A line has the path before its answers.
      assert.ok(name === "read" || start <= 24, `${name}: 'Reject' is ${start} px from the start`);
    }
    await restart(page);
    await push(page, ["a", "b"].reduce((script, id) => call(script, id, CASES.command), begin()).take());
    for (const id of ["a", "b"]) {
      await armed(page, id);
      assert.ok((await check(page, id, `${id} of a group`)) <= 24);
    }
    const board = await stage.page(await stage.serve([call(begin(), "a", CASES.command).events, new Script("rests").user("Rest").say("Done").rest().events]), { width, height });
    await board.locator("[data-answer-here]").click();
    await armed(board, "a");
    assert.ok((await check(board, "a", "tile")) <= 24);
  });

  scenario(`in the list of what waits the one answer for all is at its end (${width} px)`, async (stage) => {
    const page = await host(stage, { width, height: 1600 });
    await push(page, ["a", "b"].reduce((script, id) => call(script, id, CASES.command), begin()).take());
    for (const id of ["a", "b"]) await armed(page, id);
    await page.locator(".waits-list").click();
    const all = page.locator('[data-waiting] [data-answer-all="approve-once"]');
    await all.waitFor();
    const [box, list] = [await all.boundingBox(), await page.locator("[data-waiting]").boundingBox()];
    const end = list.x + list.width - box.x - box.width;
    assert.ok(end <= 24, `${end} px from the end`);
  });
}

/**
 * Watches that no row which is there now moves on the screen, frame by frame, and that the browser counts no layout shift up or
 * down. A word that gets longer may push its neighbour to the side.
 */
const watchAbove = (page) => page.locator("pilot-house").evaluate((element) => {
  const rows = [...element.shadowRoot.querySelectorAll("[data-row]")];
  const tops = rows.map((row) => row.getBoundingClientRect().top);
  const moved = (window.moved = new Set());
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, sources } of list.getEntries()) {
      const shifts = hadRecentInput ? [] : sources.filter(({ previousRect, currentRect }) => previousRect.top !== currentRect.top);
      for (const { previousRect, currentRect } of shifts) moved.add(`shift from ${previousRect.top} to ${currentRect.top}`);
    }
  }).observe({ type: "layout-shift" });
  const look = () => {
    for (const [nth, row] of rows.entries()) {
      const top = row.isConnected ? row.getBoundingClientRect().top : undefined;
      if (top !== tops[nth]) moved.add(`${row.dataset.id} from ${tops[nth]} to ${top}`);
    }
    if (window.moved === moved) requestAnimationFrame(look);
  };
  look();
});
const movement = (page) => page.evaluate(() => {
  const moved = [...window.moved];
  window.moved = undefined;
  return moved;
});

for (const width of [380, 1400]) {
  scenario(`nothing above a card moves while it comes, is answered and settles (${width} px)`, async (stage) => {
    const page = await host(stage, { width, height: 1400 });
    for (const [name, one] of Object.entries(CASES)) {
      await restart(page);
      const script = begin(one.agent);
      // What was answered before is history, also where it is of the same kind.
      await push(page, call(script, "before", one).allowed("before").complete("call-before", "north").take());
      await page.locator('[data-id="call-before"]').waitFor();
      await watchAbove(page);
      await push(page, call(script, "a", one).take());
      await answer(page, "a", "approve-once");
      await push(page, script.allowed("a").take());
      await card(page, "a").waitFor({ state: "detached" });
      await push(page, script.complete("call-a", "done").say("That is done.").take());
      await frames(page);
      assert.deepEqual(await movement(page), [], name);
    }
  });

  scenario(`in a shared card nothing above what is answered moves (${width} px)`, async (stage) => {
    const page = await host(stage, { width, height: 1400 });
    for (const calls of ["first", "in turn"]) {
      await restart(page);
      const script = begin();
      for (const id of ["a", "b", "c"]) {
        if (calls === "first") script.add("tool.execution_start", { toolCallId: `call-${id}`, toolName: "bash", arguments: { command: `ls ${id}` } });
      }
      for (const id of ["a", "b", "c"]) {
        if (calls === "first") script.ask(id, `ls ${id}`);
        else call(script, id, { tool: ["bash", { command: `ls ${id}` }], permission: shell(`ls ${id}`, "Look") });
      }
      await push(page, script.take());
      await armed(page, "c");
      await watchAbove(page);
      const before = await card(page, "b").boundingBox();
      await answer(page, "c", "approve-once");
      await push(page, script.allowed("c").take());
      await page.locator('[data-id="c"][data-state="settled"]').waitFor();
      assert.deepEqual(await movement(page), [], calls);
      assert.deepEqual(await card(page, "b").boundingBox(), before, calls);
      // What is above gets lower, so what waits does not go down.
      await answer(page, "a", "approve-once");
      await push(page, script.allowed("a").take());
      await page.locator('[data-id="a"][data-state="settled"]').waitFor();
      const after = await card(page, "b").boundingBox();
      assert.ok(after.y <= before.y, `${calls}: from ${before.y} to ${after.y}`);
      await push(page, script.allowed("b").take());
      for (const id of ["a", "b", "c"]) await page.locator(`[data-id="call-${id}"]`).waitFor();
    }
  });
}

/** Puts a session with one request into the page. */
async function ask(page, type, data) {
  await restart(page);
  await push(page, new Script().user("Mend the boats").add(type, { requestId: "a", ...data }, { ephemeral: type !== "permission.requested" }).take());
  await card(page, "a").locator("[data-answer]:not([aria-disabled])").first().waitFor();
}

/** One request of each kind. */
const KINDS = [
  ...Object.entries(CASES).map(([name, { permission }]) => [name, "permission.requested", { permissionRequest: permission }]),
  ...Object.entries(PERMISSIONS).map(([name, permissionRequest]) => [name, "permission.requested", { permissionRequest }]),
  ...Object.entries(OTHERS).map(([type, data]) => [type, type, data]),
];

scenario("axe finds nothing to say about a card of any kind, light and dark", async (stage) => {
  const page = await host(stage, { width: 800, height: 12_000 });
  const script = new Script().user("Mend the boats");
  for (const [nth, [, type, data]] of KINDS.entries()) {
    script.add(type, { requestId: `r${nth}`, ...data }, { ephemeral: type !== "permission.requested" }).say("And now the next one.");
  }
  await push(page, script.take());
  for (const nth of KINDS.keys()) await card(page, `r${nth}`).waitFor();
  await inBothSchemes(page, async (scheme) => assert.deepEqual(await violations(page), [], scheme));
});

/** What has the focus in a card: its place, what it is, and whether it is the main answer. */
const stop = (page) => page.evaluate(() => {
  const focused = document.querySelector("pilot-house").shadowRoot.activeElement;
  if (!focused?.parentElement?.closest("[data-request-id]")) return undefined;
  const { left, right, top, bottom } = focused.getBoundingClientRect();
  const what = focused.matches(".choice") ? "choice" : focused.matches("input, textarea, select") ? focused.type : "button";
  return { left, right, top, bottom, what, name: focused.dataset.answer ?? focused.className, main: focused.matches(".btn.primary") };
});

for (const width of [380, 1400]) {
  scenario(`the keyboard alone goes through a card of any kind in the order of the eye, and answers it (${width} px)`, async (stage) => {
    const page = await host(stage, { width, height: 1400 });
    for (const [name, type, data] of KINDS) {
      await ask(page, type, data);
      await readThrough(page, "a");
      await card(page, "a").focus();
      const stops = [];
      for (let presses = 0; presses < 40; presses += 1) {
        await page.keyboard.press("Tab");
        const now = await stop(page);
        if (!now) break;
        stops.push(now);
        if (["text", "textarea", "password"].includes(now.what)) await page.keyboard.type("north");
        if (now.what === "number") await page.keyboard.type("3");
        if (now.what === "choice" && stops.filter(({ what }) => what === "choice").length === 1) await page.keyboard.press("Space");
      }
      for (const [nth, { left, top, bottom, name: hook }] of stops.entries()) {
        const last = stops[nth - 1];
        const follows = !last || top >= last.bottom - 2 || (left >= last.right - 2 && bottom > last.top);
        assert.ok(follows, `${name}: ${hook} after ${last?.name}: ${JSON.stringify(stops)}`);
      }
      const mains = stops.filter(({ main }) => main);
      assert.equal(mains.length, 1, `${name}: ${JSON.stringify(stops)}`);
      for (let presses = 0; !(await stop(page))?.main; presses += 1) {
        assert.ok(presses < 40, name);
        await page.keyboard.press("Shift+Tab");
      }
      await page.keyboard.press("Enter");
      assert.equal((await answers(page)).length, 1, `${name}: ${await card(page, "a").innerText()}`);
    }
  });
}

scenario("a card is read out in order: what it does, then all of it, then where, then the answers", async (stage) => {
  const page = await host(stage, { width: 1400, height: 1400 });
  for (const [name, parts] of Object.entries({
    command: ["Run this command?", "Runs the tests", "cargo test --workspace -- --nocapture", "/workspace/boats", "Run all tests", "Reject", "Allow once"],
    danger: ["Run this command?", "Deletes", "rm -rf ~/Documents ../old", "Tidy the pier", "Reject", "Allow once"],
    write: ["Write to this file?", PATH, "Changes", "Reject", "Allow once"],
    read: ["Read this?", PATH, "Reject", "Allow once"],
    mcp: ["Create release", "Boats have names", "Publish the boats", "Reject", "Allow once"],
  })) {
    await ask(page, "permission.requested", { permissionRequest: CASES[name].permission });
    const tree = await card(page, "a").ariaSnapshot();
    const places = parts.map((part) => tree.indexOf(part));
    assert.ok(places.every((place, nth) => place >= 0 && (nth === 0 || place > places[nth - 1])), `${name}: ${places} in ${tree}`);
  }
});
