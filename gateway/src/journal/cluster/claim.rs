//! Decides where a gateway goes on with a session in the cluster's log: its own journal and the newest message there in, out comes
//! what to do. No position is ever given to two events: who can't know which were given leaves [`GAP`] unused.

use super::message::LastMessage;

/// How many positions stay unused where others may have been given by a process that nobody can ask. More than a gateway
/// publishes late.
pub const GAP: u64 = 1 << 20;

/// A session's journal in this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnJournal<'a> {
    /// The id of its folder.
    pub log: &'a str,
    /// The id of this process.
    pub writer: &'a str,
    /// Its newest position.
    pub length: u64,
    /// The smallest position that this process may have given; none if it has given none yet.
    pub first_given: Option<u64>,
}

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Publish what follows this position.
    Publish {
        /// The newest position that is in the cluster's log.
        after: u64,
    },
    /// Take over from the cluster what follows the own journal, and give no smaller position than this.
    TakeOver {
        /// The smallest position for new events.
        first: u64,
    },
    /// Positions that this process has given stand in the cluster's log with other events. It can't write there.
    Conflict,
}

/// Decides. `gone`: the position up to which it was published, as far as is known where the log has no message any more.
pub fn claim(own: &OwnJournal<'_>, last: Option<&LastMessage>, gone: u64) -> Claim {
    let Some(last) = last else { return Claim::Publish { after: gone } };
    let (is_own_log, ours) = (last.log == own.log, last.writer == own.writer);
    match own.first_given {
        _ if ours => Claim::Publish { after: last.position },
        Some(first) if last.position >= first => Claim::Conflict,
        None if last.position > own.length || !is_own_log => {
            // In its own log the newest message is the newest event. Of another folder's some may not be there yet.
            let first = if is_own_log { last.position + 1 } else { last.position.max(own.length) + GAP };
            Claim::TakeOver { first }
        }
        Some(_) | None => Claim::Publish { after: last.position },
    }
}

#[cfg(test)]
mod tests {
    use super::{Claim, GAP, LastMessage, OwnJournal, claim};

    fn own(length: u64, first_given: Option<u64>) -> OwnJournal<'static> {
        OwnJournal { log: "folder", writer: "now", length, first_given }
    }

    fn last(position: u64, log: &str, writer: &str) -> LastMessage {
        LastMessage { sequence: 99, position, log: log.to_owned(), writer: writer.to_owned() }
    }

    #[test]
    fn a_restart_over_the_same_folder_publishes_what_is_missing() {
        let before = last(40, "folder", "before");
        assert_eq!(claim(&own(55, None), Some(&before), 0), Claim::Publish { after: 40 });
        assert_eq!(claim(&own(55, Some(41)), Some(&before), 0), Claim::Publish { after: 40 });
        assert_eq!(claim(&own(40, None), Some(&before), 0), Claim::Publish { after: 40 });
    }

    #[test]
    fn what_a_power_cut_took_comes_from_the_cluster() {
        assert_eq!(
            claim(&own(30, None), Some(&last(40, "folder", "before")), 0),
            Claim::TakeOver { first: 41 }
        );
    }

    #[test]
    fn another_folder_leaves_positions_unused_that_may_have_been_given() {
        assert_eq!(
            claim(&own(0, None), Some(&last(40, "other", "x")), 0),
            Claim::TakeOver { first: 40 + GAP }
        );
        assert_eq!(
            claim(&own(90, None), Some(&last(40, "other", "x")), 0),
            Claim::TakeOver { first: 90 + GAP }
        );
        // The cluster could not be asked when this process gave its first position.
        let late = own(GAP + 3, Some(GAP));
        assert_eq!(claim(&late, Some(&last(40, "other", "x")), 0), Claim::Publish { after: 40 });
    }

    #[test]
    fn who_was_replaced_can_not_write() {
        assert_eq!(claim(&own(60, Some(41)), Some(&last(50 + GAP, "other", "x")), 0), Claim::Conflict);
        assert_eq!(claim(&own(60, Some(41)), Some(&last(50, "folder", "x")), 0), Claim::Conflict);
    }

    #[test]
    fn an_answer_that_was_lost_is_found_again() {
        assert_eq!(
            claim(&own(60, Some(41)), Some(&last(58, "folder", "now")), 0),
            Claim::Publish { after: 58 }
        );
    }

    #[test]
    fn what_the_stream_let_go_of_is_not_published_again() {
        assert_eq!(claim(&own(60, None), None, 55), Claim::Publish { after: 55 });
        assert_eq!(claim(&own(60, None), None, 0), Claim::Publish { after: 0 });
    }
}
