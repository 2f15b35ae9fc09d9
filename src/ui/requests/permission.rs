//! The card of a permission: everything that is to be allowed, then the buttons. One that
//! grants little is a single line.

use std::rc::Rc;

use leptos::prelude::*;
use serde_json::{Value, json};
use wasm_bindgen_futures::spawn_local;

use super::answer_controls::AnswerControls;
use super::card::{Below, Head, Lasting, Look, answers, button, grants, more, parted_card};
use super::reject::Rejection;
use super::subject_view::{cautions, exact, facts, icon, parts, ticked};
use crate::core::i18n::words::requests;
use crate::core::model::answer::Answer;
use crate::core::model::approval_scope;
use crate::core::model::request::Request;
use crate::core::text::review_marks::TextKind;
use crate::core::view_model::approval::{Part, Subject, scope, subject};
use crate::ui::elements::builder::{El, el};

const RESOLVE: &str = "session.permissions.locations.resolve";

/// The card of an open permission: everything that is to be allowed, then the buttons.
#[component(transparent)]
pub fn PermissionCard(
    /// The open request.
    controls: AnswerControls,
    /// What it asks.
    request: Request,
) -> El {
    let request = &request;
    let cwd = controls.store().read(|state| state.info.cwd.clone()).flatten();
    let subject = subject(request, cwd.as_deref());
    let session = scope::for_session(request);
    let place = place(controls, request, cwd.as_deref());
    let rejection = Rejection::new(controls);
    if let Some(line) = line(request, &subject) {
        return small(controls, &subject, line, permission_answers(controls, rejection, session, place));
    }
    let head = Head { icon: icon(subject.kind), question: subject.question, why: subject.why, small: false };
    // What it does comes first, then all of it, then where.
    let mut body = cautions(&subject.cautions);
    body.extend(subject.summary.map(|words| el("p").class("does").attr("dir", "auto").child(ticked(&words))));
    body.extend(parts(subject.parts, &subject.marks));
    body.extend(facts(&subject.facts));
    parted_card(controls, head, body, permission_answers(controls, rejection, session, place))
}

/// Reject at one end, the main answer at the other, and what lasts behind a button of its own.
fn permission_answers(
    controls: AnswerControls,
    rejection: Rejection,
    session: Option<String>,
    place: RwSignal<Option<(String, String)>>,
) -> Vec<Below> {
    vec![Box::new(move || {
        let mut all: Vec<Lasting> = Vec::new();
        all.extend(session.clone().map(|grants| for_session(controls, grants)));
        all.extend(place.get().map(|place| for_location(controls, place)));
        let mut buttons = vec![rejection.buttons()];
        buttons.extend(more(controls, &all));
        buttons.push(once(controls));
        vec![rejection.field(), answers(controls, buttons), grants(controls, all)]
    })]
}

fn once(controls: AnswerControls) -> El {
    let press = move || controls.send("approve-once", &Answer::ApproveOnce);
    button(controls, "approve-once", requests::ALLOW_ONCE, Look::Primary, press)
}

fn for_session(controls: AnswerControls, grants: String) -> Lasting {
    let send = Rc::new(move || controls.send("approve-for-session", &Answer::ApproveForSession));
    Lasting { hook: "approve-for-session", words: requests::ALLOW_SESSION, grants, send }
}

fn for_location(controls: AnswerControls, (location_key, grants): (String, String)) -> Lasting {
    Lasting {
        hook: "approve-for-location",
        words: requests::ALLOW_LOCATION,
        grants,
        send: Rc::new(move || {
            let location_key = location_key.clone();
            controls.send("approve-for-location", &Answer::ApproveForLocation { location_key });
        }),
    }
}

/// The longest path and purpose that fit on a line, in bytes.
const LONGEST: usize = 240;

/// What the line of a permission that grants little shows: the path and the purpose.
/// `None` if there is more to say.
pub fn line<'a>(request: &Request, subject: &'a Subject) -> Option<(&'a str, Option<&'a str>)> {
    let [Part::Text(path, _)] = subject.parts.as_slice() else { return None };
    let why = subject.why.as_deref().unwrap_or_default();
    let little = scope::grants_little(request) && subject.facts.is_empty() && subject.cautions.is_empty();
    let short = path.len() <= LONGEST && why.len() <= LONGEST && !path.contains('\n') && !why.contains('\n');
    (little && short).then(|| (path.as_str(), scope::purpose(why, path)))
}

/// A card of one line with its answers.
fn small(
    controls: AnswerControls,
    subject: &Subject,
    (path, purpose): (&str, Option<&str>),
    below: Vec<Below>,
) -> El {
    let head = Head { icon: icon(subject.kind), question: subject.question.clone(), why: None, small: true };
    let what = exact(el("code").attr("dir", "ltr"), path, TextKind::Line);
    let purpose = purpose.map(|purpose| exact(el("span").class("quiet"), purpose, TextKind::Prose));
    let what = el("p").class("request-line").attr("dir", "auto").child(what).text(" ").child(purpose);
    parted_card(controls, head, vec![what], below)
}

/// The location that a lasting permission would be for, and what it would grant there. Requests do not name
/// it, so the server is asked. An answer that comes after the card is armed is not offered any more, so that
/// nothing moves under a pointer.
fn place(
    controls: AnswerControls,
    request: &Request,
    cwd: Option<&str>,
) -> RwSignal<Option<(String, String)>> {
    let with_words =
        |request: &Request, key: &str| Some((key.to_owned(), scope::for_location(request, key)?));
    let known = approval_scope::location(request).and_then(|key| with_words(request, key));
    let asked = (known.is_none() && approval_scope::for_location(request).is_some())
        .then_some(cwd)
        .flatten()
        .and_then(|cwd| controls.store().call(RESOLVE, json!({ "workingDirectory": cwd })));
    let place = RwSignal::new(known);
    if let Some(asked) = asked {
        let request = request.clone();
        spawn_local(async move {
            let Ok(answer) = asked.await else { return };
            let key = answer.get("locationKey").and_then(Value::as_str).filter(|key| !key.is_empty());
            let late = place.try_get_untracked().is_none() || untrack(|| controls.armed());
            if let Some(offered) = key.and_then(|key| with_words(&request, key)).filter(|_| !late) {
                place.set(Some(offered));
            }
        });
    }
    place
}
