//! The card of a plan: the plan itself, how to go on, feedback.

use leptos::prelude::*;
use serde_json::Value;

use super::answer_controls::{AnswerControls, Draft};
use super::card::{
    ButtonLook, CardHeading, answers, boxed_button, button, card, exact, for_who_answers,
    hidden_characters_warning, live_prop, markdown, off, offered, text_field,
};
use crate::core::i18n::format::plan_action;
use crate::core::i18n::words::requests;
use crate::core::model::agent_option::agent_options;
use crate::core::model::answer;
use crate::core::model::answer::Answer;
use crate::core::model::request::Request;
use crate::core::text::review_marks::TextKind;
use crate::core::view_model::icon::Icon;
use crate::core::view_model::permission_offers::shown;
use crate::ui::elements::builder::{El, el};
use crate::ui::elements::reactive::{memo, render_effect};

/// The card of an open plan: the plan itself, how to go on, feedback.
#[component(transparent)]
pub fn PlanCard(
    /// The open request.
    controls: AnswerControls,
    /// What it asks.
    request: Request,
) -> El {
    let request = &request;
    let text =
        |name: &str| request.details.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let plan = text("planContent").or_else(|| text("summary")).unwrap_or_default();
    let actions = answer::plan_actions(request);
    let recommended = text("recommendedAction");
    let chosen = controls.draft("action", &answer::plan_start(request).unwrap_or_default());
    let feedback = controls.draft("feedback", "");
    let edits = controls.draft("edits", "");
    let must_choose = !actions.is_empty();
    // An agent with options of its own has no field for feedback, and knows nothing of later edits.
    let is_agents = agent_options(&request.details).is_some();
    let rejection = shown(answer::plan_rejection(request).unwrap_or(requests::REJECT.text()));
    render_effect(move || controls.missing().set(must_choose && chosen.get().is_empty()));
    let mut body = vec![markdown(plan)];
    body.extend(hidden_characters_warning(std::iter::once(plan).chain(actions.iter().map(String::as_str))));
    if !actions.is_empty() {
        body.push(radios(controls, chosen, actions, recommended));
    }
    if !is_agents {
        body.push(for_who_answers(controls, edits_box(controls, edits)));
    }
    card(controls, CardHeading::new(Icon::List, requests::GO_AHEAD.text()), body, move || {
        let answer = move |approved| Answer::Plan {
            approved,
            selected_action: Some(chosen.now()).filter(|action| !action.is_empty()),
            auto_approve_edits: edits.now() == "true",
            feedback: feedback.filled(),
        };
        let reject = Box::new(move || controls.send("reject", &answer(false)));
        let reject = boxed_button(controls, "reject".into(), ButtonLook::Plain, reject);
        let buttons = vec![
            reject.child(exact(el("span").attr("dir", "auto"), &rejection, TextKind::Prose)),
            button(controls, "approve", requests::APPROVE, ButtonLook::Primary, move || {
                controls.send("approve", &answer(true));
            }),
        ];
        let hint = if is_agents { requests::FEEDBACK_NEXT } else { requests::FEEDBACK_DECIDING };
        let label = requests::FEEDBACK.text();
        let field = text_field(controls, feedback, "feedback", label, hint.text());
        vec![field, answers(controls, buttons)]
    })
}

fn radios(controls: AnswerControls, chosen: Draft, actions: Vec<String>, recommended: Option<&str>) -> El {
    let recommended = recommended.map(str::to_owned);
    let words = move |action: &str| {
        let words = exact(el("span"), plan_action(action), TextKind::Line);
        if recommended.as_deref() == Some(action) {
            words.text(" ").child(el("small").class("hint").text(requests::RECOMMENDED.text()))
        } else {
            words
        }
    };
    let radio = move |action: String, words: El| {
        let input = el("input").attr("type", "radio").attr("name", controls.element("action"));
        let input = off(controls, input.attr("value", &action));
        let own = StoredValue::new(action);
        let on = move || own.with_value(|own| chosen.get() == *own).into();
        let input =
            live_prop(input, "checked", Box::new(on)).on("change", move |_| chosen.set(own.get_value()));
        el("label").class("check").child(input).child(words)
    };
    let silent = memo(move || controls.store().cannot_answer());
    el("fieldset").class("field").child(el("legend").text(requests::THEN.text())).child(move || {
        let all = actions.iter().map(|action| words(action));
        if silent.get() {
            vec![offered(all.collect())]
        } else {
            actions.iter().cloned().zip(all).map(|(action, words)| radio(action, words)).collect()
        }
    })
}

/// The check box for allowing every edit that follows from the plan.
fn edits_box(controls: AnswerControls, edits: Draft) -> El {
    let input = off(controls, el("input").attr("type", "checkbox").attr("data-field", "autoApproveEdits"));
    let input = live_prop(input, "checked", Box::new(move || (edits.get() == "true").into()));
    let input = input.on("change", move |event| edits.set(event_target_checked(event).to_string()));
    let words = el("span").text(requests::AUTO_EDITS.text()).text(" ");
    let words = words.child(el("small").class("hint").text(requests::AUTO_EDITS_MEANS.text()));
    el("label").class("check").child(input).child(words)
}
