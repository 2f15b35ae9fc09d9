//! The programs that run the program named after them: `sudo`, `env`, `xargs`.

/// A program that runs the program named after it.
pub(super) struct Wrapper {
    pub names: &'static [&'static str],
    /// Its options that take the next word as their value.
    pub valued: &'static [&'static str],
    /// How many words stand between its options and the program.
    pub skips: usize,
}

const fn wrapper(names: &'static [&'static str], valued: &'static [&'static str], skips: usize) -> Wrapper {
    Wrapper { names, valued, skips }
}

pub(super) const WRAPPERS: [Wrapper; 20] = [
    wrapper(
        &["sudo", "doas", "pkexec", "run0", "gsudo"],
        &[
            "-u",
            "-g",
            "-h",
            "-p",
            "-C",
            "-D",
            "-R",
            "-T",
            "-U",
            "-r",
            "-t",
            "--user",
            "--group",
            "--host",
            "--prompt",
            "--chdir",
            "--chroot",
            "--close-from",
            "--other-user",
            "--role",
            "--type",
        ],
        0,
    ),
    wrapper(&["env"], &["-u", "-C", "--unset", "--chdir", "-S", "--split-string"], 0),
    wrapper(&["systemd-run"], &["-u", "-p", "-E", "-M", "--unit", "--property", "--setenv", "--slice"], 0),
    wrapper(&["screen"], &["-S", "-dmS", "-t", "-c", "-L"], 0),
    wrapper(&["nice"], &["-n", "--adjustment"], 0),
    wrapper(&["ionice"], &["-c", "-n", "-p", "--class", "--classdata"], 0),
    wrapper(&["timeout", "gtimeout"], &["-s", "-k", "--signal", "--kill-after"], 1),
    wrapper(&["stdbuf", "unbuffer"], &["-i", "-o", "-e", "--input", "--output", "--error"], 0),
    wrapper(&["time", "gtime"], &["-f", "-o", "--format", "--output"], 0),
    wrapper(&["exec"], &["-a"], 0),
    wrapper(
        &["xargs", "gxargs"],
        &[
            "-I",
            "-n",
            "-P",
            "-d",
            "-L",
            "-a",
            "-E",
            "-s",
            "--replace",
            "--max-args",
            "--max-procs",
            "--delimiter",
            "--max-lines",
            "--arg-file",
            "--max-chars",
        ],
        0,
    ),
    wrapper(&["chroot", "taskset", "chrt", "gosu", "su-exec", "faketime", "setarch"], &["-p"], 1),
    wrapper(&["flock"], &["-w", "-E", "--timeout", "--conflict-exit-code"], 1),
    wrapper(&["runuser"], &["-u", "-g", "-G", "--user"], 0),
    wrapper(&["strace", "ltrace"], &["-o", "-e", "-p", "-s", "-u", "-E"], 0),
    wrapper(&["parallel", "sem"], &["-j", "--jobs", "-a", "--arg-file", "--delay", "-I"], 0),
    wrapper(&["watch"], &["-n", "--interval"], 0),
    wrapper(&["unshare"], &["-R", "-w", "-S", "-G"], 0),
    wrapper(&["sshpass"], &["-p", "-f", "-d", "-P"], 0),
    wrapper(
        &[
            "nohup",
            "command",
            "builtin",
            "setsid",
            "busybox",
            "toybox",
            "caffeinate",
            "proot",
            "fakeroot",
            "noglob",
            "nocorrect",
            "entr",
            "chronic",
            "winpty",
            "setpriv",
            "firejail",
            "valgrind",
            "proxychains",
            "proxychains4",
            "torsocks",
            "eatmydata",
            "xvfb-run",
            "dbus-run-session",
            "rlwrap",
            "linux32",
            "linux64",
            "prlimit",
            "numactl",
            "dumb-init",
            "tini",
        ],
        &[],
        0,
    ),
];

/// True if a flag takes the next word as its value; of several letters the last one may: `-iu root`.
pub(super) fn takes_next(flag: &str, valued: &[&str]) -> bool {
    let letters = flag.strip_prefix('-').filter(|letters| !letters.starts_with('-')).unwrap_or_default();
    let takes = |letter: char| valued.iter().any(|known| known.len() == 2 && known.ends_with(letter));
    valued.contains(&flag) || letters.find(takes).is_some_and(|at| at + 1 == letters.len())
}
