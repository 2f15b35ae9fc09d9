// A stand-in for a gateway with a board, and what tests of boards look for.

export const tile = (page, id) => page.locator(`[data-session="${id}"]`);

/** Waits until the tiles are in this order. */
export const places = (page, ids) =>
  page.waitForFunction((ids) => {
    const root = document.querySelector("pilot-house-board")?.shadowRoot;
    const tiles = [...(root?.querySelectorAll("[data-session]") ?? [])];
    return tiles.map((tile) => tile.dataset.session).join() === ids.join();
  }, ids);

export const row = (sessionId, status, more = {}) => ({ sessionId, status, title: `Session ${sessionId}`, live: true, requests: [], ...more });
export const request = (requestId, since, command = "ls") => ({
  requestId, kind: "permission", since, text: command,
  event: { type: "permission.requested", id: `event-${requestId}`, data: { requestId, permissionRequest: { kind: "shell", fullCommandText: command, commands: [], possiblePaths: [], possibleUrls: [] } } },
});

/** A stand-in for the gateway's board: it records every call, and the test sends the updates. */
export async function standIn(page, sessions, { capabilities = [], machines, agents, serve = () => ({}) } = {}) {
  const server = { calls: [], sockets: [], socket: undefined };
  server.note = (method, params) => server.socket.send(JSON.stringify({ jsonrpc: "2.0", method, params }));
  server.tell = (...news) => {
    for (const params of news) server.note("pilothouse.summary", params);
  };
  await page.routeWebSocket(/\/api\/rpc/, (socket) => {
    server.socket ??= socket;
    server.sockets.push(socket);
    socket.onMessage((text) => {
      const { id, method, params } = JSON.parse(text);
      server.calls.push({ method, params });
      const error = method === "pilothouse.close" && server.refusal;
      const answer = error ? { error } : { result: method === "pilothouse.board" ? { sessions, capabilities, machines, agents } : serve(method, params) };
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    });
  });
  return server;
}
