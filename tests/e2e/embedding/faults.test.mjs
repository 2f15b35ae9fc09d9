// Tests faults of the program: a call into the wasm that never returns. The element that it was at work for shows its last state
// and starts again, the others on the page go on.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { answer, card, frames, scenario, snapshot } from "../support/harness.mjs";

/** Lets the next call of the program to one function of the browser end in a fault, as a panic does: `failNext("createTextNode")`. */
function faults() {
  // A module with one function, which is `unreachable`.
  const bytes = Uint8Array.from("0061736d0100000001040160000003020100070501016100000a0501030000 0b".replaceAll(" ", "").match(/../g), (byte) => parseInt(byte, 16));
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
  let next;
  window.failNext = (name, when = () => true) => void (next = { name, when });
  window.failed = () => !next;
  const wrapped = (imports) => Object.fromEntries(Object.entries(imports).map(([module, all]) => [module, Object.fromEntries(Object.entries(all).map(([name, one]) => [
    name,
    typeof one !== "function" ? one : (...given) => {
      if (next && String(one).includes(`.${next.name}(`) && next.when(...given)) {
        next = undefined;
        exports.a();
      }
      return one(...given);
    },
  ]))]));
  for (const make of ["instantiate", "instantiateStreaming"]) {
    const made = WebAssembly[make];
    WebAssembly[make] = (code, imports) => made.call(WebAssembly, code, wrapped(imports));
  }
}

/** Gives the program's memory a maximum, in pages of 64 KiB. Then it can't grow any more, as on a device that has no more. */
function limitMemory(most) {
  const read = (bytes, at) => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      value |= (bytes[at] & 127) << shift;
      if (bytes[at++] < 128) return [value, at];
    }
  };
  const written = (value) => (value < 128 ? [value] : [(value & 127) | 128, ...written(value >> 7)]);
  // Section 5 is one memory: 0 and its size, or 1, its size and its maximum.
  const limited = (bytes) => {
    for (let at = 8; at < bytes.length;) {
      const [size, begin] = read(bytes, at + 1);
      if (bytes[at] === 5) {
        const [pages] = read(bytes, begin + 2);
        const section = [1, 1, ...written(pages), ...written(most)];
        return new Uint8Array([...bytes.subarray(0, at), 5, ...written(section.length), ...section, ...bytes.subarray(begin + size)]);
      }
      at = begin + size;
    }
    return bytes;
  };
  const { instantiate } = WebAssembly;
  WebAssembly.instantiateStreaming = async (response, imports) =>
    instantiate.call(WebAssembly, limited(new Uint8Array(await (await response).arrayBuffer())), imports);
}

const FAULT = [/^\[exception\] unreachable$/];
const prepare = (page) => page.addInitScript(faults);
const boats = (name) => new Script(name).user(`How deep is it at ${name}?`).turn().say("I look at the **charts**.").ask(`sound-${name}`, "ls charts/");

/** Two elements without a server, and the words of a stopped one. */
async function two(stage, before = prepare) {
  const page = await stage.embed(await stage.files(), `transport="none" id="one"`, { prepare: before, width: 800 });
  await page.evaluate(() => {
    const other = document.createElement("pilot-house");
    other.id = "other";
    other.setAttribute("transport", "none");
    document.querySelector("pilot-house").style.blockSize = other.style.blockSize = "450px";
    document.body.append(other);
    window.answers = [];
    document.addEventListener("pilothouse-answer", (event) => {
      event.preventDefault();
      window.answers.push(event.detail.params.requestId);
    });
  });
  const scripts = { one: boats("one"), other: boats("other") };
  const push = (id, events) => page.evaluate(([id, text]) => document.getElementById(id).push(text), [id, events.map((event) => `${JSON.stringify(event)}\n`).join("")]);
  for (const id of ["one", "other"]) await push(id, scripts[id].take());
  for (const id of ["one", "other"]) await card(page, `sound-${id}`).waitFor();
  const stopped = page.locator("#one .stopped");
  const goesOn = async () => {
    assert.equal(await page.locator("#other .stopped").count(), 0);
    await push("other", scripts.other.say("It is deep there.").take());
    await page.locator("#other").getByText("It is deep there.").waitFor();
    // The list follows its end, and a card that has just moved takes no press: then a person presses again.
    const given = () => page.evaluate(() => window.answers);
    for (let presses = 0; (await given()).length === 0 && presses < 20; presses += 1) {
      await frames(page);
      await answer(page, "sound-other", "approve-once");
    }
    assert.deepEqual(await given(), ["sound-other"]);
  };
  const startsAgain = async () => {
    await stopped.getByRole("button", { name: "Start again" }).click();
    await stopped.waitFor({ state: "detached" });
    await push("one", boats("one").take());
    await page.locator("#one").getByText("How deep is it at one?").first().waitFor();
    await card(page, "sound-one").waitFor();
  };
  return { page, push, scripts, stopped, goesOn, startsAgain };
}

scenario("a fault while something is shown stops that element at its last state, and it starts again", async (stage) => {
  const { page, push, scripts, stopped, goesOn, startsAgain } = await two(stage);
  await page.evaluate(() => {
    window.failNext("createTextNode");
  });
  await push("one", scripts.one.say("This is never shown.").take());
  await stopped.waitFor();
  assert.ok(await page.evaluate(() => window.failed()));
  assert.match(await page.locator("#one").getByText("How deep is it at one?").first().innerText(), /one/);
  await page.locator("#one [data-answer=approve-once]").click({ force: true });
  assert.deepEqual(await page.evaluate(() => window.answers), [], "a stopped element answers nothing");
  assert.equal(await push("one", scripts.one.say("Nor is this.").take()), 0);
  await goesOn();

  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await stopped.getByRole("button", { name: "Copy report" }).click();
  await stopped.getByRole("button", { name: "Copied" }).waitFor();
  const report = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(report, /^Pilothouse \d+\.\d+\.\d+\n.*unreachable[^]*wasm-function[^]*Chrome/);
  assert.doesNotMatch(report, /charts|deep|shown/i, "it has nothing of the session");

  await startsAgain();
}, { expected: FAULT });

scenario("a fault while a session reads what has come stops its element only", async (stage) => {
  const { page, scripts, stopped, goesOn } = await two(stage);
  // In one turn: the other element asks for the time as well.
  const text = scripts.one.say("This is not read.").take().map((event) => `${JSON.stringify(event)}\n`).join("");
  await page.evaluate((text) => {
    window.failNext("now");
    document.getElementById("one").push(text);
  }, text).catch(() => {});
  await stopped.waitFor();
  await goesOn();
}, { expected: FAULT });

scenario("a fault at a press stops the element that was pressed", async (stage) => {
  const { page, stopped, goesOn } = await two(stage);
  await page.evaluate(() => window.failNext("dispatchEvent", (...given) => given.some((one) => one?.type === "pilothouse-answer")));
  await answer(page, "sound-one", "approve-once");
  await stopped.waitFor();
  await goesOn();
}, { expected: FAULT });

scenario("a session for which there is no memory any more stops its element, and it starts again", async (stage) => {
  const { page, push, scripts, stopped, goesOn, startsAgain } = await two(stage, (page) => page.addInitScript(limitMemory, 256));
  for (let pushes = 0; (await stopped.count()) === 0; pushes += 1) {
    assert.ok(pushes < 30, "the memory has a limit");
    await push("one", scripts.one.say("a".repeat(1_000_000)).take()).catch(() => {});
    await frames(page);
  }
  assert.match(await page.locator('#one [data-entry="assistant"]').last().innerText(), /aaaa/, "it has its last state");
  assert.equal(await push("one", scripts.one.say("This is not read.").take()), 0);
  await goesOn();
  await startsAgain();
}, { expected: FAULT });

scenario("where nothing can be copied the report is shown, and an element that can't start again says so once", async (stage) => {
  const { page, stopped } = await two(stage);
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException("denied", "NotAllowedError"));
    window.failNext("dispatchEvent", (...given) => given.some((one) => one?.type === "pilothouse-answer"));
  });
  await answer(page, "sound-one", "approve-once");
  await stopped.getByRole("button", { name: "Copy report" }).click();
  await stopped.locator("pre:focus", { hasText: "wasm-function" }).waitFor();
  await page.evaluate(() => window.failNext("createElement"));
  await stopped.getByRole("button", { name: "Start again" }).click();
  await page.waitForFunction(() => window.failed());
  await stopped.locator("pre").waitFor({ state: "detached" });
  assert.equal(await stopped.count(), 1);
  assert.equal(await page.locator("#other .stopped").count(), 0);
}, { expected: FAULT });

scenario("an element that watches a gateway has its session again after a fault", async (stage) => {
  const script = boats("harbour");
  const page = await stage.embed(await stage.serve([script.take()]), "", { prepare });
  await card(page, "sound-harbour").waitFor();
  const before = (await snapshot(page)).timeline.length;
  await page.evaluate(() => window.failNext("createTextNode"));
  await page.locator("pilot-house").evaluate((element) => void element.notify({ message: "Hello" }));
  const again = page.locator(".stopped").getByRole("button", { name: "Start again" });
  await again.focus();
  await page.keyboard.press("Enter");
  await card(page, "sound-harbour").waitFor();
  await frames(page);
  assert.equal((await snapshot(page)).timeline.length, before);
  assert.equal(await page.locator(".stopped").count(), 0);
}, { expected: FAULT });
