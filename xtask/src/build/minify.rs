//! Minifies the JavaScript of the page's start with Terser. The package's own modules, which hosts read, stay as
//! they are written.

use std::path::Path;

use anyhow::Result;

use crate::build::all_files;
use crate::build::bind::GLUE;
use crate::build::split;
use crate::setup::node;
use crate::{process, workspace};

/// Modules, so that what is not exported may be renamed; a class tells its name in errors.
const ARGUMENTS: [&str; 5] = ["--module", "--compress", "passes=2", "--mangle", "--keep-classnames"];

/// The glue, the loader, and what the glue imports from `snippets`.
pub fn run(dist: &Path) -> Result<()> {
    let mut files = vec![dist.join(GLUE), dist.join(split::LOADER)];
    let snippets = dist.join("snippets");
    if snippets.is_dir() {
        files.extend(all_files(&snippets)?);
    }
    files.retain(|file| file.extension().is_some_and(|kind| kind == "js"));
    process::for_each(&files, |file| {
        let mut terser = process::command("node");
        terser.arg(node::terser()).arg(file).args(ARGUMENTS).arg("--output").arg(file);
        terser.current_dir(workspace::root());
        process::run(&mut terser)
    })
}
