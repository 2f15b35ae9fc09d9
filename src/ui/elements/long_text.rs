//! Shows an exact text of any length: its beginning, and more on request.
//!
//! Long text is split into boxes that are laid out independently, and megabytes are not put into the document
//! at once.

use std::rc::Rc;

use leptos::prelude::*;

use super::builder::{El, el};
use super::exact::exact;
use crate::core::i18n::format::bytes;
use crate::core::i18n::words::cards;
use crate::store::printing::is_printing;

/// Bytes after which a line is cut that is longer than any screen.
pub const LONG_LINE: usize = 2_000;
/// Bytes of a text that are shown at once when the reader asks for more.
pub const SLICE: usize = 256_000;
/// Bytes per box. A box is laid out as a whole whenever anything in it changes.
const RUN: usize = 16 * 1024;

/// Puts a text into `host`: the first `first` bytes and `lines` lines, and a button for the rest, or for the
/// next slice of it.
pub fn long_text(host: El, text: &str, first: usize, lines: usize) -> El {
    let Some(short) = beginning(text, first, lines) else {
        return append_runs(host, text);
    };
    if text.len() > SLICE {
        let (short, text): (_, Rc<str>) = (whole_lines(short).len(), text.into());
        return slice(append_runs(host, text.get(..short).unwrap_or_default()), &text, short);
    }
    let short = short.len();
    let asked = RwSignal::new(false);
    let label = show_all(text.len());
    let text = text.to_owned();
    host.child(move || {
        if asked.get() || is_printing() {
            return vec![append_runs(el("span"), &text)];
        }
        let button = el("button").class("quiet-btn").attr("type", "button");
        let button = button.on("click", move |_| asked.set(true)).text(&label);
        let shown = format!("{}…", text.get(..short).unwrap_or_default());
        vec![append_runs(el("span"), &shown), button]
    })
}

/// The text from byte `from` on, one slice per request.
fn slice(host: El, text: &Rc<str>, from: usize) -> El {
    let rest = text.len().saturating_sub(from);
    if rest == 0 {
        return host;
    }
    let label = more_label(rest, text.len());
    let (asked, text) = (RwSignal::new(false), text.clone());
    host.child(move || {
        Some(if asked.get() {
            let part = text.get(from..).unwrap_or_default();
            let part = beginning(part, SLICE, usize::MAX).map_or(part, whole_lines);
            slice(append_runs(el("span").class("run"), part), &text, from + part.len())
        } else {
            let button = el("button").class("d-more").attr("type", "button");
            button.on("click", move |_| asked.set(true)).text(&label)
        })
    })
}

/// Adds a text, in boxes of whole lines if it is long.
fn append_runs(host: El, text: &str) -> El {
    if text.len() <= RUN {
        return exact(host, text);
    }
    let mut host = host;
    let mut rest = text;
    while !rest.is_empty() {
        let run = beginning(rest, RUN, usize::MAX).map_or(rest, whole_lines);
        let (run, behind) = rest.split_at_checked(run.len()).unwrap_or((rest, ""));
        host = host.child(exact(el("span").class("run"), run));
        rest = behind;
    }
    host
}

/// A part of a text, cut after its last line end if it has one.
fn whole_lines(part: &str) -> &str {
    part.rfind('\n').and_then(|line| part.get(..=line)).unwrap_or(part)
}

/// The label of a button that shows the next slice of a text of which this many bytes are left.
pub fn more_label(left: usize, all: usize) -> String {
    let size = |length: usize| bytes(i64::try_from(length).unwrap_or(i64::MAX));
    let (next, all) = (size(left.min(SLICE)), size(all));
    cards::MORE_TEXT.with(&[("size", (&next).into()), ("all", (&all).into())])
}

/// The label of the button that shows a long text.
fn show_all(length: usize) -> String {
    let size = bytes(i64::try_from(length).unwrap_or(i64::MAX));
    cards::SHOW_ALL.with(&[("size", (&size).into())])
}

/// The beginning of a text, at most `length` bytes and `lines` lines; `None` if that is all of it.
pub fn beginning(text: &str, length: usize, lines: usize) -> Option<&str> {
    let mut end = length.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let cut = text.get(..end)?;
    let cut = cut
        .match_indices('\n')
        .nth(lines.saturating_sub(1))
        .map_or(cut, |(at, _)| cut.get(..at).unwrap_or(cut));
    (cut.len() < text.len()).then_some(cut)
}
