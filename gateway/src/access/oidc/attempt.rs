//! A sign-in that is under way. The browser that began it keeps it, in a signed cookie that is sent along when the provider sends it
//! back; so strangers who begin sign-ins take no memory here.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use cookie::{Cookie, CookieJar, Key, SameSite};
use serde::{Deserialize, Serialize};

use super::SignInError;
use crate::access::token::{constant_time_eq, digest, generate};
use crate::time;

/// How long a sign-in may take.
pub const LIFE: Duration = Duration::from_mins(10);
/// The path under which the cookie is sent.
const PATH: &str = "/signin/oidc";
/// In bytes, the longest path to which one comes back.
const LONGEST_BACK: usize = 1024;
/// How many finished sign-ins are remembered.
const MOST_USED: usize = 10_000;

/// A sign-in under way.
#[derive(Clone, Serialize, Deserialize)]
pub struct Attempt {
    /// Which it is. The provider sends it back.
    pub state: String,
    /// What the ID token has to contain.
    pub nonce: String,
    /// What only who has begun it knows (RFC 7636).
    pub verifier: String,
    /// The address of this gateway to which the provider sends the browser.
    pub redirect: String,
    /// The path from which the browser came.
    pub back: String,
    until: u64,
}

impl std::fmt::Debug for Attempt {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Attempt(…)") // it has secrets
    }
}

/// The key that signs attempts, and those that were finished.
pub struct Attempts {
    key: Key,
    /// By the digest of the state: until when it would count.
    used: Mutex<HashMap<[u8; 32], u64>>,
}

impl Attempt {
    /// A new one.
    pub fn new(redirect: String, back: String) -> Result<Self, String> {
        let until = time::seconds() + LIFE.as_secs();
        Ok(Self { state: generate()?, nonce: generate()?, verifier: generate()?, redirect, back, until })
    }
}

impl Attempts {
    /// With a key of its own, so that a restart ends what is under way.
    pub fn new() -> Result<Self, String> {
        Ok(Self { key: Key::derive_from(generate()?.as_bytes()), used: Mutex::default() })
    }

    /// The `Set-Cookie` header that gives an attempt to the browser. It is sent with the request by which the provider sends the browser
    /// back, and no script can read it. Each has a name of its own, so that several tabs can sign in.
    pub fn cookie(&self, prefix: &str, attempt: &Attempt, secure: bool) -> Option<String> {
        let name = name(prefix, &attempt.state)?;
        let value = URL_SAFE_NO_PAD.encode(serde_json::to_vec(attempt).ok()?);
        let cookie = Cookie::build((name.clone(), value))
            .path(PATH)
            .max_age(LIFE.try_into().ok()?)
            .http_only(true)
            .same_site(SameSite::Lax)
            .secure(secure);
        let mut jar = CookieJar::new();
        jar.signed_mut(&self.key).add(cookie);
        jar.get(&name).map(ToString::to_string)
    }

    /// The attempt in a cookie; none where it is not one of ours.
    pub fn read(&self, cookie: &Cookie<'_>) -> Option<Attempt> {
        let cookie = CookieJar::new().signed(&self.key).verify(cookie.clone().into_owned())?;
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(cookie.value()).ok()?).ok()
    }

    /// Uses an attempt up.
    pub fn take(&self, attempt: &Attempt, state: &str) -> Result<(), SignInError> {
        let now = time::seconds();
        if !constant_time_eq(attempt.state.as_bytes(), state.as_bytes()) || attempt.until <= now {
            return Err(SignInError::NotBegun);
        }
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if used.len() >= MOST_USED {
            used.retain(|_, until| *until > now);
            // One that is forgotten could be used again only by who has the cookie and a code that the provider takes twice.
            if used.len() >= MOST_USED {
                used.clear();
            }
        }
        match used.insert(digest(state.as_bytes()), attempt.until) {
            None => Ok(()),
            Some(_) => Err(SignInError::Used),
        }
    }
}

/// The cookie's name for the attempt with this state; none where it can't be the state of one.
pub fn name(prefix: &str, state: &str) -> Option<String> {
    let is_state = state.len() == 48 && state.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_state.then(|| format!("{prefix}-{}", state.get(..8).unwrap_or_default()))
}

/// The `Set-Cookie` header that takes the attempt with this state from the browser.
pub fn removal(prefix: &str, state: &str) -> Option<String> {
    let cookie =
        Cookie::build((name(prefix, state)?, "")).path(PATH).max_age(Duration::ZERO.try_into().ok()?);
    Some(cookie.http_only(true).to_string())
}

/// The path from which a browser came, if one can go back there: a path of this gateway with its query. Anything else is its first page.
pub fn back(asked: Option<&str>) -> String {
    let is_path = |text: &&str| {
        let mut bytes = text.bytes();
        // Browsers read `//host` and `/\host` as another host, and skip tabs and line breaks.
        bytes.next() == Some(b'/')
            && !matches!(bytes.next(), Some(b'/' | b'\\'))
            && text.len() <= LONGEST_BACK
            && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\' && byte != b'#')
            // Not to where one would sign in again, or out.
            && !text.starts_with("/signin")
            && !text.starts_with("/signout")
    };
    asked.filter(is_path).unwrap_or("/").to_owned()
}

#[cfg(test)]
mod tests {
    use cookie::Cookie;

    use super::super::SignInError;
    use super::{Attempt, Attempts, back, name};

    fn attempt() -> Attempt {
        Attempt::new("http://localhost:1/signin/oidc/callback".to_owned(), "/".to_owned()).unwrap()
    }

    fn cookie(attempts: &Attempts, attempt: &Attempt) -> Cookie<'static> {
        Cookie::parse(attempts.cookie("p", attempt, false).unwrap()).unwrap()
    }

    #[test]
    fn one_goes_back_to_a_path_of_this_gateway_and_nowhere_else() {
        for path in ["/", "/?session=a%20b&x=1", "/board/", "/a//b", "/a?next=https://evil.example"] {
            assert_eq!(back(Some(path)), path);
        }
        let long = format!("/{}", "a".repeat(1024));
        for wrong in [
            "",
            "//evil.example",
            "/\\evil.example",
            "\\\\evil.example",
            "https://evil.example",
            "evil.example",
            "javascript:alert(1)",
            "/\t/evil.example",
            "/\n/evil.example",
            " //evil.example",
            "/a\r\nSet-Cookie: x=1",
            "/ä",
            "/a#//b",
            "/signin/oidc",
            "/signout",
            &long,
        ] {
            assert_eq!(back(Some(wrong)), "/", "{wrong:?}");
        }
        assert_eq!(back(None), "/");
    }

    #[test]
    fn an_attempt_counts_for_who_has_its_cookie_and_once() {
        let attempts = Attempts::new().unwrap();
        let (one, other) = (attempt(), attempt());
        let read = attempts.read(&cookie(&attempts, &one)).unwrap();
        assert_eq!((&read.nonce, &read.verifier), (&one.nonce, &one.verifier));
        assert_eq!(attempts.take(&read, &other.state), Err(SignInError::NotBegun));
        assert_eq!(attempts.take(&read, ""), Err(SignInError::NotBegun));
        assert_eq!(attempts.take(&read, &one.state), Ok(()));
        assert_eq!(attempts.take(&read, &one.state), Err(SignInError::Used));
        let late = Attempt { until: crate::time::seconds(), ..attempt() };
        assert_eq!(attempts.take(&late, &late.state), Err(SignInError::NotBegun));
    }

    #[test]
    fn nobody_else_can_make_or_change_its_cookie() {
        let attempts = Attempts::new().unwrap();
        let good = cookie(&attempts, &attempt());
        assert!(attempts.read(&good).is_some());
        assert!(Attempts::new().unwrap().read(&good).is_none(), "after a restart");
        let mut other = cookie(&attempts, &attempt()).value().to_owned();
        other.replace_range(..44, &good.value()[..44]);
        for wrong in [other.as_str(), "", "x", &good.value()[1..]] {
            assert!(attempts.read(&Cookie::new("p", wrong)).is_none(), "{wrong}");
        }
        let header = attempts.cookie("p", &attempt(), true).unwrap();
        for part in ["HttpOnly", "SameSite=Lax", "Secure", "Path=/signin/oidc", "Max-Age=600"] {
            assert!(header.contains(part), "{header}");
        }
        for wrong in ["", "short", &"ä".repeat(24), &"g".repeat(48)] {
            assert_eq!(name("p", wrong), None);
        }
    }
}
