//! Tests of the catalogue: the guide's two tables come out of it, the generated page is fresh, and no type of
//! the published schema is missing.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use pilothouse::core::protocol::catalogue::fields;
use pilothouse::core::protocol::catalogue::fields::Place;
use pilothouse::core::protocol::catalogue::{
    Family, ModelRole, ModelVisibility, Persistence, Surface, all, families, find, markdown, projections,
    unlisted,
};

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

/// The types of the schema in `@github/copilot-sdk-linux-x64` 1.0.14.
const SCHEMA: &str = "\
abort agent.interrupted assistant.fusion_phase_activity assistant.fusion_phase_completed
assistant.fusion_phase_failed assistant.fusion_phase_started assistant.idle assistant.intent
assistant.message assistant.message_delta assistant.message_start assistant.reasoning
assistant.reasoning_delta assistant.server_tool_progress assistant.streaming_delta
assistant.tool_call_delta assistant.turn_end assistant.turn_retry assistant.turn_start
assistant.usage auto_mode_switch.completed auto_mode_switch.requested capabilities.changed
command.completed command.execute command.queued commands.changed elicitation.completed
elicitation.requested exit_plan_mode.completed exit_plan_mode.requested external_tool.completed
external_tool.requested factory.run_settled factory.run_started factory.run_updated hook.end
hook.progress hook.start mcp.headers_refresh_completed mcp.headers_refresh_required
mcp.oauth_completed mcp.oauth_required mcp.prompts.list_changed mcp.resources.list_changed
mcp.tools.list_changed mcp_app.tool_call_complete model.call_failure model.call_finished
model.call_start pending_messages.modified permission.assentDetected permission.carriedForward
permission.completed permission.contextualAuthorization permission.messageAuthorization
permission.messageAuthorizationDegraded permission.messageAuthorizationRead permission.requested
prompt_cache_break sampling.completed sampling.requested sandbox.decision
session.auto_mode_resolved session.auto_tier_recommendation session.auto_tier_switch_failed
session.autopilot_objective_changed session.background_tasks_changed session.binary_asset
session.canvas.closed session.canvas.opened session.canvas.recorded
session.canvas.registry_changed session.canvas.removed session.canvas.unavailable
session.compaction_complete session.compaction_start session.completion_receipt
session.context_changed session.context_cleared session.custom_agents_updated
session.custom_notification session.error session.extensions.attachments_pushed
session.extensions_loaded session.fusion_commit_started session.fusion_completed
session.fusion_handoff session.fusion_resolved session.fusion_route_failed
session.fusion_route_started session.handoff session.idle session.info
session.managed_settings_enforced session.managed_settings_resolved
session.mcp_server_needs_reconnect session.mcp_server_removed session.mcp_server_status_changed
session.mcp_servers_loaded session.memory_changed session.mode_changed
session.mode_notice_delivered session.model_change session.permissions_changed
session.plan_changed session.remote_steerable_changed session.resume session.schedule_cancelled
session.schedule_created session.schedule_rearmed session.session_limits_changed
session.shutdown session.skills_loaded session.snapshot_rewind session.start
session.task_complete session.title_changed session.todos_changed session.tools_updated
session.truncation session.usage_checkpoint session.usage_info session.warning
session.workspace_file_changed session_limits_exhausted.completed
session_limits_exhausted.requested skill.context_delivered skill.context_delivered_ref
skill.invoked skill.invoked_ref subagent.completed subagent.configured subagent.deselected
subagent.failed subagent.selected subagent.started system.message system.notification
tool.execution_complete tool.execution_partial_result tool.execution_progress
tool.execution_start tool.user_requested tool_search.activated ui.ephemeral_query user.message
user_input.completed user_input.requested
";

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
fn every_type_of_the_schema_is_listed() {
    let names: Vec<&str> = SCHEMA.split_whitespace().collect();
    assert_eq!(names.len(), 149);
    let missing: Vec<&&str> =
        names.iter().filter(|name| find(name).is_none_or(|row| row.name != **name)).collect();
    assert!(missing.is_empty(), "not in the catalogue: {missing:?}");
    let invented: Vec<&str> = all()
        .filter(|row| row.is_session_event() && !names.contains(&row.name))
        .map(|row| row.name)
        .collect();
    assert!(invented.is_empty(), "in no schema: {invented:?}");
}

/// Printed by `pilothouse catalogue --fields PATH`.
const FIELDS: &str = include_str!("support/schema-fields.txt");

#[test]
fn every_field_of_the_schema_has_a_place() {
    let published = fields::read(FIELDS);
    let names: Vec<&str> = published.keys().map(String::as_str).collect();
    let mut types: Vec<&str> = SCHEMA.split_whitespace().collect();
    types.sort_unstable();
    assert_eq!(names, types, "the list of fields is of the same schema as that of types");
    assert!(published.values().map(Vec::len).sum::<usize>() > 1_000);
    assert_eq!(
        fields::differences(&published),
        Vec::<String>::new(),
        "src/core/protocol/catalogue/fields.txt"
    );
}

#[test]
fn a_field_without_a_place_and_a_place_without_a_field_are_told() {
    let mut published = fields::read(FIELDS);
    let more = fields::read("abort: reason, since{day}\nsession.brand_new: name");
    let one = more["session.brand_new"].clone();
    published.insert("session.brand_new".to_owned(), one);
    published.insert("abort".to_owned(), more["abort"].clone());
    published.get_mut("session.title_changed").unwrap().clear();
    let differences = fields::differences(&published);
    assert_eq!(
        differences,
        [
            "abort: since.day has no place",
            "session.brand_new: name has no place",
            "session.title_changed: there is no title",
        ]
    );
}

#[test]
fn what_is_left_out_has_a_reason_and_key_fields_are_fields() {
    let table = fields::table();
    for (name, placed) in &table {
        for field in placed.iter().filter(|field| field.place == Place::LeftOut) {
            assert!(fields::reason(&field.path).is_some(), "{name}: {}", field.path);
        }
    }
    for row in all().filter(|row| row.is_session_event() && !row.keys.starts_with('(')) {
        for key in row.keys.split(", ").map(|key| key.trim_end_matches('?')) {
            let known = table[row.name].iter().any(|field| {
                field.holds(key) || field.path.strip_prefix(key).is_some_and(|rest| rest.starts_with('.'))
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
    let rows = page.lines().filter(|line| line.starts_with("| `") && line.split(" | ").count() == 7);
    let mut count = 0;
    for row in rows {
        let place = row.split(" | ").nth(4).unwrap_or_default().trim_matches('`');
        let event_type = row.split(" | ").next().unwrap_or_default().trim_start_matches("| ");
        assert!(
            root.join(place).is_file(),
            "{event_type}: there is no src/{place} (catalogue/shown_by.rs names it)"
        );
        count += 1;
    }
    assert_eq!(count, all().count() + 1, "the rule for internal names is a row as well");
}

#[test]
fn names_are_sorted_and_unique() {
    let names: Vec<&str> = all().map(|row| row.name).collect();
    assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
}

#[test]
fn every_row_stands_in_its_own_family_and_every_family_once() {
    let listed: Vec<Family> = families().map(|(family, _)| family).collect();
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
            "resp_message"
        ]
    );
}

#[test]
fn types_that_no_schema_lists_are_known_as_such() {
    for name in ["model.messages_snapshot", "model.tool_execution", "model.anything"] {
        assert!(find(name).is_none(), "{name}");
        let rule = unlisted(name).expect("a rule");
        assert_eq!((rule.family, rule.surface), (Family::Internal, Surface::Nowhere));
    }
    for name in ["model.call_start", "model.", "models.x", "session.start", "nobody.knows", ""] {
        assert!(unlisted(name).is_none(), "{name}");
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
