//! The card of a permission: all that is to be allowed, then the buttons. Refuses to describe it; `subject` does.

use std::rc::Rc;

use leptos::prelude::*;
use serde_json::{Value, json};
use wasm_bindgen_futures::spawn_local;

use super::ask::Ask;
use super::card::{
    Head, Lasting, Look, answers, asked_again, button, card, feedback_field, granting, lasting,
};
use super::exact::{cautions, facts, shown};
use super::subject::subject;
use crate::core::answer::Answer;
use crate::core::grant;
use crate::core::language::words::requests;
use crate::core::request::Request;
use crate::ui::dom::{El, div};

const RESOLVE: &str = "session.permissions.locations.resolve";

/// A permission, open.
pub fn permission(ask: Ask, request: &Request) -> El {
    let cwd = ask.store().read(|state| state.info.cwd.clone()).flatten();
    let subject = subject(request, cwd.as_deref());
    let session = grant::session_words(request);
    let place = place(ask, request, cwd.as_deref());
    let feedback = ask.draft("feedback", "");
    let head = Head { icon: subject.icon, question: subject.question, why: subject.why };
    let mut body = shown(subject.shown);
    body.extend(facts(&subject.facts));
    body.extend(cautions(&subject.cautions));
    card(ask, head, body, move || {
        let reject = move || {
            ask.send("reject", &Answer::Reject { feedback: feedback.filled() });
        };
        let mut buttons = vec![button(ask, "reject", requests::REJECT, Look::Plain, reject)];
        let place = place.get().map(|(location_key, grants)| Lasting {
            hook: "approve-for-location",
            words: requests::ALLOW_LOCATION,
            grants,
            send: Rc::new(move || {
                let location_key = location_key.clone();
                ask.send("approve-for-location", &Answer::ApproveForLocation { location_key });
            }),
        });
        buttons.extend(place.as_ref().map(|place| lasting(ask, place)));
        if let Some(grants) = &session {
            let press = move || ask.send("approve-for-session", &Answer::ApproveForSession);
            buttons.push(granting(ask, "approve-for-session", requests::ALLOW_SESSION, grants, press));
        }
        let once = move || ask.send("approve-once", &Answer::ApproveOnce);
        buttons.push(button(ask, "approve-once", requests::ALLOW_ONCE, Look::Primary, once));
        let again = asked_again(ask, place.into_iter().collect(), div("again-place"));
        vec![feedback_field(ask, feedback), answers(ask, buttons), again]
    })
}

/// The place that a lasting permission would be for, and what it would grant there. Requests do not name it: the server
/// is asked. What comes after the card is armed is not offered any more: nothing moves under a pointer.
fn place(ask: Ask, request: &Request, cwd: Option<&str>) -> RwSignal<Option<(String, String)>> {
    let with_words =
        |request: &Request, key: &str| Some((key.to_owned(), grant::location_words(request, key)?));
    let known = grant::location(request).and_then(|key| with_words(request, key));
    let asked = (known.is_none() && grant::session_approval(request).is_some())
        .then_some(cwd)
        .flatten()
        .and_then(|cwd| ask.store().order(RESOLVE, json!({ "workingDirectory": cwd })));
    let place = RwSignal::new(known);
    if let Some(asked) = asked {
        let request = request.clone();
        spawn_local(async move {
            let Ok(answer) = asked.await else { return };
            let key = answer.get("locationKey").and_then(Value::as_str).filter(|key| !key.is_empty());
            let late = place.try_get_untracked().is_none() || untrack(|| ask.armed());
            if let Some(offered) = key.and_then(|key| with_words(&request, key)).filter(|_| !late) {
                place.set(Some(offered));
            }
        });
    }
    place
}
