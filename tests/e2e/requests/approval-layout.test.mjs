// Tests the layout and the answering of requests: single lines, shared cards, feedback,
// and invisible characters.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { answer, answers, card, host, inBothSchemes, push, scenario, violations } from "../support/harness.mjs";

const FILES = ["/workspace/boats/src/lib.rs", "/workspace/boats/src/main.rs", "/workspace/boats/Cargo.toml"];
const IDS = ["a", "b", "c"];

const armed = (page, id, hook) =>
  card(page, id).locator(`[data-answer="${hook}"]:not([aria-disabled]):not([disabled])`);
const groupAnswer = (page) => page.locator('[data-answer-all="approve-once"]');
const results = async (page) => (await answers(page)).map(({ params }) => [params.requestId, params.result]);

/** The height of the feedback field with its label. */
const room = (page, id) => page.locator(`[data-request-id="${id}"] label:has([data-field="feedback"])`).evaluate((label) => label.getBoundingClientRect().height);

/** Three files to read, in the order that the runtime has: first all calls begin, then all of them ask. */
function threeFiles() {
  const script = new Script().user("Look").turn();
  for (const [nth, id] of IDS.entries()) script.add("tool.execution_start", { toolCallId: `call-${id}`, toolName: "view", arguments: { path: FILES[nth] } });
  for (const [nth, id] of IDS.entries()) script.read(id, FILES[nth]);
  return script;
}

for (const [width, most] of [[1400, 44], [380, 100]]) {
  scenario(`a file to read is a line with its two answers, three are one card (${width} px)`, async (stage) => {
    const page = await host(stage, { width });
    await push(page, threeFiles().take());
    await page.getByRole("heading", { name: "Read these 3?" }).waitFor();
    const boxes = [];
    for (const [nth, id] of IDS.entries()) {
      const asked = card(page, id);
      assert.ok((await asked.innerText()).includes(FILES[nth]), "in full");
      assert.ok((await room(page, id)) <= 2, "no empty field");
      for (const hook of ["reject", "approve-once"]) assert.ok(await asked.locator(`[data-answer="${hook}"]`).isVisible());
      const rect = await asked.boundingBox();
      assert.ok(rect.height <= most, `${rect.height} px`);
      boxes.push(rect);
      assert.match(await asked.evaluate((card) => card.getAttribute("aria-labelledby").split(" ").map((id) => card.getRootNode().getElementById(id).textContent).join(" ")), /Read this\? .*\/workspace/);
    }
    // One frame encloses all of them, without gaps.
    for (const [nth, rect] of boxes.entries()) {
      if (nth > 0) assert.ok(Math.abs(rect.y - (boxes[nth - 1].y + boxes[nth - 1].height)) <= 1, `gap before ${nth}`);
    }
    assert.equal(await groupAnswer(page).count(), 1);
  });
}

scenario("each line of a shared card has its own answer, and none moves when another settles", async (stage) => {
  const page = await host(stage, { width: 1400, height: 900 });
  const script = threeFiles();
  await push(page, script.take());
  await armed(page, "c", "approve-once").waitFor();
  const before = await card(page, "c").boundingBox();
  await answer(page, "b", "reject");
  assert.deepEqual(await results(page), [["b", { kind: "reject" }]], "one press rejects");
  await push(page, script.add("permission.completed", { requestId: "b", toolCallId: "call-b", result: { kind: "denied-interactively-by-user" } }).take());
  const line = page.locator('[data-id="b"][data-state="settled"]');
  await line.getByText("Rejected").waitFor();
  await page.getByRole("heading", { name: "Read these 2?" }).waitFor();
  const after = await card(page, "c").boundingBox();
  assert.ok(Math.abs(after.y - before.y) <= 8, `from ${before.y} to ${after.y}`);
  await groupAnswer(page).and(page.locator(":not([aria-disabled])")).getByText("Allow these 2").click();
  assert.deepEqual((await results(page)).slice(1), ["a", "c"].map((id) => [id, { kind: "approve-once" }]));
  await push(page, script.allowed("a").allowed("c").take());
  await page.waitForFunction(() => !document.querySelector("pilot-house").shadowRoot.querySelector("[data-card]"));
});

scenario("what waits is allowed together only if it was seen and gives no cause for fear", async (stage) => {
  const page = await host(stage, { width: 1400, height: 900 });
  const script = new Script().user("Look").turn();
  script.read("a", FILES[0]).read("b", "/workspace/boats/a\u202Eb").read("c", FILES[1]).read("d", "/home/me/.ssh/id_ed25519").ask("e", "ls").ask("f", "pwd");
  await push(page, script.take());
  await groupAnswer(page).getByText("Allow these 2").waitFor();
  assert.equal(await groupAnswer(page).count(), 1, "the two commands, which stand in one card");
  for (const id of ["b", "d"]) {
    assert.ok((await card(page, id).boundingBox()).height > 120, "what is to be heeded keeps its size");
    await card(page, id).getByText(/hidden or padding|May hold/).first().waitFor();
  }
  await groupAnswer(page).and(page.locator(":not([aria-disabled])")).click();
  assert.deepEqual((await results(page)).map(([id]) => id), ["e", "f"]);
});

scenario("calls that wait between their requests do not part the card", async (stage) => {
  const page = await host(stage, { width: 1000 });
  const script = new Script().user("Look").turn();
  for (const [nth, id] of IDS.entries()) {
    script.add("tool.execution_start", { toolCallId: `call-${id}`, toolName: "view", arguments: { path: FILES[nth] } }).read(id, FILES[nth]);
  }
  await push(page, script.take());
  await page.getByRole("heading", { name: "Read these 3?" }).waitFor();
  assert.equal(await page.locator('[data-id="call-b"]').count(), 0);
  for (const id of IDS) script.allowed(id).complete(`call-${id}`, "text");
  await push(page, script.take());
  await page.locator('[data-id="call-b"]').waitFor();
});

scenario("feedback opens with the button beside Reject and with its key, and closes with Escape", async (stage) => {
  const page = await host(stage);
  const script = new Script().user("Look").turn();
  await push(page, script.ask("a", "ls").read("b", FILES[0]).take());
  const field = (id) => card(page, id).getByLabel("Feedback to the agent");
  const focused = (id) => field(id).evaluate((field) => field.getRootNode().activeElement === field);
  for (const id of ["a", "b"]) assert.ok((await room(page, id)) <= 2);
  await card(page, "b").getByRole("button", { name: "Reject with feedback…" }).click();
  assert.ok((await room(page, "b")) > 20);
  assert.ok(await focused("b"), "who opens it writes into it");
  await page.keyboard.press("Escape");
  assert.ok((await room(page, "b")) <= 2);
  await page.locator('[data-id="a"]').focus();
  await page.keyboard.press("f");
  assert.ok(await focused("a"));
  await page.keyboard.type("Not now");
  assert.deepEqual(await answers(page), [], "no key answers");
  await page.keyboard.press("Escape");
  assert.ok((await room(page, "a")) > 20, "what would be sent stays in sight");
  await armed(page, "a", "reject").click();
  assert.deepEqual(await results(page), [["a", { kind: "reject", feedback: "Not now" }]]);
});

scenario("the answers of a card are not in view before its question is", async (stage) => {
  const page = await host(stage, { width: 800, height: 500 });
  const script = new Script().user("Look").turn();
  for (const id of ["a", "b"]) {
    const permissionRequest = { kind: "shell", toolCallId: `call-${id}`, fullCommandText: `rm -r ${id}\nmake one\nmake two\nmake three`, commands: [] };
    script.add("permission.requested", { requestId: id, permissionRequest });
  }
  await push(page, script.take());
  await card(page, "b").waitFor();
  const seen = (height) => card(page, "b").evaluate(async (card, height) => {
    const scroller = card.closest("[data-scroller]");
    scroller.scrollTop += card.getBoundingClientRect().top - scroller.getBoundingClientRect().bottom + height;
    for (let n = 0; n < 10; n += 1) await new Promise((next) => requestAnimationFrame(next));
    return card.querySelector(".answers").getBoundingClientRect().bottom <= scroller.getBoundingClientRect().bottom;
  }, height);
  assert.equal(await seen(80), false, "its question would be behind them");
  assert.equal(await seen(190), true);
});

scenario("what a line would grant for longer is asked again, with what it grants", async (stage) => {
  const page = await host(stage);
  await push(page, new Script().user("Look").turn().read("a", FILES[0]).take());
  await card(page, "a").locator("[data-more]").click();
  await armed(page, "a", "approve-for-session").click();
  await card(page, "a").locator(".confirm").getByText("reading any file in this session's folders, until this session ends").waitFor();
  assert.deepEqual(await answers(page), []);
  await armed(page, "a", "approve-for-session").and(page.locator("[data-confirm]")).click();
  assert.deepEqual(await results(page), [["a", { kind: "approve-for-session", approval: { kind: "read" } }]]);
});

/** Each invisible character, and the name under which it is shown. */
const HIDDEN = [
  ["\u202E", "right-to-left override"],
  ["\u200B", "zero-width space"],
  ["\u{E0041}", "tag character"],
  ["\uFEFF", "byte order mark"],
  ["\u00AD", "soft hyphen"],
  ["\u2060", "word joiner"],
  ["\u2063", "U+2063"],
  ["\u3164", "Hangul filler"],
  ["\u061C", "Arabic letter mark"],
  ["\u0007", "BEL"],
  ["\b", "backspace"],
  ["\u001B", "ESC"],
];

scenario("plans, questions, forms and samples show what would not be seen, in markdown too", async (stage) => {
  const page = await host(stage, { height: 3000 });
  const all = HIDDEN.map(([ch]) => `x${ch}y`).join(" ");
  const markdown = `# Plan ${all}\n\n- **item** ${all}\n- \`code ${all}\`\n\n\`\`\`sh\nrun ${all}\n\`\`\`\n`;
  const requestedSchema = { type: "object", properties: { name: { type: "string", title: `Name ${all}`, default: all } } };
  const script = new Script().user("Look").turn();
  const ask = (type, data) => script.add(type, data, { ephemeral: true });
  ask("exit_plan_mode.requested", { requestId: "plan", planContent: markdown, actions: ["interactive"] });
  ask("user_input.requested", { requestId: "question", question: markdown, choices: [`yes ${all}`] });
  ask("elicitation.requested", { requestId: "form", message: `${markdown}`, requestedSchema });
  ask("sampling.requested", { requestId: "sample", serverName: "cap", request: { messages: [{ role: "user", content: { type: "text", text: all } }] } });
  await push(page, script.take());
  for (const id of ["plan", "question", "form", "sample"]) {
    const asked = card(page, id);
    await asked.getByText(/Contains \d+ hidden or padding/).waitFor();
    for (const [ch, name] of HIDDEN) {
      // In a sample, control characters are escaped as in JSON.
      if (id === "sample" && ch < " ") continue;
      const marks = asked.locator(".hidden-char").getByText(name, { exact: true });
      const least = { plan: 4, question: 5, form: 6, sample: 1 }[id];
      assert.ok((await marks.count()) >= least, `${name} in ${id}: ${await marks.count()}`);
    }
    const raw = await asked.evaluate((card) => card.textContent);
    for (const [ch, name] of HIDDEN) assert.ok(!raw.includes(ch), `${name} is raw in ${id}`);
  }
});

scenario("what markdown does not show of a plan is shown in its source", async (stage) => {
  const page = await host(stage);
  const planContent = "Go [there](https://a.example/\u200Bx)";
  await push(page, new Script().user("Look").turn().add("exit_plan_mode.requested", { requestId: "p", planContent }, { ephemeral: true }).take());
  await card(page, "p").getByText("Something in it is seen only in its source").waitFor();
  await card(page, "p").locator("pre .hidden-char").getByText("zero-width space").waitFor();
});

scenario("how many wait is said in words", async (stage) => {
  const page = await host(stage);
  await push(page, threeFiles().take());
  const list = page.locator(".dock").getByRole("button", { name: "3 requests wait for you" });
  await list.click();
  await page.locator("[data-waiting]").getByText("3 requests wait for you").waitFor();
});

scenario("lines and cards have no barrier before they are armed, light and dark", async (stage) => {
  const page = await host(stage);
  // The timers of 400 ms never fire, so no button becomes enabled.
  await page.evaluate(() => {
    const { setTimeout } = window;
    window.setTimeout = (run, delay, ...more) => (delay === 400 ? 0 : setTimeout(run, delay, ...more));
  });
  await push(page, threeFiles().ask("e", "ls", { canOfferSessionApproval: true }).take());
  await card(page, "a").locator('[data-answer="approve-once"][aria-disabled]').waitFor();
  await card(page, "e").locator('[data-answer="approve-once"][aria-disabled]').waitFor();
  await inBothSchemes(page, async (scheme) => assert.deepEqual(await violations(page), [], scheme));
});
