// Reads the JSON-RPC calls that a browser sends to a gateway, in WebSocket frames and in posted bodies.

const HEAD_END = "\r\n\r\n";

/** A reader for one connection: a function of the next bytes that returns the calls they complete. */
export function calls() {
  let left = Buffer.alloc(0);
  let framed = false;
  let parts = [];

  return function read(bytes) {
    left = Buffer.concat([left, bytes]);
    const found = [];
    for (;;) {
      const body = framed ? frame() : post();
      if (body === undefined) return found;
      found.push(...messages(body));
    }
  };

  function post() {
    const end = left.indexOf(HEAD_END);
    if (end < 0) return undefined;
    const head = left.subarray(0, end).toString("latin1");
    const start = end + HEAD_END.length;
    if (/^upgrade: websocket/im.test(head)) {
      framed = true;
      left = left.subarray(start);
      return "";
    }
    const length = Number(head.match(/^content-length: *(\d+)/im)?.[1] ?? 0);
    if (left.length < start + length) return undefined;
    const body = left.subarray(start, start + length).toString();
    left = left.subarray(start + length);
    return body;
  }

  /** RFC 6455 §5.2; browsers mask their frames. */
  function frame() {
    if (left.length < 2) return undefined;
    const [first, second] = left;
    let start = 2;
    let length = second & 0x7f;
    if (length === 126) {
      if (left.length < 4) return undefined;
      length = left.readUInt16BE(2);
      start = 4;
    } else if (length === 127) {
      if (left.length < 10) return undefined;
      length = Number(left.readBigUInt64BE(2));
      start = 10;
    }
    const masked = (second & 0x80) !== 0;
    const from = start + (masked ? 4 : 0);
    if (left.length < from + length) return undefined;
    const mask = left.subarray(start, from);
    const payload = Buffer.from(left.subarray(from, from + length));
    if (masked) for (let at = 0; at < length; at += 1) payload[at] ^= mask[at % 4];
    left = left.subarray(from + length);
    const kind = first & 0x0f;
    if (kind > 2) return "";
    parts.push(payload);
    if ((first & 0x80) === 0) return "";
    const whole = Buffer.concat(parts).toString();
    parts = [];
    return whole;
  }
}

function messages(body) {
  if (!/^\s*[[{]/.test(body)) return [];
  return [JSON.parse(body)].flat().filter((message) => typeof message.method === "string");
}
