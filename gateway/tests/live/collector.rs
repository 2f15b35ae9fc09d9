//! A collector on loopback, which takes spans over OTLP/HTTP. What arrives is decoded with the types of the OpenTelemetry project, with
//! none of the product's code.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::trace::v1::Span;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::client::in_time;

/// What the collector does with a request.
#[derive(Clone, Copy, Debug)]
pub enum Answer {
    /// This status, with a header.
    Status(u16, (&'static str, &'static str)),
    /// Nothing, for ever.
    Silence,
}

/// A request as it arrived.
#[derive(Clone, Debug)]
pub struct Arrived {
    pub headers: HeaderMap,
    pub body: String,
}

/// The collector. Clones share one state.
#[derive(Clone)]
pub struct Collector {
    pub address: SocketAddr,
    facts: Arc<Mutex<Facts>>,
    count: Arc<watch::Sender<usize>>,
}

#[derive(Default)]
struct Facts {
    arrived: Vec<Arrived>,
    /// Those that were taken.
    spans: Vec<Span>,
    /// What is answered to the next requests; then 200.
    answers: VecDeque<Answer>,
}

impl Collector {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let collector = Self { address, facts: Arc::default(), count: Arc::new(watch::Sender::new(0)) };
        let routes = Router::new().route("/v1/traces", post(take)).with_state(collector.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
        collector
    }

    /// The next requests are answered so.
    pub fn answer(&self, answers: &[Answer]) {
        self.facts().answers.extend(answers);
    }

    /// All spans that were taken, once `enough`.
    pub async fn until(&self, what: &str, enough: impl Fn(&[Span]) -> bool) -> Vec<Span> {
        self.wait(what, |facts| enough(&facts.spans).then(|| facts.spans.clone())).await
    }

    /// All requests, once there are so many.
    pub async fn requests(&self, count: usize) -> Vec<Arrived> {
        let enough = |facts: &Facts| (facts.arrived.len() >= count).then(|| facts.arrived.clone());
        self.wait(&format!("{count} requests"), enough).await
    }

    /// All spans that were taken so far.
    pub fn spans(&self) -> Vec<Span> {
        self.facts().spans.clone()
    }

    async fn wait<T>(&self, what: &str, found: impl Fn(&Facts) -> Option<T>) -> T {
        let mut seen = self.count.subscribe();
        in_time(what, async {
            loop {
                seen.mark_unchanged();
                if let Some(found) = found(&self.facts()) {
                    return found;
                }
                seen.changed().await.unwrap();
            }
        })
        .await
    }

    fn facts(&self) -> MutexGuard<'_, Facts> {
        self.facts.lock().unwrap()
    }
}

async fn take(State(collector): State<Collector>, headers: HeaderMap, body: Bytes) -> Response {
    let body = String::from_utf8(body.to_vec()).unwrap();
    let request: ExportTraceServiceRequest = serde_json::from_str(&body).unwrap();
    let answer = {
        let mut facts = collector.facts();
        facts.arrived.push(Arrived { headers, body });
        let answer =
            facts.answers.pop_front().unwrap_or(Answer::Status(200, ("content-type", "application/json")));
        if matches!(answer, Answer::Status(200, _)) {
            for resource in request.resource_spans {
                let service = resource.resource.unwrap();
                assert_eq!(text(&service.attributes, "service.name"), Some("pilothouse"));
                facts.spans.extend(resource.scope_spans.into_iter().flat_map(|scope| scope.spans));
            }
        }
        answer
    };
    collector.count.send_modify(|count| *count += 1);
    match answer {
        Answer::Status(status, (name, value)) => {
            let headers = [(name.parse::<HeaderName>().unwrap(), value)];
            (StatusCode::from_u16(status).unwrap(), headers, "{}").into_response()
        }
        Answer::Silence => std::future::pending().await,
    }
}

/// The value of an attribute that is a text.
pub fn text<'a>(attributes: &'a [KeyValue], name: &str) -> Option<&'a str> {
    match value(attributes, name)? {
        Value::StringValue(text) => Some(text),
        other => panic!("{name}: {other:?}"),
    }
}

pub fn value<'a>(attributes: &'a [KeyValue], name: &str) -> Option<&'a Value> {
    let found = attributes.iter().find(|one| one.key == name)?;
    let Some(AnyValue { value }) = &found.value else { return None };
    value.as_ref()
}
