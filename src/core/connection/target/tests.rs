//! Owns the proofs of the attributes' rules and of every address they lead to.
//! Refuses to connect anywhere.

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
        target.events_url("s/1", Some(7)).unwrap(),
        "http://127.0.0.1:7878/api/sessions/s%2F1/events?after=7"
    );
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
    assert_eq!(stream.events_url("x", Some(3)).unwrap(), "http://127.0.0.1:7878/s?id=1");
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
