//! Programs that a line fetches in an archive or a repository, unpacks, and runs.

use super::rules::{FETCHERS, FILES};
use super::runs::Seen;

const UNPACKERS: [&str; 7] = ["tar", "gtar", "bsdtar", "unzip", "7z", "cpio", "Expand-Archive"];

/// The command, if it runs a file of the folder in which the line has unpacked what it fetched: `curl … | tar xz && ./install.sh`.
pub(super) fn runs_unpacked(seen: &Seen<'_>) -> Option<String> {
    if !runs_local_file(seen) {
        return None;
    }
    let mut is_fetched = false;
    let is_unpacked = seen.before.iter().rev().take(FILES).rev().any(|command| {
        let earlier = Seen::new(command, &[], None, "");
        is_fetched |=
            earlier.is(&FETCHERS) || earlier.is(&["gh"]) && earlier.starts_with(&["release", "download"]);
        is_fetched && earlier.is(&UNPACKERS) || is_clone(&earlier)
    });
    is_unpacked.then(|| seen.line())
}

fn is_clone(seen: &Seen<'_>) -> bool {
    seen.is(&["git"]) && seen.starts_with(&["clone"])
        || seen.is(&["gh"]) && seen.starts_with(&["repo", "clone"])
}

fn runs_local_file(seen: &Seen<'_>) -> bool {
    let is_local = |word: &str| {
        ["/tmp/", "/var/tmp/"].iter().any(|folder| word.starts_with(folder))
            || !word.starts_with(['/', '~', '$', '<', '`'])
    };
    let scripted = seen.has(&["-c", "-e", "-m", "--version", "--help"]);
    let reads = (seen.runs_code() || seen.is(&["source", "."])) && !scripted;
    let file = reads && seen.operands().next().is_some_and(is_local);
    file || seen.is(&["make", "gmake"]) || seen.word.contains('/') && is_local(seen.word)
}
