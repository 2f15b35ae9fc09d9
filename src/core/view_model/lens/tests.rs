//! Tests of how the entries of recorded sessions relate to the model's view.

use super::*;
use crate::Session;
use crate::i18n::words::timeline;

fn played(case: &str, file: &str) -> Session {
    let path = format!("{}/../../tests/sessions/{case}/{file}", env!("CARGO_MANIFEST_DIR"));
    let mut session = Session::new();
    session.push(&std::fs::read(path).unwrap());
    session.end();
    session
}

fn lens(session: &Session, agent: Option<&str>) -> Lens {
    let mut lens = Lens::default();
    lens.choose(agent.map(str::to_owned));
    lens.update(session.state());
    lens
}

/// `kind text = relation` for every entry that people see.
fn relations(session: &Session, lens: &Lens) -> Vec<String> {
    let state = session.state();
    let line = |(place, entry): (usize, &std::sync::Arc<Entry>)| {
        let relation = lens.relation(state, place).unwrap();
        let what = relation.what().map_or_else(String::new, |what| format!(": {what}"));
        let text: String = super::text(entry).chars().take(12).collect();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("{} {text} = {}{what}", entry.kind.word(), relation.name())
    };
    state.entries.iter().enumerate().filter(|(_, entry)| entry.ui_visible).map(line).collect()
}

fn has(lines: &[String], expected: &[&str]) {
    for line in expected {
        assert!(lines.iter().any(|found| found == line), "no {line:?} in\n{}", lines.join("\n"));
    }
}

#[test]
fn what_a_summary_replaced_is_told_and_kept() {
    let session = played("compaction-manual-auto", "events.jsonl");
    let (state, lens) = (session.state(), lens(&session, None));
    let lines = relations(&session, &lens);
    let gone = lines
        .iter()
        .filter(|line| line.ends_with("Model no longer sees it: a summary took its place (compacted)"));
    assert_eq!(gone.count(), 6, "{lines:#?}");
    assert_eq!(
        lines.last().unwrap(),
        "compaction Compacted: 2 = Model sees something else: a summary in place of 6 messages"
    );
    let removal = state.context.removals().first().unwrap();
    assert_eq!(removal.words(), "Compacted: 6 messages, 265 → 128 tokens");
    assert!(
        removal.messages.first().unwrap().content.ends_with("turn 0"),
        "the replaced messages are kept as they were"
    );
    assert_eq!(state.context.place_of(removal), 1, "between the prompt and the summary");
    assert_eq!(lens.spot(0), Some(Spot::Gone(0, 0)));
}

#[test]
fn messages_in_a_person_s_place_and_steering() {
    let session = played("queue-and-steer", "events.jsonl");
    has(
        &relations(&session, &lens(&session, None)),
        &[
            "user Main task = Model sees something else: these words, with <current_datetime> around them",
            "user steer now: b = Model sees it",
            "user B (display) = Model sees something else: other words",
            "notice The command = Model sees something else: a text of 161 characters",
            "permission sleep 2; ech = People only",
            "assistant St = Live only: not in the log, gone after a reload",
            "notice Stopped by y = People only",
        ],
    );
}

#[test]
fn results_and_the_line_that_the_runtime_adds() {
    let session = played("large-output-and-async-shell", "events.jsonl");
    has(
        &relations(&session, &lens(&session, None)),
        &[
            "tool Output too l = Model sees something else: this, and a last line from the runtime",
            "tool red bold ove = Model sees something else: this, and a last line from the runtime",
            "tool Active shell = Model sees it",
        ],
    );
}

#[test]
fn errors_and_broken_attempts_are_not_for_the_model() {
    let session = played("errors-and-retries", "events.jsonl");
    has(
        &relations(&session, &lens(&session, None)),
        &[
            "notice Execution fa = People only",
            "notice You have no = People only",
            "assistant partial text = Live only: not in the log, gone after a reload",
            "assistant Full text af = Model sees it",
        ],
    );
}

#[test]
fn a_sub_agent_has_a_view_of_its_own() {
    let session = played("subagents", "events.jsonl");
    let state = session.state();
    let beta =
        state.agent_contexts.iter().map(|(id, _)| id).find(|id| id.starts_with("1e070a0d")).unwrap().clone();
    let words = state.view_of(Some(&beta)).unwrap().messages().iter().map(|message| message.role.word());
    assert_eq!(words.collect::<Vec<_>>(), ["system", "user", "assistant", "tool", "assistant"]);
    let place = |text: &str| state.entries.iter().position(|entry| entry.text == text).unwrap();
    let (main, own) = (lens(&session, None), lens(&session, Some(&beta)));
    let entry = place("Result of BETA: **ok**");
    assert_eq!(main.relation(state, entry), Some(Relation::Sees), "the `task` call's result");
    let entry = place("Looking into BETA");
    assert_eq!(main.relation(state, entry), Some(Relation::Elsewhere(beta)));
    assert_eq!(own.relation(state, entry), Some(Relation::Sees));
    let asked = place("MAIN-GO delegate");
    assert_eq!(own.relation(state, asked), Some(Relation::Elsewhere(String::new())));
    assert_eq!(main.relation(state, place("Sub reasoning BETA")), Some(Relation::PeopleOnly));
}

#[test]
fn history_gives_the_same_views_and_removals() {
    for case in ["compaction-manual-auto", "subagents", "queue-and-steer", "skills-and-file-hooks"] {
        let views = ["events.jsonl", "persisted.jsonl"].map(|file| {
            let session = played(case, file);
            let state = session.state();
            let mut all = vec![("main", &state.context)];
            all.extend(state.agent_contexts.iter().map(|(agent, view)| (agent.as_str(), view)));
            let mut lines = Vec::new();
            for (agent, view) in all {
                lines.extend(view.removals().iter().map(Removal::words));
                // The persisted log lacks a system message in between.
                let messages = view.messages().iter().filter(|message| message.role.word() != "system");
                lines.extend(
                    messages.map(|message| format!("{agent} {}: {}", message.role.word(), message.content)),
                );
            }
            lines
        });
        assert_eq!(views[0], views[1], "{case}");
    }
}

#[test]
fn rewinding_truncating_and_clearing_say_what_went() {
    for (case, line) in [
        ("rewind", "Rewound: 2 messages"),
        ("truncation", "Truncated: 2 messages"),
        ("context-cleared", "Cleared: 2 messages"),
    ] {
        let session = played(case, "events.jsonl");
        let removal = session.state().context.removals().first().unwrap().clone();
        assert_eq!(removal.words(), line, "{case}");
        let lens = lens(&session, None);
        let entry = removal.messages.first().unwrap().entry.unwrap();
        assert_eq!(lens.relation(session.state(), entry), Some(Relation::NoLonger(removal.cause)), "{case}");
    }
}

#[test]
fn a_rewind_to_before_a_compaction_brings_its_messages_back() {
    let event = |kind: &str, id: &str, data: &str| {
        format!("{{\"type\":\"{kind}\",\"id\":\"{id}\",\"data\":{data}}}\n")
    };
    let mut session = Session::new();
    for log in [
        event("user.message", "1", r#"{"content":"one","messageId":"m1"}"#),
        event("assistant.message", "2", r#"{"content":"One.","messageId":"m2"}"#),
        event("user.message", "3", r#"{"content":"two","messageId":"m3"}"#),
        event(
            "session.compaction_complete",
            "4",
            r#"{"success":true,"messagesRemoved":2,"summaryContent":"short"}"#,
        ),
        event("session.snapshot_rewind", "5", r#"{"upToEventId":"3","eventsRemoved":2}"#),
    ] {
        session.push(log.as_bytes());
    }
    let view = &session.state().context;
    let messages: Vec<_> = view.messages().iter().map(|message| message.content.as_str()).collect();
    assert_eq!(messages, ["one", "One."]);
    let marked = |entry: &std::sync::Arc<crate::Entry>| {
        entry.rewound.then_some((entry.kind, crate::view_model::entry_words::rewind_effect(entry)))
    };
    let marked: Vec<_> = session.state().entries.iter().filter_map(marked).collect();
    let fates = [(Kind::User, Some(timeline::REWOUND)), (Kind::Compaction, Some(timeline::UNDONE))];
    assert_eq!(marked, fates, "what was undone says so as well");
    assert_eq!(view.removals().iter().map(Removal::words).collect::<Vec<_>>(), ["Rewound: 2 messages"]);
}

#[test]
fn growing_with_a_session_is_the_same_as_looking_at_its_end() {
    for case in ["subagents", "compaction-manual-auto", "rewind", "truncation", "tools-permissions-mix"] {
        let path = format!("{}/../../tests/sessions/{case}/events.jsonl", env!("CARGO_MANIFEST_DIR"));
        let mut session = Session::new();
        let mut growing = Lens::default();
        for line in std::fs::read(path).unwrap().split_inclusive(|byte| *byte == b'\n') {
            session.push(line);
            growing.update(session.state());
        }
        assert_eq!(relations(&session, &growing), relations(&session, &lens(&session, None)), "{case}");
    }
}

#[test]
fn tags_around_are_named_once_each() {
    let model = "<current_datetime>x</current_datetime>\n\n<note>a</note>\n\nmine\n\n<note>b</note>";
    assert_eq!(wrapping(model, "mine"), Some(vec!["current_datetime".to_owned(), "note".to_owned()]));
    assert_eq!(wrapping(model, "yours"), None);
    assert_eq!(tags("a < b and <b>"), ["b"]);
}
