// Owns a wire between browser and gateway that a test can cut. Refuses to understand what runs over it.

import { once } from "node:events";
import { connect, createServer } from "node:net";

/**
 * Carries TCP to an address. `cut()` ends every connection and refuses new ones until `mend()`;
 * with `refuseUpgrades` a WebSocket never opens, as behind some company's proxy.
 */
export async function wire(stage, address, { refuseUpgrades = false } = {}) {
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
      if (refuseUpgrades && /^GET [^]*\r\nupgrade: websocket\r\n/i.test(bytes.toString("latin1"))) {
        refused += 1;
        near.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
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
