//! A connection with limits of its own: how much is read of a client that has not signed in, and how long a client may
//! read nothing of what is sent to it.

use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// How long nothing of what is sent may be taken. A client that reads nothing would otherwise keep its place for ever.
pub const READER_PAUSES: Duration = Duration::from_mins(2);

/// How many more bytes are read of a connection. Clones share one count.
#[derive(Clone, Debug)]
pub struct Allowance(Arc<AtomicUsize>);

/// A connection that ends where its allowance is used up, and where nothing can be written for [`READER_PAUSES`].
#[derive(Debug)]
pub struct Metered<S> {
    stream: S,
    allowance: Allowance,
    /// Since when nothing can be written.
    stuck: Option<Pin<Box<Sleep>>>,
}

impl Default for Allowance {
    /// No limit.
    fn default() -> Self {
        Self(Arc::new(AtomicUsize::new(usize::MAX)))
    }
}

impl Allowance {
    /// Reads no more than this from now on.
    pub fn limit(&self, bytes: usize) {
        self.0.store(bytes, Ordering::Relaxed);
    }

    /// Lifts the limit.
    pub fn lift_limit(&self) {
        self.limit(usize::MAX);
    }

    /// Counts bytes that were read. Returns whether they were allowed.
    fn count_read(&self, bytes: usize) -> bool {
        let left = self.0.load(Ordering::Relaxed);
        if left != usize::MAX {
            self.0.store(left.saturating_sub(bytes), Ordering::Relaxed);
        }
        bytes <= left
    }
}

impl<S> Metered<S> {
    /// A connection with this allowance.
    pub fn new(stream: S, allowance: Allowance) -> Self {
        Self { stream, allowance, stuck: None }
    }

    /// Gives up where nothing could be written for too long.
    fn check_write_progress<T>(
        &mut self,
        written: Poll<io::Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stuck = None;
            return written;
        }
        let stuck = self.stuck.get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + READER_PAUSES)));
        ready!(stuck.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Metered<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(pin!(&mut self.stream).poll_read(context, buffer))?;
        if self.allowance.count_read(buffer.filled().len() - before) {
            return Poll::Ready(Ok(()));
        }
        Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Metered<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = pin!(&mut self.stream).poll_write(context, bytes);
        self.check_write_progress(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = pin!(&mut self.stream).poll_write_vectored(context, slices);
        self.check_write_progress(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        pin!(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        pin!(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
    use tokio::time::{Instant, sleep};

    use super::{Allowance, Metered, READER_PAUSES};

    #[tokio::test(start_paused = true)]
    async fn who_reads_slowly_is_served_and_who_reads_nothing_is_not() {
        let (mut client, server) = duplex(8);
        let mut server = Metered::new(server, Allowance::default());
        let written =
            tokio::spawn(async move { server.write_all(&[1; 40]).await.map_err(|error| error.kind()) });
        let begin = Instant::now();
        for _ in 0..3 {
            sleep(READER_PAUSES.mul_f32(0.9)).await;
            client.read_exact(&mut [0; 8]).await.unwrap();
        }
        assert_eq!(written.await.unwrap(), Err(ErrorKind::TimedOut));
        assert!(begin.elapsed() > READER_PAUSES.mul_f32(3.6), "{:?}", begin.elapsed());
    }

    #[tokio::test]
    async fn no_more_is_read_than_allowed_until_the_limit_is_lifted() {
        let (mut client, server) = duplex(64);
        let allowance = Allowance::default();
        let mut server = Metered::new(server, allowance.clone());
        client.write_all(&[1; 48]).await.unwrap();
        server.read_exact(&mut [0; 16]).await.unwrap();
        allowance.limit(16);
        server.read_exact(&mut [0; 16]).await.unwrap();
        assert_eq!(server.read(&mut [0; 8]).await.unwrap_err().kind(), ErrorKind::ConnectionAborted);
        allowance.lift_limit();
        client.write_all(&[1; 48]).await.unwrap();
        server.read_exact(&mut [0; 48]).await.unwrap();
    }
}
