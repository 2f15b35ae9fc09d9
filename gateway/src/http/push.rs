//! The routes of push: the key, and a device that subscribes or does not want to be told any more.

use axum::Router;
use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::answers;
use super::server;
use super::state::AppState;
use crate::access::gate::Pass;
use crate::languages::preferred;
use crate::push::Refused;
use crate::push::follow::MOST;
use crate::push::subscription::Offer;

/// In bytes.
const LARGEST: usize = 8 << 10;

#[derive(Deserialize)]
struct NamedDevice {
    endpoint: String,
}

/// The routes.
pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/api/push/key", get(key))
        .route("/api/push", axum::routing::post(subscribe).delete(unsubscribe))
        .route("/api/push/test", axum::routing::post(test))
}

/// Serves `GET /api/push/key`.
async fn key(State(state): State<AppState>) -> Response {
    match state.push.key() {
        Ok(key) => answers::json(json!({"key": key}).to_string()),
        Err(refused) => refused.into_response(),
    }
}

/// Serves `POST /api/push`. Everybody who sees sessions may be told of them.
async fn subscribe(
    State(state): State<AppState>,
    Extension(pass): Extension<Pass>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let Some(person) = pass.person() else { return StatusCode::UNAUTHORIZED.into_response() };
    let mut offer: Offer = match read(body).await {
        Ok(offer) => offer,
        Err(response) => return response,
    };
    let wishes = &mut offer.wishes;
    let of_browser = || preferred(&headers).map(|language| language.tag.to_owned());
    wishes.language = wishes.language.take().or_else(of_browser);
    match state.push.subscribe(offer, &person.account()).await {
        Ok(wishes) => answers::json(json!(wishes).to_string()),
        Err(refused) => refused.into_response(),
    }
}

/// Serves `POST /api/push/test`: 202 once the message is on its way.
async fn test(State(state): State<AppState>, body: Body) -> Response {
    let NamedDevice { endpoint } = match read(body).await {
        Ok(named) => named,
        Err(response) => return response,
    };
    if state.push.test(endpoint).await {
        return StatusCode::ACCEPTED.into_response();
    }
    answers::error(StatusCode::NOT_FOUND, "this device is not told; it has to subscribe first")
}

/// Serves `DELETE /api/push`.
async fn unsubscribe(State(state): State<AppState>, body: Body) -> Response {
    match read::<NamedDevice>(body).await {
        Ok(NamedDevice { endpoint }) => {
            state.push.unsubscribe(endpoint).await;
            StatusCode::NO_CONTENT.into_response()
        }
        Err(response) => response,
    }
}

async fn read<T: DeserializeOwned>(body: Body) -> Result<T, Response> {
    let body = server::read(body, LARGEST).await;
    let body = body.map_err(|_| answers::error(StatusCode::BAD_REQUEST, "the body could not be read"))?;
    serde_json::from_slice(&body).map_err(|error| {
        let message = format!("this is not a subscription of the Push API: {error}");
        answers::error(StatusCode::BAD_REQUEST, &message)
    })
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let (status, message) = match self {
            Self::Off(why) => (StatusCode::SERVICE_UNAVAILABLE, why),
            Self::Wrong(why) => (StatusCode::BAD_REQUEST, why),
            Self::Full => (
                StatusCode::SERVICE_UNAVAILABLE,
                format!("{MOST} devices are told already; remove one that is not used"),
            ),
            Self::NotKept => (
                StatusCode::INSUFFICIENT_STORAGE,
                "the subscription can't be written down; it ends with the gateway".to_owned(),
            ),
        };
        answers::error(status, &message)
    }
}
