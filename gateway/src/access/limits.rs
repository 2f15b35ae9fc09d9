//! Limits on what one client may ask for: wrong tokens, requests, messages, open streams.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::Role;
use super::metered::Allowance;

/// The rate of messages on one WebSocket.
pub const MESSAGES: Rate = Rate { a_second: 100.0, at_once: 200.0 };
/// The rate of POST requests from one address.
pub const POSTS: Rate = Rate { a_second: 100.0, at_once: 200.0 };
/// The rate of wrong tokens from one address: ten, then one every six seconds.
pub const WRONG_TOKENS: Rate = Rate { a_second: 1.0 / 6.0, at_once: 10.0 };
/// In bytes. The five images of 3 MiB that a model takes have room, in base64 and with a text.
pub const LARGEST_MESSAGE: usize = 24 << 20;
/// How many of the streams may be WebSockets that have not signed in.
pub const MOST_STRANGERS: usize = 64;
/// In bytes, the longest message of a client that is not an operator. Who only watches has little to say.
pub const LARGEST_OF_GUEST: usize = 64 << 10;
/// In bytes, how much is read of a WebSocket that has not signed in, and of a viewer's between the ends of two messages.
/// A message that is too long is refused when its end has been received.
pub const MOST_OF_GUEST: usize = 1 << 20;
/// How long a WebSocket may stay without signing in.
pub const STRANGER_STAYS: Duration = Duration::from_secs(10);
/// In bytes, how much of their answers viewers may leave unread, all together. A short call may ask for a whole log.
pub const MOST_UNREAD: usize = 256 << 20;
/// How many addresses are remembered.
const MOST_PEERS: usize = 4096;

/// How much may be open at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// How many WebSockets and event streams.
    pub streams: usize,
    /// How many sessions one WebSocket may watch.
    pub subscriptions: usize,
}

impl Default for Capacity {
    fn default() -> Self {
        Self { streams: 1024, subscriptions: 512 }
    }
}

impl Capacity {
    /// How many of the streams are for operators only, so that viewers can't keep them out.
    fn for_operators(self) -> usize {
        self.streams / 4
    }

    /// How many connections may be open, streams or not. Further ones wait until one of them ends.
    pub fn connections(self) -> usize {
        self.streams * 4
    }

    /// How many of them may be from one other machine (IPv6: one /64), so that it can't keep out all others. A proxy may be on this
    /// machine, so its own addresses may have all.
    pub fn connections_from_one(self) -> usize {
        self.streams
    }
}

/// In bytes, the longest message of a client in this role.
pub fn largest(role: Role) -> usize {
    match role {
        Role::Operator => LARGEST_MESSAGE,
        Role::Viewer => LARGEST_OF_GUEST,
    }
}

/// A rate limit: so many a second, and so many at once after a rest.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// How many are allowed a second.
    pub a_second: f64,
    /// How many are allowed at once after a rest.
    pub at_once: f64,
}

/// A token bucket: counts against a [`Rate`].
#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    rate: Rate,
    left: f64,
    seen: Instant,
}

/// The limit is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany {
    /// How many seconds to wait.
    pub seconds: u64,
}

impl Bucket {
    /// A full bucket.
    pub fn new(rate: Rate) -> Self {
        Self { rate, left: rate.at_once, seen: Instant::now() }
    }

    /// Takes one from the bucket.
    pub fn take(&mut self) -> Result<(), TooMany> {
        self.refill()?;
        self.left -= 1.0;
        Ok(())
    }

    /// Refills the bucket for the time that has passed, and says whether one can be taken.
    fn refill(&mut self) -> Result<(), TooMany> {
        let now = Instant::now();
        let gained = now.duration_since(self.seen).as_secs_f64() * self.rate.a_second;
        (self.left, self.seen) = ((self.left + gained).min(self.rate.at_once), now);
        if self.left >= 1.0 {
            return Ok(());
        }
        let seconds = ((1.0 - self.left) / self.rate.a_second).ceil().max(1.0) as u64;
        Err(TooMany { seconds })
    }

    fn is_full(&mut self) -> bool {
        self.refill().is_ok() && self.left >= self.rate.at_once
    }
}

#[derive(Debug)]
struct Peer {
    wrong: Bucket,
    posts: Bucket,
}

/// The counters of one gateway.
#[derive(Debug)]
pub struct Limits {
    capacity: Capacity,
    peers: Mutex<HashMap<IpAddr, Peer>>,
    streams: Arc<Semaphore>,
    guests: Arc<Semaphore>,
    strangers: Arc<Semaphore>,
    unread: Arc<AtomicUsize>,
}

/// An answer to a viewer that has not been sent to its end; dropping it makes room for others.
#[derive(Debug)]
pub struct UnreadAnswer {
    all: Arc<AtomicUsize>,
    bytes: usize,
}

impl Drop for UnreadAnswer {
    fn drop(&mut self) {
        self.all.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// A slot for an open stream; dropping it frees the slot.
#[derive(Debug)]
pub struct StreamSlot {
    _stream: OwnedSemaphorePermit,
    /// Among those who are not operators, and how much is read of it.
    guest: Option<(OwnedSemaphorePermit, Allowance)>,
    stranger: Option<OwnedSemaphorePermit>,
}

impl StreamSlot {
    /// Frees the slot among the clients that have not signed in, because this one has, in this role.
    pub fn signed_in(&mut self, role: Role) {
        self.stranger = None;
        match role {
            Role::Operator => self.lift_limit(),
            Role::Viewer => self.message_ended(),
        }
    }

    /// A message has come to its end. Another one may follow, if the client has signed in.
    pub fn message_ended(&self) {
        if let (Some((_, allowance)), None) = (&self.guest, &self.stranger) {
            allowance.limit(MOST_OF_GUEST);
        }
    }

    fn lift_limit(&mut self) {
        if let Some((_, allowance)) = self.guest.take() {
            allowance.lift_limit();
        }
    }
}

impl Drop for StreamSlot {
    /// The connection may serve other requests if it did not become a WebSocket.
    fn drop(&mut self) {
        self.lift_limit();
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::new(Capacity::default())
    }
}

impl Limits {
    /// Nothing is open yet.
    pub fn new(capacity: Capacity) -> Self {
        Self {
            capacity,
            peers: Mutex::default(),
            streams: Arc::new(Semaphore::new(capacity.streams)),
            guests: Arc::new(Semaphore::new(capacity.streams - capacity.for_operators())),
            strangers: Arc::new(Semaphore::new(MOST_STRANGERS)),
            unread: Arc::default(),
        }
    }

    /// How many WebSockets and event streams are open.
    pub fn open_streams(&self) -> usize {
        self.capacity.streams.saturating_sub(self.streams.available_permits())
    }

    /// How much may be open.
    pub fn capacity(&self) -> Capacity {
        self.capacity
    }

    /// Runs `look` on a token, unless too many tokens from this address were wrong. `Err(None)`: this one is
    /// wrong.
    pub fn attempt<T>(&self, from: IpAddr, look: impl FnOnce() -> Option<T>) -> Result<T, Option<TooMany>> {
        self.with(from, |peer| {
            peer.wrong.refill().map_err(Some)?;
            look().ok_or_else(|| {
                peer.wrong.left -= 1.0;
                None
            })
        })
    }

    /// Counts a POST.
    pub fn post(&self, from: IpAddr) -> Result<(), TooMany> {
        self.with(from, |peer| peer.posts.take())
    }

    /// A slot for a stream, if one is free. Without a role the client has not signed in. Little is read of a client that is no
    /// operator.
    pub fn take_slot(&self, role: Option<Role>, allowance: &Allowance) -> Option<StreamSlot> {
        let take = |places: &Arc<Semaphore>| Arc::clone(places).try_acquire_owned().ok();
        let guest = if role == Some(Role::Operator) { None } else { Some(take(&self.guests)?) };
        let stranger = if role.is_none() { Some(take(&self.strangers)?) } else { None };
        let stream = take(&self.streams)?;
        let guest = guest.map(|place| {
            allowance.limit(MOST_OF_GUEST);
            (place, allowance.clone())
        });
        Some(StreamSlot { _stream: stream, guest, stranger })
    }

    /// Whether viewers have left so much unread that they get nothing more.
    pub fn is_much_unread(&self) -> bool {
        self.unread.load(Ordering::Relaxed) >= MOST_UNREAD
    }

    /// Counts an answer of so many bytes to a viewer.
    pub fn count_unread(&self, bytes: usize) -> UnreadAnswer {
        self.unread.fetch_add(bytes, Ordering::Relaxed);
        UnreadAnswer { all: Arc::clone(&self.unread), bytes }
    }

    fn with<T>(&self, from: IpAddr, act: impl FnOnce(&mut Peer) -> T) -> T {
        let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        let from = network(from);
        if peers.len() >= MOST_PEERS && !peers.contains_key(&from) {
            peers.retain(|_, peer| !(peer.wrong.is_full() && peer.posts.is_full()));
            if peers.len() >= MOST_PEERS {
                peers.clear();
            }
        }
        let new = || Peer { wrong: Bucket::new(WRONG_TOKENS), posts: Bucket::new(POSTS) };
        act(peers.entry(from).or_insert_with(new))
    }
}

/// The address that counts: an IPv6 address counts as its /64 network, since one household has all of it.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6((u128::from(address) >> 64 << 64).into()),
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;
    use std::time::Duration;

    use super::{Allowance, Bucket, Capacity, Limits, MESSAGES, MOST_PEERS, MOST_STRANGERS, Role, TooMany};

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    #[tokio::test(start_paused = true)]
    async fn a_bucket_fills_again() {
        let mut bucket = Bucket::new(MESSAGES);
        assert_eq!((0..500).filter(|_| bucket.take().is_ok()).count(), 200);
        tokio::time::advance(Duration::from_millis(505)).await;
        assert_eq!((0..500).filter(|_| bucket.take().is_ok()).count(), 50);
    }

    #[tokio::test(start_paused = true)]
    async fn after_ten_wrong_tokens_even_the_right_one_waits() {
        let limits = Limits::default();
        for _ in 0..10 {
            assert_eq!(limits.attempt(HERE, || None::<()>), Err(None));
        }
        assert_eq!(limits.attempt(HERE, || Some(1)), Err(Some(TooMany { seconds: 6 })));
        tokio::time::advance(Duration::from_millis(4500)).await;
        assert_eq!(limits.attempt(HERE, || Some(1)), Err(Some(TooMany { seconds: 2 })));
        let elsewhere = IpAddr::from([192, 0, 2, 1]);
        assert_eq!(limits.attempt(elsewhere, || Some(1)), Ok(1));
        tokio::time::advance(Duration::from_secs(2)).await;
        assert_eq!(limits.attempt(HERE, || Some(1)), Ok(1));
    }

    #[tokio::test(start_paused = true)]
    async fn posts_from_one_address_are_limited() {
        let limits = Limits::default();
        assert_eq!((0..500).filter(|_| limits.post(HERE).is_ok()).count(), 200);
        assert_eq!(limits.post(HERE), Err(TooMany { seconds: 1 }));
        assert_eq!(limits.post(IpAddr::from([192, 0, 2, 1])), Ok(()));
    }

    fn wrong(limits: &Limits, from: IpAddr, times: usize) {
        (0..times).for_each(|_| assert_eq!(limits.attempt(from, || None::<()>), Err(None)));
    }

    fn remembered(limits: &Limits) -> usize {
        limits.peers.lock().unwrap().len()
    }

    /// An address that differs with the number.
    fn other(number: usize) -> IpAddr {
        IpAddr::from((0x0a00_0000 + u32::try_from(number).unwrap()).to_be_bytes())
    }

    #[tokio::test(start_paused = true)]
    async fn of_too_many_addresses_those_are_forgotten_that_need_not_wait() {
        let limits = Limits::default();
        wrong(&limits, HERE, 10);
        (1..MOST_PEERS).for_each(|number| assert_eq!(limits.post(other(number)), Ok(())));
        assert_eq!(remembered(&limits), MOST_PEERS);
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(limits.post(other(0)), Ok(()));
        assert_eq!(remembered(&limits), 2);
        assert!(matches!(limits.attempt(HERE, || Some(())), Err(Some(_))));
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_with_too_many_posts_is_remembered_although_its_tokens_were_right() {
        let limits = Limits::default();
        (0..200).for_each(|_| assert_eq!(limits.post(HERE), Ok(())));
        (1..MOST_PEERS).for_each(|number| assert_eq!(limits.attempt(other(number), || Some(())), Ok(())));
        assert_eq!(limits.post(other(0)), Ok(()));
        assert!(limits.post(HERE).is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn when_all_addresses_have_to_wait_only_a_new_one_makes_them_forgotten() {
        let limits = Limits::default();
        wrong(&limits, HERE, 10);
        (1..MOST_PEERS).for_each(|number| wrong(&limits, other(number), 1));
        assert!(matches!(limits.attempt(HERE, || Some(())), Err(Some(_))));
        wrong(&limits, other(0), 1);
        assert_eq!(remembered(&limits), 1);
    }

    #[tokio::test]
    async fn right_tokens_cost_nothing_and_neighbours_share() {
        let limits = Limits::default();
        assert!((0..100).all(|_| limits.attempt(HERE, || Some(())).is_ok()));
        let of = |last: u16| IpAddr::from([0x2001, 0xdb8, 0, 0, 0, 0, 0, last]);
        assert!((0..10).all(|last| limits.attempt(of(last), || None::<()>) == Err(None)));
        assert!(matches!(limits.attempt(of(99), || Some(())), Err(Some(_))));
        let next_network = IpAddr::from([0x2001, 0xdb8, 0, 1, 0, 0, 0, 1]);
        assert_eq!(limits.attempt(next_network, || Some(())), Ok(()));
    }

    #[tokio::test]
    async fn who_signs_in_makes_room_for_strangers() {
        let limits = Limits::default();
        let seat = |role| limits.take_slot(role, &Allowance::default());
        let mut seats: Vec<_> = (0..MOST_STRANGERS).map(|_| seat(None).unwrap()).collect();
        assert!(seat(None).is_none() && seat(Some(Role::Viewer)).is_some());
        seats[0].signed_in(Role::Viewer);
        assert!(seat(None).is_some());
    }

    #[tokio::test]
    async fn viewers_leave_streams_for_operators() {
        let limits = Limits::new(Capacity { streams: 1024, ..Capacity::default() });
        let seat = |role| limits.take_slot(role, &Allowance::default());
        let mut seats = vec![seat(None).unwrap(), seat(None).unwrap()];
        while let Some(another) = seat(Some(Role::Viewer)) {
            seats.push(another);
        }
        assert_eq!(seats.len(), 768);
        seats[0].signed_in(Role::Viewer);
        assert!(seat(None).is_none() && seat(Some(Role::Operator)).is_some());
        seats[1].signed_in(Role::Operator);
        assert!(seat(Some(Role::Viewer)).is_some());
    }
}
