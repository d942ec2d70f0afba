//! Delays the bytes of TCP connections, as a network with a long round trip does.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use crate::background::Background;

/// A proxy that forwards TCP connections to a server. Each byte arrives later by the same time, in both
/// directions. The bandwidth is not limited. Dropping the proxy closes the connections.
#[derive(Debug)]
pub struct DelayingProxy {
    address: SocketAddr,
    _server: Background,
}

impl DelayingProxy {
    /// Starts a proxy on a free port of `127.0.0.1`. `delay` is the delay in each direction.
    ///
    /// # Errors
    /// No port can be bound, or the thread cannot be started.
    pub fn start(server: SocketAddr, delay: Duration) -> io::Result<Self> {
        let serve = move |listener, _, stopped| accept(listener, stopped, server, delay);
        let (address, server) = Background::start("delaying proxy", (Ipv4Addr::LOCALHOST, 0).into(), serve)?;
        Ok(Self { address, _server: server })
    }

    /// Returns the address of the proxy.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }
}

async fn accept(
    listener: TcpListener,
    mut stopped: oneshot::Receiver<()>,
    server: SocketAddr,
    delay: Duration,
) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            _ = &mut stopped => return,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => {
                // An error means that the client closed the connection before it was accepted.
                let Ok((client, _)) = accepted else { continue };
                connections.spawn(async move {
                    // If the server refuses the connection, the client's connection is closed.
                    if let Ok(server) = TcpStream::connect(server).await {
                        connect(client, server, delay).await;
                    }
                });
            }
        }
    }
}

async fn connect(client: TcpStream, server: TcpStream, delay: Duration) {
    for stream in [&client, &server] {
        // An error is harmless: the bytes only arrive later.
        let _ = stream.set_nodelay(true);
    }
    let (client, server) = (client.into_split(), server.into_split());
    tokio::join!(forward(client.0, server.1, delay), forward(server.0, client.1, delay));
}

/// Forwards bytes in one direction until one side closes the connection.
async fn forward(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, delay: Duration) {
    let (sender, mut waiting) = mpsc::unbounded_channel::<(Instant, Vec<u8>)>();
    let read = async move {
        let mut buffer = vec![0; 64 << 10];
        while let Ok(length @ 1..) = from.read(&mut buffer).await {
            if sender.send((Instant::now() + delay, buffer[..length].to_vec())).is_err() {
                break;
            }
        }
    };
    let write = async move {
        while let Some((due, bytes)) = waiting.recv().await {
            sleep_until(due).await;
            if to.write_all(&bytes).await.is_err() {
                return;
            }
        }
        // An error means that the connection is already closed.
        let _ = to.shutdown().await;
    };
    tokio::join!(read, write);
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{Shutdown, TcpListener, TcpStream};

    use super::*;

    #[test]
    fn bytes_arrive_late_and_in_order() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = listener.local_addr().unwrap();
        let echo = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut received = Vec::new();
            stream.read_to_end(&mut received).unwrap();
            stream.write_all(&received).unwrap();
        });
        let delay = Duration::from_millis(20);
        let proxy = DelayingProxy::start(server, delay).unwrap();
        let mut stream = TcpStream::connect(proxy.address()).unwrap();
        let begun = Instant::now();
        let sent: Vec<u8> = (0..200_000_u32).flat_map(u32::to_le_bytes).collect();
        stream.write_all(&sent).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut received = Vec::new();
        stream.read_to_end(&mut received).unwrap();
        echo.join().unwrap();
        assert!(received == sent, "{} bytes", received.len());
        assert!(begun.elapsed() >= 2 * delay);
    }
}
