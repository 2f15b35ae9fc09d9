//! Warnings about a command or a path in a permission request, from one table of rules. Nothing is blocked,
//! and the absence of a warning does not mean that something is safe.

mod paths;
mod rules;
pub mod shell;

use crate::i18n::Word;
use crate::i18n::words::danger as words;
use crate::text::hidden;
use crate::text::hidden::Segment;
use crate::text::review_marks::quoted;
pub use paths::{read_path, written_path};
use rules::{COMMANDS, Rule};
use shell::{Simple, commands};

/// A warning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Danger {
    /// It may do harm that can't be undone, or give something away. Others only deserve a look.
    pub grave: bool,
    /// The text of the warning; text in backticks is code.
    pub words: String,
}

fn danger(grave: bool, word: Word, what: &str) -> Danger {
    Danger { grave, words: word.with(&[("what", (&quoted(what)).into())]) }
}

/// The warnings about a command line that runs in `cwd`. Each rule warns only once, about its first match.
pub fn of_command(text: &str, cwd: Option<&str>) -> Vec<Danger> {
    let mut found: Vec<(Word, Danger)> = Vec::new();
    // Invisible characters must not keep a rule from matching.
    let seen: String = hidden::segments(text)
        .into_iter()
        .map(|segment| match segment {
            Segment::Plain(run) => run.to_owned(),
            Segment::Hidden { ch, .. } if ch.is_whitespace() => " ".to_owned(),
            Segment::Hidden { .. } => String::new(),
        })
        .collect();
    let all = commands(&seen);
    let mut add = |rule: &Rule, what: String| {
        if !found.iter().any(|(word, _)| *word == rule.says) {
            found.push((rule.says, danger(rule.grave, rule.says, &what)));
        }
    };
    judge(&all, cwd, 0, &mut add);
    found.into_iter().map(|(_, danger)| danger).collect()
}

fn judge(all: &[Simple], cwd: Option<&str>, depth: usize, add: &mut dyn FnMut(&Rule, String)) {
    for (at, command) in all.iter().enumerate() {
        let before = all.get(..at).unwrap_or_default();
        let seen = Seen::new(command, before, cwd);
        for rule in &COMMANDS {
            if let Some(what) = (rule.finds)(&seen) {
                add(rule, what);
            }
        }
        // `bash -c '…'` runs its argument.
        if let Some(script) = seen.script().filter(|_| depth < 3) {
            judge(&commands(script), cwd, depth + 1, add);
        }
    }
}

/// A simple command, prepared for the rules.
struct Seen<'a> {
    command: &'a Simple,
    /// The commands before it on the line.
    before: &'a [Simple],
    cwd: Option<&'a str>,
    /// The programs in front that run it: `sudo`, `env`, …
    wrappers: Vec<&'a str>,
    /// The program's name without its folder.
    program: &'a str,
    arguments: &'a [String],
}

/// Programs that run the program named after them.
const WRAPPERS: [&str; 16] = [
    "sudo", "doas", "pkexec", "env", "nohup", "time", "command", "exec", "nice", "ionice", "xargs",
    "timeout", "setsid", "stdbuf", "builtin", "busybox",
];

/// Shell keywords that can stand before a command.
const GRAMMAR: [&str; 9] = ["if", "then", "else", "elif", "while", "until", "do", "!", "{"];

const SHELLS: [&str; 8] = ["sh", "bash", "zsh", "dash", "ksh", "fish", "pwsh", "powershell"];
const INTERPRETERS: [&str; 8] = ["python", "python3", "perl", "ruby", "node", "php", "deno", "lua"];

fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

impl<'a> Seen<'a> {
    fn new(command: &'a Simple, before: &'a [Simple], cwd: Option<&'a str>) -> Self {
        let mut wrappers = Vec::new();
        let mut words = command.words.as_slice();
        while let [first, rest @ ..] = words {
            let name = base(first);
            let assigns = first.split_once('=').is_some_and(|(name, _)| {
                !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            });
            if WRAPPERS.contains(&name) {
                wrappers.push(name);
            } else if !(assigns || GRAMMAR.contains(&name)
                // Flags and durations of the wrapper. Mistaking a flag's value for the program does no harm.
                || (!wrappers.is_empty()
                    && (first.starts_with('-') || first.starts_with(|c: char| c.is_ascii_digit()))))
            {
                return Self { command, before, cwd, wrappers, program: name, arguments: rest };
            }
            words = rest;
        }
        Self { command, before, cwd, wrappers, program: "", arguments: &[] }
    }

    fn is(&self, names: &[&str]) -> bool {
        names.contains(&self.program)
    }

    fn has(&self, arguments: &[&str]) -> bool {
        self.arguments.iter().any(|argument| arguments.contains(&argument.as_str()))
    }

    /// True if the first arguments that are not flags are these: `push` in `git -c x push`.
    fn starts_with(&self, words: &[&str]) -> bool {
        let mut before = "";
        let mut plain = self.arguments.iter().filter(|argument| {
            // `git -c name=value push`, `git -C folder push`
            let value = std::mem::replace(&mut before, argument).eq_ignore_ascii_case("-c");
            !value && !argument.starts_with('-')
        });
        words.iter().all(|word| plain.next().is_some_and(|argument| argument == word))
    }

    /// True if one of the letters is among the short flags, or one of the names is a long flag.
    fn flag(&self, letters: &[char], long: &[&str]) -> bool {
        self.arguments.iter().take_while(|argument| *argument != "--").any(|argument| {
            match argument.strip_prefix('-') {
                Some(short) if !short.starts_with('-') => short.contains(letters),
                _ => long.iter().any(|long| argument.split('=').next() == Some(long)),
            }
        })
    }

    /// Arguments that are not flags.
    fn operands(&self) -> impl Iterator<Item = &'a str> {
        self.arguments.iter().map(String::as_str).filter(|argument| !argument.starts_with('-'))
    }

    fn runs_code(&self) -> bool {
        self.is(&SHELLS) || self.is(&INTERPRETERS)
    }

    /// The script that a shell is given: the argument after `-c`.
    fn script(&self) -> Option<&'a str> {
        let command = |argument: &String| {
            argument.strip_prefix('-').is_some_and(|flags| !flags.starts_with('-') && flags.ends_with('c'))
        };
        let at = self.arguments.iter().position(command).filter(|_| self.is(&SHELLS))?;
        self.arguments.get(at + 1).map(String::as_str)
    }

    /// The program and its arguments, at most 60 characters.
    fn line(&self) -> String {
        let mut words = vec![self.program];
        words.extend(self.arguments.iter().map(String::as_str));
        let line = words.join(" ");
        let short: String = line.chars().take(60).collect();
        if short.len() < line.len() { format!("{short}…") } else { short }
    }
}

#[cfg(test)]
mod tests;
