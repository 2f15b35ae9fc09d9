// One session of the real runtime as tests see it, and how to play a scene up to its request.

import assert from "node:assert/strict";

/**
 * A session. `peer` reaches the runtime directly or through a gateway, which registers
 * its interest by itself.
 */
export class LiveSession {
  constructor(peer, id, { project, model, mayRegister = false }) {
    Object.assign(this, { peer, id, project, model, mayRegister });
  }

  call(method, params = {}) {
    return this.peer.call(method, { sessionId: this.id, ...params });
  }

  /** The first matching event; with `after`, only among those that came after that one. */
  event(wanted, after) {
    const heard = this.peer.heard;
    const from = after ? heard.findIndex(({ event }) => event === after) + 1 : 0;
    return this.peer.event(this.id, wanted, from);
  }

  /** Every event so far of this type, or that satisfies this predicate. */
  events(wanted) {
    const fits = typeof wanted === "string" ? ({ type }) => type === wanted : wanted;
    return this.peer.heard.filter((params) => params.sessionId === this.id && fits(params.event)).map(({ event }) => event);
  }

  /** Calls `act` with every event of a type from now on. */
  each(type, act) {
    this.peer.watch((params) => {
      if (params.sessionId === this.id && params.event.type === type) act(params.event);
    });
  }

  send(prompt, more = {}) {
    return this.call("session.send", { prompt, ...more });
  }
}

/** Plays a scene up to its request. `create` makes a session with these options in this working directory. */
export async function raise(scene, answer, { model, home, create }) {
  const project = await home.project();
  scene.prepare?.(model, project);
  const session = await create(project, { ...scene.options, ...(scene.serves && { mcpServers: scene.serves(model.address) }) });
  for (const eventType of session.mayRegister ? (scene.interest ?? []) : []) {
    await session.call("session.eventLog.registerInterest", { eventType });
  }
  if (answer.again || answer.locates) session.location = (await session.call("session.permissions.locations.resolve", { workingDirectory: project })).locationKey;
  await scene.before?.(session);
  scene.follow?.(session);
  model.play(...scene.replies(session, answer));
  await (scene.begin ? scene.begin(session) : session.send("Off we go"));
  await scene.lead?.(session);
  return { session, request: await session.event(scene.asks) };
}

/** Checks the effects of an answer: the request is settled with it, and the agent went on. */
export async function followed(scene, answer, { session, request, model }) {
  const { requestId } = request.data;
  const settled = await session.event((event) => event.type === scene.settles && event.data.requestId === requestId);
  assert.ok(answer.outcome?.(settled.data) ?? true, JSON.stringify(settled.data));
  // After the request, not after its settling: the order of these two is not guaranteed.
  if (scene.idle !== false) await session.event("session.idle", request);
  await answer.proof?.(session);
  if (answer.told) {
    const told = model.told.join("\n");
    assert.ok(answer.told.test(told), `the model should hear ${answer.told}, and heard: ${told}`);
  }
  assert.equal(model.unscripted, 0, "the agent did what the script says");
  if (answer.again) assert.equal(session.events(scene.asks).length, 1, "what was allowed for longer is not asked again");
}
