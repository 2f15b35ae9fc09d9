//! Programs that a line fetches in an archive or a repository, unpacks, and runs.

use super::command::{Command, FILES};
use super::shell::{self, SimpleCommand};
use super::shortened;

/// Programs that fetch what is at an address.
pub(super) const FETCHERS: [&str; 11] = [
    "curl",
    "wget",
    "fetch",
    "http",
    "https",
    "aria2c",
    "nc",
    "iwr",
    "irm",
    "Invoke-WebRequest",
    "Invoke-RestMethod",
];
const UNPACKERS: [&str; 7] = ["tar", "gtar", "bsdtar", "unzip", "7z", "cpio", "Expand-Archive"];

/// The command, if it runs a file of the folder in which the line has unpacked what it fetched: `curl … | tar xz && ./install.sh`.
pub(super) fn runs_unpacked(seen: &Command<'_>) -> Option<String> {
    if !runs_local_file(seen) {
        return None;
    }
    let mut is_fetched = false;
    let is_unpacked = seen.before.iter().rev().take(FILES).rev().any(|command| {
        let earlier = Command::new(command, &[], None, "");
        is_fetched |=
            earlier.is(&FETCHERS) || earlier.is(&["gh"]) && earlier.starts_with(&["release", "download"]);
        is_fetched && earlier.is(&UNPACKERS) || is_clone(&earlier)
    });
    is_unpacked.then(|| seen.line())
}

/// The address from which the line fetched last, as it is written.
pub(super) fn address(seen: &Command<'_>) -> Option<String> {
    let of = |command: &SimpleCommand| {
        let earlier = Command::new(command, &[], None, "");
        let files = earlier.values(&["-o", "--output", "--output-document", "-H", "--header"]);
        let words = || earlier.operands().filter(|word| !word.contains(['$', '`']) && !files.contains(word));
        let named = words().find(|word| word.contains("://"));
        let address = named.or_else(|| words().find(|word| word.contains('.')))?;
        (earlier.is(&FETCHERS) || is_clone(&earlier)).then(|| shortened(address))
    };
    let words =
        [seen.word].into_iter().chain(seen.arguments.iter().chain(&seen.simple.reads).map(String::as_str));
    let inside = |word: &str| shell::read(word.trim_start_matches(['$', '<'])).commands.iter().find_map(of);
    words.into_iter().find_map(inside).or_else(|| seen.before.iter().rev().take(FILES).find_map(of))
}

fn is_clone(seen: &Command<'_>) -> bool {
    seen.is(&["git"]) && seen.starts_with(&["clone"])
        || seen.is(&["gh"]) && seen.starts_with(&["repo", "clone"])
}

fn runs_local_file(seen: &Command<'_>) -> bool {
    let is_local = |word: &str| {
        ["/tmp/", "/var/tmp/"].iter().any(|folder| word.starts_with(folder))
            || !word.starts_with(['/', '~', '$', '<', '`'])
    };
    let scripted = seen.has(&["-c", "-e", "-m", "--version", "--help"]);
    let reads = (seen.runs_code() || seen.is(&["source", "."])) && !scripted;
    let file = reads && seen.operands().next().is_some_and(is_local);
    file || seen.is(&["make", "gmake"]) || seen.word.contains('/') && is_local(seen.word)
}
