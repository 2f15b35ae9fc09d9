//! The guide's table 'Model-visible versus UI-visible', derived from the catalogue. Only
//! the guide's extra wording is written here.

use super::{EventType, ModelVisibility, Surface, find};

/// One row of 'Model-visible versus UI-visible'.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Projection {
    /// The event or record, as the guide calls it.
    pub event: &'static str,
    /// Whether the model sees it.
    pub model_visible: &'static str,
    /// Whether people see it.
    pub ui_visible: &'static str,
    /// The guide's remark.
    pub notes: &'static str,
}

struct Remark {
    name: &'static str,
    event: &'static str,
    /// The derived word with the guide's addition; empty if there is none.
    nuance: &'static str,
    notes: &'static str,
}

const REMARKS: [Remark; 8] = [
    remark("system.message", "Updates system/developer context."),
    remark("system.notification", "Except instruction_discovered is filtered from chat replay."),
    remark("session.info", "Timeline/status display."),
    remark("session.warning", "Timeline/status display."),
    remark("session.error", "Also telemetry and control-flow effects.").with_nuance("No direct prompt role"),
    remark("pending_messages.modified", "Ephemeral queue state."),
    remark("session.custom_notification", "Opaque event for clients.").with_nuance("No by default"),
    remark("add-timeline-entry", "Command handler UI projection.")
        .with_nuance("No by itself")
        .for_event("add-timeline-entry command result"),
];

/// The rows, in the guide's order. A nuance that contradicts the catalogue is dropped.
pub fn projections() -> impl Iterator<Item = Projection> {
    REMARKS.iter().filter_map(|remark| {
        let row = find(remark.name)?;
        let derived = model_visible(row.model);
        let nuance = Some(remark.nuance).filter(|nuance| nuance.starts_with(derived));
        Some(Projection {
            event: remark.event,
            model_visible: nuance.unwrap_or(derived),
            ui_visible: ui_visible(row),
            notes: remark.notes,
        })
    })
}

const fn model_visible(visibility: ModelVisibility) -> &'static str {
    match visibility {
        ModelVisibility::No => "No",
        ModelVisibility::Yes(_) => "Yes",
        ModelVisibility::Sometimes(_) => "Usually yes",
        ModelVisibility::Rewrites => "Rewrites it",
    }
}

const fn ui_visible(row: &EventType) -> &'static str {
    match (row.surface, row.model) {
        (Surface::Nowhere, _) => "No",
        // The model reads it and it is not a timeline entry: people see it in the model's view only.
        (Surface::Panel, ModelVisibility::Yes(_) | ModelVisibility::Sometimes(_)) => {
            "Usually not as ordinary chat"
        }
        _ => "Yes",
    }
}

const fn remark(name: &'static str, notes: &'static str) -> Remark {
    Remark { name, event: name, nuance: "", notes }
}

impl Remark {
    const fn with_nuance(self, nuance: &'static str) -> Self {
        Self { nuance, ..self }
    }

    const fn for_event(self, event: &'static str) -> Self {
        Self { event, ..self }
    }
}
