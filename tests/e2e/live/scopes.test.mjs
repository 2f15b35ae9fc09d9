// Tests with the real runtime what each lasting approval grants: which later calls go through, and which are asked for again.
// The words on the cards and the table in docs/design/requests.md say the same.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { HARBOUR, isPathPrompt } from "./support/request-cases.mjs";
import { scriptedModel } from "./support/model.mjs";
import { EVERYTHING, NEXT, absent, home, startRuntime } from "./support/runtime.mjs";
import { assertValid } from "./support/schema.mjs";
import { LiveSession } from "./support/sessions.mjs";

const ANSWER = "session.permissions.handlePendingPermissionRequest";

const bash = (command) => ({ name: "bash", args: { command, description: "Work" } });
const view = (path) => ({ name: "view", args: { path } });
const fetches = (url) => ({ name: "web_fetch", args: { url } });
const tool = (name, args = {}) => ({ name, args });

let files = 0;
const create = (folder) => ({ name: "create", args: { path: join(folder, `boat-${++files}.md`), file_text: "White." } });

const TOOLS = ["tide", "moon"].map((name) => ({ name, description: name, parameters: { type: "object", properties: { at: { type: "string" } } } }));

/**
 * Each with its first call, the approval for the session (and for the location, where there is one), the calls that it covers,
 * and those that are asked for again. `folders` are the project and a folder outside of it.
 */
const GRANTS = [
  {
    name: "read: every file in the session's folders",
    first: ({ project }) => view(project),
    approval: { kind: "read" },
    covers: ({ project }) => [view(join(project, "log.md")), tool("grep", { pattern: "calm", path: project }), tool("glob", { pattern: "*", path: project })],
    asks: ({ project, outside }) => [view(join(outside, "a.md")), bash("cat log.md"), create(project)],
  },
  {
    name: "write: every file in the session's folders",
    first: ({ project }) => create(project),
    approval: { kind: "write" },
    covers: ({ project }) => [create(project), { name: "edit", args: { path: join(project, "log.md"), old_str: "calm", new_str: "wind" } }],
    asks: ({ project, outside }) => [create(outside), bash("touch sail.txt"), bash("echo wind > log.md"), view(project)],
  },
  {
    name: "shell: this very command",
    first: () => bash("touch sail.txt"),
    approval: (data) => ({ kind: "commands", commandIdentifiers: data.permissionRequest.commands.map(({ identifier }) => identifier) }),
    covers: () => [bash("touch sail.txt")],
    asks: () => [bash("touch rope.txt"), bash("touch sail.txt && ls"), bash("touch")],
  },
  {
    name: "mcp: every call of this tool on this server",
    options: { mcpServers: HARBOUR },
    first: () => tool("harbour-paint"),
    approval: (data) => ({ kind: "mcp", serverName: "harbour", toolName: data.promptRequest.toolName }),
    covers: () => [tool("harbour-paint", { colour: "red" })],
    asks: () => [tool("harbour-form")],
  },
  {
    name: "custom tool: every call of it",
    options: { tools: TOOLS },
    first: () => tool("tide"),
    approval: { kind: "custom-tool", toolName: "tide" },
    covers: () => [tool("tide", { at: "noon" })],
    asks: () => [tool("moon")],
  },
  {
    name: "url: every address of this scheme, host and port",
    first: () => fetches("https://127.0.0.1/tides"),
    domain: "127.0.0.1",
    covers: () => [fetches("https://127.0.0.1/moon?at=noon")],
    asks: () => [fetches("http://127.0.0.1/tides"), fetches("https://127.0.0.1:8443/tides"), fetches("https://127.0.0.2/tides"), bash("curl https://127.0.0.1/tides")],
  },
  {
    name: "path of a file: this file, to read and to change it",
    first: ({ outside }) => view(join(outside, "a.md")),
    covers: ({ outside }) => [view(join(outside, "a.md")), { name: "edit", args: { path: join(outside, "a.md"), old_str: "a", new_str: "b" } }],
    asks: ({ outside }) => [view(join(outside, "b.md")), view(outside), create(outside)],
    ofPaths: true,
  },
  {
    name: "path of a folder: everything in it",
    first: ({ outside }) => view(outside),
    covers: ({ outside }) => [view(join(outside, "a.md")), view(join(outside, "deep/c.md")), create(outside)],
    asks: ({ outside }) => [view(join(outside, ".."))],
    ofPaths: true,
  },
  {
    name: "path of a new file: this file; before 1.0.15, its folder",
    first: ({ outside }) => create(outside),
    covers: ({ outside }) => (NEXT ? [] : [view(join(outside, "a.md")), create(outside)]),
    asks: ({ outside }) => (NEXT ? [view(join(outside, "a.md")), create(outside)] : [view(join(outside, ".."))]),
    ofPaths: true,
  },
];

describe("what a lasting approval grants", { skip: absent }, () => {
  let model;
  let folders;
  let runtime;
  let elsewhere;

  before(async () => {
    model = await scriptedModel();
    folders = await home();
    // The runtime counts the folder for temporary files among the session's.
    elsewhere = mkdtempSync("/var/tmp/pilothouse-live-");
    runtime = await startRuntime(folders, model);
  });

  after(async () => {
    await runtime?.stop();
    model?.close();
    await folders?.remove();
    if (elsewhere) rmSync(elsewhere, { recursive: true });
  });

  async function places() {
    const project = await folders.project();
    const outside = mkdtempSync(join(elsewhere, "outside-"));
    mkdirSync(join(outside, "deep"));
    writeFileSync(join(project, "log.md"), "calm\n");
    for (const file of ["a.md", "b.md", "deep/c.md"]) writeFileSync(join(outside, file), "a\n");
    return { project, outside };
  }

  async function begin({ options, project }) {
    const sessionId = randomUUID();
    await runtime.call("session.create", { ...EVERYTHING, ...options, sessionId, workingDirectory: project });
    const session = new LiveSession(runtime, sessionId, { project, model: model.address });
    session.each("external_tool.requested", ({ data }) => session.call("session.tools.handlePendingToolCall", { requestId: data.requestId, result: "high" }));
    session.each("elicitation.requested", ({ data }) => session.call("session.ui.handlePendingElicitation", { requestId: data.requestId, result: { action: "cancel" } }));
    return session;
  }

  /** Makes one call. Answers what is asked with `answer(data)`, else with a rejection. Returns what was asked. */
  async function play(session, call, answer = () => ({ kind: "reject", feedback: "No." })) {
    model.play({ say: "I call it.", calls: [call] }, { say: "Done." });
    const asked = [];
    const from = runtime.heard.length;
    for (;;) {
      const next = ({ type, id }) => type === "session.idle" || (type === "permission.requested" && !asked.some((event) => event.id === id));
      const event = await runtime.event(session.id, next, from);
      if (event.type === "session.idle") return asked;
      asked.push(event);
      const params = { sessionId: session.id, requestId: event.data.requestId, result: answer(event.data) };
      assertValid(ANSWER, params);
      assert.deepEqual(await runtime.call(ANSWER, params), { success: true });
    }
  }

  const send = async (session, call, answer) => {
    const played = play(session, call, answer);
    await session.send("Off we go");
    return played;
  };

  const said = ({ name, args }) => `${name} ${JSON.stringify(args)}`;

  async function holds(grant, session, where) {
    // A path is asked for on its own, and then the tool that wants it asks for itself.
    const counts = (events) => events.filter((event) => !grant.ofPaths || isPathPrompt(event)).length;
    for (const call of grant.covers(where)) assert.equal(counts(await send(session, call)), 0, `is covered: ${said(call)}`);
    for (const call of grant.asks(where)) assert.equal(counts(await send(session, call)), 1, `is asked for again: ${said(call)}`);
  }

  for (const grant of GRANTS) {
    const approval = (data) => (typeof grant.approval === "function" ? grant.approval(data) : grant.approval);

    test(`for the session, ${grant.name}`, async () => {
      const where = await places();
      const session = await begin({ ...grant, ...where });
      const lasting = (data) => ({ kind: "approve-for-session", ...(grant.approval && { approval: approval(data) }), ...(grant.domain && { domain: grant.domain }) });
      const answer = (data) => (grant.ofPaths && data.promptRequest.kind !== "path" ? { kind: "approve-once" } : lasting(data));
      const asked = await send(session, grant.first(where), answer);
      assert.equal(asked.length, grant.ofPaths ? 2 : 1);
      await holds(grant, session, where);
      const later = await begin({ ...grant, ...where });
      assert.notEqual((await send(later, grant.first(where))).length, 0, "another session is asked");
    });

    if (!grant.approval) continue;
    test(`for the location, ${grant.name}`, async () => {
      const where = await places();
      const session = await begin({ ...grant, ...where });
      const { locationKey } = await session.call("session.permissions.locations.resolve", { workingDirectory: where.project });
      await send(session, grant.first(where), (data) => ({ kind: "approve-for-location", approval: approval(data), locationKey }));
      await holds(grant, session, where);
      const later = await begin({ ...grant, ...where });
      const first = grant.first(where);
      assert.equal((await send(later, first)).length, 0, `a later session is not asked: ${said(first)}`);
      const other = await places();
      assert.equal((await send(await begin({ ...grant, ...other }), grant.first(other))).length, 1, "another folder is asked");
    });
  }

  test("for the location, a path: this one access, and a rule that does not cover the next", async () => {
    const where = await places();
    const session = await begin(where);
    const { locationKey } = await session.call("session.permissions.locations.resolve", { workingDirectory: where.project });
    const call = view(join(where.outside, "a.md"));
    const asked = await send(session, call, () => ({ kind: "approve-for-location", approval: { kind: "read" }, locationKey }));
    assert.equal(asked.length, 1);
    assert.equal((await send(session, call)).filter(isPathPrompt).length, 1, "the path is asked for again");
    assert.equal((await send(session, view(where.project))).length, 0, "reading in the session's folders is allowed from now on");
  });

  test("the edits that follow a plan are asked for, whether or not the plan's answer allows them", async () => {
    const where = await places();
    const session = await begin(where);
    await session.call("session.mode.set", { mode: "plan" });
    model.play({ say: "I plan.", calls: [tool("exit_plan_mode", { summary: "- paint", actions: ["interactive"], recommendedAction: "interactive" })] }, { say: "Planned." });
    await session.send("Plan it");
    const plan = await session.event("exit_plan_mode.requested");
    await session.call("session.ui.handlePendingExitPlanMode", { requestId: plan.data.requestId, response: { approved: true, selectedAction: "interactive", autoApproveEdits: true } });
    await session.event("session.idle", plan);
    assert.equal((await send(session, create(where.project))).length, 1);
  });
});
