//! Accepts connections and serves HTTP/1.1 on them. What a client may hold without asking for anything is limited:
//! the number of connections, the size of a request's head, the time that it takes.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{HeaderValue, Request, Response, header};
use futures_util::StreamExt as _;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};
use tower_service::Service as _;

use crate::gateway::has_ended;

/// How many connections are open at a time. Further ones wait until one of them ends.
pub const MOST_CONNECTIONS: usize = 4096;
/// How long a request's head may take, and how long a connection may wait for its next request.
pub const HEAD_TAKES: Duration = Duration::from_secs(10);
/// How long nothing of a request's body may come.
pub const BODY_PAUSES: Duration = Duration::from_secs(30);
/// In bytes.
pub const LARGEST_HEAD: usize = 64 << 10;
/// After a failure to accept, such as too many open files.
const BREATHER: Duration = Duration::from_millis(100);

/// Why a body was not read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// It is longer than allowed.
    TooLong,
    /// Nothing came for [`BODY_PAUSES`].
    TooSlow,
    /// The connection broke, or it is no body.
    Broken,
}

/// Serves until `stopping` turns true; then what is being served is ended, and this returns.
pub async fn serve(
    listener: TcpListener,
    routes: Router,
    most: usize,
    stopping: watch::Receiver<bool>,
) -> io::Result<()> {
    let places = Arc::new(Semaphore::new(most));
    loop {
        let accepted = tokio::select! {
            () = has_ended(stopping.clone()) => break,
            accepted = async {
                let place = Arc::clone(&places).acquire_owned().await.map_err(io::Error::other)?;
                Ok::<_, io::Error>((place, listener.accept().await?))
            } => accepted,
        };
        let Ok((place, (connection, peer))) = accepted else {
            sleep(BREATHER).await;
            continue;
        };
        let (routes, stopping) = (routes.clone(), stopping.clone());
        tokio::spawn(async move {
            converse(connection, peer, routes, stopping).await;
            drop(place);
        });
    }
    drop(listener);
    // All places are free when the last connection has ended.
    let all = u32::try_from(most).unwrap_or(u32::MAX);
    places.acquire_many(all).await.map(drop).map_err(io::Error::other)
}

/// Serves one connection to its end. Its errors are the client's: it left, or what it sent is no HTTP.
async fn converse(connection: TcpStream, peer: SocketAddr, routes: Router, stopping: watch::Receiver<bool>) {
    // Without this a small event would wait 40 ms for the acknowledgement of the one before. If it fails, the
    // connection is slower, not wrong.
    let _ = connection.set_nodelay(true);
    let service = service_fn(move |mut request: Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        let chunked = request.headers().contains_key(header::TRANSFER_ENCODING);
        let answer = routes.clone().call(request);
        async move {
            let mut response: Response<Body> = answer.await?;
            // A proxy may have believed a `Content-Length` beside it (RFC 9112, 6.1), so what follows on this
            // connection may not be what the proxy takes for the next request.
            if chunked {
                response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            Ok::<_, std::convert::Infallible>(response)
        }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TAKES).max_buf_size(LARGEST_HEAD);
    let served = http.serve_connection(TokioIo::new(connection), service).with_upgrades();
    tokio::pin!(served);
    tokio::select! {
        _ = served.as_mut() => return,
        () = has_ended(stopping) => served.as_mut().graceful_shutdown(),
    }
    let _ = served.await;
}

/// Reads a body of at most `most` bytes.
pub async fn read(body: Body, most: usize) -> Result<Vec<u8>, Unread> {
    let mut frames = body.into_data_stream();
    let mut all = Vec::new();
    while let Some(frame) = timeout(BODY_PAUSES, frames.next()).await.map_err(|_| Unread::TooSlow)? {
        let frame = frame.map_err(|_| Unread::Broken)?;
        if all.len() + frame.len() > most {
            return Err(Unread::TooLong);
        }
        all.extend_from_slice(&frame);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::routing::get;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::{TcpListener, TcpStream};
    use tokio::sync::watch;

    use super::serve;

    const ASK: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

    #[tokio::test]
    async fn one_connection_too_many_waits_until_another_ends() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = watch::channel(false);
        let routes = Router::new().route("/", get(|| async { "here" }));
        let server = tokio::spawn(serve(listener, routes, 2, stopped));
        let mut open = Vec::new();
        for _ in 0..3 {
            open.push(TcpStream::connect(address).await.unwrap());
        }
        let mut third = open.pop().unwrap();
        third.write_all(ASK).await.unwrap();
        // The first one is served, so the third could have been.
        let mut first = open.remove(0);
        first.write_all(&ASK[..10]).await.unwrap();
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        let mut nothing = [0];
        assert!(third.try_read(&mut nothing).is_err(), "it waits");
        first.write_all(&ASK[10..]).await.unwrap();
        let mut answer = String::new();
        first.read_to_string(&mut answer).await.unwrap();
        answer.clear();
        third.read_to_string(&mut answer).await.unwrap();
        assert!(answer.ends_with("here"), "{answer}");
        stop.send_replace(true);
        drop(open);
        server.await.unwrap().unwrap();
    }
}
