//! Lines that open, as the page has them, and what is behind a title.

use super::element::{El, el, exact, glyph};
use crate::i18n::Word;
use crate::view_model::icon::Icon;
use crate::view_model::summary_line::Piece;

/// A one-line summary that opens.
pub struct Fold {
    /// The class of the `details` element.
    pub class: &'static str,
    /// The line's icon.
    pub icon: Icon,
    /// It is open by itself.
    pub open: bool,
}

impl Fold {
    /// One that is folded.
    pub fn new(class: &'static str, icon: Icon) -> Self {
        Self { class, icon, open: false }
    }

    /// Its element. The body is there if it is open, or if everything is.
    pub fn of(self, what: El, end: El, whole: bool, body: impl FnOnce() -> El) -> El {
        let Self { class, icon, open } = self;
        let summary = el("summary").class("row").child(glyph(icon)).child(what).child(end);
        let details = el("details").class(class).attr("open", open).child(summary);
        details.child((open || whole).then(body))
    }
}

/// The pieces of a summary line.
pub fn pieces(host: El, pieces: Vec<Piece>) -> El {
    pieces.into_iter().fold(host, |host, piece| match piece {
        Piece::Text(text) => exact(host, &text),
        Piece::Element(tag, "", text) => host.child(exact(el(tag), &text)),
        Piece::Element(tag, class, text) => host.child(exact(el(tag).class(class), &text)),
    })
}

/// A text behind a title that opens; none if it is empty.
pub fn disclosure(title: Word, text: &str) -> Option<El> {
    (!text.is_empty()).then(|| {
        let words = el("pre").class("box wrap").attr("tabindex", "0").attr("dir", "auto").text(text);
        let class = if text.starts_with(['{', '[']) { "more raw" } else { "more" };
        el("details").class(class).child(el("summary").text(title.text())).child(words)
    })
}
