// Tests that nothing is allowed that was not in view: a card that is higher than the view, by pointer and by keyboard, while the
// page is resized, in a shared card, in a tile of the board. Sizes by the hundred are in tests/read_through.rs.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { IN_FIREFOX, answer, answers, card, frames, host, late, push, scenario, violations } from "../support/harness.mjs";

const steps = (count) => `# Rebuild the harbour\n\n${Array.from({ length: count }, (_, nth) => `${nth + 1}. Step ${nth + 1}: move the white boat to its place, in \`src/boats/${nth}.rs\``).join("\n")}\n`;
const lines = (count) => Array.from({ length: count }, (_, nth) => `echo "boat ${nth}" >> list.txt`).join("\n");

const plan = (script, planContent, more = {}) =>
  script.add("exit_plan_mode.requested", { requestId: "plan", summary: "A plan", planContent, actions: ["interactive", "autopilot"], ...more }, { ephemeral: true });

const talk = (script, count) => {
  for (let line = 0; line < count; line += 1) script.say(`Line ${line}`);
  return script;
};

const allow = (page, id, hook = "approve-once") => card(page, id).locator(`[data-answer="${hook}"]`);
const isOff = (page, id, hook) => allow(page, id, hook).getAttribute("aria-disabled");
const open = (page, id, hook) => allow(page, id, hook).and(page.locator(":not([aria-disabled])")).waitFor();
const rest = (page, id) => card(page, id).locator("[data-show-rest]");
const scroll = async (page, by) => {
  await page.locator("[data-scroller]").evaluate((list, by) => void (list.scrollTop += by), by);
  await frames(page);
  await frames(page);
};
/** The upper edge of a card below that of the view, and whether its foot ends where the view does. */
const place = (page, id) => card(page, id).evaluate((card) => {
  const view = card.closest("[data-scroller]").getBoundingClientRect();
  const foot = card.querySelector(".request-foot").getBoundingClientRect();
  return { top: card.getBoundingClientRect().top - view.top, foot: view.bottom - foot.bottom };
});
const left = async (page, id) => Number((await card(page, id).locator(".seal").innerText()).match(/^(\d+) lines? left/)?.[1] ?? 0);

/** Presses 'Show the rest' until all has been in view; how many lines were left each time. */
async function readOn(page, id) {
  const counts = [];
  while (await rest(page, id).count()) {
    counts.push(await left(page, id));
    await rest(page, id).click();
    await frames(page);
    await frames(page);
  }
  return counts;
}

for (const [width, height] of [[380, 780], [1400, 900]]) {
  scenario(`a plan of thirty steps arrives at its top, and is approved once its end was in view (${width} px)`, async (stage) => {
    const page = await host(stage, { width, height });
    await push(page, talk(new Script().user("Plan it"), 30).take());
    await push(page, plan(new Script("more"), steps(30)).take().slice(1));
    await rest(page, "plan").waitFor();
    const { top, foot } = await place(page, "plan");
    assert.ok(top >= 0 && top < 60, `its top is ${top} px below that of the view`);
    assert.ok(Math.abs(foot) <= 1, `the foot is ${foot} px above the edge`);
    assert.equal(await isOff(page, "plan", "approve"), "true");
    const why = await allow(page, "plan", "approve").evaluate((button) => button.getRootNode().getElementById(button.getAttribute("aria-describedby")).textContent);
    assert.match(why, /^\d+ lines left/, "the button says why it is off");
    assert.deepEqual(await violations(page), []);
    // What comes does not move it.
    await push(page, talk(new Script("later"), 3).take().slice(1));
    assert.deepEqual(await place(page, "plan"), { top, foot });
    const counts = await readOn(page, "plan");
    assert.ok(counts.length > 0 && counts.every((count, nth) => nth === 0 || count < counts[nth - 1]), `${counts}`);
    await card(page, "plan").getByText("All of it has been in view").waitFor();
    await answer(page, "plan", "approve");
    assert.equal((await answers(page)).length, 1);
  });
}

scenario("a card that is wholly in view has no seal, and rejecting is never off", async (stage) => {
  const page = await host(stage, { height: 700 });
  await push(page, new Script().user("Look").ask("short", "ls boats").take());
  await open(page, "short");
  assert.equal(await rest(page, "short").count(), 0);
  await push(page, new Script("more").ask("long", lines(200)).take().slice(1));
  await rest(page, "long").waitFor();
  assert.equal(await isOff(page, "long"), "true");
  await answer(page, "long", "reject");
  assert.deepEqual((await answers(page)).map(({ params }) => params.result.kind), ["reject"]);
});

scenario("at 320 × 568 nothing of a command can be left out, the end first or not", async (stage) => {
  const page = await host(stage, { width: 320, height: 568 });
  await push(page, new Script().user("Look").ask("tidy", `${lines(20)}\nrm -rf ~/boats\n${lines(20)}`).take());
  await rest(page, "tidy").waitFor();
  await scroll(page, 100_000);
  assert.equal(await isOff(page, "tidy"), "true", "the middle was not in view");
  await scroll(page, -100_000);
  assert.equal(await isOff(page, "tidy"), "true");
  await readOn(page, "tidy");
  const seen = await card(page, "tidy").evaluate((card) => card.querySelector(".request-what").scrollHeight - card.querySelector(".request-what").clientHeight);
  assert.ok(seen <= 1, "it stands whole in the flow");
  await answer(page, "tidy", "approve-once");
  assert.equal((await answers(page)).length, 1);
});

scenario("another size of the page opens nothing and loses nothing", async (stage) => {
  const page = await host(stage, { width: 1000, height: 600 });
  await push(page, new Script().user("Look").ask("tidy", Array.from({ length: 60 }, (_, nth) => `echo "boat ${nth} lies at the pier and is as long as a line may be" >> /workspace/boats/list-${nth}.txt`).join("\n")).take());
  await rest(page, "tidy").waitFor();
  await rest(page, "tidy").click();
  await frames(page);
  await frames(page);
  const before = await left(page, "tidy");
  assert.ok(before > 5, `${before} lines`);
  for (const [width, height] of [[320, 568], [1000, 320], [700, 500]]) {
    await page.setViewportSize({ width, height });
    await frames(page);
    await frames(page);
    assert.equal(await isOff(page, "tidy"), "true", `${width} × ${height}`);
  }
  await page.setViewportSize({ width: 1000, height: 600 });
  await frames(page);
  await frames(page);
  const after = await left(page, "tidy");
  assert.ok(after > 0 && after <= before, `${before} lines were left, then ${after}`);
  await readOn(page, "tidy");
  await page.setViewportSize({ width: 320, height: 568 });
  await frames(page);
  await open(page, "tidy");
});

scenario("what passes through the view for a frame is not read", async (stage) => {
  const page = await host(stage, { height: 600 });
  await push(page, new Script().user("Look").ask("tidy", lines(60)).take());
  await rest(page, "tidy").waitFor();
  const before = await left(page, "tidy");
  for (const far of [400, 800, 100_000]) {
    await page.locator("[data-scroller]").evaluate((list, far) => new Promise((done) => {
      const top = list.scrollTop;
      const steps = [() => (list.scrollTop = top + far), () => (list.scrollTop = top), () => {}, () => {}, done];
      const next = () => {
        steps.shift()();
        if (steps.length) requestAnimationFrame(next);
      };
      requestAnimationFrame(next);
    }), far);
    assert.equal(await left(page, "tidy"), before, `${far} px`);
  }
  await scroll(page, 400);
  assert.ok((await left(page, "tidy")) < before, "what stays is read");
});

scenario("lines whose sides a zoom by fingers hides are not in view", async (stage) => {
  const page = await host(stage, { width: 380, height: 780 });
  await push(page, new Script().user("Look").ask("tidy", lines(60)).take());
  await rest(page, "tidy").waitFor();
  const devtools = await page.context().newCDPSession(page);
  const zoom = async (pageScaleFactor) => {
    await devtools.send("Emulation.setPageScaleFactor", { pageScaleFactor });
    await page.waitForFunction((scale) => Math.abs(visualViewport.scale - scale) < 0.01, pageScaleFactor);
    await frames(page);
  };
  await zoom(3);
  const before = await left(page, "tidy");
  for (let by = 0; by < 40; by += 1) await scroll(page, 60);
  assert.equal(await left(page, "tidy"), before);
  assert.equal(await isOff(page, "tidy"), "true");
  await zoom(1);
  await scroll(page, -100_000);
  await readOn(page, "tidy");
  await open(page, "tidy");
}, { skip: IN_FIREFOX ? "asks Chromium to zoom" : false });

scenario("a card that is read goes on being read when its row comes back", async (stage) => {
  const page = await host(stage, { height: 600 });
  await push(page, talk(talk(new Script().user("Look"), 60).ask("tidy", lines(80)), 60).take());
  await page.locator("[data-scroller]").evaluate((list) => void (list.scrollTop = 0));
  await page.locator(".jump.waits").click();
  await rest(page, "tidy").click();
  await frames(page);
  await frames(page);
  const before = await left(page, "tidy");
  // A row that has the focus stays.
  await page.locator("[data-scroller]").focus();
  await page.locator("[data-scroller]").evaluate((list) => void (list.scrollTop = 0));
  await card(page, "tidy").waitFor({ state: "detached" });
  await page.locator(".jump.waits").click();
  await rest(page, "tidy").waitFor();
  assert.ok((await left(page, "tidy")) <= before);
  await readOn(page, "tidy");
  await open(page, "tidy");
});

scenario("by keyboard alone a card is read page by page", async (stage) => {
  const page = await host(stage, { height: 600 });
  await push(page, new Script().user("Look").ask("tidy", lines(90)).take());
  await rest(page, "tidy").waitFor();
  await allow(page, "tidy").focus();
  assert.equal(await isOff(page, "tidy"), "true", "a button that has the focus shows nothing");
  await page.keyboard.press("Enter");
  assert.deepEqual(await answers(page), [], "it leads on instead");
  await card(page, "tidy").focus();
  for (let presses = 0; await rest(page, "tidy").count(); presses += 1) {
    assert.ok(presses < 20);
    await page.keyboard.press(presses % 2 ? "Space" : "PageDown");
    await frames(page);
    await frames(page);
  }
  await open(page, "tidy");
  await allow(page, "tidy").focus();
  await page.keyboard.press("Enter");
  assert.equal((await answers(page)).length, 1);
});

scenario("who reads on by 'Show the rest' keeps the focus in the card", async (stage) => {
  const page = await host(stage, { height: 600 });
  await push(page, new Script().user("Look").ask("tidy", lines(60)).take());
  await rest(page, "tidy").focus();
  for (let presses = 0; await rest(page, "tidy").count(); presses += 1) {
    assert.ok(presses < 20);
    await page.keyboard.press("Enter");
    await frames(page);
    await frames(page);
  }
  assert.deepEqual(await answers(page), []);
  assert.equal(await page.evaluate(() => document.querySelector("pilot-house").shadowRoot.activeElement?.dataset.requestId), "tidy");
});

scenario("several are allowed together only if all of each was in view", async (stage) => {
  const page = await host(stage, { height: 700 });
  const quiet = { commands: [{ identifier: "ls", readOnly: true }] };
  await push(page, new Script().user("Look").ask("long", lines(80), quiet).ask("a", "ls boats", quiet).ask("b", "ls piers", quiet).take());
  await rest(page, "long").waitFor();
  await scroll(page, 100_000);
  await page.locator('[data-answer-all="approve-once"]').getByText("Allow the 2 that you have seen").waitFor();
  assert.equal(await isOff(page, "long"), "true");
  await readOn(page, "long");
  await scroll(page, 100_000);
  await page.locator('[data-answer-all="approve-once"]').getByText("Allow these 3").waitFor();
});

scenario("what is drawn anew below counts only once it was in view", async (stage) => {
  const { hold, come } = late(/split_words/);
  const page = await host(stage, { width: 800, height: 860, prepare: hold, whole: false });
  // As a text these are few lines, as headings they are higher than the view.
  const planContent = Array.from({ length: 18 }, (_, nth) => `# Part ${nth}`).join("\n");
  await push(page, plan(new Script().user("Plan it"), planContent, { actions: ["interactive"] }).take());
  await open(page, "plan", "approve");
  // Who reads does not follow the end.
  await scroll(page, -30);
  come();
  await rest(page, "plan").waitFor();
  assert.equal(await isOff(page, "plan", "approve"), "true");
  await readOn(page, "plan");
  await open(page, "plan", "approve");
}, { skip: process.env.DEV ? "a dev build has no chunks" : false });

scenario("where only what grants more is offered, a plan is approved once a person has chosen", async (stage) => {
  const page = await host(stage, { height: 700 });
  await push(page, plan(new Script().user("Plan it"), "# Plan", { actions: ["autopilot", "autopilot_fleet"], recommendedAction: "autopilot" }).take());
  await card(page, "plan").getByText("Choose how to go on first.").waitFor();
  assert.equal(await card(page, "plan").locator("input:checked").count(), 0);
  assert.equal(await isOff(page, "plan", "approve"), "true");
  await allow(page, "plan", "approve").evaluate((button) => button.click());
  assert.deepEqual(await answers(page), []);
  await card(page, "plan").locator('input[value="autopilot"]').check();
  await answer(page, "plan", "approve");
  assert.equal((await answers(page))[0].params.response.selectedAction, "autopilot");
});

for (const [width, height] of [[1400, 700], [380, 780]]) {
  scenario(`in a tile of the board as well (${width} px)`, async (stage) => {
    const script = new Script("harbour").user("Tidy up").turn().ask("tidy", lines(80));
    const page = await stage.page(await stage.serve([script.events, new Script("rests").user("Rest").turn().say("Done").rest().events]), { width, height });
    await page.locator('[data-session="harbour"] [data-answer-here]').click();
    await rest(page, "tidy").waitFor();
    assert.equal(await isOff(page, "tidy"), "true");
    await readOn(page, "tidy");
    await open(page, "tidy");
  });
}

const WIDE = `| ${"a wide column | ".repeat(8)}\n|${"---|".repeat(8)}\n| ${"one more word that is long | ".repeat(8)}\n`;
const DIFF = `--- a/x\n+++ b/x\n@@ -0,0 +1,600 @@\n${Array.from({ length: 600 }, (_, line) => `+line ${line} ${line % 100 ? "" : "long ".repeat(60)}`).join("\n")}\n`;
const TALL = {
  "a plan": (script) => plan(script, `${WIDE}\n\n\`\`\`sh\n${"x".repeat(300)}\n\`\`\`\n\n${steps(40)}`, { requestId: "tall" }),
  "a change": (script) => script.add("permission.requested", { requestId: "tall", permissionRequest: { kind: "write", fileName: "/workspace/boats/x", diff: DIFF, newFileContents: "line\n".repeat(600) } }),
  "a command": (script) => script.ask("tall", lines(500)),
  "a form": (script) => script.add("elicitation.requested", { requestId: "tall", message: steps(40), requestedSchema: { type: "object", properties: { name: { type: "string", description: "word ".repeat(200) } } } }, { ephemeral: true }),
};
for (const [what, ask] of Object.entries(TALL)) {
  scenario(`${what} stands whole in the flow, and nothing in it scrolls by itself`, async (stage) => {
    const page = await host(stage, { width: 380, height: 780 });
    await push(page, ask(new Script().user("Look")).take());
    await rest(page, "tall").waitFor();
    const scrolling = await card(page, "tall").evaluate((card) => [...card.querySelectorAll(".request-head, .request-body *")].filter((part) => {
      const { overflowX, overflowY } = getComputedStyle(part);
      const beyond = (overflow, all, seen) => overflow !== "visible" && all > seen + 1;
      return part.clientWidth > 1 && (beyond(overflowX, part.scrollWidth, part.clientWidth) || beyond(overflowY, part.scrollHeight, part.clientHeight));
    }).map((part) => `${part.tagName} ${part.className}`));
    assert.deepEqual(scrolling, []);
    await readOn(page, "tall");
    await card(page, "tall").locator(".answers .btn.primary:not([aria-disabled])").waitFor();
  });
}
