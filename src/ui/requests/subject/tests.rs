//! Tests that nothing of what is to be allowed is lost.

use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::*;
use crate::core::model::request::{Life, RequestKind};

fn about(permission: &Value) -> Subject {
    let details = json!({ "permissionRequest": permission });
    let request = Request { kind: RequestKind::Permission, life: Life::Waiting, tool_call_id: None, details };
    subject(&request, Some("/here"))
}

fn fact<'a>(subject: &'a Subject, name: &str) -> &'a Fact {
    subject.facts.iter().find(|fact| fact.name == name).expect(name)
}

#[wasm_bindgen_test]
fn a_command_is_shown_whole_with_its_facts() {
    let subject = about(&json!({
        "kind": "shell", "fullCommandText": "a\u{202E} > x; b", "intention": "try", "commands": [],
        "commandSegments": [{ "identifier": "a", "fullCommandText": "a > x" }, { "identifier": "b", "fullCommandText": "b" }],
        "possiblePaths": ["x"], "resolvedPaths": { "x": "/etc/x" }, "possibleUrls": [{ "url": "https://a@b.example/" }],
        "hasWriteFileRedirection": true, "warning": "careful", "requestSandboxBypass": true,
        "requestSandboxBypassReason": "net", "later": { "new": 1 }
    }));
    assert_eq!(subject.shown, [Shown::Text("a\u{202E} > x; b".to_owned(), TextKind::Command)]);
    assert_eq!(fact(&subject, "In").exact, ["/here"]);
    assert_eq!(fact(&subject, "Runs").exact, ["a > x", "b"]);
    assert_eq!(fact(&subject, "Touches").exact, ["x → /etc/x"]);
    assert!(fact(&subject, "later").exact.concat().contains("new"));
    assert_eq!(subject.cautions.iter().filter(|caution| caution.danger).count(), 3);
    assert_eq!(subject.why.as_deref(), Some("try"));
}

#[wasm_bindgen_test]
fn every_kind_of_the_schema_has_a_question_of_its_own_and_an_unknown_one_is_shown_whole() {
    for kind in [
        "write",
        "mcp",
        "memory",
        "custom-tool",
        "hook",
        "extension-management",
        "extension-permission-access",
        "extension-env-access",
        "factory",
    ] {
        assert!(!about(&json!({ "kind": kind })).question.starts_with("Allow this"), "{kind}");
    }
    let unknown = json!({ "kind": "teleport", "to": "moon", "deep": [{ "x": null }] });
    let subject = about(&unknown);
    let [Shown::Text(text, _)] = subject.shown.as_slice() else { panic!("{subject:?}") };
    assert_eq!(serde_json::from_str::<Value>(text).expect("JSON"), unknown);
    assert!(
        about(&json!({ "kind": "shell" })).shown.len() == 1,
        "a command without its text is shown as data"
    );
}

#[wasm_bindgen_test]
fn a_line_break_in_a_command_is_not_hidden() {
    for command in [
        "git commit -m \"Fix low water\n\nBody line.\"",
        "for i in a b\ndo\n  echo $i\ndone",
        "cat <<'E'\na\nE",
    ] {
        let whole = format!("{command} && git log -1");
        let subject = about(&json!({
            "kind": "shell", "fullCommandText": whole,
            "commandSegments": [{ "fullCommandText": command }, { "fullCommandText": "git log -1" }]
        }));
        assert_eq!(fact(&subject, "Runs").exact, [command, "git log -1"]);
        assert_eq!(subject.cautions, [], "{command:?}");
    }
    let hidden = json!({
        "kind": "shell", "fullCommandText": "ls; ls",
        "commandSegments": ["ls", format!("ls{}rm x", "\n".repeat(40)), "ls\u{202E}"]
    });
    assert!(
        about(&hidden).cautions.iter().any(|caution| caution.danger),
        "padding and hidden signs are named"
    );
}

#[wasm_bindgen_test]
fn every_path_is_named() {
    let subject = about(&json!({ "kind": "shell", "fullCommandText": "rm -rf ../a ~/b" }));
    let words: Vec<&str> = subject.cautions.iter().map(|caution| caution.words.as_str()).collect();
    assert_eq!(words, ["Deletes outside of the project: `../a`, `~/b`"]);
    let subject = about(&json!({ "kind": "path", "accessKind": "write", "paths": ["../a", "../b"] }));
    let words: Vec<&str> = subject.cautions.iter().map(|caution| caution.words.as_str()).collect();
    assert_eq!(words, ["Outside of the project: `../a`, `../b`"]);
}
