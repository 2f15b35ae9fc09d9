//! Reads what a command, or a path in a permission request, may do harm with, as data; the warnings come from
//! one table of rules. Nothing is blocked, and the absence of a warning does not mean that something is safe.

mod code;
mod command;
mod effect;
mod fetched;
mod find;
mod folders;
mod git;
mod paths;
mod programs;
mod rules;
mod runs;
mod sed;
mod services;
pub mod shell;
pub mod summary;
mod taken;
mod variables;
mod wrappers;
mod written;

use std::collections::BTreeSet;
use std::ops::Range;

use crate::i18n::format::join_list;
use crate::text::hidden;
use crate::text::hidden::Segment;
use crate::text::review_marks::quoted;
use command::{Command, CommandRun};
pub use effect::Effect;
use folders::Folders;
pub use paths::{for_people, read_path, written_path};
use rules::COMMANDS;
use shell::{ShellReading, SimpleCommand};
pub use written::written_text;

/// How sure it is that something happens to the operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// The text says it.
    Stated,
    /// It depends on what is known only when it runs: a variable, a search, another command's output.
    Depends,
    /// The text could not be read there.
    Unread,
}

/// One thing that may do harm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Danger {
    /// What it does.
    pub effect: Effect,
    /// What it does it to: paths, or the command itself.
    pub operands: Vec<String>,
    /// The bytes of the text that say so.
    pub part: Range<usize>,
    /// How sure it is.
    pub certainty: Certainty,
}

impl Danger {
    /// What a tool deletes, if its name says that it deletes: `delete_repository`, `dropTable`.
    pub fn of_tool(name: &str) -> Option<Self> {
        let mut words = String::new();
        for ch in name.chars() {
            if ch.is_uppercase() {
                words.push(' ');
            }
            words.push(if ch.is_alphanumeric() { ch.to_ascii_lowercase() } else { ' ' });
        }
        let deletes = words.split(' ').any(|word| DELETES.contains(&word));
        let (effect, certainty) = (Effect::DeletesByName, Certainty::Stated);
        deletes.then(|| Self { effect, operands: vec![name.to_owned()], part: 0..name.len(), certainty })
    }

    fn of_path(effect: Effect, path: &str, project: Option<&str>) -> Self {
        let (operands, part) = (vec![paths::for_people(path, project)], 0..path.len());
        Self { effect, operands, part, certainty: Certainty::Stated }
    }
}

/// Words in the name of a tool that deletes.
const DELETES: [&str; 9] =
    ["delete", "deletes", "destroy", "drop", "purge", "wipe", "erase", "truncate", "terminate"];

/// A warning in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// See [`Effect::is_grave`].
    pub grave: bool,
    /// The text; text in backticks is code.
    pub words: String,
}

/// The warnings about dangers: one for each effect, which names everything that it is about.
pub fn warnings(dangers: &[Danger]) -> Vec<Warning> {
    let mut effects: Vec<Effect> = Vec::new();
    for danger in dangers {
        if !effects.contains(&danger.effect) {
            effects.push(danger.effect);
        }
    }
    let warning = |effect: Effect| {
        let mut before = BTreeSet::new();
        let alike = dangers.iter().filter(|danger| danger.effect == effect);
        // Of a command that runs what it fetches the address says most.
        let is_address = |operand: &String| operand.contains("://") && !operand.contains(' ');
        let operands = alike.flat_map(|danger| {
            let has_address = effect == Effect::FetchAndRun && danger.operands.iter().any(is_address);
            danger.operands.iter().filter(move |operand| !has_address || is_address(operand))
        });
        let operands = operands.filter(|operand| before.insert(*operand));
        let names: Vec<String> = operands.map(|operand| quoted(operand)).collect();
        let words = effect.word().with(&[("what", (&join_list(&names)).into())]);
        Warning { grave: effect.is_grave(), words }
    };
    effects.into_iter().map(warning).collect()
}

/// How deep commands that run commands are followed: `sudo sh -c "ssh x '…'"`.
const DEEPEST: usize = 6;
/// How many bytes of text that a command runs are read, besides the command itself.
const SCRIPTS: usize = 1 << 20;

/// The dangers of a command line. `project` is the project's folder, `folder` the one in which it runs.
pub fn of_command(text: &str, project: Option<&str>, folder: Option<&str>) -> Vec<Danger> {
    // Invisible characters must not keep a rule from matching.
    let mut seen = String::new();
    // Where each piece begins, in what is seen and in the text.
    let mut pieces = vec![(0, 0)];
    let mut at = 0;
    for segment in hidden::segments(text) {
        let length = match segment {
            Segment::Plain(run) => {
                seen.push_str(run);
                run.len()
            }
            Segment::Hidden { ch, .. } => {
                // In a terminal a carriage return ends a line as the key does; before a line break it does nothing.
                let blank = if ch == '\r' { '\n' } else { ' ' };
                seen.extend(ch.is_whitespace().then_some(blank));
                ch.len_utf8()
            }
        };
        at += length;
        pieces.push((seen.len(), at));
    }
    let mut judge = RiskAnalysis { project, found: Vec::new(), budget: SCRIPTS };
    let folder = folder.filter(|folder| Some(*folder) != project).unwrap_or_default();
    judge.text(&seen, &TextContext { folder: folder.to_owned(), ..TextContext::default() });
    let original = |at: usize| {
        let next = pieces.partition_point(|(seen, _)| *seen <= at).saturating_sub(1);
        pieces.get(next).map_or(at, |(seen, start)| start + (at - seen)).min(text.len())
    };
    for danger in &mut judge.found {
        danger.part = original(danger.part.start)..original(danger.part.end);
    }
    judge.found
}

/// Where a text stands that is judged.
#[derive(Default)]
struct TextContext {
    /// The folder that relative paths mean; empty for the project.
    folder: String,
    depth: usize,
    /// The part of the command line that the text stands for.
    part: Option<Range<usize>>,
    /// What its commands read: the text, if that is known, and whether it comes through a pipe.
    input: (Option<String>, bool),
}

struct RiskAnalysis<'a> {
    project: Option<&'a str>,
    found: Vec<Danger>,
    budget: usize,
}

impl RiskAnalysis<'_> {
    fn text(&mut self, text: &str, within: &TextContext) {
        let mut reading = shell::read(text);
        reading.feed(&within.input);
        for part in &reading.unread {
            self.unread(
                text.get(part.clone()).unwrap_or_default(),
                within.part.clone().unwrap_or(part.clone()),
            );
        }
        self.reading(&reading, within);
    }

    fn unread(&mut self, text: &str, part: Range<usize>) {
        let operands = vec![shortened(text.trim())];
        self.found.push(Danger { effect: Effect::Unread, operands, part, certainty: Certainty::Unread });
    }

    fn reading(&mut self, reading: &ShellReading, within: &TextContext) {
        let mut folders = Folders::new(&reading.parents, &within.folder);
        for (at, command) in reading.commands.iter().enumerate() {
            let before = reading.commands.get(..at).unwrap_or_default();
            let part = within.part.clone().unwrap_or_else(|| command.part.clone());
            let folder = folders.of(command.subshell);
            let seen = Command::new(command, before, self.project, &folder);
            for rule in &COMMANDS {
                let operands = (rule.finds)(&seen);
                if !operands.is_empty() {
                    let certainty = rule.certainty(&operands);
                    self.found.push(Danger { effect: rule.effect, operands, part: part.clone(), certainty });
                }
            }
            folders.enter(command.subshell, &seen);
            for run in seen.runs() {
                self.run(run, &seen, &folder, within.depth, &part);
            }
        }
    }

    fn run(&mut self, run: CommandRun, seen: &Command<'_>, folder: &str, depth: usize, part: &Range<usize>) {
        let length = run.length();
        let Some(budget) = self.budget.checked_sub(length).filter(|_| depth < DEEPEST) else {
            return self.unread(&seen.line(), part.clone());
        };
        self.budget = budget;
        // A command on another machine begins in a home folder there.
        let folder = if matches!(run, CommandRun::Remote(_)) { "~" } else { folder };
        let part = Some(part.clone());
        let mut within =
            TextContext { folder: folder.to_owned(), depth: depth + 1, part, ..TextContext::default() };
        match run {
            CommandRun::Script(script) | CommandRun::Remote(script) => {
                // A shell that reads its script has nothing else to read.
                within.input = seen
                    .input_of_runs()
                    .filter(|(input, _)| input.as_ref() != Some(&script))
                    .unwrap_or_default();
                self.text(&script, &within);
            }
            CommandRun::Words(words) => {
                let command = SimpleCommand { words, ..SimpleCommand::default() };
                let mut reading =
                    ShellReading { commands: vec![command], unread: Vec::new(), parents: vec![0] };
                reading.feed(&seen.input_of_runs().unwrap_or_default());
                self.reading(&reading, &within);
            }
        }
    }
}

/// A text of at most 60 characters.
fn shortened(text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}

#[cfg(test)]
mod tests;
