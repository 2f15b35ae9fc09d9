//! Variables that make other programs load code, or find other programs than those that are meant.

use super::command::Command;
use super::paths::leads_outside;

/// Variables whose value is loaded by every program, or by every one of a language.
const LOADED: [&str; 9] = [
    "LD_PRELOAD",
    "LD_AUDIT",
    "DYLD_INSERT_LIBRARIES",
    "BASH_ENV",
    "PROMPT_COMMAND",
    "GIT_SSH_COMMAND",
    "PYTHONSTARTUP",
    "PERL5OPT",
    "RUBYOPT",
];

/// True if the command sets such a variable, for itself or for those after it.
pub(super) fn loads_code(seen: &Command<'_>) -> bool {
    let words = seen.simple.words.as_slice();
    let sets = seen.program.is_empty() || seen.is(&["export", "declare", "typeset", "set", "setx"]);
    // An argument of another program is a text.
    let own = if sets { words.len() } else { words.len().saturating_sub(seen.arguments.len() + 1) };
    // `set -x PATH /tmp/x $PATH` and `fish_add_path /tmp/x`, in fish
    let mut operands = seen.operands();
    let adds = seen.is(&["fish_add_path"]) || seen.is(&["set"]) && operands.next() == Some("PATH");
    if adds && searches_shared_folders(&operands.collect::<Vec<_>>().join(":"), seen.project) {
        return true;
    }
    words.iter().take(own).filter_map(|word| word.split_once('=')).any(|(name, value)| match name {
        "PATH" => searches_shared_folders(value, seen.project),
        "NODE_OPTIONS" => {
            ["-r ", "--require", "--import", "--loader"].iter().any(|flag| value.contains(flag))
        }
        name => LOADED.contains(&name),
    })
}

/// True if programs are looked for first where anybody can put some.
fn searches_shared_folders(path: &str, project: Option<&str>) -> bool {
    let mut first = path.split(':').take_while(|folder| !folder.contains("PATH"));
    !path.is_empty()
        && first.any(|folder| {
            let folder = folder.trim_end_matches('/');
            let open = ["/tmp", "/var/tmp", "/private/tmp", "/dev/shm"];
            let known = ["/usr", "/opt", "/nix", "/snap", "/home/", "/Users/", "/Library"];
            matches!(folder, "" | "." | "..")
                || open.iter().any(|open| folder.starts_with(open))
                || folder.starts_with('/')
                    && leads_outside(folder, project)
                    && !folder.ends_with("bin")
                    && !known.iter().any(|known| folder.starts_with(known))
        })
}
