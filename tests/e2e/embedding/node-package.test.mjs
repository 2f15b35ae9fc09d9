// Tests the package without a document: a Session in Node.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Script } from "../support/events.mjs";
import { PATIENCE, data, scenario } from "../support/harness.mjs";
import { wire } from "../support/proxy.mjs";

test("a session is reduced in Node, from bytes and from text", async () => {
  const { Session, load } = await import(new URL("../../../dist/pkg/index.js", import.meta.url));
  await load();
  const lines = new Script("node").user("Is it here?").turn().say("It is.").rest().events.map((event) => `${JSON.stringify(event)}\n`).join("");
  for (const chunk of [lines, new TextEncoder().encode(lines)]) {
    const session = new Session();
    session.push(chunk);
    session.end();
    const { timeline } = session.snapshot();
    assert.deepEqual(timeline.map(({ text }) => text).filter(Boolean), ["Is it here?", "It is."]);
    session.free();
  }
});

test("frames are read whole, short and long, whatever characters they have", async () => {
  const { Session, load } = await import(new URL("../../../dist/pkg/index.js", import.meta.url));
  await load();
  const said = ["plain", "é first", "in the é middle", "last é", "€", "🚀 and 🚀", "lone \ud83d", ...[0, 1, 2, 300, 600].map((more) => "x".repeat(more) + "ü")];
  for (const text of said) {
    // Frames of several lengths around that text, because the encoder depends on the length.
    for (const id of ["e", "e".repeat(200), "e".repeat(512)]) {
      const [event] = new Script("node").user(text).events.filter(({ type }) => type === "user.message");
      // `JSON.stringify` escapes lone surrogates, so put the raw one back.
      const frame = JSON.stringify({ ...event, id }).replace("\\ud83d\"", "\ud83d\"");
      const session = new Session();
      assert.equal(session.pushFrame(frame), 1, frame);
      assert.deepEqual(session.snapshot().timeline.map((entry) => entry.text), [text.toWellFormed()], frame);
      session.free();
    }
  }
});

// Node 20 has no WebSocket without an option.
for (const transport of globalThis.WebSocket ? ["ws", "sse"] : ["sse"]) {
  scenario(`a program follows a gateway that has started over from its start, over ${transport}`, async (stage) => {
    const { connect, load } = await import(new URL("../../../dist/pkg/headless.js", import.meta.url));
    await load();
    const line = await wire(stage, await stage.serve([data("permissions")]));
    const connection = connect(`${line.address}/`, { transport, signal: AbortSignal.timeout(PATIENCE) });
    stage.atEnd(() => connection.close());
    const reached = async (holds) => {
      const now = () => holds(connection.session.snapshot());
      if (now()) return;
      for await (const _ of connection) if (now()) return;
      assert.fail(`not reached: ${holds}`);
    };
    await reached(({ pending }) => pending.length === 1);
    const { pending: [{ requestId }], timeline: { length } } = connection.session.snapshot();
    await connection.answer(requestId, { result: { kind: "approve-once" } });
    await reached(({ pending }) => pending.length === 1 && pending[0].requestId !== requestId);
    line.cut();
    line.lead(await stage.serve([data("permissions")]));
    line.mend();
    await reached(({ pending }) => pending.length === 1 && pending[0].requestId === requestId);
    const view = connection.session.snapshot();
    assert.equal(view.timeline.length, length);
    assert.deepEqual([view.events.malformed, view.timeline.filter(({ kind }) => kind === "gap")], [0, []]);
  });
}
