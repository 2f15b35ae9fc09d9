//! Rules that the source as a whole must keep (invariants 1 to 5 in ARCHITECTURE.md), each with its reason.
//! Rules that the compiler or clippy enforce everywhere are not repeated here.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use pilothouse::core::protocol::EventKind;

/// A file of the project, as text.
struct Source {
    path: PathBuf,
    text: String,
}

impl Source {
    /// Its path from the project's root, with `/` everywhere.
    fn name(&self) -> String {
        let path = self.path.strip_prefix(root()).unwrap_or(&self.path);
        path.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
    }

    /// Whether it is test code, which may do what the product may not.
    fn is_test(&self) -> bool {
        let name = self.name();
        name.contains("/tests/")
            || name.ends_with("tests.rs")
            || name.ends_with("test.rs") && name.starts_with("gateway/")
    }

    /// The lines of product code, numbered, without comments and without `#[cfg(test)]` items.
    fn code(&self) -> Vec<(usize, String)> {
        if self.is_test() {
            return Vec::new();
        }
        let mut lines = Vec::new();
        let mut test_item: Option<i64> = None;
        let mut entered = false;
        for (number, line) in self.text.lines().enumerate() {
            let code = without_comment(line);
            if code.trim_start().starts_with("#[cfg(test)]") {
                test_item = Some(0);
                entered = false;
                continue;
            }
            if let Some(depth) = &mut test_item {
                for letter in without_strings(code).chars() {
                    match letter {
                        '{' => (*depth, entered) = (*depth + 1, true),
                        '}' => *depth -= 1,
                        _ => {}
                    }
                }
                let ended = if entered { *depth == 0 } else { code.trim_end().ends_with(';') };
                if ended {
                    test_item = None;
                }
                continue;
            }
            lines.push((number + 1, code.to_owned()));
        }
        lines
    }
}

/// A line without its `//` comment; `//` inside a string stays.
fn without_comment(line: &str) -> &str {
    let mut in_string = false;
    let mut escaped = false;
    let bytes = line.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' if at == 0 || bytes[at - 1] != b'\'' => in_string = !in_string,
            b'/' if !in_string && bytes.get(at + 1) == Some(&b'/') => return &line[..at],
            _ => {}
        }
    }
    line
}

/// A line without quoted text, and without character literals of brackets.
fn without_strings(line: &str) -> String {
    let mut out = String::new();
    let plain = line.replace("'{'", "").replace("'}'", "").replace("'\"'", "").replace("b'\"'", "");
    for (at, part) in plain.replace("\\\"", "").split('"').enumerate() {
        if at % 2 == 0 {
            out.push_str(part);
        }
    }
    out
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files under these folders with one of these extensions, without build results and packages of others.
fn sources(folders: &[&str], endings: &[&str]) -> Vec<Source> {
    let mut found = Vec::new();
    let mut waiting: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            let inside = fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path());
            waiting.extend(inside.filter(|path| !path.ends_with("node_modules") && !path.ends_with("dist")));
        } else if path.extension().is_some_and(|ending| endings.contains(&ending.to_string_lossy().as_ref()))
        {
            let text = fs::read_to_string(&path).unwrap();
            found.push(Source { path, text });
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// What a rule found, as `file:line: what`.
#[derive(Default)]
struct Findings(String);

impl Findings {
    fn add(&mut self, source: &Source, line: usize, what: &str) {
        writeln!(self.0, "  {}:{line}: {}", source.name(), what.trim()).unwrap();
    }

    fn assert_none(&self, rule: &str, reason: &str) {
        assert!(self.0.is_empty(), "\n{rule}\n{}because {reason}\n", self.0);
    }
}

fn forbid(sources: &[Source], words: &[&str], rule: &str, reason: &str) {
    let mut findings = Findings::default();
    for source in sources {
        for (number, line) in source.code() {
            if words.iter().any(|word| names(&line, word)) {
                findings.add(source, number, &line);
            }
        }
    }
    findings.assert_none(rule, reason);
}

/// Whether the line has the word, not only as a part of a longer name.
fn names(line: &str, word: &str) -> bool {
    let part = |letter: char| letter.is_alphanumeric() || letter == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back().is_some_and(part) && word.starts_with(part);
        let after = line[at + word.len()..].chars().next().is_some_and(part) && word.ends_with(part);
        !before && !after
    })
}

fn core_sources() -> Vec<Source> {
    // Its build script runs where it is compiled, and may read files.
    let mut found = sources(&["src/core"], &["rs"]);
    found.retain(|source| !source.name().starts_with("src/core/build/"));
    found
}

fn module(name: &str) -> Vec<Source> {
    let (file, folder) = (format!("src/{name}.rs"), format!("src/{name}/"));
    let belongs = |source: &Source| source.name() == file || source.name().starts_with(&folder);
    sources(&["src"], &["rs"]).into_iter().filter(belongs).collect()
}

#[test]
fn the_core_uses_a_few_crates_without_a_platform_and_nothing_else() {
    const CRATES: [&str; 11] = [
        "std",
        "fluent_syntax",
        "serde",
        "serde_json",
        "lz4_flex",
        "memchr",
        "pilothouse_scan",
        "pulldown_cmark",
        "similar",
        "unicode_width",
        "vte",
    ];
    let files = core_sources();
    assert!(files.len() > 20, "the core was not found");
    let mut findings = Findings::default();
    for source in &files {
        let code = source.code();
        let modules: Vec<&str> = code.iter().filter_map(|(_, line)| declared_module(line)).collect();
        for (number, line) in &code {
            let line = line.trim_start().trim_start_matches("pub(super) ").trim_start_matches("pub ");
            let Some(path) = line.strip_prefix("use ") else {
                continue;
            };
            let first = path.split([':', ';', ' ', '{']).next().unwrap_or_default();
            let own = ["crate", "super", "self"].contains(&first) || modules.contains(&first);
            // An enum's variants may be brought in by the enum's own name.
            let local = first.chars().next().is_some_and(char::is_uppercase);
            if !own && !local && !CRATES.contains(&first) {
                findings.add(source, *number, line);
            }
        }
    }
    findings.assert_none(
        "src/core uses only std, serde, serde_json, memchr, pilothouse_scan, pulldown_cmark, similar, unicode_width, vte and itself,",
        "the same core runs in the browser, in the command and in tests",
    );
}

fn declared_module(line: &str) -> Option<&str> {
    let line = line.trim_start().trim_start_matches("pub(super) ").trim_start_matches("pub ");
    line.strip_prefix("mod ")?.trim_end().strip_suffix(';')
}

#[test]
fn the_core_has_no_clock_no_files_no_network_no_threads() {
    forbid(
        &core_sources(),
        &[
            "std::time",
            "Instant",
            "SystemTime",
            "std::fs",
            "std::net",
            "std::thread",
            "std::env",
            "std::process",
            "std::io",
            "web_sys",
            "js_sys",
            "wasm_bindgen",
            "leptos",
            "tokio",
            "rand",
        ],
        "src/core does no IO, has no clock, no randomness and no browser type,",
        "the same events must give the same state everywhere: time arrives in events",
    );
}

/// What each folder must not name, and why. Where a folder is a crate of its own, Cargo holds this.
const DIRECTIONS: [(&str, &[&str], &str); 5] = [
    (
        "ui",
        &["client::transport", "client::controller", "crate::embed"],
        "what people see depends on the state only: every transport and every replay looks the same",
    ),
    (
        "client/transport",
        &["leptos", "crate::ui", "client::controller", "crate::store", "crate::embed"],
        "a transport moves bytes; it must work without a page",
    ),
    (
        "store",
        &["crate::ui", "crate::client", "crate::embed"],
        "views subscribe to it, and it knows nothing of who does",
    ),
    ("client/controller", &["crate::ui", "crate::embed"], "a session runs the same whatever shows it"),
    (
        "client",
        &["Policy", "Pulse", "Backoff", "PermissionChecks"],
        "what a page decides is in the core, where it is tested in virtual time",
    ),
];

#[test]
fn folders_name_only_what_they_stand_on() {
    for (folder, forbidden, reason) in DIRECTIONS {
        let files = module(folder);
        assert!(!files.is_empty(), "src/{folder} was not found");
        let rule = format!("src/{folder} never names {},", forbidden.join(", "));
        forbid(&files, forbidden, &rule, reason);
    }
}

/// Words that are the name of an event and of something else as well, and where they are that: a method of the
/// runtime, a decision, fields of the platform's messages.
const HOMONYMS: [(&str, &str); 5] = [
    ("gateway/src/", "session.resume"),
    ("src/core/model/answer.rs", "abort"),
    ("src/core/reduce/platform/chat.rs", "copilot_references"),
    ("src/core/reduce/platform/chat.rs", "copilot_errors"),
    ("src/core/session/server_sent.rs", "copilot_references"),
];

#[test]
fn names_of_events_are_written_once() {
    let mut findings = Findings::default();
    let homes = ["src/core/protocol/", "src/core/wire/", "src/core/wire.rs"];
    for source in sources(&["src", "gateway/src"], &["rs"]) {
        let name = source.name();
        if homes.iter().any(|home| name.starts_with(home)) {
            continue;
        }
        let homonym =
            |literal: &str| HOMONYMS.iter().any(|(at, word)| name.starts_with(at) && *word == literal);
        for (number, line) in source.code() {
            for literal in line.split('"').skip(1).step_by(2) {
                let known = EventKind::parse(literal) != EventKind::Unknown;
                if known && !homonym(literal) {
                    findings.add(&source, number, &line);
                }
            }
        }
    }
    findings.assert_none(
        "Only src/core/protocol and src/core/wire write the name of an event; elsewhere it is an `EventKind`,",
        "the compiler then finds every place where a type matters, and a name can't be mistyped",
    );
}

/// The core's folders. Each names only those before it.
const CORE: [&str; 13] = [
    "i18n",
    "protocol",
    "text",
    "wire",
    "transcripts",
    "model",
    "connection",
    "view_model",
    "markup",
    "export",
    "reduce",
    "session",
    "client",
];

#[test]
fn the_cores_folders_name_only_those_before_them() {
    for (place, folder) in CORE.iter().enumerate() {
        let files = module(&format!("core/{folder}"));
        assert!(!files.is_empty(), "src/core/{folder} was not found");
        let later: Vec<String> = CORE.iter().skip(place + 1).map(|later| format!("crate::{later}")).collect();
        let later: Vec<&str> = later.iter().map(String::as_str).collect();
        let rule = format!("src/core/{folder} names none of {},", later.join(", "));
        forbid(&files, &later, &rule, "folders that import each other can only be understood together");
    }
}

/// The folders and files of `src/ui`. Each names only those before it.
const UI: [&str; 18] = [
    "elements",
    "lazy",
    "shortcuts",
    "session",
    "slots",
    "message",
    "tools",
    "timeline",
    "requests",
    "composer",
    "panel",
    "search",
    "lens",
    "event_log",
    "shell",
    "board",
    "chunks",
    "session_provider",
];

#[test]
fn the_uis_folders_name_only_those_before_them() {
    for (place, folder) in UI.iter().enumerate() {
        let files = module(&format!("ui/{folder}"));
        assert!(!files.is_empty(), "src/ui/{folder} was not found");
        let reason = "views that name each other in a circle can be understood only together.";
        let later = |prefix: &str| -> Vec<String> {
            UI.iter().skip(place + 1).map(|later| format!("{prefix}{later}")).collect()
        };
        let rule = format!("src/ui/{folder} never names what comes after it,");
        let later_by_path = later("crate::ui::");
        forbid(&files, &later_by_path.iter().map(String::as_str).collect::<Vec<_>>(), &rule, reason);
        // In a deeper file `super` is another module.
        let top: Vec<Source> =
            files.into_iter().filter(|file| file.name() == format!("src/ui/{folder}.rs")).collect();
        let later_beside = later("super::");
        forbid(&top, &later_beside.iter().map(String::as_str).collect::<Vec<_>>(), &rule, reason);
    }
}

/// The core's folders in which no language is chosen.
const WITHOUT_WORDS: [&str; 4] = ["protocol", "model", "reduce", "session"];

/// Whether the line makes text of a message: of a constant, of one with values, of a phrase or of a figure.
fn makes_words(line: &str) -> bool {
    let of_constant = line.match_indices(".text()").any(|(at, _)| {
        let name = line[..at].rsplit(|letter: char| !letter.is_alphanumeric() && letter != '_').next();
        name.is_some_and(|name| name.len() > 1 && !name.contains(char::is_lowercase))
    });
    let makers =
        [".with(&[", ".words()", "i18n::duration", "i18n::hundredths", "i18n::current", "in_english"];
    let figures =
        ["format::count", "format::grouped", "format::bytes", "format::premium", "format::runtime_word"];
    of_constant || makers.iter().chain(&figures).any(|maker| names(line, maker))
}

#[test]
fn the_fold_chooses_no_language() {
    let mut findings = Findings::default();
    for folder in WITHOUT_WORDS {
        let files = module(&format!("core/{folder}"));
        assert!(!files.is_empty(), "src/core/{folder} was not found");
        for source in files {
            for (number, line) in source.code().iter().filter(|(_, line)| makes_words(line)) {
                findings.add(&source, *number, line);
            }
        }
    }
    findings.assert_none(
        &format!("src/core/{{{}}} make no text of a message, only phrases,", WITHOUT_WORDS.join(",")),
        "the same log must give the same state in every language (`tests/one_state.rs`)",
    );
}

#[test]
fn no_text_ever_becomes_markup_or_code() {
    let mut all = sources(&["src", "scan/src", "gateway/src", "xtask/src"], &["rs"]);
    all.extend(sources(&["www"], &["js", "ts", "html"]));
    let mut findings = Findings::default();
    for source in &all {
        for (number, line) in source.code() {
            let markup = [
                "inner_html",
                "set_inner_html",
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "insert_adjacent_html",
                "document.write",
                "new Function",
            ];
            if markup.iter().any(|word| names(&line, word)) || names(&line, "eval(") {
                findings.add(source, number, &line);
            }
        }
    }
    findings.assert_none(
        "No inner_html, no innerHTML, no insertAdjacentHTML, no eval,",
        "what agents, tools and web pages say is text: the day one string is parsed as markup, a session can be taken over",
    );
}

#[test]
fn the_product_never_panics_on_purpose() {
    forbid(
        &sources(&["src", "scan/src", "gateway/src", "xtask/src"], &["rs"]),
        &[".unwrap()", ".expect(", "panic!(", "todo!(", "unimplemented!(", "unreachable!("],
        "No unwrap, expect, panic, todo, unimplemented outside tests,",
        "bad input becomes a visible notice; a panic in the page is a dead page",
    );
    let mut findings = Findings::default();
    for source in sources(&["src", "scan/src", "gateway/src", "xtask/src"], &["rs"]) {
        for (number, line) in source.text.lines().enumerate() {
            if names(line, "FIXME") || names(line, "XXX") {
                findings.add(&source, number + 1, line);
            }
        }
    }
    findings.assert_none("No FIXME,", "what is known to be broken is mended or filed, not shipped");
}

#[test]
fn every_file_says_what_it_is_for() {
    let mut findings = Findings::default();
    for source in sources(
        &["src", "scan/src", "gateway/src", "xtask/src", "tests", "gateway/tests", "benches"],
        &["rs"],
    ) {
        if !source.text.starts_with("//! ") {
            findings.add(&source, 1, source.text.lines().next().unwrap_or("(empty)"));
        }
    }
    findings.assert_none(
        "Every file opens with a `//!` sentence on what it is for,",
        "the first lines are where people look for the place of a change",
    );
}

/// Files of more lines that are one thought all the same, each with the reason.
const LONG_FILES: [(&str, &str); 0] = [];

#[test]
fn a_very_long_file_has_its_reason() {
    const MANY: usize = 1_000;
    let mut all = sources(&["src", "scan/src", "gateway/src", "xtask/src"], &["rs"]);
    all.extend(sources(&["www", "src"], &["js", "css", "ts"]));
    let mut findings = Findings::default();
    for source in &all {
        let lines = source.text.lines().count();
        if lines > MANY && !LONG_FILES.iter().any(|(file, _)| *file == source.name()) {
            findings.add(source, lines, "very long");
        }
    }
    findings.assert_none(
        "No file has more than 1,000 lines, unless LONG_FILES has its reason,",
        "a file that long mostly has more than one purpose: 150 to 600 lines are usual",
    );
}

#[test]
fn no_file_is_a_drawer() {
    let mut findings = Findings::default();
    for source in sources(&["src", "scan", "gateway", "xtask", "tests", "benches"], &["rs"]) {
        let name = source.path.file_stem().unwrap().to_string_lossy().into_owned();
        let drawer = |word: &str| name.split('_').any(|part| part == word);
        let drawers = ["mod", "util", "utils", "helper", "helpers", "manager", "misc", "common"];
        if !source.name().contains("/target/") && drawers.into_iter().any(drawer) {
            findings.add(&source, 1, &name);
        }
    }
    findings.assert_none(
        "No file is called mod, utils, helper or manager,",
        "such a name says nothing about what is in it, and so everything ends there",
    );
}

#[test]
fn listeners_and_sockets_are_owned() {
    forbid(
        &sources(&["src", "scan/src", "gateway/src", "xtask/src"], &["rs"]),
        &[".forget()", "mem::forget", "Box::leak"],
        "No `.forget()`,",
        "what is dropped is disconnected: a leaked listener outlives its element and acts on it",
    );
}

#[test]
fn the_rules_see_what_they_should() {
    let source = |text: &str| Source { path: root().join("src/core/sample.rs"), text: text.to_owned() };
    let text = "//! x\nlet a = b.unwrap(); // .unwrap()\n#[cfg(test)]\nmod tests {\n    c.unwrap();\n}\nlet d = 1;\n\
                #[cfg(test)]\nmod more;\nlet e = \"// no comment\";\n";
    let code: Vec<String> =
        source(text).code().into_iter().map(|(number, line)| format!("{number} {line}")).collect();
    assert_eq!(code, ["1 ", "2 let a = b.unwrap(); ", "7 let d = 1;", "10 let e = \"// no comment\";"]);
    assert!(names("x.inner_html(", "inner_html") && !names("inner_html_free", "inner_html"));
    assert!(
        makes_words("notices::UNKNOWN.text().to_owned()") && !makes_words("data.text(\"x\").said.text()")
    );
    assert!(makes_words("word.with(&[(\"n\", n.into())])") && !makes_words("word.phrase(vec![])"));
    assert!(names("eval(code)", "eval(") && !names("interval(code)", "eval("));
    let test_file =
        Source { path: root().join("src/core/wire/sse/tests.rs"), text: "a.unwrap();".to_owned() };
    assert!(test_file.code().is_empty());
}
