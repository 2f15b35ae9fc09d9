//! Measures the size of downloads, and checks what may be fetched until a person sees something. Files are compressed as a
//! web server would at its best.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::build::compress::brotli;
use crate::build::split;

/// What is fetched until something is on the screen, and how much that may be.
pub struct Budget {
    what: &'static str,
    /// The chunks that come after the page's first files.
    chunks: &'static [&'static str],
    /// In bytes, with brotli. Near what the page needs today, so that no change adds to it unnoticed; docs/performance.md has
    /// the goals.
    limit: usize,
}

/// The budgets that every build must meet.
pub const BUDGETS: [Budget; 3] = [
    Budget { what: "first files", chunks: &[], limit: 315_500 },
    Budget {
        what: "an answer, an open tool card and an approval",
        chunks: &["words", "details", "requests", "tools"],
        limit: 618_500,
    },
    Budget {
        what: "a session that nobody has touched, its panel closed",
        chunks: &["words", "details", "requests", "composer", "attention"],
        limit: 636_000,
    },
];

/// The size of one file in three forms, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    raw: usize,
    gzip: usize,
    brotli: usize,
}

/// Reads a file, compresses it and measures both.
pub fn measure(file: &Path) -> Result<Size> {
    let bytes = fs::read(file)?;
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(&bytes)?;
    Ok(Size { raw: bytes.len(), gzip: gzip.finish()?.len(), brotli: brotli(&bytes)?.len() })
}

/// The kind of each file that is fetched, and its bytes with brotli.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Load(Vec<(String, usize)>);

impl Load {
    /// The page in this folder, the files that it names, and those of the chunks.
    fn of(dist: &Path, chunks: &[&str]) -> Result<Self> {
        let page = fs::read_to_string(dist.join("index.html"))?;
        let mut files = vec![("html".to_owned(), brotli(page.as_bytes())?.len())];
        let mut names: BTreeSet<String> = files_named_in(&page).into_iter().map(str::to_owned).collect();
        for chunk in chunks {
            names.extend(split::files(chunk)?);
        }
        for name in names {
            let file = dist.join(&name);
            let kind = file.extension().unwrap_or_default().to_string_lossy().into_owned();
            let bytes = fs::read(&file).with_context(|| format!("the page needs {name}"))?;
            files.push((kind, brotli(&bytes)?.len()));
        }
        Ok(Self(files))
    }

    fn total(&self) -> usize {
        self.0.iter().map(|(_, bytes)| bytes).sum()
    }
}

/// Prints what each budget comes to, and returns the ones that are over their limits.
pub fn over_budget(dist: &Path) -> Result<Vec<String>> {
    let mut over = Vec::new();
    for budget in &BUDGETS {
        let load = Load::of(dist, budget.chunks)?;
        println!("{}, with brotli: {load}", budget.what);
        over.extend(budget.describe_excess(&load));
    }
    Ok(over)
}

impl Budget {
    fn describe_excess(&self, load: &Load) -> Option<String> {
        let over = load.total() > self.limit;
        over.then(|| format!("{}: {load}, over the limit of {}", self.what, kb(self.limit)))
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", kb(self.total()))?;
        let kinds: BTreeSet<&str> = self.0.iter().map(|(kind, _)| kind.as_str()).collect();
        for (nth, kind) in kinds.into_iter().enumerate() {
            let bytes = self.0.iter().filter(|(other, _)| other == kind).map(|(_, bytes)| bytes).sum();
            write!(f, "{} {kind} {}", if nth == 0 { ":" } else { "," }, kb(bytes))?;
        }
        Ok(())
    }
}

/// The files of ours that a page names (`"/NAME.js"` and the like), each once.
fn files_named_in(page: &str) -> BTreeSet<&str> {
    let texts = page.split(['"', '\'']).filter_map(|text| text.strip_prefix('/'));
    texts.filter(|name| [".js", ".css", ".wasm"].iter().any(|end| name.ends_with(end))).collect()
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} raw, {} gzip, {} brotli", kib(self.raw), kib(self.gzip), kib(self.brotli))
    }
}

fn kib(bytes: usize) -> String {
    format!("{:.1} KiB", bytes as f64 / 1024.0)
}

/// In units of 1,000 bytes, like the goals.
fn kb(bytes: usize) -> String {
    format!("{:.1} kB", bytes as f64 / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_tells_by_how_much_it_is_exceeded() {
        let budget = Budget { what: "first files", chunks: &[], limit: 280_000 };
        let load = |wasm| Load(vec![("html".into(), 2_000), ("wasm".into(), wasm), ("js".into(), 500)]);
        assert_eq!(budget.describe_excess(&load(277_500)), None);
        let expected =
            "first files: 282.5 kB: html 2.0 kB, js 0.5 kB, wasm 280.0 kB, over the limit of 280.0 kB";
        assert_eq!(budget.describe_excess(&load(280_000)).as_deref(), Some(expected));
    }

    #[test]
    fn the_files_that_a_page_names_are_found() {
        let page = r#"<script type="module">import init from '/a.js'; init("/b.wasm")</script>
            <link href="/a.js"><link href="/c/d.css"><a href="/e.html">f.js</a>"#;
        assert_eq!(files_named_in(page).into_iter().collect::<Vec<_>>(), ["a.js", "b.wasm", "c/d.css"]);
    }
}
