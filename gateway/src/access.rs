//! Who is let in, and in which role. `http::door` asks this in front of every route.
//! What each role may call is in `methods`. No token ever gets into a log, an error, an address or a page.

pub mod audit;
pub mod codes;
pub mod cookie;
pub mod gate;
pub mod guard;
pub mod limits;
pub mod metered;
pub mod methods;
pub mod oidc;
pub mod person;
pub mod proxy;
pub mod settings;
pub mod shares;
pub mod token;

use std::collections::HashSet;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use crate::rpc::Fault;
use audit::Audit;
use audit::record::{Actor, DONE, Record, SIGNED_IN, refused};
use codes::Codes;
use guard::Guard;
use limits::{Limits, TooMany};
pub use methods::Role;
use oidc::Oidc;
use person::Person;
use pilothouse_core::protocol::ErrorReason;
use proxy::TrustedProxy;
use shares::Shares;
use token::Token;

/// How many people and their addresses are remembered.
const MOST_SEEN: usize = 10_000;

/// The tokens, origins, host names, limits and the audit log of a gateway. Clones share one state.
#[derive(Clone, Default)]
pub struct Access(Arc<AccessState>);

#[derive(Default)]
struct AccessState {
    members: Vec<Member>,
    proxy: Option<TrustedProxy>,
    oidc: Option<Oidc>,
    origins: Vec<String>,
    hosts: Vec<String>,
    codes: Mutex<Codes>,
    limits: Limits,
    audit: Audit,
    shares: Shares,
    /// Who was seen from where since the start, by name and role.
    seen: Mutex<HashSet<(String, IpAddr)>>,
}

/// Somebody who signs in with a token.
#[derive(Clone, Debug)]
pub struct Member {
    /// Who that is.
    pub person: Person,
    token: Token,
}

impl fmt::Debug for Access {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let members: Vec<_> = self.members().collect();
        out.debug_struct("Access")
            .field("members", &members)
            .field("proxy", &self.0.proxy)
            .finish_non_exhaustive()
    }
}

impl Access {
    /// Whether one must be known to be let in. Else every client that passes the guard is an operator.
    pub fn is_closed(&self) -> bool {
        !self.0.members.is_empty() || self.0.proxy.is_some() || self.0.oidc.is_some()
    }

    /// Those who sign in with a token.
    pub fn members(&self) -> impl Iterator<Item = &Person> {
        self.0.members.iter().map(|member| &member.person)
    }

    /// The proxy that says who somebody is; none where there is none.
    pub fn proxy(&self) -> Option<&TrustedProxy> {
        self.0.proxy.as_ref()
    }

    /// The provider with which people sign in; none where there is none.
    pub fn oidc(&self) -> Option<&Oidc> {
        self.0.oidc.as_ref()
    }

    /// Whether this is still the person who was let in: their link counts and their session goes on.
    pub fn counts(&self, person: &Person) -> bool {
        let shared = person.share.as_ref().is_none_or(|share| self.0.shares.counts(share));
        shared
            && person
                .oidc
                .is_none_or(|id| self.0.oidc.as_ref().is_some_and(|oidc| oidc.sessions().counts(id, person)))
    }

    /// Returns when it is not; never for who came in a way that does not end.
    pub async fn ended(&self, person: &Person) {
        if let Some(share) = &person.share {
            return self.0.shares.ended(share).await;
        }
        match (person.oidc, &self.0.oidc) {
            (Some(id), Some(oidc)) => oidc.sessions().ended(id, person).await,
            (Some(_), None) => {}
            (None, _) => std::future::pending().await,
        }
    }

    /// Whether a gateway may listen there. Others can reach any address but loopback, and loopback as well by the name of a
    /// proxy, so it needs a token. The error is a sentence with the command that helps.
    pub fn fits(&self, listen: SocketAddr) -> Result<(), String> {
        if self.is_closed() {
            return Ok(());
        }
        if let Some(host) = self.0.hosts.first() {
            return Err(format!(
                "others can reach {host}, so people have to sign in: add --new-token to the command\n\
                 (or --token-file PATH, or the environment variable PILOTHOUSE_TOKEN)"
            ));
        }
        if listen.ip().is_loopback() {
            return Ok(());
        }
        Err(format!(
            "others can reach {listen}, so people have to sign in: add --new-token to the command\n\
             (or --token-file PATH, or the environment variable PILOTHOUSE_TOKEN)"
        ))
    }

    /// The checks of `Host` and `Origin` for a gateway that listens at `address`.
    pub fn guard(&self, address: SocketAddr) -> Guard {
        Guard {
            listen: address,
            hosts: self.0.hosts.clone(),
            origins: self.0.origins.clone(),
            closed: self.is_closed(),
        }
    }

    /// The links with which anybody watches a session.
    pub fn shares(&self) -> &Shares {
        &self.0.shares
    }

    /// Its further names, such as that of a proxy.
    pub fn hosts(&self) -> &[String] {
        &self.0.hosts
    }

    /// The log of who did what.
    pub fn audit(&self) -> &Audit {
        &self.0.audit
    }

    /// Writes into the audit log that somebody has signed in.
    pub fn record_sign_in(&self, person: &Person, from: IpAddr) {
        self.first_seen(person, from);
        let actor = Actor { person: Some(person.clone()), from };
        self.0.audit.write(&Record::sign_in(&actor, SIGNED_IN));
    }

    /// Writes into the audit log that somebody has signed out.
    pub fn record_sign_out(&self, person: &Person, from: IpAddr) {
        let actor = Actor { person: Some(person.clone()), from };
        self.0.audit.write(&Record::sign_out(&actor, DONE));
    }

    /// Writes into the audit log that a sign-in was refused.
    pub fn record_refused_sign_in(&self, from: IpAddr, why: &str) {
        let actor = Actor { person: None, from };
        self.0.audit.write_refusal(&Record::sign_in(&actor, &refused(why)));
    }

    /// Writes the same where each request says who sent it, for the first one of this person from this address.
    pub fn record_first_request(&self, person: &Person, from: IpAddr) {
        if self.is_closed() && self.first_seen(person, from) {
            self.record_sign_in(person, from);
        }
    }

    fn first_seen(&self, person: &Person, from: IpAddr) -> bool {
        let mut seen = self.0.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() >= MOST_SEEN {
            seen.clear();
        }
        seen.insert((format!("{} {}", person.role.word(), person.label()), from))
    }

    /// Writes into the audit log that a client was refused.
    pub fn record_refusal(&self, from: IpAddr, why: &str) {
        let actor = Actor { person: None, from };
        self.0.audit.write_refusal(&Record::new(&actor, &refused(why)));
    }

    /// The counters of what clients use up.
    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// The one whose token this is, or whose whole line of the token file.
    fn member(&self, offered: &str) -> Option<&Member> {
        let named = || {
            let (name, token) = offered.split_once(':')?;
            let member = self.owner(token.trim())?;
            (member.person.label() == name.trim()).then_some(member)
        };
        self.owner(offered).or_else(named)
    }

    /// The one whose token this is. All tokens are always compared, so that the time taken reveals nothing.
    fn owner(&self, offered: &str) -> Option<&Member> {
        let offered = token::digest(offered.as_bytes());
        let mut found = None;
        for member in &self.0.members {
            if member.token.has_digest(&offered) {
                found = Some(member);
            }
        }
        found
    }

    /// Who has this token, or a link with it. After many wrong ones from an address, none from there is looked at for a while.
    pub fn person_with(&self, from: IpAddr, offered: &str) -> Result<Person, Refusal> {
        if shares::is_token(offered) {
            let find = || self.0.shares.find(offered);
            return self.attempt(from, find, "this link does not work any more").map(Person::by_link);
        }
        self.try_token(from, offered).map(|member| member.person.clone())
    }

    /// Checks a token. After many wrong tokens from an address, its tokens are not looked at for a while;
    /// cookies are not affected.
    pub fn try_token(&self, from: IpAddr, offered: &str) -> Result<&Member, Refusal> {
        self.attempt(from, || self.member(offered), "this is not the token of this gateway")
    }

    /// Looks at a secret from this address, and writes into the audit log if it is wrong.
    fn attempt<T>(
        &self,
        from: IpAddr,
        look: impl FnOnce() -> Option<T>,
        wrong: &'static str,
    ) -> Result<T, Refusal> {
        self.0.limits.attempt(from, look).map_err(|wait| {
            let why = if wait.is_none() { "wrong token" } else { "too many wrong tokens" };
            self.record_refused_sign_in(from, why);
            match wait {
                None => Refusal::SignIn(wrong),
                Some(TooMany { seconds }) => Refusal::Wait { seconds },
            }
        })
    }

    /// By what this person would be let in now; none if they would not. Asked where they are not there themselves.
    pub fn standing(&self, person: &Person) -> Option<Standing> {
        if !self.is_closed() {
            return (*person == Person::unnamed(Role::Operator)).then_some(Standing::Open);
        }
        let tokens = self.0.members.iter().filter(|member| member.person == *person);
        let number = tokens.map(|member| member.token.number()).reduce(|all, one| all.rotate_left(1) ^ one);
        let is_signed_in = || self.0.oidc.as_ref().is_some_and(|oidc| oidc.sessions().has(person));
        let is_named = || person.name.is_some() && (self.0.proxy.is_some() || is_signed_in());
        let named = || is_named().then_some(Standing::Named);
        number.map(Standing::Token).or_else(named)
    }

    fn codes(&self) -> std::sync::MutexGuard<'_, Codes> {
        self.0.codes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// By what somebody is let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Everybody is.
    Open,
    /// By a token. The number changes with it, and is far too short to find a token by.
    Token(u16),
    /// By a proxy that names people, which alone knows whether it still does, or with a provider, where they are signed in now.
    Named,
}

impl Standing {
    /// As it is kept.
    pub fn word(self) -> String {
        match self {
            Self::Open => "open".to_owned(),
            Self::Token(number) => format!("token-{number}"),
            Self::Named => "named".to_owned(),
        }
    }
}

/// Why a client is not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The client has to sign in.
    SignIn(&'static str),
    /// Too many wrong tokens or requests came from its address.
    Wait {
        /// How long to wait.
        seconds: u64,
    },
    /// Too many streams are open.
    Full,
}

impl Refusal {
    /// As a JSON-RPC error.
    pub fn fault(self) -> Fault {
        match self {
            Self::SignIn(why) => Fault::new(ErrorReason::SignIn, format!("sign in: {why}")),
            Self::Wait { seconds } => Fault::new(
                ErrorReason::TooFast,
                format!("too many tries or requests; wait {seconds} s. It was not carried out"),
            ),
            Self::Full => {
                Fault::new(ErrorReason::TooMany, "too many open connections; close some or try later")
            }
        }
    }
}
