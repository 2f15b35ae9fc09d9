// A slow line on this machine: what goes through it has the rate and the delay of a network, whatever protocol it is. Browsers slow
// down HTTP, and WebSockets only in some versions.

import { connect, createServer } from "node:net";
import { once } from "node:events";

/** Mobile networks, in bytes per second and ms each way. */
export const LINES = {
  "20 Mbit/s": { rate: 20e6 / 8, delay: 20 },
  "Fast 3G": { rate: 1.6e6 / 8, delay: 75 },
};

/**
 * Opens a slow line to this port. All connections share its rate, as those of one device do. Returns its port, how many bytes came
 * through it towards the client, and how to end it.
 */
export async function slowLine(port, { rate, delay }) {
  let [free, bytes] = [0, 0];
  const sockets = new Set();
  /** When a piece has arrived that is sent now: the pieces before it go first. */
  const arrival = (length) => {
    free = Math.max(performance.now(), free) + (length / rate) * 1000;
    return free + delay;
  };
  const server = createServer((client) => {
    const target = connect(port, "127.0.0.1");
    for (const socket of [client, target]) {
      socket.setNoDelay(true);
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => sockets.delete(socket));
    }
    // Timers of a busy machine run out in another order now and then; the pieces keep theirs, and the end is the last.
    const pieces = [];
    const pass = () => {
      const piece = pieces.shift();
      if (!piece) client.end();
      else if (client.writable) client.write(piece);
    };
    client.on("data", (piece) => setTimeout(() => target.writable && target.write(piece), delay));
    client.on("end", () => setTimeout(() => target.end(), delay));
    target.on("data", (piece) => {
      bytes += piece.length;
      // The target may go on once the line has room for more.
      target.pause();
      setTimeout(() => target.resume(), Math.max(0, free - performance.now()));
      pieces.push(piece);
      setTimeout(pass, arrival(piece.length) - performance.now());
    });
    target.on("end", () => {
      pieces.push(undefined);
      setTimeout(pass, Math.max(0, arrival(0) - performance.now()));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: server.address().port, bytes: () => bytes, close };
}
