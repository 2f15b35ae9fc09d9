//! Makes an [`Access`] from the command line, files and the environment. A token itself is not accepted on
//! the command line, where every process of the machine could read it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::http::HeaderName;
use ipnet::IpNet;

use super::audit::Audit;
use super::limits::{Capacity, Limits};
use super::oidc::Oidc;
use super::oidc::options::OidcOptions;
use super::person::{Name, Person};
use super::proxy::TrustedProxy;
use super::shares::Shares;
use super::token::{self, Token};
use super::{Access, AccessState, Member, Role};

/// The environment variable with the operator's token.
pub const TOKEN_VARIABLE: &str = "PILOTHOUSE_TOKEN";
/// The environment variable with the viewer's token.
pub const VIEWER_VARIABLE: &str = "PILOTHOUSE_VIEWER_TOKEN";

/// Where tokens come from, and which other origins and host names are accepted.
#[derive(Clone, Default)]
pub struct Settings {
    /// A file with the operators' tokens, one or `NAME:TOKEN` a line; takes precedence over the environment.
    pub token_file: Option<PathBuf>,
    /// A file with the viewers' tokens.
    pub viewer_token_file: Option<PathBuf>,
    /// The operators' tokens themselves, from the environment.
    pub operator: Option<String>,
    /// The viewers' tokens, from the environment.
    pub viewer: Option<String>,
    /// Makes a token for the operator where none is given.
    pub new_token: bool,
    /// Makes a token for the viewer where none is given.
    pub new_viewer_token: bool,
    /// Other origins whose pages may embed the element.
    pub origins: Vec<String>,
    /// Further host names of this gateway, such as that of a proxy.
    pub hosts: Vec<String>,
    /// The header in which a proxy says who somebody is.
    pub trust_header: Option<String>,
    /// The addresses of such proxies: `ADDR` or `ADDR/BITS`.
    pub trusted_proxies: Vec<String>,
    /// The folder in which links are kept; without one they end with the gateway.
    pub folder: Option<PathBuf>,
    /// The audit log.
    pub audit: Option<PathBuf>,
    /// Whether nothing may be operated while the audit log can't be written.
    pub audit_required: bool,
    /// `NAME=VALUE`: a header, and its value where somebody may operate.
    pub operators_header: Option<String>,
    /// The OpenID Connect provider with which people sign in.
    pub oidc: OidcOptions,
    /// How much may be open at a time.
    pub capacity: Capacity,
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
        let mut read = |role, file: Option<&PathBuf>, variable, given: Option<&String>, new| {
            let (origin, text) = match (file, given) {
                (Some(file), _) => (format!("{}", file.display()), read(file)?),
                (None, Some(text)) => (format!("${variable}"), text.clone()),
                (None, None) if new => {
                    let text = token::generate()?;
                    made.push((role, text.clone()));
                    (String::new(), text)
                }
                (None, None) => return Ok(Vec::new()),
            };
            members(role, &text).map_err(|error| format!("{origin}: {error}"))
        };
        let Settings { token_file, viewer_token_file, operator, viewer, .. } = settings;
        let mut members =
            read(Role::Operator, token_file.as_ref(), TOKEN_VARIABLE, operator.as_ref(), settings.new_token)?;
        members.extend(read(
            Role::Viewer,
            viewer_token_file.as_ref(),
            VIEWER_VARIABLE,
            viewer.as_ref(),
            settings.new_viewer_token,
        )?);
        for (at, member) in members.iter().enumerate() {
            if members.iter().take(at).any(|other| other.token.is_same(&member.token)) {
                return Err("two people have the same token, or a viewer has an operator's; all must differ"
                    .to_owned());
            }
        }
        let proxy = proxy(settings)?;
        let origins = settings.origins.iter().map(|text| origin(text)).collect::<Result<_, _>>()?;
        let hosts = settings.hosts.iter().map(|text| host(text)).collect::<Result<_, _>>()?;
        let audit = match &settings.audit {
            Some(path) => Audit::open(path, settings.audit_required)?,
            None => Audit::default(),
        };
        let shares = settings.folder.as_deref().map(Shares::open).transpose()?.unwrap_or_default();
        let oidc = Oidc::open(&settings.oidc, audit.clone())?;
        let limits = Limits::new(settings.capacity);
        let state = AccessState {
            members,
            proxy,
            oidc,
            origins,
            hosts,
            limits,
            audit,
            shares,
            ..AccessState::default()
        };
        Ok((Self(Arc::new(state)), made))
    }
}

fn read(file: &Path) -> Result<String, String> {
    std::fs::read_to_string(file)
        .map_err(|error| format!("can't read the token in {}: {error}", file.display()))
}

/// Who has a token: a line for each, `TOKEN` or `NAME:TOKEN`. Empty lines and those that begin with `#` don't count.
fn members(role: Role, text: &str) -> Result<Vec<Member>, String> {
    let lines = text.lines().map(str::trim).enumerate();
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let member = |(at, line): (usize, &str)| {
        let (name, token) = match line.split_once(':') {
            Some((name, token)) => (Some(Name::new(name)), token),
            None => (None, line),
        };
        let number = at + 1;
        let name = name.transpose().map_err(|error| format!("line {number}: {error}"))?;
        let token = Token::new(token).map_err(|error| format!("line {number}: {error}"))?;
        Ok(Member { person: Person::new(role, name), token })
    };
    let members = lines.map(member).collect::<Result<Vec<_>, String>>()?;
    if members.is_empty() {
        return Err("there is no token in it".to_owned());
    }
    Ok(members)
}

/// The proxy that says who somebody is.
fn proxy(settings: &Settings) -> Result<Option<TrustedProxy>, String> {
    let Settings { trust_header, trusted_proxies, operators_header, .. } = settings;
    let Some(header) = trust_header else {
        let without = "needs --trust-header NAME, the header in which the proxy says who somebody is";
        return match (trusted_proxies.first(), operators_header) {
            (Some(_), _) => Err(format!("--trusted-proxy {without}")),
            (None, Some(_)) => Err(format!("--operators-header {without}")),
            (None, None) => Ok(None),
        };
    };
    if trusted_proxies.is_empty() {
        return Err("--trust-header needs --trusted-proxy ADDR[/BITS]: from any other address anybody can write the header".to_owned());
    }
    let name = |text: &str, option: &str| {
        text.trim().parse::<HeaderName>().map_err(|_| format!("{option}: \"{text}\" is no name of a header"))
    };
    let operators = match operators_header.as_deref().map(|text| (text, text.split_once('='))) {
        None => None,
        Some((_, Some((header, value)))) if !value.trim().is_empty() && !value.contains(',') => {
            Some((name(header, "--operators-header")?, value.trim().to_owned()))
        }
        Some((text, _)) => return Err(format!("--operators-header takes NAME=VALUE, not \"{text}\"")),
    };
    let addresses = trusted_proxies.iter().map(|text| network(text)).collect::<Result<_, _>>()?;
    Ok(Some(TrustedProxy { header: name(header, "--trust-header")?, addresses, operators }))
}

/// Reads `ADDR` or `ADDR/BITS`.
fn network(text: &str) -> Result<IpNet, String> {
    let one = text.parse::<std::net::IpAddr>().map(IpNet::from);
    one.or_else(|_| text.parse()).map_err(|_| {
        format!("--trusted-proxy takes an address such as 127.0.0.1 or 10.0.0.0/8, not \"{text}\"")
    })
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
        assert!(message.contains("0.0.0.0:7878") && message.contains("add --new-token"), "{message}");
        let hosts = vec!["dash.example".to_owned()];
        let proxied = Access::open(&Settings { hosts, ..Settings::default() }).unwrap().0;
        let message = proxied.fits(([127, 0, 0, 1], 7878).into()).unwrap_err();
        assert!(message.contains("dash.example") && message.contains("add --new-token"), "{message}");
        let (closed, made) = Access::open(&Settings { new_token: true, ..Settings::default() }).unwrap();
        assert!(closed.fits(([0, 0, 0, 0], 7878).into()).is_ok());
        assert_eq!(closed.member(&made[0].1).unwrap().person.role, Role::Operator);
    }

    #[test]
    fn what_is_wrong_is_said_without_the_token() {
        let wrong = |settings: Settings| Access::open(&settings).unwrap_err();
        let short = wrong(Settings { operator: Some("hunter2".to_owned()), ..Settings::default() });
        assert!(
            short.starts_with("$PILOTHOUSE_TOKEN: line 1: a token is") && !short.contains("hunter2"),
            "{short}"
        );
        let none = wrong(Settings { token_file: Some("no/such/file".into()), ..Settings::default() });
        assert!(none.contains("no/such/file"), "{none}");
        let token = Some("one-token-for-both".to_owned());
        let same = wrong(Settings { operator: token.clone(), viewer: token, ..Settings::default() });
        assert!(same.contains("all must differ") && !same.contains("one-token"), "{same}");
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
        assert_eq!(access.member("given-by-somebody").unwrap().person.role, Role::Operator);
        assert!(!format!("{settings:?} {access:?}").contains("given-by"));
    }

    #[test]
    fn each_line_is_a_person() {
        let text = "# the team\nAna: token-of-ana-0123\n\n  Bob:token-of-bob:4567\ntoken-without-name\n";
        let settings = Settings { operator: Some(text.to_owned()), ..Settings::default() };
        let access = Access::open(&settings).unwrap().0;
        let label = |token| access.member(token).map(|member| member.person.label().to_owned());
        assert_eq!(label("token-of-ana-0123").as_deref(), Some("Ana"));
        assert_eq!(label("token-of-bob:4567").as_deref(), Some("Bob"));
        assert_eq!(label("token-without-name").as_deref(), Some("operator"));
        assert_eq!(label("Ana: token-of-ana-0123").as_deref(), Some("Ana"), "the line as it is there");
        assert_eq!(label("Bob:token-of-ana-0123"), None);
        let wrong = |text: &str| {
            let settings = Settings { operator: Some(text.to_owned()), ..Settings::default() };
            Access::open(&settings).unwrap_err()
        };
        let error = wrong("Ana:token-of-ana-0123\nBob:hunter2");
        assert!(error.contains("line 2") && !error.contains("hunter2"), "{error}");
        assert!(wrong("# nobody").contains("no token"));
        assert!(wrong("Ana:token-of-ana-0123\nBob:token-of-ana-0123").contains("must differ"));
    }

    #[test]
    fn a_proxy_is_named_with_its_addresses() {
        let open = |header: Option<&str>, proxies: &[&str], operators: Option<&str>| {
            let settings = Settings {
                trust_header: header.map(str::to_owned),
                trusted_proxies: proxies.iter().map(|text| (*text).to_owned()).collect(),
                operators_header: operators.map(str::to_owned),
                ..Settings::default()
            };
            Access::open(&settings).map(|(access, _)| access)
        };
        let access = open(Some("X-User"), &["10.0.0.0/8", "::1"], Some("X-Groups=dev")).unwrap();
        assert!(access.is_closed() && access.fits(([0, 0, 0, 0], 7878).into()).is_ok());
        for (header, proxies, operators, says) in [
            (Some("X-User"), &[][..], None, "--trust-header needs --trusted-proxy"),
            (None, &["::1"][..], None, "--trusted-proxy needs --trust-header"),
            (None, &[][..], Some("a=b"), "--operators-header needs"),
            (Some("X User"), &["::1"][..], None, "no name of a header"),
            (Some("X-User"), &["localhost"][..], None, "127.0.0.1 or 10.0.0.0/8"),
            (Some("X-User"), &["10.0.0.0/33"][..], None, "127.0.0.1 or 10.0.0.0/8"),
            (Some("X-User"), &["::1"][..], Some("X-Groups"), "NAME=VALUE"),
            (Some("X-User"), &["::1"][..], Some("X-Groups=a,b"), "NAME=VALUE"),
        ] {
            let error = open(header, proxies, operators).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
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
