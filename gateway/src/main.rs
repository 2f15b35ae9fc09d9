//! The command `pilothouse`: exit codes, what goes to standard output, and its end by a signal.
//!
//! Exit codes: 0, or 2 for wrong arguments and unreadable files, or 1 where it can't listen, finds no
//! runtime, can't have its folders, understands nothing in a log, or finds more in a schema than it knows.

#![forbid(unsafe_code)]

mod command;

use std::io::{self, IsTerminal as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use qrcode::render::unicode;
use qrcode::{EcLevel, QrCode};

use command::{Command, LogArguments, LogFormat, RuntimeArguments};
use pilothouse_gateway::access::audit::report::{self, Filter};
use pilothouse_gateway::access::{Access, Role, token};
use pilothouse_gateway::agents::copilot;
use pilothouse_gateway::gateway::{Gateway, Settings};
use pilothouse_gateway::http::tls::Tls;
use pilothouse_gateway::inspect;
use pilothouse_gateway::playback::recording::Recording;
use pilothouse_gateway::schema::Schema;

const WRONG_USE: u8 = 2;

fn main() -> ExitCode {
    match command::parse() {
        Command::Serve(arguments) => {
            trace(arguments.log_format);
            let tls = arguments.tls_files().map(Tls::open).transpose();
            let (files, mut settings, access, driven) = arguments.parts();
            settings.tls = match tls {
                Ok(tls) => tls,
                Err(message) => {
                    log(&message);
                    return ExitCode::from(WRONG_USE);
                }
            };
            let opened = Access::open(&access.with_environment());
            let fits =
                opened.and_then(|(access, made)| access.fits(settings.listen).map(|()| (access, made)));
            let (access, made) = match fits {
                Ok(fits) => fits,
                Err(message) => {
                    log(&message);
                    return ExitCode::from(WRONG_USE);
                }
            };
            settings.access = access;
            match driven.map(RuntimeArguments::settings).transpose() {
                Ok(live) => serve(&files, settings, &made, live),
                Err(message) => {
                    log(&message);
                    ExitCode::FAILURE
                }
            }
        }
        Command::Inspect { log: LogArguments { file, at }, pretty } => inspect_file(&file, at, pretty),
        Command::Export { log: LogArguments { file, at }, format } => {
            match inspect::export(&file, at, format.into()) {
                Ok(read) => match read.nothing {
                    None => print(&read.made),
                    Some(found) => not_understood(&file, &found),
                },
                Err(error) => unreadable(&file, &error),
            }
        }
        Command::Audit { files, session, who } => audit(&files, &Filter { session, who }),
        Command::Catalogue { against: Some(path), .. } => schema(&path, |schema| Ok(schema.compared())),
        Command::Catalogue { fields: Some(path), .. } => schema(&path, |schema| Ok((schema.fields(), true))),
        Command::Catalogue { methods: Some(path), .. } => {
            schema(&path, |schema| schema.methods().map(|methods| (methods, true)))
        }
        Command::Catalogue { .. } => print(&pilothouse_core::protocol::events_page::markdown()),
        Command::Completions { shell } => print(&command::completions(shell)),
    }
}

/// Prints what is read from a runtime's schema, and fails where it has more than the catalogue knows.
fn schema(path: &Path, read: impl Fn(&Schema) -> Result<(String, bool), String>) -> ExitCode {
    match Schema::open(path).and_then(|schema| read(&schema)) {
        Ok((report, complete)) => {
            let printed = print(&report);
            if complete { printed } else { ExitCode::FAILURE }
        }
        Err(message) => {
            log(&message);
            ExitCode::from(WRONG_USE)
        }
    }
}

fn serve(
    files: &[PathBuf],
    settings: Settings,
    made: &[(Role, String)],
    live: Option<copilot::Settings>,
) -> ExitCode {
    let read: Result<Vec<_>, _> = files.iter().map(|file| Recording::open(file)).collect();
    let mut recordings = match read {
        Ok(recordings) => recordings,
        Err(error) => {
            log(&error.to_string());
            return ExitCode::from(WRONG_USE);
        }
    };
    if recordings.is_empty() && live.is_none() {
        recordings.push(Recording::demo());
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            log(&format!("can't start the runtime's threads: {error}"));
            return ExitCode::FAILURE;
        }
    };
    runtime.block_on(run(recordings, settings, made, live))
}

async fn run(
    recordings: Vec<Recording>,
    settings: Settings,
    made: &[(Role, String)],
    live: Option<copilot::Settings>,
) -> ExitCode {
    let access = settings.access.clone();
    let is_tls = settings.tls.is_some();
    let names: Vec<_> = recordings.iter().map(|recording| recording.name.clone()).collect();
    let driven = live.as_ref().map(|live| live.place.name());
    let gateway = match Gateway::start_with(settings, recordings, live).await {
        Ok(gateway) => gateway,
        Err(error) => {
            log(&error.to_string());
            return ExitCode::FAILURE;
        }
    };
    let address = gateway.address();
    for (role, token) in made {
        log(&format!("the {}'s token, which is not said again: {token}", role.word()));
    }
    let here = origin_of_links(address, access.hosts(), is_tls);
    for role in [Role::Operator, Role::Viewer] {
        if let Some(link) = access.link(role) {
            log(&format!("sign in as {}, once and within ten minutes: {here}{link}", role.word()));
            if role == Role::Operator
                && io::stderr().is_terminal()
                && let Some(there) = origin_for_phones(address, access.hosts(), is_tls)
                && let Some(code) = qr_code(&format!("{there}{link}"))
            {
                log(&format!("the same link for a phone, {there}:\n{code}"));
            }
        }
    }
    if access.proxy().is_some_and(|proxy| proxy.operators.is_none()) {
        log(
            "who comes through the proxy watches; --operators-header NAME=VALUE says who may answer and steer",
        );
    }
    if let Some(oidc) = access.oidc().filter(|oidc| oidc.has_no_operators()) {
        log(&format!(
            "who signs in with {} watches; --operators CLAIM=VALUE says who may answer and steer",
            oidc.host()
        ));
    }
    if !names.is_empty() {
        log(&format!("playing {}", names.join(", ")));
    }
    if let Some(driven) = driven {
        log(&format!("driving the runtime {driven}"));
    }
    // Before the address is printed: whoever reads it may end the gateway at once.
    let ended = match shutdown_signal() {
        Ok(ended) => ended,
        Err(error) => {
            log(&format!("can't take signals: {error}"));
            return ExitCode::FAILURE;
        }
    };
    // A closed standard output must not end a gateway that others may use already.
    let scheme = if is_tls { "https" } else { "http" };
    let _ = print(&format!("{scheme}://{address}\n"));
    ended.await;
    gateway.stop().await;
    ExitCode::SUCCESS
}

/// What stands in front of the links that sign in. Browsers send a cookie to all ports of its name, so on this machine the name is one
/// that nobody else knows. Otherwise a server on another port, such as one that the agent has started, would get the cookie as soon as
/// somebody looks at its page. A certificate has the name of a host, and https keeps the cookie from plain servers.
fn origin_of_links(address: SocketAddr, hosts: &[String], is_tls: bool) -> String {
    let (ip, port) = (address.ip(), address.port());
    if is_tls {
        let host = hosts.first().cloned().unwrap_or_else(|| bracketed(ip));
        return format!("https://{host}:{port}");
    }
    let is_localhost = ip.is_unspecified() || ip == Ipv4Addr::LOCALHOST || ip == Ipv6Addr::LOCALHOST;
    match token::generate() {
        Ok(secret) if is_localhost => {
            format!("http://pilothouse-{}.localhost:{port}", secret.get(..16).unwrap_or_default())
        }
        _ => format!("http://{address}"),
    }
}

/// Where a phone reaches the gateway: behind a proxy by its name, else by this machine's address. None where others don't reach it.
fn origin_for_phones(address: SocketAddr, hosts: &[String], is_tls: bool) -> Option<String> {
    let (ip, port) = (address.ip(), address.port());
    match (hosts.first(), is_tls) {
        (Some(host), true) => return Some(format!("https://{host}:{port}")),
        // A proxy does TLS in front of it, at the usual port.
        (Some(host), false) => return Some(format!("https://{host}")),
        (None, _) => {}
    }
    let ip = if ip.is_unspecified() { own_address(ip)? } else { ip };
    let scheme = if is_tls { "https" } else { "http" };
    (!ip.is_loopback()).then(|| format!("{scheme}://{}:{port}", bracketed(ip)))
}

/// This machine's address in its network. A connection of this kind sends nothing: it only chooses where it would send from.
fn own_address(listens: IpAddr) -> Option<IpAddr> {
    let (from, to): (SocketAddr, SocketAddr) = match listens {
        IpAddr::V4(_) => ((Ipv4Addr::UNSPECIFIED, 0).into(), (Ipv4Addr::new(192, 0, 2, 1), 9).into()),
        IpAddr::V6(_) => {
            ((Ipv6Addr::UNSPECIFIED, 0).into(), (Ipv4Addr::new(192, 0, 2, 1).to_ipv6_mapped(), 9).into())
        }
    };
    let socket = UdpSocket::bind(from).ok()?;
    socket.connect(to).ok()?;
    let own = socket.local_addr().ok()?.ip().to_canonical();
    (!own.is_unspecified()).then_some(own)
}

fn bracketed(ip: IpAddr) -> String {
    match ip {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    }
}

/// A text as a QR code of half blocks; none if it is too long for one.
fn qr_code(text: &str) -> Option<String> {
    let code = QrCode::with_error_correction_level(text, EcLevel::L).ok()?;
    Some(
        code.render::<unicode::Dense1x2>()
            .dark_color(unicode::Dense1x2::Light)
            .light_color(unicode::Dense1x2::Dark)
            .build(),
    )
}

/// Takes the signals from now on. The returned future waits for the first of them.
#[cfg(unix)]
fn shutdown_signal() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn asked_to_end() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}

fn inspect_file(file: &str, at: Option<u64>, pretty: bool) -> ExitCode {
    let inspect::LogReading { made: snapshot, nothing } = match inspect::file(file, at) {
        Ok(read) => read,
        Err(error) => return unreadable(file, &error),
    };
    let text = if pretty { format!("{snapshot:#}\n") } else { format!("{snapshot}\n") };
    let printed = print(&text);
    nothing.map_or(printed, |found| not_understood(file, &found))
}

/// Prints audit logs as sentences, and fails where a line is none of an audit log.
fn audit(files: &[String], filter: &Filter) -> ExitCode {
    let (mut text, mut unreadable) = (String::new(), 0);
    for file in files {
        let read = if file == "-" { io::read_to_string(io::stdin()) } else { std::fs::read_to_string(file) };
        let log = match read {
            Ok(log) => log,
            Err(error) => return self::unreadable(file, &error),
        };
        let (sentences, bad) = report::read(&log, filter);
        text.push_str(&sentences);
        unreadable += bad;
    }
    let printed = print(&text);
    if unreadable == 0 {
        return printed;
    }
    log(&format!("{unreadable} lines are none of an audit log; they were left out"));
    ExitCode::FAILURE
}

fn not_understood(file: &str, found: &str) -> ExitCode {
    log(&format!(
        "nothing in {file} is a record of a session. It begins with {found}.\n\
         What is read: session events, one a line, as the runtime, the gateway's folder and the page's downloads have them."
    ));
    ExitCode::FAILURE
}

fn unreadable(file: &str, error: &io::Error) -> ExitCode {
    log(&format!("can't read {file}: {error}. Check the path and its permissions."));
    ExitCode::from(WRONG_USE)
}

/// Prints to standard output. A reader that closes the pipe early (`| head`) is not an error.
fn print(text: &str) -> ExitCode {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            log(&format!("can't write to standard output: {error}"));
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Prints a message on standard error for the person who started the command.
fn log(message: &str) {
    // Best effort; failures are ignored.
    let _ = writeln!(io::stderr().lock(), "pilothouse: {message}");
}

/// Prints on standard error what happens while the gateway runs.
fn trace(format: LogFormat) {
    // Where standard error can't be written either, as on a full disk, the report of that would end the thread.
    let lines =
        tracing_subscriber::fmt().with_writer(io::stderr).with_target(false).log_internal_errors(false);
    match format {
        LogFormat::Text => lines.with_ansi(io::stderr().is_terminal()).init(),
        LogFormat::Json => lines.json().flatten_event(true).init(),
    }
}

#[cfg(test)]
mod tests {
    use super::{origin_for_phones, origin_of_links, qr_code};

    fn hosts(name: &str) -> Vec<String> {
        vec![name.to_owned()]
    }

    #[test]
    fn a_link_for_a_phone_leads_where_a_phone_comes_to() {
        let phones = |address: &str, hosts: &[String], is_tls| {
            origin_for_phones(address.parse().unwrap(), hosts, is_tls)
        };
        assert_eq!(phones("127.0.0.1:7878", &[], false), None);
        assert_eq!(phones("[::1]:7878", &[], true), None);
        assert_eq!(phones("192.168.1.5:7878", &[], false).as_deref(), Some("http://192.168.1.5:7878"));
        assert_eq!(phones("[2001:db8::1]:7878", &[], true).as_deref(), Some("https://[2001:db8::1]:7878"));
        assert_eq!(
            phones("127.0.0.1:7878", &hosts("p.example"), false).as_deref(),
            Some("https://p.example")
        );
        assert_eq!(
            phones("0.0.0.0:7878", &hosts("p.example"), true).as_deref(),
            Some("https://p.example:7878")
        );
    }

    #[test]
    fn a_link_on_this_machine_has_a_name_of_its_own_and_one_with_a_certificate_its_name() {
        let here = |address: &str, hosts: &[String], is_tls| {
            origin_of_links(address.parse().unwrap(), hosts, is_tls)
        };
        let secret = here("127.0.0.1:7878", &[], false);
        assert!(secret.starts_with("http://pilothouse-") && secret.ends_with(".localhost:7878"), "{secret}");
        assert_eq!(here("192.168.1.5:7878", &[], false), "http://192.168.1.5:7878");
        assert_eq!(here("0.0.0.0:7878", &hosts("p.example"), true), "https://p.example:7878");
    }

    #[test]
    fn a_code_is_square_and_has_a_quiet_edge() {
        let code = qr_code("https://p.example/signin?code=0123456789abcdef").unwrap();
        let lines: Vec<Vec<char>> = code.lines().map(|line| line.chars().collect()).collect();
        assert!(lines.iter().all(|line| line.len() == lines[0].len()));
        assert!((2 * lines.len()).abs_diff(lines[0].len()) <= 1, "{code}");
        assert!(lines[0].iter().all(|part| *part == lines[0][0]), "the edge is of one kind\n{code}");
    }
}
