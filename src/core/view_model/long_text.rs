//! Which parts of a long text are in the document, by where the reader is. Pure arithmetic, no DOM.
//!
//! The others are empty, and as high as they were. Parts near the reader are made, those far away are removed, a few with
//! each frame. What is in use stays.

use super::heights::Heights;

/// Distances from the viewport, in its heights: parts nearer than `NEAR` are made, those beyond `KEEP` removed.
const NEAR: f64 = 1.0;
const KEEP: f64 = 2.0;
/// Fraction of the viewport's height that the reader may scroll before the parts are looked at again.
const STEP: f64 = 0.25;
/// Pixels around the viewport in which parts are made at once, all of them in one frame.
const SHOWN_MARGIN: f64 = 120.0;
/// Most parts that are removed with a frame.
const MAX_REMOVALS: usize = 4;
/// Most parts that are made with a frame because they are selected.
const MAX_SELECTED_REMOVALS: usize = 2;
/// Pixels a byte, for the height of a part that was never measured.
const ESTIMATE: f64 = 0.36;
/// Pixels less than which the reader does not notice.
const NEGLIGIBLE_PIXELS: f64 = 0.5;

/// Where the reader is, in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Viewport {
    /// From the top of the text to the top of the viewport.
    pub top: f64,
    /// The height of the viewport.
    pub height: f64,
    /// How far the list around the text is scrolled.
    pub scrolled: f64,
    /// The reader is in the row of this text, so that heights above the viewport move what they see.
    pub is_within: bool,
    /// The list is scrolled to its end, and follows what is added.
    pub is_at_end: bool,
}

/// What keeps parts in the document. Asked only for parts that matter.
pub trait Uses {
    /// Whether something in the text is selected.
    fn any_selected(&self) -> bool;
    /// Whether a part is touched by the selection.
    fn is_selected(&self, part: usize) -> bool;
    /// Whether a part is selected, focused, scrolled sideways, or costly to make again.
    fn is_in_use(&self, part: usize) -> bool;
}

/// What is to be done in this frame.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Parts that are made.
    pub make: Vec<usize>,
    /// Parts that are removed.
    pub remove: Vec<usize>,
    /// There is more to do with the next frame.
    pub has_more: bool,
}

#[derive(Debug, Clone, Copy)]
struct TextPart {
    /// It is in the document.
    is_present: bool,
    /// Its height was measured.
    is_measured: bool,
}

/// The closed parts of a text.
#[derive(Debug, Default)]
pub struct TextParts {
    heights: Heights,
    parts: Vec<TextPart>,
    /// How far the list was scrolled, and the viewport's height, when nothing was left to do.
    settled: Option<(f64, f64)>,
}

impl TextParts {
    /// How many parts there are.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Adds a part of so many bytes that is in the document. Returns its number.
    pub fn push(&mut self, length: usize) -> usize {
        self.heights.push(length as f64 * ESTIMATE);
        self.parts.push(TextPart { is_present: true, is_measured: false });
        self.parts.len() - 1
    }

    /// Adds a part that is not in the document, with the height that it had, in pixels.
    pub fn push_removed(&mut self, height: f64) {
        self.heights.push(height);
        self.parts.push(TextPart { is_present: false, is_measured: true });
    }

    /// Removes the parts from `kept` on.
    pub fn truncate(&mut self, kept: usize) {
        self.settled = None;
        self.heights.truncate(kept);
        self.parts.truncate(kept);
    }

    /// Whether a part is in the document.
    pub fn is_present(&self, part: usize) -> bool {
        self.parts.get(part).is_some_and(|part| part.is_present)
    }

    /// The parts that are in the document.
    pub fn present(&self) -> impl Iterator<Item = usize> {
        (0..self.parts.len()).filter(|part| self.is_present(*part))
    }

    /// A part was made or removed.
    pub fn set_present(&mut self, part: usize, is_present: bool) {
        if let Some(part) = self.parts.get_mut(part) {
            part.is_present = is_present;
        }
    }

    /// The height of a part, in pixels; an estimate if it was never measured.
    pub fn height(&self, part: usize) -> Option<f64> {
        self.heights.natural_height(part)
    }

    /// The height of a part, in pixels; `None` if it was never measured.
    pub fn measured_height(&self, part: usize) -> Option<f64> {
        self.height(part).filter(|_| self.parts.get(part).is_some_and(|part| part.is_measured))
    }

    /// Whether the reader has scrolled far enough to look at the parts again. They move a few lines with each frame in
    /// which text arrives.
    pub fn has_moved(&self, scrolled: f64) -> bool {
        self.settled.is_none_or(|(before, height)| (scrolled - before).abs() > height * STEP)
    }

    /// Takes the measured height of a part, in pixels.
    pub fn measure(&mut self, part: usize, height: f64) {
        self.heights.set(part, height);
        if let Some(part) = self.parts.get_mut(part) {
            part.is_measured = true;
        }
    }

    /// Takes measured heights of parts that are in the document. Returns by how many pixels the list must be scrolled, so
    /// that what the reader sees stays where it is; `None` if no height was of such a part. The first height of a part
    /// moves nothing: the browser has laid it out already.
    pub fn measure_all(&mut self, at: Viewport, heights: impl Iterator<Item = (usize, f64)>) -> Option<f64> {
        let anchor = self.heights.row_at(at.top);
        let mut moved = None;
        for (number, height) in heights {
            let Some(part) = self.parts.get_mut(number).filter(|part| part.is_present) else { continue };
            let was_measured = std::mem::replace(&mut part.is_measured, true);
            let growth = self.heights.set(number, height);
            let above = was_measured && number < anchor;
            moved = Some(moved.unwrap_or(0.0) + if above { growth } else { 0.0 });
        }
        let is_seen =
            |moved: f64| moved.abs() >= NEGLIGIBLE_PIXELS && at.is_within && at.top > 0.0 && !at.is_at_end;
        moved.map(|moved| if is_seen(moved) { moved } else { 0.0 })
    }

    /// What is to be made and removed in this frame. Nothing is made without `may_make`.
    pub fn plan_changes(&mut self, at: Viewport, may_make: bool, uses: &impl Uses) -> Changes {
        let window = |margin: f64| {
            let (from, to) = self.heights.window(at.top, at.height, margin);
            from..to
        };
        let (shown, near, keep) = (window(SHOWN_MARGIN), window(at.height * NEAR), window(at.height * KEEP));
        let is_away = |part: &usize| !self.is_present(*part);
        let at_once: Vec<usize> = shown.clone().filter(is_away).collect();
        let mut soon: Vec<usize> = near.filter(|part| is_away(part) && !shown.contains(part)).collect();
        if uses.any_selected() {
            let selected = (0..self.parts.len()).filter(|part| is_away(part) && uses.is_selected(*part));
            soon.extend(selected.take(MAX_SELECTED_REMOVALS));
        }
        let is_left = |part: &usize| {
            let is_measured = self.parts.get(*part).is_some_and(|part| part.is_measured);
            is_measured && !keep.contains(part) && !uses.is_in_use(*part)
        };
        let mut remove: Vec<usize> = self.present().filter(is_left).take(MAX_REMOVALS + 1).collect();
        let wanted = if may_make { soon.len() > 1 } else { !(soon.is_empty() && at_once.is_empty()) };
        let has_more = remove.len() > MAX_REMOVALS || wanted;
        remove.truncate(MAX_REMOVALS);
        self.settled = (!has_more).then_some((at.scrolled, at.height));
        let make = at_once.into_iter().chain(soon.into_iter().take(1)).filter(|_| may_make).collect();
        Changes { make, remove, has_more }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PART: usize = 1_000;
    const HEIGHT: f64 = 400.0;

    #[derive(Default)]
    struct InUse {
        selected: Vec<usize>,
        focused: Vec<usize>,
    }

    impl Uses for InUse {
        fn any_selected(&self) -> bool {
            !self.selected.is_empty()
        }

        fn is_selected(&self, part: usize) -> bool {
            self.selected.contains(&part)
        }

        fn is_in_use(&self, part: usize) -> bool {
            self.is_selected(part) || self.focused.contains(&part)
        }
    }

    fn at(top: f64) -> Viewport {
        Viewport { top, height: 800.0, scrolled: top, is_within: true, is_at_end: false }
    }

    /// Parts of 400 px each, all in the document and measured.
    fn parts(count: usize) -> TextParts {
        let mut parts = TextParts::default();
        for number in 0..count {
            assert_eq!(parts.push(PART), number);
            parts.measure(number, HEIGHT);
        }
        parts
    }

    /// Looks until nothing is left to do; returns the frames that it took.
    fn settle(parts: &mut TextParts, top: f64, uses: &InUse) -> usize {
        for frame in 1..200 {
            let changes = parts.plan_changes(at(top), true, uses);
            for part in &changes.make {
                assert!(!parts.is_present(*part));
                parts.set_present(*part, true);
            }
            for part in &changes.remove {
                assert!(parts.is_present(*part));
                parts.set_present(*part, false);
            }
            assert!(changes.remove.len() <= MAX_REMOVALS);
            if !changes.has_more {
                return frame;
            }
        }
        panic!("it never ends")
    }

    fn present(parts: &TextParts) -> Vec<usize> {
        parts.present().collect()
    }

    #[test]
    fn what_is_near_the_reader_is_there_and_what_is_far_is_not() {
        let mut parts = parts(100);
        let uses = InUse::default();
        let frames = settle(&mut parts, 50.0 * HEIGHT, &uses);
        let there = present(&parts);
        assert!((48..54).all(|part| there.contains(&part)), "{there:?}");
        assert!(there.len() < 14, "{there:?}");
        assert!(frames >= 20, "a few with each frame: {frames}");
        // What is on screen after a jump is there with the first frame.
        let changes = parts.plan_changes(at(0.0), true, &uses);
        assert!(changes.make.starts_with(&[0, 1, 2]) && changes.has_more, "{changes:?}");
        settle(&mut parts, 0.0, &uses);
        let there = present(&parts);
        assert!(there.contains(&3) && !there.contains(&50), "{there:?}");
    }

    #[test]
    fn what_is_in_use_stays_and_what_is_selected_comes_back() {
        let mut parts = parts(60);
        let focused = InUse { focused: vec![30], ..InUse::default() };
        settle(&mut parts, 0.0, &focused);
        assert!(parts.is_present(30));
        settle(&mut parts, 0.0, &InUse::default());
        assert!(!parts.is_present(30));
        let selected = InUse { selected: (28..34).collect(), ..InUse::default() };
        settle(&mut parts, 0.0, &selected);
        assert!((28..34).all(|part| parts.is_present(part)));
    }

    #[test]
    fn a_part_that_was_never_measured_stays() {
        let mut parts = parts(40);
        parts.push(PART);
        parts.push_removed(HEIGHT);
        settle(&mut parts, 0.0, &InUse::default());
        assert!(parts.is_present(40) && !parts.is_present(39) && !parts.is_present(41));
        assert_eq!([39, 40, 41].map(|part| parts.measured_height(part)), [Some(HEIGHT), None, Some(HEIGHT)]);
    }

    #[test]
    fn nothing_is_made_while_heights_are_reported_but_later() {
        let mut parts = parts(40);
        settle(&mut parts, 0.0, &InUse::default());
        let changes = parts.plan_changes(at(20.0 * HEIGHT), false, &InUse::default());
        assert!(changes.make.is_empty() && changes.has_more);
    }

    #[test]
    fn heights_above_the_reader_move_the_list_once_they_were_known() {
        let mut all = parts(40);
        assert_eq!(all.measure_all(at(10.0 * HEIGHT), [(3, 500.0)].into_iter()), Some(100.0));
        assert_eq!(all.measure_all(at(10.0 * HEIGHT), [(12, 500.0)].into_iter()), Some(0.0), "below");
        assert_eq!(all.measure_all(at(10.0 * HEIGHT), [(99, 1.0)].into_iter()), None, "not a part");
        all.set_present(3, false);
        assert_eq!(all.measure_all(at(10.0 * HEIGHT), [(3, 1.0)].into_iter()), None, "it is empty now");
        let at_end = Viewport { is_at_end: true, ..at(10.0 * HEIGHT) };
        assert_eq!(all.measure_all(at_end, [(4, 500.0)].into_iter()), Some(0.0), "the list follows its end");
        let elsewhere = Viewport { is_within: false, ..at(10.0 * HEIGHT) };
        assert_eq!(all.measure_all(elsewhere, [(5, 500.0)].into_iter()), Some(0.0), "another row is read");
        let mut fresh = TextParts::default();
        (0..20).for_each(|_| _ = fresh.push(PART));
        assert_eq!(fresh.measure_all(at(2_000.0), [(0, 900.0)].into_iter()), Some(0.0), "its first height");
    }

    #[test]
    fn small_steps_are_not_looked_at() {
        let mut parts = parts(40);
        assert!(parts.has_moved(0.0), "never looked at");
        settle(&mut parts, 0.0, &InUse::default());
        assert!(!parts.has_moved(150.0) && parts.has_moved(250.0));
        parts.truncate(10);
        assert!(parts.has_moved(0.0) && parts.len() == 10);
    }
}
