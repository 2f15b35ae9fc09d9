//! The card of a form: fields that are checked before anything is sent, or an address to open.
//! No address opens by itself.

use leptos::prelude::*;
use serde_json::{Map, Value};

use super::answer_controls::AnswerControls;
use super::card::{
    ButtonLook, CardHeading, answers, button, card, cautions, facts, for_who_answers, full_address,
    hidden_characters_warning, markdown, opener,
};
use super::form_fields::{Filled, field_view};
use crate::core::i18n::words::requests;
use crate::core::model::answer::Answer;
use crate::core::model::request::Request;
use crate::core::protocol::form::fields;
use crate::core::text::review_marks::{address, address_dangers};
use crate::core::view_model::approval::{Caution, Fact};
use crate::core::view_model::asked::{address_to_open, fact, is_long};
use crate::ui::elements::builder::{El, div, el};

/// The card of an open form, or of an address to open.
#[component(transparent)]
pub fn FormCard(
    /// The open request.
    controls: AnswerControls,
    /// What it asks.
    request: Request,
) -> El {
    let request = &request;
    let text = |name: &str| request.details.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let source = text("elicitationSource");
    let message = text("message").unwrap_or_default();
    // Long or many-lined messages do not fit a head.
    let long = is_long(message).then(|| markdown(message));
    let named = [message, source.unwrap_or_default()];
    let head = CardHeading::of(request);
    if let Some(url) = address_to_open(request) {
        return visit(controls, head, long, &named, url);
    }
    let schema = request.details.get("requestedSchema").unwrap_or(&Value::Null);
    fill_in(controls, head, long, &named, schema)
}

fn fill_in(
    controls: AnswerControls,
    head: CardHeading,
    long: Option<El>,
    named: &[&str],
    schema: &Value,
) -> El {
    let fields: Vec<Filled> = fields(schema).into_iter().map(|field| Filled::new(controls, field)).collect();
    let shown =
        fields.iter().enumerate().map(|(nth, filled)| field_view(controls, *filled, nth)).collect::<Vec<_>>();
    let texts: Vec<String> = fields.iter().flat_map(|filled| filled.texts()).collect();
    let fields = StoredValue::new(fields);
    let mut body = Vec::new();
    body.extend(long);
    body.push(div("fields").child(shown));
    body.extend(hidden_characters_warning(texts.iter().map(String::as_str).chain(named.iter().copied())));
    card(controls, head, body, move || {
        let accept = move || {
            let content: Option<Map<String, Value>> = fields.with_value(|fields| {
                let mut content = Some(Map::new());
                for filled in fields {
                    match (filled.check(), &mut content) {
                        (Ok(Some((name, value))), Some(content)) => {
                            content.insert(name, value);
                        }
                        (Ok(_), _) => {}
                        (Err(()), all) => {
                            // A person pressed, so the first field that does not fit may take the focus.
                            if all.take().is_some() {
                                filled.focus();
                            }
                        }
                    }
                }
                content
            });
            if let Some(content) = content {
                controls.send(
                    "accept",
                    &Answer::Form { action: "accept", content: Some(Value::Object(content)) },
                );
            }
        };
        let buttons = vec![
            button(controls, "cancel", requests::CANCEL, ButtonLook::Plain, move || {
                controls.send("cancel", &bare("cancel"));
            }),
            button(controls, "decline", requests::DECLINE, ButtonLook::Plain, move || {
                controls.send("decline", &bare("decline"));
            }),
            button(controls, "accept", requests::SEND, ButtonLook::Primary, accept),
        ];
        vec![answers(controls, buttons)]
    })
}

fn visit(controls: AnswerControls, head: CardHeading, long: Option<El>, named: &[&str], url: &str) -> El {
    let dangers: Vec<Caution> =
        address_dangers(url).into_iter().map(|words| Caution { danger: true, words }).collect();
    let host: Vec<Fact> =
        address(url).map(|address| fact(requests::FACT_HOST, address.host)).into_iter().collect();
    let link = opener(controls, url);
    let mut body = Vec::new();
    body.extend(long);
    body.push(full_address(url));
    body.extend(facts(&host));
    body.extend(cautions(&dangers));
    body.extend(hidden_characters_warning(named.iter().copied()));
    if link.is_none() {
        let words = requests::CANNOT_OPEN.text().to_owned();
        body.extend(cautions(&[Caution { danger: false, words }]));
    }
    body.extend(link.map(|link| {
        let then = el("p").class("hint").text(requests::OPENS_THEN.text());
        for_who_answers(controls, div("open-line").child(link).child(then))
    }));
    card(controls, head, body, move || {
        let buttons = vec![
            button(controls, "cancel", requests::CANCEL, ButtonLook::Plain, move || {
                controls.send("cancel", &bare("cancel"));
            }),
            button(controls, "decline", requests::DECLINE, ButtonLook::Plain, move || {
                controls.send("decline", &bare("decline"));
            }),
            button(controls, "accept", requests::OPENED, ButtonLook::Primary, move || {
                controls.send("accept", &bare("accept"));
            }),
        ];
        vec![answers(controls, buttons)]
    })
}

fn bare(action: &'static str) -> Answer {
    Answer::Form { action, content: None }
}
