//! The cards of requests, and the one line that is left when a request has been answered.
//!
//! Answers go to the store, which has them sent. A card never takes the focus, and no key answers it.

mod answer_controls;
mod card;
mod environment;
mod form;
mod form_fields;
mod host;
mod permission;
mod plan;
mod question;
mod reading;
mod waiting;

use leptos::prelude::*;

pub use self::waiting::waiting;
use super::elements::builder::{El, div, el, glyph};
use super::elements::focus::focus;
use super::elements::live::Live;
use super::elements::reactive::memo;
use super::lazy::{self, Chunk, CopiedPart, Priority};
use super::session::use_session;
use super::slots::{RequestSubject, Slots, requests_elsewhere};
use super::timeline::entry::article;
use crate::client::drafts::Drafts;
use crate::core::i18n::Word;
use crate::core::i18n::words::{composer, requests};
use crate::core::model::request::{Request, RequestKind};
use crate::core::text::review_marks::TextKind;
pub use crate::core::text::review_marks::may_open;
use crate::core::view_model::entry_words::text;
use crate::core::view_model::icon::Icon;
use crate::core::view_model::permission_card::SharedCard;
use crate::core::view_model::settled_request::{SettledOutcome, SettledRequest};
use crate::store::{RowSignals, Store};
pub use answer_controls::AnswerControls;
pub use card::exact;
pub use environment::ConfirmationCard;
pub use environment::ConfirmationCardProps;
pub use form::FormCard;
pub use form::FormCardProps;
pub use permission::PermissionCard;
pub use permission::PermissionCardProps;
use permission::{shared_card, shared_foot, shared_head};
pub use plan::PlanCard;
pub use plan::PlanCardProps;
pub use question::QuestionCard;
pub use question::QuestionCardProps;

/// What the chunk `questions` makes: the cards of everything that is asked beside permissions.
pub struct Questions {
    /// The card of an open request.
    pub card: Draw,
    /// The list of everything that waits for a person.
    pub waiting: fn(Store) -> El,
}

/// The cards of everything that is asked beside permissions.
pub static QUESTIONS: Chunk<Questions> = Chunk::new(Priority::Now);

/// The card of a request that waits for a person, whatever it asks; one line when it is over. For pages that place
/// requests themselves:
///
/// ```
/// # use leptos::prelude::*;
/// # use pilothouse::ui::{RequestCard, use_session};
/// # #[component]
/// # fn Asked() -> impl IntoView {
/// let store = use_session().store();
/// view! {
///     <For each=move || store.open_requests() key=String::clone let:id>
///         <RequestCard id/>
///     </For>
/// }
/// # }
/// ```
#[component(transparent)]
pub fn RequestCard(
    /// The request's id.
    #[prop(into)]
    id: String,
    /// What the card shows above what it asks.
    #[prop(optional)]
    request_subject: Option<RequestSubject>,
) -> Live {
    let slots = Slots::new(Vec::new(), None, request_subject, None, None, false);
    use_session().framed("", move |store| {
        if let Some(slots) = &slots {
            slots.provide(store);
        }
        let index = store.read(|state| state.request_place(&id)).flatten()?;
        Some(article(store, index))
    })
}

/// Everything that waits for a person, as a list; shown while `store.desk.waiting` is set.
#[component(transparent)]
pub fn WaitingList() -> Live {
    use_session().framed_live("", |store| {
        store.view_state.waiting.get().then(|| match QUESTIONS.ready() {
            Ok(questions) => untrack(|| (questions.waiting)(store)),
            Err(coming) => coming.view(),
        })
    })
}

/// The content of a request's article: its card while it is open, then one line. Subscribes to what decides
/// between them.
pub fn request_card(store: Store, index: usize, row: RowSignals) -> Vec<El> {
    let open = memo(move || {
        row.head.track();
        store.entry(index, |entry| entry.request().is_some_and(Request::open)).unwrap_or(false)
    });
    let shared = shared_card(store, index);
    if open.get() && requests_elsewhere() {
        let text = store.entry(index, |entry| text(entry).into_owned()).unwrap_or_default();
        return vec![glyph(Icon::Shield), exact(el("p").attr("dir", "auto"), text.trim(), TextKind::Prose)];
    }
    if !open.get() {
        let left = memo(move || {
            row.head.track();
            row.text.track();
            store.read(|state| SettledRequest::of(state, index)).flatten()
        });
        let line = left.get().map(|left| settled(store, index, &left)).unwrap_or_default();
        // Only while other requests in the same card are open.
        let is_shared = memo(move || shared.with(Option::is_some));
        return if is_shared.get() { in_card(store, index, row, shared, line) } else { line };
    }
    let asked = store.entry(index, |entry| Some((entry.id.clone(), entry.request()?.clone()))).flatten();
    // Tracked: the card is drawn again when its chunk has been loaded.
    let draw = match asked.as_ref().map(|(_, request)| request.kind) {
        Some(RequestKind::Permission) | None => Ok(permission_card as Draw),
        Some(_) => QUESTIONS.ready().map(|questions| questions.card),
    };
    // Untracked: a signal that the card reads while it is built must not rebuild it; somebody may be typing.
    let card = untrack(|| {
        let (id, request) = asked?;
        Some(draw.map_or_else(lazy::Unavailable::view, |draw| {
            draw(AnswerControls::new(store, index, row, id), &request)
        }))
    });
    untrack(|| in_card(store, index, row, shared, card.into_iter().collect()))
}

/// Adds what is above and below a request in a card that it shares with others.
fn in_card(
    store: Store,
    index: usize,
    row: RowSignals,
    shared: Memo<Option<SharedCard>>,
    own: Vec<El>,
) -> Vec<El> {
    let foot = shared_foot(store, index, row, shared);
    std::iter::once(shared_head(shared)).chain(own).chain([foot]).collect()
}

/// Draws the card of an open request.
pub type Draw = fn(AnswerControls, &Request) -> El;

fn permission_card(controls: AnswerControls, request: &Request) -> El {
    PermissionCard(PermissionCardProps { controls, request: request.clone() })
}

/// The card of an open request that is not a permission.
pub fn question_card(controls: AnswerControls, request: &Request) -> El {
    match request.kind {
        RequestKind::Permission => permission_card(controls, request),
        RequestKind::UserInput => QuestionCard(QuestionCardProps { controls, request: request.clone() }),
        RequestKind::Elicitation => FormCard(FormCardProps { controls, request: request.clone() }),
        RequestKind::ExitPlanMode => PlanCard(PlanCardProps { controls, request: request.clone() }),
        RequestKind::ExternalTool => host::external_tool(controls, request),
        RequestKind::QueuedCommand => host::queued_command(controls, request),
        RequestKind::Command => host::own_command(controls, request),
        RequestKind::AutoModeSwitch => environment::auto_mode(controls, request),
        RequestKind::SessionLimits => environment::limits(controls, request),
        RequestKind::McpOauth => environment::sign_in(controls, request),
        RequestKind::Sampling => host::sampling(controls, request),
        RequestKind::Confirmation => {
            ConfirmationCard(ConfirmationCardProps { controls, request: request.clone() })
        }
    }
}

fn settled(store: Store, index: usize, left: &SettledRequest) -> Vec<El> {
    let about = (!left.about.is_empty()).then(|| {
        if left.code {
            exact(el("code"), &left.about, TextKind::Line)
        } else {
            exact(el("span").class("quiet").attr("dir", "auto"), &left.about, TextKind::Prose)
        }
    });
    // The outcome comes first, then what was asked. Both are sentences, unless the latter is code.
    let gap = if left.code || about.is_none() { " " } else { " · " };
    let line = exact(el("p").attr("dir", "auto"), &left.words, TextKind::Prose).text(gap).child(about);
    let unheard = left.unheard.as_deref().map(|words| own_words(store, index, requests::UNHEARD, words));
    let icon = match left.outcome {
        SettledOutcome::Taken => Icon::Check,
        SettledOutcome::Refused => Icon::Cross,
        SettledOutcome::Gone => Icon::Clock,
    };
    [glyph(icon), line].into_iter().chain(unheard).chain(unsent(store, index)).collect()
}

/// What a person wrote into the card, if the request ended without their answer.
fn unsent(store: Store, index: usize) -> Option<El> {
    let id = store.entry(index, |entry| entry.id.clone())?;
    let words = Drafts(store).unsent_words(&id)?;
    let place = own_words(store, index, requests::UNSENT, &words).attr("data-unsent", "");
    let element = place.element().clone();
    let dismiss = el("button").attr("type", "button").class("btn small").attr("part", "button");
    let dismiss = dismiss.text(composer::DISMISS.text()).on("click", move |_| {
        Drafts(store).forget(&id);
        // The focus stays in the row.
        if let Some(row) = element.closest("[data-row]").ok().flatten() {
            focus(&row, false);
        }
        element.remove();
    });
    Some(place.child(dismiss))
}

/// A person's words that may be lost, below a title: they can be copied, to be sent again as a message.
fn own_words(store: Store, index: usize, title: Word, words: &str) -> El {
    let button = el("button").attr("type", "button").class("btn small").attr("part", "button");
    let button = button.attr("data-copy-answer", "").text(requests::COPY_ANSWER.text());
    let element = button.element().clone();
    let button = button.on("click", move |_| {
        let element = element.clone();
        lazy::SEARCH.with(move |search| (search.copy)(store, index, CopiedPart::Answer, &element));
    });
    div("own-words")
        .child(el("p").class("quiet").text(title.text()))
        .child(exact(el("p").attr("dir", "auto"), words, TextKind::Prose))
        .child(button)
}
