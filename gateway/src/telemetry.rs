//! Traces: spans of the sessions of this gateway's agent, sent to a collector (`--otlp`) over OTLP/HTTP.
//!
//! Reading order: [`span`] (one operation, and its ids) → [`spans`] (the events of a session become spans) → [`otlp`] (spans as JSON) →
//! [`queue`] (what waits for the collector) → [`delivery`] (on the wire) → [`follow`], which reads the journals of the sessions.
//! Without `--otlp` none of it runs.

pub mod delivery;
pub mod follow;
pub mod otlp;
pub mod queue;
pub mod span;
pub mod spans;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri};
use percent_encoding::percent_decode_str;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::sessions::Sessions;
use delivery::Sender;
use queue::Queue;

/// What a collector appends its path to.
const PATH: &str = "/v1/traces";
/// Headers for the collector, as OpenTelemetry's exporters read them: `NAME=VALUE,…`, percent-encoded.
pub const HEADERS_VARIABLE: &str = "OTEL_EXPORTER_OTLP_HEADERS";
/// How long the last spans may take when the gateway ends.
const LONGEST_GOODBYE: Duration = Duration::from_secs(2);

/// Where spans are sent, and how.
#[derive(Clone)]
pub struct Settings {
    /// The collector's address for traces.
    pub address: Uri,
    /// What is sent with each request; it may have secrets.
    pub headers: HeaderMap,
    /// How long spans wait for others.
    pub pause: Duration,
    /// How long to wait after the first failure; then twice as long each time.
    pub first_wait: Duration,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings").field("address", &self.address).finish_non_exhaustive()
    }
}

/// The address, and the names of the headers.
impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.address.fmt(f)?;
        let names: Vec<_> = self.headers.keys().map(HeaderName::as_str).collect();
        if names.is_empty() { Ok(()) } else { write!(f, ", with the headers {}", names.join(", ")) }
    }
}

impl Settings {
    /// For the collector at this address, to which `/v1/traces` is appended. The error is a sentence for people.
    pub fn new(address: &str) -> Result<Self, String> {
        let wrong = || "it must be an address such as http://127.0.0.1:4318".to_owned();
        let base: Uri = address.parse().map_err(|_| wrong())?;
        let (scheme, authority) = (base.scheme_str().unwrap_or_default(), base.authority());
        let Some(authority) = authority.filter(|_| matches!(scheme, "http" | "https")) else {
            return Err(wrong());
        };
        if authority.as_str().contains('@') {
            return Err(format!(
                "every process can read it here: put what signs in into ${HEADERS_VARIABLE}"
            ));
        }
        if base.query().is_some() {
            return Err(wrong());
        }
        let path = base.path().trim_end_matches('/');
        let path = path.strip_suffix(PATH).unwrap_or(path);
        let whole = format!("{scheme}://{authority}{path}{PATH}").parse().map_err(|_| wrong())?;
        Ok(Self {
            address: whole,
            headers: HeaderMap::new(),
            pause: Duration::from_secs(5),
            first_wait: Duration::from_secs(1),
        })
    }

    /// Adds the headers that the environment names. The error has no value: it may be a secret.
    pub fn with_environment(mut self) -> Result<Self, String> {
        let Ok(text) = std::env::var(HEADERS_VARIABLE) else { return Ok(self) };
        self.headers = headers(&text).map_err(|why| format!("${HEADERS_VARIABLE}: {why}"))?;
        Ok(self)
    }
}

/// `NAME=VALUE,…`, percent-encoded as in W3C Baggage.
fn headers(text: &str) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    for (at, pair) in text.split(',').map(str::trim).enumerate().filter(|(_, pair)| !pair.is_empty()) {
        let wrong = || format!("part {} is not NAME=VALUE", at + 1);
        let (name, value) = pair.split_once('=').ok_or_else(wrong)?;
        let value = percent_decode_str(value.trim()).decode_utf8().map_err(|_| wrong())?;
        let name: HeaderName = name.trim().parse().map_err(|_| wrong())?;
        let mut value: HeaderValue = value.parse().map_err(|_| wrong())?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

/// What sends spans. Dropping it ends that.
#[derive(Debug)]
pub struct Telemetry {
    stopping: watch::Sender<bool>,
    follower: JoinHandle<()>,
    sender: JoinHandle<()>,
}

impl Telemetry {
    /// Begins to follow these sessions.
    pub fn start(settings: Settings, sessions: &Sessions) -> Result<Self, String> {
        let (stopping, stopped) = watch::channel(false);
        let queue = Arc::new(Queue::new(sessions.metrics().clone()));
        let sender = Sender::new(settings, Arc::clone(&queue), sessions.metrics().clone())?;
        let follower = tokio::spawn(follow::follow(sessions.clone(), Arc::clone(&queue), stopped.clone()));
        let sender = tokio::spawn(sender.run());
        Ok(Self { stopping, follower, sender })
    }

    /// Sends what there is, and ends. A collector that is away is not waited for.
    pub async fn stop(mut self) {
        self.stopping.send_replace(true);
        let _ = timeout(LONGEST_GOODBYE, async {
            let _ = (&mut self.follower).await;
            (&mut self.sender).await
        })
        .await;
    }
}

impl Drop for Telemetry {
    fn drop(&mut self) {
        self.follower.abort();
        self.sender.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::{Settings, headers};

    #[test]
    fn the_path_for_traces_is_appended_once() {
        let address = |text: &str| Settings::new(text).map(|settings| settings.address.to_string());
        for (given, expected) in [
            ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
            ("http://127.0.0.1:4318/", "http://127.0.0.1:4318/v1/traces"),
            ("https://collector.example/otlp", "https://collector.example/otlp/v1/traces"),
            ("https://collector.example/v1/traces", "https://collector.example/v1/traces"),
            ("http://[::1]:4318", "http://[::1]:4318/v1/traces"),
        ] {
            assert_eq!(address(given).as_deref(), Ok(expected), "{given}");
        }
        for wrong in
            ["", "collector", "collector:4318", "ftp://x", "grpc://x:4317", "http://x/?a=b", "http://"]
        {
            assert!(address(wrong).is_err(), "{wrong}");
        }
        let secret = address("https://me:secret@collector.example").unwrap_err();
        assert!(secret.contains("OTEL_EXPORTER_OTLP_HEADERS") && !secret.contains("secret@"), "{secret}");
    }

    #[test]
    fn headers_are_read_as_exporters_read_them() {
        let read = headers("Authorization=Basic%20YTpi, x-team=a=b,").unwrap();
        assert_eq!(read["authorization"], "Basic YTpi");
        assert_eq!(read["x-team"], "a=b");
        assert!(!format!("{read:?}").contains("YTpi"));
        for wrong in ["a", "=b", "a b=c", "a=%0a"] {
            let error = headers(wrong).unwrap_err();
            assert_eq!(error, "part 1 is not NAME=VALUE", "{wrong}");
        }
    }
}
