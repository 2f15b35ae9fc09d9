// Tests answers in the page to the real runtime: every answer in the protocol's table is clicked, fits the
// schema, is accepted by the runtime, and the agent goes on. Only the model is a stand-in.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { card, nightly, scenario, until } from "../support/harness.mjs";
import { outfit } from "./support/gateway.mjs";
import { give } from "./support/page-answers.mjs";
import { absent } from "./support/runtime.mjs";
import { SCENES } from "./support/request-cases.mjs";
import { assertValid } from "./support/schema.mjs";
import { followed, raise } from "./support/sessions.mjs";

/** One of each kind of card. What the runtime takes is tried for every answer of every request by requests.test.mjs. */
const EACH_KIND = ["permission: shell", "question with choices", "form", "plan", "session limits"];

let model;
let folders;
let gateway;
let peer;
let end;

/** Every request that the page sends with its response, in the order of sending. */
function listen(page) {
  const calls = [];
  const read = (payload) => String(payload).split("\n").filter(Boolean).map((line) => JSON.parse(line));
  page.on("websocket", (socket) => {
    socket.on("framesent", ({ payload }) => {
      for (const { id, method, params } of read(payload)) if (method) calls.push({ id, socket, method, params });
    });
    socket.on("framereceived", ({ payload }) => {
      for (const { id, method, result, error } of read(payload)) {
        const call = method ? undefined : calls.find((call) => call.id === id && call.socket === socket);
        if (call) Object.assign(call, { result, error });
      }
    });
  });
  return calls;
}

/** Shows a session in an element of its own: in a new page, or in place of the previous element. */
async function show(stage, page, id) {
  if (page) {
    await page.evaluate((id) => {
      const element = document.createElement("pilot-house");
      element.setAttribute("session", id);
      document.querySelector("pilot-house").replaceWith(element);
    }, id);
    return page;
  }
  let calls;
  const opened = await stage.embed(gateway.address, `session="${id}"`, { whole: false, prepare: (page) => void (calls = listen(page)) });
  return Object.assign(opened, { calls });
}

async function answered(stage, scene) {
  let page;
  for (const [name, answer] of Object.entries(scene.answers)) {
    const create = (project, options) => gateway.session(peer, project, options);
    const { session, request } = await raise(scene, answer, { model, home: folders, create });
    const { requestId } = request.data;
    page = await show(stage, page, session.id);
    const asked = card(page, requestId);
    await asked.waitFor();
    const expected = { sessionId: session.id, requestId, ...answer.says(request, session) };
    if (answer.offered === false) {
      assert.equal(await asked.locator(`[data-answer="${name}"]`).count(), 0, `${name} is not offered`);
      await session.call(scene.method, expected);
    } else {
      await give(asked, scene, name);
    }
    await followed(scene, answer, { session, request, model });
    await asked.waitFor({ state: "detached" });
    await until(page, (view, id) => view.pending.every((request) => request.requestId !== id), requestId);
    const sent = page.calls.filter(({ method, params }) => method === scene.method && params.requestId === requestId);
    if (answer.offered === false) continue;
    assert.equal(sent.length, 1, `${name}: sent once`);
    assertValid(scene.method, sent[0].params);
    assert.deepEqual(sent[0].params, expected, name);
    assert.deepEqual(sent[0].result, { success: true }, `${name}: ${JSON.stringify(sent[0].error)}`);
  }
}

if (absent) {
  test("answers in the page, taken by the real runtime", { skip: absent });
} else {
  before(async () => {
    ({ model, folders, gateway, peer, end } = await outfit({ user: { token_based_billing: true } }));
  });

  after(() => end?.());

  for (const scene of SCENES.filter(({ elsewhere }) => !elsewhere)) {
    (EACH_KIND.includes(scene.name) ? scenario : nightly)(`clicked in the page, taken by the real runtime: ${scene.name}`, (stage) => answered(stage, scene));
  }
}
