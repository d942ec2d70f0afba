#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    dead_code,
    unreachable_pub,
    reason = "each program uses a part of it"
)]
//! What a child process cost: processor time, wall time, memory at its peak.
//!
//! Read from Linux's `/proc`, without a call of our own into the system: a child that
//! has ended and was not yet waited for still shows its times, and its memory is
//! looked at while it runs. Elsewhere there are no figures.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Ticks of processor time a second in `/proc`; it is 100 on every Linux.
const TICKS: f64 = 100.0;
/// Between two looks at the child.
const LOOK: Duration = Duration::from_millis(20);

/// What a child cost.
#[derive(Debug, Default)]
pub struct Measured {
    /// Seconds of processor time, its own and the system's for it; none without `/proc`.
    pub processor: Option<f64>,
    pub wall: Duration,
    /// Resident memory at its peak; none without `/proc`.
    pub peak_mebibytes: Option<u64>,
}

impl Measured {
    /// The cost of one of so many pages, for people.
    pub fn a_page(&self, pages: usize) -> String {
        let each = |seconds: f64| 1000.0 * seconds / pages as f64;
        let processor = self.processor.map_or("unknown".into(), |seconds| {
            format!("{seconds:.1} s ({:.2} ms a page, {:.0} pages/s)", each(seconds), pages as f64 / seconds)
        });
        let peak = self.peak_mebibytes.map_or("unknown".into(), |peak| format!("{peak} MiB"));
        format!("{pages} requests: processor {processor}, wall {:.1} s, peak {peak}", self.wall.as_secs_f64())
    }
}

/// Seconds of processor time that this process has used; none without `/proc`.
pub fn own_processor() -> Option<f64> {
    times(&fs::read_to_string("/proc/self/stat").ok()?).map(|(_, seconds)| seconds)
}

/// Runs a command to its end, which must be a success.
pub fn to_end(mut command: Command) -> Measured {
    let start = Instant::now();
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::inherit()).spawn().unwrap();
    let folder = format!("/proc/{}", child.id());
    let mut measured = Measured::default();
    while let Some(times) = fs::read_to_string(format!("{folder}/stat")).ok().as_deref().and_then(times) {
        let status = fs::read_to_string(format!("{folder}/status")).unwrap_or_default();
        measured.peak_mebibytes = peak(&status).or(measured.peak_mebibytes);
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

/// Whether the process has ended, and its seconds of processor time (proc(5)).
fn times(stat: &str) -> Option<(bool, f64)> {
    // The name in brackets may hold anything; what follows it does not.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    Some((matches!(*fields.first()?, "Z" | "X"), ticks / TICKS))
}

fn peak(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? / 1024)
}
