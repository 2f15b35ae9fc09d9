//! The file with the subscriptions and what each device was told, in the data folder. It is for its owner only (0600).

use std::io;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;
use tracing::error;

use super::decide::Ledger;
use super::subscription::Record;
use crate::private_file::PrivateFile;

/// Its name in the data folder.
const FILE: &str = "push.json";

/// The file; none where nothing is kept.
#[derive(Debug)]
pub struct Store {
    file: Option<PrivateFile>,
    failed: bool,
}

#[derive(Serialize)]
struct Content<'a> {
    subscriptions: Vec<&'a Record>,
    ledger: &'a Ledger,
}

impl Store {
    /// The file in this folder, and what is in it. What can't be read of it is left out.
    pub fn open(folder: Option<&Path>) -> io::Result<(Self, Vec<Record>, Ledger)> {
        let file = folder.map(|folder| PrivateFile::new(folder.join(FILE)));
        let bytes = file.as_ref().map(PrivateFile::read).transpose()?.unwrap_or_default();
        let mut content: Value = if bytes.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(&bytes).unwrap_or_else(|error| {
                error!(%error, file = FILE, "the subscriptions can't be read; devices have to subscribe again");
                Value::Null
            })
        };
        let records = match content.get_mut("subscriptions").map(Value::take) {
            Some(Value::Array(all)) => {
                all.into_iter().filter_map(|one| serde_json::from_value(one).ok()).collect()
            }
            _ => Vec::new(),
        };
        let ledger = content.get_mut("ledger").map(Value::take).unwrap_or_default();
        Ok((Self { file, failed: false }, records, serde_json::from_value(ledger).unwrap_or_default()))
    }

    /// Writes all of it. A failure is reported once until it works again.
    pub fn write<'a>(
        &mut self,
        records: impl Iterator<Item = &'a Record>,
        ledger: &Ledger,
    ) -> io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let content = Content { subscriptions: records.collect(), ledger };
        let written =
            serde_json::to_vec(&content).map_err(io::Error::other).and_then(|text| file.write(&text));
        if let Err(error) = &written
            && !self.failed
        {
            error!(%error, file = FILE, "who is told by push can't be written down");
        }
        self.failed = written.is_err();
        written
    }
}
