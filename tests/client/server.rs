//! A scripted gateway: it keeps a log, answers JSON-RPC over any number of pipes, and notes what reaches it.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// The session that it has.
pub const SESSION: &str = "boats";

/// A gateway with one session.
#[derive(Default)]
pub struct Server {
    /// The session's events, as the runtime wrote them. The first has the position 1.
    pub log: Vec<String>,
    /// Permissions that wait for an answer.
    pub open: Vec<String>,
    /// Every call that was carried out: its method and params.
    pub carried_out: Vec<(String, Value)>,
    /// The runtime ends before it answers the next call of a person; it has carried it out, or not.
    pub ends: Option<bool>,
    /// The runtime takes answers and has not yet said what came of them.
    pub is_quiet: bool,
    /// Whoever lacks more events than this is referred to the history; `None`: it knows none.
    pub far_behind: Option<u64>,
    /// The message that is being written.
    writes: Option<String>,
    /// Numbers for the ids of events; they go on when the log is lost.
    events: u64,
}

/// What a request leads to.
pub enum Reaction {
    /// Its result, or the code and message of an error.
    Answer(Result<Value, (i64, &'static str)>),
    /// The events after this position follow its result.
    Subscribed(u64, Value),
    /// None follow any longer.
    Unsubscribed,
}

impl Server {
    /// The runtime emits an event.
    pub fn emit(&mut self, kind: &str, data: &Value) {
        self.events += 1;
        let event = json!({ "type": kind, "id": format!("e{}", self.events), "data": data });
        self.log.push(event.to_string());
    }

    /// The agent says something.
    pub fn say(&mut self) {
        let text = format!("word {}", self.events);
        self.emit("user.message", &json!({ "content": text }));
    }

    /// The agent writes another piece of its message, or ends it.
    pub fn write(&mut self, ends: bool) {
        let id = self.writes.get_or_insert_with(|| format!("m{}", self.events)).clone();
        if ends {
            self.writes = None;
            self.emit("assistant.message", &json!({ "messageId": id, "content": "the whole message" }));
        } else {
            self.emit("assistant.message_delta", &json!({ "messageId": id, "deltaContent": "piece " }));
        }
    }

    /// What is left of the log after this position, with positions: the pieces of messages that have ended are out, but for the
    /// first ones, which say where the messages stand.
    pub fn history(&self, after: u64) -> String {
        let events: Vec<Value> = self.log.iter().map(|event| serde_json::from_str(event).unwrap()).collect();
        let of_same = |kind: &str, events: &[Value], id: &Value| {
            events.iter().any(|event| event["type"] == kind && event["data"]["messageId"] == *id)
        };
        let is_superseded = |at: usize, event: &Value| {
            let id = &event["data"]["messageId"];
            event["type"] == "assistant.message_delta"
                && of_same("assistant.message_delta", &events[..at], id)
                && of_same("assistant.message", &events, id)
        };
        let left = (1..)
            .zip(&events)
            .filter(|(seq, event)| *seq > after && !is_superseded(*seq as usize - 1, event));
        let mut text = String::new();
        for (seq, _) in left {
            let _ = writeln!(text, r#"{{"seq":{seq},"event":{}}}"#, self.log[seq as usize - 1]);
        }
        text
    }

    /// Whether who has the log up to this position is referred to the history.
    pub fn names_history(&self, after: u64) -> bool {
        let behind = self.newest().checked_sub(after);
        behind.zip(self.far_behind).is_some_and(|(behind, far)| behind > far)
    }

    /// The agent asks for a permission.
    pub fn ask(&mut self) {
        let id = format!("p{}", self.events);
        let data = json!({ "requestId": id, "permissionRequest": { "kind": "read", "path": id }, "promptRequest": {} });
        self.emit("permission.requested", &data);
        self.open.push(id);
    }

    /// Somebody answers the oldest request in another program.
    pub fn answer_elsewhere(&mut self) {
        if let Some(id) = self.open.first().cloned() {
            self.settle(&id);
        }
    }

    /// An answer reaches the runtime. True if it counts.
    fn settle(&mut self, id: &str) -> bool {
        let was = self.open.len();
        self.open.retain(|open| open != id);
        let counts = self.open.len() < was;
        if counts && !self.is_quiet {
            self.emit("permission.completed", &json!({ "requestId": id, "result": { "kind": "approved" } }));
        }
        counts
    }

    /// How many answers to a request have arrived.
    pub fn answers(&self, id: &str) -> usize {
        self.carried_out.iter().filter(|(_, params)| params["requestId"] == id).count()
    }

    /// The newest position.
    pub fn newest(&self) -> u64 {
        self.log.len() as u64
    }

    /// It has lost its log and begins anew.
    pub fn forget(&mut self) {
        self.log.clear();
        self.open.clear();
        self.writes = None;
        self.emit("session.start", &json!({ "sessionId": SESSION }));
    }

    /// Carries out a request.
    pub fn request(&mut self, method: &str, params: &Value) -> Reaction {
        const UNKNOWN_OUTCOME: (i64, &str) = (-32007, "the runtime has ended");
        let is_of_person = method == "session.mark" || params.get("requestId").is_some();
        match self.ends.take_if(|_| is_of_person) {
            None => self.carry_out(method, params),
            Some(carries_out) => {
                if carries_out {
                    self.carry_out(method, params);
                }
                Reaction::Answer(Err(UNKNOWN_OUTCOME))
            }
        }
    }

    fn carry_out(&mut self, method: &str, params: &Value) -> Reaction {
        let answer = match method {
            "pilothouse.sessions" => json!([{ "sessionId": SESSION }]),
            "pilothouse.ping" => Value::Null,
            "pilothouse.unsubscribe" => return Reaction::Unsubscribed,
            "pilothouse.subscribe" => {
                let after = params["after"].as_u64().unwrap_or(0);
                let newest = self.newest();
                if params["history"] == true && self.names_history(after) {
                    return Reaction::Answer(Ok(
                        json!({ "sessionId": SESSION, "seq": newest, "history": true }),
                    ));
                }
                let answer = json!({ "sessionId": SESSION, "seq": newest, "protocol": 1, "role": "operator", "health": null });
                return Reaction::Subscribed(if after > newest { newest } else { after }, answer);
            }
            "session.permissions.pendingRequests" => {
                let listed = |id: &String| json!({ "requestId": id });
                json!({ "items": self.open.iter().map(listed).collect::<Vec<_>>() })
            }
            "session.queue.pendingItems" => json!({ "items": [] }),
            "session.permissions.handlePendingPermissionRequest" => {
                self.carried_out.push((method.to_owned(), params.clone()));
                json!({ "success": self.settle(params["requestId"].as_str().unwrap_or_default()) })
            }
            _ => {
                self.carried_out.push((method.to_owned(), params.clone()));
                json!({ "success": true })
            }
        };
        Reaction::Answer(Ok(answer))
    }
}
