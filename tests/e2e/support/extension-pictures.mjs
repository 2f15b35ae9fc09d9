// Makes the pictures of docs/extending.md in docs/images/extending.
//
//   node --test tests/e2e/support/extension-pictures.mjs     (PILOTHOUSE_BIN, CHROMIUM as for the tests)

import { fileURLToPath } from "node:url";

import { composerPage, field } from "./composer-page.mjs";
import { scenario } from "./harness.mjs";
import { Runtime } from "./stand-in.mjs";

const FOLDER = new URL("../../../docs/images/extending/", import.meta.url);
const SIZE = { width: 720, height: 520 };

/** Takes the picture `name` of the page, when the pointer's marks have gone and everything stands. */
async function picture(page, name) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.screenshot({ path: fileURLToPath(new URL(`${name}.jpg`, FOLDER)), type: "jpeg", quality: 82, animations: "disabled", caret: "initial" });
}

/** A session in which somebody asked for the tides and a tool has told them. */
const tides = (runtime) => {
  const hours = { place: "Husum", unit: "m", heights: [0.4, 0.9, 1.8, 2.7, 3.3, 3.4, 2.9, 2.0, 1.2, 0.6, 0.3, 0.5] };
  runtime.script.user("When can the Anna leave Husum today?").turn("1");
  runtime.script.add("tool.execution_start", { toolCallId: "t", toolName: "tide_table", arguments: { harbour: "Husum" } });
  runtime.script.add("tool.execution_complete", { toolCallId: "t", success: true, result: { content: JSON.stringify(hours) } });
  runtime.script.say("The Anna draws 2.4 m. She can leave **between 3 and 6 o'clock**, and again in the evening.");
  runtime.script.add("assistant.turn_end", { turnId: "1" }).add("session.idle", { mode: "interactive" }, { ephemeral: true });
};

scenario("renderers", async (stage) => {
  const { page } = await composerPage(stage, { ...SIZE, prepare: tides });
  await page.evaluate(async () => {
    const { registerRenderer } = await import("/pkg/index.js");
    registerRenderer("tool", "tide_table", ({ text }) => {
      const { heights, unit, place } = JSON.parse(text);
      const figure = document.createElement("figure");
      figure.style.cssText = "margin: 0; display: grid; gap: 6px; font: 13px system-ui";
      const bars = document.createElement("div");
      bars.style.cssText = "display: flex; align-items: end; gap: 4px; height: 96px; border-bottom: 1px solid #8899";
      for (const height of heights) {
        const bar = document.createElement("i");
        bar.style.cssText = `flex: 1; height: ${height * 26}px; border-radius: 3px 3px 0 0; background: ${height > 2.4 ? "#0b84a5" : "#9fc9d6"}`;
        bars.append(bar);
      }
      const caption = document.createElement("figcaption");
      caption.textContent = `${place}, midnight to noon; highest ${Math.max(...heights)} ${unit}`;
      figure.append(bars, caption);
      return figure;
    });
  });
  await page.locator("figure").waitFor();
  await picture(page, "renderers");
});

scenario("slots and suggestions", async (stage) => {
  const runtime = new Runtime();
  const address = await runtime.listen(stage);
  const page = await stage.embed(await stage.files(), `src="${address}"`, { ...SIZE, whole: false });
  await page.evaluate(() => {
    const put = (slot, tag, html) => {
      const node = document.createElement(tag);
      Object.assign(node, { slot, innerHTML: html });
      document.querySelector("pilot-house").append(node);
    };
    put("header", "b", "⚓ Harbour Inc.");
    put("empty", "div", "<p style='font-size: 22px; margin: 0 0 6px'>Moin!</p>Ask about tides, boats and berths.");
    put("composer-actions", "button", "Dictate");
    document.querySelector("pilot-house").suggestions = ["When is high tide?", "Which boats come in today?", "Write up the night's log"];
  });
  runtime.script.add("session.idle", { mode: "interactive" }, { ephemeral: true });
  runtime.tell();
  await page.getByRole("group", { name: "Suggestions" }).waitFor();
  await picture(page, "slots");
});

scenario("buttons for entries", async (stage) => {
  const { page } = await composerPage(stage, { ...SIZE, prepare: tides });
  await page.evaluate(() => {
    document.querySelector("pilot-house").entryActions = [{ label: "Pin", run() {} }, { label: "Into the logbook", run() {} }];
  });
  await page.locator('[data-entry="assistant"]').last().hover();
  await page.getByRole("button", { name: "Into the logbook" }).last().waitFor();
  await picture(page, "entry-actions");
});

scenario("commands and completions", async (stage) => {
  const { page } = await composerPage(stage, { ...SIZE, prepare: tides });
  await page.evaluate(() => {
    const element = document.querySelector("pilot-house");
    element.commands = [
      { name: "berth", description: "Put a berth's papers into the message", hint: "<number>", run() {} },
      { name: "tides", description: "Attach today's table", run() {} },
    ];
    element.completions = [{
      trigger: "#",
      complete: () => [
        { label: "#412", description: "The crane at berth 7 squeaks" },
        { label: "#409", description: "New lamps for the north pier" },
        { label: "#402", description: "Ferry timetable for winter" },
      ],
    }];
  });
  await field(page).pressSequentially("/");
  await page.getByRole("option", { name: "/tides" }).waitFor();
  await picture(page, "commands");
  await field(page).fill("");
  await field(page).pressSequentially("Who can mend #4");
  await page.getByRole("option").first().waitFor();
  await picture(page, "completions");
});
