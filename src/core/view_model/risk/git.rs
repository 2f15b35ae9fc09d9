//! What git runs, throws away and overwrites.

use super::command::{Command, CommandRun};

/// The command, if it overwrites or deletes on the server.
pub(super) fn force_push(seen: &Command<'_>) -> Option<String> {
    let forced = seen
        .flag(&['f', 'd'], &["--force", "--mirror", "--delete", "--force-with-lease", "--prune"])
        || seen.operands().any(|word| word.starts_with('+') || (word.starts_with(':') && word.len() > 1));
    let tried = seen.has(&["-n", "--dry-run"]);
    (seen.is(&["git"]) && seen.starts_with(&["push"]) && forced && !tried).then(|| seen.line())
}

/// The command, if it throws away work.
pub(super) fn discards(seen: &Command<'_>) -> Option<String> {
    if !seen.is(&["git"]) {
        return None;
    }
    let reset = seen.starts_with(&["reset"]) && seen.has(&["--hard"]);
    let clean =
        seen.starts_with(&["clean"]) && seen.flag(&['f'], &["--force"]) && !seen.flag(&['n'], &["--dry-run"]);
    let stash = seen.starts_with(&["stash", "drop"]) || seen.starts_with(&["stash", "clear"]);
    // What is only taken back from the index is still in its file.
    let staged = seen.flag(&['S'], &["--staged"]) && !seen.flag(&['W'], &["--worktree"]);
    let restores = seen.starts_with(&["restore"]) && !staged;
    let all = (seen.starts_with(&["checkout"]) || restores) && seen.has(&[".", ":/", "*"]);
    let switch = (seen.starts_with(&["checkout"]) || seen.starts_with(&["switch"]))
        && seen.flag(&['f'], &["--force", "--discard-changes"]);
    let removes = seen.starts_with(&["rm"]) && seen.flag(&['f'], &["--force"]) && seen.has(&[".", "*"]);
    let forced = seen.flag(&['f'], &["--force"]);
    let branch =
        seen.starts_with(&["branch"]) && (seen.has(&["-D"]) || forced && seen.flag(&['d'], &["--delete"]));
    let worktree = seen.starts_with(&["worktree", "remove"]) && forced;
    let references = seen.starts_with(&["update-ref"]) && seen.has(&["-d", "--stdin"])
        || seen.starts_with(&["reflog", "expire"])
        || seen.starts_with(&["reflog", "delete"])
        || seen.starts_with(&["gc"]) && seen.has(&["--prune=now", "--prune=all"]);
    let history = seen.starts_with(&["filter-branch"]) || seen.starts_with(&["filter-repo"]);
    let work = reset || clean || stash || all || switch || removes || worktree;
    (work || branch || references || history).then(|| seen.line())
}

/// What git runs: an alias, the command of `bisect run`, of `submodule foreach`, of `rebase --exec`.
pub(super) fn runs(seen: &Command<'_>, runs: &mut Vec<CommandRun>) {
    let alias = |word: &String| {
        let (name, value) = word.split_once('=')?;
        name.starts_with("alias.").then(|| value.strip_prefix('!'))?.map(str::to_owned)
    };
    runs.extend(seen.arguments.iter().filter_map(alias).map(CommandRun::Script));
    if seen.starts_with(&["bisect", "run"]) || seen.starts_with(&["submodule", "foreach"]) {
        let words: Vec<String> = seen.operands_behind(&["run", "foreach"]);
        runs.push(if words.len() == 1 {
            CommandRun::Script(words.concat())
        } else {
            CommandRun::Words(words)
        });
    }
    let executed = seen.values(&["--exec", "-x", "--tree-filter", "--index-filter", "--msg-filter"]);
    runs.extend(executed.into_iter().map(|script| CommandRun::Script(script.to_owned())));
    // An address that names a command: `ext::sh -c x`.
    let remotes = seen.operands().filter_map(|word| word.strip_prefix("ext::"));
    let words =
        |remote: &str| remote.replace("% ", "\0").split(' ').map(|word| word.replace('\0', " ")).collect();
    runs.extend(remotes.map(|remote| CommandRun::Words(words(remote))));
}
