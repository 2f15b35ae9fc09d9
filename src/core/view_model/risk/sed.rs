//! What a script of sed runs and writes.

use super::command::{Command, CommandRun, quoted};

/// What the scripts of a command run, and the files that they write.
pub(super) fn runs(seen: &Command<'_>) -> Vec<CommandRun> {
    let mut scripts = seen.values(&["-e", "--expression"]);
    if scripts.is_empty() {
        scripts.extend(seen.operands().next());
    }
    let mut runs = Vec::new();
    for script in scripts {
        let mut rest = script;
        while !rest.is_empty() {
            rest = command(without_address(rest), &mut runs);
        }
    }
    runs
}

/// A command without the lines that it is for: `1,$`, `/x/,+2!`.
fn without_address(script: &str) -> &str {
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches(|ch: char| {
            ch.is_ascii_digit()
                || ch.is_whitespace()
                || matches!(ch, '$' | ',' | '~' | '+' | '!' | '{' | '}' | ';')
        });
        let pattern = rest.strip_prefix('\\').unwrap_or(rest);
        let own = pattern.len() < rest.len();
        let Some(delimiter) = pattern.chars().next().filter(|ch| own || *ch == '/') else { return rest };
        let Some((_, behind)) = until(pattern.get(delimiter.len_utf8()..).unwrap_or_default(), delimiter)
        else {
            return "";
        };
        rest = behind.trim_start_matches(['I', 'M']);
    }
}

/// Reads one command; what follows it.
fn command<'a>(script: &'a str, runs: &mut Vec<CommandRun>) -> &'a str {
    let mut chars = script.chars();
    let name = chars.next().unwrap_or_default();
    let behind = chars.as_str();
    let (line, below) = behind.split_once('\n').unwrap_or((behind, ""));
    let writes = |file: &str| CommandRun::Script(format!(": > {}", quoted(file.trim())));
    match name {
        'e' => {
            runs.push(CommandRun::Script(line.to_owned()));
            below
        }
        'w' | 'W' => {
            runs.push(writes(line));
            below
        }
        'a' | 'i' | 'c' | 'r' | 'R' | '#' => below,
        's' | 'y' => {
            let Some(delimiter) = chars.next() else { return "" };
            let parts = until(chars.as_str(), delimiter).and_then(|(_, behind)| until(behind, delimiter));
            let Some((replacement, behind)) = parts else { return "" };
            let end = behind.find([';', '}', '\n', 'w']).unwrap_or(behind.len());
            let (flags, rest) = behind.split_at(end);
            if flags.contains('e') && name == 's' {
                runs.push(CommandRun::Script(replacement.to_owned()));
            }
            let Some(file) = rest.strip_prefix('w') else { return rest };
            let (file, below) = file.split_once('\n').unwrap_or((file, ""));
            runs.push(writes(file));
            below
        }
        _ => behind.split_once([';', '\n', '}']).map_or("", |(_, rest)| rest),
    }
}

/// The text up to a delimiter that no backslash is before, and what follows it.
fn until(text: &str, delimiter: char) -> Option<(&str, &str)> {
    let mut escaped = false;
    let end = text.char_indices().find(|(_, ch)| {
        let found = *ch == delimiter && !escaped;
        escaped = !escaped && *ch == '\\';
        found
    });
    let (at, ch) = end?;
    Some((text.get(..at)?, text.get(at + ch.len_utf8()..)?))
}
