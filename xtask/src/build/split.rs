//! Splits the linked wasm into the file that every visitor downloads and those that come later.
//!
//! The split is at the functions that `src/ui/chunks.rs` marks: what only they reach comes later.
//! `wasm_split_cli_support` finds out what that is, and leaves a file for every set of split points that share something:
//! a hundred and more. Binaryen's `wasm-merge` joins them to one file for each split point.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, anyhow, bail};
use wasm_split_cli_support::{Options, transform};
use wasmparser::{KnownCustom, Name, Naming, Parser, Payload};

use crate::build::bind::GLUE;
use crate::build::wasm_opt;
use crate::setup::node;
use crate::{process, workspace};

/// The module that fetches the later chunks. The glue imports it.
pub const LOADER: &str = "__wasm_split.js";
/// Which files each chunk needs, for the budgets.
const FILES: &str = "files.json";
/// The name under which wasm-split's files import what they share.
const IMPORTS: &str = "__wasm_split";
/// How the name of a later chunk's file begins.
const PREFIX: &str = "split_";

/// The chunk that every session fetches. What several chunks share comes with it, unless it is large and this one does not
/// need it.
const BASE: &str = "details";
/// The chunk that nearly every session fetches as well. What is large and shared with it comes with it. Any other large file
/// that is shared is a chunk of its own.
const SECOND_CHUNK: &str = "words";
/// The chunks of what a person opens or uses. What only these share is one file, so that sessions in which none is opened don't fetch it.
const OPENED: [&str; 6] = ["composer_actions", "event_log", "gateway", "lens", "panel", "search"];
/// The chunk that has it.
const OF_OPENED: &str = "views";
/// Chunks that are there before others, or come with them: what they share with those comes with them, whatever its size.
const BEFORE: [(&str, &[&str]); 5] = [
    ("attention", &["panel"]),
    ("composer", &["composer_actions"]),
    ("edits", &["diffs", "lens", "panel", "search"]),
    ("requests", &["questions"]),
    ("tools", &["diffs"]),
];
/// From this size on, in bytes, before wasm-opt.
const LARGE_DATA: u64 = 20_000;
/// The chunks that are fetched before these or without them. They have copies of what is constant.
const STANDALONE: [&str; 5] = ["arabic", "board", "german", "japanese", "own_words"];

/// What wasm-split left.
pub struct Split {
    folder: PathBuf,
    /// The files, without `.wasm`, that each split point needs.
    needs: BTreeMap<String, Vec<String>>,
}

/// Splits `linked`.
pub fn run(linked: &Path) -> Result<Split> {
    let folder = workspace::target()?.join("split");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let wasm = fs::read(linked)?;
    let (first, glue) = (folder.join("page.wasm"), format!("./{GLUE}"));
    let mut options = Options::new(&wasm);
    options.output_dir = &folder;
    options.main_out_path = &first;
    options.main_module = &glue;
    options.target.web();
    let split = transform(options).map_err(|error| anyhow!("wasm-split failed: {error:#}"))?;
    Ok(Split { folder, needs: split.prefetch_map.into_iter().collect() })
}

impl Split {
    /// The file that every visitor downloads, before wasm-bindgen.
    pub fn first(&self) -> PathBuf {
        self.folder.join("page.wasm")
    }

    /// Writes a file for each split point into `dist`, and the module that fetches them.
    pub fn join(&self, dist: &Path) -> Result<()> {
        let large = |file: &str| fs::metadata(self.path(file)).is_ok_and(|about| about.len() >= LARGE_DATA);
        let chunks = chunks(&self.needs, |file| self.is_constant(file), large);
        let shared = self.folder.join("shared.wat");
        fs::write(&shared, self.shared()?)?;
        let filled: Vec<_> = chunks.iter().filter(|(_, chunk)| !chunk.files.is_empty()).collect();
        process::for_each(&filled, |(name, chunk)| {
            let mut merge = process::command("node");
            merge.arg(node::binaryen("wasm-merge")).args(wasm_opt::FEATURES);
            merge.arg(&shared).arg(IMPORTS);
            for file in &chunk.files {
                merge.arg(self.path(file)).arg(file);
            }
            merge.arg("--output").arg(dist.join(file_name(name)));
            process::read(&mut merge).map(drop)
        })?;
        fs::write(dist.join(LOADER), loader(&chunks))?;
        Ok(fs::write(self.folder.join(FILES), serde_json::to_vec(&fetched(&chunks))?)?)
    }

    fn path(&self, file: &str) -> PathBuf {
        self.folder.join(format!("{file}.wasm"))
    }

    /// Whether a file has no variables, so that a second copy of it changes nothing.
    fn is_constant(&self, file: &str) -> bool {
        fs::read(self.path(file)).is_ok_and(|wasm| has_constant_data(&wasm).unwrap_or(false))
    }

    fn disassemble(&self, file: &str) -> Result<String> {
        let mut disassemble = process::command("node");
        disassemble.arg(node::binaryen("wasm-dis")).args(wasm_opt::FEATURES);
        process::read(disassemble.arg(self.path(file)))
    }

    /// A module that takes memory, table and stack pointer from the page and hands them on under the name by which the files
    /// import them. Merged with it they have one import of each; else each file would keep its own.
    fn shared(&self) -> Result<String> {
        let names = self.needs.iter().filter_map(|(name, files)| {
            let own = format!("{PREFIX}{name}");
            files.contains(&own).then_some(own)
        });
        let lines = Mutex::new(BTreeSet::new());
        process::for_each(&names.collect::<Vec<_>>(), |file| {
            let text = self.disassemble(file)?;
            lines
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .extend(text.lines().filter_map(reexported_import));
            Ok(())
        })?;
        let lines = lines.into_inner().unwrap_or_else(PoisonError::into_inner);
        if lines.is_empty() {
            bail!(
                "wasm-split's files import nothing from {IMPORTS}; xtask/src/build/split.rs relies on that"
            );
        }
        Ok(format!("(module\n{}\n)\n", lines.into_iter().collect::<Vec<_>>().join("\n")))
    }
}

/// Whether all static data of a module is in segments that are called `.rodata`, but for those that are empty.
fn has_constant_data(wasm: &[u8]) -> Result<bool> {
    let (mut filled, mut constant) = (Vec::new(), BTreeSet::new());
    for payload in Parser::new(0).parse_all(wasm) {
        match payload? {
            Payload::DataSection(segments) => {
                for segment in segments {
                    filled.push(!segment?.data.is_empty());
                }
            }
            Payload::CustomSection(section) => {
                let KnownCustom::Name(names) = section.as_known() else { continue };
                for name in names {
                    let Name::Data(names) = name? else { continue };
                    for naming in names {
                        let Naming { index, name } = naming?;
                        constant.extend(name.starts_with(".rodata").then_some(index));
                    }
                }
            }
            _ => {}
        }
    }
    Ok((0..).zip(filled).all(|(index, filled)| !filled || constant.contains(&index)))
}

/// An import of `wasm-dis`, such as `(import "__wasm_split" "memory" (memory $m 25))`, from the page and exported again.
fn reexported_import(line: &str) -> Option<String> {
    let import = line.trim().strip_prefix("(import \"")?.strip_prefix(IMPORTS)?.strip_prefix("\" \"")?;
    let (name, what) = import.split_once("\" (")?;
    let mut words = what.split(' ');
    let (kind, id) = (words.next()?, words.next()?);
    Some(format!("(import \"page\" \"{name}\" ({what} (export \"{name}\" ({kind} {id}))"))
}

/// The files in `dist` that the last build fetches for a chunk.
pub fn files(chunk: &str) -> Result<BTreeSet<String>> {
    let all = workspace::read(&workspace::target()?.join("split").join(FILES))?;
    let mut all: BTreeMap<String, BTreeSet<String>> = serde_json::from_str(&all)?;
    all.remove(chunk).with_context(|| format!("there is no chunk `{chunk}`"))
}

/// For each chunk its own file and those of the chunks that it needs.
fn fetched(chunks: &Chunks) -> BTreeMap<&str, BTreeSet<String>> {
    let mut all = BTreeMap::new();
    for name in chunks.keys() {
        let (mut files, mut waiting) = (BTreeSet::new(), vec![name]);
        while let Some((name, chunk)) = waiting.pop().and_then(|name| chunks.get_key_value(name)) {
            files.extend((!chunk.files.is_empty()).then(|| file_name(name)));
            waiting.extend(&chunk.after);
        }
        all.insert(name.as_str(), files);
    }
    all
}

/// Whether a file is from the split: a later chunk, or what fetches them.
pub fn is_chunk(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name == LOADER || name.starts_with(PREFIX)
}

/// Chunks by their names.
type Chunks = BTreeMap<String, Chunk>;

/// What is fetched in one file.
#[derive(Debug, Default, PartialEq, Eq)]
struct Chunk {
    /// The files of wasm-split that it is made of, without `.wasm`.
    files: Vec<String>,
    /// The chunks that must be there before.
    after: BTreeSet<String>,
}

/// The file of a chunk in `dist`.
fn file_name(chunk: &str) -> String {
    format!("{PREFIX}{chunk}.wasm")
}

/// Gives each file to one chunk, and copies of the constant ones to those that come early.
fn chunks(
    needs: &BTreeMap<String, Vec<String>>,
    constant: impl Fn(&str) -> bool,
    large: impl Fn(&str) -> bool,
) -> Chunks {
    let mut chunks: Chunks = needs.keys().map(|name| (name.clone(), Chunk::default())).collect();
    let files: BTreeSet<&String> = needs.values().flatten().collect();
    for file in files {
        let users = needs.iter().filter(|(_, files)| files.contains(file)).map(|(name, _)| name.as_str());
        let (copies, sharers): (Vec<&str>, Vec<&str>) =
            users.partition(|name| STANDALONE.contains(name) && constant(file));
        let is_behind = |name: &str| {
            BEFORE.iter().any(|(first, others)| sharers.contains(first) && others.contains(&name))
        };
        let first: Vec<&str> = sharers.iter().copied().filter(|name| !is_behind(name)).collect();
        let owner = match first.as_slice() {
            [] => None,
            [only] => Some((*only).to_owned()),
            _ if !large(file) && first.iter().all(|name| OPENED.contains(name)) => Some(OF_OPENED.to_owned()),
            _ if first.contains(&BASE) || !large(file) => Some(BASE.to_owned()),
            _ if first.contains(&SECOND_CHUNK) => Some(SECOND_CHUNK.to_owned()),
            _ => Some(file.replace("chunk", "shared")),
        };
        for name in copies.into_iter().chain(owner.as_deref()) {
            chunks.entry(name.to_owned()).or_default().files.push(file.clone());
        }
        for name in sharers.into_iter().filter(|name| Some(*name) != owner.as_deref()) {
            chunks.entry(name.to_owned()).or_default().after.extend(owner.clone());
        }
    }
    chunks
}

/// The module that fetches the chunks, with addresses as bundlers want them.
fn loader(chunks: &Chunks) -> String {
    let mut out = include_str!("split/loader.js").to_owned();
    for (name, chunk) in chunks {
        let after: Vec<&str> = chunk.after.iter().map(String::as_str).collect();
        let fetch = if chunk.files.is_empty() {
            "undefined".to_owned()
        } else {
            format!("() => new URL(\"./{}\", import.meta.url)", file_name(name))
        };
        // Writing into a String can't fail.
        let _ = writeln!(out, "const {name} = chunk(() => [{}], {fetch});", after.join(", "));
        let _ = writeln!(out, "export const __wasm_split_load_{name} = notifying({name});");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(constant: bool, large: bool) -> Chunks {
        let needs = [
            ("board", vec!["chunk_2", "split_board"]),
            ("details", vec!["chunk_1", "chunk_2", "split_details"]),
            ("panel", vec!["chunk_3", "chunk_4", "split_panel"]),
            ("composer", vec!["chunk_3", "split_composer"]),
            ("words", vec!["chunk_1", "chunk_4", "split_words"]),
        ];
        let owned = |files: Vec<&str>| files.into_iter().map(str::to_owned).collect();
        chunks(&needs.map(|(name, files)| (name.to_owned(), owned(files))).into(), |_| constant, |_| large)
    }

    fn chunk(files: &[&str], after: &[&str]) -> Chunk {
        let owned = |name: &&str| (*name).to_owned();
        Chunk { files: files.iter().map(owned).collect(), after: after.iter().map(owned).collect() }
    }

    #[test]
    fn what_is_shared_comes_with_the_chunks_that_every_session_fetches() {
        let chunks = left(false, false);
        assert_eq!(
            chunks["details"],
            chunk(&["chunk_1", "chunk_2", "chunk_3", "chunk_4", "split_details"], &[])
        );
        for other in ["board", "panel", "composer", "words"] {
            assert_eq!(chunks[other], chunk(&[&format!("split_{other}")], &["details"]));
        }
    }

    #[test]
    fn what_is_large_and_shared_by_other_chunks_is_a_file_of_its_own() {
        let chunks = left(false, true);
        assert_eq!(chunks["shared_3"], chunk(&["chunk_3"], &[]));
        assert_eq!(chunks["words"], chunk(&["chunk_4", "split_words"], &["details"]));
        assert_eq!(chunks["composer"], chunk(&["split_composer"], &["shared_3"]));
    }

    #[test]
    fn what_a_chunk_shares_with_those_that_come_after_it_comes_with_it() {
        let needs = [
            ("composer", vec!["chunk_1", "split_composer"]),
            ("composer_actions", vec!["chunk_1", "chunk_2", "split_composer_actions"]),
            ("edits", vec!["chunk_3", "split_edits"]),
            ("lens", vec!["chunk_3", "split_lens"]),
            ("tools", vec!["chunk_2", "split_tools"]),
        ];
        let owned = |files: Vec<&str>| files.into_iter().map(str::to_owned).collect();
        let needs = needs.map(|(name, files)| (name.to_owned(), owned(files))).into();
        let chunks = chunks(&needs, |_| false, |_| true);
        assert_eq!(chunks["composer"], chunk(&["chunk_1", "split_composer"], &[]));
        assert_eq!(chunks["edits"], chunk(&["chunk_3", "split_edits"], &[]));
        assert_eq!(chunks["lens"], chunk(&["split_lens"], &["edits"]));
        assert_eq!(chunks["tools"], chunk(&["split_tools"], &["shared_2"]));
        assert_eq!(chunks["composer_actions"], chunk(&["split_composer_actions"], &["composer", "shared_2"]));
    }

    #[test]
    fn what_only_views_share_that_a_person_opens_comes_with_the_first_of_them() {
        let needs = [
            ("lens", vec!["chunk_1", "chunk_2", "split_lens"]),
            ("panel", vec!["chunk_1", "split_panel"]),
            ("words", vec!["chunk_2", "split_words"]),
        ];
        let owned = |files: Vec<&str>| files.into_iter().map(str::to_owned).collect();
        let needs = needs.map(|(name, files)| (name.to_owned(), owned(files))).into();
        let chunks = chunks(&needs, |_| false, |_| false);
        assert_eq!(chunks["views"], chunk(&["chunk_1"], &[]));
        assert_eq!(chunks["panel"], chunk(&["split_panel"], &["views"]));
        assert_eq!(chunks["lens"], chunk(&["split_lens"], &["details", "views"]));
    }

    #[test]
    fn a_chunk_that_comes_early_has_a_copy_of_what_is_constant() {
        assert_eq!(left(true, false)["board"], chunk(&["chunk_2", "split_board"], &[]));
    }

    #[test]
    fn the_loader_fetches_a_chunk_behind_those_that_it_needs() {
        let script = loader(&left(false, false));
        let words =
            r#"const words = chunk(() => [details], () => new URL("./split_words.wasm", import.meta.url));"#;
        assert!(script.contains(words), "{script}");
        assert!(script.contains("export const __wasm_split_load_words = notifying(words);"), "{script}");
    }

    #[test]
    fn a_chunk_is_fetched_with_those_that_it_needs() {
        let chunks = left(false, true);
        let files = fetched(&chunks).remove("composer").unwrap_or_default();
        assert_eq!(files.into_iter().collect::<Vec<_>>(), ["split_composer.wasm", "split_shared_3.wasm"]);
        assert_eq!(fetched(&chunks).get("words").map(BTreeSet::len), Some(2));
    }

    #[test]
    fn constant_data_is_known_by_its_name() {
        // A module with two segments, and a name section with their names.
        let module = |names: [&str; 2], second: &[u8]| {
            let section = |id: u8, body: Vec<u8>| [vec![id, body.len() as u8], body].concat();
            let segment = |bytes: &[u8]| [&[1, bytes.len() as u8], bytes].concat();
            let data = section(11, [vec![2], segment(b"a"), segment(second)].concat());
            let named = |(index, name): (u8, &str)| [&[index, name.len() as u8], name.as_bytes()].concat();
            let map = [vec![2], named((0, names[0])), named((1, names[1]))].concat();
            let custom = section(0, [vec![4], b"name".to_vec(), section(9, map)].concat());
            [b"\0asm\x01\0\0\0".to_vec(), data, custom].concat()
        };
        assert!(has_constant_data(&module([".rodata", ".rodata.1"], b"b")).unwrap());
        assert!(!has_constant_data(&module([".rodata", ".data"], b"b")).unwrap());
        assert!(has_constant_data(&module([".rodata", ".bss"], b"")).unwrap());
        assert!(has_constant_data(b"no wasm").is_err());
    }

    #[test]
    fn what_files_import_is_handed_on() {
        let line = r#" (import "__wasm_split" "memory" (memory $m 25))"#;
        let expected = r#"(import "page" "memory" (memory $m 25)) (export "memory" (memory $m))"#;
        assert_eq!(reexported_import(line).as_deref(), Some(expected));
        assert_eq!(reexported_import(r#" (import "env" "f" (func $f))"#), None);
    }

    #[test]
    fn parts_are_known_by_their_names() {
        for chunk in ["__wasm_split.js", "split_cards.wasm"] {
            assert!(is_chunk(OsStr::new(chunk)), "{chunk}");
        }
        for other in ["page_bg.wasm", "page.js", "index.html"] {
            assert!(!is_chunk(OsStr::new(other)), "{other}");
        }
    }
}
