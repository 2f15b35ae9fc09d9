//! Web Push: tells people's devices when a session waits for somebody (RFC 8030, 8291, 8292).
//!
//! Reading order: [`subscription`] (a device, and what its person chose) → [`endpoint`] (what is ever sent to) → [`visible`]
//! (who sees what on a page) → [`decide`] (who is told what, and when) → [`payload`] (the words) → [`delivery`] (on the
//! wire, with the [`keys`]) → [`follow`], which looks at the sessions and puts these together. [`store`] is the file of what is
//! kept.

pub mod decide;
pub mod delivery;
pub mod endpoint;
pub mod follow;
pub mod keys;
pub mod payload;
pub mod store;
pub mod subscription;
pub mod visible;

use std::path::Path;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tracing::error;

use crate::access::Access;
use crate::access::person::Person;
use crate::agents::secrets::Secrets;
use crate::sessions::Sessions;
use decide::{Input, Timing};
use endpoint::PushServices;
use follow::Follower;
use keys::Keys;
use subscription::{Device, Offer, PushContext, Wishes};
use visible::{VisiblePage, VisiblePages};

/// How push works.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Push services besides the browsers' own: their origins.
    pub origins: Vec<String>,
    /// How long things take.
    pub timing: Timing,
}

impl Default for Settings {
    fn default() -> Self {
        let timing = Timing { settle: Duration::from_secs(1), window: Duration::from_secs(10) };
        Self { origins: Vec::new(), timing }
    }
}

/// Why a device can't subscribe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Push does not work here; the sentence says why.
    Off(String),
    /// The subscription can't be used; the sentence says why.
    Wrong(String),
    /// There are too many.
    Full,
    /// It can't be written down.
    NotKept,
}

/// What is done about a subscription, one after another.
#[derive(Debug)]
pub enum Command {
    /// Something to decide about.
    Input(Input),
    /// A device subscribes.
    Subscribe(Box<Device>, oneshot::Sender<Result<(), Refused>>),
    /// The device with this endpoint gets a test message; the answer is whether there is such a device.
    Test(String, oneshot::Sender<bool>),
    /// The device with this endpoint does not want to be told any more.
    Unsubscribe(String, oneshot::Sender<()>),
}

/// Push, as the routes use it. Clones share one state.
#[derive(Clone, Debug)]
pub struct Push {
    /// The reason where it does not work.
    context: Result<PushContext, String>,
    commands: mpsc::UnboundedSender<Command>,
    visible: VisiblePages,
}

impl Push {
    /// Push for these sessions, and what follows them. Keys and subscriptions are kept in the folder; without one only as
    /// long as the gateway runs. If they can't be read there, push does not work and says why.
    pub fn open(
        settings: &Settings,
        folder: Option<&Path>,
        sessions: Sessions,
        access: Access,
        secrets: Secrets,
    ) -> (Self, Option<Follower>) {
        let (commands, incoming) = mpsc::unbounded_channel();
        let visible = VisiblePages::new(commands.clone());
        let opened = || -> Result<_, String> {
            let services = PushServices::new(&settings.origins)?;
            let unreadable = |error| format!("push does not work here: its files can't be used: {error}");
            let keys = Keys::open(folder).map_err(unreadable)?;
            let context = PushContext { access, services, key: keys.public().to_owned() };
            let watched = (sessions, secrets);
            let follower = Follower::open(settings.timing, folder, keys, context.clone(), watched, incoming);
            Ok((context, follower.map_err(unreadable)?))
        };
        match opened() {
            Ok((context, follower)) => (Self { context: Ok(context), commands, visible }, Some(follower)),
            Err(why) => {
                error!("{why}");
                (Self { context: Err(why), commands, visible }, None)
            }
        }
    }

    /// The gateway's public key, for which browsers subscribe.
    pub fn key(&self) -> Result<&str, Refused> {
        self.context.as_ref().map(|known| known.key.as_str()).map_err(|why| Refused::Off(why.clone()))
    }

    /// A page of which nothing is visible yet.
    pub fn page(&self) -> VisiblePage {
        self.visible.page()
    }

    /// Subscribes a device of this person, or changes what the person chose for it. Returns what holds from now on.
    pub async fn subscribe(&self, offer: Offer, person: &Person) -> Result<Wishes, Refused> {
        let known = self.context.as_ref().map_err(|why| Refused::Off(why.clone()))?;
        let record = offer.record(person, known, follow::now()).map_err(Refused::Wrong)?;
        let device = record.device(&known.services).map_err(Refused::Wrong)?;
        let wishes = device.record.wishes.clone();
        let (answer, answered) = oneshot::channel();
        let ends = || Refused::Off("the gateway ends".to_owned());
        self.commands.send(Command::Subscribe(Box::new(device), answer)).map_err(|_| ends())?;
        answered.await.map_err(|_| ends())?.map(|()| wishes)
    }

    /// Sends a test message to the device with this endpoint; false if no device of it is told.
    pub async fn test(&self, endpoint: String) -> bool {
        let (answer, answered) = oneshot::channel();
        self.commands.send(Command::Test(endpoint, answer)).is_ok() && answered.await.unwrap_or(false)
    }

    /// Forgets the device with this endpoint. Who knows the endpoint has the device.
    pub async fn unsubscribe(&self, endpoint: String) {
        let (answer, answered) = oneshot::channel();
        if self.commands.send(Command::Unsubscribe(endpoint, answer)).is_ok() {
            let _ = answered.await; // the gateway ends
        }
    }
}
