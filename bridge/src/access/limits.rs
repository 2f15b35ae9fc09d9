//! Owns how much one client may ask for: tries of a token, requests, messages, open streams. It
//! refuses to know what they ask.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// Messages of one WebSocket: a second, and at once after a rest.
pub const MESSAGES: Rate = Rate { a_second: 100.0, at_once: 200.0 };
/// POSTs of one address.
pub const POSTS: Rate = Rate { a_second: 100.0, at_once: 200.0 };
/// Wrong tokens of one address: ten, then one in six seconds.
pub const WRONG_TOKENS: Rate = Rate { a_second: 1.0 / 6.0, at_once: 10.0 };
/// WebSockets and event streams that are open at a time.
pub const MOST_STREAMS: usize = 1024;
/// Of these, WebSockets that have not signed in.
pub const MOST_STRANGERS: usize = 64;
/// How long one of those may stay.
pub const STRANGER_STAYS: Duration = Duration::from_secs(10);
/// Sessions that one WebSocket watches.
pub const MOST_SUBSCRIPTIONS: usize = 512;
/// Addresses whose tries are remembered.
const MOST_PEERS: usize = 4096;

/// So many a second, and so many at once after a rest.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// How fast they come back.
    pub a_second: f64,
    /// How many there are at most.
    pub at_once: f64,
}

/// Counts against a rate.
#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    rate: Rate,
    left: f64,
    seen: Instant,
}

/// The limit is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany {
    /// When it may be tried again.
    pub seconds: u64,
}

impl Bucket {
    /// A full one.
    pub fn new(rate: Rate) -> Self {
        Self { rate, left: rate.at_once, seen: Instant::now() }
    }

    /// Takes one out.
    pub fn take(&mut self) -> Result<(), TooMany> {
        self.look()?;
        self.left -= 1.0;
        Ok(())
    }

    /// Whether there is one to take.
    fn look(&mut self) -> Result<(), TooMany> {
        let now = Instant::now();
        let gained = now.duration_since(self.seen).as_secs_f64() * self.rate.a_second;
        (self.left, self.seen) = ((self.left + gained).min(self.rate.at_once), now);
        if self.left >= 1.0 {
            return Ok(());
        }
        let seconds = ((1.0 - self.left) / self.rate.a_second).ceil().max(1.0) as u64;
        Err(TooMany { seconds })
    }

    fn rested(&mut self) -> bool {
        self.look().is_ok() && self.left >= self.rate.at_once
    }
}

#[derive(Debug)]
struct Peer {
    wrong: Bucket,
    posts: Bucket,
}

/// What a gateway counts.
#[derive(Debug)]
pub struct Limits {
    peers: Mutex<HashMap<IpAddr, Peer>>,
    streams: Arc<Semaphore>,
    strangers: Arc<Semaphore>,
}

/// A place for an open stream; its drop frees it.
#[derive(Debug)]
pub struct Seat {
    _stream: OwnedSemaphorePermit,
    stranger: Option<OwnedSemaphorePermit>,
}

impl Seat {
    /// Who sits here has signed in.
    pub fn known(&mut self) {
        self.stranger = None;
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            peers: Mutex::default(),
            streams: Arc::new(Semaphore::new(MOST_STREAMS)),
            strangers: Arc::new(Semaphore::new(MOST_STRANGERS)),
        }
    }
}

impl Limits {
    /// Looks at a token, unless too many of this address were wrong. `Err(None)`: this one is.
    pub fn attempt<T>(&self, from: IpAddr, look: impl FnOnce() -> Option<T>) -> Result<T, Option<TooMany>> {
        self.with(from, |peer| {
            peer.wrong.look().map_err(Some)?;
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

    /// A place for a stream, where there is one.
    pub fn seat(&self, stranger: bool) -> Option<Seat> {
        let take = |places: &Arc<Semaphore>| Arc::clone(places).try_acquire_owned().ok();
        let stranger = if stranger { Some(take(&self.strangers)?) } else { None };
        Some(Seat { _stream: take(&self.streams)?, stranger })
    }

    fn with<T>(&self, from: IpAddr, act: impl FnOnce(&mut Peer) -> T) -> T {
        let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        let from = network(from);
        if peers.len() >= MOST_PEERS && !peers.contains_key(&from) {
            peers.retain(|_, peer| !(peer.wrong.rested() && peer.posts.rested()));
            if peers.len() >= MOST_PEERS {
                peers.clear();
            }
        }
        let new = || Peer { wrong: Bucket::new(WRONG_TOKENS), posts: Bucket::new(POSTS) };
        act(peers.entry(from).or_insert_with(new))
    }
}

/// One household has a whole network of IPv6 addresses.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6((u128::from(address) >> 64 << 64).into()),
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;
    use std::time::Duration;

    use super::{Bucket, Limits, MESSAGES, MOST_STRANGERS, TooMany};

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
        let elsewhere = IpAddr::from([192, 0, 2, 1]);
        assert_eq!(limits.attempt(elsewhere, || Some(1)), Ok(1));
        tokio::time::advance(Duration::from_secs(7)).await;
        assert_eq!(limits.attempt(HERE, || Some(1)), Ok(1));
    }

    #[tokio::test]
    async fn right_tokens_cost_nothing_and_neighbours_share() {
        let limits = Limits::default();
        assert!((0..100).all(|_| limits.attempt(HERE, || Some(())).is_ok()));
        let of = |last: u16| IpAddr::from([0x2001, 0xdb8, 0, 0, 0, 0, 0, last]);
        assert!((0..10).all(|last| limits.attempt(of(last), || None::<()>) == Err(None)));
        assert!(matches!(limits.attempt(of(99), || Some(())), Err(Some(_))));
    }

    #[tokio::test]
    async fn who_signs_in_makes_room_for_strangers() {
        let limits = Limits::default();
        let mut seats: Vec<_> = (0..MOST_STRANGERS).map(|_| limits.seat(true).unwrap()).collect();
        assert!(limits.seat(true).is_none() && limits.seat(false).is_some());
        seats[0].known();
        assert!(limits.seat(true).is_some());
    }
}
