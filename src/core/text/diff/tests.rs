//! Tests of how the different forms of a diff are read.

use super::*;

const GIT: &str = "diff --git a/src/a b.rs b/src/a b.rs\nindex 1..2 100644\n--- a/src/a b.rs\n+++ b/src/a b.rs\n@@ -1,4 +1,4 @@ fn main\n one\n--- two\n+++ two\n\n three\n\\ No newline at end of file\ndiff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\ndiff --git a/new b/new\nnew file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+hi\ndiff --git a/p.png b/p.png\nBinary files a/p.png and b/p.png differ\n";

#[test]
fn git_diff() {
    let diff = parse(GIT);
    let paths: Vec<_> = diff
        .files
        .iter()
        .map(|file| (file.old_path.as_deref(), file.new_path.as_deref(), file.change))
        .collect();
    assert_eq!(
        paths,
        [
            (Some("src/a b.rs"), Some("src/a b.rs"), Change::Modified),
            (Some("x"), Some("y"), Change::Renamed),
            (None, Some("new"), Change::Added),
            (Some("p.png"), Some("p.png"), Change::Modified),
        ]
    );
    let lines = &diff.files[0].hunks[0].lines;
    let numbers: Vec<_> =
        lines.iter().map(|line| (line.kind, line.old, line.new, line.text.as_str())).collect();
    assert_eq!(
        numbers,
        [
            (LineKind::Context, Some(1), Some(1), "one"),
            (LineKind::Removed, Some(2), None, "-- two"),
            (LineKind::Added, None, Some(2), "++ two"),
            (LineKind::Context, Some(3), Some(3), ""),
            (LineKind::Context, Some(4), Some(4), "three"),
        ]
    );
    assert_eq!(lines[4].end, LineEnd::Missing);
    assert_eq!(diff.files[0].hunks[0].heading, "fn main");
    assert!(diff.files[3].binary);
    assert_eq!(diff.counts(), (2, 1));
}

#[test]
fn plain_and_cut_diffs() {
    let two = "--- a/x\t2020\n+++ b/x\t2021\n@@ -1 +1 @@\n-a\n+b\n--- y\n+++ y\n@@ -5,3 +5,3 @@\n c\n-d";
    let diff = parse(two);
    assert_eq!(diff.files.iter().map(File::path).collect::<Vec<_>>(), [Some("x"), Some("y")]);
    assert_eq!(diff.counts(), (1, 2));
    for (cut, _) in GIT.char_indices() {
        parse(&GIT[..cut]);
        parse(&GIT[cut..]);
    }
    assert!(parse("nothing of the kind\n- item\n+ more").is_empty());
    assert_eq!(parse("@@ -1 +1 @@\n-a\n+b\n").counts(), (1, 1));
    assert_eq!(
        parse("--- \"a/\\303\\251\"\n+++ b/e\n@@ @@\n-a\n+b\n").files[0].old_path.as_deref(),
        Some("é")
    );
}

#[test]
fn edits_by_text() {
    let diff = between("a\nb\nc\n", "a\nB\nc\n");
    let lines: Vec<_> = diff.files[0].hunks[0]
        .lines
        .iter()
        .map(|line| (line.kind, line.old, line.new, line.text.as_str()))
        .collect();
    assert_eq!(
        lines,
        [
            (LineKind::Context, Some(1), Some(1), "a"),
            (LineKind::Removed, Some(2), None, "b"),
            (LineKind::Added, None, Some(2), "B"),
            (LineKind::Context, Some(3), Some(3), "c"),
        ]
    );
    assert!(between("same", "same").is_empty());
    assert_eq!(between("", "x\ny").counts(), (2, 0));
    assert_eq!(between("x\ny", "").counts(), (0, 2));
    let long = |word: &str| format!("{word}\n").repeat(5_000);
    assert_eq!(
        between(&format!("k\n{}z\n", long("a")), &format!("k\n{}z\n", long("b"))).counts(),
        (5_000, 5_000)
    );
}

#[test]
fn apply_patch_texts() {
    let text = "*** Begin Patch\n*** Update File: src/a.rs\n*** Move to: src/b.rs\n@@ fn main\n one\n-two\n+deux\n*** Add File: n\n+new\n*** Delete File: d\n*** End Patch\n";
    let diff = parse(text);
    let paths: Vec<_> = diff.files.iter().map(|file| (file.path(), file.change, file.counts())).collect();
    assert_eq!(
        paths,
        [
            (Some("src/b.rs"), Change::Renamed, (1, 1)),
            (Some("n"), Change::Added, (1, 0)),
            (Some("d"), Change::Deleted, (0, 0))
        ]
    );
    assert_eq!(diff.files[0].hunks[0].heading, "fn main");
}

#[test]
fn the_runtimes_own_dialect() {
    let diff = parse(
        "\ndiff --git a/w/f.js b/w/f.js\ncreate file mode 100644\nindex 0000000..0000000\n--- a/dev/null\n+++ b/w/f.js\n@@ -1,0 +1,2 @@\n+a\n+b\n",
    );
    let file = &diff.files[0];
    assert_eq!(
        (file.change, file.old_path.as_deref(), file.path(), file.counts()),
        (Change::Added, None, Some("w/f.js"), (2, 0))
    );
}

#[test]
fn what_nobody_sees_in_the_lines_is_said_in_words() {
    use Note::*;
    let unified =
        |lines: &str| parse(&format!("--- a/w/a\n+++ b/w/a\n@@ -1,9 +1,9 @@\n{lines}")).files[0].notes();
    for (old, new, notes) in [
        ("one\r\n", "one\n", &[ToLf, NothingElse][..]),
        ("one\ntwo\n", "one\r\ntwo\r\n", &[ToCrLf, NothingElse]),
        ("one\r\ntwo\r\n", "one\nmore\ntwo\n", &[ToLf]),
        ("one\ntwo\n", "one\nother\r\n", &[ToCrLf]),
        ("one\ntwo\n", "one\ntwo\nthree\r\n", &[ToCrLf]),
        ("one\r\ntwo\r\n", "one\r\nother\n", &[ToLf]),
        ("one\r\ntwo\n", "one\r\nother\r\n", &[]),
        ("a\r\nb\n", "a\nb\r\n", &[ToLf, ToCrLf, NothingElse]),
        ("last", "last\n", &[BreakAdded, NothingElse]),
        ("first\nlast\n", "first\nlast", &[BreakRemoved, NothingElse]),
        ("\u{FEFF}one\n", "one\n", &[MarkRemoved, NothingElse]),
        ("one\n", "\u{FEFF}one\n", &[MarkAdded, NothingElse]),
        ("\u{FEFF}one\r\n", "one\n", &[MarkRemoved, ToLf, NothingElse]),
        ("if x\n\ty\n", "if x\n    y\n", &[WhiteSpace, NothingElse]),
        ("one \ntwo\n", "one\n2\n", &[WhiteSpace]),
        ("one\u{A0}two\n", "one two\n", &[WhiteSpace, NothingElse]),
        ("one\rtwo\r", "one\ntwo\n", &[FromCr, NothingElse]),
        ("one\ntwo\n", "one\rtwo\r", &[ToCr, NothingElse]),
        ("one\rtwo\r", "one\nzwei\n", &[]),
        ("one", "two", &[]),
        ("one\n", "two\n", &[]),
        ("", "one\r\n", &[]),
        ("one\n", "one\ntwo\n", &[]),
    ] {
        assert_eq!(between(old, new).files[0].notes(), notes, "{old:?} {new:?}");
        let side = |sign: &str, text: &str| -> String {
            let lines = text.split_inclusive('\n').map(|line| format!("{sign}{line}"));
            let missing =
                if text.is_empty() || text.ends_with('\n') { "" } else { "\n\\ No newline at end of file\n" };
            lines.collect::<String>() + missing
        };
        assert_eq!(unified(&(side("-", old) + &side("+", new))), notes, "as a diff: {old:?} {new:?}");
    }
    let mode = |text: &str| {
        let diff = parse(&format!("diff --git a/x b/x\n{text}"));
        (diff.files[0].notes(), diff.files[0].change)
    };
    let run = Mode { from: 0o100_644, to: 0o100_755 };
    assert_eq!(mode("old mode 100644\nnew mode 100755\n"), (vec![run, NothingElse], Change::Modified));
    assert_eq!(mode("old mode 100644\r\nnew mode 100755\r\n").0, [run, NothingElse]);
    let content = "index 1..2\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
    assert_eq!(mode(&format!("old mode 100644\nnew mode 100755\n{content}")).0, [run]);
    assert_eq!(mode("old mode 100644\nnew mode 100755\nBinary files a/x and b/x differ\n").0, [run]);
    let renamed = "similarity index 100%\nrename from x\nrename to y\n";
    assert_eq!(mode(&format!("old mode 100644\nnew mode 100755\n{renamed}")), (vec![run], Change::Renamed));
    assert_eq!(mode("old mode 100644\n").0, []);
    assert_eq!(mode("new mode 100755\n").0, []);
    assert_eq!(mode("similarity index 100%\ncopy from x\ncopy to y\n").1, Change::Added);
    // A diff that was sent with CR LF says nothing about the file.
    assert_eq!(parse("--- a\r\n+++ a\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n").files[0].notes(), []);
    let patch = "*** Begin Patch\n*** Update File: a\n@@\n-one\r\n+one\n*** End Patch\n";
    assert_eq!(parse(patch).files[0].notes(), [ToLf, NothingElse]);
    // A diff that is cut within a line.
    assert_eq!(unified("-one\n+one"), []);
}
