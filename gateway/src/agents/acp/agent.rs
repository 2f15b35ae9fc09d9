//! An agent that speaks ACP: its one process, started when it is needed, and its sessions, which it makes, finds, opens again and
//! closes.
//!
//! Whose log is it? The gateway's: agents forget calls, thoughts, permissions. A session is loaded so that the agent remembers;
//! what it replays fills a log that is empty, and is left out otherwise.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pilothouse_core::model::agents;
use pilothouse_core::protocol::{ErrorReason, EventKind, RequestKind};
use serde_json::{Map, Value, json};
use tokio::sync::{Mutex as Turn, oneshot};
use tokio::task::JoinHandle;
use tracing::warn;
use uuid::Uuid;

use super::connection::{Failure, Outcome};
use super::event::SIGN_IN;
use super::known::{self, Quirks};
use super::listing::{ListedSession, Listing};
use super::options::{OptionCall, Options};
use super::process::{Process, StartFailure};
use super::replay::Logged;
use super::session::AcpSession;
use super::settings::AgentSettings;
use super::translation::{Input, SessionFacts, Translation};
use crate::agents::publishing::publish_stored;
use crate::agents::queue::Queue;
use crate::agents::recorder::{RecordedSession, Recorder, RecorderCommand};
use crate::agents::secrets::Secrets;
use crate::health::Health;
use crate::journal::store::{Store, StoredSession};
use crate::journal::{AGENT, AGENT_SESSION, Facts, files};
use crate::rpc::Fault;
use crate::sessions::Sessions;
use crate::sessions::session::Session;

/// The setting with a session's folder.
const FOLDER: &str = "workingDirectory";

/// An agent.
pub struct AcpAgent {
    /// How it is started; without a command it only shows what it did.
    pub settings: AgentSettings,
    /// All sessions of the gateway, this agent's among them.
    pub sessions: Sessions,
    /// Writes the journals.
    pub recorder: Recorder,
    /// What the gateway says of itself, this agent included.
    pub health: Health,
    /// What its sessions are told.
    pub health_of_sessions: Health,
    store: Arc<Store>,
    secrets: Secrets,
    links: Mutex<HashMap<String, Arc<AcpSession>>>,
    /// The sessions that it has listed and that nobody has opened here, by our id.
    listed: Mutex<HashMap<String, ListedSession>>,
    /// Our ids of sessions whose own id can't be one here, by the agent's.
    own_ids: Mutex<HashMap<String, String>>,
    process: Turn<Option<Arc<Process>>>,
    /// The models and modes of its newest session, which it tells in sessions only. They are kept beside the logs.
    models: Mutex<Value>,
    is_ending: AtomicBool,
    publishing: Mutex<Option<JoinHandle<()>>>,
}

impl std::fmt::Debug for AcpAgent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Its sessions have it as their agent.
        f.debug_struct("AcpAgent").field("name", &self.settings.name).finish_non_exhaustive()
    }
}

impl AcpAgent {
    /// An agent that has not been started, with its sessions among the stored ones.
    pub fn new(
        settings: AgentSettings,
        sessions: &Sessions,
        store: &Arc<Store>,
        stored: Vec<StoredSession>,
        (health, health_of_sessions): (Health, Health),
    ) -> std::io::Result<Arc<Self>> {
        let (recorder, items) = Recorder::new();
        let secrets = Secrets::of_environment();
        secrets.add_all(&json!({"env": settings.environment, "mcp": settings.mcp_servers}));
        if !settings.command.is_empty() {
            health.add_agent(&settings.name);
        }
        let models = stored_models(store, &settings.name);
        let agent = Arc::new(Self {
            settings,
            sessions: sessions.clone(),
            recorder: recorder.clone(),
            health,
            health_of_sessions,
            store: Arc::clone(store),
            secrets,
            links: Mutex::default(),
            listed: Mutex::default(),
            own_ids: Mutex::default(),
            process: Turn::default(),
            models: Mutex::new(models),
            is_ending: AtomicBool::new(false),
            publishing: Mutex::default(),
        });
        let mut ids = Vec::new();
        // No request outlives the process that asked, so none of them waits.
        for (id, facts, _) in stored {
            let session = agent.adopt(&id).session;
            if let Some(agent_id) = facts.agent_session.clone().filter(|agent_id| *agent_id != id) {
                lock(&agent.own_ids).insert(agent_id, id.clone());
            }
            session.merge_facts(facts);
            ids.push(id);
        }
        let adopting = Arc::clone(&agent);
        // No command is queued at these agents, so none is ever due.
        let (due, _) = tokio::sync::mpsc::unbounded_channel();
        Recorder::start(items, Arc::clone(store), move |id| adopting.adopt(id), due)?;
        if let Some(cluster) = store.cluster() {
            let finding = Arc::downgrade(&agent);
            let find = move |id: &str| finding.upgrade()?.find(id).map(|found| found.session);
            let task = publish_stored(ids, find, recorder, Arc::clone(store), Arc::clone(cluster));
            *lock(&agent.publishing) = Some(tokio::spawn(task));
        }
        Ok(agent)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.settings.name
    }

    /// What ties one of its sessions to it.
    pub fn link(&self, id: &str) -> Option<Arc<AcpSession>> {
        self.links().get(id).cloned()
    }

    /// Its session with this id.
    pub fn find(&self, id: &str) -> Option<RecordedSession> {
        let link = self.link(id)?;
        let session = self.sessions.find(Some(id))?;
        Some(RecordedSession { session, backlog: Arc::clone(&link.backlog) })
    }

    /// The models and modes that a session of it can have, as `models.list` has them; none before its first session.
    pub fn models(&self) -> Value {
        lock(&self.models).clone()
    }

    fn adopt(self: &Arc<Self>, id: &str) -> RecordedSession {
        let session = self.sessions.adopt(id, || {
            let link = AcpSession::new(id, self.recorder.clone());
            self.links().insert(id.to_owned(), Arc::new(link));
            Session::new(id, Facts::default(), Arc::clone(self) as _, self.store.journal(id))
        });
        // Another agent may have the id. Nobody reaches this one's session by it then.
        let backlog = self.link(id).map(|link| Arc::clone(&link.backlog)).unwrap_or_default();
        RecordedSession { session, backlog }
    }

    fn links(&self) -> MutexGuard<'_, HashMap<String, Arc<AcpSession>>> {
        lock(&self.links)
    }

    /// Notes whether it can work, for all that are told.
    fn report(&self, problem: Option<&str>, lines: &[String]) {
        for health in [&self.health, &self.health_of_sessions] {
            health.agent(self.name(), problem, lines.to_owned());
        }
    }

    /// The running process, which is started if there is none.
    async fn process(self: &Arc<Self>) -> Result<Arc<Process>, Fault> {
        let mut process = self.process.lock().await;
        if let Some(running) = process.as_ref().filter(|running| !running.connection.is_over()) {
            return Ok(Arc::clone(running));
        }
        let name = self.name();
        let down = |why: String| Err(Fault::new(ErrorReason::RuntimeDown, why));
        if self.is_ending.load(Ordering::Relaxed) {
            return down(format!("{name} is not there: the gateway ends; nothing was sent to it"));
        }
        if self.settings.command.is_empty() {
            return down(format!("{name} is not started here; start the gateway with --acp {name}=COMMAND"));
        }
        let number = Uuid::new_v4().simple().to_string().chars().take(8).collect();
        match Process::start(&self.settings, number, self.secrets.clone()).await {
            Ok(started) => {
                self.report(None, &[]);
                tokio::spawn(Arc::clone(self).follow(Arc::clone(&started)));
                *process = Some(Arc::clone(&started));
                if started.has("list") {
                    let (finding, started) = (Arc::clone(self), Arc::clone(&started));
                    tokio::spawn(async move { _ = finding.find_sessions(&started).await });
                }
                Ok(started)
            }
            Err(StartFailure { message, lines, has_run }) => {
                self.report(Some(&format!("it could not start: {message}")), &lines);
                warn!(agent = name, reason = message, "an agent could not start");
                let hint = match self.sign_in() {
                    _ if !has_run => format!(" Install it, or say where it is: --acp {name}=COMMAND."),
                    Some(command) => format!(" If it needs a sign-in, run: {command}."),
                    None => String::new(),
                };
                let said = if lines.is_empty() { String::new() } else { format!("\n{}", lines.join("\n")) };
                down(format!("{name} could not start: {message}.{hint}{said}"))
            }
        }
    }

    /// Waits for the end of a process, and ends what was open in it.
    async fn follow(self: Arc<Self>, process: Arc<Process>) {
        let how = process.ended().await;
        let last_lines = process.last_lines().await;
        let is_own =
            |link: &&Arc<AcpSession>| link.open().is_some_and(|(open, _)| Arc::ptr_eq(&open, &process));
        let open: Vec<_> = self.links().values().filter(is_own).cloned().collect();
        process.unroute_all();
        let name = self.name();
        if !self.is_ending.load(Ordering::Relaxed) {
            // Its sessions say so. It can work: it is started again when somebody needs it.
            warn!(agent = name, reason = how, "an agent has ended");
        }
        for link in open {
            let title = agents::title(name);
            let message = format!("{title} is gone: {how}. It is started again when somebody needs it.");
            if link.process_ended(&process, message, last_lines.clone()) {
                self.drop_queue(&link.id).await;
            }
        }
        self.sessions.notify_changed();
    }

    /// There is no queue for this session any more: a person decides on what waited in it.
    async fn drop_queue(&self, id: &str) {
        let waiting = self.recorder.waiting_ids(id).await;
        self.recorder.compare_backlog(id, waiting, Queue::default()).await;
    }

    /// What is in no queue any more is offered to a person.
    pub async fn compare_backlog(&self, link: &AcpSession) {
        let waiting = self.recorder.waiting_ids(&link.id).await;
        if !waiting.is_empty() {
            self.recorder.compare_backlog(&link.id, waiting, link.queue()).await;
        }
    }

    fn sign_in(&self) -> Option<&'static str> {
        known::named(self.name()).map(|known| known.sign_in)
    }

    async fn ask(&self, process: &Process, method: &str, params: &Value) -> Result<Value, Fault> {
        match process.connection.call(method, params).await {
            Ok(result) => Ok(result),
            Err(failure) => Err(self.fault(process, method, failure).await),
        }
    }

    async fn fault(&self, process: &Process, method: &str, failure: Failure) -> Fault {
        let name = self.name();
        match failure {
            Failure::Ended => {
                let words =
                    format!("{name} ended before it answered {method}; it is unknown what became of it");
                Fault::new(ErrorReason::UnknownOutcome, words)
            }
            Failure::Refused(error) if error.code == SIGN_IN => {
                let (words, lines) = (error.words_with(self.sign_in()), process.lines().await);
                self.report(Some(&words.replacen("It needs", "it needs", 1)), &lines);
                let mut said = vec![words.replacen("It needs", &format!("{name} needs"), 1)];
                said.extend(lines);
                Fault::new(ErrorReason::Internal, said.join("\n"))
            }
            Failure::Refused(error) => {
                Fault::new(ErrorReason::Internal, format!("{name} refused {method}: {}", error.words()))
            }
        }
    }

    fn translation(&self, process: &Process, agent_id: &str, folder: &str) -> Translation {
        let text = |name: &str| process.about["agentInfo"][name].as_str().map(str::to_owned);
        let called = text("name");
        let known = called.as_deref().and_then(known::of_agent_info).or_else(|| known::named(self.name()));
        let quirks: Quirks = known.map_or(known::PROTOCOL, |known| known.quirks);
        let facts = SessionFacts {
            session_id: agent_id.to_owned(),
            cwd: folder.to_owned(),
            agent_name: agents::title(self.name()).to_owned(),
            agent_version: text("version").unwrap_or_default(),
            sign_in: self.sign_in(),
        };
        Translation::new(facts, quirks)
    }

    /// Makes a session, whether or not the client stays. Returns its id.
    pub async fn create(self: &Arc<Self>, params: &Value) -> Result<String, Fault> {
        let (agent, params) = (Arc::clone(self), params.clone());
        to_its_end("it could not be made", async move { agent.create_now(&params).await }).await
    }

    async fn create_now(self: &Arc<Self>, params: &Value) -> Result<String, Fault> {
        let folder = self.folder(params[FOLDER].as_str())?;
        let process = self.process().await?;
        let asked = json!({"cwd": folder, "mcpServers": self.settings.mcp_servers});
        let answer = self.ask(&process, "session/new", &asked).await?;
        self.report(None, &[]);
        let Some(agent_id) = answer["sessionId"].as_str().map(str::to_owned) else {
            return Err(Fault::new(ErrorReason::Internal, format!("{} gave the session no id", self.name())));
        };
        let is_free = |id: &str| files::is_name(id) && self.sessions.find(Some(id)).is_none();
        let (id, session) = {
            // Its list may have come first.
            let mut listed = lock(&self.listed);
            let is_own = listed.remove(&agent_id).is_some() || is_free(&agent_id);
            let id = if is_own { agent_id.clone() } else { self.own_id(&agent_id) };
            let session = self.adopt(&id).session;
            (id, session)
        };
        let Some(link) = self.link(&id) else { return Err(Fault::unknown_session(&id)) };
        let stage = link.stage.lock().await;
        session.merge_facts(Facts { cwd: Some(folder.clone()), ..Facts::default() });
        self.recorder.load(&id).await;
        self.recorder.join_cluster(&self.store, &session, true).await;
        self.remember(&id, &agent_id, &folder);
        link.begin(&process, &agent_id, self.translation(&process, &agent_id, &folder));
        let opened = Arc::clone(&link);
        process.route(&agent_id, &link, move || opened.take(Input::Created(answer)));
        drop(stage);
        self.ended_meanwhile(&process, &link).await;
        self.read_models(&link);
        let text = |name: &str| params[name].as_str().filter(|text| !text.is_empty());
        let mode = text("mode").or(self.settings.mode.as_deref());
        self.choose(&link, "mode", mode, Options::set_mode).await;
        self.choose(&link, "model", text("model"), Options::set_model).await;
        self.choose(&link, "effort", text("reasoningEffort"), Options::set_effort).await;
        self.sessions.notify_changed();
        Ok(id)
    }

    /// The absolute path of a new session's folder.
    fn folder(&self, named: Option<&str>) -> Result<String, Fault> {
        let named = named.filter(|folder| !folder.is_empty()).map(PathBuf::from);
        let folder = named.or_else(|| self.settings.folder.clone()).unwrap_or_default();
        let here = std::env::current_dir().unwrap_or_default();
        let folder = here.join(folder);
        if !Path::is_dir(&folder) {
            let words = format!("there is no folder {}", folder.display());
            return Err(Fault::new(ErrorReason::InvalidParams, words));
        }
        // Without `.` and a `/` at the end.
        let folder: PathBuf = folder.components().collect();
        Ok(folder.to_string_lossy().into_owned())
    }

    /// Our id of a session whose own id can't be one here.
    fn own_id(&self, agent_id: &str) -> String {
        lock(&self.own_ids).entry(agent_id.to_owned()).or_insert_with(|| Uuid::new_v4().to_string()).clone()
    }

    fn remember(&self, id: &str, agent_id: &str, folder: &str) {
        let settings = [(AGENT, self.name()), (AGENT_SESSION, agent_id), (FOLDER, folder)];
        let settings: Map<_, _> =
            settings.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
        self.recorder.send(RecorderCommand::Settings(id.to_owned(), settings));
    }

    /// The process may have ended before the session was known as one of its own.
    async fn ended_meanwhile(&self, process: &Arc<Process>, link: &Arc<AcpSession>) {
        if process.connection.is_over() {
            let message = format!("{} is gone: {}", agents::title(self.name()), process.ended().await);
            if link.process_ended(process, message, process.last_lines().await) {
                self.drop_queue(&link.id).await;
            }
        }
    }

    fn read_models(&self, link: &AcpSession) {
        let takes_images = link.takes_images();
        let read = |translation: &Translation| models(translation.options(), "models", takes_images);
        if let Some(models) = link.read(read) {
            let mut known = lock(&self.models);
            if *known == models || models["models"] == json!([]) {
                return;
            }
            if let Some(file) = self.store.about_agent(self.name())
                && let Err(error) = file.write(models.to_string().as_bytes())
            {
                warn!(agent = self.name(), %error, "can't keep the names of its models");
            }
            *known = models;
        }
    }

    /// Sets an option of a new session. What the agent does not have is said in the session.
    async fn choose(
        &self,
        link: &Arc<AcpSession>,
        what: &str,
        wanted: Option<&str>,
        make: impl FnOnce(&Options, &str, &str) -> Option<OptionCall>,
    ) {
        let Some(wanted) = wanted else { return };
        let why = match link.set_option(|options, id| make(options, id, wanted)).await {
            Some(Ok(()) | Err(Failure::Ended)) => return,
            Some(Err(Failure::Refused(error))) => error.words(),
            None => format!("{} does not offer it", self.name()),
        };
        let message = format!("The {what} {wanted} was not set: {why}");
        link.write(EventKind::SessionWarning, json!({"warningType": "acp", "message": message}), false);
    }

    /// Opens a session if it is not open, whether or not the client stays.
    pub async fn open(self: &Arc<Self>, id: &str) -> Result<Arc<AcpSession>, Fault> {
        let (agent, id) = (Arc::clone(self), id.to_owned());
        to_its_end("it could not be opened", async move { agent.open_now(&id).await }).await
    }

    async fn open_now(self: &Arc<Self>, id: &str) -> Result<Arc<AcpSession>, Fault> {
        let link = self.link(id).ok_or_else(|| Fault::unknown_session(id))?;
        let stage = link.stage.lock().await;
        if let Some((process, _)) = link.open() {
            if !process.connection.is_over() {
                drop(stage);
                return Ok(link);
            }
            // It has just ended. What was open in it ends before anything begins in the next one.
            self.ended_meanwhile(&process, &link).await;
        }
        let process = self.process().await?;
        let session = self.sessions.find(Some(id)).ok_or_else(|| Fault::unknown_session(id))?;
        let settings = self.recorder.load(id).await;
        self.recorder.join_cluster(&self.store, &session, false).await;
        let text = |name: &str| settings.get(name).and_then(Value::as_str).map(str::to_owned);
        let listed = lock(&self.listed).get(id).cloned().unwrap_or_default();
        let of_list = Some(listed.agent_id).filter(|agent_id| !agent_id.is_empty());
        let agent_id = text(AGENT_SESSION).or(of_list).unwrap_or_else(|| id.to_owned());
        let folder = self.folder(text(FOLDER).or(listed.folder).as_deref())?;
        let log_is_empty = session.journal.position().length == 0;
        // A resume replays nothing: it can't fill a log, and nobody would hear that the session went on in another program.
        let method = if *process.capability("/loadSession") == true {
            "session/load"
        } else if process.has("resume") {
            "session/resume"
        } else {
            let words = format!("{} can't open sessions again; its log can be read", self.name());
            return Err(Fault::new(ErrorReason::MethodNotFound, words));
        };
        let log = (!log_is_empty).then(|| {
            let entries = session.journal.left_after(0);
            Logged::read(entries.iter().map(|(_, entry)| entry), session.journal.dropped().is_none())
        });
        if log_is_empty {
            self.remember(id, &agent_id, &folder);
        }
        link.begin(&process, &agent_id, self.translation(&process, &agent_id, &folder));
        end_what_was_open(&session, &link);
        self.drop_queue(id).await;
        let opening = Arc::clone(&link);
        process.route(&agent_id, &link, move || {
            opening.take(Input::LoadStarts { log });
        });
        let params = json!({"sessionId": agent_id, "cwd": folder, "mcpServers": self.settings.mcp_servers});
        let (done, loaded) = oneshot::channel();
        let loading = Arc::clone(&link);
        process.connection.begin(method, &params, move |outcome: Outcome| {
            // Before any later line: some agents go on replaying.
            match &outcome {
                Ok(result) => loading.take(Input::Loaded(Ok(result.clone()))),
                Err(Failure::Refused(error)) => loading.take(Input::Loaded(Err(error.clone()))),
                Err(Failure::Ended) => {}
            }
            let _ = done.send(outcome); // it is awaited below
        });
        match loaded.await.unwrap_or(Err(Failure::Ended)) {
            Ok(_) => {
                self.report(None, &[]);
                lock(&self.listed).remove(id);
                link.replayed().await;
                self.read_models(&link);
                drop(stage);
                self.ended_meanwhile(&process, &link).await;
                self.sessions.notify_changed();
                Ok(link)
            }
            Err(failure) => {
                process.unroute(&agent_id);
                link.end();
                Err(match failure {
                    Failure::Ended => {
                        let words = format!("{} ended before the session was open", self.name());
                        Fault::new(ErrorReason::RuntimeDown, words)
                    }
                    refused @ Failure::Refused(_) => self.fault(&process, method, refused).await,
                })
            }
        }
    }

    /// Asks for its sessions, and shows those that were made elsewhere. Returns how many it has; none where it does not list them.
    pub async fn discover(self: &Arc<Self>) -> Result<Option<usize>, Fault> {
        let process = self.process().await?;
        if !process.has("list") {
            return Ok(None);
        }
        match self.find_sessions(&process).await {
            Ok(count) => Ok(Some(count)),
            Err(failure) => Err(self.fault(&process, "session/list", failure).await),
        }
    }

    async fn find_sessions(self: &Arc<Self>, process: &Process) -> Result<usize, Failure> {
        let Listing { sessions, is_whole } = Listing::ask(&process.connection).await?;
        let count = sessions.len();
        let mut found = HashSet::new();
        for listed in sessions {
            let own = lock(&self.own_ids).get(&listed.agent_id).cloned();
            let id = match own {
                Some(id) => id,
                None if files::is_name(&listed.agent_id) => listed.agent_id.clone(),
                None => self.own_id(&listed.agent_id),
            };
            // Another agent of this gateway may have the same sessions.
            if self.sessions.find(Some(&id)).is_some() && self.link(&id).is_none() {
                continue;
            }
            // Not while one is being made, which this may be.
            let mut all = lock(&self.listed);
            let is_new = self.link(&id).is_none();
            let session = self.adopt(&id).session;
            let (title, cwd) = (listed.title.clone(), listed.folder.clone());
            let modified = listed.modified.clone();
            session.merge_facts(Facts { title, cwd, modified, ..Facts::default() });
            if is_new || all.contains_key(&id) {
                all.insert(id.clone(), listed);
            }
            drop(all);
            found.insert(id);
        }
        if is_whole {
            let gone: Vec<_> = lock(&self.listed).keys().filter(|id| !found.contains(*id)).cloned().collect();
            for id in gone {
                self.forget(&id);
            }
        }
        self.sessions.notify_changed();
        Ok(count)
    }

    /// A session of which there is nothing but the agent's word is gone.
    fn forget(&self, id: &str) {
        let Some(link) = self.link(id) else { return };
        // Not one that is being opened.
        if link.stage.try_lock().is_err() || link.is_open() {
            return;
        }
        lock(&self.listed).remove(id);
        self.links().remove(id);
        self.sessions.remove(id);
    }

    /// Deletes a session at the agent. What the gateway has in its log stays.
    pub async fn delete(self: &Arc<Self>, id: &str) -> Result<(), Fault> {
        let (agent, id) = (Arc::clone(self), id.to_owned());
        to_its_end("it could not be deleted", async move { agent.delete_now(&id).await }).await
    }

    async fn delete_now(self: &Arc<Self>, id: &str) -> Result<(), Fault> {
        let process = self.process().await?;
        if !process.has("delete") {
            let words = format!("this agent does not offer it: {} deletes no sessions", self.name());
            return Err(Fault::new(ErrorReason::MethodNotFound, words));
        }
        self.close_now(id).await?;
        let of_list = lock(&self.listed).get(id).map(|listed| listed.agent_id.clone());
        let agent_id = if let Some(agent_id) = of_list {
            agent_id
        } else {
            let settings = self.recorder.load(id).await;
            settings.get(AGENT_SESSION).and_then(Value::as_str).unwrap_or(id).to_owned()
        };
        self.ask(&process, "session/delete", &json!({"sessionId": agent_id})).await?;
        if lock(&self.listed).contains_key(id) {
            self.forget(id);
        }
        Ok(())
    }

    /// Closes a session at the agent, whether or not the client stays. Its log stays.
    pub async fn close(self: &Arc<Self>, id: &str) -> Result<(), Fault> {
        let (agent, id) = (Arc::clone(self), id.to_owned());
        to_its_end("it could not be closed", async move { agent.close_now(&id).await }).await
    }

    async fn close_now(self: &Arc<Self>, id: &str) -> Result<(), Fault> {
        let link = self.link(id).ok_or_else(|| Fault::unknown_session(id))?;
        let _stage = link.stage.lock().await;
        let Some((process, agent_id)) = link.open() else { return Ok(()) };
        // What waits is a person's decision, and is not sent once what runs is over.
        link.change_queue(Vec::clear);
        link.take(Input::Cancel);
        if process.has("close") {
            let closed = process.connection.call("session/close", &json!({"sessionId": agent_id})).await;
            if let Err(Failure::Refused(error)) = closed {
                warn!(agent = self.name(), session = id, error = error.words(), "it did not close a session");
            }
        }
        process.unroute(&agent_id);
        let message = "The session was closed while the agent worked.".to_owned();
        link.process_ended(&process, message, Vec::new());
        self.drop_queue(id).await;
        self.sessions.notify_changed();
        Ok(())
    }

    /// Returns when this session has something to show: its log, or else what the agent remembers.
    pub async fn ready(self: &Arc<Self>, id: &str) {
        let Some(found) = self.find(id) else { return };
        self.recorder.load(id).await;
        self.recorder.join_cluster(&self.store, &found.session, false).await;
        let is_empty = found.session.journal.position().length == 0;
        if let Some(link) = self.link(id).filter(|link| !is_empty && !link.is_open()) {
            let _stage = link.stage.lock().await;
            if !link.is_open() {
                end_what_was_open(&found.session, &link);
            }
        }
        if is_empty && !self.settings.command.is_empty() {
            // If that fails there is nothing to show; the reason is reported when somebody gives an order.
            let _ = self.open(id).await;
        }
    }

    /// Ends in order: the agent, then the journals.
    pub async fn stop(&self) {
        self.is_ending.store(true, Ordering::Relaxed);
        if let Some(task) = lock(&self.publishing).take() {
            task.abort();
        }
        if let Some(process) = self.process.lock().await.take() {
            process.end().await;
            for link in self.links().values() {
                let message = "The gateway has ended, and the agent with it.".to_owned();
                link.process_ended(&process, message, Vec::new());
            }
        }
        self.recorder.end().await;
    }
}

impl AcpAgent {
    /// Ends at once what has not been stopped in order.
    pub fn abandon(&self) {
        self.is_ending.store(true, Ordering::Relaxed);
        if let Ok(mut process) = self.process.try_lock()
            && let Some(process) = process.take()
        {
            process.connection.end();
        }
        self.recorder.send(RecorderCommand::End(oneshot::channel().0));
    }
}

/// Carries out work that goes on if the client leaves. `failed` is said if it breaks.
async fn to_its_end<T: Send + 'static>(
    failed: &str,
    work: impl Future<Output = Result<T, Fault>> + Send + 'static,
) -> Result<T, Fault> {
    tokio::spawn(work).await.unwrap_or_else(|_| Err(Fault::new(ErrorReason::Internal, failed)))
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The models that an agent had in a session before, as `models.list` has them.
fn stored_models(store: &Store, agent: &str) -> Value {
    let stored = store.about_agent(agent).and_then(|file| file.read().ok());
    let models = stored.and_then(|text| serde_json::from_slice::<Value>(&text).ok());
    models.filter(|models| models["models"].is_array()).unwrap_or_else(|| json!({"models": [], "modes": []}))
}

/// The models of a session, under this name, and its modes. `takes_images` is whether the agent takes pictures, where that is known.
pub fn models(options: &Options, name: &str, takes_images: Option<bool>) -> Value {
    let efforts: Vec<_> = options.efforts().iter().map(|effort| effort.id.as_str()).collect();
    let model = |choice: &super::options::Choice| {
        let mut model = json!({"id": choice.id, "name": choice.name});
        if takes_images == Some(false) {
            model["capabilities"] = json!({"supports": {"vision": false}});
        }
        if Some(choice.id.as_str()) == options.model() && !efforts.is_empty() {
            model["supportedReasoningEfforts"] = json!(efforts);
            model["defaultReasoningEffort"] = json!(options.effort());
        }
        model
    };
    json!({ name: options.models().iter().map(model).collect::<Vec<_>>(), "modes": options.mode_choices() })
}

/// Ends what was open when an earlier gateway was killed: no agent waits for an answer any more, and nothing runs.
fn end_what_was_open(session: &Session, link: &AcpSession) {
    let left = session.with_state(|state| {
        let entries = state.open_requests.iter().filter_map(|place| state.entry(*place));
        let open = entries.filter_map(|entry| Some((entry.id.clone(), entry.request()?.kind)));
        (open.collect::<Vec<_>>(), state.is_busy())
    });
    let (requests, is_busy) = left.unwrap_or_default();
    for (request_id, kind) in requests {
        let Some(closing) = kind.closed_by() else { continue };
        let mut data = json!({"requestId": request_id});
        match kind {
            RequestKind::Permission => {
                data["result"] = json!({"kind": "cancelled", "reason": "The agent has gone."});
            }
            RequestKind::Elicitation => data["action"] = "cancel".into(),
            RequestKind::ExitPlanMode => data["approved"] = false.into(),
            _ => {}
        }
        link.write(closing, data, false);
    }
    if is_busy {
        // This ends messages, calls and sub-agents as well.
        link.write(EventKind::Abort, json!({"reason": "the gateway ended while the agent worked"}), false);
        link.write(EventKind::SessionIdle, json!({"aborted": true}), true);
    }
}
