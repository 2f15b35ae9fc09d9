//! The steps of a history. A seed gives always the same ones, and any part of a history is a history too.

/// What a message has the agent do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Answer.
    Say,
    /// Ask for a permission, and wait for it.
    Ask,
    /// Work until it is stopped.
    Wait,
}

impl What {
    pub fn word(self) -> &'static str {
        match self {
            Self::Say => "say",
            Self::Ask => "ask",
            Self::Wait => "wait",
        }
    }
}

/// One step. A step that is impossible when its turn comes does nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A person sends a message; an immediate one stops what runs.
    Send {
        what: What,
        immediate: bool,
    },
    /// A person answers the open request.
    Answer {
        reject: bool,
    },
    /// Two people answer it at once.
    AnswerTwice,
    /// A person answers it, and the gateway is killed before anybody hears of that.
    AnswerAndKill,
    /// A person sends a message, and the gateway is killed before anybody hears of that.
    SendAndKill,
    /// A person stops the work.
    Stop,
    /// A person sends a message again that the gateway offers.
    SendAgain,
    /// A person closes the session.
    Close,
    /// The session is closed, and another program goes on with it.
    Elsewhere {
        messages: usize,
    },
    /// Another page comes.
    Reconnect,
    /// All that runs comes to its end.
    Settle,
    KillAgent,
    Restart {
        kill: bool,
    },
}

impl Step {
    /// The word under which it is counted, if it is a fault.
    pub fn fault(&self) -> Option<&'static str> {
        Some(match self {
            Self::AnswerAndKill | Self::SendAndKill => "gateway killed in a call",
            Self::KillAgent => "agent killed",
            Self::Restart { kill: true } => "gateway killed",
            Self::Restart { kill: false } => "gateway restarted",
            _ => return None,
        })
    }
}

/// The history of this seed.
pub fn of_seed(seed: u64) -> Vec<Step> {
    // Otherwise each seed would have the numbers of the one before, but for the first.
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03);
    let count = 8 + dice.below(14);
    let mut restarts = 0;
    let mut steps = Vec::new();
    while steps.len() < count {
        let step = step(&mut dice);
        let is_restart = step.fault().is_some() && step != Step::KillAgent;
        // They take the longest.
        if is_restart && restarts == 3 {
            continue;
        }
        restarts += usize::from(is_restart);
        steps.push(step);
    }
    steps
}

fn step(dice: &mut Dice) -> Step {
    let half = dice.below(2) == 0;
    match dice.below(100) {
        0..14 => Step::Send { what: What::Say, immediate: false },
        14..32 => Step::Send { what: What::Ask, immediate: false },
        32..42 => Step::Send { what: What::Wait, immediate: false },
        42..47 => Step::Send { what: if half { What::Say } else { What::Ask }, immediate: true },
        47..59 => Step::Answer { reject: dice.below(3) == 0 },
        59..63 => Step::AnswerTwice,
        63..66 => Step::AnswerAndKill,
        66..69 => Step::SendAndKill,
        69..74 => Step::Stop,
        74..79 => Step::SendAgain,
        79..81 => Step::Close,
        81..86 => Step::Elsewhere { messages: 1 + dice.below(3) },
        86..88 => Step::Reconnect,
        88..91 => Step::Settle,
        91..95 => Step::KillAgent,
        _ => Step::Restart { kill: half },
    }
}

/// Random numbers from a seed (`SplitMix64`).
struct Dice(u64);

impl Dice {
    /// A number below `limit`.
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % limit as u64).unwrap()
    }
}

/// Histories that failed once, shortened.
pub fn failed_once() -> Vec<Vec<Step>> {
    vec![]
}
