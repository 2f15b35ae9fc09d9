// Tests the page in other languages: how one is chosen, right-to-left text, and English where there is no
// translation.

import assert from "node:assert/strict";

import { Script } from "../support/events.mjs";
import { push, scenario, violations } from "../support/harness.mjs";

const inside = (page, read) =>
  page.evaluate((read) => {
    const page = document.querySelector("pilot-house").shadowRoot.querySelector(".ph");
    return { lang: page.lang, dir: page.dir, laid: getComputedStyle(page).direction }[read];
  }, read);

for (const [lang, dir, search] of [
  ["de-AT", "ltr", "Suchen"],
  ["ja", "ltr", "検索"],
  ["ar", "rtl", "بحث"],
]) {
  scenario(`a page in ${lang} speaks it, in its direction`, async (stage) => {
    const page = await stage.embed(await stage.files(), `transport="none" lang="${lang}"`);
    assert.equal(await inside(page, "lang"), lang.slice(0, 2));
    assert.equal(await inside(page, "laid"), dir);
    await push(page, new Script().user("Go", "go").take());
    await page.getByRole("button", { name: search, exact: true }).waitFor();
    for (const scheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme: scheme });
      assert.deepEqual(await violations(page), []);
    }
  });
}

scenario("a language that there are no words of is answered in English, whatever its direction", async (stage) => {
  const page = await stage.embed(await stage.files(), `transport="none" lang="he" dir="rtl"`);
  assert.equal(await inside(page, "lang"), "en");
  await push(page, new Script().user("Go", "go").take());
  await page.getByRole("button", { name: "Search", exact: true }).waitFor();
});

scenario("an empty lang means the browser's own languages", async (stage) => {
  const prepare = (page) =>
    page.addInitScript(() => Object.defineProperty(navigator, "languages", { value: ["tlh", "ja-JP", "en"] }));
  const page = await stage.embed(await stage.files(), `transport="none" lang=""`, { prepare });
  assert.equal(await inside(page, "lang"), "ja");
});

for (const [lang, search] of [["en", "Find"], ["de", "Finden"]]) {
  scenario(`a host has its own words in a page in ${lang}, and is told which can't be used`, async (stage) => {
    const words = {
      page: `search = ${search}\nnothing-like-this = x`,
      timeline: "tools = { $n ->\n    [one] one helper\n   *[other] { $n } helpers\n}\ntokens = { $count }",
      harbour: "boats = x",
    };
    const page = await stage.embed(await stage.files(), `transport="none" lang="${lang}"`, { words });
    assert.deepEqual(stage.said.sort(), [
      "[exception] pilothouse: your own words: harbour: there is no message boats",
      "[exception] pilothouse: your own words: page: there is no message nothing-like-this",
      "[exception] pilothouse: your own words: timeline: tokens has no value $count",
    ]);
    stage.said = [];
    assert.equal(await inside(page, "lang"), lang);
    const script = new Script().user("Go", "go").turn();
    for (const call of ["a", "b"]) script.shell(call, "ls").complete(call, "boats.txt");
    await push(page, script.say("Done").rest().take());
    await page.getByRole("button", { name: search, exact: true }).waitFor();
    await page.getByText("2 helpers").first().waitFor();
  });
}

scenario("own words whose code does not come leave the page in its language, and it works", async (stage) => {
  const prepare = (page) => page.route(/split_own_words\.wasm$/, (route) => route.abort());
  const page = await stage.embed(await stage.files(), `transport="none"`, { prepare, words: { page: "search = Find" } });
  assert.ok(stage.said.some((line) => line.includes("your own words: their file was not loaded")), stage.said.join("\n"));
  stage.said = [];
  await page.getByRole("button", { name: "Search", exact: true }).waitFor();
});

scenario("words that do not come leave the page in English, and it works", async (stage) => {
  const prepare = (page) => page.route(/split_german\.wasm$/, (route) => route.abort());
  const page = await stage.embed(await stage.files(), `transport="none" lang="de"`, { prepare });
  assert.equal(await inside(page, "lang"), "en");
  assert.notDeepEqual(stage.said, [], "the console says that something did not come");
  stage.said = [];
  await push(page, new Script().user("Go", "go").take());
  await page.getByRole("button", { name: "Search", exact: true }).waitFor();
});
