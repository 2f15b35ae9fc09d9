//! Lock files that keep a second gateway out of a folder. The lock is the operating system's and ends with the
//! process that holds it, so a file that is left keeps nobody out.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::Path;

/// A locked file. The lock ends when this is dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Locks this file, which is created where it is missing, for the gateway. The error says which process has it.
    pub fn take(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let Some(mut file) = open(path, options.read(true).write(true).create(true).truncate(false))? else {
            let owner = fs::read_to_string(path).unwrap_or_default();
            let owner = owner.trim();
            let process = if owner.is_empty() { String::new() } else { format!(" (process {owner})") };
            let words = format!("another gateway{process} uses this folder");
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, words));
        };
        // For people only.
        let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
        Ok(Self { _file: file })
    }
}

/// Opens a file for its owner only, and locks it. `None` where another process has it locked.
pub fn open(path: &Path, options: &mut OpenOptions) -> io::Result<Option<File>> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    let file = options.open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Creates a folder for its owner only, and those above it, where they are missing.
pub fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}
