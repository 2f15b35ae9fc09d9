//! What people type into the cards of requests, until it is sent. It outlives its card. In the tab's storage it also outlives
//! another session in the place of this one, and a reload. Of a request that ended without an answer from here, the sentences
//! are kept until the person dismisses them.

use serde_json::{Map, Value};

use crate::json_writer::one_line;
use crate::model::request::{AnsweredBy, Request, RequestKind, RequestStage};
use crate::model::state::State;

/// The fields of cards in which people write sentences; what is in the others is quickly given again.
const SENTENCES: [&str; 4] = ["answer", "edits", "feedback", "reply"];

/// A field of a request's card. The session is empty while it is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CardField<'a> {
    /// The session.
    pub session: &'a str,
    /// The request.
    pub request: &'a str,
    /// The field.
    pub field: &'a str,
}

/// What the tab is to store under a name, or that it is to store nothing there.
pub type ToStore = (String, Option<String>);

/// What was typed on a page into the cards of an element. What the tab has stored of a session comes with each call, as
/// several elements of a page may show it.
#[derive(Debug, Clone, Default)]
pub struct CardDrafts(Vec<Typed>);

/// What was typed into one field.
#[derive(Debug, Clone)]
struct Typed {
    session: String,
    request: String,
    field: String,
    text: String,
}

impl Typed {
    fn is(&self, of: CardField<'_>) -> bool {
        self.session == of.session && self.request == of.request && self.field == of.field
    }
}

/// The name under which the tab stores what was typed in a session.
pub fn storage_name(session: &str) -> String {
    format!("answers.{session}")
}

impl CardDrafts {
    /// What was typed into a field and not sent; `None` if nobody has touched it.
    pub fn typed(&self, of: CardField<'_>, stored: Option<&str>) -> Option<String> {
        let here = self.0.iter().find(|typed| typed.is(of)).map(|typed| typed.text.clone());
        here.or_else(|| Some(read(stored).get(of.request)?.get(of.field)?.as_str()?.to_owned()))
    }

    /// Takes what a person types. A secret is not stored: it is lost with the page.
    pub fn set(
        &mut self,
        of: CardField<'_>,
        text: String,
        is_secret: bool,
        stored: Option<&str>,
    ) -> Option<ToStore> {
        let mut all = read(stored);
        if !is_secret
            && let Value::Object(fields) = all.entry(of.request).or_insert_with(|| Map::new().into())
        {
            fields.insert(of.field.to_owned(), text.as_str().into());
        }
        self.forget_secret(of);
        let [session, request, field] = [of.session, of.request, of.field].map(str::to_owned);
        self.0.push(Typed { session, request, field, text });
        if is_secret { None } else { written(of.session, all) }
    }

    /// Forgets a secret that has been sent.
    pub fn forget_secret(&mut self, of: CardField<'_>) {
        self.0.retain(|typed| !typed.is(of));
    }

    /// The sentences of a card whose request ended without an answer from here; `None` if there are none.
    pub fn unsent_words(
        &self,
        session: &str,
        request: &str,
        state: &State,
        stored: Option<&str>,
    ) -> Option<String> {
        let fields = SENTENCES.into_iter().filter(|field| is_wanted(state, request, field));
        let words = fields.filter_map(|field| self.typed(CardField { session, request, field }, stored));
        let words: Vec<String> = words.filter(|words| !words.trim().is_empty()).collect();
        (!words.is_empty()).then(|| words.join("\n\n"))
    }

    /// Forgets what was typed into the card of a request.
    pub fn forget(&mut self, session: &str, request: &str, stored: Option<&str>) -> Option<ToStore> {
        self.0.retain(|typed| typed.session != session || typed.request != request);
        let mut all = read(stored);
        all.remove(request)?;
        written(session, all)
    }

    /// Forgets what was typed for requests that are known and not open any more, but for sentences that may be wanted. A
    /// request that is not known may still be read.
    pub fn forget_old(&mut self, session: &str, state: &State, stored: Option<&str>) -> Option<ToStore> {
        self.0.retain(|typed| typed.session != session || is_wanted(state, &typed.request, &typed.field));
        let before = read(stored);
        let mut all = before.clone();
        for (request, fields) in &mut all {
            if let Value::Object(fields) = fields {
                fields.retain(|field, _| is_wanted(state, request, field));
            }
        }
        all.retain(|_, fields| fields.as_object().is_some_and(|fields| !fields.is_empty()));
        if all == before { None } else { written(session, all) }
    }
}

/// Whether what was typed into a field is still wanted: the request is open, or it ended without an answer from here and
/// the field has sentences.
fn is_wanted(state: &State, request: &str, field: &str) -> bool {
    let entry = state.request_place(request).and_then(|place| state.entry(place));
    let Some(request) = entry.and_then(|entry| entry.request()) else { return true };
    let ended_without_us = match &request.stage {
        RequestStage::Settled { by, .. } => *by == AnsweredBy::Elsewhere || *by == AnsweredBy::Unknown,
        // What was being sent is kept with the request.
        RequestStage::Stale { reply, .. } => reply.is_none(),
        _ => false,
    };
    // A form's fields have names of its server, and may be secrets.
    let is_sentence = request.kind != RequestKind::Elicitation && SENTENCES.contains(&field);
    Request::open(request) || ended_without_us && is_sentence
}

/// Texts by request and field.
fn read(stored: Option<&str>) -> Map<String, Value> {
    match stored.and_then(|all| serde_json::from_str(all).ok()) {
        Some(Value::Object(all)) => all,
        _ => Map::new(),
    }
}

fn written(session: &str, all: Map<String, Value>) -> Option<ToStore> {
    if all.is_empty() {
        return Some((storage_name(session), None));
    }
    (!session.is_empty()).then(|| (storage_name(session), Some(one_line(&Value::Object(all)))))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{CardDrafts, CardField, ToStore};
    use crate::Session;
    use crate::model::request::Ending;

    const FEEDBACK: CardField<'_> = CardField { session: "s", request: "p", field: "feedback" };
    const TOKEN: CardField<'_> = CardField { field: "token", ..FEEDBACK };

    /// A page in a tab.
    #[derive(Default)]
    struct Tab {
        drafts: CardDrafts,
        stored: Option<String>,
    }

    impl Tab {
        fn store(&mut self, to_store: Option<ToStore>) {
            if let Some((name, text)) = to_store {
                assert_eq!(name, "answers.s");
                self.stored = text;
            }
        }

        fn set(&mut self, of: CardField<'_>, text: &str, is_secret: bool) {
            let to_store = self.drafts.set(of, text.to_owned(), is_secret, self.stored.as_deref());
            self.store(to_store);
        }

        fn typed(&self, of: CardField<'_>) -> Option<String> {
            self.drafts.typed(of, self.stored.as_deref())
        }

        fn forget_old(&mut self, session: &Session) {
            let to_store = self.drafts.forget_old("s", session.state(), self.stored.as_deref());
            self.store(to_store);
        }

        fn unsent_words(&self, session: &Session) -> Option<String> {
            self.drafts.unsent_words("s", "p", session.state(), self.stored.as_deref())
        }

        fn reload(&mut self) {
            self.drafts = CardDrafts::default();
        }
    }

    fn asked() -> Session {
        let mut session = Session::new();
        let data = json!({ "requestId": "p", "permissionRequest": { "kind": "read", "path": "a" } });
        session.push_frame(&json!({ "type": "permission.requested", "id": "e", "data": data }).to_string());
        session
    }

    fn ended(session: &mut Session, kind: &str) {
        let data = json!({ "requestId": "p", "result": { "kind": kind } });
        session.push_frame(&json!({ "type": "permission.completed", "id": "c", "data": data }).to_string());
    }

    #[test]
    fn what_was_typed_outlives_a_reload_but_for_secrets() {
        let mut tab = Tab::default();
        tab.set(FEEDBACK, "Not", false);
        tab.set(FEEDBACK, "Not here", false);
        tab.set(TOKEN, "secret", true);
        assert_eq!(
            (tab.typed(FEEDBACK).as_deref(), tab.typed(TOKEN).as_deref()),
            (Some("Not here"), Some("secret"))
        );
        assert!(!tab.stored.as_deref().unwrap_or_default().contains("secret"));
        tab.reload();
        assert_eq!((tab.typed(FEEDBACK).as_deref(), tab.typed(TOKEN)), (Some("Not here"), None));
        assert_eq!(tab.typed(CardField { session: "other", ..TOKEN }), None);
        tab.set(TOKEN, "secret", true);
        tab.drafts.forget_secret(TOKEN);
        assert_eq!(tab.typed(TOKEN), None);
    }

    #[test]
    fn while_the_session_is_unknown_nothing_is_stored() {
        let mut drafts = CardDrafts::default();
        let of = CardField { session: "", ..FEEDBACK };
        assert_eq!(drafts.set(of, "early".to_owned(), false, None), None);
        assert_eq!(drafts.typed(of, None).as_deref(), Some("early"));
    }

    #[test]
    fn of_a_request_that_ended_without_us_sentences_stay_until_they_are_dismissed() {
        let (mut tab, mut session) = (Tab::default(), asked());
        tab.set(FEEDBACK, "Not here", false);
        tab.set(CardField { field: "answer", ..FEEDBACK }, "  ", false);
        tab.set(CardField { field: "choice", ..FEEDBACK }, "2", false);
        tab.forget_old(&session);
        assert!(tab.stored.as_deref().unwrap_or_default().contains("choice"), "it is open");
        ended(&mut session, "approved");
        tab.forget_old(&session);
        assert!(!tab.stored.as_deref().unwrap_or_default().contains("choice"));
        tab.reload();
        assert_eq!(tab.unsent_words(&session).as_deref(), Some("Not here"));
        let to_store = tab.drafts.forget("s", "p", tab.stored.as_deref());
        tab.store(to_store);
        assert_eq!((tab.unsent_words(&session), &tab.stored), (None, &None));
    }

    #[test]
    fn what_was_sent_from_here_is_forgotten() {
        let (mut tab, mut session) = (Tab::default(), asked());
        tab.set(FEEDBACK, "Not here", false);
        session.answer_sending("p", Ending::new("approved", "Allowed once"));
        session.answer_taken("p");
        ended(&mut session, "approved");
        tab.forget_old(&session);
        assert_eq!((tab.typed(FEEDBACK), tab.unsent_words(&session), &tab.stored), (None, None, &None));
    }

    #[test]
    fn fields_of_a_form_are_not_offered_and_of_an_unknown_request_all_is_kept() {
        let (mut tab, mut session) = (Tab::default(), Session::new());
        tab.set(FEEDBACK, "typed early", false);
        tab.forget_old(&session);
        assert_eq!(tab.typed(FEEDBACK).as_deref(), Some("typed early"));
        let schema = json!({ "type": "object", "properties": { "feedback": { "type": "string" } } });
        let data = json!({ "requestId": "p", "message": "Name?", "mode": "form", "requestedSchema": schema });
        for (kind, data) in [
            ("elicitation.requested", data),
            ("elicitation.completed", json!({ "requestId": "p", "action": "accept" })),
        ] {
            session.push_frame(&json!({ "type": kind, "id": kind, "data": data }).to_string());
        }
        tab.forget_old(&session);
        assert_eq!((tab.typed(FEEDBACK), &tab.stored), (None, &None));
    }
}
