// Tests what a host's page can add: renderers, buttons, commands, completions, suggestions, slots, a filter, and events
// before and after what a person does. `docs/extending.md` describes them.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { card, host, push, reads, scenario, until } from "../support/harness.mjs";
import { composerPage, field, note, users } from "../support/composer-page.mjs";
import { Runtime } from "../support/stand-in.mjs";

/** Registers a renderer for the tool `tide_table` that counts what is called. */
const tideRenderer = (page, options = {}) => page.evaluate(async ({ throws }) => {
  const { registerRenderer } = await import("/pkg/index.js");
  window.calls = { render: 0, update: 0, destroy: 0 };
  document.head.insertAdjacentHTML("beforeend", "<style>.tides { color: rgb(1, 2, 3) }</style>");
  window.remove = registerRenderer("tool", "tide_table", (entry) => {
    window.calls.render += 1;
    if (throws) throw new RangeError("the renderer's own");
    const node = document.createElement("p");
    node.className = "tides";
    const draw = ({ tool, state }) => void (node.textContent = `${state}: ${tool.output ?? ""}${tool.arguments.harbour}`);
    draw(entry);
    return {
      node,
      update(changed) {
        window.calls.update += 1;
        draw(changed);
      },
      destroy() {
        window.calls.destroy += 1;
      },
    };
  });
}, options);

const tide = (script) => script.turn().add("tool.execution_start", { toolCallId: "t", toolName: "tide_table", arguments: { harbour: "Husum" } });
const done = (script) => script.add("tool.execution_complete", { toolCallId: "t", success: true, result: { content: "High at six" } });

scenario("a host draws the calls of a tool, where its style sheets reach, and follows them", async (stage) => {
  const page = await host(stage);
  await tideRenderer(page);
  const script = tide(new Script("tides").user("When?"));
  await push(page, script.take());
  const tides = page.locator("pilot-house > [slot] > .tides");
  await tides.getByText("running: Husum").waitFor();
  assert.equal(await tides.evaluate((node) => getComputedStyle(node).color), "rgb(1, 2, 3)");
  assert.ok(await tides.isVisible());
  const inside = await page.evaluate(() => {
    const row = document.querySelector("pilot-house").shadowRoot.querySelector('[data-entry="tool"]').getBoundingClientRect();
    const node = document.querySelector(".tides").getBoundingClientRect();
    return node.top >= row.top && node.bottom <= row.bottom && node.height > 0;
  });
  assert.ok(inside, "the view stands in its card");
  await push(page, script.add("tool.execution_partial_result", { toolCallId: "t", partialOutput: "Looking " }, { ephemeral: true }).take());
  await tides.getByText("running: Looking Husum").waitFor();
  await push(page, done(script).take());
  await tides.getByText("done:").waitFor();
  assert.deepEqual(await page.evaluate(() => [window.calls.render, window.calls.destroy]), [1, 0]);
  await page.evaluate(() => window.remove());
  await tides.waitFor({ state: "detached" });
  assert.equal(await page.evaluate(() => window.calls.destroy), 1);
  const tool = page.locator('[data-entry="tool"]');
  await tool.locator("summary").click();
  await tool.getByText("High at six").waitFor();
});

scenario("a renderer that throws is reported, and the built-in view stays", async (stage) => {
  const page = await host(stage);
  await tideRenderer(page, { throws: true });
  await push(page, done(tide(new Script("tides").user("When?"))).take());
  await page.locator('[data-entry="tool"]').getByText("High at six").waitFor();
  assert.equal(await page.locator("pilot-house > [slot]").count(), 0);
}, { expected: [/the renderer's own/] });

scenario("a wrong kind of renderer is refused with a list of those that there are", async (stage) => {
  const page = await host(stage);
  const said = await page.evaluate(async () => {
    const { registerRenderer } = await import("/pkg/index.js");
    const message = (call) => {
      try {
        call();
        return "";
      } catch (error) {
        return error.message;
      }
    };
    return [message(() => registerRenderer("toool", "a", () => "")), message(() => registerRenderer("tool", "a"))];
  });
  assert.match(said[0], /'toool'.*tool, request, code, notification/);
  assert.match(said[1], /needs a function/);
});

scenario("a host draws code of a language, with its source a press away, and what a request is about", async (stage) => {
  const page = await host(stage);
  await page.evaluate(async () => {
    const { registerRenderer } = await import("/pkg/index.js");
    registerRenderer("code", "chart", ({ code }) => {
      const meter = document.createElement("meter");
      meter.value = Number(code);
      return meter;
    });
    registerRenderer("request", "permission", ({ request }) => `<b>${request.details.permissionRequest.fullCommandText}</b> is harmless`);
  });
  const script = new Script("charts").user("Draw").turn().say("Here:\n\n```chart\n0.5\n```\n").ask("p", "ls");
  await push(page, script.take());
  const block = page.locator("pre.code", { has: page.locator("meter") });
  assert.equal(await block.locator("meter").evaluate((meter) => meter.value), 0.5);
  assert.equal(await block.locator("code").isVisible(), false);
  await block.getByRole("button", { name: "Source" }).click();
  assert.equal(await block.locator("code").innerText(), "0.5\n");
  // What is asked is shown as well.
  await page.locator("pilot-house > [slot]").getByText("<b>ls</b> is harmless").waitFor();
  await card(page, "p").getByText("ls", { exact: true }).first().waitFor();
});

scenario("slots take a host's header, empty state and buttons in the composer", async (stage) => {
  const runtime = new Runtime();
  const address = await runtime.listen(stage);
  const page = await stage.embed(await stage.files(), `src="${address}"`, { whole: false });
  await page.evaluate(() => {
    const put = (slot, text, tag = "p") => {
      const node = document.createElement(tag);
      Object.assign(node, { slot, textContent: text });
      document.querySelector("pilot-house").append(node);
    };
    put("header", "The harbour");
    put("empty", "Ask about tides");
    put("composer-actions", "Dictate", "button");
  });
  runtime.script.add("session.idle", { mode: "interactive" }, { ephemeral: true });
  runtime.tell();
  await page.getByText("The harbour").waitFor();
  await page.getByText("Ask about tides").waitFor();
  assert.equal(await page.getByText("Nothing yet").isVisible(), false);
  await page.getByRole("button", { name: "Dictate" }).waitFor();
});

scenario("a host's button in the composer can be pressed on a narrow page, and an Escape without a use is the host's", async (stage) => {
  const { page } = await composerPage(stage, { width: 380 });
  await page.evaluate(() => {
    const button = Object.assign(document.createElement("button"), { slot: "composer-actions", textContent: "Dictate", onclick: () => (window.pressed = true) });
    const element = document.querySelector("pilot-house");
    element.append(button);
    window.escapes = [];
    element.addEventListener("keydown", ({ key, defaultPrevented }) => key === "Escape" && window.escapes.push(defaultPrevented));
    element.commands = [{ name: "berth", run() {} }];
  });
  await field(page).click();
  await page.getByRole("button", { name: "Dictate" }).click();
  assert.equal(await page.evaluate(() => window.pressed), true);
  await field(page).pressSequentially("/be");
  await page.getByRole("option", { name: "/berth" }).waitFor();
  await field(page).press("Escape");
  await page.getByRole("option").waitFor({ state: "detached" });
  await field(page).press("Escape");
  assert.deepEqual(await page.evaluate(() => window.escapes), [true, false]);
});

scenario("suggestions are there until somebody has written, and fill the field or are sent", async (stage) => {
  const runtime = new Runtime();
  const address = await runtime.listen(stage);
  const page = await stage.embed(await stage.files(), `src="${address}"`, { whole: false });
  // Before the composer is there, and with one that has no text.
  await page.evaluate(() => {
    document.querySelector("pilot-house").suggestions = ["When is high tide?", { title: "Weather", prompt: "How is the weather?", send: true }, {}];
  });
  runtime.script.add("session.idle", { mode: "interactive" }, { ephemeral: true });
  runtime.tell();
  const suggestions = page.getByRole("group", { name: "Suggestions" });
  await suggestions.waitFor();
  assert.deepEqual(await suggestions.getByRole("button").allTextContents(), ["When is high tide?", "Weather"]);
  await suggestions.getByRole("button", { name: "When is high tide?" }).click();
  await reads(page, "When is high tide?");
  await suggestions.waitFor({ state: "detached" });
  await field(page).fill("");
  await suggestions.getByRole("button", { name: "Weather" }).click();
  assert.equal((await runtime.called("session.send")).prompt, "How is the weather?");
  await until(page, (view) => view.timeline.some(({ kind }) => kind === "user"));
  await suggestions.waitFor({ state: "detached" });
}, { expected: [/suggestions\[2\] lacks something/] });

scenario("a host's commands run in the page, and a failed one comes back", async (stage) => {
  const { page, runtime } = await composerPage(stage);
  await page.evaluate(() => {
    document.querySelector("pilot-house").commands = [
      { name: "moor", description: "Moor a boat", hint: "<berth>", run: async ({ name, input }) => `${name} at ${input}` },
      { name: "sink", run: () => Promise.reject(new Error("it floats")) },
    ];
  });
  await field(page).pressSequentially("/mo");
  await page.getByRole("option", { name: "/moor" }).getByText("Moor a boat").waitFor();
  await field(page).press("Enter");
  await field(page).pressSequentially("berth 7");
  await field(page).press("Enter");
  await note(page).getByText("moor at berth 7").waitFor();
  await reads(page, "");
  await field(page).fill("/sink the boat");
  await field(page).press("Enter");
  await note(page).getByText("sink failed: it floats").waitFor();
  await reads(page, "/sink the boat");
  assert.deepEqual(runtime.calls.filter(([method]) => /send|command.*(invoke|execute)/.test(method)), []);
});

scenario("a host completes words after its own sign", async (stage) => {
  const { page } = await composerPage(stage);
  await page.evaluate(() => {
    document.querySelector("pilot-house").completions = [{
      trigger: "#",
      complete: async (typed) => [{ label: `#${typed}42`, insert: `issue ${typed}42`, description: "Leaking boat" }, "#other"],
    }];
  });
  await field(page).pressSequentially("Mend #4");
  await page.getByRole("option").getByText("Leaking boat").waitFor();
  assert.equal(await page.getByRole("option").count(), 2);
  await field(page).press("Enter");
  await reads(page, "Mend issue 442 ");
});

scenario("a host puts files into the message", async (stage) => {
  const { page, runtime } = await composerPage(stage);
  await page.evaluate(() => document.querySelector("pilot-house").attach([new File(["High at six"], "tides.txt", { type: "text/plain" })]));
  // A short text becomes a part of the message, as when somebody picks it.
  await reads(page, "tides.txt\n```\nHigh at six\n```\n");
  await field(page).press("Enter");
  assert.match((await runtime.called("session.send")).prompt, /High at six/);
});

scenario("a host's buttons for messages get the entry", async (stage) => {
  const page = await host(stage);
  await page.evaluate(() => {
    window.pressed = [];
    document.querySelector("pilot-house").entryActions = [
      { label: "Pin", run: (entry) => window.pressed.push([entry.kind, entry.text]) },
      { label: "Explain", applies: ({ kind }) => kind === "tool", run: () => {} },
    ];
  });
  await push(page, done(tide(new Script("pins").user("When?")).say("At six", "said")).take());
  const said = page.locator('[data-entry="assistant"]');
  await said.hover();
  await said.getByRole("button", { name: "Pin" }).click();
  assert.deepEqual(await page.evaluate(() => window.pressed), [["assistant", "At six"]]);
  assert.equal(await said.getByRole("button", { name: "Explain" }).count(), 0);
  const tool = page.locator('[data-entry="tool"]');
  await tool.hover();
  await tool.getByRole("button", { name: "Explain" }).waitFor();
  // Rows that are there already follow.
  await page.evaluate(() => {
    document.querySelector("pilot-house").entryActions = [{ label: "Keep", applies: () => true, run: () => {} }];
  });
  await tool.getByRole("button", { name: "Keep" }).waitFor();
  assert.equal(await tool.getByRole("button", { name: "Explain" }).count(), 0);
});

scenario("a host's filter hides entries, never a request, and may use the session", async (stage) => {
  const page = await host(stage);
  const script = new Script("secret").user("Go").turn().say("Keep", "kept").say("A secret", "hidden").ask("p", "cat secret");
  await push(page, script.take());
  const set = (source) => page.evaluate((source) => {
    const element = document.querySelector("pilot-house");
    element.filter = source && ((entry) => element.session.snapshot() && !/secret/.test(JSON.stringify(entry)));
  }, source);
  const secret = page.locator('[data-entry="assistant"]', { hasText: "A secret" });
  await secret.waitFor();
  await set(true);
  await secret.waitFor({ state: "detached" });
  await page.getByText("Keep").waitFor();
  await card(page, "p").waitFor();
  await push(page, script.say("Another secret", "hidden2").say("Seen", "seen").take());
  await page.getByText("Seen").waitFor();
  assert.equal(await page.getByText("Another secret").count(), 0);
  await set(false);
  await page.getByText("Another secret").waitFor();
});

scenario("a host hears of what a person does before and after, and can take it over", async (stage) => {
  const { page, runtime } = await composerPage(stage);
  await page.evaluate(() => {
    window.heard = [];
    for (const name of ["call", "result"]) {
      document.addEventListener(`pilothouse-${name}`, (event) => {
        window.heard.push([name, event.detail.method, event.detail.params.prompt, Boolean(event.detail.result)]);
        if (event.detail.params.prompt !== "Mine") return;
        event.preventDefault();
        document.querySelector("pilot-house").compose("Yours");
      });
    }
  });
  await field(page).fill("Mine");
  await field(page).press("Enter");
  await reads(page, "Yours");
  await field(page).fill("Theirs");
  await field(page).press("Enter");
  await runtime.called("session.send");
  await until(page, (view) => view.timeline.some(({ text }) => text === "Theirs"));
  assert.deepEqual(runtime.of("session.send").map(({ prompt }) => prompt), ["Theirs"]);
  assert.deepEqual(await users(page), ["Hello", "Theirs"]);
  assert.deepEqual(await page.evaluate(() => window.heard), [
    ["call", "session.send", "Mine", false],
    ["call", "session.send", "Theirs", false],
    ["result", "session.send", "Theirs", true],
  ]);
  assert.equal(await page.locator("[data-sent]").count(), 0);
});
