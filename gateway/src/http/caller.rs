//! Carries out the calls of a client, and writes into the audit log who made them and what became of them.

use std::sync::Arc;
use std::time::Instant;

use pilothouse_core::protocol::{ErrorReason, RequestKind};

use super::sharing::{self, Sharer};
use crate::access::audit::Audit;
use crate::access::audit::record::{Actor, DONE, Record, UNKNOWN, decision, option_id, outcome};
use crate::access::gate::{Answers, Pass};
use crate::access::person::Name;
use crate::access::{Access, Role, methods};
use crate::rpc::{Call, Fault, success};
use crate::sessions::session::Session;
use crate::sessions::{Sessions, own_event};
use crate::time;

/// A client whose calls were let through.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Who it is, and from where.
    pub actor: Actor,
    /// The role that is sent to the client; none where nobody signs in.
    pub announced_role: Option<Role>,
    /// Counts its answers.
    pub answers: Answers,
    /// The gateway's address as the client has it.
    pub address: String,
    /// The links, and the audit log.
    pub access: Access,
}

/// What became of a call, for metrics.
fn outcome_word(done: &Result<String, Fault>) -> &'static str {
    match done {
        Ok(_) => DONE,
        Err(Fault { reason: ErrorReason::UnknownOutcome, .. }) => UNKNOWN,
        Err(_) => "refused",
    }
}

/// The line of a call that is being carried out. If the client leaves before its outcome is known, that is the outcome.
struct PendingRecord {
    audit: Audit,
    record: Option<Record>,
}

impl PendingRecord {
    fn write(&mut self, outcome: &str) {
        if let Some(record) = self.record.take() {
            self.audit.write(&Record { at: time::now(), outcome: outcome.to_owned(), ..record });
        }
    }
}

impl Drop for PendingRecord {
    fn drop(&mut self) {
        self.write(UNKNOWN);
    }
}

impl Caller {
    /// The client that was let in with this pass.
    pub fn new(pass: &Pass) -> Self {
        Self {
            actor: pass.actor(),
            announced_role: pass.announced_role(),
            answers: pass.answers(),
            address: pass.address().to_owned(),
            access: pass.access().clone(),
        }
    }

    /// Carries out one call and gives the response; none for a notification. `here` is the session in the address.
    pub async fn respond(
        &self,
        sessions: &Sessions,
        call: &Call,
        here: Option<&Arc<Session>>,
    ) -> Option<String> {
        let began = Instant::now();
        let done = match self.answers.check_room() {
            Ok(()) => self.carry_out(sessions, call, here).await,
            Err(fault) => Err(fault),
        };
        // A name that nobody knows would make a series of its own.
        let method = methods::right(&call.method).map_or("unknown", |_| &call.method);
        sessions.metrics().call(method, outcome_word(&done), began.elapsed());
        let id = call.id.as_ref()?;
        Some(match done {
            Ok(result) => success(id, &result),
            Err(fault) => fault.response(Some(id)),
        })
    }

    async fn carry_out(
        &self,
        sessions: &Sessions,
        call: &Call,
        here: Option<&Arc<Session>>,
    ) -> Result<String, Fault> {
        if !methods::is_operation(&call.method) {
            return self.call(sessions, call, here).await;
        }
        let record = Record::call(&self.actor, call, here.map(|session| session.id.as_str()), UNKNOWN);
        self.access
            .audit()
            .begin(&record)
            .map_err(|why| Fault::new(ErrorReason::Internal, format!("{why}; nothing was carried out")))?;
        let mut pending = PendingRecord { audit: self.access.audit().clone(), record: Some(record) };
        let result = self.call(sessions, call, here).await;
        let outcome = outcome(&result);
        pending.write(&outcome);
        if outcome == DONE {
            self.tell_who_answered(sessions, call, here);
        }
        result
    }

    async fn call(
        &self,
        sessions: &Sessions,
        call: &Call,
        here: Option<&Arc<Session>>,
    ) -> Result<String, Fault> {
        let name = self.actor.person.as_ref().and_then(|person| person.name.as_ref()).map(Name::as_str);
        let sharer = Sharer { access: &self.access, name, address: &self.address };
        match call.method.as_str() {
            "pilothouse.share" => sharing::share(sharer, sessions, call, here),
            "pilothouse.shares" => sharing::list(sharer, sessions, call, here),
            "pilothouse.unshare" => sharing::unshare(sharer, call),
            _ => sessions.call(&Call { by: name.map(str::to_owned), ..call.clone() }, here).await,
        }
    }

    /// Where people are known by name, everybody sees whose answer it was.
    fn tell_who_answered(&self, sessions: &Sessions, call: &Call, here: Option<&Arc<Session>>) {
        let person = self.actor.person.as_ref();
        let request = call.params["requestId"].as_str().filter(|_| RequestKind::is_answer(&call.method));
        let (Some(request_id), Some(name)) = (request, person.and_then(|person| person.name.as_ref())) else {
            return;
        };
        let named = || sessions.find(Some(call.params["sessionId"].as_str()?));
        let Some(session) = here.cloned().or_else(named) else { return };
        let decided = decision(&call.params).unwrap_or_default();
        let event = own_event::answered(request_id, name.as_str(), decided, option_id(&call.params));
        session.agent.add_own_event(&session.id, event);
    }
}
