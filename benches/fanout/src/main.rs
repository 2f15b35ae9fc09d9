//! Measures how the gateway serves many viewers of many sessions, beside a plain server in Node, in turns and in one run:
//! latency, CPU time for each event that a viewer got, memory for each viewer, and how many events a second go through.
//!
//! ```text
//! fanout --gateway FILE --node FILE --out FILE [--only gateway|node] [--carrier ws|sse] [--quick]
//! ```
#![allow(clippy::print_stdout)] // it is a command

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::json;

use process::{Server, own_cpu};
use runtime::Runtime;
use viewers::{Carrier, Viewers};

mod process;
mod runtime;
mod viewers;

const SESSIONS: usize = 50;
const VIEWERS: usize = 2_000;
const CARRIERS: [(Carrier, &str); 2] =
    [(Carrier::WebSocket, "WebSocket"), (Carrier::EventStream, "server-sent events")];
/// How many of the sessions have events at a time: all, and as many as stream an answer while the others wait for a model, a tool
/// or a person.
const ACTIVE: [(usize, &str); 2] = [(SESSIONS, "all sessions at once"), (5, "five sessions at a time")];
/// How many events all viewers together get in a second.
const DELIVERED: usize = 20_000;
/// The same for the steps of the search for the most.
const STEPS: [usize; 10] =
    [40_000, 60_000, 80_000, 120_000, 160_000, 240_000, 320_000, 480_000, 640_000, 960_000];
/// The latest that 99 % of events may come.
const BOUND: Duration = Duration::from_millis(100);
/// How long the last events may take to come.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Gateway,
    Node,
}

#[derive(Debug)]
struct Options {
    gateway: PathBuf,
    node: PathBuf,
    out: PathBuf,
    only: Option<Kind>,
    carrier: Option<Carrier>,
    quick: bool,
}

/// What one stretch of events gave.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    /// In milliseconds.
    median: f64,
    late: f64,
    /// CPU time of the server for each event that came, in microseconds.
    cpu: f64,
    /// The same of this program.
    own_cpu: f64,
    complete: bool,
}

/// What one pattern gave with one server.
struct Found {
    stretch: Stretch,
    /// In bytes, for each viewer.
    memory: f64,
    most: usize,
}

/// A server with its viewers.
struct Bench {
    server: Server,
    runtime: Runtime,
    viewers: Viewers,
}

/// By the pattern's place in [`ACTIVE`].
type Rows = BTreeMap<(usize, Carrier, Kind), Row>;

/// One row of the table.
#[derive(Debug, Default)]
struct Row {
    stretches: Vec<Stretch>,
    memory: Vec<f64>,
    /// The most events a second with 99 % in time.
    most: usize,
}

fn main() -> Result<()> {
    let options = Options::read()?;
    let mut rows = Rows::new();
    let rounds = if options.quick { 1 } else { 3 };
    for round in 0..rounds {
        for (carrier, name) in CARRIERS {
            for kind in [Kind::Gateway, Kind::Node] {
                let skipped = options.carrier.is_some_and(|only| only != carrier)
                    || options.only.is_some_and(|only| only != kind);
                if !skipped {
                    let found = measure(&options, kind, carrier, round + 1 == rounds);
                    for (of_pattern, found) in
                        found.with_context(|| format!("{kind:?}, {name}"))?.iter().enumerate()
                    {
                        rows.entry((of_pattern, carrier, kind)).or_default().add(found);
                    }
                }
            }
        }
    }
    let table = table(&rows);
    println!("\n{table}");
    std::fs::write(&options.out, json!({"fanout": table}).to_string())?;
    let late = rows
        .iter()
        .find(|((_, _, kind), row)| *kind == Kind::Gateway && row.late() > BOUND.as_secs_f64() * 1e3);
    if let Some(((_, carrier, _), row)) = late {
        bail!("{carrier:?}: 99 % of the events came within {:.0} ms, which is over the bound", row.late());
    }
    Ok(())
}

/// Starts a server, connects the viewers, and sends events. Returns what each of the patterns gave.
fn measure(options: &Options, kind: Kind, carrier: Carrier, search: bool) -> Result<Vec<Found>> {
    let runtime = Runtime::start(SESSIONS)?;
    let address = runtime.address.to_string();
    let data = std::env::temp_dir().join(format!("pilothouse-fanout-{}", std::process::id()));
    let mut command = match kind {
        Kind::Gateway => Command::new(&options.gateway),
        Kind::Node => Command::new("node"),
    };
    match kind {
        Kind::Gateway => command
            .args(["serve", "--listen", "127.0.0.1:0", "--max-streams", "4096"])
            .arg(format!("--copilot={address}"))
            .arg("--data")
            .arg(&data),
        Kind::Node => command.arg(&options.node).arg(&address),
    };
    let server = Server::start(command)?;
    thread::sleep(Duration::from_secs(1));
    let empty = server.resident()?;
    let viewers = Viewers::connect(server.address, carrier, VIEWERS, SESSIONS, runtime.begin)?;
    let bench = Bench { server, runtime, viewers };
    let seconds = if options.quick { 1 } else { 6 };
    bench.stretch(SESSIONS, DELIVERED, 1)?; // what is allocated and compiled with the first events
    let mut all = Vec::new();
    for (active, words) in ACTIVE {
        let stretch = bench.stretch(active, DELIVERED, seconds)?;
        ensure!(stretch.complete, "{words}: not every viewer got every event once and in order");
        println!("  {kind:?}, {carrier:?}, {words}: {stretch}");
        let memory = bench.server.resident()?.saturating_sub(empty) as f64 / VIEWERS as f64;
        all.push(Found { stretch, memory, most: DELIVERED });
    }
    if search {
        for ((active, words), found) in ACTIVE.iter().zip(&mut all) {
            for rate in STEPS {
                let stretch = bench.stretch(*active, rate, seconds.min(3))?;
                println!("    {words}, {rate} a second: {stretch}");
                if !stretch.complete || stretch.late > BOUND.as_secs_f64() * 1e3 {
                    break;
                }
                found.most = rate;
            }
        }
    }
    drop(bench);
    if data.exists() {
        std::fs::remove_dir_all(&data)?;
    }
    Ok(all)
}

impl Bench {
    /// Sends events for so many seconds, and waits until all viewers have them.
    fn stretch(&self, active: usize, delivered: usize, seconds: u64) -> Result<Stretch> {
        let each_seen_by = VIEWERS / SESSIONS;
        let sent = delivered / each_seen_by * seconds as usize;
        let seen = &self.viewers.seen;
        let (events, disordered) =
            (seen.events.load(Ordering::Relaxed), seen.disordered.load(Ordering::Relaxed));
        let expected = events + (sent * each_seen_by) as u64;
        seen.take_latencies();
        let (cpu, own) = (self.server.cpu()?, own_cpu()?);
        self.runtime.emit(SESSIONS, active, sent, Duration::from_secs(seconds))?;
        let deadline = Instant::now() + PATIENCE;
        while seen.events.load(Ordering::Relaxed) < expected && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(5));
        }
        let got = seen.events.load(Ordering::Relaxed);
        let latencies = seen.take_latencies();
        let within = |share: usize| {
            let place = (latencies.len() * share / 100).min(latencies.len().saturating_sub(1));
            latencies.get(place).map_or(f64::INFINITY, |latency| f64::from(*latency) / 1e3)
        };
        let each = |spent: Duration| spent.as_secs_f64() * 1e6 / (got - events).max(1) as f64;
        Ok(Stretch {
            median: within(50),
            late: within(99),
            cpu: each(self.server.cpu()?.saturating_sub(cpu)),
            own_cpu: each(own_cpu()?.saturating_sub(own)),
            complete: got == expected
                && seen.lost.load(Ordering::Relaxed) == 0
                && seen.disordered.load(Ordering::Relaxed) == disordered,
        })
    }
}

impl std::fmt::Display for Stretch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { median, late, cpu, own_cpu, complete } = self;
        write!(f, "p50 {median:.1} ms, p99 {late:.1} ms, {cpu:.2} µs of CPU (of the viewers {own_cpu:.2})")?;
        if *complete { Ok(()) } else { f.write_str(", not complete") }
    }
}

impl Row {
    fn add(&mut self, found: &Found) {
        self.stretches.push(found.stretch);
        self.memory.push(found.memory);
        self.most = self.most.max(found.most);
    }

    /// The median of the rounds.
    fn median(&self, figure: impl Fn(&Stretch) -> f64) -> f64 {
        median(self.stretches.iter().map(figure).collect())
    }

    fn late(&self) -> f64 {
        self.median(|stretch| stretch.late)
    }
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}

fn table(rows: &Rows) -> String {
    let mut table =
        "|  | p50, ms | p99, ms | CPU an event, µs | memory a viewer, kB | most events a second |\n\
         | --- | ---: | ---: | ---: | ---: | ---: |"
            .to_owned();
    for ((pattern, carrier, kind), row) in rows {
        let server = match kind {
            Kind::Gateway => "**Pilothouse**",
            Kind::Node => "Node",
        };
        let name = CARRIERS.iter().find(|(one, _)| one == carrier).map_or("", |(_, name)| name);
        let words = ACTIVE.get(*pattern).map_or("", |(_, words)| words);
        // Writing into a String can't fail.
        let _ = write!(
            table,
            "\n| {words}, {name}: {server} | {:.1} | {:.1} | {:.1} | {:.0} | {},000 |",
            row.median(|stretch| stretch.median),
            row.late(),
            row.median(|stretch| stretch.cpu),
            median(row.memory.clone()) / 1e3,
            row.most / 1000
        );
    }
    table
}

impl Options {
    fn read() -> Result<Self> {
        let (mut gateway, mut node, mut out) = (None, None, None);
        let (mut only, mut carrier, mut quick) = (None, None, false);
        let mut rest = std::env::args().skip(1);
        while let Some(name) = rest.next() {
            if name == "--quick" {
                quick = true;
                continue;
            }
            let value = rest.next().with_context(|| format!("{name} wants a value"))?;
            match (name.as_str(), value.as_str()) {
                ("--gateway", file) => gateway = Some(PathBuf::from(file)),
                ("--node", file) => node = Some(PathBuf::from(file)),
                ("--out", file) => out = Some(PathBuf::from(file)),
                ("--only", "gateway") => only = Some(Kind::Gateway),
                ("--only", "node") => only = Some(Kind::Node),
                ("--carrier", "ws") => carrier = Some(Carrier::WebSocket),
                ("--carrier", "sse") => carrier = Some(Carrier::EventStream),
                _ => bail!("fanout takes no `{name} {value}`"),
            }
        }
        Ok(Self {
            gateway: gateway.context("--gateway FILE is missing")?,
            node: node.context("--node FILE is missing")?,
            out: out.context("--out FILE is missing")?,
            only,
            carrier,
            quick,
        })
    }
}
