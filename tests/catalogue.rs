//! Tests of the catalogue: the guide's two tables come out of it, the generated page is fresh, and no type or field of
//! any version of the published schema is missing.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use pilothouse::core::protocol::EventKind;
use pilothouse::core::protocol::catalogue::fields;
use pilothouse::core::protocol::catalogue::fields::{FieldPlace, Lists};
use pilothouse::core::protocol::catalogue::{
    EventFamily, ModelRole, ModelVisibility, Persistence, Surface, all, families, find, prefix_rule,
    projections,
};
use pilothouse::core::protocol::events_page::markdown;

/// The guide, 'All event types at a glance', row for row.
const GLANCE: &str = "\
| Event type | Ephemeral | Category | Key data fields |
|---|---|---|---|
| assistant.turn_start | | Assistant | turnId, interactionId? |
| assistant.intent | ✅ | Assistant | intent |
| assistant.reasoning | | Assistant | reasoningId, content |
| assistant.reasoning_delta | ✅ | Assistant | reasoningId, deltaContent |
| assistant.streaming_delta | ✅ | Assistant | totalResponseSizeBytes |
| assistant.message | | Assistant | messageId, content, toolRequests?, outputTokens?, phase? |
| assistant.message_delta | ✅ | Assistant | messageId, deltaContent, parentToolCallId? |
| assistant.turn_end | | Assistant | turnId |
| assistant.usage | ✅ | Assistant | model, inputTokens?, outputTokens?, cost?, duration? |
| tool.user_requested | | Tool | toolCallId, toolName, arguments? |
| tool.execution_start | | Tool | toolCallId, toolName, arguments?, mcpServerName? |
| tool.execution_partial_result | ✅ | Tool | toolCallId, partialOutput |
| tool.execution_progress | ✅ | Tool | toolCallId, progressMessage |
| tool.execution_complete | | Tool | toolCallId, success, result?, error? |
| session.idle | ✅ | Session | backgroundTasks? |
| session.error | | Session | errorType, message, statusCode? |
| session.compaction_start | | Session | (empty) |
| session.compaction_complete | | Session | success, preCompactionTokens?, summaryContent? |
| session.title_changed | ✅ | Session | title |
| session.context_changed | | Session | cwd, gitRoot?, repository?, branch? |
| session.usage_info | ✅ | Session | tokenLimit, currentTokens, messagesLength |
| session.task_complete | | Session | summary? |
| session.shutdown | | Session | shutdownType, codeChanges, modelMetrics |
| permission.requested | ✅ | Permission | requestId, permissionRequest |
| permission.completed | ✅ | Permission | requestId, result.kind |
| user_input.requested | ✅ | User Input | requestId, question, choices? |
| user_input.completed | ✅ | User Input | requestId |
| elicitation.requested | ✅ | User Input | requestId, message, requestedSchema |
| elicitation.completed | ✅ | User Input | requestId |
| subagent.started | | Sub-Agent | toolCallId, agentName, agentDisplayName |
| subagent.completed | | Sub-Agent | toolCallId, agentName, agentDisplayName |
| subagent.failed | | Sub-Agent | toolCallId, agentName, error |
| subagent.selected | | Sub-Agent | agentName, agentDisplayName, tools |
| subagent.deselected | | Sub-Agent | (empty) |
| skill.invoked | | Skill | name, path, content, allowedTools? |
| abort | | Control | reason |
| user.message | | User | content, attachments?, agentMode? |
| system.message | | System | content, role |
| external_tool.requested | ✅ | External Tool | requestId, toolName, arguments? |
| external_tool.completed | ✅ | External Tool | requestId |
| command.queued | ✅ | Command | requestId, command |
| command.completed | ✅ | Command | requestId |
| exit_plan_mode.requested | ✅ | Plan Mode | requestId, summary, planContent, actions |
| exit_plan_mode.completed | ✅ | Plan Mode | requestId |
";

/// The guide, 'Model-visible versus UI-visible', row for row.
const PROJECTION: &str = "\
| Event/result | Model-visible? | UI-visible? | Notes |
|---|---|---|---|
| system.message | Yes | Usually not as ordinary chat | Updates system/developer context. |
| system.notification | Usually yes | Yes | Except instruction_discovered is filtered from chat replay. |
| session.info | No | Yes | Timeline/status display. |
| session.warning | No | Yes | Timeline/status display. |
| session.error | No direct prompt role | Yes | Also telemetry and control-flow effects. |
| pending_messages.modified | No | Yes | Ephemeral queue state. |
| session.custom_notification | No by default | Yes | Opaque event for clients. |
| add-timeline-entry command result | No by itself | Yes | Command handler UI projection. |
";

/// The versions of the runtime's schema that are known: each has a folder with its lists, which
/// `cargo xtask schema PATH --add VERSION` writes.
fn schemas() -> BTreeMap<String, Lists> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/schema");
    let versions = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let read = |entry: fs::DirEntry| {
        let list = fs::read_to_string(entry.path().join("fields.txt")).unwrap();
        (entry.file_name().into_string().unwrap(), fields::read(&list))
    };
    versions.map(read).collect()
}

/// The types and fields of all versions.
fn any_schema() -> Lists {
    let mut all = Lists::new();
    for (name, fields) in schemas().into_values().flatten() {
        all.entry(name).or_default().extend(fields);
    }
    all
}

#[test]
fn the_guides_table_at_a_glance_comes_out_of_the_catalogue() {
    let mut table =
        String::from("| Event type | Ephemeral | Category | Key data fields |\n|---|---|---|---|\n");
    for row in families().flat_map(|(_, rows)| rows) {
        let Some(seed) = row.seed else { continue };
        let ephemeral = if seed.ephemeral { " ✅ " } else { " " };
        let (name, category, keys) = (row.name, seed.category, row.keys);
        writeln!(table, "| {name} |{ephemeral}| {category} | {keys} |").unwrap();
    }
    assert_eq!(table, GLANCE);
}

#[test]
fn the_guides_table_of_visibility_comes_out_of_the_catalogue() {
    let mut table =
        String::from("| Event/result | Model-visible? | UI-visible? | Notes |\n|---|---|---|---|\n");
    for row in projections() {
        let (event, model, people, notes) = (row.event, row.model_visible, row.ui_visible, row.notes);
        writeln!(table, "| {event} | {model} | {people} | {notes} |").unwrap();
    }
    assert_eq!(table, PROJECTION);
}

#[test]
fn the_generated_page_is_fresh() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/events.md");
    let written = fs::read_to_string(&page).unwrap_or_default();
    assert!(
        written == markdown(),
        "{} is not what the catalogue says: run `cargo xtask docs`",
        page.display()
    );
}

#[test]
fn every_type_of_each_version_of_the_schema_is_listed() {
    let schemas = schemas();
    let sizes: Vec<(&str, usize)> =
        schemas.iter().map(|(version, types)| (version.as_str(), types.len())).collect();
    assert!(sizes.contains(&("1.0.14", 149)) && sizes.contains(&("1.0.15-preview.4", 153)), "{sizes:?}");
    for (version, types) in &schemas {
        let missing: Vec<&String> =
            types.keys().filter(|name| find(name).is_none_or(|row| row.name != **name)).collect();
        assert!(missing.is_empty(), "of {version}, not in the catalogue: {missing:?}");
    }
    let published = any_schema();
    let invented: Vec<&str> = all()
        .filter(|row| row.is_session_event() && !published.contains_key(row.name))
        .map(|row| row.name)
        .collect();
    assert!(invented.is_empty(), "in no schema: {invented:?}");
}

#[test]
fn every_field_of_each_version_of_the_schema_has_a_place() {
    for (version, published) in schemas() {
        assert!(published.values().map(Vec::len).sum::<usize>() > 1_000, "{version}");
        let without = fields::without_place(&published);
        assert!(
            without.is_empty(),
            "src/core/protocol/catalogue/fields.txt lacks, of {version}: {without:#?}"
        );
    }
    let stale = fields::without_field(&any_schema());
    assert!(stale.is_empty(), "src/core/protocol/catalogue/fields.txt has, and no schema: {stale:#?}");
}

#[test]
fn a_field_without_a_place_and_a_place_without_a_field_are_told() {
    let mut published = any_schema();
    let more = fields::read("abort: reason, since{day}\nsession.brand_new: name");
    published.extend(more);
    published.get_mut("session.title_changed").unwrap().clear();
    assert_eq!(fields::without_place(&published), ["abort: since.day", "session.brand_new: name"]);
    assert_eq!(fields::without_field(&published), ["session.title_changed: title"]);
}

/// What these numbers are counted from may change with each version, so whoever names them is held to it.
#[test]
fn the_number_of_types_is_the_same_wherever_it_is_named() {
    let types = all().filter(|row| row.is_session_event()).count();
    for (file, words) in [
        ("README.md", format!("Reduces all [{types} event types]")),
        ("docs/reliability.md", format!("each of the {types} types")),
        ("docs/reliability.md", format!("events of all {types} types")),
        ("tests/e2e/timeline/every-type.test.mjs", format!("assert.equal(places.size, {types});")),
    ] {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
        assert!(text.contains(&words), "{file} does not say: {words}");
    }
}

#[test]
fn what_is_left_out_has_a_reason_and_key_fields_are_fields() {
    let table = fields::table();
    for (name, placed) in &table {
        for field in placed.iter().filter(|field| field.place == FieldPlace::LeftOut) {
            assert!(fields::reason(&field.path).is_some(), "{name}: {}", field.path);
        }
    }
    for row in all().filter(|row| row.is_session_event() && !row.keys.starts_with('(')) {
        for key in row.keys.split(", ").map(|key| key.trim_end_matches('?')) {
            let known = table[row.name].iter().any(|field| {
                field.covers(key) || field.path.strip_prefix(key).is_some_and(|rest| rest.starts_with('.'))
            });
            // These are on the wire, but not in the schema.
            let wire = matches!((row.name, key), ("session.idle", "backgroundTasks"));
            assert!(known || wire, "{}: {key}", row.name);
        }
    }
}

#[test]
fn whoever_shows_a_type_is_a_component() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let page = markdown();
    let rows = page.lines().filter(|line| line.starts_with("| `") && line.split(" | ").count() == 8);
    let mut count = 0;
    for row in rows {
        let place = row.split(" | ").nth(5).unwrap_or_default().trim_matches('`');
        let event_type = row.split(" | ").next().unwrap_or_default().trim_start_matches("| ");
        assert!(
            root.join(place).is_file(),
            "{event_type}: there is no src/{place} (protocol/events_page.rs names it)"
        );
        count += 1;
    }
    assert_eq!(count, all().count() + 1, "the rule for internal names is a row as well");
}

#[test]
fn every_kind_has_its_row() {
    for kind in EventKind::ALL {
        assert_eq!(kind.row().map(|row| row.kind), Some(*kind), "{}", kind.name());
    }
    assert!(EventKind::Unknown.row().is_none());
}

#[test]
fn names_are_sorted_and_unique() {
    let names: Vec<&str> = all().map(|row| row.name).collect();
    assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
}

#[test]
fn every_row_stands_in_its_own_family_and_every_family_once() {
    let listed: Vec<EventFamily> = families().map(|(family, _)| family).collect();
    for (at, family) in listed.iter().enumerate() {
        assert!(!listed[..at].contains(family), "{family:?} twice");
    }
    for (family, rows) in families() {
        assert!(!rows.is_empty(), "{family:?} is empty");
        for row in rows {
            assert_eq!(row.family, family, "{}", row.name);
        }
    }
}

#[test]
fn every_row_has_a_reason_with_a_source() {
    for row in all() {
        assert!(row.note.contains('(') && row.note.ends_with(')'), "{}: {}", row.name, row.note);
        assert!(!row.keys.is_empty() && !row.note.contains('|'), "{}", row.name);
    }
}

#[test]
fn records_of_other_carriers_are_marked() {
    let records: Vec<&str> = all().filter(|row| !row.is_session_event()).map(|row| row.name).collect();
    assert_eq!(
        records,
        [
            "add-timeline-entry",
            "chat.completion.chunk",
            "copilot_confirmation",
            "copilot_errors",
            "copilot_references",
            "pilothouse.answered",
            "pilothouse.sent",
            "pilothouse.transcript",
            "resp_message"
        ]
    );
}

#[test]
fn types_that_no_schema_lists_are_known_as_such() {
    for name in ["model.messages_snapshot", "model.tool_execution", "model.anything"] {
        assert!(find(name).is_none(), "{name}");
        let rule = prefix_rule(name).expect("a rule");
        assert_eq!((rule.family, rule.surface), (EventFamily::Internal, Surface::Nowhere));
    }
    for name in ["model.call_start", "model.", "models.x", "session.start", "nobody.knows", ""] {
        assert!(prefix_rule(name).is_none(), "{name}");
    }
}

#[test]
fn what_the_model_sees_is_what_the_sources_say() {
    use ModelRole::{Assistant, System, Tool, User};
    use ModelVisibility::{No, Rewrites, Sometimes, Yes};
    let expected = [
        ("system.message", Yes(System)),
        ("system.notification", Sometimes(User)),
        ("user.message", Yes(User)),
        ("assistant.message", Yes(Assistant)),
        ("assistant.message_delta", No),
        ("assistant.reasoning", No),
        ("tool.execution_complete", Yes(Tool)),
        ("tool.execution_partial_result", No),
        ("skill.invoked", Sometimes(User)),
        ("skill.context_delivered", Yes(User)),
        ("skill.context_delivered_ref", Yes(User)),
        ("session.mode_notice_delivered", Sometimes(User)),
        ("session.fusion_handoff", Yes(User)),
        ("session.compaction_start", No),
        ("session.compaction_complete", Rewrites),
        ("session.truncation", Rewrites),
        ("session.snapshot_rewind", Rewrites),
        ("session.context_cleared", Rewrites),
        ("session.info", No),
        ("session.warning", No),
        ("session.error", No),
        ("session.custom_notification", No),
        ("pending_messages.modified", No),
        ("add-timeline-entry", No),
    ];
    for (name, model) in expected {
        assert_eq!(find(name).map(|row| row.model), Some(model), "{name}");
    }
}

#[test]
fn every_request_has_a_completion_that_leaves_a_trace() {
    for row in all().filter(|row| row.surface == Surface::Request && row.is_session_event()) {
        let completion = match row.name {
            "command.queued" | "command.execute" => "command.completed".to_owned(),
            "mcp.oauth_required" => "mcp.oauth_completed".to_owned(),
            name => name.replace(".requested", ".completed"),
        };
        let surface = find(&completion).map(|row| row.surface);
        assert_eq!(surface, Some(Surface::Timeline), "{} → {completion}", row.name);
    }
}

#[test]
fn permissions_are_persisted_although_the_guide_has_them_ephemeral() {
    for name in ["permission.requested", "permission.completed"] {
        let row = find(name).expect(name);
        assert_eq!(row.persistence, Persistence::Persisted, "{name}");
        assert!(row.seed.is_some_and(|seed| seed.ephemeral), "{name}");
    }
}
