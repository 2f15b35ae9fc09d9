//! What the clients of one page share: the answers that were given on it, until the server confirms them, one for each
//! request, whoever shows it; and who shows which session.

use serde_json::{Map, Value};

use crate::model::answer::Prepared;
use crate::model::request::{Ending, RequestStage};

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
