//! Figures and event types in people's words. Refuses whole sentences about tools; views make those.

use super::entry::EntryState;

/// A count as people read it: `980`, `12.3 k`, `1.2 M`.
pub fn count(number: i64) -> String {
    let size = number.unsigned_abs();
    let scaled = |unit: u64, name: &str| {
        let tenths = size.saturating_mul(10) / unit;
        let sign = if number < 0 { "−" } else { "" };
        if tenths >= 1000 || tenths.is_multiple_of(10) {
            format!("{sign}{} {name}", tenths / 10)
        } else {
            format!("{sign}{}.{} {name}", tenths / 10, tenths % 10)
        }
    };
    match size {
        0..=999 => number.to_string(),
        1_000..=999_999 => scaled(1_000, "k"),
        _ => scaled(1_000_000, "M"),
    }
}

/// `1 tool`, `3 tools`.
pub fn counted(number: i64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", count(number))
}

/// A path as seen from a directory.
pub fn relative(path: &str, directory: Option<&str>) -> String {
    let inside = directory.and_then(|directory| path.strip_prefix(directory));
    let inside = inside.and_then(|rest| rest.strip_prefix(['/', '\\'])).filter(|rest| !rest.is_empty());
    inside.unwrap_or(path).to_owned()
}

/// How a task ended.
pub fn task_outcome(state: EntryState) -> &'static str {
    match state {
        EntryState::Failed => "The task could not be completed",
        EntryState::Interrupted => "The task is not complete yet",
        _ => "Task complete",
    }
}

/// `1 premium request`, `2.5 premium requests`. Whole hundredths: printing fractions is 10 KB of the page.
pub fn premium(requests: f64) -> String {
    let hundredths = (requests * 100.0).round() as i64;
    let plural = if hundredths == 100 { "" } else { "s" };
    let (whole, part) = (hundredths / 100, hundredths % 100);
    let figure = match part {
        0 => whole.to_string(),
        part if part % 10 == 0 => format!("{whole}.{}", part / 10),
        part => format!("{whole}.{part:02}"),
    };
    format!("{figure} premium request{plural}")
}

/// `: reason`, or nothing.
pub fn because(reason: Option<&str>) -> String {
    reason.map_or_else(String::new, |reason| format!(": {reason}"))
}

/// `previous → `, or nothing.
pub fn from(previous: Option<&str>) -> String {
    previous.map_or_else(String::new, |previous| format!("{previous} → "))
}

/// `session.workspace_file_changed` → `Workspace file changed`.
pub fn event_type(name: &str) -> String {
    let short = name.strip_prefix("session.").unwrap_or(name).replace(['_', '.'], " ");
    capitalised(&short)
}

/// The word with a capital first letter. ASCII only, as the runtime's words are.
pub fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| {
        std::iter::once(first.to_ascii_uppercase()).chain(letters).collect()
    })
}

/// Bytes as people read them: `980 bytes`, `12.3 KB`.
pub fn bytes(number: i64) -> String {
    if number < 1000 {
        format!("{number} bytes")
    } else {
        count(number).replace(" k", " KB").replace(" M", " MB")
    }
}

/// JSON for people.
pub fn pretty(value: &serde_json::Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_humanised() {
        assert_eq!(count(980), "980");
        assert_eq!(count(12_345), "12.3 k");
        assert_eq!(count(120_000), "120 k");
        assert_eq!(count(1_250_000), "1.2 M");
        assert_eq!(bytes(150_000), "150 KB");
        assert_eq!(event_type("session.workspace_file_changed"), "Workspace file changed");
    }
}
