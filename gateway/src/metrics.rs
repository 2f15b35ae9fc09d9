//! What the gateway counts about itself, in Prometheus' text format (`OpenMetrics` 1.0). docs/gateway.md lists the names.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use pilothouse_core::protocol::RequestKind;
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

/// In seconds: from what a person does not notice to what ends most connections.
const CALLS: [f64; 11] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];
/// In seconds: from an answer at once to one on the next day.
const WAITS: [f64; 10] = [1.0, 5.0, 15.0, 30.0, 60.0, 300.0, 900.0, 3600.0, 14_400.0, 86_400.0];

/// The statuses of a session; a stored one has none.
const STATUSES: [&str; 6] = ["running", "waiting", "idle", "error", "ended", "stored"];
/// How attempts to send a message to a device end.
const PUSHES: [&str; 7] = ["delivered", "ended", "later", "unreachable", "unanswered", "refused", "too_long"];

/// What becomes of spans.
const SPANS: [&str; 3] = ["delivered", "dropped", "refused"];

/// The counters of a gateway. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Metrics(Arc<Registered>);

#[derive(Debug)]
struct Registered {
    registry: Registry,
    received: Traffic,
    delivered: Traffic,
    calls: Family<CallLabels, Histogram, fn() -> Histogram>,
    waits: Histogram,
    pushes: Family<OutcomeLabel, Counter>,
    spans: Family<OutcomeLabel, Counter>,
    sessions: Family<StateLabel, Gauge>,
    requests: Family<KindLabel, Gauge>,
    oldest_request: Gauge,
    viewers: Gauge,
    streams: Gauge,
    most_streams: Gauge,
    log_bytes: Gauge,
    problems: Family<PartLabel, Gauge>,
    published_messages: Counter,
    published_bytes: Counter,
    published_again: Counter,
    late: Gauge,
    machines: Family<StateLabel, Gauge>,
}

#[derive(Clone, Debug, Default)]
struct Traffic {
    events: Counter,
    bytes: Counter,
}

/// The labels of a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    method: String,
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabel {
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StateLabel {
    state: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct KindLabel {
    kind: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PartLabel {
    part: &'static str,
}

/// What there is at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// How many sessions there are of each status.
    pub sessions: HashMap<String, i64>,
    /// How many requests of each kind wait for a person.
    pub requests: HashMap<String, i64>,
    /// How long the oldest of them has waited.
    pub oldest_request: Duration,
    /// How many clients watch a session, each session for itself.
    pub viewers: usize,
    /// How many WebSockets and event streams are open.
    pub streams: usize,
    /// How many there may be.
    pub most_streams: usize,
    /// How large the sessions' logs are on disk.
    pub log_bytes: u64,
    /// The parts that have a problem, of those that there are.
    pub problems: Vec<(&'static str, bool)>,
    /// The cluster, if there is one.
    pub cluster: ClusterSnapshot,
}

/// This gateway's part of the cluster. The counts are those since the last snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClusterSnapshot {
    /// How many positions are not in its log yet.
    pub late: u64,
    /// Messages that were published.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// How often a session's publishing began again.
    pub again: u64,
    /// The other machines that are there.
    pub here: usize,
    /// Those that are away.
    pub away: usize,
}

impl Default for Registered {
    fn default() -> Self {
        let mut all = Self {
            registry: Registry::with_prefix("pilothouse"),
            received: Traffic::default(),
            delivered: Traffic::default(),
            calls: Family::new_with_constructor(|| Histogram::new(CALLS)),
            waits: Histogram::new(WAITS),
            pushes: Family::default(),
            spans: Family::default(),
            sessions: Family::default(),
            requests: Family::default(),
            oldest_request: Gauge::default(),
            viewers: Gauge::default(),
            streams: Gauge::default(),
            most_streams: Gauge::default(),
            log_bytes: Gauge::default(),
            problems: Family::default(),
            published_messages: Counter::default(),
            published_bytes: Counter::default(),
            published_again: Counter::default(),
            late: Gauge::default(),
            machines: Family::default(),
        };
        let r = &mut all.registry;
        r.register(
            "received_events",
            "Lines that came from agents and recordings",
            all.received.events.clone(),
        );
        r.register_with_unit("received", "Their size", Unit::Bytes, all.received.bytes.clone());
        r.register("delivered_events", "Lines that were given to viewers", all.delivered.events.clone());
        r.register_with_unit(
            "delivered",
            "Their size, before compression",
            Unit::Bytes,
            all.delivered.bytes.clone(),
        );
        r.register_with_unit(
            "call",
            "How long calls took, by what became of them",
            Unit::Seconds,
            all.calls.clone(),
        );
        r.register_with_unit(
            "request_wait",
            "How long requests waited that have ended since the start",
            Unit::Seconds,
            all.waits.clone(),
        );
        r.register("push_messages", "Attempts to send messages to devices", all.pushes.clone());
        r.register("spans", "Spans for the collector of --otlp", all.spans.clone());
        r.register("sessions", "Sessions by status", all.sessions.clone());
        r.register("requests_open", "Requests that wait for a person, by kind", all.requests.clone());
        r.register_with_unit(
            "request_oldest",
            "How long the oldest open request has waited",
            Unit::Seconds,
            all.oldest_request.clone(),
        );
        r.register("viewers", "Clients that watch a session, each session for itself", all.viewers.clone());
        r.register("streams", "WebSockets and event streams that are open", all.streams.clone());
        r.register("streams_limit", "How many may be open (--max-streams)", all.most_streams.clone());
        r.register_with_unit("log", "The sessions' logs on disk", Unit::Bytes, all.log_bytes.clone());
        for outcome in PUSHES {
            drop(all.pushes.get_or_create(&OutcomeLabel { outcome }));
        }
        for outcome in SPANS {
            drop(all.spans.get_or_create(&OutcomeLabel { outcome }));
        }
        r.register("problem", "1 if this part has a problem, else 0", all.problems.clone());
        r.register(
            "cluster_published_messages",
            "Messages that were written into the cluster's log",
            all.published_messages.clone(),
        );
        r.register_with_unit("cluster_published", "Their size", Unit::Bytes, all.published_bytes.clone());
        r.register(
            "cluster_published_again",
            "How often a session had to be published from its last known position again",
            all.published_again.clone(),
        );
        r.register("cluster_late_events", "Events that are not in the cluster's log yet", all.late.clone());
        r.register("machines", "Other machines of the cluster that drive an agent", all.machines.clone());
        all
    }
}

impl Traffic {
    fn add(&self, (events, bytes): (u64, u64)) {
        self.events.inc_by(events);
        self.bytes.inc_by(bytes);
    }
}

impl Metrics {
    /// So many lines, with so many bytes, came from an agent.
    pub fn received(&self, lines: (u64, u64)) {
        self.0.received.add(lines);
    }

    /// So many were given to viewers.
    pub fn delivered(&self, lines: (u64, u64)) {
        self.0.delivered.add(lines);
    }

    /// A call took so long. `method` must be one that is known, since each makes a series of its own.
    pub fn call(&self, method: &str, outcome: &'static str, took: Duration) {
        let labels = CallLabels { method: method.to_owned(), outcome };
        self.0.calls.get_or_create(&labels).observe(took.as_secs_f64());
    }

    /// A request waited so long.
    pub fn waited(&self, waited: Duration) {
        self.0.waits.observe(waited.as_secs_f64());
    }

    /// An attempt to send a message to a device ended so.
    pub fn push(&self, outcome: &'static str) {
        self.0.pushes.get_or_create(&OutcomeLabel { outcome }).inc();
    }

    /// So many spans ended so: `delivered` to the collector, `dropped` because it could not be reached, `refused` by it.
    pub fn spans(&self, outcome: &'static str, count: usize) {
        self.0.spans.get_or_create(&OutcomeLabel { outcome }).inc_by(count as u64);
    }

    /// All of it as text, with what there is now.
    pub fn text(&self, now: Snapshot) -> String {
        let all = &self.0;
        // What there is none of now is 0, and what is not known is not there.
        all.sessions.clear();
        for state in STATUSES {
            drop(all.sessions.get_or_create(&StateLabel { state: state.to_owned() }));
        }
        for (state, count) in now.sessions {
            all.sessions.get_or_create(&StateLabel { state }).set(count);
        }
        all.requests.clear();
        for kind in RequestKind::ALL {
            drop(all.requests.get_or_create(&KindLabel { kind: kind.word().to_owned() }));
        }
        for (kind, count) in now.requests {
            all.requests.get_or_create(&KindLabel { kind }).set(count);
        }
        let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        all.oldest_request.set(whole(now.oldest_request.as_secs()));
        all.viewers.set(count(now.viewers));
        all.streams.set(count(now.streams));
        all.most_streams.set(count(now.most_streams));
        all.log_bytes.set(whole(now.log_bytes));
        for (part, has_problem) in now.problems {
            all.problems.get_or_create(&PartLabel { part }).set(has_problem.into());
        }
        let cluster = now.cluster;
        all.published_messages.inc_by(cluster.messages);
        all.published_bytes.inc_by(cluster.bytes);
        all.published_again.inc_by(cluster.again);
        all.late.set(whole(cluster.late));
        for (state, machines) in [("here", cluster.here), ("away", cluster.away)] {
            all.machines.get_or_create(&StateLabel { state: state.to_owned() }).set(count(machines));
        }
        let mut text = String::new();
        if text::encode(&mut text, &all.registry).is_err() {
            let _ = writeln!(text, "# it can't be written"); // writing into a String can't fail
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Metrics, Snapshot};

    #[test]
    fn what_is_gone_is_not_counted_any_more_and_counters_go_on() {
        let metrics = Metrics::default();
        metrics.received((3, 400));
        metrics.call("session.send", "done", Duration::from_millis(30));
        metrics.waited(Duration::from_secs(70));
        metrics.push("delivered");
        let now = |state: &str| Snapshot {
            sessions: [(state.to_owned(), 2)].into(),
            problems: vec![("runtime", state == "waiting")],
            ..Snapshot::default()
        };
        let text = metrics.text(now("waiting"));
        for line in [
            "pilothouse_received_events_total 3",
            "pilothouse_received_bytes_total 400",
            "pilothouse_sessions{state=\"waiting\"} 2",
            "pilothouse_call_seconds_bucket{le=\"0.05\",method=\"session.send\",outcome=\"done\"} 1",
            "pilothouse_request_wait_seconds_bucket{le=\"60.0\"} 0",
            "pilothouse_request_wait_seconds_bucket{le=\"300.0\"} 1",
            "pilothouse_push_messages_total{outcome=\"delivered\"} 1",
            "pilothouse_problem{part=\"runtime\"} 1",
        ] {
            assert!(text.lines().any(|one| one == line), "{line}\n{text}");
        }
        metrics.received((1, 1));
        let text = metrics.text(now("idle"));
        assert!(text.contains("pilothouse_sessions{state=\"waiting\"} 0"));
        assert!(text.contains("pilothouse_received_events_total 4"), "{text}");
        assert!(text.contains("pilothouse_problem{part=\"runtime\"} 0"));
    }
}
