//! Notes, such as those beside a session's log: a small file, written anew on each change, and no file while it is empty.
//!
//! The new file is on the disk before it replaces the old one, so kept notes survive a crash and a power
//! cut. The lock of the session's log or of the folder protects the file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The file, by its path.
#[derive(Debug)]
pub struct Notes(PathBuf);

impl Notes {
    /// The file at this path, which need not exist.
    pub fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// Its content.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        match fs::read(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            read => read,
        }
    }

    /// Replaces its content.
    pub fn write(&self, text: &[u8]) -> io::Result<()> {
        if text.is_empty() {
            return match fs::remove_file(&self.0) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                removed => removed,
            };
        }
        let mut beside = self.0.clone().into_os_string();
        beside.push("-new");
        let beside = PathBuf::from(beside);
        let mut file = private(&beside)?;
        file.write_all(text)?;
        file.sync_data()?;
        fs::rename(&beside, &self.0)
    }
}

fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
