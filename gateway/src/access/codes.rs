//! The codes of links that sign somebody in once.

use std::time::Duration;

use tokio::time::Instant;

use super::person::Person;
use super::token::{constant_time_eq, digest, generate};
use super::{Access, Member};

/// How long a link works that the gateway has printed.
pub const LINK_LIFE: Duration = Duration::from_mins(10);
/// How long a link works that somebody has made for their phone.
pub const PHONE_LINK_LIFE: Duration = Duration::from_mins(5);

/// The codes of links that have not been used yet: at most one of each kind for each member.
#[derive(Default)]
pub struct Codes(Vec<SignInCode>);

struct SignInCode {
    digest: [u8; 32],
    /// The place among the members.
    member: usize,
    kind: LinkKind,
    until: Instant,
}

/// Who made a link.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LinkKind {
    Printed,
    PrintedForPhone,
    ForPhone,
}

impl LinkKind {
    fn life(self) -> Duration {
        match self {
            Self::Printed | Self::PrintedForPhone => LINK_LIFE,
            Self::ForPhone => PHONE_LINK_LIFE,
        }
    }
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
    /// The paths of two new links that sign this person in, once each: here, and on a phone. None where they have no token.
    pub fn links_of(&self, person: &Person) -> Option<[String; 2]> {
        let member = self.member_of(person)?;
        Some([self.new_link(member, LinkKind::Printed)?, self.new_link(member, LinkKind::PrintedForPhone)?])
    }

    /// The path of a new link that signs in, once, the same person on another device. None where they have no token: who came by a
    /// link, by a proxy or with a provider signs in there as they did here.
    pub fn link_for_phone(&self, person: &Person) -> Option<String> {
        self.new_link(self.member_of(person)?, LinkKind::ForPhone)
    }

    /// Whether there can be such a link.
    pub fn can_link(&self, person: &Person) -> bool {
        self.member_of(person).is_some()
    }

    fn member_of(&self, person: &Person) -> Option<usize> {
        self.0.members.iter().position(|member| member.person == *person)
    }

    fn new_link(&self, member: usize, kind: LinkKind) -> Option<String> {
        let code = generate().ok()?;
        let mut codes = self.codes();
        codes.0.retain(|code| code.member != member || code.kind != kind);
        codes.0.push(SignInCode {
            digest: digest(code.as_bytes()),
            member,
            kind,
            until: Instant::now() + kind.life(),
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

    use crate::access::person::{Name, Person};
    use crate::access::settings::Settings;
    use crate::access::{Access, Role};

    /// The link here of the first one of this role.
    fn link(access: &Access, role: Role) -> Option<String> {
        let person = access.members().find(|person| person.role == role)?;
        access.links_of(person).map(|[here, _]| here)
    }

    #[tokio::test(start_paused = true)]
    async fn a_link_works_once_and_not_for_long() {
        let settings = Settings { new_token: true, ..Settings::default() };
        let access = Access::open(&settings).unwrap().0;
        assert!(link(&access, Role::Viewer).is_none());
        let code = || link(&access, Role::Operator).unwrap().split_once('=').unwrap().1.to_owned();
        let one = code();
        assert!(access.redeem("wrong").is_none());
        assert_eq!(access.redeem(&one).unwrap().person.role, Role::Operator);
        assert!(access.redeem(&one).is_none());
        let late = code();
        tokio::time::advance(Duration::from_mins(10)).await;
        assert!(access.redeem(&late).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_link_for_a_phone_is_for_the_same_person_for_five_minutes_and_leaves_the_printed_one() {
        let settings = Settings {
            operator: Some("token-of-the-operator".to_owned()),
            viewer: Some("token-of-the-viewer".to_owned()),
            ..Settings::default()
        };
        let access = Access::open(&settings).unwrap().0;
        let code = |link: Option<String>| link.unwrap().split_once('=').unwrap().1.to_owned();
        let printed = code(link(&access, Role::Viewer));
        let viewer = Person::unnamed(Role::Viewer);
        let replaced = code(access.link_for_phone(&viewer));
        let phone = code(access.link_for_phone(&viewer));
        assert!(access.redeem(&replaced).is_none(), "a newer one takes its place");
        assert_eq!(access.redeem(&phone).unwrap().person, viewer, "not more than they may themselves");
        assert!(access.redeem(&phone).is_none());
        assert!(access.redeem(&printed).is_some());
        let late = code(access.link_for_phone(&Person::unnamed(Role::Operator)));
        tokio::time::advance(Duration::from_mins(5)).await;
        assert!(access.redeem(&late).is_none());
        let (share, _) = access.shares().add("s", 1.0, None).unwrap();
        let named = Person::new(Role::Operator, Some(Name::new("Ana").unwrap()));
        for other in [Person::by_link(share), named] {
            assert!(!access.can_link(&other) && access.link_for_phone(&other).is_none(), "{other:?}");
        }
    }

    #[tokio::test]
    async fn this_machine_s_link_and_the_phone_s_do_not_use_each_other_up() {
        let operator = Some("Ana:token-of-ana-0123\nBen:token-of-ben-0123".to_owned());
        let access = Access::open(&Settings { operator, ..Settings::default() }).unwrap().0;
        for person in access.members() {
            let links = access.links_of(person).unwrap();
            for link in links {
                assert_eq!(access.redeem(link.split_once('=').unwrap().1).unwrap().person, *person);
            }
        }
    }

    #[tokio::test]
    async fn a_new_link_replaces_the_one_for_the_same_role_alone() {
        let settings = Settings {
            operator: Some("token-of-the-operator".to_owned()),
            viewer: Some("token-of-the-viewer".to_owned()),
            ..Settings::default()
        };
        let access = Access::open(&settings).unwrap().0;
        let code = |role| link(&access, role).unwrap().split_once('=').unwrap().1.to_owned();
        let (viewers, first, second) = (code(Role::Viewer), code(Role::Operator), code(Role::Operator));
        assert!(access.redeem(&first).is_none());
        assert_eq!(access.redeem(&second).unwrap().person.role, Role::Operator);
        assert_eq!(access.redeem(&viewers).unwrap().person.role, Role::Viewer);
    }
}
