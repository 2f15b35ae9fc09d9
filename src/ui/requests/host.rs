//! Cards for what a host program should answer and a person can: external tools, commands, sampling. Nothing
//! is run here; the cards only send the answer.

use leptos::prelude::*;
use serde_json::{Map, Value, json};

use super::answer_controls::AnswerControls;
use super::card::{
    ButtonLook, CardHeading, alert, answers, button, card, facts, hidden_characters_warning, parted_card,
    text_field, whole,
};
use crate::core::i18n::Phrase;
use crate::core::i18n::words::requests;
use crate::core::model::answer::Answer;
use crate::core::model::request::Request;
use crate::core::text::review_marks::TextKind;
use crate::core::view_model::approval::readable;
use crate::core::view_model::asked;
use crate::ui::elements::builder::{El, el};
use crate::ui::elements::reactive::memo;

/// An answer with one parameter.
pub fn other(name: &str, value: Value, words: impl Into<Phrase>) -> Answer {
    Answer::Other { params: one(name, value), words: words.into() }
}

/// A single parameter. Collecting into a map would sort first, and sorting is much code.
pub fn one(name: &str, value: Value) -> Map<String, Value> {
    let mut map = Map::new();
    map.insert(name.to_owned(), value);
    map
}

/// What a request carries under this name, in full.
fn carried(request: &Request, name: &str) -> Vec<El> {
    let Some(value) = request.details.get(name).filter(|value| !value.is_null()) else {
        return Vec::new();
    };
    let text = readable(value);
    let mut shown = vec![whole(&text, TextKind::Content)];
    shown.extend(hidden_characters_warning([text.as_str()]));
    shown
}

/// A call of a tool that lives outside of the runtime.
pub fn external_tool(controls: AnswerControls, request: &Request) -> El {
    let (head, known) = (CardHeading::of(request), facts(&asked::facts(request)));
    let body = carried(request, "arguments").into_iter().chain(known).collect();
    let result = controls.draft("result", "");
    card(controls, head, body, move || {
        let submit =
            move || controls.send("submit", &other("result", result.now().into(), requests::ANSWERED.text()));
        let error = move || {
            // Read by the model, so it is not translated.
            let words = result.filled().unwrap_or_else(|| "The tool could not be run".to_owned());
            controls.send("error", &other("error", words.as_str().into(), failed(&words)));
        };
        let buttons = vec![
            button(controls, "error", requests::REPORT_ERROR, ButtonLook::Plain, error),
            button(controls, "submit", requests::SEND_RESULT, ButtonLook::Primary, submit),
        ];
        let (label, hint) = (requests::RESULT.text(), requests::RESULT_HINT.text());
        let field = text_field(controls, result, "result", label, hint);
        vec![field, answers(controls, buttons)]
    })
}

/// A slash command that waits in the queue for a client to run it.
pub fn queued_command(controls: AnswerControls, request: &Request) -> El {
    let command = asked::text(request, "command").unwrap_or_default();
    let head = CardHeading::of(request);
    card(controls, head, vec![whole(command, TextKind::Command)], move || {
        let answer = |handled: bool| {
            let words = if handled { requests::HANDLED } else { requests::NOT_HANDLED };
            other("result", json!({ "handled": handled }), words)
        };
        let buttons = vec![
            button(controls, "not-handled", requests::NOT_HANDLED, ButtonLook::Plain, move || {
                controls.send("not-handled", &answer(false));
            }),
            button(controls, "handled", requests::HANDLED, ButtonLook::Primary, move || {
                controls.send("handled", &answer(true));
            }),
        ];
        vec![answers(controls, buttons)]
    })
}

/// A command that a client has registered and is to run now.
pub fn own_command(controls: AnswerControls, request: &Request) -> El {
    let command =
        asked::text(request, "command").or_else(|| asked::text(request, "commandName")).unwrap_or_default();
    let (head, known) = (CardHeading::of(request), facts(&asked::facts(request)));
    let body = std::iter::once(whole(command, TextKind::Command)).chain(known).collect();
    let reason = controls.draft("error", "");
    card(controls, head, body, move || {
        let not_handled = move || {
            // Read by the runtime, so it is not translated.
            let words = reason.filled().unwrap_or_else(|| "Nobody handled this command".to_owned());
            controls.send("not-handled", &other("error", words.as_str().into(), failed(&words)));
        };
        let handled = move || {
            controls.send("handled", &Answer::Other { params: Map::new(), words: requests::HANDLED.into() });
        };
        let buttons = vec![
            button(controls, "not-handled", requests::NOT_HANDLED, ButtonLook::Plain, not_handled),
            button(controls, "handled", requests::HANDLED, ButtonLook::Primary, handled),
        ];
        let (label, hint) = (requests::WENT_WRONG.text(), requests::WENT_WRONG_HINT.text());
        let field = text_field(controls, reason, "error", label, hint);
        vec![field, answers(controls, buttons)]
    })
}

/// A server that asks for a model's reply.
pub fn sampling(controls: AnswerControls, request: &Request) -> El {
    let (head, known) = (CardHeading::of(request), facts(&asked::facts(request)));
    let body = carried(request, "request").into_iter().chain(known).collect();
    let reply = controls.draft("reply", "");
    let empty = RwSignal::new(false);
    let field = move || vec![text_field(controls, reply, "reply", requests::REPLY.text(), "")];
    let missing = memo(move || empty.get());
    let refusal = move || {
        let line = missing.get().then(|| alert(el("span")).text(requests::NO_REPLY.text()));
        line.into_iter().collect()
    };
    let buttons = move || {
        let accept = move || {
            empty.set(reply.filled().is_none());
            if reply.filled().is_some() {
                controls.send("accept", &other("response", sampled(&reply.now()), requests::REPLIED.text()));
            }
        };
        let decline = move || {
            controls.send("decline", &Answer::Other { params: Map::new(), words: requests::DECLINED.into() });
        };
        let buttons = vec![
            button(controls, "decline", requests::DECLINE, ButtonLook::Plain, decline),
            button(controls, "accept", requests::SEND_REPLY, ButtonLook::Primary, accept),
        ];
        vec![answers(controls, buttons)]
    };
    parted_card(controls, head, body, vec![Box::new(field), Box::new(refusal), Box::new(buttons)])
}

/// The name of an answer that is an error.
fn failed(words: &str) -> Phrase {
    requests::FAILED.phrase(vec![("words", words.into())])
}

/// A reply in the form of MCP's `CreateMessageResult`. No model wrote it, and it says so.
fn sampled(text: &str) -> Value {
    json!({ "model": "person", "role": "assistant", "stopReason": "endTurn", "content": { "type": "text", "text": text } })
}
