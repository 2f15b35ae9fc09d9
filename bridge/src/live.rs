//! Owns the sessions of a real runtime: they are made, resumed, closed and steered through here.
//! It refuses to know how a client is connected, and to look into what it relays.
//!
//! Reading order: [`launch`] (find and start the runtime) → [`frames`], [`message`] (what it
//! speaks) → [`line`] (one connection) → [`scribe`], [`log_writer`], [`disk`] (an event becomes a line of the log,
//! then one of the journal) → [`keeper`] (starts again what ended) → [`opening`] (a session and its
//! history) → [`calls`] (what clients ask), [`answering`] (of answers to one request, one at a time).
//! Messages of people: [`delivery`] (sent and followed) → [`backlog`], [`backlog_file`], [`queue`]
//! (kept until they have begun). What is wrong is told by [`health`], with the runtime's last
//! lines ([`output`], less what [`secrets`] hides).

pub mod answering;
pub mod backlog;
pub mod backlog_file;
pub mod calls;
pub mod delivery;
pub mod disk;
pub mod frames;
pub mod health;
pub mod keeper;
pub mod launch;
pub mod line;
pub mod log_writer;
pub mod message;
pub mod opening;
pub mod output;
pub mod pending_work;
pub mod queue;
pub mod scribe;
pub mod secrets;

use std::env;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;

pub use keeper::{Live, Settings};

/// Where logs are kept unless somebody says otherwise: this system's place for the state of programs.
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

/// An id that nobody has: a UUID of version 4 from the process's random hash keys. No secret.
pub fn fresh_id() -> String {
    let half = || RandomState::new().build_hasher().finish();
    let (high, low) = (half(), half());
    let (first, second, third) = (high >> 32, (high >> 16) & 0xffff, high & 0x0fff);
    let (fourth, fifth) = (0x8000 | ((low >> 48) & 0x3fff), low & 0xffff_ffff_ffff);
    format!("{first:08x}-{second:04x}-4{third:03x}-{fourth:04x}-{fifth:012x}")
}
