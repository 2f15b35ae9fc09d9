// The events of a soak: recorded sessions, again and again, with new ids and later times, so that nothing in them is a
// duplicate. This module runs in Node and in a page.

/** Stands in the texts of a round where its number goes. */
const ROUND = "@ROUND@";
/** Fields that say which event, message, call, request, agent or interaction is meant, and not what it is. */
const REFERENCE = /^(?:id|parentId|(?:message|originatingMessage|toolCall|parentToolCall|reasoning|request|interaction|apiCall|providerCall|agent|parentAgentTask|shell|hookInvocation|attempt|content)Id)$/;
/** How many milliseconds a round is later than the one before it. */
const LATER = 600_000;

/** One round of these recordings, each the text of a file: its lines, each cut in two at its time. */
export function recorded(texts) {
  const events = texts.flatMap((text) => text.trim().split("\n").map((line) => JSON.parse(line)));
  return events.filter(({ type }) => type !== "session.start").map((event) => {
    const line = JSON.stringify({ ...renewed(event), timestamp: "@TIME@" });
    const [before, after] = line.split("@TIME@");
    return { before, after, time: Date.parse(event.timestamp) };
  });
}

/** A copy in which every reference carries the mark of the round. */
function renewed(value) {
  if (Array.isArray(value)) return value.map(renewed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => {
    const refers = typeof inner === "string" && REFERENCE.test(name);
    return [name, refers ? `${inner}-${ROUND}` : renewed(inner)];
  }));
}

/** The lines of one session: `session.start`, then rounds until there are `count` events. */
export function* lines(round, session, count) {
  const data = { sessionId: session, version: 1, producer: "soak", startTime: new Date(round[0].time).toISOString(), context: { cwd: "/workspace" } };
  yield JSON.stringify({ type: "session.start", data, id: `${session}-start`, timestamp: data.startTime, parentId: null });
  for (let at = 0; at < count - 1; at += 1) {
    const number = Math.floor(at / round.length);
    const { before, after, time } = round[at % round.length];
    const mark = `${session}-${number}`;
    yield `${before.replaceAll(ROUND, mark)}${new Date(time + number * LATER).toISOString()}${after.replaceAll(ROUND, mark)}`;
  }
}
