//! Cards for what surrounds the conversation: automatic model choice, limits, sign-in, the platform's
//! confirmations. No address opens by itself, and no token is kept after it was sent.

use std::rc::Rc;

use leptos::prelude::*;
use serde_json::{Value, json};

use super::answer_controls::AnswerControls;
use super::card::{
    ButtonLook, CardHeading, LastingAnswer, answer_row, answers, button, card, cautions, facts, foot,
    full_address, grants, hidden_characters_warning, line_field, markdown, mistake, more, whole,
};
use super::host::{one, other};
use crate::core::i18n::Word;
use crate::core::i18n::words::requests;
use crate::core::model::answer::Answer;
use crate::core::model::request::Request;
use crate::core::protocol::form::{in_digits, read_number};
use crate::core::text::review_marks::{TextKind, address_dangers};
use crate::core::view_model::approval::{Caution, readable};
use crate::core::view_model::asked;
use crate::ui::elements::builder::{El, el};

/// The card for a model whose limit is used up.
pub fn auto_mode(controls: AnswerControls, request: &Request) -> El {
    let (head, known) = (CardHeading::of(request), asked::facts(request));
    card(controls, head, facts(&known).into_iter().collect(), move || {
        let answer = move |word: &'static str, words: Word| {
            move || controls.send(word, &other("response", word.into(), words))
        };
        let always = LastingAnswer {
            key: "yes_always".into(),
            words: requests::ALWAYS.text().to_owned(),
            grants: requests::AUTO_ALWAYS_MEANS.text().to_owned(),
            about: None,
            send: Rc::new(answer("yes_always", requests::AUTO_ALWAYS)),
        };
        let all = vec![always];
        let mut buttons = vec![
            button(controls, "no", requests::NO, ButtonLook::Plain, answer("no", requests::AUTO_STAYED)),
            button(
                controls,
                "yes",
                requests::YES_ONCE,
                ButtonLook::Primary,
                answer("yes", requests::AUTO_SWITCHED),
            ),
        ];
        buttons.splice(1..1, more(controls, &all));
        vec![foot(controls, vec![answer_row(controls, buttons), grants(controls, all)])]
    })
}

/// The card for the session's own limit.
pub fn limits(controls: AnswerControls, request: &Request) -> El {
    let limit = request.details.get("maxAiCredits").and_then(Value::as_f64);
    let (head, known) = (CardHeading::of(request), asked::facts(request));
    let start = limit.map_or_else(String::new, in_digits);
    let credits = controls.draft("credits", &start);
    let wrong = RwSignal::new(None::<String>);
    card(controls, head, facts(&known).into_iter().collect(), move || {
        let send = move |action: &'static str, field: &'static str, words: Word| {
            move || {
                let number = read_number(credits.now().trim()).filter(|n| *n > 0.0);
                let Some(number) = number else {
                    wrong.set(Some(requests::ABOVE_ZERO.text().to_owned()));
                    return;
                };
                wrong.set(None);
                let response = json!({ "action": action, field: whole_number(number) });
                let words = words.phrase(vec![("credits", in_digits(number).into())]);
                controls.send(action, &other("response", response, words));
            }
        };
        let plain = move |action: &'static str, words: Word| {
            move || {
                controls.send(action, &other("response", json!({ "action": action }), words));
            }
        };
        let unset = LastingAnswer {
            key: "unset".into(),
            words: requests::REMOVE_LIMIT.text().to_owned(),
            grants: requests::NO_LIMIT_MEANS.text().to_owned(),
            about: None,
            send: Rc::new(plain("unset", requests::LIMIT_REMOVED)),
        };
        let all = vec![unset];
        let mut buttons = vec![
            button(
                controls,
                "cancel",
                requests::STOP,
                ButtonLook::Plain,
                plain("cancel", requests::LIMIT_STOPPED),
            ),
            button(
                controls,
                "set",
                requests::SET_LIMIT,
                ButtonLook::Plain,
                send("set", "maxAiCredits", requests::LIMIT_SET_TO),
            ),
            button(
                controls,
                "add",
                requests::ADD_CREDITS,
                ButtonLook::Primary,
                send("add", "additionalAiCredits", requests::LIMIT_RAISED_BY),
            ),
        ];
        let (label, hint) = (requests::CREDITS_FIELD.text(), requests::CREDITS_HINT.text());
        let field = line_field(controls, credits, "number", label, hint);
        let refusal = mistake(&controls.element("wrong"), move || wrong.get());
        buttons.splice(1..1, more(controls, &all));
        vec![field, refusal, foot(controls, vec![answer_row(controls, buttons), grants(controls, all)])]
    })
}

/// `30` rather than `30.0`.
fn whole_number(number: f64) -> Value {
    if number.fract() == 0.0 && number < 1e15 { json!(number as i64) } else { json!(number) }
}

/// The card for a server that needs a sign-in.
pub fn sign_in(controls: AnswerControls, request: &Request) -> El {
    let url = asked::text(request, "serverUrl").unwrap_or_default().to_owned();
    let dangers: Vec<Caution> =
        address_dangers(&url).into_iter().map(|words| Caution { danger: true, words }).collect();
    // The address is the server's own, which programs speak to: it is shown, and not to be opened by people.
    let mut body = vec![full_address(&url)];
    body.extend(facts(&asked::facts(request)));
    body.extend(cautions(&dangers));
    let token = controls.draft_of("token", "", true);
    let wrong = RwSignal::new(None::<String>);
    card(controls, CardHeading::of(request), body, move || {
        let send = move || {
            let Some(secret) = token.filled() else {
                wrong.set(Some(requests::NO_TOKEN.text().to_owned()));
                return;
            };
            wrong.set(None);
            controls.send(
                "token",
                &other(
                    "result",
                    json!({ "kind": "token", "accessToken": secret }),
                    requests::SIGNED_IN.text(),
                ),
            );
            token.forget_secret();
        };
        let cancel = move || {
            let words = requests::SIGN_IN_CANCELLED;
            controls.send("cancel", &other("result", json!({ "kind": "cancelled" }), words));
        };
        let buttons = vec![
            button(controls, "cancel", requests::CANCEL, ButtonLook::Plain, cancel),
            button(controls, "token", requests::SIGN_IN, ButtonLook::Primary, send),
        ];
        let (label, hint) = (requests::TOKEN.text(), requests::TOKEN_HINT.text());
        let field = line_field(controls, token, "password", label, hint);
        let refusal = mistake(&controls.element("wrong"), move || wrong.get());
        let why = el("p").class("hint").attr("dir", "auto").text(requests::SIGN_IN_WHY.text());
        vec![why, field, refusal, answers(controls, buttons)]
    })
}

/// The card of an open confirmation of the Copilot platform.
#[component(transparent)]
pub fn ConfirmationCard(
    /// The open request.
    controls: AnswerControls,
    /// What it asks.
    request: Request,
) -> El {
    let request = &request;
    let head = CardHeading::of(request);
    let message = asked::text(request, "message");
    let about = request.details.get("confirmation").filter(|value| !value.is_null());
    let about = about.map(readable);
    let texts = [Some(head.question.as_str()), message, about.as_deref()];
    let warnings = hidden_characters_warning(texts.into_iter().flatten());
    let about = about.as_deref().map(|about| whole(about, TextKind::Content));
    let body = message.map(markdown).into_iter().chain(about).chain(warnings).collect();
    card(controls, head, body, move || {
        let answer = |accepted: bool| Answer::Other {
            params: one("accepted", accepted.into()),
            words: if accepted { requests::ACCEPTED } else { requests::DISMISSED }.into(),
        };
        let buttons = vec![
            button(controls, "dismiss", requests::DISMISS, ButtonLook::Plain, move || {
                controls.send("dismiss", &answer(false));
            }),
            button(controls, "accept", requests::ACCEPT, ButtonLook::Primary, move || {
                controls.send("accept", &answer(true));
            }),
        ];
        vec![answers(controls, buttons)]
    })
}
