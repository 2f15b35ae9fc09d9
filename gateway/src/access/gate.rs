//! Checks what one client asks for after it has been let in: its role, its message rate, how many sessions it
//! watches. On a WebSocket it also checks the token in the first message.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tokio::time::{Instant, sleep_until};

use super::audit::record::{Actor, Record, refused};
use super::limits::{
    Bucket, LARGEST_OF_GUEST, MESSAGES, MOST_UNREAD, STRANGER_STAYS, StreamSlot, TooMany, UnreadAnswer,
    largest,
};
use super::methods::may_by_link;
use super::person::Person;
use super::{Access, Refusal, Role};
use crate::rpc::{Call, Fault};
use pilothouse_core::protocol::ErrorReason;

/// Goes with each request that was let in: who the client is, its address, its seat if it has an open stream.
#[derive(Clone, Debug)]
pub struct Pass {
    access: Access,
    person: Option<Person>,
    from: IpAddr,
    address: String,
    seat: Option<Arc<Mutex<StreamSlot>>>,
}

/// Counts the answers that a client has not read, if it is a viewer. Operators can use up memory in other ways as well.
#[derive(Clone, Debug)]
pub struct Answers(Option<Access>);

/// An answer, which counts as unread until it is dropped.
#[derive(Debug)]
pub struct Answer {
    /// Its text.
    pub text: String,
    _unread: Option<UnreadAnswer>,
}

/// Checks every message of one WebSocket.
#[derive(Debug)]
pub struct Gate {
    pass: Pass,
    messages: Bucket,
    /// Hashes of their ids. A client may name sessions that are not there, by ids of any length.
    watched: HashSet<u64>,
    hasher: RandomState,
    until: Instant,
}

/// The error for a viewer that asks for something that changes a session.
pub fn not_allowed(method: &str) -> Fault {
    Fault::new(
        ErrorReason::NotAllowed,
        format!(
            "{method}: you are signed in as a viewer, who changes nothing; sign in with the operator's token"
        ),
    )
}

impl Pass {
    /// For this client, who is unknown on a WebSocket before its first message.
    /// `address` is the gateway's own, as the client has it: `https://host`.
    pub fn new(
        access: Access,
        person: Option<Person>,
        from: IpAddr,
        address: String,
        seat: Option<StreamSlot>,
    ) -> Self {
        Self { access, person, from, address, seat: seat.map(|seat| Arc::new(Mutex::new(seat))) }
    }

    /// Who it is; none on a WebSocket before its first message.
    pub fn person(&self) -> Option<&Person> {
        self.person.as_ref()
    }

    /// The role; none on a WebSocket before its first message.
    pub fn role(&self) -> Option<Role> {
        self.person().map(|person| person.role)
    }

    /// Returns when the link by which the client came does not count any more, or its session has ended; never if it came otherwise.
    pub async fn deadline(&self) {
        match self.person() {
            Some(person) => self.access.ended(person).await,
            None => std::future::pending().await,
        }
    }

    /// Who asks, and from where; as an operator where nobody signs in.
    pub fn actor(&self) -> Actor {
        Actor { person: self.person.clone(), from: self.from }
    }

    /// Writes into the audit log that a call was refused.
    pub fn record_refusal(&self, call: &Call, why: &str) {
        let record = Record::call(&self.actor(), call, None, &refused(why));
        self.access.audit().write_refusal(&record);
    }

    /// In bytes, the longest message that is taken of the client.
    pub fn largest(&self) -> usize {
        self.role().map_or(LARGEST_OF_GUEST, largest)
    }

    /// Counts a further call of a batch that was posted. The first one was counted when the client was let in.
    pub fn count_further_call(&self) -> Result<(), Fault> {
        let counted = self.access.limits().post(self.from);
        counted.map_err(|TooMany { seconds }| Refusal::Wait { seconds }.fault())
    }

    /// The role that is sent to the client; none where nobody signs in, since everybody is an operator there.
    pub fn announced_role(&self) -> Option<Role> {
        self.role().filter(|_| self.access.is_closed())
    }

    /// Counts the client's answers.
    pub fn answers(&self) -> Answers {
        Answers((self.role() == Some(Role::Viewer)).then(|| self.access.clone()))
    }

    /// The tokens, limits, links and the audit log.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// The gateway's address as the client has it, such as `https://host`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Whether the link by which the client came does not count any more, or its session has ended.
    pub fn is_over(&self) -> bool {
        self.person().is_some_and(|person| !self.access.counts(person))
    }

    /// The checks for a WebSocket's messages. The client's time to sign in starts now.
    pub fn gate(self) -> Gate {
        let until = Instant::now() + STRANGER_STAYS;
        let (watched, hasher) = (HashSet::new(), RandomState::new());
        Gate { pass: self, messages: Bucket::new(MESSAGES), watched, hasher, until }
    }
}

impl Answers {
    /// Refuses a call whose answer nobody has room for.
    pub fn check_room(&self) -> Result<(), Fault> {
        match &self.0 {
            Some(access) if access.limits().is_much_unread() => {
                let most = MOST_UNREAD >> 20;
                let words =
                    format!("viewers have left {most} MiB of answers unread; this was not carried out");
                Err(Fault::new(ErrorReason::TooMany, words))
            }
            _ => Ok(()),
        }
    }

    /// Counts an answer.
    pub fn count(&self, text: String) -> Answer {
        let unread = self.0.as_ref().map(|access| access.limits().count_unread(text.len()));
        Answer { text, _unread: unread }
    }
}

impl AsRef<[u8]> for Answer {
    fn as_ref(&self) -> &[u8] {
        self.text.as_bytes()
    }
}

impl Gate {
    /// Who the client is by now.
    pub fn pass(&self) -> &Pass {
        &self.pass
    }

    /// Who it is; none before its first message.
    pub fn person(&self) -> Option<&Person> {
        self.pass.person()
    }

    /// In bytes, the longest message that is taken of the client.
    pub fn largest(&self) -> usize {
        self.pass.largest()
    }

    /// A message of the client has come to its end.
    pub fn message_ended(&self) {
        if let Some(seat) = &self.pass.seat {
            seat.lock().unwrap_or_else(PoisonError::into_inner).message_ended();
        }
    }

    /// Returns when the connection has to end: the client has stayed too long without signing in, its link does not count any more, or its
    /// session has ended.
    pub async fn deadline(&self) {
        match self.pass.person {
            None => sleep_until(self.until).await,
            Some(_) => self.pass.deadline().await,
        }
    }

    /// Lets a call through, or gives the response that refuses it; none for a refused notification, which
    /// gets no response. A token among its parameters is removed.
    pub fn admit(&mut self, call: Result<Call, String>) -> Option<Result<Call, String>> {
        let mut call = match call {
            Ok(call) => call,
            refused => return Some(refused),
        };
        match self.authorize(&mut call) {
            Ok(()) => Some(Ok(call)),
            Err(fault) => call.id.as_ref().map(|id| Err(fault.response(Some(id)))),
        }
    }

    fn authorize(&mut self, call: &mut Call) -> Result<(), Fault> {
        self.messages.take().map_err(|TooMany { .. }| {
            let most = MESSAGES.a_second;
            Fault::new(
                ErrorReason::TooFast,
                format!("more than {most} messages a second; {} was not carried out", call.method),
            )
        })?;
        let token = call.params.as_object_mut().and_then(|params| params.remove("token"));
        if token.is_some() {
            call.raw = Some(call.params.to_string());
        }
        let role = self.sign_in(token.as_ref()).map_err(Refusal::fault)?;
        self.keep_to_share(call)?;
        if !role.may(&call.method) {
            self.pass.record_refusal(call, "a viewer");
            return Err(not_allowed(&call.method));
        }
        self.count(call)
    }

    /// Who came by a link sees its session and nothing else.
    fn keep_to_share(&self, call: &mut Call) -> Result<(), Fault> {
        let Some(share) = self.pass.person().and_then(|person| person.share.as_ref()) else { return Ok(()) };
        if call.method == "pilothouse.ping" {
            return Ok(());
        }
        if call.method == "pilothouse.subscribe" && call.params["sessionId"].is_null() {
            call.params["sessionId"] = share.session_id.as_str().into();
        }
        if may_by_link(&call.method) && call.params["sessionId"] == share.session_id.as_str() {
            return Ok(());
        }
        self.pass.record_refusal(call, "a link to another session");
        let words = format!("{}: this link shows one session and nothing else", call.method);
        Err(Fault::new(ErrorReason::NotAllowed, words))
    }

    fn sign_in(&mut self, token: Option<&Value>) -> Result<Role, Refusal> {
        if let Some(role) = self.pass.role() {
            return Ok(role);
        }
        let offered = token.and_then(Value::as_str).ok_or(Refusal::SignIn("this gateway needs a token"))?;
        let person = self.pass.access.person_with(self.pass.from, offered)?;
        let role = person.role;
        self.pass.access.record_sign_in(&person, self.pass.from);
        self.pass.person = Some(person);
        if let Some(seat) = &self.pass.seat {
            seat.lock().unwrap_or_else(PoisonError::into_inner).signed_in(role);
        }
        Ok(role)
    }

    fn count(&mut self, call: &Call) -> Result<(), Fault> {
        let session = self.hasher.hash_one(call.params["sessionId"].as_str().unwrap_or_default());
        match call.method.as_str() {
            "pilothouse.subscribe" if !self.watched.contains(&session) => {
                let most = self.pass.access().limits().capacity().subscriptions;
                if self.watched.len() >= most {
                    return Err(Fault::new(
                        ErrorReason::TooMany,
                        format!("one connection watches at most {most} sessions; unsubscribe from some"),
                    ));
                }
                self.watched.insert(session);
            }
            "pilothouse.unsubscribe" => {
                self.watched.remove(&session);
            }
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use pilothouse_core::protocol::ErrorReason;
    use serde_json::{Value, json};

    use super::{Gate, Pass, Person};
    use crate::access::settings::Settings;
    use crate::access::{Access, Role};
    use crate::rpc::{self, Call, Incoming};

    const VIEWER: &str = "token-of-the-viewer";

    fn gate(role: Option<Role>) -> Gate {
        let settings = Settings { viewer: Some(VIEWER.to_owned()), ..Settings::default() };
        let access = Access::open(&settings).unwrap().0;
        Pass::new(access, role.map(Person::unnamed), [127, 0, 0, 1].into(), String::new(), None).gate()
    }

    fn read(message: &Value) -> Result<Call, String> {
        match rpc::read(message.to_string().as_bytes()) {
            Incoming::One(call) => call,
            other => panic!("{other:?}"),
        }
    }

    fn call(method: &str, params: impl Into<Value>) -> Result<Call, String> {
        let params = params.into();
        read(&json!({"id": 1, "method": method, "params": params}))
    }

    fn code(admitted: Option<Result<Call, String>>) -> i64 {
        let refused = admitted.unwrap().map(|_| ()).unwrap_err();
        serde_json::from_str::<Value>(&refused).unwrap()["error"]["code"].as_i64().unwrap()
    }

    #[tokio::test]
    async fn the_first_message_has_the_token_and_nobody_behind_sees_it() {
        let mut gate = gate(None);
        assert_eq!(code(gate.admit(call("pilothouse.sessions", json!({})))), ErrorReason::SignIn.code());
        assert_eq!(
            code(gate.admit(call("pilothouse.sessions", json!({"token": "a-wrong-one-of-them"})))),
            ErrorReason::SignIn.code()
        );
        let admitted = gate.admit(call("pilothouse.subscribe", json!({"token": VIEWER, "after": 3})));
        let admitted = admitted.unwrap().unwrap();
        assert_eq!(admitted.params, json!({"after": 3}));
        assert_eq!(admitted.raw.as_deref(), Some(r#"{"after":3}"#), "what is relayed has it no more");
        assert_eq!(gate.pass().announced_role(), Some(Role::Viewer));
        assert!(gate.admit(call("session.getMessages", json!({}))).unwrap().is_ok());
    }

    #[tokio::test]
    async fn a_viewer_changes_nothing_not_even_without_an_answer() {
        let mut gate = gate(Some(Role::Viewer));
        for method in
            ["session.send", "session.permissions.handlePendingPermissionRequest", "pilothouse.create", "x"]
        {
            assert_eq!(code(gate.admit(call(method, json!({})))), ErrorReason::NotAllowed.code(), "{method}");
        }
        let silent = Ok(Call {
            id: None,
            method: "session.abort".to_owned(),
            params: Value::Null,
            raw: None,
            by: None,
        });
        assert!(gate.admit(silent).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn too_fast_is_refused_one_by_one_and_ends() {
        let mut gate = gate(Some(Role::Operator));
        let mut send = || gate.admit(call("session.send", json!({}))).unwrap().is_ok();
        assert_eq!((0..300).filter(|_| send()).count(), 200);
        tokio::time::advance(std::time::Duration::from_secs(1)).await;
        assert!(send());
        while send() {}
        assert_eq!(code(gate.admit(call("session.send", json!({})))), ErrorReason::TooFast.code());
    }

    #[tokio::test(start_paused = true)]
    async fn subscriptions_are_counted_once_a_session() {
        let mut gate = gate(Some(Role::Operator));
        for number in 0..512 {
            tokio::time::advance(std::time::Duration::from_millis(50)).await;
            let params = json!({"sessionId": number.to_string()});
            assert!(gate.admit(call("pilothouse.subscribe", params.clone())).unwrap().is_ok());
            assert!(gate.admit(call("pilothouse.subscribe", params)).unwrap().is_ok());
        }
        let more = || call("pilothouse.subscribe", json!({"sessionId": "more"}));
        assert_eq!(code(gate.admit(more())), ErrorReason::TooMany.code());
        assert!(gate.admit(call("pilothouse.unsubscribe", json!({"sessionId": "7"}))).unwrap().is_ok());
        assert!(gate.admit(more()).unwrap().is_ok());
    }
}
