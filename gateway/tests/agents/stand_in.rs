//! An agent that does what a prompt says: this test's own program, started again for this "test" alone. What the test runner
//! prints around it is passed over, as what any agent prints.
//!
//! What it was asked is written into the file that `ACP_STAND_IN` names, a line each, and beside it, in `started.json`, how it was
//! started. In `sessions.json` there it keeps its sessions, where a test puts what another program did. `ACP_CAN` names methods of
//! sessions that it has, `ACP_START` how it starts.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::{BufRead as _, Write as _};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// Ids of requests are the process's own id times this, and a number.
pub const REQUESTS: u64 = 1_000;

struct StandIn {
    journal: std::fs::File,
    stored: PathBuf,
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

/// The sessions in this file, by id: title, folder, time, and what was said.
pub fn stored(file: &Path) -> Value {
    std::fs::read(file).ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_else(|| json!({}))
}

/// Replaces them as a whole: the other side reads, and another stand-in may write.
pub fn store(file: &Path, sessions: &Value) {
    let beside = file.with_extension(std::process::id().to_string());
    std::fs::write(&beside, sessions.to_string()).unwrap();
    std::fs::rename(&beside, file).unwrap();
}

/// What it has to say to `initialize`, if it starts so.
fn started(how: &str, id: &Value) -> bool {
    match how {
        "refuses" => {
            complain("no licence");
            std::process::exit(3);
        }
        "garbage" => {
            for _ in 0..3 {
                let _ = writeln!(std::io::stdout().lock(), "Usage: agent [--help]");
            }
            std::process::exit(2);
        }
        "hangs" => std::thread::sleep(std::time::Duration::MAX),
        "floods" => {
            // More than a pipe holds. Spaces, because the gateway passes all of it on to whoever reads the tests.
            let line = " ".repeat(1 << 10);
            (0..256).for_each(|_| complain(&line));
        }
        "other version" => answer(id, &json!({"protocolVersion": 2})),
        "no version" => answer(id, &json!({"agentInfo": {"name": "old"}})),
        "error" => {
            let error = json!({"code": 1001, "message": "its config can't be read"});
            send(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
        }
        _ => {}
    }
    !matches!(how, "other version" | "no version" | "error")
}

impl StandIn {
    fn change(&self, change: impl FnOnce(&mut Value)) {
        let mut all = stored(&self.stored);
        change(&mut all);
        store(&self.stored, &all);
    }

    /// A page of two.
    fn list(&self, cursor: Option<&str>) -> Value {
        let from: usize = cursor.map_or(0, |cursor| cursor.parse().unwrap());
        let all = stored(&self.stored);
        let all = all.as_object().unwrap();
        let row = |(id, session): (&String, &Value)| json!({"sessionId": id, "cwd": session["cwd"], "title": session["title"], "updatedAt": session["updatedAt"]});
        let rows: Vec<_> = all.iter().skip(from).take(2).map(row).collect();
        json!({"sessions": rows, "nextCursor": (from + 2 < all.len()).then(|| (from + 2).to_string())})
    }

    fn load(&self, session: &str, id: &Value) {
        let all = stored(&self.stored);
        let Some(said) = all[session]["said"].as_array() else {
            let error = json!({"code": -32603, "message": "no such session"});
            return send(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
        };
        for (number, text) in said.iter().enumerate() {
            let content = json!({"type": "text", "text": text});
            let number = number.to_string();
            update(
                session,
                &json!({"sessionUpdate": "user_message_chunk", "messageId": number, "content": content}),
            );
            say(session, &format!("you said {}", text.as_str().unwrap()));
        }
        answer(id, &json!({"configOptions": options()}));
    }

    fn take(&mut self, message: &Value) {
        let (id, params) = (&message["id"], &message["params"]);
        let session = params["sessionId"].as_str().unwrap_or_default().to_owned();
        match message["method"].as_str() {
            Some("initialize") => {
                if !started(&std::env::var("ACP_START").unwrap_or_default(), id) {
                    return;
                }
                let mut sessions = json!({"close": {}});
                for method in std::env::var("ACP_CAN").unwrap_or_default().split_whitespace() {
                    sessions[method] = json!({});
                }
                let about = json!({"protocolVersion": 1, "agentInfo": {"name": "stand-in", "version": "1"},
                    "agentCapabilities": {"loadSession": true, "sessionCapabilities": sessions}});
                answer(id, &about);
            }
            Some("session/new")
                if std::env::var_os("ACP_START").is_some_and(|how| how == "needs a sign-in") =>
            {
                complain("no token in /home");
                let error = json!({"code": -32000, "message": "Authentication required"});
                send(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
            }
            Some("session/new") => {
                self.sessions += 1;
                let name = format!("stand-in-{}-{}", std::process::id(), self.sessions);
                self.change(|all| all[&name] = json!({"cwd": params["cwd"], "said": []}));
                // Before the answer that names the session.
                let commands = json!([{"name": "compact", "description": "Compact"}]);
                update(
                    &name,
                    &json!({"sessionUpdate": "available_commands_update", "availableCommands": commands}),
                );
                answer(id, &json!({"sessionId": name, "configOptions": options()}));
            }
            Some("session/load") => self.load(&session, id),
            Some("session/list") => answer(id, &self.list(params["cursor"].as_str())),
            Some("session/delete") => {
                self.change(|all| _ = all.as_object_mut().unwrap().remove(&session));
                answer(id, &json!({}));
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
                // One that asks waits for the answer, as Gemini does.
                if let Some((prompt, None)) = self.running.get(&session).cloned() {
                    self.running.remove(&session);
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
        self.change(|all| {
            if let Some(said) = all[session]["said"].as_array_mut() {
                said.push(text.into());
            }
        });
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
    let stored = Path::new(&journal).with_file_name("sessions.json");
    let environment: HashMap<String, String> = std::env::vars().collect();
    let asked = u64::from(std::process::id()) * REQUESTS;
    let start = json!({"process": std::process::id(), "folder": std::env::current_dir().unwrap(), "environment": environment});
    store(&Path::new(&journal).with_file_name("started.json"), &start);
    let journal = OpenOptions::new().create(true).append(true).open(journal).unwrap();
    let mut agent = StandIn { journal, stored, sessions: 0, running: HashMap::new(), asked };
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        writeln!(agent.journal, "{line}").unwrap();
        agent.take(&serde_json::from_str(&line).unwrap());
    }
    std::process::exit(0);
}
