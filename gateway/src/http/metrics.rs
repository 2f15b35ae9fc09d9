//! `/metrics` for Prometheus, and `/readyz`, which says whether the gateway can do its work now.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use axum::Router;
use axum::extract::{Extension, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::Value;

use super::screen::Visitor;
use super::state::AppState;
use crate::access::Role;
use crate::metrics::Snapshot;
use crate::time;

/// The format `OpenMetrics`, which Prometheus asks for.
const TEXT: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The parts of which one is enough.
const AGENTS: [&str; 2] = ["runtime", "agents"];

/// The routes of an address of their own (`--metrics`), where nobody signs in.
pub fn own_routes(state: AppState) -> Router {
    Router::new()
        .route("/metrics", get(|State(state)| async { text(state).await }))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .with_state(state)
}

/// Serves `GET /metrics` to operators.
pub async fn metrics(
    State(state): State<AppState>,
    Extension(Visitor(role)): Extension<Visitor>,
) -> Response {
    match role {
        Some(Role::Operator) => text(state).await,
        Some(Role::Viewer) => (StatusCode::FORBIDDEN, "metrics are for operators\n").into_response(),
        None => {
            let challenge = [(header::WWW_AUTHENTICATE, "Bearer realm=\"pilothouse\"")];
            (StatusCode::UNAUTHORIZED, challenge, "metrics are for operators\n").into_response()
        }
    }
}

/// Serves `GET /readyz`: 200, or 503 with a reason on each line. It has no texts of the runtime, since everybody may ask. As long as
/// one agent can work, the gateway can.
pub async fn ready(State(state): State<AppState>) -> Response {
    let can_work = can_work(&state);
    let mut reasons: Vec<_> = problems(&state)
        .into_iter()
        .filter(|(part, has_problem)| *has_problem && !(can_work && AGENTS.contains(part)))
        .map(|(part, _)| format!("{part}: not working\n"))
        .collect();
    if *state.stopping.borrow() {
        reasons.push("the gateway ends\n".to_owned());
    }
    if reasons.is_empty() {
        return "ready\n".into_response();
    }
    (StatusCode::SERVICE_UNAVAILABLE, reasons.concat()).into_response()
}

async fn text(state: AppState) -> Response {
    let mut rows = state.sessions.summaries().await;
    if let (Some(machines), Value::Array(rows)) = (state.sessions.machines(), &mut rows) {
        // Each machine counts its own.
        rows.retain(|row| row["machine"] == machines.name());
    }
    let mut now = snapshot(&rows, time::milliseconds());
    let metrics = state.sessions.metrics();
    for session in state.sessions.all() {
        now.viewers += session.viewers();
        metrics.received(session.received.take());
        metrics.delivered(session.delivered.take());
        session.take_waits().into_iter().for_each(|waited| metrics.waited(waited));
    }
    let limits = state.access.limits();
    (now.streams, now.most_streams) = (limits.open_streams(), limits.capacity().streams);
    now.problems = problems(&state);
    now.cluster = state.sessions.machines().map(|machines| machines.take_counts()).unwrap_or_default();
    if let Some(folder) = state.logs.clone() {
        let measured = tokio::task::spawn_blocking(move || size_of_files(&folder));
        now.log_bytes = measured.await.unwrap_or_default();
    }
    ([(header::CONTENT_TYPE, TEXT), (header::CACHE_CONTROL, "no-store")], metrics.text(now)).into_response()
}

/// The parts that there are, and whether each has a problem.
fn problems(state: &AppState) -> Vec<(&'static str, bool)> {
    let mut parts = Vec::new();
    if let Some(health) = state.sessions.health() {
        let report = health.borrow();
        if state.sessions.agent().is_some() {
            parts.extend([("runtime", !report.runtime_runs()), ("logs", report.logs_have_problem())]);
        }
        if report.acp_agents() > 0 {
            parts.push(("agents", report.agents_with_problem() > 0));
        }
        if state.sessions.machines().is_some() {
            parts.push(("cluster", report.cluster_has_problem()));
        }
    }
    if let Some(problem) = state.access.audit().follow() {
        parts.push(("audit", problem.borrow().is_some()));
    }
    parts
}

/// Whether any agent can work: the runtime, or one that speaks ACP.
fn can_work(state: &AppState) -> bool {
    let Some(health) = state.sessions.health() else { return true };
    let report = health.borrow();
    let has_runtime = state.sessions.agent_names().len() > report.acp_agents();
    (has_runtime && report.runtime_runs()) || report.agents_with_problem() < report.acp_agents()
}

/// What the rows of the list say, at this time in milliseconds since 1970.
fn snapshot(rows: &Value, at: i64) -> Snapshot {
    let mut now = Snapshot::default();
    for row in rows.as_array().into_iter().flatten() {
        let status =
            if row["stored"] == true { "stored" } else { row["status"].as_str().unwrap_or_default() };
        count(&mut now.sessions, status);
        for request in row["requests"].as_array().into_iter().flatten() {
            count(&mut now.requests, request["kind"].as_str().unwrap_or_default());
            let waited = request["since"].as_i64().map_or(0, |since| (at - since).max(0));
            now.oldest_request = now.oldest_request.max(Duration::from_millis(waited.unsigned_abs()));
        }
    }
    now
}

fn count(counts: &mut HashMap<String, i64>, name: &str) {
    *counts.entry(name.to_owned()).or_default() += 1;
}

/// In bytes. What can't be read does not count.
fn size_of_files(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = files.filter_map(|file| file.metadata().ok()).filter(std::fs::Metadata::is_file);
    sizes.map(|about| about.len()).sum()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::snapshot;

    #[test]
    fn rows_are_counted_by_status_and_the_oldest_request_counts() {
        let rows = json!([
            {"status": "waiting", "requests": [{"kind": "permission", "since": 5_000}, {"kind": "permission", "since": 9_000}]},
            {"status": "waiting", "requests": [{"kind": "user_input", "since": null}]},
            {"status": "idle", "stored": true},
            {"status": "running", "requests": []},
        ]);
        let now = snapshot(&rows, 12_500);
        let of = |state: &str| now.sessions.get(state).copied();
        assert_eq!(
            (of("waiting"), of("stored"), of("running"), of("idle")),
            (Some(2), Some(1), Some(1), None)
        );
        assert_eq!((now.requests["permission"], now.requests["user_input"]), (2, 1));
        assert_eq!(now.oldest_request.as_millis(), 7_500);
    }
}
