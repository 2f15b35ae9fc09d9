//! Reads the element's attributes into a target: where to connect, and the addresses there. What
//! can't be used is an error with its reason.

#[cfg(test)]
mod tests;

use std::fmt;

use super::address::encode;
use super::{Address, AddressError, Carrier};
use crate::model::answer::is_message;
use crate::protocol::RequestKind;

/// The element's attributes as written; blank ones count as absent. `Debug` is for tests: it shows the token.
#[derive(Debug, Clone, Copy, Default)]
pub struct Attributes<'a> {
    /// A gateway's base or a stream's full address; absent: the page's own server.
    pub src: Option<&'a str>,
    /// The session's id; absent: the gateway's first.
    pub session: Option<&'a str>,
    /// `auto`, `ws`, `sse` or `none`; anything else counts as `auto`.
    pub transport: Option<&'a str>,
    /// Sent as `Authorization: Bearer …`, or in a WebSocket's first request.
    pub token: Option<&'a str>,
    /// Where answers are posted when events come by server-sent events.
    pub answer_url: Option<&'a str>,
    /// What the host at `answer_url` takes apart from answers: `runtime` or
    /// `platform`; anything else counts as absent.
    pub protocol: Option<&'a str>,
    /// The page brings a transport of its own. Then only `session` and `token` count.
    pub host_transport: bool,
    /// The page's address (`document.baseURI`) or origin.
    pub page: &'a str,
}

/// The attribute `transport`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Transport {
    /// A WebSocket first, server-sent events if its upgrade is refused.
    #[default]
    Auto,
    /// Only a WebSocket.
    WebSocket,
    /// Only server-sent events.
    Sse,
    /// No connection: the host pushes events.
    None,
}

impl Transport {
    /// Reads the attribute's word; an unknown one is `Auto`.
    pub fn from_word(word: &str) -> Self {
        match word.trim().to_ascii_lowercase().as_str() {
            "ws" | "websocket" => Self::WebSocket,
            "sse" => Self::Sse,
            "none" => Self::None,
            _ => Self::Auto,
        }
    }
}

/// The attribute `protocol`: in what form the host at `answer-url` takes messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// The runtime's own JSON-RPC requests.
    Runtime,
    /// The Copilot platform's body: the conversation so far. The reply is the response.
    Platform,
}

impl Protocol {
    fn from_word(word: &str) -> Option<Self> {
        match &*word.trim().to_ascii_lowercase() {
            "runtime" => Some(Self::Runtime),
            "platform" => Some(Self::Platform),
            _ => None,
        }
    }
}

/// What kind of server is at the address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// A gateway with the addresses of the contract under this base, which ends in a slash.
    Gateway(Address),
    /// One event stream over server-sent events.
    Stream(Address),
    /// One event stream over a WebSocket.
    Socket(Address),
    /// The other end of the page's own transport.
    HostTransport,
    /// No connection.
    Nowhere,
}

/// Where to connect, and with what. `Debug` never shows the token.
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    endpoint: Endpoint,
    session: Option<String>,
    transport: Transport,
    token: Option<String>,
    answer: Option<Address>,
    protocol: Option<Protocol>,
    bare: bool,
}

impl fmt::Debug for Target {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Target")
            .field("endpoint", &self.endpoint)
            .field("session", &self.session)
            .field("transport", &self.transport)
            .field("token", &self.token.as_ref().map(|_| "…"))
            .field("answer", &self.answer)
            .field("protocol", &self.protocol)
            .field("bare", &self.bare)
            .finish()
    }
}

impl Target {
    /// Reads the attributes.
    ///
    /// The rule for `src`: `ws:` and `wss:` are always a stream; of the others, a path that is
    /// empty or ends in `/` is a gateway's base (its query is ignored), any other path is a
    /// stream. An explicit `transport` of `ws` or `sse` turns a full address into that scheme.
    /// An agent of the Copilot platform is not a gateway: without `src` there is nothing to connect to,
    /// and its replies are the responses to posted messages.
    pub fn parse(attributes: &Attributes<'_>) -> Result<Self, AddressError> {
        let transport = attributes.transport.map_or(Transport::Auto, Transport::from_word);
        let protocol = attributes.protocol.and_then(Protocol::from_word);
        let is_platform = protocol == Some(Protocol::Platform);
        let page = Address::resolve(attributes.page, None).ok().map(Address::for_fetch);
        let endpoint = match (transport, non_empty(attributes.src)) {
            _ if attributes.host_transport => Endpoint::HostTransport,
            (Transport::None, _) => Endpoint::Nowhere,
            (_, None) if is_platform => Endpoint::Nowhere,
            (_, None) => Endpoint::Gateway(page.as_ref().ok_or(AddressError::NoPage)?.root()),
            (_, Some(src)) => {
                let address = Address::resolve(src, page.as_ref())?;
                match transport {
                    _ if address.is_base() && !address.is_socket() && !is_platform => {
                        Endpoint::Gateway(address)
                    }
                    Transport::WebSocket => Endpoint::Socket(address.for_socket()),
                    Transport::Sse => Endpoint::Stream(address.for_fetch()),
                    _ if address.is_socket() => Endpoint::Socket(address),
                    _ => Endpoint::Stream(address),
                }
            }
        };
        let answer = match non_empty(attributes.answer_url) {
            _ if attributes.host_transport => None,
            Some(text) => Some(Address::resolve(text, page.as_ref())?),
            None => None,
        };
        if answer.as_ref().is_some_and(Address::is_socket) {
            return Err(AddressError::NotHttp);
        }
        let token = non_empty(attributes.token).map(str::to_owned);
        if token.as_ref().is_some_and(|token| !sendable(token)) {
            return Err(AddressError::Token);
        }
        let session = non_empty(attributes.session).map(str::to_owned);
        Ok(Self { endpoint, session, transport, token, answer, protocol, bare: false })
    }

    /// A target without a network.
    pub fn without_network() -> Self {
        Self {
            endpoint: Endpoint::Nowhere,
            session: None,
            transport: Transport::None,
            token: None,
            answer: None,
            protocol: None,
            bare: false,
        }
    }

    /// The same gateway without a session: a WebSocket on which nothing is subscribed.
    #[must_use]
    pub fn without_session(mut self) -> Self {
        self.session = None;
        self.bare = true;
        self
    }

    /// What kind of server is at the address.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The address of the server, without the session; `None` if there is no network.
    pub fn server(&self) -> Option<String> {
        match &self.endpoint {
            Endpoint::Gateway(address) | Endpoint::Stream(address) | Endpoint::Socket(address) => {
                Some(address.to_string())
            }
            Endpoint::HostTransport | Endpoint::Nowhere => None,
        }
    }

    /// The session asked for by name.
    pub fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// The token. It belongs in a header or a request's body, never in an address or a log.
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Where a gateway turns a token into a cookie; `None` without a gateway.
    pub fn sign_in_url(&self) -> Option<String> {
        match &self.endpoint {
            Endpoint::Gateway(base) => Some(base.join("signin").to_string()),
            _ => None,
        }
    }

    /// In what form the host at `answer-url` takes messages; `None` if there is no
    /// such address, or if it only takes answers.
    pub fn protocol(&self) -> Option<Protocol> {
        self.protocol.filter(|protocol| match protocol {
            Protocol::Runtime => self.is_host(),
            Protocol::Platform => self.answer.is_some(),
        })
    }

    /// Whether everything that is sent is posted to an `answer-url`.
    pub fn is_host(&self) -> bool {
        self.answer.is_some() && matches!(self.endpoint, Endpoint::Stream(_) | Endpoint::Nowhere)
    }

    /// The carriers to try, best first.
    pub fn carriers(&self) -> Vec<Carrier> {
        match (&self.endpoint, self.transport) {
            (Endpoint::HostTransport, _) => vec![Carrier::HostTransport],
            (Endpoint::Nowhere, _) | (_, Transport::None) if self.protocol() == Some(Protocol::Platform) => {
                vec![Carrier::Posts]
            }
            (Endpoint::Nowhere, _) | (_, Transport::None) => vec![Carrier::Replay],
            _ if self.bare => vec![Carrier::WebSocket],
            (Endpoint::Stream(_), _) | (_, Transport::Sse) => vec![Carrier::ServerSentEvents],
            (Endpoint::Socket(_), _) | (Endpoint::Gateway(_), Transport::WebSocket) => {
                vec![Carrier::WebSocket]
            }
            (Endpoint::Gateway(_), Transport::Auto) => vec![Carrier::WebSocket, Carrier::ServerSentEvents],
        }
    }

    /// The WebSocket's address.
    pub fn socket_url(&self) -> Option<String> {
        match &self.endpoint {
            Endpoint::Gateway(base) => Some(base.join("api/rpc").for_socket().to_string()),
            Endpoint::Socket(address) => Some(address.to_string()),
            Endpoint::Stream(_) | Endpoint::HostTransport | Endpoint::Nowhere => None,
        }
    }

    /// Whether the WebSocket speaks a gateway's `pilothouse.*` methods: it is under a base, or
    /// its full address ends in `/api/rpc`.
    pub fn socket_is_gateway(&self) -> bool {
        match &self.endpoint {
            _ if self.bare => false,
            Endpoint::Gateway(_) => true,
            Endpoint::Socket(address) => address.path().ends_with("/api/rpc"),
            Endpoint::Stream(_) | Endpoint::HostTransport | Endpoint::Nowhere => false,
        }
    }

    /// The address of the list of sessions; `None` without a gateway.
    pub fn sessions_url(&self) -> Option<String> {
        match &self.endpoint {
            Endpoint::Gateway(base) => Some(base.join("api/sessions").to_string()),
            _ => None,
        }
    }

    /// Where a gateway reports its own problems; `None` without a gateway.
    pub fn health_url(&self) -> Option<String> {
        match &self.endpoint {
            Endpoint::Gateway(base) => Some(base.join("api/health").to_string()),
            _ => None,
        }
    }

    /// The event stream of `session`, starting after the sequence number `after`; with `history` the gateway may give its
    /// history in place of the stream. A full address stays as it is: there the cursor is sent as `Last-Event-ID` only.
    pub fn events_url(&self, session: &str, after: Option<u64>, history: bool) -> Option<String> {
        match &self.endpoint {
            Endpoint::Gateway(base) => {
                let url = log_url(base, session, "events", after);
                let mark = if after.is_some() { "&" } else { "?" };
                Some(if history { [&url, mark, "history=1"].concat() } else { url })
            }
            Endpoint::Stream(address) => Some(address.to_string()),
            Endpoint::Socket(_) | Endpoint::HostTransport | Endpoint::Nowhere => None,
        }
    }

    /// What is left of the log of `session`, starting after the sequence number `after`, once superseded events are out;
    /// `None` without a gateway.
    pub fn history_url(&self, session: &str, after: Option<u64>) -> Option<String> {
        match &self.endpoint {
            Endpoint::Gateway(base) => Some(log_url(base, session, "history", after)),
            _ => None,
        }
    }

    /// Where a request is posted: a gateway takes any, the host at `answer-url` takes
    /// answers, and messages if its `protocol` says so.
    pub fn request_url(&self, session: &str, method: &str) -> Option<String> {
        let to_host = match self.protocol() {
            Some(Protocol::Runtime) => RequestKind::is_answer(method) || is_message(method),
            _ => RequestKind::is_answer(method),
        };
        match &self.endpoint {
            _ if to_host => self.answer_url(session),
            Endpoint::Gateway(base) => Some(gateway_rpc(base, session)),
            _ => None,
        }
    }

    /// Where answers are posted: the attribute `answer-url`, else the gateway's address for
    /// `session`. `None` if answers can't be sent.
    pub fn answer_url(&self, session: &str) -> Option<String> {
        match (&self.answer, &self.endpoint) {
            (Some(answer), _) => Some(answer.to_string()),
            (None, Endpoint::Gateway(base)) => Some(gateway_rpc(base, session)),
            (None, _) => None,
        }
    }
}

/// The address `name` of a session's log at a gateway.
fn log_url(base: &Address, session: &str, name: &str, after: Option<u64>) -> String {
    let query = after.map_or(String::new(), |after| format!("?after={after}"));
    base.join(&format!("api/sessions/{}/{name}{query}", encode(session))).to_string()
}

fn gateway_rpc(base: &Address, session: &str) -> String {
    base.join(&format!("api/sessions/{}/rpc", encode(session))).to_string()
}

/// Whether a token can be sent in a header.
pub fn sendable(token: &str) -> bool {
    token.bytes().all(|byte| byte.is_ascii_graphic())
}

fn non_empty(attribute: Option<&str>) -> Option<&str> {
    attribute.map(str::trim).filter(|text| !text.is_empty())
}
