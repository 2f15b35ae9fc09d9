//! Sends messages to push services, as RFC 8030 has it. Each device has its own queue and its own task, so a service that is down
//! or silent holds up nothing else.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode, header};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio::sync::{Notify, mpsc};
use tokio::time::{Instant, sleep, timeout};
use tracing::{info, warn};

use super::keys::Keys;
use super::payload::Payload;
use super::subscription::Device;
use crate::access::token::digest;
use crate::metrics::Metrics;
use crate::outgoing::{causes, retry_after};
use crate::time;

/// How long a push service keeps a message for a device that is not there, and how long it is tried to reach the service.
const LIFE: Duration = Duration::from_hours(24);
/// How long a service may take to answer.
const LONGEST_ANSWER: Duration = Duration::from_secs(20);
/// How long to wait after the first failure; then twice as long each time.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_mins(15);
/// How many messages of a device wait, each about another session.
const MOST_QUEUED: usize = 32;
/// After so many refusals in a row, over so long a time, a subscription is given up. Some services refuse all messages of a few
/// subscriptions for a day.
const MOST_REFUSALS: u32 = 10;
const LONGEST_REFUSAL: Duration = Duration::from_hours(72);
/// In bytes, how much is read of the reason of a refusal.
const LONGEST_REASON: usize = 256;

/// The client for all push services. It follows no redirects.
#[derive(Clone, Debug)]
pub struct Sender {
    client: Client<HttpsConnector<HttpConnector>, Body>,
    keys: Arc<Keys>,
    ended: mpsc::UnboundedSender<String>,
    metrics: Metrics,
}

/// The queue of one device. Dropping it ends its task.
#[derive(Debug)]
pub struct DeviceQueue {
    queue: Arc<Queue>,
    task: tokio::task::JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Queue {
    state: Mutex<QueueState>,
    arrived: Notify,
}

#[derive(Debug, Default)]
struct QueueState {
    waiting: VecDeque<QueuedMessage>,
    /// The sessions of which the device may have a message.
    sent: HashSet<String>,
}

/// A message on its way.
#[derive(Clone, Debug)]
struct QueuedMessage {
    payload: Payload,
    until: Instant,
}

/// What became of an attempt.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Delivered,
    /// The subscription does not exist any more.
    Ended,
    TooLong,
    /// The service may take it later, not before this time has passed if it says so.
    Later(Option<Duration>),
    /// The service can't be reached, and why.
    Unreachable(String),
    /// No answer came, so the message may have arrived.
    Unanswered,
    /// The service does not take it, and why.
    Refused(String),
}

impl Outcome {
    /// Its word in metrics.
    fn word(&self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Ended => "ended",
            Self::TooLong => "too_long",
            Self::Later(_) => "later",
            Self::Unreachable(_) => "unreachable",
            Self::Unanswered => "unanswered",
            Self::Refused(_) => "refused",
        }
    }
}

impl Sender {
    /// A client that signs with these keys. The ids of devices whose subscription has ended go to `ended`.
    pub fn new(
        keys: Arc<Keys>,
        ended: mpsc::UnboundedSender<String>,
        metrics: Metrics,
    ) -> Result<Self, String> {
        let provider = rustls::crypto::ring::default_provider();
        let connector = HttpsConnectorBuilder::new()
            .with_provider_and_webpki_roots(provider)
            .map_err(|error| format!("TLS can't be used: {error}"))?
            // Plain http only to what `--push-origins` names on this machine.
            .https_or_http()
            .enable_http1()
            .build();
        let client = Client::builder(TokioExecutor::new()).build(connector);
        Ok(Self { client, keys, ended, metrics })
    }

    /// A queue for a device, which has messages about these sessions already, and the task that sends.
    pub fn queue(&self, device: &Device, sent: HashSet<String>) -> DeviceQueue {
        let queue = Queue::default();
        queue.state().sent = sent;
        let queue = Arc::new(queue);
        let task = tokio::spawn(deliver(self.clone(), device.clone(), Arc::clone(&queue)));
        DeviceQueue { queue, task }
    }

    async fn send(&self, device: &Device, payload: &Payload, left: Duration) -> Outcome {
        let Some(text) = payload.text() else { return Outcome::TooLong };
        let body = match web_push_native::encrypt(text, &device.public, &device.auth) {
            Ok(body) => body,
            Err(error) => return Outcome::Refused(format!("it can't be encrypted: {error}")),
        };
        let authorization = self.keys.authorization(device.endpoint.origin(), time::seconds());
        let request = Request::post(device.endpoint.uri())
            .header(header::AUTHORIZATION, authorization)
            .header(header::CONTENT_ENCODING, "aes128gcm")
            .header(header::CONTENT_TYPE, "application/octet-stream")
            // One of 0 is refused by that of Edge.
            .header("ttl", left.as_secs().max(1))
            .header("topic", topic(payload.session()))
            .header("urgency", if payload.is_urgent() { "high" } else { "normal" })
            .body(Body::from(body));
        let request = match request {
            Ok(request) => request,
            Err(error) => return Outcome::Refused(format!("it can't be sent: {error}")),
        };
        let answered = timeout(LONGEST_ANSWER, async {
            let (head, body) = match self.client.request(request).await {
                Ok(response) => response.into_parts(),
                Err(error) if error.is_connect() => return Outcome::Unreachable(causes(&error)),
                Err(_) => return Outcome::Unanswered,
            };
            let reason = axum::body::to_bytes(Body::new(body), LONGEST_REASON).await.unwrap_or_default();
            outcome(head.status, &head.headers, &reason)
        });
        answered.await.unwrap_or(Outcome::Unanswered)
    }
}

/// What an answer means.
fn outcome(status: StatusCode, headers: &HeaderMap, reason: &[u8]) -> Outcome {
    match status {
        status if status.is_success() => Outcome::Delivered,
        StatusCode::NOT_FOUND | StatusCode::GONE => Outcome::Ended,
        StatusCode::PAYLOAD_TOO_LARGE => Outcome::TooLong,
        StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT => Outcome::Later(retry_after(headers)),
        status if status.is_server_error() => Outcome::Later(retry_after(headers)),
        status => {
            // That of Edge says why in a header.
            let header = headers.get("x-wns-error-description").map_or(reason, HeaderValue::as_bytes);
            Outcome::Refused(format!("{status} {}", String::from_utf8_lossy(header).escape_debug()))
        }
    }
}

/// The topic of a session (RFC 8030, 5.4): of several messages the service keeps only the last. It has at most 32 characters.
fn topic(session: &str) -> String {
    let digest = digest(session.as_bytes());
    URL_SAFE_NO_PAD.encode(digest.get(..24).unwrap_or_default())
}

impl DeviceQueue {
    /// Adds a message, in place of an older one about the same session. Nothing is taken back of which nothing was sent.
    pub fn add(&self, payload: Payload) {
        let mut state = self.queue.state();
        state.waiting.retain(|message| message.payload.session() != payload.session());
        if payload.closes() && !state.sent.contains(payload.session()) {
            return;
        }
        state.waiting.push_back(QueuedMessage { payload, until: Instant::now() + LIFE });
        if state.waiting.len() > MOST_QUEUED {
            state.waiting.pop_front();
        }
        drop(state);
        self.queue.arrived.notify_one();
    }
}

impl Drop for DeviceQueue {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Queue {
    fn state(&self) -> std::sync::MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The oldest message that is still of use. It stays in the queue, where a newer one may take its place.
    fn first(&self) -> Option<QueuedMessage> {
        let mut state = self.state();
        let now = Instant::now();
        state.waiting.retain(|message| message.until > now);
        state.waiting.front().cloned()
    }

    /// Notes that a message may arrive from now on. Returns whether none about its session did before.
    fn begin(&self, message: &QueuedMessage) -> bool {
        self.state().sent.insert(message.payload.session().to_owned())
    }

    /// Notes that it did not arrive, so nothing has to be taken back.
    fn undo(&self, message: &QueuedMessage) {
        let mut state = self.state();
        let session = message.payload.session();
        state.sent.remove(session);
        state.waiting.retain(|other| !other.payload.closes() || other.payload.session() != session);
    }

    /// Removes a message, unless another one has taken its place. What it has taken back is not there any more.
    fn remove(&self, message: &QueuedMessage, outcome: &Outcome) {
        let mut state = self.state();
        if message.payload.closes() && *outcome == Outcome::Delivered {
            state.sent.remove(message.payload.session());
        }
        state.waiting.retain(|other| other.payload != message.payload || other.until != message.until);
    }
}

/// Sends what comes into the queue, one after another.
async fn deliver(sender: Sender, device: Device, queue: Arc<Queue>) {
    let host = device.endpoint.host();
    let mut wait = FIRST_WAIT;
    let (mut refusals, mut accepted) = (0, Instant::now());
    loop {
        let Some(message) = queue.first() else {
            queue.arrived.notified().await;
            continue;
        };
        let left = || message.until.saturating_duration_since(Instant::now());
        let is_first = queue.begin(&message);
        let mut outcome = sender.send(&device, &message.payload, left()).await;
        if outcome == Outcome::TooLong {
            outcome = sender.send(&device, &message.payload.shortened(), left()).await;
        }
        sender.metrics.push(outcome.word());
        if is_first && !matches!(outcome, Outcome::Delivered | Outcome::Unanswered) {
            queue.undo(&message);
        }
        match &outcome {
            Outcome::Delivered => {
                (wait, refusals, accepted) = (FIRST_WAIT, 0, Instant::now());
                queue.remove(&message, &outcome);
            }
            Outcome::Ended => {
                info!(host, device = device.id, "the push service has ended a subscription");
                let _ = sender.ended.send(device.id.clone()); // nobody listens when the gateway ends
                return;
            }
            Outcome::TooLong => {
                warn!(host, device = device.id, "a push message is too long for the push service");
                queue.remove(&message, &outcome);
            }
            Outcome::Later(_) | Outcome::Unreachable(_) | Outcome::Unanswered => {
                if let Outcome::Unreachable(why) = &outcome
                    && wait == FIRST_WAIT
                {
                    warn!(host, device = device.id, %why, "the push service can't be reached; it is tried again");
                }
                let pause = if let Outcome::Later(Some(after)) = outcome { after.max(wait) } else { wait };
                wait = (wait * 2).min(LONGEST_WAIT);
                if pause >= left() {
                    queue.remove(&message, &outcome);
                }
                sleep(pause).await;
            }
            Outcome::Refused(why) => {
                refusals += 1;
                if refusals == 1 {
                    warn!(host, device = device.id, %why, "the push service refuses a message");
                }
                queue.remove(&message, &outcome);
                if refusals >= MOST_REFUSALS && accepted.elapsed() > LONGEST_REFUSAL {
                    warn!(
                        host,
                        device = device.id,
                        "it refused all of the last messages; the subscription is given up"
                    );
                    let _ = sender.ended.send(device.id.clone());
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use axum::http::{HeaderMap, HeaderValue, StatusCode};

    use super::{Outcome, outcome, topic};

    #[test]
    fn a_service_says_when_to_come_back_and_why_it_refuses() {
        let after = |status: u16, value: &str| {
            let headers = HeaderMap::from_iter([(
                "retry-after".parse().unwrap(),
                HeaderValue::from_str(value).unwrap(),
            )]);
            outcome(StatusCode::from_u16(status).unwrap(), &headers, b"why\x1b[31m\n")
        };
        assert_eq!(after(201, ""), Outcome::Delivered);
        assert_eq!(after(429, "120"), Outcome::Later(Some(Duration::from_mins(2))));
        for long in ["99999999999999999", "18446744073709551615", "Fri, 31 Dec 9999 23:59:59 GMT"] {
            assert_eq!(after(503, long), Outcome::Later(Some(Duration::from_hours(1))), "{long}");
        }
        for unreadable in ["", "soon", "-5", "1.5", "Wed, 21 Oct 2015 07:28:00 GMT"] {
            assert_eq!(after(503, unreadable), Outcome::Later(None), "{unreadable}");
        }
        let date = httpdate::fmt_http_date(SystemTime::now() + Duration::from_mins(30));
        let Outcome::Later(Some(left)) = after(503, &date) else { panic!("{date}") };
        assert!((1700..=1800).contains(&left.as_secs()));
        assert_eq!((after(404, ""), after(410, "")), (Outcome::Ended, Outcome::Ended));
        assert_eq!(after(413, ""), Outcome::TooLong);
        let headers = [("x-wns-error-description", "Ttl value conflicts")];
        let headers = HeaderMap::from_iter(
            headers.map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())),
        );
        let Outcome::Refused(why) = outcome(StatusCode::BAD_REQUEST, &headers, b"") else {
            panic!("{headers:?}")
        };
        assert!(why.contains("Ttl value conflicts"), "{why}");
        for refused in [302, 307, 400, 401, 403, 418] {
            let Outcome::Refused(why) = after(refused, "") else { panic!("{refused}") };
            assert!(why.contains("why") && !why.chars().any(char::is_control), "{why}");
        }
    }

    #[test]
    fn a_topic_is_short_and_safe_whatever_the_session_is_called() {
        for session in ["s", "", "漢字/..", &"x".repeat(5000)] {
            let topic = topic(session);
            assert!(
                topic.len() == 32
                    && topic.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
            );
        }
        assert_ne!(topic("a"), topic("b"));
    }
}
