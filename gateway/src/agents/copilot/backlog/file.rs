//! A session's backlog on disk: one message a line, written anew on each change, no file while it is empty.
//!
//! The new file is on the disk before it replaces the old one, so a kept message survives a crash and a power
//! cut. The lock of the session's log protects the file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::PathBuf;

use crate::agents::copilot::backlog::Message;

/// The file, by its path.
#[derive(Debug)]
pub struct BacklogFile(PathBuf);

impl BacklogFile {
    /// The file at this path, which need not exist.
    pub fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// The messages in it; damaged lines are skipped.
    pub fn read(&self) -> io::Result<Vec<Message>> {
        let text = match fs::read(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            read => read?,
        };
        let lines = text.split(|byte| *byte == b'\n');
        Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
    }

    /// Replaces its content with these messages.
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
