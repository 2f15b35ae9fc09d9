//! Says in a sentence what a command line does, where every part of it is known: 'Formats the code, then runs the tests'.
//!
//! It never takes the place of a warning. Nothing is said of a line of which a part is not known.

use super::command::{Command, base_name};
use super::folders::Folders;
use super::rules::{deleted_paths, installs};
use super::shell;
use super::shortened;
use crate::i18n::Word;
use crate::i18n::format::join_list;
use crate::i18n::words::danger as words;
use crate::text::review_marks::quoted;

/// One thing that a command does, in the words of people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    word: Word,
    /// What it does it to, where that is said.
    operands: Vec<String>,
}

/// What a command line does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    steps: Vec<Step>,
}

impl Summary {
    /// Whether it says that packages are installed, so that the warning about these needs no line of its own.
    pub fn installs(&self) -> bool {
        self.steps.iter().any(|step| step.word == words::DOES_INSTALL)
    }

    /// The sentence; text in backticks is code.
    pub fn words(&self) -> String {
        let phrase = |(nth, step): (usize, &Step)| {
            let names: Vec<String> = step.operands.iter().map(|operand| quoted(operand)).collect();
            let place = if nth == 0 { "first" } else { "then" };
            step.word.with(&[("place", place.into()), ("what", (&join_list(&names)).into())])
        };
        join_list(&self.steps.iter().enumerate().map(phrase).collect::<Vec<_>>())
    }
}

/// What is known of one command.
enum Known {
    /// It only prepares or shows what others do: `cd`, `echo`, `| head`.
    Nothing,
    Step(Word, Vec<String>),
}

/// Programs in front of a command that change nothing of what it does.
const PLAIN_WRAPPERS: [&str; 7] = ["time", "env", "nice", "timeout", "nohup", "command", "stdbuf"];
/// The most steps of which a sentence is made.
const MAX_STEPS: usize = 5;

/// What a command line does; `None` if a part of it is not known. `folder` is where it runs, if not in the project.
pub fn of_command(text: &str, project: Option<&str>, folder: Option<&str>) -> Option<Summary> {
    let reading = shell::read(text);
    if !reading.unread.is_empty() {
        return None;
    }
    let start = folder.filter(|folder| Some(*folder) != project).unwrap_or_default();
    let mut folders = Folders::new(&reading.parents, start);
    let mut summary = Summary { steps: Vec::new() };
    for (at, simple) in reading.commands.iter().enumerate() {
        let before = reading.commands.get(..at).unwrap_or_default();
        let folder = folders.of(simple.subshell);
        let seen = Command::new(simple, before, project, &folder);
        for known in [known(&seen)?, written(&seen)] {
            let Known::Step(word, operands) = known else { continue };
            match summary.steps.iter_mut().find(|step| step.word == word) {
                Some(step) => {
                    let new = operands.into_iter().filter(|one| !step.operands.contains(one));
                    let new: Vec<String> = new.collect();
                    step.operands.extend(new);
                }
                None => summary.steps.push(Step { word, operands }),
            }
        }
        folders.enter(simple.subshell, &seen);
    }
    (!summary.steps.is_empty() && summary.steps.len() <= MAX_STEPS).then_some(summary)
}

/// What a command does; `None` if that is not known.
fn known(seen: &Command<'_>) -> Option<Known> {
    let plain = seen.wrappers.iter().all(|name| PLAIN_WRAPPERS.contains(name));
    // What runs something else is known only by that.
    if !plain || seen.wrapped_script.is_some() || seen.program.is_empty() && !seen.wrappers.is_empty() {
        return None;
    }
    if seen.arguments.iter().any(|argument| argument.contains(['`', '\0']) || argument.contains("$(")) {
        return None;
    }
    // A variable may change what a program does.
    let assigned = seen.simple.words.iter().any(|word| shell::is_assignment(word));
    if assigned && !seen.program.is_empty() || seen.arguments.iter().any(|word| runs_or_writes(word)) {
        return None;
    }
    if installs(seen).is_some() {
        return Some(Known::Step(words::DOES_INSTALL, Vec::new()));
    }
    if seen.word.starts_with("./") && !is_elsewhere(seen, seen.word) {
        return Some(Known::Step(words::DOES_RUN, vec![shortened(seen.word)]));
    }
    if base_name(seen.word) != seen.word {
        return None; // a program of the same name, somewhere else
    }
    let known = by_program(seen);
    // What is said of the project's code is not so of other code.
    let elsewhere = || {
        let words =
            seen.arguments.iter().map(|word| word.split_once('=').map_or(word.as_str(), |(_, value)| value));
        let mut words = words.chain(["."]);
        words.any(|word| word.contains("://") || is_elsewhere(seen, word))
    };
    let of_project = match &known {
        Some(Known::Step(word, _)) => OF_THE_PROJECT.contains(word),
        _ => false,
    };
    known.filter(|_| !(of_project && elsewhere()))
}

/// True for what may lead out of the project.
fn is_elsewhere(seen: &Command<'_>, word: &str) -> bool {
    let path = seen.resolve_path(word);
    let within = |project: &str| {
        path.strip_prefix(project).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let absolute = path.starts_with('/') && !seen.project.is_some_and(within);
    absolute || path.starts_with('~') || path.contains('$') || path.split('/').any(|name| name == "..")
}

/// What is said of the project's own code.
const OF_THE_PROJECT: [Word; 5] =
    [words::DOES_TEST, words::DOES_CHECK, words::DOES_BUILD, words::DOES_FORMAT, words::DOES_RUN];

/// True for an option by which a program that usually reads runs or writes something.
fn runs_or_writes(word: &str) -> bool {
    const OPTIONS: [&str; 12] = [
        "--pre",
        "--output",
        "-o",
        "--ext-diff",
        "--textconv",
        "--open-files-in-pager",
        "-O",
        "--upload-pack",
        "--receive-pack",
        "--exec",
        "--config",
        "--plugin",
    ];
    let name = word.split('=').next().unwrap_or_default();
    OPTIONS.contains(&name) || word.starts_with("-O") || word.starts_with("-o")
}

/// What a program of a known name does.
fn by_program(seen: &Command<'_>) -> Option<Known> {
    let first = seen.operands().next().unwrap_or_default();
    let step = |word: Word| Some(Known::Step(word, Vec::new()));
    match seen.program {
        "" | "cd" | "pushd" | "popd" | "true" | "false" | ":" | "set" | "echo" | "printf" | "sleep"
        | "exit" | "test" | "[" | "pwd" | "which" | "date" | "tee" => Some(Known::Nothing),
        "head" | "tail" | "wc" | "sort" | "uniq" | "cut" | "tr" | "grep" | "rg" | "cat" | "jq" | "column"
            if seen.simple.piped =>
        {
            Some(Known::Nothing)
        }
        "ls" | "cat" | "head" | "tail" | "less" | "grep" | "rg" | "wc" | "stat" | "file" | "du" | "df"
        | "tree" | "diff" | "cmp" | "jq" => step(words::DOES_LOOK),
        "find" if seen.runs().is_empty() && !has_actions(seen) => step(words::DOES_LOOK),
        "sed" if seen.runs().is_empty() && !seen.flag(&['i', 'n'], &["--in-place"]) && seen.simple.piped => {
            Some(Known::Nothing)
        }
        "cargo" => cargo(seen, first),
        "npm" | "pnpm" | "yarn" | "bun" => scripts(seen, first),
        "go" => match first {
            "test" => step(words::DOES_TEST),
            "build" => step(words::DOES_BUILD),
            "vet" => step(words::DOES_CHECK),
            "fmt" => step(words::DOES_FORMAT),
            _ => None,
        },
        "pytest" | "jest" | "vitest" | "ctest" | "rspec" | "phpunit" => step(words::DOES_TEST),
        "python" | "python3" if seen.arguments.first().is_some_and(|flag| flag == "-m") => {
            let tests =
                seen.arguments.get(1).is_some_and(|module| module == "pytest" || module == "unittest");
            tests.then_some(Known::Step(words::DOES_TEST, Vec::new()))
        }
        "mypy" | "eslint" | "shellcheck" => step(words::DOES_CHECK),
        "ruff" => match first {
            "check" if !seen.has(&["--fix"]) => step(words::DOES_CHECK),
            "check" | "format" => step(words::DOES_FORMAT),
            _ => None,
        },
        "tsc" => step(if seen.has(&["--noEmit"]) { words::DOES_CHECK } else { words::DOES_BUILD }),
        "prettier" | "black" | "gofmt" | "rustfmt" => step(words::DOES_FORMAT),
        "make" if seen.runs().is_empty() => match first {
            "" | "all" | "build" => step(words::DOES_BUILD),
            "test" | "check" => step(words::DOES_TEST),
            _ => Some(Known::Step(words::DOES_RUN, vec![shortened(&format!("make {first}"))])),
        },
        "mkdir" | "touch" => step(words::DOES_CREATE),
        "cp" => step(words::DOES_COPY),
        "mv" => step(words::DOES_MOVE),
        "rm" => {
            let all = deleted_paths(seen);
            let known = !all.is_empty() && !all.iter().any(|path| path.contains(['$', '`', '*', '?', '{']));
            known.then_some(Known::Step(words::DOES_DELETE, all))
        }
        "git" if seen.runs().is_empty() => git(seen, first),
        _ => None,
    }
}

/// True for a search that does more than to list.
fn has_actions(seen: &Command<'_>) -> bool {
    seen.arguments.iter().any(|word| {
        ["-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprintf", "-fls", "-fprint0"]
            .contains(&word.as_str())
    })
}

fn cargo(seen: &Command<'_>, first: &str) -> Option<Known> {
    // A toolchain (`+nightly`) and settings come from the line, and may be anything.
    if first.starts_with('+') {
        return None;
    }
    let word = match first {
        "test" | "nextest" | "bench" => words::DOES_TEST,
        "build" | "doc" => words::DOES_BUILD,
        "check" | "clippy" => words::DOES_CHECK,
        "fmt" => words::DOES_FORMAT,
        "run" => return Some(Known::Step(words::DOES_RUN, vec![seen.line()])),
        "tree" | "metadata" => words::DOES_LOOK,
        _ => return None,
    };
    Some(Known::Step(word, Vec::new()))
}

/// The scripts of a package, by the names that they usually have.
fn scripts(seen: &Command<'_>, first: &str) -> Option<Known> {
    let name = match first {
        "run" | "run-script" => seen.operands().nth(1)?,
        "test" | "t" | "start" => first,
        _ => return None,
    };
    let word = match name.split([':', '-']).next().unwrap_or_default() {
        "test" | "t" | "tests" => words::DOES_TEST,
        "build" | "compile" => words::DOES_BUILD,
        "lint" | "check" | "typecheck" => words::DOES_CHECK,
        "format" | "fmt" => words::DOES_FORMAT,
        _ => return Some(Known::Step(words::DOES_RUN, vec![seen.line()])),
    };
    Some(Known::Step(word, Vec::new()))
}

fn git(seen: &Command<'_>, first: &str) -> Option<Known> {
    // A setting on the line may be anything, and so may what another folder's settings run.
    if seen.has(&["-c", "-C", "--git-dir", "--exec-path", "--work-tree"]) {
        return None;
    }
    let word = match first {
        "status" | "log" | "diff" | "show" | "blame" | "ls-files" | "rev-parse" | "grep" => words::DOES_LOOK,
        "add" | "commit" => words::DOES_COMMIT,
        "push" => words::DOES_PUSH,
        "pull" | "fetch" => words::DOES_FETCH,
        _ => return None,
    };
    Some(Known::Step(word, Vec::new()))
}

/// The files that a command writes by redirection or with `tee`.
fn written(seen: &Command<'_>) -> Known {
    let mut files: Vec<String> = seen.simple.writes.clone();
    if seen.program == "tee" {
        files.extend(seen.operands().map(str::to_owned));
    }
    files.retain(|file| file != "/dev/null" && file != "/dev/stderr" && file != "/dev/stdout");
    let files: Vec<String> = files.iter().map(|file| seen.resolve_path(file)).collect();
    if files.is_empty() { Known::Nothing } else { Known::Step(words::DOES_WRITE, files) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(text: &str) -> String {
        of_command(text, Some("/project"), None).map(|summary| summary.words()).unwrap_or_default()
    }

    #[test]
    fn a_line_of_known_commands_is_a_sentence() {
        for (text, words) in [
            ("cargo test --workspace -- --nocapture", "Runs the tests"),
            ("cd src && cargo fmt && cargo test 2>&1 | tail -20", "Formats the code, then runs the tests"),
            (
                "npm install && npm run dev",
                "Installs packages, whose scripts may run, then runs `npm run dev` of this project",
            ),
            ("cargo fmt; cargo fmt --check; cargo clippy", "Formats the code, then checks the code"),
            ("git status && git diff | head -50", "Looks at files or history"),
            ("git add -A && git commit -m 'x' && git push", "Commits, then pushes to a server"),
            ("rm -rf build dist", "Deletes `build`, `dist`"),
            ("cd a && rm b", "Deletes `a/b`"),
            ("echo hi > notes.txt", "Writes `notes.txt`"),
            ("ls | tee out.txt", "Looks at files or history, then writes `out.txt`"),
            (
                "mkdir -p a && cp x a/ && mv y a/",
                "Creates files or folders, then copies files, then moves files",
            ),
            ("./scripts/build.sh --all", "Runs `./scripts/build.sh` of this project"),
            ("timeout 60 cargo build 2>/dev/null", "Builds the project"),
        ] {
            assert_eq!(says(text), words, "{text}");
        }
    }

    #[test]
    fn nothing_is_said_of_a_line_of_which_a_part_is_not_known() {
        for text in [
            "",
            "foo",
            "cargo test && foo",
            "sudo cargo test",
            "ls | xargs rm",
            "ls $(foo)",
            "cat `foo`",
            "/tmp/cargo test",
            "git -c core.pager=evil log",
            "git -C /other commit -m x",
            "cargo +evil test",
            "cargo test --config evil.toml",
            "find . -exec rm {} +",
            "find . -delete",
            "rm -rf $X",
            "rm -rf *",
            "bash -c 'cargo test'",
            "python -m evil",
            "npm exec evil2 && evil",
            "cargo install-update",
            "sed -i s/a/b/ x",
            "cargo test \"unclosed",
            "PATH=x:$PATH cargo test",
            "NODE_OPTIONS='--require evil' npm test",
            "cargo() { evil; }; cargo test",
            "alias cargo=evil; cargo test",
            "cd /tmp && cargo test",
            "cd .. && ./run.sh",
            "cargo run --manifest-path=/tmp/evil/Cargo.toml",
            "make -C ../evil",
            "make -f /tmp/evil.mk",
            "npm --prefix /tmp/evil test",
            "pytest ~/evil",
            "rg --pre evil x",
            "git grep -Oevil x",
            "git fetch --upload-pack=evil",
            "sort -o x y | head",
            "git diff --output=x",
            "export A=b; cargo test",
            "source x && cargo test",
        ] {
            assert_eq!(says(text), "", "{text}");
        }
    }
}
