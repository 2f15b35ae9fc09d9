//! Keeps the listings of the crates' public API in `api/`: whoever changes what others can use sees it in the diff.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use public_api::Builder;

use crate::wasm_toolchain::TARGET;
use crate::{process, refuse_arguments, workspace};

/// The library crates that others build on, with the arguments to document them as docs.rs does.
const CRATES: [(&str, &[&str]); 2] = [("pilothouse-core", &[]), ("pilothouse", &["--target", TARGET])];

/// `cargo xtask api`: writes the listings.
pub fn run(args: &[String]) -> Result<()> {
    refuse_arguments("api", args)?;
    fs::create_dir_all(workspace::root().join("api"))?;
    for (name, arguments) in CRATES {
        fs::write(file(name), listing(name, arguments)?)?;
        println!("{} is written", workspace::shown(&file(name)));
    }
    Ok(())
}

/// Fails where the API is not what the listings say. Only the compiler for which Pilothouse is made gives the same listings.
pub fn check() -> Result<()> {
    if !workspace::has_stated_rust()? {
        println!(
            "skipped: another compiler than Rust {} lists the API differently",
            workspace::stated_rust()?
        );
        return Ok(());
    }
    for (name, arguments) in CRATES {
        if listing(name, arguments)? != workspace::read(&file(name))? {
            bail!("the public API of {name} has changed; look at the diff after: cargo xtask api");
        }
    }
    Ok(())
}

fn file(name: &str) -> PathBuf {
    workspace::root().join("api").join(format!("{name}.txt"))
}

/// What `cargo public-api --simplified` prints: without what is derived or holds for every type.
fn listing(name: &str, arguments: &[&str]) -> Result<String> {
    // A folder of its own, because the permission below is noticed by build scripts.
    let target = workspace::target()?.join("api");
    let mut rustdoc = process::cargo();
    rustdoc.args(["rustdoc", "--quiet", "--lib", "--package", name]).args(arguments);
    rustdoc.arg("--target-dir").arg(&target).args(["--", "-Zunstable-options", "--output-format", "json"]);
    rustdoc.env("RUSTC_BOOTSTRAP", "1"); // rustdoc's JSON is not stable yet
    process::execute(&mut rustdoc)?;
    let made = if arguments.is_empty() { target.join("doc") } else { target.join(TARGET).join("doc") };
    let api = Builder::from_rustdoc_json(made.join(name.replace('-', "_") + ".json"))
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()
        .with_context(|| format!("the JSON of {name} can't be read"))?;
    // A message is public for our own crates, and every text would be a change of the API.
    let lines = format!("{api}");
    let lines = lines.lines().filter(|line| !line.contains("::i18n::words::"));
    Ok(lines.flat_map(|line| [line, "\n"]).collect())
}
