//! Sign-in with an OpenID Connect provider: the code flow with PKCE, state and nonce, and sessions that the provider keeps alive.
//!
//! A sign-in begins with [`Oidc::begin`], which gives the provider's address and a cookie, and ends with [`Oidc::finish`], which gives a
//! session. What the provider says is fetched when it is needed, so the gateway starts without it, and tokens count meanwhile.

pub mod attempt;
pub mod claims;
pub mod fetch;
pub mod options;
pub mod provider;
pub mod session_id;
pub mod sessions;

use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Weak};
use std::time::Duration;

use openidconnect::core::CoreAuthenticationFlow;
use openidconnect::{
    CsrfToken, Nonce, OAuth2TokenResponse as _, PkceCodeChallenge, PkceCodeVerifier, PostLogoutRedirectUrl,
    RedirectUrl, RefreshToken, Scope,
};
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep};
use tracing::info;

use super::audit::Audit;
use super::audit::record::{Actor, Record, refused};
use super::person::Person;
use attempt::{Attempt, Attempts};
use options::OidcOptions;
use provider::{Grant, Provider};
use sessions::{OidcSession, OidcSessions};

/// How long a session lasts whose provider gives no refresh token: a working day.
pub const LIFE_WITHOUT_RENEWAL: Duration = Duration::from_hours(8);
/// How long a session lasts however often it is renewed. Then one signs in again.
pub const LONGEST_LIFE: Duration = Duration::from_hours(30 * 24);
/// The longest time between two renewals.
const LONGEST_PERIOD: Duration = Duration::from_hours(1);
const SHORTEST_PERIOD: Duration = Duration::from_secs(1);
/// How long before the end of an ID token its session is renewed, where it lasts twice as long and longer.
const AHEAD: Duration = Duration::from_mins(1);
/// How long a session outlasts a provider that does not answer.
const GRACE: Duration = Duration::from_hours(1);
/// How long to wait before a provider that did not answer is asked again.
const RETRY: Duration = Duration::from_mins(1);
/// How many sign-ins the provider is asked about at a time.
const MOST_AT_ONCE: usize = 32;

/// Sign-in with a provider. Clones share one state.
#[derive(Clone)]
pub struct Oidc(Arc<OidcState>);

struct OidcState {
    provider: Provider,
    scopes: Vec<String>,
    attempts: Attempts,
    sessions: OidcSessions,
    at_once: Semaphore,
    audit: Audit,
}

/// Why somebody is not signed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignInError {
    /// The provider does not answer, or not as a provider does.
    Unreachable,
    /// Too many sign in at once.
    Busy,
    /// The sign-in was not begun by this browser, or too long ago.
    NotBegun,
    /// It was finished before.
    Used,
    /// The provider says no.
    Denied,
    /// The provider's ID token does not count, and why.
    Token(&'static str),
    /// This system gives no random numbers.
    NoRandomNumbers,
}

impl SignInError {
    /// Why, in words that nobody from outside has a say in.
    pub fn words(self) -> &'static str {
        match self {
            Self::Unreachable => "the provider does not answer",
            Self::Busy => "too many sign in at once",
            Self::NotBegun => "the sign-in was not begun here, or too long ago",
            Self::Used => "the sign-in was used before",
            Self::Denied => "the provider says no",
            Self::Token(why) => why,
            Self::NoRandomNumbers => "this system gives no random numbers",
        }
    }
}

/// Where a browser goes to sign in, and the cookie that it has to bring back.
#[derive(Debug)]
pub struct Begun {
    /// The provider's address.
    pub location: String,
    /// What the browser keeps.
    pub attempt: Attempt,
}

/// Somebody who has signed in.
#[derive(Debug)]
pub struct Finished {
    /// Who that is.
    pub person: Person,
    /// The value of the session's cookie.
    pub cookie: String,
    /// Where they came from: a path of this gateway.
    pub back: String,
}

/// What the provider sends with a browser that comes back.
#[derive(Clone, Copy, Debug)]
pub struct Reply<'a> {
    /// Which sign-in it is.
    pub state: &'a str,
    /// What is exchanged for the tokens; none where the provider says no.
    pub code: Option<&'a str>,
    /// Who sent it, where the provider says so (RFC 9207).
    pub issuer: Option<&'a str>,
}

impl fmt::Debug for Oidc {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Oidc").field("issuer", &self.0.provider.issuer()).finish_non_exhaustive()
    }
}

impl Oidc {
    /// As the options have it; none where there is no provider. The error is a sentence for people.
    pub fn open(options: &OidcOptions, audit: Audit) -> Result<Option<Self>, String> {
        let Some(provider) = Provider::open(options)? else { return Ok(None) };
        let mut scopes = vec!["profile".to_owned(), "email".to_owned()];
        scopes.extend(options.scopes.iter().cloned());
        Ok(Some(Self(Arc::new(OidcState {
            provider,
            scopes,
            attempts: Attempts::new()?,
            sessions: OidcSessions::default(),
            at_once: Semaphore::new(MOST_AT_ONCE),
            audit,
        }))))
    }

    /// The name of the provider's host, for people.
    pub fn host(&self) -> &str {
        self.0.provider.host()
    }

    /// Whether everybody who signs in only watches.
    pub fn has_no_operators(&self) -> bool {
        self.0.provider.has_no_operators()
    }

    /// The sessions.
    pub fn sessions(&self) -> &OidcSessions {
        &self.0.sessions
    }

    /// The sign-ins under way.
    pub fn attempts(&self) -> &Attempts {
        &self.0.attempts
    }

    /// Begins a sign-in, after which the provider sends the browser to `redirect`, an address of this gateway.
    pub async fn begin(&self, redirect: String, back: String) -> Result<Begun, SignInError> {
        let _permit = self.0.at_once.try_acquire().map_err(|_| SignInError::Busy)?;
        let found = self.0.provider.discover().await?;
        let attempt = Attempt::new(redirect, back).map_err(|_| SignInError::NoRandomNumbers)?;
        let client = self.0.provider.client(&found);
        let redirect = RedirectUrl::new(attempt.redirect.clone()).map_err(|_| SignInError::NotBegun)?;
        let (state, nonce) = (attempt.state.clone(), attempt.nonce.clone());
        let verifier = PkceCodeVerifier::new(attempt.verifier.clone());
        let (location, ..) = client
            .set_redirect_uri(redirect)
            .authorize_url(
                CoreAuthenticationFlow::AuthorizationCode,
                move || CsrfToken::new(state),
                move || Nonce::new(nonce),
            )
            .add_scopes(self.0.scopes.iter().cloned().map(Scope::new))
            .set_pkce_challenge(PkceCodeChallenge::from_code_verifier_sha256(&verifier))
            .url();
        Ok(Begun { location: location.into(), attempt })
    }

    /// Finishes the sign-in of this attempt, which works once.
    pub async fn finish(
        &self,
        attempt: Attempt,
        reply: Reply<'_>,
        from: IpAddr,
    ) -> Result<Finished, SignInError> {
        self.0.attempts.take(&attempt, reply.state)?;
        let code = reply.code.ok_or(SignInError::Denied)?;
        if reply.issuer.is_some_and(|issuer| issuer != self.0.provider.issuer()) {
            return Err(SignInError::Token("the answer is from another issuer"));
        }
        let _permit = self.0.at_once.try_acquire().map_err(|_| SignInError::Busy)?;
        let found = self.0.provider.discover().await?;
        let response = self.0.provider.exchange(&found, code, &attempt).await?;
        let grant = self.0.provider.read(found, &response, Some(&Nonce::new(attempt.nonce)), None).await?;
        let grant = grant.ok_or(SignInError::Token("there is no ID token"))?;
        let refresh = response.refresh_token().cloned();
        let (person, cookie) = self.keep(grant, refresh, from)?;
        Ok(Finished { person, cookie, back: attempt.back })
    }

    fn keep(
        &self,
        grant: Grant,
        refresh: Option<RefreshToken>,
        from: IpAddr,
    ) -> Result<(Person, String), SignInError> {
        let life = if refresh.is_some() { LONGEST_LIFE } else { LIFE_WITHOUT_RENEWAL };
        let Grant { person, id_token, subject, life: period } = grant;
        let session = OidcSession::new(person, id_token, life);
        let (cookie, id) = self.0.sessions.add(session).map_err(|_| SignInError::NoRandomNumbers)?;
        let person = self.0.sessions.person(&cookie).ok_or(SignInError::NotBegun)?;
        if let Some(refresh) = refresh {
            let renewal = Renewal { oidc: Arc::downgrade(&self.0), id, refresh, subject, period, from };
            self.0.sessions.attach(id, tokio::spawn(renewal.run()).abort_handle());
        }
        Ok((person, cookie))
    }

    /// Ends the session of this cookie; none where there is none. Returns the provider's address that ends the one there, or `home` where
    /// it has no such address. From there the browser comes back to `home`.
    pub async fn sign_out(&self, cookie: &str, home: &str) -> Option<String> {
        let session = self.0.sessions.remove(cookie)?;
        let found = self.0.provider.discover().await.ok();
        let address = found.and_then(|found| {
            let request = self.0.provider.logout(&found, &session.id_token)?;
            let home = PostLogoutRedirectUrl::new(home.to_owned()).ok()?;
            Some(request.set_post_logout_redirect_uri(home).http_get_url().into())
        });
        Some(address.unwrap_or_else(|| home.to_owned()))
    }
}

/// Keeps one session alive, until the provider says no.
struct Renewal {
    oidc: Weak<OidcState>,
    id: session_id::SessionId,
    refresh: RefreshToken,
    /// Whose it is. A token of somebody else renews nothing.
    subject: String,
    period: Duration,
    from: IpAddr,
}

impl Renewal {
    async fn run(mut self) {
        let mut wait = period(self.period);
        let mut failing_since = None;
        loop {
            sleep(wait).await;
            let Some(state) = self.oidc.upgrade() else { return };
            match self.renew(&state).await {
                Ok(()) => {
                    failing_since = None;
                    wait = period(self.period);
                }
                Err(SignInError::Unreachable | SignInError::Busy) => {
                    let since = *failing_since.get_or_insert_with(Instant::now);
                    if since.elapsed() >= GRACE {
                        return self.end(&state, SignInError::Unreachable);
                    }
                    wait = RETRY;
                }
                Err(why) => return self.end(&state, why),
            }
        }
    }

    async fn renew(&mut self, state: &OidcState) -> Result<(), SignInError> {
        let found = state.provider.discover().await?;
        let response = state.provider.renew(&found, &self.refresh).await?;
        let grant = state.provider.read(found, &response, None, Some(&self.subject)).await?;
        if let Some(refresh) = response.refresh_token() {
            self.refresh = refresh.clone();
        }
        // A provider need not send an ID token again; then nothing about the person has changed.
        if let Some(grant) = grant {
            self.period = grant.life;
            state.sessions.renew(self.id, grant.person, grant.id_token);
        }
        Ok(())
    }

    fn end(&self, state: &OidcState, why: SignInError) {
        if let Some(person) = state.sessions.end(self.id) {
            info!("{} is signed out: {}", person.label(), why.words());
            let actor = Actor { person: Some(person), from: self.from };
            state.audit.write(&Record::sign_out(&actor, &refused(why.words())));
        }
    }
}

/// When a session is renewed, by how long its ID token lasts.
fn period(life: Duration) -> Duration {
    let wait = if life > 2 * AHEAD { life.saturating_sub(AHEAD) } else { life / 2 };
    wait.clamp(SHORTEST_PERIOD, LONGEST_PERIOD)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::period;

    #[test]
    fn a_session_is_renewed_before_its_id_token_ends_and_each_hour() {
        let seconds = |life| period(Duration::from_secs(life)).as_secs();
        assert_eq!([0, 1, 60, 120, 300, 3600, 86_400].map(seconds), [1, 1, 30, 60, 240, 3540, 3600]);
    }
}
