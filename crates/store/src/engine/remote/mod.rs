//! Reads the records of a folder that another process has open.
//!
//! The process that has a data folder open serves its records over a Unix domain socket in the folder
//! ([`server`]). Other processes read through the socket ([`Remote`]). They also see committed changes that
//! are not flushed yet. If the serving process ends, a reader opens the folder itself, or connects to the
//! next process that opens it.
//!
//! Each request and each response is one message. A message consists of its length in bytes (four bytes,
//! big-endian) and MessagePack data.

mod client;
mod server;

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Range;
use crate::records::{decode, encode};

pub(crate) use client::Remote;
pub(crate) use server::Server;

/// Version of the messages. Processes with different versions do not exchange messages.
const VERSION: u32 = 3;

/// Maximum number of pairs in one response to a scan. A response also ends after `PIECE_BYTES` bytes.
const PIECE: usize = 1024;
const PIECE_BYTES: usize = 1 << 20;

/// Maximum length of a message in bytes. The largest records are raw pages.
const LONGEST: usize = 1 << 30;

const SOCKET: &str = "read.socket";

#[derive(Debug, Serialize, Deserialize)]
enum Request {
    Version,
    Get(Vec<Vec<u8>>),
    /// Requests the first pairs of a range.
    Scan(Range),
    Firsts(Vec<Vec<u8>>),
}

/// A key and its value, or the reason why only this record is unreadable.
type ReadPair = (Vec<u8>, Result<Vec<u8>, String>);

#[derive(Debug, Serialize, Deserialize)]
enum Response {
    Version(u32),
    Values(Vec<Option<Vec<u8>>>),
    /// Pairs of a range, and whether they include the last pair of the range.
    Pairs(Vec<ReadPair>, bool),
    /// The record with this key is unreadable, but others are readable. Contains the reason.
    Unreadable(Vec<u8>, String),
    Closed,
    /// The store cannot be read. Contains the reason.
    Failed(String),
}

fn send(message: &impl Serialize, to: &mut impl Write) -> io::Result<()> {
    let bytes = encode(message);
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    to.write_all(&length.to_be_bytes())?;
    to.write_all(&bytes)
}

fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<T> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_be_bytes(length) as usize;
    if length > LONGEST {
        return Err(io::Error::other("the message is too long"));
    }
    let mut bytes = Vec::new();
    from.take(length as u64).read_to_end(&mut bytes)?;
    decode("a message", &bytes).map_err(io::Error::other)
}

/// The address of a folder's socket. The path of a socket may have at most 107 bytes. If the path is longer, the
/// address uses a file descriptor of the opened folder.
struct Address {
    path: PathBuf,
    #[expect(dead_code, reason = "the path is valid while the folder is open")]
    folder: Option<File>,
}

impl Address {
    fn in_folder(folder: &Path) -> io::Result<Self> {
        let path = folder.join(SOCKET);
        if path.as_os_str().as_bytes().len() < 100 {
            return Ok(Self { path, folder: None });
        }
        let open = File::open(folder)?;
        let path = PathBuf::from(format!("/proc/self/fd/{}/{SOCKET}", open.as_raw_fd()));
        Ok(Self { path, folder: Some(open) })
    }
}
