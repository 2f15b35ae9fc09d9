//! Finds the calls in Python, JavaScript, Perl, Ruby or PHP that delete files or run commands, as far as a rule
//! can be known: a known name, and texts in quotes as its arguments.

use super::command::CommandRun;

/// Functions that delete a file or a folder.
const DELETES: [&str; 18] = [
    "File.delete",
    "Dir.delete",
    "os.removedirs",
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
const RUNS: [&str; 28] = [
    "System.cmd",
    "system",
    "execSync",
    "exec",
    "popen",
    "run",
    "subprocess.call",
    "check_call",
    "check_output",
    "Popen",
    "spawn",
    "spawnSync",
    "shell_exec",
    "passthru",
    "os.execute",
    "execFile",
    "execFileSync",
    "getoutput",
    "getstatusoutput",
    "execv",
    "execvp",
    "execlp",
    "proc_open",
    "Deno.Command",
    "capture2",
    "capture2e",
    "capture3",
    "posix_spawn",
];
/// Functions that read a file whole.
const READ_CALLS: [&str; 7] =
    ["open", "readFileSync", "readFile", "read_text", "file_get_contents", "File.read", "readTextFileSync"];

/// What the code deletes and runs, as commands.
pub(super) fn runs(program: &str, code: &str) -> Vec<CommandRun> {
    let mut runs = Vec::new();
    let mut rest = code;
    let mut looked_up = 0;
    while let Some((name, behind)) = next_name(rest) {
        rest = behind;
        let is = |names: &[&str]| names.iter().any(|known| name == *known || ends_with_part(name, known));
        let deletes = is(&DELETES);
        let script = program == "osascript" && name == "script";
        let mut texts = arguments(behind);
        // `Path('/x').unlink()`
        if name.starts_with('.') && (is(&["unlink", "rmdir", "write_text", "write_bytes", "read_text"])) {
            let before = code.get(..code.len() - behind.len() - name.len()).and_then(receiver_text);
            texts.splice(..0, before);
        }
        let opens = name == "open"
            && texts.get(1).is_some_and(|mode| mode.len() <= 3 && mode.contains(['w', 'a', 'x', '+']));
        if is(&["open"]) && texts.iter().any(|text| text.starts_with('|') || text.ends_with('|')) {
            // Perl's `open(F, "cmd |")`
            runs.extend(
                texts.iter().map(|text| CommandRun::Script(text.trim_matches(['|', '-', ' ']).to_owned())),
            );
            continue;
        }
        if let Some(path) = texts.first().filter(|_| !opens && is(&READ_CALLS)) {
            runs.push(CommandRun::Words(["cat", path.as_str()].map(str::to_owned).to_vec()));
            continue;
        }
        if let Some(path) = texts.first().filter(|_| is(&WRITES) || opens) {
            runs.push(CommandRun::Words(["tee", path.as_str()].map(str::to_owned).to_vec()));
            continue;
        }
        let perl = ["perl", "ruby"].contains(&program);
        if perl && ["qx", "x"].contains(&name) {
            // `qx(…)`, `%x(…)`
            runs.extend(text_in_brackets(behind).map(|script| CommandRun::Script(script.to_owned())));
        }
        if !deletes && !is(&RUNS) && !script {
            continue;
        }
        if let Some(words) =
            behind.trim_start_matches([' ', '(']).strip_prefix("qw").and_then(text_in_brackets)
        {
            runs.push(CommandRun::Words(words.split_whitespace().map(str::to_owned).collect()));
            continue;
        }
        if texts.is_empty() && looked_up < MAX_ASSIGNMENTS {
            looked_up += 1;
            texts = assigned_texts(code, behind);
        }
        let home = in_home(behind).filter(|_| deletes);
        let texts = home.map_or(texts, |path| vec![path]);
        match (deletes, texts.as_slice()) {
            (true, [path, ..]) => {
                let words = ["rm", "-rf", "--", path.as_str()];
                runs.push(CommandRun::Words(words.map(str::to_owned).to_vec()));
            }
            // What a variable holds is known only when it runs.
            (true, []) => {
                let named = behind
                    .strip_prefix('(')
                    .and_then(|rest| next_name(rest).filter(|(name, _)| rest.starts_with(name)));
                let path = named.map(|(name, _)| format!("${name}"));
                runs.extend(
                    path.map(|path| {
                        CommandRun::Words(["rm", "-rf", "--", &path].map(str::to_owned).to_vec())
                    }),
                );
            }
            (false, [script]) => runs.push(CommandRun::Script(script.clone())),
            (false, [first, ..]) if first.contains(' ') => runs.push(CommandRun::Script(first.clone())),
            (false, words) if !words.is_empty() => runs.push(CommandRun::Words(words.to_vec())),
            _ => {}
        }
    }
    let quote = if ["perl", "ruby", "php"].contains(&program) { "`" } else { "$`" };
    // The shells of Bun and of zx: $`…`
    let between = code.split(quote).skip(1).filter_map(|rest| rest.split('`').next());
    let between = between.step_by(if quote == "`" { 2 } else { 1 });
    runs.extend(between.map(|script| CommandRun::Script(script.to_owned())));
    runs
}

/// The text between a bracket, or any other sign, and the one that closes it.
fn text_in_brackets(text: &str) -> Option<&str> {
    let open = text.chars().next().filter(char::is_ascii_punctuation)?;
    let close = match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        other => other,
    };
    text.get(1..)?.split_once(close).map(|(text, _)| text)
}

/// The texts that a variable is given that stands first in a call: `c = "…"; system(c)`.
fn assigned_texts(code: &str, behind: &str) -> Vec<String> {
    let name = |ch: char| ch.is_ascii_alphanumeric() || ch == '_';
    let first = behind.trim_start_matches(['(', ' ', '$', '@']);
    let first = first.get(..first.find(|ch| !name(ch)).unwrap_or(first.len())).unwrap_or_default();
    if first.is_empty() {
        return Vec::new();
    }
    let value = code.match_indices(first).take(CALL).find_map(|(at, _)| {
        let before = code.get(..at).unwrap_or_default();
        let value = code.get(at + first.len()..)?.trim_start().trim_start_matches(':').strip_prefix('=')?;
        (!before.ends_with(name)).then(|| value.trim_start_matches([' ', '[', '(']))
    });
    value.map(arguments).unwrap_or_default()
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
fn receiver_text(before: &str) -> Option<String> {
    let before = before.strip_suffix(')')?;
    let quote = before.chars().next_back().filter(|ch| matches!(ch, '"' | '\''))?;
    before.strip_suffix(quote)?.rsplit(quote).next().map(str::to_owned)
}

/// How many variables are looked for, each in the whole code.
const MAX_ASSIGNMENTS: usize = 64;
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
    // The next piece belongs to the text before it: `"a" + b`; in `f"{x}"` a name stands for its value.
    let (mut joins, mut formats) = (false, false);
    while let Some(ch) = chars.next() {
        match ch {
            '(' => depth += 1,
            ')' if depth <= 1 => break,
            ')' => depth -= 1,
            ';' | '\n' if depth == 0 => break,
            '+' | '.' => joins = !texts.is_empty(),
            '%' => {
                if let Some(text) = texts.last_mut() {
                    *text = text.replace("%s", "$s");
                }
            }
            '"' | '\'' | '`' => {
                let mut text = String::new();
                while let Some(next) = chars.next().filter(|next| *next != ch) {
                    text.extend(if next == '\\' { chars.next() } else { Some(next) });
                }
                if formats {
                    text = text.replace('{', "${");
                }
                match texts.last_mut().filter(|_| joins) {
                    Some(before) => before.push_str(&text),
                    None => texts.push(text),
                }
                (joins, formats) = (false, false);
            }
            ch if ch.is_ascii_alphanumeric() => {
                let mut name = String::from(ch);
                while let Some(next) = chars.next_if(|next| next.is_ascii_alphanumeric() || *next == '_') {
                    name.push(next);
                }
                formats = ["f", "rf", "fr", "F"].contains(&name.as_str());
                let quoted = chars.peek().is_some_and(|next| matches!(next, '"' | '\''));
                if let Some(before) = texts.last_mut().filter(|_| joins && !quoted) {
                    before.push_str("${");
                    before.push_str(&name);
                    before.push('}');
                    joins = false;
                }
            }
            ',' => joins = false,
            _ => {}
        }
    }
    texts
}
