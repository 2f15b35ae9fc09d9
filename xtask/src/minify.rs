//! Minifies the page's HTML and the JavaScript of its start with Terser. The package's own modules, which hosts read, stay as
//! they are written.

use std::fs;
use std::path::Path;

use anyhow::Result;

use crate::bind::GLUE;
use crate::setup::node;
use crate::{process, split, workspace};

/// Modules, so that what is not exported may be renamed; a class tells its name in errors.
const ARGUMENTS: [&str; 5] = ["--module", "--compress", "passes=2", "--mangle", "--keep-classnames"];

/// The glue, the loader, and what the glue imports from `snippets`.
pub fn run(dist: &Path) -> Result<()> {
    for name in [GLUE, split::LOADER] {
        file(&dist.join(name))?;
    }
    let page = dist.join("index.html");
    fs::write(&page, short(&workspace::read(&page)?))?;
    folder(&dist.join("snippets"))
}

/// HTML without comments, of its styles as well, and without indentation.
fn short(page: &str) -> String {
    let page = without(&without(page, ("<!--", "-->")), ("/*", "*/"));
    let lines: Vec<&str> = page.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

fn without(text: &str, (begin, end): (&str, &str)) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once(begin) {
        out.push_str(before);
        rest = comment.split_once(end).map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out
}

fn folder(folder: &Path) -> Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            self::folder(&path)?;
        } else if path.extension().is_some_and(|kind| kind == "js") {
            file(&path)?;
        }
    }
    Ok(())
}

fn file(path: &Path) -> Result<()> {
    let mut terser = process::command("node");
    terser.arg(node::terser()).arg(path).args(ARGUMENTS).arg("--output").arg(path);
    terser.current_dir(workspace::root());
    process::run(&mut terser)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_indentation_go() {
        let page = "<style>\n  /* one\n two */\n  a { b: c }\n</style>\n<!-- x -->\n  <p>d\n";
        assert_eq!(short(page), "<style>\na { b: c }\n</style>\n<p>d");
    }
}
