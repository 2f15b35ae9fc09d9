//! Reads the panel events into the panel's lists.

use crate::i18n;
use std::sync::Arc;

use serde_json::Value;

use super::{
    BUILT_IN, Canvas, Environment, Limit, Named, OwnFile, PanelEvent, Schedule, Server, Skill,
    built_in_servers,
};
use crate::i18n::words::panel;
use crate::model::state::State;
use crate::protocol::EventKind;
use crate::protocol::catalogue::EventFamily;
use crate::wire::fields::Fields;

/// Applies the panel events in their order.
pub(super) fn fold(state: &State, all: &mut Environment) {
    for event in &state.panel_events {
        let mut data = Fields::of(event.data.clone());
        match event.kind {
            EventKind::SessionMcpServersLoaded => all.servers = list(data, "servers", server),
            EventKind::SessionMcpServerStatusChanged | EventKind::SessionMcpServerNeedsReconnect => {
                status(data, all);
            }
            EventKind::SessionMcpServerRemoved => {
                let name = data.text("serverName").unwrap_or_default();
                all.servers.retain(|server| server.name != name);
            }
            EventKind::SessionSkillsLoaded => all.skills = list(data, "skills", skill),
            EventKind::SessionCustomAgentsUpdated => all.agents = list(data, "agents", agent),
            EventKind::SessionCanvasRegistryChanged => {
                all.canvases.retain(|canvas| canvas.instance.is_some());
                all.canvases.extend(list(data, "canvases", canvas));
            }
            kind if kind.row().is_some_and(|row| row.family == EventFamily::Canvas) => {
                instance(kind, data, all);
            }
            EventKind::SessionWorkspaceFileChanged => own_file(data, all),
            EventKind::SessionAutopilotObjectiveChanged => objective(data, all),
            EventKind::SessionSessionLimitsChanged => {
                all.limit.credits = data.clone().object("sessionLimits").number("maxAiCredits");
            }
            EventKind::SessionLimitsExhaustedRequested => limits_exhausted(data, all),
            _ => {}
        }
    }
    all.servers.retain(|server| !server.name.is_empty());
    for server in all.servers.iter_mut().filter(|server| server.source.is_none()) {
        // One that left the list and came back is told of without its source.
        let is_built_in = built_in_servers(state).any(|name| name == server.name);
        server.source = is_built_in.then(|| BUILT_IN.to_owned());
    }
    all.canvases.sort_by_key(|canvas| canvas.instance.is_none());
    // The runtime lists servers in the order in which they have started, which differs each time.
    all.servers.sort_by(|one, other| one.name.cmp(&other.name));
    all.schedules = schedules(&state.panel_events);
}

fn list<T>(mut data: Fields, name: &str, read: fn(Fields) -> T) -> Vec<T> {
    data.list(name).into_iter().map(|item| read(Fields::of(item))).collect()
}

fn server(mut data: Fields) -> Server {
    Server {
        name: data.text("name").unwrap_or_default(),
        title: data.non_empty_text("displayName"),
        status: data.text("status").unwrap_or_default(),
        error: data.non_empty_text("error"),
        source: data.non_empty_text("source"),
        calls: 0,
    }
}

fn status(mut data: Fields, all: &mut Environment) {
    let name = data.text("serverName").unwrap_or_default();
    let status = data.non_empty_text("status").unwrap_or_else(|| "needs-reconnect".to_owned());
    let error = data.non_empty_text("error");
    if let Some(server) = all.servers.iter_mut().find(|server| server.name == name) {
        (server.status, server.error) = (status, error);
    } else {
        all.servers.push(Server { name, status, error, ..Server::default() });
    }
}

fn skill(mut data: Fields) -> Skill {
    Skill {
        name: data.text("name").unwrap_or_default(),
        description: data.text("description").unwrap_or_default(),
        source: data.text("source").unwrap_or_default(),
        enabled: data.flag("enabled").unwrap_or(true),
        row: None,
    }
}

fn agent(mut data: Fields) -> Named {
    let name = data.non_empty_text("displayName").or_else(|| data.non_empty_text("name")).unwrap_or_default();
    Named { name, description: data.text("description").unwrap_or_default() }
}

fn canvas(mut data: Fields) -> Canvas {
    let name = ["title", "displayName", "canvasId"].into_iter().find_map(|name| data.non_empty_text(name));
    let description = ["status", "description"].into_iter().find_map(|name| data.non_empty_text(name));
    let whose = ["extensionName", "extensionId"].into_iter().find_map(|name| data.non_empty_text(name));
    Canvas {
        title: name.unwrap_or_default(),
        description: description.unwrap_or_default(),
        extension: whose.unwrap_or_default(),
        instance: data.non_empty_text("instanceId"),
        available: true,
    }
}

/// Applies an event about an open canvas. The persisted event of an opening has fewer facts than
/// the live one, so it does not replace them.
fn instance(kind: EventKind, data: Fields, all: &mut Environment) {
    let new = canvas(data);
    let known = all.canvases.iter().position(|canvas| canvas.instance == new.instance);
    match (kind, known.and_then(|place| all.canvases.get_mut(place))) {
        (EventKind::SessionCanvasClosed | EventKind::SessionCanvasRemoved, _) => {
            all.canvases.retain(|canvas| canvas.instance != new.instance);
        }
        (EventKind::SessionCanvasUnavailable, Some(canvas)) => canvas.available = false,
        (EventKind::SessionCanvasUnavailable, None) => all.canvases.push(Canvas { available: false, ..new }),
        (EventKind::SessionCanvasOpened, Some(canvas)) => *canvas = new,
        (_, Some(canvas)) => canvas.available = true,
        (_, None) => all.canvases.push(new),
    }
}

fn own_file(mut data: Fields, all: &mut Environment) {
    let path = data.text("path").unwrap_or_default();
    all.own_files.push(OwnFile { path, operation: data.text("operation").unwrap_or_default() });
}

fn objective(mut data: Fields, all: &mut Environment) {
    let deleted = data.text("operation").as_deref() == Some("delete");
    all.objective = data.non_empty_text("status").filter(|_| !deleted);
}

fn limits_exhausted(mut data: Fields, all: &mut Environment) {
    all.limit.used = data.number("usedAiCredits");
    if all.limit.credits.is_none() {
        all.limit = Limit { credits: data.number("maxAiCredits"), ..all.limit.clone() };
    }
}

/// The three types of events are stored by id and not in order, so they are matched by their ids and times.
fn schedules(events: &[Arc<PanelEvent>]) -> Vec<Schedule> {
    let of = |kind: EventKind| events.iter().filter(move |event| event.kind == kind);
    let created = of(EventKind::SessionScheduleCreated);
    let on = created.filter(|event| {
        !of(EventKind::SessionScheduleCancelled).any(|gone| gone.key == event.key && gone.at >= event.at)
    });
    on.map(|event| {
        let rearmed = of(EventKind::SessionScheduleRearmed).find(|rearmed| rearmed.key == event.key);
        let next = rearmed.and_then(|event| event.data.get("nextRunAt")).and_then(Value::as_i64);
        schedule(Fields::of(event.data.clone()), next)
    })
    .collect()
}

fn schedule(mut data: Fields, next: Option<i64>) -> Schedule {
    let prompt = data.non_empty_text("prompt");
    let prompt = data.non_empty_text("displayPrompt").or(prompt).unwrap_or_default();
    let recurring = data.flag("recurring").unwrap_or(false);
    let at = data.integer("at");
    let when = if let Some(cron) = data.non_empty_text("cron") {
        let zone = data.non_empty_text("tz").map_or_else(String::new, |zone| format!(" ({zone})"));
        format!("{cron}{zone}")
    } else if let Some(every) = data.integer("intervalMs") {
        let word = if recurring { panel::EVERY } else { panel::AFTER };
        word.with(&[("time", (&i18n::duration(every)).into())])
    } else if data.flag("selfPaced").unwrap_or(false) {
        panel::SELF_PACED.text().to_owned()
    } else {
        panel::ONCE.text().to_owned()
    };
    Schedule { prompt, when, next: next.or(at) }
}
