//! What a command runs besides itself: the script of `sh -c`, of a here-document, of `ssh`, the command of `find -exec`.

use super::command::{Command, CommandRun, FILES, base_name, quoted};
use super::shell::SimpleCommand;
use super::{code, find, git, taken};

/// Options of `ssh` that take a value.
const SSH_VALUED: [&str; 21] = [
    "-p", "-i", "-l", "-o", "-F", "-J", "-L", "-R", "-D", "-W", "-b", "-c", "-e", "-m", "-S", "-w", "-Q",
    "-E", "-I", "-B", "-O",
];

impl Command<'_> {
    /// What the command runs besides itself.
    pub fn runs(&self) -> Vec<CommandRun> {
        let mut runs = Vec::new();
        runs.extend(self.wrapped_script.map(|script| CommandRun::Script(script.to_owned())));
        if self.wrappers.iter().any(|name| ["watch", "parallel", "flock"].contains(name)) {
            // They run what they are given in a shell.
            runs.push(CommandRun::Script(
                self.arguments.iter().fold(self.word.to_owned(), |all, word| all + " " + word),
            ));
        }
        if self.program.is_empty() && self.wrappers.iter().any(|name| ["sudo", "doas"].contains(name)) {
            // `sudo -s` is a shell.
            runs.extend(self.input().map(CommandRun::Script));
        }
        if let Some(script) = self.powershell_script() {
            runs.push(CommandRun::Script(script));
        } else if self.is_shell() {
            match self.script() {
                Some((script, parameters)) => {
                    runs.push(CommandRun::Script(with_parameters(script, parameters)));
                }
                None if self.reads_input() => runs.extend(self.input().map(CommandRun::Script)),
                None => {}
            }
        } else if self.runs_code() {
            runs.extend(self.code().into_iter().flat_map(|text| code::runs(self.program, &text)));
        }
        if let Some(text) = self.written_text() {
            if self.runs_code() && !self.is_shell() {
                runs.extend(code::runs(self.program, &text));
            } else {
                runs.push(CommandRun::Script(text));
            }
        }
        let all = || self.arguments.join(" ");
        let value = |names: &[&str]| {
            let at = self.arguments.iter().position(|word| names.contains(&word.as_str()))?;
            self.arguments.get(at + 1).cloned()
        };
        match self.program {
            "alias" => {
                let values = self.arguments.iter().filter_map(|word| word.split_once('='));
                runs.extend(values.map(|(_, value)| CommandRun::Script(value.to_owned())));
            }
            _ if self.is(&["iex", "Invoke-Expression"]) => runs.push(CommandRun::Script(all())),
            "source" | "." if self.names_input() => runs.extend(self.input().map(CommandRun::Script)),
            "ssh" | "autossh" => runs.extend(self.remote().map(CommandRun::Remote)),
            "su" | "script" | "runuser" => {
                runs.extend(value(&["-c", "--command"]).or_else(|| self.input()).map(CommandRun::Script));
            }
            "-c" if self.wrappers.contains(&"flock") => runs.push(CommandRun::Script(all())),
            "nix-shell" => runs.extend(value(&["--run", "--command"]).map(CommandRun::Script)),
            "at" | "batch" => runs.extend(self.input().map(CommandRun::Script)),
            "cmd" | "cmd.exe" if self.has(&["/c", "/C", "/k"]) => {
                let text = self.arguments.get(1..).unwrap_or_default().join(" ");
                let commands = text.split(['&', '|']).map(|part| part.split_whitespace().map(str::to_owned));
                runs.extend(commands.map(|words| CommandRun::Words(words.collect())));
            }
            "find" | "fd" | "fdfind" => find::add_executed_commands(self, &mut runs),
            "git" => git::runs(self, &mut runs),
            _ => {}
        }
        runs.extend(taken::commands(self));
        if let Some(mark) = self.placeholder() {
            for run in &mut runs {
                if let CommandRun::Script(script) = run {
                    *script = script.replace(mark, "{}");
                }
            }
        }
        runs
    }

    /// The code that an interpreter is given.
    fn code(&self) -> Option<String> {
        let letters: &[char] = match self.family() {
            "perl" | "ruby" => &['e', 'E'],
            "php" => &['r'],
            "python" | "pypy" | "ipython" => &['c'],
            _ => &['e', 'p'],
        };
        let mut codes = Vec::new();
        for (at, word) in self.arguments.iter().enumerate() {
            // `-pe` is followed by the code, and so is the letter in `-c'…'`.
            let flags = word.strip_prefix('-').filter(|flags| !flags.starts_with('-'));
            let short = |flags: &&str| flags.len() < 6 && flags.ends_with(letters);
            let behind = match flags.filter(short) {
                Some(_) => Some(""),
                None => flags.and_then(|flags| flags.split_once(letters)).map(|(_, behind)| behind),
            };
            let long = ["--eval", "--print", "eval"].contains(&word.as_str());
            match behind {
                Some("") => codes.extend(self.arguments.get(at + 1).cloned()),
                Some(code) => codes.push(code.to_owned()),
                None if long => codes.extend(self.arguments.get(at + 1).cloned()),
                None => codes.extend(word.strip_prefix("--eval=").map(str::to_owned)),
            }
        }
        if codes.is_empty() && self.reads_input() { self.input() } else { Some(codes.join("\n")) }
    }

    /// What runs on another machine.
    fn remote(&self) -> Option<String> {
        let mut words = self.arguments.iter();
        loop {
            let word = words.next()?;
            if SSH_VALUED.contains(&word.as_str()) {
                words.next();
            } else if !word.starts_with('-') {
                break;
            }
        }
        let rest: Vec<&str> = words.map(String::as_str).collect();
        if rest.is_empty() { self.input() } else { Some(rest.join(" ")) }
    }

    /// The text of the file that the command runs, if the line has written it.
    fn written_text(&self) -> Option<String> {
        let file = self.file_run()?;
        let mut written = self.before.iter().rev().take(FILES);
        let to_file = |path: &String| base_name(path) == file;
        let tees = |command: &SimpleCommand| {
            command.words.first().is_some_and(|name| name == "tee")
                && command.words.iter().skip(1).any(to_file)
        };
        written.find(|command| command.writes.iter().any(to_file) || tees(command))?.output()
    }
}

/// A script with the parameters that it is given, of which the first is its name.
fn with_parameters(script: &str, parameters: &[String]) -> String {
    let Some(parameters) = parameters.get(1..).filter(|rest| !rest.is_empty()) else {
        return script.to_owned();
    };
    let words = parameters.iter().map(|word| format!(" {}", quoted(word)));
    format!("script() {{\n{script}\n}}\nscript{}", words.collect::<String>())
}
