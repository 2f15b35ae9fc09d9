//! Gateways in processes of their own, each with a link to each server of NATS.

use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::Child;
use tokio::time::timeout;

use super::folder::Folder;
use super::link::Link;
use super::nats::Servers;
use super::network::PATIENCE;
use super::pages::{OPERATOR, VIEWER};
use super::waiting::signal;

/// A gateway, or the place where one was. It is ended when this is dropped.
pub struct Machine {
    pub name: &'static str,
    pub folder: Folder,
    /// To each server.
    pub links: Vec<Link>,
    /// Its name and password at the servers, as in an address; else empty.
    pub login: &'static str,
    runtime: Option<SocketAddr>,
    child: Option<Child>,
    stopped: bool,
    address: Option<SocketAddr>,
    errors: Arc<Mutex<String>>,
}

impl Drop for Machine {
    /// Where a test fails, what the gateway said helps.
    fn drop(&mut self) {
        if std::thread::panicking() {
            super::seeds::say(&format!("gateway {}:\n{}", self.name, self.errors()));
        }
    }
}

impl Machine {
    /// One that does not run yet. It drives the runtime at this address; one without a runtime only shows.
    pub async fn new(name: &'static str, runtime: Option<SocketAddr>, servers: &Servers) -> Self {
        let mut links = Vec::new();
        for number in 0..servers.count() {
            let link = Link::new().await;
            link.lead_to(servers.address(number).expect("it runs"));
            links.push(link);
        }
        Self {
            name,
            folder: Folder::new(),
            links,
            login: "",
            runtime,
            child: None,
            stopped: false,
            address: None,
            errors: Arc::default(),
        }
    }

    /// Where it listens, while it runs and is not stopped.
    pub fn address(&self) -> Option<SocketAddr> {
        self.address.filter(|_| self.child.is_some())
    }

    pub fn is_running(&self) -> bool {
        self.child.is_some()
    }

    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    pub fn process(&self) -> Option<u32> {
        self.child.as_ref()?.id()
    }

    /// What it has said on standard error.
    pub fn errors(&self) -> String {
        self.errors.lock().unwrap().clone()
    }

    /// Ready when this returns; the servers may be away.
    pub async fn start(&mut self) -> Result<SocketAddr, String> {
        self.start_with(&[]).await
    }

    /// The same, with these arguments as well.
    pub async fn start_with(&mut self, arguments: &[&str]) -> Result<SocketAddr, String> {
        let servers: Vec<_> =
            self.links.iter().map(|link| format!("nats://{}{}", self.login, link.address)).collect();
        // With the signal ignored, a file that grows over its limit is an error, as on a full disk.
        let mut command = tokio::process::Command::new("sh");
        command.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_pilothouse"), "serve"]);
        command.args(["--listen", "127.0.0.1:0", "--name", self.name, "--nats", &servers.join(",")]);
        if let Some(runtime) = self.runtime {
            command.arg(format!("--copilot={runtime}")).arg("--data").arg(&self.folder.0);
        }
        let mut child = command
            .args(arguments)
            .env("PILOTHOUSE_TOKEN", OPERATOR)
            .env("PILOTHOUSE_VIEWER_TOKEN", VIEWER)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| error.to_string())?;
        let mut errors = child.stderr.take().ok_or("no standard error")?;
        let said = Arc::clone(&self.errors);
        tokio::spawn(async move {
            let mut bytes = vec![0; 4096];
            while let Ok(count @ 1..) = errors.read(&mut bytes).await {
                said.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..count]));
            }
        });
        let mut out = BufReader::new(child.stdout.take().ok_or("no output")?);
        let mut line = String::new();
        let read = timeout(PATIENCE, out.read_line(&mut line)).await;
        read.map_err(|_| format!("{} does not start", self.name))?.map_err(|error| error.to_string())?;
        // What it may print later has a reader.
        tokio::spawn(async move {
            let mut rest = Vec::new();
            let _ = out.read_to_end(&mut rest).await;
        });
        self.child = Some(child);
        self.stopped = false;
        self.address = line.trim().strip_prefix("http://").and_then(|address| address.parse().ok());
        self.address.ok_or_else(|| format!("{} said {line:?}; {}", self.name, self.errors()))
    }

    /// Ends it without a chance to tidy up. Its folder is free when this returns.
    pub async fn kill(&mut self) {
        self.address = None;
        self.stopped = false;
        if let Some(mut child) = self.child.take() {
            child.kill().await.unwrap();
        }
    }

    /// Stops it without ending it, or lets it go on.
    pub fn stop(&mut self, stopped: bool) {
        if self.stopped != stopped
            && let Some(process) = self.process()
        {
            signal(process, if stopped { "STOP" } else { "CONT" });
            self.stopped = stopped;
        }
    }

    /// Limits how large its files may become, as a full disk does; none lifts the limit.
    pub fn limit(&self, bytes: Option<u64>) {
        let soft = bytes.map_or_else(|| "unlimited".to_owned(), |bytes| bytes.to_string());
        if let Some(process) = self.process() {
            let limit = std::process::Command::new("prlimit")
                .args([&format!("--pid={process}"), &format!("--fsize={soft}:unlimited")])
                .status();
            assert!(limit.unwrap().success());
        }
    }

    /// Its servers are out of reach, or are reached again.
    pub fn cut_off(&self, cut: bool) {
        for link in &self.links {
            if cut { link.cut() } else { link.mend() }
        }
    }
}
