//! What a permission is about, as data: the question, everything that is to be allowed, the facts and the
//! warnings. Nothing is lost: a field without a place of its own is listed as it came.

mod kinds;
pub mod scope;

use std::ops::Range;

use serde_json::{Map, Value};

use crate::i18n::format::{one_line, pretty};
use crate::i18n::words::{composer, requests, timeline};
use crate::model::request::Request;
use crate::text::review_marks::{TextKind, dangers, unseen};
use crate::view_model::risk::{Danger, Warning, warnings};

/// What a permission is about. Its icon follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubjectKind {
    /// A command of a shell.
    Command,
    /// A file that is written.
    Write,
    /// A file or folder that is read.
    Read,
    /// An address on the network.
    Address,
    /// A tool of an MCP server.
    Server,
    /// What the agent remembers.
    Memory,
    /// A tool of the client.
    Tool,
    /// An extension, and what it may do.
    Extension,
    /// A workflow or a factory.
    Run,
    /// A hook, or what is not known here.
    Other,
}

/// Something that is shown in full, monospaced, before the buttons.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// A text.
    Text(String, TextKind),
    /// An address, whose host is emphasised.
    Address(String),
    /// A change of a file.
    Change {
        /// The file.
        path: String,
        /// The change as a unified diff.
        diff: Option<String>,
        /// The file's new content.
        contents: Option<String>,
    },
}

/// One fact: its name and its values. Values are exact; words are Pilothouse's own.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// Its name.
    pub name: String,
    /// Values from the wire, shown as code.
    pub exact: Vec<String>,
    /// What the values are.
    pub kind: TextKind,
    /// Pilothouse's words; backticks make code.
    pub words: String,
}

/// A warning.
#[derive(Debug, Clone, PartialEq)]
pub struct Caution {
    /// Whether it is about harm.
    pub danger: bool,
    /// The text.
    pub words: String,
}

/// Everything a card says about a permission.
#[derive(Debug, Clone, PartialEq)]
pub struct Subject {
    /// What kind of thing it is about.
    pub kind: SubjectKind,
    /// The plain question.
    pub question: String,
    /// What the agent intends.
    pub why: Option<String>,
    /// What a command does, in a sentence, where all of it is known and nothing of it is dangerous; backticks make code.
    pub summary: Option<String>,
    /// What is to be allowed.
    pub parts: Vec<Part>,
    /// The bytes of a command that the warnings are about; in order, and none inside of another.
    pub marks: Vec<Range<usize>>,
    /// Facts about it.
    pub facts: Vec<Fact>,
    /// Warnings.
    pub cautions: Vec<Caution>,
}

/// Fields that mean nothing to a person, or that a button shows.
const SILENT: [&str; 10] = [
    "kind",
    "toolCallId",
    "commands",
    "commandIdentifiers",
    "canOfferSessionApproval",
    "canPersistApproval",
    "skipPermission",
    "approvalKey",
    "locationKey",
    "requestSandboxBypassReason",
];

/// A JSON value as people read it: a string as it is, anything else pretty-printed.
pub fn readable(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => pretty(other),
    }
}

/// A JSON value in one line.
fn compact(value: &Value) -> String {
    value.as_str().map_or_else(|| one_line(value), str::to_owned)
}

/// The description so far, and the fields of the permission that are still to be described.
struct Builder {
    fields: Map<String, Value>,
    subject: Subject,
}

impl Builder {
    fn text(&mut self, name: &str) -> Option<String> {
        if !self.fields.get(name)?.is_string() {
            return None;
        }
        match self.fields.remove(name)? {
            Value::String(text) if !text.is_empty() => Some(text),
            _ => None,
        }
    }

    fn flag(&mut self, name: &str) -> Option<bool> {
        let flag = self.fields.get(name)?.as_bool()?;
        self.fields.remove(name);
        Some(flag)
    }

    /// Takes a list of strings, or of objects of which one field is a string; anything else stays.
    fn list(&mut self, name: &str, field: &str) -> Vec<String> {
        let text = |value: &Value| value.as_str().or_else(|| value.get(field)?.as_str()).map(str::to_owned);
        let list =
            self.fields.get(name).and_then(Value::as_array).and_then(|list| list.iter().map(text).collect());
        if list.is_some() {
            self.fields.remove(name);
        }
        list.unwrap_or_default()
    }

    fn set_question(&mut self, kind: SubjectKind, question: impl Into<String>) {
        self.subject.kind = kind;
        self.subject.question = question.into();
    }

    /// Shows a text in full, and warns of what in it can't be seen.
    fn show(&mut self, text: String, kind: TextKind) {
        for danger in dangers(&text, kind) {
            self.caution(true, danger);
        }
        self.subject.parts.push(Part::Text(text, kind));
    }

    /// Shows arguments, if there are any.
    fn arguments(&mut self, name: &str) {
        match self.fields.remove(name) {
            None | Some(Value::Null) => {}
            Some(arguments) => self.show(readable(&arguments), TextKind::Content),
        }
    }

    /// Adds a fact whose values are single lines.
    fn fact(&mut self, name: &str, exact: impl IntoIterator<Item = String>, words: &str) {
        self.fact_of(TextKind::Line, name, exact, words);
    }

    fn fact_of(&mut self, kind: TextKind, name: &str, exact: impl IntoIterator<Item = String>, words: &str) {
        let exact: Vec<String> = exact.into_iter().collect();
        if !exact.is_empty() || !words.is_empty() {
            self.subject.facts.push(Fact { name: name.to_owned(), exact, kind, words: words.to_owned() });
        }
    }

    /// Adds a warning for each danger, once for each text.
    fn warn_of(&mut self, dangers: &[Danger]) {
        for Warning { grave, words } in warnings(dangers) {
            if self.subject.cautions.iter().all(|caution| caution.words != words) {
                self.caution(grave, words);
            }
        }
    }

    /// Warns of hidden characters in names, reasons and facts too, if nothing else did.
    fn warn_of_hidden(&mut self) {
        let subject = &self.subject;
        let values = |fact: &Fact| fact.exact.iter().map(|text| unseen(text, fact.kind)).sum::<usize>();
        let facts = subject.facts.iter().map(values);
        let words = [Some(&subject.question), subject.why.as_ref()].into_iter().flatten();
        let hidden: usize = facts.chain(words.map(|text| unseen(text, TextKind::Prose))).sum();
        let is_warned_of = subject.parts.iter().any(|part| match part {
            Part::Text(text, kind) => unseen(text, *kind) > 0,
            Part::Address(url) => unseen(url, TextKind::Line) > 0,
            Part::Change { .. } => false,
        });
        if hidden > 0 && !is_warned_of {
            self.caution(true, requests::HIDDEN_SEQUENCES.with(&[("n", hidden.into())]));
        }
    }

    fn caution(&mut self, danger: bool, words: impl Into<String>) {
        self.subject.cautions.push(Caution { danger, words: words.into() });
    }
}

/// Describes a permission. `cwd` is the session's directory.
pub fn subject(request: &Request, cwd: Option<&str>) -> Subject {
    let whole = request.permission().unwrap_or(&request.details);
    let fields = whole.as_object().cloned().unwrap_or_default();
    let blank = Subject {
        kind: SubjectKind::Other,
        question: String::new(),
        why: None,
        summary: None,
        parts: Vec::new(),
        marks: Vec::new(),
        facts: Vec::new(),
        cautions: Vec::new(),
    };
    let kind = whole.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut builder = Builder { fields, subject: blank };
    builder.subject.why = builder.text("intention");
    if !kinds::describe(&mut builder, &kind, request, cwd) {
        builder.set_question(
            SubjectKind::Other,
            if kind.is_empty() {
                requests::ALLOW_THIS.text().to_owned()
            } else {
                requests::ALLOW_KIND.with(&[("kind", (&kind).into())])
            },
        );
        builder.show(readable(whole), TextKind::Content);
        builder.fields.clear();
    }
    if builder.flag("requestSandboxBypass") == Some(true) {
        let words = match builder.text("requestSandboxBypassReason") {
            Some(reason) => requests::SANDBOX_BECAUSE.with(&[("reason", (&reason).into())]),
            None => requests::SANDBOX.text().to_owned(),
        };
        builder.caution(true, words);
    }
    if let Some(warning) = builder.text("warning") {
        builder.caution(false, warning);
    }
    if builder.flag("managedApprovalRequired") == Some(true) {
        builder.fact(requests::FACT_POLICY.text(), [], requests::PERSON_DECIDES.text());
    }
    let detail =
        |name: &str| request.details.get(name).and_then(Value::as_str).filter(|word| !word.is_empty());
    // That a request is asked for one by one is not new to the person who is asked.
    if let Some(mode) = detail("permissionMode").filter(|mode| *mode != "manual") {
        builder.fact(
            composer::PERMISSIONS.text(),
            [],
            &composer::PERMISSION_NAME.with(&[("mode", mode.into())]),
        );
    }
    if detail("recoveryEpisodeId").is_some() {
        builder.fact(timeline::AUTOPILOT.text(), [], requests::AFTER_RECOVERY.text());
    }
    if let Some(risk) = request.details.get("riskAssessment").filter(|risk| !risk.is_null()) {
        builder.fact_of(TextKind::Content, requests::FACT_RISK.text(), [compact(risk)], "");
    }
    for (name, value) in std::mem::take(&mut builder.fields) {
        let empty = match &value {
            Value::Null | Value::Bool(false) => true,
            Value::Array(list) => list.is_empty(),
            Value::Object(object) => object.is_empty(),
            _ => false,
        };
        if !empty && !SILENT.contains(&name.as_str()) {
            builder.fact_of(TextKind::Content, &name, [compact(&value)], "");
        }
    }
    if request.is_summary() {
        builder.caution(false, requests::SUMMARY_ONLY.text());
    }
    builder.warn_of_hidden();
    builder.subject
}

#[cfg(test)]
mod tests;
