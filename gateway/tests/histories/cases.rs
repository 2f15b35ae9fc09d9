//! Histories that failed once, shortened, each with what was wrong.

use super::history::Asked::Permission;
use super::history::Kind::{Delta, Reasoning, Tool};
use super::history::Meanwhile::{Emit as Emits, KillRuntime as Killed, PowerCut};
use super::history::Step::{Answer, Ask, Close, Connect, Emit, Enqueue, Restart, Resume, Send, Settle};
use super::history::{Carrier, History, Step, Who};

fn of(process: bool, largest_log: Option<usize>, steps: &[Step]) -> History {
    let cards = vec![
        Who { carrier: Carrier::WebSocket, viewer: false },
        Who { carrier: Carrier::Sse, viewer: false },
        Who { carrier: Carrier::WebSocket, viewer: true },
    ];
    History { process, largest_log, cards, steps: steps.to_vec() }
}

/// All of them.
pub fn all() -> Vec<(&'static str, History)> {
    let watched = Connect { who: 2 };
    let (resume, close) = (Resume { who: 0, cut: true }, Close { who: 0, cut: true });
    let deltas = Emit { what: Delta, count: 7 };
    vec![
        (
            "a client left during a resume, and the events were held back for ever",
            of(false, None, &[watched.clone(), Settle, resume, deltas.clone(), Settle]),
        ),
        (
            "a client left while the session was closed, and it counted as open",
            of(
                false,
                None,
                &[
                    watched,
                    Ask { what: Permission },
                    Settle,
                    close,
                    Answer { who: vec![1], back: 0 },
                    Settle,
                    deltas,
                ],
            ),
        ),
        (
            "what a log over its limit had dropped came again with new positions",
            of(false, Some(18_526), &[Emit { what: Tool, count: 192 }, Restart { meanwhile: Emits(3) }]),
        ),
        (
            "a log over its limit dropped its newest events, and their positions were given again",
            of(
                false,
                Some(21_248),
                &[
                    Emit { what: Tool, count: 177 },
                    Emit { what: Reasoning, count: 8 },
                    Restart { meanwhile: Emits(6) },
                ],
            ),
        ),
        (
            "the same after a power cut",
            of(
                false,
                Some(5_863),
                &[
                    Emit { what: Tool, count: 77 },
                    Emit { what: Delta, count: 7 },
                    Restart { meanwhile: PowerCut(319) },
                ],
            ),
        ),
        (
            "the first message after a restart was not in the backlog",
            of(true, None, &[Enqueue { who: 1 }, Settle, Restart { meanwhile: Killed(84) }, Send { who: 1 }]),
        ),
    ]
}
