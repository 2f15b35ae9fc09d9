//! The servers of NATS: one, or three in a cluster, each a process on loopback with a folder of its own. They reach each other,
//! and gateways reach them, over links that can be cut ([`Link`]).

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use async_nats::{ConnectOptions, jetstream};
use serde_json::Value;
use tokio::process::Child;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use super::folder::Folder;
use super::link::Link;
use super::waiting::{poll, signal};

/// The stream that has the events of all sessions.
pub const STREAM: &str = "PILOTHOUSE";
/// No other server is asked, and none is told of: each connection goes over its link.
const NOBODY: &str = "127.0.0.1:1";

/// How many tests and histories of this process have servers at a time. Each has up to six processes.
static PLACES: Semaphore = Semaphore::const_new(4);

/// Running servers.
pub struct Servers {
    _place: SemaphorePermit<'static>,
    nodes: Vec<Node>,
    /// From each node (first number) to each other.
    between: Vec<Vec<Link>>,
    extra: String,
    /// The name and password of the tests' own clients, where they need one.
    login: Option<(&'static str, &'static str)>,
}

struct Node {
    folder: Folder,
    child: Option<Child>,
    stopped: bool,
    address: Option<SocketAddr>,
}

/// The program: what `NATS_SERVER` names, else the one that `cargo xtask test` brings, else the one on the path. None if there
/// is none; a line says so.
pub fn program() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let find = || {
        let named = std::env::var_os("NATS_SERVER").map(PathBuf::from);
        let target = Path::new(env!("CARGO_BIN_EXE_pilothouse")).parent()?.parent()?;
        let candidates =
            [named, Some(target.join("nats-server/nats-server")), Some(PathBuf::from("nats-server"))];
        let found = candidates.into_iter().flatten().find(|program| {
            let printed = Command::new(program).arg("--version").stderr(Stdio::null()).output();
            printed
                .is_ok_and(|printed| String::from_utf8_lossy(&printed.stdout).starts_with("nats-server: v2."))
        });
        if found.is_none() {
            super::seeds::say(
                "skipped: there is no nats-server; `cargo xtask test --only native` brings one",
            );
        }
        found
    };
    FOUND.get_or_init(find).as_deref()
}

impl Drop for Servers {
    /// Where a test fails, what the servers complained of helps.
    fn drop(&mut self) {
        if std::thread::panicking() {
            for number in 0..self.count() {
                let complaints = self.complaints(number).join("\n");
                super::seeds::say(&format!("server {number}:\n{complaints}"));
            }
        }
    }
}

impl Servers {
    /// So many servers, in a cluster if they are several. Ready when this returns.
    pub async fn start(count: usize) -> Self {
        Self::start_with(count, "", None).await
    }

    /// The same, with these lines in the configuration of each. Tests log in as this user.
    pub async fn start_with(count: usize, extra: &str, login: Option<(&'static str, &'static str)>) -> Self {
        let place = PLACES.acquire().await.unwrap();
        let mut between = Vec::new();
        for _ in 0..count {
            let mut row = Vec::new();
            for _ in 0..count {
                row.push(Link::new().await);
            }
            between.push(row);
        }
        let node = || Node { folder: Folder::new(), child: None, stopped: false, address: None };
        let nodes = (0..count).map(|_| node()).collect();
        let mut servers = Self { _place: place, nodes, between, extra: extra.to_owned(), login };
        for number in 0..count {
            servers.begin(number);
        }
        for number in 0..count {
            servers.arrived(number).await;
        }
        servers.ready().await;
        servers
    }

    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// Where a client reaches this one without a link; none while it does not run.
    pub fn address(&self, number: usize) -> Option<SocketAddr> {
        self.nodes[number].address
    }

    pub fn is_running(&self, number: usize) -> bool {
        self.nodes[number].child.is_some() && !self.nodes[number].stopped
    }

    /// What a server has complained of.
    pub fn complaints(&self, number: usize) -> Vec<String> {
        let log = std::fs::read_to_string(self.nodes[number].folder.0.join("log")).unwrap_or_default();
        let complaints = log.lines().filter(|line| line.contains("[ERR]") || line.contains("[WRN]"));
        complaints.map(str::to_owned).collect()
    }

    /// The link from one node to another.
    pub fn between(&self, from: usize, to: usize) -> &Link {
        &self.between[from][to]
    }

    pub fn kill(&mut self, number: usize) {
        self.stop(number, false);
        let node = &mut self.nodes[number];
        node.address = None;
        if let Some(mut child) = node.child.take() {
            signal(child.id().unwrap(), "KILL");
            // Its ports are free, and its files are closed, when this returns.
            while child.try_wait().unwrap().is_none() {
                std::thread::yield_now();
            }
        }
    }

    /// Starts one that was killed, on its own files.
    pub async fn restart(&mut self, number: usize) {
        if self.nodes[number].child.is_none() {
            self.begin(number);
            self.arrived(number).await;
        }
    }

    /// Stops it without ending it, or lets it go on.
    pub fn stop(&mut self, number: usize, stopped: bool) {
        let node = &mut self.nodes[number];
        if let Some(child) = node.child.as_ref().filter(|_| node.stopped != stopped) {
            signal(child.id().unwrap(), if stopped { "STOP" } else { "CONT" });
            node.stopped = stopped;
        }
    }

    /// Everything runs and reaches everything.
    pub async fn mend(&mut self) {
        for row in &self.between {
            row.iter().for_each(Link::mend);
        }
        for number in 0..self.count() {
            self.stop(number, false);
            self.restart(number).await;
        }
        self.ready().await;
    }

    /// A client of this server.
    pub async fn client(&self, number: usize) -> async_nats::Client {
        let address = self.address(number).expect("it runs");
        connect(address, self.login).await
    }

    /// A client of the first server with this name and password.
    pub async fn client_of(&self, user: &'static str, password: &'static str) -> async_nats::Client {
        connect(self.address(0).expect("it runs"), Some((user, password))).await
    }

    /// Has the leader of the stream be another one. Whether that came about is not looked at.
    pub async fn move_leader(&self) {
        let Some(number) = (0..self.count()).find(|number| self.is_running(*number)) else { return };
        let step_down = async {
            let client = self.client(number).await;
            let subject = format!("$JS.API.STREAM.LEADER.STEPDOWN.{STREAM}");
            let _ = client.request(subject, "".into()).await;
        };
        let _ = timeout(Duration::from_secs(10), step_down).await;
    }

    /// The messages of this subject, in their order, once all servers have the same.
    pub async fn messages(&self, subject: &str) -> Vec<jetstream::message::StreamMessage> {
        let client = self.client(0).await;
        let context = jetstream::new(client.clone());
        let (stream, state) = poll("the stream on all servers", async || {
            let mut stream = context.get_stream(STREAM).await.ok()?;
            let info = stream.info().await.ok()?.clone();
            let replicas = info.cluster.map(|cluster| cluster.replicas).unwrap_or_default();
            let same = replicas.iter().all(|replica| replica.current && replica.lag.unwrap_or_default() == 0);
            same.then_some((stream, info.state))
        })
        .await;
        let mut all = Vec::new();
        // Nothing is ever deleted from it here.
        for sequence in state.first_sequence..=state.last_sequence {
            let message =
                poll("a message of the stream", async || stream.get_raw_message(sequence).await.ok());
            all.push(message.await);
        }
        all.retain(|message| message.subject.as_str() == subject);
        all
    }

    fn begin(&mut self, number: usize) {
        let node = &self.nodes[number];
        let folder = &node.folder.0;
        let file = folder.join("server.conf");
        std::fs::write(&file, self.configuration(number)).unwrap();
        let errors = std::fs::File::options().append(true).create(true).open(folder.join("log")).unwrap();
        let child = tokio::process::Command::new(program().expect("looked for before"))
            .arg("--config")
            .arg(file)
            .stdout(Stdio::null())
            .stderr(errors)
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        self.nodes[number].child = Some(child);
    }

    fn configuration(&self, number: usize) -> String {
        let folder = self.nodes[number].folder.0.display();
        let mut text = format!(
            "server_name: n{number}\nlisten: \"127.0.0.1:-1\"\nports_file_dir: \"{folder}\"\n\
             jetstream {{ store_dir: \"{folder}/store\", sync_interval: always, max_mem: 64M, max_file: 1G }}\n{}\n",
            self.extra
        );
        if self.count() > 1 {
            let others = (0..self.count()).filter(|other| *other != number);
            let routes: Vec<_> = others
                .map(|other| format!("\"nats-route://{}\"", self.between[number][other].address))
                .collect();
            let routes = routes.join(", ");
            let more = format!("advertise: \"{NOBODY}\", no_advertise: true, routes: [{routes}]");
            writeln!(text, "cluster {{ name: c, listen: \"127.0.0.1:-1\", {more} }}").unwrap();
        }
        text
    }

    /// Waits until it has said where it listens, and leads the links there.
    async fn arrived(&mut self, number: usize) {
        let node = &mut self.nodes[number];
        let process = node.child.as_ref().and_then(Child::id).expect("it was started");
        let file = node.folder.0.join(format!("nats-server_{process}.ports"));
        let ports: Value = poll("the ports of a server", async || {
            let text = std::fs::read(&file).ok()?;
            serde_json::from_slice(&text).ok()
        })
        .await;
        let port_of = |name: &str| {
            let url = ports[name][0].as_str()?;
            url.rsplit_once(':')?.1.parse::<u16>().ok()
        };
        node.address = Some(([127, 0, 0, 1], port_of("nats").expect("a port for clients")).into());
        if let Some(port) = port_of("cluster") {
            for from in 0..self.count() {
                self.between[from][number].lead_to(([127, 0, 0, 1], port).into());
            }
        }
    }

    /// Waits until streams can be made: the servers have a leader.
    async fn ready(&self) {
        for number in 0..self.count() {
            let client = self.client(number).await;
            poll("the leader of the servers", async || {
                let answer = timeout(Duration::from_secs(1), client.request("$JS.API.INFO", "".into())).await;
                let answer: Value = serde_json::from_slice(&answer.ok()?.ok()?.payload).ok()?;
                answer["error"].is_null().then_some(())
            })
            .await;
        }
    }
}

async fn connect(server: SocketAddr, login: Option<(&str, &str)>) -> async_nats::Client {
    let options = ConnectOptions::new();
    let options = match login {
        // What is answered to a user may be its own to read, as it is for gateways.
        Some((user, password)) => options
            .user_and_password(user.to_owned(), password.to_owned())
            .custom_inbox_prefix(format!("_INBOX.{user}")),
        None => options,
    };
    options.connect(format!("nats://{server}")).await.unwrap()
}
