//! Replaces the tables between the marks of docs/performance.md. Everything else on that page is written by
//! hand and stays as it is.

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value};

use crate::workspace;

const END: &str = "<!-- /bench -->";

/// Reads the names and tables that the benchmarks of the page left.
pub fn read(file: &Path) -> Result<Vec<(String, String)>> {
    let tables: Map<String, Value> = serde_json::from_str(&workspace::read(file)?)?;
    let text = |table: Value| table.as_str().map(ToOwned::to_owned).context("a table is not text");
    tables.into_iter().map(|(name, table)| Ok((name, text(table)?))).collect()
}

/// The page with the text between `<!-- bench:NAME -->` and `<!-- /bench -->` replaced, for each of the
/// tables.
pub fn replace_tables(page: &str, tables: &[(String, String)]) -> Result<String> {
    let mut page = page.to_owned();
    for (name, table) in tables {
        let mark = format!("<!-- bench:{name} -->");
        let start = page.find(&mark).with_context(|| format!("the page has no {mark}"))? + mark.len();
        let rest = page.get(start..).unwrap_or_default();
        let length = rest.find(END).with_context(|| format!("nothing ends {mark}"))?;
        if rest.get(..length).is_some_and(|between| between.contains("<!-- bench:")) {
            bail!("another table begins before {mark} ends");
        }
        page.replace_range(start..start + length, &format!("\n\n{}\n\n", table.trim()));
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Figures\n\nBy hand.\n\n<!-- bench:one -->\n\n| old |\n\n<!-- /bench -->\n\nMore.\n\n\
                        <!-- bench:two -->\n<!-- /bench -->\nLast.\n";

    fn tables(names: &[(&str, &str)]) -> Vec<(String, String)> {
        names.iter().map(|(name, table)| ((*name).to_owned(), (*table).to_owned())).collect()
    }

    #[test]
    fn a_table_takes_the_place_of_the_old_one_and_the_prose_stays() {
        let filled = replace_tables(PAGE, &tables(&[("one", "| new |"), ("two", "| 2 |\n")])).unwrap();
        assert_eq!(
            filled,
            "# Figures\n\nBy hand.\n\n<!-- bench:one -->\n\n| new |\n\n<!-- /bench -->\n\nMore.\n\n\
             <!-- bench:two -->\n\n| 2 |\n\n<!-- /bench -->\nLast.\n"
        );
        assert_eq!(replace_tables(&filled, &tables(&[("one", "| new |")])).unwrap(), filled);
        assert_eq!(replace_tables(PAGE, &[]).unwrap(), PAGE);
    }

    #[test]
    fn a_table_without_a_place_is_an_error() {
        assert!(replace_tables(PAGE, &tables(&[("three", "| 3 |")])).is_err());
        let open = "<!-- bench:one -->\n<!-- bench:two -->\n<!-- /bench -->\n";
        assert!(replace_tables(open, &tables(&[("one", "| 1 |")])).is_err());
        assert!(replace_tables("<!-- bench:one -->\n", &tables(&[("one", "| 1 |")])).is_err());
    }

    #[test]
    fn the_page_has_a_place_for_every_table() {
        let page = workspace::read(&workspace::root().join("docs/performance.md")).unwrap();
        let names = [
            "machine", "goals", "core", "growth", "reduce", "kept", "stream", "paced", "resume", "flood",
            "size", "load", "fanout",
        ];
        let all = names.map(|name| (name.to_owned(), format!("| table of {name} |")));
        let filled = replace_tables(&page, &all).unwrap();
        assert!(all.iter().all(|(_, table)| filled.contains(table)));
    }
}
