//! The provider: what it says about itself, its keys, and the tokens that it gives.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use futures_util::future::BoxFuture;
use openidconnect::core::{
    CoreClient, CoreClientAuthMethod, CoreErrorResponseType, CoreIdTokenVerifier, CoreJsonWebKey,
    CoreJwsSigningAlgorithm, CoreTokenResponse,
};
use openidconnect::{
    AuthType, AuthorizationCode, ClaimsVerificationError, ClientId, ClientSecret, EndpointMaybeSet,
    EndpointNotSet, EndpointSet, HttpRequest, HttpResponse, IssuerUrl, JsonWebKeySet, LogoutRequest, Nonce,
    PkceCodeVerifier, ProviderMetadataWithLogout, RedirectUrl, RefreshToken, RequestTokenError,
    SignatureVerificationError, StandardErrorResponse, TokenResponse as _,
};
use serde_json::Value;
use tokio::sync::Mutex;
use tokio::time::Instant;
use tracing::warn;

use super::SignInError;
use super::attempt::Attempt;
use super::claims::{self, Operators};
use super::fetch::{FetchError, HttpClient, is_safe};
use super::options::OidcOptions;
use crate::access::person::Person;
use crate::access::token::constant_time_eq;

/// How far the provider's clock may be from ours.
const SKEW: Duration = Duration::from_mins(1);
/// How long what the provider says about itself is used.
const FRESH: Duration = Duration::from_hours(24);
/// How often it is asked because of a key that is not known.
const KEYS_EVERY: Duration = Duration::from_mins(1);
/// How long a provider that did not answer is left alone.
const PAUSE: Duration = Duration::from_secs(5);
/// How an ID token may be signed: with a key of which the provider alone has the private half.
const ALGORITHMS: [CoreJwsSigningAlgorithm; 9] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPssSha384,
    CoreJwsSigningAlgorithm::RsaSsaPssSha512,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EdDsa,
];

/// The client of the provider's endpoints.
type EndpointClient = CoreClient<
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;
type TokenError = RequestTokenError<FetchError, StandardErrorResponse<CoreErrorResponseType>>;

/// What the provider says about itself, with its keys.
pub type Discovered = Arc<ProviderMetadataWithLogout>;

/// The provider.
pub struct Provider {
    issuer: IssuerUrl,
    host: String,
    client_id: ClientId,
    secret: ClientSecret,
    operators: Option<Operators>,
    http: HttpClient,
    discovery: Mutex<Discovery>,
}

#[derive(Default)]
struct Discovery {
    found: Option<(Discovered, Instant)>,
    failed: Option<Instant>,
    /// When it was asked because of a key.
    keys: Option<Instant>,
}

/// What an ID token says.
#[derive(Debug)]
pub struct Grant {
    /// Who it is.
    pub person: Person,
    /// The token.
    pub id_token: String,
    /// The provider's own name for them, which never changes.
    pub subject: String,
    /// How long it lasts, by the provider's clock.
    pub life: Duration,
}

impl Provider {
    /// As the options have it; none where there is none.
    pub fn open(options: &OidcOptions) -> Result<Option<Self>, String> {
        let OidcOptions {
            issuer: oidc,
            client_id: oidc_client_id,
            client_secret_file: oidc_client_secret_file,
            operators,
            ..
        } = options;
        let Some(issuer) = oidc else {
            let without = "needs --oidc ISSUER, the provider's address";
            let lonely = [
                ("--oidc-client-id", oidc_client_id.is_some()),
                ("--oidc-client-secret-file", oidc_client_secret_file.is_some()),
                ("--oidc-scope", !options.scopes.is_empty()),
                ("--operators", operators.is_some()),
            ];
            return match lonely.iter().find(|(_, is_there)| *is_there) {
                Some((option, _)) => Err(format!("{option} {without}")),
                None => Ok(None),
            };
        };
        let (Some(client_id), Some(file)) = (oidc_client_id, oidc_client_secret_file) else {
            return Err("--oidc needs --oidc-client-id ID and --oidc-client-secret-file FILE, as the provider gave them".to_owned());
        };
        let wrong = || {
            format!("--oidc takes the provider's address, such as https://login.example, not \"{issuer}\"")
        };
        let issuer = IssuerUrl::new(issuer.clone()).map_err(|_| wrong())?;
        let host = issuer.url().host_str().unwrap_or_default().to_owned();
        if !is_safe(issuer.url().scheme(), &host) || issuer.url().query().is_some() {
            return Err(wrong());
        }
        let secret = fs::read_to_string(file)
            .map_err(|error| format!("can't read the client's secret in {}: {error}", file.display()))?;
        let secret = secret.trim();
        if secret.is_empty() {
            return Err(format!("there is no secret in {}", file.display()));
        }
        Ok(Some(Self {
            issuer,
            host,
            client_id: ClientId::new(client_id.clone()),
            secret: ClientSecret::new(secret.to_owned()),
            operators: operators.as_deref().map(Operators::new).transpose()?,
            http: HttpClient::new()?,
            discovery: Mutex::default(),
        }))
    }

    /// The issuer, as ID tokens have it.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The name of its host.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Whether no claim makes an operator.
    pub fn has_no_operators(&self) -> bool {
        self.operators.is_none()
    }

    /// What the provider says about itself; it is asked once a day.
    pub async fn discover(&self) -> Result<Discovered, SignInError> {
        let mut discovery = self.discovery.lock().await;
        let found = discovery.found.as_ref();
        if let Some((found, at)) = found
            && at.elapsed() < FRESH
        {
            return Ok(Arc::clone(found));
        }
        let fetched = self.fetch(&mut discovery).await;
        // What is old is better than nothing: the keys in it do not count for other tokens than before.
        fetched.or_else(|error| discovery.found.as_ref().map(|(found, _)| Arc::clone(found)).ok_or(error))
    }

    /// The same, but newer than this, because a key is not in it.
    async fn discover_again(&self, known: &Discovered) -> Result<Discovered, SignInError> {
        let mut discovery = self.discovery.lock().await;
        if let Some((found, _)) = &discovery.found
            && !Arc::ptr_eq(found, known)
        {
            return Ok(Arc::clone(found));
        }
        if discovery.keys.is_some_and(|at| at.elapsed() < KEYS_EVERY) {
            return Err(SignInError::Token("its key is not known"));
        }
        discovery.keys = Some(Instant::now());
        self.fetch(&mut discovery).await
    }

    async fn fetch(&self, discovery: &mut Discovery) -> Result<Discovered, SignInError> {
        if discovery.failed.is_some_and(|at| at.elapsed() < PAUSE) {
            return Err(SignInError::Unreachable);
        }
        let http = self.sender();
        let found = ProviderMetadataWithLogout::discover_async(self.issuer.clone(), &http).await;
        let found = found.map_err(|error| reason(&error)).and_then(|found| {
            let url = found.authorization_endpoint().url();
            let is_safe = is_safe(url.scheme(), url.host_str().unwrap_or_default());
            if is_safe { Ok(found) } else { Err("its address for sign-ins is not https".to_owned()) }
        });
        match found {
            Ok(found) => {
                let found = Arc::new(found);
                *discovery = Discovery {
                    found: Some((Arc::clone(&found), Instant::now())),
                    failed: None,
                    keys: discovery.keys,
                };
                Ok(found)
            }
            Err(error) => {
                warn!("{} does not answer as a provider does: {error}", self.host);
                discovery.failed = Some(Instant::now());
                Err(SignInError::Unreachable)
            }
        }
    }

    fn sender(&self) -> impl Fn(HttpRequest) -> BoxFuture<'static, Result<HttpResponse, FetchError>> + use<> {
        let http = self.http.clone();
        move |request| Box::pin(http.clone().send(request))
    }

    /// The client of its endpoints. The secret goes into the request's body where the provider does not take it in a header.
    pub fn client(&self, found: &Discovered) -> EndpointClient {
        let client = CoreClient::from_provider_metadata(
            ProviderMetadataWithLogout::clone(found),
            self.client_id.clone(),
            Some(self.secret.clone()),
        );
        let takes = |method| {
            found.token_endpoint_auth_methods_supported().is_none_or(|methods| methods.contains(&method))
        };
        if takes(CoreClientAuthMethod::ClientSecretBasic) {
            client
        } else {
            client.set_auth_type(AuthType::RequestBody)
        }
    }

    /// Exchanges a code for tokens.
    pub async fn exchange(
        &self,
        found: &Discovered,
        code: &str,
        attempt: &Attempt,
    ) -> Result<CoreTokenResponse, SignInError> {
        let redirect = RedirectUrl::new(attempt.redirect.clone()).map_err(|_| SignInError::NotBegun)?;
        let client = self.client(found).set_redirect_uri(redirect);
        let request = client.exchange_code(AuthorizationCode::new(code.to_owned()));
        let request = request.map_err(|_| SignInError::Unreachable)?; // it has no token endpoint
        let request = request.set_pkce_verifier(PkceCodeVerifier::new(attempt.verifier.clone()));
        let http = self.sender();
        request.request_async(&http).await.map_err(|error| self.no_tokens(&error))
    }

    /// Asks for new tokens.
    pub async fn renew(
        &self,
        found: &Discovered,
        refresh: &RefreshToken,
    ) -> Result<CoreTokenResponse, SignInError> {
        let client = self.client(found);
        let request = client.exchange_refresh_token(refresh).map_err(|_| SignInError::Unreachable)?;
        let http = self.sender();
        request.request_async(&http).await.map_err(|error| self.no_tokens(&error))
    }

    fn no_tokens(&self, error: &TokenError) -> SignInError {
        let RequestTokenError::ServerResponse(said) = error else {
            warn!("{} gives no tokens: {}", self.host, reason(error));
            return SignInError::Unreachable;
        };
        let code = said.error().as_ref();
        warn!("{} gives no tokens: {}", self.host, code.escape_debug());
        match code {
            "server_error" | "temporarily_unavailable" | "slow_down" => SignInError::Unreachable,
            _ => SignInError::Denied,
        }
    }

    /// What the ID token says that came with these tokens; none where there is none. It has to be of this sign-in's `nonce` or, when a
    /// session is renewed, about the same `subject`.
    pub async fn read(
        &self,
        mut found: Discovered,
        response: &CoreTokenResponse,
        nonce: Option<&Nonce>,
        subject: Option<&str>,
    ) -> Result<Option<Grant>, SignInError> {
        let Some(token) = response.id_token() else { return Ok(None) };
        let check = |found: &Discovered| {
            let verifier = self.verifier(found.jwks().clone());
            let nonce = |given: Option<&Nonce>| match (nonce, given) {
                (None, _) => Ok(()),
                (Some(nonce), Some(given))
                    if constant_time_eq(nonce.secret().as_bytes(), given.secret().as_bytes()) =>
                {
                    Ok(())
                }
                (Some(_), _) => Err(String::new()),
            };
            token.claims(&verifier, nonce).map(|claims| (claims.expiration(), claims.issue_time()))
        };
        let mut checked = check(&found);
        let unknown_key =
            ClaimsVerificationError::SignatureVerification(SignatureVerificationError::NoMatchingKey);
        if checked.as_ref().is_err_and(|error| *error == unknown_key) {
            found = self.discover_again(&found).await?;
            checked = check(&found);
        }
        let (end, start) = checked.map_err(|error| SignInError::Token(why(&error)))?;
        let id_token = token.to_string();
        let claims = payload(&id_token).ok_or(SignInError::Token("it can't be read"))?;
        // The library leaves these two to who uses it.
        if claims.get("azp").is_some_and(|party| *party != self.client_id.as_str()) {
            return Err(SignInError::Token("it is for another client"));
        }
        let latest = now() + SKEW;
        if claims["nbf"].as_f64().is_some_and(|from| from > seconds(latest)) {
            return Err(SignInError::Token("its time is not now"));
        }
        let own = claims["sub"].as_str().unwrap_or_default().to_owned();
        if own.is_empty() || subject.is_some_and(|subject| subject != own) {
            return Err(SignInError::Token("it is about somebody else"));
        }
        let person = claims::person(&claims, self.operators.as_ref())
            .ok_or(SignInError::Token("no name in it can be shown"))?;
        let life = (end - start).to_std().unwrap_or_default();
        Ok(Some(Grant { person, id_token, subject: own, life }))
    }

    /// As a public client has it: one with a secret would take what is signed with the secret.
    fn verifier(&self, keys: JsonWebKeySet<CoreJsonWebKey>) -> CoreIdTokenVerifier<'static> {
        CoreIdTokenVerifier::new_public_client(self.client_id.clone(), self.issuer.clone(), keys)
            .set_allowed_algs(ALGORITHMS)
            .set_time_fn(|| DateTime::<Utc>::from(now() - SKEW))
            .set_issue_time_verifier_fn(|at| {
                if at <= DateTime::<Utc>::from(now() + SKEW) { Ok(()) } else { Err(String::new()) }
            })
    }

    /// The address that ends the session at the provider, if it has one.
    pub fn logout(&self, found: &Discovered, id_token: &str) -> Option<LogoutRequest> {
        let end = found.additional_metadata().end_session_endpoint.clone()?;
        let url = end.url();
        if !is_safe(url.scheme(), url.host_str().unwrap_or_default()) {
            return None;
        }
        let token = id_token.parse::<openidconnect::core::CoreIdToken>().ok()?;
        Some(LogoutRequest::from(end).set_id_token_hint(&token).set_client_id(self.client_id.clone()))
    }
}

/// What of an ID token does not count.
fn why(error: &ClaimsVerificationError) -> &'static str {
    match error {
        ClaimsVerificationError::Expired(_) => "its time is not now",
        ClaimsVerificationError::InvalidAudience(_) => "it is for another client",
        ClaimsVerificationError::InvalidIssuer(_) => "it is from another issuer",
        ClaimsVerificationError::InvalidNonce(_) => "it is of another sign-in",
        _ => "its signature does not count",
    }
}

/// An error with what caused it, on one line.
fn reason(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text.escape_debug().take(300).collect()
}

/// The claims in a token that was verified.
fn payload(token: &str) -> Option<Value> {
    let payload = token.split('.').nth(1)?;
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).ok()?).ok()
}

fn now() -> SystemTime {
    SystemTime::now()
}

fn seconds(time: SystemTime) -> f64 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::Provider;
    use crate::access::oidc::options::OidcOptions;

    #[test]
    fn what_is_wrong_with_the_options_is_said() {
        let secret = || Some(PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")));
        let whole = |issuer: &str| OidcOptions {
            issuer: Some(issuer.to_owned()),
            client_id: Some("id".to_owned()),
            client_secret_file: secret(),
            ..OidcOptions::default()
        };
        for issuer in ["https://login.example", "https://login.example/realms/team", "http://127.0.0.1:8080"]
        {
            let provider = Provider::open(&whole(issuer)).unwrap().unwrap();
            assert_eq!(provider.issuer(), issuer);
            assert!(provider.has_no_operators());
        }
        assert!(Provider::open(&OidcOptions::default()).unwrap().is_none());
        let operators =
            |text: &str| OidcOptions { operators: Some(text.to_owned()), ..whole("https://login.example") };
        for (options, says) in [
            (whole("login.example"), "--oidc takes the provider's address"),
            (whole("http://login.example"), "--oidc takes the provider's address"),
            (whole("https://login.example?a=b"), "--oidc takes the provider's address"),
            (OidcOptions { client_id: None, ..whole("https://login.example") }, "needs --oidc-client-id"),
            (
                OidcOptions { client_secret_file: None, ..whole("https://login.example") },
                "needs --oidc-client-id",
            ),
            (
                OidcOptions { client_secret_file: Some("no/such/file".into()), ..whole("https://a") },
                "no/such/file",
            ),
            (OidcOptions { issuer: None, ..whole("") }, "--oidc-client-id needs --oidc ISSUER"),
            (
                OidcOptions { operators: Some("a=b".to_owned()), ..OidcOptions::default() },
                "--operators needs --oidc ISSUER",
            ),
            (operators("groups"), "--operators takes CLAIM=VALUE"),
        ] {
            let error = Provider::open(&options).map(|_| ()).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
    }
}
