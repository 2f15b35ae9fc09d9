//! Which records the event log lists: by family, and by a part of the type's name.

use leptos::prelude::*;

use crate::core::i18n::words::log;
use crate::core::protocol::catalogue::EventFamily;
use crate::core::session::log::Log;
use crate::store::Store;
use crate::ui::elements::builder::{El, el};
use crate::ui::elements::live::Live;
use crate::ui::elements::reactive::memo;

/// The reader's choice.
#[derive(Clone, Copy)]
pub struct RecordFilter {
    name: RwSignal<String>,
    families: RwSignal<Vec<&'static str>>,
}

/// The name of a family. Types without one are listed as 'Other'.
fn family(family: Option<EventFamily>) -> &'static str {
    let name = match family.unwrap_or(EventFamily::Internal) {
        EventFamily::Assistant => log::ASSISTANT,
        EventFamily::Tool => log::TOOL,
        EventFamily::Session => log::SESSION,
        EventFamily::Permission => log::PERMISSION,
        EventFamily::UserInput => log::USER_INPUT,
        EventFamily::SubAgent => log::SUB_AGENT,
        EventFamily::Skill => log::SKILL,
        EventFamily::Control => log::CONTROL,
        EventFamily::User => log::USER,
        EventFamily::System => log::SYSTEM,
        EventFamily::ExternalTool => log::EXTERNAL_TOOL,
        EventFamily::Command => log::COMMAND,
        EventFamily::PlanMode => log::PLAN_MODE,
        EventFamily::Mode => log::MODE,
        EventFamily::Queue => log::QUEUE,
        EventFamily::Model => log::MODEL,
        EventFamily::Limits => log::LIMITS,
        EventFamily::Hook => log::HOOK,
        EventFamily::Mcp => log::MCP,
        EventFamily::Workspace => log::WORKSPACE,
        EventFamily::Schedule => log::SCHEDULE,
        EventFamily::Factory => log::FACTORY,
        EventFamily::Workflow => log::WORKFLOW,
        EventFamily::Fusion => log::FUSION,
        EventFamily::Canvas => log::CANVAS,
        EventFamily::Extension => log::EXTENSION,
        EventFamily::Policy => log::POLICY,
        EventFamily::Timeline => log::TIMELINE,
        EventFamily::Platform => log::PLATFORM,
        EventFamily::Gateway => log::GATEWAY,
        EventFamily::Internal => log::OTHER,
    };
    name.text()
}

impl RecordFilter {
    /// A filter that lets everything through.
    pub fn new() -> Self {
        Self { name: RwSignal::new(String::new()), families: RwSignal::new(Vec::new()) }
    }

    /// Subscribes to both parts of the filter.
    pub fn changed(self) {
        self.name.track();
        self.families.track();
    }

    /// Appends the wanted records from `from` on.
    pub fn apply(self, store: Store, records: &mut Vec<u32>, from: usize) {
        store.history().log(|log| self.apply_to(log, records, from));
    }

    fn apply_to(self, log: &Log, records: &mut Vec<u32>, from: usize) {
        let (name, families) =
            (self.name.get_untracked().to_ascii_lowercase(), self.families.get_untracked());
        let wanted: Vec<bool> = log
            .kinds()
            .map(|(kind, of)| {
                kind.to_ascii_lowercase().contains(name.trim())
                    && (families.is_empty() || families.contains(&family(of)))
            })
            .collect();
        let is_wanted =
            |record: &usize| log.kind(*record).and_then(|kind| wanted.get(kind)).copied().unwrap_or(false);
        records.extend((from..log.len()).filter(is_wanted).map(|record| record as u32));
    }

    fn toggle(self, name: &str) {
        self.families.update(|chosen| match chosen.iter().position(|known| *known == name) {
            Some(place) => drop(chosen.remove(place)),
            None => chosen.extend(
                crate::core::protocol::catalogue::families()
                    .map(|(of, _)| family(Some(of)))
                    .chain([family(None)])
                    .find(|known| *known == name),
            ),
        });
    }
}

/// The field and the chips.
#[component(transparent)]
pub fn FilterBar(store: Store, filter: RecordFilter) -> El {
    // The families that occurred, in their order; as one text, so that chips are
    // rebuilt only for a new one.
    let occurred = memo(move || {
        store.track_input();
        let mut found: Vec<&str> = Vec::new();
        store.history().log(|log| {
            for (_, of) in log.kinds() {
                if !found.contains(&family(of)) {
                    found.push(family(of));
                }
            }
        });
        found.join("\n")
    });
    let chips = move || occurred.get().lines().map(|name| chip(filter, name)).collect::<Vec<_>>();
    El::of(view! {
        <div class="log-filter">
            <input
                class="input"
                type="search"
                placeholder=log::EVENT_TYPE.text()
                aria-label=log::BY_TYPE.text()
                on:input=move |event| filter.name.set(event_target_value(&event))
            />
            <div class="families" role="group" aria-label=log::BY_FAMILY.text()>
                {Live::new(chips)}
            </div>
        </div>
    })
}

fn chip(filter: RecordFilter, name: &str) -> El {
    let (name, own) = (name.to_owned(), name.to_owned());
    let on = move || filter.families.with(|chosen| chosen.contains(&&*own));
    el("button")
        .attr("type", "button")
        .class("chip")
        .attr("aria-pressed", move || if on() { "true" } else { "false" })
        .text(&name)
        .on("click", move |_| filter.toggle(&name))
}
