//! With which provider people sign in, as the command line says it.

use std::path::PathBuf;

/// The provider, and what the gateway is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OidcOptions {
    /// The issuer; none where people don't sign in with a provider.
    pub issuer: Option<String>,
    /// The gateway's id there.
    pub client_id: Option<String>,
    /// The file with its secret.
    pub client_secret_file: Option<PathBuf>,
    /// What is asked for besides `openid profile email`.
    pub scopes: Vec<String>,
    /// `CLAIM=VALUE`: who of those may operate.
    pub operators: Option<String>,
}
