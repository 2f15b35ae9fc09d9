//! A connection between two programs that can be cut, or stand still, and be mended: a port on loopback behind which is
//! another.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::AbortHandle;

/// What becomes of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    /// Nothing gets through, and nothing is lost: as on a network that drops packets for a while.
    Still,
    /// Connections end, and none begins.
    Cut,
}

/// How the link is.
#[derive(Clone, Copy, Debug)]
struct Condition {
    state: State,
    /// Connections with a smaller number stand still in any case.
    held: u64,
    /// The number of the next connection.
    next: u64,
}

impl Condition {
    fn is_still(&self, number: u64) -> bool {
        self.state == State::Still || number < self.held
    }
}

/// The link. It ends when this is dropped.
pub struct Link {
    pub address: SocketAddr,
    condition: watch::Sender<Condition>,
    target: Arc<Mutex<Option<SocketAddr>>>,
    listening: AbortHandle,
}

impl Link {
    /// It leads nowhere yet.
    pub async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let condition = watch::Sender::new(Condition { state: State::Open, held: 0, next: 0 });
        let target: Arc<Mutex<Option<SocketAddr>>> = Arc::default();
        let (numbers, leads) = (condition.clone(), Arc::clone(&target));
        let listening = tokio::spawn(async move {
            while let Ok((from, _)) = listener.accept().await {
                let target = *leads.lock().unwrap();
                let Condition { state, next: number, .. } = *numbers.borrow();
                if let Some(target) = target.filter(|_| state != State::Cut) {
                    numbers.send_modify(|condition| condition.next += 1);
                    tokio::spawn(connect(from, target, number, numbers.subscribe()));
                }
            }
        });
        Self { address, condition, target, listening: listening.abort_handle() }
    }

    /// From now on connections go there.
    pub fn lead_to(&self, target: SocketAddr) {
        *self.target.lock().unwrap() = Some(target);
    }

    pub fn cut(&self) {
        self.condition.send_modify(|condition| condition.state = State::Cut);
    }

    pub fn still(&self) {
        self.condition.send_modify(|condition| condition.state = State::Still);
    }

    /// The connections that there are stand still; new ones don't.
    pub fn hold(&self) {
        self.condition.send_modify(|condition| condition.held = condition.next);
    }

    pub fn mend(&self) {
        self.condition.send_modify(|condition| (condition.state, condition.held) = (State::Open, 0));
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.listening.abort();
        self.cut();
    }
}

async fn connect(from: TcpStream, target: SocketAddr, number: u64, condition: watch::Receiver<Condition>) {
    let mut cut = condition.clone();
    let carry = async {
        let _ = condition.clone().wait_for(|condition| !condition.is_still(number)).await;
        let Ok(to) = TcpStream::connect(target).await else { return };
        let ((near_in, near_out), (far_in, far_out)) = (from.into_split(), to.into_split());
        tokio::join!(
            copy(near_in, far_out, number, condition.clone()),
            copy(far_in, near_out, number, condition.clone())
        );
    };
    tokio::select! {
        () = carry => {}
        _ = cut.wait_for(|condition| condition.state == State::Cut) => {}
    }
}

/// What one side had sent before it ended arrives all the same.
async fn copy(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    number: u64,
    mut condition: watch::Receiver<Condition>,
) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(count) = from.read(&mut bytes).await {
        let _ = condition.wait_for(|condition| !condition.is_still(number)).await;
        if count == 0 || to.write_all(&bytes[..count]).await.is_err() {
            break;
        }
    }
    let _ = to.shutdown().await;
}
