//! The fields of a form: native inputs, each with its label, its limits and its error.

use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::answer_controls::{AnswerControls, Draft};
use super::card::{exact, live_prop, mistake, off, truth};
use crate::core::i18n::Phrase;
use crate::core::i18n::format::one_line;
use crate::core::i18n::words::requests;
use crate::core::protocol::form::pattern::is_costly;
use crate::core::protocol::form::{Choice, Field, Takes, chosen, in_digits, limits, value};
use crate::core::text::review_marks::{TextKind, unseen};
use crate::ui::elements::builder::{El, div, el};

/// A field and what was typed into it.
#[derive(Clone, Copy)]
pub struct Filled {
    field: StoredValue<Field>,
    draft: Draft,
    /// The person has left the field or tried to send: an error is shown from now on.
    tried: RwSignal<bool>,
    host: StoredValue<Option<Element>, LocalStorage>,
}

impl Filled {
    /// The field with its draft, or else its default.
    pub fn new(controls: AnswerControls, field: Field) -> Self {
        let draft = controls.draft_of(&field.name, &field.start, field.secret);
        let (tried, host) = (RwSignal::new(false), StoredValue::new_local(None));
        Self { field: StoredValue::new(field), draft, tried, host }
    }

    /// The name and the value; `None` if the field is left out. An error is shown
    /// beside the field from now on.
    pub fn check(self) -> Result<Option<(String, Value)>, ()> {
        self.tried.set(true);
        let checked = self.field.with_value(|field| checked(field, &sent(field, &self.draft.now())));
        let name = self.field.with_value(|field| field.name.clone());
        checked.map(|value| value.map(|value| (name, value))).map_err(|_| ())
    }

    /// Its title, description, choices and initial value.
    pub fn texts(self) -> Vec<String> {
        self.field.with_value(|field| {
            let choices = match &field.takes {
                Takes::One(choices) | Takes::Many { choices, .. } => choices.as_slice(),
                _ => &[],
            };
            let choices = choices.iter().map(|choice| &choice.title);
            let texts =
                [&field.title, &field.start].into_iter().chain(field.description.as_ref()).chain(choices);
            texts.cloned().collect()
        })
    }

    /// Gives the field the focus, which also scrolls it into view.
    pub fn focus(self) {
        let input =
            self.host.with_value(|host| host.as_ref()?.query_selector("input, select, textarea").ok()?);
        if let Some(input) = input {
            let input: web_sys::HtmlElement = input.unchecked_into();
            let _ = input.focus();
        }
    }

    fn wrong(self) -> Option<String> {
        let typed = self.draft.get();
        let tried = self.tried.get();
        let wrong = tried.then(|| self.field.with_value(|field| checked(field, &sent(field, &typed)).err()));
        wrong.flatten().map(|wrong| wrong.words().into_owned())
    }
}

/// Same as [`value`], and checks the field's pattern, which only the browser's own engine reads.
fn checked(field: &Field, typed: &str) -> Result<Option<Value>, Phrase> {
    let value = value(field, typed)?;
    let Some((pattern, Value::String(text))) = field.pattern.as_deref().zip(value.as_ref()) else {
        return Ok(value);
    };
    // The server checks it as well.
    if is_costly(pattern, text.chars().count()) {
        return Ok(value);
    }
    // An invalid pattern says nothing about the text.
    let expression = js_sys::Reflect::get(&js_sys::global(), &"RegExp".into()).ok().and_then(|class| {
        let class: js_sys::Function = class.dyn_into().ok()?;
        js_sys::Reflect::construct(&class, &js_sys::Array::of2(&pattern.into(), &"u".into())).ok()
    });
    let fits = expression.is_none_or(|expression| {
        let expression: js_sys::RegExp = expression.unchecked_into();
        expression.test(text)
    });
    if fits { Ok(value) } else { Err(requests::NEED_PATTERN.phrase(vec![("pattern", pattern.into())])) }
}

/// The text as it is sent. A native field for date and time knows no time zone, so it goes out in UTC.
fn sent(field: &Field, typed: &str) -> String {
    let local = matches!(&field.takes, Takes::Text { format: Some(format), .. } if format == "date-time");
    if !local || typed.is_empty() || typed.ends_with(['Z', 'z']) {
        return typed.to_owned();
    }
    let date = js_sys::Date::new(&typed.into());
    if date.get_time().is_nan() { typed.to_owned() } else { String::from(date.to_iso_string()) }
}

/// A default in UTC as a native field for date and time takes it.
fn local(typed: &str) -> String {
    if !typed.ends_with(['Z', 'z']) && !typed.get(16..).is_some_and(|zone| zone.contains(['+', '-'])) {
        return typed.to_owned();
    }
    let date = js_sys::Date::new(&typed.into());
    if date.get_time().is_nan() {
        return String::new();
    }
    let (month, day) = (date.get_month() + 1, date.get_date());
    format!(
        "{:04}-{month:02}-{day:02}T{:02}:{:02}",
        date.get_full_year(),
        date.get_hours(),
        date.get_minutes()
    )
}

/// Returns the ids of a field's hint and of its error, as far as they are shown.
type Described = Box<dyn Fn() -> Option<String>>;

/// One field, labelled.
pub fn field_view(controls: AnswerControls, filled: Filled, nth: usize) -> El {
    let field = filled.field.get_value();
    let id = controls.element(&format!("field-{nth}"));
    let (hint_id, error_id) = (format!("{id}-hint"), format!("{id}-error"));
    let star = if field.required { " *" } else { "" };
    let limits = limits(&field).map(|limits| limits.words().into_owned());
    let hint = [field.description.clone(), limits].into_iter().flatten().collect::<Vec<_>>().join(" · ");
    let hint = (!hint.is_empty()).then(|| {
        let host = el("small").attr("id", &hint_id).attr("dir", "auto");
        exact(host, &hint, TextKind::Prose)
    });
    // A field shows hidden characters as they come, so an initial value with any is also shown beside it.
    let start = (unseen(&field.start, TextKind::Prose) > 0)
        .then(|| exact(el("small").class("start").attr("dir", "auto"), &field.start, TextKind::Prose));
    let error = mistake(&error_id, move || filled.wrong());
    let hint_id = hint.is_some().then_some(hint_id);
    let described: Described = Box::new(move || {
        let error = filled.wrong().map(|_| error_id.clone());
        let ids: Vec<String> = [hint_id.clone(), error].into_iter().flatten().collect();
        (!ids.is_empty()).then(|| ids.join(" "))
    });
    let title = |host: El| {
        host.child(exact(el("span").attr("dir", "auto"), &field.title, TextKind::Prose).text(star))
    };
    let narrow =
        matches!(field.takes, Takes::Number { .. } | Takes::One(_) | Takes::Text { format: Some(_), .. });
    let host = div(if narrow { "field" } else { "field full" });
    filled.host.set_value(Some(host.element().clone()));
    let host = match field.takes {
        Takes::Flag => {
            let flag = check_box(controls, Box::new(move || filled.draft.get() == "true"))
                .attr("id", &id)
                .attr("aria-describedby", described)
                .on("change", move |event| filled.draft.set(event_target_checked(event).to_string()));
            host.child(title(el("label").class("check").child(flag)))
        }
        Takes::Many { choices, .. } => {
            let set = el("fieldset").class("field").attr("aria-describedby", described);
            let boxes =
                choices.into_iter().map(|choice| choice_box(controls, filled, choice)).collect::<Vec<_>>();
            host.child(set.child(title(el("legend"))).child(boxes))
        }
        takes => {
            let label = title(el("label").attr("for", &id));
            host.child(label).child(input(controls, filled, &takes, &id, field.required, described))
        }
    };
    host.child(start).child(hint).child(error)
}

fn check_box(controls: AnswerControls, on: Box<dyn Fn() -> bool>) -> El {
    let input = off(controls, el("input").attr("type", "checkbox"));
    live_prop(input, "checked", Box::new(move || on().into()))
}

fn choice_box(controls: AnswerControls, filled: Filled, choice: Choice) -> El {
    let own = StoredValue::new(choice.value);
    let on = move || own.with_value(|own| chosen(&filled.draft.get()).contains(own));
    let input = check_box(controls, Box::new(on)).on("change", move |event| {
        let mut all = chosen(&filled.draft.now());
        own.with_value(|own| {
            all.retain(|one| one != own);
            if event_target_checked(event) {
                all.push(own.clone());
            }
        });
        filled.draft.set(one_line(&all.into()));
    });
    let words = exact(el("span").attr("dir", "auto"), &choice.title, TextKind::Prose);
    el("label").class("check").child(input).child(words)
}

fn input(
    controls: AnswerControls,
    filled: Filled,
    takes: &Takes,
    id: &str,
    required: bool,
    described: Described,
) -> El {
    let (kind, step) = match takes {
        Takes::Number { whole: true, .. } => ("number", Some("1")),
        Takes::Number { .. } => ("number", Some("any")),
        Takes::Text { format: Some(format), .. } => match format.as_str() {
            "email" => ("email", None),
            "uri" | "url" => ("url", None),
            "date" => ("date", None),
            "date-time" => ("datetime-local", Some("any")),
            "password" => ("password", None),
            _ => ("text", None),
        },
        _ => ("text", None),
    };
    let (control, event) = match takes {
        Takes::One(choices) => {
            let select = el("select").child(option(filled, "").text("–"));
            let option =
                |choice: &Choice| exact(option(filled, &choice.value), &choice.title, TextKind::Line);
            (select.child(choices.iter().map(option).collect::<Vec<_>>()), "change")
        }
        Takes::Text { format: None, .. } | Takes::Json => {
            let area = el("textarea").attr("rows", "1").attr("dir", "auto");
            (live_prop(area, "value", Box::new(move || filled.draft.get().into())), "input")
        }
        _ => {
            let mut input = el("input").attr("type", kind).attr("dir", "auto").attr("autocomplete", "off");
            let (min, max) = match takes {
                Takes::Number { min, max, .. } => (min.map(in_digits), max.map(in_digits)),
                _ => (None, None),
            };
            for (name, value) in [("step", step), ("min", min.as_deref()), ("max", max.as_deref())] {
                if let Some(value) = value {
                    input = input.attr(name, value);
                }
            }
            let shown = move || {
                let text = filled.draft.get();
                if kind == "datetime-local" { local(&text) } else { text }
            };
            (live_prop(input, "value", Box::new(move || shown().into())), "input")
        }
    };
    let control = control.class("input").attr("id", id);
    let control = if required { control.attr("aria-required", "true") } else { control };
    off(controls, control)
        .attr("aria-invalid", move || truth(filled.wrong().is_some()))
        .attr("aria-describedby", described)
        .on(event, move |event| filled.draft.set(event_target_value(event)))
        // An error is shown when a person leaves a field that they have filled, not while they type.
        .on("blur", move |_| {
            if !filled.draft.now().is_empty() {
                let _ = filled.tried.try_set(true);
            }
        })
}

fn option(filled: Filled, value: &str) -> El {
    let own = value.to_owned();
    let option = el("option").attr("value", value);
    live_prop(option, "selected", Box::new(move || (filled.draft.get() == own).into()))
}
