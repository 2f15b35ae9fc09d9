//! A simple command, prepared for the rules: its program behind `sudo` or `xargs`, its options, its texts.

use super::paths::join;
use super::shell::SimpleCommand;
use super::shortened;
use super::wrappers::{WRAPPERS, Wrapper, takes_next};

/// A command, prepared for the rules.
pub(super) struct Command<'a> {
    /// The command as the shell reads it.
    pub simple: &'a SimpleCommand,
    /// The commands before it on the line.
    pub before: &'a [SimpleCommand],
    pub project: Option<&'a str>,
    folder: &'a str,
    /// The programs in front that run it: `sudo`, `env`, …
    pub wrappers: Vec<&'a str>,
    /// The program as it is written.
    pub word: &'a str,
    /// The program's name without its folder.
    pub program: &'a str,
    pub arguments: &'a [String],
    /// A script that a wrapper takes: `env -S '…'`.
    pub wrapped_script: Option<&'a str>,
}

/// Something that a command runs.
pub(super) enum CommandRun {
    /// Text that a shell reads.
    Script(String),
    /// Text that a shell on another machine reads.
    Remote(String),
    /// A command with its arguments.
    Words(Vec<String>),
}

impl CommandRun {
    pub fn length(&self) -> usize {
        match self {
            Self::Script(text) | Self::Remote(text) => text.len(),
            Self::Words(words) => words.iter().map(|word| word.len() + 1).sum(),
        }
    }
}

/// Names without the digits of a version.
const SHELLS: [&str; 17] = [
    "sh",
    "bash",
    "zsh",
    "dash",
    "ash",
    "ksh",
    "mksh",
    "rbash",
    "yash",
    "fish",
    "xonsh",
    "nu",
    "csh",
    "tcsh",
    "pwsh",
    "powershell",
    "powershell.exe",
];
const INTERPRETERS: [&str; 20] = [
    "python",
    "pypy",
    "ipython",
    "perl",
    "ruby",
    "node",
    "php",
    "deno",
    "lua",
    "luajit",
    "osascript",
    "bun",
    "tsx",
    "ts-node",
    "R",
    "Rscript",
    "julia",
    "octave",
    "elixir",
    "groovy",
];
/// How many commands before it are searched for a file that a command runs.
pub(super) const FILES: usize = 32;
/// Files that are the standard input.
const STANDARD_INPUT: [&str; 3] = ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

pub(super) fn base_name(word: &str) -> &str {
    word.rsplit(['/', '\\']).next().unwrap_or(word)
}

impl<'a> Command<'a> {
    pub fn new(
        simple: &'a SimpleCommand,
        before: &'a [SimpleCommand],
        project: Option<&'a str>,
        folder: &'a str,
    ) -> Self {
        let mut new = Self {
            simple,
            before,
            project,
            folder,
            wrappers: Vec::new(),
            word: "",
            program: "",
            arguments: &[],
            wrapped_script: None,
        };
        let mut words = simple.words.as_slice();
        while let [first, rest @ ..] = words {
            let name = base_name(first);
            if super::shell::is_assignment(first) {
                words = rest;
                continue;
            }
            let wrapper = WRAPPERS.iter().find(|wrapper| wrapper.names.contains(&name));
            let looks_up = name == "command" && rest.first().is_some_and(|word| word == "-v" || word == "-V");
            let Some(wrapper) = wrapper.filter(|_| !looks_up) else {
                (new.word, new.program, new.arguments) = (first, name, rest);
                break;
            };
            new.wrappers.push(name);
            words = new.words_after_options(wrapper, rest);
        }
        new
    }

    /// The words behind a wrapper's options.
    fn words_after_options(&mut self, wrapper: &Wrapper, mut words: &'a [String]) -> &'a [String] {
        while let [first, rest @ ..] = words {
            if first == "--" {
                words = rest;
                break;
            }
            let assigns = super::shell::is_assignment(first);
            if !assigns && !first.starts_with('-') {
                break;
            }
            let splits = wrapper.names.contains(&"env");
            // `-iS`: what other letters say does not matter.
            let short = || first.trim_start_matches(['-', 'i', 'v', '0']).strip_prefix('S');
            let long = || first.strip_prefix("--split-string").map(|rest| rest.trim_start_matches('='));
            if splits
                && !assigns
                && let Some(script) = long().or_else(short)
            {
                self.wrapped_script =
                    Some(script).filter(|script| !script.is_empty()).or(rest.first().map(String::as_str));
            }
            let valued = takes_next(first, wrapper.valued);
            words = if valued { rest.get(1..).unwrap_or_default() } else { rest };
        }
        words.get(wrapper.skips..).unwrap_or_default()
    }

    pub fn is(&self, names: &[&str]) -> bool {
        // Windows does not tell capitals from small letters, nor does macOS where it looks for programs.
        names.iter().any(|name| name.eq_ignore_ascii_case(self.program))
    }

    pub fn has(&self, arguments: &[&str]) -> bool {
        self.arguments.iter().any(|argument| arguments.contains(&argument.as_str()))
    }

    /// True if the first arguments that are not flags are these: `push` in `git -c x push`.
    pub fn starts_with(&self, words: &[&str]) -> bool {
        // Options in front of the first word that take the next one as their value.
        let valued: &[&str] = match self.program {
            "git" => &["-c", "-C", "--git-dir", "--work-tree", "--namespace"],
            "docker" | "podman" | "docker-compose" | "kubectl" | "oc" | "helm" | "aws" | "gcloud" => &[
                "-f",
                "-n",
                "-p",
                "-H",
                "-s",
                "--file",
                "--namespace",
                "--context",
                "--project-name",
                "--profile",
                "--env-file",
                "--kubeconfig",
                "--host",
                "--region",
                "--project",
            ],
            "npm" | "pnpm" | "yarn" | "bun" => &["--prefix", "-C", "--dir", "--cwd", "-w", "-F", "--filter"],
            _ => &[],
        };
        let mut before = "";
        let mut plain = self.arguments.iter().filter(|argument| {
            let before = std::mem::replace(&mut before, argument);
            !valued.contains(&before) && !argument.starts_with('-')
        });
        words.iter().all(|word| plain.next().is_some_and(|argument| argument == word))
    }

    /// True if one of the letters is among the short flags, or one of the names is a long flag.
    pub fn flag(&self, letters: &[char], long: &[&str]) -> bool {
        self.arguments.iter().take_while(|argument| *argument != "--").any(|argument| {
            match argument.strip_prefix('-') {
                Some(short) if !short.starts_with('-') => short.contains(letters),
                _ => long.iter().any(|long| argument.split('=').next() == Some(long)),
            }
        })
    }

    /// The values of options: `-o x`, `-ox`, `--option x`, `--option=x`.
    pub fn values(&self, options: &[&str]) -> Vec<&'a str> {
        let mut values = Vec::new();
        for (at, word) in self.arguments.iter().enumerate() {
            for option in options {
                let Some(rest) = word.strip_prefix(option) else { continue };
                if rest.is_empty() {
                    values.extend(self.arguments.get(at + 1).map(String::as_str));
                } else if let Some(value) = rest.strip_prefix('=') {
                    values.push(value);
                } else if option.len() <= 2 {
                    values.push(rest);
                }
            }
        }
        values
    }

    /// The texts that the command is given: its arguments, and its standard input as far as that is known.
    pub fn texts(&self) -> impl Iterator<Item = String> {
        let input = self.simple.input.clone().or_else(|| self.piped_text());
        self.arguments.iter().cloned().chain(input)
    }

    /// Arguments that are not flags.
    pub fn operands(&self) -> impl Iterator<Item = &'a str> {
        self.arguments.iter().map(String::as_str).filter(|argument| !argument.starts_with('-'))
    }

    /// Arguments that are not flags; `-` alone, and all behind `--`, are none.
    pub fn targets(&self) -> impl Iterator<Item = &'a str> {
        let mut all = false;
        self.arguments.iter().map(String::as_str).filter(move |argument| {
            let ends = !all && *argument == "--";
            all |= ends;
            !ends && (all || *argument == "-" || !argument.starts_with('-'))
        })
    }

    /// A path as it is meant where the command runs.
    pub fn resolve_path(&self, path: &str) -> String {
        join(self.folder, path)
    }

    /// The program without the digits of a version: `python` for `python3.12`.
    pub fn family(&self) -> &'a str {
        self.program.trim_end_matches(|ch: char| ch.is_ascii_digit() || ch == '.')
    }

    pub fn is_shell(&self) -> bool {
        SHELLS.contains(&self.family())
    }

    pub fn runs_code(&self) -> bool {
        self.is_shell() || INTERPRETERS.contains(&self.family())
    }

    /// True for `xargs sh -c '{}'`: each line that it reads is a script.
    pub fn runs_lines(&self) -> bool {
        let begins = |script: &str| {
            let marks = [self.placeholder().unwrap_or("{}"), "$0", "$1", "$@", "eval "];
            marks.iter().any(|mark| script.trim_start_matches(['"', ' ']).starts_with(mark))
        };
        let reads = ["xargs", "gxargs", "parallel"].iter().any(|name| self.wrappers.contains(name));
        reads
            && self.is_shell()
            && self.has(&["-c"])
            && self.script().is_none_or(|(script, _)| begins(script))
    }

    /// True if it is given its standard input as a file.
    pub fn names_input(&self) -> bool {
        self.has(&STANDARD_INPUT)
    }

    /// The script that a shell is given, and the words behind it.
    pub fn script(&self) -> Option<(&'a str, &'a [String])> {
        let command = |argument: &String| {
            argument
                .strip_prefix(['-', '+'])
                .is_some_and(|flags| !flags.starts_with('-') && flags.contains('c'))
        };
        let at = self.arguments.iter().position(command).filter(|_| self.is_shell())?;
        let rest = self.arguments.get(at + 1..)?;
        // `bash -c -e '…'`
        let script = rest.iter().position(|word| !word.starts_with('-'))?;
        Some((rest.get(script)?, rest.get(script + 1..)?))
    }

    /// What PowerShell is given to run: all that follows `-Command`, which may be shortened.
    pub fn powershell_script(&self) -> Option<String> {
        let is_command = |argument: &String| {
            let flag = argument.strip_prefix(['-', '/']).unwrap_or_default().to_ascii_lowercase();
            !flag.is_empty() && "command".starts_with(&flag)
        };
        let is_powershell = self.family().starts_with("pwsh") || self.family().starts_with("powershell");
        let at = self.arguments.iter().position(is_command).filter(|_| is_powershell)?;
        Some(self.arguments.get(at + 1..)?.join(" "))
    }

    /// The program and its arguments, at most 60 characters.
    pub fn line(&self) -> String {
        let mut words = vec![self.program];
        // No more than is shown.
        words.extend(self.arguments.iter().take(60).map(String::as_str));
        shortened(&words.join(" "))
    }

    /// The text that the command reads from its standard input, if it stands in the command line.
    pub fn input(&self) -> Option<String> {
        if let Some(input) = &self.simple.input {
            return Some(input.clone());
        }
        if let Some(text) = self.piped_text() {
            return Some(text);
        }
        let before = self.before.iter().rev().find(|command| !command.inner).filter(|_| self.simple.piped)?;
        let before = Command::new(before, &[], None, "");
        match before.program {
            "cat" | "tee" | "sed" | "tr" | "envsubst" => before.simple.input.clone(),
            "echo" => Some(before.arguments.join(" ")),
            "printf" => Some(before.operands().collect::<Vec<_>>().join("\n").replace("\\n", "\n")),
            _ => None,
        }
    }

    /// What the commands read that it runs; `xargs` keeps its input to itself.
    pub fn input_of_runs(&self) -> Option<(Option<String>, bool)> {
        let own = self.wrappers.iter().any(|name| ["xargs", "gxargs", "parallel"].contains(name));
        (!own).then(|| (self.input(), self.simple.piped))
    }

    /// What the command reads through a pipe from one other command, if the text says it.
    pub fn piped_text(&self) -> Option<String> {
        self.before.get(self.simple.source?)?.printed()
    }

    /// The name of the file that the command runs: its script, or the program itself.
    pub fn file_run(&self) -> Option<&'a str> {
        let file = if self.runs_code() || self.is(&["source", "."]) {
            self.operands().next().map(base_name)
        } else {
            Some(self.program)
        };
        file.filter(|file| !file.is_empty())
    }

    /// True if the text says all that the command reads, so that it is read itself.
    pub fn input_is_known(&self) -> bool {
        self.simple.input.is_some() || self.piped_text().is_some()
    }

    /// True for a shell or an interpreter that is given no script and so reads its standard input.
    pub fn reads_input(&self) -> bool {
        let mut operands = self.operands().filter(|word| !word.is_empty());
        match operands.next() {
            None => true,
            Some(word) if STANDARD_INPUT.contains(&word) => true,
            Some(_) => {
                self.has(&["-s", "-"]) || self.arguments.iter().any(|word| word == "-es" || word == "-xs")
            }
        }
    }

    /// In whose place `xargs -I` puts what it reads.
    pub fn placeholder(&self) -> Option<&'a str> {
        let mut words = self.simple.words.iter().skip_while(|word| !base_name(word).ends_with("xargs"));
        let rest = words.find_map(|word| word.strip_prefix("-I").or(word.strip_prefix("--replace=")))?;
        if rest.is_empty() { words.next().map(String::as_str) } else { Some(rest) }
            .filter(|mark| !mark.is_empty())
    }

    pub fn operands_behind(&self, words: &[&str]) -> Vec<String> {
        let at = self.arguments.iter().position(|word| words.contains(&word.as_str()));
        let rest = at.and_then(|at| self.arguments.get(at + 1..)).unwrap_or_default();
        rest.iter().skip_while(|word| word.starts_with('-')).cloned().collect()
    }
}

/// A word in quotes, as a shell reads it.
pub(super) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
