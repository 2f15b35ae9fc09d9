//! The Copilot runtime as an agent: makes, resumes, closes and steers its sessions, and relays clients' calls as they are.
//!
//! Reading order: [`launch`] (find and start the runtime) → [`connection`] (one connection, in its protocol) →
//! [`receive`] (an event goes to the recorder) → [`runtime`] (the connection, and its sessions, each
//! with its [`link`]; [`pending_work`] that was interrupted) → [`supervisor`] (restarts a runtime that ended) → [`calls`] (what clients ask).
//! Messages of people: [`delivery`] (sent and followed), [`queued_commands`] (run when their turn comes). What other agents
//! need as well is beside this folder.

pub mod calls;
pub mod connection;
pub mod delivery;
pub mod launch;
pub mod link;
pub mod pending_work;
pub mod queued_commands;
pub mod receive;
pub mod runtime;
pub mod supervisor;

use std::env;
use std::path::PathBuf;

pub use supervisor::{Settings, StartError, Supervisor, start};

/// The name by which people choose it.
pub const NAME: &str = "copilot";

/// The default folder for logs: this system's place for the state of programs.
pub fn default_folder() -> Option<PathBuf> {
    let home = || env::var_os("HOME").map(PathBuf::from);
    let folder = if cfg!(windows) {
        env::var_os("LOCALAPPDATA").map(PathBuf::from)
    } else if cfg!(target_os = "macos") {
        home().map(|home| home.join("Library").join("Application Support"))
    } else {
        let named = env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        named.or_else(|| home().map(|home| home.join(".local").join("state")))
    };
    folder.map(|folder| folder.join("pilothouse"))
}
