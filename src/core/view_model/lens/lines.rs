//! The lines of the lens in their order, and which entry of the timeline belongs beside which line.

use super::{Lens, Spot, entries};
use crate::model::model_context::Message;
use crate::model::state::State;

/// How many bytes of a message are shown before the reader asks for more.
pub const FOLD: usize = 1_200;

/// One line of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LensLine {
    /// A message: its spot and its serial.
    Message(Spot, u64),
    /// Messages that were removed together: the removal's index and its serial.
    Removal(usize, u64),
}

impl LensLine {
    /// The number that identifies the line for good.
    pub fn serial(&self) -> u64 {
        match self {
            Self::Message(_, serial) | Self::Removal(_, serial) => *serial,
        }
    }
}

/// All lines of a view, and what is beside each.
#[derive(Debug, Default)]
pub struct LensLines {
    list: Vec<LensLine>,
    /// The entry beside each line, if it has one.
    entries: Vec<Option<usize>>,
    /// Pairs of a line and an entry in which both only go up; made on demand.
    anchors: Vec<(usize, usize)>,
    stale: bool,
}

impl LensLines {
    /// The lines of a view; `open` says, by serial, whose removed messages are listed.
    pub fn of(index: &Lens, state: &State, open: &dyn Fn(u64) -> bool) -> Self {
        let mut lines = Self::default();
        let Some(view) = index.view(state) else { return lines };
        let mut removals: Vec<_> = view
            .removals()
            .iter()
            .enumerate()
            .map(|(nth, removal)| (view.place_of(removal), nth, removal))
            .collect();
        removals.sort_by_key(|(place, ..)| *place);
        let mut removals = removals.into_iter().peekable();
        for place in 0..=view.messages().len() {
            while let Some((_, nth, removal)) = removals.next_if(|(at, ..)| *at <= place) {
                let first = removal.messages.iter().filter_map(|message| entry_beside(state, message)).min();
                let open = open(removal.serial);
                lines.add(
                    LensLine::Removal(nth, removal.serial),
                    first.filter(|_| !open).or(Some(removal.entry)),
                );
                for (at, message) in removal.messages.iter().enumerate().filter(|_| open) {
                    lines.add(
                        LensLine::Message(Spot::Gone(nth, at), message.serial),
                        entry_beside(state, message),
                    );
                }
            }
            if let Some(message) = view.messages().get(place) {
                lines.add(LensLine::Message(Spot::Live(place), message.serial), entry_beside(state, message));
            }
        }
        lines
    }

    /// Adds the messages of the view from index `from` on.
    pub fn append(&mut self, index: &Lens, state: &State, from: usize) {
        let messages = index.view(state).map_or(&[][..], |view| view.messages());
        for (place, message) in messages.iter().enumerate().skip(from) {
            self.add(LensLine::Message(Spot::Live(place), message.serial), entry_beside(state, message));
        }
    }

    fn add(&mut self, line: LensLine, entry: Option<usize>) {
        self.list.push(line);
        self.entries.push(entry);
        self.stale = true;
    }

    /// All of them in order.
    pub fn list(&self) -> &[LensLine] {
        &self.list
    }

    /// The index of the line with this serial.
    pub fn place_of_serial(&self, serial: u64) -> Option<usize> {
        self.list.iter().position(|line| line.serial() == serial)
    }

    /// The index of a message's line.
    pub fn place_of(&self, spot: Spot) -> Option<usize> {
        self.list.iter().position(|line| matches!(line, LensLine::Message(at, _) if *at == spot))
    }

    /// About how high a line is before it is measured, in pixels.
    pub fn height(&self, place: usize, index: &Lens, state: &State) -> f64 {
        let Some(LensLine::Message(spot, _)) = self.list.get(place) else { return 44.0 };
        let length = index.find(state, *spot).map_or(0, |(message, _)| message.content.len().min(FOLD));
        60.0 + (length as f64 / 70.0).ceil() * 22.0
    }

    /// The entry beside a line.
    pub fn entry_of(&self, place: usize) -> Option<usize> {
        self.entries.get(place).copied().flatten()
    }

    /// The line beside a place in a timeline of so many entries. Both are an index plus a fraction.
    pub fn line_for(&mut self, at: f64, entries: usize) -> f64 {
        self.anchor();
        let end = (self.list.len(), entries);
        between(at, end, &self.anchors, |anchor| (anchor.1, anchor.0))
    }

    /// The other way round: the place in the timeline beside a line.
    pub fn entry_for(&mut self, at: f64, entries: usize) -> f64 {
        self.anchor();
        let end = (self.list.len(), entries);
        between(at, end, &self.anchors, |anchor| anchor)
    }

    /// Makes the anchors. A summary is before older messages, and results come in another order than their
    /// calls, so pairs that would go back are left out.
    fn anchor(&mut self) {
        if !std::mem::take(&mut self.stale) {
            return;
        }
        let mut least = usize::MAX;
        let mut anchors = Vec::new();
        for (line, entry) in self.entries.iter().enumerate().rev() {
            if let Some(entry) = entry.filter(|entry| *entry < least) {
                least = entry;
                anchors.push((line, entry));
            }
        }
        anchors.reverse();
        // The instructions, which the timeline does not show, are beside its first entry.
        if let Some((line, 0)) = anchors.first_mut() {
            *line = 0;
        }
        self.anchors = anchors;
    }
}

/// The entry beside a message: its own, or that of the first call that it makes.
fn entry_beside(state: &State, message: &Message) -> Option<usize> {
    let shown = |place: &usize| state.entry(*place).is_some_and(|entry| entry.ui_visible);
    entries(state, message).into_iter().find(shown)
}

type Anchor = (usize, usize);

/// Maps a place from one side to the other, in a straight line from anchor to anchor.
fn between(at: f64, end: Anchor, anchors: &[Anchor], turn: impl Fn(Anchor) -> Anchor) -> f64 {
    let next = anchors.partition_point(|anchor| turn(*anchor).0 as f64 <= at);
    let before = next.checked_sub(1).and_then(|place| anchors.get(place)).copied().unwrap_or_default();
    let after = anchors.get(next).copied().unwrap_or(end);
    let ((from, from_other), (to, to_other)) = (turn(before), turn(after));
    let way = to.saturating_sub(from) as f64;
    let share = if way > 0.0 { ((at - from as f64) / way).clamp(0.0, 1.0) } else { 0.0 };
    from_other as f64 + share * to_other.saturating_sub(from_other) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(entries: &[Option<usize>]) -> LensLines {
        let mut lines = LensLines::default();
        for (nth, entry) in entries.iter().enumerate() {
            lines.add(LensLine::Message(Spot::Live(nth), nth as u64), *entry);
        }
        lines
    }

    #[test]
    fn both_sides_meet_at_anchors_and_at_both_ends() {
        let mut lines = lines(&[None, Some(0), Some(4), Some(9)]);
        for (line, entry) in [(0.0, 0.0), (2.0, 4.0), (3.0, 9.0), (4.0, 12.0)] {
            assert!((lines.entry_for(line, 12) - entry).abs() < 1e-9, "line {line}");
        }
        assert!((lines.line_for(4.0, 12) - 2.0).abs() < 1e-9);
        assert!((lines.line_for(6.5, 12) - 2.5).abs() < 1e-9, "half of the way between two anchors");
        assert!((lines.line_for(12.0, 12) - 4.0).abs() < 1e-9);
    }

    #[test]
    fn a_summary_before_older_messages_never_sends_the_reader_back() {
        let mut lines = lines(&[Some(30), Some(10), Some(12), Some(31)]);
        let places: Vec<f64> = (0..=40).map(|at| lines.line_for(f64::from(at), 40)).collect();
        assert!(places.is_sorted(), "{places:?}");
        assert!((lines.line_for(10.0, 40) - 1.0).abs() < 1e-9);
    }
}
