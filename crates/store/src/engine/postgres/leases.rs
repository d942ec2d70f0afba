//! Manages leases, which assign partitions to workers. Leases depend only on rows of the database and on the
//! database's clock.
//!
//! A worker sends three heartbeats in a lease's duration. At each heartbeat, it
//!
//! 1. renews its leases, and records how much it has done. All its leases end at the same time, which is in
//!    its row of the table `workers`;
//! 2. reads its leases, and detects lost leases;
//! 3. counts the live workers: its fair share is 256 divided by their number, rounded up;
//! 4. takes partitions that are free, or whose leases have ended, until it has its share. Each partition gets
//!    the next epoch, so that later writes of its last owner are refused. Meanwhile the rows of the owners
//!    are locked, so that no owner can renew its leases;
//! 5. reports how many partitions it has above its share. The crawl then releases these partitions.
//!
//! A worker that waits for its next crawl releases all partitions and is not counted.
//!
//! When a worker dies, other workers take its partitions within the time of one lease and one heartbeat. With
//! the default lease of 30 s, this is 40 s.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tracing::{info, warn};

use super::link::Connection;
use super::{MOMENT, Postgres, lock};
use crate::StoreError;
use crate::leases::{self, Leases};
use crate::partitions::Partition;

const PARTITIONS: usize = 256;

const BEATS: u32 = 3;

/// The state of a worker, which all workers can see.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkerStatus {
    /// The worker's name: the setting `workers.name`, or else the name of the machine with the process id.
    pub name: String,
    /// The identifier of this run of the process. A restarted process gets a new identifier.
    pub session: String,
    /// The worker's version of gleaner.
    pub version: String,
    /// Seconds since the worker started.
    pub age: f64,
    /// Seconds since the worker's last heartbeat.
    pub silent: f64,
    /// How many of the 256 partitions the worker owns.
    pub partitions: u64,
    /// Number of pages that the worker has read since it started.
    pub pages: u64,
    /// Pages per second between the worker's last two heartbeats.
    pub rate: f64,
    /// Whether the worker has nothing to do.
    pub idle: bool,
    /// Whether the worker waits for its next crawl, without partitions.
    pub waiting: bool,
}

/// Renews a worker's leases until the keeper is dropped, then releases them.
#[derive(Debug)]
pub(crate) struct LeaseKeeper {
    heartbeat: Arc<Mutex<Heartbeat>>,
    stop_signal: Arc<StopSignal>,
    thread: Option<JoinHandle<()>>,
    engine: Postgres,
}

#[derive(Debug, Default)]
struct StopSignal {
    is_over: Mutex<bool>,
    rung: Condvar,
}

impl StopSignal {
    /// Waits until the next heartbeat is due, or until `early` returns true. Returns `false` if the worker
    /// ends and must not send a heartbeat.
    fn wait(&self, at_most: Duration, early: impl Fn() -> bool) -> bool {
        let until = Instant::now() + at_most;
        let mut is_over = self.is_over.lock().unwrap_or_else(PoisonError::into_inner);
        while !*is_over && !early() {
            let Some(left) = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
            else {
                break;
            };
            let waited = self.rung.wait_timeout(is_over, left.min(MOMENT));
            is_over = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        !*is_over
    }

    fn end(&self) {
        *self.is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.rung.notify_all();
    }
}

impl LeaseKeeper {
    pub(crate) fn begin(engine: Postgres, leases: Leases, life: Duration) -> Result<Self, StoreError> {
        let heartbeat =
            Heartbeat { engine: engine.clone(), leases: leases.clone(), life, pages: 0, at: Instant::now() };
        let heartbeat = Arc::new(Mutex::new(heartbeat));
        lock(&heartbeat).beat()?;
        let stop_signal = Arc::new(StopSignal::default());
        let (signal, beating) = (Arc::clone(&stop_signal), Arc::clone(&heartbeat));
        let keep = move || {
            let mut was_idle = false;
            while signal.wait(life / BEATS, || leases.reported().1 != was_idle) {
                was_idle = leases.reported().1;
                if let Err(error) = lock(&beating).beat() {
                    warn!(%error, "the leases could not be renewed");
                }
            }
        };
        let thread = std::thread::Builder::new()
            .name("leases".into())
            .spawn(keep)
            .map_err(|source| StoreError::Thread { task: "the leases", source })?;
        Ok(Self { heartbeat, stop_signal, thread: Some(thread), engine })
    }

    pub(crate) fn beat(&self) -> Result<(), StoreError> {
        lock(&self.heartbeat).beat()
    }
}

impl Drop for LeaseKeeper {
    fn drop(&mut self) {
        self.stop_signal.end();
        if let Some(thread) = self.thread.take() {
            // Failed heartbeats were already logged.
            let _ = thread.join();
        }
        if let Err(error) = self.engine.resign() {
            warn!(%error, "the leases could not be released; they will expire");
        }
    }
}

#[derive(Debug)]
struct Heartbeat {
    engine: Postgres,
    leases: Leases,
    life: Duration,
    pages: u64,
    at: Instant,
}

impl Heartbeat {
    fn beat(&mut self) -> Result<(), StoreError> {
        let leases = self.leases.clone();
        let _dealing = leases.lock_requests();
        if leases.is_waiting() {
            return self.engine.stand_by(&leases);
        }
        let life = self.life.as_secs_f64();
        // The clocks are read before the query, so the leases really last a little longer than this process
        // assumes.
        let (now, time) = leases::now();
        let rate = self.rate(now);
        let (alive, renewed) = self.engine.renew(&self.leases, life, rate)?;
        let held = self.leases.count();
        // The database may have leases that this process does not know, because it forgot them or lost a
        // response.
        let found: Vec<(Partition, i64, bool)> = renewed
            .iter()
            .filter(|(partition, _)| !self.leases.knows(**partition))
            .map(|(partition, epoch)| (*partition, *epoch, true))
            .collect();
        self.leases.renewed(&renewed, (now, time), self.life);
        if self.leases.is_lost() {
            return Ok(());
        }
        let share = PARTITIONS.div_ceil(alive.max(1));
        let missing = share.saturating_sub(held + found.len());
        if !found.is_empty() {
            self.engine.write_overlay().forget_read();
            self.leases.gain(found);
        }
        if missing > 0 && self.engine.has_free_partitions()? {
            self.leases.begin_taking();
            let taken = self.engine.take(&self.leases, missing)?;
            if !taken.is_empty() {
                info!(partitions = taken.len(), "took partitions");
                self.engine.write_overlay().forget_read();
            }
            self.leases.gain(taken);
        }
        self.leases.set_excess(self.leases.count().saturating_sub(share));
        Ok(())
    }

    fn rate(&mut self, now: Instant) -> f64 {
        let (pages, _) = self.leases.reported();
        let seconds = now.duration_since(self.at).as_secs_f64();
        let rate = if seconds > 0.0 { pages.saturating_sub(self.pages) as f64 / seconds } else { 0.0 };
        (self.pages, self.at) = (pages, now);
        rate
    }
}

fn partitions_of(rows: &[tokio_postgres::Row]) -> BTreeMap<Partition, i64> {
    let partition = |row: &tokio_postgres::Row| u8::try_from(row.get::<_, i16>(0)).map(Partition::new);
    rows.iter().filter_map(|row| Some((partition(row).ok()?, row.get(1)))).collect()
}

/// Takes free partitions, within a transaction.
async fn take_free(
    client: &Connection,
    session: &str,
    count: i64,
) -> Result<Vec<(Partition, i64, bool)>, tokio_postgres::Error> {
    // Another process that sees these partitions taken must also see that this worker is busy.
    client.execute("UPDATE workers SET idle = false WHERE session = $1", &[&session]).await?;
    let sql = "SELECT session FROM workers WHERE until < now() AND session <> $1 FOR UPDATE SKIP LOCKED";
    let dead: Vec<String> = client.query(sql, &[&session]).await?.iter().map(|row| row.get(0)).collect();
    let sql = "UPDATE leases SET owner = $1, epoch = epoch + 1 \
               FROM (SELECT partition, owner FROM leases \
                     WHERE owner IS NULL OR owner = ANY($3) OR NOT EXISTS (SELECT 1 FROM workers WHERE session = owner) \
                     ORDER BY owner IS NOT NULL, partition LIMIT $2 FOR UPDATE SKIP LOCKED) AS free \
               WHERE leases.partition = free.partition \
               RETURNING leases.partition, epoch, free.owner IS NOT NULL";
    let rows = client.query(sql, &[&session, &count, &dead]).await?;
    let taken = |row: &tokio_postgres::Row| {
        let (partition, epoch) = partitions_of(std::slice::from_ref(row)).into_iter().next()?;
        Some((partition, epoch, row.get(2)))
    };
    Ok(rows.iter().filter_map(taken).collect())
}

impl Postgres {
    /// Records that the worker is alive, and renews its leases. Returns the number of live workers, and this
    /// worker's partitions with their epochs.
    fn renew(
        &self,
        leases: &Leases,
        life: f64,
        rate: f64,
    ) -> Result<(usize, BTreeMap<Partition, i64>), StoreError> {
        // The number is read before the idle state. If a flush happens in between, the idle state is not recorded.
        let flushes = *lock(&self.0.flushes);
        let (pages, idle) = leases.reported();
        let pages = i64::try_from(pages).unwrap_or(i64::MAX);
        self.0.leasing.run("renewing leases", |client| {
            let session = leases.session().to_owned();
            Box::pin(async move {
                let sql = "UPDATE workers SET seen = now(), until = now() + make_interval(secs => $6), pages = $2, rate = $3, \
                           idle = $4 AND flushes = $5, waiting = false WHERE session = $1";
                client.execute(sql, &[&session, &pages, &rate, &idle, &flushes, &life]).await?;
                // This runs after the update, because another worker that takes these partitions locks the same row.
                let sql = "SELECT partition, epoch FROM leases WHERE owner = $1";
                let renewed = partitions_of(&client.query(sql, &[&session]).await?);
                let sql = "SELECT count(*) FROM workers WHERE seen > now() - make_interval(secs => $1) AND NOT waiting";
                let alive: i64 = client.query_one(sql, &[&life]).await?.get(0);
                Ok((usize::try_from(alive).unwrap_or(usize::MAX), renewed))
            })
        })
    }

    fn stand_by(&self, leases: &Leases) -> Result<(), StoreError> {
        leases.forget();
        self.write_overlay().clear();
        self.0.leasing.run("releasing partitions", |client| {
            let session = leases.session().to_owned();
            Box::pin(async move {
                let sql = "UPDATE leases SET owner = NULL WHERE owner = $1";
                client.execute(sql, &[&session]).await?;
                let sql = "UPDATE workers SET seen = now(), rate = 0, idle = true, waiting = true WHERE session = $1";
                client.execute(sql, &[&session]).await?;
                Ok(())
            })
        })
    }

    fn has_free_partitions(&self) -> Result<bool, StoreError> {
        self.0.leasing.run("looking for free partitions", |client| {
            Box::pin(async move {
                let sql = "SELECT EXISTS (SELECT 1 FROM leases LEFT JOIN workers ON session = owner \
                                          WHERE until IS NULL OR until < now())";
                Ok(client.query_one(sql, &[]).await?.get(0))
            })
        })
    }

    /// Takes at most `count` free partitions. Returns each partition with its epoch, and with `true` if its
    /// last owner did not release it.
    fn take(&self, leases: &Leases, count: usize) -> Result<Vec<(Partition, i64, bool)>, StoreError> {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        self.0.leasing.run("taking partitions", |client| {
            let session = leases.session().to_owned();
            Box::pin(async move {
                client.batch_execute("BEGIN").await?;
                let taken = take_free(&client, &session, count).await;
                client.batch_execute(if taken.is_ok() { "COMMIT" } else { "ROLLBACK" }).await?;
                taken
            })
        })
    }

    /// Releases partitions, which other workers may take at once. The caller must have flushed everything.
    /// Drops cached records, because other workers will write them.
    pub(crate) fn release(&self, partitions: &[Partition]) -> Result<(), StoreError> {
        let Some(leases) = self.leases() else { return Ok(()) };
        let _dealing = leases.lock_requests();
        let numbers: Vec<i16> =
            partitions.iter().filter_map(|partition| partition.index()).map(i16::from).collect();
        leases.remove(partitions);
        self.write_overlay().clear();
        self.0.leasing.run("releasing partitions", |client| {
            let (session, numbers) = (leases.session().to_owned(), numbers.clone());
            Box::pin(async move {
                let sql = "UPDATE leases SET owner = NULL WHERE owner = $1 AND partition = ANY($2)";
                client.execute(sql, &[&session, &numbers]).await?;
                Ok(())
            })
        })
    }

    pub(crate) fn resign(&self) -> Result<(), StoreError> {
        let Some(leases) = self.leases() else { return Ok(()) };
        leases.forget();
        self.0.leasing.run("releasing partitions", |client| {
            let session = leases.session().to_owned();
            Box::pin(async move {
                let sql = "UPDATE leases SET owner = NULL WHERE owner = $1";
                client.execute(sql, &[&session]).await?;
                client.execute("DELETE FROM workers WHERE session = $1", &[&session]).await?;
                Ok(())
            })
        })
    }

    /// Returns all workers that sent a heartbeat within the last `within` seconds, sorted by name.
    pub(crate) fn workers(&self, within: f64) -> Result<Vec<WorkerStatus>, StoreError> {
        let sql = "SELECT name, session, version, extract(epoch FROM now() - started)::float8, \
                   extract(epoch FROM now() - seen)::float8, \
                   (SELECT count(*) FROM leases WHERE owner = session AND until > now()), pages, rate, idle, waiting \
                   FROM workers WHERE seen > now() - make_interval(secs => $1) ORDER BY name, started";
        self.0.reading.run("looking for workers", |client| {
            Box::pin(async move {
                let whole = |number: i64| u64::try_from(number).unwrap_or(0);
                let status = |row: &tokio_postgres::Row| WorkerStatus {
                    name: row.get(0),
                    session: row.get(1),
                    version: row.get(2),
                    age: row.get(3),
                    silent: row.get(4),
                    partitions: whole(row.get(5)),
                    pages: whole(row.get(6)),
                    rate: row.get(7),
                    idle: row.get(8),
                    waiting: row.get(9),
                };
                Ok(client.query(sql, &[&within]).await?.iter().map(status).collect())
            })
        })
    }

    /// Whether no worker has anything to do. Each partition must have a lease of an idle worker, and no
    /// message may wait.
    pub(crate) fn are_all_idle(&self) -> Result<bool, StoreError> {
        let sql = "SELECT NOT EXISTS (SELECT 1 FROM leases LEFT JOIN workers ON session = owner \
                                      WHERE until < now() OR idle IS NOT TRUE) \
                   AND NOT EXISTS (SELECT 1 FROM messages)";
        self.0.reading.run("checking whether all is done", |client| {
            Box::pin(async move { Ok(client.query_one(sql, &[]).await?.get(0)) })
        })
    }

    /// Returns how far this machine's clock is ahead of the database's, in seconds.
    pub(crate) fn clock_ahead(&self) -> Result<f64, StoreError> {
        let sql = "SELECT extract(epoch FROM clock_timestamp())::float8";
        let theirs: f64 = self.0.reading.run("reading its clock", |client| {
            Box::pin(async move { Ok(client.query_one(sql, &[]).await?.get(0)) })
        })?;
        Ok(Timestamp::now().as_microsecond() as f64 / 1e6 - theirs)
    }
}
