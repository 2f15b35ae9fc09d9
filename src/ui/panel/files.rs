//! The section with the files that the agent changed.

use std::cell::RefCell;

use super::rows::{List, ListLine, figure};
use crate::core::State;
use crate::core::i18n::format::left_to_right;
use crate::core::i18n::words::panel;
use crate::core::model::state::Section;
use crate::core::view_model::panel::Environment;
use crate::core::view_model::panel::files::{self, KnownEdits};
use crate::store::Store;

thread_local! {
    /// What each call changed. This is small, and gone with the page.
    static EDITS: RefCell<KnownEdits> = RefCell::default();
}

pub(super) fn changed(_: &Environment, store: Store) -> List {
    store.section(Section::Environment, fold).unwrap_or_default()
}

fn fold(state: &State) -> List {
    let files = EDITS.with_borrow_mut(|edits| files::changed(state, edits));
    let sum = files.iter().fold((0, 0), |sum, file| (sum.0 + file.lines.0, sum.1 + file.lines.1));
    let note = match files.len() {
        0 => String::new(),
        number => format!("{} · {}", figure(number), left_to_right(&format!("+{} −{}", sum.0, sum.1))),
    };
    let lines = files.into_iter().map(|file| ListLine {
        text: file.path,
        code: true,
        lines: (file.lines != (0, 0)).then_some(file.lines),
        end: match (file.created, file.edits) {
            (true, _) => panel::FILE_NEW.text().to_owned(),
            (false, 1) => String::new(),
            (false, edits) => panel::EDITS.with(&[("n", edits.into())]),
        },
        row: Some(file.row),
        ..ListLine::default()
    });
    List { note, lines: lines.collect() }
}
