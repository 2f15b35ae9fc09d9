//! Reads a source as `CommonMark` events, with rules of its own where models write something else: formulas in brackets and
//! dollars, tables with bars in code, fences in fences, emphasis next to Chinese, Japanese and Korean.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag as Mark, TagEnd};

use super::edits::{Edit, Edited, Piece, With};
use super::fences::{FenceLine, Fences};
use super::{rows, seams, tex};

pub(super) type Spanned<'a> = (Event<'a>, Range<usize>);

/// Rejecting a pair of `$` can form another one, and so can a fence without levels. After so many rounds, none counts.
const ROUNDS: usize = 6;

/// The events of a whole source, each with its bytes in the source.
pub(super) fn events(source: &str) -> Vec<Spanned<'_>> {
    edited_events(source, repairs(source, true).edits)
}

/// The events of a source that is still being written, up to a formula whose end is not there yet.
pub(super) fn growing(source: &str) -> (Vec<Spanned<'_>>, &str) {
    let found = repairs(source, false);
    let Some(visible) = found.open_formula.and_then(|at| source.get(..at)) else {
        return (edited_events(source, found.edits), source);
    };
    let mut edits = found.edits;
    edits.retain(|edit| edit.at.end <= visible.len());
    (edited_events(visible, edits), visible)
}

fn edited_events(source: &str, mut edits: Vec<Edit>) -> Vec<Spanned<'_>> {
    let maths = source.contains('$');
    if edits.is_empty() && !maths {
        return parse(source, false);
    }
    for _ in 0..ROUNDS {
        let (events, refused) = read(source, &edits, maths);
        if refused.is_empty() {
            return events;
        }
        edits.extend(refused.into_iter().map(|at| Edit::new(at..at + 1, With::Plain)));
        edits.sort_by_key(|edit| (edit.at.start, edit.at.end));
        edits.dedup();
    }
    read(source, &edits, false).0
}

fn parse(text: &str, maths: bool) -> Vec<Spanned<'_>> {
    let mut options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS;
    options.set(Options::ENABLE_MATH, maths);
    Parser::new_ext(text, options).into_offset_iter().collect()
}

/// What a source needs before it is parsed.
#[derive(Default)]
struct Repairs {
    edits: Vec<Edit>,
    /// Where a formula begins whose end is not there yet.
    open_formula: Option<usize>,
}

/// The edits in the order of the source. If it is not `whole`, its last line may still grow.
fn repairs(source: &str, whole: bool) -> Repairs {
    let mut found = Repairs { edits: seams::find(source), open_formula: None };
    let has_fences = source.contains("```") || source.contains("~~~");
    let brackets = source.contains("\\(") || source.contains("\\[");
    let bars = source.contains('|');
    if !has_fences && !brackets && !bars {
        return found;
    }
    let mut fences = Fences::default();
    let mut paragraph: Vec<Range<usize>> = Vec::new();
    let mut nested: Option<Nested> = None;
    let mut at = 0;
    // Before this byte a fence has no levels.
    let mut flat_until = 0;
    let mut rounds = 0;
    while at < source.len() {
        let rest = source.get(at..).unwrap_or_default();
        let line = rest.split('\n').next().unwrap_or_default();
        let kind = if has_fences { fences.take(line, at >= flat_until) } else { FenceLine::Outside };
        let next = at + line.len() + 1;
        match kind {
            FenceLine::Outside if !is_blank(line) => paragraph.push(at..at + line.len()),
            _ => drop(end_paragraph(source, &mut paragraph, &mut found.edits)),
        }
        match kind {
            FenceLine::Opens => nested = Some(Nested { begin: at, edits: found.edits.len() }),
            FenceLine::Inner => {
                let marks = line.find(['`', '~']).unwrap_or(0);
                found.edits.push(Edit::new(at + marks..at + line.trim_end().len(), With::Plain));
            }
            FenceLine::Code | FenceLine::Closes | FenceLine::Outside => {}
        }
        at = next;
        // Levels that are not all closed in the end were none: it is as CommonMark has it.
        if at >= source.len()
            && whole
            && fences.is_open()
            && let Some(Nested { begin, edits }) =
                nested.take().filter(|nested| nested.edits < found.edits.len())
        {
            found.edits.truncate(edits);
            fences = Fences::default();
            rounds += 1;
            (at, flat_until) = (begin, if rounds < ROUNDS { begin + 1 } else { source.len() });
        }
    }
    let open = end_paragraph(source, &mut paragraph, &mut found.edits);
    found.open_formula = open.filter(|_| !whole);
    found.edits.sort_by_key(|edit| (edit.at.start, edit.at.end));
    found
}

fn is_blank(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'>' | b'\r'))
}

/// The fence that was opened last, and how many edits there were.
struct Nested {
    begin: usize,
    edits: usize,
}

/// Takes the lines since the last blank line or fence. Returns where a formula is open at their end.
fn end_paragraph(source: &str, lines: &mut Vec<Range<usize>>, edits: &mut Vec<Edit>) -> Option<usize> {
    let (start, end) = (lines.first()?.start, lines.last()?.end);
    let text = source.get(start..end)?;
    let (formulas, open) = if text.contains('\\') { tex::find(text) } else { (Vec::new(), None) };
    for (at, display) in formulas {
        edits.push(Edit::new(start + at.start..start + at.end, With::Formula { display }));
    }
    if text.contains('|') {
        rows::find(source, lines, edits);
    }
    lines.clear();
    open.map(|at| start + at)
}

/// The events with these edits, and the starts of formulas that have to be rejected.
fn read<'a>(source: &'a str, edits: &[Edit], maths: bool) -> (Vec<Spanned<'a>>, Vec<usize>) {
    let mut refused = Vec::new();
    let mut judge = |event: &Event<'_>, range: &Range<usize>| match event {
        Event::InlineMath(tex) if !is_formula(source, range, tex) => refused.push(range.start),
        Event::DisplayMath(tex) if tex.trim().is_empty() => refused.push(range.start),
        _ => {}
    };
    if edits.is_empty() {
        let events = parse(source, maths);
        for (event, range) in &events {
            judge(event, range);
        }
        return (events, refused);
    }
    let edited = Edited::new(source, edits);
    let mut events = Vec::new();
    let mut verbatim = false;
    for (event, range) in parse(&edited.text, maths) {
        let range = edited.back(&range);
        judge(&event, &range);
        match &event {
            Event::Start(Mark::CodeBlock(_)) => verbatim = true,
            Event::End(TagEnd::CodeBlock) => verbatim = false,
            _ => {}
        }
        restore(event, &range, &edited, verbatim, &mut events);
    }
    (events, refused)
}

/// GitHub's rule: no letter or digit may touch the dollars from outside. A
/// number before words is an amount of money.
fn is_formula(source: &str, range: &Range<usize>, tex: &str) -> bool {
    let before = source.get(..range.start).and_then(|before| before.chars().next_back());
    let after = source.get(range.end..).and_then(|after| after.chars().next());
    let touches = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '\\');
    let quoted = tex.len() > 2 && tex.starts_with('`') && tex.ends_with('`');
    let money = tex.starts_with(|c: char| c.is_ascii_digit())
        && !tex.contains(['\\', '^', '_', '{', '='])
        && tex.split_whitespace().skip(1).any(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 1);
    !touches(before) && !touches(after) && !money && (quoted || !tex.contains('`'))
}

/// Puts an event of the edited copy back to what the source says.
fn restore(
    event: Event<'_>,
    range: &Range<usize>,
    edited: &Edited<'_>,
    verbatim: bool,
    events: &mut Vec<Spanned<'_>>,
) {
    let literal = |text: &str| CowStr::from(edited.verbatim(text));
    let unescaped = |text: &str| CowStr::from(edited.unescaped(text));
    let restored = match event {
        Event::Text(text) if verbatim => Event::Text(literal(&text)),
        Event::Text(text) => {
            for piece in edited.pieces(&text) {
                let event = match piece {
                    Piece::Text(text) => Event::Text(text.into()),
                    Piece::Formula { tex, display: true } => Event::DisplayMath(tex.into()),
                    Piece::Formula { tex, display: false } => Event::InlineMath(tex.into()),
                };
                events.push((event, range.clone()));
            }
            return;
        }
        Event::Code(text) => Event::Code(literal(&text)),
        Event::Html(text) => Event::Html(literal(&text)),
        Event::InlineHtml(text) => Event::InlineHtml(literal(&text)),
        Event::InlineMath(text) => Event::InlineMath(literal(&text)),
        Event::DisplayMath(text) => Event::DisplayMath(literal(&text)),
        Event::FootnoteReference(label) => Event::FootnoteReference(literal(&label)),
        Event::Start(Mark::FootnoteDefinition(label)) => {
            Event::Start(Mark::FootnoteDefinition(literal(&label)))
        }
        Event::Start(Mark::CodeBlock(CodeBlockKind::Fenced(info))) => {
            Event::Start(Mark::CodeBlock(CodeBlockKind::Fenced(literal(&info))))
        }
        Event::Start(Mark::Link { link_type, dest_url, title, id }) => Event::Start(Mark::Link {
            link_type,
            dest_url: unescaped(&dest_url),
            title: unescaped(&title),
            id: unescaped(&id),
        }),
        Event::Start(Mark::Image { link_type, dest_url, title, id }) => Event::Start(Mark::Image {
            link_type,
            dest_url: unescaped(&dest_url),
            title: unescaped(&title),
            id: unescaped(&id),
        }),
        other => other.into_static(),
    };
    events.push((restored, range.clone()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formulas(source: &str) -> Vec<String> {
        let tex = |(event, _): Spanned<'_>| match event {
            Event::InlineMath(tex) => Some(tex.to_string()),
            Event::DisplayMath(tex) => Some(format!("display {tex}")),
            _ => None,
        };
        events(source).into_iter().filter_map(tex).collect()
    }

    fn words(source: &str) -> String {
        let text = |(event, _): Spanned<'_>| match event {
            Event::Text(text) => Some(text.to_string()),
            _ => None,
        };
        events(source).into_iter().filter_map(text).collect()
    }

    #[test]
    fn dollars_around_tex_are_maths() {
        assert_eq!(formulas("Let $x$ and $y_1 + 2$ be."), ["x", "y_1 + 2"]);
        assert_eq!(formulas("So $$\n\\sum_i i\n$$"), ["display \n\\sum_i i\n"]);
        assert_eq!(formulas("($n$-th, $2n$)"), ["n", "2n"]);
        assert_eq!(formulas("設$x$為"), ["x"]);
        assert_eq!(formulas("| $a$ |\n|---|\n| $b$ |\n"), ["a", "b"]);
    }

    #[test]
    fn prices_variables_and_code_are_not() {
        for text in [
            "$5 and $10",
            "costs $5-$10 each",
            "US$5 or US$6",
            "either $5 or 7$",
            "between $20,000 and USD$30,000",
            "it is 2$ for a soda, not 1$",
            "$HOME/bin:$PATH",
            "export A=$B:$C",
            "`$a` and `$b`",
            "\\$a$",
            "[$A](x) or [$B](y)",
            "$$$$",
        ] {
            assert_eq!(formulas(text), Vec::<String>::new(), "{text:?}");
        }
        assert_eq!(words("$5 for *two*, **7$5**"), "$5 for two, 7$5");
        assert_eq!(words("[$A](x) or [$B](y)"), "$A or $B");
        // The second dollar of a rejected pair may begin a formula.
        assert_eq!(formulas("US$5, and $x$"), ["x"]);
    }

    #[test]
    fn ranges_are_those_of_the_source() {
        let source = "强**（注）**的 US$5 or US$6 `x` end";
        let code = events(source).into_iter().find(|(event, _)| matches!(event, Event::Code(_)));
        assert_eq!(code.and_then(|(_, range)| source.get(range)), Some("`x`"));
        assert_eq!(words(source), "强（注）的 US$5 or US$6  end");
    }
}
