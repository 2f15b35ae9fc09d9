//! No two files of a crate name each other in a circle: those that do can be understood only together. A file may name the module
//! that it is a part of.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// What each module names, by their paths without `crate::`.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// The folders with the files of each crate.
const CRATES: [&str; 4] = ["scan/src", "src/core", "src", "gateway/src"];

fn sources(folder: &Path, module: &str, into: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let name = if module.is_empty() { stem.to_owned() } else { format!("{module}::{stem}") };
        if path.is_dir() {
            // A folder with a crate of its own.
            if !path.join("Cargo.toml").exists() {
                sources(&path, &name, into);
            }
        } else if path.extension().is_some_and(|ending| ending == "rs")
            && !["lib", "main", "command", "tests"].contains(&name.as_str())
            && stem != "tests"
        {
            into.insert(name, product_code(&fs::read_to_string(&path).unwrap()));
        }
    }
}

/// Without tests and comments.
fn product_code(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let line = |line: &str| line.split("//").next().unwrap_or_default().to_owned() + "\n";
    code.lines().map(line).collect()
}

/// The paths in a tree of `use`, each whole.
fn paths(tree: &str) -> Vec<String> {
    let Some((before, rest)) = tree.split_once('{') else { return vec![tree.trim().to_owned()] };
    let inside = rest.rsplit_once('}').map_or(rest, |(inside, _)| inside);
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for letter in inside.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().unwrap().push(letter);
    }
    let parts = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty());
    parts.flat_map(paths).map(|path| format!("{}{path}", before.trim())).collect()
}

/// The path from the crate's root; none for a path into another crate.
fn absolute(module: &str, path: &str, children: &BTreeSet<&str>) -> Option<String> {
    let mut parts: Vec<&str> = path.split("::").collect();
    let mut base: Vec<&str> = module.split("::").collect();
    match *parts.first()? {
        "crate" => base.clear(),
        "self" => {}
        "super" => {
            while parts.first() == Some(&"super") {
                parts.remove(0);
                base.pop();
            }
            parts.insert(0, "");
        }
        child if children.contains(child) => parts.insert(0, ""),
        _ => return None,
    }
    Some(base.into_iter().chain(parts.into_iter().skip(1)).collect::<Vec<_>>().join("::"))
}

/// Every path that the code names: those of its `use`, and those that it writes out.
fn named(code: &str, children: &BTreeSet<&str>) -> Vec<String> {
    let uses =
        code.split("use ").skip(1).filter_map(|rest| rest.split_once(';')).flat_map(|(tree, _)| paths(tree));
    let part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
    let words = code.split(|letter| !part(letter)).filter(|word| {
        let first = word.split("::").next().unwrap_or_default();
        word.contains("::") && (["crate", "super", "self"].contains(&first) || children.contains(first))
    });
    uses.chain(words.map(str::to_owned)).collect()
}

fn imports(root: &str) -> Imports {
    let mut files = BTreeMap::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(root), "", &mut files);
    let module_of = |path: &str| {
        let mut path = path;
        loop {
            if files.contains_key(path) {
                return Some(path.to_owned());
            }
            path = path.rsplit_once("::")?.0;
        }
    };
    let of = |(module, code): (&String, &String)| {
        let children = files.keys().filter_map(|name| name.strip_prefix(&format!("{module}::")));
        let children: BTreeSet<&str> = children.filter(|name| !name.contains("::")).collect();
        let paths = named(code, &children).into_iter();
        let named = paths.filter_map(|path| module_of(&absolute(module, &path, &children)?));
        let is_own = |other: &String| other == module || module.starts_with(&format!("{other}::"));
        (module.clone(), named.filter(|other| !is_own(other)).collect())
    };
    files.iter().map(of).collect()
}

/// Everything that a module names, and what that names, and so on.
fn reached<'a>(imports: &'a Imports, from: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut waiting: Vec<&str> = vec![from];
    while let Some(module) = waiting.pop() {
        for other in imports.get(module).into_iter().flatten() {
            if reached.insert(other.as_str()) {
                waiting.push(other);
            }
        }
    }
    reached
}

/// The modules of each circle.
fn circles(imports: &Imports) -> BTreeSet<BTreeSet<&str>> {
    let all: BTreeMap<&str, BTreeSet<&str>> =
        imports.keys().map(|module| (module.as_str(), reached(imports, module))).collect();
    let mut circles = BTreeSet::new();
    for (module, others) in &all {
        let back = |other: &&&str| all.get(**other).is_some_and(|named| named.contains(module));
        let circle: BTreeSet<&str> = others.iter().filter(back).copied().collect();
        if !circle.is_empty() {
            circles.insert(circle);
        }
    }
    circles
}

#[test]
fn no_files_of_a_crate_name_each_other_in_a_circle() {
    for root in CRATES {
        let imports = imports(root);
        assert!(imports.len() > 5, "{root} was not found");
        let circles = circles(&imports);
        assert!(circles.is_empty(), "these files of {root} name each other in a circle: {circles:#?}");
    }
}

#[test]
fn no_folders_of_the_gateway_name_each_other_in_a_circle() {
    let imports = imports("gateway/src");
    let socket = &imports["http::socket"];
    for other in ["sessions", "sessions::session", "journal", "http::state", "access::limits"] {
        assert!(socket.contains(other), "{other} is named by http::socket: {socket:?}");
    }
    let folders = by_folder(&imports);
    let circles = circles(&folders);
    assert!(circles.is_empty(), "these folders name each other in a circle: {circles:#?}");
}

/// What each folder at the top names of the others.
fn by_folder(imports: &Imports) -> Imports {
    let folder = |module: &str| module.split("::").next().unwrap_or_default().to_owned();
    let mut folders = Imports::new();
    for (module, named) in imports {
        let own = folder(module);
        let others = named.iter().map(|other| folder(other)).filter(|other| *other != own);
        folders.entry(own.clone()).or_default().extend(others);
    }
    folders
}

#[test]
fn a_circle_is_found() {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    let imports = |second: &[&str]| {
        Imports::from([
            ("a".to_owned(), names(&["b", "c"])),
            ("b".to_owned(), names(second)),
            ("c".to_owned(), names(&[])),
        ])
    };
    assert!(circles(&imports(&["c"])).is_empty());
    assert_eq!(circles(&imports(&["a"])), BTreeSet::from([BTreeSet::from(["a", "b"])]));
    let tree = "crate::a::{b::{C, D}, e}";
    assert_eq!(paths(tree), ["crate::a::b::C", "crate::a::b::D", "crate::a::e"]);
    let children = BTreeSet::from(["inner"]);
    let whole = |path| absolute("x::y", path, &children);
    assert_eq!(whole("super::z::A").as_deref(), Some("x::z::A"));
    assert_eq!(whole("inner::B").as_deref(), Some("x::y::inner::B"));
    assert_eq!(whole("serde_json::Value"), None);
}
