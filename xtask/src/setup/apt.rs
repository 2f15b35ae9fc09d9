//! Installs Debian's packages, but only for root: a build that asks for a password would wait for ever on a
//! server.

use anyhow::Result;

use crate::process;
use crate::wasm_toolchain::is_debian;

/// Whether packages can be installed here: on Debian, and as root.
pub fn is_usable() -> bool {
    is_debian() && process::read(process::command("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

/// Installs packages, without those that they only recommend.
pub fn install(packages: &[&str]) -> Result<()> {
    let apt = || {
        let mut apt = process::command("apt-get");
        apt.env("DEBIAN_FRONTEND", "noninteractive").arg("-qq");
        apt
    };
    process::run(apt().arg("update"))?;
    process::run(apt().args(["install", "-y", "--no-install-recommends"]).args(packages))
}
