//! A tool call's state and data, and the merging of its partial output.

use std::sync::Arc;

use pilothouse_scan::Overlap;
use serde_json::Value;

use super::work::EntryState;
use crate::wire::json::Json;
use crate::wire::text::{JsonText, Text};

/// The state of a tool call, with the data that only this state has.
#[derive(Debug, Clone, PartialEq)]
pub enum CallStage {
    /// The model is still writing the arguments.
    Writing,
    /// The model requested it; it has not started.
    Requested,
    /// It runs.
    Running,
    /// It succeeded.
    Succeeded(Outcome),
    /// It failed.
    Failed(Failure),
    /// A person or a rule did not allow it.
    Denied(Failure),
    /// It will never complete: the turn was aborted, the session ended.
    Interrupted,
}

/// The result of a successful call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// The text for people (a diff, for example), if it differs from the model's.
    pub detailed: Option<Text>,
    /// Content blocks: text, terminal, image, audio, resource.
    pub contents: Vec<Value>,
    /// Exit code, for shells.
    pub exit_code: Option<i64>,
    /// An MCP tool's structured content, unchanged.
    pub structured: Option<Value>,
    /// Images and other binaries for the model: inline, omitted, or referred to by an asset's id.
    pub binaries: Vec<Value>,
    /// Sources that the model may cite.
    pub sources: Vec<Value>,
    /// Address of a view that the MCP server provided.
    pub view: Option<String>,
}

impl Outcome {
    /// True if it has nothing that a person could see.
    pub fn shows_nothing(&self) -> bool {
        self.detailed.is_none()
            && self.contents.is_empty()
            && self.structured.is_none()
            && self.binaries.is_empty()
            && self.view.is_none()
    }
}

/// Why a call has no result.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Failure {
    /// The reason as text.
    pub message: Text,
    /// The runtime's code: `rejected`, `denied`, `failure`, …
    pub code: Option<String>,
    /// The runtime's word for what a person can do about it.
    pub remediation: Option<String>,
    /// Exit code, for shells.
    pub exit_code: Option<i64>,
    /// The runtime ended before the call did, so it is unknown what the call has done.
    pub interrupted: bool,
}

/// Information about a tool apart from its name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolInfo {
    /// What it does, in its server's words.
    pub description: Option<String>,
    /// Its server's hints: read-only, destructive, …
    pub annotations: Option<Value>,
    /// How its server is reached: `stdio`, `http`, …
    pub transport: Option<String>,
    /// The source of its server's configuration.
    pub source: Option<String>,
}

/// A shell that keeps running after its call.
#[derive(Debug, Clone, PartialEq)]
pub struct BackgroundShell {
    /// The runtime's id for the shell.
    pub shell_id: String,
    /// It has ended.
    pub ended: bool,
    /// Its exit code, if known.
    pub exit_code: Option<i64>,
}

/// One tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// Its state.
    pub stage: CallStage,
    /// The tool's name.
    pub name: String,
    /// A title for people, if the tool has one.
    pub title: Option<String>,
    /// The arguments, once they are complete.
    pub arguments: Option<Json>,
    /// The text of the arguments so far, while the model is writing them.
    pub written: String,
    /// Why the model calls it, in its words.
    pub intention: Option<String>,
    /// The MCP server and the tool's name on it.
    pub mcp: Option<(String, String)>,
    /// The name of the sub-agent that its arguments name by its id.
    pub agent: Option<String>,
    /// Information about the tool from the events of its start and end.
    pub about: ToolInfo,
    /// The shell that keeps running after it.
    pub background: Option<BackgroundShell>,
    /// Output while it was running, merged.
    pub output: Text,
    /// How often a piece replaced the end of that output. Else it was only appended to.
    pub output_rewrites: u32,
    /// Output after the result, from a shell in the background.
    pub later_output: String,
    /// The last progress message.
    pub progress: Option<String>,
    /// The person requested it, not the model.
    pub by_user: bool,
    /// Its start event was received. That event comes before a person is asked for permission, and comes
    /// again if the runtime is restarted in between.
    pub has_started: bool,
    /// It waits for a permission, or was not allowed.
    pub is_waiting: bool,
    /// Milliseconds in which it waited for a permission.
    pub waited_ms: i64,
    /// When it began to wait, in milliseconds since 1970.
    pub waiting_since: Option<i64>,
    /// The model that requested it.
    pub model: Option<String>,
    /// Indices of the entries of all calls in the same message, including this one; none if it is the only
    /// one.
    pub parallel: Option<Arc<[usize]>>,
}

impl ToolCall {
    /// A call with only a name.
    pub fn new(name: String, life: CallStage) -> Self {
        Self {
            stage: life,
            name,
            title: None,
            arguments: None,
            written: String::new(),
            intention: None,
            mcp: None,
            agent: None,
            about: ToolInfo::default(),
            background: None,
            output: Text::default(),
            output_rewrites: 0,
            later_output: String::new(),
            progress: None,
            by_user: false,
            has_started: false,
            is_waiting: false,
            waited_ms: 0,
            waiting_since: None,
            model: None,
            parallel: None,
        }
    }

    /// The state of its entry.
    pub fn state(&self) -> EntryState {
        match &self.stage {
            CallStage::Writing => EntryState::Streaming,
            CallStage::Requested => EntryState::Pending,
            CallStage::Running => EntryState::Running,
            CallStage::Succeeded(_) => EntryState::Done,
            CallStage::Failed(failure) if !failure.interrupted => EntryState::Failed,
            CallStage::Denied(_) => EntryState::Denied,
            CallStage::Failed(_) | CallStage::Interrupted => EntryState::Interrupted,
        }
    }

    /// The text of its result, shared with the output if both are equal.
    pub(crate) fn shared_text(&mut self, text: JsonText<'_>) -> Text {
        if !self.output.is_empty() && text.equals(&self.output) { self.output.share() } else { text.text() }
    }

    /// True if it may have had effects.
    pub fn may_have_run(&self) -> bool {
        self.has_started || self.by_user || !self.output.is_empty()
    }

    /// True once it has ended.
    pub fn ended(&self) -> bool {
        !matches!(self.stage, CallStage::Writing | CallStage::Requested | CallStage::Running)
    }

    /// The argument of this name, if it is a string.
    pub fn argument(&self, name: &str) -> Option<&str> {
        self.arguments.as_ref()?.get(name)?.as_str()
    }

    /// The exit code of its command, also if that ended in the background.
    pub fn exit_code(&self) -> Option<i64> {
        match &self.stage {
            CallStage::Succeeded(outcome) => {
                outcome.exit_code.or_else(|| self.background.as_ref().and_then(|shell| shell.exit_code))
            }
            CallStage::Failed(failure) => failure.exit_code,
            _ => None,
        }
    }

    /// Notes at what time it begins to wait, or goes on.
    pub(crate) fn set_waits(&mut self, waits: bool, now: Option<i64>) {
        if let Some(since) = self.waiting_since.take().filter(|_| !waits) {
            self.waited_ms =
                self.waited_ms.saturating_add(now.map_or(0, |now| now.saturating_sub(since).max(0)));
        } else if waits {
            self.waiting_since = now;
        }
        self.is_waiting = waits;
    }

    /// True while its shell is running in the background.
    pub fn in_background(&self) -> bool {
        self.background.as_ref().is_some_and(|shell| !shell.ended)
    }
}

/// Beginnings of the lines that the runtime adds to a shell's output for the model.
const RUNTIME_LINES: [&str; 3] = ["<shellId:", "<command ", "<exited with exit code"];

/// Splits a shell's result into its output and the last line, if the runtime added that.
pub fn shell_output(text: &str) -> (&str, Option<&str>) {
    let trimmed = text.trim_end();
    let (before, last) = trimmed.rsplit_once('\n').unwrap_or(("", trimmed));
    if last.ends_with('>') && RUNTIME_LINES.iter().any(|line| last.starts_with(line)) {
        (before, Some(last))
    } else {
        // A space can be what a terminal has written over another character.
        (text.trim_end_matches('\n'), None)
    }
}

/// True for a result that has nothing but the runtime's line, as of a shell that went to the background: its output came before.
pub fn is_without_output(result: &str) -> bool {
    let (output, line) = shell_output(result);
    output.is_empty() && line.is_some()
}

/// The id of a shell that went to the background, from the runtime's line about it.
pub fn sent_to_background(line: &str) -> Option<&str> {
    let id = shell_id(line.strip_prefix("<command ").filter(|rest| rest.contains("background"))?)?;
    (!id.is_empty()).then_some(id)
}

/// How a shell ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShellEnd {
    /// The exit code, if known.
    pub exit_code: Option<i64>,
}

/// How a shell ended, if the runtime's line says that it did.
pub fn shell_end(line: &str) -> Option<ShellEnd> {
    let code = |words: &str| {
        let (_, after) = line.split_once(words)?;
        let code = after.trim_end_matches('>').split_whitespace().next()?;
        Some(ShellEnd { exit_code: code.parse().ok() })
    };
    let stopped = || line.contains(" stopped").then_some(ShellEnd { exit_code: None });
    code("completed with exit code ").or_else(|| code("<exited with exit code ")).or_else(stopped)
}

fn shell_id(text: &str) -> Option<&str> {
    let (_, after) = text.split_once("shellId: ")?;
    after.split(|ch: char| ch.is_whitespace() || ch == '>').next()
}

/// The effect of merging a partial output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputMerge {
    /// It contained nothing new.
    Unchanged,
    /// Text was appended.
    Appended,
    /// It replaced the end of what was there.
    Replaced,
}

/// A shell that a person runs keeps only the newest 80 KB of output, and then begins it with this note.
const DROPPED_NOTE: &str = "<output too long - dropped ";
/// Bytes that a piece has to share with the middle of the output to count as a window of it.
const WINDOW: usize = 16;
/// Bytes that a piece has to share with an output of one unfinished line to count as its next state.
const SAME_LINE: usize = 8;

/// Characters of a line of progress that are looked at.
const LONGEST_PROGRESS: usize = 500;

/// Merges a `partialOutput` into the output. It may be the whole output so far (the usual case), its last
/// part, or the next chunk. What is shared decides: a whole output or a window can end in another way than
/// what is there, because progress bars are drawn again. The cost is linear in the length of the piece.
pub fn merge_output(output: &mut String, partial: &str) -> OutputMerge {
    let is_window = !output.is_empty() && partial.starts_with(DROPPED_NOTE);
    let partial = if is_window { partial.split_once('\n').map_or("", |(_, window)| window) } else { partial };
    // A window can begin within a character.
    let piece =
        if output.is_empty() { partial } else { partial.trim_start_matches(char::REPLACEMENT_CHARACTER) };
    let (from, fresh) = match shared(output, piece, is_window) {
        Some(Overlap { place, length }) => (place + length, piece.get(length..).unwrap_or_default()),
        None => (output.len(), partial),
    };
    // The end of what is there stays until something else is there.
    if fresh.is_empty() || !output.is_char_boundary(from) {
        return OutputMerge::Unchanged;
    }
    let merged = if from == output.len() { OutputMerge::Appended } else { OutputMerge::Replaced };
    output.truncate(from);
    output.push_str(fresh);
    merged
}

/// Where in the output a piece begins, and how much of the piece is there already; `None` if it is a chunk.
fn shared(output: &str, piece: &str, is_window: bool) -> Option<Overlap> {
    let beginning = pilothouse_scan::common(output.as_bytes(), piece.as_bytes());
    if beginning == output.len() {
        return Some(Overlap { place: 0, length: beginning });
    }
    // The last character can be cut.
    let end = output.trim_end_matches(char::REPLACEMENT_CHARACTER).len();
    let is_shared = |found: &Overlap| {
        let Overlap { place, length } = *found;
        let text = piece.get(..length).unwrap_or_default();
        let lines = text.rfind('\n').and_then(|last| text.get(..last)).unwrap_or_default().trim();
        if place + length >= end {
            // White space alone does not count, as two chunks may well end and begin with a line break.
            text.trim().len() >= if is_window { 1 } else { 2 }
        } else if place > 0 {
            let least = if is_window { 1 } else { WINDOW };
            // A window with nothing new at its end is a chunk that happens to be there.
            length < piece.len()
                && lines.len() >= least
                && (is_window || length >= (output.len() - place) / 2)
        } else if output.contains('\n') {
            // The same first line alone can be a heading of two chunks.
            let is_new = length < piece.len() || length >= WINDOW;
            !lines.is_empty() && is_new && piece.len() >= output.len() / 2
        } else {
            length >= SAME_LINE && length >= output.len().min(piece.len()) / 2
        }
    };
    let (longest, at_end) = pilothouse_scan::overlaps(output.as_bytes(), piece.as_bytes());
    let at_end = Overlap { place: output.len() - at_end, length: at_end };
    let candidates = [longest, at_end, Overlap { place: 0, length: beginning }];
    let whole_characters = |Overlap { place, mut length }| {
        while !piece.is_char_boundary(length) {
            length -= 1;
        }
        Overlap { place, length }
    };
    let redrawn =
        || is_redrawn(output, piece).then(|| whole_characters(Overlap { place: 0, length: beginning }));
    candidates.map(whole_characters).into_iter().find(is_shared).or_else(redrawn)
}

/// True for letters, also for a few signs among them. `char::is_alphabetic` needs a table, and the page would fetch that first.
fn is_letter(c: char) -> bool {
    let of_other_scripts = matches!(c, '\u{AA}'..='\u{1FFF}' | '\u{2C00}'..='\u{2DFF}' | '\u{3041}'..='\u{D7FF}' | '\u{F900}'..='\u{FDFF}');
    c.is_ascii_alphabetic() || of_other_scripts
}

/// What stays of the beginning of a first line while its progress is drawn again.
fn stable_prefix(text: &str) -> impl Iterator<Item = char> {
    let first = text.chars().take_while(|c| *c != '\n').take(LONGEST_PROGRESS);
    first.filter(|c| is_letter(*c) || "%/[]|()".contains(*c))
}

/// True if the first lines of two outputs are the same progress at different times, and nothing else differs at
/// their beginnings: `10 %` and `20 %`, `[=> ] 1/3` and `[==>] 2/3`.
fn is_redrawn(output: &str, piece: &str) -> bool {
    if is_next_frame(output, piece) {
        return true;
    }
    let [end, next_end] = [output.find('\n'), piece.find('\n')];
    let same =
        stable_prefix(output).eq(stable_prefix(piece)) && stable_prefix(piece).any(|c| "%/[|".contains(c));
    same && match (end, next_end) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(end), Some(next_end)) => {
            let [old, new] =
                [output.get(end + 1..), piece.get(next_end + 1..)].map(Option::unwrap_or_default);
            let common = pilothouse_scan::common(old.as_bytes(), new.as_bytes());
            let shared = new.as_bytes().get(..common).unwrap_or_default();
            let lines = shared.iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
            shared.iter().take(lines).any(|byte| !byte.is_ascii_whitespace())
        }
    }
}

/// A text without the blanks and the sequences of a terminal that it begins with.
fn without_sequences(text: &str) -> &str {
    let mut rest = text.trim_start_matches([' ', '\r']);
    while let Some(sequence) = rest.strip_prefix("\x1b[") {
        let Some(end) = sequence.find(|c: char| c.is_ascii_alphabetic()) else { return rest };
        rest = sequence.get(end + 1..).unwrap_or_default().trim_start_matches([' ', '\r']);
    }
    rest
}

/// True if a piece draws the only line of an output again, with the next picture of its spinner or the next number of its
/// counter: `⠋ Loading` and `⠙ Loading`, `[1/3] a` and `[2/3] b`.
fn is_next_frame(output: &str, piece: &str) -> bool {
    const DRAWN_IN_ASCII: [char; 4] = ['|', '/', '-', '\\'];
    let is_spinner = |c: char| matches!(c, '\u{2801}'..='\u{28ff}' | '◐'..='◓' | '◴'..='◷' | '◜'..='◟');
    let first = |text: &str| text.chars().next().unwrap_or_default();
    let words = |text: &str| -> String {
        text.lines().next().unwrap_or_default().trim_start_matches(DRAWN_IN_ASCII).trim().to_owned()
    };
    let counter = |text: &str| {
        let (step, all) = text.strip_prefix('[')?.split_once(']')?.0.split_once('/')?;
        Some((step.trim().parse::<u32>().ok()?, all.trim().parse::<u32>().ok()?))
    };
    let [old, new] = [output, piece].map(without_sequences);
    let (from, to) = (first(old), first(new));
    // What a spinner leaves in its place in the end.
    let is_end = |c: char| "✔✓√✅✖✗✘×❌⚠ℹ".contains(c);
    let is_drawn =
        || from != to && [from, to].iter().all(|c| DRAWN_IN_ASCII.contains(c)) && words(old) == words(new);
    let is_counted =
        || counter(old).zip(counter(new)).is_some_and(|((a, all), (b, of))| all == of && a <= b && b <= of);
    !old.contains('\n') && (is_spinner(from) && (is_spinner(to) || is_end(to)) || is_drawn() || is_counted())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(partials: &[&str]) -> String {
        let mut output = String::new();
        for partial in partials {
            merge_output(&mut output, partial);
        }
        output
    }

    #[test]
    fn the_runtimes_lines_around_a_shell_are_understood() {
        let (output, line) = shell_output("async-done\n<shellId: bg1 completed with exit code 3>");
        assert_eq!((output, line.and_then(shell_end)), ("async-done", Some(ShellEnd { exit_code: Some(3) })));
        assert_eq!(shell_output("a\n<b>"), ("a\n<b>", None));
        assert_eq!(
            shell_output("frame\rdone \n"),
            ("frame\rdone ", None),
            "spaces can write over characters"
        );
        let started = "<command started in background with shellId: bg1>";
        assert_eq!(shell_output(started), ("", Some(started)));
        assert_eq!(sent_to_background(started), Some("bg1"));
        let moved =
            "<command with shellId: 0 moved to background by the user. You will be automatically notified.>";
        assert_eq!((sent_to_background(moved), shell_end(moved)), (Some("0"), None));
        assert_eq!(sent_to_background("<shellId: 0 completed with exit code 0>"), None);
    }

    #[test]
    fn a_whole_output_replaces_what_it_begins_with() {
        assert_eq!(merged(&["one\n", "one\ntwo\n", "one\ntwo\n"]), "one\ntwo\n");
    }

    #[test]
    fn a_window_on_the_end_is_merged() {
        assert_eq!(merged(&["abcdef", "defghi", "ghijkl"]), "abcdefghijkl");
        assert_eq!(merged(&["aabaab", "aabaabc"]), "aabaabc");
    }

    #[test]
    fn a_chunk_is_appended() {
        assert_eq!(merged(&["one\n", "two\n", "\nthree\n"]), "one\ntwo\n\nthree\n");
    }

    #[test]
    fn a_sliding_window_with_its_note_is_merged() {
        let note = "<output too long - dropped 3 lines from the start>\n";
        assert_eq!(
            merged(&["line 1\nline 2\n", &format!("{note}line 2\nline 3\n")]),
            "line 1\nline 2\nline 3\n"
        );
        assert_eq!(
            merged(&["A first line\n10 %", &format!("{note}first line\n20 %")]),
            "A first line\n20 %",
            "its progress as well"
        );
        assert_eq!(merged(&[&format!("{note}b\n"), &format!("{note}b\nc\n")]), format!("{note}b\nc\n"));
    }

    #[test]
    fn progress_that_is_drawn_again_replaces_what_was_drawn() {
        let lines = |range: std::ops::RangeInclusive<u32>| -> String {
            range.map(|line| format!("line {line}\n")).collect::<Vec<_>>().concat()
        };
        let ended = |range, end: &str| format!("{}{end}", lines(range));
        let all = |end: &str| ended(1..=20, end);
        assert_eq!(merged(&["A\n [=> ] 1/3", "A\n [==>] 2/3", "A\n [==>] 3/3\nB"]), "A\n [==>] 3/3\nB");
        assert_eq!(merged(&["Progress 10 %", "Progress 20 %"]), "Progress 20 %");
        for (before, after) in [
            ("10 %", "20 %"),
            ("a 10 %\nb 5 %\n", "a 20 %\nb 9 %\n"),
            ("a long description of a step 10 %", "done"),
            ("done \u{FFFD}", "done 🌊 ok\n"),
            ("done 🌊", "done 🌍"),
        ] {
            assert_eq!(merged(&[&all(before), &all(after)]), all(after));
            // The window of the last lines, also if it begins within a character.
            assert_eq!(merged(&[&all(before), &ended(6..=20, after)]), all(after));
            assert_eq!(merged(&[&all(before), &format!("\u{FFFD}{}", ended(6..=20, after))]), all(after));
        }
        assert_eq!(merged(&[&all(""), &lines(2..=21)]), lines(1..=21));
        for (before, after) in [
            ("10 %", "20 %"),
            ("[=>   ] 1/3", "[===> ] 2/3"),
            ("99 %", "100 %\ndone\n"),
            ("ダウンロード 10 %", "ダウンロード 20 %"),
            ("⠋ Loading", "⠙ Loading"),
            ("⠹ idealTree", "⠸ reify: x\nadded 3\n"),
            ("⠹ Installing", "✔ Installed"),
            ("\x1b[?25l⠙ wait", "\x1b[?25l⠹ wait\x1b[?25h"),
            ("\x1b[36m⠙\x1b[0m a", "\x1b[32m✔\x1b[0m a done\n"),
            (" | Loading", " / Loading"),
            ("[1/3] CC a.o", "[2/3] CC other.o"),
            ("[ 9/10] a", "[10/10] b\ndone\n"),
            ("[+] Running 1/2\n ✔ a\n", "[+] Running 2/2\n ✔ a\n ✔ b\n"),
        ] {
            assert_eq!(merged(&[before, after]), after);
        }
        // A bar that became shorter is not lost until something else is there.
        assert_eq!(
            merged(&["one and two and three\n [==>]", "one and two and three\n"]),
            "one and two and three\n [==>]"
        );
    }

    #[test]
    fn chunks_that_are_alike_are_appended() {
        for chunks in [
            ["line 1\n", "line 2\n", "line 3\n"],
            ["test a ... ok\ntest b ... ok\n", "test c ... ok\ntest d ... ok\n", "test e ... ok\n"],
            ["2026-11-27 10:00:00 INFO a\n", "2026-11-27 10:00:00 INFO b\n", "2026-11-27 10:00:01 INFO c\n"],
            ["\none\n", "\ntwo\n", "\n\nthree\n"],
            ["a\nb\nc\nd\n", "c\nx\n", "y\n"],
            ["Step 1/3\n", "Step 2/3\n", "Step 3/3\n"],
            ["a 1, ", "b 2, ", "c 3"],
            ["| a ", "| b ", "|\n"],
            ["- a, ", "- b, ", "/ c"],
            ["[1/3] a\n", "[2/3] b\n", "[3/3] c\n"],
            ["[3/3] a ", "[1/3] b ", "[x] c"],
            ["ok\nfailed\n", "ok\n", "skipped\n"],
            ["日本\n", "日曜\n", "月\n"],
            ["下载 10 %", "上传 20 %", "Ещё 30 %"],
        ] {
            assert_eq!(merged(&chunks), chunks.concat());
        }
    }
}
