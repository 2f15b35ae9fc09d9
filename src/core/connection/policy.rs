//! A state machine that decides the next connection attempt: which carrier, fall back, wait or give up.
//! `core::client::connection` follows it.

use super::{Backoff, ClosedReason, ConnectionState, Failure, Verdict};

/// After so many failures in a row to open a WebSocket that worked
/// before, the other carriers are tried again.
const SHUT_FOR_GOOD: u32 = 3;
/// How many attempts follow each other without a wait when somebody is back at the page.
const IMMEDIATE_ATTEMPTS: u32 = 2;
/// The same for attempts that hear nothing: a browser has up to six connections to a server, each of which may have died in
/// the sleep, and takes one of them as long as there are any.
const HURRIED_SILENT: u32 = 6;
/// How many attempts a server has for a restart that it has announced, and after how many people are told.
const RESTART_ATTEMPTS: u32 = 15;
const QUIET_ATTEMPTS: u32 = 2;
/// How long opening may take, subscription included, in milliseconds.
const OPENING_MS: u64 = 20_000;

/// A way to carry events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carrier {
    /// A WebSocket. It offers no subprotocol: a browser fails the whole connection if a proxy drops it.
    WebSocket,
    /// Server-sent events read through `fetch`.
    ServerSentEvents,
    /// No stream: events come only as responses to posted messages.
    Posts,
    /// The page's own transport, in JavaScript.
    HostTransport,
    /// No network.
    Replay,
}

/// What the connection does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionStep {
    /// Open this carrier now.
    Connect(Carrier),
    /// Call [`Policy::next_step`] after this many milliseconds.
    Wait {
        /// Milliseconds.
        delay_ms: u64,
    },
    /// Do nothing more.
    Stop,
}

/// The state machine. Transitions:
/// `Connecting → Open | Connecting (the next carrier) | Waiting | Closed`,
/// `Open → Waiting | Closed`, `Waiting → Connecting`, `Closed → Connecting` (only when a person
/// asks, and never after [`Policy::close`]).
#[derive(Debug)]
pub struct Policy {
    carriers: Vec<Carrier>,
    position: usize,
    proven: bool,
    /// Position of the best carrier that ever worked.
    best: usize,
    /// How many times in a row a WebSocket failed to open.
    shut: u32,
    backoff: Backoff,
    /// The page can give other credentials.
    renewable: bool,
    /// It was asked for others already, and no connection was stable since.
    renewed: bool,
    /// The next attempt needs others, because the server has refused those that were used.
    refused: bool,
    /// So many attempts still follow without a wait.
    hurried: u32,
    /// How many attempts have failed since the server has announced that it ends.
    restarting: Option<u32>,
    state: ConnectionState,
}

impl Policy {
    /// A policy over the carriers of [`super::Target::carriers`], best first. Without any, or
    /// with only [`Carrier::Replay`], it never leaves `Replaying`.
    pub fn new(carriers: Vec<Carrier>) -> Self {
        let carriers: Vec<Carrier> =
            carriers.into_iter().filter(|carrier| *carrier != Carrier::Replay).collect();
        let state = if carriers.is_empty() {
            ConnectionState::Replaying
        } else {
            ConnectionState::Connecting { attempt: 1 }
        };
        Self {
            carriers,
            position: 0,
            proven: false,
            best: usize::MAX,
            shut: 0,
            backoff: Backoff::default(),
            renewable: false,
            renewed: false,
            refused: false,
            hurried: 0,
            restarting: None,
            state,
        }
    }

    /// The state to show.
    pub fn state(&self) -> &ConnectionState {
        &self.state
    }

    /// The first step, and the one after a wait.
    pub fn next_step(&mut self) -> ConnectionStep {
        match self.state {
            ConnectionState::Closed { .. } => ConnectionStep::Stop,
            ConnectionState::Replaying => ConnectionStep::Connect(Carrier::Replay),
            _ => self.connect(),
        }
    }

    /// The carrier works and events will come: later attempts begin with it.
    pub fn opened(&mut self) {
        if matches!(self.state, ConnectionState::Connecting { .. }) {
            self.proven = true;
            self.best = self.best.min(self.position);
            (self.shut, self.hurried, self.restarting) = (0, 0, None);
            self.state = ConnectionState::Open;
        }
    }

    /// Sets the server's reconnection time, in milliseconds.
    pub fn set_server_retry(&mut self, server_retry_ms: Option<u64>) {
        self.backoff.set_server_retry(server_retry_ms);
    }

    /// Sets whether the page can give other credentials. If so, one attempt follows at once when they are refused.
    pub fn set_renewable(&mut self, renewable: bool) {
        self.renewable = renewable;
    }

    /// Whether the attempt that begins now needs other credentials than the last one. True once.
    pub fn take_credentials_refused(&mut self) -> bool {
        std::mem::take(&mut self.refused)
    }

    /// The connection ended, or could not be opened. `open_for_ms` is how long it was open (0 if
    /// never), `random` lies in 0..1.
    pub fn failed(&mut self, failure: &Failure, open_for_ms: u64, random: f64) -> ConnectionStep {
        if !matches!(self.state, ConnectionState::Connecting { .. } | ConnectionState::Open) {
            return ConnectionStep::Stop;
        }
        self.record_open_time(open_for_ms);
        self.restarting = match self.restarting {
            Some(failed) => Some(failed + 1).filter(|failed| *failed < RESTART_ATTEMPTS),
            // Not one that ends again and again.
            None => (failure.is_announced() && self.backoff.failures() == 0).then_some(0),
        };
        self.forget_working_carrier(failure);
        if self.may_renew_credentials(failure) {
            return self.connect();
        }
        if !self.proven {
            // Browsers don't say why a WebSocket did not open, so the next carrier is tried. Until one has
            // worked, every round starts with the best again.
            if *failure == Failure::NeverOpened && self.position + 1 < self.carriers.len() {
                self.position += 1;
                return self.connect();
            }
            self.position = 0;
        }
        match failure.verdict() {
            Verdict::Final(reason) => {
                self.state = ConnectionState::Closed { reason };
                ConnectionStep::Stop
            }
            Verdict::Retry { at_least_ms } => {
                if *failure != Failure::Silent {
                    self.hurried = self.hurried.min(IMMEDIATE_ATTEMPTS);
                }
                let hurries = self.hurried > 0 && at_least_ms.is_none() && *failure != Failure::Offline;
                self.hurried = self.hurried.saturating_sub(u32::from(hurries));
                if hurries && *failure == Failure::Silent {
                    return self.connect();
                }
                let restarts = self.restarting.is_some();
                let delay_ms = self.backoff.next_delay_ms(random, at_least_ms, restarts);
                if hurries {
                    return self.connect();
                }
                let attempt = self.backoff.failures();
                self.state = ConnectionState::Waiting { attempt, delay_ms };
                ConnectionStep::Wait { delay_ms }
            }
        }
    }

    /// Tries again at once, because a person asked for it or the network is back. `None`
    /// if there is nothing to do: the connection is open or being opened, there is no
    /// network involved, or the page has closed it.
    pub fn retry_now(&mut self) -> Option<ConnectionStep> {
        match &self.state {
            ConnectionState::Waiting { .. } => {}
            ConnectionState::Closed { reason } if *reason != ClosedReason::ByPage => {
                self.backoff.reset();
                self.renewed = false;
            }
            _ => return None,
        }
        Some(self.connect())
    }

    /// Somebody is back at the page, and its connections may have died: the next attempts follow without a wait, and none
    /// is waited for long.
    pub fn skip_waits(&mut self) {
        self.hurried = HURRIED_SILENT;
    }

    /// Whether the next attempts follow without a wait.
    pub fn skips_waits(&self) -> bool {
        self.hurried > 0
    }

    /// Whether the server has just announced that it ends, so that it may be back before anybody needs to know.
    pub fn is_quiet(&self) -> bool {
        self.restarting.is_some_and(|failed| failed < QUIET_ATTEMPTS)
    }

    /// How long opening may take, subscription included, in milliseconds. When somebody is back at the page it begins
    /// short and grows: a dead connection costs a second, and a slow network gets its time two attempts later.
    pub fn opening_ms(&self) -> u64 {
        match self.hurried {
            0 => OPENING_MS,
            1..=2 => 4_000,
            3..=4 => 2_000,
            _ => 1_000,
        }
    }

    /// The carrier of the present attempt or connection.
    pub fn carrier(&self) -> Option<Carrier> {
        self.carriers.get(self.position).copied()
    }

    /// The server refused what the connection is for, in whatever state that is. `None` if the failure is
    /// temporary, or the page has closed the connection. `open_for_ms` as for [`Policy::failed`].
    pub fn refused(&mut self, failure: &Failure, open_for_ms: u64) -> Option<ConnectionStep> {
        let Verdict::Final(reason) = failure.verdict() else { return None };
        if self.state == (ConnectionState::Closed { reason: ClosedReason::ByPage }) {
            return None;
        }
        self.record_open_time(open_for_ms);
        if self.may_renew_credentials(failure) {
            return Some(self.connect());
        }
        self.state = ConnectionState::Closed { reason };
        Some(ConnectionStep::Stop)
    }

    /// The page closes the connection for good.
    pub fn close(&mut self) {
        self.state = ConnectionState::Closed { reason: ClosedReason::ByPage };
    }

    /// A stable connection forgives what was before it.
    fn record_open_time(&mut self, open_for_ms: u64) {
        if self.backoff.record_open_time(open_for_ms) {
            self.renewed = false;
        }
    }

    /// Whether other credentials are tried now. They are tried once, so that a server that refuses them as well is
    /// not asked again and again.
    fn may_renew_credentials(&mut self, failure: &Failure) -> bool {
        self.refused =
            self.renewable && failure.refuses_credentials() && !std::mem::replace(&mut self.renewed, true);
        self.refused
    }

    /// Stops relying on what has worked, as the network may be another one: if WebSockets keep failing to
    /// open, or if a better carrier than the present one has worked before.
    fn forget_working_carrier(&mut self, failure: &Failure) {
        self.shut = match failure {
            // That a server which restarts is not there says nothing about the carrier.
            Failure::NeverOpened if self.restarting.is_some() => self.shut,
            Failure::NeverOpened => self.shut.saturating_add(1),
            _ => 0,
        };
        if self.shut >= SHUT_FOR_GOOD || self.position > self.best {
            self.proven = false;
        }
    }

    fn connect(&mut self) -> ConnectionStep {
        self.state = ConnectionState::Connecting { attempt: self.backoff.failures().saturating_add(1) };
        match self.carriers.get(self.position) {
            Some(carrier) => ConnectionStep::Connect(*carrier),
            None => ConnectionStep::Stop,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOCKET: Carrier = Carrier::WebSocket;
    const SSE: Carrier = Carrier::ServerSentEvents;

    fn lost() -> Failure {
        Failure::Socket { code: 1006, reason: String::new() }
    }

    #[test]
    fn a_refused_upgrade_falls_back_at_once_and_is_remembered() {
        let mut policy = Policy::new(vec![SOCKET, SSE]);
        assert_eq!(policy.next_step(), ConnectionStep::Connect(SOCKET));
        assert_eq!(policy.failed(&Failure::NeverOpened, 0, 0.5), ConnectionStep::Connect(SSE));
        assert_eq!(policy.state(), &ConnectionState::Connecting { attempt: 1 });
        policy.opened();
        assert_eq!(policy.failed(&Failure::Ended, 100, 1.0), ConnectionStep::Wait { delay_ms: 500 });
        assert_eq!(policy.next_step(), ConnectionStep::Connect(SSE));
    }

    #[test]
    fn while_nothing_works_every_round_begins_with_the_best() {
        let mut policy = Policy::new(vec![SOCKET, SSE]);
        policy.next_step();
        policy.failed(&Failure::NeverOpened, 0, 0.5);
        assert_eq!(policy.failed(&Failure::Network, 0, 1.0), ConnectionStep::Wait { delay_ms: 500 });
        assert_eq!(policy.state(), &ConnectionState::Waiting { attempt: 1, delay_ms: 500 });
        assert_eq!(policy.next_step(), ConnectionStep::Connect(SOCKET));
        assert_eq!(policy.state(), &ConnectionState::Connecting { attempt: 2 });
    }

    #[test]
    fn a_socket_that_worked_is_not_given_up_for_sse_at_once() {
        let mut policy = Policy::new(vec![SOCKET, SSE]);
        policy.next_step();
        policy.opened();
        assert_eq!(policy.failed(&lost(), 60_000, 1.0), ConnectionStep::Wait { delay_ms: 500 });
        for delay_ms in [1000, 2000] {
            assert_eq!(policy.next_step(), ConnectionStep::Connect(SOCKET));
            assert_eq!(policy.failed(&Failure::NeverOpened, 0, 1.0), ConnectionStep::Wait { delay_ms });
        }
        policy.next_step();
        policy.opened();
        assert_eq!(policy.failed(&lost(), 60_000, 1.0), ConnectionStep::Wait { delay_ms: 500 });
        assert_eq!(policy.next_step(), ConnectionStep::Connect(SOCKET), "it works again");
    }

    #[test]
    fn a_socket_that_is_shut_from_now_on_gives_way_to_sse_and_is_taken_again_when_it_opens() {
        let mut policy = Policy::new(vec![SOCKET, SSE]);
        policy.next_step();
        policy.opened();
        policy.failed(&lost(), 60_000, 1.0);
        for _ in 0..2 {
            policy.next_step();
            assert!(matches!(policy.failed(&Failure::NeverOpened, 0, 1.0), ConnectionStep::Wait { .. }));
        }
        policy.next_step();
        assert_eq!(policy.failed(&Failure::NeverOpened, 0, 1.0), ConnectionStep::Connect(SSE));
        policy.opened();
        assert!(matches!(policy.failed(&Failure::Broken, 60_000, 1.0), ConnectionStep::Wait { .. }));
        assert_eq!(
            policy.next_step(),
            ConnectionStep::Connect(SOCKET),
            "the next network may let it through"
        );
        assert_eq!(policy.failed(&Failure::NeverOpened, 0, 1.0), ConnectionStep::Connect(SSE));
        policy.opened();
        policy.failed(&Failure::Ended, 60_000, 1.0);
        policy.next_step();
        policy.opened();
        assert!(matches!(policy.failed(&lost(), 60_000, 1.0), ConnectionStep::Wait { .. }));
        assert_eq!(policy.next_step(), ConnectionStep::Connect(SOCKET));
    }

    #[test]
    fn final_failures_stop_until_a_person_asks() {
        let mut policy = Policy::new(vec![SSE]);
        policy.next_step();
        let failure = Failure::Http { status: 401, retry_after_ms: None };
        assert_eq!(policy.failed(&failure, 0, 0.5), ConnectionStep::Stop);
        assert_eq!(policy.state(), &ConnectionState::Closed { reason: ClosedReason::SignIn });
        assert_eq!(policy.next_step(), ConnectionStep::Stop);
        assert_eq!(policy.failed(&Failure::Network, 0, 0.5), ConnectionStep::Stop);
        assert_eq!(policy.retry_now(), Some(ConnectionStep::Connect(SSE)));
        assert_eq!(policy.retry_now(), None);
    }

    #[test]
    fn a_server_that_wants_a_sign_in_ends_it_wherever_it_stands() {
        let wants = Failure::Refused { reason: crate::protocol::ErrorReason::SignIn, message: String::new() };
        for waits in [false, true] {
            let mut policy = Policy::new(vec![SOCKET]);
            policy.next_step();
            if waits {
                policy.failed(&Failure::Network, 0, 1.0);
            } else {
                policy.opened();
            }
            assert_eq!(policy.refused(&Failure::Network, 0), None, "that passes");
            assert_eq!(policy.refused(&wants, 0), Some(ConnectionStep::Stop));
            assert_eq!(policy.state(), &ConnectionState::Closed { reason: ClosedReason::SignIn });
            assert_eq!(
                policy.retry_now(),
                Some(ConnectionStep::Connect(SOCKET)),
                "when somebody has signed in"
            );
            policy.close();
            assert_eq!(policy.refused(&wants, 0), None);
        }
    }

    #[test]
    fn other_credentials_are_tried_once_until_a_connection_was_stable() {
        let wants = Failure::Http { status: 401, retry_after_ms: None };
        let closed = ConnectionState::Closed { reason: ClosedReason::SignIn };
        let mut policy = Policy::new(vec![SOCKET, SSE]);
        policy.set_renewable(true);
        policy.next_step();
        policy.failed(&Failure::NeverOpened, 0, 0.5);
        assert!(!policy.take_credentials_refused());
        assert_eq!(
            policy.failed(&wants, 0, 0.5),
            ConnectionStep::Connect(SSE),
            "on the carrier that answered"
        );
        assert_eq!((policy.take_credentials_refused(), policy.take_credentials_refused()), (true, false));
        policy.opened();
        assert_eq!(policy.failed(&Failure::Ended, 60_000, 1.0), ConnectionStep::Wait { delay_ms: 500 });
        policy.next_step();
        assert_eq!(
            policy.refused(&wants, 0),
            Some(ConnectionStep::Connect(SSE)),
            "these had run out meanwhile"
        );
        assert!(policy.take_credentials_refused());
        policy.opened();
        assert_eq!(
            policy.refused(&wants, 100),
            Some(ConnectionStep::Stop),
            "the new ones are refused as well"
        );
        assert_eq!(policy.state(), &closed);
        assert!(!policy.take_credentials_refused());
        policy.retry_now();
        assert!(!policy.take_credentials_refused(), "a person may have changed something");
        assert_eq!(policy.failed(&wants, 0, 0.5), ConnectionStep::Connect(SSE));
        policy.close();
        assert_eq!(policy.refused(&wants, 60_000), None);
    }

    #[test]
    fn after_a_sleep_the_next_attempts_follow_at_once_and_are_not_waited_for_long() {
        let mut policy = Policy::new(vec![SSE]);
        policy.next_step();
        policy.opened();
        policy.skip_waits();
        assert_eq!(policy.failed(&Failure::Silent, 60_000, 1.0), ConnectionStep::Connect(SSE));
        for opening_ms in [1_000, 2_000, 2_000, 4_000, 4_000] {
            assert_eq!(policy.opening_ms(), opening_ms);
            assert_eq!(
                policy.failed(&Failure::Silent, 0, 1.0),
                ConnectionStep::Connect(SSE),
                "at once again"
            );
        }
        assert_eq!(policy.opening_ms(), OPENING_MS, "a slow network gets its time after that");
        assert_eq!(policy.failed(&Failure::Network, 0, 1.0), ConnectionStep::Wait { delay_ms: 500 });
        policy.skip_waits();
        policy.retry_now();
        for _ in 0..IMMEDIATE_ATTEMPTS {
            assert_eq!(
                policy.failed(&Failure::Network, 0, 1.0),
                ConnectionStep::Connect(SSE),
                "a server that answers"
            );
        }
        assert!(
            matches!(policy.failed(&Failure::Network, 0, 1.0), ConnectionStep::Wait { .. }),
            "is not pressed"
        );
        policy.skip_waits();
        assert_eq!(policy.retry_now(), Some(ConnectionStep::Connect(SSE)));
        policy.opened();
        assert_eq!(
            policy.failed(&Failure::Ended, 100, 1.0),
            ConnectionStep::Wait { delay_ms: 8_000 },
            "all is well again"
        );
    }

    #[test]
    fn haste_overrules_neither_the_server_nor_a_device_that_is_offline() {
        let busy = Failure::Http { status: 503, retry_after_ms: Some(7_000) };
        for failure in [busy, Failure::Offline] {
            let mut policy = Policy::new(vec![SSE]);
            policy.next_step();
            policy.skip_waits();
            assert!(matches!(policy.failed(&failure, 0, 1.0), ConnectionStep::Wait { .. }), "{failure:?}");
        }
    }

    #[test]
    fn closed_by_the_page_is_for_good() {
        let mut policy = Policy::new(vec![SSE]);
        policy.next_step();
        policy.close();
        policy.opened();
        assert_eq!((policy.retry_now(), policy.next_step()), (None, ConnectionStep::Stop));
        assert_eq!(policy.state().word(), "closed");
    }

    #[test]
    fn without_a_network_it_replays() {
        let mut policy = Policy::new(vec![Carrier::Replay]);
        assert_eq!(policy.next_step(), ConnectionStep::Connect(Carrier::Replay));
        assert_eq!(policy.failed(&Failure::Network, 0, 0.5), ConnectionStep::Stop);
        assert_eq!(policy.retry_now(), None);
        assert_eq!(policy.state().word(), "replaying");
    }

    #[test]
    fn a_retry_by_hand_keeps_the_count_so_that_a_dead_server_is_not_hammered() {
        let mut policy = Policy::new(vec![SSE]);
        policy.next_step();
        policy.failed(&Failure::Network, 0, 1.0);
        assert_eq!(policy.retry_now(), Some(ConnectionStep::Connect(SSE)));
        assert_eq!(policy.failed(&Failure::Network, 0, 1.0), ConnectionStep::Wait { delay_ms: 1000 });
    }

    #[test]
    fn a_server_that_says_that_it_ends_is_asked_again_soon_and_quietly() {
        let announced = Failure::Socket { code: 1001, reason: String::new() };
        let mut policy = Policy::new(vec![SOCKET, SSE]);
        policy.next_step();
        policy.opened();
        assert!(!policy.is_quiet());
        assert_eq!(policy.failed(&announced, 60_000, 1.0), ConnectionStep::Wait { delay_ms: 500 });
        assert!(policy.is_quiet());
        for (delay_ms, quiet) in [(1_000, true), (2_000, false), (2_000, false), (2_000, false)] {
            assert_eq!(policy.next_step(), ConnectionStep::Connect(SOCKET), "not by the next best way");
            assert_eq!(policy.failed(&Failure::NeverOpened, 0, 1.0), ConnectionStep::Wait { delay_ms });
            assert_eq!(policy.is_quiet(), quiet);
        }
        policy.next_step();
        policy.opened();
        assert!(!policy.is_quiet());
        policy.failed(&lost(), 60_000, 1.0);
        assert!(!policy.is_quiet(), "nobody announced that");
        for delay_ms in [1_000, 2_000, 4_000, 8_000] {
            policy.next_step();
            policy.opened();
            assert_eq!(
                policy.failed(&announced, 100, 1.0),
                ConnectionStep::Wait { delay_ms },
                "again and again"
            );
            assert!(!policy.is_quiet());
        }
    }

    #[test]
    fn a_server_that_does_not_come_back_is_not_pressed_and_is_looked_for_by_every_way() {
        let mut policy = Policy::new(vec![SOCKET, SSE]);
        policy.next_step();
        policy.opened();
        policy.failed(&Failure::Ended, 60_000, 1.0);
        let mut steps = Vec::new();
        for _ in 0..30 {
            if let ConnectionStep::Connect(carrier) = policy.next_step() {
                steps.push(carrier);
            }
            policy.failed(&Failure::NeverOpened, 0, 1.0);
        }
        assert!(steps[..RESTART_ATTEMPTS as usize].iter().all(|carrier| *carrier == SOCKET), "{steps:?}");
        assert_eq!(policy.failed(&Failure::Network, 0, 1.0), ConnectionStep::Stop, "it waits");
        assert!(
            matches!(policy.state(), ConnectionState::Waiting { delay_ms: 30_000, .. }),
            "{:?}",
            policy.state()
        );
    }
}
