//! The form for a new session.

use leptos::prelude::*;
use serde_json::{Map, Value};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{HtmlElement, HtmlInputElement, HtmlSelectElement, KeyboardEvent};

use super::{AGENT, BoardView, MACHINE};
use crate::client::storage::BROWSER;
use crate::core::i18n::Word;
use crate::core::i18n::words::{board as words, composer};
use crate::core::model::agents;
use crate::core::model::board::Board;
use crate::core::model::machines::Machine;
use crate::core::protocol::call::CallFailure;
use crate::core::view_model::board_row::away_since;
use crate::core::view_model::new_session::{Choices, ModelField, failure, found, preset};
use crate::ui::elements::builder::{El, div, el};
use crate::ui::elements::exact::exact;
use crate::ui::elements::live::Live;
use crate::ui::elements::reactive::{memo, render_effect};
use crate::ui::message::moment;

/// The form for a new session, while somebody makes one: it asks for a machine where several have an agent, for an agent where that
/// machine has several, for a working directory and what can be chosen of the agent, creates the session, and opens it.
#[component(transparent)]
pub(super) fn NewSession(
    /// The board's state.
    view: BoardView,
) -> Live {
    Live::new(move || (view.creating.get() && view.store.can("create")).then(|| untrack(|| form(view))))
}

fn form(view: BoardView) -> El {
    let sending = RwSignal::new(false);
    let trouble = RwSignal::new(None::<CallFailure>);
    let place = Place::new(view);
    let hint = move || {
        let hint =
            if place.is_elsewhere() { words::NEW_DIRECTORY_HINT_THERE } else { words::NEW_DIRECTORY_HINT };
        Some(hint.text())
    };
    let directory = labelled(words::NEW_DIRECTORY, hint, input("workingDirectory"));
    let of_agent = OfAgent::new(view, place);
    let model = model(of_agent);
    let mode_field = modes(of_agent);
    let efforts = efforts(of_agent);
    let fields = [
        ("workingDirectory", directory.clone()),
        ("model", model.clone()),
        ("mode", mode_field.clone()),
        ("reasoningEffort", efforts.clone()),
    ];
    let recent = recent_folders(view, place, &directory);
    let create = move || {
        if sending.get_untracked() || place.is_away.get_untracked() {
            return;
        }
        let mut params = Map::new();
        for (name, field) in &fields {
            let value = value(field);
            if !value.trim().is_empty() {
                params.insert((*name).to_owned(), value.trim().into());
            }
        }
        if let Some(agent) = place.agent.get_untracked() {
            BROWSER.set(AGENT, &agent);
            params.insert("agent".to_owned(), agent.into());
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
            let made = sent.await;
            sending.try_set(false);
            match made {
                Ok(made) => {
                    view.creating.try_set(false);
                    if let Some(id) = made.get("sessionId").and_then(Value::as_str) {
                        view.made.try_set(Some(id.to_owned()));
                        view.store.open_session(id);
                    }
                }
                Err(why) => _ = trouble.try_set(Some(why)),
            }
        });
    };
    let warning = move || trouble.with(|why| why.as_ref().map(warning));
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
        .child(agent(place))
        .child(directory)
        .child(recent)
        .child(model)
        .child(mode_field)
        .child(efforts)
        .child(other_sessions(view, place, of_agent))
        .child(warning)
        .child(div("answers").child(cancel).child(submit));
    let root = form.element().clone();
    // Somebody has just opened the form.
    request_animation_frame(move || {
        let first = root.query_selector("select, input").ok().flatten();
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
    /// The agents there.
    agents: Memo<Vec<String>>,
    chosen_agent: RwSignal<Option<String>>,
    /// The agent's name; none where the machine has only one.
    agent: Memo<Option<String>>,
}

impl Place {
    fn new(view: BoardView) -> Self {
        let machines = move || view.store.all(|board| board.machines().to_vec()).unwrap_or_default();
        let makers =
            memo(move || machines().into_iter().filter(|one| !one.agents.is_empty()).collect::<Vec<_>>());
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
        let agents = memo(move || {
            let machine = machine.get();
            view.store.all(|board| board.agents_of(machine.as_deref()).to_vec()).unwrap_or_default()
        });
        let chosen_agent = RwSignal::new(BROWSER.get(AGENT));
        let agent = memo(move || {
            let chosen = chosen_agent.get();
            agents.with(|all| preset(all, chosen.as_deref()))
        });
        Self { makers, chosen, machine, here, is_away, agents, chosen_agent, agent }
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
        Some(labelled(words::MACHINE, || None, select).class("field board-machine"))
    })
}

/// The choice of an agent, where the machine has several.
fn agent(place: Place) -> El {
    el("span").class("contents").child(move || {
        let chosen = place.agent.get()?;
        let option = |name: &String| {
            el("option").attr("value", name).attr("selected", *name == chosen).text(agents::title(name))
        };
        let select = el("select")
            .class("input")
            .attr("name", "agent")
            .child(place.agents.with(|all| all.iter().map(option).collect::<Vec<_>>()))
            .on("change", move |event| place.chosen_agent.set(Some(event_target_value(event))));
        Some(labelled(words::AGENT, || None, select).class("field board-agent"))
    })
}

/// What can be chosen of the agent. It is asked again when another one is chosen, and what it says of one is never offered for
/// another.
#[derive(Clone, Copy)]
struct OfAgent {
    choices: RwSignal<Choices>,
    /// The chosen model; empty for the agent's own.
    model: RwSignal<String>,
}

impl OfAgent {
    fn new(view: BoardView, place: Place) -> Self {
        let own = Self { choices: RwSignal::new(Choices::asking()), model: RwSignal::default() };
        let asked = StoredValue::new(0_u32);
        render_effect(move || {
            let (agent, is_elsewhere) = (place.agent.get(), place.is_elsewhere());
            asked.update_value(|number| *number += 1);
            let number = asked.get_value();
            own.model.set(String::new());
            // The agents of other machines are not asked.
            if is_elsewhere {
                return own.choices.set(Choices::of(None));
            }
            own.choices.set(Choices::asking());
            let mut params = Map::new();
            params.extend(agent.map(|agent| ("agent".to_owned(), agent.into())));
            let sent = view.store.call("models.list", Value::Object(params));
            spawn_local(async move {
                let list = match sent {
                    Some(sent) => sent.await.ok(),
                    None => None,
                };
                // The form may be gone by now, or ask for another agent.
                if asked.try_get_value() == Some(number) {
                    own.choices.set(Choices::of(list));
                }
            });
        });
        own
    }
}

/// The way to sessions that the agent has of other programs.
fn other_sessions(view: BoardView, place: Place, of_agent: OfAgent) -> El {
    el("span").class("contents").child(move || {
        let agent = place.agent.get();
        let has_others = !place.is_elsewhere() && of_agent.choices.with(|choices| choices.may_have_others);
        has_others.then(|| look_for_sessions(view, agent))
    })
}

fn look_for_sessions(view: BoardView, agent: Option<String>) -> El {
    let looking = RwSignal::new(false);
    let said = RwSignal::new(String::new());
    let look = move || {
        if looking.get_untracked() {
            return;
        }
        let mut params = Map::new();
        params.extend(agent.clone().map(|agent| ("agent".to_owned(), agent.into())));
        let Some(sent) = view.store.call("pilothouse.discover", Value::Object(params)) else { return };
        looking.set(true);
        said.set(words::LOOKING.text().to_owned());
        spawn_local(async move {
            let words = match sent.await {
                Ok(answer) => found(&answer),
                Err(why) => failure(&why).0,
            };
            // The form may be gone by now, or show another agent.
            looking.try_set(false);
            said.try_set(words);
        });
    };
    let button = el("button").class("btn small").attr("type", "button").attr("part", "button");
    let button = button
        .attr("aria-disabled", move || looking.get().then(|| "true".to_owned()))
        .on("click", move |_| look());
    div("board-recent board-look")
        .child(button.text(words::LOOK_FOR_SESSIONS.text()))
        .child(el("span").class("hint").attr("role", "status").attr("dir", "auto").text(move || said.get()))
}

/// Why the session was not made, with the last lines of what its agent printed.
fn warning(why: &CallFailure) -> El {
    let (sentence, lines) = failure(why);
    let words = words::CREATE_FAILED.with(&[("why", (&sentence).into())]);
    let lines = (!lines.is_empty()).then(|| {
        let text = exact(el("code"), lines);
        el("pre").class("box wrap").attr("dir", "ltr").attr("tabindex", "0").child(text)
    });
    div("board-trouble").attr("role", "alert").child(el("p").attr("dir", "auto").text(&words)).child(lines)
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
        // Its end tells it from the others.
        let text = exact(el("bdi").attr("dir", "ltr").attr("translate", "no"), &folder);
        let button = button.attr("title", &folder).child(el("span").child(text));
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

/// The agent's models as a choice, or a text field where they are not known.
fn model(of_agent: OfAgent) -> El {
    el("span").class("contents").child(move || {
        let hint = || Some(words::NEW_MODEL_HINT.text());
        vec![of_agent.choices.with(|choices| match choices.field {
            ModelField::Typed => labelled(words::NEW_MODEL, hint, input("model")),
            ModelField::AgentsOwn => {
                let own = el("output").class("input").text(words::NEW_MODEL_ANY.text());
                labelled(words::NEW_MODEL, || None, own)
            }
            ModelField::Choice => {
                let all = choices.models.iter().map(|model| option(&model.id, &model.name));
                let select = own_or("model", all.collect());
                let select = select.on("change", move |event| of_agent.model.set(event_target_value(event)));
                labelled(words::NEW_MODEL, || None, select)
            }
        })]
    })
}

/// The agent's own modes, where it says which it has. Those of several settings stand in groups.
fn modes(of_agent: OfAgent) -> El {
    el("span").class("contents").child(move || {
        of_agent.choices.with(|choices| {
            let mut rows: Vec<El> = Vec::new();
            for group in choices.modes.chunk_by(|one, next| one.setting == next.setting) {
                let own = group.iter().map(|mode| {
                    let tells = Some(mode.description.clone()).filter(|tells| !tells.is_empty());
                    option(&mode.id, &mode.name).attr("title", tells)
                });
                match group.first() {
                    Some(mode) if !mode.setting.is_empty() => {
                        rows.push(el("optgroup").attr("label", &mode.setting).child(own.collect::<Vec<_>>()));
                    }
                    _ => rows.extend(own),
                }
            }
            (!rows.is_empty()).then(|| labelled(composer::MODE, || None, own_or("mode", rows)))
        })
    })
}

/// The efforts of the chosen model.
fn efforts(of_agent: OfAgent) -> El {
    el("span").class("contents").child(move || {
        let model = of_agent.model.get();
        of_agent.choices.with(|choices| {
            let efforts = choices.efforts(&model).iter().map(|effort| option(effort, effort));
            let rows: Vec<El> = efforts.collect();
            (!rows.is_empty()).then(|| labelled(composer::EFFORT, || None, own_or("reasoningEffort", rows)))
        })
    })
}

fn option(value: &str, words: &str) -> El {
    el("option").attr("value", value).text(words)
}

/// A choice among these, with the agent's own default before them.
fn own_or(name: &str, rows: Vec<El>) -> El {
    let own = option("", words::NEW_MODEL_ANY.text());
    el("select").class("input").attr("name", name).child(own).child(rows)
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
