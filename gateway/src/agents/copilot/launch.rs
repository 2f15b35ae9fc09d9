//! Finds a runtime, and starts it or connects to it. What is in the environment is never shown, because it
//! may be a token.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::{env, fs, io};

use tokio::io::{AsyncBufRead, AsyncWrite, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

use crate::access::settings::{TOKEN_VARIABLE, VIEWER_VARIABLE};

const READ_AHEAD: usize = 256 << 10;
const TOKEN: &str = "COPILOT_SDK_AUTH_TOKEN";

/// Where the runtime is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuntimePlace {
    /// A program to start.
    Program {
        /// The file.
        path: PathBuf,
        /// Arguments after the gateway's own.
        arguments: Vec<OsString>,
    },
    /// The address of a runtime that listens.
    Address(String),
}

/// Both directions of the connection, and the process if we started it.
pub struct RuntimeStreams {
    /// What the runtime sends.
    pub from: Box<dyn AsyncBufRead + Unpin + Send>,
    /// What is sent to the runtime.
    pub to: Box<dyn AsyncWrite + Unpin + Send>,
    /// The process.
    pub child: Option<Child>,
    /// Its standard error.
    pub errors: Option<io::PipeReader>,
}

impl RuntimePlace {
    /// Finds the program: the named one, else the one in `PILOTHOUSE_RUNTIME`, else one on the path, else one
    /// in a `node_modules` of this folder or one above it. The error says how to get one.
    pub fn program(named: Option<PathBuf>, arguments: Vec<OsString>) -> Result<Self, String> {
        let named = named.or_else(|| env::var_os("PILOTHOUSE_RUNTIME").map(PathBuf::from));
        let path = match named {
            Some(path) if path.is_file() => path,
            Some(path) => return Err(format!("there is no runtime at {}", path.display())),
            None => find_on_path().or_else(find_in_node_modules).ok_or_else(|| {
                format!(
                    "can't find the Copilot runtime. Bring it with: npm install @github/copilot-sdk-{}\n\
                     or name it with --runtime PATH or PILOTHOUSE_RUNTIME",
                    platform()
                )
            })?,
        };
        Ok(Self::Program { path, arguments })
    }

    /// The folder where the program keeps its sessions: its home. Unknown for a runtime that listens, and where the
    /// environment names no home.
    pub fn home(&self) -> Option<PathBuf> {
        let Self::Program { arguments, .. } = self else { return None };
        let environment =
            |name: &str| env::var_os(name).filter(|folder| !folder.is_empty()).map(PathBuf::from);
        let home = || environment(if cfg!(windows) { "USERPROFILE" } else { "HOME" });
        config_folder(arguments)
            .or_else(|| environment("COPILOT_HOME"))
            .or_else(|| home().map(|home| home.join(".copilot")))
    }

    /// Starts the program, or connects to the address.
    pub async fn open(&self) -> io::Result<RuntimeStreams> {
        match self {
            Self::Program { path, arguments } => start(path, arguments),
            Self::Address(address) => {
                let stream = TcpStream::connect(address).await?;
                stream.set_nodelay(true)?;
                let (from, to) = stream.into_split();
                let from = Box::new(BufReader::with_capacity(READ_AHEAD, from));
                Ok(RuntimeStreams { from, to: Box::new(to), child: None, errors: None })
            }
        }
    }

    /// Its name for people.
    pub fn name(&self) -> String {
        match self {
            Self::Program { path, .. } => path.display().to_string(),
            Self::Address(address) => address.clone(),
        }
    }
}

/// The folder in the option `--config-dir`, with which the runtime overrides its environment.
fn config_folder(arguments: &[OsString]) -> Option<PathBuf> {
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        if argument == "--config-dir" {
            return arguments.next().map(PathBuf::from);
        }
        if let Some(folder) = argument.to_str().and_then(|text| text.strip_prefix("--config-dir=")) {
            return Some(PathBuf::from(folder));
        }
    }
    None
}

fn start(path: &Path, arguments: &[OsString]) -> io::Result<RuntimeStreams> {
    let mut command = if path.extension().is_some_and(|ending| ending == "js") {
        let mut node = Command::new("node");
        node.arg(path);
        node
    } else {
        Command::new(path)
    };
    command.args(["--headless", "--no-auto-update", "--log-level", "error", "--stdio"]);
    if env::var_os(TOKEN).is_some() {
        command.args(["--auth-token-env", TOKEN, "--no-auto-login"]);
    }
    let (errors, to_errors) = io::pipe()?;
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(to_errors).kill_on_drop(true);
    // The agent's commands could read these tokens, and answer its own requests with them.
    command.env_remove(TOKEN_VARIABLE).env_remove(VIEWER_VARIABLE);
    // Ctrl-C in the gateway's terminal must reach only the gateway, which ends the runtime in order.
    #[cfg(unix)]
    command.process_group(0);
    let mut child = command.spawn()?;
    let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::Error::other("it has no standard input or output"));
    };
    let from = Box::new(BufReader::with_capacity(READ_AHEAD, from));
    Ok(RuntimeStreams { from, to: Box::new(to), child: Some(child), errors: Some(errors) })
}

fn find_on_path() -> Option<PathBuf> {
    let folders: Vec<_> = env::split_paths(&env::var_os("PATH")?).collect();
    let names = ["copilot-runtime", "copilot"];
    let files = names.iter().flat_map(|name| folders.iter().map(move |folder| program(&folder.join(name))));
    files.into_iter().find(|file| file.is_file())
}

/// Looks for `node_modules/@github/copilot-sdk-*/prebuilds/*/copilot-runtime`.
fn find_in_node_modules() -> Option<PathBuf> {
    let here = env::current_dir().ok()?;
    here.ancestors().find_map(|folder| {
        let packages = children(&folder.join("node_modules").join("@github"));
        let own = packages.into_iter().filter(|package| {
            package.file_name().is_some_and(|name| name.to_string_lossy().starts_with("copilot-sdk-"))
        });
        let builds = own.flat_map(|package| children(&package.join("prebuilds")));
        builds.map(|build| program(&build.join("copilot-runtime"))).find(|file| file.is_file())
    })
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

fn program(path: &Path) -> PathBuf {
    if cfg!(windows) { path.with_extension("exe") } else { path.to_owned() }
}

fn platform() -> String {
    let system = match env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    };
    let machine = match env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("{system}-{machine}")
}
