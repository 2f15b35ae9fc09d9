//! What a request other than a permission asks: its question, why it is asked, and what is known about it.

use serde_json::Value;

use crate::i18n::format::in_words;
use crate::i18n::words::{figures, requests};
use crate::i18n::{Value as Figure, Word};
use crate::model::request::{Request, RequestKind};
use crate::protocol::form::in_digits;
use crate::text::review_marks::{TextKind, address};
use crate::view_model::approval::Fact;
use crate::view_model::entry_words::request_name;
use crate::view_model::icon::Icon;

/// The longest message that stands in the head of a card, in characters.
const LONGEST_IN_HEAD: usize = 300;

/// The head of a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Its icon.
    pub icon: Icon,
    /// The plain question.
    pub question: String,
    /// What the asker intends, or what an answer means.
    pub why: Option<String>,
}

impl Asked {
    fn new(icon: Icon, question: impl Into<String>, why: Option<Word>) -> Self {
        Self { icon, question: question.into(), why: why.map(|why| why.text().to_owned()) }
    }

    /// What any request asks, by its kind alone.
    pub fn unknown(request: &Request) -> Self {
        Self::new(Icon::Question, request_name(request.kind).text(), None)
    }

    /// What a request asks; none for those that have view models of their own.
    pub fn of(request: &Request) -> Option<Self> {
        let text = |name: &str| text(request, name);
        let named = |name: Option<&str>, known: Word, key: &str, unknown: Word| match name {
            Some(name) => known.with(&[(key, name.into())]),
            None => unknown.text().to_owned(),
        };
        Some(match request.kind {
            RequestKind::Permission | RequestKind::UserInput | RequestKind::ExitPlanMode => return None,
            RequestKind::Elicitation => {
                let source = text("elicitationSource");
                let (icon, question) = if address_to_open(request).is_some() {
                    (Icon::Globe, named(source, requests::ASKS_OPEN, "source", requests::OPEN_ADDRESS))
                } else {
                    let asks = named(source, requests::SOURCE_ASKS_DETAILS, "source", requests::ASKS_DETAILS);
                    (Icon::List, asks)
                };
                let message = text("message").unwrap_or_default();
                let why = (!is_long(message)).then(|| message.to_owned());
                Self { icon, question, why }
            }
            RequestKind::ExternalTool => {
                let tool = text("toolName");
                let question = named(tool, requests::ANSWER_FOR_TOOL, "tool", requests::ANSWER_FOR_SOME_TOOL);
                Self::new(Icon::Plug, question, Some(requests::TOOL_WHY))
            }
            RequestKind::QueuedCommand => {
                Self::new(Icon::Queue, requests::WAS_HANDLED.text(), Some(requests::QUEUED_WHY))
            }
            RequestKind::Command => {
                Self::new(Icon::Terminal, requests::WAS_HANDLED.text(), Some(requests::COMMAND_WHY))
            }
            RequestKind::Sampling => {
                let server = text("serverName");
                let question = named(server, requests::WRITE_REPLY, "server", requests::WRITE_SOME_REPLY);
                Self::new(Icon::Spark, question, Some(requests::REPLY_WHY))
            }
            RequestKind::AutoModeSwitch => {
                let seconds = request.details.get("retryAfterSeconds").and_then(Value::as_u64);
                let until = |seconds| requests::AUTO_WHY_UNTIL.with(&[("time", (&duration(seconds)).into())]);
                let why = seconds.map_or_else(|| requests::AUTO_WHY.text().to_owned(), until);
                let question = requests::AUTO_QUESTION.text().to_owned();
                Self { icon: Icon::Info, question, why: Some(why) }
            }
            RequestKind::SessionLimits => {
                Self::new(Icon::Warning, requests::BEYOND_LIMIT.text(), Some(requests::LIMIT_WHY))
            }
            RequestKind::McpOauth => {
                let server = text("serverName");
                let question = named(server, requests::SIGN_IN_TO, "server", requests::SIGN_IN_SOMEWHERE);
                Self::new(Icon::Lock, question, None)
            }
            RequestKind::Confirmation => {
                Self::new(Icon::Question, text("title").unwrap_or(requests::CONFIRM_THIS.text()), None)
            }
        })
    }
}

/// Whether a message does not fit the head of a card.
pub fn is_long(message: &str) -> bool {
    message.contains('\n') || message.chars().count() > LONGEST_IN_HEAD
}

/// The address that a form wants opened instead of being filled in.
pub fn address_to_open(request: &Request) -> Option<&str> {
    let opens = || text(request, "mode") == Some("url") || request.details.get("requestedSchema").is_none();
    text(request, "url").filter(|_| request.kind == RequestKind::Elicitation && opens())
}

/// What is known about a request, besides what it asks.
pub fn facts(request: &Request) -> Vec<Fact> {
    let text = |name: &str| text(request, name);
    let number = |name: &str| request.details.get(name).and_then(Value::as_f64);
    let known = |names: [(Word, &str); 2]| {
        names.into_iter().filter_map(|(name, field)| Some(fact(name, text(field)?))).collect()
    };
    match request.kind {
        RequestKind::ExternalTool => {
            known([(requests::FACT_IN, "workingDirectory"), (requests::FACT_PROVIDER, "providerId")])
        }
        RequestKind::Command => {
            known([(requests::FACT_COMMAND, "commandName"), (requests::FACT_WITH, "args")])
        }
        RequestKind::Sampling => {
            vec![fact(requests::FACT_SERVER, text("serverName").unwrap_or(requests::A_SERVER.text()))]
        }
        RequestKind::AutoModeSwitch => {
            let reason = text("errorCode").map(|code| coded(requests::LIMIT_REASON, code));
            reason.map(|reason| worded_fact(requests::FACT_REASON, reason)).into_iter().collect()
        }
        RequestKind::SessionLimits => {
            let used = number("usedAiCredits").map(|used| (requests::FACT_USED, used));
            let limit = number("maxAiCredits").map(|limit| (requests::FACT_LIMIT, limit));
            let fact = |(name, number)| worded_fact(name, in_credits(number));
            used.into_iter().chain(limit).map(fact).collect()
        }
        RequestKind::McpOauth => about_sign_in(request),
        _ => Vec::new(),
    }
}

fn about_sign_in(request: &Request) -> Vec<Fact> {
    let server = text(request, "serverName").unwrap_or(requests::A_SERVER.text());
    let url = text(request, "serverUrl").unwrap_or_default();
    let host = address(url).map_or(server, |address| address.host);
    let mut known = vec![fact(requests::FACT_SERVER, server), fact(requests::FACT_HOST, host)];
    let reason = text(request, "reason").map(|why| coded(requests::SIGN_IN_REASON, why));
    known.extend(reason.map(|reason| worded_fact(requests::FACT_REASON, reason)));
    let detail = |pointer: &str| request.details.pointer(pointer).and_then(Value::as_str);
    let error = detail("/wwwAuthenticateParams/error").map(|error| coded(requests::SIGN_IN_ERROR, error));
    known.extend(error.map(|error| worded_fact(requests::FACT_ERROR, error)));
    for (name, pointer) in [
        (requests::FACT_SCOPE, "/wwwAuthenticateParams/scope"),
        (requests::FACT_DESCRIBED_AT, "/wwwAuthenticateParams/resourceMetadataUrl"),
        (requests::FACT_CLIENT, "/staticClientConfig/clientId"),
    ] {
        known.extend(detail(pointer).map(|value| fact(name, value)));
    }
    known
}

/// A field of a request that is a text, unless it is empty.
pub fn text<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    request.details.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// A fact whose value is exact.
pub fn fact(name: Word, value: impl Into<String>) -> Fact {
    let exact = vec![value.into()];
    Fact { name: name.text().to_owned(), exact, kind: TextKind::Line, words: String::new() }
}

/// A fact in words.
fn worded_fact(name: Word, words: impl Into<String>) -> Fact {
    Fact { name: name.text().to_owned(), exact: Vec::new(), kind: TextKind::Line, words: words.into() }
}

/// A time in one unit.
fn duration(seconds: u64) -> String {
    let (word, number) = match seconds {
        0..=90 => (figures::SECONDS, seconds),
        91..=5400 => (figures::MINUTES, seconds.div_ceil(60)),
        _ => (requests::HOURS, seconds.div_ceil(3600)),
    };
    word.with(&[("n", number.into())])
}

fn in_credits(number: f64) -> String {
    let whole = number.fract() == 0.0;
    let choice = if whole { Figure::Number(number as i64) } else { "other".into() };
    requests::CREDITS.with(&[("n", choice), ("figure", (&in_digits(number)).into())])
}

/// A message that one of the runtime's codes chooses; an unknown code is shown as words.
fn coded(word: Word, code: &str) -> String {
    word.with(&[("code", code.into()), ("said", (&in_words(code)).into())])
}
