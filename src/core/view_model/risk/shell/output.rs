//! What a command reads and prints, as far as the text of the command line says it.

use super::{ShellReading, SimpleCommand};

impl ShellReading {
    /// Gives an input to all commands that have none of their own: a text, if it is known, that comes through a pipe or not.
    pub(in super::super) fn feed(&mut self, (text, piped): &(Option<String>, bool)) {
        let open = |command: &&mut SimpleCommand| {
            !command.piped && command.input.is_none() && command.reads.is_empty()
        };
        for command in self.commands.iter_mut().filter(open) {
            command.input.clone_from(text);
            command.piped = *piped;
        }
    }
}

impl SimpleCommand {
    /// What the command prints to its standard output, if the text says all of it.
    pub(in super::super) fn printed(&self) -> Option<String> {
        let known = |text: &String| self.writes.is_empty() && !text.contains(['$', '`']);
        self.output().filter(known)
    }

    /// What the command prints, or writes by a redirection, as far as the text says it.
    pub(in super::super) fn output(&self) -> Option<String> {
        let (name, rest) = self.words.split_first()?;
        match (name.rsplit('/').next()?, rest) {
            ("echo", rest) => {
                let flag = |word: &&String| ["-n", "-e", "-E", "-ne", "-en"].contains(&word.as_str());
                Some(rest.iter().skip_while(flag).map(String::as_str).collect::<Vec<_>>().join(" "))
            }
            ("printf", [format]) if !format.contains('%') => Some(format.replace("\\n", "\n")),
            ("printf", [format, rest @ ..]) if format == "%s" => Some(rest.concat()),
            ("tee", _) => self.input.clone(),
            ("cat", rest) if rest.iter().all(|word| word == "-") => self.input.clone(),
            _ => None,
        }
        .filter(|text| !text.contains('\\') || self.input.is_some())
    }
}
