//! Problems that a gateway reports about itself: its runtime does not run, an agent can't work, logs or the audit log can't be
//! written, the cluster can't be reached; and that a session's machine is away.

use serde_json::Value;

use super::machines::{Away, AwayMachine};
use crate::wire::time;

/// The method of the notification that carries the report.
pub const METHOD: &str = "pilothouse.health";

/// The problems in a report; none by default.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Health {
    /// A problem with the runtime.
    pub runtime: Option<RuntimeTrouble>,
    /// The agents that can't work.
    pub agents: Vec<AgentTrouble>,
    /// A problem with the logs.
    pub logs: Option<LogTrouble>,
    /// A problem with the audit log.
    pub audit: Option<Trouble>,
    /// A problem with the connection to the cluster.
    pub cluster: Option<Trouble>,
    /// The machine of the session that the report is for, if it can't be reached.
    pub away: Option<AwayMachine>,
}

/// The runtime does not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeTrouble {
    /// The reason, in the gateway's words.
    pub problem: String,
    /// Milliseconds since 1970 when that began.
    pub since: Option<i64>,
    /// The gateway is starting the runtime or connecting to it.
    pub starting: bool,
    /// How many attempts have failed.
    pub attempts: i64,
    /// When the next attempt is due, in milliseconds since 1970.
    pub next: Option<i64>,
    /// The last lines that the runtime printed.
    pub output: Vec<String>,
}

/// An agent can't be started, or wants a sign-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentTrouble {
    /// Its name.
    pub agent: String,
    /// The reason, in the gateway's words.
    pub problem: String,
    /// Milliseconds since 1970 when that began.
    pub since: Option<i64>,
    /// The last lines that it printed.
    pub output: Vec<String>,
}

/// Logs can't be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogTrouble {
    /// The reason, in the gateway's words.
    pub problem: String,
    /// Milliseconds since 1970 when that began.
    pub since: Option<i64>,
    /// How many sessions' logs are affected.
    pub sessions: i64,
}

/// Something does not work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// The reason, in the gateway's words.
    pub problem: String,
    /// Milliseconds since 1970 when that began.
    pub since: Option<i64>,
}

/// Whether a gateway's report contains a problem.
pub fn is_wrong(report: &Value) -> bool {
    ["runtime", "logs", "audit", "cluster"].iter().any(|of| report[*of]["problem"].is_string())
        || report["agents"].is_array()
        || away(report).is_some()
}

/// The machine of the session that the report is for, if it can't be reached.
pub fn away(report: &Value) -> Option<AwayMachine> {
    let away = &report["away"];
    let Away { since } = Away::of(&away["since"]).unwrap_or(Away { since: None });
    away["machine"].as_str().map(|name| AwayMachine { name: name.to_owned(), since })
}

/// The report in a notification, which is given as JSON text.
pub fn report(notification: &str) -> Option<Value> {
    let mut message = serde_json::from_str::<Value>(notification).ok()?;
    message.get_mut("params").map(Value::take)
}

impl Health {
    /// Reads a report; fields that are missing or of another type count as absent.
    pub fn of(report: &Value) -> Self {
        let problem = |of: &Value| of["problem"].as_str().map(str::to_owned);
        let at = |time: &Value| time.as_str().and_then(time::parse_iso);
        let (runtime, logs) = (&report["runtime"], &report["logs"]);
        let trouble = |of: &Value| problem(of).map(|problem| Trouble { problem, since: at(&of["since"]) });
        let lines = |lines: &Vec<Value>| lines.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        let output = |of: &Value| of["output"].as_array().map(lines).unwrap_or_default();
        let agent = |of: &Value| {
            let agent = of["agent"].as_str()?.to_owned();
            Some(AgentTrouble { agent, problem: problem(of)?, since: at(&of["since"]), output: output(of) })
        };
        Self {
            runtime: problem(runtime).map(|problem| RuntimeTrouble {
                problem,
                since: at(&runtime["since"]),
                starting: runtime["state"] == "starting",
                attempts: runtime["attempts"].as_i64().unwrap_or_default(),
                next: at(&runtime["nextAttemptAt"]),
                output: output(runtime),
            }),
            agents: report["agents"].as_array().into_iter().flatten().filter_map(agent).collect(),
            logs: problem(logs).map(|problem| LogTrouble {
                problem,
                since: at(&logs["since"]),
                sessions: logs["sessions"].as_i64().unwrap_or(1),
            }),
            audit: trouble(&report["audit"]),
            cluster: trouble(&report["cluster"]),
            away: away(report),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{AgentTrouble, Health, is_wrong};

    #[test]
    fn only_a_problem_is_one() {
        for report in [
            json!(null),
            json!({}),
            json!({"runtime": {"state": "running"}, "logs": null}),
            json!({"runtime": {"state": "starting"}}),
            json!({"runtime": {"problem": 1}, "logs": []}),
            json!({"cluster": null, "away": null}),
            json!({"cluster": {}, "away": {"since": "2026-11-23T22:30:00.000Z"}}),
        ] {
            assert!(!is_wrong(&report), "{report}");
            assert_eq!(Health::of(&report), Health::default());
        }
    }

    #[test]
    fn a_report_is_read() {
        let report = json!({
            "runtime": {
                "state": "waiting", "problem": "it ended", "since": "2026-11-23T22:30:00.000Z", "attempts": 3,
                "nextAttemptAt": "2026-11-23T22:30:04.000Z", "output": ["last words", 7],
            },
            "logs": {"problem": "no space", "since": "no time", "sessions": 2},
            "audit": {"problem": "no space"},
        });
        assert!(is_wrong(&report));
        assert!(is_wrong(&json!({"audit": {"problem": "no space"}})));
        let Health { runtime, logs, audit, .. } = Health::of(&report);
        assert_eq!(audit.unwrap().problem, "no space");
        let (runtime, logs) = (runtime.unwrap(), logs.unwrap());
        assert_eq!(
            (runtime.attempts, runtime.starting, runtime.output),
            (3, false, vec!["last words".to_owned()])
        );
        assert_eq!(runtime.next.unwrap() - runtime.since.unwrap(), 4_000);
        assert_eq!((logs.sessions, logs.since), (2, None));
    }

    #[test]
    fn the_agents_that_can_not_work_are_read() {
        let report = json!({"runtime": {"state": "running"}, "agents": [
            {"agent": "codex", "problem": "it needs a sign-in", "since": "2026-11-23T22:30:00.000Z", "output": ["no token"]},
            {"agent": 1, "problem": "it ended"},
            {"agent": "gemini"},
        ]});
        assert!(is_wrong(&report));
        let Health { agents, runtime, .. } = Health::of(&report);
        assert!(runtime.is_none());
        let read = |agent: &AgentTrouble| (agent.agent.clone(), agent.output.len(), agent.since.is_some());
        assert_eq!(agents.iter().map(read).collect::<Vec<_>>(), [("codex".to_owned(), 1, true)]);
    }

    #[test]
    fn the_cluster_and_the_machine_of_a_session_are_read() {
        let since = "2026-11-23T22:30:00.000Z";
        let report = json!({
            "cluster": {"problem": "no server answers", "since": since},
            "away": {"machine": "ws", "since": since},
        });
        let Health { cluster, away, .. } = Health::of(&report);
        let (cluster, away) = (cluster.unwrap(), away.unwrap());
        assert_eq!((cluster.problem.as_str(), away.name.as_str()), ("no server answers", "ws"));
        assert!(away.since.is_some() && away.since == cluster.since);
        assert!(is_wrong(&json!({"cluster": {"problem": "another gateway has this name"}})));
        assert!(is_wrong(&json!({"away": {"machine": "ws"}})));
    }
}
