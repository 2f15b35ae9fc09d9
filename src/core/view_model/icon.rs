//! The icons, one set: 16 by 16, drawn as strokes of 1.5 with round ends, no fills.
//! The style sheet gives `svg.i` its size, stroke and colour.

/// An icon, named by what it means: the `d` of the one `<path>` in
/// `<svg class="i" viewBox="0 0 16 16" aria-hidden="true">`. Each is a constant, so that a drawing is where it is used: what
/// only a later part of the program shows comes with that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Icon(&'static str);

#[allow(non_upper_case_globals, reason = "they read as the variants that they stand for")]
impl Icon {
    /// A person.
    pub const User: Self = Self(
        "M8 7.75a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5ZM2.75 13.75c.5-2.4 2.5-3.75 5.25-3.75s4.75 1.35 5.25 3.75",
    );
    /// The assistant.
    pub const Spark: Self =
        Self("M8 2c.5 3.7 2.3 5.5 6 6-3.7.5-5.5 2.3-6 6-.5-3.7-2.3-5.5-6-6 3.7-.5 5.5-2.3 6-6Z");
    /// Reasoning.
    pub const Thought: Self = Self(
        "M8 1.75A4.25 4.25 0 0 0 5.5 9.4c.5.4.75.9.75 1.6h3.5c0-.7.25-1.2.75-1.6A4.25 4.25 0 0 0 8 1.75ZM6.5 13.75h3",
    );
    /// A shell command.
    pub const Terminal: Self = Self(
        "M3.5 2.75h9a1.5 1.5 0 0 1 1.5 1.5v7.5a1.5 1.5 0 0 1-1.5 1.5h-9a1.5 1.5 0 0 1-1.5-1.5v-7.5a1.5 1.5 0 0 1 1.5-1.5ZM4.75 6 6.75 8l-2 2M8.5 10.25h2.75",
    );
    /// An edit of a file.
    pub const Pencil: Self = Self("M10.75 2.75 13.25 5.25 5.5 13l-3.25.75L3 10.5ZM9 4.5 11.5 7");
    /// A file that is read.
    pub const File: Self =
        Self("M9 1.75H4.5a1 1 0 0 0-1 1v10.5a1 1 0 0 0 1 1h7a1 1 0 0 0 1-1v-8ZM9 1.75v3.5h3.5");
    /// A search.
    pub const Search: Self = Self("M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.25 10.25l3.5 3.5");
    /// An address on the network.
    pub const Globe: Self = Self(
        "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM2 8h12M8 2c1.7 1.7 2.5 3.7 2.5 6s-.8 4.3-2.5 6c-1.7-1.7-2.5-3.7-2.5-6S6.3 3.7 8 2Z",
    );
    /// A link.
    pub const Link: Self = Self(
        "M6.75 9.25a2.75 2.75 0 0 0 3.9 0l2.25-2.25a2.75 2.75 0 0 0-3.9-3.9l-.9.9M9.25 6.75a2.75 2.75 0 0 0-3.9 0L3.1 9a2.75 2.75 0 0 0 3.9 3.9l.9-.9",
    );
    /// An MCP server.
    pub const Plug: Self = Self("M5.5 1.75v3M10.5 1.75v3M3.5 4.75h9v2.5a4.5 4.5 0 0 1-9 0ZM8 11.75v2.5");
    /// A plan or a list of todos.
    pub const List: Self =
        Self("M7 4h6.75M7 8h6.75M7 12h6.75M2.25 4l1 1 1.75-2M2.25 8l1 1L5 7M2.25 12l1 1L5 11");
    /// A question for a person.
    pub const Question: Self = Self(
        "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM6.25 6.4a1.75 1.75 0 1 1 2.6 1.5c-.6.35-.85.7-.85 1.35M8 11.4v.01",
    );
    /// A permission.
    pub const Shield: Self = Self("M8 1.75 13 3.5V7.6c0 3-1.9 5.3-5 6.65C4.9 12.9 3 10.6 3 7.6V3.5Z");
    /// Something to look at.
    pub const Warning: Self = Self("M8 2.25 14.25 13.5H1.75ZM8 6.5v3.25M8 11.5v.01");
    /// Something failed.
    pub const Error: Self = Self("M5.5 2h5L14 5.5v5L10.5 14h-5L2 10.5v-5ZM8 5v3.5M8 10.9v.01");
    /// Something to know.
    pub const Info: Self = Self("M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 7.5v3.5M8 5v.01");
    /// Done, allowed.
    pub const Check: Self = Self("M3 8.5l3.5 3.5L13 4.5");
    /// Refused, closed.
    pub const Cross: Self = Self("M4 4l8 8M12 4l-8 8");
    /// Points right; turned by the style sheet.
    pub const Chevron: Self = Self("M6 3.5 10.5 8 6 12.5");
    /// Copy to the clipboard.
    pub const Copy: Self = Self(
        "M6.5 5.5h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-6a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1ZM10.5 5.5v-2a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2",
    );
    /// To the end.
    pub const ArrowDown: Self = Self("M8 2.5v11M3.5 9 8 13.5 12.5 9");
    /// The menu.
    pub const Menu: Self = Self("M2.5 4h11M2.5 8h11M2.5 12h11");
    /// What the model sees.
    pub const Lens: Self = Self(
        "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z",
    );
    /// What the model does not see any more.
    pub const LensOff: Self = Self(
        "M3 3l10 10M6.4 4.1A6.6 6.6 0 0 1 8 3.9c3 0 5.2 1.7 6.5 4.1a8.5 8.5 0 0 1-1.7 2.1M4.2 5A8.7 8.7 0 0 0 1.5 8C2.8 10.4 5 12.1 8 12.1a6.7 6.7 0 0 0 2.6-.5",
    );
    /// Not the same.
    pub const Differs: Self = Self("M3 6.25h10M3 9.75h10M10.75 3l-5.5 10");
    /// Only while it happens.
    pub const Live: Self = Self("M1.75 8h2.5L6.5 3.25l3 9.5L11.75 8h2.5");
    /// The panel at the side.
    pub const Panel: Self =
        Self("M3.5 2.5h9a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1v-9a1 1 0 0 1 1-1ZM9.5 2.5v11");
    /// Time, waiting.
    pub const Clock: Self = Self("M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.75V8l2.25 1.5");
    /// Messages that wait their turn.
    pub const Queue: Self = Self("M2.5 3.5h11M2.5 7.5h11M2.5 11.5h4.25M11.5 9.75v4M9.5 11.75h4");
    /// Stopped, stop.
    pub const Stop: Self = Self("M5 4h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1Z");
    /// Plays on.
    pub const Play: Self = Self("M5 3.25 12.5 8 5 12.75Z");
    /// Halts what plays.
    pub const Pause: Self = Self("M5.5 3.5v9M10.5 3.5v9");
    /// A sub-agent.
    pub const Agent: Self = Self(
        "M4.75 5.5h6.5a1.5 1.5 0 0 1 1.5 1.5v4.75a1.5 1.5 0 0 1-1.5 1.5h-6.5a1.5 1.5 0 0 1-1.5-1.5V7a1.5 1.5 0 0 1 1.5-1.5ZM8 5.5V2.75M6.25 8.75v1M9.75 8.75v1",
    );
    /// A skill.
    pub const Skill: Self = Self(
        "M8 4.25c-1.3-.9-3-1.3-5.5-1.25v9.25c2.5-.05 4.2.35 5.5 1.25 1.3-.9 3-1.3 5.5-1.25V3C11 2.95 9.3 3.35 8 4.25ZM8 4.25v9.25",
    );
    /// A compaction of the context.
    pub const Compact: Self = Self("M2.5 8h11M8 1.75v3.5M6 3.5l2 2 2-2M8 14.25v-3.5M6 12.5l2-2 2 2");
    /// Try again, reconnect.
    pub const Refresh: Self = Self("M13.25 8a5.25 5.25 0 1 1-1.6-3.75L13.25 6M13.25 2.5V6h-3.5");
    /// Read-only.
    pub const Lock: Self = Self(
        "M4.5 7h7a1 1 0 0 1 1 1v5a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1V8a1 1 0 0 1 1-1ZM5.5 7V4.75a2.5 2.5 0 0 1 5 0V7",
    );
    /// A branch.
    pub const Branch: Self = Self(
        "M4.5 5.5a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5ZM4.5 14a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5ZM11.5 6.5a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5ZM4.5 5.5v5M11.5 6.5c0 2.5-4.5 1.5-6.5 4",
    );
    /// A folder.
    pub const Folder: Self =
        Self("M2 4.25a1 1 0 0 1 1-1h3.25L8 5.25h5a1 1 0 0 1 1 1v5.5a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1Z");
    /// Data of an unknown kind.
    pub const Braces: Self = Self(
        "M6 2.5c-1.6 0-2 .7-2 2v1.75C4 7.4 3.5 8 2.5 8 3.5 8 4 8.6 4 9.75v1.75c0 1.3.4 2 2 2M10 2.5c1.6 0 2 .7 2 2v1.75C12 7.4 12.5 8 13.5 8c-1 0-1.5.6-1.5 1.75v1.75c0 1.3-.4 2-2 2",
    );
    /// An image that is not shown.
    pub const Image: Self = Self(
        "M3.5 2.5h9a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1v-9a1 1 0 0 1 1-1ZM2.5 11l3-3 5.5 5.5M10.5 6.25v.01",
    );
    /// Send.
    pub const Send: Self = Self("M8 13.5v-11M3.5 7 8 2.5 12.5 7");
    /// Send now what waits in the queue. Its shape is unlike that of a move up.
    pub const Plane: Self = Self("M14 2 2 6.75l4.75 2.5L9.25 14ZM6.75 9.25 14 2");
    /// Attach something.
    pub const Attach: Self = Self(
        "M13.25 7.5 8 12.75a3.2 3.2 0 0 1-4.5-4.5L8.9 2.85a2.1 2.1 0 0 1 3 3L6.6 11.1a1 1 0 0 1-1.45-1.45L9.9 4.9",
    );
    /// What else can be done.
    pub const More: Self = Self("M3 8h.75M7.65 8h.75M12.25 8h.75");

    /// The `d` of its path.
    #[must_use]
    pub fn path(self) -> &'static str {
        self.0
    }
}
