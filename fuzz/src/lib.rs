//! What the fuzz targets share: how an input is cut into pieces, a mirror of a session's changes, plausible events.

#[path = "../../tests/support/dirty.rs"]
pub mod dirty;
#[path = "../../tests/support/events.rs"]
pub mod events;
#[path = "../../tests/support/mirror.rs"]
pub mod mirror;
#[path = "../../tests/support/sse_standard.rs"]
pub mod sse_standard;

/// Pseudo-random numbers that follow from the input alone, so that an input is a plain file, without bytes for its cuts.
pub struct Random(u64);

impl Random {
    /// Numbers for this input.
    pub fn of(input: &[u8]) -> Self {
        let hash = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        Self(input.iter().fold(0xcbf2_9ce4_8422_2325, hash) | 1)
    }

    /// The next number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % end.max(1)
    }
}

/// The ways in which an input is cut: into single bytes if it is short, and twice into random pieces.
pub fn cuts(input: &[u8]) -> Vec<Vec<usize>> {
    let mut random = Random::of(input);
    let mut all = Vec::new();
    if input.len() <= 150 {
        all.push((1..input.len()).collect());
    }
    for most in [8, 1 + input.len() / 2] {
        let mut at = 0;
        let mut cuts = Vec::new();
        loop {
            at += 1 + random.below(most);
            if at >= input.len() || cuts.len() >= 50 {
                break;
            }
            cuts.push(at);
        }
        all.push(cuts);
    }
    all
}

/// The pieces between cuts.
pub fn pieces<'a>(input: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    let ends = cuts.iter().copied().chain([input.len()]);
    let mut start = 0;
    ends.map(|end| &input[std::mem::replace(&mut start, end)..end]).collect()
}

/// The same for text, with each cut at the beginning of a character.
pub fn text_pieces<'a>(input: &'a str, cuts: &[usize]) -> Vec<&'a str> {
    let whole =
        |cut: usize| (cut..=input.len()).find(|at| input.is_char_boundary(*at)).unwrap_or(input.len());
    let mut start = 0;
    let ends = cuts.iter().map(|cut| whole(*cut)).chain([input.len()]);
    ends.map(|end| &input[std::mem::replace(&mut start, end)..end])
        .filter(|piece| !piece.is_empty())
        .collect()
}
