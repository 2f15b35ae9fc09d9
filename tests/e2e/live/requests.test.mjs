// Tests every kind of request of the real runtime, with every answer in the protocol's
// table, without page and gateway.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";

import { scriptedModel } from "./support/model.mjs";
import { EVERYTHING, absent, home, startRuntime } from "./support/runtime.mjs";
import { SCENES } from "./support/request-cases.mjs";
import { assertValid } from "./support/schema.mjs";
import { LiveSession, followed, raise } from "./support/sessions.mjs";

describe("the real runtime takes every answer", { skip: absent }, () => {
  let model;
  let folders;
  let runtime;

  before(async () => {
    model = await scriptedModel({ user: { token_based_billing: true } });
    folders = await home();
    runtime = await startRuntime(folders, model);
  });

  after(async () => {
    await runtime?.stop();
    model?.close();
    await folders?.remove();
  });

  async function create(project, options) {
    const sessionId = randomUUID();
    await runtime.call("session.create", { ...EVERYTHING, ...options, sessionId, workingDirectory: project });
    return new LiveSession(runtime, sessionId, { project, model: model.address, mayRegister: true });
  }

  for (const scene of SCENES) {
    for (const [name, answer] of Object.entries(scene.answers)) {
      test(`${scene.name}: ${name}`, async () => {
        const { session, request } = await raise(scene, answer, { model, home: folders, create });
        const params = { sessionId: session.id, requestId: request.data.requestId, ...answer.says(request, session) };
        assertValid(scene.method, params);
        assert.deepEqual(await runtime.call(scene.method, params), { success: true });
        await followed(scene, answer, { session, request, model });
      });
    }
  }
});
