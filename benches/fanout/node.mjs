// The plain server in Node that the gateway is compared with: it passes events on to whoever watches, by WebSocket and by
// server-sent events. It makes the bytes for each event once, has no log and no access control, and waits for nobody.
//
//   node benches/fanout/node.mjs HOST:PORT     the runtime's address

import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { connect } from "node:net";

const [host, port] = process.argv[2].split(":");
/** The viewers of each session, and its newest number. */
const sessions = new Map();

function session(id) {
  if (!sessions.has(id)) sessions.set(id, { seq: 0, sockets: new Set(), streams: new Set() });
  return sessions.get(id);
}

/** A text as one frame of a WebSocket. */
function frame(text) {
  const bytes = Buffer.byteLength(text);
  const head = bytes < 126 ? 2 : bytes < 65536 ? 4 : 10;
  const whole = Buffer.allocUnsafe(head + bytes);
  whole[0] = 0x81;
  if (head === 2) whole[1] = bytes;
  else if (head === 4) {
    whole[1] = 126;
    whole.writeUInt16BE(bytes, 2);
  } else {
    whole[1] = 127;
    whole.writeBigUInt64BE(BigInt(bytes), 2);
  }
  whole.write(text, head);
  return whole;
}

function pass(id, event) {
  const { sockets, streams } = session(id);
  const seq = (session(id).seq += 1);
  const text = JSON.stringify(event);
  if (sockets.size) {
    const bytes = frame(`{"jsonrpc":"2.0","method":"session.event","params":{"sessionId":${JSON.stringify(id)},"event":${text},"seq":${seq}}}`);
    for (const socket of sockets) socket.write(bytes);
  }
  if (streams.size) {
    const bytes = Buffer.from(`id: ${seq}\ndata: ${text}\n\n`);
    for (const stream of streams) stream.write(bytes);
  }
}

/** Reads the runtime's messages, as `Content-Length` frames them. */
let rest = Buffer.alloc(0);
connect(Number(port), host).on("data", (bytes) => {
  rest = rest.length ? Buffer.concat([rest, bytes]) : bytes;
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) return;
    const length = Number(rest.toString("latin1", rest.indexOf(":") + 1, end));
    if (rest.length < end + 4 + length) return;
    const { method, params } = JSON.parse(rest.toString("utf8", end + 4, end + 4 + length));
    rest = rest.subarray(end + 4 + length);
    if (method === "session.event") pass(params.sessionId, params.event);
  }
});

const server = createServer((request, response) => {
  const id = request.url.match(/^\/api\/sessions\/([^/]+)\/events/)?.[1];
  if (!id) return response.writeHead(404).end();
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.write(": open\n\n");
  session(id).streams.add(response);
  response.on("close", () => session(id).streams.delete(response));
});

server.on("upgrade", (request, socket) => {
  const accept = createHash("sha1").update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
  socket.setNoDelay(true);
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
  socket.on("error", () => {});
  // The one call that a viewer makes here fits into a frame, and its mask is 0.
  socket.once("data", (bytes) => {
    const { id, params } = JSON.parse(bytes.toString("utf8", bytes.indexOf("{")));
    socket.write(frame(JSON.stringify({ jsonrpc: "2.0", id, result: params })));
    session(params.sessionId).sockets.add(socket);
    socket.on("close", () => session(params.sessionId).sockets.delete(socket));
  });
});

server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/`));
