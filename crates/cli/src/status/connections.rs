//! Accepts connections, and limits their number and their time.
//!
//! axum's own loop has none of these limits: a client that opens connections and sends half a request would
//! use up the open files, which the crawl in the same process needs.
//!
//! Limitation: clients that keep all connections open delay other clients, each for a few seconds.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tracing::warn;

/// Maximum number of open connections. Others wait in the queue of the operating system, where they use no
/// open file. `gleaner` reserves more open files than this for all that is not a request of the crawl.
pub(crate) const MAX_CONNECTIONS: usize = 32;

/// Maximum time for the line and headers of a request, from the opening of the connection or from the end of
/// the last response. So it is also the time after which an idle connection is closed.
pub(crate) const MAX_HEAD_TIME: Duration = Duration::from_secs(5);

/// Maximum size of the line and headers of a request in bytes.
const MAX_HEAD_BYTES: usize = 64 << 10;

/// The age after which a connection takes no more requests.
pub(crate) const MAX_AGE: Duration = Duration::from_secs(60);

/// How long a connection of [`MAX_AGE`] may still send its last response. A download of
/// `/search.jsonl` may take this long.
pub(crate) const MAX_LAST_RESPONSE_TIME: Duration = Duration::from_secs(10 * 60);

/// Pause after a connection could not be accepted, such as for lack of open files.
const ACCEPT_PAUSE: Duration = Duration::from_secs(1);

/// Serves connections until the returned future is dropped, which also ends all connections.
pub(crate) async fn serve(listener: TcpListener, routes: Router) {
    let mut connections = JoinSet::new();
    loop {
        while connections.len() >= MAX_CONNECTIONS {
            connections.join_next().await;
        }
        tokio::select! {
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => drop(connections.spawn(connection(stream, routes.clone()))),
                Err(error) => not_accepted(&error).await,
            }
        }
    }
}

async fn not_accepted(error: &io::Error) {
    let is_of_client = matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused | io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset
    );
    if !is_of_client {
        warn!(%error, "the status page cannot accept a connection");
        sleep(ACCEPT_PAUSE).await;
    }
}

fn connection(stream: TcpStream, routes: Router) -> impl Future<Output = ()> {
    // Without this option, small responses would be delayed. A failure is harmless.
    let _ = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(MAX_HEAD_TIME)
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(routes));
    async move {
        let mut connection = pin!(connection);
        // The result is not used: an error means that the client closed the connection or broke the protocol.
        tokio::select! {
            _ = &mut connection => return,
            () = sleep(MAX_AGE) => connection.as_mut().graceful_shutdown(),
        }
        let _ = timeout(MAX_LAST_RESPONSE_TIME, connection).await;
    }
}
