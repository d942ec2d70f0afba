//! Runs the asynchronous library on a separate thread. A caller passes a future and waits on a channel, so
//! calls may come from any thread.
//!
//! Limitation: signing and decryption use only one core.

use std::future::Future;
use std::io;
use std::sync::mpsc;
use std::thread;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

/// A thread that runs the asynchronous code of `object_store`. It ends when this value is dropped.
#[derive(Debug)]
pub(crate) struct RuntimeThread {
    handle: Handle,
    _running: oneshot::Sender<()>,
}

impl RuntimeThread {
    pub(crate) fn start() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (running, ended) = oneshot::channel();
        thread::Builder::new().name("objects".into()).spawn(move || {
            // The channel is closed when the thread should end, so an error is expected.
            let _ = runtime.block_on(ended);
        })?;
        Ok(Self { handle, _running: running })
    }

    /// Runs a future on the thread and waits for it. Returns `None` if the future panicked.
    pub(crate) fn wait<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Option<T> {
        let (sender, receiver) = mpsc::sync_channel(1);
        self.handle.spawn(async move {
            // An error means that the caller no longer waits.
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
        let engine = RuntimeThread::start().unwrap();
        assert_eq!(engine.wait(async { tokio::task::yield_now().await }), Some(()));
        assert_eq!(engine.wait(std::future::ready(7)), Some(7));
    }
}
