//! The parts that every card is made of: the frame, exact texts, facts and warnings, buttons, text fields, markdown. What is to be
//! read before an answer is never folded, cut or interpreted.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::Reflect;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::KeyboardEvent;

use super::answer_controls::{AnswerControls, AnswerKey, Draft, guard};
use super::reading;
use crate::client::announcer::announce_outcome;
use crate::core::i18n::Word;
use crate::core::i18n::format::without_marks;
use crate::core::i18n::words::{connection, requests};
use crate::core::model::request::Request;
use crate::core::text::review_marks::{
    ReviewMark, TextKind, address, count_hidden, may_open, path_names, review,
};
use crate::core::view_model::agent_name;
use crate::core::view_model::approval::{Caution, Fact};
use crate::core::view_model::asked::Asked;
use crate::core::view_model::icon::Icon;
use crate::core::view_model::settled_request::lowercase_first;
use crate::ui::elements::builder::{El, append, div, el, glyph};
use crate::ui::elements::exact::token;
use crate::ui::elements::flash::{clear_flash, flash};
use crate::ui::elements::reactive::{memo, render_effect};
use crate::ui::lazy;
use crate::ui::renderers;
use crate::ui::slots;

/// The head of a card.
pub struct CardHeading {
    /// Which icon.
    pub icon: Icon,
    /// The plain question.
    pub question: String,
    /// What the asker intends.
    pub why: Option<String>,
    /// The card is one line, named by the question and by what the line shows.
    pub small: bool,
}

impl CardHeading {
    /// A head without a reason.
    pub fn new(icon: Icon, question: impl Into<String>) -> Self {
        Self { icon, question: question.into(), why: None, small: false }
    }

    /// The head of a request that is neither a permission nor a question nor a plan.
    pub fn of(request: &Request) -> Self {
        let asked = Asked::of(request);
        let Asked { icon, question, why } = asked.unwrap_or_else(|| Asked::unknown(request));
        Self { icon, question, why: why.filter(|why| !why.trim().is_empty()), small: false }
    }
}

/// Builds what is below a card's body, while answers can be given here.
pub type Below = Box<dyn Fn() -> Vec<El>>;

/// A card: its head, what is asked, and below it fields and buttons, or a line that says why there are none.
pub fn card(
    controls: AnswerControls,
    head: CardHeading,
    body: Vec<El>,
    answers: impl Fn() -> Vec<El> + 'static,
) -> El {
    parted_card(controls, head, body, vec![Box::new(answers)])
}

/// A card with several parts below the body, each of which follows its own signals.
pub fn parted_card(controls: AnswerControls, head: CardHeading, body: Vec<El>, below: Vec<Below>) -> El {
    let CardHeading { icon, question, why, small } = head;
    let described = if why.is_some() {
        format!("{} {}", controls.element("why"), controls.element("body"))
    } else {
        controls.element("body")
    };
    let name = controls.element("question");
    let title = el("h3").attr("id", &name).attr("dir", "auto");
    let why = why.map(|why| {
        let host = el("p").attr("id", controls.element("why")).attr("dir", "auto");
        exact(host, &why, TextKind::Prose)
    });
    let asker = memo(move || controls.asker());
    let tag = move || {
        let asker = asker.get()?;
        let tag = el("span").class("tag").attr("dir", "auto").child(glyph(Icon::Agent));
        let tag = tag.attr("title", asker.task.as_deref().map(without_marks));
        Some(exact(tag, agent_name::shown(asker.name.as_deref().unwrap_or_default()), TextKind::Line))
    };
    // A small card has one line: there the task is in the tooltip only.
    let task = move || {
        let task = asker.get()?.task.filter(|_| !small)?;
        Some(exact(el("p").class("asker-task").attr("dir", "auto"), &task, TextKind::Prose))
    };
    let trouble = memo(move || {
        let (all, id) = (controls.store().trouble.get(), controls.id());
        all.into_iter().find(|(of, _)| *of == id).map(|(_, words)| words)
    });
    let warning = move || {
        let words = trouble.get()?;
        Some(alert(glyph(Icon::Error)).child(el("span").text(&words)))
    };
    let readonly = memo(move || controls.store().cannot_answer());
    let again = move || {
        (!readonly.get()).then(|| controls.unsure()).flatten().map(|answer| answer_again(controls, &answer))
    };
    let program =
        memo(move || controls.store().view_state.host_requests.with(|taken| taken.contains(&controls.id())));
    let taken = move || program.get().then(|| el("p").class("hint").text(requests::TAKEN.text()));
    let hint = move || {
        let words = if controls.store().readonly.get() { requests::READ_ONLY } else { requests::NOT_NOW };
        readonly.get().then(|| el("p").class("hint").text(words.text()))
    };
    let own = slots::request_subject().map(|own| own.of("own-subject", controls.entry()));
    let hosted = renderers::entry_view("request", controls.entry(), RwSignal::new(false));
    let header = el("header")
        .class("request-head")
        .child(glyph(icon))
        .child(exact(title, &question, TextKind::Prose))
        .child(tag)
        .child(task)
        .child(why);
    let section = el("section")
        .class(if small { "request-card small" } else { "request-card" })
        .attr("part", "request")
        .attr("role", "alertdialog")
        .attr("tabindex", "-1")
        .attr("data-request-id", controls.id())
        .attr("aria-labelledby", if small { format!("{name} {}", controls.element("body")) } else { name })
        .attr("aria-describedby", move || (!small).then(|| described.clone()))
        .attr("aria-busy", move || truth(controls.sending().is_some()))
        .child(header)
        .child(div("request-body").attr("id", controls.element("body")).child(own).child(hosted).child(body))
        .child(taken)
        .child(warning)
        .child(again)
        .child(hint);
    let place =
        |section: El, below: Below| section.child(move || if readonly.get() { Vec::new() } else { below() });
    let section = below.into_iter().fold(section, place).on("keydown", move |event| {
        let is_escape = event.dyn_ref::<KeyboardEvent>().is_some_and(|event| event.key() == "Escape");
        if is_escape && controls.asked_again().with_untracked(Option::is_some) {
            event.stop_propagation();
            controls.ask_no_more();
        }
    });
    reading::watch(controls, section.element());
    guard(controls, section)
}

/// The foot of a card, which stays in view as long as the card is. `below` are the answers and what belongs to them; above
/// them stands why they are off.
pub fn foot(controls: AnswerControls, below: Vec<El>) -> El {
    let missing = el("p").class("hint").attr("id", controls.element("missing"));
    let missing = missing.text(requests::CHOOSE_FIRST.text());
    let missing = missing.attr("hidden", move || !controls.missing().get());
    let reason = memo(move || controls.cut_off_reason());
    let lost = el("p").class("hint").attr("id", controls.element("lost"));
    let lost = lost.text(move || reason.get().unwrap_or_default());
    let lost = lost.attr("hidden", move || reason.with(Option::is_none));
    div("request-foot").child(seal(controls)).child(missing).child(lost).child(below)
}

/// How much has not been in view yet, with a button that leads there. Where all of the card has room the answers open as
/// soon as it is there, so the line is for screen readers alone.
fn seal(controls: AnswerControls) -> El {
    let rest = memo(move || controls.is_tall() && controls.is_unread());
    let words = el("span").text(move || match controls.left() {
        0 => requests::ALL_SEEN.text().to_owned(),
        left => requests::LINES_LEFT.with(&[("n", left.into())]),
    });
    let lead = move || {
        let lead = || el("button").attr("type", "button").class("btn small").attr("part", "button");
        rest.get().then(|| {
            lead().attr("data-show-rest", "").text(requests::SHOW_REST.text()).on("click", move |_| {
                controls.show_rest();
            })
        })
    };
    el("p")
        .attr("class", move || Some(if controls.is_tall() { "seal" } else { "seal sr-only" }.to_owned()))
        .attr("id", controls.element("seal"))
        .attr("hidden", move || controls.left() == 0 && !controls.is_tall())
        .child(words)
        .child(lead)
}

/// A note that an answer may have arrived, with a button for the same one again:
/// another one could contradict it.
fn answer_again(controls: AnswerControls, answer: &str) -> El {
    let words = connection::UNCONFIRMED.with(&[("answer", (&lowercase_first(answer)).into())]);
    let button = el("button")
        .attr("type", "button")
        .class("btn small")
        .attr("part", "button")
        .attr("data-answer-again", "")
        .attr("aria-disabled", move || truth(!controls.armed() || controls.is_cut_off()))
        .text(connection::TRY_AGAIN.text())
        .on("click", move |event| controls.send_again(event));
    alert(glyph(Icon::Question)).child(el("span").text(&words)).child(button)
}

/// A line that is read out as soon as it appears; `first` comes before its text.
pub fn alert(first: El) -> El {
    el("p").class("warn danger").attr("role", "alert").child(first)
}

/// The value of an ARIA attribute that is there only while something is true.
pub fn truth(on: bool) -> Option<String> {
    on.then(|| "true".to_owned())
}

/// Adds a text, with its hidden characters made visible.
pub fn exact(host: El, text: &str, kind: TextKind) -> El {
    let marks = review(text, kind);
    // Nearly every text is plain.
    if marks.iter().all(|mark| matches!(mark, ReviewMark::Plain(_))) {
        if kind != TextKind::Line {
            return host.text(text);
        }
        // A path is broken behind its separators.
        let mut names = path_names(text);
        let first = names.next().unwrap_or_default();
        return names.fold(host.text(first), |host, name| host.child(el("wbr")).text(name));
    }
    marks.into_iter().fold(host, |host, mark| match mark {
        ReviewMark::Plain(text) => host.text(text),
        ReviewMark::RightToLeft(text) => host.child(el("bdi").text(text)),
        ReviewMark::Token(name) => host.child(token(&name)),
    })
}

/// A whole text, always wrapped.
pub fn whole(text: &str, kind: TextKind) -> El {
    // What is one line is a path, an address or a name: it may be broken anywhere.
    let code = if kind == TextKind::Line { el("code").class("path") } else { el("code") };
    boxed(exact(code, text, kind))
}

/// A box for a text from left to right, which is always wrapped.
pub fn boxed(code: El) -> El {
    el("pre").class("box wrap request-what").attr("dir", "ltr").child(code)
}

/// An address whose host stands out.
pub fn full_address(url: &str) -> El {
    let Some(parts) = address(url) else {
        return whole(url, TextKind::Line);
    };
    let before = exact(el("code").class("path"), parts.before, TextKind::Line);
    let host = before.child(exact(el("b"), parts.host, TextKind::Line));
    boxed(exact(host, parts.after, TextKind::Line))
}

/// The list of facts; `None` if there are none.
pub fn facts(facts: &[Fact]) -> Option<El> {
    let row = |list: El, fact: &Fact| {
        let mut values = el("dd").attr("dir", "auto");
        let tag = if fact.kind == TextKind::Prose { "span" } else { "code" };
        for text in &fact.exact {
            values = values.child(exact(el(tag), text, fact.kind));
        }
        let words = (!fact.words.is_empty()).then(|| ticked(&fact.words));
        list.child(el("dt").text(&fact.name)).child(values.child(words))
    };
    (!facts.is_empty()).then(|| facts.iter().fold(el("dl").class("facts"), row))
}

/// A text in which backticks make code.
pub fn ticked(words: &str) -> El {
    words.split('`').enumerate().fold(el("span"), |host, (nth, text)| {
        if nth % 2 == 1 {
            // Code runs from left to right, also within a sentence that does not.
            host.child(exact(el("code").attr("dir", "ltr"), text, TextKind::Command))
        } else {
            exact(host, text, TextKind::Prose)
        }
    })
}

/// Warnings, one line each.
pub fn cautions(cautions: &[Caution]) -> Vec<El> {
    let line = |caution: &Caution| {
        let class = if caution.danger { "warn danger" } else { "warn" };
        el("p").class(class).child(glyph(Icon::Warning)).child(ticked(&caution.words).attr("dir", "auto"))
    };
    cautions.iter().map(line).collect()
}

/// A warning that counts the hidden characters in these texts, if there are any.
pub fn hidden_characters_warning<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<El> {
    let hidden: usize = texts.into_iter().map(|text| count_hidden(text, TextKind::Prose)).sum();
    let words = (hidden > 0).then(|| requests::HIDDEN_SEQUENCES.with(&[("n", hidden.into())]));
    let caution = words.map(|words| Caution { danger: true, words });
    cautions(caution.as_slice())
}

/// A row of buttons in the card's foot. While an answer is under way, its name is shown where the first button was.
pub fn answers(controls: AnswerControls, buttons: Vec<El>) -> El {
    foot(controls, vec![answer_row(controls, buttons)])
}

/// Such a row without the foot that it stands in.
pub fn answer_row(controls: AnswerControls, buttons: Vec<El>) -> El {
    sending(controls, div("answers")).child(buttons)
}

/// Adds a line that says which answer is under way.
pub fn sending(controls: AnswerControls, host: El) -> El {
    host.child(move || {
        let words = requests::SENDING.with(&[("answer", (&lowercase_first(&controls.sending()?)).into())]);
        Some(el("span").class("sending").attr("role", "status").attr("dir", "auto").text(&words))
    })
}

/// How a button looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ButtonLook {
    /// Like any other.
    Plain,
    /// The answer that the agent hopes for.
    Primary,
    /// That answer where it may do harm.
    Danger,
}

/// A button that answers; a press counts only once the card is armed.
pub fn button(
    controls: AnswerControls,
    hook: &'static str,
    words: Word,
    look: ButtonLook,
    press: impl Fn() + 'static,
) -> El {
    boxed_button(controls, hook.into(), look, Box::new(press)).text(words.text())
}

/// One function for all buttons: a copy for each closure would be half of the cards' code.
pub fn boxed_button(controls: AnswerControls, key: AnswerKey, look: ButtonLook, press: Box<dyn Fn()>) -> El {
    let class = match look {
        ButtonLook::Plain => "btn",
        ButtonLook::Primary => "btn primary",
        ButtonLook::Danger => "btn primary danger",
    };
    pressable(controls, class, key.hook, press).attr("aria-busy", move || truth(controls.busy(key)))
}

/// A button that is disabled while nothing can be answered, and takes no press before the card is armed.
pub fn pressable(controls: AnswerControls, class: &str, hook: &str, press: Box<dyn Fn()>) -> El {
    let button =
        el("button").attr("type", "button").class(class).attr("part", "button").attr("translate", "no");
    let button = off(controls, button.attr("data-answer", hook));
    let allows = !REFUSING.contains(&hook);
    let unread = move || allows && controls.is_unread();
    let missing = move || allows && controls.missing().get();
    let why = move || match (controls.cut_off_reason().is_some(), unread(), missing()) {
        (true, ..) => Some(controls.element("lost")),
        (_, true, _) => Some(controls.element("seal")),
        (_, _, true) => Some(controls.element("missing")),
        _ => None,
    };
    let button = button
        .attr("aria-disabled", move || {
            truth(!controls.armed() || controls.is_cut_off() || unread() || missing())
        })
        .attr("aria-describedby", why);
    button.on("click", move |event| {
        let pressed = event.current_target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        let Some(pressed) = pressed else { return };
        if untrack(|| controls.is_cut_off()) {
            let reason = untrack(|| controls.cut_off_reason());
            let words = reason.unwrap_or_else(|| requests::NO_CONNECTION.text().to_owned());
            announce_outcome(controls.store().view_state.announcement, &words);
        } else if untrack(unread) || untrack(missing) {
            let words = if untrack(unread) { requests::NOT_ALL_SEEN } else { requests::CHOOSE_FIRST }.text();
            announce_outcome(controls.store().view_state.announcement, words);
            // On a card that is higher than the view a line above the answers says so.
            if untrack(|| !controls.is_tall()) {
                flash(&pressed, words);
            }
            controls.show_rest();
        } else if controls.takes(event) {
            clear_flash(&pressed);
            press();
        } else if controls.is_too_early(event) && !is_repeated(event) {
            let words = requests::JUST_MOVED.text();
            announce_outcome(controls.store().view_state.announcement, words);
            flash(&pressed, words);
        }
    })
}

/// Whether a click is the second one of a double click.
fn is_repeated(click: &web_sys::Event) -> bool {
    click.dyn_ref::<web_sys::UiEvent>().is_some_and(|click| click.detail() > 1)
}

/// The answers that are accepted before everything has been in view, because they let nothing happen. A choice is no answer
/// yet.
const REFUSING: [&str; 8] =
    ["reject", "decline", "cancel", "dismiss", "no", "not-handled", "error", "choice"];

/// An answer that outlasts the session, or lifts a limit. Its button only asks again, and
/// shows what would be granted.
#[derive(Clone)]
pub struct LastingAnswer {
    /// Its button has its hook, which the confirming button takes over.
    pub key: AnswerKey,
    /// The text of the button, also part of the confirming button's name.
    pub words: String,
    /// What would be granted, as a text; backticks make code.
    pub grants: String,
    /// The command or the path that it is about, where the text does not name it.
    pub about: Option<String>,
    /// Sends the answer.
    pub send: Rc<dyn Fn()>,
}

/// Stands for the list of everything that may be granted for longer, in place of an answer's hook.
const MORE: AnswerKey = AnswerKey { hook: "more", nth: 0 };

/// The button for everything that may be granted for longer; `None` if nothing may.
pub fn more(controls: AnswerControls, all: &[LastingAnswer]) -> Option<El> {
    let asked = controls.asked_again();
    let button = el("button").attr("type", "button").class("btn").attr("part", "button");
    let button = off(controls, button)
        .attr("data-more", "")
        .attr("aria-expanded", move || Some((asked.get() == Some(MORE)).to_string()))
        .text(requests::MORE.text())
        .on("click", move |_| asked.update(|open| *open = open.is_none().then_some(MORE)));
    (!all.is_empty()).then_some(button)
}

/// What may be granted for longer, in words, while its list is open; then the question whether it is meant. Below the buttons,
/// so that nothing above it moves.
pub fn grants(controls: AnswerControls, all: Vec<LastingAnswer>) -> El {
    let asked = controls.asked_again();
    let row = |one: &LastingAnswer| {
        let grants = el("small").attr("dir", "auto").child(ticked(&one.grants));
        asking(controls, one.key, "btn grants").child(el("span").text(&one.words)).child(grants)
    };
    let rows: Vec<El> = all.iter().map(row).collect();
    let list = div("grant-list").attr("hidden", move || asked.get() != Some(MORE)).child(rows);
    asked_again(controls, all, div("confirm-place").child(list))
}

/// The button of a lasting answer: it asks again.
pub fn asking(controls: AnswerControls, key: AnswerKey, class: &str) -> El {
    let asked = controls.asked_again();
    let press = move || {
        asked.set(Some(key));
        // A double press must not confirm.
        controls.unsettle();
    };
    pressable(controls, class, key.hook, Box::new(press))
        .attr("data-asks", key.name())
        .attr("data-answer", move || (asked.get() != Some(key)).then(|| key.hook.to_owned()))
        .attr("aria-expanded", move || Some((asked.get() == Some(key)).to_string()))
}

/// The confirmation, in the place of the buttons: nothing above it moves, and all that it takes to decide is in it. It has the focus
/// once it is there, and then the button that opened it has it again.
pub fn asked_again(controls: AnswerControls, all: Vec<LastingAnswer>, host: El) -> El {
    host.child(move || {
        let open = controls.asked_again().get()?;
        let one = all.iter().find(|one| one.key == open)?.clone();
        let send = Rc::clone(&one.send);
        let sure = boxed_button(controls, one.key, ButtonLook::Plain, Box::new(move || send()));
        let sure = sure.text(requests::CONFIRM.text());
        let back = el("button").attr("type", "button").class("btn").attr("part", "button");
        // The second press of a double one was meant for the button that was here.
        let close = move |press: &web_sys::Event| {
            if !is_repeated(press) {
                controls.ask_no_more();
            }
        };
        let back = back.text(requests::BACK.text()).on("click", close);
        let name = format!("{}: {}", one.words, requests::CONFIRM.text());
        let row = div("answers").child(back).child(sure.attr("data-confirm", "").attr("aria-label", &name));
        let grants = el("p").attr("role", "status").attr("dir", "auto").child(ticked(&one.grants));
        let about = one.about.map(|about| exact(el("code").attr("dir", "ltr"), &about, TextKind::Command));
        let group =
            div("confirm").attr("role", "group").attr("aria-label", &one.words).attr("tabindex", "-1");
        let group = group.child(grants).child(about).child(row);
        controls.shows_confirmation(group.element().clone());
        Some(group)
    })
}

/// Disables a control while an answer is under way or nothing can be answered here.
pub fn off(controls: AnswerControls, control: El) -> El {
    control.attr("disabled", move || controls.off())
}

/// Hides a place while nothing can be answered: it is of use only for answering.
pub fn for_who_answers(controls: AnswerControls, place: El) -> El {
    place.attr("hidden", move || controls.store().cannot_answer())
}

/// The choices as texts without buttons, for readers who can't answer.
pub fn offered(texts: Vec<El>) -> El {
    el("ul").class("offered").child(texts.into_iter().map(|text| el("li").child(text)).collect::<Vec<_>>())
}

/// Keeps a property at what `value` returns. What a person has entered is a property, not an attribute.
pub fn live_prop(control: El, name: &'static str, value: Box<dyn Fn() -> JsValue>) -> El {
    let element = control.element().clone();
    render_effect(move || {
        let (name, value) = (JsValue::from(name), value());
        // Setting it again, even to the same text, would move the caret.
        if Reflect::get(&element, &name).ok().as_ref() != Some(&value) {
            // Fails for frozen objects only.
            let _ = Reflect::set(&element, &name, &value);
        }
    });
    control
}

/// A control that shows a draft and changes it.
pub fn drafted(controls: AnswerControls, draft: Draft, control: El) -> El {
    let control = live_prop(control, "value", Box::new(move || draft.get().into()));
    off(controls, control).on("input", move |event| draft.set(event_target_value(event)))
}

/// A control with its label and a hint.
pub fn labelled(label: &str, hint: &str, control: El) -> El {
    let mut words = el("span").text(label);
    if !hint.is_empty() {
        words = words.text(" ").child(el("small").text(hint));
    }
    el("label").class("field").child(words).child(control)
}

/// A labelled field for a text of one or more lines.
pub fn text_field(controls: AnswerControls, draft: Draft, name: &str, label: &str, hint: &str) -> El {
    let area = el("textarea").class("input").attr("rows", "1").attr("dir", "auto").attr("data-field", name);
    labelled(label, hint, drafted(controls, draft, area))
}

/// A labelled field for one line: a number, a token.
pub fn line_field(controls: AnswerControls, draft: Draft, kind: &str, label: &str, hint: &str) -> El {
    let input = el("input")
        .class("input")
        .attr("type", kind)
        .attr("step", "any")
        .attr("autocomplete", "off")
        .attr("spellcheck", "false");
    labelled(label, hint, drafted(controls, draft, input))
}

/// A markdown text in a box, with hidden characters marked. Those that its blocks don't show are in its
/// source, which then follows.
pub fn markdown(text: &str) -> El {
    let host = div("plan");
    let prose = div("prose").attr("dir", "auto");
    let place = prose.element().clone();
    let (source, text) = (text.to_owned(), text.to_owned());
    let lost = RwSignal::new(false);
    // Kept as long as the card is there, because it listens to the copy buttons.
    let shown = RefCell::new(None);
    render_effect(move || {
        place.set_text_content(None);
        let words = lazy::WORDS.ready().ok();
        lost.set(words.is_some_and(|words| {
            let made = (words.exact)(&document(), &place, &text);
            let lost = made.lost;
            shown.replace(Some(made));
            lost
        }));
        if words.is_none() {
            append(&place, &exact(el("p").class("plain"), &text, TextKind::Content));
        }
    });
    let is_lost = memo(move || lost.get());
    host.child(prose).child(move || {
        let hint = || el("p").class("hint").text(requests::AS_WRITTEN.text());
        if is_lost.get() { vec![hint(), whole(&source, TextKind::Content)] } else { Vec::new() }
    })
}

/// A link that opens on a click and never by itself. `None` if it is no address that a person may be sent to.
pub fn opener(controls: AnswerControls, url: &str) -> Option<El> {
    if !may_open(url) {
        return None;
    }
    let words = requests::OPEN_HOST.with(&[("host", address(url)?.host.into())]);
    let url = url.to_owned();
    let link = el("a")
        .class("btn")
        .attr("part", "button")
        .attr("target", "_blank")
        .attr("rel", "noopener noreferrer")
        .attr("referrerpolicy", "no-referrer")
        .attr("href", move || controls.is_there().then(|| url.clone()));
    let link = ["click", "auxclick"].into_iter().fold(link, |link, press| {
        link.on(press, move |event| {
            if !controls.is_meant(event) {
                event.prevent_default();
            }
        })
    });
    Some(link.text(&words))
}

/// A line that says what is wrong with the input.
pub fn mistake(id: &str, words: impl Fn() -> Option<String> + 'static) -> El {
    let line = el("span").class("err").attr("id", id).attr("aria-live", "polite");
    line.text(move || words().unwrap_or_default())
}
