//! The cluster: a log of all machines' sessions in NATS `JetStream`, beside the files. Each session has one writer, which the log
//! itself keeps: it takes a message only behind the newest one that its writer knows. docs/protocol.md has the names,
//! docs/design/cluster.md the reasons.
//!
//! Reading order: [`message`] (what is in the log) → [`mod@claim`] (where a writer goes on) → [`lease`] (whom to ask) →
//! [`publisher`] (journal to log) → [`reader`] (log to journal).

pub mod claim;
pub mod lease;
pub mod message;
pub mod publisher;
pub mod reader;

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use async_nats::jetstream::context::{CreateStreamError, CreateStreamErrorKind};
use async_nats::jetstream::stream::{self, LastRawMessageErrorKind, StorageType};
use async_nats::jetstream::{self, ErrorCode, kv};
use async_nats::{Client, ConnectOptions, Event, ServerAddr};
use bytes::Bytes;
use nkeys::KeyPair;
use percent_encoding::percent_decode_str;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tracing::{info, warn};
use uuid::Uuid;

use super::Journal;
use crate::private_file::PrivateFile;
use claim::{Claim, GAP, OwnJournal, claim};
use message::{LastMessage, STREAM, SUBJECTS};

/// The machines, each with its lease.
pub const MACHINES: &str = "pilothouse-machines";
/// What the board shows of each session.
pub const SESSIONS: &str = "pilothouse-sessions";
/// How long a session's first event waits for the cluster after the start. Later ones do not, while it is away.
const PATIENCE: Duration = Duration::from_secs(5);
/// Of the log, where there are as many servers.
const COPIES: usize = 3;
const ATTEMPTS: usize = 3;
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(300);
const LOG_ID: &str = "log-id";

/// How the cluster is reached.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The servers' addresses.
    pub servers: Vec<ServerAddr>,
    /// The file with this gateway's credentials.
    pub credentials: Option<PathBuf>,
    /// The name of this machine.
    pub machine: String,
}

/// Why it can't be a part of the cluster.
#[derive(Debug)]
pub enum StartError {
    /// The credentials can't be read.
    Credentials(PathBuf, String),
    /// The connection can't even be tried.
    Connection(String),
    /// The folder can't keep its id.
    Folder(PathBuf, std::io::Error),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Credentials(path, reason) => {
                write!(f, "can't use the credentials in {}: {reason}", path.display())
            }
            Self::Connection(reason) => write!(f, "can't connect to NATS: {reason}"),
            Self::Folder(folder, reason) => {
                write!(f, "can't keep the id of the logs in {}: {reason}", folder.display())
            }
        }
    }
}

/// This gateway's standing in the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// There is no connection since then.
    Away(SystemTime),
    /// There is one, and it is being found out who has this name.
    Joining,
    /// The same, and it has failed so far, for this reason.
    NotJoined(String),
    /// Another gateway has this name, since then.
    NameTaken(String),
    /// It has its name, and may write.
    Member,
}

/// This gateway's part of the cluster.
pub struct Cluster {
    /// The connection.
    pub client: Client,
    /// The same for streams.
    pub context: jetstream::Context,
    /// The name of this machine.
    pub machine: String,
    /// The id of this process.
    pub process: String,
    /// Signs the calls of this process.
    pub keys: KeyPair,
    log: String,
    standing: watch::Sender<Standing>,
    began: Instant,
    sessions: Mutex<HashMap<String, Progress>>,
    /// Messages and bytes that were published, and sessions that can't be.
    pub counts: publisher::Counts,
}

/// How far a session is published.
#[derive(Clone, Debug)]
pub struct Progress {
    journal: Arc<dyn Journal>,
    /// The newest position that the cluster has acknowledged.
    published: u64,
    /// Why it can't be published.
    problem: Option<String>,
}

/// What joining told of a session.
#[derive(Debug)]
pub enum Joined {
    /// It was told before.
    Known,
    /// It goes on, its new positions from this one if there is one.
    GoesOn {
        /// The smallest position for new events.
        first: Option<u64>,
    },
    /// Its journal lacks these entries, and then goes on from this position.
    Lacks {
        /// The entries.
        missing: super::Entries,
        /// The smallest position for new events.
        first: u64,
    },
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster").field("machine", &self.machine).finish_non_exhaustive()
    }
}

impl Cluster {
    /// Begins to connect. `folder`: where the logs are, if they are anywhere.
    pub async fn start(settings: &Settings, folder: Option<&Path>) -> Result<Arc<Self>, StartError> {
        let standing = watch::Sender::new(Standing::Away(SystemTime::now()));
        let events = standing.clone();
        let mut options = ConnectOptions::new()
            .name(format!("pilothouse {}", settings.machine))
            .retry_on_initial_connect()
            .ping_interval(Duration::from_secs(5))
            // Permissions can keep others from reading what is answered to this machine.
            .custom_inbox_prefix(format!("_INBOX.{}", settings.machine))
            .event_callback(move |event| {
                let events = events.clone();
                async move { follow(&events, &event) }
            });
        // The client itself leaves out what an address says of this.
        if let Some(server) = settings.servers.iter().find(|server| server.has_user_pass()) {
            let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
            let name = decoded(server.username().unwrap_or_default());
            options = match server.password() {
                Some(password) => options.user_and_password(name, decoded(password)),
                None => options.token(name),
            };
        }
        if let Some(path) = &settings.credentials {
            let error = |error: std::io::Error| StartError::Credentials(path.clone(), error.to_string());
            let text = std::fs::read_to_string(path).map_err(error)?;
            options = options.credentials(&text).map_err(error)?;
        }
        let client = options.connect(settings.servers.as_slice()).await;
        let client = client.map_err(|error| StartError::Connection(error.to_string()))?;
        let log = match folder {
            Some(folder) => log_id(folder).map_err(|error| StartError::Folder(folder.to_owned(), error))?,
            None => Uuid::new_v4().to_string(),
        };
        Ok(Arc::new(Self {
            context: jetstream::new(client.clone()),
            client,
            machine: settings.machine.clone(),
            process: Uuid::new_v4().to_string(),
            keys: KeyPair::new_user(),
            log,
            standing,
            began: Instant::now(),
            sessions: Mutex::default(),
            counts: publisher::Counts::default(),
        }))
    }

    /// Notifies of its standing.
    pub fn standing(&self) -> watch::Receiver<Standing> {
        self.standing.subscribe()
    }

    /// Returns once it may write.
    pub async fn member(&self) {
        // The sender is here, so there is no error.
        let _ = self.standing().wait_for(|standing| *standing == Standing::Member).await;
    }

    /// What is wrong; none if nothing is.
    pub fn problem(&self) -> Option<String> {
        match &*self.standing.borrow() {
            Standing::Away(_) => return Some("there is no connection to NATS".to_owned()),
            Standing::NameTaken(since) => {
                return Some(format!(
                    "another gateway is \"{}\" in the cluster since {since}, so nothing of this one is in its log; give this one \
                     another --name, or end the other",
                    self.machine
                ));
            }
            Standing::NotJoined(reason) => {
                return Some(format!("this gateway can't join the cluster yet: {reason}"));
            }
            Standing::Joining | Standing::Member => {}
        }
        let sessions = self.sessions();
        sessions
            .iter()
            .find_map(|(id, progress)| Some(format!("session {id}: {}", progress.problem.as_ref()?)))
    }

    /// Whether all of a session is in the cluster's log, or can't be brought there now.
    pub fn is_done_with(&self, session_id: &str) -> bool {
        let sessions = self.sessions();
        let behind = sessions.get(session_id).is_some_and(|progress| {
            progress.problem.is_none() && progress.published < progress.journal.position().length
        });
        !behind || *self.standing.borrow() != Standing::Member
    }

    /// The sessions of which something is not in the cluster's log.
    pub fn behind(&self) -> Vec<String> {
        let sessions = self.sessions();
        let behind = sessions.iter().filter(|(_, progress)| {
            progress.problem.is_none() && progress.published < progress.journal.position().length
        });
        behind.map(|(id, _)| id.clone()).collect()
    }

    /// Returns once nothing is late, or can't be published now.
    pub async fn published_all(&self) {
        while *self.standing.borrow() == Standing::Member && !self.behind().is_empty() {
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// How many positions are not in the cluster's log.
    pub fn late(&self) -> u64 {
        let sessions = self.sessions();
        let lags = sessions
            .values()
            .map(|progress| progress.journal.position().length.saturating_sub(progress.published));
        lags.sum()
    }

    /// Up to where a session is published.
    pub fn published(&self, session_id: &str) -> u64 {
        self.sessions().get(session_id).map_or(0, |progress| progress.published)
    }

    /// Finds out where this session goes on, before this process writes its journal, and has it published from then on.
    /// `is_new`: no process has written it before.
    pub async fn join(
        self: &Arc<Self>,
        session_id: &str,
        journal: &Arc<dyn Journal>,
        is_new: bool,
    ) -> Joined {
        if self.sessions().contains_key(session_id) {
            return Joined::Known;
        }
        let Some(subject) = message::subject(&self.machine, session_id) else {
            return Joined::GoesOn { first: None }; // it has no log file either
        };
        let length = journal.position().length;
        let (joined, after) =
            if is_new { (Joined::GoesOn { first: None }, 0) } else { self.ask(&subject, length).await };
        let first = match &joined {
            Joined::Lacks { first, .. } | Joined::GoesOn { first: Some(first) } => *first,
            Joined::Known | Joined::GoesOn { first: None } => length + 1,
        };
        let progress = Progress { journal: Arc::clone(journal), published: after, problem: None };
        let mut sessions = self.sessions();
        if sessions.contains_key(session_id) {
            return Joined::Known; // somebody else was faster
        }
        sessions.insert(session_id.to_owned(), progress);
        drop(sessions);
        tokio::spawn(publisher::publish(
            Arc::clone(self),
            session_id.to_owned(),
            subject,
            Arc::clone(journal),
            first,
        ));
        joined
    }

    async fn ask(&self, subject: &str, length: u64) -> (Joined, u64) {
        let unknown = (Joined::GoesOn { first: Some(length + GAP) }, 0);
        let mut standing = self.standing();
        let wait = PATIENCE.saturating_sub(self.began.elapsed());
        let is_connected = !matches!(*standing.borrow(), Standing::Away(_));
        let wait = if is_connected { wait.max(PATIENCE / 2) } else { wait };
        let decided =
            standing.wait_for(|standing| matches!(standing, Standing::Member | Standing::NameTaken(_)));
        if !timeout(wait, decided)
            .await
            .is_ok_and(|standing| standing.is_ok_and(|standing| *standing == Standing::Member))
        {
            return unknown;
        }
        for _ in 0..ATTEMPTS {
            match self.claim_first(subject, length).await {
                Ok(claimed) => return claimed,
                // A leader has moved just now, or what was read is not the newest.
                Err(reason) => warn!(subject, reason, "can't find where a session goes on"),
            }
            sleep(BETWEEN_ATTEMPTS).await;
        }
        unknown
    }

    /// Claims a subject before anything is written into its journal. What was read is the newest only if a message can be written
    /// behind it, so that comes first.
    async fn claim_first(&self, subject: &str, length: u64) -> Result<(Joined, u64), String> {
        let last = self.last(subject).await?;
        let gone = if last.is_none() { self.published_before(subject).await } else { 0 };
        let own = OwnJournal { log: &self.log, writer: &self.process, length, first_given: None };
        let claim = claim(&own, last.as_ref(), gone);
        let (behind, position) = last.map_or((0, gone), |last| (last.sequence, last.position));
        let written = publisher::write(self, subject, behind, position, None, Bytes::new()).await;
        written.map_err(|(_, reason)| reason)?;
        let joined = match claim {
            Claim::Publish { .. } | Claim::Conflict => Joined::GoesOn { first: None },
            Claim::TakeOver { first } => {
                let missing = reader::all_after(self, subject, length).await?;
                Joined::Lacks { missing, first }
            }
        };
        Ok((joined, position))
    }

    /// Up to where a subject was published of which the stream has let go, as this machine's entry of the session says.
    async fn published_before(&self, subject: &str) -> u64 {
        let entry = async {
            let store = self.context.get_key_value(SESSIONS).await.ok()?;
            let entry = store.get(subject.strip_prefix("pilothouse.log.")?).await.ok()??;
            serde_json::from_slice::<serde_json::Value>(&entry).ok()?["published"].as_u64()
        };
        entry.await.unwrap_or_default()
    }

    /// The newest message of a subject, as the stream's leader has it; none if there is none.
    pub async fn last(&self, subject: &str) -> Result<Option<LastMessage>, String> {
        let stream = self.context.get_stream_no_info(STREAM).await.map_err(|error| error.to_string())?;
        match stream.get_last_raw_message_by_subject(subject).await {
            Ok(message) => Ok(Some(LastMessage::read(message.sequence, &message.headers))),
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    /// A bucket, which is made where it is missing, with as many copies as the stream has.
    pub async fn bucket(&self, config: kv::Config) -> Result<kv::Store, String> {
        if let Ok(store) = self.context.get_key_value(&config.bucket).await {
            return Ok(store);
        }
        let num_replicas = self.make_stream().await?;
        let name = config.bucket.clone();
        let made = self.context.create_key_value(kv::Config { num_replicas, ..config }).await;
        match made {
            Ok(store) => Ok(store),
            // Another gateway may have made it meanwhile.
            Err(error) => self.context.get_key_value(&name).await.map_err(|_| error.to_string()),
        }
    }

    /// Makes the stream where it is missing. One that is there is used as it is. Gives the number of its copies. A cluster whose
    /// other servers are not there yet gets none: one with a single copy would keep it, and be away with its server.
    async fn make_stream(&self) -> Result<usize, String> {
        let config = stream::Config {
            name: STREAM.to_owned(),
            subjects: vec![SUBJECTS.to_owned()],
            storage: StorageType::File,
            allow_direct: true,
            num_replicas: COPIES,
            description: Some("The events of Pilothouse's sessions".to_owned()),
            ..stream::Config::default()
        };
        let made = match self.context.get_or_create_stream(config.clone()).await {
            Err(error) if has_code(&error, ErrorCode::STREAM_REPLICAS_NOT_SUPPORTED) => {
                let config = stream::Config { num_replicas: 1, ..config };
                self.context.get_or_create_stream(config).await
            }
            made => made,
        };
        let made = made.map_err(|error| {
            if has_code(&error, ErrorCode::CLUSTER_NO_PEERS) {
                format!(
                    "the log has {COPIES} copies, and there are fewer servers of NATS; start the others, or make the stream {STREAM} with \
                     fewer copies (docs/machines.md)"
                )
            } else {
                error.to_string()
            }
        })?;
        let num_replicas = made.cached_info().config.num_replicas;
        info!(stream = STREAM, num_replicas, "the cluster's log is there");
        Ok(num_replicas)
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<String, Progress>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_published(&self, session_id: &str, position: u64) {
        if let Some(progress) = self.sessions().get_mut(session_id) {
            progress.published = position;
        }
    }

    fn set_problem(&self, session_id: &str, problem: &str) {
        if let Some(progress) = self.sessions().get_mut(session_id) {
            progress.problem = Some(problem.to_owned());
        }
        self.standing.send_modify(|_| {}); // whoever reports problems looks again
    }
}

/// Whether the server refused with this code. A server that is not in a cluster has one for more copies than one.
fn has_code(error: &CreateStreamError, code: ErrorCode) -> bool {
    matches!(error.kind(), CreateStreamErrorKind::JetStream(error) if error.error_code() == code)
}

/// Follows the connection.
fn follow(standing: &watch::Sender<Standing>, event: &Event) {
    match event {
        Event::Connected => {
            info!("connected to NATS");
            standing.send_replace(Standing::Joining);
        }
        Event::Disconnected | Event::Closed => {
            warn!("the connection to NATS is lost; it is made again");
            standing.send_if_modified(|standing| {
                let was_here = !matches!(standing, Standing::Away(_));
                if was_here {
                    *standing = Standing::Away(SystemTime::now());
                }
                was_here
            });
        }
        other => warn!(event = %other, "NATS"),
    }
}

/// The id of a folder's logs, which is made once.
fn log_id(folder: &Path) -> std::io::Result<String> {
    super::lock::create_folder(folder)?;
    let file = PrivateFile::new(folder.join(LOG_ID));
    let known = String::from_utf8(file.read()?).unwrap_or_default();
    if Uuid::parse_str(known.trim()).is_ok() {
        return Ok(known.trim().to_owned());
    }
    let made = Uuid::new_v4().to_string();
    file.write(made.as_bytes())?;
    Ok(made)
}
