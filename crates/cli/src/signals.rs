//! Ctrl-C and SIGTERM: the first asks the crawl to stop, the second ends at once.

use gleaner_crawl::Stop;
use tokio::runtime::Handle;

/// Listens for as long as the runtime lives.
pub(crate) fn listen(runtime: &Handle, stop: Stop, ask: impl Fn() + Send + 'static) {
    runtime.spawn(async move {
        asked().await;
        stop.ask();
        ask();
        asked().await;
        eprintln!("gleaner: ended at once; nothing that was stored is lost");
        std::process::exit(130);
    });
}

#[cfg(unix)]
async fn asked() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}

#[cfg(not(unix))]
async fn asked() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
