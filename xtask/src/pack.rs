//! Owns which files the later parts of the program come in: one for each split point, whole but for what nearly every
//! page has fetched before. Refuses wasm-split's own way: a file for every set of split points that share something,
//! a hundred of them for ten parts.

mod merge;
pub mod part;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::workspace;
use merge::merge;
use part::Part;

/// Fetched ahead by every session (`lazy::fetch_ahead`), in this order; what several parts share comes with the
/// first of these.
const USUAL: [&str; 4] = ["words", "cards", "panel", "steer"];
/// Asked for by people, when the usual ones are there. All others may come without any, and bring all that they need.
const AFTER: [&str; 3] = ["find", "lens", "log"];

/// The module that fetches the later parts; the glue imports it.
pub const LOADER: &str = "__wasm_split.js";
/// How the name of a later part's file begins.
pub const PART: &str = "split_";

const EXPORT: &str = "__wasm_split_load_";

/// The name of a part's file.
pub fn file(part: &str) -> String {
    format!("{PART}{part}.wasm")
}

/// Merges what wasm-split left in `split` into files in `dist`, with the module that fetches them.
pub fn run(split: &Path, dist: &Path) -> Result<()> {
    let cut = Cut::read(&workspace::read(&split.join(LOADER))?)?;
    let mut bytes = Vec::new();
    for piece in &cut.pieces {
        let file = piece.file.as_ref().map(|file| fs::read(split.join(file)));
        bytes.push(file.transpose().with_context(|| format!("wasm-split left no {}", piece.name))?);
    }
    let mut parts = Vec::new();
    for (piece, bytes) in cut.pieces.iter().zip(&bytes) {
        let part = bytes.as_deref().map(Part::read).transpose();
        parts.push(part.with_context(|| format!("{} can't be read", piece.name))?);
    }
    let constant = |piece: usize| parts.get(piece).and_then(Option::as_ref).is_none_or(Part::is_constant);
    let files = cut.files(constant);

    for file in &files {
        let inside: Vec<_> = file.pieces.iter().filter_map(|piece| parts.get(*piece)?.as_ref()).collect();
        let to = dist.join(self::file(&file.name));
        let merged = merge(&inside).with_context(|| format!("{} can't be merged", file.name))?;
        fs::write(&to, merged)?;
    }
    fs::write(dist.join(LOADER), loader(&files))?;
    Ok(())
}

/// A file of the cut, as wasm-split's loader tells of it.
#[derive(Debug, PartialEq, Eq)]
struct Piece {
    name: String,
    file: Option<String>,
    /// Names of pieces that must be there before.
    needs: Vec<String>,
}

struct Cut {
    pieces: Vec<Piece>,
}

/// A file of ours.
#[derive(Debug, PartialEq, Eq)]
struct File {
    name: String,
    /// Places in the cut.
    pieces: Vec<usize>,
    needs: BTreeSet<usize>,
}

impl Cut {
    fn read(loader: &str) -> Result<Self> {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut open: Option<Piece> = None;
        for line in loader.lines() {
            if let Some((name, _)) = line.split_once(" = ").filter(|(_, made)| made.contains("makeLoad(")) {
                let name = name.trim_start_matches("export ").trim_start_matches("const ");
                open = Some(Piece { name: name.to_owned(), file: None, needs: Vec::new() });
            }
            let Some(piece) = &mut open else { continue };
            if let Some((_, from)) = line.split_once("new URL(\"./") {
                piece.file = from.split_once('"').map(|(file, _)| file.to_owned());
            }
            if let Some((_, from)) = line.split_once(", [") {
                let (needs, _) = from.split_once(']').context("a list in wasm-split's loader has no end")?;
                piece.needs = needs.split(", ").filter(|need| !need.is_empty()).map(str::to_owned).collect();
                pieces.extend(open.take());
            }
        }
        if open.is_some() || !pieces.iter().any(|piece| piece.name.starts_with(EXPORT)) {
            bail!("wasm-split's loader looks different than it did; xtask/src/pack.rs reads it");
        }
        Ok(Self { pieces })
    }

    /// The files, each behind those that it needs. What is constant may come in several.
    fn files(&self, constant: impl Fn(usize) -> bool) -> Vec<File> {
        let mut files: Vec<File> = Vec::new();
        for (at, piece) in self.pieces.iter().enumerate() {
            if let Some(name) = piece.name.strip_prefix(EXPORT) {
                files.push(File { name: name.to_owned(), pieces: vec![at], needs: BTreeSet::new() });
            }
        }
        let usual = |name: &str| USUAL.iter().position(|usual| *usual == name);
        let after = |name: &str| AFTER.contains(&name);
        files.sort_by_key(|file| {
            (usual(&file.name).unwrap_or(USUAL.len()), !after(&file.name), file.name.clone())
        });

        for (at, piece) in self.pieces.iter().enumerate() {
            if piece.name.starts_with(EXPORT) {
                continue;
            }
            let with: Vec<usize> = (0..files.len())
                .filter(|file| {
                    let whole = files.get(*file).and_then(|file| self.pieces.get(*file.pieces.first()?));
                    whole.is_some_and(|whole| whole.needs.contains(&piece.name))
                })
                .collect();
            let once = !constant(at);
            let first = with.first().copied();
            let ahead =
                first.and_then(|first| files.get(first)).is_some_and(|file| usual(&file.name).is_some());
            for file in &with {
                let Some(File { name, pieces, needs }) = files.get_mut(*file) else { continue };
                let late = usual(name).is_some() || after(name);
                match first {
                    Some(first) if first != *file && (once || ahead && late) => {
                        needs.insert(first);
                    }
                    _ => pieces.push(at),
                }
            }
        }
        files
    }
}

/// The module that fetches the files. Addresses are as bundlers want them.
fn loader(files: &[File]) -> String {
    let mut out = String::new();
    for line in include_str!("pack/loader.js").lines().map(str::trim) {
        if !line.is_empty() && !line.starts_with("//") && !line.starts_with("/**") {
            out.push_str(line);
            out.push('\n');
        }
    }
    for (at, File { name, needs, .. }) in files.iter().enumerate() {
        let needs: Vec<String> = needs.iter().map(|need| format!("p{need}")).collect();
        let needs = needs.join(",");
        let _ = write!(
            out,
            "const p{at}=part([{needs}],()=>fetch(new URL(\"./{PART}{name}.wasm\",import.meta.url)));\n\
             export const {EXPORT}{name}=telling(p{at});\n"
        ); // writing into a String can't fail
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEFT: &str = r#"import { initSync } from "./page.js";
function makeLoad(fetcher, deps) {
    const loader = async () => {
/* cards, words */
const __chunk_1 = makeLoad(() => {
    const src = fetch(new URL("./chunk_1.wasm", import.meta.url));
}
, []);
/* cards, german */
const __chunk_2 = makeLoad(() => {
    const src = fetch(new URL("./chunk_2.wasm", import.meta.url));
}
, []);
export const __wasm_split_load_german = wrapAsyncCb(makeLoad(() => async (_imp) => ({}), [__chunk_2]));
export const __wasm_split_load_cards = wrapAsyncCb(makeLoad(() => {
    const src = fetch(new URL("./split_cards.wasm", import.meta.url));
}
, [__chunk_1, __chunk_2]));
export const __wasm_split_load_words = wrapAsyncCb(makeLoad(() => {
    const src = fetch(new URL("./split_words.wasm", import.meta.url));
}
, [__chunk_1]));
"#;

    fn shown(constant: bool) -> Vec<(String, Vec<usize>, Vec<usize>)> {
        let files = Cut::read(LEFT).unwrap().files(|_| constant);
        files.into_iter().map(|file| (file.name, file.pieces, file.needs.into_iter().collect())).collect()
    }

    #[test]
    fn wasm_split_s_loader_is_understood() {
        let pieces = Cut::read(LEFT).unwrap().pieces;
        assert_eq!(pieces.len(), 5);
        let piece = |name: &str, file: Option<&str>, needs: &[&str]| Piece {
            name: name.into(),
            file: file.map(Into::into),
            needs: needs.iter().map(|need| (*need).into()).collect(),
        };
        assert_eq!(pieces[0], piece("__chunk_1", Some("chunk_1.wasm"), &[]));
        assert_eq!(pieces[2], piece("__wasm_split_load_german", None, &["__chunk_2"]));
        let cards = piece("__wasm_split_load_cards", Some("split_cards.wasm"), &["__chunk_1", "__chunk_2"]);
        assert_eq!(pieces[3], cards);
        assert!(Cut::read("export const load = () => import.source('x');").is_err());
    }

    #[test]
    fn what_is_shared_comes_with_the_first_that_everybody_fetches_and_twice_where_that_may_never_come() {
        let expected =
            [("words", vec![4, 0], vec![]), ("cards", vec![3, 1], vec![0]), ("german", vec![2, 1], vec![])];
        assert_eq!(shown(true), expected.map(|(name, pieces, needs)| (name.to_owned(), pieces, needs)));
    }

    #[test]
    fn variables_are_in_one_file_only() {
        let expected =
            [("words", vec![4, 0], vec![]), ("cards", vec![3, 1], vec![0]), ("german", vec![2], vec![1])];
        assert_eq!(shown(false), expected.map(|(name, pieces, needs)| (name.to_owned(), pieces, needs)));
    }

    #[test]
    fn the_loader_names_files_as_bundlers_want_them() {
        let script = loader(&Cut::read(LEFT).unwrap().files(|_| true));
        assert!(
            script
                .contains(r#"const p1=part([p0],()=>fetch(new URL("./split_cards.wasm",import.meta.url)));"#)
        );
        assert!(script.contains("const p2=part([],"), "a language waits for nothing: {script}");
        assert!(script.contains("export const __wasm_split_load_german=telling(p2);"));
        assert!(!script.contains("//"), "comments are for people: {script}");
    }
}
