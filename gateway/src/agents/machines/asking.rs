//! Sends a call to the machine that is to carry it out, and waits for its answer. A call is sent once. Where its answer does not
//! come, nobody knows whether it was carried out, and that is what the caller is told.

use std::sync::Arc;
use std::time::Duration;

use async_nats::{HeaderMap, StatusCode};
use futures_util::StreamExt as _;
use pilothouse_core::protocol::ErrorReason;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::time::{interval, sleep};

use super::OtherMachines;
use super::signature::{SignedCall, sign};
use crate::access::Role;
use crate::access::methods::{self, Right};
use crate::journal::cluster::Standing;
use crate::journal::cluster::lease::Machine;
use crate::journal::cluster::message::{Joiner, MOST_BYTES, PART, cut};
use crate::rpc::{Call, Fault};

/// The signature of the whole payload.
pub const SIGNATURE: &str = "Pilothouse-Signature";
const LOOKS: Duration = Duration::from_millis(500);
/// How long an answer may still come once the connection was lost while it was waited for.
const AFTER_LOSS: Duration = Duration::from_secs(5);

/// The answer to a call as it travels: a result or an error.
#[derive(Debug, Serialize, Deserialize)]
pub struct Answer {
    /// The result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Box<RawValue>>,
    /// The code of the error's reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<i64>,
    /// The error's message.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// The error as the runtime sent it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
}

impl Answer {
    /// The answer with this outcome.
    pub fn new(outcome: Result<String, Fault>) -> Self {
        match outcome.map(RawValue::from_string) {
            Ok(Ok(result)) => Self { result: Some(result), code: None, message: String::new(), raw: None },
            Ok(Err(error)) => Self::new(Err(Fault::new(ErrorReason::Internal, error.to_string()))),
            Err(Fault { reason, message, raw }) => {
                Self { result: None, code: Some(reason.code()), message, raw }
            }
        }
    }

    fn outcome(self) -> Result<String, Fault> {
        match (self.result, self.code) {
            (Some(result), _) => Ok(result.get().to_owned()),
            (None, Some(code)) => {
                let reason = ErrorReason::parse(code, &self.message);
                Err(Fault { reason, message: self.message, raw: self.raw })
            }
            (None, None) => Ok("null".to_owned()), // a result of null
        }
    }
}

/// The subject of the calls to a machine.
pub fn subject(machine: &str) -> String {
    format!("pilothouse.calls.{machine}")
}

/// Has a machine carry out a call.
pub async fn ask(
    machines: &Arc<OtherMachines>,
    machine: &str,
    session_id: Option<&str>,
    call: &Call,
) -> Result<String, Fault> {
    let Some(owner) = machines.machine(machine) else {
        return Err(not_sent(&machines.why_away(machine)));
    };
    let payload =
        signed(machines, &owner, session_id, call).map_err(|why| Fault::new(ErrorReason::Internal, why))?;
    let (machines, method) = (Arc::clone(machines), call.method.clone());
    // What was sent is waited for even if the client leaves: an answer of a person stays one answer.
    let asked = tokio::spawn(async move { send(&machines, &owner, &method, payload).await });
    asked.await.unwrap_or_else(|_| Err(unknown(&call.method, "the gateway ends")))
}

type Signed = (bytes::Bytes, String);

fn signed(
    machines: &OtherMachines,
    owner: &Machine,
    session_id: Option<&str>,
    call: &Call,
) -> Result<Signed, String> {
    let cluster = &machines.cluster;
    let params = match &call.raw {
        Some(raw) => Some(raw.clone()),
        None => (!call.params.is_null()).then(|| call.params.to_string()),
    };
    let role = match methods::right(&call.method) {
        Some(Right::Read) => Role::Viewer,
        _ => Role::Operator,
    };
    let call = SignedCall {
        from: cluster.machine.clone(),
        process: cluster.process.clone(),
        to: owner.process.clone(),
        number: machines.next_call(),
        who: call.by.clone(),
        role: role.word().to_owned(),
        session_id: session_id.map(str::to_owned),
        method: call.method.clone(),
        params: params.map(RawValue::from_string).transpose().map_err(|error| error.to_string())?,
    };
    let payload = serde_json::to_vec(&call).map_err(|error| error.to_string())?;
    let signature = sign(&cluster.keys, &payload)?;
    Ok((payload.into(), signature))
}

async fn send(
    machines: &OtherMachines,
    owner: &Machine,
    method: &str,
    (payload, signature): Signed,
) -> Result<String, Fault> {
    let client = &machines.cluster.client;
    let mut standing = machines.cluster.standing();
    if matches!(*standing.borrow(), Standing::Away(_)) {
        return Err(not_sent("there is no connection to NATS"));
    }
    let inbox = client.new_inbox();
    let mut answers = client.subscribe(inbox.clone()).await.map_err(|error| not_sent(&error.to_string()))?;
    for (part, bytes) in cut(&payload, MOST_BYTES) {
        let mut headers = HeaderMap::new();
        headers.insert(SIGNATURE, signature.as_str());
        if let Some(part) = part {
            headers.insert(PART, part);
        }
        let subject = subject(&owner.machine);
        let sent = client.publish_with_reply_and_headers(subject, inbox.clone(), headers, bytes).await;
        // What is in the client's memory only may be sent yet.
        sent.map_err(|error| unknown(method, &error.to_string()))?;
    }
    let mut joiner = Joiner::default();
    let mut looks = interval(LOOKS);
    let lost = async {
        let _ = standing.wait_for(|standing| matches!(standing, Standing::Away(_))).await;
        sleep(AFTER_LOSS).await;
    };
    tokio::pin!(lost);
    loop {
        let message = tokio::select! {
            message = answers.next() => message.ok_or_else(|| unknown(method, "the connection to NATS has ended"))?,
            () = &mut lost => return Err(unknown(method, "the connection to NATS was lost")),
            _ = looks.tick() => {
                let now = machines.machine(&owner.machine);
                if now.is_none_or(|now| now.process != owner.process) {
                    return Err(unknown(method, &format!("the machine \"{}\" is away", owner.machine)));
                }
                continue;
            }
        };
        if message.status == Some(StatusCode::NO_RESPONDERS) {
            machines.heard_nothing(&owner.machine);
            return Err(not_sent(&machines.why_away(&owner.machine)));
        }
        let part = message
            .headers
            .as_ref()
            .and_then(|headers| headers.get(PART))
            .map(|part| part.as_str().to_owned());
        if let Some(answer) = joiner.take(part.as_deref(), message.payload) {
            let answer = serde_json::from_slice::<Answer>(&answer);
            return answer
                .map_err(|error| unknown(method, &format!("its answer can't be read: {error}")))?
                .outcome();
        }
    }
}

fn not_sent(why: &str) -> Fault {
    Fault::new(ErrorReason::MachineAway, format!("{why}; nothing was sent to it"))
}

fn unknown(method: &str, why: &str) -> Fault {
    let message =
        format!("{method}: {why} before there was an answer; it may or may not have been carried out");
    Fault::new(ErrorReason::UnknownOutcome, message)
}

#[cfg(test)]
mod tests {
    use pilothouse_core::protocol::ErrorReason;

    use super::{Answer, Fault};

    #[test]
    fn an_answer_is_what_it_was() {
        let through = |outcome: Result<String, Fault>| {
            let text = serde_json::to_vec(&Answer::new(outcome)).unwrap();
            serde_json::from_slice::<Answer>(&text).unwrap().outcome()
        };
        for result in [r#"{"a": 1.50}"#, "null", "[]"] {
            assert_eq!(through(Ok(result.to_owned())).as_deref(), Ok(result));
        }
        let fault = Fault {
            raw: Some(r#"{"code":-1}"#.to_owned()),
            ..Fault::new(ErrorReason::BeingAnswered, "wait")
        };
        assert_eq!(through(Err(fault.clone())), Err(fault));
    }
}
