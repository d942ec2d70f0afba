//! Runs a server on a thread and runtime of its own, for callers that are not async.

use std::io;
use std::net::SocketAddr;
use std::thread::JoinHandle;

use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// A running server. Dropping it stops the server.
#[derive(Debug)]
pub(crate) struct Background {
    stop: Option<oneshot::Sender<()>>,
    /// `None` for a server that runs in its caller's runtime.
    thread: Option<JoinHandle<()>>,
}

impl Background {
    /// Starts a server on a thread with this name. Returns the address of its listener, which `serve` gets too.
    /// The server must end when its receiver resolves.
    pub(crate) fn start<F: Future<Output = ()>>(
        name: &str,
        address: SocketAddr,
        serve: impl FnOnce(TcpListener, SocketAddr, oneshot::Receiver<()>) -> F + Send + 'static,
    ) -> io::Result<(SocketAddr, Self)> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        // The listener is bound outside the new runtime, which cannot be entered while another runtime is
        // running.
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let listener = {
            let _inside = runtime.enter();
            TcpListener::from_std(listener)?
        };
        let (stop, stopped) = oneshot::channel();
        let serve = move || runtime.block_on(serve(listener, address, stopped));
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(serve)?;
        Ok((address, Self { stop: Some(stop), thread: Some(thread) }))
    }

    /// Returns a server that runs in the caller's runtime and ends when the other end of `stop` resolves.
    pub(crate) const fn from_stop(stop: oneshot::Sender<()>) -> Self {
        Self { stop: Some(stop), thread: None }
    }

    /// Blocks until the server ends by itself.
    pub(crate) fn join(&mut self) {
        // An error means that the thread panicked. The message of the panic is already printed.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        let _ = self.stop.take().map(|stop| stop.send(()));
        self.join();
    }
}
