// Tests that ajv still says of what people may type into forms what tests/support/form-verdicts.json says. tests/forms.rs compares our
// forms with that file, and `UPDATE_GOLDEN=1` writes it anew. Servers of MCP check answers with ajv, set up as it is here.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { test } from "node:test";

import formats from "ajv-formats";
import Ajv from "ajv";

const FILE = new URL("../../support/form-verdicts.json", import.meta.url);

const COLOURS = ["r", "g"];
const TITLED = [{ const: "a", title: "Alpha" }, { const: "b", title: "Beta" }];

/** What is typed into fields of a kind. */
const TYPED = {
  text: [
    "", " ", "a", "ab", "abc", "abcd", "abcde", "abcdef", " a ", "é", "e\u0301", "🛟", "🛟🛟🛟🛟", "🛟🛟🛟🛟🛟", "👩‍👩‍👧", "a\nb", "a\tb", "\0", "<b>", "null", "12", "true", "\"a\"",
  ],
  email: [
    "", " ", "a", "a@b.org", "name@example.org", "a.b+c@d-e.example", "A_B@EXAMPLE.ORG", "o'neil@example.org", "a@127.0.0.1", "root@localhost", "a@b@c.org", "@b.org", "a@", "a b@c.org",
    "a@b c.org", " a@b.org", "a@b.org ", "a..b@c.org", ".a@b.org", "a.@b.org", "a@b..org", "a@.org", "a@b.org.", "a@-b.org", "a@b-.org", "é@b.org", "a@é.org", "\"a b\"@c.org", "a@[127.0.0.1]",
    "<a@b.org>", "a@b_c.org", "a,b@c.org", "mailto:a@b.org", `${"a".repeat(70)}@b.org`, `a@${"b".repeat(64)}.org`,
  ],
  uri: [
    "", " ", "a", "https://example.com/", "https://example.com", "http://127.0.0.1:8080/a?b=c#d", "https://[::1]/", "https://user:word@example.com/", "mailto:a@b.org", "urn:isbn:0451450523", "tel:+1-816-555-1212",
    "file:///etc/hosts", "data:,a", "javascript:a", "https:", "a:", ":a", "1a:b", "a+b-c.d:e", "é:a", "//example.com", "/a", "#a", "example.com", "https://example.com/a b", "https://example.com/é", "https://exämple.com/",
    "https://example.com/%C3%A9", "https://example.com/%", "https://example.com/%zz", "https://example.com/a[b]", "https://example.com/<a>", "https://example.com/\"", "https://example.com/{a}", "https://example.com/a|b",
    "https://example.com/a\\b", "https://example.com/^", "https://example.com/`", "https://example.com:99999/", "https://example.com:a/", "https://a_b.example/", "https://example.com/?a[]=b", "https://example.com/#a#b", "http://", "http:///a", "https://exa mple.com", "https://[a/", "https://a]/",
    "https://a@b@c/", "https://256.1.1.1/", "https://example.com/\u0001", " https://example.com/", "https://example.com/ ",
  ],
  date: [
    "", " ", "2026-03-21", "2026-3-21", "2026-02-28", "2026-02-29", "2024-02-29", "2000-02-29", "1900-02-29", "2026-02-30", "2026-04-31", "2026-12-31", "2026-13-01", "2026-00-10", "2026-01-00", "2026-01-32", "0000-01-01", "0001-01-01",
    "+026-03-21", "-026-03-21", "12026-03-1", "20260-3-21", "2026-+3-21", "2026/03/21", "21.03.2026", "2026-03-21T10:00", "2026-03-21 ", " 2026-03-21", "２０２６-03-21", "2026-03", "21 March 2026", "20260321",
  ],
  // The page makes UTC of what its native field gives before it is checked; other texts are checked as they are.
  dateTime: [
    "", " ", "2026-03-21T09:00:00.000Z", "2026-03-21T09:00:00Z", "2026-03-21t09:00:00z", "2026-03-21 09:00:00Z", "2026-03-21T09:00Z", "2026-03-21T09:00:00", "2026-03-21T09:00", "2026-03-21", "2026-03-21T09:00:00+02:00",
    "2026-03-21T09:00:00-0230", "2026-03-21T09:00:00+24:00", "2026-03-21T09:00:00+02:60", "2026-03-21T24:00:00Z", "2026-03-21T23:59:60Z", "2016-12-31T23:59:60Z", "2026-03-21T09:60:00Z", "2026-03-21T09:00:61Z", "2026-02-30T09:00:00Z", "2026-03-21T9:00:00Z", "2026-03-21T09:00:00.Z", "2026-03-21T09:00:00.123456789Z",
    "2026-03-21T25:99Z", "2026-03-21T25:99", "2026-03-21Tabcde", "2026-03-21T09:00:00ZZ", "+012026-03-21T09:00:00.000Z", "tomorrow", "Tomorrow", "2026-03-21T09:00:00 Z", "2026-03-21T09:00:00Z ",
  ],
  number: [
    "", " ", "0", "-0", "1", "5", "6", "-1", "+3", "007", "0.5", ".5", "-.5", "5.", "5.0", "5.000000001", "4.999999999", "1e1", "1E1", "1e-1", "-1e2", "1e999", "24", "25", "26", "2000", "2001", "150", "151", "30 ", " 30", "3 0", "1,5", "1.5.2", "--1", "+-5", "- 1",
    "NaN", "Infinity", "inf", "0x1F", "0b1", "1_000", "１", "a", "true", "null", "9007199254740991", "123456789012345678901234567890", "0.1", "1e-400", "e5", "1e",
  ],
  flag: ["", "true", "false", "1", "yes"],
  one: ["", " ", "r", "g", "a", "b", "R", "Red", "Alpha", " r", "blue", "null"],
  many: ["", "[]", `["x"]`, `["x","y"]`, `["x","y","z"]`, `["y","x"]`, `["x","x"]`, `["a"]`, `["b","a"]`, `["gone"]`, `["x","gone"]`, `[""]`],
};

/** Fields of the kinds that the runtime's schema has (`UIElicitationSchemaProperty`), many of them from recorded sessions. */
const FIELDS = [
  ["text", { type: "string" }], ["text", { type: "string", title: "City" }, true],
  ["text", { type: "string", minLength: 2, maxLength: 60 }, true], ["text", { type: "string", minLength: 1, maxLength: 5 }, true],
  ["text", { type: "string", minLength: 3 }], ["text", { type: "string", maxLength: 4 }], ["text", { type: "string", minLength: 0, maxLength: 0 }], ["text", { type: "string", minLength: 3, maxLength: 3 }],
  ["email", { type: "string", format: "email" }], ["email", { type: "string", format: "email", maxLength: 10 }, true],
  ["uri", { type: "string", format: "uri" }], ["uri", { type: "string", format: "uri", minLength: 10 }, true],
  ["date", { type: "string", format: "date" }], ["date", { type: "string", format: "date" }, true],
  ["dateTime", { type: "string", format: "date-time" }], ["dateTime", { type: "string", format: "date-time" }, true],
  ["number", { type: "number" }], ["number", { type: "number", minimum: 0, maximum: 5, default: 3 }], ["number", { type: "number", minimum: 0.1 }, true], ["number", { type: "number", maximum: -1 }],
  ["number", { type: "integer" }, true], ["number", { type: "integer", minimum: 25, maximum: 2000, default: 100 }, true], ["number", { type: "integer", minimum: 0, maximum: 150, default: 30 }], ["number", { type: "integer", minimum: 0.5, maximum: 5.5 }],
  ["flag", { type: "boolean", default: true }], ["flag", { type: "boolean" }, true],
  ["one", { type: "string", enum: COLOURS, enumNames: ["Red", "Green"] }], ["one", { type: "string", enum: COLOURS }, true], ["one", { type: "string", enum: ["", "a"] }], ["one", { type: "string", enum: ["", "a"] }, true],
  ["one", { type: "string", oneOf: TITLED }], ["one", { type: "string", oneOf: TITLED }, true],
  ["many", { type: "array", items: { type: "string", enum: ["x", "y", "z"] } }], ["many", { type: "array", items: { type: "string", enum: ["x", "y", "z"] } }, true],
  ["many", { type: "array", items: { type: "string", enum: ["x", "y", "z"] }, minItems: 1 }], ["many", { type: "array", items: { type: "string", enum: ["x", "y", "z"] }, minItems: 2, maxItems: 2 }, true],
  ["many", { type: "array", items: { anyOf: TITLED }, maxItems: 1 }], ["many", { type: "array", items: { anyOf: TITLED }, minItems: 0 }, true],
];

/** What a plain form sends; undefined if it leaves the field out. */
function sent(kind, property, required, typed) {
  if (kind === "flag") return typed === "true";
  const chosen = kind === "many" && (typed ? JSON.parse(typed) : []);
  const blank = chosen ? chosen.length === 0 : kind === "text" ? typed === "" : typed.trim() === "";
  if (blank && !required) return undefined;
  if (chosen) return chosen;
  const number = kind === "number" && /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(typed.trim());
  // JSON has no number that is too large for `Number`.
  return number && Number.isFinite(Number(typed)) ? Number(typed) : typed;
}

function verdicts() {
  const ajv = new Ajv({ strict: false, validateFormats: true, allErrors: true });
  formats(ajv);
  return FIELDS.map(([kind, property, required = false]) => {
    const valid = ajv.compile({ type: "object", properties: { field: property }, required: required ? ["field"] : [] });
    const typed = TYPED[kind].map((typed) => {
      const value = sent(kind, property, required, typed);
      return [typed, valid(value === undefined ? {} : { field: value }), ...(value === undefined ? [] : [value])];
    });
    return { property, required, typed };
  });
}

test("ajv says of what is typed into forms what is written down for ours", async () => {
  // As JSON, which has no -0.
  const found = JSON.parse(JSON.stringify(verdicts()));
  if (process.env.UPDATE_GOLDEN) {
    const text = `[\n${found.map((one) => JSON.stringify(one)).join(",\n")}\n]\n`;
    return writeFile(FILE, text.replaceAll(/[\x7f-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`));
  }
  assert.deepEqual(found, JSON.parse(await readFile(FILE, "utf8")));
});
