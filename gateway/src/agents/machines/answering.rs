//! Carries out the calls that come from other machines, each once, if the gateway that sent it has signed it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_nats::{HeaderMap, Message};
use bytes::Bytes;
use futures_util::StreamExt as _;
use pilothouse_core::protocol::{ErrorReason, RequestKind};
use serde_json::Value;
use tokio::sync::Semaphore;
use tracing::warn;

use super::OtherMachines;
use super::asking::{Answer, SIGNATURE, subject};
use super::signature::{SignedCall, Taken, is_signed};
use crate::access::Role;
use crate::access::audit::record::{decision, option_id};
use crate::access::limits::LARGEST_MESSAGE;
use crate::journal::cluster::Standing;
use crate::journal::cluster::lease::{self, Machine};
use crate::journal::cluster::message::{Joiner, MOST_BYTES, PART, cut};
use crate::rpc::{Call, Fault};
use crate::sessions::own_event;

/// How many calls of other machines are carried out at a time.
const MOST_CALLS: usize = 256;
/// How many calls may be half here.
const MOST_PARTIAL: usize = 64;

/// Serves as long as this gateway has its name, again and again.
pub async fn serve(machines: &Arc<OtherMachines>) {
    let taken = Arc::new(Mutex::new(Taken::default()));
    let places = Arc::new(Semaphore::new(MOST_CALLS));
    loop {
        machines.cluster.member().await;
        let subscribed = machines.cluster.client.subscribe(subject(&machines.cluster.machine)).await;
        let Ok(mut calls) =
            subscribed.inspect_err(|error| warn!(%error, "can't take calls of other machines"))
        else {
            tokio::time::sleep(std::time::Duration::from_secs(1)).await;
            continue;
        };
        let mut partial: HashMap<String, Joiner> = HashMap::new();
        let mut standing = machines.cluster.standing();
        loop {
            let message = tokio::select! {
                message = calls.next() => message,
                // While the connection is away the subscription waits for it.
                _ = standing.wait_for(|standing| matches!(standing, Standing::NameTaken(_))) => None,
            };
            let Some(message) = message else { break };
            let Some((payload, signature, reply)) = join(&mut partial, message) else { continue };
            let (machines, taken, places) = (Arc::clone(machines), Arc::clone(&taken), Arc::clone(&places));
            tokio::spawn(async move {
                let outcome = match places.try_acquire_owned() {
                    Ok(_place) => carry_out(&machines, &taken, &payload, &signature).await,
                    Err(_) => Err(Fault::new(
                        ErrorReason::Busy,
                        "too many calls of other machines; nothing was sent",
                    )),
                };
                answer(&machines, &reply, outcome).await;
            });
        }
    }
}

/// The payload of a call once all of it is here, with its signature and where the answer goes.
fn join(partial: &mut HashMap<String, Joiner>, message: Message) -> Option<(Bytes, String, String)> {
    let reply = message.reply?.to_string();
    let headers = message.headers.unwrap_or_default();
    let text = |name| headers.get(name).map(|value| value.as_str().to_owned());
    let signature = text(SIGNATURE).unwrap_or_default();
    let Some(part) = text(PART) else { return Some((message.payload, signature, reply)) };
    if partial.len() >= MOST_PARTIAL && !partial.contains_key(&reply) {
        partial.clear(); // their senders say that the outcome is unknown
    }
    let joiner = partial.entry(reply.clone()).or_default();
    let payload = joiner.take(Some(&part), message.payload);
    if payload.is_some() || joiner.waiting() > 2 * LARGEST_MESSAGE {
        partial.remove(&reply);
    }
    Some((payload?, signature, reply))
}

async fn carry_out(
    machines: &Arc<OtherMachines>,
    taken: &Mutex<Taken>,
    payload: &[u8],
    signature: &str,
) -> Result<String, Fault> {
    let refused = |why: &str| {
        warn!(why, "a call of another machine was refused");
        Err(Fault::new(ErrorReason::NotAllowed, format!("{why}; nothing was carried out")))
    };
    let Ok(call) = serde_json::from_slice::<SignedCall>(payload) else {
        return refused("this is no call of a gateway");
    };
    let Some(sender) = sender(machines, &call).await else {
        return refused("the gateway that sent it is not in the cluster");
    };
    if !is_signed(&sender.key, payload, signature) {
        return refused("the gateway that it names has not signed it");
    }
    if call.to != machines.cluster.process {
        return refused("it was for an earlier process of this machine");
    }
    let is_first = taken.lock().unwrap_or_else(PoisonError::into_inner).take(&call.process, call.number);
    if !is_first {
        return refused("it came before");
    }
    if call.role != Role::Operator.word() && !Role::Viewer.may(&call.method) {
        return refused("a viewer may not do that");
    }
    let SignedCall { session_id, method, params, who, .. } = call;
    let raw = params.map(|params| params.get().to_owned());
    let params: Value = raw.as_deref().and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default();
    let here = session_id.as_deref().and_then(|id| machines.sessions.find(Some(id)));
    if let Some(id) = &session_id
        && here.as_ref().is_none_or(|session| session.is_remote())
    {
        return Err(Fault::unknown_session(id));
    }
    let call = Call { id: None, method, params, raw, by: who };
    let outcome = machines.sessions.call(&call, here.as_ref()).await;
    if outcome.is_ok()
        && let (Some(who), Some(session)) = (&call.by, &here)
        && let Some(request_id) =
            call.params["requestId"].as_str().filter(|_| RequestKind::is_answer(&call.method))
    {
        let decided = decision(&call.params).unwrap_or_default();
        let event = own_event::answered(request_id, who, decided, option_id(&call.params));
        session.agent.add_own_event(&session.id, event);
    }
    outcome
}

/// The entry of the machine that sent a call.
async fn sender(machines: &OtherMachines, call: &SignedCall) -> Option<Machine> {
    let is_sender = |machine: &Machine| machine.process == call.process;
    if let Some(known) = machines.machine(&call.from).filter(is_sender) {
        return Some(known);
    }
    // It may have come just now.
    let bucket = lease::machines(&machines.cluster).await.ok()?;
    let entry = bucket.get(&call.from).await.ok()??;
    serde_json::from_slice::<Machine>(&entry).ok().filter(is_sender)
}

async fn answer(machines: &OtherMachines, reply: &str, outcome: Result<String, Fault>) {
    let payload = serde_json::to_vec(&Answer::new(outcome)).map(Bytes::from).unwrap_or_default();
    for (part, bytes) in cut(&payload, MOST_BYTES) {
        let mut headers = HeaderMap::new();
        if let Some(part) = part {
            headers.insert(PART, part);
        }
        // Who does not get it says that the outcome is unknown.
        let _ = machines.cluster.client.publish_with_headers(reply.to_owned(), headers, bytes).await;
    }
}
