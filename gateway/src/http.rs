//! What the gateway serves over HTTP: its routes, and behind each the file of its name.

pub mod answers;
pub mod app;
pub mod caller;
pub mod door;
pub mod export;
pub mod files;
pub mod headers;
pub mod history;
pub mod metrics;
pub mod notice_page;
pub mod oidc;
pub mod page;
pub mod phone;
pub mod post;
pub mod push;
pub mod screen;
pub mod send_pause;
pub mod server;
pub mod sharing;
pub mod sign_in;
pub mod socket;
pub mod state;
pub mod stream;
pub mod tls;
pub mod watching;

use axum::Router;
use axum::extract::State;
use axum::middleware;
use axum::response::Response;
use axum::routing::{get, post};
use serde_json::json;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::SizeAbove;

use door::Door;
use state::AppState;

/// The routes of the gateway.
pub fn routes(state: AppState, door: Door) -> Router {
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(metrics::ready))
        .route("/metrics", get(metrics::metrics))
        .route("/api/health", get(health))
        .route("/api/sessions", get(list))
        .route("/api/sessions/{id}/events", get(stream::events).layer((compressed_streams(), compressed_history())))
        .route("/api/sessions/{id}/history", get(history::history).layer(compressed_history()))
        .route("/api/sessions/{id}/export", get(export::export).layer(CompressionLayer::new()))
        .route("/api/sessions/{id}/rpc", post(post::call))
        .route("/api/sessions/{id}/screen", get(screen::screen).layer(CompressionLayer::new()))
        .route("/api/rpc", get(socket::open))
        .route("/api/phone", post(phone::open))
        .merge(push::routes())
        .merge(app::routes().layer(CompressionLayer::new()))
        .merge(sign_in::routes(door.clone()))
        .merge(oidc::routes(door.clone()))
        // What the build has compressed stays as it is.
        .fallback(get(page::serve).layer(CompressionLayer::new()))
        .layer(middleware::from_fn_with_state(door, door::check))
        .with_state(state)
}

/// Compresses a history, harder than is usual, since it is sent once and may be large: 18 MB with zstd to 2.5 MB in 0.22 s. What
/// the next levels save takes twice the memory or the time. Event streams pass as they are.
fn compressed_history() -> (CompressionLayer, CompressionLayer) {
    let zstd = CompressionLayer::new().no_br().no_gzip().quality(CompressionLevel::Precise(8));
    (CompressionLayer::new().no_zstd().quality(CompressionLevel::Precise(6)), zstd)
}

/// Compresses event streams, each piece as soon as it is there. With gzip, since the others take a megabyte and more for each
/// stream that is open.
fn compressed_streams() -> CompressionLayer<SizeAbove> {
    let layer = CompressionLayer::new().no_br().no_zstd().quality(CompressionLevel::Fastest);
    layer.compress_when(SizeAbove::new(0))
}

/// The runtime's health; an empty object where there is no runtime.
async fn health(State(state): State<AppState>) -> Response {
    let report = state.sessions.health().map_or_else(|| json!({}), |health| health.borrow().json());
    answers::json(report.to_string())
}

async fn list(State(state): State<AppState>) -> Response {
    answers::json(state.sessions.summaries().await.to_string())
}
