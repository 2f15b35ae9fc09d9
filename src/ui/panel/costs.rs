//! Tokens, cost, quotas and the context window. All figures are the runtime's own; no price is computed.

use leptos::prelude::*;

use super::rows::{ListLine, SectionList, rows};
use crate::core::State;
use crate::core::i18n;
use crate::core::i18n::format::{count, runtime_word};
use crate::core::i18n::words::panel;
use crate::core::i18n::{Value, Word};
use crate::core::model::state::Section;
use crate::core::model::usage::{Quota, Share, Usage};
use crate::core::view_model::agent_name;
use crate::core::view_model::panel::Environment;
use crate::store::Store;
use crate::ui::elements::builder::{El, div, el};
use crate::ui::elements::reactive::memo;

/// Whether there is usage to show: a model was called, or a limit or a quota is known.
pub(super) fn has_usage(store: Store, all: Memo<Environment>) -> Memo<bool> {
    memo(move || {
        if all.with(|all| all.limit.credits.is_some()) {
            return true;
        }
        let used = |state: &State| {
            let usage = &state.usage;
            !usage.shares.is_empty() || !usage.quotas.is_empty() || !account(usage, None).is_empty()
        };
        store.section(Section::Usage, used).unwrap_or(false)
    })
}

/// Whether the size of the context window is known.
pub(super) fn context_known(store: Store) -> Memo<bool> {
    memo(move || {
        let known = |state: &State| state.usage.context_limit.is_some_and(|limit| limit > 0);
        store.section(Section::Usage, known).unwrap_or(false)
    })
}

/// Tables of the tokens by model and by agent, and what the account has left.
pub(super) fn usage(store: Store, all: Memo<Environment>) -> El {
    let shares = memo(move || {
        store.section(Section::Usage, |state| {
            let name = |agent: &String| agent_name::by_id(state, agent).to_owned();
            let named = |share: &Share| (share.agent.as_ref().map(name), share.clone());
            state.usage.shares.iter().map(named).collect::<Vec<_>>()
        })
    });
    let rest = memo(move || {
        let limit = all.with(|all| all.limit.credits);
        let lines = store.section(Section::Usage, |state| account(&state.usage, limit));
        SectionList { note: String::new(), lines: lines.unwrap_or_default() }
    });
    let left = memo(move || rest.with(SectionList::has_lines));
    div("usage")
        .child(move || {
            let shares = shares.get().unwrap_or_default();
            if shares.is_empty() {
                return Vec::new();
            }
            let mut tables = vec![table(
                panel::MODEL,
                panel::BY_MODEL,
                &sum_by_name(&shares, |_, share| share.model.clone()),
            )];
            if shares.iter().any(|(_, share)| share.agent.is_some()) {
                let name = |agent: &Option<String>, _: &Share| {
                    agent.clone().unwrap_or_else(|| panel::MAIN_AGENT.text().to_owned())
                };
                tables.push(table(panel::AGENT, panel::BY_AGENT, &sum_by_name(&shares, name)));
            }
            tables
        })
        .child(move || left.get().then(|| rows(store, rest)))
}

/// The shares under one name added up, in the order of the names' first occurrence.
fn sum_by_name(
    shares: &[(Option<String>, Share)],
    name: impl Fn(&Option<String>, &Share) -> String,
) -> Vec<(String, Share)> {
    let mut sums: Vec<(String, Share)> = Vec::new();
    for (agent, share) in shares {
        let name = name(agent, share);
        let name = if name.is_empty() { panel::UNKNOWN.text().to_owned() } else { name };
        if let Some((_, sum)) = sums.iter_mut().find(|(known, _)| *known == name) {
            sum.calls += share.calls;
            sum.input = sum.input.saturating_add(share.input);
            sum.output = sum.output.saturating_add(share.output);
            sum.cached = sum.cached.saturating_add(share.cached);
        } else {
            sums.push((name, share.clone()));
        }
    }
    sums
}

fn table(name: Word, about: Word, sums: &[(String, Share)]) -> El {
    let heads = [name, panel::CALLS_HEAD, panel::READ, panel::CACHED, panel::WRITTEN];
    let head =
        heads.iter().fold(el("tr"), |row, head| row.child(el("th").attr("scope", "col").text(head.text())));
    let rows = sums.iter().map(|(name, sum)| {
        // More can be cached than the input's count has: the runtime's figures are not always of one kind.
        let cached = if sum.input > 0 { (sum.cached * 100 / sum.input).clamp(0, 100) } else { 0 };
        let cached = panel::PERCENT.with(&[("n", cached.into())]);
        let calls = i18n::hundredths(sum.calls.saturating_mul(100));
        let figures = [calls, count(sum.input), cached, count(sum.output)];
        let head = el("tr").child(el("th").attr("scope", "row").text(name));
        figures.iter().fold(head, |row, figure| row.child(el("td").text(figure)))
    });
    let body = rows.fold(el("tbody"), El::child);
    let caption = el("caption").class("sr-only").text(about.text());
    el("table").class("figures").child(caption).child(el("thead").child(head)).child(body)
}

/// What it cost, and what is left.
fn account(usage: &Usage, limit: Option<f64>) -> Vec<ListLine> {
    let mut lines = Vec::new();
    let line =
        |word: Word, end: String| ListLine { text: word.text().to_owned(), end, ..ListLine::default() };
    let (requests, credits) = (usage.premium_requests, usage.nano_credits / 1e9);
    if requests > 0.0 {
        lines.push(line(panel::PREMIUM_REQUESTS, format_decimal(requests)));
    }
    if credits > 0.0 || limit.is_some() {
        let used = format_decimal(credits);
        let end = limit.map_or_else(
            || used.clone(),
            |limit| used_of_total((&used).into(), (&format_decimal(limit)).into()),
        );
        let share = limit.filter(|limit| *limit > 0.0).map(|limit| credits / limit * 100.0);
        lines.push(ListLine { share, ..line(panel::CREDITS, end) });
    }
    lines.extend(usage.quotas.iter().map(quota));
    for (word, tokens) in
        [(panel::CACHE_WRITTEN, usage.cache_write_tokens), (panel::THINKING_TOKENS, usage.reasoning_tokens)]
    {
        lines.extend((tokens > 0).then(|| line(word, count(tokens))));
    }
    lines.extend((usage.model_time > 0).then(|| line(panel::MODEL_TIME, i18n::duration(usage.model_time))));
    lines
}

fn quota(quota: &Quota) -> ListLine {
    let text = panel::QUOTA.with(&[("name", (&runtime_word(&quota.name.to_lowercase())).into())]);
    if quota.unlimited {
        return ListLine { text, end: panel::UNLIMITED.text().to_owned(), ..ListLine::default() };
    }
    let left = ("n", Value::Text(&format_decimal(quota.left)));
    ListLine {
        text,
        end: used_of_total(quota.used.into(), quota.granted.into()),
        more: match quota.resets.as_deref().map(day) {
            Some(date) => panel::LEFT_UNTIL.with(&[left, ("date", (&date).into())]),
            None => panel::LEFT.with(&[left]),
        },
        share: Some(100.0 - quota.left),
        ..ListLine::default()
    }
}

fn used_of_total(used: Value<'_>, all: Value<'_>) -> String {
    panel::USED_OF.with(&[("used", used), ("all", all)])
}

/// The day of an ISO timestamp, in UTC; in English as the timestamp has it.
fn day(at: &str) -> String {
    let day = at.split('T').next().unwrap_or(at);
    let Some(language) = i18n::current() else { return day.to_owned() };
    let date = js_sys::Date::new(&day.into());
    let options = js_sys::JSON::parse("{\"timeZone\":\"UTC\"}").unwrap_or_default();
    if date.get_time().is_nan() {
        day.to_owned()
    } else {
        date.to_locale_date_string(language.tag, &options).into()
    }
}

/// A number with at most two decimals, or three if it is small, and without zeros at the end.
fn format_decimal(number: f64) -> String {
    if let Some(language) = i18n::current() {
        if number.abs() >= 0.1 {
            return i18n::hundredths((number * 100.0).round() as i64);
        }
        return js_sys::Number::from(number).to_locale_string(language.tag).into();
    }
    let text = if number.abs() < 0.1 { format!("{number:.3}") } else { format!("{number:.2}") };
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The context window as a bar of its parts, and the parts in figures.
pub(super) fn context(store: Store) -> El {
    let parts = memo(move || store.section(Section::Usage, |state| parts(&state.usage)).unwrap_or_default());
    div("context").child(move || {
        let (limit, parts) = parts.get();
        let share = |tokens: i64| tokens as f64 * 100.0 / limit.max(1) as f64;
        let bar = parts.iter().filter(|(class, ..)| *class != "free").fold(div("stack"), |bar, part| {
            bar.child(
                el("span")
                    .attr("data-part", part.0)
                    .attr("style", format!("inline-size:{:.2}%", share(part.2))),
            )
        });
        let list = parts.iter().fold(el("dl").class("legend"), |list, (class, name, tokens)| {
            let share = share(*tokens);
            let small = share < 1.0 && *tokens > 0;
            let share = if small { Value::Text("<1") } else { Value::Number(share.round() as i64) };
            let figure = format!("{} · {}", count(*tokens), panel::PERCENT.with(&[("n", share)]));
            list.child(el("dt").attr("data-part", *class).text(name.text())).child(el("dd").text(&figure))
        });
        let whole = el("p").class("hint").text(panel::TOKENS_IN_ALL.with(&[("n", Value::Count(limit))]));
        vec![bar.attr("aria-hidden", "true"), list, whole]
    })
}

type Parts = (i64, Vec<(&'static str, Word, i64)>);

/// The parts of the context window that are known, and its size. Used tokens beyond them are
/// 'Other'; 'Free' is never negative.
fn parts(usage: &Usage) -> Parts {
    let limit = usage.context_limit.unwrap_or(0);
    let used = usage.context_tokens.unwrap_or(0);
    let mut parts = Vec::new();
    let mut known = 0;
    for (class, name, tokens) in [
        ("system", panel::SYSTEM_PROMPT, usage.system_tokens),
        ("tools", panel::PART_TOOLS, usage.tool_tokens),
        ("conversation", panel::CONVERSATION, usage.conversation_tokens),
    ] {
        if let Some(tokens) = tokens.filter(|tokens| *tokens > 0) {
            known += tokens;
            parts.push((class, name, tokens));
        }
    }
    if used > known {
        parts.push(("other", if known == 0 { panel::PART_USED } else { panel::PART_OTHER }, used - known));
    }
    parts.push(("free", panel::PART_FREE, (limit - used.max(known)).max(0)));
    (limit, parts)
}
