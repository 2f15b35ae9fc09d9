//! The names that a command line itself defines: variables, functions, aliases.

use std::collections::HashMap;
use std::ops::Range;

/// A call of a function, an alias, `eval` or `trap`.
pub(super) struct ScopeCall {
    pub name: String,
    pub body: String,
    /// The commands that were read from the definition.
    pub read: Range<usize>,
    /// `None` for all but functions, which alone have parameters of their own.
    pub arguments: Option<Vec<String>>,
}

/// A function that the text defines.
pub(super) struct Function {
    pub body: String,
    /// The commands that were read from it.
    pub read: Range<usize>,
}

/// What names mean at one place of the text.
pub(super) struct ShellNames {
    variables: HashMap<String, String>,
    pub functions: HashMap<String, Function>,
    aliases: HashMap<String, String>,
    /// How many bytes may still come from names. A name that is used in its own value ends there.
    budget: usize,
    /// What is being called, from the outside to the inside.
    running: Vec<String>,
}

/// Where values are split.
pub(super) const BLANKS: &str = " \t\n";
/// The longest value that is put in a variable's place.
const LONGEST: usize = 4096;
/// How deep calls may be nested.
const DEEPEST: usize = 8;

/// The name and the value of `NAME=value` and `NAME+=value`.
fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    let valid = !name.is_empty()
        && !name.starts_with(|ch: char| ch.is_ascii_digit())
        && name.chars().all(|ch| ch.is_ascii_alphanumeric() || ch == '_');
    valid.then_some((name, value))
}

/// True for `NAME=value`.
pub(in super::super) fn is_assignment(word: &str) -> bool {
    assignment(word).is_some()
}

/// True for a command that sets variables: `export NAME=value`.
pub(super) fn declares(words: &[String]) -> bool {
    words
        .first()
        .is_some_and(|word| ["export", "declare", "local", "readonly", "typeset"].contains(&word.as_str()))
}

/// The text that `eval` or `trap` runs in this very shell, with its variables.
fn evaluated_text(name: &str, rest: &[String]) -> Option<String> {
    match name {
        "eval" => Some(rest.join(" ")),
        // These read the index of an array as arithmetic, and what is to run in it.
        "printf" | "read" | "unset" | "test" | "[" | "-v" | "let" | "mapfile" | "readarray" | "wait"
            if rest.iter().any(|word| runs_in_index(word)) =>
        {
            let indices: Vec<&str> =
                rest.iter().map(String::as_str).filter(|word| runs_in_index(word)).collect();
            Some(format!(": \"{}\"", indices.join(" ")))
        }
        "trap" => {
            let mut operands = rest.iter().filter(|word| !word.starts_with('-'));
            let text = operands.next()?;
            operands.next().map(|_| text.clone())
        }
        _ => None,
    }
}

fn runs_in_index(word: &str) -> bool {
    word.contains("[$(") || word.contains("[`")
}

impl ShellNames {
    pub fn new(budget: usize) -> Self {
        let blank = HashMap::from([("IFS".to_owned(), " ".to_owned())]);
        Self {
            variables: blank,
            functions: HashMap::new(),
            aliases: HashMap::new(),
            budget,
            running: Vec::new(),
        }
    }

    /// The value of a variable, if the text sets it.
    pub fn value(&mut self, name: &str) -> Option<String> {
        let value = self.variables.get(name)?.clone();
        self.use_budget(value.len())?;
        Some(value)
    }

    /// The characters at which values are split.
    pub fn separators(&self) -> &str {
        let own = self.variables.get("IFS").filter(|own| *own != " ");
        own.map_or(BLANKS, String::as_str)
    }

    /// Takes the length of a text from what names may still give.
    pub fn use_budget(&mut self, length: usize) -> Option<()> {
        self.budget = self.budget.checked_sub(length)?;
        Some(())
    }

    fn set(&mut self, name: &str, value: String) {
        if value.len() <= LONGEST {
            self.variables.insert(name.to_owned(), value);
        } else {
            self.variables.remove(name);
        }
    }

    /// Takes note of what a command assigns.
    pub fn assign(&mut self, words: &[String]) {
        if words.first().is_some_and(|word| word == "alias") {
            let pairs = words.iter().skip(1).filter_map(|word| word.split_once('='));
            for (name, value) in pairs.filter(|(_, value)| value.len() <= LONGEST) {
                self.aliases.insert(name.to_owned(), value.to_owned());
            }
        } else if words.first().is_some_and(|word| word == "shift") {
            self.variables
                .retain(|name, _| !name.starts_with(|ch: char| ch.is_ascii_digit() || "@*".contains(ch)));
        } else if declares(words) || words.iter().all(|word| is_assignment(word)) {
            for word in words {
                if let Some((name, value)) = assignment(word) {
                    let more = word.split('=').next().is_some_and(|name| name.ends_with('+'));
                    let before = if more { self.variables.get(name).cloned() } else { None };
                    self.set(name, before.unwrap_or_default() + value);
                }
            }
        }
    }

    /// Takes note of `NAME in words`, of which the variable has each.
    pub fn set_loop(&mut self, words: &[String]) {
        if let [name, is, values @ ..] = words
            && is == "in"
        {
            self.set(name, values.join(" "));
        }
    }

    /// What a command calls: a function, an alias, or a text that this shell runs; an error if that goes too far.
    pub fn called_code(&mut self, words: &[String]) -> Option<Result<ScopeCall, ()>> {
        let plain = words.iter().position(|word| !["command", "builtin"].contains(&word.as_str()))?;
        let (name, rest) = words.get(plain..)?.split_first()?;
        let call = if let Some(text) = evaluated_text(name, rest) {
            ScopeCall { name: name.clone(), body: text, read: 0..0, arguments: None }
        } else if let Some(function) = self.functions.get(name) {
            // A function that calls itself with what only a run shows does again what has been read.
            let running = self.running.iter().filter(|running| *running == name).count();
            if running > 1 && !rest.is_empty() && rest.iter().all(|word| word.contains(['$', '*', '`'])) {
                return None;
            }
            let (body, read) = (function.body.clone(), function.read.clone());
            ScopeCall { name: name.clone(), body, read, arguments: Some(rest.to_vec()) }
        } else {
            let alias = self.aliases.get(name).filter(|alias| alias.split(' ').next() != Some(name))?;
            let quoted = rest.iter().map(|word| format!(" '{}'", word.replace('\'', r"'\''")));
            ScopeCall {
                name: name.clone(),
                body: alias.clone() + &quoted.collect::<String>(),
                read: 0..0,
                arguments: None,
            }
        };
        let budget = self.budget.checked_sub(call.body.len() + 16).filter(|_| self.running.len() < DEEPEST);
        Some(budget.map(|budget| self.budget = budget).map(|()| call).ok_or(()))
    }

    /// Begins a call; the parameters of the outer one are handed back.
    pub fn enter(&mut self, call: ScopeCall) -> Option<Vec<(String, Option<String>)>> {
        self.running.push(call.name);
        let arguments = call.arguments?;
        let all = arguments.join(" ");
        let mut new: Vec<_> =
            arguments.into_iter().enumerate().map(|(nth, word)| ((nth + 1).to_string(), word)).collect();
        new.extend([("@".to_owned(), all.clone()), ("*".to_owned(), all)]);
        let outer = new.iter().map(|(name, _)| (name.clone(), self.variables.get(name).cloned())).collect();
        for (name, value) in new {
            self.set(&name, value);
        }
        Some(outer)
    }

    /// Ends a call.
    pub fn leave(&mut self, outer: Option<Vec<(String, Option<String>)>>) {
        self.running.pop();
        for (name, value) in outer.unwrap_or_default() {
            match value {
                Some(value) => self.variables.insert(name, value),
                None => self.variables.remove(&name),
            };
        }
    }
}
