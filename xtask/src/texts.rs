//! Owns putting the little program that writes JavaScript's texts into the package's entry. Refuses to change anything else
//! there: hosts read it.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::workspace;

const SOURCE: &str = "texts.wat";
const ENTRY: &str = "index.js";
/// What stands there instead; without the program the entry takes a slower way.
const PLACE: &str = "const TEXTS = [];";

/// Assembles it from the package's source, which hosts have no use for.
pub fn run(package: &Path) -> Result<()> {
    let (source, entry) = (package.join(SOURCE), package.join(ENTRY));
    let program = wat::parse_file(&source).with_context(|| format!("www/{SOURCE} is no program"))?;
    let text = workspace::read(&entry)?;
    fs::write(&entry, with(&text, &program)?)?;
    Ok(fs::remove_file(source)?)
}

fn with(entry: &str, program: &[u8]) -> Result<String> {
    if entry.matches(PLACE).count() != 1 {
        bail!("www/{ENTRY} has no `{PLACE}`, or several");
    }
    let bytes: Vec<String> = program.iter().map(ToString::to_string).collect();
    Ok(entry.replace(PLACE, &PLACE.replace("[]", &format!("[{}]", bytes.join(",")))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entry_has_the_program_in_its_place_and_nothing_else_is_changed() {
        let entry = format!("one;\n{PLACE}\ntwo;\n");
        assert_eq!(with(&entry, &[0, 97, 255]).unwrap(), "one;\nconst TEXTS = [0,97,255];\ntwo;\n");
        assert!(with("one;", &[]).is_err() && with(&entry.repeat(2), &[]).is_err());
    }
}
