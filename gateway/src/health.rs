//! The gateway's own health, reported to all clients: a runtime that is not there, an agent that can't work, logs that can't be
//! written, an audit log that can't.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use pilothouse_core::model::health::METHOD;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::time;

/// The gateway's health. Clones share one state.
#[derive(Clone, Debug)]
pub struct Health(Arc<watch::Sender<Report>>);

/// The health at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    runtime: RuntimeReport,
    /// The agents that speak ACP, by name, and the trouble with each.
    agents: BTreeMap<String, Option<AgentTrouble>>,
    /// The trouble with each log that can't be written, by session id.
    logs: BTreeMap<String, OngoingProblem>,
    /// The trouble with the audit log.
    audit: Option<OngoingProblem>,
    /// The trouble with the cluster.
    cluster: Option<OngoingProblem>,
    /// The machine of the session, if it is away, and since when.
    away: Option<(String, SystemTime)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct RuntimeReport {
    stage: RuntimeStage,
    trouble: Option<OngoingProblem>,
    /// How many attempts have failed since the trouble began.
    attempts: u32,
    next: Option<SystemTime>,
    output: Vec<String>,
}

/// An agent can't be started, or wants a sign-in.
#[derive(Clone, Debug, PartialEq, Eq)]
struct AgentTrouble {
    trouble: OngoingProblem,
    output: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum RuntimeStage {
    #[default]
    Starting,
    Running,
    Waiting,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct OngoingProblem {
    since: SystemTime,
    problem: String,
}

impl OngoingProblem {
    /// Sets or ends a problem. It began when it began, whatever its words are now.
    fn set(known: &mut Option<Self>, problem: Option<&str>) {
        let since = known.take().map_or_else(SystemTime::now, |known| known.since);
        *known = problem.map(|problem| Self { since, problem: problem.to_owned() });
    }

    fn json(&self) -> Value {
        json!({"problem": self.problem, "since": time::text(self.since)})
    }
}

impl Default for Health {
    /// The runtime is being started, and nothing is wrong.
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(Report::default())))
    }
}

impl Health {
    /// Notifies of every change.
    pub fn follow(&self) -> watch::Receiver<Report> {
        self.0.subscribe()
    }

    /// The runtime is being started or connected to. An earlier problem stays until the runtime runs.
    pub fn starting(&self) {
        self.change(|report| {
            report.runtime.stage = RuntimeStage::Starting;
            report.runtime.next = None;
        });
    }

    /// The start takes so long that something must be wrong.
    pub fn slow(&self, problem: &str, output: Vec<String>) {
        self.change(|report| report.runtime.is_wrong(problem, output));
    }

    /// The runtime runs.
    pub fn running(&self) {
        self.change(|report| {
            report.runtime = RuntimeReport { stage: RuntimeStage::Running, ..RuntimeReport::default() }
        });
    }

    /// The runtime does not run. The next attempt is at `next`; `tried` says whether an attempt has failed
    /// now.
    pub fn waiting(&self, problem: &str, output: Vec<String>, tried: bool, next: SystemTime) {
        self.change(|report| {
            report.runtime.is_wrong(problem, output);
            report.runtime.stage = RuntimeStage::Waiting;
            report.runtime.attempts += u32::from(tried);
            report.runtime.next = Some(next);
        });
    }

    /// There is this agent, which is started when somebody needs it. Nothing is wrong with it as far as is known.
    pub fn add_agent(&self, name: &str) {
        self.change(|report| _ = report.agents.entry(name.to_owned()).or_default());
    }

    /// This agent can't work because of `problem`, as `output` may say; or (none) it can.
    pub fn agent(&self, name: &str, problem: Option<&str>, output: Vec<String>) {
        self.change(|report| {
            let known = report.agents.entry(name.to_owned()).or_default();
            let mut trouble = known.take().map(|known| known.trouble);
            OngoingProblem::set(&mut trouble, problem);
            *known = trouble.map(|trouble| AgentTrouble { trouble, output });
        });
    }

    /// A session's log can't be written because of `problem`, or (none) can be written again.
    pub fn log(&self, session_id: &str, problem: Option<&str>) {
        self.change(|report| match problem {
            None => _ = report.logs.remove(session_id),
            Some(problem) => {
                let fresh = || OngoingProblem { since: SystemTime::now(), problem: String::new() };
                let known = report.logs.entry(session_id.to_owned()).or_insert_with(fresh);
                problem.clone_into(&mut known.problem);
            }
        });
    }

    /// The audit log can't be written because of `problem`, or (none) can be written again.
    pub fn audit(&self, problem: Option<&str>) {
        self.change(|report| OngoingProblem::set(&mut report.audit, problem));
    }

    /// This gateway's part of the cluster does not work because of `problem`, or (none) works again.
    pub fn cluster(&self, problem: Option<&str>) {
        self.change(|report| OngoingProblem::set(&mut report.cluster, problem));
    }

    /// The machine whose health this is has been away since then, or (none) is there again.
    pub fn away(&self, machine: &str, since: Option<SystemTime>) {
        self.change(|report| report.away = since.map(|since| (machine.to_owned(), since)));
    }

    fn change(&self, change: impl FnOnce(&mut Report)) {
        self.0.send_if_modified(|report| {
            let before = report.clone();
            change(report);
            *report != before
        });
    }
}

impl RuntimeReport {
    fn is_wrong(&mut self, problem: &str, output: Vec<String>) {
        let since = self.trouble.as_ref().map_or_else(SystemTime::now, |trouble| trouble.since);
        self.trouble = Some(OngoingProblem { since, problem: problem.to_owned() });
        self.output = output;
    }

    fn json(&self) -> Value {
        let state = match self.stage {
            RuntimeStage::Starting => "starting",
            RuntimeStage::Running => "running",
            RuntimeStage::Waiting => "waiting",
        };
        let Some(trouble) = &self.trouble else {
            return json!({"state": state});
        };
        json!({
            "state": state,
            "problem": trouble.problem,
            "since": time::text(trouble.since),
            "attempts": self.attempts,
            "nextAttemptAt": self.next.map(time::text),
            "output": self.output,
        })
    }
}

impl Report {
    /// Whether the runtime runs.
    pub fn runtime_runs(&self) -> bool {
        self.runtime.stage == RuntimeStage::Running
    }

    /// How many agents speak ACP.
    pub fn acp_agents(&self) -> usize {
        self.agents.len()
    }

    /// How many of them can't work.
    pub fn agents_with_problem(&self) -> usize {
        self.agents.values().filter(|trouble| trouble.is_some()).count()
    }

    /// Whether a session's log can't be written.
    pub fn logs_have_problem(&self) -> bool {
        !self.logs.is_empty()
    }

    /// Whether this gateway's part of the cluster does not work.
    pub fn cluster_has_problem(&self) -> bool {
        self.cluster.is_some()
    }

    /// Whether anything is wrong.
    pub fn is_wrong(&self) -> bool {
        let problems = [&self.runtime.trouble, &self.audit, &self.cluster];
        let is_own = problems.into_iter().any(Option::is_some) || self.agents_with_problem() > 0;
        is_own || !self.logs.is_empty() || self.away.is_some()
    }

    /// The report as clients get it.
    pub fn json(&self) -> Value {
        let first = self.logs.values().min_by_key(|trouble| trouble.since);
        let logs = first.map(|trouble| {
            json!({"problem": trouble.problem, "since": time::text(trouble.since), "sessions": self.logs.len()})
        });
        let mut report = json!({"runtime": self.runtime.json(), "logs": logs});
        let agents = self.agents.iter().filter_map(|(name, trouble)| {
            let AgentTrouble { trouble, output } = trouble.as_ref()?;
            let mut agent = trouble.json();
            (agent["agent"], agent["output"]) = (name.as_str().into(), json!(output));
            Some(agent)
        });
        let agents: Vec<_> = agents.collect();
        if !agents.is_empty() {
            report["agents"] = agents.into();
        }
        for (part, problem) in [("audit", &self.audit), ("cluster", &self.cluster)] {
            if let Some(problem) = problem {
                report[part] = problem.json();
            }
        }
        if let Some((machine, since)) = &self.away {
            report["away"] = json!({"machine": machine, "since": time::text(*since)});
        }
        report
    }

    /// The notification with this report.
    pub fn note(&self) -> String {
        json!({"jsonrpc": "2.0", "method": METHOD, "params": self.json()}).to_string()
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::Health;
    use serde_json::json;

    #[test]
    fn the_trouble_began_when_it_began_however_often_it_is_tried() {
        let health = Health::default();
        let mut follow = health.follow();
        let mut report = || follow.borrow_and_update().json();
        assert_eq!(report(), json!({"runtime": {"state": "starting"}, "logs": null}));
        health.running();
        health.waiting("it ended", vec!["last words".to_owned()], false, SystemTime::UNIX_EPOCH);
        let first = report();
        let runtime = &first["runtime"];
        assert_eq!((&runtime["state"], &runtime["attempts"]), (&json!("waiting"), &json!(0)));
        assert_eq!(runtime["nextAttemptAt"], "1970-01-01T00:00:00.000Z");
        health.starting();
        health.waiting("no such file", Vec::new(), true, SystemTime::UNIX_EPOCH);
        let second = report();
        assert_eq!(second["runtime"]["since"], runtime["since"]);
        assert_eq!(second["runtime"]["problem"], "no such file");
        assert_eq!(second["runtime"]["attempts"], 1);
        health.running();
        assert_eq!(report(), json!({"runtime": {"state": "running"}, "logs": null}));
    }

    #[test]
    fn an_agent_is_reported_as_long_as_it_can_not_work() {
        let health = Health::default();
        let follow = health.follow();
        health.add_agent("codex");
        health.add_agent("gemini");
        assert!(!follow.borrow().is_wrong() && follow.borrow().json().get("agents").is_none());
        health.agent("codex", Some("it ended"), vec!["no licence".to_owned()]);
        let since = follow.borrow().json()["agents"][0]["since"].clone();
        health.agent("codex", Some("it needs a sign-in"), Vec::new());
        let expected =
            json!([{"agent": "codex", "problem": "it needs a sign-in", "since": since, "output": []}]);
        assert_eq!(follow.borrow().json()["agents"], expected);
        assert!(follow.borrow().is_wrong());
        assert_eq!((follow.borrow().acp_agents(), follow.borrow().agents_with_problem()), (2, 1));
        health.agent("codex", None, Vec::new());
        assert!(!follow.borrow().is_wrong());
    }

    #[test]
    fn an_audit_log_that_can_not_be_written_is_reported() {
        let health = Health::default();
        let follow = health.follow();
        health.audit(Some("no space"));
        let since = follow.borrow().json()["audit"]["since"].clone();
        health.audit(Some("still none"));
        assert_eq!(follow.borrow().json()["audit"], json!({"problem": "still none", "since": since}));
        assert!(follow.borrow().is_wrong());
        health.audit(None);
        assert!(!follow.borrow().is_wrong() && follow.borrow().json().get("audit").is_none());
    }

    #[test]
    fn logs_are_counted_until_they_are_written_again() {
        let health = Health::default();
        let follow = health.follow();
        health.log("a", Some("no space"));
        health.log("b", Some("no space"));
        health.log("a", Some("still none"));
        let logs = follow.borrow().json()["logs"].clone();
        assert_eq!((&logs["sessions"], &logs["problem"]), (&json!(2), &json!("still none")));
        assert!(follow.borrow().is_wrong());
        health.log("a", None);
        health.log("b", None);
        health.log("never heard of", None);
        assert!(!follow.borrow().is_wrong());
        assert!(follow.borrow().json()["logs"].is_null());
    }
}
