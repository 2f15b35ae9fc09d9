//! The table of rules: what is dangerous in a command, and the words for it.
//! Cutting a line into commands is in `shell`.

use super::command::{Command, FILES, base_name};
use super::fetched::FETCHERS;
use super::paths::{
    for_people, is_dotfile, is_outside, is_secret, is_system, leads_outside, resolved, runs_later,
};
use super::shell::{self, SimpleCommand};
use super::{Certainty, Effect, fetched, find, git, services, shortened, variables};

/// One reason to warn.
pub(super) struct Rule {
    pub effect: Effect,
    /// The parts of the command that it is about; none if the rule does not apply.
    pub finds: fn(&Command<'_>) -> Vec<String>,
}

impl Rule {
    /// How sure it is that this happens to the operands.
    pub fn certainty(&self, operands: &[String]) -> Certainty {
        let depends = self.effect == Effect::DeletesUnknown || operands.iter().any(|part| depends(part));
        if depends { Certainty::Depends } else { Certainty::Stated }
    }
}

const fn rule(effect: Effect, finds: fn(&Command<'_>) -> Vec<String>) -> Rule {
    Rule { effect, finds }
}

/// True for a part that is known only when it runs.
fn depends(part: &str) -> bool {
    part.contains(['$', '`']) || part.contains("{}") || part.starts_with("<(")
}

/// In the order in which people read them.
pub(super) const COMMANDS: [Rule; 22] = [
    rule(Effect::FetchAndRun, |seen| {
        let fetches = || runs_output_of(seen, &FETCHERS) || services::downloads(seen);
        let runs = runs_output(seen).filter(|_| fetches()).or_else(|| fetched::runs_unpacked(seen));
        runs.map_or_else(Vec::new, |runs| fetched::address(seen).into_iter().chain([runs]).collect())
    }),
    rule(Effect::DecodeAndRun, |seen| {
        one(runs_output(seen).filter(|_| runs_output_of(seen, &DECODERS) || encoded(seen)))
    }),
    rule(Effect::PipeToShell, |seen| {
        let unread = |_: &String| {
            let explained = runs_output_of(seen, &FETCHERS)
                || runs_output_of(seen, &DECODERS)
                || services::downloads(seen);
            !is_command_output(seen.word) && !explained && !encoded(seen)
        };
        one(runs_output(seen).filter(unread))
    }),
    rule(Effect::Elevated, |seen| one(elevated_command(seen))),
    rule(Effect::DeletesOutside, |seen| {
        paths(&deleted_paths(seen), seen.project, |path| is_outside(path, seen.project))
    }),
    rule(Effect::DeletesAll, deletes_all),
    rule(Effect::DeletesUnknown, deletes_unknown),
    rule(Effect::DeletesData, |seen| one(services::deletes(seen))),
    rule(Effect::StopsAll, |seen| one(stops_all(seen))),
    rule(Effect::Disk, |seen| one(disk(seen))),
    rule(Effect::RunsLater, |seen| {
        let mut found = paths(&written_files(seen), seen.project, runs_later);
        found.extend(scheduled_command(seen));
        found
    }),
    rule(Effect::Settings, |seen| {
        let mut found = paths(&written_files(seen), seen.project, |path| is_dotfile(path) || is_system(path));
        found.extend(services::changes_machine(seen));
        found
    }),
    rule(Effect::WritesOutside, |seen| {
        let mounted =
            services::mounts(seen).into_iter().filter(|mount| !mount.read_only).map(|mount| mount.path);
        let mut found =
            paths(&mounted.collect::<Vec<_>>(), seen.project, |path| leads_outside(path, seen.project));
        found.extend(paths(&written_files(seen), seen.project, |path| {
            leads_outside(path, seen.project) && !is_dotfile(path) && !is_system(path) && !runs_later(path)
        }));
        found
    }),
    rule(Effect::Secrets, secrets),
    rule(Effect::ForcePush, |seen| one(git::force_push(seen))),
    rule(Effect::Discards, |seen| one(git::discards(seen))),
    rule(Effect::Eval, |seen| {
        let evaluates = seen.is(&["eval", "iex", "Invoke-Expression"]);
        // A text without variables is read itself.
        let unread = evaluates && runs_output(seen).is_none() && !prints_shell_settings(seen);
        one((unread && seen.arguments.iter().any(|word| depends(word))).then(|| seen.line()))
    }),
    rule(Effect::NetworkShell, |seen| one(network_shell(seen))),
    rule(Effect::Listens, |seen| one(listens(seen))),
    rule(Effect::Sends, |seen| one(sends(seen))),
    rule(Effect::OpenToAll, |seen| one(open_to_all(seen))),
    rule(Effect::Installs, |seen| one(installs(seen))),
];

fn one(found: Option<String>) -> Vec<String> {
    found.into_iter().collect()
}

/// The paths that are dangerous, as people read them.
fn paths(all: &[String], project: Option<&str>, is: impl Fn(&str) -> bool) -> Vec<String> {
    all.iter().filter(|path| is(&resolved(path, project))).map(|path| for_people(path, project)).collect()
}

const DECODERS: [&str; 9] =
    ["base64", "base32", "xxd", "openssl", "gunzip", "zcat", "uudecode", "rev", "unxz"];
/// How far a pipe is followed back.
const PIPE: usize = 12;

/// The command, if it runs what another one prints: `curl … | sh`, `sh -c "$(curl …)"`.
fn runs_output(seen: &Command<'_>) -> Option<String> {
    if runs_file_of(seen, &FETCHERS) || runs_file_of(seen, &DECODERS) {
        return Some(seen.line());
    }
    // `$(curl …)` alone runs what it prints.
    if is_command_output(seen.word) && (reads_output_of(seen, &FETCHERS) || reads_output_of(seen, &DECODERS))
    {
        return Some(shortened(seen.word));
    }
    if !seen.runs_code() {
        // `source <(curl …)`
        let sources =
            seen.is(&["source", ".", "eval", "iex", "Invoke-Expression"]) && !prints_shell_settings(seen);
        let unread = seen.simple.piped && !seen.input_is_known();
        let reads = seen.is(&["source", "."]) && seen.names_input();
        if seen.simple.piped && seen.is(&["iex", "Invoke-Expression"]) || unread && reads {
            return Some(seen.line());
        }
        // `while read line; do $line; done`; variables of the environment, as `$PAGER`, have capitals.
        let own = seen.word.starts_with('$')
            && !is_command_output(seen.word)
            && seen.word.contains(|ch: char| ch.is_ascii_lowercase());
        if unread && own && seen.arguments.is_empty() {
            return Some(seen.line());
        }
        return (sources && seen.arguments.iter().any(|word| is_command_output(word))).then(|| seen.line());
    }
    let has_operand = seen.arguments.iter().any(|word| !word.starts_with('-'));
    let module = !seen.is_shell() && seen.has(&["-m"]);
    let names = seen.has(&["-s", "-"]) || seen.names_input();
    let reads = !has_operand || names && seen.script().is_none() && !module;
    let made_input = seen.simple.reads.iter().any(|word| is_command_output(word));
    let waits = (seen.simple.piped || made_input) && reads && !seen.input_is_known() || seen.runs_lines();
    let given = seen.arguments.iter().any(|word| is_command_output(word));
    (waits || given || encoded(seen)).then(|| seen.line())
}

/// True for a word that is, or begins with, the output of another command.
fn is_command_output(word: &str) -> bool {
    ["$(", "<(", "`"].iter().any(|start| word.starts_with(start))
}

/// True for `eval "$(ssh-agent -s)"`: programs that print settings for a shell.
fn prints_shell_settings(seen: &Command<'_>) -> bool {
    let printers = [
        "ssh-agent",
        "brew",
        "direnv",
        "pyenv",
        "rbenv",
        "nodenv",
        "fnm",
        "mise",
        "starship",
        "conda",
        "opam",
        "dircolors",
        "zoxide",
        "luarocks",
        "keychain",
        "minikube",
        "docker-machine",
        "rustup",
    ];
    let known = |word: &String| {
        let commands = shell::read(word.trim_start_matches(['$', '<'])).commands;
        !commands.is_empty()
            && commands.iter().all(|command| Command::new(command, &[], None, "").is(&printers))
    };
    seen.is(&["eval", "source", "."])
        && seen.arguments.iter().all(|word| is_command_output(word) && known(word))
}

/// True if the command runs a file that one of these programs has written before on the line.
fn runs_file_of(seen: &Command<'_>, programs: &[&str]) -> bool {
    let Some(file) = seen.file_run() else { return false };
    let first = seen.before.len().saturating_sub(FILES);
    (first..seen.before.len()).any(|at| {
        let Some((command, before)) = seen.before.get(..=at).and_then(<[SimpleCommand]>::split_last) else {
            return false;
        };
        // Most commands do not even name it.
        if !command.words.iter().chain(&command.writes).any(|word| word.ends_with(file)) {
            return false;
        }
        let earlier = Command::new(command, before, None, "");
        let mut files: Vec<&str> = command.writes.iter().map(|path| base_name(path)).collect();
        match earlier.program {
            "tee" => files.extend(earlier.operands().map(base_name)),
            "curl" | "wget" | "aria2c" | "openssl" => {
                let options = ["-o", "-O", "--output", "--output-document", "--out", "-out"];
                files.extend(earlier.values(&options).into_iter().map(base_name));
                // A download has the name that its address ends with.
                files.extend(earlier.operands().filter(|word| word.contains("://")).map(base_name));
            }
            _ => {}
        }
        files.contains(&file) && (earlier.is(programs) || reads_output_of(&earlier, programs))
    })
}

fn encoded(seen: &Command<'_>) -> bool {
    let flag = |word: &String| {
        let word = word.to_ascii_lowercase();
        word == "-enc" || word == "-encodedcommand" || word == "-e"
    };
    let decodes = || {
        let decoders = ["b64decode", "atob(", "'base64'", "\"base64\"", "decode64", "base64_decode"];
        seen.texts().any(|text| {
            let runs = text.contains("exec") || text.contains("eval");
            runs && decoders.iter().any(|part| text.contains(part))
        })
    };
    (seen.is(&["pwsh", "powershell"]) && seen.arguments.iter().any(flag))
        || (seen.runs_code() && !seen.is_shell() && decodes())
}

/// True if one of these programs is earlier in the same pipe, or in a substitution among its arguments.
fn reads_output_of(seen: &Command<'_>, programs: &[&str]) -> bool {
    let names = |command: &SimpleCommand| {
        let seen = Command::new(command, &[], None, "");
        seen.is(programs)
    };
    let mut piped = seen.simple.piped;
    for command in seen.before.iter().rev().filter(|command| !command.inner).take(PIPE) {
        if !piped {
            break;
        }
        if names(command) {
            return true;
        }
        piped = command.piped;
    }
    let inside = |word: &str| {
        is_command_output(word) && shell::read(word.trim_start_matches(['$', '<'])).commands.iter().any(names)
    };
    inside(seen.word) || seen.arguments.iter().chain(&seen.simple.reads).any(|word| inside(word))
}

/// True if what the command runs comes from one of these programs.
fn runs_output_of(seen: &Command<'_>, programs: &[&str]) -> bool {
    reads_output_of(seen, programs) || runs_file_of(seen, programs)
}

fn elevated_command(seen: &Command<'_>) -> Option<String> {
    let wrapper =
        ["sudo", "doas", "pkexec", "run0", "gsudo"].iter().find(|name| seen.wrappers.contains(name));
    let docker = seen.is(&["docker", "podman"])
        && (seen.has(&["--privileged"]) || seen.arguments.iter().any(|word| word.starts_with("/:/")));
    let own = seen.is(&["su", "runas"]) || docker;
    wrapper.map(|name| format!("{name} {}", seen.line())).or_else(|| own.then(|| seen.line()))
}

/// What the command deletes.
pub(super) fn deleted_paths(seen: &Command<'_>) -> Vec<String> {
    let windows = windows_deletes(seen);
    let names: Vec<String> = if seen.is(&["find"]) {
        if seen.has(&["-delete"]) { find::search_folders(seen) } else { Vec::new() }
    } else if seen.is(&["rm", "unlink", "shred", "srm", "trash", "rimraf"]) || windows {
        let switch = |word: &str| word.len() == 2 && word.starts_with('/');
        let operands = seen.targets().filter(|word| !windows || !switch(word));
        operands.map(str::to_owned).collect()
    } else if seen.is(&["rsync"]) && seen.arguments.iter().any(|word| word.starts_with("--delete")) {
        seen.operands().last().map(str::to_owned).into_iter().collect()
    } else {
        Vec::new()
    };
    names.iter().map(|path| seen.resolve_path(path)).collect()
}

/// True for the commands of Windows that delete.
fn windows_deletes(seen: &Command<'_>) -> bool {
    let program = seen.program.to_ascii_lowercase();
    match program.as_str() {
        "remove-item" | "ri" | "del" | "erase" => true,
        "rd" | "rmdir" => seen.has(&["/s", "/S"]),
        _ => false,
    }
}

/// True if the command deletes what a search or another command names.
fn deletes_found(seen: &Command<'_>) -> bool {
    let from_input = seen.wrappers.iter().any(|name| ["xargs", "gxargs", "parallel"].contains(name));
    let filtered = seen.is(&["find"]) && seen.has(&["-delete"]) && find::filters(seen);
    let piped = seen.simple.piped && windows_deletes(seen) && seen.targets().next().is_none();
    piped || (from_input && seen.is(&["rm", "unlink", "shred", "srm", "trash", "rimraf"])) || filtered
}

fn deletes_all(seen: &Command<'_>) -> Vec<String> {
    let recursive = seen.flag(&['r', 'R'], &["--recursive"]) || seen.is(&["find", "rimraf"]);
    if deletes_found(seen) {
        return Vec::new();
    }
    let all = |path: &str| is_everything(path, seen.project) && (recursive || path.ends_with("**"));
    paths(&deleted_paths(seen), seen.project, all)
}

fn deletes_unknown(seen: &Command<'_>) -> Vec<String> {
    if deletes_found(seen) {
        let wrapper = seen.wrappers.iter().find(|name| ["xargs", "gxargs", "parallel"].contains(name));
        return vec![wrapper.map_or_else(|| seen.line(), |name| format!("{name} {}", seen.line()))];
    }
    // `mktemp` makes a folder of its own.
    let unknown =
        |path: &str| depends(path) && !path.starts_with("$(mktemp") && !is_outside(path, seen.project);
    paths(&deleted_paths(seen), seen.project, |path| unknown(path) && !is_everything(path, seen.project))
}

fn is_everything(path: &str, project: Option<&str>) -> bool {
    if is_outside(path, project) {
        return false;
    }
    let path = project.and_then(|project| path.strip_prefix(project)).unwrap_or(path);
    if ["$PWD", "${PWD}", "$(pwd)", "`pwd`"].contains(&path.trim_end_matches('/')) {
        return true;
    }
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    // `*`, `.*`, `.[!.]*` stand for all that is there.
    let any = |part: &str| part.contains('*') && !part.contains(|ch: char| ch.is_alphanumeric());
    match parts.as_slice() {
        [] | [".git"] | [".git", "objects" | "refs" | "logs" | "*" | "**"] => true,
        parts => parts.iter().all(|part| any(part)),
    }
}

fn disk(seen: &Command<'_>) -> Option<String> {
    let to_disk = |path: &str| {
        ["/dev/sd", "/dev/nvme", "/dev/disk", "/dev/hd", "/dev/mmcblk"]
            .iter()
            .any(|disk| path.starts_with(disk))
    };
    let written = written_files(seen).iter().any(|path| to_disk(path));
    let emptied = seen.is(&["shred", "blkdiscard", "sgdisk"]) && seen.operands().any(to_disk);
    let erased =
        seen.is(&["diskutil"]) && seen.operands().next().is_some_and(|verb| verb.starts_with("erase"));
    let made =
        erased || seen.program.starts_with("mkfs") || seen.is(&["wipefs", "fdisk", "parted", "format"]);
    (written || emptied || made).then(|| seen.line())
}

/// The command, if it stops the machine or all programs on it.
fn stops_all(seen: &Command<'_>) -> Option<String> {
    let machine = seen.is(&["shutdown", "reboot", "poweroff", "halt", "killall5"]);
    let level = seen.is(&["init", "telinit"]) && seen.has(&["0", "6"]);
    let service = seen.is(&["systemctl"])
        && ["poweroff", "reboot", "halt", "kexec", "rescue"].iter().any(|verb| seen.starts_with(&[verb]));
    // In `kill -1 5` the first number is the signal.
    let everything = seen.is(&["kill"]) && seen.arguments.iter().skip(1).any(|word| word == "-1");
    let person = seen.is(&["pkill", "killall"]) && seen.flag(&['u'], &["--user", "--euid"]);
    (machine || level || service || everything || person).then(|| seen.line())
}

/// Files that the command writes, judging by its words.
fn written_files(seen: &Command<'_>) -> Vec<String> {
    let mut files = seen.simple.writes.clone();
    if seen.is(&["tee", "Out-File", "Set-Content", "Add-Content", "sponge", "truncate"]) {
        files.extend(seen.operands().map(str::to_owned));
    }
    let in_place = seen.is(&["sed", "perl"]) && seen.flag(&['i'], &["--in-place"]);
    if seen.is(&["mv"]) {
        // What is moved is no longer where it was.
        files.extend(seen.operands().map(str::to_owned));
    }
    if seen.is(&["cp", "install", "ln", "rsync", "chmod", "chown", "touch", "ssh-copy-id"]) || in_place {
        files.extend(seen.operands().last().map(str::to_owned));
    }
    let options = OUTPUTS.iter().filter(|(programs, _)| seen.is(programs));
    let values = options.flat_map(|(_, options)| seen.values(options));
    files.extend(values.filter(|value| !value.starts_with("http")).map(str::to_owned));
    match seen.program {
        "git" if seen.starts_with(&["clone"]) && seen.operands().count() > 2 => {
            files.extend(seen.operands().last().map(str::to_owned));
        }
        "tar" | "bsdtar" | "gtar" => {
            let verb = seen.arguments.first().is_some_and(|word| word.contains('x') && !word.contains('/'));
            let extracts = verb || seen.has(&["--extract", "--get"]);
            let folder = seen.values(&["-C", "--directory"]).into_iter().filter(|_| extracts);
            files.extend(folder.map(str::to_owned));
        }
        "dd" => {
            files
                .extend(seen.arguments.iter().filter_map(|word| word.strip_prefix("of=")).map(str::to_owned));
        }
        _ => {}
    }
    files.iter().map(|path| seen.resolve_path(path)).collect()
}

/// Options whose value is a file or a folder that is written.
const OUTPUTS: [(&[&str], &[&str]); 9] = [
    (&["curl"], &["-o", "--output", "--output-dir"]),
    (&["wget"], &["-O", "-P", "--output-document", "--directory-prefix"]),
    (&["cp", "mv", "ln", "install"], &["-t", "--target-directory"]),
    (&["git"], &["--output", "-o", "--output-directory"]),
    (&["find"], &["-fprint", "-fprint0", "-fprintf", "-fls"]),
    (&["sort"], &["-o", "--output"]),
    (&["unzip"], &["-d"]),
    (&["7z", "7za"], &["-o"]),
    (&["pip", "pip3"], &["-t", "--target"]),
];

fn scheduled_command(seen: &Command<'_>) -> Option<String> {
    let reads =
        seen.has(&["--get", "--get-all", "--unset", "--unset-all", "--list", "-l", "get", "unset", "list"]);
    let hooks = seen.is(&["git"])
        && seen.starts_with(&["config"])
        && !reads
        && seen.arguments.iter().any(|word| {
            let word = word.to_ascii_lowercase();
            word.starts_with("core.hookspath")
                || word.starts_with("core.sshcommand")
                || word.starts_with("core.fsmonitor")
                || word.starts_with('!')
        });
    let own = seen.is(&["git"])
        && seen.values(&["-c", "--config"]).iter().filter_map(|word| word.split_once('=')).any(
            |(name, folder)| {
                name.eq_ignore_ascii_case("core.hookspath") && !["", "/dev/null"].contains(&folder)
            },
        );
    let crontab = seen.is(&["crontab"]) && !seen.has(&["-l"]);
    let service =
        seen.is(&["systemctl"]) && seen.starts_with(&["enable"]) || seen.is(&["schtasks", "launchctl", "at"]);
    (hooks || own || crontab || service || variables::loads_code(seen)).then(|| seen.simple.words.join(" "))
}

fn secrets(seen: &Command<'_>) -> Vec<String> {
    // These only name files, as in `echo .env >> .gitignore`. For any other
    // command, naming a secret counts as using it.
    let names = seen.is(&["echo", "printf", "ls", "stat", "test", "["]) || find::only_names(seen);
    if names && !seen.simple.piped {
        let written = seen.simple.writes.iter().map(|path| seen.resolve_path(path));
        return paths(&written.collect::<Vec<_>>(), seen.project, is_secret);
    }
    let mut found: Vec<String> = services::prints_secret(seen).into_iter().collect();
    let mounted = services::mounts(seen).into_iter().map(|mount| mount.path);
    found.extend(paths(&mounted.collect::<Vec<_>>(), seen.project, is_secret));
    // The first word of a search is what is looked for.
    let pattern = usize::from(seen.is(&["grep", "egrep", "fgrep", "rg", "ag", "ack"]));
    let pattern = seen.operands().next().filter(|_| pattern > 0 && !seen.has(&["-e", "-f"]));
    let words = seen.arguments.iter().chain(&seen.simple.writes).chain(&seen.simple.reads);
    let prose = seen.values(&PROSE);
    let part = |word: &String| {
        let path = word.trim_start_matches('@').rsplit(['=', '@']).next().unwrap_or(word);
        let path = seen.resolve_path(path);
        let secret = is_secret(&resolved(&path, seen.project)) || path.contains("169.254.169.254");
        secret.then(|| for_people(&path, seen.project))
    };
    let words = words
        .filter(|word| Some(word.as_str()) != pattern && !prose.contains(&word.as_str()))
        .filter(|word| !word.contains("://") || word.contains("169.254.169.254"))
        .filter_map(part);
    found.extend(words);
    found
}

/// Options whose value is a text for people.
const PROSE: [&str; 8] =
    ["-m", "--message", "--body", "--title", "--notes", "--description", "--subject", "--grep"];

fn network_shell(seen: &Command<'_>) -> Option<String> {
    let device = |word: &String| word.contains("/dev/tcp/") || word.contains("/dev/udp/");
    let command = seen.simple;
    let device = command.words.iter().chain(&command.writes).chain(&command.reads).any(device);
    let netcat = seen.is(&["nc", "ncat", "netcat"]) && seen.flag(&['e', 'c'], &["--exec", "--sh-exec"]);
    let socat = seen.is(&["socat"])
        && seen.arguments.iter().any(|word| word.to_ascii_uppercase().starts_with("EXEC:"));
    let code = seen.runs_code()
        && seen.texts().any(|text| {
            let shell = ["dup2", "/bin/sh", "/bin/bash", "pty.spawn", "cmd.exe"];
            text.to_ascii_lowercase().contains("socket") && shell.iter().any(|part| text.contains(part))
        });
    (device || netcat || socat || code).then(|| seen.line())
}

fn listens(seen: &Command<'_>) -> Option<String> {
    let netcat = seen.is(&["nc", "ncat", "netcat"]) && seen.flag(&['l'], &["--listen"]);
    let socat = seen.is(&["socat"])
        && seen.arguments.iter().any(|word| word.to_ascii_uppercase().contains("-LISTEN"));
    let everywhere = seen.arguments.iter().any(|word| {
        ["0.0.0.0", "[::]", "::"].iter().any(|all| word == all || word.starts_with(&format!("{all}:")))
            || word.ends_with("=0.0.0.0")
    });
    let python = seen.program.starts_with("python")
        && seen.has(&["http.server", "SimpleHTTPServer"])
        && !seen.has(&["127.0.0.1", "localhost"]);
    let tunnel = seen.is(&["ngrok", "cloudflared", "localtunnel"]);
    let forwards = seen.is(&["ssh"]) && seen.flag(&['R'], &[]);
    (netcat || socat || everywhere || python || tunnel || forwards).then(|| seen.line())
}

fn sends(seen: &Command<'_>) -> Option<String> {
    let uploads = seen.is(&["curl"])
        && (seen.flag(&[], &["--upload-file"])
            || seen.has(&["-T"])
            || seen.arguments.iter().any(|word| {
                (word.starts_with('@') && (word != "@-" || !seen.input_is_known()))
                    || word.starts_with("-d@")
                    || word.contains("=@")
                    || word.starts_with("-T")
            }))
        && !seen.operands().any(services::is_own_machine);
    let wget = seen.is(&["wget"]) && seen.flag(&[], &["--post-file", "--body-file"]);
    // `host:path`, but not `C:\` and not a URL.
    let remote = |word: &str| {
        word.split_once(':')
            .is_some_and(|(host, rest)| host.len() > 1 && !rest.starts_with("//") && !host.contains('/'))
    };
    let copies = seen.is(&["scp", "rsync", "sftp"]) && seen.operands().last().is_some_and(remote);
    let pipes = seen.is(&["nc", "ncat", "netcat"]) && seen.simple.piped && !seen.flag(&['l'], &["--listen"]);
    (uploads || wget || copies || pipes || services::sends(seen)).then(|| seen.line())
}

fn open_to_all(seen: &Command<'_>) -> Option<String> {
    let open = |mode: &str| {
        let digits = mode.trim_start_matches('0');
        let octal = digits.len() >= 3 && digits.bytes().all(|byte| byte.is_ascii_digit());
        let others = octal && digits.ends_with(['2', '3', '6', '7']);
        let special = octal && digits.len() == 4;
        let letters = mode.split(',').any(|part| {
            let (who, what) = part.split_once(['+', '=']).unwrap_or_default();
            (what.contains('w') && who.contains(['o', 'a']))
                || (what.contains('s') && who.contains(['u', 'g']))
        });
        others || special || letters
    };
    (seen.is(&["chmod"]) && seen.operands().next().is_some_and(open)).then(|| seen.line())
}

pub(super) fn installs(seen: &Command<'_>) -> Option<String> {
    let first = seen.operands().next().unwrap_or_default();
    let begins = |verbs: &[&str]| verbs.iter().any(|verb| seen.starts_with(&[verb]));
    let by = match seen.program {
        "npm" => begins(&["install", "i", "add", "ci", "exec", "x"]),
        "pnpm" | "yarn" | "bun" => begins(&["install", "i", "add", "dlx", "x"]),
        "pip" | "pip3" | "pipx" => begins(&["install", "run"]),
        "uv" => {
            begins(&["sync", "add", "tool", "run"])
                || seen.starts_with(&["pip", "install"])
                || seen.starts_with(&["pip", "sync"])
        }
        "gem" | "brew" | "cargo" | "go" | "apt" | "apt-get" | "dnf" | "yum" | "apk" | "pacman" | "conda"
        | "composer" | "dotnet" | "choco" | "winget" => {
            begins(&["install", "add", "require"]) || first == "-S" || seen.has(&["-S"])
        }
        "npx" | "bunx" | "uvx" => !first.is_empty(),
        program if program.starts_with("python") => seen.has(&["pip"]) && seen.has(&["install"]),
        _ => false,
    };
    // Where a package itself is run, this says nothing.
    let runs = seen.is(&["npx", "bunx", "uvx"]) || begins(&["exec", "x", "dlx", "run"]);
    let harmless = runs_no_scripts(seen) || seen.has(&["--dry-run", "--version", "--help"]);
    let quiet = seen.has(&["--no-install"]) || harmless && !runs;
    (by && !quiet && base_name(seen.program) == seen.program).then(|| seen.line())
}

/// True if packages are installed without their scripts, which no later word takes back.
pub(super) fn runs_no_scripts(seen: &Command<'_>) -> bool {
    let mut words = seen.arguments.iter().skip_while(|word| *word != "--ignore-scripts");
    words.next().is_some() && {
        let mut words = words.map(String::as_str).peekable();
        words.peek() != Some(&"false") && !words.any(|word| word.contains("ignore-scripts"))
    }
}
