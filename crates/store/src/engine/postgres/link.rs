//! Provides a connection to the database. It can be used from any thread, and is restored when it breaks.
//!
//! The driver is asynchronous, but the interface of a store is not. A small runtime runs the driver, and the
//! caller waits for the result on a channel. Therefore a store can be read even from threads of another
//! runtime.
//!
//! Every attempt has a time limit. An attempt is repeated if the server is unavailable, shuts down, has
//! become a standby, or rolled back the transaction because of another transaction. Attempts end when the time
//! for retries is over. A failed attempt may have taken effect, so all work must be idempotent.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use gleaner_http::retry::Backoff;
use tokio::runtime::Handle;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error, Row, Statement};
use tracing::{info, warn};

use super::address::Address;
use crate::StoreError;

const LIMIT: Duration = Duration::from_secs(60);
const PAUSES: Backoff = Backoff::exact(Duration::from_millis(50), Duration::from_secs(2));

/// A prepared statement keeps its plan, so a plan for a small table must not read the whole table. If a plan
/// must do so, the server then estimates a high cost, and must not compile the plan because of it.
const INDEXES_ONLY: &str = "SET enable_seqscan = off; SET jit = off";

const NO_PASSWORD: &str =
    "it wants a password, and none is given: set PGPASSWORD, or PGPASSWORD_FILE to a file that has it";

/// Work that uses a connection.
pub(crate) type ConnectionWork<T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send>>;

#[derive(Clone)]
pub(crate) struct ReconnectPolicy {
    pub(crate) at_most: Duration,
    /// Called between two attempts. It returns `true` if the process should end.
    pub(crate) should_stop: Arc<dyn Fn() -> bool + Send + Sync>,
}

impl std::fmt::Debug for ReconnectPolicy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Patience({:?})", self.at_most)
    }
}

/// A connection that prepares each statement once, because the same few statements are repeated.
pub(crate) struct Connection {
    client: Client,
    prepared: Mutex<HashMap<String, Statement>>,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Connection")
    }
}

impl Connection {
    fn kept(&self) -> std::sync::MutexGuard<'_, HashMap<String, Statement>> {
        self.prepared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn prepared(&self, sql: &str) -> Result<Statement, Error> {
        if let Some(statement) = self.kept().get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(sql).await?;
        self.kept().insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    /// Prepares statements, in one round trip. Statements that were prepared are sent at once, so those that
    /// run together keep their order.
    pub(crate) async fn prepare_all(&self, statements: &[&str]) -> Result<(), Error> {
        let prepared = statements.iter().map(|sql| self.prepared(sql));
        futures_util::future::try_join_all(prepared).await.map(drop)
    }

    pub(crate) async fn query(&self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, Error> {
        self.client.query(&self.prepared(sql).await?, values).await
    }

    pub(crate) async fn query_one(&self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Row, Error> {
        self.client.query_one(&self.prepared(sql).await?, values).await
    }

    pub(crate) async fn query_opt(
        &self,
        sql: &str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Option<Row>, Error> {
        self.client.query_opt(&self.prepared(sql).await?, values).await
    }

    pub(crate) async fn execute(&self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<u64, Error> {
        self.client.execute(&self.prepared(sql).await?, values).await
    }

    pub(crate) async fn batch_execute(&self, sql: &str) -> Result<(), Error> {
        self.client.batch_execute(sql).await
    }
}

/// A connection that is restored when it breaks.
#[derive(Debug)]
pub(crate) struct Link {
    runtime: Handle,
    address: Address,
    patience: ReconnectPolicy,
    client: Mutex<Option<Arc<Connection>>>,
}

impl Link {
    pub(crate) fn new(runtime: Handle, address: Address, patience: ReconnectPolicy) -> Self {
        Self { runtime, address, patience, client: Mutex::new(None) }
    }

    /// Runs `work`, on a new connection if needed. `doing` describes the work in errors and log messages.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        doing: &'static str,
        work: impl Fn(Arc<Connection>) -> ConnectionWork<T>,
    ) -> Result<T, StoreError> {
        let begun = Instant::now();
        let mut tries = 0;
        loop {
            let error = match self.attempt(&work) {
                Ok(answer) => {
                    if begun.elapsed() > PAUSES.longest {
                        info!(doing, after = ?begun.elapsed(), "PostgreSQL is available again");
                    }
                    return Ok(answer);
                }
                Err(failed) => failed,
            };
            if !error.is_transient() {
                return Err(error.into_store_error(doing, &self.address, begun.elapsed()));
            }
            self.forget();
            if begun.elapsed() >= self.patience.at_most || (self.patience.should_stop)() {
                return Err(error.into_store_error(doing, &self.address, begun.elapsed()));
            }
            tries += 1;
            let pause = PAUSES.pause(tries);
            if tries == 1 || pause == PAUSES.longest {
                warn!(
                    doing,
                    database = self.address.redacted(),
                    error = error.message(),
                    "PostgreSQL is unavailable; retrying"
                );
            }
            std::thread::sleep(pause);
        }
    }

    fn attempt<T: Send + 'static>(
        &self,
        work: &impl Fn(Arc<Connection>) -> ConnectionWork<T>,
    ) -> Result<T, Failed> {
        let client = self.client()?;
        self.wait(work(client))?.map_err(Failed::Database)
    }

    fn wait<T: Send + 'static>(&self, future: impl Future<Output = T> + Send + 'static) -> Result<T, Failed> {
        let (sender, answer) = mpsc::sync_channel(1);
        self.runtime.spawn(async move {
            if let Ok(output) = tokio::time::timeout(LIMIT, future).await {
                // An error means that the caller no longer waits.
                let _ = sender.send(output);
            }
        });
        answer.recv().map_err(|_| Failed::Late)
    }

    fn client(&self) -> Result<Arc<Connection>, Failed> {
        let mut kept = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = kept.as_ref().filter(|kept| !kept.client.is_closed()) {
            return Ok(Arc::clone(client));
        }
        let tls = self.address.tls().map_err(Failed::Ours)?;
        let config = self.address.config.clone();
        let (client, connection) =
            self.wait(async move { config.connect(tls).await })?.map_err(Failed::Database)?;
        self.runtime.spawn(async move {
            // If the connection fails, the next query returns the error.
            let _ = connection.await;
        });
        let client = self
            .wait(async move { client.batch_execute(INDEXES_ONLY).await.map(|()| client) })?
            .map_err(Failed::Database)?;
        let client = Arc::new(Connection { client, prepared: Mutex::default() });
        *kept = Some(Arc::clone(&client));
        Ok(client)
    }

    fn forget(&self) {
        *self.client.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

enum Failed {
    Database(Error),
    Late,
    Ours(StoreError),
}

impl Failed {
    fn is_transient(&self) -> bool {
        let Self::Database(error) = self else { return matches!(self, Self::Late) };
        let Some(code) = error.code() else {
            return !is_certificate(error) && !is_config(error);
        };
        let class = &code.code()[..2];
        // The classes are connection errors, lack of resources, interventions such as a shutdown, and
        // transactions that were rolled back because of other transactions.
        matches!(class, "08" | "40" | "53" | "57" | "58")
            || [&SqlState::READ_ONLY_SQL_TRANSACTION, &SqlState::LOCK_NOT_AVAILABLE].contains(&code)
            || *code == SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT
    }

    fn message(&self) -> String {
        match self {
            Self::Database(error) => match error.as_db_error() {
                Some(said) => said.message().to_owned(),
                None if chain(error).contains("password missing") => NO_PASSWORD.into(),
                None => chain(error),
            },
            Self::Late => format!("no answer within {LIMIT:?}"),
            Self::Ours(error) => error.to_string(),
        }
    }

    /// Converts the error for the caller. `tried` is the time spent on attempts.
    fn into_store_error(self, doing: &'static str, address: &Address, tried: Duration) -> StoreError {
        let database = address.redacted().to_owned();
        let reason = match self.is_transient() {
            true => format!("{}; it was tried for {tried:.0?}", self.message()),
            false => self.message(),
        };
        match self {
            Self::Ours(error) => error,
            _ => StoreError::Database { doing, database, reason },
        }
    }
}

fn is_certificate(error: &Error) -> bool {
    causes(error).any(|cause| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|io| io.kind() == std::io::ErrorKind::InvalidData)
            || cause.is::<rustls::Error>()
    })
}

/// Whether the error occurs before a connection is opened, for example because the password is missing.
fn is_config(error: &Error) -> bool {
    let words = error.to_string();
    words.contains("configuration") || words.contains("TLS") || words.contains("authentication")
}

fn causes(error: &Error) -> impl Iterator<Item = &(dyn std::error::Error + 'static)> {
    std::iter::successors(std::error::Error::source(error), |cause| cause.source())
}

fn chain(error: &Error) -> String {
    causes(error).fold(error.to_string(), |words, cause| format!("{words}: {cause}"))
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;

    /// Connects to `port` and returns the error message of a query.
    fn refused(port: u16, at_most: Duration) -> String {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let address =
            Address::parse(&format!("postgres://an@127.0.0.1:{port}/news?sslmode=disable")).unwrap();
        let patience = ReconnectPolicy { at_most, should_stop: Arc::new(|| false) };
        let link = Link::new(runtime.handle().clone(), address, patience);
        let asked =
            link.run("asking", |client| Box::pin(async move { client.batch_execute("SELECT 1").await }));
        asked.unwrap_err().to_string()
    }

    #[test]
    fn who_has_no_password_is_told_where_it_is_set() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            assert!(stream.read(&mut [0; 1024]).unwrap() > 0);
            // This message requests a plain-text password.
            stream.write_all(&[b'R', 0, 0, 0, 8, 0, 0, 0, 3]).unwrap();
            // The client may have closed the connection.
            let _ = stream.read(&mut [0; 1024]);
        });
        let error = refused(port, Duration::from_secs(5));
        server.join().unwrap();
        assert!(
            error.contains("asking: it wants a password") && error.contains("PGPASSWORD_FILE"),
            "{error}"
        );
    }

    #[test]
    fn who_is_away_is_told_with_the_time_that_it_was_tried_for() {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let error = refused(port, Duration::from_millis(1));
        assert!(
            error.contains("postgres://an@127.0.0.1") && error.contains("; it was tried for "),
            "{error}"
        );
        assert!(error.ends_with('s') && !error.contains("patience"), "{error}");
    }
}
