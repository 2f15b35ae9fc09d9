//! Shows the last part of a log before the whole log has been read: finds where that part can begin, and maps
//! its entries to those of the whole log afterwards.
//!
//! An entry's place is its index in the timeline and never changes. Places that were given out while only the
//! last part was known ("early" ones) are offset by `EARLY`, and keep standing for the same entries.

use crate::Entry;
use crate::model::state::State;

/// Offset of the places that are given out early.
const EARLY: usize = 1 << 30;

/// Maps early places to places in the whole log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Early {
    /// Added to a place in the last part, it gives the place in the whole log; wraps.
    shift: usize,
    /// Places in the last part below this one are no longer mapped.
    cut: usize,
}

impl Default for Early {
    fn default() -> Self {
        Self::NONE
    }
}

impl Early {
    /// No early places.
    pub const NONE: Self = Self { shift: 0, cut: usize::MAX };
    /// For the last part itself: all its places are early.
    pub const ALL: Self = Self { shift: 0, cut: 0 };

    /// The place in the whole log of one that may be early.
    pub fn place(self, place: usize) -> usize {
        match place.checked_sub(EARLY) {
            Some(early) if early < EARLY => early.wrapping_add(self.shift),
            _ => place,
        }
    }

    /// The place as it was given out: early if it was first shown in the last part.
    pub fn handed(self, place: usize) -> usize {
        let early = place.wrapping_sub(self.shift);
        if (self.cut..EARLY).contains(&early) { EARLY + early } else { place }
    }

    /// The place in the last part of a place in the whole log, if it was given out there.
    pub fn before(self, place: usize) -> Option<usize> {
        self.handed(place).checked_sub(EARLY)
    }
}

/// Maps places in the last part to the whole log so that those in `shown` (the rendered ones, in descending
/// order) stand for the same entries. If that fails for some of them, the mapping is cut above the first that
/// fails.
pub fn joined(part: &State, whole: &State, shown: &[usize]) -> Early {
    let Some((last, entry)) = shown.first().and_then(|last| Some((*last, part.entry(*last)?))) else {
        return Early::NONE;
    };
    let Some(place) = whole.entries.iter().rposition(|other| same(other, entry)) else {
        return Early::NONE;
    };
    let shift = place.wrapping_sub(last);
    let stays = |early: &&usize| match (part.entry(**early), whole.entry(early.wrapping_add(shift))) {
        (Some(entry), Some(other)) => same(entry, other),
        _ => false,
    };
    let cut = shown.iter().take_while(stays).last().copied();
    cut.map_or(Early::NONE, |cut| Early { shift, cut })
}

fn same(one: &Entry, other: &Entry) -> bool {
    one.kind == other.kind && one.id == other.id
}

/// The offset at which the last part of a log begins, given the log's last bytes: the start of a person's
/// message in the first half, else the first line that is a record. None if there is no such line.
pub fn begin(end: &[u8]) -> Option<usize> {
    const SAID: &[u8] = b"\"user.message\"";
    let mut first = None;
    for start in memchr::memchr_iter(b'\n', end).map(|at| at + 1) {
        let line = end.get(start..).unwrap_or_default();
        if !line.starts_with(b"{") {
            continue;
        }
        first = first.or(Some(start));
        if start < end.len() / 2 && names(line, SAID) {
            return Some(start);
        }
    }
    first
}

/// The first line of a log, with its line break, if it is the record `session.start`.
pub fn head(begin: &[u8]) -> Option<&[u8]> {
    let line = begin.get(..=memchr::memchr(b'\n', begin)?)?;
    names(line, b"\"session.start\"").then_some(line)
}

/// Whether a record is of this type, given in quotes. The type stands near the beginning of a record.
fn names(line: &[u8], name: &[u8]) -> bool {
    line.get(..line.len().min(160)).is_some_and(|line| line.windows(name.len()).any(|part| part == name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;

    fn said(number: usize) -> String {
        format!(
            "{{\"type\":\"user.message\",\"data\":{{\"content\":\"{number}\"}},\"id\":\"{number}\",\"timestamp\":null}}\n"
        )
    }

    fn called(number: usize, what: &str) -> String {
        format!(
            "{{\"type\":\"tool.execution_{what}\",\"data\":{{\"toolCallId\":\"call-{number}\",\"toolName\":\"bash\",\
             \"success\":true,\"result\":{{\"content\":\"done\"}}}},\"id\":\"{what}-{number}\"}}\n"
        )
    }

    fn session(log: &str) -> Session {
        let mut session = Session::new();
        session.push(log.as_bytes());
        session
    }

    #[test]
    fn the_last_part_begins_with_a_record() {
        let log = format!("tail of a line\n{}{}{}", called(1, "start"), said(2), "x".repeat(400));
        let at = begin(log.as_bytes()).unwrap();
        assert!(log[at..].starts_with("{\"type\":\"user.message\""), "best with what a person said");
        assert!(log[begin(&log.as_bytes()[..40]).unwrap()..].starts_with("{\"type\":\"tool."));
        assert_eq!(begin(b"{\"one\":1}"), None, "this may be the end of a line");
        assert_eq!(
            begin(b"data: {}\n\ndata: {}\n"),
            None,
            "a captured event stream has records of several lines"
        );
        assert_eq!(head(said(1).as_bytes()), None);
        assert_eq!(head(b"{\"type\":\"session.start\"}\n{}"), Some(&b"{\"type\":\"session.start\"}\n"[..]));
    }

    #[test]
    fn early_places_stand_for_the_entries_that_they_showed() {
        let log: String = (0..50).map(said).collect();
        let (part, whole) = (session(&log[log.len() - 10 * said(40).len()..]), session(&log));
        let early = joined(part.state(), whole.state(), &[9, 8, 7, 6]);
        assert_eq!(whole.state().entry(early.place(EARLY + 9)).unwrap().text, "49");
        assert_eq!((early.handed(49), early.handed(46), early.handed(45)), (EARLY + 9, EARLY + 6, 45));
        assert_eq!((early.before(49), early.before(45)), (Some(9), None));
        assert_eq!(early.handed(50), EARLY + 10, "what comes later is behind them");
        assert_eq!((Early::NONE.handed(3), Early::NONE.place(3)), (3, 3));
        assert_eq!(Early::NONE.place(usize::MAX - 3), usize::MAX - 3);
    }

    #[test]
    fn what_only_the_last_part_has_ends_what_stays() {
        // In the last part the call seems to begin where it ends.
        let end: String = called(1, "complete") + &said(2) + &said(3);
        let (part, whole) = (session(&end), session(&(called(1, "start") + &said(1) + &end)));
        assert_eq!(part.state().entries.len(), 3);
        assert_eq!(whole.state().entries.len(), 4);
        let early = joined(part.state(), whole.state(), &[2, 1, 0]);
        assert_eq!((early.handed(3), early.handed(2), early.handed(1)), (EARLY + 2, EARLY + 1, 1));
        assert_eq!(joined(part.state(), session("").state(), &[2]), Early::NONE);
    }
}
