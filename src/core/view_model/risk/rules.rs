//! The table of rules: what is dangerous in a command, and the words for it.
//! Cutting a line into commands is in `shell`.

use super::paths::{is_dotfile, is_secret, is_system, leaves, runs_later};
use super::{Seen, Simple, base, words};
use crate::i18n::Word;

/// One reason to warn.
pub(super) struct Rule {
    /// See [`super::Danger`].
    pub grave: bool,
    /// The reason; `$what` is the part of the command that it is about.
    pub says: Word,
    /// The part that it is about; `None` if the rule does not apply.
    pub finds: fn(&Seen<'_>) -> Option<String>,
}

const fn grave(says: Word, finds: fn(&Seen<'_>) -> Option<String>) -> Rule {
    Rule { grave: true, says, finds }
}

const fn mild(says: Word, finds: fn(&Seen<'_>) -> Option<String>) -> Rule {
    Rule { grave: false, says, finds }
}

/// In the order in which people read them.
pub(super) const COMMANDS: [Rule; 20] = [
    grave(words::FETCH_AND_RUN, |seen| runs_output(seen).filter(|_| fed_by(seen, &FETCHERS))),
    grave(words::DECODE_AND_RUN, |seen| {
        runs_output(seen).filter(|_| fed_by(seen, &DECODERS) || encoded(seen))
    }),
    grave(words::PIPE_TO_SHELL, |seen| {
        runs_output(seen).filter(|_| !fed_by(seen, &FETCHERS) && !fed_by(seen, &DECODERS) && !encoded(seen))
    }),
    grave(words::ELEVATED, elevated),
    grave(words::DELETES_OUTSIDE, |seen| deleted(seen).find(|path| is_outside(path, seen.cwd))),
    grave(words::DELETES_ALL, |seen| deleted(seen).find(|path| is_everything(path, seen.cwd))),
    mild(words::DELETES_UNKNOWN, |seen| {
        deleted(seen).find(|path| path.contains('$') && !is_outside(path, seen.cwd))
    }),
    grave(words::DISK, disk),
    grave(words::RUNS_LATER, |seen| {
        written(seen).into_iter().find(|path| runs_later(path)).or_else(|| scheduled(seen))
    }),
    grave(words::OUTSIDE_SETTINGS, |seen| {
        written(seen).into_iter().find(|path| is_dotfile(path) || is_system(path))
    }),
    mild(words::WRITES_OUTSIDE, |seen| {
        written(seen)
            .into_iter()
            .find(|path| leaves(path, seen.cwd) && !is_dotfile(path) && !is_system(path) && !runs_later(path))
    }),
    grave(words::SECRETS, secret),
    grave(words::FORCE_PUSH, force_push),
    grave(words::DISCARDS, discards),
    grave(words::EVAL, |seen| seen.is(&["eval", "iex", "Invoke-Expression"]).then(|| seen.line())),
    grave(words::NETWORK_SHELL, network_shell),
    mild(words::LISTENS, listens),
    grave(words::SENDS_FILES, sends),
    grave(words::OPEN_TO_ALL, open_to_all),
    mild(words::INSTALLS, installs),
];

const FETCHERS: [&str; 8] = ["curl", "wget", "fetch", "http", "https", "aria2c", "nc", "iwr"];
const DECODERS: [&str; 6] = ["base64", "base32", "xxd", "openssl", "gunzip", "uudecode"];

/// The command, if it runs what another one prints: `curl … | sh`, `sh -c "$(curl …)"`.
fn runs_output(seen: &Seen<'_>) -> Option<String> {
    if !seen.runs_code() {
        // `source <(curl …)`
        let sources = seen.is(&["source", ".", "eval"]);
        return (sources && seen.arguments.iter().any(|word| made(word))).then(|| seen.line());
    }
    let told = seen.arguments.iter().any(|word| !word.starts_with('-'));
    let waits = seen.command.piped && (!told || seen.has(&["-s", "-"]) && seen.script().is_none());
    let given = seen.arguments.iter().any(|word| made(word));
    (waits || given || encoded(seen)).then(|| seen.line())
}

/// True for a word that is, or begins with, the output of another command.
fn made(word: &str) -> bool {
    word.starts_with("$(") || word.starts_with("<(") || word.starts_with('(')
}

fn encoded(seen: &Seen<'_>) -> bool {
    let flag = |word: &String| {
        let word = word.to_ascii_lowercase();
        word == "-enc" || word == "-encodedcommand" || word == "-e"
    };
    seen.is(&["pwsh", "powershell"]) && seen.arguments.iter().any(flag)
}

/// True if one of these programs is earlier in the same pipe, or in a substitution among its arguments.
fn fed_by(seen: &Seen<'_>, programs: &[&str]) -> bool {
    let names = |command: &Simple| {
        let seen = Seen::new(command, &[], None);
        seen.is(programs)
    };
    let mut piped = seen.command.piped;
    for command in seen.before.iter().rev().filter(|command| !command.inner) {
        if !piped {
            break;
        }
        if names(command) {
            return true;
        }
        piped = command.piped;
    }
    let inside =
        |word: &String| made(word) && super::commands(word.trim_start_matches(['$', '<'])).iter().any(names);
    seen.arguments.iter().any(inside)
}

fn elevated(seen: &Seen<'_>) -> Option<String> {
    let wrapper = ["sudo", "doas", "pkexec"].iter().find(|name| seen.wrappers.contains(name));
    let docker = seen.is(&["docker", "podman"])
        && (seen.has(&["--privileged"]) || seen.arguments.iter().any(|word| word.starts_with("/:/")));
    let own = seen.is(&["su", "runas"]) || docker;
    wrapper.map(|name| format!("{name} {}", seen.line())).or_else(|| own.then(|| seen.line()))
}

/// What the command deletes recursively.
fn deleted(seen: &Seen<'_>) -> std::vec::IntoIter<String> {
    let recursive = seen.flag(&['r', 'R'], &["--recursive"]);
    let found = seen.is(&["find"]) && seen.has(&["-delete"]);
    let windows = seen.is(&["Remove-Item", "rd", "rmdir"]) && seen.has(&["-Recurse", "/s", "/S"]);
    let whole = (seen.is(&["rm"]) && recursive) || windows;
    let most = if whole { usize::MAX } else { usize::from(found) };
    seen.operands().take(most).map(str::to_owned).collect::<Vec<_>>().into_iter()
}

fn is_outside(path: &str, cwd: Option<&str>) -> bool {
    path == "/" || path.starts_with("/*") || leaves(path, cwd)
}

fn is_everything(path: &str, cwd: Option<&str>) -> bool {
    let path = path.trim_end_matches('/');
    let whole = ["", ".", "*", "./*", ".git", "./.git", "$PWD", "${PWD}", "$(pwd)"].contains(&path);
    whole && !is_outside(path, cwd) || Some(path) == cwd
}

fn disk(seen: &Seen<'_>) -> Option<String> {
    let to_disk = |path: &str| {
        ["/dev/sd", "/dev/nvme", "/dev/disk", "/dev/hd", "/dev/mmcblk"]
            .iter()
            .any(|disk| path.starts_with(disk))
    };
    let written = seen.command.writes.iter().any(|path| to_disk(path));
    let copied =
        seen.is(&["dd"]) && seen.arguments.iter().filter_map(|word| word.strip_prefix("of=")).any(to_disk);
    let made = seen.program.starts_with("mkfs") || seen.is(&["wipefs", "fdisk", "parted", "format"]);
    (written || copied || made).then(|| seen.line())
}

/// Files that the command writes, judging by its words.
fn written(seen: &Seen<'_>) -> Vec<String> {
    let mut files = seen.command.writes.clone();
    if seen.is(&["tee", "Out-File", "Set-Content", "Add-Content"]) {
        files.extend(seen.operands().map(str::to_owned));
    }
    let in_place = seen.is(&["sed", "perl"]) && seen.flag(&['i'], &["--in-place"]);
    if seen.is(&["cp", "mv", "install", "ln", "rsync", "chmod", "chown", "touch"]) || in_place {
        files.extend(seen.operands().last().map(str::to_owned));
    }
    if seen.is(&["curl", "wget"]) {
        let output = |pair: &[String]| match pair {
            [flag, path] if ["-o", "-O", "--output", "--output-document"].contains(&flag.as_str()) => {
                Some(path.clone())
            }
            _ => None,
        };
        files.extend(seen.arguments.windows(2).filter_map(output).filter(|path| !path.starts_with("http")));
    }
    files
}

fn scheduled(seen: &Seen<'_>) -> Option<String> {
    let hooks = seen.is(&["git"])
        && seen.starts_with(&["config"])
        && seen.arguments.iter().any(|word| {
            let word = word.to_ascii_lowercase();
            word.starts_with("core.hookspath")
                || word.starts_with("core.sshcommand")
                || word.starts_with("core.fsmonitor")
                || word.starts_with('!')
        });
    let crontab = seen.is(&["crontab"]) && !seen.has(&["-l"]);
    let service =
        seen.is(&["systemctl"]) && seen.starts_with(&["enable"]) || seen.is(&["schtasks", "launchctl", "at"]);
    let loaded = seen.command.words.iter().any(|word| {
        ["LD_PRELOAD=", "DYLD_INSERT_LIBRARIES=", "BASH_ENV=", "PROMPT_COMMAND=", "GIT_SSH_COMMAND="]
            .iter()
            .any(|name| word.starts_with(name))
    });
    (hooks || crontab || service || loaded).then(|| seen.command.words.join(" "))
}

fn secret(seen: &Seen<'_>) -> Option<String> {
    // These only name files, as in `echo .env >> .gitignore`. For any other
    // command, naming a secret counts as using it.
    if seen.is(&["echo", "printf", "ls", "stat", "test", "["]) && !seen.command.piped {
        return seen.command.writes.iter().find(|path| is_secret(path)).cloned();
    }
    let words = seen.arguments.iter().chain(&seen.command.writes);
    let part = |word: &String| {
        let path = word.trim_start_matches('@').rsplit(['=', '@']).next().unwrap_or(word).to_owned();
        (is_secret(&path) || path.contains("169.254.169.254")).then_some(path)
    };
    words.filter(|word| !word.contains("://") || word.contains("169.254.169.254")).find_map(part)
}

fn force_push(seen: &Seen<'_>) -> Option<String> {
    let forced = seen.flag(&['f'], &["--force", "--mirror", "--delete", "--force-with-lease"])
        || seen.arguments.iter().any(|word| word.starts_with('+'));
    (seen.is(&["git"]) && seen.starts_with(&["push"]) && forced).then(|| seen.line())
}

fn discards(seen: &Seen<'_>) -> Option<String> {
    if !seen.is(&["git"]) {
        return None;
    }
    let reset = seen.starts_with(&["reset"]) && seen.has(&["--hard"]);
    let clean = seen.starts_with(&["clean"]) && seen.flag(&['f'], &["--force"]);
    let stash = seen.starts_with(&["stash", "drop"]) || seen.starts_with(&["stash", "clear"]);
    let all = (seen.starts_with(&["checkout"]) || seen.starts_with(&["restore"])) && seen.has(&["."]);
    let history = seen.starts_with(&["filter-branch"]) || seen.starts_with(&["branch"]) && seen.has(&["-D"]);
    (reset || clean || stash || all || history).then(|| seen.line())
}

fn network_shell(seen: &Seen<'_>) -> Option<String> {
    let device = |word: &String| word.contains("/dev/tcp/") || word.contains("/dev/udp/");
    let device = seen.command.words.iter().chain(&seen.command.writes).any(device);
    let netcat = seen.is(&["nc", "ncat", "netcat"]) && seen.flag(&['e', 'c'], &["--exec", "--sh-exec"]);
    let socat = seen.is(&["socat"])
        && seen.arguments.iter().any(|word| word.to_ascii_uppercase().starts_with("EXEC:"));
    (device || netcat || socat).then(|| seen.line())
}

fn listens(seen: &Seen<'_>) -> Option<String> {
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

fn sends(seen: &Seen<'_>) -> Option<String> {
    let uploads = seen.is(&["curl"])
        && (seen.flag(&[], &["--upload-file"])
            || seen.has(&["-T"])
            || seen.arguments.iter().any(|word| {
                word.starts_with('@')
                    || word.starts_with("-d@")
                    || word.contains("=@")
                    || word.starts_with("-T")
            }));
    let wget = seen.is(&["wget"]) && seen.flag(&[], &["--post-file", "--body-file"]);
    // `host:path`, but not `C:\` and not a URL.
    let remote = |word: &str| {
        word.split_once(':')
            .is_some_and(|(host, rest)| host.len() > 1 && !rest.starts_with("//") && !host.contains('/'))
    };
    let copies = seen.is(&["scp", "rsync", "sftp"]) && seen.operands().last().is_some_and(remote);
    let pipes = seen.is(&["nc", "ncat", "netcat"]) && seen.command.piped && !seen.flag(&['l'], &["--listen"]);
    (uploads || wget || copies || pipes).then(|| seen.line())
}

fn open_to_all(seen: &Seen<'_>) -> Option<String> {
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

fn installs(seen: &Seen<'_>) -> Option<String> {
    let first = seen.operands().next().unwrap_or_default();
    let by = match seen.program {
        "npm" => ["install", "i", "add", "ci", "exec", "x"].contains(&first),
        "pnpm" | "yarn" | "bun" => ["install", "i", "add", "dlx", "x"].contains(&first),
        "pip" | "pip3" | "pipx" | "uv" => ["install", "add", "tool", "run", "pip"].contains(&first),
        "gem" | "brew" | "cargo" | "go" | "apt" | "apt-get" | "dnf" | "yum" | "apk" | "pacman" | "conda"
        | "composer" | "dotnet" | "choco" | "winget" => ["install", "add", "-S", "require"].contains(&first),
        "npx" | "bunx" | "uvx" => !first.is_empty(),
        program if program.starts_with("python") => seen.has(&["pip"]) && seen.has(&["install"]),
        _ => false,
    };
    let harmless = seen.has(&["--ignore-scripts", "--dry-run", "--version", "--help"]);
    (by && !harmless && base(seen.program) == seen.program).then(|| seen.line())
}
