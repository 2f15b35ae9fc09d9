//! The wording and layout of `docs/events.md`, which is printed from the catalogue.

use super::catalogue::fields::{self, Field, FieldPlace, Lists};
use super::catalogue::{
    EventFamily, EventType, INTERNAL, ModelVisibility, Persistence, SupersededBy, Surface, all, families,
    projections,
};
use super::event_kind::EventKind;
use super::request::RequestKind;

const INTRO: &str = "\
<!-- Printed by `cargo xtask docs` from src/core/protocol/catalogue. Edit there. -->
# Events

Every event type that Pilothouse knows, and what follows from the type alone. The code asks this \
same table, so the page cannot disagree with the program; a test fails when this file is stale, \
and `cargo xtask schema` compares the table with the schema of an installed runtime.
";

const HOW_TO_READ: &str = "\
## How to read it

| Column | What it says |
| --- | --- |
| Log | `persisted`: in the runtime's log and replayed on resume. `ephemeral`: live only. \
`either`: seen or described both ways, the envelope's `ephemeral` decides. |
| Model | `–`: never by itself. A role: it enters what the model sees, in that role. \
`ROLE, usually`: but for the exception in the last column. `rewrites`: it changes what the model \
sees and adds nothing of its own. |
| People | `timeline`: an entry, or a part or trace of one. `status`: the line that says what is \
going on, and the header's figures. `panel`: something to open at the side, the model's view among \
them. `request`: a card that waits for an answer. `notifications`: collected quietly, in a section of the \
panel. `nowhere`: bookkeeping, only in the list of all events. |
| Superseded by | After what an ephemeral event can be left out of a log: the state is the same without it, but for counts of events. \
`the whole`: that of which it is a piece, or the progress; the first piece stays, which says when it began and \
where it stands. `the next`: the next of its type. `itself`: nothing follows from it. `–`: it always stays, and so does \
whatever is persisted. `docs/design/superseded-events.md` has the rules. |
| Shown by | The component, a file in `src/`. `tests/e2e/timeline/every-type.test.mjs` sends one event of each \
type and looks for it there. |
| Key fields | Of `data`; `?` marks the optional ones. |
| Why | The reason, and its source: *seed* is the guide to streaming events, *projection*, *agent \
loop* and *platform* its companions on system events, the loop and the platform, *schema* the \
runtime's own, *wire N* the Nth fact that was measured, *recording* a recorded session. |

Under each table stands where a person finds the fields of `data`, every one of each version of the schema that the \
tests have (`tests/support/schema/`):

| Column | What it says |
| --- | --- |
| Shown | By the component above, maybe in what opens: details, figures, a card, a popover. |
| One click away | In the raw event: `{ }` on the entry, or the key `i`, shows the events that tell of it; \
what has no entry is a record of the event log, which shows it when it is pressed. |
| Left out | On purpose in the raw event only, and why. |

`a.b` is in `a`, in each of them where `a` is a list; `a.*` is everything in `a`, and `*` before a point \
any name. Of the envelope, `type`, `timestamp`, `ephemeral` and what `id` and `parentId` tell (seen \
before, something missing) stand in the log's records; `agentId` is the lane that an entry is in.

A type that is not here is not an error: it gets a generic card, is counted, and everything after it \
works.
";

const INTERNAL_NOTE: &str = "\
A rule for names that begin alike. Whatever it covers is counted as unknown all the same.
";

const GLANCE: &str = "\
The guide's own claims, for comparison; where the wire differs, the tables above say so.
";

const ROW_HEAD: &str = "Type | Log | Model | People | Superseded by | Shown by | Key fields | Why";
const FIELDS_HEAD: &str = "Fields of | Shown | One click away | Left out";
const GLANCE_HEAD: &str = "Event type | Ephemeral | Category | Key data fields";
const PROJECTION_HEAD: &str = "Event/result | Model-visible? | UI-visible? | Notes";

/// The text of `docs/events.md`.
pub fn markdown() -> String {
    let mut parts = vec![INTRO.to_owned(), counts(), HOW_TO_READ.to_owned()];
    let places = fields::table();
    for (family, rows) in families() {
        parts.push(heading(family.name()));
        parts.push(table(ROW_HEAD, rows.iter().map(row_line)));
        parts.extend(fields_of(rows, &places));
    }
    parts.push(heading(EventFamily::Internal.name()));
    parts.push(INTERNAL_NOTE.to_owned());
    parts.push(table(ROW_HEAD, INTERNAL.iter().map(row_line)));
    parts.push(heading("The guide's table: all event types at a glance"));
    parts.push(GLANCE.to_owned());
    let rows = families().flat_map(|(_, rows)| rows);
    parts.push(table(GLANCE_HEAD, rows.filter_map(glance_line)));
    parts.push(heading("The guide's table: model-visible versus UI-visible"));
    parts.push(table(
        PROJECTION_HEAD,
        projections().map(|row| {
            format!("| {} | {} | {} | {} |\n", row.event, row.model_visible, row.ui_visible, row.notes)
        }),
    ));
    parts.join("\n")
}

fn counts() -> String {
    let (events, records): (Vec<&EventType>, Vec<&EventType>) = all().partition(|row| row.is_session_event());
    let count_of = |persistence| events.iter().filter(|row| row.persistence == persistence).count();
    let seen = |surface| events.iter().filter(|row| row.surface == surface).count();
    format!(
        "{} session events: {} ephemeral, {} persisted, {} either. {} of them enter or rewrite \
         what the model sees. People see {} in the timeline, {} in the status, {} in a panel, {} \
         as a request, {} among the notifications, {} nowhere. Beside them stand {} records that are not session \
         events.\n",
        events.len(),
        count_of(Persistence::Ephemeral),
        count_of(Persistence::Persisted),
        count_of(Persistence::Either),
        events.iter().filter(|row| row.model != ModelVisibility::No).count(),
        seen(Surface::Timeline),
        seen(Surface::Status),
        seen(Surface::Panel),
        seen(Surface::Request),
        seen(Surface::Notifications),
        seen(Surface::Nowhere),
        records.len(),
    )
}

fn heading(text: &str) -> String {
    format!("## {text}\n")
}

fn table(head: &str, lines: impl Iterator<Item = String>) -> String {
    let columns = head.split(" | ").count();
    let mut table = format!("| {head} |\n|{}\n", " --- |".repeat(columns));
    table.extend(lines);
    table
}

fn row_line(row: &EventType) -> String {
    format!(
        "| `{}` | {} | {} | {} | {} | `{}` | {} | {} |\n",
        row.name,
        row.persistence.name(),
        model_cell(row.model),
        row.surface.name(),
        row.superseded_by.map_or("–", SupersededBy::name),
        component(row),
        keys_cell(row.keys),
        angle_brackets_as_text(row.note),
    )
}

/// The file of the component that shows this type, as a path under `src/`.
fn component(row: &EventType) -> &'static str {
    match row.kind {
        EventKind::UserMessage
        | EventKind::AssistantMessage
        | EventKind::AssistantMessageDelta
        | EventKind::AssistantReasoning
        | EventKind::AssistantReasoningDelta
        | EventKind::ChatCompletionChunk => "ui/message.rs",
        EventKind::AssistantToolCallDelta => "ui/tools/tool_card.rs",
        EventKind::SessionBinaryAsset => "ui/tools/tool_body/media.rs",
        EventKind::SubagentStarted
        | EventKind::SubagentConfigured
        | EventKind::SubagentCompleted
        | EventKind::SubagentFailed => "ui/timeline/lane.rs",
        EventKind::SessionCustomNotification => "ui/timeline/custom.rs",
        EventKind::SessionPlanChanged => "ui/panel.rs",
        EventKind::AssistantUsage
        | EventKind::SessionSessionLimitsChanged
        | EventKind::SessionUsageCheckpoint => "ui/panel/costs.rs",
        EventKind::SystemMessage
        | EventKind::SkillContextDelivered
        | EventKind::SkillContextDeliveredRef
        | EventKind::SessionModeNoticeDelivered
        | EventKind::SessionFusionHandoff => "ui/lens/message.rs",
        _ if row.name.starts_with("tool.") => "ui/tools/tool_card.rs",
        EventKind::PilothouseAnswered => "ui/requests/card.rs",
        EventKind::PilothouseSent => "ui/message.rs",
        _ if RequestKind::is_closing(row.kind) => "ui/requests/card.rs",
        _ => match row.surface {
            Surface::Timeline => "ui/timeline/notice.rs",
            Surface::Status => "ui/shell/status_bar.rs",
            Surface::Panel => "ui/panel/lists.rs",
            Surface::Request => "ui/requests/card.rs",
            Surface::Notifications => "ui/panel/notifications.rs",
            // The event log lists every type; these types are shown nowhere else.
            Surface::Nowhere => "ui/event_log/list.rs",
        },
    }
}

/// The table of where the fields of a family's types are shown; `None` if no type has fields.
fn fields_of(rows: &[EventType], places: &Lists) -> Option<String> {
    let lines: Vec<String> =
        rows.iter().filter_map(|row| fields_line(row.name, places.get(row.name)?)).collect();
    (!lines.is_empty()).then(|| table(FIELDS_HEAD, lines.into_iter()))
}

fn fields_line(name: &str, fields: &[Field]) -> Option<String> {
    let cell = |place: FieldPlace, spell: fn(&Field) -> String| {
        let there: Vec<String> = fields.iter().filter(|field| field.place == place).map(spell).collect();
        if there.is_empty() { "–".to_owned() } else { there.join(", ") }
    };
    let left_out = |field: &Field| {
        format!("{} ({})", field_text(field), fields::reason(&field.path).unwrap_or("no reason is given"))
    };
    let (shown, raw) = (cell(FieldPlace::Shown, field_text), cell(FieldPlace::Raw, field_text));
    (!fields.is_empty())
        .then(|| format!("| `{name}` | {shown} | {raw} | {} |\n", cell(FieldPlace::LeftOut, left_out)))
}

fn field_text(field: &Field) -> String {
    format!("`{}{}`", field.path, if field.whole { ".*" } else { "" })
}

fn glance_line(row: &EventType) -> Option<String> {
    let seed = row.seed?;
    let ephemeral = if seed.ephemeral { " ✅ " } else { " " };
    let (name, category, keys) = (row.name, seed.category, keys_cell(row.keys));
    Some(format!("| `{name}` |{ephemeral}| {category} | {keys} |\n"))
}

fn model_cell(model: ModelVisibility) -> String {
    match model {
        ModelVisibility::No => "–".to_owned(),
        ModelVisibility::Yes(role) => role.name().to_owned(),
        ModelVisibility::Sometimes(role) => format!("{}, usually", role.name()),
        ModelVisibility::Rewrites => "rewrites".to_owned(),
    }
}

fn keys_cell(keys: &str) -> String {
    if keys.starts_with('(') {
        return keys.to_owned();
    }
    let keys: Vec<String> = keys.split(", ").map(|key| format!("`{key}`")).collect();
    keys.join(", ")
}

fn angle_brackets_as_text(note: &str) -> String {
    note.replace('<', "&lt;").replace('>', "&gt;")
}
