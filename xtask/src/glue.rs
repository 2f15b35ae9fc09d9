//! Owns the names between the page's wasm and its glue: wasm-bindgen's tell types and hashes, and every visitor
//! downloads them twice. Refuses names that anybody else uses: what a page imports keeps its own.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::build::{GLUE, WASM};
use crate::workspace;

/// How names begin that only the glue says.
const OURS: [&str; 3] = ["__wbg_", "__wbindgen_", "wasm_bindgen_"];

/// A section's number in a wasm file.
const IMPORTS: u8 = 2;
const EXPORTS: u8 = 7;

/// Shortens the names in both files, and takes comments and indentation out of the glue.
pub fn shorten(dist: &Path) -> Result<()> {
    let (wasm, glue) = (dist.join(WASM), dist.join(GLUE));
    let bytes = fs::read(&wasm)?;
    let mut names = Names::default();
    let bytes = renamed(&bytes, &mut names).with_context(|| format!("{WASM} can't be read"))?;
    let script = compact(&workspace::read(&glue)?, &names)?;
    fs::write(wasm, bytes)?;
    fs::write(glue, script)?;
    Ok(())
}

#[derive(Default)]
struct Names(HashMap<String, String>);

impl Names {
    fn short(&mut self, name: &str) -> String {
        if !OURS.iter().any(|start| name.starts_with(start)) {
            return name.to_owned();
        }
        let next = self.0.len();
        // wasm-bindgen has no dollar in its names.
        self.0.entry(name.to_owned()).or_insert_with(|| format!("${next}")).clone()
    }
}

fn renamed(wasm: &[u8], names: &mut Names) -> Result<Vec<u8>> {
    const HEADER: usize = 8;
    let mut rest = Reader(wasm.get(HEADER..).unwrap_or_default());
    let mut out = wasm.get(..HEADER).unwrap_or_default().to_vec();
    while !rest.0.is_empty() {
        let section = rest.byte()?;
        let size = rest.number()?;
        let content = rest.take(size)?;
        let fresh = match section {
            IMPORTS => imports(Reader(content), names)?,
            EXPORTS => exports(Reader(content), names)?,
            _ => content.to_vec(),
        };
        out.push(section);
        put_number(&mut out, fresh.len());
        out.extend(fresh);
    }
    Ok(out)
}

fn imports(mut from: Reader<'_>, names: &mut Names) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let count = from.number()?;
    put_number(&mut out, count);
    for _ in 0..count {
        put_name(&mut out, from.name()?);
        put_name(&mut out, &names.short(from.name()?));
        let kind = from.byte()?;
        if kind != 0 {
            bail!("an import that is no function");
        }
        out.push(kind);
        put_number(&mut out, from.number()?);
    }
    Ok(out)
}

fn exports(mut from: Reader<'_>, names: &mut Names) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let count = from.number()?;
    put_number(&mut out, count);
    for _ in 0..count {
        put_name(&mut out, &names.short(from.name()?));
        out.push(from.byte()?);
        put_number(&mut out, from.number()?);
    }
    Ok(out)
}

/// The glue with the short names, without what only people read.
fn compact(script: &str, names: &Names) -> Result<String> {
    let mut out = String::with_capacity(script.len());
    let mut comment = false;
    for line in script.lines().map(str::trim) {
        comment |= line.starts_with("/**");
        if comment {
            comment = !line.ends_with("*/");
        } else if !line.is_empty() {
            if line.matches('`').count() % 2 != 0 {
                bail!("{GLUE} has a text of several lines, whose indentation counts");
            }
            rename_words(line, names, &mut out);
            out.push('\n');
        }
    }
    Ok(out)
}

fn rename_words(line: &str, names: &Names, out: &mut String) {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let mut rest = line;
    while let Some(begin) = rest.find(word) {
        let (before, from) = rest.split_at(begin);
        let (name, after) = from.split_at(from.find(|c| !word(c)).unwrap_or(from.len()));
        out.push_str(before);
        out.push_str(names.0.get(name).map_or(name, String::as_str));
        rest = after;
    }
    out.push_str(rest);
}

/// Reads a wasm file's parts.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, size: usize) -> Result<&'a [u8]> {
        let (part, rest) = self.0.split_at_checked(size).context("it ends early")?;
        self.0 = rest;
        Ok(part)
    }

    fn byte(&mut self) -> Result<u8> {
        self.take(1)?.first().copied().context("it ends early")
    }

    /// LEB128.
    fn number(&mut self) -> Result<usize> {
        let (mut number, mut shift) = (0_usize, 0);
        loop {
            let byte = self.byte()?;
            number |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
            shift += 7;
            if shift > 28 {
                bail!("a number is too long");
            }
        }
    }

    fn name(&mut self) -> Result<&'a str> {
        let size = self.number()?;
        Ok(std::str::from_utf8(self.take(size)?)?)
    }
}

fn put_number(out: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn put_name(out: &mut Vec<u8>, name: &str) {
    put_number(out, name.len());
    out.extend_from_slice(name.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_files_get_the_same_names_and_foreign_ones_stay() {
        // One import, `m.__wbg_f_1` of type 0, and one export, `memory`, of memory 0.
        let wasm = b"\0asm\x01\0\0\0\x02\x10\x01\x01m\x0a__wbg_f_1_\0\x00\x07\x0a\x01\x06memory\x02\0";
        let mut names = Names::default();
        let short = renamed(wasm, &mut names).unwrap();
        assert_eq!(short, b"\0asm\x01\0\0\0\x02\x08\x01\x01m\x02$0\0\x00\x07\x0a\x01\x06memory\x02\0");
        let script = "/**\n * Says.\n */\n    __wbg_f_1_: function() { wasm.memory; __wbg_f_1_2 },\n";
        assert_eq!(compact(script, &names).unwrap(), "$0: function() { wasm.memory; __wbg_f_1_2 },\n");
    }

    #[test]
    fn a_text_of_several_lines_is_refused() {
        assert!(compact("a = `x\n  y`;", &Names::default()).is_err());
    }
}
