//! The audit log: a line for each sign-in, answer, message, command and refusal, with who, from where, and what became of it.
//!
//! Lines are only ever appended. A log that has become large is renamed and another one is begun; nothing is deleted. Where it
//! can't be written, everybody is told; with `--audit-required` nothing is operated until it can.

pub mod record;
pub mod report;

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::access::limits::{Bucket, Rate};
use crate::time;
use record::Record;

/// In bytes. A larger log is renamed, and another one is begun.
const LARGEST: u64 = 64 << 20;
/// How many refusals of strangers are written, so that nobody can fill the disk from outside.
const REFUSALS: Rate = Rate { at_once: 50.0, a_second: 1.0 };

/// The audit log of a gateway; writes nothing where there is none. Clones share one file.
#[derive(Clone, Debug, Default)]
pub struct Audit(Option<Arc<AuditLog>>);

struct AuditLog {
    path: PathBuf,
    required: bool,
    largest: u64,
    file: Mutex<Option<File>>,
    refusals: Mutex<Refusals>,
    problem: watch::Sender<Option<String>>,
}

struct Refusals {
    bucket: Bucket,
    /// How many were not written since the last one that was.
    left_out: u64,
}

impl fmt::Debug for AuditLog {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("AuditLog").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Audit {
    /// Appends to this file, which is made if it is not there. With `required`, nothing may be operated while it can't be written.
    pub fn open(path: &Path, required: bool) -> Result<Self, String> {
        Self::open_with(path, required, LARGEST)
    }

    fn open_with(path: &Path, required: bool, largest: u64) -> Result<Self, String> {
        let file = append_to(path)
            .map_err(|error| format!("can't write the audit log {}: {error}", path.display()))?;
        Ok(Self(Some(Arc::new(AuditLog {
            path: path.to_owned(),
            required,
            largest,
            file: Mutex::new(Some(file)),
            refusals: Mutex::new(Refusals { bucket: Bucket::new(REFUSALS), left_out: 0 }),
            problem: watch::Sender::new(None),
        }))))
    }

    /// Notifies of what keeps it from being written; none where there is no audit log.
    pub fn follow(&self) -> Option<watch::Receiver<Option<String>>> {
        self.0.as_ref().map(|log| log.problem.subscribe())
    }

    /// Writes a line.
    pub fn write(&self, record: &Record) {
        if let Some(log) = &self.0 {
            // Whoever follows it is told of a failure.
            let _ = log.write(record);
        }
    }

    /// Writes the refusal of a client. Of many only some are written, and how many were left out.
    pub fn write_refusal(&self, record: &Record) {
        let Some(log) = &self.0 else { return };
        let mut refusals = log.refusals.lock().unwrap_or_else(PoisonError::into_inner);
        if refusals.bucket.take().is_err() {
            refusals.left_out += 1;
            return;
        }
        let left_out = std::mem::take(&mut refusals.left_out);
        drop(refusals);
        let _ = log.write(&Record { left_out, ..record.clone() });
    }

    /// Before something is operated: where the log is required, writes that it begins. The error says why nothing may be operated.
    pub fn begin(&self, record: &Record) -> Result<(), String> {
        match &self.0 {
            Some(log) if log.required => {
                log.write(&Record { outcome: record::BEGUN.to_owned(), ..record.clone() })
            }
            _ => Ok(()),
        }
    }
}

impl AuditLog {
    fn write(&self, record: &Record) -> Result<(), String> {
        let mut line = serde_json::to_vec(record).unwrap_or_default();
        line.push(b'\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let written = self.append(&mut file, &line);
        drop(file);
        let problem = written.as_ref().err().map(ToString::to_string);
        self.tell(problem.as_deref());
        written.map_err(|error| format!("the audit log can't be written: {error}"))
    }

    /// Appends a line. The file is opened anew after a failure, since somebody may have made room, and where it is not the one of this
    /// name any more, since somebody has moved it away.
    fn append(&self, file: &mut MutexGuard<'_, Option<File>>, line: &[u8]) -> io::Result<()> {
        let mut open = match file.take().filter(|open| is_file_at(open, &self.path)) {
            Some(open) => open,
            None => append_to(&self.path)?,
        };
        let size = open.metadata()?.len();
        if size > 0 && size + line.len() as u64 > self.largest {
            fs::rename(&self.path, self.renamed())?;
            open = append_to(&self.path)?;
        }
        open.write_all(line)?;
        **file = Some(open);
        Ok(())
    }

    /// The name of a log that has become large: with the time, which makes names that sort.
    fn renamed(&self) -> PathBuf {
        let stamp = time::now().replace(':', "-");
        let named = |end: &str| {
            let mut name = self.path.clone().into_os_string();
            name.push(format!(".{stamp}{end}"));
            PathBuf::from(name)
        };
        let further = (2..).map(|number| named(&format!("-{number}")));
        std::iter::once(named("")).chain(further).find(|path| !path.exists()).unwrap_or_else(|| named(""))
    }

    fn tell(&self, problem: Option<&str>) {
        self.problem.send_if_modified(|known| {
            let changed = known.is_some() != problem.is_some();
            match problem {
                Some(problem) if changed => {
                    tracing::error!("the audit log {} can't be written: {problem}", self.path.display());
                }
                None if changed => tracing::info!("the audit log {} is written again", self.path.display()),
                _ => {}
            }
            *known = problem.map(str::to_owned);
            changed
        });
    }
}

/// Opens a file to append to. Nobody else on this machine may read it.
fn append_to(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    // A line that was cut off, as by a full disk, must not spoil the next one.
    if !ends_with_line(path).unwrap_or(true) {
        file.write_all(b"\n")?;
    }
    Ok(file)
}

/// Whether the open file is still the one of this name.
fn is_file_at(open: &File, path: &Path) -> bool {
    let (Ok(open), Ok(named)) = (open.metadata(), fs::metadata(path)) else { return false };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        open.dev() == named.dev() && open.ino() == named.ino()
    }
    #[cfg(not(unix))]
    {
        open.len() == named.len()
    }
}

fn ends_with_line(path: &Path) -> io::Result<bool> {
    use std::io::{Read as _, Seek as _, SeekFrom};
    let mut file = File::open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::net::{IpAddr, Ipv4Addr};
    use std::path::PathBuf;

    use super::Audit;
    use super::record::{Actor, Record};

    /// A folder of its own for each test.
    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("pilothouse-audit-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn record(outcome: &str) -> Record {
        Record::new(&Actor { person: None, from: IpAddr::V4(Ipv4Addr::LOCALHOST) }, outcome)
    }

    fn outcomes(text: &str) -> Vec<String> {
        let lines = text.lines().map(|line| serde_json::from_str::<Record>(line).unwrap());
        lines.map(|record| record.outcome).collect()
    }

    #[test]
    fn it_is_appended_to_and_a_large_one_is_renamed_and_never_deleted() {
        let folder = folder("size");
        let path = folder.join("audit.jsonl");
        for number in 0..20 {
            // Each time anew, as after a restart.
            Audit::open_with(&path, false, 300).unwrap().write(&record(&number.to_string()));
        }
        let mut files: Vec<_> = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort_by_key(|file| (*file == path, file.clone()));
        assert!(files.len() > 3, "{files:?}");
        let mut all: Vec<_> =
            files.iter().flat_map(|file| outcomes(&fs::read_to_string(file).unwrap())).collect();
        all.sort_by_key(|number| number.parse::<u32>().unwrap());
        assert_eq!(all, (0..20).map(|number| number.to_string()).collect::<Vec<_>>());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn where_somebody_moves_it_away_another_one_is_begun() {
        let folder = folder("moved");
        let (path, moved) = (folder.join("audit.jsonl"), folder.join("yesterday"));
        let audit = Audit::open(&path, false).unwrap();
        audit.write(&record("one"));
        fs::rename(&path, &moved).unwrap();
        audit.write(&record("two"));
        assert_eq!(outcomes(&fs::read_to_string(&moved).unwrap()), ["one"]);
        assert_eq!(outcomes(&fs::read_to_string(&path).unwrap()), ["two"]);
    }

    #[test]
    fn a_line_that_was_cut_off_does_not_spoil_the_next() {
        let path = folder("cut").join("audit.jsonl");
        fs::write(&path, r#"{"at":"20"#).unwrap();
        Audit::open(&path, false).unwrap().write(&record("done"));
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(outcomes(text.split_once('\n').unwrap().1), ["done"]);
    }

    #[test]
    fn where_it_is_required_nothing_begins_while_it_can_not_be_written() {
        let folder = folder("required").join("logs");
        fs::create_dir(&folder).unwrap();
        let audit = Audit::open(&folder.join("audit.jsonl"), true).unwrap();
        let problem = audit.follow().unwrap();
        assert!(audit.begin(&record("done")).is_ok());
        fs::remove_dir_all(&folder).unwrap();
        assert!(audit.begin(&record("done")).unwrap_err().contains("can't be written"));
        assert!(problem.borrow().is_some());
        fs::create_dir(&folder).unwrap();
        assert!(audit.begin(&record("done")).is_ok());
        assert!(problem.borrow().is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn many_refusals_are_counted_and_not_all_written() {
        let path = folder("refusals").join("audit.jsonl");
        let audit = Audit::open(&path, false).unwrap();
        (0..1000).for_each(|_| audit.write_refusal(&record("refused: no token")));
        tokio::time::advance(std::time::Duration::from_secs(1)).await;
        audit.write_refusal(&record("refused: no token"));
        let text = fs::read_to_string(&path).unwrap();
        let last: Record = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        assert_eq!((text.lines().count(), last.left_out), (51, 950));
    }
}
