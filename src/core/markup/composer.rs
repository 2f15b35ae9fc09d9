//! The place where a person will write, as high as it is then, and disabled.

use super::element::{El, div, el, glyph};
use crate::i18n::Word;
use crate::i18n::format::capitalised;
use crate::i18n::words::{composer as words, page};
use crate::model::state::State;
use crate::view_model::icon::Icon;

/// The agent's modes, as the runtime names them.
const MODES: [&str; 3] = ["interactive", "plan", "autopilot"];

/// The composer, as it is where nothing is written.
pub fn composer(state: &State) -> El {
    let area = el("textarea")
        .class("composer-text")
        .attr("rows", "1")
        .attr("dir", "auto")
        .attr("aria-label", words::COMPOSER.text())
        .attr("placeholder", page::BEING_LOADED.text())
        .attr("disabled", true);
    let field = div("composer-grow").attr("data-text", "").child(area);
    let bar = div("composer-bar").child(options(state)).child(ends(state));
    let form = el("form").class("composer-box").attr("data-compact", true);
    let form = form.child(div("composer-files-place")).child(field).child(bar);
    let waits = (!state.open_requests.is_empty()).then(|| el("b").text(words::REQUEST_WAITS.text()));
    let hint = div("composer-hint").child(waits).child(el("span").text(words::ENTER_SENDS.text()));
    let section = el("section").class("composer").attr("part", "composer");
    let section = section.attr("aria-label", words::COMPOSER.text());
    let inside = div("composer-in").child(form).child(hint);
    div("composer-whole").child(div("composer-above")).child(section.child(inside))
}

fn icon_button(icon: Icon, name: &str) -> El {
    el("button")
        .attr("type", "button")
        .class("btn bare")
        .attr("part", "button")
        .attr("disabled", true)
        .attr("aria-label", name)
        .attr("title", page::BEING_LOADED.text())
        .child(glyph(icon))
}

fn options(state: &State) -> El {
    let worded = |icon, name: Word, shown: String| {
        let button = icon_button(icon, name.text()).class("btn bare worded");
        div("composer-menu").child(button.child(el("span").text(shown)))
    };
    let mode = state.info.current_mode().filter(|mode| !mode.is_empty()).map(|mode| {
        let mode = if MODES.contains(&mode) { mode.to_owned() } else { capitalised(mode) };
        words::MODE_NAME.with(&[("mode", (&mode).into())])
    });
    let model = state.info.model.clone().map(|model| match &state.info.reasoning_effort {
        Some(effort) => format!("{model} · {effort}"),
        None => model,
    });
    let permissions = state.info.current_permission_mode();
    let permissions = permissions.map(|mode| words::PERMISSION_NAME.with(&[("mode", mode.into())]));
    let attach = el("span").class("composer-pick").child(icon_button(Icon::Attach, words::ATTACH.text()));
    div("composer-choices")
        .child(attach)
        .child(worded(Icon::Spark, words::MODE, mode.unwrap_or_default()))
        .child(model.map(|model| worded(Icon::Thought, words::MODEL, model)))
        .child(worded(Icon::Shield, words::PERMISSIONS, permissions.unwrap_or_default()))
        .child(div("composer-menu").child(icon_button(Icon::More, words::MORE.text())))
}

fn ends(state: &State) -> El {
    let labelled = |class: &str, icon, name: Word| {
        icon_button(icon, name.text()).class(class).child(el("span").text(name.text()))
    };
    let ends = div("composer-ends");
    if !state.is_busy() {
        return ends.child(labelled("btn primary", Icon::Send, words::SEND));
    }
    let more = div("composer-menu")
        .child(icon_button(Icon::Chevron, words::STOP_MORE.text()).class("btn bare composer-stop-more"));
    let stop = labelled("btn composer-stop", Icon::Stop, words::STOP).attr("data-stop", "");
    ends.child(div("composer-stops").child(stop).child(more))
        .child(labelled("btn", Icon::Send, words::SEND_NOW).attr("data-send", "now"))
        .child(labelled("btn primary", Icon::Queue, words::QUEUE))
}
