//! Which rows of a long list are on screen, by measured or estimated heights. Pure arithmetic, no DOM.
//!
//! Heights are stored in a Fenwick tree, so that finding the row at an offset and changing a height both cost
//! O(log n), whatever the length of the session. A hidden row counts as 0 and keeps its height for later.

/// Heights of all rows, in CSS pixels.
#[derive(Debug, Default, Clone)]
pub struct Heights {
    own: Vec<f64>,
    hidden: Vec<bool>,
    sums: Vec<f64>,
    /// The height of each row and their number, if all are equally high. Nothing is stored for a row then.
    equal: Option<(f64, usize)>,
}

impl Heights {
    /// Rows that are all equally high, and never hidden.
    pub fn of_equal_rows(height: f64) -> Self {
        Self { equal: Some((height, 0)), ..Self::default() }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.equal.map_or(self.own.len(), |(_, length)| length)
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a row at the end.
    pub fn push(&mut self, height: f64) {
        if let Some((_, length)) = &mut self.equal {
            *length += 1;
            return;
        }
        self.own.push(height);
        self.hidden.push(false);
        let place = self.own.len();
        let low = place & place.wrapping_neg();
        let mut sum = height;
        let mut step = 1;
        while step < low {
            sum += self.sums.get(place - step - 1).copied().unwrap_or(0.0);
            step <<= 1;
        }
        self.sums.push(sum);
    }

    /// Removes the rows from `length` on.
    pub fn truncate(&mut self, length: usize) {
        if let Some((_, now)) = &mut self.equal {
            *now = length.min(*now);
        }
        self.own.truncate(length);
        self.hidden.truncate(length);
        self.sums.truncate(length);
    }

    /// The height of a row; 0 while it is hidden.
    pub fn get(&self, row: usize) -> f64 {
        if self.is_hidden(row) { 0.0 } else { self.natural_height(row).unwrap_or(0.0) }
    }

    /// The height that a row has, or had before it was hidden.
    pub fn natural_height(&self, row: usize) -> Option<f64> {
        match self.equal {
            Some((height, length)) => (row < length).then_some(height),
            None => self.own.get(row).copied(),
        }
    }

    /// Whether a row is hidden.
    pub fn is_hidden(&self, row: usize) -> bool {
        self.hidden.get(row).copied().unwrap_or(false)
    }

    /// Sets the height of a row and returns by how much the list grew.
    pub fn set(&mut self, row: usize, height: f64) -> f64 {
        let hidden = self.is_hidden(row);
        let Some(slot) = self.own.get_mut(row) else {
            return 0.0;
        };
        if hidden {
            // It is being removed from the document, so the measured height is meaningless.
            return 0.0;
        }
        let growth = height - std::mem::replace(slot, height);
        self.grow(row, growth);
        growth
    }

    /// Sets measured heights. Returns how far they move the row that covers an offset from the top.
    pub fn measure(&mut self, offset: f64, rows: impl Iterator<Item = (usize, f64)>) -> f64 {
        let anchor = self.row_at(offset);
        let mut moved = 0.0;
        for (row, height) in rows {
            let growth = self.set(row, height);
            moved += if row < anchor { growth } else { 0.0 };
        }
        moved
    }

    /// Hides a row, or shows it again with the height that it had. Returns whether that changed anything.
    pub fn hide(&mut self, row: usize, hide: bool) -> bool {
        let Some(hidden) = self.hidden.get_mut(row) else {
            return false;
        };
        if std::mem::replace(hidden, hide) == hide {
            return false;
        }
        let height = self.own.get(row).copied().unwrap_or(0.0);
        self.grow(row, if hide { -height } else { height });
        true
    }

    fn grow(&mut self, row: usize, growth: f64) {
        let mut place = row + 1;
        while let Some(sum) = self.sums.get_mut(place - 1) {
            *sum += growth;
            place += place & place.wrapping_neg();
        }
    }

    /// Height of all rows before one.
    pub fn height_before(&self, row: usize) -> f64 {
        if let Some((height, length)) = self.equal {
            return row.min(length) as f64 * height;
        }
        let mut place = row.min(self.sums.len());
        let mut sum = 0.0;
        while place > 0 {
            sum += self.sums.get(place - 1).copied().unwrap_or(0.0);
            place &= place - 1;
        }
        sum
    }

    /// Height of all rows.
    pub fn total(&self) -> f64 {
        self.height_before(self.len())
    }

    /// The row that covers an offset from the top; the last one for offsets below the end.
    pub fn row_at(&self, offset: f64) -> usize {
        let end = self.len().saturating_sub(1);
        if let Some((height, _)) = self.equal {
            return ((offset / height) as usize).min(end);
        }
        let mut place = 0;
        let mut left = offset;
        let mut step = self.len().checked_next_power_of_two().unwrap_or(0);
        while step > 0 {
            let next = place + step;
            if let Some(sum) = next.checked_sub(1).and_then(|index| self.sums.get(index))
                && *sum <= left
            {
                left -= *sum;
                place = next;
            }
            step >>= 1;
        }
        place.min(end)
    }

    /// The position on the reading line: the index of the row there, plus the fraction of it above the line.
    /// The line goes from the viewport's top at the start of the list to its bottom at the end.
    pub fn reading_position(&self, top: f64, viewport: f64) -> f64 {
        let total = self.total();
        let line = if total > viewport { top * total / (total - viewport) } else { 0.0 };
        let row = self.row_at(line);
        let height = self.get(row);
        let share =
            if height > 0.0 { ((line - self.height_before(row)) / height).clamp(0.0, 1.0) } else { 0.0 };
        row as f64 + share
    }

    /// The scroll position that puts a position, as `reading` returns it, on the reading line.
    pub fn scroll_top_for(&self, at: f64, viewport: f64) -> f64 {
        let (row, total) = (at.max(0.0) as usize, self.total());
        let line = self.height_before(row) + (at - row as f64) * self.get(row);
        // Not `clamp`: its panic would bring the formatting of floats into the first download.
        if total > viewport { (line.min(total) * (total - viewport) / total).max(0.0) } else { 0.0 }
    }

    /// The rows to keep in the document for a viewport of `height` that begins at `top`, with `margin` pixels
    /// more on both sides, as (first, end).
    pub fn window(&self, top: f64, height: f64, margin: f64) -> (usize, usize) {
        if self.is_empty() {
            return (0, 0);
        }
        let first = self.row_at((top - margin).max(0.0));
        let last = self.row_at((top + height + margin).max(0.0));
        (first, (last + 1).min(self.len()))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "whole numbers of pixels")]
    use super::*;

    fn heights(list: &[f64]) -> Heights {
        let mut heights = Heights::default();
        for height in list {
            heights.push(*height);
        }
        heights
    }

    #[test]
    fn sums_and_rows_agree_with_plain_addition() {
        let list: Vec<f64> = (0..100).map(|n| f64::from((n * 7) % 13)).collect();
        let mut heights = heights(&list);
        heights.set(40, 200.0);
        let mut plain = list;
        plain[40] = 200.0;
        let mut top = 0.0;
        for (row, height) in plain.iter().enumerate() {
            assert_eq!(heights.height_before(row), top);
            if *height > 0.0 {
                assert_eq!(heights.row_at(top), row);
                assert_eq!(heights.row_at(top + height - 0.5), row);
            }
            top += height;
        }
        assert_eq!(heights.total(), top);
    }

    #[test]
    fn a_hidden_row_counts_as_none_and_keeps_its_height() {
        let mut heights = heights(&[10.0, 20.0, 30.0, 40.0]);
        assert!(heights.hide(1, true));
        assert!(!heights.hide(1, true), "it is hidden already");
        assert_eq!((heights.total(), heights.height_before(2), heights.row_at(10.0)), (80.0, 10.0, 2));
        assert_eq!(heights.set(1, 0.0), 0.0, "what is not in the document has no height to measure");
        assert!(heights.hide(1, false));
        assert_eq!((heights.total(), heights.get(1)), (100.0, 20.0));
    }

    #[test]
    fn the_reading_line_meets_both_ends_and_comes_back() {
        let heights = heights(&[40.0, 0.0, 100.0, 60.0, 300.0, 20.0]);
        assert_eq!(heights.reading_position(0.0, 200.0), 0.0);
        assert_eq!(heights.reading_position(320.0, 200.0), 6.0);
        for top in 0..32 {
            let top = f64::from(top) * 10.0;
            let back = heights.scroll_top_for(heights.reading_position(top, 200.0), 200.0);
            assert!((back - top).abs() < 0.001, "{top} → {back}");
        }
        assert_eq!((heights.reading_position(0.0, 900.0), heights.scroll_top_for(3.0, 900.0)), (0.0, 0.0));
    }

    #[test]
    fn rows_that_were_taken_away_leave_the_others_as_they_were() {
        let mut heights = heights(&[10.0; 100]);
        heights.truncate(37);
        assert_eq!((heights.len(), heights.total(), heights.height_before(36)), (37, 370.0, 360.0));
        heights.push(5.0);
        assert_eq!((heights.total(), heights.row_at(371.0)), (375.0, 37));
    }

    #[test]
    fn equal_rows_are_where_rows_of_that_height_are() {
        let (mut equal, mut each) = (Heights::of_equal_rows(44.0), Heights::default());
        for _ in 0..90 {
            equal.push(44.0);
            each.push(44.0);
        }
        for heights in [&mut equal, &mut each] {
            heights.truncate(70);
            heights.truncate(80);
        }
        assert_eq!((equal.len(), equal.total(), equal.is_empty()), (each.len(), each.total(), false));
        for row in [0, 1, 35, 69, 70, 71] {
            let of = |heights: &Heights| {
                (heights.height_before(row), heights.get(row), heights.natural_height(row))
            };
            assert_eq!(of(&equal), of(&each), "row {row}");
        }
        for offset in [-5.0, 0.0, 43.5, 44.0, 1000.0, 1e9] {
            assert_eq!(equal.row_at(offset), each.row_at(offset), "at {offset}");
            assert_eq!(equal.window(offset, 300.0, 100.0), each.window(offset, 300.0, 100.0), "at {offset}");
        }
    }

    #[test]
    fn what_is_measured_above_moves_the_row_that_is_read() {
        let mut list = heights(&[10.0; 100]);
        assert_eq!(list.measure(505.0, [(3, 30.0), (49, 8.0), (50, 99.0), (60, 0.0)].into_iter()), 18.0);
        assert_eq!(list.height_before(50), 518.0);
    }

    #[test]
    fn a_window_covers_the_viewport_and_its_margin() {
        let heights = heights(&[10.0; 1000]);
        assert_eq!(heights.window(5000.0, 100.0, 20.0), (498, 513));
        assert_eq!(heights.window(0.0, 100.0, 20.0), (0, 13));
        assert_eq!(heights.window(9_999.0, 100.0, 20.0), (997, 1000));
        assert_eq!(Heights::default().window(0.0, 100.0, 0.0), (0, 0));
    }
}
