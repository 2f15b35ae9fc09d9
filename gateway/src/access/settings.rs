//! Makes an [`Access`] from the command line, files and the environment. A token itself is not accepted on
//! the command line, where every process of the machine could read it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::token::{self, Token};
use super::{Access, AccessState, Role};

/// The environment variable with the operator's token.
pub const TOKEN_VARIABLE: &str = "PILOTHOUSE_TOKEN";
/// The environment variable with the viewer's token.
pub const VIEWER_VARIABLE: &str = "PILOTHOUSE_VIEWER_TOKEN";

/// Where tokens come from, and which other origins and host names are accepted.
#[derive(Clone, Default)]
pub struct Settings {
    /// A file with the operator's token; takes precedence over the environment.
    pub token_file: Option<PathBuf>,
    /// A file with the viewer's token.
    pub viewer_token_file: Option<PathBuf>,
    /// The operator's token itself, from the environment.
    pub operator: Option<String>,
    /// The viewer's token, from the environment.
    pub viewer: Option<String>,
    /// Makes a token for the operator where none is given.
    pub new_token: bool,
    /// Makes a token for the viewer where none is given.
    pub new_viewer_token: bool,
    /// Other origins whose pages may embed the element.
    pub origins: Vec<String>,
    /// Further host names of this gateway, such as that of a proxy.
    pub hosts: Vec<String>,
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // No fields are printed, because the tokens are among them.
        out.write_str("Settings(…)")
    }
}

impl Settings {
    /// Takes tokens from the environment.
    #[must_use]
    pub fn with_environment(mut self) -> Self {
        let given = |name| std::env::var(name).ok().filter(|text| !text.trim().is_empty());
        self.operator = given(TOKEN_VARIABLE);
        self.viewer = given(VIEWER_VARIABLE);
        self
    }
}

impl Access {
    /// Reads the token files, and makes new tokens where the settings ask for them. Returns those as well, to
    /// be shown once. An error is a sentence for people, without any token.
    pub fn open(settings: &Settings) -> Result<(Self, Vec<(Role, String)>), String> {
        let mut made = Vec::new();
        let mut token = |role, file: Option<&PathBuf>, variable, given: Option<&String>, new| {
            let (origin, text) = match (file, given) {
                (Some(file), _) => (format!("{}", file.display()), read(file)?),
                (None, Some(text)) => (format!("${variable}"), text.clone()),
                (None, None) if new => {
                    let text = token::generate()?;
                    made.push((role, text.clone()));
                    (String::new(), text)
                }
                (None, None) => return Ok(None),
            };
            Token::new(&text).map(Some).map_err(|error| format!("{origin}: {error}"))
        };
        let Settings { token_file, viewer_token_file, operator, viewer, .. } = settings;
        let operator = token(
            Role::Operator,
            token_file.as_ref(),
            TOKEN_VARIABLE,
            operator.as_ref(),
            settings.new_token,
        )?;
        let viewer = token(
            Role::Viewer,
            viewer_token_file.as_ref(),
            VIEWER_VARIABLE,
            viewer.as_ref(),
            settings.new_viewer_token,
        )?;
        if let (Some(one), Some(other)) = (&operator, &viewer)
            && one.is_same(other)
        {
            return Err("the viewer's token is the operator's; they must differ".to_owned());
        }
        let origins = settings.origins.iter().map(|text| origin(text)).collect::<Result<_, _>>()?;
        let hosts = settings.hosts.iter().map(|text| host(text)).collect::<Result<_, _>>()?;
        let state = AccessState { viewer, operator, origins, hosts, ..AccessState::default() };
        Ok((Self(Arc::new(state)), made))
    }
}

fn read(file: &Path) -> Result<String, String> {
    std::fs::read_to_string(file)
        .map_err(|error| format!("can't read the token in {}: {error}", file.display()))
}

/// Checks an origin and returns it as browsers send it: `https://name:port`, in lower case.
fn origin(text: &str) -> Result<String, String> {
    let origin = text.trim_end_matches('/').to_ascii_lowercase();
    let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    // The text ends up in a header, so no star and no list is accepted.
    match authority {
        Some(authority) if is_name(authority, b":[]") => Ok(origin),
        _ => Err(format!(
            "--allow-origin takes the origin of a page such as https://dash.example, not \"{text}\""
        )),
    }
}

fn host(text: &str) -> Result<String, String> {
    let name = text.to_ascii_lowercase();
    if is_name(&name, b"") {
        return Ok(name);
    }
    Err(format!("--allow-host takes a name such as dash.example, without scheme and port, not \"{text}\""))
}

fn is_name(text: &str, more: &[u8]) -> bool {
    let fits =
        |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'-' || more.contains(&byte);
    !text.is_empty() && text.bytes().all(fits)
}

#[cfg(test)]
mod tests {
    use super::{Access, Settings, host, origin};
    use crate::access::Role;

    #[test]
    fn without_a_token_only_loopback_is_served() {
        let open = Access::default();
        assert!(open.fits(([127, 0, 0, 1], 7878).into()).is_ok());
        let message = open.fits(([0, 0, 0, 0], 7878).into()).unwrap_err();
        assert!(message.contains("pilothouse serve --listen 0.0.0.0:7878 --new-token"), "{message}");
        let hosts = vec!["dash.example".to_owned()];
        let proxied = Access::open(&Settings { hosts, ..Settings::default() }).unwrap().0;
        let message = proxied.fits(([127, 0, 0, 1], 7878).into()).unwrap_err();
        assert!(message.contains("pilothouse serve --allow-host dash.example --new-token"), "{message}");
        let (closed, made) = Access::open(&Settings { new_token: true, ..Settings::default() }).unwrap();
        assert!(closed.fits(([0, 0, 0, 0], 7878).into()).is_ok());
        assert_eq!(closed.role_of(&made[0].1), Some(Role::Operator));
    }

    #[test]
    fn what_is_wrong_is_said_without_the_token() {
        let wrong = |settings: Settings| Access::open(&settings).unwrap_err();
        let short = wrong(Settings { operator: Some("hunter2".to_owned()), ..Settings::default() });
        assert!(short.starts_with("$PILOTHOUSE_TOKEN: a token is") && !short.contains("hunter2"), "{short}");
        let none = wrong(Settings { token_file: Some("no/such/file".into()), ..Settings::default() });
        assert!(none.contains("no/such/file"), "{none}");
        let token = Some("one-token-for-both".to_owned());
        let same = wrong(Settings { operator: token.clone(), viewer: token, ..Settings::default() });
        assert!(same.contains("must differ") && !same.contains("one-token"), "{same}");
    }

    #[test]
    fn a_token_that_is_given_beats_a_new_one() {
        let settings = Settings {
            operator: Some("given-by-somebody".to_owned()),
            new_token: true,
            ..Settings::default()
        };
        let (access, made) = Access::open(&settings).unwrap();
        assert!(made.is_empty());
        assert_eq!(access.role_of("given-by-somebody"), Some(Role::Operator));
        assert!(!format!("{settings:?} {access:?}").contains("given-by"));
    }

    #[test]
    fn origins_and_names_are_exact() {
        assert_eq!(origin("https://Dash.example/").unwrap(), "https://dash.example");
        assert_eq!(origin("http://[::1]:8080").unwrap(), "http://[::1]:8080");
        for wrong in
            ["*", "null", "dash.example", "https://", "https://a/b", "https://*.a", "https://a, https://b"]
        {
            assert!(origin(wrong).is_err(), "{wrong}");
        }
        assert_eq!(host("Dash.Example").unwrap(), "dash.example");
        for wrong in ["", "*", "http://a", "a:80", "a/b"] {
            assert!(host(wrong).is_err(), "{wrong}");
        }
    }
}
