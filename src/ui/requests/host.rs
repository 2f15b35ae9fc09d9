//! Cards for what a host program should answer and a person can: external tools, commands, sampling. Refuses to run
//! anything: it only carries the answer.

use leptos::prelude::*;
use serde_json::{Map, Value, json};

use super::ask::Ask;
use super::card::{Head, Look, alert, answers, button, card, parted_card, text_field};
use super::exact::{fact, facts, whole};
use super::marks::Sight;
use super::subject::{Fact, readable};
use crate::core::answer::Answer;
use crate::core::request::Request;
use crate::ui::dom::{El, el};
use crate::ui::icons::Icon;

/// An answer of one parameter.
pub fn other(name: &str, value: Value, words: impl Into<String>) -> Answer {
    Answer::Other { params: one(name, value), words: words.into() }
}

/// A single parameter. Collecting into a map would sort first, and sorting is long code.
pub fn one(name: &str, value: Value) -> Map<String, Value> {
    let mut map = Map::new();
    map.insert(name.to_owned(), value);
    map
}

/// The facts of these names that a request has as texts.
fn known(request: &Request, names: [(&str, &str); 2]) -> Option<El> {
    let fact = |(name, field)| Some(fact(name, text(request, field)?));
    let known: Vec<Fact> = names.into_iter().filter_map(fact).collect();
    facts(&known)
}

/// What a request carries under this name, whole.
fn carried(request: &Request, name: &str) -> Option<El> {
    let value = request.details.get(name).filter(|value| !value.is_null())?;
    Some(whole(&readable(value), Sight::Content))
}

fn text<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    request.details.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// A call of a tool that lives outside of the runtime.
pub fn external_tool(ask: Ask, request: &Request) -> El {
    let tool = text(request, "toolName").unwrap_or("a tool");
    let head = Head::new(Icon::Plug, format!("Answer for the tool {tool}?"))
        .why(Some("A program outside usually answers this. You can do it in its place.".to_owned()));
    let known = known(request, [("In", "workingDirectory"), ("Provider", "providerId")]);
    let body = carried(request, "arguments").into_iter().chain(known).collect();
    let result = ask.draft("result", "");
    card(ask, head, body, move || {
        let submit = move || ask.send("submit", other("result", result.now().into(), "Answered"));
        let error = move || {
            let words = result.filled().unwrap_or_else(|| "The tool could not be run".to_owned());
            ask.send("error", other("error", words.as_str().into(), format!("Failed: {words}")));
        };
        let buttons = vec![
            button(ask, "error", "Report an error", Look::Plain, error),
            button(ask, "submit", "Send the result", Look::Primary, submit),
        ];
        let field =
            text_field(ask, result, "result", "Result, or what went wrong", "goes to the model as it is");
        vec![field, answers(ask, buttons)]
    })
}

/// A slash command that waits in the queue for a client to run it.
pub fn queued_command(ask: Ask, request: &Request) -> El {
    let command = text(request, "command").unwrap_or_default();
    let head = Head::new(Icon::Queue, "Was this command handled?")
        .why(Some("It waits in the queue for a client that knows it.".to_owned()));
    card(ask, head, vec![whole(command, Sight::Command)], move || {
        let answer = |handled: bool| {
            let words = if handled { "Handled" } else { "Not handled" };
            other("result", json!({ "handled": handled }), words)
        };
        let buttons = vec![
            button(ask, "not-handled", "Not handled", Look::Plain, move || {
                ask.send("not-handled", answer(false));
            }),
            button(ask, "handled", "Handled", Look::Primary, move || ask.send("handled", answer(true))),
        ];
        vec![answers(ask, buttons)]
    })
}

/// A command that a client has registered and is to run now.
pub fn own_command(ask: Ask, request: &Request) -> El {
    let command = text(request, "command").or_else(|| text(request, "commandName")).unwrap_or_default();
    let head = Head::new(Icon::Terminal, "Was this command handled?")
        .why(Some("It is one that a program of yours has registered.".to_owned()));
    let known = known(request, [("Command", "commandName"), ("With", "args")]);
    let body = std::iter::once(whole(command, Sight::Command)).chain(known).collect();
    let reason = ask.draft("error", "");
    card(ask, head, body, move || {
        let failed = move || {
            let words = reason.filled().unwrap_or_else(|| "Nobody handled this command".to_owned());
            ask.send("not-handled", other("error", words.as_str().into(), format!("Failed: {words}")));
        };
        let handled = move || {
            ask.send("handled", Answer::Other { params: Map::new(), words: "Handled".to_owned() });
        };
        let buttons = vec![
            button(ask, "not-handled", "Not handled", Look::Plain, failed),
            button(ask, "handled", "Handled", Look::Primary, handled),
        ];
        let field = text_field(ask, reason, "error", "What went wrong", "sent if it was not handled");
        vec![field, answers(ask, buttons)]
    })
}

/// A server that asks for a model's words.
pub fn sampling(ask: Ask, request: &Request) -> El {
    let server = text(request, "serverName").unwrap_or("a server");
    let head = Head::new(Icon::Spark, format!("Write a model's reply for {server}?"))
        .why(Some("The server sees what you send. A program outside usually answers this.".to_owned()));
    let facts = facts(&[fact("Server", server)]);
    let body = carried(request, "request").into_iter().chain(facts).collect();
    let reply = ask.draft("reply", "");
    let empty = RwSignal::new(false);
    let field = move || vec![text_field(ask, reply, "reply", "Reply", "")];
    let missing = Memo::new(move |_| empty.get());
    let refusal = move || {
        let line = missing.get().then(|| alert(el("span")).text("There is no reply to send yet."));
        line.into_iter().collect()
    };
    let buttons = move || {
        let accept = move || {
            empty.set(reply.filled().is_none());
            if reply.filled().is_some() {
                ask.send("accept", other("response", sampled(&reply.now()), "Replied"));
            }
        };
        let decline = move || {
            ask.send("decline", Answer::Other { params: Map::new(), words: "Declined".to_owned() });
        };
        let buttons = vec![
            button(ask, "decline", "Decline", Look::Plain, decline),
            button(ask, "accept", "Send the reply", Look::Primary, accept),
        ];
        vec![answers(ask, buttons)]
    };
    parted_card(ask, head, body, vec![Box::new(field), Box::new(refusal), Box::new(buttons)])
}

/// A reply in the form of MCP's `CreateMessageResult`. No model wrote it, and it says so.
fn sampled(text: &str) -> Value {
    json!({ "model": "person", "role": "assistant", "stopReason": "endTurn", "content": { "type": "text", "text": text } })
}
