//! The fast reader against the general one: what it reads, `serde_json` reads as the same, and a session doesn't tell
//! which of them read an event.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pilothouse::core::Session;
use pilothouse_scan::{
    Event, Member, Members, Value as Scanned, elements, overlaps, parse_iso, read, reads_as, unescaped, utf8,
    uuid,
};
use serde_json::{Map, Value};

fn general(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn value_of(scanned: Scanned<'_>) -> Value {
    match scanned {
        // A lone surrogate is refused by both, but only when the text is needed.
        Scanned::Str { inner, escaped } => {
            unescaped(inner, escaped).map_or(Value::Null, |text| Value::from(text.into_owned()))
        }
        Scanned::Other(text) => general(text),
    }
}

fn same_members(members: &[Member<'_>], expected: &Map<String, Value>) {
    let mut at = 0;
    let mut names = expected.iter();
    while let Some(member) = members.get(at) {
        let (name, value) = names.next().expect("no more members than there are");
        assert_eq!(member.name, name);
        assert_eq!(value_of(member.value), *value, "{name}");
        let inside = &members[at + 1..=at + member.inside];
        if let (false, Value::Object(object)) = (inside.is_empty(), value) {
            same_members(inside, object);
        }
        at += 1 + member.inside;
    }
    assert_eq!(names.next(), None);
}

/// Everything that is known of a session, including what no snapshot has.
fn known(lines: &[&str]) -> String {
    let mut session = Session::new();
    for line in lines {
        session.push_frame(line);
    }
    let changes = session.take_changes();
    let state = session.state();
    let parts = (
        &state.entries,
        &state.context,
        &state.agent_contexts,
        &state.panel_events,
        &state.notifications,
        &state.info,
    );
    let counted = (&state.usage, &state.queue, &state.counters, &state.diagnostics, &state.open_requests);
    format!("{}\n{parts:?}\n{counted:?}\n{changes:?}", session.snapshot())
}

/// Adds a member that nothing uses. Its name has an escape, so the general rules read the line.
fn for_the_general_rules(line: &str) -> String {
    line.replacen('{', r#"{"\u0078":0,"#, 1)
}

fn event(text: &str) {
    let mut members = Members::unknown();
    let mut event = Event::EMPTY;
    let Some(end) = read(text, 0, &mut event, &mut members) else { return };
    let raw = &text[..end];
    // It may have a string that no text can be made of; then nobody reads it.
    let Ok(whole) = serde_json::from_str::<Value>(raw) else {
        assert!(raw.contains("\\u"), "refused by the general reader: {raw}");
        return;
    };
    let object = if raw.starts_with(r#"{"jsonrpc""#) { &whole["params"]["event"] } else { &whole };
    assert_eq!(general(event.raw), *object);
    let text_of = |name: &str| object[name].as_str().unwrap_or_default();
    assert_eq!(event.kind, text_of("type"));
    assert_eq!(event.id, text_of("id"));
    assert_eq!(event.agent_id.unwrap_or_default(), text_of("agentId"));
    assert_eq!(event.parent_id.unwrap_or_default(), text_of("parentId"));
    assert_eq!(event.at, parse_iso(text_of("timestamp")));
    assert_eq!(event.ephemeral, object["ephemeral"] == true);
    match object.get("data") {
        Some(data) => assert_eq!(general(event.data), *data),
        None => assert_eq!(event.data, ""),
    }
    if let (Some(list), Some(Value::Object(data))) = (members.list(), object.get("data")) {
        same_members(list, data);
    }
    // The platform's confirmations have a type as well, and are kept whole.
    if end == text.len() && object["type"] != "action" {
        let slow = for_the_general_rules(text);
        assert_eq!(known(&[text]), known(&[&slow]));
        assert_eq!(known(&[text, text]), known(&[&slow, &slow]));
    }
}

fuzz_target!(|bytes: &[u8]| {
    assert_eq!(utf8(bytes), std::str::from_utf8(bytes).ok());
    let text = String::from_utf8_lossy(bytes);
    event(&text);

    if let Some(found) = elements(&text)
        && let Ok(expected) = serde_json::from_str::<Vec<Value>>(&text)
    {
        assert_eq!(found.iter().map(|element| general(element)).collect::<Vec<_>>(), expected);
    }
    let string = format!("\"{text}\"");
    if let Ok(expected) = serde_json::from_str::<String>(&string) {
        assert_eq!(unescaped(&text, text.contains('\\')).as_deref(), Some(expected.as_str()));
        assert!(reads_as(&text, text.contains('\\'), &expected));
    }
    if let Some(number) = uuid(&text) {
        assert_eq!(uuid(&text.to_uppercase()), Some(number));
        assert_eq!(text.to_lowercase().replace('-', ""), format!("{number:032x}"));
    }
    let (one, other) = bytes.split_at(bytes.len() / 2);
    let longest = (0..=one.len().min(other.len())).rev().find(|n| one.ends_with(&other[..*n]));
    assert_eq!(overlaps(one, other).1, longest.unwrap_or_default());
});
