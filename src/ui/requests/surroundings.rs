//! Cards for what surrounds the conversation: automatic model choice, limits, sign-in, the platform's confirmations.
//! Refuses to open an address by itself and to keep a token after it was sent.

use leptos::prelude::*;
use serde_json::{Value, json};

use super::ask::Ask;
use super::card::{Head, Look, answers, button, card, line_field, markdown, mistake, opener};
use super::exact::{cautions, fact, facts, full_address, told, whole};
use super::host::{one, other};
use super::marks::{Sight, address, address_dangers};
use super::schema::{in_digits, read_number};
use super::subject::{Caution, readable};
use crate::core::answer::Answer;
use crate::core::request::Request;
use crate::ui::dom::{El, el};
use crate::ui::icons::Icon;

fn text<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    request.details.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// A limit of this model is used up.
pub fn auto_mode(ask: Ask, request: &Request) -> El {
    let seconds = request.details.get("retryAfterSeconds").and_then(Value::as_u64);
    let why = match seconds {
        Some(seconds) => {
            format!("The limit of this model is used up. It is free again in {}.", duration(seconds))
        }
        None => "The limit of this model is used up.".to_owned(),
    };
    let mut known =
        vec![told("Always", "switches now and whenever a limit is used up, also in later sessions")];
    if let Some(code) = text(request, "errorCode") {
        known.push(fact("Reason", code));
    }
    let head = Head::new(Icon::Info, "Switch to automatic model choice?").why(Some(why));
    card(ask, head, facts(&known).into_iter().collect(), move || {
        let answer = move |word: &'static str, words: &'static str| {
            move || ask.send(word, other("response", word.into(), words))
        };
        let buttons = vec![
            button(ask, "no", "No", Look::Plain, answer("no", "Stayed with the model")),
            button(
                ask,
                "yes_always",
                "Always",
                Look::Plain,
                answer("yes_always", "Switched to auto mode for good"),
            ),
            button(ask, "yes", "Yes, this time", Look::Primary, answer("yes", "Switched to auto mode")),
        ];
        vec![answers(ask, buttons)]
    })
}

fn duration(seconds: u64) -> String {
    match seconds {
        0..=90 => format!("{seconds} s"),
        91..=5400 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h", seconds.div_ceil(3600)),
    }
}

/// The session's own limit is reached.
pub fn limits(ask: Ask, request: &Request) -> El {
    let number = |name: &str| request.details.get(name).and_then(Value::as_f64);
    let (used, limit) = (number("usedAiCredits"), number("maxAiCredits"));
    let mut known = Vec::new();
    known.extend(used.map(|used| told("Used", format!("{} credits", in_digits(used)))));
    known.extend(limit.map(|limit| told("Limit", format!("{} credits", in_digits(limit)))));
    let head = Head::new(Icon::Warning, "Go on beyond this session's limit?")
        .why(Some("The limit is used up. The agent waits until you decide.".to_owned()));
    let start = limit.map_or_else(String::new, in_digits);
    let credits = ask.draft("credits", &start);
    let wrong = RwSignal::new(None::<String>);
    card(ask, head, facts(&known).into_iter().collect(), move || {
        let send = move |action: &'static str, field: &'static str, words: &'static str| {
            move || {
                let number = read_number(credits.now().trim()).filter(|n| *n > 0.0);
                let Some(number) = number else {
                    wrong.set(Some("A number above 0, please".to_owned()));
                    return;
                };
                wrong.set(None);
                let response = json!({ "action": action, field: whole_number(number) });
                ask.send(action, other("response", response, format!("{words}: {}", in_digits(number))));
            }
        };
        let plain = move |action: &'static str, words: &'static str| {
            move || {
                ask.send(action, other("response", json!({ "action": action }), words));
            }
        };
        let buttons = vec![
            button(ask, "cancel", "Stop here", Look::Plain, plain("cancel", "Stopped at the limit")),
            button(ask, "unset", "Remove the limit", Look::Plain, plain("unset", "Limit removed")),
            button(
                ask,
                "set",
                "Set the limit to this",
                Look::Plain,
                send("set", "maxAiCredits", "Limit set to"),
            ),
            button(
                ask,
                "add",
                "Add this",
                Look::Primary,
                send("add", "additionalAiCredits", "Limit raised by"),
            ),
        ];
        let field = line_field(ask, credits, "number", "Credits", "to add, or as the new limit");
        let refusal = mistake(&ask.element("wrong"), move || wrong.get());
        vec![field, refusal, answers(ask, buttons)]
    })
}

/// `30` rather than `30.0`.
fn whole_number(number: f64) -> Value {
    if number.fract() == 0.0 && number < 1e15 { json!(number as i64) } else { json!(number) }
}

/// A server that wants a sign-in.
pub fn sign_in(ask: Ask, request: &Request) -> El {
    let server = text(request, "serverName").unwrap_or("a server").to_owned();
    let url = text(request, "serverUrl").unwrap_or_default().to_owned();
    let host = address(&url).map_or_else(|| server.clone(), |address| address.host.to_owned());
    let mut known = vec![fact("Server", server.as_str()), fact("Host", host)];
    known.extend(text(request, "reason").map(|reason| fact("Reason", reason)));
    for (name, pointer) in [
        ("Scope", "/wwwAuthenticateParams/scope"),
        ("Error", "/wwwAuthenticateParams/error"),
        ("Described at", "/wwwAuthenticateParams/resourceMetadataUrl"),
        ("Client", "/staticClientConfig/clientId"),
    ] {
        known.extend(request.details.pointer(pointer).and_then(Value::as_str).map(|value| fact(name, value)));
    }
    let dangers: Vec<Caution> =
        address_dangers(&url).into_iter().map(|words| Caution { danger: true, words }).collect();
    let head = Head::new(Icon::Lock, format!("Sign in to {server}?"))
        .why(Some("The token that you paste goes to the runtime, which uses it for this server.".to_owned()));
    let mut body = vec![full_address(&url)];
    body.extend(facts(&known));
    body.extend(cautions(&dangers));
    body.extend(opener(ask, &url).map(|link| el("div").child(link)));
    let token = ask.draft("token", "");
    let wrong = RwSignal::new(None::<String>);
    card(ask, head, body, move || {
        let send = move || {
            let Some(secret) = token.filled() else {
                wrong.set(Some("There is no token to send yet".to_owned()));
                return;
            };
            wrong.set(None);
            ask.send(
                "token",
                other("result", json!({ "kind": "token", "accessToken": secret }), "Signed in"),
            );
            token.drop_kept();
        };
        let cancel = move || {
            ask.send("cancel", other("result", json!({ "kind": "cancelled" }), "Sign-in cancelled"));
        };
        let buttons = vec![
            button(ask, "cancel", "Cancel", Look::Plain, cancel),
            button(ask, "token", "Sign in with this token", Look::Primary, send),
        ];
        let field = line_field(ask, token, "password", "Access token", "not kept on this page");
        let refusal = mistake(&ask.element("wrong"), move || wrong.get());
        vec![field, refusal, answers(ask, buttons)]
    })
}

/// A confirmation of the Copilot platform.
pub fn confirmation(ask: Ask, request: &Request) -> El {
    let question = text(request, "title").unwrap_or("Confirm this?").to_owned();
    let message = text(request, "message").map(|message| markdown(message, "plan prose"));
    let about = request.details.get("confirmation").filter(|value| !value.is_null());
    let about = about.map(|about| whole(&readable(about), Sight::Content));
    let body = message.into_iter().chain(about).collect();
    card(ask, Head::new(Icon::Question, question), body, move || {
        let answer = |accepted: bool| Answer::Other {
            params: one("accepted", accepted.into()),
            words: if accepted { "Accepted" } else { "Dismissed" }.to_owned(),
        };
        let buttons = vec![
            button(ask, "dismiss", "Dismiss", Look::Plain, move || ask.send("dismiss", answer(false))),
            button(ask, "accept", "Accept", Look::Primary, move || ask.send("accept", answer(true))),
        ];
        vec![answers(ask, buttons)]
    })
}
