//! Offers messages that the agent has not begun, because they were dropped with a turn or a server, or were
//! taken out of the queue. They can be sent again, put back into the field, or discarded.
//!
//! Every page sees what the server keeps and can decide about it. A page that comes second says so.

use leptos::prelude::*;
use serde_json::{Value, json};
use wasm_bindgen_futures::spawn_local;

use super::controls::{icon_button, note_line, small_button};
use super::state::{ComposerState, Outcome};
use super::{commands, queue, send};
use crate::core::client::compose::{Attached, DeliveryMode, Input, Note, OutgoingMessage};
use crate::core::i18n::Word;
use crate::core::i18n::words::composer as words;
use crate::core::model::queue::{Offer, Queue, Queued};
use crate::core::model::state::Section;
use crate::core::protocol::ErrorReason;
use crate::core::protocol::call::CallFailure;
use crate::core::view_model::icon::Icon;
use crate::core::wire::fields::Fields;
use crate::ui::elements::builder::{El, div, el};
use crate::ui::elements::reactive::memo;

/// The client puts its answer into the state.
pub(super) const BACKLOG: &str = "pilothouse.backlog";
const READ: &str = "pilothouse.backlog.read";
const SEND: &str = "pilothouse.backlog.send";
const DISCARD: &str = "pilothouse.backlog.discard";

/// The text as shown: with the names of attachments.
fn offer_text(offer: &Offer) -> String {
    match offer {
        Offer::OnServer(item) if !item.attachments.is_empty() => {
            let names = item.attachments.join(", ");
            format!("{} · {names}", item.text).trim_start_matches(" · ").to_owned()
        }
        _ => offer.text().to_owned(),
    }
}

/// What a person can do with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OfferChoice {
    SendAgain,
    PutBack,
    Discard,
}

impl OfferChoice {
    const ALL: [Self; 3] = [Self::SendAgain, Self::PutBack, Self::Discard];

    fn word(self) -> Word {
        match self {
            Self::SendAgain => words::SEND_AGAIN,
            Self::PutBack => words::PUT_BACK,
            Self::Discard => words::DISCARD,
        }
    }

    /// How scripts find it: an attribute for all messages, and a `data-act` for one.
    fn hooks(self) -> (&'static str, &'static str) {
        match self {
            Self::SendAgain => ("data-send-again", "again"),
            Self::PutBack => ("data-put-back", "back"),
            Self::Discard => ("data-discard", "discard"),
        }
    }

    fn icon(self) -> Icon {
        match self {
            Self::SendAgain => Icon::Send,
            Self::PutBack => Icon::Pencil,
            Self::Discard => Icon::Cross,
        }
    }
}

/// The offers; empty while there are none.
pub(super) fn offers(composer: ComposerState) -> El {
    let store = composer.store;
    let read = move |read: fn(&Queue) -> Vec<Offer>| {
        store.section(Section::Queue, |_| ());
        store.live(|state| read(&state.queue)).unwrap_or_default()
    };
    let dropped = memo(move || read(Queue::dropped_offers));
    let removed = memo(move || read(Queue::removed_offers));
    div("composer-offers").child(move || group(composer, words::DROPPED, &dropped.get())).child(move || {
        let offers = removed.get();
        // A message that was taken out alone has lost its place; those of a queue that was emptied have not.
        let emptied = untrack(|| store.live(|state| state.queue.emptied)).unwrap_or(false);
        if emptied { emptied_line(composer, &offers) } else { group(composer, words::REMOVED, &offers) }
    })
}

fn group(composer: ComposerState, word: Word, offers: &[Offer]) -> Option<El> {
    if offers.is_empty() {
        return None;
    }
    let all = offers.to_vec();
    let rows = offers.iter().map(|offer| {
        let text = el("p").attr("dir", "auto").attr("title", offer.text()).text(offer_text(offer));
        let text = el("li").child(text);
        if all.len() == 1 { text } else { text.child(choices_of_one(composer, offer)) }
    });
    let note = note_line("warning", Icon::Queue, &word.with(&[("n", offers.len().into())]));
    let choices = OfferChoice::ALL.into_iter().map(|choice| {
        let all = all.clone();
        let button = small_button(choice.word()).attr(choice.hooks().0, "");
        let button = button.on("click", move |_| decide(composer, choice, all.clone()));
        disable_while_unavailable(composer, choice, button)
    });
    let note = note.attr("role", "status").attr("data-dropped", "");
    let note = note.child(div("composer-choose").child(choices.collect::<Vec<_>>()));
    Some(note.child(el("ul").child(rows.collect::<Vec<_>>())))
}

/// That the queue was emptied, with a button that puts its messages back in their order.
fn emptied_line(composer: ComposerState, offers: &[Offer]) -> Option<El> {
    if offers.is_empty() {
        return None;
    }
    let (all, own) = (offers.to_vec(), offers.to_vec());
    let undo = small_button(words::UNDO).attr("data-undo", "");
    let undo = undo.on("click", move |_| decide(composer, OfferChoice::SendAgain, all.clone()));
    let close = icon_button(Icon::Cross, words::DISMISS.text());
    let close = close.on("click", move |_| decide(composer, OfferChoice::Discard, own.clone()));
    let note = note_line("info", Icon::Queue, &words::REMOVED.with(&[("n", offers.len().into())]));
    let note = note.attr("role", "status").attr("data-emptied", "");
    Some(note.child(disable_while_unavailable(composer, OfferChoice::SendAgain, undo)).child(close))
}

fn choices_of_one(composer: ComposerState, offer: &Offer) -> El {
    let acts = OfferChoice::ALL.into_iter().map(|choice| {
        let (own, text) = (offer.clone(), queue::short(offer.text()));
        let name = words::OF_ITEM.with(&[("action", choice.word().text().into()), ("text", (&text).into())]);
        let button = icon_button(choice.icon(), choice.word().text()).attr("aria-label", &name);
        let button = button.attr("data-act", choice.hooks().1);
        let button = button.on("click", move |_| decide(composer, choice, vec![own.clone()]));
        disable_while_unavailable(composer, choice, button)
    });
    div("acts").child(acts.collect::<Vec<_>>())
}

/// Disables a button while it can't work: the field is taken while a queued message is edited there.
fn disable_while_unavailable(composer: ComposerState, choice: OfferChoice, button: El) -> El {
    button.attr("disabled", move || match choice {
        OfferChoice::SendAgain => !composer.connected(),
        OfferChoice::PutBack => composer.edits_queued(),
        OfferChoice::Discard => false,
    })
}

fn decide(composer: ComposerState, choice: OfferChoice, offers: Vec<Offer>) {
    composer.set_note(None);
    // They are hidden at once, so that nobody decides twice.
    let ids: Vec<String> = offers.iter().filter_map(Offer::backlog_id).map(str::to_owned).collect();
    let decided = offers.clone();
    composer.store.update_session(move |session| session.offers_decided(&decided));
    for offer in &offers {
        if let Offer::OnPage(message) = offer {
            composer.input(Input::Decided(message));
        }
    }
    composer.focus();
    if choice == OfferChoice::SendAgain && !untrack(|| composer.is_busy()) {
        composer.store.view_state.scroll_to_end();
    }
    spawn_local(async move {
        let done = match choice {
            OfferChoice::SendAgain => send_again(composer, offers).await,
            OfferChoice::PutBack => restore_messages(composer, offers).await,
            OfferChoice::Discard => discard(composer, &ids).await.map(|_| ()),
        };
        // What the server keeps now is fetched before they are shown again, so that nothing flickers.
        if done.is_some() && !ids.is_empty() && call(composer, BACKLOG, json!({})).await.is_some() {
            composer.store.update_session(move |session| session.offers_confirmed(&ids));
        }
    });
}

/// Sends messages one after the other, so that their order stays. `None` if the composer has gone meanwhile.
async fn send_again(composer: ComposerState, offers: Vec<Offer>) -> Option<()> {
    let alone = offers.len() == 1;
    for offer in offers {
        match offer {
            // Whoever takes it out of the server's backlog runs it. In the queue it would wait for a client that
            // knows it.
            Offer::OnServer(item) if item.command && alone && !untrack(|| composer.is_busy()) => {
                if discard(composer, &[item.id]).await? {
                    commands::run_text(composer, item.text);
                }
            }
            Offer::OnServer(item) => match call(composer, SEND, json!({ "id": item.id })).await? {
                Ok(_) => {}
                Err(failure) => {
                    show_failure(composer, &failure);
                    break;
                }
            },
            Offer::OnPage(item) => {
                let outgoing = outgoing_message(composer, &item);
                send::deliver(composer, OutgoingMessage { way: Some(DeliveryMode::Queue), ..outgoing })
                    .await?;
            }
        }
    }
    Some(())
}

/// Puts messages into the field before its text, and discards them, so that
/// nobody else has to decide about them.
async fn restore_messages(composer: ComposerState, offers: Vec<Offer>) -> Option<()> {
    let (mut texts, mut files, mut taken) = (Vec::new(), Vec::new(), Vec::new());
    for offer in offers {
        match offer {
            Offer::OnServer(item) => match call(composer, READ, json!({ "id": item.id })).await? {
                Ok(answer) => {
                    let mut message = Fields::of(answer).object("message");
                    texts.push(
                        message
                            .non_empty_text("displayPrompt")
                            .or_else(|| message.non_empty_text("prompt"))
                            .or_else(|| message.non_empty_text("command"))
                            .unwrap_or_default(),
                    );
                    files.extend(message.list("attachments").into_iter().map(Attached::of));
                    taken.push(item.id);
                }
                Err(failure) => show_failure(composer, &failure),
            },
            Offer::OnPage(item) => {
                files.extend(outgoing_message(composer, &item).files);
                texts.push(item.text);
            }
        }
    }
    composer.input(Input::BringBackAll(texts, files));
    composer.focus();
    discard(composer, &taken).await.map(|_| ())
}

/// Takes messages out of the server's backlog. Returns whether all were there.
async fn discard(composer: ComposerState, ids: &[String]) -> Option<bool> {
    let mut all = true;
    for id in ids {
        let failed = match call(composer, DISCARD, json!({ "id": id })).await? {
            Ok(answer) if answer.get("discarded").and_then(Value::as_bool) == Some(false) => {
                Some(Note::info(words::DECIDED_ELSEWHERE.text()))
            }
            Ok(_) => None,
            Err(failure) => Some(failure_note(&failure)),
        };
        if failed.is_some() {
            all = false;
            composer.set_note(failed);
        }
    }
    Some(all)
}

fn show_failure(composer: ComposerState, failure: &CallFailure) {
    composer.set_note(Some(failure_note(failure)));
}

fn failure_note(failure: &CallFailure) -> Note {
    match failure.reason {
        Some(ErrorReason::NoSuchMessage) => Note::info(words::DECIDED_ELSEWHERE.text()),
        _ => Note::failed(failure),
    }
}

/// The letter that was sent from here as this message. For one from elsewhere, a letter with its text.
fn outgoing_message(composer: ComposerState, item: &Queued) -> OutgoingMessage {
    let id = item.message_id.as_deref().unwrap_or_default();
    let sent = composer.core.try_with_value(|core| core.sent_message(id).cloned());
    match sent.flatten() {
        Some(outgoing) if outgoing.shown() == item.text => outgoing,
        sent => OutgoingMessage {
            prompt: item.text.clone(),
            display: None,
            mode: item.agent_mode.clone(),
            files: sent.map(|outgoing| outgoing.files).unwrap_or_default(),
            way: Some(DeliveryMode::Queue),
        },
    }
}

/// Sends a call; `None` if the composer has gone meanwhile.
async fn call(composer: ComposerState, method: &str, params: Value) -> Option<Outcome> {
    let outcome = composer.store.call(method, params)?.await;
    composer.is_mounted().then_some(outcome)
}
