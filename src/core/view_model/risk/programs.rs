//! The table of programs: what an ordinary use of each does, for the sentence about a command line.
//! A use is listed only if what is said of it is certain, whatever else the command has.

use super::command::Command;
use super::find;
use super::paths::for_people;
use super::rules::{deleted_paths, installs, runs_no_scripts};
use super::services::is_own_machine;
use super::shortened;
use crate::i18n::Word;
use crate::i18n::words::danger as words;

/// What is known of one command.
pub(super) enum Known {
    /// It only prepares or shows what others do: `cd`, `echo`, `| head`.
    Nothing,
    /// What it does, and what it does it to where that is said.
    Step(Word, Vec<String>),
}

/// A use of some programs.
pub(super) struct Usage {
    /// Their names; any program, if there is none.
    programs: &'static [&'static str],
    /// What the arguments begin with, options aside: one of these. Whatever they are, if there is none.
    verbs: &'static [&'static str],
    /// What else must be so.
    applies: fn(&Command<'_>) -> bool,
    does: Does,
}

enum Does {
    Nothing,
    Step(Word),
    /// It does it to these; the use does not apply if there are none.
    StepTo(Word, fn(&Command<'_>) -> Vec<String>),
}
use Does::{Nothing, Step, StepTo};

impl Usage {
    /// What the command does, if this is its use.
    pub fn of(&self, seen: &Command<'_>) -> Option<Known> {
        let named = self.programs.is_empty() || self.programs.contains(&seen.program);
        let begins = |verb: &&str| seen.starts_with(&verb.split(' ').collect::<Vec<_>>());
        if !named || !(self.verbs.is_empty() || self.verbs.iter().any(begins)) || !(self.applies)(seen) {
            return None;
        }
        match self.does {
            Nothing => Some(Known::Nothing),
            Step(word) => Some(Known::Step(word, Vec::new())),
            StepTo(word, operands) => {
                Some(operands(seen)).filter(|all| !all.is_empty()).map(|all| Known::Step(word, all))
            }
        }
    }

    const fn when(self, applies: fn(&Command<'_>) -> bool) -> Self {
        Self { applies, ..self }
    }
}

const fn any_of(programs: &'static [&'static str], does: Does) -> Usage {
    of(programs, &[], does)
}

const fn of(programs: &'static [&'static str], verbs: &'static [&'static str], does: Does) -> Usage {
    Usage { programs, verbs, applies: |_| true, does }
}

const fn git(verbs: &'static [&'static str], does: Does) -> Usage {
    of(&["git"], verbs, does).when(is_plain_git)
}

/// What is said of the project's own code.
pub(super) const OF_THE_PROJECT: [Word; 9] = [
    words::DOES_TEST,
    words::DOES_CHECK,
    words::DOES_FIX,
    words::DOES_BUILD,
    words::DOES_IMAGE,
    words::DOES_FORMAT,
    words::DOES_RUN,
    words::DOES_START,
    words::DOES_STOP,
];

const COMPOSE: &[&str] = &["docker", "podman", "docker-compose"];
const PACKAGES: &[&str] = &["npm", "pnpm", "yarn", "bun"];

/// The first that fits a command is its use.
pub(super) const PROGRAMS: &[Usage] = &[
    any_of(&["", "cd", "pushd", "popd", "true", "false", ":", "set", "echo", "printf", "sleep"], Nothing),
    any_of(&["exit", "test", "[", "pwd", "which", "type", "tee"], Nothing),
    any_of(&["date"], Nothing).when(|seen| !seen.flag(&['s'], &["--set"])),
    any_of(&["command"], Nothing).when(|seen| seen.has(&["-v", "-V"])),
    any_of(&["head", "tail", "wc", "sort", "cut", "tr", "nl", "column"], Nothing).when(is_piped),
    any_of(&["grep", "rg", "cat", "jq"], Nothing).when(is_piped),
    // Its second file is written.
    any_of(&["uniq"], Nothing).when(|seen| is_piped(seen) && seen.targets().count() < 2),
    any_of(&["sed"], Nothing).when(|seen| is_piped(seen) && only_prints(seen)),
    any_of(
        &[
            "node", "npm", "pnpm", "yarn", "bun", "deno", "tsc", "python", "python3", "pip", "uv", "ruby",
            "php", "cargo", "rustc", "rustup", "git", "gh", "make", "cmake", "gcc", "clang", "docker",
            "kubectl", "helm",
        ],
        Step(words::DOES_VERSION),
    )
    .when(|seen| matches!(seen.arguments, [only] if only == "--version" || only == "-V")),
    any_of(&["node", "npm", "pnpm", "yarn"], Step(words::DOES_VERSION))
        .when(|seen| matches!(seen.arguments, [only] if only == "-v")),
    of(&["go", "terraform", "docker", "kubectl"], &["version"], Step(words::DOES_VERSION)),
    // Packages.
    of(PACKAGES, &["install", "i", "add", "ci"], Step(words::DOES_INSTALL_ONLY)).when(runs_no_scripts),
    any_of(&["npx", "bunx", "uvx"], StepTo(words::DOES_RUN_PACKAGE, |seen| program_behind(seen, &[])))
        .when(installs_something),
    of(
        &["npm", "pnpm", "yarn", "bun", "pipx", "uv"],
        &["exec", "x", "dlx", "run"],
        StepTo(words::DOES_RUN_PACKAGE, |seen| program_behind(seen, &["exec", "x", "dlx", "run"])),
    )
    .when(installs_something),
    any_of(&[], Step(words::DOES_INSTALL)).when(installs_something),
    of(PACKAGES, &["ls", "list", "why"], Step(words::DOES_LIST_PACKAGES)),
    of(&["pip", "pip3"], &["list", "show", "freeze", "check"], Step(words::DOES_LIST_PACKAGES)),
    of(&["uv"], &["tree", "pip list", "pip show", "pip freeze"], Step(words::DOES_LIST_PACKAGES)),
    of(&["cargo"], &["tree", "metadata"], Step(words::DOES_LIST_PACKAGES)),
    of(&["go"], &["list"], Step(words::DOES_LIST_PACKAGES)),
    // Files.
    any_of(&["ls", "cat", "head", "tail", "grep", "rg", "wc", "nl", "stat"], Step(words::DOES_LOOK)),
    any_of(&["less"], Step(words::DOES_LOOK)).when(|seen| !seen.operands().any(|word| word.starts_with('+'))),
    any_of(&["file"], Step(words::DOES_LOOK)).when(|seen| !seen.flag(&['C'], &["--compile"])),
    any_of(&["du", "df", "tree", "diff", "cmp", "jq", "sort", "cut"], Step(words::DOES_LOOK)),
    any_of(&["realpath", "basename", "dirname", "md5sum", "sha256sum"], Step(words::DOES_LOOK)),
    any_of(&["sed"], Step(words::DOES_LOOK)).when(only_prints),
    any_of(&["find", "fd", "fdfind"], Step(words::DOES_LOOK))
        .when(|seen| runs_nothing(seen) && find::only_names(seen)),
    any_of(&["ps", "pgrep", "lsof", "ss", "netstat"], Step(words::DOES_LOOK_AT_MACHINE))
        .when(|seen| !seen.flag(&['K'], &["--kill"])),
    any_of(&["mkdir", "touch"], Step(words::DOES_CREATE)),
    any_of(&["cp"], Step(words::DOES_COPY)),
    any_of(&["mv"], Step(words::DOES_MOVE)),
    any_of(&["rm"], StepTo(words::DOES_DELETE, deleted)),
    any_of(&["chmod"], StepTo(words::DOES_MAKE_EXECUTABLE, made_executable)),
    // The project's code.
    of(&["cargo"], &["test", "nextest", "bench"], Step(words::DOES_TEST)),
    of(&["cargo"], &["build", "doc"], Step(words::DOES_BUILD)),
    of(&["cargo"], &["clippy", "fix"], Step(words::DOES_FIX)).when(|seen| fixes(seen) || seen.has(&["fix"])),
    of(&["cargo"], &["fmt"], Step(words::DOES_CHECK)).when(only_checks),
    of(&["cargo"], &["check", "clippy"], Step(words::DOES_CHECK)),
    of(&["cargo"], &["fmt"], Step(words::DOES_FORMAT)),
    of(&["cargo"], &["run"], StepTo(words::DOES_RUN, line)),
    any_of(PACKAGES, Step(words::DOES_TEST)).when(|seen| runs_script(seen, &["test", "t", "tests"])),
    any_of(PACKAGES, Step(words::DOES_BUILD)).when(|seen| runs_script(seen, &["build", "compile"])),
    any_of(PACKAGES, Step(words::DOES_CHECK))
        .when(|seen| runs_script(seen, &["lint", "check", "typecheck"]) && !fixes(seen)),
    any_of(PACKAGES, Step(words::DOES_FORMAT)).when(|seen| runs_script(seen, &["format", "fmt"])),
    any_of(PACKAGES, StepTo(words::DOES_RUN, line)).when(|seen| script(seen).is_some()),
    of(&["go", "deno", "dotnet", "swift", "mvn", "gradle"], &["test"], Step(words::DOES_TEST)),
    of(&["go", "dotnet", "swift", "gradle"], &["build"], Step(words::DOES_BUILD)),
    of(&["mvn"], &["compile", "package"], Step(words::DOES_BUILD)),
    of(&["go", "deno"], &["vet", "lint", "check"], Step(words::DOES_CHECK)),
    of(&["go", "deno"], &["fmt"], Step(words::DOES_FORMAT)),
    of(&["go"], &["run"], StepTo(words::DOES_RUN, line)).when(|seen| {
        seen.operands().nth(1).is_some_and(|code| {
            code.starts_with('.') || code.rsplit_once('.').is_some_and(|(_, end)| end == "go")
        })
    }),
    any_of(&["pytest", "jest", "vitest", "ctest", "rspec", "phpunit"], Step(words::DOES_TEST)),
    of(&["bundle"], &["exec rspec"], Step(words::DOES_TEST)),
    of(&["python", "python3"], &["pytest", "unittest"], Step(words::DOES_TEST)).when(runs_module),
    of(&["python", "python3"], &["mypy"], Step(words::DOES_CHECK)).when(runs_module),
    of(&["python", "python3"], &["venv"], Step(words::DOES_CREATE)).when(runs_module),
    any_of(&["node"], Step(words::DOES_TEST)).when(runs_tests_of_node),
    any_of(&["cmake"], Step(words::DOES_BUILD))
        .when(|seen| seen.arguments.first().is_some_and(|word| word == "--build")),
    any_of(&["python", "python3", "node", "ruby", "php", "bash", "sh"], StepTo(words::DOES_RUN, script_file)),
    any_of(&["eslint", "ruff"], Step(words::DOES_FIX)).when(fixes),
    any_of(&["mypy", "eslint", "shellcheck"], Step(words::DOES_CHECK)),
    of(&["ruff"], &["check"], Step(words::DOES_CHECK)),
    any_of(&["tsc"], Step(words::DOES_CHECK)).when(|seen| seen.has(&["--noEmit"])),
    any_of(&["tsc"], Step(words::DOES_BUILD)),
    any_of(&["prettier", "black", "rustfmt", "ruff"], Step(words::DOES_CHECK)).when(only_checks),
    of(&["ruff"], &["format"], Step(words::DOES_FORMAT)),
    any_of(&["prettier", "black", "gofmt", "rustfmt"], Step(words::DOES_FORMAT)),
    of(&["make"], &["all", "build"], Step(words::DOES_BUILD)).when(runs_nothing),
    of(&["make"], &["test", "check"], Step(words::DOES_TEST)).when(runs_nothing),
    any_of(&["make"], Step(words::DOES_BUILD))
        .when(|seen| runs_nothing(seen) && seen.operands().next().is_none()),
    any_of(&["make"], StepTo(words::DOES_RUN, line)).when(runs_nothing),
    // History and servers.
    git(&["status", "log", "diff", "show", "blame", "ls-files", "rev-parse", "grep"], Step(words::DOES_LOOK)),
    git(&["describe", "rev-list", "shortlog", "ls-tree", "merge-base", "show-ref"], Step(words::DOES_LOOK)),
    git(&["stash list", "stash show", "worktree list", "remote get-url"], Step(words::DOES_LOOK)),
    git(&["branch", "tag", "remote", "reflog"], Step(words::DOES_LOOK)).when(only_lists),
    git(&["add"], Step(words::DOES_STAGE)),
    git(&["commit"], Step(words::DOES_AMEND)).when(|seen| is_plain_git(seen) && seen.has(&["--amend"])),
    git(&["commit"], Step(words::DOES_COMMIT)),
    git(&["switch", "checkout"], Step(words::DOES_BRANCH)).when(enters_branch),
    git(&["push"], Step(words::DOES_PUSH)),
    git(&["fetch"], Step(words::DOES_FETCH)),
    git(&["pull"], Step(words::DOES_PULL)),
    of(
        &["gh"],
        &[
            "pr list",
            "pr view",
            "pr status",
            "pr diff",
            "pr checks",
            "issue list",
            "issue view",
            "run list",
            "run view",
            "release list",
            "release view",
            "repo view",
        ],
        Step(words::DOES_READ_GITHUB),
    )
    .when(|seen| !seen.has(&["--web", "-w"])),
    of(&["gh"], &["pr create"], Step(words::DOES_PULL_REQUEST)),
    any_of(&["curl"], Step(words::DOES_ASK_LOCAL)).when(asks_own_machine),
    // Containers and clusters.
    of(
        COMPOSE,
        &["ps", "images", "logs", "inspect", "compose ps", "compose logs", "compose images"],
        Step(words::DOES_LOOK_AT_CONTAINERS),
    ),
    of(&["docker", "podman"], &["build"], Step(words::DOES_IMAGE)),
    of(COMPOSE, &["compose build"], Step(words::DOES_IMAGE)),
    of(COMPOSE, &["compose up", "compose start"], Step(words::DOES_START)),
    of(COMPOSE, &["compose stop", "compose down"], Step(words::DOES_STOP))
        .when(|seen| !seen.arguments.iter().any(|word| word.starts_with("--rmi"))),
    of(&["kubectl", "oc"], &["get", "describe", "logs", "top"], Step(words::DOES_LOOK_AT_CLUSTER))
        .when(|seen| !seen.arguments.iter().any(|word| word.starts_with("--kubeconfig"))),
    of(&["terraform", "tofu"], &["fmt"], Step(words::DOES_CHECK)).when(|seen| seen.has(&["-check"])),
    of(&["terraform", "tofu"], &["fmt"], Step(words::DOES_FORMAT)),
    of(&["terraform", "tofu"], &["validate"], Step(words::DOES_CHECK)),
];

fn is_piped(seen: &Command<'_>) -> bool {
    seen.simple.piped
}

fn line(seen: &Command<'_>) -> Vec<String> {
    vec![seen.line()]
}

fn installs_something(seen: &Command<'_>) -> bool {
    installs(seen).is_some()
}

fn runs_nothing(seen: &Command<'_>) -> bool {
    seen.runs().is_empty()
}

/// True for sed without a script that changes a file, writes one, or runs something.
fn only_prints(seen: &Command<'_>) -> bool {
    runs_nothing(seen) && !seen.flag(&['i', 'f'], &["--in-place", "--file"])
}

fn fixes(seen: &Command<'_>) -> bool {
    seen.arguments.iter().any(|word| word.starts_with("--fix") || word == "--unsafe-fixes")
}

fn only_checks(seen: &Command<'_>) -> bool {
    seen.has(&["--check"])
}

/// True for `python -m`, whose first word is a module.
fn runs_module(seen: &Command<'_>) -> bool {
    seen.arguments.first().is_some_and(|flag| flag == "-m")
}

/// True for `node --test` without an option by which it loads something else.
fn runs_tests_of_node(seen: &Command<'_>) -> bool {
    const PLAIN: [&str; 6] =
        ["--test-name", "--test-only", "--test-skip", "--test-timeout", "--test-concurrency", "--watch"];
    let plain = |word: &&str| *word == "--test" || PLAIN.iter().any(|option| word.starts_with(option));
    let first = seen.arguments.first().is_some_and(|word| word == "--test");
    first && seen.arguments.iter().map(String::as_str).all(|word| !word.starts_with('-') || plain(&word))
}

/// What `rm` deletes, if all of it is known.
fn deleted(seen: &Command<'_>) -> Vec<String> {
    let all = deleted_paths(seen);
    let unknown = all.iter().any(|path| path.contains(['$', '`', '*', '?', '{']));
    let all = all.iter().filter(|_| !unknown);
    all.map(|path| for_people(path, seen.project)).collect()
}

/// The files that `chmod +x` is given.
fn made_executable(seen: &Command<'_>) -> Vec<String> {
    let mut operands = seen.operands();
    let plain = operands.next().is_some_and(|mode| ["+x", "a+x", "u+x", "ug+x"].contains(&mode));
    let recursive = seen.flag(&['R'], &["--recursive", "--reference"]);
    let files = operands.filter(|_| plain && !recursive);
    files.map(|file| for_people(&seen.resolve_path(file), seen.project)).collect()
}

/// The program that is run behind `npx` or `uv run`, unless options come before it.
fn program_behind(seen: &Command<'_>, verbs: &[&str]) -> Vec<String> {
    let all = seen.arguments.iter().map(String::as_str);
    let behind = all.clone().position(|word| verbs.contains(&word)).map_or(0, |at| at + 1);
    let mut words = all.skip(behind).skip_while(|word| ["-y", "--yes", "--bun", "--"].contains(word));
    words.next().filter(|word| !word.starts_with('-')).map(shortened).into_iter().collect()
}

/// The script of a package that is run.
fn script<'a>(seen: &Command<'a>) -> Option<&'a str> {
    let mut operands = seen.operands();
    match operands.next()? {
        "run" | "run-script" => operands.next(),
        name @ ("test" | "t" | "start") => Some(name),
        // They take a script's name for a command, where they have none of that name.
        name @ ("dev" | "lint" | "typecheck" | "format" | "fmt") if seen.program != "npm" => Some(name),
        "build" if ["pnpm", "yarn"].contains(&seen.program) => Some("build"),
        _ => None,
    }
}

/// True if a script is run that has one of these names, up to its first `:` or `-`.
fn runs_script(seen: &Command<'_>, names: &[&str]) -> bool {
    script(seen).and_then(|name| name.split([':', '-']).next()).is_some_and(|name| names.contains(&name))
}

/// The file that an interpreter is given first.
fn script_file(seen: &Command<'_>) -> Vec<String> {
    const ENDS: [&str; 8] = ["py", "js", "mjs", "cjs", "ts", "rb", "php", "sh"];
    let file = seen.arguments.first().filter(|word| !word.starts_with('-'));
    let file = file.filter(|file| file.rsplit_once('.').is_some_and(|(_, end)| ENDS.contains(&end)));
    file.map(|file| shortened(file)).into_iter().collect()
}

/// True if no setting of the line, and no folder that it names, changes what git does.
fn is_plain_git(seen: &Command<'_>) -> bool {
    let verb = seen.arguments.iter().find(|word| *word != "--no-pager");
    verb.is_some_and(|verb| !verb.starts_with('-')) && runs_nothing(seen)
}

/// True for `git branch -a`: it is given nothing but options by which it lists.
fn only_lists(seen: &Command<'_>) -> bool {
    const PLAIN: [&str; 8] = ["-a", "-r", "-v", "-vv", "--all", "--remotes", "--verbose", "--show-current"];
    const WITH_NAMES: [&str; 5] = ["-l", "--list", "--merged", "--no-merged", "--contains"];
    let named = seen.has(&WITH_NAMES) && !seen.starts_with(&["remote"]);
    let mut words = seen.arguments.iter().filter(|word| *word != "--no-pager").skip(1).map(String::as_str);
    let lists = |word| PLAIN.contains(&word) || WITH_NAMES.contains(&word) || named && !word.starts_with('-');
    is_plain_git(seen) && words.all(lists)
}

/// True for `git switch x` and `git checkout -b x`. What `git checkout x` does depends on the files.
fn enters_branch(seen: &Command<'_>) -> bool {
    let made = seen.starts_with(&["switch"]) || seen.has(&["-b"]);
    let lost = seen.flag(&['f', 'C', 'B'], &["--force", "--discard-changes", "--force-create"]);
    is_plain_git(seen) && made && !lost && seen.operands().count() > 1
}

/// True if curl only asks this machine for something.
fn asks_own_machine(seen: &Command<'_>) -> bool {
    const VALUED: [&str; 7] = ["-m", "--max-time", "--connect-timeout", "-w", "--write-out", "-H", "-o"];
    const PLAIN: [&str; 7] =
        ["--silent", "--show-error", "--fail", "--include", "--head", "--verbose", "--compressed"];
    let letters = |flags: &str| !flags.is_empty() && flags.chars().all(|flag| "sSfiIvkN".contains(flag));
    let mut words = seen.arguments.iter().map(String::as_str);
    let mut asked = false;
    while let Some(word) = words.next() {
        let fits = match word {
            "-X" | "--request" => words.next().is_some_and(|method| method == "GET" || method == "HEAD"),
            // A value may name a file to read or to write.
            word if VALUED.contains(&word) => {
                words.next().is_some_and(|value| !value.starts_with('@') && !value.contains("%output"))
            }
            word if word.starts_with('-') => {
                PLAIN.contains(&word) || word.strip_prefix('-').is_some_and(letters)
            }
            address => {
                asked = true;
                is_own_machine(address)
            }
        };
        if !fits {
            return false;
        }
    }
    asked
}
