//! Tests of the command line: exit codes, output, and the address that `serve` prints.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Output, Stdio};

const LINES: &str =
    "{\"type\":\"session.title_changed\",\"data\":{\"title\":\"One\"},\"id\":\"1\"}\n{broken\n";

fn run(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pilothouse"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes()); // it may end without reading
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn data(name: &str) -> String {
    format!("{}/tests/data/{name}.jsonl", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn inspect_prints_one_object_even_if_lines_are_bad() {
    let out = run(&["inspect", "-"], LINES);
    assert_eq!((out.status.code(), text(&out.stderr)), (Some(0), ""));
    assert_eq!(text(&out.stdout).lines().count(), 1);
    let view: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(view["session"]["title"], "One");
    let pretty = run(&["inspect", "--pretty", &data("permission")], "");
    assert!(text(&pretty.stdout).lines().count() > 1);
}

#[test]
fn a_log_in_which_nothing_is_understood_is_an_error_that_says_what_was_found() {
    let other = "{\"t\":1,\"dir\":\"out\",\"msg\":{}}\n{\"t\":2}\n";
    let out = run(&["inspect", "-"], other);
    assert_eq!(out.status.code(), Some(1));
    assert!(
        text(&out.stderr).contains("a JSON object with the members t, dir, msg"),
        "{}",
        text(&out.stderr)
    );
    let view: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!((&view["events"]["total"], &view["events"]["malformed"]), (&0.into(), &2.into()));
    let out = run(&["export", "-", "--format", "md"], other);
    assert_eq!((out.status.code(), text(&out.stdout)), (Some(1), ""), "no empty document");
    assert!(text(&out.stderr).contains("t, dir, msg"));
    // An empty log is no error.
    for arguments in [&["inspect", "-"][..], &["inspect", "-", "--at", "0"]] {
        assert_eq!(run(arguments, "\n").status.code(), Some(0));
    }
}

#[test]
fn inspect_stops_after_the_line_asked_for() {
    let total = |arguments: &[&str]| {
        let out = run(arguments, "");
        serde_json::from_slice::<serde_json::Value>(&out.stdout).unwrap()["events"]["total"].as_u64().unwrap()
    };
    let file = data("permission");
    assert_eq!(total(&["inspect", &file, "--at", "3"]), 3);
    assert_eq!(total(&["inspect", &file, "--at=0"]), 0);
    assert_eq!(total(&["inspect", &file, "--at", "100000"]), total(&["inspect", &file]));
}

#[test]
fn export_prints_a_document_in_the_format_asked_for() {
    let file = data("permission");
    let markdown = run(&["export", &file, "--format", "md"], "");
    assert_eq!((markdown.status.code(), text(&markdown.stderr)), (Some(0), ""));
    let words = text(&markdown.stdout);
    assert!(
        words.starts_with("# ")
            && words.contains("**Permission requested**")
            && words.contains("Outcome: **"),
        "{words}"
    );
    let html = run(&["export", "--format=html", &file], "");
    let words = text(&html.stdout);
    assert!(words.starts_with("<!doctype html>") && words.trim_end().ends_with("</html>"));
    assert!(!words.contains("<script"));
    let piped = run(&["export", "-", "--format", "md", "--at", "1"], LINES);
    assert!(text(&piped.stdout).starts_with("# One\n"), "{}", text(&piped.stdout));
}

#[test]
fn a_file_that_cannot_be_read_is_exit_code_two() {
    for arguments in
        [["inspect", "no/such.jsonl"], ["serve", "no/such.jsonl"], ["inspect", env!("CARGO_MANIFEST_DIR")]]
    {
        let out = run(&arguments, "");
        assert_eq!((out.status.code(), text(&out.stdout)), (Some(2), ""), "{arguments:?}");
        assert!(text(&out.stderr).contains(arguments[1]), "{}", text(&out.stderr));
    }
}

#[test]
fn wrong_arguments_are_exit_code_two_and_lead_to_the_help() {
    for arguments in [
        &[][..],
        &["fly"],
        &["serve", "--speed", "fast"],
        &["serve", "--speed", "0"],
        &["serve", "--listen", "here"],
        &["serve", "--what"],
        &["inspect"],
        &["inspect", "a", "b"],
        &["inspect", "a", "--at", "-1"],
        &["export", "a"],
        &["export", "--format", "md"],
        &["export", "a", "--format", "pdf"],
        &["catalogue", "--against", "a", "--fields", "a"],
        &["completions", "notepad"],
    ] {
        let out = run(arguments, "");
        assert_eq!((out.status.code(), text(&out.stdout)), (Some(2), ""), "{arguments:?}");
        assert!(text(&out.stderr).contains("help"), "{arguments:?}: {}", text(&out.stderr));
    }
}

#[test]
fn a_wrong_argument_is_told_with_what_was_meant() {
    for (arguments, part) in [
        (&["serv"][..], "'serve'"),
        (&["serve", "--lissten", "127.0.0.1:1"], "'--listen'"),
        (&["serve", "--speed", "fast"], "at least 0.001"),
        (&["serve", "--token", "hunter2"], "--token-file"),
        (&["serve", "--viewer-token=hunter2"], "--token-file"),
    ] {
        let out = run(arguments, "");
        assert!(!text(&out.stderr).contains("hunter2"), "a token is printed nowhere: {}", text(&out.stderr));
        assert!(text(&out.stderr).contains(part), "{arguments:?}: {}", text(&out.stderr));
    }
}

/// A settings file in a folder of its own, which goes at the end.
struct SettingsFile(std::path::PathBuf);

impl SettingsFile {
    fn new(name: &str, written: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("pilothouse-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("pilothouse.toml"), written).unwrap();
        Self(folder)
    }

    fn path(&self) -> String {
        self.0.join("pilothouse.toml").to_str().unwrap().to_owned()
    }
}

impl Drop for SettingsFile {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

#[test]
fn check_reads_all_that_serve_would_and_makes_nothing() {
    let token = "token-of-ana-0123";
    let settings = SettingsFile::new(
        "check",
        &format!(
            "# the team's\nlisten = \"0.0.0.0:7000\"\nfiles = [\"{}\"]\ntoken-file = \"tokens\"\naudit = \"audit.jsonl\"\n\
             copilot = \"127.0.0.1:4141\"\ndata = \"state\"\nmax-streams = 4000\notlp = \"http://127.0.0.1:4318\"\n",
            data("permission")
        ),
    );
    std::fs::write(settings.0.join("tokens"), format!("Ana:{token}\n")).unwrap();
    let check = |more: &[&str]| run(&[&["check", "--config", &settings.path()], more].concat(), "");
    let out = check(&[]);
    let (said, wrong) = (text(&out.stdout), text(&out.stderr));
    assert_eq!((out.status.code(), wrong), (Some(0), ""), "{said}");
    let folder = settings.0.to_str().unwrap();
    let traces = "http://127.0.0.1:4318/v1/traces";
    for part in
        ["http://0.0.0.0:7000", "operator by token: Ana", "permission", "127.0.0.1:4141", folder, traces]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains(token));
    let made: Vec<_> =
        std::fs::read_dir(&settings.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(made.len(), 2, "{made:?}");

    let missing = check(&["--acp", "codex=/nowhere/codex-acp"]);
    let expected =
        "codex: there is no program /nowhere/codex-acp. Install it, or say where it is: --acp codex=COMMAND";
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains(expected), "{}", text(&missing.stderr));

    // What stands on the command line counts; lists are added to.
    let out = check(&[
        "--listen",
        "127.0.0.1:7001",
        "no/such.jsonl",
        "--tls-cert",
        "no.pem",
        "--tls-key",
        "no.key",
    ]);
    assert_eq!(out.status.code(), Some(2));
    assert!(text(&out.stdout).contains("https://127.0.0.1:7001"), "{}", text(&out.stdout));
    let wrong = text(&out.stderr);
    assert!(wrong.contains("no/such.jsonl") && wrong.contains("no.pem"), "everything that is wrong: {wrong}");
}

#[test]
fn a_wrong_settings_file_says_what_is_wrong_and_where() {
    for (written, more, says) in [
        ("listen = \"here\"", &[][..], "pilothouse.toml: invalid value 'here'"),
        ("lisen = \"a\"", &[], "pilothouse.toml: there is no setting \"lisen\"; is \"listen\" meant?"),
        ("speed = 1\nspeed = 2", &[], "pilothouse.toml: line 2: "),
        ("tls-cert = \"a\"", &[], "--tls-key"),
        ("otlp = \"127.0.0.1:4317\"", &[], "it must be an address such as http://127.0.0.1:4318"),
        ("speed = 1", &["--speed", "fast"], "error: invalid value 'fast'"),
    ] {
        let settings = SettingsFile::new("wrong", written);
        let out = run(&[&["serve", "--config", &settings.path()], more].concat(), "");
        assert_eq!(out.status.code(), Some(2), "{written}");
        assert!(text(&out.stderr).contains(says), "{written}: {}", text(&out.stderr));
    }
    let out = run(&["serve", "--config", "no/such.toml"], "");
    assert!(out.status.code() == Some(2) && text(&out.stderr).contains("no/such.toml: can't be read"));
}

#[test]
fn completions_know_the_commands_and_their_options() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let out = run(&["completions", shell], "");
        assert_eq!(out.status.code(), Some(0), "{shell}");
        assert!(text(&out.stdout).contains("viewer-token-file"), "{shell}");
    }
}

#[test]
fn help_version_and_catalogue_go_to_standard_output() {
    for (arguments, part) in
        [(["--help"], "Usage:"), (["--version"], env!("CARGO_PKG_VERSION")), (["catalogue"], "|")]
    {
        let out = run(&arguments, "");
        assert_eq!(out.status.code(), Some(0), "{arguments:?}");
        assert!(text(&out.stdout).contains(part), "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn serve_prints_its_address_and_ends_by_a_signal() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pilothouse"))
        .args(["serve", &data("permission"), "--listen", "localhost:0", "--speed", "max"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    let address = line.trim_end().strip_prefix("http://").unwrap().to_owned();
    let mut stream = TcpStream::connect(&address).unwrap();
    write!(stream, "GET /healthz HTTP/1.0\r\nHost: {address}\r\n\r\n").unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    assert!(reply.starts_with("HTTP/1.0 200"), "{reply}");
    let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "", "one line on standard output, no more");
}

#[cfg(unix)]
#[test]
fn a_second_signal_does_not_wait_for_a_call_that_never_ends() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pilothouse"))
        .args(["serve", &data("permission"), "--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let process = child.id().to_string();
    let terminate = || Command::new("kill").args(["-TERM", &process]).status().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim_end().strip_prefix("http://").unwrap().to_owned();
    let mut call = TcpStream::connect(&address).unwrap();
    let head = format!("Host: {address}\r\nExpect: 100-continue\r\nContent-Length: 100");
    write!(call, "POST /api/sessions/permission/rpc HTTP/1.1\r\n{head}\r\n\r\n").unwrap();
    let mut begun = String::new();
    BufReader::new(&call).read_line(&mut begun).unwrap();
    assert!(begun.starts_with("HTTP/1.1 100"), "{begun}");
    terminate();
    let mut reply = String::new();
    while !reply.contains("the gateway ends") {
        reply.clear();
        let mut stream = TcpStream::connect(&address).unwrap();
        write!(stream, "GET /readyz HTTP/1.0\r\nHost: {address}\r\n\r\n").unwrap();
        stream.read_to_string(&mut reply).unwrap();
    }
    terminate();
    let out = child.wait_with_output().unwrap();
    assert_eq!(out.status.code(), Some(1));
    assert!(text(&out.stderr).contains("ended at once"), "{}", text(&out.stderr));
}

#[test]
fn a_runtime_that_is_nowhere_is_told_with_what_would_bring_it() {
    let out = Command::new(env!("CARGO_BIN_EXE_pilothouse"))
        .args(["serve", "--copilot", "--listen", "127.0.0.1:0"])
        .env_clear()
        .current_dir("/")
        .output()
        .unwrap();
    let said = text(&out.stderr);
    assert_eq!(out.status.code(), Some(1), "{said}");
    assert!(
        said.contains("npm install @github/copilot-sdk-") && said.contains("PILOTHOUSE_RUNTIME"),
        "{said}"
    );
    assert!(!said.contains("Usage"), "the use was right");

    let named = run(&["serve", "--copilot", "--runtime", "/nowhere/runtime"], "");
    assert_eq!(named.status.code(), Some(1));
    assert!(text(&named.stderr).contains("/nowhere/runtime"));
}

#[test]
fn what_goes_with_a_runtime_only_is_refused_without_one() {
    for arguments in [
        &["serve", "--new"][..],
        &["serve", "--data", "/tmp"],
        &["serve", "--copilot=127.0.0.1:1", "--runtime", "/bin/true"],
        &["serve", "--copilot=127.0.0.1:1", "--", "--verbose"],
        &["inspect", "-", "--", "x"],
    ] {
        assert_eq!(run(arguments, "").status.code(), Some(2), "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn what_happens_is_printed_as_json_lines_if_they_are_asked_for() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pilothouse"))
        .args(["serve", "--copilot", "--runtime", "/bin/false", "--data", "-", "--listen", "127.0.0.1:0"])
        .args(["--log-format", "json"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let told = lines.map(Result::unwrap).find(|line| line.starts_with('{')).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let event: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!((&event["level"], &event["message"]), (&"WARN".into(), &"the runtime is not there".into()));
    assert!(
        event["runtime"].as_str().unwrap().contains("/bin/false") && event["timestamp"].is_string(),
        "{told}"
    );
}

fn transcript(name: &str) -> String {
    format!("{}/../tests/data/transcripts/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_transcript_of_another_agent_is_read_and_named_on_standard_error() {
    let out = run(&["inspect", &transcript("codex.jsonl")], "");
    assert_eq!(out.status.code(), Some(0));
    let said = text(&out.stderr);
    assert!(said.contains("read as a transcript of Codex (rollout), 54 lines, 5 left out: "), "{said}");
    let view: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(
        (&view["session"]["title"], &view["session"]["status"]),
        (&"Blue sails".into(), &"idle".into())
    );
    // By its lines, not by its name.
    let piped = run(&["inspect", "-"], &std::fs::read_to_string(transcript("codex.jsonl")).unwrap());
    assert_eq!(piped.stdout, out.stdout);
    let out = run(&["export", "--format", "md", &transcript("gemini-2025.json")], "");
    assert!(text(&out.stdout).starts_with("# Paint the boat blue\n"), "{}", text(&out.stdout));
    assert!(text(&out.stderr).contains("Gemini CLI (JSON), 102 lines"), "{}", text(&out.stderr));
    // Up to a line of the file.
    let out = run(&["inspect", "--at", "2", &transcript("claude-code-rewound.jsonl")], "");
    let view: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    let said: Vec<&str> =
        view["timeline"].as_array().unwrap().iter().filter_map(|entry| entry["text"].as_str()).collect();
    assert!(said.contains(&"The Gull.") && !said.contains(&"Another name, please."), "{said:?}");
}

#[test]
fn a_folder_of_transcripts_is_served_and_a_folder_without_a_session_is_an_error() {
    let folder = std::env::temp_dir().join(format!("pilothouse-folder-{}", std::process::id()));
    let at = |name: &str| folder.join(name);
    std::fs::create_dir_all(at("2026/04/s/subagents")).unwrap();
    std::fs::create_dir_all(at("empty/target")).unwrap();
    let main = std::fs::read_to_string(transcript("claude-code.jsonl")).unwrap();
    let of_main = |line: &&str| !line.contains("\"isSidechain\":true");
    let main: String = main.split_inclusive('\n').filter(of_main).collect();
    std::fs::write(at("2026/04/s.jsonl"), main).unwrap();
    std::fs::copy(transcript("claude-code-subagent.jsonl"), at("2026/04/s/subagents/agent-a1b2c3.jsonl"))
        .unwrap();
    std::fs::copy(transcript("codex.jsonl"), at("2026/rollout.jsonl")).unwrap();
    std::fs::write(at("settings.json"), "{\"theme\":\"dark\"}").unwrap();
    let out = run(&["check", folder.to_str().unwrap()], "");
    let said = text(&out.stdout);
    assert_eq!((out.status.code(), said.matches("read as a transcript of").count()), (Some(0), 2), "{said}");
    assert!(said.contains("Blue sails: read as a transcript of Codex"), "{said}");
    let out = run(&["inspect", at("2026/04/s.jsonl").to_str().unwrap()], "");
    assert!(
        text(&out.stdout).contains("Look for feet and metres in src."),
        "the sub-agent has a file of its own"
    );
    assert!(text(&out.stdout).contains("// metres"), "{}", text(&out.stdout));
    let out = run(&["check", at("empty").to_str().unwrap()], "");
    assert!(
        out.status.code() != Some(0) && text(&out.stderr).contains("no file in this folder is a session")
    );
}
