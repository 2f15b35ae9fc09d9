//! The files that the agent changed, with the number of lines added and removed. The
//! session's own files are left out.

use std::cell::RefCell;
use std::collections::HashMap;

use super::rows::{Line, Piece, figure};
use crate::client::store::Store;
use crate::core::State;
use crate::core::i18n::format::{left_to_right, relative};
use crate::core::i18n::words::panel;
use crate::core::model::change::Section;
use crate::core::model::tool_call::Life;
use crate::core::view_model::panel::Environment;
use crate::core::view_model::tool_details;
use crate::ui::tools::tool_summary::{Edit, Family, family};

struct File {
    path: String,
    created: bool,
    edits: usize,
    lines: (usize, usize),
    row: usize,
}

thread_local! {
    /// What each call changed, by entry id and row: a finished edit stays as it is, and comparing two long
    /// texts takes time. This is small, and gone with the page.
    static EDITS: RefCell<HashMap<(String, usize), Option<Edit>>> = RefCell::default();
}

pub(super) fn changed(_: &Environment, store: Store) -> Piece {
    store.section(Section::Environment, fold).unwrap_or_default()
}

fn fold(state: &State) -> Piece {
    let cwd = state.info.cwd.as_deref();
    let mut files: Vec<File> = Vec::new();
    for (row, entry) in state.entries.iter().enumerate() {
        let Some(call) = entry.tool() else { continue };
        if family(call) != Family::Edit || !matches!(call.life, Life::Succeeded(_)) {
            continue;
        }
        let edit = EDITS.with_borrow_mut(|edits| {
            edits.entry((entry.id.clone(), row)).or_insert_with(|| tool_details::edit(call)).clone()
        });
        let Some(edit) = edit else { continue };
        let argument = ["path", "filePath", "file_path"].into_iter().find_map(|name| call.argument(name));
        let paths = argument.map_or_else(|| edit.paths.clone(), |path| vec![path.to_owned()]);
        let single = paths.len() == 1;
        for path in paths {
            let path = relative(&path, cwd);
            if path.replace('\\', "/").contains("/session-state/") {
                continue;
            }
            let place = files.iter().position(|file| file.path == path).unwrap_or_else(|| {
                let created = call.name == "create";
                files.push(File { path, created, edits: 0, lines: (0, 0), row });
                files.len() - 1
            });
            if let Some(file) = files.get_mut(place) {
                file.edits += 1;
                file.row = row;
                // A patch of several files reports only one sum for all of them.
                if single {
                    file.lines = (file.lines.0 + edit.lines.0, file.lines.1 + edit.lines.1);
                }
            }
        }
    }
    let sum = files.iter().fold((0, 0), |sum, file| (sum.0 + file.lines.0, sum.1 + file.lines.1));
    let note = match files.len() {
        0 => String::new(),
        number => format!("{} · {}", figure(number), left_to_right(&format!("+{} −{}", sum.0, sum.1))),
    };
    let lines = files.into_iter().map(|file| Line {
        text: file.path,
        code: true,
        lines: (file.lines != (0, 0)).then_some(file.lines),
        end: match (file.created, file.edits) {
            (true, _) => panel::FILE_NEW.text().to_owned(),
            (false, 1) => String::new(),
            (false, edits) => panel::EDITS.with(&[("n", edits.into())]),
        },
        row: Some(file.row),
        ..Line::default()
    });
    Piece { note, lines: lines.collect() }
}
