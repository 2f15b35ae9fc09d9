//! Sequences of plausible events of all types: one state however they come, every change announced, documents
//! without markup of the session.

#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use pilothouse::core::Session;
use pilothouse::core::export::{self, Format, document};
use pilothouse::core::model::answer::Answer;
use pilothouse::core::session::log::Log;
use pilothouse::core::session::time_travel::TravelIndex;
use pilothouse::core::view_model::{
    board_summary, entry_words, notifications, outline, panel, search, tool_details, tool_summary,
};
use pilothouse_fuzz::events::Vocabulary;
use pilothouse_fuzz::mirror::Mirror;
use pilothouse_fuzz::{Random, cuts, pieces};
use serde_json::Value;

static VOCABULARY: LazyLock<Vocabulary> =
    LazyLock::new(|| Vocabulary::of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/sessions")));

fn without_counters(session: &Session) -> Value {
    let mut snapshot = session.snapshot();
    snapshot.as_object_mut().unwrap().remove("events");
    snapshot
}

/// The session as a person uses it, with answers that are sent, fail, or are refused.
fn with_answers(lines: &[String], random: &mut Random) {
    let (mut session, mut mirror) = (Session::new(), Mirror::default());
    for line in lines {
        session.push_frame(line);
        let request = format!("i{}", random.below(6));
        match random.below(16) {
            0 => session.answer_sending(&request, Answer::ApproveOnce.ending()),
            1 => session.answer_unsent(&request),
            2 => session.answer_refused(&request),
            3 => session.answer_unsure(&request),
            4 => session.permissions_listed(&[request], Vec::new()),
            5 => session.confirmation_answered(&request, true),
            _ => {}
        }
        if random.below(3) == 0 {
            mirror.apply(&mut session);
        }
    }
    mirror.apply(&mut session);
    mirror.assert_is(&session, "with answers", true);
}

/// What views make of the state, and the documents.
fn look(session: &Session) {
    let state = session.state();
    outline::of(state);
    board_summary::of(state);
    panel::of(state);
    notifications::facts(state);
    for entry in &state.entries {
        search::texts(entry, &mut |_| true);
        entry_words::rewind_effect(entry);
        export::copied(entry);
        if let Some(call) = entry.tool() {
            tool_details::arguments(call);
            tool_details::terminal(entry);
            tool_details::result(entry);
            tool_details::change(call);
            tool_summary::sentence(call, Some("/work"), tool_details::edit(call)).words();
        }
    }
    document(state, Format::Markdown);
    let html = document(state, Format::Html);
    for forbidden in
        ["<script", "<iframe", "<img", "<link", "href=\"javascript", " onmouseover=\"", " src=\""]
    {
        assert!(!html.contains(forbidden), "{forbidden}");
    }
    assert!(html.trim_end().ends_with("</html>"));
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(events) = VOCABULARY.events(&mut Unstructured::new(bytes)) else { return };
    let lines: Vec<String> = events.iter().map(|event| format!("{event}\n")).collect();
    if std::env::var_os("SHOW").is_some() {
        eprint!("{}", lines.concat());
    }
    let log = lines.concat().into_bytes();
    let mut whole = Session::new();
    whole.push(&log);
    whole.end();
    let expected = whole.snapshot();
    look(&whole);

    let mut ways = cuts(&log);
    let (mut session, mut mirror) = (Session::new(), Mirror::default());
    for piece in pieces(&log, &ways.pop().unwrap_or_default()) {
        session.push(piece);
        mirror.apply(&mut session);
    }
    session.end();
    mirror.apply(&mut session);
    mirror.assert_is(&session, "in pieces", true);
    assert_eq!(session.snapshot(), expected, "in pieces");

    let mut framed = Session::new();
    for line in &lines {
        framed.push_frame(line);
    }
    assert_eq!(framed.snapshot(), expected, "as frames");

    // A prefix, then all again: nothing doubles.
    let mut random = Random::of(&log);
    let prefix = random.below(lines.len() + 1);
    let mut again = Session::new();
    again.push(lines[..prefix].concat().as_bytes());
    again.push(&log);
    again.push(&log);
    again.end();
    if whole.state().counters.malformed == 0 {
        assert_eq!(without_counters(&again), without_counters(&whole), "{prefix} events, then all twice");
    }

    // The end of the log is the session.
    let mut kept = Session::new();
    kept.keep_log();
    kept.push(&log);
    kept.end();
    while kept.log_mut().is_some_and(Log::compact) {}
    assert_eq!(kept.snapshot(), expected, "with a log");
    if let Some(log) = kept.log() {
        let mut travel = TravelIndex::new();
        while travel.prepare(log, 7) {}
        let (mut past, middle) = (Session::new(), random.below(log.len() + 1));
        travel.travel_to(log, &mut past, usize::MAX, log.len());
        assert_eq!(past.snapshot(), expected, "at the end of the log");
        travel.travel_to(log, &mut past, log.len(), middle);
        let there = past.snapshot();
        travel.travel_to(log, &mut past, middle, log.len());
        assert_eq!(past.snapshot(), expected, "after a way back to {middle}");
        let mut straight = Session::new();
        travel.travel_to(log, &mut straight, usize::MAX, middle);
        assert_eq!(straight.snapshot(), there, "at {middle} of the log");
    }
    with_answers(&lines, &mut random);
});
