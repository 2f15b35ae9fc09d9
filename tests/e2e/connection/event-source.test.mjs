// Tests that Chromium's `EventSource` still makes of awkward streams what tests/support/event-source.json says. tests/properties.rs
// compares our parser with that file, and `UPDATE_GOLDEN=1` writes it anew. Firefox is not asked: it leaves the standard in
// three points (docs/reliability.md).

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { setImmediate } from "node:timers/promises";

import { NIGHTLY, scenario } from "../support/harness.mjs";
import { random } from "../support/random.mjs";

const FILE = new URL("../../support/event-source.json", import.meta.url);

/** Streams by what is awkward about them, each a list of pieces. A character is one byte. */
const AWKWARD = {
  "the first example of the standard": ["data: YHOO\ndata: +2\ndata: 10\n\n"],
  "the second one": [": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n"],
  "data that is empty": ["data\n\ndata\ndata\n\ndata:"],
  "a byte order mark": ["\xef\xbb\xbfdata: a\n\n"],
  "a byte order mark, then a line break": ["\xef\xbb\xbf\ndata: a\ndata: b\n\n"],
  "two byte order marks": ["\xef\xbb\xbf\xef\xbb\xbfdata: a\n\ndata: b\n\n"],
  "a byte order mark in three pieces": ["\xef", "\xbb", "\xbfdata: a\n\n"],
  "a byte order mark in the middle": ["data: a\n\n\xef\xbb\xbfdata: b\n\ndata: \xef\xbb\xbfc\n\n"],
  "half a byte order mark": ["\xef\xbbdata: a\n\ndata: b\n\n"],
  "CR": ["data: a\rdata: b\r\rdata: c\r\r"],
  "CRLF": ["data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n"],
  "CR and LF in two pieces": ["data: a\r", "\ndata: b\r", "\n\r", "\n"],
  "CR at the end of a piece": ["data: a\r", "data: b\r", "\r", "data: c\n\n"],
  "LF and CR": ["data: a\n\rdata: b\n\r"],
  "all ends of lines": ["data: a\r\n\ndata: b\r\r\ndata: c\n\r\n"],
  "an end of a line alone": ["\n", "\r", "\r\n", "data: a\n\n"],
  "comments": [":\n: \n:data: a\n:\r\n\ndata: b\n: c\ndata: d\n\n"],
  "no field": ["a\nb: c\n: d\ndatab: e\n data: f\nDATA: g\ndata : h\n\ndata: i\n\n"],
  "one leading blank": ["data:a\n\ndata: a\n\ndata:  a\n\ndata:\ta\n\ndata: \n\nevent:  b\ndata: c\n\n"],
  "colons": ["data::a:\ndata: :b\ndata:: c\n\n"],
  "an event without data": ["event: a\n\ndata: b\n\nevent: c\nid: 1\n\ndata: d\n\n"],
  "an event with two names": ["event: a\nevent: b\ndata: c\n\nevent: a\nevent\ndata: d\n\n"],
  "names that browsers use": ["event: error\ndata: a\n\nevent: open\ndata: b\n\nevent: message\ndata: c\n\n"],
  "ids": ["id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\nid: 2\nid: 3\ndata: d\n\n"],
  "an id without data": ["id: 1\n\ndata: a\n\nid: 2\n\n"],
  "an id with NUL": ["id: 1\n\nid: 2\0\ndata: a\n\nid: \0\ndata: b\n\n"],
  "an id in the last event, which has no end": ["id: 1\ndata: a\n\nid: 2\ndata: b\n"],
  "an id with blanks and letters": ["id:  a b \xc3\xa9 \xf0\x9f\x9b\x9f\ndata: a\n\n"],
  "NUL": ["data: a\0b\nda\0ta: c\nevent: \0\n\n", "\0data: d\n\n"],
  "bytes that are no UTF-8": ["data: \xff\xc3\xe2\x82\xf0\x9f\x9b\xed\xa0\x80\xc0\xaf\xf4\x90\x80\x80a\n\nevent: \xff\ndata: b\n\nid: \xc3\ndata: c\n\n"],
  "a character in pieces": ["data: \xf0", "\x9f", "\x9b", "\x9f\n", "\ndata: \xc3", "\n\n"],
  "other ends of lines": ["data: a\x0bb\x0cc\xc2\x85d\xe2\x80\xa8e\n\n"],
  "the last event has no end": ["data: a\n\ndata: b\n"],
  "the last line has no end": ["data: a\n\ndata: b"],
  "the last blank line is a CR": ["data: a\r\r"],
  "no byte": [],
  "a long line": [`data: ${"a".repeat(300_000)}\ndata: b\n\n`],
  "a long line in pieces": [`data: ${"a".repeat(70_000)}`, "b".repeat(70_000), `${"c".repeat(70_000)}\n\n`],
  "many lines": [`${"data: a\n".repeat(20_000)}\n`],
  "a long id": [`id: ${"7".repeat(5_000)}\ndata: a\n\n`],
  "a time to reconnect": ["retry: 7\n\n"],
  "a time to reconnect without a blank line": ["retry: 7\n"],
  "a time to reconnect in a line without end": ["retry: 7"],
  "a time to reconnect without a blank": ["retry:7\n"],
  "a time to reconnect with two blanks": ["retry:  7\n"],
  "a time to reconnect with a blank behind": ["retry: 7 \n"],
  "a time to reconnect with zeros": ["retry: 0007\n"],
  "a time to reconnect of nothing": ["retry: 0\n"],
  "a time to reconnect with a sign": ["retry: +7\n\nretry: -7\n"],
  "a time to reconnect with a point": ["retry: 7.0\n\nretry: 7e0\n\nretry: 0x7\n"],
  "a time to reconnect in other digits": ["retry: \xd9\xa7\n"],
  "a time to reconnect that is not there": ["retry\nretry:\nretry: \n"],
  "a time to reconnect, then none": ["retry: 7\n\nretry\n"],
  "a time to reconnect, then no number": ["retry: 7\nretry: a\n\n"],
  "a time to reconnect, then one beyond 64 bits": ["retry: 7\nretry: 99999999999999999999999\n"],
};

/** What generated streams are made of. */
const PARTS = [
  "data", "event", "id", "retry", ":", ": ", " ", "\n", "\n\n", "\r", "\r\r", "\r\n", "\r\n\r\n", "\0", "\xef\xbb\xbf", "7", "\xc3\xa9", "\xff", "\xf0\x9f",
  "other", "data: a\n", "data:\n", "data: b\r\n", "event: c\n", "id: 1\n", "id: 2\r", ":\n",
];

function generated(count) {
  const below = random(7);
  return Array.from({ length: count }, () => {
    const stream = Array.from({ length: 5 + below(30) }, () => PARTS[below(PARTS.length)]).join("");
    const cuts = Array.from({ length: below(4) }, () => below(stream.length)).sort((a, b) => a - b);
    return [0, ...cuts].map((from, nth) => stream.slice(from, cuts[nth] ?? stream.length)).filter(Boolean);
  });
}

/** A piece whose long runs are `[what, times]`, so that the file stays small. */
function packed(piece) {
  // Between two runs `split` gives the run and what it repeats.
  const parts = piece.split(/(([^]{1,9}?)\2{199,})/);
  const all = parts.map((part, nth) => (nth % 3 === 1 ? [parts[nth + 1], part.length / parts[nth + 1].length] : nth % 3 === 0 ? part : ""));
  return all.filter((part) => part.length > 0);
}
const unpacked = (parts) => parts.map((part) => (typeof part === "string" ? part : part[0].repeat(part[1]))).join("");

/** Texts of messages that are long are told by their ends and their length. */
const short = (text) => (text.length > 1_000 ? `${text.slice(0, 20)}…${text.length}…${text.slice(-20)}` : text);

/** Every name that an event of a stream may have, however it is read. */
function names(pieces) {
  const lines = Buffer.from(pieces.join(""), "latin1").toString().split(/[\r\n]/);
  const values = lines.filter((line) => line.includes("event")).flatMap((line) => line.split("event").slice(1).map((_, nth, all) => all.slice(nth).join("event")));
  return [...new Set(["message", ...values.flatMap((value) => [value, value.slice(1), value.slice(2), value.trim()])])].filter(Boolean);
}

/**
 * What `EventSource` makes of each stream: its messages, what it sends as `Last-Event-ID` when it connects again, and whether
 * it does that at once or after the time that it chooses.
 */
async function verdicts(stage, streams) {
  const seen = streams.map(() => ({}));
  const server = createServer(async (request, response) => {
    const at = request.url.match(/^\/stream\/(\d+)$/)?.[1];
    if (at === undefined) {
      response.setHeader("Content-Type", "text/html");
      return response.end(`<!doctype html><link rel="icon" href="data:,"><title>Streams</title>`);
    }
    if (seen[at].ended) {
      seen[at].early = performance.now() - seen[at].ended < 2_500;
      seen[at].id = Buffer.from(request.headers["last-event-id"] ?? "", "latin1").toString();
      // With this status nobody connects again.
      return response.writeHead(204).end();
    }
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    for (const piece of streams[at]) {
      response.write(Buffer.from(piece, "latin1"));
      await setImmediate();
    }
    response.end(() => (seen[at].ended = performance.now()));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  stage.atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const page = await stage.page(`http://127.0.0.1:${server.address().port}/`);
  const messages = await page.evaluate((streams) => Promise.all(streams.map((names, at) => new Promise((done) => {
    const messages = [];
    const source = new EventSource(`/stream/${at}`);
    const take = (event) => event instanceof MessageEvent && messages.push([event.type, event.data, event.lastEventId]);
    for (const name of names) source.addEventListener(name, take);
    source.addEventListener("error", (event) => {
      if (!(event instanceof MessageEvent) && source.readyState === EventSource.CLOSED) done(messages);
    });
  }))), streams.map(names));
  return seen.map(({ early, id }, at) => ({ messages: messages[at].map((message) => message.map(short)), early, id: short(id) }));
}

scenario("EventSource reads awkward streams as it is written down for our parser", async (stage) => {
  const update = Boolean(process.env.UPDATE_GOLDEN);
  const cases = update
    ? [...Object.entries(AWKWARD), ...generated(300).map((pieces, nth) => [`generated ${nth + 1}`, pieces])].map(([name, pieces]) => ({ name, pieces: pieces.map(packed) }))
    : JSON.parse(await readFile(FILE, "utf8"));
  const streams = cases.map(({ pieces }) => pieces.map(unpacked));
  const found = await verdicts(stage, streams);
  if (update) {
    const lines = cases.map(({ name, pieces }, at) => JSON.stringify({ name, pieces, ...found[at] }));
    const escaped = lines.join(",\n").replaceAll(/[\x7f-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
    await writeFile(FILE, `[\n${escaped}\n]\n`);
    return;
  }
  for (const [at, { name, pieces, ...expected }] of cases.entries()) {
    // A busy machine may connect late where it should at once. That it does is looked at when it is not busy.
    if (expected.early && !NIGHTLY) found[at].early = true;
    assert.deepEqual(found[at], expected, name);
  }
});
