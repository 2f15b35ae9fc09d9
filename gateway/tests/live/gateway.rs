//! A gateway that drives a stand-in for the runtime, and a folder for its logs that is removed when the test
//! ends.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use pilothouse_gateway::access::Access;
use pilothouse_gateway::agents::copilot;
use pilothouse_gateway::agents::copilot::launch::RuntimePlace;
use pilothouse_gateway::gateway::{Gateway, Settings};
use pilothouse_gateway::push;
use serde_json::{Value, json};

use crate::client::{Socket, in_time};
use crate::stand_in::StandIn;

pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("pilothouse-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    pub fn log(&self, session: &str) -> PathBuf {
        self.0.join("sessions").join(format!("{session}.jsonl"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn settings(runtime: &StandIn, folder: Option<&Folder>) -> copilot::Settings {
    let place = RuntimePlace::Address(runtime.address.to_string());
    copilot::Settings { folder: folder.map(|folder| folder.0.clone()), ..copilot::Settings::new(place) }
}

pub async fn open(settings: copilot::Settings) -> Gateway {
    open_with(settings, push::Settings::default(), Access::default()).await
}

pub async fn open_with(settings: copilot::Settings, push: push::Settings, access: Access) -> Gateway {
    let usual = Settings { access, push, ..Settings::default() };
    in_time("the lock of the folder", async {
        loop {
            match Gateway::start_with(usual.clone(), Vec::new(), Some(settings.clone())).await {
                // A process that another test is just starting still has the lock of the gateway before.
                Err(error) if error.to_string().contains("another gateway") => tokio::task::yield_now().await,
                opened => return opened.unwrap(),
            }
        }
    })
    .await
}

/// A gateway, a session that it made, and a socket that watches it.
pub async fn watched(runtime: &StandIn, folder: Option<&Folder>) -> (Gateway, Socket) {
    let gateway = open(settings(runtime, folder)).await;
    let mut socket = Socket::open(&gateway, None).await;
    let made = call(&mut socket, "pilothouse.create", json!({"sessionId": "s"})).await;
    assert_eq!(made["result"]["sessionId"], "s", "{made}");
    subscribe(&mut socket, "s", 0).await;
    (gateway, socket)
}

pub async fn call(socket: &mut Socket, method: &str, params: Value) -> Value {
    let id = socket.send_request(method, params).await;
    socket.response(id).await
}

pub async fn subscribe(socket: &mut Socket, session: &str, after: u64) {
    let answer = call(socket, "pilothouse.subscribe", json!({"sessionId": session, "after": after})).await;
    assert_eq!(answer["result"]["sessionId"], session, "{answer}");
}
