// Tests requests beyond permissions: who answers, where the focus goes, what the server lists, forms that are
// validated before they are sent. Attacks are tested in deception.test.mjs.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { answer, answers, card, data, frames, goTo, host, inBothSchemes, nightly, push, scenario, snapshot, until, violations } from "../support/harness.mjs";

const request = async (page, id) => (await snapshot(page)).timeline.find((entry) => entry.id === id).request;
const armed = (page, id, hook) =>
  card(page, id).locator(`[data-answer="${hook}"]:not([aria-disabled]):not([disabled])`);

scenario("a program of the host's takes a request and answers it; people still could", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`);
  await page.evaluate(() => {
    window.sent = [];
    document.addEventListener("pilothouse-answer", (event) => window.sent.push(event.detail));
    document.addEventListener("pilothouse-request", (event) => {
      if (event.detail.request.details.toolName === "tide") event.preventDefault();
    });
  });
  const script = new Script().user("When is high water?").turn();
  script.add("external_tool.requested", { requestId: "t", toolCallId: "c", toolName: "tide", arguments: { at: "pier" } }, { ephemeral: true });
  script.ask("p", "ls");
  await push(page, script.take());
  await card(page, "t").getByText("A program of this page answers this").waitFor();
  assert.equal(await card(page, "p").getByText("A program of this page").count(), 0);
  const call = (id, params) => page.evaluate(([id, params]) => document.querySelector("pilot-house").answer(id, params), [id, params]);
  assert.equal(await call("nobody", { result: "x" }), false);
  assert.equal(await call("t", "text"), false, "params are an object");
  assert.equal(await call("t", { result: "12:40" }), true);
  await frames(page);
  assert.deepEqual(await page.evaluate(() => window.sent), [], "the program is not asked whether it may");
  await page.evaluate(() => document.querySelector("pilot-house").setAttribute("readonly", ""));
  assert.equal(await call("p", { result: { kind: "approve-once" } }), true, "`readonly` is about people");
});

scenario("after an answer the focus is on the next card, then on the line that is left", async (stage) => {
  const page = await host(stage);
  const script = new Script().user("Look").turn();
  await push(page, script.ask("a", "ls").ask("b", "pwd").take());
  const active = () =>
    page.evaluate(() => {
      const { activeElement } = document.querySelector("pilot-house").shadowRoot;
      return activeElement && (activeElement.dataset.requestId ?? activeElement.dataset.id ?? activeElement.tagName);
    });
  for (const [id, next] of [["a", "b"], ["b", "b"]]) {
    await armed(page, id, "approve-once").focus();
    await page.keyboard.press("Enter");
    await frames(page);
    assert.equal(await active(), id, "while it is sent, on the card");
    await push(page, script.allowed(id).take());
    await page.waitForFunction(
      (next) => {
        const { activeElement } = document.querySelector("pilot-house").shadowRoot;
        return (activeElement?.dataset.requestId ?? activeElement?.dataset.id) === next;
      },
      next,
    );
  }
  assert.equal(await page.locator('[data-id="b"][data-state="settled"]').evaluate((row) => row.getRootNode().activeElement === row), true);
});

scenario("the way to a request leads there, however high the rows above it turn out to be", async (stage) => {
  const page = await host(stage);
  const script = new Script();
  const talk = (count) => {
    for (let number = 0; number < count; number += 1) script.user(`Question ${number}`);
  };
  // None of them was rendered before.
  talk(100);
  script.user("Many\n\n".repeat(60)).turn().ask("a", "ls");
  talk(100);
  await push(page, script.take());
  await page.locator("[data-scroller]").evaluate((scroller) => void (scroller.scrollTop = 0));
  await page.locator(".waits").click();
  // Once scrolling stops, rows get their buttons, and more rows are rendered around them.
  await page.locator("[data-id=a] .actions").waitFor({ state: "attached" });
  await frames(page);
  const [top, focused] = await card(page, "a").evaluate((card) => {
    const root = card.getRootNode();
    const row = card.closest("[data-row]");
    return [row.getBoundingClientRect().top - root.querySelector("[data-scroller]").getBoundingClientRect().top, root.activeElement === row];
  });
  assert.ok(top >= 0 && top < 40, `${top} px below the upper edge`);
  assert.ok(focused);
});

scenario("the way to a request leads there from a row that has the focus and goes out of the document", async (stage) => {
  const page = await host(stage);
  const script = new Script();
  for (let number = 0; number < 30; number += 1) script.user(`Question ${number}`);
  await push(page, script.turn().ask("a", "ls").take());
  await page.locator("[data-scroller]").evaluate((scroller) => void (scroller.scrollTop = 0));
  await page.locator(".waits").waitFor();
  await frames(page);
  await page.evaluate(() => {
    const root = document.querySelector("pilot-house").shadowRoot;
    [...root.querySelectorAll("article")].at(-1).focus({ preventScroll: true });
    root.querySelector(".waits").click();
  });
  await card(page, "a").waitFor();
  await frames(page);
  const [below, focused] = await card(page, "a").evaluate((card) => {
    const root = card.getRootNode();
    const row = card.closest("[data-row]");
    return [card.getBoundingClientRect().bottom - root.querySelector("[data-scroller]").getBoundingClientRect().bottom, root.activeElement === row];
  });
  assert.ok(below <= 0, `${below} px below the lower edge`);
  assert.ok(focused);
});

scenario("a row that has the focus leaves it to the timeline when it goes out of the document", async (stage) => {
  const page = await host(stage);
  const script = new Script();
  for (let number = 0; number < 300; number += 1) script.user(`Question ${number}`);
  await push(page, script.take());
  const active = () =>
    page.evaluate(() => {
      const { activeElement } = document.querySelector("pilot-house").shadowRoot;
      return activeElement && [activeElement.localName, activeElement.hasAttribute("data-scroller")];
    });
  await page.locator("article").last().focus();
  assert.deepEqual(await active(), ["article", false]);
  await page.locator("[data-scroller]").evaluate((scroller) => void (scroller.scrollTop = 0));
  await page.locator("[data-row=\"0\"]").waitFor();
  assert.deepEqual(await active(), ["div", true], "and not to the page around");
});

scenario("who follows the end and answers goes on following it, however much comes with the answer", async (stage) => {
  const page = await host(stage);
  const script = new Script().user("Look").turn();
  await push(page, script.ask("a", "ls").take());
  await armed(page, "a", "approve-once").focus();
  await page.keyboard.press("Enter");
  script.allowed("a");
  for (let number = 0; number < 60; number += 1) script.say(`Answer ${number}`);
  await push(page, script.take());
  await page.waitForFunction(() => {
    const { activeElement } = document.querySelector("pilot-house").shadowRoot;
    return activeElement?.matches("[data-scroller], [data-id=a]");
  });
  await push(page, script.say("The last one").take());
  await page.getByText("The last one").waitFor();
  assert.equal(await page.getByRole("button", { name: "Jump to latest" }).count(), 0);
});

scenario("where everything is in sight again what comes is followed", async (stage) => {
  const page = await host(stage, { height: 420 });
  const script = new Script().user("Look").turn();
  await push(page, script.ask("a", "ls").ask("b", "pwd").ask("c", "date").ask("d", "who").take());
  await page.locator("[data-scroller]").evaluate((scroller) => void (scroller.scrollTop = 0));
  await page.getByRole("button", { name: "Jump to latest" }).waitFor();
  await push(page, script.allowed("a").allowed("b").allowed("c").allowed("d").take());
  await page.getByRole("button", { name: "Jump to latest" }).waitFor({ state: "detached" });
  for (let number = 0; number < 60; number += 1) script.say(`Answer ${number}`);
  await push(page, script.take());
  await page.getByText("Answer 59").waitFor();
});

scenario("who has the focus elsewhere keeps it when a card settles", async (stage) => {
  const page = await host(stage);
  const script = new Script().user("Look").turn();
  await push(page, script.ask("a", "ls").take());
  await card(page, "a").waitFor();
  await page.locator("[data-scroller]").focus();
  await push(page, script.allowed("a").take());
  await card(page, "a").waitFor({ state: "detached" });
  await frames(page);
  assert.ok(await page.locator("[data-scroller]").evaluate((scroller) => scroller.getRootNode().activeElement === scroller));
});

/** Overwrites a field's content by keys. In Firefox `fill` appends to fields that have a type. */
async function overwrite(field, words) {
  await field.press("ControlOrMeta+a");
  await field.pressSequentially(words);
}

scenario("a form says beside a field what does not fit, and sends nothing until all fits", async (stage) => {
  const page = await host(stage);
  const properties = {
    code: { type: "string", title: "Code", pattern: "^[A-Z]{2}-\\d+$" },
    mail: { type: "string", format: "email", title: "Mail" },
    crew: { type: "integer", minimum: 1, maximum: 4, title: "Crew", default: 2 },
    sails: { type: "array", title: "Sails", minItems: 1, maxItems: 2, items: { anyOf: [{ const: "m", title: "Main" }, { const: "j", title: "Jib" }, { const: "s", title: "Spinnaker" }] } },
    berth: { type: "string", title: "Berth", enum: ["n", "s"], enumNames: ["North", "South"] },
    night: { type: "boolean", title: "Over night", default: true },
  };
  const requestedSchema = { type: "object", properties, required: ["code", "sails"] };
  await push(page, new Script().user("Look").turn().add("elicitation.requested", { requestId: "f", message: "Register", requestedSchema }, { ephemeral: true }).events);
  const form = card(page, "f");
  await armed(page, "f", "accept").click();
  await form.getByText("Fill this in").waitFor();
  await form.getByText("Choose at least one").waitFor();
  await form.getByLabel("Code").fill("x1");
  await form.getByText("Does not have the form that is wanted").waitFor();
  await form.getByLabel("Code").fill("AB-12");
  await form.getByLabel("Mail").fill("nobody");
  await form.getByLabel("Crew").fill("9");
  await form.getByLabel("Main").check();
  await armed(page, "f", "accept").click();
  await form.getByText("From 1 to 4").waitFor();
  assert.deepEqual(await answers(page), []);
  await overwrite(form.getByLabel("Mail"), "a@b.example");
  await overwrite(form.getByLabel("Crew"), "3");
  await form.getByLabel("Berth").selectOption("s");
  await armed(page, "f", "accept").click();
  const [{ params }] = await answers(page);
  assert.deepEqual(params.result, {
    action: "accept",
    content: { code: "AB-12", mail: "a@b.example", crew: 3, sails: ["m"], berth: "s", night: true },
  });
});

scenario("an expression that would keep the browser busy for ever is left to the server", async (stage) => {
  const page = await host(stage);
  const text = `${"a".repeat(60)}!`;
  const patterns = ["^((a+))+$", "^(a|a)+$", "^(a+b?)*$", `${"a?".repeat(60)}${"a".repeat(60)}$`];
  const fields = patterns.map((pattern, number) => [`field-${number}`, { type: "string", pattern, default: text }]);
  const requestedSchema = { type: "object", properties: Object.fromEntries(fields) };
  await push(page, new Script().user("Look").turn().add("elicitation.requested", { requestId: "f", message: "Register", requestedSchema }, { ephemeral: true }).events);
  await armed(page, "f", "accept").click();
  const [{ params }] = await answers(page);
  assert.equal(params.result.content["field-0"], text);
});

scenario("a plan is approved with its action, and with the edits that follow only if that was ticked", async (stage) => {
  const page = await host(stage);
  const script = new Script().user("Look").turn();
  const plan = (requestId) =>
    script.add("exit_plan_mode.requested", { requestId, planContent: "# Plan", actions: ["interactive", "autopilot"], recommendedAction: "interactive" }, { ephemeral: true });
  plan("p");
  plan("q");
  await push(page, script.take());
  await answer(page, "p", "approve");
  await card(page, "q").getByLabel("Also allow the edits that follow").check();
  await answer(page, "q", "approve");
  assert.deepEqual((await answers(page)).map(({ params }) => params.response), [
    { approved: true, selectedAction: "interactive" },
    { approved: true, selectedAction: "interactive", autoApproveEdits: true },
  ]);
});

scenario("what the server lists as open and no event told of is shown as a summary, and says so", async (stage) => {
  const gateway = await stage.serve([data("permissions")]);
  // A frame with several records is not JSON. Those with responses contain one record.
  const read = (message) => {
    try {
      return JSON.parse(String(message));
    } catch {
      return {};
    }
  };
  const prepare = (page) =>
    page.routeWebSocket(/\/api\/rpc/, (socket) => {
      const server = socket.connectToServer();
      const asked = new Set();
      socket.onMessage((message) => {
        const call = read(message);
        if (call.method === "session.permissions.pendingRequests") asked.add(call.id);
        server.send(message);
      });
      server.onMessage((message) => {
        const reply = read(message);
        if (!asked.delete(reply.id)) return socket.send(message);
        const listed = { requestId: "unheard", request: { kind: "commands", fullCommandText: "ls unheard", commandIdentifiers: ["ls"], canOfferSessionApproval: true } };
        socket.send(JSON.stringify({ ...reply, result: { items: [...(reply.result?.items ?? []), listed] } }));
      });
    });
  const page = await stage.page(gateway, { prepare });
  await until(page, `(view) => view.pending.some((open) => open.requestId === "unheard")`);
  await goTo(page, "unheard");
  await card(page, "unheard").getByText("Only a summary of this request").waitFor();
  await card(page, "unheard").locator("[data-more]").click();
  assert.ok((await card(page, "unheard").innerText()).includes("every ls command, until this session ends"));
});

nightly("how a request ended is an enum, whoever ended it", async (stage) => {
  const page = await host(stage);
  const script = new Script().user("Look").turn();
  script.shell("call-a", "rm x").ask("a", "rm x").ask("b", "ls").add("abort", { reason: "user_initiated" });
  await push(page, script.take());
  const told = await request(page, "a");
  assert.deepEqual([told.life, told.reason], ["stale", "stopped"]);
  await page.locator('[data-id="call-a"]').getByText("Did not run").waitFor();
  assert.equal(await page.locator('[data-id="a"]').getByText("rm x").count(), 0, "the row above says what it was");
  await page.locator('[data-id="b"]').getByText("ls").waitFor();
});

scenario("cards with warnings, their second questions and the list have no barrier, light and dark", async (stage) => {
  const page = await host(stage);
  const script = new Script().user("Look").turn();
  script.ask("a", "sudo rm -rf / \u202E", { canOfferSessionApproval: true }).ask("b", "ls");
  script.add("auto_mode_switch.requested", { requestId: "m", errorCode: "rate_limited" }, { ephemeral: true });
  await push(page, script.take());
  await card(page, "m").locator("[data-more]").click();
  await armed(page, "m", "yes_always").click();
  await page.locator("[data-scroller]").focus();
  await page.keyboard.press("w");
  await page.locator("[data-waiting]").getByText("3 requests wait for you").waitFor();
  await inBothSchemes(page, async (scheme) => assert.deepEqual(await violations(page), [], scheme));
});

const facts = (page, id) => card(page, id).locator("dl.facts").evaluate((list) => {
  const value = (cell) => (cell.querySelector("code") ? `code ${cell.textContent}` : cell.textContent);
  return Object.fromEntries([...list.querySelectorAll("dt")].map((name) => [name.textContent, value(name.nextElementSibling)]));
});

nightly("codes on cards are said in words, and one that is not known stays as it is, as code", async (stage) => {
  const page = await host(stage);
  const script = new Script().user("Look").turn();
  const live = { ephemeral: true };
  for (const [id, errorCode] of [["weekly", "user_weekly_rate_limited"], ["new", "moon_rate_limited"]]) {
    script.add("auto_mode_switch.requested", { requestId: id, errorCode }, live);
  }
  const asked = (requestId, reason, error) => ({ requestId, serverName: "sea", serverUrl: "https://sea.example/mcp", reason, wwwAuthenticateParams: { error, scope: "boats" } });
  script.add("mcp.oauth_required", asked("first", "initial", "invalid_token"), live);
  script.add("mcp.oauth_required", asked("odd", "moonrise", "too_wet"), live);
  await push(page, script.take());
  await card(page, "odd").waitFor();
  assert.equal((await facts(page, "weekly")).Reason, "the weekly limit of your account");
  assert.equal((await facts(page, "new")).Reason, "code moon_rate_limited");
  const { Reason, Error, Scope } = await facts(page, "first");
  assert.deepEqual([Reason, Error, Scope], ["the first sign-in", "the token is not valid", "code boats"]);
  const odd = await facts(page, "odd");
  assert.deepEqual([odd.Reason, odd.Error], ["code moonrise", "code too_wet"]);
  await push(page, script.add("session.error", { errorType: "rate_limit", message: "Slow down" }).add("session.warning", { warningType: "high_tide", message: "Mind the water" }).take());
  const tag = (text) => page.locator('[data-entry="notice"]', { hasText: text }).locator(".tag");
  assert.equal(await tag("Slow down").textContent(), "Rate limit");
  assert.equal(await tag("Mind the water").evaluate((tag) => `${tag.localName} ${tag.textContent}`), "code high_tide");
});

scenario("a sign-in shows the address of its server and offers nothing to open; a viewer reads nothing about a token", async (stage) => {
  const page = await host(stage);
  const script = new Script().user("Look").turn();
  script.add("mcp.oauth_required", { requestId: "s", serverName: "sea", serverUrl: "https://sea.example/mcp", reason: "initial" }, { ephemeral: true });
  await push(page, script.take());
  await card(page, "s").getByText("The token that you paste").waitFor();
  await card(page, "s").locator(".request-what", { hasText: "https://sea.example/mcp" }).waitFor();
  assert.equal(await card(page, "s").locator("a").count(), 0);
  await page.evaluate(() => document.querySelector("pilot-house").setAttribute("readonly", ""));
  await card(page, "s").getByText("Read only: answers come from elsewhere.").waitFor();
  assert.doesNotMatch(await card(page, "s").innerText(), /token|paste/i);
});
