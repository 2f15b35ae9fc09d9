//! The card of a question: choices, words of one's own, or both. Typed words count before a choice.

use leptos::prelude::*;
use serde_json::Value;

use super::answer_controls::{AnswerControls, Draft};
use super::card::{
    ButtonLook, CardHeading, answers, button, card, exact, foot, hidden_characters_warning, markdown,
    mistake, offered, pressable, sending, text_field,
};
use crate::core::i18n::words::requests;
use crate::core::model::answer::Answer;
use crate::core::model::request::Request;
use crate::core::text::review_marks::TextKind;
use crate::core::view_model::icon::Icon;
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::reactive::memo;

/// The card of an open question: choices, a field for an answer of one's own.
#[component(transparent)]
pub fn QuestionCard(
    /// The open request.
    controls: AnswerControls,
    /// What it asks.
    request: Request,
) -> El {
    let request = &request;
    let text = request.details.get("question").and_then(Value::as_str).unwrap_or_default();
    let choices: Vec<String> = request
        .details
        .get("choices")
        .and_then(Value::as_array)
        .map(|list| list.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        .unwrap_or_default();
    let free =
        request.details.get("allowFreeform").and_then(Value::as_bool).unwrap_or(true) || choices.is_empty();
    let (head, long) = if plain(text) {
        (CardHeading::new(Icon::Question, text), None)
    } else {
        (CardHeading::new(Icon::Question, requests::AGENT_ASKS.text()), Some(markdown(text)))
    };
    let chosen = controls.draft("choice", "");
    let words = controls.draft("answer", "");
    let label = if choices.is_empty() { requests::YOUR_ANSWER } else { requests::OWN_WORDS };
    let wrong = RwSignal::new(None::<String>);
    let warnings = hidden_characters_warning(choices.iter().map(String::as_str).chain([text]));
    let choices = (!choices.is_empty()).then(|| choice_list(controls, chosen, words, choices));
    let body = long.into_iter().chain(choices).chain(warnings).collect();
    card(controls, head, body, move || {
        let press = move || {
            let answer = match (words.filled().filter(|_| free), chosen.now()) {
                (Some(answer), _) => Some((answer, true)),
                (None, chosen) if !chosen.is_empty() => Some((chosen, false)),
                _ => None,
            };
            wrong.set(answer.is_none().then(|| requests::ANSWER_FIRST.text().to_owned()));
            if let Some((answer, was_freeform)) = answer {
                controls.send("submit", &Answer::Reply { answer, was_freeform });
            }
        };
        let submit = button(controls, "submit", requests::ANSWER, ButtonLook::Primary, press);
        let refusal = mistake(&controls.element("wrong"), move || wrong.get());
        if free {
            let field = text_field(controls, words, "answer", label.text(), "");
            let line = div("with-button").child(field).child(submit);
            vec![foot(controls, vec![line, refusal, sending(controls, div("answers sending-line"))])]
        } else {
            vec![refusal, answers(controls, vec![submit])]
        }
    })
}

fn choice_list(controls: AnswerControls, chosen: Draft, words: Draft, choices: Vec<String>) -> El {
    let shown = |text: &str| exact(el("span"), text, TextKind::Prose);
    let choice = move |text: String| {
        let shown = shown(&text);
        let own = StoredValue::new(text);
        let pressed = move || own.with_value(|own| chosen.get() == *own && words.get().trim().is_empty());
        let press = move || {
            chosen.set(own.get_value());
            words.set(String::new());
        };
        pressable(controls, "choice", "choice", Box::new(press))
            .attr("dir", "auto")
            .attr("aria-pressed", move || if pressed() { "true" } else { "false" })
            // The style sheet makes it a ring, and shows the check mark in what is chosen.
            .child(glyph(Icon::Check))
            .child(shown)
    };
    let list = div("choices").attr("role", "group").attr("aria-labelledby", controls.element("question"));
    let silent = memo(move || controls.store().cannot_answer());
    list.child(move || {
        if silent.get() {
            vec![offered(choices.iter().map(|text| shown(text)).collect())]
        } else {
            choices.iter().cloned().map(choice).collect()
        }
    })
}

/// True for a text that can be a heading as it is.
fn plain(text: &str) -> bool {
    !text.is_empty() && text.chars().count() <= 200 && !text.contains(['\n', '`', '*', '_', '[', '#', '|'])
}
