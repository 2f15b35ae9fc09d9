// Owns that the package is of use without a document: a Session in Node. Refuses to start a browser.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Script } from "./events.mjs";

test("a session is reduced in Node, from bytes and from text", async () => {
  const { Session, load } = await import(new URL("../../dist/pkg/index.js", import.meta.url));
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
