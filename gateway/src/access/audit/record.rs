//! A line of the audit log, and what of a call is in it: never a text that somebody wrote, and never a secret.

use std::net::IpAddr;

use pilothouse_core::protocol::ErrorReason;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::access::person::{Name, Person};
use crate::access::shares::Share;
use crate::rpc::{Call, Fault};
use crate::time;

/// The outcome of what was let in.
pub const SIGNED_IN: &str = "signed in";
/// The outcome of what was carried out.
pub const DONE: &str = "done";
/// The outcome in the line before the one that says what became of it, where the log is required.
pub const BEGUN: &str = "begun";
/// The outcome of what may or may not have been carried out.
pub const UNKNOWN: &str = "unknown";
/// The method in the line of a sign-in.
pub const SIGN_IN: &str = "signin";
/// The method in the line of a sign-out.
pub const SIGN_OUT: &str = "signout";
/// The method in the line of a link with which somebody signs in on their phone.
pub const PHONE_LINK: &str = "phonelink";

/// In characters. What is longer is no word of the protocol.
const LONGEST_WORD: usize = 40;
/// In characters. Ids are shorter.
const LONGEST_ID: usize = 200;

/// Who does something, and from where.
#[derive(Clone, Debug)]
pub struct Actor {
    /// Who that is; none before a sign-in.
    pub person: Option<Person>,
    /// The address.
    pub from: IpAddr,
}

impl Actor {
    /// Whether it came by a link to one session.
    pub fn is_by_link(&self) -> bool {
        self.share().is_some()
    }

    fn share(&self) -> Option<&Share> {
        self.person.as_ref()?.share.as_ref()
    }
}

/// A line of the audit log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// When, in the format of events.
    pub at: String,
    /// The person's name; none where the way in tells none.
    pub who: Option<String>,
    /// `viewer` or `operator`; none before a sign-in.
    pub role: Option<String>,
    /// The address.
    pub from: String,
    /// The session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The method that was called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The request that was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The answer, as the protocol's word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// The agent's own option that the answer chooses, by its id: which one, where the word above has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option_id: Option<String>,
    /// What became of it.
    pub outcome: String,
    /// How many refusals before this one were not written.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Record {
    /// A line of now.
    pub fn new(actor: &Actor, outcome: &str) -> Self {
        let person = actor.person.as_ref();
        Self {
            at: time::now(),
            who: person.and_then(|person| person.name.as_ref()).map(|name| Name::as_str(name).to_owned()),
            role: person.map(|person| person.role.word().to_owned()),
            from: actor.from.to_string(),
            session_id: actor.share().map(|share| share.session_id.clone()),
            method: None,
            request_id: None,
            decision: None,
            option_id: None,
            outcome: outcome.to_owned(),
            left_out: 0,
        }
    }

    /// A line about a sign-in.
    pub fn sign_in(actor: &Actor, outcome: &str) -> Self {
        Self { method: Some(SIGN_IN.to_owned()), ..Self::new(actor, outcome) }
    }

    /// A line about a sign-out.
    pub fn sign_out(actor: &Actor, outcome: &str) -> Self {
        Self { method: Some(SIGN_OUT.to_owned()), ..Self::new(actor, outcome) }
    }

    /// A line about a link with which somebody signs in on their phone.
    pub fn phone_link(actor: &Actor, outcome: &str) -> Self {
        Self { method: Some(PHONE_LINK.to_owned()), ..Self::new(actor, outcome) }
    }

    /// A line about a call to this session.
    pub fn call(actor: &Actor, call: &Call, session_id: Option<&str>, outcome: &str) -> Self {
        let id = |text: &str| text.chars().take(LONGEST_ID).collect::<String>();
        let named = |member: &str| call.params[member].as_str().map(id);
        Self {
            session_id: session_id.map(id).or_else(|| named("sessionId")),
            method: Some(id(&call.method)),
            request_id: named("requestId"),
            decision: decision(&call.params).map(str::to_owned),
            option_id: option_id(&call.params).map(str::to_owned),
            ..Self::new(actor, outcome)
        }
    }
}

/// The outcome of a call.
pub fn outcome(result: &Result<String, Fault>) -> String {
    match result {
        // The runtime's word for an answer that came too late.
        Ok(text) if serde_json::from_str::<Value>(text).is_ok_and(|result| result["success"] == false) => {
            refused("it was answered before, or is gone")
        }
        Ok(_) => DONE.to_owned(),
        Err(Fault { reason: ErrorReason::UnknownOutcome, .. }) => UNKNOWN.to_owned(),
        // Its message may have texts of people, or of the agent.
        Err(fault) => refused(&format!("code {}", fault.reason.code())),
    }
}

/// The outcome of what was not carried out.
pub fn refused(why: &str) -> String {
    format!("refused: {why}")
}

/// Whether it can be a word of a protocol, and no text.
fn is_word(word: &&str) -> bool {
    word.len() <= LONGEST_WORD
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// The id of the agent's option in an answer's parameters, where it is a word. Its name is a text of the agent's.
pub fn option_id(params: &Value) -> Option<&str> {
    params["result"]["optionId"].as_str().filter(is_word)
}

/// The word for an answer in its parameters (CONTRACT §2); none if they are not those of an answer.
pub fn decision(params: &Value) -> Option<&str> {
    let (result, response) = (&params["result"], &params["response"]);
    let words = [&result["kind"], &result["action"], &response["action"], response];
    if let Some(word) = words.into_iter().find_map(Value::as_str).filter(is_word) {
        return Some(word);
    }
    match (response["approved"].as_bool(), result["handled"].as_bool()) {
        (Some(true), _) => return Some("approve"),
        (Some(false), _) => return Some("reject"),
        (None, Some(true)) => return Some("handled"),
        (None, Some(false)) => return Some("not-handled"),
        (None, None) => {}
    }
    let has = |member: &str| params.get(member).is_some_and(|value| !value.is_null());
    if has("error") {
        return Some("error");
    }
    (has("requestId") && (has("result") || has("response"))).then_some("submit")
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use serde_json::{Value, json};

    use super::{Actor, Record, decision, option_id};
    use crate::rpc::Call;

    #[test]
    fn a_decision_is_a_word_of_the_protocol_and_never_a_text() {
        for (params, word) in [
            (json!({"requestId": "r", "result": {"kind": "approve-once"}}), Some("approve-once")),
            (
                json!({"requestId": "r", "result": {"kind": "reject", "feedback": "my secret"}}),
                Some("reject"),
            ),
            (
                json!({"requestId": "r", "response": {"answer": "my secret", "wasFreeform": true}}),
                Some("submit"),
            ),
            (json!({"requestId": "r", "result": {"action": "accept", "content": {"a": 1}}}), Some("accept")),
            (json!({"requestId": "r", "response": {"approved": true, "feedback": "x"}}), Some("approve")),
            (json!({"requestId": "r", "response": "yes_always"}), Some("yes_always")),
            (json!({"requestId": "r", "response": "a text with spaces"}), Some("submit")),
            (json!({"requestId": "r", "error": "no such tool"}), Some("error")),
            (json!({"requestId": "r", "result": {"handled": false}}), Some("not-handled")),
            (json!({"prompt": "my secret"}), None),
        ] {
            assert_eq!(decision(&params), word, "{params}");
        }
    }

    #[test]
    fn the_agents_option_is_there_by_its_id_where_that_is_no_text() {
        let option = |id: &str| {
            let params = json!({"requestId": "r", "result": {"kind": "approve-for-session", "optionId": id}});
            (decision(&params).map(str::to_owned), option_id(&params).map(str::to_owned))
        };
        let word = Some("approve-for-session".to_owned());
        assert_eq!(option("allow_always"), (word.clone(), Some("allow_always".to_owned())));
        assert_eq!(option("always allow `rm my-secret`"), (word, None));
        assert_eq!(option_id(&json!({"prompt": "x"})), None);
    }

    #[test]
    fn a_line_has_no_text_of_the_call() {
        let actor = Actor { person: None, from: IpAddr::V4(Ipv4Addr::LOCALHOST) };
        let params = json!({"sessionId": "s", "prompt": "my secret", "attachments": [{"path": "my secret"}]});
        let call = Call { id: None, method: "session.send".to_owned(), params, raw: None, by: None };
        let line = serde_json::to_value(Record::call(&actor, &call, None, "done")).unwrap();
        assert!(!line.to_string().contains("secret"), "{line}");
        assert_eq!((&line["sessionId"], &line["method"]), (&json!("s"), &json!("session.send")));
        assert_eq!((&line["who"], &line["from"]), (&Value::Null, &json!("127.0.0.1")));
    }
}
