//! The command line of `pilothouse`. The doc comments here are what `--help` prints.

#![allow(clippy::doc_markdown, reason = "`--help` prints the comments as they are")]

mod settings_file;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use async_nats::ServerAddr;
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, FromArgMatches as _, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use pilothouse_core::export;
use pilothouse_gateway::access::limits::Capacity;
use pilothouse_gateway::access::oidc::options::OidcOptions;
use pilothouse_gateway::access::{self};
use pilothouse_gateway::agents::acp::settings::AgentSettings;
use pilothouse_gateway::agents::acp::{host, known};
use pilothouse_gateway::agents::copilot;
use pilothouse_gateway::agents::copilot::launch::RuntimePlace;
use pilothouse_gateway::gateway::Settings;
use pilothouse_gateway::http::tls::TlsFiles;
use pilothouse_gateway::journal::cluster;
use pilothouse_gateway::playback::player::Pace;
use pilothouse_gateway::push;
use pilothouse_gateway::telemetry;
use uuid::Uuid;

/// Watch and steer a coding agent.
#[derive(Debug, Parser)]
#[command(name = "pilothouse", version)]
pub struct CommandLine {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve the page, and play recordings or drive the Copilot runtime
    ///
    /// Prints the address on standard output when it is ready. Without a file and without --copilot it plays a
    /// recording that is built in.
    Serve(Box<Serve>),
    /// Check the arguments and the settings file of `serve`, and the files that they name, without serving
    ///
    /// Prints what would be served on standard output, and everything that is wrong on standard error.
    Check(Box<Serve>),
    /// Reduce a log to one JSON object: what happened, what is open, what the model sees
    Inspect {
        #[command(flatten)]
        log: LogArguments,
        /// Indent the JSON
        #[arg(long)]
        pretty: bool,
    },
    /// Print a log as a document: what was said and done, and what was allowed
    Export {
        #[command(flatten)]
        log: LogArguments,
        /// The document's format: Markdown, or one HTML file that needs nothing else
        #[arg(long)]
        format: Format,
    },
    /// Print audit logs as sentences: who allowed what, who signed in, what was refused
    Audit {
        /// The logs, or - for standard input
        #[arg(value_name = "FILE", required = true)]
        files: Vec<String>,
        /// Only what was done in this session
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// Only what this person did
        #[arg(long, value_name = "NAME")]
        who: Option<String>,
    },
    /// Print the table of all event types (docs/events.md)
    Catalogue {
        /// Print what a runtime's schema has otherwise; PATH is the schema or a folder above it
        #[arg(long, value_name = "PATH", conflicts_with_all = ["fields", "methods"])]
        against: Option<PathBuf>,
        /// Print the fields of each event type in a runtime's schema
        #[arg(long, value_name = "PATH", conflicts_with = "methods")]
        fields: Option<PathBuf>,
        /// Print the methods in a runtime's schema
        #[arg(long, value_name = "PATH")]
        methods: Option<PathBuf>,
    },
    /// Print a script that completes the arguments of this command in a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// A log that is read.
#[derive(Debug, Args)]
pub struct LogArguments {
    /// The log, or - for standard input
    pub file: String,
    /// Stop after this line, counted from 1
    #[arg(long, value_name = "LINE")]
    pub at: Option<u64>,
}

/// What `export` makes.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Format {
    /// Markdown.
    #[value(name = "md", alias = "markdown")]
    Markdown,
    /// One HTML file.
    Html,
}

/// How a running gateway reports what happens.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum LogFormat {
    /// Lines to read.
    Text,
    /// JSON lines.
    Json,
}

impl From<Format> for export::Format {
    fn from(format: Format) -> Self {
        match format {
            Format::Markdown => Self::Markdown,
            Format::Html => Self::Html,
        }
    }
}

/// The arguments of `serve`.
#[derive(Debug, Args)]
pub struct Serve {
    /// Recordings to play, one session a file: JSON lines, one event a line; transcripts of Claude Code, Codex and
    /// Gemini CLI; and folders of these
    #[arg(value_name = "FILE|FOLDER")]
    files: Vec<PathBuf>,
    /// Listen here; port 0 picks a free one
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7878", value_parser = address)]
    listen: SocketAddr,
    /// Play N times as fast as recorded; max does not wait at all
    #[arg(long, value_name = "N|max", default_value = "1", value_parser = pace, help_heading = "Recordings")]
    speed: Pace,
    /// Start again three seconds after the end
    #[arg(long = "loop", help_heading = "Recordings")]
    looped: bool,
    /// How to print on standard error what happens while the gateway runs: lines to read, or one JSON object a line
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub log_format: LogFormat,
    /// Push services that messages to phones may go to, besides those of the browsers
    #[arg(long, value_name = "ORIGIN", value_delimiter = ',', value_parser = push_origin)]
    push_origins: Vec<String>,
    /// Speak https with this certificate chain (PEM); it is read again when it changes
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The certificate's private key (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// How many WebSockets and event streams may be open at a time; a quarter of them is for operators
    #[arg(long, value_name = "N", default_value_t = Capacity::default().streams, value_parser = number)]
    max_streams: usize,
    /// How many sessions one WebSocket may watch
    #[arg(long, value_name = "N", default_value_t = Capacity::default().subscriptions, value_parser = number)]
    max_subscriptions: usize,
    /// Serve /metrics, /healthz and /readyz on this address without a sign-in; else /metrics is for operators
    #[arg(long, value_name = "ADDR:PORT", value_parser = address)]
    metrics: Option<SocketAddr>,
    /// Send spans of the agent's sessions to the OpenTelemetry collector at this address, over OTLP/HTTP
    #[arg(long, value_name = "URL", value_parser = collector)]
    otlp: Option<telemetry::Settings>,
    /// Read settings from this TOML file: each option here is a key there; what stands here as well counts
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    cluster: ClusterArguments,
    #[command(flatten)]
    driven: RuntimeArguments,
    #[command(flatten)]
    acp: AcpArguments,
    #[command(flatten)]
    access: AccessArguments,
}

/// The agents that speak ACP.
#[derive(Debug, Args)]
#[command(next_help_heading = "Other agents")]
struct AcpArguments {
    /// Drive an agent that speaks the Agent Client Protocol: opencode, codex, gemini or copilot by name, or any by its command; may be repeated
    #[arg(long, value_name = "NAME|[NAME=]COMMAND", value_parser = acp_agent)]
    acp: Vec<AgentSettings>,
    /// The tables of the settings file, as JSON.
    #[arg(long, hide = true, value_parser = acp_table)]
    acp_table: Vec<AgentSettings>,
}

impl AcpArguments {
    /// The agents; a table of the settings file and an option of the same name are one agent, as the option says.
    fn agents(&self) -> Vec<AgentSettings> {
        let mut all = self.acp.clone();
        for table in &self.acp_table {
            match all.iter_mut().find(|agent| agent.name == table.name) {
                Some(agent) => {
                    let is_plain =
                        known::named(&agent.name).is_some_and(|known| agent.command == known.command);
                    let command = if is_plain { table.command.clone() } else { agent.command.clone() };
                    *agent = AgentSettings { command, ..table.clone() };
                }
                None => all.push(table.clone()),
            }
        }
        all
    }
}

/// The cluster that this gateway is a part of.
#[derive(Debug, Args)]
#[command(next_help_heading = "Several machines")]
struct ClusterArguments {
    /// Keep the sessions' events in this NATS cluster (JetStream) as well, and show and operate those of all its machines
    #[arg(long, value_name = "URL", value_delimiter = ',', value_parser = nats_server)]
    nats: Vec<ServerAddr>,
    /// This gateway's credentials in that cluster
    #[arg(long, value_name = "FILE", requires = "nats")]
    nats_creds: Option<PathBuf>,
    /// This machine's name in that cluster [default: the host's name; one of its own where no runtime is driven]
    #[arg(long, value_name = "NAME", requires = "nats", value_parser = machine)]
    name: Option<String>,
}

impl ClusterArguments {
    /// The settings; none without a cluster. A gateway that drives nothing has no log whose owner has to be found by its name.
    fn settings(self, drives: bool) -> Option<cluster::Settings> {
        let named = self.name.unwrap_or_else(|| {
            let host = gethostname::gethostname().to_string_lossy().into_owned();
            let plain =
                |letter: char| if letter.is_ascii_alphanumeric() || letter == '_' { letter } else { '-' };
            let host: String = host.chars().map(plain).take(48).collect();
            let host = if host.is_empty() { "pilothouse".to_owned() } else { host };
            if drives { host } else { format!("{host}-{}", &Uuid::new_v4().simple().to_string()[..8]) }
        });
        let (servers, credentials) = (self.nats, self.nats_creds);
        (!servers.is_empty()).then_some(cluster::Settings { servers, credentials, machine: named })
    }
}

/// The runtime to drive.
#[derive(Debug, Args)]
#[command(next_help_heading = "Copilot runtime")]
pub struct RuntimeArguments {
    /// Start the Copilot runtime and drive its sessions, or those of a runtime that listens at HOST:PORT
    #[arg(long, value_name = "HOST:PORT", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    copilot: Option<String>,
    /// The runtime's program [default: $PILOTHOUSE_RUNTIME, then the path, then node_modules]
    #[arg(long, value_name = "PATH", requires = "copilot")]
    runtime: Option<PathBuf>,
    /// Keep the sessions' logs here; - keeps none [default: the system's folder for such data]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Make a session in this folder
    #[arg(long, requires = "copilot")]
    new: bool,
    /// Arguments for the runtime
    #[arg(last = true, value_name = "ARGS", requires = "copilot")]
    arguments: Vec<OsString>,
}

/// Who is let in.
#[derive(Debug, Args)]
#[command(next_help_heading = "Access")]
struct AccessArguments {
    /// A file with the token of who may answer and steer, or a line NAME:TOKEN for each person; also as $PILOTHOUSE_TOKEN
    #[arg(long, value_name = "PATH")]
    token_file: Option<PathBuf>,
    /// A file with the token of who only watches, or a line NAME:TOKEN for each; also as $PILOTHOUSE_VIEWER_TOKEN
    #[arg(long, value_name = "PATH")]
    viewer_token_file: Option<PathBuf>,
    /// Make a token for who may answer and steer, and print it once on standard error
    #[arg(long)]
    new_token: bool,
    /// Make a token for who only watches, and print it once on standard error
    #[arg(long)]
    new_viewer_token: bool,
    /// Another name of this gateway, such as a proxy's; may be repeated
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// Pages of this origin may embed sessions; may be repeated
    #[arg(long, value_name = "ORIGIN")]
    allow_origin: Vec<String>,
    /// A proxy signs people in and says in this header who they are; needs --trusted-proxy
    #[arg(long, value_name = "NAME")]
    trust_header: Option<String>,
    /// The header of --trust-header counts from this address or network alone; may be repeated
    #[arg(long, value_name = "ADDR[/BITS]")]
    trusted_proxy: Vec<String>,
    /// Of those whom the proxy names, who has this header with this value may answer and steer; all others watch
    #[arg(long, value_name = "NAME=VALUE")]
    operators_header: Option<String>,
    /// People sign in with this OpenID Connect provider; needs --oidc-client-id and --oidc-client-secret-file
    #[arg(long, value_name = "ISSUER")]
    oidc: Option<String>,
    /// The id that the provider gave this gateway
    #[arg(long, value_name = "ID")]
    oidc_client_id: Option<String>,
    /// A file with the secret that the provider gave this gateway
    #[arg(long, value_name = "FILE")]
    oidc_client_secret_file: Option<PathBuf>,
    /// Ask the provider for this as well, besides openid, profile and email; may be repeated
    #[arg(long, value_name = "SCOPE")]
    oidc_scope: Vec<String>,
    /// Of those who sign in with the provider, who has this claim with this value may answer and steer; all others watch
    #[arg(long, value_name = "CLAIM=VALUE")]
    operators: Option<String>,
    /// Append a line to this file for each sign-in, answer, message, command and refusal: who, from where, what became of it
    #[arg(long, value_name = "FILE")]
    audit: Option<PathBuf>,
    /// Let nobody answer or steer while the audit log can't be written
    #[arg(long, requires = "audit")]
    audit_required: bool,
    /// Only there to be refused with the reason.
    #[arg(long, alias = "viewer-token", hide = true)]
    token: Option<String>,
}

impl Serve {
    /// The rules that its arguments can't state. The error has no argument's value: it may be a token.
    fn check(&self) -> Result<(), &'static str> {
        if self.access.token.is_some() {
            return Err(
                "every process can read a token on the command line: use --token-file PATH or $PILOTHOUSE_TOKEN",
            );
        }
        let listens = self.driven.copilot.as_ref().is_some_and(|address| !address.is_empty());
        if listens && (self.driven.runtime.is_some() || !self.driven.arguments.is_empty()) {
            return Err("a runtime that listens takes neither --runtime nor arguments");
        }
        let mut names: Vec<_> = self.acp.agents().into_iter().map(|agent| agent.name).collect();
        names.extend(self.driven.copilot.iter().map(|_| copilot::NAME.to_owned()));
        if self.driven.data.is_some() && names.is_empty() {
            return Err("--data is for the sessions of --copilot and --acp");
        }
        names.sort();
        if names.windows(2).any(|pair| pair.first() == pair.last()) {
            return Err("two agents have the same name: give one another with --acp NAME=COMMAND");
        }
        Ok(())
    }

    /// The files of its certificate; none where it speaks plain http.
    pub fn tls_files(&self) -> Option<TlsFiles> {
        let (certificates, key) = (self.tls_cert.clone()?, self.tls_key.clone()?);
        Some(TlsFiles { certificates, key })
    }

    /// The parts: recordings, how the gateway runs, who is let in, and the runtime to drive.
    pub fn parts(self) -> (Vec<PathBuf>, Settings, access::settings::Settings, Option<RuntimeArguments>) {
        let capacity = Capacity { streams: self.max_streams, subscriptions: self.max_subscriptions };
        let Self {
            files,
            listen,
            speed,
            looped,
            push_origins,
            metrics,
            otlp,
            cluster,
            driven,
            acp,
            access,
            ..
        } = self;
        let push = push::Settings { origins: push_origins, ..push::Settings::default() };
        let agents = acp.agents();
        let has_agents = driven.copilot.is_some() || !agents.is_empty();
        let cluster = cluster.settings(has_agents);
        let folder = has_agents.then(|| driven.folder()).flatten();
        let acp = host::Settings { agents, folder: folder.clone(), ..host::Settings::default() };
        let settings = Settings {
            listen,
            pace: speed,
            looped,
            push,
            metrics,
            cluster,
            telemetry: otlp,
            acp,
            ..Settings::default()
        };
        let driven = driven.copilot.is_some().then_some(driven);
        let access = access::settings::Settings {
            folder,
            token_file: access.token_file,
            viewer_token_file: access.viewer_token_file,
            new_token: access.new_token,
            new_viewer_token: access.new_viewer_token,
            hosts: access.allow_host,
            origins: access.allow_origin,
            trust_header: access.trust_header,
            audit: access.audit,
            audit_required: access.audit_required,
            trusted_proxies: access.trusted_proxy,
            operators_header: access.operators_header,
            oidc: OidcOptions {
                issuer: access.oidc,
                client_id: access.oidc_client_id,
                client_secret_file: access.oidc_client_secret_file,
                scopes: access.oidc_scope,
                operators: access.operators,
            },
            capacity,
            ..Default::default()
        };
        (files, settings, access, driven)
    }
}

impl RuntimeArguments {
    /// The folder for what is kept; none if nothing is.
    fn folder(&self) -> Option<PathBuf> {
        match &self.data {
            Some(folder) if folder.as_os_str() == "-" => None,
            Some(folder) => Some(folder.clone()),
            None => copilot::default_folder(),
        }
    }

    /// The settings to drive it with. The error says where its program was looked for.
    pub fn settings(self) -> Result<copilot::Settings, String> {
        let folder = self.folder();
        let place = match self.copilot.filter(|address| !address.is_empty()) {
            Some(address) => RuntimePlace::Address(address),
            None => RuntimePlace::program(self.runtime, self.arguments)?,
        };
        Ok(copilot::Settings { home: place.home(), folder, new: self.new, ..copilot::Settings::new(place) })
    }
}

/// Reads the program's arguments, and the settings file that they name. Prints help, the version or what is wrong, and then
/// ends the program.
pub fn parse() -> Command {
    let given: Vec<OsString> = std::env::args_os().collect();
    let CommandLine { command } = CommandLine::parse_from(&given);
    let (Command::Serve(serve) | Command::Check(serve)) = &command else { return command };
    let refuse =
        |reason: &str| -> ! { CommandLine::command().error(ErrorKind::ArgumentConflict, reason).exit() };
    let command = match &serve.config {
        Some(config) => match with_settings(&given, config) {
            Ok(command) => command,
            Err(reason) => refuse(&reason),
        },
        None => command,
    };
    if let Command::Serve(serve) | Command::Check(serve) = &command
        && let Err(reason) = serve.check()
    {
        refuse(reason);
    }
    command
}

/// The command line with the settings of this file before its own.
fn with_settings(given: &[OsString], config: &Path) -> Result<Command, String> {
    let mut line = CommandLine::command().args_override_self(true);
    line.build();
    let (start, own) = given.split_at(given.len().min(2)); // the program and `serve`
    let Some(serve) = start.get(1).and_then(|name| line.find_subcommand(name)) else {
        return Err("--config stands after the command".to_owned());
    };
    let file = settings_file::read(config, serve)?;
    let has_runtime_arguments = own.iter().any(|argument| argument == "--");
    let for_runtime = if has_runtime_arguments || file.runtime.is_empty() {
        Vec::new()
    } else {
        [vec![OsString::from("--")], file.runtime].concat()
    };
    let all = [start, &file.options, own, &for_runtime].concat();
    let read = line.clone().try_get_matches_from(all).and_then(|read| CommandLine::from_arg_matches(&read));
    match read {
        Ok(CommandLine { command }) => Ok(command),
        Err(error) => {
            // Which of the two it is about.
            let alone = line.try_get_matches_from([start, &file.options].concat()).is_err();
            let about = if alone { format!("{}: ", config.display()) } else { String::new() };
            let error = error.to_string();
            Err(format!("{about}{}", error.trim_start_matches("error: ").trim_end()))
        }
    }
}

/// The script that completes the arguments in this shell.
pub fn completions(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut CommandLine::command(), "pilothouse", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let numeric = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    let numeric = numeric.as_deref().unwrap_or(text);
    numeric.parse().map_err(|_| "it must be an address and a port, such as 127.0.0.1:7878".to_owned())
}

fn number(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=1_000_000).contains(number));
    number.ok_or_else(|| "it must be a whole number from 1 to 1000000".to_owned())
}

fn nats_server(text: &str) -> Result<ServerAddr, String> {
    text.parse().map_err(|error| format!("it must be an address such as nats://127.0.0.1:4222 ({error})"))
}

fn machine(text: &str) -> Result<String, String> {
    let is_name = cluster::message::is_machine(text);
    is_name.then(|| text.to_owned()).ok_or_else(|| "it must be up to 64 letters, digits, - and _".to_owned())
}

fn collector(text: &str) -> Result<telemetry::Settings, String> {
    telemetry::Settings::new(text)?.with_environment()
}

fn acp_agent(text: &str) -> Result<AgentSettings, String> {
    AgentSettings::read(text)
}

fn acp_table(text: &str) -> Result<AgentSettings, String> {
    let (name, table) = text.split_once('=').unwrap_or((text, ""));
    AgentSettings::of_table(name, &serde_json::from_str(table).unwrap_or_default())
}

fn push_origin(text: &str) -> Result<String, String> {
    push::endpoint::origin(text)
}

fn pace(text: &str) -> Result<Pace, String> {
    if text == "max" {
        return Ok(Pace::Max);
    }
    // Slower than a thousandth, pauses would take days and could overflow a duration.
    let times = text.parse::<f64>().ok().filter(|times| times.is_finite() && *times >= 0.001);
    times.map(Pace::Times).ok_or_else(|| "it must be a number of at least 0.001, or max".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::CommandLine;

    #[test]
    fn the_arguments_fit_together() {
        CommandLine::command().debug_assert();
    }
}
