//! What a person chooses for a message: attachments, mode, model, permissions, and more.

use leptos::prelude::*;

use super::controls::icon_button;
use super::menu::menu;
use super::menu_list::MenuLine;
use super::state::{ComposerState, Dialog, Menu, use_composer};
use super::{attach, modes, queue};
use crate::core::client::compose::Note;
use crate::core::i18n::format::count;
use crate::core::i18n::words::composer as words;
use crate::core::view_model::icon::Icon;
use crate::core::wire::fields::Fields;
use crate::ui::elements::builder::{El, div, el};
use crate::ui::elements::live::Live;
use crate::ui::session::use_session;

/// What is chosen for a message: files to attach, the agent's mode, the model, whom the agent asks; and a menu with more.
#[component(transparent)]
pub fn ComposerOptions() -> Live {
    let composer = use_composer();
    use_session().framed_part(move || {
        div("composer-choices")
            .child(attach::picker(composer))
            .child(modes::mode_menu(composer))
            .child(modes::model_menu(composer))
            .child(modes::permission_menu(composer))
            .child(more_menu(composer))
            .child(el("slot").attr("name", "composer-actions"))
    })
}

/// The methods of the menu with more.
const COMPACT: &str = "session.history.compact";
const RENAME: &str = "session.name.set";
const PAUSE: &str = "session.queue.setDrainPaused";

fn more_menu(composer: ComposerState) -> El {
    let opener = icon_button(Icon::More, words::MORE.text()).attr("data-more", "");
    let place = menu(composer, opener, Menu::More, RwSignal::new(false));
    place.attr("hidden", move || [COMPACT, RENAME, PAUSE].iter().all(|method| composer.lacks_method(method)))
}

/// What is rarely done.
pub(super) fn more_lines(composer: ComposerState) -> Vec<MenuLine> {
    let mut items = Vec::new();
    if !composer.lacks_method(COMPACT) {
        items.push(MenuLine::new(
            Icon::Compact,
            words::COMPACT.text(),
            words::COMPACT_TELLS.text(),
            move || {
                compact(composer);
            },
        ));
    }
    if !composer.lacks_method(RENAME) {
        let rename = move || composer.open_dialog.set(Some(Dialog::Rename));
        items.push(MenuLine::new(Icon::Pencil, words::RENAME.text(), "", rename));
    }
    if !composer.lacks_method(PAUSE) {
        items.push(MenuLine::new(Icon::Pause, words::PAUSE.text(), words::PAUSE_TELLS.text(), move || {
            queue::pause(composer, true);
        }));
    }
    items
}

fn compact(composer: ComposerState) {
    composer.set_note(Some(Note::info(words::COMPACTING.text())));
    composer.call(COMPACT, serde_json::json!({}), move |outcome| {
        let note = match outcome {
            Ok(answer) => {
                let mut fields = Fields::of(answer);
                if fields.flag("success") == Some(false) {
                    Note::Error(words::NOT_CHANGED.text().to_owned())
                } else {
                    let tokens = count(fields.integer("tokensRemoved").unwrap_or(0));
                    Note::info(&words::COMPACTED.with(&[("tokens", (&tokens).into())]))
                }
            }
            Err(failure) => Note::failed(&failure),
        };
        composer.set_note(Some(note));
    });
}
