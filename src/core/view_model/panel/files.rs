//! The files that the agent changed, with the number of lines added and removed. The session's own files are left
//! out.

use std::collections::HashMap;

use crate::i18n::format::relative;
use crate::model::state::State;
use crate::model::tool_call::CallStage;
use crate::view_model::tool_details;
use crate::view_model::tool_summary::{EditSummary, ToolFamily, family};

/// What each call changed, by entry id and row: a finished edit stays as it is, and comparing two long texts takes time.
pub type KnownEdits = HashMap<(String, usize), Option<EditSummary>>;

/// A file that was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// Its path, relative to the session's folder if it is in there.
    pub path: String,
    /// The agent created it.
    pub created: bool,
    /// How often it was changed.
    pub edits: usize,
    /// Lines added and removed. A patch of several files says only one sum for all, which is left out.
    pub lines: (usize, usize),
    /// The row of the newest change.
    pub row: usize,
}

/// The files in the order of their first change.
pub fn changed_files(state: &State, known: &mut KnownEdits) -> Vec<ChangedFile> {
    let cwd = state.info.cwd.as_deref();
    let mut files: Vec<ChangedFile> = Vec::new();
    for (row, entry) in state.entries.iter().enumerate() {
        let Some(call) = entry.tool() else { continue };
        if family(call) != ToolFamily::Edit || !matches!(call.stage, CallStage::Succeeded(_)) {
            continue;
        }
        let edit = known.entry((entry.id.clone(), row)).or_insert_with(|| tool_details::edit(call));
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
                files.push(ChangedFile { path, created, edits: 0, lines: (0, 0), row });
                files.len() - 1
            });
            if let Some(file) = files.get_mut(place) {
                file.edits += 1;
                file.row = row;
                if single {
                    file.lines = (file.lines.0 + edit.lines.0, file.lines.1 + edit.lines.1);
                }
            }
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;

    fn call(id: &str, tool: &str, arguments: &str, ends: bool) -> String {
        let start = format!(
            r#"{{"type":"tool.execution_start","id":"s{id}","data":{{"toolCallId":"{id}","toolName":"{tool}","arguments":{arguments}}}}}"#
        );
        let end = format!(
            r#"{{"type":"tool.execution_complete","id":"e{id}","data":{{"toolCallId":"{id}","success":true,"result":{{"content":"done"}}}}}}"#
        );
        if ends { start + &end } else { start }
    }

    #[test]
    fn each_file_is_listed_once_with_its_sum_and_its_newest_change() {
        let mut session = Session::new();
        session.push_frame(
            &[
                r#"{"type":"session.start","id":"s","data":{"sessionId":"x","context":{"cwd":"/p"}}}"#,
                &call("a", "create", r#"{"path":"/p/new.txt","file_text":"one\ntwo\n"}"#, true),
                &call("b", "edit", r#"{"path":"/p/new.txt","old_str":"two","new_str":"three\nfour"}"#, true),
                &call("c", "edit", r#"{"path":"/other/b.txt","old_str":"x","new_str":""}"#, true),
                &call("d", "edit", r#"{"path":"/p/runs.txt","old_str":"x","new_str":"y"}"#, false),
                &call(
                    "e",
                    "create",
                    r#"{"path":"/home/.copilot/session-state/x/plan.md","file_text":"p"}"#,
                    true,
                ),
                &call("f", "bash", r#"{"command":"touch /p/z"}"#, true),
            ]
            .concat(),
        );
        let mut known = KnownEdits::new();
        let files = changed_files(session.state(), &mut known);
        let row = |id: &str| session.state().entries.iter().position(|entry| entry.id == id).unwrap();
        let facts: Vec<_> = files
            .iter()
            .map(|file| (file.path.as_str(), file.created, file.edits, file.lines, file.row))
            .collect();
        assert_eq!(
            facts,
            [("new.txt", true, 2, (4, 1), row("b")), ("/other/b.txt", false, 1, (0, 1), row("c"))]
        );
        assert_eq!(known.len(), 4, "one that runs is looked at again");
        assert_eq!(changed_files(session.state(), &mut known), files);
    }
}
