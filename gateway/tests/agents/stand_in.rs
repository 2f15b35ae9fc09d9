//! An agent that does what a prompt says: this test's own program, started again for this "test" alone. What the test runner
//! prints around it is passed over, as what any agent prints.
//!
//! What it was asked is written into the file that `ACP_STAND_IN` names, a line each.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::{BufRead as _, Write as _};

use serde_json::{Value, json};

struct StandIn {
    journal: std::fs::File,
    sessions: u64,
    /// The prompt that runs in each session: the id of its request, and the request to the client that it waits for.
    running: HashMap<String, (Value, Option<u64>)>,
    asked: u64,
}

/// Prints a line on standard error.
fn complain(words: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{words}");
}

fn send(message: &Value) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{message}").and_then(|()| out.flush());
}

fn update(session: &str, update: &Value) {
    let params = json!({"sessionId": session, "update": update});
    send(&json!({"jsonrpc": "2.0", "method": "session/update", "params": params}));
}

fn say(session: &str, text: &str) {
    update(
        session,
        &json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}),
    );
}

fn answer(id: &Value, result: &Value) {
    send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
}

fn options() -> Value {
    let choice = |id: &str| json!({"value": id, "name": id.to_uppercase()});
    json!([
        {"id": "mode", "category": "mode", "name": "Mode", "type": "select", "currentValue": "build", "options": [choice("build"), choice("plan")]},
        {"id": "model", "category": "model", "name": "Model", "type": "select", "currentValue": "small", "options": [choice("small"), choice("large")]},
    ])
}

impl StandIn {
    fn take(&mut self, message: &Value) {
        let (id, params) = (&message["id"], &message["params"]);
        let session = params["sessionId"].as_str().unwrap_or_default().to_owned();
        match message["method"].as_str() {
            Some("initialize") => {
                let sessions = json!({"close": {}});
                let about = json!({"protocolVersion": 1, "agentInfo": {"name": "stand-in", "version": "1"},
                    "agentCapabilities": {"loadSession": true, "sessionCapabilities": sessions}});
                if std::env::var_os("ACP_REFUSES").is_some() {
                    complain("no licence");
                    std::process::exit(3);
                }
                answer(id, &about);
            }
            Some("session/new") => {
                self.sessions += 1;
                let name = format!("stand-in-{}-{}", std::process::id(), self.sessions);
                // Before the answer that names the session.
                let commands = json!([{"name": "compact", "description": "Compact"}]);
                update(
                    &name,
                    &json!({"sessionUpdate": "available_commands_update", "availableCommands": commands}),
                );
                answer(id, &json!({"sessionId": name, "configOptions": options()}));
            }
            Some("session/load") => {
                update(
                    &session,
                    &json!({"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "replayed"}}),
                );
                say(&session, "replayed answer");
                answer(id, &json!({"configOptions": options()}));
            }
            Some("session/set_config_option") => {
                let mut all = options();
                for option in all.as_array_mut().unwrap() {
                    if option["id"] == params["configId"] {
                        option["currentValue"] = params["value"].clone();
                    }
                }
                answer(id, &json!({"configOptions": all}));
            }
            Some("session/prompt") => self.prompt(&session, id.clone(), params),
            Some("session/cancel") => {
                if let Some((prompt, None)) = self.running.remove(&session) {
                    answer(&prompt, &json!({"stopReason": "cancelled"}));
                }
            }
            Some("session/close") => answer(id, &json!({})),
            Some(_) => {}
            None => {
                // The answer to the request of a prompt.
                let waits = |(_, asked): &&(Value, Option<u64>)| *asked == id.as_u64();
                let Some(session) = self
                    .running
                    .iter()
                    .find(|(_, running)| waits(running))
                    .map(|(session, _)| session.clone())
                else {
                    return;
                };
                let Some((prompt, _)) = self.running.remove(&session) else { return };
                let outcome = &message["result"]["outcome"];
                if outcome["outcome"] == "cancelled" {
                    return answer(&prompt, &json!({"stopReason": "cancelled"}));
                }
                say(&session, &format!("chosen: {}", outcome["optionId"].as_str().unwrap_or("none")));
                answer(&prompt, &json!({"stopReason": "end_turn"}));
            }
        }
    }

    fn prompt(&mut self, session: &str, id: Value, params: &Value) {
        let text = params["prompt"][0]["text"].as_str().unwrap_or_default();
        match text.split_whitespace().next() {
            Some("ask") => {
                self.asked += 1;
                let call = json!({"toolCallId": format!("call-{}", self.asked), "title": "touch a", "kind": "execute", "rawInput": {"command": "touch a"}});
                let options = json!([
                    {"optionId": "always", "name": "Always touch", "kind": "allow_always"},
                    {"optionId": "once", "name": "Yes", "kind": "allow_once"},
                    {"optionId": "no", "name": "No", "kind": "reject_once"}]);
                let params = json!({"sessionId": session, "toolCall": call, "options": options});
                self.running.insert(session.to_owned(), (id, Some(self.asked)));
                send(
                    &json!({"jsonrpc": "2.0", "id": self.asked, "method": "session/request_permission", "params": params}),
                );
            }
            Some("wait") => {
                say(session, "waiting");
                self.running.insert(session.to_owned(), (id, None));
            }
            Some("die") => {
                say(session, "half a sen");
                complain("out of luck");
                std::process::exit(7);
            }
            Some("read") => {
                send(
                    &json!({"jsonrpc": "2.0", "id": "r", "method": "fs/read_text_file", "params": {"sessionId": session, "path": "/a"}}),
                );
                answer(&id, &json!({"stopReason": "end_turn"}));
            }
            _ => {
                say(session, &format!("you said {text}"));
                answer(&id, &json!({"stopReason": "end_turn"}));
            }
        }
    }
}

/// Not a test: what the stand-in runs.
#[test]
fn agent() {
    let Some(journal) = std::env::var_os("ACP_STAND_IN") else { return };
    let journal = OpenOptions::new().create(true).append(true).open(journal).unwrap();
    let mut agent = StandIn { journal, sessions: 0, running: HashMap::new(), asked: 0 };
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        writeln!(agent.journal, "{line}").unwrap();
        agent.take(&serde_json::from_str(&line).unwrap());
    }
    std::process::exit(0);
}
