//! Cards of random heights in views of random heights: they can be allowed only once each part was in view, and always
//! after scrolling through, whatever was resized or passed for a frame in between.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::ops::Range;

use pilothouse::core::view_model::read_through::{Glimpse, Piece, ReadThrough, Steadiness};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// The height of a line in pixels, and of the gap between two paragraphs.
const LINE: f64 = 20.0;
const GAP: f64 = 8.0;

/// A card of paragraphs, laid out as browsers do.
struct Card {
    /// The words of each paragraph, by their lengths.
    paragraphs: Vec<Vec<usize>>,
    read: ReadThrough,
    steadiness: Steadiness,
    /// Which units have been in view, counted by the line.
    seen: Vec<bool>,
    /// Characters on a line, and pixels that are in view.
    width: usize,
    view: f64,
    top: f64,
}

impl Card {
    fn new(paragraphs: Vec<Vec<usize>>, width: usize, view: f64) -> Self {
        let length = paragraphs.iter().flatten().sum();
        let mut read = ReadThrough::default();
        read.show((0..length).map(|unit| 0x61 + (unit % 26) as u16).collect());
        Self {
            paragraphs,
            read,
            steadiness: Steadiness::default(),
            seen: vec![false; length],
            width,
            view,
            top: 0.0,
        }
    }

    /// The upper edge of each unit's line, paragraph by paragraph.
    fn layout(&self) -> Vec<Vec<f64>> {
        let mut line = 0.0;
        let mut all = Vec::new();
        for words in &self.paragraphs {
            let (mut tops, mut used) = (Vec::new(), 0);
            for word in words {
                // A word that is longer than a line is broken anywhere.
                if used > 0 && used + word > self.width {
                    (line, used) = (line + LINE, 0);
                }
                for _ in 0..*word {
                    if used == self.width {
                        (line, used) = (line + LINE, 0);
                    }
                    tops.push(line);
                    used += 1;
                }
            }
            line += LINE + GAP;
            all.push(tops);
        }
        all
    }

    fn pieces(layout: &[Vec<f64>]) -> Vec<Piece> {
        let mut from = 0;
        let piece = |tops: &Vec<f64>| {
            let units = from..from + tops.len();
            from = units.end;
            Piece { units, edges: tops[0]..tops[tops.len() - 1] + LINE }
        };
        layout.iter().map(piece).collect()
    }

    fn height(layout: &[Vec<f64>]) -> f64 {
        layout.last().and_then(|tops| tops.last()).map_or(0.0, |top| top + LINE)
    }

    /// A frame with the card here.
    fn paint(&mut self) {
        let layout = self.layout();
        self.top = self.top.min(Self::height(&layout) - self.view).max(0.0);
        let now = Glimpse { top: -self.top, view: self.top..self.top + self.view };
        let (Some(view), _) = self.steadiness.look(now) else { return };
        let edges = |piece: usize, unit: usize| -> Range<f64> {
            let top = layout[piece][unit];
            top..top + LINE
        };
        self.read.look(&Self::pieces(&layout), &view, edges);
    }

    /// It stands still for two frames, so what is in view has been seen.
    fn stand(&mut self) {
        self.paint();
        self.paint();
        let view = self.top..self.top + self.view;
        let whole = |top: f64| top >= view.start - 1.0 && top + LINE <= view.end + 1.0;
        let layout = self.layout();
        for (seen, top) in self.seen.iter_mut().zip(layout.iter().flatten()) {
            *seen |= whole(*top);
        }
    }

    /// What the button 'Show the rest' does.
    fn show_rest(&mut self) -> bool {
        let Some(next) = self.read.next() else { return false };
        self.top = *self.layout().iter().flatten().nth(next).unwrap();
        true
    }
}

#[derive(Debug, Clone)]
enum Step {
    Scroll(i16),
    End,
    Resize(usize, u16),
    ShowRest,
    /// The page moves it by so much for a frame, and back.
    Passes(i16),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (-600_i16..900).prop_map(Step::Scroll),
        1 => Just(Step::End),
        2 => (4_usize..90, 20_u16..900).prop_map(|(width, view)| Step::Resize(width, view)),
        2 => Just(Step::ShowRest),
        2 => (-900_i16..900).prop_map(Step::Passes),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, rng_seed: RngSeed::Fixed(29), ..ProptestConfig::default() })]

    #[test]
    fn only_what_was_in_view_can_be_allowed(
        paragraphs in vec(vec(1_usize..30, 1..40), 1..12),
        (width, view) in (4_usize..90, 20_u16..900),
        steps in vec(step(), 0..24),
    ) {
        let mut card = Card::new(paragraphs, width, f64::from(view));
        card.stand();
        if Card::height(&card.layout()) <= card.view {
            prop_assert!(card.read.is_whole(), "all of it is in view");
        }
        for step in steps {
            match step {
                Step::Scroll(by) => card.top = (card.top + f64::from(by)).max(0.0),
                Step::End => card.top = f64::MAX,
                Step::Resize(width, view) => {
                    (card.width, card.view) = (width, f64::from(view));
                    card.steadiness.start_again();
                }
                Step::ShowRest => _ = card.show_rest(),
                Step::Passes(by) => {
                    let top = card.top;
                    card.top = (top + f64::from(by)).max(0.0);
                    card.paint();
                    card.top = top;
                }
            }
            card.stand();
            prop_assert_eq!(card.read.is_whole(), card.seen.iter().all(|seen| *seen));
            prop_assert_eq!(card.read.next(), card.seen.iter().position(|seen| !seen));
            let left = card.read.lines_left(&Card::pieces(&card.layout()), LINE);
            prop_assert_eq!(left == 0, card.read.is_whole());
        }
        // Every press of the button shows more, so there is an end.
        let mut presses = 0;
        while card.show_rest() {
            let before = card.read.next();
            card.stand();
            prop_assert!(card.read.next() != before, "nothing new came into view");
            presses += 1;
            prop_assert!(presses <= card.seen.len());
        }
        prop_assert!(card.read.is_whole() && card.seen.iter().all(|seen| *seen));
    }
}
