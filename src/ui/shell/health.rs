//! What is wrong with the gateway itself: a missing runtime or agent, with its last output, logs or an audit log that can't be
//! written, a cluster that can't be reached; and that the session's machine is away.
//!
//! Shown at the top of the board and of the session's page.

use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen::JsValue;

use crate::core::i18n;
use crate::core::i18n::words::connection;
use crate::core::model::health::{Health, RuntimeTrouble};
use crate::core::text::review_marks::TextKind;
use crate::core::view_model::board_row::away_since;
use crate::ui::elements::builder::{El, el};
use crate::ui::elements::live::Live;
use crate::ui::elements::reactive::memo;
use crate::ui::message::moment;
use crate::ui::requests::exact;

/// The gateway's current problems; follows its reports.
pub fn health(report: RwSignal<Option<Value>>) -> El {
    let health = memo(move || report.with(|report| report.as_ref().map(Health::of).unwrap_or_default()));
    let runtime = memo(move || health.with(|health| health.runtime.as_ref().map(runtime_words)));
    let agents = memo(move || {
        health.with(|health| {
            let words = health.agents.iter().map(|agent| {
                let why = agent.problem.trim_end_matches('.');
                let what = connection::AGENT.with(&[("agent", (&agent.agent).into()), ("why", why.into())]);
                (what, connection::AGENT_REST.with(&[("since", (&clock(agent.since)).into())]))
            });
            words.collect::<Vec<_>>()
        })
    });
    let logs = memo(move || {
        health.with(|health| {
            let logs = health.logs.as_ref()?;
            let what = connection::LOGS.with(&[("n", logs.sessions.into()), ("why", (&logs.problem).into())]);
            Some((what, connection::LOGS_KEPT.with(&[("since", (&clock(logs.since)).into())])))
        })
    });
    let audit = memo(move || {
        health.with(|health| {
            let audit = health.audit.as_ref()?;
            let what = connection::AUDIT.with(&[("why", (&audit.problem).into())]);
            Some((what, connection::SINCE.with(&[("since", (&clock(audit.since)).into())])))
        })
    });
    let cluster = memo(move || {
        health.with(|health| {
            let cluster = health.cluster.as_ref()?;
            let what = connection::CLUSTER.with(&[("why", (&cluster.problem).into())]);
            Some((what, connection::CLUSTER_REST.with(&[("since", (&clock(cluster.since)).into())])))
        })
    });
    let away = memo(move || {
        health.with(|health| {
            let away = away_since(health.away.as_ref()?, moment);
            let what = connection::SESSION_AWAY.with(&[("away", (&away).into())]);
            Some((what, connection::SESSION_AWAY_REST.text().to_owned()))
        })
    });
    let output = memo(move || {
        let printed = |lines: &[String]| lines.join("\n");
        health.with(|health| match &health.runtime {
            Some(runtime) => printed(&runtime.output),
            None => health.agents.first().map(|agent| printed(&agent.output)).unwrap_or_default(),
        })
    });
    let any = memo(move || output.with(|output| !output.is_empty()));
    // The `details` element is not rebuilt while the lines change, so it stays open.
    let last_lines = move || {
        El::of(view! {
            <details>
                <summary>{connection::LAST_LINES.text()}</summary>
                <pre class="box wrap" dir="ltr" tabindex="0">
                    {Live::new(move || exact(el("code"), &output.get(), TextKind::Content))}
                </pre>
            </details>
        })
    };
    El::of(view! {
        <div class="health">
            {Live::new(move || away.get().map(|away| problem(away).attr("dir", None::<&str>)))}
            {Live::new(move || cluster.get().map(problem))}
            {Live::new(move || runtime.get().map(problem))}
            {Live::new(move || agents.get().into_iter().fold(el("div"), |all, agent| all.child(problem(agent))))}
            {Live::new(move || any.get().then(last_lines))}
            {Live::new(move || logs.get().map(problem))}
            {Live::new(move || audit.get().map(problem))}
        </div>
    })
}

/// A problem, and since when it has existed.
fn problem((what, when): (String, String)) -> El {
    exact(el("p").attr("dir", "auto"), &what, TextKind::Prose)
        .text(" ")
        .child(el("span").class("when").text(&when))
}

fn runtime_words(trouble: &RuntimeTrouble) -> (String, String) {
    let word = if trouble.starting && trouble.attempts == 0 {
        connection::RUNTIME_SLOW
    } else {
        connection::RUNTIME_MISSING
    };
    let what = word.with(&[("why", (&trouble.problem).into())]);
    let since = clock(trouble.since);
    let since = ("since", (&since).into());
    let when = match trouble.attempts {
        0 => connection::SINCE.with(&[since]),
        n => connection::TRIED.with(&[("n", n.into()), since]),
    };
    let next = match trouble.next {
        Some(next) => connection::NEXT.with(&[("time", (&clock(Some(next))).into())]),
        None => connection::NOW.text().to_owned(),
    };
    (what, format!("{when} {next}"))
}

/// Time of day with seconds, and the date if it is not today; empty for `None`.
fn clock(at: Option<i64>) -> String {
    let Some(at) = at else { return String::new() };
    let date = js_sys::Date::new(&(at as f64).into());
    let tag = i18n::current().map_or("default", |language| language.tag);
    let today = js_sys::Date::new_0().to_date_string() == date.to_date_string();
    if today { date.to_locale_time_string(tag) } else { date.to_locale_string(tag, &JsValue::UNDEFINED) }
        .into()
}
