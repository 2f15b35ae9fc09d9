// An agent of the Copilot platform with rules instead of a model. It shows every kind of reply.

import { createServer } from "node:http";

const PORT = Number(process.env.PORT ?? 3000);
const PAGE = process.env.PAGE_ORIGIN ?? "http://127.0.0.1:8000";

const named = (event, data) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
const chunk = (delta, finish_reason = null) =>
  `data: ${JSON.stringify({ object: "chat.completion.chunk", model: "rules", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

/** A reply, word by word. */
function* words(text) {
  for (const word of text.split(/(?<= )/)) yield chunk({ role: "assistant", content: word });
  yield chunk({}, "stop");
  yield "data: [DONE]\n\n";
}

const LOG = {
  type: "harbour.log", id: "log", is_implicit: true, data: { file: "log.txt" },
  metadata: { display_name: "The harbour's log", display_icon: "book", display_url: "http://127.0.0.1/log.txt" },
};

/** The agent's reply to a user's message, or to their answer to a confirmation. */
function* reply({ messages = [], copilot_confirmations: [answer] = [] }) {
  if (answer) {
    yield* words(answer.state === "accepted" ? `The ${answer.confirmation.lamp} is off.` : "It stays on.");
    return;
  }
  const said = messages.filter(({ role }) => role === "user").at(-1)?.content ?? "";
  if (/log/.test(said)) {
    yield named("copilot_references", [LOG]);
    yield* words("Three boats came in.");
  } else if (/lamp/.test(said)) {
    yield named("copilot_confirmation", {
      type: "action", title: "Turn off the lamp?", message: "Ships will **not** see the harbour.",
      confirmation: { id: `lamp-${messages.length}`, lamp: "harbour lamp" },
    });
  } else if (/stale/.test(said)) {
    yield named("copilot_errors", [{ type: "reference", code: "stale", message: "It was not written today", identifier: LOG.id }]);
  } else {
    yield* words(`You said “${said}”, as message ${messages.length} of our talk.`);
  }
}

async function serve(request, response) {
  const { host, origin } = request.headers;
  // Any site can send requests to this machine: only our page's origin and our host name are accepted.
  if (origin !== PAGE || ![`127.0.0.1:${PORT}`, `localhost:${PORT}`].includes(host)) return response.writeHead(403).end();
  response.setHeader("Access-Control-Allow-Origin", PAGE).setHeader("Access-Control-Allow-Headers", "content-type");
  if (request.method === "OPTIONS") return response.writeHead(204).end();
  if (request.method !== "POST" || request.url !== "/agent") return response.writeHead(404).end();
  let body = "";
  for await (const part of request) if ((body += part).length > 1 << 20) return response.writeHead(413).end();
  response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-cache" });
  for (const part of reply(JSON.parse(body))) response.write(part);
  response.end();
}

createServer((request, response) => serve(request, response).catch(() => response.destroy()))
  .listen(PORT, "127.0.0.1", () => console.log(`http://127.0.0.1:${PORT}/agent`));
