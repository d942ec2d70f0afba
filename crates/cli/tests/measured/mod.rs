#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    dead_code,
    unreachable_pub,
    reason = "each program uses a part of it"
)]
//! Measures the processor time, wall time and peak memory of a child process.
//!
//! The values are read from Linux's `/proc`, without system calls of our own. The times of a child remain
//! there after it has ended, until the parent waits for it. Its memory is read while it runs. On other
//! systems, only the wall time is measured.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Ticks of processor time per second in `/proc`. It is 100 on every Linux.
const TICKS: f64 = 100.0;
/// Interval between two readings.
const LOOK: Duration = Duration::from_millis(20);

/// The resources that a child process used.
#[derive(Debug, Default)]
pub struct Measured {
    /// Processor time in user and kernel mode, in seconds. `None` without `/proc`.
    pub processor: Option<f64>,
    pub wall: Duration,
    /// Peak resident memory in MiB. `None` without `/proc`.
    pub peak_mebibytes: Option<u64>,
    /// The name and the processor time in seconds of each thread, by thread number. For a thread that has
    /// ended, the time is that of the last reading.
    threads: BTreeMap<u32, (String, f64)>,
}

impl Measured {
    /// Describes the share of each kind of thread. Threads whose names differ only in a number are one kind.
    pub fn by_thread(&self) -> String {
        let mut kinds: BTreeMap<&str, f64> = BTreeMap::new();
        for (name, seconds) in self.threads.values() {
            let kind = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, ' ' | '-'));
            *kinds.entry(kind).or_default() += seconds;
        }
        let all: f64 = kinds.values().sum();
        let mut kinds: Vec<(&str, f64)> = kinds.into_iter().collect();
        kinds.sort_by(|one, other| other.1.total_cmp(&one.1));
        let shares = kinds.iter().map(|(kind, seconds)| format!("{kind} {:.0}%", 100.0 * seconds / all));
        shares.collect::<Vec<_>>().join(", ")
    }

    /// Describes the cost of one page. `pages` is the number of pages that the child processed.
    pub fn a_page(&self, pages: usize) -> String {
        let each = |seconds: f64| 1000.0 * seconds / pages as f64;
        let processor = self.processor.map_or("unknown".into(), |seconds| {
            format!("{seconds:.1} s ({:.2} ms a page, {:.0} pages/s)", each(seconds), pages as f64 / seconds)
        });
        let peak = self.peak_mebibytes.map_or("unknown".into(), |peak| format!("{peak} MiB"));
        format!("{pages} requests: processor {processor}, wall {:.1} s, peak {peak}", self.wall.as_secs_f64())
    }
}

/// Returns the seconds of processor time that this process has used, or `None` without `/proc`.
pub fn own_processor() -> Option<f64> {
    times(&fs::read_to_string("/proc/self/stat").ok()?).map(|(_, seconds)| seconds)
}

/// Runs and measures a command, which must succeed.
pub fn to_end(mut command: Command) -> Measured {
    let start = Instant::now();
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::inherit()).spawn().unwrap();
    let folder = format!("/proc/{}", child.id());
    let mut measured = Measured::default();
    while let Some(times) = fs::read_to_string(format!("{folder}/stat")).ok().as_deref().and_then(times) {
        let status = fs::read_to_string(format!("{folder}/status")).unwrap_or_default();
        measured.peak_mebibytes = peak(&status).or(measured.peak_mebibytes);
        measured.threads.extend(threads(&folder));
        let (ended, seconds) = times;
        measured.processor = Some(seconds);
        if ended {
            break;
        }
        std::thread::sleep(LOOK);
    }
    measured.wall = start.elapsed();
    let status = child.wait().unwrap();
    assert!(status.success(), "{status:?}");
    measured
}

/// Parses `/proc/PID/stat`: whether the process has ended, and its processor time in seconds (proc(5)).
fn times(stat: &str) -> Option<(bool, f64)> {
    // The name in parentheses may contain any characters, so parsing starts after the last parenthesis.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    Some((matches!(*fields.first()?, "Z" | "X"), ticks / TICKS))
}

fn threads(process: &str) -> Vec<(u32, (String, f64))> {
    let tasks = fs::read_dir(format!("{process}/task")).into_iter().flatten().flatten();
    let thread = |task: fs::DirEntry| {
        let stat = fs::read_to_string(task.path().join("stat")).ok()?;
        let name = stat.split_once('(')?.1.rsplit_once(')')?.0.to_owned();
        Some((task.file_name().to_str()?.parse().ok()?, (name, times(&stat)?.1)))
    };
    tasks.filter_map(thread).collect()
}

fn peak(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? / 1024)
}
