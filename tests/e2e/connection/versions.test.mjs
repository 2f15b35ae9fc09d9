// Tests a page with a gateway of another version of the protocol.

import assert from "node:assert/strict";

import { data, scenario, snapshot, until } from "../support/harness.mjs";

const strip = (page, words) => page.locator('[part="strip"]').filter({ hasText: words });

/** Has the gateway state another version of the protocol. */
const states = (version) => (page) =>
  page.routeWebSocket(/\/api\/rpc/, (near) => {
    const far = near.connectToServer();
    far.onMessage((message) => near.send(String(message).replace('"protocol":1', `"protocol":${version}`)));
  });

for (const [version, words] of [[2, "The server speaks a newer protocol (2) than this page (1)."], [0, "The server speaks an older protocol (0) than this page (1)."]]) {
  scenario(`a page says what it can't show of a gateway with protocol ${version}, and shows the rest`, async (stage) => {
    const page = await stage.embed(await stage.serve([data("plan-then-build")]), "", { prepare: states(version) });
    await strip(page, words).waitFor();
    await until(page, (view) => view.pending.length > 0);
    assert.ok((await snapshot(page)).timeline.length > 3);
  });
}

scenario("a page says nothing of versions to a gateway of its own", async (stage) => {
  for (const transport of ["ws", "sse"]) {
    const page = await stage.embed(await stage.serve([data("plan-then-build")]), `transport="${transport}"`);
    await until(page, (view) => view.pending.length > 0);
    assert.equal(await strip(page, "protocol").count(), 0);
  }
});

scenario("over server-sent events the version is a header", async (stage) => {
  const address = await stage.serve([data("plan-then-build")]);
  const { headers, body } = await fetch(`${address}/api/sessions/${(await (await fetch(`${address}/api/sessions`)).json())[0].sessionId}/events`);
  assert.equal(headers.get("pilothouse-protocol"), "1");
  await body.cancel();
});
