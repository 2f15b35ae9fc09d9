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

/// Classes of wasm-streams, as the glue and as the wasm have them. Nothing here makes any.
const UNUSED: (&str, [&str; 2]) = ("IntoUnderlying", ["intounderlying", "__wbg_intounderlying"]);

/// A section's number in a wasm file.
const IMPORTS: u8 = 2;
const EXPORTS: u8 = 7;

/// Shortens the names in both files, and takes comments and indentation out of the glue.
pub fn shorten(dist: &Path) -> Result<()> {
    let (wasm, glue) = (dist.join(WASM), dist.join(GLUE));
    let bytes = fs::read(&wasm)?;
    let mut names = Names::default();
    let bytes = renamed(&bytes, &mut names).with_context(|| format!("{WASM} can't be read"))?;
    let script = compact(&used(&workspace::read(&glue)?)?, &names)?;
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
    let mut left = 0;
    for _ in 0..from.number()? {
        let name = from.name()?;
        let (kind, index) = (from.byte()?, from.number()?);
        if UNUSED.1.iter().any(|start| name.starts_with(start)) {
            continue;
        }
        put_name(&mut out, &names.short(name));
        out.push(kind);
        put_number(&mut out, index);
        left += 1;
    }
    let mut section = Vec::new();
    put_number(&mut section, left);
    section.extend(out);
    Ok(section)
}

/// The glue without the classes that nothing makes.
fn used(script: &str) -> Result<String> {
    let (class, _) = UNUSED;
    let mut out = String::with_capacity(script.len());
    let (begins, held) = (format!("export class {class}"), format!("const {class}"));
    // How the last line begins and ends of what is left out.
    let mut until = None;
    for line in script.lines() {
        if let Some((begin, end)) = until {
            if line.starts_with(begin) && line.ends_with(end) {
                until = None;
            }
        } else if line.starts_with(&begins) {
            until = Some(("}", "}"));
        } else if line.starts_with(&held) {
            until = Some(("", ";"));
        } else if !line.starts_with(&format!("if (Symbol.dispose) {class}")) {
            out.push_str(line);
            out.push('\n');
        }
    }
    if out.contains(class) {
        bail!("{GLUE} makes a {class}…, which is left out");
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
    fn classes_that_nothing_makes_are_left_out() {
        let unused = "export class IntoUnderlyingSink {\n    free() {\n    }\n}\n\
            if (Symbol.dispose) IntoUnderlyingSink.prototype[Symbol.dispose] = IntoUnderlyingSink.prototype.free;\n\
            const IntoUnderlyingSinkFinalization = (typeof FinalizationRegistry === 'undefined')\n    ? {}\n    : new R(1);\n";
        assert_eq!(used(&format!("a;\n{unused}b;\n")).unwrap(), "a;\nb;\n");
        assert!(used(&format!("{unused}IntoUnderlyingSink.__wrap(1);")).is_err());
        // Exports of function 0: `a`, `intounderlyingsink_free`.
        let wasm = b"\0asm\x01\0\0\0\x07\x1f\x02\x01a\0\0\x17intounderlyingsink_free\0\0";
        let left = renamed(wasm, &mut Names::default()).unwrap();
        assert_eq!(left, b"\0asm\x01\0\0\0\x07\x05\x01\x01a\0\0");
    }

    #[test]
    fn a_text_of_several_lines_is_refused() {
        assert!(compact("a = `x\n  y`;", &Names::default()).is_err());
    }
}
