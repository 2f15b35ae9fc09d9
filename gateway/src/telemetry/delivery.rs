//! Sends batches of spans to the collector, one after another, as OTLP/HTTP has it: what may be taken later is sent again after a
//! wait that grows, and what is refused is not.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode, header};
use serde_json::Value;
use tokio::time::timeout;
use tracing::{info, warn};

use super::Settings;
use super::otlp;
use super::queue::Queue;
use crate::metrics::Metrics;
use crate::outgoing::{HttpClient, causes, client, retry_after};

/// How long the collector may take to answer.
const LONGEST_ANSWER: Duration = Duration::from_secs(10);
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// In bytes, how much of an answer is read.
const LARGEST_ANSWER: usize = 64 << 10;

/// Sends what is in the queue.
#[derive(Debug)]
pub struct Sender {
    settings: Settings,
    client: HttpClient,
    queue: Arc<Queue>,
    metrics: Metrics,
}

/// What became of an attempt.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    /// Taken, but for so many spans, because of this.
    Delivered(usize, String),
    /// It may be taken later, not before this time has passed if the collector says so.
    Later(Option<Duration>, String),
    /// It is not taken, and why.
    Refused(String),
}

impl Sender {
    /// Sends with these settings.
    pub fn new(settings: Settings, queue: Arc<Queue>, metrics: Metrics) -> Result<Self, String> {
        Ok(Self { settings, client: client()?, queue, metrics })
    }

    /// Sends until nothing will come any more.
    pub async fn run(self) {
        let mut works = true;
        loop {
            self.queue.filled().await;
            // Others may come: a batch is sent when it is whole, or its first span has waited long enough.
            let _ = timeout(self.settings.pause, self.queue.full()).await;
            let spans = self.queue.take();
            if spans.is_empty() {
                return; // it is closed
            }
            self.deliver(otlp::request(&spans), spans.len(), &mut works).await;
        }
    }

    /// Sends a batch until it is taken or refused. When the gateway ends there is one more attempt.
    async fn deliver(&self, body: String, count: usize, works: &mut bool) {
        let collector = &self.settings.address;
        let mut wait = self.settings.first_wait;
        loop {
            let is_last = self.queue.is_closed();
            match self.send(body.clone()).await {
                Outcome::Delivered(refused, why) => {
                    if refused > 0 {
                        warn!(%collector, refused, why, "the collector does not take some spans");
                    } else if !*works {
                        info!(%collector, "the collector takes spans again");
                    }
                    *works = true;
                    self.metrics.spans("refused", refused.min(count));
                    return self.metrics.spans("delivered", count.saturating_sub(refused));
                }
                Outcome::Refused(why) => {
                    if std::mem::take(works) {
                        warn!(%collector, why, "the collector refuses spans");
                    }
                    return self.metrics.spans("refused", count);
                }
                Outcome::Later(after, why) => {
                    if std::mem::take(works) {
                        warn!(%collector, why, "spans can't be sent; it is tried again");
                    }
                    if is_last {
                        return self.metrics.spans("dropped", count);
                    }
                    let pause = after.unwrap_or_default().max(jittered(wait));
                    wait = (wait * 2).min(LONGEST_WAIT);
                    // When the gateway ends, at once.
                    let _ = timeout(pause, self.queue.closed()).await;
                }
            }
        }
    }

    async fn send(&self, body: String) -> Outcome {
        let mut request = Request::post(self.settings.address.clone());
        if let Some(headers) = request.headers_mut() {
            headers.extend(self.settings.headers.clone());
        }
        let request = request.header(header::CONTENT_TYPE, "application/json").body(Body::from(body));
        let request = match request {
            Ok(request) => request,
            Err(error) => return Outcome::Refused(error.to_string()),
        };
        let answered = timeout(LONGEST_ANSWER, async {
            let (head, body) = match self.client.request(request).await {
                Ok(response) => response.into_parts(),
                Err(error) => return Outcome::Later(None, causes(&error)),
            };
            let answer = axum::body::to_bytes(Body::new(body), LARGEST_ANSWER).await.unwrap_or_default();
            outcome(head.status, &head.headers, &answer)
        });
        let silent = || Outcome::Later(None, "it does not answer".to_owned());
        answered.await.unwrap_or_else(|_| silent())
    }
}

/// What an answer means.
fn outcome(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Outcome {
    match status {
        status if status.is_success() => {
            let answer: Value = serde_json::from_slice(body).unwrap_or_default();
            let partial = &answer["partialSuccess"];
            let refused = &partial["rejectedSpans"];
            let number = refused.as_u64().or_else(|| refused.as_str()?.parse().ok()).unwrap_or_default();
            let why = partial["errorMessage"].as_str().unwrap_or_default().escape_debug().to_string();
            Outcome::Delivered(usize::try_from(number).unwrap_or(usize::MAX), why)
        }
        StatusCode::TOO_MANY_REQUESTS
        | StatusCode::BAD_GATEWAY
        | StatusCode::SERVICE_UNAVAILABLE
        | StatusCode::GATEWAY_TIMEOUT => Outcome::Later(retry_after(headers), status.to_string()),
        status => Outcome::Refused(status.to_string()),
    }
}

/// From half to one and a half of it, so that several gateways don't come at the same time.
fn jittered(wait: Duration) -> Duration {
    let mut random = [128];
    let _ = getrandom::fill(&mut random); // without, it is spread less
    wait.mul_f64(0.5 + f64::from(random[0]) / 256.0)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::http::{HeaderMap, StatusCode, header};

    use super::{Outcome, jittered, outcome};

    #[test]
    fn only_what_the_specification_names_is_sent_again() {
        let after = |status: u16, seconds: &str| {
            let headers = HeaderMap::from_iter([(header::RETRY_AFTER, seconds.parse().unwrap())]);
            outcome(StatusCode::from_u16(status).unwrap(), &headers, b"")
        };
        for status in [429, 502, 503, 504] {
            let expected = Some(Duration::from_secs(7));
            assert!(matches!(after(status, "7"), Outcome::Later(time, _) if time == expected), "{status}");
            assert!(matches!(after(status, "soon"), Outcome::Later(None, _)), "{status}");
        }
        for status in [301, 400, 401, 404, 408, 413, 500, 501] {
            assert!(matches!(after(status, "7"), Outcome::Refused(_)), "{status}");
        }
        assert_eq!(after(200, ""), Outcome::Delivered(0, String::new()));
    }

    #[test]
    fn what_a_collector_takes_in_part_is_not_sent_again() {
        for number in ["3", "\"3\""] {
            let body =
                format!(r#"{{"partialSuccess":{{"rejectedSpans":{number},"errorMessage":"too old"}}}}"#);
            let answer = outcome(StatusCode::OK, &HeaderMap::new(), body.as_bytes());
            assert_eq!(answer, Outcome::Delivered(3, "too old".to_owned()));
        }
    }

    #[test]
    fn waits_differ() {
        let second = Duration::from_secs(1);
        assert!((0..100).map(|_| jittered(second)).all(|wait| wait >= second / 2 && wait < second * 3 / 2));
    }
}
