//! A call on its way to another machine: who made it, signed by the gateway where that person signed in. Each is taken once.

use std::collections::{HashMap, HashSet};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use nkeys::KeyPair;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// How many newer calls of a process may come before one of its earlier ones.
const WINDOW: u64 = 4096;

/// A call as it travels.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SignedCall {
    /// The machine that sends it.
    pub from: String,
    /// The process there.
    pub process: String,
    /// The process that is to carry it out, so that it is worth nothing at a later one.
    pub to: String,
    /// The number of the call in the sending process.
    pub number: u64,
    /// The name of the person who makes it, where people are known by name.
    pub who: Option<String>,
    /// The role that the method needs, which the sender has checked.
    pub role: String,
    /// The session that it is about.
    pub session_id: Option<String>,
    /// The method.
    pub method: String,
    /// Its parameters, byte for byte.
    pub params: Option<Box<RawValue>>,
}

/// Signs these bytes.
pub fn sign(keys: &KeyPair, bytes: &[u8]) -> Result<String, String> {
    keys.sign(bytes).map(|signature| BASE64_STANDARD.encode(signature)).map_err(|error| error.to_string())
}

/// Whether the owner of this public key has signed these bytes.
pub fn is_signed(key: &str, bytes: &[u8], signature: &str) -> bool {
    let signature = BASE64_STANDARD.decode(signature);
    let keys = KeyPair::from_public_key(key);
    matches!((keys, signature), (Ok(keys), Ok(signature)) if keys.verify(bytes, &signature).is_ok())
}

/// The calls that were taken, by their processes.
#[derive(Debug, Default)]
pub struct Taken(HashMap<String, Numbers>);

#[derive(Debug, Default)]
struct Numbers {
    highest: u64,
    recent: HashSet<u64>,
}

impl Taken {
    /// Takes a call. Whether it is its first time; one that is far behind others counts as taken.
    pub fn take(&mut self, process: &str, number: u64) -> bool {
        let numbers = self.0.entry(process.to_owned()).or_default();
        if number + WINDOW <= numbers.highest || !numbers.recent.insert(number) {
            return false;
        }
        if number > numbers.highest {
            numbers.highest = number;
            let oldest = number.saturating_sub(WINDOW);
            numbers.recent.retain(|number| *number > oldest);
        }
        true
    }

    /// Forgets all processes but these.
    pub fn keep(&mut self, is_known: impl Fn(&str) -> bool) {
        self.0.retain(|process, _| is_known(process));
    }
}

#[cfg(test)]
mod tests {
    use nkeys::KeyPair;

    use super::{Taken, WINDOW, is_signed, sign};

    #[test]
    fn only_what_was_signed_counts() {
        let (keys, other) = (KeyPair::new_user(), KeyPair::new_user());
        let signature = sign(&keys, b"allow").unwrap();
        assert!(is_signed(&keys.public_key(), b"allow", &signature));
        assert!(!is_signed(&keys.public_key(), b"reject", &signature));
        assert!(!is_signed(&other.public_key(), b"allow", &signature));
        assert!(!is_signed(&keys.public_key(), b"allow", "nothing") && !is_signed("", b"allow", &signature));
    }

    #[test]
    fn a_call_is_taken_once_in_whatever_order_calls_come() {
        let mut taken = Taken::default();
        assert!(taken.take("a", 2) && taken.take("a", 1) && taken.take("b", 1));
        assert!(!taken.take("a", 1) && !taken.take("a", 2));
        assert!(taken.take("a", WINDOW + 2));
        assert!(!taken.take("a", 2), "long ago");
        assert!(taken.take("a", 3));
        taken.keep(|process| process == "b");
        assert!(taken.take("a", 1) && !taken.take("b", 1));
    }
}
