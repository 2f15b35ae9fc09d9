//! Benchmarks of the core: runs Criterion, and reads the files that it leaves.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::{process, workspace};

/// Runs the benchmarks. Returns the names and tables for docs/performance.md.
pub fn run(quick: bool) -> Result<Vec<(String, String)>> {
    let home = workspace::target()?.join("criterion");
    let mut bench = process::cargo();
    bench.env("CRITERION_HOME", &home);
    bench.args(["bench", "--package", "pilothouse", "--no-default-features", "--bench", "core", "--"]);
    if quick {
        bench.arg("--quick");
    }
    process::run(&mut bench)?;
    let mut found = Vec::new();
    collect(&home, &mut found)?;
    let compiler = process::read(process::command("rustc").arg("--version"))?;
    let version = compiler.split_whitespace().nth(1).unwrap_or_default().to_owned();
    let core = format!("{}\n\nRust {version}, release profile, medians.", core(&found)?);
    println!("\n{core}\n\n{}", growth(&found)?);
    Ok(vec![("core".to_owned(), core), ("growth".to_owned(), growth(&found)?)])
}

/// One benchmark, as it was measured last.
#[derive(Debug)]
struct Measured {
    group: String,
    name: String,
    /// How many events or bytes one run handles.
    size: f64,
    /// The median time of one run, in nanoseconds.
    nanoseconds: f64,
}

/// Collects the measurements. Criterion keeps a folder for each benchmark, with `new/` in it.
fn collect(folder: &Path, found: &mut Vec<Measured>) -> Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("{} can't be read", folder.display()))?;
    for entry in entries {
        let path: PathBuf = entry?.path();
        if path.join("new/benchmark.json").is_file() {
            found.extend(read(&path.join("new"))?);
        } else if path.is_dir() {
            collect(&path, found)?;
        }
    }
    Ok(())
}

/// Reads one measurement; `None` where no size was given.
fn read(folder: &Path) -> Result<Option<Measured>> {
    let about: Value = serde_json::from_str(&workspace::read(&folder.join("benchmark.json"))?)?;
    let estimates: Value = serde_json::from_str(&workspace::read(&folder.join("estimates.json"))?)?;
    let text = |key: &str| about.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let size = about.get("throughput").and_then(Value::as_object).and_then(|sizes| sizes.values().next());
    let median = estimates.pointer("/median/point_estimate").and_then(Value::as_f64);
    let (Some(size), Some(nanoseconds)) = (size.and_then(Value::as_f64), median) else {
        return Ok(None);
    };
    Ok(Some(Measured { group: text("group_id"), name: text("value_str"), size, nanoseconds }))
}

fn find<'a>(found: &'a [Measured], group: &str, name: &str) -> Result<&'a Measured> {
    found
        .iter()
        .find(|measured| measured.group == group && measured.name == name)
        .with_context(|| format!("Criterion left nothing of “{group}”, {name}"))
}

fn core(found: &[Measured]) -> Result<String> {
    let mut table = "| input | step | events/s | MB/s |\n| --- | --- | ---: | ---: |".to_owned();
    for input in ["deltas", "mixed"] {
        for step in ["decode", "reduce", "supersede"] {
            let events = find(found, &format!("{input}, events"), step)?;
            let bytes = find(found, &format!("{input}, bytes"), step)?;
            let rate = |measured: &Measured| measured.size / measured.nanoseconds * 1e9;
            let row =
                format!("\n| {input} | {step} | {:.2} M | {:.0} |", rate(events) / 1e6, rate(bytes) / 1e6);
            table.push_str(&row);
        }
    }
    Ok(table)
}

fn growth(found: &[Measured]) -> Result<String> {
    let mut table =
        "| growth | 10,000 events | 100,000 events | an event's cost, 100,000 against 10,000 |\n| --- | ---: | ---: | ---: |"
            .to_owned();
    for input in ["deltas", "mixed"] {
        let group = format!("growth, {input}");
        let (short, long) = (find(found, &group, "10000")?, find(found, &group, "100000")?);
        let each = |measured: &Measured| measured.nanoseconds / measured.size;
        let row = format!(
            "\n| {input} | {:.1} ms | {:.1} ms | {:.2} × |",
            short.nanoseconds / 1e6,
            long.nanoseconds / 1e6,
            each(long) / each(short)
        );
        table.push_str(&row);
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_events_cost_is_compared_and_not_the_runs() {
        let measured = |group: &str, name: &str, size, nanoseconds| Measured {
            group: group.to_owned(),
            name: name.to_owned(),
            size,
            nanoseconds,
        };
        let mut found = Vec::new();
        for input in ["growth, deltas", "growth, mixed"] {
            found.push(measured(input, "10000", 10_000.0, 10e6));
            found.push(measured(input, "100000", 100_000.0, 120e6));
        }
        assert!(growth(&found).unwrap().ends_with("| mixed | 10.0 ms | 120.0 ms | 1.20 × |"));
        found.clear();
        let error = growth(&found).unwrap_err().to_string();
        assert!(error.contains("growth, deltas"), "{error}");
    }
}
