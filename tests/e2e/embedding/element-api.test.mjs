// Tests the interface for host pages: `push`, `session`, the element's events, `load` and `Session`.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

import { Script } from "../support/events.mjs";
import { IDLE, IN_FIREFOX, answer, card, data, frames, push, scenario, snapshot, until } from "../support/harness.mjs";

const words = (...said) => new Script("pushed").user("Go").turn().say(said.join(" ")).rest().events;

scenario("push takes strings, bytes and objects, cut anywhere", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`);
  assert.equal(await page.locator("pilot-house").getAttribute("data-connection"), "replaying");
  const accepted = await page.evaluate((events) => {
    const element = document.querySelector("pilot-house");
    const line = (event) => `${JSON.stringify(event)}\n`;
    const [start, user, turn, said, ...rest] = events;
    const text = line(user);
    const bytes = new TextEncoder().encode(line(said));
    const boat = bytes.indexOf(0xe2) + 1; // in the middle of a character
    return [
      element.push(start),
      element.push(text.slice(0, 20)),
      element.push(text.slice(20)),
      element.push({ jsonrpc: "2.0", method: "session.event", params: { sessionId: "pushed", event: turn, seq: 3 } }),
      element.push(bytes.subarray(0, boat)),
      element.push(bytes.subarray(boat)),
      element.push(rest.map(line).join("")),
    ];
  }, words("A boat ⛵ and", "a pier"));
  assert.deepEqual(accepted, [1, 0, 1, 1, 0, 1, 2]);
  await page.getByText("A boat ⛵ and a pier").waitFor();
  const view = await snapshot(page);
  assert.deepEqual([view.events.total, view.events.malformed, view.session.status], [6, 0, "idle"]);
  assert.equal(await page.locator("pilot-house").getAttribute("data-status"), "idle");
});

scenario("the property `session` feeds the same page, and its snapshot has the shape of `inspect`", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`);
  const keys = await page.evaluate((events) => {
    const { session } = document.querySelector("pilot-house");
    for (const event of events) session.pushFrame(JSON.stringify(event));
    return Object.keys(session.snapshot());
  }, words("Through the property"));
  const contract = ["events", "session", "llmCalls", "timeline", "pending", "queue", "modelContext", "usage", "diagnostics"];
  assert.deepEqual(contract.filter((key) => !keys.includes(key)), []);
  await page.getByText("Through the property").waitFor();
});

scenario("the element tells of requests, answers, status and errors; a prevented answer is the host's", async (stage) => {
  const gateway = await stage.serve([new Script("asking").user("Go").turn().ask("look", "ls").allowed("look").rest().events]);
  const page = await stage.embed(gateway, `transport="none"`);
  await page.evaluate((gateway) => {
    window.told = [];
    for (const name of ["request", "answer", "status", "error"]) {
      document.body.addEventListener(`pilothouse-${name}`, (event) => {
        window.told.push({ name, detail: event.detail, composed: event.composed, bubbles: event.bubbles });
        if (name === "answer") event.preventDefault();
      });
    }
    const element = document.querySelector("pilot-house");
    element.setAttribute("src", gateway);
    element.setAttribute("transport", "ws");
  }, gateway);
  const told = (name) => page.evaluate((name) => window.told.filter((event) => event.name === name), name);
  const sent = [];
  page.on("websocket", (socket) => socket.on("framesent", ({ payload }) => sent.push(String(payload))));

  await answer(page, "look", "approve-once");
  await card(page, "look").getByRole("status").waitFor();
  const [asked] = await told("request");
  assert.deepEqual([asked.bubbles, asked.composed], [true, true]);
  assert.equal(asked.detail.id, "look");
  assert.equal(asked.detail.request.details.permissionRequest.fullCommandText, "ls");
  const [answered, ...more] = await told("answer");
  assert.deepEqual(more, []);
  assert.deepEqual(answered.detail, {
    method: "session.permissions.handlePendingPermissionRequest",
    params: { sessionId: "asking", requestId: "look", result: { kind: "approve-once" } },
  });
  assert.ok(!sent.some((frame) => frame.includes("handlePending")), "nothing was sent by the element");
  assert.equal((await snapshot(page)).session.status, "waiting");

  // The host sends it itself.
  await page.evaluate(async ({ method, params }) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    await fetch(`/api/sessions/${params.sessionId}/rpc`, { method: "POST", body });
  }, answered.detail);
  await until(page, IDLE);
  await page.locator('pilot-house[data-status="idle"]').waitFor();
  const statuses = (await told("status")).map((event) => event.detail.status).filter(Boolean);
  assert.ok(statuses.indexOf("waiting") >= 0 && statuses.indexOf("waiting") < statuses.lastIndexOf("idle"), statuses);

  await page.evaluate(() => document.querySelector("pilot-house").setAttribute("src", "ftp://nowhere"));
  await page.waitForFunction(() => window.told.some((event) => event.name === "error"));
  const [error] = await told("error");
  assert.match(error.detail.message, /ftp/);
  assert.equal(await page.locator("pilot-house").getAttribute("data-connection"), "closed");
});

scenario("an element that goes before it is connected says nothing on the host's console, and leaves no connection", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`);
  page.line.halt();
  const asked = page.waitForEvent("websocket");
  await page.evaluate(() => {
    const element = document.createElement("pilot-house");
    element.setAttribute("transport", "ws");
    document.body.append(element);
    window.brief = element;
  });
  const socket = await asked;
  await page.evaluate(() => window.brief.remove());
  await page.waitForFunction(() => window.brief.shadowRoot.childElementCount === 0);
  page.line.go();
  if (!socket.isClosed()) await socket.waitForEvent("close");
  assert.deepEqual(page.line.sent.map(({ method }) => method), []);
}, { skip: IN_FIREFOX && "WebDriver BiDi does not tell of WebSockets" });

scenario("a host may push from inside of its listener", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`);
  const asking = new Script("host").user("Go").turn().ask("look", "ls").events;
  const settled = { type: "permission.completed", id: "settled", data: { requestId: "look", result: { kind: "approved" } } };
  await page.evaluate(
    ([asking, settled]) => {
      const element = document.querySelector("pilot-house");
      element.addEventListener("pilothouse-request", () => element.push(settled));
      for (const event of asking) element.push(event);
    },
    [asking, settled],
  );
  await page.locator('[data-entry="permission"][data-state="settled"]').waitFor();
  assert.deepEqual((await snapshot(page)).pending, []);
});

scenario("a host is told every member of what is asked, whatever its name", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`);
  const args = `{"__proto__":{"command":"rm -rf build"},"command":"ls"}`;
  const asking = new Script("named").user("Go").turn().add("permission.requested", { requestId: "look", permissionRequest: { kind: "mcp", serverName: "boats", toolName: "sail", args: "ARGS" } }).events;
  const lines = asking.map((event) => `${JSON.stringify(event).replace('"ARGS"', args)}\n`).join("");
  const told = await page.evaluate(
    (lines) =>
      new Promise((tell) => {
        const element = document.querySelector("pilot-house");
        element.addEventListener("pilothouse-request", ({ detail }) => tell(JSON.stringify(detail)));
        element.push(lines);
      }),
    lines,
  );
  assert.ok(told.includes(args), told);
});

scenario("every attribute is a property, for frameworks that set properties, also before the element is defined", async (stage) => {
  const gateway = await stage.serve();
  // A page of the gateway's origin without the element. Browsers ask for an icon of it.
  const prepare = (page) => page.route(/favicon/, (route) => route.fulfill({ status: 204 }));
  const page = await stage.page(`${gateway}/extras/present.js`, { prepare });
  const attributes = await page.evaluate(async () => {
    const set = (name, values) => Object.assign(document.createElement(name), values);
    const early = set("pilot-house", { transport: "none", session: "one", answerUrl: "/answers", readonly: true });
    document.body.append(early);
    const { load } = await import("/pkg/index.js");
    await load();
    const late = set("pilot-house", { transport: "none", session: "two", theme: "dark", attention: true, readonly: false });
    const board = set("pilot-house-board", { src: "/", history: true });
    const named = (element) => Object.fromEntries(element.getAttributeNames().filter((name) => !/^(data-|role|style)/.test(name)).map((name) => [name, element.getAttribute(name)]));
    const was = [late.theme, late.attention, late.readonly, typeof late.session.snapshot];
    late.session = null;
    late.attention = undefined;
    return { early: named(early), late: named(late), board: named(board), was };
  });
  assert.deepEqual(attributes, {
    early: { transport: "none", session: "one", "answer-url": "/answers", readonly: "" },
    late: { transport: "none", theme: "dark" },
    board: { src: "/", history: "" },
    was: ["dark", true, false, "function"],
  });
});

scenario("`Session` alone: any split gives what one push gives; subscribers are told; it can be freed", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`);
  const text = await readFile(data("permissions"), "utf8");
  const result = await page.evaluate(async (text) => {
    const { load, Session } = await import("/pkg/index.js");
    await Promise.all([load(), load()]);
    const bytes = new TextEncoder().encode(text);
    const fed = (lengths) => {
      const session = new Session();
      let place = 0;
      for (let turn = 0; place < bytes.length; turn += 1) {
        const length = lengths[turn % lengths.length];
        session.push(bytes.subarray(place, place + length));
        place += length;
      }
      session.end();
      const view = JSON.stringify(session.snapshot());
      session.free();
      return view;
    };
    const whole = fed([bytes.length]);
    const splits = [[1], [7, 1, 301], [4096], [3, 65_536]].map((lengths) => fed(lengths) === whole);

    const session = new Session();
    const batches = [];
    const end = session.subscribe((changes) => batches.push(changes));
    session.push(text.slice(0, 3000));
    const before = batches.length;
    end();
    session.push(text.slice(3000));
    session.free();
    let freed = false;
    try {
      session.snapshot();
    } catch {
      freed = true;
    }
    const view = JSON.parse(whole);
    return { splits, before, after: batches.length, first: batches[0]?.[0], freed, total: view.events.total, malformed: view.events.malformed };
  }, text);
  assert.deepEqual(result.splits, [true, true, true, true]);
  assert.deepEqual([result.total, result.malformed], [text.trim().split("\n").length, 0]);
  assert.ok(result.before > 0 && result.after === result.before, "told while subscribed, and not after");
  assert.equal(typeof result.first.type, "string");
  assert.ok(result.freed);
});

scenario("frames of any characters are read whole, in one way: the encoder writes each of them once", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`);
  const [event] = new Script("texts").user("SAID").events.filter(({ type }) => type === "user.message");
  // Lone surrogates would not survive the transport, so characters are passed as numbers.
  const units = (text) => Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  const pieces = ["plain", "\u007f\u0080", "\u07ff\u0800", "\ud7ff\ue000", "\uffff", "🚀", "\u{10000}\u{10ffff}", "\ud83d", "\ude80", "\ude80\ud83d", "\ud83d🚀", "é"];
  const short = pieces.flatMap((piece) => [piece, `${piece} behind`, `before ${piece}`, ...pieces.map((other) => piece + other)]);
  const said = [...short, "é".repeat(8_000), "boats ".repeat(5_000)];
  const [told, asked] = await page.evaluate(async ({ event, said }) => {
    const { load, Session } = await import("/pkg/index.js");
    await load();
    const { encodeInto } = TextEncoder.prototype;
    let asked = 0;
    TextEncoder.prototype.encodeInto = function (...given) {
      asked += 1;
      return encodeInto.apply(this, given);
    };
    const each = said.map((units) => {
      const text = units.map((unit) => String.fromCharCode(unit)).join("");
      const session = new Session();
      const before = asked;
      session.pushFrame(event.replace("SAID", () => text));
      const frames = asked - before;
      const [entry] = session.snapshot().timeline;
      session.free();
      return [entry.text, frames];
    });
    return [each.map(([text]) => text), each.map(([, frames]) => frames)];
  }, { event: JSON.stringify(event), said: said.map(units) });
  assert.deepEqual(told, said.map((text) => text.toWellFormed()));
  assert.deepEqual([...new Set(asked)], [1]);
});

scenario("an element that is moved keeps its session; one that is removed lets go", async (stage) => {
  const gateway = await stage.serve([words("Still the same")]);
  const page = await stage.embed(gateway, "");
  await until(page, IDLE);
  const kept = await page.evaluate(async () => {
    const element = document.querySelector("pilot-house");
    const box = document.body.appendChild(document.createElement("div"));
    box.append(element);
    await Promise.resolve();
    const rows = element.shadowRoot.querySelectorAll("article").length;
    element.remove();
    await new Promise((done) => setTimeout(done));
    return { rows, left: element.shadowRoot.childElementCount };
  });
  assert.ok(kept.rows >= 2);
  assert.equal(kept.left, 0);
  await page.evaluate(() => {
    const element = document.createElement("pilot-house");
    element.style.height = "100vh";
    document.body.append(element);
  });
  await page.getByText("Still the same").waitFor();
});

/** The first row in sight of an element's timeline, and where it begins. */
const placeOf = (page) => page.evaluate(() => {
  const list = document.querySelector("pilot-house").shadowRoot.querySelector("[data-scroller]");
  const top = list.getBoundingClientRect().top;
  const rows = [...list.querySelectorAll("[data-entry]")];
  const first = rows.find((row) => row.getBoundingClientRect().bottom > top + 1);
  return first && list.scrollTop > 1000 ? [first.dataset.id, Math.round(first.getBoundingClientRect().top - top)] : undefined;
});

/** Waits until the rows around have been made and measured: nothing has moved for twenty frames. */
const settled = (page) => page.evaluate(async () => {
  const list = document.querySelector("pilot-house").shadowRoot.querySelector("[data-scroller]");
  for (let still = 0, last = ""; still < 20; still += 1) {
    await new Promise(requestAnimationFrame);
    const now = `${list.scrollTop} ${list.scrollHeight} ${list.querySelectorAll("[data-entry]").length}`;
    if (now !== last) still = 0;
    last = now;
  }
});

scenario("an element that is moved, hidden, or taken out for a moment is where it was", async (stage) => {
  const long = new Script("long");
  for (let turn = 0; turn < 60; turn += 1) long.user(`Question ${turn}`).turn().say(`Answer ${turn}\n\n${"and more words. ".repeat(60)}`);
  const page = await stage.embed(await stage.files(), `transport="none"`);
  await page.evaluate((events) => {
    const element = document.querySelector("pilot-house");
    for (const event of events) element.push({ ...event });
  }, long.rest().take());
  await page.getByText("Answer 59").first().waitFor();
  const moves = {
    moved: () => {
      const box = document.body.appendChild(document.createElement("div"));
      box.append(document.querySelector("pilot-house"));
    },
    hidden: async () => {
      const element = document.querySelector("pilot-house");
      // The scroll event of what was scrolled last comes when there is no layout any more.
      const list = element.shadowRoot.querySelector("[data-scroller]");
      const top = list.scrollTop;
      list.scrollTop = top - 1;
      list.scrollTop = top;
      const box = document.body.appendChild(document.createElement("div"));
      box.style.display = "none";
      box.append(element);
      for (let frames = 0; frames < 3; frames += 1) await new Promise(requestAnimationFrame);
      box.style.display = "";
    },
    "taken out": async () => {
      const element = document.querySelector("pilot-house");
      const parent = element.parentNode;
      element.remove();
      await new Promise((done) => setTimeout(done, 300));
      parent.append(element);
    },
  };
  for (const place of ["the end", "the middle"]) {
    if (place === "the middle") {
      await page.evaluate(() => (document.querySelector("pilot-house").shadowRoot.querySelector("[data-scroller]").scrollTop = 3000));
    }
    for (const [what, move] of Object.entries(moves)) {
      await settled(page);
      const before = await placeOf(page);
      assert.ok(before, `${what} at ${place}`);
      await page.evaluate(move);
      await frames(page);
      await frames(page);
      assert.deepEqual(await placeOf(page), before, `${what} at ${place}`);
    }
  }
  // Words come in the frame in which the element is moved: the end is followed all the same.
  await page.evaluate(async (events) => {
    const element = document.querySelector("pilot-house");
    const list = element.shadowRoot.querySelector("[data-scroller]");
    list.scrollTop = list.scrollHeight;
    for (let frames = 0; frames < 3; frames += 1) await new Promise(requestAnimationFrame);
    for (const event of events) element.push({ ...event });
    await new Promise(requestAnimationFrame);
    document.body.appendChild(document.createElement("div")).append(element);
  }, long.turn("60").say("More\n\n".repeat(30)).rest("60").take());
  await frames(page);
  await frames(page);
  const left = await page.evaluate(() => {
    const list = document.querySelector("pilot-house").shadowRoot.querySelector("[data-scroller]");
    return list.scrollHeight - list.clientHeight - list.scrollTop;
  });
  assert.ok(left < 2, `${left} px from the end`);
});

scenario("a field in an element that is moved keeps the focus and its selection, unless somebody else has the focus", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none"`, { whole: false });
  const script = new Script("moved").user("Go").turn();
  script.add("user_input.requested", { requestId: "q", question: "Where?", choices: ["pier"], allowFreeform: true });
  await push(page, script.take());
  const field = page.locator('[data-request-id="q"] textarea');
  await field.focus();
  await page.keyboard.type("at sea");
  await page.keyboard.press("ArrowLeft");
  const focused = () => page.evaluate(() => {
    const on = document.querySelector("pilot-house").shadowRoot.activeElement;
    return on && [on.localName, on.value, on.selectionStart];
  });
  const before = await focused();
  assert.deepEqual(before, ["textarea", "at sea", 5]);
  const move = (how) => page.evaluate(how);
  await move(() => document.body.appendChild(document.createElement("div")).append(document.querySelector("pilot-house")));
  assert.deepEqual(await focused(), before);
  await move(async () => {
    const element = document.querySelector("pilot-house");
    element.remove();
    await new Promise((done) => setTimeout(done, 100));
    document.body.append(element);
  });
  assert.deepEqual(await focused(), before, "taken out for a moment");
  await move(() => {
    const element = document.querySelector("pilot-house");
    element.remove();
    document.body.appendChild(document.createElement("input")).focus();
    document.body.append(element);
  });
  assert.equal(await focused(), null, "the page's own field has it");
  await field.focus();
  await move(() => document.querySelector("pilot-house").shadowRoot.activeElement.blur());
  await move(() => document.body.append(document.querySelector("pilot-house")));
  assert.equal(await focused(), null, "nobody had it");
});
