//! The card of a permission: all that is to be allowed, then the buttons. Refuses to describe it; `subject` does.

use serde_json::Value;

use super::ask::Ask;
use super::card::{Head, Look, answers, button, card, feedback_field};
use super::exact::{cautions, facts, shown};
use super::subject::subject;
use crate::core::answer::{self, Answer};
use crate::core::language::words::requests;
use crate::core::request::Request;
use crate::ui::dom::El;

/// A permission, open.
pub fn permission(ask: Ask, request: &Request) -> El {
    let cwd = ask.store().read(|state| state.info.cwd.clone()).flatten();
    let subject = subject(request, cwd);
    let session = answer::session_approval(request).is_some();
    let place = location(request);
    let feedback = ask.draft("feedback", "");
    let head = Head { icon: subject.icon, question: subject.question, why: subject.why };
    let mut body = shown(subject.shown);
    body.extend(facts(&subject.facts));
    body.extend(cautions(&subject.cautions));
    card(ask, head, body, move || {
        let reject = move || {
            ask.send("reject", Answer::Reject { feedback: feedback.filled() });
        };
        let mut buttons = vec![button(ask, "reject", requests::REJECT, Look::Plain, reject)];
        buttons.extend(place.clone().map(|location_key| {
            button(ask, "approve-for-location", requests::ALLOW_LOCATION, Look::Plain, move || {
                let location_key = location_key.clone();
                ask.send("approve-for-location", Answer::ApproveForLocation { location_key });
            })
        }));
        if session {
            let press = move || ask.send("approve-for-session", Answer::ApproveForSession);
            buttons.push(button(ask, "approve-for-session", requests::ALLOW_SESSION, Look::Plain, press));
        }
        let once = move || ask.send("approve-once", Answer::ApproveOnce);
        buttons.push(button(ask, "approve-once", requests::ALLOW_ONCE, Look::Primary, once));
        vec![feedback_field(ask, feedback), answers(ask, buttons)]
    })
}

/// The place that a lasting permission would be for, where one is offered.
fn location(request: &Request) -> Option<String> {
    answer::session_approval(request)?;
    let own = |value: Option<&Value>| value?.get("locationKey")?.as_str().map(str::to_owned);
    own(Some(&request.details)).or_else(|| own(request.permission())).filter(|key| !key.is_empty())
}
