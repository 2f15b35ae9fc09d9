//! Builds the book: the pages in `docs/` as a site in `dist/docs/`, which the gateway serves at `/docs/`.

use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Result, bail};

use crate::build::{all_files, compress};
use crate::setup::{self, mdbook};
use crate::{catalogue, process, refuse_arguments, workspace};

/// The pages in a folder of their own, which no page of the book shows.
const UNUSED: &str = "gallery";
/// Played by the elements on the pages: the first turn of the session that the gateway brings.
const RECORDING: &str = "gateway/demo/fix-failing-test.jsonl";
/// Types of events that make the recording long and show nothing on these pages.
const LEFT_OUT: [&str; 3] =
    [r#""type":"model."#, r#""type":"assistant.streaming_delta""#, r#""type":"assistant.tool_call_delta""#];

/// `cargo xtask docs [--serve]`: writes docs/events.md, then builds the book.
pub fn run(args: &[String]) -> Result<()> {
    let serve = args.first().is_some_and(|flag| flag == "--serve");
    refuse_arguments("docs", args.get(usize::from(serve)..).unwrap_or_default())?;
    catalogue::page()?;
    build()?;
    if !workspace::dist().join("pkg/index.js").is_file() {
        println!("the elements on its pages need the page: cargo xtask build, and then this again");
    }
    if serve {
        println!("the book is below /docs/ at the address that follows");
        let serve =
            ["run", "--quiet", "--package", "pilothouse-gateway", "--", "serve", "--listen", "127.0.0.1:0"];
        process::execute(process::cargo().args(serve))?;
    }
    Ok(())
}

/// Builds the book, set-up included. Fails if a page or a link leads to nothing.
pub fn build() -> Result<()> {
    setup::ensure(&[&mdbook::STEP])?;
    let (docs, book) = (workspace::root().join("docs"), workspace::dist().join("docs"));
    if book.exists() {
        fs::remove_dir_all(&book)?;
    }
    process::run(process::command("mdbook").args(["build", "docs"]))?;
    prune(&docs, &book)?;
    let recording = workspace::read(&workspace::root().join(RECORDING))?;
    fs::create_dir_all(book.join("recordings"))?;
    fs::write(book.join("recordings/fix-failing-test.jsonl"), first_turn(&recording))?;
    let mut broken = Vec::new();
    for path in all_files(&book)?.iter().filter(|path| is_page(path)) {
        let name = path.strip_prefix(&book)?;
        let page = finished(&workspace::read(path)?, name, |target| book.join(target).exists(), &mut broken);
        fs::write(path, page)?;
    }
    if !broken.is_empty() {
        bail!("links of the book lead to nothing:\n{}", broken.join("\n"));
    }
    compress::run(&book)?;
    let sizes =
        all_files(&book)?.iter().map(|path| Ok(fs::metadata(path)?.len())).collect::<Result<Vec<_>>>()?;
    println!(
        "{}: {} files, {} kB",
        workspace::relative_path(&book),
        sizes.len(),
        sizes.iter().sum::<u64>() / 1000
    );
    Ok(())
}

fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|kind| kind == "html")
}

/// Leaves the pages, and what is in `docs/` for them. Our template uses none of mdBook's own scripts, styles and fonts.
fn prune(docs: &Path, book: &Path) -> Result<()> {
    for path in all_files(book)? {
        let name = path.strip_prefix(book)?;
        let ours = docs.join(name).is_file()
            && !name.starts_with(UNUSED)
            && !name.extension().is_some_and(|kind| kind == "toml" || kind == "hbs");
        let page = is_page(&path) && docs.join(name.with_extension("md")).is_file();
        if !ours && !page && name != Path::new("index.html") {
            fs::remove_file(&path)?;
            // Only empty folders can be removed so.
            let _ = path.parent().map(fs::remove_dir);
        }
    }
    Ok(())
}

/// The lines up to the first time that the session rests.
fn first_turn(recording: &str) -> String {
    let end = recording.find(r#""type":"session.idle""#).unwrap_or(recording.len());
    let end =
        recording.get(end..).and_then(|rest| rest.find('\n')).map_or(recording.len(), |line| end + line + 1);
    let lines = recording.get(..end).unwrap_or(recording).lines();
    let lines = lines.filter(|line| !LEFT_OUT.iter().any(|kind| line.contains(kind)));
    lines.fold(String::new(), |text, line| text + line + "\n")
}

/// Where the list of pages begins in our template. It is the last part of a page.
const CONTENTS: &str = "<nav id=\"contents\"";

/// A page with its own entry in the list of pages marked, and without links to files outside of `docs/`, which the site does not
/// have. Links to what is not there are added to `broken`. mdBook writes the list as for a page in the root folder.
fn finished(page: &str, name: &Path, exists: impl Fn(&Path) -> bool, broken: &mut Vec<String>) -> String {
    let (text, contents) = page.split_at(page.find(CONTENTS).unwrap_or(page.len()));
    let folder = name.parent().unwrap_or(name);
    let to_root = "../".repeat(folder.components().count());
    let mut text = linked(text, name, folder, "", &exists, broken);
    // The gateway's policy refuses styles in attributes. Wide code scrolls, also by keyboard.
    for (theirs, ours) in [
        (" style=\"text-align: right\"", " class=\"right\""),
        (" style=\"text-align: center\"", " class=\"center\""),
        (" style=\"text-align: left\"", ""),
        ("<pre>", "<pre tabindex=\"0\">"),
    ] {
        text = text.replace(theirs, ours);
    }
    text + &linked(contents, name, Path::new(""), &to_root, &exists, broken)
}

/// The same for a part of a page, with links that are relative to a folder and get this in front.
fn linked(
    page: &str,
    name: &Path,
    folder: &Path,
    prefix: &str,
    exists: &impl Fn(&Path) -> bool,
    broken: &mut Vec<String>,
) -> String {
    let mut out = String::with_capacity(page.len());
    let mut rest = page;
    while let Some((before, after)) = rest.split_once("<a href=\"") {
        out.push_str(before);
        let Some((target, inside)) = after.split_once('"') else {
            break;
        };
        let path = target.split(['#', '?']).next().unwrap_or_default();
        let foreign = path.is_empty() || path.contains(':') || path.starts_with('/');
        let full = resolve(folder, Path::new(path));
        rest = inside;
        if let (Some((_, words)), None, false) = (inside.split_once('>'), &full, foreign) {
            // To a file outside of the book: only the words stay.
            let (words, after) = words.split_once("</a>").unwrap_or((words, ""));
            out.push_str(words);
            rest = after;
            continue;
        }
        let full = full.unwrap_or_default();
        if !foreign && !exists(&full) {
            broken.push(format!("{}: {target}", name.display()));
        }
        let here = !foreign && target == path && full == name;
        out.push_str(if here { "<a aria-current=\"page\" href=\"" } else { "<a href=\"" });
        out.push_str(if foreign { "" } else { prefix });
        out.push_str(target);
        out.push('"');
    }
    out + rest
}

/// A relative path from a folder of the book; none if it leads out of it.
fn resolve(folder: &Path, path: &Path) -> Option<PathBuf> {
    let mut full = folder.to_path_buf();
    for part in path.components() {
        match part {
            Component::Normal(part) => full.push(part),
            Component::ParentDir => full.pop().then_some(())?,
            _ => {}
        }
    }
    Some(full)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finish(page: &str) -> (String, Vec<String>) {
        let mut broken = Vec::new();
        let exists = |path: &Path| ["a.html", "design/b.html"].iter().any(|name| path == Path::new(name));
        let page = finished(page, Path::new("design/b.html"), exists, &mut broken);
        (page, broken)
    }

    #[test]
    fn the_page_itself_is_marked_in_the_list_of_pages() {
        let list = r#"<nav id="contents"><a href="a.html">A</a><a href="design/b.html">B</a>"#;
        let (page, broken) = finish(&format!(r#"<a href="../a.html">A</a>{list}"#));
        let list = r#"<nav id="contents"><a href="../a.html">A</a><a aria-current="page" href="../design/b.html">B</a>"#;
        assert_eq!(page, format!(r#"<a href="../a.html">A</a>{list}"#));
        assert!(broken.is_empty());
    }

    #[test]
    fn of_links_out_of_the_book_the_words_stay_and_links_to_nothing_are_named() {
        let (page, broken) = finish(
            r##"<a href="../../examples/">the <b>examples</b></a>, <a href="#x">x</a>, <a href="https://example.com/">y</a>"##,
        );
        assert_eq!(
            page,
            r##"the <b>examples</b>, <a href="#x">x</a>, <a href="https://example.com/">y</a>"##
        );
        assert!(broken.is_empty());
        assert_eq!(finish(r#"<a href="../c.html#d">C</a>"#).1, ["design/b.html: ../c.html#d"]);
    }

    #[test]
    fn the_recording_is_the_first_turn() {
        let line = |kind: &str| format!("{{\"type\":\"{kind}\"}}\n");
        let text = ["user.message", "model.turn", "session.idle", "user.message"].map(line).concat();
        assert_eq!(first_turn(&text), ["user.message", "session.idle"].map(line).concat());
    }
}
