//! Reads one word: its quotes, and the expansions in it.

use super::scope::{BLANKS, is_assignment};
use super::{ListEnd, ShellReader};

/// A word as it was read.
#[derive(Debug, Default)]
pub(super) struct ParsedWord {
    /// What it becomes: mostly one word, several if an expansion is split, none if it is empty.
    pub fields: Vec<String>,
    /// A part of it is quoted.
    pub quoted: bool,
    word: String,
    begun: bool,
}

impl ParsedWord {
    fn add(&mut self, text: &str) {
        self.begun = true;
        self.word.push_str(text);
    }

    fn end_field(&mut self) {
        if std::mem::take(&mut self.begun) {
            self.fields.push(std::mem::take(&mut self.word));
        }
    }

    /// Adds a value that is split at its blanks, or where `IFS` says.
    fn split(&mut self, value: &str, separators: &str) {
        for (nth, field) in value.split(|ch| separators.contains(ch)).enumerate() {
            if nth > 0 {
                self.end_field();
            }
            if !field.is_empty() {
                self.add(field);
            }
        }
    }
}

/// How many words braces may become.
const BRACES: usize = 256;
/// The longest word whose braces are read.
const LONGEST: usize = 1024;

impl ShellReader<'_, '_> {
    /// Reads one word. In an assignment nothing is split.
    pub(super) fn word(&mut self, may_assign: bool) -> ParsedWord {
        let mut piece = ParsedWord::default();
        let (mut braces, mut assigns) = (false, false);
        while let Some(ch) = self.peek() {
            match ch {
                ' ' | '\t' | '\n' | ';' | '|' | '&' | ')' => break,
                '\r' if self.rest().get(1..).is_none_or(|rest| rest.is_empty() || rest.starts_with('\n')) => {
                    break;
                }
                '<' | '>' if self.rest().get(1..).is_some_and(|rest| rest.starts_with('(')) => {
                    let start = self.at;
                    self.at += 2;
                    // The commands of `>(…)` read what is written to it.
                    self.inputs.push(ch == '>');
                    self.substitution();
                    self.inputs.pop();
                    piece.add(self.text.get(start..self.at).unwrap_or_default());
                }
                '<' | '>' => {
                    // In `2>` the number is not a word, and neither is the name in `{log}>`.
                    let number = piece.word.bytes().all(|byte| byte.is_ascii_digit())
                        || (piece.word.starts_with('{') && piece.word.ends_with('}'));
                    if number && !piece.quoted && piece.fields.is_empty() {
                        return ParsedWord::default();
                    }
                    break;
                }
                '(' => {
                    if assigns && piece.word.ends_with('=') {
                        self.take();
                        self.array(&mut piece);
                    } else if piece.word.ends_with(['?', '*', '+', '@', '!']) {
                        self.extended_pattern(&mut piece);
                    } else {
                        break;
                    }
                }
                '\'' => {
                    let from = self.at;
                    self.take();
                    let rest = self.rest();
                    let end = rest.find('\'');
                    if end.is_none() {
                        self.fail(from);
                    }
                    piece.add(rest.get(..end.unwrap_or(rest.len())).unwrap_or_default());
                    piece.quoted = true;
                    self.at += end.map_or(rest.len(), |end| end + 1);
                }
                '"' => {
                    self.take();
                    piece.quoted = true;
                    // All parameters stay words of their own.
                    let all = self.starts("$@\"")
                        || self.starts("${@}\"")
                        || (self.starts("${") && self.ends_list());
                    let text = self.read_expanded(Some('"'));
                    if all && !text.starts_with('$') {
                        piece.split(&text, BLANKS);
                    } else {
                        piece.add(&text);
                    }
                }
                // In `C:\Users` it separates folders.
                '\\' if begins_with_drive(&piece.word) && !self.starts("\\\n") => {
                    self.take();
                    piece.add("\\");
                }
                '\\' => {
                    self.take();
                    let continued = self.skip("\n") || self.skip("\r\n");
                    if let Some(next) = Some(()).filter(|()| !continued).and_then(|()| self.take()) {
                        piece.add(next.encode_utf8(&mut [0; 4]));
                        piece.quoted = true;
                    }
                }
                '$' if self.starts("$'") => {
                    self.at += 2;
                    piece.quoted = true;
                    let text = self.escaped();
                    piece.add(&text);
                }
                '$' if self.starts("$\"") => {
                    self.take();
                }
                '$' | '`' => {
                    let (text, known) = self.expansion();
                    if known && !assigns && !text.contains("$(") && !text.contains('`') {
                        piece.split(&text, self.names.separators());
                    } else {
                        piece.add(&text);
                    }
                }
                _ => {
                    self.take();
                    braces |= ch == '{';
                    piece.add(ch.encode_utf8(&mut [0; 4]));
                    assigns |= ch == '=' && may_assign && is_assignment(&piece.word);
                }
            }
        }
        piece.end_field();
        if braces && !piece.quoted && !assigns {
            piece.fields = piece.fields.iter().flat_map(|field| brace_expansions(field)).collect();
        }
        piece
    }

    /// True before `${NAME[@]}"`.
    fn ends_list(&self) -> bool {
        let name = self.rest().get(2..).unwrap_or_default();
        name.trim_start_matches(|ch: char| ch.is_ascii_alphanumeric() || ch == '_').starts_with("[@]}\"")
    }

    /// Reads the words of `NAME=(…)`.
    fn array(&mut self, piece: &mut ParsedWord) {
        // What is added to a list stays apart from it.
        let mut first = !piece.word.ends_with("+=");
        loop {
            self.skip_blanks(true);
            match self.peek() {
                None => return self.fail(self.at),
                Some(')') => {
                    self.take();
                    return;
                }
                Some('#') => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                Some(_) => {
                    let start = self.at;
                    if self.depth >= super::DEEPEST {
                        self.fail(start);
                        self.at = self.end;
                        return;
                    }
                    self.depth += 1;
                    let words = self.word(false).fields.join(" ");
                    self.depth -= 1;
                    if self.at == start {
                        self.take();
                    }
                    if !std::mem::take(&mut first) {
                        piece.add(" ");
                    }
                    piece.add(&words);
                }
            }
        }
    }

    /// Takes `(…)` of a pattern such as `!(kept)` as it is written.
    fn extended_pattern(&mut self, piece: &mut ParsedWord) {
        let mut depth = 0_usize;
        while let Some(ch) = self.peek().filter(|ch| *ch != '\n') {
            self.take();
            piece.add(ch.encode_utf8(&mut [0; 4]));
            match ch {
                '(' => depth += 1,
                ')' if depth <= 1 => return,
                ')' => depth -= 1,
                _ => {}
            }
        }
    }

    /// Reads text with expansions up to a sign, which is taken, or to the end.
    pub(super) fn read_expanded(&mut self, end: Option<char>) -> String {
        let from = self.at;
        let mut text = String::new();
        while let Some(ch) = self.peek() {
            match ch {
                _ if Some(ch) == end => {
                    self.take();
                    return text;
                }
                '\\' => {
                    self.take();
                    match self.take() {
                        Some('\n') | None => {}
                        Some(next @ ('\\' | '$' | '`')) => text.push(next),
                        Some(next) if Some(next) == end => text.push(next),
                        Some(next) => text.extend(['\\', next]),
                    }
                }
                '$' | '`' => text.push_str(&self.expansion().0),
                '\'' if end == Some('}') => text.push_str(&self.word_quote()),
                _ => {
                    self.take();
                    text.push(ch);
                }
            }
        }
        if end.is_some() {
            self.fail(from.saturating_sub(1));
        }
        text
    }

    /// A quoted run within `${…}`.
    fn word_quote(&mut self) -> String {
        let rest = self.rest();
        let run = rest.get(1..).and_then(|rest| rest.split_once('\'')).map(|(run, _)| run);
        self.at += run.map_or(1, |run| run.len() + 2);
        run.unwrap_or_default().to_owned()
    }

    /// Reads an expansion; true if its value is known.
    fn expansion(&mut self) -> (String, bool) {
        let start = self.at;
        let source = |reader: &Self| reader.text.get(start..reader.at).unwrap_or_default().to_owned();
        if self.skip("`") {
            self.backquoted(start);
            return (source(self), false);
        }
        self.take();
        if self.starts("((") && self.arithmetic() {
            return (source(self), false);
        }
        if self.skip("(") {
            let first = self.reading.commands.len();
            self.substitution();
            return match self.printed(first) {
                Some(text) => (text, true),
                None => (source(self), false),
            };
        }
        if self.skip("{") {
            let rest = self.rest();
            let ends = |ch: char| !ch.is_ascii_alphanumeric() && ch != '_';
            let name = rest.get(..rest.find(ends).unwrap_or(rest.len())).unwrap_or_default();
            self.at += name.len();
            let array = self.skip("[@]") || self.skip("[*]") || self.skip("[0]");
            let mut value = if self.starts("}") || array { self.names.value(name) } else { None };
            if let Some(nth) = self.index() {
                let all = self.names.value(name).unwrap_or_default();
                value = all.split_whitespace().nth(nth).map(str::to_owned);
            } else if self.starts("@P}") {
                // It is read as a prompt, with what is to run in it.
                let text = self.names.value(name).unwrap_or_default();
                let part = self.part(start..self.at);
                self.in_subshell(|reader| reader.nested(&format!(": \"{text}\""), part, true));
            }
            if self.depth >= super::DEEPEST {
                self.fail(start);
                self.at = self.end;
                return (String::new(), false);
            }
            self.depth += 1;
            self.read_expanded(Some('}'));
            self.depth -= 1;
            return value.map_or_else(|| (source(self), false), |value| (value, true));
        }
        let rest = self.rest();
        let letter = |ch: char| ch.is_ascii_alphanumeric() || ch == '_';
        let length = match rest.chars().next() {
            Some('0'..='9' | '@' | '*' | '#' | '?' | '$' | '!' | '-') => 1,
            Some(ch) if letter(ch) => rest.find(|ch| !letter(ch)).unwrap_or(rest.len()),
            _ => 0,
        };
        self.at += length;
        let value =
            rest.get(..length).filter(|name| !name.is_empty()).and_then(|name| self.names.value(name));
        value.map_or_else(|| (source(self), false), |value| (value, true))
    }

    /// Takes `[1]`.
    fn index(&mut self) -> Option<usize> {
        let (nth, after) = self.rest().strip_prefix('[')?.split_once(']')?;
        let nth = nth.parse().ok().filter(|_| after.starts_with('}'))?;
        self.at = self.end - after.len();
        Some(nth)
    }

    /// What the commands from `first` on print, if the text says it: `$(echo rm)`, `$(cat <<'E' …)`.
    fn printed(&mut self, first: usize) -> Option<String> {
        let [command] = self.reading.commands.get(first..)? else { return None };
        let text = command.printed()?;
        let text = text.trim_end_matches('\n');
        self.names.use_budget(text.len())?;
        Some(text.to_owned())
    }

    /// Reads the commands of `$(…)`, `<(…)` or `>(…)`, whose start is taken.
    pub(super) fn substitution(&mut self) {
        let inner = std::mem::replace(&mut self.inner, true);
        self.in_subshell(|reader| reader.list(ListEnd::Parenthesis));
        self.inner = inner;
    }

    /// Reads the commands between backquotes, the first of which is taken.
    fn backquoted(&mut self, start: usize) {
        let mut text = String::new();
        loop {
            match self.take() {
                Some('`') => break,
                Some('\\') => match self.take() {
                    Some(next @ ('`' | '\\' | '$')) => text.push(next),
                    Some(next) => text.extend(['\\', next]),
                    None => {}
                },
                Some(ch) => text.push(ch),
                None => {
                    self.fail(start);
                    break;
                }
            }
        }
        let part = self.part(start..self.at);
        self.in_subshell(|reader| reader.nested(&text, part, true));
    }

    /// Reads `((…))`; false, with nothing taken, if it is not arithmetic.
    pub(super) fn arithmetic(&mut self) -> bool {
        let mut depth = 0_usize;
        let mut last = 0;
        let mut closes = None;
        for (at, ch) in self.rest().char_indices() {
            match ch {
                '(' => depth += 1,
                ')' if depth <= 1 => {
                    closes = Some(at);
                    break;
                }
                ')' => {
                    depth -= 1;
                    last = at + 1;
                }
                _ => {}
            }
        }
        let Some(closes) = closes.filter(|closes| *closes == last && self.depth < super::DEEPEST) else {
            return false;
        };
        let end = std::mem::replace(&mut self.end, self.at + closes);
        self.depth += 1;
        self.read_expanded(None);
        self.depth -= 1;
        self.end = end;
        self.take();
        true
    }

    /// Reads `$'…'`, whose start is taken.
    fn escaped(&mut self) -> String {
        let from = self.at;
        let mut text = String::new();
        loop {
            match self.take() {
                None => {
                    self.fail(from.saturating_sub(2));
                    return text;
                }
                Some('\'') => return text,
                Some('\\') => match self.take() {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('r') => text.push('\r'),
                    Some('e' | 'E') => text.push('\u{1b}'),
                    Some('x') => text.extend(self.code(16, 2)),
                    Some('u') => text.extend(self.code(16, 4)),
                    Some('U') => text.extend(self.code(16, 8)),
                    Some('0'..='7') => {
                        self.at -= 1;
                        text.extend(self.code(8, 3));
                    }
                    Some(next) => text.push(next),
                    None => {}
                },
                Some(ch) => text.push(ch),
            }
        }
    }

    fn code(&mut self, radix: u32, most: usize) -> Option<char> {
        let rest = self.rest();
        let length = rest.bytes().take(most).take_while(|byte| char::from(*byte).is_digit(radix)).count();
        self.at += length;
        u32::from_str_radix(rest.get(..length)?, radix).ok().and_then(char::from_u32)
    }
}

/// True for `C:` and what stands below it.
fn begins_with_drive(word: &str) -> bool {
    if matches!(word, "." | "..") || word.starts_with(".\\") || word.starts_with("..\\") {
        return true;
    }
    let mut chars = word.chars();
    chars.next().is_some_and(|ch| ch.is_ascii_alphabetic()) && chars.next() == Some(':')
}

/// The words that braces become: `a{b,c}` is `ab` and `ac`.
fn brace_expansions(word: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![word.to_owned()];
    while let Some(word) = open.pop() {
        match alternatives(&word).filter(|_| done.len() + open.len() < BRACES) {
            Some((before, choices, after)) if word.len() < LONGEST => {
                open.extend(choices.iter().rev().map(|choice| format!("{before}{choice}{after}")));
            }
            _ if done.contains(&word) => {}
            _ => done.push(word),
        }
    }
    done
}

/// The first braces of a word that have a comma.
fn alternatives(word: &str) -> Option<(&str, Vec<&str>, &str)> {
    let mut starts: Vec<(usize, Vec<usize>)> = Vec::new();
    for (at, ch) in word.char_indices() {
        match ch {
            '{' if !word.get(..at).is_some_and(|before| before.ends_with('$')) => {
                starts.push((at, Vec::new()));
            }
            ',' => {
                if let Some((_, commas)) = starts.last_mut() {
                    commas.push(at);
                }
            }
            '}' => {
                if let Some((start, commas)) = starts.pop().filter(|(_, commas)| !commas.is_empty()) {
                    let ends = commas.iter().copied().chain([at]);
                    let begins = [start].into_iter().chain(commas.iter().copied());
                    let choices = begins.zip(ends).filter_map(|(from, to)| word.get(from + 1..to)).collect();
                    return Some((word.get(..start)?, choices, word.get(at + 1..)?));
                }
            }
            _ => {}
        }
    }
    None
}
