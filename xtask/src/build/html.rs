//! Makes the page's HTML: `index.html` with the start of the program where Trunk's link stands.

use std::fs;
use std::path::Path;

use anyhow::{Result, bail};

use crate::build::bind::{GLUE, WASM};
use crate::build::split;
use crate::workspace;

/// How the link begins that names the program. `trunk serve` reads it as well.
const LINK: &str = "<link data-trunk rel=\"rust\"";

/// Writes `index.html` into `dist`. What the glue imports is fetched along with it.
pub fn run(dist: &Path) -> Result<()> {
    let source = workspace::read(&workspace::root().join("index.html"))?;
    let loader = dist.join(split::LOADER).is_file();
    fs::write(dist.join("index.html"), started(&source, loader)?)?;
    Ok(())
}

fn started(source: &str, loader: bool) -> Result<String> {
    let Some((before, (_, after))) =
        source.split_once(LINK).and_then(|(before, rest)| Some((before, rest.split_once('>')?)))
    else {
        bail!("index.html has no `{LINK} …>`");
    };
    let preload = |name: &str| format!("<link rel=\"modulepreload\" href=\"/{name}\">\n");
    let loader = if loader { preload(split::LOADER) } else { String::new() };
    Ok(format!(
        "{before}{}{loader}\
         <link rel=\"preload\" href=\"/{WASM}\" as=\"fetch\" type=\"application/wasm\" crossorigin>\n\
         <script type=\"module\">\nimport start from \"/{GLUE}\";\nawait start({{ module_or_path: \"/{WASM}\" }});\n</script>\
         {after}",
        preload(GLUE)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_starts_where_trunk_s_link_stood() {
        let source = "<head>\n<link data-trunk rel=\"rust\" data-bin=\"page\">\n</head>";
        let page = started(source, true).unwrap();
        assert!(page.contains("<link rel=\"modulepreload\" href=\"/page.js\">"), "{page}");
        assert!(page.contains("<link rel=\"modulepreload\" href=\"/__wasm_split.js\">"), "{page}");
        assert!(page.contains("await start({ module_or_path: \"/page_bg.wasm\" });"), "{page}");
        assert!(page.ends_with("</script>\n</head>") && !page.contains("data-trunk"), "{page}");
        assert!(!started(source, false).unwrap().contains("split"));
        assert!(started("<head></head>", true).is_err());
    }

    #[test]
    fn the_repository_s_page_has_the_link() {
        let source = workspace::read(&workspace::root().join("index.html")).unwrap();
        assert!(started(&source, true).is_ok());
    }
}
