//! Owns a session's backlog on disk: one message a line, all of it written anew when it changes, no file while it is
//! empty. It refuses to decide what is in it (`backlog`).
//!
//! The new file is on the disk before it takes the old one's place, so a message that was kept survives a crash and a
//! power cut. It is guarded by the lock of the session's log.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::PathBuf;

use super::backlog::Message;

/// The file.
#[derive(Debug)]
pub struct BacklogFile(PathBuf);

impl BacklogFile {
    /// The one at this path, which may not be there.
    pub fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// What is in it; a damaged line is passed over.
    pub fn read(&self) -> io::Result<Vec<Message>> {
        let text = match fs::read(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            read => read?,
        };
        let lines = text.split(|byte| *byte == b'\n');
        Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
    }

    /// Has these in it from now on.
    pub fn write(&self, messages: &[Message]) -> io::Result<()> {
        if messages.is_empty() {
            return match fs::remove_file(&self.0) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                removed => removed,
            };
        }
        let mut text = Vec::new();
        for message in messages {
            serde_json::to_writer(&mut text, message)?;
            text.push(b'\n');
        }
        let beside = self.0.with_extension("backlog-new");
        let mut file = private(&beside)?;
        file.write_all(&text)?;
        file.sync_data()?;
        fs::rename(&beside, &self.0)
    }
}

fn private(path: &PathBuf) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
