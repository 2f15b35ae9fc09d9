//! The gateway: its routes, its start and its end. What happens on a connection is in `stream` and `socket`,
//! what a request means is in `rpc`.

use std::net::SocketAddr;
use std::{fmt, io};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::future::join_all;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Duration, timeout};

use crate::access::gate::{Answer, Pass};
use crate::access::{self, Access, Door, sign_in};
use crate::live::supervisor::Supervisor;
use crate::live::{self, Live};
use crate::playback::player::{Pace, Player};
use crate::playback::recording;
use crate::playback::recording::Recording;
use crate::rpc::{self, Incoming};
use crate::server::Unread;
use crate::session::{Session, Sessions};
use crate::{page, server, socket, stream};

/// In bytes. The five images of 3 MiB that a model takes have room, in base64 and with a text.
pub const LARGEST_MESSAGE: usize = 24 << 20;
const LONGEST_GOODBYE: Duration = Duration::from_secs(2);

/// How the gateway runs.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where it listens; port 0 picks a free one.
    pub listen: SocketAddr,
    /// How fast recordings are played.
    pub pace: Pace,
    /// Whether they start again at their end.
    pub looped: bool,
    /// Who is let in.
    pub access: Access,
}

/// A running gateway. Dropping it ends the playback.
#[derive(Debug)]
pub struct Gateway {
    address: SocketAddr,
    stopping: watch::Sender<bool>,
    server: JoinHandle<io::Result<()>>,
    players: JoinSet<()>,
    supervisor: Option<Supervisor>,
}

/// Why the gateway can't start.
#[derive(Debug)]
pub enum StartError {
    /// It can't listen on this address.
    Listen(SocketAddr, io::Error),
    /// It can't drive the runtime.
    Live(live::StartError),
}

/// The state that every handler gets.
#[derive(Clone, Debug)]
pub struct AppState {
    /// The sessions.
    pub sessions: Sessions,
    /// Turns `true` when connections must end.
    pub stopping: watch::Receiver<bool>,
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Listen(address, reason) => write!(
                f,
                "can't listen on {address}: {reason}. Choose another address with --listen, such as 127.0.0.1:0."
            ),
            Self::Live(reason) => reason.fmt(f),
        }
    }
}

impl std::error::Error for StartError {}

impl Gateway {
    /// Listens and begins to play. The gateway is ready when this returns.
    pub async fn start(settings: Settings, recordings: Vec<Recording>) -> Result<Self, StartError> {
        Self::start_with(settings, recordings, None).await
    }

    /// Same as [`Self::start`], with a runtime if there are settings for one.
    pub async fn start_with(
        settings: Settings,
        mut recordings: Vec<Recording>,
        live: Option<live::Settings>,
    ) -> Result<Self, StartError> {
        let failed = |reason| StartError::Listen(settings.listen, reason);
        settings.access.fits(settings.listen).map_err(|why| failed(io::Error::other(why)))?;
        let listener = TcpListener::bind(settings.listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;

        recording::make_ids_unique(&mut recordings);
        let mut players = JoinSet::new();
        let mut sessions = Vec::new();
        for recording in recordings {
            let (session, asked) = Session::new(&recording);
            sessions.push(std::sync::Arc::clone(&session));
            players.spawn(Player::new(recording, session, asked, settings.pace, settings.looped).run());
        }

        let sessions = Sessions::new(sessions);
        let supervisor =
            live.map(|live| Live::start(&sessions, live)).transpose().map_err(StartError::Live)?;

        let (stopping, stopped) = watch::channel(false);
        let state = AppState { sessions, stopping: stopped.clone() };
        let routes = routes(state, Door::new(settings.access, address));
        let server = tokio::spawn(server::serve(listener, routes, server::MOST_CONNECTIONS, stopped));
        Ok(Self { address, stopping, server, players, supervisor })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends all connections, then the server and the runtime.
    pub async fn stop(mut self) {
        self.players.abort_all();
        self.stopping.send_replace(true);
        // A client that keeps its connection open must not keep the command from ending.
        let _ = timeout(LONGEST_GOODBYE, self.server).await;
        if let Some(supervisor) = self.supervisor {
            supervisor.stop().await;
        }
    }
}

/// An error as JSON, for routes that are not JSON-RPC.
pub fn json_error(status: StatusCode, message: &str) -> impl IntoResponse {
    (status, json_text(json!({"error": {"message": message}}).to_string()))
}

/// Returns when connections must end.
pub async fn has_ended(mut stopping: watch::Receiver<bool>) {
    // An error means that the gateway was dropped, which is an end as well.
    let _ = stopping.wait_for(|stopping| *stopping).await;
}

fn routes(state: AppState, door: Door) -> Router {
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/api/health", get(health))
        .route("/api/sessions", get(list))
        .route("/api/sessions/{id}/events", get(stream::events))
        .route("/api/sessions/{id}/rpc", post(call))
        .route("/api/rpc", get(socket::open))
        .merge(sign_in::routes(door.clone()))
        .fallback(get(page::serve))
        .layer(middleware::from_fn_with_state(door, access::check))
        .with_state(state)
}

/// The runtime's health; an empty object where there is no runtime.
async fn health(State(state): State<AppState>) -> Response {
    let told = state.sessions.health().map_or_else(|| json!({}), |health| health.borrow().json());
    json_text(told.to_string()).into_response()
}

async fn list(State(state): State<AppState>) -> Response {
    json_text(state.sessions.summaries().await.to_string()).into_response()
}

async fn call(
    State(state): State<AppState>,
    Extension(pass): Extension<Pass>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    // Nothing is unpacked, so a small body can't become a large one.
    if headers.get(header::CONTENT_ENCODING).is_some_and(|coding| coding != "identity") {
        return json_error(StatusCode::UNSUPPORTED_MEDIA_TYPE, "a body is not compressed").into_response();
    }
    let body = match server::read(body, pass.largest()).await {
        Ok(body) => body,
        Err(unread) => return refused(unread, pass.largest()),
    };
    let incoming = rpc::read(&body);
    if let Some(refusal) = access::refusal_of(&pass, &incoming) {
        return refusal;
    }
    let Some(session) = state.sessions.find(Some(&id)) else {
        let fault = rpc::Fault::unknown_session(&id);
        return (StatusCode::NOT_FOUND, json_text(fault.response(None))).into_response();
    };
    let counted = pass.answers();
    let one = async |call, counts: bool| {
        let call: rpc::Call = match call {
            Ok(call) => call,
            Err(response) => return Some(counted.count(response)),
        };
        let further = if counts { pass.further() } else { Ok(()) };
        let answer = match further.and_then(|()| counted.room()) {
            Ok(()) => rpc::respond(&state.sessions, &call, Some(&session)).await?,
            Err(fault) => fault.response(Some(call.id.as_ref()?)),
        };
        Some(counted.count(answer))
    };
    let answer = match incoming {
        Incoming::Nothing => None,
        Incoming::One(call) => one(call, false).await,
        Incoming::Many(calls) => {
            let all = calls.into_iter().enumerate().map(|(at, call)| one(call, at > 0));
            let answers = join_all(all).await.into_iter().flatten();
            let mut all = String::new();
            for Answer { text, .. } in answers {
                all.push(if all.is_empty() { '[' } else { ',' });
                all.push_str(&text);
            }
            all.push(']');
            (all.len() > 1).then(|| counted.count(all))
        }
    };
    match answer {
        Some(answer) => json_text(Bytes::from_owner(answer)).into_response(),
        None => StatusCode::NO_CONTENT.into_response(),
    }
}

fn refused(unread: Unread, largest: usize) -> Response {
    let (status, message) = match unread {
        Unread::TooLong => (StatusCode::PAYLOAD_TOO_LARGE, format!("a body has at most {largest} bytes")),
        Unread::TooSlow => {
            let seconds = server::BODY_PAUSES.as_secs();
            (StatusCode::REQUEST_TIMEOUT, format!("nothing of the body came for {seconds} s"))
        }
        Unread::Broken => (StatusCode::BAD_REQUEST, "the body could not be read".to_owned()),
    };
    json_error(status, &message).into_response()
}

fn json_text(text: impl Into<Bytes>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")], text.into())
}
