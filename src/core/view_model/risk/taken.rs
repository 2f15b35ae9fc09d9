//! Commands that other programs take as the value of an option, of a variable, or within a text of their own.

use super::command::{Command, CommandRun, quoted};
use super::{code, sed};

/// Programs, the options whose value they run, and the words before which the command stands in the value.
struct CommandOption {
    programs: &'static [&'static str],
    /// Empty for programs that run their operands.
    options: &'static [&'static str],
    /// Empty if the whole value is a command.
    behind: &'static [&'static str],
}

const fn option_rule(
    programs: &'static [&'static str],
    options: &'static [&'static str],
    behind: &'static [&'static str],
) -> CommandOption {
    CommandOption { programs, options, behind }
}

/// Editors and clients that run a line in a shell if it begins so.
const EDITORS: [&str; 12] =
    ["vim", "vi", "nvim", "view", "ex", "ed", "red", "sftp", "ftp", "lftp", "dc", "ghci"];
const EDITS: [&str; 5] = ["!", "silent !", "silent! !", "r !", "w !"];

const TAKEN: [CommandOption; 21] = [
    option_rule(&["rg"], &["--pre", "--hostname-bin"], &[]),
    option_rule(&["sort"], &["--compress-program"], &[]),
    option_rule(
        &["tar", "gtar", "bsdtar"],
        &[
            "--to-command",
            "--use-compress-program",
            "-I",
            "--rsh-command",
            "-F",
            "--info-script",
            "--new-volume-script",
        ],
        &[],
    ),
    option_rule(&["tar", "gtar", "bsdtar"], &["--checkpoint-action"], &["exec="]),
    option_rule(&["rsync"], &["-e", "--rsh", "--rsync-path"], &[]),
    option_rule(
        &["ssh", "scp", "sftp"],
        &["-o"],
        &["proxycommand", "localcommand", "remotecommand", "knownhostscommand"],
    ),
    option_rule(&["scp", "sftp"], &["-S"], &[]),
    option_rule(
        &["git"],
        &["--upload-pack", "--receive-pack", "-u", "--extcmd", "-O", "--open-files-in-pager"],
        &[],
    ),
    option_rule(&EDITORS, &["-c", "--cmd", "+"], &EDITS),
    option_rule(&EDITORS, &[], &EDITS),
    option_rule(&["less", "more"], &[], &["+!"]),
    option_rule(&["man"], &["-P", "--pager", "-H", "--html"], &[]),
    option_rule(&["gdb", "lldb"], &["-ex", "--eval-command", "-o"], &["shell ", "!", "platform shell "]),
    option_rule(&["psql", "sqlite3", "mysql"], &[], &[".shell ", ".system ", "\\!", "system "]),
    option_rule(&["fzf"], &["--preview"], &[]),
    option_rule(&["socat"], &[], &["SYSTEM:", "EXEC:", "system:", "exec:"]),
    option_rule(&["npx", "npm"], &["-c", "--call"], &[]),
    option_rule(&["zip"], &["-TT", "--unzip-command"], &[]),
    option_rule(&["hyperfine", "concurrently", "tmux"], &[], &[]),
    option_rule(&["expect", "tclsh", "wish"], &["-c"], &TCL),
    option_rule(&["expect", "tclsh", "wish"], &[], &TCL),
];
/// Commands of Tcl and Expect that run a program.
const TCL: [&str; 4] = ["spawn", "exec", "system", "open |"];

/// Programs, the word behind which the command stands that they run, and how many words are between.
const RUNNERS: [(&[&str], &str, usize); 11] = [
    (&["npx", "bunx", "uvx", "dotenv", "nsenter", "wsl", "arch"], "", 0),
    (&["poetry", "pipenv", "pdm", "rye", "hatch", "uv", "op", "doppler", "conda"], "run", 0),
    (&["bundle", "pnpm", "npm", "yarn", "mise", "asdf", "rbenv", "pyenv", "opam"], "exec", 0),
    (&["yarn", "pnpm"], "dlx", 0),
    (&["pipx"], "run", 0),
    (&["direnv"], "exec", 1),
    (&["nix"], "-c", 0),
    (&["nix"], "--command", 0),
    (&["sg"], "-c", 0),
    (&["cmake"], "-E", 0),
    (&["aws-vault"], "exec", 1),
];

/// The command that a runner runs: `bundle exec rake`, `op run -- make`.
fn runner_command<'a>(seen: &Command<'a>) -> Option<&'a [String]> {
    let found = RUNNERS.iter().find_map(|(programs, word, between)| {
        let at = seen.arguments.iter().position(|argument| argument == word);
        let begins = if word.is_empty() { Some(0) } else { at.map(|at| at + 1) };
        begins.filter(|_| seen.is(programs)).map(|begins| (begins, *between))
    });
    let (begins, between) = found?;
    let rest = seen.arguments.get(begins..)?;
    if let Some(end) = rest.iter().position(|word| word == "--") {
        return rest.get(end + 1..);
    }
    let valued =
        ["-t", "--target", "-p", "--package", "-d", "--distribution", "-e", "-n", "--with", "--python"];
    let mut rest = rest;
    while let [first, behind @ ..] = rest
        && first.starts_with('-')
    {
        // `wsl -e` runs what follows.
        let value = valued.contains(&first.as_str()) && !seen.is(&["wsl"]);
        rest = if value { behind.get(1..)? } else { behind };
    }
    rest.get(between..)
}

/// Ends of the names of variables whose value is a command that programs run.
const VARIABLES: [&str; 9] = [
    "PAGER",
    "EDITOR",
    "ASKPASS",
    "VISUAL",
    "BROWSER",
    "LESSOPEN",
    "RSYNC_RSH",
    "_COMMAND",
    "GIT_EXTERNAL_DIFF",
];

/// Ends of the names of git's settings whose value is a command.
const SETTINGS: [&str; 14] = [
    "pager",
    "editor",
    "sshcommand",
    "fsmonitor",
    "askpass",
    "external",
    "textconv",
    "clean",
    "smudge",
    "process",
    "cmd",
    "driver",
    "helper",
    "gitproxy",
];

/// All that a command takes so.
pub(super) fn commands(seen: &Command<'_>) -> Vec<CommandRun> {
    let script = |text: &str| CommandRun::Script(text.to_owned());
    let mut runs = Vec::new();
    for word in &seen.simple.words {
        if let Some((name, value)) = word.split_once('=')
            && (VARIABLES.iter().any(|end| name.ends_with(end)) || name.starts_with("GIT_CONFIG_VALUE_"))
        {
            runs.push(script(value.trim_start_matches('|')));
        }
    }
    match runner_command(seen) {
        Some([text]) => runs.push(script(text)),
        Some(words) if !words.is_empty() => runs.push(CommandRun::Words(words.to_vec())),
        _ => {}
    }
    let texts: Vec<String> = seen.texts().filter(|text| !text.starts_with('-')).collect();
    for taken in TAKEN.iter().filter(|taken| seen.is(taken.programs)) {
        let values: Vec<&str> = if taken.options.is_empty() {
            // A command in one word; a plain word is a name.
            texts.iter().flat_map(|text| text.lines()).filter(|line| line.contains(' ')).collect()
        } else {
            seen.values(taken.options)
        };
        for value in values {
            if taken.behind.is_empty() {
                runs.push(script(value));
            } else {
                let value = value.trim_start_matches([':', ' ']);
                runs.extend(taken.behind.iter().find_map(|start| rest_after(value, start)).map(script));
            }
        }
    }
    if seen.is(&EDITORS) {
        runs.extend(texts.iter().flat_map(|text| code::runs("vim", text)));
    }
    match seen.program {
        "git" => {
            let settings =
                seen.values(&["-c", "--config"]).into_iter().filter_map(|word| word.split_once('='));
            for (name, value) in settings {
                let name = name.to_ascii_lowercase();
                let kind = name.rsplit('.').next().unwrap_or_default();
                if SETTINGS.contains(&kind) || name.starts_with("pager.") {
                    runs.push(script(value.trim_start_matches('!')));
                }
            }
            if seen.starts_with(&["config"]) {
                // `git config alias.x '!…'`: the value runs later.
                runs.extend(seen.operands().skip(2).map(|value| script(value.trim_start_matches('!'))));
            }
        }
        "awk" | "gawk" | "mawk" | "nawk" => {
            let programs = texts.iter().filter(|word| word.contains(['{', '"']));
            runs.extend(programs.flat_map(|program| runs_of_awk(program)));
        }
        "sed" | "gsed" => runs.extend(sed::runs(seen)),
        // The parts of what runs the compiler stand between commas.
        "gcc" | "g++" | "cc" | "c++" => {
            runs.extend(seen.values(&["-wrapper"]).into_iter().map(|value| script(&value.replace(',', " "))));
        }
        "emacs" | "emacsclient" => {
            let forms = seen.values(&["--eval", "-eval", "--execute", "-e"]);
            runs.extend(forms.into_iter().flat_map(runs_of_lisp));
        }
        "make" | "gmake" => {
            // `make CC='…'`: recipes run what variables hold.
            let variables = seen.operands().filter_map(|word| word.split_once('='));
            runs.extend(variables.filter(|(_, value)| value.contains(' ')).map(|(_, value)| script(value)));
            let reads = seen.has(&["-f-", "-"]) || seen.names_input();
            let mut input = if reads { seen.input().unwrap_or_default() } else { String::new() };
            input.extend(seen.values(&["--eval"]).into_iter().flat_map(|text| ["\n", text]));
            let recipe = |line: &str| {
                line.strip_prefix('\t').or(line.split_once(';').map(|(_, rest)| rest)).map(str::to_owned)
            };
            runs.extend(
                input
                    .lines()
                    .filter_map(recipe)
                    .map(|line| script(line.trim_start_matches([' ', '@', '-', '+']))),
            );
        }
        "docker" | "podman" | "nerdctl" | "docker-compose" | "kubectl" | "oc" => {
            runs.extend(container_command(seen).map(|words| {
                CommandRun::Remote(words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "))
            }));
        }
        _ => {}
    }
    runs
}

/// The rest of a value that begins so, in small or large letters; a name ends at a blank or `=`.
fn rest_after<'a>(value: &'a str, start: &str) -> Option<&'a str> {
    let (begins, rest) = value.split_at_checked(start.len())?;
    let rest = begins.eq_ignore_ascii_case(start).then_some(rest)?;
    let name = start.ends_with(|ch: char| ch.is_ascii_alphanumeric());
    if name { rest.strip_prefix(['=', ' ']) } else { Some(rest) }
}

/// What a form of Emacs Lisp runs and deletes: `(shell-command "…")`, `(delete-file "…")`.
fn runs_of_lisp(form: &str) -> Vec<CommandRun> {
    let parts: Vec<&str> = form.split('"').collect();
    let mut runs = Vec::new();
    for (at, text) in parts.iter().enumerate().skip(1).step_by(2) {
        let call = parts.get(at - 1).and_then(|before| before.rsplit('(').next()).unwrap_or_default();
        if call.starts_with("delete-file") || call.starts_with("delete-directory") {
            runs.push(CommandRun::Words(["rm", "-rf", "--", text].map(str::to_owned).to_vec()));
        } else if call.contains("shell-command") || call.starts_with("shell-") || call.starts_with("compile")
        {
            runs.push(CommandRun::Script((*text).to_owned()));
        }
    }
    runs
}

/// What awk runs and writes: `system("…")`, `"…" | getline`, `print | "…"`, `print > "…"`.
fn runs_of_awk(program: &str) -> Vec<CommandRun> {
    let mut runs = code::runs("awk", program);
    // A quote within a text is written with a backslash.
    let program = program.replace("\\\"", "\u{1}");
    let parts: Vec<&str> = program.split('"').collect();
    for (at, text) in parts.iter().enumerate().skip(1).step_by(2) {
        let before = parts.get(at - 1).map_or("", |before| before.trim_end());
        let after = parts.get(at + 1).and_then(|after| after.trim_start().strip_prefix('|'));
        let text = text.replace('\u{1}', "\"");
        if before.ends_with('|') {
            // It reads what awk prints.
            runs.push(CommandRun::Script(format!("awk | {text}")));
        } else if after.is_some_and(|after| after.trim_start().starts_with("getline")) {
            runs.push(CommandRun::Script(text));
        } else if before.ends_with('>') {
            runs.push(CommandRun::Script(format!(": > {}", quoted(&text))));
        }
    }
    runs
}

/// What runs in a container: the words behind `docker exec NAME`, `kubectl exec NAME --`.
fn container_command<'a>(seen: &Command<'a>) -> Option<&'a [String]> {
    let exec = seen.starts_with(&["exec"]) || seen.starts_with(&["compose", "exec"]);
    let at = seen.arguments.iter().position(|word| word == "exec").filter(|_| exec)?;
    let mut rest = seen.arguments.get(at + 1..)?;
    if let Some(end) = rest.iter().position(|word| word == "--") {
        return rest.get(end + 1..);
    }
    let valued = ["-u", "--user", "-w", "--workdir", "-e", "--env", "--env-file", "--index", "-n", "-c"];
    while let [first, behind @ ..] = rest
        && first.starts_with('-')
    {
        rest = if valued.contains(&first.as_str()) { behind.get(1..)? } else { behind };
    }
    rest.get(1..)
}
