//! Tests of the composer: commands as the runtime lists them, mentions,
//! cursors in UTF-16 units, earlier messages.

use serde_json::json;

use super::*;

/// A part of what the runtime answered.
fn commands() -> Vec<Command> {
    Command::list(json!({ "commands": [
        { "name": "allow-all", "aliases": ["yolo"], "description": "Enable all permissions", "kind": "builtin",
          "input": { "hint": "[on|off|show]", "choices": [
              { "name": "on", "description": "Approve all" }, { "name": "off", "description": "Ask" } ] },
          "allowDuringAgentExecution": true, "schedulable": false },
        { "name": "compact", "description": "Summarize", "kind": "builtin",
          "input": { "hint": "focus instructions", "preserveMultilineInput": true }, "allowDuringAgentExecution": false },
        { "name": "context", "description": "Show usage", "kind": "builtin", "allowDuringAgentExecution": true },
        { "name": "deploy", "description": "Deploy it", "kind": "client", "allowDuringAgentExecution": false },
        { "description": "without a name" }, null,
    ] }))
}

fn labels(text: &str) -> Vec<String> {
    let found = commands_for(text, units(text), &commands());
    found.into_iter().map(|proposal| proposal.insert).collect()
}

#[test]
fn commands_are_found_by_name_alias_part_and_letters() {
    assert_eq!(labels("/co"), ["/compact ", "/context"]);
    assert_eq!(labels("/yolo"), ["/allow-all "]);
    assert_eq!(labels("/text"), ["/context"]);
    assert_eq!(labels("/cpt"), ["/compact "]);
    assert_eq!(labels("/").len(), 4);
    assert_eq!(labels("co"), [""; 0]);
    assert_eq!(labels(" /co"), [""; 0]);
    assert_eq!(labels("/co\nmore"), [""; 0]);
}

#[test]
fn the_choices_of_a_command_follow_its_name() {
    assert_eq!(labels("/allow-all o"), ["on", "off"]);
    assert_eq!(labels("/yolo of"), ["off"]);
    let proposal = commands_for("/allow-all of", 13, &commands()).remove(0);
    assert_eq!(splice("/allow-all of", proposal.range, &proposal.insert), ("/allow-all off".to_owned(), 14));
    assert_eq!(labels("/allow-all on"), [""; 0], "it is there already");
}

#[test]
fn a_path_and_an_unknown_name_are_words_to_the_agent() {
    let commands = commands();
    let given = |text: &'static str| {
        command_of(text, &commands).map(|(command, input)| (command.name.clone(), input))
    };
    assert_eq!(given("/etc/hosts is wrong"), None);
    assert_eq!(given("/nothing such"), None);
    assert_eq!(given("/"), None);
    assert_eq!(given("/YOLO  on "), Some(("allow-all".to_owned(), "on")));
    assert_eq!(given("/compact keep\nnames"), Some(("compact".to_owned(), "keep\nnames")));
    assert_eq!(slash("/nothing such"), Some(("nothing", "such")));
}

#[test]
fn a_mention_is_the_word_before_the_cursor() {
    let signs = ["@".to_owned(), "#".to_owned()];
    let at = |text: &str, cursor| mention(text, cursor, &signs);
    assert_eq!(at("see @src/li", 11), Some((4, "src/li".to_owned())));
    assert_eq!(at("see @src/li", 8), Some((4, "src".to_owned())));
    assert_eq!(at("@", 1), Some((0, String::new())));
    assert_eq!(at("a@b", 3), None, "an address");
    assert_eq!(at("see @src lib", 12), None);
    assert_eq!(at("🚀🚀 #1", 7), Some((5, "1".to_owned())), "two units each");
    assert_eq!(at("x\u{3000}@a", 4), Some((2, "a".to_owned())), "a wide space");
    assert_eq!(at("", 0), None);
    assert_eq!(at("@a", 99), Some((0, "a".to_owned())));
}

#[test]
fn what_is_chosen_takes_the_place_of_what_was_typed() {
    assert_eq!(splice("🚀 @sr now", (3, 6), "@src/lib.rs "), ("🚀 @src/lib.rs  now".to_owned(), 15));
    assert_eq!(splice("ab", (7, 9), "c"), ("abc".to_owned(), 3));
    let answer = json!({ "items": [{ "insertText": "@a.rs", "rangeStart": 2, "rangeEnd": 4, "label": "a.rs" },
                                 { "insertText": "@b" }, { "label": "nothing" }] });
    let found = completions(answer, 5, 8);
    assert_eq!(found.iter().map(|found| found.range).collect::<Vec<_>>(), [(2, 4), (5, 8)]);
}

#[test]
fn what_was_written_before_comes_back_and_so_does_what_is_being_written() {
    let mut past = SentHistory::new(vec!["one".to_owned(), "two".to_owned()]);
    assert_eq!(past.newer("draft"), None);
    assert_eq!(past.older("draft").as_deref(), Some("two"));
    assert_eq!(past.older("two").as_deref(), Some("one"));
    assert_eq!(past.older("one"), None);
    assert_eq!(past.newer("one").as_deref(), Some("two"));
    assert_eq!(past.newer("two").as_deref(), Some("draft"));
    assert_eq!(past.newer("draft"), None);
    past.remember("one");
    assert_eq!(past.sent(), ["two", "one"]);
    past.older("");
    assert_eq!(past.older("one, changed").as_deref(), Some("one"), "a changed one is a new one");
}

#[test]
fn files_are_those_that_the_session_touched() {
    let mut session = crate::Session::new();
    for (number, path) in ["/w/src/lib.rs", "/w/README.md", "/w/src/main.rs", "/w/src"].iter().enumerate() {
        let event = json!({ "type": "tool.execution_start", "id": format!("e{number}"), "parentId": null,
            "timestamp": "2026-11-21T20:47:20Z",
            "data": { "toolCallId": format!("t{number}"), "toolName": "view", "arguments": { "path": path } } });
        session.push_frame(&event.to_string());
    }
    let found = |typed: &str| {
        let found = files::files_for(session.state(), typed, (0, 1));
        found.into_iter().map(|proposal| proposal.label).collect::<Vec<_>>()
    };
    assert_eq!(found("main"), ["/w/src/main.rs"]);
    assert_eq!(found("r"), ["/w/README.md", "/w/src/main.rs", "/w/src/lib.rs"]);
}

#[test]
fn messages_go_back_before_what_stands_in_the_field() {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        put_before(&texts(&["one\n", "two @src/lib.rs", " "]), "half a sen"),
        "one\n\ntwo @src/lib.rs\n\nhalf a sen"
    );
    assert_eq!(put_before(&texts(&["one"]), " \n"), "one");
    assert_eq!(put_before(&[], "draft \n"), "draft \n", "what stands there stays as it is");
}
