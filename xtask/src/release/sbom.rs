//! Lists what the released page and command are made of (an SBOM), in the `CycloneDX` format.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use crate::build::extras;
use crate::setup::musl_target;
use crate::{process, wasm_toolchain, workspace};

/// The roots: what is in the page, and what is in the command.
const ROOTS: [[&str; 6]; 2] = [
    ["--package", "pilothouse", "--features", "split", "--target", wasm_toolchain::TARGET],
    ["--package", "pilothouse-gateway", "--features", "", "--target", musl_target::TARGET],
];

/// Parts by their package URL, and which parts each of them needs.
#[derive(Default)]
struct Parts {
    components: BTreeMap<String, Value>,
    needs: BTreeMap<String, BTreeSet<String>>,
}

/// The list as JSON. `time` is that of the commit: two builds of one commit give the same bytes.
pub fn make(version: &str, time: &str) -> Result<String> {
    let mut parts = Parts::default();
    let checksums = checksums(&workspace::read(&workspace::root().join("Cargo.lock"))?);
    for root in ROOTS {
        let mut tree = process::cargo();
        tree.args(["tree", "--locked", "--edges", "normal,no-proc-macro", "--prefix", "depth"]);
        tree.args(["--format", "\t{p}\t{l}"]).args(root);
        parts.crates(&process::read(&mut tree)?, &checksums)?;
    }
    let lock: Value =
        serde_json::from_str(&workspace::read(&workspace::root().join("tools/package-lock.json"))?)?;
    for library in extras::libraries() {
        parts.library(library, &lock).with_context(|| format!("tools/package-lock.json lacks {library}"))?;
    }
    parts.rust(&process::read(process::command("rustc").arg("--version"))?)?;
    let document = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": time,
            "component": {
                "type": "application", "bom-ref": ROOT, "name": "pilothouse", "version": version,
                "licenses": [{ "expression": "MIT OR Apache-2.0" }],
            },
        },
        "components": parts.components.values().collect::<Vec<_>>(),
        "dependencies": parts.needs.iter().map(|(part, needs)| json!({ "ref": part, "dependsOn": needs }))
            .collect::<Vec<_>>(),
    });
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

/// The name of the product itself in the list.
const ROOT: &str = "pilothouse";

impl Parts {
    /// Reads what `cargo tree` prints: depth, name with version, licence. A crate that comes again is not expanded again.
    fn crates(&mut self, tree: &str, checksums: &BTreeMap<(String, String), String>) -> Result<()> {
        let mut above = vec![ROOT.to_owned()];
        for line in tree.lines() {
            let mut fields = line.split('\t');
            let mut field = || fields.next().with_context(|| format!("cargo tree printed `{line}`"));
            let (depth, package, licence) = (field()?.parse::<usize>()?, field()?, field()?);
            let (name, rest) = package.split_once(" v").context("no version")?;
            let version = rest.split(' ').next().unwrap_or(rest);
            let hash = checksums.get(&(name.to_owned(), version.to_owned()));
            let hash = hash.map(|hash| ("SHA-256", hash.clone()));
            let part = self.add("cargo", name, version, licence.trim_end_matches(" (*)"), hash);
            above.truncate(depth + 1);
            let user = above.last().context("no root")?.clone();
            self.needs.entry(user).or_default().insert(part.clone());
            above.push(part);
        }
        Ok(())
    }

    /// A library that the page carries as npm has it.
    fn library(&mut self, name: &str, lock: &Value) -> Option<()> {
        let package = lock.get("packages")?.get(format!("node_modules/{name}"))?;
        let text = |field: &str| package.get(field).and_then(Value::as_str);
        let hash = BASE64_STANDARD.decode(text("integrity")?.strip_prefix("sha512-")?).ok()?;
        let hash = Some(("SHA-512", super::hex(&hash)));
        let part = self.add("npm", &name.replace('@', "%40"), text("version")?, text("license")?, hash);
        self.needs.entry(ROOT.to_owned()).or_default().insert(part);
        Some(())
    }

    /// The standard library, and in the command the C library that comes with it.
    fn rust(&mut self, version: &str) -> Result<()> {
        let version = version.split(' ').nth(1).context("rustc has no version")?;
        let part = self.add("generic", "rust", version, "MIT OR Apache-2.0", None);
        self.needs.entry(ROOT.to_owned()).or_default().insert(part);
        Ok(())
    }

    /// Returns its package URL.
    fn add(
        &mut self,
        kind: &str,
        name: &str,
        version: &str,
        licence: &str,
        hash: Option<(&str, String)>,
    ) -> String {
        let url = format!("pkg:{kind}/{name}@{version}");
        let mut part = json!({
            "type": "library", "bom-ref": url, "name": name.replace("%40", "@"), "version": version, "purl": url,
            // Before SPDX had expressions, crates wrote a slash.
            "licenses": [{ "expression": licence.replace('/', " OR ") }],
        });
        if let (Some((alg, content)), Some(part)) = (hash, part.as_object_mut()) {
            part.insert("hashes".to_owned(), json!([{ "alg": alg, "content": content }]));
        }
        self.components.insert(url.clone(), part);
        self.needs.entry(url.clone()).or_default();
        url
    }
}

/// The checksum of each crate in `Cargo.lock`, by name and version.
fn checksums(lock: &str) -> BTreeMap<(String, String), String> {
    let entry = |package: &str| {
        let field = |name: &str| {
            let line = package.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "))?;
            Some(line.trim_matches('"').to_owned())
        };
        Some(((field("name")?, field("version")?), field("checksum")?))
    };
    lock.split("[[package]]").filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_crates_with_their_checksums_libraries_of_npm_and_who_needs_whom() {
        let list = make("1.2.3", "2026-01-01T00:00:00Z").unwrap();
        assert_eq!(list, make("1.2.3", "2026-01-01T00:00:00Z").unwrap());
        let list: Value = serde_json::from_str(&list).unwrap();
        let named = |name: &str| {
            let all = list["components"].as_array().unwrap();
            all.iter()
                .find(|part| part["name"] == name)
                .unwrap_or_else(|| panic!("{name} is missing"))
                .clone()
        };
        for (name, algorithm, digits) in
            [("leptos", "SHA-256", 64), ("axum", "SHA-256", 64), ("@mermaid-js/tiny", "SHA-512", 128)]
        {
            let part = named(name);
            assert_eq!(part["hashes"][0]["alg"], algorithm, "{name}");
            assert_eq!(part["hashes"][0]["content"].as_str().map(str::len), Some(digits), "{name}");
        }
        named("rust");
        let needs = list["dependencies"].as_array().unwrap();
        let core =
            needs.iter().find(|part| part["ref"].as_str().unwrap().starts_with("pkg:cargo/pilothouse-core@"));
        assert!(core.unwrap()["dependsOn"].to_string().contains("pkg:cargo/vte@"));
    }
}
