//! Finds out which open requests the server still knows, and what became of answers that nobody confirmed. No
//! answer is sent again here; only a person does that.

use serde_json::{Value, json};

use super::answers::Delivery;
use super::connection::Outcome;
use super::{Asked, Client, Effect, PermissionChecks, Purpose, RequestError, Timer, With};
use crate::Session;
use crate::i18n::words::connection;
use crate::model::request::Life;
use crate::protocol::request::{PENDING_PERMISSIONS, listed_permissions};

/// How long to wait for the event of a listed permission before the list's own data is used, in milliseconds.
const EVENT_WAIT_MS: u32 = 1_000;

/// What is still to be found out.
#[derive(Debug, Default)]
pub(super) struct Checks {
    /// The connection is new. The server is asked once the history has arrived, because before that
    /// everything would look unknown.
    due: bool,
    /// Answers that failed for lack of a connection and can be given again.
    unsent: Vec<String>,
    /// How many stops the server has been asked about.
    stops: u64,
    /// What the lists so far have shown.
    permissions: PermissionChecks,
    /// The newest question, which alone counts: its ticket, and what is compared with the list.
    newest: Option<Question>,
    /// A list whose events are waited for.
    list: Option<(Question, List)>,
}

#[derive(Debug, Clone)]
struct Question {
    ticket: u64,
    asked: Asked,
    /// What was answered by then.
    answered: Vec<String>,
}

#[derive(Debug, Default)]
struct List {
    /// The ids of its permissions.
    ids: Vec<String>,
    /// Its permissions, if it was one.
    items: Option<Vec<Value>>,
}

impl Checks {
    /// Notes an answer that found no connection: its card says so until there is one.
    pub(super) fn found_no_connection(&mut self, request: &str) {
        self.unsent.push(request.to_owned());
    }
}

impl Client {
    /// Finds out what became of an answer that may have arrived.
    pub(super) fn look_into(&mut self, with: &mut With<'_>) {
        self.checks.permissions.begin();
        self.reconcile(with);
    }

    /// The server has taken the answer to a permission. Whether it still waits for one is asked later, unless an event
    /// says what came of it.
    pub(super) fn look_into_later(&mut self) {
        let delay_ms = self.checks.permissions.taken();
        self.ask_again(delay_ms);
    }

    /// After a stop that closed requests: a sub-agent in the background may still ask. What a board's cards show, the
    /// gateway looks after.
    pub(super) fn look_after_stop(&mut self, with: &mut With<'_>) {
        if self.server.requests_only {
            return;
        }
        let stops = with.session.state().doubtful_ends;
        if std::mem::replace(&mut self.checks.stops, stops) < stops && !self.checks.due {
            self.look_into(with);
        }
    }

    /// Checks the open requests of a new connection, once the history has arrived.
    pub(super) fn reconcile_soon(&mut self, with: &mut With<'_>) {
        self.connected_again();
        self.checks.due = true;
        self.caught_up(with);
    }

    /// Removes the messages about a missing connection from cards: they can be answered now.
    pub(super) fn connected_again(&mut self) {
        let unsent = std::mem::take(&mut self.checks.unsent);
        self.effects.extend(unsent.into_iter().map(|request| Effect::Trouble(request, None)));
    }

    /// Input arrived. Once the history is here and the session is known, the server is asked
    /// about what the log does not tell.
    pub(super) fn caught_up(&mut self, with: &mut With<'_>) {
        let (newest, reached) = self.progress;
        if self.checks.due && reached >= newest && !self.session_id(with.session).is_empty() {
            self.checks.due = false;
            self.look_into(with);
        }
    }

    /// Asks which permissions are open. [`PermissionChecks`] says what the answer means for those that are open here;
    /// those that only the server knows are shown. Other requests are known from the log only. An answered request
    /// that is listed can be answered anew; one that is open only because nothing reports its end can
    /// get the same answer again.
    fn reconcile(&mut self, with: &mut With<'_>) {
        self.effects.push(Effect::DropTimer(Timer::AskAgain));
        let (asked, answered) = (self.asked(with.session), self.answered_requests(with));
        self.request(Purpose::Permissions, PENDING_PERMISSIONS, json!({}), with);
        // What became of it is handled after this.
        self.checks.newest = Some(Question { ticket: self.last_ticket, asked, answered });
    }

    /// The server has said which permissions are open, or has not.
    pub(super) fn permissions_answered(&mut self, ticket: u64, outcome: Outcome, with: &mut With<'_>) {
        let newest = self.checks.newest.clone().filter(|newest| newest.ticket == ticket && !self.closed);
        let Some(question) = newest else { return };
        let items = match outcome {
            Ok(result) => listed_permissions(result),
            // A new connection asks again by itself.
            Err(RequestError::NotConnected | RequestError::Replaying) => return,
            Err(error) if error.uncertain() => {
                let delay_ms = self.checks.permissions.unanswered();
                return self.ask_again(delay_ms);
            }
            Err(_) => None,
        };
        let ids: Vec<String> = items.iter().flatten().filter_map(id_of).map(str::to_owned).collect();
        // The events of listed permissions may be under way, and say more than the list.
        let known = ids.iter().all(|id| is_known(with.session, id));
        let list = List { ids, items };
        if known {
            self.listed(&question, list, with);
        } else {
            self.checks.list = Some((question, list));
            self.effects.push(Effect::SetTimer(Timer::Events, EVENT_WAIT_MS));
        }
    }

    /// The events of listed permissions had their time.
    pub(super) fn events_waited(&mut self, with: &mut With<'_>) {
        let newest = self.checks.newest.as_ref().map(|newest| newest.ticket);
        if let Some((question, list)) = self.checks.list.take()
            && newest == Some(question.ticket)
        {
            self.listed(&question, list, with);
        }
    }

    fn listed(&mut self, question: &Question, list: List, with: &mut With<'_>) {
        if let Some(mut items) = list.items {
            if self.server.requests_only {
                // The list covers the whole session. Requests that are not shown here arrive
                // with the board's summary.
                items.retain(|item| id_of(item).is_some_and(|id| is_known(with.session, id)));
            }
            let state = with.session.state();
            let found = self.checks.permissions.listed(state, &question.asked, &list.ids);
            with.session.permissions_listed(&found.gone, items);
            for id in found.unheeded {
                self.reopen(id, connection::NOT_ARRIVED.text().to_owned(), with);
            }
            if let Some(delay_ms) = found.again_ms {
                self.ask_again(delay_ms);
            }
        }
        for id in self.answered_requests(with) {
            if !question.answered.contains(&id) {
                continue;
            }
            if list.ids.contains(&id) {
                self.reopen(id, connection::NOT_ARRIVED.text().to_owned(), with);
            } else if with.page.delivery(&self.me, &id) == Some(Delivery::Checking) {
                self.mark_unsure(id, None, with);
            }
        }
    }

    /// What is compared with the list. A board's card knows from the board's summary what is open.
    fn asked(&self, session: &Session) -> Asked {
        let asked = self.checks.permissions.ask(session.state());
        if self.server.requests_only { asked.without_open() } else { asked }
    }

    /// Asks again after so many milliseconds, if anything is in question by then.
    fn ask_again(&mut self, delay_ms: u32) {
        if !self.closed {
            self.effects.push(Effect::SetTimer(Timer::AskAgain, delay_ms));
        }
    }

    pub(super) fn ask_again_now(&mut self, with: &mut With<'_>) {
        if !self.asked(with.session).is_empty() || !self.answered_requests(with).is_empty() {
            self.reconcile(with);
        }
    }

    /// Open requests that were answered and whose outcome the connection will not report any more.
    pub(super) fn answered_requests(&self, with: &With<'_>) -> Vec<String> {
        let sent = |life: &Life| matches!(life, Life::Sending(_) | Life::Unsure(_));
        let mut answered = Self::open(with.session, &|request| sent(&request.life));
        answered.retain(|id| with.page.delivery(&self.me, id) != Some(Delivery::Pending));
        answered
    }
}

fn id_of(item: &Value) -> Option<&str> {
    item.get("requestId").and_then(Value::as_str)
}

fn is_known(session: &Session, id: &str) -> bool {
    session.state().request_place(id).is_some()
}
