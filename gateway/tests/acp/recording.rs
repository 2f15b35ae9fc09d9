//! The recordings of real agents in `tests/data/acp`, and a shell that plays one: it carries out what the recorded client did, and
//! gives the translation what the agent sent.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use pilothouse_gateway::agents::acp::event::{Effect, Event, Port, RpcError};
use pilothouse_gateway::agents::acp::known::{self, Quirks};
use pilothouse_gateway::agents::acp::options::OptionCall;
use pilothouse_gateway::agents::acp::prompt::Prompt;
use pilothouse_gateway::agents::acp::replay::{Logged, LoggedMessage};
use pilothouse_gateway::agents::acp::translation::{Input, SessionFacts, Translation};
use serde_json::{Value, json};

/// `tests/data/acp`.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/acp")
}

/// One line of a recording.
#[derive(Clone, Debug)]
pub struct Line {
    pub process: u64,
    pub is_agents: bool,
    pub message: Value,
}

/// Every recording: its agent, its scene, its lines.
pub fn all() -> Vec<(String, String, Vec<Line>)> {
    let mut all = Vec::new();
    for agent in known::ALL.iter().map(|known| known.name) {
        let mut files: Vec<_> =
            fs::read_dir(folder().join(agent)).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        for file in files.into_iter().filter(|file| file.extension().is_some_and(|end| end == "jsonl")) {
            let scene = file.file_stem().unwrap().to_string_lossy().into_owned();
            all.push((agent.to_owned(), scene, read(&file)));
        }
    }
    assert_eq!(all.len(), 136);
    all
}

/// The recording of one scene.
pub fn one(agent: &str, scene: &str) -> Vec<Line> {
    read(&folder().join(agent).join(format!("{scene}.jsonl")))
}

fn read(file: &Path) -> Vec<Line> {
    let line = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        Line {
            process: line["p"].as_u64().unwrap(),
            is_agents: line["dir"] == "in",
            message: line["msg"].take(),
        }
    };
    fs::read_to_string(file).unwrap().lines().map(line).collect()
}

/// Ids that count up, and one moment.
#[derive(Debug, Default)]
pub struct Counter(u64);

impl Port for Counter {
    fn new_id(&mut self) -> String {
        self.0 += 1;
        format!("id-{}", self.0)
    }

    fn now(&mut self) -> String {
        "2026-11-27T00:00:00.000Z".to_owned()
    }
}

/// What came out of one session, in order: after which line of the recording, and what.
#[derive(Debug)]
pub struct Played {
    pub translation: Translation,
    pub effects: Vec<(usize, Effect)>,
}

impl Played {
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.effects
            .iter()
            .filter_map(|(_, effect)| if let Effect::Event(event) = effect { Some(event) } else { None })
    }

    /// The session as a journal has it.
    pub fn log(&self) -> String {
        let mut parent: Option<&str> = None;
        let mut log = String::new();
        for event in self.events() {
            log.push_str(&event.line(parent));
            log.push('\n');
            if !event.ephemeral {
                parent = Some(&event.id);
            }
        }
        log
    }
}

/// How a recording is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Log {
    /// The gateway has the log of a session that is loaded.
    Kept,
    /// It has nothing: what the agent replays is the log.
    Lost,
    /// It lacks so many of the last messages of the user: they were sent by another program.
    Behind(usize),
}

/// A shell for one recording.
pub struct Shell {
    quirks: Quirks,
    log: Log,
    port: Counter,
    place: usize,
    agent_info: (String, String),
    process: u64,
    /// What the client called: the method and the params, by id.
    calls: HashMap<u64, (String, Value)>,
    /// Prompts that wait for the one that runs.
    queue: Vec<(String, Prompt)>,
    /// Which session the prompt of this id is of.
    prompts: HashMap<u64, String>,
    /// What the agent asked: the session and the options, by id.
    asked: HashMap<String, (String, Value)>,
    /// Updates for a session whose response has not come.
    early: Vec<Value>,
    pub sessions: BTreeMap<String, Played>,
    /// How many messages of the agent went nowhere, by what they are.
    pub without_session: BTreeMap<String, usize>,
}

/// Plays a recording.
pub fn play(agent: &str, lines: &[Line], log: Log) -> Shell {
    let quirks = known::named(agent).map_or(known::PROTOCOL, |known| known.quirks);
    let mut shell = Shell::new(quirks, log);
    for line in lines {
        shell.take(line);
    }
    shell.process_ended();
    shell
}

impl Shell {
    pub fn new(quirks: Quirks, log: Log) -> Self {
        Self {
            quirks,
            log,
            port: Counter::default(),
            place: 0,
            agent_info: (String::new(), String::new()),
            process: 1,
            calls: HashMap::new(),
            queue: Vec::new(),
            prompts: HashMap::new(),
            asked: HashMap::new(),
            early: Vec::new(),
            sessions: BTreeMap::new(),
            without_session: BTreeMap::new(),
        }
    }

    pub fn take(&mut self, line: &Line) {
        self.place += 1;
        if line.process != self.process {
            self.process_ended();
            self.process = line.process;
        }
        let message = &line.message;
        let id = message.get("id").cloned();
        let method = message.get("method").and_then(Value::as_str);
        match (line.is_agents, method, id) {
            (true, Some(method), Some(id)) => self.agents_request(method, id, message["params"].clone()),
            (true, Some(method), None) => self.agents_notification(method, message["params"].clone()),
            (true, None, Some(id)) => self.agents_response(&id, message),
            (false, Some(method), id) => self.clients_call(method, id.as_ref(), message["params"].clone()),
            (false, None, Some(id)) => self.clients_answer(&id, message),
            _ => {}
        }
    }

    /// Gives a session an input.
    pub fn give(&mut self, session: &str, input: Input) {
        let Some(played) = self.sessions.get_mut(session) else { return };
        let effects = played.translation.take(input, &mut self.port);
        let is_over = effects.contains(&Effect::TurnOver);
        let place = self.place;
        played.effects.extend(effects.into_iter().map(|effect| (place, effect)));
        let next = self.queue.iter().position(|(of, _)| of == session).filter(|_| is_over);
        if let Some(next) = next {
            let (_, prompt) = self.queue.remove(next);
            self.give(session, Input::PromptSent(prompt));
        }
    }

    fn open(&mut self, session: &str) {
        let (agent_name, agent_version) = self.agent_info.clone();
        let facts = SessionFacts {
            session_id: session.to_owned(),
            cwd: "/workspace/project".to_owned(),
            agent_name,
            agent_version,
            sign_in: None,
        };
        let played = || Played { translation: Translation::new(facts, self.quirks), effects: Vec::new() };
        self.sessions.entry(session.to_owned()).or_insert_with(played);
    }

    /// What the gateway's log has of a session that is loaded.
    fn logged(&self, session: &str) -> Logged {
        let events = self.sessions.get(session).into_iter().flat_map(Played::events);
        let sent = events.filter(|event| event.event_type.name() == "user.message");
        let text = |event: &Event| LoggedMessage::new(event.data["content"].as_str().unwrap(), false);
        let mut messages: Vec<_> = sent.map(text).collect();
        if let Log::Behind(count) = self.log {
            messages.truncate(messages.len().saturating_sub(count));
        }
        Logged { messages, is_whole: true, ..Logged::default() }
    }

    fn hand_out_early(&mut self) {
        for params in std::mem::take(&mut self.early) {
            self.agents_notification("session/update", params);
        }
    }

    fn clients_call(&mut self, method: &str, id: Option<&Value>, params: Value) {
        let session = params["sessionId"].as_str().unwrap_or_default().to_owned();
        match method {
            "session/load" | "session/resume" => {
                // A resume replays nothing.
                let is_lost = self.log == Log::Lost && method == "session/load";
                if is_lost {
                    self.sessions.remove(&session);
                }
                let log = (!is_lost).then(|| self.logged(&session));
                self.open(&session);
                self.give(&session, Input::LoadStarts { log });
            }
            "session/cancel" => self.give(&session, Input::Cancel),
            "session/prompt" if self.sessions.contains_key(&session) => {
                let id = id.unwrap().as_u64().unwrap();
                let text: Vec<&str> = params["prompt"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .filter_map(|block| block["text"].as_str())
                    .collect();
                let prompt = Prompt {
                    message_id: format!("message-{}-{id}", self.process),
                    text: text.join(""),
                    ..Prompt::default()
                };
                self.prompts.insert(id, session.clone());
                if self.sessions[&session].translation.is_busy() {
                    self.queue.push((session.clone(), Prompt { queued: true, ..prompt }));
                } else {
                    self.give(&session, Input::PromptSent(prompt));
                }
            }
            _ => {}
        }
        if let Some(id) = id.and_then(Value::as_u64) {
            self.calls.insert(id, (method.to_owned(), params));
        }
    }

    fn agents_response(&mut self, id: &Value, message: &Value) {
        let error = message.get("error").map(|error| RpcError {
            code: error["code"].as_i64().unwrap_or_default(),
            message: error["message"].as_str().unwrap_or_default().to_owned(),
            data: error.get("data").cloned(),
        });
        let response = error.map_or_else(|| Ok(message["result"].clone()), Err);
        let id = id.as_u64().unwrap_or(u64::MAX);
        let Some((method, params)) = self.calls.remove(&id) else {
            return self.count("a response to nothing");
        };
        let session = params["sessionId"].as_str().unwrap_or_default().to_owned();
        match (method.as_str(), response) {
            ("session/prompt", response) if self.prompts.contains_key(&id) => {
                self.give(&session, Input::PromptEnded(response));
            }
            ("session/load" | "session/resume", response) => self.give(&session, Input::Loaded(response)),
            ("initialize", Ok(result)) => {
                let text = |name: &str| result["agentInfo"][name].as_str().unwrap_or_default().to_owned();
                self.agent_info = (text("name"), text("version"));
                self.count("the response of initialize");
            }
            ("session/new", Ok(result)) => {
                let session = result["sessionId"].as_str().unwrap().to_owned();
                self.open(&session);
                self.give(&session, Input::Created(result));
                self.hand_out_early();
            }
            (
                method @ ("session/set_mode" | "session/set_model" | "session/set_config_option"),
                Ok(result),
            ) => {
                let method = ["session/set_mode", "session/set_model", "session/set_config_option"]
                    .into_iter()
                    .find(|known| *known == method)
                    .unwrap();
                self.give(&session, Input::OptionSet { call: OptionCall { method, params }, result });
            }
            (method, Err(_)) => self.count(&format!("{method}: an error")),
            (method, Ok(_)) => self.count(&format!("{method}: a result for the shell")),
        }
    }

    fn agents_notification(&mut self, method: &str, params: Value) {
        let session = params["sessionId"].as_str().unwrap_or_default();
        let owner = self.sessions.iter().find(|(_, played)| played.translation.owns(session));
        let owner = owner.map(|(id, _)| id.clone());
        match owner {
            Some(owner) => self.give(&owner, Input::Notification { method: method.to_owned(), params }),
            None if method == "$/cancel_request" => {
                for session in self.sessions.keys().cloned().collect::<Vec<_>>() {
                    self.give(&session, Input::Withdrawn { rpc_id: params["requestId"].clone() });
                }
            }
            None if method == "session/update" => self.early.push(params),
            None => self.count(method),
        }
    }

    fn agents_request(&mut self, method: &str, rpc_id: Value, params: Value) {
        let session = params["sessionId"].as_str().unwrap_or_default();
        let owner = self.sessions.iter().find(|(_, played)| played.translation.owns(session));
        let session = owner.map_or(session, |(id, _)| id).to_owned();
        let request_id = format!("{}/{rpc_id}", self.process);
        self.asked.insert(rpc_id.to_string(), (session.clone(), params.clone()));
        self.give(&session, Input::Request { request_id, rpc_id, method: method.to_owned(), params });
    }

    fn clients_answer(&mut self, id: &Value, message: &Value) {
        let Some((session, asked)) = self.asked.remove(&id.to_string()) else { return };
        let result = &message["result"];
        let params = if let Some(option) = result["outcome"]["optionId"].as_str() {
            let options = asked["options"].as_array().unwrap();
            let kind =
                options.iter().find(|listed| listed["optionId"] == option).unwrap()["kind"].as_str().unwrap();
            let word = match kind {
                "allow_once" => "approve-once",
                "allow_always" => "approve-for-session",
                _ => "reject",
            };
            let approved = kind.starts_with("allow");
            json!({ "result": { "kind": word, "optionId": option }, "response": { "approved": approved } })
        } else if result.get("action").is_some() {
            json!({ "result": result })
        } else {
            return;
        };
        self.give(&session, Input::Answer { request_id: format!("{}/{id}", self.process), params });
    }

    pub fn process_ended(&mut self) {
        self.calls.clear();
        self.prompts.clear();
        self.queue.clear();
        for session in self.sessions.keys().cloned().collect::<Vec<_>>() {
            let message = "The agent's process has ended".to_owned();
            self.give(&session, Input::ProcessEnded { message, last_lines: Vec::new() });
        }
    }

    fn count(&mut self, what: &str) {
        *self.without_session.entry(what.to_owned()).or_default() += 1;
    }

    /// Whether one of the sessions takes updates of this one.
    pub fn owns(&self, session: &str) -> bool {
        self.sessions.values().any(|played| played.translation.owns(session))
    }

    /// Updates that no session ever took.
    pub fn never_taken(&self) -> usize {
        self.early.len()
    }
}
