//! Minifies the JavaScript of the page's start with Terser. The package's own modules, which hosts read, stay as
//! they are written.

use std::fs;
use std::path::Path;

use anyhow::Result;

use crate::build::bind::GLUE;
use crate::build::split;
use crate::setup::node;
use crate::{process, workspace};

/// Modules, so that what is not exported may be renamed; a class tells its name in errors.
const ARGUMENTS: [&str; 5] = ["--module", "--compress", "passes=2", "--mangle", "--keep-classnames"];

/// The glue, the loader, and what the glue imports from `snippets`.
pub fn run(dist: &Path) -> Result<()> {
    for name in [GLUE, split::LOADER] {
        file(&dist.join(name))?;
    }
    folder(&dist.join("snippets"))
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
