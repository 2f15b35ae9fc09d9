//! Tests of access as far as the command line has a say: where the gateway starts, what it prints and where,
//! and that no token is in any of it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

const TOKEN: &str = "token-of-the-operator";

struct Gateway {
    process: Child,
    address: String,
    errors: BufReader<std::process::ChildStderr>,
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.process.kill(); // it may have ended
        let _ = self.process.wait();
    }
}

fn pilothouse(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pilothouse"));
    command.args(arguments).env_remove("PILOTHOUSE_TOKEN").env_remove("PILOTHOUSE_VIEWER_TOKEN");
    command
}

fn serve(arguments: &[&str], token: Option<&str>) -> Gateway {
    let mut command = pilothouse(&[&["serve", "--listen", "127.0.0.1:0"], arguments].concat());
    command.envs(token.map(|token| ("PILOTHOUSE_TOKEN", token)));
    let mut process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("http://").expect("the bare address").to_owned();
    let errors = BufReader::new(process.stderr.take().unwrap());
    Gateway { process, address, errors }
}

impl Gateway {
    /// The next line on standard error that contains this; the lines before it are added to `before`.
    fn line(&mut self, needle: &str, before: &mut String) -> String {
        loop {
            let mut line = String::new();
            assert!(self.errors.read_line(&mut line).unwrap() > 0, "it said nothing of {needle}: {before}");
            if line.contains(needle) {
                return line;
            }
            before.push_str(&line);
        }
    }

    fn get(&self, path: &str, header: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "GET {path} HTTP/1.0\r\nHost: {}\r\n{header}\r\n\r\n", self.address).unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        reply
    }
}

#[test]
fn where_others_reach_it_it_needs_a_token_and_says_how() {
    let out = pilothouse(&["serve", "--listen", "0.0.0.0:0"]).output().unwrap();
    let words = String::from_utf8(out.stderr).unwrap();
    assert_eq!((out.status.code(), out.stdout.len()), (Some(2), 0), "{words}");
    assert!(words.contains("0.0.0.0:0") && words.contains("add --new-token to the command"), "{words}");
}

#[test]
fn a_token_on_the_command_line_is_refused_without_being_repeated() {
    for arguments in [["serve", "--token", TOKEN], ["serve", "--viewer-token", TOKEN]] {
        let out = pilothouse(&arguments).output().unwrap();
        let words = String::from_utf8(out.stderr).unwrap();
        assert_eq!(out.status.code(), Some(2));
        assert!(words.contains("--token-file PATH") && !words.contains(TOKEN), "{words}");
    }
    let short = pilothouse(&["serve"]).env("PILOTHOUSE_TOKEN", "hunter2").output().unwrap();
    let words = String::from_utf8(short.stderr).unwrap();
    assert!(short.status.code() == Some(2) && !words.contains("hunter2"), "{words}");
}

#[test]
fn a_new_token_is_said_once_and_the_link_works_once() {
    let mut gateway = serve(&["--new-token", "--new-viewer-token"], None);
    let mut before = String::new();
    let line = gateway.line("the operator's token", &mut before);
    let token = line.trim().rsplit(' ').next().unwrap().to_owned();
    let line = gateway.line("sign in as viewer", &mut before);
    let (name, path) = line.trim().split_once("http://pilothouse-").unwrap().1.split_at(16);
    assert!(name.bytes().all(|digit| digit.is_ascii_hexdigit()), "a name that nobody can guess: {line}");
    let port = gateway.address.rsplit(':').next().unwrap();
    let path = path.strip_prefix(&format!(".localhost:{port}")).unwrap();
    assert!(gateway.get(path, "").starts_with("HTTP/1.0 303"));
    assert!(gateway.get(path, "").starts_with("HTTP/1.0 401"));
    let bearer = format!("Authorization: Bearer {token}");
    assert!(gateway.get("/api/sessions", &bearer).contains("pilothouse-role: operator"));
}

#[test]
fn with_a_provider_it_starts_and_says_who_operates() {
    let file = std::env::temp_dir().join(format!("pilothouse-secret-{}", std::process::id()));
    std::fs::write(&file, format!("{TOKEN}\n")).unwrap();
    let options = ["--oidc", "http://127.0.0.1:1", "--oidc-client-id", "id", "--oidc-client-secret-file"];
    let options = [&options[..], &[file.to_str().unwrap()]].concat();
    let mut gateway = serve(&options, None);
    let mut before = String::new();
    gateway.line("who signs in with 127.0.0.1 watches; --operators CLAIM=VALUE", &mut before);
    let refused = gateway.get("/api/sessions", "");
    assert!(
        refused.starts_with("HTTP/1.0 401") && refused.contains("pilothouse-sign-in: 127.0.0.1"),
        "{refused}"
    );
    assert!(gateway.get("/signin/oidc", "").starts_with("HTTP/1.0 502"));
    let why = gateway.line("does not answer as a provider does", &mut before);
    assert!(!format!("{before}{why}").contains(TOKEN), "{before}{why}");
    let alone = pilothouse(&["serve", "--operators", "a=b"]).output().unwrap();
    assert_eq!(alone.status.code(), Some(2));
    assert!(String::from_utf8(alone.stderr).unwrap().contains("--operators needs --oidc"));
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn a_token_that_was_given_is_in_nothing_that_is_printed() {
    let file = std::env::temp_dir().join(format!("pilothouse-token-{}", std::process::id()));
    std::fs::write(&file, format!("{TOKEN}\n")).unwrap();
    for (arguments, variable) in [
        (vec![], Some(TOKEN)),
        (vec!["--token-file", file.to_str().unwrap()], Some("another-one-that-loses")),
    ] {
        let mut gateway = serve(&arguments, variable);
        assert!(gateway.get("/api/sessions", "").starts_with("HTTP/1.0 401"));
        assert!(
            gateway
                .get("/api/sessions", "Authorization: Bearer a-wrong-one-of-them")
                .starts_with("HTTP/1.0 401")
        );
        let served = gateway.get("/api/sessions", &format!("Authorization: Bearer {TOKEN}"));
        assert!(served.starts_with("HTTP/1.0 200"), "{arguments:?}");
        gateway.process.kill().unwrap();
        let mut words = String::new();
        gateway.errors.read_to_string(&mut words).unwrap();
        assert!(words.contains("sign in as operator") && !words.contains(TOKEN), "{words}");
        assert!(!words.contains("a-wrong-one"), "{words}");
    }
    std::fs::remove_file(file).unwrap();
}

/// The agent's commands inherit the runtime's environment: a token in it would let it answer its own
/// requests.
#[cfg(unix)]
#[test]
fn the_runtime_is_not_given_the_gateways_tokens() {
    use std::os::unix::fs::PermissionsExt;

    let folder = std::env::temp_dir().join(format!("pilothouse-environment-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (told, runtime) = (folder.join("told"), folder.join("runtime"));
    assert!(Command::new("mkfifo").arg(&told).status().unwrap().success());
    std::fs::write(&runtime, format!("#!/bin/sh\nenv > '{}'\n", told.display())).unwrap();
    std::fs::set_permissions(&runtime, std::fs::Permissions::from_mode(0o700)).unwrap();
    let mut gateway =
        pilothouse(&["serve", "--listen", "127.0.0.1:0", "--data", "-", "--copilot", "--runtime"])
            .arg(&runtime)
            .env("PILOTHOUSE_TOKEN", TOKEN)
            .env("PILOTHOUSE_VIEWER_TOKEN", "token-of-the-viewer")
            .env("COPILOT_HOME", &folder)
            .env("TIDE", "high")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
    let (send, heard) = std::sync::mpsc::channel();
    std::thread::spawn(move || send.send(std::fs::read_to_string(told)));
    let environment = heard.recv_timeout(std::time::Duration::from_mins(1));
    gateway.kill().unwrap();
    gateway.wait().unwrap();
    std::fs::remove_dir_all(folder).unwrap();
    let environment = environment.expect("the runtime was started").unwrap();
    assert!(environment.contains("TIDE=high"), "{environment}");
    assert!(!environment.contains("PILOTHOUSE_") && !environment.contains("token-of"), "{environment}");
}
