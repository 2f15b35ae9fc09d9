//! Tests of the attributes' rules and of every address that follows from them.

use super::*;

fn target(src: Option<&str>, transport: &str) -> Target {
    let attributes = Attributes {
        src,
        transport: Some(transport),
        session: Some(" s/1 "),
        page: "http://127.0.0.1:7878/app/index.html",
        ..Attributes::default()
    };
    Target::parse(&attributes).unwrap()
}

#[test]
fn without_src_the_page_s_server_is_the_gateway() {
    let target = target(None, "auto");
    assert_eq!(target.socket_url().unwrap(), "ws://127.0.0.1:7878/api/rpc");
    assert_eq!(target.sessions_url().unwrap(), "http://127.0.0.1:7878/api/sessions");
    assert_eq!(
        target.events_url("s/1", Some(7), false).unwrap(),
        "http://127.0.0.1:7878/api/sessions/s%2F1/events?after=7"
    );
    assert!(target.events_url("s", Some(7), true).unwrap().ends_with("/events?after=7&history=1"));
    assert!(target.events_url("s", None, true).unwrap().ends_with("/events?history=1"));
    assert_eq!(target.answer_url("s/1").unwrap(), "http://127.0.0.1:7878/api/sessions/s%2F1/rpc");
    assert_eq!(target.session(), Some("s/1"));
    assert_eq!(target.carriers().len(), 2);
}

#[test]
fn the_rule_for_src() {
    for (src, transport, gateway, socket, carrier) in [
        ("https://h", "auto", true, Some("wss://h/api/rpc"), Carrier::WebSocket),
        ("https://h/base/?q", "ws", true, Some("wss://h/base/api/rpc"), Carrier::WebSocket),
        ("https://h/base/", "sse", true, Some("wss://h/base/api/rpc"), Carrier::ServerSentEvents),
        ("https://h/stream", "auto", false, None, Carrier::ServerSentEvents),
        ("https://h/stream", "ws", false, Some("wss://h/stream"), Carrier::WebSocket),
        ("ws://h/", "auto", false, Some("ws://h/"), Carrier::WebSocket),
        ("ws://h/x/api/rpc", "auto", true, Some("ws://h/x/api/rpc"), Carrier::WebSocket),
        ("wss://h/x", "sse", false, None, Carrier::ServerSentEvents),
        ("javascript:0", "none", false, None, Carrier::Replay),
    ] {
        let target = target(Some(src), transport);
        assert_eq!(target.socket_is_gateway(), gateway, "{src}");
        assert_eq!(target.socket_url().as_deref(), socket, "{src}");
        assert_eq!(target.carriers().first(), Some(&carrier), "{src}");
    }
    let stream = target(Some("../s?id=1"), "auto");
    assert_eq!(stream.events_url("x", Some(3), true).unwrap(), "http://127.0.0.1:7878/s?id=1");
    assert_eq!(stream.answer_url("x"), None);
}

#[test]
fn what_can_t_be_used_says_why() {
    let page = "file:///home/me/page.html";
    let parse = |attributes: Attributes<'_>| Target::parse(&attributes).unwrap_err();
    assert_eq!(parse(Attributes { page, ..Attributes::default() }), AddressError::NoPage);
    let src = Some("ftp://h/");
    let error = parse(Attributes { src, page, ..Attributes::default() });
    assert!(error.to_string().contains("`ftp:`"), "{error}");
    let (src, token) = (Some("http://h/"), Some("a b"));
    assert_eq!(parse(Attributes { src, token, page, ..Attributes::default() }), AddressError::Token);
    let answer_url = Some("wss://h/");
    assert_eq!(parse(Attributes { src, answer_url, page, ..Attributes::default() }), AddressError::NotHttp);
}

#[test]
fn with_a_transport_of_the_page_s_own_only_the_session_and_the_token_count() {
    let attributes = Attributes {
        src: Some("ftp://h/"),
        session: Some("s/1"),
        transport: Some("sse"),
        token: Some("secret"),
        answer_url: Some("wss://h/"),
        protocol: Some("platform"),
        host_transport: true,
        page: "vscode-webview://x/",
    };
    let target = Target::parse(&attributes).unwrap();
    assert_eq!(target.carriers(), [Carrier::HostTransport]);
    assert_eq!((target.session(), target.token()), (Some("s/1"), Some("secret")));
    assert_eq!((target.server(), target.socket_url(), target.answer_url("s/1")), (None, None, None));
    assert_eq!((target.request_url("s/1", "session.send"), target.protocol()), (None, None));
    assert!(!target.is_host());
}

#[test]
fn debug_hides_the_token() {
    let attributes = Attributes {
        token: Some("secret"),
        page: "http://h/",
        answer_url: Some("/a"),
        ..Attributes::default()
    };
    let target = Target::parse(&attributes).unwrap();
    assert!(!format!("{target:?}").contains("secret"));
    assert_eq!(target.answer_url("x").unwrap(), "http://h/a");
}

#[test]
fn a_host_at_answer_url_is_sent_answers_and_the_messages_that_it_says_it_takes() {
    let request_url = |src, protocol, method: &str| {
        let attributes = Attributes {
            src,
            protocol,
            answer_url: Some("/answers"),
            page: "http://h/",
            ..Attributes::default()
        };
        let url = Target::parse(&attributes).unwrap().request_url("s", method);
        url.map(|url| url.trim_start_matches("http://h/").to_owned())
    };
    let answer = "session.permissions.handlePendingPermissionRequest";
    let asked = ["session.permissions.pendingRequests", "session.queue.pendingItems", "session.mode.get"];
    for protocol in [None, Some("runtime"), Some("platform"), Some("other")] {
        assert_eq!(request_url(Some("/events"), protocol, answer).as_deref(), Some("answers"));
        for method in asked {
            assert_eq!(request_url(Some("/events"), protocol, method), None, "{method}");
        }
    }
    let send = "session.send";
    assert_eq!(request_url(Some("/events"), None, send), None, "nobody said that it takes messages");
    assert_eq!(request_url(Some("/events"), Some("runtime"), send).as_deref(), Some("answers"));
    assert_eq!(request_url(Some("/events"), Some("platform"), send), None, "those have a form of their own");
    let rpc = Some("api/sessions/s/rpc");
    assert_eq!(request_url(Some("/"), None, asked[0]).as_deref(), rpc, "a gateway may be asked everything");
    assert_eq!(request_url(Some("/"), None, answer).as_deref(), Some("answers"));
}

#[test]
fn an_agent_of_the_platform_needs_no_stream() {
    let agent = |src, transport, answer_url| {
        let protocol = Some("platform");
        let attributes =
            Attributes { src, protocol, transport, answer_url, page: "http://h/", ..Attributes::default() };
        let target = Target::parse(&attributes).unwrap();
        (target.carriers(), target.protocol())
    };
    let (speaks, url) = (Some(Protocol::Platform), Some("/agent"));
    assert_eq!(agent(None, None, url), (vec![Carrier::Posts], speaks));
    assert_eq!(agent(Some("/x"), Some("none"), url), (vec![Carrier::Posts], speaks));
    assert_eq!(
        agent(Some("http://a/"), None, url),
        (vec![Carrier::ServerSentEvents], speaks),
        "it is not a gateway"
    );
    assert_eq!(agent(None, None, None), (vec![Carrier::Replay], None));
}
