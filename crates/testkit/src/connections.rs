//! Implements the connection loop of every server in this crate.

use std::convert::Infallible;
use std::error::Error;
use std::future::Future;

use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

/// Accepts connections until `stopped` resolves. Then ends all connections.
pub(crate) async fn accept<R, A, B>(listener: TcpListener, mut stopped: oneshot::Receiver<()>, respond: R)
where
    R: Fn(Request<Incoming>) -> A + Clone + Send + 'static,
    A: Future<Output = Result<Response<B>, Infallible>> + Send + 'static,
    B: Body<Data: Send, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
{
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            _ = &mut stopped => return,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => {
                // An error means that the client closed the connection before it was accepted.
                let Ok((stream, _)) = accepted else { continue };
                // Without this option, a response with headers and a body takes 40 ms longer. An error is
                // harmless.
                let _ = stream.set_nodelay(true);
                let service = service_fn(respond.clone());
                connections.spawn(async move {
                    // An error means that the client closed the connection.
                    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service)
                        .with_upgrades()
                        .await;
                });
            }
        }
    }
}
