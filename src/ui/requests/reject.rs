//! Rejecting a permission: one press, or two with a message to the agent, whose
//! field opens beside the button.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};

use super::answer_controls::{AnswerControls, Draft};
use super::card::{Look, button, drafted, labelled, off, truth};
use crate::core::i18n::words::requests;
use crate::core::model::answer::Answer;
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::focus::focus;
use crate::ui::elements::icons::Icon;

/// The message to the agent. Its field is closed until somebody wants to write one.
#[derive(Clone, Copy)]
pub struct Rejection {
    controls: AnswerControls,
    draft: Draft,
    opened: RwSignal<bool>,
    field: StoredValue<Option<Element>, LocalStorage>,
    opener: StoredValue<Option<Element>, LocalStorage>,
}

impl Rejection {
    /// Must be made outside of what is rebuilt, so that an opened field stays open.
    pub fn new(controls: AnswerControls) -> Self {
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
    pub fn field(self) -> El {
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
    pub fn buttons(self) -> El {
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
        let reject = button(controls, "reject", requests::REJECT, Look::Plain, reject);
        div("split").attr("aria-busy", move || truth(controls.busy("reject"))).child(reject).child(opener)
    }
}
