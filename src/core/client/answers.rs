//! Answers on their way to the server, one for each request of a page, whoever shows it: sends them, gives each request one state
//! on the page, and keeps those that the server has taken in the tab, so that after a reload nobody is asked again. The runtime's
//! closing event settles a request, not this code.

use serde_json::{Map, Value, json};

use super::connection::Outcome;
use super::{Client, Effect, Purpose, RequestError, With};
use crate::Session;
use crate::i18n::words::connection;
use crate::json_writer::one_line;
use crate::model::answer::Prepared;
use crate::model::request::{Ending, Request, RequestStage};

/// A session on a server. A board's card and the session's own element may both show it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SessionKey {
    /// The server's address. Without one no other client shows the same.
    pub(super) server: Option<String>,
    pub(super) session: String,
}

impl SessionKey {
    fn is(&self, other: &Self) -> bool {
        self.server.is_some() && self == other
    }
}

/// What is known about the delivery of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delivery {
    /// It is under way; the connection or the host will report the outcome.
    Pending,
    /// It may have arrived; that is being checked.
    Checking,
    /// Nothing shows whether it arrived.
    Unknown,
}

/// An answer that was given on this page.
#[derive(Debug, Clone)]
pub(super) struct InFlight {
    key: SessionKey,
    /// The client through which it was given; only that one counts where there is no server.
    giver: u32,
    request: String,
    pub(super) answer: Prepared,
    pub(super) delivery: Delivery,
    /// It was sent before, and that attempt may have arrived.
    pub(super) repeated: bool,
    pub(super) why: Option<String>,
}

/// A client of the page.
#[derive(Debug, Clone, Default)]
pub(super) struct Member {
    pub(super) number: u32,
    pub(super) key: SessionKey,
    /// It can ask its server.
    pub(super) connected: bool,
    /// The requests that are open there.
    pub(super) open: Vec<String>,
}

/// The answers that a session's server has taken and no event has confirmed yet.
#[derive(Debug, Clone)]
pub(super) struct TakenAnswers {
    pub(super) key: SessionKey,
    /// By request.
    pub(super) answers: Map<String, Value>,
}

/// What the clients of one page share.
#[derive(Debug, Clone, Default)]
pub struct Page {
    answers: Vec<InFlight>,
    members: Vec<Member>,
    taken: Vec<TakenAnswers>,
}

/// What one client tells the others that show the same session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// An answer is being sent.
    Sending(String, Ending),
    /// An answer may have arrived, which is being checked. The words are for people.
    Checking(String, String),
    /// The server has refused an answer.
    Refused(String),
    /// The server has taken an answer.
    Taken(String),
    /// An answer did not arrive, and why.
    Unsent(String, String),
    /// An answer found no connection.
    FoundNoConnection(String),
    /// Nothing shows whether an answer arrived, and why.
    Unsure(String, Option<String>),
    /// How a request ended.
    Ended(String, RequestStage),
    /// These requests are open at the client with this number.
    Open(u32, Vec<String>),
    /// Find out what became of an answer.
    Check,
    /// Find out later whether the server still waits for an answer.
    CheckLater,
}

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

impl Client {
    /// Asks the tab once what it kept of this session.
    pub(super) fn recall_answers(&mut self, with: &mut With<'_>) {
        let key = &self.me.key;
        if key.server.is_some() && !key.session.is_empty() && with.page.taken(key).is_none() {
            self.effects.push(Effect::Recall(storage_name(key)));
            with.page.know_taken(key.clone());
        }
    }

    /// The tab has said what it kept.
    pub(super) fn answers_recalled(&mut self, stored: Option<&str>, with: &mut With<'_>) {
        let answers = stored.and_then(|stored| serde_json::from_str::<Value>(stored).ok());
        if let (Some(Value::Object(answers)), Some(taken)) = (answers, with.page.taken(&self.me.key)) {
            taken.answers = answers;
            for request in Self::open(with.session, &|request| request.stage == RequestStage::Waiting) {
                self.adopt_taken(&request, with);
            }
        }
    }

    /// Keeps an answer that the server has taken.
    pub(super) fn keep_taken(&mut self, request: &str, with: &mut With<'_>) {
        if let (Some(RequestStage::Taken(answer)), Some(taken)) =
            (Self::life(with.session, request), with.page.taken(&self.me.key))
        {
            taken.insert(request, &answer);
            self.effects.push(taken.stored());
        }
    }

    /// Shows an answer that was taken before the page was loaded again.
    pub(super) fn adopt_taken(&mut self, request: &str, with: &mut With<'_>) {
        let Some(answer) = with.page.taken(&self.me.key).and_then(|taken| taken.get(request)) else { return };
        with.session.answer_sending(request, answer);
        with.session.answer_taken(request);
        self.look_into_later();
    }

    /// Forgets the answers to these requests.
    pub(super) fn forget_taken(&mut self, over: &dyn Fn(&Session, &str) -> bool, with: &mut With<'_>) {
        let Some(taken) = with.page.taken(&self.me.key) else { return };
        let before = taken.answers.len();
        taken.answers.retain(|request, _| !over(with.session, request));
        if taken.answers.len() < before {
            self.effects.push(taken.stored());
        }
    }
}

impl Page {
    /// A client is gone.
    pub fn leave(&mut self, number: u32) {
        self.members.retain(|member| member.number != number);
    }

    /// Takes what is known of a client.
    pub(super) fn update(&mut self, member: Member) {
        match self.members.iter_mut().find(|other| other.number == member.number) {
            Some(other) => *other = member,
            None => self.members.push(member),
        }
    }

    /// The answers that a session's server has taken, as soon as the tab was asked for them.
    pub(super) fn taken(&mut self, key: &SessionKey) -> Option<&mut TakenAnswers> {
        self.taken.iter_mut().find(|taken| taken.key.is(key))
    }

    /// The tab is asked for them.
    pub(super) fn know_taken(&mut self, key: SessionKey) {
        self.taken.push(TakenAnswers { key, answers: Map::new() });
    }

    /// The other clients that show the same session.
    pub(super) fn others(&self, me: &Member) -> Vec<Member> {
        let others = self.members.iter().filter(|other| other.number != me.number && other.key.is(&me.key));
        others.cloned().collect()
    }

    /// Records an answer that is about to be sent; `None` repeats the earlier one. False if it must not be sent.
    pub(super) fn begin(&mut self, me: &Member, request: &str, answer: Option<Prepared>) -> bool {
        if !self.takes(me, request, answer.as_ref()) {
            return false;
        }
        if let Some(sent) = self.answer(me, request) {
            (sent.delivery, sent.repeated, sent.why) = (Delivery::Pending, true, None);
        } else if let Some(answer) = answer {
            self.answers.push(InFlight {
                key: me.key.clone(),
                giver: me.number,
                request: request.to_owned(),
                answer,
                delivery: Delivery::Pending,
                repeated: false,
                why: None,
            });
        }
        true
    }

    /// Whether an answer may be sent: none is under way, or the same one, of which nobody knows whether it arrived.
    pub(super) fn takes(&self, me: &Member, request: &str, answer: Option<&Prepared>) -> bool {
        match self.answers.iter().find(|sent| sent.is(me, request)) {
            Some(sent) => {
                let same = answer.is_none_or(|answer| answer.params == sent.answer.params);
                same && sent.delivery == Delivery::Unknown
            }
            None => answer.is_some(),
        }
    }

    /// The answer to a request that is under way.
    pub(super) fn answer(&mut self, me: &Member, request: &str) -> Option<&mut InFlight> {
        self.answers.iter_mut().find(|sent| sent.is(me, request))
    }

    /// The delivery of the answer to a request; `None` if none is under way.
    pub(super) fn delivery(&self, me: &Member, request: &str) -> Option<Delivery> {
        self.answers.iter().find(|sent| sent.is(me, request)).map(|sent| sent.delivery)
    }

    /// The requests of this session with an answer under way.
    pub(super) fn answered(&self, me: &Member) -> Vec<String> {
        self.answers.iter().filter(|sent| sent.is_of(me)).map(|sent| sent.request.clone()).collect()
    }

    /// Forgets an answer that is no longer under way.
    pub(super) fn end(&mut self, me: &Member, request: &str) {
        self.answers.retain(|sent| !sent.is(me, request));
    }

    /// Forgets all answers of a session that has begun again.
    pub(super) fn forget(&mut self, me: &Member) {
        self.answers.retain(|sent| !sent.is_of(me));
    }
}

impl InFlight {
    fn is_of(&self, me: &Member) -> bool {
        self.key.is(&me.key) || self.giver == me.number && self.key.session == me.key.session
    }

    fn is(&self, me: &Member, request: &str) -> bool {
        self.request == request && self.is_of(me)
    }
}

impl TakenAnswers {
    fn get(&self, request: &str) -> Option<Ending> {
        let known = self.answers.get(request)?;
        let text = |at: usize| known.get(at).and_then(Value::as_str);
        Some(Ending::new(text(0)?, text(1)?).with_reply(text(2)).with_option(text(3)))
    }

    fn insert(&mut self, request: &str, answer: &Ending) {
        let reply = answer.reply.as_ref().map(|reply| reply.words());
        // The words are those of the language in which the answer was given.
        self.answers
            .insert(request.to_owned(), json!([answer.word, answer.outcome.words(), reply, answer.option]));
    }

    /// What the tab keeps, and under which name.
    fn stored(&self) -> Effect {
        let text = (!self.answers.is_empty()).then(|| one_line(&Value::Object(self.answers.clone())));
        Effect::Keep(storage_name(&self.key), text)
    }
}

/// Servers may have sessions of the same id.
fn storage_name(key: &SessionKey) -> String {
    ["taken.", key.server.as_deref().unwrap_or_default(), ".", &key.session].concat()
}
