//! Open requests as cards, whole, with their answers disabled: the questions, everything that is to be allowed, facts and
//! warnings, from the same view models as the cards that can be answered.

use serde_json::Value;

use super::element::{El, div, el, glyph, reviewed};
use super::prose;
use super::tools::diff_box;
use crate::i18n::Word;
use crate::i18n::format::{plan_action, without_marks};
use crate::i18n::words::{page, requests};
use crate::model::agent_option::agent_options;
use crate::model::answer::{location_key, plan_actions, plan_rejection, plan_start};
use crate::model::entry::Entry;
use crate::model::request::{Request, RequestKind, RequestStage};
use crate::model::state::State;
use crate::protocol::form::{Field, FieldType, FormChoice, chosen, fields, in_digits, limits};
use crate::text::diff;
use crate::text::review_marks::{TextKind, address, address_dangers, count_hidden, may_open};
use crate::view_model::agent_name;
use crate::view_model::approval::{
    Caution, Fact, Mark, Part, granted_for_location, granted_for_session, readable, subject,
};
use crate::view_model::asked::{self, Asked};
use crate::view_model::entry_words::request_outcome;
use crate::view_model::icon::Icon;
use crate::view_model::permission_card::{self, SharedCard, file_name, lists_every_change, single_line};
use crate::view_model::permission_offers::{Offer, Offers, shown};
use crate::view_model::settled_request::{SettledOutcome, SettledRequest, lowercase_first};

/// What is the same for all cards of a screen.
#[derive(Clone, Copy)]
pub struct Cards<'a> {
    /// The session.
    pub state: &'a State,
    /// A number of its own on the screen.
    pub session: usize,
    /// Whoever looks at it may not answer.
    pub readonly: bool,
    /// Whether a row is hidden.
    pub is_hidden: &'a dyn Fn(usize) -> bool,
}

/// The head of a card.
struct Heading {
    icon: Icon,
    question: String,
    why: Option<String>,
    small: bool,
}

impl Heading {
    fn new(icon: Icon, question: impl Into<String>) -> Self {
        Self { icon, question: question.into(), why: None, small: false }
    }
}

/// What is in the article of a request: its card while it is open, then one line.
pub fn request(cards: Cards<'_>, index: usize, entry: &Entry, request: &Request) -> Vec<El> {
    let shared = SharedCard::of(cards.state, index, &[], cards.is_hidden);
    if !request.open() {
        let line = SettledRequest::of(cards.state, index).map(|left| settled(&left)).unwrap_or_default();
        return if shared.is_some() { in_card(cards, shared.as_ref(), line) } else { line };
    }
    let card = match request.kind {
        RequestKind::Permission => permission(cards, index, entry, request),
        RequestKind::UserInput => question(cards, index, entry, request),
        RequestKind::ExitPlanMode => plan(cards, index, entry, request),
        _ => other(cards, index, entry, request),
    };
    in_card(cards, shared.as_ref(), vec![card])
}

/// Adds what is above and below a request in a card that it shares with others.
fn in_card(cards: Cards<'_>, shared: Option<&SharedCard>, own: Vec<El>) -> Vec<El> {
    let title = shared.and_then(SharedCard::title);
    let head = div("card-head")
        .attr("data-card", shared.map(|shared| shared.place))
        .attr("data-lines", shared.is_some_and(|shared| shared.lines && shared.open > 1))
        .child(title.map(|title| el("h3").text(title)));
    let all = shared.is_some_and(|shared| shared.place == "last" && shared.plain > 1) && !cards.readonly;
    let foot = div("card-foot").child(all.then(|| el("p").class("hint").text(requests::LOOK_FIRST.text())));
    std::iter::once(head).chain(own).chain([foot]).collect()
}

fn settled(left: &SettledRequest) -> Vec<El> {
    let about = (!left.about.is_empty()).then(|| {
        if left.code {
            reviewed(el("code"), &left.about, TextKind::Line)
        } else {
            reviewed(el("span").class("quiet").attr("dir", "auto"), &left.about, TextKind::Prose)
        }
    });
    let gap = if left.code || about.is_none() { " " } else { " · " };
    let line = reviewed(el("p").attr("dir", "auto"), &left.words, TextKind::Prose).text(gap).child(about);
    let unheard = left.unheard.as_deref().map(|words| {
        let said = reviewed(el("p").attr("dir", "auto"), words, TextKind::Prose);
        let copy = el("button").attr("type", "button").class("btn small").attr("part", "button");
        let copy = copy.attr("disabled", true).text(requests::COPY_ANSWER.text());
        div("own-words").child(el("p").class("quiet").text(requests::UNHEARD.text())).child(said).child(copy)
    });
    let icon = match left.outcome {
        SettledOutcome::Taken => Icon::Check,
        SettledOutcome::Refused => Icon::Cross,
        SettledOutcome::Gone => Icon::Clock,
    };
    [glyph(icon), line].into_iter().chain(unheard).collect()
}

/// A card: its head, what is asked, and below it fields and buttons, or a line that says why there are none.
fn card(
    cards: Cards<'_>,
    index: usize,
    entry: &Entry,
    heading: Heading,
    body: Vec<El>,
    below: impl FnOnce() -> Vec<El>,
) -> El {
    let Heading { icon, question, why, small } = heading;
    let asker = cards.state.asker(index);
    let why = why.filter(|why| !why.trim().is_empty());
    let name = format!("ph-first-{}-{index}-question", cards.session);
    let title = el("h3").attr("id", &name).attr("dir", "auto");
    let tag = asker.as_ref().map(|asker| {
        let tag = el("span").class("tag").attr("dir", "auto").child(glyph(Icon::Agent));
        let tag = tag.attr("title", asker.task.as_deref().map(without_marks));
        reviewed(tag, agent_name::shown(asker.name.as_deref().unwrap_or_default()), TextKind::Line)
    });
    let task = asker.as_ref().and_then(|asker| asker.task.as_deref()).filter(|_| !small);
    let header = el("header")
        .class("request-head")
        .child(glyph(icon))
        .child(reviewed(title, &question, TextKind::Prose))
        .child(tag)
        .child(
            task.map(|task| reviewed(el("p").class("asker-task").attr("dir", "auto"), task, TextKind::Prose)),
        )
        .child(why.map(|why| reviewed(el("p").attr("dir", "auto"), &why, TextKind::Prose)));
    let hint = cards.readonly.then(|| el("p").class("hint").text(requests::READ_ONLY.text()));
    let below = if cards.readonly { Vec::new() } else { below() };
    el("section")
        .class(if small { "request-card small" } else { "request-card" })
        .attr("part", "request")
        .attr("role", "group")
        .attr("data-request-id", &entry.id)
        .attr("aria-labelledby", &name)
        .child(header)
        .child(div("request-body").child(body))
        .child(hint)
        .child(below)
}

/// The foot of a card.
fn foot(below: Vec<El>) -> El {
    let seal = el("p").class("seal sr-only").child(el("span").text(page::BEING_LOADED.text()));
    div("request-foot").child(seal).child(below)
}

/// A row of answers. While one is under way, its name is shown where the first button was.
fn answer_row(request: &Request, buttons: Vec<El>) -> El {
    let sending = match &request.stage {
        RequestStage::Sending(answer) => Some(request_outcome(answer)),
        _ => None,
    };
    let sending = sending.map(|answer| {
        let words = requests::SENDING.with(&[("answer", (&lowercase_first(&answer)).into())]);
        el("span").class("sending").attr("dir", "auto").text(words)
    });
    div("answers").child(sending).child(buttons)
}

/// A button that answers, once the page is live.
fn button(class: &str, words: &str) -> El {
    el("button")
        .attr("type", "button")
        .class(class)
        .attr("part", "button")
        .attr("translate", "no")
        .attr("disabled", true)
        .attr("title", page::BEING_LOADED.text())
        .text(words)
}

fn labelled(label: &str, hint: &str, control: El) -> El {
    let mut words = el("span").text(label);
    if !hint.is_empty() {
        words = words.text(" ").child(el("small").text(hint));
    }
    el("label").class("field").child(words).child(control)
}

fn text_area() -> El {
    el("textarea").class("input").attr("rows", "1").attr("dir", "auto").attr("disabled", true)
}

/// The card of a permission: everything that is to be allowed, then the buttons.
fn permission(cards: Cards<'_>, index: usize, entry: &Entry, request: &Request) -> El {
    let subject = subject(request, cards.state.info.cwd.as_deref());
    let icon = permission_card::icon(subject.kind);
    let look = if subject.may_harm() { "btn primary danger" } else { "btn primary" };
    let below = || permission_answers(request, look, cards.state.info.agent.as_deref());
    if let Some((path, purpose)) = single_line(request, &subject) {
        let heading = Heading { small: true, ..Heading::new(icon, subject.question.clone()) };
        let what = reviewed(el("code").attr("dir", "ltr"), path, TextKind::Line);
        let purpose = purpose.map(|purpose| reviewed(el("span").class("quiet"), purpose, TextKind::Prose));
        let what = el("p").class("request-line").attr("dir", "auto").child(what).text(" ").child(purpose);
        return card(cards, index, entry, heading, vec![what], below);
    }
    let facts_and_purpose = subject.facts_and_purpose();
    let heading = Heading::new(icon, subject.question);
    // What it does comes first, then all of it, then where, and what the agent says of it.
    let mut body = cautions(&subject.cautions);
    body.extend(subject.summary.map(|words| el("p").class("does").attr("dir", "auto").child(ticked(&words))));
    body.extend(subject.parts.into_iter().flat_map(|part| self::part(part, &subject.marks)));
    body.extend(facts(&facts_and_purpose));
    card(cards, index, entry, heading, body, below)
}

/// Reject at one end, the main answer at the other, and what lasts behind a button of its own; or the agent's own answers.
fn permission_answers(request: &Request, look: &'static str, agent: Option<&str>) -> Vec<El> {
    if let Some(offers) = Offers::of(&request.details) {
        return agents_answers(request, look, &offers, agent);
    }
    let place = location_key(request).and_then(|key| granted_for_location(request, key));
    let lasts = granted_for_session(request).is_some() || place.is_some();
    let split = with_feedback(button("btn", requests::REJECT.text()));
    let more = lasts.then(|| button("btn", requests::MORE.text()));
    let once = button(look, requests::ALLOW_ONCE.text());
    let buttons = std::iter::once(split).chain(more).chain([once]).collect();
    let list = div("confirm-place").child(div("grant-list").attr("hidden", true));
    vec![feedback(requests::FEEDBACK_REJECTING), foot(vec![answer_row(request, buttons), list])]
}

/// The agent's own answers, by their names.
fn agents_answers(request: &Request, look: &'static str, offers: &Offers, agent: Option<&str>) -> Vec<El> {
    let first = offers.all.iter().position(|offer| offer.kind.refuses());
    let named = |(nth, offer): (usize, &Offer)| {
        let name = reviewed(el("span").attr("dir", "auto"), &offer.name, TextKind::Prose);
        let effect = offers.stacked.then(|| el("small").attr("dir", "auto").text(offer.effect(agent)));
        let answer = button(if offer.is_main { look } else { "btn" }, "").child([name]).child(effect);
        if first == Some(nth) { with_feedback(answer) } else { answer }
    };
    let mut buttons: Vec<El> = offers.all.iter().enumerate().map(named).collect();
    if !offers.stacked {
        buttons.reverse();
    }
    let row = answer_row(request, buttons).attr("data-offers", offers.layout());
    vec![feedback(requests::FEEDBACK_NEXT), foot(vec![row, div("confirm-place")])]
}

/// A button that rejects, and beside it the one that opens the field for feedback.
fn with_feedback(reject: El) -> El {
    let opener = button("btn more", "").attr("aria-label", requests::REJECT_WITH.text());
    div("split").child(reject).child(opener.attr("data-key", "f").child(glyph(Icon::More)))
}

/// The field for feedback, closed.
fn feedback(hint: Word) -> El {
    let field = labelled(requests::FEEDBACK.text(), hint.text(), text_area());
    field.class("field feedback").attr("data-closed", true)
}

/// What is to be allowed, in full. `marks` are the parts of a command that the warnings are about.
fn part(part: Part, marks: &[Mark]) -> Vec<El> {
    match part {
        Part::Text(text, TextKind::Command) => vec![command(&text, marks)],
        Part::Text(text, kind) => vec![whole(&text, kind)],
        Part::Address(url) => vec![full_address(&url)],
        Part::Change { path, diff, contents } => change(&path, diff.as_deref(), contents.as_deref()),
    }
}

/// A whole command, in which what the warnings are about is marked.
fn command(text: &str, marks: &[Mark]) -> El {
    let (mut code, mut at) = (el("code"), 0);
    for Mark { part, danger } in marks {
        code = reviewed(code, text.get(at..part.start).unwrap_or_default(), TextKind::Command);
        let marked = text.get(part.clone()).unwrap_or_default();
        code = code.child(reviewed(el("mark").attr("data-danger", *danger), marked, TextKind::Command));
        at = part.end;
    }
    boxed(reviewed(code, text.get(at..).unwrap_or_default(), TextKind::Command))
}

/// A change: the diff if it was read without loss, with the new content folded below it. Otherwise both as they came.
fn change(path: &str, source: Option<&str>, contents: Option<&str>) -> Vec<El> {
    let read = source.map(diff::parse).filter(|read| lists_every_change(read, source.unwrap_or_default()));
    if let Some(read) = read {
        let name = reviewed(el("code").class("path"), &file_name(path, &read), TextKind::Line);
        let head = div("d-head").child(name.class("d-path").attr("dir", "ltr"));
        let lines = div("request-diff").child(diff_box(head, &read, true));
        let file = contents.map(|contents| {
            let file = boxed(reviewed(el("code"), contents, TextKind::Content));
            let summary = el("summary").text(requests::WHOLE_FILE.text());
            el("details").class("request-more").child(summary).child(file)
        });
        return std::iter::once(lines).chain(file).collect();
    }
    let mut all = vec![whole(path, TextKind::Line)];
    all.extend(source.map(|source| whole(source, TextKind::Content)));
    if let Some(contents) = contents {
        all.push(el("p").class("hint").text(requests::WHOLE_FILE_FOLLOWS.text()));
        all.push(whole(contents, TextKind::Content));
    }
    all
}

/// A whole text, always wrapped.
fn whole(text: &str, kind: TextKind) -> El {
    let code = if kind == TextKind::Line { el("code").class("path") } else { el("code") };
    boxed(reviewed(code, text, kind))
}

fn boxed(code: El) -> El {
    el("pre").class("box wrap request-what").attr("dir", "ltr").child(code)
}

/// An address whose host stands out.
fn full_address(url: &str) -> El {
    let Some(parts) = address(url) else { return whole(url, TextKind::Line) };
    let before = reviewed(el("code").class("path"), parts.before, TextKind::Line);
    let host = before.child(reviewed(el("b"), parts.host, TextKind::Line));
    boxed(reviewed(host, parts.after, TextKind::Line))
}

fn facts(facts: &[Fact]) -> Option<El> {
    let row = |list: El, fact: &Fact| {
        let tag = if fact.kind == TextKind::Prose { "span" } else { "code" };
        let value = |values: El, text: &String| values.child(reviewed(el(tag), text, fact.kind));
        let values = fact.exact.iter().fold(el("dd").attr("dir", "auto"), value);
        let words = (!fact.words.is_empty()).then(|| ticked(&fact.words));
        list.child(el("dt").text(&fact.name)).child(values.child(words))
    };
    (!facts.is_empty()).then(|| facts.iter().fold(el("dl").class("facts"), row))
}

/// A text in which backticks make code.
fn ticked(words: &str) -> El {
    words.split('`').enumerate().fold(el("span"), |host, (nth, text)| {
        if nth % 2 == 1 {
            host.child(reviewed(el("code").attr("dir", "ltr"), text, TextKind::Command))
        } else {
            reviewed(host, text, TextKind::Prose)
        }
    })
}

/// Warnings, one line each.
fn cautions(cautions: &[Caution]) -> Vec<El> {
    let line = |caution: &Caution| {
        let class = if caution.danger { "warn danger" } else { "warn" };
        el("p").class(class).child(glyph(Icon::Warning)).child(ticked(&caution.words).attr("dir", "auto"))
    };
    cautions.iter().map(line).collect()
}

/// A warning that counts the hidden characters in these texts, if there are any.
fn hidden_characters_warning<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<El> {
    let hidden: usize = texts.into_iter().map(|text| count_hidden(text, TextKind::Prose)).sum();
    let words = (hidden > 0).then(|| requests::HIDDEN_SEQUENCES.with(&[("n", hidden.into())]));
    let caution = words.map(|words| Caution { danger: true, words });
    cautions(caution.as_slice())
}

/// A markdown text in a box, with hidden characters marked. Those that its blocks don't show are in its source, which follows.
fn markdown(text: &str) -> El {
    let (blocks, lost) = prose::for_approval(text);
    let host = div("plan").child(div("prose").attr("dir", "auto").child(blocks));
    if lost {
        host.child(el("p").class("hint").text(requests::AS_WRITTEN.text()))
            .child(whole(text, TextKind::Content))
    } else {
        host
    }
}

fn detail<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    request.details.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
}

/// The choices as texts without buttons, for readers who can't answer.
fn offered(texts: Vec<El>) -> El {
    el("ul").class("offered").child(texts.into_iter().map(|text| el("li").child(text)).collect::<Vec<_>>())
}

/// The card of a question: choices, words of one's own, or both.
fn question(cards: Cards<'_>, index: usize, entry: &Entry, request: &Request) -> El {
    let text = request.details.get("question").and_then(Value::as_str).unwrap_or_default();
    let choices = request.details.get("choices").and_then(Value::as_array);
    let choices: Vec<&str> =
        choices.map(|list| list.iter().filter_map(Value::as_str).collect()).unwrap_or_default();
    let free =
        request.details.get("allowFreeform").and_then(Value::as_bool).unwrap_or(true) || choices.is_empty();
    // A text that can be a heading as it is.
    let plain = !text.is_empty()
        && text.chars().count() <= 200
        && !text.contains(['\n', '`', '*', '_', '[', '#', '|']);
    let (question, long) =
        if plain { (text, None) } else { (requests::AGENT_ASKS.text(), Some(markdown(text))) };
    let shown = |text: &&str| reviewed(el("span"), text, TextKind::Prose);
    let choice = |text: &&str| {
        let choice = button("choice", "").attr("dir", "auto").attr("aria-pressed", "false");
        choice.child(glyph(Icon::Check)).child(shown(text))
    };
    let list = (!choices.is_empty()).then(|| {
        let list = div("choices").attr("role", "group");
        if cards.readonly {
            list.child(offered(choices.iter().map(shown).collect()))
        } else {
            list.child(choices.iter().map(choice).collect::<Vec<_>>())
        }
    });
    let warnings = hidden_characters_warning(choices.iter().copied().chain([text]));
    let body = long.into_iter().chain(list).chain(warnings).collect();
    let label = if choices.is_empty() { requests::YOUR_ANSWER } else { requests::OWN_WORDS };
    card(cards, index, entry, Heading::new(Icon::Question, question), body, || {
        let submit = button("btn primary", requests::ANSWER.text());
        let refusal = el("span").class("err");
        if free {
            let line = div("with-button").child(labelled(label.text(), "", text_area())).child(submit);
            vec![foot(vec![line, refusal, div("answers sending-line")])]
        } else {
            vec![refusal, foot(vec![answer_row(request, vec![submit])])]
        }
    })
}

/// The card of a plan: the plan itself, how to go on, feedback.
fn plan(cards: Cards<'_>, index: usize, entry: &Entry, request: &Request) -> El {
    let plan = detail(request, "planContent").or_else(|| detail(request, "summary")).unwrap_or_default();
    let (actions, start) = (plan_actions(request), plan_start(request));
    let recommended = detail(request, "recommendedAction");
    let words = |action: &String| {
        let words = reviewed(el("span"), plan_action(action), TextKind::Line);
        if recommended == Some(action.as_str()) {
            words.text(" ").child(el("small").class("hint").text(requests::RECOMMENDED.text()))
        } else {
            words
        }
    };
    let check = |kind: &str, on: bool, words: El| {
        let input = el("input").attr("type", kind).attr("disabled", true).attr("checked", on);
        el("label").class("check").child(input).child(words)
    };
    let mut body = vec![markdown(plan)];
    body.extend(hidden_characters_warning(std::iter::once(plan).chain(actions.iter().map(String::as_str))));
    if !actions.is_empty() {
        let set = el("fieldset").class("field").child(el("legend").text(requests::THEN.text()));
        body.push(if cards.readonly {
            set.child(offered(actions.iter().map(words).collect()))
        } else {
            let radio = |action: &String| check("radio", start.as_ref() == Some(action), words(action));
            set.child(actions.iter().map(radio).collect::<Vec<_>>())
        });
    }
    let edits = el("span").text(requests::AUTO_EDITS.text()).text(" ");
    let edits = edits.child(el("small").class("hint").text(requests::AUTO_EDITS_MEANS.text()));
    let is_agents = agent_options(&request.details).is_some();
    if !is_agents {
        body.push(check("checkbox", false, edits).attr("hidden", cards.readonly));
    }
    let missing = !actions.is_empty() && start.is_none();
    card(cards, index, entry, Heading::new(Icon::List, requests::GO_AHEAD.text()), body, || {
        let rejection = shown(plan_rejection(request).unwrap_or(requests::REJECT.text()));
        let rejection = reviewed(el("span").attr("dir", "auto"), &rejection, TextKind::Prose);
        let buttons =
            vec![button("btn", "").child([rejection]), button("btn primary", requests::APPROVE.text())];
        let hint = if is_agents { requests::FEEDBACK_NEXT } else { requests::FEEDBACK_DECIDING };
        let field = labelled(requests::FEEDBACK.text(), hint.text(), text_area());
        let missing = missing.then(|| el("p").class("hint").text(requests::CHOOSE_FIRST.text()));
        let below = missing.into_iter().chain([answer_row(request, buttons)]).collect();
        vec![field, foot(below)]
    })
}

/// The card of any other request.
fn other(cards: Cards<'_>, index: usize, entry: &Entry, request: &Request) -> El {
    let Asked { icon, question, why } = Asked::of(request).unwrap_or_else(|| Asked::unknown(request));
    let heading = Heading { why, ..Heading::new(icon, question.clone()) };
    let known = facts(&asked::facts(request));
    let carried = |name: &str| {
        let text = request.details.get(name).filter(|value| !value.is_null()).map(readable);
        let warnings = hidden_characters_warning(text.as_deref());
        text.map(|text| whole(&text, TextKind::Content)).into_iter().chain(warnings).collect::<Vec<_>>()
    };
    let command = || {
        let command = asked::text(request, "command").or_else(|| asked::text(request, "commandName"));
        whole(command.unwrap_or_default(), TextKind::Command)
    };
    let field = |label: Word, hint: &str| labelled(label.text(), hint, text_area());
    let line = |kind: &str, label: Word, hint: Word, value: &str| {
        let input = el("input").class("input").attr("type", kind).attr("value", value).attr("disabled", true);
        labelled(label.text(), hint.text(), input)
    };
    let refusal = || el("span").class("err");
    let (body, below): (Vec<El>, Vec<El>) = match request.kind {
        RequestKind::Elicitation => form(cards, request),
        RequestKind::ExternalTool => {
            let body = carried("arguments").into_iter().chain(known).collect();
            let below = field(requests::RESULT, requests::RESULT_HINT.text());
            (
                body,
                vec![
                    below,
                    foot(vec![answer_row(
                        request,
                        buttons(&[requests::REPORT_ERROR, requests::SEND_RESULT]),
                    )]),
                ],
            )
        }
        RequestKind::QueuedCommand => {
            let answers = buttons(&[requests::NOT_HANDLED, requests::HANDLED]);
            (vec![command()], vec![foot(vec![answer_row(request, answers)])])
        }
        RequestKind::Command => {
            let body = std::iter::once(command()).chain(known).collect();
            let below = field(requests::WENT_WRONG, requests::WENT_WRONG_HINT.text());
            (
                body,
                vec![
                    below,
                    foot(vec![answer_row(request, buttons(&[requests::NOT_HANDLED, requests::HANDLED]))]),
                ],
            )
        }
        RequestKind::Sampling => {
            let body = carried("request").into_iter().chain(known).collect();
            let answers = buttons(&[requests::DECLINE, requests::SEND_REPLY]);
            (body, vec![field(requests::REPLY, ""), foot(vec![answer_row(request, answers)])])
        }
        RequestKind::AutoModeSwitch => {
            let answers = buttons(&[requests::NO, requests::MORE, requests::YES_ONCE]);
            (known.into_iter().collect(), vec![foot(vec![answer_row(request, answers), no_grants()])])
        }
        RequestKind::SessionLimits => {
            let limit = request.details.get("maxAiCredits").and_then(Value::as_f64);
            let start = limit.map_or_else(String::new, in_digits);
            let below = line("number", requests::CREDITS_FIELD, requests::CREDITS_HINT, &start);
            let answers =
                buttons(&[requests::STOP, requests::MORE, requests::SET_LIMIT, requests::ADD_CREDITS]);
            let foot = foot(vec![answer_row(request, answers), no_grants()]);
            (known.into_iter().collect(), vec![below, refusal(), foot])
        }
        RequestKind::McpOauth => {
            let url = asked::text(request, "serverUrl").unwrap_or_default();
            let dangers = address_dangers(url).into_iter().map(|words| Caution { danger: true, words });
            let mut body = vec![full_address(url)];
            body.extend(known);
            body.extend(cautions(&dangers.collect::<Vec<_>>()));
            let why = el("p").class("hint").attr("dir", "auto").text(requests::SIGN_IN_WHY.text());
            let token = line("password", requests::TOKEN, requests::TOKEN_HINT, "");
            let foot = foot(vec![answer_row(request, buttons(&[requests::CANCEL, requests::SIGN_IN]))]);
            (body, vec![why, token, refusal(), foot])
        }
        _ => {
            let about = request.details.get("confirmation").filter(|value| !value.is_null()).map(readable);
            let message = asked::text(request, "message");
            let texts = [Some(question.as_str()), message, about.as_deref()];
            let warnings = hidden_characters_warning(texts.into_iter().flatten());
            let about = about.as_deref().map(|about| whole(about, TextKind::Content));
            let body = message.map(markdown).into_iter().chain(about).chain(warnings).collect();
            let answers = buttons(&[requests::DISMISS, requests::ACCEPT]);
            (body, vec![foot(vec![answer_row(request, answers)])])
        }
    };
    card(cards, index, entry, heading, body, || below)
}

/// What a form asks, or the address that it wants opened, and the answers to it.
fn form(cards: Cards<'_>, request: &Request) -> (Vec<El>, Vec<El>) {
    let message = asked::text(request, "message").unwrap_or_default();
    let source = asked::text(request, "elicitationSource").unwrap_or_default();
    let long = asked::is_long(message).then(|| markdown(message));
    let (mut body, mut texts) = (long.into_iter().collect::<Vec<_>>(), vec![message, source]);
    let below = |answers: &[Word]| vec![foot(vec![answer_row(request, buttons(answers))])];
    let Some(url) = asked::address_to_open(request) else {
        let fields = fields(request.details.get("requestedSchema").unwrap_or(&Value::Null));
        body.push(div("fields").child(fields.iter().map(form_field).collect::<Vec<_>>()));
        texts.extend(fields.iter().flat_map(texts_of));
        body.extend(hidden_characters_warning(texts));
        return (body, below(&[requests::CANCEL, requests::DECLINE, requests::SEND]));
    };
    let dangers = address_dangers(url).into_iter().map(|words| Caution { danger: true, words });
    let host = address(url).map(|address| asked::fact(requests::FACT_HOST, address.host));
    body.push(full_address(url));
    body.extend(facts(host.as_slice()));
    body.extend(cautions(&dangers.collect::<Vec<_>>()));
    body.extend(hidden_characters_warning(texts));
    // It is a link only once the page is live, where a press has to be meant.
    if let Some(address) = address(url).filter(|_| may_open(url)) {
        let words = requests::OPEN_HOST.with(&[("host", address.host.into())]);
        let then = el("p").class("hint").text(requests::OPENS_THEN.text());
        let line = div("open-line").child(el("a").class("btn").text(words)).child(then);
        body.push(line.attr("hidden", cards.readonly));
    } else {
        let words = requests::CANNOT_OPEN.text().to_owned();
        body.extend(cautions(&[Caution { danger: false, words }]));
    }
    (body, below(&[requests::CANCEL, requests::DECLINE, requests::OPENED]))
}

/// The buttons of a card; the last one is the answer that the agent hopes for.
fn buttons(words: &[Word]) -> Vec<El> {
    let class = |place: usize| if place + 1 == words.len() { "btn primary" } else { "btn" };
    words.iter().enumerate().map(|(place, word)| button(class(place), word.text())).collect()
}

/// The place of what may be granted for longer.
fn no_grants() -> El {
    div("confirm-place").child(div("grant-list").attr("hidden", true))
}

/// The title, description, choices and initial value of a field.
fn texts_of(field: &Field) -> Vec<&str> {
    let choices = match &field.field_type {
        FieldType::One(choices) | FieldType::Many { choices, .. } => choices.as_slice(),
        _ => &[],
    };
    let choices = choices.iter().map(|choice| choice.title.as_str());
    let texts = [field.title.as_str(), field.start.as_str()].into_iter().chain(field.description.as_deref());
    texts.chain(choices).collect()
}

/// One field of a form, labelled.
fn form_field(field: &Field) -> El {
    let star = if field.required { " *" } else { "" };
    let limits = limits(field).map(|limits| limits.words().into_owned());
    let hint = [field.description.clone(), limits].into_iter().flatten().collect::<Vec<_>>().join(" · ");
    let prose = |host: El, text: &str| reviewed(host.attr("dir", "auto"), text, TextKind::Prose);
    let hint = (!hint.is_empty()).then(|| prose(el("small"), &hint));
    let start = (count_hidden(&field.start, TextKind::Prose) > 0)
        .then(|| prose(el("small").class("start"), &field.start));
    let title = |host: El| host.child(prose(el("span"), &field.title).text(star));
    let check = |on: bool| el("input").attr("type", "checkbox").attr("disabled", true).attr("checked", on);
    let narrow = matches!(
        field.field_type,
        FieldType::Number { .. } | FieldType::One(_) | FieldType::Text { format: Some(_), .. }
    );
    let host = div(if narrow { "field" } else { "field full" });
    let host = match &field.field_type {
        FieldType::Flag => host.child(title(el("label").class("check").child(check(field.start == "true")))),
        FieldType::Many { choices, .. } => {
            let on = chosen(&field.start);
            let choice = |choice: &FormChoice| {
                let words = prose(el("span"), &choice.title);
                el("label").class("check").child(check(on.contains(&choice.value))).child(words)
            };
            let set = el("fieldset").class("field").child(title(el("legend")));
            host.child(set.child(choices.iter().map(choice).collect::<Vec<_>>()))
        }
        takes => host.child(title(el("label"))).child(form_input(field, takes)),
    };
    host.child(start).child(hint).child(el("span").class("err"))
}

fn form_input(field: &Field, takes: &FieldType) -> El {
    let control = match takes {
        FieldType::One(choices) => {
            let option = |choice: &FormChoice| {
                let option = el("option").attr("selected", field.start == choice.value);
                reviewed(option, &choice.title, TextKind::Line)
            };
            let none = el("option").attr("selected", field.start.is_empty()).text("–");
            el("select").child(none).child(choices.iter().map(option).collect::<Vec<_>>())
        }
        FieldType::Text { format: None, .. } | FieldType::Json => {
            el("textarea").attr("rows", "1").attr("dir", "auto").text(&field.start)
        }
        _ => {
            let kind = match takes {
                FieldType::Number { .. } => "number",
                FieldType::Text { format: Some(format), .. } => match format.as_str() {
                    "email" => "email",
                    "uri" | "url" => "url",
                    "date" => "date",
                    "date-time" => "datetime-local",
                    "password" => "password",
                    _ => "text",
                },
                _ => "text",
            };
            el("input").attr("type", kind).attr("dir", "auto").attr("value", &field.start)
        }
    };
    control.class("input").attr("disabled", true)
}
