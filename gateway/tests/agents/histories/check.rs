//! Compares what is in the log with what people were told and what reached the agent.
//!
//! What a killed gateway or agent had under way can have reached the agent or not; it reaches it once at most, unless a person sends
//! it again, to whom it was offered. An answer that counts may not reach an agent that is killed. Where the agent has forgotten the last
//! message of the log, what another program said after that is not taken over, and the log says so.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

use pilothouse_core::session::Session;
use serde_json::Value;

use super::person::{Outcome, Read};
use super::run::process_of;

/// A message of a person, and what he was told.
#[derive(Clone, Debug)]
pub struct Sent {
    pub text: String,
    pub outcome: Outcome,
    /// How often it was sent again.
    pub again: usize,
}

/// An answer of a person, and whether he was told that it counts; none if nobody knows.
#[derive(Clone, Debug)]
pub struct Answered {
    pub request: String,
    pub option: &'static str,
    pub counts: Option<bool>,
}

/// What there is at the end of a history.
#[derive(Clone, Default)]
pub struct Facts {
    pub sent: Vec<Sent>,
    pub answers: Vec<Answered>,
    /// What another program said.
    pub elsewhere: Vec<String>,
    /// The prompts that reached the agent, in order.
    pub prompts: Vec<String>,
    /// The answers that reached it: the request's id in JSON-RPC, and the option.
    pub arrived: Vec<(u64, String)>,
    /// What it remembers.
    pub remembered: Vec<String>,
    /// The agent's processes that were killed, or whose gateway was.
    pub killed: HashSet<u32>,
    pub log: Read,
    /// The log at the gateway without an agent; none if there is no such gateway.
    pub log_elsewhere: Option<Read>,
    /// The log after one more restart.
    pub log_after: Read,
    /// What each page read.
    pub reads: Vec<Arc<Mutex<Read>>>,
    pub backlog: Value,
    pub row: Value,
}

/// Everything that is wrong.
pub fn check(facts: &Facts) -> Vec<String> {
    let mut wrong = Vec::new();
    messages(facts, &mut wrong);
    answers(facts, &mut wrong);
    positions(facts, &mut wrong);
    at_rest(facts, &mut wrong);
    wrong.truncate(12);
    wrong
}

fn of_type<'a>(log: &'a Read, name: &'a str) -> impl Iterator<Item = &'a Value> {
    log.iter().map(|(_, event)| event).filter(move |event| event["type"] == name)
}

fn count(all: &[String], text: &str) -> usize {
    all.iter().filter(|one| *one == text).count()
}

/// Each message reached the agent once at most, is in the log once for that, in the agent's order, and what was acknowledged is not
/// lost.
fn messages(facts: &Facts, wrong: &mut Vec<String>) {
    let user = |event: &Value| event["data"]["content"].as_str().unwrap_or_default().to_owned();
    let logged: Vec<String> = of_type(&facts.log, "user.message").map(user).collect();
    let kept: Vec<&Value> = facts.backlog["messages"].as_array().into_iter().flatten().collect();
    let is_kept = |text: &str| kept.iter().any(|message| message["text"] == text);
    for message in kept.iter().filter(|message| message["state"] != "dropped") {
        wrong.push(format!("the backlog still has {message}"));
    }
    for Sent { text, outcome, again } in &facts.sent {
        let (arrived, in_log) = (count(&facts.prompts, text), count(&logged, text));
        let acknowledged = matches!(outcome, Outcome::Result(_));
        if arrived > 1 + again {
            wrong.push(format!(
                "{text:?} reached the agent {arrived} times, a person sent it again {again} times"
            ));
        }
        // One that was written for an agent that had just been killed has an event, and the end of the agent behind it.
        if acknowledged && arrived == 0 && in_log == 0 && !is_kept(text) {
            wrong.push(format!("{text:?} was acknowledged and is lost"));
        }
        let is_refused = matches!(outcome, Outcome::Refused(why) if !why.contains("kept here"));
        if is_refused && arrived > *again {
            wrong.push(format!("{text:?} was refused ({outcome:?}) and reached the agent"));
        }
        if in_log > arrived.max(1 + again) {
            wrong.push(format!(
                "{text:?} is in the log {in_log} times, and reached the agent {arrived} times"
            ));
        }
        if arrived > 0 && in_log == 0 {
            wrong.push(format!("{text:?} reached the agent and is not in the log"));
        }
    }
    let is_unclear =
        of_type(&facts.log, "session.warning").any(|event| event["data"]["warningType"] == "elsewhere");
    for text in &facts.elsewhere {
        let in_log = count(&logged, text);
        if in_log > 1 || in_log == 0 && !is_unclear {
            wrong.push(format!("{text:?} of another program is in the log {in_log} times"));
        }
    }
    let mut rest = logged.iter();
    if !is_unclear && !facts.remembered.iter().all(|text| rest.any(|one| one == text)) {
        wrong.push(format!("the log has another order: {logged:?}, the agent has {:?}", facts.remembered));
    }
    let known =
        |text: &String| facts.elsewhere.contains(text) || facts.sent.iter().any(|sent| sent.text == *text);
    for text in logged.iter().filter(|text| !known(text)) {
        wrong.push(format!("{text:?} was said by nobody"));
    }
}

/// Each request is answered once, and an answer that counts reaches the agent.
fn answers(facts: &Facts, wrong: &mut Vec<String>) {
    let mut arrived: HashMap<u64, Vec<&str>> = HashMap::new();
    for (id, option) in &facts.arrived {
        arrived.entry(*id).or_default().push(option);
    }
    for (id, options) in &arrived {
        if options.len() > 1 {
            wrong.push(format!("the request {id} was answered {options:?}"));
        }
    }
    let mut counted: HashSet<&str> = HashSet::new();
    for Answered { request, option, counts } in &facts.answers {
        let id = request.rsplit('/').next().and_then(|id| id.parse::<u64>().ok()).unwrap_or_default();
        let is_there = arrived.get(&id).is_some_and(|options| options.contains(option));
        match counts {
            Some(true) => {
                if !counted.insert(request) {
                    wrong.push(format!("two answers to {request} count"));
                }
                if !is_there && !facts.killed.contains(&process_of(id)) {
                    wrong.push(format!("{option:?} to {request} counts and did not reach the agent"));
                }
            }
            Some(false) => {
                let other = |one: &Answered| {
                    one.request == *request && one.option == *option && one.counts != Some(false)
                };
                if is_there && !facts.answers.iter().any(other) {
                    wrong.push(format!("{option:?} to {request} does not count and reached the agent"));
                }
            }
            None => {}
        }
    }
    for event in of_type(&facts.log, "permission.requested") {
        let id = &event["data"]["requestId"];
        let ends =
            of_type(&facts.log, "permission.completed").filter(|end| end["data"]["requestId"] == *id).count();
        if ends != 1 {
            wrong.push(format!("the request {id} ended {ends} times"));
        }
    }
}

/// No event is there twice, every page had the same at the same place, every gateway gives the same, and a restart changes nothing.
fn positions(facts: &Facts, wrong: &mut Vec<String>) {
    let mut seen = HashSet::new();
    for (_, event) in &facts.log {
        if !seen.insert(event["id"].as_str().unwrap_or_default()) {
            wrong.push(format!("an event is there twice: {event}"));
        }
    }
    let by_place: HashMap<u64, &Value> = facts.log_after.iter().map(|(seq, event)| (*seq, event)).collect();
    for (page, read) in facts.reads.iter().enumerate() {
        let mut newest = 0;
        for (seq, event) in read.lock().unwrap().iter() {
            if *seq <= newest {
                wrong.push(format!("page {page} got position {seq} after {newest}"));
            }
            newest = *seq;
            let there = by_place.get(seq);
            if there != Some(&event) {
                wrong.push(format!("page {page} got {event} at {seq}, the log has {there:?}"));
            }
        }
    }
    if !facts.log_after.starts_with(&facts.log) {
        wrong.push(format!(
            "after a restart the log is another from {} on",
            same(&facts.log, &facts.log_after)
        ));
    }
    match &facts.log_elsewhere {
        // A gateway that starts while it can't ask the cluster leaves positions unused.
        Some(elsewhere) => {
            if *elsewhere != facts.log {
                let place = same(&facts.log, elsewhere);
                wrong.push(format!("the other gateway has another log from {place} on"));
            }
        }
        None => {
            if !facts.log.iter().map(|(seq, _)| *seq).eq(1..=facts.log.len() as u64) {
                wrong.push("positions are unused".to_owned());
            }
        }
    }
}

/// How many events two logs have in common at their beginning.
fn same(one: &Read, other: &Read) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// Whether nothing runs and nobody is asked, as a row of the list says it.
pub fn is_at_rest(row: &Value) -> bool {
    row["openRequests"] == 0 && row["status"] == "idle"
}

/// Nothing is open for ever.
fn at_rest(facts: &Facts, wrong: &mut Vec<String>) {
    if !is_at_rest(&facts.row) {
        wrong.push(format!("it is not at rest: {}", facts.row));
    }
    let mut session = Session::new();
    for (_, event) in &facts.log {
        session.push(format!("{event}\n").as_bytes());
    }
    session.end();
    let snapshot = session.snapshot();
    if snapshot["pending"] != serde_json::json!([]) {
        wrong.push(format!("a request is open for ever: {}", snapshot["pending"]));
    }
    for entry in snapshot["timeline"].as_array().into_iter().flatten() {
        if matches!(entry["state"].as_str(), Some("streaming" | "running" | "pending" | "open" | "waiting")) {
            wrong.push(format!("it is open for ever: {entry}"));
        }
    }
}
