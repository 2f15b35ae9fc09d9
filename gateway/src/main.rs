//! The command `pilothouse`: exit codes, what goes to standard output, and its end by a signal.
//!
//! Exit codes: 0, or 2 for wrong arguments and unreadable files, or 1 where it can't listen, finds no
//! runtime, can't have its folders, understands nothing in a log, or finds more in a schema than it knows.

#![forbid(unsafe_code)]

mod check;
mod command;

use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use command::{Command, LogArguments, LogFormat, RuntimeArguments};
use pilothouse_gateway::access::audit::report::{self, Filter};
use pilothouse_gateway::access::{Access, Role};
use pilothouse_gateway::agents::copilot;
use pilothouse_gateway::gateway::{Gateway, Settings};
use pilothouse_gateway::http::tls::Tls;
use pilothouse_gateway::inspect;
use pilothouse_gateway::playback::files::read_as;
use pilothouse_gateway::playback::recording::Recording;
use pilothouse_gateway::qr_code;
use pilothouse_gateway::schema::Schema;
use pilothouse_gateway::sign_in_links;

use tracing::Level;
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

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
        Command::Check(arguments) => {
            let check::Findings { report, problems } = check::check(*arguments);
            let printed = print(&report);
            for problem in &problems {
                log(problem);
            }
            if problems.is_empty() { printed } else { ExitCode::from(WRONG_USE) }
        }
        Command::Inspect { log: LogArguments { file, at }, pretty } => inspect_file(&file, at, pretty),
        Command::Export { log: LogArguments { file, at }, format } => {
            match inspect::export(&file, at, format.into()) {
                Ok(read) => {
                    if let Some(report) = &read.transcript {
                        log(&read_as(&file, report));
                    }
                    match read.nothing {
                        None => print(&read.made),
                        Some(found) => not_understood(&file, &found),
                    }
                }
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
    let mut recordings = match Recording::open_all(files) {
        Ok(recordings) => recordings,
        Err(error) => {
            log(&error.to_string());
            return ExitCode::from(WRONG_USE);
        }
    };
    for recording in &recordings {
        if let Some(report) = &recording.transcript {
            log(&read_as(&recording.name, report));
        }
    }
    if recordings.is_empty() && live.is_none() && settings.acp.agents.is_empty() && settings.cluster.is_none()
    {
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
    let machine = settings.cluster.as_ref().map(|cluster| cluster.machine.clone());
    let names: Vec<_> = recordings.iter().map(|recording| recording.name.clone()).collect();
    let others: Vec<_> = settings
        .acp
        .agents
        .iter()
        .map(|agent| format!("{} ({})", agent.name, agent.command.join(" ")))
        .collect();
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
    let here = sign_in_links::origin_of_links(address, access.hosts(), is_tls);
    let there = sign_in_links::origin_for_phones(address, access.hosts(), is_tls);
    let mut greeted = Vec::new();
    for person in access.members() {
        let Some([link, on_phone]) = access.links_of(person).filter(|_| !greeted.contains(&person)) else {
            continue;
        };
        let role = person.role.word();
        let who = person.name.as_ref().map_or(role.to_owned(), |name| format!("{}, {role}", name.as_str()));
        log(&format!("sign in as {who}, once and within ten minutes: {here}{link}"));
        if let Some(there) = there.as_ref().filter(|there| **there != here) {
            log(&format!("  and from a phone or another machine: {there}{on_phone}"));
            if greeted.is_empty()
                && io::stderr().is_terminal()
                && let Some(code) = qr_code::for_terminal(&format!("{there}{on_phone}"))
            {
                log(&format!("  the same as a code for a phone:\n{code}"));
            }
        }
        greeted.push(person);
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
    if !others.is_empty() {
        log(&format!("driving {}", others.join(", ")));
    }
    if let Some(machine) = machine {
        log(&format!("this machine is \"{machine}\" in the cluster"));
    }
    // Before the address is printed: whoever reads it may end the gateway at once.
    let mut signals = match Signals::new() {
        Ok(signals) => signals,
        Err(error) => {
            log(&format!("can't take signals: {error}"));
            return ExitCode::FAILURE;
        }
    };
    // A closed standard output must not end a gateway that others may use already.
    let scheme = if is_tls { "https" } else { "http" };
    let _ = print(&format!("{scheme}://{address}\n"));
    signals.next().await;
    tokio::select! {
        () = gateway.stop() => ExitCode::SUCCESS,
        () = signals.next() => {
            log("ended at once, as the second signal asks; what was under way may have been carried out");
            ExitCode::FAILURE
        }
    }
}

/// The signals that end the command.
#[cfg(unix)]
struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// Takes them from now on.
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};

        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    /// Waits for the next of them.
    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// The signal that ends the command.
#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    /// Waits for the next one.
    async fn next(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}

fn inspect_file(file: &str, at: Option<u64>, pretty: bool) -> ExitCode {
    let inspect::LogReading { made: snapshot, nothing, transcript } = match inspect::file(file, at) {
        Ok(read) => read,
        Err(error) => return unreadable(file, &error),
    };
    if let Some(report) = &transcript {
        log(&read_as(file, report));
    }
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
         What is read: session events, one a line, as the runtime, the gateway's folder and the page's downloads have them,\n\
         and transcripts of Claude Code, Codex and Gemini CLI."
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
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(io::stderr)
        .with_target(false)
        .log_internal_errors(false);
    // What NATS' client says of its connections is said by the gateway in its own words.
    let filter = Targets::new().with_default(Level::INFO).with_target("async_nats", Level::WARN);
    let lines = match format {
        LogFormat::Text => lines.with_ansi(io::stderr().is_terminal()).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    tracing_subscriber::registry().with(lines.with_filter(filter)).init();
}
