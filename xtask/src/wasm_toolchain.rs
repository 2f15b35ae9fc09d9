//! Finds the compiler that makes wasm. There are two: the usual one with the wasm32 target installed, and
//! Debian's, which has no such target and builds the standard library itself. Callers ask for a command and
//! get one that works with either.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process;
use crate::workspace;

/// The only target besides the native one.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// Debian's packages: a compiler that is new enough, and what it needs to build its own `std`.
pub const DEBIAN_PACKAGES: [&str; 5] = ["rustc-web", "cargo-web", "rust-web-src", "rust-web-llvm", "lld-22"];

/// Below the compiler's sysroot.
const STD_SOURCE: &str = "lib/rustlib/src/rust/library/std/Cargo.toml";

/// Flags for a small page. A panic stops at once, without a place and a message that would have to be
/// downloaded. Vectors find the ends of strings and lines in bytes; every browser that knows the colours of
/// our styles (`light-dark()`) has had them for years.
const SMALL: [&str; 4] =
    ["-Zunstable-options", "-Cpanic=immediate-abort", "-Zlocation-detail=none", "-Ctarget-feature=+simd128"];

/// The environment variable that selects Debian's compiler (`debian`) even where the usual one is there.
const OVERRIDE: &str = "PILOTHOUSE_WASM_TOOLCHAIN";

/// A compiler that can make wasm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WasmToolchain {
    /// The compiler that built this program, with the target's standard library installed beside it.
    Installed,
    /// `/usr/bin/rustc`, which builds the standard library from its own sources.
    Debian,
}

/// What a build is for: a test build needs more of the standard library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The page, built quickly.
    Page,
    /// The page as people get it: the standard library is built with it, for size and without the messages of
    /// panics, because the page has no panics of its own. Needs the library's source.
    SmallPage,
    /// The tests that run in a browser.
    Tests,
}

impl WasmToolchain {
    /// The toolchain to use, if there is one.
    pub fn find() -> Option<Self> {
        let debian = debian_is_complete().then_some(Self::Debian);
        if env::var_os(OVERRIDE).is_some_and(|wanted| wanted == "debian") {
            return debian;
        }
        if target_is_installed(TARGET) { Some(Self::Installed) } else { debian }
    }

    /// Same as [`Self::find`], but an error if there is none; for callers that run after the set-up.
    pub fn get() -> Result<Self> {
        match Self::find() {
            Some(found) => Ok(found),
            None => bail!("no compiler here makes wasm; try: rustup target add {TARGET}"),
        }
    }

    /// A command in whose environment `cargo` and `rustc` make wasm.
    pub fn command(self, program: &str, purpose: Purpose) -> Result<Command> {
        let mut command = process::command(program);
        match self {
            Self::Installed => {}
            Self::Debian => debian_environment(&mut command, purpose)?,
        }
        if purpose == Purpose::SmallPage {
            command
                .env("RUSTC_BOOTSTRAP", "1") // Cargo's build-std is not stable yet
                .env("CARGO_UNSTABLE_BUILD_STD", "std,panic_abort")
                .env("CARGO_UNSTABLE_BUILD_STD_FEATURES", "optimize_for_size")
                .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", SMALL.join(" "));
        }
        Ok(command)
    }

    /// Whether it can build its own standard library.
    pub fn has_std_source(self) -> bool {
        match self {
            Self::Installed => {
                let sysroot = process::read(process::command("rustc").args(["--print", "sysroot"]));
                sysroot.is_ok_and(|root| Path::new(root.trim()).join(STD_SOURCE).is_file())
            }
            Self::Debian => true,
        }
    }

    /// The target folder for its builds.
    pub fn target(self) -> Result<PathBuf> {
        match self {
            Self::Installed => workspace::target(),
            Self::Debian => debian_target(),
        }
    }

    /// Fetches every source that an offline build will ask for.
    pub fn fetch(self, purpose: Purpose) -> Result<()> {
        // Cargo fetches the standard library's dependencies for one target, and ours for all targets.
        for target in [&[][..], &["--target", TARGET]] {
            let mut fetch = self.command("cargo", purpose)?;
            fetch.args(["fetch", "--quiet"]).args(target);
            process::read(&mut fetch).context("the dependencies could not be fetched; try: cargo fetch")?;
        }
        Ok(())
    }

    /// Describes it for people, in one line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Installed => "the target is installed",
            Self::Debian => "Debian's compiler, which builds std itself",
        }
    }
}

/// Whether the target's library folder exists. It does not where there is no `rustc`.
pub fn target_is_installed(target: &str) -> bool {
    let mut ask = process::command("rustc");
    ask.args(["--print", "target-libdir", "--target", target]);
    process::read(&mut ask).is_ok_and(|folder| Path::new(folder.trim()).is_dir())
}

fn debian_is_complete() -> bool {
    let programs = ["/usr/bin/rustc", "/usr/bin/cargo", "/usr/bin/rust-lld"];
    programs.iter().all(|program| Path::new(program).is_file())
        && Path::new("/usr/lib/rustlib/src/rust/library/std/Cargo.toml").is_file()
        && is_debian()
}

/// Whether programs come from `apt-get` on this machine.
pub fn is_debian() -> bool {
    Path::new("/etc/debian_version").is_file() && process::on_path("apt-get").is_some()
}

fn debian_environment(command: &mut Command, purpose: Purpose) -> Result<()> {
    // The variables that rustup's cargo sets for its children would lead Debian's cargo to the wrong
    // compiler.
    for variable in ["RUSTUP_TOOLCHAIN", "CARGO", "RUSTC", "RUSTDOC", "LD_LIBRARY_PATH"] {
        command.env_remove(variable);
    }
    let std = match purpose {
        Purpose::Page | Purpose::SmallPage => "std,panic_abort",
        Purpose::Tests => "std,panic_abort,test,proc_macro",
    };
    command
        .env("PATH", system_first(&process::search_path())?)
        .env("RUSTC_BOOTSTRAP", "1") // Cargo's build-std is not stable yet
        .env("CARGO_UNSTABLE_BUILD_STD", std)
        .env("CARGO_TARGET_DIR", debian_target()?);
    Ok(())
}

/// A folder of its own: two compilers in one target folder would throw away each other's work.
fn debian_target() -> Result<PathBuf> {
    Ok(workspace::target()?.join("wasm"))
}

fn system_first(path: &OsStr) -> Result<OsString> {
    let system = PathBuf::from("/usr/bin");
    let folders = std::iter::once(system).chain(env::split_paths(path));
    env::join_paths(folders).context("PATH can't be extended")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debian_s_compiler_comes_first_and_nothing_is_lost() {
        let path = system_first(OsStr::new("/home/me/.cargo/bin:/bin")).unwrap();
        assert_eq!(path, "/usr/bin:/home/me/.cargo/bin:/bin");
    }

    #[test]
    fn debian_s_build_forgets_the_outer_toolchain() {
        let command = WasmToolchain::Debian.command("cargo", Purpose::Page).unwrap();
        let outer = command.get_envs().find(|(name, _)| *name == "RUSTUP_TOOLCHAIN");
        assert_eq!(outer.map(|(_, value)| value), Some(None));
    }
}
