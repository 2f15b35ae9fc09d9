//! The card of a permission: everything that is to be allowed, then the buttons; rejecting can take a message to the agent. One
//! that grants little is a single line, and those of one kind that wait together look like one card, with one answer for all.

use std::iter;
use std::rc::Rc;

use leptos::prelude::*;
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Element, KeyboardEvent};

use super::answer_controls::{AnswerControls, AnswerKey, Draft, guard, keep_focus};
use super::card::{
    Below, ButtonLook, CardHeading, LastingAnswer, answer_row, asked_again, asking, boxed, boxed_button,
    button, cautions, drafted, exact, facts, foot, full_address, grants, labelled, more, off, parted_card,
    ticked, truth, whole,
};
use super::reading;
use crate::core::State;
use crate::core::i18n::Word;
use crate::core::i18n::words::requests;
use crate::core::model::answer::{Answer, location_approval, location_key};
use crate::core::model::request::Request;
use crate::core::model::state::Section;
use crate::core::text::diff;
use crate::core::text::review_marks::TextKind;
use crate::core::view_model::approval::{
    Mark, Part, Subject, granted_for_location, granted_for_session, subject,
};
use crate::core::view_model::icon::Icon;
use crate::core::view_model::permission_card::{
    SharedCard, file_name, icon, lists_every_change, single_line,
};
use crate::core::view_model::permission_offers::{Offer, Offers};
use crate::store::{RowSignals, Store};
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::focus::focus;
use crate::ui::elements::reactive::memo;
use crate::ui::lazy;

/// Asks the runtime for its key of a folder.
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
    let rejection = Rejection::new(controls);
    let look = if subject.may_harm() { ButtonLook::Danger } else { ButtonLook::Primary };
    let below = if let Some(offers) = Offers::of(&request.details) {
        agents_answers(controls, rejection, look, offers, subject.object(cwd.as_deref()))
    } else {
        let session = granted_for_session(request);
        let place = offered_folder(controls, request, cwd.as_deref());
        permission_answers(controls, rejection, look, session, place)
    };
    if let Some(line) = single_line(request, &subject) {
        return single_line_card(controls, &subject, line, below);
    }
    let facts_and_purpose = subject.facts_and_purpose();
    let head = CardHeading::new(icon(subject.kind), subject.question);
    // What it does comes first, then all of it, then where, and what the agent says of it.
    let mut body = cautions(&subject.cautions);
    body.extend(subject.summary.map(|words| el("p").class("does").attr("dir", "auto").child(ticked(&words))));
    body.extend(parts(subject.parts, &subject.marks));
    body.extend(facts(&facts_and_purpose));
    parted_card(controls, head, body, below)
}

/// Reject at one end, the main answer at the other, and what lasts behind a button of its own.
fn permission_answers(
    controls: AnswerControls,
    rejection: Rejection,
    look: ButtonLook,
    session: Option<String>,
    place: RwSignal<Option<(String, String)>>,
) -> Vec<Below> {
    vec![Box::new(move || {
        let mut all: Vec<LastingAnswer> = Vec::new();
        all.extend(session.clone().map(|grants| allow_for_session(controls, grants)));
        all.extend(place.get().map(|place| allow_for_location(controls, place)));
        let mut buttons = vec![rejection.buttons("reject".into(), rejection.reject())];
        buttons.extend(more(controls, &all));
        buttons.push(allow_once(controls, look));
        vec![
            rejection.field(requests::FEEDBACK_REJECTING),
            foot(controls, vec![answer_row(controls, buttons), grants(controls, all)]),
        ]
    })]
}

/// The agent's own answers, by their names. What lasts is asked again.
fn agents_answers(
    controls: AnswerControls,
    rejection: Rejection,
    look: ButtonLook,
    offers: Offers,
    about: Option<String>,
) -> Vec<Below> {
    vec![Box::new(move || {
        let agent = controls.store().read(|state| state.info.agent.clone()).flatten();
        let agent = agent.as_deref();
        let (mut buttons, mut lasting) = (Vec::new(), Vec::new());
        let mut opens_feedback = true;
        for (nth, offer) in offers.all.iter().enumerate() {
            let key = AnswerKey { hook: offer.hook(), nth };
            let answer = agents_answer(rejection, offer);
            let press = move || controls.send(key, &answer());
            let button = if offer.lasts() {
                lasting.push(LastingAnswer {
                    key,
                    words: offer.name.clone(),
                    grants: offer.in_full(agent),
                    about: about.clone(),
                    send: Rc::new(press),
                });
                asking(controls, key, "btn")
            } else {
                let look = if offer.is_main { look } else { ButtonLook::Plain };
                boxed_button(controls, key, look, Box::new(press))
            };
            let button = named(button, offer, agent, offers.stacked);
            // Feedback goes with any refusal; the button for its field stands beside the first one.
            let is_first = offer.kind.refuses() && std::mem::take(&mut opens_feedback);
            opens_feedback &= !offer.kind.refuses();
            buttons.push(if is_first { rejection.buttons(key, button) } else { button });
        }
        if !offers.stacked {
            // From the refusal to the main answer, as on every card.
            buttons.reverse();
        }
        let row = answer_row(controls, buttons).attr("data-offers", offers.layout());
        let asked = asked_again(controls, lasting, div("confirm-place"));
        vec![rejection.field(requests::FEEDBACK_NEXT), foot(controls, vec![row, asked])]
    })]
}

/// Makes the answer that an offer stands for, with what was written by then.
fn agents_answer(rejection: Rejection, offer: &Offer) -> impl Fn() -> Answer + use<> {
    let (id, refuses) = (offer.id.clone(), offer.kind.refuses());
    move || {
        let feedback = rejection.draft.filled().filter(|_| refuses);
        match id.clone() {
            Some(id) => Answer::AgentOption { id, feedback },
            None => Answer::Reject { feedback },
        }
    }
}

/// The button of an offer: its name, and what it does by its kind, below it where there is room.
fn named(button: El, offer: &Offer, agent: Option<&str>, stacked: bool) -> El {
    let name = exact(el("span").attr("dir", "auto"), &offer.name, TextKind::Prose);
    let effect = offer.effect(agent);
    let below = stacked.then(|| el("small").attr("dir", "auto").text(&effect));
    let beside = offer.whole_name.clone().or_else(|| (!stacked).then_some(effect));
    button.attr("data-option", offer.id.clone()).attr("title", beside).child(name).child(below)
}

fn allow_once(controls: AnswerControls, look: ButtonLook) -> El {
    let press = move || controls.send("approve-once", &Answer::ApproveOnce);
    button(controls, "approve-once", requests::ALLOW_ONCE, look, press)
}

fn allow_for_session(controls: AnswerControls, grants: String) -> LastingAnswer {
    let send = Rc::new(move || controls.send("approve-for-session", &Answer::ApproveForSession));
    let words = requests::ALLOW_SESSION.text().to_owned();
    LastingAnswer { key: "approve-for-session".into(), words, grants, about: None, send }
}

fn allow_for_location(controls: AnswerControls, (location_key, grants): (String, String)) -> LastingAnswer {
    LastingAnswer {
        key: "approve-for-location".into(),
        words: requests::ALLOW_LOCATION.text().to_owned(),
        grants,
        about: None,
        send: Rc::new(move || {
            let location_key = location_key.clone();
            controls.send("approve-for-location", &Answer::ApproveForLocation { location_key });
        }),
    }
}

/// A card of one line with its answers.
fn single_line_card(
    controls: AnswerControls,
    subject: &Subject,
    (path, purpose): (&str, Option<&str>),
    below: Vec<Below>,
) -> El {
    let head =
        CardHeading { icon: icon(subject.kind), question: subject.question.clone(), why: None, small: true };
    let what = exact(el("code").attr("dir", "ltr"), path, TextKind::Line);
    let purpose = purpose.map(|purpose| exact(el("span").class("quiet"), purpose, TextKind::Prose));
    let what = el("p").class("request-line").attr("dir", "auto").child(what).text(" ").child(purpose);
    parted_card(controls, head, vec![what], below)
}

/// The location that a lasting permission would be for, and what it would grant there. Requests do not name
/// it, so the server is asked. An answer that comes after the card is armed is not offered any more, so that
/// nothing moves under a pointer.
fn offered_folder(
    controls: AnswerControls,
    request: &Request,
    cwd: Option<&str>,
) -> RwSignal<Option<(String, String)>> {
    let with_words =
        |request: &Request, key: &str| Some((key.to_owned(), granted_for_location(request, key)?));
    let known = location_key(request).and_then(|key| with_words(request, key));
    let asked = (known.is_none() && location_approval(request).is_some())
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

/// The message to the agent. Its field is closed until somebody wants to write one.
#[derive(Clone, Copy)]
struct Rejection {
    controls: AnswerControls,
    draft: Draft,
    opened: RwSignal<bool>,
    field: StoredValue<Option<Element>, LocalStorage>,
    opener: StoredValue<Option<Element>, LocalStorage>,
}

impl Rejection {
    /// Must be made outside of what is rebuilt, so that an opened field stays open.
    fn new(controls: AnswerControls) -> Self {
        let (field, opener) = (StoredValue::new_local(None), StoredValue::new_local(None));
        Self { controls, draft: controls.draft("feedback", ""), opened: RwSignal::new(false), field, opener }
    }

    /// A message that would be sent is always visible.
    fn is_open(self) -> bool {
        self.opened.get() || !self.draft.get().is_empty()
    }

    fn open(self) {
        self.opened.set(true);
        // What is below it moves down.
        self.controls.moved();
        self.field.with_value(|field| field.as_ref().inspect(|field| focus(field, true)).is_some());
    }

    fn close(self) {
        self.opened.set(false);
        self.controls.moved();
        self.opener.with_value(|opener| opener.as_ref().inspect(|opener| focus(opener, false)).is_some());
    }

    /// The labelled field. While closed it takes no room and no Tab stop; it opens when it gets the focus.
    fn field(self, hint: Word) -> El {
        let area = el("textarea").class("input").attr("rows", "1").attr("dir", "auto");
        let area = area.attr("id", self.controls.element("feedback")).attr("data-field", "feedback");
        let area = area.attr("tabindex", move || (!self.is_open()).then(|| "-1".to_owned()));
        self.field.set_value(Some(area.element().clone()));
        let area = drafted(self.controls, self.draft, area);
        labelled(requests::FEEDBACK.text(), hint.text(), area)
            .class("field feedback")
            .attr("data-closed", move || !self.is_open())
            .on("focusin", move |_| self.opened.set(true))
            .on("keydown", move |event| {
                if event.dyn_ref::<KeyboardEvent>().is_some_and(|event| event.key() == "Escape") {
                    event.stop_propagation();
                    self.close();
                }
            })
    }

    /// 'Reject', which also sends the message.
    fn reject(self) -> El {
        let controls = self.controls;
        let reject = move || controls.send("reject", &Answer::Reject { feedback: self.draft.filled() });
        button(controls, "reject", requests::REJECT, ButtonLook::Plain, reject)
    }

    /// A button that rejects, and beside it the one that opens the field.
    fn buttons(self, key: AnswerKey, reject: El) -> El {
        let controls = self.controls;
        let opener = el("button").attr("type", "button").class("btn more").attr("part", "button");
        let opener = off(controls, opener)
            .attr("data-feedback", "")
            .attr("aria-label", requests::REJECT_WITH.text())
            .attr("title", requests::REJECT_WITH.text())
            .attr("aria-keyshortcuts", "f")
            .attr("aria-controls", controls.element("feedback"))
            .attr("aria-expanded", move || Some(self.is_open().to_string()))
            // Drawn by the style sheet: as a text it would be read out as part of the button's name.
            .attr("data-key", "f")
            .child(glyph(Icon::More))
            .on("click", move |_| if untrack(|| self.is_open()) { self.close() } else { self.open() });
        self.opener.set_value(Some(opener.element().clone()));
        div("split").attr("aria-busy", move || truth(controls.busy(key))).child(reject).child(opener)
    }
}

/// What is to be allowed, in full. `marks` are the parts of a command that the warnings are about.
fn parts(list: Vec<Part>, marks: &[Mark]) -> Vec<El> {
    let one = |part: Part| match part {
        Part::Text(text, TextKind::Command) => vec![command(&text, marks)],
        Part::Text(text, kind) => vec![whole(&text, kind)],
        Part::Address(url) => vec![full_address(&url)],
        Part::Change { path, diff, contents } => change(&path, diff.as_deref(), contents.as_deref()),
    };
    list.into_iter().flat_map(one).collect()
}

/// A whole command, in which what the warnings are about is marked.
fn command(text: &str, marks: &[Mark]) -> El {
    let mut code = el("code");
    let mut at = 0;
    for Mark { part, danger } in marks {
        code = exact(code, text.get(at..part.start).unwrap_or_default(), TextKind::Command);
        let marked = text.get(part.clone()).unwrap_or_default();
        code = code.child(exact(el("mark").attr("data-danger", *danger), marked, TextKind::Command));
        at = part.end;
    }
    let code = exact(code, text.get(at..).unwrap_or_default(), TextKind::Command);
    boxed(code)
}

/// A change: the diff if it was read without loss, as an edit shows it, with the new content folded below it.
/// Otherwise both as they came.
fn change(path: &str, source: Option<&str>, contents: Option<&str>) -> Vec<El> {
    let read = source.map(diff::parse).filter(|read| lists_every_change(read, source.unwrap_or_default()));
    if let (Some(read), Some(source)) = (read, source) {
        let (name, read, text) = (file_name(path, &read), Rc::new(read), source.to_owned());
        let lines = div("request-diff").child(move || {
            let name = exact(el("code").class("path"), &name, TextKind::Line);
            match lazy::DIFFS.ready() {
                Ok(diffs) => vec![(diffs.whole_diff)(name, Rc::clone(&read))],
                // All of it is to be seen also where the chunk does not come.
                Err(_) => vec![name, whole(&text, TextKind::Content)],
            }
        });
        let file = contents.map(|contents| {
            let summary = el("summary").text(requests::WHOLE_FILE.text());
            // The change above shows everything that is new in it.
            let file = boxed(exact(el("code"), contents, TextKind::Content));
            el("details").class("request-more").child(summary).child(file)
        });
        return iter::once(lines).chain(file).collect();
    }
    let mut all = vec![whole(path, TextKind::Line)];
    all.extend(source.map(|source| whole(source, TextKind::Content)));
    if let Some(contents) = contents {
        all.push(el("p").class("hint").text(requests::WHOLE_FILE_FOLLOWS.text()));
        all.push(whole(contents, TextKind::Content));
    }
    all
}

/// The place of a request in a shared card, as long as one of those in it is open.
pub fn shared_card(store: Store, index: usize) -> Memo<Option<SharedCard>> {
    memo(move || {
        let seen = store.view_state.seen_requests;
        let any = |state: &State| !state.open_requests.is_empty();
        if store.section(Section::Pending, any) != Some(true) {
            return None;
        }
        store.rows().track();
        store
            .read(|state| SharedCard::of(state, index, &seen.get(), &|row| store.rows().is_hidden(row)))
            .flatten()
    })
}

/// The head of a shared card. Every request in one has it, because it marks the place (`data-card`).
pub fn shared_head(shared: Memo<Option<SharedCard>>) -> El {
    let title = memo(move || shared.with(|shared| shared.as_ref().and_then(SharedCard::title)));
    div("card-head")
        .attr("data-card", move || shared.get().map(|shared| shared.place.to_owned()))
        .attr("data-lines", move || shared.get().is_some_and(|shared| shared.lines && shared.open > 1))
        .child(move || title.get().map(|title| el("h3").text(&title)))
}

/// The foot of a shared card: one answer for all of which all has been in view.
pub fn shared_foot(store: Store, index: usize, row: RowSignals, shared: Memo<Option<SharedCard>>) -> El {
    let all = memo(move || {
        let shared = shared.get().filter(|shared| shared.place == "last" && shared.plain > 1)?;
        (!store.cannot_answer() && !store.reading.get()).then_some((shared.plain, shared.ready))
    });
    div("card-foot").child(move || {
        let (plain, ready) = all.get()?;
        if ready.len() < 2 {
            return Some(el("p").class("hint").text(requests::LOOK_FIRST.text()));
        }
        let words = if ready.len() == plain { requests::ALLOW_THESE } else { requests::ALLOW_ALL_SEEN };
        Some(untrack(|| {
            allow_all_button(store, index, row, &words.with(&[("n", ready.len().into())]), ready)
        }))
    })
}

/// The button for all. It shows how many and is rebuilt with the number, so it is not armed
/// at once, nor after it moved.
fn allow_all_button(store: Store, index: usize, row: RowSignals, words: &str, ready: Vec<String>) -> El {
    let controls = AnswerControls::new(store, index, row, "grouped".to_owned());
    let place = div("answers request-all").attr("tabindex", "-1");
    let element = place.element().clone();
    let button = el("button")
        .attr("type", "button")
        .class("btn primary")
        .attr("part", "button")
        .attr("data-answer-all", "approve-once")
        .attr("aria-disabled", move || {
            (!controls.armed() || controls.is_cut_off()).then(|| "true".to_owned())
        })
        .text(words)
        .on("click", move |event| {
            if controls.takes(event) {
                controls.unsettle();
                keep_focus(&element);
                for id in &ready {
                    store.answer(id, &Answer::ApproveOnce);
                }
            }
        });
    // It has nothing to read, but keys count only once it has been on the screen.
    reading::watch(controls, place.element());
    guard(controls, place.child(button))
}
