//! Makes the program's words out of `www/locales/`: constants for the English ones, a table for each other
//! language.
//!
//! What is not supported is an error here, with its place, so that the page needs no parser.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::compile::{self, Message};

/// The languages besides English, which is in the program.
const LANGUAGES: [&str; 3] = ["ar", "de", "ja"];

/// Messages by file name and message id.
type Messages = BTreeMap<(String, String), Message>;

/// Writes the words in `locales` into a folder. An error says what is wrong, and where.
pub fn make(locales: &Path, place: &Path) -> Result<(), String> {
    let save = |name: &str, text: &str| {
        fs::write(place.join(name), text).map_err(|why| format!("can't write {name}: {why}"))
    };
    let english = read(locales, "en")?;
    save("words.rs", &constants(&english))?;
    save("names.txt", &names(&english))?;
    for language in LANGUAGES {
        let words = read(locales, language)?;
        for ((file, id), message) in &words {
            let name = format!("www/locales/{language}/{file}.ftl: {id}");
            let Some(meant) = english.get(&(file.clone(), id.clone())) else {
                return Err(format!("{name} is not in www/locales/en/{file}.ftl"));
            };
            if let Some(value) = message.values.difference(&meant.values).next() {
                return Err(format!("{name} names ${value}, which the English one does not have"));
            }
        }
        let mut table = "&[\n".to_owned();
        for key in english.keys() {
            let _ = writeln!(table, "    {:?},", words.get(key).map_or("", |message| &message.text));
        }
        save(&format!("{language}.rs"), &format!("{table}]"))?;
    }
    Ok(())
}

fn constants(english: &Messages) -> String {
    let mut out = String::new();
    let mut file = "";
    for (number, ((of, id), message)) in english.iter().enumerate() {
        if of != file {
            if !file.is_empty() {
                out.push_str("}\n");
            }
            file = of;
            let _ = writeln!(
                out,
                "/// `www/locales/en/{file}.ftl`.\npub mod {} {{\n    use super::Word;",
                file.replace('-', "_")
            );
        }
        let name = id.replace('-', "_").to_uppercase();
        let about = if message.values.is_empty() {
            "No values.".to_owned()
        } else {
            let values: Vec<_> = message.values.iter().map(|value| format!("`{value}`")).collect();
            format!("With {}.", values.join(", "))
        };
        let _ = writeln!(
            out,
            "    /// {about}\n    pub const {name}: Word = Word::new({number}, {:?});",
            message.text
        );
    }
    if !file.is_empty() {
        out.push_str("}\n");
    }
    out
}

/// A line for each message, by number: its file, its id, and the names of its values, with spaces between them.
fn names(english: &Messages) -> String {
    let mut names = String::new();
    for ((file, id), message) in english {
        let _ = write!(names, "{file} {id}");
        names.extend(message.values.iter().flat_map(|value| [" ", value]));
        names.push('\n');
    }
    names
}

fn read(locales: &Path, language: &str) -> Result<Messages, String> {
    let folder = locales.join(language);
    let mut messages = Messages::new();
    let list = fs::read_dir(&folder).map_err(|why| format!("can't read {}: {why}", folder.display()))?;
    for item in list {
        let path = item.map_err(|why| why.to_string())?.path();
        if path.extension().is_none_or(|extension| extension != "ftl") {
            continue;
        }
        let shown = path.display().to_string();
        let file = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
        let source = fs::read_to_string(&path).map_err(|why| format!("can't read {shown}: {why}"))?;
        let (compiled, errors) = compile::messages(&source);
        if let Some(error) = errors.first() {
            return Err(format!("{shown}: {error}"));
        }
        messages.extend(compiled.into_iter().map(|(id, message)| ((file.clone(), id), message)));
    }
    Ok(messages)
}
