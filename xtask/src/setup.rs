//! Sets the machine up: each step looks whether its tool is there, installs what is missing, and fails with the command that
//! would help.

use anyhow::{Result, anyhow};

use crate::steps;

pub mod apt;
pub mod browser;
pub mod components;
pub mod mdbook;
pub mod musl_target;
pub mod nats_server;
pub mod node;
pub mod std_source;
pub mod trunk;
pub mod wasm_bindgen;
pub mod wasm_target;

/// Something that must be on this machine.
pub struct Step {
    /// What it is called in a report.
    pub name: &'static str,
    /// What bringing it means, in one line.
    pub does: &'static str,
    /// Looks, and changes nothing.
    pub find: fn() -> State,
    /// Installs what `find` missed.
    pub install: fn() -> Result<()>,
}

/// What `find` saw.
pub enum State {
    /// It is there; the text says which.
    Ready(String),
    /// It is not there; the text is the exact command that brings it.
    Missing(String),
}

/// What it takes to make the page.
pub const PAGE: [&Step; 1] = [&wasm_target::STEP];

/// What the tests need beside that.
pub const TESTS: [&Step; 9] = [
    &components::STEP,
    &node::PAGE_TOOLS,
    &node::END_TO_END,
    &node::BUNDLERS,
    &browser::STEP,
    &wasm_bindgen::STEP,
    &trunk::STEP,
    &mdbook::STEP,
    &nats_server::STEP,
];

/// What a release needs.
pub const RELEASE: [&Step; 4] =
    [&node::PAGE_TOOLS, &wasm_target::STEP, &std_source::STEP, &musl_target::STEP];

/// What tests can do without: it is skipped, or something else takes its place.
pub const OPTIONAL: [&Step; 3] = [&node::LIVE, &browser::FIREFOX, &browser::HEADLESS_SHELL];

/// Brings whatever is missing, in this order.
pub fn ensure(steps: &[&Step]) -> Result<()> {
    steps.iter().try_for_each(|step| ensure_one(step).map(drop))
}

/// The same as steps that are counted and timed.
pub fn numbered_steps(steps: impl IntoIterator<Item = &'static Step>) -> Vec<steps::Step<'static>> {
    steps.into_iter().map(|step| steps::step(step.name, move || ensure_one(step))).collect()
}

/// Returns which one is there.
fn ensure_one(step: &Step) -> Result<String> {
    let mend = match (step.find)() {
        State::Ready(which) => return Ok(which),
        State::Missing(mend) => mend,
    };
    println!("set-up: {}", step.does);
    (step.install)().map_err(|error| anyhow!("{error:#}\n  to mend this: {mend}"))?;
    match (step.find)() {
        State::Ready(which) => Ok(which),
        State::Missing(mend) => Err(anyhow!("{} is still missing\n  to mend this: {mend}", step.name)),
    }
}

/// Brings an optional step. Where that fails one line says what is left out, and how to have it.
pub fn try_optional(step: &Step, left_out: &str) -> bool {
    let Err(error) = ensure(&[step]) else {
        return true;
    };
    let words = format!("{error:#}").replace('\n', ";");
    println!("skipped: {left_out}, because {} is not here: {words}", step.name);
    false
}
