//! The session as a Markdown transcript to read, quote and search. No text can end the block that it is in:
//! fences are longer than those inside, HTML is quoted as code, other texts are escaped.

use std::fmt::Write as _;

use super::descriptions;
use crate::i18n::words::export;
use crate::json_writer::pretty;
use crate::model::entry::{Body, Entry, EntryState, Kind, Level};
use crate::model::request::Request;
use crate::model::state::State;
use crate::model::tool_call::{CallStage, ToolCall};
use crate::text::ansi;
use crate::text::diff::{Diff, File, LineKind};
use crate::text::markdown::{Markdown, Node, Tag};
use crate::view_model::agent_name;
use crate::view_model::entry_words::{attachment_labels, text};
use crate::view_model::tool_details;
use crate::view_model::tool_summary;
use crate::view_model::tool_summary::ToolFamily;

/// The whole session as a Markdown document.
pub(super) fn document(state: &State) -> String {
    let mut out = format!("# {}\n\n", escaped(&super::title(state)));
    for (name, value) in super::facts(state) {
        let _ = writeln!(out, "- {name}: {}", code(&value));
    }
    let mut turn = 0;
    for entry in state.entries.iter().filter(|entry| entry.ui_visible) {
        turn += usize::from(descriptions::begins_turn(entry));
        let block = block(state, entry, turn);
        let block = block.trim_end();
        if block.is_empty() {
            continue;
        }
        out.push('\n');
        // The work of a sub-agent is set apart as a quotation.
        if descriptions::owner(state, entry).is_some() {
            quoted(&mut out, block);
        } else {
            out.push_str(block);
            out.push('\n');
        }
    }
    out
}

fn block(state: &State, entry: &Entry, turn: usize) -> String {
    match (&entry.body, entry.kind) {
        (_, Kind::User) => user(state, entry, turn),
        (_, Kind::Assistant) => match (entry.text.is_empty(), entry.state) {
            (true, EntryState::Done) => format!("*{}*", export::EMPTY_REPLY.text()),
            (_, EntryState::Interrupted) => {
                format!("{}\n\n*{}*", prose(&entry.text), export::INTERRUPTED.text())
            }
            _ => prose(&entry.text),
        },
        (_, Kind::Reasoning) => details(&descriptions::thought(entry), &prose(&entry.text)),
        (Body::Tool(call), _) => tool(state, entry, call),
        (Body::Request(request), _) => self::request(entry, request),
        (Body::Notice(notice), _) if notice.level != Level::Milestone => {
            let word = match notice.level {
                Level::Warning => format!("**{}** ", export::WARNING.text()),
                Level::Error => format!("**{}** ", export::ERROR.with(&[("code", "".into())])),
                _ => String::new(),
            };
            let count = if notice.count > 1 { format!(" (×{})", notice.count) } else { String::new() };
            let line = format!("{word}{}{count}", escaped(&text(entry)));
            match notice.detail.as_ref().filter(|_| !word.is_empty()) {
                Some(detail) => {
                    format!("{line}\n\n{}", details(export::DETAILS.text(), &fenced("", &detail.words())))
                }
                None => line,
            }
        }
        (Body::Subagent(agent), _) => {
            let mut line = match agent.title() {
                "" => format!("**{}**", agent_name::shown("")),
                name => format!("**{}**", export::SUB_AGENT.with(&[("name", (&escaped(name)).into())])),
            };
            for words in [agent.description.as_str(), &descriptions::agent_end(entry)] {
                if !words.is_empty() {
                    let _ = write!(line, " · {}", escaped(words));
                }
            }
            if let Some(error) = &agent.error {
                let _ = write!(line, "\n\n{}", fenced("", error));
            }
            line
        }
        (Body::Custom(custom), _) => {
            let line = format!("{} ({} {})", text(entry), custom.source, custom.name);
            details(&line, &fenced("json", &pretty(&custom.data)))
        }
        (Body::Facts { event_type, facts }, Kind::Custom | Kind::Generic) => {
            let text = text(entry);
            let name = if text == *event_type { export::UNKNOWN_EVENT.text() } else { &text };
            details(&format!("{name}: {event_type}"), &fenced("json", &pretty(facts)))
        }
        _ if text(entry).is_empty() => String::new(),
        // Milestones, compactions, gaps.
        _ => {
            let fate = descriptions::rewind_note(entry).map_or_else(String::new, |fate| format!(" ({fate})"));
            format!("---\n\n*{}{fate}*", escaped(&text(entry)))
        }
    }
}

fn user(state: &State, entry: &Entry, turn: usize) -> String {
    let author = descriptions::author(state, entry);
    let mut out = if descriptions::begins_turn(entry) {
        format!("## {turn} · {}", escaped(&author))
    } else {
        format!("**{}**", escaped(&author))
    };
    for words in descriptions::delivery(entry).into_iter().chain(descriptions::rewind_note(entry)) {
        let _ = write!(out, " ({words})");
    }
    out.push_str("\n\n");
    quoted(&mut out, &prose(&entry.text));
    if let Body::User(message) = &entry.body
        && !message.attachments.is_empty()
    {
        let names: Vec<_> = attachment_labels(message).iter().map(|name| code(name)).collect();
        let names = names.join(", ");
        let _ = writeln!(out, "\n{}", export::ATTACHED.with(&[("names", (&names).into())]));
    }
    out
}

fn tool(state: &State, entry: &Entry, call: &ToolCall) -> String {
    let sentence = descriptions::sentence(state, entry);
    let object = sentence.object.as_deref().map(html).unwrap_or_default();
    let mut summary = match object.as_str() {
        "" => html(sentence.words().trim()),
        object => {
            let (open, close) = if sentence.plain { ("", "") } else { ("<code>", "</code>") };
            format!("{}{open}{object}{close}{}", html(&sentence.before), html(&sentence.after))
        }
    };
    if let Some(remark) = &sentence.remark {
        let _ = write!(summary, " {}", html(remark));
    }
    if let Some((added, removed)) = sentence.lines {
        let _ = write!(summary, " +{added} −{removed}");
    }
    let end = descriptions::end(entry);
    if !end.is_empty() {
        let _ = write!(summary, " · {}", html(&end));
    }
    let mut inside = Vec::new();
    let family = tool_summary::family(call);
    let change = (family == ToolFamily::Edit).then(|| tool_details::change(call)).flatten();
    if family == ToolFamily::Shell {
        inside.extend(tool_details::command(call).map(|command| fenced("sh", command)));
        let printed = ansi::printed_text(&tool_details::terminal(entry));
        inside.extend((!printed.trim().is_empty()).then(|| fenced("", &printed)));
    } else if let Some(change) = change {
        let notes: Vec<String> =
            change.files.iter().flat_map(File::notes).map(|note| format!("- {}", note.words())).collect();
        inside.push(notes.join("\n"));
        inside.push(fenced("diff", &diff(&change)));
    } else {
        let arguments = tool_details::arguments(call);
        let listed = arguments.iter().map(|(name, value)| {
            if value.contains('\n') {
                format!("- {}:\n\n{}", code(name), fenced("", value))
            } else {
                format!("- {}: {}", code(name), code(value))
            }
        });
        inside.push(listed.collect::<Vec<_>>().join("\n"));
        let result = tool_details::result(entry);
        inside.extend((!result.trim().is_empty()).then(|| fenced("", &ansi::plain(&result))));
    }
    if let CallStage::Failed(failure) | CallStage::Denied(failure) = &call.stage {
        let code = failure.code.as_deref().map_or_else(String::new, |code| format!(" ({code})"));
        let error = export::ERROR.with(&[("code", (&escaped(&code)).into())]);
        inside.push(format!("**{error}**\n\n{}", fenced("", &ansi::plain(&failure.message))));
    }
    inside.retain(|part| !part.is_empty());
    details_of(&summary, &inside.join("\n\n"))
}

fn request(entry: &Entry, request: &Request) -> String {
    let mut out = format!("**{}**", descriptions::request_name(request));
    let intention = request.permission().and_then(|asked| asked.get("intention")?.as_str());
    if let Some(intention) = intention {
        let _ = write!(out, " · {}", escaped(intention));
    }
    let asked = text(entry);
    if !asked.is_empty() {
        let _ = write!(out, "\n\n{}", fenced("", &asked));
    }
    let outcome = format!("**{}**", escaped(&descriptions::outcome(request)));
    let _ = write!(out, "\n\n{}\n\n", export::OUTCOME.with(&[("outcome", (&outcome).into())]));
    out.push_str(&details(export::ALL_ASKED.text(), &fenced("json", &pretty(&request.details))));
    out
}

fn diff(change: &Diff) -> String {
    let mut out = String::new();
    for file in &change.files {
        if let Some(path) = file.path() {
            let _ = writeln!(out, "--- {}\n+++ {path}", file.old_path.as_deref().unwrap_or(path));
        }
        for hunk in &file.hunks {
            let _ = writeln!(out, "@@ {}", hunk.heading);
            for line in &hunk.lines {
                let sign = match line.kind {
                    LineKind::Context => ' ',
                    LineKind::Removed => '-',
                    LineKind::Added => '+',
                };
                let _ = writeln!(out, "{sign}{}", line.text);
            }
        }
    }
    out
}

/// The Markdown of a message, made safe for what follows: HTML becomes code, an open fence is closed.
fn prose(text: &str) -> String {
    let mut parsed = Markdown::new();
    let _ = parsed.update(text, true);
    let mut out = String::new();
    let mut from = 0;
    for block in parsed.blocks() {
        let source = text.get(block.source.clone()).unwrap_or_default();
        let tag = match &block.node {
            Node::Element(element) => Some(&element.tag),
            Node::Text(_) => None,
        };
        // Text between blocks: definitions of link targets, which belong to no block.
        out.push_str(text.get(from..block.source.start).unwrap_or_default());
        from = block.source.end;
        match tag {
            Some(Tag::RawHtml) => _ = writeln!(out, "{}", fenced("html", source)),
            Some(Tag::CodeBlock { language }) if !source.starts_with([' ', '\t']) => {
                let language = language.as_deref().unwrap_or_default();
                let _ = writeln!(out, "{}", fenced(&one_word(language), &block.node.text()));
            }
            _ => out.push_str(source),
        }
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out.trim().to_owned()
}

/// A code block with a fence that is longer than any in the text.
fn fenced(language: &str, text: &str) -> String {
    let mut longest = 2;
    let mut run = 0;
    for letter in text.chars() {
        run = if letter == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    let text = text.strip_suffix('\n').unwrap_or(text);
    format!("{fence}{language}\n{text}\n{fence}")
}

/// A `details` element; `summary` is plain text.
fn details(summary: &str, inside: &str) -> String {
    details_of(&html(summary), inside)
}

fn details_of(summary: &str, inside: &str) -> String {
    if inside.trim().is_empty() {
        return format!("<p>{summary}</p>");
    }
    format!("<details>\n<summary>{summary}</summary>\n\n{inside}\n\n</details>")
}

/// A text in a line of HTML, where Markdown is not read. Line breaks become spaces.
fn html(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '\n' | '\r' => out.push(' '),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            letter => out.push(letter),
        }
    }
    out
}

/// A plain text in a line of Markdown. Line breaks become spaces.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '\n' | '\r' => out.push(' '),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '&' => {
                out.push('\\');
                out.push(letter);
            }
            letter => out.push(letter),
        }
    }
    out
}

/// Inline code.
fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    let mut fence = "`".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    if text.is_empty() { String::new() } else { format!("{fence}{pad}{text}{pad}{fence}") }
}

fn one_word(text: &str) -> String {
    text.chars().take_while(|letter| letter.is_alphanumeric() || "+-#._".contains(*letter)).collect()
}

fn quoted(out: &mut String, text: &str) {
    for line in text.lines() {
        out.push_str(if line.is_empty() { ">" } else { "> " });
        out.push_str(line);
        out.push('\n');
    }
}
