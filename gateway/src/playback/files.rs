//! The files that are given to be played: logs of session events, transcripts of other agents, and folders of either.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use pilothouse_core::transcripts::{Report, Siblings};

/// How deep a folder is looked through.
const DEPTH: u8 = 8;
/// How many files of a folder are read; the newest ones.
pub const MOST_FILES: usize = 200;
/// Folders in which no session is looked for. The transcripts of sub-agents come with their session.
const NOT_IN: [&str; 4] = ["subagents", "node_modules", ".git", "target"];

/// The files of a folder that may have a session, by name; of many the newest. A file is itself.
pub fn of_path(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    let mut found = Vec::new();
    look_into(path, DEPTH, &mut found);
    found.sort_by(|one, other| other.cmp(one));
    found.truncate(MOST_FILES);
    let mut found: Vec<PathBuf> = found.into_iter().map(|(_, path)| path).collect();
    found.sort();
    found
}

fn look_into(folder: &Path, depth: u8, found: &mut Vec<(SystemTime, PathBuf)>) {
    // What can't be read is no session that anybody could see.
    let Ok(inside) = fs::read_dir(folder) else { return };
    for entry in inside.flatten() {
        let path = entry.path();
        let Ok(about) = entry.metadata() else { continue };
        let name = entry.file_name().to_string_lossy().into_owned();
        if about.is_dir() {
            if depth > 0 && !NOT_IN.contains(&name.as_str()) {
                look_into(&path, depth - 1, found);
            }
        } else if path.extension().is_some_and(|end| end == "jsonl" || end == "json")
            && !name.starts_with("agent-")
        {
            found.push((about.modified().unwrap_or(SystemTime::UNIX_EPOCH), path));
        }
    }
}

/// Where the transcript of a session's sub-agent is: in the session's own folder, or beside the session.
pub fn siblings(path: &Path) -> Siblings {
    let (folder, stem) = (path.parent().unwrap_or(Path::new("")).to_owned(), path.with_extension(""));
    Box::new(move |id| {
        // The id is from the file, and becomes part of a path.
        let is_id =
            !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        let name = format!("agent-{id}.jsonl");
        let places = [stem.join("subagents").join(&name), folder.join(&name)];
        places.iter().filter(|_| is_id).find_map(|place| fs::read(place).ok())
    })
}

/// What a file was read as, for people.
pub fn read_as(name: &str, report: &Report) -> String {
    let plural = |n: u64| if n == 1 { "" } else { "s" };
    let left_out: Vec<String> = report.left_out.iter().map(|(what, n)| format!("{n} {what}")).collect();
    let (agent, form, lines) = (report.form.agent(), report.form.name(), report.lines);
    let left_out = match report.left_out.values().sum::<u64>() {
        0 => String::new(),
        n => format!(", {n} left out: {}", left_out.join(", ")),
    };
    let unreadable = match report.unreadable {
        0 => String::new(),
        n => format!("; {n} could not be read"),
    };
    format!(
        "{name}: read as a transcript of {agent} ({form}), {lines} line{}{left_out}{unreadable}",
        plural(lines)
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_folder_has_its_sessions_and_no_sub_agents() {
        let folder = std::env::temp_dir().join(format!("pilothouse-files-{}", uuid::Uuid::new_v4()));
        let at = |name: &str| folder.join(name);
        fs::create_dir_all(at("b/s/subagents")).unwrap();
        for name in ["b/s.jsonl", "a.json", "b/s/subagents/agent-x.jsonl", "b/agent-y.jsonl", "notes.txt"] {
            fs::write(at(name), name).unwrap();
        }
        assert_eq!(of_path(&folder), [at("a.json"), at("b/s.jsonl")]);
        assert_eq!(of_path(&at("notes.txt")), [at("notes.txt")]);
        let mut siblings = siblings(&at("b/s.jsonl"));
        assert_eq!(siblings("x").unwrap(), b"b/s/subagents/agent-x.jsonl");
        assert_eq!(siblings("y").unwrap(), b"b/agent-y.jsonl");
        assert_eq!([siblings("z"), siblings("../s/subagents/agent-x"), siblings("")], [None, None, None]);
        fs::remove_dir_all(folder).unwrap();
    }
}
