//! Tests of search: what is found, where, and that a survey that was updated is the same as a new one.

use super::{Class, Classes, Needle, Survey};
use crate::Session;

fn session(lines: &[&str]) -> Session {
    let mut session = Session::new();
    session.push(lines.join("\n").as_bytes());
    session.end();
    session
}

const CALLS: [&str; 11] = [
    r#"{"type":"user.message","data":{"content":"Look after the Boats","messageId":"u"},"id":"1"}"#,
    r#"{"type":"assistant.message","data":{"messageId":"a","content":"ÄNDERUNG am Steg","toolRequests":[]},"id":"2"}"#,
    r#"{"type":"tool.execution_start","data":{"toolCallId":"t","toolName":"view","arguments":{"path":"/pier/Plan.md"}},"id":"3"}"#,
    r#"{"type":"tool.execution_complete","data":{"toolCallId":"t","success":false,"error":{"message":"no such berth","code":"failure"}},"id":"4"}"#,
    r#"{"type":"tool.execution_start","data":{"toolCallId":"s","toolName":"bash","arguments":{"command":"ls berths"}},"id":"5"}"#,
    r#"{"type":"tool.execution_complete","data":{"toolCallId":"s","success":true,"result":{"content":"north\nsouth"}},"id":"6"}"#,
    r#"{"type":"tool.execution_start","data":{"toolCallId":"p","toolName":"m-x","mcpServerName":"m","arguments":{}},"id":"10"}"#,
    r#"{"type":"tool.execution_complete","data":{"toolCallId":"p","success":true,"result":{"content":"hoist 10%\rstow 100%\nanc\u001b[1mhorage\u001b[0m mo\bst"}},"id":"11"}"#,
    r#"{"type":"permission.requested","data":{"requestId":"r","permissionRequest":{"kind":"shell","fullCommandText":"rm buoy","intention":"tidy"}},"id":"7"}"#,
    r#"{"type":"session.error","data":{"errorType":"query","message":"The tide turned"},"id":"8"}"#,
    r#"{"type":"who.knows","data":{"deep":[{"name":"kelp"}]},"id":"9"}"#,
];

fn found(needle: &str) -> Vec<&'static str> {
    let session = session(&CALLS);
    let mut survey = Survey::default();
    survey.search_for(Needle::new(needle));
    assert!(survey.scan_next(session.state(), || false));
    survey.hits().iter().map(|row| session.state().entries[*row].kind.word()).collect()
}

#[test]
fn everything_that_an_entry_says_is_found() {
    for (needle, kinds) in [
        ("boats", &["user"][..]),
        ("änderung", &["assistant"]),
        ("plan.MD", &["tool"]),
        ("no such berth", &["tool"]),
        ("berth", &["tool", "tool"]),
        ("south", &["tool"]),
        ("BUOY", &["permission"]),
        ("tide", &["notice"]),
        ("kelp", &["generic"]),
        ("hoist", &[]),
        ("stow 100%", &["tool"]),
        ("anchorage mst", &["tool"]),
        ("anchors", &[]),
        ("  ", &[]),
    ] {
        assert_eq!(found(needle), kinds, "{needle}");
    }
}

#[test]
fn places_are_whole_characters_in_either_case() {
    for (needle, text, places) in [
        ("a", "Aa", vec![(0, 1), (1, 2)]),
        ("aa", "aaa", vec![(0, 2)]),
        ("straße", "STRAßE Straße", vec![(0, 7), (8, 15)]),
        ("σοφος", "ΣΟΦΟΣ", vec![(0, 10)]),
        ("é", "É e", vec![(0, 2)]),
        ("日", "在日本", vec![(3, 6)]),
        ("x", "é", vec![]),
    ] {
        let needle = Needle::new(needle).unwrap();
        let found: Vec<_> = needle.ranges(text).map(|place| (place.start, place.end)).collect();
        assert_eq!(found, places, "{text}");
        assert!(places.iter().all(|(start, end)| text.get(*start..*end).is_some()), "{text}");
    }
}

#[test]
fn entries_are_counted_by_class_and_counted_anew_when_they_change() {
    let mut session = session(&CALLS);
    let mut survey = Survey::default();
    assert!(survey.scan_next(session.state(), || false));
    let counts = |survey: &Survey| Class::ALL.map(|class| survey.count(class));
    assert_eq!(counts(&survey), [2, 3, 1, 1, 2]);
    let wanted = Classes::default().with(Class::Tool, true).with(Class::Error, true);
    assert_eq!(survey.matching(wanted), (4, 8), "a failed call counts once");

    session.push_frame(
        r#"{"type":"tool.execution_start","data":{"toolCallId":"n","toolName":"edit","arguments":{"path":"x"}},"id":"20"}"#,
    );
    let row = session.state().tool_place("n").unwrap();
    survey.search_for(Needle::new("berth"));
    assert!(survey.scan_next(session.state(), || false));
    assert_eq!((counts(&survey), survey.hits().len()), ([2, 4, 2, 1, 2], 2));
    session.push_frame(
        r#"{"type":"tool.execution_complete","data":{"toolCallId":"n","success":false,"error":{"message":"berth taken"}},"id":"21"}"#,
    );
    assert!(survey.refresh(session.state(), row));
    assert!(!survey.refresh(session.state(), row), "nothing changed since");
    assert_eq!((counts(&survey), survey.hits().last()), ([2, 4, 2, 1, 3], Some(&row)));
}

#[test]
fn a_survey_stops_when_asked_and_goes_on_where_it_stopped() {
    let session = session(&CALLS);
    let mut survey = Survey::default();
    survey.search_for(Needle::new("e"));
    let mut slices = 1;
    while !survey.scan_next(session.state(), || true) {
        slices += 1;
    }
    assert_eq!(slices, session.state().entries.len());
    let mut whole = Survey::default();
    whole.search_for(Needle::new("e"));
    whole.scan_next(session.state(), || false);
    assert_eq!(survey.hits(), whole.hits());
}

#[test]
fn classes_are_a_set() {
    let set = Classes::default().toggled(Class::Error);
    assert!(set.has(Class::Error) && !set.has(Class::File) && set.toggled(Class::Error).is_empty());
    assert!(set.intersects(Classes::default().with(Class::Error, true).with(Class::Tool, true)));
}
