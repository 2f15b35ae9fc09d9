// Files and a gateway on one origin, as a proxy such as Caddy makes it: files with an ETag, which a test can change, and the
// gateway's addresses passed on. It can be stopped, and started again at the same port.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, request as ask } from "node:http";
import { connect } from "node:net";
import { extname, join, normalize } from "node:path";

import { TYPES } from "./serve.mjs";

const GATEWAY = /^\/(?:api\/|signin|healthz)/;

/** Serves the folder below the path `base`, and passes what is the gateway's on to `gateway`, an address, if there is one. */
export async function originOf(stage, folder, gateway, { base = "" } = {}) {
  const changes = new Map();
  const extra = new Map();
  /** Every request that arrived, such as `GET /api/sessions`. */
  const requests = [];

  async function file(request, response) {
    let path = decodeURIComponent(new URL(request.url, "http://host").pathname);
    if (path.endsWith("/")) path += "index.html";
    try {
      assert.ok(path.startsWith(base));
      path = path.slice(base.length);
      let body = extra.get(path) ?? (await readFile(normalize(join(folder, path))));
      if (changes.has(path)) body = changes.get(path)(String(body));
      const tag = `"${createHash("sha256").update(body).digest("hex").slice(0, 16)}"`;
      response.setHeader("ETag", tag);
      response.setHeader("Content-Type", TYPES[extname(path)] ?? "application/octet-stream");
      if (request.headers["if-none-match"] === tag) response.writeHead(304).end();
      else response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  }

  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (!gateway || !GATEWAY.test(request.url)) return file(request, response);
    const { method, url: path, headers } = request;
    const passed = ask(new URL(path, gateway), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.rawHeaders);
      answer.pipe(response);
    });
    passed.on("error", () => response.writeHead(502).end());
    response.on("close", () => passed.destroy());
    request.pipe(passed);
  });
  const sockets = new Set();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("upgrade", (request, near, head) => {
    requests.push(`${request.method} ${request.url}`);
    if (!gateway) return near.destroy();
    const { hostname: host, port } = new URL(gateway);
    const far = connect({ host, port: Number(port) });
    const lines = [`${request.method} ${request.url} HTTP/1.1`];
    for (let at = 0; at < request.rawHeaders.length; at += 2) lines.push(`${request.rawHeaders[at]}: ${request.rawHeaders[at + 1]}`);
    far.write(`${lines.join("\r\n")}\r\n\r\n`);
    far.write(head);
    near.pipe(far).pipe(near);
    for (const [one, other] of [[near, far], [far, near]]) {
      one.on("error", () => {});
      one.on("close", () => other.destroy());
    }
  });

  let port = 0;
  const origin = {
    requests,
    async start() {
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
      ({ port } = server.address());
      origin.address = `http://127.0.0.1:${port}`;
    },
    /** Ends every connection and takes no others. */
    async stop() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    /** Changes the text of a file from now on. */
    change: (path, how) => void changes.set(path, how),
    /** Serves this text at a path. */
    put: (path, text) => void extra.set(path, text),
  };
  await origin.start();
  stage.atEnd(() => origin.stop());
  return origin;
}
