//! Finds the calls in Python, JavaScript, Perl, Ruby or PHP that delete files or run commands, as far as a rule
//! can be said: a known name, and texts in quotes as its arguments.

use super::runs::Run;

/// Functions that delete a file or a folder.
const DELETES: [&str; 15] = [
    "rmtree",
    "rmSync",
    "rm_rf",
    "rm_r",
    "remove_tree",
    "rmdirSync",
    "unlinkSync",
    "unlink",
    "rm",
    "rmdir",
    "Deno.remove",
    "os.remove",
    "fs.rm",
    "removeSync",
    "remove_entry_secure",
];
/// Functions that write a file.
const WRITES: [&str; 9] = [
    "writeFileSync",
    "writeFile",
    "appendFileSync",
    "appendFile",
    "write_text",
    "write_bytes",
    "file_put_contents",
    "File.write",
    "writeTextFileSync",
];
/// Functions that run a command.
const RUNS: [&str; 12] = [
    "system",
    "execSync",
    "exec",
    "popen",
    "subprocess.run",
    "subprocess.call",
    "check_call",
    "check_output",
    "Popen",
    "spawnSync",
    "shell_exec",
    "passthru",
];

/// What the code deletes and runs, as commands.
pub(super) fn runs(program: &str, code: &str) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut rest = code;
    while let Some((name, behind)) = next_name(rest) {
        rest = behind;
        let is = |names: &[&str]| names.iter().any(|known| name == *known || ends_with_part(name, known));
        let deletes = is(&DELETES);
        let script = program == "osascript" && name == "script";
        let mut texts = arguments(behind);
        // `Path('/x').unlink()`
        if name.starts_with('.') && (is(&["unlink", "rmdir", "write_text", "write_bytes"])) {
            let before = code.get(..code.len() - behind.len() - name.len()).and_then(called_on);
            texts.splice(..0, before);
        }
        let opens = name == "open"
            && texts.get(1).is_some_and(|mode| mode.len() <= 3 && mode.contains(['w', 'a', 'x', '+']));
        if let Some(path) = texts.first().filter(|_| is(&WRITES) || opens) {
            runs.push(Run::Words(["tee", path.as_str()].map(str::to_owned).to_vec()));
            continue;
        }
        if !deletes && !is(&RUNS) && !script {
            continue;
        }
        let home = in_home(behind).filter(|_| deletes);
        let texts = home.map_or(texts, |path| vec![path]);
        match (deletes, texts.as_slice()) {
            (true, [path, ..]) => {
                let words = ["rm", "-rf", "--", path.as_str()];
                runs.push(Run::Words(words.map(str::to_owned).to_vec()));
            }
            (false, [script]) => runs.push(Run::Script(script.clone())),
            (false, [first, ..]) if first.contains(' ') => runs.push(Run::Script(first.clone())),
            (false, words) if !words.is_empty() => runs.push(Run::Words(words.to_vec())),
            _ => {}
        }
    }
    if ["perl", "ruby", "php"].contains(&program) {
        let between = code.split('`').skip(1).step_by(2);
        runs.extend(between.map(|script| Run::Script(script.to_owned())));
    }
    runs
}

fn ends_with_part(name: &str, part: &str) -> bool {
    name.strip_suffix(part).is_some_and(|before| before.ends_with('.'))
}

/// The next name, with its dots, and what follows it.
fn next_name(code: &str) -> Option<(&str, &str)> {
    let letter = |ch: char| ch.is_ascii_alphanumeric() || matches!(ch, '_' | '.');
    let start = code.find(letter)?;
    let rest = code.get(start..)?;
    let end = rest.find(|ch| !letter(ch)).unwrap_or(rest.len());
    Some(rest.split_at(end))
}

/// Calls and names that mean the home folder.
const HOMES: [&str; 6] = ["Path.home()", "homedir()", "Dir.home", "expanduser(", "'HOME'", "\"HOME\""];

/// The path in the home folder that the arguments of a call name.
fn in_home(behind: &str) -> Option<String> {
    let call = behind.split([';', '\n']).next().filter(|call| call.starts_with('('))?;
    let (_, below) = HOMES.iter().find_map(|home| call.split_once(home))?;
    let below = below.split(['"', '\'']).nth(1).unwrap_or_default().trim_start_matches(['~', '/']);
    Some(if below.is_empty() { "~".to_owned() } else { format!("~/{below}") })
}

/// The text in quotes that a method is called on.
fn called_on(before: &str) -> Option<String> {
    let before = before.strip_suffix(')')?;
    let quote = before.chars().next_back().filter(|ch| matches!(ch, '"' | '\''))?;
    before.strip_suffix(quote)?.rsplit(quote).next().map(str::to_owned)
}

/// How far behind its name a call is read.
const CALL: usize = 400;

/// The texts in quotes among the arguments of a call.
fn arguments(behind: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let rest = behind.trim_start_matches([' ', '\t']);
    // Perl's `unlink glob "…"`
    let rest = rest.strip_prefix("glob").map_or(rest, |rest| rest.trim_start_matches([' ', '(']));
    if !rest.starts_with(['(', '"', '\'']) {
        return texts;
    }
    let mut chars = rest.chars().take(CALL).peekable();
    let mut depth = 0_usize;
    while let Some(ch) = chars.next() {
        match ch {
            '(' => depth += 1,
            ')' if depth <= 1 => break,
            ')' => depth -= 1,
            ';' | '\n' if depth == 0 => break,
            '"' | '\'' | '`' => {
                let mut text = String::new();
                while let Some(next) = chars.next().filter(|next| *next != ch) {
                    text.extend(if next == '\\' { chars.next() } else { Some(next) });
                }
                texts.push(text);
            }
            _ => {}
        }
    }
    texts
}
