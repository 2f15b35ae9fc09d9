//! Which parts of a request's text have been in view, whether that was all of it, how much is left, and where to go next.
//!
//! What was seen is kept as ranges of the text, in UTF-16 units as browsers count them. So another size of the page, another
//! text size or a keyboard on the screen changes nothing about it. `ui/requests/reading.rs` measures.

use std::ops::Range;

/// By how many pixels a line may be cut off and still count as in view: browsers round positions.
const SLACK: f64 = 1.0;
/// By how many pixels a card may move between two looks, about a frame apart, and still be read. Who scrolls while reading is
/// not faster.
const READABLE: f64 = 4.0;

/// A piece of the text as it is laid out, such as one text node.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// Which part of the text it is.
    pub units: Range<usize>,
    /// Its upper and lower edge in pixels, from any fixed line.
    pub edges: Range<f64>,
}

/// Where a card is on the screen, and what is in view of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Glimpse {
    /// The card's upper edge on the screen, in pixels.
    pub top: f64,
    /// The edges of what is in view, from the card's upper edge.
    pub view: Range<f64>,
}

/// Tells what stands still in view from what passes. A card that is laid out, drawn anew or moved by the page may show a part of it
/// for a frame, in which nobody reads.
#[derive(Debug, Default)]
pub struct Steadiness {
    last: Option<Glimpse>,
}

impl Steadiness {
    /// What has stood in view since the look before, from the card's upper edge; and whether the card is at rest, so that another
    /// look would tell the same.
    pub fn look(&mut self, now: Glimpse) -> (Option<Range<f64>>, bool) {
        let looked = self.last.as_ref().map(|last| {
            let both = last.view.start.max(now.view.start)..last.view.end.min(now.view.end);
            let stands = (last.top - now.top).abs() <= READABLE;
            (Some(both).filter(|_| stands), *last == now)
        });
        self.last = Some(now);
        looked.unwrap_or((None, false))
    }

    /// The card is laid out anew, so that nothing of it stands where it was.
    pub fn start_again(&mut self) {
        self.last = None;
    }
}

/// What has been in view of one text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadThrough {
    /// Empty as long as nothing was laid out.
    text: Vec<u16>,
    /// The parts that were in view: in order, apart from each other.
    seen: Vec<Range<usize>>,
}

impl ReadThrough {
    /// Takes the text as it is shown now. Where it differs from the text before, nothing counts as seen.
    pub fn show(&mut self, text: Vec<u16>) {
        let before = &mut self.text;
        if *before == text {
            return;
        }
        let alike = |(one, other): &(&u16, &u16)| one == other;
        let start = before.iter().zip(&text).take_while(alike).count();
        let most = before.len().min(text.len()) - start;
        let end = before.iter().rev().zip(text.iter().rev()).take(most).take_while(alike).count();
        let (old, new) = (before.len() - end, text.len() - end);
        *before = text;
        for seen in std::mem::take(&mut self.seen) {
            self.see(seen.start..seen.end.min(start));
            self.see(seen.start.max(old) - old + new..seen.end.max(old) - old + new);
        }
    }

    /// This part was in view.
    pub fn see(&mut self, mut part: Range<usize>) {
        if part.is_empty() {
            return;
        }
        self.seen.retain(|seen| {
            let apart = seen.end < part.start || part.end < seen.start;
            if !apart {
                part = part.start.min(seen.start)..part.end.max(seen.end);
            }
            apart
        });
        let place = self.seen.partition_point(|seen| seen.start < part.start);
        self.seen.insert(place, part);
    }

    /// Counts as seen what lies whole between the edges of `view`. `edges` has the upper and lower edge of one unit, given
    /// the piece's number and the unit's within it; within a piece no unit is above the one before it.
    pub fn look(
        &mut self,
        pieces: &[Piece],
        view: &Range<f64>,
        mut edges: impl FnMut(usize, usize) -> Range<f64>,
    ) {
        let (top, bottom) = (view.start - SLACK, view.end + SLACK);
        for (number, piece) in pieces.iter().enumerate() {
            let length = piece.units.len();
            if piece.edges.end <= top || piece.edges.start >= bottom {
                continue;
            }
            let first = if piece.edges.start >= top {
                0
            } else {
                partition_point(length, |unit| edges(number, unit).start < top)
            };
            let end = if piece.edges.end <= bottom {
                length
            } else {
                partition_point(length, |unit| edges(number, unit).end <= bottom)
            };
            self.see(piece.units.start + first..piece.units.start + end);
        }
    }

    /// Whether all of it was in view.
    pub fn is_whole(&self) -> bool {
        !self.text.is_empty() && self.next().is_none()
    }

    /// The first unit that was not in view.
    pub fn next(&self) -> Option<usize> {
        let seen = self.seen.first().filter(|seen| seen.start == 0).map_or(0, |seen| seen.end);
        (seen < self.text.len()).then_some(seen)
    }

    /// How many lines of this height were not in view; at least one as long as anything is left.
    pub fn lines_left(&self, pieces: &[Piece], line: f64) -> usize {
        let (mut height, mut reached) = (0.0, f64::NEG_INFINITY);
        let mut left: Vec<Range<f64>> = pieces.iter().flat_map(|piece| self.left_in(piece)).collect();
        left.sort_by(|one, other| one.start.total_cmp(&other.start));
        for part in left {
            height += (part.end - part.start.max(reached)).max(0.0);
            reached = reached.max(part.end);
        }
        let lines = (height / line.max(1.0)).round() as usize;
        if self.is_whole() { 0 } else { lines.max(1) }
    }

    /// About where the parts of a piece lie that were not in view.
    fn left_in(&self, piece: &Piece) -> Vec<Range<f64>> {
        let units = &piece.units;
        let unit = (piece.edges.end - piece.edges.start) / units.len().max(1) as f64;
        let place = |at: usize| piece.edges.start + (at - units.start) as f64 * unit;
        let mut from = units.start;
        let mut left = Vec::new();
        for seen in self.seen.iter().filter(|seen| seen.end > units.start && seen.start < units.end) {
            if seen.start > from {
                left.push(place(from)..place(seen.start));
            }
            from = seen.end.min(units.end);
        }
        if from < units.end {
            left.push(place(from)..place(units.end));
        }
        left
    }
}

/// The first of `length` numbers for which it is not true; it is for those before.
fn partition_point(length: usize, mut is: impl FnMut(usize) -> bool) -> usize {
    let (mut from, mut to) = (0, length);
    while from < to {
        let middle = from + (to - from) / 2;
        if is(middle) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    from
}

// Random sizes and scrolls are in `tests/read_through.rs`.
#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "lists of ranges, some with one")]
mod tests {
    use super::*;

    fn text(text: &str) -> Vec<u16> {
        text.encode_utf16().collect()
    }

    fn read(shown: &str, seen: &[Range<usize>]) -> ReadThrough {
        let mut read = ReadThrough::default();
        read.show(text(shown));
        for part in seen {
            read.see(part.clone());
        }
        read
    }

    #[test]
    fn nothing_is_read_before_it_is_shown() {
        assert!(!ReadThrough::default().is_whole());
        assert!(!read("", &[0..4]).is_whole(), "nothing is laid out");
        assert!(!read("rm -rf /", &[]).is_whole());
    }

    #[test]
    fn parts_join_in_any_order() {
        let read = read("0123456789", &[6..8, 0..2, 8..10, 1..3, 5..5]);
        assert_eq!((read.seen.as_slice(), read.next()), ([0..3, 6..10].as_slice(), Some(3)));
        let mut whole = read;
        whole.see(2..7);
        assert_eq!((whole.seen.as_slice(), whole.is_whole()), ([0..10].as_slice(), true));
    }

    #[test]
    fn another_text_is_to_be_seen_where_it_differs() {
        for (before, after, seen) in [
            ("plan: **one** end", "plan: one end", vec![0..6, 9..13]),
            ("one", "one and more", vec![0..3]),
            ("one and more", "one", vec![0..3]),
            ("aaa", "aaaa", vec![0..3]),
            ("head\nold\nfoot", "head\nnew\nfoot", vec![0..5, 8..13]),
            ("one", "two", vec![]),
        ] {
            let mut read = read(before, &[0..before.len()]);
            assert!(read.is_whole());
            read.show(text(after));
            assert_eq!(read.seen, seen, "{before:?}, then {after:?}");
            assert_eq!(read.is_whole(), seen == [0..after.len()], "{before:?}, then {after:?}");
        }
    }

    #[test]
    fn a_line_that_is_cut_off_is_not_in_view() {
        let piece = Piece { units: 0..40, edges: 0.0..80.0 };
        // Ten units a line, lines of 20 px.
        let edges = |_: usize, unit: usize| {
            let line = (unit / 10) as f64;
            line * 20.0..(line + 1.0) * 20.0
        };
        for (view, seen) in [
            (0.0..80.0, Some(0..40)),
            (0.0..60.0, Some(0..30)),
            (0.0..59.5, Some(0..30)),
            (0.0..58.0, Some(0..20)),
            (2.0..80.0, Some(10..40)),
            (25.0..55.0, None),
            (90.0..200.0, None),
        ] {
            let mut read = read(&"x".repeat(40), &[]);
            read.look(std::slice::from_ref(&piece), &view, edges);
            assert_eq!(read.seen.first().cloned(), seen, "{view:?}");
        }
    }

    #[test]
    fn what_passes_is_not_read_and_what_stands_is() {
        let glimpse = |top: f64| Glimpse { top, view: (0.0 - top).max(0.0)..600.0 - top };
        let mut steadiness = Steadiness::default();
        let mut look = |top| steadiness.look(glimpse(top));
        assert_eq!(look(-400.0), (None, false), "laid out at its end");
        assert_eq!(look(20.0), (None, false), "led to its beginning");
        assert_eq!(look(20.0), (Some(0.0..580.0), true));
        assert_eq!(look(-200.0), (None, false), "scrolled");
        assert_eq!(look(-203.0), (Some(203.0..800.0), false), "slowly enough for what is in both to be read");
        assert_eq!(look(-203.0), (Some(203.0..803.0), true));
        steadiness.start_again();
        assert_eq!(steadiness.look(glimpse(-203.0)), (None, false), "laid out anew");
    }

    #[test]
    fn what_stands_side_by_side_is_left_once() {
        let pieces = [
            Piece { units: 0..10, edges: 0.0..100.0 },
            Piece { units: 10..20, edges: 0.0..40.0 },
            Piece { units: 20..30, edges: 200.0..300.0 },
        ];
        assert_eq!(read(&"x".repeat(30), &[]).lines_left(&pieces, 20.0), 10);
        assert_eq!(read(&"x".repeat(30), &[0..10]).lines_left(&pieces, 20.0), 7);
        assert_eq!(read(&"x".repeat(30), &[0..29]).lines_left(&pieces, 20.0), 1);
        assert_eq!(read(&"x".repeat(30), &[0..30]).lines_left(&pieces, 20.0), 0);
    }
}
