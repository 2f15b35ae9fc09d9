// Owns one event of each of the runtime's 149 types, in the order of one made-up session, with fields as the schema has
// them, and where a person finds each. Refuses types that no schema lists.

/** Kept for people who watch live; the log has none of them. */
const LIVE = { ephemeral: true };

/** An entry of this kind whose text matches, once the event is there. */
const entry = (kind, pattern) => ({ place: "entry", kind, pattern });
/** An open card whose text matches. */
const request = (kind, pattern) => ({ place: "request", kind, pattern });
/** Words of the header. */
const header = (pattern) => ({ place: "header", pattern });
/** A section of the panel. */
const panel = (section, pattern) => ({ place: "panel", section, pattern });
/** What is collected quietly, in the panel's last section. */
const tray = (pattern) => ({ place: "panel", section: "Tray", pattern });
/** Nowhere but in the event log, and no entry changes. */
const log = () => ({ place: "log" });

