//! `pilothouse check`: reads what `serve` would read, and reports what would be served and everything that is wrong. It makes no
//! file, listens nowhere and asks nothing of the network.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::path::Path;

use pilothouse_gateway::access::person::Person;
use pilothouse_gateway::access::settings::Settings as AccessSettings;
use pilothouse_gateway::access::{Access, Role};
use pilothouse_gateway::agents::acp::settings::AgentSettings;
use pilothouse_gateway::http::tls::Tls;
use pilothouse_gateway::playback::files::read_as;
use pilothouse_gateway::playback::recording::Recording;

use crate::command::{RuntimeArguments, Serve};

/// What would be served, a line each, and what is wrong, a sentence each.
#[derive(Debug, Default)]
pub struct Findings {
    /// What would be served.
    pub report: String,
    /// What is wrong.
    pub problems: Vec<String>,
}

impl Findings {
    fn line(&mut self, name: &str, words: &str) {
        let _ = writeln!(self.report, "{name:<12}{words}"); // writing into a String can't fail
    }

    /// The value, or else the problem is noted.
    fn check<T>(&mut self, checked: Result<T, String>) -> Option<T> {
        checked.map_err(|problem| self.problems.push(problem)).ok()
    }
}

/// Checks these arguments of `serve`.
pub fn check(arguments: Serve) -> Findings {
    let mut findings = Findings::default();
    let tls_files = arguments.tls_files();
    let scheme = if tls_files.is_some() { "https" } else { "http" };
    tls_files.map(|files| findings.check(Tls::open(files)));
    let (files, settings, access, driven) = arguments.parts();
    findings.line("address", &format!("{scheme}://{}", settings.listen));
    if let Some(telemetry) = &settings.telemetry {
        findings.line("traces", &telemetry.to_string());
    }
    if let Some(audit) = &access.audit {
        findings.check(can_append(audit));
        findings.line("audit log", &audit.display().to_string());
    }
    let folder = access.folder.clone();
    // Opening these would make them.
    let access =
        AccessSettings { audit: None, audit_required: false, folder: None, ..access.with_environment() };
    if let Some((access, _)) = findings.check(Access::open(&access)) {
        findings.check(access.fits(settings.listen));
        people(&access, &mut findings);
    }
    for file in files {
        let read = Recording::open_all(&[file]).map_err(|error| error.to_string());
        for recording in findings.check(read).unwrap_or_default() {
            match &recording.transcript {
                Some(report) => findings.line("transcript", &read_as(&recording.name, report)),
                None => findings.line("recording", &recording.name),
            }
        }
    }
    if let Some(cluster) = &settings.cluster {
        findings.line("cluster", &format!("as {}", cluster.machine));
        if let Some(path) = &cluster.credentials {
            let read = std::fs::read_to_string(path);
            findings.check(
                read.map_err(|error| format!("can't read the credentials {}: {error}", path.display())),
            );
        }
    }
    for agent in &settings.acp.agents {
        findings.line("agent", &format!("{}: {}", agent.name, agent.command.join(" ")));
        findings.check(can_start(agent));
    }
    let has_agents = driven.is_some() || !settings.acp.agents.is_empty();
    if let Some(driven) = driven
        && let Some(live) = findings.check(RuntimeArguments::settings(driven))
    {
        findings.line("runtime", &live.place.name());
    }
    if has_agents {
        match folder {
            Some(folder) => {
                findings.check(is_folder(&folder));
                findings.line("data", &folder.display().to_string());
            }
            None => findings.line("data", "kept in memory"),
        }
    }
    findings
}

/// Who would be let in.
fn people(access: &Access, findings: &mut Findings) {
    if !access.is_closed() {
        findings.line("people", "everybody on this machine, as operator");
    }
    for role in [Role::Operator, Role::Viewer] {
        let names: Vec<_> =
            access.members().filter(|person| person.role == role).map(Person::label).collect();
        if !names.is_empty() {
            findings.line("people", &format!("{} by token: {}", role.word(), names.join(", ")));
        }
    }
    if let Some(proxy) = access.proxy() {
        findings.line("people", &format!("whom a proxy names in {}", proxy.header));
    }
    if let Some(oidc) = access.oidc() {
        findings.line("people", &format!("who signs in at {}", oidc.host()));
    }
}

fn can_append(file: &Path) -> Result<(), String> {
    let trouble = |why: &str| Err(format!("can't write the audit log {}: {why}", file.display()));
    if file.exists() {
        let opened = OpenOptions::new().append(true).open(file);
        return opened.map(drop).or_else(|error| trouble(&error.to_string()));
    }
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
    if parent.is_none_or(Path::is_dir) { Ok(()) } else { trouble("there is no such folder") }
}

/// Whether the agent's program and folder are there.
fn can_start(agent: &AgentSettings) -> Result<(), String> {
    if let Some(folder) = agent.folder.as_ref().filter(|folder| !folder.is_dir()) {
        return Err(format!("{}: there is no folder {}", agent.name, folder.display()));
    }
    let program = Path::new(agent.command.first().map_or("", String::as_str));
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let endings: &[&str] = if cfg!(windows) { &["", "exe", "cmd"] } else { &[""] };
    let is_there =
        |path: &Path| endings.iter().any(|ending| path.is_file() || path.with_extension(ending).is_file());
    let is_found = if program.components().count() > 1 {
        is_there(program)
    } else {
        std::env::split_paths(&paths).any(|folder| is_there(&folder.join(program)))
    };
    let name = &agent.name;
    let missing = || {
        format!(
            "{name}: there is no program {}. Install it, or say where it is: --acp {name}=COMMAND",
            program.display()
        )
    };
    if is_found { Ok(()) } else { Err(missing()) }
}

fn is_folder(path: &Path) -> Result<(), String> {
    if !path.exists() || path.is_dir() {
        Ok(())
    } else {
        Err(format!("--data: {} is not a folder", path.display()))
    }
}
