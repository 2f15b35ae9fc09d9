//! Reads a command line as a shell does and lists the simple commands that it runs, without running anything.
//! Values that stand in the text itself are put in their places; other expansions stay as they are written.

mod expansion;
mod output;
mod scope;

use std::ops::Range;

use expansion::ParsedWord;
pub(super) use scope::is_assignment;
use scope::{Function, ShellNames};

/// One simple command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SimpleCommand {
    /// Its words, without quotes.
    pub words: Vec<String>,
    /// Files that it writes by redirection.
    pub writes: Vec<String>,
    /// Files that it reads by redirection.
    pub reads: Vec<String>,
    /// The text that it reads as its standard input: a here-document or a here-string.
    pub input: Option<String>,
    /// It reads the output of the command before it.
    pub piped: bool,
    /// The one command whose output that is, as an index of [`ShellReading::commands`]; `None` if it is a group's.
    pub source: Option<usize>,
    /// It is in a substitution within another command.
    pub inner: bool,
    /// The subshell that it runs in; an index of [`ShellReading::parents`].
    pub subshell: usize,
    /// The bytes of the text that it stands in.
    pub part: Range<usize>,
}

/// What was read from a command line.
#[derive(Debug, Default)]
pub struct ShellReading {
    /// The simple commands in order; those of a substitution come before the command that they are in.
    pub commands: Vec<SimpleCommand>,
    /// The parts of the text that could not be read.
    pub unread: Vec<Range<usize>>,
    /// The parent of each subshell; the first one is its own.
    pub parents: Vec<usize>,
}

/// How deep commands may be nested; nobody writes deeper ones by hand.
const DEEPEST: usize = 24;
/// How many bytes may come from variables, functions and aliases.
const EXPANDED: usize = 1 << 16;

/// Words after which a command begins.
const OPENERS: [&str; 9] = ["if", "then", "elif", "else", "while", "until", "do", "!", "always"];
/// Words that end a compound command.
const CLOSERS: [&str; 4] = ["fi", "done", "esac", "end"];

/// Reads a command line.
pub fn read(text: &str) -> ShellReading {
    let mut reading = ShellReading { parents: vec![0], ..ShellReading::default() };
    let mut names = ShellNames::new(EXPANDED);
    ShellReader::new(text, &mut reading, &mut names).read();
    reading
}

/// What ends a list of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListEnd {
    Text,
    Parenthesis,
    Brace,
}

/// A redirection whose target is the next word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Redirection {
    Read,
    Write,
    String,
    Document { tabs: bool },
}

/// A here-document that begins on this line.
struct Document {
    /// The command that reads it; set when the command ends.
    reader: Option<usize>,
    end: String,
    /// Its end is quoted, so that nothing in it is expanded.
    literal: bool,
    tabs: bool,
}

/// The command that is being read.
#[derive(Default)]
struct PartialCommand {
    simple: SimpleCommand,
    start: Option<usize>,
    end: usize,
    redirection: Option<Redirection>,
    /// It is the head of a `for` loop.
    loops: bool,
    /// The next word is a pattern's subject: `case WORD in`.
    case: bool,
    /// In `[[ … ]]`, where operators are words.
    condition: bool,
    /// The here-documents that it reads.
    documents: Vec<usize>,
}

struct ShellReader<'a, 'r> {
    text: &'a str,
    at: usize,
    end: usize,
    depth: usize,
    subshell: usize,
    inner: bool,
    /// For each compound command around this place: it reads a pipe, and so does all within.
    inputs: Vec<bool>,
    /// The part that commands of an expanded text stand for.
    fixed: Option<Range<usize>>,
    documents: Vec<Document>,
    reading: &'r mut ShellReading,
    names: &'r mut ShellNames,
}

impl<'a, 'r> ShellReader<'a, 'r> {
    fn new(text: &'a str, reading: &'r mut ShellReading, names: &'r mut ShellNames) -> Self {
        Self {
            text,
            at: 0,
            end: text.len(),
            depth: 0,
            subshell: 0,
            inner: false,
            inputs: Vec::new(),
            fixed: None,
            documents: Vec::new(),
            reading,
            names,
        }
    }

    fn read(&mut self) {
        self.list(ListEnd::Text);
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..self.end).unwrap_or_default()
    }

    fn starts(&self, with: &str) -> bool {
        self.rest().starts_with(with)
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let ch = self.peek()?;
        self.at += ch.len_utf8();
        Some(ch)
    }

    fn skip(&mut self, what: &str) -> bool {
        let found = self.starts(what);
        self.at += if found { what.len() } else { 0 };
        found
    }

    fn skip_blanks(&mut self, lines: bool) {
        let blank = |ch: char| matches!(ch, ' ' | '\t' | '\r') || (lines && ch == '\n');
        let rest = self.rest();
        self.at += rest.find(|ch| !blank(ch)).unwrap_or(rest.len());
    }

    /// The part of the command line that a range of this text stands for.
    fn part(&self, range: Range<usize>) -> Range<usize> {
        self.fixed.clone().unwrap_or(range)
    }

    /// Notes that the text from here on could not be read.
    fn fail(&mut self, from: usize) {
        let part = self.part(from..self.end);
        if self.reading.unread.last() != Some(&part) {
            self.reading.unread.push(part);
        }
    }

    /// Reads commands up to the end, which is taken.
    fn list(&mut self, end: ListEnd) {
        let from = self.at;
        if self.depth >= DEEPEST {
            self.fail(from);
            self.at = self.end;
            return;
        }
        self.depth += 1;
        let around = self.inputs.len();
        let closed = self.commands(end);
        self.inputs.truncate(around);
        self.depth -= 1;
        if !closed {
            self.fail(from.saturating_sub(1));
        }
    }

    /// True if the list ended as it should.
    fn commands(&mut self, end: ListEnd) -> bool {
        let mut now = PartialCommand::default();
        let mut cases = 0_usize;
        loop {
            self.skip_blanks(false);
            let start = self.at;
            let Some(ch) = self.peek() else {
                self.finish(&mut now);
                return end == ListEnd::Text;
            };
            if now.condition && matches!(ch, '(' | ')' | '<' | '>' | '|' | '&' | '\n' | ';') {
                self.take();
                continue;
            }
            match ch {
                '\n' => {
                    self.finish(&mut now);
                    self.take();
                    self.read_documents();
                }
                '#' => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                ')' => {
                    self.take();
                    self.finish(&mut now);
                    if end == ListEnd::Parenthesis {
                        return true;
                    }
                    self.fail(start);
                }
                '(' => self.open(&mut now),
                ';' => {
                    self.take();
                    self.finish(&mut now);
                    let pattern = cases > 0 && (self.starts(";") || self.starts("&"));
                    while self.starts(";") || (pattern && self.starts("&")) {
                        self.take();
                    }
                    if pattern && self.pattern() {
                        cases -= 1;
                    }
                }
                '|' => {
                    self.take();
                    let or = self.skip("|");
                    if !or {
                        self.skip("&");
                    }
                    let source = self.finish(&mut now);
                    now.simple.piped = !or;
                    now.simple.source = source.filter(|_| !or);
                    self.skip_line_ends();
                }
                '&' => {
                    self.take();
                    if self.starts(">") {
                        self.redirect(&mut now);
                    } else {
                        self.skip("&");
                        self.finish(&mut now);
                    }
                }
                '<' | '>' if !self.starts("<(") && !self.starts(">(") => self.redirect(&mut now),
                _ => {
                    let command = now.simple.words.is_empty() && now.redirection.is_none();
                    let bare = now.simple.words.iter().all(|word| scope::is_assignment(word));
                    let piece = self.word(bare || scope::declares(&now.simple.words));
                    let plain =
                        if piece.quoted { "" } else { self.text.get(start..self.at).unwrap_or_default() };
                    if command && plain == "}" && end == ListEnd::Brace {
                        self.finish(&mut now);
                        return true;
                    } else if command && plain == "{" {
                        self.inputs.push(self.has_input() || now.simple.piped);
                        self.list(ListEnd::Brace);
                        self.inputs.pop();
                        now.simple.piped = false;
                    } else if now.case && plain == "in" {
                        now = PartialCommand::default();
                        cases += usize::from(!self.pattern());
                    } else if command && self.keyword(plain, &mut now) {
                        cases -= usize::from(plain == "esac" && cases > 0);
                    } else {
                        now.start.get_or_insert(start);
                        self.add(&mut now, piece, plain);
                    }
                }
            }
            // Each turn takes something; if not, the rest can't be read.
            if self.at == start && now.start.is_none() {
                self.fail(start);
                self.take();
            }
        }
    }

    /// Skips what may stand between `|` and the command that it leads to: line ends and remarks.
    fn skip_line_ends(&mut self) {
        loop {
            self.skip_blanks(false);
            if self.skip("\n") {
                self.read_documents();
            } else if self.starts("#") {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            } else {
                return;
            }
        }
    }

    /// True if a word only arranges the commands around it.
    fn keyword(&mut self, word: &str, now: &mut PartialCommand) -> bool {
        if ["if", "while", "until", "for", "select", "foreach", "case"].contains(&word) {
            self.inputs.push(self.has_input() || now.simple.piped);
        } else if CLOSERS.contains(&word) {
            self.inputs.pop();
        }
        match word {
            "case" => now.case = true,
            "for" | "select" | "foreach" => {
                now.loops = true;
                self.skip_blanks(false);
                if self.starts("((") {
                    self.arithmetic();
                }
            }
            "function" => {
                self.skip_blanks(false);
                let name = self.word(false).fields.concat();
                self.skip_blanks(false);
                self.skip("()");
                self.function(name);
            }
            "coproc" => {
                // `coproc NAME { …; }`
                let rest = self.rest().trim_start_matches([' ', '\t']);
                let named = rest.trim_start_matches(|ch: char| ch.is_ascii_alphanumeric() || ch == '_');
                if named.trim_start_matches([' ', '\t']).starts_with(['{', '(']) {
                    self.at = self.end - named.len();
                }
            }
            "[[" => now.condition = true,
            _ => return OPENERS.contains(&word) || CLOSERS.contains(&word),
        }
        true
    }

    /// Adds a word to the current command.
    fn add(&mut self, now: &mut PartialCommand, piece: ParsedWord, plain: &str) {
        if now.condition && plain == "]]" {
            now.condition = false;
        }
        now.end = self.at;
        let joined = || piece.fields.join(" ");
        match now.redirection.take() {
            None => now.simple.words.extend(piece.fields),
            Some(Redirection::Write) => now.simple.writes.extend(piece.fields),
            Some(Redirection::Read) => now.simple.reads.extend(piece.fields),
            Some(Redirection::String) => now.simple.input = Some(joined()),
            Some(Redirection::Document { tabs }) => {
                now.documents.push(self.documents.len());
                let end = joined();
                self.documents.push(Document { reader: None, end, literal: piece.quoted, tabs });
            }
        }
    }

    /// Reads what begins with a parenthesis: a subshell, a function, an arithmetic command.
    fn open(&mut self, now: &mut PartialCommand) {
        if self.starts("((") && now.simple.words.is_empty() && self.arithmetic() {
            return;
        }
        self.take();
        if let [name] = now.simple.words.as_slice() {
            let name = name.clone();
            self.skip_blanks(false);
            if self.skip(")") {
                let piped = now.simple.piped;
                *now = PartialCommand::default();
                now.simple.piped = piped;
                self.function(name);
                return;
            }
        }
        if !now.simple.words.is_empty() && now.redirection.is_none() {
            // `iex (irm …)` of PowerShell, `rm (pwd)` of fish: a substitution.
            let start = self.at.saturating_sub(1);
            self.substitution();
            let source = self.text.get(start..self.at).unwrap_or_default();
            now.simple.words.push(format!("${source}"));
            now.end = self.at;
            return;
        }
        self.inputs.push(self.has_input() || now.simple.piped);
        self.finish(now);
        self.in_subshell(|reader| reader.list(ListEnd::Parenthesis));
        self.inputs.pop();
    }

    fn has_input(&self) -> bool {
        self.inputs.last() == Some(&true)
    }

    fn in_subshell(&mut self, read: impl FnOnce(&mut Self)) {
        let outer = self.subshell;
        self.subshell = self.reading.parents.len();
        self.reading.parents.push(outer);
        read(self);
        self.subshell = outer;
    }

    /// Reads a function's body and keeps it under its name.
    fn function(&mut self, name: String) {
        self.skip_blanks(true);
        let (from, first) = (self.at, self.reading.commands.len());
        if self.skip("{") {
            self.list(ListEnd::Brace);
        } else if self.skip("(") {
            self.in_subshell(|reader| reader.list(ListEnd::Parenthesis));
        }
        let body = self.text.get(from..self.at).unwrap_or_default();
        let body = body.strip_prefix(['{', '(']).and_then(|body| body.strip_suffix(['}', ')']));
        if let Some(body) = body {
            let read = first..self.reading.commands.len();
            self.names.functions.insert(name, Function { body: body.to_owned(), read });
        }
    }

    /// Skips the pattern of a `case`; true if there is none because the `case` ends.
    fn pattern(&mut self) -> bool {
        loop {
            self.skip_blanks(true);
            if !self.starts("#") {
                break;
            }
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
        let after = self.rest().strip_prefix("esac");
        if after.is_some_and(|after| {
            !after.starts_with(|ch: char| ch.is_alphanumeric() || ch == '|' || ch == ')')
        }) {
            self.skip("esac");
            return true;
        }
        self.skip("(");
        while let Some(ch) = self.peek() {
            match ch {
                ')' => {
                    self.take();
                    return false;
                }
                ' ' | '\t' | '\n' | '|' | '(' | ';' | '&' | '<' | '>' => {
                    self.take();
                }
                _ => {
                    let start = self.at;
                    self.word(false);
                    if self.at == start {
                        self.take();
                    }
                }
            }
        }
        false
    }

    fn redirect(&mut self, now: &mut PartialCommand) {
        now.start.get_or_insert(self.at);
        let write = self.take() == Some('>');
        now.redirection = Some(if write { Redirection::Write } else { Redirection::Read });
        if !write && self.skip("<<") {
            now.redirection = Some(Redirection::String);
        } else if !write && self.skip("<") {
            now.redirection = Some(Redirection::Document { tabs: self.skip("-") });
        } else if !write && self.skip(">") {
            now.redirection = Some(Redirection::Write);
        } else if write {
            let _ = self.skip(">") || self.skip("|");
        }
        if self.starts("&") && !matches!(now.redirection, Some(Redirection::Document { .. })) {
            self.take();
            // `2>&1` and `>&-` write to no file.
            let rest = self.rest();
            let digits = rest.find(|ch: char| !ch.is_ascii_digit() && ch != '-').unwrap_or(rest.len());
            if digits > 0 {
                self.at += digits;
                now.end = self.at;
                now.redirection = None;
            }
        }
    }

    /// Ends the current command and adds it to the list; its index if it has words.
    fn finish(&mut self, now: &mut PartialCommand) -> Option<usize> {
        let PartialCommand { mut simple, start, end, loops, documents, .. } = std::mem::take(now);
        if loops {
            self.names.set_loop(&simple.words);
            return None;
        }
        if simple.words.is_empty() {
            if simple.writes.is_empty() && simple.reads.is_empty() && documents.is_empty() {
                return None;
            }
            // The redirections of a group: `{ …; } 2> log | sh`.
            simple.piped = true;
        }
        // A here-document and a redirection come before a pipe.
        simple.piped |=
            self.has_input() && documents.is_empty() && simple.input.is_none() && simple.reads.is_empty();
        simple.part = self.part(start.unwrap_or(end)..end);
        simple.subshell = self.subshell;
        simple.inner = self.inner;
        self.names.assign(&simple.words);
        for document in documents {
            if let Some(document) = self.documents.get_mut(document) {
                document.reader = Some(self.reading.commands.len());
            }
        }
        let called = self.names.called_code(&simple.words);
        let (part, piped) = (simple.part.clone(), simple.piped);
        let index = Some(self.reading.commands.len()).filter(|_| !simple.words.is_empty());
        self.reading.commands.push(simple);
        match called {
            None => {}
            Some(Ok(call)) => {
                // A call says more than the definition, which is read for functions that nothing calls.
                for command in self.reading.commands.get_mut(call.read.clone()).into_iter().flatten() {
                    *command =
                        SimpleCommand { subshell: command.subshell, piped: true, ..SimpleCommand::default() };
                }
                let body = call.body.clone();
                let outer = self.names.enter(call);
                self.inputs.push(piped);
                self.nested(&body, part, false);
                self.inputs.pop();
                self.names.leave(outer);
            }
            Some(Err(())) => self.reading.unread.push(part),
        }
        index
    }

    /// Reads commands of a text that does not stand in the command line as it is.
    fn nested(&mut self, text: &str, part: Range<usize>, inner: bool) {
        let inputs = vec![self.has_input()];
        let mut reader = ShellReader::new(text, self.reading, self.names);
        reader.depth = self.depth + 1;
        reader.subshell = self.subshell;
        reader.inner = self.inner || inner;
        reader.inputs = inputs;
        reader.fixed = Some(part);
        reader.read();
    }

    /// Reads the here-documents that begin on the line before.
    fn read_documents(&mut self) {
        for document in std::mem::take(&mut self.documents) {
            let from = self.at;
            let mut to = self.end;
            while self.at < self.end {
                let rest = self.rest();
                let line = rest.split('\n').next().unwrap_or(rest);
                let start = self.at;
                self.at = (start + line.len() + 1).min(self.end);
                let line = line.strip_suffix('\r').unwrap_or(line);
                if (if document.tabs { line.trim_start_matches('\t') } else { line }) == document.end {
                    to = start;
                    break;
                }
            }
            let after = self.at;
            let body = if document.literal {
                self.text.get(from..to).unwrap_or_default().to_owned()
            } else {
                let end = std::mem::replace(&mut self.end, to);
                self.at = from;
                let body = self.read_expanded(None);
                self.end = end;
                body
            };
            self.at = after;
            if let Some(command) = document.reader.and_then(|reader| self.reading.commands.get_mut(reader)) {
                command.input = Some(body);
            }
        }
    }
}

#[cfg(test)]
mod tests;
