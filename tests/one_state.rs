//! Tests that the same log gives the same state and the same snapshot in every language, and that a language is chosen
//! where something is shown.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a test may fail loudly"
)]

#[path = "support/golden.rs"]
mod golden;

use std::collections::BTreeSet;

use golden::{logs, read, reduced};
use pilothouse::core::Session;
use pilothouse::core::export::{Format, document};
use pilothouse::core::i18n::{self, Language, translations};
use pilothouse::core::view_model::search::texts;

const fn language(tag: &'static str, words: &'static [&'static str]) -> Language {
    Language {
        tag,
        right_to_left: false,
        words,
        plural: |_| "other".to_owned(),
        figure: |number, _| format!("<{number}>"),
    }
}

static LANGUAGES: [Language; 3] = [
    language("ar", translations::ARABIC),
    language("de", translations::GERMAN),
    language("ja", translations::JAPANESE),
];

/// Calls `make` while the page is in a language.
fn in_language<R>(language: &'static Language, make: impl FnOnce() -> R) -> R {
    i18n::set(Some(language));
    let result = make();
    i18n::set(None);
    result
}

/// What of the state texts can be in. It is more than the snapshot, which leaves some of it out.
fn facts(session: &Session) -> String {
    let state = session.state();
    format!("{:#?}\n{:#?}\n{:#?}", state.entries, state.info, state.diagnostics)
}

/// The first line that differs.
fn difference(here: &str, there: &str) -> String {
    let lines = here.lines().zip(there.lines()).find(|(here, there)| here != there);
    lines.map_or_else(
        || "one is longer".to_owned(),
        |(here, there)| format!("{}\n    {}", here.trim(), there.trim()),
    )
}

#[test]
fn a_log_gives_the_same_state_in_every_language() {
    let mut wrong = Vec::new();
    for (name, log) in logs() {
        let english = reduced(&log);
        let (state, snapshot) = (facts(&english), english.snapshot());
        for language in &LANGUAGES {
            let theirs = in_language(language, || reduced(&log));
            let tag = language.tag;
            if facts(&theirs) != state {
                wrong.push(format!("{name}, {tag}: {}", difference(&state, &facts(&theirs))));
            }
            if in_language(language, || theirs.snapshot()) != snapshot {
                wrong.push(format!("{name}, {tag}: the snapshot is another one"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

/// Every text that a search finds.
fn found(session: &Session) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for entry in &session.state().entries {
        texts(entry, &mut |text| {
            all.insert(text.to_owned());
            false
        });
    }
    all
}

#[test]
fn the_language_is_chosen_where_something_is_shown() {
    let session = reduced(&read("milestones", "events.jsonl"));
    let shown = || (document(session.state(), Format::Markdown), found(&session));
    let english = shown();
    let theirs: Vec<_> = LANGUAGES.iter().map(|language| in_language(language, shown)).collect();
    assert!(theirs.iter().all(|theirs| theirs.0 != english.0), "an export is in the language of the page");
    assert!(theirs.iter().all(|theirs| theirs.1 != english.1), "a search finds what is shown");
    let german = "Sitzung fortgesetzt";
    let place = LANGUAGES.iter().position(|language| language.tag == "de").unwrap();
    let (export, rows) = &theirs[place];
    assert!(export.contains(german) && rows.iter().any(|text| text == german), "{export}");
    assert!(shown() == english, "the state is the same as before");
}

#[test]
fn what_could_not_be_read_is_told_in_the_language_of_the_page() {
    let session = reduced(&read("malformed-lines", "events.jsonl"));
    let german = LANGUAGES.iter().find(|language| language.tag == "de").unwrap();
    let shown = in_language(german, || document(session.state(), Format::Markdown));
    for words in
        ["Einträge konnten nicht gelesen werden", "Zeile 16 konnte nicht gelesen werden: this is not JSON"]
    {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
    let diagnostics = &session.snapshot()["diagnostics"];
    assert!(diagnostics[0]["message"].as_str().unwrap().starts_with("line 4 could not be read: "));
}
