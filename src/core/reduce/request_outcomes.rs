//! Describes a request by its events: what is asked, in one line, and how it ended.

use serde_json::Value;

use crate::i18n::words::requests;
use crate::i18n::{Phrase, Word};
use crate::model::request::{ANSWERED, By, Ending, HANDLED, RequestKind};
use crate::protocol::EventKind;
use crate::wire::fields::Fields;

/// What is asked, in one line: the command, the file, the address, the question.
pub(super) fn headline(kind: RequestKind, details: &Value) -> Phrase {
    let text = |pointer: &str| details.pointer(pointer).and_then(Value::as_str).filter(|t| !t.is_empty());
    let first =
        |pointers: &[&str]| pointers.iter().find_map(|pointer| text(pointer)).unwrap_or_default().into();
    match kind {
        RequestKind::Permission => {
            let request = details.get("permissionRequest").or_else(|| details.get("promptRequest"));
            let request = request.unwrap_or(&Value::Null);
            let field = |name: &str| request.get(name).and_then(Value::as_str).filter(|t| !t.is_empty());
            match (field("serverName"), field("toolName")) {
                (Some(server), Some(tool)) => format!("{server}: {tool}").into(),
                _ => {
                    ["fullCommandText", "fileName", "path", "url", "fact", "hookMessage", "toolName", "name"]
                        .into_iter()
                        .chain(["extensionName", "operation", "kind"])
                        .find_map(field)
                        .unwrap_or_default()
                        .into()
                }
            }
        }
        RequestKind::UserInput => first(&["/question"]),
        RequestKind::Elicitation => first(&["/message", "/url"]),
        RequestKind::ExitPlanMode => first(&["/planContent", "/summary"]),
        RequestKind::ExternalTool => first(&["/toolName"]),
        RequestKind::QueuedCommand | RequestKind::Command => first(&["/command", "/commandName"]),
        RequestKind::McpOauth | RequestKind::Sampling => first(&["/serverName"]),
        RequestKind::Confirmation => first(&["/title", "/message"]),
        RequestKind::AutoModeSwitch => requests::ASK_AUTO_MODE.into(),
        RequestKind::SessionLimits => requests::LIMIT_REACHED.into(),
    }
}

/// How a request ended, by its closing event.
pub(super) fn ending(kind: EventKind, data: &mut Fields) -> Ending {
    match kind {
        EventKind::PermissionCompleted => {
            let mut result = data.object_or_text("result", "kind");
            let word = result.text("kind").unwrap_or_default();
            let feedback = result.filled("feedback");
            let words = match word.as_str() {
                "approved" => requests::ALLOWED_ONCE,
                "approved-for-session" => requests::ALLOWED_SESSION,
                "approved-for-location" => requests::ALLOWED_LOCATION,
                "denied-by-rules" => requests::DENIED_RULE,
                "denied-interactively-by-user" => requests::REJECTED,
                "denied-no-approval-rule-and-could-not-request-from-user" => requests::DENIED_NOBODY,
                "denied-by-content-exclusion-policy" => requests::DENIED_EXCLUSION,
                "cancelled" => requests::CANCELLED,
                _ => return undisclosed(&word, requests::DECIDED).with_reply(feedback),
            };
            Ending::new(&word, words).with_reply(feedback)
        }
        EventKind::UserInputCompleted => {
            Ending::new(ANSWERED, requests::ANSWERED).with_reply(data.filled("answer"))
        }
        EventKind::ElicitationCompleted => {
            let word = data.text("action").unwrap_or_default();
            let words = match word.as_str() {
                "accept" => requests::FILLED_IN,
                "decline" => requests::DECLINED,
                "cancel" => requests::CANCELLED,
                _ => return undisclosed(&word, requests::CLOSED),
            };
            Ending::new(&word, words)
        }
        EventKind::ExitPlanModeCompleted => {
            let (action, feedback) = (data.filled("selectedAction"), data.filled("feedback"));
            let action = action.as_deref().map(Phrase::plan_choice);
            match data.flag("approved") {
                Some(true) => Ending::new("approved", requests::APPROVED)
                    .with_reply(action.or(feedback.map(Phrase::Text))),
                Some(false) => Ending::new("rejected", requests::NOT_APPROVED).with_reply(feedback),
                None => undisclosed("", requests::DECIDED).with_reply(action.or(feedback.map(Phrase::Text))),
            }
        }
        EventKind::AutoModeSwitchCompleted => {
            let word = data.text("response").unwrap_or_default();
            let words = match word.as_str() {
                "yes" => requests::AUTO_SWITCHED,
                "yes_always" => requests::AUTO_ALWAYS,
                "no" => requests::AUTO_STAYED,
                _ => return undisclosed(&word, requests::DECIDED),
            };
            Ending::new(&word, words)
        }
        EventKind::SessionLimitsExhaustedCompleted => {
            let mut response = data.object("response");
            let word = response.text("action").unwrap_or_default();
            let words = match word.as_str() {
                "add" => {
                    let by = response.text("additionalAiCredits");
                    of_credits(by, requests::LIMIT_RAISED, requests::LIMIT_RAISED_BY)
                }
                "set" => {
                    of_credits(response.text("maxAiCredits"), requests::LIMIT_SET, requests::LIMIT_SET_TO)
                }
                "unset" => requests::LIMIT_REMOVED.into(),
                "cancel" => requests::LIMIT_STOPPED.into(),
                _ => return undisclosed(&word, requests::DECIDED),
            };
            Ending::new(&word, words)
        }
        EventKind::McpOauthCompleted => {
            let word = data.text("outcome").unwrap_or_default();
            let words = match word.as_str() {
                "token" => requests::SIGNED_IN,
                "cancelled" => requests::SIGN_IN_CANCELLED,
                _ => return undisclosed(&word, requests::CLOSED),
            };
            Ending::new(&word, words)
        }
        _ => Ending::new(HANDLED, requests::HANDLED),
    }
}

/// For an event that does not say how the request ended, or says it with an unknown word.
fn undisclosed(word: &str, over: Word) -> Ending {
    if word.is_empty() {
        return Ending::new(HANDLED, over);
    }
    Ending::new(word, requests::DECIDED_AS.phrase(vec![("word", word.into())]))
}

/// Who ended a request that was not answered here.
pub(super) fn by(ending: &Ending) -> By {
    let word = ending.word.as_str();
    let rule = word.starts_with("denied-") && word != "denied-interactively-by-user";
    if rule { By::Rule } else { By::Unknown }
}

fn of_credits(credits: Option<String>, unknown: Word, known: Word) -> Phrase {
    match credits {
        Some(credits) => known.phrase(vec![("credits", credits.into())]),
        None => unknown.into(),
    }
}
