//! The connections of the pages: WebSockets and HTTP exchanges, as a browser has them. What they bring becomes inputs of the
//! page's client.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use pilothouse_core::client::connection::{CarrierNews, HttpNews, HttpRequest, Input, ResponseHead};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, watch};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};

use super::pages::{CardId, OPERATOR, Pages};

/// The gateway, as the pages know it: it moves when it starts again, and a page may find another one there.
pub const GATEWAY: &str = "http://gateway/";

/// Whoever waits longer than this waits for something that does not come.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// A message for a socket.
pub struct Outgoing {
    pub text: String,
    /// The card's connections are cut as soon as it was sent.
    pub cut: bool,
}

/// Whether a card reads what comes.
type Reading = watch::Receiver<bool>;

/// The socket that is the carrier with this number.
pub async fn socket(
    pages: Pages,
    of: CardId,
    number: u32,
    outgoing: mpsc::UnboundedReceiver<Outgoing>,
    reading: Reading,
) {
    let closed = serve_socket(&pages, of, number, outgoing, reading).await;
    let (code, reason) = closed.unwrap_or((1006, String::new()));
    pages.news(of, Input::Carrier(number, CarrierNews::SocketClosed { code, reason }));
}

/// Returns the close code and its reason; `None` without a word of the gateway.
async fn serve_socket(
    pages: &Pages,
    of: CardId,
    number: u32,
    mut outgoing: mpsc::UnboundedReceiver<Outgoing>,
    mut reading: Reading,
) -> Option<(u16, String)> {
    let (mut to, mut from) = open(pages.gateway_of(of)?).await?.split();
    pages.news(of, Input::Carrier(number, CarrierNews::SocketOpened));
    loop {
        let message = tokio::select! {
            message = outgoing.recv() => {
                let Outgoing { text, cut } = message?;
                to.send(Message::text(text)).await.ok()?;
                if cut {
                    pages.cut_now(of);
                    return None;
                }
                continue;
            }
            message = async { let _ = reading.wait_for(|reading| *reading).await; from.next().await } => message,
        };
        match message?.ok()? {
            Message::Text(text) => {
                pages.news(of, Input::Carrier(number, CarrierNews::Message(text.as_bytes(), None)));
            }
            Message::Binary(bytes) => {
                pages.news(of, Input::Carrier(number, CarrierNews::Message(&bytes, None)));
            }
            Message::Close(close) => return close.map(|close| (close.code.into(), close.reason.to_string())),
            _ => {}
        }
    }
}

async fn open(gateway: SocketAddr) -> Option<WebSocketStream<TcpStream>> {
    let tcp = TcpStream::connect(gateway).await.ok()?;
    Some(client_async(format!("ws://{gateway}/api/rpc"), tcp).await.ok()?.0)
}

/// The HTTP exchange with this number; `cut`: the card's connections are cut as soon as the request was sent.
pub async fn exchange(
    pages: Pages,
    of: CardId,
    number: u32,
    request: HttpRequest,
    cut: bool,
    reading: Reading,
) {
    let ended = fetch(&pages, of, number, &request, cut, reading).await;
    pages.news(of, Input::Http(number, if ended.is_some() { HttpNews::End } else { HttpNews::Broken }));
}

/// Speaks HTTP/1.0, so that the body ends with the connection. `None` if it broke off.
async fn fetch(
    pages: &Pages,
    of: CardId,
    number: u32,
    request: &HttpRequest,
    cut: bool,
    mut reading: Reading,
) -> Option<()> {
    let gateway = pages.gateway_of(of)?;
    let mut stream = TcpStream::connect(gateway).await.ok()?;
    stream.write_all(written(gateway, request).as_bytes()).await.ok()?;
    if cut {
        pages.cut_now(of);
        return None;
    }
    let mut from = BufReader::new(stream);
    let (head, length) = read_head(&mut from).await?;
    pages.news(of, Input::Http(number, HttpNews::Head(head)));
    let mut read = 0;
    loop {
        // Whoever does not read a stream can have answers all the same.
        if request.body.is_none() {
            let _ = reading.wait_for(|reading| *reading).await;
        }
        let bytes = from.fill_buf().await.ok()?;
        if bytes.is_empty() {
            return length.is_none_or(|length| read == length).then_some(());
        }
        pages.news(of, Input::Http(number, HttpNews::Body(bytes)));
        let taken = bytes.len();
        from.consume(taken);
        read += taken;
    }
}

fn written(gateway: SocketAddr, request: &HttpRequest) -> String {
    let path = request.url.strip_prefix(GATEWAY).expect("nothing else is asked");
    let body = request.body.as_deref().unwrap_or_default();
    let method = if request.body.is_some() { "POST" } else { "GET" };
    let headers = [
        ("Host", gateway.to_string()),
        ("Accept", request.accept.to_owned()),
        ("Authorization", request.token.as_ref().map_or_else(String::new, |token| format!("Bearer {token}"))),
        ("Last-Event-ID", request.last_event_id.clone()),
        ("Content-Type", request.body.as_ref().map_or_else(String::new, |_| "application/json".to_owned())),
        ("Content-Length", body.len().to_string()),
    ];
    let headers = headers.iter().filter(|(_, value)| !value.is_empty());
    let headers: Vec<_> = headers.map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("{method} /{path} HTTP/1.0\r\n{}\r\n{body}", headers.concat())
}

/// A response's head, and the length of its body if it says that.
async fn read_head(from: &mut BufReader<TcpStream>) -> Option<(ResponseHead, Option<usize>)> {
    let (mut head, mut length) = (ResponseHead::default(), None);
    let mut line = String::new();
    from.read_line(&mut line).await.ok()?;
    head.status = line.split(' ').nth(1)?.parse().ok()?;
    loop {
        line.clear();
        from.read_line(&mut line).await.ok()?;
        if line == "\r\n" {
            return Some((head, length));
        }
        let (name, value) = line.split_once(':')?;
        let value = value.trim();
        match &*name.to_ascii_lowercase() {
            "content-length" => length = value.parse().ok(),
            "content-type" => head.content_type = Some(value.to_owned()),
            "retry-after" => head.retry_after_ms = value.parse::<u64>().ok().map(|seconds| seconds * 1_000),
            "pilothouse-seq" => head.newest = value.parse().ok(),
            "pilothouse-protocol" => head.protocol = value.parse().ok(),
            "pilothouse-role" => head.role = Some(value.to_owned()),
            _ => {}
        }
    }
}

/// Calls a method over a connection that is only for this. `None` if there is no answer, else its result, or the code of its
/// error.
pub async fn call_once(gateway: SocketAddr, method: &str, params: &Value) -> Option<Result<Value, i64>> {
    let request = |id, method: &str, params: &Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    let call = async {
        let mut stream = open(gateway).await?;
        // A connection signs in with its first message.
        let signing_in = request(1, "pilothouse.sessions", &json!({"token": OPERATOR}));
        for request in [signing_in, request(2, method, params)] {
            stream.send(Message::text(request.to_string())).await.ok()?;
        }
        loop {
            let Message::Text(text) = stream.next().await?.ok()? else { continue };
            let mut answer: Value = serde_json::from_str(&text).ok()?;
            if answer["id"] == 2 {
                let code = answer["error"]["code"].as_i64();
                return Some(code.map_or_else(|| Ok(answer["result"].take()), Err));
            }
        }
    };
    tokio::time::timeout(PATIENCE, call).await.ok()?
}
