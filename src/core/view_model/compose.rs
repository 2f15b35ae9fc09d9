//! The logic of the composer: slash commands, completion of commands and file mentions, and the history of
//! sent texts.

pub mod attachment;
pub mod command_result;
pub mod files;
pub mod model;

use serde_json::Value;

use crate::wire::fields::Fields;

/// Who executes a slash command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandKind {
    /// The runtime.
    Builtin,
    /// A skill.
    Skill,
    /// A client of the session.
    Client,
    /// The page around the element.
    Host,
}

/// A slash command of the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Its name without the slash.
    pub name: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// What it does.
    pub description: String,
    /// Who executes it.
    pub kind: CommandKind,
    /// A hint for its arguments.
    pub hint: String,
    /// The possible arguments, each with its description.
    pub choices: Vec<(String, String)>,
    /// It may run during a turn.
    pub any_time: bool,
}

impl Command {
    fn of(value: Value) -> Option<Self> {
        let mut fields = Fields::of(value);
        let mut input = fields.object("input");
        let choice = |value: Value| {
            let mut choice = Fields::of(value);
            Some((choice.non_empty_text("name")?, choice.text("description").unwrap_or_default()))
        };
        Some(Self {
            name: fields.non_empty_text("name")?,
            aliases: fields.texts("aliases"),
            description: fields.text("description").unwrap_or_default(),
            kind: match fields.non_empty_text("kind").as_deref() {
                Some("client") => CommandKind::Client,
                Some("skill") => CommandKind::Skill,
                _ => CommandKind::Builtin,
            },
            hint: input.text("hint").unwrap_or_default(),
            choices: input.list("choices").into_iter().filter_map(choice).collect(),
            any_time: fields.flag("allowDuringAgentExecution").unwrap_or(false),
        })
    }

    /// Reads the answer to `session.commands.list`.
    pub fn list(answer: Value) -> Vec<Self> {
        Fields::of(answer).list("commands").into_iter().filter_map(Self::of).collect()
    }

    fn has_name(&self, name: &str) -> bool {
        let same = |own: &String| own.eq_ignore_ascii_case(name);
        same(&self.name) || self.aliases.iter().any(same)
    }
}

/// Puts messages back into the composer, before its text and with blank lines between them.
pub fn put_before(messages: &[String], field: &str) -> String {
    let messages = messages.iter().map(|text| text.trim_end());
    let parts = messages.chain([field]).filter(|part| !part.trim().is_empty());
    parts.collect::<Vec<_>>().join("\n\n")
}

/// Splits a text that begins like a slash command into the command's name and its arguments.
pub fn slash(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix('/')?;
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let (name, input) = rest.split_at_checked(end)?;
    // A path is not a command.
    (!name.is_empty() && !name.contains('/')).then(|| (name, input.trim()))
}

/// The command in a text, with its arguments; none if the text is a message.
pub fn command_of<'a, 'b>(text: &'a str, commands: &'b [Command]) -> Option<(&'b Command, &'a str)> {
    let (name, input) = slash(text.trim_start())?;
    Some((commands.iter().find(|command| command.has_name(name))?, input))
}

/// A completion for the text that is being typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The text to insert.
    pub insert: String,
    /// The text to show in the list.
    pub label: String,
    /// Its description.
    pub tells: String,
    /// The range of the text that it replaces, in UTF-16 units.
    pub range: (usize, usize),
    /// It is complete when chosen: nothing more has to be typed.
    pub whole: bool,
}

/// Maximum number of proposals.
const MAX_PROPOSALS: usize = 50;

/// The commands that match the typed text, or the arguments of the command in it; the cursor is in UTF-16
/// units.
pub fn commands_for(text: &str, cursor: usize, commands: &[Command]) -> Vec<Proposal> {
    let before = text_before(text, cursor);
    let Some(rest) = before.strip_prefix('/') else { return Vec::new() };
    if rest.contains('\n') {
        return Vec::new();
    }
    match rest.split_once(' ') {
        None => {
            let mut found: Vec<(u8, &Command)> = commands
                .iter()
                .filter_map(|command| {
                    let names = std::iter::once(&command.name).chain(&command.aliases);
                    Some((names.filter_map(|name| rank(name, rest)).min()?, command))
                })
                .collect();
            found.sort_by_key(|(rank, _)| *rank);
            let proposal = |(_, command): (u8, &Command)| {
                let more = !command.hint.is_empty() || !command.choices.is_empty();
                let hint = if command.hint.is_empty() { String::new() } else { format!(" {}", command.hint) };
                Proposal {
                    insert: format!("/{}{}", command.name, if more { " " } else { "" }),
                    label: format!("/{}{hint}", command.name),
                    tells: command.description.clone(),
                    range: (0, cursor),
                    whole: !more,
                }
            };
            found.into_iter().take(MAX_PROPOSALS).map(proposal).collect()
        }
        Some((name, typed)) => {
            let Some(command) = commands.iter().find(|command| command.has_name(name)) else {
                return Vec::new();
            };
            let start = units(name) + 2;
            let fits = command.choices.iter().filter(|(choice, _)| starts(choice, typed) && choice != typed);
            fits.map(|(choice, tells)| Proposal {
                insert: choice.clone(),
                label: choice.clone(),
                tells: tells.clone(),
                range: (start, cursor),
                whole: true,
            })
            .collect()
        }
    }
}

/// Reads the answer to `session.completions.request`. `start` and `cursor` are the range of the word that is
/// being typed, for items without a range of their own.
pub fn completions(answer: Value, start: usize, cursor: usize) -> Vec<Proposal> {
    let place = |at: Option<i64>, or: usize| at.and_then(|at| usize::try_from(at).ok()).unwrap_or(or);
    let proposal = |value: Value| {
        let mut fields = Fields::of(value);
        let insert = fields.non_empty_text("insertText")?;
        Some(Proposal {
            label: fields.non_empty_text("label").unwrap_or_else(|| insert.clone()),
            tells: String::new(),
            range: (place(fields.integer("rangeStart"), start), place(fields.integer("rangeEnd"), cursor)),
            insert,
            whole: true,
        })
    };
    Fields::of(answer).list("items").into_iter().filter_map(proposal).take(MAX_PROPOSALS).collect()
}

/// The word before the cursor if it begins with one of these signs: its start in UTF-16 units, and its text
/// without the sign.
pub fn mention(text: &str, cursor: usize, signs: &[String]) -> Option<(usize, String)> {
    let before = text_before(text, cursor);
    let from = before
        .rfind(char::is_whitespace)
        .map_or(0, |at| at + before.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8));
    let word = before.get(from..)?;
    let rest =
        signs.iter().filter(|sign| !sign.is_empty()).find_map(|sign| word.strip_prefix(sign.as_str()))?;
    Some((units(before.get(..from)?), rest.to_owned()))
}

/// Replaces a range of a text, and returns the new text and cursor. Positions are in UTF-16 units.
pub fn splice(text: &str, (start, end): (usize, usize), insert: &str) -> (String, usize) {
    let (head, tail) =
        (text_before(text, start), text.get(text_before(text, end).len()..).unwrap_or_default());
    (format!("{head}{insert}{tail}"), units(head) + units(insert))
}

/// Length in UTF-16 units, which is how text fields count.
fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// The text before a position in UTF-16 units.
fn text_before(text: &str, place: usize) -> &str {
    let mut seen = 0;
    let end = text.char_indices().find(|(_, letter)| {
        let here = seen;
        seen += letter.len_utf16();
        here >= place
    });
    end.and_then(|(at, _)| text.get(..at)).unwrap_or(text)
}

fn starts(name: &str, typed: &str) -> bool {
    name.get(..typed.len()).is_some_and(|head| head.eq_ignore_ascii_case(typed))
}

/// How well a name matches the typed text, 0 being best; none if it does not match.
fn rank(name: &str, typed: &str) -> Option<u8> {
    let (name, typed) = (name.to_lowercase(), typed.to_lowercase());
    if name == typed {
        return Some(0);
    }
    if name.starts_with(&typed) {
        return Some(1);
    }
    if name.contains(&typed) {
        return Some(2);
    }
    let mut letters = name.chars();
    (typed.chars().count() > 1 && typed.chars().all(|wanted| letters.any(|letter| letter == wanted)))
        .then_some(3)
}

/// Maximum number of remembered texts.
const REMEMBERED: usize = 50;

/// The history of sent texts, browsed from the newest back. The draft stays while browsing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SentHistory {
    sent: Vec<String>,
    place: Option<usize>,
    writing: String,
}

impl SentHistory {
    /// A history of these texts, oldest first.
    pub fn new(sent: Vec<String>) -> Self {
        Self { sent, ..Self::default() }
    }

    /// All remembered texts, oldest first.
    pub fn sent(&self) -> &[String] {
        &self.sent
    }

    /// Adds a text as the newest, and stops browsing.
    pub fn remember(&mut self, text: &str) {
        self.place = None;
        if text.trim().is_empty() {
            return;
        }
        self.sent.retain(|old| old != text);
        self.sent.push(text.to_owned());
        let over = self.sent.len().saturating_sub(REMEMBERED);
        self.sent.drain(..over);
    }

    /// The next older text; `shown` is the text in the composer. None if there is no older one.
    pub fn older(&mut self, shown: &str) -> Option<String> {
        let from = self.shown_index(shown);
        if from == self.sent.len() {
            shown.clone_into(&mut self.writing);
        }
        let place = from.checked_sub(1)?;
        self.place = Some(place);
        self.sent.get(place).cloned()
    }

    /// The next newer text, and after the newest the draft. None if no older text is shown.
    pub fn newer(&mut self, shown: &str) -> Option<String> {
        let next = self.shown_index(shown) + 1;
        if next > self.sent.len() {
            return None;
        }
        self.place = Some(next);
        Some(self.sent.get(next).cloned().unwrap_or_else(|| std::mem::take(&mut self.writing)))
    }

    /// The index of the text that is shown. Once a person edits it, it counts as a new draft.
    fn shown_index(&self, shown: &str) -> usize {
        let place = self.place.filter(|place| self.sent.get(*place).is_some_and(|old| old == shown));
        place.unwrap_or(self.sent.len())
    }
}

#[cfg(test)]
mod tests;
