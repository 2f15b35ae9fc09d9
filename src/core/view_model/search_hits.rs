//! What a search found: files, and the hits in them with their lines.

use std::collections::HashMap;

use crate::i18n::words::tools;
use crate::model::entry::Entry;
use crate::model::tool_call::{CallStage, ToolCall};

/// Bytes up to which a result is read for the summary line; a longer one is read only when the card is
/// opened.
const COUNTED: usize = 1024 * 1024;

/// A file and the hits in it.
#[derive(Debug, PartialEq, Eq)]
pub struct FileHits {
    /// Its path.
    pub path: String,
    /// The hits, and the lines around them.
    pub hits: Vec<Hit>,
    /// The number of hits, if the search returned only that.
    count: Option<usize>,
}

/// A hit, or a line of context beside one.
#[derive(Debug, PartialEq, Eq)]
pub struct Hit {
    /// The number of its line, if that is known.
    pub number: Option<u32>,
    /// It is a line beside a hit.
    pub is_context: bool,
    /// Its line.
    pub text: String,
}

impl FileHits {
    /// The number of hits.
    pub fn count(&self) -> usize {
        self.count.unwrap_or_else(|| self.hits.iter().filter(|hit| !hit.is_context).count())
    }
}

/// 'n hits in n files' or 'n files'; `None` until there is a result, and if it can't be read.
pub fn found(entry: &Entry) -> Option<String> {
    let call = entry.tool()?;
    let CallStage::Succeeded(outcome) = &call.stage else {
        return None;
    };
    let text = outcome.detailed.as_deref().unwrap_or(&entry.text);
    if text.len() > COUNTED {
        return None;
    }
    if is_no_match(text) {
        return Some(tools::NOTHING_FOUND.text().to_owned());
    }
    let found = parse_hits(call, text)?;
    let hits: usize = found.iter().map(FileHits::count).sum();
    let word = if hits == 0 { tools::FOUND_FILES } else { tools::FOUND_HITS };
    Some(word.with(&[("hits", hits.into()), ("files", found.len().into())]))
}

/// Whether a result says that there is none.
pub fn is_no_match(text: &str) -> bool {
    let text = text.trim();
    text.is_empty() || (text.lines().count() == 1 && text.starts_with("No ") && text.ends_with('.'))
}

/// Parses the output of a search; `None` if it does not look like one.
pub fn parse_hits(call: &ToolCall, text: &str) -> Option<Vec<FileHits>> {
    let content = call.argument("output_mode") == Some("content");
    let counted = call.argument("output_mode") == Some("count");
    let mut files: Vec<FileHits> = Vec::new();
    // The index of each path in `files`: a search can find a hundred thousand files.
    let mut places: HashMap<&str, usize> = HashMap::new();
    for line in text.lines().filter(|line| !line.trim().is_empty() && *line != "--") {
        let (path, hit, count) = if counted {
            let (path, count) = line.rsplit_once(':')?;
            (path, None, Some(count.trim().parse().ok()?))
        } else if let Some((path, hit)) = hit(line, ':').or_else(|| content.then(|| hit(line, '-')).flatten())
        {
            (path, Some(hit), None)
        } else if content {
            let (path, text) = line.split_once(':')?;
            (path, Some(Hit { number: None, is_context: false, text: text.to_owned() }), None)
        } else {
            (line, None, None)
        };
        // A line with only a path is a file. A sentence means that this is not the output of a search.
        if path.len() > 1_000 || (hit.is_none() && count.is_none() && path.contains(": ")) {
            return None;
        }
        if let Some(file) = places.get(path).and_then(|place| files.get_mut(*place)) {
            file.hits.extend(hit);
        } else {
            places.insert(path, files.len());
            files.push(FileHits { path: path.to_owned(), hits: hit.into_iter().collect(), count });
        }
    }
    (!files.is_empty()).then_some(files)
}

/// `path:12:text` is a hit, `path-12-text` a line of context.
fn hit(line: &str, separator: char) -> Option<(&str, Hit)> {
    let mut from = 0;
    while let Some(at) = line.get(from..)?.find(separator) {
        let start = from + at + 1;
        let rest = line.get(start..)?;
        let digits = rest.find(|ch: char| !ch.is_ascii_digit()).unwrap_or(0);
        if digits > 0 && start > 1 && rest.get(digits..)?.starts_with(separator) {
            let number = rest.get(..digits)?.parse().ok();
            let hit = Hit { number, is_context: separator == '-', text: rest.get(digits + 1..)?.to_owned() };
            return Some((line.get(..start - 1)?, hit));
        }
        from = start;
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn grep(mode: &str, text: &str) -> Option<Vec<(String, usize)>> {
        let mut call = ToolCall::new("grep".to_owned(), CallStage::Running);
        call.arguments = Some(json!({ "output_mode": mode }).into());
        let files = parse_hits(&call, text)?;
        Some(files.iter().map(|file| (file.path.clone(), file.count())).collect())
    }

    #[test]
    fn hits_are_counted_by_file() {
        let text = "/w/a-1.rs:8:let t: u8 = 1;\n/w/a-1.rs-9-}\n--\n/w/b.rs:12:x\n/w/a-1.rs:30:y";
        assert_eq!(grep("content", text), Some(vec![("/w/a-1.rs".into(), 2), ("/w/b.rs".into(), 1)]));
        assert_eq!(
            grep("files_with_matches", "/w/a\n/w/b"),
            Some(vec![("/w/a".into(), 0), ("/w/b".into(), 0)])
        );
        assert_eq!(grep("content", "/w/b.rs:x: y\n/w/b.rs:z"), Some(vec![("/w/b.rs".into(), 2)]));
        assert_eq!(grep("", "/w/2026-11-22-log"), Some(vec![("/w/2026-11-22-log".into(), 0)]));
        assert_eq!(grep("count", "/w/a:3\n/w/b:1"), Some(vec![("/w/a".into(), 3), ("/w/b".into(), 1)]));
        assert_eq!(grep("", "Error: something else"), None);
        assert!(is_no_match("No matches found.") && !is_no_match("No\nway."));
    }
}
