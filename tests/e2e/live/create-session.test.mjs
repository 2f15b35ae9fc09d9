// Tests what a session of the real runtime is created with, and the consequences: its model, files restored
// by rewinding, a log that the inspector reads.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { scenario, until } from "../support/harness.mjs";
import { outfit } from "./support/gateway.mjs";
import { MODEL, absent } from "./support/runtime.mjs";

let model;
let folders;
let gateway;
let peer;
let end;

const IDLE = `(view) => view.llmCalls > 0 && view.session.status === "idle"`;

if (absent) {
  test("what sessions are made with", { skip: absent });
} else {
  before(async () => {
    ({ model, folders, gateway, peer, end } = await outfit());
  });

  after(() => end?.());

  scenario("'New session' offers the runtime's own models; another one is refused, and nothing is made", async (stage) => {
    const before = (await peer.call("pilothouse.sessions")).length;
    const refused = await peer.call("pilothouse.create", { model: "nonsense-9", workingDirectory: await folders.project() }).catch((error) => error);
    assert.match(String(refused.message), /no model "nonsense-9" here; there are .*gpt-5\.4, claude-sonnet-4\.5/);
    assert.equal((await peer.call("pilothouse.sessions")).length, before);

    const board = await stage.page(gateway.address);
    await board.locator("[data-new]:visible").click();
    const choice = board.getByRole("combobox", { name: "Model" });
    await choice.locator('option[value="gpt-5.4"]').waitFor({ state: "attached" });
    const offered = await choice.locator("option").evaluateAll((options) => options.map(({ value }) => value));
    assert.deepEqual(offered, ["", "auto", "gpt-5.4", "claude-sonnet-4.5"]);
    await choice.selectOption("gpt-5.4");
    await board.getByLabel("Working directory").fill(await folders.project());
    await board.getByRole("button", { name: "Create", exact: true }).click();
    const page = board.locator(".pane pilot-house");
    await page.locator(".fact.model", { hasText: "gpt-5.4" }).waitFor();
  });

  scenario("rewinding brings back the files that the agent changed", async (stage) => {
    const project = await folders.project();
    const file = join(project, "boats.txt");
    await writeFile(file, "white\n");
    const session = await gateway.session(peer, project);
    session.each("permission.requested", ({ data }) =>
      session.call("session.permissions.handlePendingPermissionRequest", { requestId: data.requestId, result: { kind: "approve-once" } }));
    model.play({ say: "I look.", calls: [{ name: "view", args: { path: file }, id: "look" }] }, { say: "It is white." });
    await session.send("What is in it?");
    const first = await session.event("session.idle");
    const calls = [{ name: "edit", args: { path: file, old_str: "white", new_str: "blue" }, id: "paint" }];
    model.play({ say: "I paint it.", calls }, { say: "It is blue now." });
    await session.send("Paint it blue");
    await session.event("session.idle", first);
    assert.equal(await readFile(file, "utf8"), "blue\n");

    const page = await stage.embed(gateway.address, `session="${session.id}"`, { whole: false });
    const message = page.locator('[data-entry="user"]', { hasText: "Paint it blue" });
    await message.hover();
    await message.locator('[data-act="rewind"]').click();
    await page.getByText("boats.txt").last().waitFor();
    await page.getByRole("radio").nth(1).check();
    await page.locator("[data-rewind]").click();
    await page.locator("[data-rewind]").click();
    await session.event("session.snapshot_rewind");
    await until(page, (view) => view.timeline.some(({ text }) => text.startsWith("Rewound")));
    assert.equal(await readFile(file, "utf8"), "white\n");
  });

  scenario("the log that the gateway keeps of a real session is read by inspect and export", async (stage) => {
    const session = await gateway.session(peer, await folders.project());
    model.play({ say: "The white boat lies at the pier." });
    await session.send("Where are the boats?");
    await session.event("session.idle");
    const page = await stage.embed(gateway.address, `session="${session.id}"`, { whole: false });
    await until(page, IDLE);
    const log = join(gateway.data, "sessions", `${session.id}.jsonl`);
    const lines = (await readFile(log, "utf8")).trim().split("\n").map((line) => JSON.parse(line));
    const run = (...all) => spawnSync(process.env.PILOTHOUSE_BIN, all, { encoding: "utf8" });
    const inspected = run("inspect", log);
    assert.deepEqual([inspected.status, inspected.stderr], [0, ""]);
    const view = JSON.parse(inspected.stdout);
    assert.equal(view.events.malformed, 0);
    assert.equal(view.events.total, lines.filter(({ seq }) => seq).length);
    assert.deepEqual([view.session.model, view.session.status], [MODEL, "idle"]);
    const exported = run("export", log, "--format", "md");
    assert.equal(exported.status, 0);
    assert.ok(exported.stdout.includes("The white boat lies at the pier."));
  });
}
