//! Hides tokens in what a program printed, before anybody reads it on a page.
//!
//! A token is recognised in three ways: its value is in the gateway's environment or was given with a
//! session, it has the shape of a token, or the word before it says so. In doubt a word is hidden.

use std::env;
use std::sync::{Arc, PoisonError, RwLock};

use serde_json::Value;

/// Replaces a token.
const HIDDEN: &str = "[hidden]";
/// The fewest bytes of a secret value; a shorter one could be any word.
const SHORTEST: usize = 6;
/// How the names of variables and members that hold secrets end.
const NAMES: [&str; 9] =
    ["token", "apikey", "_key", "-key", "secret", "password", "authorization", "credential", "credentials"];
/// How well-known tokens begin.
const BEGINNINGS: [&str; 13] = [
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "sk-",
    "xoxb-",
    "xoxp-",
    "glpat-",
    "AKIA",
    "AIza",
    "eyJ",
];
/// From this length on, a word of small and capital letters and digits is not a name.
const LONG_WORD: usize = 32;

/// The values that are known to be secret. Clones share one list.
#[derive(Clone, Debug, Default)]
pub struct Secrets(Arc<RwLock<Vec<String>>>);

impl Secrets {
    /// The secrets of this process's environment.
    pub fn of_environment() -> Self {
        let secrets = Self::default();
        for (name, value) in env::vars_os() {
            if is_secret(&name.to_string_lossy()) {
                secrets.add(&value.to_string_lossy());
            }
        }
        secrets
    }

    /// Adds the secrets among the parameters with which a session is made.
    pub fn add_all(&self, given: &Value) {
        match given {
            Value::Object(members) => {
                for (name, value) in members {
                    match value {
                        Value::String(text) if is_secret(name) => self.add(text),
                        // A value in an environment or a header may be secret under any name.
                        Value::Object(all) if matches!(name.as_str(), "env" | "headers") => {
                            all.values().filter_map(Value::as_str).for_each(|text| self.add(text));
                        }
                        other => self.add_all(other),
                    }
                }
            }
            Value::Array(all) => all.iter().for_each(|value| self.add_all(value)),
            _ => {}
        }
    }

    fn add(&self, value: &str) {
        let value = value.trim();
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if value.len() >= SHORTEST && !known.iter().any(|other| other == value) {
            known.push(value.to_owned());
            // The longest first: a value that is part of another must not leave the rest of it.
            known.sort_by_key(|value| std::cmp::Reverse(value.len()));
        }
    }

    /// The line with the secrets hidden.
    pub fn hide(&self, line: &str) -> String {
        let mut line = line.to_owned();
        for secret in self.0.read().unwrap_or_else(PoisonError::into_inner).iter() {
            if line.contains(secret.as_str()) {
                line = line.replace(secret.as_str(), HIDDEN);
            }
        }
        hide_by_shape(&line)
    }
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    NAMES.iter().any(|end| name.ends_with(end))
}

/// Hides words that look like a token, and words that follow a name for one.
fn hide_by_shape(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    let (mut named, mut in_address) = (false, false);
    while !rest.is_empty() {
        let word_end = rest.find(is_apart).unwrap_or(rest.len());
        let (word, after) = rest.split_at(word_end);
        let gap_end = after.find(|letter| !is_apart(letter)).unwrap_or(after.len());
        let (gap, next) = after.split_at(gap_end);
        // `token: X`, `TOKEN=X`, `"apiKey":"X"`, `Authorization: Bearer X`, `Bearer X`, `--password X`.
        let scheme = ["bearer", "basic"].iter().any(|scheme| word.eq_ignore_ascii_case(scheme));
        let called_one = named && !scheme && word.len() >= SHORTEST && word != "hidden";
        let host = word.rsplit_once('@').filter(|(user, _)| in_address && !user.contains('/'));
        let host = host.map(|(_, host)| host);
        match host {
            _ if called_one || looks_like_secret(word) => out.push_str(HIDDEN),
            Some(host) => out.extend([HIDDEN, "@", host]),
            None => out.push_str(word),
        }
        out.push_str(gap);
        let option = word.starts_with('-') && gap.chars().all(char::is_whitespace);
        named = scheme || (is_secret(word) && (option || gap.contains([':', '='])));
        // `https://user:X@host`.
        in_address = word.starts_with("//") && gap == ":";
        rest = next;
    }
    out
}

fn is_apart(letter: char) -> bool {
    letter.is_whitespace() || letter.is_control() || "\"'`,;:=()[]{}<>&?|".contains(letter)
}

fn looks_like_secret(word: &str) -> bool {
    let begins = BEGINNINGS.iter().any(|begin| {
        word.strip_prefix(begin)
            .is_some_and(|rest| rest.len() >= 10 && rest.chars().any(|letter| letter.is_ascii_digit()))
    });
    let long = word.len() >= LONG_WORD && !word.contains(['/', '\\']);
    let has = |kind: fn(&char) -> bool| word.chars().any(|letter| kind(&letter));
    begins
        || (long
            && has(char::is_ascii_lowercase)
            && has(char::is_ascii_uppercase)
            && has(char::is_ascii_digit))
}

#[cfg(test)]
mod tests {
    use super::Secrets;
    use serde_json::json;

    #[test]
    fn a_token_is_hidden_by_its_value_its_shape_or_its_name() {
        let secrets = Secrets::default();
        secrets.add_all(&json!({
            "gitHubToken": "plain-words-only",
            "providers": [{"apiKey": "short1", "name": "visible"}],
            "mcpServers": {"a": {"env": {"ANYTHING": "of the server's"}}},
        }));
        for (line, shown) in [
            ("refused: plain-words-only!", "refused: [hidden]!"),
            ("key short1 of visible", "key [hidden] of visible"),
            ("started with of the server's", "started with [hidden]"),
            ("gho_0123456789abcdefABCDEF is bad", "[hidden] is bad"),
            ("Authorization: Bearer abc.def.ghi", "Authorization: Bearer [hidden]"),
            ("GITHUB_TOKEN=abcdefgh (from env)", "GITHUB_TOKEN=[hidden] (from env)"),
            (r#"{"apiKey":"abcdefgh","user":"octo"}"#, r#"{"apiKey":"[hidden]","user":"octo"}"#),
            ("login --password hunter2 --user octo", "login --password [hidden] --user octo"),
            (
                "git clone https://octo:abc@example.com/a.git",
                "git clone https://octo:[hidden]@example.com/a.git",
            ),
            ("http://example.com:8080/@octo", "http://example.com:8080/@octo"),
            ("?token=abcdefgh&x=1", "?token=[hidden]&x=1"),
            ("id aB3dEfGhIjKlMnOpQrStUvWxYz0123456789 x", "id [hidden] x"),
        ] {
            assert_eq!(secrets.hide(line), shown);
        }
    }

    #[test]
    fn ordinary_lines_stay_as_they_are() {
        let secrets = Secrets::default();
        for line in [
            "Error: Cannot find module '/opt/runtime/index.js'",
            "session 5f5c6bd6-6d4c-4d5e-9d5e-111111111111 is not there",
            "node:internal/modules/cjs/loader:1228",
            "the token has expired, sign in again",
            "\u{1b}[31mpanicked\u{1b}[0m at src/main.rs:12:5",
            "",
        ] {
            assert_eq!(secrets.hide(line), line);
        }
    }
}
