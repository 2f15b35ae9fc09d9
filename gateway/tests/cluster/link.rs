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

/// The link. It ends when this is dropped.
pub struct Link {
    pub address: SocketAddr,
    state: watch::Sender<State>,
    target: Arc<Mutex<Option<SocketAddr>>>,
    listening: AbortHandle,
}

impl Link {
    /// It leads nowhere yet.
    pub async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = watch::Sender::new(State::Open);
        let target: Arc<Mutex<Option<SocketAddr>>> = Arc::default();
        let (seen, leads) = (state.subscribe(), Arc::clone(&target));
        let listening = tokio::spawn(async move {
            while let Ok((from, _)) = listener.accept().await {
                let target = *leads.lock().unwrap();
                if let Some(target) = target.filter(|_| *seen.borrow() != State::Cut) {
                    tokio::spawn(connect(from, target, seen.clone()));
                }
            }
        });
        Self { address, state, target, listening: listening.abort_handle() }
    }

    /// From now on connections go there.
    pub fn lead_to(&self, target: SocketAddr) {
        *self.target.lock().unwrap() = Some(target);
    }

    pub fn cut(&self) {
        self.state.send_replace(State::Cut);
    }

    pub fn still(&self) {
        self.state.send_replace(State::Still);
    }

    pub fn mend(&self) {
        self.state.send_replace(State::Open);
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.listening.abort();
        self.cut();
    }
}

async fn connect(from: TcpStream, target: SocketAddr, state: watch::Receiver<State>) {
    let mut cut = state.clone();
    let carry = async {
        let _ = state.clone().wait_for(|state| *state == State::Open).await;
        let Ok(to) = TcpStream::connect(target).await else { return };
        let ((near_in, near_out), (far_in, far_out)) = (from.into_split(), to.into_split());
        tokio::join!(copy(near_in, far_out, state.clone()), copy(far_in, near_out, state.clone()));
    };
    tokio::select! {
        () = carry => {}
        _ = cut.wait_for(|state| *state == State::Cut) => {}
    }
}

/// What one side had sent before it ended arrives all the same.
async fn copy(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, mut state: watch::Receiver<State>) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(count) = from.read(&mut bytes).await {
        let _ = state.wait_for(|state| *state != State::Still).await;
        if count == 0 || to.write_all(&bytes[..count]).await.is_err() {
            break;
        }
    }
    let _ = to.shutdown().await;
}
