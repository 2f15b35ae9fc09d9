//! When input that a page hands over is read: at once, or in slices between which the browser has its turn, in the order in
//! which it was handed over.

/// Input of this size or less is read at once, if nothing waits before it. In bytes, or UTF-16 units of a text.
pub const AT_ONCE: u32 = 256 << 10;
/// Input is read at once only while no more than this has arrived since the last frame.
const IN_A_FRAME: u32 = 512 << 10;
/// No more than this is read in one slice, whatever the clock says.
const IN_A_SLICE: u32 = 2 << 20;
/// Milliseconds of work in a slice.
pub const SLICE_MS: f64 = 8.0;
/// Milliseconds between two commits while large input or a history is read.
pub const COMMIT_MS: f64 = 500.0;

/// How much input waits, and how long it has been read. Times are in milliseconds.
#[derive(Debug, Default)]
pub struct Intake {
    /// What waits.
    units: u32,
    chunks: u32,
    /// What was read at once since the last frame.
    in_frame: u32,
    /// When what was read so far was last shown.
    shown_at: f64,
    /// When the history that is being read began, or was last shown.
    history_shown_at: Option<f64>,
    slice: Slice,
}

/// One piece of work.
#[derive(Debug, Default)]
struct Slice {
    began_at: f64,
    read: u32,
}

/// What follows after a piece was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// The next piece.
    Piece,
    /// The browser has its turn, then the next slice.
    Pause {
        /// What was read so far is to be shown.
        show: bool,
    },
    /// Nothing: everything is read.
    End,
}

impl Intake {
    /// A chunk of this length was handed over. True if it is to be read at once; it waits otherwise.
    pub fn takes_at_once(&mut self, length: u32) -> bool {
        let in_frame = self.in_frame.saturating_add(length);
        let at_once = !self.is_busy() && length <= AT_ONCE && in_frame <= IN_A_FRAME;
        if at_once {
            self.in_frame = in_frame;
        } else {
            self.units = self.units.saturating_add(length);
            self.chunks += 1;
        }
        at_once
    }

    /// True while input waits.
    pub fn is_busy(&self) -> bool {
        self.chunks > 0
    }

    /// How much waits.
    pub fn waiting(&self) -> u32 {
        self.units
    }

    /// What was read was shown, and a new frame begins.
    pub fn frame_began(&mut self) {
        self.in_frame = 0;
    }

    /// Whether what was read is shown with this frame; `reads_history_at` is the time while a history is read. Then that is so
    /// now and then, because what follows takes the place of most of it on screen.
    pub fn shows_in_frame(&mut self, reads_history_at: Option<f64>) -> bool {
        let Some(now) = reads_history_at else {
            self.history_shown_at = None;
            return true;
        };
        let shown_at = *self.history_shown_at.get_or_insert(now);
        let shows = now >= shown_at + COMMIT_MS;
        if shows {
            self.history_shown_at = Some(now);
        }
        shows
    }

    /// The first slice begins.
    pub fn began(&mut self, now: f64) {
        self.shown_at = now;
    }

    /// A slice begins.
    pub fn slice_began(&mut self, now: f64) {
        self.slice = Slice { began_at: now, read: 0 };
    }

    /// A piece of this length was read.
    pub fn was_read(&mut self, length: u32) {
        self.slice.read = self.slice.read.saturating_add(length);
    }

    /// The first of the chunks that wait was read to its end; it was so long.
    pub fn chunk_ended(&mut self, length: u32) {
        self.units = self.units.saturating_sub(length);
        self.chunks = self.chunks.saturating_sub(1);
    }

    /// Nothing waits any more.
    pub fn clear(&mut self) {
        (self.units, self.chunks) = (0, 0);
    }

    /// What follows.
    pub fn next(&mut self, now: f64) -> Next {
        if !self.is_busy() {
            return Next::End;
        }
        if self.slice.read < IN_A_SLICE && now < self.slice.began_at + SLICE_MS {
            return Next::Piece;
        }
        let show = now >= self.shown_at + COMMIT_MS;
        if show {
            self.shown_at = now;
        }
        Next::Pause { show }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_is_read_at_once_until_it_is_much_in_one_frame() {
        let mut intake = Intake::default();
        assert!(intake.takes_at_once(AT_ONCE) && intake.takes_at_once(AT_ONCE));
        assert!(!intake.takes_at_once(1), "it is much since the last frame");
        assert!(intake.is_busy());
        intake.frame_began();
        assert!(!intake.takes_at_once(1), "older input goes first");
        assert_eq!(intake.waiting(), 2);
        intake.chunk_ended(1);
        assert!(intake.is_busy());
        intake.chunk_ended(1);
        assert!(!intake.is_busy() && intake.takes_at_once(1));
        assert!(!intake.takes_at_once(AT_ONCE + 1), "large input waits, even alone");
        intake.clear();
        assert!(!intake.is_busy() && intake.waiting() == 0);
    }

    #[test]
    fn a_history_is_shown_now_and_then_and_when_it_is_here() {
        let mut intake = Intake::default();
        let mut shown = Vec::new();
        for (now, reads) in
            [(0.0, false), (10.0, true), (400.0, true), (510.0, true), (600.0, true), (700.0, false)]
        {
            shown.push(intake.shows_in_frame(reads.then_some(now)));
        }
        assert_eq!(shown, [true, false, false, true, false, true]);
        assert!(!intake.shows_in_frame(Some(9_000.0)), "another one");
    }

    #[test]
    fn an_object_without_a_length_waits_for_its_turn_too() {
        let mut intake = Intake::default();
        assert!(intake.takes_at_once(0));
        assert!(!intake.takes_at_once(AT_ONCE + 1) && !intake.takes_at_once(0));
        intake.chunk_ended(AT_ONCE + 1);
        assert!(intake.is_busy() && intake.next(0.0) == Next::Piece);
        intake.chunk_ended(0);
        assert_eq!(intake.next(0.0), Next::End);
    }

    #[test]
    fn a_slice_ends_by_the_clock_or_by_what_it_has_read() {
        let mut intake = Intake::default();
        assert!(!intake.takes_at_once(u32::MAX));
        intake.began(0.0);
        intake.slice_began(0.0);
        intake.was_read(IN_A_SLICE - 1);
        assert_eq!(intake.next(SLICE_MS - 1.0), Next::Piece);
        assert_eq!(intake.next(SLICE_MS), Next::Pause { show: false });
        intake.slice_began(10.0);
        assert_eq!(intake.next(10.0), Next::Piece, "the count begins again");
        intake.was_read(IN_A_SLICE);
        assert_eq!(intake.next(10.0), Next::Pause { show: false });
        assert_eq!(intake.next(COMMIT_MS), Next::Pause { show: true });
        assert_eq!(intake.next(COMMIT_MS + 1.0), Next::Pause { show: false }, "it was shown just now");
        intake.chunk_ended(u32::MAX);
        assert_eq!(intake.next(COMMIT_MS * 9.0), Next::End);
    }
}
