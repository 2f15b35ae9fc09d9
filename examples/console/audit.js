// What was answered in this tab: who opens it later sees when, in which session, what was asked, what was answered, and what
// became of it. What a person typed into an answer is left out, because it may be a secret.

const KEPT = "console.audit";
const MOST = 200;

/** The decisions in an answer, by the runtime's own words for them (docs/protocol.md, section 2). */
const WORDS = {
  "approve-once": "Allowed once",
  "approve-for-session": "Allowed for the session",
  "approve-for-location": "Allowed for the folder",
  reject: "Rejected",
  accept: "Accepted",
  decline: "Declined",
  cancel: "Cancelled",
  cancelled: "Cancelled",
  yes: "Yes",
  yes_always: "Yes, always",
  no: "No",
};

function decision({ result, response }) {
  if (response?.approved !== undefined) return response.approved ? "Approved" : "Sent back";
  return WORDS[result?.kind ?? result?.action ?? response?.action ?? response] ?? "Answered";
}

/** Keeps the answers that `house` gives. `asked(sessionId, requestId)` tells `{session, text}`. Dispatches `change`. */
export class Audit extends EventTarget {
  /** `{at, sessionId, requestId, session, asked, answer, outcome}`, oldest first. `outcome`: `sent`, `taken`, `late` or an error. */
  entries = JSON.parse(sessionStorage.getItem(KEPT) ?? "[]");

  constructor(house, asked) {
    super();
    house.addEventListener("pilothouse-answer", ({ detail: { params } }) => {
      const { sessionId, requestId } = params;
      const { session, text } = asked(sessionId, requestId);
      this.#keep([...this.entries, { at: Date.now(), sessionId, requestId, session, asked: text, answer: decision(params), outcome: "sent" }]);
    });
    house.addEventListener("pilothouse-result", ({ detail: { params, result, error } }) => {
      const at = this.entries.findLastIndex(({ requestId, outcome }) => requestId === params.requestId && outcome === "sent");
      if (at < 0) return;
      const outcome = error ?? (result?.success === false ? "late" : "taken");
      this.#keep(this.entries.with(at, { ...this.entries[at], outcome }));
    });
  }

  /** One JSON object a line. */
  text() {
    return this.entries.map((entry) => `${JSON.stringify({ ...entry, at: new Date(entry.at).toISOString() })}\n`).join("");
  }

  #keep(entries) {
    this.entries = entries.slice(-MOST);
    sessionStorage.setItem(KEPT, JSON.stringify(this.entries));
    this.dispatchEvent(new Event("change"));
  }
}
