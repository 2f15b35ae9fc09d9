//! A unified diff from the old and the new text of a file.

use similar::TextDiff;

/// The diff of one file; empty if nothing changes. Of a fragment the line numbers are not known, so its headings have none.
pub fn unified_diff(path: &str, old: Option<&str>, new: &str, is_fragment: bool) -> String {
    // An empty old text is a file that is not there yet, for agents that give whole files as for those that give fragments.
    let old = old.filter(|old| !old.is_empty());
    let from =
        if old.is_some() { format!("a/{}", path.trim_start_matches('/')) } else { "/dev/null".to_owned() };
    let to = format!("b/{}", path.trim_start_matches('/'));
    let difference = TextDiff::from_lines(old.unwrap_or_default(), new);
    let text = difference.unified_diff().context_radius(3).header(&from, &to).to_string();
    if !is_fragment || old.is_none() {
        return text;
    }
    let without_numbers = |line: &str| {
        if line.starts_with("@@ ") { "@@ @@\n".to_owned() } else { line.to_owned() }
    };
    text.split_inclusive('\n').map(without_numbers).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_comes_from_nothing() {
        let diff = unified_diff("/a/b.txt", Some(""), "one\n", true);
        assert_eq!(diff, "--- /dev/null\n+++ b/a/b.txt\n@@ -0,0 +1 @@\n+one\n");
    }

    #[test]
    fn a_fragment_has_no_line_numbers() {
        let diff = unified_diff("b.txt", Some("one\ntwo"), "one\n2", true);
        assert!(diff.contains("\n@@ @@\n one\n-two"), "{diff}");
        assert!(diff.contains("+2"), "{diff}");
    }

    #[test]
    fn equal_texts_have_no_diff() {
        assert_eq!(unified_diff("b.txt", Some("one\n"), "one\n", false), "");
    }
}
