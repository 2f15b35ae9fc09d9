//! Proposes files that a person may want to mention: those that the session's tools read or changed.

use super::Proposal;
use crate::i18n::format::relative;
use crate::model::state::State;

/// The most proposals.
const MAX_PROPOSALS: usize = 12;

/// The files that the session's tools touched and whose path contains `typed`, the newest first; those whose
/// name begins with it come before the others.
pub fn files_for(state: &State, typed: &str, range: (usize, usize)) -> Vec<Proposal> {
    let cwd = state.info.cwd.as_deref();
    let typed = typed.to_lowercase();
    let mut found: Vec<(bool, String)> = Vec::new();
    for entry in state.entries.iter().rev() {
        let Some(call) = entry.tool() else { continue };
        for argument in ["path", "filePath", "file_path"] {
            let Some(path) = call.argument(argument) else { continue };
            let path = relative(path, cwd).replace('\\', "/");
            let last = path.rsplit('/').next().unwrap_or_default().to_lowercase();
            let fits = path.to_lowercase().contains(&typed);
            // The session's own notes are not files of the project. A name without a dot is taken for a
            // folder.
            let own = path.contains("/session-state/") || !last.contains('.');
            if fits && !own && !found.iter().any(|(_, known)| *known == path) {
                found.push((!last.starts_with(&typed), path));
            }
        }
    }
    found.sort_by_key(|(inside, _)| *inside);
    let proposal = |(_, path): (bool, String)| Proposal {
        insert: format!("@{path} "),
        label: path,
        tells: String::new(),
        range,
        whole: true,
    };
    found.into_iter().take(MAX_PROPOSALS).map(proposal).collect()
}
