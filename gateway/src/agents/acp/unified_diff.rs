//! A unified diff: made from the old and the new text of a file, or the agent's own.

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

/// An agent's own diff as ours are: paths begin with `a/` and `b/`, and no empty line stands at the end that is only what comes
/// after the file's last line break.
pub fn tidy(diff: &str) -> String {
    let mut lines: Vec<String> = diff.trim_start_matches('\n').lines().map(str::to_owned).collect();
    let heads = lines.iter().position(|line| line.starts_with("@@ ")).unwrap_or_default();
    for line in lines.iter_mut().take(heads) {
        for (start, side) in [("--- /", "--- a/"), ("+++ /", "+++ b/")] {
            if let Some(path) = line.strip_prefix(start).filter(|path| *path != "dev/null") {
                *line = format!("{side}{path}");
            }
        }
    }
    let shorter = lines
        .iter()
        .rposition(|line| line.starts_with("@@ "))
        .and_then(|at| Some((at, one_less(lines.get(at)?)?)));
    if let Some((at, heading)) = shorter.filter(|_| lines.last().is_some_and(|line| line.trim().is_empty())) {
        lines.truncate(lines.len() - 1);
        if let Some(line) = lines.get_mut(at) {
            *line = heading;
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

/// The heading of a part of a diff, without a line that is in both texts: `@@ -1,4 +1,5 @@` becomes `@@ -1,3 +1,4 @@`.
fn one_less(heading: &str) -> Option<String> {
    let (ranges, rest) = heading.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let less = |range: &str| {
        let (start, count) = range.split_once(',')?;
        Some(format!("{start},{}", count.parse::<u64>().ok()?.checked_sub(1)?))
    };
    Some(format!("@@ -{} +{} @@{rest}", less(old)?, less(new)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agents_own_diff_has_no_absolute_path_and_no_line_after_the_last() {
        let body = " one\n-two\n+three\n four\n";
        let own = format!("\nIndex: /w/a.txt\n--- /w/a.txt\n+++ /w/a.txt\n@@ -1,4 +1,4 @@\n{body} \n");
        assert_eq!(
            tidy(&own),
            format!("Index: /w/a.txt\n--- a/w/a.txt\n+++ b/w/a.txt\n@@ -1,3 +1,3 @@\n{body}")
        );
        let new = "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+one\n";
        assert_eq!(tidy(new), new);
    }

    #[test]
    fn a_line_that_is_added_empty_stays() {
        let own = "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,2 @@\n one\n+\n";
        assert_eq!(tidy(own), own);
    }

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
