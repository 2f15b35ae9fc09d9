//! Reports which tools are here and which are missing. Nothing is installed.

use anyhow::{Result, bail};

use crate::setup::{self, State};
use crate::{process, refuse_arguments};

pub fn run(args: &[String]) -> Result<()> {
    refuse_arguments("doctor", args)?;
    println!("ok       rust: {}", process::read(process::command("rustc").arg("--version"))?.trim());
    let mut missing = 0;
    for step in setup::PAGE.iter().chain(&setup::TESTS) {
        match (step.find)() {
            State::Ready(which) => println!("ok       {}: {which}", step.name),
            State::Missing(mend) => {
                missing += 1;
                println!("missing  {}; to mend this: {mend}", step.name);
            }
        }
    }
    for step in setup::OPTIONAL {
        let (word, more) = match (step.find)() {
            State::Ready(which) => ("ok      ", which),
            State::Missing(mend) => ("absent  ", format!("the tests do without; to have it: {mend}")),
        };
        println!("{word} {}: {more}", step.name);
    }
    if missing > 0 {
        bail!("{missing} missing; `cargo xtask test` tries to bring them");
    }
    Ok(())
}
