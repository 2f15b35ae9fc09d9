//! The card of a question: choices, own words, or both. Refuses to answer by a choice alone where words are typed.

use leptos::prelude::*;
use serde_json::Value;

use super::ask::Ask;
use super::card::{Head, Look, Markdown, answers, button, card, mistake, sending, text_field};
use super::exact::exact;
use super::marks::Sight;
use crate::core::answer::Answer;
use crate::core::request::Request;
use crate::ui::icons::Icon;

/// A question, open. A choice is marked first and sent by the button, so that a slip can be mended.
pub fn question(ask: Ask, request: &Request) -> impl IntoView + use<> {
    let text = request.details.get("question").and_then(Value::as_str).unwrap_or_default().to_owned();
    let choices: Vec<String> = request
        .details
        .get("choices")
        .and_then(Value::as_array)
        .map(|list| list.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        .unwrap_or_default();
    let free =
        request.details.get("allowFreeform").and_then(Value::as_bool).unwrap_or(true) || choices.is_empty();
    let (head, long) = if plain(&text) {
        (Head::new(Icon::Question, text), None)
    } else {
        let long = view! { <Markdown text class="plan prose"/> };
        (Head::new(Icon::Question, "The agent asks"), Some(long))
    };
    let chosen = ask.draft("choice", "");
    let words = ask.draft("answer", "");
    let label = if choices.is_empty() { "Your answer" } else { "Or in your own words" };
    let wrong = RwSignal::new(None::<String>);
    let choices = (!choices.is_empty()).then(|| choice_list(ask, chosen, words, choices));
    let body = view! { {long} {choices} };
    card(ask, head, body, move || {
        let press = move || {
            let answer = match (words.filled().filter(|_| free), chosen.now()) {
                (Some(answer), _) => Some((answer, true)),
                (None, chosen) if !chosen.is_empty() => Some((chosen, false)),
                _ => None,
            };
            wrong.set(answer.is_none().then(|| "Choose or write an answer first".to_owned()));
            if let Some((answer, was_freeform)) = answer {
                ask.send("submit", Answer::Reply { answer, was_freeform });
            }
        };
        let submit = button(ask, "submit", "Answer", Look::Primary, press);
        if free {
            let field = text_field(ask, words, "answer", label, "");
            view! { <div class="with-button">{field}{submit}</div> {mistake(ask.element("wrong"), move || wrong.get())} <div class="answers sending-line">{sending(ask)}</div> }.into_any()
        } else {
            view! { {mistake(ask.element("wrong"), move || wrong.get())} {answers(ask, submit)} }.into_any()
        }
    })
}

fn choice_list(
    ask: Ask,
    chosen: super::ask::Draft,
    words: super::ask::Draft,
    choices: Vec<String>,
) -> impl IntoView {
    let choice = move |text: String| {
        let shown = exact(&text, Sight::Content);
        let own = StoredValue::new(text);
        let pressed = move || own.with_value(|own| chosen.get() == *own && words.get().trim().is_empty());
        view! {
            <button type="button" class="choice" part="button" data-answer="choice" dir="auto"
                aria-pressed=move || if pressed() { "true" } else { "false" }
                aria-disabled=move || (!ask.armed()).then_some("true") disabled=move || ask.off()
                on:click=move |_| if ask.ready() {
                    chosen.set(own.get_value());
                    words.set(String::new());
                }>
                <span>{shown}</span>
            </button>
        }
    };
    view! { <div class="choices" role="group" aria-labelledby=ask.element("question")>{choices.into_iter().map(choice).collect_view()}</div> }
}

/// True for a text that is a heading as it stands.
fn plain(text: &str) -> bool {
    !text.is_empty() && text.chars().count() <= 200 && !text.contains(['\n', '`', '*', '_', '[', '#', '|'])
}
