//! A view that knows only what the emitted changes say. A change that a reducer forgot to mark is a
//! difference here.

use pilothouse::core::model::queue::Queued;
use pilothouse::core::model::state::Section;
use pilothouse::core::view_model::entry_words::text;
use pilothouse::core::view_model::snapshot;
use pilothouse::core::{Change, Session, State};
use serde_json::{Map, Value, json};

/// A copy of a session's state, made from its changes.
#[derive(Default)]
pub struct Mirror {
    heads: Vec<Map<String, Value>>,
    texts: Vec<String>,
    sections: Map<String, Value>,
}

impl Mirror {
    /// Takes the changes, and copies the parts that they name.
    pub fn apply(&mut self, session: &mut Session) {
        let changes = session.take_changes();
        let state = session.state();
        for change in changes {
            match change {
                Change::Renewed => *self = Self::default(),
                Change::EntryAdded { index } => {
                    assert_eq!(index, self.heads.len(), "entries are added at the end, in order");
                    let entry = state.entry(index).expect("the added entry");
                    self.heads.push(snapshot::head(entry));
                    self.texts.push(text(entry).into_owned());
                }
                Change::TextAppended { index, from } => {
                    let text = &state.entry(index).expect("the entry that grew").text;
                    let copy = &mut self.texts[index];
                    assert_eq!(copy.len(), from, "text is appended behind what was there");
                    copy.push_str(&text[from..]);
                }
                Change::TextReplaced { index } => {
                    self.texts[index] = text(state.entry(index).expect("the rewritten entry")).into_owned();
                }
                Change::EntryUpdated { index } => {
                    self.heads[index] = snapshot::head(state.entry(index).expect("the updated entry"));
                }
                Change::Section(section) => {
                    self.sections.insert(section.word().to_owned(), part(state, section));
                }
            }
        }
    }

    /// Fails if anything differs from the state. `thoroughly` compares also the heads of entries and the
    /// model's view, which is big in a long session.
    pub fn assert_is(&self, session: &Session, when: &str, thoroughly: bool) {
        let state = session.state();
        assert_eq!(self.heads.len(), state.entries.len(), "{when}: entries");
        for (index, entry) in state.entries.iter().enumerate() {
            assert_eq!(text(entry), self.texts[index], "{when}: text of entry {index}");
            if thoroughly {
                assert_eq!(self.heads[index], snapshot::head(entry), "{when}: entry {index}");
            }
        }
        let empty = State::default();
        for section in Section::ALL.into_iter().filter(|s| thoroughly || *s != Section::ModelContext) {
            let never_told = || part(&empty, section);
            let copy = self.sections.get(section.word()).cloned().unwrap_or_else(never_told);
            assert_eq!(copy, part(state, section), "{when}: section {}", section.word());
        }
    }
}

fn part(state: &State, section: Section) -> Value {
    match section {
        Section::Session => json!([snapshot::session(state), state.llm_calls, state.info.response_bytes]),
        Section::Pending => snapshot::pending(state),
        Section::Queue => {
            let items =
                state.queue.items.as_ref().map(|items| items.iter().map(Queued::json).collect::<Vec<_>>());
            let dropped: Vec<_> = state.queue.dropped.iter().map(Queued::json).collect();
            json!([snapshot::queue(state), items, dropped])
        }
        Section::Usage => snapshot::usage(state),
        Section::ModelContext => snapshot::of(state)["modelContext"].clone(),
        Section::Environment => json!(format!("{:?}", state.panel_events)),
        Section::Notifications => json!(format!("{:?}", state.notifications)),
        Section::Diagnostics => json!([snapshot::events(state), snapshot::diagnostics(state)]),
    }
}
