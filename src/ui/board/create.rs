//! The form for a new session.

use leptos::prelude::*;
use serde_json::{Map, Value};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{HtmlElement, HtmlInputElement, HtmlSelectElement, KeyboardEvent};

use super::{BoardView, MACHINE};
use crate::client::storage::BROWSER;
use crate::core::i18n::Word;
use crate::core::i18n::words::board as words;
use crate::core::model::board::Board;
use crate::core::model::machines::Machine;
use crate::core::view_model::board_row::away_since;
use crate::core::view_model::compose::model::Model;
use crate::ui::elements::builder::{El, div, el};
use crate::ui::elements::exact::exact;
use crate::ui::elements::live::Live;
use crate::ui::elements::reactive::memo;
use crate::ui::message::moment;

/// The form for a new session, while somebody makes one: it asks for a machine where several have an agent, for a working directory and
/// a model, creates the session, and opens it.
#[component(transparent)]
pub(super) fn NewSession(
    /// The board's state.
    view: BoardView,
) -> Live {
    Live::new(move || (view.creating.get() && view.store.can("create")).then(|| untrack(|| form(view))))
}

fn form(view: BoardView) -> El {
    let sending = RwSignal::new(false);
    let trouble = RwSignal::new(None::<String>);
    let place = Place::new(view);
    let hint = move || {
        let hint =
            if place.is_elsewhere() { words::NEW_DIRECTORY_HINT_THERE } else { words::NEW_DIRECTORY_HINT };
        Some(hint.text())
    };
    let directory = labelled(words::NEW_DIRECTORY, hint, input("workingDirectory"));
    let model = model(view, place);
    let (first, second) = (directory.clone(), model.clone());
    let recent = recent_folders(view, place, &directory);
    let create = move || {
        if sending.get_untracked() || place.is_away.get_untracked() {
            return;
        }
        let mut params = Map::new();
        for (name, field) in [("workingDirectory", &first), ("model", &second)] {
            let value = value(field);
            if !value.trim().is_empty() {
                params.insert(name.to_owned(), value.trim().into());
            }
        }
        if let Some(machine) = place.machine.get_untracked() {
            params.insert("machine".to_owned(), machine.into());
        }
        sending.set(true);
        trouble.set(None);
        let Some(sent) = view.store.call("pilothouse.create", Value::Object(params)) else {
            sending.set(false);
            return view.creating.set(false);
        };
        spawn_local(async move {
            let made = sent.await.map_err(|failure| failure.words);
            sending.try_set(false);
            match made {
                Ok(made) => {
                    view.creating.try_set(false);
                    if let Some(id) = made.get("sessionId").and_then(Value::as_str) {
                        view.store.open_session(id);
                    }
                }
                Err(why) => _ = trouble.try_set(Some(words::CREATE_FAILED.with(&[("why", (&why).into())]))),
            }
        });
    };
    let warning =
        move || trouble.get().map(|words| el("p").class("board-trouble").attr("role", "alert").text(&words));
    let submit = el("button")
        .class("btn primary")
        .attr("type", "submit")
        .attr("part", "button")
        .attr("disabled", move || sending.get() || place.is_away.get())
        .text(move || if sending.get() { words::CREATING } else { words::CREATE }.text().to_owned());
    let cancel = el("button").class("btn").attr("type", "button").attr("part", "button");
    let cancel = cancel.on("click", move |_| view.creating.set(false)).text(words::CANCEL.text());
    let form = el("form")
        .class("board-form")
        .attr("aria-label", words::NEW.text())
        .on("submit", move |event| {
            event.prevent_default();
            create();
        })
        .on("keydown", move |event| {
            if event.dyn_ref::<KeyboardEvent>().is_some_and(|event| event.key() == "Escape") {
                view.creating.set(false);
            }
        })
        .child(machine(place))
        .child(directory)
        .child(recent)
        .child(model)
        .child(warning)
        .child(div("answers").child(cancel).child(submit));
    let fields = form.element().clone();
    // Somebody has just opened the form.
    request_animation_frame(move || {
        let first = fields.query_selector("select, input").ok().flatten();
        if let Some(field) = first.as_ref().and_then(|field| field.dyn_ref::<HtmlElement>()) {
            let _ = field.focus(); // a focus that fails stays where it is
        }
    });
    form
}

/// Where the session is made.
#[derive(Clone, Copy)]
struct Place {
    /// The machines with an agent, also those that are away: a choice that somebody made must not become another one.
    makers: Memo<Vec<Machine>>,
    chosen: RwSignal<Option<String>>,
    /// The machine's name; none without a cluster, and where only this gateway has an agent.
    machine: Memo<Option<String>>,
    /// This gateway's own machine.
    here: Memo<Option<String>>,
    /// The machine can't be reached.
    is_away: Memo<bool>,
}

impl Place {
    fn new(view: BoardView) -> Self {
        let machines = move || view.store.all(|board| board.machines().to_vec()).unwrap_or_default();
        let makers = memo(move || machines().into_iter().filter(|one| one.has_agent).collect::<Vec<_>>());
        let here = memo(move || machines().into_iter().find(|one| one.here).map(|one| one.name));
        // The one of the last time, if it is there, else the first that is.
        let last = BROWSER.get(MACHINE);
        let first = makers.with_untracked(|all| {
            let mut able = all.iter().filter(|one| one.can_create());
            let kept = able.clone().find(|one| Some(&one.name) == last.as_ref());
            kept.or_else(|| able.next()).or(all.first()).map(|one| one.name.clone())
        });
        let chosen = RwSignal::new(first);
        let machine = memo(move || {
            let chosen = chosen.get();
            makers.with(|all| match all.as_slice() {
                [one] => (!one.here).then(|| one.name.clone()),
                all => all
                    .iter()
                    .find(|one| Some(&one.name) == chosen.as_ref())
                    .or(all.first())
                    .map(|one| one.name.clone()),
            })
        });
        let is_away = memo(move || {
            let machine = machine.get();
            makers.with(|all| all.iter().any(|one| Some(&one.name) == machine.as_ref() && one.away.is_some()))
        });
        Self { makers, chosen, machine, here, is_away }
    }

    /// Whether it is not this gateway's own machine; subscribes.
    fn is_elsewhere(self) -> bool {
        let machine = self.machine.get();
        machine.is_some() && machine != self.here.get()
    }
}

/// The choice of a machine, or the name of the only one that it can be.
fn machine(place: Place) -> El {
    el("span").class("contents").child(move || {
        let makers = place.makers.get();
        let chosen = place.machine.get();
        if makers.len() < 2 {
            let name = chosen?;
            let away = makers.first().and_then(Machine::away_machine);
            let words = match away {
                Some(away) => away_since(&away, moment),
                None => words::NEW_MACHINE_ONLY.with(&[("machine", (&name).into())]),
            };
            return Some(el("p").class("hint board-machine").attr("dir", "auto").text(&words));
        }
        let option = |machine: &Machine| {
            let words = match (machine.away_machine(), machine.here) {
                (Some(away), _) => away_since(&away, moment),
                (None, true) => words::NEW_MACHINE_HERE.with(&[("machine", (&machine.name).into())]),
                (None, false) => machine.name.clone(),
            };
            el("option")
                .attr("value", &machine.name)
                .attr("disabled", machine.away.is_some())
                .attr("selected", chosen.as_ref() == Some(&machine.name))
                .text(&words)
        };
        let select = el("select")
            .class("input")
            .attr("name", "machine")
            .child(makers.iter().map(option).collect::<Vec<_>>())
            .on("change", move |event| {
                let name = event_target_value(event);
                BROWSER.set(MACHINE, &name);
                place.chosen.set(Some(name));
            });
        Some(labelled(words::MACHINE, || None, select).class("board-machine"))
    })
}

/// The folders in which sessions have worked on the machine, as choices for the field.
fn recent_folders(view: BoardView, place: Place, label: &El) -> El {
    let label = label.clone();
    el("span").class("contents").child(move || {
        let machine = place.machine.get().or_else(|| place.here.get());
        let folders = view.store.read(|board: &Board| board.recent_folders(machine.as_deref()));
        folder_choices(folders.unwrap_or_default(), &label)
    })
}

fn folder_choices(folders: Vec<String>, label: &El) -> Option<El> {
    if folders.is_empty() {
        return None;
    }
    let field = label.element().query_selector("input").ok().flatten();
    let field = field.and_then(|field| field.dyn_into::<HtmlInputElement>().ok());
    let choice = |folder: String| {
        let button = el("button").class("btn small").attr("type", "button").attr("part", "button");
        let text = el("span").attr("dir", "ltr").attr("translate", "no");
        let button = button.attr("title", &folder).child(exact(text, &folder));
        let field = field.clone();
        button.attr("data-folder", &folder).on("click", move |_| {
            if let Some(field) = &field {
                field.set_value(&folder);
                let _ = field.focus(); // a focus that fails stays where it is
            }
        })
    };
    let choices = folders.into_iter().map(choice).collect::<Vec<_>>();
    let name = el("span")
        .class("board-recent-name")
        .attr("id", "ph-board-recent")
        .text(words::RECENT_FOLDERS.text());
    let group = div("board-recent").attr("role", "group").attr("aria-labelledby", "ph-board-recent");
    Some(group.child(name).child(choices))
}

/// The value of the field in a label.
fn value(label: &El) -> String {
    let field = label.element().query_selector("[name]").ok().flatten();
    let typed =
        field.as_ref().and_then(|field| field.dyn_ref::<HtmlInputElement>()).map(HtmlInputElement::value);
    let chosen = || {
        field.as_ref().and_then(|field| field.dyn_ref::<HtmlSelectElement>()).map(HtmlSelectElement::value)
    };
    typed.or_else(chosen).unwrap_or_default()
}

/// The runtime's models as a choice, or a text field where they are not known: the runtimes of other machines are not asked.
fn model(view: BoardView, place: Place) -> El {
    let models = RwSignal::new(Some(Vec::<Model>::new()));
    let asked = view.store.call("models.list", Value::Object(Map::new()));
    spawn_local(async move {
        let list = match asked {
            Some(asked) => asked.await.map(Model::list).unwrap_or_default(),
            None => Vec::new(),
        };
        // The form may be gone by now.
        models.try_set(Some(list).filter(|list| !list.is_empty()));
    });
    el("span").class("contents").child(move || {
        let is_elsewhere = place.is_elsewhere();
        vec![models.with(|models| match models {
            Some(models) if !is_elsewhere => {
                let option = |(value, words): (&str, &str)| el("option").attr("value", value).text(words);
                let any = std::iter::once(("", words::NEW_MODEL_ANY.text()));
                let all = any.chain(models.iter().map(|model| (model.id.as_str(), model.name.as_str())));
                let select = el("select")
                    .class("input")
                    .attr("name", "model")
                    .child(all.map(option).collect::<Vec<_>>());
                labelled(words::NEW_MODEL, || None, select)
            }
            _ => labelled(words::NEW_MODEL, || Some(words::NEW_MODEL_HINT.text()), input("model")),
        })]
    })
}

fn input(name: &str) -> El {
    el("input")
        .class("input")
        .attr("name", name)
        .attr("autocomplete", "off")
        .attr("spellcheck", "false")
        .attr("dir", "auto")
}

fn labelled(label: Word, hint: impl Fn() -> Option<&'static str> + 'static, control: El) -> El {
    let words = el("span").text(label.text()).text(" ");
    let words = words.child(move || hint().map(|hint| el("small").text(hint)));
    el("label").class("field").child(words).child(control)
}
