//! Decides which link targets may be followed, and finds bare addresses in a text.

/// What may be done with the target of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// `http`, `https` or `mailto`: opens outside of this page.
    External,
    /// A fragment or a relative path: it means a file or a place that this page can't open.
    Local,
    /// Anything else (`javascript:`, `data:`, …): text only.
    Refused,
}

/// Classifies the target of a link by its scheme.
///
/// Browsers strip tabs and line breaks inside a URL and spaces before it, so
/// `java\nscript:` would pass a simple check of the prefix. A target with a control
/// character, or with white space around it, is refused as a whole.
pub fn reach(target: &str) -> Reach {
    if target.trim() != target || target.chars().any(char::is_control) {
        return Reach::Refused;
    }
    let scheme_end = target.find([':', '/', '\\', '?', '#']);
    let Some((scheme, rest)) = scheme_end.and_then(|end| target.split_at_checked(end)) else {
        return Reach::Local;
    };
    if !rest.starts_with(':') {
        return Reach::Local;
    }
    let known = ["http", "https", "mailto"];
    if known.iter().any(|name| scheme.eq_ignore_ascii_case(name)) { Reach::External } else { Reach::Refused }
}

/// The host that a browser would contact, without user name and port; `None` if there is none.
pub fn host(target: &str) -> Option<&str> {
    let (scheme, rest) = target.split_once(':')?;
    if !(scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")) {
        return None;
    }
    // Browsers read `\` as `/` here, and accept any number of them.
    let rest = rest.trim_start_matches(['/', '\\']);
    let authority = rest.split(['/', '\\', '?', '#']).next()?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host =
        if host.starts_with('[') { host.split_inclusive(']').next()? } else { host.split(':').next()? };
    (!host.is_empty()).then_some(host)
}

/// Finds the first bare `http(s)` or `www.` address in `text` as a byte range, by the rules of GFM's extended
/// autolinks. In scripts without spaces, it ends at their punctuation.
pub fn find_bare(text: &str) -> Option<std::ops::Range<usize>> {
    let mut from = 0;
    loop {
        let rest = text.get(from..)?;
        let start = from + [rest.find("http"), rest.find("www.")].into_iter().flatten().min()?;
        from = start + 4;
        let rest = text.get(start..)?;
        let named = rest.strip_prefix("https://").or_else(|| rest.strip_prefix("http://"));
        let Some(after) = named.or_else(|| rest.strip_prefix("www.")) else {
            continue;
        };
        let glued = text.get(..start)?.chars().next_back().is_some_and(|c| {
            c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/' | '-' | '@') && named.is_none()
        });
        if glued || !after.starts_with(|c: char| c.is_alphanumeric() || c == '[') {
            continue;
        }
        let end = rest.find(|c: char| c.is_whitespace() || c.is_control() || ends_address(c));
        let link = trim_tail(rest.get(..end.unwrap_or(rest.len()))?);
        let domain = link.split(['/', '?', '#', ':']).next()?;
        if named.is_none() && domain.matches('.').count() < 2 {
            continue;
        }
        return Some(start..start + link.len());
    }
}

/// The link target of a bare address.
pub fn address(bare: &str) -> String {
    if bare.starts_with("www.") { format!("http://{bare}") } else { bare.to_owned() }
}

fn ends_address(c: char) -> bool {
    matches!(
        c,
        '<' | '>' | '`' | '‘' | '’' | '“' | '”' | '…' | '\u{3000}'
            ..='\u{301f}' | '！' | '（' | '）' | '，' | '：' | '；' | '？'
    )
}

/// What an address does not end with, though it may go on behind it.
const PUNCTUATION: [char; 18] =
    ['?', '!', '.', ',', ':', ';', '*', '_', '~', '\'', '"', '’', '”', '»', '،', '؛', '؟', '۔'];

/// Whether an address that ends before this text may go on behind it.
pub(super) fn may_go_on(text: &str) -> bool {
    text.chars().all(|c| c == ')' || PUNCTUATION.contains(&c))
}

/// Cuts off punctuation at the end, which belongs to the sentence, and a
/// parenthesis that was opened before the address.
fn trim_tail(mut url: &str) -> &str {
    let opened = url.matches('(').count();
    let mut closed = url.matches(')').count();
    loop {
        url = without_reference(url).trim_end_matches(PUNCTUATION);
        match url.strip_suffix(')') {
            Some(shorter) if closed > opened => {
                closed -= 1;
                url = shorter;
            }
            _ => return url,
        }
    }
}

/// Cuts off what looks like a character reference at the end, as GFM does: `&amp;`.
fn without_reference(url: &str) -> &str {
    let name = url.strip_suffix(';').and_then(|rest| rest.rsplit_once('&'));
    match name {
        Some((before, name)) if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
            before
        }
        _ => url,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_schemes_are_followed() {
        assert_eq!(reach("https://a.b/c"), Reach::External);
        assert_eq!(reach("HTTP://a.b"), Reach::External);
        assert_eq!(reach("mailto:a@b.c"), Reach::External);
        assert_eq!(reach("src/lib.rs"), Reach::Local);
        assert_eq!(reach("#top"), Reach::Local);
        assert_eq!(reach("docs/a.md#x:y"), Reach::Local);
        for bad in [
            "javascript:alert(1)",
            "JaVaScript:x",
            "java\nscript:x",
            " javascript:x",
            "data:text/html,x",
            "vbscript:x",
            "file:///etc/passwd",
            "\u{1}javascript:x",
            "blob:x",
        ] {
            assert_eq!(reach(bad), Reach::Refused, "{bad:?}");
        }
    }

    #[test]
    fn host_is_the_one_that_a_browser_asks() {
        assert_eq!(host("https://user:pw@evil.example:8080/x"), Some("evil.example"));
        assert_eq!(host("https://evil.example\\@good.example/"), Some("evil.example"));
        assert_eq!(host("https:evil.example"), Some("evil.example"));
        assert_eq!(host("http://[::1]:80/"), Some("[::1]"));
        assert_eq!(host("mailto:a@b"), None);
        assert_eq!(host("data:image/png;base64,xx"), None);
    }

    #[test]
    fn bare_addresses_end_where_the_sentence_goes_on() {
        let cut = |text: &'static str| find_bare(text).and_then(|range| text.get(range));
        assert_eq!(cut("see https://a.b/c."), Some("https://a.b/c"));
        assert_eq!(cut("(see https://a.b/c_(d))"), Some("https://a.b/c_(d)"));
        assert_eq!(cut("(https://a.b)"), Some("https://a.b"));
        assert_eq!(cut("xhttps://a.b"), None);
        assert_eq!(cut("http and https:// alone"), None);
        assert_eq!(cut("访问https://a.b/文档，然后"), Some("https://a.b/文档"));
        assert_eq!(cut("ورابط https://a.b/c، ثم"), Some("https://a.b/c"));
        assert_eq!(cut("（https://a.b/c）。"), Some("https://a.b/c"));
        assert_eq!(cut("see www.a.example/x."), Some("www.a.example/x"));
        assert_eq!(cut("x@www.a.b, awww.a.b, www.only, www."), None);
        assert_eq!(address("www.a.b"), "http://www.a.b");
    }
    #[test]
    fn bare_addresses_are_those_of_the_examples_of_gfm() {
        for (text, address) in [
            ("www.commonmark.org", "www.commonmark.org"),
            ("Visit www.commonmark.org/help for more information.", "www.commonmark.org/help"),
            ("Visit www.commonmark.org.", "www.commonmark.org"),
            ("Visit www.commonmark.org/a.b.", "www.commonmark.org/a.b"),
            ("www.google.com/search?q=Markup+(business)", "www.google.com/search?q=Markup+(business)"),
            ("www.google.com/search?q=Markup+(business)))", "www.google.com/search?q=Markup+(business)"),
            ("(www.google.com/search?q=Markup+(business))", "www.google.com/search?q=Markup+(business)"),
            ("(www.google.com/search?q=Markup+(business)", "www.google.com/search?q=Markup+(business)"),
            ("www.google.com/search?q=(business))+ok", "www.google.com/search?q=(business))+ok"),
            ("www.google.com/search?q=commonmark&hl=en", "www.google.com/search?q=commonmark&hl=en"),
            ("www.google.com/search?q=commonmark&hl;", "www.google.com/search?q=commonmark"),
            ("www.commonmark.org/he<lp", "www.commonmark.org/he"),
            ("http://commonmark.org", "http://commonmark.org"),
        ] {
            assert_eq!(find_bare(text).and_then(|range| text.get(range)), Some(address), "{text}");
        }
    }
}
