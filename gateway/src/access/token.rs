//! Tokens: which texts are valid, how new ones are made, how they are compared in constant time.
//! Only the digest of a token is stored, never its text.

use std::fmt;

use cookie::Key;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The fewest characters of a token; shorter ones can be guessed.
pub const SHORTEST: usize = 16;
const LONGEST: usize = 512;
const FRESH_BYTES: usize = 24;

/// A token of the gateway, stored as its digest and the key that is derived from it.
#[derive(Clone)]
pub struct Token {
    digest: [u8; 32],
    key: Key,
}

impl fmt::Debug for Token {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Token(…)")
    }
}

impl Token {
    /// Reads a token; white space around it does not count. The error does not repeat it.
    pub fn new(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if !(SHORTEST..=LONGEST).contains(&text.len()) || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(format!(
                "a token is one word of {SHORTEST} to {LONGEST} letters, digits and ASCII signs; make one with: openssl rand -hex 24"
            ));
        }
        let digest = digest(text.as_bytes());
        Ok(Self { digest, key: Key::derive_from(&digest) })
    }

    /// Whether this is the digest of its text. Takes the same time however close it is.
    pub fn has_digest(&self, digest: &[u8; 32]) -> bool {
        constant_time_eq(digest, &self.digest)
    }

    /// Whether the other one has the same text.
    pub fn is_same(&self, other: &Self) -> bool {
        constant_time_eq(&self.digest, &other.digest)
    }

    /// A number by which a change of the token is noticed. It is too short to find the token by.
    pub fn number(&self) -> u16 {
        let [first, second, ..] = digest(&self.digest);
        u16::from_be_bytes([first, second])
    }

    /// The key that signs the cookies of whoever signed in with this token.
    pub fn key(&self) -> &Key {
        &self.key
    }
}

/// Whether two texts are the same, in constant time.
pub fn constant_time_eq(one: &[u8], other: &[u8]) -> bool {
    one.ct_eq(other).into()
}

/// The SHA-256 digest, which is stored in place of a secret.
pub fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// A new secret of 192 random bits, as hexadecimal digits.
pub fn generate() -> Result<String, String> {
    let mut bytes = [0; FRESH_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| format!("this system gives no random numbers: {error}"))?;
    Ok(hex(&bytes))
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Token, digest, generate};

    #[test]
    fn a_token_is_long_and_one_word() {
        for wrong in ["", "short", "fifteen-letters", "with a space inside", "umlauts-äöü-are-none"] {
            let error = Token::new(wrong).unwrap_err();
            assert!(wrong.is_empty() || !error.contains(wrong), "{error}");
        }
        let token = Token::new(" sixteen-letters!\n").unwrap();
        let matches = |offered: &str| token.has_digest(&digest(offered.as_bytes()));
        assert!(matches("sixteen-letters!"));
        assert!(!matches("sixteen-letters?") && !matches("") && !matches(" sixteen-letters!"));
        assert!(!format!("{token:?}").contains("sixteen"));
    }

    #[test]
    fn fresh_ones_are_tokens_and_differ() {
        let (one, other) = (generate().unwrap(), generate().unwrap());
        assert_ne!(one, other);
        assert!(one.len() == 48 && Token::new(&one).is_ok());
    }
}
