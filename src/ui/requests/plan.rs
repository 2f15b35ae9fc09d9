//! The card of a plan: the plan itself, how to go on, feedback. Refuses to approve anything that is not on the card.

use leptos::prelude::*;
use serde_json::Value;

use super::ask::{Ask, Draft};
use super::card::{Head, Look, Markdown, answers, button, card, text_field};
use crate::core::answer::Answer;
use crate::core::request::Request;
use crate::ui::icons::Icon;

/// A plan, open.
pub fn plan(ask: Ask, request: &Request) -> impl IntoView + use<> {
    let text =
        |name: &str| request.details.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let plan = text("planContent").or_else(|| text("summary")).unwrap_or_default().to_owned();
    let recommended = text("recommendedAction").map(str::to_owned);
    let mut actions: Vec<String> = request
        .details
        .get("actions")
        .and_then(Value::as_array)
        .map(|list| list.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        .unwrap_or_default();
    if let Some(recommended) = recommended.iter().find(|one| !actions.contains(one)) {
        actions.push(recommended.clone());
    }
    let start = recommended.clone().or_else(|| actions.first().cloned()).unwrap_or_default();
    let chosen = ask.draft("action", &start);
    let feedback = ask.draft("feedback", "");
    let radios = (!actions.is_empty()).then(|| radios(ask, chosen, actions, recommended));
    let body = view! { <Markdown text=plan class="plan prose"/> {radios} };
    card(ask, Head::new(Icon::List, "Go ahead with this plan?"), body, move || {
        let answer = move |approved| Answer::Plan {
            approved,
            selected_action: Some(chosen.now()).filter(|action| approved && !action.is_empty()),
            feedback: feedback.filled(),
        };
        let buttons = view! {
            {button(ask, "reject", "Reject", Look::Plain, move || ask.send("reject", answer(false)))}
            {button(ask, "approve", "Approve the plan", Look::Primary, move || ask.send("approve", answer(true)))}
        };
        view! {
            {text_field(ask, feedback, "feedback", "Feedback to the agent", "sent with your decision")}
            {answers(ask, buttons)}
        }
    })
}

fn radios(ask: Ask, chosen: Draft, actions: Vec<String>, recommended: Option<String>) -> impl IntoView {
    let radio = move |action: String| {
        let hint = (recommended.as_ref() == Some(&action))
            .then(|| view! { " " <small class="hint">"recommended"</small> });
        let words = in_words(&action);
        let own = StoredValue::new(action.clone());
        view! {
            <label class="check">
                <input type="radio" name=ask.element("action") value=action disabled=move || ask.off()
                    prop:checked=move || own.with_value(|own| chosen.get() == *own)
                    on:change=move |_| chosen.set(own.get_value())/>
                <span>{words}{hint}</span>
            </label>
        }
    };
    view! { <fieldset class="field"><legend>"Then"</legend>{actions.into_iter().map(radio).collect_view()}</fieldset> }
}

fn in_words(action: &str) -> String {
    match action {
        "interactive" => "Interactive: asks before it acts".to_owned(),
        "autopilot" => "Autopilot: goes on by itself".to_owned(),
        "autopilot_fleet" => "Autopilot with sub-agents at the same time".to_owned(),
        "exit_only" => "Leave plan mode and wait".to_owned(),
        other => other.to_owned(),
    }
}
