//! The slots of the timeline: what a host shows in its own way.

use std::sync::Arc;

use leptos::prelude::*;

use super::elements::builder::{El, div};
use crate::store::{EntryHandle, Store};

/// Makes a view of an entry. Any closure is one: `move |entry: EntryHandle| view! { … }`.
#[derive(Clone)]
pub struct EntryView(Arc<dyn Fn(EntryHandle) -> AnyView + Send + Sync>);

impl<F, V> From<F> for EntryView
where
    F: Fn(EntryHandle) -> V + Send + Sync + 'static,
    V: IntoView + 'static,
{
    fn from(make: F) -> Self {
        Self(Arc::new(move |entry| make(entry).into_any()))
    }
}

impl EntryView {
    /// The view, in an element of this class.
    pub(in crate::ui) fn of(&self, class: &str, entry: EntryHandle) -> El {
        div(class).view((self.0)(entry))
    }
}

/// The body of the tool cards of one tool, instead of the usual one: `<ToolBody slot name="bash" let:call>`.
#[slot]
pub struct ToolBody {
    /// The tool's name, as the events have it.
    #[prop(into)]
    name: String,
    /// Makes the body of a call, when its card is opened.
    #[prop(into)]
    children: EntryView,
}

/// More buttons for messages: `<MessageActions slot let:message>`.
#[slot]
pub struct MessageActions {
    /// Makes the buttons of a message.
    #[prop(into)]
    children: EntryView,
}

/// What a request's card shows above what it asks: `<RequestSubject slot let:request>`. What is to be allowed is
/// always shown as well, so that nobody allows what they don't see.
#[slot]
pub struct RequestSubject {
    /// Makes the view for a request.
    #[prop(into)]
    children: EntryView,
}

/// The inside of notices, instead of the usual one: `<NoticeBody slot let:notice>`.
#[slot]
pub struct NoticeBody {
    /// Makes the view of a notice.
    #[prop(into)]
    children: EntryView,
}

/// What is shown while there are no entries: `<EmptyState slot>`.
#[slot]
pub struct EmptyState {
    /// Makes the view.
    children: ChildrenFn,
}

/// What a host has put into the slots of a timeline. The rows find it by context.
#[derive(Default)]
pub(in crate::ui) struct Slots {
    tool_bodies: Vec<ToolBody>,
    message_actions: Option<MessageActions>,
    request_subject: Option<RequestSubject>,
    notice_body: Option<NoticeBody>,
    empty_state: Option<EmptyState>,
    /// Open requests have their cards elsewhere on the host's page.
    requests_elsewhere: bool,
}

/// The context of a row.
#[derive(Clone)]
struct SharedSlots(Arc<Slots>);

impl Slots {
    /// Nothing if all slots are empty, so that rows need no context.
    pub(in crate::ui) fn new(
        tool_bodies: Vec<ToolBody>,
        message_actions: Option<MessageActions>,
        request_subject: Option<RequestSubject>,
        notice_body: Option<NoticeBody>,
        empty_state: Option<EmptyState>,
        requests_elsewhere: bool,
    ) -> Option<Arc<Self>> {
        let any = !tool_bodies.is_empty()
            || message_actions.is_some()
            || request_subject.is_some()
            || notice_body.is_some()
            || empty_state.is_some()
            || requests_elsewhere;
        let all = Self {
            tool_bodies,
            message_actions,
            request_subject,
            notice_body,
            empty_state,
            requests_elsewhere,
        };
        any.then(|| Arc::new(all))
    }

    /// What is shown while there are no entries.
    pub(in crate::ui) fn empty(&self) -> Option<El> {
        self.empty_state.as_ref().map(|empty| div("own-empty").view((empty.children)()))
    }

    /// Hands them to the row whose owner is the current one. Rows have no parent that lives on, so what a host's
    /// view needs by context is provided here as well.
    pub(in crate::ui) fn provide(self: &Arc<Self>, store: Store) {
        provide_context(SharedSlots(Arc::clone(self)));
        super::session::provide(store);
    }
}

fn slots() -> Option<Arc<Slots>> {
    use_context::<SharedSlots>().map(|shared| shared.0)
}

/// The body that the host has for the tools of this name.
pub(in crate::ui) fn tool_body(name: &str) -> Option<EntryView> {
    slots()?.tool_bodies.iter().find(|body| body.name == name).map(|body| body.children.clone())
}

/// The host's buttons for messages.
pub(in crate::ui) fn message_actions() -> Option<EntryView> {
    slots()?.message_actions.as_ref().map(|actions| actions.children.clone())
}

/// What the host shows of requests.
pub(in crate::ui) fn request_subject() -> Option<EntryView> {
    slots()?.request_subject.as_ref().map(|subject| subject.children.clone())
}

/// The host's inside of notices.
pub(in crate::ui) fn notice_body() -> Option<EntryView> {
    slots()?.notice_body.as_ref().map(|notice| notice.children.clone())
}

/// Whether open requests have their cards elsewhere on the host's page.
pub(in crate::ui) fn requests_elsewhere() -> bool {
    slots().is_some_and(|slots| slots.requests_elsewhere)
}
