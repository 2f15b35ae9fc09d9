//! What `find` and `fd` run and where they search.

use super::command::{Command, CommandRun};
use super::paths::is_outside;

/// The commands of `find -exec`.
pub(super) fn add_executed_commands(seen: &Command<'_>, runs: &mut Vec<CommandRun>) {
    let starts = search_folders(seen);
    let flags = ["-exec", "-execdir", "-ok", "-okdir", "-x", "--exec", "-X", "--exec-batch"];
    let mut rest = seen.arguments;
    while let Some(at) = rest.iter().position(|word| flags.contains(&word.as_str())) {
        rest = rest.get(at + 1..).unwrap_or_default();
        let end = rest.iter().position(|word| word == ";" || word == "+").unwrap_or(rest.len());
        let mut words = rest.get(..end).unwrap_or_default().to_vec();
        rest = rest.get(end..).unwrap_or_default();
        if seen.program != "find" && !words.iter().any(|word| word.contains('{')) {
            // `fd` puts what it finds at the end.
            words.push("{}".to_owned());
        }
        // Each start of the search stands for what is found there: all, or what the search picks.
        let found = if filters(seen) { "{}" } else { "**" };
        let mut command = Vec::new();
        for word in words {
            if word.contains("{}") {
                let below = |start: &String| match start.trim_end_matches('/') {
                    _ if is_outside(&seen.resolve_path(start), seen.project) => word.replace("{}", start),
                    "." => word.replace("{}", found),
                    start => word.replace("{}", &format!("{start}/{found}")),
                };
                command.extend(starts.iter().take(64).map(below));
            } else {
                command.push(word);
            }
        }
        runs.push(CommandRun::Words(command));
    }
}

/// True if the search picks some of what is there: each of its alternatives that acts has a test that does not fit everything.
pub(super) fn filters(seen: &Command<'_>) -> bool {
    let alternatives: Vec<&[String]> = seen.arguments.split(|word| word == "-o" || word == "-or").collect();
    let is_grouped = seen.arguments.iter().any(|word| word == "(" || word == "\\(");
    let acts = |alternative: &&&[String]| is_grouped || alternative.iter().any(|word| acts(word));
    seen.program != "find" || alternatives.iter().filter(acts).all(|alternative| picks(alternative))
}

/// True if an alternative of a search has a test that does not fit everything.
fn picks(alternative: &[String]) -> bool {
    let names = ["-name", "-iname", "-path", "-ipath", "-wholename"];
    let others = [
        "-regex", "-iregex", "-mtime", "-mmin", "-ctime", "-cmin", "-atime", "-amin", "-size", "-empty",
        "-user", "-group", "-perm", "-inum",
    ];
    let mut words = alternative.iter().map(String::as_str).peekable();
    while let Some(word) = words.next() {
        let fits_all = |pattern: &str| !pattern.is_empty() && pattern.chars().all(|ch| "*./".contains(ch));
        if others.contains(&word)
            || word.starts_with("-newer")
            || names.contains(&word) && words.peek().is_none_or(|pattern| !fits_all(pattern))
        {
            return true;
        }
    }
    false
}

/// True if an option of a search does something with what it finds.
fn acts(word: &str) -> bool {
    ["-exec", "-ok", "-x", "-X", "--exec", "-delete", "-f"].iter().any(|start| word.starts_with(start))
}

/// Where the search begins.
pub(super) fn search_folders(seen: &Command<'_>) -> Vec<String> {
    let before = |word: &&String| !word.starts_with(['-', '(', '!']);
    let options = seen.arguments.iter().skip_while(|word| ["-L", "-H", "-P"].contains(&word.as_str()));
    // The first word of `fd` is what is looked for.
    let pattern = usize::from(seen.program != "find");
    let starts: Vec<String> = options.take_while(before).skip(pattern).cloned().collect();
    if starts.is_empty() { vec![".".to_owned()] } else { starts }
}

/// True if the search only names files.
pub(super) fn only_names(seen: &Command<'_>) -> bool {
    seen.is(&["find", "fd", "fdfind"]) && !seen.arguments.iter().any(|word| acts(word))
}
