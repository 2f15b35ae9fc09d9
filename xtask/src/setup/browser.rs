//! Finds the browsers that the tests drive: Chromium with its driver, its headless shell, and Firefox. Missing ones are
//! installed from the system's own packages and from nowhere else.

use std::env;
use std::path::PathBuf;

use anyhow::{Result, bail};

use super::{State, Step, apt};
use crate::process;

pub const STEP: Step = Step {
    name: "chromium and chromedriver",
    does: "Debian's packages bring Chromium and its driver",
    find,
    install,
};

/// Chromium without what shows windows, tabs and settings: a page in it costs the processor half as much.
pub const HEADLESS_SHELL: Step = Step {
    name: "chromium-headless-shell",
    does: "Debian's packages bring Chromium's headless shell",
    find: find_headless_shell,
    install: bring_headless_shell,
};

/// Firefox has the protocol that drives it built in, so it needs no driver.
pub const FIREFOX: Step = Step {
    name: "firefox",
    does: "Debian's packages bring Firefox",
    find: find_firefox,
    install: bring_firefox,
};

const PACKAGES: [&str; 2] = ["chromium", "chromium-driver"];
/// It has to have the version of [`PACKAGES`], so all of them are brought together.
const WITH_HEADLESS_SHELL: [&str; 3] = [PACKAGES[0], PACKAGES[1], "chromium-headless-shell"];
const FIREFOX_PACKAGE: &str = "firefox-esr";

/// Chromium: the file that `CHROMIUM` names, else the usual places.
pub fn chromium() -> Option<PathBuf> {
    let usual = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
    let bundle = PathBuf::from("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome");
    path_in_variable("CHROMIUM")
        .or_else(|| usual.iter().find_map(|name| process::on_path(name)))
        .or_else(|| bundle.is_file().then_some(bundle))
}

/// Its headless shell: the file that `HEADLESS_SHELL` names, else the usual places.
pub fn headless_shell() -> Option<PathBuf> {
    let usual = ["chromium-headless-shell", "chrome-headless-shell"];
    path_in_variable("HEADLESS_SHELL").or_else(|| usual.iter().find_map(|name| process::on_path(name)))
}

/// Its driver: the file that `CHROMEDRIVER` names, else the one on `PATH`.
pub fn chromedriver() -> Option<PathBuf> {
    path_in_variable("CHROMEDRIVER").or_else(|| process::on_path("chromedriver"))
}

/// Firefox: the file that `FIREFOX` names, else the usual places.
pub fn firefox() -> Option<PathBuf> {
    let bundle = PathBuf::from("/Applications/Firefox.app/Contents/MacOS/firefox");
    path_in_variable("FIREFOX")
        .or_else(|| ["firefox-esr", "firefox"].iter().find_map(|name| process::on_path(name)))
        .or_else(|| bundle.is_file().then_some(bundle))
}

fn find_headless_shell() -> State {
    match headless_shell() {
        Some(browser) => State::Ready(browser.display().to_string()),
        None if apt::is_usable() => {
            State::Missing(format!("apt-get install {}", WITH_HEADLESS_SHELL.join(" ")))
        }
        None => State::Missing(
            "install the chrome-headless-shell of Chromium's version, or name it in HEADLESS_SHELL"
                .to_owned(),
        ),
    }
}

fn bring_headless_shell() -> Result<()> {
    if !apt::is_usable() {
        bail!("no headless shell was found on PATH");
    }
    apt::install(&WITH_HEADLESS_SHELL)
}

fn find_firefox() -> State {
    match firefox() {
        Some(browser) => State::Ready(browser.display().to_string()),
        None if apt::is_usable() => State::Missing(format!("apt-get install {FIREFOX_PACKAGE}")),
        None => State::Missing("install Firefox 153 or newer, or name it in FIREFOX".to_owned()),
    }
}

fn bring_firefox() -> Result<()> {
    if !apt::is_usable() {
        bail!("no Firefox was found on PATH");
    }
    apt::install(&[FIREFOX_PACKAGE])
}

fn find() -> State {
    match (chromium(), chromedriver()) {
        (Some(browser), Some(driver)) => {
            State::Ready(format!("{}, {}", browser.display(), driver.display()))
        }
        _ if apt::is_usable() => State::Missing(format!("apt-get install {}", PACKAGES.join(" "))),
        _ => State::Missing(
            "install Chromium and chromedriver of the same version, or name them in CHROMIUM and CHROMEDRIVER"
                .to_owned(),
        ),
    }
}

fn install() -> Result<()> {
    if !apt::is_usable() {
        bail!("no Chromium with its driver was found on PATH");
    }
    // The headless shell comes with them, where the system has it.
    apt::install(&WITH_HEADLESS_SHELL).or_else(|_| apt::install(&PACKAGES))
}

fn path_in_variable(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).map(PathBuf::from).filter(|path| path.is_file())
}
