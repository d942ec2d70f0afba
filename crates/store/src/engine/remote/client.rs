//! Reads a store through the process that has its folder open.

use std::collections::BTreeSet;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::{Address, ReadPair, Request, Response, VERSION, receive, send};
use crate::engine::{Batch, Engine, KeyValue, LostClaim, Range, Scan, in_pieces};
use crate::partitions::Partition;
use crate::{Store, StoreError, StoreOptions};

const PATIENCE: Duration = Duration::from_secs(60);

/// Number of attempts to reconnect or to open the folder after the serving process has ended.
const ATTEMPTS: u32 = 50;
const PAUSE: Duration = Duration::from_millis(100);

#[derive(Debug, Clone)]
pub(crate) struct Remote {
    source: Arc<Mutex<Source>>,
    folder: Arc<Path>,
    cache: u64,
}

#[derive(Debug)]
enum Source {
    Process(UnixStream),
    /// The folder itself, which this process opened after the serving process had ended.
    Folder(Store),
}

impl Remote {
    /// Connects to the process that has the folder open. Returns `None` if the process does not serve reads.
    pub(crate) fn connect(folder: &Path, cache: u64) -> Option<Self> {
        let source = Arc::new(Mutex::new(Source::Process(connect(folder).ok()?)));
        Some(Self { source, folder: folder.into(), cache })
    }

    fn call(&self, request: &Request) -> Result<Response, StoreError> {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let answered = match &mut *source {
                Source::Folder(store) => return super::server::respond(&*store.engine, request),
                Source::Process(stream) => exchange(stream, request),
            };
            match answered {
                Ok(Response::Failed(reason)) => return Err(self.failed(reason)),
                Ok(Response::Unreadable(key, reason)) => return Err(unreadable(&key, reason)),
                Ok(Response::Closed) => {}
                Ok(response) => return Ok(response),
                Err(error) if is_slow(&error) => {
                    return Err(self.failed(format!("it did not answer for {} s", PATIENCE.as_secs())));
                }
                Err(_) => {}
            }
            *source = self.next_source()?;
        }
    }

    fn next_source(&self) -> Result<Source, StoreError> {
        let mut last = None;
        for _ in 0..ATTEMPTS {
            match crate::open(&self.folder, &StoreOptions { cache: self.cache, create: false }) {
                Ok(writer) => return Ok(Source::Folder(writer.store())),
                Err(error @ StoreError::Busy { .. }) => last = Some(error),
                Err(error) => return Err(error),
            }
            if let Ok(stream) = connect(&self.folder) {
                return Ok(Source::Process(stream));
            }
            thread::sleep(PAUSE);
        }
        Err(last.expect("there was at least one attempt"))
    }

    fn failed(&self, reason: String) -> StoreError {
        StoreError::Remote { path: self.folder.to_path_buf(), reason }
    }

    fn unexpected(&self) -> StoreError {
        self.failed("it sent an unexpected answer".into())
    }
}

fn connect(folder: &Path) -> io::Result<UnixStream> {
    let mut stream = UnixStream::connect(&Address::in_folder(folder)?.path)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    match exchange(&mut stream, &Request::Version)? {
        Response::Version(VERSION) => Ok(stream),
        _ => Err(io::Error::other("it has another version")),
    }
}

fn exchange(stream: &mut UnixStream, request: &Request) -> io::Result<Response> {
    send(request, stream)?;
    receive(stream)
}

fn unreadable(key: &[u8], reason: String) -> StoreError {
    StoreError::unreadable(key, StoreError::UnreadableEntry { reason })
}

fn is_slow(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

impl Engine for Remote {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.get_all(&[key.to_vec()])?.into_iter().next().flatten())
    }

    fn get_all(&self, keys: &[Vec<u8>]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        match self.call(&Request::Get(keys.to_vec()))? {
            Response::Values(values) if values.len() == keys.len() => Ok(values),
            _ => Err(self.unexpected()),
        }
    }

    fn scan(&self, range: Range) -> Scan {
        let engine = self.clone();
        in_pieces(range, move |range| match engine.call(&Request::Scan(range.clone()))? {
            Response::Pairs(pairs, is_end) => {
                let rest = pairs.last().filter(|_| !is_end).map(|(last, _)| range.beyond(last));
                let pair = |(key, value): ReadPair| match value {
                    Ok(value) => Ok((key, value)),
                    Err(reason) => Err(unreadable(&key, reason)),
                };
                Ok((pairs.into_iter().map(pair).collect(), rest))
            }
            _ => Err(engine.unexpected()),
        })
    }

    fn first_keys(&self, prefixes: &[Vec<u8>]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        match self.call(&Request::Firsts(prefixes.to_vec()))? {
            Response::Values(values) if values.len() == prefixes.len() => Ok(values),
            _ => Err(self.unexpected()),
        }
    }

    fn commit(&self, _: Batch, _: BTreeSet<Partition>) -> Result<(), StoreError> {
        Err(self.failed("a process that only reads cannot write".into()))
    }

    fn exchange(&self, _: &[u8], _: Option<&[u8]>, _: Vec<KeyValue>) -> Result<bool, StoreError> {
        Err(self.failed("a process that only reads cannot write".into()))
    }

    fn flush(&self) -> Result<Vec<LostClaim>, StoreError> {
        Ok(Vec::new())
    }
}
