//! What a history is: who takes part, and the steps that are taken one after the other. A seed gives always the
//! same one. Any part of a history is a history too, so that a failing one can be shortened.

/// Random numbers from a seed (`SplitMix64`).
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).unwrap()
    }

    /// True in so many of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// A history: the set-up and the steps.
#[derive(Clone, Debug)]
pub struct History {
    /// Whether the gateway is a process of its own, which can be killed.
    pub process: bool,
    /// The most bytes of the session's log, if it is to be rolled. Only where the gateway is in this process.
    pub largest_log: Option<usize>,
    pub cards: Vec<Who>,
    pub steps: Vec<Step>,
}

/// A card that shows the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Who {
    pub carrier: Carrier,
    /// Whether it may only watch.
    pub viewer: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    WebSocket,
    /// Server-sent events; each call is a request of its own.
    Sse,
}

/// One step. `who` is the number of a card. A step that is impossible when its turn comes does nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The runtime emits so many events.
    Emit { what: Kind, count: usize },
    /// The runtime asks.
    Ask { what: Asked },
    /// The runtime begins with what is first in its queue.
    Turn,
    /// The agent comes to rest.
    Idle,
    /// A card connects for the first time, or has a network again and goes on from where it was.
    Connect { who: usize },
    /// A card's connections are cut, and it has no network.
    Cut { who: usize },
    /// A minute passes for a card in which nothing comes.
    Wait { who: usize },
    /// A page is loaded again.
    Reload { who: usize },
    /// A card does not read.
    Slow { who: usize },
    /// It reads again.
    Read { who: usize },
    /// On these cards the same request is answered at once: the one that is so far from the newest.
    Answer { who: Vec<usize>, back: usize },
    /// On a card an answer is given, and its connections are cut before it knows the outcome; `arrived`: after the runtime
    /// has got the answer.
    AnswerAndCut { who: usize, back: usize, arrived: bool },
    /// From a card a message is sent.
    Send { who: usize },
    /// The same, and its connections are cut.
    SendAndCut { who: usize, arrived: bool },
    /// From a card a command is queued.
    Enqueue { who: usize },
    /// From these cards the oldest dropped message is sent again at once.
    SendAgain { who: Vec<usize> },
    /// From a card the session is resumed with other settings; `cut`: its connections are cut at once.
    Resume { who: usize, cut: bool },
    /// From a card the session is closed; `cut`: its connections are cut at once.
    Close { who: usize, cut: bool },
    /// Everybody who can has read what there is, and all calls that can be answered are.
    Settle,
    /// The runtime stops without ending.
    Pause,
    /// It goes on.
    Continue,
    /// The runtime carries out calls and does not say so.
    Hold,
    /// It says so.
    Release,
    /// The connection to the runtime is cut; `lose`: with what is on the way.
    CutRuntime { lose: bool },
    /// The runtime is killed. It has written down this share (in percent) of what it need not have.
    KillRuntime { wrote: usize },
    /// The gateway ends and starts again on the same folder; it is killed where it is a process. Meanwhile this happens.
    Restart { meanwhile: Meanwhile },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Delta,
    Reasoning,
    Tool,
    Message,
    Usage,
    /// An event of a type that nobody knows, with line breaks between its tokens.
    Odd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    Permission,
    Question,
    Form,
}

impl Asked {
    /// The method that answers it.
    pub const fn method(self) -> &'static str {
        match self {
            Self::Permission => "session.permissions.handlePendingPermissionRequest",
            Self::Question => "session.ui.handlePendingUserInput",
            Self::Form => "session.ui.handlePendingElicitation",
        }
    }

    /// The types of the events that open and close it.
    pub const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Permission => ("permission.requested", "permission.completed"),
            Self::Question => ("user_input.requested", "user_input.completed"),
            Self::Form => ("elicitation.requested", "elicitation.completed"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meanwhile {
    Nothing,
    /// The runtime emits so many events.
    Emit(usize),
    /// The last line of the log is torn: it was being written.
    TornLine(usize),
    /// The power failed: so many bytes at the end of the log are gone.
    PowerCut(usize),
    /// The runtime ends too.
    KillRuntime(usize),
}

impl History {
    pub fn of(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let process = dice.chance(25);
        let largest_log = (!process && dice.chance(25)).then(|| 2_000 + dice.below(20_000));
        let mut cards = vec![
            Who { carrier: Carrier::WebSocket, viewer: false },
            Who { carrier: Carrier::Sse, viewer: false },
            Who { carrier: Carrier::WebSocket, viewer: true },
        ];
        for _ in 0..dice.below(3) {
            let carrier = if dice.chance(50) { Carrier::WebSocket } else { Carrier::Sse };
            cards.push(Who { carrier, viewer: dice.chance(30) });
        }
        let mut history = Self { process, largest_log, cards, steps: Vec::new() };
        let (mut ends, mut lives) = (0, 0);
        for _ in 0..15 + dice.below(30) {
            let step = history.step(&mut dice);
            // The gateway waits twice as long after each end of the runtime, so there are few of them in its life.
            let ended = matches!(step, Step::CutRuntime { .. } | Step::KillRuntime { .. });
            if ended && ends == 2 || matches!(step, Step::Restart { .. }) && lives == 3 {
                continue;
            }
            ends += usize::from(ended);
            if let Step::Restart { meanwhile } = step {
                (ends, lives) = (0, lives + 1);
                if let Meanwhile::KillRuntime(_) = meanwhile {
                    ends = 1;
                }
            }
            history.steps.push(step);
        }
        history
    }

    fn step(&self, dice: &mut Dice) -> Step {
        let who = dice.below(self.cards.len());
        let several = |dice: &mut Dice| {
            let count = 1 + dice.below(self.cards.len());
            let mut all: Vec<_> = (0..count).map(|_| dice.below(self.cards.len())).collect();
            if dice.chance(50) {
                all.truncate(1);
            }
            all
        };
        match dice.below(100) {
            0..22 => {
                let kinds = [Kind::Delta, Kind::Reasoning, Kind::Tool, Kind::Message, Kind::Usage, Kind::Odd];
                let what = kinds[dice.below(kinds.len())];
                let most = if dice.chance(10) { 300 } else { 8 };
                Step::Emit { what, count: 1 + dice.below(most) }
            }
            22..30 => Step::Ask { what: [Asked::Permission, Asked::Question, Asked::Form][dice.below(3)] },
            30..34 => Step::Turn,
            34..36 => Step::Idle,
            36..42 => Step::Connect { who },
            42..46 => Step::Cut { who },
            46 => Step::Wait { who },
            47 => Step::Reload { who },
            48..50 => Step::Slow { who },
            50..53 => Step::Read { who },
            53..62 => Step::Answer { who: several(dice), back: dice.below(3) },
            62..65 => Step::AnswerAndCut { who, back: dice.below(2), arrived: dice.chance(60) },
            65..71 => Step::Send { who },
            71..74 => Step::SendAndCut { who, arrived: dice.chance(60) },
            74..76 => Step::Enqueue { who },
            76..78 => Step::SendAgain { who: several(dice) },
            78 => Step::Resume { who, cut: dice.chance(40) },
            79 => {
                if dice.chance(50) {
                    Step::Close { who, cut: dice.chance(40) }
                } else {
                    Step::Resume { who, cut: dice.chance(40) }
                }
            }
            80..84 => Step::Settle,
            84..86 => Step::Pause,
            86..88 => Step::Continue,
            88..91 => Step::Hold,
            91..93 => Step::Release,
            93 => Step::CutRuntime { lose: false },
            94 => Step::CutRuntime { lose: true },
            95..97 => Step::KillRuntime { wrote: dice.below(101) },
            _ => {
                let meanwhile = match dice.below(6) {
                    0 | 1 => Meanwhile::Nothing,
                    2 => Meanwhile::Emit(1 + dice.below(12)),
                    3 => Meanwhile::TornLine(1 + dice.below(80)),
                    4 => Meanwhile::PowerCut(1 + dice.below(600)),
                    _ => Meanwhile::KillRuntime(dice.below(101)),
                };
                Step::Restart { meanwhile }
            }
        }
    }
}

impl Step {
    /// The word under which it is counted, if it is a fault.
    pub fn fault(&self) -> Option<&'static str> {
        Some(match self {
            Self::Cut { .. } => "card cut",
            Self::Wait { .. } => "a minute of silence",
            Self::Reload { .. } => "page loaded again",
            Self::AnswerAndCut { .. }
            | Self::SendAndCut { .. }
            | Self::Resume { cut: true, .. }
            | Self::Close { cut: true, .. } => "card cut in a call",
            Self::Slow { .. } => "slow reader",
            Self::Pause => "runtime paused",
            Self::Hold => "replies held",
            Self::CutRuntime { .. } => "runtime cut",
            Self::KillRuntime { .. } => "runtime killed",
            Self::Close { .. } => "session closed",
            Self::Restart { meanwhile } => match meanwhile {
                Meanwhile::TornLine(_) => "restart, torn line",
                Meanwhile::PowerCut(_) => "restart, power cut",
                Meanwhile::KillRuntime(_) => "restart of both",
                Meanwhile::Nothing | Meanwhile::Emit(_) => "restart",
            },
            _ => return None,
        })
    }
}
