//! References of the Copilot platform as links with icons: the sources of an answer, and what was sent with a
//! message.

use crate::core::i18n::words::timeline;
use crate::core::model::reference::Reference;
use crate::ui::elements::builder::{El, el, glyph};
use crate::ui::elements::icons::Icon;

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
        sign.child(glyph(drawn(icon)))
    } else {
        sign.attr("aria-hidden", "true").text(icon)
    };
    let place = el("li").child(sign);
    let place = if safe(url) { place.child(anchor(url).text(name)) } else { place.text(name) };
    let passed = || {
        el("span").class("tag").attr("title", timeline::IMPLICIT_TELLS.text()).text(timeline::IMPLICIT.text())
    };
    place.child(implicit.then(passed))
}

/// The icon for an agent's word, which is often the name of an octicon.
fn drawn(word: &str) -> Icon {
    const KNOWN: [(&str, Icon); 16] = [
        ("file", Icon::File),
        ("code", Icon::File),
        ("book", Icon::File),
        ("note", Icon::File),
        ("git", Icon::Branch),
        ("repo", Icon::Branch),
        ("branch", Icon::Branch),
        ("person", Icon::User),
        ("people", Icon::User),
        ("terminal", Icon::Terminal),
        ("search", Icon::Search),
        ("issue", Icon::Question),
        ("question", Icon::Question),
        ("agent", Icon::Agent),
        ("copilot", Icon::Agent),
        ("plug", Icon::Plug),
    ];
    let word = word.to_ascii_lowercase();
    KNOWN.into_iter().find(|(name, _)| word.contains(name)).map_or(Icon::Globe, |(_, icon)| icon)
}

/// Whether a link to this address is allowed: only `http` and `https` are.
pub fn safe(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://")
}

/// A link that opens in a new tab.
pub fn anchor(url: &str) -> El {
    el("a").attr("href", url).attr("target", "_blank").attr("rel", "noopener noreferrer nofollow")
}
