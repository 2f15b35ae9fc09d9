//! The card of a permission: everything that is to be allowed, then the buttons; rejecting can take a message to the agent. One
//! that grants little is a single line, and those of one kind that wait together look like one card, with one answer for all.

use std::iter;
use std::rc::Rc;

use leptos::prelude::*;
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Element, KeyboardEvent};

use super::answer_controls::{AnswerControls, Draft, guard, keep_focus};
use super::card::{
    Below, ButtonLook, CardHeading, LastingAnswer, answer_row, boxed, button, cautions, drafted, exact,
    facts, foot, full_address, grants, labelled, more, off, parted_card, ticked, truth, whole,
};
use super::reading;
use crate::core::State;
use crate::core::i18n::words::requests;
use crate::core::model::answer::{Answer, location_approval, location_key};
use crate::core::model::request::{Request, RequestKind, RequestStage};
use crate::core::model::state::Section;
use crate::core::text::diff;
use crate::core::text::diff::Diff;
use crate::core::text::review_marks::TextKind;
use crate::core::view_model::approval::{
    Fact, Mark, Part, Subject, SubjectKind, granted_for_location, granted_for_session, grants_little,
    purpose, subject,
};
use crate::core::view_model::side_by_side::{side_by_side, waits_together};
use crate::store::{RowSignals, Store};
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::focus::focus;
use crate::ui::elements::icons::Icon;
use crate::ui::elements::reactive::memo;
use crate::ui::lazy;

/// Asks the runtime for its key of a folder.
const RESOLVE: &str = "session.permissions.locations.resolve";
/// The longest path and purpose that fit on a line, in bytes.
const LONGEST_ON_A_LINE: usize = 240;

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
    let session = granted_for_session(request);
    let place = offered_folder(controls, request, cwd.as_deref());
    let rejection = Rejection::new(controls);
    let danger = subject.cautions.iter().any(|caution| caution.danger);
    let look = if danger { ButtonLook::Danger } else { ButtonLook::Primary };
    let below = permission_answers(controls, rejection, look, session, place);
    if let Some(line) = single_line(request, &subject) {
        return single_line_card(controls, &subject, line, below);
    }
    let head = CardHeading::new(icon(subject.kind), subject.question);
    // What it does comes first, then all of it, then where, and what the agent says of it.
    let mut body = cautions(&subject.cautions);
    body.extend(subject.summary.map(|words| el("p").class("does").attr("dir", "auto").child(ticked(&words))));
    body.extend(parts(subject.parts, &subject.marks));
    let purpose = subject.why.map(|why| Fact {
        name: requests::AGENT_SAYS.text().to_owned(),
        exact: vec![why],
        kind: TextKind::Prose,
        words: String::new(),
    });
    body.extend(facts(&subject.facts.into_iter().chain(purpose).collect::<Vec<_>>()));
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
        let mut buttons = vec![rejection.buttons()];
        buttons.extend(more(controls, &all));
        buttons.push(allow_once(controls, look));
        vec![rejection.field(), foot(controls, vec![answer_row(controls, buttons), grants(controls, all)])]
    })]
}

fn allow_once(controls: AnswerControls, look: ButtonLook) -> El {
    let press = move || controls.send("approve-once", &Answer::ApproveOnce);
    button(controls, "approve-once", requests::ALLOW_ONCE, look, press)
}

fn allow_for_session(controls: AnswerControls, grants: String) -> LastingAnswer {
    let send = Rc::new(move || controls.send("approve-for-session", &Answer::ApproveForSession));
    LastingAnswer { hook: "approve-for-session", words: requests::ALLOW_SESSION, grants, send }
}

fn allow_for_location(controls: AnswerControls, (location_key, grants): (String, String)) -> LastingAnswer {
    LastingAnswer {
        hook: "approve-for-location",
        words: requests::ALLOW_LOCATION,
        grants,
        send: Rc::new(move || {
            let location_key = location_key.clone();
            controls.send("approve-for-location", &Answer::ApproveForLocation { location_key });
        }),
    }
}

/// What the line of a permission that grants little shows: the path and the purpose.
/// `None` if there is more to say.
fn single_line<'a>(request: &Request, subject: &'a Subject) -> Option<(&'a str, Option<&'a str>)> {
    let [Part::Text(path, _)] = subject.parts.as_slice() else { return None };
    let why = subject.why.as_deref().unwrap_or_default();
    let little = grants_little(request) && subject.facts.is_empty() && subject.cautions.is_empty();
    let short = path.len() <= LONGEST_ON_A_LINE
        && why.len() <= LONGEST_ON_A_LINE
        && !path.contains('\n')
        && !why.contains('\n');
    (little && short).then(|| (path.as_str(), purpose(why, path)))
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
    fn field(self) -> El {
        let area = el("textarea").class("input").attr("rows", "1").attr("dir", "auto");
        let area = area.attr("id", self.controls.element("feedback")).attr("data-field", "feedback");
        let area = area.attr("tabindex", move || (!self.is_open()).then(|| "-1".to_owned()));
        self.field.set_value(Some(area.element().clone()));
        let area = drafted(self.controls, self.draft, area);
        labelled(requests::FEEDBACK.text(), requests::FEEDBACK_REJECTING.text(), area)
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

    /// 'Reject', which also sends the message, and beside it the button that opens the field.
    fn buttons(self) -> El {
        let controls = self.controls;
        let reject = move || controls.send("reject", &Answer::Reject { feedback: self.draft.filled() });
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
        let reject = button(controls, "reject", requests::REJECT, ButtonLook::Plain, reject);
        div("split").attr("aria-busy", move || truth(controls.busy("reject"))).child(reject).child(opener)
    }
}

/// The icon of what a permission is about.
fn icon(kind: SubjectKind) -> Icon {
    match kind {
        SubjectKind::Command => Icon::Terminal,
        SubjectKind::Write => Icon::Pencil,
        SubjectKind::Read => Icon::File,
        SubjectKind::Address => Icon::Globe,
        SubjectKind::Server | SubjectKind::Extension => Icon::Plug,
        SubjectKind::Memory => Icon::Skill,
        SubjectKind::Tool => Icon::Braces,
        SubjectKind::Run => Icon::Agent,
        SubjectKind::Other => Icon::Shield,
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
            match lazy::EDITS.ready() {
                Ok(edits) => vec![(edits.whole_diff)(name, Rc::clone(&read))],
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

/// The name of what is changed, as it was asked for, and what becomes of it.
fn file_name(asked: &str, diff: &Diff) -> String {
    let [file] = diff.files.as_slice() else { return asked.to_owned() };
    let name = match file.path() {
        // The diff's own spelling of the path lacks the first slash.
        Some(own)
            if own.trim_start_matches('/') != asked.trim_start_matches('/') && !asked.ends_with(own) =>
        {
            format!("{asked} ({own})")
        }
        _ => asked.to_owned(),
    };
    let name = match file.old_path.as_deref().filter(|_| file.change == diff::Change::Renamed) {
        Some(from) => format!("{from} → {name}"),
        None => name,
    };
    match file.change {
        diff::Change::Added => format!("{name} · {}", requests::NEW_FILE.text()),
        diff::Change::Deleted => format!("{name} · {}", requests::DELETED.text()),
        diff::Change::Renamed => format!("{name} · {}", requests::RENAMED.text()),
        diff::Change::Modified => name,
    }
}

/// True if a diff was read without losing a line that changes something.
fn lists_every_change(read: &Diff, source: &str) -> bool {
    let lines = read.counts();
    let header = |line: &&str| line.starts_with("+++ ") || line.starts_with("--- ");
    let headers = source.lines().filter(header).count();
    let signed = source.lines().filter(|line| line.starts_with(['+', '-'])).count();
    !read.is_empty() && !read.files.iter().any(|file| file.binary) && lines.0 + lines.1 + headers >= signed
}

/// The place of a request in a card that it shares with others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedCard {
    /// Which of them it is: `first`, `middle` or `last`.
    pub place: &'static str,
    /// All that are open are single lines.
    lines: bool,
    /// How many can be answered.
    open: usize,
    /// How many wait, and may be allowed together once they have been seen.
    plain: usize,
    /// Those that have been seen, by id.
    ready: Vec<String>,
}

/// Whether a permission has no warnings, and no policy that requires a person: it may
/// then be allowed with others.
pub fn is_plain(state: &State, request: &Request) -> bool {
    request.kind == RequestKind::Permission && {
        let subject = subject(request, state.info.cwd.as_deref());
        let managed = request.permission().and_then(|whole| whole.get("managedApprovalRequired")?.as_bool());
        subject.cautions.is_empty() && managed != Some(true)
    }
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
        store.read(|state| find_shared_card(store, state, index, &seen.get())).flatten()
    })
}

fn find_shared_card(store: Store, state: &State, index: usize, seen: &[String]) -> Option<SharedCard> {
    let places = side_by_side(state, index, |row| store.rows().is_hidden(row));
    if places.len() < 2 {
        return None;
    }
    // One with a warning stands alone, as does one that ended before the others came. It separates those around it.
    let request = |place: usize| state.entry(place).and_then(|entry| entry.request());
    let is_plain = |place: &usize| request(*place).is_some_and(|request| is_plain(state, request));
    let alone = |place: &usize| !is_plain(place) || !waits_together(state, *place, &places);
    let run = places.split(alone).find(|run| run.contains(&index))?;
    let open: Vec<usize> =
        run.iter().copied().filter(|place| request(*place).is_some_and(Request::open)).collect();
    let (first, last) = (*run.first()?, *run.last()?);
    if first == last || open.is_empty() {
        return None;
    }
    let cwd = state.info.cwd.as_deref();
    let is_line = |place: &usize| {
        request(*place).is_some_and(|asked| single_line(asked, &subject(asked, cwd)).is_some())
    };
    let waiting =
        |place: &&usize| request(**place).is_some_and(|request| request.stage == RequestStage::Waiting);
    let ids = open.iter().filter(waiting).filter_map(|place| state.entry(*place)).map(|entry| &entry.id);
    Some(SharedCard {
        place: if index == first {
            "first"
        } else if index == last {
            "last"
        } else {
            "middle"
        },
        lines: open.iter().all(is_line),
        open: open.len(),
        plain: ids.clone().count(),
        ready: ids.filter(|id| seen.contains(id)).cloned().collect(),
    })
}

/// The head of a shared card. Every request in one has it, because it marks the place (`data-card`).
pub fn shared_head(shared: Memo<Option<SharedCard>>) -> El {
    let title = memo(move || {
        let shared =
            shared.get().filter(|shared| shared.place == "first" && shared.lines && shared.open > 1)?;
        Some(requests::READ_THESE.with(&[("n", shared.open.into())]))
    });
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
        .attr("aria-disabled", move || (!controls.armed()).then(|| "true".to_owned()))
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

#[cfg(all(test, target_arch = "wasm32"))]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    #[wasm_bindgen_test]
    fn a_diff_that_lost_a_line_is_not_trusted() {
        let source = "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-old\n+new\n+more\n";
        assert!(lists_every_change(&diff::parse(source), source));
        assert!(!lists_every_change(&diff::parse(source), &format!("{source}\n+stray\n")));
        assert!(!lists_every_change(&Diff::default(), "not a diff"));
    }
}
