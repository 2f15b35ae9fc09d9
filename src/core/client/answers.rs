//! Sends a person's answers to the server, and gives each request one state on the page. The runtime's closing event
//! settles a request, not this code.

use serde_json::{Map, Value};

use super::connection::Outcome;
use super::page::Delivery;
use super::{Client, Effect, News, Page, Purpose, RequestError, With};
use crate::Session;
use crate::i18n::words::connection;
use crate::model::answer::Prepared;
use crate::model::request::{Request, RequestStage};

impl Client {
    /// Whether an answer to this request would be taken now.
    pub fn takes_answer(&self, request: &str, answer: &Prepared, session: &Session, page: &Page) -> bool {
        open_request(session, request).is_some() && page.takes(&self.me, request, Some(answer))
    }

    /// Takes an answer, or gives the earlier one again for `None`. One from the host's own program (`of_host`) is not
    /// offered to the host.
    pub(super) fn answer(&mut self, id: &str, answer: Option<Prepared>, of_host: bool, with: &mut With<'_>) {
        let Some(request) = open_request(with.session, id) else { return };
        self.sync(with);
        // An earlier answer that is under way or was lost may still arrive.
        if !with.page.begin(&self.me, id, answer) {
            return;
        }
        let Some((method, params)) = self.message(id, &request, with) else { return };
        if of_host {
            self.host_took(id, false, with);
        } else {
            self.effects.push(Effect::OfferAnswer { request: id.to_owned(), method, params });
        }
    }

    /// The method and the params of the answer that is under way.
    fn message(&self, id: &str, request: &Request, with: &mut With<'_>) -> Option<(&'static str, Value)> {
        let sent = with.page.answer(&self.me, id)?;
        let Some(method) = request.kind.method() else {
            return Some(Self::confirmation(request, &sent.answer));
        };
        let answered = sent.answer.params.clone().into_iter();
        let mut params = Map::new();
        params.insert("sessionId".to_owned(), self.session_id(with.session).into());
        params.insert("requestId".to_owned(), id.into());
        params.extend(answered.filter(|(name, _)| !matches!(&**name, "sessionId" | "requestId")));
        Some((method, Value::Object(params)))
    }

    /// Sends the answer, unless the host does.
    pub(super) fn host_took(&mut self, id: &str, took: bool, with: &mut With<'_>) {
        let Some(request) = open_request(with.session, id) else { return };
        let Some((method, params)) = self.message(id, &request, with) else { return };
        let Some(sent) = with.page.answer(&self.me, id) else { return };
        let ending = sent.answer.ending.clone();
        let accepted = Self::accepts(&sent.answer);
        self.tell_all(&News::Sending(id.to_owned(), ending), with);
        if request.kind.method().is_none() {
            return self.confirm(id, accepted, &params, took, with);
        }
        if !took {
            let purpose = Purpose::Answer { request: id.to_owned(), method, params: params.clone() };
            self.send(purpose, method, params, with);
        }
    }

    /// Handles the outcome of an answer, or its lack. `checkable`: the log or the server may
    /// still show what became of it.
    pub(super) fn answer_ended(
        &mut self,
        request: String,
        outcome: Outcome,
        checkable: bool,
        with: &mut With<'_>,
    ) {
        match outcome {
            Ok(result) if result.get("success").and_then(Value::as_bool) == Some(false) => {
                with.page.end(&self.me, &request);
                self.tell_all(&News::Refused(request), with);
            }
            // The `*.completed` event says what came of it.
            Ok(_) => {
                with.page.end(&self.me, &request);
                self.tell_all(&News::Taken(request.clone()), with);
                if checkable {
                    self.keep_taken(&request, with);
                    self.tell_connected(News::CheckLater, with);
                }
            }
            Err(error) if error.uncertain() && checkable => {
                let why = connection::MAYBE_ARRIVED.text().to_owned();
                if let Some(sent) = with.page.answer(&self.me, &request) {
                    (sent.delivery, sent.why) = (Delivery::Checking, Some(why.clone()));
                }
                self.tell_all(&News::Checking(request, why), with);
                self.tell_connected(News::Check, with);
            }
            // That this attempt failed says nothing about the earlier one.
            Err(error)
                if error.uncertain()
                    || with.page.answer(&self.me, &request).is_some_and(|sent| sent.repeated) =>
            {
                self.mark_unsure(request, Some(error.to_string()), with);
            }
            Err(error) => {
                if error == RequestError::NotConnected {
                    self.tell_all(&News::FoundNoConnection(request.clone()), with);
                }
                self.reopen(request, error.to_string(), with);
            }
        }
    }

    /// Makes the request wait again and shows why.
    pub(super) fn reopen(&mut self, request: String, why: String, with: &mut With<'_>) {
        with.page.end(&self.me, &request);
        self.forget_taken(&|_, taken| taken == request, with);
        self.tell_all(&News::Unsent(request, why), with);
    }

    /// Marks the request as unsure: nothing shows whether the answer arrived, and the
    /// same one may be given again.
    pub(super) fn mark_unsure(&mut self, request: String, why: Option<String>, with: &mut With<'_>) {
        if let Some(sent) = with.page.answer(&self.me, &request) {
            (sent.delivery, sent.why) = (Delivery::Unknown, why.clone());
        }
        self.tell_all(&News::Unsure(request, why), with);
    }

    /// Tells this client and all others that show the session.
    fn tell_all(&mut self, news: &News, with: &mut With<'_>) {
        for other in with.page.others(&self.me) {
            self.effects.push(Effect::Tell(other.number, news.clone()));
        }
        self.take_news(news, with);
    }

    /// Tells a client of the session that can ask its server.
    fn tell_connected(&mut self, news: News, with: &mut With<'_>) {
        if self.me.connected && !self.closed {
            return self.take_news(&news, with);
        }
        if let Some(other) = with.page.others(&self.me).into_iter().find(|other| other.connected) {
            self.effects.push(Effect::Tell(other.number, news));
        }
    }

    /// Shows what is known of a request or of its answer, if the request is known here.
    pub(super) fn take_news(&mut self, news: &News, with: &mut With<'_>) {
        let session = &mut *with.session;
        let is_known = |session: &Session, request: &str| Self::life(session, request).is_some();
        let (request, why) = match news {
            News::Sending(request, ending) if is_known(session, request) => {
                session.answer_sending(request, ending.clone());
                (request, None)
            }
            News::Checking(request, why) if is_known(session, request) => (request, Some(why)),
            News::Refused(request) if is_known(session, request) => {
                session.answer_refused(request);
                (request, None)
            }
            News::Taken(request) if is_known(session, request) => {
                session.answer_taken(request);
                (request, None)
            }
            News::Unsent(request, why) if is_known(session, request) => {
                session.answer_unsent(request);
                (request, Some(why))
            }
            News::Unsure(request, why) if is_known(session, request) => {
                session.answer_unsure(request);
                (request, why.as_ref())
            }
            News::FoundNoConnection(request) => return self.checks.found_no_connection(request),
            News::Ended(request, life) => {
                if Self::open(session, &Request::open).contains(request) {
                    session.request_ended(request, life.clone());
                }
                return;
            }
            News::Open(number, requests) => return self.tell_endings(*number, requests, session),
            News::Check => return self.look_into(with),
            News::CheckLater => return self.look_into_later(),
            _ => return,
        };
        self.effects.push(Effect::Trouble(request.clone(), why.cloned()));
    }

    /// Gives each request one state on the page: what another client of this session knows is
    /// copied here, and vice versa.
    pub(super) fn share_requests(&mut self, with: &mut With<'_>) {
        for request in Self::open(with.session, &|request| request.stage == RequestStage::Waiting) {
            self.adopt_answer(request, with);
        }
        self.me.open = Self::open(with.session, &Request::open);
        with.page.update(self.me.clone());
        let others = with.page.others(&self.me);
        for other in &others {
            self.tell_endings(other.number, &other.open, with.session);
            if !self.me.open.is_empty() {
                let open = News::Open(self.me.number, self.me.open.clone());
                self.effects.push(Effect::Tell(other.number, open));
            }
        }
        let is_over = |session: &Session, request: &str| {
            matches!(
                Self::life(session, request),
                Some(RequestStage::Settled { .. } | RequestStage::Stale { .. })
            )
        };
        self.forget_taken(&is_over, with);
        for request in with.page.answered(&self.me) {
            let is_open = |open: &[String]| open.contains(&request);
            if Self::life(with.session, &request).is_some()
                && !is_open(&self.me.open)
                && !others.iter().any(|other| is_open(&other.open))
            {
                with.page.end(&self.me, &request);
            }
        }
    }

    /// Tells another client how requests have ended that are open there. Why one is stale, each finds out by itself.
    fn tell_endings(&mut self, other: u32, open: &[String], session: &Session) {
        for request in open {
            if let Some(life @ (RequestStage::Taken(_) | RequestStage::Settled { .. })) =
                Self::life(session, request)
            {
                self.effects.push(Effect::Tell(other, News::Ended(request.clone(), life)));
            }
        }
    }

    /// Shows on a new card what became of the answer given on another one.
    fn adopt_answer(&mut self, request: String, with: &mut With<'_>) {
        let Some(sent) = with.page.answer(&self.me, &request) else {
            return self.adopt_taken(&request, with);
        };
        let (ending, delivery, why) = (sent.answer.ending.clone(), sent.delivery, sent.why.clone());
        with.session.answer_sending(&request, ending);
        if delivery == Delivery::Unknown {
            with.session.answer_unsure(&request);
        }
        self.effects.push(Effect::Trouble(request, why));
        if delivery == Delivery::Checking {
            self.look_into(with);
        }
    }
}

/// A request that can be answered.
fn open_request(session: &Session, id: &str) -> Option<Request> {
    let state = session.state();
    let request = state.entry(state.request_place(id)?)?.request()?;
    (request.open() && !request.is_sending()).then(|| request.clone())
}
