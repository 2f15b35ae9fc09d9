//! The sessions of those who signed in with the provider. Their cookie is a random number; who it is, and what renews the session, is
//! kept here and in no file, so all of them end with the gateway.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::sleep;

use super::session_id::SessionId;
use crate::access::person::Person;
use crate::access::token::generate;
use crate::time;

/// How the value of such a cookie begins.
const PREFIX: &str = "oidc.";
/// How many sessions there may be. Beyond it, the one that would end first does.
const MOST: usize = 10_000;

/// A session.
pub struct OidcSession {
    /// Who it is.
    pub person: Person,
    /// The last ID token, with which the provider is told of a sign-out.
    pub id_token: String,
    until: u64,
    renewal: Option<AbortHandle>,
}

impl Drop for OidcSession {
    fn drop(&mut self) {
        if let Some(renewal) = self.renewal.take() {
            renewal.abort();
        }
    }
}

impl OidcSession {
    /// A session of this length.
    pub fn new(person: Person, id_token: String, life: Duration) -> Self {
        Self { person, id_token, until: time::seconds() + life.as_secs(), renewal: None }
    }
}

/// The sessions of a gateway. Clones share them.
#[derive(Clone, Default)]
pub struct OidcSessions(Arc<SessionTable>);

#[derive(Default)]
struct SessionTable {
    sessions: Mutex<HashMap<SessionId, OidcSession>>,
    changes: watch::Sender<u64>,
}

impl OidcSessions {
    fn all(&self) -> MutexGuard<'_, HashMap<SessionId, OidcSession>> {
        self.0.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a session. Returns the value of its cookie, and its id.
    pub fn add(&self, mut session: OidcSession) -> Result<(String, SessionId), String> {
        let cookie = format!("{PREFIX}{}", generate()?);
        let id = SessionId::of_cookie(&cookie);
        session.person.oidc = Some(id);
        let mut all = self.all();
        let now = time::seconds();
        all.retain(|_, session| session.until > now);
        if all.len() >= MOST
            && let Some(first) = all.iter().min_by_key(|(_, session)| session.until).map(|(id, _)| *id)
        {
            all.remove(&first);
        }
        all.insert(id, session);
        drop(all);
        self.changed();
        Ok((cookie, id))
    }

    /// The task that renews a session, which ends with it.
    pub fn attach(&self, id: SessionId, renewal: AbortHandle) {
        match self.all().get_mut(&id) {
            Some(session) => session.renewal = Some(renewal),
            None => renewal.abort(),
        }
    }

    /// Whose cookie this is; none where it is not one of ours, or its session has ended.
    pub fn person(&self, cookie: &str) -> Option<Person> {
        if !cookie.starts_with(PREFIX) {
            return None;
        }
        let all = self.all();
        let session = all.get(&SessionId::of_cookie(cookie))?;
        (session.until > time::seconds()).then(|| session.person.clone())
    }

    /// The provider has renewed a session. Where somebody is now called otherwise or may do otherwise, their open connections end.
    pub fn renew(&self, id: SessionId, mut person: Person, id_token: String) {
        person.oidc = Some(id);
        let mut all = self.all();
        let Some(session) = all.get_mut(&id) else { return };
        session.id_token = id_token;
        let is_other = session.person != person;
        session.person = person;
        drop(all);
        if is_other {
            self.changed();
        }
    }

    /// Ends the session with this cookie, and returns it.
    pub fn remove(&self, cookie: &str) -> Option<OidcSession> {
        let session = self.all().remove(&SessionId::of_cookie(cookie))?;
        self.changed();
        Some(session)
    }

    /// Ends the session with this id, from the task that renews it. Returns whose it was.
    pub fn end(&self, id: SessionId) -> Option<Person> {
        let mut session = self.all().remove(&id)?;
        session.renewal = None; // it is this very task
        self.changed();
        Some(session.person.clone())
    }

    /// Whether somebody is signed in as this.
    pub fn has(&self, account: &Person) -> bool {
        let now = time::seconds();
        self.all().values().any(|session| session.until > now && session.person.account() == *account)
    }

    /// Whether the session with this id is still that of this person, with this role.
    pub fn counts(&self, id: SessionId, person: &Person) -> bool {
        self.all()
            .get(&id)
            .is_some_and(|session| session.until > time::seconds() && session.person == *person)
    }

    /// Returns when it is not.
    pub async fn ended(&self, id: SessionId, person: &Person) {
        let mut table = self.0.changes.subscribe();
        loop {
            let until = match self.all().get(&id) {
                Some(session) if session.person == *person => session.until,
                Some(_) | None => return,
            };
            let left = until.saturating_sub(time::seconds());
            if left == 0 {
                return;
            }
            tokio::select! {
                changed = table.changed() => if changed.is_err() { return },
                () = sleep(Duration::from_secs(left)) => {}
            }
        }
    }

    fn changed(&self) {
        self.0.changes.send_modify(|count| *count += 1);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::{OidcSession, OidcSessions};
    use crate::access::Role;
    use crate::access::person::{Name, Person};

    const PATIENCE: Duration = Duration::from_secs(30);

    fn person(role: Role) -> Person {
        Person::new(role, Some(Name::new("Ana").unwrap()))
    }

    #[tokio::test]
    async fn a_session_ends_with_its_time_its_removal_and_another_role() {
        let sessions = OidcSessions::default();
        let add = |seconds| {
            let session =
                OidcSession::new(person(Role::Operator), String::new(), Duration::from_secs(seconds));
            sessions.add(session).unwrap()
        };
        let (over, _) = add(0);
        assert_eq!(sessions.person(&over), None);
        let (cookie, id) = add(1000);
        let known = sessions.person(&cookie).unwrap();
        assert!(sessions.counts(id, &known));
        assert_eq!(
            known.account(),
            person(Role::Operator),
            "what is kept for them is not for this session alone"
        );
        assert!(sessions.has(&known.account()) && !sessions.has(&person(Role::Viewer)));
        for wrong in
            ["", "oidc.", "oidc.x", cookie.strip_prefix("oidc.").unwrap(), &cookie[..cookie.len() - 1]]
        {
            assert_eq!(sessions.person(wrong), None, "{wrong}");
        }
        sessions.renew(id, person(Role::Operator), "newer".to_owned());
        assert!(sessions.counts(id, &known), "nothing has changed about the person");
        let waiting = |known: Person| {
            let sessions = sessions.clone();
            tokio::spawn(async move { sessions.ended(id, &known).await })
        };
        let ended = waiting(known.clone());
        tokio::task::yield_now().await; // it waits now
        sessions.renew(id, person(Role::Viewer), String::new());
        assert!(!sessions.counts(id, &known));
        timeout(PATIENCE, ended).await.unwrap().unwrap();
        let known = sessions.person(&cookie).unwrap();
        assert_eq!(known.role, Role::Viewer);
        let ended = waiting(known);
        tokio::task::yield_now().await;
        assert!(sessions.remove(&cookie).is_some() && sessions.person(&cookie).is_none());
        timeout(PATIENCE, ended).await.unwrap().unwrap();
        assert!(sessions.remove(&cookie).is_none() && sessions.end(id).is_none());
        assert!(!sessions.has(&person(Role::Viewer)), "who has signed out is not told either");
    }
}
