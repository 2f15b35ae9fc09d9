//! Tests of reading addresses: what is kept, resolved and rejected.

use super::*;

fn resolved(text: &str) -> Result<String, AddressError> {
    let page = Address::resolve("https://host.example/app/page.html?x=1#y", None).unwrap();
    Address::resolve(text, Some(&page)).map(|address| address.to_string())
}

#[test]
fn absolute_addresses_keep_what_they_say() {
    for (text, wanted) in [
        ("http://a", "http://a/"),
        (" HTTP://A.Example:80/B?c=D#e ", "http://a.example:80/B?c=D"),
        ("wss://a/rpc", "wss://a/rpc"),
        ("http://[::1]:7878/", "http://[::1]:7878/"),
        ("http://a?b=c:d//e", "http://a/?b=c:d//e"),
        ("http://a/b/../c/./d/..", "http://a/c/"),
        ("http://a/%2E%2e/../x", "http://a/x"),
        ("http://müsli.example/ü", "http://müsli.example/ü"),
    ] {
        assert_eq!(resolved(text).as_deref(), Ok(wanted), "{text}");
    }
}

#[test]
fn relative_addresses_start_from_the_page() {
    for (text, wanted) in [
        ("", "https://host.example/app/page.html?x=1"),
        ("/", "https://host.example/"),
        ("events", "https://host.example/app/events"),
        ("./sub/", "https://host.example/app/sub/"),
        ("../../..", "https://host.example/"),
        ("..", "https://host.example/"),
        ("/s?a=http://x", "https://host.example/s?a=http://x"),
        ("?q", "https://host.example/app/page.html?q"),
        ("//other:1/x", "https://other:1/x"),
        ("a/b:c", "https://host.example/app/a/b:c"),
    ] {
        assert_eq!(resolved(text).as_deref(), Ok(wanted), "{text}");
    }
    assert_eq!(Address::resolve("/x", None), Err(AddressError::NoPage));
}

#[test]
fn everything_else_is_refused() {
    for (text, wanted) in [
        ("javascript:alert(1)", AddressError::Scheme("javascript".into())),
        ("FILE:///etc", AddressError::Scheme("file".into())),
        ("data:,x", AddressError::Scheme("data".into())),
        ("localhost:7878", AddressError::Scheme("localhost".into())),
        ("http:x", AddressError::Host),
        ("http://", AddressError::Host),
        ("http:///x", AddressError::Host),
        ("http://:80/", AddressError::Host),
        ("http://[::1/", AddressError::Host),
        ("http://[::1]x/", AddressError::Host),
        ("http://[zz]/", AddressError::Host),
        ("http://a%2fb/", AddressError::Host),
        ("http://u:p@a/", AddressError::Credentials),
        ("http://a:99999/", AddressError::Port),
        ("http://a:+1/", AddressError::Port),
        ("http://a:b/", AddressError::Port),
        ("http:\\\\a", AddressError::Character('\\')),
        ("http://a/\tb", AddressError::Character('\t')),
        ("http://a b", AddressError::Character(' ')),
    ] {
        assert_eq!(resolved(text), Err(wanted), "{text}");
    }
}

#[test]
fn one_segment_stays_one_segment() {
    assert_eq!(encode("a b/c?d#é"), "a%20b%2Fc%3Fd%23%C3%A9");
    assert_eq!(encode("0d2e-4_~.x"), "0d2e-4_~.x");
    assert_eq!((encode(".."), encode(".")), ("..%20".into(), ".%20".into()));
}
