//! Where the asynchronous library runs: a thread of its own. Whoever calls hands a future
//! over and waits on a channel, so a call may come from any thread.
//!
//! Limitation: it is one thread, and what it signs and decrypts is bound by one core.

use std::future::Future;
use std::io;
use std::sync::mpsc;
use std::thread;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

/// The thread; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Engine {
    handle: Handle,
    /// Closed when dropped, which is what the thread waits for.
    _running: oneshot::Sender<()>,
}

impl Engine {
    /// Starts it.
    ///
    /// # Errors
    /// The system has no thread or no socket poll left.
    pub(crate) fn start() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (running, ended) = oneshot::channel();
        thread::Builder::new().name("objects".into()).spawn(move || {
            // An error is how the end is told.
            let _ = runtime.block_on(ended);
        })?;
        Ok(Self { handle, _running: running })
    }

    /// Runs a future there and waits for it; `None`: it panicked.
    pub(crate) fn wait<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Option<T> {
        let (sender, receiver) = mpsc::sync_channel(1);
        self.handle.spawn(async move {
            // An error means that nobody waits any more.
            let _ = sender.send(future.await);
        });
        receiver.recv().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn it_is_called_from_within_a_runtime_and_dropped_there() {
        let engine = Engine::start().unwrap();
        assert_eq!(engine.wait(async { tokio::task::yield_now().await }), Some(()));
        assert_eq!(engine.wait(std::future::ready(7)), Some(7));
    }
}
