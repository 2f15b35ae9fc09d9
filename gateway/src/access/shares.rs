//! Links with which anybody watches one session: who has one sees that session until a time, or until it is taken back, and nothing
//! else of the gateway.
//!
//! A link's token is `share.ID.SIGNATURE`. It counts while its id is on the list and its signature is right. List and key are one file in
//! the data folder, for its owner only; without a folder they end with the gateway.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use hmac::{Hmac, Mac as _};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use tokio::sync::watch;

use super::token::{constant_time_eq, generate, hex};
use crate::private_file::PrivateFile;
use crate::time;

/// Its file in the data folder.
const FILE: &str = "shares.json";
/// How a token of a link begins.
const PREFIX: &str = "share.";
/// In hours, if nobody says how long.
pub const USUAL_HOURS: f64 = 24.0;
/// In hours: 30 days.
pub const MOST_HOURS: f64 = 720.0;
/// How many links there may be.
const MOST: usize = 1_000;

/// A link.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Share {
    /// The part of the token that says which it is.
    pub id: String,
    /// The session.
    pub session_id: String,
    /// Until when it counts, in seconds since 1970.
    pub until: u64,
    /// Who made it, where people are known by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

impl Share {
    /// Until when it counts, in the format of events.
    pub fn until_text(&self) -> String {
        time::text(UNIX_EPOCH + Duration::from_secs(self.until))
    }
}

/// The links of a gateway. Clones share one list.
#[derive(Clone)]
pub struct Shares(Arc<ShareList>);

struct ShareList {
    kept: Mutex<Kept>,
    file: Option<PrivateFile>,
    changes: watch::Sender<u64>,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    key: String,
    shares: Vec<Share>,
}

/// Why there is no link.
#[derive(Debug)]
pub enum ShareError {
    /// There are too many.
    Full,
    /// The list can't be written, so the link would end with the gateway.
    NotKept(io::Error),
    /// This system gives no random numbers.
    NoRandomNumbers(String),
}

impl fmt::Display for ShareError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => write!(out, "there are {MOST} links already; take some back"),
            Self::NotKept(why) => write!(out, "the list of links can't be written: {why}"),
            Self::NoRandomNumbers(why) => out.write_str(why),
        }
    }
}

impl fmt::Debug for Shares {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Shares(…)") // the key is among its fields
    }
}

impl Default for Shares {
    /// Without a file. Where this system gives no random numbers no link counts.
    fn default() -> Self {
        let kept = Kept { key: generate().unwrap_or_default(), shares: Vec::new() };
        Self(Arc::new(ShareList { kept: Mutex::new(kept), file: None, changes: watch::Sender::default() }))
    }
}

impl Shares {
    /// The links that are kept in this folder. The error says what is wrong with the file.
    pub fn open(folder: &Path) -> Result<Self, String> {
        let file = PrivateFile::new(folder.join(FILE));
        let failed = |why: &dyn fmt::Display| format!("can't read {}: {why}", folder.join(FILE).display());
        let bytes = file.read().map_err(|error| failed(&error))?;
        let kept = if bytes.is_empty() {
            Kept { key: generate()?, shares: Vec::new() }
        } else {
            serde_json::from_slice(&bytes).map_err(|error| failed(&error))?
        };
        let list = ShareList { kept: Mutex::new(kept), file: Some(file), changes: watch::Sender::default() };
        Ok(Self(Arc::new(list)))
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a link to this session.
    pub fn add(&self, session_id: &str, hours: f64, by: Option<&str>) -> Result<(Share, String), ShareError> {
        let now = time::seconds();
        let mut kept = self.kept();
        kept.shares.retain(|share| share.until > now);
        if kept.shares.len() >= MOST {
            return Err(ShareError::Full);
        }
        let id = generate().map_err(ShareError::NoRandomNumbers)?;
        let span = Duration::from_secs_f64(hours.clamp(0.0, MOST_HOURS) * 3600.0);
        let share = Share {
            id,
            session_id: session_id.to_owned(),
            until: now + span.as_secs(),
            by: by.map(str::to_owned),
        };
        kept.shares.push(share.clone());
        if let Err(error) = self.write(&kept) {
            kept.shares.pop();
            return Err(ShareError::NotKept(error));
        }
        let token = token(&kept.key, &share);
        Ok((share, token))
    }

    /// Takes a link back, by its token. Returns which it was; none if there is no such link.
    pub fn remove(&self, offered: &str) -> Result<Option<Share>, ShareError> {
        let mut kept = self.kept();
        let Some(place) = place(&kept, offered) else { return Ok(None) };
        let share = kept.shares.remove(place);
        // It is taken back in any case; after a failure it could only come back with a restart.
        let written = self.write(&kept);
        drop(kept);
        self.0.changes.send_modify(|count| *count += 1);
        written.map_err(ShareError::NotKept)?;
        Ok(Some(share))
    }

    /// The links to a session that count, with their tokens.
    pub fn of_session(&self, session_id: &str) -> Vec<(Share, String)> {
        let (kept, now) = (self.kept(), time::seconds());
        let counts = kept.shares.iter().filter(|share| share.session_id == session_id && share.until > now);
        counts.map(|share| (share.clone(), token(&kept.key, share))).collect()
    }

    /// The link of this token; none if it is not one of ours, has run out or was taken back.
    pub fn find(&self, offered: &str) -> Option<Share> {
        let kept = self.kept();
        let share = kept.shares.get(place(&kept, offered)?)?;
        (share.until > time::seconds()).then(|| share.clone())
    }

    /// Whether a link still counts.
    pub fn counts(&self, share: &Share) -> bool {
        share.until > time::seconds() && self.kept().shares.iter().any(|kept| kept.id == share.id)
    }

    /// Returns when a link does not count any more.
    pub async fn ended(&self, share: &Share) {
        let mut list = self.0.changes.subscribe();
        loop {
            if !self.counts(share) {
                return;
            }
            let left = share.until.saturating_sub(time::seconds());
            tokio::select! {
                changed = list.changed() => if changed.is_err() { return },
                () = tokio::time::sleep(Duration::from_secs(left)) => {}
            }
        }
    }

    fn write(&self, kept: &Kept) -> io::Result<()> {
        let Some(file) = &self.0.file else { return Ok(()) };
        file.write(&serde_json::to_vec(kept).map_err(io::Error::other)?)
    }
}

/// Whether a text is meant as the token of a link.
pub fn is_token(offered: &str) -> bool {
    offered.starts_with(PREFIX)
}

fn place(kept: &Kept, offered: &str) -> Option<usize> {
    let (id, _) = offered.strip_prefix(PREFIX)?.split_once('.')?;
    let place = kept.shares.iter().position(|share| share.id == id)?;
    let right = !kept.key.is_empty()
        && constant_time_eq(token(&kept.key, kept.shares.get(place)?).as_bytes(), offered.as_bytes());
    right.then_some(place)
}

fn token(key: &str, share: &Share) -> String {
    // A key of any length is taken.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key.as_bytes()) else { return String::new() };
    mac.update(format!("{}\n{}\n{}", share.id, share.until, share.session_id).as_bytes());
    format!("{PREFIX}{}.{}", share.id, hex(&mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{FILE, Shares, is_token};

    #[test]
    fn a_link_counts_with_its_signature_until_it_is_taken_back() {
        let shares = Shares::default();
        let (share, token) = shares.add("s", 1.0, Some("Ana")).unwrap();
        assert!(is_token(&token) && !is_token("a-token-of-an-operator"));
        assert_eq!(shares.find(&token), Some(share.clone()));
        let (_, other) = shares.add("other", 1.0, None).unwrap();
        let signature = other.rsplit_once('.').unwrap().1;
        for forged in [
            format!("share.{}.{signature}", share.id),
            format!("share.{}.", share.id),
            format!("share.{}", share.id),
            token.to_uppercase(),
            format!("{token}0"),
            "share..".to_owned(),
        ] {
            assert_eq!(shares.find(&forged), None, "{forged}");
            assert!(shares.remove(&forged).unwrap().is_none(), "{forged}");
        }
        assert_eq!(shares.of_session("s"), [(share.clone(), token.clone())]);
        assert_eq!(shares.remove(&token).unwrap(), Some(share));
        assert!(shares.find(&token).is_none() && shares.of_session("s").is_empty());
        assert!(shares.find(&other).is_some());
    }

    #[test]
    fn it_runs_out() {
        let shares = Shares::default();
        let (_, token) = shares.add("s", 0.0, None).unwrap();
        assert!(shares.find(&token).is_none() && shares.of_session("s").is_empty());
        let (long, _) = shares.add("s", 1e9, None).unwrap();
        assert!(long.until - crate::time::seconds() <= 720 * 3600);
    }

    #[test]
    fn a_restart_keeps_links_and_what_was_taken_back() {
        let folder = std::env::temp_dir().join(format!("pilothouse-shares-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let shares = Shares::open(&folder).unwrap();
        let (_, one) = shares.add("s", 1.0, None).unwrap();
        let (_, two) = shares.add("s", 1.0, None).unwrap();
        shares.remove(&two).unwrap();
        let again = Shares::open(&folder).unwrap();
        assert!(again.find(&one).is_some() && again.find(&two).is_none());
        fs::write(folder.join(FILE), "{").unwrap();
        assert!(Shares::open(&folder).unwrap_err().contains(FILE));
    }

    #[tokio::test(start_paused = true)]
    async fn who_watches_is_told_of_the_end() {
        let shares = Shares::default();
        let (share, token) = shares.add("s", 1.0, None).unwrap();
        let (waits, watched) = (shares.clone(), share.clone());
        let ended = tokio::spawn(async move { waits.ended(&watched).await });
        tokio::task::yield_now().await;
        assert!(!ended.is_finished());
        shares.remove(&token).unwrap();
        ended.await.unwrap();
    }
}
