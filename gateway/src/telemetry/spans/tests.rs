//! The spans of the recordings: what is in a recording is in its spans once, with its times, and no text is.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use pilothouse_core::protocol::{EventKind, RequestKind};
use pilothouse_core::wire::time::{iso_milliseconds, parse_iso};
use serde_json::{Value, json};

use super::SessionSpans;
use crate::journal::event_kind;
use crate::telemetry::span::{AttributeValue, Span};

fn lines(folder: &Path, file: &str) -> Vec<String> {
    let text = fs::read_to_string(folder.join(file)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Each recording, by its name.
fn recordings() -> Vec<(String, Vec<String>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/sessions");
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let folder = entry.unwrap().path();
        for file in ["events.jsonl", "persisted.jsonl"] {
            let name = format!("{}/{file}", folder.file_name().unwrap().to_str().unwrap());
            all.push((name, lines(&folder, file)));
        }
    }
    assert!(all.len() > 40, "the recordings were not found");
    all.sort();
    all
}

fn recording(name: &str) -> Vec<String> {
    recordings().into_iter().find(|(known, _)| known == name).unwrap().1
}

fn spans_of(lines: &[String]) -> (Vec<Span>, SessionSpans) {
    let mut session = SessionSpans::new("s");
    let spans = lines.iter().flat_map(|line| session.take(line)).collect();
    (spans, session)
}

fn event(kind: &str, id: &str, at: i64, data: &Value) -> String {
    let at = iso_milliseconds(1_800_000_000_000 + at);
    json!({"type": kind, "id": id, "timestamp": at, "data": data}).to_string()
}

/// When each thing begins and ends in a recording, by its id: the first event of each kind counts.
fn intervals(
    lines: &[String],
    field: &str,
    opens: impl Fn(EventKind) -> bool,
    closes: impl Fn(EventKind) -> bool,
) -> HashMap<String, (i64, Option<(i64, Value)>)> {
    let mut all: HashMap<String, (i64, Option<(i64, Value)>)> = HashMap::new();
    for line in lines {
        let kind = event_kind(line);
        if !opens(kind) && !closes(kind) {
            continue;
        }
        let event: Value = serde_json::from_str(line).unwrap();
        let (Some(id), Some(at)) = (event["data"][field].as_str(), event["timestamp"].as_str()) else {
            continue;
        };
        let at = parse_iso(at).unwrap();
        if opens(kind) {
            all.entry(id.to_owned()).or_insert((at, None));
        } else if let Some((_, end @ None)) = all.get_mut(id) {
            *end = Some((at, event["data"].clone()));
        }
    }
    all
}

#[test]
fn each_tool_call_of_a_recording_is_one_span_with_its_times() {
    let mut seen = 0;
    for (name, lines) in recordings() {
        let (spans, session) = spans_of(&lines);
        let calls = intervals(
            &lines,
            "toolCallId",
            |kind| kind == EventKind::ToolExecutionStart,
            |kind| kind == EventKind::ToolExecutionComplete,
        );
        let tools: Vec<_> =
            spans.iter().filter(|span| span.text("gen_ai.operation.name") == Some("execute_tool")).collect();
        let open = session.open().filter(|name| name.starts_with("execute_tool")).count();
        assert_eq!(tools.len() + open, calls.len(), "{name}");
        for span in tools {
            let (start, end) = &calls[span.text("gen_ai.tool.call.id").unwrap()];
            assert_eq!(span.start, *start, "{name}: {span:?}");
            match end {
                Some((end, data)) if span.error.as_deref() != Some("interrupted") => {
                    assert_eq!(span.end, (*end).max(*start), "{name}: {span:?}");
                    assert_eq!(span.error.is_some(), data["success"] == false, "{name}: {span:?}");
                }
                _ => assert!(span.error.is_some(), "{name}: it has no end of its own: {span:?}"),
            }
            seen += 1;
        }
    }
    assert!(seen > 150, "{seen}");
}

#[test]
fn each_request_is_one_span_that_says_how_long_it_waited_and_what_was_decided() {
    let mut decisions = HashSet::new();
    for (name, lines) in recordings() {
        let (spans, session) = spans_of(&lines);
        let requests = intervals(
            &lines,
            "requestId",
            |kind| RequestKind::opened_by(kind).is_some(),
            RequestKind::is_closing,
        );
        let asked: Vec<_> = spans.iter().filter(|span| span.name.starts_with("request ")).collect();
        let open = session.open().filter(|name| name.starts_with("request ")).count();
        assert_eq!(asked.len() + open, requests.len(), "{name}");
        let waited: i64 = asked.iter().map(|span| span.end - span.start).sum();
        let expected: i64 =
            requests.values().filter_map(|(start, end)| Some((end.as_ref()?.0 - start).max(0))).sum();
        assert!(waited >= expected, "{name}: {waited} {expected}");
        let known = asked.iter().filter_map(|span| span.text("pilothouse.request.decision"));
        decisions.extend(known.map(str::to_owned));
    }
    for decision in
        ["approved", "denied-interactively-by-user", "answered", "accept", "rejected", "add", "yes"]
    {
        assert!(decisions.contains(decision), "{decision}: {decisions:?}");
    }
    assert!(!decisions.contains("_OTHER"), "{decisions:?}");
}

#[test]
fn each_answer_of_a_model_is_one_span_with_its_tokens() {
    let mut seen = 0;
    for (name, lines) in recordings() {
        let (spans, _) = spans_of(&lines);
        let mut expected: BTreeMap<String, i64> = BTreeMap::new();
        for line in lines.iter().filter(|line| event_kind(line) == EventKind::AssistantUsage) {
            let event: Value = serde_json::from_str(line).unwrap();
            let Some(id) = event["data"]["apiCallId"].as_str() else { continue };
            expected.insert(id.to_owned(), event["data"]["outputTokens"].as_i64().unwrap_or_default());
        }
        let mut found = BTreeMap::new();
        for span in spans.iter().filter(|span| span.name.starts_with("chat")) {
            let Some(id) = span.text("gen_ai.response.id") else { continue };
            let tokens = span.attributes.iter().find(|(name, _)| *name == "gen_ai.usage.output_tokens");
            let Some((_, AttributeValue::Whole(tokens))) = tokens else { continue };
            assert_eq!(found.insert(id.to_owned(), *tokens), None, "{name}: twice");
            assert_eq!(span.name, format!("chat {}", span.text("gen_ai.request.model").unwrap()));
            assert!(span.is_remote);
        }
        assert_eq!(found, expected, "{name}");
        seen += found.len();
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn spans_are_trees_whose_ids_are_used_once_and_nothing_stays_open_that_has_ended() {
    for (name, lines) in recordings() {
        let (spans, session) = spans_of(&lines);
        let mut traces = HashMap::new();
        for (id, trace) in (spans.iter().map(|span| (span.id, span.trace)))
            .chain(session.open.values().map(|open| (open.span.id, open.span.trace)))
        {
            assert_eq!(traces.insert(id, trace), None, "{name}: an id is used twice");
        }
        for span in &spans {
            assert!(span.start <= span.end && span.start > 1_700_000_000_000, "{name}: {span:?}");
            if let Some(parent) = span.parent {
                assert_eq!(traces.get(&parent), Some(&span.trace), "{name}: {span:?}");
            }
        }
        // A turn that has ended leaves nothing open but what goes on without it.
        if session.turn.is_none() {
            for open in session.open.values() {
                let goes_on = open.agent.is_some() || !open.ends_with_turn() || open.span.parent.is_none();
                assert!(goes_on, "{name}: {open:?}");
            }
        }
    }
}

/// Every text below these names may be anything.
const TEXTS: [&str; 14] = [
    "content",
    "arguments",
    "message",
    "question",
    "answer",
    "feedback",
    "fullCommandText",
    "result",
    "output",
    "transformedContent",
    "description",
    "displayName",
    "agentDisplayName",
    "errorMessage",
];

fn collect_texts(value: &Value, inside: bool, into: &mut HashSet<String>) {
    match value {
        // An id alone is not a text.
        Value::String(text) if inside && text.len() > 16 && text.contains(' ') => {
            into.insert(text.clone());
        }
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, inside, into)),
        Value::Object(members) => {
            for (name, value) in members {
                // Words of the protocol stand beside the texts.
                let is_word = ["kind", "type", "code", "toolCallId"].contains(&name.as_str());
                collect_texts(value, !is_word && (inside || TEXTS.contains(&name.as_str())), into);
            }
        }
        _ => {}
    }
}

#[test]
fn no_text_of_a_session_is_in_its_spans() {
    let mut seen = 0;
    for (name, lines) in recordings() {
        let mut texts = HashSet::new();
        for event in lines.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            collect_texts(&event["data"], false, &mut texts);
        }
        let written = format!("{:?}", spans_of(&lines).0);
        for text in &texts {
            assert!(!written.contains(text.as_str()), "{name}: {text}");
        }
        seen += texts.len();
    }
    assert!(seen > 300, "{seen}");
}

#[test]
fn events_that_come_twice_change_nothing_and_a_restart_makes_the_same_spans() {
    for (name, lines) in recordings() {
        let (once, _) = spans_of(&lines);
        let twice: Vec<String> = lines.iter().flat_map(|line| [line.clone(), line.clone()]).collect();
        assert_eq!(spans_of(&twice).0, once, "{name}");
        assert_eq!(spans_of(&lines).0, once, "{name}");
    }
}

/// Each span with its children, those that began first first.
fn tree(spans: &[Span]) -> String {
    fn write(spans: &[Span], parent: Option<[u8; 8]>, depth: usize, into: &mut String) {
        let mut own: Vec<_> = spans.iter().filter(|span| span.parent == parent).collect();
        own.sort_by_key(|span| span.start);
        for span in own {
            let decided = span.text("pilothouse.request.decision").map(|word| format!(": {word}"));
            let failed = span.error.as_ref().map(|word| format!(" ! {word}"));
            let events: Vec<_> = span.events.iter().flat_map(|event| [" + ", event.name]).collect();
            let events = events.concat();
            let (decided, failed) = (decided.unwrap_or_default(), failed.unwrap_or_default());
            writeln!(into, "{}{}{decided}{failed}{events}", "  ".repeat(depth), span.name).unwrap();
            write(spans, Some(span.id), depth + 1, into);
        }
    }
    let mut text = String::new();
    write(spans, None, 0, &mut text);
    text
}

#[test]
fn turns_that_were_aborted_say_so() {
    let (spans, session) = spans_of(&recording("abort-variants/events.jsonl"));
    assert_eq!(session.open().count(), 0);
    let expected = "\
invoke_agent ! aborted
  chat ! aborted
invoke_agent ! aborted
  chat claude-sonnet-4.5
  execute_tool bash ! aborted
    request permission: cancelled
invoke_agent ! aborted
  chat claude-sonnet-4.5
  execute_tool bash ! aborted
    request permission: approved
invoke_agent
  chat claude-sonnet-4.5
";
    assert_eq!(tree(&spans), expected);
}

#[test]
fn sub_agents_have_their_own_calls_and_hang_on_the_tool_that_started_them() {
    let (spans, _) = spans_of(&recording("subagents/events.jsonl"));
    let expected = "\
invoke_agent + github.copilot.system.notification
  chat claude-sonnet-4.5
  execute_tool task
    invoke_agent explore
      chat claude-sonnet-4.5
      execute_tool bash
        request permission: approved
      chat claude-sonnet-4.5
  execute_tool task
    invoke_agent general-purpose
      chat gpt-5.4
      execute_tool bash
        request permission: approved
      chat gpt-5.4
  chat claude-sonnet-4.5
  execute_tool task
    invoke_agent reviewer
      chat claude-sonnet-4.5
      execute_tool bash
      chat claude-sonnet-4.5
  execute_tool task ! failure
    invoke_agent general-purpose ! query
      chat ! interrupted
  request permission: approved
  chat claude-sonnet-4.5
  execute_tool task
    invoke_agent general-purpose
      chat gpt-5.4
      execute_tool bash
        request permission: approved
      chat gpt-5.4
  chat claude-sonnet-4.5
  execute_tool list_agents
  chat claude-sonnet-4.5
  chat claude-sonnet-4.5
";
    assert_eq!(tree(&spans), expected);
}

#[test]
fn a_restart_of_the_runtime_ends_what_was_open_when_it_was_last_heard_of_and_permissions_stay() {
    let mut session = SessionSpans::new("s");
    let mut take = |line: String| session.take(&line);
    take(event("user.message", "1", 0, &json!({"interactionId": "i", "delivery": "idle"})));
    take(event("assistant.turn_start", "2", 10, &json!({"interactionId": "i"})));
    take(event("tool.execution_start", "3", 20, &json!({"toolCallId": "t", "toolName": "bash"})));
    let asked = json!({"requestId": "r", "permissionRequest": {"kind": "shell", "toolCallId": "t"}});
    take(event("permission.requested", "4", 30, &asked));
    assert!(take(event("session.error", "5", 40, &json!({"errorType": "runtime_ended"}))).is_empty());
    assert!(
        take(event("session.resume", "6", 45, &json!({"sessionWasActive": true}))).is_empty(),
        "it went on"
    );
    let ended = take(event("session.resume", "7", 90_000, &json!({"sessionWasActive": false})));
    assert_eq!(
        tree(&ended),
        "invoke_agent ! interrupted\n  chat ! interrupted\n  execute_tool bash ! interrupted\n"
    );
    let base = 1_800_000_000_000;
    assert!(ended.iter().all(|span| span.end == base + 45), "{ended:#?}");
    let completed = json!({"requestId": "r", "result": {"kind": "approved"}});
    let [permission] = &take(event("permission.completed", "8", 95_000, &completed))[..] else { panic!() };
    assert_eq!((permission.start, permission.end), (base + 30, base + 95_000));
    assert_eq!(permission.text("pilothouse.request.decision"), Some("approved"));
    assert_eq!(permission.trace, ended[0].trace);
    assert_eq!(session.open().count(), 0);
}

#[test]
fn a_notification_is_an_event_of_the_turn_that_it_begins_or_falls_into() {
    let notification = |id: &str, at| {
        let kind = json!({"type": "agent_completed", "agentId": "a1", "agentType": "explore", "status": "failed",
            "description": "who knows", "prompt": "who knows"});
        event("system.notification", id, at, &json!({"content": "who knows", "kind": kind}))
    };
    let mut session = SessionSpans::new("s");
    session.take(&notification("1", 0));
    session.take(&event("assistant.turn_start", "2", 10, &json!({"interactionId": "i"})));
    let shell = json!({"type": "shell_completed", "shellId": "0", "exitCode": 3, "description": "who knows"});
    session.take(&event("system.notification", "3", 20, &json!({"content": "who knows", "kind": shell})));
    session.take(&event("assistant.turn_end", "4", 30, &json!({})));
    let ended = session.take(&event("session.idle", "5", 40, &json!({})));
    let turn = ended.last().unwrap();
    let attributes: Vec<_> = turn.events.iter().map(|event| format!("{:?}", event.attributes)).collect();
    assert_eq!(attributes.len(), 2);
    assert!(!format!("{ended:?}").contains("who knows"));
    let prefix = "github.copilot.system.notification";
    for (at, part) in
        [(0, "agent_completed"), (0, "explore"), (0, "failed"), (0, "a1"), (1, "shell_completed")]
    {
        assert!(attributes[at].contains(part) && attributes[at].contains(prefix), "{attributes:?}");
    }
    assert!(attributes[1].contains("exit_code\", Whole(3)"), "{attributes:?}");
}

#[test]
fn any_bytes_are_taken() {
    let mut session = SessionSpans::new("s");
    for line in [
        "",
        "null",
        "[]",
        "{}",
        r#"{"type":"tool.execution_start"}"#,
        r#"{"type":"user.message","data":7}"#,
        r#"{"type":"assistant.usage","data":{"duration":-9e99,"inputTokens":"x"},"timestamp":"never"}"#,
    ] {
        session.take(line);
    }
}
