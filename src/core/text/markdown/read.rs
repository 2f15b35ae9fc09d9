//! Reads a source as `CommonMark` events, with rules of its own for `$` and for emphasis next to Chinese,
//! Japanese and Korean. The marks that it adds for the parser are removed from the events.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag as Mark};

use super::seams::{self, SEAM};

pub(super) type Spanned<'a> = (Event<'a>, Range<usize>);

/// Rejecting a pair of `$` can form another one. After so many rounds, none counts as a formula.
const ROUNDS: usize = 6;

/// The events of a source, each with its bytes in the source.
pub(super) fn events(source: &str) -> Vec<Spanned<'_>> {
    let mut marks = seams::find(source);
    let maths = source.contains('$');
    if marks.is_empty() && !maths {
        return parse(source, false);
    }
    for _ in 0..ROUNDS {
        let (events, refused) = read(source, &marks, maths);
        if refused.is_empty() {
            return events;
        }
        marks.extend(refused.into_iter().map(|at| (at, '\\')));
        marks.sort_unstable();
        marks.dedup();
    }
    marks.retain(|(_, mark)| *mark == SEAM);
    read(source, &marks, false).0
}

fn parse(text: &str, maths: bool) -> Vec<Spanned<'_>> {
    let mut options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS;
    options.set(Options::ENABLE_MATH, maths);
    Parser::new_ext(text, options).into_offset_iter().collect()
}

/// The events with these marks added to the source, and the starts of formulas that have to be rejected.
fn read<'a>(source: &'a str, marks: &[(usize, char)], maths: bool) -> (Vec<Spanned<'a>>, Vec<usize>) {
    let events = if marks.is_empty() {
        parse(source, maths)
    } else {
        let marked = Marked::new(source, marks);
        let events = parse(&marked.text, maths);
        events.into_iter().map(|(event, range)| (clean(event), marked.back(&range))).collect()
    };
    let refused = events
        .iter()
        .filter(|(event, range)| match event {
            Event::InlineMath(tex) => !is_formula(source, range, tex),
            Event::DisplayMath(tex) => tex.trim().is_empty(),
            _ => false,
        })
        .map(|(_, range)| range.start)
        .collect();
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

/// A copy of the source with marks in it.
struct Marked {
    text: String,
    /// Where each mark is in the copy, and how many bytes were added up to and including it.
    added: Vec<(usize, usize)>,
}

impl Marked {
    fn new(source: &str, marks: &[(usize, char)]) -> Self {
        let mut text = String::with_capacity(source.len() + marks.len() * SEAM.len_utf8());
        let mut added = Vec::with_capacity(marks.len());
        let mut from = 0;
        let mut sum = 0;
        for (at, mark) in marks {
            text.push_str(source.get(from..*at).unwrap_or_default());
            sum += mark.len_utf8();
            added.push((text.len(), sum));
            text.push(*mark);
            from = *at;
        }
        text.push_str(source.get(from..).unwrap_or_default());
        Self { text, added }
    }

    fn back(&self, range: &Range<usize>) -> Range<usize> {
        let place = |at: usize| {
            let before = self.added.partition_point(|(stands, _)| *stands < at);
            let sum = before.checked_sub(1).and_then(|last| self.added.get(last)).map_or(0, |(_, sum)| *sum);
            at - sum
        };
        place(range.start)..place(range.end)
    }
}

/// An owned event without seams.
fn clean(event: Event<'_>) -> Event<'static> {
    match event {
        Event::Text(text) => Event::Text(whole(&text).into()),
        Event::Code(text) => Event::Code(whole(&text).into()),
        Event::Html(text) => Event::Html(whole(&text).into()),
        Event::InlineHtml(text) => Event::InlineHtml(whole(&text).into()),
        Event::InlineMath(text) => Event::InlineMath(whole(&text).into()),
        Event::DisplayMath(text) => Event::DisplayMath(whole(&text).into()),
        Event::Start(Mark::Link { link_type, dest_url, title, id }) => Event::Start(Mark::Link {
            link_type,
            dest_url: whole(&dest_url).into(),
            title: title.into_static(),
            id: id.into_static(),
        }),
        Event::Start(Mark::Image { link_type, dest_url, title, id }) => Event::Start(Mark::Image {
            link_type,
            dest_url: whole(&dest_url).into(),
            title: title.into_static(),
            id: id.into_static(),
        }),
        other => other.into_static(),
    }
}

fn whole(text: &str) -> String {
    let text: Cow<'_, str> =
        if text.contains(SEAM) { text.replace(SEAM, "").into() } else { Cow::Borrowed(text) };
    text.into_owned()
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
        assert!(!words(source).contains(SEAM));
    }
}
