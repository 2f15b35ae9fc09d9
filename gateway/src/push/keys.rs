//! The key with which this gateway signs what it sends to push services (VAPID, RFC 8292). Subscriptions are made for its public
//! half, so it is made once and kept.

use std::fmt;
use std::io;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;
use web_push_native::p256::SecretKey;
use web_push_native::p256::ecdsa::signature::Signer as _;
use web_push_native::p256::ecdsa::{Signature, SigningKey};
use web_push_native::p256::elliptic_curve::sec1::ToEncodedPoint as _;

use crate::private_file::PrivateFile;

/// The name of its file in the data folder.
const FILE: &str = "push.key";
/// How long a signature is valid, in seconds. A day is the most that push services take.
const VALID: u64 = 12 * 60 * 60;
/// Whom a push service may contact, as RFC 8292 has it. Apple refuses addresses that are not public, such as those that most
/// gateways have, so it is the program's.
const CONTACT: &str = "https://docs.rs/pilothouse-gateway";

/// The key pair.
pub struct Keys {
    secret: SecretKey,
    public: String,
}

impl Keys {
    /// The keys that are kept in this folder, which are made where there are none; without a folder new ones.
    pub fn open(folder: Option<&Path>) -> io::Result<Self> {
        let Some(folder) = folder else { return Self::generate() };
        let file = PrivateFile::new(folder.join(FILE));
        let kept = file.read()?;
        if kept.is_empty() {
            let keys = Self::generate()?;
            file.write(URL_SAFE_NO_PAD.encode(keys.secret.to_bytes()).as_bytes())?;
            return Ok(keys);
        }
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, format!("{FILE} is not a key"));
        let bytes = URL_SAFE_NO_PAD.decode(kept.trim_ascii()).map_err(|_| damaged())?;
        SecretKey::from_slice(&bytes).map(Self::from).map_err(|_| damaged())
    }

    fn generate() -> io::Result<Self> {
        loop {
            let mut bytes = [0; 32];
            getrandom::fill(&mut bytes)
                .map_err(|error| io::Error::other(format!("this system gives no random numbers: {error}")))?;
            // Nearly every number is a key.
            if let Ok(secret) = SecretKey::from_slice(&bytes) {
                return Ok(Self::from(secret));
            }
        }
    }

    /// The public key as browsers take it: the uncompressed point in base64url.
    pub fn public(&self) -> &str {
        &self.public
    }

    /// The `Authorization` header for a push service at this origin; `now` is in seconds since 1970.
    pub fn authorization(&self, origin: &str, now: u64) -> String {
        let part = |value: serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let header = part(json!({"typ": "JWT", "alg": "ES256"}));
        let claims = part(json!({"aud": origin, "exp": now + VALID, "sub": CONTACT}));
        let signed = format!("{header}.{claims}");
        let signature: Signature = SigningKey::from(&self.secret).sign(signed.as_bytes());
        let signature = URL_SAFE_NO_PAD.encode(signature.to_bytes());
        format!("vapid t={signed}.{signature}, k={}", self.public)
    }
}

impl From<SecretKey> for Keys {
    fn from(secret: SecretKey) -> Self {
        let public = URL_SAFE_NO_PAD.encode(secret.public_key().to_encoded_point(false).as_bytes());
        Self { secret, public }
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Keys").field(&self.public).finish()
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    use super::{FILE, Keys};

    #[test]
    fn keys_are_made_once_and_a_damaged_file_is_not_replaced() {
        let folder = std::env::temp_dir().join(format!("pilothouse-keys-{}", uuid::Uuid::new_v4()));
        std::fs::create_dir(&folder).unwrap();
        let public = Keys::open(Some(&folder)).unwrap().public().to_owned();
        assert_eq!(URL_SAFE_NO_PAD.decode(&public).unwrap().len(), 65);
        let again = Keys::open(Some(&folder)).unwrap();
        assert_eq!(again.public(), public);
        let secret = std::fs::read_to_string(folder.join(FILE)).unwrap();
        assert!(!format!("{again:?} {}", again.authorization("https://a", 1)).contains(&secret));
        assert_ne!(Keys::open(None).unwrap().public(), public);
        for damaged in ["oops", "AAAA", &URL_SAFE_NO_PAD.encode([0; 32])] {
            std::fs::write(folder.join(FILE), damaged).unwrap();
            let error = Keys::open(Some(&folder)).unwrap_err().to_string();
            assert!(error.contains(FILE) && !error.contains(damaged), "{error}");
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
