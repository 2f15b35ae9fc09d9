// Generates made-up material: reproducible random numbers, Markdown, tool output, the envelope of an event.
// The same seed gives the same bytes on every machine.

const WORDS =
  "the session event stream carries a delta for every token that the model emits and the reducer must fold it into state without copying what came before so the cost stays linear in bytes while React keeps rendering only what changed under a frame budget of sixteen milliseconds café naïve “quoted” → done".split(
    " ",
  );

/** mulberry32: small, and random enough for this. */
function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** A log built line by line, with the envelope of real events and its order of keys. */
export class Source {
  lines = [];
  #parent = null;
  #time = Date.UTC(2026, 10, 21, 12);

  constructor(seed) {
    this.chance = random(seed);
  }

  event(type, data, { ephemeral = false, agentId } = {}) {
    this.#time += this.int(1, 30);
    const id = this.uuid();
    const event = { type, data };
    if (agentId) event.agentId = agentId;
    if (ephemeral) event.ephemeral = true;
    event.id = id;
    event.timestamp = this.now();
    event.parentId = this.#parent;
    // The parent of an ephemeral event is the last persisted one, as in real sessions.
    if (!ephemeral) this.#parent = id;
    this.lines.push(JSON.stringify(event));
  }

  live(type, data, agentId) {
    this.event(type, data, { ephemeral: true, agentId });
  }

  now() {
    return new Date(this.#time).toISOString();
  }

  start() {
    this.event("session.start", {
      sessionId: this.uuid(),
      version: 1,
      producer: "copilot-agent",
      copilotVersion: "1.0.85",
      startTime: this.now(),
      selectedModel: "claude-sonnet-4",
      context: { cwd: "/repo/app" },
      remoteSteerable: false,
      alreadyInUse: false,
    });
    return this;
  }

  int(low, high) {
    return low + Math.floor(this.chance() * (high - low + 1));
  }

  pick(list) {
    return list[Math.floor(this.chance() * list.length)];
  }

  uuid() {
    const four = () =>
      Math.floor(this.chance() * 65536)
        .toString(16)
        .padStart(4, "0");
    return `${four()}${four()}-${four()}-4${four().slice(1)}-a${four().slice(1)}-${four()}${four()}${four()}`;
  }

  word() {
    return this.pick(WORDS);
  }

  words(count) {
    return Array.from({ length: count }, () => this.word()).join(" ");
  }

  sentence() {
    let text = this.words(this.int(6, 18));
    const kind = this.chance();
    if (kind < 0.15) text += ` **${this.words(2)}**`;
    else if (kind < 0.3) text += ` \`fn_${this.int(1, 99)}()\``;
    else if (kind < 0.36) text += ` [docs](https://example.com/${this.int(1, 999)})`;
    else if (kind < 0.42) text += ` *${this.words(2)}*`;
    return `${text[0].toUpperCase()}${text.slice(1)}.`;
  }

  paragraph() {
    return Array.from({ length: this.int(2, 5) }, () => this.sentence()).join(" ");
  }

  code() {
    const language = this.pick(["rust", "ts", "bash", "json"]);
    const lines = Array.from({ length: this.int(4, 14) }, () => {
      const indent = " ".repeat(4 * this.int(0, 3));
      return (
        indent +
        this.pick([
          `let x_${this.int(1, 99)} = parse(&line)?;`,
          "if (a < b && c > d) { return null; }",
          "match ev { Event::Delta(d) => s.push_str(d), _ => {} }",
          `cargo build --release # ${this.int(1, 999)}`,
          `{"k": ${this.int(1, 9999)}, "v": "x\\n"}`,
        ])
      );
    });
    return `\`\`\`${language}\n${lines.join("\n")}\n\`\`\``;
  }

  list() {
    const ordered = this.chance() < 0.4;
    const out = [];
    const items = this.int(3, 7);
    for (let item = 1; item <= items; item += 1) {
      out.push(`${ordered ? `${item}.` : "-"} ${this.sentence()}`);
      if (this.chance() < 0.2) out.push(`   - ${this.sentence()}`);
    }
    return out.join("\n");
  }

  table() {
    const columns = this.int(3, 5);
    const row = (cell) => `| ${Array.from({ length: columns }, cell).join(" | ")} |`;
    const out = [row(() => this.word()), row(() => "---")];
    for (let rows = this.int(3, 8); rows > 0; rows -= 1) out.push(row(() => this.words(this.int(1, 3))));
    return out.join("\n");
  }

  block() {
    const kind = this.chance();
    if (kind < 0.12) return `${"#".repeat(this.int(2, 4))} ${this.words(this.int(2, 6))}`;
    if (kind < 0.55) return this.paragraph();
    if (kind < 0.75) return this.list();
    if (kind < 0.85) return this.table();
    if (kind < 0.96) return this.code();
    return `> ${this.sentence()}`;
  }

  markdown(atLeast) {
    let text = "";
    while (text.length < atLeast) text += (text ? "\n\n" : "") + this.block();
    return text;
  }

  /** Cuts a text into pieces of random lengths. Surrogate pairs stay together. */
  pieces(text, low, high) {
    const out = [];
    for (let at = 0; at < text.length; ) {
      let length = this.int(low, high);
      const last = text.charCodeAt(at + length - 1);
      if (last >= 0xd800 && last < 0xdc00) length += 1;
      out.push(text.slice(at, at + length));
      at += length;
    }
    return out;
  }

  toolOutput(length) {
    let text = "";
    while (text.length < length) {
      text += this.pick([
        `src/${this.word()}/mod_${this.int(1, 99)}.rs:${this.int(1, 999)}:${this.int(1, 80)}: \u001b[33mwarning\u001b[0m: unused variable \`x_${this.int(1, 99)}\`\n`,
        `   Compiling crate_${this.int(1, 400)} v0.${this.int(1, 30)}.${this.int(0, 9)}\n`,
        `+    let ${this.word()} = "${this.words(4)}";\n`,
        `-    ${this.words(5)}\n`,
        `test reducer::t_${this.int(1, 999)} ... ok\n`,
      ]);
    }
    return text.slice(0, length);
  }
}
