//! Handles Ctrl-C and SIGTERM. The first signal requests a stop, and the second ends the process immediately.

use std::io;

use gleaner_crawl::StopRequest;
use tokio::runtime::{Builder, Handle, Runtime};

use crate::messages::print_message;

/// Handles signals until the runtime ends. Calls `on_first_signal` after the first signal.
pub(crate) fn listen(runtime: &Handle, stop: StopRequest, on_first_signal: impl Fn() + Send + 'static) {
    let _inside = runtime.enter();
    let Ok(mut signals) = Signals::new() else { return };
    runtime.spawn(async move {
        signals.next().await;
        stop.request();
        on_first_signal();
        signals.next().await;
        print_message("gleaner: stopped at once; the same command resumes");
        std::process::exit(130);
    });
}

/// Ends the process at the first signal, as long as the returned runtime exists. For work that a kill does not harm.
pub(crate) fn end_at_signal() -> Option<Runtime> {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().ok()?;
    let inside = runtime.enter();
    let mut signals = Signals::new().ok()?;
    runtime.spawn(async move {
        signals.next().await;
        print_message("gleaner: stopped while copying the store; a later run copies it");
        std::process::exit(130);
    });
    drop(inside);
    Some(runtime)
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
