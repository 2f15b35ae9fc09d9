//! The fields of a form: native inputs, each with its label, its limits and what is wrong with it. Refuses to know
//! the form.

use leptos::html;
use leptos::prelude::*;
use serde_json::Value;

use super::ask::{Ask, Draft};
use super::exact::exact;
use super::marks::Sight;
use super::schema::{Choice, Field, Takes, chosen, in_digits, limits, value};

/// A field and what was typed into it.
#[derive(Clone, Copy)]
pub struct Filled {
    field: StoredValue<Field>,
    draft: Draft,
    /// The person has left the field or tried to send: what is wrong is said from now on.
    tried: RwSignal<bool>,
    first: NodeRef<html::Div>,
}

impl Filled {
    /// The field with its draft, else its default.
    pub fn new(ask: Ask, field: Field) -> Self {
        let draft = ask.draft(&field.name, &field.start);
        Self { field: StoredValue::new(field), draft, tried: RwSignal::new(false), first: NodeRef::new() }
    }

    /// Name and value, none if the field stays out. An error is shown beside the field from now on.
    pub fn check(self) -> Result<Option<(String, Value)>, ()> {
        self.tried.set(true);
        let checked = self.field.with_value(|field| value(field, &sent(field, &self.draft.now())));
        let name = self.field.with_value(|field| field.name.clone());
        checked.map(|value| value.map(|value| (name, value))).map_err(|_| ())
    }

    /// Brings the field into view and the keyboard to it.
    pub fn focus(self) {
        let input = self
            .first
            .get_untracked()
            .and_then(|host| host.query_selector("input, select, textarea").ok()?);
        if let Some(input) = input {
            let input: web_sys::HtmlElement = wasm_bindgen::JsCast::unchecked_into(input);
            let _ = input.focus();
        }
    }

    fn wrong(self) -> Option<String> {
        let typed = self.draft.get();
        let tried = self.tried.get();
        tried.then(|| self.field.with_value(|field| value(field, &sent(field, &typed)).err())).flatten()
    }
}

/// A native field for date and time knows no zone: what goes out is UTC.
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

/// One field, labelled.
pub fn field_view(ask: Ask, filled: Filled, nth: usize) -> impl IntoView {
    let field = filled.field.get_value();
    let id = ask.element(&format!("field-{nth}"));
    let (hint_id, error_id) = (format!("{id}-hint"), format!("{id}-error"));
    let star = if field.required { " *" } else { "" };
    let hint =
        [field.description.clone(), limits(&field)].into_iter().flatten().collect::<Vec<_>>().join(" · ");
    let hint = (!hint.is_empty())
        .then(|| view! { <small id=hint_id.clone() dir="auto">{exact(&hint, Sight::Content)}</small> });
    let described = {
        let hint_id = hint.is_some().then_some(hint_id);
        let error_id = error_id.clone();
        move || {
            let error = filled.wrong().map(|_| error_id.clone());
            let ids: Vec<String> = [hint_id.clone(), error].into_iter().flatten().collect();
            (!ids.is_empty()).then(|| ids.join(" "))
        }
    };
    let error = view! { <span class="err" id=error_id aria-live="polite">{move || filled.wrong()}</span> };
    let title = view! { <span dir="auto">{exact(&field.title, Sight::Content)}{star}</span> };
    let wide =
        !matches!(field.takes, Takes::Number { .. } | Takes::One(_) | Takes::Text { format: Some(_), .. });
    let class = if wide { "field full" } else { "field" };
    match field.takes {
        Takes::Flag => view! {
            <div class="field full" node_ref=filled.first>
                <label class="check">
                    <input type="checkbox" id=id disabled=move || ask.off() aria-describedby=described
                        prop:checked=move || filled.draft.get() == "true"
                        on:change=move |event| filled.draft.set(event_target_checked(&event).to_string())/>
                    {title}
                </label>
                {hint}{error}
            </div>
        }
        .into_any(),
        Takes::Many { choices, .. } => view! {
            <div class=class node_ref=filled.first>
                <fieldset class="field" aria-describedby=described>
                    <legend>{title}</legend>
                    {choices.into_iter().map(|choice| checkbox(ask, filled, choice)).collect_view()}
                </fieldset>
                {hint}{error}
            </div>
        }
        .into_any(),
        takes => view! {
            <div class=class node_ref=filled.first>
                <label for=id.clone()>{title}</label>
                {input(ask, filled, takes, id, field.required, described)}
                {hint}{error}
            </div>
        }
        .into_any(),
    }
}

fn checkbox(ask: Ask, filled: Filled, choice: Choice) -> impl IntoView {
    let own = StoredValue::new(choice.value);
    let on = move || own.with_value(|own| chosen(&filled.draft.get()).contains(own));
    let toggle = move |event| {
        let mut all = chosen(&filled.draft.now());
        own.with_value(|own| {
            all.retain(|one| one != own);
            if event_target_checked(&event) {
                all.push(own.clone());
            }
        });
        filled.draft.set(Value::from(all).to_string());
    };
    view! {
        <label class="check">
            <input type="checkbox" disabled=move || ask.off() prop:checked=on on:change=toggle/>
            <span dir="auto">{exact(&choice.title, Sight::Content)}</span>
        </label>
    }
}

fn input(
    ask: Ask,
    filled: Filled,
    takes: Takes,
    id: String,
    required: bool,
    described: impl Fn() -> Option<String> + Send + 'static,
) -> AnyView {
    let invalid = move || filled.wrong().is_some().then_some("true");
    let asked = required.then_some("true");
    let typed = move |event| filled.draft.set(event_target_value(&event));
    // What is wrong is said when a person leaves a field that they have filled, not while they type.
    let leave = move |_| {
        if !filled.draft.now().is_empty() {
            let _ = filled.tried.try_set(true);
        }
    };
    let (kind, step) = match &takes {
        Takes::Number { whole: true, .. } => ("number", Some("1")),
        Takes::Number { .. } => ("number", Some("any")),
        Takes::Text { format: Some(format), .. } => match format.as_str() {
            "email" => ("email", None),
            "uri" | "url" => ("url", None),
            "date" => ("date", None),
            "date-time" => ("datetime-local", Some("any")),
            _ => ("text", None),
        },
        _ => ("text", None),
    };
    let bounds = match &takes {
        Takes::Number { min, max, .. } => (min.map(in_digits), max.map(in_digits)),
        _ => (None, None),
    };
    match takes {
        Takes::One(choices) => {
            let option = move |choice: Choice| {
                let own = choice.value.clone();
                let selected = move || filled.draft.get() == own;
                view! { <option value=choice.value prop:selected=selected>{exact(&choice.title, Sight::Line)}</option> }
            };
            view! {
                <select class="input" id=id disabled=move || ask.off() aria-invalid=invalid aria-required=asked
                    aria-describedby=described on:change=typed on:blur=leave>
                    <option value="" prop:selected=move || filled.draft.get().is_empty()>"–"</option>
                    {choices.into_iter().map(option).collect_view()}
                </select>
            }
            .into_any()
        }
        Takes::Text { format: None, .. } | Takes::Json => view! {
            <textarea class="input" rows="1" id=id dir="auto" disabled=move || ask.off() aria-invalid=invalid
                aria-required=asked aria-describedby=described prop:value=move || filled.draft.get()
                on:input=typed on:blur=leave></textarea>
        }
        .into_any(),
        _ => {
            let shown = move || {
                let text = filled.draft.get();
                if kind == "datetime-local" { local(&text) } else { text }
            };
            view! {
                <input class="input" type=kind step=step min=bounds.0 max=bounds.1 id=id dir="auto" autocomplete="off"
                    disabled=move || ask.off() aria-invalid=invalid aria-required=asked aria-describedby=described
                    prop:value=shown on:input=typed on:blur=leave/>
            }
            .into_any()
        }
    }
}
