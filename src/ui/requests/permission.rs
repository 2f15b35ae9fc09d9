//! The card of a permission: all that is to be allowed, then the buttons. Refuses to describe it; `subject` does.

use std::rc::Rc;

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

/// A permission, open.
pub fn permission(ask: Ask, request: &Request) -> El {
    let cwd = ask.store().read(|state| state.info.cwd.clone()).flatten();
    let subject = subject(request, cwd.as_deref());
    let session = grant::session_words(request);
    let place = grant::location(request).map(str::to_owned).zip(grant::location_words(request));
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
        let place = place.clone().map(|(location_key, grants)| Lasting {
            hook: "approve-for-location",
            words: requests::ALLOW_LOCATION,
            grants,
            send: Rc::new(move || {
                let location_key = location_key.clone();
                ask.send("approve-for-location", Answer::ApproveForLocation { location_key });
            }),
        });
        buttons.extend(place.as_ref().map(|place| lasting(ask, place)));
        if let Some(grants) = &session {
            let press = move || ask.send("approve-for-session", Answer::ApproveForSession);
            buttons.push(granting(ask, "approve-for-session", requests::ALLOW_SESSION, grants, press));
        }
        let once = move || ask.send("approve-once", Answer::ApproveOnce);
        buttons.push(button(ask, "approve-once", requests::ALLOW_ONCE, Look::Primary, once));
        let again = asked_again(ask, place.into_iter().collect(), div("again-place"));
        vec![feedback_field(ask, feedback), answers(ask, buttons), again]
    })
}
