//! Serves the records of an open folder to processes that only read.

use std::fs;
use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::thread;

use tracing::debug;

use super::{Address, PIECE, PIECE_BYTES, Request, Response, VERSION, receive, send};
use crate::StoreError;
use crate::engine::{Engine, Range};

pub(crate) struct Server {
    address: Address,
    is_over: Arc<AtomicBool>,
}

impl Server {
    /// Starts the server. The server does not keep `engine` alive. Fails if the folder's file system does not
    /// support sockets.
    pub(crate) fn start(folder: &Path, engine: Weak<dyn Engine>) -> io::Result<Self> {
        let address = Address::in_folder(folder)?;
        // A killed process leaves its socket file behind. The caller has the lock, so nobody uses the socket.
        let _ = fs::remove_file(&address.path);
        let listener = UnixListener::bind(&address.path)?;
        let is_over = Arc::new(AtomicBool::new(false));
        let server = Self { address, is_over: Arc::clone(&is_over) };
        let accept = move || {
            for stream in listener.incoming() {
                if is_over.load(Ordering::Acquire) {
                    return;
                }
                let engine = Weak::clone(&engine);
                let answer = |stream| move || drop(answer(stream, &engine));
                let started = stream
                    .and_then(|stream| thread::Builder::new().name("reader".into()).spawn(answer(stream)));
                if let Err(error) = started {
                    debug!(%error, "another process cannot read the store");
                }
            }
        };
        thread::Builder::new().name("readers".into()).spawn(accept)?;
        Ok(server)
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("path", &self.address.path).finish()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Release);
        // This connection wakes the thread that waits for connections.
        let _ = UnixStream::connect(&self.address.path);
        let _ = fs::remove_file(&self.address.path);
    }
}

fn answer(mut stream: UnixStream, engine: &Weak<dyn Engine>) -> io::Result<()> {
    loop {
        let request: Request = receive(&mut stream)?;
        let Some(engine) = engine.upgrade() else { return send(&Response::Closed, &mut stream) };
        let response = respond(&*engine, &request);
        // The engine is released before the response is sent, because the reader may be slow.
        drop(engine);
        send(&response.unwrap_or_else(|error| failed(&error)), &mut stream)?;
    }
}

fn failed(error: &StoreError) -> Response {
    match error.unreadable_key() {
        Some(key) => Response::Unreadable(key, reason(error)),
        None => Response::Failed(error.to_string()),
    }
}

/// Returns why a record is unreadable, without its name and the advice.
fn reason(error: &StoreError) -> String {
    match error {
        StoreError::Lost { source, .. } => source.to_string(),
        StoreError::Unreadable { reason, .. } => reason.clone(),
        error => error.to_string(),
    }
}

pub(super) fn respond(engine: &dyn Engine, request: &Request) -> Result<Response, StoreError> {
    Ok(match request {
        Request::Version => Response::Version(VERSION),
        Request::Get(keys) => Response::Values(engine.get_all(keys)?),
        Request::Firsts(prefixes) => Response::Values(engine.first_keys(prefixes)?),
        Request::Scan(range) => scan(engine, range.clone())?,
    })
}

fn scan(engine: &dyn Engine, range: Range) -> Result<Response, StoreError> {
    let (mut pairs, mut bytes) = (Vec::new(), 0);
    for pair in engine.scan(range) {
        let (key, value) = match pair {
            Ok((key, value)) => (key, Ok(value)),
            Err(error) => match error.unreadable_key() {
                Some(key) => (key, Err(reason(&error))),
                None => return Err(error),
            },
        };
        bytes += key.len() + value.as_ref().map_or(0, Vec::len);
        pairs.push((key, value));
        if pairs.len() == PIECE || bytes > PIECE_BYTES {
            return Ok(Response::Pairs(pairs, false));
        }
    }
    Ok(Response::Pairs(pairs, true))
}
