//! References of the Copilot platform as links with icons: the sources of an answer, and what was sent with a
//! message.

use crate::core::i18n::words::timeline;
use crate::core::model::reference::Reference;
use crate::core::view_model::notice_words::{may_lead_to, reference_icon};
use crate::ui::elements::builder::{El, el, glyph};

/// The list; `None` if it is empty.
pub fn references(all: &[Reference]) -> Option<El> {
    (!all.is_empty()).then(|| el("ul").class("links").child(all.iter().map(row).collect::<Vec<_>>()))
}

fn row(reference: &Reference) -> El {
    let Reference { name, icon, url, implicit, .. } = reference;
    let sign = el("span").class("ref-icon").attr("data-icon", icon).attr("title", icon);
    // An icon that is not a name is shown as text if it is a few characters, such as an emoji. Images are
    // never fetched.
    let sign = if icon.is_ascii() || icon.chars().count() > 4 {
        sign.child(glyph(reference_icon(icon)))
    } else {
        sign.attr("aria-hidden", "true").text(icon)
    };
    let place = el("li").child(sign);
    let place = if may_lead_to(url) { place.child(anchor(url).text(name)) } else { place.text(name) };
    let passed = || {
        el("span").class("tag").attr("title", timeline::IMPLICIT_TELLS.text()).text(timeline::IMPLICIT.text())
    };
    place.child(implicit.then(passed))
}

/// A link that opens in a new tab.
pub fn anchor(url: &str) -> El {
    el("a").attr("href", url).attr("target", "_blank").attr("rel", "noopener noreferrer nofollow")
}
