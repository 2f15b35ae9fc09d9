//! What the gateway serves over HTTP: its routes, and behind each the file of its name.

pub mod answers;
pub mod coding;
pub mod door;
pub mod headers;
pub mod languages;
pub mod page;
pub mod post;
pub mod screen;
pub mod server;
pub mod sign_in;
pub mod socket;
pub mod state;
pub mod stream;

use axum::Router;
use axum::extract::State;
use axum::middleware;
use axum::response::Response;
use axum::routing::{get, post};
use serde_json::json;

use door::Door;
use state::AppState;

/// The routes of the gateway.
pub fn routes(state: AppState, door: Door) -> Router {
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/api/health", get(health))
        .route("/api/sessions", get(list))
        .route("/api/sessions/{id}/events", get(stream::events))
        .route("/api/sessions/{id}/rpc", post(post::call))
        .route("/api/sessions/{id}/screen", get(screen::screen))
        .route("/api/rpc", get(socket::open))
        .merge(sign_in::routes(door.clone()))
        .fallback(get(page::serve))
        .layer(middleware::from_fn_with_state(door, door::check))
        .with_state(state)
}

/// The runtime's health; an empty object where there is no runtime.
async fn health(State(state): State<AppState>) -> Response {
    let report = state.sessions.health().map_or_else(|| json!({}), |health| health.borrow().json());
    answers::json(report.to_string())
}

async fn list(State(state): State<AppState>) -> Response {
    answers::json(state.sessions.summaries().await.to_string())
}
