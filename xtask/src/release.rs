//! Makes the files of a release from the commit that is checked out, so that two builds of it give the same bytes.
//! Nothing is published.

mod sbom;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};

use crate::setup::{self, musl_target};
use crate::steps::{self, step};
use crate::{book, build, packed, process, workspace};

/// The digests of all other files, as `sha256sum` writes and checks them.
const SUMS: &str = "SHA256SUMS";

/// Beside the command in its archive: what they are called there, and where they are here.
const EXTRA_FILES: [(&str, &str); 6] = [
    ("Containerfile", "gateway/Containerfile"),
    ("pilothouse.service", "gateway/pilothouse.service"),
    ("README.md", "gateway/README.md"),
    ("gateway.md", "docs/gateway.md"),
    ("LICENSE-APACHE", "LICENSE-APACHE"),
    ("LICENSE-MIT", "LICENSE-MIT"),
];

pub fn run(args: &[String]) -> Result<()> {
    match args {
        [] => release(&workspace::target()?.join("release-files")),
        [flag, folder] if flag == "--out" => release(&std::path::absolute(folder)?),
        [flag] if flag == "--check" => check(),
        _ => bail!("usage: cargo xtask release [--out DIR | --check]"),
    }
}

fn release(out: &Path) -> Result<()> {
    let version = workspace::locked_version("pilothouse")?.context("Cargo.lock does not name pilothouse")?;
    let time = git_time()?;
    if !process::read(process::command("git").args(["status", "--porcelain"]))?.is_empty() {
        eprintln!("This release has changes that are in no commit.");
    }
    if out.exists() {
        fs::remove_dir_all(out)?;
    }
    fs::create_dir_all(out)?;
    steps::run(setup::numbered_steps(setup::RELEASE))?;
    build::within_limit()?;
    book::build()?;
    let name = format!("pilothouse-{version}-{}", musl_target::TARGET);
    steps::run(vec![
        step("take the changelog's section", || {
            let changelog = workspace::read(&workspace::root().join("CHANGELOG.md"))?;
            let (title, text) =
                section(&changelog, &version).context("CHANGELOG.md has no section for it")?;
            fs::write(out.join("RELEASE-NOTES.md"), text)?;
            Ok(title.to_owned())
        }),
        step("pack the npm package", || npm(out).map(|()| String::new())),
        step("pack the crates", || crates(out)),
        step("compile the static command", || compile().map(|()| String::new())),
        step("pack the command", || {
            let archive = fs::File::create(out.join(format!("{name}.tar.gz")))?;
            archive_of(archive, &name, &command_files()?, time.seconds).map(|()| String::new())
        }),
        step("list the parts", || {
            fs::write(out.join(format!("pilothouse-{version}.cdx.json")), sbom::make(&version, &time.text)?)?;
            Ok(String::new())
        }),
        step("compute the checksums", || {
            fs::write(out.join(SUMS), checksums(out)?)?;
            Ok(String::new())
        }),
    ])?;
    print!("{}", fs::read_to_string(out.join(SUMS))?);
    println!("The files are in {}", workspace::relative_path(out));
    Ok(())
}

/// The time of the commit, which is that of all files in a release.
struct Time {
    seconds: u64,
    text: String,
}

fn git_time() -> Result<Time> {
    let mut git = process::command("git");
    git.args(["log", "-1", "--format=%ct %cd", "--date=format-local:%Y-%m-%dT%H:%M:%SZ"]).env("TZ", "UTC");
    let printed = process::read(&mut git)?;
    let (seconds, text) = printed.trim().split_once(' ').context("git log printed no time")?;
    Ok(Time { seconds: seconds.parse()?, text: text.to_owned() })
}

/// The title and the text of a version in the changelog. Before the section has the version's name it is the unreleased one.
fn section<'a>(changelog: &'a str, version: &str) -> Option<(&'a str, &'a str)> {
    let sections = || changelog.split("\n## ").skip(1).filter_map(|section| section.split_once('\n'));
    let of = |name: &str| {
        sections().find(|(title, _)| title.trim_start_matches('[').split([']', ' ']).next() == Some(name))
    };
    of(version).or_else(|| of("Unreleased")).map(|(title, text)| (title, text.trim_start()))
}

/// npm gives all files in a package the same time and owner.
fn npm(out: &Path) -> Result<()> {
    let mut pack = process::command("npm");
    pack.args(["pack", "--silent", "--ignore-scripts", "--pack-destination"]).arg(out);
    process::read(pack.current_dir(workspace::dist().join("pkg"))).map(drop)
}

/// Cargo gives the files in a crate the same time and owner, too.
fn crates(out: &Path) -> Result<String> {
    for file in packed::pack()? {
        fs::copy(&file, out.join(file.file_name().context("a crate without a name")?))
            .with_context(|| format!("cargo package made no {}", file.display()))?;
    }
    Ok(packed::CRATES.join(", "))
}

/// Compiles the command without the names of this machine's folders, and with Rust's own linker, so that no C compiler is needed.
fn compile() -> Result<()> {
    let mut flags = vec!["-Clinker=rust-lld".to_owned()];
    let cargo_home = process::cargo_home().context("there is no home folder")?;
    // The standard library's source is here as well, so the compiler names its files by their place on this machine.
    let sysroot = process::read(process::command("rustc").args(["--print", "sysroot"]))?;
    let folders = [
        (cargo_home.as_path(), "/cargo"),
        (workspace::root(), "/pilothouse"),
        (Path::new(sysroot.trim()), "/rust"),
    ];
    for (folder, name) in folders {
        flags.push(format!("--remap-path-prefix={}={name}", folder.display()));
    }
    let mut cargo = process::cargo();
    cargo.args(["build", "--quiet", "--locked", "--release", "--target", musl_target::TARGET]);
    cargo.args(["--package", "pilothouse-gateway", "--bin", "pilothouse"]);
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f")).env("CARGO_PROFILE_RELEASE_STRIP", "symbols");
    process::execute(&mut cargo)
}

/// Name in the archive, place on the disk.
fn command_files() -> Result<Vec<(&'static str, PathBuf)>> {
    let command = workspace::target()?.join(musl_target::TARGET).join("release/pilothouse");
    let beside = EXTRA_FILES.map(|(name, place)| (name, workspace::root().join(place)));
    Ok([("pilothouse", command)].into_iter().chain(beside).collect())
}

/// Writes a `.tar.gz` in which nothing tells when and by whom it was made. The first file is the program.
fn archive_of(to: impl std::io::Write, folder: &str, files: &[(&str, PathBuf)], time: u64) -> Result<()> {
    let mut tar = tar::Builder::new(GzBuilder::new().write(to, Compression::best()));
    for (number, (name, place)) in files.iter().enumerate() {
        let bytes =
            fs::read(place).with_context(|| format!("{} can't be read", workspace::relative_path(place)))?;
        let mut header = tar::Header::new_gnu();
        header.set_mode(if number == 0 { 0o755 } else { 0o644 });
        header.set_size(bytes.len() as u64);
        header.set_mtime(time);
        header.set_uid(0);
        header.set_gid(0);
        tar.append_data(&mut header, format!("{folder}/{name}"), bytes.as_slice())?;
    }
    tar.into_inner()?.finish()?;
    Ok(())
}

/// The digest and name of every file in a folder.
fn checksums(folder: &Path) -> Result<String> {
    let mut lines = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let digest = Sha256::digest(fs::read(entry.path())?);
        lines.push((entry.file_name(), hex(&digest)));
    }
    lines.sort();
    Ok(lines
        .iter()
        .fold(String::new(), |all, (name, digest)| all + &format!("{digest}  {}\n", name.display())))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |all, byte| all + &format!("{byte:02x}"))
}

/// Makes the release of the last commit twice, in two clean checkouts at different places, and compares the bytes.
fn check() -> Result<()> {
    let place = workspace::target()?.join("release-check");
    let mut sums = Vec::new();
    for name in ["one", "a/second/place"] {
        let (tree, out) = (place.join(name), place.join(name.replace('/', "-") + "-files"));
        remove_tree(&tree)?;
        let add = ["worktree", "add", "--quiet", "--force", "--detach"];
        process::run(process::command("git").args(add).arg(&tree).arg("HEAD"))?;
        let mut again = process::cargo();
        again.args(["xtask", "release", "--out"]).arg(&out).current_dir(&tree).env_remove("CARGO_TARGET_DIR");
        process::run(&mut again)?;
        remove_tree(&tree)?;
        sums.push(fs::read_to_string(out.join(SUMS))?);
    }
    let [one, other] = sums.as_slice() else { bail!("two builds are needed") };
    let differing: Vec<&str> = one.lines().filter(|line| !other.lines().any(|same| same == *line)).collect();
    if one != other {
        bail!(
            "two builds of one commit differ; compare the folders in {}\n{}",
            place.display(),
            differing.join("\n")
        );
    }
    println!("two builds of one commit gave the same bytes\n{one}");
    Ok(())
}

/// Takes a checkout away that an earlier run may have left.
fn remove_tree(tree: &Path) -> Result<()> {
    if tree.exists() {
        fs::remove_dir_all(tree)?;
    }
    process::run(process::command("git").args(["worktree", "prune"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notes_are_those_of_the_version_else_what_is_unreleased() {
        let log = "# Changelog\n\n## Unreleased\n\n- new\n\n## [1.1.0] - 2026-02-01\n\n- newer\n\n## 1.0.0\n\n- old\n";
        assert_eq!(section(log, "1.1.0"), Some(("[1.1.0] - 2026-02-01", "- newer\n")));
        assert_eq!(section(log, "1.0.0"), Some(("1.0.0", "- old\n")));
        assert_eq!(section(log, "1.0"), Some(("Unreleased", "- new\n")));
        assert_eq!(section("# Changelog\n", "1.0.0"), None);
    }

    #[test]
    fn an_archive_does_not_tell_when_its_files_were_made() {
        let folder = std::env::temp_dir().join(format!("pilothouse-release-{}", std::process::id()));
        let make = |seconds: u64| {
            fs::create_dir_all(&folder).unwrap();
            let file = folder.join("program");
            fs::write(&file, "text").unwrap();
            let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            fs::File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
            let mut archive = Vec::new();
            archive_of(&mut archive, "name-1.0", &[("program", file)], 1_000_000_000).unwrap();
            fs::remove_dir_all(&folder).unwrap();
            archive
        };
        assert_eq!(make(1), make(2_000_000_000));
        let archive = make(1);
        let mut tar = tar::Archive::new(flate2::read::GzDecoder::new(archive.as_slice()));
        let entry = tar.entries().unwrap().next().unwrap().unwrap();
        assert_eq!(entry.path().unwrap().to_str(), Some("name-1.0/program"));
        let header = entry.header();
        assert_eq!((header.mtime().unwrap(), header.mode().unwrap()), (1_000_000_000, 0o755));
        assert_eq!((header.uid().unwrap(), header.gid().unwrap()), (0, 0));
    }
}
