//! The codes of links that sign somebody in once.

use std::time::Duration;

use tokio::time::Instant;

use super::token::{constant_time_eq, digest, generate};
use super::{Access, Member, Role};

/// How long a link works.
pub const LINK_LIFE: Duration = Duration::from_mins(10);

/// The codes of links that have not been used yet: at most one for each member.
#[derive(Default)]
pub struct Codes(Vec<SignInCode>);

struct SignInCode {
    digest: [u8; 32],
    /// The place among the members.
    member: usize,
    until: Instant,
}

impl Codes {
    fn take(&mut self, offered: &str) -> Option<usize> {
        self.0.retain(|code| code.until > Instant::now());
        let offered = digest(offered.as_bytes());
        let place = self.0.iter().position(|code| constant_time_eq(&code.digest, &offered))?;
        Some(self.0.swap_remove(place).member)
    }
}

impl Access {
    /// The path of a new link that signs in, once, the first one of this role who has a token. None where nobody has.
    pub fn link(&self, role: Role) -> Option<String> {
        let member = self.0.members.iter().position(|member| member.person.role == role)?;
        let code = generate().ok()?;
        let mut codes = self.codes();
        codes.0.retain(|code| code.member != member);
        codes.0.push(SignInCode {
            digest: digest(code.as_bytes()),
            member,
            until: Instant::now() + LINK_LIFE,
        });
        Some(format!("/signin?code={code}"))
    }

    /// Whose code this is. It is used up with that.
    pub fn redeem(&self, code: &str) -> Option<&Member> {
        let member = self.codes().take(code)?;
        self.0.members.get(member)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::access::settings::Settings;
    use crate::access::{Access, Role};

    #[tokio::test(start_paused = true)]
    async fn a_link_works_once_and_not_for_long() {
        let settings = Settings { new_token: true, ..Settings::default() };
        let access = Access::open(&settings).unwrap().0;
        assert!(access.link(Role::Viewer).is_none());
        let code = || access.link(Role::Operator).unwrap().split_once('=').unwrap().1.to_owned();
        let one = code();
        assert!(access.redeem("wrong").is_none());
        assert_eq!(access.redeem(&one).unwrap().person.role, Role::Operator);
        assert!(access.redeem(&one).is_none());
        let late = code();
        tokio::time::advance(Duration::from_mins(10)).await;
        assert!(access.redeem(&late).is_none());
    }

    #[tokio::test]
    async fn a_new_link_replaces_the_one_for_the_same_role_alone() {
        let settings = Settings {
            operator: Some("token-of-the-operator".to_owned()),
            viewer: Some("token-of-the-viewer".to_owned()),
            ..Settings::default()
        };
        let access = Access::open(&settings).unwrap().0;
        let code = |role| access.link(role).unwrap().split_once('=').unwrap().1.to_owned();
        let (viewers, first, second) = (code(Role::Viewer), code(Role::Operator), code(Role::Operator));
        assert!(access.redeem(&first).is_none());
        assert_eq!(access.redeem(&second).unwrap().person.role, Role::Operator);
        assert_eq!(access.redeem(&viewers).unwrap().person.role, Role::Viewer);
    }
}
