//! The card of a form: fields that are checked before anything is sent, or an address to open. Refuses to send what
//! does not fit, and to open an address by itself.

use leptos::prelude::*;
use serde_json::{Map, Value};

use super::ask::Ask;
use super::card::{Head, Look, Markdown, answers, button, card, opener};
use super::exact::{cautions, fact, facts, full_address};
use super::form_fields::{Filled, field_view};
use super::marks::{address, address_dangers};
use super::schema::fields;
use super::subject::Caution;
use crate::core::answer::Answer;
use crate::core::request::Request;
use crate::ui::icons::Icon;

/// A form, open.
pub fn form(ask: Ask, request: &Request) -> AnyView {
    let text = |name: &str| request.details.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let source = text("elicitationSource");
    let message = text("message").unwrap_or_default().to_owned();
    // Long or many-lined messages do not fit a head.
    let (why, long) = if message.contains('\n') || message.chars().count() > 300 {
        (None, Some(view! { <Markdown text=message class="plan prose"/> }.into_any()))
    } else {
        (Some(message), None)
    };
    let asks =
        |whom: &str, what: &str| source.map_or_else(|| whom.to_owned(), |source| format!("{source} {what}"));
    if let Some(url) = text("url")
        .filter(|_| text("mode") == Some("url") || request.details.get("requestedSchema").is_none())
    {
        let question = asks("Open this address?", "asks you to open an address");
        return visit(ask, Head::new(Icon::Globe, question).why(why), long, url);
    }
    let schema = request.details.get("requestedSchema").unwrap_or(&Value::Null);
    let question = asks("The agent asks for details", "asks for details");
    fill_in(ask, Head::new(Icon::List, question).why(why), long, schema)
}

fn fill_in(ask: Ask, head: Head, long: Option<AnyView>, schema: &Value) -> AnyView {
    let fields: Vec<Filled> = fields(schema).into_iter().map(|field| Filled::new(ask, field)).collect();
    let shown = fields.iter().enumerate().map(|(nth, filled)| field_view(ask, *filled, nth)).collect_view();
    let fields = StoredValue::new(fields);
    let body = view! { {long} <div class="fields">{shown}</div> };
    card(ask, head, body, move || {
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
                            // The person pressed: the first field that does not fit may take the focus.
                            if all.take().is_some() {
                                filled.focus();
                            }
                        }
                    }
                }
                content
            });
            if let Some(content) = content {
                ask.send("accept", Answer::Form { action: "accept", content: Some(Value::Object(content)) });
            }
        };
        let buttons = view! {
            {button(ask, "cancel", "Cancel", Look::Plain, move || ask.send("cancel", bare("cancel")))}
            {button(ask, "decline", "Decline", Look::Plain, move || ask.send("decline", bare("decline")))}
            {button(ask, "accept", "Send", Look::Primary, accept)}
        };
        answers(ask, buttons)
    })
    .into_any()
}

fn visit(ask: Ask, head: Head, long: Option<AnyView>, url: &str) -> AnyView {
    let dangers = address_dangers(url).into_iter().map(|words| Caution { danger: true, words }).collect();
    let host = address(url).map(|address| fact("Host", address.host));
    let link = opener(ask, url);
    let unopenable = link.is_none().then(|| Caution {
        danger: false,
        words: "This address can't be opened from here: it is neither http nor https, or something is hidden in it.".to_owned(),
    });
    let link = link.map(|link| view! { <div>{link}</div> });
    let body = view! {
        {long} {full_address(url)} {facts(host.into_iter().collect())} {cautions(dangers)}
        {cautions(unopenable.into_iter().collect())} {link}
    };
    card(ask, head, body, move || {
        let buttons = view! {
            {button(ask, "cancel", "Cancel", Look::Plain, move || ask.send("cancel", bare("cancel")))}
            {button(ask, "decline", "Decline", Look::Plain, move || ask.send("decline", bare("decline")))}
            {button(ask, "accept", "I have opened it", Look::Primary, move || ask.send("accept", bare("accept")))}
        };
        answers(ask, buttons)
    })
    .into_any()
}

fn bare(action: &'static str) -> Answer {
    Answer::Form { action, content: None }
}
