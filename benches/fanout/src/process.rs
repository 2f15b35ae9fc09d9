//! A server that is measured: started, asked for its CPU time and memory, and ended with its value.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result};

/// Linux counts CPU time in these for programs, whatever the kernel's own clock is.
const TICKS_A_SECOND: u64 = 100;

pub struct Server {
    child: Child,
    pub address: SocketAddr,
}

impl Server {
    /// Starts it. It prints its address first.
    pub fn start(mut command: Command) -> Result<Self> {
        let program = command.get_program().to_string_lossy().into_owned();
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("{program} did not start"))?;
        let mut line = String::new();
        let output = child.stdout.take().context("it has no output")?;
        BufReader::new(output).read_line(&mut line)?;
        let address = line.split_once("http://").and_then(|(_, rest)| {
            rest.split(|char: char| !char.is_ascii_digit() && char != '.' && char != ':').next()
        });
        let address = address.and_then(|address| address.parse().ok());
        let mut server = Self { child, address: SocketAddr::from(([127, 0, 0, 1], 0)) };
        server.address = address.with_context(|| format!("{program} printed no address: {line}"))?;
        Ok(server)
    }

    pub fn cpu(&self) -> Result<Duration> {
        cpu(Path::new(&format!("/proc/{}/stat", self.child.id())))
    }

    /// What it has in memory, in bytes.
    pub fn resident(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
        let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse()?;
        Ok(kibibytes << 10)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may have ended by itself
        let _ = self.child.wait();
    }
}

/// The CPU time of this process.
pub fn own_cpu() -> Result<Duration> {
    cpu(Path::new("/proc/self/stat"))
}

fn cpu(stat: &Path) -> Result<Duration> {
    let stat = std::fs::read_to_string(stat)?;
    // The second field is the program's name in brackets, which may have spaces.
    let (_, fields) = stat.rsplit_once(") ").context("/proc has another form")?;
    let ticks: u64 = fields.split(' ').skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    Ok(Duration::from_millis(ticks * 1000 / TICKS_A_SECOND))
}
