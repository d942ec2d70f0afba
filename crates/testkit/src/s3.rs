//! Implements an S3 server on loopback for tests of object storage. It stores objects in a folder.
//!
//! The server checks signatures, returns the errors of S3, and can simulate outages. It uses s3s and s3s-fs,
//! which are independent of the tested client.
//!
//! Limitation: the server is not suitable for tests of durability or speed, because s3s-fs does not sync to
//! disk. Keys are file names, so `a` and `a/b` cannot both exist. Buckets are folders that the test must
//! create. Access policies are not checked.

use std::convert::Infallible;
use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyper::body::Incoming;
use hyper::{Response, StatusCode};
use s3s::Body;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s_fs::FileSystem;

use crate::background::Background;
use crate::connections::accept;

/// The credentials that the server accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keys {
    /// The access key, as in `AWS_ACCESS_KEY_ID`.
    pub access: String,
    /// The secret key, as in `AWS_SECRET_ACCESS_KEY`.
    pub secret: String,
}

impl Default for Keys {
    fn default() -> Self {
        Self { access: "testkit-access-key".into(), secret: "testkit-secret-key".into() }
    }
}

/// How the server responds to requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// The server responds like S3.
    Here,
    /// Every request gets 503 `SlowDown`.
    Away,
    /// This number of requests get 503 `SlowDown`. Then the server responds like S3.
    AwayFor(usize),
    /// Every write gets 403 `QuotaExceeded`.
    Full,
    /// The server accepts requests but never responds.
    Silent,
}

/// One request in the access log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct S3Request {
    /// The method, such as `PUT`.
    pub method: String,
    /// The path with its query, as sent.
    pub path: String,
    /// The status of the response, or 0 if there was no response.
    pub status: u16,
}

/// A running server. Dropping it stops the server, and later connections are refused.
#[derive(Debug)]
pub struct S3Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    server: Background,
}

struct Shared {
    folder: PathBuf,
    keys: Keys,
    service: S3Service,
    presence: Mutex<Presence>,
    log: Mutex<Vec<S3Request>>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// Serves the buckets in `folder` at `address`. Creates the folder if it is missing. If the port is 0, the
/// server uses a free port.
///
/// # Errors
/// The folder cannot be created, or the address cannot be bound.
pub fn serve(folder: &Path, address: SocketAddr, keys: Keys) -> io::Result<S3Server> {
    fs::create_dir_all(folder)?;
    let storage = FileSystem::new(folder).map_err(|error| io::Error::other(format!("{error:?}")))?;
    let mut service = S3ServiceBuilder::new(storage);
    service.set_auth(SimpleAuth::from_single(keys.access.clone(), keys.secret.clone()));
    let shared = Arc::new(Shared {
        folder: folder.to_owned(),
        keys,
        service: service.build(),
        presence: Mutex::new(Presence::Here),
        log: Mutex::default(),
    });
    let served = Arc::clone(&shared);
    let serve = move |listener, _, stopped| {
        accept(listener, stopped, move |request| respond(Arc::clone(&served), request))
    };
    let (address, server) = Background::start("s3", address, serve)?;
    Ok(S3Server { address, shared, server })
}

impl S3Server {
    /// Creates a bucket if it does not exist.
    ///
    /// # Errors
    /// The folder of the bucket cannot be created.
    pub fn make_bucket(&self, name: &str) -> io::Result<()> {
        fs::create_dir_all(self.shared.folder.join(name))
    }

    /// Returns the server's address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the environment variables that configure a client of this server.
    #[must_use]
    pub fn environment(&self) -> Vec<(String, String)> {
        environment(self.address, &self.shared.keys)
    }

    /// Sets how the server responds to later requests.
    pub fn set_presence(&self, presence: Presence) {
        *lock(&self.shared.presence) = presence;
    }

    /// Returns all requests so far, in order of arrival.
    #[must_use]
    pub fn requests(&self) -> Vec<S3Request> {
        lock(&self.shared.log).clone()
    }

    /// Blocks until the process ends.
    pub fn run(mut self) {
        self.server.join();
    }
}

/// Returns the environment variables that configure a client of a server at `address`.
#[must_use]
pub fn environment(address: SocketAddr, keys: &Keys) -> Vec<(String, String)> {
    let set = [
        ("AWS_ACCESS_KEY_ID", keys.access.as_str()),
        ("AWS_SECRET_ACCESS_KEY", keys.secret.as_str()),
        ("AWS_ENDPOINT_URL", &format!("http://{address}")),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ALLOW_HTTP", "true"),
    ];
    set.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic while the lock is held cannot make the value inconsistent.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn respond(
    shared: Arc<Shared>,
    request: hyper::Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    let path = request.uri().path_and_query().map_or("", |path| path.as_str()).to_owned();
    let place = shared.log(request.method().as_str(), &path);
    let answer = match shared.turn() {
        Presence::Here => shared.answer(request).await,
        Presence::Away | Presence::AwayFor(_) => {
            failure(StatusCode::SERVICE_UNAVAILABLE, "SlowDown", "Please reduce your request rate.")
        }
        Presence::Full if request.method() == hyper::Method::PUT => {
            failure(StatusCode::FORBIDDEN, "QuotaExceeded", "The quota of the bucket is used up.")
        }
        Presence::Full => shared.answer(request).await,
        Presence::Silent => std::future::pending().await,
    };
    lock(&shared.log)[place].status = answer.status().as_u16();
    Ok(answer)
}

impl Shared {
    fn log(&self, method: &str, path: &str) -> usize {
        let mut log = lock(&self.log);
        log.push(S3Request { method: method.into(), path: path.into(), status: 0 });
        log.len() - 1
    }

    fn turn(&self) -> Presence {
        let mut presence = lock(&self.presence);
        let now = *presence;
        *presence = match now {
            Presence::AwayFor(0 | 1) => Presence::Here,
            Presence::AwayFor(count) => Presence::AwayFor(count - 1),
            other => other,
        };
        if now == Presence::AwayFor(0) { Presence::Here } else { now }
    }

    async fn answer(&self, request: hyper::Request<Incoming>) -> Response<Body> {
        let path = request.uri().path().trim_start_matches('/');
        // Without this check, s3s-fs would create the bucket when an object is put into it.
        if let Some((bucket, _)) = path.split_once('/')
            && !self.folder.join(bucket).is_dir()
        {
            return failure(StatusCode::NOT_FOUND, "NoSuchBucket", "The specified bucket does not exist");
        }
        let answer = self.service.call(request.map(Body::from)).await;
        answer.unwrap_or_else(|_| {
            failure(StatusCode::INTERNAL_SERVER_ERROR, "InternalError", "It could not be read.")
        })
    }
}

fn failure(status: StatusCode, code: &str, message: &str) -> Response<Body> {
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>{code}</Code><Message>{message}</Message></Error>"
    );
    let mut answer = Response::new(Body::from(text));
    *answer.status_mut() = status;
    answer
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{Ipv4Addr, TcpStream};

    use super::*;

    fn get(address: SocketAddr, path: &str) -> io::Result<String> {
        let mut stream = TcpStream::connect(address)?;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    }

    #[test]
    fn it_is_there_away_and_gone() {
        let folder = std::env::temp_dir().join(format!("gleaner-testkit-s3-{}", std::process::id()));
        let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let server = serve(&folder, any, Keys::default()).unwrap();
        server.make_bucket("corpus").unwrap();
        let address = server.address();
        let status = |path| get(address, path).unwrap()[9..12].to_owned();
        assert_eq!(status("/corpus/a"), "403", "nothing is given without a signature");
        assert_eq!(status("/nowhere/a"), "404");
        server.set_presence(Presence::AwayFor(1));
        assert_eq!(status("/corpus/a"), "503");
        assert_eq!(status("/corpus/a"), "403");
        server.set_presence(Presence::Away);
        assert_eq!(status("/corpus/a"), "503");
        let statuses: Vec<u16> = server.requests().iter().map(|request| request.status).collect();
        assert_eq!(statuses, [403, 404, 503, 403, 503]);
        drop(server);
        assert!(TcpStream::connect(address).is_err());
        let server = serve(&folder, address, Keys::default()).unwrap();
        assert_eq!(status("/corpus/a"), "403");
        drop(server);
        fs::remove_dir_all(folder).unwrap();
    }
}
