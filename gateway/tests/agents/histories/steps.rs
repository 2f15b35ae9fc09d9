//! The steps of a history. A seed gives always the same ones, and any part of a history is a history too.

use super::cluster::{NAMES, SERVERS};

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

/// What can happen to the servers of a cluster, and to the ways to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    KillServer(usize),
    StopServer(usize),
    /// No server reaches a gateway: connections end, or stand still and nothing is lost.
    Away {
        gateway: usize,
        still: bool,
    },
    MoveLeader,
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
    /// Of the gateway that drives the agent.
    Restart {
        kill: bool,
    },
    /// Of the gateway without an agent.
    RestartOther {
        kill: bool,
    },
    /// A person goes on at the other gateway.
    Move,
    Disturb(Fault),
    /// All faults of the cluster are over.
    Mend,
}

impl Step {
    /// The word under which it is counted, if it is a fault.
    pub fn fault(&self) -> Option<&'static str> {
        Some(match self {
            Self::AnswerAndKill | Self::SendAndKill => "gateway killed in a call",
            Self::KillAgent => "agent killed",
            Self::Restart { kill: true } | Self::RestartOther { kill: true } => "gateway killed",
            Self::Restart { kill: false } | Self::RestartOther { kill: false } => "gateway restarted",
            Self::Move => "another gateway for a person",
            Self::Disturb(Fault::KillServer(_)) => "server killed",
            Self::Disturb(Fault::StopServer(_)) => "server stopped",
            Self::Disturb(Fault::Away { still: true, .. }) => "links still",
            Self::Disturb(Fault::Away { still: false, .. }) => "links cut",
            Self::Disturb(Fault::MoveLeader) => "leader moved",
            _ => return None,
        })
    }
}

/// The history of this seed, at one gateway.
pub fn of_seed(seed: u64) -> Vec<Step> {
    // Otherwise each seed would have the numbers of the one before, but for the first.
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03);
    let count = 8 + dice.below(14);
    steps(&mut dice, count, step)
}

/// The history of this seed in a cluster: every third step is one of the cluster's.
pub fn of_seed_in_cluster(seed: u64) -> Vec<Step> {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5851_F42D_4C95_7F2D);
    let count = 10 + dice.below(16);
    steps(&mut dice, count, |dice| if dice.below(3) == 0 { step_of_cluster(dice) } else { step(dice) })
}

fn steps(dice: &mut Dice, count: usize, step: impl Fn(&mut Dice) -> Step) -> Vec<Step> {
    let mut restarts = 0;
    let mut steps = Vec::new();
    while steps.len() < count {
        let step = step(dice);
        let is_restart = matches!(
            step,
            Step::AnswerAndKill | Step::SendAndKill | Step::Restart { .. } | Step::RestartOther { .. }
        );
        // They take the longest.
        if is_restart && restarts == 3 {
            continue;
        }
        restarts += usize::from(is_restart);
        steps.push(step);
    }
    steps
}

fn step_of_cluster(dice: &mut Dice) -> Step {
    let half = dice.below(2) == 0;
    let (server, gateway) = (dice.below(SERVERS), dice.below(NAMES.len()));
    match dice.below(100) {
        0..40 => Step::Move,
        40..50 => Step::Disturb(Fault::KillServer(server)),
        50..58 => Step::Disturb(Fault::StopServer(server)),
        58..72 => Step::Disturb(Fault::Away { gateway, still: half }),
        72..78 => Step::Disturb(Fault::MoveLeader),
        78..86 => Step::RestartOther { kill: half },
        _ => Step::Mend,
    }
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
