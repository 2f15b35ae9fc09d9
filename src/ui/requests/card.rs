//! The parts that every card is made of: frame, buttons, text fields, markdown. Refuses to know what is asked.

use leptos::html;
use leptos::prelude::*;

use super::ask::{Ask, Draft};
use super::exact::exact;
use super::marks::Sight;
use crate::ui::icon::Glyph;
use crate::ui::icons::Icon;
use crate::ui::prose::Prose;

/// The head of a card.
pub struct Head {
    /// Which icon.
    pub icon: Icon,
    /// The plain question.
    pub question: String,
    /// What the asker intends.
    pub why: Option<String>,
}

impl Head {
    /// A head without a reason.
    pub fn new(icon: Icon, question: impl Into<String>) -> Self {
        Self { icon, question: question.into(), why: None }
    }

    /// With a reason, if there is one.
    #[must_use]
    pub fn why(mut self, why: Option<String>) -> Self {
        self.why = why.filter(|why| !why.trim().is_empty());
        self
    }
}

/// A card: its head, what is asked about, and below it fields and buttons, or a line that says why there are none.
pub fn card<B, A>(ask: Ask, head: Head, body: impl IntoView + 'static, answers: A) -> impl IntoView
where
    A: Fn() -> B + Send + 'static,
    B: IntoView + 'static,
{
    let Head { icon, question, why } = head;
    let described = if why.is_some() {
        format!("{} {}", ask.element("why"), ask.element("body"))
    } else {
        ask.element("body")
    };
    let why = why.map(|why| view! { <p id=ask.element("why") dir="auto">{exact(&why, Sight::Content)}</p> });
    let agent = move || {
        ask.agent().map(|name| view! { <span class="tag" dir="auto"><Glyph icon=Icon::Agent/>{exact(&name, Sight::Line)}</span> })
    };
    let trouble = move || {
        let trouble = ask.store().trouble.get().filter(|(id, _)| *id == ask.id());
        trouble.map(|(_, words)| view! { <p class="warn danger" role="alert"><Glyph icon=Icon::Error/><span>{words}</span></p> })
    };
    view! {
        <section class="ask" part="request" role="alertdialog" data-request-id=ask.id()
            aria-labelledby=ask.element("question") aria-describedby=described
            aria-busy=move || ask.sending().is_some().then_some("true")>
            <header class="ask-head">
                <Glyph icon/>
                <h3 id=ask.element("question") dir="auto">{exact(&question, Sight::Content)}</h3>
                {agent}
                {why}
            </header>
            <div class="ask-body" id=ask.element("body")>{body.into_any()}</div>
            {trouble}
            {move || if ask.store().readonly.get() {
                view! { <p class="hint">"Read only: answers come from elsewhere."</p> }.into_any()
            } else {
                answers().into_any()
            }}
        </section>
    }
}

/// A row of buttons. While an answer is on its way its words stand where the first button was.
pub fn answers(ask: Ask, buttons: impl IntoView + 'static) -> impl IntoView {
    view! { <div class="answers">{sending(ask)}{buttons.into_any()}</div> }
}

/// Says which answer is on its way.
pub fn sending(ask: Ask) -> impl IntoView {
    move || {
        ask.sending().map(|answer| {
            view! { <span class="sending" role="status" dir="auto">{format!("Sending: {} …", lowered(&answer))}</span> }
        })
    }
}

/// Words in the middle of a sentence. ASCII only: a table of all letters would weigh more than all cards.
pub fn lowered(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| {
        std::iter::once(first.to_ascii_lowercase()).chain(letters).collect()
    })
}

/// How a button looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// Like any.
    Plain,
    /// The answer that the agent hopes for.
    Primary,
}

/// A button that answers; a press counts only once the card is armed.
pub fn button(
    ask: Ask,
    hook: &'static str,
    words: &'static str,
    look: Look,
    press: impl Fn() + Send + 'static,
) -> AnyView {
    boxed_button(ask, hook, words, look, Box::new(press))
}

/// One function for all buttons: a copy for each closure would be half of what the cards weigh.
fn boxed_button(
    ask: Ask,
    hook: &'static str,
    words: &'static str,
    look: Look,
    press: Box<dyn Fn() + Send>,
) -> AnyView {
    let class = if look == Look::Primary { "btn primary" } else { "btn" };
    view! {
        <button type="button" class=class part="button" data-answer=hook disabled=move || ask.off()
            aria-disabled=move || (!ask.armed()).then_some("true")
            aria-busy=move || ask.busy(hook).then_some("true")
            on:click=move |_| if ask.ready() { press() }>
            {words}
        </button>
    }
    .into_any()
}

/// A labelled field for a text of one or more lines.
pub fn text_field(
    ask: Ask,
    draft: Draft,
    name: &'static str,
    label: &'static str,
    hint: &'static str,
) -> impl IntoView {
    view! {
        <label class="field">
            <span>{label}{(!hint.is_empty()).then(|| view! { " " <small>{hint}</small> })}</span>
            <textarea class="input" rows="1" dir="auto" data-field=name prop:value=move || draft.get() disabled=move || ask.off()
                on:input=move |event| draft.set(event_target_value(&event))></textarea>
        </label>
    }
}

/// What the agent should know when it may not.
pub fn feedback_field(ask: Ask, draft: Draft) -> impl IntoView {
    text_field(ask, draft, "feedback", "Feedback to the agent", "sent when you reject")
}

/// A labelled field for one line: a number, a token.
pub fn line_field(
    ask: Ask,
    draft: Draft,
    kind: &'static str,
    label: &'static str,
    hint: &'static str,
) -> impl IntoView {
    view! {
        <label class="field">
            <span>{label}{(!hint.is_empty()).then(|| view! { " " <small>{hint}</small> })}</span>
            <input class="input" type=kind step="any" autocomplete="off" spellcheck="false" prop:value=move || draft.get()
                disabled=move || ask.off() on:input=move |event| draft.set(event_target_value(&event))/>
        </label>
    }
}

/// A markdown text.
#[component]
pub fn Markdown(
    /// The source.
    text: String,
    /// Classes of its box.
    class: &'static str,
) -> impl IntoView {
    let host = NodeRef::<html::Div>::new();
    let prose = StoredValue::new_local(None::<Prose>);
    Effect::new(move |_| {
        if let Some(element) = host.get() {
            let mut made = Prose::new(&document(), &element);
            made.update(&text, true);
            prose.set_value(Some(made));
        }
    });
    view! { <div class=class dir="auto" tabindex="0" node_ref=host></div> }
}

/// An address that opens on a click and never by itself. Nothing if it is not one that a person may be sent to.
pub fn opener(ask: Ask, url: &str) -> Option<impl IntoView + use<>> {
    if !super::marks::may_open(url) {
        return None;
    }
    let words = format!("Open {}", super::marks::address(url)?.host);
    let url = url.to_owned();
    let address = move || ask.armed().then(|| url.clone());
    Some(view! {
        <a class="btn" part="button" target="_blank" rel="noopener noreferrer" referrerpolicy="no-referrer" href=address>{words}</a>
    })
}

/// A line that refuses what was entered.
pub fn mistake(id: String, words: impl Fn() -> Option<String> + Send + 'static) -> impl IntoView {
    view! { <span class="err" id=id aria-live="polite">{words}</span> }
}
