//! Tests that the documentation names what the code has: the pages of the book, the parts and the properties for themes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail loudly")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The themes of the package.
const THEMES: &str = "www/package/themes";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The text of every file below a folder that ends so.
fn texts(folder: &str, ending: &str) -> Vec<(PathBuf, String)> {
    let (mut found, mut waiting) = (Vec::new(), vec![root().join(folder)]);
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.to_string_lossy().ends_with(ending) {
            let text = fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
    assert!(!found.is_empty(), "{folder}");
    found
}

/// What follows a prefix, as far as it is a name.
fn names(text: &str, prefix: &str) -> BTreeSet<String> {
    let name = |rest: &str| {
        rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').next().unwrap_or("").to_owned()
    };
    text.split(prefix).skip(1).map(name).filter(|name| !name.is_empty()).collect()
}

/// The names in code in the first column of the tables that follow a header.
fn column(text: &str, header: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for table in text.split(header).skip(1) {
        for row in table.lines().skip(1).take_while(|line| line.starts_with('|')) {
            let names: Vec<&str> =
                row.split('|').nth(1).unwrap_or("").split('`').skip(1).step_by(2).collect();
            if let [first, last] = names.as_slice() {
                // `--ph-lane-1` to `--ph-lane-6`
                let (stem, first) = first.rsplit_once('-').unwrap();
                let last: u32 = last.rsplit_once('-').unwrap().1.parse().unwrap();
                found.extend((first.parse().unwrap()..=last).map(|number| format!("{stem}-{number}")));
            } else {
                found.extend(names.iter().map(ToString::to_string));
            }
        }
    }
    found
}

/// Names in the manifest for editors, by element.
fn manifest(list: &str) -> Vec<BTreeSet<String>> {
    let manifest: Value = serde_json::from_str(&read("www/package/custom-elements.json")).unwrap();
    let elements = manifest["modules"][0]["declarations"].as_array().unwrap();
    let names = |element: &Value| {
        let list = element[list].as_array().unwrap();
        list.iter().map(|entry| entry["name"].as_str().unwrap().to_owned()).collect()
    };
    elements.iter().map(names).collect()
}

#[test]
fn every_page_of_the_book_is_there_and_every_page_is_in_the_book() {
    let summary = read("docs/SUMMARY.md");
    let links: BTreeSet<&str> =
        summary.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0)).collect();
    for link in &links {
        assert!(root().join("docs").join(link).is_file(), "docs/SUMMARY.md names {link}, which is not there");
    }
    for (path, _) in texts("docs", ".md") {
        let name = path.strip_prefix(root().join("docs")).unwrap().to_string_lossy().replace('\\', "/");
        assert!(
            name == "SUMMARY.md" || links.contains(name.as_str()),
            "docs/SUMMARY.md does not name {name}"
        );
    }
}

#[test]
fn every_part_that_the_code_sets_is_documented_and_no_other() {
    let mut set = BTreeSet::new();
    for (_, text) in texts("src/ui", ".rs") {
        set.extend(names(&text, ".attr(\"part\", \""));
        set.extend(names(&text, " part=\""));
    }
    let theming = read("docs/theming.md");
    let documented = ["pilot-house", "pilot-house-board"]
        .map(|element| column(&theming, &format!("| part of `<{element}>` | what |\n")));
    assert_eq!(documented.iter().flatten().cloned().collect::<BTreeSet<_>>(), set);
    assert_eq!(manifest("cssParts"), documented);
}

#[test]
fn every_property_that_the_styles_take_is_documented_and_no_other() {
    let mut taken = BTreeSet::new();
    for (_, text) in texts("www/styles", ".css") {
        taken.extend(names(&text, "var(--ph-").into_iter().map(|name| format!("--ph-{name}")));
    }
    let documented = column(&read("docs/theming.md"), " | what | default (light, dark) |\n");
    assert_eq!(documented, taken);
    for elements in manifest("cssProperties") {
        assert_eq!(elements, taken);
    }
}

#[test]
fn themes_set_documented_properties_and_are_documented() {
    let documented = column(&read("docs/theming.md"), " | what | default (light, dark) |\n");
    let classes = column(&read("docs/theming.md"), "| class | for | text has at least |\n");
    for (path, text) in texts(THEMES, ".css") {
        let class = format!("ph-{}", path.file_stem().unwrap().to_string_lossy());
        assert!(classes.contains(&class) && text.contains(&format!("\n.{class} {{\n")), "{class}");
        for name in names(&text, "  --ph-") {
            assert!(documented.contains(&format!("--ph-{name}")), "{class} sets --ph-{name}");
        }
    }
    assert_eq!(classes.len(), texts(THEMES, ".css").len());
}

/// What is wrong with what the last cells of a page's tables of tests name: files, and behind each of them, in quotation marks
/// or in code, the tests in it.
fn missing_tests(page: &str) -> Vec<String> {
    let whole = read(page);
    let tables = whole.split("| test |\n").skip(1);
    let rows = tables.flat_map(|table| table.lines().skip(1).take_while(|line| line.starts_with('|')));
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for cell in rows.filter_map(|row| row.trim_end_matches([' ', '|']).rsplit(" | ").next()) {
        let (mut files, mut rest) = (Vec::new(), cell);
        while let Some(at) = rest.find(['`', '"']) {
            let (mark, opened) = rest[at..].split_at(1);
            let (name, after) = opened.split_once(mark).unwrap_or_else(|| panic!("{page}: {cell}"));
            rest = after;
            if mark == "\"" || (name.contains('_') && !name.contains(['.', '/'])) {
                seen += 1;
                let test = name.trim_matches('…');
                let has = |path: &PathBuf| fs::read_to_string(path).is_ok_and(|text| text.contains(test));
                if !files.iter().any(has) {
                    wrong.push(format!("{page}: {test:?} is not in {files:?}"));
                }
            } else if !name.contains('*') {
                files = places(name, &files);
                if files.is_empty() {
                    wrong.push(format!("{page}: {name} is not there"));
                }
            }
        }
    }
    assert!(seen > 10, "{page} names {seen} tests");
    wrong
}

/// The files of this name: from the root, among the end-to-end tests, the fuzz targets and the gateway's files, or beside the one
/// that was named before.
fn places(name: &str, before: &[PathBuf]) -> Vec<PathBuf> {
    let folders =
        ["", "tests/e2e", "tests/e2e/connection", "tests/e2e/views", "gateway/tests", "gateway/src"];
    let files =
        folders.iter().flat_map(|folder| ["", ".test.mjs"].map(|end| format!("{folder}/{name}{end}")));
    let files = files.map(|file| root().join(file.trim_start_matches('/')));
    let beside = before.iter().filter_map(|file| Some(file.parent()?.join(name)));
    let target = root().join(format!("fuzz/fuzz_targets/{name}.rs"));
    files.chain(beside).chain([target]).filter(|path| path.exists()).collect()
}

#[test]
fn every_promise_names_tests_that_are_there() {
    let wrong: Vec<String> =
        ["docs/reliability.md", "docs/security.md"].into_iter().flat_map(missing_tests).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
