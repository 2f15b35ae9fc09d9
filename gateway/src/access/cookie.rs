//! The sign-in cookie: `role.expiry.signature`, signed with the role's token, which it does not contain.
//! So it is still valid after the gateway has restarted, and no longer valid when the token has changed.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::token::same;
use super::{Access, Role};

/// How long somebody stays signed in.
pub const LIFE: Duration = Duration::from_hours(30 * 24);

/// The values of the cookies of this name in a `Cookie` header.
pub fn named<'a>(header: &'a str, name: &str) -> Vec<&'a str> {
    let pairs = header.split(';').filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(|(found, _)| *found == name).map(|(_, value)| value).collect()
}

/// A `Set-Cookie` header; none where the role has no token. No script can read the cookie, and browsers send
/// it only with requests from this site; `secure` restricts it to https.
pub fn set(access: &Access, name: &str, role: Role, secure: bool) -> Option<String> {
    let expiry = now() + LIFE.as_secs();
    let claim = format!("{}.{expiry}", role.word());
    let signature = access.token_of(role)?.sign(&claim);
    let secure = if secure { "; Secure" } else { "" };
    let age = LIFE.as_secs();
    Some(format!("{name}={claim}.{signature}; Path=/; Max-Age={age}; HttpOnly; SameSite=Strict{secure}"))
}

/// The role of a cookie; none where it is not one of ours or has expired.
pub fn role(access: &Access, value: &str) -> Option<Role> {
    let (claim, signature) = value.rsplit_once('.')?;
    let (word, expiry) = claim.split_once('.')?;
    let role = Role::from_word(word)?;
    let expected = access.token_of(role)?.sign(claim);
    let good = same(expected.as_bytes(), signature.as_bytes()) && expiry.parse::<u64>().ok()? > now();
    good.then_some(role)
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use super::{named, now, role, set};
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

    fn value(header: &str) -> &str {
        header.split_once('=').unwrap().1.split_once(';').unwrap().0
    }

    #[test]
    fn it_names_the_role_and_nothing_can_be_changed_in_it() {
        let access = access("token-of-the-operator", "token-of-the-viewer");
        let header = set(&access, "pilothouse-1", Role::Viewer, false).unwrap();
        assert!(header.contains("HttpOnly; SameSite=Strict") && !header.contains("Secure"), "{header}");
        assert!(!header.contains("token-of"), "{header}");
        assert_eq!(role(&access, value(&header)), Some(Role::Viewer));
        assert_eq!(role(&access, &value(&header).replace("viewer", "operator")), None);
        let later = format!("viewer.{}.{}", u64::MAX, value(&header).rsplit_once('.').unwrap().1);
        for forged in [later.as_str(), "", ".", "..", "viewer.1", "viewer.x.y"] {
            assert_eq!(role(&access, forged), None, "{forged}");
        }
        assert!(set(&access, "n", Role::Operator, true).unwrap().ends_with("; Secure"));
    }

    #[test]
    fn it_ends_with_its_time_and_with_its_token() {
        let one = access("token-of-the-operator", "token-of-the-viewer");
        let claim = format!("operator.{}", now() - 1);
        let signature = one.token_of(Role::Operator).unwrap().sign(&claim);
        assert_eq!(role(&one, &format!("{claim}.{signature}")), None);
        let good = set(&one, "n", Role::Operator, false).unwrap();
        let changed = access("another-token-altogether", "token-of-the-viewer");
        assert_eq!(role(&changed, value(&good)), None);
    }

    #[test]
    fn only_cookies_of_the_name_count() {
        assert_eq!(named("a=1; pilothouse-1=x; pilothouse-12=y", "pilothouse-1"), ["x"]);
        assert_eq!(named("", "pilothouse-1"), [""; 0]);
    }
}
