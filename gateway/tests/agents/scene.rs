//! A gateway that drives the stand-in, and a socket that watches one of its sessions.

use pilothouse_gateway::agents::acp::host;
use pilothouse_gateway::agents::acp::settings::AgentSettings;
use pilothouse_gateway::gateway::{Gateway, Settings};
use serde_json::{Value, json};

use crate::client::{Socket, in_time};
pub use crate::folder::Folder;
use crate::stand_in::{store, stored};

impl Folder {
    /// The methods that the agent was called with, and its answers to requests as `answer`.
    pub fn calls(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.0.join("calls")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The sessions of the agent, which a test changes as another program would.
    pub fn change_sessions(&self, change: impl FnOnce(&mut Value)) {
        let file = self.0.join("sessions.json");
        let mut all = stored(&file);
        change(&mut all);
        store(&file, &all);
    }

    pub fn count(&self, method: &str) -> usize {
        self.calls().iter().filter(|call| call["method"] == method).count()
    }
}

pub fn stand_in(name: &str, folder: &Folder) -> AgentSettings {
    let program = std::env::current_exe().unwrap().to_string_lossy().into_owned();
    let command = [&program, "--exact", "stand_in::agent", "--nocapture", "--quiet"];
    let calls = folder.0.join("calls").to_string_lossy().into_owned();
    AgentSettings {
        name: name.to_owned(),
        command: command.iter().map(|&word| word.to_owned()).collect(),
        environment: [("ACP_STAND_IN".to_owned(), calls)].into(),
        folder: Some(folder.0.clone()),
        ..AgentSettings::default()
    }
}

/// The same, with more in its environment.
pub fn with(mut agent: AgentSettings, variables: &[(&str, &str)]) -> AgentSettings {
    let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    agent.environment.extend(variables);
    agent
}

pub async fn open(agents: Vec<AgentSettings>, folder: &Folder) -> Gateway {
    let acp = host::Settings { agents, folder: Some(folder.0.join("data")), ..host::Settings::default() };
    let settings = Settings { acp, ..Settings::default() };
    in_time("the lock of the folder", async {
        loop {
            match Gateway::start(settings.clone(), Vec::new()).await {
                // A process that another test is just starting still has the lock of the gateway before.
                Err(error) if error.to_string().contains("another gateway") => tokio::task::yield_now().await,
                opened => return opened.unwrap(),
            }
        }
    })
    .await
}

pub struct Scene {
    pub gateway: Gateway,
    pub socket: Socket,
    pub viewer: Socket,
    pub id: String,
}

impl Scene {
    pub async fn new(folder: &Folder) -> Self {
        let gateway = open(vec![stand_in("mine", folder)], folder).await;
        let mut socket = Socket::open(&gateway, None).await;
        let made = call(&mut socket, "pilothouse.create", json!({"agent": "mine"})).await;
        let id = made["result"]["sessionId"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned();
        Self::of(gateway, socket, id).await
    }

    pub async fn of(gateway: Gateway, socket: Socket, id: String) -> Self {
        let mut viewer = Socket::open(&gateway, None).await;
        call(&mut viewer, "pilothouse.subscribe", json!({"sessionId": id, "after": 0})).await;
        Self { gateway, socket, viewer, id }
    }

    pub async fn call(&mut self, method: &str, mut params: Value) -> Value {
        params["sessionId"] = self.id.as_str().into();
        call(&mut self.socket, method, params).await
    }

    pub async fn send(&mut self, prompt: &str) -> Value {
        self.call("session.send", json!({"prompt": prompt})).await
    }

    /// The events up to the first one of this type.
    pub async fn until(&mut self, event_type: &str) -> Vec<Value> {
        let mut all = Vec::new();
        loop {
            let message: Value = serde_json::from_str(&self.viewer.next().await).unwrap();
            if message["method"] != "session.event" {
                continue;
            }
            let event = message["params"]["event"].clone();
            all.push(event.clone());
            if event["type"] == event_type {
                return all;
            }
        }
    }

    /// The events of the session so far.
    pub async fn log(&mut self) -> Vec<Value> {
        let answer = self.call("session.eventLog.read", json!({"max": 100_000})).await;
        answer["result"]["events"].as_array().unwrap().clone()
    }
}

pub async fn call(socket: &mut Socket, method: &str, params: Value) -> Value {
    let id = socket.send_request(method, params).await;
    socket.response(id).await
}

pub fn texts(events: &[Value], event_type: &str) -> Vec<String> {
    let of_type = events.iter().filter(|event| event["type"] == event_type);
    of_type.map(|event| event["data"]["content"].as_str().unwrap_or_default().to_owned()).collect()
}
