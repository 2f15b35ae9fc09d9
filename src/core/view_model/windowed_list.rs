//! A long list of which only the rows near the viewport are in the document: which rows these are, where it has to be
//! scrolled so that nothing moves under the reader's eyes, and whether its end is followed.
//!
//! Pure arithmetic. `ui/elements/windowed_list.rs` reads the layout and scrolls.

use super::heights::Heights;

/// Pixels of rows in the document above and below the viewport.
const MARGIN: f64 = 360.0;
/// The same right after a jump: rows in sight come first.
const JUMP: f64 = 60.0;
/// Most rows that are rendered for one that has the focus and is out of sight.
const MAX_FOCUS_DISTANCE: usize = 200;
/// A scroll position that differs by no more is the same: browsers round it.
const SAME_POSITION: f64 = 1.0;

/// The layout of the element that scrolls, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Layout {
    /// The scroll position.
    pub top: f64,
    /// The height of what can be seen.
    pub viewport: f64,
    /// The height of what scrolls.
    pub content: f64,
}

/// How a scroll event moved the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Movement {
    /// Nobody moved it: the position was set by the page, or the list became higher or lower.
    Still,
    /// The reader went towards the start.
    Up,
    /// The reader went towards the end.
    Down,
}

/// Where a list has to be scrolled after its rows were measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Correction {
    /// It is where it has to be.
    Stay,
    /// To its end, which is followed.
    End,
    /// To this position, where the reader's row is where it was.
    To(f64),
}

/// What has to be in the document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    /// The rows, as (first, end).
    pub rows: (usize, usize),
    /// The height of the rows above and below these.
    pub spaces: (f64, f64),
    /// The reader jumped: rows around those in sight are rendered once they stay ([`WindowedList::widen_window`]).
    pub jumped: bool,
}

/// A list with the heights of its rows, and where the reader is in it.
#[derive(Debug)]
pub struct WindowedList {
    /// Measured heights, or estimates.
    heights: Heights,
    top: f64,
    viewport: f64,
    /// The rows that were chosen last.
    rows: (usize, usize),
    /// Pixels from the end that still count as being there; `None` for a list that never follows its end.
    near_end: Option<f64>,
    following: bool,
    /// The end is not followed while this is set, because what has the focus must not move.
    paused: bool,
    /// No jump in the last moment: rows around those in sight are rendered too.
    stays: bool,
    /// Rows have just been hidden or shown: scroll events are not the reader's until [`WindowedList::acknowledge_hidden_rows`].
    changing: bool,
    /// A row that must not scroll away while it can be seen.
    pinned: Option<usize>,
    /// Rows that have to be read from their beginning.
    unread: Vec<usize>,
    /// The reader has gone to the end past the unread rows before this one.
    passed: usize,
}

impl WindowedList {
    /// An empty list. It follows its end if it is no more than `near_end` pixels away, until the reader goes elsewhere.
    pub fn new(heights: Heights, near_end: Option<f64>) -> Self {
        Self {
            heights,
            top: 0.0,
            viewport: 800.0,
            rows: (0, 0),
            near_end,
            following: near_end.is_some(),
            paused: false,
            stays: true,
            changing: false,
            pinned: None,
            unread: Vec::new(),
            passed: 0,
        }
    }

    /// The number of its rows.
    pub fn len(&self) -> usize {
        self.heights.len()
    }

    /// True if it has no rows.
    pub fn is_empty(&self) -> bool {
        self.heights.is_empty()
    }

    /// The heights of its rows.
    pub fn heights(&self) -> &Heights {
        &self.heights
    }

    /// Whether its end is followed.
    pub fn is_following(&self) -> bool {
        self.following
    }

    /// Follows its end from now on, if it ever does, or stops.
    pub fn follow(&mut self, follow: bool) {
        self.following = follow && self.near_end.is_some();
        self.passed = self.len();
    }

    /// Pauses following while what has the focus must not move.
    pub fn pause(&mut self, pause: bool) {
        self.paused = pause;
    }

    /// The row that must not scroll away while it can be seen, such as one that was chosen.
    pub fn pin(&mut self, row: Option<usize>) {
        self.pinned = row;
    }

    /// The rows that have to be read from their beginning. Following stops at the first that is higher than what can be
    /// seen, unless the reader has gone to the end below it.
    pub fn stop_at(&mut self, unread: Vec<usize>) {
        self.unread = unread;
    }

    /// Removes the rows from `length` on.
    pub fn truncate(&mut self, length: usize) {
        self.heights.truncate(length);
        self.passed = self.passed.min(length);
    }

    /// Removes all rows, because others come, and follows the end again.
    pub fn clear(&mut self) {
        self.heights.truncate(0);
        self.follow(true);
    }

    /// Adds a row at the end.
    pub fn push(&mut self, height: f64, hidden: bool) {
        let row = self.heights.len();
        self.heights.push(height);
        self.heights.hide(row, hidden);
    }

    /// Has other rows: `heights` of all, and what has become of an old one. The reader's row stays in its place; the
    /// new position.
    pub fn replace(
        &mut self,
        heights: impl Iterator<Item = f64>,
        row_now: impl FnOnce(usize) -> Option<usize>,
    ) -> f64 {
        let anchor = self.heights.row_at(self.top);
        let inside = self.top - self.heights.height_before(anchor);
        let now = if self.is_empty() { None } else { row_now(anchor) };
        self.heights.truncate(0);
        for height in heights {
            self.heights.push(height);
        }
        if let Some(row) = now {
            self.top = self.heights.height_before(row) + inside;
        }
        self.top
    }

    /// Hides and shows rows. The scroll position that keeps the reader's row in its place; `None` at the end.
    pub fn hide(&mut self, top: f64, hidden: impl Fn(usize) -> bool) -> Option<f64> {
        self.changing = true;
        // Scroll positions are whole pixels, so a pixel of the row above may be left.
        let anchor = self.heights.row_at(top + SAME_POSITION);
        let inside = top - self.heights.height_before(anchor);
        for row in 0..self.heights.len() {
            self.heights.hide(row, hidden(row));
        }
        if self.following {
            return None;
        }
        let inside = if self.heights.is_hidden(anchor) { 0.0 } else { inside };
        self.top = self.heights.height_before(anchor) + inside;
        Some(self.top)
    }

    /// The document shows what was hidden and shown: scroll events are the reader's again.
    pub fn acknowledge_hidden_rows(&mut self) {
        self.changing = false;
    }

    /// The rows in sight at a scroll position, as (first, end).
    pub fn in_sight(&self, top: f64) -> (usize, usize) {
        self.heights.window(top, self.viewport, 0.0)
    }

    /// The list was scrolled, by the reader or by the page.
    pub fn scrolled(&mut self, at: Layout) -> Movement {
        if self.changing {
            return Movement::Still;
        }
        let moved = at.top - self.top;
        // A list that becomes higher or lower at its end is scrolled by the browser, and its lower edge stays.
        let moved_below = moved + at.viewport - self.viewport;
        let movement = match moved {
            _ if moved > SAME_POSITION => Movement::Down,
            _ if moved < -SAME_POSITION && moved_below < -SAME_POSITION => Movement::Up,
            _ => Movement::Still,
        };
        if moved.abs() > SAME_POSITION {
            self.top = at.top;
        }
        self.viewport = at.viewport;
        let left = at.content - at.viewport - at.top;
        if self.near_end.is_some_and(|near| left <= near) && self.pinned_in_sight().is_none() {
            if !self.following && movement == Movement::Down {
                self.passed = self.len();
            }
            self.following = true;
        } else if moved.abs() > SAME_POSITION {
            self.following = false;
        }
        movement
    }

    /// Takes measured heights of rows, and the layout that goes with them. What the reader sees stays in its place.
    pub fn resized(&mut self, at: Layout, rows: impl Iterator<Item = (usize, f64)>) -> Correction {
        let pinned = self.pinned_in_sight();
        let moved = self.heights.measure(at.top, rows);
        let other_viewport = (at.viewport - self.viewport).abs() > SAME_POSITION;
        self.viewport = at.viewport;
        let end = at.content - at.viewport;
        // If everything is in sight, nobody can scroll: that counts as the end.
        let left = if other_viewport { end - at.top } else { end };
        if self.near_end.is_some_and(|near| left <= near) && !self.changing && pinned.is_none() {
            self.following = true;
        }
        if self.follows_now() {
            let Some(row) = self.stops(at) else { return Correction::End };
            self.go_to(self.heights.height_before(row));
            return Correction::To(self.top);
        }
        if moved.abs() >= 0.5 {
            self.top = at.top + moved;
            return Correction::To(self.top);
        }
        match pinned.and_then(|row| self.scroll_into_view(row)) {
            Some(top) => Correction::To(top),
            None => Correction::Stay,
        }
    }

    /// The row at whose beginning following stops, so that its end is not what is seen first.
    fn stops(&self, at: Layout) -> Option<usize> {
        let around = at.content - self.heights.total();
        let higher = |row: &usize| self.heights.get(*row) + around > at.viewport;
        let below = |row: &usize| self.heights.height_before(*row) + SAME_POSITION < at.content - at.viewport;
        self.unread.iter().copied().filter(|row| *row >= self.passed).filter(higher).find(below)
    }

    fn follows_now(&self) -> bool {
        self.following && !self.paused
    }

    fn pinned_in_sight(&self) -> Option<usize> {
        self.pinned.filter(|row| {
            let top = self.heights.height_before(*row);
            top + self.heights.get(*row) > self.top && top < self.top + self.viewport
        })
    }

    /// The largest scroll position by the known heights.
    pub fn end(&self) -> f64 {
        (self.heights.total() - self.viewport).max(0.0)
    }

    /// Pixels of rows below the viewport.
    pub fn pixels_below(&self) -> f64 {
        if self.follows_now() { 0.0 } else { (self.end() - self.top).max(0.0) }
    }

    /// Whether what is at the end can be seen, in a list that follows it.
    pub fn is_at_end(&self) -> bool {
        self.near_end.is_some_and(|near| self.end() - self.top < near)
    }

    /// The page scrolls to this position, and the reader is no longer at the end.
    pub fn go_to(&mut self, top: f64) {
        self.following = false;
        self.top = top.max(0.0);
    }

    /// The page has scrolled to its end, which is here.
    pub fn reached_end(&mut self, top: f64) {
        self.top = top;
    }

    /// The page has scrolled to where a row is, with rows that were laid out there: nothing may move any more when
    /// their heights are reported.
    pub fn arrived(&mut self, top: f64, rows: impl Iterator<Item = (usize, f64)>) {
        self.heights.measure(top, rows);
        self.top = top;
    }

    /// The scroll position.
    pub fn top(&self) -> f64 {
        self.top
    }

    /// The height of what can be seen.
    pub fn viewport(&self) -> f64 {
        self.viewport
    }

    /// Scrolls no further than it takes to see a row; the new position, `None` if it is in sight already.
    pub fn scroll_into_view(&mut self, row: usize) -> Option<f64> {
        let (top, height) = (self.heights.height_before(row), self.heights.get(row).min(self.viewport));
        let to = match self.top {
            now if top < now => top,
            now if top + height > now + self.viewport => (top + height - self.viewport).ceil(),
            _ => return None,
        };
        self.go_to(to);
        Some(self.top)
    }

    /// The position on the reading line ([`Heights::reading_position`]).
    pub fn reading_position(&self) -> f64 {
        self.heights.reading_position(if self.follows_now() { self.end() } else { self.top }, self.viewport)
    }

    /// The scroll position for a position on the reading line.
    pub fn scroll_top_for(&self, at: f64) -> f64 {
        self.heights.scroll_top_for(at, self.viewport)
    }

    /// The reader has not jumped for a moment: from now on rows around those in sight are rendered too.
    pub fn widen_window(&mut self) {
        self.stays = true;
    }

    /// Chooses the rows for where the list is now. `focused` is the row with the focus, which stays, and all up to it:
    /// who types goes on typing, wherever they have scrolled to.
    pub fn choose(&mut self, focused: Option<usize>) -> Window {
        self.choose_keeping(focused, false)
    }

    /// The same after rows were measured. Rows that a jump rendered stay until the reader stays or goes on, even
    /// if they turn out higher than estimated: removing them would be work in the very frame that rendered them.
    pub fn choose_measured(&mut self, focused: Option<usize>) -> Window {
        self.choose_keeping(focused, true)
    }

    fn choose_keeping(&mut self, focused: Option<usize>, keep: bool) -> Window {
        let top = if self.follows_now() { self.end() } else { self.top };
        let (from, to) = self.rows;
        let apart = |(first, last): (usize, usize)| first >= to || last <= from;
        let wide = self.heights.window(top, self.viewport, MARGIN);
        let jumped = apart(wide);
        self.stays &= !jumped;
        let mut rows = wide;
        if !self.stays {
            rows = self.heights.window(top, self.viewport, JUMP);
            if keep && !apart(rows) && to <= self.len() {
                rows = (rows.0.min(from), rows.1.max(to));
            }
        }
        self.rows = with_row(rows, focused, self.len());
        let (first, last) = self.rows;
        let below = self.heights.total() - self.heights.height_before(last);
        Window { rows: self.rows, spaces: (self.heights.height_before(first), below), jumped }
    }
}

/// The rows, and all up to the one with the focus, if it is not too far away.
fn with_row((first, last): (usize, usize), focused: Option<usize>, len: usize) -> (usize, usize) {
    match focused.filter(|row| *row < len) {
        Some(row) if row < first && first - row <= MAX_FOCUS_DISTANCE => (row, last),
        Some(row) if row >= last && row - last < MAX_FOCUS_DISTANCE => (first, row + 1),
        _ => (first, last),
    }
}

// Random histories on a page are in `tests/windowed_list.rs`.
#[cfg(test)]
mod tests {
    use super::*;

    fn list(rows: usize, near_end: Option<f64>) -> WindowedList {
        let mut list = WindowedList::new(Heights::of_equal_rows(50.0), near_end);
        for _ in 0..rows {
            list.push(50.0, false);
        }
        list
    }

    fn at(list: &WindowedList, top: f64) -> Layout {
        Layout { top, viewport: 500.0, content: list.heights().total() }
    }

    #[test]
    fn a_row_with_the_focus_stays_in_the_document_unless_it_is_far_away() {
        for (range, focused, len, expected) in [
            ((10, 20), None, 50, (10, 20)),
            ((10, 20), Some(15), 50, (10, 20)),
            ((10, 20), Some(3), 50, (3, 20)),
            ((10, 20), Some(20), 50, (10, 21)),
            ((10, 20), Some(49), 50, (10, 50)),
            ((10, 20), Some(50), 50, (10, 20)),
            ((1000, 1020), Some(800), 5000, (800, 1020)),
            ((1000, 1020), Some(799), 5000, (1000, 1020)),
            ((1000, 1020), Some(1220), 5000, (1000, 1020)),
        ] {
            assert_eq!(with_row(range, focused, len), expected, "{range:?} {focused:?}");
        }
    }

    #[test]
    fn a_jump_brings_the_rows_in_sight_and_the_others_once_the_reader_stays() {
        let mut list = list(1000, None);
        list.choose(None);
        list.widen_window();
        assert!(!list.choose(None).jumped);
        list.scrolled(at(&list, 20_000.0));
        let jump = list.choose(None);
        assert_eq!((jump.rows, jump.jumped), ((398, 412), true));
        list.scrolled(at(&list, 20_100.0));
        assert_eq!(list.choose(None).rows, (400, 414), "nearby, and not yet at rest");
        list.widen_window();
        let rest = list.choose(None);
        assert_eq!((rest.rows, rest.jumped, rest.spaces), ((394, 420), false, (19_700.0, 29_000.0)));
    }

    #[test]
    fn a_row_that_was_chosen_does_not_scroll_away_while_it_can_be_seen() {
        let mut list = list(100, Some(24.0));
        list.reached_end(4500.0);
        list.pin(Some(99));
        list.follow(false);
        assert_eq!(list.scrolled(at(&list, 4500.0)), Movement::Still);
        assert!(!list.is_following(), "it can be seen at the end");
        let lower = Layout { viewport: 200.0, ..at(&list, 4500.0) };
        assert_eq!(
            list.resized(lower, std::iter::empty()),
            Correction::To(4800.0),
            "half of the place is taken"
        );
        list.push(50.0, false);
        assert_eq!(list.scroll_into_view(99), None, "it is in sight");
        list.pin(Some(3));
        list.scrolled(Layout { viewport: 200.0, ..at(&list, 4850.0) });
        assert!(list.is_following(), "what was chosen is elsewhere");
    }

    #[test]
    fn following_stops_at_the_beginning_of_what_has_to_be_read() {
        let mut list = WindowedList::new(Heights::default(), Some(24.0));
        (0..100).for_each(|_| list.push(50.0, false));
        let measured = |list: &mut WindowedList, top: f64, rows: &[(usize, f64)]| {
            list.heights.measure(top, rows.iter().copied());
            let layout = at(list, top);
            list.resized(layout, rows.iter().copied())
        };
        list.reached_end(4500.0);
        list.push(50.0, false);
        list.stop_at(vec![100]);
        assert_eq!(measured(&mut list, 4500.0, &[(100, 400.0)]), Correction::End, "all of it can be seen");
        assert_eq!(measured(&mut list, 4900.0, &[(100, 900.0)]), Correction::To(5000.0), "it has grown");
        assert!(!list.is_following());
        list.push(50.0, false);
        assert_eq!(measured(&mut list, 5000.0, &[(101, 50.0)]), Correction::Stay, "what comes is below it");
        // The reader goes to the end, and is followed there.
        assert_eq!(list.scrolled(at(&list, 5450.0)), Movement::Down);
        list.push(50.0, false);
        assert_eq!(measured(&mut list, 5450.0, &[(102, 80.0)]), Correction::End);
        list.stop_at(vec![100, 103, 104]);
        list.push(50.0, false);
        list.push(50.0, false);
        assert_eq!(measured(&mut list, 5500.0, &[(103, 90.0), (104, 700.0)]), Correction::To(6120.0));
        // The button that leads to the end.
        list.follow(true);
        assert_eq!(measured(&mut list, 6320.0, &[(104, 710.0)]), Correction::End);
        list.clear();
        list.push(50.0, false);
        list.stop_at(vec![0]);
        assert_eq!(measured(&mut list, 0.0, &[(0, 2000.0)]), Correction::To(0.0), "others came");
    }

    #[test]
    fn a_list_that_never_follows_stays_where_the_reader_is_at_the_end() {
        let mut list = list(100, None);
        list.follow(true);
        assert_eq!(list.scrolled(at(&list, 4500.0)), Movement::Down);
        list.push(50.0, false);
        let layout = at(&list, 4500.0);
        assert_eq!(list.resized(layout, std::iter::empty()), Correction::Stay);
        assert!(!list.is_following() && !list.is_at_end());
    }

    #[test]
    fn rows_that_are_replaced_leave_the_readers_row_in_its_place() {
        let mut list = WindowedList::new(Heights::default(), None);
        (0..10).for_each(|_| list.push(100.0, false));
        list.go_to(430.0);
        assert!((list.replace([70.0; 12].into_iter(), |row| Some(row + 2)) - 450.0).abs() < 1e-9);
        assert!((list.replace([70.0; 3].into_iter(), |_| None) - 450.0).abs() < 1e-9, "it is gone");
        assert_eq!(list.len(), 3);
    }

    #[test]
    fn a_higher_viewport_at_the_end_is_no_step_up() {
        let mut list = list(100, Some(24.0));
        list.scrolled(at(&list, 4500.0));
        let higher = Layout { top: 4200.0, viewport: 800.0, content: 5000.0 };
        assert_eq!(list.scrolled(higher), Movement::Still);
        assert!(list.is_following());
        assert_eq!(list.scrolled(Layout { top: 4000.0, ..higher }), Movement::Up);
        assert!(!list.is_following());
    }
}
