//! Measures the pages per second of one, two and four workers: `cargo bench -p gleaner --bench workers
//! [ARTICLES] [SHARE] [ROUND_TRIP]`.
//!
//! The workers are real processes on a real database, each with one thread that parses pages. They crawl the
//! generated papers of the testkit without a delay. This process serves the papers on the same cores. For
//! each number of workers, the bench prints the pages per second. It also prints, per page, the processor
//! time of the workers and of the database, the number of SQL statements, the number of written rows, and the
//! size of the database's log (WAL). At the end, it prints the size of each table per page.
//!
//! If one worker, the papers and the database use all cores, more workers cannot be faster. SHARE limits each
//! worker to this percentage of a core, as if it ran on a small machine of its own. The limit uses a control
//! group of the kernel and requires root. 0 is no limit.
//!
//! ROUND_TRIP is the time of a round trip between the worker and the database, in milliseconds. The bench
//! then measures only one worker.

#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program for measuring"
)]

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use gleaner_testkit::delaying_proxy::DelayingProxy;
use gleaner_testkit::postgres::Postgres;
use gleaner_testkit::{GeneratedPapers, Newspaper, NewspaperOptions};
use tempfile::TempDir;

const HOSTS: usize = 50;

fn main() {
    let mut numbers = std::env::args().filter_map(|argument| argument.parse().ok());
    let articles = numbers.next().unwrap_or(20);
    let share = numbers.next().filter(|share| *share > 0);
    let round_trip = numbers.next().map(|ms| Duration::from_millis(ms as u64));
    println!(
        "{:>8} {:>7} {:>8} {:>12} {:>12} {:>14} {:>12} {:>12} {:>10}",
        "workers",
        "pages",
        "pages/s",
        "worker ms",
        "database ms",
        "statements",
        "writing",
        "rows",
        "log bytes"
    );
    let counts = if round_trip.is_some() { [1].as_slice() } else { &[1, 2, 4] };
    for workers in counts {
        if !measure(*workers, articles, share, round_trip) {
            return;
        }
    }
}

/// Measures one number of workers. Returns `false` if PostgreSQL is not available. `share` is the limit of
/// each worker in percent of a core, or `None` for no limit.
fn measure(workers: usize, articles: usize, share: Option<usize>, round_trip: Option<Duration>) -> bool {
    let settings = ["fsync=on", "shared_preload_libraries=pg_stat_statements", "max_wal_size=4GB"];
    let Some(server) = Postgres::start(&settings) else { return false };
    let address = server.database();
    let proxy = round_trip.map(|round_trip| {
        let to = SocketAddr::from((Ipv4Addr::LOCALHOST, server.port()));
        DelayingProxy::start(to, round_trip / 2).unwrap()
    });
    let port = proxy.as_ref().map_or(server.port(), |proxy| proxy.address().port());
    let workers_address = address.replace(&format!(":{}/", server.port()), &format!(":{port}/"));
    let _ = server.query(&address, "CREATE EXTENSION pg_stat_statements");
    let generated = GeneratedPapers { hosts: HOSTS, articles, listed: articles, wire: 0, redirected: 0 };
    let options =
        NewspaperOptions { generated: Some(generated), faults: false, ..NewspaperOptions::default() };
    let newspaper = Newspaper::start_in_background(options).unwrap();
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("seeds.txt"), generated.seeds().join("\n")).unwrap();
    let before = log_bytes(&server, &address);
    let begun = Instant::now();
    let mut children: Vec<Child> =
        (0..workers).map(|worker| spawn(&folder, &workers_address, &newspaper.proxy(), worker)).collect();
    let _bounds: Vec<Bound> =
        share.iter().flat_map(|share| children.iter().map(|child| Bound::new(child.id(), *share))).collect();
    let pages = HOSTS * (articles + 2);
    assert!(newspaper.wait_for_requests(pages + HOSTS, Duration::from_secs(1_800)));
    let seconds = begun.elapsed().as_secs_f64();
    let worker_ms: f64 = children.iter().map(|child| processor_ms(child.id())).sum();
    for child in &mut children {
        let status = child.wait().unwrap();
        assert!(matches!(status.code(), Some(0 | 3)), "{status}");
    }
    let a_page = |sql: &str| server.query(&address, sql).parse::<f64>().unwrap() / pages as f64;
    let database_ms = a_page("SELECT sum(total_exec_time + total_plan_time) FROM pg_stat_statements");
    let statements = a_page("SELECT sum(calls) FROM pg_stat_statements");
    let writing =
        a_page("SELECT sum(calls) FROM pg_stat_statements WHERE query ~* '^(insert|update|delete)'");
    let rows = a_page("SELECT sum(rows) FROM pg_stat_statements WHERE query ~* '^(insert|update|delete)'");
    let log = (log_bytes(&server, &address) - before) / pages as f64;
    println!(
        "{workers:>8} {pages:>7} {:>8.0} {:>12.2} {database_ms:>12.2} {statements:>14.2} {writing:>12.2} {rows:>12.1} {log:>10.0}",
        pages as f64 / seconds,
        worker_ms / pages as f64,
    );
    if workers == 4 {
        println!("\nBytes with indexes, per page:");
        let sizes = "SELECT relname || ' ' || pg_total_relation_size(oid) FROM pg_class \
                     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1";
        for line in server.query(&address, sizes).lines() {
            let Some((table, bytes)) = line.split_once(' ') else { continue };
            println!("{table:>16} {:>8.0}", bytes.parse::<f64>().unwrap() / pages as f64);
        }
    }
    true
}

fn spawn(folder: &TempDir, address: &str, proxy: &str, worker: usize) -> Child {
    let objects = folder.path().join("objects");
    Command::new(env!("CARGO_BIN_EXE_gleaner"))
        .current_dir(folder.path())
        .args(["crawl", "--seeds", "seeds.txt", "--store", address, "--objects"])
        .arg(objects)
        .args(["--data", &format!("worker-{worker}"), "--set", &format!("workers.name=worker-{worker}")])
        .args(["--set", &format!("fetch.proxy={proxy}"), "--set", "fetch.delay=0s"])
        .args(["--set", "fetch.contact=bench@gleaner.invalid", "--set", "crawl.linger=0s"])
        .args(["--set", "crawl.workers=1", "--set", "workers.lease=10s"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// A control group that limits the processor time of a process. Drop it after the process has ended, because
/// dropping it removes the group.
struct Bound {
    folder: PathBuf,
}

impl Bound {
    /// Creates the group in version 2 of control groups if the system has it, and otherwise in version 1.
    fn new(process: u32, share: usize) -> Self {
        let [one, two] = ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup"]
            .map(|root| Path::new(root).join(format!("gleaner-bench-{process}")));
        // The quota is in microseconds of processor time per 100,000 microseconds.
        let quota = share * 1_000;
        let (folder, file, value) = match Path::new("/sys/fs/cgroup/cgroup.controllers").exists() {
            true => (two, "cpu.max", format!("{quota} 100000")),
            false => (one, "cpu.cfs_quota_us", quota.to_string()),
        };
        fs::create_dir(&folder)
            .and_then(|()| fs::write(folder.join(file), value))
            .and_then(|()| fs::write(folder.join("cgroup.procs"), process.to_string()))
            .expect("control groups can be made; run it as root, or without SHARE");
        Self { folder }
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.folder);
    }
}

/// Returns the processor time that a process has used, in milliseconds.
fn processor_ms(process: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    // Linux reports hundredths of a second (proc(5)).
    (ticks(11) + ticks(12)) * 10.0
}

fn log_bytes(server: &Postgres, address: &str) -> f64 {
    server.query(address, "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')").parse().unwrap()
}
