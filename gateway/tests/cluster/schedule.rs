//! What a history of a cluster is: the steps, made from a seed. Two gateways each drive a runtime with one session, a third
//! drives none; three cards watch each session, and change the gateway.

use super::history::{Asked, Dice, Kind};

/// The gateways: two with a runtime, one without.
pub const GATEWAYS: [&str; 3] = ["a", "b", "c"];
/// Each runtime's session. The number of one is also that of the gateway that drives it.
pub const SESSIONS: [&str; 2] = ["of-a", "of-b"];
/// How many cards watch each session.
pub const CARDS: usize = 3;
/// How many servers of NATS there are.
pub const NODES: usize = 3;

/// One step. `of` is the number of a session, `who` that of a card which watches it. A step that is impossible when its turn
/// comes does nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The runtime emits so many events.
    Emit { of: usize, what: Kind, count: usize },
    /// The runtime asks.
    Ask { of: usize, what: Asked },
    /// The runtime begins with what is first in its queue.
    Turn { of: usize },
    /// The agent comes to rest.
    Idle { of: usize },
    /// A card finds its session at another gateway from now on, and goes on from where it was.
    Move { of: usize, who: usize, to: usize },
    /// A card's connections are cut, and it has no network.
    Cut { of: usize, who: usize },
    /// It has one again.
    Connect { of: usize, who: usize },
    /// A page is loaded again.
    Reload { of: usize, who: usize },
    /// On these cards the same request is answered at once: the one that is so far from the newest.
    Answer { of: usize, who: Vec<usize>, back: usize },
    /// On a card an answer is given, and it changes the gateway before it knows the outcome.
    AnswerAndMove { of: usize, who: usize, to: usize },
    /// From a card a message is sent.
    Send { of: usize, who: usize },
    /// The same, and its connections are cut.
    SendAndCut { of: usize, who: usize },
    /// A gateway is killed.
    KillGateway { gateway: usize },
    /// A gateway with a runtime is killed while it writes, and starts again at once. What it had sent to the servers arrives there
    /// when the faults are over.
    KillLate { gateway: usize, count: usize },
    /// It starts again, on the same folder.
    StartGateway { gateway: usize },
    /// A gateway is stopped without ending, or goes on.
    StopGateway { gateway: usize, stopped: bool },
    /// The disk of a gateway is full: its files can't grow by more than so many bytes.
    FullDisk { gateway: usize, left: u64 },
    /// A server is killed.
    KillNode { node: usize },
    /// A server is stopped without ending.
    StopNode { node: usize },
    /// Between a gateway and a server everything is cut; or nothing gets through, and what is on its way arrives later.
    Link { gateway: usize, node: usize, still: bool },
    /// The same for a gateway and all servers.
    Away { gateway: usize, still: bool },
    /// The same between two servers, in both directions.
    Between { nodes: (usize, usize), still: bool },
    /// Another server is to lead the stream.
    MoveLeader,
    /// So much time passes, in milliseconds: what has begun goes on, and leases may end.
    Pass(u64),
    /// All faults are over.
    Mend,
    /// If there is no fault: everybody has read what there is, and all calls have an outcome.
    Settle,
}

/// The steps of the history with this seed.
pub fn steps(seed: u64) -> Vec<Step> {
    let mut dice = Dice::new(seed ^ 0x00C1_0573);
    let count = 16 + dice.below(20);
    (0..count).map(|_| step(&mut dice)).collect()
}

fn step(dice: &mut Dice) -> Step {
    let (of, who) = (dice.below(SESSIONS.len()), dice.below(CARDS));
    let (gateway, node) = (dice.below(GATEWAYS.len()), dice.below(NODES));
    let still = dice.chance(50);
    match dice.below(100) {
        0..18 => {
            let kinds = [Kind::Delta, Kind::Reasoning, Kind::Tool, Kind::Message, Kind::Usage, Kind::Odd];
            let most = if dice.chance(15) { 400 } else { 12 };
            Step::Emit { of, what: kinds[dice.below(kinds.len())], count: 1 + dice.below(most) }
        }
        18..25 => Step::Ask { of, what: [Asked::Permission, Asked::Question, Asked::Form][dice.below(3)] },
        25..27 => Step::Turn { of },
        27 => Step::Idle { of },
        28..36 => Step::Move { of, who, to: gateway },
        36..38 => Step::Cut { of, who },
        38..42 => Step::Connect { of, who },
        42 => Step::Reload { of, who },
        43..51 => {
            let count = 1 + dice.below(2);
            Step::Answer { of, who: (0..count).map(|_| dice.below(CARDS)).collect(), back: dice.below(2) }
        }
        51..54 => Step::AnswerAndMove { of, who, to: gateway },
        54..59 => Step::Send { of, who },
        59..61 => Step::SendAndCut { of, who },
        61..63 => Step::KillGateway { gateway },
        63..66 => Step::KillLate { gateway: of, count: 1 + dice.below(40) },
        66..69 => Step::StartGateway { gateway },
        69..73 => Step::StopGateway { gateway, stopped: true },
        73..75 => Step::StopGateway { gateway, stopped: false },
        75..77 => Step::FullDisk { gateway: of, left: dice.below(200) as u64 },
        77..79 => Step::KillNode { node },
        79..81 => Step::StopNode { node },
        81..84 => Step::Link { gateway, node, still },
        84..87 => Step::Away { gateway, still },
        87..89 => Step::Between { nodes: (node, (node + 1) % NODES), still },
        89..91 => Step::MoveLeader,
        91..95 => Step::Pass(if dice.chance(10) { 11_000 } else { 100 + dice.below(2_000) as u64 }),
        95..98 => Step::Mend,
        _ => Step::Settle,
    }
}

impl Step {
    /// The word under which it is counted, if it is a fault.
    pub fn fault(&self) -> Option<&'static str> {
        Some(match self {
            Self::Cut { .. } | Self::SendAndCut { .. } => "card cut",
            Self::Reload { .. } => "page loaded again",
            Self::Move { .. } | Self::AnswerAndMove { .. } => "another gateway for a card",
            Self::KillGateway { .. } => "gateway killed",
            Self::KillLate { .. } => "gateway killed, late messages",
            Self::StopGateway { stopped: true, .. } => "gateway stopped",
            Self::FullDisk { .. } => "disk full",
            Self::KillNode { .. } => "server killed",
            Self::StopNode { .. } => "server stopped",
            Self::Link { still: true, .. } | Self::Away { still: true, .. } => "link still",
            Self::Link { .. } | Self::Away { .. } => "link cut",
            Self::Between { .. } => "servers apart",
            Self::MoveLeader => "leader moved",
            _ => return None,
        })
    }
}
