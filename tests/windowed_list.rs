//! The windowed list on a page as browsers lay it out: whatever happens, the reader's row stays where it is, the rows
//! in sight are there, and only a person leaves the end.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test")]

use pilothouse::core::view_model::heights::Heights;
use pilothouse::core::view_model::windowed_list::{Correction, Layout, Movement, Window, WindowedList};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Pixels from the end that count as being there.
const NEAR_END: f64 = 24.0;
/// Frames within which everything has settled.
const FRAMES: usize = 40;

/// What a browser does with the list's element, and what `ui/elements/windowed_list.rs` does for it.
struct Page {
    list: WindowedList,
    /// The height that each row has once it is rendered.
    real: Vec<f64>,
    hidden: Vec<bool>,
    shown: (usize, usize),
    spaces: (f64, f64),
    top: f64,
    viewport: f64,
    /// What the observer reported last: the rows that it knows, and the viewport.
    reported: Vec<Option<f64>>,
    reported_viewport: f64,
    scroll_event: bool,
    /// Hidden rows leave in this frame; then the list is scrolled.
    hiding: Option<Correction>,
    stays_in: Option<usize>,
}

impl Page {
    fn new(rows: &[(u16, u16)], viewport: u16) -> Self {
        let mut page = Self {
            list: WindowedList::new(Heights::default(), Some(NEAR_END)),
            real: Vec::new(),
            hidden: Vec::new(),
            shown: (0, 0),
            spaces: (0.0, 0.0),
            top: 0.0,
            viewport: f64::from(viewport),
            reported: Vec::new(),
            reported_viewport: 0.0,
            scroll_event: false,
            hiding: None,
            stays_in: None,
        };
        page.append(rows);
        page.settle();
        page
    }

    fn append(&mut self, rows: &[(u16, u16)]) {
        for (estimate, real) in rows {
            self.list.push(f64::from(*estimate), false);
            self.real.push(f64::from(*real));
            self.hidden.push(false);
            self.reported.push(None);
        }
        self.choose();
    }

    fn choose(&mut self) {
        let window = self.list.choose(None);
        self.put(window);
    }

    fn put(&mut self, Window { rows, spaces, jumped }: Window) {
        let gone = (self.shown.0..self.shown.1).filter(|row| !(rows.0..rows.1).contains(row));
        for row in gone.collect::<Vec<_>>() {
            self.reported[row] = None;
        }
        (self.shown, self.spaces) = (rows, spaces);
        if jumped {
            self.stays_in = Some(3);
        }
    }

    fn height(&self, row: usize) -> f64 {
        if self.hidden[row] { 0.0 } else { self.real[row] }
    }

    fn content(&self) -> f64 {
        let rows = (self.shown.0..self.shown.1).map(|row| self.height(row));
        self.spaces.0 + rows.sum::<f64>() + self.spaces.1
    }

    fn layout(&self) -> Layout {
        Layout { top: self.top, viewport: self.viewport, content: self.content() }
    }

    fn scroll(&mut self, top: f64) {
        let top = top.clamp(0.0, (self.content() - self.viewport).max(0.0));
        self.scroll_event |= (top - self.top).abs() > f64::EPSILON;
        self.top = top;
    }

    fn correct(&mut self, correction: Correction) {
        match correction {
            Correction::End => self.scroll_to_end(),
            Correction::To(top) => self.scroll(top),
            Correction::Stay => {}
        }
    }

    fn scroll_to_end(&mut self) {
        self.scroll(f64::MAX);
        self.list.reached_end(self.top);
    }

    /// The steps of a frame, in the order of the HTML standard.
    fn frame(&mut self) {
        if std::mem::take(&mut self.scroll_event) {
            let layout = self.layout();
            self.list.scrolled(layout);
            self.choose();
        }
        if let Some(correction) = self.hiding.take() {
            self.list.acknowledge_hidden_rows();
            self.correct(correction);
        }
        self.stays_in = match self.stays_in {
            Some(0) => {
                self.list.widen_window();
                self.choose();
                None
            }
            waits => waits.map(|frames| frames - 1),
        };
        self.scroll(self.top);
        for _ in 0..4 {
            if !self.observe() {
                break;
            }
        }
    }

    /// What the observer reports, until nothing has changed its size.
    fn observe(&mut self) -> bool {
        let rows: Vec<(usize, f64)> = (self.shown.0..self.shown.1)
            .filter(|row| !self.hidden[*row])
            .map(|row| (row, self.real[row]))
            .filter(|(row, real)| self.reported[*row] != Some(*real))
            .collect();
        if rows.is_empty() && (self.reported_viewport - self.viewport).abs() < f64::EPSILON {
            return false;
        }
        for (row, real) in &rows {
            self.reported[*row] = Some(*real);
        }
        self.reported_viewport = self.viewport;
        let correction = self.list.resized(self.layout(), rows.into_iter());
        let window = self.list.choose_measured(None);
        self.put(window);
        self.correct(correction);
        true
    }

    fn quiet(&self) -> bool {
        let known = |row: usize| self.hidden[row] || self.reported[row] == Some(self.real[row]);
        !self.scroll_event && self.stays_in.is_none() && (self.shown.0..self.shown.1).all(known)
    }

    /// Frames until nothing happens any more.
    fn settle(&mut self) {
        for _ in 0..FRAMES {
            self.frame();
            if self.quiet() {
                return;
            }
        }
        panic!("it does not come to rest: {:?} at {}", self.shown, self.top);
    }

    /// The row at the upper edge, and how far its beginning is from there.
    fn anchor(&self) -> Option<(usize, f64)> {
        let mut below = self.spaces.0;
        for row in self.shown.0..self.shown.1 {
            if below + self.height(row) > self.top {
                return Some((row, below - self.top));
            }
            below += self.height(row);
        }
        None
    }

    /// How far the beginning of a rendered row is from the upper edge.
    fn place_of(&self, row: usize) -> Option<f64> {
        let before = (self.shown.0..row.min(self.shown.1)).map(|row| self.height(row)).sum::<f64>();
        (self.shown.0..self.shown.1).contains(&row).then_some(self.spaces.0 + before - self.top)
    }

    fn left(&self) -> f64 {
        self.content() - self.viewport - self.top
    }

    fn act(&mut self, step: &Step) {
        match *step {
            Step::Scroll(by) => self.scroll(self.top + f64::from(by)),
            Step::Jump(part) => self.scroll(self.content() * f64::from(part) / 100.0),
            Step::Append(ref rows) => self.append(rows),
            Step::Grow(row, height) => {
                let row = row % self.real.len();
                self.real[row] = f64::from(height);
            }
            Step::Viewport(height) => self.viewport = f64::from(height),
            Step::Hide(from, count, hide) => {
                let from = from % self.real.len();
                let to = (from + count).min(self.real.len());
                self.hidden[from..to].fill(hide);
                for row in from..to {
                    self.reported[row] = None;
                }
                let hidden = self.hidden.clone();
                let target = self.list.hide(self.top, |row| hidden[row]);
                self.choose();
                self.hiding = Some(target.map_or(Correction::End, Correction::To));
            }
            Step::End => {
                self.list.follow(true);
                self.choose();
                self.scroll_to_end();
            }
        }
        self.settle();
    }
}

#[derive(Debug, Clone)]
enum Step {
    /// The reader scrolls by so many pixels.
    Scroll(i16),
    /// The reader drags the scroll bar to a percentage.
    Jump(u8),
    Append(Vec<(u16, u16)>),
    /// A row has another height: a message that is written, a card that opens or folds.
    Grow(usize, u16),
    Viewport(u16),
    /// Rows are hidden or shown.
    Hide(usize, usize, bool),
    /// The button that leads to the end.
    End,
}

fn row() -> impl Strategy<Value = (u16, u16)> {
    (10_u16..400, prop_oneof![4 => 10_u16..400, 1 => 400_u16..3000])
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (-900_i16..900).prop_map(Step::Scroll),
        1 => (0_u8..=100).prop_map(Step::Jump),
        3 => vec(row(), 1..6).prop_map(Step::Append),
        4 => (any::<usize>(), 10_u16..900).prop_map(|(row, height)| Step::Grow(row, height)),
        1 => (200_u16..1200).prop_map(Step::Viewport),
        1 => (any::<usize>(), 1_usize..12, any::<bool>()).prop_map(|(row, count, hide)| Step::Hide(row, count, hide)),
        1 => Just(Step::End),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, rng_seed: RngSeed::Fixed(7), ..ProptestConfig::default() })]

    #[test]
    fn nothing_moves_under_the_readers_eyes(rows in vec(row(), 1..160), viewport in 200_u16..1200, steps in vec(step(), 1..24)) {
        let mut page = Page::new(&rows, viewport);
        for (nth, step) in steps.iter().enumerate() {
            let (anchor, followed) = (page.anchor(), page.list.is_following());
            let what = format!("step {nth}, {step:?}");
            page.act(step);
            let by_reader = matches!(step, Step::Scroll(_) | Step::Jump(_));
            prop_assert!(page.spaces.0 <= page.top && page.spaces.1 <= page.left().max(0.0), "{what}: a gap in sight, {:?} at {}", page.spaces, page.top);
            if page.list.is_following() {
                prop_assert!(page.left() <= NEAR_END, "{what}: follows, but {} are left", page.left());
            }
            if followed && !by_reader {
                prop_assert!(page.list.is_following(), "{what}: only the reader leaves the end");
            }
            if matches!(step, Step::End) {
                prop_assert!(page.list.is_following() && page.left() <= 0.0, "{what}");
            }
            // At the end the browser may have less to show than the place would need.
            if let Some((row, place)) = anchor.filter(|_| !by_reader && !page.list.is_following() && page.left() > 0.0) {
                let now = page.place_of(row);
                let hidden = page.hidden[row];
                prop_assert!(hidden || now.is_some_and(|now| (now - place).abs() <= 1.0), "{what}: row {row} was at {place}, is at {now:?}");
            }
        }
    }
}

#[test]
fn a_scroll_event_without_a_movement_changes_nothing() {
    let mut page = Page::new(&[(100, 100); 50], 600);
    for following in [true, false] {
        page.list.follow(following);
        if !following {
            page.scroll(1000.0);
            page.settle();
        }
        let (window, layout) = (page.list.choose(None), page.layout());
        for moved in [-1.0, 0.0, 1.0] {
            // Browsers round positions to pixels of the screen.
            let at = Layout { top: layout.top + moved, ..layout };
            assert_eq!(page.list.scrolled(at), Movement::Still);
        }
        assert_eq!((page.list.is_following(), page.list.choose(None)), (following, window));
    }
}
