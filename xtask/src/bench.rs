//! Owns running the core's benchmarks. Refuses to run the peers' comparison: it needs packages that
//! nobody else here needs.

use anyhow::Result;

use crate::process;

pub fn run(args: &[String]) -> Result<()> {
    let mut bench = process::cargo();
    bench.args(["bench", "--package", "pilothouse", "--no-default-features"]);
    if !args.is_empty() {
        bench.arg("--").args(args);
    }
    process::run(&mut bench)?;
    println!(
        "\nBeside other renderers: `cargo xtask build`, copy dist/pkg and plug/pilothouse.mjs into the \
         harness's plug/ folder, then there\n  \
         NODE_ENV=production node --expose-gc run.mjs reduce --impl=/plug/pilothouse.mjs\n  \
         node run.mjs render --v=/plug/pilothouse.mjs\n\
         docs/performance.md has the last results and says where the harness is."
    );
    Ok(())
}
