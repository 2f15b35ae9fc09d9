//! Owns installing Debian's packages. Refuses to do so for anybody but root: a build that asks for
//! a password would wait for ever on a server.

use anyhow::Result;

use crate::process;
use crate::wasm_toolchain::is_debian;

/// Whether we may install packages here.
pub fn is_usable() -> bool {
    is_debian() && process::read(process::command("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

/// Installs them, without what they merely recommend.
pub fn install(packages: &[&str]) -> Result<()> {
    let apt = || {
        let mut apt = process::command("apt-get");
        apt.env("DEBIAN_FRONTEND", "noninteractive").arg("-qq");
        apt
    };
    process::run(apt().arg("update"))?;
    process::run(apt().args(["install", "-y", "--no-install-recommends"]).args(packages))
}
