//! The command line of `pilothouse`: parses the arguments into a [`Command`].

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use lexopt::prelude::{Long, Short, Value};
use lexopt::{Arg, Parser};

use pilothouse::core::export::Format;
use pilothouse_gateway::access::{self, Access};
use pilothouse_gateway::gateway::Settings;
use pilothouse_gateway::live;
use pilothouse_gateway::live::launch::Place;
use pilothouse_gateway::playback::player::Pace;

/// What `--help` prints.
pub const USAGE: &str = "\
Watch and steer a coding agent.

Usage:
  pilothouse serve [FILE…] [--listen ADDR:PORT] [--speed N|max] [--loop] [ACCESS…]
  pilothouse serve --copilot[=HOST:PORT] [--runtime PATH] [--data DIR] [--new] [ACCESS…] [-- ARGS…]
  pilothouse inspect FILE|- [--at N] [--pretty]
  pilothouse export FILE|- --format md|html [--at N]
  pilothouse catalogue [--against PATH | --fields PATH]
  pilothouse --help | --version

serve      serves the page and plays recordings (JSONL, one event a line), one session a file;
           without a file, a recording that is built in. Prints its address when it is ready.
  --listen ADDR:PORT  where to listen (127.0.0.1:7878); port 0 picks a free one
  --speed N|max       N times as fast as recorded (1); max does not wait at all
  --loop              starts again three seconds after the end
  --token-file PATH   a file with the token of who may answer and steer; also as $PILOTHOUSE_TOKEN
  --viewer-token-file PATH  the token of who only watches; also as $PILOTHOUSE_VIEWER_TOKEN
  --new-token, --new-viewer-token  make one, and print it once on standard error
  --allow-host NAME   another name of this gateway, such as a proxy's
  --allow-origin ORIGIN  pages of this origin may embed sessions; both may be repeated
  --copilot           starts the Copilot runtime and drives its sessions
  --copilot=HOST:PORT the same with a runtime that listens there
  --runtime PATH      the runtime's program (else PILOTHOUSE_RUNTIME, the path, node_modules)
  --data DIR          where sessions' logs are kept (the system's place for such); - keeps none
  --new               makes a session in this folder
  -- ARGS…            arguments for the runtime
inspect    reduces a log to one JSON object: what happened, what is open, what the model sees
  --at N              stops after the Nth line
  --pretty            indents
export     prints a log as a document to read: what was said and done, and what was allowed
  --format md|html    Markdown, or one HTML file that needs nothing else
  --at N              stops after the Nth line
catalogue  prints the table of all event types (docs/events.md)
  --against PATH      what a runtime's schema has otherwise; PATH is the schema or a folder above it
  --fields PATH       the fields of each type in that schema
";

/// A parsed command line.
#[derive(Debug)]
pub enum Command {
    /// `serve`.
    Serve {
        /// The recordings; none = the built-in one.
        files: Vec<PathBuf>,
        /// How the gateway runs.
        settings: Settings,
        /// Who is let in.
        access: Box<access::settings::Settings>,
        /// The runtime to drive, if any.
        driven: Option<Driven>,
    },
    /// `inspect`.
    Inspect {
        /// The log, `-` for standard input.
        file: String,
        /// The last line to read.
        at: Option<u64>,
        /// Whether to indent.
        pretty: bool,
    },
    /// `export`.
    Export {
        /// The log, `-` for standard input.
        file: String,
        /// The last line to read.
        at: Option<u64>,
        /// The document's format.
        format: Format,
    },
    /// `catalogue`.
    Catalogue,
    /// `catalogue --against PATH`, or with `fields` `--fields PATH`.
    Schema {
        /// The schema, or a folder somewhere above it.
        path: PathBuf,
        /// Its fields are to be printed.
        fields: bool,
    },
    /// `--help`.
    Help,
    /// `--version`.
    Version,
}

/// The runtime to drive.
#[derive(Debug)]
pub struct Driven {
    /// Where it listens; without an address it is started.
    address: Option<String>,
    program: Option<PathBuf>,
    arguments: Vec<OsString>,
    folder: Option<PathBuf>,
    new: bool,
}

impl Driven {
    /// The settings to drive it with. The error says where its program was looked for.
    pub fn settings(self) -> Result<live::Settings, String> {
        let place = match self.address {
            Some(address) => Place::Address(address),
            None => Place::program(self.program, self.arguments)?,
        };
        Ok(live::Settings {
            home: place.home(),
            folder: self.folder,
            new: self.new,
            ..live::Settings::new(place)
        })
    }
}

/// Reads the arguments, the program's name left out. An error is a sentence for people.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, String> {
    let mut arguments: Vec<_> = arguments.into_iter().collect();
    let end = arguments.iter().position(|argument| argument == "--").unwrap_or(arguments.len());
    let rest = arguments.split_off(end);
    let mut parser = Parser::from_args(arguments);
    let command = match next(&mut parser)? {
        Some(Value(name)) => name.to_string_lossy().into_owned(),
        Some(Long("help") | Short('h')) => return Ok(Command::Help),
        Some(Long("version") | Short('V')) => return Ok(Command::Version),
        Some(other) => return Err(other.unexpected().to_string()),
        None => return Err("a command is missing: serve, inspect, export or catalogue".to_owned()),
    };
    if command != "serve" && rest.len() > 1 {
        return Err(format!("{command} takes nothing after --"));
    }
    match command.as_str() {
        "serve" => serve(&mut parser, rest),
        "inspect" => inspect(&mut parser),
        "export" => export(&mut parser),
        "catalogue" => match next(&mut parser)? {
            Some(Long("help") | Short('h')) => Ok(Command::Help),
            Some(Long("against")) => schema(&mut parser, false),
            Some(Long("fields")) => schema(&mut parser, true),
            Some(other) => Err(other.unexpected().to_string()),
            None => Ok(Command::Catalogue),
        },
        "help" => Ok(Command::Help),
        other => {
            Err(format!("there is no command \"{other}\"; there are serve, inspect, export and catalogue"))
        }
    }
}

fn serve(parser: &mut Parser, rest: Vec<OsString>) -> Result<Command, String> {
    let mut files = Vec::new();
    let mut access = Box::<access::settings::Settings>::default();
    let mut settings = Settings {
        listen: SocketAddr::from(([127, 0, 0, 1], 7878)),
        pace: Pace::Times(1.0),
        looped: false,
        access: Access::default(),
    };
    let mut driven = None;
    let (mut program, mut data, mut new) = (None, None, false);
    while let Some(argument) = next(parser)? {
        match argument {
            Value(file) => files.push(file.into()),
            Long("listen") => settings.listen = address(&value(parser)?)?,
            Long("speed") => settings.pace = pace(&value(parser)?)?,
            Long("loop") => settings.looped = true,
            Long("token-file") => access.token_file = Some(path(parser)?),
            Long("viewer-token-file") => access.viewer_token_file = Some(path(parser)?),
            Long("new-token") => access.new_token = true,
            Long("new-viewer-token") => access.new_viewer_token = true,
            Long("allow-host") => access.hosts.push(value(parser)?),
            Long("allow-origin") => access.origins.push(value(parser)?),
            Long("token" | "viewer-token") => {
                return Err("a token on the command line can be read by every process: use --token-file PATH or $PILOTHOUSE_TOKEN".to_owned());
            }
            Long("copilot") => {
                driven = Some(parser.optional_value().map(|address| address.to_string_lossy().into_owned()));
            }
            Long("runtime") => program = Some(value(parser)?.into()),
            Long("data") => data = Some(value(parser)?),
            Long("new") => new = true,
            Long("help") | Short('h') => return Ok(Command::Help),
            other => return Err(other.unexpected().to_string()),
        }
    }
    let arguments: Vec<_> = rest.into_iter().skip(1).collect();
    let Some(address) = driven else {
        if program.is_some() || data.is_some() || new {
            return Err("--runtime, --data and --new go with --copilot".to_owned());
        }
        files.extend(arguments.into_iter().map(PathBuf::from));
        return Ok(Command::Serve { files, settings, access, driven: None });
    };
    if address.is_some() && (program.is_some() || !arguments.is_empty()) {
        return Err("a runtime that listens takes neither --runtime nor arguments".to_owned());
    }
    let folder = match data.as_deref() {
        Some("-") => None,
        Some(folder) => Some(PathBuf::from(folder)),
        None => live::default_folder(),
    };
    let driven = Driven { address, program, arguments, folder, new };
    Ok(Command::Serve { files, settings, access, driven: Some(driven) })
}

fn inspect(parser: &mut Parser) -> Result<Command, String> {
    let (mut file, mut at, mut pretty) = (None, None, false);
    while let Some(argument) = next(parser)? {
        match argument {
            Value(name) if file.is_none() => file = Some(name.to_string_lossy().into_owned()),
            Long("at") => at = Some(line(parser)?),
            Long("pretty") => pretty = true,
            Long("help") | Short('h') => return Ok(Command::Help),
            other => return Err(other.unexpected().to_string()),
        }
    }
    let file = file.ok_or("inspect needs a file, or - for standard input")?;
    Ok(Command::Inspect { file, at, pretty })
}

fn schema(parser: &mut Parser, fields: bool) -> Result<Command, String> {
    let path = PathBuf::from(value(parser)?);
    match next(parser)? {
        Some(other) => Err(other.unexpected().to_string()),
        None => Ok(Command::Schema { path, fields }),
    }
}

fn export(parser: &mut Parser) -> Result<Command, String> {
    let (mut file, mut at, mut format) = (None, None, None);
    while let Some(argument) = next(parser)? {
        match argument {
            Value(name) if file.is_none() => file = Some(name.to_string_lossy().into_owned()),
            Long("at") => at = Some(line(parser)?),
            Long("format") => {
                format = Some(match value(parser)?.as_str() {
                    "md" | "markdown" => Format::Markdown,
                    "html" => Format::Html,
                    other => return Err(format!("--format takes md or html, not \"{other}\"")),
                });
            }
            Long("help") | Short('h') => return Ok(Command::Help),
            other => return Err(other.unexpected().to_string()),
        }
    }
    let file = file.ok_or("export needs a file, or - for standard input")?;
    let format = format.ok_or("export needs --format md or --format html")?;
    Ok(Command::Export { file, at, format })
}

fn path(parser: &mut Parser) -> Result<PathBuf, String> {
    parser.value().map(Into::into).map_err(|error| error.to_string())
}

fn line(parser: &mut Parser) -> Result<u64, String> {
    let text = value(parser)?;
    text.parse().map_err(|_| format!("--at takes the number of a line, not \"{text}\""))
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let numeric = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    let numeric = numeric.as_deref().unwrap_or(text);
    numeric.parse().map_err(|_| format!("--listen takes ADDR:PORT such as 127.0.0.1:7878, not \"{text}\""))
}

fn pace(text: &str) -> Result<Pace, String> {
    if text == "max" {
        return Ok(Pace::Max);
    }
    // Slower than a thousandth, pauses would take days and could overflow a duration.
    let times = text.parse::<f64>().ok().filter(|times| times.is_finite() && *times >= 0.001);
    times
        .map(Pace::Times)
        .ok_or_else(|| format!("--speed takes a number of at least 0.001 or max, not \"{text}\""))
}

fn next(parser: &mut Parser) -> Result<Option<Arg<'_>>, String> {
    parser.next().map_err(|error| error.to_string())
}

fn value(parser: &mut Parser) -> Result<String, String> {
    let value = parser.value().map_err(|error| error.to_string())?;
    Ok(value.to_string_lossy().into_owned())
}
