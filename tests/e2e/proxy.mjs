// Owns a wire between browser and gateway that a test can cut, and that can put a page of somebody else on the
// gateway's own origin. Refuses to understand what runs over it.

import { once } from "node:events";
import { connect, createServer } from "node:net";

const UPGRADE = /^GET [^]*\r\nupgrade: websocket\r\n/i;

/**
 * Carries TCP to an address. `cut()` ends every connection and refuses new ones until `mend()`.
 * With `refuseUpgrades` a WebSocket never opens, as behind some company's proxy; `page` is served at /host.
 */
export async function wire(stage, address, { refuseUpgrades = false, page = "" } = {}) {
  const { hostname, port } = new URL(address);
  const open = new Set();
  let whole = true;
  let refused = 0;

  const server = createServer((near) => {
    near.on("error", () => {});
    if (!whole) return near.destroy();
    const far = connect({ host: hostname, port: Number(port) });
    far.on("error", () => {});
    for (const [end, peer] of [[near, far], [far, near]]) {
      open.add(end);
      end.setNoDelay(true);
      end.on("close", () => {
        open.delete(end);
        peer.destroy();
      });
    }
    far.pipe(near);
    near.on("data", (bytes) => {
      const head = bytes.toString("latin1");
      if (refuseUpgrades && UPGRADE.test(head)) {
        refused += 1;
        near.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
      } else if (page && head.startsWith("GET /host ")) {
        const length = Buffer.byteLength(page);
        near.end(`HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: ${length}\r\nconnection: close\r\n\r\n${page}`);
      } else {
        far.write(bytes);
      }
    });
    near.on("end", () => far.end());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  const cut = () => {
    whole = false;
    for (const end of open) end.destroy();
  };
  stage.atEnd(() => {
    cut();
    server.close();
  });
  return {
    address: `http://127.0.0.1:${server.address().port}`,
    cut,
    mend: () => void (whole = true),
    refused: () => refused,
  };
}
