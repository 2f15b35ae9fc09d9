//! What the gateway's own requests to other servers have in common: the client, when to come again, and what went wrong.

use std::io;
use std::time::{Duration, SystemTime};

use axum::body::Body;
use axum::http::{HeaderMap, header};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

/// A server that wants to be left alone for longer is asked again by then.
const LONGEST_RETRY_AFTER: Duration = Duration::from_hours(1);

/// Sends requests over http and https. It follows no redirects.
pub type HttpClient = Client<HttpsConnector<HttpConnector>, Body>;

/// A client that trusts the certificates that this machine trusts or, where it has none, those that browsers do.
pub fn client() -> Result<HttpClient, String> {
    let provider = || rustls::crypto::ring::default_provider();
    let connector = HttpsConnectorBuilder::new()
        .with_provider_and_native_roots(provider())
        .or_else(|_| {
            HttpsConnectorBuilder::new().with_provider_and_webpki_roots(provider()).map_err(io::Error::other)
        })
        .map_err(|error| format!("TLS can't be used: {error}"))?
        .https_or_http()
        .enable_http1()
        .build();
    Ok(Client::builder(TokioExecutor::new()).build(connector))
}

/// The time in `Retry-After`, which has seconds or a date.
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    let seconds = text.parse().ok().map(Duration::from_secs);
    let date = || httpdate::parse_http_date(text).ok()?.duration_since(SystemTime::now()).ok();
    seconds.or_else(date).map(|after| after.min(LONGEST_RETRY_AFTER))
}

/// An error with what has led to it.
pub fn causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
