//! Accepts connections and serves HTTP/1.1 on them, with TLS where there is a certificate. What a client may hold without asking for anything is limited:
//! the number of connections, the size of a request's head, the time that it takes, how long it may read nothing.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{HeaderValue, Request, Response, StatusCode, header};
use futures_util::StreamExt as _;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{sleep, timeout};
use tower_service::Service as _;

use super::state::has_ended;
use super::tls::Tls;
use crate::access::limits::{Capacity, network};
use crate::access::metered::{Allowance, Metered};

/// How long a request's head may take, and how long a connection may wait for its next request.
pub const HEAD_TAKES: Duration = Duration::from_secs(10);
/// How long nothing of a request's body may come.
pub const BODY_PAUSES: Duration = Duration::from_secs(30);
/// In bytes.
pub const LARGEST_HEAD: usize = 64 << 10;
/// In seconds, when to come again to a gateway that ends.
pub const COME_AGAIN: &str = "1";
/// What still answers while the gateway ends, each for itself.
const PROBES: [&str; 2] = ["/healthz", "/readyz"];
/// After a failure to accept, such as too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Why a body was not read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyError {
    /// It is longer than allowed.
    TooLong,
    /// Nothing was received for [`BODY_PAUSES`].
    TooSlow,
    /// The connection broke, or it is not a body.
    Broken,
}

/// The connections of each address.
#[derive(Clone, Debug)]
struct ConnectionSlots {
    most_from_one: usize,
    open: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// One connection; dropping it makes room for another.
#[derive(Debug)]
struct ConnectionSlot {
    all: ConnectionSlots,
    of: IpAddr,
    _place: OwnedSemaphorePermit,
}

impl ConnectionSlots {
    /// None is open yet.
    fn new(capacity: Capacity) -> Self {
        Self { most_from_one: capacity.connections_from_one(), open: Arc::default() }
    }

    /// A connection from this address; none if it has its share.
    fn take(&self, from: IpAddr, place: OwnedSemaphorePermit) -> Option<ConnectionSlot> {
        let of = network(from);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(of).or_default();
        if *count >= self.most_from_one && !of.is_loopback() {
            return None;
        }
        *count += 1;
        Some(ConnectionSlot { all: self.clone(), of, _place: place })
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut open = self.all.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.of) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.of);
            }
        }
    }
}

/// Serves until it is dropped. When `stopping` turns true, connections end after what is being served on them, and `served` turns true
/// when the last one has. Who comes meanwhile or later is told to come again.
pub async fn serve(
    listener: TcpListener,
    routes: Router,
    capacity: Capacity,
    tls: Option<Tls>,
    stopping: watch::Receiver<bool>,
    served: watch::Sender<bool>,
) {
    let most = capacity.connections();
    let mut places = Arc::new(Semaphore::new(most));
    let shares = ConnectionSlots::new(capacity);
    let mut served = Some(served);
    loop {
        let accepted = tokio::select! {
            () = has_ended(stopping.clone()), if served.is_some() => {
                // Those who come from now on are counted apart.
                let open = std::mem::replace(&mut places, Arc::new(Semaphore::new(most)));
                tokio::spawn(report_end(open, most, served.take()));
                continue;
            }
            accepted = async {
                let place = Arc::clone(&places).acquire_owned().await.map_err(io::Error::other)?;
                Ok::<_, io::Error>((place, listener.accept().await?))
            } => accepted,
        };
        let Ok((place, (connection, peer))) = accepted else {
            sleep(ACCEPT_PAUSE).await;
            continue;
        };
        // Where there is none, the connection is closed at once.
        let Some(share) = shares.take(peer.ip(), place) else { continue };
        // Without this a small event would wait 40 ms for the acknowledgement of the one before. If it fails, the
        // connection is slower, not wrong.
        let _ = connection.set_nodelay(true);
        let (routes, stopping, tls) = (routes.clone(), stopping.clone(), tls.clone());
        let is_late = served.is_none();
        tokio::spawn(async move {
            match tls {
                None => converse(connection, peer, false, routes, stopping, is_late).await,
                Some(tls) => {
                    // Who does not speak TLS is cut off.
                    if let Ok(connection) = tls.accept(connection).await {
                        converse(connection, peer, true, routes, stopping, is_late).await;
                    }
                }
            }
            drop(share);
        });
    }
}

/// All places are free when the last connection has ended.
async fn report_end(places: Arc<Semaphore>, most: usize, served: Option<watch::Sender<bool>>) {
    let all = u32::try_from(most).unwrap_or(u32::MAX);
    let _ = places.acquire_many(all).await; // an error would mean that there are none
    served.map(|served| served.send_replace(true));
}

/// Serves one connection to its end. Its errors are the client's: it left, or what it sent is not HTTP.
async fn converse<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    connection: S,
    peer: SocketAddr,
    is_tls: bool,
    routes: Router,
    stopping: watch::Receiver<bool>,
    is_late: bool,
) {
    let allowance = Allowance::default();
    let connection = Metered::new(connection, allowance.clone());
    let ends = stopping.clone();
    let service = service_fn(move |mut request: Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        request.extensions_mut().insert(allowance.clone());
        if is_tls {
            // As a proxy says it that does TLS in front of a gateway.
            request.headers_mut().insert("x-forwarded-proto", HeaderValue::from_static("https"));
        }
        let chunked = request.headers().contains_key(header::TRANSFER_ENCODING);
        let answer = if *ends.borrow() && !PROBES.contains(&request.uri().path()) {
            Err(come_again())
        } else {
            Ok(routes.clone().call(request))
        };
        async move {
            let mut response: Response<Body> = match answer {
                Ok(answer) => answer.await?,
                Err(come_again) => come_again,
            };
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
    let served =
        http.keep_alive(!is_late).serve_connection(TokioIo::new(connection), service).with_upgrades();
    tokio::pin!(served);
    tokio::select! {
        _ = served.as_mut() => return,
        () = has_ended(stopping), if !is_late => served.as_mut().graceful_shutdown(),
    }
    let _ = served.await;
}

/// The answer to who comes while the gateway ends.
fn come_again() -> Response<Body> {
    let mut response = Response::new(Body::from("the gateway ends; come again\n"));
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static(COME_AGAIN));
    response
}

/// Reads a body of at most `most` bytes.
pub async fn read(body: Body, most: usize) -> Result<Vec<u8>, BodyError> {
    let mut frames = body.into_data_stream();
    let mut all = Vec::new();
    while let Some(frame) = timeout(BODY_PAUSES, frames.next()).await.map_err(|_| BodyError::TooSlow)? {
        let frame = frame.map_err(|_| BodyError::Broken)?;
        if all.len() + frame.len() > most {
            return Err(BodyError::TooLong);
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

    use std::net::IpAddr;
    use std::sync::Arc;
    use tokio::sync::Semaphore;

    use super::{Capacity, ConnectionSlots, serve};

    #[test]
    fn one_machine_has_its_share_of_the_connections() {
        let capacity = Capacity::default();
        let (most, from_one) = (capacity.connections(), capacity.connections_from_one());
        let (shares, places) = (ConnectionSlots::new(capacity), Arc::new(Semaphore::new(most)));
        let take = |from: &str| {
            shares.take(from.parse::<IpAddr>().unwrap(), Arc::clone(&places).try_acquire_owned().unwrap())
        };
        let mut open: Vec<_> = (0..from_one).map(|_| take("2001:db8::1").unwrap()).collect();
        assert!(take("2001:db8::2").is_none(), "the same household");
        assert!(take("192.0.2.1").is_some());
        open.pop();
        assert!(take("2001:db8::2").is_some());
        open.extend((0..2 * from_one).map(|_| take("127.0.0.1").unwrap()));
        drop(open);
        assert_eq!(places.available_permits(), most);
        assert!(shares.open.lock().unwrap().is_empty(), "nothing is remembered");
    }

    const ASK: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

    #[tokio::test]
    async fn one_connection_too_many_waits_until_another_ends() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = watch::channel(false);
        let routes = Router::new().route("/", get(|| async { "here" }));
        let capacity = Capacity { streams: 1, ..Capacity::default() };
        let most = capacity.connections();
        let (ended, mut over) = watch::channel(false);
        let server = tokio::spawn(serve(listener, routes, capacity, None, stopped, ended));
        let mut open = Vec::new();
        for _ in 0..=most {
            open.push(TcpStream::connect(address).await.unwrap());
        }
        let mut last = open.pop().unwrap();
        last.write_all(ASK).await.unwrap();
        // The first one is served, so the last could have been.
        let mut first = open.remove(0);
        first.write_all(&ASK[..10]).await.unwrap();
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        let mut nothing = [0];
        assert!(last.try_read(&mut nothing).is_err(), "it waits");
        first.write_all(&ASK[10..]).await.unwrap();
        let mut answer = String::new();
        first.read_to_string(&mut answer).await.unwrap();
        answer.clear();
        last.read_to_string(&mut answer).await.unwrap();
        assert!(answer.ends_with("here"), "{answer}");
        stop.send_replace(true);
        drop(open);
        over.wait_for(|over| *over).await.unwrap();
        let mut late = TcpStream::connect(address).await.unwrap();
        late.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
        answer.clear();
        late.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("retry-after: 1"), "{answer}");
        server.abort();
    }
}
