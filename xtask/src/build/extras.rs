//! Makes `dist/extras/`: our own scripts for colours, formulas and diagrams, and the libraries that they use,
//! as their authors built them. An extra whose library npm has not installed is left out, and the page does
//! not ask for it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::build::copy_folder;
use crate::build::size;
use crate::setup::node;
use crate::workspace;

/// The folder's name, in `dist/` and in `dist/pkg/` alike.
pub const FOLDER: &str = "extras";

/// Makes the folder anew.
pub fn build(dist: &Path) -> Result<()> {
    let extras = dist.join(FOLDER);
    if extras.exists() {
        fs::remove_dir_all(&extras)?;
    }
    copy_folder(&workspace::root().join("www").join(FOLDER), &extras)?;
    // It is in the module that `mermaid` makes.
    fs::remove_file(extras.join("diagram-frame.js"))?;
    let libraries = node::libraries();
    let vendor = extras.join("vendor");
    let mut present = Vec::new();
    for (name, library, bring) in LIBRARIES {
        let from = libraries.join(library);
        if from.is_dir() {
            bring(&from, &vendor).with_context(|| format!("{library} is not as expected"))?;
            present.push(format!("{name:?}"));
        }
    }
    let list = format!(
        "// Made by `cargo xtask build`: the extras whose libraries were there.\nexport const present = [{}];\n",
        present.join(", ")
    );
    fs::write(extras.join("present.js"), list)?;
    Ok(())
}

/// Prints the sizes of the largest files of each extra.
pub fn print_sizes(dist: &Path) -> Result<()> {
    let vendor = dist.join(FOLDER).join("vendor");
    for file in
        ["highlight/core.min.js", "highlight/languages/rust.min.js", "temml/temml.js", "mermaid/mermaid.js"]
    {
        let file = vendor.join(file);
        if file.is_file() {
            println!("extra, {}: {}", workspace::relative_path(&file), size::measure(&file)?);
        }
    }
    Ok(())
}

/// The npm packages that are in the page.
pub fn libraries() -> impl Iterator<Item = &'static str> {
    LIBRARIES.iter().map(|(_, library, _)| *library)
}

type BuildExtra = fn(&Path, &Path) -> Result<()>;

/// Each extra, its library, and the function that copies what is needed of the library.
const LIBRARIES: [(&str, &str, BuildExtra); 3] = [
    ("colours", "@highlightjs/cdn-assets", highlight),
    ("maths", "temml", temml),
    ("diagrams", "@mermaid-js/tiny", mermaid),
];

fn highlight(from: &Path, vendor: &Path) -> Result<()> {
    let to = vendor.join("highlight");
    copy(&from.join("es/core.min.js"), &to.join("core.min.js"))?;
    copy(&from.join("LICENSE"), &to.join("LICENSE"))?;
    let names = workspace::read(&workspace::root().join("www/extras/languages.js"))?;
    let mut imports = String::new();
    for grammar in grammars(&names) {
        let file = format!("languages/{grammar}.min.js");
        copy(&from.join("es").join(&file), &to.join(&file))?;
        // Writing into a String can't fail.
        let _ = writeln!(imports, "  {grammar}: () => import(\"./{file}\"),");
    }
    Ok(fs::write(to.join("grammars.js"), format!("export const grammars = {{\n{imports}}};\n"))?)
}

/// The grammars: the first word of each line of the list in `www/extras/languages.js`.
fn grammars(source: &str) -> Vec<&str> {
    let list = source.split('`').find(|part| part.contains("\nrust "));
    let lines = list.unwrap_or_default().lines();
    lines.filter_map(|line| line.split_whitespace().next()).collect()
}

/// Temml is built as a script, and the page needs a module. Its style sheet is a text in that module.
fn temml(from: &Path, vendor: &Path) -> Result<()> {
    let to = vendor.join("temml");
    copy(&from.join("LICENSE"), &to.join("LICENSE"))?;
    let script = workspace::read(&from.join("dist/temml.min.js"))?;
    // A style sheet in a shadow root can't load a font; the browser's own fonts have the letters.
    let rules = workspace::read(&from.join("dist/Temml-Local.css"))?;
    let font = rules.find("@font-face").and_then(|at| Some(at..at + rules.get(at..)?.find('}')? + 1));
    let mut rules = rules;
    if let Some(font) = font {
        rules.replace_range(font, "");
    }
    let rules = serde_json::to_string(&rules)?;
    let module = format!("{script}\nexport default temml;\nexport const rules = {rules};\n");
    Ok(fs::write(to.join("temml.js"), module)?)
}

/// A module with the texts of the scripts for the frame in which diagrams are drawn.
fn mermaid(from: &Path, vendor: &Path) -> Result<()> {
    let to = vendor.join("mermaid");
    copy(&from.join("LICENSE"), &to.join("LICENSE"))?;
    let library = workspace::read(&from.join("dist/mermaid.tiny.js"))?;
    let frame = workspace::read(&workspace::root().join("www/extras/diagram-frame.js"))?;
    let scripts = serde_json::to_string(&[library, frame])?;
    Ok(fs::write(to.join("mermaid.js"), format!("export const scripts = {scripts};\n"))?)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::copy(from, to).with_context(|| format!("{} is missing", workspace::relative_path(from)))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammars_are_those_that_the_page_asks_for() {
        let source = fs::read_to_string(workspace::root().join("www/extras/languages.js")).unwrap();
        let grammars = grammars(&source);
        let common = "bash c cpp csharp css diff dockerfile go ini java javascript \
            json kotlin markdown php python ruby rust sql swift typescript xml yaml";
        for language in common.split(' ') {
            assert!(grammars.contains(&language), "{language}");
        }
        assert!(grammars.iter().all(|name| name.chars().all(|c| c.is_ascii_lowercase())), "{grammars:?}");
    }
}
