//! The sign-in cookie. Of who signed in with a token it is `role.expiry`, signed with a key that is derived from the token. So it is still valid after the gateway has
//! restarted, and no longer valid when the token has changed. The key tells whose it is. It does not contain the token. Of
//! who signed in with a provider it is the random number of a session (`oidc::sessions`).

use std::time::Duration;

use axum::http::{HeaderMap, header};
use cookie::{Cookie, CookieJar, SameSite};

use super::person::Person;
use super::{Access, Member};
use crate::time;

/// How long somebody stays signed in.
pub const LIFE: Duration = Duration::from_hours(30 * 24);

/// The cookies of this name in a request.
pub fn named<'a>(headers: &'a HeaderMap, name: &'a str) -> impl Iterator<Item = Cookie<'a>> {
    let values = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let cookies = values.flat_map(Cookie::split_parse).filter_map(Result::ok);
    cookies.filter(move |cookie| cookie.name() == name)
}

/// A `Set-Cookie` header. No script can read the cookie, and browsers send it only with requests from this site; `secure`
/// restricts it to https.
pub fn set(name: &str, member: &Member, secure: bool) -> Option<String> {
    let claim = format!("{}.{}", member.person.role.word(), time::seconds() + LIFE.as_secs());
    let mut jar = CookieJar::new();
    jar.signed_mut(member.token.key()).add(cookie(name, claim, LIFE, secure)?);
    jar.get(name).map(ToString::to_string)
}

/// A `Set-Cookie` header for a session that is kept here, of which `value` is a random number.
pub fn set_session(name: &str, value: String, secure: bool) -> Option<String> {
    Some(cookie(name, value, LIFE, secure)?.to_string())
}

/// A `Set-Cookie` header that takes the cookie away.
pub fn removal(name: &str, secure: bool) -> Option<String> {
    Some(cookie(name, String::new(), Duration::ZERO, secure)?.to_string())
}

fn cookie(name: &str, value: String, life: Duration, secure: bool) -> Option<Cookie<'static>> {
    let cookie = Cookie::build((name.to_owned(), value)).path("/").max_age(life.try_into().ok()?);
    Some(cookie.http_only(true).same_site(SameSite::Strict).secure(secure).build())
}

/// Whose cookie it is; none where it is not one of ours, or has expired.
pub fn person(access: &Access, cookie: &Cookie<'_>) -> Option<Person> {
    let session = || access.oidc()?.sessions().person(cookie.value());
    of_member(access, cookie).cloned().or_else(session)
}

fn of_member<'a>(access: &'a Access, cookie: &Cookie<'_>) -> Option<&'a Person> {
    let is_of = |member: &&Member| {
        let cookie = CookieJar::new().signed(member.token.key()).verify(cookie.clone().into_owned());
        let Some(cookie) = cookie else { return false };
        let claim = cookie.value().split_once('.');
        claim.is_some_and(|(word, expiry)| {
            word == member.person.role.word()
                && expiry.parse().is_ok_and(|expiry: u64| expiry > time::seconds())
        })
    };
    Some(&access.0.members.iter().find(is_of)?.person)
}

#[cfg(test)]
mod tests {
    use std::time::{SystemTime, UNIX_EPOCH};

    use cookie::{Cookie, CookieJar};

    use super::{HeaderMap, header, named, person};
    use crate::access::settings::Settings;
    use crate::access::{Access, Role};

    fn access(operator: &str, viewer: &str) -> Access {
        let settings = Settings {
            operator: Some(operator.to_owned()),
            viewer: Some(viewer.to_owned()),
            ..Settings::default()
        };
        Access::open(&settings).unwrap().0
    }

    fn set(access: &Access, name: &str, role: Role, secure: bool) -> Option<String> {
        let member = access.0.members.iter().find(|member| member.person.role == role)?;
        super::set(name, member, secure)
    }

    fn role(access: &Access, cookie: &Cookie<'_>) -> Option<Role> {
        person(access, cookie).map(|person| person.role)
    }

    fn value(header: &str) -> &str {
        header.split_once('=').unwrap().1.split_once(';').unwrap().0
    }

    fn cookie(value: &str) -> Cookie<'_> {
        Cookie::new("pilothouse-1", value)
    }

    #[test]
    fn it_names_the_role_and_nothing_can_be_changed_in_it() {
        let access = access("token-of-the-operator", "token-of-the-viewer");
        let header = set(&access, "pilothouse-1", Role::Viewer, false).unwrap();
        assert!(header.contains("HttpOnly; SameSite=Strict") && !header.contains("Secure"), "{header}");
        assert!(!header.contains("token-of"), "{header}");
        let good = value(&header);
        assert_eq!(role(&access, &cookie(good)), Some(Role::Viewer));
        assert_eq!(role(&access, &cookie(&good.replace("viewer", "operator"))), None);
        let signature = good.strip_suffix(&good[good.find("viewer").unwrap()..]).unwrap();
        let later = format!("{signature}viewer.{}", u64::MAX);
        for forged in [later.as_str(), "", ".", "..", "viewer.1", "viewer.x.y"] {
            assert_eq!(role(&access, &cookie(forged)), None, "{forged}");
        }
        assert!(set(&access, "n", Role::Operator, true).unwrap().contains("; Secure"));
    }

    #[test]
    fn it_ends_with_its_time_and_with_its_token() {
        let one = access("token-of-the-operator", "token-of-the-viewer");
        let mut jar = CookieJar::new();
        let key = one.0.members[0].token.key();
        let past = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() - 1;
        jar.signed_mut(key).add(("pilothouse-1", format!("operator.{past}")));
        assert_eq!(role(&one, jar.get("pilothouse-1").unwrap()), None);
        let good = set(&one, "pilothouse-1", Role::Operator, false).unwrap();
        assert_eq!(role(&one, &cookie(value(&good))), Some(Role::Operator));
        let changed = access("another-token-altogether", "token-of-the-viewer");
        assert_eq!(role(&changed, &cookie(value(&good))), None);
    }

    #[test]
    fn only_cookies_of_the_name_count() {
        let values = |text: &str| {
            let headers = HeaderMap::from_iter([(header::COOKIE, text.parse().unwrap())]);
            named(&headers, "pilothouse-1").map(|cookie| cookie.value().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(values("a=1; pilothouse-1=x; pilothouse-12=y"), ["x"]);
        assert_eq!(values(""), [""; 0]);
    }
}
