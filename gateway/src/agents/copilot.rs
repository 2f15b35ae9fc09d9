//! Sessions of a real runtime: makes, resumes, closes and steers them, and relays clients' calls as they are.
//!
//! Reading order: [`launch`] (find and start the runtime) → [`frames`], [`message`] (its protocol) → [`connection`]
//! (one connection) → [`recorder`] (an event becomes a line of the journal) → [`supervisor`] (restarts a runtime that ended) → [`open_session`] (a session and its history) →
//! [`calls`] (what clients ask), [`answering`] (one answer to a request at a time). Messages of people:
//! [`delivery`] (sent and followed) → [`backlog`], [`queue`] (kept until the agent has begun with them),
//! [`queued_commands`] (run when their turn comes). `health` reports what is wrong, with the runtime's last
//! lines ([`output`], where [`secrets`] hides secret values).

pub mod answering;
pub mod backlog;
pub mod calls;
pub mod connection;
pub mod delivery;
pub mod frames;
pub mod launch;
pub mod link;
pub mod message;
pub mod open_session;
pub mod output;
pub mod pending_work;
pub mod queue;
pub mod queued_commands;
pub mod recorder;
pub mod secrets;
pub mod supervisor;

use std::env;
use std::path::PathBuf;

use uuid::Uuid;

pub use supervisor::{Live, Settings, StartError};

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

/// A new id: a UUID of version 4.
pub fn fresh_id() -> String {
    Uuid::new_v4().to_string()
}
